"""The counting, replaying and moving behind calmant.*, against slow plain programs.

[calmant, Theorems 3 and 4, sections 3.2 and 4.2, appendix A.3].
"""

import itertools

import numpy as np
import pytest

from proofs_check.claims.calmant_embedding import (
    _least_of_all,
    mesh_distances,
    smallest_cuts,
    total_dilation,
)
from proofs_check.claims.calmant_loads import printed_bound, printed_load
from proofs_check.claims.calmant_mesh import bound, largest_load, line_bound, replayed
from proofs_check.claims.calmant_whole import obey, stored

pytestmark = pytest.mark.usefixtures("uncompiled")


def test_every_kind_of_conflict_has_its_words():
    assert replayed(np.zeros((2, 4), int), 0, 2, 1).conflict.endswith("one node sends both")
    assert replayed(np.zeros((1, 8), int), 1, 3, 1).conflict.endswith("a link carries both")
    chain = np.array([[1, 0, 2, 3], [4, 5, 6, 0]])  # 3 -> 1, then 1 -> 0: one after the other
    assert replayed(chain, 0, 2, 1).conflict is None
    star = np.array([[5, 0, 6, 7], [8, 9, 0, 10]])  # 1 -> 0 on axis 0, 2 -> 0 on axis 1
    assert replayed(star, 0, 2, 2).conflict == (
        "step 0: processes 1 -> 0 and 2 -> 0, one node receives both"
    )
    assert replayed(np.full((1, 2), -1), 0, 1, 1).conflict == "a message has no step"


@pytest.mark.parametrize(("d", "c"), [(6, 1), (8, 2), (9, 3), (8, 4)])
def test_axes_counted_as_lines_give_the_bound_of_the_mesh(d, c):
    for i in range(d):
        for M in range(1, d - i + 1):
            load = largest_load(range(i, i + M), d, c)
            assert line_bound(i, M, c) == (load, bound(i, M, d, c))
            assert (load, max(load, M)) == (printed_load(i, M, c), printed_bound(i, M, c))


# -- placements --------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3])
def test_smallest_cuts_by_trying_all_sets(d):
    edges = [(n, n ^ 1 << k) for n in range(1 << d) for k in range(d) if n < n ^ 1 << k]
    for size in range((1 << d) + 1):
        least = min(
            sum((a in chosen) != (b in chosen) for a, b in edges)
            for chosen in map(set, itertools.combinations(range(1 << d), size))
        )
        assert smallest_cuts(d)[size] == least


@pytest.mark.parametrize(
    ("distance", "d"),
    [
        (np.random.default_rng(7).integers(0, 1000, (4, 4)), 2),
        pytest.param(mesh_distances(3, 1), 3, marks=pytest.mark.slow),
        pytest.param(mesh_distances(3, 3), 3, marks=pytest.mark.slow),
    ],
)
def test_all_placements_are_tried(distance, d):
    """Any distances will do; the least over (2^d)! placements of a cube."""
    distance = distance + distance.T
    orders = itertools.permutations(range(1 << d))
    assert _least_of_all(distance, d) == min(total_dilation(distance, np.array(o)) for o in orders)


# -- rules -------------------------------------------------------------------------------------


def test_words_that_are_spoiled_are_seen():
    """A letter left out, a word too few; two swapped, where every node is always busy."""
    full = 0
    for words in stored():
        assert obey(words)
        first, *others = words.lines
        word = first[0]
        at = next(k for k in range(1, len(word)) if word[k] != word[0])
        swapped = word[at] + word[1:at] + word[0] + word[at + 1 :]
        less = word.replace(word[at], ".", 1) if word[at] != "." else word.replace(word[0], ".", 1)
        spoiled = [(less, *first[1:]), first[1:]]
        if sum(many for _, many in words.runs) == words.steps:
            full += 1
            spoiled.append((swapped, *first[1:]))
        for wrong in spoiled:
            assert not obey(words._replace(lines=(wrong, *others)))
    assert full
