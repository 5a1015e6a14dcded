"""Constructions with a choice choose as they did, once their answers are verified.

Mapping [hou, Theorems 3 to 8], exchanges [edelman], algorithm HL and partitions [boppana], passes
on a SIMD mesh [sibeyn].
"""

from __future__ import annotations

import json

import pytest

from tests.methods.held import CASES, HELD, facts

KNOWN = json.loads(HELD.read_text())


@pytest.mark.parametrize("case", CASES)
def test_a_construction_chooses_as_it_did(case: str) -> None:
    assert list(KNOWN) == list(CASES)
    assert facts(case) == KNOWN[case]
