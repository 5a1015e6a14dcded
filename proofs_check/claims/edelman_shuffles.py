"""Dimension permutations: [edelman], section 5, Lemmas 5.1 to 5.3, (5.6), (5.7).

A permutation of the bits is a tuple: bit k goes to targets[k]. Products are carried out bit by bit
in the order in which they act, which is from right to left in print.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from proofs_check.claim import Control, Finding, Reading, Sizes, claim
from proofs_check.domain import AllOrders, Enumerated

Targets = tuple[int, ...]
Pair = tuple[int, int]

PERMUTATIONS = AllOrders("targets").described("all dimension permutations, bit k to targets[k]")


# -- bits that move ---------------------------------------------------------------------------


def product(*factors: Sequence[int]) -> Targets:
    """The product as printed: the last factor acts first.

    >>> product((1, 0, 2), (0, 2, 1))       # E_12 acts first: 2 -> 1 -> 0
    (1, 2, 0)
    """
    result: Sequence[int] = range(len(factors[0]))
    for factor in reversed(factors):
        result = [factor[place] for place in result]
    return tuple(result)


def exchange(i: int, j: int, n: int) -> Targets:
    """E_ij: bits i and j change places."""
    return tuple(j if k == i else i if k == j else k for k in range(n))


def shuffled(i: int, j: int, n: int) -> Targets:
    """σ_ij: e_k goes to e_(k+1) for i <= k < j, and e_j to e_i."""
    return tuple(k + 1 if i <= k < j else i if k == j else k for k in range(n))


def printed_product(pairs: Iterable[Pair], n: int) -> Targets:
    """E E' E'' ... of pairs in the order of print."""
    return product(tuple(range(n)), *(exchange(i, j, n) for i, j in pairs))


@lru_cache(maxsize=16)
def involutions(n: int) -> tuple[Targets, ...]:
    """All permutations that are their own inverses: symmetric matrices."""
    return tuple(t for t in itertools.permutations(range(n)) if all(t[t[k]] == k for k in range(n)))


@lru_cache(maxsize=64)
def _matched(n: int, most: int) -> frozenset[Targets]:
    """Products of at most `most` exchanges of disjoint pairs, in any order of the pairs."""

    def grow(first: int, used: int, targets: Targets, left: int) -> Iterator[Targets]:
        yield targets
        for i, j in itertools.combinations(range(n), 2):
            if left and i >= first and not used & (1 << i | 1 << j):
                grown = product(exchange(i, j, n), targets)
                yield from grow(i + 1, used | 1 << i | 1 << j, grown, left - 1)

    return frozenset(grow(0, 0, tuple(range(n)), most))


# -- Lemmas 5.1 to 5.3 ------------------------------------------------------------------------


@claim(
    "edelman.lem5.1",
    place="Section 5, Lemma 5.1",
    says="a bit exchange, a symmetric permutation matrix, is a product of elementary exchanges of "
    "disjoint pairs; conversely every such product is a bit exchange",
    latex=r"P = P^T \iff P = \prod E_{ij} \text{ with disjoint pairs}",
    over=PERMUTATIONS,
    evidence="all products of disjoint elementary exchanges carried out",
    control=Control("of at most one elementary exchange", most=1),
    sizes=Sizes(most=6, limit=8),
)
def lem51(targets: Targets, *, most: int | None = None) -> Finding:
    n = len(targets)
    symmetric = all(targets[targets[k]] == k for k in range(n))
    return Finding(symmetric == (targets in _matched(n, n if most is None else most)))


def split_in_two(targets: Targets, factors: int) -> tuple[Targets, Targets] | None:
    """Involutions X, Y with XY = P, found by trying all X; with one factor X must be P."""
    n = len(targets)
    for X in involutions(n) if factors == 2 else (tuple(range(n)),):
        Y = product(X, targets)
        if all(Y[Y[k]] == k for k in range(n)):
            return X, Y
    return None


SHUFFLES = Enumerated(
    lambda n: ((n, i, j) for i in range(n) for j in range(i, n)),
    size=lambda n: n * (n + 1) // 2,
    names="n, i, j",
    text="all shuffles σ_ij, i <= j",
)


@claim(
    "edelman.lem5.2",
    place="Section 5, Lemma 5.2",
    says="a shuffle is a product of two bit exchanges",
    latex=r"\sigma_{ij} = X Y,\ X = X^T,\ Y = Y^T",
    over=SHUFFLES,
    evidence="all symmetric X tried",
    control=Control("of one bit exchange", factors=1),
    sizes=Sizes(most=6, limit=8),
)
def lem52(n: int, i: int, j: int, *, factors: int = 2) -> Finding:
    """Two reflections make a rotation."""
    found = split_in_two(shuffled(i, j, n), factors)
    return Finding(found is not None, factors=found)


@claim(
    "edelman.lem5.3",
    place="Section 5, Lemma 5.3",
    says="every permutation matrix is a product of two bit exchanges",
    latex=r"P = X Y,\ X = X^T,\ Y = Y^T",
    over=PERMUTATIONS,
    evidence="all symmetric X tried",
    control=Control("of one bit exchange", factors=1),
    sizes=Sizes(most=6, limit=7),
)
def lem53(targets: Targets, *, factors: int = 2) -> Finding:
    found = split_in_two(targets, factors)
    return Finding(found is not None, factors=found)


# -- shuffles ---------------------------------------------------------------------------------


def increasing(i: int, j: int) -> list[Pair]:
    """(5.6): (i, i+1), (i+1, i+2), ..., (j-1, j), in print from left to right."""
    return [(k, k + 1) for k in range(i, j)]


def decreasing(i: int, j: int) -> list[Pair]:
    """(5.7): (i, j), (i, j-1), ..., (i, i+1), in print from left to right."""
    return [(i, k) for k in range(j, i, -1)]


def _moves_right(n: int, i: int, j: int, pairs: list[Pair], rightmost_first: bool) -> Finding:
    """Whether the product takes every node where the shuffle does, address bit by address bit."""
    order = pairs[::-1] if rightmost_first else pairs
    goes = shuffled(i, j, n)
    for node in range(1 << n):
        bits = [node >> k & 1 for k in range(n)]
        for a, b in order:
            bits[a], bits[b] = bits[b], bits[a]
        if any(bits[goes[k]] != node >> k & 1 for k in range(n)):
            return Finding(False, node=node, arrives=bits, pairs=pairs)
    return Finding(True, pairs=pairs)


@claim(
    "edelman.eq5.6",
    place="Section 5, Example 1 and (5.6)",
    says="σ_ij = E_(i,i+1) E_(i+1,i+2) ... E_(j-1,j)",
    latex=r"\sigma_{ij} = E_{i,i+1} E_{i+1,i+2} \cdots E_{j-1,j}",
    over=SHUFFLES,
    evidence="all nodes moved, exchange by exchange",
    control=Control("the left factor acts first", rightmost_first=False),
    sizes=Sizes(most=6, limit=10),
)
def eq56(n: int, i: int, j: int, *, rightmost_first: bool = True) -> Finding:
    return _moves_right(n, i, j, increasing(i, j), rightmost_first)


@claim(
    "edelman.eq5.7",
    place="Section 5, Example 2 and (5.7)",
    says="σ_ij = E_ij E_(i,j-1) ... E_(i,i+1)",
    latex=r"\sigma_{ij} = E_{ij} E_{i,j-1} \cdots E_{i,i+1}",
    over=SHUFFLES,
    evidence="all nodes moved, exchange by exchange",
    control=Control("the left factor acts first", rightmost_first=False),
    sizes=Sizes(most=6, limit=10),
)
def eq57(n: int, i: int, j: int, *, rightmost_first: bool = True) -> Finding:
    return _moves_right(n, i, j, decreasing(i, j), rightmost_first)


TRIPLES = Enumerated(
    lambda n: ((n, i, j, k) for i, j, k in itertools.combinations(range(n), 3)),
    size=lambda n: n * (n - 1) * (n - 2) // 6,
    names="n, i, j, k",
    text="all i < j < k",
)


@claim(
    "edelman.shuffles.join",
    place="Section 5, after (5.7)",
    says="a shuffle is a product of shuffles of fewer dimensions: σ_ik = σ_ij σ_jk",
    latex=r"\sigma_{ik} = \sigma_{ij} \sigma_{jk}",
    over=TRIPLES,
    evidence="bits moved",
    control=Control("in the other order", swapped=True),
    reading="our copy lacks the formula; this is (5.6) cut in two",
    sizes=Sizes(least=3, most=6, limit=10),
)
def join(n: int, i: int, j: int, k: int, *, swapped: bool = False) -> Finding:
    parts = (shuffled(i, j, n), shuffled(j, k, n))
    found = product(*(parts[::-1] if swapped else parts))
    return Finding(found == shuffled(i, k, n), product=found)


@claim(
    "edelman.shuffles.commute",
    place="Section 5, end",
    says="σ_jk and σ_ij⁻¹ commute",
    latex=r"\sigma_{jk} \sigma_{ij}^{-1} = \sigma_{ij}^{-1} \sigma_{jk}",
    over=TRIPLES,
    evidence="bits moved, in both orders",
    control=Control("σ_(j-1,k) in place of σ_jk", earlier=1),
    reading=Reading(
        "j - 1 is an index: σ_jk and σ_(i,j-1) commute, and σ_ik = σ_jk σ_(i,j-1) E_(j-1,k)",
        disjoint=True,
    ),
    sizes=Sizes(least=3, most=6, limit=10),
)
def commute(n: int, i: int, j: int, k: int, *, disjoint: bool = False, earlier: int = 0) -> Finding:
    """Two shuffles that share dimension j do not commute; disjoint ones do, and make σ_ik."""
    right = shuffled(j - earlier, k, n)
    if disjoint:
        left = shuffled(i, j - 1, n)
    else:
        whole = shuffled(i, j, n)
        left = tuple(whole.index(bit) for bit in range(n))
    both, other = product(right, left), product(left, right)
    made = product(both, exchange(j - 1, k, n)) == shuffled(i, k, n)
    return Finding(both == other and (made or not disjoint), products=(both, other))
