"""Options that several commands share, how their results are written, and the standard streams."""

from __future__ import annotations

import codecs
import contextlib
import functools
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, cast, get_args

import click

from lccmodel.errors import FileError, InputError
from lccmodel.ground.words import (
    FORMATS,
    NETWORKS,
    PATTERNS,
    SHAPES,
    CorrectionOrder,
    IdleNodes,
)
from lccmodel.kernels.notice import tell

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem
    from matplotlib.figure import Figure
    from rich.status import Status

    from lccmodel.communication.program import Program
    from lccmodel.network import Network
    from lccmodel.show.records import Format, Table

F = TypeVar("F", bound=Callable[..., Any])

ANIMATIONS = (".gif", ".html")
"""Suffixes of moving pictures."""

_PIPE_WIDTH = 100


Decorator = Callable[[Any], Any]
"""What decorates a command with an option."""


def completed(
    known: Callable[[click.Context], Iterable[str]], files: bool = False, lists: bool = False
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Return the function that completes the words of an option or argument.

    Args:
        known: returns the words; the context has the options that are typed before, in `params`,
            and the arguments, in `args`.
        files: whether the name of a file is possible, too.
        lists: whether several words can be typed with commas between them.
    """

    def items(context: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        first, comma = typed.rpartition(",")[:2] if lists else ("", "")
        offers = (first + comma + word for word in known(context))
        words = [CompletionItem(offer) for offer in offers if offer.startswith(typed)]
        return [*words, CompletionItem(typed, type="file")] if files else words

    return items


def _communications(_: click.Context) -> list[str]:
    """The communications that have a name: the catalogue's, and traffic patterns."""
    from lccmodel.communication import catalog

    return [*(entry.name for entry in catalog.entries()), *PATTERNS]


communication_words = completed(_communications, files=True)
"""Completes a communication."""

network_words = completed(lambda _: (f"{kind}:" for kind in NETWORKS))
"""Completes the kind of a network."""

communications_argument = click.argument(
    "communications",
    nargs=-1,
    required=True,
    metavar="COMMUNICATION...",
    shell_complete=communication_words,
)
communication_argument = click.argument(
    "communication", metavar="COMMUNICATION", shell_complete=communication_words
)


def file_option(*names: str, meaning: str, **more: Any) -> Decorator:
    """The option of a file that is written."""
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option(*names, type=kind, metavar="FILE", help=meaning, **more)


def output_options(function: F) -> F:
    """`--format` and `--output`: with `--plot`, if there is one, the argument `to`."""

    @functools.wraps(function)
    def with_output(
        *arguments: Any,
        form: Format | None,
        output: Path | None,
        plot: Path | None = None,
        caption: str | None,
        label: str | None,
        columns: str | None,
        no_notes: bool,
        **options: Any,
    ) -> Any:
        paper = ForPaper(caption, label, columns, not no_notes)
        to = Output(form, output, plot, paper)
        if paper != ForPaper():
            paper.check(to.form)
        return function(*arguments, to=to, **options)

    wrapped = file_option(
        "--output",
        "-o",
        meaning="Write the result to this file instead of the terminal; it is replaced atomically.",
    )(with_output)
    for option in (
        click.option("--no-notes", is_flag=True, help="Omit the notes below a table; they go "
                     "to standard error."),
        click.option("--columns", metavar="NAME,...", help="Columns of the table, by their "
                     "headings or JSON keys, in this order."),
        click.option("--label", metavar="NAME", help="Label of the table, with --format latex."),
        click.option("--caption", metavar="TEXT", help="Title of the table."),
    ):  # fmt: skip
        wrapped = option(wrapped)
    decorated: F = click.option(
        "--format",
        "-f",
        "form",
        type=click.Choice(FORMATS),
        help="Output format. [default: the suffix of the output file, else a table for the "
        "terminal]",
    )(wrapped)
    return decorated


def network_option(function: F) -> F:
    """`--network`, and `--nodes`: the function has the part of the network that a job gets."""

    @functools.wraps(function)
    def with_nodes(*arguments: Any, **options: Any) -> Any:
        nodes = options.pop("nodes")
        if nodes is not None:
            words = options.get("communications") or (options.get("communication"),)
            options["network"] = job_of(options["network"] or _named_by(words), nodes)
        return function(*arguments, **options)

    wrapped = cast("F", with_nodes)
    wrapped = click.option(
        "--nodes",
        metavar="NODES",
        help="Nodes allocated to the job: numbers (3-17,44), node names (node[01-04]) if the "
        "network has names, or a file with either, or with names and coordinates. Rank x is on "
        "the x-th of them. Routes also use the other nodes.",
    )(wrapped)
    examples = ", ".join(word.example for word in NETWORKS.values())
    return click.option(
        "--network",
        "-N",
        metavar="NETWORK",
        shell_complete=network_words,
        help=f"Network, such as {examples}. torus:8x8*4 has 4 ranks per node. cube or origin alone "
        "takes its size from the input. [default: the network named in the input file, else a "
        "hypercube of its size]",
    )(wrapped)


def _named_by(words: Sequence[str | None]) -> Network | None:
    """The network that files name; standard input cannot be read twice."""
    from lccmodel.problem import Problem

    if not all(words) or "-" in words:
        return None
    problem = Problem.read(words)
    return problem.network if any(entry.network for entry in problem.origin) else None


def present_options(function: F) -> F:
    """`--now` and `--hosts`: the present placement, and the hosts of a network without names."""
    function = click.option(
        "--hosts",
        metavar="HOSTS",
        help="The hosts: a file (a hostfile, a node file of PBS or OAR, PE_HOSTFILE, Flux's R, the "
        "environment of a Slurm or LSF job), or a list such as a:4,b:4, node[01-04,07]:2 or "
        '"$(scontrol show hostnames)".',
    )(function)
    return click.option(
        "--now",
        metavar="FILE",
        help="Present placement of the ranks: a rankfile, the output of mpirun --report-bindings "
        "or --display-map, `srun -l hostname`, a node file, the environment of a Slurm job, a "
        "log of NCCL or nccl-tests, an IPM or Paraver profile, or MPICH_RANK_ORDER with --hosts. "
        "Hosts match the network by name, or by position if it has no names.",
    )(function)


def job_of(network: Network | str | None, nodes: str) -> Network:
    """The nodes that a job gets, as they are typed.

    Raises:
        InputError: the network is not stated with its size, or has no such nodes.
    """
    from lccmodel.network import as_network

    return as_network(stated_network(network), nodes)


def stated_network(network: Network | str | None) -> Network:
    """The network that is stated.

    Raises:
        InputError: none is, or a word without its size.
    """
    from lccmodel.network import as_network

    if network is None or (isinstance(network, str) and ":" not in network):
        raise InputError("--network", "must have a size, as cube:8", network)
    return as_network(network)


def read_weights(text: str | None, program: Program) -> list[Fraction] | None:
    """Return the weights as typed.

    Raises:
        InputError: not one positive number for each communication.
    """
    if text is None:
        return None
    rule = f"must be {len(program)} positive numbers such as 2,1,1/3: one a communication"
    try:
        weights = [Fraction(part) for part in text.replace(",", " ").split()]
    except (ValueError, ZeroDivisionError):
        raise InputError("--weights", rule, text) from None
    if len(weights) != len(program) or min(weights, default=Fraction(0)) <= 0:
        raise InputError("--weights", rule, text)
    return weights


def table_options(function: F) -> F:
    """`--decimal`, `--first-rank`, `--as` and `--volume`, for every file that the command reads."""

    def read_so(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        from lccmodel.reading.options import reading_with

        if value is not None and value != parameter.default:
            context.with_resource(reading_with(**{str(parameter.name): value}))

    options = (
        click.option(
            "--decimal",
            type=click.Choice((".", ",")),
            default=".",
            expose_value=False,
            callback=read_so,
            help="Decimal separator of the volumes in a table.",
        ),
        click.option(
            "--first-rank",
            type=click.IntRange(0, 1),
            expose_value=False,
            callback=read_so,
            help="Number of the first rank in input tables; 0 also states that rank 0 is idle. "
            "Output files always start at 0.",
        ),
        click.option(
            "--as",
            "shape",
            type=click.Choice(SHAPES),
            expose_value=False,
            callback=read_so,
            help="Read rows of numbers as a volume matrix, as a list of messages, or as a matrix "
            "of message counts.",
        ),
        click.option(
            "--volume",
            metavar="NAME",
            expose_value=False,
            callback=read_so,
            help="Heading of the table column that holds the volumes.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


_SIZE = "lccmodel.size"


def _keep_size(context: click.Context, _: click.Parameter, size: str | None) -> None:
    if size is not None and context.params.get("plot") is None:
        raise InputError("--size", "is that of the picture that --plot names", size)
    context.meta[_SIZE] = size


def plot_option(function: F) -> F:
    """`--plot`, and `--size`, which `save_plot` finds in the context."""
    function = click.option(
        "--size",
        type=click.Choice(("column", "page", "slide")),
        expose_value=False,
        callback=_keep_size,
        help="Figure width: column (3.4 in), page (7 in) or slide (10 in), with matching font "
        "sizes.",
    )(function)
    decorated: F = file_option(
        "--plot",
        meaning="Draw the result into this file (.png, .pdf or .svg); it is replaced atomically.",
    )(function)
    return decorated


routing_option: Decorator = click.option(
    "--routing",
    type=click.Choice(get_args(CorrectionOrder)),
    default="ascending",
    show_default=True,
    help="Order in which messages correct address bits (dimensions). ascending is e-cube (XY) "
    "routing.",
)

idle_option: Decorator = click.option(
    "--idle",
    type=click.Choice(get_args(IdleNodes)),
    default="unknown",
    show_default=True,
    help="Treatment of nodes that neither send nor receive in a trace. stay: they send to "
    "themselves.",
)


@dataclass(frozen=True)
class ForPaper:
    """How the author of a paper wants a table.

    Attributes: `caption`, `label` and `columns`, None if they are not stated; `has_notes`.
    """

    caption: str | None = None
    label: str | None = None
    columns: str | None = None
    has_notes: bool = True

    def check(self, form: Format) -> None:
        """Refuse what changes nothing in a format.

        Raises:
            InputError: an option for people with data, a label without LaTeX or that is none.
        """
        for name, value in vars(self).items():
            option = "--no-notes" if name == "has_notes" else f"--{name}"
            if form in ("csv", "json") and value not in (None, True):
                raise InputError(option, f"changes nothing with --format {form}", value)
        if self.label is not None and form != "latex":
            raise InputError("--label", "requires --format latex", self.label)
        if self.label is not None and not re.fullmatch(r"[\w:.+/-]+", self.label, re.ASCII):
            raise InputError("--label", "must be letters, digits and : . + / _ -", self.label)

    def of(self, table: Table) -> Table:
        """The table with this caption and these columns, with or without its notes.

        Raises:
            InputError: an unknown column, or one named twice.
        """
        if self.caption is not None:
            table = replace(table, title=self.caption)
        if self.columns is not None:
            known = {name: column for column in table.columns
                     for name in (column.key, column.heading.replace("\n", " "))}  # fmt: skip
            names = [name.strip() for name in self.columns.split(",")]
            if unknown := [name for name in names if name not in known]:
                heads = ", ".join(dict.fromkeys(column.key for column in table.columns))
                raise InputError("--columns", f"must be among {heads}", unknown[0])
            chosen = [known[name] for name in names]
            if len(set(chosen)) != len(chosen):
                raise InputError("--columns", "must name each column once", self.columns)
            table = replace(table, columns=tuple(replace(column, aside=0) for column in chosen))
        return table

    def without_notes(self, table: Table) -> Table:
        """The table without its notes, and with the facts of its caption alone, if so wanted."""
        from lccmodel.show.writers import ASKED

        if self.has_notes:
            return table
        facts = tuple((fact, cell) for fact, cell in table.facts if fact.key in ASKED)
        return replace(table, facts=facts, legend=(), notes=(), read_as=None)


@dataclass(frozen=True)
class Output:
    """Where an answer goes: a table of a format, to a file or the terminal; and a picture.

    Attributes: `stated`, what `--format` says; `file` and `plot`: of `--output` and `--plot`;
    `paper`, how the author of a paper wants the table.
    """

    stated: Format | None
    file: Path | None
    plot: Path | None
    paper: ForPaper = ForPaper()

    @property
    def form(self) -> Format:
        """The format of the table.

        Raises:
            InputError: it is not stated, and the suffix of the output file is not known either.
        """
        if self.stated is None and self.file is not None:
            from lccmodel.show.records import format_of

            return format_of(self.file)
        return self.stated or "table"

    def check(self, *others: Path | None, more: Sequence[str] = ()) -> None:
        """Refuse files that cannot be written, before anything is worked out.

        Args:
            others: further files that the command writes.
            more: suffixes beside png, pdf and svg that the command draws.

        Raises:
            InputError: no format is known, the plot has another suffix, a file is named twice, its
                folder does not exist, or it is a folder.
        """
        from lccmodel.show.style import check_figure

        _ = self.form  # an unknown suffix is refused
        files = [file for file in (self.plot, self.file, *others) if file is not None]
        for k, file in enumerate(files):
            if file.resolve() in {other.resolve() for other in files[:k]}:
                raise InputError("output file", "must not be named twice", str(file))
            if not file.resolve().parent.is_dir():
                raise FileError(file, 0, "must be in a folder that exists", str(file.parent))
            if file.is_dir():
                raise FileError(file, 0, "must not be a folder", str(file))
        if self.plot is not None:
            check_figure(self.plot, "--plot", more)

    @property
    def moves(self) -> bool:
        """Whether the name of the picture asks for one that moves."""
        return self.plot is not None and self.plot.suffix.lower() in ANIMATIONS

    def check_columns(self, *tables: Table) -> None:
        """Refuse columns that a table does not have, before another file is written.

        Raises:
            InputError: there is one.
        """
        for table in tables:
            self.paper.of(table)

    def draw(self, figure: Figure) -> None:
        """Write the picture, which was asked for, in the format of its suffix."""
        assert self.plot is not None
        save_plot(figure, self.plot)

    def draw_moving(
        self, figure: Callable[[], Figure], frames: Callable[[], Iterable[Figure]]
    ) -> None:
        """Write the figure, or its frames as a GIF or a page with a slider, as the suffix asks."""
        from lccmodel.ground.files import write_atomically

        assert self.plot is not None
        if not self.moves:
            self.draw(figure())
        elif self.plot.suffix.lower() == ".html":
            from lccmodel.show.animation import animation_page

            write_atomically(self.plot, animation_page(frames(), self.plot.stem))
        else:
            from lccmodel.show.animation import animation_bytes

            write_atomically(self.plot, animation_bytes(frames()))

    def emit(
        self,
        *tables: Table,
        read_as: str | None = None,
        notes: Sequence[str] = (),
        remarks: Sequence[str] = (),
    ) -> None:
        """Write tables to the file or to standard output.

        Notes that do not appear on the terminal with their table go to standard error.

        Args:
            tables: of the answer.
            read_as, notes: those of the problem, if the answer does not know its problem.
            remarks: on other files that were written; no record has them.
        """
        if read_as is not None:
            tables = tuple(
                replace(table, read_as=read_as, notes=(*notes, *table.notes)) for table in tables
            )
        tables = tuple(map(self.paper.of, tables))
        if self.file is not None or self.form in ("csv", "json") or not self.paper.has_notes:
            stated = [note for table in tables for note in table.notes]
            for note in dict.fromkeys((*stated, *remarks)):
                say_on_error(f"lccmodel: note: {note}")
        else:
            tables = tuple(replace(table, legend=(*table.legend, *remarks)) for table in tables)
        tables = tuple(map(self.paper.without_notes, tables))
        if self.form == "latex":
            _tell_left_out(tables)
        label = self.paper.label or ""
        if self.file is not None:
            from lccmodel.show.records import write_tables

            write_tables(self.file, tables, self.form, label=label)
        else:
            show(tables, self.form, label)


def save_plot(figure: Figure, plot: Path) -> None:
    """Write a figure in the format of the file's suffix."""
    from lccmodel.ground.files import write_atomically
    from lccmodel.show.style import figure_file

    context = click.get_current_context(silent=True)
    size = None if context is None else context.meta.get(_SIZE)
    write_atomically(plot, figure_file(figure, plot, size))


def show(tables: Sequence[Table], form: Format, label: str = "") -> None:
    """Write tables to standard output; in colour on a terminal only."""
    if form == "table" and sys.stdout.isatty():
        from rich.console import Console

        from lccmodel.show.writers import as_rich

        console = Console(highlight=False)
        for k, table in enumerate(tables):
            console.print(*([""] if k else []), as_rich(table.sheet(), console.width), sep="\n")
    else:
        from lccmodel.show.records import render_all

        click.echo(render_all(tables, form, width=_PIPE_WIDTH, label=label), nl=False)


class Progress:
    """A line on standard error that says what is being done; call it with the next message."""

    def __init__(self, status: Status | None = None, text: str = "") -> None:
        self._status, self._text = status, text

    def __call__(self, text: str) -> None:
        """What is being done now."""
        self._text = text
        if self._status is not None:
            self._status.update(text)

    def compiling(self, text: str) -> None:
        """Say beside the message what is compiled; "" when that is done."""
        if self._status is not None:
            self._status.update(f"{self._text}: {text}" if text else self._text)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Without the line, for what is written to standard output meanwhile."""
        if self._status is None:
            yield
            return
        self._status.stop()
        try:
            yield
        finally:
            self._status.start()


def _tell_left_out(tables: Sequence[Table]) -> None:
    """Say which columns LaTeX leaves out, on standard error."""
    from lccmodel.show.writers import left_out_of_latex

    for table in tables:
        if names := ", ".join(left_out_of_latex(table.sheet())):
            say_on_error(f"lccmodel: note: columns that do not fit: {names} (--columns selects)")


@contextlib.contextmanager
def working(message: str) -> Iterator[Progress]:
    """A spinner on standard error while something runs, if that is a terminal.

    Yields: what changes the message.
    """
    if not sys.stderr.isatty():
        yield Progress()
        return
    from rich.console import Console

    with Console(stderr=True).status(message) as status:
        progress = Progress(status, message)
        before = tell(progress.compiling)
        try:
            yield progress
        finally:
            tell(before)


def tell_of_compiling() -> None:
    """Let a spinner say what is compiled where no other runs, if standard error is a terminal."""
    if not sys.stderr.isatty():
        return
    shown: Status | None = None

    def told(text: str) -> None:
        nonlocal shown
        if shown is not None and text:
            shown.update(text)
        elif shown is not None:
            shown.stop()
            shown = None
        elif text:
            from rich.console import Console

            shown = Console(stderr=True).status(text)
            shown.start()

    tell(told)


# -- the three standard streams ----------------------------------------------------------------

_ESCAPED = "lccmodel.escaped"


def prepare_streams() -> None:
    """Before anything is opened, read or written: each can be used, and takes every letter.

    closed (`>&-`)    the place is taken, or the next file that is opened would stand there; who
                      reads from it or writes to it is told so
    not UTF-8         what the encoding lacks is written as an escape of JSON, such as \\u2192
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # the other way round: to read from a closed input is an error, no empty file
            way = os.O_RDONLY if number == 1 else os.O_WRONLY
            os.dup2(os.open(os.devnull, way), number)
            kept = os.fdopen(number, "rw"[number > 0], encoding="utf-8", closefd=False)
            setattr(sys, name, kept)
    codecs.register_error(_ESCAPED, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)


def let_go_of_output() -> None:
    """Forget what standard output does not take: Python would try once more at its end."""
    _let_go(sys.stdout)


def say_on_error(line: str) -> None:
    """A line on standard error; nobody may listen, as in `lccmodel no-such 2>&1 | true`."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)
    _let_go(sys.stderr)


def _let_go(stream: TextIO) -> None:
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _escaped(error: UnicodeError) -> tuple[str | bytes, int]:
    """What cannot be encoded, as JSON writes it in ASCII."""
    import json

    if not isinstance(error, UnicodeEncodeError):
        raise error
    wrong: Any = error.object[error.start : error.end]
    return json.dumps(wrong)[1:-1], error.end
