"""The least value of all placements, from loads that the network counts message by message."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations
from math import lcm

import numpy as np

from lccmodel.communication.program import Program
from lccmodel.network import Network, as_network


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
    loads = []
    for phase in program.phases:
        loads.append(np.zeros((placements.shape[1], *alone.shape[2:]), np.int64))
        volumes = (phase.traffic.volumes * phase.weight).tolist()
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
    return Fraction(int(values[objective].min()), whole)
