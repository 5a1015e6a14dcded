"""Loads of any messages: counted for a set, against messages that are walked hop by hop.

load(S, j) is the most messages at one p_S(x) that move in j; for y = Ax + b it is
2^(|S| - rank A_(S+j,S)).
"""

from itertools import permutations

import numpy as np
import pytest

from lccmodel import Mesh, Torus
from lccmodel.errors import InputError
from lccmodel.lattice.counting import _largest
from lccmodel.lattice.counts import Counts, block_orders
from tests.choosing import slow
from tests.walking import walked_loads


def hops(counts: Counts, order: tuple[int, ...]) -> dict[int, int]:
    """The busiest channel of every bit, one message after the other, one bit after the other."""
    sources, volumes = counts.sources.tolist(), counts.volumes.tolist()
    pairs = zip(sources, (counts.sources ^ counts.changes).tolist(), strict=True)
    loads = walked_loads(pairs, order, counts.internal, volumes)
    return dict(zip(order, loads, strict=True))


def random_counts(rng: np.random.Generator, n: int, internal: tuple[int, ...] = ()) -> Counts:
    many = int(rng.integers(0, 40))
    ends = rng.integers(0, 1 << n, (2, many))
    top = int(rng.choice([2, 10, 1 << 20, 1 << 40]))
    return Counts(n, ends[0], ends[1], rng.integers(0, top, many), internal)


@pytest.mark.parametrize(
    "internal", [case if case == (1, 3) else slow((case,)) for case in [(), (0,), (1, 3)]]
)
def test_loads_depend_on_the_set_alone_and_are_those_of_every_order(internal):
    """All widths of counters, volumes up to 2^40, every order of four bits."""
    rng = np.random.default_rng(11)
    for _ in range(12):
        counts = random_counts(rng, 4, internal)
        for order in permutations(counts.bits):
            walked = hops(counts, order)
            for k, bit in enumerate(order):
                corrected = sum(1 << j for j in order[:k])
                assert counts.load(corrected, bit) == walked[bit]


@pytest.mark.parametrize("network", [Mesh((8, 4)), Torus((8, 4)), Torus((4, 8)), Mesh((2, 16))])
@pytest.mark.parametrize("gray", [False, True])
def test_a_block_has_the_loads_of_the_axis_in_every_order_and_code(network, gray):
    """Both axes: ranks are renamed, and the network routes and counts them."""
    rng = np.random.default_rng(13)
    counts = random_counts(rng, 5)
    low = network.shape[0].bit_length() - 1
    ring = isinstance(network, Torus)
    for first in [0b10110, 0b00111, 0b11001, 0b10001, 0b00110, 0b1000]:
        if first.bit_count() != low:
            continue
        second = 0b11111 ^ first
        one = counts.block_loads(0, first, ring and network.shape[0] > 2, gray)
        if not gray:
            assert np.array_equal(one, counts.block_loads(0, first, ring and network.shape[0] > 2))
        two = counts.block_loads(first, second, ring and network.shape[1] > 2, gray)
        for load, block in zip(one.tolist(), block_orders(first, gray), strict=True):
            other = block_orders(second, gray)[0]
            assert load == axis_loads(network, counts, block, other)[0]
        for load, block in zip(two.tolist(), block_orders(second, gray), strict=True):
            other = block_orders(first, gray)[-1]
            assert load == axis_loads(network, counts, other, block)[1]


def test_what_is_not_said_is_by_destination_and_in_binary():
    """Two messages to one host meet by destination, two from one host by source."""
    counts = Counts(3, [0, 1], [6, 6], [2, 3])
    assert counts.tree_load(0b001) == counts.tree_load(0b001, True) == 5
    assert counts.tree_load(0b001, False) == 3
    both = Counts(3, [0, 0], [6, 5], [2, 3])
    assert (both.tree_load(0b011), both.tree_load(0b011, False)) == (3, 5)
    assert len(counts.block_loads(0, 0b11, False)) == len(block_orders(0b11)) == 2
    assert len(counts.block_loads(0, 0b11, False, True)) == len(block_orders(0b11, True)) == 4


def axis_loads(network: Mesh, counts: Counts, *blocks: tuple[tuple[int, ...], bool]) -> list[int]:
    x = np.arange(1 << counts.n)
    node, place = np.zeros_like(x), 0
    for order, gray in blocks:
        value = sum((x >> bit & 1) << k for k, bit in enumerate(order))
        line = np.arange(1 << len(order))
        codes = line ^ line >> 1 if gray else line
        node |= np.argsort(codes)[value] << place
        place += len(order)
    ends = np.stack([counts.sources, counts.sources ^ counts.changes], axis=1)
    return list(network.channel_loads(node[ends], counts.volumes).per_dimension)


def test_equal_ends_are_one_message_and_silent_ones_are_none():
    counts = Counts(2, [0, 0, 1, 2], [3, 3, 1, 0], [2, 3, 4, 0])
    assert counts.sources.tolist() == [0, 1]
    assert counts.volumes.tolist() == [5, 4]
    assert counts.loads(0).tolist() == [5, 5]
    assert Counts(3, [], []).loads(0).tolist() == [0, 0, 0]
    assert Counts(3, [], []).occupancy(1) == 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((2, [0], [4]), "must be nodes, 0..3"),
        ((2, [-1], [0]), "must be nodes, 0..3"),
        ((2, [-1, 1], [0, 0]), "must be nodes, 0..3"),
        ((2, [0, 1], [4, 0]), "must be nodes, 0..3"),
        ((2, [0.5], [0]), "must be a sequence of integers"),
        ((2, [0, 1], [0]), "as many as"),
        ((2, [0], [1], [-1]), "must not be negative"),
        ((2, [0, 1], [1, 0], [-1, 5]), "must not be negative"),
        ((2, [0, 1], [1, 0], [5, -1]), "must not be negative"),
        ((2, [0], [1], [0.5]), "must be integers"),
        ((2, [[0]], [1]), r"sources: must be a sequence of integers; got \[\[0\]\]"),
        ((2, [0], [1], [[1]]), r"volumes: must be integers; Traffic\.exact scales others"),
        ((2, [0, 1], [1, 0], [1 << 61, 1 << 61]), "less than 2\\^62"),
    ],
)
def test_bad_messages_are_refused(arguments, text):
    with pytest.raises(InputError, match=text):
        Counts(*arguments)


def test_counters_that_spill_are_counted_again_in_wider_ones():
    """Messages of 60,000 units meet on a channel: more than 16 bits hold."""
    rng = np.random.default_rng(14)
    many = 30_000
    x = np.concatenate([np.arange(16) << 1, rng.integers(0, 32, many)])
    y = np.concatenate([np.full(16, 31), rng.integers(0, 32, many)])
    volumes = np.concatenate([np.full(16, 60_000), rng.integers(1, 4, many)])
    counts = Counts(5, x, y, volumes)
    assert [lanes.width for lanes, *_ in counts._lanes] == [16, 32]
    order = (1, 3, 0, 4, 2)
    walked = hops(counts, order)
    assert max(walked.values()) > 1 << 16
    for k, bit in enumerate(order):
        assert counts.load(sum(1 << j for j in order[:k]), bit) == walked[bit]


@pytest.mark.parametrize("lanes", [1, 2, 4, 64])
def test_lanes_are_believed_exactly_if_each_adds_up_to_its_total(lanes):
    """Lane k stands at k, k + lanes, ...; one that spilled has lost a multiple of 2^16."""
    values = np.random.default_rng(16).integers(0, 1 << 16, (2 * 64 // lanes, lanes))
    totals, loads = values.sum(axis=0).astype(np.uint64), np.full(lanes, 7)
    table = values.astype(np.uint16).ravel()
    assert _largest(table, totals, loads)
    assert loads.tolist() == values.max(axis=0).tolist()
    for k in range(lanes):
        spilled = totals.copy()
        spilled[k] += np.uint64(1 << 16)
        assert not _largest(table, spilled, loads)


def test_no_set_has_a_load_below_the_least():
    """By hand: one message of 5 is more than the mean, 6 / 4; of many small ones the mean is."""
    assert Counts(2, [0, 1], [1, 0], [5, 1]).least == (5, 0)
    pairs = [(x, x ^ 1) for x in range(4)] * 3
    x, y = zip(*pairs, strict=True)
    assert Counts(2, x, y).least == (3, 0)
    assert Counts(2, [0, 0, 1], [1, 3, 2], [1, 2, 2]).least == (2, 2)
