"""Complete exchange on a CC-cube: every process has a block for every other [calmant 5.1].

Process n first moves its block for process j to position n XOR j. Position j of any process then
holds a block that still has to cross the dimensions where j has a 1, so iteration i sends the
2^(d-1) positions with bit i set, and what is received takes the places of what was sent. After
the last iteration the same permutation puts block (s, n) at position s.

x_i is read off the positions in descending order ("reverse"), Johnsson and Ho's algorithm has
them ascending ("natural"). The order decides whether the algorithm may be pipelined. A block at
position j last moved in dimension k, the highest set bit of j below i, and has come if its place
in x_k is not behind its place in x_i (plus i - k - 1 packets). Write j as high·2^(i+1) + 2^i +
mid·2^(k+1) + 2^k + low, so that mid = 0; a bar complements a part.

    reverse   place in x_i   high̄·2^i + mid̄·2^(k+1) + low̄          places count the larger j
              place in x_k   high̄·2^i + mid̄·2^k     + low̄          never behind: any Q, any N
    natural   place in x_i   high·2^i + 2^k + low                   places count the smaller j
              place in x_k   high·2^i + 2^(i-1) + low               2^(i-1) - 2^k places behind

So "reverse" needs none of the lead of i - k - 1 packets. "natural" needs 2^(i-1) - 2^k places:
none for k = i - 1; one block for d = 3, which a packet still makes up for if it holds a block; and
at i = 3, k = 1, which d = 4 has, two blocks against a lead of one packet. As 2^(i-1) - 2^k places
are at most (1/2 - 2^(k-i)) N items, Q <= 4 is safe in natural order too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.errors import (
    CommunicationError,
    InputError,
    checked_integer,
    checked_shape,
)
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array
from lccmodel.ground.words import ExchangeOrder as ExchangeOrder
from lccmodel.ground.words import checked_word
from lccmodel.pipelining.execution import (
    Check,
    PacketPlan,
    PipelinedRun,
    ProcessView,
    checked_dimensions,
    run_pipelined,
)

Unit = Literal["item", "block"]

MAX_DIMENSION = 12
"""Largest d: 4^12 blocks, of which a run holds a few copies."""


@typed_arguments
@dataclass(frozen=True, slots=True)
class CompleteExchange:
    """The complete exchange among 2^d processes; see `complete_exchange`."""

    d: int

    def __post_init__(self) -> None:
        d = checked_dimensions(self.d, MAX_DIMENSION, ": there are 4^d blocks")
        object.__setattr__(self, "d", d)

    def run(
        self, blocks: Any, Q: int = 1, order: ExchangeOrder = "reverse", unit: Unit = "item"
    ) -> Array:
        """Exchange real blocks.

        Args:
            blocks: shape (2^d, 2^d, ...): `blocks[n, j]` goes from process n to process j and
                has B items, the product of the trailing axes.
            Q: pipelining degree: 1..2^(d-1) B if packets are cut between items, 1..2^(d-1) if
                they are cut between blocks.
            order: positions in a message descending ("reverse") or ascending ("natural").
            unit: where packets may be cut, "item" or "block".

        Returns:
            The same shape and dtype; `result[n, j]` is `blocks[j, n]`.

        Raises:
            InputError: a wrong shape, order or unit, empty blocks, or Q out of range.
            CommunicationError: the order does not allow this Q.

        >>> blocks = np.arange(64).reshape(8, 8)
        >>> bool((complete_exchange(3).run(blocks, Q=3) == blocks.T).all())
        True
        """
        return np.asarray(self.traced(blocks, Q, order, unit, check="raise").result)

    def traced(
        self,
        blocks: Any,
        Q: int = 1,
        order: ExchangeOrder = "reverse",
        unit: Unit = "item",
        check: Check = "report",
    ) -> PipelinedRun:
        """Return the same with all that is known about the run: reads, violations, the plan.

        With `check="report"` an order that may not be pipelined runs to its wrong end.

        >>> blocks = np.arange(256).reshape(16, 16)
        >>> run = complete_exchange(4).traced(blocks, Q=6, order="natural")
        >>> len(run.violations), bool((run.result == blocks.T).all())
        (1, False)
        """
        array = checked_shape("blocks", blocks)
        nodes = 1 << self.d
        if array.ndim < 2 or array.shape[:2] != (nodes, nodes):
            raise InputError("blocks", f"must have shape ({nodes}, {nodes}, ...)", array.shape)
        B = math.prod(array.shape[2:])
        if B < 1:
            raise InputError("blocks", "must have at least one item each", array.shape)
        algorithm = self.algorithm(B, order, unit)
        return run_pipelined(algorithm, array, PacketPlan(self.d, Q, algorithm.N), check)

    def algorithm(self, B: int, order: ExchangeOrder = "reverse", unit: Unit = "item") -> _Exchange:
        """Return the CC-cube algorithm for blocks of B items, as `run_pipelined` takes it.

        Raises:
            InputError: B < 1, or another order or unit.
        """
        B = checked_integer("B", B)
        if B < 1:
            raise InputError("B", "must be at least 1 item", B)
        checked_word("order", order, ("reverse", "natural"))
        checked_word("unit", unit, ("item", "block"))
        cuts = 1 if unit == "block" else B
        return _Exchange(self.d, B, order == "reverse", cuts, range(1 << self.d))

    def allows(self, Q: int, order: ExchangeOrder = "reverse", B: int = 1) -> bool:
        """Return whether the pipelining condition holds for this Q, with packets cut between items.

        It is decided by places in the vectors, without moving data.

        Raises:
            InputError: as for `run`.

        >>> [Q for Q in range(1, 9) if not complete_exchange(4).allows(Q, "natural")]
        [6, 7, 8]
        """
        algorithm = self.algorithm(B, order)
        plan = PacketPlan(self.d, Q, algorithm.N)
        return first_late_block(plan, algorithm) is None


@typed_arguments
def complete_exchange(d: int) -> CompleteExchange:
    """Return the complete exchange among the 2^d processes of a CC-cube [calmant 5.1].

    Raises:
        InputError: d < 1 or not an integer.
        SizeLimitError: d > 12.

    >>> complete_exchange(1).run([["0 to 0", "0 to 1"], ["1 to 0", "1 to 1"]]).tolist()
    [['0 to 0', '1 to 0'], ['0 to 1', '1 to 1']]
    """
    return CompleteExchange(d)


@dataclass(frozen=True, slots=True)
class _Exchange:
    """The algorithm: vectors of 2^(d-1) blocks, each of `cuts` items that packets separate."""

    d: int
    B: int
    descending: bool
    cuts: int
    processes: Sequence[int]

    @property
    def N(self) -> int:
        return self.cuts << self.d - 1

    def of(self, processes: Sequence[int]) -> _Exchange:
        return replace(self, processes=processes)

    def start(self, rows: Array) -> tuple[Array, tuple[int, ...]]:
        permuted = self._turned(rows)
        return permuted.reshape(len(rows), 1 << self.d, self.cuts, -1), rows.shape

    def _turned(self, rows: Array) -> Array:
        """Position j of process n changes places with position n XOR j."""
        n, j = np.asarray(self.processes)[:, None], np.arange(1 << self.d)[None, :]
        return np.asarray(rows[np.arange(len(rows))[:, None], n ^ j])

    def positions(self, i: int) -> npt.NDArray[np.int64]:
        """The positions whose blocks x_i carries, in their order."""
        j = np.arange(1 << self.d)
        chosen = j[(j >> i) & 1 == 1]
        return np.asarray(chosen[::-1] if self.descending else chosen)

    def place(self, i: int, position: Any) -> Any:
        """Where x_i carries the block at a position (or array of them) that has bit i set."""
        lower = (position >> i + 1 << i) | (position & (1 << i) - 1)
        return (1 << self.d - 1) - 1 - lower if self.descending else lower

    def compute(self, i: int, items: range, local: Any, view: ProcessView) -> Array:
        blocks, offsets = np.divmod(np.arange(items.start, items.stop), self.cuts)
        return self._held(i, self.positions(i)[blocks], offsets, local[0], view)

    def _held(
        self, i: int, positions: Array, offsets: Array, start: Array, view: ProcessView
    ) -> Array:
        """What stands at (position, offset) before iteration i, of every process."""
        held = start[:, positions, offsets].copy()
        for k in range(i):
            below = positions & (1 << i) - 1
            mine = np.flatnonzero(below >> k == 1)  # k is the highest set bit below i
            if mine.size:
                places = self.place(k, positions[mine]) * self.cuts + offsets[mine]
                held[:, mine] = view.received(k, places)
        return held

    def finish(self, local: Any, view: ProcessView) -> Array:
        start, shape = local
        nodes = 1 << self.d
        positions, offsets = np.divmod(np.arange(nodes * self.cuts), self.cuts)
        held = self._held(self.d, positions, offsets, start, view)
        return self._turned(held.reshape(len(held), nodes, -1)).reshape(shape)


# -- the condition, decided by places --------------------------------------------------------


class Counterexample(NamedTuple):
    """An order that may not be pipelined: packet `packet` of x_`i` needs the block at `position`,
    which comes in packet `comes_in` of x_`k`; packets up to `arrived` - 1 have come by then.
    """

    d: int
    B: int
    Q: int
    i: int
    k: int
    position: int
    packet: int
    comes_in: int
    arrived: int


def first_late_block(plan: PacketPlan, algorithm: _Exchange) -> Counterexample | None:
    """The first block that is needed before it has come, by the formula of places; None if none."""
    packet_of = np.repeat(np.arange(plan.Q), plan.sizes)
    for i in range(2, algorithm.d):
        for position in map(int, algorithm.positions(i)):
            k = (position & (1 << i) - 1).bit_length() - 1
            if k < 0:
                continue
            sent, came = algorithm.place(i, position), algorithm.place(k, position)
            for offset in range(algorithm.cuts):
                p = int(packet_of[sent * algorithm.cuts + offset])
                q = int(packet_of[came * algorithm.cuts + offset])
                if q >= plan.arrived(i, p, k):
                    arrived = plan.arrived(i, p, k)
                    B = algorithm.cuts
                    return Counterexample(plan.d, B, plan.Q, i, k, position, p, q, arrived)
    return None


def smallest_counterexample(
    order: ExchangeOrder = "natural", B: int = 1, max_d: int = 6
) -> Counterexample:
    """The least (d, Q) for which an order may not be pipelined, for blocks of B items.

    Raises:
        CommunicationError: there is none up to `max_d`, as always for "reverse".
        InputError: as for `CompleteExchange.algorithm`.

    >>> example = smallest_counterexample()
    >>> example.d, example.Q, smallest_counterexample(B=2)[:3]
    (4, 6, (3, 2, 6))
    """
    for d in range(1, max_d + 1):
        algorithm = CompleteExchange(d).algorithm(B, order)
        for Q in range(1, algorithm.N + 1):
            late = first_late_block(PacketPlan(d, Q, algorithm.N), algorithm)
            if late is not None:
                return late
    rule = f"has to fail for some d up to {max_d} to have a counterexample"
    raise CommunicationError("order", rule, order)
