"""A search over all placements on the objective itself, with loads updated move by move.

A move puts a rank on another place and, if that is taken, its rank on the first one's place. Only
the routes of their messages change. Moves are judged by the sum of a power (4, at the end 16) of
all loads, which is smooth where the busiest channel is flat; the placement that is kept is the
one with the least objective, and among those the one with the least sum. Moves are accepted as
in simulated annealing, with a temperature that falls from a fraction of the typical change.

The first place that is tried is a partner's neighbour, or any; on a fat tree, any host below a
random switch above the partner; where places are listed, one of those nearest to the partner.

The number of moves is fixed beforehand from the work that a move is, never from a clock, so that
the same seed gives the same placement on any machine. A `Descent` makes them in slices, however
long, with all that it knows between them: so an interrupt is seen, and another process can go on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import inlined_kernel, kernel
from lccmodel.kernels.threads import uninterrupted
from lccmodel.network.ring_direction import PLUS
from lccmodel.network.routes import write_route
from lccmodel.placement.search.problem import Aim, Demand, Edges, value_of
from lccmodel.placement.search.routes import Routes, Ways


@dataclass(frozen=True)
class Run:
    """One descent: where it starts, how long and how hot it is.

    Attributes:
        start: (ranks,), a place for every rank.
        moves: proposals that it is planned for, as it cools.
        heat: the first temperature, in typical changes of the energy; 0 only accepts gains.
        seed: of the moves.
        enough: an objective that nothing goes below: a placement that reaches it ends the run.
        upto: proposals after which it is given up; all that are planned if left out.
    """

    start: Ints
    moves: int
    heat: float
    seed: int
    enough: int = 0
    upto: int | None = None


class State(NamedTuple):
    """Where ranks are, and what channels carry; changed in place.

    rank_at: (places,), -1 where nobody is.
    """

    node_of: Ints
    rank_at: Ints
    loads: Ints
    best: Ints


class Pricing(NamedTuple):
    """How loads count in the energy: a power of each, and a price for every channel crossed.

    squarings: of a load, 2 and at the end 4.
    """

    scale: float
    share: float
    squarings: int
    price: float


class Standing(NamedTuple):
    """How far a run is: what it knows between two slices beside its `State`.

    updates: of channels since the busiest one was looked for.
    typical: sum of the changes of energy sampled.
    """

    move: int
    best_value: int
    updates: int
    done: bool
    pricing: Pricing
    energy: float
    best_energy: float
    typical: float
    temperature: float
    cooling: float


class Cooling(NamedTuple):
    """What stays the same all through a run: objective, lengths, temperatures.

    share: of the busiest channels in the objective; the rest is volume times distance.
    """

    aim: Aim
    share: float
    moves: int
    heat: float
    scale: float
    enough: int


class Descent:
    """A run in progress. It can be sent to another process between two slices.

    Attributes:
        best: (ranks,), the best placement so far; never worse than the start.
    """

    def __init__(self, demand: Demand, run: Run) -> None:
        self._plan = Cooling(demand.aim, float(demand.share), run.moves, run.heat, 1.0, run.enough)
        self._upto = run.moves if run.upto is None else min(run.moves, run.upto)
        self._random = np.random.default_rng(run.seed)
        self._idle = not len(demand.source) or run.moves < 1
        self._standing: Standing | None = None
        start, none = run.start.astype(np.int64), np.zeros((0, 0), np.int64)
        self._state = State(start.copy(), none.ravel(), none, start.copy())

    def __getstate__(self) -> dict[str, Any]:
        """Without what follows from the rest: loads may be large."""
        return self.__dict__ | {"_state": self._state._replace(loads=np.zeros((0, 0), np.int64))}

    @property
    def best(self) -> Ints:
        """The best placement so far."""
        return self._state.best

    @property
    def done(self) -> bool:
        """Whether all moves are made, or the placement is good enough."""
        now = self._standing
        return self._idle or (now is not None and (now.done or now.move >= self._upto))

    def advance(self, demand: Demand, routes: Routes, moves: int) -> None:
        """Make so many moves more; the same placements in the end, whatever the slices."""
        if self.done:
            return
        now = self._prepared(demand, routes)
        moves = min(moves, self._upto - now.move)
        with uninterrupted():
            self._standing = _advance(
                self._state, now, demand.edges, routes.quick_ways, self._plan, moves, self._random
            )
        if self.done:
            self._state = self._state._replace(loads=np.zeros((0, 0), np.int64))

    def _prepared(self, demand: Demand, routes: Routes) -> Standing:
        """Count the loads; before the first move, the energy, too."""
        if not self._state.loads.size:
            node_of = self._state.node_of
            loads = demand.loads(node_of, routes)
            self._state = self._state._replace(rank_at=_rank_at(node_of, routes), loads=loads)
        if self._standing is not None:
            return self._standing
        loads = self._state.loads
        mean = float(loads.sum() / max(1, np.count_nonzero(loads)))
        self._plan = self._plan._replace(scale=1.0 / max(1.0, mean))
        return _begin(loads, routes.ways, self._plan)


def _rank_at(node_of: Ints, routes: Routes) -> Ints:
    rank_at = np.full(routes.places, -1, np.int64)
    rank_at[node_of] = np.arange(len(node_of))
    return rank_at


@inlined_kernel
def _power(load: float, squarings: int) -> float:
    for _ in range(squarings):
        load *= load
    return load


@kernel
def _energy(loads: Ints, scale: float, squarings: int) -> float:
    energy = 0.0
    for p in range(loads.shape[0]):
        for c in range(loads.shape[1]):
            energy += _power(loads[p, c] * scale, squarings)
    return energy


def _begin(loads: Ints, ways: Ways, plan: Cooling) -> Standing:
    """Before the first move, with the fourth power of the loads."""
    value = int(value_of(loads, ways, plan.aim))
    energy, pricing = _priced(loads, ways, plan, 2)
    done = value <= plan.enough
    return Standing(0, value, 0, done, pricing, energy, energy, 0.0, 0.0, 1.0)


@kernel
def _priced(loads: Ints, ways: Ways, plan: Cooling, squarings: int) -> tuple[float, Pricing]:
    """The energy, and with it what a scaled unit of volume costs on every channel that it crosses.

    A mixture S C max + (1 - S) sum, the largest of C loads by their p-norm: where the energy is
    the sum of the p-th powers, a crossing costs (1 - S) / S p / C of the norm to the p - 1.
    """
    energy, price = _energy(loads, plan.scale, squarings), 0.0
    if plan.aim.hops:
        crossed = 0.0
        for p in range(loads.shape[0]):
            for c in range(loads.shape[1]):
                crossed += loads[p, c] / ways.cost[c] * plan.scale
        if plan.share == 0.0:
            energy, price = crossed, 1.0
        else:
            power = float(1 << squarings)
            norm = max(energy, 1e-300) ** ((power - 1.0) / power)
            price = (1.0 - plan.share) / plan.share * power / loads.shape[1] * norm
            energy += price * crossed
    return energy, Pricing(plan.scale, plan.share, squarings, price)


@kernel
def below(random: np.random.Generator, end: int) -> int:
    """Draw a number in 0..end-1; a function of its own, compiled once."""
    return int(random.random() * end)  # `integers` takes 0.7 s to compile


@inlined_kernel
def nearby_place(place: int, ways: Ways, random: np.random.Generator) -> int:
    """A place near to another."""
    axes, ports = ways.axes, ways.ports
    spot = place // ports
    if ways.near.shape[0]:  # the nearest 1, 2, 4, ... places, each as likely
        many = ways.near.shape[1]
        reach = min(many, 1 << below(random, 1 + int(np.log2(many))))
        return int(ways.near[spot, below(random, reach)])
    if not axes.shape[0]:  # a fat tree: levels, and the hosts below a switch of each
        level, levels = 1 + below(random, ways.form[3]), ways.form[3]
        hosts = ways.form[3 + 2 * level] if level < levels else ways.routers
        return int(spot // hosts * hosts + below(random, hosts))
    a = below(random, axes.shape[0])
    stride, length = axes[a, 0], axes[a, 1]
    digit = spot // stride % length
    moved = (digit + 1 + below(random, 2) * (length - 2)) % length
    if ports == 1 or random.random() < 0.5:
        spot += (moved - digit) * stride
    return int(spot * ports + below(random, ports))


@inlined_kernel
def swap_places(node_of: Ints, rank_at: Ints, r: int, s: int, here: int, there: int) -> None:
    """Move rank r to `there`, and rank s (or nobody, -1) to `here`."""
    node_of[r] = there
    rank_at[there] = r
    rank_at[here] = s
    if s >= 0:
        node_of[s] = here


@kernel
def ranks_that_send(first: Ints) -> tuple[Ints, int]:
    """The ranks that send or receive anything; the most messages that one does."""
    movers, count, most = np.empty(first.size - 1, np.int64), 0, 0
    for r in range(first.size - 1):
        many = first[r + 1] - first[r]
        most = max(most, many)
        if many:
            movers[count] = r
            count += 1
    return movers[:count], most


@inlined_kernel
def _tried(
    r: int,
    there: int,
    state: State,
    edges: Edges,
    ways: Ways,
    pricing: Pricing,
    limit: float,
    changes: Ints,
    route: Ints,
) -> tuple[int, float]:
    """Take the messages of both ranks off their channels, move, and put them on again.

    Putting a message on a channel only raises the energy, so that it ends above `limit` once it
    is above.

    Returns: how many changes are written down, (row, channel, change) in a column of `changes`;
    and that of the energy, all of it unless it is above `limit`.
    """
    loads, node_of = state.loads, state.node_of
    here, s = node_of[r], state.rank_at[there]
    count, delta = 0, 0.0
    for sign in range(-1, 2, 2):
        if sign > 0:
            swap_places(node_of, state.rank_at, r, s, here, there)
        for which in range(2):
            moved = s if which else r
            if moved < 0:
                continue
            for i in range(edges.first[moved], edges.first[moved + 1]):
                m = edges.touching[i]
                x, y = edges.source[m], edges.destination[m]
                if which and (x == r or y == r):
                    continue
                signed, p = sign * edges.volume[m], edges.row[m]
                hops = write_route(ways.form, node_of[x], node_of[y], PLUS, route, ways.back)
                for h in range(hops):
                    c = route[h]
                    change = signed * ways.cost[c]
                    old = loads[p, c]
                    new = old + change
                    loads[p, c] = new
                    if pricing.share > 0.0:
                        delta += _power(new * pricing.scale, pricing.squarings)
                        delta -= _power(old * pricing.scale, pricing.squarings)
                    delta += pricing.price * signed * pricing.scale
                    changes[0, count], changes[1, count], changes[2, count] = p, c, change
                    count += 1
                if sign > 0 and delta > limit:
                    return count, delta
    return count, delta


@kernel
def _advance(
    state: State,
    now: Standing,
    edges: Edges,
    ways: Ways,
    plan: Cooling,
    turns: int,
    random: np.random.Generator,
) -> Standing:
    """At most so many moves; see the module."""
    move, best_value, updates, done, pricing, energy, best_energy = now[:7]
    typical, temperature, cooling = now[7:]
    if done:
        return now
    node_of, rank_at, loads, best = state
    first = edges.first
    movers, degree = ranks_that_send(first)
    route = np.empty(ways.longest + 1, np.int64)
    changes = np.empty((3, 4 * degree * route.size + 1), np.int64)
    end = min(plan.moves, now.move + turns)
    sample, last_quarter = min(200, plan.moves // 10 + 1), plan.moves - plan.moves // 4
    for move in range(now.move, end):
        if move == sample:
            temperature = plan.heat * typical / sample
            cooling = 1e-3 ** (1.0 / max(1, plan.moves - sample))
        if move == last_quarter:  # from here on only the busiest channels count
            energy, pricing = _priced(loads, ways, plan, 4)
            temperature = 0.0
            best_energy = np.inf if best_value > 0 else 0.0
        r = movers[below(random, movers.size)]
        here = node_of[r]
        if random.random() >= 0.5:
            there = below(random, rank_at.size)
        else:
            m = edges.touching[first[r] + below(random, first[r + 1] - first[r])]
            partner = edges.destination[m] if edges.source[m] == r else edges.source[m]
            there = nearby_place(node_of[partner], ways, random)
        if there == here:
            continue
        s = rank_at[there]
        limit = 0.0 if temperature == 0.0 else -temperature * np.log(1.0 - random.random())
        counted = np.inf if move < sample else limit
        count, delta = _tried(r, there, state, edges, ways, pricing, counted, changes, route)
        updates += count
        if move < sample:
            typical += abs(delta)
        temperature *= cooling
        if delta > limit:
            for i in range(count):
                loads[changes[0, i], changes[1, i]] -= changes[2, i]
            swap_places(node_of, rank_at, r, s, there, here)
            continue
        energy += delta
        # the busiest channel is looked for when that costs less than the moves since
        likely = move >= last_quarter or energy < best_energy or updates >= 4 * loads.size
        if move == plan.moves - 1 or (likely and 8 * updates >= loads.size):
            updates = 0
            value = value_of(loads, ways, plan.aim)
            if value < best_value or (value == best_value and energy < best_energy):
                best_value, best_energy = value, energy
                for r in range(node_of.size):
                    best[r] = node_of[r]
                if value <= plan.enough:
                    done = True
                    break
    done = done or end == plan.moves
    return Standing(
        end, best_value, updates, done, pricing, energy, best_energy, typical, temperature, cooling
    )
