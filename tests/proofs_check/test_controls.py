"""Negative controls are near misses: the claim spoiled in one case, the last that shows it."""

import itertools
import re

import pytest

from proofs_check import check
from proofs_check.claim import Examined
from proofs_check.kept import kept_records
from proofs_check.registry import all_claims, get_claim
from proofs_check.shards import control_stages
from tests.proofs_check import fake_claims

CLAIMS = all_claims()
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


def test_no_control_falls_at_the_first_case():
    """Of the last full run; a control that could only be rejected there would prove little."""
    for claim in CLAIMS:
        kept = kept_records()[claim.id]
        falls = kept["control"]["falls"]
        if kept["verdict"] == "fails" and falls == WITH_THE_PRINT:
            continue
        n, index, cases, total = _place(falls)
        assert total == sum(stage.cases for stage in control_stages(claim, None)), claim.id
        assert claim.domain.case(n, index) is not None, claim.id
        assert cases < total or claim.id in ONE_CASE, claim.id


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
    for start, stop in itertools.product((0, 5, 10, 11), (0, 1, 10, 11, 12, 50, 64, 81, 100)):
        falls = start <= 10 < stop  # at 63 and 80 the claim fails, too
        cases = stop - 10 if falls else max(stop - start, 0)
        examined = fake_claims.fake_false.examine_control(100, start, stop)
        assert examined == Examined(cases, 10 if falls else None)


def test_amended_claims_test_their_own_clause():
    """The control spoils the amended statement in another way than that of the print does."""
    for claim in CLAIMS:
        if claim.id.endswith(".amended"):
            printed = get_claim(claim.id.removesuffix(".amended"))
            assert claim.control.text != printed.control.text, claim.id
            assert claim.control.parameters != printed.control.parameters, claim.id
            assert claim.variant_parameters("control") != claim.variant_parameters("printed")


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
