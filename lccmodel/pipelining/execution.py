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

**Runs**, with real data, every exchange and every read checked. The 2^d processes run one program,
so an array holds all of them: an axis of processes, one of items, then whatever an item is. A
process of its own (`lccmodel.mpi.pipelined`) holds its row. A packet is computed from what each
process holds, what it has computed, and what it has received so far [calmant 2.4]; `ProcessView` is
the only way there, and it knows what has come.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, Literal, Protocol

import numpy as np

from lccmodel.errors import CommunicationError, InputError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array
from lccmodel.ground.views import Answer
from lccmodel.ground.words import checked_word

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


def checked_dimensions(d: Any, most: int, why: str = "") -> int:
    """Return the dimensions of a CC-cube that holds all data of its 2^d processes.

    Raises:
        InputError: not an integer of at least 1; SizeLimitError: more than `most`.
    """
    if (number := checked_integer("d", d, least=1)) > most:
        raise SizeLimitError("d", f"must be at most {most}{why}", number)
    return number


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
        """Return iteration t, from 0.

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
        return tuple(iteration for iteration in self.iterations if iteration.phase == phase)

    @property
    def tasks(self) -> tuple[tuple[int, int], ...]:
        """(i, M) of every iteration.

        >>> PacketPlan(3, 2).tasks
        ((0, 1), (0, 2), (1, 2), (2, 1))
        """
        return tuple(iteration.task for iteration in self.iterations)

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
        """Return how many packets of x_k have arrived when packet p of x_i is computed.

        >>> [PacketPlan(4, 9).arrived(3, 2, k) for k in range(4)]
        [5, 4, 3, 2]
        """
        return min(self.Q, max(0, p + i - k))


Items = slice | range | Sequence[int] | Array
Check = Literal["raise", "report"]

_PAST = {"own": "has been computed", "received": "has arrived"}


class CubeAlgorithm(Protocol):
    """A CC-cube algorithm, one program for all processes.

    Arrays have an axis of 2^d processes, then one of items, then whatever an item is. `items`
    are the same for every process; `view` is the only way to earlier vectors.
    """

    @property
    def d(self) -> int:
        """Dimensions of the CC-cube."""

    @property
    def N(self) -> int:
        """Items in a vector."""

    def start(self, data: Any) -> Any:
        """What each process holds before the first exchange."""

    def compute(self, i: int, items: range, local: Any, view: ProcessView) -> Array:
        """These items of x_i: shape (2^d, len(items), ...)."""

    def finish(self, local: Any, view: ProcessView) -> Any:
        """The result, after the last exchange."""


class DividedAlgorithm(CubeAlgorithm, Protocol):
    """One that any of the processes can run by themselves, with a row of arrays for each."""

    def of(self, processes: Sequence[int]) -> CubeAlgorithm:
        """The same algorithm as these processes run it."""


Exchanger = Callable[[Iteration, Sequence[Array]], Sequence[Array]]
"""From an iteration and its packets, a row for each process, to the packets of the neighbours."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A packet was computed from an item that was not there yet.

    Attributes: packet `packet` of x_`i` read item `item` (from 0) of x_`k`, `source` "received"
    or "own", when `available` items of it had come.
    """

    i: int
    packet: int
    k: int
    item: int
    available: int
    source: str


@dataclass(frozen=True, slots=True)
class PipelinedRun(Answer, view="run"):
    """The outcome of `run_pipelined`.

    Attributes:
        result: what the algorithm returns.
        plan: with N.
        violations: reads of what had not arrived; empty if the algorithm may be pipelined so.
        reach: (i, k) -> the largest r such that packet p of x_i read packet p + r of what was
            received through dimension k. The condition is r <= i - k - 1.
    """

    result: Any
    plan: PacketPlan
    violations: tuple[Violation, ...]
    reach: dict[tuple[int, int], int]


@dataclass(slots=True)
class ProcessView:
    """What the processes have computed and received so far; reads are checked and recorded."""

    _plan: PacketPlan
    _packets: tuple[range, ...]
    _strict: bool
    _rows: int
    _own: dict[int, Array] = field(default_factory=dict)
    _received: dict[int, Array] = field(default_factory=dict)
    _available: dict[tuple[str, int], int] = field(default_factory=dict)
    _violations: list[Violation] = field(default_factory=list)
    _reach: dict[tuple[int, int], int] = field(default_factory=dict)
    _now: tuple[int, int] = (0, 0)

    def own(self, k: int, items: Items) -> Array:
        """Items of x_k that each process computed itself: shape (2^d, number of items, ...).

        Raises:
            CommunicationError: not computed yet.
        """
        return self._read("own", self._own, k, items)

    def received(self, k: int, items: Items) -> Array:
        """Items of x_k that each process received: shape (2^d, number of items, ...).

        Raises:
            CommunicationError: not arrived yet.
        """
        return self._read("received", self._received, k, items)

    def _read(self, source: str, vectors: dict[int, Array], k: int, items: Items) -> Array:
        N = self._packets[-1].stop
        wanted = np.arange(N)[items] if isinstance(items, slice) else np.asarray(items, np.intp)
        if wanted.size:
            self._check(source, k, wanted)
        if k not in vectors:  # nothing of it yet: zeros, like the rest of an unfilled buffer
            like = next(iter(self._own.values()), None)
            if like is None:
                rule = "must make its first packet of the data alone: what an item is like"
                raise CommunicationError("algorithm", f"{rule} is not known before", f"x_{k}")
            vectors[k] = np.zeros_like(like)
        return vectors[k][:, wanted]

    def _check(self, source: str, k: int, wanted: Array) -> None:
        i, p = self._now
        last = int(wanted.max())
        packet = bisect_right(self._packets, last, key=lambda items: items.start) - 1
        if source == "received" and i < self._plan.d:
            self._reach[i, k] = max(packet - p, self._reach.get((i, k), -self._plan.Q))
        available = self._available.get((source, k), 0)
        if last < available:
            return
        violation = Violation(i, p, k, int(wanted[wanted >= available].min()), available, source)
        if self._strict:
            rule = (
                f"packet {p} of x_{i}, made in iteration {i + p}, may read items "
                f"0..{available - 1} of x_{k} only: no more {_PAST[source]} by then"
                if available
                else f"packet {p} of x_{i} must not read x_{k}: nothing of it {_PAST[source]} yet"
            )
            raise CommunicationError("algorithm", rule, violation)
        self._violations.append(violation)

    def _enter(self, i: int, p: int) -> None:
        self._now = (i, p)

    def _store(self, i: int, p: int, computed: Array) -> Array:
        """Keep a packet; returns it."""
        items, nodes = self._packets[p], self._rows
        if computed.shape[:2] != (nodes, len(items)):
            rule = f"x_{i} must come as an array of shape ({nodes}, {len(items)}, ...)"
            raise InputError("algorithm", rule, computed.shape)
        if i not in self._own:
            shape = (nodes, self._packets[-1].stop, *computed.shape[2:])
            self._own[i] = np.zeros(shape, computed.dtype)
        self._own[i][:, items.start : items.stop] = computed
        self._available["own", i] = items.stop
        return computed

    def _arrive(self, i: int, p: int, packet: Array) -> None:
        items = self._packets[p]
        if i not in self._received:
            self._received[i] = np.zeros_like(self._own[i])
        self._received[i][:, items.start : items.stop] = packet
        self._available["received", i] = items.stop


@typed_arguments
def run_pipelined(
    algorithm: CubeAlgorithm, data: Any, plan: PacketPlan, check: Check = "raise"
) -> PipelinedRun:
    """Run a CC-cube algorithm in the order of a plan, with every exchange; check what it reads.

    Args:
        algorithm: what every process computes.
        data: what `algorithm.start` takes.
        plan: of the same d, and the same N if it has one.
        check: at a read of what has not arrived, "raise", or "report" it and go on with
            the zeros that stand there, as a machine would go on with what its buffer holds.

    Raises:
        InputError: d, N or Q do not fit the algorithm, or another `check`.
        CommunicationError: the algorithm reads what has not arrived.

    >>> import numpy as np
    >>> from lccmodel.pipelining import PacketPlan, complete_exchange
    >>> algorithm = complete_exchange(2).algorithm(1, "reverse", "item")
    >>> run = run_pipelined(algorithm, np.arange(16).reshape(4, 4), PacketPlan(2, 2, algorithm.N))
    >>> run.result.tolist()[0], run.violations
    ([0, 4, 8, 12], ())
    """
    checked_word("check", check, ("raise", "report"))
    for name in ("d", "N"):
        mine, its = getattr(plan, name), getattr(algorithm, name)
        if mine is not None and mine != its:
            raise InputError(name, f"must be {its}, that of the algorithm", mine)
    plan = PacketPlan(plan.d, plan.Q, algorithm.N)
    everybody = np.arange(1 << plan.d)

    def exchange(iteration: Iteration, packets: Sequence[Array]) -> list[Array]:
        dimensions = (i for i, _ in iteration.packets)
        return [x[everybody ^ (1 << i)] for i, x in zip(dimensions, packets, strict=True)]

    result, view = iterate(algorithm, data, plan, exchange, everybody.size, check)
    return PipelinedRun(result, plan, tuple(view._violations), dict(view._reach))


def iterate(
    algorithm: CubeAlgorithm,
    data: Any,
    plan: PacketPlan,
    exchange: Exchanger,
    rows: int,
    check: Check = "raise",
) -> tuple[Any, ProcessView]:
    """All iterations of a plan, as some processes see them.

    Args:
        algorithm: of those processes.
        data: what its `start` takes.
        plan: of the same d and N.
        exchange: moves the packets of an iteration, all at once.
        rows: how many processes these are.
        check: as for `run_pipelined`.

    Returns:
        What the algorithm returns, and what it read.
    """
    view = ProcessView(plan, plan.packets, check == "raise", rows)
    local = algorithm.start(data)
    for iteration in plan.iterations:
        packets = []
        for i, p in iteration.packets:
            view._enter(i, p)
            computed = np.asarray(algorithm.compute(i, view._packets[p], local, view))
            packets.append(view._store(i, p, computed))
        arrived = exchange(iteration, packets)
        for (i, p), packet in zip(iteration.packets, arrived, strict=True):
            view._arrive(i, p, packet)
    view._enter(plan.d, 0)
    return algorithm.finish(local, view), view
