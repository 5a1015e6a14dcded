"""A schedule for every subtask, at most two dimensions an axis, that takes exactly the lower bound.

This rule is the project's own. In a subtask an axis a carries one dimension or two; if two, their
dilations are 2^f and 2^(f+1). Nodes whose coordinate m_a has the same remainder g_a mod 2^f are a
group, and a group needs as many steps on its axis as the axis carries dimensions:

    one dimension    all nodes of the group exchange in one step
    two dimensions   bits f and f+1 of m_a equal: dimension f+1 in the first step, f in the
                     second; otherwise the other way round [calmant, section 3.2.1]

Let axis a own v_a = 1 or 2 neighbouring places from o_a on, so that the x places 0, ..., x-1 are
all owned, and let W(m) = Σ_a v_a g_a(m). Then node m uses axis a in the v_a steps

    (W(m) + o_a + e) mod LB,   e = 0, ..., v_a - 1.

With ⟨0,4⟩ on 4 × 4 × 4 nodes, LB = 4: axis 0 carries dimensions 0 and 3 and owns places 0 and 1,
axis 1 owns 2, axis 2 owns 3; all groups are 0, so W = 0 and the four places are the four steps.
The paper's rule, which gives every axis two steps, has no room for the third axis here.

Proof in `docs/embedding.md`; nothing in it asks for equal sides. On a torus the same rule holds;
an axis that carries the longest dimension alone, over half a ring, has 2^(f-1) groups
⌊m_a / 2⌋ mod 2^(f-1), because even and odd coordinates go different ways round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.network.ties import TieName
from lccmodel.pipelining.loads import LevelRuns, least_steps, levels_in_order


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


def is_subtask(runs: LevelRuns) -> bool:
    """Whether no axis carries more than two dimensions.

    >>> from lccmodel.pipelining.loads import LevelRun
    >>> is_subtask((LevelRun(0, 2), LevelRun(0, 0))), is_subtask((LevelRun(0, 3),))
    (True, False)
    """
    return all(run.length <= 2 for run in runs)


def axis_groups(runs: LevelRuns) -> list[AxisGroups]:
    """The groups of every axis that a subtask uses, in the order of its lowest dimensions.

    >>> from lccmodel.pipelining.loads import LevelRun
    >>> runs = (LevelRun(2, 1), LevelRun(1, 2))
    >>> [(a.axis, a.first, a.places, a.n_groups) for a in axis_groups(runs)]
    [(1, 1, 2, 2), (0, 2, 1, 4)]
    """
    used = sorted((run.first, axis) for axis, run in enumerate(runs) if run.length)
    return [
        AxisGroups(axis, first, runs[axis].length, runs[axis].wraps and runs[axis].length == 1)
        for first, axis in used
    ]


def subtask_steps(runs: LevelRuns, coordinates: Ints) -> Ints:
    """The steps of a subtask, free of conflicts and exactly as many as the lower bound.

    Args:
        runs: at most two levels an axis.
        coordinates: of every process, int64 of shape (c, 2^d).

    Returns:
        int64 of shape (x, 2^d): the step in which each process sends through each dimension, on a
        torus in the directions of `subtask_ties`.

    >>> from lccmodel.pipelining.loads import LevelRun
    >>> subtask_steps((LevelRun(0, 2),), np.array([[0, 1, 2, 3]])).tolist()
    [[1, 0, 0, 1], [0, 1, 1, 0]]
    """
    axes, bound = axis_groups(runs), least_steps(runs)
    rows = {place: row for row, place in enumerate(levels_in_order(runs))}
    shift = np.zeros(coordinates.shape[1], dtype=np.int64)
    for a in axes:
        shift += a.places * a.group(coordinates[a.axis])
    steps = np.empty((len(rows), coordinates.shape[1]), dtype=np.int64)
    place = 0
    for a in axes:
        for e, turn in enumerate(a.turns(coordinates[a.axis])):
            steps[rows[a.first + e, a.axis]] = (shift + place + turn) % bound
        place += a.places
    return steps


def subtask_ties(runs: LevelRuns) -> tuple[TieName, ...]:
    """Which way the messages of each dimension go half a ring of a torus under `subtask_steps`.

    >>> from lccmodel.pipelining.loads import LevelRun
    >>> subtask_ties((LevelRun(1, 1), LevelRun(1, 1, True), LevelRun(0, 2, True)))
    ('line', 'split', 'split', 'line')
    """
    return tuple("split" if runs[axis].length == 1 else "line" for _, axis in levels_in_order(runs))
