"""Graphs of ranks that are Cartesian products, by the definition [Imrich and Klavžar, 2000].

Two ranks exchange if they differ in one coordinate, and there as the graph of that axis says.
"""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod

import networkx as nx
import numpy as np
import pytest

from lccmodel.communication import products
from lccmodel.communication.products import recognised_grid

LINES = [nx.path_graph(k) for k in (2, 3, 4, 7)]
RINGS = [nx.cycle_graph(k) for k in (3, 5, 6, 7)]
OTHERS = [nx.complete_graph(4), nx.star_graph(3), nx.complete_graph(5), nx.petersen_graph()]
FACTORS = [*LINES, *RINGS, *OTHERS]
PRODUCTS = [
    factors
    for axes in (1, 2, 3)
    for factors in combinations_with_replacement(range(len(FACTORS)), axes)
    if 3 <= prod(len(FACTORS[k]) for k in factors) <= 42
]


@pytest.mark.parametrize("part", range(4))
def test_products_of_lines_rings_and_others_are_recognised(part):
    """However ranks are numbered: as many axes, and on every line of an axis its graph."""
    rng = np.random.default_rng(part)
    for factors in PRODUCTS[part::4]:
        graphs = [FACTORS[k] for k in factors]
        sides = [len(graph) for graph in graphs]
        cells = list(np.ndindex(*sides))
        name = dict(zip(cells, rng.permutation(len(cells)).tolist(), strict=True))
        pairs = []
        for cell in cells:
            for axis, graph in enumerate(graphs):
                for other in graph[cell[axis]]:
                    there = (*cell[:axis], other, *cell[axis + 1 :])
                    if name[cell] < name[there]:
                        pairs.append([name[cell], name[there]][:: rng.choice([1, -1])])
        rng.shuffle(pairs)
        found = recognised_grid(np.array(pairs), np.ones(len(pairs), int), len(cells))
        if len(factors) == 1 and FACTORS[factors[0]] in OTHERS:
            assert found is None
            continue
        assert found is not None, factors
        assert sorted(found.sides) == sorted(sides), factors
        assert sorted(found.cell.tolist()) == list(range(len(cells)))
        rings = any(FACTORS[k] in RINGS for k in factors)
        assert found.closed == rings
        seen = [nx.Graph() for _ in found.sides]
        for u, v in pairs:
            x, y = found.coordinates[u], found.coordinates[v]
            (axis,) = np.flatnonzero(x != y).tolist()
            seen[axis].add_edge(int(x[axis]), int(y[axis]))
        left = list(graphs)
        for graph in seen:
            same = next(k for k, one in enumerate(left) if nx.is_isomorphic(graph, one))
            one = left.pop(same)
            if one in (*LINES, *RINGS):
                assert all(abs(a - b) in (1, len(one) - 1) for a, b in graph.edges)
        assert not left


def test_work_is_limited_and_every_rank_has_a_partner(monkeypatch):
    """A ring of five: the cubes of the degrees add up to 40; then one rank is left without."""
    ring = np.array([[k, (k + 1) % 5] for k in range(5)])
    for most, found in ((40, True), (39, False)):
        monkeypatch.setattr(products, "_MOST_WORK", most)
        assert (products._product(ring, 5) is not None) == found
    monkeypatch.undo()
    assert products._product(np.array([[0, 1], [1, 2], [2, 0], [0, 1]]), 4) is None
    monkeypatch.setattr(products, "_MOST_WORK", 20)
    assert products._without_diagonals(ring, 5).tolist() == ring.tolist()
    monkeypatch.setattr(products, "_MOST_WORK", 19)
    assert len(products._without_diagonals(ring, 5)) == 0


@pytest.mark.parametrize("seed", range(6))
def test_a_diagonal_has_a_partner_closer_to_both(seed):
    """Closeness: of all partners of either, themselves included, the share that both have."""
    graph = nx.gnp_random_graph(12, (0.3, 0.5, 0.8)[seed % 3], seed=seed)
    if seed >= 3:
        graph = nx.strong_product(nx.path_graph(4), nx.cycle_graph(4 + seed))
        graph = nx.convert_node_labels_to_integers(graph)
    pairs = np.array(sorted((min(e), max(e)) for e in graph.edges), np.int64)
    around = {u: {u, *graph[u]} for u in graph}

    def closeness(u: int, v: int) -> Fraction:
        return Fraction(len(around[u] & around[v]), len(around[u] | around[v]))

    kept = [
        [u, v]
        for u, v in pairs.tolist()
        if not any(
            min(closeness(u, w), closeness(v, w)) > closeness(u, v)
            for w in set(graph[u]) & set(graph[v])
        )
    ]
    assert 0 < len(kept) < len(pairs)
    assert products._without_diagonals(pairs, len(graph)).tolist() == kept
