"""Paraver traces (`.prv`), as Extrae writes them, read as traffic.

The header counts applications and their tasks, each with its threads and node:

    #Paraver (26/01/04 at 16:35):260199:4:1:4(1:1,1:2,1:3,1:4),8

and a record of a message is, numbers counted from 1,

    3:cpu:application:task:thread:sent:left:cpu:application:task:thread:posted:arrived:bytes:tag

Tasks are ranks. States (1), events (2) and collectives (4, c) are no messages.
"""

from __future__ import annotations

import re
from pathlib import Path

from lccmodel.communication.entries import Entry
from lccmodel.communication.traces.sums import Sums
from lccmodel.errors import FileError

_HEADER = re.compile(r"#Paraver \([^)]*\):\d+(?:_\w+)?:[^:]*:(\d{1,9}):(\d{1,9})\(.*")
_MESSAGE = 15
_RECORD = re.compile(r"[1-4c]:.*")


def read_paraver(path: Path, text: str, n: int | None = None) -> tuple[Entry, ...]:
    """The messages of a trace.

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
