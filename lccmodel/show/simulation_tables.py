"""Simulated loads, curves, and what a routing function can do to messages, as tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lccmodel.errors import InputError
from lccmodel.show import columns as col
from lccmodel.show.tables import Cell, Column, Table, grouped

if TYPE_CHECKING:
    from lccmodel.routing import DeadlockVerdict
    from lccmodel.wormhole.curves import Curve
    from lccmodel.wormhole.simulation import Result
    from lccmodel.wormhole.statistics import Interval

__all__ = ["Run", "curve_table", "deadlock_table", "simulation_table", "state_of"]


class Run(NamedTuple):
    """A simulated load of a communication; `order` is that of its mapping, () without one."""

    communication: str
    order: tuple[int, ...]
    result: Result


def state_of(result: Result) -> str:
    """What became of a load: "sustained", "saturated", or "deadlocked" and the ring.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.wormhole import simulate
    >>> state_of(simulate(bit_reverse(4), Hypercube(4), load=0.9, cycles=4000))
    'saturated'
    """
    if result.deadlock:
        return f"deadlocked: {' -> '.join(result.deadlock)}"
    return "saturated" if result.saturated else "sustained"


_UNITS = (
    "load, throughput: flits per cycle and sending processor, generated and delivered; latency: "
    "cycles from generation to delivery. ± is half of a 95 % confidence interval."
)
_DEPENDENCIES = (
    "A channel depends on another when a message may hold the first and ask for the second. "
    "Without a cycle no messages can wait for each other in a ring."
)


def _ring(cell: Cell) -> str:
    return " -> ".join(map(str, cell)) if isinstance(cell, tuple) and cell else "none"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _half_width(interval: Interval) -> float | None:
    return _finite((interval.high - interval.low) / 2)


def _decimals(places: int) -> Any:
    def text(cell: Cell) -> str:
        return "–" if cell is None else f"{cell:.{places}f}"

    return text


def _either_side(places: int) -> Any:
    def text(cell: Cell) -> str:
        return "" if cell is None else f"± {cell:.{places}f}"

    return text


_LOAD = Column("load", "load", right=True)
_LABEL = Column("label", "curve")
_ROUTING = Column("routing", "routing")
_SATURATED = Column("saturated", "saturated")

_COLUMNS = (
    col.COMMUNICATION,
    _LOAD,
    Column("offered", "offered", right=True, text=_decimals(4), audience="data"),
    Column("throughput", "throughput", right=True, text=_decimals(4)),
    Column("throughput_half_width", "", right=True, text=_either_side(4)),
    Column("latency", "latency", right=True, text=_decimals(1)),
    Column("latency_half_width", "", right=True, text=_either_side(1)),
    Column("waiting", "waiting", right=True, text=_decimals(1)),
    Column("messages", "messages", right=True, text=grouped),
    Column("state", "state"),
)


def simulation_table(runs: Sequence[Run]) -> Table:
    """A row for every load: throughput, latency, and whether it is sustained.

    Args:
        runs: at least one; all with one network, routing function and set of options.
    """
    first = runs[0].result
    orders = {run.communication: run.order for run in runs if run.order}
    mapped = len(set(orders.values())) == 1
    columns = _COLUMNS if mapped or not orders else (*_COLUMNS[:1], col.ORDER, *_COLUMNS[1:])
    rows = [_row(run, col.ORDER in columns) for run in runs]
    facts: list[tuple[Column, Any]] = [
        (col.NETWORK, first.network.spec),
        (_ROUTING, first.routing),
        (Column("flits", "flits in a message", audience="all"), first.flits),
        (Column("cycles", "cycles"), first.cycles),
        (Column("warm_up", "not measured at the start"), first.warm_up),
        (Column("seed", "seed"), first.seed),
        (Column("tie", "who goes first of headers that arrive together"), first.tie),
    ]
    if mapped:
        facts.append((col.ORDER, next(iter(orders.values()))))
    notes = [_UNITS, "waiting: messages at their sources, on average."]
    if any(run.result.saturated for run in runs):
        notes.append("saturated: more and more messages wait; the latency has no limit.")
    if any(run.result.deadlock for run in runs):
        notes.append(
            "deadlocked: every channel of the ring is held by a message that waits for the next."
        )
    return Table("Simulated loads", columns, rows, facts, notes)


def _row(run: Run, with_order: bool) -> tuple[Any, ...]:
    result = run.result
    return (
        run.communication,
        *((run.order,) if with_order else ()),
        result.load,
        _finite(result.offered),
        _finite(result.throughput),
        _half_width(result.throughput_interval),
        _finite(result.latency),
        _half_width(result.interval),
        _finite(result.waiting),
        result.generated,
        state_of(result),
    )


def curve_table(curves: Sequence[Curve], title: str = "Latency against throughput") -> Table:
    """Every simulated load of some curves.

    Args:
        curves: at least one.
        title: of the table.

    Raises:
        InputError: no curves.
    """
    if not curves:
        raise InputError("curves", "must be at least one", curves)
    rows = []
    for one in curves:
        for point in one.points:
            spread = [*point.throughput_interval, point.latency, *point.interval, point.waiting]
            rows.append(
                [
                    one.communication,
                    one.label,
                    one.routing,
                    one.order,
                    point.load,
                    _finite(point.throughput),
                    *map(_finite, spread),
                    point.saturated,
                ]
            )
    measured = [
        Column("throughput", "throughput", right=True, text=_decimals(4)),
        Column("throughput_low", "throughput low", right=True, audience="data"),
        Column("throughput_high", "throughput high", right=True, audience="data"),
        Column("latency", "latency", right=True, text=_decimals(1)),
        Column("latency_low", "from", right=True, text=_decimals(1)),
        Column("latency_high", "to", right=True, text=_decimals(1)),
        Column("waiting", "waiting", right=True, text=_decimals(1)),
    ]
    order = Column("order", col.ORDER.heading, audience="data")
    facts: list[tuple[Column, Any]] = [
        (col.NETWORK, curves[0].network.spec),
        (Column("flits", "flits"), curves[0].flits),
        (Column("cycles", "cycles"), curves[0].cycles),
        (Column("seed", "seed"), curves[0].seed),
        (Column("tie", "tie rule"), curves[0].tie),
    ]
    notes = [
        "Load and throughput in flits per cycle and sender, latency in cycles.",
        "from, to: 95 % interval of the latency; waiting: messages at their sources on average.",
    ]
    columns = [col.COMMUNICATION, _LABEL, _ROUTING, order, _LOAD, *measured, _SATURATED]
    return Table(title, columns, rows, facts, notes)


def deadlock_table(verdict: DeadlockVerdict, sent: str) -> Table:
    """The verdict of the channel dependency graph.

    Args:
        verdict: of `deadlock_free`.
        sent: whose messages were considered, in words.
    """
    says = "free of deadlock" if verdict else "can deadlock" if verdict.certain else "may deadlock"
    facts: list[tuple[Column, Any]] = [
        (_ROUTING, verdict.routing),
        (col.NETWORK, verdict.network.spec),
        (Column("messages", "messages"), sent),
    ]
    columns = [
        Column("verdict", "verdict"),
        Column("channels", "channels", right=True, text=grouped),
        Column("dependencies", "dependencies", right=True, text=grouped),
        Column("cycle", "cycle of channels", text=_ring),
    ]
    row = (says, verdict.channels, verdict.dependencies, verdict.cycle)
    notes = [_DEPENDENCIES]
    if not verdict and not verdict.certain:
        notes.append(
            "Where a message has a choice of channels, a cycle is a warning, not a proof of "
            "deadlock."
        )
    return Table("Channel dependencies", columns, [row], facts, notes)
