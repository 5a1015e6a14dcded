"""`lccmodel check`: what a certificate proves; and the option of commands that write one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from lccmodel.cli.options import (
    Output,
    completed,
    file_option,
    network_option,
    output_options,
    read_weights,
)
from lccmodel.errors import FileError, Reason
from lccmodel.ground.words import OBJECTIVES, AllOrOne

if TYPE_CHECKING:
    from lccmodel.certificates.questions import Question
    from lccmodel.network import Network

certificate_option = file_option(
    "--certificate",
    meaning="Write a certificate of optimality for `lccmodel check`.",
)


def save_certificate(answer: Any, file: Path) -> None:
    """Write the certificate of an answer.

    Raises:
        InputError: nothing short shows that it is the best; nothing is written then.
    """
    import json

    from lccmodel.certificates.writer import certificate_of
    from lccmodel.ground.files import write_atomically

    write_atomically(file, json.dumps(certificate_of(answer), indent=1) + "\n")


@click.command(short_help="Verify a certificate, and print what it proves.")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("program", nargs=-1)
@network_option
@click.option(
    "--objective",
    metavar=f"[{'|'.join(OBJECTIVES)}]",
    shell_complete=completed(lambda _: OBJECTIVES),
    help="Objective of the certified problem, for a program.  [default: max-max]",
)
@click.option(
    "--weights",
    metavar="W,W,...",
    help="Weights of the communications, as for `lccmodel map`.  [default: those of the files]",
)
@click.option(
    "--ports",
    type=click.Choice(get_args(AllOrOne)),
    help="Ports of the certified problem, for a task or collective.  [default: one]",
)
@output_options
@click.pass_context
def check(
    context: click.Context,
    file: Path,
    program: tuple[str, ...],
    network: Network | str | None,
    objective: str | None,
    weights: str | None,
    ports: str | None,
    to: Output,
) -> None:
    """Verify that a certificate proves its result, and print the problem that it solves.

    FILE is a certificate that --certificate of map, pipeline, schedule or collective wrote. Its
    ranks, loads, routes and times are computed again from the file alone. PROGRAM is your question:
    what you gave to map, the task I,M of a schedule, or the name of a collective. Without it, the
    output names the question of the certificate.

    Exit codes: 0, the answer is proved to be the best (for your question, if you gave one); 1, it
    is not proved, or the certificate is for another question; 2, bad input.

    \b
    Examples:
      lccmodel map matrix-transpose --network cube:8 --certificate transpose.json
      lccmodel check transpose.json
      lccmodel check transpose.json matrix-transpose --network cube:8
    """
    from lccmodel.certificates.checker import certified
    from lccmodel.certificates.parser import MAX_BYTES, Refused, certificate_from
    from lccmodel.certificates.questions import difference
    from lccmodel.ground.files import file_text

    _ = to.form  # an unknown suffix is refused
    if not program:
        stated = {
            "--network": network,
            "--objective": objective,
            "--weights": weights,
            "--ports": ports,
        }
        for option, value in stated.items():
            if value is not None:
                raise click.UsageError(f"{option} needs PROGRAM, the question to compare with")
    text = file_text(file, MAX_BYTES)
    try:
        certificate = certificate_from(text)
    except Refused as refused:
        return _emit(context, to, file, "refused", str(refused), None)
    except (ValueError, RecursionError) as error:
        rule = "must be a certificate, as a JSON object"
        raise FileError(file, 0, rule, Reason(error)) from None
    kind = str(certificate.get("kind"))
    asked = _asked(kind, program, network, objective, weights, ports) if program else None
    try:
        proved = certified(certificate)
    except Refused as refused:
        return _emit(context, to, file, "refused", str(refused), None)
    other = None if asked is None else difference(proved.question, asked)
    if other is not None:
        return _emit(context, to, file, "another question", other, proved.question)
    return _emit(context, to, file, "accepted", str(proved), proved.question)


def _asked(
    kind: str,
    program: tuple[str, ...],
    network: Network | str | None,
    objective: str | None,
    weights: str | None,
    ports: str | None,
) -> Question:
    """The question of the command line, for a certificate of some kind.

    Raises:
        InputError: bad input.
        click.UsageError: an option, or more words, that this kind has no use for.
    """
    from lccmodel.certificates.asking import asked_of_word, asked_question
    from lccmodel.network import as_network
    from lccmodel.problem import Problem

    if kind in ("schedule", "collective"):
        for option, value in (("--objective", objective), ("--weights", weights)):
            if value is not None:
                raise click.UsageError(f"{option} changes nothing for a {kind}")
        if len(program) > 1:
            raise click.UsageError(f"a {kind} is one word, as it was given to `lccmodel {kind}`")
        if network is None:
            raise click.UsageError("--network is required")
        return asked_of_word(kind, program[0], as_network(network), ports or "one")
    if ports is not None:
        raise click.UsageError("--ports is for the certificate of a schedule or collective")
    if kind == "degree":
        raise click.UsageError(
            "PROGRAM is not for the certificate of a degree: check FILE states its whole question"
        )
    problem = Problem.read(program, network)
    return asked_question(problem, objective or "max-max", read_weights(weights, problem.program))


def _emit(
    context: click.Context,
    to: Output,
    file: Path,
    verdict: str,
    text: str,
    question: Question | None,
) -> None:
    """Write the verdict, and leave with its exit code."""
    from lccmodel.show.records import Table

    record: dict[str, Any] = {"file": str(file), "verdict": verdict, "explanation": text}
    facts: dict[str, Any] = {}
    if question is not None:
        facts = {
            "network": question.network,
            "objective": question.objective,
            "ranks": question.ranks,
            "messages": question.messages,
            "volume": question.volume,
            "routing": question.routing,
            "program": question.program,
        }
    to.emit(Table("Certificate", list(record), [record], facts))
    context.exit(0 if verdict == "accepted" else 1)
