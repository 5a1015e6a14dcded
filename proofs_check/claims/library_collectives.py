"""Bridge: plans of collectives, walked block by block, and their loads on rings and tori.

Blocks move as in `collectives_plans`. On a torus a message goes axis by axis, the lowest first, the
shorter way round each, half-way round by the parity of the coordinate that it leaves. A step
starts as many messages one after another as leave or reach a rank (one port), or do so by one
channel (all ports).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from functools import lru_cache
from math import prod

import lccmodel as lcc
from lccmodel.errors import InputError
from proofs_check.claim import Control, Finding, Sizes, Stated, claim
from proofs_check.claims.collectives_plans import Row, ends_right, ring_route
from proofs_check.domain import Enumerated

_CASES = tuple(lcc.collectives.ALGORITHMS)
_POWERS = {
    *((name, "bine") for name in lcc.collectives.COLLECTIVES),
    ("allreduce", "bine-tree"),
    ("allreduce", "bine-latency"),
    ("allreduce", "swing-latency"),
    ("reduce-scatter", "recursive-halving"),
    ("allgather", "recursive-doubling"),
    ("broadcast", "scatter-allgather"),
    ("reduce", "rabenseifner"),
    ("alltoall", "exchange"),
}
_ELSEWHERE = ("edge-disjoint-trees", "packed-trees")
"""With all ports alone, where ranks have channels between them: on tori, where all are known."""
_SHAPES: dict[int, list[tuple[int, ...]]] = {
    2: [(3,), (2, 2)],
    3: [(3, 2), (4, 2), (2, 2, 2)],
    4: [(3, 3), (4, 3), (5, 3), (4, 4)],
    5: [(6, 4), (3, 3, 3)],
    6: [(8, 8), (4, 4, 4), (6, 6)],
    7: [(9, 9)],
    8: [(16, 16)],
}
_Link = tuple[int, int, int]
_Pairs = list[tuple[int, int]]


def _is(number: int, base: int) -> bool:
    """Whether it is a power of the base."""
    while number % base == 0:
        number //= base
    return number == 1


def _covered(collective: str, name: str, shape: tuple[int, ...], ports: str) -> bool:
    """Whether the published rule is for ranks on a torus of this shape, one to a node."""
    p = prod(shape)
    if name in _ELSEWHERE:
        wanted = name == "packed-trees" or set(shape) == {2}
        return ports == "all" and wanted
    if name == "axes":
        return sum(side > 1 for side in shape) > 1
    if name == "trivance":
        return all(_is(side, 3) for side in shape)
    if name == "split-binary":
        return p > 2
    if name == "swing":
        return all(side % 2 == 0 or side == 1 for side in shape)
    if name == "neighbour-exchange":
        return p % 2 == 0
    return (collective, name) not in _POWERS or _is(p, 2)


@lru_cache(maxsize=1 << 16)
def _route(source: int, to: int, shape: tuple[int, ...]) -> list[_Link]:
    """The channels (axis, way, node) that a message takes."""
    found, stride, here = [], 1, source
    for axis, side in enumerate(shape):
        c, d = source // stride % side, to // stride % side
        found += [(axis, way, here + (at - c) * stride) for at, way in ring_route(c, d, side)]
        here += (d - c) * stride
        stride *= side
    return found


def _busiest(
    pairs: list[tuple[int, int]], shape: tuple[int, ...], *, one: bool, inner: bool
) -> int:
    """The most that pairs make a channel carry, or what they begin and end by; see the module."""
    load: Counter[tuple[str, _Link]] = Counter()
    for pair, many in Counter(pairs).items():
        route = _route(*pair, shape)
        for link in route if inner else ():
            load["", link] += many
        if one or not inner:
            first, last = ((0, 0, pair[0]), (0, 0, pair[1])) if one else (route[0], route[-1])
            load["out", first] += many
            load["in", last] += many
    return max(load.values(), default=0)


def _agrees(
    shape: tuple[int, ...],
    ports: str,
    collective: str,
    name: str,
    missing: int,
    off: int,
    *,
    twice: bool,
) -> Finding:
    covered, p = _covered(collective, name, shape, ports), prod(shape)
    network = f"torus:{'x'.join(map(str, shape))}"
    try:
        found = lcc.collectives.collective_of(collective, name, network, ports=ports)  # type: ignore[arg-type]  # words of the claim
    except InputError:
        return Finding(not covered, covered=covered)
    if not covered:
        return Finding(False, covered=covered)
    steps: defaultdict[int, list[Row]] = defaultdict(list)
    for each in found.plan.transfers():
        steps[each.step].append((each.source, each.destination, each.block, each.operation))
    walked = [steps[k] for k in sorted(steps)][: len(steps) - missing]
    if off:
        source, to, block, op = walked[0][0]
        walked[0][0] = (source, (to + off) % p, block, op)
    if twice:
        walked = [*walked[:1], *walked]
    parts = found.plan.blocks  # transfers name p, or a multiple of it
    blocks = parts if parts % p == 0 else parts * p
    right = ends_right(collective, p, blocks, walked)
    one = ports == "one"
    most = sum(
        _busiest([(row[0], row[1]) for row in step], shape, one=one, inner=True) for step in walked
    )
    starts = 0
    for _, _, stage in found.plan.timed():
        ranks = [(s.source.tolist(), s.destination.tolist()) for s in stage.sends]
        # all that goes from one rank to another in a step is one message
        pairs = list({pair for ends in ranks for pair in zip(*ends, strict=True)})
        starts += _busiest(pairs, shape, one=one, inner=False)
    unit = Fraction(p if collective == "alltoall" else collective != "barrier", blocks)
    busiest = most * unit
    told = (found.replay().ok, found.start_ups, found.busiest)
    bound = found.bound.data <= busiest and found.bound.start_ups <= starts
    same = (right, starts, busiest) == told and bound
    return Finding(right and same, ends=right, ours=f"{starts}, {busiest}", answer=str(told))


STATED = Stated(
    place="lccmodel.collectives.collective_of, Collective.replay, Collective.loads",
    evidence="every block moved, every route walked and counted",
    control=Control("the last step is missing", missing=1),
)


@claim(
    "library.collectives",
    says="the plan of every published rule ends with what its collective asks, each contribution "
    "once, for every p that the rule covers and no other; replay says so, start_ups and busiest "
    "are those of a ring, summed over steps, and the lower bound is above neither",
    over=Enumerated(
        lambda n: [(n, *case) for case in _CASES],
        size=lambda n: len(_CASES),
        names="p, collective, name",
        text="every algorithm of all collectives on a ring of p = n ranks, one port",
    ),
    sizes=Sizes(least=2, most=64, limit=64),
)
def library_collectives(
    p: int, collective: str, name: str, *, missing: int = 0, twice: bool = False, off: int = 0
) -> Finding:
    """A peer off by one, a block sent twice and a missing last step are noticed."""
    return _agrees((p,), "one", collective, name, missing, off, twice=twice)


@claim(
    "library.collectives.tori",
    says="the same on tori, with one port and with all: postconditions, start-ups, data on the "
    "busiest channel, and bounds that are above neither",
    over=Enumerated(
        lambda n: [
            (shape, ports, *case)
            for shape in _SHAPES[n]
            for ports in ("one", "all")
            for case in _CASES
            if case[0] != "alltoall" or n < 7
        ],
        size=lambda n: 2 * len(_SHAPES[n]) * sum(case[0] != "alltoall" or n < 7 for case in _CASES),
        names="shape, ports, collective, name",
        text="every algorithm on tori of 2^(n-1) < p <= 2^n ranks, an alltoall up to 64",
    ),
    sizes=Sizes(least=2, most=8, limit=8),
)
def library_collectives_tori(
    shape: tuple[int, ...],
    ports: str,
    collective: str,
    name: str,
    *,
    missing: int = 0,
    twice: bool = False,
    off: int = 0,
) -> Finding:
    """A peer off by one, a block sent twice and a missing last step are noticed."""
    return _agrees(shape, ports, collective, name, missing, off, twice=twice)
