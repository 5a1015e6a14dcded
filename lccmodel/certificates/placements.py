"""Certificates of placements: every message is walked, and some channel has to carry as much.

    message    a message alone, where no two ranks share a router
    port       what a rank sends or receives shares the channels at its router
    box        what leaves a box of routers, or the hosts below a switch, shares the channels out
    parts      what leaves boxes that tile the network shares all channels between them
    distances  volume times distance, all partners as near as can be, shares all channels
    assignment the same by the potentials of an assignment of ranks to places
    cuts       the same by multipliers of inequalities between three ranks, on fat trees

For "distance" (volume times channels) the last three hold without the sharing. Rank i at place k
has at least L[i, k], its flows either way, largest first, times the distances from k, smallest
first. With u[i] - w[k] <= L[i, k] for all i and k and w >= 0, twice the total of every placement is
at least the sum of u less the sum of w [Gilmore 1962; Lawler 1963].

On a fat tree the distance of two hosts is twice the number of levels at which they are below
different switches. With s hosts below a switch, let d[i, j] be 1 for two of n ranks below different
ones, else 0. Then the sum of d[i, j] over j is at least n - s, d[i, j] <= d[i, k] + d[k, j], and
d <= 1. Times multipliers y and z >= 0, with W[i, j] what i and j exchange and c[i, j] the factor of
d[i, j] in the sum of these inequalities, W d has at least (n - s) sum y - sum max(0, c - W).

How much so many ranks send out at least is shown by their largest partners, or by a number c with
L - c (I - J/p) positive semidefinite, L the Laplacian of what is sent either way: k of p ranks
exchange c k (p - k) / p with the others at least [Fiedler]. It is checked in whole numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import chain
from math import ceil, gcd, lcm
from typing import Any

from lccmodel.certificates.grids import ChannelName, StatedAxes, StatedTree, network_stated
from lccmodel.certificates.parser import (
    common_denominator,
    need,
    read_list,
    read_name,
    read_number,
    read_part,
    read_whole,
)

_MAX_EIGENVALUE = 128
"""Most ranks of a bound by an eigenvalue: a second."""

_MAX_EIGENVALUE_BITS = 1024
"""The most binary digits of an entry of the matrix of such a bound."""

_MAX_COUNTED = 1 << 25
"""The most messages looked at for all numbers of ranks in a box, or products of flows and distances
in a proof by an assignment: half a minute."""

_MAX_ASSIGNED = 512
"""The most places of a proof by an assignment: a distance between any two is walked."""

_Message = tuple[int, int, Fraction]


class PlacementAsked:
    """A network, how many ranks, and what they send: one group for each row of loads."""

    def __init__(self, problem: Any) -> None:
        self.network = network = network_stated(problem["network"])
        self.places = network.places
        self.ranks = read_whole(problem["ranks"], 1, self.places)
        objective = read_name(problem["objective"], ("joint", "max-max", "distance"))
        self.is_distance = objective == "distance"
        if self.is_distance and isinstance(network, StatedAxes):  # every channel counts as one
            widths = [1] * len(network.sides)
            self.network = network = StatedAxes(problem["network"] | {"bandwidths": widths})
        listed = read_list(problem["phases"], None, "the phases")
        phases = [_messages(read_part(phase, "a phase"), self.ranks) for phase in listed]
        common_denominator(volume for messages in phases for *_, volume in messages)
        together = objective != "max-max"
        self.groups = [_merged(*phases)] if together else list(map(_merged, phases))

    def least(self, proof: Any) -> Fraction:
        """What some channel, or for distance all of them, carries wherever the ranks are."""
        group = self.groups[read_whole(proof["phase"], 0, len(self.groups) - 1)]
        if self.is_distance:
            read_name(proof["bound"], _TOTALS)
            return _total(self.network, group, self.ranks, proof)
        return _least(self.network, group, self.ranks, self.places, proof)

    def value(self, nodes: list[int]) -> Fraction:
        """The objective of a placement."""
        measure = _walked if self.is_distance else _busiest
        values = (measure(self.network, group, nodes) for group in self.groups)
        return max(values, default=Fraction(0))


def check_placement(problem: Any, answer: Any, proof: Any) -> str:
    """A placement of the least busiest channel; see the module."""
    asked = PlacementAsked(problem)
    listed = read_list(answer["node_of"], asked.ranks, "the places of the ranks")
    nodes = [read_whole(node, 0, asked.places - 1) for node in listed]
    need(len(set(nodes)) == asked.ranks, "every rank needs a place of its own")
    value = asked.value(nodes)
    stated = read_number(answer["value"])
    need(value == stated, f"the placement has {value}, not {stated}")
    if value:
        least = asked.least(proof)
        need(least >= value, f"the bound is {least}, below {value}")
    ranks = f"the {asked.ranks} ranks"
    claim = "volume times distance is" if asked.is_distance else "the busiest channel carries"
    return f"{claim} {value}, and no placement of {ranks} has less"


def _messages(phase: Any, ranks: int) -> list[_Message]:
    """(source, destination, weight times volume) of what one rank sends another."""
    weight, sent = read_number(phase["weight"]), []
    for message in read_list(phase["messages"], None, "the messages of a phase"):
        source, destination, volume = read_list(message, 3, "a message")
        pair = read_whole(source, 0, ranks - 1), read_whole(destination, 0, ranks - 1)
        if source != destination:
            sent.append((*pair, weight * read_number(volume)))
    return sent


def _merged(*phases: list[_Message]) -> list[_Message]:
    """The same, what a rank sends another added up."""
    sent: dict[tuple[int, int], Fraction] = {}
    for source, destination, volume in chain(*phases):
        sent[source, destination] = sent.get((source, destination), Fraction(0)) + volume
    return [(s, d, volume) for (s, d), volume in sent.items()]


def _busiest(
    network: StatedAxes | StatedTree, messages: list[_Message], nodes: list[int]
) -> Fraction:
    """The largest load over bandwidth."""
    carried: dict[ChannelName, Fraction] = {}
    for source, destination, volume in messages:
        for channel in network.path(nodes[source], nodes[destination]):
            carried[channel] = carried.get(channel, Fraction(0)) + volume
    loads = (load / network.width(channel) for channel, load in carried.items())
    return max(loads, default=Fraction(0))


def _walked(
    network: StatedAxes | StatedTree, messages: list[_Message], nodes: list[int]
) -> Fraction:
    """Volume times channels on the routes."""
    return sum((v * sum(1 for _ in network.path(nodes[s], nodes[d])) for s, d, v in messages),
               Fraction(0))  # fmt: skip


# -- What some channel carries wherever the ranks are ----------------------------------------------


def _least(
    network: StatedAxes | StatedTree, messages: list[_Message], ranks: int, places: int, proof: Any
) -> Fraction:
    bound = read_name(proof["bound"], ("message", "port", "box", "parts", *_TOTALS))
    if bound == "message":
        need(network.seats == 1, "messages between ranks of one router use no channel")
        assert isinstance(network, StatedAxes)
        return max(volume for *_, volume in messages) / max(network.widths)
    unit = _common(volume for *_, volume in messages)
    if bound == "port":
        need(isinstance(network, StatedAxes), "hosts of a fat tree have ports of their own")
        assert isinstance(network, StatedAxes)
        return _port(network, messages, ranks, unit, proof)
    if bound == "box":
        inside, width = network.box(proof["box"])
        need(width > 0, "nothing leaves all places")
        fewest, most = max(0, ranks - places + inside), min(inside, ranks)
        looked_at = (most - fewest + 1) * (len(messages) + ranks)
        need(looked_at <= _MAX_COUNTED, f"the bound looks at more than {_MAX_COUNTED} messages")
        sends = _leaving(messages, ranks, proof)
        total = min(sends(k) for k in range(fewest, most + 1))
        return _even(total, width, unit, network)
    if bound == "parts":
        inside, width = network.parts(proof["box"])
        need(width > 0, "there is one part")
        total = sum(_away(messages, ranks, inside), Fraction(0))
        return _even(total, width, unit, network)
    total = _total(network, messages, ranks, proof)
    return _even(total, Fraction(network.total()), unit, network)


_TOTALS = ("distances", "assignment", "cuts")
"""Bounds of what all channels carry together."""


def _total(
    network: StatedAxes | StatedTree, messages: list[_Message], ranks: int, proof: Any
) -> Fraction:
    """What all channels carry together at least, each load over the bandwidth of its channel."""
    if proof["bound"] == "assignment":
        return _assigned(network, messages, ranks, proof)
    if proof["bound"] == "cuts":
        return _cuts(network, messages, ranks, proof)
    near = network.near()
    return sum((_nearest(volumes, near) for volumes in _sent(messages, ranks)), Fraction(0))


def _assigned(
    network: StatedAxes | StatedTree, messages: list[_Message], ranks: int, proof: Any
) -> Fraction:
    """The same by potentials of ranks and places, in whole numbers; see the module.

    The total is a sum over pairs of ranks, so a multiple of the common divisor of what they
    exchange times that of the distances.
    """
    places = network.places
    need(places <= _MAX_ASSIGNED, f"an assignment is checked for up to {_MAX_ASSIGNED} places")
    exchanged, scale = _exchanged(messages)
    flows: list[list[int]] = [[] for _ in range(ranks)]
    for pair, whole in exchanged.items():
        for rank in pair:
            flows[rank].append(whole)
    need(2 * len(exchanged) * places <= _MAX_COUNTED, "the proof multiplies too many numbers")
    apart = [
        sorted(sum((1 / network.width(c) for c in network.path(k, x)), Fraction(0))
               for x in range(places) if x != k)
        for k in range(places)
    ]  # fmt: skip
    unit = lcm(*(distance.denominator for near in apart for distance in near))
    near_places = [[int(distance * unit) for distance in near] for near in apart]
    u = [read_number(x) * scale * unit for x in read_list(proof["ranks"], ranks, "potentials")]
    w = [read_number(x) * scale * unit for x in read_list(proof["places"], places, "potentials")]
    for rank, volumes in enumerate(flows):
        volumes.sort(reverse=True)
        for near, potential in zip(near_places, w, strict=True):
            least = sum(v * d for v, d in zip(volumes, near, strict=False))
            need(u[rank] - potential <= least, "a potential is too large")
    step = gcd(*exchanged.values()) * gcd(*chain(*near_places))
    twice = sum(u) - sum(w)
    total = ceil(twice / (2 * step)) * step if step else 0
    return Fraction(max(0, total), scale * unit)


def _exchanged(messages: list[_Message]) -> tuple[Counter[tuple[int, int]], int]:
    """What two ranks exchange, in whole numbers, and what these are divided by."""
    scale = lcm(*(volume.denominator for *_, volume in messages))
    exchanged: Counter[tuple[int, int]] = Counter()
    for source, destination, volume in messages:
        exchanged[min(source, destination), max(source, destination)] += int(volume * scale)
    return exchanged, scale


def _cuts(
    network: StatedAxes | StatedTree, messages: list[_Message], ranks: int, proof: Any
) -> Fraction:
    """The same by multipliers of ranks and triangles at some levels; see the module.

    What is exchanged between the switches of a level is a multiple of the common divisor.
    """
    need(isinstance(network, StatedTree), "cuts of levels are those of a fat tree")
    need(ranks <= _MAX_ASSIGNED, f"cuts are checked for up to {_MAX_ASSIGNED} ranks")
    exchanged, scale = _exchanged(messages)
    step, total, levels = gcd(*exchanged.values()), Fraction(0), set()
    for part in read_list(proof["levels"], None, "the levels"):
        stated = read_part(part, "a level")
        size, _ = network.box(stated["level"])
        need(stated["level"] not in levels, "a level is counted once")
        levels.add(stated["level"])
        listed = read_list(stated["ranks"], ranks, "the multipliers of ranks")
        y = [scale * read_number(x) for x in listed]
        factor: dict[tuple[int, int], Fraction] = {}
        for i in range(ranks):
            factor.update({(i, j): y[i] + y[j] for j in range(i + 1, ranks)})
        for triangle in read_list(stated["triangles"], None, "the triangles"):
            *corners, z = read_list(triangle, 4, "a triangle")
            i, j, k = (read_whole(corner, 0, ranks - 1) for corner in corners)
            need(len({i, j, k}) == 3, "a triangle has three ranks")
            for a, b, sign in ((i, j, -1), (i, k, 1), (k, j, 1)):
                factor[min(a, b), max(a, b)] += sign * scale * read_number(z)
        excess = sum((max(Fraction(0), c - exchanged[pair]) for pair, c in factor.items()),
                     Fraction(0))  # fmt: skip
        cut = max(Fraction(0), (ranks - size) * sum(y, Fraction(0)) - excess)
        total += 2 * ceil(cut / step) * step if step else 0
    return total / scale


def _even(
    total: Fraction, width: Fraction, unit: Fraction, network: StatedAxes | StatedTree
) -> Fraction:
    """What the busiest of channels of this width together has: where all bandwidths are equal, a
    multiple of the common divisor of the volumes over it.
    """
    widths = set(network.widths) if isinstance(network, StatedAxes) else {Fraction(1)}
    if len(widths) > 1:
        return total / width
    step = unit / widths.pop()
    return ceil(total / width / step) * step


def _port(
    axes: StatedAxes, messages: list[_Message], ranks: int, unit: Fraction, proof: Any
) -> Fraction:
    """A rank's messages but the largest, which may stay at its router, share the router's channels.

    Of the c j + 1 largest some j + 1 share one of c channels.
    """
    end = ("out", "in").index(read_name(proof["direction"], ("out", "in")))
    rank = read_whole(proof["rank"], 0, ranks - 1)
    volumes = sorted((m[2] for m in messages if m[end] == rank), reverse=True)[axes.seats - 1 :]
    ports, share = axes.ports(), read_whole(proof["share"])
    even = _even(sum(volumes, Fraction(0)), sum(ports, Fraction(0)), unit, axes)
    if len(volumes) <= len(ports) * share:
        return even
    some = sum(volumes[: len(ports) * share + 1][-share - 1 :], Fraction(0))
    return max(some / max(axes.widths), even)


def _away(messages: list[_Message], ranks: int, k: int) -> list[Fraction]:
    """What each rank sends beyond its k - 1 largest partners."""
    sent = _sent(messages, ranks)
    return [sum(sorted(volumes, reverse=True)[k - 1 :], Fraction(0)) for volumes in sent]


def _sent(messages: list[_Message], ranks: int) -> list[list[Fraction]]:
    """The volumes that each rank sends, one for each partner."""
    sent: list[list[Fraction]] = [[] for _ in range(ranks)]
    for source, _, volume in messages:
        sent[source].append(volume)
    return sent


def _leaving(messages: list[_Message], ranks: int, proof: Any) -> Any:
    """What any k ranks send to the others at least, or what enters or leaves, by halves."""
    if "eigenvalue" not in proof:
        return lambda k: sum(sorted(_away(messages, ranks, k))[:k], Fraction(0)) if k else 0
    c = read_number(proof["eigenvalue"])
    need(_at_least(messages, ranks, c), "the second eigenvalue is smaller")
    return lambda k: c * k * (ranks - k) / ranks / 2


def _at_least(messages: list[_Message], ranks: int, c: Fraction) -> bool:
    """Whether L - c (I - J/p) is positive semidefinite, by elimination in whole numbers."""
    need(ranks <= _MAX_EIGENVALUE, f"an eigenvalue is checked for up to {_MAX_EIGENVALUE} ranks")
    between: Counter[tuple[int, int]] = Counter()
    scale = lcm(c.denominator, *(volume.denominator for *_, volume in messages)) * ranks
    for source, destination, volume in messages:
        between[min(source, destination), max(source, destination)] += int(volume * scale)
    largest = max(chain(between.values(), [int(c * scale)]))
    short = largest.bit_length() <= _MAX_EIGENVALUE_BITS
    need(short, f"an eigenvalue is checked up to {_MAX_EIGENVALUE_BITS} binary digits")
    off = int(c * scale) // ranks
    rows = [[off] * ranks for _ in range(ranks)]
    for r in range(ranks):
        rows[r][r] -= off * ranks
    for (s, d), whole in between.items():
        rows[s][d] -= whole
        rows[d][s] -= whole
        rows[s][s] += whole
        rows[d][d] += whole
    return _semidefinite(rows)


def _semidefinite(rows: list[list[int]]) -> bool:
    """Bareiss' elimination of a symmetric matrix: a pivot is positive, or its row is 0."""
    last = 1
    while rows:
        pivot, *rest = rows[0]
        if pivot < 0 or (pivot == 0 and any(rest)):
            return False
        below = [row[1:] for row in rows[1:]]
        if pivot:
            below = [
                [(pivot * a - row[0] * b) // last for a, b in zip(row[1:], rest, strict=True)]
                for row in rows[1:]
            ]
            last = pivot
        rows = below
    return True


def _nearest(volumes: list[Fraction], near: list[Fraction]) -> Fraction:
    """Volume times distance of what a rank sends, its largest partners on the nearest places."""
    pairs = zip(sorted(volumes, reverse=True), near, strict=False)
    return sum((volume * distance for volume, distance in pairs), Fraction(0))


def _common(volumes: Iterator[Fraction]) -> Fraction:
    listed = [volume for volume in volumes if volume] or [Fraction(1)]
    below = lcm(*(volume.denominator for volume in listed))
    return Fraction(gcd(*(int(volume * below) for volume in listed)), below)
