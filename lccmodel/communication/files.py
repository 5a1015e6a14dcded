"""Reading what a program sends from files and from what is typed.

    suffix              content
    .toml, .json        one or several communications, see `documents`
    .csv, .tsv, .txt    messages: source, destination, perhaps volume; or a matrix, see `tables`
    .eq                 equations such as y0 = x1 + 1, see `equations`
    .npy                a numpy array of pairs, of destinations, or a matrix
    .npz, .mtx          a sparse communication matrix (needs the extra [sparse])
    .prof .xml .mpip    what Open MPI's monitoring, IPM and mpiP write of a run, see `traces`
    .prv .otf2          traces of Extrae and Score-P (the last needs the extra [otf2])
    .gz                 any of these, packed by gzip
    -                   standard input, of any of these: what it begins with says of which

`read` gives a `Program`: what is there, whatever it is. `read_communications` gives an `LCC` for
every communication and refuses messages that are not linear-complement; its weights are those
that are stated, else the largest volume that one node sends to another.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from lccmodel._arguments import typed_arguments
from lccmodel.communication import catalog
from lccmodel.communication.arrays import read_array, read_matrix_market, read_sparse
from lccmodel.communication.describing import Idle, checked_n
from lccmodel.communication.documents import read_json, read_toml
from lccmodel.communication.equations import looks_like_equations, parse_equations
from lccmodel.communication.grids import is_grid_word, parse_grid
from lccmodel.communication.lcc import LCC
from lccmodel.communication.naming import split_name, suggestion
from lccmodel.communication.otf2_archive import read_otf2
from lccmodel.communication.program import Entry, Program
from lccmodel.communication.tables import read_table, tables_written
from lccmodel.communication.traces import (
    dump_of,
    read_ipm,
    read_monitoring,
    read_mpip,
    read_paraver,
)
from lccmodel.errors import CommunicationError, FileError
from lccmodel.files import STDIN, content_of, text_of


@typed_arguments
def read(
    path: str | os.PathLike[str],
    n: int | None = None,
    *,
    decimal: str = ".",
    first_rank: int = 0,
) -> Program:
    """What a program sends, as a file says it, whatever it is.

    Args:
        path: a file with one of the `SUFFIXES`, perhaps packed (`.gz`); "-" is standard input.
        n: number of address bits, where the file leaves it open; else it must agree.
        decimal: "," where the volumes of a table have decimal commas.
        first_rank: 1 where the ranks of a table count from one.

    Returns: a `Program`; a phase has the name, the weight and the messages that the file states,
    and its `lcc` if they are a linear-complement communication. `notes` names columns that were
    ignored, `network` the network that the file names.

    Raises:
        FileError: the file cannot be read or breaks a rule, with its line.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "messages.csv")
    >>> _ = path.write_text("source,destination\\n0,1\\n1,0\\n")
    >>> read(path).phases[0].traffic
    <Traffic of 2 messages among 2 ranks>
    >>> _ = path.write_text("source;destination;volume\\n1;2;1,5\\n2;1;2,5\\n")
    >>> read(path, decimal=",", first_rank=1)[0].traffic.volumes.tolist()
    [1.5, 2.5]
    >>> folder.cleanup()
    """
    with tables_written(decimal, first_rank):
        return Program.of(read_entries(path, n))


def program_on(given: Any, nodes: int) -> Program:
    """The program that something describes on a network of so many nodes.

    Args:
        given: a word (a catalogue name, equations, a process grid, a file name), or anything
            `Program.of` takes; a function of the rank is called for every node.
        nodes: of the network; 2^n of them say what n a catalogue name has.

    Raises:
        CommunicationError, FileError, NodeError: see `read_typed` and `Program.of`.

    >>> program_on("bit-reverse", 16).ranks, program_on(lambda node: node ^ 1, 4)[0].traffic
    (16, <Traffic of 4 messages among 4 ranks>)
    """
    if isinstance(given, str):
        return Program.of(read_typed([given], bits_of(nodes)))
    return Program.of(given, nodes if callable(given) and not isinstance(given, LCC) else None)


def bits_of(nodes: int) -> int | None:
    """The n of 2^n nodes; None of a single node, and of any other number."""
    return nodes.bit_length() - 1 if nodes > 1 and not nodes & (nodes - 1) else None


def read_entries(path: str | os.PathLike[str], n: int | None = None) -> tuple[Entry, ...]:
    """What a file describes, before messages are recognised.

    Args:
        path: a file with one of the `SUFFIXES`, perhaps packed (`.gz`); "-" is standard input.
        n: number of address bits, where the file leaves it open; else it must agree.

    Raises:
        FileError: the file cannot be read or breaks a rule, with its line.
        CommunicationError, SizeLimitError: n is not in 1..64.
        InputError: `path` is not a path.
    """
    bits = None if n is None else checked_n(n)
    _check_name(path)
    place, suffix, content = content_of(path)
    suffix = suffix or _guessed(content)
    if suffix in _BINARY:
        return _BINARY[suffix](place, content, bits)
    return _TEXT[suffix](place, text_of(place, content), bits)


def _check_name(path: str | os.PathLike[str]) -> None:
    """Refuse a name that does not say what the file holds."""
    if not isinstance(path, (str, os.PathLike)) or str(path) == STDIN:
        return
    place = Path(path)
    inner = place.with_suffix("") if place.suffix.lower() == ".gz" and place.stem else place
    suffix = inner.suffix.lower()
    if suffix not in SUFFIXES:
        hint = suggestion(suffix, SUFFIXES)
        rule = f"the name must end in one of {', '.join(SUFFIXES)}" + (f"; {hint}" if hint else "")
        raise FileError(place, 0, rule, suffix)


def is_file(text: str) -> bool:
    """Whether what is typed means a file or standard input, not a name of the catalogue."""
    if text == STDIN:
        return True
    exists = os.path.exists(text)  # noqa: PTH110 - False, not an error, for an impossible name
    return exists or os.sep in text or _suffix_of(text) in SUFFIXES


def _suffix_of(text: str) -> str:
    """As `Path.suffix` says it, which takes ten times as long."""
    return os.path.splitext(text.removesuffix(".gz"))[1].lower()  # noqa: PTH122


@typed_arguments
def read_communications(
    path: str | os.PathLike[str], n: int | None = None, idle: Idle = "unknown"
) -> tuple[Entry, ...]:
    """The communications of a file, all with the same n.

    Args:
        path: a file with one of the `SUFFIXES`.
        n: number of address bits, where the file leaves it open; else it must agree.
        idle: "stay" lets nodes that neither send nor receive in a table send to themselves.

    Raises:
        FileError: the file cannot be read or breaks a rule; or its messages are not
            linear-complement, and then the error's `__cause__` has the `witness`.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "skew.eq")
    >>> _ = path.write_text("y0 = x1; y1 = x0 + 1")
    >>> [(each.name, each.communication) for each in read_communications(path)]
    [('skew', LCC([[0, 1], [1, 0]], [0, 1], name='skew'))]
    >>> folder.cleanup()
    """
    return tuple(entry.recognised(idle) for entry in read_entries(path, n))


def _neither(text: str) -> CommunicationError:
    names = [entry.name for entry in catalog.entries()]
    place = Path(text)
    if place.suffix:  # meant as a file
        with contextlib.suppress(OSError, ValueError):
            names = [str(other) for other in place.parent.iterdir() if is_file(other.name)]
        hint = suggestion(text, names)
    else:
        hint = suggestion(split_name(text)[0], names)
    rule = "must be a catalogue name or a file" + (f", {hint}" if hint else "")
    return CommunicationError("communication", rule, text)


def read_typed(
    arguments: Sequence[str | os.PathLike[str]], n: int | None = None, *, in_files: bool = False
) -> tuple[Entry, ...]:
    """What is typed: catalogue names, equations, process grids, files.

    Args:
        arguments: at least one.
        n: number of address bits of catalogue names; that of what is beside them if left out.
        in_files: whether files are to have this n, too.

    Raises:
        CommunicationError: nothing of these, or a catalogue name without n.
        FileError: see `read`.

    A name of the catalogue comes first; a file of that name is typed `./bit-reverse`.

    >>> read_typed(["bit-reverze"], 4)
    Traceback (most recent call last):
    ...
    lccmodel.errors.CommunicationError: communication: must be a catalogue name or a file, did you \
mean 'bit-reverse'?; got 'bit-reverze'
    >>> [entry.n for entry in read_typed(["y0 = x1; y1 = x0", "bit-reverse", "grid:4x2"])]
    [2, 2, 3, 3]
    """
    if not arguments:
        raise CommunicationError("communications", "at least one must be given", list(arguments))
    texts = _each_once([os.fspath(argument) for argument in arguments])
    read: dict[int, tuple[Entry, ...]] = {}
    known = n
    for later in (False, True):  # catalogue names wait until n is known
        for i, text in enumerate(texts):
            if _is_catalogued(text) != later:
                continue
            if _suffix_of(text) in SUFFIXES:
                read[i] = read_entries(text, n if in_files else None)
            elif later:
                c = catalog.build(text, known)
                read[i] = (Entry(c.name, c, origin=f"catalog: {c.name}"),)
            elif is_grid_word(text):
                read[i] = _grid(text)
                continue  # its ranks do not say what n the others have
            elif looks_like_equations(text):
                read[i] = (Entry(text, parse_equations(text, n), origin="equations"),)
            elif is_file(text):
                read[i] = read_entries(text, n if in_files else None)
            else:
                raise _neither(text)
            known = max(one.n for one in read[i]) if known is None else known
    return tuple(one for i in range(len(texts)) for one in read[i])


def _each_once(texts: Sequence[str]) -> list[str]:
    """What is typed, and of the files of one monitoring dump the first: it stands for all."""
    known: set[str] = set()
    kept = []
    for text in texts:
        dump = dump_of(text) if ".prof" in text.lower() else None
        if dump is None or dump not in known:
            kept.append(text)
        known.update(() if dump is None else (dump,))
    return kept


def _grid(word: str) -> tuple[Entry, ...]:
    grid, program = parse_grid(word)
    return tuple(Entry(p.name, p.traffic, origin=word, grid=grid.sides) for p in program)


def _is_catalogued(text: str) -> bool:
    """Whether a name of the catalogue, none of which ends as files do, is typed."""
    if _suffix_of(text) in SUFFIXES:
        return False
    return split_name(text)[0] in {entry.name for entry in catalog.entries()}


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
    ".prof": read_monitoring,
    ".mpip": read_mpip,
    ".prv": read_paraver,
}
_BINARY: dict[str, Callable[[Path, bytes, int | None], tuple[Entry, ...]]] = {
    ".npy": read_array,
    ".npz": read_sparse,
    ".mtx": read_matrix_market,
    ".xml": read_ipm,
    ".otf2": read_otf2,
}

_BEGINNINGS = (
    (b"\x93NUMPY", ".npy"),
    (b"PK\x03\x04", ".npz"),
    (b"%%MatrixMarket", ".mtx"),
    (b"# POINT TO POINT", ".prof"),
    (b"@ mpiP", ".mpip"),
    (b"#Paraver ", ".prv"),
    (b"<?xml", ".xml"),
)


def _guessed(content: bytes) -> str:
    for beginning, suffix in _BEGINNINGS:
        if content.startswith(beginning):
            return suffix
    text = content.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if re.match(r"\{|\[\s*[\[{\]]*\s*[\"\d\]{]", text) and not re.match(r"\[\[\s*[A-Za-z]", text):
        return ".json"
    if looks_like_equations(text):
        return ".eq"
    return ".toml" if re.search(r"^[ \t]*(\[|[A-Za-z_]+[ \t]*=)", text, re.MULTILINE) else ".csv"


SUFFIXES = (*_TEXT, *_BINARY)
"""Suffixes of the files that can be read; each may be followed by .gz."""
