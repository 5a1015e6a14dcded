"""Formulas as they are written, read back and evaluated: LaTeX and plain text say the value.

A plus for a minus in `formula_latex` was noticed by nothing. What LaTeX says is read by a grammar
of its own (`reading_latex`), what plain text says by sympy; both are compared with the formula, and
P(d,Q) with the steps that are counted.
"""

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
import sympy

from lccmodel.pipelining.cost.formulas import stationary_point, steps_formula, time_formula
from lccmodel.pipelining.cost.steps import MODELS, Model, iterations, steps
from lccmodel.pipelining.embedding import as_mesh
from lccmodel.pipelining.task import Task
from lccmodel.show.formula_tables import derived_table, formula_latex, formula_table
from tests.choosing import sampled
from tests.cli import calling
from tests.show.reading_latex import value_of


def steps_of_degree(network: str, Q: int, model: Model, ports: Any = "one") -> int:
    """P(d,Q), counted iteration by iteration [calmant, section 3.3]."""
    d = as_mesh(network).n
    return sum(steps(Task(i, M, network, ports), model) for i, M in iterations(d, Q))


NAMES = ("d", "Q", "N", "c", "alpha", "tau", "b", "P")


def samples(count: int, c: int | None = None, seed: int = 1) -> Iterator[dict[str, Any]]:
    """Values of all symbols: d a multiple of c, Q on either side of d."""
    chance = random.Random(seed)
    for _ in range(count):
        axes = c or chance.randint(1, 4)
        d = axes * chance.randint(1, 5)
        found = {"c": axes, "d": d, "Q": chance.randint(1, 2 * d)}
        found |= {name: chance.randint(1, 50) for name in ("N", "alpha", "tau", "b", "P")}
        yield {name: sympy.Integer(value) for name, value in found.items()}


def put_in(value: Any, given: dict[str, Any]) -> Any:
    return value.subs({symbol: given[symbol.name] for symbol in value.free_symbols})


def same(value: Any, latex: str, given: dict[str, Any]) -> None:
    expected = put_in(value, given)
    known = {name: sympy.Symbol(name) for name in NAMES}
    text = sympy.sympify(str(value), locals={**known, **{s.name: s for s in value.free_symbols}})
    assert sympy.simplify(put_in(text, given) - expected) == 0, (str(value), given)
    read = value_of(latex, given)
    assert sympy.simplify(read - expected) == 0, (latex, given, read, expected)


CASES = [(c, model) for c in (1, 2, 3) for model in MODELS if model != "paper"] + [(None, "load")]


@pytest.mark.parametrize(("c", "model"), sampled(CASES, 5))
def test_steps_and_the_best_degree_as_latex(c, model):
    """P in either regime, Q*, and T."""
    forms = {name: steps_formula(c, model, name) for name in ("shallow", "deep")}
    latex = {name: formula_latex("P", form) for name, form in forms.items()}
    for given in samples(20, c):
        regime = "shallow" if given["Q"] < given["d"] else "deep"
        same(forms[regime], latex[regime], given)
    best, taken = stationary_point(c, model), time_formula(sympy.Symbol("P"))
    for given in samples(12, c):
        same(best, formula_latex("Q^*", best), given)
        same(taken, formula_latex("T", taken), given)


def long_sums(seed: int) -> Any:
    """A formula of more than one line, with signs, cases and fractions in every place."""
    chance = random.Random(seed)
    symbols = [sympy.Symbol(name) for name in ("d", "Q", "N", "c")]
    d, Q, N, c = symbols
    parts = [
        sympy.Piecewise((chance.choice(symbols) - 3, sympy.Eq(d, 4)), (-Q, True)),
        sympy.Piecewise((1, sympy.Eq(sympy.Mod(d, 2), 0)), (-N + Q, sympy.Eq(Q, 3)), (0, True)),
        sympy.Piecewise((2, sympy.Or(sympy.Eq(Q, 2), sympy.Eq(Q, 5))), (-1, True)),
        sympy.ceiling(Q / c),
    ]
    total = sympy.Integer(0)
    for _ in range(chance.randint(2, 9)):
        term = chance.choice((-1, 1)) * sympy.Rational(chance.randint(1, 9), chance.randint(1, 4))
        for _ in range(chance.randint(1, 3)):
            term *= chance.choice([*symbols, *parts, 2**d, d - Q, N + 2 * c - 1])
        total += term
    return total


@pytest.mark.parametrize("seed", sampled(range(60), 6))
def test_any_formula_as_latex(seed):
    form = long_sums(seed)
    for given in samples(6, seed=seed):
        same(form, formula_latex("y", form), given)


def test_long_formulas_are_among_them():
    written = [formula_latex("y", long_sums(seed)) for seed in range(0, 60, 3)]
    assert sum("&\\quad" in latex for latex in written) > 3
    assert sum("f_{2}" in latex for latex in written) > 3


@pytest.mark.parametrize("heights", [(), (2,), (2, 3), (2, 3, 5)])
def test_one_height_has_a_name(heights):
    """⌈Q/c⌉ is called h and defined once; several are no h, and each keeps its value."""
    Q = sympy.Symbol("Q")
    value = sum(((k + 5) * sympy.ceiling(Q / k) ** 2 for k in heights), Q**2)
    value += sympy.Piecewise((1, sympy.Eq(Q, 4)), (Q, True))
    latex = formula_latex("y", value)
    assert latex.count(r"\lceil") == len(heights)
    assert latex.count("h &=") == latex.count("h^{2}") == (len(heights) == 1)
    for number in range(1, 12):
        given = {"Q": sympy.Integer(number)}
        assert value_of(latex, given) == put_in(value, given)


def test_a_spoiled_sign_is_noticed():
    """The negative control: each sign of a formula, turned, changes what is read."""
    form = steps_formula(2, "schedule", "deep")
    latex, given = formula_latex("P", form), next(samples(1, 2, seed=5)) | {"Q": sympy.Integer(13)}
    right = value_of(latex, given)
    places = [i for i, letter in enumerate(latex) if letter in "+-" and latex[i - 1] == " "]
    changed = [latex[:i] + "+-"[latex[i] == "+"] + latex[i + 1 :] for i in places]
    assert sum(value_of(one, given) != right for one in changed) >= len(changed) // 2


NETWORKS = ["mesh:4x4", "mesh:16", "mesh:8x4", "torus:4x4", "mesh:2x2x2", "mesh:8x8", "mesh:8x8x8"]


@pytest.mark.parametrize(
    ("network", "model", "ports"),
    [
        *((network, "schedule", "one") for network in NETWORKS),
        *((network, "load", "all") for network in NETWORKS[:5]),
        *(sampled([("mesh:8x8", model, "one") for model in MODELS], 2)),
    ],
)
def test_a_table_of_formulas_says_what_is_counted(network, model, ports):
    """P(d,Q) of this network and of any d in its regime, as text and as LaTeX, at every Q."""
    records = [r for r in formula_table(network, model, ports).records() if r["quantity"][0] == "P"]
    d = as_mesh(network).n
    counted = {Q: steps_of_degree(network, Q, model, ports) for Q in range(1, d + 5)}
    assert list(records[0]["shallow_steps"]) == [counted[Q] for Q in range(1, d)]
    for record in records:
        form = sympy.sympify(record["formula"], locals={name: sympy.Symbol(name) for name in NAMES})
        for Q, steps_counted in counted.items():
            if Q == d or (Q < d) == ("≤" in record["where"]):
                given = {"Q": sympy.Integer(Q), "d": sympy.Integer(d)}
                assert put_in(form, given) == steps_counted, (record, Q)
                if "this" in record["where"]:
                    assert value_of(f"${record['latex']}$", given) == steps_counted


def test_the_derived_table_has_the_formulas_of_its_regimes():
    for row in derived_table((2,), ("schedule",)).records()[2:]:
        regime: Any = {"Q ≤ d": "shallow", "Q ≥ d": "deep"}[row["where"]]
        assert row["formula"] == str(steps_formula(2, "schedule", regime))


@pytest.mark.parametrize("network", ["mesh:8x8", "mesh:32x32"])
def test_the_command_prints_what_it_means(network):
    """`pipeline --formula -f latex` printed `+ d f_2` where `- d f_2` is meant."""
    command = ["pipeline", "--formula", "-N", network]
    printed = calling.run(*command, "-f", "latex").stdout
    data = json.loads(calling.run(*command, "-f", "json").stdout)
    several = re.findall(r"\\begin\{align\}.*?\\end\{align\}", printed, re.DOTALL)
    blocks = {block.split(r"\label{")[1].split("}")[0]: block for block in several}
    shown = [row.rsplit("&", 1)[1].rstrip(" \\") for row in printed.splitlines() if row[:1] == "$"]
    assert len(shown) == len(data)
    known = {name: sympy.Symbol(name) for name in NAMES}
    for cell, record in zip(shown, data, strict=True):
        cell = cell.strip()
        latex = blocks[cell[7:-1]] if cell.startswith(r"\eqref") else cell
        form = sympy.sympify(record["formula"], locals=known)
        for given in samples(8, 2, seed=3):
            shallow = "≤" in record["where"]
            if "d =" not in record["where"] or shallow == (given["Q"] <= given["d"]):
                same(form, latex, given)
