"""`lccmodel recognise`: whether the messages in a file are y = Ax + b, and what A and b are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from lccmodel.cli.modes import refuse_unless, refuse_unread
from lccmodel.cli.options import (
    Output,
    idle_option,
    output_options,
    plot_option,
    table_options,
    working,
)

if TYPE_CHECKING:
    from lccmodel.communication.conversion import Idle
    from lccmodel.communication.program import Entry


@click.command(short_help="Find y = Ax + b in a file of messages, or show why there is none.")
@click.argument("communications", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--n",
    "-n",
    type=click.IntRange(1, 64),
    help="Number of address bits.  [default: the smallest that fits the nodes of a file]",
)
@idle_option
@plot_option
@table_options
@output_options
@click.pass_context
def recognise(
    context: click.Context,
    communications: tuple[str, ...],
    n: int | None,
    idle: Idle,
    to: Output,
) -> None:
    """Find A and b of the messages in a file, or show why they are not y = Ax + b.

    A FILE is a table of `source destination` (.csv, .tsv, .txt), a numpy array (.npy), a sparse
    communication matrix (.npz, .mtx), or a TOML or JSON file; catalogue names and equations are
    taken too. Messages that are not linear-complement get a witness: a few of them that
    contradict each other. Exit code 1 says that some messages are not linear-complement, or do
    not determine A and b. --plot draws A and b of each communication, or its messages where these
    do not determine them.

    \b
    Examples:
      lccmodel recognise trace.csv
      lccmodel recognise pairs.txt --idle stay --format json
      lccmodel recognise trace.csv --plot matrices.png
    """
    from lccmodel.reading.programs import read_typed
    from lccmodel.show.communication_tables import recognition_table

    to.check()
    entries = [entry for text in communications for entry in read_typed([text], n, in_files=True)]
    refuse_unread()
    is_messages = any(entry.addresses is not None for entry in entries)
    refuse_unless(is_messages, "idle", "changes nothing: equations say what every node does")
    with working("recognising messages"):
        recognitions = [entry.recognition(idle) for entry in entries]
        table = recognition_table(entries, recognitions)
    to.check_columns(table)
    if to.plot is not None:
        from lccmodel.show.mapping_views import draw_recognised

        parts = [
            (entry.name, recognition.verdict, recognition.communication or entry.content)
            for entry, recognition in zip(entries, recognitions, strict=True)
        ]
        to.draw(draw_recognised(parts))
    notes = [note for entry in entries for note in entry.notes]
    to.emit(table, read_as=_read_as(entries), notes=notes)
    if any(record["verdict"] != "linear-complement" for record in table.records()):
        context.exit(1)


def _read_as(entries: Sequence[Entry]) -> str:
    """How the files were read; each way once."""
    return "; ".join(dict.fromkeys(filter(None, (entry.read_as for entry in entries))))
