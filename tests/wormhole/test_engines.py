"""The message engine against the flit engine, and both against a plain one and closed forms."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from lccmodel.communication import catalog
from lccmodel.kernels.jit import in_python
from lccmodel.network import Hypercube, Mesh, Network, Torus
from lccmodel.routing import Fabric, ManyChannels, find_routing, routing_table
from lccmodel.wormhole import flit_buffers, flit_engine, message_engine, records, shared_wires
from lccmodel.wormhole.flit_engine import run_flits, watch_flits
from lccmodel.wormhole.message_engine import run_messages
from lccmodel.wormhole.plan import (
    NEVER,
    Messages,
    Outcome,
    Pace,
    deadlocked,
    empty_outcome,
    waiting_ring,
    wiring,
)
from lccmodel.wormhole.timing import Timing, tie_key
from tests.choosing import sampled
from tests.wormhole.running import Plain, any_run, crowded_run, mixed, random_run, shared_run


def at_once(table, pairs, flits) -> Messages:
    """All messages generated at cycle 0."""
    count = len(pairs)
    zeros = np.zeros(count, dtype=np.int64)
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    flits = np.broadcast_to(np.asarray(flits, dtype=np.int64), (count,))
    return Messages(
        ends[:, 0], ends[:, 1], table.start, flits, zeros, zeros,
        np.zeros(count + 1, dtype=np.int64), np.zeros(0, dtype=np.int64), zeros, np.arange(count),
    )  # fmt: skip


def delivered(network: Network, routing: str, pairs, flits, engine=run_messages):
    function = find_routing(routing, network)
    table = routing_table(function, Fabric(network, function.virtual_channels), pairs)
    outcome = empty_outcome(len(pairs), wiring(table))
    engine(wiring(table), at_once(table, pairs, flits), outcome)
    return outcome.delivered


def both(seed: int, make=random_run) -> tuple[Outcome, Outcome]:
    table, messages, tie, last = make(seed)
    outcomes = [empty_outcome(len(messages.source), wiring(table)) for _ in range(2)]
    for run, outcome in zip((run_messages, run_flits), outcomes, strict=True):
        run(wiring(table), messages, outcome, last, tie, seed)
    return outcomes[0], outcomes[1]


def assert_equal(seed: int, make=random_run) -> None:
    fast, exact = both(seed, make)
    for name in Outcome._fields:
        assert np.array_equal(getattr(fast, name), getattr(exact, name)), (seed, name)


@pytest.mark.parametrize("seed", sampled(range(120), 3))
def test_messages_move_as_their_flits_do(seed: int) -> None:
    assert_equal(seed)


@pytest.mark.slow
def test_messages_move_as_their_flits_do_in_thousands_of_runs() -> None:
    for seed in range(1000, 6000):
        assert_equal(seed)
        assert_equal(seed, shared_run)


@pytest.mark.parametrize("seed", sampled(range(80), 4))
def test_worms_on_shared_wires_move_as_their_flits_do(seed: int) -> None:
    """Every injection, delivery, owner and waiting header, at the end or at a cycle in between."""
    assert_equal(seed, shared_run)


@pytest.mark.parametrize("bits", sampled([2, 3, 5, 11], 2))
def test_worms_of_several_words(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
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
        expected = Plain(table, messages, Pace(), tie, seed).run(last).outcome()
        for name in Outcome._fields:
            assert np.array_equal(getattr(outcome, name), getattr(expected, name)), (seed, name)


def test_worms_on_shared_wires_move_as_their_flits_do_in_every_cycle() -> None:
    """Stopped after 1, 2, 3, ... cycles."""
    pairs = [(x, (x + 3) % 8) for x in range(8)] * 2
    table = routing_table(
        find_routing("dimension-order", Torus((8,))), Fabric(Torus((8,)), 2), pairs
    )
    messages = at_once(table, pairs, np.arange(1, 17))
    for last in range(1, 160):
        outcomes = [empty_outcome(16, wiring(table)) for _ in range(2)]
        for run, outcome in zip((run_messages, run_flits), outcomes, strict=True):
            run(wiring(table), messages, outcome, last)
        for name in Outcome._fields:
            assert np.array_equal(*(getattr(outcome, name) for outcome in outcomes)), (last, name)
    assert (outcomes[0].delivered < NEVER).all()


def test_a_cycle_in_which_nothing_moves_is_not_the_end() -> None:
    """Round a ring every worm may have its turn on a wire for a flit whose place is not vacated.

    With four channels on every link, the flit engine stopped there, and nothing was delivered.
    """
    ring = Torus((8,))
    one = ManyChannels(find_routing("dimension-order-one-channel", ring), 4)
    pairs = [(x, (x + 3) % 8) for x in range(8)] * 4
    table = routing_table(one, Fabric(ring, 4), pairs)
    for run in (run_messages, run_flits):
        outcome = empty_outcome(len(pairs), wiring(table))
        run(wiring(table), at_once(table, pairs, 8), outcome)
        assert (outcome.delivered < NEVER).all()


@pytest.mark.parametrize("block", sampled(range(10), 3))
def test_engines_follow_the_convention_on_every_kind_of_network(block: int) -> None:
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
        wired, count = wiring(table, own_wires, pace.ends, delays), len(messages.source)
        plain = Plain(table, messages, pace, tie, seed, own_wires, delays.tolist()).run(last)
        expected = plain.outcome()
        found = [empty_outcome(count, wired)]
        run_flits(wired, messages, found[0], last, tie, seed, pace)
        if pace == Pace() and (wired.period <= 1).all() and not delays.any():
            found.append(empty_outcome(count, wired))
            run_messages(wired, messages, found[1], last, tie, seed)
        for outcome in found:
            for name in Outcome._fields:
                assert np.array_equal(getattr(outcome, name), getattr(expected, name)), (seed, name)
        cycles, channels = min(len(plain.history), 400), np.flatnonzero(expected.use)[::-1]
        again = empty_outcome(count, wired)
        shown = watch_flits(wired, messages, again, channels, cycles, tie, seed, pace)
        for cycle, holding in enumerate(plain.history[:cycles]):
            buffers = [holding.get(channel, (-1, -1)) for channel in channels.tolist()]
            assert list(zip(*(part[cycle].tolist() for part in shown), strict=True)) == buffers


@pytest.mark.parametrize("engine", [run_messages, run_flits])
@pytest.mark.parametrize("flits", [1, 2, 5, 20])
def test_an_unblocked_message_takes_links_plus_flits_plus_one(engine, flits: int) -> None:
    for network in (Hypercube(5), Mesh((8, 4)), Torus((8, 4))):
        for y in (1, 7, network.size - 1):
            times = delivered(network, "e-cube", [(0, y)], flits, engine)
            assert times.tolist() == [Timing().unblocked(flits, network.distance(0, y))]


@pytest.mark.parametrize("flits", [1, 2, 20])
def test_a_run_ends_with_the_last_header_or_the_last_tail(flits: int) -> None:
    """The last header is ejected F - 1 cycles before its tail, which is consumed in the next."""
    for count in (1, 3):
        pairs = [(0, 7)] * count
        table = routing_table(find_routing("e-cube", Hypercube(3)), Fabric(Hypercube(3)), pairs)
        outcome = empty_outcome(count, wiring(table))
        last = run_messages(wiring(table), at_once(table, pairs, flits), outcome)
        assert last == outcome.delivered.max() - (flits - 1)
        outcome = empty_outcome(count, wiring(table))
        last = run_flits(wiring(table), at_once(table, pairs, flits), outcome)
        assert last == outcome.delivered.max() + 1


def test_a_channel_serves_a_message_in_flits_plus_one_cycles() -> None:
    """Three messages over one channel: each header follows one cycle after the tail."""
    times = delivered(Hypercube(2), "e-cube", [(0, 3), (0, 3), (0, 3)], 10)
    assert np.diff(np.sort(times)).tolist() == [11, 11]


@pytest.mark.parametrize(("flits", "cycles"), [(17, 149), (65, 533), (257, 2069), (1025, 8213)])
def test_bit_reverse_takes_the_cycles_of_table_1(flits: int, cycles: int) -> None:
    """[hou, Table 1], column e-cube: (printed - 164 us) / 0.57 us is a whole number of cycles."""
    pairs = [(x, y) for x, y in catalog.bit_reverse(8).pairs().tolist() if x != y]
    assert delivered(Hypercube(8), "e-cube", pairs, flits).max() == cycles


def test_nothing_to_do() -> None:
    table = routing_table(find_routing("e-cube", Hypercube(2)), Fabric(Hypercube(2)), [])
    for run in (run_messages, run_flits):
        outcome = empty_outcome(0, wiring(table))
        assert run(wiring(table), at_once(table, [], 1), outcome) == 0


@pytest.mark.parametrize("engine", [run_messages, run_flits])
def test_a_ring_of_worms_deadlocks_and_is_named(engine) -> None:
    network, pairs = Hypercube(2), [(0, 3), (1, 2), (3, 0), (2, 1)]
    from lccmodel.routing import UserRouting

    def clockwise(fabric, at, to, arrived):
        return [fabric.channel(at, {0: 1, 1: 3, 3: 2, 2: 0}[at])]

    routing = UserRouting("clockwise", clockwise)
    table = routing_table(routing, Fabric(network), pairs)
    messages = at_once(table, pairs, 8)
    outcome = empty_outcome(4, wiring(table))
    engine(wiring(table), messages, outcome)
    assert (outcome.delivered == NEVER).all()
    ring = waiting_ring(table, messages, outcome)
    assert [table.fabric.name(channel) for _, channel in ring] == ["1->3", "3->2", "2->0", "0->1"]
    assert sorted(m for m, _ in ring) == [0, 1, 2, 3]


def test_a_ring_of_worms_on_shared_wires_deadlocks_too() -> None:
    """Each of nine worms wants four links of a ring, and has two when all two channels are held."""
    ring = Torus((9,))
    routing = ManyChannels(find_routing("dimension-order-one-channel", ring), 2)
    pairs = [(x, (x + 4) % 9) for x in range(9)]
    table = routing_table(routing, Fabric(ring, 2), pairs)
    outcomes = [empty_outcome(9, wiring(table)) for _ in range(2)]
    for run, outcome in zip((run_messages, run_flits), outcomes, strict=True):
        run(wiring(table), at_once(table, pairs, 8), outcome)
        assert len(deadlocked(table, at_once(table, pairs, 8), outcome)) == 9
    for name in Outcome._fields:
        assert np.array_equal(*(getattr(outcome, name) for outcome in outcomes)), name
    assert outcomes[0].use[: table.fabric.channels].sum() == 2 * 9


def test_a_message_that_waits_is_not_deadlocked() -> None:
    pairs = [(0, 3), (1, 3)]
    table = routing_table(find_routing("e-cube", Hypercube(2)), Fabric(Hypercube(2)), pairs)
    messages, outcome = at_once(table, pairs, 30), empty_outcome(2, wiring(table))
    run_messages(wiring(table), messages, outcome, last_cycle=10)
    assert (outcome.waiting >= 0).sum() == 1
    assert deadlocked(table, messages, outcome) == {}


@pytest.mark.parametrize("seed", range(40))
def test_who_waits_for_ever_waits_for_such_alone(seed: int) -> None:
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


def test_virtual_channels_break_the_ring_of_a_torus() -> None:
    """The same messages: one channel a link deadlocks, two with a dateline deliver them all."""
    pairs = [(x, (x + 3) % 8) for x in range(8)]
    one = delivered(Torus((8,)), "dimension-order-one-channel", pairs, 20, run_flits)
    two = delivered(Torus((8,)), "dimension-order", pairs, 20, run_flits)
    assert (one == NEVER).any()
    assert (two < NEVER).all()


def test_virtual_channels_share_the_wire() -> None:
    """Two worms over one wire take turns: neither is finished before both could be half done."""
    pairs = [(6, 1), (7, 2), (5, 0)]
    together = delivered(Torus((8,)), "dimension-order", pairs, 40, run_flits)
    alone = [int(delivered(Torus((8,)), "dimension-order", [p], 40, run_flits)[0]) for p in pairs]
    assert (together >= alone).all()
    assert together.max() > max(alone)


def buffers_after(table, messages, cycle):
    """What the flit engine has in every buffer at the end of a cycle: (message, flit)."""
    kept, original = [], flit_engine._run

    def watching(wired, own, outcome, buffers, *rest):
        kept.append(buffers)
        return original(wired, own, outcome, buffers, *rest)

    flit_engine._run = watching
    try:
        run_flits(
            wiring(table), messages, empty_outcome(len(messages.source), wiring(table)), cycle
        )
    finally:
        flit_engine._run = original
    channels, slots = kept[0].channels, kept[0].slots  # a buffer has one slot
    holding = np.stack([slots[:, flit_buffers.WHO], channels[:, flit_buffers.FLIT]], axis=1)
    return np.where(channels[:, flit_buffers.HELD, None] > 0, holding, -1)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_one_flit_crosses_a_wire_in_a_cycle_and_in_order(seed: int) -> None:
    """Two virtual channels share a wire: what enters their buffers, cycle by cycle."""
    network, draw = Torus((8, 2)), np.random.default_rng(seed)
    x = draw.integers(0, 16, 24)
    pairs = list(zip(x.tolist(), (x ^ draw.integers(1, 16, 24)).tolist(), strict=True))
    routing = find_routing("dimension-order", network)
    table = routing_table(routing, Fabric(network, 2), pairs)
    messages, links = at_once(table, pairs, 6), table.fabric.links
    before = buffers_after(table, messages, 1)
    contended, entered = False, [list[int]() for _ in pairs]
    for cycle in range(2, 150):
        after = buffers_after(table, messages, cycle)
        new = (after != before).any(axis=1) & (after[:, 0] >= 0)
        on_wire = new[: 2 * links].reshape(links, 2).sum(axis=1)
        assert on_wire.max() <= 1
        held = (after[: 2 * links, 0] >= 0).reshape(links, 2)
        contended |= bool((held.all(axis=1)).any())
        for message, flit in after[new & (np.arange(len(after)) >= len(after) - 16)].tolist():
            entered[message].append(flit)
        before = after
    assert contended
    assert entered == [list(range(6))] * len(pairs)


def test_a_routing_function_of_ones_own_is_checked_and_simulated() -> None:
    """On a ring: the shorter way deadlocks with one channel a link, and not with a dateline."""
    from lccmodel.routing import UserRouting, deadlock_free
    from lccmodel.wormhole.simulation import simulate

    ring, pairs = Torus((8,)), [(x, (x + 3) % 8) for x in range(8)]

    def onwards(fabric, at, to, arrived):
        return [fabric.channel(at, (at + 1) % 8)]

    def with_dateline(fabric, at, to, arrived):
        return [fabric.channel(at, (at + 1) % 8, 0 if at > to else 1)]

    unsafe = UserRouting("onwards", onwards)
    safe = UserRouting("dateline", with_dateline, virtual_channels=2)
    assert deadlock_free(unsafe, ring).cycle == tuple(f"{x}->{(x + 1) % 8}" for x in range(8))
    assert deadlock_free(safe, ring)
    stuck = simulate(pairs, ring, unsafe, load=0.9, cycles=1000)
    assert stuck.deadlock
    assert stuck.routing == "onwards"
    free = simulate(pairs, ring, safe, load=0.1, cycles=5000)
    named = simulate(pairs, ring, "dimension-order", load=0.1, cycles=5000)
    assert not free.deadlock
    assert (free.delivered < NEVER).all()
    assert np.array_equal(free.delivered, named.delivered)


@pytest.mark.parametrize("seed", range(4))
def test_keys_of_ties(seed: int) -> None:
    """By channel, backwards, by number; or SplitMix64 of seed, number and cycle, in 63 bits."""

    for message, cycle, arrived in np.random.default_rng(seed).integers(0, 1 << 40, (50, 3)):
        keys = [tie_key(rule, seed, message, cycle, arrived) for rule in range(4)]
        assert [type(key) for key in keys] == [int] * 4  # not floats, which numba makes of both
        assert keys == [arrived, -arrived, message, mixed(seed, int(message), int(cycle))]


@pytest.mark.parametrize("seed", range(4))
def test_late_messages_come_by_cycle_and_then_by_number(seed: int) -> None:
    """The heap of those that waited: put in and taken out in any order, as a sorted list."""
    draw, count = np.random.default_rng(seed), 40
    pairs = [(0, 1)] * count
    table = routing_table(find_routing("e-cube", Hypercube(1)), Fabric(Hypercube(1)), pairs)
    messages = at_once(table, pairs, 1)
    messages = messages._replace(ready=draw.integers(0, (5, 1000)[seed % 2], count))
    memory, at = records.lay_out(wiring(table), messages, 0, 0)
    waiting: list[tuple[int, int]] = []
    for number in draw.permutation(count).tolist():
        address = at.messages + records.RECORD * number
        records._push(address, memory, at)
        waiting = sorted([*waiting, (int(messages.ready[number]), address)])
        if draw.random() < 0.3:
            assert records.pop(memory, at) == waiting.pop(0)[1]
    while waiting:
        assert records.pop(memory, at) == waiting.pop(0)[1]
    assert memory[at.numbers + records.LATE] == 0
