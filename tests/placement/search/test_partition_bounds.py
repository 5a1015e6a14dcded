"""Cuts of groups of groups [partition_bounds]: below every placement, however they are proved."""

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy.optimize import linprog

import lccmodel as lcc
from lccmodel.certificates.checker import certificate_digest, check
from lccmodel.certificates.parser import Refused
from lccmodel.certificates.writer import certificate_of
from lccmodel.placement.search import partition_bounds
from lccmodel.placement.search.assignment_bounds import matrices
from lccmodel.placement.search.partition_bounds import CutProof, cut_bound, cut_proof, nested_cuts
from tests.choosing import fast_only
from tests.placement.search.brute_force import demand_on
from tests.placement.search.test_assignment import a_problem, least_by_trying_all

TREES = ("fattree:3x2", "fattree:2x3/2", "fattree:2x2x2,nodes=0-5", "fattree:1x3x2", "mesh:2*3")


@pytest.mark.parametrize("seeds", fast_only([range(4), range(4, 30)], range(4)))
@pytest.mark.parametrize("programs", [True, False], ids=["linear program", "eigenvalues"])
@pytest.mark.parametrize("word", TREES)
def test_no_placement_has_a_smaller_total(word, programs, seeds):
    """150 random programs a bound against all 720 placements; for some one unit more is wrong."""
    tight = 0
    for seed in seeds:
        demand, routes, traffic = a_problem(word, seed)
        cuts = nested_cuts(demand, routes, programs=programs)
        assert cuts
        assert all(cut.reason.startswith("a linear" if programs else "eigen") for cut in cuts)
        bound = sum(cut.division.step * cut.volume for cut in cuts) * demand.unit
        least = least_by_trying_all(word, traffic)
        assert bound <= least, (seed, cuts)
        tight += bound == least
    assert tight or not programs


def test_eigenvalues_are_exact_for_all_to_all():
    """Six ranks on leaves of three: 3 * 3 pairs are cut, twice, and two channels apart."""
    [cut] = nested_cuts(
        *demand_on("fattree:3x2", [*permutations(range(6), 2)], "distance"), programs=False
    )
    assert (cut.division.step, cut.volume) == (2, 18)


def test_any_multipliers_prove_a_bound():
    """However wrong, they prove no more than the least cut; without the excess they would."""
    rng, too_high = np.random.default_rng(7), 0
    groups = [set(p[:3]) for p in permutations(range(6))]
    for _ in range(40):
        flow = np.triu(rng.integers(0, 9, (6, 6)), 1)
        flow = flow + flow.T
        least = min(
            sum(int(flow[i, j]) for i in group for j in range(6) if j not in group)
            for group in groups
        )
        triangles = np.array([rng.permutation(6)[:3] for _ in range(8)])
        proof = CutProof(rng.integers(0, 9, 6), triangles, rng.integers(0, 9, 8), 2)
        assert cut_bound(flow, 3, proof) <= least
        too_high += Fraction(3 * int(proof.ranks.sum()), 2) > least
    assert too_high


@pytest.mark.parametrize("seed", range(3))
def test_the_program_is_the_one_with_all_triangles(seed):
    """Triangles are added until the bound hardly grows; all at once, by the simplex method."""
    rng, n, size = np.random.default_rng(seed), 8, 3
    volumes = rng.integers(0, 9, (n, n)) * (rng.random((n, n)) < 0.5)
    flow = np.triu(volumes, 1) + np.triu(volumes, 1).T
    pairs = [*combinations(range(n), 2)]
    rows = [[-(i in pair) for pair in pairs] for i in range(n)]  # >= n - size others are apart
    for i, j, k in permutations(range(n), 3):
        signs = {(i, j): 1, tuple(sorted((i, k))): -1, tuple(sorted((k, j))): -1}
        if i < j:
            rows.append([signs.get(pair, 0) for pair in pairs])
    least = [size - n] * n + [0] * (len(rows) - n)
    sent = flow[np.triu_indices(n, 1)]
    whole = linprog(sent, A_ub=rows, b_ub=least, bounds=(0, 1), method="highs-ds").fun
    bound = cut_bound(flow, size, cut_proof(flow, size))
    assert 0.99 * whole <= float(bound) <= whole + 1e-6


@pytest.mark.parametrize(("forge", "why"), [
    (lambda level: [{**level, "ranks": ["9", *level["ranks"][1:]]}], "the bound is .*, below 4"),
    (lambda level: [{**level, "triangles": []}], "the bound is .*, below 4"),
    (lambda level: [level, level], "counted once"),
    (lambda level: [{**level, "level": 2}], "at most 1"),
])  # fmt: skip
def test_a_certificate_holds_the_multipliers(forge, why):
    """A ring of 8 ranks on leaves of 4 is cut twice, in both directions: 4 channels of volume 1."""
    ring = [(x, (x + 1) % 8) for x in range(8)]
    made = certificate_of(lcc.place(ring, "fattree:4x2,hosts=off", "distance", seconds=0))
    assert made["proof"]["bound"] == "cuts"
    assert check(made).startswith("volume times distance is 4, and no placement of the 8 ranks")
    [level] = made["proof"]["levels"]
    forged = {**made, "proof": {**made["proof"], "levels": forge(level)}}
    forged["digest"] = certificate_digest(forged)
    with pytest.raises(Refused, match=why):
        check(forged)


@pytest.mark.parametrize("word", ["mesh:3x2", "cube:3", "dragonfly:1,2,1", "fattree:3x2"])
def test_without_groups_there_are_no_cuts_and_without_scipy_they_say_so(word, monkeypatch):
    monkeypatch.setattr(partition_bounds, "find_spec", lambda name: None)
    demand, routes, _ = a_problem(word, 1)
    assert matrices(demand, routes) is not None
    cuts = nested_cuts(demand, routes)
    assert ["needs scipy" in cut.reason for cut in cuts] == [True] * (word == "fattree:3x2")
