"""Negative controls are near misses: they fall late, and an amended claim tests its own clause."""

from __future__ import annotations

import pytest

from proofs_check.registry import all_claims, get_claim

CLAIMS = all_claims()
LARGE = 100
FEW = "fails for few matrices, none of them among the last"
NOT_LATE = {
    "hou.thm3.amended": "differs for A = I alone, which stands in the middle of the enumeration",
    "hou.sec4.remove.amended": FEW,
    "edelman.cor3.3.converse.amended": "fails where the shortest cycle has all four entries",
    "lattice.hl.first.amended": FEW,
    "sibeyn.ecbcs": FEW,
    "sibeyn.eq1": FEW,
    "sibeyn.eq4": FEW,
    "sibeyn.eq5": FEW,
    "lattice.sibeyn": FEW,
    "library.gray_code": "the last ways to cut have axes of one bit, which reversing leaves alone",
}
"""Large domains whose last cases the control leaves true, each with the reason."""


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_control_falls_when_only_the_last_cases_are_spoiled(claim):
    """A checker that looked at its first cases only would not notice."""
    late = claim.late_control()
    span = claim.domain.span(late.n)
    if claim.id in NOT_LATE:
        assert late.failing is None, "no longer an exception"
    elif span >= LARGE:
        assert late.failing is not None
        assert late.failing >= late.cut >= span * 7 // 8 - 1


def test_amended_claims_test_their_own_clause():
    """What the amended statement adds is what its control spoils: none has that of the print."""
    for claim in CLAIMS:
        if claim.id.endswith(".amended"):
            printed = get_claim(claim.id.removesuffix(".amended"))
            assert claim.control.text != printed.control.text, claim.id
            assert claim.control.parameters != printed.control.parameters, claim.id


@pytest.mark.parametrize(
    "claim",
    [c for c in CLAIMS if c.id.endswith(".amended")],
    ids=lambda claim: claim.id,
)
def test_the_control_of_a_clause_keeps_the_rest_of_the_amended_statement(claim):
    """It changes a parameter of the amended statement or adds one; it is not the same statement."""
    spoiled = claim.variant_parameters("control")
    assert spoiled != claim.variant_parameters("printed")


def test_a_result_says_where_its_control_falls():
    """First failing case, its place among all, and the place of the near miss."""
    from proofs_check import check

    result = check("hou.thm1", max_n=3)
    assert result.control.cases < result.control.total
    assert result.control.late.failing >= result.control.late.cut
    assert result.control.falls in str(result)
    record = result.record()["control"]
    assert record["of"] == result.control.total
    assert record["late"]["n"] == 3
