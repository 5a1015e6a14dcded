"""Exact numbers: fractions that are integers where they can be, and words for sentences.

A float means its shortest decimal: 0.1 is 1/10.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

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
