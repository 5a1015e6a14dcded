"""The message engine against the flit engine, and both against a plain one, in random runs."""

from itertools import combinations

import numpy as np
import pytest

from lccmodel.kernels.jit import in_python
from lccmodel.network import Hypercube
from lccmodel.routing import Fabric, find_routing, routing_table
from lccmodel.wormhole import message_engine, records, shared_wires
from lccmodel.wormhole.flit_engine import run_flits
from lccmodel.wormhole.message_engine import run_messages
from lccmodel.wormhole.plan import Messages, Pace, deadlocked, empty_outcome, waiting_ring, wiring
from lccmodel.wormhole.timing import tie_key
from tests.choosing import sampled
from tests.wormhole.running import (
    Plain,
    any_run,
    assert_same,
    check_engines,
    crowded_run,
    mixed,
    random_run,
)


def at_once(table, pairs, flits) -> Messages:
    """All messages generated at cycle 0."""
    count = len(pairs)
    zeros = np.zeros(count, dtype=np.int64)
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Messages(
        ends[:, 0], ends[:, 1], table.start, np.full(count, flits), zeros, zeros,
        np.zeros(count + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), zeros, np.arange(count),
    )  # fmt: skip


def check_both(seed: int) -> None:
    """Every injection, delivery, owner and waiting header, at the end or at a cycle in between."""
    table, messages, tie, last = random_run(seed)
    wired = wiring(table, own_wires=seed % 5 == 3)
    fast, exact = (empty_outcome(len(messages.source), wired) for _ in range(2))
    run_messages(wired, messages, fast, last, tie, seed)
    run_flits(wired, messages, exact, last, tie, seed)
    assert_same(fast, exact, seed)


@pytest.mark.parametrize("block", sampled(range(10), 3))
def test_messages_move_as_their_flits_do(block):
    """On one channel a link; on several, which share the wire or have wires of their own."""
    for seed in range(20 * block, 20 * block + 20):
        check_both(seed)


@pytest.mark.slow
def test_messages_move_as_their_flits_do_in_thousands_of_runs():
    for seed in range(1000, 11_000):
        check_both(seed)


@pytest.mark.parametrize("bits", sampled([2, 3, 5, 11], 2))
def test_worms_of_several_words(bits, monkeypatch):
    """The bits of a worm in words of `bits`, as Python: what becomes of it is the same."""
    for module in (message_engine, records, shared_wires):
        for key, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, key, value.py_func)
    for module in (records, shared_wires):
        monkeypatch.setattr(module, "MASK_BITS", bits)
    monkeypatch.setattr(shared_wires, "FULL", (1 << bits) - 1)
    for seed in range(100 * bits, 100 * bits + 16):
        table, messages, tie, last = crowded_run(seed)
        outcome = empty_outcome(len(messages.source), wiring(table))
        with in_python():
            message_engine.run_messages(wiring(table), messages, outcome, last, tie, seed)
        assert_same(outcome, Plain(table, messages, Pace(), tie, seed).run(last).outcome(), seed)


@pytest.mark.parametrize("block", sampled(range(10), 5))
def test_engines_follow_the_convention_on_every_kind_of_network(block):
    """All that becomes of the messages, and every buffer in every cycle, by an engine of lists.

    Any depth, latency, bandwidth, tie rule and number of channels; wires shared or not; links of
    one latency or of several.
    """
    for seed in range(block, 120, 10):
        table, messages, tie, last = any_run(seed)
        draw = np.random.default_rng(seed)
        pace, own_wires = Pace(), bool(draw.integers(2))
        if draw.random() < 0.8:
            pace = Pace(*(int(draw.integers(least, 5)) for least in (1, 0, 0)))
        if draw.random() < 0.6:  # credits, tails, ends
            least, most = (0, 0, 1, 0, 0), (4, 2, 4, 3, 3)
            pace = Pace(*pace[:3], *draw.integers(least, most).tolist())
        if draw.random() < 0.5:  # service in turns
            pace = pace._replace(rounds=int(draw.integers(1, 4)))
        delays = np.zeros(table.fabric.links if draw.random() < 0.3 else 0, np.int64)
        delays += draw.integers(0, 6, len(delays))
        check_engines(table, messages, pace, tie, seed, own_wires, delays, last)


def test_the_engine_of_lists_notices_arrival_instead_of_turns():
    """Negative control: a service that the engines were not asked for."""
    differences = 0
    for seed in range(20):
        table, messages, tie, last = any_run(seed)
        outcome = empty_outcome(len(messages.source), wiring(table))
        run_flits(wiring(table), messages, outcome, last, tie, seed)
        expected = Plain(table, messages, Pace(rounds=1), tie, seed).run(last).outcome()
        differences += not np.array_equal(outcome.delivered, expected.delivered)
    assert differences > 3


@pytest.mark.parametrize(("count", "flits"), [(0, 1), (1, 1), (3, 2), (3, 20)])
def test_a_run_ends_with_the_last_header_or_the_last_tail(count, flits):
    """The last header is ejected F - 1 cycles before its tail, which is consumed in the next."""
    pairs = [(0, 7)] * count
    table = routing_table(find_routing("e-cube", Hypercube(3)), Fabric(Hypercube(3)), pairs)
    for run, later in ((run_messages, 1 - flits), (run_flits, 1)):
        outcome = empty_outcome(count, wiring(table))
        last = run(wiring(table), at_once(table, pairs, flits), outcome)
        assert last == (outcome.delivered.max() + later if count else 0)


@pytest.mark.parametrize("seed", range(40))
def test_who_waits_for_ever_waits_for_such_alone(seed):
    """The largest set of messages whose channels are all held within it, of all sets of them."""
    draw, cube = np.random.default_rng(seed), Hypercube(2)
    pairs = [(int(x), int(x ^ draw.integers(1, 4))) for x in draw.integers(0, 4, 5)]
    table = routing_table(find_routing("fully-adaptive", cube), Fabric(cube), pairs)
    messages, outcome = at_once(table, pairs, 3), empty_outcome(5, wiring(table))
    outcome.waiting[:] = draw.integers(-1, table.states, 5)
    outcome.owner[:] = draw.integers(-1 if seed % 2 else 0, 5, len(outcome.owner))
    waiting = [m for m in range(5) if outcome.waiting[m] >= 0]
    asked = {m: [c for c, _ in table.options(int(outcome.waiting[m]))] for m in waiting}
    for m, (_, y) in enumerate(pairs):
        if m in asked and not asked[m]:
            asked[m] = [len(outcome.owner) - cube.size + y]
    stuck: set[int] = set()
    for size in range(1, 6):
        for some in combinations(waiting, size):
            if all(int(outcome.owner[c]) in some for m in some for c in asked[m]):
                stuck |= set(some)
    assert deadlocked(table, messages, outcome) == {m: asked[m] for m in waiting if m in stuck}
    ring = waiting_ring(table, messages, outcome)
    assert bool(ring) == bool(stuck)
    for (m, channel), (after, _) in zip(ring, ring[1:] + ring[:1], strict=True):
        assert channel in asked[m]
        assert outcome.owner[channel] == after
    assert len({m for m, _ in ring}) == len(ring)


@pytest.mark.parametrize("seed", [0, 1, -1, -(1 << 63)])
@pytest.mark.parametrize("as_python", [False, True])
def test_keys_of_ties(seed, as_python):
    """By channel, backwards, by number; or SplitMix64 of seed, number and cycle, in 63 bits.

    Short runs in Python raised an OverflowError for the seeds from 2^63 on, words below 0.
    """
    key = tie_key.py_func if as_python else tie_key
    drawn = np.random.default_rng(seed & 7).integers(0, 1 << 40, (50, 3)).tolist()
    for message, cycle, arrived in drawn:
        with np.errstate(over="ignore"):
            keys = [key(rule, seed, message, cycle, arrived) for rule in range(4)]
        assert [type(key) for key in keys] == [int] * 4  # not floats, which numba makes of both
        assert keys == [arrived, -arrived, message, mixed(seed, message, cycle)]
