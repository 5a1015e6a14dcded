"""A machine: nodes on a mesh or torus, and what its messages cost.

Sending L items takes α + L τ when no message is in the way [calmant (1)], and b is the cost of a
barrier after every iteration. α, τ and b are in one unit of time, which the caller chooses; τ is
per item. They are kept as exact fractions, so that comparing two degrees is never a matter of
rounding. The cost of a message is a value with `.time(items)`; `Linear` is that of the paper.
"""

from __future__ import annotations

import math
import numbers
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

from lccmodel.errors import InputError
from lccmodel.network import Mesh
from lccmodel.pipelining.cost.sums import Regime, regime_of
from lccmodel.pipelining.embedding import as_mesh
from lccmodel.pipelining.loads import Ports, check_choice
from lccmodel.views import Viewed

__all__ = ["Linear", "Machine", "exact"]

_LONG_EXPONENT = re.compile(r"e[+-]?[0_]*[1-9](_?\d){3,}\s*$", re.IGNORECASE)


def exact(argument: str, value: Any) -> Fraction:
    """A number of at least 0 as a fraction; a float or a string is read as it is written.

    So 0.1 is one tenth, not the binary number nearest to it; use `Fraction(0.1)` for that one.

    Raises:
        InputError: no number, NaN, infinite, negative, or an exponent of 1000 or more.

    >>> exact("tau", 0.1), exact("tau", "1/3"), exact("tau", 7)
    (Fraction(1, 10), Fraction(1, 3), Fraction(7, 1))
    """
    if isinstance(value, bool):
        raise InputError(argument, "must be a number", value)
    if isinstance(value, (str, Decimal)) and _LONG_EXPONENT.search(str(value)):
        raise InputError(argument, "must have a decimal exponent of three digits at most", value)
    try:
        number = _fraction(value)
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        raise InputError(argument, "must be a finite number", value) from None
    if number < 0:
        raise InputError(argument, "must not be negative", value)
    return number


def _fraction(value: Any) -> Fraction:
    if isinstance(value, (int, str, Decimal, numbers.Rational)):
        return Fraction(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise ValueError
        return Fraction(str(value))
    raise TypeError


@dataclass(frozen=True)
class Linear:
    """The cost of a message of L items: α + L τ [calmant (1)].

    Args:
        alpha: start-up time of a message, at least 0.
        tau: time per item, at least 0; alpha and tau are not both 0.

    Raises:
        InputError: a time out of range or of another type.

    >>> Linear(500, "1/2").time(8)
    Fraction(504, 1)
    """

    alpha: Fraction
    tau: Fraction

    def __init__(self, alpha: Any, tau: Any) -> None:
        times = {"alpha": exact("alpha", alpha), "tau": exact("tau", tau)}
        if not any(times.values()):
            raise InputError("alpha, tau", "cannot both be 0: no message would cost", (alpha, tau))
        for name, value in times.items():
            object.__setattr__(self, name, value)

    def time(self, items: Fraction | int) -> Fraction:
        """The time of a message."""
        return self.alpha + items * self.tau


@dataclass(frozen=True, repr=False)
class Machine(Viewed, view="machine"):
    """A mesh or torus, the cost of its messages, and how many a node sends at a time.

    Args:
        mesh: a `Mesh` or `Torus`, or a word such as "mesh:8x16" or "32x32".
        alpha: start-up time of a message, at least 0.
        tau: time per item, at least 0; alpha and tau are not both 0.
        barrier: time of the barrier after an iteration, at least 0.
        ports: "one": a node sends one message and receives one at a time; "all": one on each link.

    Times are int, Fraction, Decimal, a string such as "0.5" or "1/3", or float (read as it is
    written), all in one unit.

    Raises:
        InputError: a value out of range or of another type.

    >>> machine = Machine("32x32", alpha=500, tau=0.5)
    >>> machine, machine.d, machine.mesh
    (Machine('mesh:32x32', alpha=500, tau=1/2), 10, Mesh((32, 32)))
    """

    mesh: Mesh
    cost: Linear
    barrier: Fraction = Fraction(0)
    ports: Ports = "one"

    def __init__(
        self, mesh: Mesh | str, alpha: Any, tau: Any, barrier: Any = 0, ports: Ports = "one"
    ) -> None:
        mesh = as_mesh(mesh)
        check_choice("ports", ports)
        fields = {"mesh": mesh, "cost": Linear(alpha, tau), "barrier": exact("barrier", barrier)}
        for name, value in {**fields, "ports": ports}.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_mesh(
        cls, mesh: Mesh | str, alpha: Any, tau: Any, barrier: Any = 0, ports: Ports = "one"
    ) -> Machine:
        """The same by a name that says what comes first.

        >>> Machine.from_mesh(Mesh((32, 32)), 500, 1) == Machine("mesh:32x32", 500, 1)
        True
        """
        return cls(mesh, alpha, tau, barrier, ports)

    def __repr__(self) -> str:
        times = f"alpha={self.alpha}, tau={self.tau}"
        barrier = f", barrier={self.barrier}" if self.barrier else ""
        ports = f", ports={self.ports!r}" if self.ports != "one" else ""
        return f"Machine({self.mesh.spec!r}, {times}{barrier}{ports})"

    @property
    def alpha(self) -> Fraction:
        """Start-up time of a message."""
        return self.cost.alpha

    @property
    def tau(self) -> Fraction:
        """Time per item."""
        return self.cost.tau

    @property
    def d(self) -> int:
        """Dimensions of the hypercube of processes."""
        return self.mesh.n

    @property
    def c(self) -> int:
        """Axes."""
        return len(self.mesh.shape)

    @property
    def on_torus(self) -> bool:
        """Whether an axis is a ring."""
        return any(self.mesh.is_ring(axis) for axis in range(self.c))

    @property
    def shape(self) -> tuple[int, ...]:
        """The side lengths."""
        return self.mesh.shape

    @property
    def nodes(self) -> int:
        """2^d."""
        return self.mesh.size

    @property
    def in_ticks(self) -> tuple[int, int, int, int]:
        """(α, τ, b, D) as integers: the times are α/D, τ/D and b/D.

        >>> Machine("4x4", "1/2", "1/3", 2).in_ticks
        (3, 2, 12, 6)
        """
        known = self.__dict__.get("_ticks")
        if known is None:
            times = (self.alpha, self.tau, self.barrier)
            unit = math.lcm(*(time.denominator for time in times))
            known = (*(int(time * unit) for time in times), unit)
            self.__dict__["_ticks"] = known
        return cast("tuple[int, int, int, int]", known)

    def regime(self, Q: int) -> Regime:
        """ "shallow" for Q < d, else "deep"."""
        return regime_of(self.d, Q)
