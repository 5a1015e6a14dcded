"""Programs from files and from words that are typed.

A file is recognised by its content, see `recognise`; "-" is standard input. A folder stands for the
files of one run in it (profiles of TAU, a Paraver trace). `read` returns a `Program`, and
`read_communications` an `LCC` for every communication: it refuses messages that are not
linear-complement; its weights are those that are stated, else the largest volume that one node
sends to another.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lccmodel.communication import catalog
from lccmodel.communication.conversion import Idle, checked_n
from lccmodel.communication.equations import looks_like_equations, parse_equations
from lccmodel.communication.grids import is_grid_word, parse_grid
from lccmodel.communication.lcc import LCC
from lccmodel.communication.naming import split_name
from lccmodel.communication.patterns import is_pattern_word, pattern_traffic
from lccmodel.communication.program import Entry, Program
from lccmodel.errors import CommunicationError, FileError, InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.files import STDIN
from lccmodel.ground.words import suggestion
from lccmodel.reading import recognise as recognition
from lccmodel.reading.found import LOOSE
from lccmodel.reading.monitoring import dump_of
from lccmodel.reading.options import check_options, reading_with
from lccmodel.reading.text import Text


@typed_arguments
def read(
    path: str | os.PathLike[str],
    n: int | None = None,
    *,
    decimal: str = ".",
    first_rank: int | None = None,
    shape: str | None = None,
    volume: str | None = None,
) -> Program:
    """Return the program of a file, whatever it is.

    Args:
        path: a file of any format of docs/formats.md, perhaps packed by gzip, or a folder with
            the files of one run; "-" is standard input.
        n: number of address bits, where the file leaves it open; else it must agree.
        decimal: "," where the volumes of a table have decimal commas.
        first_rank: what the first rank of a table is called: 1, or 0 if rank 0 is idle.
        shape: "matrix" or "messages", for rows of numbers that may be both; "counts" for a matrix
            with numbers of messages.
        volume: the heading of the column with the volumes, where several may be it.

    Returns: a `Program`; a phase has the name, the weight and the messages that the file states,
    and its `lcc` if they are a linear-complement communication. `notes` says how the file was
    interpreted, `network` is the network that the file names.

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
    with reading_with(decimal=decimal, first_rank=first_rank, shape=shape, volume=volume):
        taken: set[str] = set()
        program = Program.of(read_entries(path, n, taken))
        check_options(taken)
        return program


def program_on(what: Any, nodes: int) -> Program:
    """Return the program that something describes on a network of so many nodes.

    Args:
        given: a word (a catalogue name, equations, a process grid, a file name), or anything
            `Program.of` takes; a function of the rank is called for every node.
        nodes: of the network; 2^n of them say what n a catalogue name has.

    Raises:
        CommunicationError, FileError, NodeError: see `read_typed` and `Program.of`.

    >>> program_on("bit-reverse", 16).ranks, program_on(lambda node: node ^ 1, 4)[0].traffic
    (16, <Traffic of 4 messages among 4 ranks>)
    """
    if isinstance(what, str):
        return Program.of(read_typed([what], bits_of(nodes)))
    return Program.of(what, nodes if callable(what) and not isinstance(what, LCC) else None)


def bits_of(nodes: int) -> int | None:
    """The n of 2^n nodes; None of a single node, and of any other number."""
    return nodes.bit_length() - 1 if nodes > 1 and not nodes & (nodes - 1) else None


def read_entries(
    path: str | os.PathLike[str], n: int | None = None, taken: set[str] | None = None
) -> tuple[Entry, ...]:
    """Return the communications of a file, before messages are recognised.

    Args:
        path: a file, a folder, or "-" for standard input, as for `read`.
        n: number of address bits, where the file leaves it open; else it must agree.
        taken: the names of the options that its format takes are added.

    Raises:
        FileError: the file cannot be read or breaks a rule, with its line.
        CommunicationError, SizeLimitError: n is not in 1..64.
        InputError: `path` is not a path.
    """
    with reading_with(n=None if n is None else checked_n(n)):
        form, read = recognition.read_as(_of_folder(path), "traffic")
    if taken is not None:
        taken.update(form.options)
    notes = tuple(f"{read.where}: {note}" for note in read.notes)
    return tuple(replace(entry, notes=(*entry.notes, *notes)) for entry in read.value)


def _of_folder(path: str | os.PathLike[str]) -> str | os.PathLike[str] | Text:
    """Return the file that stands for a folder, or the path of anything else.

    Raises:
        FileError: the folder has no file of one run, or files of two formats.
    """
    try:
        folder = Path(path)
        if str(path) == STDIN or not folder.is_dir():
            return path
        files = sorted(file for file in folder.iterdir() if file.is_file())
    except TypeError:
        raise InputError("path", "must be the path of a file", path) from None
    except (OSError, ValueError):
        return path
    chosen: dict[str, Text] = {}
    for file in files[:_MOST_FILES]:
        with contextlib.suppress(FileError):
            text = Text.at(file)
            form = recognition.recognise(text, "traffic")
            if form.tier > LOOSE and "traffic" in (form.kind, *form.also):
                chosen.setdefault(form.name, text)
    if len(chosen) != 1:
        why = f", not of {' and of '.join(sorted(chosen))}" if chosen else " (TAU, Paraver)"
        rule = f"must be a folder with the files of one run{why}"
        raise FileError(folder, 0, rule, f"{len(files)} files")
    return next(iter(chosen.values()))


_MOST_FILES = 4096
"""Files of a folder that are looked at."""


def is_file(text: str) -> bool:
    """Return whether a word means a file, a folder or standard input."""
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
    """Return the communications of a file, all with the same n.

    Args:
        path: a file, as for `read`.
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
    arguments: Sequence[str | os.PathLike[str]],
    n: int | None = None,
    *,
    in_files: bool = False,
    sides: Sequence[int] | None = None,
) -> tuple[Entry, ...]:
    """What is typed: catalogue names, equations, process grids, patterns, files.

    Args:
        arguments: at least one.
        n: number of address bits of catalogue names; that of what is beside them if left out.
        in_files: whether files are to have this n, too.
        sides: nodes along every axis of the network, for patterns such as uniform; one ring of
            2^n nodes if left out.

    Raises:
        CommunicationError: nothing of these, a catalogue name without n, or a pattern without
            sides and n.
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
    taken: set[str] = set()
    known = n
    for later in (False, True):  # catalogue names wait until n is known
        for i, text in enumerate(texts):
            if _is_catalogued(text) != later:
                continue
            if _suffix_of(text) in SUFFIXES:
                read[i] = read_entries(text, n if in_files else None, taken)
            elif later:
                c = catalog.build(text, known)
                read[i] = (Entry(c.name, c, origin=f"catalog: {c.name}"),)
            elif is_grid_word(text):
                read[i] = _grid(text)
                continue  # its ranks do not say what n the others have
            elif is_pattern_word(text):
                ring = None if n is None else (1 << n,)
                read[i] = (_pattern(text, ring if sides is None else sides),)
            elif looks_like_equations(text):
                read[i] = (Entry(text, parse_equations(text, n), origin="equations"),)
            elif is_file(text):
                read[i] = read_entries(text, n if in_files else None, taken)
            else:
                raise _neither(text)
            known = max(entry.n for entry in read[i]) if known is None else known
    check_options(taken)
    return tuple(entry for i in range(len(texts)) for entry in read[i])


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


def _pattern(word: str, sides: Sequence[int] | None) -> Entry:
    """The messages of a pattern among the nodes of a network."""
    if sides is None:
        rule = "needs the nodes of a network: state one of this size, such as torus:8x8, or --n"
        raise CommunicationError("communication", rule, word)
    return Entry(word, pattern_traffic(word, sides), origin=f"pattern: {word}")


def _is_catalogued(text: str) -> bool:
    """Whether a name of the catalogue, none of which ends as files do, is typed."""
    if _suffix_of(text) in SUFFIXES:
        return False
    return split_name(text)[0] in {entry.name for entry in catalog.entries()}


SUFFIXES = (
    ".toml", ".json", ".csv", ".tsv", ".txt", ".eq", ".prof", ".mpip", ".prv", ".npy", ".npz",
    ".mtx", ".xml", ".otf2", ".mat", ".dat", ".graph", ".grf", ".gml", ".graphml", ".db",
)  # fmt: skip
"""Suffixes of words that mean a file even if there is none; each may be followed by .gz."""
