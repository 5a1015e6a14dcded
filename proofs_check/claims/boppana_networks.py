"""Omega permutations and Beneš-like networks, switch by switch: [boppana, sections 3.3.1 and 4].

The omega network has n stages; each shuffles the lines (line a goes to its address rotated left by
one) and then has a switch on every two lines 2i, 2i+1. Omega permutations are those that its
settings realise, 2^(n 2^(n-1)) of them; the inverse omega network is passed from output to input.
Destination-tag routing in it corrects bits n-1, ..., 0, so omega permutations are met with the most
significant bit first, inverse ones with the least: as section 4 says. HL is in state A throughout.

A Beneš-like network is a choice of dimensions by the subcubes of section 3.3.1: (d, choice for the
lines with bit d = 0, choice for those with bit d = 1). That every permutation is realised is found
by trying every setting of its (2n - 1) 2^(n-1) switches, 2^20 for n = 3; nothing is routed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel
from proofs_check.claim import Amended, Control, Finding, claim
from proofs_check.claims.boppana_rule import MSB, tags_by_step
from proofs_check.domain import Enumerated

__all__ = ["NETWORKS", "Choice", "choices", "dimensions_of", "omega", "realised"]

Ints = npt.NDArray[np.int64]
Choice = tuple[Any, ...]


# -- omega ------------------------------------------------------------------------------------


def omega(n: int, setting: int) -> list[int]:
    """The output line of every input line of the omega network.

    Args:
        n: number of stages; 2^n lines.
        setting: bit s 2^(n-1) + i is the switch of lines 2i, 2i+1 of stage s.

    >>> omega(2, 0), omega(2, 0b0001)
    ([0, 1, 2, 3], [2, 1, 0, 3])
    """
    size = 1 << n
    outputs = []
    for line in range(size):
        for stage in range(n):
            line = (line << 1 | line >> n - 1) & size - 1
            line ^= setting >> stage * size // 2 + line // 2 & 1
        outputs.append(line)
    return outputs


def _inverse(permutation: Sequence[int]) -> list[int]:
    inverse = [0] * len(permutation)
    for x, y in enumerate(permutation):
        inverse[y] = x
    return inverse


_SETTINGS = Enumerated(
    lambda n: ((tuple(omega(n, s)),) for s in range(1 << n * 2 ** (n - 1))),
    size=lambda n: 1 << n * 2 ** (n - 1),
    names=("omega",),
    text="what every setting of the omega network does",
)


@lru_cache(maxsize=4)
def _count_distinct(n: int) -> int:
    return len({tuple(omega(n, s)) for s in range(1 << n * 2 ** (n - 1))})


def _keeps_state_a(permutation: Sequence[int], most_significant: bool) -> Finding:
    """HL delivers every tag, and before and after each step every processor has one."""
    states = tags_by_step(list(permutation), MSB if most_significant else 0)
    one_each = all(len(state) == len(permutation) for state in states)
    delivered = states[-1] == {x: [x] for x in range(len(permutation))}
    n = len(permutation).bit_length() - 1
    distinct = _count_distinct(n) == 1 << n * 2 ** (n - 1)
    return Finding(one_each and delivered and distinct, permutation=permutation, states=states)


@claim(
    "boppana.omega",
    place="Section 4",
    says="choosing the most significant bit wherever there is a choice, HL routes every omega "
    "permutation, one tag in each processor all the time",
    latex=r"\text{HL, MSB first, routes } \Omega",
    over=_SETTINGS,
    evidence="shuffles and switches of the omega network set in every way; HL run on tags",
    control=Control("the least significant bit", most_significant=False),
    max_n=3,
    limit_n=3,
)
def omega_msb(omega: tuple[int, ...], *, most_significant: bool = True) -> Finding:
    """[boppana, section 4] after i steps the top i bits are those of the destination."""
    return _keeps_state_a(omega, most_significant)


@claim(
    "boppana.inverse-omega",
    place="Section 4",
    says="HL routes every inverse omega permutation, one tag in each processor all the time",
    latex=r"\text{HL routes } \Omega^{-1}",
    over=_SETTINGS.described("what every setting of the omega network does, inverted"),
    evidence="shuffles and switches of the omega network set in every way; HL run on tags",
    control=Control("the most significant bit first", most_significant=True),
    max_n=3,
    limit_n=3,
)
def omega_lsb(omega: tuple[int, ...], *, most_significant: bool = False) -> Finding:
    """[boppana, section 4] after i steps the low i bits are those of the destination."""
    return _keeps_state_a(_inverse(omega), most_significant)


# -- Beneš-like networks ------------------------------------------------------------------------


def choices(left: Sequence[int]) -> Iterator[Choice]:
    """Every way in which a subcube and the subcubes in it choose dimensions.

    >>> list(choices((0, 1)))
    [(0, (1,), (1,)), (1, (0,), (0,))]
    """
    for d in left:
        others = [k for k in left if k != d]
        if not others:
            yield (d,)
            continue
        for low, high in itertools.product(choices(others), repeat=2):
            yield d, low, high


def dimensions_of(choice: Choice, n: int) -> Ints:
    """The dimension of every line's switch in stages 1..n, shape (n, 2^n)."""
    rows = np.empty((n, 1 << n), np.int64)
    for u in range(1 << n):
        here = choice
        for t in range(n):
            rows[t, u] = here[0]
            if t < n - 1:
                here = here[1 + (u >> here[0] & 1)]
    return rows


def _count_networks(n: int) -> int:
    return 1 if n == 1 else n * _count_networks(n - 1) ** 2


NETWORKS = Enumerated(
    lambda n: ((choice,) for choice in choices(range(n))),
    size=_count_networks,
    names=("choice",),
    text="every Beneš-like network of 2^n lines",
)


@kernel
def _count_realised(n: int, dimensions: Ints, target: int) -> int:
    """How many permutations the settings of stages `dimensions` realise; stops at `target`."""
    size = 1 << n
    stages, half = len(dimensions), size >> 1
    low, high = np.empty((stages, half), np.int64), np.empty((stages, half), np.int64)
    for s in range(stages):
        k = 0
        for u in range(size):
            v = u ^ (1 << dimensions[s, u])
            if u < v:
                low[s, k], high[s, k] = u, v
                k += 1
    seen = np.zeros(1 << (size * n), np.bool_)
    line = np.empty(size, np.int64)
    count = 0
    for setting in range(1 << (stages * half)):
        for u in range(size):
            line[u] = u
        for s in range(stages):
            for k in range(half):
                if setting >> (s * half + k) & 1:
                    a, b = low[s, k], high[s, k]
                    line[a], line[b] = line[b], line[a]
        code = 0
        for u in range(size):
            code = code << n | line[u]
        if not seen[code]:
            seen[code] = True
            count += 1
            if count == target:
                break
    return count


def realised(choice: Choice, n: int, left_out: int = 0) -> int:
    """How many permutations a network realises, its last `left_out` stages removed; n <= 3.

    >>> realised((0, (1,), (1,)), 2), realised((0, (1,), (1,)), 2, left_out=1)
    (24, 16)
    """
    rows = dimensions_of(choice, n)
    stages = np.concatenate([rows, rows[-2::-1]]) if n > 1 else rows
    factorial = 1
    for i in range(2, (1 << n) + 1):
        factorial *= i
    return int(_count_realised(n, stages[: len(stages) - left_out], factorial))


@claim(
    "boppana.benes",
    place="Section 3.3.1",
    says="every network of 2n - 1 stages, in which each subcube chooses the dimension of its "
    "switches and stages n+1, ..., 2n-1 mirror stages n-1, ..., 1, realises every permutation",
    latex=r"\text{all } N! \text{ permutations are realised}",
    over=NETWORKS,
    evidence="every setting of every switch tried, the permutations counted",
    control=Control("with 2n - 2 stages", left_out=1),
    max_n=3,
    limit_n=3,
)
def benes(choice: Choice, *, left_out: int = 0) -> Finding:
    """[boppana, section 3.3.1] rearrangeable, whatever the subcubes choose."""
    n = _bits(choice)
    size, needed = 1 << n, 1
    for i in range(2, size + 1):
        needed *= i
    found = realised(choice, n, left_out)
    return Finding(found == needed, realised=found, permutations=needed)


def _bits(choice: Choice) -> int:
    return 1 if len(choice) == 1 else 1 + _bits(choice[1])


_DIMENSION = Enumerated(lambda n: [(n,)], size=lambda n: 1, names=("n",), text="the n")


@claim(
    "boppana.benes.different",
    place="Section 3.3.1",
    says="different partitioned linear-complement permutations give different Beneš-like networks",
    latex=r"|\{\text{networks}\}| \ge |\mathcal{PLC}_n|",
    over=_DIMENSION,
    evidence="the networks listed; |PLC_n| = 2, 24, 2432, 17 678 336 of boppana.eq3.amended",
    control=Control("at least 2^(N/2) networks", least="2^(N/2)"),
    amended=Amended(
        "the number of different Beneš-like networks is C_n = n C_(n-1)², C_1 = 1, which is at "
        "least 2^⌊N/4⌋: exponential in N",
        latex=r"C_n = n\, C_{n-1}^2 \ge 2^{\lfloor N/4 \rfloor}",
        least="2^(N/4)",
    ),
    max_n=4,
    limit_n=4,
)
def different(n: int, *, least: str = "|PLC_n|") -> Finding:
    """[boppana, section 3.3.1] two permutations of two lines share the one network there is."""
    networks = len({dimensions_of(choice, n).tobytes() for choice in choices(range(n))})
    partitioned = (2, 24, 2432, 17678336)[n - 1]
    N = 1 << n
    wanted = {"|PLC_n|": partitioned, "2^(N/2)": 1 << N // 2, "2^(N/4)": 1 << N // 4}[least]
    counted = networks == _count_networks(n)
    return Finding(counted and networks >= wanted, networks=networks, permutations=partitioned)
