r"""Dumps of Open MPI's monitoring component, versions 4 and 5.

    mpirun --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \
           --mca pml_monitoring_filename ring ...        writes ring.0.prof, ring.1.prof, ...

A line is a kind, the rank that writes, its partner, bytes and messages, tab by tab:

    E   0   1   3000 bytes   3 msgs sent    point-to-point messages of the program
    I   0   1   8 bytes      1 msgs sent    messages of the library: those of collectives
    S   0   1   200 bytes    1 msgs sent    put into the partner's window
    R   0   1   14 bytes     1 msgs sent    got from the partner's window, to the writer

E, I, S and R are added up: they are the traffic. `C`, `D`, `O2A`, `A2O` and `A2A` repeat what
collectives requested, and are left out. On standard output, lines of the program stand between. Any
file NAME.k.prof stands for the whole dump. If files or parts of ranks are missing, a note says
whose: the messages that these ranks sent are not known.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from lccmodel.errors import FileError
from lccmodel.reading.entries import Sums, found_traffic, missing_note
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.placements import read_labels
from lccmodel.reading.text import Text

_LINE = re.compile(
    r"(E|I|S|R|C)\s+(\d{1,9})\s+(\d{1,9})\s+(\d{1,19}) bytes\s+(\d{1,19}) msgs sent(\s+[\d,]+)?"
)
_SIGNATURE = re.compile(
    r"^[ \t]*(# POINT TO POINT|(E|I|S|R|C)[ \t]+\d+[ \t]+\d+[ \t]+\d+ bytes[ \t]+\d+ msgs sent)",
    re.MULTILINE,
)
_BEGUN = re.compile(r"[A-Z][A-Z0-9]{0,2}\s+\d")
"""A line of the monitoring, perhaps cut; all others are the program's own output."""
_LEFT_OUT = re.compile(r"#.*|D\s.*|(O2A|A2O|A2A)\s.*")
_WORLD = re.compile(r"D\s+MPI_COMM_WORLD\s+procs: (\d[\d,]*)")
_OF_A_RANK = re.compile(r"(.+)\.(\d{1,9})\.prof(\.gz)?", re.IGNORECASE)
_BEGINNING = "# POINT TO POINT"


def dump_of(name: str) -> str | None:
    """Return what the names of all files of a dump have in common; None of any other file.

    >>> dump_of("run/ring.3.prof"), dump_of("ring.prof"), dump_of("trace.csv")
    ('run/ring', None, None)
    """
    match = _OF_A_RANK.fullmatch(name)
    return match[1] if match else None


def _is_monitoring(text: Text) -> bool:
    return _SIGNATURE.search(text.head) is not None


class _Parts:
    """The sums of a dump, and whose parts it has."""

    def __init__(self, path: Path) -> None:
        self.sums = Sums(path)
        self.world: set[int] = set()
        self.writers: set[int] = set()
        self.beginnings = 0
        self.ignored = 0

    def add(self, text: Text, rank: int | None = None) -> None:
        """Add the lines of one file.

        Raises:
            FileError: with the line of the fault.
        """
        self.writers.update(() if rank is None else (rank,))
        for label in text.labels:
            self.writers.update(() if label is None or label.rank is None else (label.rank,))
        for number, content in text.filled():
            self.beginnings += content == _BEGINNING
            if world := _WORLD.fullmatch(content):
                self.world.update(int(member) for member in world[1].split(",") if member)
                self.sums.hold(number, max(self.world) + 1)
            match = _LINE.fullmatch(content)
            if match is None:
                if not _LEFT_OUT.fullmatch(content) and not _BEGUN.match(content):
                    self.ignored += 1
                elif not _LEFT_OUT.fullmatch(content):
                    rule = (
                        "must be a line of Open MPI's monitoring, such as 'E 0 1 8 bytes 1 msgs "
                        "sent'"
                    )
                    raise FileError(text.path, number, rule, content)
                continue
            writer, partner, volume = int(match[2]), int(match[3]), int(match[4])
            if rank is not None and writer != rank:
                rule = f"must be a line of rank {rank}, as the name says"
                raise FileError(text.path, number, rule, content)
            self.writers.add(writer)
            if match[1] != "C":
                ends = (partner, writer) if match[1] == "R" else (writer, partner)
                self.sums.add(number, *ends, volume)

    def notes(self) -> list[str]:
        """Return notes on lines of the program, and on the ranks whose parts are missing."""
        ranks = self.world or set(range(self.sums.ranks))
        missing = sorted(ranks - self.writers)
        notes = [f"{self.ignored} lines that are not of the monitoring are ignored"]
        notes = notes if self.ignored else []
        if not missing or self.beginnings >= len(ranks):
            return notes
        # ranks that send nothing write no line, unless the dump is of a single rank
        if not self.world and self.beginnings != 1 and len(self.writers) > 1:
            return notes
        return [*notes, missing_note(missing, len(ranks), "dump")]


def read_monitoring(text: Text) -> Found:
    """Return the messages of a dump: of the file, and of those beside it that belong to it.

    Raises:
        FileError: with the file and the line of the fault.
    """
    dump = dump_of(text.path.name)
    parts = _Parts(text.path)
    files = {} if dump is None else _beside(text, dump)
    for rank, file in sorted(files.items()):
        parts.add(text if file == text.path else Text.at(file), rank)
    if not files:
        parts.add(text)
    name = text.stem if dump is None else dump
    many = f"{len(files)} files of {dump}.*.prof" if len(files) > 1 else "one file"
    entry = parts.sums.entry(text, f"Open MPI's monitoring, {many}", name)
    hosts: list[Found] = []
    if any(label is not None and label.host for label in text.labels):
        with suppress(FileError):  # of some ranks alone
            hosts.append(read_labels(text))
    return found_traffic(text, "openmpi-monitoring", (entry,), parts.notes(), *hosts)


def _beside(text: Text, dump: str) -> dict[int, Path]:
    """Return the files of a dump by rank; the one that is named, if a rank has two."""
    files = {}
    for file in [*text.beside, text.path]:
        match = _OF_A_RANK.fullmatch(file.name)
        if match and match[1] == dump:
            files[int(match[2])] = file
    return files


FORMATS = (
    Format("openmpi-monitoring", "traffic", SIGNATURE, _is_monitoring, read_monitoring,
           "Open MPI 4 and 5: monitoring", also=("placement",),
           lacks="The hosts of the ranks, except in labels of tag-detailed."),
)  # fmt: skip
