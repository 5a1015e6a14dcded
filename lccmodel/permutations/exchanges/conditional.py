"""A = E⁽ⁿ⁾ ... E⁽¹⁾: an index transformation as conditional exchanges [edelman, Theorem 3.1].

The conditional exchange across dimension k is a matrix E⁽ᵏ⁾ that is the identity except for row k,
whose diagonal entry is 1: every node looks at its own address and, by one linear condition, sends
its message across dimension k or keeps it. A factorization visits every dimension once, so after
step k bit k has its last value, and nothing is left to choose. Columnwise Gauss-Jordan elimination
modulo 2 without pivoting finds it, or meets a pivot 0:

    for k in order:   E⁽ᵏ⁾ := the identity with row k of A;   A := A E⁽ᵏ⁾

    A = 1 1    k = 0:  E = 1 1    A E = 1 0    k = 1:  E = 1 0    A E = I
        1 0                0 1          1 1                1 1
    so (y_0, y_1) = (x_0 + x_1, x_0): first bit 0 changes if x_1 = 1, then bit 1 if bit 0 is 1

It works exactly if the principal submatrices of order[:1], order[:2], ... are nonsingular, which is
occupancy 1 all along the walk of `lattice.lattice` (`proofs_check`: lattice.edelman). A vector b
costs no step: the condition of an exchange is complemented where need be.

**Several data sets**, pipelined as cube swaps [edelman, Section 3]. In a cube swap every node may
send one message along every dimension at the same time. Data set d makes its exchange number k in
swap d + k, so the exchanges of different data sets that run at one time are in different
dimensions:

    swap            0    1    2    3         2 data sets, 3 dimensions: 2 + 3 - 1 swaps
    dimension k_1   d=0  d=1
    dimension k_2        d=0  d=1
    dimension k_3             d=0  d=1

Every data set makes the movement of one, a swap later than the set before it; a dimension has one
exchange, so in a swap it serves one set. What is used of a dimension depends on the exchange: half
of its channels where the condition reads some bit, none or all of them where it is constant.
`Pipeline.movement` has the messages of all sets, to be replayed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lccmodel.communication.destinations import MAX_SIMULATED, checked_order, destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import (
    InputError,
    MatrixError,
    NotFactorable,
    SizeLimitError,
    checked_integer,
)
from lccmodel.gf2.matrix import GF2Matrix, MatrixLike
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Viewed
from lccmodel.movement import Movement
from lccmodel.network.hypercube import cube_of
from lccmodel.permutations.exchanges.orders import as_transformation, eliminated, first_order


@dataclass(frozen=True, slots=True)
class ExchangeStep:
    """One conditional exchange.

    A node at address u sends its message across `dimension` if the sum of its bits u_j over
    `condition`, plus `complement`, is 1.

    >>> from lccmodel import LCC
    >>> from lccmodel.permutations import exchange_factors
    >>> step = exchange_factors(LCC([[1, 1], [0, 1]])).step_table()[0]
    >>> step.dimension, step.condition, str(step)
    (0, (1,), 'u1')
    """

    dimension: int
    condition: tuple[int, ...]
    complement: int

    @property
    def utilisation(self) -> Fraction:
        """The part of the channels of this dimension that carries a message: 0, 1/2 or 1."""
        return Fraction(1, 2) if self.condition else Fraction(self.complement)

    def moving(self, nodes: Ints) -> npt.NDArray[np.bool_]:
        """Which of the nodes send their messages across the dimension."""
        mask = sum(1 << j for j in self.condition)
        return np.asarray(np.bitwise_count(nodes & mask) & 1 != self.complement)

    def __str__(self) -> str:
        if not self.condition:
            return "always" if self.complement else "never"
        terms = [f"u{j}" for j in self.condition] + ["1"] * self.complement
        return " + ".join(terms)


@dataclass(frozen=True)
class ExchangeFactors(Viewed, view="exchanges"):
    """Conditional exchanges that perform y = Ax + b, made by `exchange_factors`.

    Args:
        communication: the permutation.
        order: the dimensions in the order in which they are traversed.
        rows: for every step the packed row that E⁽ᵏ⁾ has in place of row k of the identity.

    Raises:
        MatrixError: a row lacks its diagonal entry, or the product is not A.

    >>> factors = exchange_factors(LCC([[1, 1], [1, 0]], [0, 1]))
    >>> for step in factors.step_table():
    ...     print(step.dimension, step, step.utilisation)
    0 u1 1/2
    1 u0 + 1 1/2
    >>> factors.movement.occupancies, factors.movement.loads
    ((1, 1, 1), (1, 1))
    """

    communication: LCC
    order: tuple[int, ...]
    rows: tuple[int, ...]

    def __post_init__(self) -> None:
        checked_order(self.order, self.n)
        if len(self.rows) != self.n:
            raise MatrixError("rows", f"must be {self.n} in number", len(self.rows))
        for k, row in zip(self.order, self.rows, strict=True):
            if row >> self.n or not row >> k & 1:
                raise MatrixError("rows", f"row {k} must have its diagonal entry", row)
        if self.product() != self.communication.A:
            raise MatrixError("rows", "the exchanges must multiply to A", list(self.rows))

    @property
    def n(self) -> int:
        """Number of address bits, and of exchanges."""
        return self.communication.n

    @property
    def factors(self) -> tuple[GF2Matrix, ...]:
        """The matrices E⁽ᵏ⁾ in order of action: the first is the rightmost of the product."""
        identity = [1 << i for i in range(self.n)]
        made = []
        for k, row in zip(self.order, self.rows, strict=True):
            packed = [*identity]
            packed[k] = row
            made.append(GF2Matrix.from_rows(packed, self.n))
        return tuple(made)

    @property
    def complements(self) -> tuple[int, ...]:
        """For every step, 1 if the exchange is made where its linear condition is 0.

        The bits that are already corrected carry their part of b, which a condition that reads
        them has to take out again: c_k = b_k + Σ e_(k,j) b_j over the j corrected before k.
        """
        b, done, bits = int(self.communication.b), 0, []
        for k, row in zip(self.order, self.rows, strict=True):
            bits.append((b >> k ^ (row & done & b).bit_count()) & 1)
            done |= 1 << k
        return tuple(bits)

    def product(self) -> GF2Matrix:
        """E⁽ᵏⁿ⁾ ... E⁽ᵏ¹⁾ multiplied out; it equals A."""
        rows = [1 << i for i in range(self.n)]
        for k, row in zip(self.order, self.rows, strict=True):
            total = 0
            for j in range(self.n):
                if row >> j & 1:
                    total ^= rows[j]
            rows[k] = total
        return GF2Matrix.from_rows(rows, self.n)

    def step_table(self) -> tuple[ExchangeStep, ...]:
        """Return every exchange with its condition, in order of action."""
        return tuple(
            ExchangeStep(k, tuple(j for j in range(self.n) if row >> j & 1 and j != k), c)
            for k, row, c in zip(self.order, self.rows, self.complements, strict=True)
        )

    @cached_property
    def movement(self) -> Movement:
        """Every message moved by the conditions of the exchanges alone, step by step.

        Raises:
            SizeLimitError: n > 24.
        """
        if self.n > MAX_SIMULATED:
            raise SizeLimitError("A", f"every node is simulated, so n <= {MAX_SIMULATED}", self.n)
        positions = [np.arange(1 << self.n, dtype=np.int64)]
        for step in self.step_table():
            here = positions[-1]
            positions.append(here ^ (step.moving(here).astype(np.int64) << step.dimension))
        return Movement.of_positions(cube_of(1 << self.n), np.array(positions))


@typed_arguments
def exchange_factors(A: MatrixLike | LCC, order: Sequence[int] | None = None) -> ExchangeFactors:
    """Return the conditional exchanges of an index transformation, in O(n²) word operations.

    Args:
        A: an LCC, or a matrix of 0 and 1, n by n with 1 <= n <= 64.
        order: the dimensions in the order in which they are traversed; 0..n-1 if left out.

    Raises:
        NotFactorable: there are none in this order; the error carries the order and the leading
            dimensions whose principal submatrix is singular, and says which order would do.
        CommunicationError: a scatter, where a message has several destinations.
        InputError: `order` is not a permutation of 0..n-1.

    Source: [edelman, Theorem 3.1 and Corollary 3.2].

    >>> factors = exchange_factors([[0, 1], [1, 1]], order=[1, 0])
    >>> factors.factors
    (GF2Matrix([[1, 0], [1, 1]]), GF2Matrix([[1, 1], [0, 1]]))
    >>> exchange_factors([[0, 1], [1, 1]])
    Traceback (most recent call last):
    ...
    lccmodel.errors.NotFactorable: A: not a product of conditional exchanges in the order (0, 1), \
as the principal submatrix of dimensions (0,) is singular; the order (1, 0) works; \
got [[0, 1], [1, 1]]
    """
    communication = as_transformation(A)
    n = communication.n
    dimensions = checked_order(range(n) if order is None else order, n)
    work, rows = list(communication.A.rows), []
    for step, k in enumerate(dimensions):
        row = work[k]
        if not row >> k & 1:
            minor = dimensions[: step + 1]
            rule = (
                f"not a product of conditional exchanges in the order {dimensions}, as the "
                f"principal submatrix of dimensions {minor} is singular; {_advice(communication.A)}"
            )
            raise NotFactorable("A", rule, communication.A.tolist(), dimensions, minor)
        rows.append(row)
        work = eliminated(work, k)
    return ExchangeFactors(communication, dimensions, tuple(rows))


def _advice(A: GF2Matrix) -> str:
    """What would work: another order, or exchanges and a permutation of the dimensions."""
    if not A.is_nonsingular:
        return "no order works, as A is singular"
    try:
        order = first_order(A)
    except SizeLimitError:
        return "exchange_orders(A) searches for an order that works"
    if order is not None:
        return f"the order {order} works"
    reason = "A is a permutation matrix with a cycle" if A.as_order() is not None else ""
    if not reason and not any(row >> i & 1 for i, row in enumerate(A.rows)):
        reason = "the diagonal of A is zero"
    because = f", as {reason}" if reason else ""
    return f"no order works{because}; exchanges_then_permutation(A) does"


MAX_JUMPS = 1 << 25
"""Most exchanged data of `Pipeline.movement`: 0.8 GB."""


@dataclass(frozen=True, eq=False)
class Pipeline(Viewed, view="exchange-pipeline"):
    """The exchanges of several data sets, one datum of each set on every node.

    Attributes:
        exchanges: the numbers of those that are made, in order of action.

    >>> from lccmodel import LCC
    >>> from lccmodel.permutations import exchange_factors
    >>> from lccmodel.permutations.exchanges import pipelined_exchanges
    >>> pipeline = pipelined_exchanges(exchange_factors(LCC([[1, 1], [1, 0]])), 3)
    >>> pipeline.busiest, pipeline.delivered, pipeline.movement.replay("all").ok
    (1, True, True)
    """

    factors: ExchangeFactors
    data_sets: int
    exchanges: tuple[int, ...]

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The dimension of every exchange that is made."""
        return tuple(self.factors.order[k] for k in self.exchanges)

    @property
    def swaps(self) -> int:
        """Cube swaps: data sets + exchanges - 1, or 0 without any."""
        return self.data_sets + len(self.exchanges) - 1 if self.exchanges else 0

    @cached_property
    def crossing(self) -> Ints:
        """The messages that cross each dimension in each swap; int64 of shape (swaps, n)."""
        crossing = np.zeros((self.swaps, self.factors.n), dtype=np.int64)
        for k, exchange in enumerate(self.exchanges):
            moves = self.factors.movement.moves[exchange]
            crossing[k : k + self.data_sets, self.factors.order[exchange]] = moves
        crossing.flags.writeable = False
        return crossing

    @property
    def busiest(self) -> int:
        """The most messages that one channel carries in one swap; 1, or 0 if none moves."""
        loads = self.factors.movement.loads
        return max((loads[exchange] for exchange in self.exchanges), default=0)

    @property
    def delivered(self) -> bool:
        """Whether every datum of every set stands at its destination at the end."""
        ends = self.factors.movement.ends
        return bool((destinations_of(self.factors.communication) == ends).all())

    @cached_property
    def movement(self) -> Movement:
        """All messages, set after set: message d 2^n + x is the datum of set d that starts at x.

        Raises:
            SizeLimitError: more than 2^25 exchanged data.
        """
        single, m, n = self.factors.movement, self.data_sets, self.factors.n
        if len(single.target) * m > MAX_JUMPS:
            rule = f"at most {MAX_JUMPS} exchanged data are listed"
            raise SizeLimitError("data_sets", rule, len(single.target) * m)
        made = np.cumsum(np.bincount(self.exchanges, minlength=single.steps)) - 1
        step = made[np.repeat(np.arange(single.steps), np.diff(single.first))]
        later = np.arange(m)[:, None]  # set d makes every exchange d swaps later
        swap = (step + later).ravel()
        order = np.argsort(swap, kind="stable")
        first = np.zeros(self.swaps + 1, dtype=np.int64)
        np.cumsum(np.bincount(swap, minlength=self.swaps), out=first[1:])
        message = (single.message + (later << n)).ravel()[order]
        target = np.tile(single.target, m)[order]
        return Movement(single.network, np.tile(single.starts, m), first, message, target)

    @property
    def utilisation(self) -> Fraction:
        """The part of all channels, over all swaps, that carries a message; 0 without swaps."""
        return self._part(self.crossing)

    @property
    def steady_utilisation(self) -> Fraction:
        """The same over the swaps in which every dimension of the pipeline is at work.

        Raises:
            InputError: too few data sets to fill all stages.
        """
        filled = len(self.dimensions) - 1
        if self.data_sets <= filled:
            rule = f"must be at least {len(self.dimensions)}, to fill all stages of the pipeline"
            raise InputError("data_sets", rule, self.data_sets)
        return self._part(self.crossing[max(filled, 0) : self.data_sets])

    def _part(self, crossing: Ints) -> Fraction:
        if not crossing.size:
            return Fraction(0)
        return Fraction(int(crossing.sum()), crossing.size << self.factors.n)

    def __repr__(self) -> str:
        return f"Pipeline({self.data_sets} data sets, {self.swaps} cube swaps)"


@typed_arguments
def pipelined_exchanges(
    factors: ExchangeFactors, data_sets: int, *, skip_idle: bool = False
) -> Pipeline:
    """The exchanges of several data sets, one datum of each set on every node, as cube swaps.

    Args:
        factors: from `exchange_factors`.
        data_sets: their number, at least 1.
        skip_idle: leave out the exchanges in which no message moves.

    Raises:
        InputError: `data_sets` is less than 1.
        SizeLimitError: more than 2^24 data.

    >>> from lccmodel.permutations.exchanges.conditional import exchange_factors
    >>> pipe = pipelined_exchanges(exchange_factors([[1, 1], [0, 1]]), 3)
    >>> pipe.swaps, pipe.delivered, pipe.crossing.tolist()
    (4, True, [[2, 0], [2, 0], [2, 0], [0, 0]])
    """
    m = checked_integer("data_sets", data_sets, least=1)
    if m << factors.n > 1 << MAX_SIMULATED:
        rule = f"at most 2^{MAX_SIMULATED} data are exchanged"
        raise SizeLimitError("data_sets", rule, m << factors.n)
    moves = factors.movement.moves
    return Pipeline(factors, m, tuple(k for k in range(len(moves)) if moves[k] or not skip_idle))
