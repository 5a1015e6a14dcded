"""`lccmodel catalog`: the communications that are known by name, with A and b."""

from __future__ import annotations

import click

from lccmodel.cli.modes import Rule, command
from lccmodel.cli.options import Output, completed, output_options, plot_option
from lccmodel.errors import InputError

_RULES = (Rule("n plot size", lambda typed: typed["name"], "requires a NAME of the catalogue"),)


def _names(_: click.Context) -> list[str]:
    from lccmodel.communication import catalog as entries

    return [entry.name for entry in entries.entries()]


@command(rules=_RULES, short_help="List the catalogue of communications, with A and b.")
@click.argument("name", required=False, shell_complete=completed(_names))
@click.option("--n", "-n", type=click.IntRange(1, 64), help="Number of address bits.  [default: 4]")
@plot_option
@output_options
def catalog(name: str | None, n: int | None, to: Output) -> None:
    """List the communications of the catalogue, and show A and b of one.

    Without NAME, lists the catalogue with the source of every entry. With NAME, shows the
    equations y = Ax + b for n address bits; --plot draws A and b.

    \b
    Examples:
      lccmodel catalog
      lccmodel catalog matrix-transpose --n 8
      lccmodel catalog shift:2 --n 6 --format latex
    """
    from lccmodel.communication import catalog as known
    from lccmodel.communication.naming import split_name
    from lccmodel.show.communication_tables import catalog_table, entry_table

    to.check()
    if name is None:
        to.emit(catalog_table())
        return
    entry = known.entry(name)
    needed = any(parameter.required for parameter in entry.parameters)
    if needed and not split_name(name)[1]:
        if to.plot is not None:
            raise InputError("--plot", f"needs the parameters of {entry.name}", name)
        to.emit(entry_table(entry, None))
        return
    free = entry.name == "bit-permute-complement" and n is None
    built = known.build(name, None if free else n or 4)
    table = entry_table(entry, built)
    to.check_columns(table)
    if to.plot is not None:
        from lccmodel.show.mapping_views import draw_recognised

        to.draw(draw_recognised([(built.name, "linear-complement", built)]))
    to.emit(table)
