"""Bridges: self-routing, exchanges, the SIMD mesh, the comparison, turns and networks of switches.

Each answer is turned into positions of messages, and those are checked: they begin at the sources,
change one bit at a time, end at the destinations, and carry what the library says they carry.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import lccmodel as lcc
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.permutations import partitioned, self_routing
from lccmodel.routing import TurnRouting
from lccmodel.wormhole.fft_program import parallel_fft
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.boppana_modes import by_tree, led
from proofs_check.claims.boppana_partitioned import PARTITIONED
from proofs_check.claims.hou_turns import FIXED, RINGS, is_safe
from proofs_check.claims.hou_worms import Sent, all_at_once, run
from proofs_check.domain import PAIRS, PERMUTATIONS, AllOrders, Domain, Enumerated
from proofs_check.stations import messages

_PERMUTATIONS: Domain = PERMUTATIONS.described("all nonsingular A, all b")
Steps = list[list[int]]


def _steps(destinations: Sequence[int], order: Sequence[int]) -> Steps:
    """Where every message is at first and after each bit of the order."""
    at = [list(range(len(destinations)))]
    for j in order:
        at.append([u ^ ((u ^ y) & 1 << j) for u, y in zip(at[-1], destinations, strict=True)])
    return at


def _counts(at: Steps) -> tuple[list[int], list[int], list[int]]:
    """Most messages in a node, most on a channel, and how many move, step by step."""
    held = [max(Counter(row).values()) for row in at]
    channels = [Counter((u, v) for u, v in zip(*two, strict=True) if u != v) for two in _pairs(at)]
    return held, [max(c.values(), default=0) for c in channels], [c.total() for c in channels]


def _pairs(at: Steps) -> Iterator[tuple[list[int], list[int]]]:
    return itertools.pairwise(at)


# -- self-routing -------------------------------------------------------------------------------


@claim(
    "library.self_route",
    place="lccmodel.permutations.self_route, lccmodel.permutations.circuits",
    says="self_route delivers every linear-complement permutation in n steps, in four variants, by "
    "correcting the order it names; its tags and counts are those of the messages, and circuits "
    "are its paths, disjoint",
    over=_PERMUTATIONS,
    evidence="every message walked along the order named, nodes and channels counted",
    control=Control("the bits in ascending order", named=False),
    sizes=Sizes(most=3, limit=5),
    samples={4: 100, 5: 20},
)
def library_self_route(A: GF2Matrix, b: GF2Vector, *, named: bool = True) -> Finding:
    """[boppana, Theorem 1 and Corollary 1]"""
    n, destinations = len(b), [y for _, y in messages(A, int(b))]
    for mode, variant in itertools.product(("simd", "m-simd"), ("lsb", "msb")):
        trace = lcc.permutations.self_route(lcc.LCC(A, b), mode, variant)
        order = trace.order
        if order is None or not trace.delivered or sorted(order) != list(range(n)):
            return Finding(False, mode=mode, variant=variant, order=order)
        at = _steps(destinations, order if named else range(n))
        held, busiest, moves = _counts(at)
        paths = lcc.permutations.circuits(trace)
        table = trace.table()
        right = (
            at[-1] == destinations
            and max(held) <= 2
            and max(busiest) <= 1
            and [row.occupancy for row in table] == held
            and [row.load for row in table[1:]] == busiest
            and int((trace.moved >= 0).sum()) == sum(moves)
            and paths.disjoint
            and all(paths.path(x) == _path(at, x) for x in range(1 << n))
        )
        if not right:
            return Finding(False, mode=mode, variant=variant, order=order, loads=busiest)
    return Finding(True)


def _path(at: Steps, x: int) -> list[int]:
    return [node for node, _ in itertools.groupby(row[x] for row in at)]


# -- exchanges ----------------------------------------------------------------------------------


def _performed(at: int, n: int, order: Sequence[int], steps: Sequence[Any]) -> list[int]:
    """The nodes of one message under conditional exchanges, by their conditions alone."""
    nodes = [at]
    for k, step in zip(order, steps, strict=True):
        sends = (sum(at >> j & 1 for j in step.condition) + step.complement) % 2
        at ^= sends << k
        nodes.append(at)
    return nodes


@claim(
    "library.exchanges",
    place="lccmodel.permutations.exchange_factors, lccmodel.permutations.exchange_orders",
    says="exchange_orders gives the orders in which every node holds one message at every step; in "
    "each of them, and in no other, exchange_factors exist, and their conditions alone bring "
    "every message to Ax + b",
    over=PAIRS,
    evidence="every order walked, nodes counted; every message moved by the conditions",
    control=Control("without the complements of b", complemented=False),
    sizes=Sizes(most=3, limit=4),
    samples={4: 100},
)
def library_exchanges(A: GF2Matrix, b: GF2Vector, *, complemented: bool = True) -> Finding:
    """[edelman, Theorem 3.1 and Corollary 3.2]"""
    n, destinations = len(b), [y for _, y in messages(A, int(b))]
    found = lcc.permutations.exchange_orders(lcc.LCC(A, b))
    exist = [
        order
        for order in itertools.permutations(range(n))
        if max(_counts(_steps(destinations, order))[0]) == 1
    ]
    if list(found) != exist or found.count != len(exist):
        return Finding(False, answer=list(found), walked=exist)
    asked = lcc.LCC(A, b) if complemented else lcc.LCC(A)
    for order in itertools.permutations(range(n)):
        try:
            steps = lcc.permutations.exchange_factors(asked, order).step_table()
        except lcc.errors.NotFactorable:
            if order in exist:
                return Finding(False, order=order)
            continue
        ends = [_performed(x, n, order, steps)[-1] for x in range(1 << n)]
        if order not in exist or ends != destinations:
            return Finding(False, order=order, ends=ends)
    return Finding(True)


# -- the SIMD mesh ------------------------------------------------------------------------------


@claim(
    "library.simd_mesh",
    place="lccmodel.permutations.simd_mesh_route",
    says="simd_mesh_route delivers every linear-complement permutation by passes of one bit each, "
    "never with more than two data in a processor nor two on a channel, and counts 2d unit shifts "
    "for a bit of weight d; 4√N - 4 on a square mesh",
    over=_PERMUTATIONS,
    evidence="every datum walked along the order of bits named; weights read off the shape",
    control=Control("the bits in ascending order", named=False),
    sizes=Sizes(most=3, limit=5),
    samples={4: 60},
)
def library_simd_mesh(A: GF2Matrix, b: GF2Vector, *, named: bool = True) -> Finding:
    """[sibeyn, Theorem 1]"""
    n, destinations = len(b), [y for _, y in messages(A, int(b))]
    plan = lcc.permutations.simd_mesh_route(lcc.LCC(A, b))
    order = plan.order if named else tuple(range(n))
    at = _steps(destinations, order)
    held, busiest, _ = _counts(at)
    columns, rows = 1 << (n + 1) // 2, 1 << n // 2
    right = (
        plan.delivered
        and sorted(plan.order) == list(range(n))
        and at[-1] == destinations
        and max(held) <= 2
        and max(busiest) <= 1
        and plan.steps == 2 * (columns - 1) + 2 * (rows - 1)
        and [row.tolist() for row in plan.movement.positions] == at
    )
    return Finding(right, order=plan.order, steps=plan.steps, occupancy=held, load=busiest)


# -- side by side -------------------------------------------------------------------------------


@claim(
    "library.compare",
    place="lccmodel.compare",
    says="of every routing that corrects the bits in one order, the comparison says truly whether "
    "all messages arrive, how many a node holds, how many a channel carries in a step and from "
    "start to end, and how many links are travelled",
    over=AllOrders("permutation", count=lambda n: 2**n).described("all permutations of 2^n nodes"),
    evidence="every message walked in the order named, nodes and channels counted",
    control=Control("a message that changes two bits crosses one link", every=False),
    sizes=Sizes(most=2, limit=3),
    samples={3: 100},
)
def library_compare(permutation: tuple[int, ...], *, every: bool = True) -> Finding:
    """The table of docs/comparison.md."""
    for method, routing in lcc.compare(list(permutation)).items():
        if routing.order is None:
            continue
        at = _steps(permutation, routing.order)
        held, busiest, moves = _counts(at)
        used = Counter((u, v) for two in _pairs(at) for u, v in zip(*two, strict=True) if u != v)
        links = sum(moves) if every else sum(x != y for x, y in enumerate(permutation))
        stated = [max(held), sum(busiest), max(used.values(), default=0), links]
        given = [routing.buffers, routing.rounds, routing.busiest, routing.hops]
        if given != stated or routing.delivered != (at[-1] == list(permutation)):
            return Finding(False, method=method, answer=given, counted=stated)
    return Finding(True)


# -- routing functions from forbidden turns, and networks of switches made by HL ---------------


_DRAWN = 12
_FLITS = 17
"""Of the bit reversal of 2^n points on 2^n processors."""


def _rules(n: int) -> Iterator[tuple[int, str]]:
    draw = random.Random(n)
    pairs = [" ".join(pair) for pair in itertools.product(*RINGS)]
    for _ in range(_DRAWN):
        parts = [draw.choice(pairs) for _ in range(3)]
        yield n, " / ".join([*parts, str(draw.randrange(1, n))])


def _reversal(n: int) -> Sent:
    """One message from every node to the node with its bits in reverse, all at time 0."""
    return all_at_once([int(format(x, f"0{n}b")[::-1], 2) for x in range(1 << n)])


@claim(
    "library.turns",
    place="lccmodel.routing.TurnRouting, lccmodel.routing.deadlock_free",
    says="a rule that forbids turns is free of deadlock and connected, and takes so many cycles "
    "for the bit reversal, as the checker counts",
    over=Enumerated(
        _rules,
        size=lambda n: _DRAWN,
        names="n, rule",
        text=f"{_DRAWN} drawn rules, other turns within, across and above a drawn split",
    ),
    evidence="channels numbered round by round; worms simulated flit by flit under three tie rules",
    control=Control("a message a flit longer", flits=_FLITS + 1),
    sizes=Sizes(least=2, limit=5),
)
def library_turns(n: int, rule: str, *, flits: int = _FLITS) -> Finding:
    """[hou, section 6]: the family in which cited routing functions are reconstructed."""
    *parts, split = rule.split(" / ")
    within, across, above = (tuple(part.split()) for part in parts)
    function, cube = TurnRouting(within, across, above, int(split)), lcc.Hypercube(n)
    try:
        safe = bool(lcc.routing.deadlock_free(function, cube))
    except lcc.errors.InputError:
        safe = False  # a header without a way on
    if safe != is_safe(rule, n):
        return Finding(False, answer=safe)
    if not safe:
        return Finding(True)
    answer, ours = [], []
    for tie in FIXED:
        named: Any = tie.replace(" ", "-")
        found = parallel_fft(1 << n, cube, function, tie=named)
        answer.append(found.bit_reverse_cycles)
        ours.append(int(run(_reversal(n), flits, rule, tie)[1].max()))
    return Finding(answer == ours, answer=answer, ours=ours)


def _routed(n: int) -> Iterator[Any]:
    cases = PARTITIONED.cases(n, 0, PARTITIONED.span(n))
    return (case for _, case in itertools.islice(cases, 0, None, 40 if n == 3 else 1))


@claim(
    "library.network",
    place="lccmodel.permutations.self_routing.network_of, "
    "lccmodel.permutations.partitioned.switch_settings",
    says="network_of pairs every line in the bit that HL corrects there, and switch_settings makes "
    "the network realise a drawn permutation, mixed networks included",
    over=Enumerated(
        _routed,
        size=lambda n: (2, 24, 72, 300)[n - 1],
        names="tree, permutation",
        text="all of PLC_n for n <= 2, every 40th for n = 3, 300 drawn ones for n = 4",
    ),
    evidence="HL run part by part on tags; a line followed through every switch",
    control=Control("the lines of the upper half paired in bit 0 at last", spoilt=True),
    sizes=Sizes(limit=4),
)
def library_network(tree: Any, permutation: tuple[int, ...], *, spoilt: bool = False) -> Finding:
    """[boppana, section 3.3.1]"""
    size = len(permutation)
    network = self_routing.network_of(list(permutation))
    found = led(permutation, by_tree(tree))
    assert found is not None, "Lemma 7"
    rows = [list(row) for row in found.rows]
    if spoilt:
        rows[-1][size // 2 :] = [0] * (size // 2)
    goes = random.Random(sum(x * y for x, y in enumerate(permutation))).sample(range(size), size)
    crossed = partitioned.switch_settings(goes, network).crossed
    lines = list(range(size))
    for stage, row in enumerate([*found.rows, *found.rows[-2::-1]]):
        lines = [u ^ int(crossed[stage][u]) << row[u] for u in lines]
    ok = network.dimensions.tolist() == rows and lines == goes
    return Finding(ok, rows=rows, lines=lines, permutation=goes)
