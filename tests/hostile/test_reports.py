"""`report` with right options drawn at random, and on a disk that fills while it writes.

What one report says of a file does not depend on what else it was asked for.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from lccmodel.show.records import FORMATS
from tests.choosing import fast_only, slow
from tests.cli import calling
from tests.hostile.bounds import fuzz
from tests.hostile.hostile_files import TEXTS
from tests.hostile.test_commands import laid_out

FILES = ("skew.eq", "program.toml", "program.json", "trace.csv", "matrix.csv", "matrix.mtx")
NETWORKS = ("cube", "cube:2", "cube:3", "origin:2", "mesh:2x2", "torus:3x2", "fattree:2^2")
OBJECTIVES = ("max-max", "max-sum", "sum-sum")


@st.composite
def options(draw: st.DrawFn) -> list[str]:
    """A right report: files, networks, objectives, formats, processes and seconds."""
    found = draw(st.lists(st.sampled_from(FILES), min_size=1, max_size=3, unique=True))
    for name, values in (("--network", NETWORKS), ("--objective", OBJECTIVES)):
        for value in draw(st.lists(st.sampled_from(values), max_size=2, unique=True)):
            found += [name, value]
    found += ["--seconds", draw(st.sampled_from(["0", "0.05", "1e-9"])), "--jobs", "1"]
    if draw(st.booleans()):
        found += ["--format", draw(st.sampled_from(FORMATS))]
    return found


def reported(arguments: list[str], folder: Path) -> None:
    """Exit 0 or 1; every file is whole, and a second report makes the same of the same."""
    laid_out(folder)
    first = calling.run("report", *arguments, "--output", "out")
    said = (arguments, first.exit_code, first.stderr[-300:])
    if first.exception is not None and not isinstance(first.exception, SystemExit):
        first.exception.add_note(str(said))
        raise first.exception
    assert first.exit_code in (0, 1, 2), said
    if first.exit_code == 2:
        assert not Path("out").exists(), said
        return
    assert (first.exit_code == 1) == ("left out: " in first.stderr), said
    made = {str(p): p.read_bytes() for p in Path("out").rglob("*") if p.is_file()}
    for path, content in made.items():
        assert content, path
        if path.endswith(".json"):
            json.loads(content)
    again = calling.run("report", *arguments, "--output", "out")
    assert (again.exit_code, again.stdout) == (first.exit_code, first.stdout), said
    assert {str(p): p.read_bytes() for p in Path("out").rglob("*") if p.is_file()} == made, said


@pytest.mark.parametrize("examples", [3, slow(60)])
def test_a_report_with_options_at_random(examples, folder):
    fuzz(lambda data: reported(data.draw(options()), folder), examples)


@pytest.mark.slow
@pytest.mark.parametrize("most", fast_only([0, 300, 3000], 300))
def test_a_disk_that_fills_leaves_no_half_of_a_file(most, folder):
    """Files that would be longer than the limit are not there; one line says why."""
    (folder / "skew.eq").write_text(str(TEXTS["skew.eq"]))

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    command = [sys.executable, "-m", "lccmodel", "report", "skew.eq", "-o", "out"]
    done: Any = subprocess.run(
        command, capture_output=True, text=True, timeout=300, preexec_fn=fill, check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    errors = [line for line in done.stderr.splitlines() if "compiled code cannot" not in line]
    assert done.returncode == 2
    assert len(errors) == 1, done.stderr
    assert errors[0].startswith("lccmodel: error: ")
    assert "too large" in errors[0]
    assert not [path for path in Path("out").rglob(".*") if path.is_file()], "no temporary file"
