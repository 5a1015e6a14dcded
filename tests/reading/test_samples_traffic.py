"""Samples of traffic in every format, each by its `expected.json`; see docs/formats.md.

An expectation names the ranks and the messages from rank 0, the words that a note must have, the
host of every rank where the file tells it, or why the file is refused.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lccmodel.errors import FileError
from lccmodel.problem import Problem
from lccmodel.reading import recognise
from lccmodel.reading.programs import read
from lccmodel.reading.recognise import formats
from lccmodel.reading.text import Text
from tests.cli import calling

SAMPLES = Path(__file__).parent / "samples"
FOLDERS = (
    "aps-rank-to-rank", "eztrace-dat", "gml", "ipm-xml", "matrix-market", "matrix-text",
    "metis-graph", "mpisee-sqlite", "node-link-json", "openmpi-matrix", "openmpi-monitoring",
    "paraver-row", "scotch-grf", "tau-profile", "triples",
)  # fmt: skip


def expectations() -> list[tuple[str, str, dict[str, Any]]]:
    """Folder, name and expectation of every sample."""
    return [
        (folder, name, expected)
        for folder in FOLDERS
        for name, expected in json.loads((SAMPLES / folder / "expected.json").read_text())[
            "samples"
        ].items()
    ]


CASES = expectations()
TRAFFIC = [case for case in CASES if case[2]["kind"] == "traffic"]


def sent(path: Path) -> tuple[int, Counter[tuple[int, int]]]:
    """Ranks, and the volume of every pair that sends something."""
    (phase,) = read(path)
    volumes: Counter[tuple[int, int]] = Counter()
    traffic = phase.traffic
    for pair, volume in zip(traffic.messages.tolist(), traffic.volumes.tolist(), strict=True):
        volumes[pair[0], pair[1]] += volume
    return traffic.ranks, +volumes


def expected_traffic(expected: dict[str, Any]) -> tuple[int, Counter[tuple[int, int]]]:
    traffic = expected["traffic"]
    return traffic["ranks"], Counter({(s, d): v for s, d, v in traffic["messages"]})


@pytest.mark.parametrize(("folder", "name", "expected"), TRAFFIC)
def test_messages_and_notes_of_a_sample(folder: str, name: str, expected: dict[str, Any]) -> None:
    path = SAMPLES / folder / name
    assert sent(path) == expected_traffic(expected)
    problem = Problem.read(path)
    for word in expected.get("notes", ()):
        assert word in " ".join(problem.notes).replace("×", "x"), problem.notes
    assert problem.read_as


@pytest.mark.parametrize(
    ("folder", "name", "expected"), [case for case in CASES if "placement" in case[2]]
)
def test_hosts_of_the_ranks_of_a_sample(folder: str, name: str, expected: dict[str, Any]) -> None:
    path = SAMPLES / folder / name
    file = next(path.glob("*.prv")) if path.is_dir() else path
    found = recognise.read(file, "placement")
    assert list(found.value) == expected["placement"]


def test_mpisee_records_no_partner() -> None:
    with pytest.raises(FileError, match="no partner"):
        read(SAMPLES / "mpisee-sqlite/a.db")


@pytest.mark.parametrize(
    ("folder", "name", "expected"),
    [case for case in TRAFFIC if (SAMPLES / case[0] / case[1]).is_file()],
)
def test_a_sample_is_recognised_by_its_content_alone(
    folder: str, name: str, expected: dict[str, Any], tmp_path: Path
) -> None:
    """Under a name without a suffix, packed or not, as UTF-16 if it is text, and by one format."""
    raw = (SAMPLES / folder / name).read_bytes()
    contents = [raw, gzip.compress(raw)]
    if not raw.startswith((b"SQLite", b"<?xml", b"%%MatrixMarket")):
        contents += [raw.decode().replace("\n", "\r\n").encode("utf-16"), b"\xef\xbb\xbf" + raw]
    for content in contents:
        (tmp_path / "file").write_bytes(content)
        assert sent(tmp_path / "file") == expected_traffic(expected)
    text = Text.at(SAMPLES / folder / name)
    tiers = [form.tier for form in formats() if form.recognises(text) and form.kind == "traffic"]
    assert tiers.count(max(tiers)) == 1


def test_every_format_of_traffic_has_a_sample_or_a_test_of_its_own() -> None:
    """A format that is new is read from a sample, or this says where else."""
    elsewhere = {"mpip", "otf2", "npy", "npz", "matlab", "json", "toml", "equations"}
    names = {form.name for form in formats() if form.kind == "traffic"}
    seen = set()
    for folder, name, _ in CASES:
        path = SAMPLES / folder / name
        file = next(f for f in sorted(path.iterdir())) if path.is_dir() else path
        seen.add(recognise.recognise(Text.at(file), "traffic").name)
    assert names - seen - elsewhere == {"graphml"}, "read as a network elsewhere"


def test_a_folder_of_two_runs_is_refused(tmp_path: Path) -> None:
    shutil.copytree(SAMPLES / "tau-profile/a", tmp_path / "run")
    assert sent(tmp_path / "run")[0] == 3
    shutil.copy(SAMPLES / "paraver-row/a/t.prv", tmp_path / "run")
    with pytest.raises(FileError, match="paraver-row and of tau-profile"):
        read(tmp_path / "run")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="a folder with the files of one run"):
        read(tmp_path / "empty")


NOTED = [case for case in TRAFFIC if case[2].get("notes")]


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "csv", "json"])
def test_notes_of_samples_are_in_every_output_format(form: str, tmp_path: Path) -> None:
    """0.4: JSON, CSV had none. The words of a note, whatever a format escapes or wraps."""
    for folder, name, expected in NOTED:
        path = SAMPLES / folder / name
        result = calling.run("contention", path, "--network", "mesh:4", "--format", form)
        assert result.exit_code == 0, result.output
        shown = " ".join(result.stdout.replace("\\", "").split())
        for times in ("ensuremath{times}", "×", "u00d7"):
            shown = shown.replace(times, "x")
        for word in expected["notes"]:
            assert word in shown, (folder, form, shown)
