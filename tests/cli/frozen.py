"""What every command answers over `examples/`, frozen: JSON, exit code and error text.

    python -m tests.cli.frozen freeze     asks the commands of `frozen.json` again and writes it
                                          anew: commands with the same answer stand together

The test keeps the keys of every answer. Scripts read them: one that changes is listed in
`docs/migration.md`. Numbers are tested by equations, in the tests of their packages.
"""

import contextlib
import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.cli import calling

ROOT = Path(__file__).parents[2]
FROZEN = Path(__file__).with_name("frozen.json")
FROZEN_REPORT = Path(__file__).with_name("frozen_report.json")
REPORTED = ("hou.thm*", "hou.lem*", "boppana.thm*", "edelman.thm*", "calmant.thm*")

KNOWN: dict[str, dict[str, Any]] = {
    command: {key: value for key, value in group.items() if key != "commands"}
    for group in json.loads(FROZEN.read_text())
    for command in group["commands"]
}
"""The commands that are asked, and what they answered."""


def facts(command: str) -> dict[str, Any]:
    """What the test compares of a command, run from the top of the project."""
    with contextlib.chdir(ROOT):
        result = calling.typed(command, "--format", "json")
    kept: dict[str, Any] = {"code": result.exit_code}
    if result.stdout:
        records = json.loads(result.stdout)
        kept["keys"] = " ".join(dict.fromkeys(key for record in records for key in record))
    if result.stderr:
        kept["error"] = result.stderr
    return kept


def report_facts() -> dict[str, Any]:
    """The keys of `proofs-check report`, and what the kept verdicts of the theorems say."""
    from proofs_check.cli import cli as checker

    words = [*REPORTED, "--no-times", "--format", "json", "--ledger", str(ROOT / "no-ledger")]
    records = json.loads(CliRunner().invoke(checker, ["report", *words]).stdout)
    said = {one["id"]: f"{one['verdict']} {one['cases']}" for one in records}
    return {"keys": " ".join(dict.fromkeys(k for one in records for k in one)), **said}


if __name__ == "__main__":
    alike: dict[str, list[str]] = {}
    for command in KNOWN:
        alike.setdefault(json.dumps(facts(command)), []).append(command)
    groups = [json.loads(answer) | {"commands": same} for answer, same in alike.items()]
    FROZEN.write_text(json.dumps(groups, ensure_ascii=False, indent=1) + "\n")
    FROZEN_REPORT.write_text(json.dumps(report_facts(), indent=1) + "\n")
