"""What a routing function is: where a header stands and came from, and the channels it may take.

    outputs(fabric, at, to, arrived) -> channels, the preferred one first

`at` and `to` are routers, `arrived` the channel whose buffer holds the header, or -1 at its source.
A function that looks at `at` and `to` alone is memoryless; e-cube is. The paper's routers prefer
the lowest dimension [hou, section 6], so all functions here list channels by dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError
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
p-cube, minimum-restriction, fully-adaptive, chiu, mixab3, mixbb3, min-turns on cube:3; did you \
mean 'e-cube'?; got 'e-cub'
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
        """The channels allowed to a header at router `at` bound for router `to` != `at`."""


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
        """Any network; what the function returns is checked when it is used."""

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """What the function returns."""
        return self.function(fabric, at, to, arrived)
