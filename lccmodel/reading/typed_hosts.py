"""Hosts from a file of any format, or from what is typed.

hosts_of("hosts.txt")          a file, recognised by its content (`reading.hostfiles`)
hosts_of("a:4,node[01-04]")    a typed list, or the output of `scontrol show hostnames`
"""

from __future__ import annotations

import os
from pathlib import Path

from lccmodel.errors import FileError, InputError
from lccmodel.reading import hostfiles
from lccmodel.reading.found import LOOSE, Found
from lccmodel.reading.recognise import read, recognise
from lccmodel.reading.text import Text


def hosts_of(what: str | os.PathLike[str]) -> Found:
    """Return the hosts of a file, or of a typed list, such as "$(scontrol show hostnames)".

    Args:
        what: the path of a file of any format above; else its content: "a:4,b:4",
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
    form = next((form for form in hostfiles.FORMATS if form.recognises(text)), None)
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
    if any(form.recognises(text) for form in hostfiles.FORMATS):
        return read(text, "hosts")
    try:
        form = recognise(text, "hosts")
    except FileError:
        if text.is_binary or not text.content.strip():
            raise
        return hostfiles.read_hydra(text)
    if "hosts" not in (form.kind, *form.also) and form.tier == LOOSE:
        return hostfiles.read_hydra(text)
    return read(text, "hosts")
