"""The replay of a schedule, against dictionaries in plain Python and a compiled walk."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Benchmark
from lccmodel.movement import Certificate
from lccmodel.pipelining import Replay, Task, replay, schedule
from lccmodel.pipelining.replays import movement_of

DIMENSIONS = 8  # of the task, all on the shortest links of two axes

Ready = tuple[Task, npt.NDArray[np.int64]]


def prepare(messages: int) -> Ready:
    """The schedule of ⟨0,8⟩ on a square mesh with so many messages."""
    side = 1 << (messages // DIMENSIONS).bit_length() // 2
    task = Task(0, DIMENSIONS, f"mesh:{side}x{side}")
    return task, schedule(task).steps


def link_use(ready: Ready) -> npt.NDArray[np.integer]:
    """Messages on every link; the steps in which one has two end the replay."""
    replayed = replay(*ready)
    assert isinstance(replayed, Replay)
    return replayed.loads.counts


def whole(messages: int) -> Ready:
    """The schedule of all dimensions of a square mesh with at least so many messages."""
    half = next(n for n in range(1, 13) if 2 * n << 2 * n >= messages)
    task = Task.whole(f"mesh:{1 << half}x{1 << half}")
    return task, schedule(task).steps


def by_walking(ready: Ready) -> npt.NDArray[np.integer]:
    """Every message over every link of its way, as any movement is replayed."""
    replayed = movement_of(*ready).replay("one")
    assert isinstance(replayed, Certificate)
    return replayed.loads.counts


def by_dictionaries(ready: Ready) -> npt.NDArray[np.int64]:
    task, steps = ready
    side, size = task.mesh.shape[0], task.mesh.size
    taken: set[tuple[int, str, int]] = set()
    use: Counter[tuple[int, int]] = Counter()
    for (source, goal), step in zip(task.messages().tolist(), steps.ravel().tolist(), strict=True):
        claimed = [("send", source), ("receive", goal)]
        here = source
        while here != goal:
            low = here % side != goal % side
            ahead = goal % side > here % side if low else goal > here
            row = 2 * (not low) + (not ahead)
            claimed.append((f"row {row}", here))
            use[row, here] += 1
            here += (1 if ahead else -1) * (1 if low else side)
        for what, where in claimed:
            assert (step, what, where) not in taken
            taken.add((step, what, where))
    counts = np.zeros((4, size), dtype=np.int64)
    for (row, node), number in use.items():
        counts[row, node] = number
    return counts


BENCHMARKS = [
    Benchmark(
        name="schedule-replay",
        work="messages of a schedule on mesh:256x256 replayed, one port",
        items=DIMENSIONS << 16,
        prepare=prepare,
        ours=link_use,
        peer_name="sets and dictionaries in Python",
        peer=by_dictionaries,
        peer_items=DIMENSIONS << 10,
        goal=50,
        goal_seconds=0.05,
    ),
    Benchmark(
        name="schedule-replay-whole",
        work="messages of all dimensions of mesh:1024x1024 replayed, one port",
        items=20 << 20,
        prepare=whole,
        ours=link_use,
        peer_name="a compiled walk over every link (on mesh:256x256)",
        peer=by_walking,
        peer_items=16 << 16,
        goal=2,
        goal_seconds=1,
        repeats=3,
    ),
]
