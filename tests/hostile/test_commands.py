"""Every command, given options and files that nobody should pass: exit 0, 1, or 2 in one line.

A right command has one or two of its options replaced, or its file spoiled. What ends in 2 prints
nothing on standard output and leaves no file behind. Commands run in the process of the test.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import strategies as st

from lccmodel.cli import cli
from tests.choosing import sampled, slow
from tests.cli import calling
from tests.hostile import hostile_files as right
from tests.hostile.bounds import bounded, fuzz
from tests.strategies import hostile_bytes, hostile_texts

LINES = """
    calibrate times.csv --segments 1
    catalog butterfly:2 --n 4
    check skew.json
    collective broadcast --network mesh:2 --alpha 5 --tau 1 --bytes 1:99
    contention skew.eq --network cube:2
    exchange --network mesh:2x2 --alpha 5 --tau 1 --block 2
    fft --network cube:2 --points 16 --seeds 1
    formula bit-reverse --network cube:n
    map skew.eq --network cube:2
    pipeline --network mesh:2x2 --alpha 5 --tau 1 --items 16
    recognise trace.csv
    references calmant
    report skew.eq --network cube:2
    route skew.eq --network mesh:2x2
    schedule --task 0,2 --network mesh:2x2
    simulate skew.eq --network cube:2 --cycles 200 --load 0.1
    trace skew.eq --network cube:2 --flits 2
    warm-up schedule --jobs 1
"""
RIGHT = {line.split()[0]: line.strip() for line in LINES.strip().splitlines()}
FILES = right.TEXTS | right.BINARY | right.MACHINES | right.MEASUREMENTS | right.HOSTS
FILES |= right.CERTIFICATES | right.NETWORKS | right.TABLES | right.TOPOLOGIES | right.JOBS
"""What stands in the folder where commands run."""
READ = {
    "calibrate": ("times.csv", right.MEASUREMENTS),
    "check": ("skew.json", right.CERTIFICATES),
    **dict.fromkeys(
        ("fft", "collective", "exchange", "pipeline", "schedule"), ("--machine", right.MACHINES)
    ),
    **{
        name: (RIGHT[name].split()[1], right.TEXTS | right.BINARY)
        for name in ("contention", "map", "recognise", "report", "route", "simulate", "trace")
    },
}
"""Where a command reads a file, and the right files that are spoiled for it."""
NO_FILE = {"catalog", "formula", "references", "warm-up"}
LEFT_OUT = {"--measure", "--install-completion", "--cluster", "--help", "--papers", "--jobs"}
"""Options that measure under mpirun, wait ten seconds for a cluster, or work for minutes."""

WORDS = (
    *("", " ", "x", "-", "-1", "0", "1", "2", "3", "1.5", "0,1", "1,0", "0,2", "2:1", "0:0:0"),
    *("nan", "inf", "-inf", "1e999", "1/0", "1/3", "9" * 25, "9" * 5000, "1e-999", "0x10", "1_0"),
    *("é", "١", "²", "\udcff", "a\nb", "\t", "[", "{}", "%", "=", ":", ",", "$", "\\", "'", '"'),
    *("cube", "cube:2", "cube:0", "cube:3", "cube:-1", "cube:99", "mesh:2x2", "mesh:0x2", "mesh:"),
    *("dragonfly:1,2,1", "hyperx:2x2", "twisted:2x4", "slimfly:3", "graph:cluster.links"),
    *("slurm:topology.conf", "graph:", "slurm:x", "torus:4x4,nodes=0-3", "0-3", "a[0-1]"),
    *("graph:fabric.ibnetdiscover,tables=fabric.dump_fts", "graph:cluster.graphml,routing=updown"),
    *("torus:3x1", "origin:2", "origin", "fat-tree:2", "grid:2x2:rings", "y0 = x1", "butterfly:9"),
    *("no/such/file", ".", "..", "/", "a" * 300, "x.png", "x.tex", "x.csv", "x.json", "a,b:9"),
    *FILES,
)


def options_of(command: str) -> list[click.Option]:
    return [
        option
        for option in cli.commands[command].params
        if isinstance(option, click.Option)
        and (option.opts[0] not in LEFT_OUT or (command, option.opts[0]) == ("warm-up", "--jobs"))
    ]


def laid_out(folder: Path) -> None:
    """The folder with the right files, and nothing else."""
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for name, content in FILES.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def contents(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def run(arguments: list[str], folder: Path) -> int:
    """The exit code of a command, once all that every command promises is checked."""
    before = contents(folder)
    with bounded():
        result = calling.run(*arguments)
    said = (arguments, result.exit_code, result.stdout[-200:], result.stderr[-300:])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        result.exception.add_note(f"lccmodel {arguments}")
        raise result.exception
    assert result.exit_code in (0, 1, 2), said
    if result.exit_code == 2:
        assert result.stdout == "", said
        assert result.stderr.startswith("lccmodel: error: "), said
        assert result.stderr.count("\n") == 1, said
        assert contents(folder) == before, said
    return result.exit_code


def wrong_options(draw: Callable[[Any], Any], command: str) -> list[str]:
    """The arguments of a right command with up to two options set to anything."""
    arguments = RIGHT[command].split()
    chosen = st.lists(st.sampled_from(options_of(command)), min_size=1, max_size=2)
    for option in draw(chosen):
        arguments.append(option.opts[0])
        if option.is_flag:
            continue
        words = list(getattr(option.type, "choices", ()))
        arguments.append(draw(st.sampled_from([*words, *WORDS]) | st.text(max_size=5)))
    if draw(st.integers(0, 9)) == 0:
        arguments.insert(draw(st.integers(1, len(arguments))), draw(st.sampled_from(WORDS)))
    return [argument.replace("\0", "") for argument in arguments]


def wrong_file(draw: Callable[[Any], Any], command: str, folder: Path) -> list[str]:
    """The arguments of a right command whose file is spoiled."""
    place, files = READ[command]
    name = draw(st.sampled_from(sorted(files)))
    content = files[name]
    if isinstance(content, str):
        content = draw(hostile_texts(content)).encode("utf-8", "surrogatepass")
    else:
        content = draw(hostile_bytes(content))
    (folder / name).write_bytes(content)
    arguments = RIGHT[command].split()
    if not place.startswith("--"):
        return [name if argument == place else argument for argument in arguments]
    for option in ("--alpha", "--tau"):  # they exclude a machine file
        if option in arguments:
            del arguments[arguments.index(option) : arguments.index(option) + 2]
    return [*arguments, place, name]


def test_every_command_is_fuzzed():
    """A command that is new is fuzzed once it has a right call here, with all of its options."""
    assert set(RIGHT) == set(cli.commands)
    assert set(READ) | NO_FILE == set(cli.commands)
    assert all(options_of(command) for command in RIGHT)


@pytest.mark.parametrize("command", sampled(sorted(RIGHT), 4))
def test_right_commands_are_right(command, folder):
    """The faults stand in commands that are right otherwise, so that they are reached."""
    laid_out(folder)
    assert run(RIGHT[command].split(), folder) == 0
    assert run([command, "--help"], folder) == 0


@pytest.mark.parametrize(
    ("command", "examples"),
    [
        *sampled([(command, 3 if command == "report" else 12) for command in sorted(RIGHT)], 10),
        *(slow((command, 300)) for command in sorted(RIGHT)),
    ],
)
def test_a_wrong_command(command, examples, folder):
    """Fewer of `report`, which draws pictures."""

    def trial(data: st.DataObject) -> None:
        laid_out(folder)
        if command in READ and data.draw(st.integers(0, 2)) == 0:
            run(wrong_file(data.draw, command, folder), folder)
        else:
            run(wrong_options(data.draw, command), folder)

    fuzz(trial, examples)


@pytest.mark.parametrize("examples", [2, slow(40)])
def test_words_in_any_order(folder, examples):
    """No command, an unknown one, arguments without options: no traceback from the group."""
    words = [*RIGHT, *WORDS, "-h", "--version", "--nope"]
    words.remove("calibrate")  # without a file it measures for ten seconds

    def trial(data: st.DataObject) -> None:
        laid_out(folder)
        run(data.draw(st.lists(st.sampled_from(words), max_size=3)), folder)

    fuzz(trial, examples)
