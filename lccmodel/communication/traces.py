"""What profilers and tracers record of a program, as traffic.

    NAME.0.prof, ...    Open MPI's monitoring component, a file a rank, or all in one
    .xml                IPM, with IPM_LOG=full
    .mpiP               mpiP, where the report says who received
    .prv                Paraver traces, as Extrae writes them
    .otf2               OTF2 archives, as Score-P writes them (extra `otf2`)

What is counted is messages: what every rank sent to every other, in bytes, added up over the run.
Collectives count where the tool recorded the messages that they were made of (Open MPI); else a
note says that they are left out.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, iterparse

import numpy as np

from lccmodel.communication.describing import AddressPairs
from lccmodel.communication.program import Entry, as_file_error, sent_between
from lccmodel.errors import FileError, InputError, Reason, shown
from lccmodel.files import content_of, text_of

_MOST_RANKS = 1 << 24
"""More than any machine runs: a larger number in a trace is a slip."""

_MOST_BYTES = 1 << 62


class Sums:
    """Bytes by source and destination, each with the line that named the pair first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ranks = 1
        self._sent: dict[tuple[int, int], int] = {}
        self._lines: dict[tuple[int, int], int] = {}

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return pair in self._sent

    def hold(self, line: int, ranks: int) -> None:
        """So many ranks there are, whether they send or not.

        Raises:
            FileError: more than any machine runs.
        """
        if ranks > _MOST_RANKS:
            raise FileError(self.path, line, f"ranks must be below {_MOST_RANKS:,}", ranks - 1)
        self.ranks = max(self.ranks, ranks)

    def add(self, line: int, source: int, destination: int, volume: int) -> None:
        """Some more bytes from a rank to another.

        Raises:
            FileError: ranks or bytes that are none.
        """
        self.hold(line, max(source, destination) + 1)
        pair = (source, destination)
        total = self._sent.get(pair, 0) + volume
        if total > _MOST_BYTES:
            raise FileError(self.path, line, "bytes must add up to less than 2^62", volume)
        if volume:
            self._sent[pair] = total
            self._lines.setdefault(pair, line)

    def entry(
        self, name: str, origin: str, n: int | None = None, notes: Sequence[str] = ()
    ) -> tuple[Entry, ...]:
        """The one communication of the trace.

        Raises:
            FileError: nobody sent anything, or more ranks than n bits name.
        """
        if not self._sent:
            raise FileError(self.path, 0, "must record messages between ranks", "none")
        bits = max(1, (self.ranks - 1).bit_length()) if n is None else n
        if (self.ranks - 1) >> bits:
            rule = f"a rank must be in 0..{(1 << bits) - 1} for n = {bits}"
            raise FileError(self.path, 0, rule, self.ranks - 1)
        pairs = np.array(list(self._sent), dtype=np.uint64)
        lines = np.array(list(self._lines.values()), dtype=np.int64)
        volumes = np.array(list(self._sent.values()), dtype=np.int64)
        try:
            sent = sent_between(AddressPairs.of(pairs, bits), volumes, self.ranks)
        except InputError as error:
            raise as_file_error(error, self.path, int(lines[0])) from error
        weight, where, first = sent.largest_volume, str(self.path), int(lines[0])
        return (
            Entry(name, sent, weight, origin, where, first, lines, notes=tuple(notes), bits=bits),
        )


# -- Open MPI's monitoring component ----------------------------------------------------------

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

        mpirun --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \\
               --mca pml_monitoring_filename ring ...        writes ring.0.prof, ring.1.prof, ...

    A line is a kind, the rank that writes, its partner, bytes and messages, tab by tab:

        E   0   1   3000 bytes   3 msgs sent    the program's point-to-point messages
        I   0   1   8 bytes      1 msgs sent    the library's own: the messages of collectives
        S   0   1   200 bytes    1 msgs sent    put into the partner's window
        R   0   1   14 bytes     1 msgs sent    got from the partner's window, to the writer

    E, I, S and R are added up: they are what travels. `C`, `D`, `O2A`, `A2O` and `A2A` say again
    what collectives asked for, and are left out. Whichever of NAME.0.prof, NAME.1.prof, ... is
    named, all of them are one dump.

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


# -- IPM --------------------------------------------------------------------------------------

_SENDS = {
    "MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend", "MPI_Isend", "MPI_Issend", "MPI_Irsend",
    "MPI_Ibsend", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Put",
}  # fmt: skip
_COLLECTIVE = re.compile(
    r"MPI_I?(Bcast|Reduce|Allreduce|Reduce_scatter|Scan|(All)?gatherv?|Scatterv?|Alltoall[vw]?)"
)
_ROOTS = ("ipm_job_profile", "ipm")


def read_ipm(path: Path, content: bytes, n: int | None = None) -> tuple[Entry, ...]:
    """The messages of a profile of IPM, written with `IPM_LOG=full`.

    Every `task` is a rank; every `hent` in it is what one call did with messages of one size to
    one partner: `call`, `bytes` of a message, `orank`, `count`. Calls that send count bytes times
    count. IPM keeps sizes in bins and writes the least of a bin, so that 500 bytes are 448 (seen,
    IPM 2.0.6).

    Raises:
        FileError: no profile of IPM, cut off, or without messages (`IPM_LOG=full` writes them).
    """
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise FileError(path, 0, "must be a profile of IPM, which has no DOCTYPE", "<!DOCTYPE")
    sums = Sums(path)
    rank, details, collectives = -1, False, False
    for opened, element in _elements(path, content):
        if element.tag == "task" and opened:
            rank = _number(path, element, "mpi_rank")
            size = _number(path, element, "mpi_size")
            if rank >= size:
                raise FileError(path, 0, f"mpi_rank must be below mpi_size = {size}", rank)
            sums.hold(0, size)
        elif element.tag == "hent" and not opened:
            details = True
            call = element.get("call", "")
            collectives |= bool(_COLLECTIVE.fullmatch(call))
            if call in _SENDS:
                if rank < 0:
                    raise FileError(path, 0, "a hent must stand in a task", call)
                sent = _number(path, element, "bytes") * _number(path, element, "count")
                sums.add(0, rank, _number(path, element, "orank"), sent)
        if not opened:
            element.clear()
    if not details:
        rule = "must hold the messages, as IPM_LOG=full writes them (elements hent)"
        raise FileError(path, 0, rule, "none")
    notes = [f"{path}: IPM keeps sizes in bins; volumes are the least of each bin"]
    if collectives:
        notes.append(f"{path}: collectives are left out: IPM does not record their messages")
    return sums.entry(path.stem.removesuffix(".xml").removesuffix(".ipm"), "IPM", n, notes)


def _elements(path: Path, content: bytes) -> Iterator[tuple[bool, Element]]:
    """Elements as they open (True) and close."""
    first = True
    try:
        for event, element in iterparse(io.BytesIO(content), events=("start", "end")):
            if first and element.tag not in _ROOTS:
                rule = "must be a profile of IPM (<ipm_job_profile>)"
                raise FileError(path, 1, rule, shown(element.tag))
            first = False
            yield event == "start", element
    except FileError:
        raise
    except (ParseError, ValueError, LookupError) as error:  # the last two: an unknown encoding
        line = getattr(error, "position", (0, 0))[0]
        raise FileError(path, line, "must be whole XML, as IPM writes it", Reason(error)) from None


def _number(path: Path, element: Element, name: str) -> int:
    text = element.get(name, "")
    if not re.fullmatch(r"[0-9]{1,19}", text):
        rule = f"{name} of a {element.tag} must be a number that is not negative"
        raise FileError(path, 0, rule, text)
    return int(text)


# -- mpiP -------------------------------------------------------------------------------------

_TASK = re.compile(r"@ MPI Task Assignment\s*: (\d{1,9}) .*")
_SECTION = re.compile(r"@--- Aggregate Point-To-Point Stats \((count, )?bytes, milliseconds\).*")
_ROW = re.compile(r"\s*(\d{1,9})\s+(\d{1,9})(?:\s+(\d{1,19}))?\s+(\d{1,19})\s+[\d.eE+-]+\s*")


def read_mpip(path: Path, text: str, n: int | None = None) -> tuple[Entry, ...]:
    """The messages of a report of mpiP, where it says who received.

    mpiP adds up what every call site sent; to whom, it does not write (3.5, with any option).
    Builds that count pairs have one section more, which is read:

        @--- Aggregate Point-To-Point Stats (count, bytes, milliseconds) ----------
        Src-Rank  Dest-Rank  Total-Count  Total-Size  Total-Time
               0          1            1           4       0.005

    Raises:
        FileError: no report of mpiP, or one that does not say who received.
    """
    lines = text.splitlines()
    if not lines or lines[0].strip() != "@ mpiP":
        first = lines[0] if lines else ""
        raise FileError(path, 1, "must be a report of mpiP: its first line is '@ mpiP'", first)
    sums = Sums(path)
    section = counted = False
    for number, line in enumerate(lines, start=1):
        if task := _TASK.fullmatch(line):
            sums.hold(number, int(task[1]) + 1)
        elif line.startswith("@---"):
            match = _SECTION.fullmatch(line)
            section |= match is not None
            inside, counted = match is not None, bool(match and match[1])
        elif section and inside and line[:1] not in ("-", "") and not line.lstrip().startswith("S"):
            row = _ROW.fullmatch(line)
            if row is None or (row[3] is not None) != counted:
                columns = "Src-Rank, Dest-Rank, " + ("Total-Count, " if counted else "")
                rule = f"must be {columns}Total-Size and Total-Time"
                raise FileError(path, number, rule, line)
            sums.add(number, int(row[1]), int(row[2]), int(row[4]))
    if not section:
        rule = (
            "mpiP did not write who received; Open MPI's monitoring, IPM (IPM_LOG=full), Extrae "
            "and Score-P do"
        )
        raise FileError(path, 0, rule, "no section Aggregate Point-To-Point Stats")
    note = f"{path}: collectives are left out: mpiP does not record their messages"
    return sums.entry(path.stem.removesuffix(".mpiP"), "mpiP", n, [note])


# -- Paraver ----------------------------------------------------------------------------------

_HEADER = re.compile(r"#Paraver \([^)]*\):\d+(?:_\w+)?:[^:]*:(\d{1,9}):(\d{1,9})\(.*")
_MESSAGE = 15
_RECORD = re.compile(r"[1-4c]:.*")


def read_paraver(path: Path, text: str, n: int | None = None) -> tuple[Entry, ...]:
    """The messages of a Paraver trace, as Extrae writes it.

    The header counts applications and their tasks, each with its threads and node:

        #Paraver (26/01/04 at 16:35):260199:4:1:4(1:1,1:2,1:3,1:4),8

    and a record of a message is, numbers counted from 1,

        3:cpu:application:task:thread:sent:left:cpu:application:task:thread:posted:arrived:bytes:tag

    Tasks are ranks. States (1), events (2) and collectives (4, c) are no messages.

    Raises:
        FileError: with the line of the fault; a trace of several applications.
    """
    lines = text.splitlines()
    header = _HEADER.fullmatch(lines[0].strip()) if lines else None
    if header is None:
        rule = "must be a Paraver trace: '#Paraver (date):time:nodes:applications:tasks(...)'"
        raise FileError(path, 1, rule, lines[0] if lines else "")
    if int(header[1]) != 1:
        raise FileError(path, 1, "must be a trace of one application", header[1])
    tasks = int(header[2])
    sums = Sums(path)
    sums.hold(1, max(tasks, 1))
    collectives = False
    for number, line in enumerate(lines[1:], start=2):
        record = line.strip()
        collectives |= record.startswith("4:")
        if record.startswith("3:"):
            cells = record.split(":")
            known = [re.fullmatch(r"-?\d{1,19}", cell) for cell in cells]
            if len(cells) != _MESSAGE or not all(known):
                raise FileError(path, number, "a message must be 15 numbers, 3:cpu:...", record)
            source, destination, volume = int(cells[3]), int(cells[9]), int(cells[13])
            if not (0 < source <= tasks and 0 < destination <= tasks and volume >= 0):
                rule = f"tasks must be in 1..{tasks}, and bytes not negative"
                raise FileError(path, number, rule, record)
            sums.add(number, source - 1, destination - 1, volume)
        elif record and not record.startswith("#") and not _RECORD.fullmatch(record):
            raise FileError(path, number, "a record must begin with 1:, 2:, 3:, 4: or c:", record)
    note = f"{path}: collectives are left out: their messages are not in the trace"
    return sums.entry(path.stem.removesuffix(".prv"), "Paraver", n, [note] if collectives else [])
