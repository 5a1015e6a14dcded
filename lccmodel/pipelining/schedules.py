"""Schedules: in which step every message of a task is sent, by a named rule.

    "optimal"       this project's: the lower bound for every subtask (at most two dimensions an
                    axis), for every task with all ports, and every task on a mesh of up to five
                    equal axes; how it is composed, and of what, says `pipelining.compositions`
    "subtasks"      the task cut where the sum of the subtasks' lower bounds is least, each subtask
                    scheduled by `subtask_steps`, one after another
    "paper"         the rules as printed [calmant, sections 3.2, 4.2], see `pipelining.paper_rules`
    "paper-figure"  the same, with ⟨i,1⟩_1 as it is drawn in Fig. 5 instead of as printed

A schedule holds no claim about itself; `Schedule.replay` finds out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.ground.words import checked_word
from lccmodel.movement import Conflict
from lccmodel.network import Mesh
from lccmodel.network.ring_direction import TieName
from lccmodel.pipelining.base_schedules import AxisGroups, subtask_steps, subtask_ties
from lccmodel.pipelining.compositions import best_parts, composed
from lccmodel.pipelining.embedding import check_listed
from lccmodel.pipelining.loads import LevelRun, cut, least_steps, levels_in_order
from lccmodel.pipelining.paper_rules import paper_steps
from lccmodel.pipelining.replays import Replay, TaskMessage, checked_steps, replay, sent_by
from lccmodel.pipelining.task import Task

ScheduleRule = Literal["optimal", "subtasks", "paper", "paper-figure"]

RULES: tuple[ScheduleRule, ...] = ("optimal", "subtasks", "paper", "paper-figure")
"""The names of the rules (see the module)."""


@dataclass(frozen=True, eq=False)
class Schedule(Answer, view="schedule"):
    """The step of every message of a task.

    Args:
        task: what is scheduled.
        steps: integers of shape (M, 2^d), not negative; entry [q, n] is the step in which CC-cube
            process n sends through dimension i + q.
        rule: the name of the rule that made it.
        ties: which way the messages of each dimension go half a ring ("split", "plus", "line").

    Raises:
        InputError: steps of another shape or type, or negative; ties that are not M of these.

    >>> s = schedule(Task(1, 2, "mesh:8"))
    >>> s.length, s.task.lower_bound, s.replay().ok
    (4, 4, True)
    >>> s.steps.tolist()
    [[1, 3, 0, 2, 0, 2, 1, 3], [0, 2, 1, 3, 1, 3, 0, 2]]
    """

    task: Task
    steps: Ints
    rule: str = "given"
    ties: tuple[TieName, ...] = ()

    def __post_init__(self) -> None:
        steps = checked_steps(self.task, self.steps).copy()
        steps.flags.writeable = False
        object.__setattr__(self, "steps", steps)
        object.__setattr__(self, "ties", tuple(self.ties) or ("split",) * self.task.M)
        if len(self.ties) != self.task.M:
            raise InputError("ties", f"must be {self.task.M}, one per dimension", self.ties)

    def __repr__(self) -> str:
        bound = self.task.lower_bound
        near = "the lower bound" if self.length == bound else f"lower bound {bound}"
        return f"Schedule({self.task}: {self.length} steps, {near}; rule {self.rule})"

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

    def messages(self, step: int) -> list[TaskMessage]:
        """Return the messages that are sent in a step, by dimension and process.

        >>> [str(m) for m in schedule(Task(0, 1, "mesh:2")).messages(0)]
        ['0 -> 1 (dimension 0)', '1 -> 0 (dimension 0)']
        """
        return [sent_by(self.task, int(k)) for k in np.flatnonzero(self.steps.ravel() == step)]


@typed_arguments
def schedule(task: Task | Mesh | str, rule: ScheduleRule = "optimal") -> Schedule:
    """Return the schedule of a task.

    Args:
        task: what is scheduled, d at most 24; a mesh, or a word such as "mesh:8x16", stands for
            all of its dimensions with one port.
        rule: "optimal", "subtasks", "paper" or "paper-figure" (see the module). The paper's rules
            are for one port and a mesh of equal sides.

    Raises:
        InputError: not a task, another rule, or the paper's rules for all ports, a torus or sides
            that differ.
        SizeLimitError: d > 24.

    >>> schedule(Task(0, 4, "mesh:4x4x4")).replay().ok
    True
    >>> print(schedule(Task(0, 4, "mesh:4x4x4"), "paper").replay())
    step 0: 5 -> 4 (dimension 0) and 0 -> 4 (dimension 1): node 4 receives both
    >>> schedule(Mesh((8, 16)))
    Schedule(⟨0,7⟩ on mesh:8x16: 10 steps, the lower bound; rule optimal)
    """
    if isinstance(task, (Mesh, str)):
        task = Task.whole(task)
    if not isinstance(task, Task):
        raise InputError("task", "must be a Task, or a mesh for all of its dimensions", task)
    checked_word("rule", rule, RULES)
    check_listed(task.d)
    if rule in ("paper", "paper-figure"):
        return Schedule(task, paper_steps(task, rule == "paper-figure"), rule)
    if task.ports == "all":
        return _all_ports(task, rule)
    if rule == "subtasks":
        return _from_subtasks(task)
    whole = composed(task.runs)
    return Schedule(task, whole.steps(task.embedding.coordinates), rule, whole.ties())


def _from_subtasks(task: Task) -> Schedule:
    """The best subtasks one after another."""
    coordinates = task.embedding.coordinates
    steps = np.empty((task.M, 1 << task.d), dtype=np.int64)
    ties: list[TieName] = []
    rest, start, row = task.runs, 0, 0
    for x in best_parts(task.runs):
        part, rest = cut(rest, x)
        steps[row : row + x] = start + subtask_steps(part, coordinates)
        ties += subtask_ties(part)
        start, row = start + least_steps(part), row + x
    return Schedule(task, steps, "subtasks", tuple(ties))


# -- all ports ----------------------------------------------------------------------------


def _all_ports(task: Task, rule: ScheduleRule) -> Schedule:
    """Every axis is a line, or a ring, of its own; all of them work at the same time.

    On a line the loads of dimensions taken two by two from above add up to the load of all of
    them [calmant, Lemma 1]. On a ring the longest dimension, split, adds its load to the rest.
    """
    steps = np.empty((task.M, 1 << task.d), dtype=np.int64)
    coordinates = task.embedding.coordinates
    rows = {place: row for row, place in enumerate(levels_in_order(task.runs))}
    ties: list[TieName] = ["line"] * task.M
    for axis, run in enumerate(task.runs):
        start = 0
        for a in _line_parts(axis, run):
            base = start + a.places * a.group(coordinates[axis])
            for e, turn in enumerate(a.turns(coordinates[axis])):
                row = rows[a.first + e, axis]
                steps[row] = base + turn
                ties[row] = "split" if a.halves else "line"
            start += a.n_steps
    return Schedule(task, steps, rule, tuple(ties))


def _line_parts(axis: int, run: LevelRun) -> list[AxisGroups]:
    first, count = run.first, run.length
    parts = []
    if run.wraps:
        count -= 1
        parts.append(AxisGroups(axis, first + count, 1, True))
    if count % 2:
        parts.append(AxisGroups(axis, first, 1))
    parts += [AxisGroups(axis, f, 2) for f in range(first + count % 2, first + count, 2)]
    return parts
