"""The parallel FFT of [hou, section 6.2] on a simulated network.

m = 2^(n+2d) points lie block-cyclically on 2^n processors: point x is on processor
(x_d, ..., x_(n+d-1)). The program has 1 + n + 2d stages:

    bit reversal             every processor x sends its 2^(2d) points to reverse(x)
    stages 1..d              both inputs of a butterfly are at home: 2^(2d)/2 butterflies
    stages d+1..d+n          one input is with the neighbour in dimension i-d-1: the points are
                             exchanged, then half of each of 2^(2d) butterflies is computed
    stages d+n+1..2d+n       at home again

A message costs the software latency and then its cycles in the network. With a barrier the
processors begin every stage together, and stages add up. Without one each processor goes on as
soon as the points that it waits for have arrived, so messages of several stages meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np

from lccmodel.communication.catalog import build
from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.network import Hypercube, Network, as_network
from lccmodel.routing import RoutingFunction
from lccmodel.routing.fabric import check_size
from lccmodel.wormhole.plan import Messages
from lccmodel.wormhole.published import NCUBE2, Hardware
from lccmodel.wormhole.simulation import Simulation
from lccmodel.wormhole.timing import TieRule
from lccmodel.wormhole.traffic import messages_of, waiting_for

if TYPE_CHECKING:
    from lccmodel.placement.placement_result import Placement


@dataclass(frozen=True, eq=False)
class FFTTimes(Answer, view="fft-times"):
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


MAX_D = 8
"""The engine keeps events for as many cycles as a message has flits, 16 · 4^d + 1."""


@dataclass(frozen=True, eq=False)
class FFTProgram:
    """The program on a network, ready for any number of points; `parallel_fft` makes and runs it.

    Attributes: `simulation`, whose pairs are all messages of the program, stage by stage;
    `number`, int64 of shape (n+1, 2^n): the message that a virtual processor sends in a stage,
    -1 if none; `partner`, of the same shape: the virtual processor that it exchanges with.

    >>> from lccmodel import Hypercube
    >>> program = FFTProgram.on(Hypercube(2))
    >>> program.number.shape, program.run(1 << 4).bit_reverse_cycles
    ((3, 4), 68)
    """

    simulation: Simulation
    number: Ints
    partner: Ints
    mapped: bool

    @classmethod
    def on(
        cls,
        network: Network | str,
        routing: str | RoutingFunction = "e-cube",
        mapping: Placement | Sequence[int] | Literal["optimal"] | None = None,
        tie: TieRule = "lowest-input",
    ) -> FFTProgram:
        """Prepare the program; arguments and errors as for `parallel_fft`."""
        network = as_network(network)
        check_size(network)
        reversal = build("bit-reverse", network.n)
        if isinstance(mapping, str):
            mapping = _optimal(mapping, network)
        nodes = np.arange(network.size)
        neighbours = [nodes ^ 1 << k for k in range(network.n)]
        partner = np.stack([reversal.images().astype(np.int64), *neighbours])
        sends = partner != nodes
        number = np.where(sends, np.cumsum(sends).reshape(sends.shape) - 1, -1)
        pairs = np.stack(np.broadcast_arrays(nodes, partner), axis=-1)[sends]
        simulation = Simulation.of(pairs, network, routing, mapping, tie)
        return cls(simulation, number, partner, mapping is not None)

    def run(
        self, points: int, hardware: Hardware = NCUBE2, barrier: bool = True, seed: int = 0
    ) -> FFTTimes:
        """Run it for so many points; arguments and errors as for `parallel_fft`."""
        d = self._blocks(points)
        if not isinstance(hardware, Hardware):
            raise InputError("hardware", "must be a Hardware", hardware)
        seed = checked_integer("seed", seed)
        flits = (hardware.point_bytes << 2 * d) + 1
        ready, delivered, finish = (self._staged if barrier else self._free)(
            d, hardware, flits, seed
        )
        stages = [row[row >= 0] for row in self.number]
        fabric = self.simulation.table.fabric
        return FFTTimes(
            points,
            d,
            fabric.network,
            self.simulation.table.routing.name,
            self.simulation.timing.tie,
            seed,
            self.mapped,
            barrier,
            hardware,
            flits,
            np.array([ready[m].min() if len(m) else 0 for m in stages]),
            np.array([delivered[m].max(initial=0) for m in stages]),
            np.array([(delivered - ready)[m].max(initial=0) for m in stages]),
            finish,
        )

    def reversal(self, points: int, hardware: Hardware = NCUBE2, seed: int = 0) -> int:
        """Return the cycles of the bit reversal in an empty network; errors as `parallel_fft`."""
        flits = (hardware.point_bytes << 2 * self._blocks(points)) + 1
        stage = self.number[0][self.number[0] >= 0]
        return int(self._alone(stage, flits, seed).max(initial=0))

    def _blocks(self, points: int) -> int:
        """The d of m = 2^(n+2d)."""
        n = self.simulation.table.fabric.network.n
        points = checked_integer("points", points)
        exponent = points.bit_length() - 1
        if points < 1 or points != 1 << exponent or exponent < n or (exponent - n) % 2:
            rule = f"must be 2^(n + 2d) with n = {n} and d >= 0: 2^{n}, 2^{n + 2}, 2^{n + 4}, ..."
            raise InputError("points", rule, points)
        if (d := (exponent - n) // 2) > MAX_D:
            raise SizeLimitError("points", f"at most 2^(n + 2d) with d = {MAX_D}", points)
        return d

    # -- with barriers --------------------------------------------------------------------

    def _staged(
        self, d: int, hardware: Hardware, flits: int, seed: int
    ) -> tuple[Ints, Ints, Fraction]:
        """Stage after stage in an empty network: generated, delivered, and the sum of the times."""
        ready = np.zeros(len(self.simulation.sent.pairs), dtype=np.int64)
        delivered = np.zeros_like(ready)
        local, shared = computation_time(d, hardware)
        finish = 2 * d * local + (len(self.number) - 1) * shared
        for row in self.number:
            stage = row[row >= 0]
            delivered[stage] = self._alone(stage, flits, seed)
            finish += hardware.message(int(delivered[stage].max(initial=0)))
        return ready, delivered, finish

    def _alone(self, stage: Ints, flits: int, seed: int) -> Ints:
        """When the messages of a stage are delivered, generated at cycle 0 in an empty network."""
        simulation, zeros = self.simulation, np.zeros(len(stage), dtype=np.int64)
        sent = messages_of(simulation.table, simulation.sent, zeros, stage, flits, seed)
        return simulation.execute(sent, seed=seed).delivered

    # -- without barriers -----------------------------------------------------------------

    def _free(
        self, d: int, hardware: Hardware, flits: int, seed: int
    ) -> tuple[Ints, Ints, Fraction]:
        """Every processor goes on when its points are there."""
        local, shared = computation_time(d, hardware)
        messages = self._dependent(d * local, shared, hardware, flits, seed)
        outcome = self.simulation.execute(messages, seed=seed)
        last = int(outcome.delivered[self.number[-1]].max())
        return outcome.ready, outcome.delivered, hardware.message(last) + shared + d * local

    def _dependent(
        self, home: Fraction, shared: Fraction, hardware: Hardware, flits: int, seed: int
    ) -> Messages:
        """The messages, each waiting for what its sender receives in the stage before.

        A processor whose address is its own reverse sends itself its points: that takes the
        software latency and no cycle of the network.
        """
        table, sent = self.simulation.table, self.simulation.sent
        ready, delay = np.zeros((2, len(sent.pairs)), dtype=np.int64)
        awaited, waiting = [], []
        for stage in range(1, len(self.number)):
            own = self.number[stage]
            before = self.number[stage - 1, self.partner[stage - 1]]
            wait = hardware.cycles((home if stage == 1 else shared) + hardware.latency)
            delay[own] = delay[self.number[stage - 1]].max(initial=0) + wait
            ready[own[before < 0]] = wait
            awaited.append(before[before >= 0])
            waiting.append(own[before >= 0])
        alone = messages_of(table, sent, ready, np.arange(len(ready)), flits, seed)
        return waiting_for(alone, np.concatenate(awaited), np.concatenate(waiting), delay)


def _optimal(mapping: str, network: Network) -> Placement:
    """The reordering that frees the bit reversal of contention."""
    from lccmodel.placement.mapping.solve import optimal_reordering

    if mapping != "optimal":
        rule = 'must be a Placement, an order, "optimal" or None'
        raise InputError("mapping", rule, mapping)
    return optimal_reordering(build("bit-reverse", network.n), network)


@typed_arguments
def parallel_fft(
    points: int,
    network: Network | str | None = None,
    routing: str | RoutingFunction = "e-cube",
    mapping: Placement | Sequence[int] | Literal["optimal"] | None = None,
    hardware: Hardware = NCUBE2,
    *,
    barrier: bool = True,
    tie: TieRule = "lowest-input",
    seed: int = 0,
) -> FFTTimes:
    """Simulate the parallel FFT and say what each part takes [hou, section 6.2].

    Args:
        points: 2^(n+2d), d = 0..8.
        network: with 2^n nodes; the 8-dimensional hypercube of the paper if left out.
        routing: a name or a routing function.
        mapping: a `Placement`, an order, or "optimal": the best reordering for the bit reversal.
        hardware: times of the machine.
        barrier: whether the processors begin every stage together, as the figures of the paper
            have it, or go on when their points have arrived. Delays are then rounded up to whole
            cycles.
        tie, seed: who goes first among headers that arrive together.

    Raises:
        InputError: points that do not fit, an unknown tie rule, ...
        SizeLimitError: d > 8.
        RoutingError, NetworkError: as `simulate`.

    >>> times = parallel_fft(1024)
    >>> times.bit_reverse_cycles, times.neighbour_cycles[:3], times.flits
    (533, (67, 67, 67), 65)
    >>> float(times.computation), float(times.bit_reverse), float(times.execution)
    (163.52, 467.81, 2248.85)
    >>> parallel_fft(1024, mapping="optimal").bit_reverse_cycles
    74
    """
    if network is not None:
        network = as_network(network)
    program = FFTProgram.on(Hypercube(8) if network is None else network, routing, mapping, tie)
    return program.run(points, hardware, barrier, seed)
