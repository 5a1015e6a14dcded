"""Permutations of the nodes as the routing methods take them: an `LCC`, or 2^n destinations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.errors import (
    CommunicationError,
    InputError,
    NotLinearComplement,
    SizeLimitError,
    checked_integers,
)
from lccmodel.ground.arrays import Ints

Permutation = LCC | Sequence[int] | npt.NDArray[Any]

MAX_SIMULATED = 24
"""Address bits up to which every node is simulated: 2^24 nodes."""


def destinations_of(communication: Permutation, least: int = 0) -> Ints:
    """The destination of the message of every node, int64 of shape (2^n,).

    Args:
        communication: an LCC, or 2^n destinations.
        least: the fewest address bits that will do, 0 or 1.

    Raises:
        CommunicationError: not a permutation of 0..2^n - 1, or a single node where `least` is 1.
        SizeLimitError: more than 2^24 nodes.

    >>> destinations_of(LCC([[0, 1], [1, 0]])).tolist()
    [0, 2, 1, 3]
    >>> destinations_of([0, 1, 2])
    Traceback (most recent call last):
    ...
    lccmodel.errors.CommunicationError: communication: must have 2^n destinations; got 3
    """
    if isinstance(communication, LCC):
        _check_kind(communication)
        _check_size(communication.n)
        return communication.destination(np.arange(communication.size)).astype(np.int64)
    try:
        destinations = np.asarray(communication)
    except ValueError:
        destinations = np.empty((0, 0))
    if destinations.ndim != 1 or (destinations.dtype.kind not in "iu" and destinations.size):
        rule = "must be an LCC, or a sequence of 2^n destinations"
        raise CommunicationError("communication", rule, communication)
    if destinations.size.bit_count() != 1:
        raise CommunicationError("communication", "must have 2^n destinations", destinations.size)
    n = destinations.size.bit_length() - 1
    _check_size(n)
    _check_each_once(destinations)
    if n < least:
        raise CommunicationError("communication", "must have at least two nodes", [0])
    return destinations.astype(np.int64)


def _check_kind(communication: LCC) -> None:
    if communication.kind != "permutation":
        rule = "must be a permutation: every node receives one message, so A is nonsingular"
        raise CommunicationError("communication", rule, communication)


def _check_size(n: int) -> None:
    if n > MAX_SIMULATED:
        raise SizeLimitError(
            "communication", f"every node is simulated, so n <= {MAX_SIMULATED}", n
        )


def _check_each_once(destinations: npt.NDArray[Any]) -> None:
    size = destinations.size
    outside = (destinations < 0) | (destinations >= size)
    if outside.any():
        rule = f"a permutation of {size} nodes has destinations in 0..{size - 1}"
        raise CommunicationError("communication", rule, int(destinations[outside.argmax()]))
    received = np.bincount(destinations, minlength=size)
    if received.max() > 1:
        many = f"node {received.argmax()} receives {received.max()} messages"
        rule = f"a permutation sends to every node once, but {many}"
        raise CommunicationError("communication", rule, destinations.tolist())


def linear_complement_of(communication: Permutation, advice: str = "") -> LCC:
    """The communication as an LCC, for the methods that need y = Ax + b with A nonsingular.

    Args:
        communication: an LCC, or 2^n destinations.
        advice: what would work otherwise; ends the rule of the error.

    Raises:
        CommunicationError: not a permutation.
        NotLinearComplement: a permutation that is not of that form; it carries the witness.

    >>> linear_complement_of([0, 2, 1, 3]).A.rows
    (2, 1)
    """
    from lccmodel.communication.recognition import recognise

    if isinstance(communication, LCC):
        _check_kind(communication)
        return communication
    try:
        return recognise(destinations_of(communication, least=1).tolist())
    except NotLinearComplement as error:
        rule = f"{error.rule}{'; ' + advice if advice else ''}"
        raise NotLinearComplement("communication", rule, error.value, error.witness) from None


def linear_of(communication: Permutation) -> LCC | None:
    """The communication as an LCC, or None where it is not y = Ax + b with A nonsingular.

    >>> linear_of([0, 1, 2, 4, 3, 7, 5, 6]) is None
    True
    """
    try:
        return linear_complement_of(communication)
    except CommunicationError:
        return None


def checked_order(
    order: Sequence[int], n: int, complete: bool = True, argument: str = "order"
) -> tuple[int, ...]:
    """The order of correcting bits as a tuple.

    Raises:
        InputError: a bit is named twice or is not in 0..n-1; with `complete`, one is missing.

    >>> checked_order([1, 0, 2], 3)
    (1, 0, 2)
    """
    bits = checked_integers(argument, order)
    if complete and sorted(bits) != list(range(n)):
        raise InputError(argument, f"must name each of the bits 0..{n - 1} once", list(bits))
    if len(set(bits)) != len(bits) or not all(0 <= bit < n for bit in bits):
        raise InputError(argument, f"must be distinct bits of 0..{n - 1}", list(bits))
    return bits
