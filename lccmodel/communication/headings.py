"""What the columns of a table of messages may be called."""

from __future__ import annotations

from types import MappingProxyType

COLUMNS = MappingProxyType(
    {
        "source": ("source", "src", "from", "sender", "source_rank", "src_rank"),
        "destination": (
            "destination",
            "dest",
            "dst",
            "to",
            "target",
            "receiver",
            "destination_rank",
            "dest_rank",
            "dst_rank",
        ),
        "volume": ("volume", "bytes", "size"),
        "communication": ("communication", "phase", "name"),
    }
)
"""For every column, the headings that mean it; upper and lower case are the same."""

_MEANING = {alias: column for column, aliases in COLUMNS.items() for alias in aliases}


def meaning_of(heading: object) -> str | None:
    """The column of `COLUMNS` that a heading names, or None.

    >>> meaning_of("Dst"), meaning_of("latency")
    ('destination', None)
    """
    return _MEANING.get(str(heading).strip().lower().replace(" ", "_"))
