"""A schedule is believed when it has been replayed, message by message and link by link.

The model [calmant, sections 2.1 and 2.5]: time is a succession of steps; a message sent in a step
has arrived when the step is over and holds all links of its path for that step. In one step
    - a node with one port sends at most one message and receives at most one;
    - no directed link carries two messages;
    - messages follow dimension-ordered shortest paths. Here each needs a single axis, so the path
      is unique - but for half a ring of a torus, where `ties` says which way.
Messages that pass through a node do not use its port. With all ports only the links bound.

The replay knows nothing of groups, loads or rules: it takes a list of steps, embeds source and
destination, walks from one to the other and looks who was there before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.pipelining.embedding import check_listed
from lccmodel.pipelining.loads import Ties
from lccmodel.pipelining.task import Task
from lccmodel.views import Viewed

__all__ = ["MAX_STEPS", "Conflict", "Message", "Replay", "checked_steps", "message", "replay"]

Ints = npt.NDArray[np.int64]
Kind = Literal["send", "receive", "link"]

MAX_STEPS = 1 << 26
"""Steps are numbered below this, so that counters per step fit into memory."""

_KINDS: tuple[Kind, ...] = ("send", "receive", "link")
_WAYS: tuple[Ties, ...] = ("split", "plus", "line")


@dataclass(frozen=True)
class Message:
    """The message that a process sends through a dimension, and where it travels."""

    process: int
    dimension: int
    source: int
    destination: int

    def __str__(self) -> str:
        return f"{self.source} -> {self.destination} (dimension {self.dimension})"


@dataclass(frozen=True)
class Conflict:
    """Why a schedule fails: the first conflict, by step and then by message.

    Attributes: `kind` ("send", "receive" or "link"), `step`, `first` and `second` (the two
    messages), `place`: the node for a port, the link (u, v) otherwise.
    """

    task: Task
    kind: Kind
    step: int
    first: Message
    second: Message
    place: int | tuple[int, int]

    ok = False

    def __str__(self) -> str:
        if isinstance(self.place, tuple):
            where = f"both use link {self.place[0]} -> {self.place[1]}"
        else:
            verb = "sends" if self.kind == "send" else "receives"
            where = f"node {self.place} {verb} both"
        return f"step {self.step}: {self.first} and {self.second}: {where}"


@dataclass(frozen=True, eq=False, repr=False)
class Replay(Viewed, view="replay"):
    """The certificate of a schedule that works, in numbers counted while replaying.

    Attributes:
        task: what was scheduled.
        steps: number of steps, the last one that is used plus 1.
        delivered: messages that arrived, M 2^d.
        hops: links used, over all messages.
        messages_per_step: int64 of shape (steps,).
        links_per_step: int64 of shape (steps,), directed links in use.
        max_load: messages on the busiest directed link over all steps.
        busiest: such a link (u, v), None when nothing was sent.
    """

    task: Task
    steps: int
    delivered: int
    hops: int
    messages_per_step: Ints
    links_per_step: Ints
    max_load: int
    busiest: tuple[int, int] | None

    ok = True

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
        links = self.task.mesh.n_channels
        return tuple(Fraction(int(used), links) for used in self.links_per_step)


def replay(task: Task, steps: Any, ties: Sequence[Ties] | Ties = "split") -> Replay | Conflict:
    """Send every message of a task in its step, and see whether two of them meet.

    Args:
        task: what is scheduled.
        steps: integers of shape (M, 2^d), not negative; entry [q, n] is the step in which
            process n sends through dimension i + q.
        ties: which way the messages of each dimension go half a ring ("split", "plus", "line");
            one for all, or one for each of the M dimensions. Of no effect on a mesh.

    Returns:
        A `Replay` (`ok` is True), or the first `Conflict` (`ok` is False).

    Raises:
        InputError: steps of another shape or type, or negative.
        SizeLimitError: d > 24.

    >>> task = Task(0, 2, "mesh:4")
    >>> replay(task, [[1, 0, 0, 1], [0, 1, 1, 0]])
    Replay(⟨0,2⟩ on mesh:4: 8 messages in 2 steps, the lower bound)
    >>> print(replay(task, [[0, 0, 0, 0], [1, 1, 1, 1]]))
    step 1: 0 -> 2 (dimension 1) and 1 -> 3 (dimension 1): both use link 1 -> 2
    """
    steps = checked_steps(task, steps)
    ways = _checked_ties(task, ties)
    starts, order = _by_step(steps)
    from lccmodel.pipelining.replay_kernel import walk

    embedding = task.embedding
    shape = np.array(task.mesh.shape, dtype=np.int64)
    rings = np.array([task.mesh.is_ring(axis) for axis in range(task.c)])
    links = np.zeros(starts.size - 1, dtype=np.int64)
    loads = np.zeros((2 * task.c, 1 << task.d), dtype=np.int64)
    found = np.empty(4, dtype=np.int64)
    hops = walk(
        order,
        starts,
        embedding.nodes,
        ways,
        task.i,
        shape,
        rings,
        task.ports == "one",
        links,
        loads,
        found,
    )
    if hops < 0:
        return _conflict(task, steps, order, found)
    row, tail = divmod(int(loads.argmax()), 1 << task.d)
    return Replay(
        task=task,
        steps=links.size,
        delivered=order.size,
        hops=int(hops),
        messages_per_step=_frozen(np.diff(starts)),
        links_per_step=_frozen(links),
        max_load=int(loads.max()),
        busiest=task.mesh.channel(row, tail) if hops else None,
    )


def checked_steps(task: Task, steps: Any) -> Ints:
    """Steps of a task as an int64 array of shape (M, 2^d).

    Raises:
        InputError: no task, another shape, not integers, a negative step, or one of 2^26 or more.
        SizeLimitError: d > 24.
    """
    if not isinstance(task, Task):
        raise InputError("task", "must be a Task", task)
    check_listed(task.d)
    shape = (task.M, 1 << task.d)
    array = np.asarray(steps)
    if array.size == 0 and task.M == 0:
        return np.empty(shape, dtype=np.int64)
    if array.shape != shape or array.dtype.kind not in "iu":
        rule = f"must be integers of shape {shape}, one for each dimension and process"
        raise InputError("steps", rule, (array.shape, str(array.dtype)))
    for bad in (int(array.min()), int(array.max())):
        if not 0 <= bad < MAX_STEPS:
            raise InputError("steps", f"must be in 0..{MAX_STEPS - 1}", bad)
    return np.ascontiguousarray(array, dtype=np.int64)


def _by_step(steps: Ints) -> tuple[Ints, Ints]:
    """Where each step starts in the list of message numbers, and that list."""
    flat = steps.ravel()
    counts = np.bincount(flat) if flat.size else np.empty(0, dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return starts, np.argsort(flat, kind="stable")


def _checked_ties(task: Task, ties: Sequence[Ties] | Ties) -> Ints:
    listed = (ties,) * task.M if isinstance(ties, str) else tuple(ties)
    if len(listed) != task.M or not set(listed) <= set(_WAYS):
        names = ", ".join(f'"{name}"' for name in _WAYS)
        raise InputError("ties", f"must be one of {names}, or {task.M} of them", ties)
    return np.array([_WAYS.index(name) for name in listed], dtype=np.int64)


def _conflict(task: Task, steps: Ints, order: Ints, found: Ints) -> Conflict:
    kind, first, second, place = (int(value) for value in found)
    if _KINDS[kind] == "link":
        where: int | tuple[int, int] = task.mesh.channel(*divmod(place, 1 << task.d))
    else:
        where = place
    return Conflict(
        task=task,
        kind=_KINDS[kind],
        step=int(steps.flat[order[first]]),
        first=message(task, int(order[first])),
        second=message(task, int(order[second])),
        place=where,
    )


def message(task: Task, number: int) -> Message:
    """Message q 2^d + n of a task: the one that process n sends through dimension i + q."""
    q, process = divmod(number, 1 << task.d)
    ends = (task.embedding.node_of(n) for n in (process, process ^ 1 << task.i + q))
    return Message(process, task.i + q, *ends)


def _frozen(array: Ints) -> Ints:
    array.flags.writeable = False
    return array
