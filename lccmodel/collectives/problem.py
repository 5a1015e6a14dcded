"""The problem of a collective: which one, on which nodes, over how many ports, from which root.

Plans and bounds depend on these alone. `choose`, `envelope`, `rules_file` and `default_costs` add
prices and algorithms (`ranking.PricedProblem`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from lccmodel.collectives.algorithms import AllOrOne, Site, hosts_of, network_notes
from lccmodel.collectives.steps import CollectiveName
from lccmodel.errors import InputError, NetworkError, checked_array
from lccmodel.ground.arrays import Ints, read_only
from lccmodel.network import Network
from lccmodel.placement.placement_result import Placement


@dataclass(frozen=True, eq=False)
class CollectiveProblem:
    """A collective on some nodes of a network.

    Attributes:
        collective, network: which and where.
        node_of: the node of every rank, or a `Placement`; rank r on node r, on all nodes, if None.
        ports: "one": a rank sends one message at a time and receives one; "all": one on each link.
        root: of a broadcast, reduce, scatter or gather.

    >>> from lccmodel.network import as_network
    >>> problem = CollectiveProblem("allreduce", as_network("fattree:4x4"), ports="all")
    >>> problem.ranks, problem.notes
    (16, ('ports all is ports one on fattree:4^2: every rank has a single link, to its router',))
    """

    read_as: ClassVar[str] = ""

    collective: CollectiveName
    network: Network
    node_of: Any = None
    ports: AllOrOne = "one"
    root: int = 0

    @property
    def ranks(self) -> int:
        """The number of ranks p."""
        return self.network.size if self.node_of is None else len(self.nodes)

    @cached_property
    def nodes(self) -> Ints:
        """The node of every rank; int64 of shape (p,), read-only.

        Raises:
            InputError: no nodes, or nodes that are not different nodes of the network.
            NetworkError: fewer nodes than ranks.
        """
        stated = self.node_of.node_of if isinstance(self.node_of, Placement) else self.node_of
        size = self.network.size
        nodes = np.arange(size) if stated is None else checked_array("node_of", stated).copy()
        if nodes.ndim != 1 or not len(nodes):
            raise InputError("node_of", "must be the node of every rank", nodes.shape)
        if len(nodes) > size:
            rule = f"must have at least {len(nodes)} nodes, one for every rank"
            raise NetworkError("network", rule, self.network.spec)
        if nodes.min() < 0 or nodes.max() >= size or len(np.unique(nodes)) < len(nodes):
            rule = f"must be different nodes of {self.network.spec}, 0..{size - 1}"
            raise InputError("node_of", rule, nodes.tolist())
        return read_only(nodes)

    @cached_property
    def hosts(self) -> Ints:
        """The node that holds each rank, where nodes hold several; int64 (p,), read-only."""
        return read_only(hosts_of(self.network, self.nodes))

    @property
    def site(self) -> Site:
        """The axes on which the ranks are, for rules."""
        return Site.on(self.network, self.ranks, self.ports, self.root)

    @property
    def notes(self) -> tuple[str, ...]:
        """How the network was read, and the unit of its ports."""
        return network_notes(self.network, self.ports)

    def in_whole(self) -> CollectiveProblem:
        """Return the same ranks on the nodes of the whole network, if this one is a job on it."""
        nodes = self.network.in_whole(self.nodes)
        return replace(self, network=self.network.whole_network, node_of=nodes)
