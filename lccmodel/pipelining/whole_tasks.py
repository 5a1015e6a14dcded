"""Schedules of whole tasks ⟨i,M⟩_c on a mesh, at the lower bound for up to three axes.

A schedule is composed in one of three ways:

    subtask       M <= 2c: `subtask_rule`, LB⟨i,M⟩_c steps
    solved        `base_schedules`: found by search, for this task or a larger one
    concatenated  shorter tasks, one after another, split where it is best

For c = 1, 2 and 3 the result always takes the lower bound of [calmant, Theorem 4]; the proof is in
docs/schedules.md. No schedule needs to know d: a message through dimension k stays inside an
aligned block of 2^(⌊k/c⌋+1) nodes of its axis, so the smallest mesh that holds a task serves all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lccmodel.pipelining.base_schedules import BaseSchedule, base_schedules
from lccmodel.pipelining.loads import checked_task, lower_bound
from lccmodel.pipelining.standard_embedding import check_listed
from lccmodel.pipelining.subtask_rule import subtask_steps

__all__ = ["Composition", "optimal_steps", "schedule_length", "splitting"]

Steps = npt.NDArray[np.int64]
Rule = Literal["empty", "subtask", "solved", "concatenated"]


@dataclass(frozen=True, slots=True)
class Composition:
    """How the schedule of ⟨i,M⟩_c is composed.

    Attributes:
        i, M, c: the task.
        length: the number of steps.
        rule: "empty" (M = 0), "subtask", "solved" or "concatenated".
        parts: the parts of "concatenated", none of them concatenated itself, in the order of their
            steps and dimensions.
    """

    i: int
    M: int
    c: int
    length: int
    rule: Rule
    parts: tuple[Composition, ...] = ()

    def __str__(self) -> str:
        inner = f" ({' + '.join(map(str, self.parts))})" if self.parts else ""
        return f"⟨{self.i},{self.M}⟩ {self.rule} {self.length}{inner}"

    def steps(self, d: int) -> Steps:
        """The step of every message on the mesh of 2^d nodes; int64 (M, 2^d).

        Raises:
            InputError: d is no positive multiple of c, or i + M > d.
            SizeLimitError: d > 24.
        """
        checked_task(self.i, self.M, self.c, d)
        check_listed(d)
        if self.rule == "subtask":
            return subtask_steps(self.i, self.M, self.c, d)
        if self.rule == "solved":
            return next(_solved(self.i, self.M, self.c)).steps(self.i, self.M, d)
        steps = np.empty((self.M, 1 << d), dtype=np.int64)
        start = 0
        for part in self.parts:
            row = part.i - self.i
            steps[row : row + part.M] = start + part.steps(d)
            start += part.length
        return steps


def optimal_steps(i: Any, M: Any, c: Any, d: Any) -> Steps:
    """A schedule of ⟨i,M⟩_c on the mesh of 2^d nodes, free of conflicts.

    The entry [q, n] is the step (from 0) in which process n sends its message through dimension
    i + q to process n xor 2^(i+q); int64 (M, 2^d). It takes
    `schedule_length` steps, and for c <= 3 none is shorter.

    Raises:
        InputError: not integers, i < 0, M < 0, c < 1, d no positive multiple of c, or i + M > d.

    >>> optimal_steps(0, 2, 1, 2)
    array([[1, 0, 0, 1],
           [0, 1, 1, 0]])
    """
    i, M, c = checked_task(i, M, c, d)
    return splitting(i, M, c).steps(d)


def schedule_length(i: Any, M: Any, c: Any) -> int:
    """The number of steps that `optimal_steps` takes; the lower bound whenever c <= 3.

    Raises:
        InputError: not integers, i < 0, M < 0 or c < 1.

    >>> schedule_length(0, 7, 2), schedule_length(1, 7, 2), schedule_length(0, 18, 3)
    (10, 10, 42)
    """
    return splitting(i, M, c).length


def splitting(i: Any, M: Any, c: Any) -> Composition:
    """How the schedule of ⟨i,M⟩_c is composed of shorter ones.

    Raises:
        InputError: not integers, i < 0, M < 0 or c < 1.

    >>> print(splitting(0, 10, 2))
    ⟨0,10⟩ solved 21
    >>> print(splitting(2, 8, 2))
    ⟨2,8⟩ concatenated 20 (⟨2,4⟩ subtask 4 + ⟨6,4⟩ subtask 16)
    >>> print(splitting(0, 9, 2))
    ⟨0,9⟩ concatenated 21 (⟨0,1⟩ subtask 1 + ⟨1,4⟩ subtask 4 + ⟨5,4⟩ subtask 16)
    """
    i, M, c = checked_task(i, M, c)
    for shorter in range(M):  # from below, so that recursion stays shallow
        _composed(i, shorter, c)
    return _composed(i, M, c)


@cache
def _composed(i: int, M: int, c: int) -> Composition:
    """The first composition that takes the lower bound, else a shortest one."""
    bound = lower_bound(i, M, c)
    if M <= 2 * c:
        return Composition(i, M, c, bound, "subtask" if M else "empty")
    best: Composition | None = None
    for candidate in _compositions(i, M, c):
        if best is None or candidate.length < best.length:
            best = candidate
        if best.length == bound:
            break
    assert best is not None  # M > 1 can be split
    return best


def _compositions(i: int, M: int, c: int) -> Iterator[Composition]:
    for last in (2 * c, *range(1, M)):
        first, second = _composed(i, M - last, c), _composed(i + M - last, last, c)
        parts = _parts(first) + _parts(second)
        yield Composition(i, M, c, first.length + second.length, "concatenated", parts)
    for solved in _solved(i, M, c):
        yield Composition(i, M, c, solved.length, "solved")


def _parts(composition: Composition) -> tuple[Composition, ...]:
    return composition.parts if composition.rule == "concatenated" else (composition,)


def _solved(i: int, M: int, c: int) -> Iterator[BaseSchedule]:
    """Solved schedules that contain the task, the shortest first."""
    holding = [base for base in base_schedules() if base.holds(i, M, c)]
    yield from sorted(holding, key=lambda base: base.length)
