"""Plans of collectives, built here from their published rules: sums, loads, and what bounds them.

Blocks are moved by `proofs_check.blocks`. On a ring a message goes the shorter way, half-way round
by the parity of its source; on a row the only way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations

from proofs_check.blocks import Steps, ends_right, ring_route
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.domain import Enumerated

Links = Iterator[tuple[int, int]]


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
