"""The explicit mesh of [calmant]: placing processes, counting links, replaying schedules.

Nothing here uses the library. A process is put where the formula of section 2.3 says,

    m_(j,l) = n_(j + l c)        bit l of coordinate j is bit j + l c of the process,

and a message walks from node to node, axis 0 first, and is counted on every directed link that it
uses. What the paper says about loads, bounds and schedules is compared with these counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Finding
from proofs_check.domain import Enumerated

Spans = Mapping[int, int]

MODEL = "one send and one receive per node and step, one message per directed link and step"
_KINDS = ("", "a link carries both", "one node sends both", "one node receives both")


@lru_cache(maxsize=64)
def coordinates(d: int, c: int) -> Ints:
    """The label of every process's node: int64 (2^d, c).

    >>> coordinates(4, 2)[0b0110].tolist()
    [2, 1]
    """
    n = np.arange(1 << d)
    label = np.zeros((1 << d, c), np.int64)
    for j in range(c):
        for bit in range(d // c):
            label[:, j] |= (n >> j + bit * c & 1) << bit
    return label


@kernel
def walk_links(label: Ints, side: int, k: int, loads: Ints) -> None:
    """Count the messages of dimension k: loads[axis, 0 up / 1 down, node that the link leaves]."""
    for n in range(len(label)):
        partner = n ^ (1 << k)
        at = 0
        for a in range(label.shape[1] - 1, -1, -1):
            at = at * side + label[n, a]
        stride = 1
        for a in range(label.shape[1]):
            hops = label[partner, a] - label[n, a]
            direction, step = (0, stride) if hops > 0 else (1, -stride)
            for _ in range(abs(hops)):
                loads[a, direction, at] += 1
                at += step
            stride *= side


@lru_cache(maxsize=64)
def dimension_loads(d: int, c: int) -> Ints:
    """Messages on every directed link, for every dimension by itself: int64 (d, c, 2, 2^d)."""
    loads = np.zeros((d, c, 2, 1 << d), np.int64)
    for k in range(d):
        walk_links(coordinates(d, c), 1 << d // c, k, loads[k])
    return loads


def largest_load(dimensions: Iterable[int], d: int, c: int) -> int:
    """The busiest directed link when one message per process goes through each dimension."""
    return int(dimension_loads(d, c)[list(dimensions)].sum(axis=0).max())


@lru_cache(maxsize=4096)
def line_load(i: int, M: int) -> int:
    """The busiest link of the smallest line that holds the task ⟨i,M⟩ on a line, by counting."""
    return largest_load(range(i, i + M), i + M, 1) if M else 0


@lru_cache(maxsize=1 << 16)
def line_bound(i: int, M: int, c: int) -> tuple[int, int]:
    """(busiest link, the larger of it and M) of ⟨i,M⟩_c, each axis counted as a line of its own.

    `calmant.lem5` shows on the mesh that this is the same.

    >>> line_bound(0, 3, 2), line_bound(3, 4, 2)
    ((2, 3), (8, 8))
    """
    runs = [range(i + j, i + M, c) for j in range(min(c, M))]
    load = max((line_load(run[0] // c, len(run)) for run in runs), default=0)
    return load, max(load, M)


def bound(i: int, M: int, d: int, c: int) -> int:
    """The larger of the busiest link of ⟨i,M⟩_c on the mesh and the messages of a node."""
    return max(largest_load(range(i, i + M), d, c), M)


class Replayed(NamedTuple):
    """What a replay found: the steps it takes, and the first two messages that meet, or None."""

    steps: int
    conflict: str | None

    def shown(self, ok: bool, **more: Any) -> Finding:
        """A finding with the steps taken, and the conflict if there is one."""
        met = {} if self.conflict is None else {"conflict": self.conflict}
        return Finding(ok, steps=self.steps, **more, **met)


@kernel
def _first_conflict(
    label: Ints, side: int, i: int, order: Ints, steps: Ints, last: Ints, port: Ints
) -> tuple[int, int, int]:
    """(kind, message, the earlier message that it meets) of the first conflict; 0s if none.

    A message is q 2^d + n, sent by process n through dimension i + q. `last` and `port` hold the
    message that used a link or a port most recently.
    """
    size = len(label)
    for e in order:
        q, n = e // size, e % size
        partner = n ^ (1 << i + q)
        at = 0
        for a in range(label.shape[1] - 1, -1, -1):
            at = at * side + label[n, a]
        other = port[0, at]
        if other >= 0 and steps[other] == steps[e]:
            return 2, e, other
        port[0, at] = e
        stride = 1
        for a in range(label.shape[1]):
            hops = label[partner, a] - label[n, a]
            direction, step = (0, stride) if hops > 0 else (1, -stride)
            for _ in range(abs(hops)):
                other = last[a, direction, at]
                if other >= 0 and steps[other] == steps[e]:
                    return 1, e, other
                last[a, direction, at] = e
                at += step
            stride *= side
        other = port[1, at]
        if other >= 0 and steps[other] == steps[e]:
            return 3, e, other
        port[1, at] = e
    return 0, 0, 0


def replayed(steps: Ints, i: int, d: int, c: int) -> Replayed:
    """Send every message of ⟨i,M⟩_c in its step, link by link, one port to a node.

    Args:
        steps: (M, 2^d); entry [q, n] is the step of process n's message through dimension i + q.
        i, d, c: the first dimension, and the mesh.

    >>> replayed(np.zeros((2, 4), np.int64), 0, 2, 1)
    Replayed(steps=1, conflict='step 0: processes 0 -> 1 and 0 -> 2, one node sends both')
    """
    label, flat = coordinates(d, c), np.ascontiguousarray(steps, np.int64).ravel()
    if flat.size and flat.min() < 0:
        return Replayed(0, "a message has no step")
    last, port = np.full((c, 2, 1 << d), -1), np.full((2, 1 << d), -1)
    order = np.argsort(flat, kind="stable")
    kind, one, other = _first_conflict(label, 1 << d // c, i, order, flat, last, port)
    taken = int(flat.max()) + 1 if flat.size else 0
    if kind == 0:
        return Replayed(taken, None)
    met = " and ".join(_message(e, i, d) for e in sorted((one, other)))
    return Replayed(taken, f"step {flat[one]}: processes {met}, {_KINDS[kind]}")


def _message(e: int, i: int, d: int) -> str:
    q, n = e >> d, e & ((1 << d) - 1)
    return f"{n} -> {n ^ (1 << i + q)}"


# -- domains -----------------------------------------------------------------------------------


def axes_counts(n: int, most: Spans, least: int = 1) -> list[int]:
    """The c that divide n = d with at least `least` bits to an axis; `most[c]` is the largest d.

    >>> axes_counts(6, {1: 12, 2: 10, 3: 9}), axes_counts(6, {1: 4, 3: 9})
    ([1, 2, 3], [3])
    """
    return [c for c, top in most.items() if n <= top and n % c == 0 and n // c >= least]


def task_domain(
    most: Spans,
    between: Callable[[int], tuple[int, int]] | None = None,
    text: str = "",
    least: int = 1,
) -> Enumerated:
    """All tasks (d, c, i, M) on meshes of d = n dimensions with d/c >= `least`.

    `between(c)` limits M to a range.
    """

    def widths(c: int) -> tuple[int, int]:
        return (1, 1 << 20) if between is None else between(c)

    def cases(n: int) -> Iterator[tuple[int, int, int, int]]:
        for c in axes_counts(n, most, least):
            low, high = widths(c)
            for i in range(n):
                for M in range(low, min(high, n - i) + 1):
                    yield n, c, i, M

    def size(n: int) -> int:
        return sum(
            n - M + 1
            for c in axes_counts(n, most, least)
            for M in range(widths(c)[0], min(widths(c)[1], n) + 1)
        )

    limits = ", ".join(f"d <= {top} for c = {c}" for c, top in most.items())
    words = text or "all tasks ⟨i,M⟩_c"
    return Enumerated(
        cases,
        size=size,
        names="d, c, i, M",
        text=f"{words} ({limits})",
        dimensions=with_cases(size, max(most.values())),
    )


def with_cases(size: Callable[[int], int], top: int) -> tuple[int, ...] | None:
    """The n up to `top` that have cases, or None if all have.

    >>> with_cases(lambda n: n % 2, 5), with_cases(lambda n: n, 5)
    ((1, 3, 5), None)
    """
    found = tuple(n for n in range(1, top + 1) if size(n))
    return None if len(found) == top else found
