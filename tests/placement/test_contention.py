"""Theorems 1 and 7 and their scatter and descending forms, by formula and by walking."""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix, Program, Traffic, catalog, recognise
from lccmodel.communication import Phase
from lccmodel.errors import CommunicationError, InputError, NetworkError, SizeLimitError
from lccmodel.network import BristledHypercube, Hypercube, Mesh, Torus, parse_network
from lccmodel.placement.contention import (
    contention,
    has_formula,
    internal_bits,
    require_fit,
)
from tests.bridges import check_bridge
from tests.walking import all_lccs


@pytest.mark.parametrize("routing", ["ascending", "descending"])
@pytest.mark.parametrize("network", [Hypercube, BristledHypercube])
@pytest.mark.parametrize("n", [1, 2])
def test_formula_and_walk_agree_for_every_communication(
    n: int, network: type, routing: str
) -> None:
    """T_i = 2^(i - rank A_(L_(i+1),L_i)) and its bristled form, all (A, b), all kinds."""
    for c in all_lccs(n):
        formula = contention(c, network(n), "formula", routing=routing)
        walk = contention(c, network(n), "walk", routing=routing)
        assert formula == walk, c
        assert (formula.method, walk.method) == ("formula", "walk")


@pytest.mark.parametrize("n", [1, 2, 3])
def test_contention_is_what_is_walked_message_by_message(n: int) -> None:
    """[hou, Theorems 1 and 7]."""
    check_bridge("contention", n, 64)


def test_a_scatter_is_routed_forward_unless_asked() -> None:
    """Forward, all of node 0's messages leave over few channels; back along the gather, others."""
    spread = LCC.scatter([[0, 0], [0, 0]])
    assert contention(spread, Hypercube(2)).per_dimension == (2, 1)
    assert contention(spread, Hypercube(2), routing="descending").per_dimension == (1, 2)
    gather = spread.reversed()
    assert contention(gather, Hypercube(2)).per_dimension == (1, 2)


def test_meshes_and_tori_are_walked() -> None:
    transpose = LCC(GF2Matrix.from_order([2, 3, 0, 1]))
    for network in (Mesh((4, 4)), Torus((4, 4))):
        found = contention(transpose, network)
        assert found.method == "walk"
        assert len(found.per_dimension) == 2
        assert found.degree == max(network.channel_loads(transpose).per_dimension)


def test_a_mesh_of_length_two_is_a_hypercube() -> None:
    for c in list(all_lccs(2))[::7]:
        cube = contention(c, Hypercube(2), "walk")
        assert contention(c, Mesh((2, 2))).per_dimension == cube.per_dimension


def test_sets_report_the_busiest_member() -> None:
    """By hand, on two bits: 1 -> 0 three times; 0 -> 1 twice and 0 -> 2 once."""
    three = Traffic([(2, 0)] * 3)
    members = contention([three, Traffic([(0, 1), (0, 1), (0, 2)])], Hypercube(2))
    assert [one.per_dimension for one in members] == [(0, 3), (2, 1)]
    assert (members.degree, members.per_dimension, len(members)) == (3, (2, 3), 2)
    assert (members[1].total, members[1].problem.program[0].traffic.ranks) == (3, 3)
    assert members.problem.network == members[0].problem.network == Hypercube(2)


def test_records_are_those_of_the_command() -> None:
    """0.4: loads (2,) and distance 5 for messages of volume 4, but volumes where these differ."""
    sent = [Traffic([(0, 1), (2, 3), (0, 3)], [4, 4, 4]), Traffic([(1, 0)], [4])]
    (one, two) = contention(sent, "mesh:4").records()
    assert (one["loads"], one["distance"], two["degree"]) == ((8,), 20, 4)
    assert contention(sent, "mesh:4")[0].per_dimension == (8,)
    unequal = contention([(0, 1, 4), (0, 3, 1)], "mesh:4").records()[0]
    assert (unequal["loads"], unequal["distance"]) == ((5,), 7)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda c: contention(c, Hypercube(1)), NetworkError, "fewer than the 4 ranks"),
        (lambda c: contention(c, Mesh((4,)), "formula"), NetworkError, 'method="walk"'),
        (lambda c: contention(c, Hypercube(2), "guess"), InputError, "method"),
        (lambda c: contention(c, Hypercube(2), routing="up"), InputError, "routing"),
        (lambda c: contention(c, 3), NetworkError, "must be a network"),
    ],
)
def test_bad_input(call: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        call(LCC([[0, 1], [1, 0]]))
    assert words in str(caught.value)


def test_walking_too_many_messages_is_refused_and_the_formula_is_not() -> None:
    c = LCC(GF2Matrix.identity(40), [1] * 40)
    assert contention(c, Hypercube(40)).degree == 1
    with pytest.raises(SizeLimitError):
        contention(c, Hypercube(40), "walk")


# -- any traffic ----------------------------------------------------------------------------

PAIRS = [(0, 0), (1, 8), (2, 4), (4, 2), (8, 1)]


def test_messages_that_extend_to_a_matrix_are_not_completed() -> None:
    """Five messages fit y = Ax + b with degree 2; the five themselves never meet."""
    cube = Hypercube(4)
    assert recognise(PAIRS, 4) == catalog.bit_reverse(4)
    assert contention(catalog.bit_reverse(4), cube).degree == 2
    for given in (PAIRS, Traffic(PAIRS, ranks=16), Program([PAIRS])):
        found = contention(given, cube)
        assert found.degree == 1
    assert contention(PAIRS, cube).method == "walk"
    assert contention(PAIRS, cube).distance == 8
    with pytest.raises(NetworkError, match="all 2\\^n messages of one y = Ax"):
        contention(PAIRS, cube, "formula")
    with pytest.raises(NetworkError, match="formula is for hypercubes and fat trees of 2"):
        contention(PAIRS, Mesh((4, 4)), "formula")


def test_a_full_uniform_linear_complement_phase_takes_the_formula() -> None:
    """Volume 7 each: seven times the ranks; other volumes are counted."""
    pairs = catalog.bit_reverse(4).pairs()
    uniform = contention(Traffic(pairs, [7] * 16), "cube:4")
    assert (uniform.method, uniform.per_dimension) == ("formula", (7, 14, 14, 7))
    assert uniform.distance == contention(Traffic(pairs, [7] * 16), "cube:4", "walk").distance
    uneven = contention(Traffic(pairs, [7] * 15 + [8]), "cube:4")
    assert (uneven.method, uneven.degree) == ("walk", 14)


@pytest.mark.parametrize("network", ["cube:4*2", "cube:3*4", "origin:5", "cube:5"])
def test_formula_and_walk_agree_with_several_nodes_to_a_router(network: str) -> None:
    rng = np.random.default_rng(4)
    for maker in (LCC, LCC.scatter):
        for _ in range(30):
            c = maker(rng.integers(0, 2, (5, 5)), rng.integers(0, 2, 5))
            for routing in ("ascending", "descending"):
                formula = contention(c, network, "formula", routing=routing)
                walk = contention(c, network, "walk", routing=routing)
                assert formula == walk
                assert (formula.method, formula.distance) == ("formula", walk.distance)


WITH_FORMULA = {
    "cube:4": True, "origin:4": True, "cube:3*2": True, "cube:2*4": True, "cube:3*3": False,
    "mesh:4x4": False, "torus:16": False, "mesh:4x2*2": False, "fattree:2^4": True,
    "fattree:4^2": True, "fattree:4x2x2": True, "fattree:3^2": False, "fattree:4x4/2": False,
    "fattree:4x2x3": False, "fattree:2x8,routing=s-mod-k": True, "fattree:1x16": True,
}  # fmt: skip


@pytest.mark.parametrize("word", WITH_FORMULA)
def test_where_there_is_a_formula_it_is_the_walk(word: str) -> None:
    """Loads and distance for random communications; elsewhere the formula is refused."""
    network, rng = parse_network(word), np.random.default_rng(6)
    assert has_formula(network) == WITH_FORMULA[word]
    for maker in (LCC, LCC.scatter):
        for _ in range(6):
            c = maker(rng.integers(0, 2, (4, 4)), rng.integers(0, 2, 4))
            if network.size == 16:
                walk = contention(c, network, "walk")
                assert contention(c, network) == walk
                assert contention(c, network).distance == walk.distance
                assert contention(c, network).method == ("walk", "formula")[WITH_FORMULA[word]]
            if not WITH_FORMULA[word]:
                with pytest.raises(NetworkError):
                    contention(c, network, "formula")
    if word.startswith("fattree") and network.size >= 16:
        with pytest.raises(NetworkError, match="no order of dimensions on fattree"):
            contention(LCC(np.eye(4, dtype=int)), network, routing="descending")
    if word.startswith(("mesh", "torus", "fattree", "cube:3*3")):
        with pytest.raises(NetworkError, match="must be a Hypercube or a BristledHypercube"):
            internal_bits(network)


def test_placed_ranks_are_counted() -> None:
    """A formula knows no places; a smaller communication has none on a larger cube."""
    c = catalog.bit_reverse(3)
    assert contention(c, "cube:3").method == "formula"
    placed = contention(c, "cube:3", node_of=range(8))
    assert (placed.method, placed.per_dimension) == ("walk", contention(c, "cube:3").per_dimension)
    assert contention(c, "cube:4").method == "walk"
    with pytest.raises(NetworkError, match="all 2\\^n messages"):
        contention(c, "cube:3", "formula", node_of=range(8))
    assert internal_bits(parse_network("cube:2*4")) == (0, 1)
    assert internal_bits(parse_network("origin:4")) == (0,)
    assert internal_bits(parse_network("cube:4")) == ()


def test_programs_have_a_member_for_every_phase() -> None:
    program = Program([Phase(PAIRS, 3, "five"), Phase(catalog.bit_reverse(4), 1, "all")])
    found = contention(program, "cube:4")
    assert [member.method for member in found] == ["walk", "formula"]
    assert [member.degree for member in found] == [1, 2]
    assert contention([catalog.bit_reverse(4)], "cube:4").degree == 2


def test_any_number_of_ranks_on_any_network() -> None:
    """A halo on 48 ranks of an 8 by 6 torus: one message a channel; placed elsewhere, more."""
    halo = [(x + 8 * y, (x + 1) % 8 + 8 * y) for x in range(8) for y in range(6)]
    assert contention(halo, "torus:8x6").per_dimension == (1, 0)
    assert contention(halo, "torus:8x8").per_dimension == (1, 0)
    turned = [6 * (r % 8) + r // 8 for r in range(48)]
    assert contention(halo, "torus:8x6", node_of=turned).degree > 1
    with pytest.raises(NetworkError, match="fewer than the 48 ranks"):
        contention(halo, "mesh:6x6")


def test_a_network_is_not_a_communication() -> None:
    """Arguments in the wrong order are named before anything is computed of them."""
    with pytest.raises(CommunicationError, match="must be an LCC"):
        require_fit(Hypercube(3), Hypercube(3))
    with pytest.raises(NetworkError, match="must be a network"):
        require_fit(LCC([[1]]), LCC([[1]]))


def test_a_network_in_place_of_messages_is_named() -> None:
    with pytest.raises(CommunicationError, match="communication: must be messages, not a network"):
        contention(Hypercube(2), "cube:2")
