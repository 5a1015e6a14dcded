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
    curve = draw_degrees(machine, 500, ["paper"]).axes[0].get_lines()[0]
    for Q, T in zip(curve.get_xdata()[:70:7], curve.get_ydata()[:70:7], strict=True):
        assert T == pytest.approx(float(time(machine, 500, int(Q), "paper")))


TORUS = machine_of(4, 2, 9, 1, 0, "torus")


@pytest.mark.parametrize("machine", [TORUS, machine_of(4, 2, 9, 1, 0, "mesh", "all")])
def test_networks_without_the_papers_schedules(machine):
    assert set(marks(draw_degrees(machine, 50), "best")) == {"load", "lower-bound", "schedule"}


@pytest.mark.parametrize(
    ("N", "models", "words"),
    [
        (50, [], "models: must name"),
        (50, ["paper"], "model: the paper"),
        (0, None, "N: must be"),
    ],
)
def test_bad_input_is_named(N, models, words):
    with pytest.raises(InputError, match=words):
        draw_degrees(TORUS, N, models)
