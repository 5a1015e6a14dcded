"""What is asked of `place` again and again: fronts, the phases of a file, process grids.

`pareto_front` asks between the busiest channel and hop-bytes, for placements of which none is
better in both; `solve_all` for every phase alone and for all together, as a report shows them: M-S
and M-G [hou, section 6]; `place_grid` for a process grid, with the coordinates of its ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from lccmodel.communication.grids import GridPattern, ProcessGrid
from lccmodel.communication.program import Phase, Program
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.numbers import Number
from lccmodel.ground.views import Answer
from lccmodel.lattice.weights import SetObjective
from lccmodel.network import Network
from lccmodel.placement.mapping import optimal_linear_mapping
from lccmodel.placement.objectives import Mixture, PlacementObjective
from lccmodel.placement.placement_result import Placement, is_linear_complement
from lccmodel.placement.search.solve import place
from lccmodel.problem import Problem

SHARES: tuple[PlacementObjective, ...] = (
    "joint",
    Mixture("9/10"),
    Mixture("1/2"),
    Mixture("1/10"),
    "distance",
)
"""What a front is asked for: of the busiest channel, the rest is volume times channels."""

MAX_COUNTED_BITS = 16
"""Largest n for which a report counts the optimal orders, which takes as long as the search."""


@dataclass(frozen=True, repr=False, eq=False)
class ParetoFront(Answer, view="front"):
    """Placements by busiest channel and by hop-bytes.

    Attributes:
        problem: what was asked.
        found: a placement for every objective that was tried.
        best: those of them of which no other is at least as good in both and better in one; the
            busiest channel grows and hop-bytes fall.

    >>> front = pareto_front([(0, 3), (1, 2)], "mesh:2x2", seconds=0.05)
    >>> [(one.after.joint, one.after.distance) for one in front.best]
    [(1, 2)]
    """

    problem: Problem
    found: tuple[Placement, ...]
    best: tuple[Placement, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences on which the numbers of any of the placements rest."""
        return tuple(dict.fromkeys(note for placement in self.found for note in placement.notes))


@typed_arguments
def pareto_front(
    program: Any,
    network: Network | str | None = None,
    objectives: Sequence[PlacementObjective] = SHARES,
    *,
    seconds: float = 10.0,
    **search: Any,
) -> ParetoFront:
    """Return placements between the smallest maximum load and the least hop-bytes.

    Args:
        program, network: as for `place`.
        objectives: "joint", "distance" and mixtures, at least one.
        seconds: for all of them together, see `place`.
        search: further arguments of `place`.

    Raises:
        InputError: no objective, or another one; see `place`.

    >>> front = pareto_front([(x, 5 * x % 16) for x in range(16)], "torus:4x4", seconds=0.5)
    >>> one, last = front.best[0].after, front.best[-1].after
    >>> one.joint <= last.joint, last.distance <= one.distance
    (True, True)
    """
    known = [*objectives] if not isinstance(objectives, str | Mixture) else []
    names = [str(o) if isinstance(o, str | Mixture) else "" for o in known]
    if not known or any(not o or o.startswith(("max", "sum")) for o in names):
        rule = "must be a list of joint, distance and mixtures such as Mixture(1/2)"
        raise InputError("objectives", rule, objectives)
    problem = Problem.read(program, network)
    found: list[Placement] = []
    for objective in known:
        starts = {f"the one for {one.objective}": one.node_of for one in found}
        told = {**starts, **dict(search.get("starts") or {})}
        options = {**search, "starts": told}
        one = place(problem, None, objective, "placements", seconds=seconds / len(known), **options)
        found.append(replace(one, found=one.found.removeprefix("search from search from ")))
    return ParetoFront(problem, tuple(found), tuple(_best(found)))


def _best(placements: Sequence[Placement]) -> list[Placement]:
    """Those that no other beats, each pair of numbers once, by the busiest channel downwards."""
    kept: list[Placement] = []
    for placement in sorted(placements, key=lambda p: (p.after.joint, p.after.distance)):
        if not kept or placement.after.distance < kept[-1].after.distance:
            kept.append(placement)
    return kept


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
    def notes(self) -> tuple[str, ...]:
        """The sentences on which the numbers rest, of all placements together."""
        placements = (*self.alone, *self.linear, *self.together)
        own = [note for placement in placements for note in placement.notes]
        skipped = [self.skipped] if self.skipped else []
        return tuple(dict.fromkeys([*self.problem.notes, *own, *skipped]))

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
        placements = []
        for objective in objectives if many > 1 else objectives[:1]:
            step(f"{asked.title}: {objective}")
            placements.append(place(problem, None, objective, "placements", seconds=seconds))
        return replace(asked, together=tuple(placements))
    counted = problem.network.n <= MAX_COUNTED_BITS
    alone, linear = [], []
    for k, phase in enumerate(problem.program):
        step(f"{asked.title}: {phase.name}")
        lone = problem.phase(k)  # called once: how often it is called matters beside others alone
        once = Program([Phase(phase.traffic, 1, phase.name)], notes=lone.program.notes)
        lone = replace(lone, program=once)
        alone.append(place(lone, count=counted))
        if problem.network.geometry.per_router == 2:
            linear.append(optimal_linear_mapping(lone))
    together, skipped = [], ""
    for objective in objectives if many > 1 else ():
        step(f"{asked.title}: together, {objective}")
        try:
            together.append(place(problem, None, objective, "orders", count=counted))
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


@typed_arguments
def place_grid(
    sides: Sequence[int] | ProcessGrid,
    network: Network | str,
    pattern: GridPattern = "rings",
    volumes: Sequence[Number] | None = None,
    objective: PlacementObjective = "joint",
    *,
    seed: int = 0,
    seconds: float = 10.0,
    moves: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[str], None] | None = None,
) -> Placement:
    """Return the best placement of a process grid; `device_array` makes the mesh of devices of it.

    Args:
        sides: ranks along every logical axis, the last numbered fastest.
        network: a network with at least as many nodes, or its word.
        pattern: "rings", "shifts", "stencil" or "all-to-all" along every axis.
        volumes: of a message along every axis; 1 if left out.
        objective: "joint", since the axes of a grid communicate at the same time in training;
            or another one of `place`, whose own default, "max-max", takes them one at a time.
        seed, seconds, moves, executor, progress: see `place`.

    Raises: as `ProcessGrid.program` and `place`.

    >>> m = place_grid((16, 4), "torus:8x8", volumes=(4, 1), seconds=0.2)
    >>> m.before.value, m.after.value, m.lower_bound
    (34, 5, 4)
    """
    grid = sides if isinstance(sides, ProcessGrid) else ProcessGrid(tuple(sides))
    return place(
        grid.program(pattern, volumes),
        network,
        objective,
        "placements",
        seed=seed,
        seconds=seconds,
        moves=moves,
        executor=executor,
        coordinates=grid.coordinates(),
        progress=progress,
    )


@typed_arguments
def device_array(placement: Placement, sides: Sequence[int], devices: Any = None) -> Any:
    """Return the devices as an array of the shape of the grid, as `jax.sharding.Mesh` takes it.

    Args:
        placement: of the ranks of the grid.
        sides: the shape of the grid.
        devices: the device at every node of the network; node numbers if left out.

    Raises:
        InputError: the grid has not as many ranks as were placed, or there are too few devices.

    >>> from lccmodel.placement.search import place
    >>> m = place([(0, 1), (1, 0)], "cube:1", over="placements")
    >>> device_array(m, (2, 1)).tolist()
    [[0], [1]]
    """
    grid = ProcessGrid(tuple(sides))
    if grid.ranks != len(placement.node_of):
        rule = f"must have {len(placement.node_of)} ranks, as many as were placed"
        raise InputError("sides", rule, grid.sides)
    if devices is None:
        return placement.node_of.reshape(grid.sides).copy()
    try:
        listed = list(devices)
    except TypeError:
        raise InputError("devices", "must be a sequence or None", devices) from None
    if len(listed) < placement.network.size:
        rule = f"must be {placement.network.size}, one for every node of the network"
        raise InputError("devices", rule, len(listed))
    chosen = np.empty(grid.ranks, dtype=object)
    for rank, node in enumerate(placement.node_of.tolist()):
        chosen[rank] = listed[node]
    return chosen.reshape(grid.sides)
