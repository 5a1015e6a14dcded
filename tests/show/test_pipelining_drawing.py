"""Figures of pipelining show the best degree, the costs of methods, the bounds, and their source.

CALMANT takes the least T(Q), direct exchange n^(c+1)/4 steps of α + B τ [calmant, section 5];
T(Q) and the stationary Q* are those of [calmant, section 3.3].
"""

import json
from fractions import Fraction

import pytest

from lccmodel.errors import InputError
from lccmodel.papers.calmant_section import draw_exchange_grid
from lccmodel.pipelining.bounds import exchange_bounds
from lccmodel.pipelining.cost.steps import MODELS
from lccmodel.pipelining.degree import optimal_degree, time
from lccmodel.pipelining.methods import LEFT_OUT, METHODS, exchange_time
from lccmodel.show.degree_drawing import draw_degrees
from lccmodel.show.exchange_methods import (
    PLOTTED,
    draw_exchange,
    methods_table,
    speedup_table,
    speedups,
)
from tests.pipelining.equal import machine_of

MACHINE = machine_of(8, 2, 500, 1)


def test_a_line_is_the_speed_up_of_its_method():
    blocks = [1, 64, 4096]
    figure = draw_exchange(MACHINE, blocks)
    (axes,) = figure.axes
    lines = {line.get_gid(): line for line in axes.lines if line.get_gid()}
    assert set(lines) == set(PLOTTED)
    for name, line in lines.items():
        base = (
            exchange_time("baseline", MACHINE, B) / exchange_time(name, MACHINE, B) for B in blocks
        )
        assert list(line.get_ydata()) == pytest.approx(list(map(float, base)))
        assert list(line.get_xdata()) == blocks
    assert axes.get_xscale() == "log"
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(labels) == len(PLOTTED) + 2
    for method in map(METHODS.__getitem__, PLOTTED):
        source = "bound" if method.is_bound else method.provenance
        assert f"{method.title} ({source})" in labels


def test_the_table_holds_exact_values_and_the_bounds():
    table = speedup_table(MACHINE, [1, 16])
    records = {record["method"]: record for record in table.records()}
    assert len(records) == len(METHODS) + 2
    for name in METHODS:
        assert records[name]["B16"] == pytest.approx(
            float(exchange_time("baseline", MACHINE, 16) / exchange_time(name, MACHINE, 16))
        )
    base = exchange_time("baseline", MACHINE, 16)
    bounds = exchange_bounds(MACHINE, 16)
    assert Fraction(records["bound for every method"]["B16"]) == base / bounds.universal
    assert json.loads(table.render("json"))[0]["mesh"] == "16x16"


def test_the_list_of_methods_names_those_left_out():
    records = methods_table().records()
    assert [r["method"] for r in records] == [*METHODS, *LEFT_OUT]
    assert all(record["reason"] for record in records)
    assert r"c\,(n-1)" in methods_table().render("latex")


def test_a_machine_without_transfer_time_has_a_title():
    figure = draw_exchange(machine_of(4, 2, 1, 0), [1, 2], ["direct"])
    assert figure.axes[0].get_title() == "4×4, τ = 0"


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: draw_exchange_grid(8), "number"),
        (lambda: speedups(MACHINE, []), "blocks"),
        (lambda: draw_exchange(MACHINE, [0]), "B:"),
    ],
)
def test_bad_input_is_refused(draw, words):
    with pytest.raises(InputError, match=words):
        draw()


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
