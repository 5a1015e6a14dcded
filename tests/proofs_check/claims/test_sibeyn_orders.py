"""lattice.sibeyn.orders: the verdict, and both sets of orders by slow plain programs.

[sibeyn, section 2, step 2.a]: the choice of j.
"""

import itertools

import numpy as np
import pytest

import proofs_check
from lccmodel.communication.lcc import LCC
from lccmodel.methods.orders import correction_orders
from lccmodel.methods.simd_mesh import decompose
from proofs_check.claims.sibeyn_orders import _orders_of
from proofs_check.orders import all_orders
from tests.matrices import all_nonsingular

pytestmark = pytest.mark.usefixtures("uncompiled")


def test_the_print_leaves_orders_out_and_one_more_choice_gives_all():
    result = proofs_check.check("lattice.sibeyn.orders", max_n=3)
    found = result.counterexample
    assert (result.verdict, found.case) == ("fails", {"A": [[0, 1], [1, 1]]})
    assert found.details["free_of_contention"] == [[0, 1], [1, 0]]
    assert found.details["of_passes"] == [[1, 0]]
    assert (result.amended.verdict, result.amended.cases) == ("holds", 1 + 6 + 168)
    assert result.amended.control.rejected


@pytest.mark.slow
def test_it_holds_in_four_dimensions():
    assert proofs_check.check("lattice.sibeyn.orders").amended.verdict == "holds"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_both_sets_against_the_library(n):
    """Orders by growing ranks; passes by decomposing every renaming, the least j selected."""
    orders = all_orders(n)
    for A in all_nonsingular(n):
        walked, ours = np.zeros((2, len(orders)), np.uint8)
        _orders_of(n, np.array(A.rows), orders, False, walked, ours)
        free = correction_orders(LCC(A), whatever_b=True)
        assert [tuple(o) for o in orders[walked == 1].tolist()] == list(free)
        passes = {
            tuple(bits[k] for k in decompose(LCC(A).reordered(bits)).order)
            for bits in itertools.permutations(range(n))
        }
        assert {tuple(o) for o in orders[ours == 1].tolist()} == passes
