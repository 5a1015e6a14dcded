"""Many permutations at once, and how many of all permutations each reading routes.

    route_all(permutations, mode=...)     how the routing of each one ends
    routed_counts(3)                      of all 40320 permutations of 8 nodes, per reading
    linear_complement_permutations(4)     all 322,560 of them, as destinations

Renaming every bit i to n-1-i turns the LSB variant into the MSB variant and maps the set of all
permutations to itself, so both route equally many; `routed_counts` counts the variant that it is
asked for, and does not assume that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations as arrangements
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import CommunicationError, SizeLimitError, checked_array, checked_integer
from lccmodel.gf2.enumeration import general_linear_order, nonsingular_indices, unpack
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.permutations.self_routing.readings import (
    DELIVERED,
    MODES,
    READINGS,
    Rules,
)

_MAX_ALL = 3
_MAX_LINEAR = 4


@typed_arguments
def route_all(
    permutations: npt.ArrayLike, mode: str = "simd", **rules: Any
) -> npt.NDArray[np.int8]:
    """How the routing of each permutation ends.

    Args:
        permutations: destinations, integers of shape (m, 2^n).
        mode, rules: as for `Rules`.

    Returns: int8 of shape (m,), indices into `ENDINGS`; 0 is delivered.

    Raises:
        CommunicationError: not of that shape, or a row is not a permutation.
        InputError: an unknown mode or rule.

    >>> route_all([[0, 1, 2, 3], [3, 0, 1, 2]]).tolist()
    [0, 0]
    """
    from lccmodel.permutations.self_routing import kernels

    checked = Rules(mode, **rules)
    tags = _checked(permutations)
    n = tags.shape[1].bit_length() - 1
    ends = np.empty(len(tags), dtype=np.int8)
    kernels.route_many(tags, checked.codes(n), checked.starts(n), checked.steps_for(n), ends)
    return ends


@typed_arguments
def count_routed(permutations: npt.ArrayLike, mode: str = "simd", **rules: Any) -> int:
    """Return how many of the permutations are delivered; arguments and errors as for `route_all`.

    >>> count_routed(all_permutations(2))
    24
    """
    return int((route_all(permutations, mode, **rules) == DELIVERED).sum())


@dataclass(frozen=True, slots=True)
class RoutedCount:
    """Of the `total` permutations of 2^n nodes, `routed` are delivered by these rules.

    >>> from lccmodel.permutations.self_routing import routed_counts
    >>> counts = routed_counts(2, modes=["simd"])[0]
    >>> counts.routed, counts.total
    (24, 24)
    """

    rules: Rules
    n: int
    routed: int
    total: int

    @property
    def steps(self) -> int:
        """The most steps that were allowed."""
        return self.rules.steps_for(self.n)

    def __str__(self) -> str:
        rules = self.rules
        options = f"{rules.third:8} {rules.receive:4}" if rules.mode == "mimd" else " " * 13
        name = f"{rules.mode:7} {rules.reading:10} {options} {self.steps}"
        return f"{name} {self.routed:6} of {self.total}"


@typed_arguments
def routed_counts(n: int, variant: str = "lsb", modes: Sequence[str] = MODES) -> list[RoutedCount]:
    """Return how many of all (2^n)! permutations each reading routes.

    Args:
        n: at most 3: there are 16! permutations for n = 4.
        variant: "lsb" or "msb".
        modes: those to be counted.

    Returns: every reading of every mode; in MIMD mode with a third tag kept or refused, with any
    number of tags received in a step or one, and with n and n + 1 steps.

    Raises:
        SizeLimitError: n > 3.
        InputError: n < 0, or an unknown variant or mode.

    >>> print(routed_counts(2, modes=["simd"])[0])
    simd    agree                    2     24 of 24
    """
    everything = all_permutations(n)
    counted = []
    for mode in modes:
        Rules(mode, variant)  # refuses unknown names
        for reading in READINGS[mode]:
            for options in _open_options(mode, n):
                rules = Rules(mode, variant, reading, **options)
                routed = count_routed(everything, mode, variant=variant, reading=reading, **options)
                counted.append(RoutedCount(rules, n, routed, len(everything)))
    return counted


def _open_options(mode: str, n: int) -> list[dict[str, Any]]:
    if mode != "mimd":
        return [{}]
    names = ("third", "receive", "steps")
    values = product(("kept", "refused"), ("any", "one"), (n, n + 1))
    return [dict(zip(names, chosen, strict=True)) for chosen in values]


# -- sets of permutations -----------------------------------------------------------------------


@typed_arguments
def all_permutations(n: int) -> Ints:
    """Return all permutations of 2^n nodes in lexicographic order, int64 of shape ((2^n)!, 2^n).

    Raises:
        SizeLimitError: n > 3.
        InputError: n < 0.

    >>> all_permutations(1).tolist()
    [[0, 1], [1, 0]]
    """
    _check_size(n, _MAX_ALL, f"{math.factorial(16):,} permutations for n = 4; take a sample")
    size = 1 << n
    flat = np.fromiter(
        (node for row in arrangements(range(size)) for node in row),
        dtype=np.int64,
        count=size * math.factorial(size),
    )
    return flat.reshape(-1, size)


@typed_arguments
def linear_complement_permutations(n: int) -> Ints:
    """Return all y = Ax + b with nonsingular A: int64 of shape (2^n |GL(n, 2)|, 2^n), by A, then b.

    Raises:
        SizeLimitError: n > 4.
        InputError: n < 1.

    >>> linear_complement_permutations(1).tolist()
    [[0, 1], [1, 0]]
    >>> len(linear_complement_permutations(3))
    1344
    """
    _check_size(n, _MAX_LINEAR, f"{general_linear_order(5) << 5:,} for n = 5; take a sample")
    rows = unpack(nonsingular_indices(n), n).astype(np.int64)
    x = np.arange(1 << n)
    linear = np.zeros((len(rows), 1 << n), dtype=np.int64)
    for i in range(n):
        parity = np.bitwise_count(rows[:, i, np.newaxis] & x) & 1
        linear |= parity.astype(np.int64) << i
    return (linear[:, np.newaxis, :] ^ x[np.newaxis, :, np.newaxis]).reshape(-1, 1 << n)


def _check_size(n: int, most: int, there_are: str) -> None:
    if checked_integer("n", n) > most:
        raise SizeLimitError("n", f"must be at most {most}: there are {there_are}", n)
    if n < 0:
        raise SizeLimitError("n", "must not be negative", n)


def _checked(permutations: npt.ArrayLike) -> Ints:
    from lccmodel.permutations.self_routing import kernels

    rule = "must be integers of shape (m, 2^n), a permutation in every row"
    tags = checked_array("permutations", permutations, rule, CommunicationError)
    if tags.ndim != 2 or tags.shape[1].bit_count() != 1:
        raise CommunicationError("permutations", rule, permutations)
    tags = np.ascontiguousarray(tags)
    row = kernels.first_no_permutation(tags)
    if row >= 0:
        rule = f"row {row} must be a permutation of 0..{tags.shape[1] - 1}"
        raise CommunicationError("permutations", rule, tags[row].tolist())
    return tags
