"""Certificates of placements and schedules on meshes, tori and cubes: every message is walked.

A placement is the best where some channel has to carry as much wherever the ranks are: the largest
message alone; what a rank sends, through the channels of a node; what so many ranks send out,
across a cut; volume times distance, all partners being as near as can be. A schedule is the best
where it is as long as the messages of one link, or of one node [calmant, Theorems 2 and 4].
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, gcd, lcm, prod
from typing import Any

from lccmodel.certificates.reading import need, read_number, read_whole

# -- Networks of axes ------------------------------------------------------------------------------


class _Axes:
    """A mesh or torus; a cube has sides of 2. Axis 0 is routed first and counts fastest."""

    def __init__(self, given: Any) -> None:
        self.sides = [read_whole(side, 1) for side in given["sides"]]
        self.rings = [
            bool(ring) and side > 2 for ring, side in zip(given["rings"], self.sides, strict=True)
        ]
        self.size = prod(self.sides)
        need(0 < self.size <= 1 << 20, "the network is too large")

    def at(self, node: int) -> list[int]:
        """The coordinates of a node."""
        read_whole(node, 0, self.size - 1)
        found = []
        for side in self.sides:
            node, x = divmod(node, side)
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

    def channels(self, x: int, y: int, tie: str = "plus") -> Iterator[tuple[int, int, int]]:
        """(node, axis, direction) of every channel from x to y."""
        here, goal = self.at(x), self.at(y)
        strides = [prod(self.sides[:axis]) for axis in range(len(self.sides))]
        for axis, side in enumerate(self.sides):
            run, sign = self.way(axis, here[axis], goal[axis], tie)
            for _ in range(run):
                yield sum(c * s for c, s in zip(here, strides, strict=True)), axis, sign
                here[axis] = (here[axis] + sign) % side

    def ports(self) -> int:
        """Most channels that leave a node."""
        return sum(2 if side > 2 else side - 1 for side in self.sides)

    def total(self) -> int:
        """All channels."""
        counts = (
            2 * (s if ring else s - 1) * self.size // s
            for s, ring in zip(self.sides, self.rings, strict=True)
        )
        return sum(counts)

    def distance(self, x: int, y: int) -> int:
        """Channels between two nodes."""
        ends = zip(self.at(x), self.at(y), strict=True)
        return sum(self.way(axis, c, d)[0] for axis, (c, d) in enumerate(ends))


# -- Placements ------------------------------------------------------------------------------------

_Message = tuple[int, int, Fraction]


def check_placement(problem: Any, answer: Any, proof: Any) -> str:
    """A placement of the least busiest channel; see the module."""
    axes = _Axes(problem["network"])
    capacity = read_number(problem["network"]["bandwidth"])
    ranks = read_whole(problem["ranks"], 1, axes.size)
    nodes = [read_whole(node, 0, axes.size - 1) for node in answer["node_of"]]
    need(len(nodes) == ranks and len(set(nodes)) == ranks, "every rank needs a node of its own")
    joint = problem["objective"] == "joint"
    need(joint or problem["objective"] == "max-max", "the objective must be joint or max-max")
    phases = [_messages(phase, ranks) for phase in problem["phases"]]
    groups = [_merged(phases)] if joint else phases
    value = max((_busiest(axes, group, nodes) for group in groups), default=Fraction(0)) / capacity
    need(value == read_number(answer["value"]), f"the placement has {value}, not {answer['value']}")
    if value:
        group = groups[read_whole(proof["phase"], 0, len(groups) - 1)]
        least = _least(axes, group, ranks, proof) / capacity
        need(least >= value, f"the bound is {least}, below {value}")
    return f"the busiest channel carries {value}, and no placement of the {ranks} ranks has less"


def _messages(phase: Any, ranks: int) -> list[_Message]:
    """(source, destination, weight times volume), what one rank sends another added up."""
    weight = read_number(phase["weight"])
    sent: dict[tuple[int, int], Fraction] = {}
    for source, destination, volume in phase["messages"]:
        pair = read_whole(source, 0, ranks - 1), read_whole(destination, 0, ranks - 1)
        if source != destination:
            sent[pair] = sent.get(pair, Fraction(0)) + weight * read_number(volume)
    return [(s, d, volume) for (s, d), volume in sent.items()]


def _merged(phases: list[list[_Message]]) -> list[_Message]:
    sent: dict[tuple[int, int], Fraction] = {}
    for source, destination, volume in (message for phase in phases for message in phase):
        sent[source, destination] = sent.get((source, destination), Fraction(0)) + volume
    return [(s, d, volume) for (s, d), volume in sent.items()]


def _busiest(axes: _Axes, messages: list[_Message], nodes: list[int]) -> Fraction:
    carried: defaultdict[tuple[int, int, int], Fraction] = defaultdict(Fraction)
    for source, destination, volume in messages:
        for channel in axes.channels(nodes[source], nodes[destination]):
            carried[channel] += volume
    return max(carried.values(), default=Fraction(0))


def _least(axes: _Axes, messages: list[_Message], ranks: int, proof: Any) -> Fraction:
    """What some channel carries wherever the ranks are: a multiple of the common divisor."""
    unit = _common(volume for *_, volume in messages)
    if proof["bound"] == "message":
        return max(volume for *_, volume in messages)
    if proof["bound"] == "port":
        end = ("out", "in").index(proof["direction"])
        rank = read_whole(proof["rank"], 0, ranks - 1)
        volumes = sorted((m[2] for m in messages if m[end] == rank), reverse=True)
        ports, share = axes.ports(), read_whole(proof["share"])
        some = sum(volumes[: ports * share + 1][-share - 1 :], Fraction(0))
        enough = len(volumes) > ports * share
        even = ceil(sum(volumes, Fraction(0)) / ports / unit) * unit
        return max(some, even) if enough else even
    if proof["bound"] == "cut":
        axis, at = read_whole(proof["axis"], 0, len(axes.sides) - 1), read_whole(proof["at"], 1)
        need(at < axes.sides[axis] and ranks == axes.size, "there is no such cut")
        across = axes.size // axes.sides[axis]
        total = _leaving(messages, ranks, at * across)
        return ceil(total / across / (2 if axes.rings[axis] else 1) / unit) * unit
    need(proof["bound"] == "distances", "an unknown bound")
    total = sum((_nearest(axes, messages, rank) for rank in range(ranks)), Fraction(0))
    return ceil(total / axes.total() / unit) * unit


def _leaving(messages: list[_Message], ranks: int, k: int) -> Fraction:
    """What any k ranks send to the others at least: all but what goes to k - 1 largest partners."""
    sent: list[list[Fraction]] = [[] for _ in range(ranks)]
    for source, _, volume in messages:
        sent[source].append(volume)
    each = sorted(sum(sorted(volumes, reverse=True)[k - 1 :], Fraction(0)) for volumes in sent)
    return sum(each[:k], Fraction(0))


def _nearest(axes: _Axes, messages: list[_Message], rank: int) -> Fraction:
    """Volume times channels of what a rank sends, its largest partners on the nearest nodes."""
    sent: defaultdict[int, Fraction] = defaultdict(Fraction)
    for source, destination, volume in messages:
        if source == rank:
            sent[destination] += volume
    if not sent:
        return Fraction(0)
    middle = sum(side // 2 * prod(axes.sides[:a]) for a, side in enumerate(axes.sides))
    near = sorted(axes.distance(middle, node) for node in range(axes.size))[1:]
    ordered = sorted(sent.values(), reverse=True)
    return sum((v * d for v, d in zip(ordered, near, strict=False)), Fraction(0))


def _common(volumes: Iterator[Fraction]) -> Fraction:
    listed = [volume for volume in volumes if volume] or [Fraction(1)]
    below = lcm(*(volume.denominator for volume in listed))
    return Fraction(gcd(*(int(volume * below) for volume in listed)), below)


# -- Schedules -------------------------------------------------------------------------------------


def check_schedule(problem: Any, answer: Any, proof: Any) -> str:
    """A schedule of a task of the fewest steps; see the module."""
    axes = _Axes(problem["network"])
    i, M = read_whole(problem["i"]), read_whole(problem["M"])
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


def _shared(axes: _Axes, fixed: Counter[Any], halves: set[int], x: int, axis: int) -> Fraction:
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


def _standard(axes: _Axes) -> list[int]:
    """The node of every process: level 0 of every axis is the next dimension, then level 1, ..."""
    bits = [side.bit_length() - 1 for side in axes.sides]
    need([1 << b for b in bits] == axes.sides, "sides must be powers of two")
    order = [
        (level, axis) for level in range(max(bits)) for axis, b in enumerate(bits) if level < b
    ]
    unit = [prod(axes.sides[:axis]) << level for level, axis in order]
    return [sum(u for k, u in enumerate(unit) if p >> k & 1) for p in range(axes.size)]
