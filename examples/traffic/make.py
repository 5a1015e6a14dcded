"""Write the example files of real patterns: `python examples/traffic/make.py`."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent

Row = tuple[int, int, int, str]


def pencil_fft() -> Iterable[Row]:
    """All-to-all within the rows of an 8 by 6 grid, then within its columns; 64 KiB a pair."""
    for x in range(8):
        for y in range(6):
            rank = x + 8 * y
            yield from ((rank, other + 8 * y, 65536, "rows") for other in range(8) if other != x)
            yield from ((rank, x + 8 * other, 65536, "columns") for other in range(6) if other != y)


def adi() -> Iterable[Row]:
    """Sweeps along both axes of a 6 by 8 grid, forth and back; a line of 1000 numbers a message."""
    for x in range(6):
        for y in range(8):
            rank = x + 6 * y
            for step, name in ((1, "forth"), (-1, "back")):
                if 0 <= x + step < 6:
                    yield rank, rank + step, 8000, f"x {name}"
                if 0 <= y + step < 8:
                    yield rank, rank + 6 * step, 8000, f"y {name}"


def stencil() -> Iterable[Row]:
    """The four neighbours on a 16 by 16 torus of processes, and the transposition of the grid."""
    for x in range(16):
        for y in range(16):
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                other = (x + dx) % 16 + 16 * ((y + dy) % 16)
                yield x + 16 * y, other, 8, "stencil"
            yield x + 16 * y, y + 16 * x, 8, "transpose"


def halo() -> Iterable[Row]:
    """Six faces on a 4 by 4 by 3 grid; the cells are 100 by 100 by 300, so faces differ."""
    sides, faces = (4, 4, 3), (30000, 30000, 10000)
    strides = (1, 4, 16)
    for rank in range(48):
        for axis in range(3):
            place = rank // strides[axis] % sides[axis]
            for step in (1, -1):
                if 0 <= place + step < sides[axis]:
                    yield rank, rank + step * strides[axis], faces[axis], "halo"


def recorded() -> Iterable[str]:
    """A trace with times and tags: a reduction to rank 0 by halves, then neighbours on a line."""
    generator = random.Random(48)
    yield "time,src,dst,tag,bytes,phase"
    clock = 0.0
    reach = 1
    while reach < 20:
        for rank in range(0, 20 - reach, 2 * reach):
            clock += generator.random() / 1000
            yield f"{clock:.6f},{rank + reach},{rank},7,4096,reduce"
        reach *= 2
    for rank in range(19):
        clock += generator.random() / 1000
        yield f"{clock:.6f},{rank},{rank + 1},8,{generator.choice((512, 1024))},neighbours"


def table(rows: Iterable[Row]) -> str:
    """Rows as CSV."""
    lines = ["source,destination,bytes,phase", *(",".join(map(str, row)) for row in rows)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write every file."""
    packed = gzip.compress(table(pencil_fft()).encode(), mtime=0)
    (HERE / "pencil_fft.csv.gz").write_bytes(packed)
    for name, rows in (("adi", adi()), ("stencil", stencil()), ("halo_48", halo())):
        (HERE / f"{name}.csv").write_text(table(rows))
    (HERE / "recorded.csv").write_text("\n".join(recorded()) + "\n")


if __name__ == "__main__":
    main()
