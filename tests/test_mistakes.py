"""What users mistype most: arguments in the wrong order, a text, None or a float for a number.

Each has to end in an `InputError` that names the argument, never in an error from inside.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pytest
import sympy

import lccmodel as lcc
from lccmodel.errors import (
    FileError,
    InputError,
    NotLinearComplement,
    SizeLimitError,
    UnderdeterminedError,
)
from lccmodel.ground.arguments import _fits, typed_arguments
from lccmodel.network.hosts import open_mpi_rankfile, read_hosts
from lccmodel.placement.mapping.spmd import spmd_program
from lccmodel.reading.hostlist import Host

C = lcc.catalog.bit_reverse(4)
CUBE, MESH = lcc.Hypercube(4), lcc.Mesh((4, 4))
A = C.A
RAGGED = [[1, 2], [3]]


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: lcc.contention(CUBE, C), "communication"),
        (lambda: lcc.recognise("y0 = x1; y1 = x0"), "messages"),
        (lambda: lcc.LCC("y0 = x1; y1 = x0"), "A"),
        (lambda: lcc.placement.lcp_optimizer(CUBE), "communication"),
        (lambda: lcc.lattice.CorrectionLattice(CUBE), "communication"),
        (lambda: spmd_program(A), "communication"),
        (lambda: lcc.lattice.CorrectionLattice(C).load([0], 1.5), "corrected"),
        (lambda: lcc.lattice.CorrectionLattice(C).loads("0123"), "order"),
        (lambda: lcc.lattice.CorrectionLattice(C, None), "internal"),
        (lambda: C.moves(-1), "i"),
        (lambda: C.moves(4), "i"),
        (lambda: C.moves("0"), "i"),
        (lambda: C.destination(RAGGED), "node"),
        (lambda: C.destination([0, 1.5]), "node"),
        (lambda: C.reordered(RAGGED), "matrix"),
        (lambda: lcc.GF2Matrix.identity("4"), "n"),
        (lambda: lcc.GF2Matrix.zeros(2.0), "n_rows"),
        (lambda: lcc.GF2Matrix.from_rows([1.5], 2), "rows"),
        (lambda: lcc.GF2Matrix.from_order(3), "order"),
        (lambda: A.conjugate([3, 2, 1, 0]), "Q"),
        (lambda: A.apply(16), "x"),
        (lambda: A.apply(-1), "x"),
        (lambda: A.solve(16), "target"),
        (lambda: A.submatrix(None, [0]), "rows"),
        (lambda: CUBE.node(3), "coordinates"),
        (lambda: MESH.node((1.5, 0)), "coordinates"),
        (lambda: CUBE.messages_on(3, C), "channel"),
        (lambda: CUBE.channel_loads(C).of("0", 1), "channel"),
        (lambda: lcc.catalog.build(8), "catalog"),
        (lambda: lcc.catalog.entry(None), "catalog"),
        (lambda: lcc.communication.read_communications(None), "path"),
        (lambda: lcc.Traffic.of_matrix([["0", "1"], ["1", "0"]]), "matrix"),
        (lambda: lcc.Traffic.of_matrix(RAGGED), "matrix"),
        (lambda: Host("a", "2"), "slots"),
        (lambda: read_hosts(3), "path"),
        (lambda: open_mpi_rankfile([0, 1], None), "hosts"),
        (lambda: open_mpi_rankfile(RAGGED, ["a"]), "to_physical"),
    ],
)
def test_a_mistake_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


def test_a_column_is_a_vector():
    """sympy writes vectors as matrices of one column."""
    assert lcc.LCC([[0, 1], [1, 0]], sympy.Matrix([1, 0])) == lcc.LCC([[0, 1], [1, 0]], 1)
    with pytest.raises(InputError, match="1 axis"):
        lcc.gf2.GF2Vector(np.array([[1, 0]]))


def test_the_largest_nodes_may_stand_in_a_list():
    """numpy makes floats of a list that holds both 2^64 - 1 and 0."""
    identity = lcc.catalog.identity(64)
    assert identity.destination([2**64 - 1, 0]).tolist() == [2**64 - 1, 0]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (2, 0), (1, 1)])
def test_a_matrix_of_any_shape_is_read_back_from_its_repr(shape):
    matrix = lcc.GF2Matrix.zeros(*shape)
    assert eval(repr(matrix), {"GF2Matrix": lcc.GF2Matrix}) == matrix


@pytest.mark.parametrize(
    ("error", "kept"),
    [
        (InputError("n", "must be small", 9), ()),
        (SizeLimitError("n", "must be small", 9), ()),
        (NotLinearComplement("pairs", "must fit", 9, (0, 3)), ("witness",)),
        (UnderdeterminedError("pairs", "must fit", 9, (0, 3)), ("recognition",)),
        (FileError("a.csv", 7, "must be two numbers", "x"), ("path", "line")),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_error_of_another_process_is_the_same(error, kept):
    """Workers send errors pickled: text, argument, rule, value and what else it holds."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
    for name in ("argument", "rule", "value", *kept):
        assert getattr(again, name) == getattr(error, name)


@typed_arguments
def spread(count: int, parts: Sequence[str]) -> Iterator[str]:
    for k in range(count):
        yield parts[k].upper()


@typed_arguments
def taken(pair: tuple[int, str], array: npt.ArrayLike = 0) -> str:
    if pair[0] > 1 << 20:
        raise MemoryError
    return pair[1].upper() + str(np.asarray(array).sum() / 1)


def test_arguments_of_a_generator_are_named_when_it_runs():
    """What was yielded before stays; errors whose arguments fit are passed on as they are."""
    assert list(spread(2, ["a", "b"])) == ["A", "B"]
    running = spread(2, ["a", 5])
    assert next(running) == "A"
    with pytest.raises(InputError, match=r"parts: must be Sequence\[str\]; got \['a', 5\]"):
        next(running)
    with pytest.raises(InputError, match="count: must be int; got 'a'"):
        list(spread("a", []))
    with pytest.raises(IndexError):
        list(spread(1, []))


@pytest.mark.parametrize("wanted", [npt.ArrayLike, npt.NDArray[np.int64]], ids=["like", "array"])
def test_numpy_s_names_of_arrays_are_looked_into(wanted):
    """Unions and generics on Python 3.11, names of their own later; alone, or None allowed."""
    for value, fits in (([1, 2], True), (np.arange(3), True), ("x", False), ([1, None], False)):
        assert _fits(value, wanted) == fits
        assert _fits(value, wanted | None) == fits
    assert _fits(None, wanted | None)


def test_which_argument_does_not_fit_its_annotation():
    assert taken((3, "a"), [1, 2]) == "A3.0"
    with pytest.raises(InputError, match="pair: must be"):
        taken((3,))
    with pytest.raises(InputError, match=r"array: must be npt\.ArrayLike; got 'x'"):
        taken((3, "a"), "x")
    with pytest.raises(SizeLimitError, match="pair: memory is too small for it"):
        taken((1 << 40, "a"))
    with pytest.raises(TypeError, match="missing 1 required") as caught:
        taken()
    assert not isinstance(caught.value, InputError)  # Python says it already
