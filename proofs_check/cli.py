"""The command line: list, show, run, report, findings, errata.

Exit codes: 0 every claim asked for is settled and every control was rejected; 1 a control was not
rejected, an amended claim does not hold, or a count of cases is off; 2 bad input; 130 interrupted.
A claim that fails is a result, not an error, and so is one that the text does not decide.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from proofs_check.claim import Claim
    from proofs_check.kept import Record
    from proofs_check.ledger import Ledger

FORMATS = ("table", "json", "markdown", "latex", "html")


def main() -> None:
    """Run the command line; bad input becomes one line on standard error and exit code 2."""
    from lccmodel.cli.options import let_go_of_output, prepare_streams
    from lccmodel.errors import InputError

    prepare_streams()
    try:
        code = cli.main(standalone_mode=False)
    except click.ClickException as error:
        _complain(error.format_message())
        code = 2
    except InputError as error:
        _complain(str(error))
        code = 2
    except (click.Abort, KeyboardInterrupt):
        _complain("interrupted; finished shards are stored, and --resume continues from them")
        code = 130
    except OSError as error:  # too many open files, a disk that is full, ...
        _complain(str(error))
        code = 2
    let_go_of_output()
    sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str) -> None:
    from lccmodel.cli.options import say_on_error
    from lccmodel.errors import clipped

    say_on_error(f"proofs-check: {clipped(' '.join(message.split()), 1500)}")


class _Group(click.Group):
    """A group whose output may be read in part, as in `proofs-check list | head -3`."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except BrokenPipeError:
            raise click.exceptions.Exit(0) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return 0


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="lccmodel", message="%(version)s")
@click.option(
    "--claims",
    "modules",
    multiple=True,
    metavar="MODULE",
    help="Also load the claims of this module. May be repeated.",
)
@click.pass_context
def cli(context: click.Context, modules: tuple[str, ...]) -> None:
    """Check the theorems, lemmas, examples and tables of five papers."""
    context.obj = modules
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _load(modules: tuple[str, ...]) -> None:
    from proofs_check import registry

    if modules:
        sys.path.insert(0, str(Path.cwd()))
    registry.load(modules)


_LEDGER = click.option(
    "--ledger",
    "ledger_path",
    type=click.Path(path_type=Path),
    default=Path(".proofs-check/ledger.sqlite"),
    show_default=True,
    help="Ledger of finished shards and records.",
)
_OUTPUT = click.option(
    "--output", type=click.Path(path_type=Path), help="Write to this file instead of the terminal."
)
_NO_TIMES = click.option(
    "--no-times", is_flag=True, help="Omit seconds, which gives the canonical form."
)
_RECORDS = click.option(
    "--records",
    type=click.Path(path_type=Path),
    help="Report (run --format json) whose verdicts replace those of the last full run.",
)


def _format(*forms: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--format`, one of these; by default as the suffix of the output says, else the first."""

    def with_format(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def formatted(*arguments: Any, form: str | None, output: Path | None, **more: Any) -> Any:
            chosen = form or (forms[0] if output is None else _form_of(output, forms))
            return function(*arguments, form=chosen, output=output, **more)

        meaning = f"Output format.  [default: the suffix of the output file, else {forms[0]}]"
        return click.option("--format", "form", type=click.Choice(forms), help=meaning)(formatted)

    return with_format


_SUFFIXES = {
    ".txt": "table",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".html": "html",
}


def _form_of(output: Path, forms: tuple[str, ...]) -> str:
    """The format that the suffix of a file asks for.

    Raises:
        click.UsageError: none of the command's.
    """
    form = _SUFFIXES.get(output.suffix.lower())
    if form not in forms:
        known = ", ".join(suffix for suffix, name in _SUFFIXES.items() if name in forms)
        raise click.UsageError(f"--output must end in {known} unless --format is stated")
    return form


@cli.command("list")
@click.argument("patterns", nargs=-1)
@_format(*FORMATS)
@_OUTPUT
@click.pass_obj
def list_command(
    modules: tuple[str, ...], patterns: tuple[str, ...], form: str, output: Path | None
) -> None:
    """List every claim: id, paper, place, statement, domain, and the stored verdict."""
    from proofs_check import registry, report

    _load(modules)
    claims = registry.select(patterns or ("*",))
    report.write(report.render_claims(claims, form), output)


@cli.command("show")
@click.argument("patterns", nargs=-1, metavar="ID|PATTERN...", required=True)
@_format("table", "json", "markdown")
@_LEDGER
@_OUTPUT
@click.pass_obj
def show_command(
    modules: tuple[str, ...],
    patterns: tuple[str, ...],
    form: str,
    ledger_path: Path,
    output: Path | None,
) -> None:
    """Show claims in full: statement, interpretation, verdict, counterexample, control.

    The source is the ledger, or else the verdicts shipped with the package.
    """
    from proofs_check import registry, report

    _load(modules)
    records = _known(registry.select(patterns), ledger_path)
    report.write(report.render_cards(records, form), output)


@cli.command("run")
@click.argument("patterns", nargs=-1, metavar="[ID|PATTERN]...")
@click.option("--all", "everything", is_flag=True, help="Check every claim.")
@click.option("--max-n", type=int, help="Check exhaustively up to this n, without samples.")
@click.option(
    "--resume", is_flag=True, help="Continue with the shards that the ledger does not contain."
)
@_LEDGER
@click.option(
    "--scheduler", metavar="ADDRESS", help="Address of a Dask scheduler, such as tcp://head:8786."
)
@click.option("--workers", type=int, help="Number of local worker processes.  [default: all cores]")
@click.option(
    "--shard-size", type=int, help="Number of cases per shard.  [default: a second's work]"
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the random samples.")
@click.option("--force", is_flag=True, help="Run claims that are estimated to take long.")
@click.option(
    "--dry-run", is_flag=True, help="Print the number of cases and the estimated time; run nothing."
)
@_format(*FORMATS)
@_NO_TIMES
@_OUTPUT
@click.pass_obj
def run_command(
    modules: tuple[str, ...],
    patterns: tuple[str, ...],
    everything: bool,
    max_n: int | None,
    resume: bool,
    ledger_path: Path,
    scheduler: str | None,
    workers: int | None,
    shard_size: int | None,
    seed: int,
    force: bool,
    dry_run: bool,
    form: str,
    no_times: bool,
    output: Path | None,
) -> int:
    """Check claims: ids, quoted patterns such as "hou.*", names such as theorem3, or --all."""
    from proofs_check import registry, report
    from proofs_check.executor import Adaptive, Cluster, local_cores
    from proofs_check.progress import watching
    from proofs_check.runner import Options, run

    if bool(patterns) == everything:
        raise click.UsageError("name claims or patterns, or say --all")
    _load(modules)
    claims = registry.select(("*",) if everything else patterns)
    cores = local_cores() if workers is None else workers
    options = Options(max_n, seed, resume, shard_size, cores, force)
    with _open_ledger(ledger_path) as ledger:
        if dry_run:
            report.write(report.render_plan(claims, options, ledger), output)
            return 0
        executor = Adaptive(cores) if scheduler is None else Cluster(scheduler)
        with watching(len(claims), tell=form == "table") as progress:
            results = run(claims, options, ledger=ledger, executor=executor, progress=progress)
    records = [result.record() for result in results]
    report.write(report.render(records, form, times=not no_times), output)
    for result in results:
        for remark in (result.shortened, result.unsettled):
            if remark is not None:
                _complain(f"{result.claim.id}: {remark}")
    if ledger.is_new:
        _complain(
            f"results are stored in {ledger_path}; --resume continues from them, "
            "--ledger names another file"
        )
    return 0 if all(result.is_settled for result in results) else 1


@cli.command("report")
@click.argument("patterns", nargs=-1, metavar="[ID|PATTERN]...")
@_format(*FORMATS)
@_LEDGER
@_NO_TIMES
@_OUTPUT
@click.pass_obj
def report_command(
    modules: tuple[str, ...],
    patterns: tuple[str, ...],
    form: str,
    ledger_path: Path,
    no_times: bool,
    output: Path | None,
) -> int:
    """Print the verdicts, as a table for a paper.

    The sources are the ledger and, for other claims, the verdicts shipped with the package.
    """
    from proofs_check import registry, report

    _load(modules)
    records = _known(registry.select(patterns or ("*",)), ledger_path)
    report.write(report.render(records, form, times=not no_times), output)
    return 1 if any(record["problem"] for record in records) else 0


def _known(claims: tuple[Claim, ...], ledger_path: Path) -> list[Record]:
    """The records of claims, from the ledger if there is one; says what is missing or outdated."""
    from proofs_check import report

    if ledger_path.exists():
        with _open_ledger(ledger_path) as ledger:
            records, outdated = report.current_records(claims, ledger)
    else:
        records, outdated = report.current_records(claims, None)
    if outdated:
        _complain(f"checked here, but their code has changed since: {', '.join(outdated)}")
    kept = sum("kept" in record for record in records)
    if kept:
        _complain(f"{kept} of {len(claims)} verdicts are stored; `proofs-check run` checks again")
    if missing := len(claims) - len(records):
        _complain(
            f"{missing} of {len(claims)} claims are not decided; `proofs-check run` checks them"
        )
    return records


@cli.command("findings")
@click.argument("paper", required=False, metavar="[hou|boppana|calmant|edelman|sibeyn|own]")
@_RECORDS
@click.option(
    "--keep", type=click.Path(path_type=Path), help="Also write the verdicts to this file."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    help="Write to this file instead of the terminal, or all pages into this folder.",
)
def findings_command(
    paper: str | None, records: Path | None, keep: Path | None, output: Path | None
) -> None:
    """Write a summary of the papers' errors, or the page of a paper with an entry per claim.

    If --output is a folder, the summary (findings.md) and all pages are written into it.
    """
    from lccmodel.errors import InputError
    from proofs_check import findings, report
    from proofs_check.kept import writing

    known = findings.records_with(records)
    pages: dict[Path | None, str]
    if output is not None and output.is_dir():
        if paper is not None:
            rule = f"must be a file for the page of {paper}; omit {paper} to write all pages"
            raise InputError("output", rule, str(output))
        texts = findings.findings_pages(known)
        pages = {output / name: text for name, text in texts.items()}
    else:
        pages = {output: findings.findings_page(known, paper)}
    if keep is not None:
        report.write(writing(known.values()), keep)
    for path, text in pages.items():
        report.write(text, path)


@cli.command("errata")
@click.argument("paper", metavar="hou|boppana|calmant|edelman|sibeyn")
@_format("markdown", "latex")
@_RECORDS
@_OUTPUT
def errata_command(paper: str, form: str, records: Path | None, output: Path | None) -> None:
    """Write a page or two for the authors of hou, boppana, calmant, edelman or sibeyn."""
    from proofs_check import findings, report

    known = findings.records_with(records)
    report.write(findings.errata(paper, form, known), output)


def _open_ledger(path: Path) -> Ledger:
    from proofs_check.ledger import Ledger

    ledger = Ledger(path)
    if ledger.set_aside is not None:
        _complain(f"{path} {ledger.reason}; set aside as {ledger.set_aside}")
    return ledger
