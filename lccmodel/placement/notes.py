"""Notes of answers on traffic: messages that an equation leaves out, idle nodes, ties on rings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from lccmodel.ground.numbers import number_text
from lccmodel.network import Network
from lccmodel.network.plain import network_of
from lccmodel.network.ring_direction import NetworkTies
from lccmodel.problem import Problem

MOST_LISTED = 1 << 22
"""Most nodes of which those that hold no rank are listed."""

_MOST_COUNTED = 1 << 22
"""Most messages that are counted by the other rule for ties, too."""

_MOST_NAMED = 12
"""Most nodes or ranges of them that a note lists; JSON has `idle_nodes`, all of them."""


def extension_notes(problem: Problem) -> tuple[str, ...]:
    """The messages that the y = Ax + b of a phase has and the input lacks: they are not counted."""
    notes = []
    for phase, extension in zip(problem.program, problem.extensions, strict=False):
        if extension is None or extension.communication is None:
            continue
        c, name = extension.communication, phase.name or "the messages"
        missing = (1 << extension.n) - len(np.unique(phase.traffic.messages, axis=0))
        letters = "x = Ay + b" if c.kind == "scatter" else "y = Ax + b"
        some = "message is" if missing == 1 else "messages are"
        partial = f"{name}: extends to a {c.kind} {letters} of rank {c.rank}"
        partial += f", of which {missing} {some} not sent; what is sent is counted"
        unequal = f"{name}: a {c.kind} {letters} with unequal volumes, which are counted"
        notes.append(partial if missing else unequal)
    return tuple(notes)


def idle_notes(ranks: int, network: Network, node_of: Any = None) -> tuple[str, ...]:
    """The nodes that hold no rank, in a sentence; rank x is on node x if `node_of` is left out."""
    if ranks >= network.size or network.size > MOST_LISTED:
        return ()
    idle = idle_nodes(ranks, network, node_of)
    if network.names:
        slots = Counter(network.name(node) for node in idle)
        names = [name if free == 1 else f"{name} ({free} slots)" for name, free in slots.items()]
    else:
        names = runs_text(sorted(network.whole(node) for node in idle)).split()
    more = " ..." if len(names) > _MOST_NAMED else ""
    first = " ".join(names[:_MOST_NAMED])
    return (f"{len(idle)} of {network.size} nodes hold no rank: {first}{more}",)


def idle_nodes(ranks: int, network: Network, node_of: Any = None) -> list[int]:
    """The nodes that hold no rank, in ascending order."""
    taken = np.arange(ranks) if node_of is None else np.asarray(node_of)
    idle: list[int] = np.setdiff1d(np.arange(network.size), taken).tolist()
    return idle


def tie_notes(problem: Problem, node_of: Any = None, descending: bool = False) -> tuple[str, ...]:
    """A sentence on messages half-way round a ring, if the other rule changes the maximum load.

    Args:
        node_of: the node of every rank; rank x is on node x if it is left out.
        descending: whether the last axis is routed first.

    >>> note = tie_notes(Problem.read("uniform", "torus:4x4"))[0]
    >>> note[:53], note[53:]
    ('112 of 240 messages go half-way round a ring, all +; ', \
'with ties=split the maximum load is 8, not 12')
    """
    network, whole = problem.network, problem.network.whole_network
    geometry = whole.geometry.canonical()
    even = [
        ring and side % 2 == 0 for ring, side in zip(geometry.rings, geometry.sides, strict=True)
    ]
    if whole.is_table or not any(even):
        return ()
    ranks = problem.program.ranks
    if ranks > network.size:
        return ()
    nodes = network.in_whole(np.arange(ranks) if node_of is None else np.asarray(node_of))
    other: NetworkTies = "plus" if geometry.ties == "split" else "split"
    twin = network_of(replace(geometry, ties=other))
    notes = []
    for phase in problem.program:
        if len(phase.traffic) > _MOST_COUNTED:
            continue
        ends = nodes[phase.traffic.messages] // geometry.per_router
        half = np.zeros(len(ends), np.bool_)
        for stride, side, counts in zip(geometry.strides, geometry.sides, even, strict=True):
            digit = ends // stride % side
            half |= counts & (2 * np.abs(digit[:, 0] - digit[:, 1]) == side)
        if not half.any():
            continue
        loads = [
            net.channel_loads(phase.traffic, node_of=at, descending=descending).degree
            for net, at in ((network, node_of), (twin, nodes))
        ]
        if loads[0] != loads[1]:
            name = f"{phase.name}: " if phase.name and len(problem.program) > 1 else ""
            way = "all +" if other == "split" else "+ from even coordinates, - from odd ones"
            notes.append(
                f"{name}{int(half.sum()):,} of {len(half):,} messages go half-way round a ring, "
                f"{way}; with ties={other} the maximum load is {number_text(loads[1])}, not "
                f"{number_text(loads[0])}"
            )
    return tuple(notes)


def runs_text(numbers: Sequence[int]) -> str:
    """Ascending numbers as text, runs of at least three drawn together.

    >>> runs_text((0, 1, 2, 3, 6, 8, 9))
    '0-3 6 8 9'
    """
    runs = [[number] for number in numbers[:1]]
    for before, here in pairwise(numbers):
        if here == before + 1:
            runs[-1].append(here)
        else:
            runs.append([here])
    return " ".join(f"{r[0]}-{r[-1]}" if len(r) > 2 else " ".join(map(str, r)) for r in runs)
