"""Every solver against brute force: all cases of n <= 3, samples above."""

from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.errors import CommunicationError, InputError, NetworkError, SizeLimitError
from lccmodel.kernels.jit import in_python
from lccmodel.lattice.subset import SubsetProgramme
from lccmodel.network import BristledHypercube, Hypercube, Mesh
from lccmodel.placement.contention import contention
from lccmodel.placement.mapping import (
    lcp_iterations,
    lcp_optimizer,
    optimal_linear_mapping,
    optimal_reordering,
)
from lccmodel.placement.mapping.walks import contention_free_order
from proofs_check.claims.hou_lcp_optimizer import lcp_optimizer_states
from tests.bridges import check_bridge
from tests.choosing import slow
from tests.walking import walked_degree

NETWORKS = [Hypercube, BristledHypercube]


def reverse(n: int) -> LCC:
    return LCC(GF2Matrix.from_order(range(n - 1, -1, -1)))


@pytest.mark.parametrize(("bridge", "n", "most"), [
    *product(("reordering", "linear"), (1, 2), (64,)), ("reordering", 3, 40), ("linear", 3, 40),
    ("reordering", 4, 40), *product(("programme",), range(1, 5), (30,)),
    slow(("reordering", 3, 4096)), slow(("linear", 3, 4096)), slow(("programme", 5, 30)),
])  # fmt: skip
def test_a_mapping_is_the_least_of_all(bridge, n, most):
    """Theorems 4 to 6 and 8, Corollary 2, Lemmas 4 to 7 as amended: all orders, all Q, walked."""
    check_bridge(bridge, n, most)


@pytest.mark.parametrize("rank_left", [0, 1, 2])
@pytest.mark.parametrize("make", [LCC, LCC.scatter])
def test_linear_mapping_of_larger_matrices_meets_its_bound(rank_left, make):
    """Lemmas 5 and 7 and Theorem 8 for n = 9: the bound of all Q is met, and seen by walking."""
    rng, n = np.random.default_rng(rank_left), 9
    left = rng.integers(0, 2, (n, n - rank_left))
    A = GF2Matrix(left @ rng.integers(0, 2, (n - rank_left, n)) % 2)
    c = make(A, rng.integers(0, 2, n))
    m = optimal_linear_mapping(c, BristledHypercube(n))
    walked = contention(c.reordered(m.Q), BristledHypercube(n), "walk")
    assert m.after[0] == walked
    assert walked.degree == m.after.degree == m.lower_bound


@pytest.mark.parametrize("network", NETWORKS)
def test_no_member_can_do_better_without_another_doing_worse(network):
    """The answer to max-max is Pareto-optimal in the members' degrees, over all n! orders."""
    rng = np.random.default_rng(29)
    internal = int(network is BristledHypercube)
    improvable = 0
    for n in (3, 4, 4, 4, 5):
        members = [
            LCC(GF2Matrix((rng.random((n, n)) < 0.45).astype(int)), rng.integers(0, 2, n))
            for _ in range(3)
        ]
        reached = [c.degree for c in optimal_reordering(members, network(n)).after]
        for order in permutations(range(n)):
            other = [walked_degree(c, order[internal:], order[:internal]) for c in members]
            assert max(other) >= max(reached)
            assert other == reached or any(a > b for a, b in zip(other, reached, strict=True))
            improvable += max(other) == max(reached) and other != reached
    assert improvable > 0


def test_the_search_for_degree_one_agrees_with_the_subset_programme():
    """Two routes to the same question on a bristled hypercube, for rank >= n - 1."""
    rng = np.random.default_rng(23)
    answers = set()
    for _ in range(150):
        n = int(rng.integers(2, 6))
        c = LCC(GF2Matrix((rng.random((n, n)) < 0.4).astype(int)), rng.integers(0, 2, n))
        if c.rank < n - 1:
            continue
        order, final = contention_free_order(c)
        back, _ = contention_free_order(LCC.scatter(c.A, c.b))  # its path begins at the other end
        if order is not None:
            assert walked_degree(c, order[1:], order[:1]) <= 1
            scattered = LCC.scatter(c.A, c.b).reordered(back)
            assert contention(scattered, BristledHypercube(n), "walk").degree <= 1
        least = min(SubsetProgramme((c,), (1,), "max-max", (z,)).optimum for z in range(n))
        assert final
        assert (order is not None) == (least <= 1)
        answers.add(order is None)
    assert answers == {True, False}


def test_mapped_communications_are_those_between_physical_processors():
    c = LCC(GF2Matrix.from_order([2, 0, 1]))
    m = optimal_reordering(c, Hypercube(3))
    assert np.array_equal(m.to_virtual[m.to_physical], np.arange(8))
    (mapped,) = m.mapped
    assert {*map(tuple, m.to_physical[c.pairs()].tolist())} == {
        *map(tuple, mapped.pairs().tolist())
    }


def test_sixty_four_bits():
    n, rng = 64, np.random.default_rng(1)
    m = optimal_reordering(reverse(n), Hypercube(n))
    assert (m.before.degree, m.after.degree, m.optimal) == (2**31, 1, True)
    bristled = optimal_reordering(reverse(n), BristledHypercube(n))
    assert (bristled.after.degree, bristled.optimal) == (2, True)
    left = rng.integers(0, 2, (n, n - 3))
    gather = LCC(GF2Matrix(left @ rng.integers(0, 2, (n - 3, n)) % 2))
    gathered = optimal_reordering(gather, Hypercube(n))
    assert gathered.after.degree == gathered.lower_bound == 2 ** (n - 1 - gather.rank)
    linear = optimal_linear_mapping(LCC(reverse(n).A, [1] * n), BristledHypercube(n))
    assert (linear.after.degree, linear.optimal) == (1, True)


@pytest.mark.parametrize("weights", [
    [0.1, 0.2], np.array([0.1, 0.2]), np.array([0.1, 0.2], dtype=np.float32),
    [np.float64(0.1), Decimal("0.2")], (weight for weight in (0.1, Fraction(1, 5))),
])  # fmt: skip
def test_weights_mean_the_decimals_they_print_as(weights):
    c = LCC(GF2Matrix.from_order([1, 0]))
    m = optimal_reordering([c, c], Hypercube(2), "max-sum", weights=weights)
    assert m.value_after == Fraction(3, 10)
    assert not any(isinstance(weight, np.generic) for weight in m.weights)


@pytest.mark.parametrize(("network", "degree"), [(Hypercube, 1), (BristledHypercube, 2)])
def test_a_list_of_one_is_solved_as_the_one_whatever_its_weight(network, degree):
    """The float 2 * 0.1 is not 1/5, so degrees are compared, not weighted loads."""
    alone, listed, weighted = (
        optimal_reordering(cs, network(30), weights=weights)
        for cs, weights in ((reverse(30), None), ([reverse(30)], None), (reverse(30), [0.1]))
    )
    assert (alone.after.degree, alone.optimal) == (degree, True)
    assert (listed.order, listed.proof) == (alone.order, alone.proof)
    assert listed.after[0] == alone.after[0]
    assert (weighted.after.degree, weighted.optimal) == (degree, True)


SHIFT = LCC(GF2Matrix.from_order([2, 0, 1]))


@pytest.mark.parametrize(("communications", "network", "options", "error", "words"), [
    (SHIFT, Hypercube(4), {}, NetworkError, "2^3 nodes"),
    (SHIFT, Mesh((2, 4)), {}, NetworkError, "must be a Hypercube"),
    (SHIFT, 3, {}, NetworkError, "must be a network"),
    ([], Hypercube(3), {}, CommunicationError, "one LCC or several"),
    (None, Hypercube(3), {}, CommunicationError, "an LCC"),
    (Hypercube(3), SHIFT, {}, NetworkError, "must be a network"),
    (SHIFT, Hypercube(3), {"objective": "min"}, InputError, "max-max"),
    ([SHIFT], Hypercube(3), {"objective": np.ones(1)}, InputError, "objective"),
    *(([SHIFT], Hypercube(3), {"weights": weights}, InputError, words) for weights, words in (
        ([0], "positive"), ([1, 2], "1 numbers"), (2, "numbers"), ("2", "positive"),
        ([float("nan")], "positive finite"),
    )),
    ([reverse(27), LCC(GF2Matrix.from_order([*range(1, 27), 0]))], Hypercube(27), {},
     SizeLimitError, "26 bits"),
])  # fmt: skip
def test_refusals(communications, network, options, error, words):
    with pytest.raises(error) as caught:
        optimal_reordering(communications, network, **options)
    assert words in str(caught.value)


def test_a_linear_mapping_is_of_one_communication():
    with pytest.raises(CommunicationError, match="one LCC"):
        optimal_linear_mapping([SHIFT], Hypercube(3))


def test_a_constructed_order_that_settles_all_members_is_taken_beyond_the_programme():
    """The natural order meets the bound of the gather alone; the transpose needs its own order."""
    n = 30
    gather = LCC([[int(i == j < n // 2) for j in range(n)] for i in range(n)])
    transpose = LCC(GF2Matrix.from_order([*range(n // 2, n), *range(n // 2)]))
    m = optimal_reordering([gather, transpose], Hypercube(n))
    assert [c.degree for c in m.before] == [2**14, 2**14]
    assert [c.degree for c in m.after] == [2**14, 1]
    assert m.optimal


# -- LCP_Optimizer -------------------------------------------------------------------------------


def test_the_trace_is_that_of_the_swapping_program():
    """The same order, D and V as Fig. 3 with its row and column swaps; R marks rows of pivots."""
    rng = np.random.default_rng(8)
    swapped = 0
    for _ in range(200):
        n = int(rng.integers(2, 9))
        A = GF2Matrix(rng.integers(0, 2, (n, n)))
        if A.rank < n:
            continue
        with in_python():
            Ds, Vs, Q = lcp_optimizer_states(A)
        trace = lcp_iterations(LCC(A))
        last, V = trace[-1], Vs[-1].tolist()
        assert last.order == lcp_optimizer(LCC(A)) == Q.as_order()
        assert LCC(A).reordered(last.order).A == Ds[-1]
        assert GF2Matrix.from_rows(last.V, n).tolist() == V
        assert last.marked == tuple(k for k in range(n) if any(V[k][: n - 1]))
        assert [step.i for step in trace] == list(range(n - 1))
        now = list(range(n))
        for step in trace:  # the swaps that are named, and no others, make the orders
            if step.swapped is not None:
                first, second = step.swapped
                now[first], now[second] = now[second], now[first]
            assert tuple(now) == step.order
        swapped += sum(step.swapped is not None for step in trace)
    assert swapped > 20


def test_contention_free_permutations_keep_their_order():
    for n in (1, 4, 64):
        assert lcp_optimizer(LCC(GF2Matrix.identity(n))) == tuple(range(n))
    assert lcp_iterations(LCC([[1]], [1])) == ()


def test_a_gather_is_refused():
    with pytest.raises(CommunicationError, match="optimal_reordering takes every kind"):
        lcp_optimizer(LCC([[0, 1], [0, 0]]))
