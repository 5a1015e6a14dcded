"""[hou], Figs. 5 to 7, Table 1, Examples 5 and 6: what is judged, and the library's worms."""

import itertools

import numpy as np
import pytest

from lccmodel.communication import catalog
from lccmodel.network import Hypercube
from lccmodel.wormhole.simulation import Simulation, simulate
from lccmodel.wormhole.traffic import messages_of
from proofs_check.claims import hou_examples, hou_figures, hou_turns, hou_worms
from proofs_check.claims.hou_images import destination
from proofs_check.claims.hou_worms import ECUBE, MIN, PCUBE, allowed_turns
from proofs_check.walk import contention


@pytest.mark.slow
@pytest.mark.parametrize(("curve", "routing"), [(ECUBE, "e-cube"), (PCUBE, "p-cube")])
@pytest.mark.parametrize("load", [0.0625, 0.25])
def test_throughput_against_the_library(curve, routing, load):
    """Other arrivals and another engine."""
    mine = hou_figures.measured("bit-reverse", curve, load)
    known = simulate(
        catalog.bit_reverse(8), Hypercube(8), routing, load, cycles=24_000, warm_up=6_000, seed=7
    )
    assert abs(mine.throughput - known.throughput) < 0.03 * load
    assert mine.sustained == (not known.saturated)


def test_a_degree_bounds_the_sustained_throughput():
    """k messages on a channel, each holding it for F + 1 cycles: L <= F / ((F + 1) k)."""
    for name in hou_figures.THREE:
        assert not hou_figures.measured(name, ECUBE, 0.125).sustained
        assert hou_figures.measured(name, ECUBE, 0.0625).sustained


def paths(rule, x, y, last=8):
    """Every permitted path, one after the other."""
    if x == y:
        return [[x]]
    offered = [k for k in range(8) if allowed_turns(8, rule)[x, y, last] >> k & 1]
    return [[x, *rest] for k in offered for rest in paths(rule, x ^ 1 << k, y, k)]


@pytest.mark.parametrize("rule", [ECUBE, MIN, PCUBE])
def test_unavoidable_channels_against_all_paths(rule):
    for x, y in [(0b10110, 0b01011), (0b1111, 0b11110000), (0b10101, 0b1010), (3, 3)]:
        listed = paths(rule, x, y)
        common = set.intersection(*[set(itertools.pairwise(path)) for path in listed])
        assert hou_turns.unavoidable(rule, x, y) == common
        assert all(len(path) == (x ^ y).bit_count() + 1 for path in listed)


def test_eight_messages_share_the_channel_named():
    counted = hou_turns.forced(MIN, "bit-reverse")
    assert counted[0b1000, 0] == max(counted.values()) == 8
    assert max(hou_turns.forced(PCUBE, "bit-reverse").values()) == 1


def test_the_load_is_bisected_to_the_last_that_is_sustained(monkeypatch):
    """Of a machine that takes any load up to 0.3: no more than the tolerance below it."""
    monkeypatch.setattr(
        hou_figures,
        "measured",
        lambda name, curve, load, order, cycles: hou_figures.Measured(load, 0, load <= 0.3),
    )
    sustained = hou_figures.sustained.__wrapped__
    assert 0.3 - 0.008 <= sustained("a", MIN, 0.25, 0.5, (), 0.008) <= 0.3
    assert 0.3 - 0.001 <= sustained("a", MIN, 0.0, 0.9, (), 0.001) <= 0.3


RULES = {
    hou_worms.ECUBE: "e-cube",
    hou_worms.MIN: "minimum-restriction",
    hou_worms.PCUBE: "p-cube",
    hou_worms.DESCENDING: "e-cube-descending",
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("tie", "named"), [(0, "lowest-input"), (1, "highest-input")])
@pytest.mark.parametrize("seed", range(4))
def test_worms_move_as_in_the_library(rule, tie, named, seed):
    """Independent in routing, arbitration and movement: every time of every message agrees."""
    draw = np.random.default_rng(seed)
    goes = draw.permutation(32)
    flits = int(draw.integers(1, 25))
    sent = hou_worms.exponential(goes, 0.3, flits, 600, seed)
    injected, delivered = hou_worms.run(sent, flits, rule, hou_worms.TIES[tie])
    pairs = [(x, int(y)) for x, y in enumerate(goes) if x != y]
    prepared = Simulation.of(pairs, Hypercube(5), RULES[rule], tie=named)
    source = np.repeat(np.arange(32), np.diff(sent.first))
    order = np.lexsort((source, sent.ready))
    where = {x: k for k, (x, _) in enumerate(prepared.sent.pairs.tolist())}
    indices = np.array([where[x] for x in source[order].tolist()], dtype=np.int64)
    messages = messages_of(prepared.table, prepared.sent, sent.ready[order], indices, flits)
    outcome = prepared.execute(messages)
    assert len(order) > 20
    assert outcome.injected.tolist() == injected[order].tolist()
    assert outcome.delivered.tolist() == delivered[order].tolist()


def test_turns_by_hand():
    """P-cube clears before it sets; Li's rule lets no later hop clear a lower bit."""
    pcube, least = (hou_worms.allowed_turns(3, rule) for rule in (hou_worms.PCUBE, hou_worms.MIN))
    assert [pcube[0b011, 0b110, 3], pcube[0b010, 0b110, 0]] == [0b001, 0b100]
    assert [least[0b001, 0b110, 3], least[0b010, 0b101, 3]] == [0b001, 0b111]
    assert not pcube[5, 5].any()


def test_a_worm_alone_and_cut_off():
    """H + 2 + F - 1 cycles; nothing is delivered before the run is cut off."""
    first = np.array([0, 1, *[1] * 7])
    sent = hou_worms.Sent(first, np.array([4]), np.array([7]))
    assert [each.tolist() for each in hou_worms.run(sent, 10)] == [[5], [4 + 3 + 2 + 9]]
    injected, delivered = hou_worms.run(sent, 10, last_cycle=17)
    assert (injected[0], delivered[0]) == (5, hou_worms.PENDING)


def test_counted_loads_against_messages_walked_in_an_order():
    orders = [(3, 4, 0, 7, 2, 5, 1, 6), (0, 1, 2, 3, 4, 5, 6, 7), (7, 0, 5, 2, 1, 6, 3, 4)]
    for name in hou_examples.THREE:
        pairs = [(x, destination(name, x)) for x in range(256)]
        table = hou_examples.loads(name)
        for order in orders:
            walked = contention(pairs, order)
            looked_up = [table[sum(1 << k for k in order[:i]), bit] for i, bit in enumerate(order)]
            assert looked_up == [walked[bit] for bit in order]


def test_which_orders_are_optimal_for_the_three_communications():
    """Max-max leaves a choice of degrees; max-sum and sum-sum have the same 128 orders."""
    degrees = hou_examples.degrees(hou_examples.THREE)
    best = {}
    for objective in ("max-max", "max-sum", "sum-sum"):
        value = hou_examples.values(hou_examples.THREE, objective)
        best[objective] = np.flatnonzero(value == value.min())
    found, counts = np.unique(degrees[best["max-max"]], axis=0, return_counts=True)
    assert found.tolist() == [[1, 2, 2], [2, 1, 1], [2, 2, 2]]
    assert counts.tolist() == [128, 128, 2048]
    assert best["max-sum"].tolist() == best["sum-sum"].tolist()
    assert np.unique(degrees[best["sum-sum"]], axis=0).tolist() == [[2, 1, 1]]
    assert len(best["sum-sum"]) == 128
