"""The bit-correction lattice: where messages stand as their address bits are corrected.

Dimension-ordered routing corrects one address bit after another. After the bits in S are
corrected, the message from x to y stands at the node p_S(x) with bit y_k for k in S and x_k
elsewhere. For y = Ax + b this map is affine, and two ranks say everything about it:

    occupancy(S) = 2^(|S| - rank A_(S,S))          messages in each occupied node
    load(S, j)   = 2^(|S| - rank A_(S+j, S))       messages on the busiest channel when bit j is
                                                   corrected next; 0 if y_j = x_j for all x

Why: the messages that stand at one node, or cross one channel, agree in y_k for k in S (and in
y_j), and in x_k elsewhere. What is left free is x_S, and A_(S,S) x_S (or A_(S+j,S) x_S) is fixed:
the solutions of such a system are none, or a coset of the kernel.

By hand, for the exchange of two bits, y = (x_1, x_0):

    S      p_S(x)        occupancy    next j    load
    {}     (x_0, x_1)    1            0         2^(0-0) = 1
    {0}    (x_1, x_1)    2^(1-0)=2    1         2^(1-1) = 1
    {0,1}  (x_1, x_0)    2^(2-2)=1

An order of correcting bits is a path from {} to all bits. Two variations:

- *Internal bits* I lie inside a router (bit 0 of a bristled hypercube). They are never corrected
  on a channel and their columns are always free: A_(S,S∪I), A_(S+j,S∪I), with |S| + |I| for |S|.
- A *scatter* sends from x = Ay + b to y. Its messages are a gather's sent back, and what is fixed
  are y_S and x outside S. With R the bits still to correct, its load at (S, j) is the gather's
  load at (R - j, j): the same path, walked from its other end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lccmodel.communication.lcc import LCC, require_lcc
from lccmodel.errors import InputError, checked_integers
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Viewed
from lccmodel.lattice.counts import as_set
from lccmodel.lattice.ranks import Ranks


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One step of a walk: after `corrected`, bit `bit` is corrected next.

    `occupancy` counts the messages in each occupied node before the step, `load` those on the
    busiest channel during it.

    >>> from lccmodel import catalog
    >>> from lccmodel.lattice import CorrectionLattice
    >>> CorrectionLattice(catalog.bit_reverse(3)).walk(range(3))[1]
    WalkStep(corrected=(0,), bit=1, occupancy=2, load=0)
    """

    corrected: tuple[int, ...]
    bit: int
    occupancy: int
    load: int


@typed_arguments
@dataclass(frozen=True, slots=True)
class CorrectionLattice(Viewed, view="lattice"):
    """The subsets of address bits that may have been corrected, for one communication.

    Args:
        communication: the messages.
        internal: the bits that lie inside a router; none on a hypercube, (0,) on a bristled one.

    Raises:
        CommunicationError: `communication` is not an LCC.
        InputError: a bit is outside 0..n-1, is named twice, or is internal where it must not be.

    >>> lattice = CorrectionLattice(LCC([[0, 1], [1, 0]]))
    >>> lattice.occupancy([0]), lattice.load([0], 1)
    (2, 1)
    >>> [step.load for step in lattice.walk([1, 0])]
    [1, 1]
    """

    communication: LCC
    internal: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        require_lcc(self.communication)
        bits = _checked_bits("internal", self.internal, self.communication.n)
        object.__setattr__(self, "internal", bits)

    @property
    def external(self) -> tuple[int, ...]:
        """The bits that are corrected on channels, ascending."""
        return tuple(k for k in range(self.communication.n) if k not in self.internal)

    def occupancy(self, corrected: Iterable[int]) -> int:
        """Return the messages in each occupied node once the bits in `corrected` are corrected."""
        return self._ranks.occupancy(as_set(self._checked(corrected)))

    def load(self, corrected: Iterable[int], bit: int) -> int:
        """Return the messages on the busiest channel when `bit` is corrected after `corrected`.

        0 if no message changes that bit. Every channel of the dimension that carries a message
        carries exactly this many.
        """
        done = self._checked(corrected)
        self._checked([*done, bit])
        return self._ranks.load(as_set(done), bit)

    def loads(self, order: Sequence[int]) -> tuple[int, ...]:
        """Return the load of each step if the bits are corrected in this order; O(n²) word steps.

        Args:
            order: all external bits, each once.

        >>> CorrectionLattice(LCC([[0, 1], [1, 0]])).loads([0, 1])
        (1, 1)
        """
        return self._ranks.loads(self._checked_order(order))

    def walk(self, order: Sequence[int]) -> tuple[WalkStep, ...]:
        """Return every step of a walk with its occupancy and load."""
        bits = self._checked_order(order)
        loads = self.loads(bits)
        return tuple(
            WalkStep(bits[:k], bit, self.occupancy(bits[:k]), loads[k])
            for k, bit in enumerate(bits)
        )

    def position(self, corrected: Iterable[int], source: Any, destination: Any) -> Any:
        """Return p_S: the destination's bits in `corrected`, the source's elsewhere.

        Works on ints and on integer arrays of equal shape.

        >>> bin(CorrectionLattice(LCC([[0, 1], [1, 0]])).position([0], 0b10, 0b01))
        '0b11'
        """
        mask = as_set(self._checked(corrected))
        if isinstance(source, (int, np.integer)):
            return int(source) ^ ((int(source) ^ int(destination)) & mask)
        return source ^ ((source ^ destination) & mask)

    @property
    def _ranks(self) -> Ranks:
        return Ranks(self.communication, self.internal)

    def _checked(self, corrected: Iterable[int]) -> tuple[int, ...]:
        bits = _checked_bits("corrected", corrected, self.communication.n)
        for bit in bits:
            if bit in self.internal:
                rule = "an internal bit is never corrected on a channel"
                raise InputError("corrected", rule, bit)
        return bits

    def _checked_order(self, order: Sequence[int]) -> tuple[int, ...]:
        bits = checked_integers("order", order)
        if sorted(bits) != list(self.external):
            rule = f"must name each of the bits {list(self.external)} once"
            raise InputError("order", rule, list(bits))
        return bits


def _checked_bits(argument: str, bits: Iterable[int], n: int) -> tuple[int, ...]:
    checked = checked_integers(argument, bits)
    if len(set(checked)) != len(checked) or not all(0 <= bit < n for bit in checked):
        raise InputError(argument, f"must be distinct bits of 0..{n - 1}", list(checked))
    return checked
