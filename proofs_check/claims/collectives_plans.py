"""Plans of collectives, built here from their published rules: sums, loads, and what bounds them.

A step is messages (from, to, block, "add" or "copy"), each with what its source held before the
step. Contributions are numbers of 16 bits side by side in one, so a sum shows each exactly once. On
a ring a message goes the shorter way, half-way round by the parity of its source; on a row the only
way.

By Swing's rule in step s rank r exchanges with pi(r, s) = r + rho_s for even r, r - rho_s for odd
r, modulo p, with rho_s = 1 - 2 + 4 - ... = (1 - (-2)^(s+1)) / 3. An allgather takes the steps
backwards, so that most data goes to near ranks, and a reduce-scatter is an allgather in reverse. On
a torus of D axes with all 2D ports the data is cut into 2D parts; part (a, mirrored) begins on axis
a, the axes take turns, and mirrored parts go the other way. The deficiency is the data on the
busiest channel over 2 (p - 1) / p / 2D, which 2D ports need at least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from proofs_check.claim import Amended, Control, Finding, Sizes, Stated, claim
from proofs_check.domain import Enumerated, EveryN

Links = Iterator[tuple[int, int]]
Row = tuple[int, int, int, str]
Steps = list[list[Row]]

_BITS = 16


def ends_right(collective: str, p: int, blocks: int, steps: Sequence[Sequence[Row]]) -> bool:
    """Whether every rank ends with what the collective asks, each contribution once.

    Block b is that of rank b p // blocks; the root of a broadcast or a reduction is rank 0, and a
    barrier joins contributions, however often they come.

    >>> ends_right("allreduce", 2, 1, [[(0, 1, 0, "add"), (1, 0, 0, "add")]])
    True
    """
    own = max(blocks // p, 1)
    gathers = collective in ("allgather", "alltoall", "gather")
    from_root = collective in ("broadcast", "scatter")
    held = [
        [
            1 << _BITS * r if (block // own == r if gathers else not from_root or r == 0) else 0
            for block in range(blocks)
        ]
        for r in range(p)
    ]
    for step in steps:
        came = [(to, block, held[source][block], op) for source, to, block, op in step]
        for to, block, part, op in came:
            if collective == "barrier":
                held[to][block] |= part
            else:
                held[to][block] = held[to][block] + part if op == "add" else part
    every = sum(1 << _BITS * r for r in range(p))
    for r in range(p) if collective not in ("reduce", "gather") else (0,):
        for block, parts in enumerate(held[r]):
            owner = block // own
            if collective in ("reduce-scatter", "scatter") and r != owner:
                continue
            if collective == "alltoall" and r != block * p * p // blocks % p:
                continue
            if from_root:
                owner = 0
            one = gathers or from_root
            if parts != (1 << _BITS * owner if one else every):
                return False
    return True


def ring_route(source: int, to: int, p: int) -> Iterator[tuple[int, int]]:
    """The channels (node, +1 or -1) of the shorter way, half-way round by the parity of source.

    >>> list(ring_route(3, 1, 4))
    [(3, -1), (2, -1)]
    """
    ahead = (to - source) % p
    way = 1 if 2 * ahead < p or (2 * ahead == p and source % 2 == 0) else -1
    for hop in range(ahead if way == 1 else p - ahead):
        yield (source + way * hop) % p, way


# -- rules ----------------------------------------------------------------------------------


def _ring(p: int) -> Steps:
    """In step t rank r sends block r - t - 1, and sums go on as copies."""
    add = [[(r, (r + 1) % p, (r - t - 1) % p, "add") for r in range(p)] for t in range(p - 1)]
    return add + [[(r, (r + 1) % p, (r - t) % p, "copy") for r in range(p)] for t in range(p - 1)]


def _doubling(p: int) -> Steps:
    """The whole vector to r xor 2^s."""
    return [
        [(r, r ^ 1 << s, block, "add") for r in range(p) for block in range(p)]
        for s in range(p.bit_length() - 1)
    ]


def _halving(p: int) -> Steps:
    """Half of what is left to r xor 2^s, the nearest first, and back."""
    bits = range(p.bit_length() - 1)
    down = []
    for s in bits:
        low = (1 << s) - 1
        down.append(
            [
                (r, r ^ 1 << s, block, "add")
                for r in range(p)
                for block in range(p)
                if (block ^ r) & low == 0 and (block ^ r) >> s & 1
            ]
        )
    return down + [[(to, r, block, "copy") for r, to, block, _ in step] for step in reversed(down)]


def _bruck(p: int) -> Steps:
    """An allgather: from r + 2^s all that is new."""
    found: Steps = []
    known = 1
    while known < p:
        new = range(min(known, p - known))
        found.append(
            [((r + known) % p, r, (r + known + k) % p, "copy") for r in range(p) for k in new]
        )
        known *= 2
    return found


def _binomial(p: int) -> Steps:
    """A reduction up the tree in which r hangs on r without its lowest bit, and back down."""
    up = [
        [(r, r - (1 << s), block, "add") for r in range(1 << s, p, 2 << s) for block in range(p)]
        for s in range((p - 1).bit_length())
    ]
    return up + [[(to, r, block, "copy") for r, to, block, _ in step] for step in reversed(up)]


_RULES: dict[str, tuple[Callable[[int], Steps], Callable[[int], int]]] = {
    "ring": (_ring, lambda p: 2 * (p - 1)),
    "recursive doubling": (_doubling, lambda p: p.bit_length() - 1),
    "halving and doubling": (_halving, lambda p: 2 * (p.bit_length() - 1)),
    "Bruck's allgather": (_bruck, lambda p: (p - 1).bit_length()),
    "binomial tree": (_binomial, lambda p: 2 * (p - 1).bit_length()),
}
_POWERS = ("recursive doubling", "halving and doubling")


def _covered(p: int) -> list[tuple[int, str]]:
    return [(p, name) for name in _RULES if p & (p - 1) == 0 or name not in _POWERS]


@claim(
    "collectives.sums",
    place="rules of [patarasuk], [thakur], [bruck]",
    says="ring, recursive doubling, halving and doubling, Bruck's allgather and a binomial tree up "
    "and down leave what they shall on every rank, each contribution once, in 2 (p - 1), log2 p, "
    "2 log2 p, log2 p, 2 log2 p steps (rounded up)",
    over=Enumerated(
        _covered,
        size=lambda p: 5 if p & (p - 1) == 0 else 3,
        names="p, rule",
        text="p = n ranks; recursive doubling and halving for p = 2^k",
    ),
    evidence="every block moved",
    control=Control("the last step is missing", missing=1),
    sizes=Sizes(least=2, most=64),
)
def collectives_sums(
    p: int, rule: str, *, missing: int = 0, twice: bool = False, off: int = 0
) -> Finding:
    """A block sent twice and a peer off by one are noticed, too."""
    build, wanted = _RULES[rule]
    steps = build(p)
    count = len(steps)
    if off:
        source, to, block, op = steps[-1][0]
        steps[-1][0] = (source, (to + off) % p, block, op)
    if twice:
        steps[0].append(steps[0][0])
    asked = "allgather" if rule.endswith("allgather") else "allreduce"
    right = ends_right(asked, p, p, steps[: count - missing])
    return Finding(right and count == wanted(p), steps=count)


# -- loads ------------------------------------------------------------------------------------


def row_route(source: int, to: int, _: int) -> Links:
    """The channels between two ranks in a row."""
    way = 1 if to > source else -1
    return ((node, way) for node in range(source, to, way))


def data(p: int, steps: Steps, route: Callable[[int, int, int], Links], *, ports: bool) -> Fraction:
    """Vectors on the busiest channel, or port if there is one, over all steps."""
    total = 0
    for step in steps:
        use = Counter(link for source, to, _, _ in step for link in route(source, to, p))
        if ports:
            use.update((source, 2) for source, _, _, _ in step)
            use.update((to, 3) for _, to, _, _ in step)
        total += max(use.values(), default=0)
    return Fraction(total, p)


_DATA: dict[tuple[str, str], Callable[[int, int], Fraction]] = {
    ("ring", "ring"): lambda n, p: Fraction(2 * (p - 1), p),
    ("recursive doubling", "ring"): lambda n, p: Fraction(3 * p, 4) - 1,
    ("halving and doubling", "ring"): lambda n, p: n - Fraction(1, 2),
    ("binomial tree", "ring"): lambda n, p: Fraction(2 * n),
    ("recursive doubling", "row"): lambda n, p: Fraction(p - 1),
    ("halving and doubling", "row"): lambda n, p: Fraction(n),
    ("binomial tree", "row"): lambda n, p: Fraction(2 * n),
}


@claim(
    "collectives.data",
    place="loads of the rules",
    says="with one port and p = 2^n, n >= 2, the busiest channel of a ring carries 2 (p - 1)/p "
    "vectors (ring), 3p/4 - 1 (recursive doubling), n - 1/2 (halving and doubling, nearest first), "
    "2n (a binomial tree up and down); that of a row p - 1, n and 2n by the last three",
    over=Enumerated(
        lambda n: [(n, *key) for key in _DATA],
        size=lambda n: 7,
        names="n, rule, network",
        text="every rule on a ring and in a row of p = 2^n",
    ),
    evidence="every message sent and every route walked",
    control=Control("a quarter of a vector less", less=Fraction(1, 4)),
    sizes=Sizes(least=2, most=6),
)
def collectives_data(n: int, rule: str, network: str, *, less: Fraction | int = 0) -> Finding:
    p = 2**n
    route = ring_route if network == "ring" else row_route
    counted = data(p, _RULES[rule][0](p), route, ports=True)
    return Finding(counted == _DATA[rule, network](n, p) - less, counted=str(counted))


# -- bounds -----------------------------------------------------------------------------------


def cut_bound(p: int, network: str, *, gather: bool) -> Fraction:
    """The largest of what must leave a set of ranks over the channels that leave it."""
    best = Fraction(0)
    for size in range(1, p):
        for chosen in combinations(range(p), size):
            inside = set(chosen)
            wide = sum(
                (r in inside) and (s not in inside)
                for r in range(p)
                for s in {(r + 1) % p, (r - 1) % p}
                if network == "ring" or abs(r - s) == 1
            )
            best = max(best, Fraction(size, p) / wide if gather else Fraction(1, wide))
    return best


@claim(
    "collectives.bound",
    place="lower bounds",
    says="no rule is below the bounds: what must leave a set S of ranks (a sum of S; of an "
    "allgather |S|/p) over the channels that leave it, for every S; log2 p steps; 2 (p - 1)/p "
    "vectors through the port of a rank for an allreduce, and (p - 1)/p for an allgather",
    over=Enumerated(
        lambda p: [(*case, network) for case in _covered(p) for network in ("ring", "row")],
        size=lambda p: 2 * (5 if p & (p - 1) == 0 else 3),
        names="p, rule, network",
        text="every rule on a ring and in a row of p = n, every S",
    ),
    evidence="every set of ranks tried, every route walked",
    control=Control("twice the bound", times=2),
    sizes=Sizes(least=2, most=10),
)
def collectives_bound(p: int, rule: str, network: str, *, times: int = 1) -> Finding:
    steps, gather = _RULES[rule][0](p), rule.endswith("allgather")
    route = ring_route if network == "ring" else row_route
    free = data(p, steps, route, ports=False)
    cut = cut_bound(p, network, gather=gather) * times
    port = Fraction((1 if gather else 2) * (p - 1), p) * times
    right = cut <= free and port <= data(p, steps, route, ports=True)
    return Finding(right and (p - 1).bit_length() <= len(steps), cut=str(cut), data=str(free))


# -- Swing: who exchanges with whom, what that sums up, and what the busiest channel carries ---


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
        "it is below 6/5, 28/27, 120/119, its limits for long sides, and approaches "
        "them. The published numbers are the limits, truncated",
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
