"""The paper's schedules as they are printed [calmant, sections 3.2, 4.2 and 4.3].

    ⟨i,2⟩_1    g = m mod 2^i, s = 2g; bits i and i+1 of m equal: dimension i+1 in step s and i in
               s + 1; otherwise the other way round
    ⟨i,1⟩_1    s' = m mod 2^(i+1)
    ⟨i,x⟩_c    x <= c:      s = (Σ_j g_j + k) mod LB
               c < x < 2c:  s = 2 ((Σ_j g_j + k) mod ⌈LB/2⌉), s + 1
               x = 2c:      s = 2 ((Σ_j g_j + k) mod LB/2), s + 1
    ⟨i,M⟩_c    ⟨i, M mod 2c⟩_c, then the tasks ⟨i + M - 2kc, 2c⟩_c one after another

Nothing is put right here: a rule that conflicts, or that takes more steps than it should, does so
when it is replayed. Where the print leaves a choice, `Reading` names it. Fig. 3 (⟨i,2⟩_1) is
taken from the words around it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.pipelining.loads import checked_task, lower_bound, max_load
from lccmodel.pipelining.standard_embedding import axis_coordinates

__all__ = ["Reading", "paper_extra_step", "paper_part_steps", "paper_parts", "paper_steps"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Reading:
    """How to read the places of the rules that print, or scan, leave open.

    Attributes:
        line: groups of ⟨i,1⟩_1: "printed" is m mod 2^(i+1); "figure" is m mod 2^i, which fits
            the four groups that the text sees in Fig. 5 and the number of steps claimed.
        k: whether k is added to the sum once ("outside"), or in every term ("inside").
        modulus: "sum" is 2 (sum mod h), which the proof of Property 1 needs; "product" is
            (2 sum) mod h.
        half: h = LB/2 rounded up ("ceiling", which fits Property 3) or down ("floor").
        below: an axis whose only dimension has dilation 1 when c < x < 2c: its place in the line
            rule is bit 0 and a bit below it. "two" takes that bit as 0, so that the nodes share
            two steps; "one" lets all of them send in the first.

    Raises:
        InputError: another word.

    >>> Reading(half="floor")
    Reading(line='printed', k='outside', modulus='sum', half='floor', below='two')
    """

    line: Literal["printed", "figure"] = "printed"
    k: Literal["outside", "inside"] = "outside"
    modulus: Literal["sum", "product"] = "sum"
    half: Literal["ceiling", "floor"] = "ceiling"
    below: Literal["two", "one"] = "two"

    def __post_init__(self) -> None:
        for entry in fields(self):
            allowed = _READINGS[entry.name]
            if getattr(self, entry.name) not in allowed:
                rule = f'must be "{allowed[0]}" or "{allowed[1]}"'
                raise InputError(entry.name, rule, getattr(self, entry.name))


_READINGS = {
    "line": ("printed", "figure"),
    "k": ("outside", "inside"),
    "modulus": ("sum", "product"),
    "half": ("ceiling", "floor"),
    "below": ("two", "one"),
}


def paper_parts(i: int, M: int, c: int) -> list[tuple[int, int]]:
    """The subtasks (i', x) that a task is cut into, in ascending order [calmant, section 4.2].

    Raises:
        InputError: i < 0, M < 0, c < 1, or not integers.

    >>> paper_parts(0, 10, 2), paper_parts(0, 6, 1), paper_parts(2, 3, 1)
    ([(0, 2), (2, 4), (6, 4)], [(0, 2), (2, 2), (4, 2)], [(2, 1), (3, 2)])
    """
    i, M, c = checked_task(i, M, c)
    rest = M % (2 * c)
    return [(i, rest)] * (rest > 0) + [(at, 2 * c) for at in range(i + rest, i + M, 2 * c)]


def paper_extra_step(i: int, M: int, c: int, parity: Literal["printed", "odd"] = "printed") -> int:
    """r of section 4.3: 1 if the part ⟨i, M mod 2c⟩_c is said to take a step more than its bound.

    Printed: M mod 2c > λ⟨i, M mod 2c⟩_c and M even. Property 3 gives c < M mod 2c and M odd
    instead (parity="odd"): its bound is odd only if M mod 2c is.

    Raises:
        InputError: i < 0, M < 0, c < 1, or another parity.

    >>> paper_extra_step(0, 3, 2), paper_extra_step(0, 3, 2, "odd"), paper_extra_step(0, 2, 2)
    (0, 1, 1)
    """
    i, M, c = checked_task(i, M, c)
    if parity not in ("printed", "odd"):
        raise InputError("parity", 'must be "printed" or "odd"', parity)
    rest = M % (2 * c)
    exceeds = rest > max_load(i, rest, c)
    return int(exceeds and (M % 2 == 0 if parity == "printed" else M % 2 == 1 and rest > c))


def paper_steps(i: int, M: int, c: int, d: int, reading: Reading | None = None) -> Ints:
    """The steps of ⟨i,M⟩_c on a mesh by the paper's rules; they may conflict.

    Args:
        i, M, c, d: the task; d a multiple of c, at most 24.
        reading: how to read what is left open.

    Returns:
        int64 of shape (M, 2^d); entry [q, n] is the step in which process n sends through
        dimension i + q.

    Raises:
        InputError: a value out of range.
        SizeLimitError: d > 24.

    >>> paper_steps(0, 2, 1, 2).tolist()
    [[1, 0, 0, 1], [0, 1, 1, 0]]
    """
    i, M, c = checked_task(i, M, c, d)
    reading = reading or Reading()
    coordinates = axis_coordinates(d, c)
    steps = np.empty((M, 1 << d), dtype=np.int64)
    start = 0
    for at, x in paper_parts(i, M, c):
        part = _part(at, x, c, coordinates, reading)
        steps[at - i : at - i + x] = start + part
        start += paper_part_steps(at, x, c, reading)
    return steps


def paper_part_steps(i: int, x: int, c: int, reading: Reading | None = None) -> int:
    """Steps that the rule for one subtask, 1 <= x <= 2c, sets aside.

    Raises:
        InputError: a value out of range.

    >>> paper_part_steps(2, 1, 1), paper_part_steps(2, 1, 1, Reading(line="figure"))
    (8, 4)
    >>> paper_part_steps(0, 3, 2), paper_part_steps(0, 4, 2)
    (4, 4)
    """
    i, x, c = checked_task(i, x, c)
    if not 1 <= x <= 2 * c:
        raise InputError("x", f"must be in 1..2c = 1..{2 * c} dimensions", x)
    reading = reading or Reading()
    if c == 1 and x == 1:
        return 1 << i + (reading.line == "printed")
    if x <= c:
        return lower_bound(i, x, c)
    return 2 * _half(i, x, c, reading)


def _half(i: int, x: int, c: int, reading: Reading) -> int:
    return (lower_bound(i, x, c) + (reading.half == "ceiling")) // 2


def _part(i: int, x: int, c: int, coordinates: Ints, reading: Reading) -> Ints:
    if c == 1 and x == 1:
        return coordinates % paper_part_steps(i, 1, 1, reading)
    if x <= c:
        return _single(i, x, c, coordinates, reading)
    return _double(i, x, c, coordinates, reading)


def _single(i: int, x: int, c: int, coordinates: Ints, reading: Reading) -> Ints:
    """Section 4.2.2: one dimension on each of x axes."""
    total = sum(coordinates[k % c] % (1 << k // c) for k in range(i, i + x))
    times = x if reading.k == "inside" else 1
    bound = lower_bound(i, x, c)
    return np.array([(total + times * k) % bound for k in range(i, i + x)])


def _double(i: int, x: int, c: int, coordinates: Ints, reading: Reading) -> Ints:
    """Sections 4.2.1 and 4.2.3 (which agree for x = 2c), and 3.2.1 for c = 1."""
    ks = range(i + x - 2 * c, i + x - c)
    total = sum(coordinates[k % c] % (1 << max(0, k // c)) for k in ks)
    times = c if reading.k == "inside" else 1
    half = _half(i, x, c, reading)
    steps = np.empty((x, coordinates.shape[1]), dtype=np.int64)
    for k in ks:
        place = total + times * k if c > 1 else total  # section 3.2.1 has no k
        inner = reading.modulus == "sum" or c == 1
        start = 2 * (place % half) if inner else 2 * place % half
        long_first = _long_first(k // c, coordinates[k % c], reading)
        steps[k + c - i] = start + 1 - long_first
        if k >= i:
            steps[k - i] = start + long_first
    return steps


def _long_first(bit: int, m: Ints, reading: Reading) -> Ints:
    """1 where the line rule sends through the longer dimension first: bits bit, bit + 1 equal."""
    if bit < 0:
        return np.ones_like(m) if reading.below == "one" else 1 - (m & 1)
    return 1 - ((m >> bit ^ m >> bit + 1) & 1)
