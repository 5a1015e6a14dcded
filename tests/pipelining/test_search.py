"""The search for words of schedules: what it finds, its symmetries, and annealing.

The rules that words of a schedule obey are those of docs/schedules.md.
"""

import itertools
import json
import math
from dataclasses import replace

import pytest

from lccmodel.errors import InputError
from lccmodel.pipelining import Task
from lccmodel.pipelining.annealing import WordModel, annealed
from lccmodel.pipelining.base_schedules import BaseSchedule, base_schedules, moduli_of
from lccmodel.pipelining.loads import equal_runs
from proofs_check.claims.calmant_mesh import line_bound, replayed
from tests.pipelining.equal import axis_coordinates
from tests.pipelining.words import check_words, words_of

pytest.importorskip("ortools")

from lccmodel.pipelining import search
from lccmodel.pipelining.search import ScheduledMessage, Turn, find


@pytest.mark.parametrize(("i", "M", "c"), [(0, 7, 2), (1, 7, 2), (0, 18, 3)])
def test_search_finds_schedules_at_the_bound(i, M, c):
    """The solver's words, read back from their printed form, are replayed."""
    base = find(equal_runs(i, M, c))
    assert base is not None
    assert base.length == line_bound(i, M, c)[1]
    assert BaseSchedule.read(json.loads(search.stored_entry(base))) == base
    if c == 2:
        steps = base.steps(equal_runs(i, M, c), axis_coordinates(8, c))
        assert replayed(steps, i, 8, c).conflict is None


def test_search_finds_nothing_where_there_is_nothing():
    """Below the load; 9 letters for 10 items; q = 1, where a solver proves that there are none."""
    runs = equal_runs(0, 8, 2)
    assert find(equal_runs(0, 7, 2), steps=9) is None
    assert find(runs, modulus=1) is None
    assert annealed(WordModel(runs, (2, 2), (1, 1)), 4, 2, 3, math.inf) is None
    assert annealed(WordModel(runs, (1, 1), (1, 1)), 5, 2, 2, math.inf) is None
    assert annealed(WordModel(runs, (2, 2), (1, 1)), 5, 2, 9, 0.0) is None  # no time


@pytest.mark.slow
@pytest.mark.parametrize(
    ("base", "rounds"),
    [
        pytest.param(base, 12, id=words_of(base), marks=pytest.mark.slow if slow else ())
        for k, base in enumerate(base_schedules())
        for slow in [k % 12 != 4 or sum(map(len, base.words)) > 40]
    ],
)
def test_annealing_finds_stored_schedules_again(base, rounds):
    """Not the same words, but words of the same kind and length; read back, they obey the rules."""
    model = WordModel(base.runs, base.moduli, base.weights)
    letters = base.length // base.unit
    words = annealed(model, letters, base.unit, rounds, math.inf)
    assert words is not None
    check_words(replace(base, words=words))


def test_search_command_prints_a_schedule(capsys):
    assert search.main(["0", "5", "2"]) == 0
    assert BaseSchedule.read(json.loads(capsys.readouterr().out)).length == 5
    assert search.main(["0", "5", "2", "--steps", "4"]) == 1
    assert capsys.readouterr().err.count("there is no schedule of this kind") == 2
    assert search.main(["0", "18", "3", "--seconds", "0.0001", "--modulus", "4"]) == 1
    assert "undecided" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        search.main(["0", "-5", "2"])
    assert stopped.value.code == 2


CASES = [
    ((3, 9, "torus:16x16x16"), 4, 9, Turn((1, 2, 0), 3)),
    ((0, 8, "torus:16x16"), 2, 9, Turn((1, 0), 4, mirror=True)),
    ((0, 6, "mesh:4x4x4"), 2, 7, Turn((0, 2, 1), 2, mirror=True)),
    ((0, 10, "mesh:32x32"), 4, 21, Turn((0, 1), 0, mirror=True)),
]


@pytest.mark.parametrize(("task", "q", "letters", "turn"), CASES, ids=lambda case: str(case))
def test_a_turn_permutes_places_and_keeps_every_rule(task, q, letters, turn):
    """Lines go to lines, and what a node takes part in to what a node takes part in."""
    runs = Task(*task).runs
    model = WordModel(runs, moduli_of(runs, q), (1,) * len(runs))
    items = model.items
    places: list[ScheduledMessage] = [
        (axis, line, item, letter)
        for axis, line in model.lines
        for item, letter in itertools.product(range(len(items[axis])), range(letters))
    ]
    images = {place: turn.image(place, items, q, letters) for place in places}
    assert sorted(images.values()) == sorted(places)
    nodes = {frozenset((*model.lines[line], item) for line, item in node) for node in model.nodes}
    moved = {frozenset(images[(*which, 0)][:3] for which in node) for node in nodes}
    assert moved == nodes
    for (axis, line, item, letter), (to, other, alike, then) in images.items():
        assert items[to][alike].width == items[axis][item].width
        first = images[axis, line, 0, letter]
        assert (to, other, then) == (first[0], first[1], first[3])  # the items of a line together


def test_a_turn_finds_what_was_open():
    """⟨3,9⟩ on 16 x 16 x 16: 9 steps, the bound; the words turn into each other."""
    runs = Task(3, 9, "torus:16x16x16").runs
    base = find(runs, 9, 4, 60, 1, Turn((1, 2, 0), 3))
    assert base is not None
    check_words(base)
    first, second = base.words[0][0], base.words[1][0]
    assert second == first[-3:] + first[:-3]


SEVEN, FOUR = equal_runs(0, 7, 2), equal_runs(0, 4, 2)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: find(SEVEN, modulus=3), "modulus"),
        (lambda: find(SEVEN, modulus=0), "modulus"),
        (lambda: find(SEVEN, steps=1.5), "steps"),
        (lambda: find(equal_runs(0, 0, 2)), "runs"),
        (lambda: find(equal_runs(6, 2, 1)), "62 items"),
        (lambda: find(Task(0, 5, "8x4").runs, turn=Turn((1, 0), 0)), "turn"),  # axes that differ
        (lambda: find(Task(0, 5, "8x4").runs, turn=Turn((0, 0), 0)), "turn"),
        (lambda: find(Task(0, 5, "8x4").runs, turn=Turn((0, 1, 2), 0)), "turn"),
        (lambda: find(FOUR, turn=Turn((1, 0), 0), weights=(2, 1)), "turn"),
        *((lambda w=w: find(FOUR, weights=w), "weights: must be") for w in ((1,), (1, 1, 1))),
        *((lambda w=w: find(FOUR, weights=w), "weights: must be") for w in ((1, 3), (0, 1))),
    ],
)
def test_search_refuses_what_cannot_be(call, argument):
    with pytest.raises(InputError, match=argument):
        call()
