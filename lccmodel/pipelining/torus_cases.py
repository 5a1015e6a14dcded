"""Schedules of whole tasks on a torus that no splitting finds: solved once, kept as words.

The schedules are symmetric. On every axis of s nodes a shift by s/2 and the reflection
x -> s-1-x leave a task on a torus as it is, with `ties="split"` too: the reflection turns even
coordinates, which go in the + direction, into odd ones, which go in the - direction. So only the
(s/4)^c nodes with all coordinates below s/4 need words; letter q of a word is the step in which
the node sends through dimension i + q.

    coordinate x of s = 16     0 1 2 3 4 5 6 7 8 9 ... 15
    stands for                 0 1 2 3 3 2 1 0 0 1 ...  0

`find` searches such words with OR-tools CP-SAT (the extra `search`); the library never calls it.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.pipelining.standard_embedding import axis_coordinates
from lccmodel.pipelining.task import Task

__all__ = ["find", "solved_length", "solved_steps"]

Ints = npt.NDArray[np.int64]

_WORDS: dict[tuple[int, int, int, int], str] = {
    (0, 8, 2, 8): (
        "01234567 57048236 51832476 57480613 "
        "63021478 08274153 63410782 68102735 "
        "21045386 58312470 05246318 52360841 "
        "61758240 38126705 74853120 86107254"
    ),
}
"""(i, M, c, d): a word of M letters for each node with coordinates below s/4, axis 0 fastest."""


def solved_length(i: int, M: int, c: int, d: int) -> int | None:
    """The number of steps of a solved task on a torus; None if it is not among them.

    >>> solved_length(0, 8, 2, 8), solved_length(0, 7, 2, 8)
    (9, None)
    """
    words = _WORDS.get((i, M, c, d))
    return (
        None if words is None else 1 + max(int(letter) for word in words.split() for letter in word)
    )


def solved_steps(i: int, M: int, c: int, d: int) -> Ints:
    """The steps of a solved task on a torus, int64 (M, 2^d); ties are "split" in all dimensions.

    Raises:
        InputError: the task is not among the solved ones.

    >>> solved_steps(0, 8, 2, 8).max() + 1
    np.int64(9)
    """
    words = _WORDS.get((i, M, c, d))
    if words is None:
        raise InputError("i, M, c, d", "must be a solved task", (i, M, c, d))
    return _unfolded(words.split(), c, d)


def _unfolded(words: list[str], c: int, d: int) -> Ints:
    letters = np.array([[int(letter) for letter in word] for word in words], dtype=np.int64)
    return np.ascontiguousarray(letters[_orbits(c, d)].T)


def _orbits(c: int, d: int) -> Ints:
    """For every process, the number of the node that stands for it."""
    half = 1 << d // c - 1
    folded = axis_coordinates(d, c) % half
    folded = np.minimum(folded, half - 1 - folded)
    weights = (half // 2) ** np.arange(c)
    orbits: Ints = (folded * weights[:, None]).sum(axis=0)
    return orbits


def find(task: Task, steps: int, seconds: float = 60.0) -> Ints | None:
    """Search a symmetric schedule of a task on a torus.

    Args:
        task: on a torus of one port and at least 4 nodes on every axis.
        steps: how many steps it may take.
        seconds: time limit; one worker and a fixed seed.

    Returns:
        int64 of shape (M, 2^d), or None if no schedule has this symmetry.

    Raises:
        InputError: another kind of task.
        TimeoutError: the time is up and neither is known.
        ImportError: ortools is not installed.
    """
    from ortools.sat.python import cp_model

    if task.topology != "torus" or task.ports != "one" or task.d < 2 * task.c:
        raise InputError("task", "must be on a torus of one port, 4 nodes or more an axis", task)
    orbits = _orbits(task.c, task.d).tolist()
    model = cp_model.CpModel()
    sent = {
        (o, q, t): model.new_bool_var("")
        for o in sorted(set(orbits))
        for q in range(task.M)
        for t in range(steps)
    }
    for o in sorted(set(orbits)):
        for q in range(task.M):
            model.add_exactly_one(sent[o, q, t] for t in range(steps))
    for together in sorted(set(_exclusive(task, orbits))):
        for t in range(steps):
            model.add_at_most_one(sent[o, q, t] for o, q in together)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 1
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise TimeoutError(f"no answer for {task} in {seconds} seconds")
    found = [
        [next(t for t in range(steps) if solver.value(sent[o, q, t])) for o in orbits]
        for q in range(task.M)
    ]
    return np.array(found, dtype=np.int64)


def _exclusive(task: Task, orbits: list[int]) -> list[tuple[tuple[int, int], ...]]:
    """Messages, as (orbit, q), of which a step holds one at most: of a port, or on a link."""
    everything = range(task.M)
    listed = []
    for n in range(1 << task.d):
        listed.append([(orbits[n], q) for q in everything])
        listed.append([(orbits[n ^ 1 << task.i + q], q) for q in everything])
    coordinates = axis_coordinates(task.d, task.c)
    side = 1 << task.d // task.c
    on_link: dict[tuple[int, int, tuple[int, ...]], list[tuple[int, int]]] = {}
    for q, k in enumerate(task.dimensions):
        forward, run = task.directions(k)
        axis = k % task.c
        for n in range(1 << task.d):
            point = coordinates[:, n].tolist()
            sign = 1 if forward[point[axis]] else -1
            for _ in range(run):
                on_link.setdefault((axis, sign, tuple(point)), []).append((orbits[n], q))
                point[axis] = (point[axis] + sign) % side
    return [tuple(sorted(group)) for group in (*listed, *on_link.values())]
