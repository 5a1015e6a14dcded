"""Bridge: plans of collectives, walked block by block, and their loads on rings and tori.

A contribution is a number of 16 bits beside the others in one, so a sum of them shows each exactly
once (a barrier joins them). A message brings what its source held before the step; it is added or
replaces. On a torus a message goes axis by axis, the lowest first, the shorter way round each,
half-way round by the parity of the coordinate that it leaves. A step starts as many messages one
after another as leave or reach a rank (one port), or do so by one channel (all ports).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import prod

import lccmodel as lcc
from lccmodel.errors import InputError
from proofs_check.claim import Control, Finding, Sizes, Stated, claim
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
_SHAPES: dict[int, list[tuple[int, ...]]] = {
    2: [(3,), (2, 2)],
    3: [(3, 2), (4, 2), (2, 2, 2)],
    4: [(3, 3), (4, 3), (5, 3), (4, 4)],
    5: [(6, 4), (3, 3, 3)],
    6: [(8, 8), (4, 4, 4), (6, 6)],
    7: [(9, 9)],
    8: [(16, 16)],
}
_BITS = 16

_Step = list[tuple[int, int, int, str]]
_Link = tuple[int, int]


def _is(number: int, base: int) -> bool:
    """Whether it is a power of the base."""
    while number % base == 0:
        number //= base
    return number == 1


def _covered(collective: str, name: str, shape: tuple[int, ...]) -> bool:
    """Whether the published rule is for ranks on a torus of this shape, one to a node."""
    p = prod(shape)
    if name == "hierarchical":
        return False  # needs several ranks to a node
    if name == "trivance":
        return all(_is(side, 3) for side in shape)
    if name == "split-binary":
        return p > 2
    if name == "swing":
        return all(side % 2 == 0 or side == 1 for side in shape)
    if name == "neighbour-exchange":
        return p % 2 == 0
    return (collective, name) not in _POWERS or _is(p, 2)


def _ends_right(collective: str, p: int, blocks: int, steps: list[_Step]) -> bool:
    """Whether every rank ends with what the collective asks, each contribution once."""
    own = blocks // p

    def begins(rank: int, block: int) -> bool:
        if collective in ("allgather", "alltoall"):
            return block // own == rank
        return collective != "broadcast" or rank == 0

    held = [[begins(r, b) << _BITS * r for b in range(blocks)] for r in range(p)]
    for step in steps:
        came = [(to, block, held[source][block], op) for source, to, block, op in step]
        for to, block, parts, op in came:
            if collective == "barrier":
                held[to][block] |= parts
            else:
                held[to][block] = held[to][block] + parts if op == "add" else parts
    every = sum(1 << _BITS * rank for rank in range(p))
    for rank in range(p):
        for block in range(blocks):
            owner = block // own
            asked = {
                "reduce": rank == 0,
                "reduce-scatter": rank == owner,
                "alltoall": rank == block % p,
            }.get(collective, True)
            one = {"allgather": owner, "alltoall": owner, "broadcast": 0}.get(collective)
            if asked and held[rank][block] != (every if one is None else 1 << _BITS * one):
                return False
    return True


@lru_cache(maxsize=1 << 16)
def _route(source: int, to: int, shape: tuple[int, ...]) -> list[_Link]:
    """The channels that a message takes."""
    path, stride, here = [source], 1, source
    for side in shape:
        c, d = here // stride % side, to // stride % side
        ahead = (d - c) % side
        plus = 2 * ahead < side or (2 * ahead == side and c % 2 == 0)
        for _ in range(ahead if plus else side - ahead):
            now = here // stride % side
            here += ((now + (1 if plus else -1)) % side - now) * stride
            path.append(here)
        stride *= side
    return list(pairwise(path))


def _busiest(pairs: list[_Link], shape: tuple[int, ...], *, one: bool, inner: bool) -> int:
    """The most that pairs make a channel carry, or what they begin and end by; see the module."""
    load: defaultdict[tuple[str, int, int], int] = defaultdict(int)
    for pair, many in Counter(pairs).items():
        route = _route(*pair, shape)
        for link in route if inner else ():
            load["", *link] += many
        if one or not inner:
            ends = ((pair[0], -1), (-1, pair[1])) if one else (route[0], route[-1])
            load[("out", *ends[0])] += many
            load[("in", *ends[1])] += many
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
    covered, p = _covered(collective, name, shape), prod(shape)
    network = f"torus:{'x'.join(map(str, shape))}"
    try:
        found = lcc.collectives.collective_of(collective, name, network, ports=ports)  # type: ignore[arg-type]  # words of the claim
    except InputError:
        return Finding(not covered, covered=covered)
    if not covered:
        return Finding(False, covered=covered)
    steps: defaultdict[int, _Step] = defaultdict(list)
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
    right = _ends_right(collective, p, blocks, walked)
    one = ports == "one"
    most = sum(
        _busiest([(row[0], row[1]) for row in step], shape, one=one, inner=True) for step in walked
    )
    starts = 0
    for _, _, stage in found.plan.timed():
        ranks = [(s.source.tolist(), s.destination.tolist()) for s in stage.sends]
        pairs = [pair for ends in ranks for pair in zip(*ends, strict=True)]
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
