"""Latency against throughput: against the degree bound and the print.

L <= F / ((F + 1) k) for k messages on a channel.
"""

from math import isnan

import pytest

from lccmodel.communication.catalog import build
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, InputError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.network import Hypercube
from lccmodel.placement.contention import contention
from lccmodel.routing import find_routing
from lccmodel.wormhole.curves import (
    FIGURES,
    LOADS,
    OTHER_ORDER,
    ascending,
    candidates,
    curve,
    figure_curves,
    highest_load,
    sustained_throughput,
)
from lccmodel.wormhole.simulation import simulate

CUBE = Hypercube(8)


@pytest.mark.parametrize("name", FIGURES.values())
def test_e_cube_stays_below_an_eighth(name):
    """[hou, section 6.1]; the degree is 8, so the bound is 20/168 = 0.119."""
    c = build(name, 8)
    assert contention(c, CUBE).degree == 8
    found = sustained_throughput(c, CUBE, cycles=20_000, seeds=(1, 2), tolerance=0.008)
    bound = float(highest_load(8, 20))
    assert found.throughput <= bound + 0.008
    assert 0.08 < found.throughput < 0.125
    assert all(low < high <= low + 0.008 for low, high in found.brackets)


def test_sustained_throughput_says_what_it_cost():
    c, few = build("bit-reverse", 4), {"cycles": 5_000, "tolerance": 0.1}
    two, one = (sustained_throughput(c, Hypercube(4), seeds=k, **few) for k in ((1, 2), (1,)))
    assert two.runs == 2 * 4
    assert two.interval.low < two.throughput < two.interval.high
    assert isnan(one.interval.low)


def test_figures_have_the_curves_of_the_paper_that_can_be_simulated():
    for figure, name in FIGURES.items():
        communication, chosen = candidates(figure)
        assert communication.name == name
        labels = [one.label for one in chosen]
        assert labels[:6] == ["e-cube", "p-cube", "min", "M-S", "M-G", "M-G (2)"]
        rebuilt = {find_routing(one.routing, CUBE).provenance for one in chosen[6:]}
        assert rebuilt == {"reconstructed"}
        assert labels[6:] == [f"{one.routing} (reconstructed)" for one in chosen[6:]]
        orders = [one.mapping.order for one in chosen[3:5]] + [OTHER_ORDER]
        degrees = [contention(communication.reordered(order), CUBE).degree for order in orders]
        assert degrees == ([1, 2, 2] if figure == 5 else [1, 1, 1])  # [hou, section 6.1]


def test_orders_with_equal_loads_in_every_dimension_differ_in_throughput():
    """The degree does not determine the throughput: the same T, sustained by one, not the other."""
    c, chosen = candidates(5)
    order = chosen[4].mapping.order
    loads = [contention(c.reordered(each), CUBE).per_dimension for each in (order, OTHER_ORDER)]
    assert loads[0] == loads[1] == (1, 2, 2, 1, 1, 2, 2, 1)
    results = [
        simulate(c, CUBE, load=0.37, cycles=30_000, mapping=each) for each in (order, OTHER_ORDER)
    ]
    assert [result.saturated for result in results] == [False, True]
    assert results[0].throughput - results[1].throughput > 0.005


@pytest.mark.slow
@pytest.mark.parametrize("figure", FIGURES)
def test_mapping_raises_the_throughput_of_every_figure(figure):
    by_label = {c.label: c for c in figure_curves(figure, (0.05, 0.3, 0.4), cycles=3_000)}
    e_cube, m_s, m_g = (by_label[label] for label in ("e-cube", "M-S", "M-G"))
    assert e_cube.highest < 0.125
    assert m_s.overload is None
    assert m_s.highest > 0.38
    assert m_g.highest > 0.28
    assert m_s.points[0].latency < e_cube.points[0].latency


def test_bounds_by_degree():
    bounds = [float(highest_load(k, 20)) for k in (0, 1, 4)]
    assert bounds == pytest.approx([20 / 21, 20 / 21, 5 / 21])
    assert max(LOADS) < highest_load(1, 20)


@pytest.mark.parametrize(
    ("call", "given", "message"),
    [
        *[(curve, {"loads": loads}, "loads") for loads in ((), (0.0,), (0.5, 1.2), ("high",), 0.5)],
        (curve, {"loads": (0.1,), "workers": 0}, "workers"),
        (sustained_throughput, {"seeds": ()}, "seeds"),
        (sustained_throughput, {"tolerance": 0}, "tolerance"),
    ],
)
def test_bad_input(call, given, message):
    with pytest.raises(InputError, match=message):
        call(build("bit-reverse", 4), Hypercube(4), **given)
    with pytest.raises(InputError, match="figure"):
        figure_curves(8)


def test_a_communication_that_stays_has_no_curve():
    with pytest.raises(CommunicationError):
        curve(LCC(GF2Matrix.identity(4)), Hypercube(4), loads=(0.1,))
    assert ascending([1, 0.5, 1.0]) == [0.5, 1]
