"""Routing on fat trees: up by the digits of a name, the destination's or the source's, then down.

Hosts of one leaf switch are reached by different ways up, so a header is bound for a switch and
carries the name that it is routed by; `tag` gives it, and `to` holds both (see `routing_table`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from lccmodel.network import FatTree
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import Provenance, RoutingError


@dataclass(frozen=True)
class _TreeRouting:
    name: ClassVar[str]
    about: ClassVar[str]
    virtual_channels: ClassVar[int] = 1
    provenance: ClassVar[Provenance] = "published"
    by_source: ClassVar[bool]

    def check(self, fabric: Fabric) -> None:
        """Fat trees that are routed by this name."""
        network = fabric.wires
        if not isinstance(network, FatTree) or network.routing != self.name:
            rule = f"{self.name} is for fat trees that state it, as fattree:4^3,routing={self.name}"
            raise RoutingError("routing", rule, network.spec)

    def tag(self, x: int, y: int) -> int:
        """The name that the message from host x to host y is routed by."""
        return x if self.by_source else y

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel to the next switch of the path."""
        tree = fabric.wires
        assert isinstance(tree, FatTree)
        name, leaf = divmod(to, fabric.routers)
        following = tree.next_switch(at + tree.size, leaf * tree.per_node, name) - tree.size
        return [fabric.channel(at, following)]


class DModK(_TreeRouting):
    """Up by the digits of the destination; the way down is then the only one."""

    name = "d-mod-k"
    about = "up by the digits of the destination, then down"
    by_source = False


class SModK(_TreeRouting):
    """Up by the digits of the source; the way down is then the only one."""

    name = "s-mod-k"
    about = "up by the digits of the source, then down"
    by_source = True
