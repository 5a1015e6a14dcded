"""What max-sum says of communications that run together: a bound, not the load itself.

The objective adds, dimension by dimension, the loads of each member's busiest channel. These need
not be the same channel, so the busiest channel of all messages together may carry less.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claim import Amended, Control, Finding, Sizes, claim
from proofs_check.domain import Enumerated
from proofs_check.walk import route, walked_contention

_DRAWN = 1000


def _pairs(n: int) -> Iterator[tuple[GF2Matrix, int, GF2Matrix, int]]:
    draw = random.Random(n)

    def matrix() -> GF2Matrix:
        return GF2Matrix.from_rows([draw.randrange(1 << n) for _ in range(n)], n)

    for _ in range(_DRAWN):
        yield matrix(), draw.randrange(1 << n), matrix(), draw.randrange(1 << n)


@claim(
    "lattice.joint",
    place="The objective max-sum",
    says="two communications that run together put as many messages on the busiest channel as the "
    "objective max-sum says, max_i (T_i(A1, b1) + T_i(A2, b2))",
    latex=r"\max_c\, (\lambda_1(c) + \lambda_2(c)) = \max_i\, (T_i(A_1,b_1) + T_i(A_2,b_2))",
    over=Enumerated(
        _pairs,
        size=lambda n: _DRAWN,
        names="A1, b1, A2, b2",
        text=f"{_DRAWN} random pairs of communications",
    ),
    evidence="all messages of both walked, every channel counted",
    control=Control("at most one less", allowance=1),
    amended=Amended(
        "the objective max-sum bounds the load of the busiest channel, which may be less: the "
        "members' busiest channels of a dimension need not be the same",
        latex=r"\max_c\, (\lambda_1(c) + \lambda_2(c)) \le \max_i\, (T_i(A_1,b_1) + T_i(A_2,b_2))",
        control=Control("the bound is one less where both degrees are 2^(n-1)", less=1),
        bound=True,
    ),
    sizes=Sizes(most=3, limit=5),
)
def joint_load(
    A1: GF2Matrix,
    b1: int,
    A2: GF2Matrix,
    b2: int,
    *,
    bound: bool = False,
    allowance: int = 0,
    less: int = 0,
) -> Finding:
    """[hou, section 4.3] calls max-sum the cost of members that run at the same time."""
    n = A1.n_columns
    used: Counter[tuple[int, int]] = Counter()
    for A, b in ((A1, b1), (A2, b2)):
        for x in range(1 << n):
            used.update(pairwise(route(x, A.apply(x) ^ b, range(n))))
    first, second = walked_contention(A1, b1), walked_contention(A2, b2)
    stated = max(i + j for i, j in zip(first, second, strict=True))
    if max(first) == max(second) == 1 << n - 1:
        stated -= less
    joint = max(used.values(), default=0)
    ok = joint <= stated if bound else stated - allowance <= joint <= stated - allowance
    return Finding(ok, joint=joint, max_sum=stated, T=[first, second])
