"""Orders for every n: the reordered family is walked, and no order of the library is better."""

from __future__ import annotations

import pytest

import lccmodel as lcc
from lccmodel import LCC, GF2Matrix
from lccmodel.errors import InputError
from lccmodel.permutations.exchanges.bits import elementary_factorizations
from lccmodel.permutations.self_routing import self_route
from lccmodel.symbolic import FAMILIES, Family, family, optimal_reordering, symbols, total_time
from lccmodel.symbolic.counting import walked_cube, walked_occupancy
from tests.choosing import sampled

WORDS = [*FAMILIES, "translation:5"]


def reordered(c: LCC, order: tuple[int, ...]) -> LCC:
    """Q A Q^-1 and Q b."""
    Q = GF2Matrix.from_order(order)
    b = sum(c.b[bit] << k for k, bit in enumerate(order))
    return LCC(Q @ c.A @ Q.inverse(), b)


@pytest.mark.parametrize("network", sampled(["cube", "origin"], 4))
@pytest.mark.parametrize("word", [word for word in WORDS if word != "scale2"])
def test_the_order_has_the_degree_and_no_order_has_less(word: str, network: str) -> None:
    m = optimal_reordering(word, f"{network}:n")
    for point in m.family.members(5):
        member = m.family.at(**point)
        loads = walked_cube(reordered(member, m.order_at(**point)), network == "origin")
        assert max(loads) == m.after.degree.subs(point), (word, point, loads)
        assert sum(loads) == m.after.total.subs(point), (word, point, loads)
        if member.n <= 4:
            best = lcc.placement.optimal_reordering(member, f"{network}:{member.n}")
            assert best.after.degree == max(loads)


def test_the_orders_by_hand() -> None:
    """π(2j) = j and n-1-j; a shift by 2 of 6 bits has two cycles; the halves in turn."""
    assert optimal_reordering("bit-reverse").order_at(n=6) == (0, 5, 1, 4, 2, 3)
    assert optimal_reordering("shift:k").order_at(n=6, k=2) == (0, 2, 4, 1, 3, 5)
    square = family("matrix-transpose:r", n="2*r")
    assert optimal_reordering(square).order_at(r=3) == (0, 3, 1, 4, 2, 5)
    i = symbols("i")
    assert optimal_reordering("bit-reverse").order(i).subs({"i": 3, "n": 6}) == 4


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
    "two reversals": ("Piecewise((r - 1 - k, k < r), (n + r - 1 - k, True))", ("r >= 1", "n > r")),
}


@pytest.mark.parametrize("network", ["cube", "origin"])
@pytest.mark.parametrize("name", CYCLES)
def test_cycles_of_parts_are_freed(name: str, network: str) -> None:
    """R7 for affine cycles: 0.4 refused all but reversals, shifts and exchanges."""
    order, where = CYCLES[name]
    own = Family.of(order, where=where)
    m = optimal_reordering(own, f"{network}:n")
    for point in own.members(6):
        member = own.at(**point)
        loads = walked_cube(reordered(member, m.order_at(**point)), network == "origin")
        assert max(loads) == m.after.degree.subs(point), (point, loads)
        assert sum(loads) == m.after.total.subs(point), (point, loads)
        if member.n <= 4:
            best = lcc.placement.optimal_reordering(member, f"{network}:{member.n}")
            assert best.after.degree == max(loads)


def test_no_formula_of_cycles_is_refused() -> None:
    blocks = Family.of(  # three blocks of any size in the opposite sequence: no affine cycles
        "Piecewise((k + n - r, k < r), (k + low - r, k < n - low), (k - n + low, True))",
        where=("r >= 1", "low >= 1", "n >= r + low + 1"),
    )
    with pytest.raises(InputError, match=r"not known as a formula|case distinctions"):
        optimal_reordering(blocks)
    with pytest.raises(InputError, match="no rule proves a smallest degree"):
        optimal_reordering("scale2")


@pytest.mark.parametrize(
    "word", ["bit-reverse", "matrix-transpose", "bit-reverse-part", "exchange"]
)
def test_walks_along_cycles(word: str) -> None:
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


def test_the_total_time() -> None:
    alpha, tau, m = symbols("alpha tau m")
    T = total_time(["bit-reverse", "perfect-shuffle"], volumes=[2, 1])
    assert T.subs({"n": 8}) == 2 * alpha + 17 * m * tau
    for volumes in ([1], [1, -1], [1, 2, 3]):
        with pytest.raises(InputError):
            total_time(["bit-reverse", "perfect-shuffle"], volumes=volumes)
    with pytest.raises(InputError, match="at least one"):
        total_time([])
