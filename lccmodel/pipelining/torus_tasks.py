"""Schedules of whole tasks on a torus with one port.

A task is cut once: on the mesh, by `whole_tasks`, the dimensions below the cut, and after them a
subtask of at most 2c dimensions that may wrap around (`subtask_rule`). A task that no cut brings
to the lower bound may have been solved (`torus_cases`). On two axes and d <= 16 that gives every
task its bound; what is left on three stands in `docs/embedding.md`.

The part below stays inside half of every ring as long as it holds none of the longest dimensions;
where it does, its messages keep to the line.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel.pipelining.loads import Ties, checked_task, lower_bound
from lccmodel.pipelining.subtask_rule import subtask_steps, subtask_ties
from lccmodel.pipelining.torus_cases import solved_length, solved_steps
from lccmodel.pipelining.whole_tasks import optimal_steps, schedule_length

__all__ = ["torus_length", "torus_steps"]

Ints = npt.NDArray[np.int64]


def torus_length(i: int, M: int, c: int, d: int) -> int:
    """The number of steps that `torus_steps` takes.

    Raises:
        InputError: not integers, i < 0, M < 0, c < 1, d no positive multiple of c, or i + M > d.

    >>> torus_length(0, 8, 2, 8), torus_length(0, 8, 2, 10), lower_bound(0, 8, 2, 8, "torus")
    (9, 10, 9)
    """
    i, M, c = checked_task(i, M, c, d)
    cut = _cut_length(i, M, c, d, _best_top(i, M, c, d))
    solved = solved_length(i, M, c, d)
    return cut if solved is None else min(cut, solved)


def torus_steps(i: int, M: int, c: int, d: int) -> tuple[Ints, tuple[Ties, ...]]:
    """A schedule of ⟨i,M⟩_c on the torus of 2^d nodes, free of conflicts.

    Returns:
        The step in which process n sends through dimension i + q, int64 (M, 2^d), and which way
        the messages of each dimension go half a ring.

    Raises:
        InputError: as for `torus_length`.
        SizeLimitError: d > 24.

    >>> steps, ties = torus_steps(0, 2, 1, 2)
    >>> steps.tolist(), ties
    ([[1, 0, 0, 1], [0, 1, 1, 0]], ('line', 'line'))
    """
    i, M, c = checked_task(i, M, c, d)
    top = _best_top(i, M, c, d)
    solved = solved_length(i, M, c, d)
    if solved is not None and solved < _cut_length(i, M, c, d, top):
        both_ways: list[Ties] = ["split"] * M
        return solved_steps(i, M, c, d), tuple(both_ways)
    below = M - top
    steps = np.empty((M, 1 << d), dtype=np.int64)
    steps[:below] = optimal_steps(i, below, c, d)
    ties: list[Ties] = ["line"] * below
    if top:
        above = subtask_steps(i + below, top, c, d, "torus")
        steps[below:] = above + schedule_length(i, below, c)
        ties += subtask_ties(i + below, top, c, d)
    return steps, tuple(ties)


def _best_top(i: int, M: int, c: int, d: int) -> int:
    """How many dimensions the subtask above has in a shortest cut; the fewest of equals."""
    return min(range(min(M, 2 * c) + 1), key=lambda top: _cut_length(i, M, c, d, top))


def _cut_length(i: int, M: int, c: int, d: int, top: int) -> int:
    below = M - top
    return schedule_length(i, below, c) + lower_bound(i + below, top, c, d, "torus")
