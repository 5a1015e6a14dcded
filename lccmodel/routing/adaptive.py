"""Minimal adaptive routing on grids: adaptive channels above an escape [Duato].

Every link has the virtual channels of an escape, a routing function that is free of deadlock, and
at least one more. A header takes the first free one of these, along any axis that is not done; if
none is free, it may take the channel of the escape. A header that waits can always be granted a
channel of the escape in the end, so messages wait for each other in no ring if the escape has none
in its *extended* dependency graph: also from a channel of the escape to the next one that the
message takes after some adaptive channels (`dependency`).

A header that took an escape channel may go back to adaptive ones [Duato], or stays on the escape
to the end (`stays`), as in BookSim 2's min_adapt.

The argument needs buffers that hold flits of one message: a header behind another message cannot
leave by the escape. So it holds while channels are granted again when the tail's credit is back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from lccmodel.errors import checked_integer
from lccmodel.ground.arguments import guard_methods, typed_arguments
from lccmodel.network import Network
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import MOST_CHANNELS, Provenance, RoutingError, RoutingFunction


@typed_arguments
@dataclass(frozen=True)
class Adaptive:
    """Every shortest path on a grid, with an escape.

    Args:
        escape: a routing function of the grid that is free of deadlock; its channels are the first
            of every link.
        virtual_channels: of every link, more than those of the escape; one more if left out.
        stays: whether a message on a channel of the escape stays on the escape.

    Raises:
        RoutingError: no channel above the escape.

    >>> from lccmodel.network import Mesh
    >>> from lccmodel.routing import find_routing
    >>> mesh = Mesh((4, 4))
    >>> adaptive, fabric = find_routing("adaptive", mesh), Fabric(mesh, 2)
    >>> [fabric.name(channel) for channel in adaptive.outputs(fabric, 0, 5, -1)]
    ['0->1:1', '0->4:1', '0->1:0']
    """

    escape: RoutingFunction
    virtual_channels: int = 0
    stays: bool = False

    name: ClassVar[str] = "adaptive"
    about: ClassVar[str] = "every shortest path, above an escape in order of the axes [Duato]"
    provenance: ClassVar[Provenance] = "published"

    def __post_init__(self) -> None:
        least = self.least_channels
        many = checked_integer("virtual_channels", self.virtual_channels or least)
        if not least <= many <= MOST_CHANNELS:
            rule = f"{self.name} needs {least}..{MOST_CHANNELS} virtual channels, the escape's too"
            raise RoutingError("virtual_channels", rule, many)
        object.__setattr__(self, "virtual_channels", many)

    @property
    def escape_channels(self) -> int:
        """The virtual channels of the escape, the first of every link."""
        return self.escape.virtual_channels

    @property
    def least_channels(self) -> int:
        """Virtual channels that are needed: one above the escape."""
        return self.escape.virtual_channels + 1

    def widened(self, virtual_channels: int) -> Adaptive:
        """Return the same with another number of virtual channels.

        Raises:
            RoutingError: no channel above the escape.
        """
        return type(self)(self.escape, virtual_channels, self.stays)

    @cached_property
    def _escapes(self) -> dict[Network, Fabric]:
        return {}

    def check(self, fabric: Fabric) -> None:
        """Check that the network is a grid that the escape takes."""
        self.escape.check(self._escape_fabric(fabric))

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """Return the adaptive channels axis by axis, then that of the escape."""
        many, least = self.virtual_channels, self.escape_channels
        on_escape = arrived >= 0 and arrived % many < least
        before = arrived // many * least + arrived % many if on_escape else -1
        last = self.escape.outputs(self._escape_fabric(fabric), at, to, before)
        offered = [channel // least * many + channel % least for channel in last]
        if on_escape and self.stays:
            return offered
        ways = (fabric.channel(at, router) for router in shortest_moves(fabric, at, to))
        return [first + k for first in ways for k in range(least, many)] + offered

    def _escape_fabric(self, fabric: Fabric) -> Fabric:
        """The same network with the channels of the escape alone."""
        if fabric.network not in self._escapes:
            self._escapes[fabric.network] = Fabric(fabric.network, self.escape_channels)
        return self._escapes[fabric.network]


guard_methods(Adaptive)


class OneAxisAdaptive(Adaptive):
    """The min_adapt of BookSim 2 as it runs: adaptive channels along the first unfinished axis.

    BookSim's function names every axis. Its OutputSet holds one entry of each priority and drops
    the others, so of the adaptive channels those of the first axis remain. Half of a ring is gone
    in the - direction.

    >>> from lccmodel.network import Mesh
    >>> from lccmodel.routing import find_routing
    >>> mesh = Mesh((4, 4))
    >>> routing, fabric = OneAxisAdaptive(find_routing("e-cube", mesh)), Fabric(mesh, 2)
    >>> [fabric.name(channel) for channel in routing.outputs(fabric, 0, 5, -1)]
    ['0->1:1', '0->1:0']
    """

    name: ClassVar[str] = "min_adapt"
    about: ClassVar[str] = "adaptive channels of one axis above an escape, as BookSim 2 runs it"

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """Adaptive channels of the first axis that is not done, then that of the escape."""
        offered = list(super().outputs(fabric, at, to, arrived))
        many, least = self.virtual_channels, self.escape_channels
        above = [channel for channel in offered if channel % many >= least]
        axis = {int(fabric.dimension[channel // many]) for channel in above[:1]}
        first = [c for c in above if int(fabric.dimension[c // many]) in axis]
        return first[least - many :] + offered[len(above) :] if above else offered


guard_methods(OneAxisAdaptive)


def shortest_moves(fabric: Fabric, at: int, to: int) -> Iterator[int]:
    """The next routers on all shortest paths of a grid, axis by axis, the + direction first.

    >>> from lccmodel.network import Torus
    >>> list(shortest_moves(Fabric(Torus((4, 4))), 0, 6))  # half of ring 0, either way
    [1, 3, 4]
    """
    stride, grid = 1, fabric.geometry
    for length, ring in zip(grid.sides, grid.rings, strict=True):
        place, goal = at // stride % length, to // stride % length
        ahead = (goal - place) % length
        if ahead:
            signs = [1 if goal > place else -1]
            if ring:
                signs = [s for s, far in ((1, ahead), (-1, length - ahead)) if 2 * far <= length]
            for sign in signs:
                yield at + ((place + sign) % length - place) * stride
        stride *= length
