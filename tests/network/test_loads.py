"""Exact channel loads against walks on the explicit graph: any volumes, order, type and memory."""

import pickle
import re
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel import LCC, Traffic
from lccmodel.errors import CommunicationError, NetworkError, NodeError, SizeLimitError
from lccmodel.network import (
    BristledHypercube,
    ChannelLoads,
    Hypercube,
    Mesh,
    Torus,
    parse_network,
)
from lccmodel.network import loads as loads_module
from tests.choosing import sampled
from tests.network.walking import Walker
from tests.strategies import networks_with_messages


@settings(deadline=None)
@given(networks_with_messages(), st.booleans(), st.data())
def test_random_messages_and_weights_are_counted_as_walked(case, descending, data):
    network, pairs = case
    m, graph = len(pairs), network.graph()
    weights = data.draw(
        st.none() | st.lists(st.integers(0, 1 << 40), min_size=m, max_size=m), "weights"
    )
    walker = Walker(graph, network.dimensions, descending)
    paths = [walker.walk(x, y) for x, y in pairs.tolist()]
    walked: Counter[tuple[int, int]] = Counter()
    for path, weight in zip(paths, [1] * m if weights is None else weights, strict=True):
        walked.update(dict.fromkeys(path, weight))
    walked = +walked  # without channels whose messages weigh nothing
    loads = network.channel_loads(pairs, weights, descending=descending)
    assert dict(loads.items()) == dict(walked)
    assert loads.total == walked.total()
    assert loads.degree == max(loads.per_dimension) == max(walked.values(), default=0)
    idle = network.n_channels - len(walked)
    assert loads.histogram() == Counter(walked.values()) + Counter({0: idle})
    for u, v, role in [*graph.edges(data="role")][:: 1 + len(graph.edges) // 50]:
        if role != "port":
            assert loads.of(u, v) == walked[u, v]
            indices = network.messages_on((u, v), pairs, descending=descending)
            assert indices.dtype == np.int64
            assert indices.tolist() == [k for k, path in enumerate(paths) if (u, v) in path]


def test_messages_on_a_channel_of_a_64_bit_network():
    top = 2**64 - 1
    pairs = np.array([[0, top], [top, 0], [2**63, top]], dtype=np.uint64)
    assert Hypercube(64).messages_on((top >> 1, top), pairs).tolist() == [0]
    assert Mesh((2**64,)).messages_on((2**63, 2**63 + 1), pairs).tolist() == [0, 2]
    assert Torus((2**64,)).messages_on((0, top), pairs).tolist() == [0]
    assert Torus((2**64,)).messages_on((top, 0), pairs).tolist() == [1]
    assert Mesh((2, 2**63)).messages_on((top, top - 2), pairs, descending=True).tolist() == [1]


@pytest.mark.parametrize("cores", sampled([1, 3], 4))
@pytest.mark.parametrize(
    "network", [Hypercube(17), BristledHypercube(17), Mesh((512, 256)), Torus((64, 32, 64))]
)
def test_threads_and_dimensions_do_not_disturb_each_other(network, cores, monkeypatch):
    """200 messages on a large network, route by route."""
    monkeypatch.setattr(loads_module, "cores", lambda: cores)
    monkeypatch.setattr(loads_module, "_WORTH_THREADS", 1)
    pairs = np.random.default_rng(17).integers(0, network.size, (200, 2))
    counts = np.zeros(network.counter_shape, dtype=np.int64)
    for x, y in pairs.tolist():
        for u, v in network.channels(x, y):
            counts[network.counter(u, v)] += 1
    assert np.array_equal(network.channel_loads(pairs).counts, counts)


GRIDS = ("cube:3", "origin:4", "mesh:6x3", "mesh:2x1x8", "torus:6x5", "torus:6x4,wrap=0",
         "torus:3x4*3", "cube:2*4")  # fmt: skip


@pytest.mark.parametrize("word", GRIDS)
@pytest.mark.parametrize("descending", [False, True])
def test_the_order_of_messages_in_memory_does_not_matter(word, descending, monkeypatch):
    """Where a row of counters exceeds the caches, messages are sorted; here, always."""
    network = parse_network(word)
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


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64, np.int64])
def test_messages_of_any_integer_type(dtype):
    pairs = np.array([[0, 3], [1, 3], [1, 2]], dtype=dtype)
    expected = ChannelLoads(Hypercube(2), [[1, 1, 0, 0], [1, 2, 0, 0]])
    for given_pairs in (pairs, np.asfortranarray(pairs), np.repeat(pairs, 2, axis=0)[::2]):
        assert Hypercube(2).channel_loads(given_pairs) == expected
    assert Hypercube(2).channel_loads(pairs, np.ones(3, np.uint8)) == expected


# -- communications and volumes -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("network", "c", "loads"),
    [
        (Hypercube(8), LCC(np.eye(8, dtype=int)[::-1]), (1, 2, 4, 8, 8, 4, 2, 1)),
        (BristledHypercube(5), LCC(np.eye(5, dtype=int)[::-1], [1] * 5), (0, 2, 4, 2, 1)),
        (Hypercube(3), LCC.scatter(np.zeros((3, 3), int)), (4, 2, 1)),
        (Hypercube(3), LCC.scatter(np.zeros((3, 3), int)).reversed(), (1, 2, 4)),
        (Hypercube(4), LCC(np.eye(3, dtype=int)[::-1]), (1, 0, 1, 0)),
    ],
)
def test_printed_loads_of_communications(network, c, loads):
    """[hou, section 2, Example 7]; a scatter is walked from its one source; nodes may be idle."""
    assert network.channel_loads(c).per_dimension == loads
    assert network.channel_loads(c) == network.channel_loads(c.pairs().tolist())


def test_weights_beyond_32_bits_are_exact():
    loads = Mesh((4,)).channel_loads([[0, 3], [1, 2], [3, 0]], [2**40, 2**31, 1])
    assert loads.counts.dtype == np.int64
    assert loads.counts.tolist() == [[2**40, 2**40 + 2**31, 2**40, 0], [0, 1, 1, 1]]
    largest = (2**63 - 1) // 3
    assert Mesh((4,)).channel_loads([[0, 3]], [largest]).total == 3 * largest
    assert Mesh((4,)).channel_loads([[0, 3]]).counts.dtype == np.int32


@pytest.mark.parametrize(
    "word", [*GRIDS, "fattree:4x2x3/2x3", "fattree:2x4x2/4x1,routing=s-mod-k", "dragonfly:1,2,1"]
)
def test_volumes_beyond_double_precision_are_added_up_exactly(word):
    """2^53 + 1 is no float: messages walked hop by hop, with Python's integers."""
    network, rng = parse_network(word), np.random.default_rng(53)
    pairs = rng.integers(0, network.size, (20, 2))
    volumes = [(1 << 53) + int(k) for k in rng.integers(1, 99, 20)]
    for count in (1, 20):  # a single weight is a weight, not a weight for all
        walked: Counter[tuple[int, ...]] = Counter()
        for (x, y), volume in zip(pairs[:count].tolist(), volumes, strict=False):
            for channel in network.channels(x, y):
                walked[channel] += volume
        loads = network.channel_loads(pairs[:count], volumes[:count])
        assert dict(loads.items()) == dict(walked)


@pytest.mark.parametrize("bandwidth", [(1, 1), (1, 2), (2, 1), (3, "1/2")])
@pytest.mark.parametrize("volumes", [(1, 2, 3), (0.5, 1, 4), (0.1, 0.2, 0.7)])
def test_loads_are_volumes_over_bandwidths(bandwidth, volumes):
    """Added up hop by hop; decimals exactly; ranks where `node_of` puts them, also on one node."""
    mesh, pairs = Mesh((4, 3), bandwidth=bandwidth), [(0, 3), (1, 11), (10, 0)]
    whole = bandwidth == (1, 1) and volumes == (1, 2, 3)
    for node_of in (list(range(12)), [9, 4, 0, 2, 4, 4, 3, 3, 1, 0, 11, 6]):
        loads = mesh.channel_loads(Traffic(pairs, volumes, 12), node_of=node_of)
        used: Counter[tuple[int, int]] = Counter()
        carried = Fraction(0)
        for (x, y), volume in zip(pairs, volumes, strict=True):
            for u, v in mesh.channels(node_of[x], node_of[y]):
                used[u, v] += Fraction(str(volume)) / Fraction(bandwidth[abs(v - u) == 4])
                carried += Fraction(str(volume))
        for channel in mesh.graph().edges:
            assert loads.of(*channel) == used[channel]
            assert loads.values[mesh.counter(*channel)] == pytest.approx(float(used[channel]))
        assert (loads.degree, loads.total) == (max(used.values()), carried)
        assert set(loads.busiest()) == {c for c in used if used[c] == loads.degree}
        idle = mesh.n_channels - len(used)
        assert loads.histogram() == Counter(used.values()) + Counter({0: idle})
        assert loads.values.dtype.kind == ("i" if whole else "f")


def test_volumes_without_a_common_unit_are_counted_as_well():
    loads = Mesh((4,)).channel_loads(Traffic([(0, 1), (1, 2)], [1e-30, 1e30]))
    assert float(loads.degree) == pytest.approx(1e30)


# -- values ---------------------------------------------------------------------------------------


def test_loads_are_frozen_values():
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
    halves = ChannelLoads(Hypercube(2), loads.counts, Fraction(1, 2))
    names = {"ChannelLoads": ChannelLoads, "Hypercube": Hypercube, "Fraction": Fraction}
    for value in (loads, halves):
        assert eval(repr(value), names) == pickle.loads(pickle.dumps(value)) == value
    assert hash(loads) == hash(Hypercube(2).channel_loads([[0, 3], [1, 3], [1, 2]]))
    for other in (halves, ChannelLoads(Hypercube(2), np.zeros((2, 4), int)), "loads"):
        assert loads != other


def test_counts_of_ones_own_are_kept_as_wide_as_they_are():
    """32 bits where they have 32, else 64; half a unit each, whole sums as whole numbers."""
    counts = [[2**40, 1, 0, 0], [0] * 4]
    loads = ChannelLoads(Hypercube(2), counts, Fraction(1, 2))
    assert (loads.degree, loads.total) == (2**39, Fraction(2**40 + 1, 2))
    assert (loads.of(0, 1), loads.of(1, 0)) == (2**39, Fraction(1, 2))
    for width, kept in ((np.int8, np.int64), (np.uint32, np.int64), (np.int32, np.int32)):
        own = ChannelLoads(Hypercube(2), np.ones((2, 4), width))
        assert (own.counts.dtype, own.total) == (kept, 8)


def test_loads_print_in_short_when_there_are_many():
    loads = Hypercube(8).channel_loads([[0, 255]])
    assert repr(loads).endswith("per_dimension=(1, 1, 1, 1, 1, 1, 1, 1), total=8>")
    assert "channels used: 8 of 2048" in loads._repr_html_()


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["cube:3", "origin:1", "mesh:6x3*2", "fattree:4^2", "slimfly:3*1"])
@pytest.mark.parametrize("bad", [-1, 1 << 20, 1 << 63, 1 << 70])
@pytest.mark.parametrize("column", [0, 1])
def test_a_bad_node_is_named_with_its_row(word, bad, column):
    network, end = parse_network(word), ("source", "destination")[column]
    pairs = [[0, 1], [1, 0], [0, 0], [1 << 21, 1 << 21]]
    pairs[2][column] = bad
    rule = f"{end} of message 2: must be a node of {word}, 0..{network.size - 1}; got {bad}"
    with pytest.raises(NodeError, match=re.escape(rule) + "$"):
        network.channel_loads(pairs)
    for channel in network.channels(0, network.size - 1)[:1]:
        with pytest.raises(NodeError, match=re.escape(rule) + "$"):
            network.messages_on(channel, pairs)


@pytest.mark.parametrize(
    ("messages", "weights", "rule"),
    [
        ([[0, 1, 2, 3]], None, r"messages: must .*(shape \(m, 2\)|pairs)|a matrix must be square"),
        ([[[0, 1]]], None, "messages: must"),
        ([[0.0, 1.0]], None, "messages: must"),
        ([["0", "1"]], None, "messages: must"),
        (5, None, "messages: must"),
        ([[0, 1], [2]], None, "messages: must"),
        ([[True, False]], None, "messages: (must|a matrix must be square)"),
        ([[0, 1, 2]], [1], r"messages: must have shape \(m, 2\)"),
        ([0, 1], [1], r"messages: must have shape \(m, 2\)"),
        ([[[0, 1]]], [1], r"messages: must have shape \(m, 2\)"),
        ([[0, 1], [1, 2]], [1], r"weights: must have shape \(2,\), one per message; got \(1,\)"),
        ([[0, 1], [1, 2]], [[1, 2]], r"weights: must have shape \(2,\)"),
        ([[0, 1], [1, 2]], 3, r"weights: must have shape \(2,\)"),
        ([[0, 1], [1, 2]], [1, -2], "weights: must not be negative; got -2"),
        ([[0, 1], [1, 2]], [1.0, 2.0], "weights: must be integers"),
        ([[0, 1], [1, 2]], [2**62, 2**62], "weights: must add up to less than"),
        ([[0, 1], [1, 2]], [0, 2**63], "weights: must add up to less than"),
        ([[0, 1], [1, 2]], [0, 2**70], "weights: must add up to less than"),
        (Traffic([(0, 1)]), [1], "a traffic has volumes"),
    ],
)
def test_unfit_messages_and_weights_are_refused(messages, weights, rule):
    for network in (Hypercube(2), Mesh((4,))):
        with pytest.raises(CommunicationError, match=rule):
            network.channel_loads(messages, weights)


@pytest.mark.parametrize("word", ["cube:2", "mesh:2x2", "fattree:2^2", "dragonfly:1,1,3"])
def test_unfit_placements_are_refused(word):
    network, traffic = parse_network(word), Traffic([(0, 1)], ranks=3)
    for node_of, error, rule in (
        ([0, 1], CommunicationError, "one place for each rank"),
        ([0, 1, 0.5], CommunicationError, "node_of"),
        ([0, 1, 4], NodeError, "node_of.* must be nodes of .*; got 4$"),
        ([0, 1, -1], NodeError, "must be nodes of .*; got -1$"),
        ([0, 9, 1], NodeError, "must be nodes of .*; got 9$"),
        ([4, 0, 5], NodeError, "must be nodes of .*; got 4$"),
    ):
        with pytest.raises(error, match=rule):
            network.channel_loads(traffic, node_of=node_of)
    with pytest.raises(NetworkError, match="has 4 nodes, fewer than the 5 ranks"):
        network.channel_loads(Traffic([(0, 4)]))
    with pytest.raises(NetworkError, match="has 4 nodes, fewer than the 8 ranks"):
        network.channel_loads(LCC(np.eye(3, dtype=int)))
    with pytest.raises(NodeError, match="subtract 1 from each"):
        network.channel_loads([(1, 2), (3, 4)])


@pytest.mark.parametrize("channel", [(0, 0), (0, 3), (0, 8), (-1, 0), (8, 9)])
def test_channels_that_are_none_are_refused(channel):
    for network in (Hypercube(3), Mesh((2, 4)), Torus((2, 4))):
        with pytest.raises(NetworkError, match="channel: must be a channel"):
            network.messages_on(channel, [[0, 1]])
        with pytest.raises(NetworkError, match="channel: must be a channel"):
            network.channel_loads([[0, 1]]).of(*channel)


@pytest.mark.parametrize(
    "counts", [[[0, 0]], [[0.5] * 4] * 2, [[-1, 0, 0, 0], [0] * 4], [["a"] * 4] * 2]
)
def test_counts_that_do_not_fit_the_network_or_memory_are_refused(counts):
    with pytest.raises(NetworkError, match="counts: must"):
        ChannelLoads(Hypercube(2), counts)
    for network in (Hypercube(25), BristledHypercube(26), Mesh((2**14, 2**14))):
        with pytest.raises(SizeLimitError, match="at most 536870912 counters"):
            network.channel_loads([[0, 1]])
