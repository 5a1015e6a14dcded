"""The best order for any program: equal to brute force over all orders, on every network.

The oracle renames ranks, and the network routes every message and counts its channels.

[hou, Theorem 6] for any messages, by `lattice.traffic.programme`.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest

from lccmodel import LCC, BristledHypercube, Hypercube, Mesh, Torus, catalog
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError, NetworkError
from lccmodel.gf2.enumeration import random_matrix
from lccmodel.lattice import programme
from lccmodel.lattice.programme import OBJECTIVES, AddressFields, best_order
from lccmodel.network import Concentrated, FatTree, Network, parse_network
from lccmodel.placement import optimal_orders
from tests.choosing import sampled

NETWORKS = [
    Hypercube(4),
    BristledHypercube(4),
    Mesh((4, 4)),
    Torus((4, 4)),
    Torus((8, 2)),
    Mesh((2, 4, 2)),
    Torus((16,)),
    Mesh((1, 16)),
    # internal bits, loads over bandwidths, digits of a tree
    Concentrated(Mesh((4,)), 4),
    Mesh((4, 4), bandwidth=(3, 1)),
    Concentrated(Hypercube(2), 4),
    Torus((4, 4), wrap=(True, False)),
    Concentrated(Torus((4, 2)), 2),
    FatTree((2, 2, 2, 2)),
    FatTree((4, 4)),
    FatTree((2, 4, 2), routing="s-mod-k"),
]


def random_programs(n: int, count: int, seed: int) -> Iterator[Program]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        phases = []
        for _ in range(int(rng.integers(1, 4))):
            many = int(rng.integers(0, 30))
            ranks = int(rng.integers(1, (1 << n) + 1))
            ends = rng.integers(0, ranks, (many, 2))
            volumes: Any = rng.integers(0, 9, many)
            if rng.random() < 0.3:
                volumes = volumes / 4
            phases.append(Phase(Traffic(ends, volumes, ranks), rng.choice([1, 3, 0.1, 0.5])))
        yield Program(phases)


def value(
    program: Program, network: Network, objective: str, node_of: np.ndarray[Any, Any]
) -> Fraction:
    if objective == "joint":
        return joint_load(program, network, node_of)
    return valued(phase_loads(program, network, node_of), objective)


def joint_load(program: Program, network: Network, node_of: np.ndarray[Any, Any]) -> Fraction:
    ends = np.concatenate([node_of[phase.traffic.messages] for phase in program.phases])
    volumes = np.concatenate([in_units(phase) for phase in program.phases])
    return max(by_axis(network, ends, volumes), default=Fraction(0))


def phase_loads(
    program: Program, network: Network, node_of: np.ndarray[Any, Any]
) -> list[list[Fraction]]:
    """The largest load of every axis in every phase, which three objectives are made of."""
    return [by_axis(network, node_of[p.traffic.messages], in_units(p)) for p in program.phases]


UNITS = 120
"""Volumes are integers or quarters; weights are integers, tenths or thirds."""


@cache
def in_units(phase: Phase) -> np.ndarray[Any, Any]:
    integers, unit = phase.traffic.exact
    factor = unit * Fraction(str(phase.weight)) * UNITS
    return np.array([int(volume * factor) for volume in integers.tolist()], np.int64)


def by_axis(
    network: Network, ends: np.ndarray[Any, Any], volumes: np.ndarray[Any, Any]
) -> list[Fraction]:
    busiest = [Fraction(0)] * network.dimensions
    for row, counts in enumerate(network.channel_loads(ends, volumes).counts):
        axis = network.row_dimension(row)
        load = Fraction(int(counts.max(initial=0)), UNITS) / network.bandwidths[axis]
        busiest[axis] = max(busiest[axis], load)
    return busiest


def valued(loads: list[list[Fraction]], objective: str) -> Fraction:
    if objective == "max-max":
        return max((max(row) for row in loads if row), default=Fraction(0))
    sums = [sum(column, Fraction(0)) for column in zip(*loads, strict=True)]
    return max(sums, default=Fraction(0)) if objective == "max-sum" else sum(sums, Fraction(0))


@cache
def programs_with_loads(
    network: Network, n: int, count: int, seed: int
) -> list[tuple[Program, dict[tuple[int, ...], list[list[Fraction]]]]]:
    """Random programs, with the loads of the phases under every order of n bits."""
    return [
        (p, {order: phase_loads(p, network, renamed(order)) for order in permutations(range(n))})
        for p in random_programs(n, count, seed)
    ]


def renamed(order: tuple[int, ...]) -> np.ndarray[Any, Any]:
    x = np.arange(1 << len(order))
    return sum((x >> bit & 1) << k for k, bit in enumerate(order))


@pytest.mark.parametrize("network", sampled(NETWORKS, 3), ids=lambda network: network.spec)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_best_order_is_the_least_of_all_orders(network, objective):
    """[hou, Theorem 6] for any messages: all 24 orders, weights and volumes with fractions."""
    for program, loads in programs_with_loads(network, 4, 12, 21):
        values = {
            order: joint_load(program, network, renamed(order))
            if objective == "joint"
            else valued(of_phases, objective)
            for order, of_phases in loads.items()
        }
        best = best_order(program, network, objective)
        assert best.value == min(values.values()) == values[best.order]
        assert best.node_of.tolist() == renamed(best.order).tolist()


@pytest.mark.parametrize("network", [Mesh((4, 4)), Torus((8, 2)), Torus((4, 4))])
def test_gray_codes_are_searched_on_every_axis(network):
    """All orders times all choices of code, by the node of every rank."""
    for program in random_programs(4, 6, 23):
        least = min(
            value(program, network, "max-max", nodes(network, order, (code & 1, code >> 1)))
            for order in permutations(range(4))
            for code in range(4)
        )
        best = best_order(program, network, gray=True)
        assert best.value == least == value(program, network, "max-max", best.node_of)


def nodes(network: Mesh, order: tuple[int, ...], codes: tuple[int, ...]) -> np.ndarray[Any, Any]:
    node, found, place = renamed(order), np.zeros(16, np.int64), 0
    for length, code in zip(network.shape, codes, strict=True):
        line = np.arange(length)
        label = line ^ line >> 1 if code else line
        found |= np.argsort(label)[node >> place & length - 1] << place
        place += length.bit_length() - 1
    return found


def test_a_path_through_a_cube_lies_on_a_line_in_gray_code():
    """0 -> 1 -> 3 -> 2 -> 6 -> ...: neighbours on a line of eight in no order of bits."""
    codes = [k ^ k >> 1 for k in range(8)]
    path = Program.of(list(pairwise(codes)))
    assert best_order(path, Mesh((8,))).value > 1
    found = best_order(path, Mesh((8,)), gray=True)
    assert (found.value, found.gray, found.node_of[codes].tolist()) == (1, (0,), list(range(8)))


@pytest.mark.parametrize("network", [Hypercube(4), BristledHypercube(4)])
@pytest.mark.parametrize("objective", ["max-max", "max-sum", "sum-sum"])
def test_ranks_behind_the_same_door_give_the_least_of_all_orders(network, objective, monkeypatch):
    """[hou, Theorem 6]: y = Ax + b, with weights and volumes; counts are not asked."""
    rng = np.random.default_rng(3)
    matrices = [random_matrix(4, rng) for _ in range(6)]
    programs = [
        Program([Phase(LCC(first), Fraction(1, 3)), Phase(Traffic(LCC(second).pairs(), [3] * 16))])
        for first, second in pairwise(matrices)
    ]
    monkeypatch.setattr(programme, "cheapest", None)  # the search over counts
    for program in programs:
        values = {
            order: value(program, network, objective, renamed(order))
            for order in permutations(range(4))
        }
        best = best_order(program, network, objective)
        assert best.value == min(values.values()) == values[best.order]
    with pytest.raises(TypeError):
        best_order(Program([Traffic([(0, 1)], ranks=16)]), network, objective)


@pytest.mark.parametrize("objective", ["max-max", "sum-sum"])
def test_sets_that_no_best_order_can_reach_are_not_priced(objective):
    """Not all of the 31 sets of five bits; that the value is the least, all orders say above."""
    rng = np.random.default_rng(2)
    x, y = divmod(rng.choice(1 << 10, 25, replace=False), 32)
    program = Program([Traffic(np.stack([x, y], axis=1), rng.integers(1, 30, 25), 32)])
    assert 5 <= best_order(program, Hypercube(5), objective).priced < 31


def test_no_messages_cost_nothing():
    silent = Program.of(Traffic(np.empty((0, 2), np.int64), ranks=5))
    for objective in OBJECTIVES:
        found = best_order(silent, Hypercube(3), objective)
        assert (found.value, sorted(found.order)) == (0, [0, 1, 2])
    assert best_order(Program.of([(0, 1)]), Hypercube(1)).value == 1
    assert best_order(Program.of([(0, 1)]), BristledHypercube(1)).order == (0,)


SWAP = Program.of([(0, 1), (1, 0)])
SLOW = parse_network("mesh:2x2,bandwidth=1:4")
"""Axis 0 counts four times, and there are two."""


def sending(volume: int, weight: int = 1) -> Phase:
    return Phase(Traffic([(0, 1)], [volume]), weight)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: best_order(SWAP, Hypercube(1), "least"), InputError, "objective"),
        (lambda: best_order(Program.of(catalog.bit_reverse(4)), Hypercube(3)), NetworkError,
         "node for each of the 16 ranks"),
        (lambda: AddressFields.of(parse_network("twisted:2x4"), 8), NetworkError,
         "routing reads address bits"),
        (lambda: best_order(SWAP, FatTree((4, 4), (2,))), NetworkError,
         "children and as many parents at every level"),
        # sums stay below 2^61: times four bits; together at the same time; 0 in 64 bits
        (lambda: best_order(Program([sending(1 << 59)]), Hypercube(4)), InputError, r"2\^61"),
        (lambda: best_order(Program([sending(1 << 58)]), SLOW), InputError, r"2\^61"),
        (lambda: best_order(Program([sending(1, 1 << 60)] * 2), Hypercube(1), "joint"),
         InputError, "volumes times weights must add up to less than 2"),
        (lambda: best_order(Program([sending(1 << 40, 1 << 40), sending(1)]), Hypercube(1),
                            "joint"), InputError, "volumes times weights must add up to less"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_the_largest_volumes_that_are_taken():
    just = Program([sending((1 << 59) - 1)])
    assert best_order(just, Hypercube(4)).value == (1 << 59) - 1
    assert best_order(Program([sending(1 << 57)]), SLOW).value == 1 << 55


@pytest.mark.slow
def test_volumes_as_measured_are_rounded_and_said_so():
    """No unit fits 0.1234567890123456 and a million: the order is that of the rounded volumes."""
    pairs = [(0, 1), (1, 0), (2, 3), (3, 1), (4, 7), (6, 1)]
    measured = [0.1234567890123456, 1e6, 123456.789, 3e5 + 1e-9, 17.3, 2e5]
    found = best_order(Program.of(Traffic(pairs, measured, 8)), Hypercube(3))
    assert found.proof.endswith("volumes are rounded to multiples of 1e-07")
    whole = best_order(Program.of(Traffic(pairs, [round(v, 7) for v in measured], 8)), Hypercube(3))
    assert (found.value, found.order) == (whole.value, whole.order)
    assert "rounded" not in whole.proof
    assert optimal_orders(Traffic(pairs, measured, 8), "cube:3").count() > 0
