"""Volume times distance and its mixtures with the busiest channel, against all placements.

Σ volume · distance, and S · channels · joint + (1 - S) of it (docs/placement.md).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.network import parse_network
from lccmodel.placement.objectives import loads_and_share
from lccmodel.placement.search import place
from lccmodel.placement.search.bounds import least_distance
from tests.placement.search.brute_force import counted_value, demand_on

NETWORKS = ("mesh:5", "torus:3x2", "mesh:2x2,bandwidth=2:3", "cube:2", "torus:3*2", "fattree:2x2/1",
            "mesh:3x3,nodes=0:2:4:7")  # fmt: skip
SENT = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 9)), min_size=1, max_size=6
)


@settings(max_examples=8, deadline=None)
@given(SENT, st.sampled_from(NETWORKS), st.sampled_from([0, Fraction(1, 3), Fraction(9, 10)]))
def test_the_answer_is_the_least_of_all_placements(
    sent: list[tuple[int, int, int]], word: str, share: Fraction
) -> None:
    """value = share x channels x joint + (1 - share) x distance, with a bound that holds."""
    network = parse_network(word)
    traffic = Traffic([m[:2] for m in sent], [m[2] for m in sent], 4)
    m = place(traffic, network, f"mixture:{share}" if share else "distance", seconds=0.01)

    def counted(node_of: np.ndarray, objective: str) -> Fraction:
        return counted_value(m.program, network, node_of, objective)

    values = [
        share * network.n_channels * counted(node_of, "joint")
        + (1 - share) * counted(node_of, "distance")
        for node_of in map(np.array, permutations(range(network.size), 4))
    ]
    assert m.lower_bound <= min(values) == m.after.value
    assert m.before.value == values[0]
    assert m.after.joint == counted(m.node_of, "joint")
    assert m.after.distance == counted(m.node_of, "distance")


@pytest.mark.parametrize(
    "word", ["mixture", "mixture:", "mixture:0", "mixture:1", "mixture:x", "mixture:1/0",
             "mixture:nan", "mixture:1e-9", "hops", "mixture:0.5:1"]
)  # fmt: skip
def test_wrong_objectives(word: str) -> None:
    with pytest.raises(InputError, match="objective: must be one of max-max"):
        loads_and_share(word)


STAR = [(0, k) for k in range(1, 5)]
BACK = [(k, 0) for k in range(1, 5)]


@pytest.mark.parametrize(("pairs", "word", "least"), [
    (STAR, "mesh:5", 6), (BACK, "mesh:5", 6), (STAR + BACK, "mesh:5", 10), ([(0, 1)], "mesh:5", 1),
    ([(0, 0)], "mesh:5", 0), ([(k, (k + step) % 6) for k in range(6) for step in (1, 2)],
                              "torus:6", 18),
])  # fmt: skip
def test_the_bound_is_the_largest_of_what_is_sent_received_and_paired(
    pairs: list[tuple[int, int]], word: str, least: int
) -> None:
    """A star of four on a line: 1 + 1 + 2 + 2. The next two on a ring: 6 (1 + 1 + 2 + 2) / 2."""
    assert least_distance(*demand_on(word, pairs, "distance")) == least
