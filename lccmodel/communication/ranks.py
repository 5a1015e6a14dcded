"""Ranks: pairs of them as they are given, and how many there are once all are known to be valid.

A rank is an int64 in 0..ranks - 1. Whoever counts from one is told so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lccmodel.communication.lcc import NodeArray
from lccmodel.errors import CommunicationError, NodeError, SizeLimitError, checked_integer

MAX_RANKS = 1 << 63
"""A rank is an int64."""


def checked_pairs(messages: Any) -> NodeArray:
    """Source and destination of every message, a new int64 array of shape (m, 2).

    Raises:
        CommunicationError: of another shape or type.
        SizeLimitError: a rank of 2^63 or more.
    """
    rule = "must be integers of shape (m, 2): source and destination"
    pairs = checked_ranks("messages", messages, rule)
    if pairs.size == 0:
        return np.empty((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise CommunicationError("messages", rule, pairs.shape)
    return pairs


def checked_ranks(argument: str, values: Any, rule: str) -> NodeArray:
    """A new contiguous int64 array of the same integers.

    Raises:
        CommunicationError: not integers; the error names the argument and states the rule.
        SizeLimitError: an integer of 2^63 or more.
    """
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):  # ragged
        raise CommunicationError(argument, rule, values) from None
    if not array.size:
        return np.zeros(array.shape, np.int64)
    if array.dtype.kind not in "iu":
        raise CommunicationError(argument, rule, values)
    if array.dtype.kind == "u" and int(array.max()) >= MAX_RANKS:
        raise SizeLimitError(argument, "a rank must be below 2^63", int(array.max()))
    return np.array(array, np.int64, order="C")


def rank_count(pairs: NodeArray, ranks: int | None, what: str = "rank") -> int:
    """The number of ranks, once every rank of the messages is known to be among them.

    Raises:
        CommunicationError: the number stated is not an integer of at least 1.
        NodeError: a rank is negative, or not below the number stated.

    >>> rank_count(checked_pairs([(0, 1), (5, 2)]), None)
    6
    """
    count = None
    if ranks is not None:
        count = checked_integer(f"{what}s", ranks, CommunicationError, least=1)
    if not len(pairs):
        return 1 if count is None else count
    least, largest = int(pairs.min()), int(pairs.max())
    if least < 0:
        row = int((pairs < 0).any(axis=1).argmax())
        raise NodeError(what, f"must not be negative (message {row})", least)
    if count is not None and largest >= count:
        row = int((pairs >= count).any(axis=1).argmax())
        rule = f"must be in 0..{count - 1} (message {row})"
        if largest == count and least == 1:
            rule = (
                f"must be in 0..{count - 1}; {what}s 1..{largest} look numbered from one: "
                "subtract 1 from each"
            )
        raise NodeError(what, rule, int(pairs[row].max()))
    return largest + 1 if count is None else count
