"""docs/formats.md lists every format of the registry, and its examples are read as it says."""

import re

import pytest

from lccmodel.errors import InputError
from lccmodel.reading.programs import read
from lccmodel.reading.recognise import formats
from tests.reading.format_page import PAGE, with_tables


def test_the_page_has_the_tables_of_the_registry():
    """`python -m tests.reading.format_page` writes them."""
    assert PAGE.read_text() == with_tables(PAGE.read_text())


ROWS = re.findall(r"^\| `([0-9 /]+)` \| (.*?) \| (.*?) \|$", PAGE.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("rows", "reading", "messages"), ROWS)
def test_the_examples_of_rows_of_numbers(rows, reading, messages, tmp_path):
    path = tmp_path / "rows.txt"
    path.write_text("\n".join(row.strip() for row in rows.split("/")) + "\n")
    if reading.startswith("refused"):
        with pytest.raises(InputError):
            read(path)
        return
    (phase,) = read(path)
    sent = zip(phase.traffic.messages.tolist(), phase.traffic.volumes.tolist(), strict=True)
    shown = ", ".join(f"{s} → {d} of {v:g}" for (s, d), v in sent)
    assert shown == messages


def test_there_are_examples():
    assert len(ROWS) >= 8


def test_every_format_says_what_it_does_not_record():
    assert [form.name for form in formats() if not form.lacks] == []
