"""How communications, contention and mappings look: a table and a picture of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.show import answers
from lccmodel.show.marks import LoadScale, colours, figure_of
from lccmodel.show.quantities import Column, Fact, Quantity, named
from lccmodel.show.records import Table
from lccmodel.show.style import CYCLE, VERMILION, node_ticks
from lccmodel.show.traffic_notes import name_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# -- marks that several views share --------------------------------------------------------


def bars(axes: Axes, several: Mapping[str, Sequence[Any]], across: str, up: str) -> None:
    """A group of bars for every place, a colour for every name."""
    count = max(1, len(several))
    for k, (name, values) in enumerate(several.items()):
        places = [x + (k - (count - 1) / 2) * 0.8 / count for x in range(len(values))]
        heights = [float(value) for value in values]
        colour = CYCLE[k % len(CYCLE)]
        axes.bar(places, heights, width=0.76 / count, label=name, color=colour)
    axes.set_xticks(node_ticks(max((len(values) for values in several.values()), default=0)))
    axes.set(xlabel=across, ylabel=up)
    axes.locator_params(axis="y", integer=True)
    if count > 1:
        legend_beside(axes)


def legend_beside(axes: Axes) -> None:
    """The names of what is drawn, beside it, so that they cover nothing."""
    where: Any = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
    axes.legend(frameon=False, fontsize=9, handlelength=1.4, **where)


def lines(axes: Axes, several: Mapping[str, Sequence[Any]], across: str, up: str) -> None:
    """A line from step to step for every name; those that meet lie on each other, thin on wide."""
    for k, (name, values) in enumerate(several.items()):
        wider = 1.1 * (len(several) - 1 - k)
        look: dict[str, Any] = {
            "color": CYCLE[k % len(CYCLE)],
            "linewidth": 1.4 + wider,
            "label": name,
        }
        axes.plot(range(len(values)), list(values), marker="o", markersize=4 + wider, **look)
    axes.set(xlabel=across, ylabel=up)
    axes.locator_params(integer=True, min_n_ticks=1)
    legend_beside(axes)


_PART = "dimension, axis or level"
BUSIEST = "messages on the busiest channel"


# -- contention and mappings ----------------------------------------------------------------


def contention_plot(found: Any, axes: Axes) -> None:
    """The busiest channel of every dimension; bars side by side for several phases."""
    phases = zip(found.problem.program, answers.members_of(found), strict=True)
    several = {name_of(phase, k): one.per_dimension for k, (phase, one) in enumerate(phases)}
    bars(axes, several if len(several) > 1 else {"T": found.per_dimension}, _PART, BUSIEST)
    if len(several) == 1:
        axes.set_title(f"{found.problem.network.spec}, degree {found.degree}", fontsize=11)


def placement_plot(found: Any, axes: Axes) -> None:
    """The busiest channel of every dimension, before and after."""
    several = {"before": found.before.per_dimension, "after": found.after.per_dimension}
    bars(axes, several, _PART, BUSIEST)
    title = f"{found.network.spec}, {found.objective} {found.before.value} → {found.after.value}"
    axes.set_title(title, fontsize=11)


def loads_view(found: Any) -> Table:
    """The largest load of every dimension, and on how many channels."""
    network, counts = found.network, found.counts
    records = []
    for dimension, load in enumerate(found.per_dimension):
        rows = [k for k in range(len(counts)) if network.row_dimension(k) == dimension]
        largest = counts[rows].max() if load else None
        busy = int((counts[rows] == largest).sum()) if load else 0
        records.append({"dimension": dimension, "load": load, "channels": busy})
    columns: list[Column] = ["dimension", named("load", "largest load"), named("channels", "busy")]
    used = f"{int((counts > 0).sum())} of {network.n_channels}"
    facts: list[Fact] = [
        ("network", network.spec),
        ("degree", found.degree),
        (Quantity("used", "channels used"), used),
    ]
    notes = ["busy: channels that carry the largest load."]
    return Table("Channel loads", columns, records, facts, notes)


def loads_plot(found: Any, axes: Axes) -> None:
    """What every channel carries, node by node where that can be read."""
    from lccmodel.show.drawing import draw_channels

    draw_channels(found, ax=axes, counted="load")


# -- communications -------------------------------------------------------------------------


def recognition_plot(found: Any, axes: Axes) -> None:
    """A and b where they are determined, else the verdict."""
    if found.communication is None:
        axes.set_axis_off()
        axes.set_title(str(found.verdict), fontsize=11)
    else:
        lcc_plot(found.communication, axes)


def lcc_view(c: Any) -> Table:
    """The equations y = Ax + b, row by row."""
    from lccmodel.communication.equations import format_equations

    equations = format_equations(c).split("\n")
    records = [
        {"equation": text, "row": row, "constant": bit}
        for text, row, bit in zip(equations, c.A, c.b, strict=True)
    ]
    columns: list[Column] = ["equation", named("row", f"row of A (x0 .. x{c.n - 1})"), "constant"]
    facts = {"communication": c.name or None, "n": c.n, "kind": c.kind, "rank": c.rank}
    return Table("Communication", columns, records, facts)


def lcc_plot(c: Any, axes: Axes) -> None:
    """A as a grid of squares, b beside it."""
    cells = [[*row, bit] for row, bit in zip(c.A.tolist(), list(c.b), strict=True)]
    axes.imshow(cells, cmap="Greys", vmin=0, vmax=1.4, origin="upper")
    axes.axvline(c.n - 0.5, color=VERMILION)
    axes.set_xticks(range(c.n + 1), [*(f"x{j}" for j in range(c.n)), "b"], fontsize=8)
    axes.set_yticks(range(c.n), [f"y{i}" for i in range(c.n)], fontsize=8)
    axes.set_title(c.name or "y = Ax + b", fontsize=11)


def lattice_view(found: Any) -> Table:
    """The steps of a correction lattice in natural order."""
    records = [
        {"corrected": list(step.corrected), "bit": step.bit}
        | {"occupancy": step.occupancy, "load": step.load}
        for step in found.walk(found.external)
    ]
    columns: list[Column] = [
        Quantity("corrected", "bits corrected before"),
        Quantity("bit", "bit corrected now"),
        "occupancy",
        "load",
    ]
    facts = {"communication": found.communication.name or None, "n": found.communication.n}
    return Table("Correction in natural order", columns, records, facts)


def lattice_plot(found: Any, axes: Axes) -> None:
    """The whole lattice, or where it is too large, the loads of natural order."""
    from lccmodel.show.lattice_drawing import MAX_DRAWN_BITS, draw_lattice

    if len(found.external) <= MAX_DRAWN_BITS:
        draw_lattice(found, found.external, ax=axes)
    else:
        bars(axes, {"load": found.loads(found.external)}, "step", BUSIEST)


def traffic_view(found: Any) -> Table:
    """Every message: from whom, to whom, how much."""
    messages = (found.sources.tolist(), found.destinations.tolist(), found.volumes.tolist())
    records = [
        {"source": source, "destination": destination, "volume": volume}
        for source, destination, volume in zip(*messages, strict=True)
    ]
    columns: list[Column] = [named("source", "from"), "destination", "volume"]
    facts = {"ranks": found.ranks, "messages": len(records), "volume_of_all": found.total}
    return Table("Traffic", columns, records, facts)


def draw_matrix(found: Any, axes: Axes) -> None:
    """Who sends how much to whom; ranks side by side in one square where there are many."""
    side = min(found.ranks, _MOST_SQUARES)
    scale = side / found.ranks
    sums = np.zeros((side, side))
    places = (found.sources * scale).astype(int), (found.destinations * scale).astype(int)
    np.add.at(sums, places, found.volumes.astype(float))
    last = found.ranks - 0.5
    extent = (-0.5, last, last, -0.5)  # rank 0 at the top left, ticks on the ranks
    image = axes.imshow(
        np.ma.masked_equal(sums, 0), cmap=colours(), norm=_volumes_of(sums), extent=extent
    )
    ticks = node_ticks(found.ranks)
    axes.set(xlabel="to rank", ylabel="from rank", xticks=ticks, yticks=ticks)
    if np.unique(sums[sums > 0]).size > 1:
        square = "volume" if side == found.ranks else f"volume of {found.ranks / side:g} ranks"
        figure_of(axes).colorbar(image, ax=axes, label=square, pad=0.02)


def _volumes_of(sums: Any) -> Any:
    sent = sums[sums > 0]
    return LoadScale(sent.min(initial=np.inf), sent.max()).norm() if sent.size else None


_MOST_SQUARES = 512


def program_view(found: Any) -> Table:
    """Every phase: how often, how many messages, how much."""
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


def program_plot(found: Any, axes: Axes) -> None:
    """The volume of every phase."""
    bars(axes, {"volume": [phase.traffic.total for phase in found.phases]}, "phase", "volume")
