"""All orders in which an index transformation is a product of conditional exchanges.

After the dimensions S are eliminated, what is left is the Schur complement of A_(S,S): a dimension
k can come next if its diagonal entry there is 1, which is occupancy 1 after S + k, and an order
works if its leading dimensions always have a nonsingular principal submatrix [edelman, Corollary
3.2]. These are the paths of the rule `_Eliminating`, found by the search that every method shares
(`lattice.path`). Two facts keep it short:

- What can follow depends on the Schur complement alone, so its answer is kept and used again.
- Draw an arrow j -> i for every entry a_(i,j) = 1. A principal minor is the product of those of
  the strongly connected components, so the orders of A are the interleavings of orders of the
  components. A triangular matrix has only components of one dimension: all n! orders work.

    A = 1 1 .       components {0, 1} with the orders (0, 1) and {2} with (2);
        1 . .       interleaved: 012, 021, 201
        . . 1
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.errors import (
    CommunicationError,
    InputError,
    MatrixError,
    SizeLimitError,
    checked_integers,
)
from lccmodel.gf2.matrix import GF2Matrix, MatrixLike
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer
from lccmodel.lattice.path import BudgetError, Paths, Step

_ADVISED_STATES = 1 << 12

State = tuple[tuple[int, int], ...]
"""A strongly connected part of a Schur complement: (dimension, packed row), ascending."""


def as_transformation(A: MatrixLike | LCC) -> LCC:
    """The index transformation y = Ax + b as an LCC.

    Raises:
        MatrixError: not a square matrix of 0 and 1 with at least one row.
        CommunicationError: a scatter.
    """
    if not isinstance(A, LCC):
        listed = isinstance(A, Sequence) or (isinstance(A, np.ndarray) and A.ndim)
        if listed and len(A) and not np.iterable(A[0]):
            rule = "must be a square matrix or an LCC; recognise(...) makes one of destinations"
            raise MatrixError("A", rule, A)
        return LCC(A)
    if A.kind == "scatter":
        rule = "must be y = Ax + b; a scatter sends a message to several nodes"
        raise CommunicationError("A", rule, A)
    return A


def eliminated(rows: Sequence[int], k: int) -> list[int]:
    """A E⁽ᵏ⁾: column k, which has its pivot in row k, is added to the other columns of row k.

    >>> eliminated([0b11, 0b01], 0)
    [1, 3]
    """
    added = rows[k] ^ 1 << k
    return [row ^ added if row >> k & 1 else row for row in rows]


def first_order(A: GF2Matrix) -> tuple[int, ...] | None:
    """The first order that works, or None; a short search, for advice.

    Raises:
        SizeLimitError: the search was not short.
    """
    return next(iter(ExchangeOrders(A, _ADVISED_STATES)), None)


class _Eliminating:
    """The rule: a dimension can come next if its diagonal entry is 1. See `lattice.path.Rule`."""

    def length(self, state: State) -> int:
        return len(state)

    def steps(self, state: State) -> Iterator[Step[int, State]]:
        for k, row in state:
            if row >> k & 1:
                kept = ~(1 << k)
                left = ((i, (r ^ row if r >> k & 1 else r) & kept) for i, r in state if i != k)
                yield Step(k, 1, tuple(left))

    def parts(self, state: State) -> list[State]:
        """The strongly connected components, small ones first."""
        return sorted(_components(state), key=len)

    def key(self, state: State) -> State:
        return state


@contextmanager
def _budget() -> Iterator[None]:
    """A search that gives up says so as `SizeLimitError`: it has not found that there is none."""
    try:
        yield
    except BudgetError as stopped:
        rule = f"more than {stopped.args[0]} Schur complements to search"
        raise SizeLimitError("A", rule, stopped.args[0]) from None


def _components(state: State) -> list[State]:
    """The strongly connected components of the digraph of the entries, each cut out."""
    rows = dict(state)
    columns = {j: sum(1 << i for i, row in state if row >> j & 1) for j in rows}
    left, parts = sum(1 << i for i in rows), []
    while left:
        seed = left & -left
        part = _reached(seed, rows, left) & _reached(seed, columns, left)
        parts.append(tuple((i, rows[i] & part) for i in rows if part >> i & 1))
        left ^= part
    return parts


def _reached(seed: int, arrows: dict[int, int], within: int) -> int:
    seen = fresh = seed
    while fresh:
        lowest = fresh & -fresh
        fresh ^= lowest
        reached = arrows[lowest.bit_length() - 1] & within & ~seen
        seen |= reached
        fresh |= reached
    return seen


MAX_STATES = 1 << 18
"""Schur complements that are remembered before a search gives up."""


@typed_arguments
class ExchangeOrders(Answer, view="orders"):
    """The orders in which a matrix is a product of conditional exchanges, lexicographically.

    A lazy sequence: iterate over it, ask `order in orders`, `orders.count`, `orders[5]` (found by
    counting, not by iterating), `bool(orders)`. `len` works up to 2^63 - 1; `count` always.

    >>> orders = exchange_orders([[1, 1, 0], [1, 0, 0], [0, 0, 1]])
    >>> list(orders)
    [(0, 1, 2), (0, 2, 1), (2, 0, 1)]
    >>> orders.count, (1, 0, 2) in orders, orders[-1]
    (3, False, (2, 0, 1))
    """

    def __init__(self, A: GF2Matrix, max_states: int = MAX_STATES) -> None:
        self.A = A
        self._paths = Paths(_Eliminating(), max_states)

    @property
    def _whole(self) -> State:
        return tuple(enumerate(self.A.rows))

    @property
    def count(self) -> int:
        """How many there are.

        Raises:
            SizeLimitError: more than 2^18 Schur complements would have to be remembered.
        """
        with _budget():
            return self._paths.number(self._whole)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        with _budget():
            yield from self._paths.every(self._whole)

    def __contains__(self, order: object) -> bool:
        try:
            bits = checked_integers("order", order)
        except InputError:
            return False
        if sorted(bits) != list(range(self.A.n_columns)):
            return False
        rows = list(self.A.rows)
        for k in bits:
            if not rows[k] >> k & 1:
                return False
            rows = eliminated(rows, k)
        return True

    def __bool__(self) -> bool:
        with _budget():
            return self._paths.exists(self._whole)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[int, ...]:
        place = index + self.count if index < 0 else index
        if not 0 <= place < self.count:
            raise IndexError(f"order {index} of {self.count}")
        with _budget():
            return self._paths.nth(self._whole, place)

    def __repr__(self) -> str:
        return f"exchange_orders({self.A.tolist()})"


@typed_arguments
def exchange_orders(A: MatrixLike | LCC) -> ExchangeOrders:
    """Return all orders of the dimensions in which `exchange_factors(A, order)` exists.

    Args:
        A: an LCC (b does not matter), or an n by n matrix.

    Raises:
        MatrixError, CommunicationError: as `exchange_factors`.
        SizeLimitError: while iterating or counting, if more than 2^18 Schur complements would
            have to be remembered.

    Source: [edelman, Corollary 3.2].

    >>> list(exchange_orders([[0, 1], [1, 0]]))         # a cycle: none [edelman, Corollary 3.5]
    []
    >>> import math
    >>> exchange_orders(GF2Matrix.identity(64)).count == math.factorial(64)
    True
    """
    return ExchangeOrders(as_transformation(A).A)
