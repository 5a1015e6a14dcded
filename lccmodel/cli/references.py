"""`lccmodel references`: the papers behind the toolkit, and their BibTeX entries as a file."""

from __future__ import annotations

from collections.abc import Iterable

import click

from lccmodel.cli.modes import Rule, command
from lccmodel.cli.options import Output, completed, output_options

_RULES = (
    Rule(
        "form caption label columns no_notes",
        lambda typed: not typed["bibtex"],
        "cannot be combined with --bibtex",
    ),
)


def _keys(_: click.Context) -> Iterable[str]:
    from lccmodel.references import REFERENCES

    return REFERENCES


@command(
    rules=_RULES, short_help="List the papers behind the toolkit; --bibtex writes a .bib file."
)
@click.argument("keys", nargs=-1, metavar="[KEY]...", shell_complete=completed(_keys))
@click.option(
    "--bibtex", is_flag=True, help="Write BibTeX entries, for example with --output papers.bib."
)
@output_options
def references(keys: tuple[str, ...], bibtex: bool, to: Output) -> None:
    """List the papers on which the toolkit is built, and how to cite them.

    All five, or those of the KEYs that docstrings and tables print in brackets, as in
    [hou, Theorem 5].

    \b
    Examples:
      lccmodel references
      lccmodel references --bibtex --output papers.bib
      lccmodel references hou --bibtex
    """
    from lccmodel.ground.files import write_atomically
    from lccmodel.references import REFERENCES, reference

    papers = [reference(key) for key in keys or REFERENCES]
    if bibtex:
        text = "\n\n".join(paper.bibtex for paper in papers) + "\n"
        if to.file is None:
            click.echo(text, nl=False)
        else:
            write_atomically(to.file, text)
        return
    from lccmodel.show.quantities import Quantity
    from lccmodel.show.records import Table

    columns = [Quantity(name, name) for name in ("key", "cited", "title")]
    rows = [(paper.key, paper.short, paper.title) for paper in papers]
    to.emit(Table("The papers behind the toolkit", columns, rows))
