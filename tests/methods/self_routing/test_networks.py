"""Networks of switches made from permutations by HL [boppana, section 3.3.1]."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest

from lccmodel.errors import InputError, NetworkError
from lccmodel.methods.partitioned import (
    BenesNetwork,
    partition_tree,
    random_partitioned,
    switch_settings,
)
from lccmodel.methods.partitioned.mixed import settings_of_mixed
from lccmodel.methods.partitioned.settings import SwitchSettings
from lccmodel.methods.self_routing import all_permutations, network_of, self_route
from proofs_check.claims import boppana_networks


def made_of_16(seed: int) -> BenesNetwork:
    tree = random_partitioned(4, seed=seed)
    return network_of(self_route(tree.destinations.tolist(), "m-simd", partition=tree))


def mixed(low: int) -> BenesNetwork:
    """Dimension 0; then 1 and 2 in an order that differs by bit 3, the lower half first `low`."""
    half = np.arange(16) >> 3 & 1
    second = np.where(half == 0, low, 3 - low)
    return BenesNetwork([[0] * 16, second, 3 - second, [3] * 16])


@pytest.mark.slow
def test_all_partitioned_permutations_of_8_lines_make_two_networks() -> None:
    """All 2432: dimension 0 first, then 1 and 2 in either order, everywhere alike."""
    made, count = set(), 0
    for p in all_permutations(3):
        if (tree := partition_tree(p)) is not None:
            count += 1
            made.add(network_of(self_route(p.tolist(), "m-simd", partition=tree)))
    assert count == 2432
    assert made == {BenesNetwork.constant(3), BenesNetwork.constant(3, (0, 2, 1))}


def test_some_of_16_lines_make_mixed_networks() -> None:
    made = {made_of_16(seed) for seed in range(1, 151)}
    assert {mixed(1), mixed(2)} == {network for network in made if not network.is_nested}
    assert BenesNetwork.constant(4) in made
    assert all((network.dimensions[0] == 0).all() for network in made)


@pytest.mark.slow
def test_eight_networks_of_16_lines_are_met() -> None:
    """Six that are constant, dimension 0 first, and the two mixed ones."""
    made = {made_of_16(seed) for seed in range(1, 9278)}
    orders = [(0, *rest) for rest in itertools.permutations((1, 2, 3))]
    assert made == {*(BenesNetwork.constant(4, order) for order in orders), mixed(1), mixed(2)}


def all_settings(stages: list[npt.NDArray[np.int64]]) -> int:
    """How many permutations of the lines some setting of the switches of all stages makes."""
    size = stages[0].size
    reached = np.arange(size)[None, :]
    for row in stages:
        switches = [u for u in range(size) if u < u ^ 1 << int(row[u])]
        layers = []
        for crossed in itertools.product((False, True), repeat=len(switches)):
            layer = np.arange(size)
            for u, cross in zip(switches, crossed, strict=True):
                if cross:
                    v = u ^ 1 << int(row[u])
                    layer[u], layer[v] = v, u
            layers.append(layer)
        found = np.concatenate([layer[reached] for layer in layers])
        code = (found << 3 * np.arange(size)).sum(axis=1)
        reached = found[np.unique(code, return_index=True)[1]]
    return len(reached)


@pytest.mark.parametrize("low", [1, 2])
def test_the_mixed_networks_are_rearrangeable(low: int) -> None:
    """Each half behind dimension 0 realises all 8!; with the last stage left out, it does not."""
    network = mixed(low)
    for bit in (0, 1):
        lines = np.arange(8) * 2 + bit
        stages = [network.paired(stage)[lines] - 1 for stage in range(2, 7)]
        assert all_settings(stages) == 40320
        assert all_settings(stages[:-1]) == 27456


@pytest.mark.parametrize("low", [1, 2])
@pytest.mark.parametrize("seed", range(10))
def test_settings_of_mixed_networks_realise_the_permutation(low: int, seed: int) -> None:
    """Traced through the switches; the identity, the reversal and drawn ones."""
    drawn = np.random.default_rng(seed).permutation(16)
    chosen = {0: np.arange(16), 1: np.arange(16)[::-1]}.get(seed, drawn)
    settings = switch_settings(chosen, mixed(low))
    assert settings.destinations.tolist() == chosen.tolist()


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6])
def test_the_looping_of_mixed_networks_serves_nested_ones_too(n: int) -> None:
    network = BenesNetwork.random(n, 5)
    permutation = np.random.default_rng(n).permutation(1 << n)
    crossed = settings_of_mixed(network.dimensions, permutation)
    assert SwitchSettings(network, crossed).destinations.tolist() == permutation.tolist()


def test_a_network_of_32_lines_that_differs_in_16_is_refused() -> None:
    """Its halves by bit 4 are mixed networks of 16 lines; behind dimension 0 lie 16 mixed lines."""
    rows = np.concatenate([mixed(1).dimensions, mixed(2).dimensions], axis=1)
    network = BenesNetwork([*rows, [4] * 32])
    with pytest.raises(NetworkError, match="at most 8 lines"):
        switch_settings(list(range(32)), network)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_networks_are_those_of_the_checker(n: int) -> None:
    """HL on the parts in the library, the networks of the parts put together in the checker."""
    made = {
        network_of(p.tolist())
        for p in itertools.islice(all_permutations(n), 0, None, 7 if n == 3 else 1)
        if partition_tree(p) is not None
    }
    assert made == {BenesNetwork(np.array(rows)) for rows in boppana_networks.networks_made(n)}


def test_networks_of_16_lines_are_those_of_the_checker() -> None:
    made = {BenesNetwork(np.array(rows)) for rows in boppana_networks.networks_made(4)}
    orders = [(0, *rest) for rest in itertools.permutations((1, 2, 3))]
    assert made == {*(BenesNetwork.constant(4, order) for order in orders), mixed(1), mixed(2)}


def test_what_makes_no_network() -> None:
    with pytest.raises(InputError, match="in mode simd"):
        network_of(self_route([1, 0], "mimd"))
    with pytest.raises(InputError, match="delivered"):
        network_of(self_route([0, 1, 2, 4, 3, 7, 5, 6]))
    with pytest.raises(InputError, match="partitioned linear-complement"):
        network_of([0, 1, 2, 4, 3, 5, 6, 7])
    second = np.where(np.arange(16) >> 3, 1, 0)  # a mixed subcube of 16 lines
    wide = BenesNetwork([second, 1 - second, [2] * 16, [3] * 16])
    with pytest.raises(NetworkError, match="at most 8 lines"):
        switch_settings(list(range(16)), wide)
    with pytest.raises(NetworkError, match="both lines of a switch"):
        BenesNetwork([[0, 1, 0, 1], [1, 0, 1, 0]])
