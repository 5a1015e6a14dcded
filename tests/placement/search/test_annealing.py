"""What a descent knows between two slices is what follows from where its ranks are."""

import numpy as np
import pytest

from lccmodel.kernels.jit import in_python
from lccmodel.network import parse_network
from lccmodel.placement.search.annealing import Descent, Run, ranks_that_send
from lccmodel.placement.search.problem import value_of
from tests.placement.search.brute_force import demand_on, random_program

NETWORKS = (
    "torus:4x3", "mesh:3x2*2", "fattree:2x3x2/2x1", "mesh:2x4,bandwidth=1:3", "dragonfly:1,2,1",
    "mesh:3x3,nodes=0-6",
)  # fmt: skip
OBJECTIVES = ("joint", "max-max", "max-sum", "sum-sum", "distance", "mixture:0.5")


@pytest.mark.parametrize("word", NETWORKS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_loads_energy_and_best_value_follow_from_the_placement(word, objective):
    """Energy: the sum of the p-th powers of scaled loads, and a price for every channel crossed."""
    ranks = parse_network(word).size - 1
    demand, routes = demand_on(word, random_program(3, ranks, 2, 2 * ranks), objective)
    start = np.arange(demand.ranks)
    run = Descent(demand, Run(start, 240, 0.3, 7))
    first = least = value_of(demand.loads(start, routes), routes.ways, demand.aim)
    powers = set()
    while not run.done:
        run.advance(demand, routes, 16)
        now, state = run._standing, run._state
        assert sorted(state.node_of) == sorted({*state.node_of.tolist()})
        assert all(state.rank_at[node] == r for r, node in enumerate(state.node_of.tolist()))
        assert np.count_nonzero(state.rank_at >= 0) == demand.ranks
        loads = demand.loads(state.node_of, routes)
        assert run.done or (state.loads == loads).all()
        scale, share, squarings, price = now.pricing
        crossed = (loads / routes.cost * scale).sum()
        energy = ((loads * scale) ** float(1 << squarings)).sum() if share else 0.0
        assert now.energy == pytest.approx(energy + price * crossed, rel=1e-9)
        kept = value_of(demand.loads(state.best, routes), routes.ways, demand.aim)
        assert kept == now.best_value <= least
        least = now.best_value
        powers.add((share > 0, squarings))
        p, C = float(1 << squarings), loads.shape[1]
        if objective == "mixture:0.5" and now.move == 16:  # the price is of the start
            begun = (demand.loads(start, routes) * scale) ** p
            assert price == pytest.approx(p / C * begun.sum() ** ((p - 1) / p))
        assert price == {"distance": 1.0, "mixture:0.5": price}.get(objective, 0.0)
    assert least < first
    assert powers == {(objective != "distance", 2), (objective != "distance", 4)}


def test_without_heat_nothing_gets_worse():
    """The energy of a descent falls, move by move, while its power stays."""
    demand, routes = demand_on("mesh:3x2*2", np.random.default_rng(5).integers(0, 11, (30, 2)))
    run, energies = Descent(demand, Run(np.arange(demand.ranks), 300, 0.0, 1)), []
    for _ in range(225):
        run.advance(demand, routes, 1)
        energies.append(run._standing.energy)
    assert energies == sorted(energies, reverse=True)
    assert energies[-1] < energies[0]


def test_movers_are_who_sends_or_receives():
    with in_python():
        movers, most = ranks_that_send(np.array([0, 2, 2, 5, 6, 6]))
    assert (movers.tolist(), most) == ([0, 2, 3], 3)
