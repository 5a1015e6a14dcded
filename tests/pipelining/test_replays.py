"""The replay, against a second one that walks the explicit graph with sets, and its controls.

[calmant, Theorem 4]: in a step a link carries one message and a node sends one.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.movement import Conflict, Message
from lccmodel.pipelining import replays
from lccmodel.pipelining.replays import Replay, movement_of, replay
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from tests.pipelining.equal import embed, task_of


def _conflicting_steps(task: Task, steps: Any) -> set[int]:
    """The steps with a conflict, by paths of the network (ties go in the + direction)."""
    mesh, bad = task.mesh, set()
    seen: set[Any] = set()
    for q, k in enumerate(task.dimensions):
        for n in range(1 << task.d):
            u, v = embed(n, task.d, task.c), embed(n ^ 1 << k, task.d, task.c)
            step = int(steps[q][n])
            things: list[Any] = [("link", *channel) for channel in mesh.channels(u, v)]
            if task.ports == "one":
                things += [("send", u), ("receive", v)]
            for thing in things:
                if (step, thing) in seen:
                    bad.add(step)
                seen.add((step, thing))
    return bad


@st.composite
def _scheduled(draw: Any) -> tuple[Task, Any]:
    """A task with a schedule that is good, good but for one message, or random."""
    c, d = draw(st.sampled_from([(1, 1), (1, 3), (2, 2), (2, 4), (3, 3), (3, 6)]))
    i = draw(st.integers(0, d - 1))
    M = draw(st.integers(1, d - i))
    topology, ports = (
        draw(st.sampled_from(["mesh", "torus"])),
        draw(st.sampled_from(["one", "all"])),
    )
    task = task_of(i, M, c, d, topology, ports)
    steps = schedule(task_of(i, M, c, d, "mesh", ports), "subtasks").steps.copy()
    if draw(st.booleans()):
        q, n = draw(st.integers(0, M - 1)), draw(st.integers(0, (1 << d) - 1))
        steps[q, n] = draw(st.integers(0, int(steps.max()) + 1))
    elif draw(st.booleans()):
        random = np.random.default_rng(draw(st.integers(0, 999)))
        steps = random.integers(0, 4 * M << d // c, steps.shape)
    return task, steps


@settings(max_examples=150, deadline=None)
@given(_scheduled())
def test_replay_agrees_with_paths_on_the_graph(scheduled: tuple[Task, Any]) -> None:
    task, steps = scheduled
    bad = _conflicting_steps(task, steps)
    result = replay(task, steps, "plus")
    assert result.ok is not bool(bad)
    if isinstance(result, Conflict):
        assert result.step == min(bad)
    else:
        assert result.delivered == len(task.messages())
        counts = task.mesh.channel_loads(task.messages())
        assert (result.hops, result.max_load) == (counts.counts.sum(), counts.degree)
        assert result.busiest in counts.busiest()


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
def test_sweeping_lines_says_what_walking_messages_says(
    given_steps: tuple[Task, Any, Any], threads: int
) -> None:
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


def test_what_is_replayed_is_kept() -> None:
    steps = np.array([[1, 0, 0, 1], [0, 1, 1, 0]])
    found = replay(task_of(0, 2, 1, 2), steps)
    steps[:] = 0
    assert isinstance(found, Replay)
    assert found.certificate.movement.first.tolist() == [0, 4, 8]


def test_certificate_of_a_line() -> None:
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


def test_every_kind_of_conflict_is_found() -> None:
    """The two messages, the step and the place, each kind made by hand."""
    send = replay(task_of(0, 2, 1, 2), [[0, 1, 2, 3], [0, 4, 5, 6]])
    both = (Message(0, 0, 1, "dimension 0"), Message(4, 0, 2, "dimension 1"))
    assert send == Conflict("send", 0, *both, 0, 0)
    receive = replay(task_of(0, 2, 1, 2), [[0, 1, 2, 3], [4, 5, 6, 0]])
    assert isinstance(receive, Conflict)
    assert (receive.kind, receive.place) == ("receive", 1)
    assert str(receive) == (
        "step 0: 0 -> 1 (dimension 0) and 3 -> 1 (dimension 1): node 1 receives both"
    )
    link = replay(task_of(1, 1, 1, 2), [[7, 7, 8, 9]])
    assert isinstance(link, Conflict)
    assert (link.kind, link.step, link.place) == ("channel", 7, (1, 2))
    assert (link.first.number, link.second.number) == (0, 1)


def test_all_ports_free_the_ports_but_not_the_links() -> None:
    steps = [[0] * 4, [0] * 4]
    assert replay(task_of(0, 2, 2, 2, ports="all"), steps).ok
    assert not replay(task_of(0, 2, 2, 2), steps).ok
    assert not replay(task_of(0, 2, 1, 2, ports="all"), steps).ok


def test_ties_decide_on_a_ring() -> None:
    """Half a ring of 4: all at once if split; two and two, or one after another, if not."""
    task = task_of(1, 1, 1, 2, "torus")
    assert replay(task, [[0, 0, 0, 0]], "split").ok
    assert not replay(task, [[0, 0, 0, 0]], "plus").ok
    assert not replay(task, [[0, 0, 0, 0]], "line").ok
    assert replay(task, [[0, 1, 0, 1]], ["plus"]).ok
    assert replay(task_of(0, 1, 1, 1, "torus"), [[0, 0]], "plus").ok


def test_the_empty_task_and_gaps() -> None:
    empty = replay(task_of(2, 0, 1, 3), np.empty((0, 8)))
    assert isinstance(empty, Replay)
    assert (empty.steps, empty.hops, empty.busiest, empty.is_optimal) == (0, 0, None, True)
    late = replay(task_of(0, 1, 1, 1), [[3, 5]])
    assert isinstance(late, Replay)
    assert late.messages_per_step.tolist() == [0, 0, 0, 1, 0, 1]
    assert not late.is_optimal


@pytest.mark.parametrize("seed", range(6))
def test_negative_control(seed: int) -> None:
    """One message moved into the step of a message from the same node is always caught."""
    random = np.random.default_rng(seed)
    task = task_of(1, 4, 2, 6)
    steps = schedule(task, "subtasks").steps.copy()
    n, (q, r) = random.integers(0, 64), random.choice(4, 2, replace=False)
    steps[q, n] = steps[r, n]
    result = replay(task, steps)
    assert isinstance(result, Conflict)
    assert result.step == steps[r, n]


@pytest.mark.parametrize(
    "steps",
    [
        [[0, 1]],
        [[0, 1, 2, -1]],
        [[0.0, 1.0, 2.0, 3.0]],
        [[0, 1, 2, 1 << 26]],
        [0, 1, 2, 3],
        "0123",
        None,
    ],
)
def test_bad_steps(steps: Any) -> None:
    with pytest.raises(InputError) as caught:
        replay(task_of(0, 1, 1, 2), steps)
    assert caught.value.argument == "steps"


def test_bad_ties_and_sizes() -> None:
    for ties in ("up", ["split", "split"], []):
        with pytest.raises(InputError, match="ties"):
            replay(task_of(0, 1, 1, 1), [[0, 0]], ties)
    with pytest.raises(SizeLimitError):
        replay(task_of(0, 1, 1, 25), [[0]])
