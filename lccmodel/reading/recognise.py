"""Recognition of a file by its content, in three tiers, and reading of one kind out of it.

    signature    a magic number, or a line that no other tool writes
    strict       the whole file obeys a grammar (METIS, Scotch)
    loose        rows of numbers or words: matrices, tables, hosts, links

The highest tier that matches decides. Two formats in one tier are refused and both are named;
`role`, the kind that is needed, decides only between loose shapes, and between the two roles of
one format (a GraphML file is traffic or network). The suffix of a file plays no part. Strict and
loose shapes are recognised in the first lines of a large file (`Text.sample`).
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module

from lccmodel.errors import FileError
from lccmodel.reading.found import KINDS, LOOSE, SIGNATURE, Format, Found
from lccmodel.reading.text import Text

_MODULES: tuple[str, ...] = (
    # traffic
    "monitoring",
    "ipm",
    "mpip",
    "paraver",
    "otf2_archive",
    "profiles",
    "arrays",
    "graph_traffic",
    "partition_graphs",
    "numbers",
    "tables",
    "documents",
    # networks
    "slurm_topology",
    "fabric",
    "graph_formats",
    "gpu_nodes",
    "host_groups",
    # hosts, placements, times
    "hostfiles",
    "placements",
    "times",
)
"""Modules of this package with a tuple `FORMATS`; imported when a file is first recognised."""


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats, in the order of the registry."""
    modules = [import_module(f"lccmodel.reading.{name}") for name in _MODULES]
    return tuple(form for module in modules for form in module.FORMATS)


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
    matching: list[Format] = []
    for form in sorted(formats() if known is None else known, key=lambda form: -form.tier):
        if matching and form.tier < matching[0].tier:
            break
        if form.recognises(text if form.tier == SIGNATURE else text.sample):
            matching.append(form)
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
    """Return what a file holds of one kind.

    Args:
        path: a file, "-" for standard input, or a text.
        role: the kind that is needed, one of `KINDS`.

    Raises:
        FileError: it cannot be read or recognised, or holds other kinds only; the error names
            the command that takes such a file.
    """
    text = path if isinstance(path, Text) else Text.at(path)
    form = recognise(text, role)
    found = form.read(text) if role in (form.kind, *form.also) else None
    part = None if found is None else found.of(role)
    if part is None and role == "placement" and any(label and label.host for label in text.labels):
        from lccmodel.reading.placements import read_labels

        return read_labels(text)
    if part is None:
        raise _of_another_kind(text, form, role, () if found is None else found.notes)
    return part


def _of_another_kind(text: Text, form: Format, role: str, notes: tuple[str, ...]) -> FileError:
    """Return the error for a file of another kind than the one needed.

    A note of the file may say why it lacks this kind: it ends with "no placement".
    """
    reason = next((note for note in notes if note.endswith(f"no {role}")), "")
    if reason:
        return FileError(text.path, 0, f"must hold {KINDS[role]}; {reason}", form.name)
    rule = f"must hold {KINDS[role]}; it holds {KINDS[form.kind]}, as from {form.tool}"
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
