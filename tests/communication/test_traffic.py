"""Traffic, phases and programs: values that hold exactly what is sent."""

import math
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
from lccmodel.communication.conversion import collect
from lccmodel.communication.grids import ProcessGrid
from lccmodel.communication.program import Entry
from lccmodel.communication.rows import whole_numbers as _whole
from lccmodel.communication.traffic import added_up, checked_pairs, rank_count
from lccmodel.errors import CommunicationError, InputError
from lccmodel.ground.numbers import (
    checked_volumes,
    exact_sum,
    in_common_unit,
    in_rounded_unit,
    scaled,
)
from lccmodel.placement.search import place

PAIRS = [(0, 0), (1, 8), (2, 4), (4, 2), (8, 1)]

pd = pytest.importorskip("pandas")


def test_holds_what_is_given_and_nothing_else():
    """Message by message, in the order given; repetitions stay."""
    t = Traffic([*PAIRS, (1, 8)], [5, 4, 3, 2, 1, 0])
    assert t.messages.tolist() == [list(pair) for pair in [*PAIRS, (1, 8)]]
    assert t.volumes.tolist() == [5, 4, 3, 2, 1, 0]
    assert (t.volumes.dtype, t.messages.dtype) == (np.int64, np.int64)
    assert (t.ranks, t.total, len(t)) == (9, 15, 6)


def test_does_not_share_memory_with_what_it_was_made_from():
    pairs = np.array(PAIRS)
    t = Traffic(pairs)
    pairs[0] = 7
    assert t.messages[0].tolist() == [0, 0]
    with pytest.raises(AttributeError, match="frozen"):
        t.ranks = 5
    for sent in (t, Traffic.of(LCC([[0, 1], [1, 0]], [1, 0]))):  # which lists its messages late
        assert not sent.messages.flags.writeable
        assert not sent.volumes.flags.writeable


def test_of_no_messages():
    t = Traffic([], ranks=48)
    assert (t.ranks, t.total, t.uniform, len(t), len(t.idle), t.lcc) == (48, 0, True, 0, 48, None)
    assert t.messages.shape == (0, 2)


def test_integers_beyond_64_bits_are_volumes():
    """A million messages of 10^14 bytes: sums beyond 2^61, and every volume as it is."""
    t = Traffic([(0, 1)] * 30_000, [10**14] * 29_999 + [10**14 + 1])
    assert t.volumes.dtype == np.float64
    assert (t.total, t.ranks) == (3 * 10**18 + 1, 2)
    assert Traffic([(0, 1), (1, 0)], [3 * 10**18, 10**22]).total == 10_003 * 10**18
    placed = place(Traffic([(0, 1), (1, 0)], [3 * 10**18, 10**22]), "mesh:2", over="placements")
    assert placed.after.value == 10**22


@pytest.mark.parametrize(
    ("pairs", "volumes", "largest"),
    [
        ([(0, 1), (1, 0)], [2**53 + 1, 5], 2**53 + 1),  # no float
        ([(0, 1), (0, 1)], [0.5, 0.25], 0.75),
        ([(0, 1), (2, 2), (0, 1), (1, 3)], [2, 100, 3, 4], 5),
        ([(1, 1)], [7], 1),
        ([], None, 1),
    ],
)
def test_the_largest_volume_adds_repetitions_and_skips_what_stays(pairs, volumes, largest):
    assert Traffic(pairs, volumes).largest_volume == largest


@pytest.mark.parametrize("narrow", [np.float32, np.float16])
def test_narrow_floats_mean_the_decimals_they_print_as(narrow):
    """0.4 read np.float32(0.1) as 0.10000000149011612, without a word."""
    array = np.array([0.1, 0.2], narrow)
    for sent in (
        Traffic([[0, 2], [1, 2]], array),
        Traffic([[0, 2], [1, 2]], list(array)),
        Traffic.of({(0, 2): array[0], (1, 2): array[1]}),
        Traffic([[0, 2], [1, 2]], [1, 2]) * array[0],
    ):
        assert sent.volumes.tolist() == [0.1, 0.2]
    assert Traffic([[0, 1]], np.array([3], narrow)).volumes.dtype == np.int64


def test_volumes_are_exact_decimals():
    """0.1 means 1/10: thirty of them are exactly three."""
    t = Traffic([(0, 1)] * 30, [0.1] * 30)
    integers, unit = t.exact
    assert unit == Fraction(1, 10)
    assert set(integers.tolist()) == {1}
    assert t.total == 3
    assert t.uniform


FRACTIONS = st.builds(Fraction, st.integers(0, 50), st.sampled_from([1, 2, 4, 5, 8, 10]))


@given(st.lists(FRACTIONS, min_size=1, max_size=8), st.integers(1, 12))
def test_the_common_unit_is_the_largest(given, factor):
    """volumes = integers * unit, the integers without a common divisor; sums and products too."""
    volumes = np.array([float(v) for v in given])
    found = in_common_unit(volumes)
    assert found is not None
    integers, unit = found
    assert [k * unit for k in integers.tolist()] == given
    assert math.gcd(*integers.tolist()) == (1 if any(given) else 0)
    assert unit == 1 or any(given)
    assert exact_sum(volumes) == sum(given)
    assert isinstance(exact_sum(volumes), int) == (sum(given).denominator == 1)
    times = [v * factor for v in given]
    whole = all(v.denominator == 1 for v in times)
    products = scaled(volumes, factor)
    assert products.dtype == (np.int64 if whole else np.float64)
    assert products.tolist() == [float(v) for v in times]


def test_volumes_are_counted_below_two_to_the_61():
    """In units of 1/2: 2^61 - 1 halves are counted, one half more is not. Rounded: to 2^-58."""
    many = [2.0**52 - 0.5] * 256  # 2^61 - 256 halves
    found = in_common_unit(np.array([*many, 127.5]))
    assert found is not None
    assert (int(found[0].sum()), found[1]) == ((1 << 61) - 1, Fraction(1, 2))
    assert in_common_unit(np.array([*many, 128.0])) is None
    just = [(1 << 60) - 1, 1 << 60]
    assert checked_volumes(just, 2).tolist() == just
    assert checked_volumes([1 << 60, 1 << 60], 2).dtype == np.float64
    assert in_common_unit(np.array([0.5, 2.0**60])) is None
    rounded, unit = in_rounded_unit(np.array([1e-30, 3.0, 5.0]))
    assert unit == Fraction(16, 1 << 58)  # 3 * 5 is below 16
    assert [k * unit for k in rounded.tolist()] == [0, 3, 5]
    half = Fraction(1, 1 << 55)
    assert in_rounded_unit(np.array([float(half), 3.0, 5.0]))[0][0] == 1
    assert in_rounded_unit(np.array([float(half) * 0.99, 3.0, 5.0]))[0][0] == 0


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (None, np.ones(2, np.int64)),
        ([4.0, 1], np.array([4, 1])),
        ([4.5, 1], np.array([4.5, 1.0])),
        ([Fraction(1, 2), 3], np.array([0.5, 3.0])),
        ([Fraction(4, 2), 3], np.array([2, 3])),
        (np.array([1, 2], np.uint8), np.array([1, 2])),
        (np.array([0.5, 2], np.float32), np.array([0.5, 2.0])),
        ([2.0**61, 1], np.array([2.0**61, 1.0])),
        ([2.0**60, 1], np.array([1 << 60, 1])),
    ],
)
def test_volumes_are_integers_where_all_of_them_are(given, kept):
    found = checked_volumes(given, 2)
    assert (found.dtype, found.tolist()) == (kept.dtype, kept.tolist())


def test_added_up_is_exact_where_volumes_are_integers():
    large = np.array([(1 << 60) - 1, 1, 7])
    places = np.array([1, 1, 0])
    assert added_up(large, places, 3).tolist() == [7, 1 << 60, 0]
    floats = added_up(large / 2, places, 3)
    assert (floats.dtype, floats.tolist()) == (np.float64, [3.5, 2.0**59, 0])


def test_ranks_are_counted():
    pairs, none = checked_pairs([(0, 1), (5, 2)]), checked_pairs([])
    assert pairs.dtype == np.int64
    assert [rank_count(pairs, ranks) for ranks in (None, 6, 9)] == [6, 6, 9]
    assert (none.shape, rank_count(none, None), rank_count(none, 7)) == ((0, 2), 1, 7)
    assert rank_count(checked_pairs([(0, 0)]), 1) == 1
    top = np.array([[0, (1 << 63) - 1]], np.uint64)
    assert checked_pairs(top).tolist() == top.tolist()
    kept = np.array([[2, 1]])
    assert checked_pairs(kept) is not kept
    assert checked_pairs(kept[:, ::-1]).flags.c_contiguous


def frame(**columns: Any) -> Any:
    return pd.DataFrame(columns)


SWAP = [(0, 1), (1, 0)]
SQUARE = "matrix: must be square: one row and one column a rank"
SHAPE = "messages: must be integers of shape (m, 2)"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        # volumes
        (lambda: Traffic([(0, 1)], [-1]), "volumes: must be finite and not negative (message 0); "),
        (lambda: Traffic(SWAP, [1, -0.5]), "not negative (message 1); got -0.5"),
        (lambda: Traffic(SWAP, [0, math.nan]), "must be finite and not negative (message 1)"),
        (lambda: Traffic([(0, 1)], [math.inf]), "volumes: must be finite and not negative"),
        (lambda: Traffic([(0, 1)], ["8"]), "volumes: must be numbers"),
        (lambda: Traffic(SWAP, np.array([True, 2], object)), "must be numbers"),
        (lambda: Traffic(SWAP, [[1, 2]]), "must be 2 numbers"),
        (lambda: Traffic([(0, 1)], [1, 2]), "volumes: must be 1 numbers"),
        (lambda: Traffic(SWAP, [1, 2]).uniform_volume, "volumes: must be equal"),
        (lambda: Traffic(SWAP, [1e-30, 1e30]).exact, "round them"),
        # ranks: who counts from one is told so, but only if that would mend all of them
        (lambda: Traffic([(0, 1), (3, 48)], None, 48), "rank: must be in 0..47 (message 1)"),
        (lambda: Traffic([(1, 2), (3, 4)], None, 4), "ranks 1..4 look numbered from one: subtract"),
        (lambda: Traffic([(0, 1), (3, 4)], None, 4), "rank: must be in 0..3 (message 1); got 4"),
        (lambda: Traffic([(1, 2), (5, 4)], None, 4), "rank: must be in 0..3 (message 1); got 5"),
        (lambda: Traffic([(1, 2), (-3, 9), (-5, 1)]), "rank: must not be negative (message 1); "),
        (lambda: Traffic([(0, 1)], None, 0), "ranks: must be at least 1"),
        (lambda: Traffic([(0, 1)], None, 2.5), "ranks: must be an integer"),
        (lambda: rank_count(checked_pairs([(0, 1)]), 0, "node"), "nodes: must be at least 1; got"),
        (lambda: Traffic.of(Traffic([(0, 1), (2, 0)]), 2), "must be in 0..1"),
        (lambda: Traffic([(0, 1)]).placed([0, 12], 12), "must be in 0..11"),
        (lambda: Traffic([(0, 1)]).placed([0], 12), "2"),
        (lambda: Traffic(np.array([[0, 1 << 63]], np.uint64)), f"below 2^63; got {1 << 63}"),
        (lambda: Traffic([(0, 1, 2)]), SHAPE),
        (lambda: Traffic([["0", "1"]]), SHAPE),
        (lambda: Traffic([(0.5, 1)]), SHAPE),
        (lambda: collect([(True, False)]), "nodes must be integers"),
        # descriptions
        (lambda: Traffic.of(frame(**{"from": [0]}, bytes=[5])), "there is no column destination"),
        (lambda: Traffic.of(frame(bytes=[5], note=["a"])), "must have the columns source"),
        (lambda: Traffic.of(frame(source=[0.5], destination=[1])), "must be integers"),
        (lambda: Traffic.of({(0, 1, 2): 3}), "must be ranks or pairs"),
        (lambda: Traffic.of({(): 3}), "must be ranks or pairs"),
        (lambda: Traffic.of(lambda r: r), "is required for a function"),
        (lambda: Traffic.of(lambda r: r, 1 << 24 | 1), "ranks: must be at most 2^24 for a func"),
        (lambda: Traffic.of([[0, 1], [2, 0]]), "may be a matrix, and may be messages"),
        *((lambda bad=bad: Traffic.of(bad), "")
          for bad in (5, "pairs", None, [[1, 2], [3]], np.zeros((2, 4)), [0.5])),
        *((lambda shape=shape: Traffic.of_matrix(np.zeros(shape)), SQUARE)
          for shape in ((0, 0), (2, 3), (4,), (2, 2, 2))),
        *((lambda entry=entry: Traffic.of_matrix([[entry]]), "matrix: entries must be numbers")
          for entry in ("a", 1j, object())),
        # phases and programs
        (lambda: Phase([(0, 1)], 1, 7), "name: must be a text"),
        *((lambda weight=weight: Phase([(0, 1)], weight), "weight")
          for weight in (0, -1, math.nan, math.inf, True, "2")),
        (lambda: Program.of([LCC([[1]]), [(0, 1)]]), "must all be phases, traffics or communicat"),
        (lambda: Program([]), ""),
        (lambda: Program([Phase([(5, 1)])], ranks=5), "at least 6"),
    ],
)  # fmt: skip
def test_refuses_with_argument_rule_and_value(call, text):
    with pytest.raises(InputError) as caught:
        call()
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("c", [catalog.bit_reverse(3), catalog.scale2(4), LCC([[0, 0], [0, 1]])])
def test_a_matrix_is_known_by_its_messages_if_they_are_alike(c):
    """Of messages, `message_for_message` says it, which is tested with recognition."""
    pairs = c.pairs().tolist()
    assert Traffic(pairs, [7] * len(pairs), c.size).lcc == c
    assert Traffic(pairs[:-2], ranks=c.size).lcc is None
    assert Traffic(pairs, [1, 2, *[1] * (len(pairs) - 2)], c.size).lcc is None


def test_a_matrix_is_kept_however_large():
    t = Traffic.of(catalog.bit_reverse(64))
    assert (t.ranks, t.total, t.lcc) == (1 << 64, 1 << 64, catalog.bit_reverse(64))
    assert repr(pickle.loads(pickle.dumps(t))) == repr(t)


def test_a_frame_may_have_other_columns():
    sent = Traffic.of(frame(src=[0, 1, 2], time=[0.1, 0.2, 0.3], dst=[1, 2, 0], bytes=[5, 7, 1]))
    assert sent == Traffic([(0, 1), (1, 2), (2, 0)], [5, 7, 1])


def test_of_functions_and_destinations():
    assert Traffic.of([1, 2, 0]).messages.tolist() == [[0, 1], [1, 2], [2, 0]]
    neighbours = Traffic.of(lambda r: [s for s in (r - 1, r + 1) if 0 <= s < 3], 3)
    assert neighbours.messages.tolist() == [[0, 1], [1, 0], [1, 2], [2, 1]]
    assert Traffic.of(lambda r: None, 3).messages.shape == (0, 2)


def test_an_undirected_edge_is_sent_both_ways():
    """A loop once, a directed edge once; the volume of an edge each way; ranks by the last node."""
    graph = nx.Graph()
    graph.add_edge(0, 2, volume=5)
    graph.add_edge(1, 1, volume=3)
    graph.add_node(4)
    for edges, pairs in (
        (graph, {(0, 2): 5, (2, 0): 5, (1, 1): 3}),
        (nx.DiGraph([(2, 0), (1, 1)]), {(2, 0): 1, (1, 1): 1}),
    ):
        sent = Traffic.of(edges)
        found = zip(map(tuple, sent.messages.tolist()), sent.volumes.tolist(), strict=True)
        assert dict(found) == pairs
    assert Traffic.of(graph).ranks == 5


def test_ranks_that_a_column_has_made_floats_or_objects_are_integers():
    """As pandas has them beside a gap or a text."""
    for kind in (float, object):
        ends = frame(source=[0, 1], destination=[1, 2]).astype(kind)
        assert Traffic.of(ends).messages.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float64])
def test_a_matrix_sends_its_entries_that_are_not_0(kind):
    """All matrices of 0, 1, 3 of up to 2 rows, some of 3; dense, and sparse with zeros stored."""
    import scipy.sparse as sp

    some = np.random.default_rng(7).choice(3**9, 40, replace=False)
    for r, number in (
        [(1, k) for k in range(3)] + [(2, k) for k in range(81)] + [(3, k) for k in some]
    ):
        digits = np.array([(0, 1, 3)[number // 3**k % 3] for k in range(r * r)])
        matrix = digits.reshape(r, r).astype(kind)
        places = [(s, d) for s in range(r) for d in range(r)]
        sent = [(s, d, matrix[s, d]) for s, d in places if matrix[s, d]]
        stored = sp.coo_matrix((matrix.ravel(), tuple(np.array(places).T)), shape=(r, r))
        for given_ in (matrix, stored, matrix.tolist()):
            t = Traffic.of_matrix(given_)
            assert t.ranks == r
            assert t.messages.dtype == np.int64
            ends = t.messages.tolist()
            assert [(*e, v) for e, v in zip(ends, t.volumes.tolist(), strict=True)] == sent


def test_the_same_messages_among_more_ranks_or_with_other_volumes():
    """Messages stay as they are; fewer ranks than they name are refused."""
    t = Traffic([(0, 1), (2, 0)], [3, Fraction(1, 2)])
    assert Traffic.of(t, 5) == Traffic([(0, 1), (2, 0)], [3, Fraction(1, 2)], 5) != t
    assert t.scaled(4) == Traffic([(0, 1), (2, 0)], [12, 2])
    assert t != "messages"


def test_rows_of_numbers_are_read_by_one_table_in_python_too():
    """0.4 refused three triples in a list, and read them as a matrix in an array."""
    triples = [[0, 1, 5], [1, 2, 7], [2, 0, 1]]
    for rows in (triples, np.array(triples), list(map(tuple, triples)), pd.DataFrame(triples)):
        sent = Traffic.of(rows)
        assert sent.messages.tolist() == [[0, 1], [1, 2], [2, 0]]
        assert sent.volumes.tolist() == [5, 7, 1]
    first = Traffic.of([[0, 512], [512, 0]])
    assert (first.ranks, first.messages.tolist(), first.volumes.tolist()) == (
        2, [[0, 1], [1, 0]], [512, 512],
    )  # fmt: skip
    assert "2×2 matrix" in first.notes[0]
    assert Program.of([[0, 512], [512, 0]]).notes == first.notes
    assert Traffic.of([(0, 1), (2, 0)]).ranks == 3, "tuples are messages"


@pytest.mark.parametrize(("end", "index"), [("row", 2), ("col", 2), ("row", -1), ("col", -1)])
def test_a_sparse_matrix_with_an_index_outside_is_refused(end, index):
    import scipy.sparse as sp

    matrix = sp.coo_matrix(([1, 1], ([0, 1], [1, 0])), shape=(2, 2))
    getattr(matrix, end)[0] = index
    with pytest.raises(CommunicationError, match=r"must be in 0..1"):
        Traffic.of(matrix)


def test_placed_on_nodes():
    t = Traffic([(0, 1), (1, 2)], [3, 4]).placed([9, 0, 4], 12)
    assert (t.messages.tolist(), t.ranks) == ([[9, 0], [0, 4]], 12)


def test_merged_adds_up_and_drops_what_uses_no_channel():
    t = Traffic([(0, 1), (0, 0), (0, 1), (1, 0)], [0.5, 9, 0.25, 1]).merged()
    assert t.messages.tolist() == [[0, 1], [1, 0]]
    assert t.volumes.tolist() == [0.75, 1]


def test_phases_and_programs_are_equal_when_all_that_is_sent_is():
    """What was noted does not count; equality by parts is in test_values."""
    phase, twin = Phase([(0, 1)], 3, "a"), Phase([(0, 1)], np.int64(3), "a")
    assert phase == twin
    assert type(twin.weight) is int
    assert repr(phase) == f"Phase({Traffic([(0, 1)])!r}, 3, 'a')"
    p = Program([phase, [(1, 0)]], 4, "cube:2", ["a note"])
    assert p == Program([twin, Phase([(1, 0)])], 4)
    assert (p[0], p[:1], len(list(p))) == (phase, (phase,), 2)
    again = pickle.loads(pickle.dumps(p))
    assert (again, again.network, again.notes) == (p, "cube:2", ("a note",))
    assert repr(p) == f"Program({[phase, Phase([(1, 0)])]!r}, ranks=4)"
    assert Phase([(0, 1)], Fraction(1, 3)).weight == Fraction(1, 3)


def test_the_program_that_something_describes():
    """Members keep their names and weights; all of them must be communications."""
    c = LCC([[0, 1], [1, 0]], name="transpose")
    p = Program([Phase([(0, 1)], 3, "a")], 4, "cube:2")
    assert Program.of(p) is p
    wider = Program.of(p, 8)
    assert (wider.ranks, wider.network, wider.phases) == (8, "cube:2", p.phases)
    members = [Entry("x", c, 2.0, network="origin:2", calls=2.0), Entry("y", c, 0.5, calls=0.5)]
    found = Program.of([*members, Traffic([(0, 1)]), c], 8)
    assert (found.ranks, found.network) == (8, "origin:2")
    weights = [phase.weight for phase in found]
    assert (weights, type(weights[0])) == ([2, 0.5, 1, 1], int)
    assert [phase.name for phase in found] == ["x", "y", "", "transpose"]
    assert Program.of([c])[0].lcc == c
    assert Program.of([(0, 1), (1, 0)], 5).ranks == 5


def test_programs():
    p = Program([Phase([(0, 1)], 3, "a"), Phase([(5, 1)], 0.5, "b")])
    assert (p.ranks, len(p), [phase.name for phase in p], p[1].weight) == (6, 2, ["a", "b"], 0.5)
    assert Program.of([catalog.bit_reverse(3), catalog.matrix_transpose(4)]).ranks == 16


def test_a_grid_along_which_nothing_is_sent_is_one_empty_phase_of_weight_1():
    """Sides of 1, or volumes of 0: the program has the ranks and the name of the pattern."""
    for grid, volumes in ((ProcessGrid((1, 1)), None), (ProcessGrid((2, 3)), (0, 0))):
        (phase,) = grid.program("rings", volumes)
        assert (phase.weight, phase.name, len(phase.traffic)) == (1, "rings", 0)
        assert phase.traffic.ranks == grid.ranks


@pytest.mark.parametrize("power", [-12, -9, -4, -1, 0, 3, 7, 12])
@pytest.mark.parametrize("large", [0.99999, 1.0, 3.7])
def test_rounded_volumes_are_nearest_multiples_of_which_fourteen_digits_are_the_total(power, large):
    """10^13 <= total / unit < 10^14, the unit a power of ten; phases keep weights and names."""
    small = [0.1234567890123456 * 10.0**power / 7, 10.0**power / 3e4]
    phases = [Phase(Traffic([(0, 1), (1, 0)], small), 2, "a"),
              Phase(Traffic([(1, 2)], [large * 10.0 ** (power + 6)]), 3, "b")]  # fmt: skip
    found = Program(phases).in_common_unit()
    assert [(phase.weight, phase.name) for phase in found] == [(2, "a"), (3, "b")]
    unit = Fraction(found.notes[-1].rsplit(" ", 1)[1])
    assert unit in (Fraction(10) ** k for k in range(-30, 30))
    exact = [Fraction(str(v)) for phase in phases for v in phase.traffic.volumes.tolist()]
    assert 10**13 * unit <= sum(exact) < 10**14 * unit
    got = [Fraction(str(v)) for phase in found for v in phase.traffic.volumes.tolist()]
    assert all(v % unit == 0 and abs(v - u) <= unit / 2 for v, u in zip(got, exact, strict=True))


def test_floats_that_may_have_lost_a_unit_are_no_whole_numbers():
    """2^53 may have been 2^53 + 1."""
    assert _whole([0, 2.0**53 - 1]).dtype == np.int64
    for values in ([2.0**53], [-(2.0**53)], [0.5, 1]):
        assert _whole(values).dtype == np.float64
