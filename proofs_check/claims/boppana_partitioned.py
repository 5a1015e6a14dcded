"""The class PLC_n, its size and its members: [boppana, section 3.3.1, Lemmas 6 and 7].

A permutation of 2^n nodes is one packed word, four bits for every destination, so that n <= 4.
LC_k is enumerated here by its definition (destinations of node 0 and of the nodes 2^j; kept if
every node receives). The definitions:

    3   n <= 2: LC_n. Else the permutations of 2^k subcubes by PLC_k and inside each by PLC_(n-k),
        1 <= k <= n. Printed with k = n that is "PLC_n from PLC_n" and adds nothing; then no
        undivided permutation of three bits is in PLC_3. With LC_n in that place it is meant.
    4   the subcubes by LC'_k and inside each by PLC_(n-k); k = n is LC'_n.

LC'_k are linear-complement permutations whose matrix is not made of two diagonal blocks, with rows
0 and k-1 in different blocks. The matrix [[1, 0], [1, 1]] is not, but its permutations also arise
with k = 1, so formula (3) counts them twice; it counts right when LC'_k leaves out every matrix
whose top rows have zeros in the low columns (two blocks, triangular).

The permutations of Lemmas 6 and 7 are put together by trees. A tree is an int m, a
linear-complement permutation of m bits, or (outer, inner): a tree for the 2^k subcubes of the top k
bits and one for the processors of each. With the low bits first, as Lemma 6 goes, step t of a
processor belongs to one part of its tree and so to a range of bits.

    (1, (2, 2)), n = 3      bits 0..1 in both subcubes in steps 0 and 1, then bit 2
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from proofs_check.arrays import Words
from proofs_check.claim import Amended, Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.domain import Enumerated, EveryN, general_linear_order

Columns = tuple[int, ...]

STATED = Stated(place="Section 3.3.1", over=EveryN("the n"), sizes=Sizes(most=3, limit=4))

_WHOLE, _TRIANGULAR, _DIAGONAL = "whole", "triangular", "diagonal"
_BUT_LAST = "triangular, but for j = 2 of 3"


@lru_cache(maxsize=8)
def linear_columns(k: int) -> tuple[Columns, ...]:
    """Every linear permutation of k bits by the images of 1, 2, 4, ...

    >>> linear_columns(2)
    ((1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2))
    """
    every = itertools.product(range(1, 1 << k), repeat=k)
    return tuple(c for c in every if len(set(images_of(c))) == 1 << k)


def images_of(columns: Sequence[int]) -> list[int]:
    """Where a linear map of these columns sends 0, 1, ..."""
    images = [0]
    for column in columns:
        images += [y ^ column for y in images]
    return images


def blocks_of(columns: Columns, kind: str) -> list[int]:
    """The j in 1..k-1 for which the top j bits are a block.

    "triangular": the top j bits of y depend only on those of x. "diagonal": moreover the low bits
    of y depend only on those of x, as the paper's matrix with two zero blocks.

    >>> blocks_of((3, 2), "triangular"), blocks_of((3, 2), "diagonal")
    ([], [])
    >>> blocks_of((1, 3), "triangular"), blocks_of((1, 3), "diagonal")
    ([1], [])
    """
    k = len(columns)
    found = []
    for j in range(1, k):
        low = k - j
        top_is_block = not any(c >> low for c in columns[:low])
        low_is_block = not any(c & (1 << low) - 1 for c in columns[low:])
        if kind == _WHOLE or (kind == _BUT_LAST and (j, k) == (2, 3)):
            continue
        if top_is_block and (kind != _DIAGONAL or low_is_block):
            found.append(j)
    return found


@lru_cache(maxsize=32)
def undivided(k: int, kind: str) -> int:
    """How many linear-complement permutations of k bits have no such block."""
    return sum(not blocks_of(columns, kind) for columns in linear_columns(k)) << k


# -- the sets ----------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def _linear_complement(k: int, kind: str) -> Words:
    """LC_k without the matrices that have blocks of a kind, packed."""
    kept = [images_of(c) for c in linear_columns(k) if not blocks_of(c, kind)]
    images = np.array(kept, dtype=np.uint64).reshape(-1, 1 << k)
    shifted = images[:, None, :] ^ np.arange(1 << k, dtype=np.uint64)[:, None]
    return _packed(shifted.reshape(-1, 1 << k))


def _packed(images: Words) -> Words:
    code = np.zeros(len(images), dtype=np.uint64)
    for x in range(images.shape[1]):
        code |= images[:, x] << np.uint64(4 * x)
    return code


def _digits(code: Words, k: int) -> Words:
    return np.stack([code >> np.uint64(4 * x) & np.uint64(15) for x in range(1 << k)], axis=1)


def _put_together(outer: Words, k: int, inner: Words, low: int) -> Words:
    """All permutations with an outer one of k bits and an inner one in every subcube."""
    inside = _digits(inner, low)
    every = []
    for subcube_images in _digits(outer, k):
        codes = np.zeros(1, dtype=np.uint64)
        for h, image in enumerate(subcube_images):
            block = _packed(inside | image << np.uint64(low)) << np.uint64(4 * (h << low))
            codes = np.add.outer(codes, block).ravel()
        every.append(codes)
    return np.concatenate(every)


def _distinct(codes: list[Words]) -> Words:
    every = np.sort(np.concatenate(codes))
    distinct: Words = every[np.append(True, np.diff(every) != 0)]
    return distinct


@lru_cache(maxsize=32)
def partitioned(n: int, definition: int, last: str) -> Words:
    """PLC_n, packed and ascending.

    Args:
        n: 1..4.
        definition: 3 or 4.
        last: for Definition 3 what k = n adds: "nothing" as printed, or "LC"; for Definition 4
            the blocks that LC'_k must not have.
    """
    if definition == 4:
        parts = [_linear_complement(n, last)]
        for k in range(1, n):
            outer = _linear_complement(k, last)
            parts.append(_put_together(outer, k, partitioned(n - k, 4, last), n - k))
        return _distinct(parts)
    if n <= 2:
        return _distinct([_linear_complement(n, _WHOLE)])
    parts = [_linear_complement(n, _WHOLE)] if last == "LC" else []
    for k in range(1, n):
        outer, inner = partitioned(k, 3, last), partitioned(n - k, 3, last)
        parts.append(_put_together(outer, k, inner, n - k))
    return _distinct(parts)


@claim(
    "boppana.def34",
    place="Section 3.3.1, Definitions 3 and 4",
    says="Definitions 3 and 4 give the same class of permutations",
    latex=r"\mathcal{PLC}_n^{(3)} = \mathcal{PLC}_n^{(4)}",
    evidence="both classes put together permutation by permutation and compared",
    control=Control("with LC'_n left out of Definition 4", whole=False),
    reading=Reading(
        "in Definition 3, k = n adds LC_n. As published it adds PLC_n to itself, and PLC_3 "
        "has only the permutations that k = 1 and k = 2 divide",
        last="LC",
    ),
)
def def34(n: int, *, last: str = "nothing", whole: bool = True) -> Finding:
    third, fourth = partitioned(n, 3, last), partitioned(n, 4, _DIAGONAL)
    if not whole:
        fourth = np.setdiff1d(fourth, _linear_complement(n, _DIAGONAL))
    same = np.array_equal(third, fourth)
    return Finding(same, definition_3=len(third), definition_4=len(fourth))


# -- counting ----------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def formula(n: int, kind: str) -> int:
    """The right side of (3), with LC'_k and |PLC_(n-k)| counted by listing; n <= 4.

    >>> formula(2, "diagonal"), formula(3, "diagonal"), formula(3, "triangular")
    (28, 2728, 2432)
    """
    sizes = [1, *(len(partitioned(m, 4, _DIAGONAL)) for m in range(1, n))]
    return sum(undivided(k, kind) * sizes[n - k] ** (1 << k) for k in range(1, n + 1))


@claim(
    "boppana.eq3",
    place="Section 3.3.1, formula (3)",
    printed="a subset of LC_k, that contains the permutations that can not be decomposed such that "
    "rows 0 and k-1 of the original Q matrix are in different partitions",
    says="|PLC_n| = Σ_k |LC'_k| |PLC_(n-k)|^(2^k), where LC'_k are the linear-complement "
    "permutations whose matrix is not in two diagonal blocks",
    latex=r"|\mathcal{PLC}_n| = \sum_{k=1}^n |\mathcal{LC}_k'| \cdot |\mathcal{PLC}_{n-k}|^{2^k}",
    evidence="all permutations of PLC_n put together after Definition 4 and counted once each",
    control=Control("with LC_k for LC'_k", kind=_WHOLE),
    amended=Amended(
        "|PLC_n| = Σ_k |LC'_k| |PLC_(n-k)|^(2^k), where LC'_k are the linear-complement "
        "permutations whose matrix is not in two triangular blocks. That is, for no j < k do the "
        "top j bits of y depend only on those of x",
        latex=r"|\mathcal{PLC}_n| = "
        r"\sum_{k=1}^n |\mathcal{LC}_k'| \cdot |\mathcal{PLC}_{n-k}|^{2^k}",
        control=Control("two blocks of the top 2 bits of 3 are allowed", kind=_BUT_LAST),
        kind=_TRIANGULAR,
    ),
)
def eq3(n: int, *, kind: str = _DIAGONAL) -> Finding:
    """[boppana, (3)] the terms are the sizes of disjoint sets only in the amended form."""
    counted = len(partitioned(n, 4, _DIAGONAL))
    return Finding(formula(n, kind) == counted, formula=formula(n, kind), counted=counted)


@claim(
    "boppana.lin",
    says="|LIN_k| = 2^(k(k-1)/2) (2^k - 1)(2^(k-1) - 1)...(2 - 1), |LC_k| = 2^k |LIN_k|",
    latex=r"|\mathcal{LIN}_k| = 2^{k(k-1)/2} \prod_{i=1}^{k} (2^i - 1)",
    evidence="every choice of images of 1, 2, 4, ... tried; every permutation listed",
    control=Control("2^(k(k+1)/2) for 2^(k(k-1)/2)", sign=+1),
    sizes=Sizes(limit=4),
)
def lin(n: int, *, sign: int = -1) -> Finding:
    stated = 1 << n * (n + sign) // 2
    for i in range(1, n + 1):
        stated *= (1 << i) - 1
    counted = len(linear_columns(n))
    listed = len(np.unique(_linear_complement(n, _WHOLE)))
    ok = stated == counted and listed == counted << n
    return Finding(ok, stated=stated, counted=counted, listed=listed)


# -- bounds ------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _undivided_matrices(k: int) -> int:
    """Matrices without triangular blocks: each other one has a first block of j < k bits.

    |LIN_k| is settled for k <= 4 by boppana.lin.
    """
    return general_linear_order(k) - sum(
        _undivided_matrices(j) * general_linear_order(k - j) << j * (k - j) for j in range(1, k)
    )


@lru_cache(maxsize=64)
def _size(n: int) -> int:
    """|PLC_n| by the amended formula (3)."""
    return sum(_terms(n)) if n else 1


def _terms(n: int) -> list[int]:
    """The terms of the amended formula (3), k = 1..n."""
    ks = range(1, n + 1)
    return [(_undivided_matrices(k) << k) * _size(n - k) ** (1 << k) for k in ks]


def _reaches(count: int, n: int, eighths: int) -> bool:
    """Whether count >= N^(√N log N · eighths/8): 8 log2(count) >= eighths n² √N, squared.

    log2 is rounded down, so that "yes" is sure.
    """
    return (8 * (count.bit_length() - 1)) ** 2 >= (eighths * n * n) ** 2 << n


@claim(
    "boppana.bound",
    says="|PLC_n| is at least N^(√N log N/8), and so is the term k = n/2 of (3) for even n; "
    "|PLC_n| ≤ Σ_k |LC_k| |PLC_(n-k)|^(2^k) and |PLC_n| ≥ |LC_n| ≥ 2^(n²/2)",
    latex=r"|\mathcal{PLC}_n| \ge N^{\sqrt{N} \log N / 8}",
    evidence="exact integers of the amended formula (3), which is settled by listing for small n",
    control=Control("N^(2 √N log N)", eighths=16),
    sizes=Sizes(most=12, limit=16),
)
def bound(n: int, *, eighths: int = 1) -> Finding:
    size, terms, linear = _size(n), _terms(n), general_linear_order(n) << n
    upper = sum((general_linear_order(k) << k) * _size(n - k) ** (1 << k) for k in range(1, n + 1))
    middle = n % 2 == 1 or _reaches(terms[n // 2 - 1], n, eighths)
    ordered = upper >= size >= linear and linear**2 >= 1 << n * n
    digits = size.bit_length() - 1
    return Finding(_reaches(size, n, eighths) and middle and ordered, log2_size=digits)


@claim(
    "boppana.bound.exponential",
    says="the size of PLC_n grows exponentially with N: 2^N ≤ |PLC_n| ≤ 2^(5N/3). The printed "
    "lower bound is smaller than every c^N, c > 1; the term k = 1, 2 |PLC_(n-1)|², gives it",
    latex=r"2^N \le |\mathcal{PLC}_n| \le 2^{5N/3}",
    evidence="exact integers of the amended formula (3)",
    control=Control("|PLC_n| ≥ 4^N", base_log=2),
    sizes=Sizes(least=2, most=12, limit=16),
)
def exponential(n: int, *, base_log: int = 1) -> Finding:
    size, N = _size(n), 1 << n
    ok = size >= 1 << base_log * N and size**3 <= 1 << 5 * N
    ok = ok and (n == 2 or size >= 2 * _size(n - 1) ** 2)
    return Finding(ok, log2_size_per_node=round((size.bit_length() - 1) / N, 3))


# -- trees of permutations ---------------------------------------------------------------------


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
def _of_linear_columns(k: int) -> tuple[Permutation, ...]:
    every = []
    for columns in linear_columns(k):
        images = images_of(columns)
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
        for permutation in _with_inner(_of_linear_columns(k), _of_linear_columns(n - k)):
            yield k, permutation
    for permutation in _of_linear_columns(n):
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
        yield from ((n, permutation) for permutation in _of_linear_columns(n))
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
