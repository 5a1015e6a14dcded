"""The sides of a grid and what its links carry, checked; nodes as digits to the bases of the sides.

On a grid with sides 4, 2 node 7 = 3 + 4·1 has the coordinates (3, 1); the hosts of a fat tree are
written with a digit for every level alike.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, NodeError, SizeLimitError, checked_integers
from lccmodel.network.base import MAX_DIMENSION

Sides = Sequence[int] | npt.NDArray[np.integer[Any]]
"""Side lengths, axis 0 first: `Mesh((4, 4))`, not `Mesh(4, 4)`."""

Bandwidths = Sequence[int | float | Fraction | str] | None
"""What links carry, by axis."""


def checked_sides(shape: Any) -> tuple[int, ...]:
    """Side lengths of a grid of 2 to 2^64 nodes.

    Raises:
        NetworkError: not a sequence of integers, a length below 1, or one node.
        SizeLimitError: more nodes.
    """
    rule = "must be a sequence of side lengths, such as (4, 4)"
    if isinstance(shape, str):
        raise NetworkError("shape", rule, shape)
    try:
        lengths = tuple(operator.index(length) for length in shape)
    except TypeError:
        raise NetworkError("shape", rule, shape) from None
    for axis, length in enumerate(lengths):
        if length < 1:
            raise NetworkError(f"shape[{axis}]", "must be at least 1", length)
    nodes = math.prod(lengths)
    if nodes < 2:
        raise NetworkError("shape", "must have at least two nodes", lengths)
    if nodes > 1 << MAX_DIMENSION:
        rule = f"must have at most 2^{MAX_DIMENSION} nodes: a node number fits one machine word"
        raise SizeLimitError("shape", rule, lengths)
    return lengths


def checked_bandwidth(bandwidth: Any, axes: int) -> tuple[Fraction, ...]:
    """What links carry, exactly, by axis; 1 if not said. A float means its shortest decimal.

    Raises:
        NetworkError: not one positive finite number an axis.
    """
    if bandwidth is None:
        return (Fraction(1),) * axes
    from lccmodel.ground.numbers import as_fraction

    rule = f"must be {axes} positive finite numbers, one an axis"
    try:
        bandwidths = tuple(as_fraction(b) for b in bandwidth)
    except (TypeError, ValueError, ZeroDivisionError):
        raise NetworkError("bandwidth", rule, bandwidth) from None
    if len(bandwidths) != axes or min(bandwidths) <= 0:
        raise NetworkError("bandwidth", rule, bandwidth)
    return bandwidths


def plain_numbers(values: tuple[Fraction, ...]) -> tuple[int | str, ...]:
    """Fractions as the constructor takes them back: integers, or texts such as '1/3'."""
    return tuple(int(v) if v.denominator == 1 else str(v) for v in values)


def digits_of(node: int, sides: tuple[int, ...]) -> tuple[int, ...]:
    """The digits of a node, the one of side 0 first.

    >>> digits_of(7, (4, 2))
    (3, 1)
    """
    digits = []
    for side in sides:
        node, digit = divmod(node, side)
        digits.append(digit)
    return tuple(digits)


def node_of_digits(coordinates: Any, sides: tuple[int, ...], axis_word: str, spec: str) -> int:
    """The node with these digits; `axis_word` says what a side is called on the network `spec`.

    Raises:
        NodeError: not one integer in 0..side - 1 for every side.
    """
    digits = checked_integers("coordinates", coordinates, NodeError)
    if len(digits) != len(sides):
        rule = f"must be {len(sides)}, one for each {axis_word} of {spec}"
        raise NodeError("coordinates", rule, digits)
    node = 0
    for k, (digit, side) in reversed(list(enumerate(zip(digits, sides, strict=True)))):
        if not 0 <= digit < side:
            rule = f"must be an integer in 0..{side - 1} on {axis_word} {k} of {spec}"
            raise NodeError(f"coordinates[{k}]", rule, digit)
        node = node * side + digit
    return node
