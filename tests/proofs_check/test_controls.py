"""Negative controls are near misses: the claim spoiled in one case, the last that shows it."""

from __future__ import annotations

import re

import pytest

from proofs_check import check
from proofs_check.claim import Examined
from proofs_check.kept import kept_records
from proofs_check.registry import all_claims, get_claim
from proofs_check.shards import control_stages
from tests.proofs_check import fake_claims

CLAIMS = all_claims()
AMENDED = [claim for claim in CLAIMS if claim.id.endswith(".amended")]
ONE_CASE = {
    "calmant.exchange.example",
    "calmant.fig7",
    "boppana.modes.msimd",
    "boppana.modes.mimd",
}
"""Claims about one example: their only case is the first and the last."""
WITH_THE_PRINT = "rejected at no case where the claim holds"
"""Of claims that fail as printed: the checker has rejected the print itself."""


def _place(falls: str) -> tuple[int, ...]:
    found = re.fullmatch(
        r"rejected at n = (\d+), index (\d+), case (\d+) of (\d+) from the end", falls
    )
    assert found is not None, falls
    return tuple(map(int, found.groups()))


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_no_control_falls_at_the_first_case(claim):
    """Of the last full run; a control that could only be rejected there would prove little."""
    kept = kept_records()[claim.id]
    falls = kept["control"]["falls"]
    if kept["verdict"] == "fails" and falls == WITH_THE_PRINT:
        return
    n, index, cases, total = _place(falls)
    stages = {stage.n: stage for stage in control_stages(claim, None)}
    cases_now = sum(stage.cases for stage in stages.values())
    assert total == cases_now
    assert claim.domain.case(n, index) is not None
    assert cases < total or claim.id in ONE_CASE


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_control_falls_at_the_last_case_that_it_spoils(claim):
    """One case after the other from the end: none fails later, and there the claim holds."""
    kept = kept_records()[claim.id]["control"]["falls"]
    if kept == WITH_THE_PRINT:
        stages = control_stages(claim, None)
        assert not any(claim.examine_control(s.n, 0, s.length).failing is not None for s in stages)
        return
    n, index, cases, _ = _place(kept)
    after = [stage for stage in control_stages(claim, None) if stage.n > n]
    found = claim.examine_control(n, 0, claim.domain.span(n))
    assert found == Examined(cases - sum(stage.cases for stage in after), index)


def test_a_control_is_looked_for_case_by_case():
    """What blocks of growing width find is what single cases find, wherever it lies."""
    claim = fake_claims.fake_false
    for stop in (0, 1, 10, 11, 12, 50, 64, 81, 100):
        for start in (0, 5, 10, 11):
            low, cases = max(start, 0), 0
            expected = None
            for index in range(stop - 1, low - 1, -1):
                cases += 1
                if index == 10:  # at 63 and 80 the claim fails, too
                    expected = index
                    break
            assert claim.examine_control(100, start, stop) == Examined(cases, expected)


def test_amended_claims_test_their_own_clause():
    """What the amended statement adds is what its control spoils: none has that of the print."""
    for claim in AMENDED:
        printed = get_claim(claim.id.removesuffix(".amended"))
        assert claim.control.text != printed.control.text, claim.id
        assert claim.control.parameters != printed.control.parameters, claim.id


@pytest.mark.parametrize("claim", AMENDED, ids=lambda claim: claim.id)
def test_the_control_of_a_clause_keeps_the_rest_of_the_amended_statement(claim):
    """It changes a parameter of the amended statement or adds one; it is not the same statement."""
    spoiled = claim.variant_parameters("control")
    assert spoiled != claim.variant_parameters("printed")


def test_a_control_does_not_fall_where_the_print_does():
    """The print's own counterexample says nothing about the spoiled statement."""
    result = check("edelman.subcube", max_n=2)
    shown, refuted = result.counterexample, result.control.counterexample
    assert (shown.n, shown.index) != (refuted.n, refuted.index)
    claim = result.claim
    assert claim.examine("printed", refuted.n, refuted.index, refuted.index + 1).failing is None


def test_a_result_says_where_its_control_falls():
    """In words, in the record and in the card."""
    result = check("hou.thm1", max_n=3)
    record = result.record()["control"]
    assert _place(record["falls"]) == (3, 4087, 9, 1052740)
    assert (record["cases"], record["of"]) == (9, 1052740)
    assert record["falls"] in str(result)


def test_theorem_1_shows_walked_and_stated_numbers_for_a_counterexample():
    found = check("hou.thm1", max_n=2).control.counterexample
    assert found.case == {"A": [[0, 1], [1, 1]], "b": [1, 1]}
    assert found.details["T"] == [1, 1]
    assert found.details["stated"] == [1, 2]
    assert found.details["paths"] == [[0, 1, 3], [1], [2, 0], [3, 2]]
