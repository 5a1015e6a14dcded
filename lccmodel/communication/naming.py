"""Names of catalogued communications: how an entry is described and how its name is read.

shift:2    rotate90-clockwise:4,down    bit-permute-complement:2-0-1,complement=5
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError
from lccmodel.ground.words import suggestion
from lccmodel.references import Reference, reference


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter besides n: its name, whether it must be stated, and what it means.

    >>> from lccmodel import catalog
    >>> catalog.entry("butterfly").parameters
    (Parameter(name='k', required=False, meaning='a bit, 0 the least significant; for a shift, \
the number of places'),)
    """

    name: str
    required: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A named communication for every n.

    Attributes: `name` (as typed), `title`, `reference` (paper key and place), `parameters`
    (besides n), `build` (n and the parameters to an `LCC`), `description` (one line).

    >>> from lccmodel.communication import catalog
    >>> catalog.entry("reverse-flip").reference
    ('hou', 'Example 7')
    >>> catalog.entry("gray-code").paper.short
    'Edelman et al. 1994'
    """

    name: str
    title: str
    reference: tuple[str, str]
    parameters: tuple[Parameter, ...]
    build: Callable[..., LCC]
    description: str

    @property
    def paper(self) -> Reference:
        """The paper of the reference; its `bibtex` is the entry to cite."""
        return reference(self.reference[0])

    @property
    def usage(self) -> str:
        """How the name is typed, optional parameters in brackets.

        >>> from lccmodel.communication import catalog
        >>> catalog.entry("matrix-transpose").usage
        'matrix-transpose[:column_bits]'
        """
        text, closing = self.name, ""
        for i, parameter in enumerate(self.parameters):
            mark = ":" if i == 0 else ","
            text += f"{mark}{parameter.name}" if parameter.required else f"[{mark}{parameter.name}"
            closing += "" if parameter.required else "]"
        return text + closing


def split_name(text: str) -> tuple[str, str]:
    """Name and parameters of a catalogue name as typed.

    >>> split_name("butterfly:3"), split_name("bit_reverse")
    (('butterfly', '3'), ('bit-reverse', ''))
    """
    base, _, rest = text.partition(":")
    return base.strip().lower().replace("_", "-"), rest.strip()


def parameters_in_name(listed: CatalogEntry, text: str) -> dict[str, Any]:
    """The parameters that a name states after its colon, in order or as `key=value`.

    Raises:
        CommunicationError: one is unknown, stated twice or of the wrong form.
    """
    values: dict[str, Any] = {}
    positions = iter(listed.parameters)
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            parameter = next(positions, None)
            if parameter is None:
                raise CommunicationError("catalog", f"must be typed {listed.usage}", text)
            key, value = parameter.name, part
        key = key.replace("-", "_")
        check_parameter(listed, key)
        if key in values:
            raise CommunicationError(key, "is given twice", text)
        values[key] = _value(key, value)
    return values


def check_parameter(listed: CatalogEntry, key: str) -> None:
    """Raise a CommunicationError if the entry has no such parameter."""
    names = tuple(parameter.name for parameter in listed.parameters)
    if key not in names:
        known = f"{listed.name} has the parameters n{''.join(f', {name}' for name in names)}"
        raise CommunicationError(
            "parameter", f"{known}; {suggestion(key, names)}".rstrip("; "), key
        )


def _value(key: str, text: str) -> Any:
    """A typed parameter value: an integer, a list with hyphens, or a word."""
    if key == "y_axis":
        return text
    try:
        return [int(bit) for bit in text.split("-")] if key == "order" else int(text)
    except ValueError:
        kind = "integers joined by hyphens" if key == "order" else "an integer"
        raise CommunicationError(key, f"must be {kind}", text) from None


_MEANINGS = {
    "column_bits": "the matrix has 2^column_bits columns; half of n if left out",
    "complement": "bits to complement, as a packed int; 0 if left out",
    "high": "one more than the last bit of the part",
    "k": "a bit, 0 the least significant; for a shift, the number of places",
    "low": "first bit of the part",
    "order": "order[k] is the old bit that becomes bit k",
    "vector": "bits to complement, as a packed int",
    "width_bits": "the image is 2^width_bits wide; half of n if left out",
    "y_axis": "whether py counts up from the bottom (default) or down from the top",
}


_LISTS = {"axes"}
"""Parameters that are lists of lists, for which a name has no place; they are left out."""


def entry_of(
    name: str, title: str, source: tuple[str, str], function: Callable[..., LCC], description: str
) -> CatalogEntry:
    """An entry whose parameters are those of the function after n that a name can state."""
    stated = list(inspect.signature(function).parameters.values())[1:]
    parameters = tuple(
        Parameter(p.name, p.default is p.empty, _MEANINGS[p.name])
        for p in stated
        if p.name not in _LISTS
    )
    return CatalogEntry(name, title, source, parameters, function, description)
