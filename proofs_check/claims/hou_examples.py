"""Examples on 8 dimensions: [hou], Examples 1, 3 and 6, sections 2.3 and 6, and the mapping M-G.

Bit-reverse, matrix-transpose and reverse-flip are taken from their words, the printed matrices are
read as printed, and every message is walked. Of sets of communications all 8! orders are tried.
Where the messages stand once the bits S are corrected does not depend on the order in which that
was done, so the messages on every channel are counted once for each of the 1024 pairs (S, j), and
an order is looked up bit by bit.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.arrays import Ints
from proofs_check.claim import (
    Control,
    Examined,
    Finding,
    Reading,
    Tried,
    Undecided,
    batch_claim,
    claim,
)
from proofs_check.claims.hou_images import (
    BIT_REVERSE,
    BIT_REVERSE_MATRIX,
    REVERSE_FLIP,
    TRANSPOSE,
    TRANSPOSE_MATRIX,
    bits,
    destination,
    destinations,
    reverse,
    transpose,
)
from proofs_check.claims.hou_lcp_optimizer import lcp_optimizer_order
from proofs_check.domain import AllOrders, Domain, Enumerated, EveryN, Listed
from proofs_check.orders import all_orders
from proofs_check.stations import in_place
from proofs_check.walk import channel_loads, contention, route, walked_contention

NODES = Enumerated(
    lambda n: ((x,) for x in range(1 << n)),
    size=lambda n: 1 << n,
    names="x",
    text="every node of the 8-dimensional hypercube",
    dimensions=(8,),
)


@claim(
    "hou.ex1",
    place="Section 2.2, Example 1",
    says="the printed matrix and b = 0 send every node of the 8-dimensional hypercube to its "
    "bit-reverse",
    latex=r"y_i = x_{7-i}",
    over=NODES,
    evidence="the digits of the node's number reversed",
    control=Control("the rows moved down by one", shift=1),
)
def ex1(x: int, *, shift: int = 0) -> Finding:
    rows = bits(BIT_REVERSE_MATRIX)
    found = GF2Matrix(rows[-shift:] + rows[:-shift] if shift else rows).apply(x)
    return Finding(found == reverse(x, 8), y=found, reversed=reverse(x, 8))


# -- Example 3 ------------------------------------------------------------------------------

EXAMPLE_3 = ((0, 0, 1), (1, 0, 2), (2, 0, 4), (3, 0, 8), (4, 1, 8), (5, 3, 4), (6, 5, 2), (7, 7, 1))
"""i, the printed rank that is subtracted from it, and T_i."""


@claim(
    "hou.ex3",
    place="Section 4, Example 3",
    says="matrix-transpose on the 8-dimensional hypercube has T_i = 2^(i-rank) = 1, 2, 4, 8, 8, 4, "
    "2, 1 with the ranks 0, 0, 0, 0, 1, 3, 5, 7, and the printed matrix",
    latex=r"T = (1, 2, 4, 8, 8, 4, 2, 1)",
    over=Listed(8, EXAMPLE_3, names="i, rank, T_i", text="the 8 dimensions of Example 3", size=8),
    evidence="pixels with exchanged coordinates; all messages walked and counted",
    control=Control("the ranks one less", less=1),
)
def ex3(i: int, rank: int, T_i: int, *, less: int = 0) -> Finding:
    A = GF2Matrix(bits(TRANSPOSE_MATRIX))
    agrees = all(A.apply(x) == transpose(x) for x in range(256))
    walked = contention([(x, transpose(x)) for x in range(256)], range(8))[i]
    stated = Fraction(2) ** (i - rank + less)
    return Finding(agrees and walked == T_i == stated, matrix=agrees, walked=walked, stated=stated)


# -- section 2.3 ----------------------------------------------------------------------------

CHANNEL = (0b00001000, 0b00000000)
"""([0 0 0 1 0 0 0 0]ᵗ, [0 0 0 0 0 0 0 0]ᵗ) with x_0 first: from node 8 to node 0."""


@claim(
    "hou.sec2.channel",
    place="Section 2.3",
    says="in bit-reverse, matrix-transpose and reverse-flip (n = 8) 8 source-destination pairs "
    "contend for the channel ([0 0 0 1 0 0 0 0]ᵗ, [0 0 0 0 0 0 0 0]ᵗ)",
    latex=r"\#\{x : (x \to Ax+b) \ni (00010000^t, 00000000^t)\} = 8",
    reading=Reading(
        "under e-cube; for bit-reverse on that channel. For the other two some channel has 8 "
        "pairs and none has more; reverse-flip does not use that channel",
        similar=True,
    ),
    over=Listed(
        8,
        (BIT_REVERSE, TRANSPOSE, REVERSE_FLIP),
        names="communication",
        text="the three communications",
        size=3,
    ),
    evidence="all messages walked by e-cube, the messages on every channel counted",
    control=Control("16 pairs", pairs=16),
)
def sec2_channel(communication: str, *, similar: bool = False, pairs: int = 8) -> Finding:
    paths = [route(x, y, range(8)) for x, y in enumerate(destinations(communication))]
    loads = channel_loads(paths)
    busiest = max(loads.values())
    there = loads[CHANNEL]
    if similar and communication != BIT_REVERSE:
        ok = busiest == pairs
    else:
        ok = there == pairs == busiest
    channel = min(c for c, load in loads.items() if load == busiest)
    return Finding(
        ok,
        on_the_channel=there,
        busiest=busiest,
        a_busiest_channel=channel,
        paths=[p for p in paths if channel in itertools.pairwise(p)],
    )


# -- section 6.2 ----------------------------------------------------------------------------


@claim(
    "hou.sec6.speedup",
    place="Section 6.2, on Table 2",
    says="for n dimensions the degree of contention of bit-reverse is 2^(n/2-1), and reordering "
    "lowers it to 1: an ideal speed-up of 2^(n/2-1)",
    latex=r"T = 2^{n/2-1},\quad \min_Q T = 1",
    over=EveryN("bit-reverse", dimensions=range(1, 13)),
    evidence="all 2^n messages walked, as they are and in the order of LCP_Optimizer; while a "
    "message moves no degree is below 1",
    control=Control("⌈n/2⌉ for ⌊n/2⌋", up=1),
    reading=Reading(
        "n is even. For odd n ≥ 3 the same holds with ⌊n/2⌋, and for n = 1 no message moves",
        floor=True,
    ),
)
def sec6_speedup(n: int, *, floor: bool = False, up: int = 0) -> Finding:
    pairs = [(x, reverse(x, n)) for x in range(1 << n)]
    before = max(contention(pairs, range(n)))
    order = lcp_optimizer_order(GF2Matrix.from_order(range(n)[::-1]))
    after = max(contention(pairs, order))  # the same channels under their old names
    if floor and n == 1:
        return Finding(before == after == 0, degree=before, reordered=after)
    if floor or n % 2 == 0:
        stated = Fraction(2) ** ((n + up) // 2 - 1)
        shown = str(stated)
    else:
        stated, shown = Fraction(0), f"2^({n}/2 - 1), no whole number"
    return Finding(before == stated and after == 1, degree=before, reordered=after, stated=shown)


@sec6_speedup.explain
def _busy_messages(n: int, **_: int) -> Mapping[str, Any]:
    A = GF2Matrix.from_order(range(n)[::-1])
    return {
        "T": walked_contention(A, 0),
        "paths": [route(x, reverse(x, n), range(n)) for x in range(1 << n)],
    }


# -- orders for sets of communications ---------------------------------------------------------


ORDER = (3, 4, 0, 7, 2, 5, 1, 6)
"""R(L_8) of Example 6."""

PRINTED = (
    ("Q", "00010000 00001000 10000000 00000001 00100000 00000100 01000000 00000010"),
    ("Q⁻¹", "00100000 00000010 00001000 10000000 01000000 00000100 00000001 00010000"),
    ("new A_1", "00010000 00100000 01000000 10000000 00000001 00000010 00000100 00001000"),
    ("new A_8", "01000000 10000000 00010000 00100000 00000100 00001000 00000001 00000010"),
    ("degrees before", (8, 8)),
    ("degrees after", (2, 1)),
)


def orders_of_8(text: str) -> Domain:
    """All 8! orders of 8 bits."""
    domain = AllOrders("order").described(text)
    domain.dimensions = (8,)
    return domain


@lru_cache(maxsize=4)
def loads(name: str) -> Ints:
    """Messages on the busiest channel of dimension j behind the bits S; shape (256, 8).

    >>> int(loads("matrix-transpose")[0b1111, 4]), int(loads("bit-reverse")[0, 3])
    (8, 1)
    """
    x = np.arange(256)
    y = np.array(destinations(name))
    table = np.zeros((256, 8), dtype=np.int64)
    for S in range(256):
        present = (x & ~S) | (y & S)
        for j in range(8):
            crossing = present[(x ^ y) >> j & 1 == 1]
            table[S, j] = np.bincount(crossing, minlength=256).max()
    return table


@lru_cache(maxsize=4)
def loads_of_orders(name: str) -> Ints:
    """The load of every position of every order; shape (8!, 8), orders lexicographically."""
    orders = all_orders(8)
    before = np.cumsum(1 << orders, axis=1) - (1 << orders)
    return np.asarray(loads(name)[before, orders])


def degrees(names: tuple[str, ...]) -> Ints:
    """The degree of every communication in every order; shape (8!, len(names))."""
    return np.stack([loads_of_orders(name).max(axis=1) for name in names], axis=1)


def values(names: tuple[str, ...], objective: str) -> Ints:
    """The objective of every order; shape (8!,)."""
    every = np.stack([loads_of_orders(name) for name in names])
    if objective == "max-max":
        return np.asarray(every.max(axis=(0, 2)))
    sums = every.sum(axis=0)
    return np.asarray(sums.max(axis=1) if objective == "max-sum" else sums.sum(axis=1))


# -- Example 6 ------------------------------------------------------------------------------


@claim(
    "hou.ex6",
    place="Section 5, Example 6",
    says=(
        "the order (3, 4, 0, 7, 2, 5, 1, 6) has the published Q and Q⁻¹. It carries "
        "matrix-transpose (A_1) and bit-reverse (A_8) to the published matrices with b = 0, "
        "and lowers their degrees from 8 and 8 to 2 and 1"
    ),
    latex=r"R(L_8) = (3,4,0,7,2,5,1,6),\quad T = 2, 1",
    reading="A_8 is the bit-reverse that Example 5 calls A_3",
    over=Listed(8, PRINTED, names="item, printed", text="what Example 6 prints", size=len(PRINTED)),
    evidence="every node carried over by the order, bit by bit; messages between the images of "
    "the nodes walked and counted",
    control=Control("the order read from its other end", backwards=True),
)
def ex6(item: str, printed: Any, *, backwards: bool = False) -> Finding:
    order = ORDER[::-1] if backwards else ORDER
    image = [in_place(x, order) for x in range(256)]
    back = {node: x for x, node in enumerate(image)}
    if item.startswith("degrees"):
        after = item == "degrees after"
        found = []
        for name in (TRANSPOSE, BIT_REVERSE):
            pairs = list(enumerate(destinations(name)))
            moved = [(image[x], image[y]) for x, y in pairs] if after else pairs
            found.append(max(contention(moved, range(8))))
        return Finding(tuple(found) == printed, found=found)
    matrix = GF2Matrix(bits(printed))
    nodes = range(256)
    wanted = {
        "Q": image,
        "Q⁻¹": [back[x] for x in nodes],
        "new A_1": [image[destination(TRANSPOSE, back[x])] for x in nodes],
        "new A_8": [image[destination(BIT_REVERSE, back[x])] for x in nodes],
    }[item]
    wrong = [x for x in nodes if matrix.apply(x) != wanted[x]]
    return Finding(not wrong, wrong_nodes=wrong[:8])


@batch_claim(
    "hou.ex6.optimal",
    place="Section 5, Example 6",
    says="no order makes the larger degree of matrix-transpose and bit-reverse (n = 8) less than "
    "2, which (3, 4, 0, 7, 2, 5, 1, 6) reaches",
    latex=r"\min_Q \max(T(A_1), T(A_8)) = 2",
    over=orders_of_8("all 8! orders"),
    evidence="the messages on every channel counted for all orders",
    control=Control("less than 3", least=3),
)
def ex6_optimal(n: int, start: int, stop: int, *, least: int = 2) -> Examined:
    larger = degrees((TRANSPOSE, BIT_REVERSE)).max(axis=1)
    printed = np.flatnonzero((all_orders(8) == np.array(ORDER)).all(axis=1))
    passed = larger >= least
    passed[printed] &= larger[printed] == least
    return Examined.of(start, passed[start:stop])


# -- section 6.1 ----------------------------------------------------------------------------

THREE = (TRANSPOSE, BIT_REVERSE, REVERSE_FLIP)


@batch_claim(
    "hou.sec6.mg",
    place="Section 6.1, on M-G",
    says="the order that the program chooses for the three communications (n = 8) has degree 2 "
    "for matrix-transpose and 1 for bit-reverse and reverse-flip",
    printed="After the processor mapping M-G, the degree of channel contention of matrix-transpose "
    "is 2, and it is contention free for bit-reverse and reverse-flip.",
    latex=r"T = (2, 1, 1)",
    undecided=Undecided(
        "the order M-G, or the objective and the choice among its optimal orders. Of the 2304 "
        "optimal orders for max-max 128 have degrees 2, 1, 1. Another 128 have 1, 2, 2, and "
        "2048 have 2, 2, 2",
        (
            Tried("every order that is optimal for sum-sum", objective="sum-sum"),
            Tried("every order that is optimal for max-sum", objective="max-sum"),
            Tried("every order that is optimal for max-max", objective="max-max"),
        ),
    ),
    over=orders_of_8("all 8! orders, of which the optimal ones are asked"),
    evidence="the messages on every channel counted for all orders",
    control=Control("degree 1 for all three", stated=(1, 1, 1)),
)
def sec6_mg(
    n: int, start: int, stop: int, *, objective: str, stated: tuple[int, ...] = (2, 1, 1)
) -> Examined:
    value = values(THREE, objective)
    agrees = (degrees(THREE) == np.array(stated)).all(axis=1)
    passed = agrees | (value != value.min())
    return Examined.of(start, passed[start:stop])


@ex6_optimal.explain
@sec6_mg.explain
def _degrees_of_the_order(order: tuple[int, ...], **_: object) -> Mapping[str, Any]:
    """Every message walked in this order; the paths are those on a busiest channel."""
    shown: dict[str, Any] = {}
    busiest: tuple[int, list[list[int]]] = (0, [])
    for name in THREE:
        paths = [route(x, y, order) for x, y in enumerate(destinations(name))]
        counted = channel_loads(paths)
        load = max(counted.values())
        shown[f"T of {name}"] = load
        if load > busiest[0]:
            channel = min(c for c in counted if counted[c] == load)
            users = [p for p in paths if channel in itertools.pairwise(p)]
            busiest = (load, users)
    return {**shown, "paths": busiest[1]}
