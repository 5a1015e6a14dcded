"""Files of a test, and what is read from them."""

import json
from pathlib import Path
from typing import Any

import pytest

from lccmodel.communication.traffic import Traffic
from lccmodel.reading.programs import read

SAMPLES = Path(__file__).parent / "samples"
Row = tuple[int, int, Any]


def samples(*kinds: str) -> list[Any]:
    """Path and expectation of every sample that is of one of these kinds first."""
    return [
        pytest.param(file.parent / name, expected, id=f"{file.parent.name}/{name}")
        for file in sorted(SAMPLES.glob("*/expected.json"))
        for name, expected in json.loads(file.read_text())["samples"].items()
        if expected["kind"] in kinds
    ]


def written(folder: Path, content: str | bytes, name: str = "a.txt") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows_of(traffic: Traffic) -> list[Row]:
    """Source, destination and volume of every message that carries something, sorted."""
    rows = zip(traffic.messages.tolist(), traffic.volumes.tolist(), strict=True)
    return sorted((*pair, volume) for pair, volume in rows if volume)


def sent(source: Any, **options: Any) -> list[Row]:
    """The messages of a file with one phase."""
    (phase,) = read(source, **options)
    return rows_of(phase.traffic)
