"""Counterexamples are drawn from their own paths, on the network of their claim."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import proofs_check
from lccmodel import LCC
from lccmodel.errors import InputError
from lccmodel.network import BristledHypercube, Hypercube
from proofs_check.drawing import (
    counterexample_loads,
    counterexample_network,
    draw_counterexample,
    is_drawable,
)
from proofs_check.registry import get_claim


def test_loads_are_counted_along_the_paths():
    """[hou, Corollary 2] for a scatter: two messages on one channel, where one would do."""
    result = proofs_check.check("hou.cor2.scatter", max_n=2)
    loads = counterexample_loads(result)
    assert loads.network == Hypercube(2)
    assert loads.degree == 2
    assert loads.busiest() == [(2, 3)]
    figure = draw_counterexample(result)
    assert figure.get_suptitle() == "hou.cor2.scatter at n = 2"
    assert figure.get_supxlabel().startswith("A = [[0, 0], [1, 0]], b = [0, 0]")


def test_without_paths_the_case_itself_is_routed():
    result = proofs_check.check("hou.thm5.proof", max_n=3)
    assert is_drawable(result)
    assert "paths" not in result.counterexample.details
    assert counterexample_loads(result).total > 0


def test_all_members_of_a_set_are_drawn():
    result = proofs_check.check("hou.thm6.restricted", max_n=3)
    first, second = (LCC(result.counterexample.case[name]) for name in ("A1", "A2"))
    cube = Hypercube(3)
    together = cube.channel_loads(first).counts + cube.channel_loads(second).counts
    assert np.array_equal(counterexample_loads(result).counts, together)


def test_drawing_into_given_axes_puts_the_case_into_the_title():
    axes = Figure().add_subplot()
    draw_counterexample(proofs_check.check("hou.cor2.scatter", max_n=2), ax=axes)
    assert axes.get_title().splitlines()[0] == "hou.cor2.scatter at n = 2"
    assert "A = [[0, 0], [1, 0]]" in axes.get_title()


def test_a_bit_inside_the_router_uses_no_channel():
    claim = get_claim("hou.lem3.2")
    assert counterexample_network(claim, 3) == BristledHypercube(3)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("hou.thm6.reduced", "about messages on a network"),
        ("hou.thm1", r"must have a counterexample; got 'hou\.thm1 holds'"),
    ],
)
def test_what_has_no_messages_or_is_true_is_not_drawable(name, rule):
    result = proofs_check.check(name, max_n=2)
    assert not is_drawable(result)
    with pytest.raises(InputError, match=rule):
        draw_counterexample(result)
