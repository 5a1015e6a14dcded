"""Bridge: plans of collectives, walked block by block, and their loads on a ring, counted here.

A rank holds for every block the ranks whose contributions are in it, with how often. A message
brings what its source held before the step; it is added or replaces. On a ring a message goes the
shorter way, half-way round by the parity of its source.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import lccmodel as lcc
from lccmodel.errors import InputError
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.domain import Enumerated

_WALKED = ("allreduce", "reduce-scatter", "allgather", "broadcast", "reduce")
_CASES = tuple(key for key in lcc.collectives.ALGORITHMS if key[0] in _WALKED)
_POWERS = {
    *((name, "bine") for name in _WALKED),
    ("allreduce", "bine-tree"),
    ("allreduce", "bine-latency"),
    ("allreduce", "swing-latency"),
    ("reduce-scatter", "recursive-halving"),
    ("allgather", "recursive-doubling"),
    ("broadcast", "scatter-allgather"),
    ("reduce", "rabenseifner"),
}
_EVEN = {*((name, "swing") for name in _WALKED), ("allgather", "neighbour-exchange")}
_NEVER = {("allreduce", "hierarchical")}  # needs several ranks to a node

_Step = list[tuple[int, int, int, str]]


def _covered(collective: str, name: str, p: int) -> bool:
    """Whether the published rule is for p ranks on a ring."""
    if name == "trivance":
        return p in (3, 9, 27, 81)
    if name == "split-binary":
        return p > 2
    if (collective, name) in _POWERS:
        return p & (p - 1) == 0
    return (collective, name) not in _NEVER and ((collective, name) not in _EVEN or p % 2 == 0)


def _ends_right(collective: str, p: int, blocks: int, steps: list[_Step]) -> bool:
    """Whether every rank ends with what the collective asks, each contribution once."""
    own = blocks // p

    def begins(rank: int, block: int) -> bool:
        if collective == "allgather":
            return block // own == rank
        return collective != "broadcast" or rank == 0

    held = {
        (rank, block): Counter([rank]) if begins(rank, block) else Counter()
        for rank in range(p)
        for block in range(blocks)
    }
    for step in steps:
        brought = [(to, block, held[source, block].copy(), op) for source, to, block, op in step]
        for to, block, parts, op in brought:
            held[to, block] = held[to, block] + parts if op == "add" else parts
    for rank in range(p):
        for block in range(blocks):
            owner = block // own
            if collective == "allgather":
                wanted = Counter([owner])
            elif collective == "broadcast":
                wanted = Counter([0])
            else:
                wanted = Counter(range(p))
            asked = {"reduce": rank == 0, "reduce-scatter": rank == owner}.get(collective, True)
            if asked and held[rank, block] != wanted:
                return False
    return True


def _busiest(p: int, blocks: int, steps: list[_Step]) -> Fraction:
    """Data on the busiest channel or port of the ring in every step, summed."""
    total = 0
    for step in steps:
        load: defaultdict[tuple[str, int], int] = defaultdict(int)
        for source, to, _, _ in step:
            load["out", source] += 1
            load["in", to] += 1
            ahead = (to - source) % p
            plus = 2 * ahead < p or (2 * ahead == p and source % 2 == 0)
            for hop in range(ahead if plus else p - ahead):
                at = source + hop if plus else source - hop
                load["+" if plus else "-", at % p] += 1
        total += max(load.values(), default=0)
    return Fraction(total, blocks)


@claim(
    "library.collectives",
    place="lccmodel.collectives.collective_of, Collective.replay, Collective.loads",
    says="the plan of every published rule ends with what its collective asks, each contribution "
    "once, for every p that the rule covers and no other; replay says so, and busiest is the data "
    "on the busiest channel or port of a ring, summed over steps",
    over=Enumerated(
        lambda n: [(n, *case) for case in _CASES],
        size=lambda n: len(_CASES),
        names="p, collective, name",
        text="every algorithm of five collectives on a ring of p = n ranks, one port",
    ),
    evidence="every block moved, every route walked and counted",
    control=Control("the last step is missing", missing=1),
    sizes=Sizes(least=2, most=16, limit=64),
)
def library_collectives(
    p: int, collective: str, name: str, *, missing: int = 0, twice: bool = False, off: int = 0
) -> Finding:
    """A peer off by one, a block sent twice and a missing last step are noticed."""
    covered = _covered(collective, name, p)
    try:
        found = lcc.collectives.collective_of(collective, name, f"torus:{p}")  # type: ignore[arg-type]
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
    ends, busiest = _ends_right(collective, p, blocks, walked), _busiest(p, blocks, walked)
    same = ends == found.replay().ok and busiest == found.busiest
    return Finding(ends and same, ends=ends, ours=str(busiest), answer=str(found.busiest))
