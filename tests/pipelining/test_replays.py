"""The replay of a schedule, against `Movement.replay`, which walks every message, and by hand.

[calmant, Theorem 4]: in a step a link carries one message and a node sends one.
"""

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.movement import Conflict, Message
from lccmodel.pipelining import replays
from lccmodel.pipelining.replays import Replay, movement_of, replay
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from tests.pipelining.equal import embed, task_of


@st.composite
def _any_steps(draw: Any) -> tuple[Task, Any, Any]:
    """A window of a mesh or torus of any sides, good steps or not, and ties of any kind."""
    words = ["mesh:16", "torus:16", "torus:2x8", "mesh:4x2x8", "torus:8x4x4", "torus:8x8,wrap=0"]
    whole = Task.whole(draw(st.sampled_from(words)))
    i = draw(st.integers(0, whole.d - 1))
    ports = draw(st.sampled_from(["one", "all"]))
    task = Task(i, draw(st.integers(0, whole.d - i)), whole.mesh, ports)
    made, random = schedule(task), np.random.default_rng(draw(st.integers(0, 999)))
    steps, kind = made.steps.copy(), draw(st.sampled_from(["good", "one", "few", "random"]))
    for _ in range({"one": 1, "few": 9}.get(kind, 0) if steps.size else 0):
        steps.ravel()[random.integers(steps.size)] = random.integers(made.length + 1)
    if kind == "random":
        steps = random.integers(0, 40 * steps.size + 1, steps.shape)
    ties = made.ties if draw(st.booleans()) else [*draw(st.permutations(["split", "plus", "line"]))]
    return task, steps, (tuple(ties) * task.M)[: task.M]


@given(_any_steps(), st.sampled_from([1, 3]))
def test_sweeping_lines_says_what_walking_messages_says(given_steps, threads):
    """Every number of the certificate, and the first conflict down to its two messages."""
    task, steps, ties = given_steps
    walked = movement_of(task, steps, ties).replay(task.ports)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replays, "_WORTH_THREADS", 0)
        patch.setattr(replays, "cores", lambda: threads)
        swept = replay(task, steps, ties)
    if isinstance(walked, Conflict):
        assert swept == walked
        return
    assert isinstance(swept, Replay)
    assert swept.loads == walked.loads == swept.certificate.loads
    assert swept.messages_per_step.tolist() == walked.messages_per_step.tolist()
    assert swept.links_per_step.tolist() == walked.hops_per_step.tolist()
    assert (swept.steps, swept.hops, swept.max_load) == (walked.steps, walked.hops, walked.max_load)
    assert (swept.busiest, swept.utilisation) == (walked.busiest, walked.utilisation)
    assert swept.delivered == walked.movement.messages
    assert swept.certificate.movement == walked.movement


@pytest.mark.parametrize(("c", "d"), [(1, 3), (2, 4), (3, 6)])
@pytest.mark.parametrize("topology", ["mesh", "torus"])
def test_messages_go_to_the_neighbours_of_the_cube(topology, c, d):
    task = task_of(0, d, c, d, topology)
    movement = movement_of(task, np.arange(d << d).reshape(d, -1), "split")
    pairs = [(embed(n, d, c), embed(n ^ 1 << k, d, c)) for k in range(d) for n in range(1 << d)]
    assert list(zip(movement.starts.tolist(), movement.ends.tolist(), strict=True)) == pairs


def test_what_is_replayed_is_kept():
    steps = np.array([[1, 0, 0, 1], [0, 1, 1, 0]])
    found = replay(task_of(0, 2, 1, 2), steps)
    steps[:] = 0
    assert isinstance(found, Replay)
    assert found.certificate.movement.first.tolist() == [0, 4, 8]


def test_certificate_of_a_line():
    task = task_of(0, 2, c=1, d=2)
    result = replay(task, [[1, 0, 0, 1], [0, 1, 1, 0]])
    assert isinstance(result, Replay)
    assert (result.steps, result.delivered, result.hops, result.is_optimal) == (2, 8, 12, True)
    assert result.messages_per_step.tolist() == [4, 4]
    assert result.links_per_step.tolist() == [6, 6]
    assert result.utilisation == (Fraction(1), Fraction(1))
    with pytest.raises(ValueError, match="read-only"):
        result.links_per_step[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.steps = 1


def test_a_conflict_names_its_messages():
    send = replay(task_of(0, 2, 1, 2), [[0, 1, 2, 3], [0, 4, 5, 6]])
    both = (Message(0, 0, 1, "dimension 0"), Message(4, 0, 2, "dimension 1"))
    assert send == Conflict("send", 0, *both, 0, 0)
    receive = replay(task_of(0, 2, 1, 2), [[0, 1, 2, 3], [4, 5, 6, 0]])
    assert str(receive) == (
        "step 0: 0 -> 1 (dimension 0) and 3 -> 1 (dimension 1): node 1 receives both"
    )


def test_all_ports_free_the_ports_but_not_the_links():
    steps = [[0] * 4, [0] * 4]
    assert replay(task_of(0, 2, 2, 2, ports="all"), steps).ok
    assert not replay(task_of(0, 2, 2, 2), steps).ok
    assert not replay(task_of(0, 2, 1, 2, ports="all"), steps).ok


def test_ties_decide_on_a_ring():
    """Half a ring of 4: all at once if split; two and two, or one after another, if not."""
    task = task_of(1, 1, 1, 2, "torus")
    assert replay(task, [[0, 0, 0, 0]], "split").ok
    assert not replay(task, [[0, 0, 0, 0]], "plus").ok
    assert not replay(task, [[0, 0, 0, 0]], "line").ok
    assert replay(task, [[0, 1, 0, 1]], ["plus"]).ok
    assert replay(task_of(0, 1, 1, 1, "torus"), [[0, 0]], "plus").ok


def test_the_empty_task_and_gaps():
    empty = replay(task_of(2, 0, 1, 3), np.empty((0, 8)))
    assert isinstance(empty, Replay)
    assert (empty.steps, empty.hops, empty.busiest, empty.is_optimal) == (0, 0, None, True)
    late = replay(task_of(0, 1, 1, 1), [[3, 5]])
    assert isinstance(late, Replay)
    assert late.messages_per_step.tolist() == [0, 0, 0, 1, 0, 1]
    assert not late.is_optimal


ONE, FOUR = task_of(0, 1, 1, 1), task_of(0, 1, 1, 2)


@pytest.mark.parametrize(
    ("task", "steps", "ties", "argument"),
    [
        *((FOUR, steps, "split", "steps") for steps in ([[0, 1]], [[0, 1, 2, -1]], [0, 1, 2, 3])),
        *((FOUR, steps, "split", "steps") for steps in ([[0.0, 1.0, 2.0, 3.0]], "0123", None)),
        (FOUR, [[0, 1, 2, 1 << 26]], "split", "steps"),
        *((ONE, [[0, 0]], ties, "ties") for ties in ("up", ["split", "split"], [])),
    ],
)
def test_bad_input_is_named(task, steps, ties, argument):
    with pytest.raises(InputError) as caught:
        replay(task, steps, ties)
    assert caught.value.argument == argument


def test_more_than_can_be_replayed_is_refused():
    with pytest.raises(SizeLimitError):
        replay(task_of(0, 1, 1, 25), [[0]])
