"""Bridges: loads of any traffic, placements, fat trees, replayed movements, fitted machines."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import numpy.typing as npt

import lccmodel as lcc
from proofs_check.cases import grid_of, on_networks
from proofs_check.claim import Control, Finding, claim
from proofs_check.claims.lattice_fattree import Link, climb
from proofs_check.claims.library_loads import grid_path
from proofs_check.domain import Enumerated

_SEEDS = 15
Weighted = list[tuple[int, int, int]]


def _drawn(size: int, seed: int) -> tuple[Weighted, list[int]]:
    """Messages (source, destination, volume), two of them alike now and then; a node for each."""
    draw = random.Random(1000 * size + seed)
    messages = [
        (draw.randrange(size), draw.randrange(size), draw.randrange(1, 6))
        for _ in range(draw.randrange(1, 3 * size))
    ]
    return messages, draw.sample(range(size), size)


def _traffic(messages: Weighted, size: int) -> lcc.Traffic:
    pairs = [(x, y) for x, y, _ in messages]
    return lcc.Traffic(pairs, [volume for *_, volume in messages], size)


def _counted(shape: Sequence[int], ring: bool, messages: Weighted, node_of: Sequence[int]) -> int:
    """The volume on the busiest channel, rank x at node node_of[x]."""
    used: Counter[tuple[int, int]] = Counter()
    for x, y, volume in messages:
        path = grid_path(shape, node_of[x], node_of[y], ring, range(len(shape)))
        for channel in pairwise(path):
            used[channel] += volume
    return max(used.values(), default=0)


_NETWORKS = {
    1: ("cube:1",),
    2: ("cube:2", "mesh:4", "torus:4"),
    3: ("cube:3", "mesh:4x2", "torus:8"),
}


@claim(
    "library.traffic",
    place="lccmodel.Traffic, Network.channel_loads",
    says="channel_loads(traffic, node_of=...) adds the volumes of all messages on every channel, "
    "repeated messages too, wherever the ranks run",
    over=on_networks(
        _NETWORKS,
        _SEEDS,
        f"small cubes, meshes and tori, {_SEEDS} weighted sets of messages each, placed",
        names="n, network, seed",
    ),
    evidence="every message walked between the nodes of its ranks, volumes added",
    control=Control("the inverse placement", inverse=True),
)
def library_traffic(n: int, network: str, seed: int, *, inverse: bool = False) -> Finding:
    messages, node_of = _drawn(1 << n, seed)
    shape, ring = grid_of(network)
    asked = [node_of.index(node) for node in range(1 << n)] if inverse else node_of
    where = lcc.network.parse_network(network)
    found = where.channel_loads(_traffic(messages, 1 << n), node_of=asked).degree
    counted = _counted(shape, ring, messages, node_of)
    return Finding(found == counted, answer=found, counted=counted, messages=messages)


# -- placements ---------------------------------------------------------------------------------

_SMALL = {1: ("cube:1",), 2: ("cube:2", "torus:5"), 3: ("mesh:3x2", "torus:6")}
_OBJECTIVES = ("max-max", "joint")


def _least(
    shape: Sequence[int],
    ring: bool,
    phases: Sequence[Weighted],
    objective: str,
    node_of: Sequence[int],
) -> tuple[int, int]:
    """The least objective of all placements of the ranks, and that of one placement.

    Loads are counted for all placements at once, from one list of channels for each two nodes.
    """
    size = math.prod(shape)
    paths = {
        (x, y): list(pairwise(grid_path(shape, x, y, ring, range(len(shape)))))
        for x in range(size)
        for y in range(size)
    }
    column = {c: k for k, c in enumerate(sorted({c for path in paths.values() for c in path}))}
    uses = np.zeros((size * size, len(column)), np.int64)
    for (x, y), path in paths.items():
        uses[x * size + y, [column[c] for c in path]] = 1
    every = np.array([*permutations(range(size), len(node_of)), tuple(node_of)])
    loads = [
        sum(
            (v * uses[every[:, x] * size + every[:, y]] for x, y, v in phase), 0 * uses[every[:, 0]]
        )
        for phase in phases
    ]
    most = (sum(loads) if objective == "joint" else np.maximum.reduce(loads)).max(axis=1, initial=0)
    return int(most.min()), int(most[-1])


@claim(
    "library.place",
    place="lccmodel.place",
    says="on networks of up to 6 nodes place(over='placements') has the least busiest channel of "
    "all placements, one phase at a time or all at once, says that it is optimal, and its lower "
    "bound is not above it",
    over=Enumerated(
        lambda n: product((n,), _SMALL[n], _OBJECTIVES, range(_SEEDS)),
        size=lambda n: len(_OBJECTIVES) * _SEEDS * len(_SMALL[n]),
        names="n, network, objective, seed",
        text=f"small cubes, meshes and tori, {_SEEDS} weighted programs of two phases each, on all "
        "nodes or all but one",
        dimensions=_SMALL,
    ),
    evidence="every placement tried, every message walked, volumes added",
    control=Control("the messages placed without their volumes", volumes=False),
)
def library_place(
    n: int, network: str, objective: Any, seed: int, *, volumes: bool = True
) -> Finding:
    shape, ring = grid_of(network)
    ranks = max(2, math.prod(shape) - seed % 2)
    phases = [_drawn(ranks, seed)[0], _drawn(ranks, seed + _SEEDS)[0]]
    given = [
        _traffic(phase if volumes else [(x, y, 1) for x, y, _ in phase], ranks) for phase in phases
    ]
    program = lcc.Program([lcc.communication.Phase(one) for one in given])
    m = lcc.place(program, network, objective, "placements", seconds=0.05)
    least, named = _least(shape, ring, phases, objective, m.node_of.tolist())
    same = named == least and (m.after.value == least or not volumes)
    ok = same and m.optimal and (m.lower_bound <= least or not volumes)
    return Finding(ok, answer=m.after.value, of_its_placement=named, least=least, phases=phases)


_GRID_SIDES = {1: ((2,),), 2: ((2, 2), (4,)), 3: ((3, 2), (2, 3), (5,), (6,))}
_PATTERNS = ("rings", "shifts", "stencil", "all-to-all")


def _along(sides: Sequence[int], axis: int, pattern: str, volume: int) -> Weighted:
    """What ranks send along an axis of a grid whose last axis is numbered fastest."""
    side, weight = sides[axis], math.prod(sides[axis + 1 :])
    found = set()
    for x in range(math.prod(sides)):
        at = x // weight % side
        goals = {
            "rings": [(at + 1) % side, (at - 1) % side],
            "shifts": [(at + 1) % side],
            "stencil": [goal for goal in (at - 1, at + 1) if 0 <= goal < side],
            "all-to-all": range(side),
        }[pattern]
        found |= {(x, x + (goal - at) * weight, volume) for goal in goals if goal != at}
    return sorted(found)


@claim(
    "library.place_grid",
    place="lccmodel.placement.place_grid, device_array",
    says="place_grid has the least busiest channel of all placements of what its pattern sends "
    "along the axes of a grid, axes by volume, all at once, and says that it is optimal; "
    "device_array has the node of every rank at its coordinates",
    over=Enumerated(
        lambda n: product((n,), _SMALL[n], _GRID_SIDES[n], _PATTERNS),
        size=lambda n: len(_PATTERNS) * len(_SMALL[n]) * len(_GRID_SIDES[n]),
        names="n, network, sides, pattern",
        text="grids of up to 6 ranks, all patterns, on small cubes, meshes and tori",
        dimensions=_GRID_SIDES,
    ),
    evidence="messages listed by coordinates; every placement tried, every message walked",
    control=Control("the volumes of the axes in reverse", reverse=True),
)
def library_place_grid(
    n: int, network: str, sides: tuple[int, ...], pattern: Any, *, reverse: bool = False
) -> Finding:
    """What JAX and MPI programs send along the axes of a process grid."""
    shape, ring = grid_of(network)
    volumes = [1 + 2 * axis for axis in range(len(sides))]
    phases = [_along(sides, axis, pattern, volumes[axis]) for axis in range(len(sides))]
    asked = volumes[::-1] if reverse else volumes
    m = lcc.placement.place_grid(sides, network, pattern, asked, seconds=0.05)
    devices = lcc.placement.device_array(m, sides)
    node_of = [int(devices[place]) for place in product(*map(range, sides))]
    least, named = _least(shape, ring, phases, "joint", node_of)
    ok = named == m.after.value == least and m.optimal and m.lower_bound <= least
    return Finding(ok, answer=m.after.value, of_its_placement=named, least=least, phases=phases)


# -- fat trees ----------------------------------------------------------------------------------

_TREES = {1: ((2,), (2, 2)), 2: ((2, 2, 2), (3, 3)), 3: ((4, 4), (2, 2, 2, 2), (2, 3, 2))}


@claim(
    "library.fat_tree",
    place="lccmodel.FatTree",
    says="on a full fat tree channel_loads is the number of messages on every channel between "
    "switches, routed by destination or by source",
    over=Enumerated(
        lambda n: product(_TREES[n], ("d-mod-k", "s-mod-k"), range(_SEEDS)),
        size=lambda n: 2 * _SEEDS * len(_TREES[n]),
        names="down, routing, seed",
        text=f"full fat trees of up to 16 hosts, both routings, {_SEEDS} sets of messages each",
        dimensions=_TREES,
    ),
    evidence="every message led up and down switch by switch",
    control=Control("routed by source where the destination is asked", swapped=True),
)
def library_fat_tree(
    down: tuple[int, ...], routing: str, seed: int, *, swapped: bool = False
) -> Finding:
    """k-ary n-trees: [Petrini and Vanneschi]; D-mod-k and S-mod-k."""
    messages = [(x, y) for x, y, _ in _drawn(math.prod(down), seed)[0]]
    tree = lcc.FatTree(down, routing=routing)
    by_source = routing == "s-mod-k" or (swapped and len(down) > 2)
    used: Counter[Link] = Counter()
    for x, y in messages:
        used.update(climb(x, y, x if by_source else y, down))
    given = sorted(load for _, load in tree.channel_loads(messages).items() if load)
    return Finding(given == sorted(used.values()), answer=given, counted=sorted(used.values()))


Floats = npt.NDArray[np.float64]
_RUNS = 20
_GRIDS = {2: ("mesh:4", "torus:4", "mesh:2x2"), 3: ("mesh:4x2", "torus:8", "mesh:2x2x2")}


# -- movements ----------------------------------------------------------------------------------


@claim(
    "library.movement",
    place="lccmodel.movement.Movement.replay",
    says="replay gives a certificate exactly if no two messages use a channel in a step, none a "
    "link in both directions where links are half duplex, none a channel ever where they are "
    "circuits; hops are the channels crossed",
    over=on_networks(
        _GRIDS, _RUNS, f"small meshes and tori, {_RUNS} random schedules of a few messages each"
    ),
    evidence="every message walked in its step, channels counted",
    control=Control("circuits hold their channels for one step", held=False),
)
def library_movement(network: str, seed: int, *, held: bool = True) -> Finding:
    shape, ring = grid_of(network)
    size = int(np.prod(shape))
    draw = random.Random(f"{network} {seed}")
    count = draw.randrange(2, size)
    jumps = [draw.sample(range(size), 2) for _ in range(count)]
    steps = sorted(draw.randrange(3) for _ in jumps)
    at = lcc.network.parse_network(network)
    movement = lcc.movement.Movement.of_schedule(at, jumps, steps)
    used: Counter[tuple[int, int, int]] = Counter()
    for (x, y), step in zip(jumps, steps, strict=True):
        path = grid_path(shape, x, y, ring, range(len(shape)))
        used.update((step, u, v) for u, v in pairwise(path))
    ever = Counter((u if held else (s, u), v) for s, u, v in used.elements())
    links = Counter((s, *sorted((u, v))) for s, u, v in used.elements())
    counted = [max(times.values()) == 1 for times in (used, links, ever)]
    found = [
        movement.replay("all").ok,
        movement.replay("half-duplex").ok,
        movement.replay("all", circuits=True).ok,
    ]
    hops = sum(used.values())
    return Finding(
        found == counted and movement.hops == hops, answer=found, counted=counted, hops=hops
    )


# -- machines -----------------------------------------------------------------------------------


def _least_sum(sizes: Floats, times: Floats) -> float:
    """The least Σ |t - α - L τ| / t of all α, τ >= 0, as a linear programme."""
    from scipy.optimize import linprog

    m = len(sizes)
    line = np.column_stack([np.ones(m), sizes]) / times[:, None]
    over = np.block([[line, -np.eye(m)], [-line, -np.eye(m)]])
    ends = np.concatenate([np.ones(m), -np.ones(m)])
    found = linprog(np.r_[0.0, 0.0, np.ones(m)], A_ub=over, b_ub=ends)
    assert found.fun is not None, found.message
    return float(found.fun)


@claim(
    "library.fit",
    place="lccmodel.calibration.fit",
    says="the line that fit gives through measured times has the least sum of relative errors of "
    "all lines with α, τ >= 0",
    over=Enumerated(
        lambda n: range(_RUNS),
        size=lambda n: _RUNS,
        names="seed",
        text=f"{_RUNS} random sets of 12 measured times",
        dimensions=(12,),
    ),
    evidence="a linear programme for the least sum",
    control=Control("the line of least squares", squares=True),
)
def library_fit(seed: int, *, squares: bool = False) -> Finding:
    draw = np.random.default_rng(seed)
    sizes = np.sort(draw.choice(5000, 12, replace=False))
    times = np.round((3 + sizes / 1000) * draw.uniform(0.8, 1.3, 12), 3)
    if squares:
        tau, alpha = np.polyfit(sizes, times, 1)
    else:
        found = lcc.calibration.fit(lcc.calibration.Measurements(sizes, times), segments=1)
        alpha, tau = found.alpha, found.tau
    reached = float((np.abs(times - alpha - tau * sizes) / times).sum())
    least = _least_sum(sizes.astype(float), times)
    is_least = abs(reached - least) <= 1e-7 * least and alpha >= 0 and tau >= 0
    return Finding(is_least, reached=reached, least=least)


# -- dilations ----------------------------------------------------------------------------------

_PLACEMENTS_APART = 397


@claim(
    "library.dilation",
    place="lccmodel.pipelining.average_dilation, minimum_average_dilation",
    says="average_dilation is the mean distance of neighbours in the hypercube, of any placement; "
    "minimum_average_dilation is the least of all placements on a mesh",
    over=Enumerated(
        lambda n: [spec for spec in _GRIDS[n] if spec.startswith("mesh")],
        size=lambda n: 2,
        names="mesh",
        text="all placements on the meshes of 4 and of 8 nodes but the line of 8",
        dimensions=_GRIDS,
    ),
    evidence="distances read off coordinates, for all 4! and 8! placements",
    control=Control("on the torus of these sides", ring=True),
)
def library_dilation(mesh: str, *, ring: bool = False) -> Finding:
    """[calmant, section 2.3]"""
    shape, _ = grid_of(mesh)
    size = int(np.prod(shape))
    places = np.array(np.unravel_index(np.arange(size), shape[::-1])).T
    apart = np.abs(places[:, None] - places[None])
    if ring:
        apart = np.minimum(apart, np.array(shape[::-1]) - apart)
    distance = apart.sum(axis=2)
    placed = np.array(list(permutations(range(size))))
    edges = [(u, v) for u in range(size) for v in range(u) if (u ^ v).bit_count() == 1]
    sums = sum(distance[placed[:, u], placed[:, v]] for u, v in edges)
    for k in range(0, len(placed), _PLACEMENTS_APART):
        found = lcc.pipelining.average_dilation(placed[k].tolist(), mesh)
        if found != Fraction(int(sums[k]), len(edges)):
            return Finding(False, placement=placed[k], answer=found)
    least = Fraction(int(np.min(sums)), len(edges))
    answer = lcc.pipelining.minimum_average_dilation(mesh)
    return Finding(answer == least, answer=answer, least=least)
