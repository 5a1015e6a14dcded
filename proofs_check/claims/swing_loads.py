"""Swing: who exchanges with whom, what that sums up, and what the busiest channel carries.

In step s rank r exchanges with pi(r, s) = r + rho_s for even r, r - rho_s for odd r, modulo p, with
rho_s = 1 - 2 + 4 - ... = (1 - (-2)^(s+1)) / 3. An allgather takes the steps backwards, so that most
data goes to near ranks, and a reduce-scatter is an allgather in reverse. Everything is built here
from that rule; messages are sent and routes walked, half-way round a ring by the parity of the
source.

On a torus of D axes with all 2D ports the data is cut into 2D parts; part (a, mirrored) begins on
axis a, the axes take turns, and mirrored parts go the other way. The deficiency is the data on the
busiest channel over 2 (p - 1) / p / 2D, which 2D ports need at least.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np

from proofs_check.blocks import ends_right, ring_route
from proofs_check.claim import Amended, Control, Finding, Sizes, Stated, claim
from proofs_check.domain import Enumerated, EveryN

_EVEN = Enumerated(lambda n: [2 * n], size=lambda n: 1, names="p", text="p = 2n ranks on a ring")
STATED = Stated(
    place="De Sensi et al.: Swing, NSDI 2024, arXiv 2401.09356",
    over=_EVEN,
    evidence="every message sent and every route walked",
)


def rho(s: int) -> int:
    """1 - 2 + 4 - ..., s + 1 terms."""
    return sum((-2) ** k for k in range(s + 1))


def peer(r: int, s: int, p: int, *, off: int = 0) -> int:
    """pi(r, s)."""
    return (r + (rho(s) if r % 2 == 0 else -rho(s)) + off) % p


def levels(p: int) -> int:
    """The number of steps: log2 p, rounded up."""
    return next(s for s in range(64) if 2**s >= p)


@claim(
    "swing.pairs",
    says="for even p, ranks exchange in pairs: the partner of r's partner is r, in every step",
    control=Control("every peer is off by one", off=1),
    sizes=Sizes(least=1, most=32),
)
def swing_pairs(p: int, *, off: int = 0) -> bool:
    return all(
        peer(peer(r, s, p, off=off), s, p, off=off) == r for s in range(levels(p)) for r in range(p)
    )


@claim(
    "swing.allreduce",
    says="for every even p a reduce-scatter and an allgather by these peers, with the far ones "
    "first in the allgather, take 2 log2 p steps (rounded up) and leave the sum of all ranks on "
    "every rank, each contribution once",
    control=Control("the last step is missing", missing=1),
    sizes=Sizes(least=1, most=32),
)
def swing_allreduce(p: int, *, missing: int = 0, twice: bool = False, off: int = 0) -> Finding:
    """A block sent twice and a peer off by one are noticed, too."""
    held = [{r} for r in range(p)]
    sent: list[list[tuple[int, int, int]]] = []  # of every step (from, to, block)
    for s in reversed(range(levels(p))):
        before = [set(blocks) for blocks in held]
        sent.append([])
        for r in range(p):
            source = peer(r, s, p, off=off)
            fresh = before[source] - before[r]
            sent[-1] += [(source, r, block) for block in sorted(fresh)]
            held[r] |= fresh
    steps = [[(to, r, block, "add") for r, to, block in step] for step in reversed(sent)]
    if twice:
        steps[0].append(steps[0][0])
    copies = [[(*row, "copy") for row in step] for step in sent[: len(sent) - missing]]
    right = ends_right("allreduce", p, p, steps + copies)
    return Finding(right, steps=len(steps) + len(sent) - missing)


@claim(
    "swing.ring",
    says="on a ring of p = 2^n with one port, n >= 2, an allreduce puts 2 times the sum of "
    "(rho_s + 1) / 2^(s+2) vectors on its busiest channel: 2, 19/8, 11/4 for p = 8, 16, 32, where "
    "|rho_s| is meant",
    over=EveryN("p = 2^n ranks on a ring"),
    control=Control("channels carry |rho_s| / 2 messages", less=1),
    sizes=Sizes(least=2, most=8),
)
def swing_ring(n: int, *, less: int = 0) -> Finding:
    p, counted = 2**n, Fraction(0)
    for s in range(n):
        use = Counter(link for r in range(p) for link in ring_route(r, peer(r, s, p), p))
        counted += 2 * Fraction(max(use.values()), 2 ** (s + 1))
    formula = 2 * sum(Fraction(abs(rho(s)) + 1 - less, 2 ** (s + 2)) for s in range(n))
    known = {3: Fraction(2), 4: Fraction(19, 8), 5: Fraction(11, 4)}
    return Finding(counted == formula == known.get(n, counted), counted=str(counted))


def deficiency(axes: int, k: int) -> Fraction:
    """Of D axes of 2^k ranks each, with x = 2^-D."""
    x = Fraction(1, 2**axes)
    parts = 2 * (1 - (2 * x) ** k) / (1 - 2 * x) + (1 - (-x) ** k) / (1 + x)
    return (1 - x) / 3 * parts / (1 - x**k)


def counted_deficiency(axes: int, k: int, *, mirrored: bool = True) -> Fraction:
    """The same from the messages of all parts, added up channel by channel."""
    side, p = 2**k, 2 ** (axes * k)
    nodes = np.arange(p)
    total = Fraction(0)
    ways = (False, True) if mirrored else (False, False)
    for step in range(axes * k):
        use = np.zeros((axes, 2, p), np.int64)
        for first in range(axes):
            axis, s = (first + step) % axes, step // axes
            stride = side**axis
            c = nodes // stride % side
            for mirror in ways:
                forward = (c % 2 == 0) ^ mirror
                ahead = np.where(forward, rho(s), -rho(s)) % side
                plus = (2 * ahead < side) | ((2 * ahead == side) & (c % 2 == 0))
                for hop in range(side // 2):
                    for way, some, far in ((0, plus, ahead), (1, ~plus, side - ahead)):
                        on = some & (hop < far)
                        at = (c + (hop if way == 0 else -hop)) % side
                        np.add.at(use[axis, way], (nodes + (at - c) * stride)[on], 1)
        total += Fraction(int(use.max()), 2 ** (step + 1) * 2 * axes)
    return 2 * total / (Fraction(2 * (p - 1), p) / (2 * axes))


@claim(
    "swing.deficiency",
    says="with all ports on a torus of D >= 2 axes of 2^k ranks, k >= 2, the deficiency is "
    "(1 - x)/3 (2 (1 - (2x)^k)/(1 - 2x) + (1 - (-x)^k)/(1 + x)) / (1 - x^k) with x = 2^-D: 23/21 "
    "on 8x8, 97/85 on 16x16, 75/73 on 8x8x8",
    over=Enumerated(
        lambda n: [(axes, n) for axes in (2, 3, 4) if axes * n <= 12],
        size=lambda n: len([axes for axes in (2, 3, 4) if axes * n <= 12]),
        names="D, k",
        text="D = 2, 3, 4 axes of 2^k ranks, k = n, up to 4096 ranks",
    ),
    evidence="every message of all parts sent and every route walked",
    control=Control("no part is mirrored", mirrored=False),
    sizes=Sizes(least=2, most=6),
)
def swing_deficiency(D: int, k: int, *, mirrored: bool = True) -> Finding:
    counted = counted_deficiency(D, k, mirrored=mirrored)
    known = {(2, 3): Fraction(23, 21), (2, 4): Fraction(97, 85), (3, 3): Fraction(75, 73)}
    formula = deficiency(D, k)
    return Finding(counted == formula == known.get((D, k), formula), counted=str(counted))


@claim(
    "swing.limit",
    says="the deficiency on tori of 2, 3, 4 axes is at most 1.19, 1.03, 1.008",
    over=Enumerated(
        lambda n: [(axes, n) for axes in (2, 3, 4)],
        size=lambda n: 3,
        names="D, k",
        text="D = 2, 3, 4 axes of 2^k ranks, k = n",
    ),
    evidence="the sum that counts confirm up to 4096 ranks (`swing.deficiency`), exactly",
    control=Control("at most 1.1, 1.02, 1.005", most=("1.1", "1.02", "1.005")),
    amended=Amended(
        "it is below 6/5, 28/27, 120/119, its limits for long sides, and comes as near to them "
        "as one likes; the printed numbers are these with the last digits cut off",
        most=("6/5", "28/27", "120/119"),
        strict=True,
        control=Control("below 1.199, 1.037, 1.0084", most=("1.199", "1.037", "1.0084")),
    ),
    sizes=Sizes(least=2, most=40),
)
def swing_limit(
    D: int, k: int, *, most: tuple[str, ...] = ("1.19", "1.03", "1.008"), strict: bool = False
) -> Finding:
    here, bound = deficiency(D, k), Fraction(most[D - 2])
    near = bound - here < Fraction(2, 2 ** ((D - 1) * k)) if strict else True
    return Finding((here < bound if strict else here <= bound) and near, deficiency=float(here))
