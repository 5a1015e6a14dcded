"""[hou, section 7]: the tables of the Origin 2000 against messages walked one by one."""

import pytest

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.census import walked_degrees
from proofs_check.claims import hou_origin_steps as tables
from proofs_check.domain import PAIRS
from proofs_check.orbits import least_by_mapping
from proofs_check.orders import all_orders, best_reordered
from proofs_check.registry import get_claim
from proofs_check.walk import contention


def test_the_scatter_at_its_counterexample_is_twice_the_bound():
    A, b = GF2Matrix.from_rows((0, 1, 2, 4), 4), GF2Vector([0, 0, 0, 0])  # the case found above
    shown = get_claim("hou.cor4.scatter").details("printed", (A, b))
    assert shown["T as a gather"][0, 1, 2, 3] == 1
    assert shown["T as a scatter"][0, 1, 2, 3] == 4
    assert shown["T as a scatter"][0, 3, 2, 1] == 1


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("is_scatter", [False, True])
def test_degrees_of_all_pairs_are_those_of_messages_walked_one_by_one(n, is_scatter):
    for index, (A, b) in PAIRS.cases(n, 0, PAIRS.span(n)):
        pairs = [(x >> 1, (A.apply(x) ^ int(b)) >> 1) for x in range(1 << n)]
        if is_scatter:
            pairs = [(y, x) for x, y in pairs]
        degree = max(contention(pairs, range(n - 1)), default=0)
        assert walked_degrees(n, scatter=is_scatter, blind=1)[index] == degree


@pytest.mark.slow
def test_counted_meetings_are_the_ranks_of_the_leading_blocks():
    for code, (A,) in tables.AllMatrices().cases(3, 0, 512):
        exponents = [i - A.submatrix(range(1, i + 1), range(i)).rank for i in range(1, 3)]
        assert tables.together(3)[code] == 2 ** max(exponents)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_some_mapping_keeps_all_messages_in_their_routers_just_for_one_displacement(n):
    assert ((least_by_mapping(n, blind=1) == 0) == (tables.sole_displacement(n) >= 0)).all()


@pytest.mark.usefixtures("uncompiled")
def test_scatters_and_gathers_have_the_same_minima():
    """Walking bits n-1..1 instead of 1..n-1 turns a scatter into the gather sent back."""
    for n in (1, 2, 3):
        gathers, scatters = (walked_degrees(n, scatter=s, blind=1) for s in (False, True))
        linear = [least_by_mapping(n, scatter=scatter, blind=1) for scatter in (False, True)]
        assert (linear[0] == linear[1]).all()
        for index in range(0, PAIRS.span(n), 1 if n < 3 else 7):
            gathered = best_reordered(n, index, all_orders(n), gathers, 0)
            assert gathered == best_reordered(n, index, all_orders(n), scatters, 0)


def test_domains_by_rank_count_what_they_list():
    for ranks_of in (range(2), (2,), (3,)):
        domain = tables.OfRank("A", lambda n, ranks_of=ranks_of: ranks_of, "some rank")
        assert sum(1 for _ in domain.cases(3, 0, 512)) == domain.size(3)
    domain = tables.OfRank("A", lambda n: (n,), "rank n, A ≠ I", without_identity=True)
    found = [A for _, (A,) in domain.cases(2, 0, 16)]
    assert len(found) == domain.size(2) == 5
    assert GF2Matrix.identity(2) not in found
