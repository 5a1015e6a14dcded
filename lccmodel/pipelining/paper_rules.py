"""The paper's schedules as they are printed [calmant, sections 3.2, 4.2 and 4.3].

    ⟨i,2⟩_1    g = m mod 2^i, s = 2g; bits i and i+1 of m equal: dimension i+1 in step s and i in
               s + 1; otherwise the other way round
    ⟨i,1⟩_1    s' = m mod 2^(i+1); in Fig. 5 it is m mod 2^i, which takes half the steps
    ⟨i,x⟩_c    x <= c:      s = (Σ_j g_j + k) mod LB
               c < x < 2c:  s = 2 ((Σ_j g_j + k) mod ⌈LB/2⌉), s + 1
               x = 2c:      s = 2 ((Σ_j g_j + k) mod LB/2), s + 1
    ⟨i,M⟩_c    ⟨i, M mod 2c⟩_c, then the tasks ⟨i + M - 2kc, 2c⟩_c one after another

Nothing is put right here: a rule that conflicts, or that takes more steps than it should, does so
when it is replayed. Fig. 3 (⟨i,2⟩_1) is taken from the words around it. Where c < x < 2c and the
only dimension of an axis has dilation 1, the rule asks for a bit below bit 0: it is taken as 0
here, which changes the number of steps ("below" in docs/schedule_proofs.md). Other ways to read the
print are the checker's affair.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.words import checked_word
from lccmodel.pipelining.loads import equal_runs, largest_load, least_steps
from lccmodel.pipelining.task import Task


@typed_arguments
def paper_parts(i: int, M: int, c: int) -> list[tuple[int, int]]:
    """Return the subtasks (i', x) of a task, in ascending order [calmant, section 4.2].

    Raises:
        InputError: i < 0, M < 0, c < 1, or not integers.

    >>> paper_parts(0, 10, 2), paper_parts(0, 6, 1), paper_parts(2, 3, 1)
    ([(0, 2), (2, 4), (6, 4)], [(0, 2), (2, 2), (4, 2)], [(2, 1), (3, 2)])
    """
    equal_runs(i, M, c)  # checks
    rest = M % (2 * c)
    return [(i, rest)] * (rest > 0) + [(at, 2 * c) for at in range(i + rest, i + M, 2 * c)]


@typed_arguments
def paper_extra_step(i: int, M: int, c: int, parity: Literal["printed", "odd"] = "printed") -> int:
    """Return r of section 4.3: 1 if ⟨i, M mod 2c⟩_c takes a step more than its bound.

    Printed: M mod 2c > λ⟨i, M mod 2c⟩_c and M even. Property 3 gives c < M mod 2c and M odd
    instead (parity="odd"): its bound is odd only if M mod 2c is.

    Raises:
        InputError: i < 0, M < 0, c < 1, or another parity.

    >>> paper_extra_step(0, 3, 2), paper_extra_step(0, 3, 2, "odd"), paper_extra_step(0, 2, 2)
    (0, 1, 1)
    """
    checked_word("parity", parity, ("printed", "odd"))
    equal_runs(i, M, c)  # checks
    rest = M % (2 * c)
    exceeds = rest > largest_load(equal_runs(i, rest, c))
    return int(exceeds and (M % 2 == 0 if parity == "printed" else M % 2 == 1 and rest > c))


def paper_length(i: int, M: int, c: int, as_drawn: bool = True) -> int:
    """The steps of the paper's schedule of ⟨i,M⟩_c [calmant, section 4.2, Properties 1 to 3].

    Args:
        i, M, c: the task.
        as_drawn: ⟨i,1⟩_1 in the 2^i steps of Fig. 5 and of the claim, not the 2^(i+1) printed.

    Raises:
        InputError: i < 0, M < 0, c < 1, or not integers.

    >>> paper_length(0, 3, 2), paper_length(0, 6, 2), paper_length(4, 6, 1)
    (4, 6, 672)
    >>> paper_length(2, 1, 1), paper_length(2, 1, 1, as_drawn=False)
    (4, 8)
    """
    return sum(_part_length(at, x, c, as_drawn) for at, x in paper_parts(i, M, c))


def _part_length(i: int, x: int, c: int, as_drawn: bool) -> int:
    if c == 1 and x == 1:
        return 1 << i + (not as_drawn)
    bound = _bound(i, x, c)
    return bound if x <= c else 2 * -(-bound // 2)


@typed_arguments
def paper_steps(task: Task, as_drawn: bool = False) -> Ints:
    """Return the steps of a task by the paper's rules; they may conflict.

    Args:
        task: one port, on a mesh of equal sides.
        as_drawn: ⟨i,1⟩_1 as in Fig. 5 instead of as printed.

    Returns:
        int64 of shape (M, 2^d); entry [q, n] is the step in which process n sends through
        dimension i + q.

    Raises:
        InputError: another task.
        SizeLimitError: d > 24.

    >>> paper_steps(Task(0, 2, "mesh:4")).tolist()
    [[1, 0, 0, 1], [0, 1, 1, 0]]
    """
    if not has_paper_rules(task):
        raise InputError(
            "task", "the paper's rules are for one port and a mesh of equal sides", task
        )
    i, c = task.i, task.c
    coordinates = task.embedding.coordinates
    steps = np.empty((task.M, 1 << task.d), dtype=np.int64)
    start = 0
    for at, x in paper_parts(i, task.M, c):
        steps[at - i : at - i + x] = start + _part(at, x, c, coordinates, as_drawn)
        start += _part_length(at, x, c, as_drawn)
    return steps


def has_paper_rules(task: Task) -> bool:
    """Whether the paper has a schedule for it: one port, a mesh, equal sides.

    >>> [has_paper_rules(Task(0, 1, word)) for word in ("mesh:4x4", "mesh:4x8", "torus:4x4")]
    [True, False, False]
    """
    return task.ports == "one" and not task.on_torus and len(set(task.mesh.shape)) == 1


def _bound(i: int, x: int, c: int) -> int:
    return least_steps(equal_runs(i, x, c))


def _part(i: int, x: int, c: int, coordinates: Ints, as_drawn: bool) -> Ints:
    if c == 1 and x == 1:
        return coordinates % _part_length(i, 1, 1, as_drawn)
    return _single(i, x, c, coordinates) if x <= c else _double(i, x, c, coordinates)


def _single(i: int, x: int, c: int, coordinates: Ints) -> Ints:
    """Section 4.2.2: one dimension on each of x axes."""
    total = sum(coordinates[k % c] % (1 << k // c) for k in range(i, i + x))
    return np.array([(total + k) % _bound(i, x, c) for k in range(i, i + x)])


def _double(i: int, x: int, c: int, coordinates: Ints) -> Ints:
    """Sections 4.2.1 and 4.2.3 (which agree for x = 2c), and 3.2.1 for c = 1."""
    ks = range(i + x - 2 * c, i + x - c)
    total = sum(coordinates[k % c] % (1 << max(0, k // c)) for k in ks)
    half = -(-_bound(i, x, c) // 2)
    steps = np.empty((x, coordinates.shape[1]), dtype=np.int64)
    for k in ks:
        start = 2 * ((total + k if c > 1 else total) % half)  # section 3.2.1 has no k
        long_first = _long_first(k // c, coordinates[k % c])
        steps[k + c - i] = start + 1 - long_first
        if k >= i:
            steps[k - i] = start + long_first
    return steps


def _long_first(bit: int, m: Ints) -> Ints:
    """1 where the line rule sends through the longer dimension first: bits bit, bit + 1 equal."""
    below = m >> bit if bit >= 0 else np.zeros_like(m)
    return 1 - ((below ^ m >> bit + 1) & 1)
