"""Swing and the plans of collectives: what the checkers count, and faults that they notice.

Distances rho(s) = 1 - 2 + 4 - ... and deficiencies of De Sensi et al., Swing (NSDI 2024).
"""

from fractions import Fraction

import pytest

from proofs_check.claims import collectives_plans as plans


def test_partners_of_eight_ranks():
    """rho = 1, -1, 3: the printed distances of the first three steps."""
    assert [plans.rho(s) for s in range(5)] == [1, -1, 3, -5, 11]
    assert [plans.peer(r, 2, 8) for r in range(8)] == [3, 6, 5, 0, 7, 2, 1, 4]


@pytest.mark.parametrize("fault", [{"off": 1}, {"twice": True}, {"missing": 1}])
def test_faults_of_swing_are_noticed(fault):
    for p in (6, 8, 10, 16):
        assert plans.swing_allreduce.check(p)
        assert not plans.swing_allreduce.check(p, **fault)


@pytest.mark.parametrize("fault", [{"off": 1}, {"twice": True}, {"missing": 1}])
@pytest.mark.parametrize("rule", ["ring", "recursive doubling", "binomial tree"])
def test_faults_of_rules_are_noticed(rule, fault):
    assert plans.collectives_sums.check(8, rule)
    assert not plans.collectives_sums.check(8, rule, **fault)


def test_deficiencies_by_hand():
    assert plans.counted_deficiency(2, 2) == plans.deficiency(2, 2) == 1
    assert plans.counted_deficiency(2, 3) == Fraction(23, 21)


def test_the_cut_of_a_row_is_its_middle():
    assert plans.cut_bound(4, "row", gather=True) == Fraction(3, 4)
    assert plans.cut_bound(6, "ring", gather=True) == Fraction(5, 12)
