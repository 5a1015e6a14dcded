"""Sibeyn's decomposition of an affine permutation into one-bit operations [sibeyn, section 2].

A permutation matrix B gives the processor with number x the index x' = Bx. In the indices

    BAB⁻¹ = EΓ⁽⁰⁾ ... EΓ⁽ⁿ⁻¹⁾ VL⁽ⁿ⁻¹⁾ ... VL⁽⁰⁾                                          (1)

where EΓ⁽ⁱ⁾ exchanges the bits i and i + 1 or does nothing, and VL⁽ⁱ⁾ is the identity but for row i,
whose entry i is 1. Consecutive exchanges k, ..., l-1 make an elementary cycle EC⁽ᵏˡ⁾ (y_(i+1) = x_i
for k <= i < l, y_k = x_l). Every cycle is moved to the right, past the operations with j > l:

    W⁽ʲ⁾ = P VL⁽ʲ⁾ P⁻¹,  P the product of the cycles with l < j                              (4)

(printed without the inverse and for 0 < i < s only; see `sibeyn.eq4` of the proof checker). The
vector b is brought into the operations as one bit c_j for each:

    y = ... (c_(l+1) + W⁽ˡ⁺¹⁾)  EC⁽ᵏˡ⁾ (c_l + W⁽ˡ⁾) ... (c_k + W⁽ᵏ⁾)  ... (c_0 + W⁽⁰⁾ x)    (5)

The change of basis B brings it about that row i or i + 1 has an entry in column i when its turn
comes. Row i + 1 takes the free column of a walk through the correction lattice, so the search for B
is the walk of LCP_Optimizer [hou, Theorem 4]: `contention_free_walk`, with *swap*. The passes
correct the bits in another order, that of the operations.

By hand, for y = (x_1, x_0 + x_1): a_00 = 0 and a_10 = 1, so EΓ⁽⁰⁾ exchanges the rows. Row 0 is then
x_0 + x_1 and gives VL⁽⁰⁾ = [[1, 1], [0, 1]]; VL⁽¹⁾ = I; there is one cycle (0, 1), and W = VL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lccmodel.communication.lcc import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Viewed
from lccmodel.placement.contention_free_orders import contention_free_walk, ranks_of_a_permutation

Cycle = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Operation:
    """One pass: a selective complement of one bit.

    Attributes:
        i: the pass; W⁽ⁱ⁾ and c_i say who is selected.
        index_bit: the bit of the index that is corrected: i; in a cycle i + 1, and k in the last
            pass of a cycle.
        bit: that bit of the processor number.
        row: row i of W⁽ⁱ⁾, packed, on bits of the index.
        c: the bit c_i.
        cycle: (k, l), or None outside of cycles.
    """

    i: int
    index_bit: int
    bit: int
    row: int
    c: int
    cycle: Cycle | None

    @property
    def is_idle(self) -> bool:
        """Whether no message is selected: the pass may be skipped.

        Only outside of cycles: there every pass moves messages.
        """
        return self.cycle is None and self.row == 1 << self.i and not self.c

    def believed(self, index: Any) -> Any:
        """Return the vector ȳ that the data in olddata of a processor would have in its place.

        What the data would have reached by BCsRoute after pass i - 1, as far as the index of the
        processor tells (ECBCsRoute); outside of cycles, and in the first pass of one, the index.

        Args:
            index: an index x', or an integer array of them.

        >>> Operation(2, 0, 0, 4, 0, (0, 2)).believed(0b100)       # (x_2, x_2, x_1)
        6
        """
        if self.cycle is None:
            return index
        k = self.cycle[0]
        settled = (1 << self.i - k) - 1  # bits k..i-1 of ȳ stand in bits k+1..i of the index
        return index & ~(settled << k) | (index >> k + 1 & settled) << k


@dataclass(frozen=True, repr=False)
class Decomposition(Viewed, view="decomposition"):
    """The parts of (1), (4) and (5) for y = Ax + b. Made by `decompose`.

    Attributes:
        communication: the permutation (A, b).
        bits: B as an order: bits[i] is the bit of the number that is bit i of the index.
        exchanged: the i for which EΓ⁽ⁱ⁾ exchanges i and i + 1, ascending.
        VL_rows, W_rows: row i of VL⁽ⁱ⁾ and of W⁽ⁱ⁾, packed.
        cycles: the pairs (k, l), ascending; l of one is less than k of the next.
        c: the bits c_i.

    >>> from lccmodel.permutations.simd_mesh import decompose
    >>> from lccmodel import catalog
    >>> decomposition = decompose(catalog.perfect_shuffle(3))
    >>> decomposition.bits, decomposition.exchanged
    ((0, 1, 2), (0, 1))
    """

    communication: LCC
    bits: tuple[int, ...]
    exchanged: tuple[int, ...]
    VL_rows: tuple[int, ...]
    cycles: tuple[Cycle, ...]
    W_rows: tuple[int, ...]
    c: GF2Vector

    @property
    def n(self) -> int:
        """Number of address bits."""
        return len(self.bits)

    @property
    def B(self) -> GF2Matrix:
        """The change of basis: index = B number."""
        return GF2Matrix.from_order(self.bits)

    @property
    def exchanges(self) -> tuple[GF2Matrix, ...]:
        """EΓ⁽⁰⁾, ..., EΓ⁽ⁿ⁻¹⁾."""
        unit = range(self.n)
        return tuple(
            GF2Matrix.from_order(
                [i + 1 if m == i else i if m == i + 1 else m for m in unit]
                if i in self.exchanged
                else unit
            )
            for i in unit
        )

    @property
    def VL(self) -> tuple[GF2Matrix, ...]:
        """VL⁽⁰⁾, ..., VL⁽ⁿ⁻¹⁾."""
        return _with_rows(self.VL_rows)

    @property
    def EC(self) -> tuple[GF2Matrix, ...]:
        """The elementary cycles EC⁽ᵏˡ⁾ of equation (3) as matrices: products of runs of EΓ⁽ⁱ⁾."""
        factors = []
        for k, l in self.cycles:  # noqa: E741 - the paper's letter
            order = list(range(self.n))  # bit i + 1 comes from bit i, bit k from bit l
            order[k : l + 1] = [l, *range(k, l)]
            factors.append(GF2Matrix.from_order(order))
        return tuple(factors)

    @property
    def W(self) -> tuple[GF2Matrix, ...]:
        """W⁽⁰⁾, ..., W⁽ⁿ⁻¹⁾."""
        return _with_rows(self.W_rows)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """The n passes of the routing, in order."""
        done = []
        for i in range(self.n):
            cycle = next((pair for pair in self.cycles if pair[0] <= i <= pair[1]), None)
            corrected = i
            if cycle is not None:
                corrected = i + 1 if i < cycle[1] else cycle[0]
            bit = self.bits[corrected]
            done.append(Operation(i, corrected, bit, self.W_rows[i], self.c[i], cycle))
        return tuple(done)

    @property
    def order(self) -> tuple[int, ...]:
        """The bits of the number in the order in which they are corrected."""
        return tuple(operation.bit for operation in self.operations)

    def __repr__(self) -> str:
        return f"Decomposition(bits={self.bits}, cycles={self.cycles}, c={list(self.c)})"


@typed_arguments
def decompose(communication: LCC) -> Decomposition:
    """Decompose a linear-complement permutation, in O(n²) steps on packed rows.

    Where the algorithm leaves a choice of j (step 2.a) it takes the least.

    Raises:
        CommunicationError: not an LCC, or not a permutation.

    >>> parts = decompose(LCC([[0, 1], [1, 1]], [1, 0]))
    >>> parts.bits, parts.exchanged, parts.cycles, parts.VL_rows, list(parts.c)
    ((0, 1), (0,), ((0, 1),), (3, 2), [0, 1])
    """
    rule = "must be a permutation: every node receives one message, so A is nonsingular"
    bits = contention_free_walk(ranks_of_a_permutation(communication, rule), swap=True)
    exchanged, VL_rows = _factor(communication.A.conjugate(GF2Matrix.from_order(bits)))
    cycles = _cycles(exchanged)
    W_rows = _moved_past(VL_rows, cycles)
    b = sum(communication.b[bit] << i for i, bit in enumerate(bits))
    c = _vectors(b, W_rows, cycles)
    return Decomposition(communication, bits, exchanged, VL_rows, cycles, W_rows, c)


def _factor(A: GF2Matrix) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The i with an exchange and the rows of VL, for A in the indices [sibeyn, section 2]."""
    rows = list(A.rows)
    exchanged: list[int] = []
    VL: list[int] = []
    for i in range(len(rows)):
        column = 1 << i
        if not rows[i] & column:
            exchanged.append(i)
            rows[i], rows[i + 1] = rows[i + 1], rows[i]
        VL.append(rows[i])
        cleared = rows[i] ^ column  # A VL⁽ⁱ⁾: every row with an entry i gets this
        rows = [row ^ cleared if row & column else row for row in rows]
    return tuple(exchanged), tuple(VL)


def _cycles(exchanged: Sequence[int]) -> tuple[Cycle, ...]:
    """Runs k, ..., l-1 of exchanges as cycles (k, l)."""
    cycles: list[Cycle] = []
    for i in exchanged:
        if cycles and cycles[-1][1] == i:
            cycles[-1] = (cycles[-1][0], i + 1)
        else:
            cycles.append((i, i + 1))
    return tuple(cycles)


def _moved_past(VL_rows: Sequence[int], cycles: Sequence[Cycle]) -> tuple[int, ...]:
    """The rows of W⁽ʲ⁾ = P VL⁽ʲ⁾ P⁻¹: the entry m of VL⁽ʲ⁾ comes to where P takes bit m."""
    W = []
    for j, row in enumerate(VL_rows):
        for cycle in cycles:
            if cycle[1] < j:
                row = _turned(row, cycle, 1)
        W.append(row)
    return tuple(W)


def _turned(vector: int, cycle: Cycle, direction: int) -> int:
    """EC⁽ᵏˡ⁾ applied to a packed vector, or its inverse for direction -1."""
    k, length = cycle[0], cycle[1] - cycle[0] + 1
    field = (1 << length) - 1
    part = vector >> k & field
    if direction > 0:
        turned = (part << 1 | part >> length - 1) & field
    else:
        turned = part >> 1 | (part & 1) << length - 1
    return vector & ~(field << k) | turned << k


def _vectors(b: int, W_rows: Sequence[int], cycles: Sequence[Cycle]) -> GF2Vector:
    """The bits c_j; b is that of the indices, Bb."""
    n = len(W_rows)
    ends = {cycle[1]: cycle for cycle in cycles}
    c = 0
    for j in reversed(range(n)):
        if j in ends:
            b = _turned(b, ends[j], -1)
        c |= ((b & W_rows[j]).bit_count() & 1) << j
        b &= ~(1 << j)
    return GF2Vector.from_int(c, n)


def _with_rows(rows: Sequence[int]) -> tuple[GF2Matrix, ...]:
    n = len(rows)
    unit = [1 << m for m in range(n)]
    return tuple(
        GF2Matrix.from_rows([*unit[:i], row, *unit[i + 1 :]], n) for i, row in enumerate(rows)
    )
