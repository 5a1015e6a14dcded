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

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from lccmodel.errors import InputError
from lccmodel.gf2 import elimination
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.version import value_text

Case = tuple[Any, ...]
"""The values of one case, in the order of the domain's `names`."""

_CACHED_SPAN = 1 << 12


class Domain(ABC):
    """Numbered cases for every n; `names` are what a case consists of, `text` says it in words.

    `dimensions` is None for a domain that exists for every n >= 1, else the n it is defined for.
    """

    names: tuple[str, ...]
    text: str
    dimensions: tuple[int, ...] | None = None

    @abstractmethod
    def span(self, n: int) -> int:
        """Number of indices."""

    def size(self, n: int) -> int:
        """Number of cases, by a formula."""
        return self.span(n)

    @abstractmethod
    def case(self, n: int, index: int) -> Case | None:
        """The case of an index in 0..span(n) - 1, or None if the index holds none."""

    def cases(self, n: int, start: int, stop: int) -> Iterator[tuple[int, Case]]:
        """The (index, case) of start <= index < stop, in order."""
        for index in range(start, stop):
            case = self.case(n, index)
            if case is not None:
                yield index, case

    def described(self, text: str) -> Domain:
        """The same domain with other words, e.g. for what a claim ranges over inside a case.

        >>> PAIRS.described("all (A, b), each with all orders").size(2)
        64
        """
        other = copy.copy(self)
        other.text = text
        return other

    def fingerprint(self) -> str:
        """What besides its code decides the domain's cases; part of the version of a claim."""
        return f"{type(self).__name__} {self.names}"

    def code(self) -> tuple[object, ...]:
        """The classes and functions that make the cases."""
        return (type(self),)

    def __mul__(self, other: Domain) -> Domain:
        return Product(self, other)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.text}>"


class Product(Domain):
    """Every case of `left` joined with every case of `right`.

    >>> pairs = AllMatrices() * AllVectors()
    >>> pairs.size(2), pairs.names, pairs.size(4)
    (64, ('A', 'b'), 1048576)
    """

    def __init__(self, left: Domain, right: Domain) -> None:
        self.left, self.right = left, right
        self.names = left.names + right.names
        self.text = f"{left.text}, {right.text}"
        fixed = [d.dimensions for d in (left, right) if d.dimensions is not None]
        if fixed:
            self.dimensions = tuple(n for n in fixed[0] if all(n in other for other in fixed))

    def fingerprint(self) -> str:
        return f"({self.left.fingerprint()}, {self.right.fingerprint()})"

    def code(self) -> tuple[object, ...]:
        return (type(self), *self.left.code(), *self.right.code())

    def span(self, n: int) -> int:
        return self.left.span(n) * self.right.span(n)

    def size(self, n: int) -> int:
        return self.left.size(n) * self.right.size(n)

    def case(self, n: int, index: int) -> Case | None:
        i, j = divmod(index, self.right.span(n))
        left = self.left.case(n, i)
        right = None if left is None else self.right.case(n, j)
        return None if left is None or right is None else left + right

    def cases(self, n: int, start: int, stop: int) -> Iterator[tuple[int, Case]]:
        width = self.right.span(n)
        cached = list(self.right.cases(n, 0, width)) if width <= _CACHED_SPAN else None
        for i in range(start // width, -(-stop // width)):
            left = self.left.case(n, i)
            if left is None:
                continue
            base = i * width
            low, high = max(start - base, 0), min(stop - base, width)
            inner = self.right.cases(n, low, high) if cached is None else cached
            for j, right in inner:
                if low <= j < high:
                    yield base + j, left + right


def _as_cases(cases: Iterable[Any], names: tuple[str, ...]) -> tuple[Case, ...]:
    """Cases with a value for every name; what is not a tuple is the one value of its case."""
    made = tuple(case if isinstance(case, tuple) else (case,) for case in cases)
    for case in made:
        if len(case) != len(names):
            raise InputError("cases", f"need one value for each of {names}", case)
    return made


class Listed(Domain):
    """An explicit list: the entries of a table, the examples of a section.

    Args:
        n: the dimension that the cases belong to (8 for the examples of [hou]).
        cases: the cases, each a tuple with one value for every name, or a bare value.
        names: what a case consists of, with commas between.
        text: the list in words.
        size: how many there must be.

    Raises:
        InputError: a case has another number of values, or the list another length.

    >>> Listed(8, [("a", 1), ("b", 2)], names="row, printed", text="two rows", size=2).size(8)
    2
    """

    def __init__(self, n: int, cases: Iterable[Any], *, names: str, text: str, size: int) -> None:
        self.names = tuple(names.split(", "))
        self.text = text
        self.dimensions = (n,)
        self._cases = _as_cases(cases, self.names)
        if len(self._cases) != size:
            raise InputError("cases", f"must be {size} in number", len(self._cases))

    def fingerprint(self) -> str:
        return f"{super().fingerprint()} {self.dimensions} {value_text(self._cases)}"

    def span(self, n: int) -> int:
        return len(self._cases) if self.dimensions == (n,) else 0

    def case(self, n: int, index: int) -> Case | None:
        return self._cases[index]


class Enumerated(Domain):
    """Whatever a function of n enumerates; `size` is the formula that its count must reach.

    A case is as in `Listed`: a value that is a tuple itself is written as `(value,)`.

    >>> below = Enumerated(
    ...     lambda n: [(i, j) for j in range(n) for i in range(j)],
    ...     size=lambda n: n * (n - 1) // 2, names="i, j", text="all i < j")
    >>> below.size(4), below.case(4, 1)
    (6, (0, 2))
    """

    def __init__(
        self,
        cases: Callable[[int], Iterable[Any]],
        *,
        size: Callable[[int], int],
        names: str,
        text: str,
        dimensions: Iterable[int] | None = None,
    ) -> None:
        self.names = tuple(names.split(", "))
        self.text = text
        self.dimensions = None if dimensions is None else tuple(dimensions)
        self.function = cases
        self.stated_size = size
        self._list = lru_cache(maxsize=4)(self._listed)

    def code(self) -> tuple[object, ...]:
        return (type(self), self.function, self.stated_size)

    def _listed(self, n: int) -> tuple[Case, ...]:
        return _as_cases(self.function(n), self.names)

    def span(self, n: int) -> int:
        return len(self._list(n))

    def size(self, n: int) -> int:
        return self.stated_size(n)

    def case(self, n: int, index: int) -> Case | None:
        return self._list(n)[index]


class EveryN(Domain):
    """One case for every n, n itself: what is said of a whole network, or of all matrices at once.

    >>> rings = EveryN("rings of 2^d nodes", name="d", dimensions=range(2, 9))
    >>> rings.case(5, 0), rings.size(5), rings.names
    ((5,), 1, ('d',))
    """

    def __init__(
        self, text: str, *, name: str = "n", dimensions: Iterable[int] | None = None
    ) -> None:
        self.names, self.text = (name,), text
        self.dimensions = None if dimensions is None else tuple(dimensions)

    def span(self, n: int) -> int:
        return 1

    def case(self, n: int, index: int) -> Case | None:
        return (n,)


# -- matrices, vectors, orders, subsets ----------------------------------------------------------


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
