"""Counterexamples are drawn from their own paths, on the network of their claim."""

from __future__ import annotations

import pytest

import proofs_check
from lccmodel.errors import InputError
from lccmodel.network import BristledHypercube, Hypercube
from proofs_check.drawing import (
    counterexample_loads,
    counterexample_network,
    draw_counterexample,
)
from proofs_check.registry import get_claim


def test_loads_are_counted_along_the_paths() -> None:
    """[hou, Corollary 2] for a scatter: two messages on one channel, where one would do."""
    result = proofs_check.check("hou.cor2.scatter", max_n=2)
    loads = counterexample_loads(result)
    assert loads.network == Hypercube(2)
    assert loads.degree == 2
    assert loads.busiest() == [(2, 3)]
    figure = draw_counterexample(result)
    assert figure.get_suptitle() == "hou.cor2.scatter at n = 2"
    assert figure.get_supxlabel().startswith("A = [[0, 0], [1, 0]], b = [0, 0]")


def test_without_paths_the_case_itself_is_routed() -> None:
    result = proofs_check.check("hou.thm5.proof", max_n=3)
    assert "paths" not in result.counterexample.details
    assert counterexample_loads(result).total > 0


def test_a_bit_inside_the_router_uses_no_channel() -> None:
    claim = get_claim("hou.lem3.2")
    assert counterexample_network(claim, 3) == BristledHypercube(3)


def test_a_true_claim_has_nothing_to_draw() -> None:
    with pytest.raises(InputError, match=r"must have a counterexample; got 'hou\.thm1 holds'"):
        draw_counterexample(proofs_check.check("hou.thm1", max_n=2))
