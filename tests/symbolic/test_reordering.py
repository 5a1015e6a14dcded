"""Orders for every n of one's own families, and their walks; `test_catalogue` has the others."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from sympy import Eq, Symbol

import lccmodel as lcc
from lccmodel.errors import InputError
from lccmodel.permutations.exchanges.bits import elementary_factorizations
from lccmodel.permutations.self_routing import self_route
from lccmodel.permutations.simd_mesh import simd_mesh_route
from lccmodel.symbolic import Family, ReorderingFormula, optimal_reordering, symbols, total_time
from lccmodel.symbolic.counting import walked_cube, walked_occupancy
from lccmodel.symbolic.walks import opposite_blocks, walked_cycles
from tests.symbolic.orders import reordered


def order_is_best(m: ReorderingFormula, network: str, points: list[dict[str, int]]) -> None:
    """Degree and sum of the order are those walked; up to 4 bits no order has a lower degree."""
    for point in points:
        member = m.family.at(**point)
        loads = walked_cube(reordered(member, m.order_at(**point)), network == "origin")
        assert max(loads) == m.after.degree.subs(point), (point, loads)
        assert sum(loads) == m.after.total.subs(point), (point, loads)
        if member.n <= 4:
            best = lcc.placement.optimal_reordering(member, f"{network}:{member.n}")
            assert best.after.degree == max(loads)


CYCLES = {  # a permutation and its numbers of parts in turn
    "four bits in turn": (
        "Piecewise((k + 2, k < 2), (k - 1, k < 3), (k - 3, k < 4), (k, True))",
        "n >= 5",
    ),
    "three parts, two of them reversed": (
        "Piecewise((2*r - 1 - k, k < r), (n + r - 1 - k, k < 2*r), (k - 2*r, True))",
        ("r >= 1", "n <= 3*r", "n >= 3*r"),
    ),
    "two parts, reversed after one round": (
        "Piecewise((n - 1 - k, k < r), (k - r, True))",
        ("r >= 1", "n <= 2*r", "n >= 2*r"),
    ),
    "an exchange, fixed bits and a reversal": (
        "Piecewise((k + 2*r, k < r), (k, k < 2*r), (k - 2*r, k < 3*r), (n + 3*r - 1 - k, True))",
        ("r >= 1", "n >= 3*r"),
    ),
    "three blocks in the opposite sequence": (
        "Piecewise((k + n - r, k < r), (k + low - r, k < n - low), (k - n + low, True))",
        ("r >= 1", "low >= 1", "n >= r + low + 1"),
    ),
    "the same, one block reversed": (
        "Piecewise((n - 1 - k, k < r), (k + low - r, k < n - low), (k - n + low, True))",
        ("r >= 1", "low >= 1", "n >= r + low + 1"),
    ),
    "two reversals": ("Piecewise((r - 1 - k, k < r), (n + r - 1 - k, True))", ("r >= 1", "n > r")),
}


@pytest.mark.parametrize("network", ["cube", "origin"])
@pytest.mark.parametrize("name", CYCLES)
def test_cycles_of_parts_are_freed(name, network):
    """R7 for affine cycles: 0.4 refused all but reversals, shifts and exchanges."""
    order, where = CYCLES[name]
    own = Family.of(order, where=where)
    order_is_best(optimal_reordering(own, f"{network}:n"), network, list(own.members(6)))


@pytest.mark.parametrize("network", ["cube", "origin"])
@pytest.mark.parametrize("complement", [False, True])
def test_cycles_that_are_no_formula(network, complement):
    """R7 and R8 of Z-order: the order is a function with values for numbers, degrees a formula."""
    z_order = Family.of(
        "Piecewise((k/2, Eq(Mod(k, 2), 0)), (h + (k - 1)/2, True))",
        n="2*h",
        where="h >= 1",
        complement=complement,
    )
    m = optimal_reordering(z_order, f"{network}:2*h")
    if network == "cube":
        assert m.after.moving == 2 * Symbol("h") - 2
        assert m.after.total.subs({"h": 50}) == (100 if complement else 98)
    order_is_best(m, network, [{"h": h} for h in range(1, 5)])
    for h in range(1, 5) if network == "cube" else ():
        held = walked_occupancy(reordered(z_order.at(h=h), m.order_at(h=h)))
        assert [m.occupancy(p).subs({"h": h}) for p in range(2 * h)] == list(held)
        assert m.exchanges.subs({"h": h}) == held.count(2)


def test_three_blocks_turn_like_a_rotation():
    """A rotation of a + 2b + c bits by b + c, seen on the first a + b + c: gcd(a + b, b + c)."""
    walk = opposite_blocks()
    for a, b, c in itertools.product(range(1, 6), repeat=3):
        order = (*range(a + b, a + b + c), *range(a, a + b), *range(a))
        cycles, fixed = walked_cycles(order)
        assert sorted(itertools.chain(*cycles, fixed)) == list(range(a + b + c))
        assert walk.cycles(a, b, c) == len(cycles)
        if a != c:
            assert len(cycles) == math.gcd(a + b, b + c)
            assert len(cycles[0]) == -(-(a + b + c) // len(cycles))


def test_what_has_no_rule_is_refused():
    n, j, k = symbols("n"), Symbol("j"), symbols("k")
    triangle = Family.of(n - 1 - k, k, n=n, lower=Eq(j, k - 1))
    with pytest.raises(InputError, match="no rule proves a smallest degree"):
        optimal_reordering(triangle)
    with pytest.raises(InputError, match="must be of a gather"):
        optimal_reordering("scale2").occupancy(1)


@pytest.mark.parametrize(
    "word", ["bit-reverse", "matrix-transpose", "bit-reverse-part", "exchange"]
)
def test_walks_along_cycles(word):
    """Occupancy 2 inside a cycle as messages walked, and as often with HL; as many exchanges."""
    m = optimal_reordering(word)
    p = symbols("i")
    formula = m.occupancy(p)
    for point in m.family.members(5, 4):
        member = m.family.at(**point)
        held = walked_occupancy(reordered(member, m.order_at(**point)))
        assert [formula.subs({**point, "i": bit}) for bit in range(member.n)] == list(held)
        crowded = m.exchanges.subs(point)
        assert crowded == held.count(2)
        assert crowded == len(next(elementary_factorizations(member.A)))
        rows = self_route(member).table()
        assert crowded == [row.occupancy for row in rows].count(2)
        assert max(row.load for row in rows) == m.after.degree.subs(point)
        assert sum(row.load > 0 for row in rows) == m.after.total.subs(point)


@pytest.mark.parametrize("word", ["bit-reverse", "matrix-transpose", "reverse-flip"])
def test_passes_on_a_simd_mesh(word):
    """[sibeyn]: as many passes leave two data in a processor, and as many move a bit."""
    m = optimal_reordering(word)
    for point in m.family.members(4, 4):
        plan = simd_mesh_route(m.family.at(**point), skip=True)
        held = [
            max(Counter(np.flatnonzero(done.settled >= 0) % 16).values()) for done in plan.passes
        ]
        assert held.count(2) == m.exchanges.subs(point)
        assert len(plan.order) - len(plan.skipped) == m.after.total.subs(point)


def test_the_total_time():
    alpha, tau, m = symbols("alpha tau m")
    T = total_time(["bit-reverse", "perfect-shuffle"], volumes=[2, 1])
    assert T.subs({"n": 8}) == 2 * alpha + 17 * m * tau
    for volumes in ([1], [1, -1], [1, 2, 3]):
        with pytest.raises(InputError):
            total_time(["bit-reverse", "perfect-shuffle"], volumes=volumes)
    with pytest.raises(InputError, match="at least one"):
        total_time([])
