"""What is asked of `place` again and again: which questions, in which order, with what time."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lccmodel.communication.grids import ProcessGrid
from lccmodel.errors import InputError
from lccmodel.placement.search import device_array, place, place_grid, questions
from lccmodel.placement.search.questions import Solution, pareto_front, solve_all


def test_a_front_gives_each_objective_its_share_and_all_before_as_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Time divided by their number; starts by what they are for, then those that were stated."""
    asked: list[tuple[Any, ...]] = []

    def placed(*args: Any, **options: Any) -> Any:
        asked.append((args[2], options["seconds"], list(options["starts"]), options["seed"]))
        return place(*args, **{**options, "seconds": 0})

    monkeypatch.setattr(questions, "place", placed)
    stated = {"mine": np.arange(4)}
    front = pareto_front([(0, 1), (2, 3)], "mesh:2x2", ["joint", "mixture:1/2", "distance"],
                         seconds=6.0, seed=5, starts=stated)  # fmt: skip
    told = ["the one for joint", "the one for mixture:1/2"]
    assert asked == [
        ("joint", 2.0, ["mine"], 5), ("mixture:1/2", 2.0, [told[0], "mine"], 5),
        ("distance", 2.0, [*told, "mine"], 5),
    ]  # fmt: skip
    assert len(front.found) == 3


def test_of_a_front_each_pair_of_numbers_is_kept_once() -> None:
    """The first of equals, and none that has as much of one number and more of the other."""

    def one(joint: int, distance: int, name: str) -> Any:
        return SimpleNamespace(after=SimpleNamespace(joint=joint, distance=distance), name=name)

    found = [one(5, 1, "a"), one(2, 9, "b"), one(3, 4, "c"), one(3, 4, "d"), one(4, 4, "e"),
             one(2, 7, "f"), one(6, 1, "g"), one(1, 20, "h"), one(3, 5, "i")]  # fmt: skip
    assert [kept.name for kept in questions._best(found)] == ["h", "f", "c", "a"]
    assert questions._best([]) == []
    for given in ("joint", ["joint", "max-sum"], ["sum-sum"], [], [3], ["joint", None]):
        with pytest.raises(InputError, match="must be a list of joint, distance and mixtures"):
            pareto_front([(0, 1)], "mesh:4", given, seconds=0)  # type: ignore[arg-type]


TWO = (
    'n = 4\n[[communication]]\nname = "a"\ncatalog = "bit-reverse"\n'
    '[[communication]]\nname = "b"\ncatalog = "matrix-transpose"\n'
)


@pytest.mark.parametrize(("most", "counted"), [(4, True), (3, False)])
@pytest.mark.parametrize("word", ["cube:4", "origin:4"])
def test_ranks_answer_for_every_phase_alone_and_all_together(
    word: str, most: int, counted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Orders are counted up to so many bits; linear maps are found on an Origin."""
    monkeypatch.setattr(questions, "MAX_COUNTED_BITS", most)
    (tmp_path / "two.phases.toml").write_text(TWO)
    asked = Solution.read(tmp_path / "two.phases.toml", word)
    assert (asked.name, asked.path) == ("two", str(tmp_path / "two.phases.toml"))
    steps: list[str] = []
    found = solve_all(asked, ["max-max", "sum-sum"], step=steps.append)
    title = f"two on {word}"
    assert steps == [
        f"{title}: a", f"{title}: b", f"{title}: together, max-max", f"{title}: together, sum-sum"
    ]  # fmt: skip
    assert [one.problem.program.phases[0].name for one in found.alone] == ["a", "b"]
    assert [one.objective for one in found.together] == ["max-max", "sum-sum"]
    assert len(found.linear) == (2 if word == "origin:4" else 0)
    for one in (*found.alone, *found.together):
        assert (one.optimal_orders is not None) == counted


def test_one_phase_has_no_answer_for_all_together(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text(TWO.rpartition("[[")[0])
    found = solve_all(Solution.read(path), ["max-max", "sum-sum"])
    assert (len(found.alone), found.together, found.skipped) == (1, (), "")


def test_after_an_objective_with_too_many_bits_no_other_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    body = '\n[[communication]]\nname = "{0}"\ncatalog = "{0}"\n'
    path.write_text("n = 30\n" + "".join(body.format(n) for n in ("fft", "matrix-transpose")))
    steps: list[str] = []
    found = solve_all(Solution.read(path), ["max-max", "sum-sum"], step=steps.append)
    assert [one.rpartition(": ")[2] for one in steps] == [
        "fft", "matrix-transpose", "together, max-max"
    ]  # fmt: skip
    assert found.skipped.startswith("No mapping for all together: ")


@pytest.mark.parametrize(("phases", "answers"), [(1, ["joint"]), (2, ["joint", "sum-sum"])])
def test_where_ranks_do_not_answer_all_phases_are_placed_together(
    phases: int, answers: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    found = solve_all(asked, ["joint", "sum-sum"], 0.01, steps.append)  # type: ignore[list-item]
    assert [one.objective for one in found.together] == answers
    assert steps == [f"some on mesh:3: {one}" for one in answers]
    assert seconds == [0.01] * phases
    assert (found.alone, found.linear) == ((), ())


def test_a_device_for_every_node_or_more() -> None:
    """One less than the nodes of the network is refused; devices may be of any kind, even lists."""
    m = place_grid(ProcessGrid((2, 1)), "mesh:3", seconds=0)
    names = [["a"], ["b"], ["c"], ["d"]]
    for given in (names[:3], names, iter(names[:3])):
        found = device_array(m, (2, 1), given)
        assert found.shape == (2, 1)
        assert found.ravel().tolist() == [names[node] for node in m.node_of.tolist()]
    with pytest.raises(InputError, match="must be 3, one for every node"):
        device_array(m, (2, 1), names[:2])
    with pytest.raises(InputError, match="must be a sequence or None"):
        device_array(m, (2, 1), 3)
    for sides in ((2, 2), (1,)):
        with pytest.raises(InputError, match="must have 2 ranks"):
            device_array(m, sides, names)
    numbers = device_array(m, (1, 2))
    assert numbers.tolist() == [m.node_of.tolist()]
    numbers[0, 0] = 9
    assert device_array(m, (1, 2)).tolist() == [m.node_of.tolist()]
