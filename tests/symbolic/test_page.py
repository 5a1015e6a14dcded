"""The tables of docs/closed_forms.md are those that the code makes.

`python -m tests.symbolic.test_page` writes them anew.
"""

import re
from pathlib import Path

import pytest

from lccmodel.show.symbolic_tables import families_page
from lccmodel.symbolic import all_formulas

PAGE = Path(__file__).parents[2] / "docs" / "closed_forms.md"
NETWORKS = ("cube", "origin")


def formulas_page() -> str:
    """The formulas of the papers as a Markdown table."""
    lines = ["| formula | meaning | source |", "| --- | --- | --- |"]
    for f in all_formulas():
        cells = (f"`{f.name}`", f.meaning, f.source)
        texts = (cell.replace("|", "\\|").replace("*", "\\*") for cell in cells)
        lines.append(f"| {' | '.join(texts).replace('<', '&lt;')} |")
    return "\n".join(lines) + "\n"


def written(text: str) -> str:
    """The page with fresh tables."""
    tables = {network: families_page(network) for network in NETWORKS}
    tables["formulas"] = formulas_page()
    for name, rows in tables.items():
        begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
        table = f"{begin}\n{rows}\n{end}"
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        text = re.sub(pattern, lambda _, table=table: table, text, flags=re.DOTALL)
    return text


@pytest.mark.slow
def test_the_tables_of_the_page_are_made_by_the_code():
    text = PAGE.read_text(encoding="utf-8")
    assert written(text) == text


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
