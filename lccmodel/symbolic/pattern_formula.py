"""Contention of the traffic patterns uniform, neighbor and tornado for every n.

A network has N = 2^n nodes, an axis k = 2^a of them. While an axis is corrected, the coordinates
of the receiver below it and of the sender above it are the same along its line.

    P1    uniform: a line carries every pair of coordinates N/k times. The middle of a mesh is
          between k^2/4 pairs; on a ring 1 + 2 + ... + k/2 pass a channel +, as ties go +
    P2    neighbor and tornado, s = 1 and k/2 - 1 steps on: a line carries one message of every
          coordinate, and s of them pass a channel, + or, on a mesh where they turn back, -
    P3    an origin has no axes: its N nodes are one ring, and bit 0 is inside the routers. Uniform
          has twice the loads of a cube. Bit i changes if all bits below are 1 (neighbor) or 0
          (tornado, i < n - 1). The top bit changes in tornado unless all bits below are 0, and
          messages that differ in bit 0 of y share a channel

A hypercube has n axes of two nodes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lccmodel.errors import CommunicationError, InputError, SizeLimitError, checked_integer
from lccmodel.symbolic.affine import Affine
from lccmodel.symbolic.cases import expression_of
from lccmodel.symbolic.contention_formula import Checked, network_kind, relations_of
from lccmodel.symbolic.counting import walked_cube, walked_mesh
from lccmodel.symbolic.families import Family
from lccmodel.symbolic.mesh import axis_widths
from lccmodel.symbolic.pieces import domain_text

if TYPE_CHECKING:
    from lccmodel.communication.traffic import Traffic
    from lccmodel.placement.contention import Contention

_MOST_BITS = 10
"""Address bits up to which all messages are walked: uniform has 2^20 pairs."""


@dataclass(frozen=True)
class PatternFormula:
    """The contention of a traffic pattern on a network of 2^n nodes.

    Attributes:
        network: "cube", "origin", "mesh" or "torus".
        widths: the bits of the axes of a mesh or torus; () on a cube or origin.
        loads: the largest load of a channel of each axis; on a cube or origin T_i alone, in i.
        degree: the contention degree.
        total: the sum of the loads of all dimensions or axes.
        distance: messages times links.
        rules: the rules that prove the formulas.
        derived: True.

    >>> from lccmodel.symbolic import contention
    >>> T = contention("uniform", "torus:2^a x 2^b")
    >>> T.loads[0], T.loads_at(n=6, a=3), T.rules
    (2**(n - 3)*(2**a + 2), (80, 80), ('P1',))
    """

    _bits: Family
    network: str
    widths: tuple[Affine, ...]
    loads: tuple[Any, ...]
    degree: Any
    total: Any
    distance: Any
    rules: tuple[str, ...]
    derived: bool = True

    @property
    def name(self) -> str:
        """The word of the pattern."""
        return self._bits.name

    @property
    def shape(self) -> str:
        """The network with its sizes left open."""
        return f"{self.network}:" + (" x ".join(f"2^({w})" for w in self.widths) or "n")

    @property
    def where(self) -> Any:
        """The parameters for which it holds, as a sympy condition."""
        return relations_of(self._bits.where)

    @property
    def domain(self) -> str:
        """The parameters for which it holds, as a text."""
        return domain_text(self._bits.where)

    def loads_at(self, **values: int) -> tuple[int, ...]:
        """Return the load of each dimension or axis for values of the parameters.

        Raises:
            InputError: unknown or missing names, or values outside the domain.
        """
        numbers = self._bits.checked_values(values)
        if self.widths:
            return tuple(_value(load, numbers) for load in self.loads)
        (load,) = self.loads
        return tuple(_value(load, {**numbers, "i": i}) for i in range(numbers["n"]))

    def at(self, **values: int) -> Contention:
        """Return the contention for values of the parameters, as `lccmodel.contention` returns it.

        Raises:
            InputError: as for `loads_at`.
            SizeLimitError: more than 2^24 nodes; 2^13 of uniform, whose pairs a `Contention` lists.

        >>> from lccmodel.symbolic import contention
        >>> contention("tornado", "origin:n").at(n=4).per_dimension
        (0, 1, 1, 2)
        """
        from lccmodel.communication.patterns import MAX_NODES
        from lccmodel.placement.contention import Contention
        from lccmodel.problem import Problem

        numbers = self._bits.checked_values(values)
        if self.name == "uniform" and 1 << numbers["n"] > MAX_NODES:
            rule = "all pairs of at most 13 bits are listed; loads_at and degree give those of more"
            raise SizeLimitError("n", rule, numbers["n"])
        sides = "x".join(str(1 << width.value(numbers)) for width in self.widths)
        problem = Problem.read(self.name, f"{self.network}:{sides or numbers['n']}")
        distance = _value(self.distance, numbers)
        return Contention(self.loads_at(**numbers), "formula", problem, "ascending", distance)

    def checked(self, n: int = 8) -> Checked:
        """Walk every message for at most n address bits and all sides, and compare the loads.

        Raises:
            InputError: n is not an integer in 1..10.

        >>> from lccmodel.symbolic import contention
        >>> contention("neighbor", "mesh:2^a x 2^b").checked(5)
        Checked(members=10, walked=10, by_ranks=0, differing=())
        """
        limit = checked_integer("n", n, least=1)
        if limit > _MOST_BITS:
            raise InputError("n", f"must be at most {_MOST_BITS}", n)
        members = list(self._bits.members(limit))
        differing = []
        for values in members:
            traffic = self._traffic(values)
            if self.widths:
                widths = tuple(width.value(values) for width in self.widths)
                counts = walked_mesh(traffic, widths, self.network == "torus")
            else:
                counts = walked_cube(traffic, self.network == "origin")
            if counts != self.loads_at(**values):
                differing.append(values)
        return Checked(len(members), len(members), 0, tuple(differing))

    def _traffic(self, numbers: dict[str, int]) -> Traffic:
        from lccmodel.communication.patterns import pattern_traffic

        n = numbers["n"]
        ring = (2,) * n if self.network == "cube" else (1 << n,)
        sides = tuple(1 << width.value(numbers) for width in self.widths)
        return pattern_traffic(self.name, sides or ring)

    @property
    def latex(self) -> str:
        """The loads as LaTeX."""
        import sympy

        return ", ".join(sympy.latex(load) for load in self.loads)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle T_i = {self.latex}$"

    def __repr__(self) -> str:
        return f"<contention of {self.name} on {self.shape}: {self.loads}>"


def _value(expression: Any, numbers: dict[str, int]) -> int:
    import sympy

    return int(expression.subs({sympy.Symbol(name): number for name, number in numbers.items()}))


def pattern_contention(word: str, network: str) -> PatternFormula:
    """The formulas of a traffic pattern; see the module.

    Raises:
        CommunicationError: a pattern without a formula, or with parameters that it does not take.
        NetworkError: another network than families have.
    """
    import sympy

    name, _, parameters = word.strip().lower().partition(":")
    if name in ("hotspot", "randperm"):
        part = "node" if name == "hotspot" else "permutation"
        rule = f"has no family in n: its {part} belongs to one network; contention counts it"
        raise CommunicationError(name, rule, word)
    if parameters:
        raise CommunicationError("communication", f"{name} has no parameters", word)
    # only the name, n and the ranges of parameters are read: the bit order is not that of a pattern
    bits = Family.of("k", n="n", where="n >= 1", name=name)
    rules = ("P1",) if name == "uniform" else ("P2",)
    n = sympy.Symbol("n")
    if network.startswith(("mesh", "torus")):
        kind, widths = axis_widths(network, bits)
        bits = replace(bits, where=(*bits.where, *(width - 1 for width in widths)))
        parts = [_axis(name, kind, n, expression_of(width)) for width in widths]
        loads = tuple(load for load, _ in parts)
        distance = sympy.Add(*(links for _, links in parts))
        whole = (sympy.Max(*loads), sympy.Add(*loads), distance)
        return PatternFormula(bits, kind, widths, loads, *whole, rules)
    kind = network_kind(network, bits)
    if kind == "origin":
        return PatternFormula(bits, kind, (), *_origin(name, n), ("P3",))
    load, links = _axis(name, "mesh", n, sympy.Integer(1))
    return PatternFormula(bits, kind, (), (load,), load, n * load, n * links, rules)


def _axis(name: str, kind: str, n: Any, a: Any) -> tuple[Any, Any]:
    """The load of an axis of 2^a of 2^n nodes, and its part of messages times links."""
    import sympy

    one, step = sympy.Integer(1), 2 ** (a - 1) - 1
    return {
        ("uniform", "mesh"): (2 ** (n + a - 2), 2 ** (2 * n - a) * (2 ** (2 * a) - 1) / 3),
        ("uniform", "torus"): (2 ** (n - 3) * (2**a + 2), 2 ** (2 * n + a - 2)),
        ("neighbor", "mesh"): (one, 2**n * (2 - 2 ** (1 - a))),
        ("neighbor", "torus"): (one, 2**n),
        ("tornado", "mesh"): (step, 2 ** (n + a - 1) - 2 ** (n - a + 1)),
        ("tornado", "torus"): (step, 2**n * step),
    }[name, kind]


def _origin(name: str, n: Any) -> tuple[tuple[Any], Any, Any, Any]:
    """T_i, degree, sum, and messages times links; bit 0 is inside the routers."""
    import sympy

    i = sympy.Symbol("i")
    inside = (0, sympy.Eq(i, 0))
    if name == "uniform":
        degree = sympy.Piecewise((0, n <= 1), (2**n, True))
        load = sympy.Piecewise(inside, (2**n, True))
        return (load,), degree, (n - 1) * 2**n, (n - 1) * 2 ** (2 * n - 1)
    if name == "neighbor":
        degree = sympy.Piecewise((0, n <= 1), (1, True))
        return (sympy.Piecewise(inside, (1, True)),), degree, n - 1, 2**n - 2
    top = (2, sympy.And(sympy.Eq(i, n - 1), n >= 3))
    degree = sympy.Piecewise((0, n <= 1), (1, n <= 2), (2, True))
    total = sympy.Piecewise((n - 1, n <= 2), (n, True))
    distance = sympy.Piecewise((0, n <= 1), (2 ** (n + 1) - 6, True))
    return (sympy.Piecewise(inside, top, (1, True)),), degree, total, distance
