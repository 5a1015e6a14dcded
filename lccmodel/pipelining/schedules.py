"""Schedules: in which step every message of a task is sent, by a named rule.

    "optimal"    this project's: the lower bound for every subtask of at most 2c dimensions, for
                 every task with all ports, and every task on a mesh of up to three axes (by
                 `pipelining.whole_tasks`); on a torus for nearly all (`pipelining.torus_tasks`)
    "subtasks"   the task cut where the sum of the subtasks' lower bounds is least, each subtask
                 scheduled by `pipelining.subtask_rule`, one after another
    "paper"      the rules as printed [calmant, sections 3.2, 4.2], see `pipelining.paper_rules`

A schedule holds no claim about itself; `Schedule.replay` finds out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.pipelining.loads import Ties, Topology, axis_run, lower_bound
from lccmodel.pipelining.paper_rules import Reading, paper_steps
from lccmodel.pipelining.replays import Conflict, Message, Replay, checked_steps, message, replay
from lccmodel.pipelining.standard_embedding import axis_coordinates, check_listed
from lccmodel.pipelining.subtask_rule import AxisGroups, subtask_steps, subtask_ties
from lccmodel.pipelining.task import Task
from lccmodel.pipelining.torus_tasks import torus_steps
from lccmodel.pipelining.whole_tasks import optimal_steps
from lccmodel.views import Viewed

__all__ = ["Rule", "Schedule", "best_parts", "schedule"]

Ints = npt.NDArray[np.int64]
Rule = Literal["optimal", "subtasks", "paper"]

_RULES: tuple[Rule, ...] = ("optimal", "subtasks", "paper")


@dataclass(frozen=True, eq=False)
class Schedule(Viewed, view="schedule"):
    """The step of every message of a task.

    Args:
        task: what is scheduled.
        steps: integers of shape (M, 2^d), not negative; entry [q, n] is the step in which CC-cube
            process n sends through dimension i + q.
        rule: the name of the rule that made it.
        ties: which way the messages of each dimension go half a ring ("split", "plus", "line").

    Raises:
        InputError: steps of another shape or type, or negative; ties that are not M of these.

    >>> from lccmodel.pipelining.task import Task
    >>> s = schedule(Task(1, 2, c=1, d=3))
    >>> s.length, s.task.lower_bound, s.replay().ok
    (4, 4, True)
    >>> s.steps.tolist()
    [[1, 3, 0, 2, 0, 2, 1, 3], [0, 2, 1, 3, 1, 3, 0, 2]]
    """

    task: Task
    steps: Ints
    rule: str = "given"
    ties: tuple[Ties, ...] = ()

    def __post_init__(self) -> None:
        steps = checked_steps(self.task, self.steps).copy()
        steps.flags.writeable = False
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "ties", tuple(self.ties) or ("split",) * self.task.M)
        if len(self.ties) != self.task.M:
            raise InputError("ties", f"must be {self.task.M}, one per dimension", self.ties)

    def __repr__(self) -> str:
        return f"Schedule({self.task}, rule={self.rule!r}, length={self.length})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schedule):
            return NotImplemented
        same = (self.task, self.rule, self.ties) == (other.task, other.rule, other.ties)
        return same and np.array_equal(self.steps, other.steps)

    def __hash__(self) -> int:
        return hash((self.task, self.rule, self.ties, self.steps.tobytes()))

    @property
    def length(self) -> int:
        """Number of steps."""
        return int(self.steps.max()) + 1 if self.steps.size else 0

    @property
    def is_optimal(self) -> bool:
        """Whether the length is the lower bound of the task; says nothing about conflicts."""
        return self.length == self.task.lower_bound

    def replay(self) -> Replay | Conflict:
        """Send every message: the certificate, or the first conflict."""
        return replay(self.task, self.steps, self.ties)

    def messages(self, step: int) -> list[Message]:
        """The messages that are sent in a step, by dimension and process.

        >>> [str(m) for m in schedule(Task(0, 1, c=1, d=1)).messages(0)]
        ['0 -> 1 (dimension 0)', '1 -> 0 (dimension 0)']
        """
        return [message(self.task, int(k)) for k in np.flatnonzero(self.steps.ravel() == step)]


def schedule(task: Task, rule: Rule = "optimal", reading: Reading | None = None) -> Schedule:
    """The schedule of a task.

    Args:
        task: what is scheduled; d at most 24.
        rule: "optimal", "subtasks" or "paper" (see the module). The paper's rules are for one
            port and a mesh.
        reading: for rule "paper", how to read what the print leaves open.

    Raises:
        InputError: no task, another rule, the paper's rules for all ports or a torus, or a
            reading for another rule than the paper's.
        SizeLimitError: d > 24.

    >>> schedule(Task(0, 4, c=3, d=6)).replay().ok
    True
    >>> print(schedule(Task(0, 4, c=3, d=6), "paper").replay())
    step 0: 5 -> 4 (dimension 0) and 0 -> 4 (dimension 1): node 4 receives both
    """
    if not isinstance(task, Task):
        raise InputError("task", "must be a Task", task)
    if rule not in _RULES:
        names = ", ".join(f'"{name}"' for name in _RULES)
        raise InputError("rule", f"must be one of {names}", rule)
    if reading is not None and rule != "paper":
        raise InputError("reading", 'goes with rule "paper" only', reading)
    check_listed(task.d)
    if rule == "paper":
        if task.ports == "all" or task.topology == "torus":
            raise InputError("task", "the paper's rules are for one port and a mesh", task)
        return Schedule(task, paper_steps(task.i, task.M, task.c, task.d, reading), rule)
    if task.ports == "all":
        return _all_ports(task, rule)
    return _optimal(task) if rule == "optimal" else _from_subtasks(task, rule)


def best_parts(
    i: int, M: int, c: int, d: int | None = None, topology: Topology = "mesh"
) -> tuple[tuple[int, int], ...]:
    """Subtasks (i', x), x <= 2c, in ascending order whose lower bounds have the least sum.

    The paper cuts a task into 2c dimensions at a time from above; a cut anywhere can be better.
    Among equal sums the last part is the longest possible, then the one before it.

    Raises:
        InputError: a value out of range, or d is left out for a torus.

    >>> best_parts(1, 7, 2), sum(lower_bound(*part, 2) for part in best_parts(1, 7, 2))
    (((1, 3), (4, 4)), 11)
    """
    lower_bound(i, M, c, d, topology)  # checks
    return _best_parts(i, M, c, d if topology == "torus" else None, topology)


@cache
def _best_parts(
    i: int, M: int, c: int, d: int | None, topology: Topology
) -> tuple[tuple[int, int], ...]:
    totals = [0]
    lengths = [0]
    for end in range(1, M + 1):
        total, negative = min(
            (totals[end - x] + lower_bound(i + end - x, x, c, d, topology), -x)
            for x in range(1, min(end, 2 * c) + 1)
        )
        totals.append(total)
        lengths.append(-negative)
    parts: list[tuple[int, int]] = []
    end = M
    while end:
        x = lengths[end]
        end -= x
        parts.append((i + end, x))
    return tuple(reversed(parts))


def _optimal(task: Task) -> Schedule:
    i, M, c, d = task.i, task.M, task.c, task.d
    if task.topology == "mesh":
        return Schedule(task, optimal_steps(i, M, c, d), "optimal")
    steps, ties = torus_steps(i, M, c, d)
    return Schedule(task, steps, "optimal", ties)


def _from_subtasks(task: Task, rule: Rule) -> Schedule:
    """The best subtasks one after another."""
    steps = np.empty((task.M, 1 << task.d), dtype=np.int64)
    ties: list[Ties] = []
    start = 0
    for at, x in best_parts(task.i, task.M, task.c, task.d, task.topology):
        row = at - task.i
        steps[row : row + x] = start + subtask_steps(at, x, task.c, task.d, task.topology)
        ties += subtask_ties(at, x, task.c, task.d)
        start += lower_bound(at, x, task.c, task.d, task.topology)
    return Schedule(task, steps, rule, tuple(ties))


# -- all ports ----------------------------------------------------------------------------


def _all_ports(task: Task, rule: Rule) -> Schedule:
    """Every axis is a line, or a ring, of its own; all of them work at the same time.

    On a line the loads of dimensions taken two by two from above add up to the load of all of
    them [calmant, Lemma 1]. On a ring the longest dimension, split, adds its load to the rest.
    """
    steps = np.empty((task.M, 1 << task.d), dtype=np.int64)
    coordinates = axis_coordinates(task.d, task.c)
    ties: list[Ties] = ["line"] * task.M
    for axis in range(task.c):
        start = 0
        for a in _line_parts(task, axis):
            base = start + a.places * a.group(coordinates[axis])
            for e, turn in enumerate(a.turns(coordinates[axis])):
                row = (a.first + e) * task.c + axis - task.i
                steps[row] = base + turn
                ties[row] = "split" if a.halves else "line"
            start += a.n_steps
    return Schedule(task, steps, rule, tuple(ties))


def _line_parts(task: Task, axis: int) -> list[AxisGroups]:
    first, count = axis_run(task.i, task.M, task.c, axis)
    side_bits = task.d // task.c
    halves = task.topology == "torus" and side_bits > 1 and first + count == side_bits
    parts = []
    if halves and count:
        count -= 1
        parts.append(AxisGroups(axis, first + count, 1, True))
    if count % 2:
        parts.append(AxisGroups(axis, first, 1))
    parts += [AxisGroups(axis, f, 2) for f in range(first + count % 2, first + count, 2)]
    return parts
