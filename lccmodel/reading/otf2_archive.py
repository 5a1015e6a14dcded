"""OTF2 archives, as Score-P writes them, read as traffic by OTF2's own Python reader.

The anchor file `traces.otf2` is named; the archive lies around it. Messages are the events
MpiSend and MpiIsend; the receiver is a rank of the event's communicator, whose group names the
processes of the world.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lccmodel.errors import FileError, Reason
from lccmodel.reading.entries import Sums, found_traffic
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.text import Text

_ANCHOR = b"\x03BOTF2"


def _is_otf2(text: Text) -> bool:
    return text.raw.startswith(_ANCHOR) or text.path.suffix.lower() == ".otf2"


def read_otf2(text: Text) -> Found:
    """Return the messages of an archive; needs the extra `[otf2]`.

    Raises:
        FileError: not an archive, one that is broken, or the reader is not installed.
    """
    path = text.path
    try:
        import otf2
    except ImportError:
        rule = "needs OTF2's Python reader: pip install 'lccmodel[otf2]'"
        raise FileError(path, 0, rule, "otf2") from None
    if not path.is_file() or path.suffix.lower() != ".otf2":
        rule = "must be the anchor file of an archive on disk, such as scorep-1/traces.otf2"
        raise FileError(path, 0, rule, path.name)
    sums = Sums(path)
    try:
        with _quiet(), otf2.reader.open(str(path)) as trace:
            collectives = _add(sums, path, otf2, trace)
    except FileError:
        raise
    except Exception as error:  # the reader has no class of its own for all that can be wrong
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(path, 0, "must be a whole OTF2 archive", Reason(reason)) from None
    entry = sums.entry(text, "OTF2")
    return found_traffic(text, "otf2", (entry,), [_COLLECTIVES] * collectives)


_COLLECTIVES = "collectives are left out: their messages are not in the trace"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what the C library writes to standard error: the error is raised, too."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _add(sums: Sums, path: Path, otf2: Any, trace: Any) -> bool:
    """Add every message up; whether there are collectives beside."""
    mpi = otf2.Paradigm.MPI
    worlds = [
        group
        for group in trace.definitions.groups
        if group.group_type == otf2.GroupType.COMM_LOCATIONS and group.paradigm == mpi
    ]
    if not worlds:
        raise FileError(path, 0, "must be the trace of an MPI program", "no ranks of MPI")
    rank_of = {place.group: rank for rank, place in enumerate(worlds[0].members)}
    sums.hold(0, max(len(rank_of), 1))
    collectives = False
    for place, event in trace.events:
        if isinstance(event, (otf2.events.MpiSend, otf2.events.MpiIsend)):
            group = event.communicator.group
            own = group.group_type == otf2.GroupType.COMM_SELF
            receiver = place if own else group.members[event.receiver]
            sums.add(0, rank_of[place.group], rank_of[receiver.group], event.msg_length)
        collectives |= isinstance(event, otf2.events.MpiCollectiveEnd)
    return collectives


FORMATS = (
    Format("otf2", "traffic", SIGNATURE, _is_otf2, read_otf2,
           "Score-P: OTF2 archives (the anchor file)", lacks="Messages of collectives."),
)  # fmt: skip
