"""What the searches for schedules find, held: the same runs and seed give the same answer.

    python -m tests.pipelining.held      write `held.json` anew, which a test compares

A composition is first checked against the lower bound [calmant, Theorem 4] and its parts against
its length, annealed words against the two conditions of docs/schedules.md; then it is compared.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path

from lccmodel.pipelining.annealing import WordModel, annealed
from lccmodel.pipelining.base_schedules import BaseSchedule
from lccmodel.pipelining.compositions import best_parts, composed
from lccmodel.pipelining.loads import (
    LevelRun,
    LevelRuns,
    equal_runs,
    least_steps,
    n_dimensions,
)
from tests.holding import digest, write
from tests.pipelining.words import check_words

HELD = Path(__file__).with_name("held.json")
WORDS = (
    (equal_runs(0, 4, 2), (1, 1), (1, 1)), (equal_runs(0, 6, 2), (2, 2), (1, 1)),
    (equal_runs(0, 7, 2), (2, 2), (1, 1)), (equal_runs(1, 7, 2), (2, 2), (1, 1)),
    (equal_runs(0, 6, 3), (2, 2, 2), (1, 1, 1)), (equal_runs(2, 4, 2), (1, 1), (2, 2)),
    (equal_runs(0, 5, 1), (1,), (1,)), (equal_runs(4, 8, 4), (1, 1, 1, 1), (2, 1, 1, 1)),
    (equal_runs(0, 8, 2), (2, 4), (1, 2)), (equal_runs(2, 5, 2), (2, 1), (1, 2)),
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


def _words(number: int) -> Iterator[str]:
    runs, moduli, weights = WORDS[number]
    model = WordModel(runs, moduli, weights)
    unit = 2 if all(item.width == 2 for own in model.items for item in own) else 1
    yield f"{model.lines} {model.nodes}"
    for more in (0, 2):
        letters = -(-least_steps(runs) // unit) + more
        found = annealed(model, letters, unit, 2, math.inf, seed=3)
        if found is not None:
            check_words(BaseSchedule(runs, moduli, weights, unit, found))
        yield str(found)


CASES = (
    *(f"composed | {c} | {ring}" for c in (1, 2, 3, 4) for ring in ("lines", "rings")),
    *(f"words | {k} | " for k in range(len(WORDS))),
)


def facts(case: str) -> str:
    """A digest of all that is found."""
    piece, number, kind = case.split(" | ")
    found = _words(int(number)) if piece == "words" else _compositions(int(number), kind == "rings")
    return digest(found)


if __name__ == "__main__":
    write(HELD, CASES, facts)
