"""lattice.joint, lattice.lcp.*: by hand, and the library's answers beside the checker's.

[hou, Fig. 3], [boppana, section 2.3], [sibeyn, section 2, step 2.a].
"""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.permutations.self_routing import self_route
from lccmodel.permutations.simd_mesh.decomposition import decompose
from lccmodel.placement.contention_free_orders import contention_free_walk, ranks_of_a_permutation
from lccmodel.placement.mapping import lcp_optimizer
from proofs_check.claims import lattice_hl, lattice_traffic
from proofs_check.claims.hou_lcp_optimizer import lcp_optimizer_order


def hl_order(c, variant="lsb"):
    """The first bit, from the least significant one, whose channels carry one message at most."""
    ranks = ranks_of_a_permutation(c, "must be a permutation")
    bits = ranks.bits if variant == "lsb" else ranks.bits[::-1]
    return contention_free_walk(ranks, bits, swap=False)


@pytest.mark.usefixtures("uncompiled")
def test_two_papers_have_one_walk() -> None:
    """Sibeyn's basis is LCP_Optimizer's order; HL's differs from it first at n = 4."""
    A = GF2Matrix([[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0]])
    assert lcp_optimizer_order(A) == (0, 3, 2, 1)
    assert lattice_hl._hl_order(A) == [0, 3, 1, 2]


@pytest.mark.usefixtures("uncompiled")
def test_the_greedy_walk_gives_both_orders() -> None:
    """The library's walk takes ranks, the checker's counts messages; both changing places fails."""
    A = GF2Matrix([[0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1], [1, 0, 0, 0]])
    ranks = ranks_of_a_permutation(LCC(A), "must be a permutation")
    swapped, moved = (contention_free_walk(ranks, ranks.bits, swap=swap) for swap in (True, False))
    found = lattice_hl.lcp_hl.check(A, walk=True)
    assert found
    assert (found.details["swap"], found.details["rotate"]) == (swapped, moved)
    assert (swapped, moved) == ((0, 3, 2, 1), (0, 3, 1, 2))
    assert not lattice_hl.lcp_hl.check(A)
    assert not lattice_hl.lcp_hl.check(A, walk=True, both_swap=True)


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize(
    ("b", "joint", "as_stated"),
    [((1, 1), 2, True), ((0, 1), 1, False)],
    ids=["both exchange", "one way each"],
)
def test_max_sum_is_only_a_bound(b: tuple[int, int], joint: int, as_stated: bool) -> None:
    """n = 1 by hand: two exchanges meet on either channel, two constants never on one."""
    A = GF2Matrix.identity(1) if as_stated else GF2Matrix.zeros(1, 1)
    check = lattice_traffic.joint_load.check
    found = check(A, b[0], A, b[1])
    assert found.details == {"joint": joint, "max_sum": 2, "T": [[1], [1]]}
    assert found.ok == as_stated
    assert check(A, b[0], A, b[1], bound=True)
    assert check(A, b[0], A, b[1], bound=True, less=1).ok != as_stated
    assert check(A, b[0], A, b[1], allowance=1).ok != as_stated


@pytest.mark.usefixtures("uncompiled")
def test_the_library_walks_as_the_checker_does() -> None:
    """Random nonsingular matrices of five bits; HL also by its own tags."""
    rng = np.random.default_rng(31)
    seen = 0
    while seen < 40:
        A = GF2Matrix(rng.integers(0, 2, (5, 5)))
        if A.rank < 5:
            continue
        seen += 1
        c = LCC(A, rng.integers(0, 2, 5))
        assert lcp_optimizer(c) == lcp_optimizer_order(A) == decompose(c).bits
        assert hl_order(c) == tuple(lattice_hl._hl_order(A)) == self_route(c).order
        assert hl_order(c, "msb") == self_route(c, variant="msb").order
