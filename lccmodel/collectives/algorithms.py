"""What an algorithm is: a published rule from a `Site` to a plan, and for which ranks it is one.

The rules themselves are in `collectives.catalogue`. One's own goes beside them with `also`:
docs/add_a_collective.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from lccmodel.collectives.packing import Wire
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import COLLECTIVES, ROOTED, CollectiveName
from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.numbers import number_text
from lccmodel.ground.words import AllOrOne as AllOrOne
from lccmodel.ground.words import checked_word
from lccmodel.network import Network


@typed_arguments
@dataclass(frozen=True)
class Site:
    """How ranks lie: p of them, with coordinates on axes that are rings or not.

    Attributes:
        ranks: p.
        sides: ranks along each axis, axis 0 the lowest part of a rank; (p,) where nothing is known.
        wraps: whether the axes are rings.
        per_node: ranks that share a router, one after another.
        ports: "all" for plans that use several ports of a rank at a time.
        root: of a broadcast or reduction.
        network: where the ranks are, rank r on node r, if that is known.
    """

    ranks: int
    sides: tuple[int, ...]
    wraps: bool = True
    per_node: int = 1
    ports: AllOrOne = "one"
    root: int = 0
    network: Network | None = None

    @property
    def wires(self) -> tuple[Wire, ...]:
        """The channels between two ranks, with their bandwidth; none if they do not join all.

        >>> from lccmodel.network import Hypercube
        >>> len(Site.on(Hypercube(3)).wires), Site(8, (8,)).wires
        (24, ())
        """
        return () if self.network is None else direct_wires(self.network)

    @classmethod
    def on(
        cls, network: Network, ranks: int | None = None, ports: AllOrOne = "one", root: int = 0
    ) -> Site:
        """Return the site of ranks on all nodes in order, or of fewer ranks, without axes.

        >>> from lccmodel.network import Hypercube, as_network
        >>> Site.on(Hypercube(3)).sides, Site.on(Hypercube(3), 6).sides
        ((2, 2, 2), (6,))
        >>> Site.on(as_network("origin:3")).sides == Site.on(as_network("cube:2*2")).sides
        True
        """
        p = network.size if ranks is None else ranks
        if p != network.size:
            return cls(p, (p,), ports=ports, root=root)
        grid = network.geometry.canonical()
        sides = grid.sides if grid.is_grid else (p,)
        wraps = all(axis.ring or axis.length < 3 for axis in grid.axes)
        shared = slots_of(network)
        if shared > 1:  # whole nodes in turn, or none known
            rows = hosts_of(network, np.arange(p // shared * shared)).reshape(-1, shared)
            whole = p % shared == 0 and bool((rows == rows[:, :1]).all())
            shared = shared if whole else 1
        if shared > 1 and grid.is_grid:
            sides = (shared, *sides)
        return cls(p, sides, wraps, shared, ports, root, network)


MOST_WIRED = 256
"""Most ranks between which channels are listed."""


@lru_cache(maxsize=32)
def direct_wires(network: Network) -> tuple[Wire, ...]:
    """The channels whose two ends are ranks, with their bandwidth; none if they do not join all.

    Of two cables between two ranks, routes take one.

    >>> from lccmodel.network import Mesh
    >>> direct_wires(Mesh((2,)))
    ((0, 1, Fraction(1, 1)), (1, 0, Fraction(1, 1)))
    """
    import networkx as nx

    if network.size > MOST_WIRED or network.size < 2 or not has_own_links(network):
        return ()
    wires, at = network.wiring, network.at_router(np.arange(network.size))
    rank_of = {router: rank for rank, router in enumerate(at.tolist())}
    listed: list[Wire] = []
    for tail, head in sorted(set(zip(wires.tail.tolist(), wires.head.tolist(), strict=True))):
        u, v = rank_of.get(tail), rank_of.get(head)
        if u is None or v is None or network.distance(u, v) != 1:
            continue
        row = network.counter(*network.channels(u, v)[0])[0]
        listed.append((u, v, network.bandwidths[network.row_dimension(row)]))
    listed.sort()
    joined: nx.DiGraph[int] = nx.DiGraph([(u, v) for u, v, _ in listed])
    joins = len(joined) == network.size and nx.is_strongly_connected(joined)
    return tuple(listed) if joins else ()


def slots_of(network: Network) -> int:
    """How many ranks a node holds, one after another: at a router, in slots, on GPUs.

    >>> from lccmodel.network import as_network
    >>> [slots_of(as_network(word)) for word in ("torus:4x4*4/2", "rails:4,2", "cube:3*2")]
    [4, 2, 2]
    """
    whole = network.whole_network
    return whole.geometry.slots(whole.size)


@lru_cache(maxsize=64)
def has_own_links(network: Network) -> bool:
    """Whether every rank has links of its own, so that it may use several ports.

    Where ranks hang on routers (fat trees, several to a router, a table that states what the ports
    of nodes carry) a rank has one port.

    >>> from lccmodel.network import as_network
    >>> [has_own_links(as_network(word)) for word in ("torus:4", "rails:4,2", "torus:4*2")]
    [True, True, False]
    """
    if network.node_ports.is_stated:
        return False
    at = network.whole_network.at_router(network.in_whole(np.arange(network.size)))
    others = network.whole_network.at_router(np.arange(network.whole_network.size))
    return len(np.unique(at)) == len(at) and len(np.unique(others)) == len(others)


def uses_all_ports(network: Network, ports: AllOrOne) -> bool:
    """Return whether ranks send and receive over several links at a time.

    >>> from lccmodel.network import as_network
    >>> [uses_all_ports(as_network(word), "all") for word in ("torus:4", "fattree:2x2")]
    [True, False]
    """
    whole = network.whole_network
    return ports == "all" and (has_own_links(network) or whole.has_several_ports)


def network_notes(network: Network, ports: AllOrOne) -> tuple[str, ...]:
    """Return what is to be known of a network: how it was read, and the unit of its bandwidths.

    >>> from lccmodel.network import RouteTable
    >>> pair = RouteTable([(0, 1), (1, 0)], [[-1, 0], [1, -1]], bandwidth=[4, 4], word="graph:p")
    >>> network_notes(pair, "one")[0][:58], network_notes(pair, "all")
    ('the port of a rank carries 1 at a time, and the bandwidths', ())
    """
    whole = network.whole_network
    notes = list(whole.notes)
    if ports == "all" and not uses_all_ports(network, ports):
        why = "every rank has a single link, to its router"
        notes.insert(0, f"ports all is ports one on {network.spec}: {why}")
    limited = not uses_all_ports(network, ports) or whole.has_several_ports
    limited &= not network.node_ports.is_stated
    if limited and whole.is_table and {*whole.bandwidths} - {1}:  # a file has its own unit
        every = sorted({*whole.bandwidths})
        few = every if len(every) < 5 else [every[0], every[-1]]
        widths = (", " if few == every else " to ").join(map(number_text, few))
        notes.append(
            f"the port of a rank carries 1 at a time, and the bandwidths of {whole.spec} ({widths})"
            " count in this unit: divide them by that of a port, and state τ for a port"
        )
    return tuple(notes)


def hosts_of(network: Network, nodes: Ints) -> Ints:
    """Which of the nodes that hold several ranks each place is in; of a job, in its machine.

    >>> from lccmodel.network import as_network
    >>> hosts_of(as_network("torus:4x4*2,nodes=3:6-7"), np.arange(3)).tolist()
    [1, 3, 3]
    """
    hosts: Ints = network.in_whole(nodes) // slots_of(network)
    return hosts


@typed_arguments
@dataclass(frozen=True)
class Algorithm:
    """A published rule.

    Attributes:
        name, collective: what it is called, and what it achieves.
        source: where the rule is published.
        build: the plan of a site that is covered.
        needs: for which ranks there is a rule, in words.
        covers: whether a site is one of them.

    >>> from lccmodel.collectives import ALGORITHMS
    >>> swing = ALGORITHMS["allreduce", "swing"]
    >>> swing.needs, swing.on(Site(16, (4, 4))).steps
    ('even sides', 8)
    """

    name: str
    collective: CollectiveName
    source: str
    build: Callable[[Site], Plan]
    needs: str = "any p"
    covers: Callable[[Site], bool] = lambda site: True

    def on(self, site: Site) -> Plan:
        """Return the plan of a site.

        Raises:
            InputError: the rule does not cover it, or there is no such root.
        """
        if not 0 <= site.root < site.ranks:
            raise InputError("root", f"must be in 0..{site.ranks - 1}", site.root)
        if not self.covers(site):
            where = "x".join(map(str, site.sides))
            raise InputError(f"algorithm {self.name}", f"is for {self.needs}", where)
        made = replace(self.build(site), name=self.name, collective=self.collective)
        if site.root and self.collective in ROOTED and made.root != site.root:
            made = made.renamed((np.arange(site.ranks) + site.root) % site.ranks)
        return made


@typed_arguments
def own(
    name: str,
    collective: CollectiveName,
    messages: Callable[[int, int, int], Sequence[Any]],
    steps: Callable[[int], int],
    blocks: Callable[[int], int] | None = None,
    source: str = "one's own",
) -> Algorithm:
    """Return an algorithm from a function of rank and step; see docs/add_a_collective.md.

    Args:
        name, collective, source: as for `Algorithm`.
        messages: from (rank, step, p) to what the rank sends: a list of (to, blocks, "add" or
            "copy").
        steps: from p to the number of steps.
        blocks: from p to the blocks of the data; p if left out, p^2 for "alltoall".

    Raises:
        InputError: a collective that there is not, or no functions; from the plan, messages that
            are no list.

    >>> star = own("star", "broadcast", lambda r, s, p: [(s + 1, [0])] if r == 0 else [],
    ...            steps=lambda p: p - 1, blocks=lambda p: 1)
    >>> star.on(Site(5, (5,))).replay().ok
    True
    """
    checked_word("collective", collective, COLLECTIVES)
    for key, stated in (("steps", steps), ("blocks", blocks)):
        if not (callable(stated) or stated is None):
            raise InputError(key, "must be a function of p, the number of ranks", stated)

    def sent(rank: int, step: int, p: int) -> list[Any]:
        stated = messages(rank, step, p)
        if not isinstance(stated, Sequence) or not all(isinstance(m, Sequence) for m in stated):
            rule = f"must give a list of (to, blocks, operation) for rank {rank} in step {step}"
            raise InputError(f"messages of {name}", rule, stated)
        return [(rank, *message) for message in stated]

    def build(site: Site) -> Plan:
        p = site.ranks
        listed = [
            [message for rank in range(p) for message in sent(rank, step, p)]
            for step in range(steps(p))
        ]
        return Plan.of_steps(collective, p, listed, None if blocks is None else blocks(p))

    return Algorithm(name, collective, source, build)
