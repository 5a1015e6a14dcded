"""The two conditions of docs/schedules.md on the words of a solved schedule."""

import itertools
import math

import numpy as np

from lccmodel.pipelining.base_schedules import LETTERS, BaseSchedule, axis_items


def check_words(base: BaseSchedule) -> None:
    """The two conditions of docs/schedules.md on the words, for all nodes of every mesh."""
    items = [axis_items(run) for run in base.runs]
    q, w, c = base.moduli, base.weights, len(base.runs)
    for axis, (own, words) in enumerate(zip(items, base.words, strict=True)):
        assert len(words) == math.prod(q) // q[axis] * w[axis]
        for word in words:
            counts = [word.count(letter) * base.unit for letter in LETTERS[: len(own)]]
            assert counts == [item.width for item in own]
            assert len(word) == sum(counts) // base.unit + word.count(".")
    period = max(w) << max(item.level for own in items for item in own)
    for low in itertools.product(*map(range, q)):
        for h in range(period):
            busy = np.zeros(base.length // base.unit, dtype=np.int64)
            for axis, own in enumerate(items):
                others = [b for b in range(c) if b != axis]
                line = sum(low[b] * math.prod(q[a] for a in others if a < b) for b in others)
                word = base.words[axis][line + math.prod(q[b] for b in others) * (h % w[axis])]
                m = low[axis] + q[axis] * (h // w[axis])
                mine = [
                    LETTERS[e]
                    for e, (level, _, residue, halves) in enumerate(own)
                    if (m // 2 % (1 << level - 1) if halves else m % (1 << level)) == residue
                ]
                busy += [letter in mine for letter in word]
            assert busy.sum() * base.unit == sum(run.length for run in base.runs)
            assert busy.max() == 1


def words_of(base: BaseSchedule) -> str:
    return " ".join(f"{run.first},{run.length}{'o' * run.wraps}" for run in base.runs)
