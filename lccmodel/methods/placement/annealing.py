"""A search over all placements on the objective itself, with loads updated move by move.

A move puts a rank on another place and, if that is taken, its rank on the first one's place. Only
the routes of their messages change. Moves are judged by the sum of a power (4, at the end 16) of
all loads, which is smooth where the busiest channel is flat; the placement that is kept is the
one with the least objective, and among those the one with the least sum. Moves are accepted as
in simulated annealing, with a temperature that falls from a fraction of the typical change.

The number of moves is fixed beforehand from the work that a move is, never from a clock, so that
the same seed gives the same placement on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lccmodel._jit import inlined_kernel, kernel
from lccmodel.methods.placement.problem import Demand, objective_of, peaks
from lccmodel.methods.placement.routes import Routes, route

__all__ = ["UPDATES_A_SECOND", "Run", "anneal", "moves_within", "run"]

Integers = npt.NDArray[np.int64]

UPDATES_A_SECOND = 80_000_000
"""Channel updates that a second of search is taken for: what one core of 2020 does."""


@dataclass(frozen=True)
class Run:
    """One descent: where it starts, how long and how hot it is.

    Attributes:
        start: (ranks,), a place for every rank.
        moves: proposals.
        heat: the first temperature, in typical changes of the energy; 0 only accepts gains.
        seed: of the moves.
    """

    start: Integers
    moves: int
    heat: float
    seed: int


def moves_within(seconds: float, demand: Demand, routes: Routes) -> int:
    """How many proposals a nominal number of seconds is, from the work of one."""
    if not len(demand.source):
        return 0
    typical = float(routes.distances_from(routes.centre).mean())
    per_rank = 2 * len(demand.source) / demand.ranks
    updates = 4 * per_rank * (typical + _digits(routes)) + 16
    return max(demand.ranks, int(seconds * UPDATES_A_SECOND / updates))


def _digits(routes: Routes) -> int:
    """The work of reading the digits of a node, in channel updates; divisions are slow."""
    return sum(1 if start >= 0 else 4 for start in routes.axes[:, 3].tolist()) + len(routes.tree)


def run(demand: Demand, routes: Routes, plan: Run) -> Integers:
    """The best placement that a run meets; never worse than its start."""
    node_of = plan.start.astype(np.int64).copy()
    if not len(demand.source) or plan.moves < 1 or routes.places < 2:
        return node_of
    rank_at = np.full(routes.places, -1, np.int64)
    rank_at[node_of] = np.arange(demand.ranks)
    loads = demand.loads(node_of, routes)
    mean = loads.sum() / max(1, np.count_nonzero(loads))
    return anneal(
        node_of,
        rank_at,
        loads,
        *demand.messages,
        *demand.incidence,
        *routes.arguments,
        routes.cost,
        routes.longest,
        routes.dimension_of,
        routes.dimensions,
        demand.code,
        1.0 / max(1.0, float(mean)),
        plan.moves,
        plan.heat,
        np.random.default_rng(plan.seed),
    )


@inlined_kernel
def _power(load: float, squarings: int) -> float:
    for _ in range(squarings):
        load *= load
    return load


@kernel
def anneal(
    node_of: Integers,
    rank_at: Integers,
    loads: Integers,
    source: Integers,
    destination: Integers,
    row: Integers,
    volume: Integers,
    first: Integers,
    touching: Integers,
    size: Integers,
    axes: Integers,
    tree: Integers,
    cost: Integers,
    longest: int,
    dimension_of: Integers,
    dimensions: int,
    code: int,
    scale: float,
    moves: int,
    heat: float,
    random: np.random.Generator,
) -> Integers:
    """The search; see the module. `node_of`, `rank_at` and `loads` are changed in place."""
    ranks, places, ports = node_of.size, rank_at.size, size[0]
    degree = 0
    for r in range(ranks):
        degree = max(degree, first[r + 1] - first[r])
    room = np.empty(longest + 1, np.int64)
    log_row = np.empty(4 * degree * (longest + 1) + 1, np.int64)
    log_channel = np.empty_like(log_row)
    log_volume = np.empty_like(log_row)
    active = np.empty(ranks, np.int64)
    movers = 0
    for r in range(ranks):
        if first[r + 1] > first[r]:
            active[movers] = r
            movers += 1

    squarings = 2
    energy = 0.0
    for p in range(loads.shape[0]):
        for c in range(loads.shape[1]):
            energy += _power(loads[p, c] * scale, squarings)
    best = node_of.copy()
    best_value = objective_of(peaks(loads, dimension_of, dimensions), code)
    best_energy = energy

    check = max(8, loads.size // 16)
    sample = min(200, moves // 10 + 1)
    typical = 0.0
    temperature = 0.0
    cooling = 1.0
    since = 0
    for move in range(moves):
        if move == sample:
            temperature = heat * typical / sample
            left = moves - sample
            cooling = 1e-3 ** (1.0 / max(1, left))
        if move == moves - moves // 4:  # the last quarter looks at the busiest channels only
            squarings = 4
            energy = 0.0
            for p in range(loads.shape[0]):
                for c in range(loads.shape[1]):
                    energy += _power(loads[p, c] * scale, squarings)
            temperature = 0.0
            best_energy = np.inf if best_value > 0 else 0.0
        r = active[random.integers(0, movers)]
        here = node_of[r]
        there = here
        if random.random() < 0.5:  # next to a partner
            m = touching[first[r] + random.integers(0, first[r + 1] - first[r])]
            other = destination[m] if source[m] == r else source[m]
            spot = node_of[other] // ports
            if axes.shape[0]:
                a = random.integers(0, axes.shape[0])
                stride, length = axes[a, 0], axes[a, 1]
                digit = spot // stride % length
                moved = (digit + 1 + random.integers(0, 2) * (length - 2)) % length
                if ports == 1 or random.random() < 0.5:
                    spot += (moved - digit) * stride
            there = spot * ports + random.integers(0, ports)
        else:
            there = random.integers(0, places)
        if there == here:
            continue
        s = rank_at[there]
        # -- take both ranks' messages off the channels, move, and put them on again
        logged = 0
        delta = 0.0
        for turn in range(2):
            if turn == 1:
                node_of[r] = there
                rank_at[there] = r
                rank_at[here] = s
                if s >= 0:
                    node_of[s] = here
            for which in range(2):
                one = r if which == 0 else s
                if one < 0:
                    continue
                for i in range(first[one], first[one + 1]):
                    m = touching[i]
                    x, y = source[m], destination[m]
                    if which == 1 and (x == r or y == r):
                        continue
                    signed = volume[m] if turn == 1 else -volume[m]
                    p = row[m]
                    hops = route(node_of[x], node_of[y], size, axes, tree, room)
                    for h in range(hops):
                        c = room[h]
                        old = loads[p, c]
                        new = old + signed * cost[c]
                        loads[p, c] = new
                        delta += _power(new * scale, squarings)
                        delta -= _power(old * scale, squarings)
                        log_row[logged] = p
                        log_channel[logged] = c
                        log_volume[logged] = new - old
                        logged += 1
        if move < sample:
            typical += abs(delta)
        accepted = delta <= 0.0
        if not accepted and temperature > 0.0:
            accepted = random.random() < np.exp(-delta / temperature)
        temperature *= cooling
        if not accepted:
            for i in range(logged):
                loads[log_row[i], log_channel[i]] -= log_volume[i]
            node_of[r] = here
            rank_at[here] = r
            rank_at[there] = s
            if s >= 0:
                node_of[s] = there
            continue
        energy += delta
        since += 1
        if since >= check or move + check >= moves or squarings == 4 or energy < best_energy:
            if since < check and energy >= best_energy and squarings == 2:
                continue
            since = 0
            value = objective_of(peaks(loads, dimension_of, dimensions), code)
            if value < best_value or (value == best_value and energy < best_energy):
                best_value, best_energy = value, energy
                best[:] = node_of
    return best
