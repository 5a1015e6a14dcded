"""`lccmodel check`: what a certificate proves; and the option of commands that write one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from lccmodel.cli.options import Output, file_option, output_options
from lccmodel.errors import FileError, Reason

certificate_option = file_option(
    "--certificate",
    meaning="Write a proof that the answer is the best, for `lccmodel check`.",
)


def save_certificate(answer: Any, file: Path) -> None:
    """Write the certificate of an answer.

    Raises:
        InputError: nothing short shows that it is the best; nothing is written then.
    """
    import json

    from lccmodel.certificates.making import certificate_of
    from lccmodel.files import write_atomically

    write_atomically(file, json.dumps(certificate_of(answer), indent=1) + "\n")


@click.command(short_help="What a certificate proves, by a checker that knows no solver.")
@click.argument("file", type=click.Path(path_type=Path))
@output_options
@click.pass_context
def check(context: click.Context, file: Path, to: Output) -> None:
    """Does a certificate prove that its answer is the best?

    FILE is what --certificate of map, pipeline, schedule or collective wrote. Everything in it is
    worked out again, from the file alone: ranks, loads, walks of messages, times. Exit code 1:
    refused.

    \b
    Examples:
      lccmodel map matrix-transpose --network cube:8 --certificate transpose.json
      lccmodel check transpose.json
    """
    from lccmodel.certificates.checker import check as proved
    from lccmodel.certificates.reading import MAX_BYTES, Refused, certificate_from
    from lccmodel.files import file_text
    from lccmodel.show.records import Table

    _ = to.form  # an unknown suffix is refused
    text = file_text(file, MAX_BYTES)
    try:
        verdict, said, code = "accepted", proved(certificate_from(text)), 0
    except Refused as refused:
        verdict, said, code = "refused", str(refused), 1
    except (ValueError, RecursionError) as error:
        raise FileError(
            file, 0, "must hold a certificate, as a JSON object", Reason(error)
        ) from None
    record = {"file": str(file), "verdict": verdict, "explanation": said}
    to.emit(Table("Certificate", list(record), [record]))
    context.exit(code)
