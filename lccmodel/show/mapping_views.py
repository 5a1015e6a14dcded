"""How communications, contention, mappings, splits and fronts look: a table and picture of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.communication.recognition import Verdict
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.problem import Problem
from lccmodel.show import placement_tables as answers
from lccmodel.show.heatmap import write_cells
from lccmodel.show.network_artists import LoadScale, colours, figure_of, load_text
from lccmodel.show.phase_loads import by_dimension, objective_texts, shown_together
from lccmodel.show.placement_tables import name_of
from lccmodel.show.quantities import Quantity, named
from lccmodel.show.records import Table, keyed_table
from lccmodel.show.style import BLUE, CYCLE, INK, VERMILION, new_figure, node_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lccmodel.communication.lcc import LCC
    from lccmodel.communication.program import Program
    from lccmodel.communication.recognition import Recognition
    from lccmodel.communication.traffic import Traffic
    from lccmodel.lattice.lattice import CorrectionLattice
    from lccmodel.network.loads import ChannelLoads
    from lccmodel.placement.contention import BusiestChannelsSet, Contention, ContentionSet
    from lccmodel.placement.multipath import SplitLoads
    from lccmodel.placement.placement_result import Placement
    from lccmodel.placement.search.questions import ParetoFront

# -- marks that several views share ---------------------------------------------------


_HATCHES = ("", "///", "...", "xxx", "---", "ooo")
_DASHES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (6, 1, 1, 1)), (0, (1, 3)))


def bar_look(k: int) -> dict[str, Any]:
    """The colour of the k-th bar; from the eighth on with a hatch, so that no two look alike.

    >>> [bar_look(k)["color"] == bar_look(0)["color"] for k in (6, 7)], "hatch" in bar_look(7)
    ([False, True], True)
    """
    hatch = _HATCHES[k // len(CYCLE) % len(_HATCHES)]
    look = {"color": CYCLE[k % len(CYCLE)]}
    return look | {"hatch": hatch, "edgecolor": "white", "linewidth": 0} if hatch else look


def bars(axes: Axes, several: Mapping[str, Sequence[Any]], across: str, up: str) -> None:
    """A group of bars for every place, a colour for every name."""
    count = max(1, len(several))
    for k, (name, values) in enumerate(several.items()):
        places = [x + (k - (count - 1) / 2) * 0.8 / count for x in range(len(values))]
        heights = [float(value) for value in values]
        axes.bar(places, heights, width=0.76 / count, label=name, **bar_look(k))
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
            "linestyle": _DASHES[k // len(CYCLE) % len(_DASHES)],
            "linewidth": 1.4 + wider,
            "label": name,
        }
        axes.plot(range(len(values)), list(values), marker="o", markersize=4 + wider, **look)
    axes.set(xlabel=across, ylabel=up)
    axes.locator_params(integer=True, min_n_ticks=1)
    legend_beside(axes)


_PART = "dimension, axis or level"
BUSIEST = "messages on the busiest channel"


def on_the_busiest(problem: Problem) -> str:
    """The label of an axis of loads: messages if each has the volume 1, else volume."""
    return f"{answers.load_of(problem.program, problem.network)} on the busiest channel"


# -- contention and mappings -----------------------------------------------------------


def contention_plot(result: Contention | ContentionSet, axes: Axes) -> None:
    """The busiest channel of every dimension; bars side by side for several phases."""
    phases = zip(result.problem.program, answers.members_of(result), strict=True)
    several = {name_of(phase, k): member.per_dimension for k, (phase, member) in enumerate(phases)}
    shown = several if len(several) > 1 else {"T": result.per_dimension}
    bars(axes, shown, _PART, on_the_busiest(result.problem))
    if len(several) == 1:
        axes.set_title(
            f"{result.problem.network.spec}, contention degree {result.degree}", fontsize=11
        )


def busiest_plot(busiest: BusiestChannelsSet, axes: Axes) -> None:
    """The load of the busiest channels, dimension by dimension, phase by phase."""
    program = busiest.problem.program
    several: dict[str, list[Any]] = {
        name_of(phase, k): [0] * busiest.problem.network.dimensions
        for k, phase in enumerate(program)
    }
    for b in busiest:
        several[name_of(program[b.phase], b.phase)][b.dimension] = b.load
    bars(axes, several, _PART, on_the_busiest(busiest.problem))


def placement_plot(p: Placement, axes: Axes) -> None:
    """The busiest channel of every dimension, before and after, as the objective compares them."""
    before, after = objective_texts(p)
    bars(axes, by_dimension(p), _PART, on_the_busiest(p.problem))
    together = shown_together(p)
    title = f"{p.network.spec}, {before} → {after.rpartition(' ')[2]}"
    axes.set_title(f"{title}\n{together}" if together else title, fontsize=11)


def loads_view(loads: ChannelLoads) -> Table:
    """The largest load of every dimension, and on how many channels."""
    network, counts = loads.network, loads.counts
    records = []
    for dimension, load in enumerate(loads.per_dimension):
        rows = [k for k in range(len(counts)) if network.row_dimension(k) == dimension]
        largest = counts[rows].max() if load else None
        busy = int((counts[rows] == largest).sum()) if load else 0
        records.append({"dimension": dimension, "load": load, "channels": busy})
    used = f"{int((counts > 0).sum())} of {network.n_channels}"
    facts = {"network": network.spec, "degree": loads.degree, "used": used}
    heads = {"load": "largest load", "channels": "busy", "used": "channels used"}
    notes = ["busy: channels that carry the largest load."]
    return keyed_table("Channel loads", records, facts, heads, notes)


def loads_plot(loads: ChannelLoads, axes: Axes) -> None:
    """What every channel carries, node by node where that can be read."""
    from lccmodel.show.drawing import draw_channels

    draw_channels(loads, ax=axes, counted="load")


# -- communications --------------------------------------------------------------------


def recognition_plot(recognition: Recognition, axes: Axes) -> None:
    """A and b where they are determined, else the verdict."""
    if recognition.communication is None:
        axes.set_axis_off()
        axes.set_title(str(recognition.verdict), fontsize=11)
    else:
        lcc_plot(recognition.communication, axes)


def lcc_view(c: LCC) -> Table:
    """The equations y = Ax + b, row by row."""
    from lccmodel.show.communication_tables import equations_table

    facts = {"communication": c.name or None, "n": c.n, "kind": c.kind, "rank": c.rank}
    return equations_table("Communication", c, facts)


def lcc_plot(c: LCC, axes: Axes) -> None:
    """A as a grid of squares, b beside it."""
    cells = np.column_stack([c.A.tolist(), list(c.b)])
    axes.imshow(cells, cmap="Greys", vmin=0, vmax=1.4, origin="upper")
    axes.axvline(c.n - 0.5, color=VERMILION)
    for i, j in zip(*np.nonzero(cells), strict=True):
        axes.text(
            j, i, "1", ha="center", va="center", color="white", fontsize=8, gid=f"tag-{i}-{j}"
        )
    axes.set_xticks(range(c.n + 1), [*(f"x{j}" for j in range(c.n)), "b"], fontsize=8)
    axes.set_yticks(range(c.n), [f"y{i}" for i in range(c.n)], fontsize=8)
    axes.set_title(c.name or "y = Ax + b", fontsize=11)


def lattice_view(lattice: CorrectionLattice) -> Table:
    """The steps of a correction lattice in natural order."""
    records = [
        {"corrected": list(step.corrected), "bit": step.bit}
        | {"occupancy": step.occupancy, "load": step.load}
        for step in lattice.walk(lattice.external)
    ]
    columns = (
        Quantity("corrected", "bits corrected before"),
        Quantity("bit", "bit corrected now"),
        *("occupancy", "load"),
    )
    facts = {
        "communication": lattice.communication.name or None,
        "n": lattice.communication.n,
    }
    return Table("Correction in natural order", columns, records, facts)


def lattice_plot(lattice: CorrectionLattice, axes: Axes) -> None:
    """The whole lattice, or where it is too large, the loads of natural order."""
    from lccmodel.show.lattice_drawing import MAX_DRAWN_BITS, draw_lattice

    if len(lattice.external) <= MAX_DRAWN_BITS:
        draw_lattice(lattice, lattice.external, ax=axes)
    else:
        bars(axes, {"load": lattice.loads(lattice.external)}, "step", BUSIEST)


def traffic_view(traffic: Traffic) -> Table:
    """Every message: from whom, to whom, how much."""
    messages = (traffic.sources.tolist(), traffic.destinations.tolist(), traffic.volumes.tolist())
    columns = (named("source", "from"), "destination", "volume")
    facts = {"ranks": traffic.ranks, "messages": len(traffic), "volume_of_all": traffic.total}
    return Table("Traffic", columns, zip(*messages, strict=True), facts)


def draw_matrix(traffic: Traffic, axes: Axes) -> None:
    """Who sends how much to whom; ranks side by side in one square where there are many."""
    side = min(traffic.ranks, _MOST_SQUARES)
    scale = side / traffic.ranks
    sums = np.zeros((side, side))
    places = (traffic.sources * scale).astype(int), (traffic.destinations * scale).astype(int)
    np.add.at(sums, places, traffic.volumes.astype(float))
    last = traffic.ranks - 0.5
    extent = (-0.5, last, last, -0.5)  # rank 0 at the top left, ticks on the ranks
    sent = sums[sums > 0]
    scale_of = LoadScale(float(sent.min()), float(sent.max())) if sent.size else None
    norm = scale_of.norm() if scale_of is not None else None
    image = axes.imshow(np.ma.masked_equal(sums, 0), cmap=colours(), norm=norm, extent=extent)
    ticks = node_ticks(traffic.ranks)
    axes.set(xlabel="to rank", ylabel="from rank", xticks=ticks, yticks=ticks)
    if side == traffic.ranks and scale_of is not None:
        write_cells(axes, image, sums)
    if scale_of is not None and np.unique(sums[sums > 0]).size > 1:
        square = "volume" if side == traffic.ranks else f"volume of {traffic.ranks / side:g} ranks"
        bar = figure_of(axes).colorbar(image, ax=axes, label=square, pad=0.02)
        bar.set_ticks(scale_of.ticks(), labels=[load_text(tick) for tick in scale_of.ticks()])
        bar.ax.minorticks_off()


_MOST_SQUARES = 512


def program_view(program: Program) -> Table:
    """Every phase: how often, how many messages, how much."""
    rows = [
        (phase.name or f"phase {k}", phase.weight, len(phase.traffic), phase.traffic.total)
        for k, phase in enumerate(program.phases)
    ]
    columns = ("phase", "weight", "messages", "volume")
    return Table("Program", columns, rows, {"ranks": program.ranks})


def program_plot(program: Program, axes: Axes) -> None:
    """The volume of every phase."""
    bars(axes, {"volume": [phase.traffic.total for phase in program.phases]}, "phase", "volume")


# -- splits of messages over paths, and fronts of placements -----------------------------------


_SPLITS = {"paths": "every minimal path the same", "hops": "every next channel the same (ECMP)"}


def split_view(split: SplitLoads) -> Table:
    """The busiest channel with one route a message, with even shares, and the least possible."""
    records = [
        {"routing": "the network's own routes", "busiest": split.one_route},
        {"routing": f"split: {_SPLITS[split.split]}", "busiest": split.degree},
        {"routing": "no split has less than", "busiest": split.least},
    ]
    heads = {
        "routing": Quantity("routing"),
        "busiest": Quantity("busiest", "busiest channel", form=","),
        "split": "split over",
        "exact": Quantity("exact", "counted as fractions"),
        "bound": "by",
    }
    facts = {
        "network": split.problem.network.spec,
        "split": split.split,
        "exact": split.exact,
    }
    facts |= {"bound": split.bound}
    notes = [
        "All phases at once, each as often as it weighs; splits are over paths of fewest channels."
    ]
    return keyed_table("Messages split over minimal paths", records, facts, heads, notes)


def split_plot(split: SplitLoads, axes: Axes) -> None:
    """Three bars."""
    values = [float(split.one_route), float(split.degree), float(split.least)]
    axes.barh(["one route", f"split by {split.split}", "minimum of all splits"], values,
              color=[VERMILION, BLUE, INK], height=0.6)  # fmt: skip
    axes.invert_yaxis()
    axes.set(xlabel="volume on the busiest channel")
    axes.set_title(split.problem.network.spec[:60], fontsize=11)


def front_view(front: ParetoFront) -> Table:
    """The placements that were found, and which of them are not dominated."""
    records = [
        {
            "objective": placement.objective,
            "joint": placement.after.joint,
            "distance": placement.after.distance,
            "best": any(placement is kept for kept in front.best),
            "node_of": placement.node_of.tolist(),
        }
        for placement in front.found
    ]
    first = front.found[0].before
    facts = {"network": front.problem.network.spec, "joint_before": first.joint}
    facts |= {"distance_before": first.distance}
    heads = {
        "joint": Quantity("joint", "busiest channel", form=","),
        "distance": Quantity("distance", "volume times distance", form=","),
        "best": Quantity("best", "not dominated"),
        "joint_before": Quantity("joint_before", "busiest channel before"),
        "distance_before": Quantity("distance_before", "volume times distance before"),
    }
    title = "Placements between busiest channel and hop-bytes"
    return keyed_table(title, records, facts, heads)


def front_plot(front: ParetoFront, axes: Axes) -> None:
    """Busiest channel against volume times distance; the front joined by a line of steps."""
    places: Any = [  # every placement of a front has both
        [[float(getattr(p.after, name)) for p in several] for name in ("distance", "joint")]
        for several in (front.found, front.best)
    ]
    words = "dominated by a filled one", "on the Pareto front: not dominated"
    axes.plot(*places[0], "o", ms=5, mfc="white", color=INK, zorder=2, label=words[0])
    axes.plot(*places[1], "o", ms=6, color=BLUE, zorder=3, label=words[1])
    axes.margins(0.12)
    (_, right), (_, top) = axes.get_xlim(), axes.get_ylim()
    ordered = sorted(zip(*places[1], strict=True))
    along = [(ordered[0][0], top), *ordered, (right, ordered[-1][1])] if ordered else []
    axes.step(
        *zip(*along, strict=True), where="post", color=BLUE, lw=1.2, zorder=1, label="Pareto front"
    )
    axes.set(xlim=axes.get_xlim(), ylim=axes.get_ylim())
    below: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.16)}
    axes.legend(**below, frameon=False, fontsize=8)
    axes.set(xlabel="volume times distance", ylabel="volume on the busiest channel")
    axes.set_title(front.problem.network.spec[:60], fontsize=11)
    across, up = (all(value.is_integer() for value in values) for values in places[0])
    axes.locator_params("x", integer=across, min_n_ticks=1, nbins=5)
    axes.locator_params("y", integer=up, min_n_ticks=1)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.7g}")


# -- several communications in one figure ------------------------------------------------------


MAX_PANELS = 64
"""Pictures that one figure holds."""

_COLUMNS = 4
_SAID = {"underdetermined": "leaves A and b open", "not-linear-complement": "not y = Ax + b"}


def draw_recognised(result: Sequence[tuple[str, Verdict, LCC | Traffic]]) -> Figure:
    """A picture for each communication: its A and b, or its messages if those are not determined.

    Args:
        result: (name, verdict, the communication or the messages); at most `MAX_PANELS`.

    Raises:
        InputError: not a communication, or too many for one figure.

    >>> from lccmodel import catalog
    >>> swap = Traffic([(0, 1), (1, 0)])
    >>> turn = ("turn", "linear-complement", catalog.bit_reverse(3))
    >>> figure = draw_recognised([turn, ("swap", "underdetermined", swap)])
    >>> [axes.get_title() for axes in figure.axes]
    ['turn', 'swap: leaves A and b open']
    """

    if not 0 < len(result) <= MAX_PANELS:
        rule = f"must be 1 to {MAX_PANELS} communications to be drawn in one figure"
        raise InputError("communications", rule, len(result))
    columns = min(_COLUMNS, len(result))
    rows = -(-len(result) // columns)
    figure = new_figure(3.3 * columns, 3.5 * rows)
    for place, (name, verdict, content) in enumerate(result, start=1):
        axes = figure.add_subplot(rows, columns, place)
        if isinstance(content, LCC):
            lcc_plot(content, axes)
            axes.set_title(name, fontsize=9, wrap=True)
        else:
            _draw_messages(content, axes)
            axes.set_title(f"{name}: {_SAID[verdict]}", fontsize=9, wrap=True)
    return figure


def _draw_messages(sent: Traffic, axes: Axes) -> None:
    """A dot for each message in the row of its source, as in a matrix."""
    axes.plot(sent.destinations, sent.sources, "o", color=VERMILION, markersize=3)
    last = sent.ranks - 1
    axes.set(xlabel="to node", ylabel="from node", xlim=(-0.5, last + 0.5), ylim=(last + 0.5, -0.5))
    axes.set_aspect("equal")
