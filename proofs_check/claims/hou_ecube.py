"""Regular communications under e-cube without a mapping: [hou], Examples 1 and 3, sections 2 and 6.

Bit-reverse, matrix-transpose and reverse-flip are taken from their words (an integer reversed, a
pixel with its coordinates exchanged), the printed matrices are read as printed, and every message
is walked.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claim import Control, Finding, Reading, claim
from proofs_check.claims.hou_lcp_figure import lcp_optimizer_order
from proofs_check.claims.hou_printed import (
    BIT_REVERSE,
    BIT_REVERSE_MATRIX,
    REVERSE_FLIP,
    TRANSPOSE,
    TRANSPOSE_MATRIX,
    bits,
    destination,
    reverse,
    transpose,
)
from proofs_check.domain import Enumerated, EveryN, Listed
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
        "under e-cube; for bit-reverse on that channel, and the similar condition for the other "
        "two is that some channel has 8 pairs and none has more (reverse-flip does not use that "
        "channel). What adaptive routing makes of the 8 pairs is not part of this claim",
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
    paths = [route(x, destination(communication, x), range(8)) for x in range(256)]
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
        "n is even, as 2^(n/2-1) is a number of messages; for odd n ≥ 3 the same holds with "
        "⌊n/2⌋, and for n = 1 no message moves",
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
