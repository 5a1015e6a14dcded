"""A routing function written out as a table, for the messages that will be sent.

The header of a message to router `to` whose flit stands in the buffer of channel `arrived` is in
a *state*. The table lists for every state that can be reached the channels it may take and the
state each leads to, so that simulators look up numbers and never call Python. Making it checks
the function: every channel must exist and leave the router, every message must get on, and no
message may go round in circles. A function that routes by more than the destination's router has
a method `tag(x, y)`; its headers are bound for the router plus R times the tag, R routers.

E-cube and dimension order take one path, that of `network.routes`, and look at nothing but where
the header is and where it is bound for. So their tables are written path by path without asking
the function: the messages of one destination form a tree, and a path ends where it meets one that
is already written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lccmodel.errors import InputError, NodeError, SizeLimitError, checked_index, checked_integers
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints, freeze_arrays
from lccmodel.ground.views import Viewed
from lccmodel.kernels.jit import light_kernel
from lccmodel.network.routes import write_route
from lccmodel.routing.computed import ON_ROUTES
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import ManyChannels, RoutingError, RoutingFunction
from lccmodel.routing.per_message import (
    DrawnRoutes,
    MessageRouting,
    RandomAscent,
    legs_of,
    ways_of,
)


class _Network(NamedTuple):
    """What the kernel asks: `Network.form`; for every counter its axis, whether it wraps around a
    ring, and its link; the head of every link; virtual channels a link; channels of the longest
    route."""

    form: Ints
    axis: Ints
    wrap: Ints
    link: Ints
    head: Ints
    virtual: int
    longest: int


class _PathStates(NamedTuple):
    """Router, last channel, destination, next channel and next state of every state; -1: none."""

    router: Ints
    arrived: Ints
    destination: Ints
    channel: Ints
    following: Ints


def _path_states(fabric: Fabric, virtual: int, pairs: Ints, most: int) -> tuple[Ints, _PathStates]:
    """(the state in which every message starts, the states), or as many as fit into `most`.

    Args:
        virtual: virtual channels a link: of two, number 0 leads up to the wrap-around link of a
            ring, and number 1 past it.
        pairs: int64 of shape (pairs, 2), nodes.
        most: states that are written; more are counted.
    """
    network = fabric.network
    rows, columns = network.counter_shape
    link, axis, wrap = np.full((3, rows * columns), -1, np.int64)
    link[fabric.counter] = np.arange(fabric.links)
    if virtual > 1:
        axis[fabric.counter], _, wrap[fabric.counter] = fabric.geometry.hops(
            fabric.tail, fabric.head
        )
    made = _Network(network._kernel_form, axis, wrap, link, fabric.head, virtual, network.diameter)
    order = np.argsort(fabric.router(pairs[:, 1]), kind="stable")
    start = np.empty(len(pairs), np.int64)
    ends = fabric.router(pairs)
    seen = np.full((2, max(fabric.links * virtual, fabric.routers)), -1, np.int64)
    number = np.empty_like(seen)
    empty = _PathStates(*np.empty((5, 0), np.int64))
    states = int(_write(made, pairs, ends, order, seen, number, start, empty))
    if states > most:
        return start, empty
    seen[:] = -1
    written = _PathStates(*np.full((5, states), -1, np.int64))
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
    states: _PathStates,
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
    axis, wraps = -1, False
    for k in range(hops - 1, -1, -1):
        channel = out[k]
        if network.axis[channel] != axis:
            axis, wraps = network.axis[channel], False
        wraps = wraps or network.wrap[channel] == 1
        ahead = 0 if wraps else network.virtual - 1
        taken[k] = network.link[channel] * network.virtual + ahead


MAX_STATES = 1 << 23


@dataclass(frozen=True, eq=False, repr=False)
class RoutingTable(Viewed, view="routing-table"):
    """What every header may do, as arrays.

    Attributes:
        fabric: the routers and channels.
        routing: the function that was written out.
        start: int64 of shape (pairs,): the state in which each message leaves its source's
            injection channel.
        first: int64 of shape (states + 1,): the options of state s are first[s]..first[s+1]-1;
            none when the header is at its destination and is ejected.
        channel, following: int64 of shape (options,): the channel of every option, the preferred
            one first, and the state in its buffer.
        router: int64 of shape (states,): where the header stands.
        arrived: int64 of shape (states,): the channel whose buffer holds it, -1 for injection.
        destination: int64 of shape (states,): the router it is bound for.
        ways: what messages draw, if their way is drawn for each; `start` is then that of the first
            leg to the destination itself.

    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.routing import Fabric, find_routing
    >>> cube = Hypercube(2)
    >>> table = routing_table(find_routing("e-cube", cube), Fabric(cube), [(0, 3)])
    >>> table.states, table.router.tolist()
    (3, [0, 1, 3])
    """

    fabric: Fabric
    routing: RoutingFunction
    start: Ints
    first: Ints
    channel: Ints
    following: Ints
    router: Ints
    arrived: Ints
    destination: Ints
    ways: DrawnRoutes | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.router)

    def options(self, state: int) -> list[tuple[int, int]]:
        """Return (channel, following state) of every option of a state, the preferred one first.

        Raises:
            InputError: no such state.
        """
        state = checked_index("state", state, self.states)
        at = slice(int(self.first[state]), int(self.first[state + 1]))
        return list(zip(self.channel[at].tolist(), self.following[at].tolist(), strict=True))

    def __repr__(self) -> str:
        spec = self.fabric.network.spec
        return f"RoutingTable({self.routing.name} on {spec}, {self.states} states)"


@typed_arguments
def routing_table(
    routing: RoutingFunction, fabric: Fabric, pairs: Iterable[tuple[int, int]]
) -> RoutingTable:
    """Write out a routing function for messages between these nodes.

    Args:
        routing: the function.
        fabric: the network; its links need the virtual channels that the function asks for.
        pairs: (source, destination) nodes of the messages.

    Raises:
        RoutingError: the function is not made for the network, returns a channel that does not
            leave the router, leaves a header without a way on, or lets it go round in circles.
        NodeError: a source or destination outside the network.
        SizeLimitError: more than 2^23 states.

    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.routing.cubes import ECube
    >>> table = routing_table(ECube(), Fabric(Hypercube(2)), [(0, 3)])
    >>> table, table.options(int(table.start[0]))
    (RoutingTable(e-cube on cube:2, 3 states), [(0, 1)])
    """
    routing.check(fabric)
    if fabric.virtual_channels < routing.virtual_channels:
        rule = f"{routing.name} needs {routing.virtual_channels} virtual channels a link"
        raise RoutingError("routing", rule, fabric.virtual_channels)
    if isinstance(routing, MessageRouting):
        return _of_legs(routing, fabric, pairs)
    if isinstance(routing, RandomAscent):
        return _of_ascents(routing, fabric, pairs)
    if isinstance(routing, ManyChannels) and type(routing.function) in ON_ROUTES:
        return _in_classes(routing, fabric, pairs)
    if type(routing) in ON_ROUTES and fabric.virtual_channels == routing.virtual_channels:
        return _along_routes(routing, fabric, pairs)
    explored = _Exploration(routing, fabric)
    start = [explored.state(-1, *explored.ends(pair)) for pair in pairs]
    explored.complete()
    table = explored.table(np.array(start, dtype=np.int64))
    _check_arrival(table)
    return table


def _checked_ends(fabric: Fabric, pair: Any) -> tuple[int, int]:
    """Source and destination."""
    size = fabric.network.size
    nodes = checked_integers("pairs", pair)  # a row of an array, too
    if len(nodes) != 2:
        raise InputError("pairs", "must be (source, destination) each", pair)
    for node in nodes:
        if not 0 <= node < size:
            rule = f"must be a node of {fabric.network.spec}, 0..{size - 1}"
            raise NodeError("pairs", rule, nodes)
    return nodes[0], nodes[1]


def _too_many(fabric: Fabric, count: int) -> SizeLimitError:
    rule = f"a routing table has at most {MAX_STATES} states; send fewer messages"
    return SizeLimitError(fabric.network.spec, rule, count)


def _along_routes(
    routing: RoutingFunction, fabric: Fabric, pairs: Iterable[tuple[int, int]]
) -> RoutingTable:
    if not isinstance(pairs, np.ndarray):
        pairs = [_checked_ends(fabric, pair) for pair in pairs]
    nodes = np.asarray(pairs, np.int64).reshape(-1, 2)
    outside = ((nodes < 0) | (nodes >= fabric.network.size)).any(axis=1)
    for pair in nodes[outside][:1]:
        _checked_ends(fabric, pair)
    start, states = _path_states(fabric, routing.virtual_channels, nodes, MAX_STATES)
    if len(nodes) and not len(states.router):
        raise _too_many(fabric, MAX_STATES)
    goes_on = states.channel >= 0
    first = np.concatenate([[0], np.cumsum(goes_on)])
    return RoutingTable(
        fabric,
        routing,
        start,
        first,
        states.channel[goes_on],
        states.following[goes_on],
        states.router,
        states.arrived,
        states.destination,
    )


def _in_classes(
    routing: ManyChannels, fabric: Fabric, pairs: Iterable[tuple[int, int]]
) -> RoutingTable:
    """The table of one path for every message, each of its channels a class of several."""
    function, many = routing.function, routing.virtual_channels
    few = function.virtual_channels
    share = many // few
    plain = _along_routes(function, Fabric(fabric.network, few), pairs)
    copies = np.where(plain.arrived >= 0, share, 1)  # of every state: one for each channel
    if (states := int(copies.sum())) > MAX_STATES:
        raise _too_many(fabric, states)
    begin = np.cumsum(copies) - copies
    number = np.arange(states) - np.repeat(begin, copies)
    goes_on = np.repeat(np.diff(plain.first), copies)  # one option or none
    option = np.repeat(plain.first[:-1], copies)[goes_on > 0]
    members = np.arange(share)
    taken, then = plain.channel[option], plain.following[option]
    arrived = np.repeat(plain.arrived, copies)
    came = arrived // few * many + arrived % few * share + number
    return RoutingTable(
        fabric,
        routing,
        begin[plain.start],
        np.concatenate([[0], np.cumsum(goes_on * share)]),
        ((taken // few * many + taken % few * share)[:, None] + members).ravel(),
        (begin[then][:, None] + members).ravel(),
        np.repeat(plain.router, copies),
        np.where(arrived >= 0, came, -1),
        np.repeat(plain.destination, copies),
    )


def _of_legs(
    routing: MessageRouting, fabric: Fabric, pairs: Iterable[tuple[int, int]]
) -> RoutingTable:
    """The tables of both legs as one: states and channels of the second are numbered on."""
    ends = np.array([_checked_ends(fabric, pair) for pair in pairs], np.int64).reshape(-1, 2)
    legs, known = legs_of(routing, fabric, ends)
    tables = []
    for number, (leg, travelled) in enumerate(zip(routing.wide_legs, legs, strict=True)):
        tables.append(routing_table(leg, routing.leg_fabric(fabric, number), travelled))
        if (states := sum(table.states for table in tables)) > MAX_STATES:
            raise _too_many(fabric, states)
    first_leg, second_leg = tables
    ways = ways_of(routing, [first_leg.start, second_leg.start + first_leg.states], known)
    channels, arrived = (
        np.concatenate(
            [routing.channels_of_leg(k, getattr(table, name)) for k, table in enumerate(tables)]
        )
        for name in ("channel", "arrived")
    )
    direct = ways.first[0] if ways.legs == 1 else ways.first[ways.row, ways.there]
    return RoutingTable(
        fabric,
        routing,
        direct.copy(),
        np.concatenate([first_leg.first, second_leg.first[1:] + len(first_leg.channel)]),
        channels,
        np.concatenate([first_leg.following, second_leg.following + first_leg.states]),
        np.concatenate([first_leg.router, second_leg.router]),
        arrived,
        np.concatenate([first_leg.destination, second_leg.destination]),
        ways,
    )


def _of_ascents(
    routing: RandomAscent, fabric: Fabric, pairs: Iterable[tuple[int, int]]
) -> RoutingTable:
    """The table of all ways of every message; of n ways up, the k-th is number k modulo n."""
    nodes = np.array([_checked_ends(fabric, pair) for pair in pairs], np.int64).reshape(-1, 2)
    leaves, pair = np.unique(fabric.router(nodes), axis=0, return_inverse=True)
    ways = [routing.ascents(fabric, at, to) for at, to in leaves.tolist()]
    first = np.empty((max(ways, default=1), len(leaves)), np.int64)
    explored = _Exploration(routing, fabric)
    for number, (at, to) in enumerate(leaves.tolist()):
        for way in range(len(first)):
            name = fabric.routers * (way % ways[number])
            first[way, number] = explored.state(-1, at, to + name)
    explored.complete()
    table = explored.table(first[0, pair])
    _check_arrival(table)
    none = np.zeros(0, np.int64)
    drawn = DrawnRoutes("ascent", none, none, first[:, pair], none, none, none, none)
    return replace(table, ways=drawn)


class _Exploration:
    """The states reached so far, numbered as they are found."""

    def __init__(self, routing: RoutingFunction, fabric: Fabric) -> None:
        self.routing, self.fabric = routing, fabric
        self.number: dict[tuple[int, int, int], int] = {}
        self.found: list[tuple[int, int, int]] = []
        self.first, self.channel, self.following = [0], list[int](), list[int]()
        self.tag = getattr(routing, "tag", None)

    def ends(self, pair: tuple[int, int]) -> tuple[int, int]:
        nodes = _checked_ends(self.fabric, pair)
        at, to = map(self.fabric.router, nodes)
        if self.tag is None:
            return at, to
        return at, to + self.fabric.routers * self.tag(*map(self.fabric.network.whole, nodes))

    def state(self, arrived: int, at: int, to: int) -> int:
        key, count = (arrived, at, to), len(self.found)
        number = self.number.setdefault(key, count)
        if number == count:
            if count >= MAX_STATES:
                raise _too_many(self.fabric, count)
            self.found.append(key)
        return number

    def complete(self) -> None:
        """Follow every option of every state; states are found while the loop runs."""
        for arrived, at, to in self.found:
            if at != to % self.fabric.routers:
                self._follow(arrived, at, to)
            self.first.append(len(self.channel))

    def _follow(self, arrived: int, at: int, to: int) -> None:
        fabric, limit = self.fabric, self.fabric.channels
        channels = self.routing.outputs(fabric, at, to, arrived)
        if not isinstance(channels, Sequence | np.ndarray) or isinstance(channels, str):
            raise self._refused("must return a list of channels", arrived, at, to, channels)
        if not len(channels):
            raise self._refused("must return a channel", arrived, at, to, channels)
        for channel in channels:
            if not (isinstance(channel, (int, np.integer)) and 0 <= channel < limit):
                raise self._refused(
                    f"must return channels 0..{limit - 1}", arrived, at, to, channel
                )
            taken = int(channel)
            tail, head, _ = fabric.ends(taken)
            if tail != at:
                rule = "must return channels that leave the router"
                raise self._refused(rule, arrived, at, to, fabric.name(taken))
            self.channel.append(taken)
            self.following.append(self.state(taken, head, to))

    def _refused(self, rule: str, arrived: int, at: int, to: int, offered: object) -> RoutingError:
        """What is wrong with a routing function, and for which header."""
        where = f"at router {at}, bound for {to}"
        if arrived >= 0:
            where += f", arrived on {self.fabric.name(arrived)}"
        return RoutingError("routing", f"{self.routing.name} {rule} {where}", offered)

    def table(self, start: Ints) -> RoutingTable:
        arrived, router, destination = np.array(self.found, dtype=np.int64).reshape(-1, 3).T.copy()
        destination %= self.fabric.routers
        lists = (self.first, self.channel, self.following)
        first, channel, following = (np.array(values, dtype=np.int64) for values in lists)
        return RoutingTable(
            self.fabric,
            self.routing,
            start,
            first,
            channel,
            following,
            router,
            arrived,
            destination,
        )


def _check_arrival(table: RoutingTable) -> None:
    """Take away states all of whose options are taken away; what is left goes round in circles."""
    waiting = np.diff(table.first)
    before = np.repeat(np.arange(table.states), waiting)[np.argsort(table.following, kind="stable")]
    into = np.concatenate([[0], np.cumsum(np.bincount(table.following, minlength=table.states))])
    done = waiting == 0
    last = np.flatnonzero(done)
    while len(last):
        counts = into[last + 1] - into[last]
        ends = np.cumsum(counts)
        edges = np.arange(counts.sum()) + np.repeat(into[last] - ends + counts, counts)
        reached = before[edges]
        waiting -= np.bincount(reached, minlength=table.states)
        last = np.unique(reached[waiting[reached] == 0])
        done[last] = True
    if not done.all():
        stuck = int(np.flatnonzero(~done)[0])
        where = f"at router {table.router[stuck]}, bound for {table.destination[stuck]}"
        rule = f"{table.routing.name} must not let a header go round in circles {where}"
        raise RoutingError(
            "routing", rule, table.fabric.name(int(table.channel[table.first[stuck]]))
        )
