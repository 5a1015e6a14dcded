"""lattice.*: walks, counts and orders against single messages and the library.

occupancy(S) = 2^(|S| - rank A_(S,S)), load(S, j) = 2^(|S| - rank A_(S+j,S)).
"""

import random

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.permutations.self_routing import self_route
from lccmodel.permutations.simd_mesh import decompose
from lccmodel.placement.contention_free_orders import contention_free_walk, ranks_of_a_permutation
from lccmodel.placement.mapping import lcp_optimizer
from proofs_check import stations
from proofs_check.claims import boppana_hl, lattice_hl, lattice_loads, lattice_sibeyn
from proofs_check.claims.hou_lcp_optimizer import lcp_optimizer_order
from proofs_check.claims.lattice_count import free_for_vector, free_matrices, free_pairs
from proofs_check.domain import PAIRS, AllMatrices
from proofs_check.registry import get_claim
from proofs_check.stations import crossed_channels, held_by_nodes, messages
from proofs_check.walk import contention
from tests.proofs_check.scratch import random_permutations, stations_tables

uncompiled = pytest.mark.usefixtures("uncompiled")


def _subsets(bits):
    return [[k for i, k in enumerate(bits) if m >> i & 1] for m in range(1 << len(bits))]


@uncompiled
@pytest.mark.parametrize("scatter", [False, True])
@pytest.mark.parametrize("inside", [0, 1, 0b110])
def test_walking_sets_counts_what_walking_single_messages_counts(scatter, inside):
    n = 4
    rng = random.Random(7)
    scratch, occupied, crossing = stations_tables(n)
    for index in [0, *(rng.randrange(PAIRS.span(n)) for _ in range(25))]:
        A, b = PAIRS.case(n, index)
        pairs = messages(A, int(b), scatter)
        rows = np.array(A.rows)
        stations.walk_subsets(n, rows, int(b), scatter, inside, scratch, occupied, crossing)
        external = [k for k in range(n) if not inside >> k & 1]
        for S in _subsets(external):
            mask = sum(1 << k for k in S)
            held = held_by_nodes(pairs, S, inside).values()
            assert occupied[mask].tolist() == [min(held), max(held)]
            for j in set(external) - set(S):
                loads = crossed_channels(pairs, S, j, inside).values() or [0]
                assert crossing[0, mask, j].tolist() == [min(loads), max(loads)]


@uncompiled
def test_a_translated_check_finds_the_same_least_failing_pair(monkeypatch):
    """What is done from n = 5 on, done at n = 3: the same verdict for right and wrong formulas."""
    rng = random.Random(10)
    starts = [rng.randrange(4096 - 300) for _ in range(2)]
    for translated in (False, True):
        monkeypatch.setattr(lattice_loads, "by_translation", lambda n, t=translated: t)
        found = [
            get_claim(f"lattice.{name}").check(3, s, s + 300, rows_less=rows_less).failing
            for s in starts
            for name in ("occupancy", "load")
            for rows_less in (False, True)
        ]
        if not translated:
            expected = found
    assert found == expected
    assert {failing is None for failing in found} == {True, False}


# -- HL ---------------------------------------------------------------------------------------


@uncompiled
@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 6), (3, 40), (4, 40), (6, 10)])
def test_hl_in_a_kernel_takes_the_bits_that_the_library_takes(n, count):
    """[boppana, Algorithm HL], on tags in both; what nodes hold is held against lists elsewhere."""
    for A, b in random_permutations(n, count):
        order = np.empty(n, np.int64)
        tags = np.array([y for _, y in messages(A, b)])
        assert boppana_hl.run_in_order(n, tags, False, order) <= 1
        assert tuple(order) == self_route(LCC(A, b)).order


# -- Sibeyn -----------------------------------------------------------------------------------


@uncompiled
@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 6), (3, 40), (4, 40), (6, 15)])
def test_the_decomposition_in_a_kernel_is_the_library_s(n, count):
    """[sibeyn, (1)]: B A B⁻¹ = EΓ(0) ... EΓ(n-1) VL(n-1) ... VL(0)."""
    for A, _ in random_permutations(n, count):
        found = decompose(LCC(A))
        bits, flags = np.zeros((2, n), np.int64)
        taken, offered = np.zeros((2, n + 1), np.int64)
        assert lattice_sibeyn.decompose(n, np.array(A.rows), taken, offered, bits, flags) >= 0
        assert GF2Matrix.from_order(bits.tolist()) == found.B
        assert tuple(np.flatnonzero(flags)) == found.exchanged


@uncompiled
def test_an_order_is_measured_as_single_messages_meet():
    """along_order against held_by_nodes and crossed_channels, step by step."""
    n, rng, tables = 4, random.Random(3), stations_tables(4)
    for _ in range(30):
        (A,) = AllMatrices().case(n, rng.randrange(1 << n * n))
        b, order = rng.randrange(1 << n), rng.sample(range(n), n)
        stations.walk_subsets(n, np.array(A.rows), b, False, 0, *tables)
        pairs = messages(A, b)
        held = load = agreeing = 0
        for k, j in enumerate(order):
            held = max(held, *held_by_nodes(pairs, order[: k + 1]).values())
            if crossing := crossed_channels(pairs, order[:k], j):
                load = max(load, *crossing.values())
                for side in (0, 1):
                    same = [(x, y) for x, y in pairs if y >> j & 1 == side]
                    agreeing = max([agreeing, *held_by_nodes(same, order[:k]).values()])
        assert stations.along_order(np.array(order), 0, *tables[1:]) == (held, load, agreeing)


def hl_order(c, variant="lsb"):
    """The first bit, from the least significant one, whose channels carry one message at most."""
    ranks = ranks_of_a_permutation(c, "must be a permutation")
    bits = ranks.bits if variant == "lsb" else ranks.bits[::-1]
    return contention_free_walk(ranks, bits, swap=False)


@uncompiled
def test_the_greedy_walk_gives_both_orders():
    """The library's walk takes ranks, the checker's counts messages; both changing places fails."""
    A = GF2Matrix([[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0]])
    ranks = ranks_of_a_permutation(LCC(A), "must be a permutation")
    swapped, moved = (contention_free_walk(ranks, ranks.bits, swap=swap) for swap in (True, False))
    found = lattice_hl.lcp_hl.check(A, walk=True)
    assert found
    assert (found.details["swap"], found.details["rotate"]) == (swapped, moved)
    assert (swapped, moved) == ((0, 3, 2, 1), (0, 3, 1, 2))
    assert not lattice_hl.lcp_hl.check(A)
    assert not lattice_hl.lcp_hl.check(A, walk=True, both_swap=True)


@uncompiled
def test_the_library_walks_as_the_checker_does():
    """Random nonsingular matrices of five bits; HL also by its own tags."""
    rng = np.random.default_rng(31)
    seen = 0
    while seen < 40:
        A = GF2Matrix(rng.integers(0, 2, (5, 5)))
        if A.rank < 5:
            continue
        seen += 1
        c = LCC(A, rng.integers(0, 2, 5))
        assert lcp_optimizer(c) == lcp_optimizer_order(A) == decompose(c).bits
        assert hl_order(c) == tuple(lattice_hl._hl_order(A)) == self_route(c).order
        assert hl_order(c, "msb") == self_route(c, variant="msb").order


@pytest.mark.parametrize("n", [1, 2, 3])
def test_kernels_count_what_walking_single_messages_counts(n):
    """free_matrices, free_for_vector and free_pairs against route and channel_loads."""
    free = dict.fromkeys(range(1 << n), 0)
    whatever_b = 0
    for (A,) in (case for _, case in AllMatrices().cases(n, 0, 1 << n * n)):
        good = [b for b in free if max(contention(messages(A, b), range(n))) <= 1]
        for b in good:
            free[b] += 1
        whatever_b += len(good) == 1 << n
    assert whatever_b == free_matrices(n) == free[(1 << n) - 1]
    assert free == {b: free_for_vector(n, b) for b in free}
    assert free_pairs(n) == sum(free.values())


def test_pairs_are_the_sum_over_all_vectors():
    """lattice.count.pairs and lattice.count.vector, two sums of their own."""
    for n in range(1, 9):
        assert free_pairs(n) == sum(free_for_vector(n, b) for b in range(1 << n))
