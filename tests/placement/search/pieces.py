"""Every piece of the search on small problems, with what is true of each of its answers.

Each piece yields what it says, and placements. `facts` counts the value of every placement by the
network itself, message by message, and compares it with the kernels' and with the bounds. Without
Scotch, whose versions differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice
from math import inf, prod
from typing import Any
from unittest.mock import patch

import numpy as np

from lccmodel.communication.grids import ProcessGrid
from lccmodel.communication.products import Grid, grid_of
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import Clock
from lccmodel.network import Network, as_network
from lccmodel.placement.search import (
    bisection,
    distance_bounds,
    exact,
    initial_placements,
    layouts,
    place,
)
from lccmodel.placement.search import clusters as parting
from lccmodel.placement.search.annealing import Descent, Run
from lccmodel.placement.search.bisection import _halves, by_cuts
from lccmodel.placement.search.bounds import lower_bound, quick_bound
from lccmodel.placement.search.clusters import by_two, clusters
from lccmodel.placement.search.distance_bounds import _least_sum, least_sums, uniform_cliques
from lccmodel.placement.search.embedding import embedding
from lccmodel.placement.search.exact import not_below, settle
from lccmodel.placement.search.layouts import along_curves, coded, codes, laid_in_folds
from lccmodel.placement.search.orders import best_linear_map, best_order_of_bits
from lccmodel.placement.search.problem import Demand, demand_of, judged, weights_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.search_budget import (
    Effort,
    Search,
    programme_seconds,
)
from lccmodel.placement.search.spectrum import _rounding, sums_at_least, sums_at_most
from tests.placement.search.brute_force import counted_value

Answers = Iterator[tuple[str, Ints | None]]
"""What a piece says, and a placement if it gives one."""


# -- what is asked ------------------------------------------------------------------------------


def _random(ranks: int, messages: int, phases: int = 1, seed: int = 1) -> Program:
    rng = np.random.default_rng(seed)
    return Program(
        [
            Phase(
                Traffic(rng.integers(0, ranks, (messages, 2)), rng.integers(1, 9, messages), ranks),
                Fraction(int(rng.integers(1, 4)), 1 + k),
            )
            for k in range(phases)
        ]
    )


def _scrambled(program: Program, seed: int = 3) -> Program:
    name = np.random.default_rng(seed).permutation(program.ranks)
    return Program([phase.traffic.placed(name, program.ranks) for phase in program])


def _halo(sides: str, pattern: Any = "stencil") -> Program:
    grid = ProcessGrid(tuple(map(int, sides.split("x"))))
    return grid.program(pattern, [5, 2, 3, 1][: len(grid.sides)])


def _teams(ranks: int, size: int) -> Program:
    """All-to-all in teams, and a ring of everyone."""
    teams = [(x, y, 6) for x in range(ranks) for y in range(ranks) if x % size == y % size]
    ring = [(x, (x + 1) % ranks, 1) for x in range(ranks)]
    return Program([Traffic.of([m for m in [*teams, *ring] if m[0] != m[1]])])


def _points(ranks: int) -> Program:
    """Random points joined to the four nearest: an unstructured mesh."""
    rng = np.random.default_rng(3)
    where = rng.random((ranks, 2))
    away = np.linalg.norm(where[:, None] - where[None], axis=2)
    near = np.argsort(away, axis=1)[:, 1:5]
    pairs = np.stack([np.repeat(np.arange(ranks), 4), near.ravel()], axis=1)
    return Program([Traffic(pairs, rng.integers(1, 40, len(pairs)), ranks)])


PROGRAMS: dict[str, Callable[[], Program]] = {
    "two ranks": lambda: Program([Traffic([(0, 1)], [3], 2)]),
    "nothing": lambda: Program([Traffic([(1, 1)], [3], 3)]),
    "random 5": lambda: _random(5, 12, 2),
    "random 6": lambda: _random(6, 14, 1, 5),
    "random 7": lambda: _random(7, 20, 3, 2),
    "random 8": lambda: _random(8, 25, 2, 4),
    "random 11": lambda: _random(11, 40, 2, 3),
    "random 16": lambda: _random(16, 60, 2, 6),
    "sparse 13": lambda: _random(13, 9, 1, 7),
    "star": lambda: Program([Traffic([(0, k) for k in range(1, 6)], [4, 1, 1, 2, 4], 7)]),
    "ring 8": lambda: _scrambled(Program.of([(x, (x + 1) % 8) for x in range(8)])),
    "teams 12": lambda: _teams(12, 4),
    "teams 16": lambda: _scrambled(_teams(16, 4)),
    "halo 4x3": lambda: _scrambled(_halo("4x3")),
    "halo 4x4": lambda: _scrambled(_halo("4x4", "rings")),
    "halo 2x2x4": lambda: _scrambled(_halo("2x2x4")),
    "points 16": lambda: _points(16),
    "points 40": lambda: _points(40),
    "random 200": lambda: _random(200, 800),
}
SMALL = (
    ("cube:3", "random 7"), ("mesh:5", "random 5"), ("torus:6", "random 5"),
    ("mesh:3x2", "random 6"), ("torus:4x2,bandwidth=2:3", "random 7"), ("origin:3", "random 8"),
    ("torus:3*2", "random 5"), ("fattree:2x3/2", "random 6"), ("mesh:3x3,nodes=0-6", "random 6"),
    ("dragonfly:1,2,1", "random 5"), ("mesh:2x4,bandwidth=3:1", "star"), ("torus:2x2", "two ranks"),
    ("mesh:2x2", "nothing"), ("cube:3", "ring 8"), ("torus:7", "star"),
    ("mesh:4x2", "star"), ("mesh:2x2*2", "random 7"),
)  # fmt: skip
LARGER = (
    ("cube:4", "random 16"), ("cube:4", "sparse 13"), ("mesh:4x4", "halo 4x4"),
    ("torus:4x4", "teams 16"), ("torus:5x3", "halo 4x3"), ("mesh:13", "random 11"),
    ("torus:4x2*2,bandwidth=1:3", "halo 2x2x4"), ("torus:3x5*3", "points 40"),
    ("fattree:2x3x3/2x1", "random 16"), ("fattree:4^2", "points 16"), ("origin:4", "halo 4x4"),
    ("mesh:6x7", "points 40"), ("torus:2x2x4", "random 16"), ("dragonfly:2,2,1", "random 11"),
    ("torus:5x5,nodes=0-2:4:7-18", "points 16"), ("fattree:3^3,nodes=0-4:9-16:20-22", "points 16"),
    ("mesh:4x4", "teams 12"), ("torus:4x4x3,bandwidth=1:2:2", "points 40"),
    ("hyperx:3*5", "random 11"), ("hyperx:3x2*3,bandwidth=2:1", "halo 4x4"),
)  # fmt: skip
SEARCHED = (
    ("cube:3", "random 7"), ("torus:6", "random 5"), ("origin:3", "random 8"),
    ("mesh:3x3,nodes=0-6", "random 6"), ("mesh:4x2", "star"),
    ("torus:4x2,bandwidth=2:3", "random 7"),
    ("torus:3x5*3", "points 40"), ("mesh:6x7", "points 40"), ("mesh:4x4", "halo 4x4"),
    ("cube:5", "random 16"), ("fattree:3x3x2/2x1", "random 16"), ("torus:5x4", "teams 16"),
    ("torus:4x4x3,bandwidth=1:2:2", "points 40"), ("torus:5x5,nodes=0-2:4:7-21", "points 16"),
    ("dragonfly:2,4,2", "random 16"), ("cube:5", "sparse 13"), ("origin:5", "halo 4x4"),
    ("torus:2x2", "two ranks"), ("mesh:2x2", "nothing"), ("fattree:2^3", "ring 8"),
    ("origin:1", "two ranks"),
)  # fmt: skip
GRIDS = (
    ("4", "mesh:2x2"), ("8", "torus:4x2"), ("4x4", "mesh:8x2"), ("4x4", "cube:4"),
    ("6x4", "torus:3x2*4"), ("2x3x4", "mesh:4x6"), ("12", "fattree:2x3x2/2x1"),
    ("3x4", "dragonfly:2,3,1"), ("6x6", "torus:6x3x2"), ("2x2x2x2", "torus:4x4"),
    ("5x3", "mesh:4x4"),
    ("8x4", "torus:4x4x2"), ("4x4", "origin:5"), ("7", "mesh:3x3"), ("1x5x1", "torus:5"),
    ("2x2x2x2x2", "cube:5"), ("6x4", "mesh:5x5,nodes=0-23"), ("10", "mesh:4x3"),
    ("4x4", "mesh:4x4,bandwidth=1:2"), ("4x8", "torus:8x4"),
)  # fmt: skip
LARGEST = (*SMALL, *LARGER, ("mesh:16x13", "random 200"))
ASKED = {
    "cuts": LARGEST,
    "exact": SMALL,
    "embedding": SMALL,
    "offers": LARGER,
    "search": SEARCHED,
    "stages": LARGER,
}
OBJECTIVES = ("joint", "max-max", "max-sum", "sum-sum", "distance", "mixture:1/3")


@dataclass(frozen=True)
class Asked:
    """A program on a network, for an objective."""

    word: str
    name: str
    objective: str

    @cached_property
    def program(self) -> Program:
        return PROGRAMS[self.name]()

    @cached_property
    def network(self) -> Network:
        return as_network(self.word)

    @cached_property
    def routes(self) -> Routes:
        return Routes.of(self.network)

    @cached_property
    def demand(self) -> Demand:
        return demand_of(self.program, self.objective, None, self.routes)


# -- pieces ---------------------------------------------------------------------------------------


def _cuts(asked: Asked) -> Answers:
    """Recursive bisection, on the network and on it with its rings cut open."""
    yield "cuts", by_cuts(asked.demand.merged, asked.routes)
    opened = Routes.opened(asked.network)
    if opened is not None:
        yield "opened", by_cuts(asked.demand.merged, opened)
    for passes, steps in ((0, 400), (1, 1), (1, 400), (3, 2)):  # after the first exchanges
        with patch.multiple(bisection, _PASSES=passes, _STEPS=steps):
            yield f"{passes} {steps}", by_cuts(asked.demand.merged, asked.routes)
    for part in _halves(asked.routes):
        yield str(part.tolist()), None


def _descents(asked: Asked) -> Answers:
    """Annealing: short and long, cold and hot, cut short, and until it is good enough."""
    natural = np.arange(asked.demand.ranks)
    bound = lower_bound(asked.demand, asked.routes).value
    for run in (
        Run(natural, 700, 0.3, 4), Run(natural, 90, 0.0, 5), Run(natural[::-1], 300, 2.0, 6, bound),
        Run(natural, 500, 0.1, 7, bound, 250), Run(natural, 1, 0.1, 8), Run(natural, 3, 0.1, 9),
        Run(natural, 2, 0.5, 3),
    ):  # fmt: skip
        descent = Descent(asked.demand, run)
        while not descent.done:
            descent.advance(asked.demand, asked.routes, 37)
        yield f"{run.moves}", descent.best


def _offers(asked: Asked) -> Answers:
    """What a search starts from, in the order in which it does, and what each is taken for."""
    weights = weights_of(asked.program, None)
    where = None
    if asked.name.startswith("points"):
        where = np.random.default_rng(3).random((asked.program.ranks, 2))
    known = initial_placements.Starts(
        asked.program, asked.network, asked.demand, asked.routes, weights, where, 2
    )
    for offer in known.offers():
        yield f"{offer.seconds:.5g} {offer.always}", None
        if offer.seconds < 1:
            yield from offer.make()


def _searches(asked: Asked) -> Answers:
    """The whole search, and what it says of its stages."""
    for seed, moves in ((0, 0), (3, 2500)):
        lines: list[str] = []
        m = place(
            asked.program, asked.network, asked.objective, "placements", seed=seed, moves=moves,
            progress=lines.append,
        )  # fmt: skip
        assert m.lower_bound <= m.after.value <= m.before.value
        yield f"{lines} {m.found} {m.proof} {m.bound} {m.lower_bound} {m.stopped}", m.node_of


def _stages(asked: Asked) -> Answers:
    """Stages of runs without offers, until a value that is stated; fewer moves, then more."""
    natural = judged(asked.demand, asked.routes, np.arange(asked.demand.ranks), "natural")
    for enough, seconds in ((natural.value * 3 // 4, 0.001), (0, 0.00002), (0, 0.0008)):
        lines: list[str] = []
        effort = Effort(seconds, 5, None, lines.append, Clock(inf))
        search = Search(asked.demand, asked.routes, natural, effort)
        search.improve(enough)
        assert search.best.value <= natural.value
        yield f"{lines} {search.best.found} {search.best.distance}", search.best.node_of
        for one in search._pool:
            yield f"{one.value} {one.distance} {one.found}", one.node_of
        yield f"{search._offered:.6g} {search._searched:.6g}", None


def _bounds(asked: Asked) -> Answers:
    """Every bound with its reason, and what the eigenvalues are rounded to."""
    natural = np.arange(asked.demand.ranks)
    value = asked.demand.value(asked.demand.loads(natural, asked.routes), asked.routes)
    for bound in (
        quick_bound(asked.demand, asked.routes),
        lower_bound(asked.demand, asked.routes, arguments="counting"),
        lower_bound(asked.demand, asked.routes),
    ):
        assert bound.value <= value
        yield f"{bound.value} {bound.reason}", None
    least, most = sums_at_least(asked.demand), sums_at_most(asked.demand)
    assert all(float(low) <= high for low, high in zip(least, most, strict=True))
    yield " ".join(f"{float(one):.3f}" for one in [*least, *most]), None
    yield f"{_rounding(asked.demand):.6g}", None
    if not asked.routes.listed and not len(asked.routes.tree):
        sizes = tuple(range(1, 1 + asked.routes.places))
        known = {g: int(least) for g, least in least_sums(asked.routes, sizes).items()}
        yield str(known), None
        lengths = tuple(sorted((int(n), bool(ring)) for _, n, ring in asked.routes.axes.tolist()))
        for work in (0, 30, 100, 300, 1000, 4000):  # given up where it would take too long
            with patch.object(distance_bounds, "_WORK", work):
                ports = asked.routes.ports
                less = [int(_least_sum.__wrapped__(ports, lengths, g)) for g in sizes]
            assert all(low <= known[g] for g, low in zip(sizes, less, strict=True))
            yield str(less), None
    merged = asked.demand.merged
    groups = uniform_cliques(merged.source, merged.destination, merged.volume, merged.ranks)
    assert sum(g * (g - 1) // 2 * each * many for g, each, many in groups) == merged.volume.sum()
    yield str(sorted(groups)), None


def _settled(asked: Asked) -> Answers:
    """Branch and bound: what it visits, complete and cut short."""
    natural = np.arange(asked.demand.ranks)
    for limit, slices in ((150, 17), (7, 2), (60_000, 50_000)):
        stops: list[list[int]] = []
        with patch.object(exact, "_SLICE", slices):
            found = settle(
                asked.demand, asked.routes, natural, 0, limit,
                partial(_noted, stops),
            )  # fmt: skip
        yield f"{found.value} {found.complete} {found.visited} {stops}", found.node_of
    ends = np.unique([asked.demand.source, asked.demand.destination])
    for most in (20_000, 12, 3):
        with patch.object(exact, "_MOST_STEPS", most):
            yield str(not_below(asked.demand, ends).tolist()), None


def _noted(stops: list[list[int]], best: Ints) -> None:
    stops.append(best.tolist())


def _embeddings(asked: Asked) -> Answers:
    """Where every message crosses at most one channel, searched in few steps and in many."""
    for steps in (*range(1, 40), 100_000):
        found = embedding(asked.demand, asked.routes, steps)
        yield str(found.refused), found.node_of
        if found.node_of is not None:
            distance = asked.routes.distance[
                found.node_of[asked.demand.source] // asked.routes.ports,
                found.node_of[asked.demand.destination] // asked.routes.ports,
            ]
            assert distance.max() <= 1


def _parts(asked: Asked) -> Answers:
    """Parts of listed places, the nearest places, all distances."""
    routes = asked.routes
    if routes.listed:
        assert sum(many for many, _, level in clusters(routes) if not level) == routes.places
        yield str(clusters(routes)), None
        order, half = by_two(routes, np.arange(routes.places)[::-1])
        yield f"{order.tolist()} {half}", None
        for most, sweeps in ((64, 8), (2, 8), (64, 1), (64, 0)):
            with patch.multiple(parting, _MOST_PARTS=most, _SWEEPS=sweeps):
                yield str([*parting._halves_of_halves(routes)]), None
    yield str(routes.ways.near.tolist()), None
    yield str([routes.distances_from(k).tolist() for k in range(routes.routers)]), None


def _orders(asked: Asked) -> Answers:
    """Orders of address bits and linear maps: the programme, and descents of so many tries."""
    program, network, demand, routes = asked.program, asked.network, asked.demand, asked.routes
    weights = weights_of(program, None)
    for tries, affords in ((3000, True), (3000, False), (20, False), (7, False), (3, False),
                           (2, False), (1, False), (0, False)):  # fmt: skip
        order = best_order_of_bits(
            program, network, demand, routes, weights, tries, lambda cost, yes=affords: yes
        )
        if order is None:
            yield "no bits", None
            return
        yield f"{order.how} {order.proof} {order.order}", order.node_of
        linear = best_linear_map(program, network, demand, routes, order, 0, tries)
        yield f"{linear.how} {linear.proof} {linear.order}", linear.node_of
    for gray in (False, True):
        yield f"{programme_seconds(len(demand.source), network, routes, gray):.6g}", None


PIECES: dict[str, Callable[[Asked], Answers]] = {
    "cuts": _cuts,
    "descents": _descents,
    "offers": _offers,
    "search": _searches,
    "stages": _stages,
    "bounds": _bounds,
    "exact": _settled,
    "embedding": _embeddings,
    "parts": _parts,
    "orders": _orders,
}


# -- layouts: of a grid on a network ---------------------------------------------------------------


def _layouts(sides: str, word: str) -> Answers:
    """A grid, its ranks scrambled: in folds, along curves, in Gray code; open and closed."""
    lengths = tuple(map(int, sides.split("x")))
    routes, network = Routes.of(as_network(word)), as_network(word)
    cell = np.random.default_rng(2).permutation(prod(lengths))
    for closed in (False, True):
        yield from islice(laid_in_folds(Grid(lengths, cell, closed), routes), 60)
        with patch.object(layouts, "_SPLITS", 5):
            yield from islice(laid_in_folds(Grid(lengths, cell, closed), routes), 20)
    grid = Grid(lengths, cell, closed=True)
    yield from along_curves(grid.coordinates, routes)
    yield from along_curves(grid.coordinates[: len(cell) - 2] / 3 + 0.25, routes)
    stated = grid_of(grid.coordinates)
    assert stated is not None
    assert (stated.sides, stated.cell.tolist()) == (lengths, cell.tolist())
    size = routes.places
    for choice in codes(grid) if size & size - 1 == 0 else ():
        x = np.arange(len(cell))
        demand = demand_of(Program.of(np.stack([x, np.roll(x, 1)], 1)), "max-max", None, routes)
        yield from coded(grid, demand, network, choice)


# -- cases, and what is verified of each -----------------------------------------------------------


def _cases() -> Iterator[str]:
    for piece in PIECES:
        asked = ASKED.get(piece, (*SMALL, *LARGER))
        for k, (word, name) in enumerate(asked):
            for objective in {k % len(OBJECTIVES), (k + 3 * (piece == "bounds")) % len(OBJECTIVES)}:
                yield f"{piece} | {word} | {name} | {OBJECTIVES[objective]}"
    for sides, word in GRIDS:
        yield f"layouts | {word} | {sides}"


def facts(case: str) -> list[str]:
    """Return all answers of a case as texts, once each is verified."""
    piece, word, name, *objective = case.split(" | ")
    with patch.object(initial_placements, "scotch_placements", lambda *_: []):
        if piece == "layouts":
            return _verified(_layouts(name, word), as_network(word), lambda node_of: 0)
        asked = Asked(word, name, *objective)

        def value(node_of: Ints) -> Fraction:
            """Count by the network, and by the kernels the same."""
            priced = asked.demand.value(asked.demand.loads(node_of, asked.routes), asked.routes)
            counted = counted_value(asked.program, word, node_of, asked.objective)
            assert priced * asked.demand.unit == counted
            return counted

        return _verified(PIECES[piece](asked), asked.network, value)


def _verified(
    answers: Answers, network: Network, value: Callable[[Ints], Fraction | int]
) -> list[str]:
    texts = []
    for text, node_of in answers:
        if node_of is None:
            texts.append(text)
            continue
        nodes = np.asarray(node_of).tolist()
        assert len(set(nodes)) == len(nodes)
        assert 0 <= min(nodes) <= max(nodes) < network.size
        texts.append(f"{text} {value(node_of)} {nodes}")
    return texts


CASES: Iterable[str] = tuple(_cases())
