"""Every option of every command changes the answer, or is refused, or its help says why not.

One walk: for each base call, which fixes a command, a mode and a kind of input, each option that it
does not have is added with the value below, and the two runs are compared.
"""

import shlex
import shutil
from pathlib import Path
from typing import Any

import click
import pytest

from lccmodel.cli import cli, options
from lccmodel.cli.modes import Command
from tests.choosing import sampled
from tests.cli.calling import FILES, run

BASES = """
    catalog
    catalog matrix-transpose
    recognise cyclic.csv
    recognise bit-reverse --n 4
    contention traffic.csv -N mesh:4x4
    contention bit-reverse -N cube:4
    contention traffic.csv -N fattree:4x4
    contention traffic.csv -N mesh:4x4 --split hops
    map lcc.csv -N cube:2
    map bit-reverse matrix-transpose -N cube:4
    map traffic.csv -N mesh:4x4 --moves 3
    map traffic.csv -N mesh:4x4 --moves 3 --front
    route bit-reverse -N mesh:4x4
    route lcc.csv --algorithm hl
    route lcc.csv --algorithm e-cube
    route lcc.csv --algorithm simd-mesh
    simulate traffic.csv -N mesh:4x4 --cycles 300
    simulate bit-reverse matrix-transpose -N torus:4x4 --program
    simulate -N torus:4 --routing dimension-order --recorded recorded.csv
    simulate -N torus:4x4 --routing dimension-order --deadlock
    trace bit-reverse -N cube:3
    pipeline -N mesh:8x8 --alpha 5 --tau 1 --items 64
    pipeline -N mesh:8x8 --formula
    pipeline -N mesh:8x8 --alpha 5 --tau 1 --items 64 --model all
    pipeline -N mesh:8x8 --alpha 5 --tau 1 --items 64 --sensitivity
    schedule --task 0,4 -N mesh:4x4
    schedule --task 0,4 -N mesh:4x4 --loads
    schedule --task 0,4 -N mesh:4x4 --step 1
    exchange --formula
    exchange -N mesh:4x4 --alpha 5 --tau 1
    exchange -N mesh:4x4 --run --degree 2
    collective broadcast -N mesh:4 --alpha 5 --tau 1 --hop 1
    collective allgather -N mesh:4 --algorithm ring
    collective allgather --formula
    collective allgather -N mesh:4 --optimal
    calibrate times.csv
    references
    references --bibtex
    fft -N cube:2 --points 16 --table speedup
    check c.json
    check c.json lcc.csv -N cube:2 --objective max-max
    formula bit-reverse
"""

SLOW_BASES = """
    report lcc.csv -o out
"""
"""Commands that write folders."""

ALONE = {"warm-up": "it compiles all kernels, whose --jobs is the number of processes"}
"""Commands without an answer that an option could change."""

VALUES = """
    --n 5 --plot p.png --output out.txt --format json --nodes 0-14 --first-rank 1 --as matrix
    --volume volume --routing descending --split paths --objective sum-sum --weights 2
    --rankfile r.txt --hosts a:16 --launcher slurm --spmd s.py --seconds 0.2 --moves 9
    --coordinates places.csv --seed 7 --workers 2 --cluster nowhere:1 --certificate c.json
    --algorithm hl --reading pairs --partition 1 --order 1,0 --name other --load 0.3
    --flits 9 --burst 3 --cycles 200 --warm-up 7 --most-cycles 900 --mapping optimal
    --depth 3 --router-latency 2 --link-latency 2 --virtual-channels 4 --compute 50
    --recorded recorded.csv --cycle-time 2 --flit-bytes 1 --heatmap h.png --message 1
    --show channels --alpha 50 --tau 7 --unit ns --item-bytes 4 --machine machine.toml
    --items 5000 --barrier 9 --ports all --model load --degree 5 --task 0,3 --step 2
    --plane 2=0 --block 5 --methods direct --root 2 --ranks 3 --inside-alpha 1 --inside-tau 1
    --hop 3 --add 2 --bytes 4KiB --plan plan.csv --rules ompi:rules.txt --base base.json
    --most 64 --benchmark PingPong --run 1 --segments 1 --save saved.toml --points 64
    --table barriers --latency 9 --per-byte 2 --butterfly 9 --half-butterfly 9 --seeds 3
    --network mesh:8x2 --caption Mine --label mine --columns nothing --now places.csv
    --map N=1:9,alpha=1:9 --source bernoulli --credit-latency 2 --end-channels 2
    --service-rounds 2 --injection-latency 2 --ejection-latency 2 --check 2 --jobs 1
    --papers calmant --booksim none.cfg
"""
"""Each option, and a value of it that is not its default; of others the last choice."""

OTHER = """
    route --order 1,0; contention --order 3,2,1,0; exchange --order natural;
    simulate --routing negative-first; trace --routing p-cube; map --weights 2,3;
    map --objective joint; calibrate --name mine; calibrate --run 2; calibrate --segments 2;
    trace --mapping 1,0,2; collective --root 1; collective --seconds 0.0001; map --over linear;
    check --weights 2,3
"""
"""Commands, options and the values that these options have there."""


def _value(command: str, option: click.Option, long: str) -> list[str]:
    if option.is_flag:
        return []
    special = dict(part.strip().rsplit(maxsplit=1) for part in OTHER.split(";"))
    words = VALUES.split()
    plain = dict(zip(words[::2], words[1::2], strict=True))
    value = special.get(f"{command} {long}") or plain.get(long)
    return [value or option.type.choices[-1]]


SAYS_WHY: dict[str, str] = {
    "--engine": "Both give the same times",
    "--decimal": "separator of the volumes in a table",
    "--idle": "neither send nor receive",
    "--workers": "does not depend on it",
    "--volume": "that holds the volumes",
    "--method": "auto: the formula if there is one",
    "--tie": "in one cycle",
    "--seed": "Seed of",
    "--variant": "if several qualify",
    "--ports": "Messages that a node sends",
    "--skip": "passes that select no processor",
    "--depth": "Flits per buffer",
    "--own-wires": "the channels of a link share one wire",
    "--caption": "Title of the table",
    "--columns": "Columns of the table",
    "--no-notes": "notes below a table",
    "--most-cycles": "until the latency has settled",
    "--jobs": "Number of processes",
    "--coordinates": "one start of the search",
    "--no-tail-credit": "when the tail has been sent into it",
    "--end-channels": "share the wire of the port",
    "--service": "the header that arrived first",
}
"""Options that may leave an answer as it is, and words of the help that say so."""


def _options(name: str) -> list[click.Option]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return [p for p in command.params if isinstance(p, click.Option) and p.name != "help"]


def _answer(arguments: list[str], folder: Path) -> tuple[int, str, str, dict[str, bytes]]:
    """Exit code, output, error, and the files that were written."""
    given = {*FILES, "c.json"} if arguments[0] == "check" else {*FILES}
    for file in folder.iterdir():
        if file.is_dir():
            shutil.rmtree(file)
        elif file.name not in given:
            file.unlink()
    result = run(*arguments)
    written = [f for f in sorted(folder.rglob("*")) if f.is_file() and f.name not in given]
    made = {str(f.relative_to(folder)): f.read_bytes() for f in written}
    return result.exit_code, result.stdout, result.stderr, made


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


def test_every_command_is_walked():
    walked = {line.split()[0] for line in (*_lines(BASES), *_lines(SLOW_BASES))}
    assert walked | {*ALONE} == set(cli.commands)


@pytest.mark.parametrize(
    "base",
    [
        *sampled(_lines(BASES), 6),
        *(pytest.param(base, marks=pytest.mark.slow) for base in _lines(SLOW_BASES)),
    ],
)
def test_an_option_changes_the_answer_or_is_refused(base, folder, monkeypatch):
    monkeypatch.setattr(options.Output, "draw", _drawn)
    words = shlex.split(base)
    if words[0] == "check":
        run("map", "lcc.csv", "-N", "cube:2", "--certificate", "c.json")
    plain = _answer(words, folder)
    assert plain[0] in (0, 1), plain
    idle = []
    for option in _options(words[0]):
        long = next(o for o in option.opts if o.startswith("--"))
        if any(o in words for o in option.opts) or long in ("--measure", "--cluster"):
            continue
        typed = _answer([*words, long, *_value(words[0], option, long)], folder)
        if typed == plain and long not in SAYS_WHY:
            idle.append(long)
        if typed[0] == 2:
            assert typed[1] == "", (base, long)
            assert len(typed[2].splitlines()) == 1, (base, long, typed[2])
    assert not idle, base


def _drawn(self: Any, figure: Any) -> None:
    self.plot.write_bytes(b"a picture")


def test_what_may_leave_an_answer_says_so_in_its_help():
    helps: dict[str, str] = {}
    for name in cli.commands:
        for option in _options(name):
            for opt in option.opts:
                helps[opt] = helps.get(opt, "") + (option.help or "")
    for name, words in SAYS_WHY.items():
        assert words in helps[name], (name, helps[name])


def test_every_rule_names_options_of_its_command():
    for name in cli.commands:
        command = cli.get_command(click.Context(cli), name)
        assert command is not None
        names = {p.name for p in command.params}
        for rule in getattr(command, "rules", ()):
            assert isinstance(command, Command)
            assert set(rule.options.split()) <= names, (name, rule.options)


def test_a_program_that_is_simulated_once_counts_volumes_or_says_that_it_does_not(tmp_path):
    """0.4: volumes 1 and 1,000 took 22 cycles both, without a word."""
    (tmp_path / "p.csv").write_text("source,destination,volume\n0,1,1000\n1,0,1000\n")
    plain = run("simulate", tmp_path / "p.csv", "-N", "cube:1", "--program", "-f", "json")
    assert "volumes do not count" in plain.stdout
    told = run(
        *("simulate", tmp_path / "p.csv", "-N", "cube:1", "--program", "--flit-bytes", 10),
        *("-f", "json"),
    )
    assert "volumes do not count" not in told.stdout
    assert plain.stdout != told.stdout


def test_nodes_are_those_of_the_network_that_a_file_names(tmp_path):
    """0.4 refused --nodes without --network, although the file named one."""
    named = tmp_path / "net.json"
    named.write_text('{"network": "torus:4x5", "name": "a", "n": 3, "pairs": [[0, 3], [3, 1]]}')
    answers = [
        run("contention", named, *more, "--nodes", "0-3,5-8", "-f", "json")
        for more in ((), ("-N", "torus:4x5"))
    ]
    assert answers[0].exit_code == 0
    assert answers[0].stdout == answers[1].stdout
    assert run("trace", named, "--nodes", "0-3,5-8").exit_code == 0
