"""Orders for every n: the reordered family is walked, and no order of the library is better."""

from __future__ import annotations

import pytest

import lccmodel as lcc
from lccmodel import LCC, GF2Matrix
from lccmodel.errors import InputError
from lccmodel.symbolic import FAMILIES, family, optimal_reordering, symbols, total_time
from lccmodel.symbolic.counting import walked_cube

WORDS = [word if word != "translation" else "translation:5" for word in FAMILIES]


def reordered(c: LCC, order: tuple[int, ...]) -> LCC:
    """Q A Q^-1 and Q b."""
    Q = GF2Matrix.from_order(order)
    b = sum(c.b[bit] << k for k, bit in enumerate(order))
    return LCC(Q @ c.A @ Q.inverse(), b)


@pytest.mark.parametrize("network", ["cube", "origin"])
@pytest.mark.parametrize("word", [word for word in WORDS if word != "scale2"])
def test_the_order_has_the_degree_and_no_order_has_less(word: str, network: str) -> None:
    m = optimal_reordering(word, f"{network}:n")
    for point in m.family.members(5):
        member = m.family.at(**point)
        loads = walked_cube(reordered(member, m.order_at(**point)), network == "origin")
        assert max(loads) == m.after.degree.subs(point), (word, point, loads)
        assert sum(loads) == m.after.total.subs(point), (word, point, loads)
        if member.n <= 4:
            best = lcc.methods.optimal_reordering(member, f"{network}:{member.n}")
            assert best.after.degree == max(loads)


def test_the_orders_by_hand() -> None:
    """π(2j) = j and n-1-j; a shift by 2 of 6 bits has two cycles; the halves in turn."""
    assert optimal_reordering("bit-reverse").order_at(n=6) == (0, 5, 1, 4, 2, 3)
    assert optimal_reordering("shift:k").order_at(n=6, k=2) == (0, 2, 4, 1, 3, 5)
    square = family("matrix-transpose:r", n="2*r")
    assert optimal_reordering(square).order_at(r=3) == (0, 3, 1, 4, 2, 5)
    i = symbols("i")
    assert optimal_reordering("bit-reverse").order(i).subs({"i": 3, "n": 6}) == 4


def test_no_formula_of_cycles_is_refused() -> None:
    from lccmodel.symbolic import Family

    crossed = Family.of(  # four bits in a cycle that is no shift
        "Piecewise((k + 2, k < 2), (k - 1, k < 3), (k - 3, k < 4), (k, True))", where="n >= 5"
    )
    with pytest.raises(InputError, match="not known as a formula"):
        optimal_reordering(crossed)
    with pytest.raises(InputError, match="no rule proves a smallest degree"):
        optimal_reordering("scale2")


def test_the_total_time() -> None:
    alpha, tau, m = symbols("alpha tau m")
    T = total_time(["bit-reverse", "perfect-shuffle"], volumes=[2, 1])
    assert T.subs({"n": 8}) == 2 * alpha + 17 * m * tau
    for volumes in ([1], [1, -1], [1, 2, 3]):
        with pytest.raises(InputError):
            total_time(["bit-reverse", "perfect-shuffle"], volumes=volumes)
    with pytest.raises(InputError, match="at least one"):
        total_time([])
