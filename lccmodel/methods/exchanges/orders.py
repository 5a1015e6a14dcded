"""All orders in which an index transformation is a product of conditional exchanges.

An order works if its leading dimensions always have a nonsingular principal submatrix [edelman,
Corollary 3.2]: the paths of the rule `Eliminating` (`exchanges.schur`), found by the search that
every method shares (`lattice.path`).

    A = 1 1 .       components {0, 1} with the orders (0, 1) and {2} with (2);
        1 . .       interleaved: 012, 021, 201
        . . 1
"""

from __future__ import annotations

from collections.abc import Iterator

from lccmodel._arguments import typed_arguments
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, checked_integers
from lccmodel.gf2.matrix import GF2Matrix, MatrixLike
from lccmodel.lattice.path import Paths
from lccmodel.methods.exchanges.conditional import as_transformation
from lccmodel.methods.exchanges.schur import Eliminating, budget, eliminated, whole_matrix
from lccmodel.views import Viewed

MAX_STATES = 1 << 18
"""Schur complements that are remembered before a search gives up."""


@typed_arguments
class ExchangeOrders(Viewed, view="orders"):
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
        self._paths = Paths(Eliminating(), max_states)

    @property
    def count(self) -> int:
        """How many there are.

        Raises:
            SizeLimitError: more than 2^18 Schur complements would have to be remembered.
        """
        with budget():
            return self._paths.number(whole_matrix(self.A))

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        with budget():
            yield from self._paths.every(whole_matrix(self.A))

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
        with budget():
            return self._paths.exists(whole_matrix(self.A))

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> tuple[int, ...]:
        place = index + self.count if index < 0 else index
        if not 0 <= place < self.count:
            raise IndexError(f"order {index} of {self.count}")
        with budget():
            return self._paths.nth(whole_matrix(self.A), place)

    def __repr__(self) -> str:
        return f"exchange_orders({self.A.tolist()})"


@typed_arguments
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
    >>> import math
    >>> exchange_orders(GF2Matrix.identity(64)).count == math.factorial(64)
    True
    """
    return ExchangeOrders(as_transformation(A).A)
