"""Networks as certificates state them, and certificates of schedules: every message is walked.

A network is a mesh, torus or cube - sides, which are rings, bandwidths of the axes, places at every
router - or a fat tree. A schedule is the best where it is as long as the messages of one link, or
of one node [calmant, Theorems 2 and 4].
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, prod
from typing import Any

from lccmodel.certificates.parser import (
    common_denominator,
    need,
    read_flag,
    read_list,
    read_name,
    read_number,
    read_part,
    read_whole,
)

ChannelName = tuple[int, int, int]
"""A router, an axis or level, a direction."""


_MAX_PLACES = 1 << 20

_MAX_AXES = 64
"""The most axes; all but 20 of them have a side of 1."""

_MAX_WALKED = 1 << 25
"""The most channels on the routes of all messages: half a minute."""


def network_stated(stated: Any) -> StatedAxes | StatedTree:
    """A network as a certificate states it."""
    network = read_part(stated, "a network")
    return StatedTree(network) if "down" in network else StatedAxes(network)


class StatedAxes:
    """A mesh or torus; a cube has sides of 2. Axis 0 is routed first and counts fastest.

    Place p is at router p div `seats`. `ties` is the direction of messages half a ring, "plus" if
    it is left out.
    """

    def __init__(self, stated: Any) -> None:
        sides = read_list(stated["sides"], None, "the sides")
        need(len(sides) <= _MAX_AXES, f"a network has at most {_MAX_AXES} sides")
        self.sides = [read_whole(side, 1, _MAX_PLACES) for side in sides]
        rings = read_list(stated["rings"], len(sides), "the rings")
        self.rings = [
            read_flag(ring) and side > 2 for ring, side in zip(rings, self.sides, strict=True)
        ]
        widths = read_list(stated["bandwidths"], len(sides), "the bandwidths of the axes")
        self.widths = [read_number(width) for width in widths]
        self.seats = read_whole(stated["seats"], 1, _MAX_PLACES)
        self.strides = [prod(self.sides[:axis]) for axis in range(len(sides))]
        self.size = prod(self.sides)
        self.places = self.size * self.seats
        need(self.places <= _MAX_PLACES, "the network is too large")
        need(all(width > 0 for width in self.widths), "a bandwidth must be positive")
        common_denominator(Fraction(1) / width for width in self.widths)
        self.walked = 0
        self.ties = read_name(stated.get("ties", "plus"), ("plus", "split"))

    def width(self, channel: ChannelName) -> Fraction:
        """The bandwidth of a channel."""
        return self.widths[channel[1]]

    def at(self, router: int) -> list[int]:
        """The coordinates of a router."""
        read_whole(router, 0, self.size - 1)
        coordinates = []
        for side in self.sides:
            router, x = divmod(router, side)
            coordinates.append(x)
        return coordinates

    def way(self, axis: int, c: int, d: int, tie: str = "") -> tuple[int, int]:
        """(channels, direction) from c to d; for half a ring by `tie`, or as the network states."""
        side = self.sides[axis]
        if not self.rings[axis]:
            return abs(d - c), 1 if d > c else -1
        ahead = (d - c) % side
        if 2 * ahead == side:
            plus = {"plus": True, "split": c % 2 == 0, "line": d > c}[tie or self.ties]
        else:
            plus = 2 * ahead < side
        return (ahead, 1) if plus else (side - ahead, -1)

    def channels(self, x: int, y: int, tie: str = "") -> Iterator[ChannelName]:
        """(router, axis, direction) of every channel from router x to y."""
        here, goal = self.at(x), self.at(y)
        router = x
        for axis, (side, stride) in enumerate(zip(self.sides, self.strides, strict=True)):
            if here[axis] == goal[axis]:
                continue
            run, sign = self.way(axis, here[axis], goal[axis], tie)
            self.walked += run
            need(self.walked <= _MAX_WALKED, f"the routes use more than {_MAX_WALKED} channels")
            for _ in range(run):
                yield router, axis, sign
                c = (here[axis] + sign) % side
                router += (c - here[axis]) * stride
                here[axis] = c

    def path(self, x: int, y: int, tie: str = "") -> Iterator[ChannelName]:
        """The channels from place x to place y."""
        return self.channels(x // self.seats, y // self.seats, tie)

    def total(self) -> int:
        """All channels, each of the bandwidth of its axis."""
        rows = enumerate(zip(self.sides, self.rings, strict=True))
        return sum(2 * (s if ring else s - 1) * self.size // s for _, (s, ring) in rows)

    def ports(self) -> list[Fraction]:
        """The bandwidths of the channels at a router that has most."""
        pairs = zip(self.sides, self.widths, strict=True)
        return [width for side, width in pairs for _ in range(min(2, side - 1))]

    def near(self) -> list[Fraction]:
        """What a message of volume 1 adds to all channels, from a place to all others, at least."""
        costs = Counter({Fraction(0): self.seats})
        for axis, (side, width) in enumerate(zip(self.sides, self.widths, strict=True)):
            runs = Counter(self.way(axis, side // 2, c)[0] for c in range(side))
            longer: Counter[Fraction] = Counter()
            for cost, places in costs.items():
                for run, routers in runs.items():
                    longer[cost + run / width] += places * routers
            costs = longer
        return [cost for cost, places in sorted(costs.items()) for _ in range(places)][1:]

    def box(self, stated: Any) -> tuple[int, Fraction]:
        """(places, bandwidth out) of the box of these lengths in the corner."""
        lengths = self.lengths(stated)
        inside, width = prod(lengths), Fraction(0)
        rows = zip(lengths, self.sides, self.rings, self.widths, strict=True)
        for length, side, ring, bandwidth in rows:
            width += 0 if length == side else bandwidth * (2 if ring else 1) * (inside // length)
        return inside * self.seats, width

    def lengths(self, stated: Any) -> list[int]:
        """The lengths of a box, one for every axis."""
        entries = read_list(stated, len(self.sides), "the lengths of a box")
        return [
            read_whole(length, 1, side) for length, side in zip(entries, self.sides, strict=True)
        ]

    def parts(self, stated: Any) -> tuple[int, Fraction]:
        """(places of a part, bandwidth between parts) where such boxes tile the network."""
        lengths = self.lengths(stated)
        inside, _ = self.box(stated)
        width = Fraction(0)
        rows = zip(lengths, self.sides, self.rings, self.widths, strict=True)
        for length, side, ring, bandwidth in rows:
            need(side % length == 0, "the boxes must tile the network")
            borders = 0 if length == side else side // length - (0 if ring else 1)
            width += 2 * bandwidth * borders * (self.size // side)
        return inside, width


class StatedTree:
    """A fat tree routed by destination or source, as `network/fattree.py` describes it.

    A channel is (its number in its level, level, direction); places are hosts.
    """

    seats = 2
    """Some hosts have others at their switch."""

    def __init__(self, stated: Any) -> None:
        down = read_list(stated["down"], None, "the switches below")
        need(1 <= len(down) <= _MAX_AXES, f"a fat tree has at most {_MAX_AXES} levels")
        up = read_list(stated["up"], len(down) - 1, "the parents of every level but the highest")
        self.down = [read_whole(m, 1, _MAX_PLACES) for m in down]
        self.up = [read_whole(w, 1, _MAX_PLACES) for w in up]
        self.by_source = read_name(stated["routing"], ("d-mod-k", "s-mod-k")) == "s-mod-k"
        self.size = self.places = prod(self.down)
        need(max(self.size, prod(self.up)) <= _MAX_PLACES, "the network is too large")
        self.below = [prod(self.down[:level]) for level in range(len(self.down) + 1)]
        self.reach = [prod(self.up[:level]) for level in range(len(self.down))]

    def width(self, channel: ChannelName) -> Fraction:
        """Every channel has bandwidth 1."""
        del channel
        return Fraction(1)

    def path(self, x: int, y: int, tie: str = "") -> Iterator[ChannelName]:
        """The channels between switches from host x to host y; no tree has a tie."""
        del tie
        name = x if self.by_source else y
        for level in range(1, len(self.down)):
            below, reach = self.below[level], self.reach[level]
            if x // below == y // below:
                return
            yield name % reach + reach * (x // below), level, 1
            yield name % reach + reach * (y // below), level, -1

    def total(self) -> int:
        """All channels."""
        return sum(int(2 * self.parts(level)[1]) for level in range(1, len(self.down)))

    def near(self) -> list[Fraction]:
        """Channels from a host to all others, the nearest first."""
        near: list[Fraction] = []
        for level in range(len(self.down)):
            near += [Fraction(2 * level)] * (self.below[level + 1] - self.below[level])
        return near

    def box(self, stated: Any) -> tuple[int, Fraction]:
        """(hosts below a switch of a level, channels that lead up from them)."""
        level = read_whole(stated, 1, len(self.down) - 1)
        return self.below[level], Fraction(self.reach[level])

    def parts(self, level: Any) -> tuple[int, Fraction]:
        """(hosts below a switch of a level, all channels that lead up from that level)."""
        hosts, width = self.box(level)
        return hosts, width * (self.size // hosts)


# -- Schedules -------------------------------------------------------------------------------------


def check_schedule(problem: Any, answer: Any, proof: Any) -> str:
    """A schedule of a task of the fewest steps; see the module."""
    axes = StatedAxes(problem["network"])
    i, M = read_whole(problem["i"]), read_whole(problem["M"])
    need(axes.seats == 1, "every process needs a node of its own")
    one_port = read_name(problem["ports"], ("one", "all")) == "one"
    place = _standard(axes)
    d = axes.size.bit_length() - 1
    need(i + M <= d, f"the task needs {i + M} dimensions, and the network has {d}")
    steps = read_list(answer["steps"], M, "the steps")
    ties = read_list(answer["ties"], M, "the directions half a ring")
    used: Counter[Any] = Counter()
    fixed: Counter[tuple[int, int, int]] = Counter()
    halves: set[int] = set()
    length = 0
    for k, row, tie in zip(range(i, i + M), steps, ties, strict=True):
        read_list(row, axes.size, f"the steps of dimension {k}")
        read_name(tie, ("plus", "split", "line"))
        for process, step in enumerate(row):
            length = max(length, read_whole(step) + 1)
            ends = place[process], place[process ^ 1 << k]
            used.update([(step, "out", ends[0]), (step, "in", ends[1])] if one_port else [])
            way = list(axes.channels(*ends, tie))
            used.update((step, channel) for channel in way)
            axis = way[0][1]
            if axes.rings[axis] and 2 * len(way) == axes.sides[axis]:
                halves.add(axis)
            else:
                fixed.update(way)
    need(max(used.values(), default=0) <= 1, "two messages meet")
    need(length == read_whole(answer["length"]), f"the schedule takes {length} steps")
    if "link" in proof:
        x, axis = read_list(proof["link"], 2, "a link")
        link = read_whole(x, 0, axes.size - 1), read_whole(axis, 0, len(axes.sides) - 1)
        load = _shared(axes, fixed, halves, *link)
    else:
        load = Fraction(M if one_port else 0)
    need(ceil(load) >= length, f"the bound is {load}, below the length {length}")
    return (
        f"the schedule takes {length} steps without conflict, and none takes fewer if the bits of "
        "a process go to the coordinates of its node in turn and messages take shortest routes"
    )


def _shared(axes: StatedAxes, fixed: Counter[Any], halves: set[int], x: int, axis: int) -> Fraction:
    """What the link up from x on an axis carries whatever way messages go half a ring.

    Half of those that go up, and half of those that go down, cross it or the opposite link.
    """
    side, stride = axes.sides[axis], prod(axes.sides[:axis])
    need(axes.rings[axis] or axes.at(x)[axis] < side - 1, "there is no such link")
    if axis not in halves:
        return Fraction(fixed[x, axis, 1])

    def along(steps: int) -> int:
        here = axes.at(x)[axis]
        return x + ((here + steps) % side - here) * stride

    links = [(along(k), axis, 1) for k in (0, side // 2)]
    links += [(along(k + 1), axis, -1) for k in (0, side // 2)]
    return min(fixed[link] for link in links) + Fraction(side, 4)


def _standard(axes: StatedAxes) -> list[int]:
    """The node of every process: level 0 of every axis is the next dimension, then level 1, ..."""
    bits = [side.bit_length() - 1 for side in axes.sides]
    need([1 << b for b in bits] == axes.sides, "sides must be powers of two")
    order = [
        (level, axis) for level in range(max(bits)) for axis, b in enumerate(bits) if level < b
    ]
    unit = [prod(axes.sides[:axis]) << level for level, axis in order]
    return [sum(u for k, u in enumerate(unit) if p >> k & 1) for p in range(axes.size)]
