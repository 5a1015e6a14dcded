"""The complete exchange of [calmant 5.1] with real blocks, in both orders, for every Q."""

from typing import Any

import numpy as np
import pytest

from lccmodel.errors import CommunicationError, InputError, SizeLimitError
from lccmodel.pipelining.exchange import complete_exchange, smallest_counterexample
from tests.choosing import sampled


def blocks_of(d: int, *trailing: int) -> np.ndarray[Any, Any]:
    nodes = 1 << d
    count = nodes * nodes * int(np.prod(trailing, dtype=int))
    return np.arange(count).reshape(nodes, nodes, *trailing)


@pytest.mark.parametrize("d", sampled(range(1, 6), 2))
@pytest.mark.parametrize("B", [1, 2, 3])
def test_orders_transpose_exactly_where_the_places_say(d, B):
    """Also where Q does not divide N. Two routes: reads recorded, and the formula of places.

    In reverse order no read ever needs the lead of earlier dimensions.
    """
    blocks, algorithm = blocks_of(d, B), complete_exchange(d)
    for Q in range(1, (B << d - 1) + 1):
        run = algorithm.traced(blocks, Q)
        assert (run.result == blocks.swapaxes(0, 1)).all()
        assert not run.violations
        assert all(reach <= 0 for reach in run.reach.values())
        natural = algorithm.traced(blocks, Q, "natural")
        is_correct = bool((natural.result == blocks.swapaxes(0, 1)).all())
        assert is_correct == (not natural.violations) == algorithm.allows(Q, "natural", B)
        assert is_correct or Q > 4


def test_natural_order_fails_first_at_four_dimensions_or_with_cut_blocks():
    assert smallest_counterexample()[:3] == (4, 1, 6)
    assert smallest_counterexample(B=2)[:3] == (3, 2, 6)
    assert [smallest_counterexample(B=B)[::2][:2] for B in (3, 16)] == [(3, 5), (3, 5)]
    with pytest.raises(CommunicationError, match="has to fail"):
        smallest_counterexample("reverse", B=3, max_d=5)


def test_the_counterexample_is_a_block_that_comes_late():
    found = smallest_counterexample()
    run = complete_exchange(found.d).traced(blocks_of(found.d), found.Q, "natural")
    late = run.violations[0]
    assert (late.i, late.packet, late.k) == (found.i, found.packet, found.k)
    assert found.comes_in >= found.arrived
    with pytest.raises(CommunicationError, match="algorithm"):
        complete_exchange(found.d).run(blocks_of(found.d), found.Q, "natural")


@pytest.mark.parametrize("order", ["reverse", "natural"])
def test_a_message_carries_the_blocks_of_figure_8(order):
    """x_0 of node 0 holds blocks 07, 05, 03, 01, in this order; ascending without the change."""
    algorithm = complete_exchange(3).algorithm(1, order)
    expected = [7, 5, 3, 1] if order == "reverse" else [1, 3, 5, 7]
    assert algorithm.positions(0).tolist() == expected
    for i in range(3):
        places = algorithm.place(i, algorithm.positions(i))
        assert places.tolist() == [0, 1, 2, 3]


def test_packets_of_whole_blocks():
    blocks = blocks_of(3, 2, 3)
    for Q in range(1, 5):
        assert (complete_exchange(3).run(blocks, Q, unit="block") == blocks.swapaxes(0, 1)).all()
    with pytest.raises(InputError, match="at most N = 4"):
        complete_exchange(3).run(blocks, 5, unit="block")


def test_any_dtype_and_shape_come_back():
    names = np.array([[f"{n}>{j}" for j in range(4)] for n in range(4)])
    result = complete_exchange(2).run(names, 2)
    assert result.dtype == names.dtype
    assert (result == names.T).all()
    assert complete_exchange(1).run(np.zeros((2, 2, 3, 1))).shape == (2, 2, 3, 1)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: complete_exchange(0), "d"),
        (lambda: complete_exchange("3"), "d"),
        (lambda: complete_exchange(2).run(np.zeros((4, 3))), "blocks"),
        (lambda: complete_exchange(2).run(np.zeros((4, 4, 0))), "blocks"),
        (lambda: complete_exchange(2).run(np.zeros((4, 4)), 3), "Q"),
        (lambda: complete_exchange(2).run(np.zeros((4, 4)), 0), "Q"),
        (lambda: complete_exchange(2).run(np.zeros((4, 4)), 1, "up"), "order"),
        (lambda: complete_exchange(2).run(np.zeros((4, 4)), unit="bit"), "unit"),
        (lambda: complete_exchange(2).algorithm(0), "B"),
    ],
)
def test_bad_input_is_refused(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


def test_too_many_processes_are_refused():
    with pytest.raises(SizeLimitError, match="at most 12"):
        complete_exchange(13)
