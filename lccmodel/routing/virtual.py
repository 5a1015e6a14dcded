"""Any routing function with more virtual channels on every link.

A routing function that asks for b virtual channels a link tells apart b classes, such as those
before and past the dateline of a torus. With V of them, V a multiple of b, every class has V/b,
and a header takes the first that is free. The classes are numbered on as before, so what had no
cycle of waiting messages has none with more channels either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lccmodel._arguments import typed_arguments
from lccmodel.errors import checked_integer
from lccmodel.network import Network
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import Provenance, RoutingError, RoutingFunction

_MOST = 4096


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
        if many > _MOST:
            raise RoutingError("virtual_channels", f"must be at most {_MOST}", many)
        if many % least:
            rule = f"{self.function.name} needs a multiple of {least} virtual channels"
            raise RoutingError("virtual_channels", rule, many)

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
        """As for the routing function."""
        self.function.check(self._classes(fabric))

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """Every channel of the classes that the function offers, in its order."""
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
