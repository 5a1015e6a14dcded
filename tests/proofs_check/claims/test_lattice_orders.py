"""lattice.edelman, lattice.hl, lattice.sibeyn: first cases, and slow plain versions.

[edelman, Theorem 3.1], [boppana, Algorithm HL], [sibeyn, (1)].
"""

import itertools
import random

import numpy as np
import pytest

import proofs_check
from lccmodel.communication.lcc import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.permutations.self_routing import self_route
from lccmodel.permutations.simd_mesh import decompose
from proofs_check import get_claim, stations
from proofs_check.claim import PRINTED
from proofs_check.claims import boppana_hl, edelman_exchanges, lattice_sibeyn
from proofs_check.domain import AllMatrices
from proofs_check.stations import crossed_channels, held_by_nodes, messages
from tests.proofs_check.scratch import random_permutations, stations_tables


def test_an_exchange_of_two_bits_is_the_first_case_without_conditional_exchanges():
    claim = get_claim("lattice.edelman.converse")
    assert claim.examine(PRINTED, 1, 0, claim.domain.span(1)).failing is None
    index = claim.examine(PRINTED, 2, 0, claim.domain.span(2)).failing
    A, b = claim.domain.case(2, index)
    assert (A.tolist(), int(b)) == ([[0, 1], [1, 0]], 0)


@pytest.mark.slow
def test_the_order_of_state_a_meets_contention():
    """What makes the control of HL fail: two messages cross one channel of dimension 1."""
    found = proofs_check.check("lattice.hl", max_n=3).control.counterexample
    assert found.case == {"A": [[0, 1, 1], [0, 0, 1], [1, 1, 1]], "b": [1, 1, 1]}
    assert found.details["load"] == [1, 2, 1]


# -- conditional exchanges --------------------------------------------------------------------


def _exchange(k, row, n):
    return GF2Matrix.from_rows([row if i == k else 1 << i for i in range(n)], n)


def _plain_products(n, order):
    """All E(k_n) ... E(k_1), multiplied with the library's matrices."""
    choices = [[row for row in range(1 << n) if row >> k & 1] for k in range(n)]
    found = set()
    for rows in itertools.product(*(choices[k] for k in order)):
        A = GF2Matrix.identity(n)
        for k, row in zip(order, rows, strict=True):
            A = _exchange(k, row, n) @ A
        found.add(A)
    return found


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_products_of_conditional_exchanges_are_found_by_elimination_and_by_multiplying(order):
    """[edelman, Theorem 3.1, Corollary 3.2]: 2^(n(n-1)) different products in every order."""
    n = 3
    wanted = _plain_products(n, order)
    assert len(wanted) == 1 << n * (n - 1)
    position = list(itertools.permutations(range(n))).index(order)
    multiplied = edelman_exchanges.products(n)[position]
    for code, (A,) in AllMatrices().cases(n, 0, 512):
        work = np.empty(n, np.int64)
        ends = edelman_exchanges.eliminates(n, np.array(A.rows), np.array(order), work)
        assert (A in wanted) == ends == multiplied[code]


# -- HL ---------------------------------------------------------------------------------------


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 6), (3, 40), (4, 40), (6, 10)])
def test_hl_in_a_kernel_takes_the_bits_that_the_library_takes(n, count):
    """[boppana, Algorithm HL], on tags in both; what nodes hold is held against lists elsewhere."""
    for A, b in random_permutations(n, count):
        order = np.empty(n, np.int64)
        tags = np.array([y for _, y in messages(A, b)])
        assert boppana_hl.run_in_order(n, tags, False, order) <= 1
        assert tuple(order) == self_route(LCC(A, b)).order


# -- Sibeyn -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("uncompiled")
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


def test_the_passes_of_a_cycle_end_with_its_first_bit():
    """[sibeyn, ECBCsRoute]: EC(k l) corrects k+1, ..., l, k."""
    order = np.empty(6, np.int64)
    exchanged = np.array([0, 1, 1, 0, 1, 0])  # cycles from 1 to 3 and from 4 to 5
    bits = np.arange(6)
    passes, ascending = lattice_sibeyn.PASSES, lattice_sibeyn.ASCENDING
    lattice_sibeyn.correction_order(6, bits, exchanged, passes, False, order)
    assert order.tolist() == [0, 2, 3, 1, 5, 4]
    lattice_sibeyn.correction_order(6, bits[::-1].copy(), exchanged, ascending, False, order)
    assert order.tolist() == [5, 4, 3, 2, 1, 0]


@pytest.mark.usefixtures("uncompiled")
def test_an_order_is_measured_as_single_messages_meet():
    """along_order against held_by_nodes and crossed_channels."""
    n = 4
    rng = random.Random(3)
    tables = stations_tables(n)
    for _ in range(30):
        (A,) = AllMatrices().case(n, rng.randrange(1 << n * n))
        b = rng.randrange(1 << n)
        order = rng.sample(range(n), n)
        stations.walk_subsets(n, np.array(A.rows), b, False, 0, *tables)
        held, load, agreeing = stations.along_order(np.array(order), 0, *tables[1:])
        pairs = messages(A, b)
        prefixes = [order[:k] for k in range(n)]
        assert held == max(max(held_by_nodes(pairs, order[: k + 1]).values()) for k in range(n))
        loads = [crossed_channels(pairs, S, order[len(S)]) for S in prefixes]
        assert load == max(max(step.values(), default=0) for step in loads)
        agree = 0
        for S, step in zip(prefixes, loads, strict=True):
            j = order[len(S)]
            if step:
                for side in (0, 1):
                    some = [(x, y) for x, y in pairs if y >> j & 1 == side]
                    agree = max([agree, *held_by_nodes(some, S).values()])
        assert agreeing == agree
