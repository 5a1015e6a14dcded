"""Every task on two to five equal axes: the stored words, and what they are put together to.

On a line of an axis an item (l, g) is all messages of levels l and l + 1, or of a single lowest
level l, from the coordinates of residue g modulo 2^l; it takes as many steps as it has levels, and
by [calmant, section 3.2] its messages meet neither each other nor those of another line. So words
that say which item a line works on in every step are a schedule if every line works on all of its
items and no node takes part in two items of a step. Nothing here uses the library but its file.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.calmant_mesh import line_bound
from proofs_check.domain import Enumerated

_AXES = range(2, 6)
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

Run = tuple[int, int]
"""The first level of an axis, and how many."""


class Words(NamedTuple):
    """An entry of the file; `lines[a]` are the words of axis a, a letter for `unit` steps."""

    runs: tuple[Run, ...]
    moduli: tuple[int, ...]
    weights: tuple[int, ...]
    unit: int
    lines: tuple[tuple[str, ...], ...]

    @property
    def steps(self) -> int:
        return len(self.lines[0][0]) * self.unit


def _runs(i: int, M: int, c: int) -> tuple[Run, ...]:
    """First level and number of levels on every axis that ⟨i,M⟩_c uses."""
    own = [range(i + j, i + M, c) for j in range(min(c, M))]
    return tuple((part[0] // c, len(part)) for part in own)


@cache
def stored() -> tuple[Words, ...]:
    """The words for meshes; those for tori are another matter."""
    text = files("lccmodel.pipelining").joinpath("data/base_schedules.json").read_text("utf-8")
    found = []
    for entry in json.loads(text):
        if not any(wraps for _, _, wraps in entry["runs"]):
            runs = tuple((first, many) for first, many, _ in entry["runs"])
            moduli = tuple(min(entry["modulus"], 1 << first + many) for first, many in runs)
            weights = tuple(entry.get("weights", [1] * len(runs)))
            lines = tuple(map(tuple, entry["words"]))
            found.append(Words(runs, moduli, weights, entry["unit"], lines))
    return tuple(found)


def _items(run: Run) -> list[tuple[int, int, int]]:
    """(level, width, residue) of all items of a line, the highest level first."""
    end, found = sum(run), []
    while end > run[0]:
        width = min(2, end - run[0])
        end -= width
        found += [(end, width, residue) for residue in range(1 << end)]
    return found


def obey(words: Words) -> bool:
    """Whether every line works on all of its items, and no node on two at once."""
    items, q, w = [_items(run) for run in words.runs], words.moduli, words.weights
    for axis, own in enumerate(words.lines):
        if len(own) != math.prod(q) // q[axis] * w[axis]:
            return False
        for word in own:
            spent = [word.count(letter) * words.unit for letter in _LETTERS[: len(items[axis])]]
            if spent != [width for _, width, _ in items[axis]]:
                return False
            if len(word) != len(words.lines[0][0]) or len(word) * words.unit != words.steps:
                return False
    used = [[_used(word, items[axis]) for word in own] for axis, own in enumerate(words.lines)]
    levels = [{level for level, _, _ in own} for own in items]
    period = max(w) << max(level for own in levels for level in own)
    for low in itertools.product(*map(range, q)):
        for h in range(period):
            busy: list[int] = []
            for axis, lines in enumerate(used):
                line, place = 0, 1
                for other, r in enumerate(low):
                    if other != axis:
                        line, place = line + place * r, place * q[other]
                m = low[axis] + q[axis] * (h // w[axis])
                for level in levels[axis]:
                    busy += lines[line + place * (h % w[axis])][level, m % (1 << level)]
            if len(set(busy)) < len(busy):
                return False
    return True


def _used(word: str, items: list[tuple[int, int, int]]) -> dict[tuple[int, int], list[int]]:
    """The places of every item, by its level and residue, in a word."""
    return {
        (level, residue): [step for step, letter in enumerate(word) if letter == name]
        for name, (level, _, residue) in zip(_LETTERS, items, strict=False)
    }


@cache
def _sound() -> tuple[Words, ...]:
    return tuple(words for words in stored() if obey(words))


def _holds(outer: tuple[Run, ...], inner: tuple[Run, ...]) -> bool:
    """Whether the axes of a task find places among those of words, levels and all."""
    if not inner:
        return True
    (first, many), *rest = inner
    return any(
        own[0] <= first
        and first + many <= sum(own)
        and _holds(outer[:k] + outer[k + 1 :], tuple(rest))
        for k, own in enumerate(outer)
    )


@cache
def _least(i: int, M: int, c: int, axes: int) -> int:
    """Steps of the best way to put ⟨i,M⟩_c together; words of at most so many axes are used."""
    if M <= 2 * c:
        return line_bound(i, M, c)[1]
    runs = _runs(i, M, c)
    solved = [
        words.steps for words in _sound() if len(words.runs) <= axes and _holds(words.runs, runs)
    ]
    cuts = (_least(i, a, c, axes) + _least(i + a, M - a, c, axes) for a in range(1, M))
    return min(itertools.chain(solved, cuts))


def _tasks(n: int) -> Iterator[tuple[int, int, int]]:
    return ((c, i, n - i) for c in _AXES for i in range(n))


@claim(
    "calmant.whole.every",
    place="beside section 4.2; docs/schedules.md",
    says="for two to five axes every task ⟨i,M⟩_c with i + M <= 24 has a schedule of exactly "
    "LB⟨i,M⟩_c steps: parts one after another, each of at most 2c dimensions or of stored words",
    latex=r"P\langle i,M\rangle_c = LB\langle i,M\rangle_c,\ c \le 5,\ i + M \le 24",
    over=Enumerated(
        _tasks,
        size=lambda n: len(_AXES) * n,
        names="c, i, M",
        text="all tasks with i + M = n on two to five axes",
    ),
    evidence="links counted on a line; the words used are those that the checker finds to obey the "
    "two conditions of docs/schedules.md, for all remainders and all h; parts of at most 2c "
    "dimensions take their bound by calmant.subtask; cuts by a programme of the checker's own",
    control=Control("without words of more than three axes", axes=3),
    sizes=Sizes(most=24, limit=36),
)
def every_task(c: int, i: int, M: int, *, axes: int = 5) -> Finding:
    """Restrictions of words are schedules: messages that are left out are in nobody's way."""
    steps, least = _least(i, M, c, axes), line_bound(i, M, c)[1]
    return Finding(steps == least, steps=steps, LB=least)
