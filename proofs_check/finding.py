"""What checking a case or a range of cases finds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Finding:
    """The truth of a claim on one case, with the numbers that show it.

    >>> bool(Finding(1 <= 2, T=1, bound=2)), Finding(True, T=1).details
    (True, {'T': 1})
    """

    def __init__(self, ok: object, **details: Any) -> None:
        self.ok = bool(ok)
        self.details = details

    def __bool__(self) -> bool:
        return self.ok


class Examined(NamedTuple):
    """What was found of a range: the cases examined and the least failing index, or None.

    The one shape from a claim's kernel to its record: of a range, of a shard, of all shards of a
    variant. Cases after a failing one need not be examined and are not counted. `seconds` of
    computing (waiting for other programs is not counted) and the exception that ended it, in one
    line, are known where shards are run.
    """

    cases: int
    failing: int | None = None
    seconds: float = 0.0
    problem: str | None = None

    @classmethod
    def of(
        cls, start: int, passed: npt.NDArray[Any], is_case: npt.NDArray[Any] | None = None
    ) -> Examined:
        """From an array over the range: did the case pass (and, does the index hold one).

        >>> Examined.of(10, np.array([True, True, False]))
        Examined(cases=3, failing=12, seconds=0.0, problem=None)
        >>> Examined.of(0, np.array([False, True]), np.array([False, True])).failing is None
        True
        """
        kept = np.ones(len(passed), dtype=bool) if is_case is None else is_case.astype(bool)
        failed = np.flatnonzero(kept & ~passed.astype(bool))
        if not failed.size:
            return cls(int(kept.sum()))
        return cls(int(kept[: failed[0] + 1].sum()), start + int(failed[0]))
