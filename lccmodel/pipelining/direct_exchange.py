"""Complete exchange without intermediate stops, at the bisection bound, and in levels.

**A line** of n = 2m nodes, n a power of two and at least 4. Write x̄ = n-1-x and let a, a' be
nodes of the left half. Each of the m² phases has four messages:

    a ≠ a'   a → a' → ā → ā' → a
    a = a'   a and ā keep their own block, while b = a xor 1 and b̄ swap theirs

In the first kind one direction carries two messages end to end and so does the other, so no link
is used twice. Every ordered pair of nodes, also (x, x), comes in exactly one phase: 4m² = n².
Each phase sends from and to the same four nodes, those of the pair {a, a'} or {a, b}. Phases
with a xor a' = k make perfect matchings of the left half, so the m² phases fall into n classes
of n/4 phases with disjoint nodes. Number them u = 0..n/4-1 in each class.

**c axes** of n_1, ..., n_c nodes, messages correcting axis after axis, n the longest: choose a
class for every axis, and in it the phases (u_1, ..., u_c) with u_1 + ... + u_c = s modulo n/4. The
messages on a line of axis j stand in nodes whose other coordinates fix all u but u_j, so they
belong to one phase of that line, as u_j < n_j/4 <= n/4. A line of two nodes has two classes (stay,
swap) of one phase each. This is n_1 ... n_c choices of classes times n/4 values of s: N n/4 phases
for N nodes, without conflict, one send and one receive to a node; n^(c+1)/4 for equal sides. Half
of the nodes on the longest axis have n/2 · n/2 · N/n blocks for the other half per line of links,
so no method that sends each block once takes fewer.

**Levels.** Give coordinates mixed radix: r nodes at distance h on each axis form a mesh of their
own, and h^c such meshes interleave. The messages of a mesh of radix r take `level_steps`. A level
that corrects one digit on every axis sends messages of 2^d / r^c blocks, and levels of radices
whose product is n make a complete exchange.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.ground.arrays import Ints
from lccmodel.movement import Movement
from lccmodel.network import Mesh
from lccmodel.pipelining.embedding import as_mesh

_MAX_NODES = 1 << 12
"""Most nodes of a schedule written out: 2^24 messages."""


def direct_phases(mesh: Mesh | str) -> Ints:
    """The phase of every message of the direct exchange on a mesh.

    Args:
        mesh: of any sides; if none has more than 2 nodes, partners are served in turn.

    Returns:
        int64 of shape (nodes, nodes), numbered from 0: entry (x, y) is the phase in which x sends
        its block for y. The diagonal is numbered too; nothing moves for it.

    Raises:
        InputError: not a mesh.
        SizeLimitError: more than 2^12 nodes.

    >>> [int(direct_phases(word).max()) + 1 for word in ("4x4", "8x8x8", "2x4x8")]
    [16, 1024, 128]
    """
    mesh = as_mesh(mesh)
    size = mesh.size
    if size > _MAX_NODES:
        rule = f"must have at most {_MAX_NODES} nodes: a phase is kept for every pair"
        raise SizeLimitError("mesh", rule, mesh.spec)
    nodes = np.arange(size)
    turns = max(mesh.shape) // 4
    if not turns:
        return np.asarray(np.maximum((nodes[:, None] ^ nodes[None, :]) - 1, 0))
    phase: Ints = np.zeros((size, size), np.int64)
    turn, stride = phase, 1
    for n in mesh.shape:
        x = nodes // stride % n
        classes, pairs = _line_phases(n)
        phase = phase * n + classes[x[:, None], x[None, :]]
        turn = turn + pairs[x[:, None], x[None, :]]
        stride *= n
    return np.asarray(phase * turns + turn % turns)


def direct_steps(mesh: Mesh | str) -> int:
    """How many phases `direct_phases` has: N n / 4 for N nodes, n on the longest axis.

    Raises:
        InputError: not a mesh.

    >>> direct_steps("4x4"), direct_steps("2x4x8"), direct_steps("2x2x2")
    (16, 128, 7)
    """
    mesh = as_mesh(mesh)
    longest = max(mesh.shape)
    return mesh.size * longest // 4 if longest > 2 else mesh.size - 1


def _line_phases(n: int) -> tuple[Ints, Ints]:
    """(class, number in the class) of every message x -> y on a line of n nodes."""
    if n <= 2:
        ends = np.arange(n)
        return ends[:, None] ^ ends[None, :], np.zeros((n, n), np.int64)
    m = n // 2
    classes, pairs = np.zeros((2, n, n), np.int64)
    for k in range(m):
        step = k or 1  # the phases a = a' are matched by a xor 1
        top = step.bit_length() - 1
        for a in range(m):
            side = a >> top & 1
            low = a if not side else a ^ step
            number = (low >> top + 1 << top) | (low & (1 << top) - 1)
            b = a ^ step
            left, right, b_left, b_right = a, n - 1 - a, b, n - 1 - b
            if k:
                loop = [(left, b_left), (b_left, right), (right, b_right), (b_right, left)]
            else:
                loop = [(left, left), (right, right), (b_left, b_right), (b_right, b_left)]
            for x, y in loop:
                classes[x, y], pairs[x, y] = 2 * k + side, number
    return classes, pairs


def level_steps(r: int, h: int, c: int) -> int:
    """Steps of an exchange within every mesh of r nodes at distance h on each of c axes.

    h^c meshes interleave. Those whose offsets have one sum modulo h never share a line, so h
    turns serve all: h r^(c+1)/4 steps for r >= 4, which the bisection of the meshes requires as
    well. For r = 2 a message crosses a set of axes; the 2^c - 1 sets take turns, but for h >= 2 a
    set and its complement go at the same time, with offsets one apart: h 2^(c-1) steps, again the
    bisection. With h = 1 a node has to send 2^c - 1 messages one after another.

    Raises:
        InputError: r or h is not a power of two, r < 2, or c < 1.

    >>> level_steps(2, 1, 2), level_steps(2, 2, 2), level_steps(4, 1, 2), level_steps(16, 1, 3)
    (3, 4, 16, 16384)
    >>> [level_steps(2, h, 1) for h in (1, 2, 4)], level_steps(4, 1, 1)
    ([1, 2, 4], 4)
    """
    r, c = _checked(r, c)
    h, _ = _checked(h, 1)
    if r < 2:
        raise InputError("r", "must be at least 2", r)
    if r == 2:
        return (1 << c) - 1 if h == 1 else h << c - 1
    return h * int(r ** (c + 1)) // 4


# -- a schedule written out -----------------------------------------------------------------


def level_movement(n: int, r: int, h: int, c: int) -> Movement:
    """The schedule of `level_steps`, written out for a mesh of n^c nodes, axis 0 corrected first.

    Raises:
        InputError: as for `level_steps`, or r h > n.
        SizeLimitError: more than 2^12 nodes.

    >>> moved = level_movement(4, 2, 2, 2)
    >>> moved.messages, moved.steps, moved.replay("one").ok
    (48, 4, True)
    """
    n, c = _checked(n, c)
    level_steps(r, h, c)
    if r * h > n:
        raise InputError("r, h", f"must have a product of at most n = {n}", (r, h))
    phases = direct_phases(Mesh((r,) * c))
    pairs, steps = [], []
    for x in range(n**c):
        coordinates = [x // n**axis % n for axis in range(c)]
        digits = [q // h % r for q in coordinates]
        offset = sum(coordinates) % h  # a digit weighs h, so this sums what is below it
        place = sum(digit * r**axis for axis, digit in enumerate(digits))
        for target in range(r**c):
            if target == place:
                continue
            shift = [(target // r**axis % r - digits[axis]) * h for axis in range(c)]
            pairs.append((x, x + sum(step * n**axis for axis, step in enumerate(shift))))
            if r > 2:
                steps.append(h * int(phases[place, target]) + offset)
            else:
                steps.append(_turn(place ^ target, offset, h, c))
    return Movement.of_schedule(Mesh((n,) * c), np.array(pairs), steps)


def _turn(axes: int, offset: int, h: int, c: int) -> int:
    """The step of a radix-2 message that crosses a set of axes."""
    full = (1 << c) - 1
    if h == 1:
        return axes - 1
    half = min(axes, full ^ axes)  # a set and its complement share a turn; the full set has its own
    return half * h + (offset if axes == half else (offset + 1) % h)


def _checked(n: Any, c: Any) -> tuple[int, int]:
    n = checked_integer("n", n)
    if n < 1 or n & (n - 1):
        raise InputError("n", "must be a power of two", n)
    return n, checked_integer("c", c, least=1)
