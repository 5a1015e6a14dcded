"""Beneš-like networks: their structure, and settings traced through explicit switches.

[boppana, section 4].
"""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, InputError, NetworkError
from lccmodel.permutations.partitioned import BenesNetwork, SwitchSettings, switch_settings
from proofs_check.claims.boppana_networks import choices


def _traced(settings):
    """Follow every message along the edges of the graph; each edge is used at most once."""
    network = settings.network
    size = 1 << network.n
    graph, used, out = network.graph(), set(), []
    for x in range(size):
        node = x
        for stage in range(1, network.stages + 1):
            crossed = bool(settings.crossed[stage - 1, node % size])
            (edge,) = [
                (u, v)
                for u, v, data in graph.out_edges(node, data=True)
                if data["crossed"] == crossed and data["stage"] == stage
            ]
            assert edge not in used
            used.add(edge)
            node = edge[1]
        out.append(node - network.stages * size)
    return out


@pytest.mark.parametrize("every", [167, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("choice", [*choices((0, 1, 2))], ids=str)
def test_every_permutation_of_eight_lines_is_realised_by_every_network(choice, every):
    """[boppana, 3.3.1] the Beneš-like networks are rearrangeable."""
    network = BenesNetwork.chosen(3, choice)
    assert BenesNetwork(network.dimensions) == network
    for p in itertools.islice(itertools.permutations(range(8)), 0, None, every):
        assert switch_settings(p, network).destinations.tolist() == list(p)


@given(st.integers(1, 6), st.integers(0, 10**6))
def test_settings_of_a_random_network_deliver_along_its_edges(n, seed):
    network = BenesNetwork.random(n, seed)
    permutation = random.Random(seed).sample(range(1 << n), 1 << n)
    settings = switch_settings(permutation, network)
    assert _traced(settings) == permutation
    assert set(settings.movement.occupancies) == {1}
    assert settings.movement.steps == 2 * n - 1


def test_a_switch_pairs_two_lines_and_stages_are_mirrored():
    network = BenesNetwork([[0] * 8, [1, 2] * 4, [2, 1] * 4])
    for stage in range(1, 6):
        partner = [u ^ 1 << int(d) for u, d in enumerate(network.paired(stage))]
        pairs = sorted(network.pairs(stage))
        assert pairs == sorted({(min(pair), max(pair)) for pair in enumerate(partner)})
        assert pairs == sorted(network.pairs(6 - stage))


def test_the_benes_network_is_the_constant_choice_of_ascending_dimensions():
    network = BenesNetwork.constant(4)
    assert [int(network.paired(stage)[0]) for stage in range(1, 8)] == [0, 1, 2, 3, 2, 1, 0]
    assert network == BenesNetwork.constant(4, (0, 1, 2, 3))
    assert network != BenesNetwork.constant(4, (1, 0, 2, 3))
    assert "order [0, 1]" in repr(BenesNetwork.constant(2))


def test_the_identity_leaves_every_switch_straight():
    assert not switch_settings(range(16), BenesNetwork.random(4, 2)).crossed.any()
    assert switch_settings([1, 0], BenesNetwork.constant(1)).crossed.all()


def test_a_linear_complement_permutation_may_be_given_as_such():
    c = LCC([[0, 1, 0], [1, 0, 1], [0, 1, 1]], 3)
    assert np.array_equal(switch_settings(c).destinations, c.images())


def test_choices_are_a_tree_of_dimensions():
    network = BenesNetwork.chosen(3, (0, (1, (2,), (2,)), (2, (1,), (1,))))
    assert network == BenesNetwork([[0] * 8, [1, 2] * 4, [2, 1] * 4])
    assert "mixed" in repr(network)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: BenesNetwork([[0, 1]]), NetworkError),
        (lambda: BenesNetwork([[0, 0], [1, 1]]), NetworkError),
        (lambda: BenesNetwork([[0] * 4, [2] * 4]), NetworkError),
        (lambda: BenesNetwork([]), NetworkError),
        (lambda: BenesNetwork([[0], [1, 2]]), NetworkError),
        (lambda: BenesNetwork.constant(0), InputError),
        (lambda: BenesNetwork.constant(3, (0, 1)), InputError),
        (lambda: BenesNetwork.chosen(2, (0, 1)), InputError),
        (lambda: BenesNetwork.chosen(2, (0, (0,), (0,))), NetworkError),
        (lambda: BenesNetwork.chosen(2, (0, (3,), (1,))), InputError),
        (lambda: BenesNetwork.constant(2).paired(4), InputError),
        (lambda: switch_settings([0, 1, 2, 3], BenesNetwork.constant(3)), NetworkError),
        (lambda: switch_settings([0, 1, 1, 3]), CommunicationError),
        (lambda: SwitchSettings(BenesNetwork.constant(1), [[True]]), InputError),
        (lambda: SwitchSettings(BenesNetwork.constant(1), [[True, False]]), InputError),
    ],
)
def test_bad_input_is_named(call, error):
    with pytest.raises(error):
        call()


def test_lines_of_one_subcube_that_choose_differently_are_not_nested():
    """[boppana, section 3.3.1]: before the first stage all lines are one subcube, here of two."""
    rows = [[0] * 4 + [1] * 4, [1] * 4 + [0] * 4, [2] * 8]
    assert not BenesNetwork(rows).is_nested
    assert BenesNetwork([[2] * 8, *rows[:2]]).is_nested  # a choice for each value of bit 2


def test_no_line_may_use_a_dimension_twice():
    """Of eight lines half do: the last stage leaves out what they use, or what the others do."""
    half = [0] * 4 + [1] * 4
    with pytest.raises(NetworkError, match="a dimension is chosen once on every line, stage 2"):
        BenesNetwork([[0] * 8, half, [2] * 8])
    with pytest.raises(NetworkError, match="a dimension is chosen once on every line, stage 3"):
        BenesNetwork([[2] * 8, half, [0] * 8])
    BenesNetwork([[2] * 8, half, [1] * 4 + [0] * 4])


def test_both_lines_of_every_switch_choose_one_dimension():
    """All choices of two stages of four lines, each by the two rules as they read."""
    allowed = 0
    for first in itertools.product((0, 1), repeat=4):
        for second in itertools.product((0, 1), repeat=4):
            stages = [list(first), list(second)]
            paired = all(row[u] == row[u ^ 1 << row[u]] for row in stages for u in range(4))
            once = all(first[u] != second[u] for u in range(4))
            if paired and once:
                BenesNetwork(stages)
                allowed += 1
            else:
                with pytest.raises(NetworkError, match=r"choose one dimension|chosen once"):
                    BenesNetwork(stages)
    assert allowed == 2
