"""Every solver against brute force: all cases of n <= 3, samples above."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.errors import CommunicationError, InputError, NetworkError, SizeLimitError
from lccmodel.lattice.subset import SubsetProgramme
from lccmodel.network import BristledHypercube, Hypercube, Mesh
from lccmodel.placement.contention import contention
from lccmodel.placement.mapping import optimal_linear_mapping, optimal_reordering
from lccmodel.placement.mapping.walks import contention_free_order
from tests.bridges import check_bridge
from tests.walking import (
    walked_degree,
)

NETWORKS = [Hypercube, BristledHypercube]


def order_degree(c: LCC, order: tuple[int, ...], bristled: bool) -> int:
    return walked_degree(c, order[1:], order[:1]) if bristled else walked_degree(c, order)


@pytest.mark.parametrize(
    ("bridge", "n", "most"),
    [
        *product(("reordering", "linear"), (1, 2), (64,)),
        *product(("reordering", "linear"), (3,), (40,)),
        ("reordering", 4, 40),
        *(pytest.param(name, 3, 4096, marks=pytest.mark.slow) for name in ("reordering", "linear")),
        *product(("programme",), range(1, 5), (30,)),
        pytest.param("programme", 5, 30, marks=pytest.mark.slow),
    ],
)
def test_a_mapping_is_the_least_of_all(bridge: str, n: int, most: int) -> None:
    """Theorems 4 to 6 and 8, Corollary 2, Lemmas 4 to 7 as amended: all orders, all Q, walked."""
    check_bridge(bridge, n, most)


@pytest.mark.parametrize("rank_left", [0, 1, 2])
@pytest.mark.parametrize("kind", ["any", "scatter"])
def test_linear_mapping_of_larger_matrices_meets_its_bound(rank_left: int, kind: str) -> None:
    """Lemmas 5 and 7 and Theorem 8 for n = 9: the bound of all Q is met, and seen by walking."""
    rng = np.random.default_rng(rank_left)
    n = 9
    left = rng.integers(0, 2, (n, n - rank_left))
    A = GF2Matrix(left @ rng.integers(0, 2, (n - rank_left, n)) % 2)
    c = (LCC if kind == "any" else LCC.scatter)(A, rng.integers(0, 2, n))
    m = optimal_linear_mapping(c, BristledHypercube(n))
    assert m.after[0] == contention(c.reordered(m.Q), BristledHypercube(n), "formula")
    walked = contention(c.reordered(m.Q), BristledHypercube(n), "walk")
    assert walked.degree == m.after.degree == m.lower_bound


@pytest.mark.parametrize("network", NETWORKS)
def test_no_member_can_do_better_without_another_doing_worse(network: type) -> None:
    """The answer to max-max is Pareto-optimal in the members' degrees, over all n! orders."""
    rng = np.random.default_rng(29)
    bristled = network is BristledHypercube
    improvable = 0
    for n in (3, 4, 4, 4, 5):
        members = [
            LCC(GF2Matrix((rng.random((n, n)) < 0.45).astype(int)), rng.integers(0, 2, n))
            for _ in range(3)
        ]
        m = optimal_reordering(members, network(n))
        reached = [c.degree for c in m.after]
        for order in permutations(range(n)):
            other = [order_degree(c, order, bristled) for c in members]
            assert max(other) >= max(reached)
            assert other == reached or any(a > b for a, b in zip(other, reached, strict=True))
            improvable += max(other) == max(reached) and other != reached
    assert improvable > 0


def test_the_search_for_degree_one_agrees_with_the_subset_programme() -> None:
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
            assert back is not None
            scattered = LCC.scatter(c.A, c.b).reordered(back)
            assert contention(scattered, BristledHypercube(n), "walk").degree <= 1
        least = min(SubsetProgramme((c,), (1,), "max-max", (z,)).optimum for z in range(n))
        assert final
        assert (order is not None) == (least <= 1)
        if order is not None:
            assert walked_degree(c, order[1:], order[:1]) <= 1
        answers.add(order is None)
    assert answers == {True, False}


def test_identity_moves_nothing() -> None:
    """T = 0 where the print's Theorem 3 would ask for 1/2."""
    for network in (Hypercube(3), BristledHypercube(3)):
        for solve in (optimal_reordering, optimal_linear_mapping):
            m = solve(LCC(GF2Matrix.identity(3)), network)
            assert (m.before.degree, m.after.degree, m.lower_bound) == (0, 0, 0)
            assert m.order == (0, 1, 2)


def test_one_moving_bit_hides_in_the_router() -> None:
    c = LCC(GF2Matrix.identity(4), [0, 0, 1, 0])
    m = optimal_reordering(c, BristledHypercube(4))
    assert (m.before.degree, m.after.degree, m.order[0], m.optimal) == (2, 0, 2, True)


def test_a_transvection_hides_in_the_router_by_a_linear_mapping() -> None:
    """Lemma 7 gives degree 1 here; A = I + v w^t needs none."""
    A = GF2Matrix([[1, 0, 1, 0], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    m = optimal_linear_mapping(LCC(A, [1, 1, 0, 0]), BristledHypercube(4))
    assert m.after.degree == 0
    assert m.order is None


def test_mapping_arrays_are_inverse_and_follow_Q() -> None:
    c = LCC(GF2Matrix.from_order([2, 0, 1]))
    m = optimal_reordering(c, Hypercube(3))
    x = np.arange(8)
    assert np.array_equal(m.to_virtual[m.to_physical], x)
    for v in range(8):
        expected = sum((v >> old & 1) << new for new, old in enumerate(m.order))
        assert m.to_physical[v] == expected
    (mapped,) = m.mapped
    renamed = {(int(m.to_physical[s]), int(m.to_physical[d])) for s, d in c.pairs()}
    assert renamed == {(int(s), int(d)) for s, d in mapped.pairs()}


def test_sixty_four_bits() -> None:
    n = 64
    rng = np.random.default_rng(1)
    reverse = LCC(GF2Matrix.from_order(range(n - 1, -1, -1)))
    m = optimal_reordering(reverse, Hypercube(n))
    assert (m.before.degree, m.after.degree) == (2**31, 1)
    assert m.optimal
    b = optimal_reordering(reverse, BristledHypercube(n))
    assert (b.after.degree, b.optimal) == (2, True)
    left = rng.integers(0, 2, (n, n - 3))
    gather = LCC(GF2Matrix(left @ rng.integers(0, 2, (n - 3, n)) % 2))
    g = optimal_reordering(gather, Hypercube(n))
    assert g.after.degree == g.lower_bound == 2 ** (n - 1 - gather.rank)
    lin = optimal_linear_mapping(LCC(reverse.A, [1] * n), BristledHypercube(n))
    assert (lin.after.degree, lin.optimal) == (1, True)


@pytest.mark.parametrize(
    "weights",
    [
        [0.1, 0.2],
        np.array([0.1, 0.2]),
        np.array([0.1, 0.2], dtype=np.float32),
        [np.float64(0.1), Decimal("0.2")],
        (weight for weight in (0.1, Fraction(1, 5))),
    ],
)
def test_weights_mean_the_decimals_they_print_as(weights: object) -> None:
    c = LCC(GF2Matrix.from_order([1, 0]))
    m = optimal_reordering([c, c], Hypercube(2), "max-sum", weights=weights)
    assert m.value_after == Fraction(3, 10)
    assert not any(isinstance(weight, np.generic) for weight in m.weights)


def test_a_weight_does_not_hide_that_a_search_was_exhaustive() -> None:
    """The float 2 * 0.1 is not 1/5, so degrees are compared, not weighted loads."""
    n = 30
    reverse = LCC(GF2Matrix.from_order(range(n - 1, -1, -1)))
    m = optimal_reordering(reverse, BristledHypercube(n), weights=[0.1])
    assert (m.after.degree, m.optimal) == (2, True)


@pytest.mark.parametrize("network", NETWORKS)
def test_a_list_of_one_is_solved_as_the_one(network: type) -> None:
    n = 30
    reverse = LCC(GF2Matrix.from_order(range(n - 1, -1, -1)))
    alone, listed = (optimal_reordering(cs, network(n)) for cs in (reverse, [reverse]))
    assert (listed.order, listed.proof) == (alone.order, alone.proof)
    assert listed.after[0] == alone.after[0]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda c: optimal_reordering(c, Hypercube(4)), NetworkError, "2^3 nodes"),
        (lambda c: optimal_reordering(c, Mesh((2, 4))), NetworkError, "must be a Hypercube"),
        (lambda c: optimal_reordering(c, 3), NetworkError, "must be a network"),
        (lambda c: optimal_reordering([], Hypercube(3)), CommunicationError, "one LCC or several"),
        (lambda c: optimal_reordering(c, Hypercube(3), "min"), InputError, "max-max"),
        (lambda c: optimal_reordering([c], Hypercube(3), weights=[0]), InputError, "positive"),
        (lambda c: optimal_reordering([c], Hypercube(3), weights=[1, 2]), InputError, "1 numbers"),
        (lambda c: optimal_reordering([c], Hypercube(3), weights=2), InputError, "numbers"),
        (lambda c: optimal_reordering([c], Hypercube(3), weights="2"), InputError, "positive"),
        (lambda c: optimal_reordering([c], Hypercube(3), np.ones(1)), InputError, "objective"),
        (lambda c: optimal_reordering(None, Hypercube(3)), CommunicationError, "an LCC"),
        (lambda c: optimal_reordering(Hypercube(3), c), NetworkError, "must be a network"),
        (
            lambda c: optimal_reordering([c], Hypercube(3), weights=[float("nan")]),
            InputError,
            "positive finite",
        ),
        (lambda c: optimal_linear_mapping([c], Hypercube(3)), CommunicationError, "one LCC"),
    ],
)
def test_bad_input(call: object, error: type[Exception], words: str) -> None:
    c = LCC(GF2Matrix.from_order([2, 0, 1]))
    with pytest.raises(error) as caught:
        call(c)
    assert words in str(caught.value)


def test_a_set_too_large_for_the_subset_programme_is_refused() -> None:
    n = 27
    reverse = LCC(GF2Matrix.from_order(range(n - 1, -1, -1)))
    shift = LCC(GF2Matrix.from_order([*range(1, n), 0]))
    with pytest.raises(SizeLimitError, match="26 bits"):
        optimal_reordering([reverse, shift], Hypercube(n))


def test_a_constructed_order_that_settles_all_members_is_taken_beyond_the_programme() -> None:
    """The natural order meets the bound of the gather alone; the transpose needs its own order."""
    n = 30
    gather = LCC([[int(i == j < n // 2) for j in range(n)] for i in range(n)])
    transpose = LCC(GF2Matrix.from_order([*range(n // 2, n), *range(n // 2)]))
    m = optimal_reordering([gather, transpose], Hypercube(n))
    assert [c.degree for c in m.before] == [2**14, 2**14]
    assert [c.degree for c in m.after] == [2**14, 1]
    assert m.optimal
