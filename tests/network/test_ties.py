"""`torus:8x8,ties=split`: half-way round a ring + from even coordinates, - from odd ones.

The routes are walked here in plain Python, coordinate by coordinate; no function of the library
decides a direction. The controls walk by the rule plus, and by the rule split with the parities
exchanged: both must disagree.
"""

import json
from collections import Counter
from collections.abc import Callable
from itertools import pairwise, permutations

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.certificates.checker import certificate_digest, check
from lccmodel.certificates.parser import Refused
from lccmodel.certificates.writer import certificate_of
from lccmodel.collectives import alltoall
from lccmodel.errors import InputError, NetworkError
from lccmodel.lattice.programme import best_order
from lccmodel.movement import Movement
from lccmodel.network import RouteTable, Torus, parse_network
from lccmodel.network.plain import plain_network
from lccmodel.pipelining import Task
from lccmodel.problem import Problem
from lccmodel.routing import Fabric, deadlock_free, find_routing, routing_table
from lccmodel.symbolic import contention as contention_formula
from tests.choosing import fast_only, sampled, slow

Channel = tuple[int, int]
Rule = Callable[[int], bool]


RULES: dict[str, Rule] = {
    "split": lambda c: c % 2 == 0,
    "exchanged": lambda c: c % 2 == 1,
    "plus": lambda c: True,
}


def walk(
    sides: tuple[int, ...], x: int, y: int, rule: str = "split", last_first: bool = False
) -> list[Channel]:
    """The channels from router x to y of a torus; `rule` says which coordinates go + on a tie."""
    here, goal = (list(map(int, np.unravel_index(v, sides, order="F"))) for v in (x, y))
    taken = [x]
    axes = range(len(sides))
    for axis in reversed(axes) if last_first else axes:
        side = sides[axis]
        ahead = (goal[axis] - here[axis]) % side
        is_plus = 2 * ahead <= side
        if 2 * ahead == side and side > 2:
            is_plus = RULES[rule](here[axis])
        while here[axis] != goal[axis]:
            here[axis] = (here[axis] + (1 if is_plus else -1)) % side
            taken.append(int(np.ravel_multi_index(here, sides, order="F")))
    return list(pairwise(taken))


def all_pairs(nodes: int) -> list[Channel]:
    return [(x, y) for x in range(nodes) for y in range(nodes) if x != y]


SIDES = [(4,), (8,), (6, 5), (4, 4), (4, 2, 6), (8, 6), (3, 4)]


@pytest.mark.parametrize("last_first", [False, True])
@pytest.mark.parametrize("sides", sampled(SIDES, 2, whole=True), ids=str)
def test_paths_are_those_of_a_walk(sides, last_first):
    torus = Torus(sides, ties="split")
    pairs = all_pairs(torus.size)
    ways = [walk(sides, x, y, "split", last_first) for x, y in pairs]
    assert [torus.channels(x, y, descending=last_first) for x, y in pairs] == ways
    for rule in ("plus", "exchanged"):
        other = [walk(sides, x, y, rule, last_first) for x, y in pairs]
        assert other != ways, "a control agrees with the rule split"


@pytest.mark.parametrize(
    ("sides", "plus", "split"), [((8, 8), 80, 64), ((4, 4, 4), 48, 32), ((7, 5), 30, 30)], ids=str
)
def test_uniform_traffic_loads_channels_alike_if_ties_are_split(sides, plus, split):
    """The bound of torus:8x8 is 63/80 = .7875 with plus; with split 63/64."""
    for ties, most in (("plus", plus), ("split", split)):
        pairs = all_pairs(Torus(sides).size)
        carried = Counter(channel for x, y in pairs for channel in walk(sides, x, y, ties))
        assert max(carried.values()) == most
        assert lcc.contention("uniform", Torus(sides, ties=ties)).degree == most


@pytest.mark.parametrize("word", [
    "torus:8x8,ties=split", "torus:4x4*2,ties=split", "torus:4x4,ties=split,nodes=0-7",
    "torus:4x6,bandwidth=2:1,wrap=0,ties=split",
])  # fmt: skip
def test_the_word_is_read_and_written(word):
    network = parse_network(word)
    assert network.spec == word
    assert "nodes" in word or eval(repr(network), vars(lcc.network)) == network
    plus = parse_network(word.replace("split", "plus"))
    assert plus.spec == word.replace(",ties=split", "")
    assert plus != network


@pytest.mark.parametrize("sides", [(4, 4), (6,), (4, 3)], ids=str)
def test_a_table_of_these_routes_is_the_torus(sides):
    """And with one route the other way round a ring of four it is no grid."""
    torus = Torus(sides, ties="split")
    table = RouteTable.from_graph(torus.graph(), lambda graph, x, y: torus.path(x, y))
    assert plain_network(table) == torus != Torus(sides)
    if sides[0] == 4:
        assert torus.path(1, 3) == [1, 0, 3]
        spoiled = RouteTable.from_graph(
            torus.graph(), lambda _, x, y: [1, 2, 3] if (x, y) == (1, 3) else torus.path(x, y)
        )
        assert not spoiled.geometry.is_grid


@pytest.mark.parametrize("seed", fast_only(range(4), 0))
@pytest.mark.parametrize("sides", [(4,), (6,), slow(((4, 2),)), (3, 2)], ids=str)
def test_the_best_placement_is_that_of_all_tried(sides, seed):
    """Turning by even steps and c -> 1 - c reach every router: the first rank is tried on one."""
    torus = Torus(sides, ties="split")
    rng = np.random.default_rng(seed)
    nodes = torus.size
    ends = rng.integers(0, nodes, (9, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    sent = [(x, y, v) for x, y, v in np.c_[ends, rng.integers(1, 6, len(ends))].tolist()]
    crosses = np.zeros((nodes, nodes, nodes, nodes), np.int64)  # from, to: tail, head of a channel
    for x, y in all_pairs(nodes):
        for channel in walk(sides, x, y):
            crosses[x, y][channel] = 1
    at = np.array(list(permutations(range(nodes))))
    loads = sum(v * crosses[at[:, x], at[:, y]] for x, y, v in sent)
    least = np.max(loads, axis=(1, 2)).min()
    placement = lcc.place(sent, torus, over="placements", seed=seed)
    assert placement.optimal
    assert placement.after.value == least
    assert placement.lower_bound <= least
    certified = certificate_of(placement)
    assert certified["problem"]["network"].get("ties") == (
        "split" if any(s in (4, 6) for s in sides) else None
    )
    assert check(json.loads(json.dumps(certified)))


def test_a_certificate_by_the_other_rule_is_refused():
    sent = [(0, 2), (1, 3), (2, 0), (3, 1)]
    placement = lcc.place(sent, "torus:4,ties=split", over="placements")
    certified = json.loads(json.dumps(certificate_of(placement)))
    assert check(certified)
    del certified["problem"]["network"]["ties"]
    certified["digest"] = certificate_digest(certified)
    with pytest.raises(Refused):
        check(certified)


@pytest.mark.parametrize("word", ["torus:4x4", "torus:8x2", "torus:4x4*2", "torus:2x8"])
def test_the_best_order_is_that_of_all_orders(word):
    rng = np.random.default_rng(5)
    network = parse_network(word + ",ties=split")
    pairs = rng.integers(0, network.size, (3 * network.size, 2))
    sent = lcc.Traffic(pairs[pairs[:, 0] != pairs[:, 1]], ranks=network.size)
    ranks, values = np.arange(network.size), {}
    for order in permutations(range(network.n)):
        node_of = sum((ranks >> bit & 1) << k for k, bit in enumerate(order))
        values[order] = lcc.contention(sent, network, node_of=node_of).degree
    best = best_order(Problem.read(sent, network).program, network)
    assert best.value == min(values.values()) == values[best.order]


@pytest.mark.parametrize("sides", [(4, 4), (6, 4), (8,)], ids=str)
def test_headers_are_routed_as_walked_and_cannot_deadlock(sides):
    torus = Torus(sides, ties="split")
    function = find_routing("dimension-order", torus)
    fabric = Fabric(torus, function.virtual_channels)
    pairs = all_pairs(torus.size)
    table = routing_table(function, fabric, np.array(pairs))
    for k, (x, y) in enumerate(pairs):
        state, way = int(table.start[k]), []
        while options := table.options(state):
            ((channel, state),) = options
            way.append(fabric.ends(channel)[:2])
        assert way == walk(sides, x, y), (x, y)
        assert fabric.ends(function.outputs(fabric, x, y, -1)[0])[:2] == way[0]
    assert deadlock_free(function, torus)
    # On a ring of four, routes of two hops begin at even places alone in +, at odd ones in -.
    assert bool(deadlock_free("dimension-order-one-channel", torus)) == (max(sides) == 4)
    assert not deadlock_free("dimension-order-one-channel", Torus(sides))


def test_movements_follow_the_network_and_collectives_split_on_any():
    tori = [Torus((4,), ties=ties) for ties in ("plus", "split")]
    moved = [Movement.of_positions(torus, [[1], [3]]).path(0) for torus in tori]
    assert moved == [[1, 2, 3], [1, 0, 3]]
    busiest = [alltoall("bruck", f"torus:4x4,ties={t}").loads().busiest for t in ("plus", "split")]
    assert busiest[0] == busiest[1]


def test_the_answer_says_which_way_ties_go_where_it_matters():
    def notes(word: str, messages: object = "uniform") -> str:
        return " ".join(lcc.contention(messages, word).notes)

    assert "all +; with ties=split the maximum load is 8, not 12" in notes("torus:4x4")
    assert "- from odd ones; with ties=plus the maximum load is 12, not 8" in notes(
        "torus:4x4,ties=split"
    )
    assert "half-way" not in notes("torus:5x5") + notes("mesh:4x4") + notes("torus:4x4", "neighbor")
    placed = lcc.place([(0, 2), (1, 3), (2, 0), (3, 1)], "torus:4", over="placements", moves=100)
    plus, split = (
        lcc.contention(placed.program, f"torus:4,ties={ties}", node_of=placed.node_of).degree
        for ties in ("plus", "split")
    )
    assert any("half-way" in note for note in placed.notes) == (plus != split)


def test_schedules_and_formulas_refuse_the_word_in_one_line():
    with pytest.raises(InputError, match="use torus:8x8"):
        Task(0, 6, "torus:8x8,ties=split")
    with pytest.raises(NetworkError, match="nothing after a comma"):
        contention_formula("bit-reverse", "torus:2^a x 2^b,ties=split")
