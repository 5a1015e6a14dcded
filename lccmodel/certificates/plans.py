"""Certificates of collectives: every block is moved, and start-ups or data meet a bound.

What a rank holds of a block is the set of the ranks whose contributions it has; an addition that
meets a contribution which is there is refused, so each arrives exactly once. All that goes from one
rank to another in a step is one message. A step takes as many start-ups as messages begin or end at
one port, and as much data as its busiest channel or port.

No plan has fewer start-ups than the least t with (k + 1)^t >= p, k ports a rank; nor less data than

    port   a rank sends or receives, over its ports
    sums   an allreduce needs 2 (p - 1) vectors sent, by all ports together
    box    has to leave or enter a box of routers, over the bandwidth that leaves it
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from lccmodel.certificates.grids import StatedAxes, network_stated
from lccmodel.certificates.parser import (
    need,
    read_flag,
    read_list,
    read_name,
    read_number,
    read_part,
    read_whole,
)

_SUMS = ("allreduce", "reduce-scatter", "reduce", "barrier")
_WHOLE = ("allreduce", "broadcast", "reduce")
_NAMES = (*_SUMS, "allgather", "broadcast", "alltoall", "scatter", "gather")

_MAX_BLOCKS = 1 << 20
"""The most blocks that the ranks hold at the start, or need at the end, all ranks together."""

_MAX_BITS = 1 << 32
"""The most contributions in all sums together, a bit each: 512 MiB."""

_Step = list[tuple[int, int, list[int], bool]]


class _Asked:
    """A collective of p ranks on a network; a vector is cut into blocks, with their owners."""

    def __init__(self, problem: Any) -> None:
        self.name = read_name(problem["collective"], _NAMES)
        self.network = network_stated(problem["network"])
        places = self.network.places
        self.p = read_whole(problem["ranks"], 1, places)
        self.root = read_whole(problem["root"], 0, self.p - 1)
        node_of = read_list(problem["node_of"], self.p, "the places of the ranks")
        self.places = [read_whole(node, 0, places - 1) for node in node_of]
        need(len(set(self.places)) == self.p, "a rank needs a place of its own")
        alone = isinstance(self.network, StatedAxes) and self.network.seats == 1
        self.one = read_name(problem["ports"], ("one", "all")) == "one" or not alone
        self.filled = alone and self.p == places
        self.blocks = read_whole(problem["blocks"], 1, _MAX_BLOCKS)
        parts = self.p**2 if self.name == "alltoall" else self.p
        owned = self.name in ("allgather", "reduce-scatter", "alltoall", "scatter", "gather")
        need(not owned or self.blocks % parts == 0, "every block needs an owner")
        held = self.blocks * (1 if self.name == "alltoall" else self.p)
        need(held <= _MAX_BLOCKS, f"all ranks together hold more than {_MAX_BLOCKS} blocks")
        bits = held * self.p if self.name in _SUMS else 0
        need(bits <= _MAX_BITS, f"the sums have more than {_MAX_BITS} contributions")
        self.each = max(1, self.blocks // parts)

    def unit(self) -> Fraction:
        """A block as a part of the vector of a rank."""
        return Fraction(self.p if self.name == "alltoall" else 1, self.blocks)

    def at_start(self) -> dict[tuple[int, int], int]:
        """The contributions that a rank holds of a block, as bits, by (rank, block)."""
        if self.name in _SUMS:
            ranks = range(self.p)
            own = [1 << rank for rank in ranks]
            return {(rank, block): own[rank] for block in range(self.blocks) for rank in ranks}
        if self.name in ("broadcast", "scatter"):
            return {(self.root, block): 1 << self.root for block in range(self.blocks)}
        ranks_of = self.each * (self.p if self.name == "alltoall" else 1)
        owners = [block // ranks_of for block in range(self.blocks)]
        return {(owner, block): 1 << owner for block, owner in enumerate(owners)}

    def wanted(self) -> Iterator[tuple[int, int, int]]:
        """(rank, block, contributions): what has to be held in the end."""
        every, ranks = (1 << self.p) - 1, range(self.p)
        for block in range(self.blocks):
            part = block // self.each
            if self.name == "alltoall":
                yield part % self.p, block, 1 << part // self.p
            elif self.name == "reduce":
                yield self.root, block, every
            elif self.name == "reduce-scatter":
                yield part, block, every
            elif self.name == "scatter":
                yield part, block, 1 << self.root
            elif self.name == "gather":
                yield self.root, block, 1 << part
            else:
                whole = {"broadcast": 1 << self.root, "allgather": 1 << part}.get(self.name, every)
                yield from ((rank, block, whole) for rank in ranks)


def check_plan(problem: Any, answer: Any, proof: Any) -> str:
    """A plan of a collective with the fewest start-ups, or the least data; see the module."""
    asked = _Asked(problem)
    listed = read_list(answer["steps"], None, "the steps of a plan")
    steps = [_read_step(asked, step) for step in listed]
    _replay(asked, steps)
    costs = [_costs(asked, step) for step in steps]
    start_ups = sum(cost[0] for cost in costs)
    data = sum((cost[1] for cost in costs), Fraction(0))
    need(start_ups == read_whole(answer["start_ups"]), f"the plan has {start_ups} start-ups")
    need(data == read_number(answer["data"]), f"the plan has data {data}")
    shown = []
    if read_flag(proof["start_ups"]):
        least = _rounds(asked.p, _ports(asked))
        need(start_ups == least, f"{start_ups} start-ups, where {least} may do")
        shown.append(f"{start_ups} start-ups, and none has fewer")
    if proof["data"] is not None:
        bound = _data_bound(asked, read_part(proof["data"], "the proof of data"))
        need(data == bound, f"data {data}, where {bound} may do")
        shown.append(f"{data} of a vector on the busiest channels, and none has less")
    need(bool(shown), "neither start-ups nor data are shown to be least")
    return f"the {asked.name} of {asked.p} ranks has {'; '.join(shown)}"


def _read_step(asked: _Asked, step: Any) -> _Step:
    messages = []
    for message in read_list(step, None, "a step"):
        source, target, blocks, operation = read_list(message, 4, "a message")
        ends = read_whole(source, 0, asked.p - 1), read_whole(target, 0, asked.p - 1)
        need(ends[0] != ends[1], "a message to the rank that sends it")
        adds = read_name(operation, ("add", "copy")) == "add"
        listed = read_list(blocks, None, "the blocks of a message")
        carried = [read_whole(block, 0, asked.blocks - 1) for block in listed]
        need(len(set(carried)) == len(carried), "a block twice in a message")
        messages.append((*ends, carried, adds))
    return messages


def _replay(asked: _Asked, steps: list[_Step]) -> None:
    held = asked.at_start()
    joined = asked.name == "barrier"
    for step in steps:
        loads = [[held.get((source, b), 0) for b in blocks] for source, _, blocks, _ in step]
        for (_, target, blocks, add), load in zip(step, loads, strict=True):
            for block, came in zip(blocks, load, strict=True):
                before = held.get((target, block), 0) if add or joined else 0
                need(joined or not before & came, "a contribution is added twice")
                held[target, block] = before | came
    for rank, block, wanted in asked.wanted():
        need(wanted == held.get((rank, block)), f"rank {rank} lacks a part of block {block}")


def _costs(asked: _Asked, step: _Step) -> tuple[int, Fraction]:
    """(start-ups one after another, data on the busiest channel or port)."""
    unit = Fraction(0) if asked.name == "barrier" else asked.unit()
    starts: Counter[Any] = Counter()
    carried: dict[Any, Fraction] = {}
    started = set[tuple[int, int]]()  # all that goes between two ranks in a step is one message
    for source, target, blocks, _ in step:
        x, y = asked.places[source], asked.places[target]
        way = list(asked.network.path(x, y, "split"))  # half a ring: + from even coordinates
        uses: list[Any] = [*way]
        if asked.one:
            ends: list[Any] = [("out", source), ("in", target)]
            uses += ends
        else:
            ends = [("out", way[0]), ("in", way[-1])] if way else []
        if (source, target) not in started:
            started.add((source, target))
            starts.update(ends)
        for use in uses:
            width = asked.network.width(use) if len(use) == 3 else Fraction(1)
            carried[use] = carried.get(use, Fraction(0)) + len(blocks) * unit / width
    return max(starts.values(), default=0), max(carried.values(), default=Fraction(0))


# -- Bounds ----------------------------------------------------------------------------------------


def _ports(asked: _Asked) -> int:
    """Most ports of a rank."""
    if asked.one:
        return 1
    return max((len(_at_node(asked, place)) for place in asked.places), default=1)


def _at_node(asked: _Asked, place: int) -> list[Fraction]:
    """The bandwidths of the channels that leave a node of its own."""
    axes = asked.network
    assert isinstance(axes, StatedAxes)
    rows = zip(axes.at(place), axes.sides, axes.rings, axes.widths, strict=True)
    return [
        width for x, side, ring, width in rows for step in (-1, 1) if (0 <= x + step < side) or ring
    ]


def _rounds(p: int, ports: int) -> int:
    reached, needed = 1, 0
    while reached < p:
        reached, needed = reached * (ports + 1), needed + 1
    return needed


def _data_bound(asked: _Asked, proof: Any) -> Fraction:
    need(asked.name != "barrier" and asked.p > 1, "a barrier sends no data")
    p, whole = asked.p, asked.name in _WHOLE
    rates = [Fraction(1) if asked.one else sum(_at_node(asked, x)) for x in asked.places]
    bound = read_name(proof["bound"], ("port", "sums", "box"))
    if bound == "port":
        rank = read_whole(proof["rank"], 0, p - 1)
        if asked.name in ("scatter", "gather") and rank != asked.root:
            return Fraction(1, p) / rates[rank]
        return (Fraction(1) if whole else Fraction(p - 1, p)) / rates[rank]
    if bound == "sums":
        need(asked.name == "allreduce", "the bound is for an allreduce")
        return Fraction(2 * (p - 1)) / sum(rates, Fraction(0))
    need(asked.filled, "a box is a bound where every place has a rank")
    assert isinstance(asked.network, StatedAxes)
    inside, width = asked.network.box(proof["box"])
    need(width > 0, "nothing leaves all places")
    if asked.name == "alltoall":
        return Fraction(inside * (p - inside), p) / width
    if asked.name in ("scatter", "gather"):  # on which side the root is does not matter
        return Fraction(min(inside, p - inside), p) / width
    return (Fraction(1) if whole else Fraction(max(inside, p - inside), p)) / width
