"""A network as routers and numbered channels: what routing functions and simulators work on.

Routers are numbered 0..R-1: the nodes themselves, or, on a bristled hypercube, the routers that
two nodes share. Links are the directed channels of `network.graph()` between routers, ordered by
the rows and columns of `ChannelLoads.counts`, on a grid by those of its plainest description
(`network.plain`); a link carries V virtual channels, which share its wire and have a buffer each:

    channel = link * V + v,  0 <= v < V
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lccmodel.errors import (
    InputError,
    NetworkError,
    SizeLimitError,
    checked_array,
    checked_index,
    checked_integer,
)
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints, read_only
from lccmodel.network import ChannelLoads, Network
from lccmodel.network.geometry import Geometry
from lccmodel.network.plain import plain_network

MAX_LINKS = 1 << 22


@typed_arguments
@dataclass(frozen=True, eq=False)
class Fabric:
    """The routers and channels of a network.

    Args:
        network: any; the routers of a fat tree are its switches.
        virtual_channels: how many share a link, at least 1.

    Raises:
        NetworkError: not a network.
        InputError: fewer than one virtual channel.
        SizeLimitError: more than 2^22 links.

    >>> from lccmodel.network import Hypercube
    >>> fabric = Fabric(Hypercube(2))
    >>> fabric.tail.tolist(), fabric.head.tolist(), fabric.dimension.tolist()
    ([0, 1, 2, 3, 0, 1, 2, 3], [1, 0, 3, 2, 2, 3, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1])
    >>> fabric.channel(3, 1), fabric.name(7)
    (7, '3->1')
    """

    network: Network
    virtual_channels: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.network, Network):
            rule = "must be a Hypercube, BristledHypercube, Mesh, Torus, Concentrated or FatTree"
            raise NetworkError("network", rule, self.network)
        if self.network.has_several_ports:
            rule = "must have hosts with one port each to be simulated: leave others out"
            raise NetworkError("network", rule, self.network.spec)
        check_size(self.network)
        checked_integer("virtual_channels", self.virtual_channels, least=1)

    @cached_property
    def geometry(self) -> Geometry:
        """The shape of the whole network."""
        return self.network.whole_network.geometry

    @cached_property
    def routers(self) -> int:
        """Number of routers."""
        return self.network.routers

    @cached_property
    def links(self) -> int:
        """Number of directed links between routers."""
        return self.network.n_channels

    @cached_property
    def channels(self) -> int:
        """Number of virtual channels of all links together."""
        return self.links * self.virtual_channels

    @cached_property
    def period(self) -> Ints:
        """Cycles for which a flit keeps the wire of every link: integers without a divisor.

        A link of bandwidth b is busy for a time of 1/b; a cycle is the largest time of which all
        these are multiples.

        >>> from lccmodel.network import Mesh
        >>> Fabric(Mesh((2, 2), bandwidth=(2, 1))).period.tolist()
        [1, 1, 1, 1, 2, 2, 2, 2]
        """
        bandwidths = self.network.bandwidths
        times = [math.lcm(*(b.numerator for b in bandwidths)) / b for b in bandwidths]
        cycles = [int(time) for time in times]
        common = math.gcd(*cycles) or 1
        return read_only(np.array([cycle // common for cycle in cycles], np.int64)[self.dimension])

    def router(self, node: Any) -> Any:
        """Return the router of a node, or of an array of nodes.

        Raises:
            InputError: no integer.
        """
        is_single = isinstance(node, int)
        return self.network.at_router(node if is_single else checked_array("node", node))

    @cached_property
    def _ends(self) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
        """Tail, head, dimension, sign, counter and number of the cable of every link."""
        whole = self.network.whole_network
        wiring = whole.wiring
        order = np.arange(len(wiring))
        sign = np.where(wiring.head > wiring.tail, 1, -1)
        if self.geometry.is_grid:
            sign = self.geometry.hops(wiring.tail, wiring.head)[1]
            if (plain := plain_network(whole)) is not whole:  # two descriptions number links alike
                ends = plain.wiring
                order[np.lexsort((ends.head, ends.tail))] = np.lexsort((wiring.head, wiring.tail))
        made = (
            np.stack(
                [wiring.tail, wiring.head, wiring.dimension, sign, wiring.counter, wiring.cable]
            )
            .astype(np.int64)[:, order]
            .copy()
        )
        made.flags.writeable = False
        return made[0], made[1], made[2], made[3], made[4], made[5]

    @property
    def tail(self) -> Ints:
        """The router that every link leaves, int64 of shape (links,)."""
        return self._ends[0]

    @property
    def head(self) -> Ints:
        """The router that every link enters."""
        return self._ends[1]

    @property
    def dimension(self) -> Ints:
        """The dimension or axis of every link."""
        return self._ends[2]

    @property
    def sign(self) -> Ints:
        """+1 or -1: the direction of every link along its dimension or axis."""
        return self._ends[3]

    @property
    def counter(self) -> Ints:
        """Place in `ChannelLoads.counts`, row * columns + column, of every link."""
        return self._ends[4]

    def channel_loads(self, per_link: Ints) -> ChannelLoads:
        """Return numbers of messages, one for each link, as the loads of the network's channels.

        Raises:
            InputError: another number of links, or no integers.
        """
        per_link = checked_array("per_link", per_link)
        if per_link.shape != (self.links,):
            rule = f"must have shape ({self.links},), one for every link"
            raise InputError("per_link", rule, per_link.shape)
        counts = np.zeros(self.network.counter_shape, dtype=np.int64)
        counts.flat[self.counter] = per_link
        return ChannelLoads(self.network, counts)

    @cached_property
    def _links(self) -> list[tuple[int, int]]:
        """Tail and head of every link as Python integers, for loops in Python."""
        return list(zip(self.tail.tolist(), self.head.tolist(), strict=True))

    @cached_property
    def _out(self) -> tuple[dict[int, int], ...]:
        """For every router: the link to each of its neighbours."""
        out: tuple[dict[int, int], ...] = tuple({} for _ in range(self.routers))
        for link, ((u, v), cable) in enumerate(
            zip(self._links, self._ends[5].tolist(), strict=True)
        ):
            if not cable:
                out[u][v] = link
        return out

    def neighbours(self, router: int) -> tuple[int, ...]:
        """Return the routers that a link of this one leads to.

        Raises:
            InputError: no such router.
        """
        return tuple(self._out[checked_index("router", router, self.routers)])

    @cached_property
    def _cables(self) -> dict[tuple[int, int, int], int]:
        """The links that are further cables between two routers."""
        further = np.flatnonzero(self._ends[5])
        ends = np.stack([self.tail, self.head, self._ends[5]], axis=1)[further].tolist()
        return {(u, v, k): link for (u, v, k), link in zip(ends, further.tolist(), strict=True)}

    def channel(self, u: int, v: int, virtual: int = 0, cable: int = 0) -> int:
        """Return the number of a virtual channel of the link from router u to router v.

        Args:
            u, v: routers.
            virtual: 0, 1, ...
            cable: 0, or k for the k-th further cable between the two routers.

        Raises:
            NetworkError: there is no such link or virtual channel.
        """
        out = self._out
        link = out[u].get(v) if 0 <= u < len(out) else None
        if cable:
            link = self._cables.get((u, v, cable))
        if link is None or not 0 <= virtual < self.virtual_channels:
            rule = f"must be a channel of {self.network.spec} with {self.virtual_channels} virtual"
            raise NetworkError("channel", rule, (u, v, virtual))
        return link * self.virtual_channels + virtual

    def ends(self, channel: int) -> tuple[int, int, int]:
        """Return (u, v, virtual channel): the inverse of `channel`.

        Raises:
            InputError: no such channel.
        """
        channel = checked_index("channel", channel, self.channels)
        link, virtual = divmod(channel, self.virtual_channels)
        u, v = self._links[link]
        return u, v, virtual

    def name(self, channel: int) -> str:
        """Return a name such as "3->1", with ":v" for virtual channel v if a link has several."""
        u, v, virtual = self.ends(channel)
        return f"{u}->{v}" + (f":{virtual}" if self.virtual_channels > 1 else "")


def check_size(network: Network) -> None:
    """Refuse a network that is too large to simulate, before its nodes are listed.

    Raises:
        SizeLimitError: more than 2^22 links.
    """
    if network.n_channels > MAX_LINKS:
        rule = f"every channel is simulated, so at most {MAX_LINKS}"
        raise SizeLimitError(network.spec, rule, network.n_channels)
