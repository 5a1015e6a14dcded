"""Every task on two to five equal axes, by stored words and by slots; docs/schedules.md.

Words: on a line of an axis an item (l, g) is all messages of levels l and l + 1, or of a single
lowest level l, from the coordinates of residue g modulo 2^l; it takes as many steps as it has
levels, and by [calmant, section 3.2] its messages meet neither each other nor those of another
line. So words that say which item a line works on in every step are a schedule if every line works
on all of its items and no node takes part in two items of a step.

Slots do without stored words on levels 1 and more. The steps come in blocks of N = 2^f, f the
lowest level, and slot i of a block is what the nodes of each class r of h modulo N do in its step
r + i modulo N. An item of level l is one of 2^(l-f) classes of the nodes of a class r: a slot has
room for so many axes. An axis needs, for a level that takes w steps, w 2^(l-f) blocks, and for
different levels different ones. Given these, König's theorem says which class goes where.

Nothing here uses the library but its file of words.
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

# -- stored words, and what they are put together to -------------------------------------------


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


@claim(
    "calmant.whole.every",
    place="beside section 4.2; docs/schedules.md",
    says="for two to five axes every task ⟨i,M⟩_c with i + M <= 24 has a schedule of exactly "
    "LB⟨i,M⟩_c steps: parts one after another, each of at most 2c dimensions or of stored words",
    latex=r"P\langle i,M\rangle_c = LB\langle i,M\rangle_c,\ c \le 5,\ i + M \le 24",
    over=Enumerated(
        lambda n: ((c, i, n - i) for c in _AXES for i in range(n)),
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


# -- slots -------------------------------------------------------------------------------------


_AXES_ = range(2, 6)
_ODD = (5, 9, 11)
"""The task ⟨9,11⟩_5: its bound, 11, is no multiple of N = 2. Stored words reach it."""

Level = tuple[int, int]
"""A level and the steps of one of its items: two for a pair of levels, which is the lower one."""


class Entry(NamedTuple):
    """An axis in a slot of a block, with the class of nodes that it works with there."""

    axis: int
    level: int
    block: int
    slot: int
    colour: int


def _levels(i: int, M: int, c: int) -> list[list[Level]]:
    """The items of every axis of ⟨i,M⟩_c, pairs from the top."""
    found = []
    for j in range(min(c, M)):
        own = [k // c for k in range(i + j, i + M, c)]
        pairs = [(own[k - 1], 2) for k in range(len(own) - 1, 0, -2)]
        found.append(pairs + [(own[0], 1)] * (len(own) % 2))
    return found


def entries(axes: list[list[Level]], steps: int, *, colours: bool = True) -> list[Entry] | None:
    """Blocks and slots for all axes, coarse levels first; None if they do not fit so."""
    lowest = min(level for own in axes for level, _ in own)
    N = 1 << lowest
    if steps % N:
        return None
    free = [N] * (steps // N)
    used: list[set[int]] = [set() for _ in axes]
    found: list[Entry] = []
    for level in sorted({level for own in axes for level, _ in own}):
        s = 1 << level - lowest
        room: dict[tuple[int, int], int] = {}  # of the slots of this level
        edges: list[tuple[tuple[int, int], tuple[int, int]]] = []
        for axis, own in enumerate(axes):
            for turn in range(dict(own).get(level, 0)):
                for _ in range(s):
                    held = [
                        slot for slot, left in room.items() if left and slot[0] not in used[axis]
                    ]
                    if held:
                        slot = max(held, key=lambda slot: (room[slot], -slot[0]))
                    else:
                        blocks = [b for b, left in enumerate(free) if left and b not in used[axis]]
                        if not blocks:
                            return None
                        block = max(blocks, key=lambda b: (free[b], -b))
                        free[block] -= 1
                        slot = (block, free[block])
                        room[slot] = s
                    room[slot] -= 1
                    used[axis].add(slot[0])
                    edges.append(((axis, turn), slot))
        chosen = _colours(edges, s) if colours else [0] * len(edges)
        found += [
            Entry(axis, level, *slot, colour)
            for ((axis, _), slot), colour in zip(edges, chosen, strict=True)
        ]
    return found


def _colours(edges: list[tuple[tuple[int, int], tuple[int, int]]], s: int) -> list[int]:
    """König: s colours for a bipartite graph of degree s, alternating paths."""
    at: dict[tuple[int, tuple[int, int], int], int] = {}  # side, end, colour: the edge

    def unused(side: int, end: tuple[int, int]) -> int:
        return next(k for k in range(s) if (side, end, k) not in at)

    found = [-1] * len(edges)
    for edge, ends in enumerate(edges):
        a, b = unused(0, ends[0]), unused(1, ends[1])
        path, side, end, want = [], 1, ends[1], a
        while (side, end, want) in at:  # from the right end: a, b, a, ...
            path.append(at[side, end, want])
            side = 1 - side
            end = edges[path[-1]][side]
            want = a + b - want
        for each in path:
            for k in (0, 1):
                del at[k, edges[each][k], found[each]]
        for each in path:
            found[each] = a + b - found[each]
        for each in path:
            for k in (0, 1):
                at[k, edges[each][k], found[each]] = each
        found[edge] = a
        at[0, ends[0], a] = at[1, ends[1], a] = edge
    return found


def obeyed(axes: list[list[Level]], placed: list[Entry], steps: int) -> bool:
    """Whether every line works on each of its items in full, and no node or line on two at once."""
    N = 1 << min(level for own in axes for level, _ in own)
    lines: dict[tuple[int, int], tuple[int, int]] = {}  # axis, step: the item
    for axis, level, block, slot, colour in placed:
        for r in range(N):
            step = block * N + (r + slot) % N
            if (axis, step) in lines or step >= steps:
                return False
            lines[axis, step] = (level, r + N * colour)
    for axis, own in enumerate(axes):
        worked = [item for (a, _), item in lines.items() if a == axis]
        if any(worked.count((level, g)) != w for level, w in own for g in range(1 << level)):
            return False
    for h in range(1 << max(level for own in axes for level, _ in own)):
        busy = [step for (_, step), (level, g) in lines.items() if h % (1 << level) == g]
        if len(set(busy)) < len(busy):
            return False
    return True


@cache
def _solved(i: int, M: int, c: int, colours: bool) -> bool:
    """Whether slots give ⟨i,M⟩_c, or a task that holds it and has the same bound."""
    least, more = line_bound(i, M, c)[1], M
    while line_bound(i, more, c)[1] == least:
        axes = _levels(i, more, c)
        placed = entries(axes, least, colours=colours)
        if placed is not None and obeyed(axes, placed, least):
            return True
        more += 1
    return False


@cache
def _least_by_slots(i: int, M: int, c: int, colours: bool) -> int:
    """Steps of the best way to put ⟨i,M⟩_c together; a task of at most 2c dimensions has a rule."""
    bound = line_bound(i, M, c)[1]
    cut = (
        _least_by_slots(i, a, c, colours) + _least_by_slots(i + a, M - a, c, colours)
        for a in range(1, M)
    )
    if M <= 2 * c or min(cut) == bound or _solved(i, M, c, colours):
        return bound
    cut = (
        _least_by_slots(i, a, c, colours) + _least_by_slots(i + a, M - a, c, colours)
        for a in range(1, M)
    )
    return min(cut)


def _coarse_tasks(n: int) -> Iterator[tuple[int, int, int]]:
    return ((c, i, n - i) for c in _AXES_ for i in range(c, n) if (c, i, n - i) != _ODD)


@claim(
    "calmant.whole.slots",
    place="beside section 4.2; docs/schedules.md",
    says="for two to five axes every task ⟨i,M⟩_c with i >= c and i + M <= 24, but ⟨9,11⟩_5, has a "
    "schedule of exactly LB⟨i,M⟩_c steps by one construction: parts one after another, each of at "
    "most 2c dimensions or of slots that König's theorem colours",
    latex=r"P\langle i,M\rangle_c = LB\langle i,M\rangle_c,\ c \le i,\ c \le 5,\ i + M \le 24",
    over=Enumerated(
        _coarse_tasks,
        size=lambda n: sum(1 for _ in _coarse_tasks(n)),
        names="c, i, M",
        text="all tasks with i + M = n and i >= c on two to five axes",
    ),
    evidence="links counted on a line; what slots give is gone through step by step, for all lines "
    "and all classes of nodes; parts of at most 2c dimensions take their bound by calmant.subtask",
    control=Control("slots whose axes all work with the first class of nodes", colours=False),
    sizes=Sizes(most=24, limit=36),
)
def by_slots(c: int, i: int, M: int, *, colours: bool = True) -> Finding:
    """No stored words: what is needed beside the rule is made, level by level."""
    steps, least = _least_by_slots(i, M, c, colours), line_bound(i, M, c)[1]
    return Finding(steps == least, steps=steps, LB=least)
