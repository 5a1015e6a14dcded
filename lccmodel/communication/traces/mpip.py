"""Reports of mpiP, read as traffic where they say who received.

mpiP adds up what every call site sent; to whom, it does not write (3.5, with any option). Builds
that count pairs have one section more, which is read:

    @--- Aggregate Point-To-Point Stats (count, bytes, milliseconds) ----------
    Src-Rank  Dest-Rank  Total-Count  Total-Size  Total-Time
           0          1            1           4       0.005
"""

from __future__ import annotations

import re
from pathlib import Path

from lccmodel.communication.entries import Entry
from lccmodel.communication.traces.sums import Sums
from lccmodel.errors import FileError

_TASK = re.compile(r"@ MPI Task Assignment\s*: (\d{1,9}) .*")
_SECTION = re.compile(r"@--- Aggregate Point-To-Point Stats \((count, )?bytes, milliseconds\).*")
_ROW = re.compile(r"\s*(\d{1,9})\s+(\d{1,9})(?:\s+(\d{1,19}))?\s+(\d{1,19})\s+[\d.eE+-]+\s*")


def read_mpip(path: Path, text: str, n: int | None = None) -> tuple[Entry, ...]:
    """The messages of a report.

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
