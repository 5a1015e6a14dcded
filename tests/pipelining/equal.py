"""Tasks and machines on meshes of equal sides, in the paper's letters: ⟨i,M⟩_c on 2^d nodes."""

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.network import Mesh, Torus
from lccmodel.network.ring_direction import TieName
from lccmodel.pipelining.base_schedules import subtask_steps as steps_of_subtask
from lccmodel.pipelining.base_schedules import subtask_ties as ties_of_subtask
from lccmodel.pipelining.compositions import best_parts as cuts_of
from lccmodel.pipelining.compositions import composed
from lccmodel.pipelining.cost.steps import StepTable, run_steps
from lccmodel.pipelining.cost.steps import step_table as table_of
from lccmodel.pipelining.cost.steps import steps as steps_of
from lccmodel.pipelining.embedding import Embedding, LevelOrder
from lccmodel.pipelining.loads import LevelRuns, PortName, equal_runs, largest_load, least_steps
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.paper_rules import paper_length
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task


def mesh_of(d: int, c: int, topology: str = "mesh") -> Mesh:
    assert d % c == 0
    return (Torus if topology == "torus" else Mesh)((1 << d // c,) * c)


def task_of(
    i: int, M: int, c: int, d: int, topology: str = "mesh", ports: PortName = "one"
) -> Task:
    return Task(i, M, mesh_of(d, c, topology), ports)


def machine_of(
    d: int,
    c: int,
    alpha: Any,
    tau: Any,
    barrier: Any = 0,
    topology: str = "mesh",
    ports: PortName = "one",
) -> Machine:
    return Machine(mesh_of(d, c, topology), alpha, tau, barrier, ports)


def runs_of(i: int, M: int, c: int, d: int | None = None, topology: str = "mesh") -> LevelRuns:
    """Without d: on axes as long as may be."""
    return equal_runs(i, M, c) if d is None else task_of(i, M, c, d, topology).runs


def max_load(
    i: int, M: int, c: int, d: int | None = None, topology: str = "mesh", ties: TieName = "split"
) -> int:
    return largest_load(runs_of(i, M, c, d, topology), ties)


def lower_bound(
    i: int, M: int, c: int, d: int | None = None, topology: str = "mesh", ports: PortName = "one"
) -> int:
    return least_steps(runs_of(i, M, c, d, topology), ports)


def schedule_length(i: int, M: int, c: int) -> int:
    return composed(equal_runs(i, M, c)).length


def optimal_steps(i: int, M: int, c: int, d: int) -> Any:
    return schedule(task_of(i, M, c, d)).steps


def step_table(
    d: int, c: int, model: Any = "schedule", topology: str = "mesh", ports: PortName = "one"
) -> StepTable:
    return table_of(mesh_of(d, c, topology), model, ports)


def total_steps(
    d: int, Q: int, c: int, model: Any = "schedule", topology: str = "mesh", ports: PortName = "one"
) -> int:
    return step_table(d, c, model, topology, ports).total(Q)


def best_parts(
    i: int, M: int, c: int, d: int | None = None, topology: str = "mesh"
) -> tuple[tuple[int, int], ...]:
    """The subtasks (i', x) of `compositions.best_parts`."""
    found, at = [], i
    for x in cuts_of(runs_of(i, M, c, d, topology)):
        found.append((at, x))
        at += x
    return tuple(found)


def embedding_of(d: int, c: int, order: LevelOrder = "cyclic", topology: str = "mesh") -> Embedding:
    return Embedding(mesh_of(d, c, topology), order)


def axis_coordinates(d: int, c: int, order: LevelOrder = "cyclic") -> npt.NDArray[np.int64]:
    return embedding_of(d, c, order).coordinates


def embed(n: Any, d: int, c: int, order: LevelOrder = "cyclic") -> Any:
    return embedding_of(d, c, order).node_of(n)


def subtask_steps(i: int, x: int, c: int, d: int, topology: str = "mesh") -> npt.NDArray[np.int64]:
    return steps_of_subtask(runs_of(i, x, c, d, topology), axis_coordinates(d, c))


def subtask_ties(i: int, x: int, c: int, d: int) -> tuple[TieName, ...]:
    return ties_of_subtask(runs_of(i, x, c, d, "torus"))


def steps(
    i: int,
    M: int,
    c: int,
    model: Any = "schedule",
    d: int | None = None,
    topology: str = "mesh",
    ports: PortName = "one",
) -> int:
    if d is not None:
        return steps_of(task_of(i, M, c, d, topology, ports), model)
    return paper_length(i, M, c) if model == "paper" else run_steps(equal_runs(i, M, c), model)
