"""Movements counted from jumps, against ranks of the lattice and walks on explicit graphs.

occupancy(S) = 2^(|S| - rank A_(S,S)), load(S, j) = 2^(|S| - rank A_(S+j,S)).
"""

import pickle
from collections import Counter
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.communication.catalog import identity
from lccmodel.communication.destinations import destinations_of, linear_complement_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, NotLinearComplement, SizeLimitError
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.movement import PORTS, Certificate, Conflict, Message, Movement, Ports
from lccmodel.network import BristledHypercube, FatTree, Hypercube, Mesh, Network, Torus, as_network
from lccmodel.network.ring_direction import PLUS, TIES, goes_plus, longest_way
from tests.strategies import networks, nonsingular_matrices, orders, vectors

Schedule = tuple[Network, list[tuple[int, int]], list[int]]


@given(st.data(), st.integers(1, 6))
def test_counted_occupancy_and_load_are_the_ranks(data, n):
    c = LCC(data.draw(nonsingular_matrices(n)), data.draw(vectors(n)))
    order = data.draw(orders(n))
    movement, lattice = Movement.along(c, order), CorrectionLattice(c)
    assert movement.loads == lattice.loads(order)
    assert movement.occupancies == (*(step.occupancy for step in lattice.walk(order)), 1)
    assert np.array_equal(movement.ends, destinations_of(c))
    assert np.array_equal(movement.positions[-1], movement.ends)


@given(st.data(), st.integers(1, 5))
def test_channel_use_is_what_the_dimensions_carry(data, n):
    permutation = data.draw(st.permutations(range(1 << n)))
    order = data.draw(orders(n))
    movement = Movement.along(permutation, order)
    use = movement.channel_use
    assert use.per_dimension == tuple(movement.loads[order.index(k)] for k in range(n))
    assert use.total == sum(movement.moves) == movement.hops
    assert movement.hops == sum((x ^ y).bit_count() for x, y in enumerate(permutation))


def test_a_movement_may_stop_early_and_one_node_never_moves():
    assert Movement.along([3, 2, 1, 0], [1]).positions.tolist() == [[0, 1, 2, 3], [2, 3, 0, 1]]
    alone = Movement.along([0], [])
    assert (alone.n, alone.steps, alone.occupancies, alone.loads) == (0, 0, (1,), ())
    assert (alone.hops, alone.channel_use.degree, alone.replay().ok) == (0, 0, True)
    assert pickle.loads(pickle.dumps(alone)) == alone
    nobody = Movement.of_schedule(Mesh((4,)), [], [])
    assert (nobody.messages, nobody.steps, nobody.occupancies) == (0, 0, (0,))


def test_a_movement_is_a_value():
    """Equal by what moves, and no array of it can be written to, nor through the caller's."""
    rows = np.array([[0, 1], [1, 1]])
    movement = Movement.of_positions(Hypercube(1), rows)
    rows[1, 0] = 0
    assert movement.positions.tolist() == [[0, 1], [1, 1]]
    same = Movement(Hypercube(1), [0, 1], [0, 1], [0], [1])
    assert movement == same
    assert hash(movement) == hash(same)
    assert movement != Movement.of_positions(Mesh((2,)), [[0, 1], [1, 1]])
    assert movement != 3
    for array in (movement.positions, movement.starts, movement.target, movement.ends):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    for order, frozen in product(("C", "F"), (False, True)):
        pairs = np.array([[0, 2], [2, 0], [1, 3]], np.int64, order=order)
        pairs.flags.writeable = not frozen
        sent = Movement.of_schedule(Mesh((4,)), pairs, [0, 0, 1])
        if not frozen:
            pairs[:] = 1
        assert (sent.starts.tolist(), sent.ends.tolist()) == ([0, 2, 1], [2, 0, 3])


# -- jumps against the explicit graph ---------------------------------------------------------


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    network = draw(networks(5))
    node = st.integers(0, network.size - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=12))
    steps = draw(st.lists(st.integers(0, 3), min_size=len(pairs), max_size=len(pairs)))
    return network, pairs, steps


@given(schedules())
def test_jumps_take_the_channels_of_the_paths(schedule):
    """Loads, use and hops against `Network.channels`, step by step."""
    network, pairs, steps = schedule
    movement = Movement.of_schedule(network, pairs, steps)
    whole: Counter[tuple[int, int]] = Counter()
    for step in range(movement.steps):
        used: Counter[tuple[int, int]] = Counter()
        for (x, y), when in zip(pairs, steps, strict=True):
            if when == step:
                used.update(network.channels(x, y))
        assert movement.loads[step] == max(used.values(), default=0)
        assert movement.hops_per_step[step] == used.total()
        whole += used
        stand = Counter(y if when <= step else x for (x, y), when in zip(pairs, steps, strict=True))
        held = movement.held(step + 1)
        assert {u: int(h) for u, h in enumerate(held) if h} == dict(stand)
        assert movement.occupancies[step + 1] == held.max()
    assert dict(movement.channel_use.items()) == dict(whole)
    assert movement.ends.tolist() == [y for _, y in pairs]
    for x, (source, destination) in enumerate(pairs):
        if source != destination:
            assert movement.path(x) == network.path(source, destination)


def brute_conflict(schedule: Schedule, ports: Ports) -> tuple[int, int, int] | None:
    """(step, first, second): looked up in dictionaries on the paths of the network."""
    network, pairs, steps = schedule
    for step in range(max(steps, default=-1) + 1):
        taken: dict[Any, int] = {}
        ways: dict[Any, int] = {}
        for x, ((u, v), when) in enumerate(zip(pairs, steps, strict=True)):
            if when != step or u == v:
                continue
            wanted: list[tuple[Any, Any]] = [(("send", u),) * 2, (("receive", v),) * 2]
            wanted = wanted if ports.one else []
            for a, b in network.channels(u, v):
                wanted.append(((a, b), (a, b)))
                if ports.half_duplex:
                    wanted.append(((b, a), None))
                if ports.one_direction:
                    wanted.append((("way",), network.counter(a, b)[0]))
            for resource, mark in wanted:
                if resource == ("way",):
                    if ways and mark not in ways:
                        return step, next(iter(ways.values())), x
                    ways.setdefault(mark, x)
                elif resource in taken:
                    return step, taken[resource], x
                elif mark is not None:
                    taken[resource] = x
    return None


@given(schedules(), st.sampled_from(list(PORTS)))
@settings(max_examples=200)
def test_the_first_conflict_is_the_one_that_a_dictionary_finds(schedule, name):
    """Certificate or conflict, with its step and both messages, in every model of ports."""
    network, pairs, steps = schedule
    found = Movement.of_schedule(network, pairs, steps).replay(name)
    expected = brute_conflict(schedule, PORTS[name])
    if expected is None:
        assert isinstance(found, Certificate)
        assert found.hops == sum(network.distance(u, v) for u, v in pairs)
        assert found.messages_per_step.sum() == sum(u != v for u, v in pairs)
        assert found.max_load == found.movement.channel_use.degree
        assert found.loads == found.movement.channel_use
    else:
        assert isinstance(found, Conflict)
        assert (found.step, found.first.number, found.second.number) == expected
        assert found.since == found.step
        for message in (found.first, found.second):
            assert (message.source, message.destination) == pairs[message.number]


def test_the_words_of_a_conflict():
    """By hand, on four nodes in a row; a label stands behind source and destination."""
    line = Mesh((4,))
    named = Movement.of_schedule(line, [[0, 2], [1, 3]], [0, 0], label=lambda x: f"dimension {x}")
    conflict = named.replay()
    assert conflict == Conflict(
        "channel", 0, Message(0, 0, 2, "dimension 0"), Message(1, 1, 3, "dimension 1"), (1, 2), 0
    )
    text = "step 0: 0 -> 2 (dimension 0) and 1 -> 3 (dimension 1): both use link 1 -> 2"
    assert str(conflict) == text
    for (x, y), ports, words in (
        ([[1, 0], [1, 2]], "one", "node 1 sends both"),
        ([[0, 1], [2, 1]], "one", "node 1 receives both"),
        ([[0, 1], [2, 1]], "one-direction", "2 -> 1 is not the direction of the step"),
        ([[2, 1], [1, 2]], "half-duplex", "both use the link between 1 and 2"),
    ):
        both = f"{x[0]} -> {x[1]} (message 0) and {y[0]} -> {y[1]} (message 1)"
        conflict = Movement.of_schedule(line, [x, y], [0, 0]).replay(ports)
        assert str(conflict) == f"step 0: {both}: {words}"


@pytest.mark.parametrize("ports", ["all", "half-duplex"])
def test_circuits_hold_their_channels_to_the_end(ports):
    """Channels used one step after another are free for messages, and taken for circuits."""
    movement = Movement.of_schedule(Mesh((4,)), [[0, 2], [1, 3]], [0, 1])
    assert movement.replay(ports).ok
    clash = movement.replay(ports, circuits=True)
    assert (clash.kind, clash.since, clash.step, clash.place) == ("circuit", 0, 1, (1, 2))
    assert str(clash) == "the paths of 0 and 1 both take the channel from 1 to 2"


def test_utilisation_of_a_certificate():
    """Two of the six directed channels of four nodes in a row, then three."""
    busy = Movement.of_schedule(Mesh((4,)), [[0, 2], [0, 3]], [0, 1]).replay("one")
    assert [str(part) for part in busy.utilisation] == ["1/3", "1/2"]
    assert (busy.busiest, busy.max_load, busy.hops_per_step.tolist()) == ((0, 1), 2, [2, 3])
    assert busy.hops_per_step.dtype == np.int64
    idle = Movement.of_schedule(Mesh((4,)), [[1, 1]], [2]).replay()
    assert (idle.busiest, idle.steps, idle.hops) == (None, 3, 0)
    ports = Movement.of_schedule(FatTree((5,)), [[0, 1]], [0]).replay()  # no channels at all
    assert (ports.max_load, ports.busiest, ports.hops) == (0, None, 0)


# -- other networks, ties, limits -------------------------------------------------------------


@pytest.mark.parametrize("length", [3, 4, 5, 6, 8, 16])
def test_the_tie_rules_of_a_ring_by_hand(length):
    """+ always; + from even coordinates; as on a line. For arrays and integers alike."""
    c, d = np.divmod(np.arange(length * length), length)
    ahead = (d - c) % length
    for tie, at_half in enumerate((c >= 0, c % 2 == 0, d > c)):
        expected = np.where(2 * ahead == length, at_half, 2 * ahead < length)
        assert np.array_equal(goes_plus(ahead, length, c, d, tie), expected)
        if tie == PLUS:
            assert np.array_equal(ahead <= longest_way(length), expected)
        one_by_one = zip(ahead.tolist(), c.tolist(), d.tolist(), strict=True)
        assert [goes_plus(k, length, u, v, tie) for k, u, v in one_by_one] == expected.tolist()


@pytest.mark.parametrize("tie", TIES)
def test_half_a_ring_by_every_rule(tie):
    """On a ring of 8 everybody goes to the opposite node: the channels of either way."""
    ring = Torus((8,))
    pairs = [[x, x ^ 4] for x in range(8)]
    movement = Movement.of_schedule(ring, pairs, [0] * 8, tie)
    expected: Counter[tuple[int, int]] = Counter()
    for x in range(8):
        forward = {"plus": True, "split": x % 2 == 0, "line": x < 4}[tie]
        way = [(x + (k if forward else -k)) % 8 for k in range(5)]
        assert list(movement.path(x)) == way
        expected.update(pairwise(way))
    assert dict(movement.channel_use.items()) == dict(expected)
    mixed = Movement.of_schedule(ring, pairs, [0] * 8, np.full(8, TIES.index(tie)))
    assert mixed.channel_use == movement.channel_use
    assert mixed.replay() == movement.replay()


def test_the_same_messages_on_another_network():
    """Bit 1 of four nodes in a row is two hops; renumbered nodes; ports of a router are free."""
    cube = Movement.along([0, 2, 1, 3], [0, 1])
    assert cube.on(Mesh((4,))).hops == 6
    swapped = cube.on(Mesh((4,)), np.array([0, 2, 1, 3]))
    assert swapped.starts.tolist() == [0, 2, 1, 3]
    assert swapped.ends.tolist() == [0, 1, 2, 3]
    assert cube.on(BristledHypercube(2)).hops == 2  # dimension 0 is inside a router


@pytest.mark.parametrize(
    ("ties", "between"),
    [([0, 1], [2, 3]), ([1, 0], [0, 3]), ([0, 2], [2, 1]), ([1, 2], [0, 1])],
)
def test_every_message_goes_its_own_way_round_half_a_ring(ties, between):
    """1 -> 3 and 2 -> 0 on a ring of 4: forward (0), by the source's side (1), on the line (2)."""
    sent = Movement.of_positions("torus:4", [[1, 2], [3, 0]], np.array(ties))
    hops = sent.in_unit_steps(record=True).hops
    assert hops.positions.tolist() == [[1, 2], between, [3, 0]]
    assert [sent.path(message)[1] for message in range(2)] == between
    later = Movement.of_schedule("torus:4", [[1, 3], [2, 0]], [1, 0], np.array(ties))
    assert later.channel_use == sent.channel_use  # the second message is the first to move


def test_positions_have_a_limit_and_counts_have_none():
    last = (1 << 20) - 1
    movement = Movement.of_schedule(Mesh((1024,)), [[0, 1]] * 1024, [last] * 1024)
    assert movement.occupancies[-1] == 1024
    with pytest.raises(SizeLimitError, match="positions"):
        _ = movement.positions


@pytest.mark.parametrize(
    "word", ["mesh:3x3,nodes=0-4", "torus:4x4,nodes=2-9:12", "mesh:2x2*2,nodes=1-6"]
)
@pytest.mark.parametrize("ports", PORTS)
def test_movements_on_some_nodes_of_a_grid_are_replayed(word, ports):
    """They never ended: routes go by the numbers of the whole grid, over routers left out, too."""
    network = as_network(word)
    for x, y in product(range(network.size), repeat=2):
        found = Movement.of_schedule(network, [(x, y)], [0]).replay(ports)
        walked = network.channels(x, y)
        if ports == "one-direction" and len({network.counter(*c)[0] for c in walked}) > 1:
            assert found.kind == "direction"
        else:
            assert found.hops == len(walked)
            assert (found.loads.counts > 0).sum() == len(walked)


# -- refusals ---------------------------------------------------------------------------------

LINE = Mesh((4,))


def jumps(**changes: Any) -> Movement:
    values = {"starts": [0, 0, 2], "first": [0, 1, 2], "message": [0, 0], "target": [1, 2]}
    return Movement(LINE, **(values | changes))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Movement.of_positions(LINE, [[0, 1], [1, 0], [4, 0]]), r"positions\[2\]"),
        (lambda: Movement.of_positions(LINE, [[0, -1]]), r"positions\[0\]"),
        (lambda: Movement.of_positions(LINE, [[0, 3], [1, -1]]), r"positions\[1\]"),
        (lambda: Movement.of_positions(LINE, [0, 1]), "positions"),
        (lambda: Movement.of_positions(LINE, []), "positions"),
        (lambda: jumps(first=[0, 2]), "message.*in step 0; got 0$"),  # the same twice in a step
        (lambda: jumps(first=[0, 0, 0, 2], message=[1, 1]), "in step 2; got 1$"),
        (lambda: jumps(target=[0, 2]), "another node.*in step 0; got 0$"),  # stays in its node
        (lambda: jumps(first=[1, 2]), "first"),
        (lambda: jumps(first=[0, 2, 1, 2]), "first"),
        (lambda: jumps(first=[]), "first"),
        (lambda: jumps(message=[0]), "message"),
        (lambda: jumps(message=[0, 3]), "message"),
        (lambda: jumps(target=[1, 4]), "target"),
        (lambda: jumps(starts=[-1, 0, 0]), "starts"),
        (lambda: jumps(starts=[[0]]), "starts"),
        (lambda: jumps(ties="best"), "ties"),
        (lambda: jumps(ties=[0, 1]), "ties"),
        (lambda: jumps(ties=[0, 1, 3]), "ties"),
        (
            lambda: Movement.of_schedule("cube:1", [(0, 1)], [0, 1]),
            r"steps: must be 1, one for each message, and not negative; got \(2,\)",
        ),
        (lambda: Movement.of_schedule("cube:1", [(0, 1)], [-1]), "steps: .* and not negative"),
        (lambda: Movement.of_schedule("cube:1", [(0, 1), (0, 2)], [0, 1]), "pairs: .* got 2"),
        (
            lambda: Movement.of_schedule("cube:1", [(0, 1, 0)], [0]),
            r"pairs: must be integers of shape \(m, 2\); got \(1, 3\)",
        ),
        (lambda: Movement.of_schedule("cube:1", [0, 1], [0]), r"pairs: .* got \(2,\)"),
        (lambda: jumps().replay("two"), "half-duplex"),
        (lambda: jumps().path(3), "message"),
        (lambda: jumps().on(Mesh((8,))), "4 nodes"),
        *((lambda k=k: Movement.along([3, 2, 1, 0], k), "order") for k in ([2], [0, 2], [-1])),
        (lambda: Movement.along([3, 2, 1, 0], [1, 1]), "order"),  # bits once each
        (lambda: destinations_of([0, 1, 1, 2]), "node 1 receives"),
        (lambda: destinations_of([0, 4]), r"in 0\.\.1; got 4"),
        (lambda: destinations_of([0, 1, 2]), r"2\^n destinations; got 3"),
        *((lambda c=c: destinations_of(c), "sequence of") for c in ([[0, 1]], [0.5, 1.0], "ab")),
        (lambda: destinations_of(LCC([[0, 1], [0, 0]])), "must be a permutation"),
        (lambda: destinations_of(identity(25)), "n <= 24"),
    ],
)
def test_what_cannot_be_is_refused(call, words):
    assert jumps().steps == 2
    with pytest.raises(InputError, match=words):
        call()


def test_what_is_not_linear_complement_says_what_would_work():
    with pytest.raises(NotLinearComplement, match="try mode='mimd'") as caught:
        linear_complement_of([0, 1, 2, 3, 4, 5, 7, 6], "try mode='mimd'")
    assert caught.value.witness is not None
