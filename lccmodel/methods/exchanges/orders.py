"""All orders in which an index transformation is a product of conditional exchanges.

An order works if its leading dimensions always have a nonsingular principal submatrix [edelman,
Corollary 3.2]. After the dimensions S are eliminated, what is left is the Schur complement of
A_(S,S): a dimension k can come next if its diagonal entry there is 1. Two facts keep the search
short:

- What can follow depends on the Schur complement alone, so its answer is kept and used again.
- Draw an arrow j -> i for every entry a_(i,j) = 1. A principal minor is the product of those of
  the strongly connected components, so the orders of A are the interleavings of orders of the
  components. A triangular matrix has only components of one dimension: all n! orders work.

    A = 1 1 .       components {0, 1} with the orders (0, 1) and {2} with (2);
        1 . .       interleaved: 012, 021, 201
        . . 1
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypeVar

from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, SizeLimitError, checked_integers
from lccmodel.gf2.matrix import GF2Matrix, MatrixLike
from lccmodel.methods.exchanges.conditional import as_communication, eliminated

__all__ = ["ExchangeOrders", "count_exchange_orders", "exchange_orders", "first_order"]

MAX_STATES = 1 << 18
"""Schur complements that are remembered before a search gives up."""

_ADVISED_STATES = 1 << 12

T = TypeVar("T")

State = tuple[tuple[int, int], ...]
"""A strongly connected part of a Schur complement: (dimension, packed row), ascending."""


class ExchangeOrders:
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
        self._search = _Search(max_states)

    @property
    def count(self) -> int:
        """How many there are.

        Raises:
            SizeLimitError: more than 2^18 Schur complements would have to be remembered.
        """
        return self._search.count(_start(self.A))

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return self._orders(_start(self.A), ())

    def _orders(self, state: State, order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not state:
            yield order
            return
        for k, left in _continued(state):
            if self._search.feasible(left):
                yield from self._orders(left, (*order, k))

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
        return self._search.feasible(_start(self.A))

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[int, ...]:
        place = index + self.count if index < 0 else index
        state, order = _start(self.A), []
        if not 0 <= place < self.count:
            raise IndexError(f"order {index} of {self.count}")
        while state:
            for k, left in _continued(state):
                fewer = self._search.count(left)
                if place < fewer:
                    order.append(k)
                    state = left
                    break
                place -= fewer
        return tuple(order)

    def __repr__(self) -> str:
        return f"exchange_orders({self.A.tolist()})"


def exchange_orders(A: MatrixLike | LCC) -> ExchangeOrders:
    """All orders of the dimensions in which `exchange_factors(A, order)` exists.

    Args:
        A: an LCC (b does not matter), or an n by n matrix.

    Raises:
        MatrixError, CommunicationError: as `exchange_factors`.
        SizeLimitError: while iterating or counting, if more than 2^18 Schur complements would
            have to be remembered.

    Source: [edelman, Corollary 3.2].

    >>> list(exchange_orders([[0, 1], [1, 0]]))         # a cycle: none [edelman, Corollary 3.5]
    []
    >>> exchange_orders(GF2Matrix.identity(64)).count == math.factorial(64)
    True
    """
    return ExchangeOrders(as_communication(A).A)


def count_exchange_orders(A: MatrixLike | LCC) -> int:
    """The number of orders in which conditional exchanges exist; see `exchange_orders`.

    >>> count_exchange_orders([[1, 1], [0, 1]]), count_exchange_orders([[1, 1], [1, 0]])
    (2, 1)
    """
    return exchange_orders(A).count


def first_order(A: GF2Matrix) -> tuple[int, ...] | None:
    """The first order that works, or None; a short search, for advice.

    Raises:
        SizeLimitError: the search was not short.
    """
    return next(iter(ExchangeOrders(A, _ADVISED_STATES)), None)


# -- the search -------------------------------------------------------------------------------


class _Search:
    """Whether a Schur complement has an order, and how many; both remembered."""

    def __init__(self, max_states: int) -> None:
        self.max_states = max_states
        self._counts: dict[State, int] = {}
        self._feasible: dict[State, bool] = {}

    def count(self, state: State) -> int:
        """Interleavings of the orders of the components."""
        total, placed = 1, 0
        for part in sorted(_components(state), key=len):
            placed += len(part)
            total *= self._count_connected(part) * math.comb(placed, len(part))
            if not total:
                return 0
        return total

    def _count_connected(self, part: State) -> int:
        if len(part) == 1:
            return part[0][1] >> part[0][0] & 1
        if part not in self._counts:
            counted = sum(self.count(left) for _, left in _continued(part))
            self._remember(self._counts)[part] = counted
        return self._counts[part]

    def feasible(self, state: State) -> bool:
        """Whether every component has an order."""
        return all(self._feasible_connected(p) for p in sorted(_components(state), key=len))

    def _feasible_connected(self, part: State) -> bool:
        if len(part) == 1:
            return bool(part[0][1] >> part[0][0] & 1)
        if part not in self._feasible:
            found = any(self.feasible(left) for _, left in _continued(part))
            self._remember(self._feasible)[part] = found
        return self._feasible[part]

    def _remember(self, memory: dict[State, T]) -> dict[State, T]:
        if len(memory) >= self.max_states:
            rule = f"more than {self.max_states} Schur complements to search"
            raise SizeLimitError("A", rule, self.max_states)
        return memory


def _start(A: GF2Matrix) -> State:
    return tuple(enumerate(A.rows))


def _continued(state: State) -> Iterator[tuple[int, State]]:
    """Every dimension that can come next, ascending, with the Schur complement it leaves."""
    for k, row in state:
        if row >> k & 1:
            kept = ~(1 << k)
            yield k, tuple((i, (r ^ row if r >> k & 1 else r) & kept) for i, r in state if i != k)


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
        found = arrows[lowest.bit_length() - 1] & within & ~seen
        seen |= found
        fresh |= found
    return seen
