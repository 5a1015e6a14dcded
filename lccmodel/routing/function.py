"""What a routing function is: where a header stands and came from, and the channels it may take.

    outputs(fabric, at, to, arrived) -> channels, the preferred one first

`at` and `to` are routers, `arrived` the channel whose buffer holds the header, or -1 at its source.
A function that looks at `at` and `to` alone is memoryless; e-cube is. The paper's routers prefer
the lowest dimension [hou, section 6], so all functions here list channels by dimension.

A routing function that asks for b virtual channels a link tells apart b classes, such as those
before and past the dateline of a torus. With V of them, V a multiple of b, every class has V/b,
and a header takes the first that is free (`ManyChannels`). The classes are numbered on as before,
so what had no cycle of waiting messages has none with more channels either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Protocol, runtime_checkable

from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.network import Network
from lccmodel.routing.fabric import Fabric

Provenance = Literal["published", "reconstructed", "user"]


class RoutingError(InputError):
    """A routing function is unknown, does not fit the network, or returns a wrong channel.

    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.routing import find_routing
    >>> find_routing("e-cub", Hypercube(3))
    Traceback (most recent call last):
    ...
    lccmodel.routing.function.RoutingError: routing: must be one of e-cube, e-cube-descending, \
p-cube, minimum-restriction, fully-adaptive, chiu, mixab3, mixbb3, min-turns, adaptive, romm, \
xy-yx, valiant on cube:3; did you mean 'e-cube'?; got 'e-cub'
    """


@runtime_checkable
class RoutingFunction(Protocol):
    """The channels that a header may take next.

    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.routing import Fabric, find_routing
    >>> ecube = find_routing("e-cube", Hypercube(3))
    >>> isinstance(ecube, RoutingFunction), ecube.outputs(Fabric(Hypercube(3)), 0, 6, -1)
    (True, [8])
    """

    @property
    def name(self) -> str:
        """How tables and figures call it."""
        ...

    @property
    def virtual_channels(self) -> int:
        """How many a link needs."""
        ...

    @property
    def provenance(self) -> Provenance:
        """Published, reconstructed from a citation, or the user's."""
        ...

    @property
    def about(self) -> str:
        """One line on what it does and where it comes from."""
        ...

    def check(self, fabric: Fabric) -> None:
        """Raise `RoutingError` when the function is not made for this network."""

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """Return the channels allowed to a header at router `at` bound for router `to` != `at`."""


@typed_arguments
@dataclass(frozen=True)
class UserRouting:
    """A routing function of one's own, made from a Python function.

    Args:
        name: how tables and figures call it.
        function: takes (fabric, at, to, arrived) and returns channels, the preferred one first;
            `fabric.channel(u, v, virtual)` numbers them.
        virtual_channels: how many every link has.

    Raises:
        RoutingError: `function` cannot be called.

    >>> from lccmodel.network import Hypercube
    >>> def highest_first(fabric, at, to, arrived):
    ...     return [fabric.channel(at, at ^ 1 << (at ^ to).bit_length() - 1)]
    >>> UserRouting("highest first", highest_first).outputs(Fabric(Hypercube(2)), 0, 3, -1)
    [4]
    """

    name: str
    function: Callable[[Fabric, int, int, int], Sequence[int]]
    virtual_channels: int = 1
    provenance: Provenance = "user"
    about: str = "a routing function of the user"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise RoutingError("function", "must be callable", self.function)

    def check(self, fabric: Fabric) -> None:
        """Accept any network: what the function returns is checked when it is used."""

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """Return what the function returns."""
        return self.function(fabric, at, to, arrived)


MOST_CHANNELS = 4096
"""Virtual channels of a link, at most."""


@typed_arguments
@dataclass(frozen=True)
class ManyChannels:
    """A routing function with so many virtual channels on every link.

    Args:
        function: the routing function.
        virtual_channels: a multiple of those that it asks for, at most 4096.

    Raises:
        RoutingError: another number.

    >>> from lccmodel.network import Torus
    >>> from lccmodel.routing import find_routing
    >>> four = ManyChannels(find_routing("dimension-order", Torus((8,))), 4)
    >>> fabric = Fabric(Torus((8,)), 4)
    >>> [fabric.name(c) for c in four.outputs(fabric, 6, 1, -1)]
    ['6->7:0', '6->7:1']
    """

    function: RoutingFunction
    virtual_channels: int

    def __post_init__(self) -> None:
        least = self.function.virtual_channels
        many = checked_integer("virtual_channels", self.virtual_channels, least=1)
        if many > MOST_CHANNELS:
            raise RoutingError("virtual_channels", f"must be at most {MOST_CHANNELS}", many)
        if many % least:
            rule = f"{self.function.name} needs a multiple of {least} virtual channels"
            raise RoutingError("virtual_channels", rule, many)

    @property
    def least_channels(self) -> int:
        """Virtual channels that the routing function needs."""
        return self.function.virtual_channels

    @property
    def name(self) -> str:
        """That of the routing function."""
        return self.function.name

    @property
    def about(self) -> str:
        """What the routing function says of itself."""
        return self.function.about

    @property
    def provenance(self) -> Provenance:
        """That of the routing function."""
        return self.function.provenance

    @property
    def tag(self) -> Any:
        """That of the routing function, if it has one."""
        return self.function.tag  # type: ignore[attr-defined]  # some functions have none

    @cached_property
    def _few(self) -> dict[Network, Fabric]:
        return {}

    def check(self, fabric: Fabric) -> None:
        """Check as the routing function does."""
        self.function.check(self._classes(fabric))

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """Return every channel of the classes that the function offers, in its order."""
        few, many = self.function.virtual_channels, self.virtual_channels
        share = many // few
        came = arrived // many * few + arrived % many // share  # -1 stays -1
        offered = self.function.outputs(self._classes(fabric), at, to, came)
        return [
            channel // few * many + channel % few * share + k
            for channel in offered
            for k in range(share)
        ]

    def _classes(self, fabric: Fabric) -> Fabric:
        """The same network with one channel a class."""
        if fabric.network not in self._few:
            made = Fabric(fabric.network, self.function.virtual_channels)
            self._few[fabric.network] = made
        return self._few[fabric.network]


@typed_arguments
def widened(function: RoutingFunction, virtual_channels: int | None) -> RoutingFunction:
    """Return a routing function on another number of virtual channels; None leaves it as it is.

    A function that divides its channels in another way than by equal classes has a method
    `widened` itself.

    Raises:
        RoutingError: a number that the function cannot use.

    >>> from lccmodel.network import Mesh
    >>> from lccmodel.routing import find_routing
    >>> widened(find_routing("valiant", Mesh((4, 4))), 6).virtual_channels
    6
    """
    if virtual_channels is None:
        return function
    if checked_integer("virtual_channels", virtual_channels) == function.virtual_channels:
        return function
    by_itself = getattr(function, "widened", None)
    if by_itself is None:
        return ManyChannels(function, virtual_channels)
    made: RoutingFunction = by_itself(virtual_channels)
    return made
