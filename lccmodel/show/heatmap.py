"""Loads of networks too large to draw node by node: heat maps, and maps of meshes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.network import ChannelLoads, Network
from lccmodel.show.network_artists import LoadScale, colours, figure_of, load_text
from lccmodel.show.node_positions import long_axes
from lccmodel.show.style import digit_colour, node_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_COLUMNS = 1024
_MOST_SIDE = 512
_MOST_MAP_LINKS = 1 << 14


def _is_plane(network: Network) -> bool:
    """Whether the network is a mesh or torus of two axes, which is drawn as a map."""
    geometry = network.geometry
    plane = geometry.word == "axis" and geometry.per_router == 1
    return plane and len(long_axes(geometry)) == 2


def heat_size(network: Network) -> tuple[float, float]:
    """Width and height of a heat map in inches."""
    return (6.4, 6.0) if _is_plane(network) else (8.0, 1.5 + 0.26 * len(_row_names(network)))


def draw_heat(axes: Axes, loads: ChannelLoads, scale: LoadScale) -> Any:
    """Draw what fits the network best; the artist that holds the colours."""
    if not _is_plane(loads.network):
        return _draw_rows(axes, loads, scale)
    if loads.network.n_channels <= 2 * _MOST_MAP_LINKS:
        return _draw_links(axes, loads, scale)
    return _draw_plane(axes, loads, scale)


def _row_names(network: Network) -> list[str]:
    """The rows of `counts` that may hold channels, by name."""
    rows = range(network.counter_shape[0])
    inside = min(network.whole_network.geometry.first, len(rows) - 1)  # rows without channels
    return [network.row_name(row) for row in rows[inside:]]


def _image(axes: Axes, shown: npt.NDArray[Any], **kwargs: Any) -> Any:
    look: Any = {"origin": "lower", "interpolation": "nearest", "cmap": colours(), **kwargs}
    return axes.imshow(np.ma.masked_equal(shown, 0), **look)


def labelled_rows(
    axes: Axes,
    shown: npt.NDArray[Any],
    columns: int,
    names: Sequence[str],
    largest: Sequence[str],
    text: Callable[[float], str] = load_text,
    **scale: Any,
) -> tuple[Any, Any]:
    """Rows of cells over so many columns, named on the left; the image, and the axis on the right.

    On the right stands the largest of each row. Cells carry their numbers, written by `text`,
    where all of them can be read.
    """
    extent, rows = (0, columns, -0.5, len(names) - 0.5), range(len(names))
    image = _image(axes, shown, aspect="auto", extent=extent, **scale)
    write_cells(axes, image, shown, text, columns / shown.shape[1], 0.0)
    axes.set_yticks(rows, names)
    right = axes.secondary_yaxis("right")
    right.set_yticks(rows, largest)
    right.tick_params(length=0)
    return image, right


_LEAST_POINTS = 5.5
"""Of a number in a cell."""


def write_cells(
    axes: Axes,
    image: Any,
    values: npt.NDArray[Any],
    text: Callable[[float], str] = load_text,
    width: float = 1.0,
    left: float = -0.5,
) -> None:
    """Write the number of every cell that is not 0 into it, where all can be read.

    Args:
        axes, image: what the cells are drawn on, and their colours.
        values: by row and column.
        text: how a number is written.
        width, left: of a cell, and where the first begins.
    """
    rows, columns = values.shape
    if rows * columns > _MOST_CELLS:
        return
    texts = {(i, j): text(values[i, j]) for i, j in zip(*np.nonzero(values), strict=True)}
    box = axes.get_window_extent()
    points = 72 / figure_of(axes).dpi
    longest = max(map(len, texts.values()), default=1)
    room = min(box.width * points / columns / (0.62 * longest + 0.4), box.height * points / rows)
    size = min(8.0, 0.9 * room)
    if size < _LEAST_POINTS:
        return
    for (i, j), written in texts.items():
        colour = digit_colour(image.cmap(image.norm(float(values[i, j]))))
        place = left + (j + 0.5) * width, float(i)
        label = axes.text(*place, written, fontsize=size, color=colour, ha="center", va="center")
        label.set_gid(f"tag-{i}-{j}")


_MOST_CELLS = 400
"""Cells whose numbers somebody reads."""


def _draw_rows(axes: Axes, loads: ChannelLoads, scale: LoadScale) -> Any:
    """Dimension by node, dimension 0 at the bottom; columns of several nodes show the largest."""
    network, names = loads.network, _row_names(loads.network)
    counts: npt.NDArray[Any] = loads.values[-len(names) :]
    columns = counts.shape[1]
    together = max(1, columns // _MOST_COLUMNS)
    padded = np.pad(counts, ((0, 0), (0, -columns % together)))
    shown = padded.reshape(len(counts), -1, together).max(axis=2)
    largest = [load_text(load) for load in counts.max(axis=1).tolist()]
    image, right = labelled_rows(axes, shown, columns, names, largest, norm=scale.norm())
    axes.set_xticks(node_ticks(columns))
    right.set_ylabel("largest")
    pooled = f" ({together} to a column, the largest shown)" if together > 1 else ""
    axes.set_xlabel(f"{network.column_name}{pooled}")
    word = network.whole_network.geometry.word
    axes.set_ylabel(word if word == "dimension" else "")
    return image


def _draw_plane(axes: Axes, loads: ChannelLoads, scale: LoadScale) -> Any:
    """A large mesh of two axes: a pixel for a node, coloured by the busiest channel it sends on."""
    network = loads.network
    sides = network.geometry.sides
    across, up = long_axes(network.geometry)
    width, height = sides[across], sides[up]
    busiest = loads.values.max(axis=0).reshape(height, width)
    kx, ky = max(1, width // _MOST_SIDE), max(1, height // _MOST_SIDE)
    padded = np.pad(busiest, ((0, -height % ky), (0, -width % kx)))
    shown = padded.reshape(-(-height // ky), ky, -(-width // kx), kx).max(axis=(1, 3))
    image = _image(axes, shown, norm=scale.norm(), aspect="equal", extent=(0, width, 0, height))
    pooled = f", {kx} × {ky} nodes to a pixel" if kx * ky > 1 else ""
    axes.set_xlabel(f"axis {across}\ncolour: the busiest channel that leaves a node{pooled}")
    axes.set_ylabel(f"axis {up}")
    return image


def _draw_links(axes: Axes, loads: ChannelLoads, scale: LoadScale) -> Any:
    """The links of a mesh of two axes as lines on the grid, a lane for each direction."""
    from matplotlib.collections import LineCollection

    network = loads.network
    across, up = long_axes(network.geometry)
    segments: list[npt.NDArray[np.float64]] = []
    values: list[int] = []
    for (tail, head), load in sorted(loads.items(), key=lambda item: item[1]):
        ends = [network.coordinates(node) for node in (tail, head)]
        u, v = (np.array([c[across], c[up]], dtype=float) for c in ends)
        step = np.sign(v - u)
        wraps = np.abs(v - u).sum() > 1
        if wraps:
            step = -step
        lane = 0.14 * np.array([step[1], -step[0]])
        lines = [(u, u + 0.5 * step), (v - 0.5 * step, v)] if wraps else [(u, v)]
        segments += [np.array(line) + lane for line in lines]
        values += [load] * len(lines)
    shape = network.geometry.sides
    sides = shape[across], shape[up]
    width = max(0.6, min(4.0, 110 / max(sides)))
    widest = scale.width(scale.top)  # wider for more: the map does not speak by colour alone
    widths = [width * scale.width(load) / widest for load in values]
    links = LineCollection(segments, cmap=colours(), norm=scale.norm(), linewidths=widths)
    links.set_array(np.array(values, dtype=float))
    axes.add_collection(links)
    axes.set(xlim=(-0.8, sides[0] - 0.2), ylim=(-0.8, sides[1] - 0.2), aspect="equal")
    axes.set(xlabel=f"axis {across}", ylabel=f"axis {up}")
    axes.locator_params(integer=True, min_n_ticks=1)
    return links
