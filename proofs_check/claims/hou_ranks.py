"""What the degree of contention depends on: [hou], the sentences after Theorems 1 and 7.

Both say that it is "determined only by the ranks of sub-matrices of the binary matrix A". The
theorems themselves ask for one thing more: whether any message changes the bit, which b decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Flags
from proofs_check.census import Census, census_claim, walked_degrees
from proofs_check.claim import Amended, Control, Sizes
from proofs_check.domain import PAIRS
from proofs_check.orders import ecube_paths
from proofs_check.walk import walked_contention

_WORDS = (
    "the degree of channel contention is determined only by the ranks of sub-matrices of the "
    "binary matrix A"
)


def _from_ranks(census: Census, blind: int, b_too: bool) -> Flags:
    """max 2^(i - rank) over the bits that some message changes (`b_too`: only those)."""
    n = census.n
    low = [(1 << i) - 1 for i in range(n)]
    high = [((1 << i + 1) - 1) & ~blind for i in range(n)]
    loads = 1 << np.arange(n) - census.rank(high, low)
    counted = np.where(census.still, 0, loads) if b_too else loads
    return np.asarray(counted[:, blind:].max(axis=1, initial=0))


def _declare(number: int, place: str, blind: int) -> None:
    where = "on the Origin 2000 " if blind else ""

    def check(census: Census, *, b_too: bool = False, less: int = 0) -> Flags:
        degrees = walked_degrees(census.n, blind=blind)
        if b_too:
            stated = _from_ranks(census, blind, less == 0)
            return np.asarray(degrees[census.index] == stated)
        return np.asarray(degrees[census.index] == degrees[census.index - census.b] - less)

    claim = census_claim(
        f"hou.thm{number}.ranks",
        place=place,
        says=f"{where}T(A, b) is determined only by the ranks of sub-matrices of A: it is that of "
        "(A, 0) for every b",
        printed=_WORDS,
        latex=r"T(A, b) = T(A, 0)",
        over=PAIRS,
        evidence="messages walked and counted for every pair",
        control=Control("it is one less than that of (A, 0)", less=1),
        amended=Amended(
            f"{where}T(A, b) is determined by these ranks and by which bits some message changes: "
            "it is the largest 2^(i - rank) of those bits",
            control=Control("whether a message changes the bit or not", b_too=True, less=1),
            b_too=True,
        ),
        sizes=Sizes(limit=4),
    )(check)
    claim.explain(_shown(blind))


def _shown(blind: int) -> Callable[..., Mapping[str, Any]]:
    def shown(A: GF2Matrix, b: GF2Vector, **_: Any) -> Mapping[str, Any]:
        loads = [walked_contention(A, word, blind=blind)[blind:] for word in (int(b), 0)]
        return {
            "T(A, b)": max(loads[0], default=0),
            "T(A, 0)": max(loads[1], default=0),
            "paths": ecube_paths(A, int(b)),
        }

    return shown


_declare(1, "Section 4, after Theorem 1", 0)
_declare(7, "Section 7.2, after Theorem 7", 1)
