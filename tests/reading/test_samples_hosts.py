"""Samples of hosts, placements and times: each is read as its `expected.json` states.

The expectations were written down with the samples, by hand and from the tools' sources.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lccmodel.reading.recognise import read, recognise
from lccmodel.reading.text import Text

SAMPLES = Path(__file__).with_name("samples")
FOLDERS = (
    "labels", "nodefile-pbs-oar", "lsf-sge", "flux-r", "slurm-env", "openmpi-hostfile",
    "hydra-hostfile", "perftest", "ucx-perftest", "nccl-tests", "several-runs",
)  # fmt: skip


def samples() -> list[tuple[Path, dict[str, Any]]]:
    found = []
    for folder in FOLDERS:
        expected = json.loads((SAMPLES / folder / "expected.json").read_text())
        found += [(SAMPLES / folder / name, what) for name, what in expected["samples"].items()]
    return found


@pytest.mark.parametrize(("path", "expected"), samples(), ids=lambda x: getattr(x, "name", ""))
def test_a_sample_is_read_as_expected(path: Path, expected: dict[str, Any]) -> None:
    kind = expected["kind"]
    part = read(path, kind)
    if kind == "hosts":
        assert [list(host) for host in part.value] == expected["hosts"]
    if kind == "times":
        runs = expected.get("runs") or [expected["times"]]
        assert [[[s, t] for s, t in run.times] for run in part.value] == [r["rows"] for r in runs]
        assert [run.what for run in part.value] == [r["what"] for r in runs]
    if "placement" in expected:
        assert list(read(path, "placement").value) == expected["placement"]
    for note in expected.get("notes", ()):
        assert any(note in line for line in part.notes), part.notes


@pytest.mark.parametrize(("path", "expected"), samples(), ids=lambda x: getattr(x, "name", ""))
def test_a_sample_keeps_its_kind_without_a_suffix(path: Path, expected: dict[str, Any]) -> None:
    """Content alone decides: no name, no suffix."""
    text = Text.typed(path.read_text())
    form = recognise(text, expected["kind"])
    assert expected["kind"] in (form.kind, *form.also)
