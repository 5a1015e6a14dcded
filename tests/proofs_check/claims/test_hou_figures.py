"""[hou], Figs. 5 to 7 and section 2.3: what is judged, and the throughput against the library's."""

import itertools

import pytest

from lccmodel.communication import catalog
from lccmodel.network import Hypercube
from lccmodel.wormhole.simulation import simulate
from proofs_check.claims import hou_figures, hou_turns
from proofs_check.claims.hou_worms import ECUBE, MIN, PCUBE, allowed_turns


@pytest.mark.slow
def test_min_does_not_gain_30_percent_in_short_runs():
    """The transpose: e-cube sustains 0.085, Min sustains 0.085 and not 1.3 · 0.093 = 0.121."""
    low, high = 0.085, 0.121
    assert all(hou_figures.measured("matrix-transpose", c, low).sustained for c in (ECUBE, MIN))
    assert not hou_figures.measured("matrix-transpose", MIN, high).sustained


@pytest.mark.slow
def test_the_order_of_example_6_sustains_more_than_0_35():
    """[hou, Example 6] is one of the 128; of every way to exchange bits there are 32."""
    measured = hou_figures.measured("matrix-transpose", hou_figures.MG, 0.4, hou_figures.EXAMPLE_6)
    assert measured.sustained
    assert sorted(hou_figures.shares().values()) == [32] * 4
    exchanged = {hou_figures.exchanged(order) for order, _ in hou_figures.PAIRED}
    assert exchanged == set(hou_figures.shares())


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


def test_what_is_sustained_is_judged_as_stated(monkeypatch):
    """[hou, Figs. 5 to 7]: each statement and its control, on throughputs put in here."""
    orders = dict(hou_figures.PAIRED)
    least = min(orders, key=orders.get)

    def sustained(name, curve, low, high, order=(), tolerance=0.002):
        if order:
            return orders[order]
        return hou_figures.SUSTAINED[name][curve == MIN]

    monkeypatch.setattr(hou_figures, "sustained", sustained)
    mg, stated = hou_figures.fig5_mg.check, hou_figures.fig5_orders.check
    for order, found in orders.items():
        both = mg("at least", 0.25, order=order), mg("at most", 0.35, order=order)
        assert all(both) == (0.25 <= found <= 0.35)
        assert stated(order, found)
        assert not stated(order, found + 0.03)
    assert mg("at most", 0.35, order=least)
    last = hou_figures.PAIRED[-1][0]
    assert not stated(last, orders[last], swapped=orders[last] + 0.03)
    others, li = hou_figures.sec6_gain_others.check, hou_figures.sec6_gain_li.check
    for name, (plain, adaptive) in hou_figures.SUSTAINED.items():
        assert not others(name, rule=MIN)
        assert others(name, rule=MIN, least=1, most=1.1)
        assert li(name).details == {"ecube": plain, "min": adaptive}
    assert not li("reverse-flip", wrong=0.125)
    plain = hou_figures.SUSTAINED["bit-reverse"][0]
    assert hou_figures.sec6_gain.check("Min [14]").details["at_most"] == round(0.125 / plain, 3)
