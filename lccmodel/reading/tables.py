"""Tables of messages with a header.

    source, destination, volume, communication
    0, 1, 4096, row-exchange
    1, 0, 4096, row-exchange

Columns may be in any order and have any name of `communication.columns`; `communication` splits the
table into several communications. Ranks may have names, such as rank0 or those of hosts. Gephi's
`Type` Undirected sends a volume each way.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.columns import (
    Columns,
    meaning_of,
    ranks_of_names,
    table_columns,
)
from lccmodel.communication.conversion import with_return
from lccmodel.communication.program import Entry, as_file_error
from lccmodel.communication.rows import Described, counted_from
from lccmodel.errors import CommunicationError, FileError
from lccmodel.ground.words import suggestion
from lccmodel.reading.cells import is_numeral, quick_numbers, rank_in, split_lines, volume_in
from lccmodel.reading.entries import found_traffic, traffic_entry
from lccmodel.reading.found import LOOSE, Format, Found
from lccmodel.reading.options import stated
from lccmodel.reading.text import Text

_HEADING = re.compile(r"[a-z][a-z_ ]*")
_SAMPLE = 1000
"""GroupRows that are looked at to see which columns are numbers."""


def is_table(text: Text) -> bool:
    """Return whether the first line names a source or a destination, or nearly."""
    first = next(split_lines(text.head), None)
    if first is None or len(first[2]) < 2 or any(map(is_numeral, first[2])):
        return False
    headings = [cell.lower() for cell in first[2]]
    meant = [meaning_of(heading) for heading in headings]
    if "source" in meant and "destination" in meant:
        return True
    words = len(headings) > 1 and all(_HEADING.fullmatch(heading) for heading in headings)
    near = any(suggestion(heading, ("source", "destination")) for heading in headings)
    return words and (near or "source" in meant or "destination" in meant)


@dataclass(slots=True)
class _Group:
    """The rows of one communication, in compact arrays; volumes stay as they are written."""

    ends: array[int] = field(default_factory=lambda: array("q"))
    volumes: list[int | float] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))
    undirected: array[int] = field(default_factory=lambda: array("b"))


def read_table(text: Text) -> Found:
    """Return the communications of a table with a header, in the order of their first messages.

    Raises:
        FileError: with the line of the fault.
    """
    rows = split_lines(text.content)
    at, _, headings = next(rows)
    body = _sampled(text, len(headings))
    try:
        columns = table_columns(
            headings,
            lambda k: bool(body) and all(is_numeral(cells[k]) for cells in body),
            stated().volume,
        )
    except CommunicationError as error:
        raise FileError(text.path, at, error.rule, error.value) from error
    ends, named = _named(text, headings, columns, body)
    groups = _quick(text, columns) or _groups(text, headings, columns, rows, ends)
    if not groups:
        raise FileError(text.path, 0, "holds no messages", text.content[:200])
    each_way: list[str] = []
    entries: dict[str, Entry] = {}
    first = min(int(pairs.min()) for pairs, *_ in groups.values())
    largest = max(int(pairs.max()) for pairs, *_ in groups.values())
    for name in sorted(groups, key=lambda name: -int(groups[name][0].max())):  # for errors
        pairs, volumes, lines, undirected = groups[name]
        if first == 1 and stated().n is None and stated().first_rank is None:
            _refuse_first_rank(text, pairs, lines)
        ends, carried, note = with_return(pairs, volumes, undirected)
        every = np.concatenate([lines, lines[undirected & (pairs[:, 0] != pairs[:, 1])]])
        many = f"{len(ends)} {'pair' if len(ends) == 1 else 'pairs'}"
        described = Described(ends, carried, max(1, largest + 1))
        entries[name] = traffic_entry(text, described, many, name=name, lines=every)
        each_way += note
    notes = (*columns.notes, *named, *dict.fromkeys(each_way))
    return found_traffic(text, "triples", [entries[name] for name in groups], notes)


GroupRows = tuple[npt.NDArray[np.int64], Any, npt.NDArray[np.int64], npt.NDArray[np.bool_]]
"""Pairs, volumes or None, lines, and whether a message also goes back."""


def _sampled(text: Text, width: int) -> list[list[str]]:
    """Return the cells of the first rows below the header, of those that have all columns."""
    rows = [cells for _, _, cells in split_lines(text.head)][1 : _SAMPLE + 1]
    return [cells for cells in rows if len(cells) == width]


def _named(
    text: Text, headings: list[str], columns: Columns, body: list[list[str]]
) -> tuple[dict[str, int], list[str]]:
    """Return the rank of every name, if sources and destinations are names, and a note."""
    places = (columns.source, columns.destination)
    if not body or any(is_numeral(cells[k]) or not cells[k] for cells in body for k in places):
        return {}, []
    rows = (cells for _, _, cells in split_lines(text.content))
    filled = [cells for cells in rows if len(cells) >= len(headings)][1:]
    names = list(dict.fromkeys(cells[k] for cells in filled for k in places))
    ranks, note = ranks_of_names(names)
    return dict(zip(names, ranks, strict=True)), [note] * bool(note)


def _refuse_first_rank(
    text: Text, pairs: npt.NDArray[np.int64], lines: npt.NDArray[np.int64]
) -> None:
    """Refuse ranks that begin at 1, at the line of the largest."""
    try:
        counted_from(pairs, None)
    except CommunicationError as error:
        row = int(pairs.max(axis=1).argmax())
        raise as_file_error(error, text.path, int(lines[row])) from error


def _quick(text: Text, columns: Columns) -> dict[str, GroupRows] | None:
    """Return the one communication of a large table, read by compiled code; None if it cannot."""
    if columns.communication is not None or columns.direction is not None:
        return None
    places = [columns.source, columns.destination]
    places += [k for k in (columns.volume, columns.count) if k is not None]
    quick = quick_numbers(text, 1, places)
    if quick is None or (quick[0][:, :2] != np.floor(quick[0][:, :2])).any():
        return None
    table, lines = quick
    first = stated().first_rank or 0
    if table[:, :2].min() < first:
        return None
    pairs = table[:, :2].astype(np.int64) - first
    volumes = table[:, 2:].prod(axis=1) if len(places) > 2 else None
    if volumes is not None and not (volumes < 1 << 53).all():
        return None
    return {text.stem: (pairs, volumes, lines, np.zeros(len(pairs), bool))}


def _groups(
    text: Text,
    headings: list[str],
    columns: Columns,
    rows: Iterator[tuple[int, str, list[str]]],
    ranks: dict[str, int],
) -> dict[str, GroupRows]:
    """Return the rows of every communication, each cell checked; `ranks` are those of names."""
    groups: dict[str, _Group] = {}
    width = len(headings)
    for line, content, cells in rows:
        if len(cells) == width + 1 and cells[-1] == "":
            cells = cells[:-1]
        if len(cells) != width:
            raise FileError(text.path, line, f"must have {width} columns", content)
        name = text.stem if columns.communication is None else cells[columns.communication]
        if not name:
            raise FileError(text.path, line, "a row must name its communication", content)
        group = groups.setdefault(name, _Group())
        for place in (columns.source, columns.destination):
            known = ranks.get(cells[place])
            group.ends.append(rank_in(text, line, cells[place]) if known is None else known)
        if columns.volume is not None:
            volume = volume_in(text, line, cells[columns.volume])
            if columns.count is not None:
                volume *= volume_in(text, line, cells[columns.count])
            group.volumes.append(volume)
        group.lines.append(line)
        both = columns.direction is not None and cells[columns.direction].lower() == "undirected"
        group.undirected.append(both)
    return {
        name: (
            np.array(group.ends, np.int64).reshape(-1, 2),
            np.array(group.volumes) if columns.volume is not None else None,
            np.array(group.lines, np.int64),
            np.array(group.undirected, bool),
        )
        for name, group in groups.items()
    }


FORMATS = (
    Format("triples", "traffic", LOOSE, is_table, read_table,
           "tables with a header (pandas, networkx, Gephi, spreadsheets)",
           lacks="Units, unless a heading names them.",
           options=("decimal", "first_rank", "volume")),
)  # fmt: skip
