"""Profiles of IPM, `IPM_LOG=full`, read as traffic.

Every `task` is a rank; every `hent` in it is what one call did with messages of one size to one
partner: `call`, `bytes` of a message, `orank`, `count`. Calls that send count bytes times count.
IPM keeps sizes in bins and writes the least of a bin, so that 500 bytes are 448 (seen, IPM 2.0.6).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, iterparse

from lccmodel.communication.entries import Entry
from lccmodel.communication.traces.sums import Sums
from lccmodel.errors import FileError, shown

_SENDS = {
    "MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend", "MPI_Isend", "MPI_Issend", "MPI_Irsend",
    "MPI_Ibsend", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Put",
}  # fmt: skip
_COLLECTIVE = re.compile(
    r"MPI_I?(Bcast|Reduce|Allreduce|Reduce_scatter|Scan|(All)?gatherv?|Scatterv?|Alltoall[vw]?)"
)
_ROOTS = ("ipm_job_profile", "ipm")


def read_ipm(path: Path, content: bytes, n: int | None = None) -> tuple[Entry, ...]:
    """The messages of a profile.

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
        raise FileError(path, line, "must be whole XML, as IPM writes it", str(error)) from None


def _number(path: Path, element: Element, name: str) -> int:
    text = element.get(name, "")
    if not re.fullmatch(r"[0-9]{1,19}", text):
        rule = f"{name} of a {element.tag} must be a number that is not negative"
        raise FileError(path, 0, rule, text)
    return int(text)
