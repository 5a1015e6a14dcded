"""What is left of a matrix when dimensions are eliminated, and the search for an order.

After the dimensions S are eliminated, what is left is the Schur complement of A_(S,S): a dimension
k can come next if its diagonal entry there is 1, which is occupancy 1 after S + k. Two facts keep
the search short:

- What can follow depends on the Schur complement alone, so its answer is kept and used again.
- Draw an arrow j -> i for every entry a_(i,j) = 1. A principal minor is the product of those of
  the strongly connected components, so the orders of A are the interleavings of orders of the
  components. A triangular matrix has only components of one dimension: all n! orders work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lccmodel.errors import SizeLimitError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.lattice.path import BudgetError, Paths, Step

_ADVISED_STATES = 1 << 12

State = tuple[tuple[int, int], ...]
"""A strongly connected part of a Schur complement: (dimension, packed row), ascending."""


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
    with budget():
        return Paths(Eliminating(), _ADVISED_STATES).first(whole_matrix(A))


class Eliminating:
    """The rule: a dimension can come next if its diagonal entry is 1. See `lattice.path`."""

    def length(self, state: State) -> int:
        """Dimensions that are left."""
        return len(state)

    def steps(self, state: State) -> Iterator[Step[int, State]]:
        """Every dimension that can come next, ascending, with the Schur complement it leaves."""
        for k, row in state:
            if row >> k & 1:
                kept = ~(1 << k)
                left = ((i, (r ^ row if r >> k & 1 else r) & kept) for i, r in state if i != k)
                yield Step(k, 1, tuple(left))

    def parts(self, state: State) -> list[State]:
        """The strongly connected components, small ones first."""
        return sorted(_components(state), key=len)

    def key(self, state: State) -> State:
        """The Schur complement itself."""
        return state


@contextmanager
def budget() -> Iterator[None]:
    """A search that gives up says so as `SizeLimitError`: it has not found that there is none."""
    try:
        yield
    except BudgetError as stopped:
        rule = f"more than {stopped.args[0]} Schur complements to search"
        raise SizeLimitError("A", rule, stopped.args[0]) from None


def whole_matrix(A: GF2Matrix) -> State:
    """The matrix itself, nothing eliminated."""
    return tuple(enumerate(A.rows))


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
