"""A mapping problem: the members, the network, the objective - checked once, for all solvers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from lccmodel._numbers import as_number
from lccmodel.communication.lcc import LCC
from lccmodel.communication.volumes import Number
from lccmodel.errors import CommunicationError, InputError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.lattice.ranks import Ranks
from lccmodel.lattice.weights import (
    SET_OBJECTIVES,
    SetObjective,
    exact_weights,
    objective_value,
    plain_weights,
)
from lccmodel.methods.contention import (
    Contention,
    contention,
    internal_bits,
    require_fit,
)
from lccmodel.methods.placed import Over, Placement, Use
from lccmodel.network import Network
from lccmodel.problem import Problem


@dataclass(frozen=True)
class RankProblem:
    """Communications to be mapped onto a hypercube or bristled hypercube."""

    problem: Problem
    members: tuple[LCC, ...]
    objective: SetObjective
    weights: tuple[Number, ...]

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
        own = problem.weights if len(members) > 1 else (1,)
        chosen = own if weights is None else plain_weights(weights)
        exact_weights(chosen, len(members))
        return cls(problem, members, objective, chosen)

    @property
    def network(self) -> Network:
        """Where the members run."""
        return self.problem.network

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
            return [_whole(member.per_dimension) for member in self.contention(Q)]
        inside = int(self.bristled)
        return [
            (0,) * inside + Ranks(member, order[:inside]).loads(order[inside:])
            for member in self.members
        ]

    def _use(self, Q: GF2Matrix) -> Use:
        """What the channels carry after the nodes are renamed x' = Qx."""
        members = self.contention(Q)
        scale, exact = exact_weights(self.weights, len(members))

        def total(of_members: Iterable[int]) -> Number:
            return as_number(
                Fraction(sum(w * one for w, one in zip(exact, of_members, strict=True)), scale)
            )

        loads = [_whole(c.per_dimension) for c in members]
        value = objective_value(loads, self.weights, self.objective)
        phases = total(max(one, default=0) for one in loads)
        distance = total(one.distance for one in members)
        return Use(members, self.problem, value, phases if self.lone else None, phases, distance)

    def placement(
        self, Q: GF2Matrix, bound: Number, proof: str, over: Over = "orders"
    ) -> Placement:
        """The answer Q with its contention before and after."""
        return Placement(
            problem=self.problem,
            objective=self.objective,
            over=over,
            weights=self.weights,
            before=self._use(GF2Matrix.identity(self.n)),
            after=self._use(Q),
            lower_bound=bound,
            proof=proof,
            order=Q.as_order(),
            Q=Q,
        )


def _whole(loads: Sequence[Number]) -> tuple[int, ...]:
    """Numbers of messages, which are whole."""
    return tuple(map(int, loads))
