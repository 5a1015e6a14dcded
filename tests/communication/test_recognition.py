"""Recognition against brute force over every (A, b), and witnesses checked by hand.

y = Ax + b over GF(2), as the loop of [hou, Fig. 1] says it in a program.
"""

import itertools
import pickle
from functools import lru_cache, reduce
from operator import xor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.communication import catalog
from lccmodel.communication.conversion import AddressPairs, collect
from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Program
from lccmodel.communication.recognition import Witness, analyse, message_for_message, recognise
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, NodeError, NotLinearComplement, UnderdeterminedError
from tests.bridges import check_bridge
from tests.strategies import lccs
from tests.walking import all_lccs, messages

# -- brute force ---------------------------------------------------------------------------------


@lru_cache
def all_communications(n):
    """Message sets of every (A, b), gathers and scatters apart, with their kinds."""
    return {frozenset(messages(c)): c.kind for c in all_lccs(n)}


def check_against_brute_force(pairs, n):
    recognition = analyse(pairs, n)
    wanted = set(pairs)
    fitting = [(set(c), kind) for c, kind in all_communications(n).items() if wanted <= c]
    if not fitting:
        assert recognition.verdict == "not-linear-complement"
        assert len(recognition.witnesses) == 2
        assert {witness.reading for witness in recognition.witnesses} == {"gather", "scatter"}
        for witness in recognition.witnesses:
            check_witness(witness, pairs)
    elif len(fitting) == 1:
        messages, kind = fitting[0]
        assert recognition.verdict == "linear-complement"
        assert recognition.kind == kind
        assert set(map(tuple, recognition.communication.pairs().tolist())) == messages
    else:
        assert recognition.verdict == "underdetermined"
        assert recognition.communication is None
        kinds = {kind for _, kind in fitting}
        assert recognition.kind == (kinds.pop() if len(kinds) == 1 else None)
        as_function = [1 for _, kind in fitting if kind != "scatter"]
        as_scatter = [1 for _, kind in fitting if kind != "gather"]
        assert 2**recognition.freedom in (len(as_function), len(as_scatter))
    assert recognition.missing_sources == (1 << n) - len({x for x, _ in pairs})
    assert recognition.messages == len(pairs)


def check_witness(witness, pairs):
    """An odd number of sent messages sums to the pair's source, but not to its destination."""
    sent = set(pairs)
    assert witness.pair in sent
    assert set(witness.others) <= sent
    assert len(witness.others) % 2 == 1
    near, far = (0, 1) if witness.reading == "gather" else (1, 0)
    assert reduce(xor, (pair[near] for pair in witness.others)) == witness.pair[near]
    assert reduce(xor, (pair[far] for pair in witness.others)) == witness.predicted
    assert witness.predicted != witness.pair[far]
    together = [witness.pair, *witness.others]
    for size in range(2, len(together), 2):  # minimal: no smaller even set sums to zero
        for part in itertools.combinations(together, size):
            assert reduce(xor, (pair[near] for pair in part)) != 0
    assert str(witness.predicted) in witness.explanation
    assert str(witness.pair[far]) in witness.explanation


@pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_set_of_messages(n):
    everything = list(itertools.product(range(1 << n), repeat=2))
    for chosen in range(1 << len(everything)):
        check_against_brute_force([p for k, p in enumerate(everything) if chosen >> k & 1], n)


def test_every_partial_function_n_2():
    for images in itertools.product([None, *range(4)], repeat=4):
        pairs = [(x, y) for x, y in enumerate(images) if y is not None]
        check_against_brute_force(pairs, 2)
        check_against_brute_force([(y, x) for x, y in pairs], 2)


@pytest.mark.parametrize("n", [1, 2])
def test_a_communication_is_sent_message_for_message_if_each_is_sent_once(n):
    """Of all functions, whole or with one message missing; a node that does nothing stays."""
    for images in itertools.product(range(1 << n), repeat=1 << n):
        every = list(enumerate(images))
        assert message_for_message([*every, every[0]], n) is None
        assert message_for_message([*every[1:], every[1]], n) is None
        for pairs in (every, *(every[:x] + every[x + 1 :] for x in range(1 << n))):
            busy = {node for pair in pairs for node in pair}
            whole = frozenset([*pairs, *((v, v) for v in range(1 << n) if v not in busy)])
            known = message_for_message(pairs, n)
            assert (known is not None) == (whole in all_communications(n)), pairs
            if known is not None:
                assert frozenset(map(tuple, known.pairs().tolist())) == whole


@pytest.mark.parametrize("n", [2, 3])
def test_every_matrix_is_given_back_and_an_altered_map_refused(n):
    check_bridge("recognise", n, 150)


# -- properties ----------------------------------------------------------------------------------


def communications(largest=7):
    return st.integers(1, largest).flatmap(lccs)


@given(communications(largest=6), st.data())
def test_part_of_the_messages_determines_or_leaves_open(c, data):
    """r independent differences of the sources leave n (n - r) bits open."""
    pairs = data.draw(st.lists(st.sampled_from(c.pairs().tolist()), min_size=1, max_size=12))
    recognition = analyse(pairs, c.n)
    near = 1 if c.kind == "scatter" else 0
    differences = [pair[near] ^ pairs[0][near] for pair in pairs]
    span = {0}
    for difference in differences:
        span |= {x ^ difference for x in span}
    rank = len(span).bit_length() - 1
    assert recognition.determined == (rank == c.n)
    if recognition.determined:
        assert recognition.communication == c
    else:
        assert recognition.freedom == c.n * (c.n - rank)
        with pytest.raises(UnderdeterminedError) as raised:
            recognise(pairs, c.n)
        assert raised.value.recognition == recognition


def test_the_error_has_the_witness():
    images = catalog.gray_code(4).images()
    images[5] ^= 2
    with pytest.raises(NotLinearComplement) as raised:
        recognise(images)
    witness = analyse(images).witness
    assert raised.value.witness == witness
    assert witness.explanation in str(raised.value)
    assert len(witness.others) == 3
    assert 5 in {x for x, _ in (witness.pair, *witness.others)}


@settings(max_examples=60)
@given(
    st.integers(1, 5).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.sets(st.tuples(st.integers(0, 2**n - 1), st.integers(0, 2**n - 1)), max_size=20),
        )
    )
)
def test_witnesses_of_random_messages(case):
    n, pairs = case
    recognition = analyse(sorted(pairs), n)
    for witness in recognition.witnesses:
        check_witness(witness, pairs)
    if recognition.determined:
        assert pairs <= set(map(tuple, recognition.communication.pairs().tolist()))


# -- what is passed ------------------------------------------------------------------------------


def reverse(i, n=3):
    return int(format(i, f"0{n}b")[::-1], 2)


def test_hou_fig_1_loop_receives_from_f():
    """b[i] = r[f(i)]: node i receives from f(i)."""
    assert recognise(lambda i: i // 2 + i % 2 * 4, 3, of="source") == catalog.perfect_shuffle(3)
    assert recognise(lambda i: i // 2 + i % 2 * 4, 3) == catalog.unshuffle(3)
    halved = recognise(lambda i: i // 2, 3, of="source")
    assert halved.kind == "scatter"
    assert halved.pairs().tolist() == [[i // 2, i] for i in range(8)]
    assert recognise(lambda i: i // 2, 3).kind == "gather"


def test_a_permutation_is_a_permutation_when_read_as_a_scatter():
    c = catalog.gray_code(4)
    assert recognise(c.reversed().images(), of="source") == c


def test_forms_of_the_same_messages():
    """Those of `Traffic` are in test_forms."""
    c = catalog.reverse_flip(3)
    pairs = [(int(x), int(y)) for x, y in c.pairs()]
    for form in (
        *(pairs, set(pairs), iter(pairs), c.pairs().astype(np.uint8)),
        *(c.images().tolist(), AddressPairs.of(pairs)),
    ):
        assert recognise(form) == c
    assert recognise(c.destination, 3) == c


def test_degenerate_message_sets():
    empty = analyse([], 3)
    assert (empty.verdict, empty.freedom, empty.missing_sources) == ("underdetermined", 12, 8)
    assert [analyse(pairs).n for pairs in ([(0, 0)], [(0, 4)], [(7, 0)])] == [1, 3, 3]
    assert (analyse([(5, 1)]).freedom, analyse([(5, 1)] * 7).freedom) == (9, 9)
    constant = recognise(lambda i: 6, 4)
    assert (constant.kind, constant.rank, constant.destination(9)) == ("gather", 0, 6)
    broadcast = recognise(lambda i: 6, 4, of="source")
    assert (broadcast.kind, broadcast.rank, broadcast.source(9)) == ("scatter", 0, 6)


def test_two_destinations_of_one_source():
    recognition = analyse([(0, 1), (0, 2), (1, 1), (1, 2)])
    gather = recognition.witnesses[0]
    assert gather == Witness("gather", (0, 2), ((0, 1),), 1)
    assert gather.explanation == "node 0 sends to two nodes, 1 and 2"


def test_the_witness_shown_is_of_the_likelier_reading():
    """Every node receives once, some send twice: the scatter is refuted by more than one pair."""
    images = catalog.scale2(4).images()
    images[5] ^= 4
    recognition = analyse(images, of="source")
    assert recognition.witness.reading == "scatter"
    assert len(recognition.witness.others) == 3
    assert recognition.witness.explanation.startswith("read as a scatter")


def test_idle_nodes_may_be_said_to_stay():
    c = catalog.fft_rows(6)
    trace = [pair for pair in c.pairs().tolist() if pair[0] != pair[1]]
    assert analyse(trace).verdict == "underdetermined"
    assert recognise(trace, idle="stay") == c
    scatter = [(0, 1), (0, 0), (0, 2), (0, 3)]
    assert recognise(scatter, idle="stay").kind == "scatter"


def test_many_address_bits():
    """n = 64 from 65 messages, with nodes beyond 2^63."""
    rng = np.random.default_rng(64)
    for kind in (LCC, LCC.scatter):
        c = kind(rng.integers(0, 2, (64, 64)), rng.integers(0, 2, 64))
        near = [0] + [1 << i for i in range(64)]
        far = [c.A.apply(x) ^ int(c.b) for x in near]
        pairs = list(zip(near, far, strict=True))
        if c.kind == "scatter":
            pairs = [(x, y) for y, x in pairs]
        assert recognise(pairs, 64) == c
        assert analyse(pairs[:-1], 64).freedom == 64
        assert analyse(pairs, 64).missing_sources >= 2**64 - 65
        far_node = rng.integers(1 << 63, dtype=np.uint64).item() | 1 << 63
        wrong = c.A.apply(far_node) ^ int(c.b) ^ 1
        pair = (wrong, far_node) if c.kind == "scatter" else (far_node, wrong)
        reading = 1 if c.kind == "scatter" else 0
        witness = analyse([*pairs, pair], 64).witnesses[reading]
        assert witness.pair == pair
        assert reduce(xor, (p[reading] for p in witness.others)) == far_node
        assert len(witness.others) > 7
        assert f"and {len(witness.others) - 6} more imply" in witness.explanation


def test_a_million_messages():
    c = catalog.gray_code(20)
    pairs = np.random.default_rng(0).permutation(c.pairs())
    assert recognise(pairs) == c
    pairs[12345, 1] ^= 1
    witness = analyse(pairs).witness
    for pair in (witness.pair, *witness.others):
        assert (pairs == pair).all(axis=1).any()
    check_witness(witness, [witness.pair, *witness.others])
    assert len(witness.others) == 3


def test_recognition_is_a_value():
    recognition = analyse(catalog.bit_reverse(3).pairs())
    assert pickle.loads(pickle.dumps(recognition)) == recognition
    assert recognition.explanation == "a permutation of rank 3"
    assert recognise([1, 0], name="swap").name == "swap"
    with pytest.raises(ValueError, match="read-only"):
        AddressPairs.of([(0, 1)]).sources[0] = 1


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "n: is required when there are no messages"),
        ((lambda i: i,), "n: is required for a function"),
        ((lambda i: i + 1, 2), "0..3"),
        ((lambda i: i / 2, 2), "integers"),
        (([(0, 4)], 2), "0..3 for n = 2"),
        (([(0, -1)],), "must be in 0"),
        (([(0, 1 << 64)],), "must be in 0"),
        ((np.array([[0.0, 1.0]]),), "integers"),
        (([(0, 1, 2, 3)],), "source, destination"),
        (([(0, 1), (2,)],), "pairs"),
        (([0, 1, 2],), "power of two"),
        (([0],), "power of two"),
        (([0, 1], 2), "length 2\\^n = 4"),
        ((5,), "pairs"),
        (([(0, 1)], 0), "at least 1"),
        (([(0, 1)], 1, "source"), "pairs name source and destination"),
        *(((form, 1, "source"), "is for a function")
          for form in (AddressPairs.of([(0, 1)], 1), Traffic([(0, 1)]), {(0, 1): 3}, LCC([[1]]))),
        (([0, 1], 1, "target"), '"destination" or "source"'),
        (([0, 1], 1, "source", "send"), '"unknown" or "stay"'),
        ((AddressPairs.of([(0, 1)], 2), 3), "2\\^2 nodes"),
    ],
)  # fmt: skip
def test_bad_messages(arguments, message):
    with pytest.raises((CommunicationError, NodeError), match=message):
        analyse(*arguments)


def test_bits_are_those_asked_for_else_those_of_what_describes_the_messages():
    """A communication of 3 bits among 4; ranks that send nothing count; pairs alone need few."""
    three, some = catalog.bit_reverse(3), Traffic([(0, 1)], ranks=6)
    matrix = np.zeros((6, 6), int)
    matrix[0, 1] = 7
    for said, own in (
        (three, 3), (Traffic.of(three), 3), (some, 3), (matrix, 3), (Program([some]), 3),
        ({(0, 1): 5}, 1), ([(0, 1)], 1), (np.arange(8), 3), ({(0, 4)}, 3),
    ):  # fmt: skip
        assert collect(said).n == own
        if not isinstance(said, np.ndarray) or said.ndim > 1:
            assert collect(said, 5).n == 5
    with pytest.raises(CommunicationError, match="must be 3"):
        collect(collect(three), 4)
    assert collect(collect(three), 3).n == 3
