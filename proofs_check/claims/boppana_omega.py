"""Omega permutations, switch by switch: [boppana, section 4].

The omega network has n stages; each shuffles the lines (line a goes to its address rotated left by
one) and then has a switch on every two lines 2i, 2i+1. Omega permutations are those that its
settings realise, 2^(n 2^(n-1)) of them; the inverse omega network is passed from output to input.
Destination-tag routing in it corrects bits n-1, ..., 0, so omega permutations are met with the most
significant bit first, inverse ones with the least: as section 4 says. HL is in state A throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.boppana_rule import MSB, tags_by_step
from proofs_check.domain import Enumerated


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
    names="omega",
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
    sizes=Sizes(most=3, limit=3),
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
    sizes=Sizes(most=3, limit=3),
)
def omega_lsb(omega: tuple[int, ...], *, most_significant: bool = False) -> Finding:
    """[boppana, section 4] after i steps the low i bits are those of the destination."""
    return _keeps_state_a(_inverse(omega), most_significant)
