"""The table of a routing function that follows the routes of its network, without asking it.

E-cube and dimension order take one path, that of `network.routes`, and look at nothing but where
the header is and where it is bound for. So their tables are written path by path: the messages of
one destination form a tree, and a path ends where it meets one that is already written.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import light_kernel
from lccmodel.network.routes import write_route
from lccmodel.routing.fabric import Fabric


class _Network(NamedTuple):
    """What the kernel asks: `Network.form`; for every row of counters the stride and length of
    its axis, 0 where it is no ring; the link of every counter, and its head; virtual channels a
    link; channels of the longest route."""

    form: Ints
    stride: Ints
    ring: Ints
    link: Ints
    head: Ints
    virtual: int
    longest: int


class PathStates(NamedTuple):
    """Router, last channel, destination, next channel and next state of every state; -1: none."""

    router: Ints
    arrived: Ints
    destination: Ints
    channel: Ints
    following: Ints


def path_states(fabric: Fabric, virtual: int, pairs: Ints, most: int) -> tuple[Ints, PathStates]:
    """(the state in which every message starts, the states), or as many as fit into `most`.

    Args:
        virtual: virtual channels a link: of two, number 0 leads up to the wrap-around link of a
            ring, and number 1 past it.
        pairs: int64 of shape (pairs, 2), nodes.
        most: states that are written; more are counted.
    """
    network = fabric.network
    rows, columns = network.counter_shape
    axes = np.arange(rows) // 2
    link = np.full(rows * columns, -1, np.int64)
    link[fabric.counter] = np.arange(fabric.links)
    sides = getattr(fabric.wires, "shape", ())
    stride, ring = np.ones(rows, np.int64), np.zeros(rows, np.int64)
    if virtual > 1:
        lengths = np.array(sides, np.int64)
        stride = np.concatenate([[1], np.cumprod(lengths)])[axes]
        ring = lengths[axes]
    made = _Network(network.form, stride, ring, link, fabric.head, virtual, network.diameter)
    order = np.argsort(fabric.router(pairs[:, 1]), kind="stable")
    start = np.empty(len(pairs), np.int64)
    ends = fabric.router(pairs)
    seen = np.full((2, max(fabric.links * virtual, fabric.routers)), -1, np.int64)
    number = np.empty_like(seen)
    empty = PathStates(*np.empty((5, 0), np.int64))
    states = int(_write(made, pairs, ends, order, seen, number, start, empty))
    if states > most:
        return start, empty
    seen[:] = -1
    written = PathStates(*np.full((5, states), -1, np.int64))
    _write(made, pairs, ends, order, seen, number, start, written)
    return start, written


@light_kernel
def _write(
    network: _Network,
    pairs: Ints,
    ends: Ints,
    order: Ints,
    seen: Ints,
    number: Ints,
    start: Ints,
    states: PathStates,
) -> int:
    """Write the states of all messages, sorted by destination; how many there are.

    Args:
        seen, number: for channels, then for routers where messages start: the last destination
            for which there was such a state, and its number.
        states: to be filled in; without entries, they are only counted.
    """
    out, taken = np.empty(network.longest, np.int64), np.empty(network.longest, np.int64)
    none, count, write = np.empty(0, np.int64), 0, len(states.router) > 0
    for p in order:
        at, to = ends[p]
        if seen[1, at] == to:
            start[p] = number[1, at]
            continue
        hops = write_route(network.form, pairs[p, 0], pairs[p, 1], 0, out, none)
        _choose(network, hops, out, taken)
        seen[1, at], number[1, at], start[p] = to, count, count
        before, count = count, count + 1
        if write:
            states.router[before], states.destination[before] = at, to
        for k in range(hops):
            channel = taken[k]
            met = seen[0, channel] == to
            state = number[0, channel] if met else count
            if write:
                states.channel[before], states.following[before] = channel, state
            if met:
                break
            seen[0, channel], number[0, channel] = to, state
            if write:
                states.router[state] = network.head[channel // network.virtual]
                states.arrived[state], states.destination[state] = channel, to
            before, count = state, count + 1
    return count


@light_kernel
def _choose(network: _Network, hops: int, out: Ints, taken: Ints) -> None:
    """The channels of a route, from the end: whether a ring's last link is still to come."""
    columns, row, wraps = network.form[1], -1, False
    for k in range(hops - 1, -1, -1):
        if out[k] // columns != row:
            row, wraps = out[k] // columns, False
        link, length = network.link[out[k]], network.ring[row]
        if network.virtual > 1:
            last = 0 if row & 1 else length - 1
            wraps = wraps or out[k] % columns // network.stride[row] % length == last
        taken[k] = link * network.virtual + (0 if wraps else network.virtual - 1)
