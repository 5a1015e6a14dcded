"""Exact channel loads against walks on the explicit graph."""

from __future__ import annotations

import pickle
import re
from collections import Counter
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel import LCC
from lccmodel.errors import CommunicationError, NetworkError, NodeError, SizeLimitError
from lccmodel.network import (
    BristledHypercube,
    ChannelLoads,
    Hypercube,
    Mesh,
    Network,
    Torus,
)
from lccmodel.network import (
    loads as loads_module,
)
from lccmodel.network.kernels import by_region
from lccmodel.network.messages import _read_weights
from tests.choosing import sampled
from tests.network.test_fattree import TREES
from tests.network.test_networks import SMALL
from tests.network.walking import Walker, dimension_of
from tests.strategies import networks_with_messages

every = pytest.mark.parametrize("network", sampled(SMALL, 2), ids=lambda network: network.spec)
directions = pytest.mark.parametrize("descending", [False, True])


def check_against_walk(
    network: Network,
    pairs: np.ndarray[Any, Any],
    descending: bool,
    weights: list[int] | None = None,
) -> ChannelLoads:
    """All that ChannelLoads says, from a walk on the graph."""
    graph = network.graph()
    walked = Walker(graph, network.dimensions, descending).loads(pairs.tolist(), weights)
    walked = +walked  # without the channels whose messages weigh nothing
    loads = network.channel_loads(pairs, weights, descending=descending)
    assert dict(loads.items()) == dict(walked)
    assert loads.total == walked.total()
    assert loads.degree == max(walked.values(), default=0)
    assert loads.n_used == len(walked)
    assert set(loads.busiest()) == {e for e in walked if walked[e] == loads.degree}
    largest = [0] * network.dimensions
    for (u, v), load in walked.items():
        dimension = dimension_of(graph.edges[u, v])
        largest[dimension] = max(largest[dimension], load)
    assert loads.per_dimension == tuple(largest)
    for u, v, data in graph.edges(data=True):
        if data.get("role") != "port":
            assert loads.of(u, v) == walked[u, v]
    return loads


@every
@directions
def test_all_to_all_is_counted_as_walked(network: Network, descending: bool) -> None:
    pairs = np.array(list(product(range(network.size), repeat=2)))
    check_against_walk(network, pairs, descending)


@settings(deadline=None)
@given(networks_with_messages(), st.booleans(), st.data())
def test_random_messages_and_weights_are_counted_as_walked(
    case: tuple[Network, np.ndarray[Any, Any]], descending: bool, data: st.DataObject
) -> None:
    network, pairs = case
    loads = check_against_walk(network, pairs, descending)
    m = len(pairs)
    weights = data.draw(st.lists(st.integers(0, 1 << 40), min_size=m, max_size=m))
    check_against_walk(network, pairs, descending, weights)
    ones = network.channel_loads(pairs, np.ones(m, np.uint8), descending=descending)
    assert ones == loads


@pytest.mark.parametrize(
    "network",
    sampled(
        [
            Hypercube(9),
            BristledHypercube(9),
            Mesh((16, 32)),
            Torus((16, 32)),
            Mesh((8, 4, 16)),
            Torus((8, 8, 8)),
            Torus((512,)),
        ],
        3,
    ),
    ids=lambda network: network.spec,
)
@directions
def test_larger_networks_are_counted_as_walked(network: Network, descending: bool) -> None:
    pairs = np.random.default_rng(9).integers(0, network.size, (300, 2))
    check_against_walk(network, pairs, descending)


@settings(deadline=None)
@given(networks_with_messages(max_n=6, max_messages=20), st.booleans())
def test_messages_on_a_channel_are_those_whose_path_has_it(
    case: tuple[Network, np.ndarray[Any, Any]], descending: bool
) -> None:
    network, pairs = case
    graph = network.graph()
    walker = Walker(graph, network.dimensions, descending)
    paths = [set(walker.walk(x, y)) for x, y in pairs.tolist()]
    for u, v, data in graph.edges(data=True):
        if data.get("role") != "port":
            indices = network.messages_on((u, v), pairs, descending=descending)
            assert indices.dtype == np.int64
            assert indices.tolist() == [m for m, path in enumerate(paths) if (u, v) in path]


def test_messages_on_a_channel_of_a_64_bit_network() -> None:
    top = 2**64 - 1
    pairs = np.array([[0, top], [top, 0], [2**63, top]], dtype=np.uint64)
    assert Hypercube(64).messages_on((top >> 1, top), pairs).tolist() == [0]
    assert Mesh((2**64,)).messages_on((2**63, 2**63 + 1), pairs).tolist() == [0, 2]
    assert Torus((2**64,)).messages_on((0, top), pairs).tolist() == [0]
    assert Torus((2**64,)).messages_on((top, 0), pairs).tolist() == [1]
    assert Mesh((2, 2**63)).messages_on((top, top - 2), pairs, descending=True).tolist() == [1]


@cache
def messages_and_crossings(
    network: Network,
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """600 random messages, and how many of them cross each channel."""
    pairs = np.random.default_rng(17).integers(0, network.size, (600, 2))
    counts = np.zeros(network.counter_shape, dtype=np.int64)
    for x, y in pairs.tolist():
        for u, v in network.channels(x, y):
            counts[network.counter(u, v)] += 1
    return pairs, counts


@pytest.mark.parametrize("cores", sampled([1, 3], 4))
@pytest.mark.parametrize(
    "network", [Hypercube(17), BristledHypercube(17), Mesh((512, 256)), Torus((64, 32, 64))]
)
def test_threads_and_dimensions_do_not_disturb_each_other(
    network: Network, cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against bincount over the channels of all messages, by networks' closed form p_S(x)."""
    monkeypatch.setattr(loads_module, "cores", lambda: cores)
    monkeypatch.setattr(loads_module, "_WORTH_THREADS", 1)
    pairs, counts = messages_and_crossings(network)
    assert np.array_equal(network.channel_loads(pairs).counts, counts)


@every
@directions
def test_the_order_of_messages_in_memory_does_not_matter(
    network: Network, descending: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a row of counters exceeds the caches, messages are sorted; here, always."""
    pairs = np.random.default_rng(18).integers(0, network.size, (500, 2))
    weights = np.arange(500)
    ask = partial(network.channel_loads, pairs, descending=descending)
    plain = ask(), ask(weights)
    monkeypatch.setattr(loads_module, "_WORTH_SORTING", 1)
    monkeypatch.setattr(loads_module, "_ROW_IN_CACHE", 2)
    monkeypatch.setattr(loads_module, "_REGION_BITS", 2)
    assert (ask(), ask(weights)) == plain
    ordered = pairs[np.argsort(pairs[:, 0])]
    assert network.channel_loads(ordered, descending=descending) == plain[0]


# -- communications and shapes of input ---------------------------------------------------


def test_bit_reversal_has_load_8_on_the_8_cube() -> None:
    """y = reversed bits on the 8-cube under e-cube routing: degree 8 [hou, section 2]."""
    c = LCC(np.eye(8, dtype=int)[::-1])
    loads = Hypercube(8).channel_loads(c)
    assert loads.degree == 8
    assert loads.per_dimension == (1, 2, 4, 8, 8, 4, 2, 1)
    assert loads == Hypercube(8).channel_loads(c.pairs().tolist())


def test_reverse_flip_on_the_origin_with_32_nodes() -> None:
    """T_1, ..., T_4 = 2, 4, 2, 1 [hou, Example 7]."""
    c = LCC(np.eye(5, dtype=int)[::-1], [1] * 5)
    assert BristledHypercube(5).channel_loads(c).per_dimension == (0, 2, 4, 2, 1)


def test_a_scatter_is_walked_from_source_to_destination() -> None:
    """One source and all destinations: the source's channel of dimension i carries them last."""
    everything_from_0 = LCC.scatter(np.zeros((3, 3), int))
    assert Hypercube(3).channel_loads(everything_from_0).per_dimension == (4, 2, 1)
    assert Hypercube(3).channel_loads(everything_from_0.reversed()).per_dimension == (1, 2, 4)


@every
def test_no_messages_and_messages_that_stay_load_nothing(network: Network) -> None:
    nodes = np.arange(network.size)
    for pairs in ([], np.empty((0, 2), int), np.stack([nodes, nodes], axis=1)):
        loads = network.channel_loads(pairs)
        assert loads.per_dimension == (0,) * network.dimensions
        assert (loads.degree, loads.total, loads.busiest()) == (0, 0, [])
        assert list(loads.items()) == []
        assert loads.histogram() == ({0: network.n_channels} if network.n_channels else {})


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_messages_of_any_integer_type(dtype: Any) -> None:
    pairs = np.array([[0, 3], [1, 3], [1, 2]], dtype=dtype)
    expected = ChannelLoads(Hypercube(2), [[1, 1, 0, 0], [1, 2, 0, 0]])
    assert Hypercube(2).channel_loads(pairs) == expected
    assert Hypercube(2).channel_loads(np.asfortranarray(pairs)) == expected
    assert Hypercube(2).channel_loads(np.repeat(pairs, 2, axis=0)[::2]) == expected


def test_weights_beyond_32_bits_are_exact() -> None:
    loads = Mesh((4,)).channel_loads([[0, 3], [1, 2], [3, 0]], [2**40, 2**31, 1])
    assert loads.counts.dtype == np.int64
    assert loads.counts.tolist() == [[2**40, 2**40 + 2**31, 2**40, 0], [0, 1, 1, 1]]
    largest = (2**63 - 1) // 3
    assert Mesh((4,)).channel_loads([[0, 3]], [largest]).total == 3 * largest
    assert Mesh((4,)).channel_loads([[0, 3]]).counts.dtype == np.int32


@pytest.mark.parametrize("network", [*SMALL, *TREES], ids=lambda network: network.spec)
def test_volumes_beyond_double_precision_are_added_up_exactly(network: Network) -> None:
    """2^53 + 1 is no float: messages walked hop by hop, with Python's integers."""
    rng = np.random.default_rng(53)
    pairs = rng.integers(0, network.size, (20, 2))
    volumes = [(1 << 53) + int(k) for k in rng.integers(1, 99, 20)]
    walked: Counter[tuple[int, int]] = Counter()
    for (x, y), volume in zip(pairs.tolist(), volumes, strict=True):
        for channel in network.channels(x, y):
            walked[channel] += volume
    assert dict(network.channel_loads(pairs, volumes).items()) == dict(walked)


def test_one_message_with_a_weight() -> None:
    """A single weight is a weight, not a weight for all."""
    assert Torus((4,)).channel_loads([[0, 2]], [5]).counts.tolist() == [[5, 5, 0, 0], [0] * 4]


def test_histogram_counts_idle_channels() -> None:
    mesh = Mesh((4, 4))
    loads = mesh.channel_loads([[0, 3], [0, 3], [4, 5]])
    assert loads.histogram() == {0: 48 - 4, 1: 1, 2: 3}


# -- values -------------------------------------------------------------------------------


def test_loads_are_frozen_values() -> None:
    given_counts = np.array([[1, 1, 0, 0], [1, 2, 0, 0]])
    loads = ChannelLoads(Hypercube(2), given_counts)
    given_counts[0, 0] = 7
    assert loads.of(0, 1) == 1
    with pytest.raises(ValueError, match="read-only"):
        loads.counts[0, 0] = 7
    with pytest.raises(AttributeError, match="frozen"):
        loads.counts = given_counts
    with pytest.raises(AttributeError, match="frozen"):
        del loads.network
    names = {"ChannelLoads": ChannelLoads, "Hypercube": Hypercube}
    assert eval(repr(loads), names) == loads
    halves = ChannelLoads(Hypercube(2), np.array([[1, 1, 0, 0], [1, 2, 0, 0]]), Fraction(1, 2))
    assert halves != loads
    assert eval(repr(halves), {**names, "Fraction": Fraction}) == halves
    assert pickle.loads(pickle.dumps(loads)) == loads
    assert hash(loads) == hash(Hypercube(2).channel_loads([[0, 3], [1, 3], [1, 2]]))
    assert loads != ChannelLoads(Hypercube(2), np.zeros((2, 4), int))
    assert loads != ChannelLoads(Mesh((2,)), np.zeros((2, 2), int))
    assert loads != "loads"


def test_loads_print_in_short_when_there_are_many() -> None:
    loads = Hypercube(8).channel_loads([[0, 255]])
    assert repr(loads) == (
        "<ChannelLoads of Hypercube(8): per_dimension=(1, 1, 1, 1, 1, 1, 1, 1), total=8>"
    )
    assert ">7</td>" in loads._repr_html_()
    assert "channels used: 8 of 2048" in loads._repr_html_()


# -- bad input ----------------------------------------------------------------------------


@every
@pytest.mark.parametrize("bad", [-1, 1 << 20, 1 << 63, 1 << 70])
@pytest.mark.parametrize("column", [0, 1])
def test_a_bad_node_is_named_with_its_row(network: Network, bad: int, column: int) -> None:
    pairs = [[0, 1], [1, 0], [0, 0], [1 << 21, 1 << 21]]
    pairs[2][column] = bad
    end = ("source", "destination")[column]
    spec = re.escape(network.spec)
    rule = rf"{end} of message 2: must be a node of {spec}, 0\.\.{network.size - 1}; "
    with pytest.raises(NodeError, match=rule + f"got {bad}$"):
        network.channel_loads(pairs)
    for channel in network.channels(0, network.size - 1)[:1]:
        with pytest.raises(NodeError, match=rule + f"got {bad}$"):
            network.messages_on(channel, pairs)


@pytest.mark.parametrize(
    "pairs",
    [
        [[0, 1, 2, 3]],
        [[[0, 1]]],
        [[0.0, 1.0]],
        [["0", "1"]],
        5,
        [[0, 1], [2]],
        [[True, False]],
    ],
)
def test_messages_of_another_shape_or_type_are_refused(pairs: Any) -> None:
    with pytest.raises(
        CommunicationError,
        match=r"messages: (must .*(shape \(m, 2\)|pairs)|a matrix must be square)",
    ):
        Hypercube(3).channel_loads(pairs)


@pytest.mark.parametrize(
    ("weights", "rule"),
    [
        ([1], r"must have shape \(2,\), one per message; got \(1,\)"),
        ([[1, 2]], r"must have shape \(2,\)"),
        ([1, -2], "must not be negative; got -2"),
        ([1.0, 2.0], "must be integers"),
        ([2**62, 2**62], "must add up to less than"),
        ([0, 2**63], "must add up to less than"),
        ([0, 2**70], "must add up to less than"),
        (3, r"must have shape \(2,\)"),
    ],
)
@pytest.mark.parametrize("network", [Hypercube(2), Mesh((4,))])
def test_unfit_weights_are_refused(network: Network, weights: Any, rule: str) -> None:
    with pytest.raises(CommunicationError, match=f"weights: {rule}"):
        network.channel_loads([[0, 1], [1, 2]], weights)


def test_a_communication_needs_a_network_of_its_size() -> None:
    """A larger one is fine: some nodes are idle."""
    with pytest.raises(NetworkError, match="cube:2 has 4 nodes, fewer than the 8 ranks"):
        Hypercube(2).channel_loads(LCC(np.eye(3, dtype=int)))
    reversal = LCC(np.eye(3, dtype=int)[::-1])
    assert (
        Hypercube(4).channel_loads(reversal).degree == Hypercube(3).channel_loads(reversal).degree
    )


@pytest.mark.parametrize("channel", [(0, 0), (0, 3), (0, 8), (-1, 0), (8, 9)])
def test_channels_that_are_none_are_refused(channel: tuple[int, int]) -> None:
    for network in (Hypercube(3), Mesh((2, 4)), Torus((2, 4))):
        with pytest.raises(NetworkError, match="channel: must be a channel"):
            network.messages_on(channel, [[0, 1]])
        with pytest.raises(NetworkError, match="channel: must be a channel"):
            network.channel_loads([[0, 1]]).of(*channel)


@pytest.mark.parametrize("network", [Hypercube(25), BristledHypercube(26), Mesh((2**14, 2**14))])
def test_loads_too_large_for_memory_are_refused(network: Network) -> None:
    with pytest.raises(SizeLimitError, match="at most 536870912 counters"):
        network.channel_loads([[0, 1]])


@pytest.mark.parametrize(
    "counts", [[[0, 0]], [[0.5] * 4] * 2, [[-1, 0, 0, 0], [0] * 4], [["a"] * 4] * 2]
)
def test_counts_that_do_not_fit_the_network_are_refused(counts: Any) -> None:
    with pytest.raises(NetworkError, match="counts: must"):
        ChannelLoads(Hypercube(2), counts)


@pytest.mark.parametrize("messages", [[[0, 1, 2]], [0, 1], [[[0, 1]]]])
def test_messages_that_have_weights_beside_them_are_pairs(messages: object) -> None:
    with pytest.raises(CommunicationError, match=r"messages: must have shape \(m, 2\)"):
        Hypercube(2).channel_loads(messages, [1])


def test_counts_of_ones_own_are_kept_as_wide_as_they_are() -> None:
    """32 bits where they have 32, else 64; half a unit each, whole sums as whole numbers."""
    counts = [[2**40, 1, 0, 0], [0] * 4]
    loads = ChannelLoads(Hypercube(2), counts, Fraction(1, 2))
    assert (loads.degree, loads.total) == (2**39, Fraction(2**40 + 1, 2))
    assert (loads.of(0, 1), loads.of(1, 0)) == (2**39, Fraction(1, 2))
    for width, kept in ((np.int8, np.int64), (np.uint32, np.int64), (np.int32, np.int32)):
        own = ChannelLoads(Hypercube(2), np.ones((2, 4), width))
        assert (own.counts.dtype, own.total) == (kept, 8)


@pytest.mark.parametrize("messages", [0, 1, 40])
@pytest.mark.parametrize("end", [0, 1])
def test_messages_of_a_region_are_one_after_another(messages: int, end: int) -> None:
    """Sorted by what a shift leaves of one end, equals in their order, each with its weight."""
    draw = np.random.default_rng(messages)
    for shift in (0, 2, 4):
        routers = draw.integers(0, 16, (messages, 2)).astype(np.uint64)
        for given_routers in (routers, routers[np.argsort(routers[:, end], kind="stable")]):
            order = np.argsort(given_routers[:, end] >> np.uint64(shift), kind="stable")
            for weights in (np.arange(messages), np.zeros(0, np.int64)):
                found = by_region(given_routers, weights, end, shift, 16 >> shift)
                for k in (0, 1):
                    assert found[k].tolist() == given_routers[order, k].tolist()
                assert found[2].tolist() == (weights[order].tolist() if len(weights) else [])


def test_no_weights_are_integers_too() -> None:
    assert _read_weights([], 0, 3).dtype == np.int64
