"""The programs on threads: results against numpy, messages against the mapped communications."""

from functools import partial

import numpy as np
import pytest

from lccmodel import GF2Matrix
from lccmodel.errors import InputError
from lccmodel.mpi import distributed_fft, distributed_fft2, image_operation, local, transposition
from lccmodel.mpi.fft import fft_along
from lccmodel.mpi.images import OPERATIONS, elements_of, library
from lccmodel.mpi.job import Job
from lccmodel.mpi.layout import Layout
from tests.mpi.cases import all_cases, check, fft_case, numbers, picture


@pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_programs_on_threads(n):
    cases = all_cases(n, picture_d=1)
    for case, outcome in zip(cases, local.run([case.task for case in cases]), strict=True):
        check(case, outcome)


def test_the_fft_sends_n_plus_1_messages_from_each_processor():
    """Section 6.2: n+1 communications, each of all 2^(2d) points, 16 bytes a point."""
    outcome = local.run([fft_case(3, 2).task])[0]
    assert len(outcome.sent) == (3 + 1) * 8
    assert {m.size for m in outcome.sent} == {16 * 2**4}
    assert outcome.phases == ("bit reversal", "neighbour 0", "neighbour 1", "neighbour 2")


@pytest.mark.parametrize("processor_bits", [(0, 1), (4, 5), (5, 0), (1, 4), (3, 2)])
def test_any_layout_gives_the_same_transform(processor_bits):
    """Cyclic, block and mixed layouts: right too, but some need more messages."""
    layout, points = Layout(6, processor_bits), numbers(64)
    program = partial(fft_along, layout=layout, low=0, high=6, sign=-1)
    outcome = local.run([Job("any layout", points, layout, program)])[0]
    assert np.allclose(outcome.values, np.fft.fft(points), rtol=1e-12, atol=1e-12)
    one_message_each = len(outcome.pairs("bit reversal")) == 4
    among_themselves = {5 - bit for bit in processor_bits} == set(processor_bits)
    assert one_message_each == among_themselves


def test_the_library_is_what_the_tasks_send():
    """`library` and the tasks find the same communications by different ways."""
    for n in (1, 2, 3, 4):
        for name, c in library(n).items():
            task = image_operation(name, picture(n, 1), n)
            assert task.communications == {name: c}
    assert set(library(4)) == set(OPERATIONS) - {"shrink2"}


def test_the_library_of_16_by_16_processors_is_the_paper_s():
    """Example 5, with A3 of item 5 the reversal of either half of the address."""
    communications = library(8)
    transpose = [*range(4, 8), *range(4)]
    assert communications["reflect-diagonal"].A == GF2Matrix.from_order(transpose)
    assert list(communications["reflect-antidiagonal"].b) == [1] * 8
    assert communications["fft-rows"].A.as_order() == (3, 2, 1, 0, 4, 5, 6, 7)
    assert communications["fft-columns"].A.as_order() == (0, 1, 2, 3, 7, 6, 5, 4)
    assert communications["scale2"].kind == "scatter"
    assert communications["scale2"].rank == 6
    # the paper prints the rotations for a py axis that points down, as here
    assert list(communications["rotate90-clockwise"].b) == [1, 1, 1, 1, 0, 0, 0, 0]
    assert list(communications["rotate90-counterclockwise"].b) == [0, 0, 0, 0, 1, 1, 1, 1]


def test_the_smallest_cases():
    """Two processes with a point or a pixel each."""
    assert np.allclose(local.run([distributed_fft([1, 2j], 1)])[0].values, [1 + 2j, 1 - 2j])
    tasks = [transposition([[1], [2]], 1), image_operation("rotate180", [[1], [2]], 1)]
    assert [outcome.values.tolist() for outcome in local.run(tasks)] == [[[1, 2]], [[2], [1]]]
    assert local.run([]) == []


def test_types_and_shapes_are_kept():
    for dtype in (np.uint8, np.float32, np.complex64, np.int64):
        picture = np.arange(64).reshape(8, 8).astype(dtype)
        outcome = local.run([image_operation("reflect-diagonal", picture, 2)])[0]
        assert outcome.values.dtype == dtype
        assert np.array_equal(outcome.values, picture.T)
    names = np.array([["a", "bc"], ["def", "g"]])
    assert local.run([transposition(names, 2)])[0].values.tolist() == names.T.tolist()


# -- negative controls --------------------------------------------------------------------------


def test_a_wrong_result_or_a_wrong_mapping_is_noticed():
    case = fft_case(2, 1)
    outcome = local.run([case.task.mapped([1, 0, 2, 3])])[0]
    with pytest.raises(AssertionError):
        check(case, outcome)
    other = fft_case(2, 1, sign=+1)
    with pytest.raises(AssertionError):
        check(case, local.run([other.task])[0])


# -- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: distributed_fft(np.zeros(32), 2), "2..2.2d"),
        (lambda: distributed_fft(np.zeros(2), 2), "points"),
        (lambda: distributed_fft(np.zeros(0), 2), "points"),
        (lambda: distributed_fft(np.zeros(16), 0), "n: must be in 1..64"),
        (lambda: distributed_fft(np.zeros((4, 4)), 2), "one-dimensional"),
        (lambda: distributed_fft(["a", "b"], 1), "numbers"),
        (lambda: distributed_fft(np.zeros(16), 2, sign=0), "sign"),
        (lambda: distributed_fft2(np.zeros((8, 4)), 2), "width"),
        (lambda: distributed_fft2(np.zeros((3, 4)), 2), "powers of two"),
        (lambda: transposition(np.zeros(4), 2), "powers of two"),
        (lambda: transposition(np.zeros((4, 4)), 2, columns=3), "columns"),
        (lambda: transposition(np.zeros((4, 4)), 5), "at least 2.3"),
        (lambda: transposition(np.zeros((4, 4)), 0), "n: must be"),
        (lambda: image_operation("turn", np.zeros((4, 4)), 2), "operation"),
        (lambda: image_operation("scale2", np.zeros((1, 4)), 1), "quarter"),
        (lambda: image_operation("fft", np.zeros((4, 2)), 2), "points"),
        (lambda: image_operation("rotate180", [["a", "b"], ["c", "d"]], 2), "numbers"),
        (lambda: elements_of("rotate180", 0, 0), "n: must be"),
        (lambda: fft_case(2, 1).task.mapped([0, 1]), "4 processors"),
        (lambda: fft_case(2, 1).task.mapped([0, 1, 2, 2]), "permutation"),
    ],
)
def test_bad_input(make, words):
    with pytest.raises(InputError, match=words):
        make()
