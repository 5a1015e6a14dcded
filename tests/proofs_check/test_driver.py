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
from proofs_check.driver import MEETINGS, NO_CASE, STATIONS, compiled_claim
from proofs_check.stations import crossed_channels, held_by_nodes, messages
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


@pytest.mark.parametrize(
    "over",
    sampled(
        [
            AllMatrices(),
            Nonsingular(),
            Singular(),
            PAIRS,
            Nonsingular() * AllVectors("b"),
            OfRank("A", lambda n: range(1, n), "neither zero nor of full rank") * AllVectors("b"),
            OfRank("A", lambda n: (n,), "nonsingular but I", without_identity=True),
        ],
        2,
    ),
)
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
def test_it_stops_at_the_least_index_that_fails(declare):
    check = declare(is_not, PAIRS, tables=lambda n, **_: (37,)).check
    assert check(2, 0, 64) == Examined(38, 37)
    assert check(2, 30, 64) == Examined(8, 37)
    assert check(2, 38, 64) == Examined(26)


@pytest.mark.usefixtures("uncompiled")
def test_matrices_that_are_no_case_are_passed_over(declare):
    """0 is singular: the first pair of the nonsingular ones with b_0 = 0 comes later."""
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


def as_walked(case, held, crossed, other=0):
    for S in range(1 << case.n):
        if case.held[S, 1] != held[case.number, S]:
            return False
        for j in range(case.n):
            side = case.found >> j & 1
            if not S >> j & 1 and case.crossing[side, S, j, 1] != crossed[case.number, S, j]:
                return False
    return True


@pytest.mark.slow
def test_stations_are_what_single_messages_say(declare):
    """held[S] and crossing[side, S, j] against messages walked one after another, n = 2."""
    n = 2
    held = np.zeros((64, 4), np.int64)
    crossed = np.zeros((64, 4, 2), np.int64)
    for index, (A, b) in PAIRS.cases(n, 0, 64):
        pairs = messages(A, int(b))
        for S in range(4):
            bits = [k for k in range(n) if S >> k & 1]
            held[index, S] = max(held_by_nodes(pairs, bits).values())
            for j in set(range(n)) - set(bits):
                loads = crossed_channels(pairs, bits, j).values()
                crossed[index, S, j] = max(loads, default=0)
    for spoiled in (None, held, crossed):
        tables = [table.copy() for table in (held, crossed)]
        for table, kept in zip(tables, (held, crossed), strict=True):
            table[41] += kept is spoiled
        made = declare(as_walked, PAIRS, counted=STATIONS, tables=lambda n, t=tables, **_: tuple(t))
        assert made.check(n, 0, 64) == (Examined(64) if spoiled is None else Examined(42, 41))


def meets_as_listed(case, meeting, kernel_size, other=0):
    for S in range(1 << case.n):
        for j in range(case.n):
            if case.meeting[S, j] != meeting[case.code, S, j]:
                return False
    return case.found == kernel_size[case.code]


@pytest.mark.usefixtures("uncompiled")
def test_meetings_are_counted_for_every_set_and_bit(declare):
    """meeting[S, j] = #{v in S : Av outside S and j}, listed; and #{v : Av = 0}."""
    n = 2
    meeting, kernel_size = np.ones((16, 4, 2), np.int64), np.zeros(16, np.int64)
    for code, (A,) in AllMatrices().cases(n, 0, 16):
        kernel_size[code] = sum(A.apply(v) == 0 for v in range(4))
        for S, j in itertools.product(range(4), range(n)):
            if not S >> j & 1:
                inside = [v for v in range(4) if not v & ~S]
                meeting[code, S, j] = sum(not A.apply(v) & (S | 1 << j) for v in inside)
    outside = [(S, j) for S in range(4) for j in range(n) if S >> j & 1]
    check = declare(
        meets_as_listed, PAIRS, counted=MEETINGS, tables=lambda n, **_: (meeting, kernel_size)
    ).check
    assert outside
    assert check(n, 0, 64) == Examined(64)


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


def examples() -> dict[str, str]:
    """File name -> text of the complete files that the page shows."""
    return dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", PAGE.read_text(), flags=re.DOTALL))


@pytest.mark.parametrize(
    ("name", "id", "cases"),
    [("my_claims", "own.busiest", 4 + 64 + 4096), ("my_kernels", "own.order", 1 + 6 + 168)],
)
def test_a_newcomer_s_claim_takes_fifteen_lines(name, id, cases, tmp_path, monkeypatch):
    """The files of the page, as they stand there: settled, every case counted, control rejected."""
    monkeypatch.setattr(claims, "registered", dict(claims.registered))
    text = examples()[name]
    claim = text.partition("@")[2].strip().splitlines()
    assert len(claim) <= 15
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module(name)
    result = check(id)
    assert (result.verdict, result.cases) == ("holds", cases)
    assert result.control.rejected
