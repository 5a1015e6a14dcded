"""A network is given as an object or by its word, in every public function, with one answer."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import pipelining, routing, wormhole
from lccmodel.communication import catalog
from lccmodel.movement import Movement, move_on_mesh
from lccmodel.permutations import simd_mesh

C = catalog.matrix_transpose(4)
PROGRAM = [C, catalog.bit_reverse(4)]
MOVED = Movement.along(C, [0, 1, 2, 3])

CALLS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "contention": ("mesh:4x4", lambda network: lcc.contention(C, network)),
    "compare": ("torus:4x4", lambda network: lcc.compare(C, network).records()),
    "explore": ("mesh:2x8", lambda network: lcc.explore(C, network=network).controls),
    "optimal_reordering": (
        "origin:4",
        lambda network: lcc.placement.optimal_reordering(PROGRAM, network),
    ),
    "optimal_linear_mapping": (
        "cube:4",
        lambda network: lcc.placement.optimal_linear_mapping(C, network),
    ),
    "optimal_orders": ("cube:4", lambda network: list(lcc.placement.optimal_orders(C, network))),
    "correction_orders": (
        "cube:4",
        lambda network: list(lcc.placement.correction_orders(C, network)),
    ),
    "place": ("torus:4x4", lambda network: lcc.place(PROGRAM, network, over="orders")),
    "split_loads": (
        "torus:4x4",
        lambda network: lcc.placement.split_loads([(0, 5)], network).to_dict(),
    ),
    "pareto_front": (
        "torus:4x4",
        lambda network: lcc.placement.pareto_front([(0, 5)], network, seconds=0.05).to_dict(),
    ),
    "place_grid": (
        "torus:4x4",
        lambda network: lcc.placement.place_grid((4, 4), network).to_dict(),
    ),
    "self_route": (
        "mesh:4x4",
        lambda network: lcc.permutations.self_route(C, network=network).network,
    ),
    "simd_mesh_route": (
        "mesh:8x2",
        lambda network: simd_mesh.simd_mesh_route(C, network=network).steps,
    ),
    "deadlock_free": (
        "torus:4x4",
        lambda network: str(lcc.routing.deadlock_free("e-cube", network)),
    ),
    "routings": ("torus:4x4", lambda network: routing.routings(network)),
    "find_routing": ("mesh:4x4", lambda network: routing.find_routing("e-cube", network)),
    "simulate": ("cube:4", lambda network: wormhole.simulate(C, network, cycles=500).to_dict()),
    "curve": (
        "cube:4",
        lambda network: wormhole.curve(C, network, loads=[0.05], cycles=500).to_dict(),
    ),
    "sustained_throughput": (
        "cube:4",
        lambda network: (
            wormhole.sustained_throughput(
                C, network, cycles=500, seeds=(1,), tolerance=0.4
            ).throughput
        ),
    ),
    "trace": ("mesh:4x4", lambda network: wormhole.trace([(0, 5), (1, 5)], network).to_dict()),
    "run_trace": (
        "mesh:4x4",
        lambda network: wormhole.run_trace([(0, 5, 0), (1, 5, 3)], network).to_dict(),
    ),
    "run_program": ("torus:4x4", lambda network: wormhole.run_program(PROGRAM, network).to_dict()),
    "pattern": ("cube:4", lambda network: wormhole.pattern(C, network).pairs.tolist()),
    "parallel_fft": ("cube:2", lambda network: wormhole.parallel_fft(16, network).execution),
    "move_on_mesh": ("mesh:4x4", lambda mesh: repr(move_on_mesh(MOVED, mesh))),
    "average_dilation": (
        "mesh:4x4",
        lambda network: pipelining.average_dilation(range(16), network),
    ),
    "minimum_average_dilation": (
        "mesh:4x4",
        lambda mesh: pipelining.minimum_average_dilation(mesh),
    ),
    "step_table": ("mesh:4x4", lambda mesh: pipelining.step_table(mesh)),
    "total_steps": ("mesh:4x4", lambda mesh: pipelining.total_steps(mesh, 3)),
}
"""Every function, and a call of it."""

CLASSES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "Movement.along": ("mesh:4x4", lambda network: Movement.along(C, [0, 1], network)),
    "Movement.of_positions": (
        "torus:4",
        lambda network: Movement.of_positions(network, [[0, 3], [2, 1]]),
    ),
    "Movement.of_schedule": (
        "mesh:4",
        lambda network: Movement.of_schedule(network, [[0, 2]], [0]),
    ),
    "Movement.on": ("mesh:4x4", lambda network: MOVED.on(network)),
    "Machine": ("torus:8x16", lambda mesh: pipelining.Machine(mesh, 500, 1)),
    "Task": ("mesh:4x4", lambda mesh: pipelining.Task(0, 3, mesh)),
    "Task.whole": ("mesh:4x4", lambda mesh: pipelining.Task.whole(mesh)),
}

PACKAGES = (
    "lccmodel",
    "lccmodel.pipelining",
    "lccmodel.routing",
    "lccmodel.wormhole",
    "lccmodel.movement",
    "lccmodel.permutations",
    "lccmodel.placement",
    "lccmodel.permutations.simd_mesh",
    "lccmodel.placement.mapping",
    "lccmodel.placement.search",
    "lccmodel.permutations.self_routing",
    "lccmodel.exploration",
)
NOT_OF_THE_FIELD = {
    "switch_settings": "a Benes network",
}


def functions() -> Iterator[str]:
    """Every public function with an argument for a network."""
    for name in PACKAGES:
        package = importlib.import_module(name)
        for public in dir(package):
            value = getattr(package, public)
            if not inspect.isfunction(value) or not value.__module__.startswith("lccmodel"):
                continue
            if {"network", "mesh"} & set(inspect.signature(value).parameters):
                yield public


def test_every_public_function_with_a_network_is_called_here() -> None:
    assert set(functions()) - set(NOT_OF_THE_FIELD) == set(CALLS) - {"explore"}


def same(left: Any, right: Any) -> bool:
    if isinstance(left, lcc.placement.Placement):
        return bool((left.node_of == right.node_of).all())
    return bool(np.all(left == right))


@pytest.mark.parametrize("name", [*CALLS, *CLASSES])
def test_a_word_is_as_good_as_an_object(name: str) -> None:
    word, call = (CALLS | CLASSES)[name]
    assert same(call(word), call(lcc.network.parse_network(word)))


@pytest.mark.parametrize("name", [*CALLS, *CLASSES])
def test_a_word_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(lcc.errors.InputError, match=r"qube:4|must be"):
        (CALLS | CLASSES)[name][1]("qube:4")
