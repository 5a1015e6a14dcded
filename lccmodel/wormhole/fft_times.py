"""The times of a parallel FFT, as [hou, Table 1] has them: in cycles, and on a machine."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lccmodel._arrays import Ints
from lccmodel.network import Network
from lccmodel.views import Viewed
from lccmodel.wormhole.printed import Hardware
from lccmodel.wormhole.timing import TieRule


@dataclass(frozen=True, eq=False)
class FFTTimes(Viewed, view="fft-times"):
    """What the parallel FFT took. Times are exact fractions of a microsecond.

    Attributes:
        points, d: m = 2^(n+2d).
        network, routing, tie, seed: where it was simulated.
        mapped: whether processors were renamed.
        barrier: whether stages begin together.
        hardware: the times of the machine.
        flits: length of every message.
        first, last: int64 of shape (n+1,): for the bit reversal and then every exchange with
            neighbours, the cycle in which its first message was generated, and the one in which
            its last was delivered. With a barrier every stage begins at cycle 0; without one
            cycle 0 is that of the bit reversal, after its software latency.
        longest: int64 of shape (n+1,): cycles from generation to delivery of the message of the
            stage that took longest.
        finish: when the last processor is done.

    >>> from lccmodel.wormhole import parallel_fft
    >>> parallel_fft(1 << 8).bit_reverse_cycles
    149
    """

    points: int
    d: int
    network: Network
    routing: str
    tie: TieRule
    seed: int
    mapped: bool
    barrier: bool
    hardware: Hardware
    flits: int
    first: Ints
    last: Ints
    longest: Ints
    finish: Fraction

    @property
    def bit_reverse_cycles(self) -> int:
        """Cycles of the longest message of the bit reversal."""
        return int(self.longest[0])

    @property
    def neighbour_cycles(self) -> tuple[int, ...]:
        """Cycles of the longest message of every exchange with neighbours."""
        return tuple(self.longest[1:].tolist())

    @property
    def computation(self) -> Fraction:
        """Time that every processor computes."""
        local, shared = computation_time(self.d, self.hardware)
        return 2 * self.d * local + self.network.n * shared

    @property
    def bit_reverse(self) -> Fraction:
        """Time of the bit reversal, software latency included."""
        return self.hardware.message(self.bit_reverse_cycles)

    @property
    def neighbour(self) -> Fraction:
        """Time of all exchanges with neighbours, software latency included."""
        return sum((self.hardware.message(c) for c in self.neighbour_cycles), Fraction(0))

    @property
    def execution(self) -> Fraction:
        """Time of the whole program: with a barrier the sum of its three parts."""
        return self.finish

    @property
    def overlap(self) -> int:
        """Cycles in which messages of the bit reversal and of a later stage are on their way.

        With a barrier there are none.
        """
        if self.barrier:
            return 0
        return max(0, int(self.last[0] - self.first[1:].min()))

    def __repr__(self) -> str:
        synchronised = "with barriers" if self.barrier else "without barriers"
        return (
            f"FFTTimes({self.points} points on {self.network.spec}, {self.routing}, "
            f"{synchronised}: bit reversal {self.bit_reverse_cycles} cycles, "
            f"neighbours {sum(self.neighbour_cycles)}, {float(self.execution):.2f} us)"
        )


def computation_time(d: int, hardware: Hardware) -> tuple[Fraction, Fraction]:
    """Time of a stage at home, and of the butterflies after an exchange."""
    held = 1 << 2 * d
    return Fraction(held, 2) * hardware.butterfly, held * hardware.half_butterfly
