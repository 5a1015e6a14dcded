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
import numpy.typing as npt

from lccmodel._arrays import Ints
from lccmodel._interrupts import uninterrupted
from lccmodel._jit import inlined_kernel, kernel
from lccmodel.methods.placement.problem import Aim, Demand, Edges, value_of
from lccmodel.methods.placement.routes import Routes, Ways
from lccmodel.network.routes import write_route
from lccmodel.network.ties import PLUS

UPDATES_A_SECOND = 80_000_000
"""Channel updates that a second of search is taken for: what one core of 2020 does."""


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


def moves_a_second(demand: Demand, routes: Routes) -> float:
    """How many proposals a nominal second is, from the work of one."""
    typical = float(routes.distances_from(routes.centre).mean())
    per_rank = 2 * len(demand.source) / demand.ranks
    updates = 4 * per_rank * (typical + _digits(routes, typical)) + 16
    return UPDATES_A_SECOND / updates


def _digits(routes: Routes, typical: float) -> float:
    """The work of reading the digits of a node, in channel updates; divisions are slow.

    Where places are listed, that of looking up every channel of a typical route.
    """
    if routes.listed:
        return 3 + 2 * typical
    lengths = routes.axes[:, 1].tolist()
    return sum(4 if length & length - 1 else 1 for length in lengths) + len(routes.tree)


class State(NamedTuple):
    """What a run knows between two slices; all of it changed in place.

    rank_at: (places,), -1 where nobody is; integers and reals: see `_KEPT`.
    """

    node_of: Ints
    rank_at: Ints
    loads: Ints
    best: Ints
    integers: Ints
    reals: npt.NDArray[np.float64]


_KEPT = """
integers    move, best value, channel updates since it was looked at, squarings, 1 if done
reals       energy, best energy, sum of changes sampled, temperature, cooling, price of a channel
"""


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
        none = np.zeros((0, 0), np.int64)
        start = run.start.astype(np.int64)
        kept = np.zeros(5, np.int64), np.zeros(6)
        self._state = State(start.copy(), none.ravel(), none, start.copy(), *kept)
        self._state.integers[4] = not len(demand.source) or run.moves < 1

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
        return bool(self._state.integers[4] or self._state.integers[0] >= self._upto)

    def advance(self, demand: Demand, routes: Routes, moves: int) -> None:
        """Make so many moves more; the same placements in the end, whatever the slices."""
        if self.done:
            return
        if not self._state.loads.size:
            self._prepare(demand, routes)
        moves = min(moves, self._upto - int(self._state.integers[0]))
        with uninterrupted():
            _advance(self._state, demand.edges, routes.ways, self._plan, moves, self._random)
        if self.done:
            self._state = self._state._replace(loads=np.zeros((0, 0), np.int64))

    def _prepare(self, demand: Demand, routes: Routes) -> None:
        """Count the loads; before the first move, the energy, too."""
        node_of = self._state.node_of
        loads = demand.loads(node_of, routes)
        self._state = self._state._replace(rank_at=_rank_at(node_of, routes), loads=loads)
        if not self._state.integers[3]:
            mean = float(loads.sum() / max(1, np.count_nonzero(loads)))
            self._plan = self._plan._replace(scale=1.0 / max(1.0, mean))
            _begin(self._state, routes.ways, self._plan)


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


@kernel
def _begin(state: State, ways: Ways, plan: Cooling) -> None:
    """The fourth power of the loads at the start."""
    value = value_of(state.loads, ways, plan.aim)
    state.integers[1], state.integers[3] = value, 2
    if value <= plan.enough:
        state.integers[4] = 1
    energy, price = _priced(state.loads, ways, plan, 2)
    state.reals[0], state.reals[1], state.reals[4], state.reals[5] = energy, energy, 1.0, price


@kernel
def _priced(loads: Ints, ways: Ways, plan: Cooling, squarings: int) -> tuple[float, float]:
    """The energy, and what a scaled unit of volume costs in it on every channel that it crosses.

    A mixture S C max + (1 - S) sum, the largest of C loads by their p-norm: where the energy is
    the sum of the p-th powers, a crossing costs (1 - S) / S p / C of the norm to the p - 1.
    """
    energy = _energy(loads, plan.scale, squarings)
    if plan.aim.hops == 0:
        return energy, 0.0
    crossed = 0.0
    for p in range(loads.shape[0]):
        for c in range(loads.shape[1]):
            crossed += loads[p, c] / ways.cost[c] * plan.scale
    if plan.share == 0.0:
        return crossed, 1.0
    power = float(1 << squarings)
    norm = max(energy, 1e-300) ** ((power - 1.0) / power)
    price = (1.0 - plan.share) / plan.share * power / loads.shape[1] * norm
    return energy + price * crossed, price


@kernel
def _below(random: np.random.Generator, end: int) -> int:
    """A number in 0..end-1; a function of its own, so that numba's generator is compiled once."""
    return int(random.integers(0, end))


@inlined_kernel
def _proposed(r: int, state: State, edges: Edges, ways: Ways, random: np.random.Generator) -> int:
    """A place for rank r: next to a partner, or anywhere."""
    node_of, axes, ports = state.node_of, ways.axes, ways.ports
    if random.random() >= 0.5:
        return int(_below(random, state.rank_at.size))
    first = edges.first
    m = edges.touching[first[r] + _below(random, first[r + 1] - first[r])]
    other = edges.destination[m] if edges.source[m] == r else edges.source[m]
    spot = node_of[other] // ports
    if ways.near.shape[0]:  # the nearest 1, 2, 4, ... places, each as likely
        many = ways.near.shape[1]
        reach = min(many, 1 << _below(random, 1 + int(np.log2(many))))
        return int(ways.near[spot, _below(random, reach)])
    if not axes.shape[0]:  # a fat tree: levels, and the hosts below a switch of each
        level, levels = 1 + _below(random, ways.form[3]), ways.form[3]
        hosts = ways.form[3 + 2 * level] if level < levels else ways.routers
        return int(spot // hosts * hosts + _below(random, hosts))
    a = _below(random, axes.shape[0])
    stride, length = axes[a, 0], axes[a, 1]
    digit = spot // stride % length
    moved = (digit + 1 + _below(random, 2) * (length - 2)) % length
    if ports == 1 or random.random() < 0.5:
        spot += (moved - digit) * stride
    return int(spot * ports + _below(random, ports))


@inlined_kernel
def _moved(state: State, r: int, s: int, here: int, there: int) -> None:
    """Rank r to `there`, rank s (or nobody, -1) to `here`."""
    state.node_of[r] = there
    state.rank_at[there] = r
    state.rank_at[here] = s
    if s >= 0:
        state.node_of[s] = here


@kernel
def _advance(
    state: State, edges: Edges, ways: Ways, plan: Cooling, turns: int, random: np.random.Generator
) -> None:
    """At most so many moves; see the module."""
    node_of, rank_at, loads, best, integers, reals = state
    source, destination, row, volume, first, touching = edges
    ranks, moves = node_of.size, plan.moves
    if integers[4]:
        return
    degree, movers = 0, 0
    active = np.empty(ranks, np.int64)
    for r in range(ranks):
        degree = max(degree, first[r + 1] - first[r])
        if first[r + 1] > first[r]:
            active[movers] = r
            movers += 1
    room = np.empty(ways.longest + 1, np.int64)
    log_row = np.empty(4 * degree * (ways.longest + 1) + 1, np.int64)
    log_channel = np.empty_like(log_row)
    log_change = np.empty_like(log_row)

    begin, best_value, work, squarings = integers[0], integers[1], integers[2], integers[3]
    energy, best_energy, typical, temperature = reals[0], reals[1], reals[2], reals[3]
    cooling, price = reals[4], reals[5]
    end = min(moves, begin + turns)
    sample = min(200, moves // 10 + 1)
    done = end == moves
    for move in range(begin, end):
        if move == sample:
            temperature = plan.heat * typical / sample
            cooling = 1e-3 ** (1.0 / max(1, moves - sample))
        if move == moves - moves // 4:  # the last quarter looks at the busiest channels only
            squarings = 4
            energy, price = _priced(loads, ways, plan, squarings)
            temperature = 0.0
            best_energy = np.inf if best_value > 0 else 0.0
        r = active[_below(random, movers)]
        here = node_of[r]
        there = _proposed(r, state, edges, ways, random)
        if there == here:
            continue
        s = rank_at[there]
        # -- take both ranks' messages off the channels, move, and put them on again
        logged = 0
        delta = 0.0
        for turn in range(2):
            if turn == 1:
                _moved(state, r, s, here, there)
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
                    hops = write_route(ways.form, node_of[x], node_of[y], PLUS, room, ways.back)
                    for h in range(hops):
                        c = room[h]
                        change = signed * ways.cost[c]
                        old = loads[p, c]
                        new = old + change
                        loads[p, c] = new
                        if plan.share > 0.0:
                            delta += _power(new * plan.scale, squarings)
                            delta -= _power(old * plan.scale, squarings)
                        delta += price * signed * plan.scale
                        log_row[logged] = p
                        log_channel[logged] = c
                        log_change[logged] = change
                        logged += 1
        work += logged
        if move < sample:
            typical += abs(delta)
        accepted = delta <= 0.0
        if not accepted and temperature > 0.0:
            accepted = random.random() < np.exp(-delta / temperature)
        temperature *= cooling
        if not accepted:
            for i in range(logged):
                loads[log_row[i], log_channel[i]] -= log_change[i]
            _moved(state, r, s, there, here)
            continue
        energy += delta
        # the busiest channel is looked for when that costs less than the moves since
        last = move == moves - 1
        likely = squarings == 4 or energy < best_energy or work >= 4 * loads.size
        if last or (likely and 8 * work >= loads.size):
            work = 0
            value = value_of(loads, ways, plan.aim)
            if value < best_value or (value == best_value and energy < best_energy):
                best_value, best_energy = value, energy
                for rank in range(ranks):
                    best[rank] = node_of[rank]
                if value <= plan.enough:
                    done = True
                    break
    integers[0], integers[1], integers[2], integers[3] = end, best_value, work, squarings
    integers[4] = done
    reals[0], reals[1], reals[2], reals[3] = energy, best_energy, typical, temperature
    reals[4], reals[5] = cooling, price
