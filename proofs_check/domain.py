"""Domains: what a claim is checked over, as numbered cases whose count is known beforehand.

A domain numbers its cases for every n from 0 to span(n) - 1 in lexicographic order, so a range of
indices is a shard and the least failing index is the smallest counterexample. An index may hold
no case (a singular matrix among the nonsingular ones); size(n) is the number that do, by a
formula, and the frame fails a run that has examined another number.

    domain                            span          size           n = 1, 2, 3, 4
    AllMatrices()                     2^(n²)        2^(n²)         2, 16, 512, 65536
    AllMatrices() * AllVectors()      2^(n²+n)      2^(n²+n)       4, 64, 4096, 1048576
    Nonsingular()                     2^(n²)        |GL(n,2)|      1, 6, 168, 20160
    AllOrders()                       n!            n!             1, 2, 6, 24

Matrices are ordered by their packed rows (row 0, row 1, ...) compared as tuples: row 0 stands in
the most significant digits of the index. A product is ordered by its left factor first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from lccmodel.gf2 import elimination
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.enumeration import Case, Domain, Enumerated, EveryN, Listed, Product

__all__ = [
    "PAIRS",
    "PERMUTATIONS",
    "AllMatrices",
    "AllOrders",
    "AllSubsets",
    "AllVectors",
    "Case",
    "Domain",
    "Enumerated",
    "EveryN",
    "Listed",
    "Nonsingular",
    "Product",
    "Singular",
    "general_linear_order",
    "matrix_code",
    "matrix_from_code",
]


class AllMatrices(Domain):
    """Every n by n matrix over GF(2).

    >>> AllMatrices().case(2, 6)
    (GF2Matrix([[1, 0], [0, 1]]),)
    """

    _kind = "matrices"

    def __init__(self, name: str = "A") -> None:
        self.names = (name,)
        self.text = f"all {self._kind} {name}"

    def span(self, n: int) -> int:
        return 1 << n * n

    def case(self, n: int, index: int) -> Case | None:
        rows = _rows(index, n)
        return (GF2Matrix.from_rows(rows, n),) if self._keeps(rows, n) else None

    def ranks_kept(self, n: int) -> tuple[int, int]:
        """The least and the largest rank of its matrices; it holds all of these ranks."""
        return 0, n

    def code_left_out(self, n: int) -> int:
        """The index of the one matrix of such a rank that it leaves out, or -1."""
        return -1

    def _keeps(self, rows: Sequence[int], n: int) -> bool:
        low, high = self.ranks_kept(n)
        return (low, high) == (0, n) or low <= elimination.rank(rows) <= high


class Nonsingular(AllMatrices):
    """Every nonsingular n by n matrix; their number is |GL(n,2)| = (2^n - 1)(2^n - 2)...

    >>> [Nonsingular().size(n) for n in (1, 2, 3, 4)]
    [1, 6, 168, 20160]
    """

    _kind = "nonsingular"

    def size(self, n: int) -> int:
        return general_linear_order(n)

    def ranks_kept(self, n: int) -> tuple[int, int]:
        return n, n


class Singular(AllMatrices):
    """Every singular n by n matrix.

    >>> [Singular().size(n) for n in (1, 2, 3, 4)]
    [1, 10, 344, 45376]
    """

    _kind = "singular"

    def size(self, n: int) -> int:
        return self.span(n) - general_linear_order(n)

    def ranks_kept(self, n: int) -> tuple[int, int]:
        return 0, n - 1


class AllVectors(Domain):
    """Every vector of n bits, ordered as packed ints.

    >>> AllVectors().case(3, 5)
    (GF2Vector([1, 0, 1]),)
    """

    def __init__(self, name: str = "b") -> None:
        self.names = (name,)
        self.text = f"all vectors {name}"

    def span(self, n: int) -> int:
        return 1 << n

    def case(self, n: int, index: int) -> Case | None:
        return (GF2Vector.from_int(index, n),)


class AllOrders(Domain):
    """Every order of `count(n)` things (default n) as a tuple, in lexicographic order.

    >>> AllOrders().case(3, 4)
    ((2, 0, 1),)
    >>> AllOrders("permutation", count=lambda n: 2**n).span(3)      # 8!
    40320
    """

    def __init__(self, name: str = "order", count: Callable[[int], int] = lambda n: n) -> None:
        self.names = (name,)
        self.text = f"all {name}s"
        self.count = count

    def code(self) -> tuple[object, ...]:
        return (type(self), self.count)

    def span(self, n: int) -> int:
        return math.factorial(self.count(n))

    def case(self, n: int, index: int) -> Case | None:
        left = list(range(self.count(n)))
        order = []
        while left:
            digit, index = divmod(index, math.factorial(len(left) - 1))
            order.append(left.pop(digit))
        return (tuple(order),)


class AllSubsets(Domain):
    """Every subset S of {0..n-1} as a tuple of its elements, ordered as packed ints.

    >>> AllSubsets().case(3, 5)
    ((0, 2),)
    """

    def __init__(self, name: str = "S") -> None:
        self.names = (name,)
        self.text = f"all subsets {name}"

    def span(self, n: int) -> int:
        return 1 << n

    def case(self, n: int, index: int) -> Case | None:
        return (tuple(k for k in range(n) if index >> k & 1),)


def general_linear_order(n: int) -> int:
    """|GL(n,2)|: the number of nonsingular n by n matrices over GF(2).

    >>> general_linear_order(5)
    9999360
    """
    return math.prod((1 << n) - (1 << i) for i in range(n))


def matrix_from_code(code: int, n: int) -> GF2Matrix:
    """The matrix of an index of `AllMatrices`: row i is the i-th digit to the base 2^n.

    >>> matrix_from_code(0b01_11, 2)
    GF2Matrix([[1, 0], [1, 1]])
    """
    return GF2Matrix.from_rows(_rows(code, n), n)


def matrix_code(A: GF2Matrix) -> int:
    """The index of a square matrix in `AllMatrices`.

    >>> matrix_code(GF2Matrix([[1, 0], [1, 1]]))
    7
    """
    code = 0
    for row in A.rows:
        code = code << A.n_columns | row
    return code


def _rows(code: int, n: int) -> tuple[int, ...]:
    mask = (1 << n) - 1
    return tuple(code >> n * (n - 1 - i) & mask for i in range(n))


PAIRS = AllMatrices("A") * AllVectors("b")
"""All pairs (A, b): the communications y = Ax + b; 2^(n²+n) of them."""

PERMUTATIONS = Nonsingular("A") * AllVectors("b")
"""All pairs with nonsingular A: the linear-complement permutations."""
