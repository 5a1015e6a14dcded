"""Reading the communications of a program from files and from what is typed.

    suffix              content
    .toml, .json        one or several communications, see `documents`
    .csv, .tsv, .txt    messages: source, destination, perhaps volume, see `tables`
    .eq                 equations such as y0 = x1 + 1, see `equations`
    .npy                a numpy array of pairs or destinations
    .npz, .mtx          a sparse communication matrix (needs the extra [sparse])

A table, array or matrix of messages has to be linear-complement; its weight is the largest volume
that one node sends to another.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from lccmodel.communication import catalog
from lccmodel.communication.documents import read_json, read_toml
from lccmodel.communication.entries import Entry, NamedCommunication
from lccmodel.communication.equations import looks_like_equations, parse_equations
from lccmodel.communication.messages import Idle, checked_n
from lccmodel.communication.naming import split_name, suggestion
from lccmodel.communication.tables import read_array, read_sparse, read_table
from lccmodel.errors import CommunicationError, FileError, InputError

__all__ = [
    "SUFFIXES",
    "Entry",
    "NamedCommunication",
    "read_communication",
    "read_communications",
    "read_entries",
    "read_program",
]


def read_entries(path: str | os.PathLike[str], n: int | None = None) -> tuple[Entry, ...]:
    """What a file describes, before messages are recognised.

    Args:
        path: a file with one of the `SUFFIXES`.
        n: number of address bits, where the file leaves it open; else it must agree.

    Raises:
        FileError: the file cannot be read or breaks a rule, with its line.
        CommunicationError, SizeLimitError: n is not in 1..64.
        InputError: `path` is no path.
    """
    try:
        place = Path(path)
    except TypeError:
        raise InputError("path", "must be the path of a file", path) from None
    bits = None if n is None else checked_n(n)
    suffix = place.suffix.lower()
    if suffix in _BINARY:
        if not place.is_file():
            raise FileError(place, 0, "must be a file", suffix)
        return _BINARY[suffix](place, bits)
    if suffix in _TEXT:
        return _TEXT[suffix](place, _text(place), bits)
    hint = suggestion(suffix, SUFFIXES)
    rule = f"the name must end in one of {', '.join(SUFFIXES)}" + (f"; {hint}" if hint else "")
    raise FileError(place, 0, rule, suffix)


def read_communications(
    path: str | os.PathLike[str], n: int | None = None, idle: Idle = "unknown"
) -> tuple[NamedCommunication, ...]:
    """The communications of a file, all with the same n.

    Args:
        path: a file with one of the `SUFFIXES`.
        n: number of address bits, where the file leaves it open; else it must agree.
        idle: "stay" lets nodes that neither send nor receive in a table send to themselves.

    Raises:
        FileError: the file cannot be read or breaks a rule; or its messages are not
            linear-complement, and then the error's `__cause__` has the `witness`.
    """
    return tuple(entry.recognised(idle) for entry in read_entries(path, n))


def read_communication(
    argument: str | os.PathLike[str], n: int | None = None, idle: Idle = "unknown"
) -> tuple[NamedCommunication, ...]:
    """What is typed for a communication: a catalogue name, equations, or a file.

    A name of the catalogue comes first; a file of that name is typed `./bit-reverse`.

    Raises:
        CommunicationError: neither of them, or a catalogue name without n.
        FileError: see `read_communications`.

    >>> read_communication("butterfly:2", 4)[0].communication.destination(1)
    4
    >>> read_communication("y0 = x1; y1 = x0")[0].communication
    LCC([[0, 1], [1, 0]])
    >>> read_communication("bit-reverze", 4)
    Traceback (most recent call last):
    ...
    lccmodel.errors.CommunicationError: communication: must be a catalogue name or a file, did you \
mean 'bit-reverse'?; got 'bit-reverze'
    """
    text = os.fspath(argument)
    if _is_catalogued(text):
        c = catalog.build(text, n)
        return (NamedCommunication(c.name, c, origin=f"catalog: {c.name}"),)
    if looks_like_equations(text):
        return (NamedCommunication(text, parse_equations(text, n), origin="equations"),)
    exists = os.path.exists(text)  # noqa: PTH110 - False, not an error, for an impossible name
    if exists or os.sep in text or Path(text).suffix.lower() in SUFFIXES:
        return read_communications(text, n, idle)
    names = [entry.name for entry in catalog.entries()]
    hint = suggestion(split_name(text)[0], names)
    rule = "must be a catalogue name or a file" + (f", {hint}" if hint else "")
    raise CommunicationError("communication", rule, text)


def read_program(
    arguments: Sequence[str | os.PathLike[str]], n: int | None = None, idle: Idle = "unknown"
) -> tuple[NamedCommunication, ...]:
    """The communications of all arguments; n of a catalogue name is that of the files beside it.

    Raises:
        CommunicationError: two arguments differ in n, or there are none.
        FileError: see `read_communications`.

    >>> [c.name for c in read_program(["y0 = x1; y1 = x0", "bit-reverse"])]
    ['y0 = x1; y1 = x0', 'bit-reverse']
    """
    if not arguments:
        raise CommunicationError("communications", "at least one must be given", list(arguments))
    read: dict[int, tuple[NamedCommunication, ...]] = {}
    known = n
    for later in (False, True):  # catalogue names wait until n is known
        for i, argument in enumerate(arguments):
            if _is_catalogued(os.fspath(argument)) == later:
                read[i] = read_communication(argument, known if later else n, idle)
                known = read[i][0].n if known is None else known
    together = tuple(one for i in range(len(arguments)) for one in read[i])
    for one in together:
        if one.n != together[0].n:
            rule = f"all must have the same n; {together[0].name!r} has n = {together[0].n}"
            raise CommunicationError("communications", rule, f"{one.name}: n = {one.n}")
    return together


def _is_catalogued(text: str) -> bool:
    return split_name(text)[0] in {entry.name for entry in catalog.entries()}


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FileError(path, line, "must be text in UTF-8", error.reason) from None
    except OSError as error:
        raise FileError(path, 0, "must be a file that can be read", error.strerror) from None


def _equations(path: Path, text: str, n: int | None) -> tuple[Entry, ...]:
    c = parse_equations(text, n, path=path)
    return (Entry(path.stem, c, 1.0, "equations", str(path), 1),)


_TEXT: dict[str, Callable[[Path, str, int | None], tuple[Entry, ...]]] = {
    ".toml": read_toml,
    ".json": read_json,
    ".csv": read_table,
    ".tsv": read_table,
    ".txt": read_table,
    ".eq": _equations,
}
_BINARY: dict[str, Callable[[Path, int | None], tuple[Entry, ...]]] = {
    ".npy": read_array,
    ".npz": read_sparse,
    ".mtx": read_sparse,
}

SUFFIXES = (*_TEXT, *_BINARY)
"""Suffixes of the files that can be read."""
