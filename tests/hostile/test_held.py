"""What is read of files that are nearly right, and what is said of them, is as it was."""

from __future__ import annotations

import json

import pytest

from tests.hostile.held import CASES, HELD, facts

KNOWN = json.loads(HELD.read_text())


def test_every_case_is_held() -> None:
    assert list(KNOWN) == list(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_reader_says_what_it_said(case: str) -> None:
    """One line each, of a line that is there; then the same."""
    assert facts(case) == KNOWN[case]
