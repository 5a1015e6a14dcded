"""The README and the docs say what the tool says: their console blocks are run and compared.

Their Python examples run as doctests (`--doctest-glob=*.md`).
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = {"lccmodel": "lccmodel", "proofs-check": "proofs_check"}


def console_blocks() -> list[tuple[str, str, str]]:
    found = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(), flags=re.DOTALL):
            command, _, output = block.partition("\n")
            found.append((page.name, command.removeprefix("$ "), output))
    return found


@pytest.mark.parametrize(("page", "command", "output"), console_blocks())
def test_console_blocks_show_the_real_output(page: str, command: str, output: str) -> None:
    tool, *arguments = shlex.split(command)
    done = subprocess.run(
        [sys.executable, "-m", MODULES[tool], *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert [line.rstrip() for line in printed.splitlines()] == output.splitlines(), page


def test_there_are_console_blocks() -> None:
    assert len(console_blocks()) >= 2


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
            assert "://" in target or (page.parent / target).exists(), (page.name, target)
