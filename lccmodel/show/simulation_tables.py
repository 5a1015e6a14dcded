"""Simulated loads, curves, and what a routing function can do to messages, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lccmodel.errors import InputError
from lccmodel.show.numbers import joined
from lccmodel.show.quantities import Fact, named
from lccmodel.show.records import Table, keyed_table
from lccmodel.wormhole.plan import NEVER

if TYPE_CHECKING:
    from lccmodel.routing import DeadlockVerdict
    from lccmodel.wormhole.booksim import BookSim, BookSimPoint
    from lccmodel.wormhole.curves import Curve
    from lccmodel.wormhole.simulation import SimulationResult
    from lccmodel.wormhole.statistics import Interval
    from lccmodel.wormhole.timed import TimedMessages


class SimulatedLoad(NamedTuple):
    """A simulated load of a communication; `order` is that of its mapping, () without one.

    `mapping`: "before" or "after" it, where both are shown, else "".
    """

    communication: str
    order: tuple[int, ...]
    result: SimulationResult
    mapping: str = ""


def _state_of(result: SimulationResult) -> str:
    """What became of a load: "sustained", "saturated", or "deadlocked" and the ring.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.wormhole import simulate
    >>> _state_of(simulate(bit_reverse(4), Hypercube(4), load=0.9, cycles=4000))
    'saturated'
    """
    if result.deadlock:
        return f"deadlocked: {' -> '.join(result.deadlock)}"
    return "saturated" if result.saturated else "sustained"


_UNITS = (
    "load, throughput, accepted: flits per cycle and sending processor, generated, delivered, and "
    "of messages that entered the network; latency: "
    "cycles from generation to delivery. ± is half of a 95 % confidence interval; close to "
    "saturation that of the latency reaches farther upwards."
)
_DEPENDENCIES = (
    "A channel depends on another when a message may hold the first and ask for the second. "
    "Without a cycle no messages can wait for each other in a ring."
)


_PERCENTS, _FEW = (50, 95, 99), 4


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _half_width(interval: Interval) -> float | None:
    return _finite((interval.high - interval.low) / 2)


def simulation_table(runs: Sequence[SimulatedLoad]) -> Table:
    """A row for every load: throughput, latency, and whether it is sustained.

    Args:
        runs: at least one; all with one network, mapping and set of options. Several routing
            functions have a column, and one communication then has none.
    """
    first = runs[0].result
    functions = list(dict.fromkeys(run.result.routing for run in runs))
    order = next((run.order for run in runs if run.order), None)
    names = {run.communication for run in runs}
    records = [_record(run, len(names) > 1 or len(functions) == 1, len(functions) > 1)
               for run in runs]  # fmt: skip
    hidden = ["offered", "accepted", "accepted_half_width"]
    hidden += [key for key in records[0] if key.startswith("latency_p")]
    hidden += ["messages"] if len(functions) > 1 else []  # else a line of 100 characters breaks
    facts: list[Fact] = [
        ("network", first.network.spec),
        *([("routing", first.routing)] if len(functions) == 1 else []),
        *([("communication", runs[0].communication)] if "communication" not in records[0] else []),
        (named("flits", "flits in a message"), first.flits),
        ("cycles", first.cycles),
        ("warm_up", first.warm_up),
        ("seed", first.seed),
        (named("tie", "who goes first of headers that arrive together"), first.tie),
    ]
    facts += [
        (key, value)
        for key, value in first.hardware.items()
        if all(run.result.hardware.get(key) == value for run in runs)
    ]
    if order:
        facts.append(("order", order))
    legend = [_UNITS, "waiting: messages at their sources, on average."]
    notes = []
    if len(runs) <= _FEW:
        legend += map(_accepted_and_percentiles, runs)
    periods = _periods(first)
    if len(set(periods.values())) > 1:
        periods_text = ", ".join(f"{cycles} on axis {axis}" for axis, cycles in periods.items())
        notes.append(f"Links differ in bandwidth: cycles that a flit keeps a link: {periods_text}.")
    if any(run.result.saturated for run in runs):
        legend.append("saturated: more and more messages wait; the latency has no limit.")
    if any(not (run.result.settled or run.result.saturated) for run in runs):
        notes.append(
            "settled: no where the run is short against the time in which its queues fill and "
            "drain, so that the interval may be too narrow; --most-cycles runs on until it has."
        )
    if any(run.result.deadlock for run in runs):
        legend.append(
            "deadlocked: every channel of the ring is held by a message that waits for the next."
        )
    return keyed_table("Simulated loads", records, facts, {}, legend, hidden, notes=notes)


def booksim_table(read: BookSim, points: Sequence[BookSimPoint]) -> Table:
    """A row for every injection rate, in the names of BookSim 2.

    Args:
        read: the configuration.
        points: at least one run of it.
    """
    records = []
    for point in points:
        means = point.packet_latency, point.network_latency, point.hops
        latency, network, hops = (_finite(mean) for mean in means)
        records.append({
            "injection_rate": point.injection_rate,
            "packet_latency_average": latency,
            "network_latency_average": network,
            "hops_average": hops,
            "accepted_rate": point.accepted,
            "unstable": point.unstable,
        })  # fmt: skip
    stable = [point.injection_rate for point in points if not point.unstable]
    table = read.simulation.table
    facts: list[Fact] = [
        ("network", read.network.spec),
        ("routing", table.routing.name),
        ("cycles", read.cycles),
        ("warm_up", read.warm_up),
        ("seed", read.seed),
        ("highest_stable_rate", max(stable, default=None)),
    ]
    facts[3:3] = [(key, value) for key, value in read.simulation.hardware.items() if value]
    unit = "flits" if read.uses_flits else "packets"
    rates = f"injection rate: {unit} per cycle and node, messages to the own node included"
    legend = [
        f"{rates}; accepted: flits per cycle and node; latencies in cycles, hops in routers.",
        (
            "unstable: after a period or while packets drain, the mean latency exceeds "
            f"{read.threshold:g}. It includes the ages of all flits in flight."
        ),
    ]
    return keyed_table("BookSim 2 configuration", records, facts, {}, legend)


def _periods(result: SimulationResult) -> dict[int, int]:
    """For how many cycles a flit keeps the links of every axis."""
    fabric = result.fabric
    return dict(sorted(zip(fabric.dimension.tolist(), fabric.period.tolist(), strict=True)))


def _record(run: SimulatedLoad, names_communication: bool, names_routing: bool) -> dict[str, Any]:
    result = run.result
    head = {"communication": run.communication} if names_communication else {}
    head |= {"mapping": run.mapping} if run.mapping else {}
    head |= {"routing": result.routing} if names_routing else {}
    return head | {
        "load": result.load,
        "offered": _finite(result.offered),
        "throughput": _finite(result.throughput),
        "throughput_half_width": _half_width(result.throughput_interval),
        "accepted": _finite(result.accepted),
        "accepted_half_width": _half_width(result.accepted_interval),
        "latency": _finite(result.latency),
        "latency_half_width": _half_width(result.interval),
        **_percentile_cells(result),
        "waiting": _finite(result.waiting),
        "messages": result.generated,
        "state": _state_of(result),
        "settled": result.settled,
    }


def _percentile_cells(result: SimulationResult) -> dict[str, float | None]:
    """The 50th, 95th and 99th percentile of the latency, with the ends of their intervals."""
    cells: dict[str, float | None] = {}
    for percent in _PERCENTS:
        value, (low, high) = result.percentile(percent)
        key = f"latency_p{percent}"
        cells |= {key: _finite(value), f"{key}_low": _finite(low), f"{key}_high": _finite(high)}
    return cells


def _accepted_and_percentiles(run: SimulatedLoad) -> str:
    """What enters the network, and within how many cycles messages arrive, in a sentence."""
    of, result = run.communication + (f" {run.mapping}" if run.mapping else ""), run.result
    half = _half_width(result.accepted_interval)
    taken = f"{result.accepted:.4f}" + ("" if half is None else f" ± {half:.4f}") + " accepted"
    if result.saturated:
        return f"{of} at {result.load:g}: {taken}."
    percentiles = ", ".join(f"{p} % within {result.percentile(p)}" for p in _PERCENTS)
    return f"{of} at {result.load:g}: {taken}; {percentiles} cycles.".replace("inf", "∞")


def timed_table(timed: TimedMessages) -> Table:
    """A row for every phase: when its first message was generated and its last one delivered."""
    facts: list[Fact] = [
        ("network", timed.network.spec),
        ("routing", timed.routing),
        ("cycles", timed.cycles),
        (named("throughput", "flits delivered in a cycle"), timed.throughput),
        *_deadlock_fact(timed),
    ]
    return keyed_table("Messages by phases", _phase_records(timed), facts, legend=[_FINISHED])


def placed_program_table(before: TimedMessages, after: TimedMessages) -> Table:
    """A program before and after a placement: the cycles of both, and a row for every phase.

    Args:
        before, after: one program on one network, the second with ranks placed.
    """
    records = [
        {"mapping": turn} | record
        for turn, run in (("before", before), ("after", after))
        for record in _phase_records(run)
    ]
    facts: list[Fact] = [
        ("network", before.network.spec),
        ("routing", before.routing),
        ("cycles_before", before.cycles),
        ("cycles_after", after.cycles),
        *(_deadlock_fact(before) or _deadlock_fact(after)),
    ]
    return keyed_table("Program before and after", records, facts, legend=[_FINISHED])


_FINISHED = "latency: cycles from generation to delivery; cycles: until the last delivery."


def _deadlock_fact(timed: TimedMessages) -> list[Fact]:
    return [("state", f"deadlocked: {' -> '.join(timed.deadlock)}")] if timed.deadlock else []


def _phase_records(timed: TimedMessages) -> list[dict[str, Any]]:
    records = []
    for number, name in enumerate(timed.names):
        own = timed.phase == number
        here = own & (timed.delivered < NEVER)
        latencies = sorted((timed.delivered - timed.ready)[here].tolist())
        record: dict[str, Any] = {"phase": number, "name": name, "messages": int(own.sum())}
        record["flits"] = int(timed.flits[own].sum())
        record["ready"] = int(timed.ready[here].min()) if latencies else None
        record["delivered"] = int(timed.delivered[here].max()) if latencies else None
        record["latency"] = sum(latencies) / len(latencies) if latencies else None
        for percent in _PERCENTS:
            place = -(-percent * len(latencies) // 100) - 1
            record[f"latency_p{percent}"] = float(latencies[place]) if latencies else None
        records.append(record)
    return records


def curve_table(
    curves: Curve | Sequence[Curve], title: str = "Latency against throughput"
) -> Table:
    """Every simulated load of some curves.

    Args:
        curves: one, or several.
        title: of the table.

    Raises:
        InputError: no curves.
    """
    several: Sequence[Any] = curves if isinstance(curves, Sequence) else [curves]
    if not several:
        raise InputError("curves", "must be at least one", curves)
    records = [
        {
            "communication": curve.communication,
            "label": curve.label,
            "routing": curve.routing,
            "order": curve.order,
            "load": point.load,
            "throughput": _finite(point.throughput),
            "throughput_low": _finite(point.throughput_interval[0]),
            "throughput_high": _finite(point.throughput_interval[1]),
            "latency": _finite(point.latency),
            "latency_low": _finite(point.interval[0]),
            "latency_high": _finite(point.interval[1]),
            "waiting": _finite(point.waiting),
            "saturated": point.saturated,
            "settled": point.settled,
        }
        for curve in several
        for point in curve.points
    ]
    shown = ("communication", "label", "routing", "load", "throughput")
    ends = ("latency", "latency_low", "latency_high", "waiting", "saturated", "settled")
    facts = {
        "network": several[0].network.spec,
        "flits": several[0].flits,
        "cycles": several[0].cycles,
        "seed": several[0].seed,
        "tie": several[0].tie,
    }
    notes = [
        "Load and throughput in flits per cycle and sender, latency in cycles.",
        "from, to: 95 % interval of the latency; waiting: messages at their sources on average.",
        "settled: no where the run is too short for the interval to be relied on.",
    ]
    return Table(title, [*shown, *ends], records, facts, notes)


def deadlock_table(verdict: DeadlockVerdict, sent: str = "between all nodes") -> Table:
    """The verdict of the channel dependency graph.

    Args:
        verdict: of `deadlock_free`.
        sent: whose messages were considered, in words.
    """
    says = "free of deadlock" if verdict else "can deadlock" if verdict.certain else "may deadlock"
    facts: list[Fact] = [
        ("routing", verdict.routing),
        ("network", verdict.network.spec),
        (named("messages", "messages"), sent),
    ]
    record = {
        "verdict": says,
        "channels": verdict.channels,
        "dependencies": verdict.dependencies,
        "cycle": verdict.cycle,
    }
    heads = {"cycle": named("cycle", "cycle of channels", form=joined(" -> ", "none"))}
    notes = []
    if not verdict and not verdict.certain:
        notes.append(
            "Where a message has a choice of channels, a cycle is a warning, not a proof of "
            "deadlock."
        )
    if verdict.escape:
        notes.append(
            "The dependencies are those of the escape: from one of its channels to the next that a "
            "message takes, also after adaptive channels. The verdict is valid if buffers contain "
            "flits of one message, that is, with tail credits."
        )
    return keyed_table("Channel dependencies", [record], facts, heads, [_DEPENDENCIES], notes=notes)
