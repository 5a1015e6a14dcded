"""A processor mapping and how good it is [hou, Definitions 7 and 8].

Virtual processor x of the program runs on physical processor x' = Qx. The program is unchanged;
its messages travel as the communication (QAQ⁻¹, Qb).
"""

from __future__ import annotations

from dataclasses import dataclass

from lccmodel.communication.lcc import LCC, NodeArray
from lccmodel.communication.volumes import Number
from lccmodel.errors import shown
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.methods.contention import Contention, ContentionSet
from lccmodel.methods.mapping.launched import Launched
from lccmodel.methods.mapping.weights import SetObjective, objective_value
from lccmodel.network import Network
from lccmodel.views import Viewed

__all__ = ["Mapping"]


@dataclass(frozen=True, slots=True, repr=False)
class Mapping(Launched, Viewed, view="mapping"):
    """A nonsingular Q, what it does to the contention, and what proves it optimal.

    Attributes:
        communications: the members, as given.
        network: where they run.
        objective: what was minimised.
        weights: one positive number a member.
        Q: the mapping x' = Qx.
        before: contention without the mapping: a `Contention` if one communication was given,
            a `ContentionSet` if several were.
        after: contention with the mapping, likewise.
        lower_bound: no mapping of this kind has a smaller value of the objective.
        proof: what shows that no mapping of this kind is better; empty if nothing does.

    >>> from lccmodel import Hypercube, catalog
    >>> from lccmodel.methods import optimal_reordering
    >>> found = optimal_reordering(catalog.matrix_transpose(4), Hypercube(4))
    >>> found.order, found.before.degree, found.after.degree, found.proof
    ((0, 2, 1, 3), 2, 1, 'meets the lower bound 1')
    """

    communications: tuple[LCC, ...]
    network: Network
    objective: SetObjective
    weights: tuple[Number, ...]
    Q: GF2Matrix
    before: Contention | ContentionSet
    after: Contention | ContentionSet
    lower_bound: Number
    proof: str

    @property
    def optimal(self) -> bool:
        """Whether the mapping is proved to be optimal."""
        return bool(self.proof)

    @property
    def order(self) -> tuple[int, ...] | None:
        """order[k] is the old bit that becomes bit k; None if Q is not a reordering."""
        return self.Q.as_order()

    @property
    def mapped(self) -> tuple[LCC, ...]:
        """The communications as they travel between physical processors [hou, Theorem 2]."""
        return tuple(c.reordered(self.Q) for c in self.communications)

    @property
    def value_before(self) -> Number:
        """The objective without the mapping."""
        return self._value(self.before)

    @property
    def value_after(self) -> Number:
        """The objective with the mapping."""
        return self._value(self.after)

    def _value(self, state: Contention | ContentionSet) -> Number:
        members = (state,) if isinstance(state, Contention) else state.members
        loads = [member.per_dimension for member in members]
        return objective_value(loads, self.weights, self.objective)

    @property
    def to_physical(self) -> NodeArray:
        """to_physical[x] is the physical processor of virtual processor x; int64, (2^n,).

        Raises:
            SizeLimitError: n > 28.
        """
        return LCC(self.Q).images()

    @property
    def to_virtual(self) -> NodeArray:
        """to_virtual[x'] is the virtual processor on physical processor x'; int64, (2^n,).

        Raises:
            SizeLimitError: n > 28.
        """
        return LCC(self.Q.inverse()).images()

    @property
    def _launched(self) -> tuple[list[LCC], NodeArray]:
        return list(self.communications), self.to_physical

    def __repr__(self) -> str:
        mapping = f"order={self.order}" if self.order is not None else f"Q={shown(self.Q)}"
        return (
            f"Mapping({mapping}, {self.objective}: {self.value_before} -> {self.value_after}, "
            f"lower_bound={self.lower_bound}, optimal={self.optimal})"
        )
