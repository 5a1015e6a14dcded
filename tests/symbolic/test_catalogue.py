"""Every family of the catalogue on cubes and origins, its orders, and messages walked.

The values of `symbolic.contention` and `symbolic.optimal_reordering` come from their sympy
expressions. They are compared with every message walked and with the library's counts for given n,
for all parameters: n <= 7 in the fast suite, n <= 12 in the slow one. Grids are in `test_families`.
"""

import itertools
from collections.abc import Callable
from math import gcd

import pytest

import lccmodel as lcc
from lccmodel import LCC
from lccmodel.symbolic import (
    FAMILIES,
    ContentionFormula,
    contention,
    family,
    optimal_reordering,
    symbols,
)
from lccmodel.symbolic.counting import walked_cube
from tests.symbolic.orders import reordered

LONG = ("bit-reverse-part", "translation")
SYMBOLIC = 4
"""Address bits up to which sympy evaluates every expression, and the library counts."""


def distance(member: LCC, internal: bool) -> int:
    """Messages times links, message by message."""
    nodes = range(1 << member.n)
    scatter = member.kind == "scatter"
    other = member.source if scatter else member.destination
    return sum(((v ^ int(other(v))) >> internal).bit_count() for v in nodes)


@pytest.mark.parametrize("bits", [7, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("network", ["cube", "origin"])
@pytest.mark.parametrize("word", [*FAMILIES, "translation:5"])
def test_every_member_equals_its_messages_walked(word, network, bits):
    """R1, R2, R5, R6, R6b, R9: loads and occupancies (`checked`), degree, sum and distance."""
    largest = bits - 2 if word in LONG else bits
    T = contention(word, f"{network}:n")
    assert isinstance(T, ContentionFormula)
    assert T.derived
    checked = T.checked(largest)
    assert checked.all_equal, checked.differing
    assert checked.walked >= largest - 2
    for values in T.family.members(largest):
        member, loads = T.family.at(**values), T.loads_at(**values)
        if member.n <= SYMBOLIC or bits > 7:
            numbers = (T.degree.subs(values), T.total.subs(values))
            assert numbers == (max(loads), sum(loads)), values
        if member.n in (1, SYMBOLIC) or (bits > 7 and member.n < SYMBOLIC):
            hops = distance(member, network == "origin")
            assert T.distance.subs(values) == T.at(**values).distance == hops, values
            symbolic = [T.load.subs({**values, "i": i}) for i in range(member.n)]
            assert tuple(symbolic) == loads, values
            assert T.at(**values) == lcc.contention(member, f"{network}:{member.n}"), values


def least_degree(member: LCC, on_origin: bool) -> int | None:
    """By R7 and R8, from the cycles of a bit permutation; None for another matrix."""
    if member.kind == "scatter" or any(row.bit_count() != 1 for row in member.A.rows):
        return None
    order = [row.bit_length() - 1 for row in member.A.rows]
    if not on_origin:
        return int(order != sorted(order) or any(member.b))
    fixed = sum(order[k] == k and bool(member.b[k]) for k in range(member.n))
    left, cycles = {k for k in range(member.n) if order[k] != k}, 0
    while left:
        bit, cycles = next(iter(left)), cycles + 1
        while bit in left:
            left.remove(bit)
            bit = order[bit]
    if not cycles and fixed <= 1:
        return 0
    return 1 if (cycles, fixed) == (1, 0) else 2


@pytest.mark.parametrize("bits", [5, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("network", ["cube", "origin"])
@pytest.mark.parametrize("word", FAMILIES)
def test_no_order_has_a_lower_degree(word, network, bits):
    """R7, R8, R11: the order has the degree and sum, and no other order up to 4 bits has less."""
    m = optimal_reordering(word, f"{network}:n")
    largest = 10 if word == "translation" and bits == 12 else bits  # 2^n vectors of n bits
    for values in m.family.members(largest):
        member, where = m.family.at(**values), (word, network, values)
        loads = walked_cube(reordered(member, m.order_at(**values)), network == "origin")
        assert max(loads) == m.after.degree.subs(values), where
        assert sum(loads) == m.after.total.subs(values), where
        assert least_degree(member, network == "origin") in (None, max(loads)), where
        if member.n <= 4:
            orders = itertools.permutations(range(member.n))
            walks = (walked_cube(reordered(member, order), network == "origin") for order in orders)
            assert max(loads) == min(max(walk) for walk in walks), where


ORDERS: dict[str, Callable[..., list[int]]] = {
    "bit-reverse": lambda n: [n - 1 - p // 2 if p % 2 else p // 2 for p in range(n)],
    "square transposition": lambda r: [p // 2 + r * (p % 2) for p in range(2 * r)],
    "shift:k": lambda n, k: [
        (p // (n // gcd(n, k)) + p % (n // gcd(n, k)) * k) % n for p in range(n)
    ],
}


@pytest.mark.parametrize("name", ORDERS)
def test_the_orders_of_the_rules(name):
    """π(2j) = j and n-1-j; j and j + h; (q + s k) mod n: as sympy gives them, for n <= 8."""
    square = family("matrix-transpose:r", n="2*r")
    m = optimal_reordering(square if name == "square transposition" else name)
    for values in m.family.members(8):
        order = ORDERS[name](**values)
        if name == "bit-reverse":  # as an expression in the place
            from_sympy = m.order(symbols("i"))
            assert [from_sympy.subs({**values, "i": p}) for p in range(len(order))] == order
        assert list(m.order_at(**values)) == order, values
