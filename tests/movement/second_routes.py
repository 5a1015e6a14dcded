"""Movements counted along the routes of the network, hop by hop, and tables of routes followed.

A state of a routing table leads to the router at which its channel ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from lccmodel.errors import InputError
from lccmodel.movement import PORTS, UNIT_PORTS, Movement
from lccmodel.network import Mesh, as_network
from lccmodel.routing import Fabric, deadlock_free, routing_table, routings
from tests.digests import digest

NETWORKS = (
    "cube:3", "mesh:4x2", "torus:4x4", "mesh:5", "torus:5x3", "origin:3", "mesh:2x2*2",
    "fattree:2x3/2", "fattree:2^3,routing=s-mod-k", "dragonfly:1,2,1", "torus:2x2", "torus:8",
    "mesh:3x3,nodes=0-4",
)  # fmt: skip


def _movements(word: str) -> Iterator[Movement]:
    network = as_network(word)
    rng = np.random.default_rng(network.size)
    for messages, steps in ((1, 1), (3, 2), (2 * network.size, 5), (0, 0)):
        pairs = rng.integers(0, network.size, (messages, 2))
        yield Movement.of_schedule(network, pairs, rng.integers(0, max(1, steps), messages))
    rows = np.stack([rng.permutation(network.size) for _ in range(4)])
    yield Movement.of_positions(network, rows)
    yield Movement.of_positions(network, np.stack([rows[0], rows[0], rows[1] // 2]))
    if network.size & network.size - 1 == 0:
        order = rng.permutation(network.n).tolist()
        yield Movement.along(rng.permutation(network.size).tolist(), order, network)


def _moved(word: str) -> Iterator[Any]:
    network = as_network(word)
    for movement in _movements(word):
        at = movement.positions
        used: Counter[Any] = Counter()
        for before, after in zip(at[:-1].tolist(), at[1:].tolist(), strict=True):
            for x, y in zip(before, after, strict=True):
                used.update(network.channels(x, y))
        assert movement.hops == used.total() == sum(movement.hops_per_step)
        assert movement.channel_use.degree == max(used.values(), default=0) or network.bandwidths
        for step in range(movement.steps + 1):
            held = np.bincount(at[step], minlength=network.size)
            assert movement.held(step).tolist() == held.tolist()
        yield at.tolist(), movement.occupancies, movement.moves, movement.loads, movement.hops
        yield movement.hops_per_step, movement.channel_use.counts.tolist()
        yield [movement.path(k) for k in range(movement.messages)]
        for ports in PORTS:
            found = movement.replay(ports)
            yield str(found), repr(found)
            if hasattr(found, "utilisation"):
                yield found.max_load, found.busiest, found.utilisation
                yield found.messages_per_step.tolist()
        if isinstance(network, Mesh) and network.per_node == 1:
            for ports in (*UNIT_PORTS, "half-duplex"):
                try:
                    run = movement.in_unit_steps(ports, record=True)
                except InputError as error:
                    yield str(error)
                    continue
                assert run.hops.ends.tolist() == movement.ends.tolist()
                assert run.hops.hops == movement.hops
                yield str(run), run.unit_steps, run.hops.positions.tolist()


def _routed(word: str) -> Iterator[Any]:
    network = as_network(word)
    for function in routings(network):
        fabric = Fabric(network, function.virtual_channels)
        yield function.name, function.about, function.provenance, function.virtual_channels
        yield fabric.routers, fabric.links, [fabric.name(k) for k in range(fabric.channels)]
        yield fabric.dimension.tolist(), fabric.sign.tolist(), fabric.counter.tolist()
        pairs = [(x, y) for x in range(network.size) for y in range(network.size)]
        try:
            table = routing_table(function, fabric, pairs)
        except InputError as error:
            yield str(error)
            continue
        links = table.channel // function.virtual_channels
        assert (table.router[table.following] == fabric.head[links]).all()
        parts = (table.start, table.first, table.channel, table.following, table.arrived)
        yield [part.tolist() for part in parts], table.destination.tolist(), repr(table)
        found = deadlock_free(function, network)
        yield str(found), found.cycle, found.order


CASES = tuple(f"{piece} | {word}" for piece in ("moved", "routed") for word in NETWORKS)


def facts(case: str) -> str:
    """How many answers there are, and a digest of them."""
    piece, word = case.split(" | ")
    return digest({"moved": _moved, "routed": _routed}[piece](word))
