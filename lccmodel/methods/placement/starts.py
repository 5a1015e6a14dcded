"""Placements that are stated, for a search to start from: checked, and with a name each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.errors import InputError, checked_array
from lccmodel.methods.placement.effort import Budget

__all__ = ["Starts", "checked_start", "stated_starts"]

Starts = Callable[[Budget], Iterable[tuple[str, Any]]]
"""Named placements, made while there is time for it."""


def stated_starts(starts: Sequence[Any] | Mapping[str, Any], ranks: int, places: int) -> Starts:
    """Starts that were stated, as a function that gives them.

    Raises:
        InputError: as `checked_start`.
    """
    if not isinstance(starts, Mapping):
        starts = {f"a given start{f' ({k})' if k else ''}": s for k, s in enumerate(starts)}
    checked = [(name, checked_start(start, ranks, places)) for name, start in starts.items()]
    return lambda budget: checked


def checked_start(start: Any, ranks: int, places: int) -> Ints:
    """The node of every rank, int64.

    Raises:
        InputError: not a different node for every rank.
    """
    array = checked_array("starts", start)
    if (
        array.shape != (ranks,)
        or len(np.unique(array)) != ranks
        or array.min() < 0
        or array.max() >= places
    ):
        rule = f"must be {ranks} different nodes in 0..{places - 1}, one a rank"
        raise InputError("starts", rule, start)
    return array
