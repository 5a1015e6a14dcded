"""How the schedule of a whole task is composed of shorter ones.

    subtask       at most two dimensions an axis: `subtask_steps`, LB steps
    solved        `base_schedules`: found by search, for this task or a larger one
    concatenated  shorter tasks, one after another, split where it is best
    wrapped       on a torus: a task on the mesh below, and above it a subtask that may wrap around

On a mesh with equal sides and up to five axes the result always takes the lower bound of
[calmant, Theorem 4] (proof: docs/schedule_proofs.md). No schedule needs to know the sides: a
message of level l stays inside an aligned block of 2^(l+1) nodes of its axis, so the smallest mesh
that holds a task serves all.

The part below a wrapped one stays inside half of every ring as long as it holds none of the
longest dimensions; where it does, its messages keep to the line.

Dimensions of one level may be sent in any order, so a cut between two parts may leave any of the
axes with their next level above or below it. The cuts that keep the dimensions in their order are
tried first; where they miss the bound, all of them are, on the axes sorted by what they carry. So
the length does not depend on the order of the axes.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import attrgetter
from typing import Literal

import numpy as np

from lccmodel.errors import InputError, checked_array
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.network.ring_direction import TieName
from lccmodel.pipelining.base_schedules import (
    BaseSchedule,
    base_schedules,
    is_subtask,
    subtask_steps,
    subtask_ties,
)
from lccmodel.pipelining.loads import (
    LevelRun,
    LevelRuns,
    cut,
    cut_run,
    least_steps,
    levels_in_order,
    n_dimensions,
)
from lccmodel.pipelining.task import Task

CompositionRule = Literal["empty", "subtask", "solved", "concatenated", "wrapped"]


@dataclass(frozen=True, slots=True)
class Composition(Answer, view="composition"):
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
        """Return the composition in a line, when its first dimension is i."""
        number = {place: i + k for k, place in enumerate(levels_in_order(self.runs))}
        return self._words(number)

    def _words(self, number: dict[tuple[int, int], int]) -> str:
        """The same, the dimension of every level of an axis given."""
        own = sorted(number[place] for place in levels_in_order(self.runs))
        first, M = own[0] if own else min(number.values(), default=0), len(own)
        window = own == list(range(first, first + M))
        name = f"⟨{first},{M}⟩" if window else f"{{{', '.join(map(str, own))}}}"
        whole = f"{name} {self.rule} {self.length}"
        inner = [part._words(number) for part in self.parts]
        return f"{whole} ({' + '.join(inner)})" if inner else whole

    def steps(self, coordinates: Ints) -> Ints:
        """Return the step of every message, int64 (M, 2^d), for the coordinates of all processes.

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
        steps, start = np.empty(shape, dtype=np.int64), 0
        for part, rows in self._rows():
            steps[rows] = start + part.steps(coordinates)
            start += part.length
        return steps

    def _rows(self) -> Iterator[tuple[Composition, list[int]]]:
        """The parts, each with the rows of its dimensions."""
        row = {place: k for k, place in enumerate(levels_in_order(self.runs))}
        for part in self.parts:
            yield part, [row[place] for place in levels_in_order(part.runs)]

    def ties(self) -> tuple[TieName, ...]:
        """Return which way messages of each dimension go half a ring; no matter on a mesh."""
        ways: list[TieName] = ["line"] * n_dimensions(self.runs)
        if not any(run.wraps for run in self.runs):
            return tuple(ways)
        if self.rule == "subtask":
            return subtask_ties(self.runs)
        if self.rule == "solved":
            return tuple[TieName, ...](["split"] * len(ways))
        for part, rows in self._rows():
            for row, way in zip(rows, part.ties(), strict=True):
                ways[row] = way
        return tuple(ways)


_DEEP = 32
"""Dimensions that are split in one go; each adds a few calls inside calls."""


@typed_arguments
def splitting(task: Task) -> Composition:
    """Return how the schedule of a task with one port is composed of shorter ones.

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
        schedule = _on_torus(runs)
    else:
        for shorter in range(_DEEP, M, _DEEP):  # from below, so that recursion stays shallow
            _on_mesh(cut(runs, shorter)[0])
        schedule = _on_mesh(runs)
    if schedule.length == least_steps(runs) or M > _DEEP:
        return schedule
    axes = sorted((axis for axis, run in enumerate(runs) if run.length), key=lambda a: runs[a])
    return _placed(_any_cut(tuple(runs[axis] for axis in axes)), axes, len(runs))


@cache
def _any_cut(runs: LevelRuns) -> Composition:
    """The same with every cut; runs are sorted, and none is empty."""
    bound, wraps = least_steps(runs), any(run.wraps for run in runs)
    best = composed(_flat(runs)) if wraps else _on_mesh(runs)
    if wraps:
        best = min(
            _on_torus(runs),
            Composition(runs, best.length, "wrapped", (best,)),
            key=attrgetter("length"),
        )
    for below, above in _cuts(runs):
        if best.length == bound:
            break
        if wraps and not is_subtask(above):
            continue
        if least_steps(_flat(below)) + least_steps(above) < best.length:
            lower = composed(_flat(below))
            upper = Composition(above, least_steps(above), "subtask") if wraps else composed(above)
            length = lower.length + upper.length
            if length < best.length:
                parts = (lower, upper) if wraps else _parts(lower) + _parts(upper)
                best = Composition(runs, length, "wrapped" if wraps else "concatenated", parts)
    return best


def _cuts(runs: LevelRuns) -> Iterator[tuple[LevelRuns, LevelRuns]]:
    """What is below and above: at every level any of the axes that have it, alike ones counted."""
    for level in range(min(run.first for run in runs), max(run.end for run in runs)):
        having = Counter(run for run in runs if run.first <= level < run.end)
        for numbers in itertools.product(*(range(many + 1) for many in having.values())):
            left = dict(zip(having, numbers, strict=True))
            pairs = []
            for run in runs:
                more = left.get(run, 0) > 0
                left[run] = left.get(run, 0) - 1
                low = min(max(level + more - run.first, 0), run.length)
                pairs.append(cut_run(run, low))
            below, above = (tuple(part) for part in zip(*pairs, strict=True))
            if n_dimensions(below) and n_dimensions(above):
                yield below, above


def _placed(composition: Composition, axes: list[int], c: int) -> Composition:
    """The same on other axes: its axis k is axes[k] of c."""
    runs = [LevelRun(0, 0)] * c
    for axis, run in zip(axes, composition.runs, strict=True):
        runs[axis] = run
    parts = tuple(_placed(part, axes, c) for part in composition.parts)
    return Composition(tuple(runs), composition.length, composition.rule, parts)


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
    return min(candidates, key=attrgetter("length"))


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
