"""Bridges: the library's mappings, against every order (and every matrix) tried and walked."""

from __future__ import annotations

import itertools
import random
from typing import Literal

import lccmodel as lcc
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.cases import every
from proofs_check.claim import Control, Finding, Sizes, Stated, claim
from proofs_check.claims.library_loads import both_ways, walked
from proofs_check.domain import PAIRS, PERMUTATIONS, matrix_code
from proofs_check.orbits import least_by_mapping
from proofs_check.stations import in_places, messages

STATED = Stated(place="lccmodel, processor mapping", over=PAIRS, sizes=Sizes(most=3, limit=4))

_SETS = 30
Objective = Literal["max-max", "max-sum", "sum-sum"]
Communications = list[tuple[GF2Matrix, int, bool]]


def _orders(n: int, inside: int = 0) -> list[tuple[int, ...]]:
    """Every order of the bits that are corrected on channels."""
    return list(itertools.permutations(k for k in range(n) if not inside >> k & 1))


@claim(
    "library.orders",
    says="correction_orders(c) gives, in lexicographic order, the orders of correcting bits in "
    "which no channel carries two messages, for one b and whatever b is; optimal_reordering and "
    "lcp_optimizer each name one of them",
    over=PERMUTATIONS.described("all nonsingular A, all b"),
    evidence="every order walked, every channel counted",
    control=Control("whatever b is, where b is given", whatever_b=True),
    samples={4: 100},
)
def library_orders(A: GF2Matrix, b: GF2Vector, *, whatever_b: bool = False) -> Finding:
    """[hou, Theorem 4, Fig. 3] and the lattice's free paths."""
    n, c = len(b), lcc.LCC(A, b)
    free = [order for order in _orders(n) if max(walked(messages(A, int(b)), order)) <= 1]
    found = list(lcc.methods.correction_orders(c, whatever_b=whatever_b))
    always = [
        order
        for order in free
        if all(max(walked(messages(A, other), order)) <= 1 for other in range(1 << n))
    ]
    mapping = lcc.methods.optimal_reordering(c, lcc.Hypercube(n))
    named = [mapping.order, lcc.methods.lcp_optimizer(c)]
    same = found == free and list(lcc.methods.correction_orders(c, whatever_b=True)) == always
    ok = same and named[1] in always and named[0] in free and mapping.optimal
    return Finding(ok, answer=found, walked=free, named=named)


@claim(
    "library.reordering",
    says="optimal_reordering(c, network) has the least degree of all orders of address bits, on "
    "cube and Origin, for gathers and scatters; before, after and the placement are what it says",
    evidence="every order walked, every channel counted; messages moved to the processors named",
    control=Control("the inverse of the order", inverse=True),
    samples={4: 50},
)
def library_reordering(A: GF2Matrix, b: GF2Vector, *, inverse: bool = False) -> Finding:
    """A reordering is checked where it acts: ranks at their physical processors."""
    n = len(b)
    for (c, pairs), inside in itertools.product(both_ways(A, b), (0, 1)):
        network = lcc.BristledHypercube(n) if inside else lcc.Hypercube(n)
        mapping = lcc.methods.optimal_reordering(c, network)
        least = min(max(walked(in_places(pairs, order), range(n), inside)) for order in _orders(n))
        place = mapping.to_virtual if inverse else mapping.to_physical
        moved = [(int(place[x]), int(place[y])) for x, y in pairs]
        T = walked(moved, range(n), inside)
        right = (
            max(T) == least == mapping.value_after
            and mapping.optimal
            and list(mapping.after.per_dimension) == T
            and list(mapping.before.per_dimension) == walked(pairs, range(n), inside)
            and mapping.lower_bound <= least
        )
        if not right:
            return Finding(False, network=network.spec, order=mapping.order, T=T, least=least)
    return Finding(True)


@claim(
    "library.linear",
    says="optimal_linear_mapping(c, cube) has the least degree of all nonsingular Q, and reaches "
    "it",
    evidence="every member of the orbit under GL(n,2) walked",
    control=Control("a reordering only", linear=False),
    samples={4: 60},
)
def library_linear(A: GF2Matrix, b: GF2Vector, *, linear: bool = True) -> Finding:
    """[hou, Theorem 5 and Corollary 2]; on the Origin [hou, Lemmas 5 to 7]."""
    n = len(b)
    networks = ((lcc.Hypercube(n), 0), (lcc.BristledHypercube(n), 1))
    asked = lcc.methods.optimal_linear_mapping if linear else lcc.methods.optimal_reordering
    for scatter, (c, pairs) in enumerate(both_ways(A, b)):
        if scatter and A.is_nonsingular:
            continue  # a gather as well
        for network, inside in networks:
            mapping = asked(c, network)
            place = mapping.to_physical
            moved = [(int(place[x]), int(place[y])) for x, y in pairs]
            T = max(walked(moved, range(n), inside))
            minima = least_by_mapping(n, scatter=bool(scatter), blind=inside)
            least = int(minima[matrix_code(A) << n | int(b)])
            right = T == least == mapping.after.degree and mapping.lower_bound <= least
            if not (right and mapping.optimal):
                return Finding(False, Q=mapping.Q, T=T, least=least)
    return Finding(True)


# -- several communications ---------------------------------------------------------------------


def _members(n: int, seed: int) -> tuple[Communications, list[int]]:
    draw = random.Random(1000 * n + seed)
    count = 1 + seed % 3
    members = [
        (
            GF2Matrix.from_rows([draw.randrange(1 << n) for _ in range(n)], n),
            draw.randrange(1 << n),
            draw.random() < 0.25,
        )
        for _ in range(count)
    ]
    return members, [draw.randrange(1, 4) for _ in range(count)]


def _value(loads: list[list[int]], weights: list[int], goal: str) -> int:
    """[hou, section 4.3]: the busiest channel; loads of a dimension added; everything added."""
    weighted = [[w * T for T in row] for row, w in zip(loads, weights, strict=True)]
    if goal == "max-max":
        return max(max(row) for row in weighted)
    sums = [sum(column) for column in zip(*weighted, strict=True)]
    return max(sums) if goal == "max-sum" else sum(sums)


@claim(
    "library.programme",
    says="for several communications optimal_reordering has the least value of all n! orders, by "
    "each of the three objectives, weighted, on cube and Origin; optimal_orders gives all of them",
    over=every(
        f"{_SETS} random sets of one to three gathers and scatters with weights 1..3",
        seed=range(_SETS),
        network=("cube", "origin"),
        objective=("max-max", "max-sum", "sum-sum"),
    ),
    evidence="every order tried, every message walked, every channel counted",
    control=Control("the weights left out", weighted=False),
    sizes=Sizes(limit=5),
)
def library_programme(
    n: int, seed: int, network: str, objective: Objective, *, weighted: bool = True
) -> Finding:
    """[hou, Theorem 6], by brute force."""
    members, weights = _members(n, seed)
    inside = int(network == "origin")
    values = {}
    for order in _orders(n):
        loads = [
            walked(in_places(messages(A, b, scatter), order), range(n), inside)
            for A, b, scatter in members
        ]
        values[order] = _value(loads, weights, objective)
    least = min(values.values())
    where = lcc.BristledHypercube(n) if inside else lcc.Hypercube(n)
    given = [lcc.LCC.scatter(A, b) if scatter else lcc.LCC(A, b) for A, b, scatter in members]
    asked = weights if weighted else [1] * len(weights)
    mapping = lcc.methods.optimal_reordering(given, where, objective, weights=asked)
    orders = lcc.methods.optimal_orders(given, where, objective, weights=asked)
    best = [order for order, value in values.items() if value == least]
    right = mapping.optimal and mapping.value_after == least == orders.value
    ok = right and mapping.order in best and list(orders) == best and orders.count() == len(best)
    return Finding(ok, answer=mapping.value_after, least=least, orders=len(best))
