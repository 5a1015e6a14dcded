"""Plans of collectives and what ranks hold, as the prover computed them (`formal/plans.txt`).

Plans are those of the library and those that the claims are counted with; contributions are added
up here, message by message.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import product

import pytest

from lccmodel import collectives
from proofs_check.claims import collectives_plans as rules
from proofs_check.claims.collectives_plans import Steps
from tests.proofs_check.formal import digits, proved

ORDERS = {3: [(1, 2, 0)], 4: [(2, 0, 3, 1)]}

CROWDED: Steps = [
    [(0, 1, 0, "add"), (1, 2, 0, "add"), (2, 1, 0, "add"), (0, 1, 1, "add")],
    [(1, 0, 0, "add"), (1, 0, 0, "add"), (2, 0, 1, "copy"), (1, 0, 1, "add")],
    [(0, 2, 0, "copy"), (2, 1, 0, "copy")],
]
"""Ranks hear of a block twice, from one that changes in the step; a copy meets a sum."""


def _gathering(p: int, order: Iterable[int]) -> Steps:
    """Each time all that a rank has to r xor 2^k."""
    has = {r: [r] for r in range(p)}
    steps: Steps = []
    for k in order:
        steps.append([(r, r ^ 1 << k, b, "copy") for r in range(p) for b in has[r]])
        has = {r: has[r] + has[r ^ 1 << k] for r in range(p)}
    return steps


def _back(steps: Steps) -> Steps:
    return [[(to, r, b, "add") for r, to, b, _ in step] for step in reversed(steps)]


def _doubling(p: int, order: Iterable[int]) -> Steps:
    return [[(r, r ^ 1 << k, b, "add") for r, b in product(range(p), repeat=2)] for k in order]


def _rules(n: int, p: int) -> tuple[list[Steps], list[Steps]]:
    """Those that sum up, and those that gather; in the prover's order."""
    ascending = tuple(range(n))
    orders = [ascending, ascending[::-1], *ORDERS.get(n, [])] if p == 2**n else []
    summing, gathering = [rules._ring(p), rules._binomial(p)], [rules._ring(p)[p - 1 :]]
    gathering.append(rules._bruck(p))
    for order in orders:
        gathering.append(_gathering(p, order[::-1]))
        summing += [_doubling(p, order), _back(gathering[-1]) + gathering[-1]]
    return summing, gathering


def _listed(steps: Steps) -> Iterator[str]:
    for step, rows in enumerate(steps):
        for r, to, b, op in sorted(rows):
            yield f"{step:02}{r:02}{to:02}{b:02}{int(op == 'add')}"


def _held(p: int, steps: Steps, *, own: bool, late: bool = False) -> Iterator[int]:
    """Before the first step and after each: how often, by rank and block, each contribution.

    `late`: a message carries what its source has got in the same step, too.
    """
    places = list(product(range(p), repeat=2))
    held = {(r, b): Counter([r] if not own or r == b else []) for r, b in places}
    for rows in [[], *steps]:
        then = dict(held)
        for _, to, b in {row[:3] for row in rows if row[3] == "copy"}:
            then[to, b] = Counter()
        for r, to, b, _ in rows:
            then[to, b] = then[to, b] + (then if late else held)[r, b]
        held = then
        yield from (held[place][u] for place in places for u in range(p))


def _lines(n: int) -> Iterator[str]:
    if n == 1:
        yield digits(_held(3, CROWDED, own=False))
    for p in range(2 ** (n - 1) + 1, 2**n + 1) if n < 4 else (2**n,):
        summing, gathering = _rules(n, p)
        yield from ("".join(_listed(steps)) for steps in summing + gathering)
        if p <= 4:
            for own, plans in enumerate((summing, gathering)):
                for steps in plans:
                    yield digits(_held(p, steps, own=bool(own)))


def _ordered(line: str) -> str:
    """A plan with the blocks of a step in order; what is held as it is."""
    return "".join(sorted(re.findall(".{9}", line)))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_plans_are_the_rules_and_ranks_hold_what_is_added_up(n):
    """[patarasuk], [thakur], [bruck]: p <= 8 and 16, every step of p <= 4."""
    for mine, theirs in zip(_lines(n), proved("plans", n), strict=True):
        assert mine in (theirs, _ordered(theirs))


ANY = [
    *(("allreduce", "ring"), ("reduce-scatter", "ring"), ("allgather", "ring")),
    ("allgather", "bruck"),
]
POWERS = [
    *(("allreduce", "rabenseifner"), ("allreduce", "recursive-doubling")),
    *(("reduce-scatter", "recursive-halving"), ("allgather", "recursive-doubling")),
    ("allreduce", "binomial-tree"),  # elsewhere its ranks hear as early as they can
]


@pytest.mark.parametrize("p", [2, 3, 4, 5, 6, 7, 8, 16])
def test_the_library_plans_are_those_of_the_theorems(p):
    """A reduce-scatter is what an allreduce adds."""
    lines = proved("plans", (p - 1).bit_length())
    plans = [_ordered(line) for line in lines if len(line) % 9 == 0]
    sums = ["".join(row for row in re.findall(".{9}", line) if row[8] == "1") for line in plans]
    for collective, name in [*ANY, *POWERS * (p & (p - 1) == 0)]:
        found = "".join(
            f"{t.step:02}{t.source:02}{t.destination:02}{t.block:02}{int(t.operation == 'add')}"
            for t in collectives.plan(collective, name, p).transfers()
        )
        assert found in (sums if collective == "reduce-scatter" else plans), (collective, name)


def test_a_peer_off_by_one_and_a_late_reading_would_be_noticed():
    steps = rules._ring(4)
    assert "".join(_listed(steps)) in map(_ordered, proved("plans", 2))
    r, to, b, op = steps[-1][0]
    steps[-1][0] = (r, (to + 1) % 4, b, op)
    assert "".join(_listed(steps)) not in map(_ordered, proved("plans", 2))
    assert proved("plans", 1)[0] == digits(_held(3, CROWDED, own=False))
    assert proved("plans", 1)[0] != digits(_held(3, CROWDED, own=False, late=True))
