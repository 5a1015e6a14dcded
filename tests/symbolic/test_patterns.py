"""Formulas of uniform, neighbor and tornado against messages that are routed and walked.

The library routes every message for given sides; the formulas have the sides as exponents.
"""

from collections.abc import Iterator
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


def splits(n: int, parts: int) -> Iterator[Node]:
    """The bits of the axes, at least 1 each, of n bits."""
    yield from (w for w in product(range(1, n + 1), repeat=parts) if sum(w) == n)


def formula(word: str, network: str, axes: int) -> PatternFormula:
    sides = " x ".join(f"2^{name}" for name in "abcd"[:axes])
    T = contention(word, f"{network}:{sides}" if axes else f"{network}:n")
    assert isinstance(T, PatternFormula)
    return T


def differing(T: PatternFormula, network: str, widths: Node) -> list[str]:
    """Which values of a formula are not those that were counted."""
    values = {"n": sum(widths), **dict(zip("abc", widths[:-1], strict=False))}
    sides = "x".join(str(1 << w) for w in widths) if T.widths else str(widths[0])
    counted = lcc.contention(T.name, f"{network}:{sides}", method="walk")
    at = T.at(**values)
    pairs = {
        "loads": (T.loads_at(**values), counted.per_dimension),
        "at": (at.per_dimension, counted.per_dimension),
        "degree": (T.degree.subs(values), counted.degree),
        "sum": (T.total.subs(values), sum(counted.per_dimension)),
        "distance": (T.distance.subs(values), counted.distance),
        "distance at": (at.distance, counted.distance),
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
    [range(1, 5), pytest.param(range(5, 9), marks=pytest.mark.slow)],
    ids=["n <= 4", "n <= 8"],
)
def test_formulas_are_those_of_routed_messages(word, bits):
    """P1 to P3 for every n and all sides, sides of two nodes and n = 1 among them."""
    tested = [case for case in CASES if sum(case[2]) in bits]
    assert len(tested) >= 28
    wrong = [
        line
        for network, axes, widths in tested
        for line in differing(formula(word, network, axes), network, widths)
    ]
    assert not wrong, wrong[:5]
    for network, axes in (("cube", 0), ("origin", 0), ("mesh", 2), ("torus", 3)):
        assert formula(word, network, axes).checked(4).all_equal


def test_a_near_miss_is_found():
    """The sum of rings with ties split, 2^n k / 8, and one hop more of tornado are rejected."""
    T = formula("uniform", "torus", 2)
    n, a = sympy.symbols("n a")
    split = (2 ** (n + a - 3), 2 ** (2 * n - a - 3))
    assert differing(replace(T, loads=split), "torus", (2, 2))
    tornado = formula("tornado", "mesh", 2)
    further = tuple(load + 1 for load in tornado.loads)
    assert differing(replace(tornado, loads=further), "mesh", (1, 3))
    assert not replace(tornado, loads=further).checked(4).all_equal
    assert differing(replace(tornado, distance=tornado.distance + 1), "mesh", (2, 3))


def test_a_large_network():
    """20 bits: N = 2^20, sides 2^10; no message is listed."""
    T = formula("uniform", "torus", 2)
    assert T.loads_at(n=20, a=10) == (2**17 * 1026,) * 2
    with pytest.raises(SizeLimitError, match="at most 13 bits are listed"):
        T.at(n=20, a=10)
    assert formula("tornado", "torus", 2).at(n=16, a=8).per_dimension == (127, 127)
    assert prod(formula("tornado", "cube", 0).loads_at(n=40)) == 0


def test_views_and_times():
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
def test_refusals(call, words):
    with pytest.raises(InputError, match=words):
        call()
