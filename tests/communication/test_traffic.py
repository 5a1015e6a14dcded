"""Traffic, phases and programs: values that hold exactly what is sent."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel import LCC, Program, Traffic, catalog
from lccmodel.communication import Phase
from lccmodel.errors import CommunicationError, InputError, NodeError
from tests.strategies import lccs

PAIRS = [(0, 0), (1, 8), (2, 4), (4, 2), (8, 1)]


def test_holds_what_is_given_and_nothing_else() -> None:
    """Message by message, in the order given; repetitions stay."""
    t = Traffic([*PAIRS, (1, 8)], [5, 4, 3, 2, 1, 0])
    assert t.messages.tolist() == [list(pair) for pair in [*PAIRS, (1, 8)]]
    assert t.volumes.tolist() == [5, 4, 3, 2, 1, 0]
    assert (t.volumes.dtype, t.messages.dtype) == (np.int64, np.int64)
    assert (t.ranks, t.total, len(t)) == (9, 15, 6)
    assert not t.messages.flags.writeable
    assert not t.volumes.flags.writeable


def test_does_not_share_memory_with_what_it_was_made_from() -> None:
    pairs = np.array(PAIRS)
    t = Traffic(pairs)
    pairs[0] = 7
    assert t.messages[0].tolist() == [0, 0]
    with pytest.raises(AttributeError, match="frozen"):
        t.ranks = 5


def test_of_no_messages() -> None:
    t = Traffic([], ranks=48)
    assert (t.ranks, t.total, t.uniform, len(t)) == (48, 0, True, 0)
    assert t.messages.shape == (0, 2)
    assert len(t.idle) == 48
    assert t.lcc is None


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([(0, 1)], [-1]), "volumes: must be finite and not negative (message 0); got -1"),
        (([(0, 1)], [float("nan")]), "volumes: must be finite and not negative"),
        (([(0, 1)], [float("inf")]), "volumes: must be finite and not negative"),
        (([(0, 1)], ["8"]), "volumes: must be numbers"),
        (([(0, 1)], [1, 2]), "volumes: must be 1 numbers"),
        (([(0, 1)], [1 << 62]), "volumes: must add up to less than 2^61"),
        (([(0, 1), (3, 48)], None, 48), "rank: must be in 0..47 (message 1)"),
        (([(1, 2), (47, 48)], None, 48), "look numbered from one: subtract 1 from each"),
        (([(0, -1)],), "rank: must not be negative (message 0); got -1"),
        (([(0, 1, 2)],), "messages: must be integers of shape (m, 2)"),
        (([(0.5, 1)],), "messages: must be integers of shape (m, 2)"),
        (([(0, 1)], None, 0), "ranks: must be at least 1"),
        (([(0, 1)], None, 2.5), "ranks: must be an integer"),
    ],
)
def test_refuses_with_argument_rule_and_value(arguments: Any, text: str) -> None:
    with pytest.raises(InputError) as caught:
        Traffic(*arguments)
    assert text in str(caught.value)


def test_volumes_are_exact_decimals() -> None:
    """0.1 means 1/10: thirty of them are exactly three."""
    t = Traffic([(0, 1)] * 30, [0.1] * 30)
    integers, unit = t.exact
    assert unit == Fraction(1, 10)
    assert set(integers.tolist()) == {1}
    assert t.total == 3
    assert t.uniform


@given(st.lists(st.integers(0, 9999).map(lambda k: Fraction(k, 64)), min_size=1, max_size=20))
def test_exact_gives_the_volumes_back(volumes: list[Fraction]) -> None:
    t = Traffic([(0, 1)] * len(volumes), [float(v) for v in volumes])
    integers, unit = t.exact
    assert [float(k * unit) for k in integers.tolist()] == [float(v) for v in volumes]


def test_volumes_without_a_common_unit_are_refused_by_exact_only() -> None:
    t = Traffic([(0, 1), (1, 0)], [1e-30, 1e30])
    with pytest.raises(CommunicationError, match="round them"):
        _ = t.exact


@given(st.integers(1, 5).flatmap(lccs))
def test_knows_its_matrix(c: LCC) -> None:
    """All 2^n messages, in any order, are recognised as the communication they are."""
    shuffled = np.random.default_rng(5).permutation(c.pairs())
    found = Traffic(shuffled, np.full(c.size, 7), c.size).lcc
    assert found is not None
    assert sorted(found.pairs().tolist()) == sorted(c.pairs().tolist())


@given(st.integers(1, 4).flatmap(lccs), st.data())
def test_never_claims_a_matrix_for_other_messages(c: LCC, data: st.DataObject) -> None:
    """One message to another node less, or of another volume: no matrix stands for the rest."""
    pairs = [pair for pair in c.pairs().tolist() if pair[0] != pair[1]]
    if not pairs:
        return
    k = data.draw(st.integers(0, len(pairs) - 1))
    fewer = Traffic(pairs[:k] + pairs[k + 1 :], ranks=c.size)
    found = fewer.lcc
    if found is not None:
        moving = [pair for pair in found.pairs().tolist() if pair[0] != pair[1]]
        assert sorted(moving) == sorted(fewer.messages.tolist())
    if len(pairs) > 1:
        volumes = np.ones(len(pairs))
        volumes[k] = 2
        assert Traffic(pairs, volumes, c.size).lcc is None


def test_messages_to_oneself_use_no_channel_and_may_be_missing() -> None:
    c = catalog.matrix_transpose(4)
    moving = [pair for pair in c.pairs().tolist() if pair[0] != pair[1]]
    assert Traffic(moving, ranks=16).lcc == c


def test_a_matrix_is_kept_however_large() -> None:
    t = Traffic.of(catalog.bit_reverse(64))
    assert (t.ranks, t.total, t.lcc) == (1 << 64, 1 << 64, catalog.bit_reverse(64))
    assert repr(pickle.loads(pickle.dumps(t))) == repr(t)


def described() -> list[Any]:
    """The same three messages in every form."""
    import pandas as pd
    import scipy.sparse as sp

    pairs, volumes = [(0, 1), (1, 2), (2, 0)], [5, 7, 1]
    matrix = np.zeros((3, 3), int)
    graph = nx.DiGraph()
    for (u, v), volume in zip(pairs, volumes, strict=True):
        matrix[u, v] = volume
        graph.add_edge(u, v, volume=volume)
    frame = {"src": [0, 1, 2], "time": [0.1, 0.2, 0.3], "dst": [1, 2, 0], "bytes": volumes}
    return [
        Traffic(pairs, volumes),
        Phase(Traffic(pairs, volumes)),
        Program([Traffic(pairs, volumes)]),
        matrix,
        sp.coo_matrix(matrix),
        sp.csr_array(matrix),
        graph,
        pd.DataFrame(frame),
        pd.DataFrame(matrix),
        [(0, 1, 5), (1, 2, 7), (2, 0, 1), (0, 0, 0)],
    ]


@pytest.mark.parametrize("k", range(10))
def test_of_any_description(k: int) -> None:
    t = Traffic.of(described()[k])
    sent = sorted(
        (*pair, volume)
        for pair, volume in zip(t.messages.tolist(), t.volumes.tolist(), strict=True)
        if volume
    )
    assert sent == [(0, 1, 5), (1, 2, 7), (2, 0, 1)]
    assert t.ranks == 3
    assert len(Program.of(described()[k])) == 1


def test_of_functions_and_destinations() -> None:
    assert Traffic.of([1, 2, 0]).messages.tolist() == [[0, 1], [1, 2], [2, 0]]
    neighbours = Traffic.of(lambda r: [s for s in (r - 1, r + 1) if 0 <= s < 3], 3)
    assert neighbours.messages.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]
    assert Traffic.of(lambda r: None, 3).messages.shape == (0, 2)
    with pytest.raises(CommunicationError, match="must be stated for a function"):
        Traffic.of(lambda r: r)


@pytest.mark.parametrize("bad", [5, "pairs", None, [[1, 2], [3]], np.zeros((2, 4)), [0.5]])
def test_of_what_describes_no_messages(bad: object) -> None:
    with pytest.raises(InputError) as caught:
        Traffic.of(bad)
    assert "\n" not in str(caught.value)


def test_three_rows_of_three_are_refused_as_ambiguous() -> None:
    with pytest.raises(CommunicationError, match="may be messages or a matrix"):
        Traffic.of([[0, 1, 5], [1, 2, 7], [2, 0, 1]])


def test_a_sparse_matrix_with_an_index_outside_is_refused() -> None:
    import scipy.sparse as sp

    matrix = sp.coo_matrix(([1], ([0], [1])), shape=(2, 2))
    matrix.row[0] = 7
    with pytest.raises(CommunicationError, match=r"must be in 0..1"):
        Traffic.of(matrix)


def test_placed_on_nodes() -> None:
    t = Traffic([(0, 1), (1, 2)], [3, 4]).placed([9, 0, 4], 12)
    assert (t.messages.tolist(), t.ranks) == ([[9, 0], [0, 4]], 12)
    with pytest.raises(NodeError):
        Traffic([(0, 1)]).placed([0, 12], 12)
    with pytest.raises(CommunicationError):
        Traffic([(0, 1)]).placed([0], 12)


def test_merged_adds_up_and_drops_what_uses_no_channel() -> None:
    t = Traffic([(0, 1), (0, 0), (0, 1), (1, 0)], [0.5, 9, 0.25, 1]).merged()
    assert t.messages.tolist() == [[0, 1], [1, 0]]
    assert t.volumes.tolist() == [0.75, 1]


def test_programs() -> None:
    """Weights, names, the number of ranks; members of every kind."""
    p = Program([Phase([(0, 1)], 3, "a"), Phase([(5, 1)], 0.5, "b")])
    assert (p.ranks, len(p), [phase.name for phase in p], p[1].weight) == (6, 2, ["a", "b"], 0.5)
    assert Program.of([catalog.bit_reverse(3), catalog.matrix_transpose(4)]).ranks == 16
    assert pickle.loads(pickle.dumps(p)) == p
    for bad in ([], [5]):
        with pytest.raises(CommunicationError):
            Program(bad)
    with pytest.raises(CommunicationError, match="at least 6"):
        Program(p.phases, ranks=5)
    for weight in (0, -1, float("nan"), float("inf"), True, "2"):
        with pytest.raises(InputError, match="weight"):
            Phase([(0, 1)], weight)  # type: ignore[arg-type]
