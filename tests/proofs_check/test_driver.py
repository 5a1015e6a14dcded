"""The loop of compiled claims: which cases go by, what is counted of them, where it stops."""

import importlib
import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from proofs_check import check
from proofs_check import claim as claims
from proofs_check.claim import Control, Examined
from proofs_check.claims.hou_origin_steps import OfRank
from proofs_check.domain import (
    PAIRS,
    AllMatrices,
    AllOrders,
    AllSubsets,
    AllVectors,
    Nonsingular,
    Product,
    Singular,
)
from proofs_check.driver import NO_CASE, STATIONS, compiled_claim
from proofs_check.version import code_version
from tests.choosing import sampled


@pytest.fixture
def declare(monkeypatch):
    """`compiled_claim` whose claims leave the registry again."""
    monkeypatch.setattr(claims, "registered", dict(claims.registered))
    ids = (f"test.driver.{k}" for k in itertools.count())

    def declared(function, over, **more):
        control = Control("another", other=1)
        wording = {"place": "", "says": "", "evidence": "", "control": control}
        return compiled_claim(next(ids), over=over, **wording, **more)(function)

    return declared


def holds(case, other=0):
    return True


def is_not(case, wrong, other=0):
    return case.number != wrong


def has_low_bit(case, other=0):
    return case.b & 1 == 1


DOMAINS = [
    AllMatrices(),
    Nonsingular(),
    Singular(),
    PAIRS,
    Nonsingular() * AllVectors("b"),
    OfRank("A", lambda n: range(1, n), "neither zero nor of full rank") * AllVectors("b"),
    OfRank("A", lambda n: (n,), "nonsingular but I", without_identity=True),
]


@pytest.mark.parametrize("over", sampled(DOMAINS, 2))
@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_cases_are_those_of_the_domain(declare, over, n):
    """Counted by the loop, by the domain's formula and one by one; cut anywhere, they add up."""
    check = declare(holds, over).check
    span = over.span(n)
    assert check(n, 0, span) == Examined(over.size(n))
    assert len(list(over.cases(n, 0, span))) == over.size(n)
    cut = span // 3
    assert check(n, 0, cut).cases + check(n, cut, span).cases == over.size(n)


@pytest.mark.usefixtures("uncompiled")
def test_it_stops_at_the_least_index_that_fails_and_passes_over_what_is_no_case(declare):
    """0 is singular: the first pair of the nonsingular ones with b_0 = 0 comes later."""
    check = declare(is_not, PAIRS, tables=lambda n, **_: (37,)).check
    assert check(2, 0, 64) == Examined(38, 37)
    assert check(2, 30, 64) == Examined(8, 37)
    assert check(2, 38, 64) == Examined(26)
    over = Nonsingular() * AllVectors("b")
    first = next(index for index, (_, b) in over.cases(2, 0, 64) if not int(b) & 1)
    assert declare(has_low_bit, over).check(2, 0, 64) == Examined(1, first)


def has_both_parts(case, width, other=0):
    return case.number == case.code * width + case.b


def is_no_order(case, singular, other=0):
    return NO_CASE if singular[case.b] else case.number < 13


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    "over", [AllOrders(), AllSubsets(), AllMatrices() * AllOrders(), PAIRS * AllSubsets()]
)
@pytest.mark.parametrize("n", [1, 2])
def test_on_another_domain_a_case_is_its_number(declare, over, n):
    """Any range of it, and both parts of a product."""
    width = over.right.span(n) if isinstance(over, Product) else 1
    check = declare(has_both_parts, over, tables=lambda n, **_: (width,)).check
    span = over.span(n)
    for start, stop in [(0, span), (span // 3, span), (1, span // 2)]:
        assert check(n, start, stop) == Examined(max(stop - start, 0))


@pytest.mark.usefixtures("uncompiled")
def test_an_index_without_a_case_is_not_counted(declare):
    """Q from the right factor; the first case from index 13 on is where it stops."""
    over = AllOrders() * Nonsingular("Q")
    singular = np.array([over.right.case(2, k) is None for k in range(16)])
    check = declare(is_no_order, over, tables=lambda n, **_: (singular,)).check
    failing = next(k for k in range(13, 32) if not singular[k % 16])
    cases = int((~singular[np.arange(failing + 1) % 16]).sum())
    assert check(2, 0, 32) == Examined(cases, failing)


def test_the_version_follows_the_function_and_the_loop(declare):
    """Two claims that differ in their function, their tables or what is counted differ."""
    made = [
        declare(holds, PAIRS),
        declare(has_low_bit, PAIRS),
        declare(holds, PAIRS, counted=STATIONS),
        declare(is_not, PAIRS, tables=lambda n, **_: (1,)),
        declare(is_not, PAIRS, tables=lambda n, **_: (2,)),
    ]
    versions = [code_version(one.check) for one in made]
    assert len(set(versions)) == len(versions)
    assert code_version(declare(holds, PAIRS).check) == versions[0]


PAGE = Path(__file__).parents[2] / "docs" / "claim_forms.md"


@pytest.mark.parametrize(
    ("name", "id", "cases"),
    [("my_claims", "own.busiest", 4 + 64 + 4096), ("my_kernels", "own.order", 1 + 6 + 168)],
)
def test_a_newcomer_s_claim_takes_fifteen_lines(name, id, cases, tmp_path, monkeypatch):
    """The files of the page, as they stand there: settled, every case counted, control rejected."""
    monkeypatch.setattr(claims, "registered", dict(claims.registered))
    files = re.findall(r"```python\n# (\w+)\.py\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    text = dict(files)[name]
    assert len(text.partition("@")[2].strip().splitlines()) <= 15
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(name)
    result = check(id)
    assert (result.verdict, result.cases) == ("holds", cases)
    assert result.control.rejected
