"""What every command answers over `examples/`, frozen: JSON, exit code and error text.

    python -m tests.cli.frozen record FOLDER     one file a command; `diff -r` compares two folders
    python -m tests.cli.frozen freeze            write `frozen.json` anew, which a test compares:
                                                 commands with the same keys stand together

The test keeps the keys of every answer. Scripts read them: one that changes is listed in
`docs/migration.md`. Numbers are tested by equations, in the tests of their packages.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.cli import calling

ROOT = Path(__file__).parents[2]
FROZEN = Path(__file__).with_name("frozen.json")
FROZEN_REPORT = Path(__file__).with_name("frozen_report.json")
REPORTED = ("hou.thm*", "hou.lem*", "boppana.thm*", "edelman.thm*", "calmant.thm*")

_FILES = (
    *("image_library.toml", "parallel_fft.toml", "trace.csv", "skewed_storage.eq"),
    *("reduction.json", "origin32.toml", "traffic/adi.csv", "traffic/halo_48.csv"),
    *("traffic/pencil_fft.csv.gz", "traffic/recorded.csv", "traffic/stencil.csv"),
    *("mistakes/mistake.toml", "mistakes/ring.txt"),
)
_DEFINED = [f"{verb} examples/{name}" for name in _FILES for verb in ("contention", "recognise")]
_DEFINED += [
    "contention examples/trace.csv --channels",
    "contention examples/traffic/halo_48.csv -N mesh:8x6 --channels",
    "contention examples/traffic/stencil.csv -N torus:8x8*4 --routing descending",
    "contention bit-reverse grid:4x4:rings:8,1 -N torus:4x4",
    "contention examples/traffic/halo_48.csv -N mesh:4x4",
    "contention matrix-transpose",
    "contention examples/trace.csv examples/image_library.toml -N origin:8",
    "map bit-reverse -N cube:8 --count",
    "map matrix-transpose bit-reverse -N cube:8 --weights 2,1/3 --objective max-sum",
    "map examples/image_library.toml",
    "map examples/image_library.toml --objective sum-sum",
    "map examples/origin32.toml",
    "map examples/origin32.toml --linear",
    "map examples/reduction.json -N cube:6",
    "map examples/parallel_fft.toml --count",
    "map matrix-transpose -N mesh:4x4 --over orders",
    "map grid:4x4:rings:8,1 -N cube:4 --over orders --objective joint",
    "map grid:4x4 --count",
    "map examples/trace.csv --linear --weights 1,2",
    "route matrix-transpose",
    "route examples/skewed_storage.eq -N mesh:16x16",
    "route examples/trace.csv --name row-exchange-2",
    "route examples/image_library.toml",
    "route examples/mistakes/ring.txt -N cube",
    "route examples/origin32.toml",
    "route bit-reverse -N cube:4 -a hl --tags",
    "contention examples/origin32.toml -N cube:4",
    "map examples/origin32.toml examples/image_library.toml",
    "contention grid:4x0",
    "contention bit-reverze -N cube:4",
    "catalog",
    "catalog butterfly",
    "pipeline -N mesh:8x8 --alpha 500 --tau 1 --items 4096",
    "schedule --task 0,4 --network mesh:4x4",
    "exchange --network mesh:4x4 --block 2 --run --degree 7",
    "simulate bit-reverse -N cube:4 --cycles 500",
    "simulate matrix-transpose -N cube:4 --cycles 500 --mapping optimal",
    "simulate -N torus:4x4 --routing dimension-order --deadlock",
    "trace bit-reverse -N cube:4",
    "trace examples/traffic/halo_48.csv -N mesh:8x6 --message 3",
    "fft --network cube:4 --points 256 --latency 10 --table speedup",
]
_SEARCHED = [
    "map grid:4x4:rings:8,1 -N torus:4x4 --seconds 0.1",
    "map examples/traffic/halo_48.csv -N mesh:8x6 --seconds 0.1",
    "map examples/traffic/adi.csv --seconds 0.1",
    "map examples/traffic/recorded.csv --seconds 0.1 --objective joint",
]
COMMANDS = (*_DEFINED, *_SEARCHED)
_WIDER = (
    "map examples/trace.csv -N torus:8x8 --seconds 0.2",
    "map examples/traffic/pencil_fft.csv.gz --seconds 0.2",
    "map examples/traffic/stencil.csv -N torus:8x8*4 --seconds 0.2 --objective max-sum",
    "report examples examples/traffic --seconds 0.1 -o FOLDER",
    "report examples/traffic -N torus:8x8x4 --seconds 0.1 -o FOLDER",
)
"""Recorded, and not in the test: they take seconds."""


def answered(command: str, form: str | None = "json") -> dict[str, Any]:
    """What a command writes, and its exit code; run from the top of the project."""
    words = shlex.split(command) + (["--format", form] if form else [])
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        found = calling.run(*words)
    finally:
        os.chdir(before)
    return {"code": found.exit_code, "text": found.stdout, "error": found.stderr}


def facts(command: str) -> dict[str, Any]:
    """What the test compares."""
    found = answered(command)
    kept: dict[str, Any] = {"code": found["code"]}
    if found["text"]:
        kept["keys"] = " ".join(dict.fromkeys(k for row in json.loads(found["text"]) for k in row))
    if found["error"]:
        kept["error"] = found["error"]
    return kept


def report_facts() -> dict[str, Any]:
    """The keys of `proofs-check report`, and what the kept verdicts of the theorems say."""
    from proofs_check.cli import cli as checker

    words = [*REPORTED, "--no-times", "--format", "json", "--ledger", str(ROOT / "no-ledger")]
    records = json.loads(CliRunner().invoke(checker, ["report", *words]).stdout)
    said = {one["id"]: f"{one['verdict']} {one['cases']}" for one in records}
    return {"keys": " ".join(dict.fromkeys(k for one in records for k in one)), **said}


def _record(folder: Path) -> None:
    for k, command in enumerate((*COMMANDS, *_WIDER)):
        name = "".join(c if c.isalnum() else "_" for c in command)[:60]
        if "FOLDER" in command:
            answered(command.replace("FOLDER", str(folder / f"{k}{name}")), None)
            continue
        for form in ("json", "table"):
            found = answered(command, form)
            text = f"{command}\n{found['code']}\n{found['text']}{found['error']}"
            (folder / f"{name}.{form}").write_text(text)


if __name__ == "__main__":
    if sys.argv[1] == "record":
        place = Path(sys.argv[2])
        place.mkdir(parents=True)
        _record(place.resolve())
    else:
        alike: dict[str, list[str]] = {}
        for command in COMMANDS:
            alike.setdefault(json.dumps(facts(command)), []).append(command)
        groups = [json.loads(answer) | {"commands": found} for answer, found in alike.items()]
        FROZEN.write_text(json.dumps(groups, ensure_ascii=False, indent=1) + "\n")
        FROZEN_REPORT.write_text(json.dumps(report_facts(), indent=1) + "\n")
