"""Profiles of IPM 2, written with `IPM_LOG=full`: traffic, and the host of every rank.

Every `task` is a rank; its `host` is where it ran; every `hent` in it is what one call did with
messages of one size to one partner: `call`, `bytes` of a message, `orank`, `count`. Calls that send
count bytes times count. IPM stores sizes in bins and writes the smallest of a bin (500 bytes are
448 in IPM 2.0.6), and it writes rank 0 for MPI_PROC_NULL and MPI_ANY_SOURCE.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError, iterparse

from lccmodel.errors import FileError, Reason, shown
from lccmodel.reading.entries import Sums, found_traffic, missing_note
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.graph_formats import refuse_doctype
from lccmodel.reading.text import Text

_SENDS = {
    "MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend", "MPI_Isend", "MPI_Issend", "MPI_Irsend",
    "MPI_Ibsend", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Put",
}  # fmt: skip
_COLLECTIVE = re.compile(
    r"MPI_I?(Bcast|Reduce|Allreduce|Reduce_scatter|Scan|(All)?gatherv?|Scatterv?|Alltoall[vw]?)"
)
_ROOT = re.compile(r"<(ipm_job_profile|ipm)[\s>/]")
_BINS = "IPM keeps sizes in bins; volumes are the least of each bin"
_PROC_NULL = (
    "IPM writes MPI_PROC_NULL as rank 0: messages to rank 0 may be none, as at the border of a "
    "domain"
)
_COLLECTIVES = "collectives are left out: IPM does not record their messages"


def _is_ipm(text: Text) -> bool:
    return _ROOT.search(text.head[:4096]) is not None


def read_ipm(text: Text) -> Found:
    """Return the messages of a profile, and the host of every rank where it is named.

    Raises:
        FileError: cut off, or without messages (`IPM_LOG=full` writes them).
    """
    refuse_doctype(text)
    sums = Sums(text.path)
    hosts: dict[int, str] = {}
    sends: dict[int, list[tuple[int, int]]] = {}
    copies: dict[int, int] = {}
    ranks: set[int] = set()
    rank, size, details, collectives = -1, 0, False, False
    for opened, element in _elements(text):
        if element.tag == "task" and opened:
            rank, size = _number(text, element, "mpi_rank"), _number(text, element, "mpi_size")
            if rank >= size:
                raise FileError(text.path, 0, f"mpi_rank must be below mpi_size = {size}", rank)
            ranks.add(rank)
            sums.hold(0, size)
        elif element.tag == "taskcopy" and opened:
            copies[_number(text, element, "mpi_rank")] = _number(text, element, "cluster_rank")
            ranks.add(_number(text, element, "mpi_rank"))
        elif element.tag == "host" and not opened and rank >= 0:
            hosts[rank] = (element.text or "").strip()
        elif element.tag == "hent" and not opened:
            details = True
            call = element.get("call", "")
            collectives |= bool(_COLLECTIVE.fullmatch(call))
            if call in _SENDS:
                if rank < 0:
                    raise FileError(
                        text.path, 0, "a <hent> element must be inside a <task> element", call
                    )
                sent = _number(text, element, "bytes") * _number(text, element, "count")
                partner = _number(text, element, "orank", r"-?[0-9]{1,9}")
                sends.setdefault(rank, []).append((partner, sent))
        if not opened:
            element.clear()
    if not details:
        rule = "must contain the messages, as IPM_LOG=full writes them (elements hent)"
        raise FileError(text.path, 0, rule, "none")
    _add(text, sums, sends, copies, size)
    notes = [_BINS]
    if any(destination == 0 and source for source, destination in sums.pairs):
        notes.append(_PROC_NULL)
    if collectives:
        notes.append(_COLLECTIVES)
    if missing := sorted(set(range(size)) - ranks):
        notes.append(missing_note(missing, size, "profile"))
    where = str(text.path)
    whole = size > 0 and all(hosts.get(k) for k in range(size))
    placed = Found("placement", "ipm-xml", tuple(hosts[k] for k in range(size)) if whole else (),
                   (), where)  # fmt: skip
    name = text.stem.removesuffix(".ipm")
    entry = sums.entry(text, "IPM", name)
    return found_traffic(text, "ipm-xml", (entry,), notes, *[placed] * whole)


def _add(
    text: Text,
    sums: Sums,
    sends: dict[int, list[tuple[int, int]]],
    copies: dict[int, int],
    size: int,
) -> None:
    """Add up the messages of all ranks; in clustered profiles partners are relative to the rank.

    Raises:
        FileError: a partner that is no rank.
    """
    relative = bool(copies) or any(p < 0 for sent in sends.values() for p, _ in sent)
    every = sends | {copy: sends.get(original, []) for copy, original in copies.items()}
    for rank, sent in every.items():
        for partner, volume in sent:
            destination = rank + partner if relative else partner
            if not 0 <= destination < max(size, 1):
                rule = f"orank must name a rank in 0..{size - 1}"
                raise FileError(text.path, 0, rule, partner)
            sums.add(0, rank, destination, volume)


def _elements(text: Text) -> Iterator[tuple[bool, Element]]:
    """Yield elements as they open (True) and close."""
    try:
        for event, element in iterparse(io.BytesIO(text.raw), events=("start", "end")):
            yield event == "start", element
    except FileError:
        raise
    except (ParseError, ValueError, LookupError) as error:  # the last two: an unknown encoding
        line = getattr(error, "position", (0, 0))[0]
        rule = "must be whole XML, as IPM writes it"
        raise FileError(text.path, line, rule, Reason(error)) from None


def _number(text: Text, element: Element, name: str, form: str = r"[0-9]{1,19}") -> int:
    number = element.get(name, "")
    if not re.fullmatch(form, number):
        rule = f"{name} of a {shown(element.tag)} must be a number that is not negative"
        raise FileError(text.path, 0, rule, number)
    return int(number)


FORMATS = (
    Format("ipm-xml", "traffic", SIGNATURE, _is_ipm, read_ipm, "IPM 2: XML of IPM_LOG=full",
           lacks="Sizes within a bin; messages of collectives; MPI_PROC_NULL, apart from rank 0.",
           also=("placement",)),
)  # fmt: skip
