"""`write_route`, one message at a time, against `channel_loads`, all at once.

The load of a channel is the sum of the volumes whose routes have it.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel import LCC, Traffic
from lccmodel.errors import CommunicationError, NetworkError, NodeError
from lccmodel.network import Concentrated, FatTree, Hypercube, Mesh, Network, Torus
from lccmodel.network.ring_direction import LINE, PLUS, SPLIT
from lccmodel.network.routes import next_place, next_run, write_route
from tests.strategies import networks_with_messages


def add_route(network: Network, x: int, y: int, volume: int, counts: np.ndarray[Any, Any]) -> int:
    """Add a volume to the channels of a route; how many there are."""
    channels, back, alone = np.empty((3, network.diameter + 1), np.int64)
    hops = write_route(network.form, x, y, PLUS, channels, back)
    places = (divmod(int(k), network.counter_shape[1]) for k in (*channels[:hops], *back[:hops]))
    links = [network.channel(row, column) for row, column in places]
    assert links[:hops] == network.channels(x, y)
    assert [(v, u) for u, v in links[hops:]] == links[:hops]
    assert write_route(network.form, x, y, PLUS, alone, np.empty(0, np.int64)) == hops
    assert alone[:hops].tolist() == channels[:hops].tolist()
    np.add.at(counts.ravel(), channels[:hops], volume)
    return hops


@settings(deadline=None)
@given(networks_with_messages(), st.data())
def test_adding_routes_counts_all_loads(
    case: tuple[Network, np.ndarray[Any, Any]], data: st.DataObject
) -> None:
    """Messages added one by one; taking one away again leaves the others."""
    network, pairs = case
    volumes = data.draw(st.lists(st.integers(0, 99), min_size=len(pairs), max_size=len(pairs)))
    counts = np.zeros(network.counter_shape, np.int64)
    for (x, y), volume in zip(pairs.tolist(), volumes, strict=True):
        hops = add_route(network, x, y, volume, counts)
        assert hops == network.distance(x, y)
    assert np.array_equal(counts, network.channel_loads(pairs, volumes).counts)
    if len(pairs):
        add_route(network, *pairs[0].tolist(), -volumes[0], counts)
        assert np.array_equal(counts, network.channel_loads(pairs[1:], volumes[1:]).counts)


@pytest.mark.parametrize(
    "network", [FatTree((2, 3, 2), (3, 2)), FatTree((2, 2, 1)), Concentrated(Torus((3, 4)), 4)]
)
def test_adding_routes_of_all_pairs(network: Network) -> None:
    counts = np.zeros(network.counter_shape, np.int64)
    pairs = [(x, y) for x in range(network.size) for y in range(network.size)]
    for x, y in pairs:
        assert add_route(network, x, y, 1, counts) == network.distance(x, y)
    assert np.array_equal(counts, network.channel_loads(pairs).counts)


@pytest.mark.parametrize(
    "network", [Mesh((3, 1, 2)), Torus((4, 3)), Torus((5, 2), wrap=(True, False))]
)
@pytest.mark.parametrize("tie", [PLUS, SPLIT, LINE])
def test_run_after_run_is_the_route(network: Mesh, tie: int) -> None:
    """Channel by channel from router to router, the rows and columns that `write_route` lists."""
    channels, columns = np.empty(network.diameter, np.int64), network.counter_shape[1]
    for here in range(network.size):
        for goal in range(network.size):
            hops = write_route(network.form, here, goal, tie, channels, np.empty(0, np.int64))
            at, stepped = here, []
            while at != goal:
                row, c, run, stride, length = next_run(network.form, at, goal, tie)
                for _ in range(run):
                    stepped.append(row * columns + at)
                    assert c == at // stride % length
                    before, (at, c) = at, next_place(at, c, row, stride, length)
                    assert network.channel(row, before) == (before, at)
            assert stepped == channels[:hops].tolist()


def test_traffic_is_counted_by_its_volumes() -> None:
    """Fractions exactly; ranks where `node_of` puts them; fewer ranks than nodes."""
    t = Traffic([(0, 1), (1, 2), (0, 1)], [0.1, 0.2, 0.7])
    loads = Mesh((5,)).channel_loads(t)
    assert dict(loads.items()) == {(0, 1): 0.8, (1, 2): 0.2} or loads.degree * 10 == 8
    assert (loads.degree * 10, loads.total) == (8, 1)
    assert loads.busiest() == [(0, 1)]
    far = Mesh((5,)).channel_loads(t, node_of=[4, 2, 0])
    assert {channel: float(load) for channel, load in far.items()} == {
        (4, 3): 0.8,
        (3, 2): 0.8,
        (2, 1): 0.2,
        (1, 0): 0.2,
    }
    assert far.total == 2 * t.total


def test_volumes_without_a_common_unit_are_counted_as_well() -> None:
    t = Traffic([(0, 1), (1, 2)], [1e-30, 1e30])
    loads = Mesh((4,)).channel_loads(t)
    assert float(loads.degree) == pytest.approx(1e30)


def test_several_ranks_may_share_a_node() -> None:
    loads = Hypercube(2).channel_loads([(0, 1), (2, 3)], node_of=[0, 3, 0, 0])
    assert dict(loads.items()) == {(0, 1): 1, (1, 3): 1}


def test_bandwidth_divides_the_load_of_its_axis() -> None:
    """Axis 0 is twice as fast: its two messages weigh one, and axis 1 is the busiest."""
    loads = Mesh((4, 4), bandwidth=(4, "1/2")).channel_loads([(0, 3), (0, 3), (0, 12)])
    assert loads.per_dimension == (0.5, 2)
    assert (loads.degree, loads.total) == (2, 9)
    assert loads.busiest() == [(0, 4), (4, 8), (8, 12)]
    assert loads.histogram() == {0: 48 - 6, 0.5: 3, 2: 3}


@pytest.mark.parametrize("bandwidth", [(1, 1), (1, 2), (2, 1), (3, "1/2")])
@pytest.mark.parametrize("volumes", [(1, 2, 3), (0.5, 1, 4)])
def test_values_are_the_loads_of_the_channels(bandwidth: Any, volumes: Any) -> None:
    """Volumes over bandwidths, added up hop by hop; counts as they are where both are 1."""
    mesh = Mesh((4, 3), bandwidth=bandwidth)
    pairs = [(0, 3), (1, 11), (10, 0)]
    loads = mesh.channel_loads(Traffic(pairs, volumes))
    used: Counter[tuple[int, int]] = Counter()
    for (x, y), volume in zip(pairs, volumes, strict=True):
        for channel in mesh.channels(x, y):
            fast = Fraction(bandwidth[loads.network.row_dimension(mesh.counter(*channel)[0])])
            used[channel] += Fraction(volume) / fast
    for channel in mesh.graph().edges:
        assert loads.values[mesh.counter(*channel)] == pytest.approx(float(used[channel]))
        assert loads.of(*channel) == used[channel]
    whole = bandwidth == (1, 1) and volumes == (1, 2, 3)
    assert loads.values.dtype.kind == ("i" if whole else "f")


@pytest.mark.parametrize("network", [Hypercube(2), Mesh((2, 2)), FatTree((2, 2))])
def test_unfit_placements_are_refused(network: Network) -> None:
    t = Traffic([(0, 1)], ranks=3)
    with pytest.raises(CommunicationError, match="one place for each rank"):
        network.channel_loads(t, node_of=[0, 1])
    with pytest.raises(NodeError, match="node_of"):
        network.channel_loads(t, node_of=[0, 1, 4])
    for places, wrong in (([0, 1, -1], -1), ([0, 9, 1], 9), ([4, 0, 5], 4)):
        with pytest.raises(NodeError, match=f"must be nodes of .*; got {wrong}$"):
            network.channel_loads(t, node_of=places)
    with pytest.raises(CommunicationError, match="node_of"):
        network.channel_loads(t, node_of=[0, 1, 0.5])
    with pytest.raises(CommunicationError, match="a traffic has volumes"):
        network.channel_loads(t, [1])
    with pytest.raises(NetworkError, match="fewer than the 5 ranks"):
        network.channel_loads(Traffic([(0, 4)]))
    with pytest.raises(NodeError, match="subtract 1 from each"):
        network.channel_loads([(1, 2), (3, 4)])
    assert network.channel_loads(LCC([[1]], [1])).total in (0, 2, 4)


@pytest.mark.parametrize("number", [np.float64, np.float32, np.int32, float])
def test_a_bandwidth_may_be_a_number_of_numpy(number: type) -> None:
    """numpy's floats print with their type, and mean their shortest decimal all the same."""
    assert Mesh((4, 2), bandwidth=(number(2), 1)) == Mesh((4, 2), bandwidth=(2, 1))
    if number(0.5):
        assert Mesh((4, 2), bandwidth=(number(0.1), 1)) == Mesh((4, 2), bandwidth=("1/10", 1))
