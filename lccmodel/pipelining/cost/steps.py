"""How many steps a task ⟨i,M⟩_c takes, in four models that are never mixed; and their sums P(d,Q).

    "load"         λ⟨i,M⟩_c: link loads alone, as if a node had a port for every link
    "lower-bound"  LB⟨i,M⟩_c = max(λ, M): link loads and one port [calmant, Theorem 4]
    "paper"        the paper's schedules: the bounds of the pieces that section 4.2 cuts the task
                   into, and one step more where its rule for c < x < 2c needs it [Property 3]
    "schedule"     the schedules of this project, `pipelining.schedule(task)`

The first two are bounds, which a schedule may miss; the last two count schedules. All but "paper"
are there for meshes and tori of any sides, and for nodes with one port or with one for each link.
Only the runs of a task matter (`loads`), so the counts hold however long the axes.

Section 4.3 writes the paper's count as Σ LB + r and prints r = 1 for *even* M with
M mod 2c > λ⟨i, M mod 2c⟩. That contradicts section 4.2: Property 3 loses a step when the bound
is *odd*, and only for c < M mod 2c < 2c. The model "paper" counts the schedules; `printed_length`
is the sum with r as printed. ⟨i,1⟩_1 is counted as the 2^i steps that section 3.2.2 claims; the
groups m mod 2^(i+1) that it prints would take twice as many.

**Sums** [sections 3.3, 4.3]. A CC-cube of d dimensions, cut into Q packets, takes d + Q - 1
iterations; iteration k (from 0) exchanges packet q of dimension j for all j + q = k, one task:

    prologue   ⟨0,1⟩ ... ⟨0,R-1⟩                      R = min(d, Q)
    kernel     ⟨0,Q⟩ ... ⟨d-Q,Q⟩ if Q <= d (shallow), ⟨0,d⟩ Q-d+1 times if Q >= d (deep)
    epilogue   ⟨d-R+1,R-1⟩ ... ⟨d-1,1⟩

and a step of it moves a packet of N/Q items, so with P(d,Q) the sum of the steps of all tasks

    T(d,Q) = P(d,Q) (α + N/Q τ) + (d + Q - 1) b.

Deep pipelining adds tasks ⟨0,d⟩ only: P(d,Q) = A + B Q with B = P⟨0,d⟩ and A from Q = d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple, cast

from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer
from lccmodel.ground.words import MODELS as MODELS
from lccmodel.ground.words import Model as Model
from lccmodel.ground.words import checked_word
from lccmodel.network import Mesh
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
    checked_word("model", model, MODELS)
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


Regime = Literal["shallow", "deep"]


def regime_of(d: int, Q: int) -> Regime:
    """ "shallow" for Q < d, else "deep"; at Q = d both formulas give the same.

    >>> regime_of(8, 7), regime_of(8, 8)
    ('shallow', 'deep')
    """
    return "shallow" if Q < d else "deep"


def iterations(d: int, Q: int) -> Iterator[tuple[int, int]]:
    """The task (i, M) of each of the d + Q - 1 iterations, in their order [calmant, 2.4].

    Raises:
        InputError: d or Q is not an integer, or less than 1.

    >>> list(iterations(3, 2)), list(iterations(2, 3))
    ([(0, 1), (0, 2), (1, 2), (2, 1)], [(0, 1), (0, 2), (0, 2), (1, 1)])
    """
    d, Q = checked_integer("d", d, least=1), checked_integer("Q", Q, least=1)
    for k in range(d + Q - 1):
        first = max(0, k - Q + 1)
        yield first, min(k, d - 1) - first + 1


@typed_arguments
def total_steps(
    mesh: Mesh | str, Q: int, model: Model = "schedule", ports: PortName = "one"
) -> int:
    """Return P(d,Q): the steps of all iterations together.

    Args:
        mesh: a `Mesh` or `Torus`, or a word such as "mesh:8x16".
        Q: number of packets, at least 1.
        model, ports: as for `steps`.

    Raises:
        InputError: a value out of range.

    >>> [total_steps("mesh:4x4", 3, model) for model in ("load", "lower-bound", "paper")]
    [10, 13, 15]
    """
    return step_table(mesh, model, ports).total(checked_integer("Q", Q, least=1))


class _StepTableFields(NamedTuple):
    d: int
    shallow: tuple[int, ...]
    """P(d,Q) at index Q, for Q = 0 (no packet, 0 steps) to d - 1."""
    A: int
    B: int

    def total(self, Q: int) -> int:
        """P(d,Q).

        >>> StepTable(2, (0, 2), 0, 2).total(5)
        10
        """
        return self.shallow[Q] if Q < self.d else self.A + self.B * Q


class StepTable(_StepTableFields, Answer, view="steps-of-degrees"):
    """P(d,Q) for every Q: numbers for Q < d, and A + B Q for Q >= d."""

    __slots__ = ()

    @property
    def undominated(self) -> tuple[int, ...]:
        """The shallow degrees that can be the best: with less P/Q than all smaller ones.

        Another one takes as many steps as a smaller Q or more, and as many for an item or more.

        >>> step_table("mesh:32x32", "load").undominated
        (1, 2, 3, 4, 6, 7, 8, 9)
        """
        if not self.increasing:
            return tuple(range(1, self.d))
        kept: list[int] = []
        for Q in range(1, self.d):
            if not kept or self.shallow[Q] * kept[-1] < self.shallow[kept[-1]] * Q:
                kept.append(Q)
        return tuple(kept)

    @property
    def increasing(self) -> bool:
        """Whether more packets never take fewer steps, which holds for every model we know."""
        at_d = self.A + self.B * self.d
        ascending = (*self.shallow, at_d)
        return self.B >= 0 and all(p <= q for p, q in pairwise(ascending))


@typed_arguments
def step_table(mesh: Mesh | str, model: Model = "schedule", ports: PortName = "one") -> StepTable:
    """Return the steps for every Q, summed once and kept.

    Raises:
        InputError: not a mesh, another model or ports, or "paper" for a machine without it.

    >>> step_table("mesh:4x4", "load")
    StepTable(d=4, shallow=(0, 6, 8, 10), A=4, B=2)
    """
    empty = Task(0, 0, mesh, ports)
    return _table(empty, checked_model(model, empty))


@lru_cache(maxsize=512)
def _table(task: Task, model: Model) -> StepTable:
    if model == "paper":
        return summed(task.d, lambda i, M: steps(task.part(i, M), model))
    runs = task.embedding.runs
    return summed(task.d, lambda i, M: run_steps(runs(i, M), model, task.ports))


def summed(d: int, count: Callable[[int, int], int]) -> StepTable:
    """The table of a hypercube of d dimensions, from the steps of every task (i, M).

    >>> summed(2, lambda i, M: M)
    StepTable(d=2, shallow=(0, 2), A=0, B=2)
    """
    # ends[M]: the tasks of prologue and epilogue that exchange in fewer than M dimensions
    ends = [0, *accumulate((count(0, M) + count(d - M, M) for M in range(1, d)), initial=0)]
    kernels = (sum(count(i, Q) for i in range(d - Q + 1)) for Q in range(1, d))
    shallow = (0, *(ends[Q] + kernel for Q, kernel in enumerate(kernels, start=1)))
    B = count(0, d)
    return StepTable(d, shallow, ends[d] - (d - 1) * B, B)
