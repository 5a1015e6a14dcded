"""Worms cycle by cycle: which flit of which message every buffer holds.

The flit engine runs twice: to learn which channels are used and until when, then to write down
their buffers after every cycle. The path of a message is where its header, flit 0, is seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.communication.program import chosen_phase
from lccmodel.errors import (
    CommunicationError,
    InputError,
    SizeLimitError,
    checked_integer,
    checked_integers,
)
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints, freeze_arrays
from lccmodel.ground.views import Answer
from lccmodel.network import Network, as_network
from lccmodel.problem import Problem
from lccmodel.routing import RoutingFunction
from lccmodel.routing.fabric import check_size
from lccmodel.wormhole.plan import NEVER, Messages, Outcome, empty_outcome, wiring
from lccmodel.wormhole.simulation import Simulation
from lccmodel.wormhole.timing import TieRule
from lccmodel.wormhole.traffic import messages_of, problem_of

if TYPE_CHECKING:
    from lccmodel.placement.placement_result import Placement

MAX_CYCLES = 4096
MAX_WORMS = 4096
_STILL = 4
"""Cycles that are shown after the last move when some messages never arrive."""


@dataclass(frozen=True)
class Worm:
    """What became of one message.

    Attributes:
        source, destination: nodes, as it travels.
        flits: its length.
        ready: the cycle in which it is generated.
        path: the channels that its header took, in order, from the injection channel on.
        entered: the cycle in which the header entered each of them.
        delivered: the cycle in which its tail was ejected; None if it never was.
    """

    source: int
    destination: int
    flits: int
    ready: int
    path: tuple[int, ...]
    entered: tuple[int, ...]
    delivered: int | None

    @property
    def blocked(self) -> tuple[int, ...]:
        """The cycles in which the header waited in a router for its next channel."""
        waits: list[int] = []
        for k in range(len(self.entered) - 1):
            waits += range(self.entered[k] + 1, self.entered[k + 1])
        return tuple(waits)

    @property
    def queued(self) -> int:
        """Cycles that it waited at its source for the injection channel."""
        return self.entered[0] - self.ready - 1 if self.entered else 0


@dataclass(frozen=True, eq=False)
class Trace(Answer, view="worms"):
    """The buffers of all channels, cycle by cycle.

    Attributes:
        network, routing, tie: what was traced.
        worms: the messages.
        channels: the numbers of the channels that were used, injection channels first, then
            links, then ejection channels; each by number of source, link or destination.
        names: how to call them.
        holder: int64 of shape (cycles, channels): the message whose flit is in the buffer at the
            end of cycle 1, 2, ..., -1 if it is empty.
        flit: int64 of the same shape: which flit; 0 is the header.
        problem: what was read, with its notes; None of bare pairs.

    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.wormhole import trace
    >>> timeline = trace([(1, 3), (0, 3)], Hypercube(2), flits=3)
    >>> timeline.names, [worm.delivered for worm in timeline.worms]
    (('in 0', 'in 1', '0->1', '1->3', 'out 3'), [5, 9])
    """

    network: Network
    routing: str
    tie: TieRule
    worms: tuple[Worm, ...]
    channels: tuple[int, ...]
    names: tuple[str, ...]
    holder: Ints
    flit: Ints
    problem: Problem | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def cycles(self) -> int:
        """The last cycle of the trace."""
        return len(self.holder)

    @property
    def stuck(self) -> tuple[int, ...]:
        """The messages that never arrive."""
        return tuple(m for m, worm in enumerate(self.worms) if worm.delivered is None)

    def __repr__(self) -> str:
        end = f", {len(self.stuck)} never arrive" if self.stuck else ""
        where = f"{self.routing} on {self.network.spec}"
        return f"Trace({len(self.worms)} messages, {where}, {self.cycles} cycles{end})"


@typed_arguments
def trace(
    messages: Any,
    network: Network | str,
    routing: str | RoutingFunction = "e-cube",
    flits: int = 4,
    mapping: Placement | Sequence[int] | None = None,
    *,
    name: str | None = None,
    tie: TieRule = "lowest-input",
    seed: int = 1,
) -> Trace:
    """Follow messages cycle by cycle.

    Args:
        messages: (source, destination) or (source, destination, cycle in which it is generated);
            or anything else that describes one phase of messages (`Traffic.of`), which are all
            generated in cycle 0. Messages to their own node do not travel and are left out.
        network, routing, mapping, tie, seed: as for `simulate`.
        flits: length of every message.
        name: which phase of a `Program`; None if it has one.

    Raises:
        CommunicationError: rows of another length, or no message that travels.
        InputError: no flits, a cycle below 0; several phases and no name, or an unknown one.
        SizeLimitError: more than 4096 messages or cycles.

    >>> from lccmodel.network import Hypercube
    >>> timeline = trace([(1, 3), (0, 3)], Hypercube(2), flits=3)
    >>> timeline
    Trace(2 messages, e-cube on cube:2, 9 cycles)
    >>> [(worm.entered, worm.blocked, worm.delivered) for worm in timeline.worms]
    [((1, 2, 3), (), 5), ((1, 2, 6, 7), (3, 4, 5), 9)]
    """
    network = as_network(network)
    problem = problem_of(messages, network)
    if problem is not None:
        k = chosen_phase(problem.program.names, name, "name", "the program")
        problem = problem.phase(k)
        messages = problem.program[0].traffic
    elif name is not None:
        raise InputError("name", "chooses a phase of a program; messages have none", name)
    pairs, ready = _read(messages, network)
    length = checked_integer("flits", flits, least=1)
    simulation = Simulation.of(pairs.tolist(), network, routing, mapping, tie, "flit")
    # the engines number messages as they are generated, which is what the rule "oldest" goes by
    senders = simulation.sent.streams if tie == "oldest" else np.zeros_like(ready)
    order = np.lexsort((senders, ready))
    sent = messages_of(simulation.table, simulation.sent, ready[order], order, length, seed)
    return replace(_watched(simulation, sent, np.argsort(order), seed), problem=problem)


def _are_rows(messages: Any) -> bool:
    """Whether these are rows that may state a cycle, and no destinations, matrix or phases."""
    if not isinstance(messages, (list, tuple, np.ndarray)):
        return False
    try:
        shape = np.shape(messages)
    except ValueError:  # rows of different lengths
        return True
    alone, matrix = len(shape) < 2 and 0 not in shape, len(shape) == 2 and 3 < shape[0] == shape[1]
    return not (alone or matrix)


def _read(messages: Any, network: Network) -> tuple[Ints, Ints]:
    """(source, destination) rows, and the cycles in which they are generated."""
    if not _are_rows(messages):
        check_size(network)
        rows = np.pad(network.sent(messages).pairs.astype(np.int64), ((0, 0), (0, 1)))
    else:
        listed = [checked_integers("messages", row, CommunicationError) for row in messages]
        if any(len(row) not in (2, 3) for row in listed):
            rule = "must be rows of (source, destination) or (source, destination, cycle)"
            raise CommunicationError("messages", rule, messages)
        rows = np.array([(*row, 0)[:3] for row in listed], dtype=np.int64).reshape(-1, 3)
    moving = rows[rows[:, 0] != rows[:, 1]]
    if not len(moving):
        raise CommunicationError("messages", "must contain one that leaves its node", messages)
    if len(moving) > MAX_WORMS:
        raise SizeLimitError("messages", f"at most {MAX_WORMS} are traced", len(moving))
    if (early := int(moving[:, 2].min())) < 0:
        raise InputError("cycle", "must not be negative", early)
    return moving[:, :2], moving[:, 2]


def _watched(simulation: Simulation, sent: Messages, place: Ints, seed: int) -> Trace:
    """Run the messages and keep the buffers; the given message k is number place[k]."""
    from lccmodel.kernels.jit import compiled_unless_small
    from lccmodel.wormhole.flit_engine import run_flits, watch_flits

    rule = f"at most {MAX_CYCLES} cycles are traced"
    least = int((sent.ready + sent.flits).max())  # one flit of a message arrives in a cycle
    if least > MAX_CYCLES:
        raise SizeLimitError("messages", rule, f"{least} or more cycles")
    fabric, code = simulation.table.fabric, simulation.timing.code
    wired = wiring(simulation.table)
    final = empty_outcome(len(sent.source), wired)
    steps = int(sent.flits.sum()) * fabric.network.diameter + int(sent.ready.max())
    with compiled_unless_small(steps):
        last = run_flits(wired, sent, final, MAX_CYCLES + 1, code, seed)
    arrived = final.delivered < NEVER
    cycles = int(final.delivered.max()) if arrived.all() else last - 1 + _STILL
    if cycles > MAX_CYCLES:
        raise SizeLimitError("messages", rule, f"{cycles} or more cycles")
    channels = np.flatnonzero(final.use)
    into, out = fabric.channels, fabric.channels + fabric.network.size
    kind = np.where(channels < into, 1, np.where(channels < out, 0, 2))
    channels = channels[np.lexsort((channels, kind))]
    again = empty_outcome(len(sent.source), wired)
    with compiled_unless_small(steps):
        holder, flit = watch_flits(wired, sent, again, channels, cycles, code, seed)
    number = np.append(np.argsort(place), -1)  # of the given message; the last is that of -1
    worms = [_worm(sent, m, channels, holder, flit, final) for m in place.tolist()]
    names = [
        fabric.name(c) if c < into else f"in {c - into}" if c < out else f"out {c - out}"
        for c in channels.tolist()
    ]
    return Trace(
        fabric.network,
        simulation.table.routing.name,
        simulation.timing.tie,
        tuple(worms),
        tuple(channels.tolist()),
        tuple(names),
        number[holder],
        flit,
    )


def _worm(sent: Messages, m: int, channels: Ints, holder: Ints, flit: Ints, final: Outcome) -> Worm:
    """The path of a message and when it entered each channel: where flit 0 is, and since when."""
    cycles, columns = np.nonzero((holder == m) & (flit == 0))
    first = np.sort(np.unique(columns, return_index=True)[1])
    delivered = int(final.delivered[m])
    return Worm(
        int(sent.source[m]),
        int(sent.destination[m]),
        int(sent.flits[m]),
        int(sent.ready[m]),
        tuple(channels[columns[first]].tolist()),
        tuple((cycles[first] + 1).tolist()),
        delivered if delivered < NEVER else None,
    )
