"""Frozen values are read-only: writing to an array of a public value is refused or in vain."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.calibration import Measurements
from lccmodel.collectives import choose
from lccmodel.network import Hypercube, RouteTable, as_network
from lccmodel.permutations.self_routing import self_route
from lccmodel.pipelining import Linear, Machine, Task, optimal_degree, schedule
from lccmodel.routing import Fabric, find_routing, routing_table
from lccmodel.wormhole import pattern, simulate, trace

CUBE, REVERSE = Hypercube(3), lcc.catalog.bit_reverse(3)
VALUES: Mapping[str, Callable[[], Any]] = {
    "grid": lambda: as_network("mesh:4x3"),
    "table of routes": lambda: as_network("hyperx:4x2"),
    "job": lambda: as_network("torus:4x4,nodes=0-3"),
    "tree": lambda: as_network("fattree:2^3"),
    "wiring": lambda: as_network("origin:3").wiring,
    "loads": lambda: CUBE.channel_loads(REVERSE),
    "contention": lambda: lcc.contention(REVERSE, CUBE),
    "placement": lambda: lcc.place([(0, 1), (1, 2)], "torus:3x3", moves=50),
    "order": lambda: lcc.place(REVERSE, CUBE),
    "simulation": lambda: simulate(REVERSE, CUBE, cycles=500),
    "timeline": lambda: trace(REVERSE, CUBE),
    "pattern": lambda: pattern(REVERSE, CUBE),
    "routing table": lambda: routing_table(find_routing("e-cube", CUBE), Fabric(CUBE), [(0, 3)]),
    "degree": lambda: optimal_degree(Machine("8x8", alpha=5, tau="1/1000"), 10**6),
    "schedule": lambda: schedule(Task(0, 4, "mesh:4x4x4")),
    "collective": lambda: choose("allreduce", Linear(3, "1/500"), 4096, "torus:4x4"),
    "self-routing": lambda: self_route([0, 2, 1, 3]),
    "measurements": lambda: Measurements(np.array([8, 8, 16]), np.array([1.0, 2.0, 2.0])),
    "traffic": lambda: lcc.Traffic.of([(0, 1, 3), (1, 2, 6)]),
    "program": lambda: lcc.Program.of([lcc.Traffic.of([(0, 1, 3)]), lcc.Traffic.of([(1, 0)])]),
    "linear-complement": lambda: REVERSE,
}


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """The public attributes and properties of a value, without its methods."""
    names = {*dir(type(value)), *getattr(value, "__dataclass_fields__", ())}
    for name in sorted(name for name in names if not name.startswith("_")):
        if callable(getattr(type(value), name, None)):
            continue
        try:
            yield name, getattr(value, name)
        except Exception:  # a property that does not apply to this value
            continue


def parts(value: Any, path: str, seen: set[int], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Arrays, lists and dictionaries that a value leads to, with where they are."""
    if id(value) in seen or depth > 4:
        return
    seen.add(id(value))
    if isinstance(value, (np.ndarray, list, dict)):
        yield path, value
    elif isinstance(value, tuple):
        for k, part in enumerate(value[:4]):
            yield from parts(part, f"{path}[{k}]", seen, depth + 1)
    elif type(value).__module__.startswith("lccmodel"):
        for name, part in attributes(value):
            yield from parts(part, f"{path}.{name}", seen, depth + 1)


def again(value: Any, path: str) -> Any:
    """The part at a path, asked for once more."""
    return eval(f"value{path}", {"value": value})


def owners(array: np.ndarray) -> Iterator[np.ndarray]:
    """An array, and every array whose memory it shows: `dragonfly.form.base` was writable."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        yield owner
        owner = owner.base


@pytest.mark.parametrize("name", VALUES)
def test_nothing_of_a_value_can_be_written_to(name):
    """0.4: `RouteTable.form`, arrays of simulations and `Plan.stages` could be spoiled."""
    value, seen = VALUES[name](), set[int]()
    spoiled = []
    for path, part in list(parts(value, "", seen)):
        if not len(part):
            continue
        if isinstance(part, np.ndarray):
            before = part.copy()
            for owner in owners(part):
                try:
                    owner.flat[0] = owner.flat[0] + 1 if owner.dtype != object else None
                except ValueError:
                    continue
            if not np.array_equal(again(value, path), before):
                spoiled.append(path)
        elif again(value, path) is part:
            spoiled.append(path)
    assert spoiled == []
    assert seen


def test_solvers_of_a_machine_are_not_replaced():
    machine = Machine("8x8", alpha=5, tau="1/1000")
    optimal_degree(machine, 10**6)
    assert isinstance(machine.solvers, MappingProxyType)
    assert machine.solvers


def test_an_array_of_the_caller_stays_writable(tmp_path):
    """Links and hosts are copied: the caller's own arrays are not frozen."""
    links, hosts = np.array([(0, 1), (1, 0)]), np.array([0, 1])
    network = RouteTable(links, [[-1, 0], [1, -1]], hosts)
    links[0, 0] = hosts[0] = 5
    assert network.links.tolist() == [[0, 1], [1, 0]]
    assert network.hosts.tolist() == [0, 1]
