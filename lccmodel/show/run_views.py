"""How movements, schedules, degrees, measured times and simulations look: table and picture."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.show.mapping_views import BUSIEST, bar_look, bars, legend_beside, lines
from lccmodel.show.numbers import with_unit
from lccmodel.show.quantities import named
from lccmodel.show.records import Table, keyed_table
from lccmodel.show.style import BLUE, FAINT, GUIDE, VERMILION, plain_logarithms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lccmodel.calibration.machine_file import MachineFile
    from lccmodel.calibration.measurements import Measurements
    from lccmodel.movement.movement import Movement
    from lccmodel.movement.replay import Certificate
    from lccmodel.permutations.comparison import Comparison
    from lccmodel.permutations.routing_result import RoutedPermutation
    from lccmodel.permutations.self_routing.route import SelfRouting
    from lccmodel.permutations.simd_mesh.plan import MeshPlan
    from lccmodel.pipelining.bounds import ExchangeBounds
    from lccmodel.pipelining.compositions import Composition
    from lccmodel.pipelining.cost.steps import StepTable
    from lccmodel.pipelining.degree import OptimalDegree
    from lccmodel.pipelining.execution import PipelinedRun
    from lccmodel.pipelining.machine import Machine
    from lccmodel.pipelining.replays import Replay
    from lccmodel.pipelining.robustness import DegreeInterval, Sensitivity
    from lccmodel.pipelining.schedules import Schedule
    from lccmodel.routing.dependency import DeadlockVerdict
    from lccmodel.show.exchange_tables import ExchangeRun
    from lccmodel.wormhole.curves import Curve
    from lccmodel.wormhole.simulation import SimulationResult
    from lccmodel.wormhole.timed import TimedMessages
    from lccmodel.wormhole.tracing import Trace


def _part(result: object, name: str) -> Any:
    """The movement or run of a result, or what is one itself."""
    return getattr(result, name, result)


# -- routing --------------------------------------------------------------------------------


def comparison_plot(comparison: Comparison, axes: Axes) -> None:
    """The load of every method from step to step, after 0, 1, ... steps as in `movement_plot`."""
    several = {
        r.title: (0, *r.movement.loads) for r in comparison.values() if r.movement is not None
    }
    lines(axes, several, "steps done", BUSIEST)


def movement_view(result: Movement | SelfRouting) -> Table:
    """What moves in every step of a movement, or of the movement of a result."""
    movement: Movement = _part(result, "movement")
    records = [
        {
            "step": k,
            "moved": movement.moves[k - 1] if k else 0,
            "occupancy": movement.occupancies[k],
            "load": movement.loads[k - 1] if k else 0,
        }
        for k in range(movement.steps + 1)
    ]
    return keyed_table("Movement", records)


def movement_plot(
    result: MeshPlan | Movement | RoutedPermutation | SelfRouting, axes: Axes
) -> None:
    """Occupancy and load from step to step; nothing where there is no movement."""
    movement: Movement | None = _part(result, "movement")
    if movement is not None:
        several = {"occupancy": movement.occupancies, "load": (0, *movement.loads)}
        lines(axes, several, "steps done", "messages")


def certificate_view(certificate: Certificate) -> Table:
    """How many channels every step uses."""
    records = [{"step": k, "hops": int(hops)} for k, hops in enumerate(certificate.hops_per_step)]
    facts: dict[str, Any] = {
        "network": certificate.movement.network.spec,
        "ports": certificate.ports.name,
    }
    facts |= {"length": certificate.steps, "degree": certificate.loads.degree}
    columns = ("step", named("hops", "channels in use"))
    return Table("Moved without conflict", columns, records, facts)


def certificate_plot(certificate: Certificate, axes: Axes) -> None:
    """Channels in use, step by step."""
    bars(axes, {"channels": certificate.hops_per_step.tolist()}, "step", "channels in use")


def deadlock_plot(deadlock_verdict: DeadlockVerdict, axes: Axes) -> None:
    """The ring of channels that wait for each other; else every message's ascent of an order."""
    axes.set_title(f"{deadlock_verdict.routing} on {deadlock_verdict.network.spec}", fontsize=11)
    if deadlock_verdict:
        places = [place for place in deadlock_verdict.order if place >= 0]
        axes.plot(range(len(places)), places, "o", color=BLUE, ms=3)
        axes.set(xlabel="channel", ylabel="place in the order")
        axes.set_title(f"{axes.get_title()}: no deadlock, every message ascends", fontsize=11)
        return
    angles = [
        2 * math.pi * k / len(deadlock_verdict.cycle) for k in range(len(deadlock_verdict.cycle))
    ]
    spots = [(math.sin(angle), math.cos(angle)) for angle in angles]
    arrow = {"arrowstyle": "-|>", "color": VERMILION, "lw": 1.6, "shrinkA": 17, "shrinkB": 17}
    for name, here, there in zip(
        deadlock_verdict.cycle, spots, [*spots[1:], *spots[:1]], strict=True
    ):
        axes.annotate("", there, here, arrowprops=arrow)
        axes.text(*here, str(name), ha="center", va="center", fontsize=9)
    verdict = "deadlock" if deadlock_verdict.certain else "may deadlock"
    axes.set_title(f"{axes.get_title()}: {verdict}, each waits for the next", fontsize=11)
    axes.set(xlim=(-1.35, 1.35), ylim=(-1.25, 1.25))
    axes.set_axis_off()


# -- pipelining -----------------------------------------------------------------------------


def replay_view(replay: Replay) -> Table:
    """Messages and links of every step of a schedule."""
    sent = zip(replay.messages_per_step.tolist(), replay.links_per_step.tolist(), strict=True)
    records = [{"step": k, "messages": m, "links": used} for k, (m, used) in enumerate(sent)]
    facts = {"network": replay.task.mesh.spec, "steps": replay.steps, "delivered": replay.delivered}
    facts |= {"lower_bound": replay.task.lower_bound, "max_load": replay.max_load}
    return Table("Replay of a schedule", ["step", "messages", "links"], records, facts)


def replay_plot(replay: Replay, axes: Axes) -> None:
    """The part of all links that every step uses."""
    used = [float(part) for part in replay.utilisation]
    bars(axes, {"links": used}, "step", "part of all links in use")
    axes.set_title(f"{replay.steps} steps, lower bound {replay.task.lower_bound}", fontsize=11)


def machine_plot(machine: Machine, axes: Axes) -> None:
    """The time of a message by its size, through every piece of the cost."""
    ends = [float(piece.up_to) for piece in machine.cost.pieces if piece.up_to is not None]
    last = machine.cost.pieces[-1]
    turn = 4 * float(abs(last.alpha) / last.tau) if last.tau else 1.0
    sizes = sorted(
        {*(max(1.0, turn, 2 * max(ends, default=0)) * k / 256 for k in range(257)), *ends}
    )
    axes.plot(sizes, [float(machine.cost.time(size)) for size in map(Fraction, sizes)], color=BLUE)
    axes.set(xlabel="items in a message", ylabel="time of a message")
    axes.set_ylim(bottom=0)


def degree_plot(best: OptimalDegree, axes: Axes) -> None:
    """T(Q) of the model, with the best Q."""
    from lccmodel.show.degree_drawing import draw_degrees

    draw_degrees(best.machine, best.N, [best.model], ax=axes)


def schedule_plot(schedule: Schedule, axes: Axes) -> None:
    """The messages of every step, dimension by dimension one above the other."""
    below = np.zeros(schedule.length)
    for k, row in zip(schedule.task.dimensions, schedule.steps, strict=True):
        counts = np.bincount(row, minlength=schedule.length)
        axes.bar(
            range(schedule.length), counts, bottom=below, label=f"dimension {k}", **bar_look(k)
        )
        below = below + counts
    axes.set(xlabel="step", ylabel="messages sent")
    axes.locator_params(integer=True)
    if schedule.length:
        legend_beside(axes)


def sensitivity_view(sensitivity: Sensitivity) -> Table:
    """The range of every quantity in which the degree stays the best."""
    from lccmodel.show.pipelining_tables import sensitivity_table

    return sensitivity_table(sensitivity.machine, sensitivity.items, sensitivity.model)


def sensitivity_plot(sensitivity: Sensitivity, axes: Axes) -> None:
    """The ranges on one logarithmic axis; an arrow where one goes on to 0 or for ever."""
    ranges: dict[str, tuple[Any, Any]] = {
        "α": sensitivity.alpha,
        "τ": sensitivity.tau,
        "b": sensitivity.barrier,
        "N": sensitivity.N,
    }
    ends = [float(end) for pair in ranges.values() for end in pair if 0 < end < math.inf]
    least, most = min(ends, default=0.1) / 10, max(ends, default=10.0) * 10
    for height, (low, high) in enumerate(ranges.values()):
        left, right = max(float(low), least), min(float(high), most)
        axes.plot([left, right], [height, height], lw=6, color=BLUE, solid_capstyle="butt")
        if high == math.inf:
            axes.plot([right], [height], ">", color=BLUE, ms=10)
        if low == 0:
            axes.plot([left], [height], "<", color=BLUE, ms=10)
            axes.annotate(
                "0", (left, height), (-9, 0), textcoords="offset points", ha="right", va="center"
            )
    axes.set_yticks(range(len(ranges)), list(ranges))
    axes.set(
        xscale="log", xlabel=f"values for which Q = {sensitivity.Q} is the best", ylim=(-0.6, 3.6)
    )
    plain_logarithms(axes.xaxis)


def interval_view(interval: DegreeInterval) -> Table:
    """The ends of the best degree and of its gain."""
    ends = zip(("least", "most"), interval.Q, interval.gain, strict=True)
    records = [{"end": end, "Q": Q, "gain": gain} for end, Q, gain in ends]
    return keyed_table(
        "Best degree over costs",
        records,
        {"share": interval.share, "costs": interval.costs},
    )


def interval_plot(interval: DegreeInterval, axes: Axes) -> None:
    """Two bars from end to end, each on an axis of its own: the degree, and what it gains."""
    gain = [float(end) for end in interval.gain]
    axes.plot(interval.Q, [1, 1], "|-", color=BLUE, ms=16, lw=6, solid_capstyle="butt")
    axes.set(xlabel="best degree Q", xlim=_around(*interval.Q), ylim=(-0.6, 1.6))
    axes.locator_params(axis="x", integer=True)
    above = axes.twiny()
    above.plot(gain, [0, 0], "|-", color=VERMILION, ms=16, lw=6, solid_capstyle="butt")
    above.set(xlabel="gain T(1) / T(Q)", xlim=_around(*gain))
    for scale, colour in ((axes, BLUE), (above, VERMILION)):
        scale.tick_params(axis="x", colors=colour)
        scale.xaxis.label.set_color(colour)
    axes.set_yticks([0, 1], ["gain", "Q"])


def _around(low: float, high: float) -> tuple[float, float]:
    """Room on both sides of a stretch, which may be a point."""
    room = max(0.25 * (high - low), 0.02 * abs(high), 0.5 if isinstance(low, int) else 0.02)
    return low - room, high + room


def steps_of_degrees_view(steps: StepTable) -> Table:
    """P(d,Q) up to the first deep degrees."""
    records = [{"Q": Q, "steps": steps.total(Q)} for Q in range(1, steps.d + 3)]
    return keyed_table(f"Steps of d = {steps.d}: {steps.A} + {steps.B} Q from Q = d on", records)


def steps_of_degrees_plot(steps: StepTable, axes: Axes) -> None:
    """The same as a line."""
    degrees = range(1, 2 * steps.d + 2)
    axes.plot(degrees, [steps.total(Q) for Q in degrees], "o-", color=BLUE, ms=4)
    axes.axvline(steps.d, color=GUIDE, lw=0.8)
    beside: dict[str, Any] = {"xytext": (4, 4), "textcoords": "offset points", "fontsize": 8}
    axes.annotate(f"Q = d = {steps.d}", (steps.d, 0), **beside)
    axes.set(xlabel="packets Q", ylabel="steps", ylim=(0, None))


_BOUNDS = ("startups", "ports", "bisection", "lockstep")


def bounds_view(bounds: ExchangeBounds) -> Table:
    """Every lower bound of the time of a complete exchange."""
    records = [{"bound": name, "time": getattr(bounds, name)} for name in _BOUNDS]
    return keyed_table("Lower bounds", records, {"rounds": bounds.rounds})


def bounds_plot(bounds: ExchangeBounds, axes: Axes) -> None:
    """The same as bars."""
    axes.barh(_BOUNDS, [float(getattr(bounds, name)) for name in _BOUNDS], color=BLUE)
    axes.set(xlabel="time, at least")


def composition_view(composition: Composition) -> Table:
    """The parts of a schedule, or itself."""
    records = [
        {"part": k, "rule": part.rule, "steps": part.length}
        for k, part in enumerate(composition.parts or (composition,))
    ]
    return keyed_table(
        "How a schedule is made",
        records,
        {"length": composition.length, "words": composition.words()},
    )


def composition_plot(composition: Composition, axes: Axes) -> None:
    """The parts one after the other."""
    start = 0
    for k, part in enumerate(composition.parts or (composition,)):
        look: dict[str, Any] = {"edgecolor": "white", **bar_look(k)}
        axes.barh([0], [part.length], left=start, label=f"{k}: {part.rule}", **look)
        start += part.length
    axes.set(xlabel="step", yticks=[], ylim=(-0.7, 0.7))
    legend_beside(axes)


def run_view(pipelined_run: PipelinedRun) -> Table:
    """How far ahead every iteration reads, and the limit i - k - 1 of a pipelined algorithm."""
    records = [
        {"i": i, "through": k, "reach": reach, "allowed": i - k - 1}
        for (i, k), reach in sorted(pipelined_run.reach.items())
    ] or [{"i": 0, "through": 0, "reach": 0, "allowed": 0}]
    return keyed_table(
        "Reads of a pipelined run",
        records,
        {"Q": pipelined_run.plan.Q, "violations": len(pipelined_run.violations)},
    )


def run_plot(result: ExchangeRun | PipelinedRun, axes: Axes) -> None:
    """Packets in every iteration of the plan, of a run or of the exchange that made it."""
    run: PipelinedRun = _part(result, "run")
    counts = [iteration.task[1] for iteration in run.plan.iterations]
    bars(axes, {"packets": counts}, "iteration", "packets that a process exchanges")


# -- machines and measurements ----------------------------------------------------------------


def measurements_view(measurements: Measurements) -> Table:
    """The median of every size."""
    records = [
        {"bytes": int(size), "time": float(time)}
        for size, time in zip(measurements.distinct, measurements.medians, strict=True)
    ]
    return keyed_table("Medians of what was measured", records, {"kind": measurements.kind})


def measurements_plot(measurements: Measurements, axes: Axes) -> None:
    """Every time, and the medians."""
    axes.plot(measurements.sizes, measurements.times, ".", color=GUIDE, ms=4, label="measured")
    axes.plot(
        measurements.distinct, measurements.medians, "o", color=BLUE, ms=4, label="median of a size"
    )
    axes.set(xscale="log", yscale="log", xlabel="bytes", ylabel="time of a message (µs)")
    plain_logarithms(axes.xaxis, axes.yaxis)
    axes.legend(frameon=False, fontsize=9)


def machine_file_view(machine: MachineFile) -> Table:
    """The time of messages of some sizes."""
    records = [{"bytes": 1 << k, "time": float(machine.cost.time(1 << k))} for k in range(0, 21, 2)]
    return keyed_table(
        "Cost of a message", records, {"name": machine.name or None, "unit": machine.unit}
    )


def machine_file_plot(machine: MachineFile, axes: Axes) -> None:
    """The same as a line, with what the measurements allow as well."""
    sizes = [1 << k for k in range(21)]
    for other in machine.others[:50]:
        axes.plot(sizes, [float(other.time(size)) for size in sizes], color=FAINT, lw=0.8)
    axes.plot(sizes, [float(machine.cost.time(size)) for size in sizes], color=BLUE)
    time = with_unit("time", machine.unit)
    axes.set(xscale="log", yscale="log", xlabel="bytes", ylabel=time)
    plain_logarithms(axes.xaxis, axes.yaxis)


# -- wormhole -------------------------------------------------------------------------------


def result_view(result: SimulationResult) -> Table:
    """One simulated load."""
    from lccmodel.show.simulation_tables import SimulatedLoad, simulation_table

    return simulation_table([SimulatedLoad(result.communication, (), result)])


def result_plot(result: SimulationResult, axes: Axes) -> None:
    """What every channel carried."""
    from lccmodel.show.drawing import draw_loads

    draw_loads(
        result.channel_loads,
        ax=axes,
        title=f"{result.routing} at load {result.load:g}",
    )


def curve_plot(curve: Curve, axes: Axes) -> None:
    """Latency against throughput."""
    from lccmodel.show.wormhole_drawing import draw_curves

    draw_curves([curve], ax=axes)


def timed_plot(timed: TimedMessages, axes: Axes) -> None:
    """From the first to the last cycle of every phase."""
    rows: list[dict[str, Any]] = timed.records()
    for row in rows:
        if row["delivered"] is not None:
            axes.barh(row["phase"], row["delivered"] - row["ready"], left=row["ready"], color=BLUE)
    phases = [row["phase"] for row in rows]
    axes.set_yticks(phases, [str(phase) for phase in phases])
    axes.invert_yaxis()
    axes.set(xlabel="cycle", ylabel="phase", xlim=(0, None))


def worms_plot(trace: Trace, axes: Axes) -> None:
    """Channels upwards, cycles to the right."""
    from lccmodel.show.worm_drawing import draw_worms

    draw_worms(trace, ax=axes)
