"""Certificates of every kind, and the same with one entry changed."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import lccmodel as lcc
from lccmodel import BristledHypercube, Hypercube, Mesh, Traffic, collectives
from lccmodel.certificates.checker import certificate_digest, check
from lccmodel.certificates.parser import Refused
from lccmodel.certificates.writer import certificate_of
from lccmodel.communication.lcc import LCC
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from lccmodel.placement import optimal_linear_mapping, optimal_reordering

EVERY = [[i, j] for i in range(8) for j in range(8) if i != j]
GATHER = LCC([[1, 1, 0], [1, 1, 0], [0, 0, 0]], [0, 0, 1])
SCATTER = LCC.scatter([[0, 1, 0], [0, 0, 1], [0, 1, 1]])
CUBE = [[i, i ^ 1 << k] for i in range(16) for k in range(4)]


def placed(pairs: list, network: str) -> dict:
    return certificate_of(lcc.place(Traffic(pairs), network, over="placements", seconds=0.055))


def by_parts(made: dict, box: object) -> dict:
    """The same answer, proved by what leaves parts of the network."""
    proved = made | {"proof": {"phase": 0, "bound": "parts", "box": box}}
    return proved | {"digest": certificate_digest(proved)}


def samples() -> dict[str, dict]:
    machine = Machine("4x4", 7, "1/3", barrier=1)
    several = [lcc.catalog.matrix_transpose(4), lcc.catalog.bit_reverse(4)]
    return {
        "gather": certificate_of(optimal_reordering(GATHER, Hypercube(3))),
        "scatter": certificate_of(optimal_reordering(SCATTER, Hypercube(3))),
        "origin": certificate_of(optimal_linear_mapping(SCATTER, BristledHypercube(3))),
        "reverse": certificate_of(optimal_linear_mapping(several[1], BristledHypercube(4))),
        "orders": certificate_of(optimal_reordering(several, Hypercube(4))),
        "sums": certificate_of(optimal_reordering(several, Hypercube(4), "sum-sum")),
        "placement": certificate_of(lcc.place(Traffic([[0, 1], [1, 2]]), "mesh:4", seconds=0.05)),
        "schedule": certificate_of(schedule(Task(0, 3, Mesh((8,))))),
        "degree": certificate_of(optimal_degree(machine, 50)),
        "places": placed([[0, j] for j in range(1, 6)], "mesh:4*2"),
        "widths": placed(EVERY, "mesh:4x2,bandwidth=1:3"),
        "tree": placed(EVERY, "fattree:2x2x2/1x1"),
        "eigenvalue": placed(CUBE, "fattree:8x2/4"),
        "allreduce": certificate_of(collectives.allreduce("ring", "torus:4", ports="all")),
        "alltoall": certificate_of(collectives.alltoall("bruck", "mesh:4")),
        "parts": by_parts(placed(EVERY, "mesh:4x2"), [2, 2]),
        "parts of a tree": by_parts(placed(EVERY, "fattree:2x4/2"), 1),
        "half a ring": certificate_of(schedule(Task(0, 3, lcc.network.parse_network("torus:8")))),
        "scattered data": certificate_of(collectives.reduce_scatter("ring", "mesh:4")),
        "data over a cut": certificate_of(collectives.alltoall("linear", "torus:4", ports="all")),
    }


def drawn_lcc(n: int, draw: random.Random) -> LCC:
    """A gather or a scatter, about half of them of low rank."""
    rows = [[draw.randint(0, 1) for _ in range(n)] for _ in range(n)]
    if draw.random() < 0.5:
        rows = [rows[draw.randrange((n + 1) // 2)] for _ in range(n)]
    kind = LCC if draw.random() < 0.5 else LCC.scatter
    return kind(rows, [draw.randint(0, 1) for _ in range(n)])


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where every entry stands."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from leaves(inner, (*path, k))
    else:
        yield path


def another(value: Any) -> Any:
    """Another value that looks as good."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value is None:
        return 0
    if value and not set(value) - {"0", "1"}:
        return ("0" if value[0] == "1" else "1") + value[1:]
    turned = {"gather": "scatter", "scatter": "gather", "one": "all", "all": "one", "out": "in"}
    turned |= {"in": "out", "add": "copy", "copy": "add", "d-mod-k": "s-mod-k"}
    return turned.get(value, value + "1")


def altered(made: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with one entry changed."""
    changed = copy.deepcopy(made)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return changed


def signed(made: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The same with a digest of its own."""
    changed = altered(made, path, value)
    return changed | {"digest": certificate_digest(changed)}


def accepted(made: Any) -> bool:
    try:
        check(made)
    except Refused:
        return False
    return True


def entry(made: Any, path: tuple[Any, ...]) -> Any:
    """The entry at a place."""
    for key in path:
        made = made[key]
    return made
