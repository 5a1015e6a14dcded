"""Commands called in this process: what they answer, their records, and what is refused."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from lccmodel.cli import cli

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = """
n = 4
[[communication]]
name = "transpose"
catalog = "matrix-transpose"
weight = 3
[[communication]]
name = "scatter"
catalog = "scale2"
"""
FILES = {
    "pairs.csv": "source,destination,volume\n1,2,1\n2,3,2\n3,1,5\n1,3,1\n",
    "traffic.csv": "source,destination,volume\n0,5,1\n5,3,2\n3,12,5\n7,1,1\n12,0,3\n9,6,2\n",
    "cyclic.csv": "".join(f"{x},{(x + 1) % 4}\n" for x in range(4)),
    "ring.txt": "".join(f"{x} {(x + 1) % 8}\n" for x in range(8)),
    "lcc.csv": "".join(f"{x},{(x >> 1 | x << 1) & 3}\n" for x in range(4)),
    "swap.csv": "1 2\n2 1\n",
    "places.csv": "".join(f"{x % 4},{x // 4}\n" for x in range(13)),
    "recorded.csv": "source,destination,cycle\n0,3,0\n1,3,0\n2,3,0\n3,0,1\n",
    "times.csv": "size,time\n" + "".join(f"{8 << k},{2 + 0.001 * (8 << k)}\n" for k in range(9)),
    "machine.toml": 'unit = "us"\nalpha = 2\ntau = 0.001\n',
    "m.toml": "[machine]\nalpha = 1\ntau = 1\n",
    "program.toml": PROGRAM,
}
"""Small files of every kind, in the `folder` where commands run."""


def laid_out(folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> Path:
    """A folder with these files, as the working directory."""
    monkeypatch.chdir(folder)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def run(*arguments: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin)


def records(
    *arguments: object, stdin: str | None = None, codes: tuple[int, ...] = (0,)
) -> list[dict[str, Any]]:
    result = run(*arguments, "--format", "json", stdin=stdin)
    assert result.exit_code in codes, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def typed(line: str, *more: object) -> Result:
    """The result of a command as it is typed, with further words."""
    return run(*shlex.split(line), *more)


def records_of(line: str, *more: object, codes: tuple[int, ...] = (0,)) -> list[dict[str, Any]]:
    return records(*shlex.split(line), *more, codes=codes)


def refused(result: Result) -> str:
    """The one line of a command that ends with exit code 2 and answers nothing."""
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("lccmodel: error: ")
    return result.stderr
