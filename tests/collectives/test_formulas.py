"""Closed forms are believed when counted plans agree, on every small network of the family.

A ring of p ranks: 2 (p - 1)/p vectors on the busiest channel, and so on (docs/collectives.md).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy

from lccmodel import collectives
from lccmodel.collectives.formulas import ClosedForm, closed_form, closed_forms
from lccmodel.errors import InputError
from tests.choosing import fast_only, sampled

KNOWN = {
    "allreduce": 30, "reduce-scatter": 15, "allgather": 20, "broadcast": 18, "reduce": 15,
    "alltoall": 11, "barrier": 3, "scatter": 9, "gather": 9,
}  # fmt: skip
"""How many closed forms there are: of cubes, lines, rings and tori, with one port and with all."""


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
    assert len(closed_forms(kind)) == KNOWN[kind]
    for form in closed_forms(kind):
        for network, values in networks(form)[:sizes]:
            counted = collectives.collective_of(
                form.collective, form.algorithm, network, ports=form.ports
            )
            assert form.at(**values) == (counted.start_ups, counted.busiest), (form, network)


@pytest.mark.parametrize(("axes", "limit"), [(2, (6, 5)), (3, (28, 27)), (4, (120, 119))])
def test_the_limit_of_swings_deficiency_follows(axes: int, limit: tuple[int, int]) -> None:
    """d / (2 (p - 1) / p / 2 D) for sides that grow; the paper prints 1.19, 1.03, 1.008."""
    data = closed_form("allreduce", "swing", "torus", "all").at(D=axes, k=60)[1]
    assert 0 < Fraction(*limit) - data * axes < Fraction(1, 10**9)
    # those that are read off counts say so
    derived = [closed_form("allreduce", name, "ring").derived for name in ("double-tree", "bine")]
    assert derived == [False, True]


@pytest.mark.parametrize(
    ("name", "family", "ports", "sizes", "rule"),
    [
        # a double tree of two ranks would carry -1 vectors
        ("double-tree", "ring", "one", {"n": 1}, "n: must be at least 2"),
        ("swing", "torus", "all", {"D": 1, "k": 3}, "D: must be at least 2"),
        ("ring", "ring", "one", {"n": 2.5}, "n: must be"),
        ("ring", "ring", "one", {"k": 2}, "sizes: must be n"),
        ("swing", "torus", "all", {"k": 2}, "sizes: must be D and k"),
        ("binary-tree", "ring", "one", {"n": 2}, "has closed forms for"),
    ],
)
def test_sizes_outside_a_form_are_refused(
    name: str, family: Any, ports: Any, sizes: dict[str, Any], rule: str
) -> None:
    with pytest.raises(InputError, match=rule):
        closed_form("allreduce", name, family, ports).at(**sizes)


@pytest.mark.parametrize("kind", sampled(collectives.COLLECTIVES, 4))
def test_the_time_is_that_of_start_ups_and_data(kind: str) -> None:
    """T = S α + d m τ in plain symbols; `subs` with string keys left all of them in 0.4."""
    alpha, tau, m = sympy.symbols("alpha tau m")
    for form in closed_forms(kind):
        assert sympy.expand(form.time - form.start_ups * alpha - form.data * m * tau) == 0
        names = {"alpha": 5, "tau": 2, "m": 7, "n": 3, "k": 3, "D": 2}
        assert form.time.subs(names) == (form.start_ups * 5 + form.data * 14).subs(names)
        assert form.time.subs(names).is_Rational
