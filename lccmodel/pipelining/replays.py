"""Replay of a schedule: every message is sent in its step, and no link may carry two at once.

The model [calmant, sections 2.1 and 2.5]: time is a succession of steps; a message sent in a step
has arrived when the step is over and holds all links of its path for that step. In one step
    - a node with one port sends at most one message and receives at most one;
    - no directed link carries two messages;
    - messages follow dimension-ordered shortest paths. Here each needs a single axis, so the path
      is unique - but for half a ring of a torus, where `ties` says which way.
Messages that pass through a node do not use its port. With all ports only the links bound.

The steps of a task are a movement: message q 2^d + n jumps, in its step, from the node of process
n to that of its partner in dimension i + q. Here the lines of the mesh are swept instead of walked
(`replay_kernels`), which knows nothing of groups, loads or rules either, and takes a few operations
a message. If messages meet, `movement.replay` walks those of the first step in which they do, and
says which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from lccmodel.errors import InputError, checked_shape
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.ground.words import word_rule
from lccmodel.kernels.threads import cores, in_threads
from lccmodel.movement import Certificate, Conflict, Message, Movement
from lccmodel.movement.replay import WithoutConflict, checked_ports
from lccmodel.network import ChannelLoads
from lccmodel.network.ring_direction import TIES, TieName
from lccmodel.pipelining.embedding import check_listed
from lccmodel.pipelining.task import Task

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
class Replay(WithoutConflict, Answer, view="replay"):
    """A schedule that works, against the bound of its task.

    Attributes:
        task: what was scheduled.
        loads: messages on every channel over all steps, counted.
        messages_per_step: int64 of shape (steps,).
        links_per_step: directed links in use, int64 of shape (steps,).
        scheduled: the step of every message, and
        ties: which way those of each dimension go half a ring; see `replay`.

    >>> from lccmodel.pipelining import Task, schedule
    >>> replay = schedule(Task(0, 3, "mesh:4x4")).replay()
    >>> replay.task, replay.certificate.ports.name
    (Task(0, 3, 'mesh:4x4'), 'one')
    """

    task: Task
    loads: ChannelLoads
    messages_per_step: Ints
    links_per_step: Ints
    scheduled: Ints
    ties: tuple[TieName, ...]

    @cached_property
    def certificate(self) -> Certificate:
        """That its messages do not meet, as that of any movement; its jumps are listed now."""
        moved = movement_of(self.task, self.scheduled, self.ties)
        return Certificate(moved, checked_ports(self.task.ports), self.loads, self.links_per_step)

    @property
    def steps(self) -> int:
        """Number of steps, the last one that is used plus 1."""
        return len(self.messages_per_step)

    @property
    def delivered(self) -> int:
        """Messages that arrived, M 2^d."""
        return int(self.messages_per_step.sum())

    @property
    def hops_per_step(self) -> Ints:  # type: ignore[override]  # of a movement it is a field
        """`links_per_step`, as a movement's certificate calls it."""
        return self.links_per_step

    def __repr__(self) -> str:
        bound = self.task.lower_bound
        near = "the lower bound" if self.is_optimal else f"lower bound {bound}"
        return f"Replay({self.task}: {self.delivered:,} messages in {self.steps} steps, {near})"

    @property
    def is_optimal(self) -> bool:
        """Whether the number of steps is the lower bound of the task."""
        return self.steps == self.task.lower_bound


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
    when, ways = checked_steps(task, steps), _checked_ties(task, ties)
    if when.flags.writeable:  # what the result keeps nobody else may change
        when = when.copy()
        when.flags.writeable = False
    number = int(when.max(initial=-1)) + 1
    loads = np.zeros(task.mesh.counter_shape, dtype=np.int64)
    counts = np.zeros((2, number), dtype=np.int64)
    met = _swept(task, when, ways, loads, counts)
    if met >= 0:
        return _conflict(task, when, ways, met)
    counts.flags.writeable = False
    return Replay(task, ChannelLoads(task.mesh, loads), counts[0], counts[1], when, ways)


_WORTH_THREADS = 1 << 20
"""Messages from which on threads save more than they cost."""


def _swept(task: Task, when: Ints, ways: tuple[TieName, ...], loads: Ints, counts: Ints) -> int:
    """Count loads, and messages and links of every step; the first step in which messages meet."""
    from lccmodel.pipelining.replay_kernels import NEVER, sweep_lines, sweep_ports

    threads = cores() if when.size >= _WORTH_THREADS else 1
    processes = np.arange(1 << task.d)
    places, nodes = task.embedding.places, task.embedding.nodes

    def ports(part: Ints) -> tuple[int, Ints]:
        last = np.full(counts.shape[1], -1, dtype=np.int64)
        return sweep_ports(when, int(part[0]), int(part[-1]) + 1, task.i, last), counts[:, :0]

    def lines(axis: int, rows: list[int], bases: Ints, offsets: Ints) -> tuple[int, Ints]:
        used = np.zeros_like(counts)
        own = [(q, places[task.i + q][1], TIES.index(ways[q])) for q in rows]
        row, level, tie = np.array(own, dtype=np.int64).T.copy()
        ring, into = task.mesh.is_ring(axis), loads[2 * axis : 2 * axis + 2]
        met = sweep_lines(when, row, level, tie, offsets, bases, ring, nodes, into, used)
        return met, used

    jobs: list[Callable[[], tuple[int, Ints]]] = []
    if task.ports == "one":
        jobs += [partial(ports, part) for part in _parts(processes, threads)]
    for axis in range(task.c):
        rows = [q for q, k in enumerate(task.dimensions) if places[k][0] == axis]
        own = sum(1 << k for k, (at, _) in enumerate(places) if at == axis)
        bases, offsets = processes[processes & own == 0], processes[processes & ~own == 0]
        if rows:
            jobs += [partial(lines, axis, rows, part, offsets) for part in _parts(bases, threads)]
    met = NEVER
    for step, used in in_threads(jobs, threads):
        met = min(met, step)
        if used.size:
            counts += used
    return met if met < NEVER else -1


def _parts(numbers: Ints, threads: int) -> list[Ints]:
    """The numbers in as many parts as there are threads, none of them empty."""
    return np.array_split(numbers, min(threads, len(numbers)))


def _conflict(task: Task, when: Ints, ways: tuple[TieName, ...], step: int) -> Conflict:
    """The first conflict of a step that has one: only its messages are walked."""
    numbers = np.flatnonzero(when.ravel() == step)
    q, process = numbers >> task.d, numbers & (1 << task.d) - 1
    ends = (task.embedding.node_of(n) for n in (process, process ^ 1 << task.i + q))
    ties = np.array([TIES.index(way) for way in ways], dtype=np.int64)[q]
    still = np.zeros(len(numbers), dtype=np.int64)
    label = partial(_label, task)
    walked = Movement.of_schedule(task.mesh, np.stack([*ends], axis=1), still, ties)
    conflict = walked.replay(task.ports)
    assert isinstance(conflict, Conflict)  # two routes: the sweep has seen it

    def named(message: Message) -> Message:
        number = int(numbers[message.number])
        return replace(message, number=number, label=label(number))

    first, second = named(conflict.first), named(conflict.second)
    return replace(conflict, step=step, since=step, first=first, second=second)


def movement_of(task: Task, steps: Any, ties: Sequence[TieName] | TieName = "split") -> Movement:
    """The messages of a task as they move; arguments and errors as for `replay`.

    >>> movement_of(Task(0, 1, "mesh:2"), [[0, 0]]).positions.tolist()
    [[0, 1], [1, 0]]
    """
    when = checked_steps(task, steps)
    named = _checked_ties(task, ties)
    ways: TieName | Ints = named[0] if len(set(named)) == 1 else "split"
    if len(set(named)) > 1:
        ways = np.repeat([TIES.index(name) for name in named], 1 << task.d).astype(np.int64)
    pairs = task.messages()
    pairs.flags.writeable = False  # nobody else has it: the movement need not copy
    return Movement.of_schedule(task.mesh, pairs, when, ways, partial(_label, task))


def _label(task: Task, number: int) -> str:
    return f"dimension {task.i + (number >> task.d)}"


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


def _checked_ties(task: Task, ties: Sequence[TieName] | TieName) -> tuple[TieName, ...]:
    """The rule of every dimension."""
    listed = (ties,) * task.M if isinstance(ties, str) else tuple(ties)
    if len(listed) != task.M or not set(listed) <= set(_NAMED):
        raise InputError("ties", word_rule(ties, _NAMED, f", or {task.M} of them"), ties)
    return listed


def sent_by(task: Task, number: int) -> TaskMessage:
    """Message q 2^d + n of a task: the one that process n sends through dimension i + q."""
    q, process = divmod(number, 1 << task.d)
    ends = (task.embedding.node_of(n) for n in (process, process ^ 1 << task.i + q))
    return TaskMessage(process, task.i + q, *ends)
