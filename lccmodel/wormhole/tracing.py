"""Worms cycle by cycle: which flit of which message every buffer holds.

The message engine is stopped after every cycle. A worm whose header is in the network holds the
last F channels of its path, one flit each. A worm whose header was ejected in cycle T runs out
without a pause: at the end of cycle T + j flit j is in the ejection buffer, and flit j + p is in
the channel p places before it [timing].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, InputError, SizeLimitError, checked_integers
from lccmodel.network import Network
from lccmodel.routing import RoutingError, RoutingFunction
from lccmodel.views import Viewed
from lccmodel.wormhole.plan import NEVER, Messages, Outcome
from lccmodel.wormhole.simulation import Simulation
from lccmodel.wormhole.timing import TieRule
from lccmodel.wormhole.traffic import messages_of

if TYPE_CHECKING:
    from lccmodel.methods.mapping.result import Mapping
    from lccmodel.methods.placement.result import Placement

__all__ = ["Trace", "Worm", "trace"]

Ints = npt.NDArray[np.int64]
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
class Trace(Viewed, view="worms"):
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
    """

    network: Network
    routing: str
    tie: TieRule
    worms: tuple[Worm, ...]
    channels: tuple[int, ...]
    names: tuple[str, ...]
    holder: Ints
    flit: Ints

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


def trace(
    messages: LCC | Sequence[Sequence[int]],
    network: Network,
    routing: str | RoutingFunction = "e-cube",
    flits: int = 4,
    mapping: Mapping | Placement | Sequence[int] | None = None,
    *,
    tie: TieRule = "lowest-input",
    seed: int = 0,
) -> Trace:
    """Follow messages cycle by cycle.

    Args:
        messages: (source, destination) or (source, destination, cycle in which it is generated);
            or an LCC, whose messages are all generated in cycle 0. Messages to their own node do
            not travel and are left out.
        network, routing, mapping, tie, seed: as for `simulate`.
        flits: length of every message.

    Raises:
        CommunicationError: rows of another length, or no message that travels.
        InputError: no flits, a cycle below 0.
        RoutingError: a routing function with several virtual channels: their flits take turns on
            a wire, so worms have gaps.
        SizeLimitError: more than 4096 messages or cycles.

    >>> from lccmodel.network import Hypercube
    >>> found = trace([(1, 3), (0, 3)], Hypercube(2), flits=3)
    >>> found
    Trace(2 messages, e-cube on cube:2, 9 cycles)
    >>> [(worm.entered, worm.blocked, worm.delivered) for worm in found.worms]
    [((1, 2, 3), (), 5), ((1, 2, 6, 7), (3, 4, 5), 9)]
    """
    pairs, ready = _read(messages, network)
    if (length := checked_integers("flits", (flits,))[0]) < 1:
        raise InputError("flits", "must be at least 1", flits)
    simulation = Simulation.of(pairs.tolist(), network, routing, mapping, tie)
    if simulation.table.fabric.virtual_channels > 1:
        name = simulation.table.routing.name
        raise RoutingError("routing", "must have one virtual channel a link to be traced", name)
    # the engines number messages as they are generated, which is what the rule "oldest" goes by
    senders = simulation.sent.streams if tie == "oldest" else np.zeros_like(ready)
    order = np.lexsort((senders, ready))
    sent = messages_of(simulation.table, simulation.sent, ready[order], order, length)
    owners, final = _watch(simulation, sent, seed)
    exits = simulation.table.fabric.links + network.size
    worms = [_worm(sent, m, owners, final, exits) for m in range(len(order))]
    given = [worms[k] for k in np.argsort(order)]
    return _assemble(simulation, tuple(given), len(owners))


def _read(messages: Any, network: Network) -> tuple[Ints, Ints]:
    """(source, destination) rows, and the cycles in which they are generated."""
    if isinstance(messages, (LCC, Traffic)):
        rows = [(*pair, 0) for pair in network.sent(messages).pairs.tolist()]
    else:
        rows = [tuple(checked_integers("messages", row, CommunicationError)) for row in messages]
        if any(len(row) not in (2, 3) for row in rows):
            rule = "must be rows of (source, destination) or (source, destination, cycle)"
            raise CommunicationError("messages", rule, messages)
        rows = [(*row, 0)[:3] for row in rows]
    moving = np.array([row for row in rows if row[0] != row[1]], dtype=np.int64).reshape(-1, 3)
    if not len(moving):
        raise CommunicationError("messages", "must hold one that leaves its node", messages)
    if len(moving) > MAX_WORMS:
        raise SizeLimitError("messages", f"at most {MAX_WORMS} are traced", len(moving))
    if (early := int(moving[:, 2].min())) < 0:
        raise InputError("cycle", "must not be negative", early)
    return moving[:, :2], moving[:, 2]


def _watch(simulation: Simulation, sent: Messages, seed: int) -> tuple[list[Ints], Outcome]:
    """Who owns every channel after cycle 1, 2, ...; worms that are being ejected own nothing."""
    final = simulation.execute(sent, seed=seed)
    arrived = final.delivered < NEVER
    last = int(final.delivered[arrived].max(initial=0))
    owners: list[Ints] = []
    still = 0
    while len(owners) < last or not (arrived.all() or still > _STILL):
        if max(last, len(owners)) >= MAX_CYCLES:
            rule = f"at most {MAX_CYCLES} cycles are traced"
            raise SizeLimitError("messages", rule, f"{max(last, len(owners))} cycles")
        now = simulation.execute(sent, len(owners) + 1, seed)
        owners.append(now.owner)
        still = still + 1 if np.array_equal(now.use, final.use) else 0
    return owners, final


def _worm(sent: Messages, m: int, owners: list[Ints], final: Outcome, exits: int) -> Worm:
    """The path of a message and when it entered each channel, from who owned what when.

    `exits` is the number of the first ejection channel.
    """
    path: list[int] = []
    entered: list[int] = []
    for cycle, owner in enumerate(owners, start=1):
        new = [channel for channel in np.flatnonzero(owner == m).tolist() if channel not in path]
        path += new
        entered += [cycle] * len(new)
    flits, delivered = int(sent.flits[m]), int(final.delivered[m])
    if delivered < NEVER:
        path.append(exits + int(sent.destination[m]))
        entered.append(delivered - flits + 1)
    return Worm(
        int(sent.source[m]),
        int(sent.destination[m]),
        flits,
        int(sent.ready[m]),
        tuple(path),
        tuple(entered),
        delivered if delivered < NEVER else None,
    )


def _assemble(simulation: Simulation, worms: tuple[Worm, ...], cycles: int) -> Trace:
    """Write the flits of all worms into a chart of cycles and channels."""
    fabric = simulation.table.fabric
    links, nodes = fabric.links, fabric.network.size
    used = {channel for worm in worms for channel in worm.path}
    kind = {c: 0 if links <= c < links + nodes else 1 if c < links else 2 for c in used}
    channels = tuple(sorted(used, key=lambda channel: (kind[channel], channel)))
    column = {channel: k for k, channel in enumerate(channels)}
    holder = np.full((cycles, len(channels)), -1, dtype=np.int64)
    flit = np.full_like(holder, -1)
    for m, worm in enumerate(worms):
        for cycle in range(1, cycles + 1):
            for channel, number in _held(worm, cycle):
                holder[cycle - 1, column[channel]], flit[cycle - 1, column[channel]] = m, number
    names = [
        fabric.name(channel)
        if kind[channel] == 1
        else f"{'in' if kind[channel] == 0 else 'out'} {(channel - links) % nodes}"
        for channel in channels
    ]
    return Trace(
        fabric.network,
        simulation.table.routing.name,
        simulation.timing.tie,
        worms,
        channels,
        tuple(names),
        holder,
        flit,
    )


def _held(worm: Worm, cycle: int) -> list[tuple[int, int]]:
    """(channel, flit in its buffer) at the end of a cycle."""
    taken = sum(entry <= cycle for entry in worm.entered)
    if not taken:
        return []
    foremost = 0
    if taken == len(worm.path) and worm.delivered is not None:
        foremost = cycle - worm.entered[-1]
    back = range(min(taken, worm.flits - foremost))
    return [(worm.path[taken - 1 - p], foremost + p) for p in back]
