"""What is asked of `place` again and again: which questions, in which order, with what time."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.placement.search import device_array, place, place_grid, questions
from lccmodel.placement.search.questions import Solution, pareto_front, solve_all


def test_a_front_gives_each_objective_its_share_and_all_before_as_starts(monkeypatch):
    """Time divided by their number; starts by what they are for, then those that were stated."""
    asked: list[tuple[Any, ...]] = []

    def placed(*args: Any, **options: Any) -> Any:
        asked.append((args[2], options["seconds"], list(options["starts"]), options["seed"]))
        return place(*args, **{**options, "seconds": 0})

    monkeypatch.setattr(questions, "place", placed)
    front = pareto_front([(0, 1), (2, 3)], "mesh:2x2", ["joint", "mixture:1/2", "distance"],
                         seconds=6.0, seed=5, starts={"mine": np.arange(4)})  # fmt: skip
    before = ["the one for joint", "the one for mixture:1/2"]
    assert asked == [
        ("joint", 2.0, ["mine"], 5), ("mixture:1/2", 2.0, [before[0], "mine"], 5),
        ("distance", 2.0, [*before, "mine"], 5),
    ]  # fmt: skip
    assert len(front.found) == 3


def test_of_a_front_each_pair_of_numbers_is_kept_once():
    """The first of equals, and none that has as much of one number and more of the other."""
    pairs = {"a": (5, 1), "b": (2, 9), "c": (3, 4), "d": (3, 4), "e": (4, 4), "f": (2, 7),
             "g": (6, 1), "h": (1, 20), "i": (3, 5)}  # fmt: skip
    answers: Any = [
        SimpleNamespace(after=SimpleNamespace(joint=joint, distance=distance), name=name)
        for name, (joint, distance) in pairs.items()
    ]
    assert [kept.name for kept in questions._best(answers)] == ["h", "f", "c", "a"]
    assert questions._best([]) == []


@pytest.mark.parametrize(
    "objectives", ["joint", ["joint", "max-sum"], ["sum-sum"], [], [3], ["joint", None]]
)
def test_a_front_is_of_joint_distance_and_mixtures(objectives):
    with pytest.raises(InputError, match="must be a list of joint, distance and mixtures"):
        pareto_front([(0, 1)], "mesh:4", objectives, seconds=0)


BOTH = ["max-max", "sum-sum"]
TWO = ("bit-reverse", "matrix-transpose")


@pytest.mark.parametrize(("words", "n", "network", "asked", "most", "linear"), [
    (TWO, 4, "cube:4", BOTH, 4, 0), (TWO, 4, "cube:4", BOTH, 3, 0),
    (TWO, 4, "origin:4", BOTH, 4, 2), (TWO[:1], 4, "cube:4", [], 4, 0),
    (("fft", TWO[1]), 30, "cube:30", BOTH[:1], 4, 0),
])  # fmt: skip
def test_ranks_answer_for_every_phase_alone_and_all_together(
    words, n, network, asked, most, linear,
    tmp_path, monkeypatch,
):  # fmt: skip
    """Orders are counted up to so many bits; linear maps are found on an Origin.

    One phase has no answer for all together; after an objective with too many bits none follows.
    """
    monkeypatch.setattr(questions, "MAX_COUNTED_BITS", most)
    path, skipped, steps = tmp_path / "two.phases.toml", n > 26, list[str]()
    body = '[[communication]]\nname = "{0}"\ncatalog = "{0}"\n'
    path.write_text(f"n = {n}\n" + "".join(body.format(word) for word in words))
    solution = Solution.read(path, network)
    assert (solution.name, solution.path) == ("two", str(path))
    found = solve_all(solution, BOTH, step=steps.append)
    titles = [*words, *(f"together, {objective}" for objective in asked)]
    assert steps == [f"two on {network}: {title}" for title in titles]
    assert [alone.problem.program.phases[0].name for alone in found.alone] == list(words)
    assert [answer.objective for answer in found.together] == ([] if skipped else asked)
    assert found.skipped.startswith("No mapping for all together: " if skipped else "")
    assert bool(found.skipped) == skipped
    assert len(found.linear) == linear
    for answer in (*found.alone, *found.together):
        assert (answer.optimal_orders is not None) == (n <= most)


@pytest.mark.parametrize(("phases", "answers"), [(1, ["joint"]), (2, ["joint", "sum-sum"])])
def test_where_ranks_do_not_answer_all_phases_are_placed_together(
    phases, answers, tmp_path, monkeypatch
):
    """One phase has one objective; the stated time is that of each."""
    seconds: list[float] = []
    monkeypatch.setattr(
        questions, "place", lambda *args, **o: seconds.append(o["seconds"]) or place(*args, **o)
    )
    path = tmp_path / "some.toml"
    body = '\n[[communication]]\nname = "{0}"\npairs = [[0, 1], [1, 2]]\n'
    path.write_text("".join(body.format(k) for k in range(phases)))
    asked, steps = Solution.read(path, "mesh:3"), list[str]()
    assert not asked.ranked
    found = solve_all(asked, ["joint", "sum-sum"], 0.01, steps.append)
    assert [answer.objective for answer in found.together] == answers
    assert steps == [f"some on mesh:3: {answer}" for answer in answers]
    assert seconds == [0.01] * phases
    assert (found.alone, found.linear) == ((), ())


def test_a_device_for_every_node_or_more():
    """Rank r of the grid is on device node_of[r]; devices may be of any kind, even lists."""
    m = place_grid((4, 2), "torus:3x3", volumes=(1, 3), seconds=0.01)
    names = [[f"device {k}"] for k in range(10)]
    for devices in (names[:9], names, iter(names[:9])):
        array = device_array(m, (4, 2), devices)
        assert array.shape == (4, 2)
        assert array.ravel().tolist() == [names[node] for node in m.node_of.tolist()]
    numbers = device_array(m, (2, 4))
    assert numbers.tolist() == m.node_of.reshape(2, 4).tolist()
    numbers[0, 0] = 9
    assert device_array(m, (2, 4)).tolist() == m.node_of.reshape(2, 4).tolist()
    for sides, devices, words in (
        ((4, 2), names[:8], "devices: must be 9, one for every node"),
        ((4, 2), 3, "must be a sequence or None"), ((4, 4), names, "must have 8 ranks"),
        ((1,), names, "must have 8 ranks"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=words):
            device_array(m, sides, devices)
    alone = place_grid((1, 1), "cube:2")
    assert (alone.after.value, alone.optimal) == (0, True)
    assert device_array(alone, (1, 1)).shape == (1, 1)
