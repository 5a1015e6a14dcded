"""Dumps of Open MPI's monitoring component, read as traffic.

    mpirun --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \\
           --mca pml_monitoring_filename ring ...            writes ring.0.prof, ring.1.prof, ...

A line is a kind, the rank that writes, its partner, bytes and messages, tab by tab:

    E   0   1   3000 bytes   3 msgs sent    the program's point-to-point messages
    I   0   1   8 bytes      1 msgs sent    the library's own: the messages of collectives
    S   0   1   200 bytes    1 msgs sent    put into the partner's window
    R   0   1   14 bytes     1 msgs sent    got from the partner's window: it travels to the writer

E, I, S and R are added up: they are what travels. `C`, `D`, `O2A`, `A2O` and `A2A` say again what
collectives asked for, and are left out. Whichever of NAME.0.prof, NAME.1.prof, ... is named, all
of them are one dump.
"""

from __future__ import annotations

import re
from pathlib import Path

from lccmodel.communication.entries import Entry
from lccmodel.communication.sources import content_of, text_of
from lccmodel.communication.traces.sums import Sums
from lccmodel.errors import FileError

_LINE = re.compile(
    r"(E|I|S|R|C)\s+(\d{1,9})\s+(\d{1,9})\s+(\d{1,19}) bytes\s+(\d{1,19}) msgs sent(\s+[\d,]+)?"
)
_LEFT_OUT = re.compile(r"#.*|D\s.*|(O2A|A2O|A2A)\s.*")
_WORLD = re.compile(r"D\s+MPI_COMM_WORLD\s+procs: (\d[\d,]*)")
_OF_A_RANK = re.compile(r"(.+)\.(\d{1,9})\.prof(\.gz)?", re.IGNORECASE)


def dump_of(name: str) -> str | None:
    """What the names of all files of a dump have in common; None of any other file.

    >>> dump_of("run/ring.3.prof"), dump_of("ring.prof"), dump_of("trace.csv")
    ('run/ring', None, None)
    """
    match = _OF_A_RANK.fullmatch(name)
    return match[1] if match else None


def read_monitoring(path: Path, text: str, n: int | None = None) -> tuple[Entry, ...]:
    """The messages of one dump: the file that is named, and those beside it that belong to it.

    Args:
        path: NAME.k.prof, or a file that holds the lines of several ranks.
        text: its content.
        n: number of address bits; the smallest that fits all ranks if left out.

    Raises:
        FileError: with the file and the line of the fault, or the file of a rank is missing.
    """
    dump = dump_of(path.name)
    sums = Sums(path)
    files = {} if dump is None else _beside(path, dump)
    if not files:
        _add(sums, path, text)
    for rank, file in sorted(files.items()):
        _add(sums, file, text if file == path else text_of(file, content_of(file)[2]), rank)
    missing = next((r for r in range(sums.ranks) if files and r not in files), None)
    if missing is not None:
        rule = f"the file of every rank must stand beside it, here {dump}.{missing}.prof"
        raise FileError(path, 0, rule, f"{len(files)} of {sums.ranks} files")
    name = path.stem.removesuffix(".prof") if dump is None else dump
    many = f"{len(files)} files of {dump}.*.prof" if files else "one file"
    return sums.entry(name, f"Open MPI's monitoring, {many}", n)


def _beside(path: Path, dump: str) -> dict[int, Path]:
    """The files of a dump by rank; the one that is named, if a rank has two."""
    found = {}
    for file in [*path.parent.iterdir(), path]:
        match = _OF_A_RANK.fullmatch(file.name)
        if match and match[1] == dump:
            found[int(match[2])] = file
    return found


def _add(sums: Sums, path: Path, text: str, rank: int | None = None) -> None:
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.strip()
        if world := _WORLD.fullmatch(content):
            sums.hold(number, max(int(one) for one in world[1].split(",") if one) + 1)
        match = _LINE.fullmatch(content)
        if match is None:
            if content and not _LEFT_OUT.fullmatch(content):
                rule = (
                    "must be a line of Open MPI's monitoring, such as 'E 0 1 8 bytes 1 msgs sent'"
                )
                raise FileError(path, number, rule, content)
            continue
        writer, partner, volume = int(match[2]), int(match[3]), int(match[4])
        if rank is not None and writer != rank:
            raise FileError(path, number, f"must be a line of rank {rank}, as the name says", line)
        if match[1] != "C":
            ends = (partner, writer) if match[1] == "R" else (writer, partner)
            sums.add(number, *ends, volume)
