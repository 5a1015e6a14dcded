"""Communications are composed as maps, traffic is added up, and nothing is lost on the way in.

(A, b)(C, d) = (AC, Ad + b): XY applies Y first.
"""

from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lccmodel as lcc
from lccmodel.errors import CommunicationError, SingularMatrixError
from tests.strategies import lccs


def _counted(c: lcc.LCC) -> Counter[tuple[int, int]]:
    return Counter(map(tuple, c.pairs().tolist()))


def _after(first: lcc.LCC, second: lcc.LCC) -> set[tuple[int, int]]:
    """Who hears of whom when the messages of `first` are passed on by `second`, walked."""
    return {
        (source, end)
        for source, node in first.pairs().tolist()
        for start, end in second.pairs().tolist()
        if node == start
    }


@given(st.data(), st.integers(1, 4))
def test_products_are_walks_of_two_communications(data, n):
    """(A, b)(A', b') = (AA', Ab' + b) wherever both run the same way."""
    c, d = data.draw(lccs(n=n)), data.draw(lccs(n=n))
    if {c.kind, d.kind} == {"gather", "scatter"}:
        with pytest.raises(CommunicationError, match="no product"):
            c @ d
        return
    product = c @ d
    assert set(_counted(product)) == _after(d, c)


@given(st.data(), st.integers(1, 4), st.integers(-5, 5))
def test_powers_are_repeated_products(data, n, k):
    """c^k = c c ... c, c^-1 c = 1."""
    c = data.draw(lccs(n=n))
    one = lcc.LCC(np.eye(n, dtype=int))
    if k < 0 and c.kind != "permutation":
        with pytest.raises(SingularMatrixError, match="has no inverse"):
            c**k
        return
    expected = one
    for _ in range(abs(k)):
        expected = (c if k > 0 else c.inverse()) @ expected
    assert c**k == expected
    if c.kind == "permutation":
        assert c.inverse() @ c == one == c @ c.inverse()
        assert [c(x) for x in range(1 << n)] == c.destination(np.arange(1 << n)).tolist()


@pytest.mark.parametrize("strange", [3, "x", None])
def test_other_sizes_and_types_are_refused(strange):
    with pytest.raises(CommunicationError, match="must have n = 2"):
        lcc.LCC(np.eye(2, dtype=int)) @ lcc.LCC([[1]])
    for call in (lambda: lcc.LCC([[1]]) @ strange, lambda: lcc.Traffic([[0, 1]]) + strange,
                 lambda: lcc.LCC([[1]]) ** 0.5):  # fmt: skip
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize(
    "given_as",
    [
        {(0, 1): 3, (2, 0): 5},
        {0: {1: 3}, 2: {0: 5}},
        pd.Series({(0, 1): 3, (2, 0): 5}),
        nx.DiGraph([(0, 1, {"weight": 3}), (2, 0, {"weight": 5})]),
        {np.int64(0): {np.int64(1): np.int64(3)}, 2: {0: 5}},
    ],
    ids=["pairs", "nested", "series", "graph", "numpy"],
)
def test_volumes_of_dictionaries_are_kept(given_as):
    """`{(0, 1): 3}` was one message of volume 1."""
    assert lcc.Traffic.of(given_as) == lcc.Traffic([[0, 1], [2, 0]], [3, 5])
    assert lcc.contention(given_as, "cube:2").degree == 5


def test_destinations_of_a_dictionary():
    several = lcc.Traffic([[0, 1], [3, 0], [3, 2]], ranks=5)
    assert lcc.Traffic.of({0: 1, 3: [0, 2], 1: ()}, 5) == several
    assert lcc.Traffic.of({}, 4) == lcc.Traffic([], ranks=4)
    assert lcc.Traffic.of(pd.Series([2, 0, 1])) == lcc.Traffic.of(np.array([2, 0, 1]))


@pytest.mark.parametrize(
    "wrong",
    [{(0, 1, 2): 3}, {"a": 1}, {(0, 1): "many"}, {(0, 1): -1}, {0: "1"}, {0: {1: None}}, {None: 1}],
    ids=repr,
)
def test_dictionaries_that_are_no_traffic_are_refused(wrong):
    with pytest.raises(lcc.errors.InputError):
        lcc.Traffic.of(wrong)


def test_arrays_of_xarray_are_matrices_of_volumes():
    """Known by `dims` and `to_numpy`, so that the library does not import xarray."""

    class Array:
        dims = ("source", "destination")

        def __init__(self, values: Any) -> None:
            self.values = np.array(values)

        def to_numpy(self) -> Any:
            return self.values

        def __iter__(self) -> Any:
            return (Array(row) for row in self.values)

    matrix = [[0, 3, 0, 0], [0, 0, 0, 0], [5, 0, 0, 0], [0, 0, 0, 0]]
    assert lcc.Traffic.of(Array(matrix)) == lcc.Traffic([[0, 1], [2, 0]], [3, 5], 4)


def test_sums_multiples_and_parts():
    """Loads are linear in the traffic: L(s + 2t) = L(s) + 2 L(t)."""
    s, t = lcc.Traffic([[0, 1], [1, 3]], [1, 0.5]), lcc.Traffic([[0, 3]], [7], 4)
    both = s + 2 * t
    assert both == lcc.Traffic([[0, 1], [1, 3], [0, 3]], [1, 0.5, 14])
    of_s, of_t, of_both = (lcc.Hypercube(2).channel_loads(sent).values for sent in (s, t, both))
    assert (of_both == of_s + 2 * of_t).all()
    assert of_both.any()
    assert both[:2] == s
    assert both[2] == 2 * t
    assert both[-1] == both[2]
    assert both[both.volumes > 0.75].total == 15
    assert len(both[[]]) == 0
    assert both[[]].ranks == 4
    for wrong in (3, -4, "x", 1.5, [True], None):
        with pytest.raises(CommunicationError, match="chosen"):
            both[wrong]
