"""Constructions with a choice, each answer verified by another route.

Messages are walked by the network, factors multiplied, and what was moved must be at its
destination.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from math import factorial
from typing import Any

import numpy as np

from lccmodel.communication.destinations import destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError
from lccmodel.gf2.enumeration import random_matrix
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.network import BristledHypercube, Hypercube, parse_network
from lccmodel.permutations.comparison import compare, with_reordering
from lccmodel.permutations.exchanges.bits import (
    bit_exchanges,
    count_elementary_factorizations,
    cycles_of,
    dimension_loads,
    elementary_factorizations,
    independent_exchanges,
    local_exchanges,
    product_of_exchanges,
    shuffle_factors,
    targets_of,
)
from lccmodel.permutations.exchanges.conditional import exchange_factors, pipelined_exchanges
from lccmodel.permutations.exchanges.orders import exchange_orders
from lccmodel.permutations.exchanges.triangular import (
    bruhat_factors,
    exchanges_and_pairs,
    exchanges_then_permutation,
    plu_factors,
    reordered_lu_factors,
)
from lccmodel.permutations.partitioned import (
    BenesNetwork,
    partition_tree,
    random_partitioned,
    switch_settings,
)
from lccmodel.permutations.self_routing import READINGS, self_route
from lccmodel.permutations.self_routing.networks import circuits
from lccmodel.permutations.simd_mesh import simd_mesh_route
from lccmodel.placement import optimal_linear_mapping, optimal_reordering
from lccmodel.placement.contention import contention
from lccmodel.placement.contention_free_orders import correction_orders, count_correction_orders
from lccmodel.placement.mapping import optimal_orders
from lccmodel.placement.mapping.spmd import spmd_program
from lccmodel.placement.mapping.walks import (
    bristled_order,
    hypercube_order,
    lcp_iterations,
    router_bits,
)
from tests.digests import digest
from tests.walking import walked_loads

NUMBERINGS = ("row-major", "shuffled-row-major", "snake-like")
SIZES = (1, 2, 3, 4, 5)
MESHES = {
    1: ("mesh:2",), 2: ("mesh:4", "mesh:2x2"), 3: ("mesh:8", "mesh:4x2", "torus:2x4"),
    4: ("mesh:4x4", "torus:4x4", "mesh:2x8"), 5: ("mesh:8x4", "torus:4x8", "mesh:32"),
}  # fmt: skip


def _lccs(n: int, many: int, singular: bool = False) -> Iterator[LCC]:
    rng, draw = np.random.default_rng(n), random.Random(n)
    for k in range(many):
        rank = draw.randrange(n + 1) if singular else n
        kind = LCC.scatter if singular and k % 2 else LCC
        yield kind(random_matrix(n, rng, rank), [draw.randrange(2) for _ in range(n)])


def _degree(c: LCC, Q: GF2Matrix, inside: int) -> int:
    """The busiest channel between routers, every message walked, by ascending bits."""
    sent = [(Q.apply(x), Q.apply(y)) for x, y in c.pairs().tolist()]
    return max(walked_loads(sent, range(inside, c.n), range(inside)), default=0)


# -- pieces -----------------------------------------------------------------------------------


def _mapped(n: int) -> Iterator[Any]:
    """Best orders and linear maps of one [hou, Theorems 3 to 8] and of several communications."""
    for c in _lccs(n, 8, singular=True):
        for network in (Hypercube(n), BristledHypercube(n)):
            inside = network.internal_bits
            for found in (optimal_linear_mapping(c, network), optimal_reordering(c, network)):
                Q = found.Q
                assert found.after.degree == _degree(c, Q, inside)
                assert found.lower_bound <= found.after.degree <= found.before.degree
                yield Q.rows, found.order, found.proof, found.verdict, found.before.per_dimension
        yield hypercube_order(c), router_bits(c), [bristled_order(c, z) for z in range(n)]
        yield lcp_iterations(c) if c.A.is_nonsingular else None
    for objective in ("max-max", "max-sum", "sum-sum"):
        members = [*_lccs(n, 3, singular=True)]
        for network in (Hypercube(n), BristledHypercube(n)):
            found = optimal_reordering(members, network, objective, [1, 2, 1])
            orders = optimal_orders(members, network, objective, [1, 2, 1])
            assert orders.count() == len(set(orders)) <= factorial(n)
            assert found.order in set(orders)
            yield found.order, found.value_after, found.proof, orders.count(), next(iter(orders))
            yield contention(members, network).per_dimension, found.after.per_dimension


def _exchanged(n: int) -> Iterator[Any]:
    """Products of exchanges [edelman]: conditional ones, of pairs of bits, triangular factors."""
    for c in _lccs(n, 8):
        A = c.A
        orders = exchange_orders(A)
        assert orders.count == len({*orders})
        yield orders.count, [*orders][:3]
        factors, pairs = exchanges_and_pairs(A)
        assert product_of_exchanges(pairs, n).A @ factors.product() == A
        yield factors.order, factors.rows, factors.complements, pairs
        for order in [*orders][:2]:
            made = exchange_factors(c, order)
            assert made.movement.ends.tolist() == destinations_of(c).tolist()
            yield made.order, made.rows, made.complements, made.movement.loads
            pipe = pipelined_exchanges(made, 3, skip_idle=True)
            assert pipe.delivered
            yield pipe.swaps, pipe.crossing.tolist(), pipe.utilisation, pipe.busiest
        for pivoting in ("first", "last"):
            found = plu_factors(A, pivoting)
            assert found.product() == A
            yield str(found)
        for found in (bruhat_factors(A), exchanges_then_permutation(A)):
            assert found.product() == A
            yield str(found)
        try:
            yield str(reordered_lu_factors(A))
        except InputError as error:
            yield str(error)


def _bits(n: int) -> Iterator[Any]:
    """Permutations of bits as products of exchanges of two [edelman]."""
    draw = random.Random(n)
    for order in [*permutations(range(n))][:: max(1, factorial(n) // 12)]:
        P = GF2Matrix.from_order(order)
        targets = targets_of(P)
        first, second = bit_exchanges(P)
        assert second.A @ first.A == P
        for one in (first, second):
            independent = independent_exchanges(one)
            assert product_of_exchanges(independent, n) == one
            yield independent, dimension_loads(independent, n)
        yield targets, cycles_of(targets), local_exchanges(P, draw.randrange(n))
        every = [*elementary_factorizations(P)]
        assert all(product_of_exchanges(one, n).A == P for one in every)
        assert len(every) == count_elementary_factorizations(P)
        yield every[:4], len(every)
    for i, j in combinations(range(n), 2):
        yield str(shuffle_factors(i, j, n))


def _self_routed(n: int) -> Iterator[Any]:
    """Algorithm HL in every reading [boppana, section 2.3]; tags that arrive are at home."""
    rng = np.random.default_rng(n)
    some = [*(destinations_of(c) for c in _lccs(n, 3)), *(rng.permutation(1 << n) for _ in "abc")]
    some.append(random_partitioned(n, 3).destinations)
    for destinations in some:
        for mode, readings in READINGS.items():
            for reading in readings:
                for variant in ("lsb", "msb"):
                    routed = self_route(destinations, mode=mode, reading=reading, variant=variant)
                    home = all(
                        set(row) <= {u, -1} for u, row in enumerate(routed.tags[-1].tolist())
                    )
                    assert routed.delivered == home
                    yield routed.bits, routed.states, routed.order, str(routed.failure)
                    yield routed.tags.tolist(), routed.moved.tolist(), routed.table
                    if routed.delivered:
                        found = circuits(routed)
                        yield found.disjoint, [found.path(x) for x in range(1 << n)]


def _partitioned(n: int) -> Iterator[Any]:
    """Least divisions, networks of switches and their settings [boppana, section 3.3]."""
    rng = np.random.default_rng(n)
    for seed in range(4):
        tree = random_partitioned(n, seed)
        found = partition_tree(tree.destinations)
        assert found is not None
        assert found.is_least
        assert found.destinations.tolist() == tree.destinations.tolist()
        yield [*map(str, found.parts())], tree.depth, found.depth, found.starts.tolist()
        for network in (
            BenesNetwork.random(n, seed), BenesNetwork.constant(n),
            BenesNetwork.constant(n, [*range(n)][::-1]),
        ):  # fmt: skip
            for destinations in (tree.destinations, rng.permutation(1 << n)):
                yield network.dimensions.tolist(), network.is_nested, network.is_constant
                try:
                    settings = switch_settings(destinations, network)
                except InputError as error:
                    yield str(error)
                    continue
                assert settings.destinations.tolist() == destinations.tolist()
                yield settings.crossed.tolist()
            yield [network.pairs(stage) for stage in range(1, network.stages + 1)]


def _on_meshes(n: int) -> Iterator[Any]:
    """Passes on a SIMD mesh [sibeyn], and all methods side by side; what is moved arrives."""
    for word in MESHES[n]:
        network = parse_network(word)
        for c in _lccs(n, 3):
            for name in NUMBERINGS if not word.startswith("torus") else ():
                plan = simd_mesh_route(c, name, name == "row-major", network)
                assert plan.delivered
                yield str(plan.operations), plan.order, plan.steps, plan.saved, plan.cycles
                yield [str(row) for row in plan.table()]
            compared = compare(c, network)
            for key, routed in compared.items():
                if routed.movement is not None:
                    assert routed.delivered == (
                        routed.movement.ends.tolist() == destinations_of(c).tolist()
                    )
                    yield routed.rounds, routed.busiest, routed.hops, routed.buffers, routed.price
                    yield routed.contention_free, routed.follows_lattice, routed.steps
                yield key, routed.order, routed.reason if hasattr(routed, "reason") else ""
            yield [*with_reordering(compared)]


def _programs(n: int) -> Iterator[Any]:
    """Orders without contention, each counted [boppana, Theorem 1], and programs for launchers."""
    for c in _lccs(n, 5):
        orders = [*correction_orders(c)]
        assert len(orders) == count_correction_orders(c)
        yield orders[:5], len(orders)
    for c in _lccs(n, 2, singular=True):
        found = optimal_linear_mapping(c, Hypercube(n))
        for listed in (1, 1 << n):
            yield spmd_program(c, to_physical=found.to_physical, listed=listed)


PIECES: dict[str, Callable[[int], Iterator[Any]]] = {
    "mapped": _mapped,
    "exchanged": _exchanged,
    "bits": _bits,
    "self-routed": _self_routed,
    "partitioned": _partitioned,
    "on meshes": _on_meshes,
    "programs": _programs,
}
CASES = tuple(f"{piece} | {n}" for piece in PIECES for n in SIZES)


def facts(case: str) -> str:
    """How many answers there are, and a digest of them."""
    piece, n = case.split(" | ")
    return digest(PIECES[piece](int(n)))
