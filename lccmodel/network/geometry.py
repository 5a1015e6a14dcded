"""What a network is, in a value: axes of a grid, levels of a tree, or nested groups of nodes.

                      axes                        tree        groups      per_router
    mesh:4x8          4, 8                        -           -           1
    torus:4x4*2       4 round, 4 round            -           -           2
    cube:3            2, 2, 2                     -           -           1
    origin:3          2, 2 (shown as 1 and 2)     -           -           2
    fattree:4^3       -                           4x4x4/4x4   -           4
    dragonfly:2,4,2   -                           -           2, 8, 72    2

Whoever needs the shape of a network reads it here, and asks no network for its class. Two
networks are one if their canonical geometries are equal, and so are their routes: `canonical` drops
axes of length 1, opens rings of two and forgets the words.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.network.ring_direction import TIES, NetworkTies, goes_plus

_ONE = Fraction(1)

AxisWord = Literal["axis", "dimension", "level"]
"""The name of an axis in tables and pictures."""


@typed_arguments
@dataclass(frozen=True)
class Axis:
    """An axis of a grid of routers.

    Attributes:
        length: routers along the axis.
        ring: whether the last router is linked with the first.
        bandwidth: what a link along the axis carries at a time.
    """

    length: int
    ring: bool = False
    bandwidth: Fraction = _ONE

    @property
    def longest(self) -> int:
        """Channels of the longest way along the axis.

        >>> Axis(5).longest, Axis(5, ring=True).longest
        (4, 2)
        """
        return self.length // 2 if self.ring else self.length - 1


@typed_arguments
@dataclass(frozen=True)
class Tree:
    """The levels of a fat tree (`network.fattree`).

    Attributes:
        down: children of a switch of each level, lowest level first.
        up: parents of a switch of every level but the highest.
        routing: "d-mod-k" or "s-mod-k".
    """

    down: tuple[int, ...]
    up: tuple[int, ...]
    routing: str

    @property
    def is_full(self) -> bool:
        """Whether every level carries as much as the one below, as in a k-ary n-tree."""
        return self.up == self.down[:-1]


@typed_arguments
@dataclass(frozen=True)
class Geometry:
    """The shape of a network; frozen, hashable, and small.

    Attributes:
        axes: of the grid of routers, axis 0 the least significant; none if it is no grid.
        tree: levels of a fat tree, or None.
        groups: sizes of nested groups of nodes that are numbered one after another, smallest
            first: slots inside nodes, groups of a dragonfly.
        per_router: nodes at a router, numbered one after another.
        ties: which way messages go half-way round a ring (`network.ring_direction`).
        word: what an axis is called: "axis", "dimension" or "level".
        first: the number that axis 0 is shown with; 1 on an Origin, whose dimension 0 is inside.

    The word and the first number are how a network is shown: they do not count for equality.

    >>> from lccmodel.network import as_network
    >>> as_network("torus:4x1x2*2").geometry.canonical()
    Geometry(axes=(Axis(length=4, ring=True, bandwidth=Fraction(1, 1)), \
Axis(length=2, ring=False, bandwidth=Fraction(1, 1))), tree=None, groups=(), per_router=2, \
ties='plus', word='axis', first=0)
    >>> as_network("origin:5").geometry == as_network("cube:4*2").geometry
    True
    """

    axes: tuple[Axis, ...] = ()
    tree: Tree | None = None
    groups: tuple[int, ...] = ()
    per_router: int = 1
    ties: NetworkTies = "plus"
    word: AxisWord = field(default="axis", compare=False)
    first: int = field(default=0, compare=False)

    @property
    def is_grid(self) -> bool:
        """Whether routers stand on a grid and are routed axis 0 first."""
        return bool(self.axes)

    @cached_property
    def is_cube(self) -> bool:
        """Whether the grid is a hypercube: two routers on an axis, links all alike.

        >>> from lccmodel.network import as_network
        >>> [as_network(word).geometry.is_cube for word in ("cube:3", "torus:2x1x2", "mesh:2x3")]
        [True, True, False]
        """
        short = all(a.length <= 2 and (a.length == 1 or a.bandwidth == 1) for a in self.axes)
        return self.is_grid and short

    @property
    def is_cube_or_origin(self) -> bool:
        """Whether it is a hypercube with a node or two at a router, the networks of [hou]."""
        return self.is_cube and self.per_router <= 2

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """Routers along every axis."""
        return tuple(axis.length for axis in self.axes)

    @cached_property
    def rings(self) -> tuple[bool, ...]:
        """For every axis, whether it is a ring of more than two."""
        return tuple(axis.ring and axis.length > 2 for axis in self.axes)

    @cached_property
    def ring_rules(self) -> tuple[int, ...]:
        """For every axis 0 if it is a line, else 1 plus the number of the tie rule of the ring.

        >>> from lccmodel.network import as_network
        >>> as_network("torus:4x5x2,ties=split").geometry.ring_rules
        (2, 1, 0)
        """
        split = 1 + TIES.index(self.ties)
        return tuple(
            (1 if axis.length % 2 else split) if ring else 0
            for axis, ring in zip(self.axes, self.rings, strict=True)
        )

    @cached_property
    def bandwidths(self) -> tuple[Fraction, ...]:
        """What links of every axis carry at a time."""
        return tuple(axis.bandwidth for axis in self.axes)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """The difference of the numbers of two neighbours, for every axis.

        >>> Geometry((Axis(4), Axis(3), Axis(2))).strides
        (1, 4, 12)
        """
        return tuple(prod(self.sides[:k]) for k in range(len(self.axes)))

    def slots(self, size: int) -> int:
        """How many ranks a node of a machine holds, one after another, on a network of this size.

        >>> from lccmodel.network import as_network
        >>> words = ("torus:4x4*4/2", "rails:4,2", "cube:3*2", "fattree:4x2")
        >>> [net.geometry.slots(net.size) for net in map(as_network, words)]
        [4, 2, 2, 4]
        """
        if not self.groups:
            return self.per_router
        # the last of nested groups is the whole network, unless the groups are inside nodes alone
        return self.groups[-1] if self.groups[-1] < size else self.groups[0]

    def canonical(self) -> Geometry:
        """The same for all ways to describe one network: no axes of length 1, no rings of two.

        Without an even ring no message goes half-way round, and the rule for ties is forgotten.
        """
        axes = tuple(
            replace(axis, ring=axis.ring and axis.length > 2)
            for axis in self.axes
            if axis.length > 1
        )
        groups = () if self.is_grid or self.tree else self.groups
        ties: NetworkTies = "split" if max(self.ring_rules, default=0) > 1 else "plus"
        return replace(self, axes=axes or self.axes[:1], groups=groups, ties=ties)

    def hops(self, tail: Ints, head: Ints) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
        """Axis, direction (+1, -1), and whether it wraps around, of channels of the grid.

        Args:
            tail, head: routers that are neighbours, arrays of one shape.

        Returns: the number of the axis among those that are longer than 1; int64, int64, bool.

        >>> grid = Geometry((Axis(4, ring=True), Axis(1), Axis(2)))
        >>> [part.tolist() for part in grid.hops(np.array([0, 3, 0, 4]), np.array([1, 0, 3, 0]))]
        [[0, 0, 0, 1], [1, 1, -1, -1], [False, True, True, False]]
        """
        strides = np.array(self.canonical().strides, np.int64)
        step = head - tail
        # round a ring of length s a hop changes the number by s - 1 strides, less than one stride
        # of the next axis
        axis = np.searchsorted(strides, np.abs(step), side="right") - 1
        wraps = np.abs(step) != strides[axis]
        return axis.astype(np.int64), np.where(wraps, -np.sign(step), np.sign(step)), wraps

    def next_router(self, here: npt.NDArray[Any], goal: npt.NDArray[Any]) -> Ints:
        """The router after `here` on the way to `goal` on a grid, axis 0 first; -1 at the goal.

        Args:
            here, goal: arrays of routers that fit together.

        >>> Geometry((Axis(4, ring=True),)).next_router(np.arange(4), np.array(2)).tolist()
        [1, 2, -1, 2]
        """
        following = np.full(np.broadcast_shapes(here.shape, goal.shape), -1, np.int64)
        for stride, side, rule in zip(self.strides, self.sides, self.ring_rules, strict=True):
            digit, other = here // stride % side, goal // stride % side
            ahead = (other - digit) % side
            plus = goes_plus(ahead, side, digit, other, rule - 1) if rule else other > digit
            moved = np.where(plus, digit + 1, digit - 1) % side
            there = here + (moved - digit) * stride
            following = np.where((following < 0) & (digit != other), there, following)
        return following


@lru_cache(256)
def grid_geometry(
    sides: tuple[int, ...],
    rings: tuple[bool, ...],
    bandwidths: tuple[Fraction, ...],
    word: AxisWord = "axis",
    ties: NetworkTies = "plus",
) -> Geometry:
    """The geometry of a grid with a router a node; one value for equal arguments.

    >>> grid_geometry((4, 2), (True, False), (Fraction(1), Fraction(1))).is_cube
    False
    """
    axes = zip(sides, rings, bandwidths, strict=True)
    return Geometry(tuple(Axis(*axis) for axis in axes), ties=ties, word=word)


@lru_cache(64)
def cube_geometry(dimensions: int) -> Geometry:
    """The geometry of a hypercube; a single node is one axis of length 1.

    >>> cube_geometry(3).sides, cube_geometry(0).sides
    ((2, 2, 2), (1,))
    """
    return Geometry((Axis(2),) * dimensions or (Axis(1),), word="dimension")
