"""Ranks that may change places: the order in which they are tried leaves out no least value.

Ranks may change places if the program is the same with the two renamed [Puget, 2002].
"""

from itertools import permutations

import numpy as np
import pytest

from lccmodel.communication.grids import parse_grid
from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.placement.search import exact
from lccmodel.placement.search.exact import not_below, settle
from tests.placement.search.brute_force import counted_value, demand_on, least_value, random_program

SYMMETRIC = {
    "star": [(0, k) for k in range(1, 6)],
    "ring": [(k, (k + 1) % 6) for k in range(6)],
    "both ways": [(k, (k + d) % 6) for k in range(6) for d in (1, 5)],
    "all": [(a, b) for a in range(6) for b in range(6)],
    "two threes": [(a, b) for a in range(6) for b in range(6) if a // 3 == b // 3],
    "path": [(k, k + 1) for k in range(5)],
    "pairs": [(0, 1), (2, 3), (4, 5)],
    "heavy": [(0, 1)] * 2 + [(0, 2), (0, 3), (0, 4), (0, 5)],
}


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("seed", range(2))
def test_the_rule_is_that_of_all_automorphisms(name, seed):
    """The last k >= 1 of which a rank is the image, by trying all 6! renamings."""
    demand, _ = demand_on("mesh:3x2", SYMMETRIC[name])
    order = np.random.default_rng(seed).permutation(6)
    sent = np.zeros((6, 6), int)
    np.add.at(sent, (demand.source, demand.destination), demand.volume)
    sent = sent[order][:, order]
    alike = [g for g in permutations(range(6)) if (sent == sent[list(g)][:, list(g)]).all()]
    expected = [
        max((k for k in range(1, c) for g in alike if g[:k] == tuple(range(k)) and g[k] == c),
            default=-1)
        for c in range(6)
    ]  # fmt: skip
    assert not_below(demand, order).tolist() == expected


def settled(word: str, program: Program, objective: str = "joint") -> None:
    """Branch and bound reaches the least over all placements, as the network counts them."""
    demand, routes = demand_on(word, program, objective)
    found = settle(demand, routes, np.arange(demand.ranks))
    least = least_value(program, word, objective)
    assert (found.value * demand.unit, found.complete) == (least, True)
    assert counted_value(program, word, found.node_of, objective) == least


@pytest.mark.parametrize("word", ["mesh:3x2", "torus:3x2", "mesh:3x1*2", "torus:6"])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_the_least_value_is_that_of_all_placements(name, word):
    settled(word, Program.of(SYMMETRIC[name]))


@pytest.mark.slow
@pytest.mark.parametrize("word", ["cube:3", "torus:4x2", "mesh:4x2"])
def test_of_eight_ranks_the_least_value_is_that_of_all_placements(word):
    for seed in range(3):
        settled(word, random_program(seed, 8, 1, 20))


@pytest.mark.parametrize("objective", ["max-max", "max-sum", "sum-sum"])
def test_a_renaming_must_keep_every_phase(objective):
    """Two stars with different middles have no renaming in common that one alone does not have."""
    stars = Program([Traffic([(m, k) for k in range(5) if k != m], None, 5) for m in (0, 1)])
    demand, _ = demand_on("mesh:5", stars, objective)
    assert not_below(demand, np.arange(5)).tolist() == [-1, -1, -1, 2, 3]
    settled("mesh:5", stars, objective)


def test_a_symmetric_program_takes_fewer_partial_placements(monkeypatch):
    """All-to-all in columns of 4x2: rows may be renamed, in 3! ways with one rank fixed."""
    demand, routes = demand_on("mesh:8", parse_grid("grid:4x2:all-to-all")[1])
    fewer = settle(demand, routes, np.arange(8))
    monkeypatch.setattr(exact, "not_below", lambda demand, order: np.full(len(order), -1))
    every = settle(demand, routes, np.arange(8))
    assert (fewer.value, fewer.complete) == (every.value, every.complete) == (6, True)
    assert 2 * fewer.visited < every.visited
