"""Closed forms are believed when counted plans agree, on every small network of the family.

A ring of p ranks: 2 (p - 1)/p vectors on the busiest channel, and so on (docs/collectives.md).
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy

from lccmodel import collectives
from lccmodel.collectives.formulas import ClosedForm, closed_form, closed_forms
from lccmodel.errors import InputError
from tests.choosing import fast_only, sampled

KNOWN = {  # for each algorithm the families: cube, line, ring, torus; * with all ports
    "allreduce": "ring clr, rabenseifner clrt, recursive-doubling clrt, binomial-tree clr, "
    "double-tree clr, bine-tree cr, binary-tree c, bucket lrt, chain-tree lr, swing rt*, bine r, "
    "swing-latency r, bine-latency r",
    "reduce-scatter": "ring clr, recursive-halving clr, pairwise clr, bucket lrt, swing rt*, "
    "bine r",
    "allgather": "ring clr, bruck clr, recursive-doubling clr, neighbour-exchange clr, bucket lrt, "
    "swing rt*, bine r, direct cl",
    "broadcast": "binomial clr, scatter-allgather clr, bine cr, binary c, chain lr, circulant clr, "
    "scatter-ring clr, edge-disjoint-trees c*",
    "reduce": "binomial clr, bine cr, circulant clr, ring-gather clr, rabenseifner clr, "
    "edge-disjoint-trees c*",
    "alltoall": "bruck clr, exchange clr, pairwise clr, linear cl",
    "scatter": "binomial clr, chain clr, direct clr",
    "gather": "binomial clr, chain clr, direct clr",
    "barrier": "dissemination clr",
}
FAMILIES = {"c": "cube", "l": "line", "r": "ring", "t": "torus"}
NAMED = [
    (kind, name, FAMILIES[letters[0]], "all" if letters[1:] else "one")
    for kind, listed in KNOWN.items()
    for name, families in (entry.split() for entry in listed.split(", "))
    for letters in re.findall(r"\w\*?", families)
]
"""Made in the test: what is off by one is off there, too."""


def networks(form: ClosedForm) -> list[tuple[str, dict[str, int]]]:
    least = int(form.where.split("k >= ")[-1].split("n >= ")[-1])
    if form.family == "torus":
        return [
            ("torus:" + "x".join([str(2**k)] * D), {"k": k, "D": D})
            for D in (2, 3)
            for k in range(least, 5)
            if D * k <= 9
        ]
    word = {"cube": "cube:{n}", "line": "mesh:{p}", "ring": "torus:{p}"}[form.family]
    return [(word.format(n=n, p=2**n), {"n": n}) for n in range(least, 8)]


@pytest.mark.parametrize("kind", sampled(KNOWN, 3))
@pytest.mark.parametrize("sizes", fast_only([2, 9], 2), ids=["small", "large"])
def test_a_closed_form_is_what_is_counted(kind: str, sizes: int) -> None:
    """Forms of one collective at a time, since all of them are made at once."""
    for form in closed_forms(kind):
        for network, values in networks(form)[:sizes]:
            found = collectives.collective_of(
                form.collective, form.algorithm, network, ports=form.ports
            )
            assert form.at(**values) == (found.start_ups, found.busiest), (form, network)


@pytest.mark.parametrize("kind", KNOWN)
def test_a_closed_form_holds_for_no_smaller_size_than_it_says(kind: str) -> None:
    """From 1 on, or from 2, as one bit is another sum; Swing and its like say 2 all the same."""
    for form in closed_forms(kind):
        least = int(form.where[-1])
        assert form.where[:-1] == (
            "D >= 2 axes of 2^k, k >= " if form.family == "torus" else "p = 2^n, n >= "
        )
        if least > 1:
            network, values = networks(replace(form, where=f"{form.where[:-1]}1"))[0]
            one = collectives.collective_of(
                form.collective, form.algorithm, network, ports=form.ports
            )
            said = replace(form, where=f"{form.where[:-1]}1").at(**values)
            alike = form.family == "ring" and form.algorithm.split("-")[0] in ("swing", "bine")
            alike |= form.algorithm == "neighbour-exchange" and form.family != "line"
            assert (said == (one.start_ups, one.busiest), least) == (alike, 2), form


@pytest.mark.parametrize(("axes", "limit"), [(2, (6, 5)), (3, (28, 27)), (4, (120, 119))])
def test_the_limit_of_swings_deficiency_follows(axes: int, limit: tuple[int, int]) -> None:
    """d / (2 (p - 1) / p / 2 D) for sides that grow; the paper prints 1.19, 1.03, 1.008."""
    data = closed_form("allreduce", "swing", "torus", "all").at(D=axes, k=60)[1]
    assert 0 < Fraction(*limit) - data * axes < Fraction(1, 10**9)


def test_what_has_no_formula_is_said() -> None:
    with pytest.raises(InputError, match="has closed forms for"):
        closed_form("broadcast", "binary", "ring")


def test_what_is_read_off_counts_says_so() -> None:
    assert not closed_form("allreduce", "double-tree", "ring").derived
    assert not closed_form("broadcast", "bine", "cube").derived
    assert closed_form("allreduce", "bine", "ring").derived


@pytest.mark.parametrize(
    ("name", "family", "ports", "sizes", "rule"),
    [
        ("double-tree", "ring", "one", {"n": 1}, "n: must be at least 2"),
        ("swing", "torus", "all", {"D": 1, "k": 3}, "D: must be at least 2"),
        ("ring", "ring", "one", {"n": 2.5}, "n: must be"),
        ("ring", "ring", "one", {"k": 2}, "sizes: must be n"),
        ("swing", "torus", "all", {"k": 2}, "sizes: must be D and k"),
    ],
)
def test_sizes_outside_a_form_are_refused(
    name: str, family: str, ports: str, sizes: dict[str, int], rule: str
) -> None:
    """A double tree of two ranks carried -1 vectors."""
    with pytest.raises(InputError, match=rule):
        closed_form("allreduce", name, family, ports).at(**sizes)


def test_these_algorithms_have_a_closed_form() -> None:
    for kind in KNOWN:
        found = [(f.collective, f.algorithm, f.family, f.ports) for f in closed_forms(kind)]
        assert sorted(found) == sorted(named for named in NAMED if named[0] == kind)


@pytest.mark.parametrize("kind", sampled(collectives.COLLECTIVES, 4))
def test_the_time_is_that_of_start_ups_and_data(kind: str) -> None:
    """T = S α + d m τ in plain symbols; `subs` with string keys left all of them in 0.4."""
    alpha, tau, m = sympy.symbols("alpha tau m")
    for form in closed_forms(kind):
        assert sympy.expand(form.time - form.start_ups * alpha - form.data * m * tau) == 0
        names = {"alpha": 5, "tau": 2, "m": 7, "n": 3, "k": 3, "D": 2}
        assert form.time.subs(names) == (form.start_ups * 5 + form.data * 14).subs(names)
        assert form.time.subs(names).is_Rational
