"""The symbols of every formula of the project: one name, one meaning, one range.

    symbols("n r")                      plain sympy symbols: string keys work, subs({"alpha": 5})
    symbols.assuming(expression)        the same with assumptions, for `simplify`
    symbols.plain(expression)           back to plain symbols

Formulas are computed with assumptions and returned with plain symbols. sympy turns the string
"alpha" into a plain symbol, which differs from a symbol with assumptions. With plain symbols,
`subs` accepts strings, and costs of two packages add up with one alpha.
"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Number
from types import MappingProxyType
from typing import Any, NamedTuple

from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.words import checked_word


class SymbolEntry(NamedTuple):
    """A symbol: its name, its meaning, whether it is an integer, and its minimum."""

    name: str
    meaning: str
    is_integer: bool = True
    minimum: int = 1

    @property
    def range(self) -> str:
        """The values that the symbol takes.

        >>> symbols["alpha"].range, symbols["n"].range
        ('alpha >= 0', 'integer n >= 1')
        """
        return f"{'integer ' * self.is_integer}{self.name} >= {self.minimum}"

    def checked(self, value: Any) -> Any:
        """Return the value, or raise an error that names the symbol.

        Raises:
            InputError: not a number, not an integer where one is needed, or below the minimum.

        >>> symbols["n"].checked(2.5)
        Traceback (most recent call last):
        ...
        lccmodel.errors.InputError: n: must be an integer; got 2.5
        """
        if self.is_integer:
            return checked_integer(self.name, value, least=self.minimum)
        if isinstance(value, (bool, complex)) or not isinstance(value, Number):
            raise InputError(self.name, "must be a number", value)
        number: Any = value
        if not self.minimum <= number < float("inf"):
            raise InputError(self.name, f"must be finite and at least {self.minimum}", value)
        return value


_ENTRIES = (
    SymbolEntry("n", "address bits; a hypercube has 2^n nodes, p = 2^n ranks"),
    SymbolEntry("i", "a dimension of the hypercube, 0..n-1", minimum=0),
    SymbolEntry("k", "a dimension; a distance of shifted bits; bits of a side 2^k", minimum=0),
    SymbolEntry("r", "row bits of a 2^r by 2^c matrix; a transposition shifts by r", minimum=0),
    SymbolEntry("low", "the first bit of a part of the address", minimum=0),
    SymbolEntry("high", "the bit after a part of the address"),
    SymbolEntry("vector", "b of a translation y = x + b, below 2^n", minimum=0),
    SymbolEntry("a", "bits of axis 0 of a mesh 2^a by 2^(n-a)"),
    SymbolEntry("c", "axes of a mesh of equal sides"),
    SymbolEntry("d", "dimensions of a hypercube algorithm that is embedded in a mesh"),
    SymbolEntry("Q", "pipelining degree, packets per message"),
    SymbolEntry("N", "items per message"),
    SymbolEntry("g", "even height of a stretch of degrees, 2 ceil(Q / 2c)", minimum=2),
    SymbolEntry("F", "flits of a message"),
    SymbolEntry("B", "items per block of a complete exchange"),
    SymbolEntry("M", "packets of a task <i,M>_c in one exchange"),
    SymbolEntry("D", "axes of a torus of sides 2^k"),
    SymbolEntry("m", "size of a message or vector", is_integer=False, minimum=0),
    SymbolEntry("alpha", "start-up time of a message", is_integer=False, minimum=0),
    SymbolEntry("tau", "time per unit of size", is_integer=False, minimum=0),
    SymbolEntry("b", "time of the barrier after an iteration", is_integer=False, minimum=0),
)


class SymbolTable:
    """The symbols of the project by name; call it to obtain them.

    >>> n, r = symbols("n r")
    >>> (2**n).subs({"n": 5})
    32
    >>> symbols["r"].meaning
    'row bits of a 2^r by 2^c matrix; a transposition shifts by r'
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: tuple[SymbolEntry, ...]) -> None:
        self._entries = MappingProxyType({entry.name: entry for entry in entries})

    def __call__(self, names: str) -> Any:
        """Return the plain sympy symbol of one name, or a tuple of those of several.

        Raises:
            InputError: a name that is not in the table.
        """
        import sympy

        if not isinstance(names, str) or not names.replace(",", " ").split():
            raise InputError("names", 'must be names of symbols, as in "n r"', names)
        plain = tuple(sympy.Symbol(self[name].name) for name in names.replace(",", " ").split())
        return plain if len(plain) > 1 else plain[0]

    def __getitem__(self, name: str) -> SymbolEntry:
        """Return the entry of a name.

        Raises:
            InputError: the name is not in the table.
        """
        more = "; sympy.Symbol makes others"
        return self._entries[checked_word("symbol", name, self._entries, more)]

    def __contains__(self, name: object) -> bool:
        """Return whether a name is in the table."""
        return name in self._entries

    def __iter__(self) -> Iterator[SymbolEntry]:
        """Iterate over the entries."""
        return iter(self._entries.values())

    def __len__(self) -> int:
        """Return the number of symbols."""
        return len(self._entries)

    def __repr__(self) -> str:
        return f"<symbols {' '.join(self._entries)}>"

    def assuming(self, expression: Any) -> Any:
        """Return the expression with the ranges of its symbols as assumptions of sympy.

        >>> import sympy
        >>> sympy.sqrt(symbols("N") ** 2), symbols.assuming(sympy.sqrt(symbols("N") ** 2)).doit()
        (sqrt(N**2), N)
        """
        import sympy

        expression = _expression(expression)
        positive = {}
        for symbol in expression.free_symbols:
            entry = self._entries.get(symbol.name)
            if entry is not None:
                sign = {"positive": True} if entry.minimum else {"nonnegative": True}
                kind = {"integer": True} if entry.is_integer else {"real": True}
                positive[symbol] = sympy.Symbol(symbol.name, **sign, **kind)
        return expression.subs(positive, simultaneous=True)

    def plain(self, expression: Any) -> Any:
        """Return the expression with plain symbols of the same names.

        >>> import sympy
        >>> symbols.plain(sympy.Symbol("n", positive=True)) == symbols("n")
        True
        """
        import sympy

        expression = _expression(expression)
        return expression.xreplace({s: sympy.Symbol(s.name) for s in expression.free_symbols})


def _expression(value: Any) -> Any:
    import sympy

    if isinstance(value, (bool, str)) or not isinstance(value, (sympy.Basic, int, float)):
        raise InputError("expression", "must be a sympy expression", value)
    return sympy.sympify(value)


symbols = SymbolTable(_ENTRIES)
"""The one table of symbols."""
