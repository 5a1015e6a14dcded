"""Closed forms derived by sympy: against the sums, the forms that are kept, and appendix A.3."""

import random
import re
from fractions import Fraction
from importlib.resources import files
from math import ceil

import numpy as np
import pytest
import sympy

from lccmodel.errors import InputError
from lccmodel.pipelining.cost import derive
from lccmodel.pipelining.cost.derive import excess_table, forms_to_keep
from lccmodel.pipelining.cost.formulas import (
    communication_time,
    kept_forms,
    linear_stretches,
    shallow_candidates,
    shallow_stationary,
    stationary_point,
    steps_formula,
)
from lccmodel.pipelining.cost.published import compare_with_print, printed_total
from lccmodel.pipelining.cost.steps import MODELS
from lccmodel.pipelining.cost.steps import step_table as table_of
from tests.choosing import sampled, slow
from tests.pipelining.equal import step_table, steps, total_steps

d, Q, N, alpha, tau, b, c_ = sympy.symbols("d Q N alpha tau b c")


SIZES = {1: range(1, 15), 2: range(2, 13, 2), 3: range(3, 22, 3), 4: (4, 8, 12, 20)}


def domain(sizes, regime):
    for D in sizes:
        for q in range(1, D + 1) if regime == "shallow" else (*range(D, 40), D + 7, 1000):
            yield D, q


NAMES = {
    "F": Fraction,
    "ceiling": lambda x: Fraction(ceil(x)),
    "Mod": lambda x, y: x % y,
    "Eq": lambda x, y: x == y,
    "Piecewise": lambda *pieces: next(value for value, holds in pieces if holds),
}


def evaluated(expression):
    """The text of an expression as a function of d and Q in fractions, without sympy."""
    code = compile(re.sub(r"\b(\d+)\b", r"F(\1)", str(expression)), "closed form", "eval")
    return lambda D, q: eval(code, NAMES, {"d": Fraction(D), "Q": Fraction(q)})


@pytest.mark.parametrize("regime", ["shallow", "deep"])
@pytest.mark.parametrize("model", sampled(MODELS, 2))
@pytest.mark.parametrize("c", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_closed_forms_are_their_sums(c, model, regime):
    """The domain of the claims and past every special case; c = 4 is derived when asked for."""
    form = evaluated(steps_formula(c, model, regime))
    for D, q in domain(SIZES[c], regime):
        assert form(D, q) == total_steps(D, q, c, model), (D, q)


@pytest.mark.parametrize("regime", ["shallow", "deep"])
def test_one_formula_of_the_load_for_all_c(regime):
    """Control: it is not the formula of the lower bound."""
    for c in range(1, 7):
        form = evaluated(steps_formula(None, "load", regime).subs(c_, c))
        cases = list(domain(range(c, 4 * c + 1, c), regime))
        assert all(form(D, q) == total_steps(D, q, c, "load") for D, q in cases), c
        assert c == 1 or any(form(D, q) != total_steps(D, q, c, "lower-bound") for D, q in cases)


def test_the_forms_that_are_kept_are_what_the_derivation_gives():
    text = files("lccmodel.pipelining").joinpath("data/closed_forms.json").read_text("utf-8")
    assert forms_to_keep() == text
    axes = [(None, "load"), *((c, model) for c in (1, 2, 3) for model in MODELS)]
    keys = {(c, regime, model) for c, model in axes for regime in ("shallow", "deep")}
    assert set(kept_forms()) == keys  # others are derived when they are asked for


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("c", [1, 2, 3])
def test_T_is_stationary_at_Q_star(c, model):
    star = stationary_point(c, model)
    T = communication_time(c, model, "deep")
    values = {d: 6, N: 5000, alpha: 7, tau: sympy.Rational(1, 3), b: 11}
    slope = sympy.diff(T.subs(values), Q).subs(Q, star.subs(values))
    assert sympy.simplify(slope) == 0
    table = step_table(6, c, model)
    expected = sympy.sqrt(sympy.Rational(table.A * 5000, 3) / (7 * table.B + 11))
    assert sympy.simplify(star.subs(values) - expected) == 0


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("c", [1, 2, 3])
def test_every_case_of_Q_star_is_met_by_some_d(c, model):
    """No branch whose conditions contradict each other, or an earlier one."""
    for cases in stationary_point(c, model).atoms(sympy.Piecewise):
        met = set()
        for D in range(c, 24 * c, c):
            held = [bool(condition.subs(d, D)) for _, condition in cases.args]
            met.add(held.index(True))
        assert met == set(range(len(cases.args))), cases


def long(c, model, stride):
    """What is long is slow, and has a case beside it that looks at fewer M."""
    return (c > 2 and stride == 1) or (c == 5 and model == "schedule")


STRIDES = ((1, 1), (2, 1), (3, 2), (3, 1), (4, 19), (4, 1), (5, 29), (5, 1))


@pytest.mark.parametrize(
    ("c", "model", "stride"),
    [
        slow((c, model, stride)) if long(c, model, stride) else (c, model, stride)
        for c, stride in STRIDES
        for model in MODELS
    ],
)
def test_the_excess_repeats_as_the_table_says(c, model, stride):
    """Far beyond what the table was read from; for large c every M only among the slow tests."""
    table = excess_table(c, model)
    before, after = table.start - 1, table.start - 1 + table.period
    assert table.start == 0 or any(row[before] != row[after] for row in table.rows)
    assert not table.rows or any(table.rows[-1])
    for i in range(6 * c):
        for M in range(1 + i % stride, 40 * c, stride):
            expected = steps(i, M, c, model) - steps(i, M, c, "load")
            assert table.at(i, M) == expected, (i, M)


def test_printed_formulas_are_the_link_load():
    """calmant.closed.*: all cases agree with the load; on meshes no feasible model does."""
    lines = [line for c in (1, 2, 3) for line in compare_with_print(c)]
    for line in lines:
        assert line.of > 0
        assert (line.first is None) == (line.agree == line.of)
        assert (line.first is None) == (line.model == "load" or line.c == 1), str(line)
        assert ("smallest other" in str(line)) == (line.first is not None)
    first = {(line.c, line.regime, line.case, line.model): line.first for line in lines}
    assert first[2, "shallow", "odd", "lower-bound"] == (2, 2, 3, 4)
    assert first[2, "shallow", "even", "paper"] == (4, 3, 10, 15)
    assert first[2, "deep", "even", "schedule"] == (4, 4, 12, 17)
    assert first[2, "deep", "even", "printed r"] == (4, 4, 12, 18)
    assert first[3, "deep", "odd", "paper"] == (3, 3, 5, 9)
    four_an_axis = compare_with_print(4)
    assert four_an_axis == compare_with_print(4, max_d=16) != compare_with_print(4, max_d=20)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: communication_time(2, "load", "medium"), "regime: must be"),
        (lambda: communication_time(2, "exact"), "model: must be one of"),
        (lambda: communication_time(None, "paper"), "c: must be given"),
        (lambda: communication_time(0), "c: must be at least 1"),
        (lambda: communication_time("2"), "c: must be an integer"),
        (lambda: communication_time(10**40), "c: "),
        (lambda: communication_time(10**40, "load"), "c: "),
        (lambda: shallow_stationary(0), "c: must be at least 1"),
        (lambda: printed_total(4, 5, 2, "shallow"), "Q: must be in 1..4"),
        (lambda: printed_total(4, 3, 2, "deep"), "Q: must be at least 4"),
        (lambda: printed_total(4, 3, 2, "flat"), "regime: must be"),
        (lambda: printed_total(5, 3, 2, "shallow"), "d a multiple of c"),
        (lambda: compare_with_print(0), "c: must be at least 1"),
        (lambda: compare_with_print(2, max_Q=0), "max_Q: must be at least 1"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_a_model_that_never_settles_is_refused(monkeypatch):
    """Control of the table: a rest that grows for ever is not taken for a periodic one."""

    monkeypatch.setattr(derive, "largest_load", lambda runs: 0)
    monkeypatch.setattr(derive, "_steps", lambda i, M, c, model: M * M)
    excess_table.cache_clear()
    with pytest.raises(InputError, match="for all i"):
        excess_table(2, "lower-bound")
    monkeypatch.setattr(derive, "_steps", lambda i, M, c, model: 0 if i else M * M)
    with pytest.raises(InputError, match="does not repeat"):
        excess_table(2, "lower-bound")
    excess_table.cache_clear()


@pytest.mark.parametrize(
    ("c", "most"), sampled([(1, 4), (2, 4), (3, 2), pytest.param(3, 4, marks=pytest.mark.slow)], 4)
)
@pytest.mark.parametrize("model", MODELS)
def test_one_expression_is_right_for_every_degree(c, most, model):
    """On both sides of d, as numbers and as numpy arrays of integers and of floats."""
    whole, time = steps_formula(c, model), communication_time(c, model)
    assert time.free_symbols == {d, Q, N, alpha, tau, b}
    for D in range(c, most * c + 1, c):
        counted = [total_steps(D, q, c, model) for q in range(1, 3 * D + 3)]
        at_d = whole.subs(d, D)
        assert [at_d.subs(Q, q) for q in range(1, 3 * D + 3)] == counted
        function = sympy.lambdify(Q, at_d)
        for kind in (np.int64, np.float64):
            steps_of_array = function(np.arange(1, 3 * D + 3, dtype=kind))
            assert np.allclose(steps_of_array, counted, rtol=1e-12)
        T = sympy.lambdify((Q, N), time.subs({"d": D, "alpha": 5, "tau": 3, "b": 2}))
        assert T(2, 60) == pytest.approx(counted[1] * (5 + 90) + (D + 1) * 2)


@pytest.mark.parametrize("mesh", ["64x64", "16x16x16", "4096", "8x64", "4x8x32", "torus:16x16"])
def test_the_best_shallow_degree_is_among_the_candidates(mesh):
    """Against every degree below d, for every model the machine has."""
    draw = random.Random(mesh)
    for model in MODELS:
        if model == "paper" and mesh in ("8x64", "4x8x32", "torus:16x16"):
            continue
        table = table_of(mesh, model)
        stretches = linear_stretches(table)
        assert [Q for s in stretches for Q in range(s.first, s.last + 1)] == list(range(1, table.d))
        for s in stretches:
            assert all(s.A + s.B * Q == table.shallow[Q] for Q in range(s.first, s.last + 1))
        for _ in range(60):
            N, alpha, tau, b = (draw.randrange(1, 10 ** draw.randrange(1, 6)) for _ in range(4))
            b *= draw.randrange(2)
            ticks = {
                Q: Fraction(table.shallow[Q] * (Q * alpha + N * tau), Q) + (table.d + Q - 1) * b
                for Q in range(1, min(table.d - 1, N) + 1)
            }
            candidates = shallow_candidates(table, N, alpha, tau, b)
            assert min(ticks[Q] for Q in candidates) == min(ticks.values())


@pytest.mark.parametrize("c", [1, 2, 3, None])
def test_shallow_stationary_points_are_those_of_the_stretches(c):
    """Q* of each even height, from the formula and from the counted line through the stretch."""
    values = {"N": 5000, "alpha": 30, "tau": 2, "b": 7}
    axes, d = c or 2, 6 * (c or 2)
    for g in (2, 4):
        first = axes * (g - 2) + 1
        P = [total_steps(d, Q, axes, "load") for Q in range(first, axes * g + 1)]
        B = P[1] - P[0]
        A = P[0] - B * first
        assert [A + B * Q for Q in range(first, axes * g + 1)] == P
        star = shallow_stationary(c).subs({"d": d, "g": g, "c": axes, **values})
        assert star**2 == Fraction(A * 5000 * 2, B * 30 + 7)
