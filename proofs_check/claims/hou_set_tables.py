"""Loads of all communications in all orders, for claims about sets: [hou], section 5.

Members r have loads T_i; the objectives are max_r max_i T_i (max-max), max_i sum_r T_i (max-sum)
and sum_i sum_r T_i (sum-sum). The load of bit j behind the bits S is counted by putting every
message where it stands when S is corrected; the n! orders are walked one by one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Ints
from proofs_check.domain import AllMatrices, AllVectors
from proofs_check.orders import all_orders
from proofs_check.packed import unpack_rows
from proofs_check.walk import busiest, contention, set_destination_planes, set_source_planes, walk

Tables = tuple[Ints, Ints]

MAX_MAX, MAX_SUM, SUM_SUM = range(3)
OBJECTIVES = ("max-max", "max-sum", "sum-sum")
TABULATED = 3
"""Up to this n the loads of all communications are tabulated once."""

TWO = (AllMatrices("A1") * AllVectors("b1")) * (AllMatrices("A2") * AllVectors("b2"))
"""Two communications: of a compiled claim `case.code` is the index of the first, `case.b` that of
the second."""


@kernel
def tabulate(n: int, index: int, scatter: bool, orders: Ints, walked: Ints, loads: Ints) -> None:
    """walked[o, j]: T of dimension j in order o; loads[S, j]: of bit j behind the bits S."""
    rows = np.empty(n, np.int64)
    nodes, images, present = np.empty((3, n), np.uint64)
    sets = np.empty(1 << n, np.uint64)
    set_source_planes(n, nodes)
    unpack_rows(index >> n, n, rows)
    set_destination_planes(n, rows, index & ((1 << n) - 1), nodes, images)
    start, end = (images, nodes) if scatter else (nodes, images)
    for o in range(len(orders)):
        walk(n, orders[o], 0, start, end, present, sets, walked[o])
    for S in range(1 << n):
        for k in range(n):
            present[k] = end[k] if S >> k & 1 else start[k]
        for j in range(n):
            loads[S, j] = busiest(n, present, start[j] ^ end[j], 0, sets)


def tabulated(n: int, indices: Ints, scatter: bool) -> Tables:
    """The walked T of every order and the loads of every (S, j), for communications by index."""
    walked = np.zeros((len(indices), math.factorial(n), n), np.int64)
    loads = np.zeros((len(indices), 1 << n, n), np.int64)
    for c, index in enumerate(indices):
        tabulate(n, int(index), scatter, all_orders(n), walked[c], loads[c])
    return walked, loads


@lru_cache(maxsize=8)
def all_tabulated(n: int, scatter: bool) -> Tables:
    """`tabulated` for the communications of all indices, n <= 3."""
    return tabulated(n, np.arange(1 << n * n + n), scatter)


@kernel
def objective_value(objective: int, first: Ints, second: Ints) -> int:
    """The objective of two members with loads T_i."""
    value = 0
    for i in range(len(first)):
        if objective == MAX_MAX:
            value = max(value, first[i], second[i])
        elif objective == MAX_SUM:
            value = max(value, first[i] + second[i])
        else:
            value += first[i] + second[i]
    return value


def profiles(*tables: Ints) -> tuple[Ints, Ints]:
    """The first row of every distinct row of the tables, and the profile number of each row.

    What is asked of a communication depends on its rows of the tables only, so that two with the
    same profile need not be tried twice.
    """
    flat = np.concatenate([table.reshape(len(table), -1) for table in tables], axis=1)
    _, representatives, numbers = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    return representatives, numbers.reshape(-1)


def values_of_every_order(
    A1: GF2Matrix, b1: GF2Vector, A2: GF2Matrix, b2: GF2Vector, **_: bool
) -> Mapping[str, Any]:
    """The three objectives of every order, and those of the restrictions to all bits but one."""
    n = len(b1)
    shown: dict[str, Any] = {"all bits": _objectives(((A1, int(b1)), (A2, int(b2))), range(n))}
    for j in range(n):
        kept = [k for k in range(n) if k != j]
        parts = [
            (A.submatrix(kept, kept), sum(b[k] << p for p, k in enumerate(kept)))
            for A, b in ((A1, b1), (A2, b2))
        ]
        shown[f"restricted, without bit {j}"] = _objectives(tuple(parts), kept)
    return shown


def _objectives(
    members: tuple[tuple[GF2Matrix, int], ...], names: Any
) -> dict[tuple[int, ...], list[int]]:
    """order -> [max-max, max-sum, sum-sum], every message walked."""
    n = len(names)
    pairs = [[(x, A.apply(x) ^ b) for x in range(1 << n)] for A, b in members]
    values = {}
    for order in itertools.permutations(range(n)):
        loads = [contention(messages, order) for messages in pairs]
        sums = [sum(column) for column in zip(*loads, strict=True)]
        values[tuple(names[k] for k in order)] = [
            max(map(max, loads), default=0) if n else 0,
            max(sums, default=0),
            sum(sums),
        ]
    return values
