"""lattice.occupancy, lattice.load and their variants: a control, and the two walks.

occupancy(S) = 2^(|S| - rank A_(S,S)), load(S, j) = 2^(|S| - rank A_(S+j,S)).
"""

import random

import numpy as np
import pytest

import proofs_check
from proofs_check import stations
from proofs_check.claims import lattice_loads
from proofs_check.domain import PAIRS
from proofs_check.registry import get_claim
from proofs_check.stations import crossed_channels, held_by_nodes, messages
from tests.proofs_check.scratch import stations_tables

uncompiled = pytest.mark.usefixtures("uncompiled")


def test_the_control_shows_where_row_j_matters():
    """Nodes 0 and 2 send to 3 and 2: y_0 = x_0 + x_1 + 1 parts the two that meet in node 2."""
    found = proofs_check.check("lattice.load", max_n=2).control.counterexample
    assert found.case == {"A": [[1, 1], [1, 0]], "b": [1, 1]}
    assert (found.details["S"], found.details["j"]) == ([1], 0)
    assert (found.details["walked"], found.details["stated"]) == ([1], 2)


def _subsets(bits):
    return [[k for i, k in enumerate(bits) if m >> i & 1] for m in range(1 << len(bits))]


@uncompiled
@pytest.mark.parametrize("scatter", [False, True])
@pytest.mark.parametrize("inside", [0, 1, 0b110])
def test_walking_sets_counts_what_walking_single_messages_counts(scatter, inside):
    n = 4
    rng = random.Random(7)
    scratch, occupied, crossing = stations_tables(n)
    for index in [0, *(rng.randrange(PAIRS.span(n)) for _ in range(25))]:
        A, b = PAIRS.case(n, index)
        pairs = messages(A, int(b), scatter)
        rows = np.array(A.rows)
        stations.walk_subsets(n, rows, int(b), scatter, inside, scratch, occupied, crossing)
        external = [k for k in range(n) if not inside >> k & 1]
        for S in _subsets(external):
            mask = sum(1 << k for k in S)
            held = held_by_nodes(pairs, S, inside).values()
            assert occupied[mask].tolist() == [min(held), max(held)]
            for j in set(external) - set(S):
                loads = crossed_channels(pairs, S, j, inside).values() or [0]
                assert crossing[0, mask, j].tolist() == [min(loads), max(loads)]


@uncompiled
@pytest.mark.parametrize("scatter", [False, True])
@pytest.mark.parametrize("inside", [0, 1])
def test_one_walk_with_b_zero_tells_the_loads_for_every_b(scatter, inside):
    """lattice.translation, as it is used from n = 5 on."""
    n = 4
    rng = random.Random(8)
    tables, direct = stations_tables(n), stations_tables(n)
    for _ in range(20):
        (A, b) = PAIRS.case(n, rng.randrange(PAIRS.span(n)))
        rows = np.array(A.rows)
        stations.walk_subsets(n, rows, 0, scatter, inside, *tables)
        stations.walk_subsets(n, rows, int(b), scatter, inside, *direct)
        assert (tables[1] == direct[1]).all()
        for j in range(n):
            assert (tables[2][b[j], :, j] == direct[2][0, :, j]).all()


@uncompiled
@pytest.mark.parametrize("n", [5, 6])
def test_walking_sets_in_the_largest_words(n):
    rng = random.Random(n)
    A, b = PAIRS.case(n, rng.randrange(PAIRS.span(n)))
    pairs = messages(A, int(b))
    scratch, occupied, crossing = stations_tables(n)
    stations.walk_subsets(n, np.array(A.rows), int(b), False, 0, scratch, occupied, crossing)
    for S in _subsets(range(n)):
        mask = sum(1 << k for k in S)
        assert occupied[mask, 1] == max(held_by_nodes(pairs, S).values())
        for j in set(range(n)) - set(S):
            loads = crossed_channels(pairs, S, j).values() or [0]
            assert crossing[0, mask, j].tolist() == [min(loads), max(loads)]


@uncompiled
def test_a_translated_check_finds_the_same_least_failing_pair(monkeypatch):
    """What is done from n = 5 on, done at n = 3: the same verdict for right and wrong formulas."""
    rng = random.Random(10)
    starts = [rng.randrange(4096 - 300) for _ in range(4)]
    for translated in (False, True):
        monkeypatch.setattr(lattice_loads, "by_translation", lambda n, t=translated: t)
        found = [
            get_claim(f"lattice.{name}").check(3, s, s + 300, rows_less=rows_less).failing
            for s in starts
            for name in ("occupancy", "load")
            for rows_less in (False, True)
        ]
        if not translated:
            expected = found
    assert found == expected
    assert {failing is None for failing in found} == {True, False}
