"""Words for `base_schedules` by simulated annealing: letters change places until no node is torn.

Every word begins with all of its letters in some order, so that a line does what it has to. What
can be wrong is only that a node takes part in two items of one step. The number of such conflicts,
over all kinds of nodes and all steps, is brought down to 0:

    choose     a node and a step in conflict, one of the items that meet there, another step
    swap       the two letters of that line
    keep it    if there are no more conflicts than before, or with probability e^(-more / T)

T falls from 0.7 to 0.18 in every round, and each round begins anew and is longer than the last. A
run depends on its seed alone. It cannot say that there are no words: that is for `search`.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import NamedTuple

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import inlined_kernel, kernel
from lccmodel.pipelining.base_schedules import LETTERS, Item, axis_items
from lccmodel.pipelining.loads import LevelRuns

_HOT, _COLD = 0.7, 0.18

_FIRST_ROUND = 100_000
"""Swaps that are tried in the first round."""

_BAR = 2_147_483_647
"""2^31 - 1, the prime modulus of Lehmer's generator with the multiplier 48271."""


@dataclass(frozen=True)
class WordModel:
    """What the words of some runs have to obey: who works on what together.

    Attributes:
        runs, moduli, weights: as of a `BaseSchedule`.
    """

    runs: LevelRuns
    moduli: tuple[int, ...]
    weights: tuple[int, ...]

    @cached_property
    def items(self) -> list[tuple[Item, ...]]:
        """The items of a line of every axis."""
        return [axis_items(run) for run in self.runs]

    @cached_property
    def lines(self) -> list[tuple[int, tuple[int, ...]]]:
        """Axis, and remainders of the others followed by h mod w, in the order of the words."""
        listed = []
        for axis, weight in enumerate(self.weights):
            others = [q for b, q in enumerate(self.moduli) if b != axis]
            ranges = [range(q) for q in (*others, weight)]
            turned = itertools.product(*reversed(ranges))
            listed += [(axis, line[::-1]) for line in turned]
        return listed

    @cached_property
    def nodes(self) -> list[list[tuple[int, int]]]:
        """For every kind of node the items that it takes part in, each with its line."""
        number = {line: k for k, line in enumerate(self.lines)}
        levels = [max((item.level for item in own), default=0) for own in self.items]
        parts = zip(levels, self.moduli, self.weights, strict=True)
        period = max(w * max(1, (1 << level) // q) for level, q, w in parts)
        return [
            [
                (number[axis, (*low[:axis], *low[axis + 1 :], h % w)], item)
                for axis, (q, w) in enumerate(zip(self.moduli, self.weights, strict=True))
                for item, residues in enumerate(self.items[axis])
                if residues.holds(low[axis] + q * (h // w))
            ]
            for low in itertools.product(*map(range, self.moduli))
            for h in range(period)
        ]

    def spelt(self, letters: Ints) -> tuple[tuple[str, ...], ...]:
        """The words of every axis; entry [line, t] of the letters is an item, or -1."""
        words: list[list[str]] = [[] for _ in self.runs]
        for (axis, _), row in zip(self.lines, letters.tolist(), strict=True):
            words[axis].append("".join("." if item < 0 else LETTERS[item] for item in row))
        return tuple(map(tuple, words))


def annealed(
    model: WordModel, letters: int, unit: int, rounds: int, until: float, seed: int = 1
) -> tuple[tuple[str, ...], ...] | None:
    """Words without a conflict, or None if none were found in so many rounds.

    Args:
        model: what they have to obey.
        letters: of a word.
        unit: steps that a letter stands for.
        rounds: how often to begin anew; no round begins after the time `until`.
        until: of `time.perf_counter`.

    >>> from lccmodel.pipelining.loads import equal_runs
    >>> model = WordModel(equal_runs(0, 4, 2), (1, 1), (1, 1))
    >>> annealed(model, 2, 2, 1, math.inf)
    (('.0',), ('0.',))
    """
    start = np.full((len(model.lines), letters), -1, dtype=np.int64)
    for row, (axis, _) in zip(start, model.lines, strict=True):
        own = [e for e, item in enumerate(model.items[axis]) for _ in range(item.width // unit)]
        if len(own) > letters:
            return None
        row[: len(own)] = own
    pairs = [(n, line, item) for n, own in enumerate(model.nodes) for line, item in own]
    most = max(map(len, model.items))
    node, line, item = np.array(pairs, dtype=np.int64).reshape(-1, 3).T
    taken = line * most + item  # an item of a line, as one number
    order = np.argsort(taken, kind="stable")
    first = np.searchsorted(taken[order], np.arange(len(start) * most + 1))
    begins = np.searchsorted(node, np.arange(len(model.nodes) + 1))
    tables = (begins, taken.copy(), first, node[order].copy())
    swaps = _FIRST_ROUND
    for again in range(rounds):
        if perf_counter() > until:
            return None
        words = start.copy()
        if _round(words, most, *tables, swaps, seed + again):
            return model.spelt(words)
        swaps = swaps * 3 // 2
    return None


class _Cells(NamedTuple):
    """Who works on what: a cell is a node in one of the steps.

    The nodes of item k are nodes[first[k]:first[k + 1]]. `works` says how many items a cell has,
    `torn` lists the cells with more than one, their number behind them, and `place` says where a
    cell stands among them.
    """

    steps: int
    first: Ints
    nodes: Ints
    works: Ints
    torn: Ints
    place: Ints


@kernel
def _round(
    words: Ints,
    most: int,
    begins: Ints,
    taken: Ints,
    first: Ints,
    nodes: Ints,
    swaps: int,
    seed: int,
) -> bool:
    """Shuffle the words, then swap letters; whether no conflict is left.

    Args:
        words: item of every line and step, or -1; changed.
        most: items of a line at most: item e of line l has the number l most + e.
        begins, taken: the items of node n are taken[begins[n]:begins[n + 1]].
        first, nodes: the nodes of item k are nodes[first[k]:first[k + 1]].
        swaps: how many are tried.
        seed: for all that is chosen.
    """
    steps = words.shape[1]
    cells = (len(begins) - 1) * steps
    works, place = np.zeros((2, cells), np.int64)
    torn = np.zeros(cells + 1, np.int64)
    made = _Cells(steps, first, nodes, works, torn, place)
    state = np.array([seed % (_BAR - 1) + 1], np.int64)
    for _ in range(20):
        _random(state, 2)
    for line in range(len(words)):
        for t in range(steps - 1, 0, -1):
            other = _random(state, t + 1)
            words[line, t], words[line, other] = words[line, other], words[line, t]
    conflicts = 0
    for line in range(len(words)):
        for t in range(steps):
            conflicts += _moved(words[line, t], line * most, t, 1, made)
    if steps == 1:
        return conflicts == 0
    heat, cooling = _HOT, (_COLD / _HOT) ** (1 / swaps)
    for _ in range(swaps):
        if conflicts == 0:
            return True
        heat *= cooling
        cell = torn[_random(state, torn[cells])]
        node, t = cell // steps, cell % steps
        skipped, line = _random(state, works[cell]), 0
        for k in range(begins[node], begins[node + 1]):
            line = taken[k] // most
            if words[line, t] == taken[k] % most:
                if skipped == 0:
                    break
                skipped -= 1
        other = _random(state, steps - 1)
        other += other >= t
        if words[line, t] == words[line, other]:
            continue
        more = _swapped(words, line, t, other, most, made)
        if more > 0 and _random(state, _BAR) >= math.exp(-more / heat) * _BAR:
            _swapped(words, line, t, other, most, made)
        else:
            conflicts += more
    return conflicts == 0


@inlined_kernel
def _random(state: Ints, end: int) -> int:
    """A number below `end`: Lehmer's generator, which needs no more than 64 bits."""
    state[0] = state[0] * 48271 % _BAR
    return int(state[0] % end)


@kernel
def _swapped(words: Ints, line: int, t: int, other: int, most: int, cells: _Cells) -> int:
    """Swap two letters of a line; how many conflicts there are more."""
    base, more = line * most, 0
    here, there = words[line, t], words[line, other]
    more += _moved(here, base, t, -1, cells)
    more += _moved(there, base, other, -1, cells)
    more += _moved(here, base, other, 1, cells)
    more += _moved(there, base, t, 1, cells)
    words[line, t], words[line, other] = there, here
    return more


@inlined_kernel
def _moved(item: int, base: int, t: int, by: int, cells: _Cells) -> int:
    """Put an item into a step (by = 1) or take it out (-1); how many conflicts there are more."""
    steps, first, nodes, works, torn, place = cells
    more = 0
    if item < 0:
        return 0
    last = len(torn) - 1
    for k in range(first[base + item], first[base + item + 1]):
        cell = nodes[k] * steps + t
        works[cell] += by
        if by > 0 and works[cell] > 1:
            more += 1
            if works[cell] == 2:
                torn[torn[last]], place[cell] = cell, torn[last]
                torn[last] += 1
        elif by < 0 and works[cell] > 0:
            more -= 1
            if works[cell] == 1:
                torn[last] -= 1
                moved = torn[torn[last]]
                torn[place[cell]], place[moved] = moved, place[cell]
    return more
