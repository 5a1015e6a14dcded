"""Bridges: channels, and mappings against every order (and every matrix) tried and walked.

The other claims count for themselves and never ask the library, so that a theorem does not hold
because the library believes it. A bridge asks the library's public function and compares its answer
with such a count, over the same domains. Its control spoils the answer.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import lccmodel as lcc
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.cases import every, grid_of, on_networks
from proofs_check.claim import Control, Finding, Sizes, Stated, claim
from proofs_check.domain import PAIRS, PERMUTATIONS, matrix_code
from proofs_check.orbits import least_by_mapping
from proofs_check.stations import in_places, messages
from proofs_check.walk import contention

_PLACE = "lccmodel, contention and channel loads"
Pairs = list[tuple[int, int]]
Routing = Literal["ascending", "descending"]
_ROUTINGS: tuple[Routing, ...] = ("ascending", "descending")


def walked(pairs: Pairs, order: Sequence[int], inside: int = 0) -> list[int]:
    """Messages on the busiest channel of every dimension, bits in `inside` within the routers.

    >>> walked([(0, 3), (1, 3)], (0, 1)), walked([(0, 3), (1, 3)], (0, 1), inside=1)
    ([1, 2], [0, 2])
    """
    return contention([(x & ~inside, y & ~inside) for x, y in pairs], order)


def both_ways(A: GF2Matrix, b: GF2Vector) -> Iterator[tuple[lcc.LCC, Pairs]]:
    """y = Ax + b and x = Ay + b, each with its messages."""
    yield lcc.LCC(A, b), messages(A, int(b))
    yield lcc.LCC.scatter(A, b), messages(A, int(b), scatter=True)


@claim(
    "library.contention",
    place=_PLACE,
    says="contention(c, network) is the number of messages on the busiest channel of every "
    "dimension, on cube and Origin, for gathers and scatters, in both orders of dimensions",
    over=PAIRS,
    evidence="every message walked, every channel counted",
    control=Control("the scatter's answer on the Origin for descending dimensions", swapped=True),
    sizes=Sizes(most=3, limit=5),
    samples={4: 500, 5: 100},
)
def library_contention(A: GF2Matrix, b: GF2Vector, *, swapped: bool = False) -> Finding:
    """The ranks of [hou, Theorems 1 and 7], asked of the library itself."""
    n = len(b)
    networks = [(lcc.Hypercube(n), 0), (lcc.BristledHypercube(n), 1)]
    for scatter, (c, pairs) in enumerate(both_ways(A, b)):
        for network, inside in networks:
            for routing in _ROUTINGS:
                order = range(n) if routing == "ascending" else range(n)[::-1]
                asked: Routing = "ascending" if swapped and scatter and inside else routing
                found = lcc.contention(c, network, routing=asked)
                counted = walked(pairs, order, inside)
                numbers = (list(found.per_dimension), found.degree, found.total)
                if numbers != (counted, max(counted), sum(counted)):
                    return Finding(
                        False, network=network.spec, routing=routing, answer=numbers, T=counted
                    )
    return Finding(True)


def lattice_against_walk(
    lattice: lcc.lattice.CorrectionLattice, pairs: Pairs, inside: int, *, late: bool = False
) -> dict[str, Any]:
    """Where occupancy(S) or load(S, j) is not what walked messages come to; empty if nowhere.

    Args:
        lattice: with the bits in `inside` within the routers.
        pairs: source and destination of every message.
        late: for controls: the load of the last step is asked with a bit too many corrected.
    """
    n = len(pairs).bit_length() - 1
    for S in range(1 << n):
        if S & inside:
            continue
        bits = [k for k in range(n) if S >> k & 1]
        at = [(x ^ (x ^ y) & S) & ~inside for x, y in pairs]
        held = lattice.occupancy(bits)
        if {*Counter(at).values()} != {held}:
            return {"S": bits, "answer": held}
        for j in range(n):
            if (S | inside) >> j & 1:
                continue
            used = Counter(p for p, (_, y) in zip(at, pairs, strict=True) if (p ^ y) >> j & 1)
            asked = bits[:-1] if late and len(bits) == n - 1 > 1 else bits
            if lattice.load(asked, j) != max(used.values(), default=0):
                return {"S": bits, "j": j, "answer": lattice.load(asked, j)}
    return {}


@claim(
    "library.lattice",
    place="lccmodel.lattice.CorrectionLattice",
    says="occupancy(S) and load(S, j) are the messages in each occupied node after S, and on the "
    "busiest channel when j is corrected next, for every S, with and without bit 0 in the routers",
    over=PAIRS,
    evidence="every message walked, nodes and channels counted",
    control=Control("the load of the last step with a bit too many corrected", late=True),
    sizes=Sizes(most=3, limit=5),
    samples={4: 100, 5: 20},
)
def library_lattice(A: GF2Matrix, b: GF2Vector, *, late: bool = False) -> Finding:
    """The two ranks of the lattice's page."""
    for c, pairs in both_ways(A, b):
        for inside in (0, 1):
            lattice = lcc.lattice.CorrectionLattice(c, (0,) if inside else ())
            if found := lattice_against_walk(lattice, pairs, inside, late=late):
                return Finding(False, **found)
    return Finding(True)


# -- any messages on any network ----------------------------------------------------------------

NETWORKS = {
    1: ("cube:1", "origin:1", "mesh:2", "torus:2"),
    2: ("cube:2", "origin:2", "mesh:4", "torus:4", "mesh:2x2", "torus:2x2"),
    3: ("cube:3", "origin:3", "mesh:8", "torus:8", "mesh:4x2", "torus:4x2", "mesh:2x2x2"),
    4: ("cube:4", "origin:4", "mesh:4x4", "torus:4x4", "mesh:2x4x2", "torus:2x4x2", "torus:8x2"),
}
"""The networks of each n, with 2^n nodes."""


def grid_path(shape: Sequence[int], x: int, y: int, ring: bool, order: Sequence[int]) -> list[int]:
    """The nodes from x to y, one axis after another; on a ring the short way, half a ring upwards.

    >>> grid_path((4, 2), 0, 7, False, (0, 1)), grid_path((4,), 3, 1, True, (0,))
    ([0, 1, 2, 3, 7], [3, 0, 1])
    """
    nodes = [x]
    for axis in order:
        weight, side = 1, shape[axis]
        for length in shape[:axis]:
            weight *= length
        at, goal = x // weight % side, y // weight % side
        up = (goal - at) % side <= side / 2 if ring else goal > at
        while at != goal:
            at = (at + (1 if up else -1)) % side
            x += (at - x // weight % side) * weight
            nodes.append(x)
    return nodes


def _paths(spec: str, pairs: Pairs, descending: bool) -> Iterator[list[int]]:
    """The path of every message over channels, those of the Origin between router numbers."""
    shape, ring = grid_of(spec)
    order = range(len(shape))[::-1] if descending else range(len(shape))
    for x, y in pairs:
        if spec.startswith("origin"):
            yield grid_path(shape, x & ~1, y & ~1, False, order)
        else:
            yield grid_path(shape, x, y, ring, order)


def _messages(size: int, seed: int) -> Pairs:
    """Seed 0: every node to every node; others: up to four messages a node, repetitions too."""
    if seed == 0:
        return [(x, y) for x in range(size) for y in range(size)]
    draw = random.Random(seed)
    return [(draw.randrange(size), draw.randrange(size)) for _ in range(draw.randrange(4 * size))]


@claim(
    "library.channel_loads",
    place=_PLACE,
    says="network.channel_loads(messages) is the number of messages on every channel, for any "
    "messages on cube, Origin, mesh and torus, in both orders of axes",
    over=on_networks(
        NETWORKS, 12, "cubes, Origin cubes, meshes and tori of 2^n nodes, 12 sets of messages each"
    ),
    evidence="every message walked node by node",
    control=Control("half a ring of four on the second axis goes downwards", upwards=False),
)
def library_channel_loads(network: str, seed: int, *, upwards: bool = True) -> Finding:
    """Any messages; on a ring the way round matters only for even sides."""
    where = lcc.network.parse_network(network)
    pairs = _messages(where.size, seed)
    for descending in (False, True):
        counted: Counter[tuple[int, int]] = Counter()
        for path in _paths(network, pairs, descending):
            counted.update(pairwise(path))
        if not upwards and network == "torus:4x4":
            turned = [(y, x) for x, y in pairs]
            counted = Counter()
            for path in _paths(network, turned, descending):
                counted.update((v, u) for u, v in pairwise(path))
        loads = where.channel_loads(pairs, descending=descending)
        given = {(_port(network, u), _port(network, v)): m for (u, v), m in loads.items() if m}
        if given != dict(counted) or loads.total != counted.total():
            return Finding(False, descending=descending, messages=pairs, answer=str(given))
    return Finding(True)


def _port(network: str, node: int) -> int:
    """The Origin numbers its routers 2^n, 2^n + 1, ...; here each has its even processor's."""
    if not network.startswith("origin"):
        return node
    return 2 * (node - (1 << int(network.partition(":")[2])))


# -- mappings ----------------------------------------------------------------------------------


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
    found = list(lcc.placement.correction_orders(c, whatever_b=whatever_b))
    always = [
        order
        for order in free
        if all(max(walked(messages(A, other), order)) <= 1 for other in range(1 << n))
    ]
    mapping = lcc.placement.optimal_reordering(c, lcc.Hypercube(n))
    named = [mapping.order, lcc.placement.lcp_optimizer(c)]
    same = found == free and list(lcc.placement.correction_orders(c, whatever_b=True)) == always
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
        mapping = lcc.placement.optimal_reordering(c, network)
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
    asked = lcc.placement.optimal_linear_mapping if linear else lcc.placement.optimal_reordering
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
    mapping = lcc.placement.optimal_reordering(given, where, objective, weights=asked)
    orders = lcc.placement.optimal_orders(given, where, objective, weights=asked)
    best = [order for order, value in values.items() if value == least]
    right = mapping.optimal and mapping.value_after == least == orders.value
    ok = right and mapping.order in best and list(orders) == best and orders.count() == len(best)
    return Finding(ok, answer=mapping.value_after, least=least, orders=len(best))
