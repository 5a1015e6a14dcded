"""Two ways to describe one network: every question has one answer on both.

Networks are one if their canonical geometries are equal, and so are their routes
(`lccmodel.network.geometry`). What may differ is how dimensions are numbered (an Origin has a
dimension 0 inside its routers, `mesh:4x1x4` an axis without channels): loads are compared without
those that carry nothing.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.collectives import alltoall, choose
from lccmodel.collectives.bounds import collective_bound
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.errors import InputError
from lccmodel.lattice.programme import best_order
from lccmodel.network import Network, RouteTable, as_network
from lccmodel.pipelining import Linear
from lccmodel.placement.placement_result import usual_over
from lccmodel.problem import Problem
from lccmodel.show.heatmap import draw_heat
from lccmodel.show.network_artists import LoadScale
from lccmodel.wormhole import simulate
from tests.choosing import slow

MACHINE = Linear(3, Fraction(1, 500))
LEVELS = """network = "mesh:2x2"
[[level]]
count = 2
bandwidth = 1
[[level]]
count = 2
bandwidth = 1
"""

TWINS = {
    "origin and cube with two nodes a router": ("origin:4", "cube:3*2"),
    "a torus and all its nodes by number": ("torus:4x4", "torus:4x4,nodes=0-15"),
    "a fat tree and all its nodes by number": ("fattree:4x4/2", "fattree:4x4/2,nodes=0-15"),
    "a cube and a mesh of sides 2": ("cube:4", "mesh:2x2x2x2"),
    "a cube and a torus of sides 2": ("cube:4", "torus:2x2x2x2"),
    "a cube and a HyperX of sides 2": ("cube:4", "hyperx:2x2x2x2"),
    "a mesh and one with a side of 1": ("mesh:4x4", "mesh:4x1x4"),
    "a torus and one with a side of 1": ("torus:4x4*2", "torus:1x4x4*2"),
    "bandwidths that are all alike": ("torus:4x4", "torus:4x4,bandwidth=1:1"),
    "levels in a file and in a word": ("mesh:2x2*4/2", "levels"),
    "a mesh and its routes": ("mesh:4x4", "routes of mesh:4x4"),
    "a torus and its routes": ("torus:4x4", "routes of torus:4x4"),
    "a cube and its routes": ("cube:4", "routes of cube:4"),
    "an Origin and its routes": ("origin:4", "routes of origin:4"),
    "split ties and their routes": ("torus:4x4,ties=split", "routes of torus:4x4,ties=split"),
    "split ties and a side of 1": ("torus:4x4*2,ties=split", "torus:4x1x4*2,ties=split"),
    "split ties where no ring is even": ("torus:3x3", "torus:3x3,ties=split"),
    "split ties and all nodes": ("torus:4x4,ties=split", "torus:4x4,ties=split,nodes=0-15"),
    "part of a torus and of its routes": ("torus:4x4,nodes=0-7", "some routes of torus:4x4"),
}


def network_of(word: str, folder: Path) -> Network:
    if word == "levels":
        (folder / "levels.toml").write_text(LEVELS)
        return as_network(f"levels:{folder / 'levels.toml'}")
    start, of, told = word.partition("routes of ")
    if not of:
        return as_network(word)
    network = as_network(told)
    table = RouteTable.from_graph(network.graph(), lambda graph, x, y: network.path(x, y))
    return as_network(table, range(8)) if start else table


def traffic(network: Network) -> list[Any]:
    """Messages of several kinds: all to all, a ring with volumes, and random ones."""
    rng, nodes = np.random.default_rng(3), network.size
    pairs = rng.integers(0, nodes, (3 * nodes, 2))
    return [
        [(x, y) for x in range(nodes) for y in range(nodes) if x != y],
        [(x, (x + 3) % nodes, 1 + x % 4) for x in range(nodes)],
        pairs[pairs[:, 0] != pairs[:, 1]].tolist(),
    ]


def loads_of(network: Network) -> list[Any]:
    found = []
    for messages in [*traffic(network), f"bit-reverse@{network.n}"]:
        if isinstance(messages, str):
            messages = lcc.catalog.bit_reverse(network.n)
        loads = network.channel_loads(messages)
        one = lcc.contention(messages, network)
        used = [load for load in one.per_dimension if load]
        assert one.per_dimension == loads.per_dimension
        found.append((one.degree, sorted(used), one.distance, loads.histogram()))
    return found


def defaults_of(network: Network) -> list[Any]:
    problems = ["bit-reverse", [(0, 1), (1, 2)], "grid:4x2"]
    return [usual_over(Problem.read(one, network)) for one in problems]


def placements_of(network: Network) -> list[Any]:
    found = []
    pairs = traffic(network)[2][:6]  # few, so that the search is short
    for objective in ("max-max", "distance"):
        m = lcc.place(pairs, network, objective, "placements", moves=200, seed=1)
        found.append(placement_facts(m))
    return found


def placement_facts(m: Any) -> tuple[Any, ...]:
    loads = [load for load in m.after.per_dimension if load]
    return (
        m.over, m.before.value, m.after.value, m.lower_bound, m.bound, m.proof, m.optimal,
        m.nodes.tolist() if m.nodes is not None else m.Q, m.order, m.after.distance, sorted(loads),
    )  # fmt: skip


def maps_of(network: Network) -> list[Any]:
    found = [placement_facts(lcc.place("bit-reverse", network, moves=1000))]
    for over in ("orders", "linear"):
        for messages in ("bit-reverse", traffic(network)[1]):
            found.append(placement_facts(lcc.place(messages, network, over=over, moves=1000)))
    return found


def orders_of(network: Network) -> list[Any]:
    found = []
    for messages in ("bit-reverse", traffic(network)[1]):
        best = best_order(Problem.read(messages, network).program, network)
        found.append((best.value, best.order, best.node_of.tolist()))
    return found


def collectives_of(network: Network) -> list[Any]:
    found: list[Any] = []
    for ports in ("one", "all"):
        for collective in ("allreduce", "allgather", "alltoall", "broadcast", "barrier"):
            m = 0 if collective == "barrier" else 1 << 16
            ranking = choose(collective, MACHINE, m, network, ports=ports)
            rows = [{k: v for k, v in row.items() if k != "network"} for row in ranking.records()]
            for row in rows:  # a note names the network by its word
                row["notes"] = [note.replace(network.spec, "it") for note in row["notes"]]
            bound = collective_bound(CollectiveProblem(collective, network, ports=ports))
            found.append((collective, ports, rows, bound))
    return found


def simulation_of(network: Network) -> list[Any]:
    found: list[Any] = []
    for tie in ("lowest-input", "random"):
        run = simulate(lcc.catalog.bit_reverse(network.n), network, load=0.3, cycles=2000, tie=tie)
        found.append(
            (run.routing, np.sort(run.ready).tolist(), run.delivered.tolist(), bool(run.deadlock))
        )
    return found


def pictures_of(network: Network) -> list[Any]:
    """The numbers that a picture of loads shows."""
    found = []
    for messages in traffic(network):
        loads = network.channel_loads(messages)
        axes = plt.figure().add_subplot()
        shown = np.ma.compressed(draw_heat(axes, loads, LoadScale.of(loads)).get_array())
        found.append(sorted(set(shown[shown > 0].tolist())))
        plt.close("all")
    return found


QUESTIONS: dict[str, Callable[[Network], list[Any]]] = {
    "loads": loads_of,
    "defaults": defaults_of,
    "placements": placements_of,
    "maps": maps_of,
    "orders": orders_of,
    "collectives": collectives_of,
    "simulation": simulation_of,
    "pictures": pictures_of,
}


LONG = {"collectives": ("a cube and a mesh of sides 2",), "placements": ("a torus and its routes",),
        "pictures": ("a mesh and its routes",)}  # fmt: skip
"""Questions that take a second for a pair; the fast suite asks them of the named pairs."""
CASES = [
    case if case[1] in LONG.get(case[0], TWINS) else slow(case)
    for case in product(QUESTIONS, TWINS)
]


@pytest.mark.parametrize(("question", "twins"), CASES)
def test_twins_get_one_answer(twins, question, tmp_path):
    first, second = (network_of(word, tmp_path) for word in TWINS[twins])
    answers = []
    for network in (first, second):
        try:
            answers.append(QUESTIONS[question](network))
        except InputError as error:
            answers.append([type(error), error.argument])
    assert answers[0] == answers[1]


def test_a_plan_on_the_same_nodes_has_the_same_loads():
    """alltoall by bruck on eight nodes of torus:4x4. 0.4: 3/2 as ranks of the torus, 2 as a job."""
    ranks = alltoall("bruck", "torus:4x4", node_of=range(8)).loads()
    job = alltoall("bruck", "torus:4x4,nodes=0-7").loads()
    assert ranks.busiest == job.busiest == Fraction(3, 2)
    assert [ranks.of(step).degree for step in range(3)] == [
        job.of(step).degree for step in range(3)
    ]
