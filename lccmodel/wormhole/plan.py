"""What the engines run: a routing table, the messages to send, and what became of them, as arrays.

Channels are numbered 0..C-1 for the virtual channels of the links as in the `Fabric`, then
C..C+N-1 for the injection channels of the N nodes, then C+N..C+2N-1 for their ejection channels.

Deadlock as it happens: at the end of a run some headers wait. A message can go on if it does not
wait, or if one of the channels it may take is free or is held by a message that can go on. What is
left waits for ever; following what each of them waits for leads into a ring of channels.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from lccmodel.errors import NetworkError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.routing.computed import ComputedRoutes
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.table import RoutingTable

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])

NEVER = 1 << 60
"""A cycle that does not come: of what has not happened when a simulation ends."""


class Wiring(NamedTuple):
    """The network and the routing table.

    Attributes: `first`, `option`, `following`, `arrived`, `router` as in `RoutingTable`; `tail`,
    `link`, the router and the wire of every channel of a link; `period`, the cycles that a flit
    keeps every wire; `node_router`, the router of every node; `routers`, their
    number; `longest`, channels on a longest path with injection and ejection; `ends`, channels of
    every injection and of every ejection port; `delay`, the cycles that every channel of a link
    takes beyond those of `Pace`, for flits and for credits, empty if none does;
    `route`, if routes are computed instead, what `routing.computed.next_channel` reads: the arrays
    of the table are empty then.
    """

    first: Ints
    option: Ints
    following: Ints
    arrived: Ints
    router: Ints
    tail: Ints
    link: Ints
    period: Ints
    node_router: Ints
    routers: int
    longest: int
    ends: int = 1
    delay: Ints = np.zeros(0, np.int64)
    route: Ints = np.zeros(0, np.int64)


class Pace(NamedTuple):
    """How deep, how slow and how many: the numbers of `Timing` as the engines know them.

    Flits that every buffer holds; cycles of latency of every router, of every wire between routers
    and of a credit; whether a channel is granted again when the credit of the tail has come, or
    when the tail has been sent; channels of every injection and ejection port; cycles of latency of
    the wires of injection and of ejection; rounds of offers in a cycle if channels and wires are
    given in turn, 0 if by arrival.
    """

    depth: int = 1
    router: int = 0
    link: int = 0
    credit: int = 0
    waits_for_tail: int = 1
    ends: int = 1
    injection: int = 0
    ejection: int = 0
    rounds: int = 0


class Messages(NamedTuple):
    """The messages, and what each waits for; int64 arrays of shape (messages,) unless stated.

    Attributes:
        source, destination: nodes.
        start: the state in which the routing table has the message when it is injected.
        flits: length.
        ready: the cycle in which it is generated; for a message that waits for others, the
            earliest.
        waits_for: how many messages have to be delivered first.
        after_first, after: the messages that wait for message m are
            after[after_first[m]:after_first[m + 1]].
        delay: cycles from the delivery of m to the generation of one that waits for it, as a
            difference: that of the one less that of m.
        arrivals: the messages that wait for none, by the cycle in which they are generated.
        then: the state in which the routing table has the message once it is at the end of its
            first leg, -1 if that is its destination; empty if no message has a second leg.
    """

    source: Ints
    destination: Ints
    start: Ints
    flits: Ints
    ready: Ints
    waits_for: Ints
    after_first: Ints
    after: Ints
    delay: Ints
    arrivals: Ints
    then: Ints = np.zeros(0, np.int64)


class Outcome(NamedTuple):
    """What became of the messages; the engines fill it in.

    Attributes:
        ready: the cycle in which every message was generated, NEVER if it was not.
        injected: the cycle in which its header entered the injection channel.
        delivered: the cycle in which its tail crossed the ejection channel.
        use: messages that took each channel (links, injection, ejection).
        owner: the message that holds each channel at the end, -1 if it is free or being freed.
        waiting: the state in which the header of each message waits at the end, -1 if it does not.
        behind, within: for every message whose header waits until flits of another message have
            left a buffer, that message and the channel; -1 for all others.
    """

    ready: Ints
    injected: Ints
    delivered: Ints
    use: Ints
    owner: Ints
    waiting: Ints
    behind: Ints
    within: Ints


def for_engines(parts: Arrays) -> Arrays:
    """The same with every array whole, of int64 and open to writing: then an engine is compiled
    once, not for each of the ways in which its callers cut their arrays."""
    make: Any = type(parts)  # a NamedTuple takes its parts one by one
    kinds = (
        np.require(part, np.int64, ["C", "W"]) if isinstance(part, np.ndarray) else int(part)
        for part in parts
    )
    made: Arrays = make(*kinds)
    return made


def _check_ports(fabric: Fabric) -> None:
    """Refuse stated ports that do not carry a flit per cycle, as those of the simulator do."""
    network = fabric.network
    width = network.host_bandwidth
    if width is not None and (width != 1 or bool((fabric.period > 1).any())):
        rule = "must have no hosts=, or hosts=1 and links alike: a simulated port carries a flit "
        raise NetworkError("network", f"{rule}per cycle", network.spec)


def wiring(
    table: RoutingTable | ComputedRoutes,
    own_wires: bool = False,
    ends: int = 1,
    link_delays: Ints = np.zeros(0, np.int64),  # noqa: B008 - only read
) -> Wiring:
    """The arrays of a routing table and its network.

    Args:
        ends: channels of every injection and ejection port.
        own_wires: whether every virtual channel has a wire of its own, or those of a link share it.
        link_delays: int64 of shape (links,), cycles that every link takes beyond those of `Pace`;
            empty if none does.

    Raises:
        NetworkError: ports of hosts of another bandwidth than a flit per cycle.
    """
    fabric = table.fabric
    _check_ports(fabric)
    share = 1 if own_wires else fabric.virtual_channels
    wires = fabric.channels // share
    if isinstance(table, ComputedRoutes):
        written, longest, route = (np.zeros(0, np.int64),) * 5, table.longest, table.form
    else:
        written = (table.first, table.channel, table.following, table.arrived, table.router)
        longest, route = _longest_path(table) * (1 if table.ways is None else table.ways.legs), None
    return Wiring(
        *written,
        np.repeat(fabric.tail, fabric.virtual_channels),
        np.repeat(np.arange(wires), share),
        np.repeat(fabric.period, fabric.virtual_channels // share),
        fabric.router(np.arange(fabric.network.size)),
        fabric.routers,
        longest + 2,
        ends,
        np.repeat(link_delays, fabric.virtual_channels),
        np.zeros(0, np.int64) if route is None else route,
    )


def _longest_path(table: RoutingTable) -> int:
    """Links on the longest way through the table, which has no cycles: levels of a graph."""
    if not len(table.channel):
        return 0
    before = np.repeat(np.arange(table.states), np.diff(table.first))
    level = np.zeros(table.states, dtype=np.int64)
    while True:
        deeper = level.copy()
        np.maximum.at(deeper, table.following, level[before] + 1)
        if np.array_equal(deeper, level):
            return int(level.max())
        level = deeper


def empty_outcome(messages: int, wired: Wiring) -> Outcome:
    """An outcome to be filled in."""
    channels = len(wired.tail) + 2 * len(wired.node_router) * wired.ends
    return Outcome(
        np.full(messages, NEVER, dtype=np.int64),
        np.full(messages, NEVER, dtype=np.int64),
        np.full(messages, NEVER, dtype=np.int64),
        np.zeros(channels, dtype=np.int64),
        np.full(channels, -1, dtype=np.int64),
        *(np.full(messages, -1, dtype=np.int64) for _ in range(3)),
    )


def deadlocked(
    table: RoutingTable | ComputedRoutes, messages: Messages, outcome: Outcome
) -> dict[int, list[int]]:
    """For every message that waits for ever: the channels it waits for."""
    asked = _asked(table, messages, outcome)
    freed = True
    while freed:
        freed = False
        for m, channels in list(asked.items()):
            if any(_holder(m, c, outcome) not in asked for c in channels):
                del asked[m]
                freed = True
    return asked


def _asked(
    table: RoutingTable | ComputedRoutes, messages: Messages, outcome: Outcome
) -> dict[int, list[int]]:
    """For every message whose header waits: the channels that it may take, or is queued in."""
    links = table.fabric.channels
    ends = (len(outcome.use) - links) // (2 * table.fabric.network.size)
    asked = {int(m): [int(outcome.within[m])] for m in np.flatnonzero(outcome.behind >= 0)}
    for m in np.flatnonzero(outcome.waiting >= 0).tolist():
        options = [channel for channel, _ in table.options(int(outcome.waiting[m]))]
        first = links + ends * (table.fabric.network.size + int(messages.destination[m]))
        asked[m] = options or list(range(first, first + ends))
    return asked


def _holder(m: int, channel: int, outcome: Outcome) -> int:
    """The message for which another one waits that asks for a channel, or is queued in it."""
    return int(outcome.behind[m] if outcome.behind[m] >= 0 else outcome.owner[channel])


@typed_arguments
def waiting_ring(
    table: RoutingTable | ComputedRoutes, messages: Messages, outcome: Outcome
) -> tuple[tuple[int, int], ...]:
    """Return a ring of (message, channel that it waits for, held by the next message).

    Empty when every message can go on. `simulate` names the channels:

    >>> from lccmodel import Hypercube
    >>> from lccmodel.routing import UserRouting
    >>> from lccmodel.wormhole import simulate
    >>> turn = {0: 1, 1: 3, 3: 2, 2: 0}
    >>> def clockwise(fabric, at, to, arrived):
    ...     return [fabric.channel(at, turn[at])]
    >>> pairs, routing = [(0, 3), (1, 2), (3, 0), (2, 1)], UserRouting("clockwise", clockwise)
    >>> simulate(pairs, Hypercube(2), routing=routing, load=0.9, cycles=2000, flits=2).deadlock
    ('3->2', '2->0', '0->1', '1->3')
    """
    stuck = deadlocked(table, messages, outcome)
    if not stuck:
        return ()
    walk: list[tuple[int, int]] = []
    seen: dict[int, int] = {}
    m = min(stuck)
    while m not in seen:
        seen[m] = len(walk)
        channel = stuck[m][0]
        walk.append((m, channel))
        m = _holder(m, channel, outcome)
    return tuple(walk[seen[m] :])
