"""What a step of the lattice costs when y = Ax + b: ranks of submatrices that grow step by step.

    occupancy(S) = 2^(|S| - rank A_(S,S))        messages in each node that holds any
    load(S, j)   = 2^(|S| - rank A_(S+j, S))     messages on each channel that carries any

A walk asks for these at every step, and S grows by one bit a step. The state keeps *all* rows of A
reduced against the pivots found so far, so that each question is one word operation - does row j
still have an entry in the columns of S? - and each step one pass over the rows.

By hand, y = (x_1, x_0), so rows 0b10 and 0b01:

    S      columns    rows       without a pivot    occupancy    row 1 has an entry in S?   load
    {}     {}         10, 01     -                  2^0          no                         2^0
    {0}    {0}        10, 01     row 0              2^1          yes, column 0              2^(1-1)
    {0,1}  {0,1}      10, 01     -                  2^0

Three variations, all in the same state:

- *Internal bits* lie inside a router. Their columns are free from the start, without a row.
- *Whatever b is*: a bit with y_j = x_j for all x loads no channel, but with another b it does.
  HL, LCP_Optimizer, Sibeyn's passes, Theorem 5 and Edelman's exchanges price such a bit like any
  other; the contention of a communication must not.
- *Read from the other end*: how much j costs as the *last* bit of T, load(T - j, j), for every j
  from the one state of T. Scatters, Theorem 5 and the search on the bristled cube walk that way.

The state is a function of the set; what of it depends on the order of growth (which column is
the pivot of which row) changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from lccmodel.communication.lcc import LCC
from lccmodel.lattice.path import Step


class State(NamedTuple):
    """Where a walk stands: the set of corrected bits, the rows reduced, the rows without a pivot.

    Sets are ints with bit k for address bit k.
    """

    corrected: int
    rows: tuple[int, ...]
    unpaired: int


_new = tuple.__new__  # a third of the time that the names of the fields would take


class Ranks:
    """The price of every step of one communication, by ranks.

    Args:
        c: the communication.
        internal: the bits that lie inside a router.
        whatever_b: price bits that no message changes as if some did.

    >>> exchange = Ranks(LCC([[0, 1], [1, 0]]))
    >>> exchange.occupancy(0b01), exchange.load(0b01, 1)
    (2, 1)
    """

    __slots__ = ("_columns", "_rows", "_scatter", "bits", "moving", "n")

    def __init__(self, c: LCC, internal: Iterable[int] = (), whatever_b: bool = False) -> None:
        inside = tuple(internal)
        self.n = c.n
        self.bits = tuple(j for j in range(c.n) if j not in inside)
        self.moving = sum(1 << j for j in self.bits if whatever_b or c.moves(j))
        self._columns = sum(1 << j for j in inside)
        self._rows = c.A.rows
        self._scatter = c.kind == "scatter"

    # -- the set alone --------------------------------------------------------------------

    @property
    def all(self) -> int:
        """The set of all bits that are corrected on channels."""
        return sum(1 << j for j in self.bits)

    def occupancy(self, corrected: int) -> int:
        """Messages in each occupied node once the bits in `corrected` are corrected."""
        return self.held(self.at(self.all & ~corrected if self._scatter else corrected))

    def load(self, corrected: int, j: int) -> int:
        """Messages on each used channel of dimension j when j is corrected after `corrected`."""
        if self._scatter:  # the gather's step, seen from the other end
            corrected = self.all & ~corrected & ~(1 << j)
        return self.next_load(self.at(corrected), j)

    def loads(self, order: Sequence[int]) -> tuple[int, ...]:
        """The load of every step of a path, in O(n²) word operations."""
        state, loads = self.start, []
        for j in order[::-1] if self._scatter else order:
            loads.append(self.next_load(state, j))
            state = self.grow(state, j)
        return tuple(loads[::-1] if self._scatter else loads)

    # -- the growing state, of the messages of the gather ---------------------------------

    @property
    def start(self) -> State:
        """Nothing is corrected."""
        return State(0, self._rows, 0)

    def at(self, corrected: int) -> State:
        """The state of a set."""
        state = self.start
        while corrected:
            j = (corrected & -corrected).bit_length() - 1
            state = self.grow(state, j)
            corrected &= corrected - 1
        return state

    def grow(self, state: State, j: int) -> State:
        """The state after bit j is corrected: row j and column j join."""
        return self.with_column(self.with_row(state, j), j)

    def with_row(self, state: State, j: int) -> State:
        """Row j joins: it takes a free column as its pivot if it has an entry in one."""
        corrected, rows, unpaired = state
        entries = rows[j] & (corrected | self._columns)
        if entries:
            return _new(State, (corrected, _reduced(rows, j, entries & -entries), unpaired))
        return _new(State, (corrected, rows, unpaired | 1 << j))

    def with_column(self, state: State, j: int) -> State:
        """Column j joins, after row j: a row that waits for a pivot may take it."""
        corrected, rows, unpaired = state
        corrected |= 1 << j
        waiting = unpaired
        while waiting:
            i = (waiting & -waiting).bit_length() - 1
            if rows[i] >> j & 1:
                return _new(State, (corrected, _reduced(rows, i, 1 << j), unpaired ^ 1 << i))
            waiting &= waiting - 1
        return _new(State, (corrected, rows, unpaired))

    def nullity(self, state: State) -> int:
        """Columns without a pivot: the free columns and one for every row without one."""
        return self._columns.bit_count() + state.unpaired.bit_count()

    def held(self, state: State) -> int:
        """occupancy(S)."""
        return 1 << self.nullity(state)

    def next_load(self, state: State, j: int) -> int:
        """load(S, j): row j takes one of the free columns if it has an entry in one."""
        if not self.moving >> j & 1:
            return 0
        gains = state.rows[j] & (state.corrected | self._columns) != 0
        return 1 << self.nullity(state) - gains

    def last_loads(self, state: State) -> dict[int, int]:
        """load(T - j, j) for every j in T, ascending.

        Without column j the rank falls by one if j is a pivot whose row has no other entry.
        """
        columns, lone = state.corrected | self._columns, 0
        for i in self.bits:
            if state.corrected >> i & 1:
                entries = state.rows[i] & columns
                if entries & (entries - 1) == 0:
                    lone |= entries
        least = self.nullity(state) - 1
        return {
            j: 1 << least + (lone >> j & 1) if self.moving >> j & 1 else 0
            for j in self.bits
            if state.corrected >> j & 1
        }


def _reduced(rows: tuple[int, ...], i: int, column: int) -> tuple[int, ...]:
    """Row i becomes the pivot row of a column."""
    pivot = rows[i]
    reduced = [row ^ pivot if row & column else row for row in rows]
    reduced[i] = pivot
    return tuple(reduced)


class Bounded:
    """The rule: correct any bit with load and occupancy within bounds. See `path.Rule`.

    Args:
        ranks: the prices.
        load: the most messages on a channel, or None.
        held: the most messages in a node after a step, or None.
        bits: the bits to correct, the preferred one first; all of them ascending if left out.

    >>> from lccmodel.lattice.path import Paths
    >>> rule = Bounded(Ranks(LCC([[0, 1], [1, 0]])), load=1)
    >>> list(Paths(rule).every(rule.ranks.start))
    [(0, 1), (1, 0)]
    """

    def __init__(
        self,
        ranks: Ranks,
        load: int | None = None,
        held: int | None = None,
        bits: Sequence[int] | None = None,
    ) -> None:
        self.ranks, self.load, self.held = ranks, load, held
        self.bits = ranks.bits if bits is None else tuple(bits)

    def length(self, state: State) -> int:
        """Bits that are left."""
        return len(self.bits) - state.corrected.bit_count()

    def steps(self, state: State) -> Iterator[Step[int, State]]:
        """The bits that may come next."""
        for j in self.bits:
            if state.corrected >> j & 1:
                continue
            load = self.ranks.next_load(state, j)
            if self.load is not None and load > self.load:
                continue
            after = self.ranks.grow(state, j)
            if self.held is None or self.ranks.held(after) <= self.held:
                yield Step(j, load, after)

    def parts(self, state: State) -> tuple[State, ...]:
        """The state itself."""
        return (state,)

    def key(self, state: State) -> int:
        """The set of corrected bits."""
        return state.corrected


class Downward:
    """The rule of a walk from the last bit to the first, loads within a bound: states are sets.

    A path lists the bits in the order in which they are taken away; the preferred one is the
    greatest.
    """

    def __init__(self, ranks: Ranks, load: int) -> None:
        self.ranks, self.load = ranks, load

    def length(self, left: int) -> int:
        """Bits that are left."""
        return left.bit_count()

    def steps(self, left: int) -> Iterator[Step[int, int]]:
        """The bits that may come last of those left."""
        for j, load in reversed(self.ranks.last_loads(self.ranks.at(left)).items()):
            if load <= self.load:
                yield Step(j, load, left ^ 1 << j)

    def parts(self, left: int) -> tuple[int, ...]:
        """The set itself."""
        return (left,)

    def key(self, left: int) -> int:
        """The set itself."""
        return left
