"""A network is given as an object or by its word, in every public function, with one answer."""

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
    "contention": ("mesh:4x4", lambda net: lcc.contention(C, net)),
    "compare": ("torus:4x4", lambda net: lcc.compare(C, net).records()),
    "explore": ("mesh:2x8", lambda net: lcc.explore(C, network=net).controls),
    "optimal_reordering": ("origin:4", lambda net: lcc.placement.optimal_reordering(PROGRAM, net)),
    "optimal_linear_mapping": ("cube:4", lambda net: lcc.placement.optimal_linear_mapping(C, net)),
    "optimal_orders": ("cube:4", lambda net: list(lcc.placement.optimal_orders(C, net))),
    "correction_orders": ("cube:4", lambda net: list(lcc.placement.correction_orders(C, net))),
    "place": ("torus:4x4", lambda net: lcc.place(PROGRAM, net, over="orders")),
    "split_loads": ("torus:4x4", lambda net: lcc.placement.split_loads([(0, 5)], net).to_dict()),
    "pareto_front": (
        "torus:4x4",
        lambda net: lcc.placement.pareto_front([(0, 5)], net, seconds=0.05).to_dict(),
    ),
    "place_grid": ("torus:4x4", lambda net: lcc.placement.place_grid((4, 4), net).to_dict()),
    "self_route": ("mesh:4x4", lambda net: lcc.permutations.self_route(C, network=net).network),
    "simd_mesh_route": ("mesh:8x2", lambda net: simd_mesh.simd_mesh_route(C, network=net).steps),
    "deadlock_free": ("torus:4x4", lambda net: str(lcc.routing.deadlock_free("e-cube", net))),
    "routings": ("torus:4x4", lambda net: routing.routings(net)),
    "find_routing": ("mesh:4x4", lambda net: routing.find_routing("e-cube", net)),
    "simulate": ("cube:4", lambda net: wormhole.simulate(C, net, cycles=500).to_dict()),
    "curve": ("cube:4", lambda net: wormhole.curve(C, net, loads=[0.05], cycles=500).to_dict()),
    "sustained_throughput": (
        "cube:4",
        lambda net: (
            wormhole.sustained_throughput(C, net, cycles=500, seeds=(1,), tolerance=0.4).throughput
        ),
    ),
    "trace": ("mesh:4x4", lambda net: wormhole.trace([(0, 5), (1, 5)], net).to_dict()),
    "run_trace": (
        "mesh:4x4",
        lambda net: wormhole.run_trace([(0, 5, 0), (1, 5, 3)], net).to_dict(),
    ),
    "run_program": ("torus:4x4", lambda net: wormhole.run_program(PROGRAM, net).to_dict()),
    "pattern": ("cube:4", lambda net: wormhole.pattern(C, net).pairs.tolist()),
    "parallel_fft": ("cube:2", lambda net: wormhole.parallel_fft(16, net).execution),
    "move_on_mesh": ("mesh:4x4", lambda net: repr(move_on_mesh(MOVED, net))),
    "average_dilation": ("mesh:4x4", lambda net: pipelining.average_dilation(range(16), net)),
    "minimum_average_dilation": ("mesh:4x4", lambda net: pipelining.minimum_average_dilation(net)),
    "step_table": ("mesh:4x4", lambda net: pipelining.step_table(net)),
    "total_steps": ("mesh:4x4", lambda net: pipelining.total_steps(net, 3)),
}
"""Every function, and a call of it."""

CLASSES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "Movement.along": ("mesh:4x4", lambda net: Movement.along(C, [0, 1], net)),
    "Movement.of_positions": ("torus:4", lambda net: Movement.of_positions(net, [[0, 3], [2, 1]])),
    "Movement.of_schedule": ("mesh:4", lambda net: Movement.of_schedule(net, [[0, 2]], [0])),
    "Movement.on": ("mesh:4x4", lambda net: MOVED.on(net)),
    "Machine": ("torus:8x16", lambda net: pipelining.Machine(net, 500, 1)),
    "Task": ("mesh:4x4", lambda net: pipelining.Task(0, 3, net)),
    "Task.whole": ("mesh:4x4", lambda net: pipelining.Task.whole(net)),
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


def test_every_public_function_with_a_network_is_called_here():
    assert set(functions()) - set(NOT_OF_THE_FIELD) == set(CALLS) - {"explore"}


def same(left: Any, right: Any) -> bool:
    if isinstance(left, lcc.placement.Placement):
        return bool((left.node_of == right.node_of).all())
    return bool(np.all(left == right))


@pytest.mark.parametrize("name", [*CALLS, *CLASSES])
def test_a_word_is_as_good_as_an_object(name):
    word, call = (CALLS | CLASSES)[name]
    assert same(call(word), call(lcc.network.parse_network(word)))


@pytest.mark.parametrize("name", [*CALLS, *CLASSES])
def test_a_word_that_is_none_is_refused(name):
    with pytest.raises(lcc.errors.InputError, match=r"qube:4|must be"):
        (CALLS | CLASSES)[name][1]("qube:4")
