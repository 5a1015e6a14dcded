"""Routing methods as pictures: the tags in every node after every step, and walks side by side.

    draw_self_routing(routed)      a panel for every step, as [boppana, Fig. 2]
    draw_routed(routed)            the same of any method; where nodes are too many, its walk
    draw_comparison(comparison)    occupancy and load along the walk of every method, a panel each

How tags are drawn is in `show.panels`, which draws any other movement of data as well. Of a walk
the grey steps are the messages in the fullest node between two corrections, the marks those on the
busiest channel while a bit is corrected; the bits stand below in their order. The scale is
logarithmic, because both are powers of two for y = Ax + b.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import Hypercube, Mesh
from lccmodel.network.loads import Channel
from lccmodel.permutations.comparison import Comparison
from lccmodel.permutations.routing_result import RoutedPermutation
from lccmodel.permutations.self_routing.route import SelfRouting
from lccmodel.permutations.simd_mesh import MeshPlan
from lccmodel.show.node_positions import long_axes, node_positions
from lccmodel.show.panels import Panel, draw_panels
from lccmodel.show.style import INK, VERMILION, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_DRAWN_BITS = 4
"""Largest n of a hypercube whose tags are drawn."""

_MAX_DRAWN_NODES = 64
"""Most nodes of a mesh whose tags are drawn."""

_HELD, _LOAD = "#bfd7ee", VERMILION
_LEAST = 0.5
"""The height that stands for 0: no message moves."""

_COLUMNS = 3


def draw_self_routing(
    routed: SelfRouting, *, columns: int | None = None, title: str | None = None
) -> Figure:
    """Draw the tags of a self-routing before step 1 and after every step.

    Args:
        routed: on a hypercube with n <= 4 (tags in binary), or on a mesh or torus of one or two
            axes with at most 64 nodes (decimal).
        columns: panels in a row; chosen by their shape if left out.
        title: mode, reading and result if left out.

    Raises:
        SizeLimitError: a larger network.
        NetworkError: a mesh of three or more axes.
        InputError: `columns` below 1.

    >>> from lccmodel.permutations.self_routing import self_route
    >>> figure = draw_self_routing(self_route([0, 2, 1, 3]))
    >>> [axes.get_title() for axes in figure.axes]
    ['before routing: state A', 'step 1, bit 0: state B', 'step 2, bit 1: state A']
    """
    network = routed.network or Hypercube(max(routed.n, 1))
    _check_drawable(network)
    binary = network.geometry.word == "dimension"
    width = routed.n if binary else 0
    tags = [
        {
            u: [f"{tag:0{width}b}" if binary else str(tag) for tag in here if tag >= 0]
            for u, here in enumerate(nodes)
        }
        for nodes in routed.tags.tolist()
    ]
    titles = [_panel_title(routed, step) for step in range(len(tags))]
    name = _result(routed) if title is None else title
    return _draw_tags(network, titles, tags, routed.movement.positions, name, columns)


def draw_routed(routed: RoutedPermutation, name: str = "") -> Figure:
    """Draw what stands in every node after every step of one method.

    On a hypercube with n <= 4 or a mesh of at most 64 nodes and two axes these are the tags; for
    the SIMD mesh, the data that are in olddata and newdata, row 0 on top. Of larger networks the
    walk is drawn as in `draw_comparison`.

    Raises:
        InputError: there is no walk.
    """
    walk = routed.movement
    if walk is None:
        raise InputError("routed", "must have a walk to draw", routed.reason)
    title = f"{name or 'permutation'} by {routed.title}"
    made = routed.made
    mesh = made.mesh if isinstance(made, MeshPlan) else routed.mesh
    if not _is_drawable(routed.n, mesh):
        return _draw_walks((routed,), title)
    if isinstance(made, SelfRouting):
        return draw_self_routing(made)
    if isinstance(made, MeshPlan):
        return _draw_registers(made, title)
    tags = _tags(routed, binary=mesh is None)
    titles = ["before routing", *(f"step {k}, bit {bit}" for k, bit in enumerate(_bits(routed), 1))]
    return _draw_tags(mesh or Hypercube(routed.n), titles, tags, walk.positions, title)


def draw_comparison(comparison: Comparison) -> Figure:
    """Draw the walks of all methods, a panel each, on one scale.

    Args:
        comparison: from `compare`, perhaps through `with_reordering`.

    >>> from lccmodel.permutations.comparison import compare
    >>> figure = draw_comparison(compare([0, 2, 1, 3]))
    >>> [axes.get_title() for axes in figure.axes][:3]
    ['e-cube: 2 rounds', 'HL: 2 rounds', 'exchanges: none']
    """
    name = comparison.name or "permutation"
    return _draw_walks(comparison.results, f"{name} on cube:{comparison.n}")


# -- walks --------------------------------------------------------------------------------------


def _draw_walks(results: Sequence[RoutedPermutation], title: str) -> Figure:
    most = max(
        (max(*r.movement.occupancies, *r.movement.loads) for r in results if r.movement), default=1
    )
    steps = max(r.n for r in results)
    columns = min(_COLUMNS, len(results))
    rows = -(-len(results) // columns)
    wide = max(2.7 if columns > 1 else 3.4, 0.9 + 0.28 * steps)
    figure = new_figure(columns * wide, rows * 2.1 + 0.8)
    first: Axes | None = None
    for k, routed in enumerate(results):
        axes = figure.add_subplot(rows, columns, k + 1)
        _draw_walk(axes, routed, most)
        if k % columns == 0:
            axes.set_ylabel("messages", fontsize=9)
        first = first or (axes if routed.movement else None)
    figure.suptitle(title, fontsize=11)
    if first is not None:
        handles, labels = first.get_legend_handles_labels()
        style: dict[str, Any] = {"fontsize": 8.5, "frameon": False, "ncols": min(2, columns)}
        figure.legend(handles, labels, loc="outside lower center", **style)
    return figure


def _draw_walk(axes: Axes, routed: RoutedPermutation, most: int) -> None:
    walk = routed.movement
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_yscale("log", base=2)
    powers = [1 << k for k in range(most.bit_length()) if 1.4 * (1 << k) <= most]
    axes.set_ylim(_LEAST * 0.8, max(2, most) * 1.35)
    shown = [*powers[:: -(-len(powers) // 5) or 1], most]  # three tags in a node are not a power
    axes.set_yticks([_LEAST, *shown], ["0", *map(str, shown)], fontsize=8)
    axes.minorticks_off()
    if walk is None:
        axes.set_xlim(0, routed.n)
        axes.set_xticks([])
        axes.set_title(f"{routed.title}: none", fontsize=9.5, color=INK)
        axes.text(0.5, 0.5, routed.brief, transform=axes.transAxes, ha="center", fontsize=8.5)
        return
    edges = [-0.5, *(k + 0.5 for k in range(walk.steps + 1))]
    axes.stairs(
        walk.occupancies,
        edges,
        baseline=_LEAST * 0.8,
        fill=True,
        facecolor=_HELD,
        label="in the fullest node (occupancy)",
        zorder=2,
    )
    axes.plot(
        [k + 0.5 for k in range(walk.steps)],
        [max(load, _LEAST) for load in walk.loads],
        linestyle="none",
        marker="D",
        markersize=5,
        color=_LOAD,
        label="on the busiest channel (load)",
        zorder=3,
    )
    axes.set_xlim(-0.5, walk.steps + 0.5)
    bits = _bits(routed)
    small = 8.0 if len(bits) <= 8 else 6.5
    axes.set_xticks([k + 0.5 for k in range(len(bits))], bits, fontsize=small)
    axes.set_xlabel("bit corrected", fontsize=8.5)
    end = "" if routed.delivered else ", not delivered"
    rounds = f"{routed.rounds} round" + ("" if routed.rounds == 1 else "s")
    axes.set_title(f"{routed.title}: {rounds}{end}", fontsize=9.5, color=INK)


def _bits(routed: RoutedPermutation) -> list[str]:
    made = routed.made
    if isinstance(made, SelfRouting):
        return ["\n".join(map(str, bits)) or "-" for bits in made.bits]
    return [str(bit) for bit in routed.order or ()]


# -- nodes --------------------------------------------------------------------------------------


def _is_drawable(n: int, mesh: Mesh | None) -> bool:
    if mesh is None:
        return n <= _MAX_DRAWN_BITS
    return mesh.size <= _MAX_DRAWN_NODES and len(long_axes(mesh.geometry)) <= 2


def _tags(routed: RoutedPermutation, *, binary: bool) -> list[dict[int, list[str]]]:
    assert routed.movement is not None
    tags = []
    for row in routed.movement.positions.tolist():
        held: dict[int, list[str]] = {}
        for node, tag in zip(row, routed.destinations.tolist(), strict=True):
            held.setdefault(node, []).append(f"{tag:0{routed.n}b}" if binary else str(tag))
        tags.append(held)
    return tags


def _draw_tags(
    network: Hypercube | Mesh,
    titles: Iterable[str],
    tags: Sequence[Mapping[int, Sequence[str]]],
    positions: Any,
    title: str,
    columns: int | None = None,
) -> Figure:
    """A panel for the start and for every step: what stands in every node, what has moved."""
    where, nodes = node_positions(network), range(positions.shape[1])
    return draw_panels(
        {u: where.positions[u] for u in nodes},
        [
            Panel(name, held, _arrows(positions, step))
            for step, (name, held) in enumerate(zip(titles, tags, strict=True))
        ],
        names={u: where.labels[u] for u in nodes},
        links=[link for link in where.links if max(link) in nodes],
        unit=1.25 if network.geometry.word == "dimension" else 0.8,
        columns=columns,
        title=title,
    )


def _arrows(positions: Any, step: int) -> list[Channel]:
    """The channels that messages cross, each once."""
    if not step:
        return []
    before, after = positions[step - 1 : step + 1].tolist()
    crossed = dict.fromkeys(zip(before, after, strict=True))
    return [(u, v) for u, v in crossed if u != v]


def _draw_registers(plan: MeshPlan, title: str) -> Figure:
    """Data are named by the number that they come from, as in the table of the paper."""
    grid = plan.numbering.routed_grid.reshape(-1, plan.mesh.shape[0])
    places = {
        int(number): (float(x), float(-y))
        for y, row in enumerate(grid)
        for x, number in enumerate(row)
    }
    n = plan.routed.n
    start = {u: [f"d{u:0{n}b}"] for u in range(plan.routed.size)}
    panels = [Panel("initial situation", start)]
    for k, done in enumerate(plan.passes):
        held = {
            u: [f"{mark}{x:0{n}b}" for mark, x in zip("de", column, strict=True) if x >= 0]
            for u, column in enumerate(done.settled.T.tolist())
        }
        shifts = ", ".join(f"{way} {count}" for way, count in done.shifts) or "skipped"
        moves = _arrows(plan.movement.positions, k + 1)
        panels.append(Panel(f"pass {k}, bit {done.bit}: {shifts}", held, moves))
    links = [
        (int(u), int(v)) for lines in (grid, grid.T) for line in lines for u, v in pairwise(line)
    ]
    names = {u: f"{u:0{n}b}" for u in places}
    where = f"{title}, {plan.numbering.name} (d: olddata, e: newdata)"
    return draw_panels(places, panels, names=names, links=links, unit=0.9, title=where)


def _panel_title(routed: SelfRouting, step: int) -> str:
    state = routed.states[step]
    if step == 0:
        return f"before routing: state {state}"
    bits = ", ".join(map(str, routed.bits[step - 1])) or "none"
    word = "bits" if len(routed.bits[step - 1]) > 1 else "bit"
    return f"step {step}, {word} {bits}: state {state}"


def _result(routed: SelfRouting) -> str:
    where = f" on {routed.network.spec}" if routed.network else ""
    end = "delivered" if routed.failure is None else f"not delivered: {routed.failure}"
    return f"{routed.mode}, {routed.rules.variant}, reading '{routed.rules.reading}'{where}: {end}"


def _check_drawable(network: Hypercube | Mesh) -> None:
    if network.geometry.word == "dimension" and network.n > _MAX_DRAWN_BITS:
        rule = (
            f"the tags of a hypercube are drawn up to n = {_MAX_DRAWN_BITS}; see SelfRouting.table"
        )
        raise SizeLimitError("routed", rule, network.n)
    if network.geometry.word == "axis" and network.size > _MAX_DRAWN_NODES:
        rule = f"the tags of a mesh are drawn up to {_MAX_DRAWN_NODES} nodes; see SelfRouting.table"
        raise SizeLimitError("routed", rule, network)
