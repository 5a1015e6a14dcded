"""Where every rank of a program runs, and how good that is: the answer of every way of placing.

    ranks of submatrices    `optimal_reordering`, `optimal_linear_mapping` [hou, Definitions 7, 8]
    counts                  the subset programme for any messages [hou, Theorem 6]
    search                  `place`

A renaming x' = Qx of 2^n nodes leaves the program as it is; its messages y = Ax + b travel as the
communication (QAQ⁻¹, Qb).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Program
from lccmodel.errors import InputError, shown
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.arrays import read_only
from lccmodel.ground.numbers import Number, as_fraction, as_number, number_text
from lccmodel.ground.views import Answer
from lccmodel.ground.words import Over as Over
from lccmodel.network import Network
from lccmodel.placement.contention import ContentionSet
from lccmodel.placement.launchers import Launcher, rank_file
from lccmodel.placement.notes import MOST_LISTED, extension_notes, idle_notes, tie_notes
from lccmodel.placement.objectives import loads_and_share
from lccmodel.placement.ports import MOST_RANKS, port_volume
from lccmodel.placement.present import moved_ranks
from lccmodel.problem import Problem

if TYPE_CHECKING:
    from lccmodel.reading.hostlist import Host


NodeOfRank = Sequence[int] | npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Use(ContentionSet):
    """What a placement makes the channels carry: the contention of every phase, and sums, exact.

    Attributes:
        value: the objective.
        joint: the busiest channel when all phases run at once, each as often as its weight says;
            None where nobody counted it.
        phases: the sum over the phases of weight times busiest channel: phases one by one.
        distance: the sum of weight times volume times channels on the route.

    >>> from lccmodel import Mesh, Traffic, place
    >>> before = place(Traffic([[0, 3], [1, 3]]), Mesh((4,)), over="placements").before
    >>> before.value, before[0].per_dimension, before.distance
    (2, (2,), 5)
    """

    value: Number
    joint: Number | None
    phases: Number
    distance: Number

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reading of the input says, and messages that are not sent."""
        return (*self.problem.notes, *extension_notes(self.problem))


@dataclass(frozen=True, repr=False, eq=False)
class Placement(Answer, view="placement"):
    """Where every rank of a program runs, and how good that is.

    Attributes:
        problem: what was asked: the program, the network, where they were read.
        objective: what was minimised: "max-max", "max-sum", "sum-sum", "joint", "distance" or
            "mixture:S".
        over: among what the answer was sought: "orders", "linear" or "placements".
        weights: how often every phase runs, one positive number a phase.
        before: the use of the channels by rank r on node r.
        after: the use with the placement.
        lower_bound: nothing has a smaller value of the objective: no placement whatever, or where
            ranks answered, nothing of `over`.
        proof: what shows that nothing of `over` is better on these volumes, and whether the lower
            bound is met; empty if nothing does.
        bound: the argument that gives the lower bound for every placement.
        found: how the placement was found.
        order: order[k] is the bit of the rank that becomes bit k of the node, if the answer is an
            order of bits; else None.
        Q: the renaming x' = Qx, where ranks answered; else None.
        nodes: the node of every rank where it is not a renaming.
        stopped: "interrupted" (Ctrl-C), or "cut by the clock" where the stated time was not enough
            for the plan that it stands for; such an answer need not come again. Else empty.
        rounding: sentences on volumes and bandwidths that were rounded before the search.
        optimal_orders: how many orders are as good, if they were counted.
        now: the use with the present placement, if one was stated; the answer is never worse.
        now_nodes: the node of every rank of the present placement.
        now_notes: sentences on how the present placement was read.
        port_bandwidth: the bandwidth of a host's port, if the objective counts ports; else None.
        of_channels: then the same answer for the channels alone, with its own bound and proof.

    >>> from lccmodel import Mesh, Traffic, catalog, place
    >>> from lccmodel.placement import optimal_reordering
    >>> placement = place(Traffic([[0, 3], [1, 3]]), Mesh((4,)), over="placements")
    >>> placement.before.value, placement.after.value, placement.optimal
    (2, 1, True)
    >>> placement = optimal_reordering(catalog.matrix_transpose(4), "cube:4")
    >>> placement.order, placement.before.degree, placement.after.degree, placement.proof
    ((0, 2, 1, 3), 2, 1, 'meets the lower bound 1')
    """

    problem: Problem
    objective: str
    over: Over
    weights: tuple[Number, ...]
    before: Use
    after: Use
    lower_bound: Number
    proof: str
    bound: str = ""
    found: str = "ranks of submatrices"
    order: tuple[int, ...] | None = None
    Q: GF2Matrix | None = None
    nodes: npt.NDArray[np.int64] | None = None
    stopped: str = ""
    rounding: tuple[str, ...] = ()
    optimal_orders: int | None = None
    now: Use | None = None
    now_nodes: npt.NDArray[np.int64] | None = None
    now_notes: tuple[str, ...] = ()
    port_bandwidth: Number | None = None
    of_channels: Placement | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reading of the input says, what was rounded, and nodes without a rank."""
        unsent = extension_notes(self.problem) if self.Q is None else ()
        idle = idle_notes(len(self.node_of), self.network, self.node_of) if self.Q is None else ()
        ties = tie_notes(self.problem, self.node_of) if self.network.size <= MOST_LISTED else ()
        read = (*self.problem.notes, *self.now_notes, *unsent, *idle, *ties, *self.rounding)
        return (*read, *self._distance_notes())

    def _distance_notes(self) -> tuple[str, ...]:
        """The price of a less busy channel, where volume times distance rises."""
        old, new = as_fraction(self.before.distance), as_fraction(self.after.distance)
        if self.Q is not None or not loads_and_share(self.objective)[1] or new <= old:
            return ()
        rise = f"volume times distance rises from {number_text(old)} to {number_text(new)}"
        return (f"{rise}; the objectives mixture:S and the Pareto front (--front) are between",)

    @property
    def channels(self) -> Placement:
        """The same answer for the channels alone, without the ports of hosts.

        >>> from lccmodel import place
        >>> placement = place([(x, 0) for x in range(1, 8)], "fattree:2^3", seconds=0.1)
        >>> placement.after.value, placement.channels.after.value, placement.optimal
        (7, 6, True)
        """
        return self.of_channels or self

    @property
    def port_loads(self) -> tuple[Number, Number] | None:
        """The load of the busiest host's port before and after: its volume over its bandwidth.

        No schedule takes less. None if no bandwidth is stated, or beyond 2^18 ranks.
        """
        width = self.network.host_bandwidth if self.port_bandwidth is None else self.port_bandwidth
        if width is None or self.ports is None:
            return None
        before, after = (
            as_number(as_fraction(volume) / as_fraction(width)) for volume in self.ports
        )
        return before, after

    @property
    def program(self) -> Program:
        """What is sent."""
        return self.problem.program

    @property
    def network(self) -> Network:
        """Where."""
        return self.problem.network

    @cached_property
    def node_of(self) -> npt.NDArray[np.int64]:
        """The node of every rank; int64 of shape (ranks,), read-only, all different.

        Raises:
            SizeLimitError: a renaming of more than 2^28 nodes.
        """
        where = LCC(self.Q).images() if self.nodes is None and self.Q is not None else self.nodes
        assert where is not None, "a placement is a renaming or a list"
        where.flags.writeable = False
        return where

    @property
    def rank_at(self) -> npt.NDArray[np.int64]:
        """The rank on every node, -1 on idle ones; int64 of shape (nodes,)."""
        ranks = np.full(self.network.size, -1, np.int64)
        ranks[self.node_of] = np.arange(len(self.node_of))
        return read_only(ranks)

    @property
    def priced(self) -> tuple[Number, ...]:
        """The weight of every phase times the volume that each of its messages carries.

        Raises:
            CommunicationError: the messages of a phase differ in volume.
        """
        volumes = [phase.traffic.uniform_volume for phase in self.program]
        weights = zip(self.weights, volumes, strict=True)
        return tuple(as_number(as_fraction(weight) * volume) for weight, volume in weights)

    @cached_property
    def ports(self) -> tuple[Number, Number] | None:
        """The largest volume that a host's port sends or receives, before and after.

        For the phases as the objective takes them (`placement.ports`). None beyond 2^18 ranks.
        """
        if self.program.ranks > MOST_RANKS:
            return None
        kind = loads_and_share(self.objective)[0] if loads_and_share(self.objective)[1] else "joint"
        count = partial(port_volume, self.program, self.network)
        return (
            count(None, kind, self.weights),
            count(self.node_of, kind, self.weights),
        )

    @property
    def to_physical(self) -> npt.NDArray[np.int64]:
        """`node_of`, by the name of [hou]."""
        return self.node_of

    @property
    def to_virtual(self) -> npt.NDArray[np.int64]:
        """`rank_at`, by the name of [hou]."""
        return self.rank_at

    @property
    def communications(self) -> tuple[LCC, ...]:
        """The phases that are y = Ax + b."""
        return tuple(phase.lcc for phase in self.program if phase.lcc is not None)

    @property
    def mapped(self) -> tuple[LCC, ...]:
        """The communications as they travel between physical processors [hou, Theorem 2].

        Raises:
            InputError: the placement is no renaming of bits.
        """
        if self.Q is None:
            raise InputError("mapped", "needs a renaming x' = Qx of the nodes", self.over)
        return tuple(c.reordered(self.Q) for c in self.communications)

    @property
    def value_before(self) -> Number:
        """The objective without the placement."""
        return self.before.value

    @property
    def value_after(self) -> Number:
        """The objective with the placement."""
        return self.after.value

    @property
    def moved_ranks(self) -> int | None:
        """How many ranks change their host from the present placement; None without one."""
        if self.now_nodes is None:
            return None
        return moved_ranks(self.network, self.now_nodes, self.node_of)

    @property
    def optimal(self) -> bool:
        """Whether it is proved that nothing of `over` is better, on these volumes."""
        return bool(self.proof)

    @property
    def gap(self) -> Number:
        """How far the objective is above the lower bound."""
        return as_number(Fraction(self.after.value) - Fraction(self.lower_bound))

    @property
    def verdict(self) -> str:
        """One sentence: what is proved, or "best found" and its gap."""
        if self.proof:
            return f"best of all {self.over}: {self.proof}"
        among = "placements" if self.bound else self.over
        least = f"the lower bound {number_text(self.lower_bound)} of all {among}"
        early = f" before the search was {self.stopped}" if self.stopped else ""
        return f"best found{early}, {number_text(self.gap)} above {least}"

    def rankfile(
        self,
        hosts: str | Sequence[str | Host] | None = None,
        slots_per_host: int = 1,
        launcher: Launcher = "openmpi",
    ) -> str:
        """Return the file that makes a launcher start every rank on its node.

        Hosts are matched by name if the nodes of the network have names. Otherwise node p of the
        network is the p-th slot of the host list.

        Args:
            hosts: names or `Host` values, a list in words such as "node[01-08]:4", or the
                path of a file of them; left out, the names that the network's nodes have.
            slots_per_host: for the hosts given as names.
            launcher: whose file.

        Raises:
            InputError: an unknown launcher, a bad host, too few slots, a host that a network with
                names does not have, or that the list lacks.

        >>> from lccmodel import catalog, place
        >>> from lccmodel.placement import optimal_reordering
        >>> c = catalog.matrix_transpose(4)
        >>> m = optimal_reordering(c, "cube:4")
        >>> print(m.rankfile("a:8,b:8"), end="")  # doctest: +ELLIPSIS
        rank 0=a slot=0
        rank 1=a slot=1
        rank 2=a slot=4
        ...
        >>> m.rankfile("a:8,b:8") == place(c, "cube:4").rankfile("a:8,b:8")
        True
        """
        from lccmodel.network.hosts import read_hosts

        listed = read_hosts(hosts) if isinstance(hosts, str) else hosts
        order = rank_file(
            self.network, self.node_of, listed, launcher, slots_per_host, self.now_nodes
        )
        return order.content

    def spmd(self) -> str:
        """Return a Python program for MPI in which every rank sends and receives what is mapped.

        Raises:
            SizeLimitError: too many processors or messages.

        >>> from lccmodel import LCC
        >>> from lccmodel.placement import optimal_reordering
        >>> program = optimal_reordering(LCC([[0, 1], [1, 0]]), "cube:2").spmd()
        >>> "to_physical = [0, 1, 2, 3]" in program
        True
        """
        return node_program(self.program, self.node_of)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Placement):
            return NotImplemented
        return self._said() == other._said() and (
            self.Q == other.Q
            if self.nodes is None or other.nodes is None
            else np.array_equal(self.nodes, other.nodes)
        )

    def __hash__(self) -> int:
        return hash(self._said())

    def _said(self) -> tuple[object, ...]:
        asked = (self.program, self.network, self.objective, self.over, self.weights)
        return (*asked, self.after.value, self.lower_bound, self.proof)

    def __repr__(self) -> str:
        if self.order is not None:
            where = f"order={self.order}"
        elif self.nodes is None:
            where = f"Q={shown(self.Q)}"
        else:
            some = ", ".join(map(str, self.nodes[:8].tolist()))
            where = f"node_of=[{some}{', ...' if len(self.nodes) > 8 else ''}]"
        return (
            f"Placement({where}, {self.objective}: {self.before.value} -> {self.after.value}, "
            f"lower_bound={self.lower_bound}, optimal={self.optimal})"
        )


def is_linear_complement(problem: Problem) -> bool:
    """Whether ranks of submatrices answer: y = Ax + b in every phase, on a cube or Origin."""
    return problem.network.geometry.is_cube_or_origin and all(
        phase.lcc is not None and phase.lcc.n == problem.network.n for phase in problem.program
    )


def usual_over(problem: Problem) -> Over:
    """Among what a program is placed if nothing is stated.

    Orders of the address bits on a cube or Origin where the messages of every phase extend to
    y = Ax + b, whatever the volumes, else placements.
    """
    is_cube = problem.network.geometry.is_cube_or_origin
    return "orders" if is_cube and problem.extends else "placements"


def node_program(program: Program, node_of: NodeOfRank) -> str:
    """The node program of what is sent; with arithmetic in place of lists where there is a form.

    Raises:
        SizeLimitError: too many processors or messages.
    """
    from lccmodel.placement.mapping.spmd import spmd_program, spmd_traffic_program

    lcc = program.phases[0].lcc if len(program) == 1 else None
    if lcc is not None and sorted(node_of) == list(range(lcc.size)):
        return spmd_program(lcc, to_physical=node_of)
    return spmd_traffic_program(program, node_of)
