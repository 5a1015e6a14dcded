"""The value of a placement, and the least of all, from loads that the network itself counts."""

from fractions import Fraction
from functools import cache
from itertools import permutations
from math import lcm
from typing import Any

import numpy as np

from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.network import Network, as_network
from lccmodel.placement.search.problem import Demand, demand_of
from lccmodel.placement.search.routes import Routes


def demand_on(word: str | Network, program: Any, objective: str = "joint") -> tuple[Demand, Routes]:
    """What a search is given: the volumes as integers, and the routes of the network."""
    routes = Routes.of(as_network(word))
    return demand_of(Program.of(program), objective, None, routes), routes


def random_program(seed: int, ranks: int, phases: int = 1, messages: int = 9) -> Program:
    """Random pairs and volumes; phase k has a weight of whole parts of 1 / (1 + k)."""
    rng = np.random.default_rng(seed)
    members = []
    for k in range(phases):
        pairs, volumes = rng.integers(0, ranks, (messages, 2)), rng.integers(1, 9, messages)
        weight = Fraction(int(rng.integers(1, 4)), 1 + k)
        members.append(Phase(Traffic(pairs, volumes, ranks), weight))
    return Program(members)


@cache
def loads_alone(word: str | Network) -> np.ndarray:
    """What the network counts for every single message, as [source, destination, row, column]."""
    network = as_network(word)
    nodes = range(network.size)
    counts = [[network.channel_loads([(x, y)]).counts for y in nodes] for x in nodes]
    return np.array(counts, np.int64)


def least_value(program: Program, word: str | Network, objective: str) -> Fraction:
    """The least objective over all placements: the loads of messages add up."""
    network, alone = as_network(word), loads_alone(word)
    placements = np.array(list(permutations(range(network.size), program.ranks))).T
    loads, parts = [], lcm(*(Fraction(phase.weight).denominator for phase in program.phases))
    for phase in program.phases:
        loads.append(np.zeros((placements.shape[1], *alone.shape[2:]), np.int64))
        volumes = (phase.traffic.volumes * int(phase.weight * parts)).tolist()
        for (x, y), volume in zip(phase.traffic.messages.tolist(), volumes, strict=True):
            loads[-1] += int(volume) * alone[placements[x], placements[y]]
    rows = [network.row_dimension(row) for row in range(alone.shape[2])]
    widths = [network.bandwidths[row] for row in rows]
    whole = lcm(*(width.numerator for width in widths))
    peaks = np.array([sum(loads)] if objective == "joint" else loads).max(axis=3)
    peaks = peaks * [int(whole / width) for width in widths]  # (phase, placement, row)
    axes = np.stack([peaks[..., np.array(rows) == k].max(axis=2) for k in sorted(set(rows))])
    values = {
        "joint": axes.max(axis=0).sum(axis=0),
        "max-max": axes.max(axis=(0, 1)),
        "max-sum": axes.sum(axis=1).max(axis=0),
        "sum-sum": axes.sum(axis=(0, 1)),
    }
    return Fraction(int(values[objective].min()), whole * parts)


def counted_value(
    program: Program, word: str | Network, node_of: np.ndarray, objective: str
) -> Fraction:
    """The objective of one placement: loads, channels on every route, and what a mixture takes."""
    network = as_network(word)
    weights = [Fraction(phase.weight) for phase in program.phases]
    whole = lcm(*(weight.denominator for weight in weights))
    sent = [
        (node_of[phase.traffic.messages], phase.traffic.volumes * int(weight * whole))
        for phase, weight in zip(program.phases, weights, strict=True)
    ]
    if objective == "distance":
        ends = (zip(messages.tolist(), volumes.tolist(), strict=True) for messages, volumes in sent)
        hops = (len(network.channels(*m)) * volume for part in ends for m, volume in part)
        return Fraction(sum(hops), whole)
    if objective.startswith("mixture"):
        share = Fraction(objective.removeprefix("mixture:"))
        joint, far = (counted_value(program, word, node_of, one) for one in ("joint", "distance"))
        return share * network.n_channels * joint + (1 - share) * far
    if objective == "joint":
        sent = [tuple(map(np.concatenate, zip(*sent, strict=True)))]
    loads = [network.channel_loads(*one).per_dimension for one in sent]
    if objective in ("joint", "max-max"):
        found = max((max(row, default=0) for row in loads), default=0)
    else:
        sums = [sum(rows) for rows in zip(*loads, strict=True)]
        found = sum(sums) if objective == "sum-sum" else max(sums, default=0)
    return Fraction(found) / whole
