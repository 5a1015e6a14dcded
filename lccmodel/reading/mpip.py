"""Reports of mpiP, if they say who received, and databases of mpisee, which do not.

mpiP adds up what every call site sent; version 3.5 does not write to whom, with any option. Builds
that count pairs have one section more, which is read:

    @--- Aggregate Point-To-Point Stats (count, bytes, milliseconds) ----------
    Src-Rank  Dest-Rank  Total-Count  Total-Size  Total-Time
           0          1            1           4       0.005

mpisee stores sizes by communicator and call, no partner; its mappings are the host of every rank.
"""

from __future__ import annotations

import re
import sqlite3

from lccmodel.errors import FileError, Reason
from lccmodel.reading.entries import Sums, found_traffic
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.text import Text

_TASK = re.compile(r"@ MPI Task Assignment\s*: (\d{1,9}) .*")
_SECTION = re.compile(r"@--- Aggregate Point-To-Point Stats \((count, )?bytes, milliseconds\).*")
_ROW = re.compile(r"\s*(\d{1,9})\s+(\d{1,9})(?:\s+(\d{1,19}))?\s+(\d{1,19})\s+[\d.eE+-]+\s*")
_COLLECTIVES = "collectives are left out: mpiP does not record their messages"


def _is_mpip(text: Text) -> bool:
    return re.search(r"(?m)^@ mpiP\s*$", text.head) is not None


def read_mpip(text: Text) -> Found:
    """Return the messages of a report that says who received.

    Raises:
        FileError: it does not.
    """
    sums = Sums(text.path)
    hosts: dict[int, str] = {}
    section = inside = counted = False
    for number, line in enumerate(text.lines, start=1):
        if task := _TASK.fullmatch(line):
            sums.hold(number, int(task[1]) + 1)
            hosts[int(task[1])] = line.split()[-1]
        elif line.startswith("@---"):
            match = _SECTION.fullmatch(line)
            section |= match is not None
            inside, counted = match is not None, bool(match and match[1])
        elif inside and line[:1] not in ("-", "") and not line.lstrip().startswith("S"):
            row = _ROW.fullmatch(line)
            if row is None or (row[3] is not None) != counted:
                columns = "Src-Rank, Dest-Rank, " + ("Total-Count, " if counted else "")
                rule = f"must be {columns}Total-Size and Total-Time"
                raise FileError(text.path, number, rule, line)
            sums.add(number, int(row[1]), int(row[2]), int(row[4]))
    if not section:
        rule = (
            "mpiP did not write who received; Open MPI's monitoring, IPM (IPM_LOG=full), Extrae "
            "and Score-P do"
        )
        raise FileError(text.path, 0, rule, "no section Aggregate Point-To-Point Stats")
    placed = _placed("mpip", hosts, sums.ranks, text)
    entry = sums.entry(text, "mpiP", text.stem.removesuffix(".mpiP"))
    return found_traffic(text, "mpip", (entry,), [_COLLECTIVES], *placed)


def _placed(form: str, hosts: dict[int, str], ranks: int, text: Text) -> list[Found]:
    """Return the placement, if every rank has a host."""
    if set(hosts) != set(range(ranks)) or not ranks:
        return []
    return [Found("placement", form, tuple(hosts[k] for k in range(ranks)), (), str(text.path))]


def read_mpip_placement(text: Text) -> Found:
    """Return the host of every rank, which a report has whether it says who received or not."""
    hosts = {
        int(task[1]): line.split()[-1] for line in text.lines if (task := _TASK.fullmatch(line))
    }
    placed = _placed("mpip", hosts, len(hosts), text)
    if not placed:
        raise FileError(text.path, 0, "must assign ranks 0, 1, ... to hosts", len(hosts))
    return placed[0]


_SQLITE = b"SQLite format 3\0"


def _is_mpisee(text: Text) -> bool:
    return text.raw.startswith(_SQLITE) and b"mappings" in text.raw and b"comms" in text.raw


def read_mpisee(text: Text) -> Found:
    """Return the host of every rank of a database of mpisee.

    Raises:
        FileError: it is broken, or has no mappings.
    """
    try:
        database = sqlite3.connect(":memory:")
        try:
            database.deserialize(text.raw)
            rows = database.execute("SELECT id, machine FROM mappings ORDER BY id").fetchall()
        finally:
            database.close()
    except sqlite3.Error as error:
        raise FileError(text.path, 0, "must be a whole database of mpisee", Reason(error)) from None
    first = int(rows[0][0]) if rows else 0
    if not rows or [int(row[0]) - first for row in rows] != list(range(len(rows))) or first > 1:
        rule = "must map ranks 0, 1, ... to machines"
        raise FileError(text.path, 0, rule, [row[0] for row in rows[:10]])
    return Found("placement", "mpisee-sqlite", tuple(str(row[1]) for row in rows), (),
                 str(text.path))  # fmt: skip


def _no_partner(text: Text) -> Found:
    rule = (
        "mpisee records no partner of a message, so there is no traffic; Open MPI's monitoring, "
        "IPM (IPM_LOG=full), Extrae and Score-P record it"
    )
    raise FileError(text.path, 0, rule, "mpisee")


FORMATS = (
    Format("mpip", "traffic", SIGNATURE, _is_mpip, read_mpip, "mpiP 3: reports with pairs",
           lacks="Receivers, except in builds that count pairs; messages of collectives."),
    Format("mpip", "placement", SIGNATURE, _is_mpip, read_mpip_placement, "mpiP 3: reports",
           "--now {path}", lacks="Cores."),
    Format("mpisee-sqlite", "placement", SIGNATURE, _is_mpisee, read_mpisee, "mpisee: database",
           "--now {path}", lacks="The partner of a message, so it holds no traffic."),
    Format("mpisee-sqlite", "traffic", SIGNATURE, _is_mpisee, _no_partner, "mpisee: database",
           lacks="The partner of a message, so it holds no traffic."),
)  # fmt: skip
