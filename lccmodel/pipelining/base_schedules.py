"""Solved schedules of the tasks that do not split: what a line does in every step, as short words.

On one axis a task sets a run of levels l (dilation 2^l). If the highest goes half a ring, it stays
single, and its messages from the coordinates m with one value of ⌊m/2⌋ mod 2^(l-1) form an *item*
(even coordinates go one way round, odd ones the other). The other levels are taken in pairs from
the top, and if their number is odd the lowest stays single; the messages of levels l, l+1 (or of a
single l) from the coordinates of one residue modulo 2^l form an item. As in [calmant 3.2] an item
takes 2 steps (1 step for a single level), in each of which every node of the residue sends one
message and receives one, and every link of the line is used at most once each way. So two items of
a line need different steps, and so do two items of a node; nothing else can conflict.

A solved schedule says which item a line works on in each step. With r_b = m_b mod q_b for a small
q_b on every axis (1, 2 or 4 mostly) and a weight w_b (1 or 2) it depends on the coordinates only
through the remainders and

    h = sum over all axes b of w_b (m_b - r_b) / q_b

the same for all nodes that differ by multiples of q_b whose weighted sum is 0. On a line of axis a
the remainders r of the other axes and h mod w_a do not change. Such a line works, in step t, on the
item whose letter is t in a word w_(a,r,h mod w_a), where the residues are those of r_a + q_a
⌊h / w_a⌋ in place of m_a. The words are in `data/base_schedules.json`; `search` finds them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.pipelining.loads import (
    LevelRun,
    LevelRuns,
    levels_in_order,
    n_dimensions,
)
from lccmodel.pipelining.subtask_rule import AxisGroups

LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""A word spells its items with these, in the order of `axis_items`; "." is a step without one."""


class Item(NamedTuple):
    """Messages of the levels level .. level + width - 1 from coordinates of one residue.

    They take `width` steps. The residue is m mod 2^level, or ⌊m/2⌋ mod 2^(level-1) if the
    messages go half a ring (`halves`).
    """

    level: int
    width: int
    residue: int
    halves: bool = False

    @property
    def groups(self) -> AxisGroups:
        """The item and the others of its levels, as groups of nodes."""
        return AxisGroups(0, self.level, self.width, self.halves)

    def holds(self, m: int) -> bool:
        """Whether a coordinate takes part."""
        return (m >> int(self.halves)) % self.groups.n_groups == self.residue


def axis_items(run: LevelRun) -> tuple[Item, ...]:
    """The items of a line that carries a run, highest level first.

    >>> [tuple(item) for item in axis_items(LevelRun(0, 3))]
    [(1, 2, 0, False), (1, 2, 1, False), (0, 1, 0, False)]
    >>> [tuple(item) for item in axis_items(LevelRun(1, 2, True))]
    [(2, 1, 0, True), (2, 1, 1, True), (1, 1, 0, False), (1, 1, 1, False)]
    """
    items: list[Item] = []
    end = run.end
    if run.wraps:
        end -= 1
        items += [Item(end, 1, residue, True) for residue in range(1 << end - 1)]
    while end > run.first:
        width = min(end - run.first, 2)
        end -= width
        items += [Item(end, width, residue) for residue in range(1 << end)]
    return tuple(items)


def moduli_of(runs: LevelRuns, modulus: int) -> tuple[int, ...]:
    """q for every axis: no more than the coordinates that its levels tell apart.

    >>> moduli_of((LevelRun(0, 1), LevelRun(0, 4)), 4)
    (2, 4)
    """
    return tuple(min(modulus, 1 << run.end) for run in runs)


@dataclass(frozen=True, slots=True)
class BaseSchedule:
    """A solved schedule of one task, for every mesh that holds it.

    Attributes:
        runs: what each axis carries.
        moduli, weights: q and w above for every axis, powers of two.
        unit: how many steps in a row a letter stands for (2 if all items have width 2).
        words: for each axis one word for each choice of the remainders of the other axes, counted
            up with the lowest axis fastest, and then of h mod w; all of the same length.
    """

    runs: LevelRuns
    moduli: tuple[int, ...]
    weights: tuple[int, ...]
    unit: int
    words: tuple[tuple[str, ...], ...]

    @staticmethod
    def read(entry: dict[str, Any]) -> BaseSchedule:
        """The schedule of an entry of the data file: one modulus, and weights unless all are 1."""
        runs = tuple(LevelRun(*run) for run in entry["runs"])
        words = tuple(tuple(lines) for lines in entry["words"])
        moduli = moduli_of(runs, entry["modulus"])
        weights = tuple(entry.get("weights", [1] * len(runs)))
        return BaseSchedule(runs, moduli, weights, entry["unit"], words)

    @property
    def length(self) -> int:
        """The number of steps."""
        return len(self.words[0][0]) * self.unit

    def axes_for(self, runs: LevelRuns) -> tuple[int | None, ...] | None:
        """For each axis here, the axis of other runs whose levels it has; None if they do not fit.

        An axis that the runs leave empty needs no place.

        >>> base = base_schedules()[0]
        >>> base.axes_for((LevelRun(0, 3), LevelRun(1, 3))), base.axes_for((LevelRun(0, 5),))
        ((0, 1), None)
        """
        used = [axis for axis, run in enumerate(runs) if run.length]
        if len(used) > len(self.runs) or n_dimensions(runs) > n_dimensions(self.runs):
            return None
        return self._matched(runs, used, (None,) * len(self.runs))

    def _matched(
        self, runs: LevelRuns, left: list[int], chosen: tuple[int | None, ...]
    ) -> tuple[int | None, ...] | None:
        """The first way to give the axes that are left a place among those not taken."""
        if not left:
            return chosen
        tried: set[LevelRun] = set()
        for here, own in enumerate(self.runs):
            if chosen[here] is not None or own in tried or not _contains(own, runs[left[0]]):
                continue
            tried.add(own)  # a place like it gives the same
            placed = (*chosen[:here], left[0], *chosen[here + 1 :])
            found = self._matched(runs, left[1:], placed)
            if found is not None:
                return found
        return None

    def steps(self, runs: LevelRuns, coordinates: Ints) -> Ints:
        """The steps of a task whose levels are among those of this one (see `axes_for`).

        Entry [q, n] is the step in which process n sends through the q-th dimension of the runs;
        int64 of shape (M, 2^d).
        """
        axes = self.axes_for(runs)
        assert axes is not None  # the caller chose a schedule that fits
        still = np.zeros(coordinates.shape[1], dtype=np.int64)
        own = np.stack([still if axis is None else coordinates[axis] for axis in axes])
        own %= np.array([[1 << run.end] for run in self.runs])  # tiles of the smallest mesh
        moduli, weights = (np.array(each)[:, None] for each in (self.moduli, self.weights))
        low = own % moduli
        shift = (weights * (own // moduli)).sum(axis=0)  # h
        rows = {place: row for row, place in enumerate(levels_in_order(runs))}
        result = np.empty((len(rows), coordinates.shape[1]), dtype=np.int64)
        for here, axis in enumerate(axes):
            if axis is None:
                continue
            items = axis_items(self.runs[here])
            times = np.stack([_times(word, items, self.unit) for word in self.words[here]])
            weight, line, place = self.weights[here], 0, 1
            for other, modulus in enumerate(self.moduli):
                if other != here:
                    line, place = line + place * low[other], place * modulus
            line = line + place * (shift % weight)
            turned = low[here] + self.moduli[here] * (shift // weight)
            for first, item in enumerate(items):
                if item.residue:
                    continue  # not the first of its levels
                group = first + item.groups.group(turned)
                for part, turn in enumerate(item.groups.turns(own[here])):
                    row = rows.get((item.level + part, axis))
                    if row is not None:
                        result[row] = times[line, group, turn]
        return result


def _contains(own: LevelRun, other: LevelRun) -> bool:
    """Whether the levels of another run are among these, and go the same ways round."""
    inside = own.first <= other.first and other.end <= own.end
    return inside and other.wraps == (own.wraps and own.end == other.end)


def _times(word: str, items: tuple[Item, ...], unit: int) -> Ints:
    """The steps of every item in a word: int64 (items, 2), the second is -1 for a single level."""
    times = np.full((len(items), 2), -1, dtype=np.int64)
    seen = [0] * len(items)
    for step, letter in enumerate("".join(letter * unit for letter in word)):
        if letter != ".":
            item = LETTERS.index(letter)
            times[item, seen[item]] = step
            seen[item] += 1
    return times


@lru_cache(maxsize=1)
def base_schedules() -> tuple[BaseSchedule, ...]:
    """All solved schedules.

    >>> [(n_dimensions(s.runs), s.length) for s in base_schedules() if len(s.runs) == 2][:2]
    [(8, 10), (5, 5)]
    """
    text = files("lccmodel.pipelining").joinpath("data/base_schedules.json").read_text("utf-8")
    return tuple(BaseSchedule.read(entry) for entry in json.loads(text))
