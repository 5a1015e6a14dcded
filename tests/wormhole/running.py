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
from lccmodel.wormhole.plan import NEVER, Messages, Pace

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
        np.sort(draw.integers(0, 20, count)),
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


def plain_deliveries(table: RoutingTable, messages: Messages, pace: Pace) -> list[int]:
    """Delivery cycles by a plain engine: lists of flits with the cycle in which each is seen.

    Nothing is shared with the engine but the routing table. One virtual channel a link, ties by
    the lowest input, and no message waits for another.
    """
    count, nodes = len(messages.source), table.fabric.network.size
    entry, exit_ = table.fabric.channels, table.fabric.channels + nodes
    buffer: dict[int, list[tuple[int, int]]] = {}  # channel -> (flit, seen) of its owner
    owner: dict[int, int] = {}
    path: list[list[int]] = [[] for _ in range(count)]
    state, arrived = messages.start.tolist(), [0] * count
    unsent = [list(range(int(length))) for length in messages.flits]
    done, cycle = [NEVER] * count, 0
    while max(done) == NEVER and cycle < 30_000:
        cycle += 1
        for node in range(nodes):
            queue = [m for m in range(count) if messages.source[m] == node and not path[m]]
            free = entry + node not in owner and not buffer.get(entry + node)
            if queue and messages.ready[queue[0]] < cycle and free:
                owner[entry + node] = queue[0]
                path[queue[0]].append(entry + node)
        asking = []
        for m in range(count):
            here = buffer.get(path[m][-1], []) if path[m] else []
            fresh = bool(here) and here[0][0] == 0 and path[m][-1] < exit_
            if fresh and here[0][1] + pace.router < cycle:
                asking.append((arrived[m], path[m][-1], m))
        for _, _, m in sorted(asking):
            ways = table.options(state[m]) or [(exit_ + int(messages.destination[m]), -1)]
            for channel, following in ways:
                if channel not in owner and not buffer.get(channel):
                    owner[channel] = m
                    path[m].append(channel)
                    state[m] = following
                    break
        for m in range(count):
            for place in range(len(path[m]) - 1, -1, -1):
                channel = path[m][place]
                if owner.get(channel) != m or not buffer.get(channel):
                    continue
                flit, seen = buffer[channel][0]
                if channel < exit_:
                    if place + 1 == len(path[m]) or seen >= cycle:
                        continue
                    following = path[m][place + 1]
                    if len(buffer.get(following, [])) == pace.depth:
                        continue
                    late = cycle + pace.link if following < entry else cycle
                    buffer.setdefault(following, []).append((flit, late))
                    if flit == 0:
                        arrived[m] = late
                    if flit == messages.flits[m] - 1 and following >= exit_:
                        done[m] = cycle
                buffer[channel].pop(0)
                if flit == messages.flits[m] - 1:
                    del owner[channel]
            if path[m] and unsent[m] and len(buffer.get(path[m][0], [])) < pace.depth:
                flit = unsent[m].pop(0)
                buffer.setdefault(path[m][0], []).append((flit, cycle))
                if flit == 0:
                    arrived[m] = cycle
    return done
