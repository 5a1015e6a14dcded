"""Meshes whose sides differ: which results of [calmant] carry over, and this project's schedules.

A mesh of 2^n_0 x 2^n_1 x ... nodes holds the hypercube of d = n_0 + n_1 + ... dimensions: level 0
of every axis is the next dimension in turn, then level 1 of those axes that have one, and so on;
with equal sides that is the embedding of section 2.3. Nothing here uses the library but the
schedules that are judged: processes are placed, and messages walked, by the lines below.
"""

from __future__ import annotations

import itertools
from math import comb

import numpy as np

from lccmodel.network import Mesh
from lccmodel.pipelining.direct_exchange import direct_phases
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.calmant_loads import printed_line_load, printed_load
from proofs_check.domain import Enumerated

Sides = tuple[int, ...]

_MOST_AXES = 3


def shapes(d: int) -> list[Sides]:
    """The exponents (n_0, n_1, ...) of all meshes of 2^d nodes with up to three axes.

    >>> shapes(3)
    [(3,), (1, 2), (2, 1), (1, 1, 1)]
    """
    return [
        sides
        for c in range(1, _MOST_AXES + 1)
        for sides in itertools.product(range(1, d + 1), repeat=c)
        if sum(sides) == d
    ]


def dimensions(sides: Sides) -> list[tuple[int, int]]:
    """(level, axis) of every dimension.

    >>> dimensions((1, 3))
    [(0, 0), (0, 1), (1, 1), (2, 1)]
    """
    return sorted((level, axis) for axis, n in enumerate(sides) for level in range(n))


def placed(sides: Sides) -> Ints:
    """The coordinates of every process: int64 (c, 2^d).

    >>> placed((1, 2))[:, 0b110].tolist()
    [0, 3]
    """
    n = np.arange(1 << sum(sides))
    found = np.zeros((len(sides), n.size), np.int64)
    for k, (level, axis) in enumerate(dimensions(sides)):
        found[axis] |= (n >> k & 1) << level
    return found


def meetings(sides: Sides, i: int, steps: Ints) -> tuple[int, int]:
    """(most messages of a step on a link, most that a node sends or receives in a step)."""
    at, n = placed(sides), np.arange(1 << sum(sides))
    strides = np.array([1 << sum(sides[:axis]) for axis in range(len(sides))])
    node = strides @ at
    length = int(steps.max()) + 1
    used = np.zeros((len(sides), 2, length, n.size), np.int64)
    ports = np.zeros((2, length, n.size), np.int64)
    for q, row in enumerate(steps):
        level, axis = dimensions(sides)[i + q]
        down = at[axis] >> level & 1
        np.add.at(ports[0], (row, node), 1)
        np.add.at(ports[1], (row, node[n ^ 1 << i + q]), 1)
        for hop in range(1 << level):
            np.add.at(used[axis], (down, row, node + (1 - 2 * down) * hop * strides[axis]), 1)
    return int(used.max()), int(ports.max())


def _counted(sides: Sides, i: int, M: int) -> int:
    """The load of the busiest link, with all messages sent at once."""
    return meetings(sides, i, np.zeros((M, 1 << sum(sides)), np.int64))[0]


def _shapes(n: int) -> int:
    """How many meshes `shapes` lists: ways to write n as a sum of up to three."""
    return sum(comb(n - 1, c - 1) for c in range(1, _MOST_AXES + 1))


_DOMAIN = Enumerated(
    lambda n: ((s, i, M) for s in shapes(n) for i in range(n) for M in range(1, n - i + 1)),
    size=lambda n: _shapes(n) * n * (n + 1) // 2,
    names="sides, i, M",
    text="all tasks ⟨i,M⟩ on all meshes of one, two and three axes",
)


@claim(
    "calmant.sides.load",
    place="beside Theorems 1 and 3, on sides that differ; docs/embedding.md",
    says="the busiest link lies on the axis of the last dimension, i+M-1, and carries λ⟨f,K⟩_1, "
    "where that axis has the K levels from f on in the task",
    latex=r"\lambda\langle i,M\rangle = \lambda\langle f,K\rangle_1",
    over=_DOMAIN,
    evidence="every message walked on the explicit mesh",
    control=Control("Theorem 3 as printed, for equal sides", printed=True),
    sizes=Sizes(most=9, limit=11),
)
def sides_load(sides: Sides, i: int, M: int, *, printed: bool = False) -> Finding:
    """[calmant, Theorem 3]: with equal sides the axis is (i+M-1) mod c."""
    c, inside = len(sides), dimensions(sides)[i : i + M]
    levels = [level for level, axis in inside if axis == inside[-1][1]]
    stated = printed_line_load(levels[0], len(levels))
    if printed:
        stated = printed_load(i, M, c)
    counted = _counted(sides, i, M)
    return Finding(counted == stated, counted=counted, stated=stated)


@claim(
    "calmant.sides.whole",
    place="beside section 4.2; docs/schedules.md",
    says="on every mesh of one, two and three axes with d <= 9, whatever its sides, every task has "
    "a schedule free of conflicts that takes exactly max(λ, M) steps",
    latex=r"P\langle i,M\rangle = \max(\lambda\langle i,M\rangle, M),\ c \le 3,\ d \le 9",
    over=_DOMAIN,
    evidence="the library's schedules replayed message by message on the explicit mesh: one send "
    "and one receive per node and step, one message per directed link and step; λ counted",
    control=Control("messages of the first dimension sent one step later, in a cycle", late=True),
    sizes=Sizes(most=9, limit=9),
)
def sides_whole(sides: Sides, i: int, M: int, *, late: bool = False) -> Finding:
    """[calmant, Theorem 4] says that none takes fewer; its proof does not ask for equal sides."""
    least = max(_counted(sides, i, M), M)
    steps = schedule(Task(i, M, Mesh(tuple(1 << n for n in sides)))).steps
    if late:
        steps = steps.copy()
        steps[0] = (steps[0] + 1) % least
    links, ports = meetings(sides, i, steps)
    taken = int(steps.max()) + 1
    return Finding(taken == least and links == ports == 1, steps=taken, bound=least)


@claim(
    "calmant.sides.dilation",
    place="beside section 2.3, on sides that differ; docs/embedding.md",
    says="the standard embedding has the least average dilation of all placements",
    latex=r"\sum_k 2^{l_k} = \text{least}",
    over=Enumerated(
        lambda n: ((sides,) for sides in shapes(n)),
        size=_shapes,
        names="sides",
        text="all meshes of one, two and three axes",
    ),
    evidence="a distance counts the layers between two nodes; by Harper's theorem k processes have "
    "at least as many hypercube edges to the others as 0..k-1, whose edges are counted",
    control=Control("each cut splits off one process more", more=1),
    sizes=Sizes(most=9, limit=12),
)
def sides_dilation(sides: Sides, *, more: int = 0) -> Finding:
    """[calmant, section 2.3], of which the paper states the equal sides."""
    d = sum(sides)
    n = np.arange(1 << d)
    bits = (n[:, None] >> np.arange(d) & 1).sum(axis=1)
    boundary = np.concatenate(([0], np.cumsum(d - 2 * bits)))  # edges of {0, ..., k-1} to the rest
    least = sum(
        int(boundary[x * (1 << d - side) + more]) for side in sides for x in range(1, 1 << side)
    )
    own = sum((1 << level) << d - 1 for level, _ in dimensions(sides))
    return Finding(own == least, total=own, least=least)


@claim(
    "calmant.sides.direct",
    place="beside section 5; docs/complete_exchange.md",
    says="direct exchange on N nodes with n >= 4 on the longest axis takes N n / 4 phases, in "
    "which no node sends or receives twice and no link carries two messages",
    latex=r"\tfrac{1}{4} N n",
    over=Enumerated(
        lambda n: ((sides,) for sides in shapes(n) if max(sides) > 1),
        size=lambda n: _shapes(n) - (n <= _MOST_AXES),
        names="sides",
        text="all meshes of one, two and three axes, one of them of 4 nodes or more",
        dimensions=(2, 3, 4, 5, 6),
    ),
    evidence="every message walked on the explicit mesh, axis after axis; every ordered pair once",
    control=Control("the last phase moved into the first", folded=True),
    sizes=Sizes(most=6, limit=7),
)
def sides_direct(sides: Sides, *, folded: bool = False) -> Finding:
    """No method that sends each block once takes fewer: so many blocks cross the middle."""
    shape = tuple(1 << n for n in sides)
    N, longest = 1 << sum(sides), max(shape)
    phases = np.array(direct_phases(Mesh(shape)))
    stated = N * longest // 4
    if int(phases.max()) + 1 != stated:
        return Finding(False, phases=int(phases.max()) + 1, stated=stated)
    if folded:
        phases[phases == stated - 1] = 0
    strides = [1 << sum(sides[:axis]) for axis in range(len(sides))]
    taken: set[tuple[int, ...]] = set()
    for x, y in itertools.permutations(range(N), 2):
        things: list[tuple[int, ...]] = [(0, x), (1, y)]
        here = x
        for axis, stride in enumerate(strides):
            way = y // stride % shape[axis] - here // stride % shape[axis]
            for _ in range(abs(way)):
                step = stride if way > 0 else -stride
                things.append((2 + axis, here, here + step))
                here += step
        for thing in things:
            key = (int(phases[x, y]), *thing)
            if key in taken:
                return Finding(False, phase=key[0], message=(x, y))
            taken.add(key)
    return Finding(True)
