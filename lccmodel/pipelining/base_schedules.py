"""Schedules that are not composed: a rule for every subtask, and words for what does not split.

**A schedule for every subtask**, at most two dimensions an axis, that takes exactly the lower
bound. This rule is the project's own. In a subtask an axis a carries one dimension or two; if two,
their dilations are 2^f and 2^(f+1). Nodes whose coordinate m_a has the same remainder g_a mod 2^f
are a group, and a group needs as many steps on its axis as the axis carries dimensions:

    one dimension    all nodes of the group exchange in one step
    two dimensions   bits f and f+1 of m_a equal: dimension f+1 in the first step, f in the
                     second; otherwise the other way round [calmant, section 3.2.1]

Let axis a own v_a = 1 or 2 neighbouring places from o_a on, so that the x places 0, ..., x-1 are
all owned, and let W(m) = Σ_a v_a g_a(m). Then node m uses axis a in the v_a steps

    (W(m) + o_a + e) mod LB,   e = 0, ..., v_a - 1.

With ⟨0,4⟩ on 4 × 4 × 4 nodes, LB = 4: axis 0 carries dimensions 0 and 3 and owns places 0 and 1,
axis 1 owns 2, axis 2 owns 3; all groups are 0, so W = 0 and the four places are the four steps.
The paper's rule, which gives every axis two steps, has no room for the third axis here.

Proof in `docs/subtask_rule.md`; nothing in it asks for equal sides. On a torus the same rule holds;
an axis that carries the longest dimension alone, over half a ring, has 2^(f-1) groups
⌊m_a / 2⌋ mod 2^(f-1), because even and odd coordinates go different ways round.

**Solved schedules** of the tasks that do not split: what a line does in every step, as short words.
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

from lccmodel.ground.arrays import Ints
from lccmodel.network.ring_direction import TieName
from lccmodel.pipelining.loads import (
    LevelRun,
    LevelRuns,
    least_steps,
    levels_in_order,
    n_dimensions,
)


@dataclass(frozen=True)
class AxisGroups:
    """How the nodes of one axis take turns when it carries one dimension or two.

    Attributes: `axis`; `first`, the exponent f of the shorter dilation; `places`, how many
    dimensions it carries; `halves`, whether its messages go half a ring and are split.
    """

    axis: int
    first: int
    places: int
    halves: bool = False

    @property
    def n_groups(self) -> int:
        """2^f, or 2^(f-1) for split messages over half a ring."""
        return 1 << self.first - self.halves

    @property
    def n_steps(self) -> int:
        """Steps until all groups had their turn: the load of the axis."""
        return self.places * self.n_groups

    def group(self, m: Ints) -> Ints:
        """The group of every coordinate."""
        return (m >> int(self.halves)) % self.n_groups

    def turns(self, m: Ints) -> Ints:
        """Which of the group's steps each coordinate sends in: int64 (places, *m.shape)."""
        if self.places == 1:
            return np.zeros((1, *m.shape), dtype=np.int64)
        differ = (m >> self.first ^ m >> self.first + 1) & 1  # 1: the short dimension first
        return np.array([1 - differ, differ])


def is_subtask(runs: LevelRuns) -> bool:
    """Whether no axis carries more than two dimensions.

    >>> from lccmodel.pipelining.loads import LevelRun
    >>> is_subtask((LevelRun(0, 2), LevelRun(0, 0))), is_subtask((LevelRun(0, 3),))
    (True, False)
    """
    return all(run.length <= 2 for run in runs)


def axis_groups(runs: LevelRuns) -> list[AxisGroups]:
    """The groups of every axis that a subtask uses, in the order of its lowest dimensions.

    >>> from lccmodel.pipelining.loads import LevelRun
    >>> runs = (LevelRun(2, 1), LevelRun(1, 2))
    >>> [(a.axis, a.first, a.places, a.n_groups) for a in axis_groups(runs)]
    [(1, 1, 2, 2), (0, 2, 1, 4)]
    """
    used = sorted((run.first, axis) for axis, run in enumerate(runs) if run.length)
    return [
        AxisGroups(axis, first, runs[axis].length, runs[axis].wraps and runs[axis].length == 1)
        for first, axis in used
    ]


def subtask_steps(runs: LevelRuns, coordinates: Ints) -> Ints:
    """The steps of a subtask, free of conflicts and exactly as many as the lower bound.

    Args:
        runs: at most two levels an axis.
        coordinates: of every process, int64 of shape (c, 2^d).

    Returns:
        int64 of shape (x, 2^d): the step in which each process sends through each dimension, on a
        torus in the directions of `subtask_ties`.

    >>> from lccmodel.pipelining.loads import LevelRun
    >>> subtask_steps((LevelRun(0, 2),), np.array([[0, 1, 2, 3]])).tolist()
    [[1, 0, 0, 1], [0, 1, 1, 0]]
    """
    axes, bound = axis_groups(runs), least_steps(runs)
    rows = {place: row for row, place in enumerate(levels_in_order(runs))}
    shift = np.zeros(coordinates.shape[1], dtype=np.int64)
    for a in axes:
        shift += a.places * a.group(coordinates[a.axis])
    steps = np.empty((len(rows), coordinates.shape[1]), dtype=np.int64)
    place = 0
    for a in axes:
        for e, turn in enumerate(a.turns(coordinates[a.axis])):
            steps[rows[a.first + e, a.axis]] = (shift + place + turn) % bound
        place += a.places
    return steps


def subtask_ties(runs: LevelRuns) -> tuple[TieName, ...]:
    """Which way the messages of each dimension go half a ring of a torus under `subtask_steps`.

    >>> from lccmodel.pipelining.loads import LevelRun
    >>> subtask_ties((LevelRun(1, 1), LevelRun(1, 1, True), LevelRun(0, 2, True)))
    ('line', 'split', 'split', 'line')
    """
    return tuple("split" if runs[axis].length == 1 else "line" for _, axis in levels_in_order(runs))


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
            matched = self._matched(runs, left[1:], placed)
            if matched is not None:
                return matched
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
