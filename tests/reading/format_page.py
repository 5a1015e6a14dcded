"""The tables of docs/formats.md: `python -m tests.reading.format_page` writes them."""

from pathlib import Path

from lccmodel.reading.found import KINDS, LOOSE, SIGNATURE, Format
from lccmodel.reading.recognise import formats

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
BEGIN, END = "<!-- from the registry: begin -->\n", "<!-- from the registry: end -->\n"
_HEADINGS = "| written by | format | recognised by | also holds | given as | not recorded |"
_TIERS = {SIGNATURE: "signature", LOOSE: "loose shape"}


def _row(form: Format) -> str:
    tier = _TIERS.get(form.tier, "strict shape")
    also = ", ".join(KINDS[kind] for kind in form.also) or "–"
    given = f"`{form.command.format(path='FILE')}`" if form.command else "`FILE`"
    lacks = form.lacks[:1].upper() + form.lacks[1:] if form.lacks else "–"
    tool = form.tool.replace("|", "\\|")
    return f"| {tool} | `{form.name}` | {tier} | {also} | {given} | {lacks.rstrip('.')} |"


def tables() -> str:
    """A table for every kind, a row for every format in the order of the registry."""
    parts = []
    for kind, name in KINDS.items():
        rows = dict.fromkeys(_row(form) for form in formats() if form.kind == kind)
        if rows:
            parts += [f"### {name[:1].upper()}{name[1:]}\n"]
            parts += [_HEADINGS]
            parts += ["| --- | --- | --- | --- | --- | --- |", *rows, ""]
    return "\n".join(parts)


def with_tables(page: str) -> str:
    """The page with the tables of now."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{tables()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text()))
