"""Bridges: matrices over GF(2), the catalogue, and permutations of nodes and bits, one by one."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

import lccmodel as lcc
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.cases import every
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.edelman_gray import reflected
from proofs_check.domain import AllMatrices, AllOrders, AllVectors, Enumerated, EveryN
from proofs_check.stations import in_place, messages


def _bits(number: int, n: int) -> list[int]:
    return [number >> i & 1 for i in range(n)]


def _image(entries: list[list[int]], v: int) -> int:
    """Every entry of the product: the sum of a_ij v_j, modulo 2.

    >>> _image([[1, 1], [0, 1]], 0b10)
    3
    """
    vector = _bits(v, len(entries))
    sums = [sum(a * x for a, x in zip(row, vector, strict=True)) for row in entries]
    return sum(total % 2 << i for i, total in enumerate(sums))


@claim(
    "library.matrix",
    place="lccmodel.GF2Matrix",
    says="apply, @, rank, inverse, transpose and submatrix are those of the 0-1 matrix: 2^rank "
    "vectors are images, the inverse takes each back",
    over=AllMatrices("A"),
    evidence="every vector multiplied entry by entry, images counted",
    control=Control("the transpose for the matrix", transposed=True),
    sizes=Sizes(most=3, limit=4),
    samples={4: 500},
)
def library_matrix(A: GF2Matrix, *, transposed: bool = False) -> Finding:
    """Entries added modulo 2, nothing packed."""
    entries = A.tolist()
    n, vectors = len(entries), range(1 << len(entries))
    asked = lcc.GF2Matrix(entries)
    asked = asked.T if transposed else asked
    images = [_image(entries, v) for v in vectors]
    given = [asked.apply(v) for v in vectors]
    rank = int(math.log2(len(set(images))))
    if given != images or asked.rank != rank or asked.is_nonsingular != (rank == n):
        return Finding(False, answer=given, images=images, rank=asked.rank)
    if [(asked @ asked).apply(v) for v in vectors] != [images[y] for y in images]:
        return Finding(False, square=asked @ asked)
    if rank == n and [asked.inverse().apply(y) for y in images] != list(vectors):
        return Finding(False, inverse=asked.inverse())
    flipped = [[row[j] for row in entries] for j in range(n)]
    rows, columns = range(n - 1), range(1, n)
    part = [[entries[i][j] for j in columns] for i in rows]
    inner = asked.submatrix(rows, columns).tolist() if n > 1 else part
    return Finding(asked.T.tolist() == flipped and inner == part)


# -- many matrices at once -----------------------------------------------------------------------


def _rank(entries: list[list[int]]) -> int:
    """lg of the number of images, every one added up entry by entry.

    >>> _rank([[1, 1], [1, 1], [0, 0]])
    1
    """
    columns = len(entries[0]) if entries else 0
    vectors = itertools.product((0, 1), repeat=columns)
    images = {
        tuple(sum(a * x for a, x in zip(row, v, strict=True)) % 2 for row in entries)
        for v in vectors
    }
    return int(math.log2(len(images)))


@cache
def _matrices(n: int) -> list[list[list[int]]]:
    """All of a size; bit n i + j of the index is a_ij."""
    rows = [_bits(row, n) for row in range(1 << n)]
    return [list(matrix[::-1]) for matrix in itertools.product(rows, repeat=n)]


@claim(
    "library.ranks",
    place="lccmodel.gf2.ranks, leading_ranks, ranks_of_all, leading_ranks_of_all, "
    "leading_rank_histogram",
    says="the ranks of many matrices, of the corners i + 1 by i in an order of bits, of a list or "
    "of a range of all, and how often which of them occur",
    over=(EveryN("") * AllOrders()).described("all matrices of a size, in all orders of bits"),
    evidence="every image of every vector added up entry by entry",
    control=Control("the order the other way round", backwards=True),
    sizes=Sizes(most=3, limit=3),
)
def library_ranks(n: int, order: tuple[int, ...], *, backwards: bool = False) -> Finding:
    """[hou, Theorem 1], for hundreds of matrices side by side."""
    matrices, asked = _matrices(n), order[::-1] if backwards else order
    whole = [_rank(entries) for entries in matrices]
    corners = [
        [_rank([[entries[i][j] for j in order[:k]] for i in order[: k + 1]]) for k in range(n)]
        for entries in matrices
    ]
    start, stop = len(matrices) // 3, len(matrices) - 1
    counts = np.zeros(range(1, n + 1), int)
    for profile in corners[start:stop]:
        counts[tuple(profile)] += 1
    answers = [
        lcc.gf2.ranks(matrices).tolist() == whole,
        lcc.gf2.ranks_of_all(n, start, stop).tolist() == whole[start:stop],
        lcc.gf2.leading_ranks(matrices, asked).tolist() == corners,
        lcc.gf2.leading_ranks_of_all(n, start, stop, asked).tolist() == corners[start:stop],
        bool((lcc.gf2.leading_rank_histogram(n, start, stop, asked) == counts).all()),
    ]
    return Finding(all(answers), answers=answers)


@claim(
    "library.orbits",
    place="lccmodel.gf2.reordering_orbits, linear_orbits, general_linear_order",
    says="the least index of every orbit of A -> QAQ⁻¹, and its size, for reorderings and for all "
    "nonsingular Q, whose number is general_linear_order",
    over=every(
        "all matrices of a size under reorderings and under nonsingular Q", linear=(False, True)
    ),
    evidence="QA = BQ for every Q and A, entry by entry",
    control=Control("reorderings for all nonsingular Q", linear_too=False),
    sizes=Sizes(most=3, limit=3),
)
def library_orbits(n: int, linear: bool, *, linear_too: bool = True) -> Finding:
    """[hou, Theorem 2]"""
    every = np.array(_matrices(n))
    weights = 1 << np.array([[n * i + j for j in range(n)] for i in range(n)])
    codes = (every * weights).sum(axis=(1, 2))
    identity = np.eye(n, dtype=int)
    pairs = [(Q, R) for Q in every for R in every if ((Q @ R) % 2 == identity).all()]
    if lcc.gf2.general_linear_order(n) != len(pairs):
        return Finding(False, nonsingular=len(pairs))
    used = [(Q, R) for Q, R in pairs if linear or Q.sum() == n]
    least = codes.copy()
    for Q, R in used:
        least = np.minimum(least, ((Q @ every @ R) % 2 * weights).sum(axis=(1, 2)))
    stated = Counter(least.tolist())
    found = (lcc.gf2.linear_orbits if linear and linear_too else lcc.gf2.reordering_orbits)(n)
    given = dict(zip(found.representatives.tolist(), found.sizes.tolist(), strict=True))
    return Finding(given == dict(stated) and sorted(given) == list(given), orbits=len(stated))


_WORDS: dict[str, Callable[[str], str]] = {
    "identity": lambda x: x,
    "bit-reverse": lambda x: x[::-1],
    "perfect-shuffle": lambda x: x[1:] + x[0],
    "unshuffle": lambda x: x[-1] + x[:-1],
    "vector-reversal": lambda x: "".join("10"[int(bit)] for bit in x),
    "matrix-transpose": lambda x: x[len(x) // 2 :] + x[: len(x) // 2],
    "reverse-flip": lambda x: "".join("10"[int(bit)] for bit in x[::-1]),
    "butterfly:1": lambda x: x[: len(x) - 2] + x[-1] + x[-2],
    "exchange:1": lambda x: x[:-2] + "10"[int(x[-2])] + x[-1],
    "shift:3": lambda x: x[3 % len(x) :] + x[: 3 % len(x)],
    "gray-code": lambda x: "".join(str(int(a) ^ int(b)) for a, b in zip("0" + x, x, strict=False)),
}
"""Destination words of source words, both most significant bit first."""


@claim(
    "library.catalog",
    place="lccmodel.catalog",
    says="a communication of the catalogue sends every node where its name says",
    over=every(
        "eleven communications on 2^n nodes, n even", dimensions=(2, 4, 6, 8), name=list(_WORDS)
    ),
    evidence="addresses written as words of 0 and 1, letters moved",
    control=Control("for every word that is not its own reverse, reversed", backwards=8),
)
def library_catalog(n: int, name: str, *, backwards: int = 0) -> Finding:
    """[hou, section 2] and the usual names."""
    c = lcc.catalog.build(name, n)
    for x in range(1 << n):
        word = _WORDS[name](f"{x:0{n}b}")
        if n == backwards and x == (1 << n) - 2:
            word = word[::-1]
        if int(c.destination(x)) != int(word, 2):
            return Finding(False, x=x, answer=int(c.destination(x)), stated=word)
    return Finding(True)


# -- bits exchanged and coded -------------------------------------------------------------------


@claim(
    "library.bit_exchanges",
    place="lccmodel.permutations.bit_exchanges, shuffle, bit_exchange",
    says="bit_exchanges(P) are two involutions whose product is P; shuffle(i, j, n) rotates the "
    "bits i..j by one, and bit_exchange(i, j, n) exchanges two",
    over=AllOrders("permutation").described("all permutations of n bits, each with all i <= j"),
    evidence="bits of every address moved one by one",
    control=Control("the second factor first", swapped=True),
    sizes=Sizes(most=5, limit=6),
)
def library_bit_exchanges(order: tuple[int, ...], *, swapped: bool = False) -> Finding:
    """[edelman, Definitions 5.1 and 5.2, Lemmas 5.2 and 5.3]"""
    n, nodes = len(order), range(1 << len(order))
    first, second = lcc.permutations.bit_exchanges(order)
    if swapped:
        first, second = second, first
    moved = [in_place(x, order) for x in nodes]
    twice = all(f.A.apply(f.A.apply(x)) == x for f in (first, second) for x in nodes)
    if not twice or [second.A.apply(first.A.apply(x)) for x in nodes] != moved:
        return Finding(False, first=first.A, second=second.A)
    for i, j in itertools.combinations_with_replacement(range(n), 2):
        rotated = [*range(i), j, *range(i, j), *range(j + 1, n)]
        stated = [in_place(x, rotated) for x in nodes]
        if lcc.permutations.shuffle(i, j, n).destination(list(nodes)).tolist() != stated:
            return Finding(False, shuffle=(i, j))
        if i < j:
            flipped = [x ^ ((x >> i ^ x >> j) & 1) * (1 << i | 1 << j) for x in nodes]
            if lcc.permutations.bit_exchange(i, j, n).destination(list(nodes)).tolist() != flipped:
                return Finding(False, exchange=(i, j))
    return Finding(True)


def _lengths(cut: Sequence[int]) -> tuple[int, ...]:
    """Lengths of the runs between cuts: (0, 1) cuts three bits into two and one."""
    runs = [1]
    for ends in cut:
        if ends:
            runs.append(1)
        else:
            runs[-1] += 1
    return tuple(runs)


@claim(
    "library.gray_code",
    place="lccmodel.catalog.gray_code, lccmodel.communication.code_change",
    says="gray_code numbers the nodes of every axis so that neighbours on it differ in one bit; "
    "code_change takes Gray codes on one axis of all bits to those on the given axes",
    over=Enumerated(
        lambda n: (
            (n, lengths, order)
            for cut in itertools.product((0, 1), repeat=n - 1)
            for lengths in [_lengths(cut)]
            for order in itertools.permutations(range(n))
        ),
        size=lambda n: 2 ** (n - 1) * [1, 1, 2, 6, 24, 120][n],
        names="n, lengths, order",
        text="all ways to cut n bits into axes, in all orders of bits",
    ),
    evidence="codes listed number by number by reflection",
    control=Control("the bits of every axis reversed", reverse=True),
    sizes=Sizes(limit=5),
)
def library_gray_code(
    n: int, lengths: tuple[int, ...], order: tuple[int, ...], *, reverse: bool = False
) -> Finding:
    """[edelman, Section 4]"""
    ends = list(itertools.accumulate(lengths, initial=0))
    axes = [list(order[i:j]) for i, j in itertools.pairwise(ends)]
    asked = [axis[::-1] for axis in axes] if reverse else axes
    found = lcc.catalog.gray_code(n, asked).destination(list(range(1 << n))).tolist()
    stated = [_coded(x, axes) for x in range(1 << n)]
    whole = reflected(n)
    change = lcc.communication.code_change(n, None, asked)
    changed = change.destination(whole).tolist()
    return Finding(found == stated and changed == stated, answer=found, stated=stated)


def _coded(x: int, axes: Sequence[Sequence[int]]) -> int:
    coded = 0
    for axis in axes:
        number = in_place(x, axis)
        code = reflected(len(axis))[number]
        coded |= sum((code >> k & 1) << bit for k, bit in enumerate(axis))
    return coded


# -- partitions ---------------------------------------------------------------------------------


def _linear_complement(table: Sequence[int]) -> bool:
    size = len(table)
    return all(
        table[x ^ y] == table[x] ^ table[y] ^ table[0] for x in range(size) for y in range(size)
    )


def is_partitioned(table: Sequence[int]) -> bool:
    """[boppana, Definition 4]: subcubes of the top k bits permuted linearly, each within itself."""
    n = len(table).bit_length() - 1
    if n == 0 or _linear_complement(table):
        return True
    for k in range(1, n):
        low = 1 << n - k
        tops = [table[x] // low for x in range(len(table))]
        outer = tops[::low]
        if tops != [top for top in outer for _ in range(low)] or not _linear_complement(outer):
            continue
        blocks = [[y % low for y in table[h * low : (h + 1) * low]] for h in range(1 << k)]
        if all(is_partitioned(block) for block in blocks):
            return True
    return False


@claim(
    "library.partition_tree",
    place="lccmodel.permutations.partition_tree, lccmodel.permutations.switch_settings",
    says="partition_tree finds a tree for the partitioned permutations and for no other, and the "
    "tree is the permutation; switch_settings routes every permutation through a Beneš network "
    "of 2n - 1 stages",
    over=AllOrders("permutation", count=lambda n: 2**n).described("all permutations of 2^n nodes"),
    evidence="Definition 4 tried for every k; every message led through the switches",
    control=Control("2n - 2 stages", stages_less=1),
    sizes=Sizes(most=2, limit=3),
    samples={3: 1500},
)
def library_partition_tree(permutation: tuple[int, ...], *, stages_less: int = 0) -> Finding:
    """[boppana, Definition 4, section 4]"""
    tree = lcc.permutations.partition_tree(permutation)
    if (tree is not None) != is_partitioned(permutation):
        return Finding(False, tree=str(tree))
    if tree is not None and tree.destinations.tolist() != list(permutation):
        return Finding(False, tree=str(tree))
    settings = lcc.permutations.switch_settings(permutation)
    n = len(permutation).bit_length() - 1
    lines = list(range(len(permutation)))
    for stage in range(2 * n - 1 - stages_less):
        k = n - 1 - abs(n - 1 - stage)  # low bits outside, the top bit in the middle
        crossed = settings.crossed[stage].tolist()
        lines = [u ^ crossed[u] << k for u in lines]
    return Finding(lines == list(permutation), lines=lines)


# -- recognised from messages --------------------------------------------------------------------


@claim(
    "library.recognise",
    place="lccmodel.recognise",
    says="recognise(messages) gives A and b back for every communication, as a gather and as a "
    "scatter, and refuses every map that is not of the form y = Ax + b",
    over=AllMatrices("A") * AllVectors("b"),
    evidence="messages listed by the equation; one destination of each altered",
    control=Control("the altered destination accepted", altered=True),
    sizes=Sizes(most=3, limit=4),
    samples={4: 200},
)
def library_recognise(A: GF2Matrix, b: GF2Vector, *, altered: bool = False) -> Finding:
    n = len(b)
    for scatter in (False, True):
        found = lcc.recognise(messages(A, int(b), scatter))
        kind = "scatter" if scatter and not A.is_nonsingular else None
        if found.kind != (kind or ("permutation" if A.is_nonsingular else "gather")):
            return Finding(False, kind=found.kind)
        if {(int(x), int(y)) for x, y in found.pairs()} != set(messages(A, int(b), scatter)):
            return Finding(False, answer=found)
    if n < 2:
        return Finding(True)
    wrong = messages(A, int(b))
    wrong[-1] = (wrong[-1][0], wrong[-1][1] ^ 1)
    try:
        lcc.recognise([y for _, y in wrong])
    except lcc.errors.NotLinearComplement:
        return Finding(not altered or n < 3)
    return Finding(False, accepted=wrong)
