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

from lccmodel.certificates.reading import need, read_number, read_whole

ChannelName = tuple[int, int, int]
"""A router, an axis or level, a direction."""


def network_stated(given: Any) -> StatedAxes | StatedTree:
    """A network as a certificate states it."""
    return StatedTree(given) if "down" in given else StatedAxes(given)


class StatedAxes:
    """A mesh or torus; a cube has sides of 2. Axis 0 is routed first and counts fastest.

    Place p is at router p div `seats`.
    """

    def __init__(self, given: Any) -> None:
        self.sides = [read_whole(side, 1) for side in given["sides"]]
        self.rings = [
            bool(ring) and side > 2 for ring, side in zip(given["rings"], self.sides, strict=True)
        ]
        self.size = prod(self.sides)
        self.seats = read_whole(given["seats"], 1)
        self.widths = [read_number(width) for width in given["bandwidths"]]
        self.places = self.size * self.seats
        need(0 < self.places <= 1 << 20, "the network is too large")
        need(len(self.widths) == len(self.sides), "every axis needs a bandwidth")
        need(all(width > 0 for width in self.widths), "a bandwidth must be positive")

    def width(self, channel: ChannelName) -> Fraction:
        """The bandwidth of a channel."""
        return self.widths[channel[1]]

    def at(self, router: int) -> list[int]:
        """The coordinates of a router."""
        read_whole(router, 0, self.size - 1)
        found = []
        for side in self.sides:
            router, x = divmod(router, side)
            found.append(x)
        return found

    def way(self, axis: int, c: int, d: int, tie: str = "plus") -> tuple[int, int]:
        """(channels, direction) from coordinate c to d; `tie` decides for half a ring."""
        side = self.sides[axis]
        if not self.rings[axis]:
            return abs(d - c), 1 if d > c else -1
        ahead = (d - c) % side
        if 2 * ahead == side:
            plus = {"plus": True, "split": c % 2 == 0, "line": d > c}[tie]
        else:
            plus = 2 * ahead < side
        return (ahead, 1) if plus else (side - ahead, -1)

    def channels(self, x: int, y: int, tie: str = "plus") -> Iterator[ChannelName]:
        """(router, axis, direction) of every channel from router x to y."""
        here, goal = self.at(x), self.at(y)
        strides = [prod(self.sides[:axis]) for axis in range(len(self.sides))]
        for axis, side in enumerate(self.sides):
            run, sign = self.way(axis, here[axis], goal[axis], tie)
            for _ in range(run):
                yield sum(c * s for c, s in zip(here, strides, strict=True)), axis, sign
                here[axis] = (here[axis] + sign) % side

    def path(self, x: int, y: int, tie: str = "plus") -> Iterator[ChannelName]:
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
        middle = sum(side // 2 * prod(self.sides[:a]) for a, side in enumerate(self.sides))
        costs = []
        for router in range(self.size):
            ends = zip(self.at(middle), self.at(router), self.widths, strict=True)
            runs = [self.way(axis, c, d)[0] / w for axis, (c, d, w) in enumerate(ends)]
            costs += [sum(runs, Fraction(0))] * self.seats
        return sorted(costs)[1:]

    def box(self, lengths: list[int]) -> tuple[int, Fraction]:
        """(places, bandwidth out) of the box of these lengths in the corner."""
        need(len(lengths) == len(self.sides), "a box needs a length for every axis")
        inside, width = prod(lengths), Fraction(0)
        rows = zip(lengths, self.sides, self.rings, self.widths, strict=True)
        for length, side, ring, each in rows:
            read_whole(length, 1, side)
            width += 0 if length == side else each * (2 if ring else 1) * (inside // length)
        return inside * self.seats, width

    def parts(self, lengths: list[int]) -> tuple[int, Fraction]:
        """(places of a part, bandwidth between parts) where such boxes tile the network."""
        inside, _ = self.box(lengths)
        width = Fraction(0)
        rows = zip(lengths, self.sides, self.rings, self.widths, strict=True)
        for length, side, ring, each in rows:
            need(side % length == 0, "the boxes must tile the network")
            borders = 0 if length == side else side // length - (0 if ring else 1)
            width += 2 * each * borders * (self.size // side)
        return inside, width


class StatedTree:
    """A fat tree routed by destination or source, as `network/fattree.py` describes it.

    A channel is (its number in its level, level, direction); places are hosts.
    """

    seats = 2
    """Some hosts have others at their switch."""

    def __init__(self, given: Any) -> None:
        self.down = [read_whole(m, 1) for m in given["down"]]
        self.up = [read_whole(w, 1) for w in given["up"]]
        need(len(self.up) == len(self.down) - 1, "every level but the highest needs its parents")
        need(given["routing"] in ("d-mod-k", "s-mod-k"), "an unknown routing")
        self.by_source = given["routing"] == "s-mod-k"
        self.size = self.places = prod(self.down)
        need(max(self.size, prod(self.up)) <= 1 << 20, "the network is too large")

    def width(self, channel: ChannelName) -> Fraction:
        """Every channel has bandwidth 1."""
        del channel
        return Fraction(1)

    def path(self, x: int, y: int, tie: str = "") -> Iterator[ChannelName]:
        """The channels between switches from host x to host y; no tree has a tie."""
        del tie
        name = x if self.by_source else y
        for level in range(1, len(self.down)):
            below = prod(self.down[:level])
            if x // below == y // below:
                return
            reach = prod(self.up[:level])
            yield name % reach + reach * (x // below), level, 1
            yield name % reach + reach * (y // below), level, -1

    def total(self) -> int:
        """All channels."""
        return sum(int(2 * self.parts(level)[1]) for level in range(1, len(self.down)))

    def near(self) -> list[Fraction]:
        """Channels from a host to all others, the nearest first."""
        hosts = range(1, self.size)
        return sorted(Fraction(len(list(self.path(0, host)))) for host in hosts)

    def box(self, level: int) -> tuple[int, Fraction]:
        """(hosts below a switch of a level, channels that lead up from them)."""
        read_whole(level, 1, len(self.down) - 1)
        return prod(self.down[:level]), Fraction(prod(self.up[:level]))

    def parts(self, level: int) -> tuple[int, Fraction]:
        """(hosts below a switch of a level, all channels that lead up from that level)."""
        hosts, width = self.box(level)
        return hosts, width * (self.size // hosts)


# -- Schedules -------------------------------------------------------------------------------------


def check_schedule(problem: Any, answer: Any, proof: Any) -> str:
    """A schedule of a task of the fewest steps; see the module."""
    axes = StatedAxes(problem["network"])
    i, M = read_whole(problem["i"]), read_whole(problem["M"])
    need(axes.seats == 1, "every process needs a node of its own")
    one = problem["ports"] == "one"
    need(one or problem["ports"] == "all", "ports must be one or all")
    place = _standard(axes)
    d = axes.size.bit_length() - 1
    need(i + M <= d and len(answer["steps"]) == len(answer["ties"]) == M, "a wrong number of rows")
    used: Counter[Any] = Counter()
    fixed: Counter[tuple[int, int, int]] = Counter()
    halves: set[int] = set()
    length = 0
    for k, row, tie in zip(range(i, i + M), answer["steps"], answer["ties"], strict=True):
        need(len(row) == axes.size, f"dimension {k} needs a step for every process")
        for process, step in enumerate(row):
            length = max(length, read_whole(step) + 1)
            ends = place[process], place[process ^ 1 << k]
            used.update([(step, "out", ends[0]), (step, "in", ends[1])] if one else [])
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
        load = _shared(axes, fixed, halves, *proof["link"])
    else:
        load = Fraction(M if one else 0)
    need(ceil(load) >= length, f"the bound is {load}, below the length {length}")
    return f"the schedule takes {length} steps without conflict, and none takes fewer"


def _shared(axes: StatedAxes, fixed: Counter[Any], halves: set[int], x: int, axis: int) -> Fraction:
    """What the link up from x on an axis carries whatever way messages go half a ring.

    Half of those that go up, and half of those that go down, cross it or the opposite link.
    """
    side, stride = axes.sides[axis], prod(axes.sides[:axis])
    need(axis >= 0 and (axes.rings[axis] or axes.at(x)[axis] < side - 1), "there is no such link")
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
