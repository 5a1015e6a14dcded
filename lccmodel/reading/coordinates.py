"""Coordinates of ranks in the program's own space, with a row for each.

rank, x, y, z          # a header, optional; without the column rank, rows are ranks 0, 1, ...
0, 0.0, 0.5, 1.0
"""

from __future__ import annotations

import os
import re

import numpy as np
import numpy.typing as npt

from lccmodel.errors import FileError
from lccmodel.reading.text import Text


def read_coordinates(path: str | os.PathLike[str]) -> npt.NDArray[np.float64]:
    """Return the coordinates in a file, shape (ranks, axes).

    Args:
        path: a text file, perhaps gzip; "-" is standard input.

    Raises:
        FileError: it cannot be read, a row has other columns or no finite numbers, or ranks are
            not 0, 1, ... once each; with the line.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "where.csv"
    >>> _ = file.write_text("rank,x,y\\n1,0.5,2\\n0,0,1\\n")
    >>> read_coordinates(file).tolist()
    [[0.0, 1.0], [0.5, 2.0]]
    """
    file = Text.at(path)
    place = file.path
    rows: list[list[float]] = []
    lines: list[int] = []
    numbered: int | None = None
    width = 0
    for line, text in enumerate(file.lines, start=1):
        cells = [cell.strip('"') for cell in re.split(r"[,;\s]+", text.split("#")[0].strip())]
        if cells == [""]:
            continue
        if not width:
            width = len(cells)
            if not _is_number(cells[0]):
                names = [cell.lower() for cell in cells]
                numbered = names.index("rank") if "rank" in names else None
                continue
        if len(cells) != width or not all(map(_is_number, cells)):
            raise FileError(place, line, f"must be {width} finite numbers", text.strip())
        rows.append([float(cell) for cell in cells])
        lines.append(line)
    if not rows or width - (numbered is not None) < 1:
        raise FileError(place, 0, "must contain a row of coordinates for every rank", len(rows))
    columns = np.array(rows)
    if numbered is None:
        return columns
    ranks = columns[:, numbered]
    seen: set[float] = set()
    for line, rank in zip(lines, ranks.tolist(), strict=True):
        if rank in seen or not (rank.is_integer() and 0 <= rank < len(rows)):
            rule = f"ranks must be 0 to {len(rows) - 1}, each once"
            raise FileError(place, line, rule, f"{rank:g}")
        seen.add(rank)
    return np.delete(columns, numbered, axis=1)[np.argsort(ranks)]


def _is_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False
