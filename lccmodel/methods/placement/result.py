"""A placement of ranks on a network: what it costs, what bounds it, and what proves it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from lccmodel.communication.program import Program
from lccmodel.communication.volumes import Number, as_number, number_text
from lccmodel.methods.mapping.launched import Launched
from lccmodel.network import Network
from lccmodel.problem import Problem
from lccmodel.views import Viewed

if TYPE_CHECKING:
    from lccmodel.lattice.programme import Objective

__all__ = ["Over", "Placement", "Use"]

Over = Literal["orders", "linear", "placements"]


@dataclass(frozen=True, slots=True)
class Use:
    """What a placement makes the channels carry; volumes, exact.

    Attributes:
        value: the objective.
        per_dimension: for every phase, the volume on the busiest channel of each dimension
            (axis, level), T_i, not weighted.
        joint: the busiest channel when all phases run at once, each as often as its weight says.
        phases: the sum over the phases of weight times busiest channel: phases one by one.
        distance: the sum of weight times volume times channels on the route.

    >>> from lccmodel import Mesh, Traffic, place
    >>> place(Traffic([[0, 3], [1, 3]]), Mesh((4,)), over="placements").before
    Use(value=2, per_dimension=((2,),), joint=2, phases=2, distance=5)
    """

    value: Number
    per_dimension: tuple[tuple[Number, ...], ...]
    joint: Number
    phases: Number
    distance: Number

    @property
    def degree(self) -> Number:
        """The busiest channel of any one phase, not weighted."""
        return max((load for loads in self.per_dimension for load in loads), default=0)


@dataclass(frozen=True, repr=False, eq=False)
class Placement(Launched, Viewed, view="placement"):
    """Where every rank of a program runs, and how good that is.

    Attributes:
        problem: what was asked: the program, the network, where they were read.
        objective: what was minimised: "max-max", "max-sum", "sum-sum" or "joint".
        over: among what the answer was sought: "orders", "linear" or "placements".
        node_of: the node of every rank; int64 of shape (ranks,), read-only, all different.
        before: the use of the channels by rank r on node r.
        after: the use with the placement.
        lower_bound: no placement whatever has a smaller value of the objective.
        bound: the argument that gives the lower bound.
        proof: what shows that nothing of `over` is better on these volumes, and whether the lower
            bound for every placement is met; empty if nothing does.
        order: order[k] is the bit of the rank that becomes bit k of the node, if the answer is an
            order of bits; else None.
        found: how the placement was found.
        stopped: "interrupted" (Ctrl-C), or "cut by the clock" where the stated time was not enough
            for the plan that it stands for; such an answer need not come again. Else empty.
        notes: what a reader has to know of the numbers, such as what was rounded.

    >>> from lccmodel import Mesh, Traffic, place
    >>> found = place(Traffic([[0, 3], [1, 3]]), Mesh((4,)), over="placements")
    >>> found.before.value, found.after.value, found.optimal
    (2, 1, True)
    """

    problem: Problem
    objective: Objective
    over: Over
    node_of: npt.NDArray[np.int64]
    before: Use
    after: Use
    lower_bound: Number
    bound: str
    proof: str
    order: tuple[int, ...] | None
    found: str
    stopped: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.node_of.flags.writeable = False

    @property
    def program(self) -> Program:
        """What is sent."""
        return self.problem.program

    @property
    def network(self) -> Network:
        """Where."""
        return self.problem.network

    @property
    def optimal(self) -> bool:
        """Whether it is proved that nothing of `over` is better, on these volumes."""
        return bool(self.proof)

    @property
    def gap(self) -> Number:
        """How far the objective is above the lower bound for every placement."""
        return as_number(Fraction(self.after.value) - Fraction(self.lower_bound))

    @property
    def verdict(self) -> str:
        """One sentence: what is proved, or "best found" and its gap."""
        if self.proof:
            return f"best of all {self.over}: {self.proof}"
        least = f"the lower bound {number_text(self.lower_bound)} of all placements"
        early = f" before the search was {self.stopped}" if self.stopped else ""
        return f"best found{early}, {number_text(self.gap)} above {least}"

    @property
    def rank_at(self) -> npt.NDArray[np.int64]:
        """The rank on every node, -1 on idle ones; int64 of shape (nodes,)."""
        ranks = np.full(self.network.size, -1, np.int64)
        ranks[self.node_of] = np.arange(len(self.node_of))
        return ranks

    @property
    def _launched(self) -> tuple[Program, npt.NDArray[np.int64]]:
        return self.program, self.node_of

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Placement):
            return NotImplemented
        mine = (self.program, self.network, self.objective, self.over, self.after, self.proof)
        theirs = (other.program, other.network, other.objective, other.over, other.after)
        return mine == (*theirs, other.proof) and np.array_equal(self.node_of, other.node_of)

    def __hash__(self) -> int:
        return hash((self.program, self.network, self.objective, self.over, self.after.value))

    def __repr__(self) -> str:
        where = f"order={self.order}" if self.order is not None else _shortened(self.node_of)
        return (
            f"<Placement of {len(self.node_of)} ranks on {self.network.spec}: {where}, "
            f"{self.objective} {self.before.value} -> {self.after.value}, "
            f"lower_bound={self.lower_bound}, optimal={self.optimal}>"
        )


def _shortened(node_of: npt.NDArray[np.int64]) -> str:
    shown = ", ".join(map(str, node_of[:8].tolist()))
    return f"node_of=[{shown}{', ...' if len(node_of) > 8 else ''}]"
