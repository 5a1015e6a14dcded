"""The families of the catalogue: a catalogue word with its parameters left open.

    family("bit-reverse"), family("matrix-transpose:r"), family("shift:k"), family("exchange:3")

A parameter is an affine expression. Those of a word have the ranges under which the communication
moves something: 1 <= r < n, and so on. A transposition is stated by its row bits r, since c is the
number of axes of a mesh; a number after the colon is the column bits, as in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from lccmodel.errors import CommunicationError, InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.symbolic.affine import Affine, Facts, impossible
from lccmodel.symbolic.families import Family
from lccmodel.symbolic.parsing import affine
from lccmodel.symbolic.pieces import Entries, Piece, domain_text

_ZERO = Affine()
_K, _J = Affine.variable("k"), Affine.variable("j")


class _Word(NamedTuple):
    """The pieces and facts of a word: a function of n and the parameters."""

    build: Callable[..., tuple[tuple[Piece, ...], Facts]]
    parameters: tuple[str, ...] = ()
    upper: Facts | None = None
    is_scatter: bool = False


def _identity(low: Affine, high: Affine, flip: bool = False) -> Piece:
    return Piece(low, high, 1, _ZERO, flip)


def _reversal(n: Affine, flip: bool = False) -> tuple[tuple[Piece, ...], Facts]:
    return (Piece(_ZERO, n, -1, n - 1, flip),), ()


def _reversed_part(n: Affine, low: Affine, high: Affine) -> tuple[tuple[Piece, ...], Facts]:
    pieces = (
        _identity(_ZERO, low),
        Piece(low, high, -1, low + high - 1),
        _identity(high, n),
    )
    return pieces, (low, high - low - 2, n - high)


def _shift(n: Affine, k: Affine, first: bool = False, last: bool = False) -> Any:
    """Bits shifted up by k; the new low k bits or the new high n - k bits complemented."""
    pieces = (Piece(_ZERO, k, 1, n - k, first), Piece(k, n, 1, -k, last))
    return pieces, (k - 1, n - k - 1)


def _turned(flip_x: bool, flip_y: bool) -> Callable[..., Any]:
    return lambda n, a: _shift(n, n - a, flip_x, flip_y)


def _butterfly(n: Affine, k: Affine) -> tuple[tuple[Piece, ...], Facts]:
    one = Affine(constant=1)
    pieces = (
        Piece(_ZERO, one, 1, k),
        _identity(one, k),
        Piece(k, k + 1, 1, -k),
        _identity(k + 1, n),
    )
    return pieces, (k - 1, n - k - 1)


def _exchange(n: Affine, k: Affine) -> tuple[tuple[Piece, ...], Facts]:
    pieces = (_identity(_ZERO, k), _identity(k, k + 1, True), _identity(k + 1, n))
    return pieces, (k, n - k - 1)


def _translation(n: Affine, vector: Affine) -> tuple[tuple[Piece, ...], Facts]:
    if vector.terms:
        names = [v for v, c in vector.terms if c == 1 and v not in n.variables]
        if vector.constant or len(vector.terms) != len(names) or len(names) != 1:
            raise InputError("translation", "must be a number or the name of one", str(vector))
        return _plain(n)[0], (n - 1, vector)
    if vector.constant < 0:
        raise InputError("translation", "must be at least 0", str(vector))
    top = vector.constant.bit_length()
    bits = [
        _identity(Affine(constant=k), Affine(constant=k + 1), bool(vector.constant >> k & 1))
        for k in range(top)
    ]
    return (*bits, _identity(Affine(constant=top), n)), (n - top,)


def _mirrored(low_part: bool) -> Callable[..., Any]:
    def build(n: Affine, a: Affine) -> tuple[tuple[Piece, ...], Facts]:
        pieces = (_identity(_ZERO, a, low_part), _identity(a, n, not low_part))
        return pieces, (a - 1, n - a - 1)

    return build


def _part(rows: bool) -> Callable[..., Any]:
    def build(n: Affine, a: Affine) -> tuple[tuple[Piece, ...], Facts]:
        low, high = (_ZERO, a) if rows else (a, n)
        return _reversed_part(n, low, high)

    return build


def _scaled(n: Affine, a: Affine) -> tuple[tuple[Piece, ...], Facts]:
    """Row i reads bit i + 1, but the top bits of px and py are 0."""
    pieces = (
        Piece(_ZERO, a - 1, 1, Affine(constant=1)),
        Piece(a - 1, a, 0, _ZERO),
        Piece(a, n - 1, 1, Affine(constant=1)),
        Piece(n - 1, n, 0, _ZERO),
    )
    return pieces, (a - 1, n - a - 1)


def _plain(n: Affine) -> tuple[tuple[Piece, ...], Facts]:
    return (_identity(_ZERO, n),), ()


_WORDS: dict[str, _Word] = {
    "identity": _Word(_plain),
    "bit-reverse": _Word(_reversal),
    "fft": _Word(_reversal),
    "reverse-flip": _Word(lambda n: _reversal(n, True)),
    "bit-reverse-part": _Word(_reversed_part, ("low", "high")),
    "fft-rows": _Word(_part(True), ("a",)),
    "fft-columns": _Word(_part(False), ("a",)),
    "matrix-transpose": _Word(_shift, ("r",)),
    "shift": _Word(_shift, ("k",)),
    "perfect-shuffle": _Word(lambda n: _shift(n, Affine(constant=1))),
    "unshuffle": _Word(lambda n: _shift(n, n - 1)),
    "butterfly": _Word(_butterfly, ("k",)),
    "exchange": _Word(_exchange, ("k",)),
    "translation": _Word(_translation, ("vector",)),
    "vector-reversal": _Word(lambda n: ((_identity(_ZERO, n, True),), ())),
    "rotate180": _Word(lambda n: ((_identity(_ZERO, n, True),), ())),
    "reflect-vertical": _Word(_mirrored(True), ("a",)),
    "reflect-horizontal": _Word(_mirrored(False), ("a",)),
    "reflect-diagonal": _Word(_turned(False, False), ("a",)),
    "reflect-antidiagonal": _Word(_turned(True, True), ("a",)),
    "rotate90-clockwise": _Word(_turned(False, True), ("a",)),
    "rotate90-counterclockwise": _Word(_turned(True, False), ("a",)),
    "scale2": _Word(_scaled, ("a",), None, True),
    "gray-code": _Word(_plain, (), (_J - _K - 1, _K + 1 - _J)),
    "inverse-gray-code": _Word(_plain, (), ()),
}

FAMILIES: tuple[str, ...] = tuple(_WORDS)
"""The catalogue words that are families."""


@typed_arguments
def family(word: str, n: Any = "n") -> Family:
    """Return the family of a catalogue word, its parameters left open.

    Args:
        word: a name of the catalogue, with affine expressions for its parameters. Parameters that
            are left out are open, except k of `butterfly`, which is n - 1.
        n: the number of address bits, an affine expression.

    Raises:
        CommunicationError: no such word, or one that is no family.
        InputError: a parameter that is not affine, or values for which nothing is left.

    >>> family("matrix-transpose:r")
    <family matrix-transpose:r of n bits, r >= 1 and r < n>
    >>> family("matrix-transpose:2").order_at(n=5)       # column bits, as in the catalogue
    (2, 3, 4, 0, 1)
    """
    name, _, rest = word.partition(":")
    known = _WORDS.get(name)
    if known is None:
        from lccmodel.communication import catalog

        catalog.entry(name)
        rule = f"has no family; families are {', '.join(FAMILIES)}"
        raise CommunicationError("family", rule, word)
    texts = [text.strip() for text in rest.split(",")] if rest else []
    if len(texts) > len(known.parameters):
        names = ", ".join(known.parameters)
        rule = f"{name} has the parameters {names}" if names else f"{name} has no parameters"
        raise CommunicationError("family", rule, word)
    size = affine("n", n)
    values = []
    for place, parameter in enumerate(known.parameters):
        text = texts[place] if place < len(texts) else None
        if text is None:
            text = "n - 1" if name == "butterfly" else parameter
            value = affine(parameter, text)
            value = value.replaced("n", size) if name == "butterfly" else value
        else:
            value = affine(parameter, text.partition("=")[2] or text)
            if name == "matrix-transpose" and not value.terms:
                value = size - value  # column bits
        values.append(value)
    pieces, facts = known.build(size, *values)
    if impossible(facts):
        own = [Affine.variable(parameter) for parameter in known.parameters]
        rule = f"must satisfy {domain_text(known.build(Affine.variable('n'), *own)[1])}"
        raise InputError("family", rule, word)
    least = () if any(fact == size - 1 for fact in facts) else (size - 1,)
    facts = tuple(fact for fact in (*facts, *least) if fact.terms)
    vector = values[0].variables[0] if name == "translation" and values[0].terms else None
    made = Family(
        word,
        size,
        pieces,
        tuple(dict.fromkeys(facts)),
        is_scatter=known.is_scatter,
        vector=vector,
    )
    return made if known.upper is None else replace(made, upper=Entries((known.upper,)))
