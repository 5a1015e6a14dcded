"""The communication value: Definitions 1-4, Theorem 2, and what it refuses [hou]."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import catalog
from lccmodel.communication.lcc import LCC, reordering_matrix, require_lcc
from lccmodel.errors import CommunicationError, MatrixError, NodeError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.network import Hypercube
from tests import walking
from tests.strategies import lccs, nonsingular_matrices, orders


def messages(c):
    return set(map(tuple, c.pairs().tolist()))


@pytest.mark.parametrize("n", [1, 2])
def test_definitions_1_to_4_for_every_matrix_and_vector(n):
    """Messages bit by bit, rank by counting images, and kinds, gather and scatter alike."""
    for gather in walking.all_lccs(n):
        for c in (gather, LCC.scatter(gather.A, gather.b)) if gather.kind != "scatter" else ():
            sent = walking.messages(c)
            assert messages(c) == set(sent)
            assert len(sent) == c.size == 1 << n
            ends = [len({pair[end] for pair in sent}) for end in (0, 1)]
            kinds = {(c.size, min(ends)): "gather", (c.size, c.size): "permutation"}
            assert c.kind == kinds.get(tuple(ends), "scatter")
            assert 1 << c.rank == min(ends)
            if c.kind != "scatter":
                assert c.images().tolist() == [y for _, y in sorted(sent)]
                assert [c.destination(x) for x in range(c.size)] == c.images().tolist()
            for i in range(n):
                assert c.moves(i) == any((x ^ y) >> i & 1 for x, y in sent)


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(lccs(n), orders(n))))
def test_an_order_is_its_matrix(case):
    """x' has bit k where x has bit order[k]."""
    c, order = case
    c_ordered = c.reordered(GF2Matrix.from_order(order))
    assert c.reordered(order) == c.reordered(np.array(order)) == c_ordered
    assert c_ordered.kind == c.kind


@given(st.integers(1, 5).flatmap(lambda n: st.tuples(lccs(n), nonsingular_matrices(n))))
def test_theorem_2_for_every_linear_mapping(case):
    """Both ends are renamed, message by message."""
    c, Q = case
    renamed = {(Q.apply(x), Q.apply(y)) for x, y in messages(c)}
    assert messages(c.reordered(Q)) == messages(c.reordered(Q.tolist())) == renamed
    assert c.reordered(Q).reordered(Q.inverse()) == c


@given(st.integers(1, 6).flatmap(lccs))
def test_reversed_sends_every_message_back(c):
    assert messages(c.reversed()) == {(y, x) for x, y in messages(c)}
    assert c.reversed().reversed() == c


def test_what_is_sent_back_has_a_name_of_its_own():
    """The inverse of a shuffle is no shuffle; that of a bit reversal is the bit reversal."""
    shuffle = catalog.perfect_shuffle(3)
    assert shuffle.inverse().name == "perfect-shuffle, reversed"
    assert shuffle.inverse().inverse().name == "perfect-shuffle"
    assert catalog.bit_reverse(3).inverse().name == "bit-reverse"


@given(st.integers(1, 6).flatmap(lccs))
def test_destination_and_source_of_arrays(c):
    pairs = c.pairs()
    if c.kind != "scatter":
        assert c.destination(pairs[:, 0]).tolist() == pairs[:, 1].tolist()
        assert c.destination(pairs[:, :1].astype(np.uint8)).shape == (c.size, 1)
    if c.kind != "gather":
        assert c.source(pairs[:, 1].tolist()).tolist() == pairs[:, 0].tolist()


def test_64_address_bits():
    """Packed words of 64 bits, against sums of products in Python integers."""
    rng = np.random.default_rng(64)
    matrix = rng.integers(0, 2, (64, 64)).tolist()
    vector = rng.integers(0, 2, 64).tolist()
    c = LCC(matrix, vector)
    nodes = [0, 1, 1 << 63, (1 << 64) - 1, *(int(x) for x in rng.integers(0, 2**63, 5))]
    expected = [
        sum((sum(a & x >> j for j, a in enumerate(row)) + b) % 2 << i
            for i, (row, b) in enumerate(zip(matrix, vector, strict=True)))
        for x in nodes
    ]  # fmt: skip
    assert [c.destination(x) for x in nodes] == expected
    array = c.destination(np.array(nodes, dtype=np.uint64))
    assert (array.dtype, array.tolist()) == (np.uint64, expected)
    assert LCC.scatter(np.zeros((64, 64), int), 5).source((1 << 64) - 1) == 5


def test_packed_and_listed_vectors_agree():
    matrix = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    vectors = ([0, 1, 1], 6, np.array([0, 1, 1]), np.int64(6), GF2Vector([0, 1, 1]))
    assert len({LCC(matrix, vector) for vector in vectors}) == 1
    assert LCC(matrix).b == GF2Vector([0, 0, 0])
    assert LCC(np.array(matrix, bool)) == LCC(matrix) == LCC(GF2Matrix(matrix))


def test_a_name_is_kept_and_does_not_count():
    """Equality by parts is in test_values."""
    for maker in (LCC, LCC.scatter):
        for matrix in ([[0, 1], [1, 1]], [[0, 1], [0, 0]]):
            made = maker(matrix, [1, 0], name="n")
            assert made == maker(matrix, [1, 0], name="other name")
            for again in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
                assert (again, again.name) == (made, "n")
            assert eval(repr(made)) == made
    assert LCC([[0, 1], [0, 0]]) != LCC.scatter([[0, 1], [0, 0]])
    for change in (lambda: setattr(made, "name", "x"), lambda: delattr(made, "A")):
        with pytest.raises(AttributeError, match="frozen"):
            change()


def test_latex_states_the_equation():
    one = r"\begin{bmatrix} 1 \end{bmatrix}"
    y, x = (rf"\begin{{bmatrix}} {name}_{{0}} \end{{bmatrix}}" for name in "yx")
    assert LCC([[1]], [1]).latex() == f"{y} = {one} {x} + {one}"
    assert LCC.scatter([[0]]).latex().startswith(x)
    assert LCC([[1]])._repr_latex_().startswith("$")


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("maker", [LCC, LCC.scatter])
@pytest.mark.parametrize(
    ("A", "b", "error", "message"),
    [
        ([[0, 2], [1, 0]], None, MatrixError, r"matrix\[0, 1\]: entries must be 0 or 1; got 2"),
        ([[0, 1], [1]], None, MatrixError, "equal length"),
        ([[0, 1]], None, MatrixError, "square"),
        ([0, 1], None, MatrixError, "2 axes"),
        ([], None, MatrixError, "n >= 1"),
        (GF2Matrix.identity(0), None, MatrixError, "n >= 1"),
        ([[0, 1], [1, 0]], [1], MatrixError, "n = 2 entries"),
        ([[0, 1], [1, 0]], [1, 2], MatrixError, r"vector\[1\]: entries must be 0 or 1; got 2"),
        ([[0, 1], [1, 0]], [[1, 0]], MatrixError, "1 axis"),
        ([[0, 1], [1, 0]], 4, MatrixError, r"below 2\^2"),
        ([[0, 1], [1, 0]], -1, MatrixError, r"below 2\^2"),
    ],
)
def test_bad_matrices_and_vectors(maker, A, b, error, message):
    with pytest.raises(error, match=message):
        maker(A, b)


BAD_NODES = [4, -1, np.int64(4), [0, 4], [-1], 0.5, [0.5], "a", [True, False], np.array([1.0])]


@pytest.mark.parametrize("node", BAD_NODES)
def test_bad_nodes(node):
    with pytest.raises(NodeError, match="node"):
        LCC([[0, 1], [1, 0]]).destination(node)


def test_questions_that_have_no_single_answer():
    with pytest.raises(CommunicationError, match="scatter has several destinations"):
        LCC.scatter([[0, 1], [0, 0]]).destination(0)
    with pytest.raises(CommunicationError, match="gather brings several messages"):
        LCC([[0, 1], [0, 0]]).source(0)


@pytest.mark.parametrize(
    ("Q", "message"),
    [
        ([[1, 1], [1, 1]], "nonsingular"),
        ([0, 0], "permutation of 0..1"),
        ([0, 2], "permutation of 0..1"),
        ([0, 1, 2], "order of 0..1"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], "2 by 2"),
        ([[1, 2], [0, 1]], "0 or 1"),
    ],
)
def test_bad_reorderings(Q, message):
    for call in (LCC([[0, 1], [1, 0]]).reordered, lambda Q: reordering_matrix(Q, 2)):
        with pytest.raises(MatrixError, match=message):
            call(Q)


def test_only_a_communication_is_taken_for_one():
    with pytest.raises(CommunicationError, match="must be an LCC") as caught:
        require_lcc(Hypercube(3))
    assert caught.value.argument == "communication"


def test_lists_with_integers_above_2_to_the_63_are_mapped_exactly():
    """numpy makes floats of a list of small and large integers: y = x + 1 shows the last bit."""
    flipped = LCC(GF2Matrix.identity(64), 1)
    for nodes in ([0, (1 << 63) + 2], [-0, (1 << 64) - 1, 5], [[1, 1 << 63], [2, 3]]):
        expected = (np.array(nodes, dtype=object) ^ 1).tolist()
        assert flipped.destination(nodes).tolist() == expected
    for bad in ([-1, 1 << 63], [0, 1 << 64]):
        with pytest.raises(NodeError, match="must be in 0"):
            flipped.destination(bad)
    with pytest.raises(NodeError, match="integer array"):
        flipped.destination(np.array([0.0, 2.0**63]))
    assert flipped.destination([np.int64(2), np.uint8(5)]).tolist() == [3, 4]


@pytest.mark.parametrize("n", [1, 5, 63])
def test_mapped_arrays_are_signed_below_64_bits(n):
    """They are indices of arrays and mix with other integers; only 64 bits need all of a word."""
    assert LCC(GF2Matrix.identity(n)).destination(np.array([0, 1], np.uint64)).dtype == np.int64
