"""`lccmodel warm-up`: compile now what the commands would compile when they are first used.

Each line of `QUESTIONS` is a command whose answer needs kernels that others do not; together they
need those of the examples in README.md. They are asked in processes side by side, and what they
say is dropped.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import redirect_stdout, suppress
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

import click

from lccmodel.cli.options import working

QUESTIONS = """
    simulate bit-reverse --network cube:4 --load 0.1 --cycles 300
    map TRAFFIC --network torus:8x8 --seconds 0.3
    map PHASES --network torus:16x16 --seconds 0.3
    trace bit-reverse --network cube:3
    route bit-reverse --network mesh:4x4
    map grid:16x4:rings:8,1 --network torus:8x8
    map TRAFFIC --network torus:8x8 --objective distance --seconds 0.3
    map grid:3x2:rings --network mesh:3x2
    collective allreduce --network torus:4x4 --alpha 5 --tau 0.001
    map matrix-transpose bit-reverse --network cube:6 --objective sum-sum --count
    report TRAFFIC --seconds 0.3 --output report
    contention TRAFFIC --network fattree:4^3
    contention TRAFFIC --network cube:6
    contention bit-reverse --network dragonfly:1,3,1,nodes=0-7
    fft --network cube:4 --points 256
    contention matrix-transpose --network mesh:4x4
    schedule --task 0,3 --network mesh:4x4
    exchange --network mesh:4x4 --alpha 500 --tau 1 --block 16
"""
"""The longest first. TRAFFIC and PHASES are files, `_write_traffic`."""


@click.command("warm-up", short_help="Compile now what the commands compile at their first use.")
@click.argument("commands", nargs=-1, metavar="[COMMAND]...")
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=min(os.cpu_count() or 1, 8),
    show_default="one for each core",
    metavar="K",
    help="Number of processes that compile.",
)
def warm_up(commands: tuple[str, ...], jobs: int) -> None:
    """Compile now what the commands compile at their first use.

    The machine code is kept on disk, beside the sources or where NUMBA_CACHE_DIR says, for this
    user and this processor. Without COMMANDs it is done for all of them.

    \b
    Examples:
      lccmodel warm-up
      lccmodel warm-up map simulate
    """
    questions = [shlex.split(line) for line in QUESTIONS.strip().splitlines()]
    known = dict.fromkeys(words[0] for words in questions)
    for command in commands:
        if command not in known:
            raise click.UsageError(f"nothing is compiled for '{command}'; {', '.join(known)} are")
    chosen = [words for words in questions if not commands or words[0] in commands]
    used: dict[Path, bool] = {}
    with tempfile.TemporaryDirectory() as folder, working("compiling") as say:
        _write_traffic(Path(folder))
        with ProcessPoolExecutor(
            min(jobs, len(chosen)), get_context("spawn"), initializer=os.chdir, initargs=(folder,)
        ) as pool:
            futures = {pool.submit(_ask, words): words for words in chosen}
            for done, future in enumerate(as_completed(futures), start=1):
                say(f"compiling: {done} of {len(chosen)} ({' '.join(futures[future][:2])})")
                used = _joined(used, future.result())
    _tell(used)


def _ask(words: list[str]) -> dict[Path, bool]:
    """The files of the kernels that the answer of a command needs."""
    from lccmodel.kernels import cache_files
    from lccmodel.kernels.jit import compile_always

    compile_always()
    cli = import_module("lccmodel.cli").cli  # which has this command, too
    asked = [f"{word.lower()}.csv" if word.isupper() else word for word in words]
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere), suppress(SystemExit):
        cli.main(asked, standalone_mode=False)
    return cache_files.used


def _write_traffic(folder: Path) -> None:
    """Messages between 64 ranks that have no structure: of one communication, and of two."""
    rows = [f"{k % 64},{(k * k // 9 + 11 * k + 1) % 64},{1 + k % 5}" for k in range(900)]
    head = "source,destination,volume"
    (folder / "traffic.csv").write_text("\n".join([head, *rows]) + "\n")
    phases = [f"{row},{'ab'[k % 2]}" for k, row in enumerate(rows)]
    (folder / "phases.csv").write_text("\n".join([f"{head},communication", *phases]) + "\n")


def _joined(first: dict[Path, bool], other: dict[Path, bool]) -> dict[Path, bool]:
    return {path: first.get(path, False) or other.get(path, False) for path in first | other}


def _tell(used: dict[Path, bool]) -> None:
    """How many kernels are ready, how many are new, and how much they take."""
    if not used:
        click.echo("no kernel could be stored: every start compiles again", err=True)
        sys.exit(1)
    ready = [path for folder in {path.parent for path in used} for path in folder.glob("*.nbc")]
    size = sum(path.stat().st_size for path in ready)
    compiled = sum(used.values())
    click.echo(f"{len(ready)} kernels are on disk, {size / 1e6:.1f} MB; {compiled} compiled now")
