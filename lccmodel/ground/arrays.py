"""Types of arrays; and which processor every rank runs on, as one: checked, and turned around.

Entry v of `to_physical` is the processor of rank v, and entry p of `to_virtual` the rank that runs
on processor p. Every process of a run reads this module, which loads nothing but numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, checked_array

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint32]
"""Nodes or rows, a bit for each dimension; unsigned, for speed."""
LongWords = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]
Weights = Ints | None
"""What messages carry; None where each carries 1."""

N = TypeVar("N", bound=np.generic)

Processors = Sequence[int] | npt.NDArray[Any]


def inverse_mapping(mapping: Processors, argument: str = "to_physical") -> npt.NDArray[np.int64]:
    """to_virtual from to_physical, or the other way round; int64, shape (N,).

    Raises:
        InputError: not a permutation of 0..N-1, N >= 1.

    >>> inverse_mapping([1, 2, 0])
    array([2, 0, 1])
    """
    permutation = checked_mapping(mapping, argument)
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(len(permutation))
    return inverse


def checked_mapping(mapping: Processors, argument: str = "to_physical") -> npt.NDArray[np.int64]:
    """The mapping as an int64 array of shape (N,).

    Raises:
        InputError: not a permutation of 0..N-1, N >= 1.
    """
    rule = "must be a permutation of 0..N-1 as a one-dimensional integer array, N >= 1"
    array = checked_array(argument, mapping, rule)
    if array.ndim != 1 or not array.size:
        raise InputError(argument, rule, mapping)
    if not np.array_equal(np.sort(array), np.arange(len(array))):
        raise InputError(argument, rule, mapping)
    return array


def read_only(array: npt.NDArray[N]) -> npt.NDArray[N]:
    """The array, which cannot be written to any more.

    >>> read_only(np.arange(3))[0] = 1
    Traceback (most recent call last):
    ...
    ValueError: assignment destination is read-only
    """
    array.flags.writeable = False
    return array


def freeze_arrays(value: Any) -> None:
    """Let no array among the fields of a dataclass be written to, nor what it is a view of."""
    for field in fields(value):
        array = getattr(value, field.name)
        while isinstance(array, np.ndarray):
            array = read_only(array).base
