"""Lower bounds on complete exchange: counted on meshes, and by trying every schedule.

Time is at least the blocks that cross the middle over the links that do.
"""

from fractions import Fraction
from itertools import permutations, product
from math import comb

import numpy as np
import pytest

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import Mesh, Torus
from lccmodel.pipelining.bounds import bisection_volume, exchange_bounds, round_volume
from lccmodel.pipelining.machine import Machine
from tests.pipelining.equal import machine_of


@pytest.mark.parametrize("network", [Mesh, Torus])
@pytest.mark.parametrize(
    ("d", "c"), [(1, 1), (2, 1), (4, 1), (2, 2), (4, 2), (6, 2), (3, 3), (6, 3)]
)
def test_bisection_counts_blocks_and_links_of_the_explicit_graph(network, d, c):
    """Only the cut is used: no route, and so no routing, is assumed."""
    n = 1 << d // c
    graph = network((n,) * c).graph()
    low = [x for x in graph if x % n < n // 2]
    high = set(graph) - set(low)
    links = sum(u in set(low) and v in high for u, v in graph.edges)
    machine = machine_of(d, c, 1, 1, topology="mesh" if network is Mesh else "torus")
    assert bisection_volume(machine, 3) == Fraction(3 * len(low) * len(high), links)


def test_port_and_start_up_bounds():
    """Bounds are times: in a unit a million times longer every bound is a millionth."""
    bounds = exchange_bounds(machine_of(6, 2, 10, "1/2"), 4)
    assert bounds.startups == 60
    assert bounds.ports == 10 + Fraction(63 * 4, 2)
    assert bounds.bisection == 10 + Fraction(8**3, 4) * 4 / 2
    assert bounds.universal == max(60, bounds.ports, bounds.bisection)
    small = exchange_bounds(machine_of(6, 2, "1e-5", "5e-7"), 4)
    assert small.lockstep == bounds.lockstep / 10**6
    assert small.rounds == bounds.rounds


def test_bounds_of_huge_meshes_are_found_at_once():
    """Where the middle is busiest even in d rounds, more rounds do not help: 2^64 nodes."""
    for shape in ((1 << 32, 1 << 32), (1 << 30,), (1 << 10,) * 3):
        machine = Machine("x".join(map(str, shape)), 7, 3)
        bounds = exchange_bounds(machine, 2)
        assert bounds.rounds == machine.d
        assert bounds.lockstep == machine.d * 7 + bisection_volume(machine, 2) * 3
    with pytest.raises(SizeLimitError, match="axes this short"):
        exchange_bounds(Machine("x".join("2" * 30), 0, 1), 1)


@pytest.mark.parametrize("r", [2, 3])
def test_no_schedule_of_four_nodes_reaches_more_by_j_messages_than_the_binomial(r):
    """Every round of one-port sends is a partial permutation; idling is a fixed point."""
    rounds = list(permutations(range(4)))
    least = 99
    for schedule in product(rounds, repeat=r):
        hops = [0, 9, 9, 9]
        for send in schedule:
            arrived = [9] * 4
            for node, target in enumerate(send):
                if target != node:
                    arrived[target] = hops[node] + 1
            hops = [min(pair) for pair in zip(hops, arrived, strict=True)]
        for j in range(1, r + 1):
            assert hops.count(j) <= comb(r, j)
        if 9 not in hops:
            least = min(least, sum(hops))
    assert least == round_volume(2, r)


@pytest.mark.parametrize("d", range(1, 9))
def test_round_volume_is_met_by_the_hypercube_and_by_direct_exchange(d):
    """d rounds of half the blocks; 2^d - 1 rounds of one block. Between, it only falls."""
    volumes = [round_volume(d, r) for r in range(d, 1 << d)]
    assert volumes[0] == d << d - 1
    assert volumes[-1] == (1 << d) - 1
    assert all(np.diff(volumes) <= 0)
    assert round_volume(d, 1 << d + 1) == (1 << d) - 1


@pytest.mark.parametrize(
    "spec", ["mesh:4x4", "mesh:4x4x4", "mesh:16x16", "torus:4", "torus:2x2", "torus:4x4"]
)
def test_lockstep_bound_is_the_least_over_all_rounds(spec):
    """On short axes no round leaves the middle the busiest, and every r up to 2^d - 1 is tried."""
    for alpha, tau, B in [(0, 1, 1), (1, 5, 3), (50, 1, 1), (1000, 1, 7)]:
        machine = Machine(spec, alpha, tau)
        d, across = machine.d, bisection_volume(machine, B)
        bounds = exchange_bounds(machine, B)
        times = {
            r: r * Fraction(alpha) + tau * max(Fraction(round_volume(d, r) * B), across)
            for r in range(d, 2 << d)
        }
        assert bounds.lockstep == min(times.values()) == times[bounds.rounds]
        assert bounds.lockstep >= bounds.universal


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: exchange_bounds(machine_of(4, 2, 1, 1), 0), "B"),
        (lambda: exchange_bounds(machine_of(4, 2, 1, 1), 1.5), "B"),
        (lambda: exchange_bounds(machine_of(4, 2, 1, 1, ports="all"), 1), "machine.ports"),
        (lambda: round_volume(0, 1), "d"),
        (lambda: round_volume(3, 2), "r"),
    ],
)
def test_bad_input_is_refused(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
