"""lattice.fattree: the verdicts, and the checker's tree against the library's networks.

The ranks of `lattice.fattree.load`: occupancy of a switch less the messages that have turned.
"""

import numpy as np
import pytest

import proofs_check
from lccmodel.communication.lcc import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.lattice.fat_tree import fat_tree_loads
from lccmodel.network import FatTree
from proofs_check.claims import lattice_fattree
from proofs_check.claims.lattice_fattree import busiest, stated
from proofs_check.stations import messages

VERDICTS = {
    "lattice.fattree.load": 4 + 64,
    "lattice.fattree.free": 2 + 24,
    "lattice.fattree.least": 2 + 24 + 1344,
    "lattice.fattree.shift": 2 + 4 + 8,
}


@pytest.mark.parametrize("name", VERDICTS)
def test_a_claim_holds_and_its_control_is_rejected(name):
    result = proofs_check.check(name, max_n=3 if VERDICTS[name] in (1370, 14) else 2)
    assert (result.verdict, result.cases) == ("holds", VERDICTS[name])
    assert result.control.rejected


@pytest.mark.slow
@pytest.mark.parametrize("name", VERDICTS)
def test_a_claim_holds_on_its_whole_domain(name):
    assert proofs_check.check(name).verdict == "holds"


def test_some_permutations_have_no_free_order():
    """Two messages share a link in every order."""
    control = proofs_check.check("lattice.fattree.least", max_n=3).control
    assert control.counterexample.case["A"] == [[0, 1, 1], [1, 0, 1], [0, 1, 0]]
    assert control.counterexample.details["least"] == 2


@pytest.mark.parametrize("by_source", [False, True])
@pytest.mark.parametrize("scatter", [False, True])
def test_checker_and_library_agree_on_random_communications(scatter, by_source):
    """Two independent trees, two independent formulas."""
    rng = np.random.default_rng(11)
    routing = "s-mod-k" if by_source else "d-mod-k"
    tree = FatTree((2,) * 5, routing=routing)
    for _ in range(25):
        A, b = GF2Matrix(rng.integers(0, 2, (5, 5))), GF2Vector(rng.integers(0, 2, 5))
        pairs = messages(A, int(b), scatter)
        counted = busiest(pairs, 5, by_source=by_source)
        assert tree.channel_loads(pairs).counts.max(axis=1).tolist() == counted
        said = stated(A, b, scatter=scatter, by_source=by_source, turn=True)
        assert said == counted
        c = LCC.scatter(A, b) if scatter else LCC(A, b)
        found = fat_tree_loads(c, (1, 2, 3, 4), routing)
        assert [load for pair in found for load in pair] == counted


def test_the_links_of_a_wider_tree_are_those_of_the_binary_one():
    """4-ary tree of 64 hosts: its two levels of links are levels 2 and 4 of the binary tree."""
    rng = np.random.default_rng(12)
    for _ in range(10):
        A, b = GF2Matrix(rng.integers(0, 2, (6, 6))), GF2Vector(rng.integers(0, 2, 6))
        pairs = messages(A, int(b))
        binary = busiest(pairs, 6)
        wide = FatTree((4, 4, 4)).channel_loads(pairs).counts.max(axis=1).tolist()
        assert wide == [*binary[2:4], *binary[6:8]]


def test_climbing_is_by_the_digits_of_the_name():
    """From 000 to 110 by destination: up to (0; 0), (0 1;), down to (0; 1) and (; 1 1)."""
    assert [head for _, head in lattice_fattree.climb(0b000, 0b110, 0b110, 3)] == [
        (2, (0,), (0,)),
        (3, (0, 1), ()),
        (2, (0,), (1,)),
        (1, (), (1, 1)),
    ]
