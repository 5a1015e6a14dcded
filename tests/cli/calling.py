"""Commands called in this process: what they answer, their records, and what is refused."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from lccmodel.cli import cli


def run(*arguments: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=stdin)


def records(
    *arguments: object, stdin: str | None = None, codes: tuple[int, ...] = (0,)
) -> list[dict[str, Any]]:
    result = run(*arguments, "--format", "json", stdin=stdin)
    assert result.exit_code in codes, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def refused(result: Result) -> str:
    """The one line of a command that ends with exit code 2 and answers nothing."""
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("lccmodel: error: ")
    return result.stderr
