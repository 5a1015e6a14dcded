"""Search for a schedule of a task: by annealing, then with a constraint solver (OR-tools CP-SAT).

    python -m lccmodel.pipelining.search 0 7 2               # ⟨0,7⟩_2 in as many steps as LB
    python -m lccmodel.pipelining.search 0 8 torus:16x16     # on rings
    python -m lccmodel.pipelining.search 5 20 5 --modulus 1  # five axes, h alone tells nodes apart
    python -m lccmodel.pipelining.search 3 9 torus:16x16x16 --modulus 4 --turn 1,2,0 --by 3

The unknowns are the words of `base_schedules`. `annealing` swaps letters until no node is in
conflict, which takes seconds where there are words at all. Only a solver can prove that there are
none of a kind: is letter t of the word of a line the item e? Every item occurs `width` times in a
word, a letter is one item at most, and in every step a node takes part in one item at most. Words
of given moduli and weights are a restriction: that there are none does not mean that the task has
no schedule. The solver needs the extra `search` (ortools).

**Turns.** A schedule may be asked to stay the same when its axes change places and its steps move
on: axis a becomes axes[a] and step t step t + by (and, mirrored, coordinate m becomes -1 - m).
Everything that lies on one orbit is one unknown. With three axes that follow each other a third of
the time apart ⟨3,9⟩ on a 16 x 16 x 16 torus is found in seconds, without in no time that was tried;
the replay does not care how a schedule was found.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Sequence
from time import perf_counter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from lccmodel.errors import InputError, checked_integer
from lccmodel.pipelining.annealing import WordModel, annealed
from lccmodel.pipelining.base_schedules import LETTERS, BaseSchedule, Item, moduli_of
from lccmodel.pipelining.loads import LevelRuns, equal_runs, least_steps, n_dimensions
from lccmodel.pipelining.task import Task

ScheduledMessage: TypeAlias = tuple[int, tuple[int, ...], int, int]
"""An axis, the remainders of the others and h mod w = 0, an item, a letter of the word."""

_ROUNDS, _FEW = 12, 3
"""Rounds of annealing before the solver is asked; few if it will soon see that there is nothing."""

_SMALL = 128
"""Letters of all words together up to which it does."""


class Turn(NamedTuple):
    """What a schedule shall be the same under: axis a becomes axes[a], letter t becomes t + by."""

    axes: tuple[int, ...]
    by: int
    mirror: bool = False
    """Whether coordinate m becomes -1 - m, too."""

    def image(
        self, place: ScheduledMessage, items: list[tuple[Item, ...]], modulus: int, letters: int
    ) -> ScheduledMessage:
        """Where a place comes to lie."""
        axis, line, item, letter = place
        low = dict(zip((b for b in range(len(items)) if b != axis), line[:-1], strict=True))
        moved = {self.axes[b]: modulus - 1 - r if self.mirror else r for b, r in low.items()}
        to, residues = self.axes[axis], items[axis][item]
        residue = residues.residue
        if self.mirror:  # the residue of (m mod q) + H becomes that of q - 1 - cq - ((m mod q) + H)
            total = modulus - 1 - len(items) * modulus
            residue = (total - 2 * residue) // 2 if residues.halves else total - residue
        residue %= residues.groups.n_groups
        alike = items[to].index(residues._replace(residue=residue))
        return to, (*(moved[b] for b in sorted(moved)), 0), alike, (letter + self.by) % letters


def find(
    runs: LevelRuns,
    steps: int | None = None,
    modulus: int = 2,
    seconds: float = 60.0,
    workers: int = 1,
    turn: Turn | None = None,
    weights: Sequence[int] | None = None,
) -> BaseSchedule | None:
    """A schedule of some runs of the kind of `base_schedules`, or None if there is none.

    Args:
        runs: what each axis carries, such as `Task(...).runs`; at least one dimension.
        steps: how many steps it may take; the lower bound if left out.
        modulus: q, a power of two; on an axis of fewer coordinates than that, all of them.
        seconds: time limit. One worker and no time-out give the same answer in every run.
        workers: threads of the solver.
        turn: what the schedule shall be the same under; axes that change places must be alike.
            Then nothing is annealed.
        weights: w of every axis, powers of two; 1 if left out.

    Raises:
        InputError: a value out of range, axes that are not alike, a turn of axes with weights or
            other moduli, or more items on a line than there are letters.
        TimeoutError: the time is up and neither is known.
        ImportError: no words were annealed, and ortools is not installed.
    """
    if not n_dimensions(runs):
        raise InputError("runs", "must have at least one dimension", runs)
    until = perf_counter() + seconds
    model = WordModel(runs, moduli_of(runs, _power("modulus", modulus)), _weights(runs, weights))
    steps = least_steps(runs) if steps is None else checked_integer("steps", steps)
    if max(map(len, model.items)) > len(LETTERS):
        rule = f"must set at most {len(LETTERS)} items on an axis, one for each letter"
        raise InputError("runs", rule, runs)
    pairs = all(item.width == 2 for own in model.items for item in own)
    unit = 2 if steps % 2 == 0 and pairs else 1
    words = None
    if turn is None:
        rounds = _FEW if len(model.lines) * steps // unit <= _SMALL else _ROUNDS
        words = annealed(model, steps // unit, unit, rounds, perf_counter() + seconds / 2)
    elif not _fits(turn, model):
        rule = "must permute axes that carry the same levels, all with one modulus and no weights"
        raise InputError("turn", rule, turn)
    if words is None:
        left = max(until - perf_counter(), 0.0)
        try:
            words = _solve(model, steps // unit, unit, left, workers, turn)
        except TimeoutError:
            raise TimeoutError(f"q = {modulus}: undecided after {seconds} seconds") from None
    if words is None:
        return None
    return BaseSchedule(runs, model.moduli, model.weights, unit, words)


def _power(name: str, value: int) -> int:
    number = checked_integer(name, value)
    if number < 1 or number & number - 1:
        raise InputError(name, "must be a power of two", value)
    return number


def _weights(runs: LevelRuns, weights: Sequence[int] | None) -> tuple[int, ...]:
    powers = (1,) * len(runs) if weights is None else tuple(_power("weights", w) for w in weights)
    if len(powers) != len(runs):
        raise InputError("weights", f"must be {len(runs)}, one for each axis", weights)
    return powers


def _fits(turn: Turn, model: WordModel) -> bool:
    items, alike = model.items, len(set(model.moduli)) == len(set(model.weights)) == 1
    whole = sorted(turn.axes) == list(range(len(items)))
    return whole and alike and all(items[turn.axes[a]] == own for a, own in enumerate(items))


def _solve(
    model: WordModel, letters: int, unit: int, seconds: float, workers: int, turn: Turn | None
) -> tuple[tuple[str, ...], ...] | None:
    """Words that keep every rule, by CP-SAT; None if there are none.

    Raises:
        TimeoutError: the time is over, and nothing is known.
    """
    from ortools.sat.python import cp_model

    asked, solver = cp_model.CpModel(), cp_model.CpSolver()
    takes = _variables(asked, model, letters, turn)
    _state_rules(asked, model, takes, letters, unit)
    solver.parameters.num_workers = workers
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(asked)
    if status == cp_model.UNKNOWN:
        raise TimeoutError
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    rows = np.full((len(model.lines), letters), -1, dtype=np.int64)
    number = {line: k for k, line in enumerate(model.lines)}
    for (axis, line, item, letter), taken in takes.items():
        if solver.boolean_value(taken):
            rows[number[axis, line], letter] = item
    return model.spelt(rows)


def _variables(
    asked: Any, model: WordModel, letters: int, turn: Turn | None
) -> dict[ScheduledMessage, Any]:
    """Whether a line takes an item at a letter; a place and its images under a turn are one."""
    takes: dict[ScheduledMessage, Any] = {}
    for axis, line in model.lines:
        for item, letter in itertools.product(range(len(model.items[axis])), range(letters)):
            place = (axis, line, item, letter)
            if place in takes:
                continue
            takes[place] = variable = asked.new_bool_var("{} {} {} {}".format(*place))
            other = turn.image(place, model.items, model.moduli[0], letters) if turn else place
            while turn and other != place:
                takes[other] = variable
                other = turn.image(other, model.items, model.moduli[0], letters)
    return takes


def _state_rules(
    asked: Any, model: WordModel, takes: dict[ScheduledMessage, Any], letters: int, unit: int
) -> None:
    """A line spells every item in full, one a letter; a node sends and receives one at a time."""
    items = model.items
    for axis, line in model.lines:
        for item, residues in enumerate(items[axis]):
            uses = [takes[axis, line, item, letter] for letter in range(letters)]
            asked.add(sum(uses) == residues.width // unit)
        for letter in range(letters):
            own = range(len(items[axis]))
            asked.add_at_most_one(takes[axis, line, e, letter] for e in own)
    for node in model.nodes:
        through = [(*model.lines[line], item) for line, item in node]
        full = sum(items[axis][item].width for axis, _, item in through) == letters * unit
        for letter in range(letters):
            once = [takes[(*which, letter)] for which in through]
            (asked.add_exactly_one if full else asked.add_at_most_one)(once)


def _runs(i: int, M: int, network: str) -> LevelRuns:
    return equal_runs(i, M, int(network)) if network.isdecimal() else Task(i, M, network).runs


def stored_entry(schedule: BaseSchedule) -> str:
    """The schedule as an entry of `data/base_schedules.json`."""
    return json.dumps(
        {
            "runs": schedule.runs,
            "modulus": max(schedule.moduli),
            "weights": schedule.weights,
            "unit": schedule.unit,
            "words": schedule.words,
        }
    )


def main(arguments: list[str] | None = None) -> int:
    """Search with growing q and print the first schedule; exit code 1 if there is none."""
    parser = argparse.ArgumentParser(
        prog="python -m lccmodel.pipelining.search", description="Find a schedule of ⟨i,M⟩."
    )
    for name, meaning in (("i", "first dimension"), ("M", "messages")):
        parser.add_argument(name, type=int, help=meaning)
    parser.add_argument("network", help="axes of a mesh, such as 2, or mesh:8x16, torus:16x16")
    parser.add_argument("--steps", type=int, help="as many as the lower bound if left out")
    parser.add_argument("--modulus", type=int, help="q; 2, then 4 if left out")
    parser.add_argument("--weights", help="w of every axis, such as 2,1,1; 1 if left out")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit for each q")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--turn", help="axes that take the places of 0,1,...: such as 1,2,0")
    parser.add_argument("--by", type=int, default=0, help="with --turn, letters to move on")
    typed = parser.parse_args(arguments)
    for modulus in (2, 4) if typed.modulus is None else (typed.modulus,):
        try:
            runs = _runs(typed.i, typed.M, typed.network)
            turn = None
            if typed.turn:
                turn = Turn(tuple(map(int, typed.turn.split(","))), typed.by)
            weights = [int(w) for w in typed.weights.split(",")] if typed.weights else None
            entry = find(runs, typed.steps, modulus, typed.seconds, typed.workers, turn, weights)
        except InputError as error:
            parser.error(str(error))
        except TimeoutError as error:
            print(error, file=sys.stderr)
            continue
        if entry is not None:
            print(stored_entry(entry))
            return 0
        print(f"q = {modulus}: there is no schedule of this kind", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
