"""What stands in drawings of schedules and loads: one arrow per message, bars as high as loads.

[calmant, Figs. 4 to 7].
"""

from typing import Any

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch, PathPatch, Rectangle

from lccmodel.errors import InputError
from lccmodel.pipelining.schedules import schedule
from lccmodel.show.schedule_drawing import draw_link_loads, draw_step, draw_steps
from tests.choosing import sampled
from tests.pipelining.equal import embed, task_of


def _bodies(axes: Any) -> list[PathPatch]:
    return [patch for patch in axes.patches if isinstance(patch, PathPatch)]


def _circles(axes: Any) -> list[Any]:
    return [patch for patch in axes.patches if (patch.get_gid() or "").startswith("node-")]


@pytest.mark.parametrize(("c", "d"), sampled([(1, 1), (1, 4), (2, 4), (2, 6)], 2))
def test_one_arrow_for_every_message(c, d):
    s = schedule(task_of(0, min(d, 2 * c), c, d), "subtasks")
    for step in range(s.length):
        (axes,) = draw_step(s, step).axes
        names = [f"message-{m.source}-{m.destination}" for m in s.messages(step)]
        assert [body.get_gid() for body in _bodies(axes)] == names
        assert sum(isinstance(patch, FancyArrowPatch) for patch in axes.patches) == len(names)
        assert axes.get_title() == f"step {step}: {len(names)} messages"


def test_an_arrow_runs_from_source_to_destination_on_its_right():
    (axes,) = draw_step(schedule(task_of(1, 1, 1, 3), "subtasks"), 0).axes
    points = {body.get_gid(): body.get_path().vertices for body in _bodies(axes)}
    east, west = points["message-0-2"], points["message-2-0"]
    assert east[0][0] < east[-1][0] < 2
    assert west[0][0] > west[-1][0] > 0
    assert east[-1][1] == -west[-1][1] < 0


def test_messages_around_a_torus_are_drawn_on_both_sides():
    s = schedule(task_of(2, 1, 1, 3, "torus"), "subtasks")
    (axes,) = draw_step(s, 0).axes
    names = [body.get_gid() for body in _bodies(axes)]
    around = [m for m in s.messages(0) if names.count(f"message-{m.source}-{m.destination}") == 2]
    forward = [m for m in around if m.source % 2 == 0]
    assert {m.source for m in forward} == {4}  # 4 -> 0 in the + direction
    assert len(names) == len(s.task.messages()) // s.length + len(around)


def test_steps_share_a_figure():
    s = schedule(task_of(1, 2, 1, 3), "subtasks")
    figure = draw_steps(s)
    assert len(figure.axes) == s.length
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words == ["dimension 1", "dimension 2"]
    assert len(draw_steps(s, [2, 0]).axes) == 2
    assert figure.get_suptitle() == "⟨1,2⟩ with c = 1 on a mesh of 8 nodes: 4 steps"


def test_groups_of_nodes_have_shades():
    """White for the smallest number, then darker; the groups m mod 4 of a line."""
    s, groups = schedule(task_of(2, 1, 1, 3)), [m % 4 for m in range(8)]
    for axes in (*draw_step(s, 0, groups=groups).axes, *draw_steps(s, groups=groups).axes):
        greys = [node.get_facecolor()[0] for node in _circles(axes)]
        assert greys[:4] == greys[4:] == sorted(set(greys), reverse=True)
        assert (len(set(greys)), greys[0]) == (4, 1)


@pytest.mark.parametrize("topology", sampled(["torus", "mesh"], 2))
def test_planes_of_three_axes_show_all_messages_between_them(topology):
    """Planes along axes 0 and 1 show each message of those axes once, at its length."""
    s = schedule(task_of(0, 6, 3, 6, topology))
    nodes = embed(np.arange(64), 6, 3)
    for step in range(s.length):
        drawn: set[str] = set()
        for z in range(4):
            (axes,) = draw_step(s, step, plane={2: z}).axes
            drawn |= {str(body.get_gid()) for body in _bodies(axes)}
            shown = {int(patch.get_gid()[5:]) for patch in _circles(axes)}
            assert shown == set(range(16 * z, 16 * z + 16))
        sent = [(int(q), int(n)) for q, n in np.argwhere(s.steps == step) if q % 3 < 2]
        expected = {f"message-{nodes[n]}-{nodes[n ^ 1 << q]}" for q, n in sent}
        assert drawn == expected
    figure = draw_steps(s, [0], plane={0: 1})
    assert figure.get_suptitle().endswith("coordinate 0 = 1")
    words = [text.get_text() for text in figure.legends[0].get_texts()]
    assert words == [f"dimension {k}" for k in (1, 2, 4, 5)]


def test_arrows_of_a_plane_follow_its_own_axes():
    """In the plane of axes 1 and 2 dimension 1 runs to the right, dimension 2 upwards."""
    s = schedule(task_of(1, 2, 3, 6))
    for step in range(s.length):
        (axes,) = draw_step(s, step, plane={0: 0}).axes
        for body in _bodies(axes):
            _, source, goal = str(body.get_gid()).split("-")
            start, end = body.get_path().vertices[[0, -1]]
            right = abs(int(goal) - int(source)) == 4  # axis 1, one link
            assert abs(end[0] - start[0]) > 0.2 if right else abs(end[1] - start[1]) > 0.2


@pytest.mark.parametrize("topology", ["mesh", "torus"])
def test_bars_are_the_loads(topology):
    task = task_of(1, 4, 2, 6, topology)
    figure = draw_link_loads(task)
    loads = task.link_loads()
    for axis, axes in enumerate(figure.axes):
        bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
        assert sum(bar.get_height() for bar in bars if bar.get_height() > 0) == loads[axis][0].sum()
        highest = max(bar.get_y() + bar.get_height() for bar in bars)
        assert highest == loads[axis][0].max()
    assert figure.get_suptitle().endswith(f"maximum load {task.max_load}")


def made(i: int, M: int, c: int, d: int) -> Any:
    return schedule(task_of(i, M, c, d), "subtasks")


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        *(
            (lambda plane=plane: draw_step(made(0, 3, 3, 6), 0, plane=plane), "plane")
            for plane in ({3: 0}, {0: 0, 1: 0}, {2: 4}, {2: -1}, {2: "0"})
        ),
        (lambda: draw_step(made(0, 2, 2, 4), 0, plane={0: 0}), "plane"),
        (lambda: draw_step(made(0, 2, 2, 4), 0, groups=[1, 2]), "groups"),
        (lambda: draw_step(made(0, 2, 2, 4), -1), "step"),
        (lambda: draw_step(made(0, 2, 2, 4), 2), "step"),
        (lambda: draw_steps(made(0, 2, 2, 4), []), "steps"),
        (lambda: draw_step(made(0, 3, 3, 6), 0), "plane"),
        (lambda: draw_step(made(0, 1, 1, 9), 0), "nodes"),
        (lambda: draw_steps(made(0, 7, 1, 7)), "steps"),
        (lambda: draw_link_loads(task_of(0, 1, 1, 10)), "nodes"),
        (lambda: draw_link_loads(task_of(0, 0, 1, 1)), "task"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, words):
    with pytest.raises(InputError, match=words):
        draw()
