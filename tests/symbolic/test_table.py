"""Every entry of the table of closed forms, by the public calls and by messages walked.

The forms are written here as functions of integers, from the rules and without the library. Each
is compared with `symbolic.contention` and `symbolic.optimal_reordering`, whose values come from
their sympy expressions, and with every message walked, for all parameters: n <= 7 in the fast
suite, n <= 12 in the slow one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import gcd
from typing import NamedTuple

import pytest

import lccmodel as lcc
from lccmodel import LCC
from lccmodel.symbolic import (
    ContentionFormula,
    Family,
    contention,
    family,
    optimal_reordering,
    symbols,
)
from lccmodel.symbolic.counting import walked_cube
from tests.symbolic.orders import reordered


class Entry(NamedTuple):
    """A row of the table: T_i, degree and sum on the cube; degree and sum on the origin; best."""

    load: Callable[..., int]
    degree: Callable[..., int]
    total: Callable[..., int]
    on_origin: Callable[..., tuple[int, int]]
    best: Callable[..., tuple[int, int]]


def _reversal(low: int, high: int, i: int) -> int:
    inside = low <= i < high and 2 * i != low + high - 1
    return 2 ** min(i - low, high - 1 - i) if inside else 0


def _reversed_part(low: int, high: int) -> tuple[int, int]:
    """Degree and sum on the cube."""
    half = (high - low) // 2
    return (2**half // 2, 2 * (2**half - 1)) if half else (0, 0)


def _reversed_part_on_origin(low: int, high: int) -> tuple[int, int]:
    degree, total = _reversed_part(low, high)
    return (2 * degree, 2 * total) if low else (degree, max(total - 1, 0))


def _part(bounds: Callable[..., tuple[int, int]]) -> Entry:
    """The bits low..high-1 are reversed among themselves."""

    def best(**v: int) -> tuple[int, int]:
        half = (bounds(**v)[1] - bounds(**v)[0]) // 2
        return min(half, 1), min(half, 2)

    return Entry(
        lambda i, **v: _reversal(*bounds(**v), i),
        lambda **v: _reversed_part(*bounds(**v))[0],
        lambda **v: _reversed_part(*bounds(**v))[1],
        lambda **v: _reversed_part_on_origin(*bounds(**v)),
        best,
    )


def _shift(up: Callable[..., int]) -> Entry:
    """A transposition of 2^r rows and 2^c columns, n = r + c: bits are shifted up by r."""

    def sides(**v: int) -> tuple[int, int]:
        return up(**v), v["n"] - up(**v)

    def middle(**v: int) -> int:
        r, c = sides(**v)
        return min(r - 1, c)

    def on_origin(**v: int) -> tuple[int, int]:
        (r, c), m = sides(**v), middle(**v)
        first = min(c, r - 2)  # -1 for r = 1
        total = 2 ** (first + 1) * (r - first) + 2**m * (c - m + 2) - 4
        return 2 ** (first + 1), total

    return Entry(
        lambda i, n, **v: 2 ** min(i, middle(n=n, **v), n - 1 - i),
        lambda **v: 2 ** middle(**v),
        lambda n, **v: 2 ** middle(n=n, **v) * (n - 2 * middle(n=n, **v) + 2) - 2,
        on_origin,
        lambda **v: (1, 1 if gcd(*sides(**v)) == 1 else 2),
    )


def _turned(count: Callable[..., int], begin: Callable[..., int]) -> Entry:
    """`count` bits from bit `begin` on are complemented, the others stay."""

    def linked(**v: int) -> int:
        return count(**v) - (count(**v) > 0 and begin(**v) == 0)

    return Entry(
        lambda i, **v: int(begin(**v) <= i < begin(**v) + count(**v)),
        lambda **v: int(count(**v) > 0),
        count,
        lambda **v: (2 * (linked(**v) > 0), 2 * linked(**v)),
        lambda **v: (int(count(**v) > 0), 2 * (count(**v) > 1)),
    )


_GRAY = Entry(
    lambda i, n: int(i < n - 1),
    lambda n: int(n >= 2),
    lambda n: n - 1,
    lambda n: (2 * (n >= 3), max(2 * (n - 2), 0)),
    lambda n: (int(n >= 2), int(n >= 3)),
)

TABLE: dict[str, Entry] = {
    "bit-reverse": _part(lambda n: (0, n)),
    "fft": _part(lambda n: (0, n)),
    "fft-rows": _part(lambda n, a: (0, a)),
    "fft-columns": _part(lambda n, a: (a, n)),
    "bit-reverse-part": _part(lambda n, low, high: (low, high)),
    "reverse-flip": Entry(
        lambda i, n: 2 ** min(i, n - 1 - i),
        lambda n: 2 ** ((n - 1) // 2),
        lambda n: 3 * 2 ** (n // 2) - 2 if n % 2 else 2 * (2 ** (n // 2) - 1),
        lambda n: (
            2 ** ((n - 1) // 2) if n >= 2 else 0,
            (3 * 2 ** (n // 2) - 2 if n % 2 else 2 * (2 ** (n // 2) - 1)) - 1,
        ),
        lambda n: (1, min(n - 1, 2)),
    ),
    "matrix-transpose:r": _shift(lambda n, r: r),
    "shift:k": _shift(lambda n, k: k),
    "reflect-diagonal": _shift(lambda n, a: n - a),
    "reflect-antidiagonal": _shift(lambda n, a: n - a),
    "rotate90-clockwise": _shift(lambda n, a: n - a),
    "rotate90-counterclockwise": _shift(lambda n, a: n - a),
    "perfect-shuffle": Entry(
        lambda i, n: 1, lambda n: 1, lambda n: n, lambda n: (1, n - 1), lambda n: (1, 1)
    ),
    "unshuffle": Entry(
        lambda i, n: 2 ** min(1, i, n - 1 - i),
        lambda n: 2 if n >= 3 else 1,
        lambda n: 2 * n - 2,
        lambda n: (2 ** (1 + min(1, n - 3)), 4 * n - 8 if n >= 3 else 1),
        lambda n: (1, 1),
    ),
    "butterfly:k": Entry(
        lambda i, n, k: int(i in (0, k)),
        lambda n, k: 1,
        lambda n, k: 2,
        lambda n, k: (1, 1),
        lambda n, k: (1, 1),
    ),
    "exchange:k": _turned(lambda n, k: 1, lambda n, k: k),
    "vector-reversal": _turned(lambda n: n, lambda n: 0),
    "rotate180": _turned(lambda n: n, lambda n: 0),
    "reflect-vertical": _turned(lambda n, a: a, lambda n, a: 0),
    "reflect-horizontal": _turned(lambda n, a: n - a, lambda n, a: a),
    "translation": Entry(
        lambda i, n, vector: vector >> i & 1,
        lambda n, vector: int(vector > 0),
        lambda n, vector: vector.bit_count(),
        lambda n, vector: (2 * (vector > 1), 2 * (vector >> 1).bit_count()),
        lambda n, vector: (int(vector > 0), 2 * (vector.bit_count() > 1)),
    ),
    "gray-code": _GRAY,
    "inverse-gray-code": _GRAY,
    "scale2": Entry(
        lambda i, n, a: 2 if i < a else 1,
        lambda n, a: 2,
        lambda n, a: n + a,  # 2 a + b
        lambda n, a: (2 if a == 1 else 4, 2 * a + 2 * n - 4),
        lambda n, a: (2, 2),
    ),
}


def distance(member: LCC, internal: bool) -> int:
    """Messages times links, message by message."""
    nodes = range(1 << member.n)
    scatter = member.kind == "scatter"
    other = member.source if scatter else member.destination
    return sum(((v ^ int(other(v))) >> internal).bit_count() for v in nodes)


SYMBOLIC = 4
"""Address bits up to which sympy evaluates every expression, and the library counts."""

LONG = ("bit-reverse-part", "translation")
BITS = [7, pytest.param(12, marks=pytest.mark.slow)]


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("word", TABLE)
def test_every_entry(word: str, bits: int) -> None:
    """R1, R2, R5, R6, R6b, R9: occupancies (`checked`), loads, degree, sum and distance."""
    entry, bits = TABLE[word], bits - 2 if word in LONG else bits
    for network in ("cube", "origin"):
        T = contention(word, f"{network}:n")
        assert isinstance(T, ContentionFormula)
        assert T.derived
        checked = T.checked(bits)
        assert checked.all_equal, checked.differing
        assert checked.walked >= bits - 1
        for values in T.family.members(bits):
            where = (word, network, values)
            member, loads = T.family.at(**values), T.loads_at(**values)
            expected = (entry.degree(**values), entry.total(**values))
            if network == "origin":
                expected = entry.on_origin(**values)
            else:
                assert loads == tuple(entry.load(i=i, **values) for i in range(member.n)), where
            assert (max(loads), sum(loads)) == expected, where
            if member.n <= SYMBOLIC or bits > 7:
                assert (T.degree.subs(values), T.total.subs(values)) == expected, where
            if member.n <= SYMBOLIC:
                hops = distance(member, network == "origin")
                assert T.distance.subs(values) == T.at(**values).distance == hops, where
                symbolic = [T.load.subs({**values, "i": i}) for i in range(member.n)]
                assert tuple(symbolic) == loads, where
                assert T.at(**values) == lcc.contention(member, f"{network}:{member.n}"), where


@pytest.mark.parametrize("bits", [4, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("word", TABLE)
def test_every_best_degree(word: str, bits: int) -> None:
    """R7, R8, R11: the order has the degree, and no other order up to 4 bits has less."""
    bits = 10 if word == "translation" and bits == 12 else bits  # 2^n vectors of n bits
    for place, network in enumerate(("cube", "origin")):
        m = optimal_reordering(word, f"{network}:n")
        for values in m.family.members(bits):
            member, best = m.family.at(**values), TABLE[word].best(**values)[place]
            loads = walked_cube(reordered(member, m.order_at(**values)), place > 0)
            where = (word, network, values)
            assert best == max(loads) == m.after.degree.subs(values), where
            assert sum(loads) == m.after.total.subs(values), where
            if member.n <= 4:
                orders = itertools.permutations(range(member.n))
                degrees = (
                    max(walked_cube(reordered(member, order), place > 0)) for order in orders
                )
                assert best == min(degrees), where


ORDERS: dict[str, Callable[..., list[int]]] = {
    "bit-reverse": lambda n: [n - 1 - p // 2 if p % 2 else p // 2 for p in range(n)],
    "square transposition": lambda r: [p // 2 + r * (p % 2) for p in range(2 * r)],
    "shift:k": lambda n, k: [
        (p // (n // gcd(n, k)) + p % (n // gcd(n, k)) * k) % n for p in range(n)
    ],
}


def chosen(name: str) -> Family:
    square = name == "square transposition"
    return family("matrix-transpose:r", n="2*r") if square else family(name)


@pytest.mark.parametrize("name", ORDERS)
def test_the_orders_of_the_table(name: str) -> None:
    """π(2j) = j and n-1-j; j and j + h; (q + s k) mod n: as sympy gives them, for n <= 8."""
    m = optimal_reordering(chosen(name))
    for values in m.family.members(8):
        order = ORDERS[name](**values)
        if name == "bit-reverse":  # as an expression in the place
            from_sympy = m.order(symbols("i"))
            assert [from_sympy.subs({**values, "i": p}) for p in range(len(order))] == order
        assert list(m.order_at(**values)) == order, values


# -- meshes and tori -----------------------------------------------------------------------------

Forms = Callable[[int, int], tuple[int | None, int | None]]
MESHES: dict[str, Forms] = {
    "bit-reverse": lambda a, b: (
        (2**a - 1, (2**a - 1) * 2 ** (b - a))
        if a <= b
        else (2 ** (a - 1) - 1 if a == b + 1 else 2 ** (a - 2), 2**b - 1)
    ),
    "square transposition": lambda a, b: (
        (2**a - 1, 2**a - 1)
        if a == b
        else (2 ** (a - 2) + 2 ** ((a + b) // 2 - 1) - 2 ** ((a - b) // 2 - 1), 2**b - 1)
        if a > b
        else (None, None)
    ),
    "reverse-flip": lambda a, b: (
        {1: 2 ** (a - 1), 2: 2 ** (a - 1) - 1}.get(a - b, 2 ** (a - 2) + 2**b) if a > b else None,
        None,
    ),
    "perfect-shuffle": lambda a, b: (2 ** (a - 2) if a >= 2 else 1, 2 ** (b - 1)),
    "unshuffle": lambda a, b: (2 ** (a - 1), 2 ** (b - 2) if b >= 2 else 1),
    "gray-code": lambda a, b: (2 ** (a - 1), 2 ** (b - 2) if b >= 2 else 0),
    "vector-reversal": lambda a, b: (2 ** (a - 1), 2 ** (b - 1)),
    "butterfly": lambda a, b: (1, 2 ** (b - 1)),
}
TORI: dict[str, Forms] = {
    "bit-reverse": lambda a, b: (
        2 ** (a - 3) + 2 ** (a - (a - b) // 2 - 2)
        if a >= b + 2
        else 2 ** (a - 1) - 1
        if a == b + 1
        else None,
        2 ** (b - 1) - 2 ** (b - a - 1) + 2 ** ((b - a - 1) // 2) if a < b else None,
    ),
    "square transposition": lambda a, b: (
        2 ** (a - 3) + 2 ** ((a + b) // 2 - 2) if a > b + 2 else None,
        None,
    ),
    "gray-code": lambda a, b: (2 ** (a - 2) + 1 if a >= 2 else None, None),
}
"""None: the table has no form there."""


@pytest.mark.parametrize(
    ("name", "kind"), [*((name, "mesh") for name in MESHES), *((name, "torus") for name in TORI)]
)
def test_every_grid_of_the_table(name: str, kind: str) -> None:
    """Both forms up to 12 bits; `test_families` walks the messages of these loads."""
    forms = (MESHES if kind == "mesh" else TORI)[name]
    T = contention(chosen(name), f"{kind}:2^a x 2^b")
    for values in T.family.members(12, 2):
        n = values["n"] if "n" in values else 2 * values["r"]
        for a in range(1, n):
            at = {**values, "a": a}
            loads = T.loads_at(**at)
            pairs = zip(forms(a, n - a), loads, strict=True)
            assert all(form in (None, load) for form, load in pairs), (name, kind, at)
            if n <= SYMBOLIC:
                assert (T.degree.subs(at), T.total.subs(at)) == (max(loads), sum(loads)), at
