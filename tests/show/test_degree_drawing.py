"""The plot of T against Q marks the exact optimum and Q*.

T(Q) and the stationary Q* of [calmant, section 3.3].
"""

from __future__ import annotations

import pytest

from lccmodel.errors import InputError
from lccmodel.pipelining.cost.steps import MODELS
from lccmodel.pipelining.degree import optimal_degree, time
from lccmodel.show.degree_drawing import draw_degrees
from tests.pipelining.equal import machine_of


def marks(figure, kind):
    """{model: (Q, T)} of the artists with this group id."""
    found = {}
    for line in figure.axes[0].get_lines():
        gid = line.get_gid() or ""
        if gid.startswith(f"{kind}-"):
            found[gid.removeprefix(f"{kind}-")] = (line.get_xdata()[0], line.get_ydata()[0])
    return found


@pytest.mark.parametrize("N", [1, 7, 4096, 10**6])
def test_the_best_degree_and_the_stationary_point_are_marked(N):
    machine = machine_of(10, 2, 500, 1, 100)
    figure = draw_degrees(machine, N, unit="µs")
    best = marks(figure, "best")
    assert set(best) == set(MODELS)
    for model, (Q, T) in best.items():
        found = optimal_degree(machine, N, model)
        assert Q == found.Q
        assert T == float(found.time)
    for model, (Q, _) in marks(figure, "stationary").items():
        assert Q == optimal_degree(machine, N, model).stationary_value
    assert figure.axes[0].get_ylabel().endswith("(µs)")


def test_the_curve_is_T():
    machine = machine_of(6, 3, 20, 1)
    figure = draw_degrees(machine, 500, ["paper"])
    curve = figure.axes[0].get_lines()[0]
    for Q, T in zip(curve.get_xdata()[:70:7], curve.get_ydata()[:70:7], strict=True):
        assert T == pytest.approx(float(time(machine, 500, int(Q), "paper")))


def test_networks_without_the_papers_schedules():
    for topology, ports in (("torus", "one"), ("mesh", "all")):
        figure = draw_degrees(machine_of(4, 2, 9, 1, 0, topology, ports), 50)
        assert set(marks(figure, "best")) == {"load", "lower-bound", "schedule"}


def test_bad_input_is_named():
    machine = machine_of(4, 2, 9, 1, 0, "torus")
    for call, words in (
        (lambda: draw_degrees(machine, 50, []), "models: must name"),
        (lambda: draw_degrees(machine, 50, ["paper"]), "model: the paper"),
        (lambda: draw_degrees(machine, 0), "N: must be at least 1"),
    ):
        with pytest.raises(InputError, match=words):
            call()
