"""Where a program should run, by what answers it best: ranks, counts or a search, decided here.

    ranks     every phase y = Ax + b on a cube or Origin, over orders; one of them, over linear maps
    counts    orders of the address bits for any messages [hou, Theorem 6]
    search    placements, with a bound for all of them

`solve_all` asks for every phase alone and for all together, as a report shows them: M-S and M-G
[hou, section 6].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lccmodel.communication.volumes import Number
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.lattice.programme import Objective
from lccmodel.lattice.weights import SetObjective
from lccmodel.methods.mapping import optimal_linear_mapping, optimal_orders, optimal_reordering
from lccmodel.methods.placed import Over, Placement
from lccmodel.methods.placement.orders import is_linear_complement, usual_over
from lccmodel.methods.placement.solve import place
from lccmodel.network import BristledHypercube
from lccmodel.problem import Problem

MAX_COUNTED_BITS = 16
"""Largest n for which a report counts the optimal orders, which takes as long as the search."""


def best_placement(
    problem: Problem,
    objective: Objective = "max-max",
    over: Over | None = None,
    weights: Sequence[Number] | None = None,
    *,
    count: bool = False,
    **search: Any,
) -> Placement:
    """The best place for every rank.

    Args:
        problem: the program and the network.
        objective, over, weights: see `place`.
        count: whether the optimal orders are counted, where ranks answer.
        search: how long and where to search, see `place`.

    Raises:
        InputError: what does not go together; see `place` and `optimal_reordering`.

    >>> best_placement(Problem.read("bit-reverse", "cube:8"), count=True).optimal_orders
    384
    >>> best_placement(Problem.read("grid:4x4", "torus:4x4"), seconds=0).after.value
    1
    """
    lone, ranked = len(problem.program) == 1, is_linear_complement(problem)
    over = over or usual_over(problem)
    if over == "linear" and (count or (weights is not None and lone)):
        raise InputError("linear", "does not go with --count or --weights", problem.program)
    if ranked and over == "orders" and objective != "joint":
        found = optimal_reordering(problem, None, objective, weights)
        if not count:
            return found
        orders = optimal_orders(problem, None, objective, weights)
        return replace(found, optimal_orders=orders.count())
    if count:
        rule = "counts orders of linear-complement communications on a cube or Origin"
        raise InputError("count", rule, [phase.name for phase in problem.program])
    if ranked and over == "linear" and objective == "max-max" and lone:
        return optimal_linear_mapping(problem)
    return place(problem, None, objective, over, weights=weights, **search)


@dataclass(frozen=True)
class Solution:
    """The best placements of one file.

    Attributes: `name`, a title; `path`, of the file; `problem`; `alone` and `linear`, one answer a
    phase where ranks answer (`linear` on an Origin); `together`, one answer an objective, empty
    for a phase that is alone and where there are too many bits, which `skipped` then explains.
    """

    name: str
    path: str
    problem: Problem
    alone: tuple[Placement, ...] = ()
    linear: tuple[Placement, ...] = ()
    together: tuple[Placement, ...] = ()
    skipped: str = ""

    @property
    def title(self) -> str:
        """Name and network."""
        return f"{self.name} on {self.problem.network.spec}"

    @property
    def ranked(self) -> bool:
        """Whether ranks answer: y = Ax + b in every phase, on a cube or Origin."""
        return is_linear_complement(self.problem)

    @classmethod
    def read(cls, path: Path, network: str | None = None) -> Solution:
        """What a file asks, with no answer yet.

        Raises:
            FileError, NetworkError: see `Problem.read`.
        """
        return cls(path.name.split(".")[0], str(path), Problem.read(path, network))


def solve_all(
    asked: Solution,
    objectives: Sequence[SetObjective],
    seconds: float = 2.0,
    step: Callable[[str], None] = lambda text: None,
) -> Solution:
    """The best placements of every phase alone and of all together, for every objective.

    Where ranks do not answer, all phases are placed together; one phase has one objective.

    Args:
        asked: as `Solution.read` gives it.
        objectives: what to minimise for all phases together, one answer for each.
        seconds: of search for each, see `place`.
        step: called with what is done next.

    Raises:
        InputError: what `place` cannot do.
    """
    problem, many = asked.problem, len(asked.problem.program)
    if not asked.ranked:
        found = []
        for objective in objectives if many > 1 else objectives[:1]:
            step(f"{asked.title}: {objective}")
            found.append(place(problem, None, objective, "placements", seconds=seconds))
        return replace(asked, together=tuple(found))
    counted = problem.network.n <= MAX_COUNTED_BITS
    alone, linear = [], []
    for k, phase in enumerate(problem.program):
        step(f"{asked.title}: {phase.name}")
        alone.append(best_placement(problem.phase(k), count=counted))
        if isinstance(problem.network, BristledHypercube):
            linear.append(optimal_linear_mapping(problem.phase(k)))
    together, skipped = [], ""
    for objective in objectives if many > 1 else ():
        step(f"{asked.title}: together, {objective}")
        try:
            together.append(best_placement(problem, objective, "orders", count=counted))
        except SizeLimitError as error:
            skipped = f"No mapping for all together: {error}."
            break
    return replace(
        asked,
        alone=tuple(alone),
        linear=tuple(linear),
        together=tuple(together),
        skipped=skipped,
    )
