"""Conditional exchanges and their orders, against walks, products and principal minors.

[edelman, Theorem 3.1, Corollaries 3.1 and 3.2].
"""

import itertools
import math
import pickle
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.communication.destinations import destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.communication.permutations import bit_reverse, identity, translation
from lccmodel.errors import (
    CommunicationError,
    InputError,
    MatrixError,
    NotFactorable,
    SizeLimitError,
)
from lccmodel.gf2.enumeration import random_nonsingular
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.movement import Movement
from lccmodel.permutations.exchanges import exchange_factors, exchange_orders, pipelined_exchanges
from lccmodel.permutations.exchanges.conditional import ExchangeFactors
from lccmodel.permutations.exchanges.orders import ExchangeOrders, first_order
from tests.bridges import check_bridge
from tests.strategies import matrices, orders, vectors


@st.composite
def factorable(draw: st.DrawFn, n: int) -> tuple[LCC, tuple[int, ...]]:
    """A product of conditional exchanges in an order, with a vector."""
    order = draw(orders(n))
    A = GF2Matrix.identity(n)
    for k in order:
        rows = [1 << i for i in range(n)]
        rows[k] |= draw(vectors(n))
        A = GF2Matrix.from_rows(rows, n) @ A
    return LCC(A, draw(vectors(n))), order


# -- factors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3])
def test_exchanges_perform_the_affine_map_with_one_message_in_a_node(n):
    """(3.1) with b, by the conditions alone, in the orders that hold one message and no other."""
    check_bridge("exchanges", n, 60)


@given(st.integers(1, 7).flatmap(factorable))
def test_utilisation_is_what_moves(drawn):
    c, order = drawn
    factors = exchange_factors(c, order)
    assert factors.movement == Movement.along(c, order)
    used = [Fraction(m, c.size) for m in factors.movement.moves]
    assert used == [step.utilisation for step in factors.step_table()]


@given(st.integers(1, 6).flatmap(matrices), st.data())
def test_the_error_names_the_first_singular_minor(A, data):
    """Theorem 3.1 (3) and (4)."""
    order = data.draw(orders(A.n_rows))
    leading = [order[:k] for k in range(1, A.n_rows + 1)]
    singular = [S for S in leading if A.submatrix(S, S).rank < len(S)]
    if not singular:
        assert exchange_factors(A, order).product() == A
        return
    with pytest.raises(NotFactorable) as caught:
        exchange_factors(A, order)
    assert (caught.value.order, caught.value.minor) == (order, singular[0])
    assert pickle.loads(pickle.dumps(caught.value)).minor == singular[0]


@pytest.mark.parametrize(
    ("A", "advice"),
    [
        ([[0, 1], [1, 1]], r"the order \(1, 0\) works"),
        ([[0, 1], [1, 0]], "no order works, as A is a permutation matrix with a cycle"),
        ([[0, 0], [1, 0]], "no order works, as A is singular"),
        ([[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]], "as the diagonal of A is zero"),
        (
            bit_reverse(64).A,
            r"as A is a permutation matrix with a cycle; exchanges_then_permutation\(A\) does",
        ),
    ],
)
def test_the_error_says_what_would_work(A, advice):
    with pytest.raises(NotFactorable, match=advice):
        exchange_factors(A)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: exchange_factors([[1]], [1]), InputError, "each of the bits"),
        (lambda: exchange_factors([0, 2, 1, 3]), MatrixError,
         "A: must be a square matrix or an LCC; recognise"),
        (lambda: exchange_factors([[1, 0]]), MatrixError, "square"),
        (lambda: exchange_factors(LCC.scatter([[0, 1], [0, 0]])), CommunicationError, "scatter"),
        (lambda: ExchangeFactors(LCC([[1, 1], [0, 1]]), (0, 1), (1, 2)), MatrixError, "multiply"),
        (lambda: ExchangeFactors(LCC([[1, 1], [0, 1]]), (0, 1), (2, 2)), MatrixError, "diagonal"),
        (lambda: pipelined_exchanges(exchange_factors(identity(3)), 0), InputError, "at least 1"),
        (lambda: pipelined_exchanges(exchange_factors(identity(3)), 2).steady_utilisation,
         InputError, "to fill all stages"),
        (lambda: ExchangeOrders(random_nonsingular(14, np.random.default_rng(2)), 50).count,
         SizeLimitError, "Schur complements"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_degenerate_transformations():
    """Nothing moves under the identity; everything under a vector reversal."""
    still, all_move = exchange_factors(identity(3)), exchange_factors(translation(3, 7))
    assert still.movement.moves == (0, 0, 0)
    assert all_move.movement.moves == (8, 8, 8)
    assert [str(s) for s in still.step_table()] == ["never"] * 3
    assert [str(s) for s in all_move.step_table()] == ["always"] * 3
    assert exchange_factors(LCC([[1]], [1])).movement.positions.tolist() == [[0, 1], [1, 0]]


# -- orders -----------------------------------------------------------------------------------


@given(st.integers(1, 6).flatmap(matrices))
def test_orders_are_listed_counted_and_numbered_alike(A):
    """Lexicographically; which they are, the factors say."""
    found = exchange_orders(A)
    listed = list(found)
    assert listed == [t for t in itertools.permutations(range(A.n_rows)) if t in found]
    assert found.count == len(listed) == len(found)
    assert bool(found) == bool(listed)
    assert [found[k] for k in range(len(listed))] == listed
    with pytest.raises(IndexError):
        _ = found[len(listed)]


def test_large_matrices_do_not_try_n_factorial():
    """Triangular: all n! orders. Two cycles beside fixed bits: none, found at once."""
    triangular = GF2Matrix.from_rows([(1 << 64) - (1 << i) for i in range(64)], 64)
    assert exchange_orders(triangular).count == math.factorial(64)
    assert next(iter(exchange_orders(triangular))) == tuple(range(64))
    swapped = GF2Matrix.from_order([*range(62), 63, 62])
    assert not exchange_orders(swapped)
    assert "x" not in exchange_orders(swapped)
    started = time.perf_counter()
    A = random_nonsingular(64, np.random.default_rng(1))
    order = next(iter(exchange_orders(A)))
    assert exchange_factors(A, order).product() == A
    assert time.perf_counter() - started < 20  # 64! orders would not end


def test_advice_is_a_short_search():
    """It gives up after 4096 Schur complements."""
    rng = np.random.default_rng(795)
    n, density = int(rng.integers(14, 26)), rng.choice([0.08, 0.12, 0.2, 0.3])
    entries = (rng.random((n, n)) < density).astype(int)
    np.fill_diagonal(entries, rng.random(n) < rng.choice([0.2, 0.4, 0.6]))
    A = GF2Matrix(entries)
    with pytest.raises(SizeLimitError, match="more than 4096 Schur complements"):
        first_order(A)


# -- pipelines --------------------------------------------------------------------------------


def swapped(movement: Movement) -> list[list[int]]:
    """Messages across every dimension in every swap, jump by jump."""
    crossing = [[0] * movement.network.n for _ in range(movement.steps)]
    for step, row in enumerate(crossing):
        for j in range(movement.first[step], movement.first[step + 1]):
            row[int(movement.origin[j] ^ movement.target[j]).bit_length() - 1] += 1
    return crossing


@settings(max_examples=40)
@given(st.integers(1, 5).flatmap(factorable), st.integers(1, 7))
def test_pipelined_data_sets_arrive_in_m_plus_n_minus_1_swaps(drawn, m):
    factors = exchange_factors(*drawn)
    pipe = pipelined_exchanges(factors, m)
    assert pipe.delivered
    assert pipe.swaps == m + factors.n - 1
    assert pipe.busiest == max(factors.movement.loads)
    by_dimension = dict(zip(factors.order, factors.movement.moves, strict=True))
    assert pipe.crossing.sum(axis=0).tolist() == [m * by_dimension[k] for k in range(factors.n)]
    assert swapped(pipe.movement) == pipe.crossing.tolist()
    found = pipe.movement.replay("all")
    assert found.ok
    assert found.steps == pipe.swaps
    assert (pipe.movement.ends == np.tile(destinations_of(drawn[0]), m)).all()
    assert max(pipe.movement.loads) == pipe.busiest
    used = [Fraction(by_dimension[k], drawn[0].size) for k in range(factors.n)]
    if m >= factors.n:
        steady = pipe.steady_utilisation
        assert steady == sum(used) / factors.n
        assert pipe.utilisation == steady * m / (m + factors.n - 1)


def test_idle_exchanges_may_be_left_out():
    factors = exchange_factors([[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    pipe = pipelined_exchanges(factors, 4, skip_idle=True)
    assert (pipe.swaps, pipe.delivered, pipe.dimensions) == (4, True, (0,))
    assert pipe.steady_utilisation == Fraction(1, 6)
    assert swapped(pipe.movement) == pipe.crossing.tolist()
    nothing = pipelined_exchanges(exchange_factors(identity(2)), 3, skip_idle=True)
    assert (nothing.swaps, nothing.delivered, nothing.utilisation) == (0, True, 0)
