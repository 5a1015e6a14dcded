"""A machine: nodes on a mesh or torus, and what its messages cost.

Sending L items takes α + L τ when no message is in the way [calmant (1)], or what was measured
(`message_cost`), and b is the cost of a barrier after every iteration. All times are in one unit,
which the caller chooses; τ is per item.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Viewed
from lccmodel.network import Mesh
from lccmodel.pipelining.cost.steps import Regime, regime_of
from lccmodel.pipelining.embedding import OnMesh, as_mesh
from lccmodel.pipelining.loads import PortName, check_choice
from lccmodel.pipelining.message_cost import Cost, Linear, Piecewise, exact


@typed_arguments
@dataclass(frozen=True, repr=False)
class Machine(OnMesh, Viewed, view="machine"):
    """A mesh or torus, the cost of its messages, and how many a node sends at a time.

    Args:
        mesh: a `Mesh` or `Torus`, or a word such as "mesh:8x16" or "32x32".
        alpha: start-up time of a message, at least 0.
        tau: time per item, at least 0; alpha and tau are not both 0.
        cost: in place of alpha and tau, what a message of so many items costs: `Linear` or
            `Piecewise`.
        barrier: time of the barrier after an iteration, at least 0.
        ports: "one": a node sends one message and receives one at a time; "all": one on each link.

    Times are int, Fraction, Decimal, a string such as "0.5" or "1/3", or float (read as it is
    written), all in one unit.

    Raises:
        InputError: a value out of range or of another type.

    >>> machine = Machine("32x32", alpha=500, tau=0.5)
    >>> machine, machine.d, machine.mesh
    (Machine('mesh:32x32', alpha=500, tau=1/2), 10, Mesh((32, 32)))
    >>> Machine("4x4", cost=Piecewise.loggp(L=5, o=2, g=12, G=1))
    Machine('mesh:4x4', cost=Piecewise([(4, 12, 0), (None, 8, 1)]))
    """

    mesh: Mesh
    cost: Cost
    barrier: Fraction = Fraction(0)
    ports: PortName = "one"

    def __init__(
        self,
        mesh: Mesh | str,
        alpha: Any = None,
        tau: Any = None,
        barrier: Any = 0,
        ports: PortName = "one",
        *,
        cost: Cost | None = None,
    ) -> None:
        mesh = as_mesh(mesh)
        check_choice("ports", ports)
        fields = {
            "mesh": mesh,
            "cost": _cost(alpha, tau, cost),
            "barrier": exact("barrier", barrier),
        }
        for name, value in {**fields, "ports": ports}.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        linear = isinstance(self.cost, Linear)
        times = f"alpha={self.alpha}, tau={self.tau}" if linear else f"cost={self.cost!r}"
        barrier = f", barrier={self.barrier}" if self.barrier else ""
        ports = f", ports={self.ports!r}" if self.ports != "one" else ""
        return f"Machine({self.mesh.spec!r}, {times}{barrier}{ports})"

    @property
    def solvers(self) -> Mapping[Any, Any]:
        """What finds best degrees, by model and packets, kept from call to call: see `degree`."""
        return MappingProxyType(self._solvers)

    @cached_property
    def _solvers(self) -> dict[Any, Any]:
        return {}

    @property
    def line(self) -> Linear:
        """The cost α + L τ.

        Raises:
            InputError: the cost has several pieces.
        """
        if not isinstance(self.cost, Linear):
            rule = "must be α + L τ here: a cost of several pieces has no one α and no one τ"
            raise InputError("machine.cost", rule, self.cost)
        return self.cost

    @property
    def alpha(self) -> Fraction:
        """Start-up time of a message, of a cost α + L τ."""
        return self.line.alpha

    @property
    def tau(self) -> Fraction:
        """Time per item, of a cost α + L τ."""
        return self.line.tau

    @property
    def shape(self) -> tuple[int, ...]:
        """The side lengths."""
        return self.mesh.shape

    @property
    def nodes(self) -> int:
        """2^d."""
        return self.mesh.size

    @cached_property
    def in_ticks(self) -> tuple[int, int, int, int]:
        """(α, τ, b, D) as integers: the times are α/D, τ/D and b/D.

        >>> Machine("4x4", "1/2", "1/3", 2).in_ticks
        (3, 2, 12, 6)
        """
        alpha, tau, barrier = self.alpha, self.tau, self.barrier
        unit = math.lcm(alpha.denominator, tau.denominator, barrier.denominator)
        return int(alpha * unit), int(tau * unit), int(barrier * unit), unit

    def regime(self, Q: int) -> Regime:
        """Return "shallow" for Q < d, else "deep"."""
        return regime_of(self.d, Q)


def _cost(alpha: Any, tau: Any, cost: Any) -> Cost:
    """The cost that is stated one way or the other; one straight piece is a `Linear` cost."""
    if cost is None:
        for name, value in (("alpha", alpha), ("tau", tau)):
            if value is None:
                raise InputError(name, "is required, unless a cost is given", value)
        return Linear(alpha, tau)
    if alpha is not None or tau is not None:
        raise InputError("cost", "cannot be combined with alpha and tau", cost)
    if not isinstance(cost, (Linear, Piecewise)):
        raise InputError("cost", "must be a Linear or a Piecewise cost", cost)
    if len(cost.pieces) == 1:
        return Linear(cost.pieces[0].alpha, cost.pieces[0].tau)
    return cost
