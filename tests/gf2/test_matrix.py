"""GF2Matrix, GF2Vector and single eliminations, against brute force, sympy and galois.

Products, ranks, inverses and the QAQ⁻¹ of [hou, Theorem 2].
"""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.errors import MatrixError, SingularMatrixError, SizeLimitError
from lccmodel.gf2 import GF2Matrix, GF2Vector, elimination
from tests import strategies as own
from tests.bridges import check_bridge

WIDE = [1, 31, 32, 33, 63, 64]


def brute_rank(A: GF2Matrix) -> int:
    """log2 of the number of different A x."""
    return len({A.apply(x) for x in range(1 << A.n_columns)}).bit_length() - 1


# -- algebra ------------------------------------------------------------------------------------


@given(own.matrices(st.integers(0, 6), 5))
def test_rank_is_the_size_of_the_image(A):
    """|{A x}| = 2^rank, by listing the image."""
    assert A.rank == brute_rank(A)
    assert A.T.rank == A.rank


@pytest.mark.parametrize("n", WIDE)
def test_rank_of_a_product_with_known_rank(n):
    """A matrix R D S with nonsingular R, S has the rank of D, also at the full word."""
    rng = np.random.default_rng(n)
    for rank in {0, 1, n // 2, n - 1, n}:
        D = GF2Matrix.from_rows([1 << i if i < rank else 0 for i in range(n)], n)
        lower = GF2Matrix(np.tril(rng.integers(0, 2, (n, n)), -1) | np.eye(n, dtype=int))
        upper = GF2Matrix(np.triu(rng.integers(0, 2, (n, n)), 1) | np.eye(n, dtype=int))
        A = lower @ D @ upper
        assert A.rank == rank
        assert len(A.kernel()) == n - rank
        assert A.is_nonsingular is (rank == n)


@given(own.matrices(4, 6), own.matrices(6, 3), own.vectors(3))
def test_product_applies_the_right_factor_first(X, Y, v):
    """(XY) v = X (Y v), and the product agrees with numpy's modulo 2."""
    assert (X @ Y).apply(v) == X.apply(Y.apply(v))
    product = X.to_numpy().astype(int) @ Y.to_numpy().astype(int) % 2
    assert np.array_equal((X @ Y).to_numpy(), product)


@given(own.matrices(5), own.matrices(5), own.vectors(5))
def test_sum_is_pointwise(X, Y, v):
    assert (X + Y).apply(v) == X.apply(v) ^ Y.apply(v)
    assert X + X == GF2Matrix.zeros(5)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_matrices_are_those_of_their_entries(n):
    """Products, ranks, inverses, transposes and submatrices, entry by entry."""
    check_bridge("matrix", n, 120)


@given(own.matrices(st.integers(0, 5), 4), own.vectors(5))
def test_solve_finds_a_solution_exactly_when_there_is_one(A, target):
    target &= (1 << A.n_rows) - 1
    solutions = {x for x in range(16) if A.apply(x) == target}
    found = A.solve(target)
    assert (found in solutions) if solutions else found is None


@given(own.matrices(st.integers(0, 5), 5))
def test_kernel_is_a_basis_of_all_x_with_ax_zero(A):
    basis = A.kernel()
    spanned = {0}
    for vector in basis:
        spanned |= {vector ^ old for old in spanned}
    assert spanned == {x for x in range(32) if A.apply(x) == 0}
    assert len(spanned) == 1 << len(basis)


@given(own.matrices(st.integers(0, 5), 5))
def test_dependent_columns_are_those_whose_removal_keeps_the_rank(A):
    """rank A_(R, C minus j) = rank A exactly for the j in the support of the kernel."""
    support = elimination.dependent_columns(A.rows, 5)
    for j in range(5):
        rest = A.submatrix(range(A.n_rows), [k for k in range(5) if k != j])
        assert (rest.rank == A.rank) is bool(support >> j & 1)


@given(own.matrices(st.integers(0, 5), 5))
def test_reduced_rows_span_the_same_space_with_unit_pivot_columns(A):
    rows, pivots = elimination.reduced_rows(A.rows, 5)
    assert elimination.rank([*A.rows, *rows]) == len(rows) == A.rank
    for k, column in enumerate(pivots):
        assert [row >> column & 1 for row in rows] == [int(i == k) for i in range(len(rows))]


@given(own.matrices(4), own.nonsingular_matrices(4), own.vectors(4))
def test_conjugation_renames_arguments_and_results(A, Q, x):
    """Theorem 2: x' = Qx has the image Q(Ax)."""
    assert A.conjugate(Q).apply(Q.apply(x)) == Q.apply(A.apply(x))


@given(own.matrices(4, 5), st.lists(st.integers(0, 3)), st.lists(st.integers(0, 4)))
def test_a_submatrix_has_its_rows_and_columns_in_their_order(A, rows, columns):
    B = A.submatrix(rows, columns)
    assert B.shape == (len(rows), len(columns))
    assert [[B[i, j] for j in range(len(columns))] for i in range(len(rows))] == [
        [A[i, j] for j in columns] for i in rows
    ]


@given(st.integers(1, 8).flatmap(own.orders))
def test_an_order_and_its_matrix(order):
    """Q[k, order[k]] = 1; x' = Qx has bit k equal to bit order[k] of x."""
    Q = GF2Matrix.from_order(order)
    assert Q.as_order() == order
    assert Q.inverse() == Q.T
    assert all(Q.apply(1 << old) == 1 << k for k, old in enumerate(order))


def test_as_order_of_other_matrices():
    assert GF2Matrix([[1, 1], [0, 1]]).as_order() is None
    assert GF2Matrix([[1, 0], [1, 0]]).as_order() is None
    assert GF2Matrix.zeros(1, 2).as_order() is None
    assert GF2Matrix.identity(64).as_order() == tuple(range(64))


# -- numpy ints, words and machine limits -------------------------------------------------------


def test_numpy_integers_are_taken_as_ints():
    """No fixed width may leak into the arithmetic: bit 63 would overflow an int64."""
    identity = GF2Matrix.identity(64)
    places = np.arange(64)
    assert identity.submatrix(places, places) == identity
    assert all(type(row) is int for row in identity.submatrix(places, places).rows)
    assert identity.apply(np.uint64(2**64 - 1)) == 2**64 - 1
    assert GF2Matrix.identity(12).apply(np.int64(0xFFF)) == 0xFFF
    assert identity.solve(np.uint64(2**63)) == 2**63
    assert type(GF2Matrix.from_order(np.array([1, 0])).rows[0]) is int


# -- being a value ------------------------------------------------------------------------------


@given(own.matrices(st.integers(0, 5), 4))
def test_a_matrix_is_read_back_from_every_form(A):
    assert copy.deepcopy(A) == A
    if A.n_rows:
        assert eval(repr(A)) == A
        assert GF2Matrix(A.to_numpy()) == A
        assert GF2Matrix(A.tolist()) == A
        assert GF2Matrix(A.to_sympy()) == A
        assert GF2Matrix(list(A)) == A
    assert A.to_numpy().shape == A.shape
    assert A != A.tolist()
    assert A.T.T == A
    assert A.columns == A.T.rows


@pytest.mark.slow
def test_conversion_to_galois_and_back():
    galois = pytest.importorskip("galois")
    A = GF2Matrix([[1, 0, 1], [0, 1, 1]])
    field_array = A.to_galois()
    assert isinstance(field_array, galois.GF(2))
    assert GF2Matrix(field_array) == A


def test_indexing_and_iteration():
    A = GF2Matrix([[1, 0, 1], [0, 1, 1]])
    assert A[0, 2] == A[-2, -1] == 1
    assert A[1] == GF2Vector([0, 1, 1])
    assert [int(row) for row in A] == [0b101, 0b110]
    assert len(A) == 2


def test_printing():
    A = GF2Matrix([[1, 0], [0, 1]])
    assert str(A) == "1 .\n. 1"
    assert A.latex() == r"\begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}"
    assert A.latex() in A._repr_latex_()
    assert r"1 \\ 0" in GF2Vector([1, 0])._repr_latex_()


@given(st.integers(0, 70).flatmap(lambda n: st.tuples(st.just(n), own.vectors(n))))
def test_a_vector_packs_bit_i_at_place_i(n_and_word):
    n, word = n_and_word
    vector = GF2Vector.from_int(word, n)
    assert int(vector) == word
    assert all(vector[i] == word >> i & 1 for i in range(n))
    assert GF2Vector(vector) is vector
    assert pickle.loads(pickle.dumps(vector)) == vector
    assert vector + vector == GF2Vector.from_int(0, n)
    assert vector + list(vector) == (0,) * n


# -- bad input ----------------------------------------------------------------------------------


NO_BITS = [
    *([[2]], [[0.5]], [[-1]], [[float("nan")]], [[None]], [["1"]], [[1j]], [[Fraction(1, 2)]]),
    *([[2**70]], [[1, 0], [1]], [1, 0], [[[1]]], 1, "01"),
    *(sympy.Matrix([[sympy.Rational(1, 2)]]), sympy.Matrix([[sympy.Symbol("x")]])),
]


@pytest.mark.parametrize("entries", NO_BITS)
def test_entries_that_are_not_bits_are_rejected(entries):
    with pytest.raises(MatrixError) as caught:
        GF2Matrix(entries)
    assert caught.value.argument.startswith("matrix")


ONES = GF2Matrix([[1, 1], [1, 1]])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: GF2Matrix([[0, 1], [3, 1]]), MatrixError,
         r"matrix\[1, 0\]: entries must be 0 or 1; got 3"),
        (lambda: GF2Matrix(np.zeros((65, 1))), SizeLimitError, "machine word"),
        (lambda: GF2Matrix.from_rows([0] * 65, 1), SizeLimitError, "machine word"),
        (lambda: GF2Matrix.from_order(range(65)), SizeLimitError, "machine word"),
        (lambda: GF2Matrix.zeros(-1), MatrixError, None),
        (lambda: ONES.inverse(), SingularMatrixError, None),
        (lambda: GF2Matrix.zeros(1, 2).inverse(), SingularMatrixError, None),
        (lambda: ONES.conjugate(ONES), SingularMatrixError, None),
        (lambda: ONES @ GF2Matrix.identity(3), MatrixError, None),
        (lambda: ONES + GF2Matrix.identity(3), MatrixError, None),
        *((lambda r=rows, c=columns: ONES.submatrix(r, c), MatrixError, r"must be in 0\.\.1")
          for rows, columns in (([2], [0]), ([0], [-1]))),
        *((lambda order=order: GF2Matrix.from_order(order), MatrixError, None)
          for order in ([0, 0], [1, 2])),
        (lambda: GF2Matrix.from_rows([4], 2), MatrixError, None),
        (lambda: GF2Vector.from_int(4, 2), MatrixError, None),
        (lambda: GF2Vector([1, 0]) + GF2Vector([1]), MatrixError, None),
        (lambda: ONES @ ONES.to_numpy(), TypeError, None),
        (lambda: ONES + ONES.to_numpy(), TypeError, None),
        (lambda: ONES[0, 2], IndexError, None),
        (lambda: ONES[2], IndexError, None),
        (lambda: setattr(ONES, "rows", (0,)), AttributeError, "frozen"),
        (lambda: delattr(ONES, "rows"), AttributeError, "frozen"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_the_largest_and_the_smallest_size():
    assert GF2Matrix.zeros(64).shape == (64, 64)
    assert GF2Matrix([[]]).shape == (1, 0)


def test_comparison_with_an_array_is_entry_by_entry():
    A = GF2Matrix([[0, 1], [1, 0]])
    entries = np.array([[0, 1], [1, 1]])
    assert (entries == A).tolist() == (A == entries).tolist() == [[True, True], [True, False]]
    assert A != [[0, 1], [1, 0]]


def test_an_array_of_a_matrix_has_the_type_that_is_asked_for():
    """The protocol of numpy: `__array__` without a type gives bits, with one that type."""
    A = GF2Matrix([[1, 0], [1, 1]])
    for dtype in (np.uint8, np.int64, np.float64, np.bool_):
        found = A.__array__(dtype)
        assert (found.dtype, found.tolist()) == (dtype, [[1, 0], [1, 1]])
    assert A.__array__().dtype == A.to_numpy().dtype == np.asarray(A).dtype
    assert np.asarray(A, dtype=np.float64).dtype == np.float64
