"""Certificates of pipelining degrees: all shallow degrees are tried, the deep ones in stretches.

T(Q) = P(Q) (alpha + N/Q tau) + (d + Q - 1) b. The steps P(Q) are those of d + Q - 1 tasks, which
exchange a message per process through consecutive dimensions of a hypercube [calmant, sections 3.3
and 4.3]: P(Q) = A + B Q from Q = d on. Dimension k of the processes is level k div c of axis k mod
c, as long as every axis has levels left. In the models "load" and "lower-bound", and with all
ports, the steps of a task are the load of its busiest link, and with one port M at least; they are
counted here. The schedules of the other models are not known here; their steps are stated, and the
claim says so.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from lccmodel.certificates.grids import StatedAxes
from lccmodel.certificates.parser import (
    common_denominator,
    need,
    read_list,
    read_name,
    read_number,
    read_part,
    read_whole,
)
from lccmodel.certificates.questions import mesh_stated

_MAX_PIECES = 1000
"""The most pieces of a cost, and about as many stretches of degrees: some seconds."""

_MAX_SIDE = 1 << 12
"""The longest side on which loads of links are counted."""

_MODELS = ("load", "lower-bound", "paper", "schedule")


def check_degree(problem: Any, answer: Any, proof: Any) -> str:
    """A degree of the least time; see the module."""
    network = mesh_stated(problem["network"])
    ports = read_name(problem["ports"], ("one", "all"))
    model = read_name(problem["model"], _MODELS)
    N, d = read_whole(problem["N"], 1), read_whole(problem["d"])
    places = _places(network)
    need(d == len(places), f"{network.size} nodes have {len(places)} dimensions, not {d}")
    steps = read_part(problem["steps"], "the steps")
    shallow = [
        read_whole(P)
        for P in read_list(steps["shallow"], max(d - 1, 0), f"the steps of 1..{d - 1}")
    ]
    A, B = read_whole(steps["A"]), read_whole(steps["B"])
    whose = _whose_steps(network, places, ports, model, (shallow, A, B))
    barrier = read_number(problem["barrier"])
    listed = read_list(problem["pieces"], None, "the pieces of the cost")
    need(len(listed) <= _MAX_PIECES, f"the cost has more than {_MAX_PIECES} pieces")
    pieces = [
        (None if up is None else read_number(up), read_number(a), read_number(t))
        for up, a, t in (read_list(piece, 3, "a piece") for piece in listed)
    ]
    common_denominator([barrier, *(number for _, *line in pieces for number in line)])

    def piece(Q: int) -> int:
        fits = (k for k, (up, *_) in enumerate(pieces) if up is None or Fraction(N, Q) <= up)
        number = next(fits, None)
        need(number is not None, f"no piece of the cost holds packets of {N}/{Q} items")
        assert number is not None
        return number

    def time(Q: int, k: int) -> Fraction:
        steps = shallow[Q - 1] if Q < d else A + B * Q
        return steps * (pieces[k][1] + Fraction(N, Q) * pieces[k][2]) + (d + Q - 1) * barrier

    Q = read_whole(answer["Q"], 1, N)
    best = time(Q, piece(Q))
    need(best == read_number(answer["time"]), f"T({Q}) is {best}")
    for other in range(1, min(d, N + 1)):
        need(best <= time(other, piece(other)), f"T({other}) is less")
    end = max(d, 1) - 1
    stretches = read_list(proof["stretches"], None, "the stretches")
    need(len(stretches) <= _MAX_PIECES + 1, f"there are more than {_MAX_PIECES + 1} stretches")
    for stretch in stretches:
        first, last, least = map(read_whole, read_list(stretch, 3, "a stretch"))
        need(first == end + 1 and first <= least <= last <= N, "the stretches must cover d..N")
        k, end = piece(first), last
        need(piece(last) == k, f"packets of {first}..{last} lie in two pieces")
        here = time(least, k)
        need(best <= here, f"T({least}) is less")
        need(least == first or time(least - 1, k) >= here, f"not the least of {first}..{last}")
        need(least == last or time(least + 1, k) >= here, f"not the least of {first}..{last}")
    need(end == N or N < d, "the stretches must cover d..N")
    return f"Q = {Q} takes {best} for {N} items, and no other degree less, with {whose}"


def _places(network: StatedAxes) -> list[tuple[int, int]]:
    """(level, axis) of every dimension of the processes."""
    bits = [side.bit_length() - 1 for side in network.sides]
    need([1 << b for b in bits] == network.sides, "sides must be powers of two")
    return sorted((level, axis) for axis, b in enumerate(bits) for level in range(b))


def _whose_steps(
    network: StatedAxes, places: list[tuple[int, int]], ports: str, model: str, stated: Any
) -> str:
    """Whose word the steps are; those that can be counted are compared."""
    d = len(places)
    if max(network.sides, default=1) > _MAX_SIDE:
        return f"the steps stated (they are not counted on sides above {_MAX_SIDE})"
    loads = _loads(network)

    def least(i: int, M: int) -> int:
        load = max(
            (loads[axis][run] for axis, run in _runs(places[i : i + M])), default=Fraction(0)
        )
        return max(ceil(load), M if ports == "one" and model != "load" else 0)

    tasks = [[least(i, M) for M in range(d - i + 1)] for i in range(d + 1)]
    ends = [sum(tasks[0][M] + tasks[d - M][M] for M in range(1, Q)) for Q in range(d + 1)]
    shallow = [ends[Q] + sum(tasks[i][Q] for i in range(d - Q + 1)) for Q in range(1, d)]
    B = tasks[0][d]
    counted = shallow, ends[d] - (d - 1) * B, B
    if model in ("load", "lower-bound") or (ports == "all" and model == "schedule"):
        need(counted == stated, f"the steps are {counted[0]}, A = {counted[1]} and B = {B}")
        return "the steps counted from the network"
    enough = all(P >= bound for P, bound in zip(stated[0], shallow, strict=True))
    deep = stated[2] >= B and stated[1] + stated[2] * d >= counted[1] + B * d
    need(enough and deep, "fewer steps are stated than any schedule takes")
    return "the steps of its schedules, as stated (their lower bounds were counted)"


def _runs(places: list[tuple[int, int]]) -> list[tuple[int, tuple[int, int]]]:
    """(axis, (first level, levels)) of the axes that some dimensions lie on."""
    axes = {axis for _, axis in places}
    levels = [(axis, sorted(level for level, other in places if other == axis)) for axis in axes]
    return [(axis, (run[0], len(run))) for axis, run in levels]


def _loads(network: StatedAxes) -> list[dict[tuple[int, int], Fraction]]:
    """For each axis, and each run of levels on it, the messages on its busiest link one way.

    On a ring half of the messages over half a ring go either way, which no choice betters
    [calmant, Theorem 4; docs/certificates.md]: they add a quarter of the side everywhere.
    """
    axes = []
    for side, ring in zip(network.sides, network.rings, strict=True):
        largest: dict[tuple[int, int], Fraction] = {}
        levels = side.bit_length() - 1
        for first in range(levels):
            links, half = [0] * side, Fraction(0)
            for level in range(first, levels):
                if ring and level == levels - 1:
                    half = Fraction(side, 4)
                else:
                    links = [
                        load + further
                        for load, further in zip(links, _level(side, level), strict=True)
                    ]
                largest[first, level - first + 1] = max(links) + half
        axes.append(largest)
    return axes


def _level(side: int, level: int) -> list[int]:
    """Messages on the link up from each coordinate, from c to c + 2^level where that bit is 0."""
    change = [0] * (side + 1)
    for c in range(side):
        if not c >> level & 1:
            change[c] += 1
            change[c + (1 << level)] -= 1
    loads, here = [], 0
    for step in change[:-1]:
        here += step
        loads.append(here)
    return loads
