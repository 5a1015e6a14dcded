"""Closed forms: start-ups and data of an algorithm on a family of networks, for every size.

T = S α + d m τ, with S start-ups and d vectors on the busiest channel or port. Each is a sum over
the steps of the rule, which sympy carries out or which is short (docs/collective_algorithms.md).
Some were fitted to counts, and `ClosedForm.derived` is False. A test compares all with counted
plans.

    family    ranks              a step between ranks whose numbers differ in bit j crosses
    cube      p = 2^n            one channel
    line      p = 2^n in a row   channels of which the busiest carries 2^j messages
    ring      p = 2^n            as on a line, but 2^(n-2) for the last bit: half go each way
    torus     p = 2^(D k)        D rings of 2^k ranks

Swing's step s goes rho_s = (2^(s+1) + (-1)^s) / 3 ranks on. With one port the even ones go one way
and overlap (rho_s + 1) / 2 times; with all ports mirrored parts fill the other half, and a channel
carries rho_s messages of its two parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from lccmodel.collectives.algorithms import AllOrOne
from lccmodel.collectives.steps import COLLECTIVES
from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.words import checked_word
from lccmodel.symbols import symbols

_COUNTED = {
    *(("double-tree", family) for family in ("cube", "line", "ring")),
    *((name, "cube") for name in ("binary", "binary-tree")),
    *((name, family) for name in ("bine", "bine-tree") for family in ("cube", "ring")),
}
"""Read off counts. Bine's allgather on a ring is Swing's, and is not."""

FAMILIES = ("cube", "line", "ring", "torus")


@dataclass(frozen=True)
class ClosedForm:
    """What an algorithm takes on a family of networks, as sympy expressions in plain symbols.

    Attributes:
        algorithm, family, ports: of which.
        start_ups: S, in n and p = 2^n, or in k and D.
        data: d, in vectors.
        where: for which sizes it holds.
        derived: whether it is a sum over the steps of the rule; else it fits all counts, p <= 128.

    >>> form = closed_form("allreduce", "swing", "ring")
    >>> [str(form.at(n=n)[1]) for n in (3, 4, 5)]
    ['2', '19/8', '11/4']
    """

    collective: str
    algorithm: str
    family: str
    ports: AllOrOne
    start_ups: Any
    data: Any
    where: str
    derived: bool

    def at(self, **sizes: int) -> tuple[int, Fraction]:
        """Start-ups and data for sizes n, or k and D.

        Raises:
            InputError: other sizes, or one for which the form does not hold.

        >>> closed_form("allreduce", "swing", "torus", "all").at(D=2, k=3)
        (12, Fraction(69, 128))
        """

        least = {name: int(size) for name, size in re.findall(r"(\w) >= (\d+)", self.where)}
        if set(sizes) != set(least):
            raise InputError("sizes", f"must be {' and '.join(least)}", sorted(sizes))
        for name, size in sizes.items():
            if checked_integer(name, size) < least[name]:
                raise InputError(name, f"must be at least {least[name]} here", size)

        def value(formula: Any) -> Fraction:
            number = formula.subs({symbol: sizes[symbol.name] for symbol in formula.free_symbols})
            return Fraction(int(number.p), int(number.q))

        return int(value(self.start_ups)), value(self.data)

    @property
    def time(self) -> Any:
        """T = S α + d m τ.

        >>> closed_form("allreduce", "recursive-doubling", "cube").time
        alpha*n + m*n*tau
        >>> closed_form("allreduce", "recursive-doubling", "cube").time.subs({"alpha": 5, "n": 3})
        3*m*tau + 15
        """
        alpha, tau, m = symbols("alpha tau m")
        return self.start_ups * alpha + self.data * m * tau

    @property
    def latex(self) -> str:
        """T as LaTeX."""
        import sympy

        text: str = sympy.latex(self.time)
        return text


class _Rules:
    """Sums over the steps of a rule, as sympy carries them out."""

    def __init__(self) -> None:
        import sympy

        self.sympy = sympy
        self.n, self.k, self.D = (symbols.assuming(symbols(name)) for name in "nkD")
        self.j = sympy.Symbol("j", positive=True, integer=True)
        self.p = 2**self.n

    def total(self, term: Any, last: Any) -> Any:
        """The sum of powers in j from 0 to last - 1: sympy's own sums solve equations first."""
        result = 0
        for part in self.sympy.Add.make_args(self.sympy.expand(term)):
            first, ratio = part.subs(self.j, 0), self.tidied(part.subs(self.j, self.j + 1) / part)
            result += first * (last if ratio == 1 else (ratio**last - 1) / (ratio - 1))
        return result

    def geometric(self, ratio: Any, last: Any) -> Any:
        """The sum of the powers of a ratio that is not 1, from 0 to last - 1."""
        r = self.sympy.Symbol("r")
        return self.sympy.summation(r**self.j, (self.j, 0, last - 1)).args[-1][0].subs(r, ratio)

    def tidied(self, term: Any) -> Any:
        """Powers of a base together."""
        return self.sympy.powsimp(self.sympy.expand(term))

    def swing(self, ranks: Any = 0) -> Any:
        """rho_j, and so many more."""
        return (2 ** (self.j + 1) + (-1) ** self.j) / self.sympy.Integer(3) + ranks

    def doubling(self, family: str) -> Any:
        """Messages of the busiest channel when all bits are exchanged, one after another."""
        n, D, k, j = self.n, self.D, self.k, self.j
        if family == "cube":
            return n
        if family == "line":
            return self.total(2**j, n)
        if family == "ring":
            return self.total(2**j, n - 1) + self.p / 4
        return D * (self.total(2**j, k - 1) + 2**k / self.sympy.Integer(4))

    def halving(self, family: str) -> Any:
        """Halving and doubling: bit j with 2^-(j+1) of the vector, there and back."""
        n, D, k, j = self.n, self.D, self.k, self.j
        half = self.sympy.Rational(1, 2)
        if family == "cube":
            return 2 * self.total(half ** (j + 1), n)
        if family == "line":
            return 2 * self.total(half, n)
        if family == "ring":
            return 2 * (self.total(half, n - 1) + half / 2)
        x = half**D  # bit j of all axes in turn, with x^j (1 - x) of the vector
        ends = 2 ** (k - 2) * x ** (k - 1)
        return 2 * (1 - x) * (self.geometric(2 * x, k - 1) + ends)

    def spread(self, family: str, blocks: Any) -> Any:
        """Blocks of 1/p in step j to the rank 2^j on: what the busiest channel carries of them."""
        n, j, p = self.n, self.j, self.p
        if family == "cube":
            return self.total(blocks / p, n)
        if family == "line":
            return self.total(2**j * blocks / p, n)
        half_way = (2**j * blocks / p / 2).subs(j, n - 1)
        return self.total(2**j * blocks / p, n - 1) + half_way

    def swing_all(self) -> Any:
        """All 2 D ports: axis after axis, step j of an axis with x^j (1 - x), x = 2^-D."""
        x = self.sympy.Rational(1, 2) ** self.D
        both = 2 * self.geometric(2 * x, self.k) + self.geometric(-x, self.k)
        return (1 - x) / (3 * self.D) * both


def closed_forms(collective: str) -> tuple[ClosedForm, ...]:
    """Return all closed forms of a collective that are known.

    Raises:
        InputError: no such collective.

    >>> sorted({form.algorithm for form in closed_forms("alltoall")})
    ['bruck', 'exchange', 'linear', 'pairwise']
    """
    checked_word("collective", collective, COLLECTIVES)
    return _closed_forms(collective)


@cache
def _closed_forms(collective: str) -> tuple[ClosedForm, ...]:
    rules = _Rules()
    n, k, D, p = rules.n, rules.k, rules.D, rules.p
    j, half = rules.j, rules.sympy.Rational(1, 2)
    forms: list[ClosedForm] = []

    def add(kind: str, name: str, family: str, starts: Any, data: Any, *more: Any) -> None:
        if kind != collective:
            return
        ports, least = more or ("one", 1)
        where = (
            f"D >= 2 axes of 2^k, k >= {least}" if family == "torus" else f"p = 2^n, n >= {least}"
        )
        S, d = rules.sympy.sympify(starts), data if family == "torus" else rules.tidied(data)
        S, d = symbols.plain(S), symbols.plain(d)
        trees = kind in ("broadcast", "reduce") or name.endswith("tree")
        is_counted = not (trees and (name, family) in _COUNTED)
        forms.append(ClosedForm(collective, name, family, ports, S, d, where, is_counted))

    for family in FAMILIES:
        torus = family == "torus"
        levels, ranks = (D * k, 2 ** (D * k)) if torus else (n, p)
        least = 2 if family in ("ring", "torus") else 1
        rest = 1 - 1 / ranks
        for kind, times in (("allreduce", 2), ("reduce-scatter", 1), ("allgather", 1)):
            if not torus:
                add(kind, "ring", family, times * (ranks - 1), times * rest)
            steps = times * D * (2**k - 1) if torus else times * (ranks - 1)
            if family != "cube":
                add(kind, "bucket", family, steps, times * rest)
        add("allreduce", "rabenseifner", family, 2 * levels, rules.halving(family), "one", least)
        add("allreduce", "recursive-doubling", family, levels, rules.doubling(family), "one", least)
        if not torus:
            add("allreduce", "binomial-tree", family, 2 * n, 2 * n)
            add(
                "allreduce", "chain-tree", family, 2 * (p - 1), 2 * (p - 1)
            ) if family != "cube" else None
            trees = 5 * n / 2 - 2 if family == "cube" else 4 * n - 5
            add("allreduce", "double-tree", family, 4 * n - 2, trees, "one", 2)
            add("broadcast", "binomial", family, n, n)
            add("reduce", "binomial", family, n, n)
            doubled, halved = rules.spread(family, 2**j), rules.spread(family, p / 2)
            add("allgather", "bruck", family, n, doubled, "one", least)
            add("allgather", "recursive-doubling", family, n, doubled, "one", least)
            add("reduce-scatter", "recursive-halving", family, n, doubled, "one", least)
            add("broadcast", "scatter-allgather", family, 2 * n, doubled + rest, "one", least)
            add("alltoall", "bruck", family, n, halved, "one", least)
            add("alltoall", "exchange", family, n, halved, "one", least)
            turns = {"cube": rest, "line": p / 4, "ring": (p - 1) / 4}[family]
            add("alltoall", "pairwise", family, p - 1, turns, "one", least)
            add("reduce-scatter", "pairwise", family, p - 1, turns, "one", least)
            ends = 3 * half - 1 / p if family == "line" else rest
            add("allgather", "neighbour-exchange", family, p / 2, ends, "one", 2)
            add("broadcast", "circulant", family, n, rules.doubling(family), "one", least)
            add("reduce", "circulant", family, n, rules.doubling(family), "one", least)
            for kind in ("scatter", "gather"):
                add(kind, "binomial", family, n, rest)
                add(kind, "chain", family, p - 1, (p - 1) * half)
                add(kind, "direct", family, p - 1, rest)
            add("broadcast", "scatter-ring", family, n + p - 1, 2 * rest)
            add("reduce", "ring-gather", family, n + p - 1, 2 * rest)
            halved_up = rules.halving(family) / 2 + rest
            add("reduce", "rabenseifner", family, 2 * n, halved_up, "one", least)
            if family != "ring":  # there ports count up to p = 4, and channels beyond
                across = rest if family == "cube" else p / 4
                add("allgather", "direct", family, p - 1, across)
                add("alltoall", "linear", family, p - 1, across)
            add("barrier", "dissemination", family, n, rules.sympy.Integer(0))
            if family != "line":
                add("broadcast", "bine", family, n, n)
                add("reduce", "bine", family, n, n)
                add("allreduce", "bine-tree", family, 2 * n, 2 * n)
            if family == "cube":
                add("broadcast", "binary", family, 2 * (n - 1), 2 * (n - 1), "one", 2)
                add("allreduce", "binary-tree", family, 4 * (n - 1), 4 * (n - 1), "one", 2)
    for kind in ("broadcast", "reduce"):
        add(kind, "edge-disjoint-trees", "cube", n + 1, 1 + 1 / n, "all", 2)
    add("broadcast", "chain", "line", p - 1, p - 1)
    add("broadcast", "chain", "ring", p - 1, p - 1)
    for kind, times in (("allreduce", 2), ("reduce-scatter", 1), ("allgather", 1)):
        total = rules.total(rules.swing(1) * half * half ** (j + 1), n)
        for name in ("swing", "bine"):  # on a ring of ranks they are one
            add(kind, name, "ring", times * n, times * total, "one", 2)
        add(kind, "swing", "torus", times * D * k, rules.swing_all() * times / 2, "all", 2)
    for name in ("swing-latency", "bine-latency"):
        add("allreduce", name, "ring", n, rules.total(rules.swing(1) * half, n), "one", 2)
    return tuple(forms)


def closed_form(
    collective: str, algorithm: str, family: str, ports: AllOrOne = "one"
) -> ClosedForm:
    """Return the closed form of an algorithm on a family of networks.

    Args:
        collective, algorithm: as for `collective_of`.
        family: one of `FAMILIES`.
        ports: "one" or "all".

    Raises:
        InputError: none is known.

    >>> closed_form("allreduce", "rabenseifner", "ring").data
    n - 1/2
    """
    for argument, word in (("algorithm", algorithm), ("family", family), ("ports", ports)):
        if not isinstance(word, str):
            raise InputError(argument, "must be a name", word)
    for form in closed_forms(collective):
        if (form.algorithm, form.family, form.ports) == (algorithm, family, ports):
            return form
    known = sorted({f"{f.algorithm} on a {f.family}" for f in closed_forms(collective)})
    rule = f"has closed forms for {', '.join(known) or 'nothing'}"
    raise InputError(f"formula of {collective}", rule, f"{algorithm} on a {family}, {ports}")
