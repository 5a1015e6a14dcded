"""What the checker reckons of a network and of a matrix, each against a plain count."""

from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import Any

import numpy as np
import pytest

from lccmodel.certificates.grids import StatedAxes, StatedTree
from lccmodel.certificates.parser import Refused
from lccmodel.certificates.placements import _semidefinite
from lccmodel.certificates.plans import _Asked, _costs, _data_bound, _ports, _rounds, check_plan
from lccmodel.network import parse_network

AXES = [
    ((4,), (True,), 1, (1,)),
    ((5,), (False,), 2, (2,)),
    ((3, 4), (True, False), 1, (1, 3)),
    ((4, 2), (True, True), 3, (2, 1)),
    ((2, 3, 2), (False, True, False), 1, (1, 2, 5)),
    ((1, 6), (False, True), 1, (1, 1)),
]
TREES = [((2, 2), (1,)), ((4, 2), (3,)), ((2, 3, 2), (2, 2)), ((2, 2, 2), (1, 3))]


def _axes(sides: tuple, rings: tuple, seats: int, widths: tuple) -> StatedAxes:
    names = ("sides", "rings", "seats", "bandwidths")
    given = list(sides), list(rings), seats, list(widths)
    return StatedAxes(dict(zip(names, given, strict=True)))


def _channels(axes: StatedAxes) -> list[tuple[int, int, Fraction]]:
    """(from, to, bandwidth) of every channel: a step along an axis, over the end of a ring."""
    found = []
    strides = [prod(axes.sides[:a]) for a in range(len(axes.sides))]
    for router in range(axes.size):
        for axis, (side, ring) in enumerate(zip(axes.sides, axes.rings, strict=True)):
            x = router // strides[axis] % side
            for step in (-1, 1):
                if ring or 0 <= x + step < side:
                    to = router + ((x + step) % side - x) * strides[axis]
                    found.append((router, to, axes.widths[axis]))
    return found


@pytest.mark.parametrize(("sides", "rings", "seats", "widths"), AXES)
def test_channels_of_boxes_parts_and_ports_are_counted(sides, rings, seats, widths):
    axes = _axes(sides, rings, seats, widths)
    channels = _channels(axes)
    assert axes.total() == len(channels)
    at_router = [sorted(w for u, _, w in channels if u == r) for r in range(axes.size)]
    assert sorted(axes.ports()) == max(at_router, key=len)
    for lengths in product(*(range(1, side + 1) for side in sides)):
        box = {
            r: tuple(x // n for x, n in zip(axes.at(r), lengths, strict=True))
            for r in range(axes.size)
        }
        corner = (0,) * len(sides)
        inside = sum(place == corner for place in box.values()) * seats
        out = sum(w for u, v, w in channels if box[u] == corner != box[v])
        assert axes.box(list(lengths)) == (inside, out)
        if any(side % n for side, n in zip(sides, lengths, strict=True)):
            with pytest.raises(Refused, match="must tile"):
                axes.parts(list(lengths))
        else:
            between = sum(w for u, v, w in channels if box[u] != box[v])
            assert axes.parts(list(lengths)) == (inside, between)


def test_networks_are_stated_up_to_2_to_the_20_places():
    """Routers times seats, whichever of both they are."""
    for sides, seats in (((1 << 20,), 1), ((1 << 10, 1 << 9), 2), ((1,), 1 << 20)):
        axes = _axes(sides, (False,) * len(sides), seats, (1,) * len(sides))
        assert axes.size * axes.seats == 1 << 20
        assert axes.at(axes.size - 1) == [side - 1 for side in sides]
        with pytest.raises(Refused, match="must be at most"):
            axes.at(axes.size)
    for sides, seats in ((((1 << 20) + 1,), 1), ((1 << 10, 1 << 9), 3), ((1 << 10, 1 << 10), 2)):
        with pytest.raises(Refused, match=r"the network is too large|at most 1048576"):
            _axes(sides, (False,) * len(sides), seats, (1,) * len(sides))


@pytest.mark.parametrize(("sides", "rings", "seats", "widths"), AXES)
def test_ways_are_shortest_and_nearest_places_are_those_of_the_best_place(
    sides, rings, seats, widths
):
    axes = _axes(sides, rings, seats, widths)
    ends = {(u, v) for u, v, _ in _channels(axes)}
    lengths = {(x, x): 0 for x in range(axes.size)}
    while len(lengths) < axes.size**2:  # breadth first
        for (x, u), far in list(lengths.items()):
            lengths.update({(x, v): far + 1 for w, v in ends if w == u and (x, v) not in lengths})
    steps = [prod(axes.sides[:a]) for a in range(len(sides))]
    for x, y, tie in product(range(axes.size), range(axes.size), ("plus", "split", "line")):
        here = x
        way = list(axes.channels(x, y, tie))
        for router, axis, sign in way:
            assert router == here
            at = here // steps[axis] % sides[axis]
            here += ((at + sign) % sides[axis] - at) * steps[axis]
            if 2 * sum(a == axis for _, a, _ in way) == sides[axis] and axes.rings[axis]:
                c = x // steps[axis] % sides[axis]
                d = y // steps[axis] % sides[axis]
                assert (sign > 0) == {"plus": True, "split": c % 2 == 0, "line": d > c}[tie]
        assert (here, len(way)) == (y, lengths[x, y])
    rows = []
    for x in range(axes.size):
        costs = [
            sum((1 / axes.width(c) for c in axes.channels(x, y)), Fraction(0))
            for y in range(axes.size)
        ]
        rows.append(sorted(costs * seats)[1:])
    assert axes.near() == [min(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize(("down", "up"), TREES)
@pytest.mark.parametrize("routing", ["d-mod-k", "s-mod-k"])
def test_a_fat_tree_as_stated_is_the_network(down, up, routing):
    tree = StatedTree({"down": list(down), "up": list(up), "routing": routing})
    word = f"fattree:{'x'.join(map(str, down))}/{'x'.join(map(str, up))}"
    network = parse_network(word + (",routing=s-mod-k" if routing == "s-mod-k" else ""))
    assert (tree.size, tree.total()) == (network.size, network.n_channels)
    assert all(
        len(list(tree.path(x, y))) == network.distance(x, y)
        for x, y in permutations(range(tree.size), 2)
    )
    shared = {}  # two messages share a stated channel exactly where they share a channel
    for x, y in permutations(range(tree.size), 2):
        stated, real = list(tree.path(x, y)), list(network.channels(x, y))
        up_first = stated[::2] + stated[1::2][::-1]
        for channel, link in zip(up_first, real, strict=True):
            assert shared.setdefault(channel, link) == link
    assert len(set(shared.values())) == len(shared)
    assert tree.near() == sorted(network.distance(0, y) for y in range(1, tree.size))
    for level in range(1, len(down)):
        assert tree.box(level) == (prod(down[:level]), prod(up[:level]))
        assert tree.parts(level) == (prod(down[:level]), prod(up[:level]) * prod(down[level:]))


def test_semidefinite_as_by_floating_eigenvalues():
    """Random symmetric matrices with whole entries; sums of squares and those less something."""
    draw = np.random.default_rng(3)
    verdicts = []
    for _ in range(400):
        n = int(draw.integers(1, 6))
        half = draw.integers(-2, 3, (n, int(draw.integers(1, n + 1))))
        rows = half @ half.T - int(draw.integers(0, 2)) * np.eye(n, dtype=int)
        verdicts.append(_semidefinite(rows.tolist()))
        assert verdicts[-1] == (np.linalg.eigvalsh(rows)[0] > -1e-9), rows
    assert {*verdicts} == {True, False}


def _asked(
    collective: str, ports: str, sides: tuple, nodes: list[int], rings: bool, seats: int = 1
) -> dict:
    """A collective of the ranks at these nodes; axis k has bandwidth k + 1."""
    widths = list(range(1, len(sides) + 1))
    network = {"sides": [*sides], "rings": [rings] * len(sides), "seats": seats}
    return {"collective": collective, "network": network | {"bandwidths": widths},
            "ranks": len(nodes), "root": 0, "node_of": nodes, "ports": ports,
            "blocks": len(nodes) ** 2}  # fmt: skip


PORT, SUMS = {"bound": "port", "rank": 1}, {"bound": "sums"}


def _box(*lengths: int) -> dict:
    return {"bound": "box", "box": list(lengths)}


@pytest.mark.parametrize(
    ("collectives", "ports", "proof", "bound"),
    [
        ("allreduce broadcast reduce", "one", PORT, 1),
        ("allreduce broadcast reduce", "all", PORT, "1/2"),  # two links
        ("allreduce broadcast reduce", "all", _box(2), "1/2"),  # over the two that leave a half
        ("allgather reduce-scatter alltoall", "one", PORT, "3/4"),
        ("allgather reduce-scatter alltoall", "all", PORT, "3/8"),
        ("allgather", "all", _box(2), "1/4"),
        ("reduce-scatter", "all", _box(1), "3/8"),
        ("reduce-scatter", "all", _box(3), "3/8"),
        ("alltoall", "all", _box(2), "1/2"),
        ("alltoall", "all", _box(1), "3/8"),
        ("allreduce", "one", SUMS, "6/4"),
        ("allreduce", "all", SUMS, "6/8"),
        ("barrier", "one", PORT, None),
        ("allgather", "one", SUMS, None),
        ("allgather", "one", {"bound": "guess"}, None),
        ("allgather", "one", _box(4), None),
    ],
)
def test_bounds_of_data_by_hand(collectives, ports, proof, bound):
    """In vectors of a rank, on a ring of four: what a port, all ports, or a box takes."""
    for name in collectives.split():
        asked = _Asked(_asked(name, ports, (4,), [*range(4)], True))
        if bound is None:
            with pytest.raises(Refused):
                _data_bound(asked, proof)
        else:
            assert _data_bound(asked, proof) == Fraction(bound), name


def test_bounds_of_data_on_links_of_two_widths():
    """A rank of 4 x 3 has links of 1 + 1 + 2 + 2; a row of four leaves by 4 x 4."""
    torus, nodes = (4, 3), [*range(12)]
    assert _data_bound(_Asked(_asked("allreduce", "all", torus, nodes, True)), PORT) == Fraction(
        1, 6
    )
    asked = _Asked(_asked("alltoall", "all", torus, nodes, True))
    assert _data_bound(asked, _box(4, 1)) == Fraction(32, 12) / 16


def test_a_box_bounds_only_where_every_place_has_a_rank():
    """Three ranks on a ring of four, or two places a router: some of the box may be empty."""
    for sides, ranks, seats in (((4,), 3, 1), ((2,), 4, 2)):
        asked = _Asked(_asked("allgather", "one", sides, [*range(ranks)], True, seats))
        with pytest.raises(Refused, match="every place has a rank"):
            _data_bound(asked, _box(2))


def test_rounds_of_ranks_that_tell_so_many_others_at_a_time():
    """By letting them tell: after t rounds (k + 1)^t know."""
    for ports, ranks in product((1, 2, 3), range(1, 40)):
        least = next(t for t in range(40) if (ports + 1) ** t >= ranks)
        assert _rounds(ranks, ports) == least


@pytest.mark.parametrize("ports", ["one", "all"])
def test_a_step_without_a_message_takes_nothing(ports):
    """No start-up and no data; where nothing is sent no bound of data is asked for."""
    problem = _asked("broadcast", ports, (4,), [0, 1], False) | {"blocks": 1}
    asked = _Asked(problem)
    assert _costs(asked, []) == (0, 0)
    assert _costs(asked, [(0, 1, [0], False)]) == (1, 1)
    assert _costs(asked, [(0, 1, [], False)]) == (1, 0)
    alone = _Asked(problem | {"ranks": 1, "node_of": [3]})
    with pytest.raises(Refused, match="sends no data"):
        _data_bound(alone, {"bound": "port", "rank": 0})
    answer = {"steps": [[], [[0, 1, [0], "copy"]], []], "start_ups": 1, "data": "1"}
    ends = [{"bound": "port", "rank": rank} for rank in range(2)]
    for data in (None, ends[0], *(ends[1:] if ports == "one" else ())):
        said = check_plan(problem, answer, {"start_ups": True, "data": data})
        assert said.startswith("the broadcast of 2 ranks has 1 start-ups")
    with pytest.raises(Refused):
        check_plan(problem, answer, {"start_ups": True, "data": {"bound": "sums"}})


@pytest.mark.parametrize(
    ("word", "nodes"),
    [("mesh:3x3", [0]), ("mesh:3x3", [0, 1]), ("mesh:3x3", [0, 4]), ("torus:3x3", [0]),
     ("mesh:2x4", [0, 2]), ("mesh:5", [0, 4])],
)  # fmt: skip
def test_a_router_has_a_port_for_every_channel_that_leaves_it(word, nodes):
    """Corners of a mesh have fewer than its middle, rings two an axis; the most of the ranks'."""
    network: Any = parse_network(word)
    for ports in ("all", "one"):
        asked = _Asked(_asked("allreduce", ports, network.shape, nodes, word[0] == "t"))
        most = max(len(network.neighbours(node)) for node in nodes)
        assert _ports(asked) == (most if ports == "all" else 1)
