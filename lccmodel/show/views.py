"""How results look: for every view that a class of results names, its table and its picture.

`lccmodel.views.Viewed` finds them here by name, so that a new kind of result is an entry in
`VIEWS`: a function from the result to a `Table`, and one from the result and axes to a drawing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from lccmodel.show import answers
from lccmodel.show.quantities import Column, named
from lccmodel.show.records import Table
from lccmodel.show.style import BLUE, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["VIEWS", "View", "new_axes", "plot_of", "table_of"]


class View(NamedTuple):
    """How one kind of result looks."""

    table: Callable[[Any], Table]
    draw: Callable[[Any, Axes], object]
    size: tuple[float, float] = (6.4, 3.6)


def table_of(view: str, result: Any) -> Table:
    """The table of a result."""
    return VIEWS[view].table(result)


def plot_of(view: str, result: Any, ax: Axes | None) -> Axes:
    """Draw a result on axes, new ones if there are none."""
    axes = new_axes(*VIEWS[view].size) if ax is None else ax
    VIEWS[view].draw(result, axes)
    return axes


def new_axes(width: float, height: float) -> Axes:
    """Axes of a new figure: of pyplot's where that is loaded, so that a notebook shows it."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        figure = pyplot.figure(figsize=(width, height), layout="compressed")
    else:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(width, height), layout="compressed")
    axes: Axes = figure.add_subplot()
    return axes


# -- marks that several views share --------------------------------------------------------


def _bars(axes: Axes, several: Mapping[str, Sequence[Any]], across: str, up: str) -> None:
    """A group of bars for every place, a colour for every name."""
    count = max(1, len(several))
    for k, (name, values) in enumerate(several.items()):
        places = [x + (k - (count - 1) / 2) * 0.8 / count for x in range(len(values))]
        colour = {0: BLUE, 1: VERMILION}.get(k) if count == 2 else BLUE if count == 1 else None
        heights = [float(value) for value in values]
        axes.bar(places, heights, width=0.76 / count, label=name, color=colour)
    axes.set_xticks(range(max((len(values) for values in several.values()), default=0)))
    axes.set(xlabel=across, ylabel=up)
    axes.locator_params(axis="y", integer=True)
    if count > 1:
        axes.legend(frameon=False, fontsize=9)


def _lines(axes: Axes, several: Mapping[str, Sequence[Any]], across: str, up: str) -> None:
    """A line from step to step for every name."""
    for k, (name, values) in enumerate(several.items()):
        marker = "osv^Dx"[k % 6]
        axes.plot(range(len(values)), list(values), marker=marker, markersize=4, label=name)
    axes.set(xlabel=across, ylabel=up)
    axes.locator_params(integer=True)
    axes.legend(frameon=False, fontsize=9)


_BUSIEST = "messages on the busiest channel"


# -- contention and mappings ----------------------------------------------------------------


def _contention_table(found: Any) -> Table:
    records = [{"dimension": k, "load": load} for k, load in enumerate(found.per_dimension)]
    facts = {"method": found.method, "routing": found.routing}
    facts |= {"degree": found.degree, "sum": found.total}
    return Table("Channel contention", ["dimension", "load"], records, facts)


def _contention_plot(found: Any, axes: Axes) -> None:
    _bars(axes, {"T": found.per_dimension}, "dimension or axis", _BUSIEST)
    axes.set_title(f"degree {found.degree}", fontsize=11)


def _set_table(found: Any) -> Table:
    records = [
        {"communication": f"communication {k}"} | answers.contention_record(member)
        for k, member in enumerate(found.members)
    ]
    columns = ("communication", "loads", "degree", "sum")
    return Table("Channel contention", columns, records, {"degree_all": found.degree})


def _set_plot(found: Any, axes: Axes) -> None:
    several = {f"communication {k}": one.per_dimension for k, one in enumerate(found.members)}
    _bars(axes, several, "dimension or axis", _BUSIEST)


def _before_after(axes: Axes, before: Sequence[Any], after: Sequence[Any], title: str) -> None:
    _bars(axes, {"before": before, "after": after}, "dimension, axis or level", _BUSIEST)
    axes.set_title(title, fontsize=11)


def _mapping_plot(found: Any, axes: Axes) -> None:
    title = f"{found.network.spec}, {found.objective} {found.value_before} → {found.value_after}"
    _before_after(axes, found.before.per_dimension, found.after.per_dimension, title)


def _placement_table(found: Any) -> Table:
    records = [
        {
            "phase": phase.name or f"phase {k}",
            "loads_before": old,
            "degree_before": max(old, default=0),
            "loads_after": new,
            "degree_after": max(new, default=0),
        }
        for k, (phase, old, new) in enumerate(
            zip(
                found.program.phases,
                found.before.per_dimension,
                found.after.per_dimension,
                strict=True,
            )
        )
    ]
    facts = [
        ("network", found.network.spec),
        ("objective", found.objective),
        ("value_before", found.before.value),
        ("value_after", found.after.value),
        ("lower_bound", found.lower_bound),
        ("proof", found.proof or None),
        ("order", found.order),
    ]
    columns = ("phase", "loads_before", "degree_before", "loads_after", "degree_after")
    return Table("Placement", columns, records, facts)


def _placement_plot(found: Any, axes: Axes) -> None:
    before, after = (
        [max(loads) for loads in zip(*use.per_dimension, strict=True)]
        for use in (found.before, found.after)
    )
    title = f"{found.network.spec}, {found.objective} {found.before.value} → {found.after.value}"
    _before_after(axes, before, after, title)


def _loads_table(found: Any) -> Table:
    network, counts = found.network, found.counts
    records = []
    for dimension, load in enumerate(found.per_dimension):
        rows = [k for k in range(len(counts)) if network.row_dimension(k) == dimension]
        largest = counts[rows].max() if load else None
        busy = int((counts[rows] == largest).sum()) if load else 0
        records.append({"dimension": dimension, "load": load, "channels": busy})
    columns: list[Column] = ["dimension", named("load", "largest load"), named("channels", "busy")]
    facts = {"network": network.spec, "degree": found.degree}
    notes = ["busy: channels that carry the largest load."]
    return Table("Channel loads", columns, records, facts, notes)


def _loads_plot(found: Any, axes: Axes) -> None:
    from lccmodel.show.drawing import draw_channels

    draw_channels(found, ax=axes)


# -- routing --------------------------------------------------------------------------------


def _comparison_table(found: Any) -> Table:
    from lccmodel.show.routing_tables import counts_table

    return counts_table([found], f"Routing methods on cube:{found.n}")


def _comparison_plot(found: Any, axes: Axes) -> None:
    several = {r.title: r.movement.loads for r in found.values() if r.movement is not None}
    _lines(axes, several, "step", _BUSIEST)


def _routing_table(found: Any) -> Table:
    from lccmodel.show.routing_steps import steps_table

    if found.movement is None:
        return Table(found.title, ["method", "reason"], [[found.method, found.reason]])
    return steps_table(found)


def _movement_table(found: Any) -> Table:
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


def _movement_plot(found: Any, axes: Axes) -> None:
    if found is not None:
        several = {"occupancy": found.occupancies, "load": (0, *found.loads)}
        _lines(axes, several, "step", "messages")


def _certificate_table(found: Any) -> Table:
    records = [{"step": k, "hops": int(hops)} for k, hops in enumerate(found.hops_per_step)]
    facts = {"network": found.movement.network.spec, "ports": str(found.ports.name)}
    facts |= {"length": found.steps, "degree": found.loads.degree}
    columns: list[Column] = ["step", named("hops", "channels in use")]
    return Table("Moved without conflict", columns, records, facts)


def _certificate_plot(found: Any, axes: Axes) -> None:
    _bars(axes, {"channels": found.hops_per_step.tolist()}, "step", "channels in use")


def _deadlock_table(found: Any) -> Table:
    from lccmodel.show.simulation_tables import deadlock_table

    return deadlock_table(found, "all that may be sent")


def _deadlock_plot(found: Any, axes: Axes) -> None:
    """The ring of channels that wait for each other; nothing but words if there is none."""
    ring = [str(channel) for channel in found.cycle]
    axes.set_axis_off()
    axes.set_title(f"{found.routing} on {found.network.spec}", fontsize=11)
    text = "free of deadlock" if found else " → ".join(ring) or "may deadlock"
    axes.text(0.5, 0.5, text, ha="center", va="center", wrap=True, transform=axes.transAxes)


# -- communications -------------------------------------------------------------------------


def _recognition_table(found: Any) -> Table:
    from lccmodel.communication.equations import format_equations

    c = found.communication
    record = {
        "verdict": found.verdict,
        "n": found.n,
        "kind": found.kind,
        "found": found.explanation if c is None else format_equations(c),
        "explanation": found.explanation,
    }
    return Table("Recognition", ["verdict", "n", "kind", "found"], [record])


def _recognition_plot(found: Any, axes: Axes) -> None:
    if found.communication is None:
        axes.set_axis_off()
        axes.set_title(str(found.verdict), fontsize=11)
    else:
        _lcc_plot(found.communication, axes)


def _lcc_table(c: Any) -> Table:
    from lccmodel.communication.equations import format_equations

    equations = format_equations(c).split("\n")
    records = [
        {"equation": text, "row": row, "constant": bit}
        for text, row, bit in zip(equations, c.A, c.b, strict=True)
    ]
    columns: list[Column] = ["equation", named("row", f"row of A (x0 .. x{c.n - 1})"), "constant"]
    facts = {"communication": c.name or None, "n": c.n, "kind": c.kind, "rank": c.rank}
    return Table("Communication", columns, records, facts)


def _lcc_plot(c: Any, axes: Axes) -> None:
    """A as a grid of squares, b beside it."""
    cells = [[*row, bit] for row, bit in zip(c.A.tolist(), list(c.b), strict=True)]
    axes.imshow(cells, cmap="Greys", vmin=0, vmax=1.4, origin="upper")
    axes.axvline(c.n - 0.5, color=VERMILION)
    axes.set_xticks(range(c.n + 1), [*(f"x{j}" for j in range(c.n)), "b"], fontsize=8)
    axes.set_yticks(range(c.n), [f"y{i}" for i in range(c.n)], fontsize=8)
    axes.set_title(c.name or "y = Ax + b", fontsize=11)


def _traffic_table(found: Any) -> Table:
    messages = (found.sources.tolist(), found.destinations.tolist(), found.volumes.tolist())
    records = [
        {"source": source, "destination": destination, "volume": volume}
        for source, destination, volume in zip(*messages, strict=True)
    ]
    columns: list[Column] = [named("source", "from"), "destination", "volume"]
    facts = {"ranks": found.ranks, "messages": len(records), "volume_of_all": found.total}
    return Table("Traffic", columns, records, facts)


def _draw_matrix(found: Any, axes: Axes) -> None:
    """Who sends how much to whom; ranks side by side in one square where there are many."""
    import numpy as np

    side = min(found.ranks, _MOST_SQUARES)
    scale = side / found.ranks
    sums = np.zeros((side, side))
    places = (found.sources * scale).astype(int), (found.destinations * scale).astype(int)
    np.add.at(sums, places, found.volumes.astype(float))
    axes.imshow(np.ma.masked_equal(sums, 0), cmap="viridis_r", extent=(0, found.ranks) * 2)
    axes.invert_yaxis()
    axes.set(xlabel="to rank", ylabel="from rank")


_MOST_SQUARES = 512


def _program_table(found: Any) -> Table:
    records = [
        {
            "phase": phase.name or f"phase {k}",
            "weight": phase.weight,
            "messages": len(phase.traffic),
            "volume": phase.traffic.total,
        }
        for k, phase in enumerate(found.phases)
    ]
    return Table(
        "Program", ["phase", "weight", "messages", "volume"], records, {"ranks": found.ranks}
    )


def _program_plot(found: Any, axes: Axes) -> None:
    _bars(axes, {"volume": [phase.traffic.total for phase in found.phases]}, "phase", "volume")


# -- pipelining -----------------------------------------------------------------------------


def _replay_table(found: Any) -> Table:
    sent = zip(found.messages_per_step.tolist(), found.links_per_step.tolist(), strict=True)
    records = [{"step": k, "messages": m, "links": used} for k, (m, used) in enumerate(sent)]
    facts = {"network": found.task.mesh.spec, "steps": found.steps, "delivered": found.delivered}
    facts |= {"lower_bound": found.task.lower_bound, "max_load": found.max_load}
    return Table("Replay of a schedule", ["step", "messages", "links"], records, facts)


def _replay_plot(found: Any, axes: Axes) -> None:
    used = [float(part) for part in found.utilisation]
    _bars(axes, {"links": used}, "step", "part of all links in use")
    axes.set_title(f"{found.steps} steps, lower bound {found.task.lower_bound}", fontsize=11)


def _machine_table(found: Any) -> Table:
    from lccmodel.show.pipelining_tables import machine_table

    return machine_table(found)


def _machine_plot(found: Any, axes: Axes) -> None:
    largest = max(1.0, 4 * float(found.alpha / found.tau)) if found.tau else 1.0
    sizes = [largest * k / 64 for k in range(65)]
    axes.plot(sizes, [float(found.alpha) + float(found.tau) * size for size in sizes])
    axes.set(xlabel="items in a message", ylabel="time of a message")
    axes.set_ylim(bottom=0)


def _degree_table(found: Any) -> Table:
    from lccmodel.show.pipelining_tables import degree_table

    return degree_table(found)


def _degree_plot(found: Any, axes: Axes) -> None:
    from lccmodel.show.degree_drawing import draw_degrees

    draw_degrees(found.machine, found.N, [found.model], ax=axes)


def _schedule_table(found: Any) -> Table:
    from lccmodel.show.schedule_tables import schedule_table

    return schedule_table(found)


def _schedule_plot(found: Any, axes: Axes) -> None:
    """The messages of every step, dimension by dimension one above the other."""
    import numpy as np

    below = np.zeros(found.length)
    for k, row in zip(found.task.dimensions, found.steps, strict=True):
        counts = np.bincount(row, minlength=found.length)
        axes.bar(range(found.length), counts, bottom=below, label=f"dimension {k}")
        below = below + counts
    axes.set(xlabel="step", ylabel="messages sent")
    axes.locator_params(axis="x", integer=True)
    if found.length:
        axes.legend(frameon=False, fontsize=9)


# -- wormhole -------------------------------------------------------------------------------


def _result_table(found: Any) -> Table:
    from lccmodel.show.simulation_tables import Run, simulation_table

    return simulation_table([Run(found.network.spec, (), found)])


def _result_plot(found: Any, axes: Axes) -> None:
    from lccmodel.show.drawing import draw_loads

    draw_loads(found.channel_loads, ax=axes, title=f"{found.routing} at load {found.load:g}")


def _curve_table(found: Any) -> Table:
    from lccmodel.show.simulation_tables import curve_table

    return curve_table([found])


def _curve_plot(found: Any, axes: Axes) -> None:
    from lccmodel.show.wormhole_drawing import draw_curves

    draw_curves([found], ax=axes)


def _worms_table(found: Any) -> Table:
    from lccmodel.show.worm_drawing import worms_table

    return worms_table(found)


def _worms_plot(found: Any, axes: Axes) -> None:
    from lccmodel.show.worm_drawing import draw_worms

    draw_worms(found, ax=axes)


VIEWS: Mapping[str, View] = MappingProxyType(
    {
        "communication": View(_lcc_table, _lcc_plot, (4.0, 4.0)),
        "traffic": View(_traffic_table, _draw_matrix, (4.6, 4.2)),
        "program": View(_program_table, _program_plot),
        "certificate": View(_certificate_table, _certificate_plot),
        "deadlock": View(_deadlock_table, _deadlock_plot, (5.0, 1.6)),
        "recognition": View(_recognition_table, _recognition_plot, (4.0, 4.0)),
        "contention": View(_contention_table, _contention_plot),
        "contentions": View(_set_table, _set_plot),
        "mapping": View(answers.mapping_table, _mapping_plot),
        "placement": View(_placement_table, _placement_plot),
        "loads": View(_loads_table, _loads_plot, (7.5, 5.5)),
        "comparison": View(_comparison_table, _comparison_plot),
        "routing": View(_routing_table, lambda found, axes: _movement_plot(found.movement, axes)),
        "movement": View(_movement_table, _movement_plot),
        "self-routing": View(
            lambda found: _movement_table(found.movement),
            lambda found, axes: _movement_plot(found.movement, axes),
        ),
        "degree": View(_degree_table, _degree_plot, (7.2, 4.5)),
        "schedule": View(_schedule_table, _schedule_plot),
        "replay": View(_replay_table, _replay_plot),
        "machine": View(_machine_table, _machine_plot),
        "simulation": View(_result_table, _result_plot, (7.5, 4.5)),
        "curve": View(_curve_table, _curve_plot),
        "worms": View(_worms_table, _worms_plot, (8.0, 5.0)),
    }
)
"""Every view by its name."""
