"""The machine-checked theorems: which claims they prove, and that they rest on nothing.

`make proofs` asks the prover itself; these tests need no prover.
"""

import json
import re
from pathlib import Path

import pytest

from proofs_check import registry, report
from proofs_check.theorems import MACHINE_CHECKED, theorems, theorems_of

FORMAL = Path(report.__file__).parent / "formal"
LISTED = json.loads((FORMAL / "theorems.json").read_text(encoding="utf-8"))


def test_every_theorem_is_listed_with_its_claims_and_rests_on_nothing():
    """theorems.json is what the sources say: names and claims, in the order of the files."""
    found = {}
    for source in FORMAL.glob("*.v"):
        text = source.read_text(encoding="utf-8")
        pattern = re.compile(r"(?:\(\*\* Claims: ([^*]*)\. \*\)\n)?^Theorem (\w+)", re.MULTILINE)
        for claims, name in pattern.findall(text):
            found[name] = (source.name, [c.strip() for c in claims.split(",")] if claims else [])
    assert found == {entry["name"]: (entry["file"], entry["claims"]) for entry in LISTED}
    assert len(found) == len(LISTED) == len(theorems()) >= 82
    assert all(entry["assumptions"] == [] and entry["statement"] for entry in LISTED)


@pytest.mark.parametrize("source", sorted(FORMAL.glob("*.v")), ids=lambda path: path.name)
def test_no_source_takes_anything_on_trust(source):
    text = re.sub(r"\(\*.*?\*\)", "", source.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture)\b", text)


def test_the_claims_that_theorems_name_exist():
    named = {claim for theorem in theorems() for claim in theorem.claims}
    assert len(named) >= 25
    for claim in named:
        assert registry.get_claim(claim).id == claim


def test_a_claim_that_fails_as_printed_is_not_said_to_be_proved():
    """Only the amended claim has theorems; Theorem 3 has them as it is read."""
    assert theorems_of("hou.thm3") == ("hou_theorem_3", "hou_theorem_3_exception")
    assert theorems_of("hou.cor2.scatter") == theorems_of("hou.lem3.2") == ()


@pytest.mark.parametrize("form", ["table", "markdown", "json"])
def test_the_list_says_every_n_beside_the_counted_domain(form):
    claims = registry.select(["hou.thm8"])
    text = report.render_claims(claims, form)
    assert "hou_theorem_8" in text
    if form == "markdown":
        assert f"n ≤ 4; {MACHINE_CHECKED}: hou_theorem_8" in text
