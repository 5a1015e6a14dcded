"""Search for a schedule of a task with a constraint solver (OR-tools CP-SAT).

    python -m lccmodel.pipelining.search 0 7 2               # ⟨0,7⟩_2 in as many steps as LB
    python -m lccmodel.pipelining.search 0 8 torus:16x16     # on rings
    python -m lccmodel.pipelining.search 3 9 torus:16x16x16 --modulus 4 --turn 1,2,0 --by 3

The unknowns are the words of `base_schedules`: is letter t of the word of line (axis a, remainders
r) the item e? Every item occurs `width` times in a word, a letter is one item at most, and in
every step a node takes part in one item at most. Nodes with the same remainders modulo q and the
same H are alike, so q^c 2^l_max / q of them stand for all nodes of every mesh. This model is a
restriction: that it has no solution does not mean that the task has no schedule. Needs the extra
`search` (ortools).

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
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from lccmodel.errors import InputError, checked_integer
from lccmodel.pipelining.base_schedules import LETTERS, BaseSchedule, Item, axis_items
from lccmodel.pipelining.loads import LevelRuns, equal_runs, least_steps, n_dimensions
from lccmodel.pipelining.task import Task

__all__ = ["Turn", "find", "stored_entry"]

Node = tuple[tuple[int, ...], int]
"""The remainders of the coordinates modulo q, and H."""

ScheduledMessage: TypeAlias = tuple[int, tuple[int, ...], int, int]
"""An axis, the remainders of the others, an item, a letter of the word."""


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
        low = dict(zip((b for b in range(len(items)) if b != axis), line, strict=True))
        moved = {self.axes[b]: modulus - 1 - r if self.mirror else r for b, r in low.items()}
        to, each = self.axes[axis], items[axis][item]
        residue = each.residue
        if self.mirror:  # the residue of (m mod q) + H becomes that of q - 1 - cq - ((m mod q) + H)
            total = modulus - 1 - len(items) * modulus
            residue = (total - 2 * residue) // 2 if each.halves else total - residue
        residue %= each.groups.n_groups
        alike = items[to].index(each._replace(residue=residue))
        return to, tuple(moved[b] for b in sorted(moved)), alike, (letter + self.by) % letters


def find(
    runs: LevelRuns,
    steps: int | None = None,
    modulus: int = 2,
    seconds: float = 60.0,
    workers: int = 1,
    turn: Turn | None = None,
) -> BaseSchedule | None:
    """A schedule of some runs of the kind of `base_schedules`, or None if there is none.

    Args:
        runs: what each axis carries, such as `Task(...).runs`; at least one dimension.
        steps: how many steps it may take; the lower bound if left out.
        modulus: q, a power of two.
        seconds: time limit. One worker and no time-out give the same answer in every run.
        workers: threads.
        turn: what the schedule shall be the same under; axes that change places must be alike.

    Raises:
        InputError: a value out of range, axes that are not alike, or more items on a line than
            there are letters.
        TimeoutError: the time is up and neither is known.
        ImportError: ortools is not installed.
    """
    if not n_dimensions(runs):
        raise InputError("runs", "must have at least one dimension", runs)
    modulus = checked_integer("modulus", modulus)
    if modulus < 1 or modulus & modulus - 1:
        raise InputError("modulus", "must be a power of two", modulus)
    if modulus == 1 and any(run.wraps for run in runs):
        raise InputError("modulus", "must be at least 2 on a ring: parity tells directions", 1)
    steps = least_steps(runs) if steps is None else checked_integer("steps", steps)
    items = [axis_items(run) for run in runs]
    if max(map(len, items)) > len(LETTERS):
        rule = f"must set at most {len(LETTERS)} items on an axis, one for each letter"
        raise InputError("runs", rule, runs)
    pairs = all(item.width == 2 for own in items for item in own)
    unit = 2 if steps % 2 == 0 and pairs else 1
    if turn is not None and not _fits(turn, items):
        raise InputError("turn", "must permute axes that carry the same levels", turn)
    words = _solve(items, steps // unit, modulus, unit, seconds, workers, turn)
    return None if words is None else BaseSchedule(runs, modulus, unit, words)


def _fits(turn: Turn, items: list[tuple[Item, ...]]) -> bool:
    whole = sorted(turn.axes) == list(range(len(items)))
    return whole and all(items[turn.axes[a]] == own for a, own in enumerate(items))


def _lines(c: int, modulus: int) -> Iterator[tuple[int, ...]]:
    """Remainders of the other axes, the lowest axis fastest."""
    for reverse in itertools.product(range(modulus), repeat=c - 1):
        yield reverse[::-1]


def _nodes(items: list[tuple[Item, ...]], modulus: int) -> Iterator[Node]:
    period = 1 << max(item.level for own in items for item in own)
    for low in itertools.product(range(modulus), repeat=len(items)):
        for shift in range(0, max(period, modulus), modulus):
            yield low, shift


def _solve(
    items: list[tuple[Item, ...]],
    letters: int,
    modulus: int,
    unit: int,
    seconds: float,
    workers: int,
    turn: Turn | None,
) -> tuple[tuple[str, ...], ...] | None:
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    lines = list(_lines(len(items), modulus))
    takes: dict[ScheduledMessage, Any] = {}
    sizes = [range(len(own)) for own in items]
    for place in (
        (axis, line, item, letter)
        for axis in range(len(items))
        for line in lines
        for item in sizes[axis]
        for letter in range(letters)
    ):
        if place not in takes:
            takes[place] = variable = model.new_bool_var("{} {} {} {}".format(*place))
            other = place if turn is None else turn.image(place, items, modulus, letters)
            while other != place:
                takes[other] = variable
                other = turn.image(other, items, modulus, letters) if turn else place
    for axis, own in enumerate(items):
        for line in lines:
            for item, each in enumerate(own):
                uses = [takes[axis, line, item, letter] for letter in range(letters)]
                model.add(sum(uses) == each.width // unit)
            for letter in range(letters):
                model.add_at_most_one(takes[axis, line, e, letter] for e in sizes[axis])
    for low, shift in _nodes(items, modulus):
        through = [
            (axis, low[:axis] + low[axis + 1 :], item)
            for axis, own in enumerate(items)
            for item, each in enumerate(own)
            if each.holds(low[axis] + shift)
        ]
        full = sum(items[axis][item].width for axis, _, item in through) == letters * unit
        for letter in range(letters):
            once = [takes[(*which, letter)] for which in through]
            (model.add_exactly_one if full else model.add_at_most_one)(once)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = workers
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(model)
    if status == cp_model.UNKNOWN:
        raise TimeoutError(f"q = {modulus}: undecided after {seconds} seconds")
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    chosen = {key for key, variable in takes.items() if solver.boolean_value(variable)}

    def letter_of(axis: int, line: tuple[int, ...], letter: int) -> str:
        found = (e for e in range(len(items[axis])) if (axis, line, e, letter) in chosen)
        return next((LETTERS[e] for e in found), ".")

    return tuple(
        tuple("".join(letter_of(axis, line, t) for t in range(letters)) for line in lines)
        for axis in range(len(items))
    )


def _runs(i: int, M: int, network: str) -> LevelRuns:
    return equal_runs(i, M, int(network)) if network.isdecimal() else Task(i, M, network).runs


def stored_entry(schedule: BaseSchedule) -> str:
    """The schedule as an entry of `data/base_schedules.json`."""
    return json.dumps(
        {
            "runs": schedule.runs,
            "modulus": schedule.modulus,
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
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit for each q")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--turn", help="axes that take the places of 0,1,...: such as 1,2,0")
    parser.add_argument("--by", type=int, default=0, help="with --turn, letters to move on")
    given = parser.parse_args(arguments)
    for modulus in (2, 4) if given.modulus is None else (given.modulus,):
        try:
            runs = _runs(given.i, given.M, given.network)
            turn = None
            if given.turn:
                turn = Turn(tuple(map(int, given.turn.split(","))), given.by)
            found = find(runs, given.steps, modulus, given.seconds, given.workers, turn)
        except InputError as error:
            parser.error(str(error))
        except TimeoutError as error:
            print(error, file=sys.stderr)
            continue
        if found is not None:
            print(stored_entry(found))
            return 0
        print(f"q = {modulus}: there is no schedule of this kind", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
