"""Bridges: replayed movements, fitted machines, and the dilation of placements on meshes."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt

import lccmodel as lcc
from proofs_check.cases import grid_of, on_networks
from proofs_check.claim import Control, Finding, claim
from proofs_check.claims.library_loads import grid_path
from proofs_check.domain import Enumerated

Floats = npt.NDArray[np.float64]
_SEEDS = 20
_GRIDS = {2: ("mesh:4", "torus:4", "mesh:2x2"), 3: ("mesh:4x2", "torus:8", "mesh:2x2x2")}


# -- movements ----------------------------------------------------------------------------------


@claim(
    "library.movement",
    place="lccmodel.movement.Movement.replay",
    says="replay gives a certificate exactly if no two messages use a channel in a step, none a "
    "link in both directions where links are half duplex, none a channel ever where they are "
    "circuits; hops are the channels crossed",
    over=on_networks(
        _GRIDS, _SEEDS, f"small meshes and tori, {_SEEDS} random schedules of a few messages each"
    ),
    evidence="every message walked in its step, channels counted",
    control=Control("circuits hold their channels for one step", held=False),
)
def library_movement(network: str, seed: int, *, held: bool = True) -> Finding:
    """The one value of what moves, and its three verdicts."""
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
        lambda n: range(_SEEDS),
        size=lambda n: _SEEDS,
        names="seed",
        text=f"{_SEEDS} random sets of 12 measured times",
        dimensions=(12,),
    ),
    evidence="a linear programme for the least sum",
    control=Control("the line of least squares", squares=True),
)
def library_fit(seed: int, *, squares: bool = False) -> Finding:
    """From measured times to α and τ."""
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
