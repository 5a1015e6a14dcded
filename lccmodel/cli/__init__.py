"""The command line `lccmodel`, and what becomes of an error.

    catalog, recognise           which communications there are, and which one a trace is
    contention, map, route       where messages collide, and the mapping or routing that avoids it
    pipeline, schedule, exchange hypercube algorithms on meshes: packets, steps, complete exchange
    simulate, fft, trace         wormhole switching: latency and throughput, an FFT, single worms
    formula                      contention for every n, and the formulas of the papers
    report                       all of it for program files, and the tables and figures of papers
    references                   the papers, and their BibTeX entries

Nothing but click is loaded until a command runs, and then that command alone.

Exit codes: 0 done; 1 the answer is no: `recognise` found messages that are not linear-complement or
do not say enough, `route` some that are not delivered, `schedule` two that meet, `exchange --run`
blocks that did not arrive, `trace` messages that never do, `simulate --deadlock` a ring of
channels, `check` a certificate that proves nothing; 2 bad input, with one line on standard error;
130 interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from lccmodel import __version__
from lccmodel.cli.options import (
    let_go_of_output,
    prepare_streams,
    say_on_error,
    tell_of_compiling,
)
from lccmodel.errors import InputError, clipped
from lccmodel.ground.words import checked_word
from lccmodel.kernels.threads import terminated_like_interrupted

__all__ = ["main"]

SHELLS = ("bash", "zsh", "fish")
_FOLDERS = {
    "bash": ("XDG_DATA_HOME", ".local/share", "bash-completion/completions/lccmodel"),
    "zsh": ("ZDOTDIR", ".", ".zfunc/_lccmodel"),
    "fish": ("XDG_CONFIG_HOME", ".config", "fish/completions/lccmodel.fish"),
}
_NEXT = {
    "bash": "it works in new shells where the package bash-completion is installed",
    "zsh": "add to .zshrc, if not there yet: fpath+=~/.zfunc; autoload -U compinit; compinit",
    "fish": "it works in new shells",
}


def completion_file(shell: str) -> Path:
    """Where a shell looks for the completion of `lccmodel`, in the user's own folders.

    Raises:
        InputError: not bash, zsh or fish.

    >>> completion_file("fish").name
    'lccmodel.fish'
    """
    variable, folder, name = _FOLDERS[checked_word("shell", shell, SHELLS)]
    return Path(os.environ.get(variable) or Path.home() / folder, name)


def install_completion(context: click.Context, parameter: Any, shell: str | None) -> None:
    """Write the script of a shell, say where it is, and leave; the callback of the option."""
    from click.shell_completion import get_completion_class

    from lccmodel.ground.files import write_atomically

    if shell is None or context.resilient_parsing:
        return
    if shell == "auto":
        shell = Path(os.environ.get("SHELL", "")).name
    path = completion_file(shell)
    script = get_completion_class(shell)
    assert script is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    source = script(context.command, {}, "lccmodel", "_LCCMODEL_COMPLETE").source()
    write_atomically(path, source)
    click.echo(f"{path}: written; {_NEXT[shell]}")
    context.exit()


class Tool(click.Group):
    """A group whose errors are one line on standard error, never a traceback."""

    def main(  # type: ignore[override]  # click overloads it
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = "lccmodel",
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; with `standalone_mode` leave with its exit code."""
        prepare_streams()
        tell_of_compiling()
        arguments = sys.argv[1:] if args is None else list(args)
        if any("\0" in argument for argument in arguments):
            _complain("error: an argument must not hold a null character")
            sys.exit(2)
        if any("\udc80" <= letter <= "\udcff" for argument in arguments for letter in argument):
            _complain("error: an argument must be text in UTF-8")
            sys.exit(2)
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, **extra)
        try:
            with terminated_like_interrupted():
                code = super().main(args, prog_name, standalone_mode=False, **extra)
                sys.stdout.flush()
        except BrokenPipeError:
            _read_enough()
        except Exception as error:
            _fail(error)
        sys.exit(code if isinstance(code, int) else 0)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the arguments; `--help` and `--version` print while they are read."""
        try:
            return super().make_context(*args, **extra)
        except BrokenPipeError:
            _read_enough()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an interrupt becomes `click.Abort` before click prints anything.

        click would also end a closed pipe with 1, which means "no", and an EOFError as interrupted.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None
        except BrokenPipeError:
            _read_enough()


def _read_enough() -> NoReturn:
    """The reader of the output has seen enough, as in `lccmodel catalog | head -3`."""
    let_go_of_output()
    sys.exit(0)


def _fail(error: Exception) -> NoReturn:
    """Say what is wrong in one line and leave; errors that no input can cause are passed on."""
    if isinstance(error, click.Abort):
        _complain("interrupted")
        sys.exit(130)
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else "lccmodel"
        message = error.format_message().rstrip(".")
        _complain(f"error: {message} (see {path} --help)")
    elif isinstance(error, click.ClickException):
        _complain(f"error: {error.format_message()}")
    elif isinstance(error, InputError):
        option = "--" if error.argument in ("network", "count", "linear") else ""
        _complain(f"error: {option}{error}")
    elif isinstance(error, OSError):
        let_go_of_output()
        place = f"{error.filename}: " if error.filename else ""
        _complain(f"error: {place}{error.strerror or error}")
    elif isinstance(error, MemoryError):
        _complain("error: not enough memory for a problem of this size")
    elif isinstance(error, OverflowError):
        _complain("error: a number is too large to be drawn or measured (beyond 1e308)")
    else:
        raise error
    sys.exit(2)


_LONGEST = 1500
"""Most characters of a message: an argument may have a hundred thousand."""


def _complain(message: str) -> None:
    line = " ".join(message.split()).removesuffix("; got None")  # what was not given
    say_on_error(f"lccmodel: {clipped(line, _LONGEST)}")


class _Commands(Mapping[str, click.Command]):
    """Every command by its name; its module is loaded when it is asked for."""

    def __getitem__(self, name: str) -> click.Command:
        function = _FUNCTIONS[name]
        command: click.Command = getattr(
            import_module(f"lccmodel.cli.{name.replace('-', '_')}"), function
        )
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(_FUNCTIONS)

    def __len__(self) -> int:
        return len(_FUNCTIONS)


_NAMES = (
    "catalog contention recognise report route calibrate pipeline schedule exchange collective "
    "simulate fft trace formula check references"
)
_FUNCTIONS = {name: name for name in _NAMES.split()} | {"map": "map_command", "warm-up": "warm_up"}
"""The function of every command, in the module of its name."""


@click.group(
    "lccmodel",
    cls=Tool,
    commands=_Commands(),
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="lccmodel %(version)s")
@click.option(
    "--install-completion",
    is_flag=False,
    flag_value="auto",
    is_eager=True,
    expose_value=False,
    metavar="[SHELL]",
    callback=install_completion,
    help="Complete commands with the Tab key, in bash, zsh or fish, and exit.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Find where the messages of a program collide, what avoids it, and what it costs.

    Contention and optimal processor mappings (contention, map), routing methods (route),
    pipelined schedules and complete exchange on meshes (pipeline, schedule, exchange), and
    simulated wormhole switching (simulate, fft, trace). `report` does the main job for files.

    A communication is a name of the catalogue (bit-reverse, butterfly:3), equations
    ("y0 = x1; y1 = x0"), or a file: TOML, JSON, a CSV trace of messages, a numpy array.
    A network is cube:8 (hypercube of 256 nodes), origin:5 (Origin 2000, two nodes to a
    router), mesh:16x16, torus:8x8x8 or fattree:4^3; torus:8x8*4 has four nodes to a router.

    \b
    Examples:
      lccmodel map matrix-transpose bit-reverse --network cube:8
      lccmodel pipeline --network mesh:32x32 --alpha 500 --tau 1 --items 4096
      lccmodel simulate bit-reverse --network cube:8 --load 0.1 --cycles 5000
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run the command line and leave with its exit code; see `Tool.main`."""
    try:
        cli.main(prog_name="lccmodel")
    except KeyboardInterrupt:  # while modules are loaded
        raise SystemExit(130) from None
