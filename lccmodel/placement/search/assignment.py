"""Volume times distance as a quadratic assignment: which rank takes which place.

With the flows B = A + A', A[i, j] the volume from rank i to rank j, and the distances
E[i, j] = D[place of i, place of j] the total is the sum over i < j of B[i, j] E[i, j], if D is
symmetric. Two ranks that exchange their places change it by

    Δ(i, j) = G[i, j] + G[j, i] - G[i, i] - G[j, j] + 2 B[i, j] E[i, j],    G = B E.

After an exchange of r and s, with u = B[r] - B[s] and w = E[s] - E[r] before it,

    G[i, j] grows by u[i] w[j] and Δ(i, j) by -(u[i] - u[j]) (w[i] - w[j])

for i and j other than r and s, so two products an entry bring all Δ up to date [Frieze, Yadegar,
El-Horbaty and Parkes 1989]. `Tabu` makes the best exchange that is not forbidden, or that leads to
the least total so far; a rank may not go back to a place before about n steps have passed, n the
number of places [Taillard 1991]. `child_of` keeps what two placements have in common and takes the
rest from either. `shifted` leaves most of one placement as it is [Misevicius 2012]: children of
placements that have little in common are no better than random ones.

A step of `Tabu` takes work of the square of the places. From 65 places on, annealing reaches less
in the same time: `RowAnnealing` counts one exchange from the rows of B and E, as the sum over k of
u[k] w[k]. It goes through all pairs in turn [Connolly 1990]. Where places are more still, or
distances are not symmetric, `DistanceAnnealing` draws an exchange and counts the messages of its
two ranks by a table of distances. The temperature of both falls from a part of the typical change
between two placements to a small part of that.

Floating point decides in `Tabu` and `RowAnnealing` which exchange is made. No answer rests on it:
every placement that leaves a search is counted anew, in integers (`placement.problem.judged`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Array, Floats, Ints
from lccmodel.kernels.jit import inlined_kernel, kernel, reduction_kernel
from lccmodel.kernels.threads import uninterrupted
from lccmodel.placement.search.annealing import (
    Descent,
    Run,
    below,
    nearby_place,
    ranks_that_send,
    swap_places,
)
from lccmodel.placement.search.problem import Demand, Edges
from lccmodel.placement.search.routes import MOST_MEASURED, Routes, Ways

MOST_TABU = 64
"""Most places for `Tabu`: a step takes work of their square."""

MOST_DENSE = 256
"""Most places for `RowAnnealing`: it stores flows and distances of all pairs."""

_NEVER = 1e300
"""Later than every step, and more than every change."""

_EXACT, _EXACT_SINGLE = 2.0**50, 2.0**24
"""Sums of whole numbers below this are exact in float64 and float32, whatever their order."""

_LAST_TEMPERATURE, _LAST_OF_ROWS = 0.1, 0.03
"""The last temperature of `DistanceAnnealing` and of `RowAnnealing`, in parts of the first."""

_HOPELESS = 30.0
"""A rise of so many temperatures is refused without a draw: its chance is below 1e-13."""

_SAMPLE = 200
"""Proposals whose change tells what is typical."""


class Matrices(NamedTuple):
    """Flows and distances of a `Tabu` search, and what it knows of them; changed in place.

    All are float64 of shape (n, n) but `rank`, `at` and `best`, int64 of shape (n,), and `last`,
    u and w of the last exchange, by which Δ has yet to be brought up to date. Index k stands for
    rank `rank[k]`; from the number of movers on it sends nothing, or is an empty place.
    forbidden[i, j] is the step before which i may not go to the place where j is now; pairs[i, j],
    i < j, the step before which they may not exchange, and `_NEVER` at one router.
    """

    rank: Ints
    at: Ints
    best: Ints
    flow: Floats
    apart: Floats
    product: Floats
    change: Floats
    forbidden: Floats
    pairs: Floats
    last: Floats


class Tabu:
    """A tabu search from one placement. It can be sent to another process between two slices.

    Attributes:
        best: (ranks,), the placement with the least total so far; never worse than the start.
    """

    def __init__(self, demand: Demand, run: Run) -> None:
        self._run, self._step, self._total, self._least = run, 0, 0.0, 0.0
        self._random = np.random.default_rng(run.seed)
        self._upto = run.moves if run.upto is None else min(run.moves, run.upto)
        self._tables: Matrices | None = None
        self._movers, self._enough = 0, 0.0
        if not len(demand.source):
            self._upto = 0

    @property
    def best(self) -> Ints:
        """The placement with the least total so far."""
        return (
            self._run.start if self._tables is None else _placement(self._run.start, self._tables)
        )

    @property
    def done(self) -> bool:
        """Whether all steps are made, or the total is small enough."""
        return self._step >= self._upto

    def advance(self, demand: Demand, routes: Routes, steps: int) -> None:
        """Make at most `steps` steps more; the same placements in the end, whatever the slices."""
        if self.done:
            return
        tables = self._tables or self._begin(demand, routes)
        end = min(self._upto, self._step + steps)
        with uninterrupted():
            self._total, self._least = _exchanges(
                tables, self._movers, self._step, end, self._total, self._least, self._random
            )
        self._step = self._upto if self._least <= self._enough else end

    def _begin(self, demand: Demand, routes: Routes) -> Matrices:
        """Set up flows, distances and all changes; the ranks that send come first."""
        rank, at, flow, apart, self._movers = _flow_and_apart(demand, routes, self._run.start)
        n, product = len(at), flow @ apart
        own = np.diagonal(product)
        change = product + product.T - own - own[:, None] + 2 * flow * apart
        never = np.where(apart == 0, _NEVER, 0.0)
        self._tables = tables = Matrices(
            rank, at, at.copy(), flow, apart, product, change, np.zeros((n, n)), never,
            np.zeros((2, n)),
        )  # fmt: skip
        self._total = self._least = float((flow * apart).sum() / 2)
        self._enough = self._run.enough / max(1, demand.aim.hops)
        return tables


def _flow_and_apart(
    demand: Demand, routes: Routes, start: Ints
) -> tuple[Ints, Ints, Floats, Floats, int]:
    """Return ranks, their places, symmetric flows, distances, and how many ranks send anything.

    Those that send come first. Flows are rounded where sums would not be exact, or repeatable.
    """
    n = routes.places
    flow = np.zeros((n, n))
    np.add.at(flow, (demand.source, demand.destination), demand.volume.astype(np.float64))
    flow += flow.T
    if flow.sum() * routes.longest >= _EXACT:
        flow = np.rint(flow * (_EXACT / (flow.sum() * routes.longest)))
    at = np.concatenate([start, np.setdiff1d(np.arange(n), start)]).astype(np.int64)
    sends = flow.any(axis=1)
    rank = np.argsort(~sends, kind="stable").astype(np.int64)
    at = at[rank]
    router = at if routes.listed else at // routes.ports
    apart = routes.distance[np.ix_(router, router)].astype(np.float64)
    return rank, at, np.ascontiguousarray(flow[np.ix_(rank, rank)]), apart, int(sends.sum())


@reduction_kernel
def _updated(
    change: Floats, pairs: Floats, u: Floats, w: Floats, step: float, movers: int, least: Floats
) -> None:
    """Bring Δ up to date; the least of every row, and the least that is allowed, into `least`."""
    n = u.size
    for i in range(movers):
        ui, wi, any_, allowed = u[i], w[i], _NEVER, _NEVER
        for j in range(i + 1, n):
            d = change[i, j] - (ui - u[j]) * (wi - w[j])
            change[i, j] = d
            any_ = min(any_, d)
            allowed = min(allowed, d if pairs[i, j] <= step else _NEVER)
        least[0, i], least[1, i] = any_, allowed


@kernel
def _exchanges(
    tables: Matrices,
    movers: int,
    step: int,
    end: int,
    total: float,
    minimum: float,
    random: np.random.Generator,
) -> tuple[float, float]:
    """Make exchanges up to step `end`: the total and the least so far; see the module."""
    _, at, best, _, apart, _, change, forbidden, pairs, last = tables
    n = at.size
    u, w, least = last[0], last[1], np.empty((2, n))
    for now in range(step, end):
        _updated(change, pairs, u, w, float(now), movers, least)
        r, s, d = -1, -1, _NEVER
        for i in range(movers):
            if least[1, i] < d:
                r, d = i, least[1, i]
        wanted = d
        for i in range(movers):  # aspiration: a forbidden exchange to the least total so far
            if least[0, i] < wanted and total + least[0, i] < minimum - 0.5:
                r, wanted = i, least[0, i]
        if r < 0:
            for k in range(n):
                u[k] = 0.0
            continue
        for j in range(r + 1, n):
            if change[r, j] == wanted and (wanted < d or pairs[r, j] <= now):
                s = j
                break
        total += wanted
        _exchange(r, s, tables, u, w)
        for j in range(n):
            forbidden[j, r], forbidden[j, s] = forbidden[j, s], forbidden[j, r]
        # 0.9 to 1.1 n steps: Taillard's robust tabu search
        forbidden[r, s] = now + 1 + n * (0.9 + 0.2 * random.random())
        forbidden[s, r] = now + 1 + n * (0.9 + 0.2 * random.random())
        for j in range(n):
            for i in (r, s):
                first, second = min(i, j), max(i, j)
                until = min(forbidden[i, j], forbidden[j, i])
                pairs[first, second] = _NEVER if apart[i, j] == 0.0 else until
        if total < minimum - 0.5:
            minimum = total
            for j in range(n):
                best[j] = at[j]
    return total, minimum


@inlined_kernel
def _exchange(r: int, s: int, tables: Matrices, u: Floats, w: Floats) -> None:
    """Exchange the places of r and s; u and w for the other Δ, and rows r and s of Δ anew."""
    _, at, _, flow, apart, product, change, _, _, _ = tables
    n, between = at.size, apart[r, s]
    for k in range(n):
        u[k] = flow[r, k] - flow[s, k]
        w[k] = apart[s, k] - apart[r, k]
    for i in range(n):
        ui, at_r, at_s = u[i], product[i, r], product[i, s]
        for j in range(n):
            product[i, j] += ui * w[j]
        product[i, r] = at_s - ui * between
        product[i, s] = at_r + ui * between
    at[r], at[s] = at[s], at[r]
    for k in range(n):
        if k not in (r, s):
            apart[r, k], apart[s, k] = apart[s, k], apart[r, k]
            apart[k, r], apart[k, s] = apart[r, k], apart[s, k]
    # The next update leaves rows r and s alone but for what is put right here beforehand.
    for i in (r, s):
        for k in range(n):
            d = product[i, k] + product[k, i] - product[i, i] - product[k, k]
            d += 2.0 * flow[i, k] * apart[i, k] + (u[i] - u[k]) * (w[i] - w[k])
            change[min(i, k), max(i, k)] = d


def searched_by(
    demand: Demand, routes: Routes
) -> type[Tabu | RowAnnealing | DistanceAnnealing | Descent]:
    """Return what searches: `Descent` unless the objective is volume times distance alone."""
    if demand.aim.peak or not demand.aim.hops or routes.routers > MOST_MEASURED:
        return Descent
    if routes.places > MOST_DENSE or (
        routes.listed and (routes.distance != routes.distance.T).any()
    ):
        return DistanceAnnealing
    return RowAnnealing if routes.places > MOST_TABU else Tabu


# -- placements from placements --------------------------------------------------------------------


def child_of(first: Ints, second: Ints, places: int, random: np.random.Generator) -> Ints:
    """A placement that keeps what two have in common, and takes the rest from either.

    Args:
        first, second: (ranks,), placements.
        places: how many there are.
        random: which of the two a rank follows; a rank whose place is taken gets a free one.
    """
    choice = np.where(random.random(len(first)) < 0.5, first, second)
    choice[first == second] = first[first == second]
    order = np.argsort(np.where(first == second, 0, 1), kind="stable")  # what both have is kept
    owner = np.full(places, -1)
    for r in order.tolist():
        if owner[choice[r]] >= 0:  # the other parent's place, if that is free
            choice[r] = second[r] if choice[r] == first[r] else first[r]
        if owner[choice[r]] < 0:
            owner[choice[r]] = r
        else:
            choice[r] = -1
    free = random.permutation(np.flatnonzero(owner < 0))
    homeless = np.flatnonzero(choice < 0)
    choice[homeless] = free[: len(homeless)]
    return choice.astype(np.int64)


def shifted(placement: Ints, places: int, random: np.random.Generator) -> Ints:
    """Return the placement after a tenth to two fifths of all places, at random, shift in a ring.

    Args:
        placement: (ranks,), the place of every rank.
        places: how many there are; an empty one in the ring leaves its place to another.

    >>> shifted(np.array([0, 1]), 2, np.random.default_rng(0)).tolist()
    [1, 0]
    """
    whole = np.concatenate([placement, np.setdiff1d(np.arange(places), placement)])
    fewest = min(places, max(3, places // 10))
    ring = random.choice(
        places, int(random.integers(fewest, max(fewest, 2 * places // 5) + 1)), False
    )
    whole[ring] = whole[np.roll(ring, 1)]
    return whole[: len(placement)]


def grown(demand: Demand, routes: Routes) -> Ints:
    """A placement that grows around the rank that exchanges most [Hoefler and Snir 2011].

    The rank that exchanges most with all placed ranks comes next. It takes the free place with the
    least volume times distance to them, of equal ones the lowest. *Requires* a table of distances.
    """
    place = np.arange(routes.places)
    router = place if routes.listed else place // routes.ports
    around = routes.distance + routes.distance.T
    ranks, edges = demand.ranks, demand.edges
    ends = np.stack([demand.source, demand.destination])
    exchanged = np.bincount(ends.ravel(), np.tile(demand.volume, 2).astype(float), ranks)
    with_placed, is_free = np.zeros(ranks), np.ones(routes.places, np.bool_)
    node_of = np.full(ranks, -1, np.int64)
    for _ in range(ranks):
        r = int(np.lexsort((-exchanged, -with_placed, node_of >= 0))[0])
        messages = edges.touching[edges.first[r] : edges.first[r + 1]]
        partners = ends[:, messages].sum(axis=0) - r
        at, volume = node_of[partners], demand.volume[messages].astype(float)
        costs = np.full(routes.places, np.inf)
        if (at >= 0).any():
            apart = around[router[at[at >= 0]]].T @ volume[at >= 0]
            costs[is_free] = apart[router[is_free]]
        else:
            costs[is_free] = around.sum(axis=1)[router[is_free]]
        node_of[r] = int(costs.argmin())
        is_free[node_of[r]] = False
        np.add.at(with_placed, partners, volume)
    return node_of


# -- more places -----------------------------------------------------------------------------------


class ExchangeRows(NamedTuple):
    """Flows and distances of a `RowAnnealing`; changed in place.

    rank, at, best: as in `Matrices`. flow, apart: (n, n), of one floating type, in which the sums
    of a change are exact.
    """

    rank: Ints
    at: Ints
    best: Ints
    flow: Array
    apart: Array


class HopStanding(NamedTuple):
    """How far an annealing is: totals are counted from that of its start."""

    move: int
    total: float
    minimum: float
    typical: float
    temperature: float


class RowAnnealing:
    """Simulated annealing by rows of flows and distances; the interface is that of `Tabu`."""

    def __init__(self, demand: Demand, run: Run) -> None:
        self._run, self._now = run, HopStanding(0, 0.0, 0.0, 0.0, 0.0)
        self._upto = run.moves if run.upto is None else min(run.moves, run.upto)
        self._random = np.random.default_rng(run.seed)
        self._rows: ExchangeRows | None = None
        self._movers = 0
        if not len(demand.source):
            self._upto = 0

    @property
    def best(self) -> Ints:
        """The placement with the least total so far; never worse than the start."""
        return self._run.start if self._rows is None else _placement(self._run.start, self._rows)

    @property
    def done(self) -> bool:
        """Whether all moves are made."""
        return self._now.move >= self._upto

    def advance(self, demand: Demand, routes: Routes, moves: int) -> None:
        """Make at most `moves` moves more; the same placements in the end, whatever the slices."""
        if self.done:
            return
        rows = self._rows
        if rows is None:
            rank, at, flow, apart, self._movers = _flow_and_apart(demand, routes, self._run.start)
            most = 4 * flow.sum(axis=1).max() * routes.longest
            kind = np.float32 if most < _EXACT_SINGLE else np.float64
            rows = ExchangeRows(rank, at, at.copy(), flow.astype(kind), apart.astype(kind))
            self._rows = rows
        plan = HopPlan(self._run.moves, self._run.heat, min(self._upto, self._now.move + moves))
        with uninterrupted():
            self._now = _cool_rows(rows, self._movers, self._now, plan, self._random)


def _placement(start: Ints, tables: Matrices | ExchangeRows) -> Ints:
    """Return the best placement of a search by tables; a rank that sends nothing stays."""
    placement = start.copy()
    ranks = tables.rank < len(placement)
    placement[tables.rank[ranks]] = tables.best[ranks]
    return placement


@reduction_kernel
def _changed(flow: Array, apart: Array, r: int, s: int, movers: int) -> float:
    """Return the change of the total if r and s exchange their places."""
    change = 2 * flow[r, s] * apart[r, s]
    for k in range(movers):
        change += (flow[r, k] - flow[s, k]) * (apart[s, k] - apart[r, k])
    return float(change)


@kernel
def _cool_rows(
    rows: ExchangeRows, movers: int, now: HopStanding, plan: HopPlan, random: np.random.Generator
) -> HopStanding:
    """Propose exchanges up to `plan.end`, those of one rank after those of the one before."""
    _, at, best, flow, apart = rows
    n = at.size
    _, total, minimum, typical, temperature = now
    if now.move == 0:
        for _ in range(_SAMPLE):
            r, s = below(random, movers), below(random, n)
            typical += abs(_changed(flow, apart, r, s, movers)) if r != s else 0.0
        temperature = plan.heat * typical / _SAMPLE
    factor = _LAST_OF_ROWS ** (1.0 / plan.moves)
    firsts = min(movers, n - 1)
    pairs = firsts * (2 * n - firsts - 1) // 2
    r, s, skipped = 0, 0, now.move % pairs
    while skipped >= n - 1 - r:  # where the slice before ended
        skipped, r = skipped - (n - 1 - r), r + 1
    s = r + skipped
    for _ in range(now.move, plan.end):
        temperature *= factor
        s += 1
        if s == n:
            r = r + 1 if r + 1 < firsts else 0
            s = r + 1
        change = _changed(flow, apart, r, s, movers)
        if change > _HOPELESS * temperature:
            continue
        if change > 0.0 and change > -temperature * np.log(1.0 - random.random()):
            continue
        total += change
        at[r], at[s] = at[s], at[r]
        for k in range(n):
            if k not in (r, s):
                apart[r, k], apart[s, k] = apart[s, k], apart[r, k]
                apart[k, r], apart[k, s] = apart[r, k], apart[s, k]
        if total < minimum - 0.5:
            minimum = total
            for k in range(n):
                best[k] = at[k]
    return HopStanding(plan.end, total, minimum, typical, temperature)


class DistanceAnnealing:
    """Simulated annealing by a table of distances; the interface is that of `Tabu`.

    Attributes:
        best: (ranks,), the placement with the least total so far; never worse than the start.
    """

    def __init__(self, demand: Demand, run: Run) -> None:
        self._run, self._now = run, HopStanding(0, 0, 0, 0.0, 0.0)
        self._upto = run.moves if run.upto is None else min(run.moves, run.upto)
        self._random = np.random.default_rng(run.seed)
        self._node_of = run.start.astype(np.int64).copy()
        self.best = self._node_of.copy()
        if not len(demand.source):
            self._upto = 0

    @property
    def done(self) -> bool:
        """Whether all moves are made."""
        return self._now.move >= self._upto

    def advance(self, demand: Demand, routes: Routes, moves: int) -> None:
        """Make at most `moves` moves more; the same placements in the end, whatever the slices."""
        if self.done:
            return
        rank_at = np.full(routes.places, -1, np.int64)
        rank_at[self._node_of] = np.arange(demand.ranks)
        state = RankPlaces(self._node_of, rank_at, self.best)
        plan = HopPlan(self._run.moves, self._run.heat, min(self._upto, self._now.move + moves))
        with uninterrupted():
            self._now = _cool(
                state, self._now, plan, demand.edges, routes.ways, _table(routes), self._random
            )


class RankPlaces(NamedTuple):
    """Where ranks are; changed in place. rank_at: (places,), -1 on an empty place."""

    node_of: Ints
    rank_at: Ints
    best: Ints


class HopPlan(NamedTuple):
    """Moves that a run is planned for, its first temperature in typical changes, the next stop."""

    moves: int
    heat: float
    end: int


def _table(routes: Routes) -> npt.NDArray[np.int16]:
    """(routers, routers), int16: channels on every route, stored with the routes."""
    table: npt.NDArray[np.int16] | None = routes.kept.get("table of distances")
    if table is None:
        table = routes.kept["table of distances"] = routes.distance.astype(np.int16)
    return table


@inlined_kernel
def _crossed(
    r: int, s: int, node_of: Ints, ports: int, edges: Edges, table: npt.NDArray[np.int16]
) -> int:
    """Volume times distance of the messages of two ranks; s may be -1."""
    total = 0
    for i in range(edges.first[r], edges.first[r + 1]):
        m = edges.touching[i]
        x, y = node_of[edges.source[m]] // ports, node_of[edges.destination[m]] // ports
        total += edges.volume[m] * table[x, y]
    if s >= 0:
        for i in range(edges.first[s], edges.first[s + 1]):
            m = edges.touching[i]
            if edges.source[m] != r and edges.destination[m] != r:
                x, y = node_of[edges.source[m]] // ports, node_of[edges.destination[m]] // ports
                total += edges.volume[m] * table[x, y]
    return total


@kernel
def _cool(
    ranks: RankPlaces,
    now: HopStanding,
    plan: HopPlan,
    edges: Edges,
    ways: Ways,
    table: npt.NDArray[np.int16],
    random: np.random.Generator,
) -> HopStanding:
    """Propose exchanges up to `plan.end`."""
    node_of, rank_at, best = ranks
    move, total, minimum, typical, temperature = now
    movers, _ = ranks_that_send(edges.first)
    sample = min(_SAMPLE, plan.moves // 10 + 1)
    factor = _LAST_TEMPERATURE ** (1.0 / max(1, plan.moves - sample))
    for move in range(now.move, plan.end):
        if move == sample:
            temperature = plan.heat * typical / sample
        temperature *= factor
        r = movers[below(random, movers.size)]
        here = node_of[r]
        if random.random() >= 0.5:
            there = below(random, rank_at.size)
        else:
            many = edges.first[r + 1] - edges.first[r]
            m = edges.touching[edges.first[r] + below(random, many)]
            partner = edges.destination[m] if edges.source[m] == r else edges.source[m]
            there = nearby_place(node_of[partner], ways, random)
        if there // ways.ports == here // ways.ports:
            continue
        s = rank_at[there]
        before = _crossed(r, s, node_of, ways.ports, edges, table)
        swap_places(node_of, rank_at, r, s, here, there)
        change = _crossed(r, s, node_of, ways.ports, edges, table) - before
        if move < sample:
            typical += abs(change)
        limit = 0.0 if temperature == 0.0 else -temperature * np.log(1.0 - random.random())
        if change > limit:
            swap_places(node_of, rank_at, r, s, there, here)
            continue
        total += change
        if total < minimum:
            minimum = total
            for k in range(best.size):
                best[k] = node_of[k]
    return HopStanding(plan.end, total, minimum, typical, temperature)
