"""Files of a test, and what is read from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lccmodel.communication.traffic import Traffic
from lccmodel.reading.programs import read

Row = tuple[int, int, Any]


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
