"""Drawings of networks, of channel loads and of paths, as matplotlib figures.

    draw_network(network, loads)                every node and channel, for small networks
    draw_loads(loads)                           a heat map, for any size
    draw_before_after(network, before, after)   two of them side by side, on one scale
    draw_path(network, path)                    one route

A darker and wider arrow carries more messages; the colours keep their order in grey print and
for colour-blind readers. The scale is logarithmic, because loads are mostly powers of two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from lccmodel.communication.traffic import Traffic
from lccmodel.errors import NetworkError
from lccmodel.network import ChannelLoads, Network
from lccmodel.show import network_artists as marks
from lccmodel.show.heatmap import draw_heat, heat_size
from lccmodel.show.node_positions import NodePositions, is_readable, node_positions
from lccmodel.show.numbers import spec_text
from lccmodel.show.style import axes_on, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

_WIDE = 7.0
_LONG_LABEL = 5

CountedIn = Literal["messages", "volume", "load"]
"""What a load is a number of; "load" where that is not known."""


def counted_in(sent: Iterable[Traffic]) -> CountedIn:
    """What the loads of traffic count: messages where every one carries 1, else volume."""
    ones = all(traffic.uniform and traffic.uniform_volume == 1 for traffic in sent)
    return "messages" if ones else "volume"


def draw_network(
    network: Network,
    loads: ChannelLoads | None = None,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    scale: marks.LoadScale | None = None,
    label_from: int | None = None,
    legend: bool = True,
    counted: CountedIn = "messages",
) -> Figure:
    """Draw a network node by node; with loads, an arrow for every channel that is used.

    Hypercube nodes are labelled in binary, bit 0 to the right. Two arrows between neighbours
    each keep to their right. A box is a router with its two nodes. A channel that wraps around
    a torus is drawn as a stub that leaves one side and a stub that comes in on the other.
    Without loads, links are told apart by dimension.

    Args:
        network: hypercube or bristled hypercube with n <= 6; mesh or torus of one or two axes
            and at most 256 nodes.
        loads: what to colour and label the channels by.
        ax: where to draw; a new figure if left out.
        title: the spec and the degree of contention if left out.
        scale: the loads at the ends of the colours; the least and the largest if left out.
        label_from: the least load that is written beside its arrow. If left out: 1; 2 on cubes
            with n > 4; only the largest on meshes of more than 64 nodes, and where it has more
            than four digits.
        legend: whether to explain colours below the drawing.
        counted: what loads are, for the legend: see `counted_in`.

    Raises:
        SizeLimitError: the network is too large; use `draw_loads`.
        NetworkError: a mesh of three or more axes, or loads of another network.

    >>> from lccmodel.network import Hypercube
    >>> cube = Hypercube(3)
    >>> figure = draw_network(cube, cube.channel_loads([[0, 7], [1, 7]]))
    >>> [axes.get_title() for axes in figure.axes]
    ['cube:3, maximum load 2']
    """
    placement = node_positions(network)
    if loads is not None:
        _check_loads(network, loads)
    axes = axes_on(ax, _figure_size(placement), "compressed")
    if loads is None:
        handles = marks.draw_links_by_dimension(axes, network, placement)
    else:
        scale = scale or marks.LoadScale.of(loads)
        least = _least_label(network, loads) if label_from is None else label_from
        marks.draw_idle_links(axes, placement)
        marks.draw_loaded_channels(axes, placement, loads, scale, least)
        handles = marks.load_handles([loads], scale)
    marks.draw_nodes(axes, placement)
    _finish(axes, placement, _title(network, loads) if title is None else title)
    if legend and handles:
        style = marks.legend_style(None if loads is None else f"{counted} on a channel")
        axes.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=_columns(handles, _figure_size(placement)[0]),
            **style,
        )
    return marks.figure_of(axes)


def draw_path(
    network: Network,
    path: Sequence[int],
    *,
    ax: Axes | None = None,
    title: str | None = None,
) -> Figure:
    """Draw a path on its network, each channel labelled by the dimension that it corrects.

    Args:
        network: as for `draw_network`.
        path: nodes of `network.graph()`, as `network.path(x, y)` lists them.
        ax: where to draw; a new figure if left out.
        title: the spec and both ends if left out.

    Raises:
        NodeError: a single node that is not in the network.
        NetworkError: an empty path, or two successive nodes without a channel or port.
        SizeLimitError: the network is too large to draw.

    >>> from lccmodel.network import Hypercube
    >>> figure = draw_path(Hypercube(3), Hypercube(3).path(0, 6))
    >>> [axes.get_title() for axes in figure.axes]
    ['cube:3, 000 to 110']
    """
    placement = node_positions(network)
    if not len(path):
        raise NetworkError("path", "must have at least one node", list(path))
    network.neighbours(path[0])  # refuses what is not a node
    steps = [(u, v) for u, v in pairwise(path) if not _is_port(network, u, v)]
    dimensions = [network.row_dimension(network.counter(u, v)[0]) for u, v in steps]
    axes = axes_on(ax, _figure_size(placement), "compressed")
    marks.draw_idle_links(axes, placement)
    word = {"dimension": "dim"}.get(network.geometry.word, network.geometry.word)
    for channel, dimension in zip(steps, dimensions, strict=True):
        marks.draw_channel(axes, placement, channel, text=f"{word} {dimension}")
    marks.draw_nodes(axes, placement, ends=(path[0], path[-1]))
    ends = " to ".join(placement.labels.get(node, str(node)) for node in (path[0], path[-1]))
    _finish(axes, placement, f"{network.spec}, {ends}" if title is None else title)
    return marks.figure_of(axes)


def draw_loads(
    loads: ChannelLoads,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    scale: marks.LoadScale | None = None,
    colorbar: bool = True,
    counted: CountedIn = "messages",
) -> Figure:
    """Draw the loads of a network of any size.

    A mesh or torus of two axes becomes a map: a line for every link, in two lanes for its two
    directions, or beyond 2^14 links a pixel for every node, coloured by the busiest channel
    that leaves it. Any other network becomes a heat map of dimension (or axis and direction) by
    node; beyond 1024 nodes a column shows the largest load of several nodes, and says so. The
    largest load of each row is written on its right. Idle channels are white.

    Args:
        loads: what to draw.
        ax: where to draw; a new figure if left out.
        title: the spec and the degree of contention if left out.
        scale: the loads at the ends of the colours; the least and the largest if left out.
        colorbar: whether to explain colours.
        counted: what loads are, for the colours: see `counted_in`.
    """
    title = _title(loads.network, loads) if title is None else title
    loads = _on_all_nodes(loads)
    scale = scale or marks.LoadScale.of(loads)
    axes = axes_on(ax, heat_size(loads.network), "compressed")
    artist = draw_heat(axes, loads, scale)
    axes.set_title(title, fontsize=11)
    if colorbar:
        _colorbar(marks.figure_of(axes), axes, artist, scale, counted)
    return marks.figure_of(axes)


def draw_channels(
    loads: ChannelLoads, *, title: str | None = None, legend: bool = True, **how: Any
) -> Figure:
    """Draw loads in the way that can be read best: node by node, or as a heat map.

    Args:
        loads: what to draw.
        title: the spec and the degree of contention if left out.
        legend: whether to explain colours.
        how: `ax`, `scale` and `counted`, as for `draw_loads`.
    """
    title = _title(loads.network, loads) if title is None else title
    loads = _on_all_nodes(loads)
    if is_readable(loads.network):
        return draw_network(loads.network, loads, title=title, legend=legend, **how)
    return draw_loads(loads, title=title, colorbar=legend, **how)


def draw_before_after(
    network: Network,
    before: ChannelLoads,
    after: ChannelLoads,
    *,
    titles: tuple[str, str] = ("before", "after"),
    values: tuple[str, str] | None = None,
    name: str = "",
    counted: CountedIn = "messages",
) -> Figure:
    """Draw loads before and after a mapping, on one colour scale with one legend.

    `titles` stand above the two; `values` behind them, by default the degrees of the loads; `name`
    says what is sent, or what the channels show.

    Networks are drawn node by node while that can be read (`placement.is_readable`), others as
    by `draw_loads`. The two stand side by side, or one above the other where they are wide.

    Raises:
        NetworkError: loads of another network.
    """
    for loads in (before, after):
        _check_loads(network, loads)
    spec = spec_text(network.spec)
    before, after = _on_all_nodes(before), _on_all_nodes(after)
    network = before.network
    nodes = is_readable(network)
    width, height = _figure_size(node_positions(network)) if nodes else heat_size(network)
    figure, both = _two_axes(width, height)
    scale = marks.LoadScale.of(before, after)
    texts = values or [f"maximum load {marks.load_text(loads.degree)}" for loads in (before, after)]
    for axes, loads, when, text in zip(both, (before, after), titles, texts, strict=True):
        draw_channels(loads, ax=axes, title=f"{when}: {text}", scale=scale, legend=False)
    if nodes:
        handles = marks.load_handles([before, after], scale)
        style = marks.legend_style(f"{counted} on a channel")
        figure.legend(handles=handles, loc="outside lower center", ncols=_columns(handles), **style)
    else:
        from matplotlib.cm import ScalarMappable

        colours = ScalarMappable(scale.norm(), marks.colours())
        _colorbar(figure, both, colours, scale, counted)
    figure.suptitle(f"{name} on {spec}" if name else spec, fontsize=12)
    return figure


# -- figures ------------------------------------------------------------------------------


def _two_axes(width: float, height: float) -> tuple[Figure, list[Axes]]:
    """A figure for two drawings: side by side, or one above the other when they are wide."""
    stacked = width > _WIDE
    size = (width, 2 * height) if stacked else (2 * width, height + 0.3)
    figure = new_figure(*size, "compressed")
    rows, columns = (2, 1) if stacked else (1, 2)
    return figure, [figure.add_subplot(rows, columns, k) for k in (1, 2)]


def _colorbar(
    figure: Figure, axes: Axes | list[Axes], artist: Any, scale: marks.LoadScale, counted: CountedIn
) -> None:
    bar = figure.colorbar(artist, ax=axes, label=f"{counted} on a channel", pad=0.02)
    ticks = scale.ticks()
    bar.set_ticks(ticks, labels=[marks.load_text(tick) for tick in ticks])
    bar.ax.minorticks_off()


def _bounds(placement: NodePositions) -> tuple[float, float, float, float]:
    xs, ys = zip(*placement.positions.values(), strict=True)
    wide, high = placement.box or (placement.radius, placement.radius)
    if placement.wraps:
        wide = high = 0.62
    margin = 0.08
    return (
        min(xs) - wide - margin,
        max(xs) + wide + margin,
        min(ys) - high - margin,
        max(ys) + high + margin,
    )


def _figure_size(placement: NodePositions) -> tuple[float, float]:
    left, right, bottom, top = _bounds(placement)
    width, height = (right - left) * placement.unit, (top - bottom) * placement.unit
    return max(3.0, width + 0.2), height + 0.9


def _finish(axes: Axes, placement: NodePositions, title: str) -> None:
    left, right, bottom, top = _bounds(placement)
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    axes.set_axis_off()
    axes.set_title(title, fontsize=11, y=1.0)  # nothing to keep clear of, so nothing is measured


def _columns(handles: Sequence[Line2D], width: float = 5.2) -> int:
    """Columns of a legend below a drawing of that many inches: as many as its names have room."""
    widest = max(len(str(handle.get_label())) for handle in handles)
    room = min(52, int(10 * width))
    return min(len(handles), max(2, room // (widest + 6)), 7)


def _title(network: Network, loads: ChannelLoads | None) -> str:
    return (
        spec_text(network.spec)
        if loads is None
        else f"{spec_text(network.spec)}, maximum load {marks.load_text(loads.degree)}"
    )


def _least_label(network: Network, loads: ChannelLoads) -> int:
    """The least load that is written: every one, as long as numbers do not cover the drawing."""
    most: int = loads.degree
    if len(marks.load_text(most)) > _LONG_LABEL:
        return most if network.size <= 64 else most + 1  # the legend says it
    if network.geometry.word == "axis":
        return 1 if network.size <= 64 else most
    return 1 if network.n <= 4 else 2


def _is_port(network: Network, u: int, v: int) -> bool:
    """Whether a step leads between a node and its router, where it needs no channel."""
    node, router = sorted((u, v))
    base = network.first_router
    return 0 <= node < base <= router and router == base + network.at_router(node)


def _on_all_nodes(loads: ChannelLoads) -> ChannelLoads:
    """Loads of a job's messages as those of the whole network, which are the same channels."""
    whole = loads.network.whole_network
    return loads if whole is loads.network else ChannelLoads(whole, loads.counts, loads.unit)


def _check_loads(network: Network, loads: ChannelLoads) -> None:
    if loads.network != network:
        raise NetworkError("loads", f"must be loads of {network!r}", loads)
