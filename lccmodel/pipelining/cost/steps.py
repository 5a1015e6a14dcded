"""How many steps a task ⟨i,M⟩_c takes, in four models that are never mixed.

    "load"         λ⟨i,M⟩_c: link loads alone, as if a node had a port for every link
    "lower-bound"  LB⟨i,M⟩_c = max(λ, M): link loads and one port [calmant, Theorem 4]
    "paper"        the paper's schedules: the bounds of the pieces that section 4.2 cuts the task
                   into, and one step more where its rule for c < x < 2c needs it [Property 3]
    "schedule"     the schedules of this project, `pipelining.schedule(task)`

The first two are bounds, which a schedule may miss; the last two count schedules. All but "paper"
are there for meshes and tori of any sides, and for nodes with one port or with one for each link.
Only the runs of a task matter ([`loads`](../loads.py)), so the counts hold however long the axes.

Section 4.3 writes the paper's count as Σ LB + r and prints r = 1 for *even* M with
M mod 2c > λ⟨i, M mod 2c⟩. That contradicts section 4.2: Property 3 loses a step when the bound
is *odd*, and only for c < M mod 2c < 2c. The model "paper" counts the schedules; `printed_length`
is the sum with r as printed. ⟨i,1⟩_1 is counted as the 2^i steps that section 3.2.2 claims; the
groups m mod 2^(i+1) that it prints would take twice as many.
"""

from __future__ import annotations

from typing import Any, Literal, cast

from lccmodel.errors import InputError
from lccmodel.pipelining.compositions import composed
from lccmodel.pipelining.loads import (
    LevelRuns,
    PortName,
    equal_runs,
    largest_load,
    least_steps,
)
from lccmodel.pipelining.paper_rules import (
    has_paper_rules,
    paper_extra_step,
    paper_length,
    paper_parts,
)
from lccmodel.pipelining.task import Task

Model = Literal["load", "lower-bound", "paper", "schedule"]

MODELS: tuple[Model, ...] = ("load", "lower-bound", "paper", "schedule")
"""The models, from what no schedule beats to what a schedule does."""


def steps(task: Task, model: Model = "schedule") -> int:
    """The number of steps of a task in a model (see the module).

    Raises:
        InputError: not a task, another model, or "paper" for a task that the paper has no rule for.

    >>> [steps(Task(0, 7, "mesh:16x16"), model) for model in MODELS]
    [10, 10, 12, 10]
    """
    if not isinstance(task, Task):
        raise InputError("task", "must be a Task", task)
    if checked_model(model, task) == "paper":
        return paper_length(task.i, task.M, task.c)
    return run_steps(task.runs, model, task.ports)


def run_steps(runs: LevelRuns, model: Model, ports: PortName = "one") -> int:
    """The number of steps of some runs, in every model but "paper".

    >>> run_steps(equal_runs(0, 7, 2), "schedule")
    10
    """
    if model == "load" or ports == "all":  # schedules for all ports have the length λ
        return largest_load(runs)
    return composed(runs).length if model == "schedule" else least_steps(runs)


def checked_model(model: Any, task: Task | None = None) -> Model:
    """The model, if it is one and there is such a count for the task's network.

    Raises:
        InputError: another name, or "paper" for all ports, a torus or sides that differ.

    >>> checked_model("paper", Task(0, 1, "torus:4x4"))
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: model: the paper's schedules are for one port and a mesh of equal \
sides; got 'paper'
    """
    if model not in MODELS:
        listed = ", ".join(f'"{name}"' for name in MODELS)
        raise InputError("model", f"must be one of {listed}", model)
    if model == "paper" and task is not None and not has_paper_rules(task):
        rule = "the paper's schedules are for one port and a mesh of equal sides"
        raise InputError("model", rule, model)
    return cast(Model, model)


def printed_length(i: int, M: int, c: int) -> int:
    """Σ LB over the paper's parts + r, with r as section 4.3 prints it (for even M).

    >>> printed_length(0, 3, 2), printed_length(0, 2, 2)
    (3, 3)
    """
    bounds = sum(least_steps(equal_runs(start, x, c)) for start, x in paper_parts(i, M, c))
    return bounds + paper_extra_step(i, M, c, "printed")
