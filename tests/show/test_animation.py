"""Moving pictures: a frame for every step, one scale, the same bytes, and nothing without steps."""

import base64
import io
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from lccmodel.communication import catalog
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.movement import Movement
from lccmodel.network import Hypercube, Torus
from lccmodel.network.loads import ChannelLoads
from lccmodel.permutations.comparison import compare
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from lccmodel.show import animation, drawing
from lccmodel.show.animation import (
    MAX_FRAMES,
    animation_bytes,
    animation_page,
    movement_frames,
    schedule_frames,
    step_loads,
    worm_frames,
)
from lccmodel.show.network_artists import LoadScale
from lccmodel.show.node_positions import is_readable
from tests.choosing import fast_only
from tests.cli.calling import run

pytest.importorskip("PIL")


def frames_of(content: bytes) -> int:
    from PIL import Image

    return int(getattr(Image.open(io.BytesIO(content)), "n_frames", 1))


def moved(method: str = "hl") -> Movement:
    movement = compare(catalog.matrix_transpose(4))[method].movement
    assert movement is not None
    return movement


def half_round(ties: Any) -> Movement:
    """On a ring, where a message that goes half round takes the side that the movement says."""
    return Movement.of_positions(Torus((4,)), [[0, 1, 2, 3], [2, 3, 0, 1]], ties=ties)


@pytest.mark.parametrize(
    ("make", "name"),
    [(moved, "e-cube"), (moved, "hl"), (half_round, "plus"), (half_round, "split")],
)
def test_the_steps_together_are_the_movement(make, name):
    """Channel by channel: the loads of the frames add up to those of the whole movement."""
    movement = make(name)
    steps = [step_loads(movement, step) for step in range(movement.steps)]
    assert np.array_equal(sum(loads.counts for loads in steps), movement.channel_use.counts)
    assert tuple(loads.degree for loads in steps) == movement.loads


@pytest.mark.parametrize(
    ("frames", "count"),
    [
        pytest.param(lambda: movement_frames(moved(), "transpose"), 5, marks=pytest.mark.slow),
        (lambda: schedule_frames(schedule(Task(0, 4, "mesh:4x4"))), 4),
    ],
)
def test_a_frame_for_every_step_and_of_a_movement_one_for_all(frames, count):
    drawn = list(frames())
    assert len({tuple(figure.get_size_inches()) for figure in drawn}) == 1
    content = animation_bytes(drawn)
    assert frames_of(content) == len(drawn) == count
    assert content == animation_bytes(frames())


TO_AND_FRO = [[k % 2] for k in range(MAX_FRAMES + 1)]
DOT = Figure(figsize=(0.1, 0.1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: animation_bytes([]), "at least one picture"),
        (lambda: list(schedule_frames(schedule(Task(0, 0, "mesh:4")))), "must have a step"),
        (lambda: animation_bytes(movement_frames(moved()), seconds=0), "seconds"),
        (lambda: list(movement_frames(Movement.of_positions(Hypercube(1), TO_AND_FRO))), "steps"),
        (lambda: animation_page([]), "frames: must be at least one picture"),
        (lambda: animation_page([DOT], seconds=0), r"seconds: must be in 0\.02"),
        (lambda: animation_page([DOT] * (MAX_FRAMES + 1)), f"at most {MAX_FRAMES} pictures"),
    ],
)
def test_what_cannot_be_animated_is_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_more_pictures_than_are_animated_are_refused(monkeypatch):
    """Steps and cycles before anything is drawn; given pictures at the first that is too many."""
    made, worms = schedule(Task(0, 4, "mesh:4x4")), SimpleNamespace(cycles=3)
    monkeypatch.setattr(animation, "MAX_FRAMES", 2)
    with pytest.raises(SizeLimitError, match=r"steps: schedules of at most 2 steps .*; got 4"):
        next(schedule_frames(made))
    with pytest.raises(SizeLimitError, match=r"cycles: at most 2 cycles.*; got 3"):
        next(worm_frames(worms))
    with pytest.raises(SizeLimitError, match=r"frames: at most 2 pictures .* 'more than 2'"):
        animation_bytes([DOT] * 3)
    assert frames_of(animation_bytes([DOT])) == 1


def test_steps_on_a_large_cube_are_drawn_as_loads(monkeypatch):
    """32 nodes are a tangle node by node: the loads of every dimension instead, on one scale."""
    cube, drawn = Hypercube(5), []

    def draw(loads: ChannelLoads, *, title: str, scale: LoadScale) -> Figure:
        drawn.append((loads.per_dimension, scale, title))
        return Figure()

    monkeypatch.setattr(drawing, "draw_loads", draw)
    both = [list(range(32)), [x ^ 16 for x in range(32)], [x & 16 ^ 16 for x in range(32)]]
    there = Movement.of_positions(cube, both)
    assert len(list(movement_frames(there, "across"))) == 3
    assert not is_readable(cube)
    # e-cube clears bits 0 to 3 of a half one after the other: 2^k messages meet on dimension k
    assert [loads for loads, _, _ in drawn[:2]] == [(0, 0, 0, 0, 1), (1, 2, 4, 8, 0)]
    assert {scale for _, scale, _ in drawn} == {(1, 8)}
    assert all("across" in title for _, _, title in drawn)


def test_a_movement_that_stands_still_is_one_picture():
    still = Movement.of_positions(Hypercube(2), [[0, 1, 2, 3]])
    assert len(list(movement_frames(still))) == 1


TYPED = {
    "route bit-reverse -N cube:3 --algorithm hl": 4,  # 3 steps, and all
    "schedule --task 0,2 --network mesh:4x4": 2,
    "trace bit-reverse --network cube:2": 7,  # cycles
    "trace bit-reverse --network cube:3": 7,
}


@pytest.mark.parametrize("typed", fast_only(TYPED, *list(TYPED)[:2]))
def test_a_page_holds_every_picture_and_fetches_nothing(tmp_path, typed):
    file, pictures = tmp_path / "steps & more.html", TYPED[typed]
    assert run(*typed.split(), "--plot", tmp_path / "a.gif").exit_code == 0
    assert frames_of((tmp_path / "a.gif").read_bytes()) > 1
    made = run(*typed.split(), "--plot", file)
    assert made.exit_code == 0, made.output
    page = file.read_text()
    listed = page.partition("const pictures = [")[2].partition("]")[0].strip().split(",\n")
    assert len(listed) == len(set(listed)) == pictures
    for one in listed:
        assert base64.b64decode(one.strip('"').partition(",")[2]).startswith(b"\x89PNG")
    assert f'max="{pictures - 1}"' in page
    assert not re.search(r"(src|href)=.(?!data:)", page)
    assert "<title>steps &amp; more</title>" in page
    first = file.read_bytes()
    assert run(*typed.split(), "--plot", file).exit_code == 0
    assert file.read_bytes() == first


@pytest.mark.parametrize(
    "typed",
    [
        "route bit-reverse -N cube:3",
        "route bit-reverse -N cube:3 --algorithm all",
        "schedule --task 0,2 --network mesh:4x4 --step 0",
        "map bit-reverse -N cube:3",
    ],
)
def test_a_gif_that_cannot_be_made_leaves_no_file(tmp_path, typed):
    for name in ("a.gif", "a.html"):
        result = run(*typed.split(), "--plot", tmp_path / name)
        assert result.exit_code == 2, result.output
        assert list(tmp_path.iterdir()) == []
