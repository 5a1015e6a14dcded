"""`lccmodel report`: the best mappings for files with communications, as tables and figures."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lccmodel.cli.modes import Rule, command
from lccmodel.cli.options import show, table_options, working
from lccmodel.errors import FileError
from lccmodel.ground.words import FORMATS, SET_OBJECTIVES

if TYPE_CHECKING:
    from lccmodel.lattice.weights import SetObjective
    from lccmodel.placement.search.questions import Solution
    from lccmodel.show.records import Format


_RULES = (
    Rule(
        "networks objectives seconds",
        lambda typed: typed["paths"],
        "requires a PATH; it does not affect --papers",
    ),
    Rule("jobs", lambda typed: typed["papers"], "requires --papers"),
)


@command(rules=_RULES, short_help="Write a report of the best mappings of program files.")
@click.argument("paths", nargs=-1, metavar="PATH...")
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    show_default=True,
    metavar="FOLDER",
    help="Folder for tables, figures and their index README.md.",
)
@click.option(
    "--network",
    "-N",
    "networks",
    multiple=True,
    metavar="NETWORK",
    help="Network: cube, origin, or one with its size, such as cube:8, torus:8x6 or fattree:4^3. "
    "May be repeated.  [default: the network named in a file, else a hypercube of its size]",
)
@click.option(
    "--objective",
    "objectives",
    type=click.Choice(SET_OBJECTIVES),
    multiple=True,
    help="Quantity to minimise for all communications of a file together. May be repeated.  "
    "[default: all three]",
)
@click.option(
    "--papers",
    multiple=True,
    type=click.Choice(("hou", "boppana", "calmant", "edelman", "sibeyn", "all")),
    help="Also reproduce the tables and figures of a paper, in a separate folder. PATH is then "
    "optional.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    metavar="K",
    help="Number of processes. Papers and programs then run in parallel.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, 1e6),
    default=2.0,
    show_default=True,
    help="Budget of the search for each placement, in seconds; see lccmodel map.",
)
@click.option(
    "--format",
    "-f",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="Format of the summary on standard output. The files are always the same.",
)
@table_options
@click.pass_context
def report(
    context: click.Context,
    paths: tuple[str, ...],
    output: Path,
    networks: tuple[str, ...],
    objectives: tuple[SetObjective, ...],
    papers: tuple[str, ...],
    jobs: int,
    seconds: float,
    form: Format,
) -> None:
    """Find the best processor mappings for files with communications, and write a report.

    A PATH is a file, or a folder whose files are read one by one, without subfolders. For each
    communication alone, and for all communications of a file together, the report states the load
    of the busiest channel before and after the mapping, its lower bound, and the proof of
    optimality. If messages are not y = Ax + b, or the network is not a cube or Origin, the report
    has the best placement found and its gap to the bound.

    The output folder gets Markdown, LaTeX, CSV, JSON, figures and a page index.html. Parts that an
    earlier report in the folder made from the same input are reused. A file that cannot be used is
    named with its fault, the others are reported, and the exit code is 1.

    \b
    Examples:
      lccmodel report examples --output out
      lccmodel report program.toml trace.csv --network cube --network origin
    """
    from lccmodel.papers.report import make_report, write_report
    from lccmodel.papers.reproduction import chosen_papers
    from lccmodel.show.summary import main_tables, records_table

    if not paths and not papers:
        raise click.UsageError("give a PATH, or --papers")
    _can_be_made(output)
    command = ["lccmodel", "report", *paths, "--output", str(output)]
    command += [part for word in networks for part in ("--network", word)]
    command += [part for word in objectives for part in ("--objective", word)]
    command += [part for word in papers for part in ("--papers", word)]
    command += [] if seconds == 2.0 else ["--seconds", f"{seconds:g}"]
    wanted = objectives or SET_OBJECTIVES
    notes: dict[str, None] = {}
    seen: list[Solution] = []

    def shown(solution: Solution) -> None:
        """Show what is found as soon as it is."""
        tables = main_tables(solution)
        for table in tables:
            notes.update(dict.fromkeys((*table.legend, *table.notes)))
        with step.paused():
            click.echo(nl=bool(seen))
            seen.append(solution)
            show([replace(table, legend=(), notes=()) for table in tables], form)

    with working("reading") as step:
        solved = shown if form == "table" else lambda solution: None
        made = make_report(
            paths, networks, wanted, command, step, papers, output, jobs, solved, seconds
        )
        written = write_report(made, output)
    if form in ("csv", "json"):
        show([records_table(made.solutions, made.skipped)], form)
    elif form == "table":
        if paths:
            click.echo("\n".join(["", *notes, ""]))
        for paper in chosen_papers(papers):
            click.echo(f"{paper}: tables and figures in {output / paper / 'README.md'}")
        both = f"{output / 'index.html'} and {output / 'README.md'}"
        click.echo(f"{len(written)} files written; see {both}")
    else:
        show(made.main_tables, form)
    for sentence in made.skipped:
        click.echo(f"lccmodel: note: {sentence}", err=True)
    for fault in made.unusable:
        click.echo(f"lccmodel: left out: {fault}", err=True)
    if made.unusable:
        context.exit(1)


def _can_be_made(output: Path) -> None:
    """Refuse a folder before the work, whose results are shown as they are found."""
    with suppress(FileNotFoundError, NotADirectoryError):
        output.stat()  # fails if no folder can have such a name
    there = output.absolute()
    place = next(place for place in (there, *there.parents) if place.exists())
    if not place.is_dir():
        raise FileError(output, 0, "must be a folder that can be made", f"{place} is a file")
    if not os.access(place, os.W_OK):
        raise FileError(output, 0, "must be a folder that can be written", f"{place} is read-only")
