"""Solved schedules of the tasks that do not split: what a line does in every step, as short words.

On one axis a task ⟨i,M⟩_c sets a run of levels l (dilation 2^l). They are taken in pairs from the
top, and if their number is odd the lowest stays single. The messages of levels l, l+1 (or of a
single l) from the coordinates of one residue modulo 2^l form an *item*: as in [calmant 3.2] it
takes 2 steps (1 step), in each of which every node of the residue sends one message and receives
one, and every link of the line is used at most once each way. So two items of a line need
different steps, and so do two items of a node; nothing else can conflict.

A solved schedule says which item a line works on in each step. It depends on the coordinates m
only through m_b mod q and

    H = sum over all axes b of (m_b - m_b mod q)

for a small q (2 mostly): the line of axis a whose other coordinates leave the remainders r works,
in step t, on the item of level l and residue (g - H) mod 2^l of those with a word w_(a,r) whose
letter t is (l, g), where H leaves out axis a; that is, node m takes part if
g = (m_a mod q + H) mod 2^l. The words are in `data/base_schedules.json`; `search` finds them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.pipelining.loads import axis_run, checked_task
from lccmodel.pipelining.standard_embedding import axis_coordinates
from lccmodel.pipelining.subtask_rule import AxisGroups

__all__ = ["LETTERS", "BaseSchedule", "Item", "axis_items", "base_schedules"]

LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""A word spells its items with these, in the order of `axis_items`; "." is a step without one."""

Item = tuple[int, int, int]
"""(level, width, residue): messages of the levels level .. level + width - 1 from coordinates
that are congruent to the residue modulo 2^level; they take `width` steps."""


def axis_items(i: int, M: int, c: int, axis: int) -> tuple[Item, ...]:
    """The items of a line on an axis for ⟨i,M⟩_c, highest level first.

    Raises:
        InputError: i or M is negative, c < 1, axis not in 0..c-1, or not integers.

    >>> axis_items(0, 3, 1, 0)
    ((1, 2, 0), (1, 2, 1), (0, 1, 0))
    """
    first, count = axis_run(i, M, c, axis)
    items: list[Item] = []
    while count:
        width = min(count, 2)
        level = first + count - width
        items += [(level, width, residue) for residue in range(1 << level)]
        count -= width
    return tuple(items)


@dataclass(frozen=True, slots=True)
class BaseSchedule:
    """A solved schedule of one task, for every mesh that holds it.

    Attributes:
        i, M, c: the task ⟨i,M⟩_c.
        modulus: q above, a power of two.
        unit: how many steps in a row a letter stands for (2 if all items have width 2).
        words: for each axis one word for each choice of the remainders of the other axes, counted
            up with the lowest axis fastest; all of the same length.
    """

    i: int
    M: int
    c: int
    modulus: int
    unit: int
    words: tuple[tuple[str, ...], ...]

    @staticmethod
    def read(entry: dict[str, Any]) -> BaseSchedule:
        """The schedule of an entry of the data file."""
        i, M, c = entry["task"]
        words = tuple(tuple(lines) for lines in entry["words"])
        return BaseSchedule(i, M, c, entry["modulus"], entry["unit"], words)

    @property
    def length(self) -> int:
        """The number of steps."""
        return len(self.words[0][0]) * self.unit

    def holds(self, i: int, M: int, c: int) -> bool:
        """Whether all dimensions of ⟨i,M⟩_c are among those of this schedule."""
        return self.c == c and self.i <= i and i + M <= self.i + self.M

    def steps(self, i: int, M: int, d: int) -> npt.NDArray[np.int64]:
        """The steps of the messages of ⟨i,M⟩_c, whose dimensions are among those of this one.

        Entry [q, n] is the step in which process n sends through dimension i + q; int64 (M, 2^d).

        Raises:
            InputError: a dimension that this schedule does not have, or that the mesh does not.
        """
        i, M, c = checked_task(i, M, self.c, d)
        if not self.holds(i, M, c):
            rule = f"must be among dimensions {self.i}..{self.i + self.M - 1}"
            raise InputError("i, M", rule, (i, M))
        coordinates = axis_coordinates(d, c)
        low = coordinates % self.modulus
        shift = (coordinates - low).sum(axis=0)  # H
        result = np.empty((M, 1 << d), dtype=np.int64)
        for axis, m in enumerate(coordinates):
            items = axis_items(self.i, self.M, c, axis)
            times = np.stack([_times(word, items, self.unit) for word in self.words[axis]])
            places = self.modulus ** np.arange(c - 1)
            line = places @ np.delete(low, axis, axis=0)
            for first, (level, width, _) in _first_of_levels(items):
                group = first + (low[axis] + shift) % (1 << level)
                for part, turn in enumerate(AxisGroups(axis, level, width).turns(m)):
                    q = (level + part) * c + axis - i
                    if 0 <= q < M:
                        result[q] = times[line, group, turn]
        return result


def _first_of_levels(items: Sequence[Item]) -> list[tuple[int, Item]]:
    """Where the items of each level start."""
    return [(at, item) for at, item in enumerate(items) if item[2] == 0]


def _times(word: str, items: Sequence[Item], unit: int) -> npt.NDArray[np.int64]:
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

    >>> [(s.i, s.M, s.length) for s in base_schedules() if s.c == 2]
    [(0, 8, 10), (0, 10, 21)]
    """
    text = files("lccmodel.pipelining").joinpath("data/base_schedules.json").read_text("utf-8")
    return tuple(BaseSchedule.read(entry) for entry in json.loads(text))
