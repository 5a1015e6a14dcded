"""A mapping problem: the members, the network, the objective - checked once, for all solvers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Program
from lccmodel.communication.volumes import Number
from lccmodel.errors import CommunicationError, InputError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.lattice.ranks import Ranks
from lccmodel.methods.contention import (
    Contention,
    ContentionSet,
    contention,
    internal_bits,
    require_fit,
)
from lccmodel.methods.mapping.result import Mapping
from lccmodel.methods.mapping.weights import (
    SET_OBJECTIVES,
    SetObjective,
    exact_weights,
    objective_value,
    plain_weights,
)
from lccmodel.network import Network
from lccmodel.problem import Problem

__all__ = ["RankProblem"]


@dataclass(frozen=True)
class RankProblem:
    """Communications to be mapped onto a hypercube or bristled hypercube."""

    members: tuple[LCC, ...]
    network: Network
    objective: SetObjective
    weights: tuple[Number, ...]
    single: bool

    @classmethod
    def of(
        cls,
        communications: Any,
        network: Network | str | None,
        objective: SetObjective,
        weights: Sequence[Number] | None,
    ) -> RankProblem:
        """Check the arguments of `optimal_reordering`; raises what that function documents."""
        problem = Problem.read(communications, network)
        network = problem.network
        members = tuple(phase.lcc for phase in problem.program if phase.lcc is not None)
        if len(members) < len(problem.program):
            rule = "must be one LCC or several"
            raise CommunicationError("communications", rule, communications)
        for member in members:
            require_fit(member, network)
        internal_bits(network)
        if not isinstance(objective, str) or objective not in SET_OBJECTIVES:
            raise InputError("objective", f"must be one of {', '.join(SET_OBJECTIVES)}", objective)
        chosen = (1,) * len(members) if weights is None else plain_weights(weights)
        exact_weights(chosen, len(members))
        return cls(members, network, objective, chosen, problem.single)

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.members[0].n

    @property
    def lone(self) -> bool:
        """Whether there is one member, be it given by itself (`single`) or in a list."""
        return len(self.members) == 1

    @property
    def bristled(self) -> bool:
        """Whether bit 0 lies inside a router."""
        return bool(internal_bits(self.network))

    def contention(self, Q: GF2Matrix) -> tuple[Contention, ...]:
        """The members' contention after the nodes are renamed x' = Qx."""
        return tuple(contention(member.reordered(Q), self.network) for member in self.members)

    def value(self, Q: GF2Matrix) -> Number:
        """The objective after the nodes are renamed x' = Qx."""
        return objective_value(self.loads(Q), self.weights, self.objective)

    def loads(self, Q: GF2Matrix) -> list[tuple[int, ...]]:
        """The members' loads T_i after the nodes are renamed x' = Qx.

        A reordering takes another path through the lattice of the members as they are.
        """
        order = Q.as_order()
        if order is None:
            return [member.per_dimension for member in self.contention(Q)]
        inside = int(self.bristled)
        return [
            (0,) * inside + Ranks(member, order[:inside]).loads(order[inside:])
            for member in self.members
        ]

    def _all(self, members: tuple[Contention, ...]) -> Contention | ContentionSet:
        if self.single:
            return members[0]
        together = Program([member.problem.program[0] for member in members])
        return ContentionSet(members, Problem(together, self.network))

    def mapping(self, Q: GF2Matrix, bound: Number, proof: str) -> Mapping:
        """The answer Q with its contention before and after."""
        before = self.contention(GF2Matrix.identity(self.n))
        after = self.contention(Q)
        return Mapping(
            communications=self.members,
            network=self.network,
            objective=self.objective,
            weights=self.weights,
            Q=Q,
            before=self._all(before),
            after=self._all(after),
            lower_bound=bound,
            proof=proof,
        )
