"""Replay of a schedule: every message is sent in its step, and no link may carry two at once.

The model [calmant, sections 2.1 and 2.5]: time is a succession of steps; a message sent in a step
has arrived when the step is over and holds all links of its path for that step. In one step
    - a node with one port sends at most one message and receives at most one;
    - no directed link carries two messages;
    - messages follow dimension-ordered shortest paths. Here each needs a single axis, so the path
      is unique - but for half a ring of a torus, where `ties` says which way.
Messages that pass through a node do not use its port. With all ports only the links bound.

The steps of a task are a movement: message q 2^d + n jumps, in its step, from the node of process
n to that of its partner in dimension i + q. The replay is that of `movement.replay`, which knows
nothing of groups, loads or rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel.errors import InputError, checked_shape
from lccmodel.movement import Certificate, Conflict, Movement
from lccmodel.network.ties import TIES, TieName
from lccmodel.pipelining.embedding import check_listed
from lccmodel.pipelining.task import Task
from lccmodel.views import Viewed

__all__ = ["Replay", "TaskMessage", "checked_steps", "replay", "sent_by"]


_MAX_STEPS = 1 << 26
"""Steps are numbered below this, so that counters per step fit into memory."""

_NAMED: tuple[TieName, ...] = ("split", "plus", "line")


@dataclass(frozen=True)
class TaskMessage:
    """The message that a process sends through a dimension, and where it travels."""

    process: int
    dimension: int
    source: int
    destination: int

    def __str__(self) -> str:
        return f"{self.source} -> {self.destination} (dimension {self.dimension})"


@dataclass(frozen=True, eq=False, repr=False)
class Replay(Viewed, view="replay"):
    """A schedule that works, against the bound of its task.

    Attributes:
        task: what was scheduled.
        certificate: that its messages do not meet, in numbers counted while replaying.

    >>> from lccmodel.pipelining import Task, schedule
    >>> found = schedule(Task(0, 3, "mesh:4x4")).replay()
    >>> found.task, found.certificate.ports.name
    (Task(0, 3, 'mesh:4x4'), 'one')
    """

    task: Task
    certificate: Certificate

    ok = True

    @property
    def steps(self) -> int:
        """Number of steps, the last one that is used plus 1."""
        return self.certificate.steps

    @property
    def delivered(self) -> int:
        """Messages that arrived, M 2^d."""
        return self.certificate.movement.messages

    @property
    def hops(self) -> int:
        """Links used, over all messages."""
        return self.certificate.hops

    @property
    def messages_per_step(self) -> Ints:
        """int64 of shape (steps,)."""
        return self.certificate.messages_per_step

    @property
    def links_per_step(self) -> Ints:
        """Directed links in use, int64 of shape (steps,)."""
        return self.certificate.hops_per_step

    @property
    def max_load(self) -> int:
        """Messages on the busiest directed link over all steps."""
        return self.certificate.max_load

    @property
    def busiest(self) -> tuple[int, int] | None:
        """Such a link (u, v), None when nothing was sent."""
        return self.certificate.busiest

    def __repr__(self) -> str:
        bound = self.task.lower_bound
        near = "the lower bound" if self.is_optimal else f"lower bound {bound}"
        return f"Replay({self.task}: {self.delivered:,} messages in {self.steps} steps, {near})"

    @property
    def is_optimal(self) -> bool:
        """Whether the number of steps is the lower bound of the task."""
        return self.steps == self.task.lower_bound

    @property
    def utilisation(self) -> tuple[Fraction, ...]:
        """The part of all directed links that is in use, step by step."""
        return self.certificate.utilisation


@typed_arguments
def replay(
    task: Task, steps: Any, ties: Sequence[TieName] | TieName = "split"
) -> Replay | Conflict:
    """Send every message of a task in its step, and see whether two of them meet.

    Args:
        task: what is scheduled.
        steps: integers of shape (M, 2^d), not negative; entry [q, n] is the step in which
            process n sends through dimension i + q.
        ties: which way the messages of each dimension go half a ring ("split", "plus", "line");
            one for all, or one for each of the M dimensions. Of no effect on a mesh.

    Returns:
        A `Replay` (`ok` is True), or the first `movement.Conflict` (`ok` is False).

    Raises:
        InputError: steps of another shape or type, or negative.
        SizeLimitError: d > 24.

    >>> task = Task(0, 2, "mesh:4")
    >>> replay(task, [[1, 0, 0, 1], [0, 1, 1, 0]])
    Replay(⟨0,2⟩ on mesh:4: 8 messages in 2 steps, the lower bound)
    >>> print(replay(task, [[0, 0, 0, 0], [1, 1, 1, 1]]))
    step 1: 0 -> 2 (dimension 1) and 1 -> 3 (dimension 1): both use link 1 -> 2
    """
    found = movement_of(task, steps, ties).replay(task.ports)
    return found if isinstance(found, Conflict) else Replay(task, found)


def movement_of(task: Task, steps: Any, ties: Sequence[TieName] | TieName = "split") -> Movement:
    """The messages of a task as they move; arguments and errors as for `replay`.

    >>> movement_of(Task(0, 1, "mesh:2"), [[0, 0]]).positions.tolist()
    [[0, 1], [1, 0]]
    """
    when = checked_steps(task, steps)
    ways = _checked_ties(task, ties)
    pairs, i, d = task.messages(), task.i, task.d
    pairs.flags.writeable = False  # nobody else has it: the movement need not copy

    def label(number: int) -> str:
        return f"dimension {i + (number >> d)}"

    return Movement.of_schedule(task.mesh, pairs, when, ways, label)


def checked_steps(task: Task, steps: Any) -> Ints:
    """Steps of a task as an int64 array of shape (M, 2^d).

    Raises:
        InputError: not a task, another shape, not integers, a negative step, or one of 2^26 or
            more.
        SizeLimitError: d > 24.
    """
    if not isinstance(task, Task):
        raise InputError("task", "must be a Task", task)
    check_listed(task.d)
    shape = (task.M, 1 << task.d)
    array = checked_shape("steps", steps)
    if array.size == 0 and task.M == 0:
        return np.empty(shape, dtype=np.int64)
    if array.shape != shape or array.dtype.kind not in "iu":
        rule = f"must be integers of shape {shape}, one for each dimension and process"
        raise InputError("steps", rule, (array.shape, str(array.dtype)))
    for bad in (int(array.min()), int(array.max())):
        if not 0 <= bad < _MAX_STEPS:
            raise InputError("steps", f"must be in 0..{_MAX_STEPS - 1}", bad)
    return np.ascontiguousarray(array, dtype=np.int64)


def _checked_ties(task: Task, ties: Sequence[TieName] | TieName) -> TieName | Ints:
    """The one rule of all messages, or the numbers of the rule of each."""
    listed = (ties,) * task.M if isinstance(ties, str) else tuple(ties)
    if len(listed) != task.M or not set(listed) <= set(_NAMED):
        names = ", ".join(f'"{name}"' for name in _NAMED)
        raise InputError("ties", f"must be one of {names}, or {task.M} of them", ties)
    if len(set(listed)) == 1:
        return listed[0]
    return np.repeat(np.array([TIES.index(name) for name in listed], dtype=np.int64), 1 << task.d)


def sent_by(task: Task, number: int) -> TaskMessage:
    """Message q 2^d + n of a task: the one that process n sends through dimension i + q."""
    q, process = divmod(number, 1 << task.d)
    ends = (task.embedding.node_of(n) for n in (process, process ^ 1 << task.i + q))
    return TaskMessage(process, task.i + q, *ends)
