"""Bridges: permutations of nodes and bits, as bits are exchanged, coded, divided and recognised."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import lccmodel as lcc
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.edelman_gray import reflected
from proofs_check.domain import AllMatrices, AllOrders, AllVectors, Enumerated
from proofs_check.stations import in_place, messages

# -- bits exchanged and coded -------------------------------------------------------------------


@claim(
    "library.bit_exchanges",
    place="lccmodel.methods.bit_exchanges, shuffle, bit_exchange",
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
    first, second = lcc.methods.bit_exchanges(order)
    if swapped:
        first, second = second, first
    moved = [in_place(x, order) for x in nodes]
    twice = all(f.A.apply(f.A.apply(x)) == x for f in (first, second) for x in nodes)
    if not twice or [second.A.apply(first.A.apply(x)) for x in nodes] != moved:
        return Finding(False, first=first.A, second=second.A)
    for i, j in itertools.combinations_with_replacement(range(n), 2):
        rotated = [*range(i), j, *range(i, j), *range(j + 1, n)]
        stated = [in_place(x, rotated) for x in nodes]
        if lcc.methods.shuffle(i, j, n).destination(list(nodes)).tolist() != stated:
            return Finding(False, shuffle=(i, j))
        if i < j:
            flipped = [x ^ ((x >> i ^ x >> j) & 1) * (1 << i | 1 << j) for x in nodes]
            if lcc.methods.bit_exchange(i, j, n).destination(list(nodes)).tolist() != flipped:
                return Finding(False, exchange=(i, j))
    return Finding(True)


def _axes(n: int) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    return (
        (n, lengths, order)
        for cut in itertools.product((0, 1), repeat=n - 1)
        for lengths in [_lengths(cut)]
        for order in itertools.permutations(range(n))
    )


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
        _axes,
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
    place="lccmodel.methods.partition_tree, lccmodel.methods.switch_settings",
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
    tree = lcc.methods.partition_tree(permutation)
    if (tree is not None) != is_partitioned(permutation):
        return Finding(False, tree=str(tree))
    if tree is not None and tree.destinations.tolist() != list(permutation):
        return Finding(False, tree=str(tree))
    settings = lcc.methods.switch_settings(permutation)
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
    """y = Ax + b from its messages alone."""
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
