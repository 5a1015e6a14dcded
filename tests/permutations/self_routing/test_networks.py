"""Networks of switches made from permutations by HL [boppana, section 3.3.1]."""

import itertools

import numpy as np
import pytest

from lccmodel.errors import InputError, NetworkError
from lccmodel.permutations.partitioned import (
    BenesNetwork,
    looping,
    random_partitioned,
    switch_settings,
)
from lccmodel.permutations.partitioned.looping import settings_of
from lccmodel.permutations.partitioned.network import SwitchSettings
from lccmodel.permutations.self_routing import network_of, self_route
from proofs_check.claims import boppana_networks
from tests.choosing import sampled


def made_of_16(seed: int) -> BenesNetwork:
    tree = random_partitioned(4, seed=seed)
    return network_of(self_route(tree.destinations.tolist(), "m-simd", partition=tree))


def mixed(low: int) -> BenesNetwork:
    """Dimension 0; then 1 and 2 in an order that differs by bit 3, the lower half first `low`."""
    half = np.arange(16) >> 3 & 1
    second = np.where(half == 0, low, 3 - low)
    return BenesNetwork([[0] * 16, second, 3 - second, [3] * 16])


def test_some_of_16_lines_make_mixed_networks():
    made = {made_of_16(seed) for seed in range(1, 151)}
    assert {mixed(1), mixed(2)} == {network for network in made if not network.is_nested}
    assert BenesNetwork.constant(4) in made
    assert all((network.dimensions[0] == 0).all() for network in made)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_the_looping_of_mixed_networks_serves_nested_ones_too(n):
    network = BenesNetwork.random(n, 5)
    permutation = np.random.default_rng(n).permutation(1 << n)
    crossed = settings_of(network.dimensions, permutation)
    assert SwitchSettings(network, crossed).destinations.tolist() == permutation.tolist()


def of_two_parts(first: BenesNetwork, second: BenesNetwork) -> BenesNetwork:
    """The network of a permutation whose parts by bit 4 have these networks, each of 16 lines."""
    rows = np.concatenate([first.dimensions, second.dimensions], axis=1)
    return BenesNetwork([*rows, [4] * 32])


PARTS = [
    of_two_parts(mixed(1), mixed(2)),
    *(
        of_two_parts(BenesNetwork.constant(4, (0, 1, 2, 3)), BenesNetwork.constant(4, order))
        for order in ((0, 2, 3, 1), (0, 3, 2, 1), (0, 2, 1, 3))
    ),
]


@pytest.mark.parametrize("network", sampled(PARTS, 3))
def test_mixed_subcubes_of_16_lines_are_set(network):
    """Behind dimension 0 lie 16 lines that choose apart: two parts of 8 lines, joined by bit 4."""
    for drawn in (np.arange(32), np.random.default_rng(2).permutation(32)):
        settings = switch_settings(drawn.tolist(), network)
        assert settings.destinations.tolist() == drawn.tolist()


@pytest.mark.slow
def test_not_every_network_of_the_construction_is_rearrangeable():
    """[boppana, section 3.3.1] `by construction`: not where parts go 0 1 2 3 4 and 0 2 1 3 4.

    Of the 32 lines those with bit 0 set stay; the others are permuted as `STUCK` says.
    """
    goes = np.arange(32)
    goes[::2] = 2 * np.array(boppana_networks.STUCK)
    assert (switch_settings(goes, PARTS[1]).destinations == goes).all()
    with pytest.raises(NetworkError, match="no setting of its mixed part does"):
        switch_settings(goes, PARTS[3])


def test_what_no_setting_realises_is_refused():
    """Two dimensions along bit 0 leave bit 1 of every line as it is."""
    along, crossed = np.zeros((2, 4), np.int64), np.zeros((3, 4), bool)
    looping._search(along, 0, np.arange(4), np.array([1, 0, 2, 3]), crossed)
    assert crossed.any(axis=0).tolist() == [True, True, False, False]
    with pytest.raises(NetworkError, match="no setting of its mixed part does"):
        looping._search(along, 0, np.arange(4), np.array([2, 3, 0, 1]), crossed)


@pytest.mark.slow
def test_networks_of_16_lines_are_those_of_the_checker():
    """Six that are constant, dimension 0 first, and the two mixed ones."""
    made = {BenesNetwork(np.array(rows)) for rows in boppana_networks.networks_made(4)}
    orders = [(0, *rest) for rest in itertools.permutations((1, 2, 3))]
    assert made == {*(BenesNetwork.constant(4, order) for order in orders), mixed(1), mixed(2)}
    assert made == {made_of_16(seed) for seed in range(1, 9278)}


_HALF = np.arange(32) >> 4
WIDE = BenesNetwork([_HALF, 1 - _HALF, [2] * 32, [3] * 32, [4] * 32])
"""With a mixed subcube of 32 lines."""


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: network_of(self_route([1, 0], "mimd")), InputError, "in mode simd"),
        (lambda: network_of(self_route([0, 1, 2, 4, 3, 7, 5, 6])), InputError, "delivered"),
        (lambda: network_of([0, 1, 2, 4, 3, 5, 6, 7]), InputError, "partitioned linear-comp"),
        (lambda: switch_settings([*range(32)], WIDE), NetworkError, "at most 12 switches before"),
    ],
)
def test_what_makes_no_network(call, error, words):
    with pytest.raises(error, match=words):
        call()
