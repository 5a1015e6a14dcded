"""How many steps a task ⟨i,M⟩_c takes, in four models that are never mixed.

    "load"         λ⟨i,M⟩_c: link loads alone, as if a node had a port for every link
    "lower-bound"  LB⟨i,M⟩_c = max(λ, M): link loads and one port [calmant, Theorem 4]
    "paper"        the paper's schedules: the bounds of the pieces that section 4.2 cuts the task
                   into, and one step more where its rule for c < x < 2c needs it [Property 3]
    "schedule"     the schedules of this project, `pipelining.schedule(task)`

The first two are bounds, which a schedule may miss; the last two count schedules. All but "paper"
are there for meshes and tori, and for nodes with one port or with one for each link.

Section 4.3 writes the paper's count as Σ LB + r and prints r = 1 for *even* M with
M mod 2c > λ⟨i, M mod 2c⟩. That contradicts section 4.2: Property 3 loses a step when the bound
is *odd*, and only for c < M mod 2c < 2c. The model "paper" counts the schedules; `printed_length`
is the sum with r as printed. ⟨i,1⟩_1 is counted as the 2^i steps that section 3.2.2 claims; the
groups m mod 2^(i+1) that it prints would take twice as many (`paper_rules.Reading`).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, cast

from lccmodel.errors import InputError
from lccmodel.pipelining.loads import Ports, Topology, checked_task, lower_bound, max_load
from lccmodel.pipelining.paper_rules import (
    Reading,
    paper_extra_step,
    paper_part_steps,
    paper_parts,
)
from lccmodel.pipelining.torus_tasks import torus_length
from lccmodel.pipelining.whole_tasks import schedule_length

__all__ = [
    "MODELS",
    "Model",
    "checked_model",
    "paper_length",
    "printed_length",
    "steps",
]

Model = Literal["load", "lower-bound", "paper", "schedule"]

MODELS: tuple[Model, ...] = ("load", "lower-bound", "paper", "schedule")
"""The models, from what no schedule beats to what a schedule does."""


def steps(
    i: int,
    M: int,
    c: int,
    model: Model = "schedule",
    d: int | None = None,
    topology: Topology = "mesh",
    ports: Ports = "one",
) -> int:
    """The number of steps of ⟨i,M⟩_c in a model (see the module).

    Args:
        i: first dimension of the CC-cube, at least 0.
        M: number of dimensions, at least 0.
        c: number of axes, at least 1.
        model: "load", "lower-bound", "paper" or "schedule".
        d: number of dimensions of the CC-cube; needed for a torus.
        topology: "mesh" or "torus".
        ports: "one" or "all".

    Raises:
        InputError: a value out of range, or "paper" asked for a torus or for all ports.

    >>> [steps(0, 7, 2, model) for model in MODELS]
    [10, 10, 12, 10]
    """
    i, M, c = checked_task(i, M, c, d, topology)
    model = checked_model(model, topology, ports)
    if model == "paper":
        return paper_length(i, M, c)
    if model == "load" or ports == "all":  # schedules for all ports have the length λ
        return max_load(i, M, c, d, topology)
    if model == "schedule":
        return (
            schedule_length(i, M, c)
            if d is None or topology == "mesh"
            else torus_length(i, M, c, d)
        )
    return lower_bound(i, M, c, d, topology, ports)


def checked_model(model: Any, topology: Any = "mesh", ports: Any = "one") -> Model:
    """The model, if it is one and there is such a count for the network.

    Raises:
        InputError: another name, or "paper" asked for a torus or for all ports.

    >>> checked_model("paper", "torus")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: model: the paper's schedules are for meshes with one port; \
got 'paper'
    """
    if model not in MODELS:
        listed = ", ".join(f'"{name}"' for name in MODELS)
        raise InputError("model", f"must be one of {listed}", model)
    for argument, value, known in (
        ("topology", topology, ("mesh", "torus")),
        ("ports", ports, ("one", "all")),
    ):
        if value not in known:
            raise InputError(argument, f'must be "{known[0]}" or "{known[1]}"', value)
    if model == "paper" and (topology, ports) != ("mesh", "one"):
        raise InputError("model", "the paper's schedules are for meshes with one port", model)
    return cast(Model, model)


def paper_length(i: int, M: int, c: int) -> int:
    """The steps of the paper's schedule for ⟨i,M⟩_c [calmant, section 4.2, Properties 1 to 3].

    >>> paper_length(0, 3, 2), paper_length(0, 6, 2), paper_length(4, 6, 1)
    (4, 6, 672)
    """
    return sum(_part_length(start, x, c) for start, x in paper_parts(i, M, c))


@cache
def _part_length(i: int, x: int, c: int) -> int:
    return paper_part_steps(i, x, c, Reading(line="figure"))


def printed_length(i: int, M: int, c: int) -> int:
    """Σ LB over the paper's parts + r, with r as section 4.3 prints it (for even M).

    >>> printed_length(0, 3, 2), printed_length(0, 2, 2)
    (3, 3)
    """
    bounds = sum(lower_bound(start, x, c) for start, x in paper_parts(i, M, c))
    return bounds + paper_extra_step(i, M, c, "printed")
