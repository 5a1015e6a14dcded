"""Loads after a range of sets, against `Counts.loads`, which takes one set at a time.

load(S, j): the most messages at one p_S(x) that move in j.

load(S, j), the price of a step in [hou, Theorem 6].
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.lattice.counts import Counts, as_set
from lccmodel.lattice.set_counts import loads_of_sets, outside


def check(counts: Counts, first: int, sets: int) -> None:
    """Every load of bits that are not in the set, 0 for those that are."""
    bits = counts.bits
    found = np.full((sets, len(bits)), -1, np.int64)
    loads_of_sets(first, *outside(counts), found)
    for row, loads in enumerate(found.tolist()):
        places = [place for place in range(len(bits)) if first + row >> place & 1]
        alone = counts.loads(as_set([bits[place] for place in places]))
        assert loads == [0 if p in places else alone[bit] for p, bit in enumerate(bits)]


@st.composite
def _counted(draw: Any) -> tuple[Counts, int]:
    """Few bits, some of them internal; volumes that fit 4, 8, 16 bits, and that do not."""
    n = draw(st.integers(1, 5))
    nodes = st.integers(0, (1 << n) - 1)
    largest = draw(st.sampled_from([1, 9, 100, 40_000, 1 << 40]))
    sent = draw(st.lists(st.tuples(nodes, nodes, st.integers(0, largest)), max_size=30))
    x, y, v = (np.array([message[k] for message in sent], np.int64) for k in range(3))
    inside = draw(st.sets(st.integers(0, n - 1), max_size=n - 1))
    return Counts(n, x, y, v, inside), draw(st.integers(0, n - len(inside)))


@given(_counted())
def test_ranges_of_sets_are_counted_as_one_set_is(made):
    counts, free = made
    for first in range(0, 1 << len(counts.bits), 1 << free):
        check(counts, first, 1 << free)


@pytest.mark.parametrize("shift", [0, 5])
def test_many_messages_in_a_bucket(shift):
    """A permutation of 2^10 nodes, random and a transposition: narrow counters and wide ones."""
    x = np.arange(1 << 10)
    y = np.random.default_rng(3).permutation(x) if not shift else x >> 5 | (x & 31) << 5
    check(Counts(10, x, y), 256, 64)
    check(Counts(10, x, y, np.full(x.size, 300)), 1016, 8)


def test_no_message_and_none_that_moves():
    check(Counts(3, [], []), 0, 8)
    check(Counts(3, [1, 2], [1, 2], [5, 6]), 4, 4)


def test_a_large_message_that_stays_asks_for_no_wide_counter():
    """70000 stays in node 1 and 5 moves: what moves fits 16 bits, and that is what is counted."""
    check(Counts(2, [1, 0], [1, 3], [70_000, 5]), 0, 4)


@pytest.mark.parametrize("n", [8, 9, 11])
def test_bits_that_are_changed_unequally_often(n):
    """Counters of 4, 8, 16 and 64 bits in one word and in several; all sets by themselves."""
    rng = np.random.default_rng(n)
    for largest, messages in ((1, 90), (1, 300), (9, 200), (3000, 100), (1 << 36, 50)):
        x = rng.integers(0, 1 << n, messages)
        changes = sum((rng.random(messages) < (1 + k) / (n + 1)).astype(np.int64) << k
                      for k in range(n))  # fmt: skip
        near = x & -(1 << n // 2) if messages > 100 else x  # crowded nodes, too
        counts = Counts(n, near, near ^ changes, rng.integers(1, largest + 1, messages))
        for first in (0, (1 << n) - 8, int(rng.integers(1 << n - 3)) * 8):
            check(counts, first, 8)
