"""Turns of `lccmodel.pipelining.search`: symmetries of the model, and what they find.

The rules that words of a schedule obey are those of docs/schedules.md.
"""

from __future__ import annotations

import itertools

import pytest

from lccmodel.errors import InputError
from lccmodel.pipelining import Task, search
from lccmodel.pipelining.annealing import WordModel
from lccmodel.pipelining.base_schedules import moduli_of
from lccmodel.pipelining.loads import equal_runs
from lccmodel.pipelining.search import ScheduledMessage, Turn, find

pytest.importorskip("ortools")

CASES = [
    ((3, 9, "torus:16x16x16"), 4, 9, Turn((1, 2, 0), 3)),
    ((0, 8, "torus:16x16"), 2, 9, Turn((1, 0), 4, mirror=True)),
    ((0, 6, "mesh:4x4x4"), 2, 7, Turn((0, 2, 1), 2, mirror=True)),
    ((0, 10, "mesh:32x32"), 4, 21, Turn((0, 1), 0, mirror=True)),
]


@pytest.mark.parametrize(("task", "q", "letters", "turn"), CASES, ids=lambda case: str(case))
def test_a_turn_permutes_places_and_keeps_every_rule(
    task: tuple[int, int, str], q: int, letters: int, turn: Turn
) -> None:
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
        one = images[axis, line, 0, letter]
        assert (to, other, then) == (one[0], one[1], one[3])  # all items of a line together


def test_a_turn_finds_what_was_open() -> None:
    """⟨3,9⟩ on 16 x 16 x 16: 9 steps, the bound; the words turn into each other."""
    runs = Task(3, 9, "torus:16x16x16").runs
    found = find(runs, 9, 4, 60, 1, Turn((1, 2, 0), 3))
    assert found is not None
    first, second = found.words[0][0], found.words[1][0]
    assert second == first[-3:] + first[:-3]


@pytest.mark.parametrize("letters", [3, 4, 6])
def test_letters_without_an_item_stay_idle(letters: int) -> None:
    """Two levels of one axis: one item, two steps wide, by the solver alone."""
    runs = equal_runs(0, 2, 1)
    words = search._solve(WordModel(runs, moduli_of(runs, 1), (1,)), letters, 1, 60, 1, None)
    assert words is not None
    assert sorted(words[0][0]) == sorted("00" + "." * (letters - 2))
    words = search._solve(WordModel(runs, moduli_of(runs, 1), (1,)), letters, 2, 60, 1, None)
    assert words is not None  # a letter of two steps
    assert sorted(words[0][0]) == sorted("0" + "." * (letters - 1))


def test_axes_that_differ_are_refused() -> None:
    for axes in ((1, 0), (0, 0), (0, 1, 2)):
        with pytest.raises(InputError, match="turn"):
            find(Task(0, 5, "8x4").runs, turn=Turn(axes, 0))
    with pytest.raises(InputError, match="turn"):
        find(Task(0, 4, "4x4").runs, turn=Turn((1, 0), 0), weights=(2, 1))


def test_a_weight_is_for_every_axis_and_a_power_of_two() -> None:
    """w of the module: one an axis; two axes have two."""
    for weights in ((1,), (1, 1, 1), (1, 3), (0, 1)):
        with pytest.raises(InputError, match="weights: must be"):
            find(equal_runs(0, 4, 2), weights=weights)


def test_words_are_annealed_at_length_only_where_a_solver_would_need_long(monkeypatch) -> None:
    """Three rounds up to 128 letters of all words together, twelve beyond; none under a turn."""
    asked: list[tuple[int, int]] = []

    def annealed(model: WordModel, letters: int, unit: int, rounds: int, until: float) -> None:
        asked.append((len(model.lines) * letters, rounds))

    monkeypatch.setattr(search, "annealed", annealed)
    monkeypatch.setattr(search, "_solve", lambda *_: None)
    for steps in (128, 256, 258):
        assert find(equal_runs(0, 4, 1), steps) is None
    for steps in (63, 64, 65):
        assert find(equal_runs(0, 3, 2), steps) is None
    assert find(equal_runs(0, 4, 2), turn=Turn((1, 0), 0)) is None
    assert asked == [(64, 3), (128, 3), (129, 12), (252, 12), (256, 12), (260, 12)]
