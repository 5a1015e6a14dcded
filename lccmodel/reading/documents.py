"""TOML and JSON files that describe one or several communications.

    n = 3                                       # optional; holds for the whole file
    network = "cube:3"                          # optional: where the program runs

    [[communication]]
    name = "transpose"                          # optional
    weight = 2                                  # optional: how often called, or its volume
    catalog = "bit-reverse"                     # one description, see below

A communication is described by exactly one of

    catalog                   a name of the catalogue, with `parameters` in a table if need be
    matrix                    rows of A as lists or as texts such as "010"; `vector` is b, and
                              kind = "scatter" reads the equation as x = Ay + b
    order                     a bit-permute-complement permutation, with `complement`
    equations                 text such as "y0 = x1 + 1; y1 = x0"
    pairs                     a list of [source, destination], with `volumes` and `idle`
    destinations, sources     the partner of each of the 2^n nodes

In JSON the list stands under "communication" as well, or is the whole file. A file with one
communication may hold its keys at the top.
"""

from __future__ import annotations

import json
import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lccmodel.communication import catalog
from lccmodel.communication.conversion import AddressPairs, checked_n, collect
from lccmodel.communication.equations import looks_like_equations, parse_equations
from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Entry, as_file_error, checked_weight, sent_between
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError, Reason
from lccmodel.ground.words import checked_word, suggestion
from lccmodel.reading.entries import found_traffic
from lccmodel.reading.found import LOOSE, Format, Found
from lccmodel.reading.options import stated
from lccmodel.reading.text import Text

_EXTRAS = {
    "catalog": ("parameters",),
    "matrix": ("vector", "kind"),
    "order": ("complement",),
    "equations": (),
    "pairs": ("volumes", "idle"),
    "destinations": (),
    "sources": (),
}
_TOP = ("n", "network", "communication")
_COMMON = ("name", "weight", "n")
_KNOWN = (*_COMMON, *_EXTRAS, *(extra for extras in _EXTRAS.values() for extra in extras))

_LONG_KEY = re.compile(r"^[ \t\[{]*[\w\"'-]+(?:[ \t]*\.[ \t]*[\w\"'-]+){100}", re.MULTILINE)
"""A key such as a.b.c: tomllib needs quadratic time in its parts."""


def is_json(text: Text) -> bool:
    """Return whether a text is meant as JSON."""
    head = text.head.lstrip()
    return bool(_JSON.match(head)) and not re.match(r"\[\[\s*[A-Za-z]", head)


def is_toml(text: Text) -> bool:
    """Return whether a text is meant as TOML: a table or a key on a line of its own."""
    return bool(_TOML.search(text.head)) and not is_json(text) and not is_equations(text)


def is_equations(text: Text) -> bool:
    """Return whether a text is equations such as y0 = x1 + 1."""
    return looks_like_equations(re.sub(r"(?m)^[ \t]*(#.*)?\n", "", text.head))


_JSON = re.compile(r"\{|\[\s*(\{|\"|\]|[A-Za-z])|\[\s*[\d[\s,]*\Z")
_TOML = re.compile(r"^[ \t]*(\[\[?[ \t\"']*[A-Za-z]|[A-Za-z_\"]+[ \t]*=)", re.MULTILINE)


def read_equations(text: Text) -> Found:
    """Return the communication that equations describe.

    Raises:
        FileError: with the line of the fault.
    """
    c = parse_equations(text.content, stated().n, path=text.path)
    entry = Entry(text.stem, c, 1.0, "equations", str(text.path), 1)
    return found_traffic(text, "equations", (entry,))


def read_toml(document: Text) -> Found:
    """Return the communications of a TOML file.

    Raises:
        FileError: with the line of the fault.
    """
    path, text = document.path, document.content
    if _LONG_KEY.search(text):
        raise FileError(path, 0, "must be TOML with keys of at most 100 parts", "a longer one")
    try:
        tables: Any = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\s*\(at (?:line (\d+), column \d+|end of document)\)", str(error))
        line = int(place[1]) if place and place[1] else text.count("\n") + 1
        message = str(error).replace(place[0], "") if place else str(error)
        raise FileError(path, line, "must be TOML", message) from None
    except (RecursionError, ValueError) as error:
        raise _too_large(path, "TOML", error) from None
    return found_traffic(document, "toml", _read(document, tables, TomlPlaces(text), stated().n))


def read_json(document: Text) -> Found:
    """Return the communications of a JSON file.

    Raises:
        FileError: with the line of the fault.
    """
    path, text = document.path, document.content
    try:
        tables: Any = json.loads(text, object_pairs_hook=_no_key_twice)
    except json.JSONDecodeError as error:
        raise FileError(path, error.lineno, "must be JSON", error.msg) from None
    except (RecursionError, ValueError) as error:
        raise _too_large(path, "JSON", error) from None
    except _KeyTwiceError as error:
        raise FileError(path, 0, "duplicate key in a JSON object", Reason(error)) from None
    if isinstance(tables, list):
        tables = {"communication": tables}
    if not isinstance(tables, dict):
        raise FileError(path, 1, "must be an object, or a list of communications", tables)
    return found_traffic(document, "json", _read(document, tables, JsonPlaces(text), stated().n))


def _too_large(path: Path, form: str, error: Exception) -> FileError:
    """Python refuses values nested too deeply, and integers of more digits than it converts."""
    nested = isinstance(error, RecursionError)
    rule = f"must be {form} " + ("nested less deeply" if nested else "with shorter integers")
    return FileError(path, 0, rule, Reason(str(error).partition(";")[0]))


class _KeyTwiceError(Exception):
    pass


def _no_key_twice(items: list[tuple[str, Any]]) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for key, value in items:
        if key in keys:
            raise _KeyTwiceError(key)
        keys[key] = value
    return keys


def _read(
    text: Text, document: Mapping[str, Any], places: Places, n: int | None
) -> tuple[Entry, ...]:
    path = text.path
    if "communication" in document:
        for key in document:
            if key not in _TOP:
                hint = suggestion(key, _TOP) or f"above are {', '.join(_TOP)}"
                raise FileError(path, places.line(None, key), f"unknown key; {hint}", key)
        tables = document["communication"]
    else:
        tables = [{key: value for key, value in document.items() if key != "network"}]
        places.single()
    line = places.line(None, "communication")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise FileError(path, line, "must be a list of tables, [[communication]]", tables)
    if not tables:
        raise FileError(path, line, "must contain at least one communication", tables)
    stated = document.get("n")
    if stated is not None:
        try:
            checked_n(stated)
        except InputError as error:
            raise as_file_error(error, path, places.line(None, "n")) from error
    if stated is not None and n not in (None, stated):
        raise FileError(path, places.line(None, "n"), f"n must be {n}, as requested", stated)
    bits = stated if n is None else n
    readers = [_Reader(text, places, i, table, len(tables)) for i, table in enumerate(tables)]
    entries = tuple(reader.entry(bits) for reader in readers)
    _check_together(entries)
    if "network" not in document:
        return entries
    word, line = document["network"], places.line(None, "network")
    if not isinstance(word, str) or not word.strip():
        raise FileError(path, line, "network must be a name such as cube:8 or origin:5", word)
    return tuple(replace(entry, network=word.strip(), network_line=line) for entry in entries)


def _check_together(entries: tuple[Entry, ...]) -> None:
    names: dict[str, int] = {}
    for entry in entries:
        if entry.n != entries[0].n:
            rule = (
                f"all communications of a file must have the same n; {entries[0].name!r} has "
                f"n = {entries[0].n} (state n at the top)"
            )
            raise FileError(entry.path, entry.line, rule, f"{entry.name}: n = {entry.n}")
        if entry.name in names:
            rule = f"two communications have the same name, see line {names[entry.name]}"
            raise FileError(entry.path, entry.line, rule, entry.name)
        names[entry.name] = entry.line


class _Reader:
    """Reads one table; every fault becomes a `FileError` at the line of its key."""

    def __init__(
        self, text: Text, places: Places, index: int, table: Mapping[str, Any], count: int
    ) -> None:
        self.path, self.places, self.index, self.table = text.path, places, index, table
        self.default_name = text.stem if count == 1 else f"{text.stem}[{index}]"

    def entry(self, n: int | None) -> Entry:
        form = self._form()
        n = self._checked("n", lambda: self._n(n))
        content, origin = self._checked(form, lambda: _FORMS[form](self, n))
        if n is not None and content.n != n:
            raise self._fault(form, f"must have n = {n} address bits", f"n = {content.n}")
        label = content.name if form == "catalog" and isinstance(content, LCC) else ""
        name = self.table.get("name", label or self.default_name)
        if not isinstance(name, str) or not name.strip():
            raise self._fault("name", "must be a text", name)
        volume = 1.0 if isinstance(content, LCC) else content.largest_volume
        stated = self.table.get("weight", volume or 1.0)
        weight = self._checked("weight", lambda: checked_weight(stated))
        line = self.places.line(self.index)
        calls = weight if "weight" in self.table else 1.0
        return Entry(name, content, weight, origin, str(self.path), line, calls=calls)

    def _form(self) -> str:
        """The key that describes the communication, once all keys are checked."""
        for key in self.table:
            if key not in _KNOWN:
                known = (*_KNOWN, *(["communication"] if self.places.is_single else []))
                hint = suggestion(key, known) or f"known are {', '.join(known)}"
                raise self._fault(key, f"unknown key; {hint}", key)
        forms = [key for key in self.table if key in _EXTRAS]
        if len(forms) != 1:
            second = forms[1] if forms else None
            rule = f"a communication is described by exactly one of {', '.join(_EXTRAS)}"
            raise self._fault(second, rule, forms or list(self.table))
        for key in self.table:
            if key not in (*_COMMON, forms[0], *_EXTRAS[forms[0]]):
                raise self._fault(key, f"cannot be combined with {forms[0]}", key)
        return forms[0]

    def _n(self, n: int | None) -> int | None:
        stated = self.table.get("n")
        if stated is not None and n not in (None, stated):
            raise InputError("n", f"must be {n}, as stated for all", stated)
        return n if stated is None else checked_n(stated)

    def _checked(self, key: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except FileError:
            raise
        except InputError as error:
            line = self.places.line(self.index, error.argument.split("[")[0], key)
            raise as_file_error(error, self.path, line) from error

    def _fault(self, key: str | None, rule: str, value: object) -> FileError:
        line = self.places.line(self.index, *([] if key is None else [key]))
        return FileError(self.path, line, rule, value)

    # -- the forms: content and origin ----------------------------------------------------

    def _list(self, key: str) -> list[Any]:
        value = self.table[key]
        if not isinstance(value, list):
            raise InputError(key, "must be a list", value)
        return value

    def catalog(self, n: int | None) -> tuple[LCC, str]:
        name, parameters = self.table["catalog"], self.table.get("parameters", {})
        if not isinstance(name, str):
            raise InputError("catalog", "must be a name of the catalogue", name)
        if not isinstance(parameters, dict):
            raise InputError("parameters", "must be a table such as { k = 3 }", parameters)
        if {"n", "name"} & set(parameters):
            rule = "n and the name stand beside the parameters, not among them"
            raise InputError("parameters", rule, parameters)
        c = catalog.build(name, n, **parameters)
        return c, f"catalog: {c.name}"

    def matrix(self, n: int | None) -> tuple[LCC, str]:
        rows = [_bits(f"matrix[{i}]", row) for i, row in enumerate(self._list("matrix"))]
        vector = _bits("vector", self.table["vector"]) if "vector" in self.table else None
        kind = self.table.get("kind")
        if kind is not None:
            checked_word("kind", kind, ("permutation", "gather", "scatter"))
        c = (LCC.scatter if kind == "scatter" else LCC)(rows, vector)
        if kind not in (None, "scatter", c.kind):
            raise InputError("kind", f"the matrix has rank {c.rank}: it makes a {c.kind}", kind)
        return c, "matrix"

    def order(self, n: int | None) -> tuple[LCC, str]:
        complement = self.table.get("complement", 0)
        bits = complement if isinstance(complement, int) else _bits("complement", complement)
        return catalog.bit_permute_complement(self._list("order"), bits), "order"

    def equations(self, n: int | None) -> tuple[LCC, str]:
        value = self.table["equations"]
        lines = value if isinstance(value, list) else [value]
        if not all(isinstance(line, str) for line in lines):
            raise InputError("equations", "must be a text, or a list of texts", value)
        start = self.places.text_line(self.index, "equations")
        try:
            return parse_equations(
                "\n".join(lines), n, path=self.path, line=start or 1
            ), "equations"
        except FileError as error:
            if start:
                raise
            line = self.places.line(self.index, "equations")
            raise as_file_error(error, self.path, line) from error

    def pairs(self, n: int | None) -> tuple[Traffic, str]:
        pairs, volumes = self._list("pairs"), self.table.get("volumes")
        stated = AddressPairs.of(pairs, n)
        completed = collect(stated, idle=self.table.get("idle", "unknown"))
        if volumes is not None and (staying := len(completed) - len(stated)):
            volumes = [*sent_between(stated, volumes).volumes.tolist(), *[1] * staying]
        alone = n is None and len(completed) == len(stated)
        return sent_between(completed, volumes, 1 if alone else 0), f"{len(pairs)} pairs"

    def destinations(self, n: int | None) -> tuple[Traffic, str]:
        nodes = self._list("destinations")
        return sent_between(collect(nodes, n)), f"{len(nodes)} destinations"

    def sources(self, n: int | None) -> tuple[Traffic, str]:
        nodes = self._list("sources")
        return sent_between(collect(nodes, n, of="source")), f"{len(nodes)} sources"


_FORMS: dict[str, Callable[[_Reader, int | None], tuple[LCC | Traffic, str]]] = {
    "catalog": _Reader.catalog,
    "matrix": _Reader.matrix,
    "order": _Reader.order,
    "equations": _Reader.equations,
    "pairs": _Reader.pairs,
    "destinations": _Reader.destinations,
    "sources": _Reader.sources,
}


def _bits(argument: str, value: object) -> list[Any]:
    """A list of bits, or a text of 0 and 1 (spaces ignored), bit 0 first."""
    if isinstance(value, str):
        digits = value.replace(" ", "")
        if not digits or set(digits) - {"0", "1"}:
            raise InputError(argument, "must be a text of 0 and 1, bit 0 first", value)
        return [int(digit) for digit in digits]
    if not isinstance(value, list):
        raise InputError(argument, "must be a list of 0 and 1, or a text such as '010'", value)
    return value


# -- where entries and keys stand: the parsers keep no line numbers, so the text is searched again,
# only when there is a fault to report; a line that cannot be found is 0


class Places(ABC):
    """Lines of a document; subclasses say where its entries begin and what a key looks like."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_single = False

    def single(self) -> None:
        """The whole document is one entry."""
        self.is_single = True

    @cached_property
    @abstractmethod
    def starts(self) -> list[int]:
        """Offsets of the entries in the text."""

    @abstractmethod
    def key_pattern(self, key: str) -> str:
        """A regular expression for a key."""

    def line(self, index: int | None, *keys: str) -> int:
        """The line of the first of the keys that is found in an entry, or of the entry itself.

        `index` None means above all entries.
        """
        start, stop = self._range(index)
        for key in keys:
            match = re.compile(self.key_pattern(key), re.MULTILINE).search(self.text, start, stop)
            if match:
                return self._line_at(match.end())
        known = self.is_single or (index is not None and index < len(self.starts))
        return self._line_at(start) if known else 0

    def text_line(self, index: int, key: str) -> int:
        """The line where a text of several lines begins, 0 if that cannot be told."""
        return 0

    def _line_at(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def _range(self, index: int | None) -> tuple[int, int]:
        if index is None or self.is_single or index >= len(self.starts):
            return 0, len(self.text)
        ends = [*self.starts[1:], len(self.text)]
        return self.starts[index], ends[index]


class TomlPlaces(Places):
    """Entries begin with `[[communication]]`, keys stand before `=` on a line of their own."""

    @cached_property
    def starts(self) -> list[int]:
        """Offsets of the headers."""
        header = re.compile(r"^[ \t]*\[\[[ \t]*[\"']?communication[\"']?[ \t]*\]\]", re.MULTILINE)
        return [match.start() for match in header.finditer(self.text)]

    def key_pattern(self, key: str) -> str:
        """A key at the start of a line, the header of a table, or a key in an inline table."""
        name = rf"[\"']?{re.escape(key)}[\"']?"
        return rf"^[ \t]*{name}[ \t]*=|^[ \t]*\[+[^\]\n]*\b{name}[ \t]*\]|[{{,][ \t]*{name}[ \t]*="

    def text_line(self, index: int, key: str) -> int:
        """The line after one that ends in triple quotes; 0 for a text on one line or in a list."""
        start, stop = self._range(index)
        plain = rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=[ \t]*(?:\"\"\"|''')(\r?\n)?"
        match = re.compile(plain, re.MULTILINE).search(self.text, start, stop)
        return self._line_at(match.end()) if match else 0


class JsonPlaces(Places):
    """Entries are the elements of the list under "communication", or of the whole document."""

    @cached_property
    def starts(self) -> list[int]:
        """Offsets of the elements of the list."""
        opening = re.match(r"\s*\[", self.text) or re.search(r'"communication"\s*:\s*\[', self.text)
        if not opening:
            return []
        decoder, offset = json.JSONDecoder(), opening.end()
        starts: list[int] = []
        while True:
            offset += len(self.text[offset:]) - len(self.text[offset:].lstrip(" \t\r\n,"))
            if self.text[offset : offset + 1] in ("", "]"):
                return starts
            starts.append(offset)
            offset = decoder.raw_decode(self.text, offset)[1]

    def key_pattern(self, key: str) -> str:
        """A key in double quotes."""
        return rf'"{re.escape(key)}"\s*:'


_TOOL = "lccmodel: programs in {}"
FORMATS = (
    Format("json", "traffic", LOOSE, is_json, read_json, _TOOL.format("JSON"), lacks="Units."),
    Format("toml", "traffic", LOOSE, is_toml, read_toml, _TOOL.format("TOML"), lacks="Units."),
    Format(
        "equations",
        "traffic",
        LOOSE,
        is_equations,
        read_equations,
        _TOOL.format("equations"),
        lacks="Units.",
    ),
)
