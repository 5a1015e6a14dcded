"""The steps of a whole pipelined CC-cube, as the sums of sections 3.3 and 4.3.

A CC-cube of d dimensions, cut into Q packets, takes d + Q - 1 iterations; iteration k (from 0)
exchanges packet q of dimension j for all j + q = k, which is one task:

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
from typing import Literal, NamedTuple

from lccmodel._arguments import typed_arguments
from lccmodel.errors import checked_integer
from lccmodel.network import Mesh
from lccmodel.pipelining.cost.steps import Model, checked_model, run_steps, steps
from lccmodel.pipelining.loads import PortName
from lccmodel.pipelining.task import Task
from lccmodel.views import Viewed

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
    """P(d,Q): the steps of all iterations together.

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


class StepTable(_StepTableFields, Viewed, view="steps-of-degrees"):
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
    """The steps for every Q, summed once and kept.

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
