"""Bit orders that free a family of contention for every n.

    R7    if t(m) <= m + 1 for all m, every moving bit has T = 1, whatever b is
    R8    on an origin, with C nontrivial cycles and F complemented fixed bits, the smallest degree
          is 0 if C = 0 and F <= 1, 1 if C = 1 and F = 0, else 2

A bit order along the cycles of the permutation meets R7: bit t(m) follows bit m, and the last bit
of a cycle leads back to its first. A family is cut into blocks that its permutation maps onto
themselves; the cycles of a block are known as a formula:

    m parts of L bits in turn, in their sequence     L cycles of m bits
    the same, L bits reversed after one round        ⌊L/2⌋ cycles of 2m bits, one of m if L is odd
    shift of L bits by k     gcd(L, k) = g           π(q L/g + s) = (q + s k) mod L
    blocks of a, b, c bits   gcd(a + b, b + c)       along the cycles, one after the other
      in the opposite sequence, a != c
    fixed bits               none                    as they are

A reversal is one part that is reversed, an exchange two parts. Rows are cut where the sources of
others begin and end, until the sources of every piece are the rows of one piece. Three blocks in
the opposite sequence are what a rotation of a + 2b + c bits by b + c does to the first a + b + c.

The rules do not need a formula for the cycles. A permutation without one, as of Z-order, has an
order that follows its cycles as numbers: functions of sympy that have values for integers. On a
cube its degree and sum are formulas all the same, on an origin they contain the number of cycles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from lccmodel.errors import CommunicationError, InputError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.symbolic.affine import Affine, Facts, implied
from lccmodel.symbolic.cases import Case, by_cases, expression_of, grouped
from lccmodel.symbolic.catalogue import family
from lccmodel.symbolic.contention_formula import conditions_of, network_kind
from lccmodel.symbolic.derivation import contention
from lccmodel.symbolic.exponents import NotProved, changed_rows, same
from lccmodel.symbolic.families import Family
from lccmodel.symbolic.pieces import Piece, in_order
from lccmodel.symbolic.translation import lowest_one_of, ones_of
from lccmodel.symbolic.walks import Cycles, Walk, opposite_blocks, walk_along, walked_cycles

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
    """Bits that the permutation maps onto themselves: "fixed", "cycle", "shift", or a fixed order.

    A cycle has `parts` of `length` bits each, as their first bits and whether they are passed
    downwards; `is_reversed` if one round reverses them. `step` is the distance of a shift.
    `is_flipped` if all rows are complemented. "opposite" are three blocks in the opposite sequence,
    of the sizes `arguments`. `walk` follows the cycles of a permutation for numbers of `arguments`.
    """

    kind: str
    low: Affine
    length: Affine
    step: Affine = _NONE
    is_flipped: bool = False
    parts: tuple[tuple[Affine, bool], ...] = ()
    is_reversed: bool = False
    walk: Walk | None = None
    arguments: tuple[Affine, ...] = ()

    def always_moves(self, where: Facts, at_least: int = 1) -> bool:
        """Whether some bit moves for all parameters; `at_least` 2 asks for a cycle."""
        least = at_least if self.is_reversed and len(self.parts) == 1 else 1
        return self.kind in ("shift", "opposite") or implied(where, self.length - least)

    @property
    def flipped(self) -> Any:
        """The number of fixed bits that are complemented."""
        import sympy

        L = expression_of(self.length)
        if not self.is_flipped or self.kind in ("shift", "opposite") or len(self.parts) > 1:
            return sympy.Integer(0)
        return L if self.kind == "fixed" else sympy.Mod(L, 2)

    @property
    def cycles(self) -> Any:
        """The number of nontrivial cycles."""
        import sympy

        L = expression_of(self.length)
        if self.kind == "shift":
            return _gcd()(L, expression_of(self.step))
        if self.kind == "opposite":
            a, b, c = self._sizes
            return _gcd()(a + b, b + c)
        if self.kind != "cycle":
            return sympy.Integer(0)
        if not self.is_reversed:
            return L
        return sympy.floor(L / 2) if len(self.parts) == 1 else sympy.ceiling(L / 2)

    @property
    def first_cycle(self) -> Any:
        """The length of the first cycle."""
        import sympy

        L, m = expression_of(self.length), sympy.Integer(len(self.parts))
        if self.kind == "shift":
            return L / self.cycles
        if self.kind == "opposite":
            return sympy.ceiling(L / self.cycles)
        if not self.is_reversed:
            return m
        return 2 * m if m == 1 else sympy.Piecewise((m, L <= 1), (2 * m, True))

    def order(self, q: Any) -> Any:
        """The bit at place q of the block."""
        import sympy

        low, L = expression_of(self.low), expression_of(self.length)
        if self.walk is not None:
            return low + self.walk.bit(q, *self._sizes)
        if self.kind == "cycle":
            rounds = 2 if self.is_reversed else 1
            period, pairs = rounds * len(self.parts), []
            for w in range(period):
                first, is_down = self.parts[w % len(self.parts)]
                j = (q - w) / sympy.Integer(period)
                is_down ^= w >= len(self.parts)
                bit = expression_of(first) + (L - 1 - j if is_down else j)
                pairs.append((bit, sympy.Eq(sympy.Mod(q, period), w)))
            return sympy.Piecewise(*pairs[:-1], (pairs[-1][0], True))
        if self.kind == "shift":
            k, cycle = expression_of(self.step), self.first_cycle
            turn = sympy.floor(q / cycle)
            return low + sympy.Mod(turn + (q - turn * cycle) * k, L)
        if self.kind == "gray":
            return sympy.Piecewise((q, L <= 2), (L - 1 - q, True))
        if self.kind == "top first":
            return sympy.Piecewise((q, L <= 2), (sympy.Mod(q - 1, L), True))
        if self.kind == "lowest one":  # it changes places with bit 0
            first = lowest_one_of(expression_of(self.step))
            return sympy.Piecewise((first, sympy.Eq(q, 0)), (0, sympy.Eq(q, first)), (q, True))
        return low + q

    def occupancy(self, q: Any) -> Any:
        """The messages in every occupied node after q bits of the block."""
        import sympy

        if self.walk is not None:
            return self.walk.messages(q, *self._sizes)
        if self.kind not in ("cycle", "shift"):
            return sympy.Integer(1)
        period = self.first_cycle
        if self.kind == "cycle":
            period = sympy.Integer(len(self.parts) * (2 if self.is_reversed else 1))
        return sympy.Piecewise((1, sympy.Eq(sympy.Mod(q, period), 0)), (2, True))

    @property
    def _sizes(self) -> tuple[Any, ...]:
        return tuple(expression_of(form) for form in self.arguments)

    @property
    def places(self) -> Any:
        """The number of bits."""
        return expression_of(self.length) * max(1, len(self.parts))


@dataclass(frozen=True)
class AfterReordering:
    """The contention after a reordering, and the cycles that its bit order follows.

    Attributes:
        degree, total: the contention degree and the sum of the loads.
        moving, flipped: bits that the permutation moves, and those that are only complemented.
        cycles: nontrivial cycles of the permutation; 0 of a triangle.
    """

    degree: Any
    total: Any
    moving: Any = 0
    flipped: Any = 0
    cycles: Any = 0


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
    _cases: tuple[tuple[tuple[_Block, ...], Any], ...]
    """Blocks, and the condition under which they are those of the family."""

    def order(self, p: Any) -> Any:
        """Return the old bit that becomes bit p, as a sympy expression.

        >>> from lccmodel.symbolic import symbols
        >>> optimal_reordering("matrix-transpose:r").order(symbols("i"))
        Mod(r*(i - n*floor(i*gcd(n, r)/n)/gcd(n, r)) + floor(i*gcd(n, r)/n), n)
        """
        import sympy

        cases = []
        for pairs, where in self._by_block(p, lambda block, place: block.order(place)):
            pairs[-1] = (pairs[-1][0], True)  # there is no place behind the last block
            cases.append((sympy.Piecewise(*pairs), where))
        return sympy.Piecewise(*cases)

    @property
    def exchanges(self) -> Any:
        """The fewest elementary bit exchanges [edelman, Section 5]: moving bits less cycles.

        Each is a permutation, so the occupancy stays 1.

        Raises:
            InputError: a family that is no bit permutation.

        >>> optimal_reordering("perfect-shuffle").exchanges
        n - 1
        """
        if not self.family.is_permutation:
            raise InputError(
                "family", "must be a bit permutation to be exchanged", self.family.name
            )
        return self.after.moving - self.after.cycles

    def occupancy(self, p: Any) -> Any:
        """Return the messages in every occupied node when p bits of the order are corrected.

        Walks along cycles, as Algorithm HL [boppana] and the passes on a SIMD mesh [sibeyn] make
        them, have 2 inside a cycle and 1 at its ends; T is 1 in every step that moves a bit.
        `exchanges` is the number of p with 2.

        >>> m = optimal_reordering("bit-reverse")
        >>> [m.occupancy(p).subs({"n": 5}) for p in range(6)]
        [1, 2, 1, 2, 1, 1]
        """
        import sympy

        if self.family.is_scatter:
            raise CommunicationError("occupancy", "must be of a gather", self.family.name)
        cases = self._by_block(p, lambda block, place: block.occupancy(place))
        return sympy.Piecewise(
            *((sympy.Piecewise(*pairs, (1, True)), where) for pairs, where in cases)
        )

    def _by_block(
        self, p: Any, value: Callable[[Any, Any], Any]
    ) -> Iterator[tuple[list[tuple[Any, Any]], Any]]:
        """For every case: the value of each block at p, counted from its start, and where it is."""
        place = self._place(p)
        for blocks, where in self._cases:
            pairs, start = [], 0
            for block in blocks:
                end = start + block.places
                pairs.append((value(block, place - start), place < end))
                start = end
            yield pairs, where

    def _place(self, p: Any) -> Any:
        import sympy

        place = p if isinstance(p, sympy.Expr) else sympy.Integer(checked_integer("p", p))
        if place.is_extended_real is False or place is sympy.nan:
            raise InputError("p", "must be a bit, or an expression for one", p)
        return place

    def order_at(self, **values: int) -> tuple[int, ...]:
        """Return the bit order for values of the parameters.

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
        CommunicationError: no rule proves a smallest degree, as for most triangles.
        NetworkError: another network.

    >>> optimal_reordering("bit-reverse", "origin:n").after.degree
    Piecewise((0, n <= 1), (1, n <= 3), (2, True))
    """
    import sympy

    chosen = family(communication) if isinstance(communication, str) else communication
    kind = network_kind(network, chosen)
    if chosen.vector is not None:
        return _of_translation(chosen, kind)
    if chosen.is_scatter:
        return _of_scatter(chosen, kind)
    if not chosen.is_permutation:
        return _of_triangle(chosen, kind)
    if chosen.combs:
        return _of_walk(chosen, kind)
    try:
        leaves = by_cases(
            chosen.where, chosen.parameters, lambda case: _blocks_of(chosen, case, kind)
        )
    except (NotProved, SizeLimitError):  # its cycles are no formula
        return _of_walk(chosen, kind)
    # A list with empty blocks describes the cases in which these are empty, too.
    groups = grouped(leaves, lambda p, q, facts: _is_part(q, p, facts))
    main, *others = groups
    results = []
    for k, (blocks, covered) in enumerate([*others, main]):
        rest = [leaf for _, other in [*others[k + 1 :], main][: len(others) - k] for leaf in other]
        shared = tuple(f for f in covered[0].facts if all(f in leaf.facts for leaf in covered))
        condition = conditions_of(covered, rest, chosen.where) if k < len(others) else True
        results.append((_after(blocks, shared, kind), blocks, condition))

    def whole(name: str) -> Any:
        return sympy.Piecewise(*((getattr(after, name), where) for after, _, where in results))

    cases = tuple((blocks, where) for _, blocks, where in results)
    proof = ("R7",) if kind == "cube" else ("R8",)
    counts = ("degree", "total", "moving", "flipped", "cycles")
    after = AfterReordering(*(whole(name) for name in counts))
    return ReorderingFormula(chosen, kind, after, proof, cases)


def _is_part(some: Sequence[_Block], blocks: Sequence[_Block], facts: Any) -> bool:
    """Whether blocks are those of a list, or empty."""
    filled = [b for b in blocks if not same(b.length, _NONE, facts)]
    return len(filled) == len(some) and all(
        (a.kind, a.is_reversed, len(a.parts)) == (b.kind, b.is_reversed, len(b.parts))
        and all(
            down == other and same(first, start, facts)
            for (first, down), (start, other) in zip(a.parts, b.parts, strict=True)
        )
        and same(a.low, b.low, facts)
        and same(a.length, b.length, facts)
        and same(a.step, b.step, facts)
        and a.is_flipped == b.is_flipped
        for a, b in zip(some, filled, strict=True)
    )


def _after(blocks: tuple[_Block, ...], where: Facts, kind: str) -> AfterReordering:
    """The smallest degree and the sum of the loads that go with it (R7, R8)."""
    import sympy

    cycles = sympy.Add(*(block.cycles for block in blocks))
    flipped = sympy.Add(*(block.flipped for block in blocks))
    moving = sympy.Add(*(_moving(block) for block in blocks))
    turning = [b for b in blocks if b.kind != "fixed"]
    has_cycles = any(b.always_moves(where, 2) for b in turning)
    has_moves = has_cycles or any(b.always_moves(where) for b in blocks if b.is_flipped)
    if kind == "cube":
        none = sympy.false if has_moves else _is_zero(moving + flipped)
        degree = _cases([(0, none)], 1)
        return AfterReordering(degree, moving + flipped, moving, flipped, cycles)
    none = sympy.false if has_cycles else _is_zero(cycles)
    still = sympy.And(none, _at_most_one(flipped))
    single = sympy.And(_is_one(cycles), _is_zero(flipped))
    degree = _cases([(0, still), (1, single)], 2)
    first = turning[0].first_cycle if turning else sympy.Integer(1)
    rest = first - 1 + 2 * (moving + flipped - first)
    total = _cases([(2 * sympy.Max(flipped - 1, 0), none)], rest)
    return AfterReordering(degree, total, moving, flipped, cycles)


def _turning_first(blocks: Sequence[_Block], where: Facts) -> tuple[_Block, ...]:
    """The blocks in their sequence in the bit order: those that have a cycle, fixed bits last."""
    if any(block.kind != "fixed" for block in blocks):

        def place(block: _Block) -> int:
            return 2 if block.kind == "fixed" else int(not block.always_moves(where, 2))

        return tuple(sorted(blocks, key=place))
    # a complemented bit inside the routers costs nothing
    return tuple(sorted(blocks, key=lambda block: not block.is_flipped))


def _cases(pairs: list[tuple[Any, Any]], rest: Any) -> Any:
    import sympy

    kept = [(sympy.sympify(value), where) for value, where in pairs if where != sympy.false]
    return sympy.Piecewise(*kept, (sympy.sympify(rest), True))


def _moving(block: _Block) -> Any:
    """The bits of a block that move."""
    if block.kind == "cycle" and block.is_reversed and len(block.parts) == 1:
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


def _blocks_of(family: Family, case: Case, kind: str) -> tuple[_Block, ...]:
    by_rows = {(p.low, p.high): p for p in family.pieces}
    pieces = [by_rows[pair] for pair in in_order(list(by_rows), case)]
    blocks: list[_Block] = []
    rest: list[Piece] = []
    for piece in pieces:
        length = piece.high - piece.low
        if piece.slope < 0 and case.equal(piece.offset, piece.low + piece.high - 1):
            part = ((piece.low, False),)
            block = _Block("cycle", piece.low, length, _NONE, piece.complement, part, True)
            blocks.append(block)
        elif piece.slope > 0 and case.equal(piece.source_low, piece.low):
            blocks.append(_Block("fixed", piece.low, length, _NONE, piece.complement))
        else:
            rest.append(piece)
    blocks += _shifts(rest, case)
    blocks += _opposites(rest, case)
    blocks += _cycles(_aligned(rest, family, case), case)
    turning = [block for block in blocks if block.kind != "fixed"]
    if kind == "origin" and len(turning) > 1:
        # the first cycle takes the place inside the routers, so a reversal of one bit is no cycle
        if not any(block.always_moves(case.facts, 2) for block in turning):
            for place, block in enumerate(blocks):
                if block in turning and not case.decide(block.length - 2):
                    low, length = block.low, block.length
                    blocks[place] = _Block("fixed", low, length, _NONE, block.is_flipped)
        return _turning_first(blocks, case.facts)
    return _turning_first(blocks, ())


def _shifts(pieces: list[Piece], case: Case) -> list[_Block]:
    """Shifts of two adjacent pieces, which are taken from the list."""
    blocks = []
    for piece in tuple(pieces):
        for other in tuple(pieces):
            if piece not in pieces or other not in pieces or piece.slope < 0 or other.slope < 0:
                continue
            width, length = piece.high - piece.low, other.high - piece.low
            if (
                same(other.low, piece.high, case.facts)
                and same(other.source_low, piece.low, case.facts)
                and same(piece.source_low, other.high - width, case.facts)
                and not same(width * 2, length, case.facts)
            ):
                blocks.append(_Block("shift", piece.low, length, width))
                pieces.remove(piece)
                pieces.remove(other)
    return blocks


def _opposites(pieces: list[Piece], case: Case) -> list[_Block]:
    """Three adjacent blocks in the opposite sequence, which are taken from the list."""
    blocks = []
    for place in range(len(pieces) - 2):
        three = pieces[place : place + 3]
        if len(three) < 3 or any(piece.slope < 0 or piece.complement for piece in three):
            continue
        first, middle, last = three
        low, high = first.low, last.high
        sizes = [piece.high - piece.low for piece in three]
        if (
            same(middle.low, first.high, case.facts)
            and same(last.low, middle.high, case.facts)
            and same(first.source_low, high - sizes[0], case.facts)
            and same(middle.source_low, low + sizes[2], case.facts)
            and same(last.source_low, low, case.facts)
            and not case.equal(sizes[0], sizes[2])  # then the middle stays
        ):
            lengths = (sizes[2], sizes[1], sizes[0])  # of the sources, in ascending order
            blocks.append(
                _Block("opposite", low, high - low, walk=opposite_blocks(), arguments=lengths)
            )
            del pieces[place : place + 3]
    return blocks


_MOST_PIECES = 24


def _aligned(pieces: list[Piece], family: Family, case: Case) -> list[Piece]:
    """The pieces cut until the sources of each are the rows of one.

    Raises:
        NotProved: more than 24 pieces, as for three blocks of any size in another sequence.
    """
    pending = list(pieces)
    done: list[Piece] = []
    while pending:
        piece = pending.pop(0)
        for other in (*pending, *done):
            edge = other.low  # where rows begin, sources of one piece must not go on
            starts_below = case.decide(edge - piece.source_low - 1)
            if starts_below and case.decide(piece.source_high - edge - 1):
                row = edge - piece.offset if piece.slope > 0 else piece.offset - edge + 1
                for low, high in ((piece.low, row), (row, piece.high)):
                    pending.append(Piece(low, high, piece.slope, piece.offset, piece.complement))
                pending += done
                done = []
                break
        else:
            done.append(piece)
        if len(pending) + len(done) > _MOST_PIECES:
            rule = "the cycles of its permutation are not known as a formula"
            raise NotProved("family", rule, family.name)
    return done


def _cycles(pieces: list[Piece], case: Case) -> list[_Block]:
    """The cycles of aligned pieces: t leads from the sources of a piece to its rows."""
    blocks, left = [], list(pieces)
    while left:
        start = piece = left[0]
        parts: list[tuple[Affine, bool]] = []
        is_down = False
        while piece in left:
            left.remove(piece)
            parts.append((piece.low, is_down))
            rows = piece.low
            piece = next(p for p in pieces if same(p.source_low, rows, case.facts))
            is_down ^= piece.slope < 0
        length = start.high - start.low
        blocks.append(_Block("cycle", start.low, length, _NONE, False, tuple(parts), is_down))
    return blocks


def _of_walk(family: Family, kind: str) -> ReorderingFormula:
    """R7 and R8 for a permutation whose cycles are no formula: the order follows them as numbers.

    What the permutation changes is a formula, since it needs no cycles.
    """
    import sympy

    names = family.parameters

    def numbers(*values: int) -> Cycles:
        known = dict(zip(names, values, strict=True))
        member = family.at(**known)
        return walked_cycles(family.order_at(**known), int(member.destination(0)))

    walk = walk_along(numbers)
    leaves = by_cases(family.where, names, lambda case: changed_rows(family, case))

    def agree(p: tuple[Affine, Affine], q: tuple[Affine, Affine], facts: Facts) -> bool:
        return same(p[0], q[0], facts) and same(p[1], q[1], facts)

    (main, _), *others = grouped(leaves, agree)
    others.sort(key=lambda group: len(group[1]))

    def whole(place: int) -> Any:
        pairs = []
        for k, (value, covered) in enumerate(others):
            covers_main = [leaf for leaf in leaves if agree(leaf.result, main, leaf.facts)]
            rest = [leaf for _, other in others[k + 1 :] for leaf in other] + covers_main
            pairs.append((expression_of(value[place]), conditions_of(covered, rest, family.where)))
        return sympy.Piecewise(*pairs, (expression_of(main[place]), True))

    moving, flipped = whole(0), whole(1)
    plain = tuple(sympy.Symbol(name) for name in names)
    cycles, first = walk.cycles(*plain), walk.first_cycle(*plain)
    has_cycles = all(implied(leaf.facts, leaf.result[0] - 1) for leaf in leaves)
    if kind == "cube":
        has_moves = all(implied(leaf.facts, sum(leaf.result, _NONE) - 1) for leaf in leaves)
        none = sympy.false if has_moves else _is_zero(moving + flipped)
        degree, total = _cases([(0, none)], 1), moving + flipped
    else:
        none = sympy.false if has_cycles else _is_zero(moving)
        single = sympy.And(sympy.Eq(cycles, 1), _is_zero(flipped))
        degree = _cases([(0, sympy.And(none, _at_most_one(flipped))), (1, single)], 2)
        rest = first - 1 + 2 * (moving + flipped - first)
        total = _cases([(2 * sympy.Max(flipped - 1, 0), none)], rest)
    after = AfterReordering(degree, total, moving, flipped, cycles)
    arguments = tuple(Affine.variable(name) for name in names)
    block = _Block("walk", _NONE, family.n, walk=walk, arguments=arguments)
    proof = ("R7",) if kind == "cube" else ("R8",)
    return ReorderingFormula(family, kind, after, proof, (((block,), sympy.true),))


def _of_scatter(family: Family, kind: str) -> ReorderingFormula:
    """R11: two bits are read by no row, so no order has a degree below 2.

    On a cube the natural order has 2. On an origin bit n-1 goes inside the routers: of its two
    nodes only one sends, since row n-1 is 0. Then T_i is 2 for i < a and 1 above.
    """
    import sympy

    if not family.name.startswith("scale2"):
        raise NotProved("family", "no rule proves a smallest degree for it", family.name)
    T = contention(family, f"cube:{family.n}")
    n = family.n.expression
    if kind == "cube":
        after = AfterReordering(T.degree, T.total, n)
        cases = (((_Block("fixed", _NONE, family.n),), sympy.true),)
        return ReorderingFormula(family, kind, after, ("R9", "R11"), cases)
    after = AfterReordering(sympy.Integer(2), T.total - 1, n)
    cases = (((_Block("top first", _NONE, family.n),), sympy.true),)
    return ReorderingFormula(family, kind, after, ("R9", "R11"), cases)


def _of_translation(family: Family, kind: str) -> ReorderingFormula:
    """A translation has T_i = b_i in every order; on an origin one of its bits goes inside."""
    import sympy

    assert family.vector is not None
    vector = sympy.Symbol(family.vector)
    ones = ones_of(vector)
    if kind == "cube":
        after = AfterReordering(sympy.Piecewise((0, vector <= 0), (1, True)), ones, flipped=ones)
        cases = (((_Block("fixed", _NONE, family.n),), sympy.true),)
        return ReorderingFormula(family, kind, after, ("R7",), cases)
    degree = sympy.Piecewise((0, ones <= 1), (2, True))
    after = AfterReordering(degree, 2 * sympy.Max(ones - 1, 0), flipped=ones)
    block = _Block("lowest one", _NONE, family.n, Affine.variable(family.vector))
    return ReorderingFormula(family, kind, after, ("R8",), (((block,), sympy.true),))


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
        blocks = (_Block("fixed", _NONE, family.n),)
        after = AfterReordering(T.degree, T.total, T.total)
        return ReorderingFormula(family, kind, after, ("R2", "R7"), ((blocks, True),))
    import sympy

    gray = family.name.startswith("gray-code")
    if not gray and not family.name.startswith("inverse-gray-code"):
        raise NotProved("family", "no rule proves a smallest degree for it", family.name)
    n = family.n.expression
    degree = sympy.Piecewise((0, n <= 2), (1, True))
    total = sympy.Piecewise((0, n <= 2), (n - 1, True))
    cases = (((_Block("gray" if gray else "top first", _NONE, family.n),), True),)
    return ReorderingFormula(family, kind, AfterReordering(degree, total), ("R2",), cases)
