"""Shortest products of elementary bit exchanges: [edelman], section 5.

`shortest` steps through all permutations, one exchange at a time, and counts the ways to each.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import lru_cache

from proofs_check.claim import Control, Finding, Sizes, Stated, claim
from proofs_check.claims.edelman_shuffles import (
    PERMUTATIONS,
    Pair,
    Targets,
    decreasing,
    increasing,
    printed_product,
    shuffled,
)
from proofs_check.domain import Enumerated, EveryN

ONE = EveryN("the shuffle of n dimensions")

STATED = Stated(place="Section 5, after Examples 1 and 2", over=ONE, sizes=Sizes(most=6, limit=7))


def _exchanged(targets: Targets, i: int, j: int) -> Targets:
    """E_ij after the permutation."""
    return tuple(j if t == i else i if t == j else t for t in targets)


def stepped(n: int, pairs: list[Pair]) -> dict[Targets, tuple[int, int]]:
    """(fewest exchanges, number of ways with so many) for every permutation reached."""
    start = tuple(range(n))
    found = {start: (0, 1)}
    here, steps = {start: 1}, 0
    while here:
        steps += 1
        there: Counter[Targets] = Counter()
        for targets, ways in here.items():
            for i, j in pairs:
                there[_exchanged(targets, i, j)] += ways
        here = {t: ways for t, ways in there.items() if t not in found}
        found |= {t: (steps, ways) for t, ways in here.items()}
    return found


@lru_cache(maxsize=8)
def shortest(n: int) -> dict[Targets, tuple[int, int]]:
    """The same with all n(n-1)/2 elementary exchanges.

    >>> shortest(3)[1, 2, 0]
    (2, 3)
    """
    return stepped(n, list(itertools.combinations(range(n), 2)))


@lru_cache(maxsize=8)
def factorizations(n: int) -> tuple[tuple[Pair, ...], ...]:
    """All products of n - 1 elementary exchanges that are the shuffle, in order of print.

    Every product of the first half is joined with every one of the second that completes it.
    """
    pairs = list(itertools.combinations(range(n), 2))
    goal = shuffled(0, n - 1, n)
    right = (n - 1) // 2
    ends: dict[Targets, list[tuple[Pair, ...]]] = {}
    for chosen in itertools.product(pairs, repeat=right):
        ends.setdefault(printed_product(chosen, n), []).append(chosen)
    found = []
    for chosen in itertools.product(pairs, repeat=n - 1 - right):
        undone = printed_product(chosen[::-1], n)  # the inverse of the left part
        needed = tuple(undone[bit] for bit in goal)
        found += [chosen + end for end in ends.get(needed, [])]
    return tuple(found)


@claim(
    "edelman.factorizations",
    says="the shuffle of n dimensions has exactly n^(n-2) factorizations into n - 1 elementary bit "
    "exchanges, and none into fewer",
    latex=r"n^{n-2}",
    evidence="all permutations stepped through, one exchange at a time; the products listed",
    control=Control("n^(n-1)", exponent=-1),
    reading="our copy lacks the exponent and the number of exchanges; these are the true ones",
)
def number(n: int, *, exponent: int = -2) -> Finding:
    fewest, ways = shortest(n)[shuffled(0, n - 1, n)]
    listed = len(factorizations(n))
    return Finding(
        fewest == n - 1 and ways == listed and ways * n**-exponent == n**n, fewest=fewest, ways=ways
    )


@claim(
    "edelman.factorizations.all",
    place="beside section 5, after Examples 1 and 2: for any permutation",
    says="a dimension permutation with cycles of lengths l, c of them, has exactly "
    "(n - c)! Π l^(l-2) / (l - 1)! factorizations into n - c elementary exchanges, and none into "
    "fewer",
    latex=r"(n-c)! \prod_l \frac{l^{\,l-2}}{(l-1)!}",
    over=PERMUTATIONS,
    evidence="all permutations stepped through, one exchange at a time",
    control=Control("without the interleavings of cycles", interleaved=False),
)
def for_all(targets: Targets, *, interleaved: bool = True) -> Finding:
    lengths = _cycle_lengths(targets)
    steps = sum(length - 1 for length in lengths)
    stated = math.prod(length ** (length - 2) for length in lengths if length > 1)
    if interleaved:
        stated *= math.factorial(steps)
        stated //= math.prod(math.factorial(length - 1) for length in lengths)
    fewest, ways = shortest(len(targets))[targets]
    return Finding((fewest, ways) == (steps, stated), fewest=fewest, ways=ways, stated=stated)


def _cycle_lengths(targets: Targets) -> list[int]:
    left, lengths = set(range(len(targets))), []
    while left:
        bit, length = min(left), 0
        while bit in left:
            left.remove(bit)
            bit, length = targets[bit], length + 1
        lengths.append(length)
    return lengths


@claim(
    "edelman.inverse",
    says="the factorizations of σ⁻¹ are those of σ in reverse order",
    latex=r"\sigma^{-1} = E_m \cdots E_1 \iff \sigma = E_1 \cdots E_m",
    evidence="every factorization of σ carried out backwards, and their number compared",
    control=Control("in the same order", backwards=False),
)
def inverse(n: int, *, backwards: bool = True) -> Finding:
    """Elementary exchanges are their own inverses."""
    goal = shuffled(0, n - 1, n)
    back = tuple(goal.index(bit) for bit in range(n))
    made = {printed_product(f[::-1] if backwards else f, n) for f in factorizations(n)}
    return Finding(made == {back} and shortest(n)[back] == shortest(n)[goal])


def _uses(pairs: list[Pair] | tuple[Pair, ...], n: int) -> list[int]:
    return [sum(bit in pair for pair in pairs) for bit in range(n)]


@claim(
    "edelman.balance",
    says="every factorization uses dimensions 2(n-1) times in total; Example 1 uses the first and "
    "the last dimension once and the others twice, which balances best; Example 2 uses dimension "
    "1 n - 1 times, which balances worst",
    latex=r"\sum_k u_k = 2(n-1),\ \min(2, n-1) \le \max_k u_k \le n - 1",
    evidence="the uses counted in all factorizations",
    control=Control("some factorization uses no dimension twice", better=1),
    sizes=Sizes(least=2, most=6, limit=7),
)
def balance(n: int, *, better: int = 0) -> Finding:
    uses = [_uses(f, n) for f in factorizations(n)]
    largest = [max(u) for u in uses]
    first, second = _uses(increasing(0, n - 1), n), _uses(decreasing(0, n - 1), n)
    return Finding(
        {sum(u) for u in uses} == {2 * (n - 1)}
        and first == [1] + [2] * (n - 2) + [1]
        and second == [n - 1] + [1] * (n - 1)
        and max(first) == min(largest) + better
        and max(second) == max(largest),
        least=min(largest),
        greatest=max(largest),
    )


# -- through one local dimension --------------------------------------------------------------


LOCAL = Enumerated(
    lambda n: ((n, i, j) for i, j in itertools.combinations(range(n), 2)),
    size=lambda n: n * (n - 1) // 2,
    names="n, i, j",
    text="all shuffles σ_(i+1,j) of d = j - i dimensions, with the local dimension i",
)


@claim(
    "edelman.local",
    place="Section 5, after (5.7)",
    says="σ_(i+1,j) = E_(i,i+1) E_ij E_(i,j-1) ... E_(i,i+1): a shuffle of d = j - i dimensions is "
    "a product of d + 1 exchanges, each with the local dimension i",
    latex=r"\sigma_{i+1,j} = E_{i,i+1} E_{ij} E_{i,j-1} \cdots E_{i,i+1}",
    over=LOCAL,
    evidence="bits moved, exchange by exchange",
    control=Control("without the last exchange", without=1),
    reading="our copy lacks the formulas; (5.6) gives σ_(i+1,j) = E_(i,i+1) σ_ij, (5.7) the rest",
    sizes=Sizes(least=2, most=6, limit=10),
)
def local(n: int, i: int, j: int, *, without: int = 0) -> Finding:
    """Into the memory, once around, and out."""
    pairs = [(i, i + 1), *decreasing(i, j)][without:]
    made = printed_product(pairs, n)
    return Finding(made == shuffled(i + 1, j, n) and len(pairs) == j - i + 1 - without, made=made)


@lru_cache(maxsize=32)
def _through(n: int, i: int) -> dict[Targets, tuple[int, int]]:
    return stepped(n, [(min(i, k), max(i, k)) for k in range(n) if k != i])


@claim(
    "edelman.local.fewest",
    place="beside section 5, after (5.7); is it the least?",
    says="d + 1 exchanges with dimension i are the fewest whose product is the shuffle of d >= 2 "
    "other dimensions; for d = 1 there is nothing to do",
    latex=r"d + 1,\ d \ge 2",
    over=LOCAL,
    evidence="all permutations stepped through, one exchange with dimension i at a time",
    control=Control("5 exchanges for d = 5", at_length=5),
    sizes=Sizes(least=2, most=6, limit=7),
)
def fewest_local(n: int, i: int, j: int, *, at_length: int = 0) -> Finding:
    """A cycle that does not have the local dimension costs its length and one."""
    fewest, _ = _through(n, i)[shuffled(i + 1, j, n)]
    d = j - i
    stated = d if d == at_length else d + 1
    return Finding(fewest == (0 if d == 1 else stated), fewest=fewest, d=d)


EXCHANGES = Enumerated(
    lambda n: ((n, *pair, local) for pair in itertools.combinations(range(n), 2) for local in pair),
    size=lambda n: n * (n - 1),
    names="n, i, j, local",
    text="all E_ij with one of i, j local, and without",
)


@claim(
    "edelman.local.hops",
    place="Section 5, after (5.7)",
    says="an exchange with the local dimension moves data between adjacent nodes only, one of two "
    "cube dimensions between nodes at distance two",
    latex=r"1 \text{ hop against } 2",
    over=EXCHANGES,
    evidence="every datum moved, the distance between the nodes counted",
    control=Control("one hop for two cube dimensions", apart=1),
    sizes=Sizes(least=2, most=6, limit=8),
)
def hops(n: int, i: int, j: int, local: int, *, apart: int = 2) -> Finding:
    """Half of the data move; those of an exchange of cube dimensions need two hops."""
    cube = (1 << n) - 1
    with_local, without = set(), set()
    for x in range(1 << n):
        if (x >> i ^ x >> j) & 1:
            y = x ^ (1 << i | 1 << j)
            with_local.add(((x ^ y) & cube & ~(1 << local)).bit_count())
            without.add((x ^ y).bit_count())
    return Finding(with_local == {1} and without == {apart}, hops=sorted(without))
