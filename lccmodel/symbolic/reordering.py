"""Bit orders that free a family of contention for every n.

    R7    if t(m) <= m + 1 for all m, every moving bit has T = 1, whatever b is
    R8    on an origin, with C nontrivial cycles and F complemented fixed bits, the smallest degree
          is 0 if C = 0 and F <= 1, 1 if C = 1 and F = 0, else 2

A bit order along the cycles of the permutation meets R7: bit t(m) follows bit m, and the last bit
of a cycle leads back to its first. A family is cut into blocks that its permutation maps onto
themselves; the cycles of a block are known as a formula:

    reversal of L bits       ⌊L/2⌋ cycles       π(2j) = j, π(2j+1) = L-1-j
    shift of L bits by k     gcd(L, k) = g      π(q L/g + s) = (q + s k) mod L
    exchange of two parts    L/2 cycles         as a shift by L/2
    fixed bits               none               as they are
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError, checked_integer
from lccmodel.symbolic.affine import Affine, Facts, implied
from lccmodel.symbolic.cases import Case, by_cases, expression_of
from lccmodel.symbolic.catalogue import family
from lccmodel.symbolic.contention_formula import network_kind
from lccmodel.symbolic.derivation import contention
from lccmodel.symbolic.exponents import NotProved, same
from lccmodel.symbolic.families import Family
from lccmodel.symbolic.pieces import Piece, in_order

_NONE = Affine()


@cache
def _gcd() -> Any:
    """The gcd of integers as a sympy function; sympy's own is that of polynomials."""
    import sympy

    class gcd(sympy.Function):  # type: ignore[misc] # noqa: N801 - its printed name
        nargs = 2

        @classmethod
        def eval(cls, a: Any, b: Any) -> Any:
            if a.is_Integer and b.is_Integer:
                return sympy.Integer(math.gcd(int(a), int(b)))
            rest = sympy.expand(a - b)
            if sympy.Integer(1) in (a, b) or rest in (1, -1):
                return sympy.Integer(1)
            return cls(a, rest) if rest.is_Symbol and not b.is_Symbol else None

    return gcd


@dataclass(frozen=True)
class _Block:
    """Bits that the permutation maps onto themselves: "fixed", "reversal", "shift", "exchange".

    `step` is the distance of a shift; of an exchange of two parts of `length` bits that of its
    parts. `is_flipped` if all rows are complemented.
    """

    kind: str
    low: Affine
    length: Affine
    step: Affine
    is_flipped: bool = False

    def always_moves(self, where: Facts, at_least: int = 1) -> bool:
        """Whether some bit moves for all parameters."""
        return self.kind in ("shift", "exchange") or implied(where, self.length - at_least)

    @property
    def flipped(self) -> Any:
        """The number of fixed bits that are complemented."""
        import sympy

        if not self.is_flipped or self.kind in ("shift", "exchange"):
            return sympy.Integer(0)
        L = expression_of(self.length)
        return L if self.kind == "fixed" else sympy.Mod(L, 2)

    @property
    def cycles(self) -> Any:
        """The number of nontrivial cycles."""
        import sympy

        L = expression_of(self.length)
        if self.kind == "reversal":
            return sympy.floor(L / 2)
        if self.kind == "shift":
            return _gcd()(L, expression_of(self.step))
        return L if self.kind == "exchange" else sympy.Integer(0)

    @property
    def first_cycle(self) -> Any:
        """The length of the first cycle."""
        import sympy

        L = expression_of(self.length)
        return L / self.cycles if self.kind == "shift" else sympy.Integer(2)

    def order(self, q: Any) -> Any:
        """The bit at place q of the block."""
        import sympy

        low, L = expression_of(self.low), expression_of(self.length)
        if self.kind == "reversal":
            odd = L - 1 - (q - 1) / 2
            return low + sympy.Piecewise((q / 2, sympy.Eq(sympy.Mod(q, 2), 0)), (odd, True))
        if self.kind == "shift":
            k, cycle = expression_of(self.step), self.first_cycle
            turn = sympy.floor(q / cycle)
            return low + sympy.Mod(turn + (q - turn * cycle) * k, L)
        if self.kind == "exchange":
            pair = low + sympy.floor(q / 2)
            other = pair + expression_of(self.step)
            return sympy.Piecewise((pair, sympy.Eq(sympy.Mod(q, 2), 0)), (other, True))
        if self.kind == "gray":
            return sympy.Piecewise((q, L <= 2), (L - 1 - q, True))
        if self.kind == "inverse gray":
            return sympy.Piecewise((q, L <= 2), (sympy.Mod(q - 1, L), True))
        return low + q

    @property
    def places(self) -> Any:
        """The number of bits."""
        return expression_of(self.length) * (2 if self.kind == "exchange" else 1)


@dataclass(frozen=True)
class AfterReordering:
    """The contention after a reordering: the degree and the sum of the loads."""

    degree: Any
    total: Any


@dataclass(frozen=True)
class ReorderingFormula:
    """A bit order for every n with the smallest contention degree.

    Attributes:
        family, network: as for `ContentionFormula`.
        after: degree and sum of the loads after the reordering.
        proof: the rules that prove the degree smallest.

    >>> m = optimal_reordering("bit-reverse", "cube:n")
    >>> m.after.degree, m.proof, m.order_at(n=5)
    (Piecewise((0, n <= 1), (1, True)), ('R7',), (0, 4, 1, 3, 2))
    """

    family: Family
    network: str
    after: AfterReordering
    proof: tuple[str, ...]
    _blocks: tuple[_Block, ...]

    def order(self, p: Any) -> Any:
        """The old bit that becomes bit p, as a sympy expression.

        >>> from lccmodel.symbolic import symbols
        >>> optimal_reordering("matrix-transpose:r").order(symbols("i"))
        Mod(r*(i - n*floor(i*gcd(n, r)/n)/gcd(n, r)) + floor(i*gcd(n, r)/n), n)
        """
        import sympy

        place = p if isinstance(p, sympy.Expr) else sympy.Integer(checked_integer("p", p))
        if place.is_extended_real is False or place is sympy.nan:
            raise InputError("p", "must be a bit, or an expression for one", p)
        pairs, start = [], sympy.Integer(0)
        for block in self._blocks:
            end = start + block.places
            pairs.append((block.order(place - start), place < end))
            start = end
        pairs[-1] = (pairs[-1][0], True)
        return sympy.Piecewise(*pairs)

    def order_at(self, **values: int) -> tuple[int, ...]:
        """The bit order for values of the parameters.

        Raises:
            InputError: unknown or missing names, or values outside the domain of the family.
        """
        import sympy

        numbers = self.family.checked_values(values)
        p = sympy.Symbol("p (place)")
        formula = self.order(p).subs({sympy.Symbol(v): x for v, x in numbers.items()})
        return tuple(int(formula.subs(p, k)) for k in range(self.family.n.value(numbers)))

    def __repr__(self) -> str:
        where = f"{self.network}:{self.family.n}"
        return f"<reordering of {self.family.name} on {where}: degree {self.after.degree}>"


@typed_arguments
def optimal_reordering(communication: Family | str, network: str = "cube") -> ReorderingFormula:
    """Derive a bit order with the smallest contention degree for every n.

    Args:
        communication: a `Family` of bit permutations, or a catalogue word.
        network: "cube" or "origin".

    Raises:
        CommunicationError: the cycles of the family are not known as a formula.
        NetworkError: another network.

    >>> optimal_reordering("bit-reverse", "origin:n").after.degree
    Piecewise((0, n <= 1), (1, n <= 3), (2, True))
    """
    chosen = family(communication) if isinstance(communication, str) else communication
    kind = network_kind(network, chosen)
    if not chosen.is_permutation:
        return _of_triangle(chosen, kind)
    cases = by_cases(chosen.where, chosen.parameters, lambda case: _blocks_of(chosen, case))
    lists = {tuple(leaf.result): leaf for leaf in cases}
    # A list with empty blocks describes the cases in which these are empty, too.
    blocks = max(lists, key=len)
    if not all(_is_part(other, blocks, leaf.facts) for other, leaf in lists.items()):
        rule = "its blocks differ from case to case; narrow `where`"
        raise NotProved("family", rule, chosen.name)
    return _reordering(chosen, kind, blocks)


def _is_part(some: Sequence[_Block], blocks: Sequence[_Block], facts: Any) -> bool:
    kept = [b for b in blocks if not same(b.length, _NONE, facts)]
    return len(kept) == len(some) and all(
        a.kind == b.kind and same(a.low, b.low, facts) and same(a.length, b.length, facts)
        for a, b in zip(some, kept, strict=True)
    )


def _reordering(chosen: Family, kind: str, blocks: tuple[_Block, ...]) -> ReorderingFormula:
    import sympy

    where = chosen.where
    cycles = sympy.Add(*(block.cycles for block in blocks))
    flipped = sympy.Add(*(block.flipped for block in blocks))
    moving = sympy.Add(*(_moving(block) for block in blocks))
    turning = [b for b in blocks if b.kind != "fixed"]
    has_cycles = any(b.always_moves(where, 2) for b in turning)
    has_moves = has_cycles or any(b.always_moves(where) for b in blocks if b.is_flipped)
    if kind == "cube":
        none = sympy.false if has_moves else _is_zero(moving + flipped)
        degree = _cases([(0, none)], 1)
        total, proof = moving + flipped, ("R7",)
    else:
        none = sympy.false if has_cycles else _is_zero(cycles)
        still = sympy.And(none, _at_most_one(flipped))
        single = sympy.And(_is_one(cycles), _is_zero(flipped))
        degree = _cases([(0, still), (1, single)], 2)
        first = turning[0].first_cycle if turning else sympy.Integer(1)
        rest = first - 1 + 2 * (moving + flipped - first)
        total = _cases([(2 * sympy.Max(flipped - 1, 0), none)], rest)
        proof = ("R8",)
    if any(block.kind != "fixed" for block in blocks):
        ordered = sorted(blocks, key=lambda block: block.kind == "fixed")
    else:  # a complemented bit inside the routers costs nothing
        ordered = sorted(blocks, key=lambda block: not block.is_flipped)
    return ReorderingFormula(chosen, kind, AfterReordering(degree, total), proof, tuple(ordered))


def _cases(pairs: list[tuple[Any, Any]], rest: Any) -> Any:
    import sympy

    kept = [(sympy.sympify(value), where) for value, where in pairs if where != sympy.false]
    return sympy.Piecewise(*kept, (sympy.sympify(rest), True))


def _moving(block: _Block) -> Any:
    """The bits of a block that move."""
    if block.kind == "reversal":
        return 2 * block.cycles
    return 0 if block.kind == "fixed" else block.places


def _is_zero(count: Any) -> Any:
    """count = 0; ⌊L / 2⌋ = 0 as L <= 1."""
    import sympy

    half = _halved(count)
    if half is not None:
        return half <= 1
    return count <= 0 if count.free_symbols and not count.has(sympy.Mod) else sympy.Eq(count, 0)


def _is_one(count: Any) -> Any:
    """count = 1, after the case 0; ⌊L / 2⌋ = 1 as L <= 3."""
    import sympy

    half = _halved(count)
    return sympy.Eq(count, 1) if half is None else half <= 3


def _halved(count: Any) -> Any:
    """L of ⌊L / 2⌋ or 2 ⌊L / 2⌋, None of anything else."""
    import sympy

    if count.is_Mul and len(count.args) == 2 and count.args[0] == 2:
        count = count.args[1]
    if not isinstance(count, sympy.floor):
        return None
    doubled = sympy.expand(2 * count.args[0])
    return doubled if all(c.is_Integer for c in doubled.as_coefficients_dict().values()) else None


def _at_most_one(count: Any) -> Any:
    import sympy

    return sympy.true if count in (0, 1) or isinstance(count, sympy.Mod) else count <= 1


# -- blocks ---------------------------------------------------------------------------------------


def _blocks_of(family: Family, case: Case) -> tuple[_Block, ...]:
    by_rows = {(p.low, p.high): p for p in family.pieces}
    pieces = [by_rows[pair] for pair in in_order(list(by_rows), case)]
    blocks: list[_Block] = []
    taken: list[Piece] = []
    for piece in pieces:
        if piece in taken:
            continue
        if piece.slope < 0 and case.equal(piece.offset, piece.low + piece.high - 1):
            length = piece.high - piece.low
            blocks.append(_Block("reversal", piece.low, length, _NONE, piece.complement))
        elif case.equal(piece.source_low, piece.low) and piece.slope > 0:
            length = piece.high - piece.low
            blocks.append(_Block("fixed", piece.low, length, _NONE, piece.complement))
        else:
            partner = _partner(piece, pieces, taken, family, case)
            taken.append(partner[0])
            blocks.append(partner[1])
    return tuple(blocks)


def _partner(
    piece: Piece, pieces: Sequence[Piece], taken: Sequence[Piece], family: Family, case: Case
) -> tuple[Piece, _Block]:
    """The piece that makes a shift or an exchange with this one, which lies below it."""
    for other in pieces:
        if other is piece or other in taken or other.slope < 0 or piece.slope < 0:
            continue
        if not case.holds(other.low - piece.high):
            continue
        width = piece.high - piece.low
        back = same(other.source_low, piece.low, case.facts)
        over = same(piece.source_low, other.low, case.facts)
        if back and over and same(width, other.high - other.low, case.facts):
            return other, _Block("exchange", piece.low, width, other.low - piece.low)
        adjacent = same(other.low, piece.high, case.facts)
        if back and adjacent and same(piece.source_low, other.high - width, case.facts):
            return other, _Block("shift", piece.low, other.high - piece.low, width)
    rule = "the cycles of its permutation are not known as a formula"
    raise NotProved("family", rule, family.name)


def _of_triangle(family: Family, kind: str) -> ReorderingFormula:
    """Gray codes: on a cube the natural order has T = 1 (R2); on an origin two orders have.

    Inside the routers stands bit n-1, which stays. In the order n-1, n-2, ..., 0 the rows 1..i of
    a Gray code are e_j + e_(j-1), in the order n-1, 0, 1, ..., n-2 those of its inverse begin one
    column after another: i independent rows in the first i columns. Below n = 3 the natural order
    moves no bit over a link.
    """
    identity = all(p.slope > 0 and p.offset == _NONE for p in family.pieces)
    if not identity or family.is_scatter or family.upper is None or family.lower is not None:
        raise NotProved("family", "no rule proves a smallest degree for it", family.name)
    if kind == "cube":
        T = contention(family, f"cube:{family.n}")
        blocks = (_Block("fixed", _NONE, family.n, _NONE),)
        after = AfterReordering(T.degree, T.total)
        return ReorderingFormula(family, kind, after, ("R2", "R7"), blocks)
    import sympy

    gray = family.name.startswith("gray-code")
    if not gray and not family.name.startswith("inverse-gray-code"):
        raise NotProved("family", "no rule proves a smallest degree for it", family.name)
    n = family.n.expression
    degree = sympy.Piecewise((0, n <= 2), (1, True))
    total = sympy.Piecewise((0, n <= 2), (n - 1, True))
    block = _Block("gray" if gray else "inverse gray", _NONE, family.n, _NONE)
    return ReorderingFormula(family, kind, AfterReordering(degree, total), ("R2",), (block,))
