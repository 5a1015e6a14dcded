"""References lead to BibTeX that a bibliography tool can read."""

import re

import pytest

from lccmodel.errors import InputError
from lccmodel.references import REFERENCES, reference


def test_the_five_papers():
    assert list(REFERENCES) == ["hou", "boppana", "calmant", "edelman", "sibeyn"]


@pytest.mark.parametrize("paper", REFERENCES.values(), ids=lambda paper: paper.key)
def test_bibtex_is_balanced_ascii_and_holds_the_fields(paper):
    text = paper.bibtex
    assert text.isascii()
    depth = 0
    for character in text:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", text, re.MULTILINE))
    assert fields["title"] == paper.title
    assert fields["author"].split(" and ") == list(paper.authors)
    assert ("year" in fields) == (paper.year is not None)
    assert text.startswith(f"@{paper.entry_type}{{{paper.key},")


def test_the_entries_are_written_into_a_file(tmp_path, capsys):
    """`lccmodel references --bibtex`: all five, each once; the table names them."""
    from lccmodel.cli import cli

    path = tmp_path / "papers.bib"
    for arguments in (["references", "--bibtex", "--output", str(path)], ["references", "hou"]):
        with pytest.raises(SystemExit) as exit_:
            cli.main(arguments, prog_name="lccmodel")
        assert exit_.value.code == 0
    assert re.findall(r"^@\w+\{(\w+),", path.read_text(), re.MULTILINE) == list(REFERENCES)
    assert "Hou et al., undated" in capsys.readouterr().out


def test_unknown_paper():
    with pytest.raises(InputError, match="hou, boppana"):
        reference("knuth")
