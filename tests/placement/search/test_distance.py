"""Volume times distance and its mixtures with the busiest channel, against all placements.

Σ volume · distance, and S · channels · joint + (1 - S) of it (docs/placement.md).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.network import Network, parse_network
from lccmodel.placement.objectives import loads_and_share
from lccmodel.placement.search import place
from lccmodel.placement.search.bounds import least_distance
from lccmodel.placement.search.problem import demand_of
from lccmodel.placement.search.routes import Routes
from tests.cli import calling

NETWORKS = ("mesh:5", "torus:3x2", "mesh:2x2,bandwidth=2:3", "cube:2", "torus:3*2", "fattree:2x2/1",
            "mesh:3x3,nodes=0:2:4:7")  # fmt: skip


def told(traffic: Traffic, network: Network, node_of: tuple[int, ...]) -> tuple[Fraction, Fraction]:
    """The busiest channel by load / bandwidth, and volume times channels, along `path`."""
    loads: dict[tuple[int, int], Fraction] = {}
    total = Fraction(0)
    for (s, d), volume in zip(traffic.messages.tolist(), traffic.volumes.tolist(), strict=True):
        path = network.path(node_of[s], node_of[d])
        for channel in pairwise(path):
            if is_port(network, channel):
                continue
            loads[channel] = loads.get(channel, Fraction(0)) + volume / width(network, channel)
            total += volume
    return max(loads.values(), default=Fraction(0)), total


def is_port(network: Network, channel: tuple[int, int]) -> bool:
    """Whether a channel joins a node with its router: no load is counted there."""
    return min(channel) < network.first_router


def width(network: Network, channel: tuple[int, int]) -> Fraction:
    if "bandwidth" not in network.spec:
        return Fraction(1)
    return Fraction(2) if abs(channel[0] - channel[1]) == 1 else Fraction(3)


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
    found = place(traffic, network, f"mixture:{share}" if share else "distance", seconds=0.01)
    channels = network.n_channels
    values = []
    for node_of in permutations(range(network.size), 4):
        busiest, distance = told(traffic, network, node_of)
        values.append(share * channels * busiest + (1 - share) * distance)
    assert found.after.value == min(values)
    assert found.lower_bound <= min(values)
    assert told(traffic, network, tuple(found.node_of.tolist())) == (
        found.after.joint,
        found.after.distance,
    )
    assert found.before.value == values[0]


@pytest.mark.slow
def test_a_mixture_stands_between() -> None:
    """Hop-bytes alone is least in distance, joint alone in the busiest channel, as far as found."""
    rng = np.random.default_rng(5)
    pairs = [(int(a), int(b)) for a, b in rng.integers(0, 16, (60, 2)) if a != b]
    uses = [
        place(pairs, "torus:4x4", aim, "placements", seconds=0.01).after
        for aim in ("distance", "mixture:1/2", "joint")
    ]
    assert uses[0].distance <= uses[1].distance
    assert uses[2].joint <= uses[1].joint
    assert uses[0].value == uses[0].distance


@pytest.mark.parametrize(
    "word", ["mixture", "mixture:", "mixture:0", "mixture:1", "mixture:x", "mixture:1/0",
             "mixture:nan", "mixture:1e-9", "hops", "mixture:0.5:1"]
)  # fmt: skip
def test_wrong_objectives(word: str) -> None:
    with pytest.raises(InputError, match="objective: must be one of max-max"):
        loads_and_share(word)
    result = calling.run("map", "grid:2x2", "-N", "mesh:2x2", "--objective", word)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)


def test_orders_have_no_distance() -> None:
    with pytest.raises(InputError, match="over: must be placements"):
        place([(0, 1)], "cube:1", "distance", "orders")


def test_the_bound_is_the_largest_of_what_is_sent_received_and_paired() -> None:
    """A star of four on a line: 1 + 1 + 2 + 2. The next two on a ring: 6 (1 + 1 + 2 + 2) / 2."""
    star = [(0, k) for k in range(1, 5)]
    ring = [(k, (k + step) % 6) for k in range(6) for step in (1, 2)]
    for pairs, word, least in (
        (star, "mesh:5", 6),
        ([(d, s) for s, d in star], "mesh:5", 6),
        ([*star, *((d, s) for s, d in star)], "mesh:5", 10),
        (ring, "torus:6", 18),
        ([(0, 1)], "mesh:5", 1),
        ([(0, 0)], "mesh:5", 0),
    ):
        routes = Routes.of(parse_network(word))
        demand = demand_of(Program.of(np.array(pairs)), "distance", None, routes)
        assert least_distance(demand, routes) == least
