"""Every example of the commands that write certificates, and every file of examples/.

What is certified is accepted by `lccmodel check`. What is not certified says so in one line.
"""

import json
import re
import shlex
from pathlib import Path

import pytest

from lccmodel.cli.collective import collective
from lccmodel.cli.map import map_command
from lccmodel.cli.pipeline import pipeline
from lccmodel.cli.schedule import schedule
from tests.choosing import sampled
from tests.cli import calling

FOLDER = Path(__file__).parents[2] / "examples"
FILES = ["image_library.toml", "origin32.toml", "parallel_fft.toml", "reduction.json",
         "skewed_storage.eq", "trace.csv"]  # fmt: skip
AT_HAND = {
    "machine.toml": FOLDER / "measurements" / "two_protocols.toml",
    "program.toml": FOLDER / "image_library.toml",
    "trace.csv": FOLDER / "trace.csv",
}
SHOWN = {"--plot", "--certificate", "--rankfile", "--hosts", "--plan", "--step", "--plane",
         "--model"}  # fmt: skip
"""Options, with a value, of files and parts that are shown, and of several answers at once."""
FLAGS = {"--loads", "--measure", "--count", "--sensitivity"}
OTHER = {"--formula", "--front", "--map", "--now"}
"""Formulas, fronts and maps of degrees are no single answer; the last needs a topology file."""


def _examples(command) -> list[str]:
    """The examples of a help text that give one answer, without what is shown of it."""
    lines = []
    for line in re.findall(r"^ +lccmodel (.*)$", command.help, re.MULTILINE):
        words = shlex.split(line)
        kept = [
            word
            for before, word in zip(["", *words], words, strict=False)
            if not {word, before} & SHOWN and word not in FLAGS
        ]
        if not OTHER & {*kept} and (kept[0] != "collective" or "--algorithm" in kept):
            lines.append(shlex.join(kept))
    return lines


COMMANDS = (map_command, schedule, pipeline, collective)
ASKED = [line for command in COMMANDS for line in _examples(command)]
ASKED += [f"map {FOLDER.name}/{name}" for name in FILES]
WITHOUT = {
    "map grid:16x4:rings:8,1 --network torus:8x8 --objective joint",
    "collective allreduce -N torus:8x8 --ports all --algorithm swing",
}
"""Those whose answer rests on a search, or meets no bound by counting."""


_SHORT = {"map": ("--seconds", "0.3")}


@pytest.mark.parametrize("line", sampled(dict.fromkeys(ASKED), 8))
def test_the_certificate_of_an_example_is_accepted(line, tmp_path):
    words = [str(AT_HAND.get(word, word)) for word in shlex.split(line)]
    words = [str(FOLDER / word.partition("/")[2]) if word.startswith("examples/") else word
             for word in words]  # fmt: skip
    file = tmp_path / "proof.json"
    made = calling.run(*words, *_SHORT.get(words[0], ()), "--certificate", str(file))
    if "--seconds changes nothing" in made.output:  # over orders, which are not searched
        made = calling.run(*words, "--certificate", str(file))
    if line in WITHOUT:
        assert made.exit_code == 2
        assert "--certificate: needs" in made.output
        assert not file.exists()
        return
    assert made.exit_code == 0, (made.output, made.exception)
    accepted = calling.run("check", str(file), "--format", "json")
    assert accepted.exit_code == 0, accepted.output
    assert json.loads(accepted.stdout)[0]["verdict"] == "accepted"


def test_every_command_has_examples():
    assert {line.split()[0] for line in ASKED} == {"map", "schedule", "pipeline", "collective"}
