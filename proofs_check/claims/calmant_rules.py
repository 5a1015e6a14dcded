"""The printed rules of [calmant], sections 3.2 and 4.2, transcribed; nothing is put right here.

A rule gives the step in which every process sends through every dimension of a subtask: an array
[q, n] for dimension i + q. Bits i and i + 1 of m equal: the longer dimension first (section
3.2.1; Fig. 3 is lost, the words around it say this). Where the first bit would be bit -1, in
section 4.2.3, it is taken as 0.
"""

from __future__ import annotations

import numpy as np

from proofs_check.arrays import Ints
from proofs_check.claims.calmant_loads import parts, printed_bound
from proofs_check.claims.calmant_mesh import coordinates


def pair_order(m: Ints, bit: int) -> Ints:
    """1 where bits `bit` and `bit` + 1 of m are equal: such nodes use the longer dimension first.

    >>> pair_order(np.arange(4), 0).tolist(), pair_order(np.arange(4), -1).tolist()
    ([1, 0, 0, 1], [1, 0, 1, 0])
    """
    low = m >> bit & 1 if bit >= 0 else 0
    return 1 - (low ^ m >> bit + 1 & 1)


def line_pair(i: int, d: int, swap: bool = True) -> Ints:
    """Section 3.2.1, ⟨i,2⟩_1: g = m mod 2^i, steps 2g and 2g + 1; without `swap` no roles."""
    m = coordinates(d, 1)[:, 0]
    longer = pair_order(m, i) if swap else np.ones_like(m)
    start = 2 * (m % (1 << i))
    return np.array([start + longer, start + 1 - longer])


def line_single(i: int, d: int, bits: int) -> Ints:
    """Section 3.2.2, ⟨i,1⟩_1: step m mod 2^(i + bits); `bits` is 1 in print."""
    return coordinates(d, 1).T % (1 << i + bits)


def twice_c(i: int, c: int, d: int, k_counts: bool = True) -> Ints:
    """Section 4.2.1, ⟨i,2c⟩_c: s = 2 ((Σ_j g_j + k) mod LB/2), and s + 1."""
    label, ks = coordinates(d, c), range(i, i + c)
    groups = sum(label[:, k % c] % (1 << k // c) for k in ks)
    half = printed_bound(i, 2 * c, c) // 2
    steps = np.empty((2 * c, 1 << d), np.int64)
    for k in ks:
        start = 2 * ((groups + k * k_counts) % half)
        longer = pair_order(label[:, k % c], k // c)
        steps[k - i], steps[k - i + c] = start + longer, start + 1 - longer
    return steps


def at_most_c(i: int, x: int, c: int, d: int, k_counts: bool = True) -> Ints:
    """Section 4.2.2, ⟨i,x⟩_c with x <= c: s = (Σ_j g_j + k) mod LB."""
    label, ks = coordinates(d, c), range(i, i + x)
    groups = sum(label[:, k % c] % (1 << k // c) for k in ks)
    return np.array([(groups + k * k_counts) % printed_bound(i, x, c) for k in ks])


def between_c_and_2c(i: int, x: int, c: int, d: int, k_counts: bool = True) -> Ints:
    """Section 4.2.3, ⟨i,x⟩_c with c < x < 2c: s = 2 ((Σ_j g_j + k) mod ⌈LB/2⌉), and s + 1."""
    label, ks = coordinates(d, c), range(i + x - 2 * c, i + x - c)
    groups = sum(label[:, k % c] % (1 << k // c) for k in ks if k // c >= 0)
    half = -(-printed_bound(i, x, c) // 2)
    steps = np.empty((x, 1 << d), np.int64)
    for k in ks:
        start = 2 * ((groups + k * k_counts) % half)
        longer = pair_order(label[:, k % c], k // c)
        steps[k + c - i] = start + 1 - longer
        if k >= i:
            steps[k - i] = start + longer
    return steps


def part_steps(i: int, x: int, c: int, d: int) -> Ints:
    """The rule that the paper has for a subtask of x <= 2c dimensions on c >= 2 axes."""
    if x <= c:
        return at_most_c(i, x, c, d)
    return twice_c(i, c, d) if x == 2 * c else between_c_and_2c(i, x, c, d)


def paper_task(i: int, M: int, c: int, d: int) -> Ints:
    """Section 4.2: the subtasks of ⟨i,M⟩_c one after another, from the lowest dimensions up."""
    steps, start = np.empty((M, 1 << d), np.int64), 0
    for at, x in reversed(parts(i, M, c)):
        part = part_steps(at, x, c, d)
        steps[at - i : at - i + x] = start + part
        start += int(part.max()) + 1
    return steps
