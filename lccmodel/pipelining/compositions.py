"""How the schedule of a whole task is composed of shorter ones.

    subtask       at most two dimensions an axis: `subtask_rule`, LB steps
    solved        `base_schedules`: found by search, for this task or a larger one
    concatenated  shorter tasks, one after another, split where it is best
    wrapped       on a torus: a task on the mesh below, and above it a subtask that may wrap around

On a mesh with equal sides and one, two or three axes the result always takes the lower bound of
[calmant, Theorem 4]; the proof is in docs/schedules.md. No schedule needs to know the sides: a
message of level l stays inside an aligned block of 2^(l+1) nodes of its axis, so the smallest mesh
that holds a task serves all.

The part below a wrapped one stays inside half of every ring as long as it holds none of the
longest dimensions; where it does, its messages keep to the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel.errors import InputError, checked_array
from lccmodel.network.ties import TieName
from lccmodel.pipelining.base_schedules import BaseSchedule, base_schedules
from lccmodel.pipelining.loads import (
    LevelRun,
    LevelRuns,
    cut,
    least_steps,
    levels_in_order,
    n_dimensions,
)
from lccmodel.pipelining.subtask_rule import is_subtask, subtask_steps, subtask_ties
from lccmodel.pipelining.task import Task
from lccmodel.views import Viewed

__all__ = ["Composition", "best_parts", "composed", "splitting"]

CompositionRule = Literal["empty", "subtask", "solved", "concatenated", "wrapped"]


@dataclass(frozen=True, slots=True)
class Composition(Viewed, view="composition"):
    """How the schedule of some runs is composed.

    Attributes:
        runs: what each axis carries.
        length: the number of steps.
        rule: "empty" (no dimension), "subtask", "solved", "concatenated" or "wrapped".
        parts: the parts of "concatenated" and "wrapped", in the order of steps and dimensions.

    >>> from lccmodel.pipelining import Task, splitting
    >>> splitting(Task(0, 3, "mesh:4x4")).rule
    'subtask'
    """

    runs: LevelRuns
    length: int
    rule: CompositionRule
    parts: tuple[Composition, ...] = ()

    def words(self, i: int = 0) -> str:
        """The composition in a line, when its first dimension is i."""
        inner, at = [], i
        for part in self.parts:
            inner.append(part.words(at))
            at += n_dimensions(part.runs)
        whole = f"⟨{i},{n_dimensions(self.runs)}⟩ {self.rule} {self.length}"
        return f"{whole} ({' + '.join(inner)})" if inner else whole

    def steps(self, coordinates: Ints) -> Ints:
        """The step of every message, int64 (M, 2^d), for the coordinates of all processes.

        Raises:
            InputError: not a row of 2^d coordinates for every axis.
        """
        coordinates = checked_array("coordinates", coordinates)
        if coordinates.ndim != 2 or len(coordinates) != len(self.runs):
            rule = f"must have {len(self.runs)} rows, one an axis, and a column for every process"
            raise InputError("coordinates", rule, coordinates.shape)
        if self.rule == "subtask":
            return subtask_steps(self.runs, coordinates)
        if self.rule == "solved":
            return next(_solved(self.runs)).steps(self.runs, coordinates)
        shape = n_dimensions(self.runs), coordinates.shape[1]
        steps, start, row = np.empty(shape, dtype=np.int64), 0, 0
        for part in self.parts:
            end = row + n_dimensions(part.runs)
            steps[row:end] = start + part.steps(coordinates)
            start, row = start + part.length, end
        return steps

    def ties(self) -> tuple[TieName, ...]:
        """Which way the messages of each dimension go half a ring; no matter on a mesh."""
        M = n_dimensions(self.runs)
        if not any(run.wraps for run in self.runs):
            return tuple[TieName, ...](["line"] * M)
        if self.rule == "subtask":
            return subtask_ties(self.runs)
        if self.rule == "solved":
            return tuple[TieName, ...](["split"] * M)
        return tuple(way for part in self.parts for way in part.ties())


_DEEP = 32
"""Dimensions that are split in one go; each adds a few calls inside calls."""


@typed_arguments
def splitting(task: Task) -> Composition:
    """How the schedule of a task with one port is composed of shorter ones.

    Raises:
        InputError: not a task.

    >>> print(splitting(Task(0, 10, "mesh:32x32")).words())
    ⟨0,10⟩ solved 21
    >>> print(splitting(Task(2, 8, "mesh:32x32")).words(2))
    ⟨2,8⟩ concatenated 20 (⟨2,4⟩ subtask 4 + ⟨6,4⟩ subtask 16)
    >>> print(splitting(Task(0, 9, "mesh:32x32")).words())
    ⟨0,9⟩ concatenated 21 (⟨0,1⟩ subtask 1 + ⟨1,4⟩ subtask 4 + ⟨5,4⟩ subtask 16)
    """
    if not isinstance(task, Task):
        raise InputError("task", "must be a Task", task)
    return composed(task.runs)


@cache
def composed(runs: LevelRuns) -> Composition:
    """The first composition that takes the lower bound, else a shortest one."""
    M = n_dimensions(runs)
    if any(run.wraps for run in runs):
        return _on_torus(runs)
    for shorter in range(_DEEP, M, _DEEP):  # from below, so that recursion stays shallow
        _on_mesh(cut(runs, shorter)[0])
    return _on_mesh(runs)


@cache
def _on_mesh(runs: LevelRuns) -> Composition:
    bound = least_steps(runs)
    if is_subtask(runs):
        return Composition(runs, bound, "subtask" if n_dimensions(runs) else "empty")
    best: Composition | None = None
    for candidate in _compositions(runs):
        if best is None or candidate.length < best.length:
            best = candidate
        if best.length == bound:
            break
    assert best is not None  # more than one dimension can be split
    return best


def _compositions(runs: LevelRuns) -> Iterator[Composition]:
    M = n_dimensions(runs)
    for last in (_largest_subtask(runs), *range(1, M)):
        below, above = (_on_mesh(part) for part in cut(runs, M - last))
        parts = _parts(below) + _parts(above)
        yield Composition(runs, below.length + above.length, "concatenated", parts)
    for solved in _solved(runs):
        yield Composition(runs, solved.length, "solved")


def _parts(composition: Composition) -> tuple[Composition, ...]:
    return composition.parts if composition.rule == "concatenated" else (composition,)


def _largest_subtask(runs: LevelRuns) -> int:
    """How many of the highest dimensions are a subtask: 2c of equal runs."""
    counts = [0] * len(runs)
    for x, (_, axis) in enumerate(reversed(levels_in_order(runs))):
        counts[axis] += 1
        if counts[axis] > 2:
            return x
    return n_dimensions(runs)


def _solved(runs: LevelRuns) -> Iterator[BaseSchedule]:
    """Solved schedules that contain the task, the shortest first."""
    holding = [base for base in base_schedules() if base.axes_for(runs) is not None]
    yield from sorted(holding, key=lambda base: base.length)


def _on_torus(runs: LevelRuns) -> Composition:
    """The shortest of all cuts into a mesh below and a subtask above, or a solved schedule."""
    M, candidates = n_dimensions(runs), []
    for top in range(min(M, _largest_subtask(runs)) + 1):
        below, above = cut(runs, M - top)
        lower, upper = composed(_flat(below)), Composition(above, least_steps(above), "subtask")
        if top == M:
            candidates.append(upper)
        else:
            parts = (lower, upper) if top else (lower,)
            candidates.append(
                Composition(runs, lower.length + least_steps(above), "wrapped", parts)
            )
    candidates += [Composition(runs, solved.length, "solved") for solved in _solved(runs)]
    return min(candidates, key=lambda candidate: candidate.length)


def _flat(runs: LevelRuns) -> LevelRuns:
    """The same on a mesh."""
    return tuple(LevelRun(run.first, run.length) for run in runs)


@lru_cache(maxsize=4096)
def best_parts(runs: LevelRuns) -> tuple[int, ...]:
    """How many dimensions each subtask has when the lower bounds of all have the least sum.

    The subtasks are in ascending order. The paper cuts a task into 2c dimensions at a time from
    above; a cut anywhere can be better. Among equal sums the last part is the longest possible,
    then the one before it.

    >>> from lccmodel.pipelining.loads import equal_runs
    >>> best_parts(equal_runs(1, 7, 2))
    (3, 4)
    """
    totals, lengths = [0], [0]
    for end in range(1, n_dimensions(runs) + 1):
        below = cut(runs, end)[0]
        total, negative = min(
            (totals[end - x] + least_steps(cut(below, end - x)[1]), -x)
            for x in range(1, _largest_subtask(below) + 1)
        )
        totals.append(total)
        lengths.append(-negative)
    parts, end = [], len(totals) - 1
    while end:
        parts.append(lengths[end])
        end -= lengths[end]
    return tuple(reversed(parts))
