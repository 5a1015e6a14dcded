"""[hou, Theorems 1 and 3]: the claims themselves, on the sizes that the issue states."""

import pytest

import proofs_check


def test_theorem_1_holds_for_all_pairs_up_to_four_dimensions():
    result = proofs_check.check("hou.thm1", max_n=4)
    assert (result.verdict, result.cases) == ("holds", 4 + 64 + 4096 + 1048576)
    assert (
        result.control.counterexample.details["T"]
        != result.control.counterexample.details["stated"]
    )


def test_theorem_1_shows_walked_and_stated_numbers_for_a_counterexample():
    found = proofs_check.check("hou.thm1", max_n=2).control.counterexample
    assert found.case == {"A": [[0, 1], [1, 1]], "b": [1, 1]}
    assert found.details["T"] == [1, 1]
    assert found.details["stated"] == [1, 2]
    assert found.details["paths"] == [[0, 1, 3], [1], [2, 0], [3, 2]]


@pytest.mark.parametrize(
    ("max_n", "cases"), [(3, 4164), pytest.param(4, 1052740, marks=pytest.mark.slow)]
)
def test_theorem_3_asks_that_a_message_moves(max_n, cases):
    """The sentence before it assumes T_i > 0 for all i; without it the identity is left."""
    result = proofs_check.check("hou.thm3", max_n=max_n)
    assert (result.verdict, result.cases) == ("holds-as-read", cases)
    assert result.counterexample.case == {"A": [[1]], "b": [0]}
    assert result.counterexample.details["T"] == 0
    assert result.control.rejected


@pytest.mark.slow
def test_theorem_1_holds_on_random_blocks_of_five_and_six_dimensions():
    result = proofs_check.check("hou.thm1")
    assert result.verdict == "holds"
    assert [stage.n for stage in result.stages if stage.is_sample] == [5, 6]
