"""Every bound of placements against all placements of five or six ranks: 150 random programs each.

A bound that is right is never above the least of all placements. Loads and distances of single
messages are the network's own; they add up.
"""

from fractions import Fraction
from functools import cache
from itertools import permutations
from math import ceil

import numpy as np
import pytest

from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.network import as_network
from lccmodel.placement.search import bounds
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
    _message_bound,
    _ports,
    least_distance,
    lower_bound,
)
from lccmodel.placement.search.partition_bounds import nested_cuts
from lccmodel.placement.search.problem import Demand, demand_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.spectrum import sums_at_least
from tests.choosing import slow
from tests.placement.search.brute_force import loads_alone

WORDS = (
    "mesh:3x2", "torus:6", "torus:3x2,bandwidth=2:3", "mesh:3*2", "fattree:3x2/2",
    "torus:4x2,nodes=0-2:4-6",
)  # fmt: skip
MORE = (
    "cube:3", "origin:3", "dragonfly:1,2,1", "fattree:2x2x2,nodes=0-5", "torus:3x2", "mesh:6",
    "fattree:3x2", "mesh:2*3",
)  # fmt: skip
"""Networks of the slow tests; those of eight places have five ranks, so three places are free."""
CASES = 25


def ranks_on(word: str) -> int:
    return 6 if as_network(word).size == 6 else 5


def flows(word: str, grouped: bool = False, seed: int = 0) -> np.ndarray:
    """(25, n, n): volumes from rank to rank, sparse and full; or of 3 - seed all-to-all groups."""
    rng, n = np.random.default_rng(100 * seed + (*WORDS, *MORE).index(word)), ranks_on(word)
    volumes = rng.integers(1, 9, (CASES, n, n)) * (rng.random((CASES, n, n)) < rng.random())
    if grouped:
        group = rng.integers(0, 3 - seed, (CASES, n))
        volumes = (group[:, :, None] == group[:, None]) * rng.integers(1, 9, (CASES, 1, 1))
    volumes[:, 0, 1] = np.maximum(volumes[:, 0, 1], 1)
    return volumes * (1 - np.eye(n, dtype=np.int64))


@cache
def of_pairs(word: str) -> tuple[np.ndarray, np.ndarray]:
    """Of every placement and every pair of ranks: distance, and load over bandwidth of channels."""
    network, n = as_network(word), ranks_on(word)
    nodes = range(network.size)
    away = np.array([[network.distance(x, y) for y in nodes] for x in nodes])
    alone = loads_alone(word)
    widths = [network.bandwidths[network.row_dimension(row)] for row in range(alone.shape[2])]
    over = alone * np.array([6 / width for width in widths], np.int64)[:, None]
    placements = np.array(list(permutations(nodes, n)))
    at = (placements[:, :, None], placements[:, None, :])
    count = len(placements)
    over = over.reshape(network.size, network.size, -1)[at]
    return away[at].reshape(count, n * n), over.reshape(count, n * n, -1)


def least(word: str, volumes: np.ndarray) -> tuple[list[int], list[Fraction]]:
    """Of every program: the least volume times distance, and the least busiest channel."""
    away, over = of_pairs(word)
    listed = volumes.reshape(CASES, -1)
    totals = (listed @ away.T).min(axis=1)
    loads = np.einsum("ck,pkl->cpl", listed.astype(float), over.astype(float), optimize=True)
    return totals.tolist(), [Fraction(int(peak), 6) for peak in loads.max(axis=2).min(axis=1)]


# In `joint` a unit of the demand is a load over bandwidth; times `routes.scale` it is a volume.


def problems(word: str, volumes: np.ndarray) -> list[tuple[Demand, Routes]]:
    routes = Routes.of(as_network(word))
    sent = [Traffic(np.argwhere(one), one[one > 0], len(one)) for one in volumes]
    return [(demand_of(Program.of(one), "joint", None, routes), routes) for one in sent]


def of_joint(argument: str, demand: Demand, routes: Routes) -> Fraction:
    """A bound of the busiest channel, by one argument alone; 0 if it says nothing."""
    if argument == "message":
        bound = _message_bound(demand, routes)
    elif argument == "ports":
        bound = _ports(demand, routes)
    else:
        spectral = _by_spectrum(sums_at_least(demand), demand, routes)
        listed = [*_boxes(demand, routes), *spectral]
        between = ("channels between them", "what leaves")  # as `_parts` names them
        is_parts = argument == "parts"
        entries = [e for e in listed if any(word in e[2] for word in between) == is_parts]
        bound = _best_of(entries, Bound(0, ""), int(np.gcd.reduce(demand.volume)))
    return bound.value * demand.unit


def of_distance(argument: str, demand: Demand, routes: Routes) -> Fraction:
    """A bound of volume times distance, by one argument alone; 0 if it says nothing."""
    total: int | Fraction = 0
    if argument == "distances":
        total = least_distance(demand, routes)
    elif argument == "assignment":
        total = assignment_bound(*matrices(demand, routes))
    elif argument == "projection":
        total = ceil(projection_bound(*matrices(demand, routes)))
    elif argument == "cuts":
        total = sum(cut.division.step * cut.volume for cut in nested_cuts(demand, routes))
    elif argument == "groups":
        listed = _distances(demand, routes, "programs")
        total = max((v for v, _, reason in listed if "all-to-all groups" in reason), default=0)
    return Fraction(total) * demand.unit * routes.scale


JOINT = ("message", "ports", "boxes", "parts")
DISTANCE = ("distances", "assignment", "projection", "cuts", "groups")


TIGHT = {  # of few networks, and of all: a weaker bound is the least value itself less often
    "message": (75, 191), "ports": (23, 80), "boxes": (21, 264), "parts": (20, 215),
    "distances": (41, 308), "assignment": (42, 437), "projection": (18, 368), "cuts": (26, 160),
    "groups": (97, 468),
}  # fmt: skip


@pytest.mark.parametrize("every", [False, slow(True)])
@pytest.mark.parametrize("argument", TIGHT)
def test_each_bound_is_below_all_placements_and_tight_for_some(argument, every):
    """One unit more is wrong for some programs; of all networks 150 or more say something."""
    positive = tight = 0
    words = (*WORDS, *MORE) if every else ("torus:6", "torus:3x2", "mesh:6", "fattree:3x2")
    for word in words:
        for seed in range(3 if every else 2):
            volumes = flows(word, argument not in ("message", "ports") and seed > 0, seed)
            for (demand, routes), total, peak in zip(
                problems(word, volumes), *least(word, volumes), strict=True
            ):
                of = of_joint if argument in JOINT else of_distance
                bound = of(argument, demand, routes)
                least_of_all = peak if argument in JOINT else total
                assert bound <= least_of_all, (word, seed)
                if argument in DISTANCE:  # all channels share it
                    assert bound / routes.scale / routes.capacity <= peak, (word, seed)
                positive += bound > 0
                tight += bound == least_of_all > 0
    assert positive >= (150 if every else 1)
    assert tight >= TIGHT[argument][every], tight


@pytest.mark.parametrize(("word", "most"), [*((word, 4096) for word in WORDS), ("mesh:3x2", 3)])
def test_the_best_of_all_arguments_is_below_all_placements(word, most, monkeypatch):
    """`lower_bound` of the busiest channel, and every total over the capacity of all channels.

    Of more boxes than `most` only those of whole sides are taken.
    """
    monkeypatch.setattr(bounds, "_MAX_BOXES", most)
    for grouped in (False, True):
        volumes = flows(word, grouped)
        reasons = set()
        for (demand, routes), total, peak in zip(
            problems(word, volumes), *least(word, volumes), strict=True
        ):
            assert lower_bound(demand, routes).value * demand.unit <= peak
            for value, capacity, reason in _distances(demand, routes, "programs"):
                if "what leaves" not in reason:  # a cut of one level
                    assert value * demand.unit * routes.scale <= total, reason
                assert Fraction(value) / capacity * demand.unit <= peak, reason
                reasons.add(reason.rpartition("(")[2])
            flow, apart = matrices(demand, routes)
            u, w = potentials(flow, apart)
            assert w.min() == 0 <= u.min()
            assert -(-(u.sum() - w.sum()) // 2) == assignment_bound(flow, apart)
        assert len(reasons) >= 3  # nearest places, assignment, eigenvalues; groups on grids
