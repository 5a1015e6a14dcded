"""The table of example patterns in docs/placement_quality.md states what `place` returns."""

import re
from pathlib import Path

import pytest

import lccmodel as lcc
from lccmodel.placement.search import place, solve
from tests.choosing import sampled

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "placement_quality.md").read_text()
SECONDS = 0.5
ROW = re.compile(
    r"^\| `(?P<file>[\w.]+)`[^|]*\| (?P<network>\S+), (?P<objective>[a-z-]+) "
    r"\| (?P<before>[\d,]+) → (?P<after>[\d,]+) \| (?P<bound>[\d,]+)"
    r"(?P<proved>: proven minimal)? \|$",
    re.MULTILINE,
)
ROWS = [found.groupdict() for found in ROW.finditer(PAGE)]


def test_every_file_of_the_examples_is_mapped_on_the_page():
    files = {path.name for path in (ROOT / "examples" / "traffic").glob("*.csv*")}
    assert {row["file"] for row in ROWS} == files
    assert len(ROWS) == 7
    assert f"{SECONDS} seconds of search" in PAGE


@pytest.mark.parametrize("row", sampled(ROWS, 7), ids=lambda row: f"{row['file']}-{row['network']}")
def test_the_table_of_patterns_says_what_place_answers(row, monkeypatch):
    """As `lccmodel map FILE --network NETWORK --objective OBJECTIVE --over placements` does."""
    monkeypatch.setattr(solve, "GRACE", 600.0)  # the plan to its end, however busy the machine
    program = lcc.read(ROOT / "examples" / "traffic" / row["file"])
    m = place(program, row["network"], row["objective"], "placements", seconds=SECONDS)
    told = f"{m.before.value:,} → {m.after.value:,}", f"{m.lower_bound:,}", m.optimal
    assert told == (f"{row['before']} → {row['after']}", row["bound"], bool(row["proved"]))
