"""A schedule for every subtask ⟨i,x⟩_c with 1 <= x <= 2c that takes exactly the lower bound.

This rule is the project's own. In a subtask an axis a carries one dimension or two; if two, their
dilations are 2^f and 2^(f+1). Nodes whose coordinate m_a has the same remainder g_a mod 2^f are a
group, and a group needs as many steps on its axis as the axis carries dimensions:

    one dimension    all nodes of the group exchange in one step
    two dimensions   bits f and f+1 of m_a equal: dimension f+1 in the first step, f in the
                     second; otherwise the other way round [calmant, section 3.2.1]

Let axis a own v_a = 1 or 2 neighbouring places from o_a on, so that the x places 0, ..., x-1 are
all owned, and let W(m) = Σ_a v_a g_a(m). Then node m uses axis a in the v_a steps

    (W(m) + o_a + e) mod LB,   e = 0, ..., v_a - 1.

With c = 3 and ⟨0,4⟩_3, LB = 4: axis 0 carries dimensions 0 and 3 and owns places 0 and 1, axis 1
owns 2, axis 2 owns 3; all groups are 0, so W = 0 and the four places are the four steps. The
paper's rule, which gives every axis two steps, has no room for the third axis here.

Proof in `docs/embedding.md`. On a torus the same rule holds; an axis that carries the longest
dimension alone, over half a ring, has 2^(f-1) groups ⌊m_a / 2⌋ mod 2^(f-1), because even and odd
coordinates go different ways round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.pipelining.loads import Ties, Topology, axis_run, checked_task, lower_bound
from lccmodel.pipelining.standard_embedding import axis_coordinates

__all__ = ["AxisGroups", "axis_groups", "subtask_steps", "subtask_ties"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class AxisGroups:
    """How the nodes of one axis take turns when it carries one dimension or two.

    Attributes: `axis`; `first`, the exponent f of the shorter dilation; `places`, how many
    dimensions it carries; `halves`, whether its messages go half a ring and are split.
    """

    axis: int
    first: int
    places: int
    halves: bool = False

    @property
    def n_groups(self) -> int:
        """2^f, or 2^(f-1) for split messages over half a ring."""
        return 1 << self.first - self.halves

    @property
    def n_steps(self) -> int:
        """Steps until all groups had their turn: the load of the axis."""
        return self.places * self.n_groups

    def group(self, m: Ints) -> Ints:
        """The group of every coordinate."""
        return (m >> int(self.halves)) % self.n_groups

    def turns(self, m: Ints) -> Ints:
        """Which of the group's steps each coordinate sends in: int64 (places, *m.shape)."""
        if self.places == 1:
            return np.zeros((1, *m.shape), dtype=np.int64)
        differ = (m >> self.first ^ m >> self.first + 1) & 1  # 1: the short dimension first
        return np.array([1 - differ, differ])


def axis_groups(i: int, x: int, c: int, d: int, topology: Topology = "mesh") -> list[AxisGroups]:
    """The groups of every axis that a subtask uses, in the order of its dimensions.

    Raises:
        InputError: a value out of range, or not 1 <= x <= 2c.

    >>> [(a.axis, a.first, a.places, a.n_groups) for a in axis_groups(3, 3, 2, 8)]
    [(1, 1, 2, 2), (0, 2, 1, 4)]
    """
    i, x, c = checked_task(i, x, c, d, topology)
    if not 1 <= x <= 2 * c:
        raise InputError("x", f"must be in 1..2c = 1..{2 * c} dimensions", x)
    side_bits = d // c
    listed = []
    for k in range(i, min(i + c, i + x)):
        first, places = axis_run(i, x, c, k % c)
        top = first == side_bits - 1 and side_bits > 1 and topology == "torus"
        listed.append(AxisGroups(k % c, first, places, top and places == 1))
    return listed


def subtask_steps(i: int, x: int, c: int, d: int, topology: Topology = "mesh") -> Ints:
    """The steps of ⟨i,x⟩_c, free of conflicts and exactly as many as the lower bound.

    Args:
        i: first dimension.
        x: number of dimensions, 1 <= x <= 2c.
        c: number of axes.
        d: number of dimensions of the CC-cube, a multiple of c, at most 24.
        topology: "mesh", or "torus" with the directions of `subtask_ties`.

    Returns:
        int64 of shape (x, 2^d); entry [q, n] is the step in which process n sends through
        dimension i + q.

    Raises:
        InputError: a value out of range.
        SizeLimitError: d > 24.

    >>> subtask_steps(0, 2, 1, 2).tolist()
    [[1, 0, 0, 1], [0, 1, 1, 0]]
    >>> subtask_steps(0, 3, 2, 4).max() + 1, subtask_steps(0, 4, 3, 6).max() + 1
    (np.int64(3), np.int64(4))
    """
    axes = axis_groups(i, x, c, d, topology)
    bound = lower_bound(i, x, c, d, topology)
    coordinates = axis_coordinates(d, c)
    shift = np.zeros(1 << d, dtype=np.int64)
    for a in axes:
        shift += a.places * a.group(coordinates[a.axis])
    steps = np.empty((x, 1 << d), dtype=np.int64)
    place = 0
    for offset, a in enumerate(axes):
        for e, turn in enumerate(a.turns(coordinates[a.axis])):
            steps[offset + e * c] = (shift + place + turn) % bound
        place += a.places
    return steps


def subtask_ties(i: int, x: int, c: int, d: int) -> tuple[Ties, ...]:
    """Which way the messages of each dimension go half a ring of a torus under `subtask_steps`.

    Raises:
        InputError: a value out of range, or not 1 <= x <= 2c.

    >>> subtask_ties(2, 4, 3, 6)
    ('line', 'split', 'split', 'line')
    """
    alone = {a.axis: a.places == 1 for a in axis_groups(i, x, c, d, "torus")}
    return tuple("split" if alone[k % c] else "line" for k in range(i, i + x))
