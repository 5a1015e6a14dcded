"""Exact numbers: fractions that are integers where they can be, words for sentences, volumes.

A float means its shortest decimal: 0.1 is 1/10. To add volumes of messages up without rounding they
are counted in their common unit, the largest fraction of which all are integer multiples:

    0.5, 0.75, 2     ->     2, 3, 8 units of 1/4
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import CommunicationError

_LONG = 1000
"""Denominators above make a fraction long to read."""

_DIGITS = 10
_MOST_SHOWN = 16
"""Decimals of a long fraction that are written, and most digits in all."""

_MOST_DIGITS = 1 << 53
"""Below it an integral float is the number that its decimal says."""


def as_number(value: Fraction) -> int | Fraction:
    """A fraction as an int where it is one.

    >>> as_number(Fraction(4, 2)), as_number(Fraction(1, 2))
    (2, Fraction(1, 2))
    """
    return int(value) if value.denominator == 1 else value


def number_text(value: int | float | Fraction) -> str:
    """A number in a sentence: digits in groups of three, fractions as they are.

    Long fractions are decimals: of powers of ten, as sums of measured volumes are, with all digits
    if these are few, else about.

    >>> number_text(12_800_000), number_text(Fraction(4, 2)), number_text(Fraction(1, 3))
    ('12,800,000', '2', '1/3')
    >>> number_text(Fraction(12345678, 10**4)), number_text(Fraction(5, 3000))
    ('1,234.5678', '1/600')
    >>> number_text(Fraction(1359007502446757, 15 * 10**9)), number_text(Fraction(1, 98765))
    ('≈ 90,600.5', '≈ 1.0125e-05')
    """
    if value == int(value):
        return f"{int(value):,}"
    if not isinstance(value, Fraction) or value.denominator <= _LONG:
        return str(value)
    scaled_up = value * 10**_DIGITS
    if scaled_up.denominator > 1 or abs(scaled_up) >= 10**_MOST_SHOWN:
        real = float(value)
        return f"≈ {real:,.1f}" if 1000 <= abs(real) < _MOST_DIGITS else f"≈ {real:.6g}"
    whole, rest = divmod(abs(int(scaled_up)), 10**_DIGITS)
    return f"{'-' if value < 0 else ''}{whole:,}.{rest:0{_DIGITS}}".rstrip("0")


def as_fraction(value: Any) -> Fraction:
    """A number as a fraction; a float means its shortest decimal.

    >>> as_fraction(0.1), as_fraction(np.float64(0.1)), as_fraction(np.float32(0.1))
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 10))
    """
    if isinstance(value, float) and abs(value) < _MOST_DIGITS and value == int(value):
        return Fraction(int(value))
    if isinstance(value, (float, np.floating)):
        return Fraction(str(value))
    return Fraction(int(value) if isinstance(value, np.integer) else value)  # numpy's overflow


# -- volumes: how much messages carry ------------------------------------------------------------

Number = int | float | Fraction
"""A weight or a volume; a float means its shortest decimal."""

Volumes = npt.NDArray[np.int64] | npt.NDArray[np.float64]
UnitVolumes = tuple[npt.NDArray[np.int64], Fraction]
"""Integers and their unit: volumes = integers * unit."""

MAX_UNITS = 1 << 61
"""Volumes are counted exactly while they add up to less, in their common unit."""


def checked_volumes(volumes: Any, messages: int) -> Volumes:
    """What every message carries, 1 if nothing is said: int64 if all are integers, else float64.

    Integers that add up to 2^61 or more are float64, too: exact up to 2^53 each. A float32 or
    float16 becomes the float64 of its shortest decimal.

    Raises:
        CommunicationError: not one finite non-negative number a message.

    >>> checked_volumes([4.0, 1], 2)
    array([4, 1])
    """
    if volumes is None:
        return np.ones(messages, np.int64)
    try:
        array = np.asarray(volumes)
        if array.dtype.kind not in "iuf":
            if array.dtype.kind != "O" or any(isinstance(v, (str, bool)) for v in array.flat):
                raise TypeError
            array = array.astype(np.float64)
        if isinstance(volumes, (list, tuple)) and any(map(_is_narrow, volumes)):
            array = np.array([float(str(v)) if _is_narrow(v) else v for v in volumes], np.float64)
    except (TypeError, ValueError, OverflowError):
        raise CommunicationError("volumes", "must be numbers", volumes) from None
    if array.dtype.kind == "f" and array.dtype.itemsize < 8:
        distinct, places = np.unique(array, return_inverse=True)
        array = np.array([float(str(v)) for v in distinct])[places].reshape(array.shape)
    if array.shape != (messages,):
        raise CommunicationError("volumes", f"must be {messages} numbers", array.shape)
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        row = int(bad.argmax())
        rule = f"must be finite and not negative (message {row})"
        raise CommunicationError("volumes", rule, array[row].item())
    if array.dtype.kind == "f" and not (array < MAX_UNITS).all():
        return array.astype(np.float64)
    integers = array.astype(np.int64)
    if not (integers == array).all():
        return array.astype(np.float64)
    many = int(integers.max(initial=0)) * max(1, len(integers)) >= MAX_UNITS
    return array.astype(np.float64) if many and sum(integers.tolist()) >= MAX_UNITS else integers


def _is_narrow(volume: Any) -> bool:
    """Whether a number is a float32 or float16, whose decimal is not that of its float64."""
    return isinstance(volume, (np.float32, np.float16))


def fractions_of(volumes: Any, floats: Volumes) -> npt.NDArray[np.object_] | None:
    """Return the volumes as Fractions if some of them differ from the decimals of `floats`.

    >>> fractions_of([Fraction(1, 3), 2], np.array([1 / 3, 2])).tolist()
    [Fraction(1, 3), Fraction(2, 1)]
    >>> fractions_of([Fraction(1, 2), 0.1], np.array([0.5, 0.1])) is None
    True
    """
    if floats.dtype.kind != "f" or (isinstance(volumes, np.ndarray) and volumes.dtype.kind != "O"):
        return None
    listed = np.asarray(volumes, dtype=object)
    if not any(map(_is_long, listed)):
        return None
    exact = [as_fraction(volume) for volume in listed]
    if all(
        as_fraction(value) == volume for value, volume in zip(floats.tolist(), exact, strict=True)
    ):
        return None
    fractions = np.empty(len(exact), dtype=object)
    fractions[:] = exact
    return fractions


def _is_long(volume: Any) -> bool:
    """Whether a float may not be this number: a Fraction, or an integer of 2^53 or more."""
    small = isinstance(volume, (int, np.integer)) and abs(int(volume)) < _MOST_DIGITS
    return isinstance(volume, Rational) and not small


def in_common_unit(volumes: Volumes) -> UnitVolumes | None:
    """Integers and their unit, or None if they add up to 2^61 or more in it."""
    distinct, places = np.unique(volumes, return_inverse=True)
    values = [as_fraction(volume) for volume in distinct.tolist()]
    unit = common_unit(values)
    top, bottom = unit.numerator, unit.denominator
    integers = [value.numerator // top * (bottom // value.denominator) for value in values]
    counts = np.bincount(places.ravel(), minlength=len(values)).tolist()
    if sum(k * many for k, many in zip(integers, counts, strict=True)) >= MAX_UNITS:
        return None
    return np.array(integers, np.int64)[places.ravel()], unit


def in_unit(volumes: Volumes, unit: Fraction) -> npt.NDArray[np.int64]:
    """The nearest multiples of a unit; what is above 0 stays so.

    >>> in_unit(np.array([0.0, 0.001, 0.26, 3.0]), Fraction(1, 10)).tolist()
    [0, 1, 3, 30]
    """
    distinct, places = np.unique(volumes, return_inverse=True)
    parts = [as_fraction(volume) / unit for volume in distinct.tolist()]
    rounded = [max(round(part), 1) if part else 0 for part in parts]
    return np.array(rounded, np.int64)[places.ravel()]


def in_rounded_unit(volumes: Volumes) -> UnitVolumes:
    """Integers and their unit, 2^-58 of a power of two that bounds the sum of the volumes."""
    top = float(volumes.max()) * len(volumes)
    unit = Fraction(2) ** (math.frexp(top)[1] - 58)
    floats = (float(volume) for volume in volumes.tolist())
    integers = [int(as_fraction(volume) / unit + Fraction(1, 2)) for volume in floats]
    return np.array(integers, np.int64), unit


def common_unit(values: Sequence[Fraction]) -> Fraction:
    """The largest fraction of which all values are integer multiples; 1 if all are 0.

    >>> common_unit([Fraction(1, 2), Fraction(2, 3)])
    Fraction(1, 6)
    """
    top = math.gcd(*(value.numerator for value in values))
    bottom = math.lcm(*(value.denominator for value in values))
    return Fraction(top, bottom) if top else Fraction(1)


def exact_sum(volumes: Volumes) -> int | Fraction:
    """The sum of all volumes.

    >>> exact_sum(np.array([0.1, 0.2]))
    Fraction(3, 10)
    """
    if volumes.dtype.kind == "i":
        return int(volumes.sum(dtype=np.int64))
    return as_number(sum((as_fraction(volume) for volume in volumes.tolist()), Fraction(0)))


def scaled(volumes: npt.NDArray[Any], factor: Any) -> npt.NDArray[Any]:
    """All volumes times an exact factor, integers if all products are.

    >>> scaled(np.array([0.1, 0.5]), 10)
    array([1, 5])
    """
    exact = as_fraction(factor)
    products = [as_fraction(volume) * exact for volume in volumes.tolist()]
    whole = all(product.denominator == 1 and product < MAX_UNITS for product in products)
    if whole:
        return np.array(products, np.int64)
    floats = np.array(products, np.float64)
    fractions = fractions_of(products, floats) if volumes.dtype.kind == "O" else None
    return floats if fractions is None else fractions
