"""Paraver traces, as Extrae writes them: traffic, and with the `.row` file the host of every rank.

The header counts applications and their tasks, each with its threads and node:

    #Paraver (26/01/04 at 16:35):260199:4:1:4(1:1,1:2,1:3,1:4),8

and a record of a message is, numbers counted from 1,

    3:cpu:application:task:thread:sent:left:cpu:application:task:thread:posted:arrived:bytes:tag

Tasks are ranks. States (1), events (2) and collectives (4, c) are no messages. The `.row` file of
the same name lists the hosts below LEVEL NODE.
"""

from __future__ import annotations

import re

from lccmodel.errors import FileError
from lccmodel.reading.entries import Sums, found_traffic
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.text import Text

_HEADER = re.compile(
    r"#Paraver \([^)]*\):\d+(?:_\w+)?:(?P<nodes>[^:]*):(?P<applications>\d{1,9})"
    r":(?P<tasks>\d{1,9})\((?P<places>[^)]*)\).*"
)
_MESSAGE = 15
_RECORD = re.compile(r"[1-4c]:.*")
_COLLECTIVES = "collectives are left out: their messages are not in the trace"


def _is_paraver(text: Text) -> bool:
    return re.search(r"(?m)^#Paraver \(", text.head) is not None


def read_paraver(text: Text) -> Found:
    """Return the messages of a trace, and the host of every rank if its `.row` file is beside it.

    Raises:
        FileError: with the line of the fault; a trace of several applications.
    """
    lines = text.lines
    header = _HEADER.fullmatch(lines[0].strip()) if lines else None
    if header is None:
        rule = "must be a Paraver trace: '#Paraver (date):time:nodes:applications:tasks(...)'"
        raise FileError(text.path, 1, rule, lines[0] if lines else "")
    if int(header["applications"]) != 1:
        rule = "must be a trace of one application"
        raise FileError(text.path, 1, rule, header["applications"])
    tasks = int(header["tasks"])
    sums = Sums(text.path)
    sums.hold(1, max(tasks, 1))
    collectives = False
    for number, line in enumerate(lines[1:], start=2):
        record = line.strip()
        collectives |= record.startswith("4:")
        if record.startswith("3:"):
            cells = record.split(":")
            known = [re.fullmatch(r"-?\d{1,19}", cell) for cell in cells]
            if len(cells) != _MESSAGE or not all(known):
                rule = "a message must be 15 numbers, 3:cpu:..."
                raise FileError(text.path, number, rule, record)
            source, destination, volume = int(cells[3]), int(cells[9]), int(cells[13])
            if not (0 < source <= tasks and 0 < destination <= tasks and volume >= 0):
                rule = f"tasks must be in 1..{tasks}, and bytes not negative"
                raise FileError(text.path, number, rule, record)
            sums.add(number, source - 1, destination - 1, volume)
        elif record and not record.startswith("#") and not _RECORD.fullmatch(record):
            rule = "a record must begin with 1:, 2:, 3:, 4: or c:"
            raise FileError(text.path, number, rule, record)
    entry = sums.entry(text, "Paraver", text.stem.removesuffix(".prv"))
    return found_traffic(text, "paraver-row", (entry,), [_COLLECTIVES] * collectives,
                         *_placed(text, header["places"], tasks))  # fmt: skip


def _placed(text: Text, places: str, tasks: int) -> list[Found]:
    """Return the host of every rank, from the header and the hosts of the `.row` file."""
    rows = text.path.with_name(text.name).with_suffix(".row")
    nodes = [place.partition(":")[2] for place in places.split(",")]
    if not rows.is_file() or len(nodes) != tasks or not all(map(str.isdigit, nodes)):
        return []
    hosts: list[str] = []
    level = ""
    for _, line in Text.at(rows).filled():
        if line.startswith("LEVEL"):
            level = line.split()[1]
        elif level == "NODE":
            hosts.append(line)
    if not all(0 < int(node) <= len(hosts) for node in nodes):
        return []
    return [Found("placement", "paraver-row", tuple(hosts[int(node) - 1] for node in nodes), (),
                  str(rows))]  # fmt: skip


FORMATS = (
    Format("paraver-row", "traffic", SIGNATURE, _is_paraver, read_paraver,
           "Extrae: Paraver traces (.prv with .row)", lacks="Messages of collectives.",
           also=("placement",)),
)  # fmt: skip
