"""Ranks that may change places: the order in which they are tried leaves out no least value.

Ranks may change places if the program is the same with the two renamed [Puget, 2002].
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from lccmodel.communication.grids import parse_grid
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.network import parse_network
from lccmodel.placement.search import exact
from lccmodel.placement.search.exact import not_below, settle
from lccmodel.placement.search.problem import Demand, demand_of
from lccmodel.placement.search.routes import Routes


def demand(program: Program, word: str, objective: str = "joint") -> tuple[Demand, Routes]:
    routes = Routes.of(parse_network(word))
    return demand_of(program, objective, None, routes), routes


def exchanged(one: Demand) -> np.ndarray:
    sent = np.zeros((one.rows, one.ranks, one.ranks), int)
    for row, source, destination, volume in zip(
        one.row, one.source, one.destination, one.volume, strict=True
    ):
        sent[row, source, destination] += volume
    return sent


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
def test_the_rule_is_that_of_all_automorphisms(name: str, seed: int) -> None:
    """The last k >= 1 of which a rank is the image, by trying all 6! renamings."""
    found, _ = demand(Program.of(SYMMETRIC[name]), "mesh:3x2")
    order = np.random.default_rng(seed).permutation(6)
    sent = exchanged(found)[:, order][:, :, order]
    alike = [g for g in permutations(range(6)) if (sent == sent[:, list(g)][:, :, list(g)]).all()]
    expected = [
        max((k for k in range(1, c) for g in alike if g[:k] == tuple(range(k)) and g[k] == c),
            default=-1)
        for c in range(6)
    ]  # fmt: skip
    assert not_below(found, order).tolist() == expected


@pytest.mark.parametrize("word", ["mesh:3x2", "torus:3x2", "mesh:3x1*2", "torus:6"])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_the_least_value_is_that_of_all_placements(name: str, word: str) -> None:
    found, routes = demand(Program.of(SYMMETRIC[name]), word)
    everywhere = (np.array(one) for one in permutations(range(6), found.ranks))
    least = min(found.value(found.loads(one, routes), routes) for one in everywhere)
    settled = settle(found, routes, np.arange(found.ranks))
    assert (settled.value, settled.complete) == (least, True)
    assert found.value(found.loads(settled.node_of, routes), routes) == least


@pytest.mark.parametrize("objective", ["max-max", "max-sum", "sum-sum"])
def test_a_renaming_must_keep_every_phase(objective: str) -> None:
    """Two stars with different middles have no renaming in common that one alone does not have."""
    stars = [Phase(Traffic([(m, k) for k in range(5) if k != m], None, 5), 1) for m in (0, 1)]
    found, routes = demand(Program(stars), "mesh:5", objective)
    assert not_below(found, np.arange(5)).tolist() == [-1, -1, -1, 2, 3]
    everywhere = (np.array(one) for one in permutations(range(5)))
    least = min(found.value(found.loads(one, routes), routes) for one in everywhere)
    assert settle(found, routes, np.arange(5)).value == least


def test_a_symmetric_program_takes_fewer_partial_placements(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All-to-all in columns of 4x2: rows may be renamed, in 3! ways with one rank fixed."""
    found, routes = demand(parse_grid("grid:4x2:all-to-all")[1], "mesh:8")
    start = np.arange(8)
    fewer = settle(found, routes, start)
    monkeypatch.setattr(exact, "not_below", lambda demand, order: np.full(len(order), -1))
    every = settle(found, routes, start)
    assert (fewer.value, fewer.complete) == (every.value, every.complete) == (6, True)
    assert 2 * fewer.visited < every.visited
