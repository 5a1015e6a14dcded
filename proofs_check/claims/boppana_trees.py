"""Partitioned permutations put together: the domains of [boppana, Lemmas 6 and 7].

A tree is an int m, a linear-complement permutation of m bits, or (outer, inner): a tree for the
2^k subcubes of the top k bits and one for the processors of each of them. With the low bits first,
as Lemma 6 goes, step t of a processor belongs to one part of its tree and so to a range of bits.

    (1, (2, 2)), n = 3      bits 0..1 in both subcubes in steps 0 and 1, then bit 2
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from proofs_check.claims.boppana_partitioned import linear_columns
from proofs_check.domain import Enumerated

Tree = Any
Permutation = tuple[int, ...]
_RANDOM = 300


def bits_of(tree: Tree) -> int:
    """How many bits a tree permutes.

    >>> bits_of((1, (2, (1, (1, 1)))))
    3
    """
    return tree if isinstance(tree, int) else bits_of(tree[0]) + bits_of(tree[1][0])


def range_of(tree: Tree, u: int, t: int) -> tuple[int, int]:
    """The bits low..high-1 that processor u corrects around step t.

    >>> tree = (1, (2, (1, (1, 1))))
    >>> [range_of(tree, 0b100, t) for t in range(3)], range_of(tree, 0b000, 1)
    ([(0, 1), (1, 2), (2, 3)], (0, 2))
    """
    if isinstance(tree, int):
        return 0, tree
    outer, inner = tree
    low = bits_of(inner[0])
    if t < low:
        return range_of(inner[u >> low], u & ((1 << low) - 1), t)
    start, stop = range_of(outer, u >> low, t - low)
    return start + low, stop + low


def two_levels(n: int, k: int) -> Tree:
    """Linear-complement for the subcubes of the top k bits, and in each of them."""
    return n if k == n else (k, (n - k,) * (1 << k))


def composed(outer: Sequence[int], inner: Sequence[Sequence[int]]) -> Permutation:
    """The permutation of an outer one and one for each subcube.

    >>> composed([1, 0], [[0, 1], [1, 0]])
    (2, 3, 1, 0)
    """
    return tuple(outer[h] * len(block) + y for h, block in enumerate(inner) for y in block)


@lru_cache(maxsize=8)
def _linear_complement(k: int) -> tuple[Permutation, ...]:
    every = []
    for columns in linear_columns(k):
        images = [0]
        for column in columns:
            images += [y ^ column for y in images]
        every += [tuple(y ^ b for y in images) for b in range(1 << k)]
    return tuple(every)


def _with_inner(
    outers: Sequence[Permutation], inners: Sequence[Permutation]
) -> Iterator[Permutation]:
    for outer in outers:
        for inner in itertools.product(inners, repeat=len(outer)):
            yield composed(outer, inner)


def _divided(n: int) -> Iterator[tuple[int, Permutation]]:
    if n > 3:
        rng = random.Random(n)
        for i in range(_RANDOM):
            k = 1 + i % n
            yield k, _drawn(two_levels(n, k), rng)
        return
    for k in range(1, n):
        for permutation in _with_inner(_linear_complement(k), _linear_complement(n - k)):
            yield k, permutation
    for permutation in _linear_complement(n):
        yield n, permutation


def _count_divided(n: int) -> int:
    sizes = [1, 2, 24, 1344]  # |LC_k|
    if n > 3:
        return _RANDOM
    return sum(sizes[k] * sizes[n - k] ** (1 << k) for k in range(1, n + 1))


def _drawn(tree: Tree, rng: random.Random) -> Permutation:
    """A random permutation of a tree."""
    if isinstance(tree, int):
        b, images = rng.randrange(1 << tree), [0]
        while len(images) < 1 << tree:
            column = rng.randrange(1 << tree)
            if column not in images:
                images += [y ^ column for y in images]
        return tuple(y ^ b for y in images)
    outer, inner = tree
    return composed(_drawn(outer, rng), [_drawn(t, rng) for t in inner])


def _random_tree(n: int, rng: random.Random) -> Tree:
    if n <= 2 or rng.random() < 0.2:
        return n
    k = rng.randrange(1, n)
    return _random_tree(k, rng), tuple(_random_tree(n - k, rng) for _ in range(1 << k))


def _partitioned(n: int) -> Iterator[tuple[Tree, Permutation]]:
    """Definition 3; up to n = 3 nothing is divided twice, since PLC_2 is LC_2."""
    if n > 3:
        rng = random.Random(n)
        for _ in range(_RANDOM):
            tree = _random_tree(n, rng)
            yield tree, _drawn(tree, rng)
    elif n < 3:
        yield from ((n, permutation) for permutation in _linear_complement(n))
    else:
        for k, permutation in _divided(3):
            yield two_levels(3, k), permutation


DIVIDED = Enumerated(
    _divided,
    size=_count_divided,
    names="k, permutation",
    text="all such permutations for n <= 3, 300 random ones for each n above",
)

PARTITIONED = Enumerated(
    _partitioned,
    size=lambda n: _count_divided(n) if n >= 3 else (2, 24)[n - 1],
    names="tree, permutation",
    text="all of Definition 3 for n <= 3, 300 random ones for each n above",
)
