"""lattice.fattree: the checker's tree by hand.

The ranks of `lattice.fattree.load`: occupancy of a switch less the messages that have turned.
"""

import proofs_check
from proofs_check.claims import lattice_fattree


def test_some_permutations_have_no_free_order():
    """Two messages share a link in every order."""
    control = proofs_check.check("lattice.fattree.least", max_n=3).control
    assert control.counterexample.case["A"] == [[0, 1, 1], [1, 0, 1], [0, 1, 0]]
    assert control.counterexample.details["least"] == 2


def test_climbing_is_by_the_digits_of_the_name():
    """From 000 to 110 by destination: up to (0; 0), (0 1;), down to (0; 1) and (; 1 1)."""
    assert [head for _, head in lattice_fattree.climb(0b000, 0b110, 0b110, (2, 2, 2))] == [
        (2, (0,), (0,)),
        (3, (0, 1), ()),
        (2, (0,), (1,)),
        (1, (), (1, 1)),
    ]
