"""Weights of communications, exact, and the three objectives that they enter [hou, Section 5].

The degrees T_i(A_r) of the members r, by dimensions i, times the weights w_r:

                    r = 0, w = 1     r = 1, w = 2     max-max   max-sum   sum-sum
    T_0, T_1           1, 4             2, 1             4      max(5, 6)   11

A weight is an integer, a fraction or a float, which means its shortest decimal: 0.1 is 1/10.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from lccmodel.errors import InputError
from lccmodel.ground.numbers import Number, as_fraction, as_number
from lccmodel.ground.words import SET_OBJECTIVES as SET_OBJECTIVES
from lccmodel.ground.words import SetObjective as SetObjective


def objective_value(
    per_dimension: Sequence[Sequence[int]], weights: Sequence[Number], objective: SetObjective
) -> Number:
    """The objective for loads T_i(A_r), one sequence a member.

    >>> objective_value([(1, 2), (4, 0)], [1, 1], "max-sum")
    5
    """
    scale, integers = exact_weights(weights, len(per_dimension))
    weighted = [[w * t for t in loads] for w, loads in zip(integers, per_dimension, strict=True)]
    if objective == "max-max":
        value = max((load for loads in weighted for load in loads), default=0)
    else:
        together = map(sum, zip(*weighted, strict=True))
        value = max(together, default=0) if objective == "max-sum" else sum(together)
    return value if scale == 1 else as_number(Fraction(value, scale))


def exact_weights(weights: Sequence[Number], members: int) -> tuple[int, tuple[int, ...]]:
    """A scale s and integers w_r s for the weights w_r; a float means its shortest decimal.

    Raises:
        InputError: not one positive finite number a member.

    >>> exact_weights([1, 0.5, Fraction(1, 3)], 3)
    (6, (6, 3, 2))
    """
    if len(weights) != members:
        raise InputError("weights", f"must be {members} numbers, one a communication", weights)
    if all(type(weight) is int and weight > 0 for weight in weights):
        return 1, tuple(map(int, weights))
    fractions = [positive_fraction(weight) for weight in weights]
    scale = lcm(*(fraction.denominator for fraction in fractions))
    return scale, tuple(int(fraction * scale) for fraction in fractions)


def plain_weights(weights: Iterable[Number]) -> tuple[Number, ...]:
    """The weights with numpy's numbers as Python's of the same decimal.

    Raises:
        InputError: not an iterable, such as a single number.

    >>> plain_weights(np.array([2, 0.1], dtype=np.float32))
    (2.0, 0.1)
    """
    try:
        listed = tuple(weights)
    except TypeError:
        raise InputError("weights", "must be numbers, one a communication", weights) from None
    return tuple(_plain_weight(weight) for weight in listed)


def _plain_weight(weight: Number) -> Number:
    if isinstance(weight, np.floating):
        return float(str(weight))  # a float32 of 0.1 means 0.1
    plain: Number = weight.item() if isinstance(weight, np.generic) else weight
    return plain


def positive_fraction(weight: Number) -> Fraction:
    """A weight, exactly; a float means its shortest decimal.

    Raises:
        InputError: not a positive finite number.

    >>> positive_fraction(0.25)
    Fraction(1, 4)
    """
    fraction = Fraction(0)
    if not isinstance(weight, (str, bytes)):
        with contextlib.suppress(ValueError, TypeError, OverflowError):
            fraction = as_fraction(weight)
    if fraction <= 0:
        raise InputError("weights", "must be positive finite numbers", weight)
    return fraction
