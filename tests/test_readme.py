"""The README and the docs say what the tool says: their console blocks are run and compared.

Their Python examples run as doctests (`--doctest-glob=*.md`).
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lccmodel.cli import main as lccmodel_main
from proofs_check.__main__ import main as proofs_check_main
from tests.choosing import slow

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = {"lccmodel": "lccmodel", "proofs-check": "proofs_check"}
MAINS = {"lccmodel": lccmodel_main, "proofs-check": proofs_check_main}


def console_blocks() -> list[tuple[str, str, str]]:
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(), flags=re.DOTALL):
            command, _, output = block.partition("\n")
            found.append((page.name, command.removeprefix("$ "), output))
    return found


@pytest.mark.parametrize(
    ("page", "command", "output"),
    [
        slow(case)
        if "collective" in case[1] or "--plot" in case[1] or "mpirun" in case[1]
        else case
        for case in console_blocks()
    ],
)
def test_console_blocks_show_the_real_output(page, command, output, monkeypatch, capsys, tmp_path):
    tool, *arguments = shlex.split(command)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)  # what a command writes is gone afterwards
    monkeypatch.setattr(sys, "argv", [tool, *arguments])
    with pytest.raises(SystemExit):
        MAINS[tool]()
    printed = "".join(capsys.readouterr())
    assert [line.rstrip() for line in printed.splitlines()] == output.splitlines(), page


def test_the_commands_are_installed_modules():
    """What is run in this process above is what `python -m` runs in one of its own."""
    for module in MODULES.values():
        done = subprocess.run(
            [sys.executable, "-m", module, "--help"], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith("Usage:")


def test_there_are_console_blocks():
    assert len(console_blocks()) >= 2


def test_every_command_answers_a_question():
    """The page of questions has a line for each command of the library."""
    from lccmodel.cli import cli

    table = (ROOT / "docs" / "questions.md").read_text()
    asked = set(re.findall(r"^\|.*?`lccmodel ([a-z-]+)", table, flags=re.MULTILINE))
    assert asked == set(cli.commands)


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            assert "://" in target or (page.parent / target).exists(), (page.name, target)
