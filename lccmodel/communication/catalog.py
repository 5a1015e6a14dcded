"""The catalogue of known communications: each by its name, with its parameters and its source.

    >>> build("butterfly:3", 8) == butterfly(8, 3)
    True

A name may carry parameters after a colon, separated by commas, in the order of the entry or as
`key=value`: `shift:2`, `matrix-transpose:5`, `rotate90-clockwise:4,down`,
`bit-permute-complement:2-0-1,complement=5`. A list is written with hyphens. The name of every
communication that the catalogue makes can be built again.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from lccmodel.communication.gray import gray_code, inverse_gray_code
from lccmodel.communication.images import (
    fft,
    fft_columns,
    fft_rows,
    reflect_antidiagonal,
    reflect_diagonal,
    reflect_horizontal,
    reflect_vertical,
    rotate90_clockwise,
    rotate90_counterclockwise,
    rotate180,
    scale2,
)
from lccmodel.communication.lcc import LCC
from lccmodel.communication.naming import (
    CatalogEntry,
    Parameter,
    check_parameter,
    entry_of,
    parameters_in_name,
    split_name,
)
from lccmodel.communication.permutations import (
    address_bits,
    bit_permute_complement,
    bit_reverse,
    bit_reverse_part,
    butterfly,
    exchange,
    identity,
    matrix_transpose,
    perfect_shuffle,
    reverse_flip,
    shift,
    translation,
    unshuffle,
    vector_reversal,
)
from lccmodel.errors import CommunicationError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import suggestion

__all__ = [
    "CatalogEntry",
    "Parameter",
    "bit_permute_complement",
    "bit_reverse",
    "bit_reverse_part",
    "build",
    "butterfly",
    "entries",
    "entry",
    "exchange",
    "fft",
    "fft_columns",
    "fft_rows",
    "gray_code",
    "identity",
    "inverse_gray_code",
    "matrix_transpose",
    "perfect_shuffle",
    "reflect_antidiagonal",
    "reflect_diagonal",
    "reflect_horizontal",
    "reflect_vertical",
    "reverse_flip",
    "rotate90_clockwise",
    "rotate90_counterclockwise",
    "rotate180",
    "scale2",
    "shift",
    "translation",
    "unshuffle",
    "vector_reversal",
]


@typed_arguments
def entries() -> tuple[CatalogEntry, ...]:
    """Return all entries, in the order in which a reader meets them.

    >>> [entry.name for entry in entries()][:3]
    ['identity', 'bit-reverse', 'matrix-transpose']
    """
    return tuple(_ENTRIES.values())


@typed_arguments
def entry(name: str | LCC) -> CatalogEntry:
    """Return the entry of a name, with or without parameters, or of a communication made by it.

    Raises:
        CommunicationError: no entry has this name; the nearest name is suggested.

    >>> entry(bit_reverse(5)).reference
    ('hou', 'Example 1')
    >>> entry("bit-revers")
    Traceback (most recent call last):
    ...
    lccmodel.errors.CommunicationError: catalog: no such communication, did you mean \
'bit-reverse'?; got 'bit-revers'
    """
    text = name.name if isinstance(name, LCC) else name
    if not isinstance(text, str):
        raise CommunicationError("catalog", "must be a name such as bit-reverse", text)
    base = split_name(text)[0]
    if base not in _ENTRIES:
        hint = suggestion(base, _ENTRIES) or "see the list of the catalogue"
        raise CommunicationError("catalog", f"no such communication, {hint}", text)
    return _ENTRIES[base]


@typed_arguments
def build(name: str, n: int | None = None, **parameters: Any) -> LCC:
    """Make a communication of the catalogue by name.

    Args:
        name: a name such as "bit-reverse", or one with parameters such as "butterfly:3".
        n: number of address bits; `bit-permute-complement` alone knows it from its order.
        parameters: by keyword what is not in the name.

    Raises:
        CommunicationError: an unknown name or parameter, one that is missing, or a wrong value.

    >>> build("bit-reverse", 4).destination(1)
    8
    >>> build("translation", 4, vector=3).name
    'translation:3'
    """
    if not isinstance(name, str):
        raise CommunicationError("catalog", "must be a name such as bit-reverse", name)
    listed = entry(name)
    in_name = parameters_in_name(listed, split_name(name)[1])
    for key in parameters:
        if key in in_name:
            raise CommunicationError(key, "is given twice, in the name and by keyword", name)
        check_parameter(listed, key)
    arguments = {**in_name, **parameters}
    for parameter in listed.parameters:
        if parameter.required and parameter.name not in arguments:
            rule = f"must state {parameter.name} ({parameter.meaning}), as in {listed.usage}"
            raise CommunicationError("catalog", rule, name)
    if n is None:
        if listed.name != "bit-permute-complement":
            raise CommunicationError("n", f"{listed.name} needs the number of address bits", n)
        return listed.build(None, **arguments)
    return listed.build(address_bits(n), **arguments)


def _ordered(n: int | None, order: Any, complement: Any = None) -> LCC:
    if not isinstance(order, (list, tuple, range, np.ndarray)):
        raise CommunicationError("order", "must be a list of bit numbers", order)
    if n is not None and len(order) != n:
        raise CommunicationError("order", f"must have n = {n} entries", order)
    return bit_permute_complement(list(order), complement)


_IMAGE = ("hou", "Example 5(1)")
_MIRROR = ("hou", "Example 5(2)")
_TABLE = (
    entry_of(
        "identity",
        "Identity",
        ("edelman", "Definition 3.2"),
        identity,
        "every node keeps its message",
    ),
    entry_of(
        "bit-reverse",
        "Bit reversal",
        ("hou", "Example 1"),
        bit_reverse,
        "bit i becomes bit n-1-i, as after an FFT",
    ),
    entry_of(
        "matrix-transpose",
        "Matrix transpose",
        ("hou", "Example 3"),
        matrix_transpose,
        "rows and columns of a 2^r by 2^c matrix change places",
    ),
    entry_of(
        "reverse-flip",
        "Reverse-flip",
        ("hou", "Example 7"),
        reverse_flip,
        "bit reversal with every bit complemented",
    ),
    entry_of(
        "perfect-shuffle",
        "Perfect shuffle",
        ("edelman", "Definition 5.1"),
        perfect_shuffle,
        "the address bits shifted up by one place, the last becoming the first",
    ),
    entry_of(
        "unshuffle",
        "Unshuffle",
        ("edelman", "Definition 5.1"),
        unshuffle,
        "the inverse of the perfect shuffle",
    ),
    entry_of(
        "shift",
        "Shift of the address bits",
        ("edelman", "Definition 5.1"),
        shift,
        "the address bits shifted cyclically up by k places, k shuffles of an omega network",
    ),
    entry_of(
        "butterfly",
        "Butterfly",
        ("edelman", "Definition 5.2"),
        butterfly,
        "address bits 0 and k change places; k = n-1 if left out",
    ),
    entry_of(
        "bit-permute-complement",
        "Bit-permute-complement",
        ("hou", "Section 1"),
        _ordered,
        "the address bits permuted and some of them complemented",
    ),
    entry_of(
        "bit-reverse-part",
        "Bit reversal of a part",
        ("hou", "Example 5(5)"),
        bit_reverse_part,
        "the bits low .. high-1 reversed among themselves",
    ),
    entry_of(
        "exchange",
        "Exchange across a dimension",
        ("edelman", "Section 3"),
        exchange,
        "neighbours across dimension k exchange messages",
    ),
    entry_of(
        "translation",
        "Translation",
        ("edelman", "Section 3"),
        translation,
        "the same bits complemented in every node",
    ),
    entry_of(
        "vector-reversal",
        "Vector reversal",
        ("edelman", "Section 3"),
        vector_reversal,
        "every node sends to the opposite corner of the cube",
    ),
    entry_of(
        "gray-code",
        "Gray code",
        ("edelman", "Section 4"),
        gray_code,
        "node k sends to k xor (k >> 1)",
    ),
    entry_of(
        "inverse-gray-code",
        "Inverse Gray code",
        ("edelman", "Section 4"),
        inverse_gray_code,
        "a Gray code word sends to its number",
    ),
    entry_of(
        "reflect-diagonal",
        "Reflection on the diagonal",
        _IMAGE,
        reflect_diagonal,
        "image: (px, py) to (py, px)",
    ),
    entry_of(
        "reflect-antidiagonal",
        "Reflection on the antidiagonal",
        _IMAGE,
        reflect_antidiagonal,
        "image: (px, py) to (H - py, W - px), W and H the largest px and py",
    ),
    entry_of(
        "rotate90-clockwise",
        "Rotation by 90° clockwise",
        _IMAGE,
        rotate90_clockwise,
        "image: (px, py) to (py, W - px) when py counts up",
    ),
    entry_of(
        "rotate90-counterclockwise",
        "Rotation by 90° counterclockwise",
        _IMAGE,
        rotate90_counterclockwise,
        "image: (px, py) to (H - py, px) when py counts up",
    ),
    entry_of(
        "rotate180", "Rotation by 180°", _MIRROR, rotate180, "image: (px, py) to (W - px, H - py)"
    ),
    entry_of(
        "reflect-vertical",
        "Reflection on a vertical line",
        _MIRROR,
        reflect_vertical,
        "image: (px, py) to (W - px, py)",
    ),
    entry_of(
        "reflect-horizontal",
        "Reflection on a horizontal line",
        _MIRROR,
        reflect_horizontal,
        "image: (px, py) to (px, H - py)",
    ),
    entry_of(
        "scale2",
        "Scaling by 2",
        ("hou", "Example 5(3)"),
        scale2,
        "image: every pixel of the first quarter to four pixels, a scatter",
    ),
    entry_of(
        "fft",
        "Reordering of a 1-D FFT",
        ("hou", "Example 5(4)"),
        fft,
        "image: bit reversal over all pixels",
    ),
    entry_of(
        "fft-rows",
        "Reordering of an FFT along rows",
        ("hou", "Example 5(5)"),
        fft_rows,
        "image: bit reversal of px",
    ),
    entry_of(
        "fft-columns",
        "Reordering of an FFT along columns",
        ("hou", "Example 5(5)"),
        fft_columns,
        "image: bit reversal of py",
    ),
)
_ENTRIES: Mapping[str, CatalogEntry] = MappingProxyType({entry.name: entry for entry in _TABLE})
