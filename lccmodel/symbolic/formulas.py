"""The papers' formulas by name: an expression in the symbols of the project, and its domain.

    formula("time", c=2)                        T(d,Q) of this project's schedules on two axes
    formula("time", c=2).at(d=8, Q=3, N=60, alpha=5, tau=1, b=2)
    formula("border", c=1).expression           N*, up to which the best degree is at most d

`subs` evaluates an expression anywhere; `at` refuses values outside the domain, where the
expression is no count. Derivations are in the modules that the sources name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import checked_word
from lccmodel.pipelining.cost.steps import MODELS, Model
from lccmodel.symbols import symbols as symbols


@dataclass(frozen=True)
class Formula:
    """A formula of a paper or of this project.

    Attributes:
        name: its key in `FORMULAS`, with the arguments that were fixed.
        meaning: the quantity.
        expression: a sympy expression in plain symbols.
        domain: conditions on the symbols beyond their ranges, as sympy relations.
        source: where it is stated or derived.
        derived: whether it is proved; otherwise it fits all counts.
        parameters: symbols of which it is a function even where they cancel.

    >>> f = formula("distance", c=2)
    >>> f.expression, f.at(i=5), formula("link-load", c=2).at(i=0, M=7)
    (2**floor(i/2), 4, 10)
    """

    name: str
    meaning: str
    expression: Any
    domain: tuple[Any, ...]
    source: str
    derived: bool = True
    parameters: tuple[str, ...] = ()

    @cached_property  # sympy builds a Sum anew to list its free symbols
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols that occur, of those in the domain, and of the parameters."""
        free = set(self.expression.free_symbols)
        for condition in self.domain:
            free |= condition.free_symbols
        return tuple(sorted({*self.parameters, *(symbol.name for symbol in free)}))

    @property
    def where(self) -> str:
        """The ranges of the symbols and the domain, as a text."""
        ranges = [symbols[name].range for name in self.symbols]
        return ", ".join([*ranges, *map(str, self.domain)])

    @property
    def latex(self) -> str:
        """The expression as LaTeX."""
        import sympy

        text: str = sympy.latex(self.expression)
        return text

    def at(self, **values: Any) -> Any:
        """Return the value for values of all symbols: an int, a Fraction or a sympy number.

        Raises:
            InputError: unknown or missing names, or values outside a range or the domain.

        >>> formula("time", c=2).at(d=5, Q=1, N=1, alpha=1, tau=1, b=0)
        Traceback (most recent call last):
        ...
        lccmodel.errors.InputError: d: must satisfy Eq(Mod(d, 2), 0); got 5
        """
        import sympy

        for name in values:
            if name not in self.symbols:
                rule = f"has the symbols {', '.join(self.symbols) or 'none'}"
                raise InputError(self.name, rule, name)
        known = {}
        for name in self.symbols:
            if name not in values:
                raise InputError(name, f"must be given: {self.name} has this symbol", None)
            value = symbols[name].checked(values[name])
            known[sympy.Symbol(name)] = _exact(value)
        for condition in self.domain:
            if condition.subs(known) != True:  # noqa: E712 - sympy's true
                name = min(symbol.name for symbol in condition.free_symbols)
                raise InputError(name, f"must satisfy {condition}", values[name])
        result = self.expression.subs(known).doit()
        if result.is_Integer:
            return int(result)
        return Fraction(int(result.p), int(result.q)) if result.is_Rational else result

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"


def _exact(value: Any) -> Any:
    import sympy

    from lccmodel.ground.numbers import as_fraction

    if isinstance(value, sympy.Basic):
        return value
    number = as_fraction(value)
    return sympy.Rational(number.numerator, number.denominator)


def _axes(c: int | None) -> Any:
    import sympy

    return symbols("c") if c is None else sympy.Integer(checked_integer("c", c, least=1))


def _label(name: str, **fixed: Any) -> str:
    options = ", ".join(f"{key}={value}" for key, value in fixed.items() if value is not None)
    return f"{name}({options})" if options else name


def _multiple(c: Any) -> tuple[Any, ...]:
    import sympy

    return () if c == 1 else (sympy.Eq(sympy.Mod(symbols("d"), c), 0),)


def _distance(c: int | None = None) -> Formula:
    import sympy

    D = 2 ** sympy.floor(symbols("i") / _axes(c))
    meaning = "D_i, links between the ends of dimension i on a mesh of c equal axes"
    return Formula(_label("distance", c=c), meaning, D, (), "[calmant, section 2.3]")


def _link_load(c: int | None = None) -> Formula:
    import sympy

    i, M = symbols("i M")
    axes = _axes(c)
    load = _line_load(sympy.floor((i + M - 1) / axes), sympy.ceiling(M / axes))
    meaning = "lambda<i,M>_c, messages on the busiest link when i..i+M-1 are exchanged together"
    return Formula(_label("link-load", c=c), meaning, load, (), "[calmant, sections 3.1 and 4.1]")


def _line_load(top: Any, levels: Any) -> Any:
    """The load of a line whose distances are 2^top and the `levels` - 1 powers below."""
    import sympy

    return (2 ** (top + 2) - 2 ** (top + 2 - levels - sympy.Mod(levels, 2))) / 3


def _ring_load(i: Any, M: Any, c: Any) -> Any:
    """lambda<i,M>_c of a torus: a message over half a ring loads half of what it does on a line."""
    import sympy

    w = symbols("d") / c
    top, levels = sympy.floor((i + M - 1) / c), sympy.ceiling(M / c)
    closed = sympy.Piecewise((1, w <= 1), (2 ** (w - 2) + _line_load(w - 2, levels - 1), True))
    return sympy.Piecewise((_line_load(top, levels), top < w - 1), (closed, True))


def _two_sides_load(i: Any, M: Any) -> Any:
    """lambda<i,M> of sides 2^a and 2^(d-a): even dimensions on axis 0, odd ones on axis 1.

    The dimensions beyond those of the shorter axis are all on the longer one, which then has the
    larger load.
    """
    import sympy

    d, a = symbols("d a")
    short, last = sympy.Min(a, d - a), i + M - 1
    before = sympy.Piecewise((sympy.ceiling(i / 2), a > d - a), (sympy.floor(i / 2), True))
    levels = last + 1 - sympy.Max(i, 2 * short) + sympy.Max(0, short - before)
    equal = _line_load(sympy.floor(last / 2), sympy.ceiling(M / 2))
    return sympy.Piecewise((equal, last < 2 * short), (_line_load(last - short, levels), True))


def _link_load_of_torus(c: int | None = None) -> Formula:
    d, i, M = symbols("d i M")
    axes = _axes(c)
    meaning = "lambda<i,M>_c on a torus of c equal axes"
    domain = (*_multiple(axes), i + M <= d)
    source = "counted for d <= 13 on up to four axes; lccmodel.pipelining.task"
    name = _label("link-load-torus", c=c)
    return Formula(name, meaning, _ring_load(i, M, axes), domain, source, derived=False)


def _link_load_of_two_sides() -> Formula:
    d, i, M, a = symbols("d i M a")
    meaning = "lambda<i,M> on a mesh of sides 2^a and 2^(d-a)"
    domain = (a < d, i + M <= d)
    source = "counted for d <= 10; lccmodel.pipelining.task"
    load = _two_sides_load(i, M)
    return Formula("link-load-two-sides", meaning, load, domain, source, derived=False)


def _summed(load: Callable[[Any, Any], Any]) -> Any:
    """P(d,Q) in the model load: the sum of lambda over all windows of dimensions."""
    import sympy

    d, Q = symbols("d Q")
    stage = sympy.Symbol("stage")
    windows = load(sympy.Max(0, stage - Q), sympy.Min(stage, Q, d, d + Q - stage))
    return sympy.Sum(windows, (stage, 1, d + Q - 1))


def _steps_of_torus(c: int | None = None) -> Formula:
    axes = _axes(c)
    meaning = "P(d,Q), steps of all iterations in the model load, on a torus of c equal axes"
    total = _summed(lambda i, M: _ring_load(i, M, axes))
    source = "the sum of link-load-torus; counted for d <= 8"
    name = _label("steps-torus", c=c)
    return Formula(name, meaning, total, _multiple(axes), source, derived=False)


def _steps_of_two_sides() -> Formula:
    d, a = symbols("d a")
    meaning = "P(d,Q), steps of all iterations in the model load, sides 2^a and 2^(d-a)"
    source = "the sum of link-load-two-sides; counted for d <= 8"
    return Formula("steps-two-sides", meaning, _summed(_two_sides_load), (a < d,), source, False)


def _lower_bound(c: int | None = None) -> Formula:
    import sympy

    load = _link_load(c)
    bound = sympy.Max(load.expression, symbols("M"))
    meaning = "LB<i,M>_c, steps that one port and the links need"
    return Formula(_label("lower-bound", c=c), meaning, bound, (), "[calmant, Theorem 4]")


def _task_steps(c: int | None = None) -> Formula:
    """Tasks of 2c dimensions from the top, each as long as its bound, and what is left below."""
    import sympy

    i, M, k = symbols("i M k")
    axes = _axes(c)
    load = _link_load(c).expression
    rest = sympy.Mod(M, 2 * axes)
    bound = sympy.Max(load.subs(M, rest), rest)
    below = sympy.Piecewise((bound, rest <= axes), (2 * sympy.ceiling(bound / 2), True))
    part = sympy.Max(2 ** (sympy.floor((i + M - 1) / axes) - 2 * k + 2), 2 * axes)
    P = sympy.Sum(part, (k, 1, sympy.floor(M / (2 * axes)))) + below
    meaning = "P<i,M>_c, steps of the paper's schedule of a task"
    source = "[calmant, section 4.2, Properties 1 to 3]"
    return Formula(_label("task-steps", c=c), meaning, P, (), source)


def _steps(c: int | None = None, model: Model = "schedule") -> Formula:
    from lccmodel.pipelining.cost.formulas import steps_formula

    name = _label("steps", c=c, model=model)
    meaning = f"P(d,Q), steps of all iterations in the model {model}"
    source = "[calmant, appendix A.3]; lccmodel.pipelining.cost.derive"
    return Formula(name, meaning, steps_formula(c, model), _multiple(_axes(c)), source)


def _time(c: int | None = None, model: Model = "schedule") -> Formula:
    from lccmodel.pipelining.cost.formulas import communication_time

    name = _label("time", c=c, model=model)
    meaning = f"T(d,Q), time of all iterations in the model {model}"
    source = "[calmant, sections 3.3 and 4.3]; lccmodel.pipelining.cost.derive"
    return Formula(name, meaning, communication_time(c, model), _multiple(_axes(c)), source)


def _baseline(c: int | None = None) -> Formula:
    d, N, alpha, tau, b = symbols("d N alpha tau b")
    axes = _axes(c)
    time = axes * (2 ** (d / axes) - 1) * (alpha + N * tau) + d * b
    meaning = "T(d,1), one dimension after the other without pipelining"
    source = "[calmant, section 2.3]"
    return Formula(_label("baseline", c=c), meaning, time, _multiple(axes), source)


def _rest(c: int, first: Model = "schedule", second: Model = "load") -> Formula:
    import sympy

    from lccmodel.pipelining.cost.formulas import steps_formula

    d, Q = symbols("d Q")
    pieces = []
    for regime in ("shallow", "deep"):
        forms = (steps_formula(c, model, regime) for model in (first, second))
        pieces.append(next(forms) - next(forms))
    rest = sympy.Piecewise((pieces[0], Q < d), (pieces[1], True))
    name = _label("rest", c=c, first=first, second=second)
    meaning = f"P(d,Q) of the model {first} less that of {second}"
    source = "lccmodel.pipelining.cost.derive"
    return Formula(name, meaning, rest, _multiple(sympy.Integer(c)), source, True, ("Q", "d"))


def _border(c: int | None = None, model: Model = "load") -> Formula:
    import sympy

    d, alpha, tau, b = symbols("d alpha tau b")
    axes = _axes(c)
    name = _label("border", c=c, model=None if model == "load" else model)
    meaning = f"N*: the best degree in the model {model} is at most d exactly for N <= N*"
    if model != "load":
        A, B = _deep_line(c, model)
        border = d * (d + 1) * (B * alpha + b) / (A * tau)
        excluded = (1, 2, 4) if model == "paper" and c != 1 else (1,)
        exceptions = [sympy.Ne(d, factor * axes) for factor in excluded]
        source = (
            "P = A + B Q for Q >= d; counted for d <= 13 on up to three axes; for d = c there is "
            "no border" + (", for 2c and 4c no formula" if model == "paper" and c != 1 else "")
        )
        domain = (*_multiple(axes), *exceptions, tau > 0)
        return Formula(name, meaning, border, domain, source, derived=False)
    X = 2 ** (d / axes)
    even = sympy.Eq(sympy.Mod(d / axes, 2), 0)
    A = sympy.Piecewise(
        ((16 * axes - 12) * X - 16 * axes + 3 * d + 12, even),
        ((16 * axes - 12) * X - 11 * axes - 3 * d + 6, True),
    )
    B = sympy.Piecewise((12 * X - 12, even), (12 * X - 6, True))
    border = d * (d + 1) * (B * alpha + 18 * b) / (A * tau)
    exception: tuple[Any, ...] = (d > 1,) if axes == 1 else (sympy.Ne(d, 3 * axes),)
    if axes == symbols("c"):
        exception = (
            sympy.Or(sympy.Ne(d, 3 * axes), sympy.Eq(axes, 1)),
            sympy.Or(d > 1, axes > 1),
        )
    source = (
        "convexity of T for Q >= d; shown for c <= 5, d <= 40, with no formula for d = 3c, c >= 2, "
        "and no border for d = 1"
    )
    domain = (*_multiple(axes), *exception, tau > 0)
    return Formula(name, meaning, border, domain, source, derived=False)


def _deep_line(c: int | None, model: Model) -> tuple[Any, Any]:
    """A and B of the steps P = A + B Q for Q >= d."""
    import sympy

    from lccmodel.pipelining.cost.formulas import steps_formula

    Q = symbols("Q")
    P = sympy.piecewise_fold(steps_formula(c, model, "deep"))
    branches = P.args if isinstance(P, sympy.Piecewise) else ((P, sympy.true),)
    slopes = [(sympy.expand(form).coeff(Q, 1), where) for form, where in branches]
    rests = [(sympy.expand(form).coeff(Q, 0), where) for form, where in branches]
    return sympy.Piecewise(*rests), sympy.Piecewise(*slopes)


def _exchange(method: str) -> Formula:
    from lccmodel.pipelining.methods import METHODS

    d, c, B, alpha, tau, k = symbols("d c B alpha tau k")
    n = 2 ** (d / c)
    half, part = alpha + 2 ** (d - 1) * B * tau, alpha + 2 ** (d - c) * B * tau
    forms = {
        "baseline": c * (n - 1) * half,
        "binary": c * (n - 1) * half,
        "quadrant": (2**c - 1) * (n - 1) * part,
        "quadrant-overlapped": (2 ** (c - 1) * n - 1) * part,
        "direct": n ** (c + 1) / 4 * (alpha + B * tau),
        "hybrid": _hybrid(),
        "store-and-forward": c * (n - 1) * alpha + c * (n**2 / 2 - 1) * n ** (c - 1) * B * tau,
    }
    checked_word("method", method, forms, "; the others are minima over degrees or levels")
    domain = list(_multiple(c))
    if method == "direct":
        domain.append(d >= 2 * c)
    if method == "hybrid":
        domain.append(k < d / c)
    entry = METHODS[method]
    name, meaning = _label("exchange", method=method), f"complete exchange: {entry.title}"
    if method == "hybrid":
        meaning += ", blocks of side 2^k; the method takes the best k"
    source = f"{entry.provenance}: lccmodel.pipelining.methods"
    return Formula(name, meaning, forms[method], tuple(domain), source)


def _hybrid() -> Any:
    """Blocks of side g = 2^k first, then direct exchange between them (k = 0: direct alone)."""
    import sympy

    d, c, B, alpha, tau, k = symbols("d c B alpha tau k")
    n, g = 2 ** (d / c), 2**k
    inside = sympy.Piecewise(
        (0, sympy.Eq(k, 0)), ((2 ** (c - 1) * g - 1) * (alpha + 2 ** (d - c) * B * tau), True)
    )
    steps = sympy.Piecewise(
        (2**c - 1, sympy.Eq(d, c)),
        (g * 2 ** (c - 1), sympy.Eq(k, d / c - 1)),
        (n ** (c + 1) / (4 * g**c), True),
    )
    return inside + steps * (alpha + g**c * B * tau)


def _baseline_of_two_sides(kind: str = "mesh") -> Formula:
    d, a, N, alpha, tau, b = symbols("d a N alpha tau b")
    steps = {
        "mesh": lambda width: 2**width - 1,
        "torus": _torus_steps,
    }
    checked_word("kind", kind, steps)
    total = steps[kind](a) + steps[kind](d - a)
    name = _label("baseline-two-sides", kind=kind)
    meaning = f"T(d,1) without pipelining on a {kind} of sides 2^a and 2^(d-a)"
    time = total * (alpha + N * tau) + d * b
    source = "[calmant, section 2.3], for any two sides"
    return Formula(name, meaning, time, (a < d,), source)


def _torus_steps(width: Any) -> Any:
    """Distances 1, 2, ... along a ring; the last dimension uses both directions of it."""
    import sympy

    return sympy.Piecewise((1, width <= 1), (3 * 2 ** (width - 2) - 1, True))


def _baseline_of_torus() -> Formula:
    d, c, N, alpha, tau, b = symbols("d c N alpha tau b")
    time = c * _torus_steps(d / c) * (alpha + N * tau) + d * b
    meaning = "T(d,1) without pipelining on a torus of c equal axes"
    source = "[calmant, section 2.3], for rings"
    return Formula("baseline-torus", meaning, time, _multiple(c), source)


def _fft_cycles(part: str = "neighbours") -> Formula:
    """A message of F flits without contention takes F + channels + 1 cycles."""
    import sympy

    n, F = symbols("n F")
    h = sympy.floor(n / 2)
    parts = {
        "neighbours": (n * (F + 2), "all exchanges with neighbours, one channel each", True),
        "map": (F + 2 * h + 1, "the bit reversal after an optimal mapping, 2⌊n/2⌋ channels", True),
        "e-cube": (
            2 ** (h - 1) * (F + 1) + h + 1,
            "the bit reversal with e-cube routing: T messages on a channel, then h + 1 cycles",
            False,
        ),
    }
    checked_word("part", part, parts)
    cycles, meaning, derived = parts[part]
    source = "[hou, Table 1]: F + channels + 1 cycles without contention"
    if not derived:
        source = "[hou, Table 1]; fits the simulated cycles for n <= 8"
    name = _label("fft-cycles", part=part)
    return Formula(name, f"cycles: {meaning}", cycles, (n >= 2,), source, derived)


def _linear_complements() -> Formula:
    import sympy

    n, i = symbols("n"), sympy.Symbol("i")
    count = 2**n * sympy.Product(2**n - 2**i, (i, 0, n - 1))
    meaning = "|LC_n|, linear-complement permutations of 2^n nodes"
    return Formula("linear-complement", meaning, count, (), "[boppana, section 3.3.1]")


@cache
def _partition_functions() -> tuple[Any, Any]:
    """PLC(n) and undivided(k) as sympy functions that count for integers."""
    import sympy

    def linear(k: int) -> int:
        return math.prod((1 << k) - (1 << i) for i in range(k))

    @cache
    def matrices(k: int) -> int:
        rest = sum(matrices(j) * linear(k - j) << j * (k - j) for j in range(1, k))
        return linear(k) - rest

    @cache
    def count(n: int) -> int:
        if not n:
            return 1
        return sum((matrices(k) << k) * count(n - k) ** (1 << k) for k in range(1, n + 1))

    class PLC(sympy.Function):  # type: ignore[misc]
        @classmethod
        def eval(cls, n: Any) -> Any:
            return sympy.Integer(count(int(n))) if n.is_Integer else None

    class undivided(sympy.Function):  # type: ignore[misc] # noqa: N801 - its printed name
        @classmethod
        def eval(cls, k: Any) -> Any:
            return sympy.Integer(matrices(int(k)) << int(k)) if k.is_Integer else None

    return PLC, undivided


def _partitioned() -> Formula:
    import sympy

    PLC, undivided = _partition_functions()
    n, k = symbols("n k")
    count = sympy.Sum(undivided(k) * PLC(n - k) ** (2**k), (k, 1, n))
    meaning = (
        "|PLC_n|, partitioned permutations; undivided(k) of LC_k have no two triangular blocks"
    )
    return Formula("partitioned", meaning, count, (n <= 12,), "[boppana, formula (3)], corrected")


def _self_routing() -> Formula:
    meaning = "steps of HL on a hypercube, one bit each"
    return Formula("self-routing", meaning, symbols("n") + 0, (), "[boppana, Theorem 1]")


def _self_routing_mesh(ports: str = "one") -> Formula:
    n, a = symbols("n a")
    per_axis = {
        "all": lambda w: 2**w - 1,
        "one": lambda w: 2 ** (w + 1) - 2 - w,
        "one-direction": lambda w: 2 ** (w + 1) - 2,
    }
    checked_word("ports", ports, per_axis)
    steps = per_axis[ports](a) + per_axis[ports](n - a)
    meaning = (
        f"unit steps of HL on a mesh of sides 2^a and 2^(n-a) if all bits change, ports {ports}"
    )
    source = "lccmodel.movement.unit_steps"
    return Formula(_label("self-routing-mesh", ports=ports), meaning, steps, (a < n,), source)


def _simd_mesh() -> Formula:
    n, a = symbols("n a")
    steps = 2 * (2**a - 1) + 2 * (2 ** (n - a) - 1)
    meaning = "Sibeyn's steps on a SIMD mesh of sides 2^a and 2^(n-a): 2·2^j for bit j of an axis"
    return Formula("simd-mesh", meaning, steps, (a < n,), "[sibeyn, section 3]")


def _bit_complementation() -> Formula:
    import sympy

    steps = 2 * 2 ** sympy.floor(symbols("i") / 2)
    meaning = "Sibeyn's steps of a selective complementation of bit i on a square SIMD mesh"
    return Formula("bit-complementation", meaning, steps, (), "[sibeyn, Lemma 1]")


def _factorizations() -> Formula:
    n = symbols("n")
    meaning = "products of n - 1 bit exchanges that make one cycle of n bits"
    return Formula("cycle-factorizations", meaning, n ** (n - 2), (), "[edelman, section 5]; Dénes")


FORMULAS: Mapping[str, Callable[..., Formula]] = MappingProxyType(
    {
        "distance": _distance,
        "link-load": _link_load,
        "link-load-torus": _link_load_of_torus,
        "link-load-two-sides": _link_load_of_two_sides,
        "lower-bound": _lower_bound,
        "task-steps": _task_steps,
        "steps": _steps,
        "steps-torus": _steps_of_torus,
        "steps-two-sides": _steps_of_two_sides,
        "time": _time,
        "baseline": _baseline,
        "baseline-torus": _baseline_of_torus,
        "baseline-two-sides": _baseline_of_two_sides,
        "rest": _rest,
        "border": _border,
        "exchange": _exchange,
        "linear-complement": _linear_complements,
        "partitioned": _partitioned,
        "self-routing": _self_routing,
        "self-routing-mesh": _self_routing_mesh,
        "bit-complementation": _bit_complementation,
        "simd-mesh": _simd_mesh,
        "cycle-factorizations": _factorizations,
        "fft-cycles": _fft_cycles,
    }
)
"""The formulas by name, each a function of the arguments that fix it."""

_EXAMPLES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"steps": {"c": 2}, "time": {"c": 2}, "rest": {"c": 2}, "exchange": {"method": "direct"}}
)
"""Arguments of formulas that need some, for a list."""


@typed_arguments
def formula(name: str, **arguments: Any) -> Formula:
    """Return a formula of the papers by its name.

    Args:
        name: a key of `FORMULAS`.
        arguments: what fixes it: c (axes), model, first and second (models), method.

    Raises:
        InputError: no such formula, or an argument that it does not take.

    >>> formula("cycle-factorizations").at(n=5)
    125
    >>> formula("rest", c=2, first="lower-bound", second="load").at(d=4, Q=3)
    3
    """
    checked_word("formula", name, FORMULAS)
    taken = FORMULAS[name].__code__.co_varnames[: FORMULAS[name].__code__.co_argcount]
    for argument, value in arguments.items():
        if argument not in taken:
            rule = f"takes {', '.join(taken) or 'no arguments'}"
            raise InputError(f"formula {name}", rule, argument)
        if argument != "c" and not isinstance(value, str):
            raise InputError(argument, "must be a name", value)
        if argument in ("first", "second", "model"):
            checked_word(argument, value, MODELS)
    if name in ("rest", "exchange") and not arguments:
        raise InputError(f"formula {name}", f"needs {taken[0]}", None)
    return FORMULAS[name](**arguments)


def all_formulas() -> tuple[Formula, ...]:
    """Return every formula once, with an example of the arguments that it needs.

    >>> len(all_formulas()) == len(FORMULAS)
    True
    """
    return tuple(formula(name, **_EXAMPLES.get(name, {})) for name in FORMULAS)
