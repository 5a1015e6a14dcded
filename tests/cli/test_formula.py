"""`lccmodel formula`: formulas of families and papers, counted on demand, bad input in one line."""

from __future__ import annotations

import pytest

from lccmodel.symbolic import FAMILIES, FORMULAS
from tests.cli.calling import records, run


def test_the_formulas_of_a_family() -> None:
    rows = {row["quantity"]: row["formula"] for row in records("formula", "matrix-transpose:r")}
    assert rows["load"] == "2**Min(i, n - r, r - 1, -i + n - 1)"
    assert rows["degree"] == "2**Min(n - r, r - 1)"
    assert rows["best degree"] == "1"
    text = run("formula", "bit-reverse", "--network", "origin:n", "--check", "6").stdout
    assert "counted for n <= 6: 6 members, 6 walked, 0 by matrix ranks; all equal" in text
    assert "R5: on an origin" in text
    assert r"\min\left(" in run("formula", "reverse-flip", "-f", "latex").stdout


def test_the_formulas_of_a_traffic_pattern() -> None:
    rows = {row["quantity"]: row["formula"] for row in records("formula", "Uniform")}
    assert rows == {
        "load": "2**(n - 1)",
        "degree": "2**(n - 1)",
        "sum": "2**(n - 1)*n",
        "distance": "2**(2*n - 1)*n",
    }
    rows = {r["quantity"]: r for r in records("formula", "tornado", "-N", "torus:2^a x 2^b")}
    assert rows["load of axis 0"]["formula"] == "2**(a - 1) - 1"
    assert rows["distance"]["derived"] is True
    text = run("formula", "uniform", "-N", "mesh:2^a x 2^b", "--check", "4").stdout
    assert "counted for n <= 4: 6 members, 6 walked, 0 by matrix ranks; all equal" in text
    assert (
        r"2^{a + n - 2}" in run("formula", "uniform", "-N", "mesh:2^a x 2^b", "-f", "latex").stdout
    )


def test_a_fit_says_that_it_is_not_proved() -> None:
    text = run("formula", "bit-reverse", "-N", "torus:2^a x 2^b").stdout
    assert "not proved: a form that fits all counts up to n = 12" in text
    rows = records("formula", "bit-reverse", "-N", "torus:2^a x 2^b")
    assert not all(row["derived"] for row in rows)


def test_a_formula_of_the_papers() -> None:
    (row,) = records("formula", "border:c=1")
    assert row["derived"] is False
    assert "tau > 0" in row["where"]
    (row,) = records("formula", "time:c=2,model=load")
    assert row["name"] == "time(c=2, model=load)"


def test_a_name_of_a_family_and_of_a_formula() -> None:
    """`exchange` is a communication and a formula; the communication could not be named."""
    rows = {row["quantity"]: row["formula"] for row in records("formula", "exchange:k")}
    assert rows["degree"] == "1"
    (row,) = records("formula", "exchange:method=direct")
    assert row["name"] == "exchange(method=direct)"


def test_the_list_has_every_name() -> None:
    names = [
        row["name"].partition(":")[0].partition("(")[0] for row in records("formula", "--list")
    ]
    assert names == [*FORMULAS, *FAMILIES]


def test_the_catalogue_shows_the_load_for_every_n() -> None:
    assert "2**Min(1, i, -i + n - 1) for n >= 2" in run("catalog", "unshuffle").stdout


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ((), "NAME: must be given, or --list"),
        (("qqq",), "NAME: no communication or formula has this name; formula --list"),
        (("bit-revers",), "did you mean 'bit-reverse'?"),
        (("bordr:c=1",), "did you mean 'border'?"),
        (("shift:n",), "family: must satisfy k >= 1 and k < n; got 'shift:n'"),
        (("bit-reverse", "-N", "mesh:2^0 x 2^b"), "--network: must have sides of at least 2"),
        (("bit-reverse", "-N", "mesh:2^a x 2^b", "--check", "13"), "--check: must be at most 12"),
        (("bit-permute-complement:1-0",), "has no family"),
        (("bit-reverse", "-N", "fattree:4x4"), "no rule covers this network"),
        (("bit-reverse", "-N", "cube:m"), "must have the n address bits"),
        (("shift:__import__('os')",), "must be a sympy expression or its text"),
        (("scale2", "-N", "mesh:2^a x 2^b x 2^c"), "no rule proves this family"),
        (("time:c",), "must have arguments such as c=2"),
        (("time:c=0",), "c: must be at least 1"),
        (("border:c=1", "-N", "cube:n"), "is a formula of the papers, not a family"),
        (("border:c=1", "--check", "5"), "is a formula of the papers, not a family"),
        (("bit-reverse", "--list"), "NAME: cannot be combined with --list"),
        (("--list", "-N", "cube:n"), "--network: cannot be combined with --list"),
        (("--list", "--check", "3"), "--check: cannot be combined with --list"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], rule: str) -> None:
    result = run("formula", *arguments)
    assert result.exit_code == 2
    assert rule in result.stderr
    assert len(result.stderr.splitlines()) == 1
