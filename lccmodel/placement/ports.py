"""The ports of hosts: what a host sends or receives passes its port, wherever its ranks are.

    port volume = max over hosts h of max(S(h), R(h))

S(h) is the volume of all messages from ranks on h to ranks on other hosts, R(h) that of those in
the other direction. Through a port of bandwidth B no schedule takes less than the port volume
over B. If every host has one node, the port volume is the same for all placements.

Nodes with one name are one host. A node without a name is a host of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lccmodel.communication.program import Program
from lccmodel.ground.arrays import Ints
from lccmodel.ground.numbers import Number, as_fraction, as_number
from lccmodel.network import Network

MOST_RANKS = 1 << 18
"""Most ranks whose ports are counted; larger programs are placed by formulas alone."""


def hosts_of(network: Network) -> Ints:
    """Return the host of every node, int64 of shape (nodes,), numbered from 0.

    >>> from lccmodel.network import Mesh
    >>> hosts_of(Mesh((3,))).tolist()
    [0, 1, 2]
    """
    if not network.names:
        return np.arange(network.size)
    return np.unique(np.asarray(network.names), return_inverse=True)[1].astype(np.int64)


def port_volume(
    program: Program,
    network: Network,
    node_of: npt.NDArray[np.int64] | None = None,
    objective: str = "joint",
    weights: Sequence[Number] | None = None,
) -> Number:
    """Return the largest weighted volume that the port of a host sends or receives.

    Args:
        program, network: at most 2^18 ranks.
        node_of: (ranks,), the node of every rank; rank r is on node r if omitted.
        objective: "max-max" takes the worst phase, "sum-sum" adds the phases' own largest volumes,
            the others add the volumes of all phases.
        weights: one positive number per phase, instead of the phases' own.

    >>> star = Program.of([(1, 0), (2, 0), (3, 0), (0, 1)])
    >>> from lccmodel.network import Mesh
    >>> port_volume(star, Mesh((4,)))
    3
    """
    host = hosts_of(network)
    at = host[: program.ranks] if node_of is None else host[node_of]
    factors = [phase.weight for phase in program] if weights is None else weights
    totals = []
    for phase, weight in zip(program, factors, strict=True):
        volumes, unit = phase.traffic.counted
        source, destination = at[phase.traffic.messages].T
        leaves = source != destination
        through = np.zeros((2, int(host.max()) + 1), np.int64)
        np.add.at(through[0], source[leaves], volumes[leaves])
        np.add.at(through[1], destination[leaves], volumes[leaves])
        totals.append((through, unit * as_fraction(weight)))
    if objective in ("max-max", "sum-sum"):
        largest = [int(through.max()) * unit for through, unit in totals]
        return as_number(max(largest) if objective == "max-max" else sum(largest, Fraction(0)))
    # Sums over phases are exact: the common unit divides every phase's own.
    common = np.sum([through.astype(object) * unit for through, unit in totals], axis=0)
    return as_number(Fraction(max(common.ravel())))


def is_port_fixed(network: Network) -> bool:
    """Return whether the port volume is the same for all placements: one node per host."""
    return len(np.unique(hosts_of(network))) == network.size
