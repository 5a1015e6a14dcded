"""Columns of tables and attributes of edges: which is the source, the destination, the volume.

    source, destination, volume      src,dst,bytes      Source,Target,Weight      i,j,x

Headings are compared without case; blanks and punctuation count as underscores. `size` beside a
number of messages is the size of one message: the volume is size times count. If no heading is a
known name of a volume, the only numeric column left is the volume, and a note names it. Two
candidates are refused: the caller names one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from lccmodel.errors import CommunicationError
from lccmodel.ground.words import suggestion, word_rule

COLUMNS = MappingProxyType(
    {
        "source": (
            "source", "src", "from", "sender", "origin", "source_rank", "src_rank", "from_rank",
            "sender_rank", "send_rank", "rank_from", "rank_src", "rank_source", "source_id",
            "src_id", "from_id", "sender_id", "i", "row", "u",
        ),
        "destination": (
            "destination", "dest", "dst", "to", "target", "receiver", "destination_rank",
            "dest_rank", "dst_rank", "to_rank", "target_rank", "receiver_rank", "recv_rank",
            "rank_to", "rank_dst", "rank_dest", "rank_destination", "destination_id", "dest_id",
            "dst_id", "to_id", "target_id", "receiver_id", "peer", "partner", "peer_rank",
            "partner_rank", "j", "col", "column", "v",
        ),
        "volume": (
            "volume", "vol", "bytes", "nbytes", "n_bytes", "num_bytes", "weight", "size",
            "total_bytes", "bytes_total", "sum_bytes", "bytes_sent", "sent_bytes", "total_size",
            "total_volume", "volume_bytes", "data", "data_volume", "traffic", "amount",
            "message_size", "msg_size", "message_bytes", "msg_bytes", "size_bytes",
            "message_volume", "msg_volume",
        ),
        "communication": ("communication", "phase", "name"),
    }
)  # fmt: skip
"""For every column, the headings that name it."""

_MEANING = {alias: column for column, aliases in COLUMNS.items() for alias in aliases}
_OF_ONE_MESSAGE = ("size", "message_size", "msg_size", "size_bytes", "msg_bytes", "message_bytes")
"""Names of volumes that are the size of one message if there is a number of messages."""
_COUNTS = (
    "count", "counts", "msgs", "messages", "calls", "n_msgs", "nmsgs", "num_msgs", "n_messages",
    "num_messages", "message_count", "msg_count", "repetitions", "n_calls", "transfers", "times",
)  # fmt: skip
_NEVER_VOLUMES = {
    "", "time", "timestamp", "start", "end", "begin", "duration", "latency", "seconds", "t", "ts",
    "tag", "comm", "communicator", "id", "key", "line", "index", "step", "iteration", "hops",
    "distance", "timeset", "label", "cycle", "flits", "time_s", "time_us", "unnamed_0", "level_0",
    "bandwidth", "thread", "node", "color", "colour",
}  # fmt: skip
"""Numbers that are no volumes: they are ignored with a note."""
_UNITS = re.compile(r"(?:^|_)([kmgt]i?b)$")
_BARE_UNITS = re.compile(r"_(?:[kmgt]i?b|b|bytes)$")


def _word(heading: object) -> str:
    return re.sub(r"[^a-z0-9]+", "_", str(heading).strip().lower()).strip("_")


def meaning_of(heading: object) -> str | None:
    """Return the column of `COLUMNS` that a heading names, or None.

    >>> meaning_of("Dst"), meaning_of("total bytes"), meaning_of("Volume (MB)"), meaning_of("x")
    ('destination', 'volume', 'volume', None)
    """
    word = _word(heading)
    return _MEANING.get(word) or _MEANING.get(_BARE_UNITS.sub("", word))


@dataclass(frozen=True, slots=True)
class Columns:
    """The places of the columns of a table; None for a column that is not there.

    Attributes: `source`, `destination`, `volume`, `communication`; `count`, the number of
    messages by which the volume is multiplied; `direction`, whose cell "Undirected" means both
    ways; `notes`, what was chosen and what was ignored.
    """

    source: int
    destination: int
    volume: int | None = None
    count: int | None = None
    communication: int | None = None
    direction: int | None = None
    notes: tuple[str, ...] = ()


def table_columns(
    headings: Sequence[object],
    is_numeric: Callable[[int], bool] = lambda k: False,
    volume: str | None = None,
) -> Columns:
    """Return the columns that headings name.

    Args:
        headings: one a column.
        is_numeric: whether the cells of a column are numbers.
        volume: the heading of the column with the volumes, if it is stated.

    Raises:
        CommunicationError: no source or destination, one of them twice, a `volume` that is not
            there, or several columns that may be the volume.

    >>> table_columns(["source", "target", "weight"]).notes
    ('the volume is the column weight',)
    """
    columns = {"source": _only(headings, "source"), "destination": _only(headings, "destination")}
    phases = [k for k, heading in enumerate(headings) if meaning_of(heading) == "communication"]
    if len(phases) > 1:  # "name" beside "phase" may be of anything
        phases = [k for k in phases if _word(headings[k]) != "name"][:1]
    used = {*columns.values(), *phases}
    left = [k for k in range(len(headings)) if k not in used]
    words = {k: _word(headings[k]) for k in left}
    direction = next((k for k in left if words[k] == "type" and not is_numeric(k)), None)
    counts = [k for k in left if words[k] in _COUNTS]
    chosen, notes = _volume(headings, left, words, counts, is_numeric, volume)
    count = counts[0] if counts and chosen is not None and _is_size(words[chosen]) else None
    if count is not None and chosen is not None:
        notes = [f"the volume is {headings[chosen]} × {headings[count]}"]
    elif chosen is not None and counts and chosen not in counts:
        notes = [f"the volume is the column {headings[chosen]}, the total of all messages"]
    ignored = [k for k in left if k not in (chosen, count, direction) and words[k]]
    if ignored:
        many = "columns" if len(ignored) > 1 else "column"
        notes.append(f"ignored the {many} {', '.join(str(headings[k]) for k in ignored)}")
    phase = phases[0] if phases else None
    return Columns(**columns, volume=chosen, count=count, communication=phase,
                   direction=direction, notes=tuple(notes))  # fmt: skip


def _only(headings: Sequence[object], column: str) -> int:
    """Return the place of a column that has to be there once."""
    places = [k for k, heading in enumerate(headings) if meaning_of(heading) == column]
    if len(places) > 1:
        places = [k for k in places if _word(headings[k]) not in _WEAK]
    if len(places) > 1:
        text = ", ".join(map(str, headings))
        raise CommunicationError("columns", f"duplicate column {column}", text)
    if not places:
        hints = [suggestion(_word(heading), COLUMNS[column]) for heading in headings]
        hint = next((hint for hint in hints if hint), "")
        rule = f"there is no column {column}" + (f"; {hint}" if hint else "")
        raise CommunicationError("columns", rule, ", ".join(map(str, headings)))
    return places[0]


_WEAK = {"i", "j", "u", "v", "row", "col", "column", "peer", "partner", "origin"}
"""Headings that mean source or destination only if no other heading does."""


def ranks_of_names(names: Sequence[str]) -> tuple[list[int], str]:
    """Return the rank of every name, and a note if the order of the names decides.

    Names with the numbers 0..n - 1 are these ranks; others are ranks in their order.

    >>> ranks_of_names(["r1", "r0"]), ranks_of_names(["n3", "n4"])
    (([1, 0], ''), ([0, 1], 'ranks in the order of the file: n3, n4'))
    """
    numbers = [re.search(r"(\d{1,9})\D*$", name) for name in names]
    ranks = [int(number[1]) if number else -1 for number in numbers]
    if sorted(ranks) == list(range(len(names))):
        return ranks, ""
    listed = ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
    note = (
        ""
        if ranks == list(range(1, len(names) + 1))
        else f"ranks in the order of the file: {listed}"
    )
    return list(range(len(names))), note


_MOST_NAMED = 6


def _is_size(word: str) -> bool:
    return _BARE_UNITS.sub("", word) in _OF_ONE_MESSAGE or word in _OF_ONE_MESSAGE


def _volume(
    headings: Sequence[object],
    left: list[int],
    words: dict[int, str],
    counts: list[int],
    is_numeric: Callable[[int], bool],
    stated: str | None,
) -> tuple[int | None, list[str]]:
    """Return the column with the volumes, and notes on its choice."""
    if stated is not None:
        places = [k for k in left if stated in (str(headings[k]), words[k])]
        if len(places) != 1:
            rule = word_rule(stated, [str(headings[k]) for k in left], " (columns)")
            raise CommunicationError("volume", rule, stated)
        return places[0], [f"the volume is the column {headings[places[0]]}, as stated"]
    known = [k for k in left if meaning_of(headings[k]) == "volume"]
    if not known:
        known = [k for k in left if is_numeric(k) and words[k] not in _NEVER_VOLUMES]
        known = [k for k in known if k not in counts] or known
    if len(known) > 1:
        names = ", ".join(str(headings[k]) for k in known)
        rule = f"several columns may be the volume: {names}; name one (--volume NAME)"
        raise CommunicationError("volume", rule, ", ".join(map(str, headings)))
    if not known:
        return None, []
    place = known[0]
    notes = []
    if place in counts:
        notes.append(f"the volume is {headings[place]}, a number of messages, not of bytes")
    elif words[place] not in ("volume", "bytes", "size"):
        notes.append(f"the volume is the column {headings[place]}")
    if unit := _UNITS.search(words[place]):
        notes.append(f"volumes are in {unit[1].upper()}, as the heading {headings[place]} says")
    return place, notes
