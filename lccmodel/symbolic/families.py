"""A communication for every n: y = Ax + b, A a bit permutation in pieces, perhaps with triangles.

    y_k = x_(s(k)) + c_k,    s(k) = ±k + o  for low <= k < high      on every piece,
                             s(k) = 2k + o, or k/2 + o for every second k, where bits interleave

Bounds and offsets are affine in the parameters (n, r, ...), whose ranges are `where`. With
triangles the matrix is L P U: L lower and U upper unit triangular, P the bit permutation. A family
is checked when it is made: for all parameters the pieces cover 0..n-1 once, and so do their images.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError, checked_integer
from lccmodel.symbolic.affine import Affine, Facts, implied
from lccmodel.symbolic.cases import Case, by_cases
from lccmodel.symbolic.interleaving import Comb, check_permutation
from lccmodel.symbolic.parsing import parts_of, run_ends
from lccmodel.symbolic.pieces import Entries, Piece, condition, domain_text, in_order

if TYPE_CHECKING:
    from lccmodel.communication.lcc import LCC

N_BITS = "n"


@dataclass(frozen=True)
class Family:
    """A communication for every n; see the module.

    Attributes:
        name: its name in tables.
        n: the number of address bits, affine in the parameters.
        pieces: of the bit permutation.
        where: facts on the parameters, each a form that is >= 0.
        lower, upper: entries of the triangles L and U, None for the unit matrix.
        is_scatter: the messages go from A y + b to y; then rows may be 0, and bits without use.
        sums_from_0: row k is x_0 + ... + x_(s(k)) instead of x_(s(k)) alone.
        combs: of a permutation that interleaves bits; then `pieces` is empty.
        vector: the parameter whose bits are b, a number below 2^n; None: b is that of the pieces.

    >>> f = Family.of("n - 1 - k", "k", n="n", where="n >= 1")
    >>> f.order_at(n=4), f.parameters
    ((3, 2, 1, 0), ('n',))
    """

    name: str
    n: Affine
    pieces: tuple[Piece, ...]
    where: Facts
    lower: Entries | None = None
    upper: Entries | None = None
    is_scatter: bool = False
    vector: str | None = None
    combs: tuple[Comb, ...] = ()
    sums_from_0: bool = False

    def __post_init__(self) -> None:
        by_cases(self.where, self.parameters, self._check)

    @classmethod
    def of(
        cls,
        order: Any,
        k: Any = "k",
        *,
        n: Any = "n",
        where: Any = (),
        complement: Any = False,
        lower: Any = None,
        upper: Any = None,
        name: str = "family",
    ) -> Family:
        """Make a family from y_k = x_order(k) + complement(k).

        Args:
            order: s(k), a sympy expression or its text: affine in k with slope ±1 or ±2, or a
                Piecewise of such with affine conditions, or Mod(affine, n). Under a condition
                Eq(Mod(k, 2), 0) or 1 the slope may be ±1/2; then n is even, such as 2*h.
            k: the symbol of the row.
            n: the number of address bits.
            where: conditions on the parameters, such as `(1 <= r, r < n)`; every parameter but n
                needs one.
            complement: True, False, or a condition in k: the rows with y_k = x + 1.
            lower, upper: conditions in k and j, such as `Eq(j, k + 1)`: the entries (k, j) of a
                unit triangle next to its diagonal, with A = L P U.
            name: its name in tables.

        Raises:
            InputError: what is not affine, another slope, overlapping conditions, a parameter
                without a range, or no permutation of 0..n-1 for some parameters.

        >>> from lccmodel.symbolic import symbols
        >>> n, k, r = symbols("n k r")
        >>> import sympy
        >>> shift = Family.of(sympy.Mod(k - r, n), k, n=n, where=(1 <= r, r < n))
        >>> shift.order_at(n=5, r=2)
        (3, 4, 0, 1, 2)
        """
        if not isinstance(name, str):
            raise InputError("name", "must be a text", name)
        parts = parts_of(order, k, n, where, complement, lower, upper)
        return cls(name, *parts[:5], combs=parts.combs)

    @classmethod
    def of_runs(
        cls,
        first: Any,
        last: Any,
        k: Any = "k",
        *,
        n: Any = "n",
        where: Any = (),
        name: str = "runs",
    ) -> Family:
        """Make a family of sums y_k = x_first(k) + ... + x_last(k) of consecutive bits (R3).

        Args:
            first, last: the ends of the run of row k. The first bits are a permutation of 0..n-1
                with slopes 1 and -1, and last(k) is affine or a Piecewise of such; or `first` is 0
                and the last bits are a permutation as in `Family.of`.
            k, n, where, name: as for `Family.of`.

        Raises:
            InputError: as for `Family.of`, or runs that are empty or exceed n for some k.

        >>> prefix = Family.of_runs(0, "n - 1 - k")
        >>> [bin(row) for row in prefix.at(n=3).A.rows]
        ['0b111', '0b11', '0b1']
        """
        if str(first) == "0":
            return replace(cls.of(last, k, n=n, where=where, name=name), sums_from_0=True)
        permuted = cls.of(first, k, n=n, where=where, name=name)
        if not permuted.pieces:
            raise InputError("first", "must be 0 or have slope 1 or -1 in k", str(first))
        entries = run_ends(last, str(k), permuted.pieces, permuted.n, permuted.where)
        return replace(permuted, upper=entries)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, n last."""
        forms = [self.n, *self.where]
        for piece in self.pieces:
            forms += [piece.low, piece.high, piece.offset]
        forms += [form for comb in self.combs for form in comb.forms]
        names = {v for form in forms for v in form.variables}
        names |= {self.vector} if self.vector else set()
        return (*sorted(names - {N_BITS}), *([N_BITS] if N_BITS in names else []))

    @property
    def is_permutation(self) -> bool:
        """Whether A is a bit permutation, without triangles."""
        triangles = (self.lower, self.upper)
        return triangles == (None, None) and not (self.is_scatter or self.sums_from_0)

    def _check(self, case: Case) -> None:
        if self.combs:
            check_permutation(self.combs, self.n, self.name, case)
            return
        for what, bounds in (
            ("rows", [(p.low, p.high) for p in self.pieces]),
            ("source bits", [(p.source_low, p.source_high) for p in self.pieces]),
        ):
            end = Affine()
            for low, high in in_order(bounds, case):
                if self.is_scatter and what == "source bits" and case.decide(low - end):
                    end = high  # what lies between is not used
                    continue
                if not case.equal(low, end):
                    rule = (
                        f"must be a permutation of 0..{self.n - 1}: the {what} {low}..{high - 1} "
                        f"do not begin at {end}; this is not proved for all of its parameters"
                    )
                    raise InputError("order", rule, self.name)
                end = high
            unused = self.is_scatter and what == "source bits" and case.decide(self.n - end)
            if not (unused or case.equal(end, self.n)):
                rule = f"must be a permutation of 0..{self.n - 1}: the {what} end at {end - 1}"
                raise InputError("order", rule, self.name)

    # -- values ------------------------------------------------------------------------------

    def checked_values(self, values: Mapping[str, Any]) -> dict[str, int]:
        """Return the values as integers, or an error that names the parameter.

        Raises:
            InputError: names that are no parameters or are missing, no integers, or values that
                `where` excludes.
        """
        if not isinstance(values, Mapping):
            raise InputError("values", "must be a number for each parameter, by name", values)
        for name in values:
            if name not in self.parameters:
                rule = f"has the parameters {', '.join(self.parameters)}"
                raise InputError(self.name, rule, name)
        missing = [name for name in self.parameters if name not in values]
        if missing:
            raise InputError(missing[0], f"must be given: {self.name} has this parameter", None)
        numbers = {name: checked_integer(name, value) for name, value in values.items()}
        for fact in self.where:
            if fact.value(numbers) < 0:
                name = next((v for v in fact.variables if v != N_BITS), fact.variables[0])
                raise InputError(name, f"must satisfy {condition(fact)}", values[name])
        if self.vector is not None and numbers[self.vector] >> self.n.value(numbers):
            rule = f"must satisfy {self.vector} < 2**{self.n}"
            raise InputError(self.vector, rule, values[self.vector])
        return numbers

    def order_at(self, **values: int) -> tuple[int, ...]:
        """Return the bit order s(0), s(1), ... for values of the parameters.

        Raises:
            InputError: as for `checked_values`.
        """
        numbers = self.checked_values(values)
        if self.is_scatter:
            raise InputError(self.name, "must be a permutation to have a bit order", "a scatter")
        order = [0] * self.n.value(numbers)
        for piece in self.pieces:
            for k in range(piece.low.value(numbers), piece.high.value(numbers)):
                order[k] = piece.slope * k + piece.offset.value(numbers)
        for comb in self.combs:
            for row, source in comb.pairs(numbers):
                order[row] = source
        return tuple(order)

    def at(self, **values: int) -> LCC:
        """Return the communication for values of the parameters.

        Raises:
            InputError: as for `order_at`, or more than 64 address bits.

        >>> from lccmodel.symbolic import family
        >>> family("matrix-transpose:r").at(n=3, r=1).destination(0b110)
        5
        """
        from lccmodel.communication.lcc import LCC
        from lccmodel.gf2 import GF2Matrix

        numbers = self.checked_values(values)
        if self.is_scatter:
            return self._scattered(numbers)
        order = self.order_at(**values)
        n = len(order)
        complement = 0 if self.vector is None else numbers[self.vector]
        for piece in self.pieces:
            if piece.complement:
                low, high = piece.low.value(numbers), piece.high.value(numbers)
                complement |= (1 << max(high, low)) - (1 << low)
        for comb in self.combs:
            if comb.complement:
                complement |= sum(1 << row for row, _ in comb.pairs(numbers))
        A = GF2Matrix.from_order(order)
        if self.sums_from_0:
            A = GF2Matrix.from_rows([(2 << bit) - 1 for bit in order], n)
        for entries, before, upper in ((self.upper, False, True), (self.lower, True, False)):
            if entries is not None:
                rows = [
                    sum(
                        1 << j
                        for j in range(n)
                        if j == k or ((j > k) == upper and entries.has(k, j, numbers))
                    )
                    for k in range(n)
                ]
                T = GF2Matrix.from_rows(rows, n)
                A = T @ A if before else A @ T
        return LCC(A, complement, name=self.name)

    def _scattered(self, numbers: Mapping[str, int]) -> LCC:
        from lccmodel.communication.lcc import LCC
        from lccmodel.gf2 import GF2Matrix

        rows = [0] * self.n.value(numbers)
        for piece in self.pieces:
            for k in range(piece.low.value(numbers), piece.high.value(numbers)):
                rows[k] = 1 << piece.slope * k + piece.offset.value(numbers) if piece.slope else 0
        return LCC.scatter(GF2Matrix.from_rows(rows, len(rows)), name=self.name)

    def members(self, n: int, smallest: int = 1) -> Iterator[dict[str, int]]:
        """Return the values of all parameters for which the family has smallest..n address bits.

        Raises:
            InputError: `where` lets a parameter exceed n, so that members would be left out.
        """
        n, smallest = checked_integer("n", n), checked_integer("smallest", smallest)
        free = [name for name in self.parameters if name not in (N_BITS, self.vector)]
        small = (*self.where, Affine(constant=n) - self.n)
        for name in free:
            p = Affine.variable(name)
            if not (implied(small, p + n) and implied(small, Affine(constant=n) - p)):
                rule = f"must keep {name} within -n..n, so that all members can be counted"
                raise InputError("where", rule, domain_text(self.where))
        sizes = range(max(smallest, 1), n + 1) if N_BITS in self.parameters else (None,)
        for size in sizes:
            known = {} if size is None else {N_BITS: size}
            for chosen in product(range(-n, n + 1), repeat=len(free)):
                values = {**known, **dict(zip(free, chosen, strict=True))}
                tested = values if self.vector is None else {**values, self.vector: 0}
                allowed = all(fact.value(tested) >= 0 for fact in self.where)
                if not (allowed and smallest <= self.n.value(values) <= n):
                    continue
                if self.vector is None:
                    yield values
                else:
                    for b in range(1 << self.n.value(values)):
                        yield {**values, self.vector: b}

    # -- other families ----------------------------------------------------------------------

    def inverse(self) -> Family:
        """Return the family of the inverse permutations.

        Raises:
            InputError: a family with triangles.

        >>> from lccmodel.symbolic import family
        >>> family("perfect-shuffle").inverse().order_at(n=4)
        (1, 2, 3, 0)
        """
        if not self.is_permutation:
            raise InputError("family", "must be a bit permutation to be inverted", self.name)
        pieces = tuple(piece.inverse for piece in self.pieces)
        combs = tuple(comb.inverse for comb in self.combs)
        return replace(self, name=f"inverse of {self.name}", pieces=pieces, combs=combs)

    def __add__(self, other: Family) -> Family:
        """The block sum: this family on the low bits, the other one on the bits above.

        Parameters of one name are one parameter.

        >>> from lccmodel.symbolic import family
        >>> both = family("bit-reverse", n="r") + family("perfect-shuffle", n="n - r")
        >>> both.order_at(n=5, r=2)
        (1, 0, 4, 2, 3)
        """
        if not isinstance(other, Family):
            return NotImplemented
        if not (self.is_permutation and other.is_permutation) or self.vector or other.vector:
            rule = "must be bit permutations without an open vector to be added"
            raise InputError("family", rule, f"{self.name} + {other.name}")
        where = tuple(dict.fromkeys((*self.where, *other.where)))
        name, n = f"{self.name} + {other.name}", self.n + other.n
        if self.combs or other.combs:
            low, high = (f.combs or tuple(map(Comb.of, f.pieces)) for f in (self, other))
            combs = (*low, *(comb.shifted(self.n) for comb in high))
            return Family(name, n, (), where, combs=combs)
        pieces = (*self.pieces, *(piece.shifted(self.n) for piece in other.pieces))
        return Family(name, n, pieces, where)

    def __repr__(self) -> str:
        ranges = domain_text(self.where)
        return f"<family {self.name} of {self.n} bits, {ranges}>"
