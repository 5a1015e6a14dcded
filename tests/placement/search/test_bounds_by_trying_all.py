"""Every bound of placements against all 720 placements of six ranks: 150 random programs each.

A bound that is right is never above the least of all placements. Loads and distances of single
messages are the network's own; they add up.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.network import as_network
from lccmodel.placement.ports import port_volume
from lccmodel.placement.search.assignment_bounds import (
    assignment_bound,
    matrices,
    potentials,
    projection_bound,
)
from lccmodel.placement.search.bounds import (
    Bound,
    _best_of,
    _boxes,
    _by_spectrum,
    _distances,
    _ports,
    lower_bound,
)
from lccmodel.placement.search.problem import Demand, demand_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.spectrum import sums_at_least
from tests.placement.search.brute_force import loads_alone

WORDS = (
    "mesh:3x2", "torus:6", "torus:3x2,bandwidth=2:3", "mesh:3*2", "fattree:3x2/2",
    "torus:4x2,nodes=0-2:4-6",
)  # fmt: skip
PLACEMENTS = np.array(list(permutations(range(6))))
CASES = 25


def flows(word: str, grouped: bool = False) -> np.ndarray:
    """(25, 6, 6): volumes from rank to rank, sparse and full; or of all-to-all groups."""
    rng = np.random.default_rng(WORDS.index(word))
    volumes = rng.integers(1, 9, (CASES, 6, 6)) * (rng.random((CASES, 6, 6)) < rng.random())
    if grouped:
        group = rng.integers(0, 3, (CASES, 6))
        volumes = (group[:, :, None] == group[:, None]) * rng.integers(1, 9, (CASES, 1, 1))
    volumes[:, 0, 1] = np.maximum(volumes[:, 0, 1], 1)
    return volumes * (1 - np.eye(6, dtype=np.int64))


@cache
def of_pairs(word: str) -> tuple[np.ndarray, np.ndarray]:
    """Of every placement and every pair of ranks: distance, and load over bandwidth of channels."""
    network = as_network(word)
    away = np.array([[network.distance(x, y) for y in range(6)] for x in range(6)])
    alone = loads_alone(word)
    widths = [network.bandwidths[network.row_dimension(row)] for row in range(alone.shape[2])]
    over = alone * np.array([6 / width for width in widths], np.int64)[:, None]
    at = (PLACEMENTS[:, :, None], PLACEMENTS[:, None, :])
    return away[at].reshape(720, 36), over.reshape(6, 6, -1)[at].reshape(720, 36, -1)


def least(word: str, volumes: np.ndarray) -> tuple[list[int], list[Fraction]]:
    """Of every program: the least volume times distance, and the least busiest channel."""
    away, over = of_pairs(word)
    listed = volumes.reshape(CASES, 36)
    totals = (listed @ away.T).min(axis=1)
    loads = np.einsum("ck,pkl->cpl", listed.astype(float), over.astype(float), optimize=True)
    return totals.tolist(), [Fraction(int(peak), 6) for peak in loads.max(axis=2).min(axis=1)]


# In `joint` a unit of the demand is a load over bandwidth; times `routes.scale` it is a volume.


def problems(word: str, volumes: np.ndarray) -> list[tuple[Demand, Routes]]:
    routes = Routes.of(as_network(word))
    sent = [Traffic(np.argwhere(one), one[one > 0], 6) for one in volumes]
    return [(demand_of(Program.of(one), "joint", None, routes), routes) for one in sent]


@pytest.mark.parametrize("word", WORDS)
def test_gilmore_and_lawler_and_the_projection_are_below_all_totals(word: str) -> None:
    volumes = flows(word)
    for (demand, routes), total in zip(
        problems(word, volumes), least(word, volumes)[0], strict=True
    ):
        known, unit = matrices(demand, routes), demand.unit * routes.scale
        assert known is not None
        bound = assignment_bound(*known) * unit
        assert bound <= total
        assert projection_bound(*known) * unit <= total
        u, w = potentials(*known)
        assert w.min() == 0 <= u.min()
        assert -(-(u.sum() - w.sum()) // 2) * unit == bound


@pytest.mark.parametrize("word", WORDS)
def test_groups_and_totals_over_the_capacity_are_below_all_placements(word: str) -> None:
    """Every argument for volume times distance; over the capacity, for the busiest channel."""
    for grouped in (False, True):
        volumes = flows(word, grouped)
        reasons = set()
        for (demand, routes), total, peak in zip(
            problems(word, volumes), *least(word, volumes), strict=True
        ):
            for value, capacity, reason in _distances(demand, routes, True):
                assert value * demand.unit * routes.scale <= total, reason
                assert Fraction(value) / capacity * demand.unit <= peak, reason
                reasons.add(reason.rpartition("(")[2])
        assert len(reasons) >= 3  # nearest places, assignment, eigenvalues; groups on grids


@pytest.mark.parametrize("word", WORDS)
def test_boxes_parts_and_ports_are_below_all_placements(word: str) -> None:
    """Largest partners and eigenvalues, in boxes and parts; channels at the router of a rank."""
    volumes, peaks = flows(word), least(word, flows(word))[1]
    for (demand, routes), peak in zip(problems(word, volumes), peaks, strict=True):
        divisor = int(np.gcd.reduce(demand.volume))
        for entries in (
            _boxes(demand, routes),
            _by_spectrum(sums_at_least(demand), demand, routes),
        ):
            bound = _best_of(entries, Bound(0, ""), divisor)
            assert bound.value * demand.unit <= peak, bound
        assert _ports(demand, routes).value * demand.unit <= peak
        assert lower_bound(demand, routes).value * demand.unit <= peak


@pytest.mark.parametrize("word", [word for word in WORDS if "*" not in word])
def test_the_port_of_a_host_carries_the_same_whatever_the_placement(word: str) -> None:
    """The largest sum of a row or column of the volumes."""
    network = as_network(word)
    for k, one in enumerate(flows(word)):
        program = Program.of(Traffic(np.argwhere(one), one[one > 0], 6))
        most = max(one.sum(axis=0).max(), one.sum(axis=1).max())
        assert port_volume(program, network, PLACEMENTS[29 * k % 720]) == most


def test_bounds_of_farther_places_are_refused() -> None:
    """The control: with every two places one channel farther apart a bound is above some total."""
    volumes = flows("torus:6")
    totals = least("torus:6", volumes)[0]
    above = [
        assignment_bound(*(known[0], known[1] + 1 - np.eye(6, dtype=np.int64))) * demand.unit
        > total
        for (demand, routes), total in zip(problems("torus:6", volumes), totals, strict=True)
        if (known := matrices(demand, routes)) is not None
    ]
    assert any(above)
