"""Routing functions of meshes and tori: dimension order, and the turn model on meshes.

On a torus a ring of channels closes a cycle of waiting messages, so every link has two virtual
channels [Dally and Seitz]: a message that still has to pass the wrap-around link of its ring uses
channel 0, one that does not uses channel 1. Channel 0 is never used past the wrap-around link,
channel 1 never on it, so neither closes the ring.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from lccmodel.network import Mesh, Torus
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import Provenance, RoutingError


@dataclass(frozen=True)
class _GridRouting:
    name: ClassVar[str]
    about: ClassVar[str]
    virtual_channels: ClassVar[int] = 1
    provenance: ClassVar[Provenance] = "published"
    on_torus: ClassVar[bool] = False

    def check(self, fabric: Fabric) -> None:
        """Meshes, or tori."""
        network = fabric.wires
        if not isinstance(network, Mesh) or isinstance(network, Torus) != self.on_torus:
            rule = f"{self.name} is for {'tori' if self.on_torus else 'meshes'}"
            raise RoutingError("routing", rule, network.spec)


def _moves(mesh: Mesh, at: int, to: int) -> Iterator[tuple[int, int, int, bool]]:
    """For every axis that is not done: (axis, sign, next router, whether the way wraps around)."""
    stride = 1
    for axis, length in enumerate(mesh.shape):
        here, goal = at // stride % length, to // stride % length
        if here != goal:
            sign = mesh.run(axis, here, goal)[1]
            wraps = sign * (goal - here) < 0
            yield axis, sign, at + ((here + sign) % length - here) * stride, wraps
        stride *= length


def _mesh(fabric: Fabric) -> Mesh:
    assert isinstance(fabric.wires, Mesh)
    return fabric.wires


class DimensionOrder(_GridRouting):
    """One axis after the other, axis 0 first, on a mesh.

    >>> fabric = Fabric(Mesh((4, 4)))
    >>> [fabric.name(c) for c in DimensionOrder().outputs(fabric, 0, 15, -1)]
    ['0->1']
    """

    name = "dimension-order"
    about = "one axis after the other, axis 0 first"

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel along the lowest axis that is not done."""
        _, _, following, _ = next(_moves(_mesh(fabric), at, to))
        return [fabric.channel(at, following)]


class NegativeFirst(_GridRouting):
    """On a mesh: moves in the - directions in any order, then the + directions (turn model).

    >>> fabric = Fabric(Mesh((4, 4)))
    >>> [fabric.name(c) for c in NegativeFirst().outputs(fabric, 5, 2, -1)]
    ['5->1']
    """

    name = "negative-first"
    about = "- directions in any order, then + directions: the turn model of Glass and Ni"

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channels in - directions, or when there is none those in + directions."""
        moves = list(_moves(_mesh(fabric), at, to))
        first = [move for move in moves if move[1] < 0] or moves
        return [fabric.channel(at, following) for _, _, following, _ in first]


class MinimalMesh(_GridRouting):
    """On a mesh: every shortest path; messages can deadlock."""

    name = "fully-adaptive"
    about = "every shortest path; messages can deadlock"

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channels along every axis that is not done."""
        return [
            fabric.channel(at, following) for _, _, following, _ in _moves(_mesh(fabric), at, to)
        ]


class TorusDimensionOrder(_GridRouting):
    """On a torus: one axis after the other, the shorter way round, with two virtual channels.

    >>> fabric = Fabric(Torus((8,)), virtual_channels=2)
    >>> [fabric.name(c) for c in TorusDimensionOrder().outputs(fabric, 6, 1, -1)]
    ['6->7:0']
    """

    name = "dimension-order"
    about = "one axis after the other; virtual channel 0 before the wrap-around link [Dally, Seitz]"
    virtual_channels = 2
    on_torus = True

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel along the lowest axis that is not done."""
        _, _, following, wraps = next(_moves(_mesh(fabric), at, to))
        return [fabric.channel(at, following, 0 if wraps else 1)]


class UnsafeTorus(_GridRouting):
    """On a torus with one channel a link: rings of waiting messages deadlock."""

    name = "dimension-order-one-channel"
    about = "one axis after the other with one channel a link; messages can deadlock"
    on_torus = True

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel along the lowest axis that is not done."""
        _, _, following, _ = next(_moves(_mesh(fabric), at, to))
        return [fabric.channel(at, following)]
