"""Where the nodes of a network stand in a drawing.

A hypercube is the projection x -> sum of x_i v_i. The first three vectors show a cube; the next
ones repeat it to the right, above and to the right again. Their slopes were searched for the
largest distance between a node and a channel that is not its own, so that no channel seems to
pass through a node. On a mesh, axis 0 runs to the right and axis 1 upwards; of three axes or more
a drawing of a step shows one plane, which the coordinates of all axes but two choose.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, NetworkError, SizeLimitError
from lccmodel.network import Mesh, Network
from lccmodel.network.geometry import Geometry
from lccmodel.network.grid_shape import digits_of
from lccmodel.network.loads import Channel

if TYPE_CHECKING:
    from lccmodel.pipelining.replays import TaskMessage
    from lccmodel.pipelining.task import Task

PlanePoint = tuple[float, float]

_MAX_DRAWN_BITS = 6
"""Largest n of a hypercube drawn node by node: 384 channels can still be told apart."""

MAX_DRAWN_GRID = 256
"""Most nodes of a mesh or torus drawn node by node."""

_VECTORS: dict[int, tuple[PlanePoint, ...]] = {
    3: ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5)),
    4: ((1.0, 0.0), (0.0, 1.0), (0.53, 0.37), (1.9, -0.47)),
    5: ((1.0, 0.0), (0.0, 1.0), (0.4, 0.4), (2.25, -0.56), (-0.55, 2.21)),
    6: ((1.0, 0.0), (0.0, 1.0), (0.44, 0.38), (2.07, -0.62), (-0.47, 2.13), (4.35, -1.05)),
}
_CUBE_UNITS = {1: 1.7, 2: 1.7, 3: 1.8, 4: 1.9, 5: 1.75, 6: 1.75}
_CUBE_RADII = {1: 0.13, 2: 0.13, 3: 0.13, 4: 0.12, 5: 0.115, 6: 0.095}
_BOX_VECTORS: dict[int, tuple[PlanePoint, ...]] = {
    3: ((1.3, 0.0), (0.0, 1.05), (0.65, 0.45)),
    4: ((1.3, 0.0), (0.0, 1.1), (0.44, 0.45), (2.46, -0.51)),
    5: ((1.3, 0.0), (0.0, 1.02), (0.53, 0.4), (2.88, -0.47), (-0.74, 2.36)),
}
_BOX: PlanePoint = (0.2, 0.125)
_BOX_UNIT = 1.75


@dataclass(frozen=True)
class NodePositions:
    """Positions of all nodes of `network.graph()`, in units of `unit` inches.

    `labels` names the nodes to draw. `links` holds each pair of joined nodes or routers once,
    `wraps` the links of a torus that go round. `box` is half the width and half the height of a
    router's box, whose lower and upper half are its nodes; without it a node is a circle.
    """

    positions: dict[int, PlanePoint]
    labels: dict[int, str]
    radius: float
    unit: float
    links: tuple[Channel, ...]
    wraps: tuple[Channel, ...] = ()
    box: PlanePoint | None = None


TANGLED = 32
"""Routers from which on a hypercube is drawn as a heat map."""


_SPOTS = (0.36, 0.5, 0.64, 0.43, 0.57, 0.29, 0.71, 0.25, 0.75)
"""Parts of a line at which its number may be, those that are tried first."""


def free_spot(
    line: tuple[PlanePoint, PlanePoint],
    others: npt.NDArray[np.float64],
    taken: Sequence[PlanePoint],
    room: PlanePoint,
    spots: Sequence[float] = _SPOTS,
) -> PlanePoint:
    """The place on a line for its number: away from other lines and from numbers.

    Args:
        line: from where to where.
        others: the other lines, an array of shape (number, 2, 2).
        taken: the places of numbers.
        room: the least distance from a line, and from a number.
        spots: parts of the line, the first that has enough room; else the one that has most.

    >>> crossing = np.array([[(0.36, -1.0), (0.36, 1.0)]])
    >>> free_spot(((0, 0), (1, 0)), crossing, [], (0.1, 0.1))
    (0.5, 0.0)
    """
    (x0, y0), (x1, y1) = line
    points = np.array([(x0 + f * (x1 - x0), y0 + f * (y1 - y0)) for f in spots])
    rooms = np.full(len(spots), np.inf)
    if len(others):
        starts, along = others[:, 0], others[:, 1] - others[:, 0]
        away = points[:, None] - starts
        squares = np.maximum((along**2).sum(axis=1), 1e-12)
        part = np.clip((away * along).sum(axis=2) / squares, 0, 1)
        gaps = away - part[..., None] * along
        rooms = np.sqrt((gaps**2).sum(axis=2)).min(axis=1) / room[0]
    if taken:
        gaps = points[:, None] - np.array(taken)
        rooms = np.minimum(rooms, np.sqrt((gaps**2).sum(axis=2)).min(axis=1) / room[1])
    best = int(np.argmax(rooms >= 1)) if (rooms >= 1).any() else int(np.argmax(rooms))
    return float(points[best][0]), float(points[best][1])


def is_drawable(network: Network) -> bool:
    """Whether the network can be drawn node by node."""
    if _is_drawn_as_cube(network.geometry):
        return network.n <= _MAX_DRAWN_BITS
    geometry = network.geometry
    grid = geometry.is_grid and geometry.per_router == 1
    return grid and len(long_axes(geometry)) <= 2 and network.size <= MAX_DRAWN_GRID


def is_readable(network: Network) -> bool:
    """Whether a drawing node by node can be read: a hypercube of 32 routers or more is a tangle.

    >>> from lccmodel.network import as_network
    >>> [is_readable(as_network(word)) for word in ("cube:4", "cube:5", "mesh:8x8")]
    [True, False, True]
    """
    tangled = _is_drawn_as_cube(network.geometry) and network.routers >= TANGLED
    return is_drawable(network) and not tangled


def _is_drawn_as_cube(geometry: Geometry) -> bool:
    """Hypercubes and Origins, and what is one by another word where it is no plane."""
    named = geometry.word == "dimension" or len(long_axes(geometry)) > 2
    return geometry.is_cube_or_origin and named


def node_positions(network: Network) -> NodePositions:
    """The positions of a network's nodes.

    Raises:
        SizeLimitError: a hypercube with n > 6, or a mesh of more than 256 nodes.
        NetworkError: a mesh of three or more axes, or another kind of network.
    """
    geometry = network.geometry
    if geometry.is_grid and geometry.per_router == 1 and not _is_drawn_as_cube(geometry):
        return _place_grid(network)
    if not geometry.is_cube_or_origin:
        raise NetworkError(
            "network", "must be a hypercube, bristled hypercube, mesh or torus", network
        )
    if network.n > _MAX_DRAWN_BITS:
        rule = f"hypercubes are drawn node by node up to n = {_MAX_DRAWN_BITS}; use draw_loads"
        raise SizeLimitError("network", rule, network)
    return _place_cube(network) if geometry.per_router == 1 else _place_bristled(network)


def _projection(n: int, families: dict[int, tuple[PlanePoint, ...]]) -> list[PlanePoint]:
    vectors = families[max(n, 3)]
    return [
        (
            sum(vectors[i][0] for i in range(n) if x >> i & 1),
            sum(vectors[i][1] for i in range(n) if x >> i & 1),
        )
        for x in range(1 << n)
    ]


def _cube_links(n: int) -> list[Channel]:
    return [(x, x | 1 << i) for i in range(n) for x in range(1 << n) if not x >> i & 1]


def _place_cube(network: Network) -> NodePositions:
    n = network.n
    return NodePositions(
        positions=dict(enumerate(_projection(n, _VECTORS))),
        labels={x: f"{x:0{n}b}" for x in range(network.size)},
        radius=_CUBE_RADII[n],
        unit=_CUBE_UNITS[n],
        links=tuple(_cube_links(n)),
    )


def _place_bristled(network: Network) -> NodePositions:
    """Routers as a cube of n - 1 dimensions, each a box with its two nodes."""
    n, first = network.n, network.size
    routers = _projection(n - 1, _BOX_VECTORS)
    positions = {first + r: point for r, point in enumerate(routers)}
    for x in range(network.size):
        px, py = routers[x >> 1]
        positions[x] = (px, py + (_BOX[1] / 2 if x & 1 else -_BOX[1] / 2))
    return NodePositions(
        positions=positions,
        labels={x: f"{x:0{n}b}" for x in range(network.size)},
        radius=_BOX[1] / 2,
        unit=_BOX_UNIT,
        links=tuple((first + u, first + v) for u, v in _cube_links(n - 1)),
        box=_BOX,
    )


def long_axes(geometry: Geometry) -> list[int]:
    """The axes of more than one router."""
    return [axis for axis, length in enumerate(geometry.sides) if length > 1]


def _place_grid(network: Network) -> NodePositions:
    geometry = network.geometry
    axes = long_axes(geometry)
    if len(axes) > 2:
        rule = "meshes of one or two axes are drawn node by node; use draw_loads for more"
        raise NetworkError("network", rule, network)
    if network.size > MAX_DRAWN_GRID:
        rule = f"meshes are drawn node by node up to {MAX_DRAWN_GRID} nodes; use draw_loads"
        raise SizeLimitError("network", rule, network)
    positions = {}
    for x in range(network.size):
        where = digits_of(x, geometry.sides)
        up = float(where[axes[1]]) if len(axes) > 1 else 0.0
        positions[x] = (float(where[axes[0]]), up)
    links: list[Channel] = []
    wraps: list[Channel] = []
    for u in range(network.size):
        for v in network.neighbours(u):
            (ux, uy), (vx, vy) = positions[u], positions[v]
            if u < v:
                (links if abs(ux - vx) + abs(uy - vy) < 1.5 else wraps).append((u, v))
    return NodePositions(
        positions=positions,
        labels={x: str(x) for x in range(network.size)},
        radius=0.17,
        unit=0.95 if network.size <= 64 else 0.8,
        links=tuple(links),
        wraps=tuple(wraps),
    )


# -- planes of meshes ---------------------------------------------------------------------------


@dataclass(frozen=True)
class MeshPlane:
    """A line or a plane of a mesh.

    Attributes:
        placement: where its nodes stand, under the numbers that they have on the mesh.
        axes: the axes that are drawn, the one to the right first.
        words: which plane it is, for titles; empty if it is the whole mesh.
    """

    placement: NodePositions
    axes: tuple[int, ...]
    words: str = ""

    def shows(self, message: TaskMessage) -> bool:
        """Whether the message runs in this plane, from end to end."""
        return {message.source, message.destination} <= self.placement.positions.keys()


def plane_of(task: Task, plane: Mapping[int, int] | None = None) -> MeshPlane:
    """The plane where a step of a task is drawn.

    Args:
        task: on any mesh or torus.
        plane: coordinates of all axes but two; only for three axes or more.

    Raises:
        InputError: other axes, or a coordinate out of range.
        NetworkError: three axes or more, and no plane.
        SizeLimitError: more than 256 nodes.

    >>> from lccmodel.pipelining.task import Task
    >>> plane = plane_of(Task(0, 1, "mesh:4x4x4"), {2: 3})
    >>> plane.axes, plane.words, sorted(plane.placement.positions)[:2]
    ((0, 1), 'coordinate 2 = 3', [48, 49])
    """
    fixed = dict(plane or {})
    if task.c > 2 and not fixed:
        rule = "is drawn on three axes or more plane by plane, such as plane={2: 0}"
        raise NetworkError("schedule", rule, task.mesh)
    shown = tuple(axis for axis in range(task.c) if axis not in fixed)
    if not set(fixed) <= set(range(task.c)) or (fixed and len(shown) != 2):
        rule = f"must have the coordinates of all but two of the axes 0..{task.c - 1}"
        raise InputError("plane", rule, fixed)
    sides = task.mesh.shape
    for axis, x in fixed.items():
        if not (isinstance(x, int) and 0 <= x < sides[axis]):
            raise InputError("plane", f"must have coordinates in 0..{sides[axis] - 1}", fixed)
    if math.prod(sides[axis] for axis in shown) > MAX_DRAWN_GRID:
        rule = f"steps are drawn on at most {MAX_DRAWN_GRID} nodes"
        raise SizeLimitError("schedule", rule, task.mesh)
    words = ", ".join(f"coordinate {axis} = {x}" for axis, x in sorted(fixed.items()))
    return MeshPlane(_renumbered(task.mesh, shown, fixed), shown, words)


def _renumbered(mesh: Mesh, shown: tuple[int, ...], fixed: Mapping[int, int]) -> NodePositions:
    """The placement of a line or plane by itself, with the numbers of its nodes on the mesh."""
    part = type(mesh)(tuple(mesh.shape[axis] for axis in shown))

    def number(node: int) -> int:
        at = {**fixed, **dict(zip(shown, part.coordinates(node), strict=True))}
        return mesh.node([at[axis] for axis in range(len(mesh.shape))])

    own = node_positions(part)
    numbers = {node: number(node) for node in own.positions}
    return replace(
        own,
        positions={numbers[node]: at for node, at in own.positions.items()},
        labels={numbers[node]: str(numbers[node]) for node in own.labels},
        links=tuple((numbers[u], numbers[v]) for u, v in own.links),
        wraps=tuple((numbers[u], numbers[v]) for u, v in own.wraps),
    )
