"""Graphs of the partitioners METIS and Scotch: undirected, with the weights of edges as volumes.

    METIS                       Scotch
    % comment                   0               the version
    3 2 001                     3 4             vertices, arcs (twice the edges)
    2 500                       0 010           the first vertex, flags
    1 500 3 70                  1 500 1
    2 70                        2 500 0 70 2    degree, then weight and neighbour
                                1 70 1

METIS counts from 1, an empty line is a vertex without edges, and a neighbour is followed by the
weight. Flags, from the left: METIS vertex sizes, vertex weights, edge weights; Scotch labels, edge
weights, vertex weights. Both list an edge from each end, with one weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lccmodel.communication.columns import ranks_of_names
from lccmodel.communication.conversion import EACH_WAY
from lccmodel.errors import FileError
from lccmodel.reading.entries import Sums, found_traffic
from lccmodel.reading.found import STRICT, Format, Found
from lccmodel.reading.text import Text

_UNWEIGHTED = "edges have no weights: every volume is 1"
_DIGITS = re.compile(r"[\d\s]+")
Arc = tuple[int, int, int, int]
"""Line, source, destination, weight."""


def _found(text: Text, form: str, arcs: list[Arc], n: int, weighted: bool, note: str = "") -> Found:
    """Return the messages of arcs, once every edge is there from both ends with one weight.

    Raises:
        FileError: an edge is not, or a vertex is its own neighbour.
    """
    sums = Sums(text.path)
    sums.hold(0, n)
    weights: dict[tuple[int, int], int] = {}
    for line, u, v, weight in arcs:
        if u == v or (u, v) in weights:
            rule = "a vertex must have other neighbours, each once"
            raise FileError(text.path, line, rule, v)
        weights[u, v] = weight
    for line, u, v, weight in arcs:
        if weights.get((v, u)) != weight:
            rule = "an edge must be listed from both ends with one weight"
            raise FileError(text.path, line, rule, (u, v, weight))
        sums.add(line, u, v, weight)
    entry = sums.entry(text, f"{form.partition('-')[0].upper()} graph")
    notes = [EACH_WAY, *[note] * bool(note), *[_UNWEIGHTED] * (not weighted)]
    return found_traffic(text, form, (entry,), notes)


# -- METIS -------------------------------------------------------------------------------------


def _metis_rows(text: Text) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.lines, start=1):
        if not line.lstrip().startswith("%"):
            yield number, line.split()


def _metis_header(text: Text) -> tuple[int, list[str]]:
    """Return the line of the header and its numbers; () if it is none."""
    for number, line in enumerate(text.head.split("\n"), start=1):
        if line.strip() and not line.lstrip().startswith("%"):
            cells = line.split()
            flags = len(cells) < 3 or re.fullmatch("[01]{1,3}", cells[2])
            is_header = 2 <= len(cells) <= 4 and all(map(str.isdigit, cells)) and flags
            return number, cells if is_header and 0 < int(cells[0]) < 1 << 24 else []
    return 0, []


def _is_metis(text: Text) -> bool:
    """Whether the header has flags such as 001, or the whole file obeys the grammar."""
    at, header = _metis_header(text)
    if not header:
        return False
    n = int(header[0])
    if len(header) > 2 and re.fullmatch("0[01]{2}", header[2]):  # no volume is written as 001
        return True
    if text.whole.content.count("\n") + 1 < n + at:
        return False
    text = text.whole
    body = [cells for number, cells in _metis_rows(text) if number > at]
    if len(body) < n or any(body[n:]) or not all(c.isdigit() for cells in body for c in cells):
        return False
    try:
        return bool(read_metis(text))
    except FileError:
        return False


def read_metis(text: Text) -> Found:
    """Return the messages of a METIS graph, each weight each way.

    Raises:
        FileError: with the line of the fault.
    """
    at, header = _metis_header(text)
    n, edges = int(header[0]), int(header[1])
    flags = header[2].zfill(3) if len(header) > 2 else "000"
    ahead = int(flags[0]) + int(flags[1]) * (int(header[3]) if len(header) > 3 else 1)
    step = 2 if flags[2] == "1" else 1
    arcs: list[Arc] = []
    rows = [(number, cells) for number, cells in _metis_rows(text) if number > at]
    if len(rows) < n or any(cells for _, cells in rows[n:]):
        listed = len(rows) if len(rows) < n else sum(bool(cells) for _, cells in rows)
        raise FileError(text.path, at, f"must have {n} lines, one a vertex", listed)
    for u, (number, cells) in enumerate(rows[:n]):
        values = [int(cell) for cell in cells if cell.isdigit()]
        own = values[ahead:]
        if len(values) < len(cells) or len(values) < ahead or len(own) % step:
            rule = "a line must be whole numbers: " + f"{ahead} of the vertex, " * (ahead > 0)
            rule += "each neighbour and its weight" if step == 2 else "neighbours"
            raise FileError(text.path, number, rule, " ".join(cells))
        for k in range(0, len(own), step):
            if not 1 <= own[k] <= n:
                raise FileError(text.path, number, f"a neighbour must be in 1..{n}", own[k])
            arcs.append((number, u, own[k] - 1, own[k + 1] if step == 2 else 1))
    if len(arcs) != 2 * edges:
        rule = f"must list {edges} edges, each from both ends"
        raise FileError(text.path, at, rule, f"{len(arcs)} neighbours")
    return _found(text, "metis-graph", arcs, n, step == 2)


# -- Scotch ------------------------------------------------------------------------------------

_SCOTCH = re.compile(r"\s*0\s*\n\s*(\d{1,8})[ \t]+(\d{1,9})\s*\n\s*([01])[ \t]+([01]{1,3})\s*\n")


def _is_scotch(text: Text) -> bool:
    header = _SCOTCH.match(text.head)
    return header is not None and int(header[2]) % 2 == 0


def read_scotch(text: Text) -> Found:
    """Return the messages of a Scotch graph, each weight each way.

    Raises:
        FileError: with the line of the fault.
    """
    header = _SCOTCH.match(text.content)
    if header is None or not _DIGITS.fullmatch(text.content):
        raise FileError(text.path, 1, "must be a Scotch graph: numbers only", text.content[:40])
    n, many, base, flags = int(header[1]), int(header[2]), int(header[3]), header[4].zfill(3)
    numbers = _numbers(text, header.end())
    labels: list[int] = []
    ends: list[Arc] = []
    for u in range(n):
        line, value = next(numbers, (0, -1))
        labels.append(value if flags[0] == "1" else u + base)
        if flags[0] == "1":
            line, value = next(numbers, (0, -1))
        if flags[2] == "1":  # the load of the vertex
            line, value = next(numbers, (0, -1))
        if value < 0 or len(ends) + value > many:
            raise FileError(text.path, line, f"must have {many} arcs of {n} vertices", len(ends))
        for _ in range(value):
            weight = next(numbers, (0, -1))[1] if flags[1] == "1" else 1
            line, v = next(numbers, (0, -1))
            ends.append((line, u, v, weight))
    if len(ends) != many or next(numbers, None) is not None:
        rule = f"must have {many} arcs of {n} vertices, and nothing else"
        raise FileError(text.path, 2, rule, len(ends))
    where = {label: u for u, label in enumerate(labels)}
    if len(where) != n:
        raise FileError(text.path, 0, "labels of vertices must differ", labels[:10])
    unknown = next(((line, v) for line, _, v, _ in ends if v not in where), None)
    if unknown is not None:
        rule = "a neighbour must be a vertex of the graph"
        raise FileError(text.path, unknown[0], rule, unknown[1])
    ranks, note = ranks_of_names([str(label - base) for label in labels])
    arcs = [(line, ranks[u], ranks[where[v]], weight) for line, u, v, weight in ends]
    return _found(text, "scotch-grf", arcs, n, flags[1] == "1", note)


def _numbers(text: Text, start: int) -> Iterator[tuple[int, int]]:
    """Yield the line and the value of every number behind the header."""
    first = text.content.count("\n", 0, start) + 1
    for number, line in enumerate(text.content[start:].split("\n"), start=first):
        for cell in line.split():
            yield number, int(cell)


_LACKS = "The direction of a message: the weight of an edge is sent each way."
FORMATS = (
    Format("metis-graph", "traffic", STRICT, _is_metis, read_metis, "METIS 4, 5: graph files",
           lacks=_LACKS),
    Format("scotch-grf", "traffic", STRICT, _is_scotch, read_scotch, "Scotch 5 to 7: graph files",
           lacks=_LACKS),
)  # fmt: skip
