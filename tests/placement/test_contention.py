"""Theorems 1 and 7 and their scatter and descending forms, by formula and by walking."""

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix, Program, Traffic, catalog, recognise
from lccmodel.errors import CommunicationError, InputError, NetworkError, SizeLimitError
from lccmodel.network import Hypercube, Mesh, parse_network
from lccmodel.placement.contention import contention, has_formula, internal_bits, require_fit
from tests.bridges import check_bridge


@pytest.mark.parametrize("n", [1, 2, 3])
def test_contention_is_what_is_walked_message_by_message(n):
    """[hou, Theorems 1 and 7]."""
    check_bridge("contention", n, 64)


def test_a_scatter_is_routed_forward_unless_asked():
    """Forward, all of node 0's messages leave over few channels; back along the gather, others."""
    spread = LCC.scatter([[0, 0], [0, 0]])
    assert contention(spread, Hypercube(2)).per_dimension == (2, 1)
    assert contention(spread, Hypercube(2), routing="descending").per_dimension == (1, 2)
    assert contention(spread.reversed(), Hypercube(2)).per_dimension == (1, 2)


def test_sets_report_the_busiest_member():
    """By hand, on two bits: 1 -> 0 three times; 0 -> 1 twice and 0 -> 2 once."""
    three = Traffic([(2, 0)] * 3)
    members = contention([three, Traffic([(0, 1), (0, 1), (0, 2)])], Hypercube(2))
    assert [member.per_dimension for member in members] == [(0, 3), (2, 1)]
    assert (members.degree, members.per_dimension, len(members)) == (3, (2, 3), 2)
    assert (members[1].total, members[1].problem.program[0].traffic.ranks) == (3, 3)
    assert members.problem.network == members[0].problem.network == Hypercube(2)


def test_records_are_those_of_the_command():
    """0.4: loads (2,) and distance 5 for messages of volume 4, but volumes where these differ."""
    sent = [Traffic([(0, 1), (2, 3), (0, 3)], [4, 4, 4]), Traffic([(1, 0)], [4])]
    first, second = contention(sent, "mesh:4").records()
    assert (first["loads"], first["distance"], second["degree"]) == ((8,), 20, 4)
    unequal = contention([(0, 1, 4), (0, 3, 1)], "mesh:4").records()[0]
    assert (unequal["loads"], unequal["distance"]) == ((5,), 7)


# -- any traffic ----------------------------------------------------------------------------

PAIRS = [(0, 0), (1, 8), (2, 4), (4, 2), (8, 1)]


def test_messages_that_extend_to_a_matrix_are_not_completed():
    """Five messages fit y = Ax + b with degree 2; the five themselves never meet."""
    cube = Hypercube(4)
    assert recognise(PAIRS, 4) == catalog.bit_reverse(4)
    assert contention(catalog.bit_reverse(4), cube).degree == 2
    for sent in (PAIRS, Traffic(PAIRS, ranks=16), Program([PAIRS])):
        assert contention(sent, cube).degree == 1
    answer = contention(PAIRS, cube)
    assert (answer.method, answer.distance) == ("walk", 8)


def test_a_full_uniform_linear_complement_phase_takes_the_formula():
    """Volume 7 each: seven times the ranks; other volumes are counted."""
    pairs = catalog.bit_reverse(4).pairs()
    uniform = contention(Traffic(pairs, [7] * 16), "cube:4")
    assert (uniform.method, uniform.per_dimension) == ("formula", (7, 14, 14, 7))
    assert uniform.distance == contention(Traffic(pairs, [7] * 16), "cube:4", "walk").distance
    uneven = contention(Traffic(pairs, [7] * 15 + [8]), "cube:4")
    assert (uneven.method, uneven.degree) == ("walk", 14)


WITH_FORMULA = {
    "cube:4": True, "cube:5": True, "origin:4": True, "origin:5": True, "cube:3*2": True,
    "cube:2*4": True, "cube:4*2": True, "cube:3*4": True, "cube:3*3": False, "mesh:4x4": False,
    "torus:16": False, "mesh:4x2*2": False, "fattree:2^4": True, "fattree:4^2": True,
    "fattree:4x2x2": True, "fattree:3^2": False, "fattree:4x4/2": False, "fattree:4x2x3": False,
    "fattree:2x8,routing=s-mod-k": True, "fattree:1x16": True,
}  # fmt: skip


@pytest.mark.parametrize("word", WITH_FORMULA)
def test_where_there_is_a_formula_it_is_the_walk(word):
    """Loads and distance for random communications; elsewhere the formula is refused.

    T_i = 2^(i - rank A_(L_(i+1),L_i)) and its bristled form; both orders of dimensions.
    """
    network, rng = parse_network(word), np.random.default_rng(6)
    known, cube = WITH_FORMULA[word], word.startswith(("cube", "origin"))
    n = (network.size - 1).bit_length()
    assert has_formula(network) == known
    for make in (LCC, LCC.scatter):
        for _ in range(12):
            c = make(rng.integers(0, 2, (n, n)), rng.integers(0, 2, n))
            if not known:
                with pytest.raises(NetworkError):
                    contention(c, network, "formula")
            if network.size == 1 << n:
                for routing in ("ascending", "descending") if cube else ("ascending",):
                    walk = contention(c, network, "walk", routing=routing)
                    answer = contention(c, network, routing=routing)
                    assert (answer, answer.distance) == (walk, walk.distance)
                    assert (walk.method, answer.method) == ("walk", ("walk", "formula")[known])


def test_placed_ranks_are_counted():
    """A formula knows no places; a smaller communication has none on a larger cube."""
    c = catalog.bit_reverse(3)
    assert contention(c, "cube:3").method == "formula"
    placed = contention(c, "cube:3", node_of=range(8))
    assert (placed.method, placed.per_dimension) == ("walk", contention(c, "cube:3").per_dimension)
    assert contention(c, "cube:4").method == "walk"


@pytest.mark.parametrize(("word", "bits"), [
    ("cube:2*4", (0, 1)), ("origin:4", (0,)), ("cube:4", ()), ("mesh:4x4", None),
    ("torus:16", None), ("fattree:2^4", None), ("cube:3*3", None),
])  # fmt: skip
def test_bits_inside_a_router(word, bits):
    if bits is not None:
        assert internal_bits(parse_network(word)) == bits
    else:
        with pytest.raises(NetworkError, match="must be a Hypercube or a BristledHypercube"):
            internal_bits(parse_network(word))


def test_walking_too_many_messages_is_refused_and_the_formula_is_not():
    c = LCC(GF2Matrix.identity(40), [1] * 40)
    assert contention(c, Hypercube(40)).degree == 1
    with pytest.raises(SizeLimitError):
        contention(c, Hypercube(40), "walk")


SWAP = LCC([[0, 1], [1, 0]])


@pytest.mark.parametrize(("communication", "network", "options", "error", "words"), [
    (SWAP, Hypercube(1), {}, NetworkError, "fewer than the 4 ranks"),
    (SWAP, 3, {}, NetworkError, "must be a network"),
    (SWAP, Hypercube(2), {"method": "guess"}, InputError, "method"),
    (SWAP, Hypercube(2), {"routing": "up"}, InputError, "routing"),
    (SWAP, Mesh((4,)), {"method": "formula"}, NetworkError, 'method="walk"'),
    (PAIRS, Hypercube(4), {"method": "formula"}, NetworkError, "all 2\\^n messages of one y = Ax"),
    (PAIRS, Mesh((4, 4)), {"method": "formula"}, NetworkError,
     "formula is for hypercubes and fat trees of 2"),
    (catalog.bit_reverse(3), "cube:3", {"method": "formula", "node_of": range(8)}, NetworkError,
     "all 2\\^n messages"),
    (SWAP, "fattree:2x2", {"routing": "descending"}, NetworkError,
     "no order of dimensions on fattree"),
    (Hypercube(2), "cube:2", {}, CommunicationError, "must be messages, not a network"),
])  # fmt: skip
def test_refusals(communication, network, options, error, words):
    with pytest.raises(error, match=words):
        contention(communication, network, **options)


def test_a_network_is_not_a_communication():
    """Arguments in the wrong order are named before anything is computed of them."""
    with pytest.raises(CommunicationError, match="must be an LCC"):
        require_fit(Hypercube(3), Hypercube(3))
    with pytest.raises(NetworkError, match="must be a network"):
        require_fit(LCC([[1]]), LCC([[1]]))
