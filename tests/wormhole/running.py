"""Random messages for the engines, and a plain engine in Python that follows the convention."""

from __future__ import annotations

import numpy as np

from lccmodel.network import BristledHypercube, Hypercube, Mesh, Network, Torus
from lccmodel.routing import (
    Fabric,
    ManyChannels,
    RoutingFunction,
    RoutingTable,
    routing_table,
    routings,
)
from lccmodel.wormhole.plan import NEVER, Messages

NETWORKS: tuple[Network, ...] = (
    Hypercube(1),
    Hypercube(3),
    Hypercube(4),
    BristledHypercube(1),
    BristledHypercube(4),
    Mesh((4, 4)),
    Mesh((8, 1, 2)),
    Torus((4, 4)),
    Hypercube(6),
)


RINGS: tuple[Network, ...] = (
    Torus((8,)),
    Torus((4, 4)),
    Torus((3, 5, 2)),
    Torus((64, 8)),
    Torus((200,)),
    Hypercube(3),
    Mesh((4, 4)),
)


def shared_run(seed: int) -> tuple[RoutingTable, Messages, int, int]:
    """As `random_run`, with virtual channels that share wires; paths of up to 102 channels."""
    draw = np.random.default_rng(seed)
    network = RINGS[draw.integers(len(RINGS))]
    known = routings(network)
    routing = known[draw.integers(len(known))]
    many = routing.virtual_channels * int(draw.integers(1, 4))
    if many > 1:
        routing = ManyChannels(routing, many)
    count = int(draw.integers(1, 150))
    source = draw.integers(0, network.size, count)
    away = draw.integers(1, network.size, count if draw.random() < 0.5 else 1)
    longest = int(draw.integers(1, 150))
    lengths = draw.integers(1, longest + 1, count)
    return drawn_run(draw, network, routing, source, (source + away) % network.size, lengths)


def random_run(seed: int) -> tuple[RoutingTable, Messages, int, int]:
    """(table, messages, tie rule, last cycle): of any length, some waiting for others."""
    draw = np.random.default_rng(seed)
    network = NETWORKS[draw.integers(len(NETWORKS))]
    count = int(draw.integers(1, 150))
    source = draw.integers(0, network.size, count)
    destination = source ^ draw.integers(1, network.size, count)
    known = [routing for routing in routings(network) if routing.virtual_channels == 1]
    routing = known[draw.integers(len(known))]
    return drawn_run(draw, network, routing, source, destination)


def drawn_run(
    draw: np.random.Generator,
    network: Network,
    routing: RoutingFunction,
    source: np.ndarray,
    destination: np.ndarray,
    flits: np.ndarray | None = None,
) -> tuple[RoutingTable, Messages, int, int]:
    """When the messages between these nodes are generated, and what they wait for."""
    count = len(source)
    pairs = list(zip(source.tolist(), destination.tolist(), strict=True))
    table = routing_table(routing, Fabric(network, routing.virtual_channels), pairs)
    ready = np.sort(draw.integers(0, int(draw.integers(1, 300)), count))
    if flits is None:
        flits = draw.integers(1, 25, count) if draw.random() < 0.7 else np.full(count, 17)
    waits_for, after_first, after = chained(draw, count)
    messages = Messages(
        source,
        destination,
        table.start,
        flits,
        ready,
        waits_for,
        after_first,
        after,
        draw.integers(0, 20, count),
        np.flatnonzero(waits_for == 0),
    )
    last = NEVER if draw.random() < 0.6 else int(draw.integers(1, 300))
    return table, messages, int(draw.integers(4)), last


def chained(draw: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """In half of the runs some messages wait for earlier ones."""
    waits_for = np.zeros(count, dtype=np.int64)
    after_first, after = np.zeros(count + 1, dtype=np.int64), list[int]()
    often = 0.3 if draw.random() < 0.5 else 0.0
    for m in range(count):
        if m + 1 < count and draw.random() < often:
            after.append(int(draw.integers(m + 1, count)))
            waits_for[after[-1]] += 1
        after_first[m + 1] = len(after)
    return waits_for, after_first, np.array(after, dtype=np.int64)


def plain_times(table: RoutingTable, messages: Messages) -> list[int]:
    """Delivery cycles of messages that wait for none, arrivals ties by input channel.

    Worms as lists of channels they hold with the flits in them; nothing is shared with either
    engine but the routing table.
    """
    count, nodes = len(messages.source), table.fabric.network.size
    injection, ejection = table.fabric.channels, table.fabric.channels + nodes
    held: dict[int, int] = {}  # channel -> message that owns it
    filled: dict[int, tuple[int, int]] = {}  # channel -> (message, flit)
    path: list[list[int]] = [[] for _ in range(count)]
    state, moved = messages.start.tolist(), [0] * count
    sent, delivered = [0] * count, [NEVER] * count
    gone, cycle = 0, 0
    while gone < count:
        cycle += 1
        assert cycle < 100_000
        empty = set(range(ejection + nodes)) - set(filled)
        wishes = []
        for m in range(count):
            if path[m] and filled.get(path[m][-1], (m, 1))[1] == 0 and path[m][-1] < ejection:
                wishes.append((moved[m], path[m][-1], m))
        for _, _, m in sorted(wishes):
            exits = [(ejection + int(messages.destination[m]), -1)]
            for channel, following in table.options(state[m]) or exits:
                if channel in empty and channel not in held:
                    held[channel] = m
                    path[m].append(channel)
                    state[m] = following
                    break
        for node in range(nodes):
            queue = [m for m in range(count) if messages.source[m] == node and not path[m]]
            if queue and messages.ready[queue[0]] < cycle:
                channel = injection + node
                if channel in empty and channel not in held:
                    held[channel] = queue[0]
                    path[queue[0]].append(channel)
        for m in range(count):
            for place in range(len(path[m]) - 1, -1, -1):
                channel = path[m][place]
                if filled.get(channel, (-1, 0))[0] != m:
                    continue
                flit = filled[channel][1]
                if channel >= ejection:
                    del filled[channel]
                elif place + 1 < len(path[m]) and path[m][place + 1] not in filled:
                    filled[path[m][place + 1]] = filled.pop(channel)
                    if flit == 0:
                        moved[m] = cycle
                    if flit == messages.flits[m] - 1 and path[m][place + 1] >= ejection:
                        delivered[m] = cycle
                else:
                    continue
                if flit == messages.flits[m] - 1:
                    del held[channel]
                    gone += channel >= ejection
            if path[m] and sent[m] < messages.flits[m] and path[m][0] not in filled:
                if sent[m] == 0:
                    moved[m] = cycle
                filled[path[m][0]] = (m, sent[m])
                sent[m] += 1
    return delivered
