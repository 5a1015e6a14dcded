"""Formulas of uniform, neighbor and tornado against messages that plain Python walks.

Nothing of the library is used for the counts: patterns, coordinates and routes are written here
from their definitions. `lccmodel.contention` has to agree as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from math import prod

import pytest
import sympy

import lccmodel as lcc
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.symbolic import PatternFormula, contention, total_time

WORDS = ("uniform", "neighbor", "tornado")

Node = tuple[int, ...]


def messages(word: str, sides: Node) -> Iterator[tuple[Node, Node]]:
    """Sender and receiver of every message, as coordinates."""
    nodes = list(product(*(range(k) for k in sides)))
    for x in nodes:
        if word == "uniform":
            yield from ((x, y) for y in nodes if y != x)
            continue
        steps = [1 if word == "neighbor" else (k + 1) // 2 - 1 for k in sides]
        yield x, tuple((c + s) % k for c, s, k in zip(x, steps, sides, strict=True))


def walked(word: str, sides: Node, rings: bool) -> tuple[tuple[int, ...], int]:
    """The largest load of each axis and all hops, link by link; axis 0 first, ties go +."""
    channels: Counter[tuple[int, int, Node]] = Counter()
    for x, y in messages(word, sides):
        at = list(x)
        for axis, k in enumerate(sides):
            ahead = (y[axis] - at[axis]) % k
            up = 2 * ahead <= k if rings else y[axis] > at[axis]
            while at[axis] != y[axis]:
                channels[axis, up, tuple(at)] += 1
                at[axis] = (at[axis] + (1 if up else -1)) % k
    loads = [0] * len(sides)
    for (axis, _, _), count in channels.items():
        loads[axis] = max(loads[axis], count)
    return tuple(loads), sum(channels.values())


def walked_origin(word: str, n: int) -> tuple[tuple[int, ...], int]:
    """The same on routers of a hypercube with two nodes each, which are one ring."""
    channels: Counter[tuple[int, int]] = Counter()
    for (x,), (y,) in messages(word, (1 << n,)):
        at = x >> 1
        for i in range(1, n):
            if (x ^ y) >> i & 1:
                channels[i, at] += 1
                at ^= 1 << (i - 1)
    loads = [max([c for (j, _), c in channels.items() if j == i], default=0) for i in range(n)]
    return tuple(loads), sum(channels.values())


def counted(word: str, network: str, widths: Node) -> tuple[tuple[int, ...], int]:
    if network == "origin":
        return walked_origin(word, widths[0])
    if network == "cube":
        return walked(word, (2,) * widths[0], rings=False)
    return walked(word, tuple(1 << w for w in widths), rings=network == "torus")


def splits(n: int, parts: int) -> Iterator[Node]:
    """The bits of the axes, at least 1 each, of n bits."""
    yield from (w for w in product(range(1, n + 1), repeat=parts) if sum(w) == n)


def formula(word: str, network: str, axes: int) -> PatternFormula:
    sides = " x ".join(f"2^{name}" for name in "abcd"[:axes])
    T = contention(word, f"{network}:{sides}" if axes else f"{network}:n")
    assert isinstance(T, PatternFormula)
    return T


def differing(T: PatternFormula, widths: Node) -> list[str]:
    """Which values of a formula are not those that were counted."""
    n = sum(widths)
    values = {"n": n, **dict(zip("abc", widths[:-1], strict=False))}
    loads, hops = counted(T.name, T.network, widths)
    at = {sympy.Symbol(name): value for name, value in values.items()}
    pairs = {
        "loads": (T.loads_at(**values), loads),
        "degree": (T.degree.subs(at), max(loads)),
        "sum": (T.total.subs(at), sum(loads)),
        "distance": (T.distance.subs(at), hops),
    }
    return [f"{key} {values}: {p} for {q}" for key, (p, q) in pairs.items() if p != q]


CASES = [
    *((network, 0, (n,)) for network in ("cube", "origin") for n in range(1, 9)),
    *(
        (network, axes, widths)
        for network in ("mesh", "torus")
        for axes in (2, 3)
        for n in range(axes, 9)
        for widths in splits(n, axes)
    ),
]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    "bits",
    [range(1, 6), pytest.param(range(6, 9), marks=pytest.mark.slow)],
    ids=["n <= 5", "n <= 8"],
)
def test_loads_degree_sum_and_distance_are_those_of_walked_messages(word: str, bits: range) -> None:
    """P1 to P3 for every n and all sides, sides of two nodes and n = 1 among them."""
    tested = [case for case in CASES if sum(case[2]) in bits]
    assert len(tested) >= 50
    wrong = [
        line
        for network, axes, widths in tested
        for line in differing(formula(word, network, axes), widths)
    ]
    assert not wrong, wrong[:5]


def test_a_near_miss_is_found() -> None:
    """The sum of rings with ties split, 2^n k / 8, and one hop more of tornado are rejected."""
    T = formula("uniform", "torus", 2)
    n, a = sympy.symbols("n a")
    split = (2 ** (n + a - 3), 2 ** (2 * n - a - 3))
    assert differing(replace(T, loads=split), (2, 2))
    tornado = formula("tornado", "mesh", 2)
    further = tuple(load + 1 for load in tornado.loads)
    assert differing(replace(tornado, loads=further), (1, 3))
    assert not replace(tornado, loads=further).checked(4).all_equal
    assert differing(replace(tornado, distance=tornado.distance + 1), (2, 3))


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize(
    ("network", "axes", "widths"),
    [
        ("cube", 0, (5,)),
        ("origin", 0, (1,)),
        ("origin", 0, (6,)),
        ("mesh", 2, (3, 2)),
        ("torus", 3, (2, 1, 3)),
    ],
)
def test_at_is_the_contention_that_is_counted(
    word: str, network: str, axes: int, widths: Node
) -> None:
    sides = "x".join(str(1 << w) for w in widths) if axes else str(widths[0])
    values = {"n": sum(widths), **dict(zip("abc", widths[:-1], strict=False))}
    T, expected = formula(word, network, axes), lcc.contention(word, f"{network}:{sides}")
    found = T.at(**values)
    assert (found.per_dimension, found.degree) == (expected.per_dimension, expected.degree)
    assert found.distance == expected.distance
    assert T.checked(4).all_equal


def test_a_large_network() -> None:
    """20 bits: N = 2^20, sides 2^10; no message is listed."""
    T = formula("uniform", "torus", 2)
    assert T.loads_at(n=20, a=10) == (2**17 * 1026,) * 2
    with pytest.raises(SizeLimitError, match="at most 13 bits are listed"):
        T.at(n=20, a=10)
    assert formula("tornado", "torus", 2).at(n=16, a=8).per_dimension == (127, 127)
    assert prod(formula("tornado", "cube", 0).loads_at(n=40)) == 0


def test_views_and_times() -> None:
    T = formula("neighbor", "torus", 2)
    assert repr(T) == "<contention of neighbor on torus:2^(a) x 2^(-a + n): (1, 1)>"
    assert (T.latex, T.domain, T.derived) == ("1, 1", "a >= 1 and a < n", True)
    n, alpha, m, tau = sympy.symbols("n alpha m tau")
    assert sympy.expand(total_time(["uniform"]) - alpha - m * tau * 2 ** (n - 1)) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: contention("hotspot:0,0.5"), "hotspot: has no family in n: its node"),
        (lambda: contention("randperm:3", "mesh:2^a x 2^b"), "randperm: has no family in n"),
        (lambda: contention("neighbor:2"), "neighbor has no parameters"),
        (lambda: contention("uniform", "fattree:4x4"), "no rule covers this network"),
        (lambda: contention("uniform").checked(11), "must be at most 10"),
        (lambda: formula("uniform", "mesh", 2).loads_at(n=4), "a: must be"),
        (lambda: formula("uniform", "mesh", 2).loads_at(n=4, a=4), "a: must satisfy a < n"),
        (lambda: formula("uniform", "mesh", 2).loads_at(n=4, a=0), "a: must satisfy a >= 1"),
        (lambda: formula("uniform", "mesh", 2).loads_at(n=4, a=2, b=2), "got 'b'"),
    ],
)
def test_refusals(call: Callable[[], object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        call()
