"""A process grid on a network: one call from the sides of the grid to the array of its devices.

Where a logical axis has to be split over physical ones, or several share one, orders of address
bits are not enough for rings: neighbours along a ring differ in many bits. In reflected Gray code
they differ in one. So the programme over blocks of bits (`lattice.programme`) is run with the
coordinates of every subset of logical axes in Gray code, each with and without Gray code on every
physical axis, and the search over all placements starts from its answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from itertools import product
from typing import Any

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel.communication.grids import GridPattern, ProcessGrid
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.volumes import Number
from lccmodel.errors import InputError, NetworkError, SizeLimitError
from lccmodel.lattice.programme import Objective, best_order
from lccmodel.methods.placement.effort import Budget
from lccmodel.methods.placement.orders import programme_seconds
from lccmodel.methods.placement.result import Placement
from lccmodel.methods.placement.routes import Routes
from lccmodel.methods.placement.solve import place
from lccmodel.network import Network, as_network

__all__ = ["device_array", "grid_starts", "place_grid"]


_SECONDS = 30.0
"""Nominal seconds that one choice of Gray codes may take where no budget is stated."""


@typed_arguments
def place_grid(
    sides: Sequence[int] | ProcessGrid,
    network: Network | str,
    pattern: GridPattern = "rings",
    volumes: Sequence[Number] | None = None,
    objective: Objective = "joint",
    *,
    seed: int = 0,
    seconds: float = 10.0,
    executor: Executor | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Placement:
    """The best placement of a process grid; `device_array` makes the mesh of devices of it.

    Args:
        sides: ranks along every logical axis, the last numbered fastest.
        network: a network with at least as many nodes, or its word.
        pattern: "rings", "shifts", "stencil" or "all-to-all" along every axis.
        volumes: of a message along every axis; 1 if left out.
        objective: "joint", all axes at once, or another one of `place`.
        seed, seconds, executor, progress: see `place`.

    Raises: as `ProcessGrid.program` and `place`.

    >>> m = place_grid((16, 4), "torus:8x8", volumes=(4, 1), seconds=0.2)
    >>> m.before.value, m.after.value, m.lower_bound
    (34, 5, 4)
    """
    grid = sides if isinstance(sides, ProcessGrid) else ProcessGrid(tuple(sides))
    program = grid.program(pattern, volumes)
    target = as_network(network)

    def starts(budget: Budget) -> Iterator[tuple[str, Ints]]:
        return grid_starts(grid, program, target, objective, budget)

    return place(
        program,
        target,
        objective,
        "placements",
        seed=seed,
        seconds=seconds,
        executor=executor,
        starts=starts,
        progress=progress,
    )


def grid_starts(
    grid: ProcessGrid,
    program: Program,
    network: Network,
    objective: Objective,
    budget: Budget | None = None,
) -> Iterator[tuple[str, Ints]]:
    """The best placement by blocks of bits for every choice of logical axes in Gray code, named.

    Nothing where sides or axes are not powers of two; no more than the budget affords, the
    richest choices first.
    """
    if any(side & side - 1 for side in grid.sides) or network.size & network.size - 1:
        return
    messages = sum(len(phase.traffic) for phase in program.phases)
    cost = programme_seconds(messages, network, Routes.of(network), gray=True)
    coded = [(True, False) if side > 2 else (False,) for side in grid.sides]
    for choice in product(*coded):
        if grid.ranks < 2 or not (budget or Budget(_SECONDS)).affords(cost):
            return
        name_of = _gray_names(grid, choice)
        renamed = Program(
            [Phase(p.traffic.placed(name_of, grid.ranks), p.weight, p.name) for p in program.phases]
        )
        try:
            best = best_order(renamed, network, objective, gray=True)
        except (NetworkError, SizeLimitError):
            return
        axes = " ".join(str(axis) for axis, gray in enumerate(choice) if gray)
        yield (
            f"the best blocks of bits, {f'Gray code on {axes}' if axes else 'no Gray code'}",
            (best.node_of[name_of]),
        )


def _gray_names(grid: ProcessGrid, coded: Sequence[bool]) -> Ints:
    """Another number for every rank: chosen coordinates c as c xor c >> 1."""
    where = grid.coordinates()
    for axis, gray in enumerate(coded):
        if gray:
            where[:, axis] ^= where[:, axis] >> 1
    return np.asarray(np.ravel_multi_index(tuple(where.T), grid.sides), np.int64)


@typed_arguments
def device_array(placement: Placement, sides: Sequence[int], devices: Any = None) -> Any:
    """The devices as an array of the shape of the grid, as `jax.sharding.Mesh` takes it.

    Args:
        placement: of the ranks of the grid.
        sides: the shape of the grid.
        devices: the device at every node of the network; node numbers if left out.

    Raises:
        InputError: the grid has not as many ranks as were placed, or there are too few devices.

    >>> from lccmodel.methods.placement import place
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
        given = list(devices)
    except TypeError:
        raise InputError("devices", "must be a sequence or None", devices) from None
    if len(given) < placement.network.size:
        rule = f"must be {placement.network.size}, one for every node of the network"
        raise InputError("devices", rule, len(given))
    chosen = np.empty(grid.ranks, dtype=object)
    for rank, node in enumerate(placement.node_of.tolist()):
        chosen[rank] = given[node]
    return chosen.reshape(grid.sides)
