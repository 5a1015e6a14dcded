"""The part of a mesh that a drawing of a step shows: all of a line or plane, or one plane of more.

On three axes or more a plane is chosen by the coordinates of all axes but two; a message is shown
if it runs in that plane.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from lccmodel.errors import InputError, NetworkError, SizeLimitError
from lccmodel.network import Mesh
from lccmodel.pipelining.replays import TaskMessage
from lccmodel.pipelining.task import Task
from lccmodel.show.node_positions import MAX_DRAWN_GRID, NodePositions, node_positions


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

    >>> found = plane_of(Task(0, 1, "mesh:4x4x4"), {2: 3})
    >>> found.axes, found.words, sorted(found.placement.positions)[:2]
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
