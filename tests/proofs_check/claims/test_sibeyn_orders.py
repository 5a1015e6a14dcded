"""lattice.sibeyn.orders: both sets of orders by slow plain programs.

[sibeyn, section 2, step 2.a]: the choice of j.
"""

import itertools

import numpy as np
import pytest

from lccmodel.communication.lcc import LCC
from lccmodel.permutations.simd_mesh import decompose
from lccmodel.placement.contention_free_orders import correction_orders
from proofs_check.claims.lattice_sibeyn import _orders_of
from proofs_check.orders import all_orders
from tests.matrices import all_nonsingular

pytestmark = pytest.mark.usefixtures("uncompiled")


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
