"""Fat trees: k-ary n-trees and extended generalised fat trees, routed by destination or source.

XGFT(h; m_1, ..., m_h; w_1, ..., w_h) has hosts x = x_1 + m_1 x_2 + m_1 m_2 x_3 + ..., digit x_i
below m_i, and at level l a switch for every (u_1, ..., u_l; x_(l+1), ..., x_h), u_i below w_i. It
has m_l switches (hosts, for l = 1) below it and w_(l+1) above it. With M_l = m_1 ... m_l and
W_l = w_1 ... w_l. The k-ary n-tree has h = n, m_i = k, w_1 = 1 and else w_i = k: every level
carries as much as the one below.

A message climbs to the lowest level that has its destination below, and descends. Going up, the
choice u_i is digit i of the name z in base (w_1, w_2, ...): of its destination (D-mod-k), or of its
source (S-mod-k). So the channel between levels l and l + 1 is named by z mod W_(l+1), and by
x div M_l going up, y div M_l going down:

    fattree:2^3, from 000 to 110, D-mod-k: up to (;0 0), (0;0), (0 1;), down to (0;1), (;1 1)

Where all digits are bits, z = y and going up, that is p_S(x) of the correction lattice with S the
low digits: what a message has taken from its destination when it is at level l + 1.

The channels between switches are counted; the links of the hosts are ports, as on other networks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, SizeLimitError, checked_integers
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array, Flags, LongWords, Weights
from lccmodel.ground.words import checked_word
from lccmodel.network.base import MAX_COUNTERS, MAX_DIMENSION, Network
from lccmodel.network.geometry import Geometry, Tree
from lccmodel.network.grid_shape import digits_of, node_of_digits
from lccmodel.network.loads import Cables, Channel

ROUTINGS = ("d-mod-k", "s-mod-k")


@typed_arguments
class FatTree(Network):
    """A fat tree with up to 2^64 hosts.

    Args:
        down: m_1, ..., m_h: how many children a switch of each level has, lowest level first.
        up: w_2, ..., w_h: how many parents a switch of levels 1, ..., h - 1 has; as many as
            `down` says for those levels if left out, as in a k-ary n-tree.
        routing: "d-mod-k" (by destination) or "s-mod-k" (by source).

    Raises:
        NetworkError: not such integers, all at least 1, with at least two hosts.
        SizeLimitError: more than 2^64 hosts.

    >>> tree = FatTree((2, 2, 2))
    >>> tree.spec, tree.size, tree.path(0, 3), tree.distance(0, 1)
    ('fattree:2^3', 8, [0, 8, 13, 9, 3], 0)
    >>> tree.channel_loads([[0, 3], [1, 7], [2, 7]]).per_dimension
    (2, 2)
    """

    __slots__ = ("down", "routing", "up")

    kind = "fattree"
    down: tuple[int, ...]
    """m_1, ..., m_h: children of a switch of each level."""
    up: tuple[int, ...]
    """w_2, ..., w_h: parents of a switch of levels 1, ..., h - 1."""
    routing: str
    """"d-mod-k" or "s-mod-k"."""

    def __init__(self, down: Any, up: Any = None, routing: str = "d-mod-k") -> None:
        below = _arities("down", down)
        above = below[:-1] if up is None else _arities("up", up)
        if not below or len(above) != len(below) - 1:
            rule = f"must be {max(0, len(below) - 1)} integers, one for every level but the highest"
            raise NetworkError("up" if below else "down", rule, up if below else down)
        if math.prod(below) < 2:
            raise NetworkError("down", "must make at least two hosts", below)
        if max(math.prod(below), math.prod(above)) > 1 << MAX_DIMENSION:
            rule = f"must have at most 2^{MAX_DIMENSION} hosts and switches of a level"
            raise SizeLimitError("down", rule, below)
        checked_word("routing", routing, ROUTINGS, kind=NetworkError)
        for key, value in (("down", below), ("up", above), ("routing", routing)):
            object.__setattr__(self, key, value)

    @property
    def size(self) -> int:
        """Number of hosts."""
        return math.prod(self.down)

    @property
    def levels(self) -> int:
        """Number of levels of switches."""
        return len(self.down)

    @property
    def geometry(self) -> Geometry:
        """Its levels."""
        tree = Tree(self.down, self.up, self.routing)
        return Geometry(tree=tree, per_router=self.per_node, word="level")

    def _cables(self) -> Cables:
        columns, parts = self.counter_shape[1], [np.empty((3, 0), np.int64)]
        for level in range(1, self.levels):
            column = np.arange(self._columns(level))
            group, low = np.divmod(column, self._reach(level + 1))
            below = low % self._reach(level) + self._reach(level) * group
            above = low + self._reach(level + 1) * (group // self.down[level])
            below += self._switch(level, 0) - self.size
            above += self._switch(level + 1, 0) - self.size
            row = 2 * level - 2
            parts.append(np.stack([below, above, row * columns + column]))
            parts.append(np.stack([above, below, (row + 1) * columns + column]))
        tail, head, counter = np.concatenate(parts, axis=1)
        return tail, head, counter, np.zeros_like(tail)

    @property
    def argument(self) -> tuple[int, ...]:
        """Children of a switch of each level."""
        return self.down

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.down, self.up, self.routing

    @property
    def spec(self) -> str:
        """Such as "fattree:4^3", "fattree:4x4x8/4x2" or "fattree:4^3,routing=s-mod-k"."""
        alike = len(set(self.down)) == 1 and self.up == self.down[:-1]
        shape = f"{self.down[0]}^{self.levels}" if alike else "x".join(map(str, self.down))
        if self.up != self.down[:-1]:
            shape += "/" + "x".join(map(str, self.up))
        routing = "" if self.routing == ROUTINGS[0] else f",routing={self.routing}"
        return f"{self.kind}:{shape}{routing}{self._hosts_option}"

    def _shown(self) -> str:
        up = "" if self.up == self.down[:-1] else f", {self.up!r}"
        routing = "" if self.routing == ROUTINGS[0] else f", routing={self.routing!r}"
        return f"FatTree({self.down!r}{up}{routing})"

    def _hosts(self, level: int) -> int:
        """M_l: hosts below a switch of a level."""
        return math.prod(self.down[:level])

    def _reach(self, level: int) -> int:
        """W_l: switches of a level above one host."""
        return math.prod(self.up[: level - 1])

    def _switches(self, level: int) -> int:
        """How many switches a level has."""
        return self._reach(level) * (self.size // self._hosts(level))

    def _switch(self, level: int, index: int) -> int:
        """The number of a switch in the graph: after the hosts, the levels upwards."""
        return self.size + sum(self._switches(below) for below in range(1, level)) + index

    @property
    def per_node(self) -> int:
        """Hosts at a switch of level 1."""
        return self.down[0]

    @property
    def routers(self) -> int:
        """Number of switches of all levels; those of level 1 come first."""
        return sum(self._switches(level) for level in range(1, self.levels + 1))

    @property
    def first_router(self) -> int:
        """The number of the first switch in the graph: `size`."""
        return self.size

    @property
    def dimensions(self) -> int:
        """Levels of links between switches: levels - 1."""
        return self.levels - 1

    @property
    def n_channels(self) -> int:
        """Number of directed channels between switches."""
        return sum(2 * self._columns(level) for level in range(1, self.levels))

    def _columns(self, level: int) -> int:
        """How many channels lead up from the switches of a level."""
        return self._reach(level + 1) * (self.size // self._hosts(level))

    @property
    def diameter(self) -> int:
        """Largest number of channels between switches on a path."""
        return 2 * max(level for level, m in enumerate(self.down) if m > 1)

    # -- nodes ----------------------------------------------------------------------------

    def coordinates(self, node: int) -> tuple[int, ...]:
        """Return the digits x_1, ..., x_h of a host.

        Raises:
            NodeError: not a host.
        """
        return digits_of(self._node(node), self.down)

    def node(self, coordinates: Any) -> int:
        """Return the host with the digits x_1, ..., x_h.

        Raises:
            NodeError: not a digit for every level.
        """
        return node_of_digits(coordinates, self.down, "level", self.spec)

    def neighbours(self, node: int) -> list[int]:
        """Return the switch of a host; or what is below a switch, then what is above it.

        Raises:
            NodeError: neither a host nor a switch.
        """
        last = self._switch(self.levels, self._switches(self.levels)) - 1
        number = self._vertex(node, last, "host or switch")
        if number < self.size:
            return [self._switch(1, number // self.down[0])]
        level, index = self._place(number)
        group, low = divmod(index, self._reach(level))
        if level == 1:
            below = list(range(group * self.down[0], (group + 1) * self.down[0]))
        else:
            reach = self._reach(level - 1)
            groups = range(group * self.down[level - 1], (group + 1) * self.down[level - 1])
            below = [self._switch(level - 1, low % reach + reach * g) for g in groups]
        if level == self.levels:
            return below
        parent, reach = group // self.down[level], self._reach(level)
        ups = range(self.up[level - 1])
        above = [
            self._switch(level + 1, low + reach * u + self._reach(level + 1) * parent) for u in ups
        ]
        return below + above

    def _place(self, number: int) -> tuple[int, int]:
        """Level and index of a switch."""
        index = number - self.size
        for level in range(1, self.levels + 1):
            if index < self._switches(level):
                return level, index
            index -= self._switches(level)
        raise AssertionError

    # -- paths ----------------------------------------------------------------------------

    def distance(self, x: int, y: int) -> int:
        """Return the number of channels between switches on the path from x to y.

        Raises:
            NodeError: x or y is not a host.
        """
        return 2 * max(0, self._turn(self._node(x, "x"), self._node(y, "y")) - 1)

    def _turn(self, x: int, y: int) -> int:
        """The level where a message turns: the lowest with both ends below."""
        levels = range(self.levels + 1)
        return next(level for level in levels if x // self._hosts(level) == y // self._hosts(level))

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        _one_way(self.spec, descending)
        if x == y:
            return
        name, top = (y if self.routing == ROUTINGS[0] else x), self._turn(x, y)
        for end, levels in ((x, range(1, top + 1)), (y, range(top - 1, 0, -1))):
            for level in levels:
                yield self._switch(level, self._named(level, end, name))
        yield y

    def next_switch(self, switch: int, y: int, name: int) -> int:
        """Return the next switch on the way to host y of a message that is routed by `name`.

        Switches as numbered in the graph; the first of them is not yet that of y.

        >>> FatTree((2, 2, 2)).next_switch(8, 3, name=3)
        13
        """
        level, index = self._place(switch)
        if index // self._reach(level) == y // self._hosts(level):
            level -= 1
            return self._switch(level, self._named(level, y, index % self._reach(level)))
        above = index // self._reach(level) // self.down[level]
        return self._switch(
            level + 1, name % self._reach(level + 1) + self._reach(level + 1) * above
        )

    def _named(self, level: int, host: int, low: int) -> int:
        """The index of the switch of a level that is above a host, with the given low digits."""
        return low % self._reach(level) + self._reach(level) * (host // self._hosts(level))

    def _graph_nodes(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for x in range(self.size):
            yield x, {"role": "node"}
        for level in range(1, self.levels + 1):
            for index in range(self._switches(level)):
                yield self._switch(level, index), {"role": "router", "level": level}

    def _graph_edges(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        for x in range(self.size):
            switch = self._switch(1, x // self.down[0])
            yield x, switch, {"role": "port"}
            yield switch, x, {"role": "port"}
        for level in range(1, self.levels):
            for column in range(self._columns(level)):
                u, v = self.channel(2 * level - 2, column)
                yield u, v, {"role": "channel", "dimension": level - 1, "sign": 1}
                yield v, u, {"role": "channel", "dimension": level - 1, "sign": -1}

    # -- loads ----------------------------------------------------------------------------

    @property
    def _kernel_form(self) -> npt.NDArray[np.int64]:
        """See `network.routes`."""
        from lccmodel.network.kernels import FAT_TREE

        levels = range(1, self.levels)
        numbers = [n for level in levels for n in (self._hosts(level), self._reach(level + 1))]
        by_source = int(self.routing == ROUTINGS[1])
        head = [FAT_TREE, self.counter_shape[1], 1, self.levels, by_source]
        return np.array([*head, *numbers], np.int64)

    @property
    def counter_shape(self) -> tuple[int, int]:
        """Rows 2l - 2 (up) and 2l - 1 (down) hold the links from level l to l + 1.

        Column z mod W_(l+1) + W_(l+1) (x div M_l), x the host below, z the name routed by.
        """
        columns = max((self._columns(level) for level in range(1, self.levels)), default=1)
        return 2 * self.dimensions, columns

    def row_dimension(self, row: int) -> int:
        """Return 0 for the links between levels 1 and 2, and so on."""
        return row // 2

    def row_name(self, row: int) -> str:
        """Return the level and direction of a row."""
        return f"level {row // 2} {('up', 'down')[row % 2]}"

    @property
    def column_name(self) -> str:
        """Links are numbered within their level."""
        return "link of the level"

    def channel(self, row: int, column: int) -> Channel:
        """Return the channel that a counter belongs to.

        Raises:
            NetworkError: none does, where the level has fewer links than another.
        """
        level = row // 2 + 1
        if not (0 <= row < 2 * self.dimensions and 0 <= column < self._columns(level)):
            raise self._no_channel(f"row {row}, column {column}")
        group, low = divmod(column, self._reach(level + 1))
        below = self._switch(level, low % self._reach(level) + self._reach(level) * group)
        parent = low + self._reach(level + 1) * (group // self.down[level])
        above = self._switch(level + 1, parent)
        return (above, below) if row % 2 else (below, above)

    def counter(self, u: int, v: int) -> tuple[int, int]:
        """Return (row, column) of the channel from switch u to v, as numbered in the graph.

        Raises:
            NetworkError: no channel leads from u to v.
        """
        u, v = self._ends((u, v))
        last = self._switch(self.levels, self._switches(self.levels))
        if self.size <= min(u, v) and max(u, v) < last:
            below, above = min(u, v), max(u, v)
            level, index = self._place(below)
            higher, parent = self._place(above)
            group, low = index // self._reach(level), parent % self._reach(level + 1)
            if higher == level + 1:
                column = low + self._reach(level + 1) * group
                row = 2 * level - 2 + (u > v)
                if self.channel(row, column) == (u, v):
                    return row, column
        raise self._no_channel((u, v))

    def _check_counters(self) -> None:
        super()._check_counters()
        if self.size * self.dimensions > MAX_COUNTERS:
            rule = f"exact loads take at most {MAX_COUNTERS} hosts times levels of links"
            raise SizeLimitError(self.spec, rule, self.size * self.dimensions)

    def _count_all(
        self, pairs: LongWords, weights: Weights, descending: bool, counts: Array
    ) -> None:
        from lccmodel.network.tree_loads import count_tree

        _one_way(self.spec, descending)
        table, by_source = self._kernel_form[5:].reshape(-1, 2), self.routing != ROUTINGS[0]
        count_tree(table, self.size, by_source, pairs, weights, counts)

    def _uses(self, row: int, column: int, x: LongWords, y: LongWords, descending: bool) -> Flags:
        _one_way(self.spec, descending)
        level, downward = row // 2 + 1, row % 2
        hosts, reach = np.uint64(self._hosts(level)), np.uint64(self._reach(level + 1))
        names, ends = (y if self.routing == ROUTINGS[0] else x), (y if downward else x)
        used: npt.NDArray[np.bool_] = x // hosts != y // hosts
        used &= names % reach + reach * (ends // hosts) == np.uint64(column)
        return used


def _one_way(spec: str, descending: bool) -> None:
    if descending:
        rule = f"there is no order of dimensions on {spec}; it is routed by d-mod-k or s-mod-k"
        raise NetworkError("routing", rule, "descending")


def _arities(argument: str, values: Any) -> tuple[int, ...]:
    arities = () if isinstance(values, str) else checked_integers(argument, values, NetworkError)
    if isinstance(values, str) or min(arities, default=1) < 1:
        raise NetworkError(argument, "must be integers, at least 1", values)
    return arities
