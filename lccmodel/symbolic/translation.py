"""The contention of y = x + b for every n and every b: T_i = b_i, twice that on an origin.

A translation with an open vector is a family whose parameter b is a number below 2^n; bit i of it
is ⌊b / 2^i⌋ mod 2. Bit i moves if b_i = 1, and then T_i = 1, since the messages of one channel
agree in all bits (R1 with e_i = 0). On an origin messages that differ in bit 0 share a router.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from lccmodel.symbolic.contention_formula import ContentionFormula


@dataclass(frozen=True)
class TranslationFormula(ContentionFormula):
    """The contention of a translation with an open vector.

    >>> from lccmodel.symbolic import contention
    >>> T = contention("translation", "origin:n")
    >>> T.loads_at(n=4, vector=0b0101), T.degree.subs({"vector": 5}), T.checked(4).all_equal
    ((0, 0, 2, 0), 2, True)
    """

    @property
    def _bit(self) -> Any:
        """b_i."""
        return bit_of(self._vector, _symbol("i"))

    @property
    def _vector(self) -> Any:
        assert self.family.vector is not None
        return _symbol(self.family.vector)

    @property
    def where(self) -> Any:
        """The parameters for which it holds, as a sympy condition."""
        import sympy

        return sympy.And(super().where, self._vector < 2**self.family.n.expression)

    @property
    def domain(self) -> str:
        """The parameters for which it holds, as a text."""
        return f"{super().domain} and {self.family.vector} < 2**{self.family.n}"

    @cached_property
    def load(self) -> Any:
        """T_i, in i and the vector."""
        import sympy

        if self.network == "cube":
            return self._bit
        return sympy.Piecewise((0, sympy.Eq(_symbol("i"), 0)), (2 * self._bit, True))

    @cached_property
    def degree(self) -> Any:
        """The contention degree: 1 if a bit is complemented that needs links; 2 on an origin."""
        import sympy

        least, degree = (0, 1) if self.network == "cube" else (1, 2)
        return sympy.Piecewise((0, self._vector <= least), (degree, True))

    @cached_property
    def total(self) -> Any:
        """The sum of all T_i: the ones of b, or twice those above bit 0."""
        return self._needed if self.network == "cube" else 2 * self._needed

    @cached_property
    def distance(self) -> Any:
        """Messages times links: 2^n for every one of b, on an origin above bit 0."""
        return 2**self.family.n.expression * self._needed

    @property
    def _needed(self) -> Any:
        """The ones of b whose bits need links."""
        import sympy

        ones = ones_of(self._vector)
        return ones if self.network == "cube" else ones - sympy.Mod(self._vector, 2)

    @cached_property
    def occupancy(self) -> Any:
        """Messages in every occupied node before step i: 1."""
        import sympy

        return sympy.Integer(1)

    def loads_at(self, **values: int) -> tuple[int, ...]:
        """T_0, T_1, ... for values of the parameters.

        Raises:
            InputError: unknown or missing names, or values outside `where`.
        """
        numbers = self.family.checked_values(values)
        assert self.family.vector is not None
        n, b = self.family.n.value(numbers), numbers[self.family.vector]
        bits = [b >> i & 1 for i in range(n)]
        return tuple(bits) if self.network == "cube" else (0, *(2 * bit for bit in bits[1:]))

    def _distance_at(self, numbers: dict[str, int]) -> int:
        assert self.family.vector is not None
        n, b = self.family.n.value(numbers), numbers[self.family.vector]
        return (b if self.network == "cube" else b >> 1).bit_count() << n

    def _occupancy_at(self, numbers: dict[str, int]) -> tuple[int, ...]:
        return (1,) * self.family.n.value(numbers)


def bit_of(number: Any, i: Any) -> Any:
    """Bit i of a number, as a sympy expression."""
    import sympy

    return sympy.Mod(sympy.floor(number / 2**i), 2)


def ones_of(number: Any) -> Any:
    """The ones of a number: a function of sympy that counts those of an integer.

    >>> from lccmodel.symbolic import symbols
    >>> ones_of(symbols("vector")), ones_of(symbols("vector")).subs({"vector": 5})
    (ones(vector), 2)
    """
    return _functions()[0](number)


def lowest_one_of(number: Any) -> Any:
    """The lowest bit of a number that is 1, as a function of sympy; 0 of 0.

    >>> lowest_one_of(12), lowest_one_of(0)
    (2, 0)
    """
    return _functions()[1](number)


def highest_one_of(number: Any) -> Any:
    """The highest bit of a number that is 1, as a function of sympy; 0 of 0.

    >>> highest_one_of(12), highest_one_of(0)
    (3, 0)
    """
    return _functions()[2](number)


@cache
def _functions() -> tuple[Any, Any, Any]:
    import sympy

    def made(name: str, value: Callable[[int], int]) -> Any:
        def evaluated(cls: Any, number: Any) -> Any:
            return sympy.Integer(value(int(number))) if number.is_Integer else None

        body = {"nargs": 1, "is_integer": True, "eval": classmethod(evaluated)}
        return type(sympy.Function)(name, (sympy.Function,), body)

    return (
        made("ones", int.bit_count),
        made("lowest_one", lambda number: max((number & -number).bit_length() - 1, 0)),
        made("highest_one", lambda number: max(number.bit_length() - 1, 0)),
    )


def _symbol(name: str) -> Any:
    import sympy

    return sympy.Symbol(name)
