"""Recognition of a file by its content, in three tiers, and reading of one kind out of it.

    signature    a magic number, or a line that no other tool writes
    strict       the whole file obeys a grammar (METIS, Scotch)
    loose        rows of numbers or words: matrices, tables, hosts, links

The highest tier that matches decides. Two formats in one tier are refused and both are named;
`role`, the kind that is needed, decides only between loose shapes, and between the two roles of
one format (a GraphML file is traffic or network). The suffix of a file plays no part. Strict and
loose shapes are recognised in the first lines of a large file (`Text.sample`). Words that a format
must contain are looked for first, and the loose shapes of the kind that is needed are asked before
others, so that a plain table imports the readers of tables alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path

from lccmodel.errors import FileError, InputError
from lccmodel.reading.found import KINDS, LOOSE, SIGNATURE, STRICT, Format, Found
from lccmodel.reading.text import Text

_MODULES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    # traffic
    "monitoring": ("head", ("msgs sent", "# point to point"), ()),
    "ipm": ("head", ("<ipm",), ()),
    "mpip": ("head", ("@ mpip", "sqlite format"), ()),
    "paraver": ("head", ("#paraver",), ()),
    "otf2_archive": ("head", ("otf2",), ()),
    "profiles": ("head", ("data transfers per rank", "templated_functions"), ()),
    "arrays": ("head", ("numpy", "pk\x03\x04", "pk\x05\x06", "matlab", "hdf", "%matrix"), ()),
    "graph_traffic": ("head", ("graphml", "graph", '"nodes"', "{"), ()),
    "partition_graphs": ("digits", (), ()),
    "numbers": ("head", ("[",), ("traffic",)),
    "tables": ("head", (), ("traffic",)),
    "documents": ("head", ("=", "{", "["), ("traffic",)),
    # networks
    "slurm_topology": ("head", ("name", "blocksizes", "aggregatedblock", "topology"), ()),
    "fabric": ("head", ('"s-', '"h-', '"r-', "==("), ()),
    "graph_formats": ("head", ("graph", "{", "router"), ("network",)),
    "gpu_nodes": ("head", ("<system", "<graphs", "gpu0"), ()),
    "host_groups": ("head", ("group",), ()),
    # hosts, placements, times
    "hostfiles": ("head", ("=", ":", "@", "undefined", "null", "r_lite", "lsb_"), ("hosts",)),
    "placements": (
        "all", ("rank", "Rank", "RANK", "NCCL INFO", "Data for node:"), ("placement",)
    ),
    "times": (
        "all",
        ("OSU", "#", "times", "Test:", "Final:", "percentile_lat", '"test"'),
        ("times",),
    ),
}  # fmt: skip
"""For every module of this package with a tuple `FORMATS`: where marks are, marks, and the kinds of
its loose shapes.

One mark is in each text that a signature or a strict grammar of the module recognises: in its first
lines in lower case ("head"), in the whole text ("all"), or it begins with a number ("digits"). So a
module is imported only if the file may be of one of its formats."""

_BINARY = 512
_DIGITS = re.compile(r"(?:\s*%.*\n)*\s*\d")


@cache
def _formats_of(module: str) -> tuple[Format, ...]:
    return tuple(import_module(f"lccmodel.reading.{module}").FORMATS)


def formats() -> tuple[Format, ...]:
    """Return all formats, in the order of the registry."""
    return tuple(form for module in _MODULES for form in _formats_of(module))


def _is_marked(text: Text, module: str) -> bool:
    """Return whether a text has a mark of a module."""
    where, marks, _ = _MODULES[module]
    if where == "digits":
        return _DIGITS.match(text.head) is not None
    if where == "all":
        return any(mark in text.content for mark in marks)
    begin = text.raw[:_BINARY].decode("latin-1") if text.is_binary else text.head
    head = f"{text.name}\n{begin}".lower()
    return any(mark in head for mark in marks)


def _loose(text: Text, role: str | None) -> Iterator[tuple[Format, ...]]:
    """Yield the loose formats of a kind, and then all, for a text that is of none of these."""
    if role is not None:
        asked = [name for name, (*_, kinds) in _MODULES.items() if role in kinds]
        asked = [name for name in asked if name != "documents" or _is_marked(text, name)]
        yield tuple(form for name in asked for form in _formats_of(name) if form.tier == LOOSE)
    yield tuple(form for form in formats() if form.tier == LOOSE)


def _matching(text: Text, role: str | None, known: tuple[Format, ...] | None) -> list[Format]:
    """Return the formats of the highest tier that fit a text, loose ones of the role first."""
    if known is None:
        marked = tuple(form for name in _MODULES if _is_marked(text, name)
                       for form in _formats_of(name))  # fmt: skip
    else:
        marked = known
    steps = [tuple(form for form in marked if form.tier == tier) for tier in (SIGNATURE, STRICT)]
    loose = (
        _loose(text, role)
        if known is None
        else iter([[form for form in known if form.tier == LOOSE]])
    )
    for forms in chain(steps, loose):
        matching = [
            form for form in forms
            if form.recognises(text if form.tier == SIGNATURE else text.sample)
        ]  # fmt: skip
        if matching:
            return matching
    return []


def recognise(
    text: Text, role: str | None = None, known: tuple[Format, ...] | None = None
) -> Format:
    """Return the format of a text.

    Args:
        text: the content of a file.
        role: the kind that is needed, one of `KINDS`.
        known: the formats to choose from; all of them by default.

    Raises:
        FileError: no format, or two formats, with their names.
    """
    matching = _matching(text, role, known)
    if not matching:
        raise FileError(text.path, 0, _unknown(text, role), text.head[:200] or text.raw[:40])
    of_role = [form for form in matching if role in (form.kind, *form.also)]
    names = {form.name for form in matching}
    if of_role and (matching[0].tier == LOOSE or len(names) == 1):
        matching = of_role
    if len({form.name for form in matching}) > 1 and (of_role or matching[0].tier > LOOSE):
        kinds: dict[str, str] = {}
        for form in matching:
            kinds.setdefault(form.name, f"{form.tool} ({KINDS[form.kind]})")
        rule = f"must be one kind of file; it looks like {' and like '.join(kinds.values())}"
        raise FileError(text.path, 0, rule, text.head[:80])
    return matching[0]


def read(path: str | os.PathLike[str] | Text, role: str) -> Found:
    """Return what a file holds of one kind; see `read_as`."""
    return read_as(path, role)[1]


def read_as(path: str | os.PathLike[str] | Text, role: str) -> tuple[Format, Found]:
    """Return the format of a file, and what it holds of one kind.

    Args:
        path: a file, "-" for standard input, or a text.
        role: the kind that is needed, one of `KINDS`.

    Raises:
        FileError: it cannot be read or recognised, or holds other kinds only; the error names
            the command that takes such a file.
    """
    text = path if isinstance(path, Text) else Text.at(path)
    form = recognise(text, role)
    contents = form.read(text) if role in (form.kind, *form.also) else None
    part = None if contents is None else contents.of(role)
    if part is None and role == "placement" and any(label and label.host for label in text.labels):
        from lccmodel.reading.placements import read_labels

        return form, read_labels(text)
    if part is None:
        raise _of_another_kind(text, form, role, () if contents is None else contents.notes)
    return form, part


def _of_another_kind(text: Text, form: Format, role: str, notes: tuple[str, ...]) -> FileError:
    """Return the error for a file of another kind than the one needed.

    A note of the file may say why it lacks this kind: it ends with "no placement".
    """
    reason = next((note for note in notes if note.endswith(f"no {role}")), "")
    if reason:
        return FileError(text.path, 0, f"must contain {KINDS[role]}; {reason}", form.name)
    rule = f"must contain {KINDS[role]}; it contains {KINDS[form.kind]}, as from {form.tool}"
    if form.tier == LOOSE:
        rule = f"{_unknown(text, role)}; as {form.tool} it would be {KINDS[form.kind]}"
    if form.command:
        rule += f": {form.command.format(path=text.path)}"
    return FileError(text.path, 0, rule, form.name)


def _unknown(text: Text, role: str | None) -> str:
    """Return the rule that a text of no known format breaks."""
    if not text.raw.strip():
        return "must not be empty"
    what = "a file" if role is None else KINDS[role]
    return f"must be {what} in a known format (docs/formats.md lists them)"


# -- hosts, from a file or typed ----------------------------------------------------------------


def hosts_of(what: str | os.PathLike[str]) -> Found:
    """Return the hosts of a file, or of a typed list, such as "$(scontrol show hostnames)".

    Args:
        what: the path of a file of a format of `reading.hostfiles`; else its content: "a:4,b:4",
            "node[01-04,07]:2", names on lines, the value of LSB_MCPU_HOSTS.

    Raises:
        FileError: the file cannot be read, has no host, or a line is wrong, with its number.
        InputError: no list of hosts.

    >>> hosts_of("node[1-2]:4,login").value
    (('node1', 4), ('node2', 4), ('login', 1))
    >>> hosts_of("owl1 2 owl2 1").value
    (('owl1', 2), ('owl2', 1))
    """
    if not isinstance(what, str) or is_path(what):
        return _read_file(Text.at(what))
    text = Text.typed(what.strip(), "hosts")
    form = next((form for form in _formats_of("hostfiles") if form.recognises(text)), None)
    if form is None:
        rule = "must be a file, or a list such as a:4,b:4 or node[01-04,07]:2 of names and slots"
        raise InputError("hosts", rule, what)
    try:
        return form.read(text)
    except FileError as error:
        raise InputError("hosts", error.rule, error.value) from None


def is_path(word: str) -> bool:
    """Return whether a word is the name of a file, and not a typed list of hosts."""
    if "\n" in word.strip():
        return False
    try:
        return "/" in word or word == "-" or Path(word).exists()
    except (ValueError, OSError):  # a null character; too long a name
        return "\0" in word


def _read_file(text: Text) -> Found:
    """Return the hosts of a file; of a list with a wrong line, the error of that line."""
    if any(form.recognises(text) for form in _formats_of("hostfiles")):
        return read(text, "hosts")
    try:
        form = recognise(text, "hosts")
    except FileError:
        if text.is_binary or not text.content.strip():
            raise
        return _as_list(text)
    if "hosts" not in (form.kind, *form.also) and form.tier == LOOSE:
        return _as_list(text)
    return read(text, "hosts")


def _as_list(text: Text) -> Found:
    from lccmodel.reading.hostfiles import read_hydra

    return read_hydra(text)
