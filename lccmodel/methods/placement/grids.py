"""A process grid on a network: one call from the sides of the grid to the array of its devices.

It is `place` with the coordinates of the ranks: the same solver that a trace of the same messages
comes to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Any

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel.communication.grids import GridPattern, ProcessGrid
from lccmodel.communication.volumes import Number
from lccmodel.errors import InputError
from lccmodel.methods.placed import Placement
from lccmodel.methods.placement.solve import place
from lccmodel.network import Network


@typed_arguments
def place_grid(
    sides: Sequence[int] | ProcessGrid,
    network: Network | str,
    pattern: GridPattern = "rings",
    volumes: Sequence[Number] | None = None,
    objective: str = "joint",
    *,
    seed: int = 0,
    seconds: float = 10.0,
    moves: int | None = None,
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
        seed, seconds, moves, executor, progress: see `place`.

    Raises: as `ProcessGrid.program` and `place`.

    >>> m = place_grid((16, 4), "torus:8x8", volumes=(4, 1), seconds=0.2)
    >>> m.before.value, m.after.value, m.lower_bound
    (34, 5, 4)
    """
    grid = sides if isinstance(sides, ProcessGrid) else ProcessGrid(tuple(sides))
    program = grid.program(pattern, volumes)

    return place(
        program,
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
