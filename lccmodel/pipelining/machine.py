"""A machine: 2^d nodes on a mesh or torus of c axes, and what its messages cost.

Sending L items takes α + L τ when no message is in the way [calmant (1)], and b is the cost of a
barrier after every iteration. α, τ and b are in one unit of time, which the caller chooses; τ is
per item. They are kept as exact fractions, so that comparing two degrees is never a matter of
rounding.
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
from lccmodel.pipelining.cost.sums import Regime, regime_of
from lccmodel.pipelining.loads import Ports, Topology, checked_mesh

__all__ = ["Machine", "exact"]

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
class Machine:
    """A mesh or torus of 2^(d/c) nodes along each of c axes.

    Args:
        d: dimensions of the CC-cube; the machine has 2^d nodes; a multiple of c.
        c: axes; 1 is a line or ring.
        alpha: start-up time of a message, at least 0.
        tau: time per item, at least 0; alpha and tau are not both 0.
        barrier: time of the barrier after an iteration, at least 0.
        topology: "mesh" or "torus".
        ports: "one": a node sends one message and receives one at a time; "all": one on each link.

    Times are int, Fraction, Decimal, a string such as "0.5" or "1/3", or float (read as it is
    written), all in one unit.

    Raises:
        InputError: a value out of range or of another type.

    >>> Machine(d=8, c=2, alpha=500, tau=0.5)
    Machine(d=8, c=2, alpha=Fraction(500, 1), tau=Fraction(1, 2), barrier=Fraction(0, 1), \
topology='mesh', ports='one')
    """

    d: int
    c: int
    alpha: Fraction
    tau: Fraction
    barrier: Fraction = Fraction(0)
    topology: Topology = "mesh"
    ports: Ports = "one"

    def __init__(
        self,
        d: int,
        c: int,
        alpha: Any,
        tau: Any,
        barrier: Any = 0,
        topology: Topology = "mesh",
        ports: Ports = "one",
    ) -> None:
        d, c = checked_mesh(d, c)
        if topology not in ("mesh", "torus"):
            raise InputError("topology", 'must be "mesh" or "torus"', topology)
        if ports not in ("one", "all"):
            raise InputError("ports", 'must be "one" or "all"', ports)
        times = {"alpha": exact("alpha", alpha), "tau": exact("tau", tau)}
        if not any(times.values()):
            raise InputError("alpha, tau", "cannot both be 0: no message would cost", (alpha, tau))
        fields = {"d": d, "c": c, **times, "barrier": exact("barrier", barrier)}
        for name, value in {**fields, "topology": topology, "ports": ports}.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_mesh(
        cls,
        mesh: str,
        alpha: Any,
        tau: Any,
        barrier: Any = 0,
        topology: Topology = "mesh",
        ports: Ports = "one",
    ) -> Machine:
        """A machine by its shape, such as "16x16", "32" or "8x8x8".

        Raises:
            InputError: no shape, sides that differ, or sides that are no power of two.

        >>> machine = Machine.from_mesh("32x32", alpha=500, tau=1)
        >>> machine.d, machine.c, machine.shape
        (10, 2, (32, 32))
        """
        try:
            sides = [int(side) for side in mesh.lower().replace("×", "x").split("x")]
        except (AttributeError, ValueError):
            rule = 'must be side lengths joined by x, such as "16x16"'
            raise InputError("mesh", rule, mesh) from None
        side = sides[0]
        if side < 2 or side & (side - 1) or any(other != side for other in sides):
            rule = "must have equal sides, a power of two of at least 2 nodes"
            raise InputError("mesh", rule, mesh)
        c = len(sides)
        return cls((side.bit_length() - 1) * c, c, alpha, tau, barrier, topology, ports)

    @property
    def shape(self) -> tuple[int, ...]:
        """The side lengths."""
        return (1 << self.d // self.c,) * self.c

    @property
    def nodes(self) -> int:
        """2^d."""
        return 1 << self.d

    @property
    def in_ticks(self) -> tuple[int, int, int, int]:
        """(α, τ, b, D) as integers: the times are α/D, τ/D and b/D.

        >>> Machine(4, 2, "1/2", "1/3", 2).in_ticks
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
