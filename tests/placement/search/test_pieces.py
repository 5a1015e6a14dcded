"""Every piece of the search on small problems, with what is true of each of its answers.

Each piece yields what it says, and placements. `facts` counts the value of every placement by the
network itself, message by message, and compares it with the kernels' and with the bounds. Without
Scotch, whose versions differ. Compiled code reads and writes beyond the end of an array without a
word, so that the kernels also run as plain Python.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from unittest.mock import patch

import numpy as np
import pytest

from lccmodel.communication.grids import ProcessGrid
from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.ground.arrays import Ints
from lccmodel.kernels import jit
from lccmodel.network import Network, as_network
from lccmodel.placement.search import (
    annealing,
    assignment,
    assignment_bounds,
    bisection,
    distance_bounds,
    exact,
    initial_placements,
    place,
    problem,
    routes,
)
from lccmodel.placement.search import embedding as neighbours
from lccmodel.placement.search.annealing import Descent, Run
from lccmodel.placement.search.bisection import _halves, by_cuts
from lccmodel.placement.search.bounds import lower_bound, quick_bound
from lccmodel.placement.search.clusters import clusters
from lccmodel.placement.search.distance_bounds import _least_sum, least_sums, uniform_cliques
from lccmodel.placement.search.embedding import embedding
from lccmodel.placement.search.exact import not_below, settle
from lccmodel.placement.search.orders import best_linear_map, best_order_of_bits
from lccmodel.placement.search.problem import Demand, weights_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.spectrum import _rounding, sums_at_least, sums_at_most
from tests.choosing import sampled
from tests.placement.search.brute_force import counted_value, demand_on, random_program

Answers = Iterator[tuple[str, Ints | None]]
"""What a piece says, and a placement if it gives one."""


# -- what is asked ------------------------------------------------------------------------------


def _scrambled(program: Program) -> Program:
    name = np.random.default_rng(3).permutation(program.ranks)
    return Program([phase.traffic.placed(name, program.ranks) for phase in program])


def _halo(*sides: int, pattern: str = "stencil") -> Program:
    return _scrambled(ProcessGrid(sides).program(pattern, [5, 2, 3, 1][: len(sides)]))


def _teams(ranks: int) -> Program:
    """All-to-all in teams of every fourth rank, and a ring of everyone."""
    teams = [(x, y, 6) for x in range(ranks) for y in range(x % 4, ranks, 4) if x != y]
    return Program([Traffic.of([*teams, *((x, (x + 1) % ranks, 1) for x in range(ranks))])])


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
    "random 5": lambda: random_program(1, 5, 2, 12),
    "random 6": lambda: random_program(5, 6, 1, 14),
    "random 7": lambda: random_program(2, 7, 3, 20),
    "random 8": lambda: random_program(4, 8, 2, 25),
    "random 11": lambda: random_program(3, 11, 2, 40),
    "random 16": lambda: random_program(6, 16, 2, 60),
    "sparse 13": lambda: random_program(7, 13),
    "star": lambda: Program([Traffic([(0, k) for k in range(1, 6)], [4, 1, 1, 2, 4], 7)]),
    "ring 8": lambda: _scrambled(Program.of([(x, (x + 1) % 8) for x in range(8)])),
    "teams 12": lambda: _teams(12),
    "teams 16": lambda: _scrambled(_teams(16)),
    "halo 4x3": lambda: _halo(4, 3),
    "halo 4x4": lambda: _halo(4, 4, pattern="rings"),
    "halo 2x2x4": lambda: _halo(2, 2, 4),
    "points 16": lambda: _points(16),
    "points 40": lambda: _points(40),
    "random 200": lambda: random_program(1, 200, 1, 800),
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
    def known(self) -> tuple[Demand, Routes]:
        return demand_on(self.network, self.program, self.objective)

    @property
    def demand(self) -> Demand:
        return self.known[0]

    @property
    def routes(self) -> Routes:
        return self.known[1]


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
    if asked.routes.listed:
        parts = clusters(asked.routes)
        assert sum(many for many, _, level in parts if not level) == asked.routes.places
        yield str(parts), None


def _descents(asked: Asked) -> Answers:
    """Annealing: short and long, cold and hot, cut short, and until it is good enough."""
    natural = np.arange(asked.demand.ranks)
    bound = lower_bound(asked.demand, asked.routes).value
    for run in (
        Run(natural, 700, 0.3, 4), Run(natural, 90, 0.0, 5), Run(natural[::-1], 300, 2.0, 6, bound),
        Run(natural, 500, 0.1, 7, bound, 250), Run(natural, 1, 0.1, 8), Run(natural, 3, 0.1, 9),
    ):  # fmt: skip
        descent = Descent(asked.demand, run)
        while not descent.done:
            descent.advance(asked.demand, asked.routes, 37)
        yield f"{run.moves}", descent.best


def _offers(asked: Asked) -> Answers:
    """What a search starts from, in the order in which it does, and what each is taken for."""
    where = None
    if asked.name.startswith("points"):
        where = np.random.default_rng(3).random((asked.program.ranks, 2))
    weights = weights_of(asked.program, None)
    starts = initial_placements.Starts(
        asked.program, asked.network, *asked.known, weights, where, 2
    )
    for offer in starts.offers():
        if offer.seconds < 1:
            yield from offer.make()
    order = best_order_of_bits(
        asked.program, asked.network, *asked.known, weights, 20, lambda seconds: False
    )
    if order is not None:
        yield order.how, order.node_of
        linear = best_linear_map(asked.program, asked.network, *asked.known, order, 0, 20)
        yield linear.how, linear.node_of


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


def _bounds(asked: Asked) -> Answers:
    """Every bound with its reason, and what the eigenvalues are rounded to."""
    demand, routes = asked.known
    value = demand.value(demand.loads(np.arange(demand.ranks), routes), routes)
    counting = lower_bound(demand, routes, arguments="counting")
    for bound in (quick_bound(demand, routes), counting, lower_bound(demand, routes)):
        assert bound.value <= value
        yield f"{bound.value} {bound.reason}", None
    least, most = sums_at_least(demand), sums_at_most(demand)
    assert all(float(low) <= high for low, high in zip(least, most, strict=True))
    yield " ".join(f"{float(total):.3f}" for total in [*least, *most]), None
    yield f"{_rounding(demand):.6g}", None
    if not routes.listed and not len(routes.tree):
        sizes = tuple(range(1, 1 + routes.places))
        sums = {g: int(total) for g, total in least_sums(routes, sizes).items()}
        yield str(sums), None
        lengths = tuple(sorted((int(n), bool(ring)) for _, n, ring in routes.axes.tolist()))
        for work in (0, 30, 100, 300, 1000, 4000):  # given up where it would take too long
            with patch.object(distance_bounds, "_WORK", work):
                less = [int(_least_sum.__wrapped__(routes.ports, lengths, g)) for g in sizes]
            assert all(low <= sums[g] for g, low in zip(sizes, less, strict=True))
            yield str(less), None
    merged = demand.merged
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
                *asked.known, natural, 0, limit, lambda best, seen=stops: seen.append(best.tolist())
            )
        yield f"{found.value} {found.complete} {found.visited} {stops}", found.node_of
    ends = np.unique([asked.demand.source, asked.demand.destination])
    for most in (20_000, 12, 3):
        with patch.object(exact, "_MOST_STEPS", most):
            yield str(not_below(asked.demand, ends).tolist()), None


def _embeddings(asked: Asked) -> Answers:
    """Where every message crosses at most one channel, searched in few steps and in many."""
    demand, routes = asked.known
    for steps in (*range(1, 40), 100_000):
        found = embedding(demand, routes, steps)
        yield str(found.refused), found.node_of
        if found.node_of is not None:
            at = found.node_of // routes.ports
            assert routes.distance[at[demand.source], at[demand.destination]].max() <= 1


PIECES: dict[str, tuple[Callable[[Asked], Answers], tuple[tuple[str, str], ...]]] = {
    "cuts": (_cuts, (*SMALL, *LARGER, ("mesh:16x13", "random 200"))),
    "descents": (_descents, (*SMALL, *LARGER)),
    "offers": (_offers, LARGER),
    "search": (_searches, (*SMALL, *LARGER, ("origin:1", "two ranks"))),
    "bounds": (_bounds, (*SMALL, *LARGER)),
    "exact": (_settled, SMALL),
    "embedding": (_embeddings, SMALL),
}
CASES = tuple(
    f"{piece} | {word} | {name} | {OBJECTIVES[k % len(OBJECTIVES)]}"
    for piece, (_, problems) in PIECES.items()
    for k, (word, name) in enumerate(problems)
)


def facts(case: str) -> list[str]:
    """Return all answers of a case as texts, once each is verified."""
    piece, *names = case.split(" | ")
    asked, texts = Asked(*names), []
    with patch.object(initial_placements, "scotch_placements", lambda *_: []):
        for text, node_of in PIECES[piece][0](asked):
            if node_of is None:
                texts.append(text)
                continue
            nodes = np.asarray(node_of).tolist()
            assert len(set(nodes)) == len(nodes)
            assert 0 <= min(nodes) <= max(nodes) < asked.network.size
            counted = counted_value(asked.program, asked.network, node_of, asked.objective)
            priced = asked.demand.value(asked.demand.loads(node_of, asked.routes), asked.routes)
            assert priced * asked.demand.unit == counted
            texts.append(f"{text} {counted} {nodes}")
    return texts


KERNELS = (
    annealing, assignment, assignment_bounds, bisection, distance_bounds, exact, neighbours,
    problem, routes,
)  # fmt: skip
IN_PYTHON = [
    case for case in CASES
    if case.split(" | ")[0] in ("cuts", "descents", "bounds", "exact", "embedding")
    and case.split(" | ")[1] in (
        "torus:6", "mesh:3x2", "torus:3*2", "fattree:2x3/2", "mesh:3x3,nodes=0-6", "mesh:2x2"
    )
]  # fmt: skip


@pytest.mark.parametrize("case", sampled([case for case in CASES if case not in IN_PYTHON], 6))
def test_each_answer_is_verified(case):
    """Ranks are on different nodes, values are those of a count by the network, bounds hold."""
    assert facts(case)


@pytest.mark.parametrize("case", sampled(IN_PYTHON, 3))
def test_as_python_it_answers_the_same(case, monkeypatch):
    """Machine code and Python give the same, on small networks of every kind."""
    compiled = facts(case)
    for module in KERNELS:
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)
    with np.errstate(over="ignore"), jit.in_python():
        distance_bounds._least_sum.cache_clear()
        assert facts(case) == compiled
        distance_bounds._least_sum.cache_clear()


@pytest.mark.slow
def test_a_seed_gives_the_same_answers_in_another_process():
    """Hashes of texts differ between processes; no answer depends on them."""
    repeated = [case for case in CASES if case.split(" | ")[1] in ("mesh:6x7", "fattree:4^2")][:12]
    code = (
        "import json; from tests.placement.search.test_pieces import facts\n"
        f"print(json.dumps([facts(case) for case in {repeated!r}]))"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(elsewhere.stdout) == [facts(case) for case in repeated]
