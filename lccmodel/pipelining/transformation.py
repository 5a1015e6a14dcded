"""Communication pipelining: a CC-cube algorithm cut into packets, as a plan that can be run.

A CC-cube algorithm computes a vector x_0 of N items, exchanges it with the neighbour in dimension
0, computes x_1, exchanges it in dimension 1, and so on up to dimension d-1 [calmant 2.2]. Cut
each vector into Q packets and let iteration t compute and exchange packet t - j of x_j, for every
dimension j that has such a packet [calmant 2.4]:

    d = 3, Q = 4        t = 0   1   2   3   4   5
        dimension 0         0   1   2   3
        dimension 1             0   1   2   3
        dimension 2                 0   1   2   3
                         prologue  kernel  epilogue

Packet p of x_i is computed in iteration i + p. By then the packets of x_k, k < i, that were sent
up to iteration i + p - 1 have arrived: those numbered p + i - k - 1 and below. One item to a
packet (Q = N, items and packets counted from 1 as in the print) that is

    x_i[j] may depend on  x_(i-1)[1..j], x_(i-2)[1..j+1], ..., x_1[1..j+i-2], x_0[1..j+i-1].

The print ends this list at x_1. Taken at its word that forbids x_2 to read x_0, which the
complete exchange does from three dimensions on, so x_0[1..j+i-1] belongs to the list. An
algorithm that meets the condition for Q = N meets it for every Q, also with uneven packets: the
last item of packet p lies at least r items before the last item of packet p + r.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError, checked_integer

PipelinePart = Literal["prologue", "kernel", "epilogue"]


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration: compute these packets, then exchange all of them.

    Attributes:
        t: its number, from 0.
        phase: "prologue", "kernel" or "epilogue".
        k: its number in the phase, from 1 as in the print.
        packets: pairs (dimension, packet), dimensions ascending and consecutive.
    """

    t: int
    phase: PipelinePart
    k: int
    packets: tuple[tuple[int, int], ...]

    @property
    def task(self) -> tuple[int, int]:
        """(i, M): the exchange is the task ⟨i,M⟩ through dimensions i, ..., i+M-1."""
        return self.packets[0][0], len(self.packets)


@typed_arguments
@dataclass(frozen=True, slots=True)
class PacketPlan:
    """The pipelined form of a CC-cube algorithm: which dimension carries which packet, when.

    Args:
        d: dimensions of the CC-cube, at least 1.
        Q: pipelining degree, the packets that a vector is cut into; 1 is the plain algorithm.
        N: items in a vector; packets differ by at most one item. Left out: any N >= Q.

    Raises:
        InputError: d < 1, Q < 1, Q > N, or not integers.

    >>> plan = PacketPlan(3, 4)
    >>> [len(phase) for phase in (plan.prologue, plan.kernel, plan.epilogue)]
    [2, 2, 2]
    >>> plan.kernel[0].task, plan.epilogue[0].task
    ((0, 3), (1, 2))
    """

    d: int
    Q: int
    N: int | None = None

    def __post_init__(self) -> None:
        for name in ("d", "Q") if self.N is None else ("d", "Q", "N"):
            value = checked_integer(name, getattr(self, name), least=1)
            object.__setattr__(self, name, value)
        if self.N is not None and self.Q > self.N:
            rule = f"must be at most N = {self.N}: a packet has at least one item"
            raise InputError("Q", rule, self.Q)

    @property
    def regime(self) -> Literal["shallow", "deep"]:
        """Whether a kernel iteration uses Q < d dimensions, or all d."""
        return "shallow" if self.Q < self.d else "deep"

    @property
    def n_iterations(self) -> int:
        """d + Q - 1."""
        return self.d + self.Q - 1

    def iteration(self, t: int) -> Iteration:
        """Iteration t, from 0.

        Raises:
            InputError: t is not in 0..d+Q-2.

        >>> PacketPlan(3, 4).iteration(4)
        Iteration(t=4, phase='epilogue', k=1, packets=((1, 3), (2, 2)))
        """
        t = checked_integer("t", t)
        if not 0 <= t < self.n_iterations:
            raise InputError("t", f"must be in 0..{self.n_iterations - 1}", t)
        ramp = min(self.d, self.Q) - 1
        first, last = max(0, t - self.Q + 1), min(self.d - 1, t)
        packets = tuple((j, t - j) for j in range(first, last + 1))
        end = self.n_iterations - ramp
        if t < ramp:
            return Iteration(t, "prologue", t + 1, packets)
        if t < end:
            return Iteration(t, "kernel", t - ramp + 1, packets)
        return Iteration(t, "epilogue", t - end + 1, packets)

    @property
    def iterations(self) -> tuple[Iteration, ...]:
        """All iterations in order."""
        return tuple(map(self.iteration, range(self.n_iterations)))

    @property
    def prologue(self) -> tuple[Iteration, ...]:
        """The min(d, Q) - 1 iterations that use one dimension more each time."""
        return self._phase("prologue")

    @property
    def kernel(self) -> tuple[Iteration, ...]:
        """The |d - Q| + 1 iterations that use min(d, Q) dimensions."""
        return self._phase("kernel")

    @property
    def epilogue(self) -> tuple[Iteration, ...]:
        """The min(d, Q) - 1 iterations that use one dimension less each time."""
        return self._phase("epilogue")

    def _phase(self, phase: PipelinePart) -> tuple[Iteration, ...]:
        return tuple(each for each in self.iterations if each.phase == phase)

    @property
    def tasks(self) -> tuple[tuple[int, int], ...]:
        """(i, M) of every iteration.

        >>> PacketPlan(3, 2).tasks
        ((0, 1), (0, 2), (1, 2), (2, 1))
        """
        return tuple(each.task for each in self.iterations)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Items in each packet; the first N mod Q packets have one more than the others.

        Raises:
            InputError: N was not given.

        >>> PacketPlan(3, 4, 10).sizes
        (3, 3, 2, 2)
        """
        if self.N is None:
            raise InputError("N", "must be given to know the sizes of packets", None)
        size, more = divmod(self.N, self.Q)
        return (size + 1,) * more + (size,) * (self.Q - more)

    @property
    def packets(self) -> tuple[range, ...]:
        """The items of each packet, from 0.

        Raises:
            InputError: N was not given.
        """
        return tuple(range(a, b) for a, b in pairwise([0, *accumulate(self.sizes)]))

    def arrived(self, i: int, p: int, k: int) -> int:
        """How many packets of x_k have arrived when packet p of x_i is computed.

        >>> [PacketPlan(4, 9).arrived(3, 2, k) for k in range(4)]
        [5, 4, 3, 2]
        """
        return min(self.Q, max(0, p + i - k))
