"""How movements, schedules and simulations look: a table and a picture of each."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.show.mapping_views import BUSIEST, bars, legend_beside, lines
from lccmodel.show.quantities import Column, named
from lccmodel.show.records import Table
from lccmodel.show.style import BLUE, CYCLE, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# -- routing --------------------------------------------------------------------------------


def comparison_plot(found: Any, axes: Axes) -> None:
    """The load of every method from step to step."""
    several = {r.title: r.movement.loads for r in found.values() if r.movement is not None}
    lines(axes, several, "step", BUSIEST)


def movement_view(found: Any) -> Table:
    """What moves in every step of a movement, or of the movement of a result."""
    found = getattr(found, "movement", found)
    records = [
        {
            "step": k,
            "moved": found.moves[k - 1] if k else 0,
            "occupancy": found.occupancies[k],
            "load": found.loads[k - 1] if k else 0,
        }
        for k in range(found.steps + 1)
    ]
    return Table("Movement", ["step", "moved", "occupancy", "load"], records)


def movement_plot(found: Any, axes: Axes) -> None:
    """Occupancy and load from step to step; nothing where there is no movement."""
    found = getattr(found, "movement", found)
    if found is not None:
        several = {"occupancy": found.occupancies, "load": (0, *found.loads)}
        lines(axes, several, "step", "messages")


def certificate_view(found: Any) -> Table:
    """How many channels every step uses."""
    records = [{"step": k, "hops": int(hops)} for k, hops in enumerate(found.hops_per_step)]
    facts = {"network": found.movement.network.spec, "ports": str(found.ports.name)}
    facts |= {"length": found.steps, "degree": found.loads.degree}
    columns: list[Column] = ["step", named("hops", "channels in use")]
    return Table("Moved without conflict", columns, records, facts)


def certificate_plot(found: Any, axes: Axes) -> None:
    """Channels in use, step by step."""
    bars(axes, {"channels": found.hops_per_step.tolist()}, "step", "channels in use")


def deadlock_plot(found: Any, axes: Axes) -> None:
    """The ring of channels that wait for each other; else every message's ascent of an order."""
    axes.set_title(f"{found.routing} on {found.network.spec}", fontsize=11)
    if found:
        places = [place for place in found.order if place >= 0]
        axes.plot(range(len(places)), places, "o", color=BLUE, ms=3)
        axes.set(xlabel="channel", ylabel="place in the order")
        axes.set_title(f"{axes.get_title()}: no deadlock, every message ascends", fontsize=11)
        return
    angles = [2 * math.pi * k / len(found.cycle) for k in range(len(found.cycle))]
    spots = [(math.sin(angle), math.cos(angle)) for angle in angles]
    arrow = {"arrowstyle": "-|>", "color": VERMILION, "lw": 1.6, "shrinkA": 17, "shrinkB": 17}
    for name, here, there in zip(found.cycle, spots, [*spots[1:], *spots[:1]], strict=True):
        axes.annotate("", there, here, arrowprops=arrow)
        axes.text(*here, str(name), ha="center", va="center", fontsize=9)
    verdict = "deadlock" if found.certain else "may deadlock"
    axes.set_title(f"{axes.get_title()}: {verdict}, each waits for the next", fontsize=11)
    axes.set(xlim=(-1.35, 1.35), ylim=(-1.25, 1.25))
    axes.set_axis_off()


# -- pipelining -----------------------------------------------------------------------------


def replay_view(found: Any) -> Table:
    """Messages and links of every step of a schedule."""
    sent = zip(found.messages_per_step.tolist(), found.links_per_step.tolist(), strict=True)
    records = [{"step": k, "messages": m, "links": used} for k, (m, used) in enumerate(sent)]
    facts = {"network": found.task.mesh.spec, "steps": found.steps, "delivered": found.delivered}
    facts |= {"lower_bound": found.task.lower_bound, "max_load": found.max_load}
    return Table("Replay of a schedule", ["step", "messages", "links"], records, facts)


def replay_plot(found: Any, axes: Axes) -> None:
    """The part of all links that every step uses."""
    used = [float(part) for part in found.utilisation]
    bars(axes, {"links": used}, "step", "part of all links in use")
    axes.set_title(f"{found.steps} steps, lower bound {found.task.lower_bound}", fontsize=11)


def machine_plot(found: Any, axes: Axes) -> None:
    """The time of a message by its size, through every piece of the cost."""
    ends = [float(piece.up_to) for piece in found.cost.pieces if piece.up_to is not None]
    last = found.cost.pieces[-1]
    turn = 4 * float(abs(last.alpha) / last.tau) if last.tau else 1.0
    sizes = sorted(
        {*(max(1.0, turn, 2 * max(ends, default=0)) * k / 256 for k in range(257)), *ends}
    )
    axes.plot(sizes, [float(found.cost.time(size)) for size in map(Fraction, sizes)], color=BLUE)
    axes.set(xlabel="items in a message", ylabel="time of a message")
    axes.set_ylim(bottom=0)


def degree_plot(found: Any, axes: Axes) -> None:
    """T(Q) of the model, with the best Q."""
    from lccmodel.show.degree_drawing import draw_degrees

    draw_degrees(found.machine, found.N, [found.model], ax=axes)


def schedule_plot(found: Any, axes: Axes) -> None:
    """The messages of every step, dimension by dimension one above the other."""
    below = np.zeros(found.length)
    for k, row in zip(found.task.dimensions, found.steps, strict=True):
        counts = np.bincount(row, minlength=found.length)
        colour = CYCLE[k % len(CYCLE)]
        axes.bar(range(found.length), counts, bottom=below, label=f"dimension {k}", color=colour)
        below = below + counts
    axes.set(xlabel="step", ylabel="messages sent")
    axes.locator_params(integer=True)
    if found.length:
        legend_beside(axes)


# -- wormhole -------------------------------------------------------------------------------


def result_view(found: Any) -> Table:
    """One simulated load."""
    from lccmodel.show.simulation_tables import SimulatedLoad, simulation_table

    return simulation_table([SimulatedLoad(found.communication, (), found)])


def result_plot(found: Any, axes: Axes) -> None:
    """What every channel carried."""
    from lccmodel.show.drawing import draw_loads

    draw_loads(found.channel_loads, ax=axes, title=f"{found.routing} at load {found.load:g}")


def curve_plot(found: Any, axes: Axes) -> None:
    """Latency against throughput."""
    from lccmodel.show.wormhole_drawing import draw_curves

    draw_curves([found], ax=axes)


def timed_plot(found: Any, axes: Axes) -> None:
    """From the first to the last cycle of every phase."""
    rows: list[dict[str, Any]] = found.records()
    for row in rows:
        if row["delivered"] is not None:
            axes.barh(row["phase"], row["delivered"] - row["ready"], left=row["ready"], color=BLUE)
    phases = [row["phase"] for row in rows]
    axes.set_yticks(phases, [str(phase) for phase in phases])
    axes.invert_yaxis()
    axes.set(xlabel="cycle", ylabel="phase", xlim=(0, None))


def worms_plot(found: Any, axes: Axes) -> None:
    """Channels upwards, cycles to the right."""
    from lccmodel.show.worm_drawing import draw_worms

    draw_worms(found, ax=axes)
