"""What the papers print, as data: [hou, Tables 1 and 2], the formulas of [calmant, appendix A.3].

A printed number, and a printed formula, is a fact of its paper and no function under test: the
library and the checker both read it here. What either computes beside it is its own, so a slip in
copying shows as an entry that neither the simulated worms nor the counted sums come to.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

Entries = Mapping[int, tuple[Decimal, ...]]


def _table(text: str) -> Entries:
    lines = (line.split() for line in text.strip().splitlines())
    return MappingProxyType({int(points): tuple(map(Decimal, rest)) for points, *rest in lines})


HOU_TABLE_1 = _table("""
    256    35.8 1398.6  248.9  276.9  248.4  258.1  258.6  299.7 178.8
   1024   163.5 1617.5  467.8  577.8  467.2  504.3  504.9  693.5 206.2
   4096   736.0 2493.0 1343.3 1781.7 1342.8 1489.3 1489.8 2225.7 315.6
  16384  3271.7 5995.1 4845.4 6597.0 4844.8 5429.1 5429.7 8354.3 753.4
""")
"""By the points of an FFT, µs: computation, neighbours, and the bit reversal by e-cube, Chiu, Min,
MIXab3, MIXbb3, P-cube, and after the mapping."""

HOU_TABLE_2 = _table("""
    256    35.8 1398.6  248.9  178.8 1.39  1683.3  1613.2 1.04
   1024   163.5 1617.5  467.8  206.2 2.27  2248.9  1987.2 1.13
   4096   736.0 2493.0 1343.3  315.6 4.26  4572.4  3544.7 1.29
  16384  3271.7 5995.1 4845.4  753.4 6.43 14112.2 10020.2 1.41
""")
"""Computation, neighbours, bit reversal before and after, speedup; execution before and after,
speedup."""

HOU_NCUBE2 = (Decimal(164), Decimal("0.57"), Decimal("5.12"), Decimal("4.47"))
"""[hou, section 6.2], µs of the nCUBE-2: latency, a byte, a butterfly, half a butterfly."""


def calmant_shallow(d: int, Q: int, c: int, even: bool) -> int:
    """18 P(d,Q) of T_shallow: "on a line" for c = 1, else "on a c-dimensional mesh".

    `even` is the case of f: ⌈Q/c⌉ even.

    >>> calmant_shallow(4, 2, 2, even=False) // 18, calmant_shallow(4, 3, 1, even=False) // 18
    (8, 34)
    """
    if c == 1:
        power = 1 << d - Q + 2
        return (3 * Q + 1) * (1 << d + 2) + (-power - 9 * Q if even else power - 9 * Q - 9)
    h, r, n = -(-Q // c), (Q - 1) % c, d // c
    if even:
        f = -(c + 3 * r) * (1 << n - h + 2) - 9 * c * h
    else:
        f = (2 * c - 3 * r) * (1 << n - h + 1) - 9 * c * (h + 1)
    return (c + 3 * c * h + 3 * r) * (1 << n + 2) + f


def calmant_deep(d: int, Q: int, c: int, even: bool) -> int:
    """18 P(d,Q) of T_deep; `even` is the case of f: d/c even.

    >>> calmant_deep(4, 4, 2, even=True) // 18, calmant_deep(3, 3, 1, even=False) // 18
    (12, 16)
    """
    if c == 1:
        f = 3 * d - 12 * Q - 4 if even else -3 * d - 6 * Q - 5
        return (3 * Q + 1) * (1 << d + 2) + f
    f = 3 * d - 12 * Q - 16 * c + 12 if even else -3 * d - 6 * Q - 11 * c + 6
    return (3 * Q + 4 * c - 3) * (1 << d // c + 2) + f
