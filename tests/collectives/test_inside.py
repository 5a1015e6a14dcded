"""Two costs where a node holds several ranks: against a walk of every message, and by hand."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, islice, pairwise
from typing import Any

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.calibration import read_machine
from lccmodel.collectives import Collective
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.bounds import between_nodes
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.errors import FileError
from lccmodel.network import as_network, parse_network
from lccmodel.network.concentrated import Concentrated
from lccmodel.pipelining.message_cost import Linear
from tests.choosing import sampled
from tests.cli import calling
from tests.collectives.reading import messages_of

F = Fraction
COST = Linear(10, 1)
INSIDE = (Linear(1, "1/10"), Linear(0, "1/3"), Linear(25, 2), Linear(3, 0))


def walked(made: Collective, inside: Linear, slots: int, m: int) -> Fraction:
    total, network, part = F(0), made.network, made.plan.unit * m
    for step in messages_of(made.plan):
        starts: Counter[Any] = Counter()
        data: Counter[Any] = Counter()
        for u, v, blocks, _ in step:
            cost = inside if u // slots == v // slots else COST
            for end in (("out", u), ("in", v)):
                starts[end] += cost.alpha
            for place in (("out", u), ("in", v), *pairwise(network.path(u, v)[1:-1])):
                data[place] += len(blocks) * part * cost.tau
        total += max(starts.values(), default=F(0)) + max(data.values(), default=F(0))
    return total


@pytest.mark.parametrize("inside", sampled(INSIDE, 4), ids=str)
@pytest.mark.parametrize(
    ("network", "slots"), sampled([("mesh:3*2", 2), ("cube:1*4", 4), ("torus:3*3", 3)], 3)
)
def test_times_are_those_of_a_walk(network, slots, inside):
    for collective in ("allreduce", "broadcast", "allgather"):
        for option in collectives.choose(collective, COST, 60, network, inside=inside).options:
            made = option.collective
            assert made.time(COST, 60, inside=inside) == walked(made, inside, slots, 60)
            assert made.lower_bound(COST, 60, inside=inside) <= option.time


@pytest.mark.parametrize("network", ["torus:4*2", "cube:2*2", "mesh:2*4/2,inside=3:2"])
def test_with_equal_costs_nothing_changes(network):
    for word, inside, ports in ((network, COST, "one"), ("torus:4", INSIDE[0], "all")):
        plain, same = (
            collectives.choose("allreduce", COST, 1000, word, ports=ports, inside=cost)
            for cost in (None, inside)
        )
        assert [(o.name, o.best) for o in plain.options] == [(o.name, o.best) for o in same.options]
        assert plain.lower_bound == same.lower_bound


@pytest.mark.parametrize(
    "network", ["mesh:3*2", "torus:4*3", "cube:2*4", "mesh:2x3*2,bandwidth=2:5"]
)
def test_the_bound_between_nodes_is_that_of_all_sets_of_nodes(network):
    """What must leave a set of routers, whole nodes, over the channels that leave it.

    Of an allreduce, also 2 (N - 1) vectors over all channels: on torus:4*3 3/4, where 0.4 had 1/2.
    """
    where = as_network(network)
    assert isinstance(where, Concentrated)
    routers, slots, p = where.network, where.per_node, where.size
    links = [
        (u, v, routers.bandwidths[routers.row_dimension(routers.counter(u, v)[0])])
        for u, v in routers.graph().edges
    ]
    sets = [set(s) for k in range(1, routers.size) for s in combinations(range(routers.size), k)]
    for collective in collectives.COLLECTIVES:
        data = []
        for some in sets:
            k, wide = slots * len(some), sum(w for u, v, w in links if u in some and v not in some)
            whole = collective in ("allreduce", "broadcast", "reduce")
            must = F(1) if whole else F(k * (p - k), p) if collective == "alltoall" else F(k, p)
            if collective in ("scatter", "gather"):
                must = F(min(k, p - k), p)
            data.append(0 if collective == "barrier" else must / wide)
        if collective == "allreduce":
            data.append(F(2 * (routers.size - 1)) / sum(w for *_, w in links))
        told = next(t for t in range(9) if (slots + 1) ** t >= routers.size)
        problem = CollectiveProblem(collective, where)
        assert between_nodes(problem) == (told, max(data)), collective
        few = np.array([0, p - 1])  # of two nodes, one start-up; nothing is said of data
        assert between_nodes(CollectiveProblem(collective, where, few)) == (1, 0)


def test_a_machine_file_states_both(tmp_path):
    file, line = tmp_path / "machine.toml", "[machine]\nalpha = 10\ntau = 1\n"
    file.write_text(f"{line}[machine.inside]\nalpha = 1\ntau = 0.1\n")
    machine = read_machine(file)
    assert machine.inside == Linear(1, "1/10")
    stated = collectives.choose("allreduce", machine, 80, "torus:4*2")
    typed = collectives.choose("allreduce", COST, 80, "torus:4*2", inside=Linear(1, "1/10"))
    assert stated.time == typed.time
    costs = ["--alpha", "10", "--tau", "1", "--inside-alpha", "1", "--inside-tau", "0.1"]
    asked = ["collective", "allreduce", "-N", "torus:4*2", "--bytes", "80", *costs]
    (row, *_) = calling.records(*asked)
    assert (F(str(row["time"])), row["inside_alpha"], row["inside_tau"]) == (typed.time, 1, 0.1)
    for bad in ("inside = 3\n", "[machine.inside]\nalpha = 1\n", "[machine.inside]\nbeta = 1\n"):
        file.write_text(line + bad)
        with pytest.raises(FileError, match="inside"):
            read_machine(file)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ("torus:4*2 --inside-alpha 1", "--inside-tau is required"),
        ("torus:4 --inside-alpha 1 --inside-tau 1", "nodes of several ranks"),
        # hosts below one leaf switch are no ranks of one node
        ("fattree:4x4 --inside-alpha 1 --inside-tau 1", "slots in its hosts"),
        ("torus:4*2 --inside-alpha x --inside-tau 1", "must be a number"),
    ],
)
def test_bad_input_is_one_line(options, rule):
    asked = f"collective allreduce --alpha 5 --tau 1 -N {options}"
    assert rule in calling.refused(calling.run(*asked.split()))


# -- networks with nodes of several ranks ------------------------------------------------------


def test_a_job_knows_which_places_share_a_node():
    """Nodes 0 and 2 of torus:4*2 and half of 3; what goes inside one has its own cost."""
    job = as_network("torus:4*2,nodes=0-1:4-6")
    chain = collectives.broadcast("chain", job)
    far, near = Linear(100, 1), Linear(2, "1/10")
    prices = [near if rank in (0, 2) else far for rank in range(4)]
    total = sum(cost.alpha + 50 * cost.tau for cost in prices)
    assert chain.time(far, 50, inside=near) == total >= chain.lower_bound(far, 50, inside=near)
    whole = as_network("torus:4*2,nodes=4-5:0-1")
    nested = collectives.allreduce("hierarchical", whole)
    assert nested.replay().ok
    assert nested.time(far, 50, inside=near) < nested.time(far, 50)
    assert collectives.rules_file("nccl", "allreduce", far, 1, 100, whole).nodes == 2


def test_a_job_has_nodes_of_several_ranks_if_it_has_whole_ones_in_turn():
    for shared, word in ((2, "mesh:4*2"), (3, "mesh:4*3")):
        places = range(4 * shared)
        for chosen in islice(combinations(places, 2 * shared), 0, None, shared**3 // 8):
            job = parse_network(f"{word},nodes={':'.join(map(str, chosen))}")
            hosts = [place // shared for place in chosen]
            rows = [hosts[k : k + shared] for k in range(0, len(hosts), shared)]
            whole = all(len(set(row)) == 1 for row in rows)
            assert Site.on(job).per_node == (shared if whole else 1), chosen
        odd = parse_network(f"{word},nodes=0-{shared}")
        assert Site.on(odd).per_node == 1
