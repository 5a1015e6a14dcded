"""Searches for schedules, degrees and plans, each checked against a rule of [calmant 3.2, 3.3].

A composition is compared with the lower bound [calmant, Theorem 4] and its parts with its length,
annealed words with the two conditions of docs/schedules.md, a degree with all degrees.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import permutations
from typing import Any
from unittest.mock import patch

import numpy as np

from lccmodel.errors import InputError
from lccmodel.ground.arrays import Ints
from lccmodel.network import parse_network
from lccmodel.pipelining import (
    Machine,
    Piecewise,
    Task,
    annealing,
    degree_interval,
    exchange_bounds,
    optimal_degree,
    schedule,
    sensitivity,
    step_table,
    time,
)
from lccmodel.pipelining.annealing import WordModel, annealed
from lccmodel.pipelining.base_schedules import BaseSchedule
from lccmodel.pipelining.compositions import best_parts, composed
from lccmodel.pipelining.execution import PacketPlan
from lccmodel.pipelining.loads import (
    LevelRun,
    LevelRuns,
    equal_runs,
    least_steps,
    levels_in_order,
    n_dimensions,
)
from lccmodel.pipelining.methods import exchange_time, methods_for
from tests.digests import digest
from tests.pipelining.words import check_words

WORDS = (
    (equal_runs(0, 4, 2), (1, 1), (1, 1)), (equal_runs(0, 6, 2), (2, 2), (1, 1)),
    (equal_runs(0, 7, 2), (2, 2), (1, 1)), (equal_runs(1, 7, 2), (2, 2), (1, 1)),
    (equal_runs(0, 6, 3), (2, 2, 2), (1, 1, 1)), (equal_runs(2, 4, 2), (1, 1), (2, 2)),
    (equal_runs(0, 5, 1), (1,), (1,)), (equal_runs(4, 8, 4), (1, 1, 1, 1), (2, 1, 1, 1)),
    (equal_runs(0, 8, 2), (2, 4), (1, 2)), (equal_runs(2, 5, 2), (2, 1), (1, 2)),
    (equal_runs(0, 1, 2), (1, 1), (1, 1)), (equal_runs(2, 3, 2), (2, 2), (4, 1)),
    (equal_runs(2, 5, 2), (1, 1), (4, 4)), (equal_runs(2, 3, 2), (2, 2), (1, 4)),
)  # fmt: skip


def _runs(axes: int, ring: bool, seed: int) -> LevelRuns:
    draw = random.Random(f"{axes} {ring} {seed}")
    pairs = [(draw.randint(0, 4), draw.randint(0, 4)) for _ in range(axes)]
    runs = [LevelRun(first, many, ring and many > 0 and first > 0) for first, many in pairs]
    return tuple(run if run.length else LevelRun(0, 0) for run in runs)


def _compositions(axes: int, ring: bool) -> Iterator[str]:
    for seed in range(12):
        runs = _runs(axes, ring, seed)
        found = composed(runs)
        assert found.runs == runs
        assert found.length >= least_steps(runs)
        if found.rule == "concatenated":
            assert found.length == sum(part.length for part in found.parts)
        parts = best_parts(runs)
        assert sum(parts) == n_dimensions(runs)
        yield f"{found} {parts}"


CUTS = (
    ((0, 5, False), (1, 5, True)), ((1, 5, True), (4, 1, True), (4, 3, True)),
    ((0, 3, True), (0, 4, False), (1, 2, True), (3, 2, True)), ((2, 5, True), (3, 5, True)),
    ((1, 5, False), (2, 4, False), (3, 5, False)), ((1, 2, False), (2, 5, False), (4, 5, False)),
)  # fmt: skip
"""Runs that need a cut which takes dimensions of one level apart."""


def _cuts(number: int) -> Iterator[str]:
    """The length does not depend on the order of the axes."""
    runs = [LevelRun(*run) for run in CUTS[number]]
    orders = [composed(order) for order in permutations(runs)]
    assert {found.length for found in orders} == {orders[0].length}
    assert all(found.runs == order for found, order in zip(orders, permutations(runs), strict=True))
    yield from (str((found, found.words(), found.ties())) for found in orders)


def _walks(number: int) -> Iterator[str]:
    """Where short rounds end: letters only change places, and True is said of no conflict alone."""
    runs, moduli, weights = WORDS[number]
    model = WordModel(runs, moduli, weights)
    step = annealing._round

    def counted(words: Ints, *rest: Any) -> bool:
        before, free = np.sort(words, axis=1), step(words, *rest)
        assert np.array_equal(np.sort(words, axis=1), before)
        works = [[(words[line] == item) for line, item in own] for own in model.nodes]
        assert free == all((np.sum(own, axis=0) < 2).all() for own in works if own)
        walked.append(f"{free} {words.tolist()} {rest[-2:]}")
        return free

    for letters, seed in ((n_dimensions(runs), 1), (least_steps(runs), 2), (least_steps(runs), 7)):
        walked: list[str] = []
        with (
            patch.object(annealing, "_round", counted),
            patch.object(annealing, "_FIRST_ROUND", 90),
        ):
            found = annealed(model, letters, 1, 4, math.inf, seed)
        assert (found is not None) == any(line.startswith("True") for line in walked)
        yield from walked


def _checked_steps(base: BaseSchedule) -> Ints:
    """In a step every node sends one message at most, and receives one at most."""
    sides = [2 << run.end for run in base.runs]
    coordinates = np.indices(sides).reshape(len(sides), -1)
    steps = base.steps(base.runs, coordinates)
    received = np.empty_like(steps)
    for row, (level, axis) in enumerate(levels_in_order(base.runs)):
        there = coordinates.copy()
        there[axis] ^= 1 << level
        received[row, np.ravel_multi_index(tuple(there), sides)] = steps[row]
    for own in (steps, received):
        assert (np.diff(np.sort(own, axis=0), axis=0) > 0).all()
        assert own.min() >= 0
        assert own.max() < base.length
    return steps


def _words(number: int) -> Iterator[str]:
    runs, moduli, weights = WORDS[number]
    model = WordModel(runs, moduli, weights)
    unit = 2 if all(item.width == 2 for own in model.items for item in own) else 1
    yield f"{model.lines} {model.nodes}"
    for more in (0, 2):
        letters = -(-least_steps(runs) // unit) + more
        found = annealed(model, letters, unit, 2, math.inf, seed=3)
        if found is not None:
            made = BaseSchedule(runs, moduli, weights, unit, found)
            check_words(made)
            yield str(_checked_steps(made).tolist())
        yield str(found)


# -- degrees and what is said of them ----------------------------------------------------------


def _costs() -> Iterator[dict[str, Any]]:
    yield {"alpha": 7, "tau": "1/3"}
    yield {"alpha": 500, "tau": 1, "barrier": 3}
    yield {"alpha": 0, "tau": 2}
    yield {"alpha": "5/2", "tau": 0, "barrier": "1/7"}
    yield {"cost": Piecewise([(16, 3, 1), (None, 40, "1/2")]), "barrier": 1}
    yield {"cost": Piecewise.loggp(5, 2, 3, "1/4")}
    yield {"cost": Piecewise.table([1, 10, 100], [4, 9, 30])}


def _degrees(mesh: str) -> Iterator[Any]:
    """The best degree is the best of all [calmant 3.3]; with its evidence and ranges."""
    for costs in _costs():
        machine = Machine(mesh, **costs)
        for N, packets in ((1, "even"), (6, "ceil"), (37, "even"), (37, "ceil"), (200, "even")):
            best = optimal_degree(machine, N, packets=packets)
            every = [time(machine, N, Q, packets=packets) for Q in range(1, N + 1)]
            assert (best.time, best.Q) == (min(every), 1 + every.index(min(every)))
            assert best.evidence.holds()
            yield best.Q, best.time, best.gain, best.regime, best.packet, best.iterations
            yield best.steps, str(best), str(best.evidence), best.evidence.times
            if "cost" not in costs and packets == "even":
                found = sensitivity(machine, N)
                low, high = found.alpha
                for alpha in (low, high):
                    if alpha != math.inf and (alpha or machine.tau):
                        there = Machine(mesh, alpha, machine.tau, machine.barrier)
                        at = [time(there, N, Q) for Q in range(1, N + 1)]
                        assert at[best.Q - 1] == min(at)
                yield str(found), found.ratio, found.alpha, found.tau, found.barrier, found.N
        yield [str(one) for one in machine.cost.pieces], machine.cost.supports
        for B in (1, 5):
            bounds = exchange_bounds(machine, B)
            assert bounds.lockstep >= max(bounds.startups, bounds.bisection)
            yield bounds, bounds.universal
            if not machine.barrier and not machine.on_torus:
                yield {name: exchange_time(name, machine, B) for name in methods_for(machine)}
    others = [one["cost"] for one in _costs() if "cost" in one]
    for share in (1.0, 0.5):
        interval = degree_interval(Machine(mesh, 7, "1/3"), 60, others, share=share)
        yield str(interval), interval.gain, interval.share, interval.costs
    for model in ("load", "lower-bound", "schedule"):
        table = step_table(mesh, model)
        yield table, table.undominated, table.increasing


def _planned(mesh: str) -> Iterator[Any]:
    """Every task: replayed without a conflict where it is held to have none [calmant, Thm 4]."""
    d = parse_network(f"mesh:{mesh}" if ":" not in mesh else mesh).n
    word = mesh if ":" in mesh else f"mesh:{mesh}"
    for i in range(d):
        for M in range(1, d - i + 1):
            for ports in ("one", "all"):
                task = Task(i, M, word, ports)
                for rule in ("optimal", "subtasks", "paper", "paper-figure"):
                    try:
                        made = schedule(task, rule)
                    except InputError as error:
                        yield str(error)
                        continue
                    found = made.replay()
                    assert made.length >= task.lower_bound
                    assert found.ok or rule.startswith("paper")
                    yield made.steps.tolist(), made.ties, made.length, str(made), str(found)
                    if found.ok:
                        yield found.max_load, found.hops_per_step.tolist(), found.utilisation
    for Q in range(1, 2 * d + 2):
        plan = PacketPlan(d, Q, 2 * Q + 1)
        assert sum(plan.sizes) == plan.N
        yield plan.iterations, plan.regime, plan.tasks, plan.sizes, plan.packets


MESHES = (
    "2",
    "4",
    "2x2",
    "4x2",
    "4x4",
    "8",
    "2x2x2",
    "torus:4",
    "torus:4x4",
    "torus:8",
    "16",
    "8x4",
)

CASES = (
    *(f"degrees | {mesh} | " for mesh in MESHES),
    *(f"planned | {mesh} | " for mesh in MESHES),
    *(f"composed | {c} | {ring}" for c in (1, 2, 3, 4) for ring in ("lines", "rings")),
    *(f"cuts | {k} | " for k in range(len(CUTS))),
    *(f"words | {k} | " for k in range(len(WORDS))),
    *(f"walks | {k} | " for k in range(len(WORDS))),
)


def facts(case: str) -> str:
    """A digest of all that is found."""
    piece, what, kind = case.split(" | ")
    if piece in ("cuts", "words", "walks"):
        return digest({"cuts": _cuts, "words": _words, "walks": _walks}[piece](int(what)))
    if piece == "composed":
        return digest(_compositions(int(what), kind == "rings"))
    return digest({"degrees": _degrees, "planned": _planned}[piece](what))
