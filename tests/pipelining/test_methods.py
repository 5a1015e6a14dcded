"""Methods of complete exchange: costs recounted by other routes, and no bound is undercut.

CALMANT's is the least T(Q) of [calmant, section 5].
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, product

import pytest

from lccmodel.errors import InputError
from lccmodel.network import Mesh
from lccmodel.pipelining.bounds import exchange_bounds
from lccmodel.pipelining.direct_exchange import level_movement
from lccmodel.pipelining.execution import PacketPlan
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Piecewise
from lccmodel.pipelining.methods import LEFT_OUT, METHODS, exchange_time, exchange_times
from tests.choosing import slow
from tests.pipelining.equal import machine_of, task_of
from tests.pipelining.sending import Sent, messages_of, movement_of

MESHES = [(2, 1), (4, 1), (2, 2), (4, 2), (6, 2), (8, 2), (3, 3), (6, 3), (9, 3)]
MACHINES = [machine_of(d, c, alpha, 1) for d, c in MESHES for alpha in (0, 7, 500)]


@pytest.mark.parametrize("machine", MACHINES, ids=str)
@pytest.mark.parametrize("B", [1, 5, 1000])
def test_no_method_undercuts_the_bounds_or_a_more_general_method(machine, B):
    times = {name: exchange_time(name, machine, B) for name in METHODS}
    bounds = exchange_bounds(machine, B)
    for name in METHODS:
        if name != "calmant-load":  # link loads alone: a port may need longer than that
            assert times[name] >= bounds.lockstep, name
    special = ("hybrid", "direct", "quadrant-overlapped", "baseline", "binary")
    assert all(times["levels"] <= times[name] for name in special)
    assert times["hybrid"] <= min(times["direct"], times["quadrant-overlapped"])
    assert times["quadrant-overlapped"] <= times["quadrant"]
    models = [times[f"calmant-{model}"] for model in ("load", "lower-bound", "schedule")]
    assert models == sorted(models)
    assert times["calmant-lower-bound"] <= times["calmant-paper"]
    assert times["store-and-forward"] >= times["baseline"]


def test_costs_that_are_bounds():
    """[calmant, Theorem 4], the load of a link, and what store and forward cannot beat.

    No rounds can do what the load alone promises on 4x4x4. Where messages of more than four items
    are free, no α + L τ is below all of them but 0.
    """
    assert {name for name, method in METHODS.items() if method.is_bound} == {
        "calmant-load",
        "calmant-lower-bound",
        "store-and-forward",
    }
    machine = machine_of(6, 3, 1, 1)
    assert exchange_time("calmant-load", machine, 1) == Fraction(1247, 11)
    assert exchange_bounds(machine, 1).lockstep == 126
    free = Machine("4x4", cost=Piecewise([(4, 0, 1), (None, 0, 0)]))
    assert free.cost.supports == ()
    assert exchange_time("store-and-forward", free, 1) == exchange_bounds(free, 1).ports == 0


@pytest.mark.parametrize(
    ("mesh", "B", "speedups"),
    [("64x64", 16, (1.62, 1.75)), ("64x64", 64, (2.04, 2.24)), ("16x16x16", 1024, (3.82, 3.64))],
)
def test_speedups_over_binary_exchange(mesh, B, speedups):
    """The table of docs/calmant_section5.md."""
    names, machine = ("binary", "calmant-load", "hybrid"), Machine(mesh, 5000, 1)
    binary, *times = (exchange_time(name, machine, B) for name in names)
    assert tuple(round(float(binary / time), 2) for time in times) == speedups


@pytest.mark.parametrize(("d", "c"), [(4, 1), (4, 2), (3, 3), slow((6, 3))])
def test_store_and_forward_counts_what_a_node_passes_on(d, c):
    mesh = Mesh((1 << d // c,) * c)
    passed: Counter[int] = Counter()
    for x, y in product(range(mesh.size), repeat=2):
        passed.update(mesh.path(x, y)[:-1])
    volume = exchange_time("store-and-forward", machine_of(d, c, 0, 1), 1)
    assert volume == max(passed.values())
    assert exchange_time("store-and-forward", machine_of(d, c, 1, 0), 1) == mesh.diameter


@pytest.mark.parametrize(("d", "c"), [(d, c) for d, c in MESHES if d <= 6])
def test_direct_and_quadrant_are_their_schedules_played_out(d, c):
    """Count the steps of schedules that are replayed, and what they carry."""
    machine, n = machine_of(d, c, 13, 2), 1 << d // c
    messages = messages_of(level_movement(n, n, 1, c))
    steps = 1 + max(message.step for message in messages)
    assert exchange_time("direct", machine, 5) == steps * (13 + 5 * 2)
    total = 0
    for h in (1 << k for k in range(d // c)):
        messages = messages_of(level_movement(n, 2, h, c))
        assert movement_of(n, c, messages).replay("one").ok
        total += 1 + max(message.step for message in messages)
    assert exchange_time("quadrant-overlapped", machine, 5) == total * (13 + (5 << d - c) * 2)
    assert total == (n << c - 1) - 1


@pytest.mark.parametrize(("n", "c", "radices"), [(4, 2, (2, 2)), (8, 2, (4, 2)), (4, 3, (2, 2))])
def test_levels_deliver_every_block_in_messages_of_the_size_that_is_charged(n, c, radices):
    """Move every block along the messages of each level, by the digit that the level corrects."""
    nodes, h = n**c, 1
    at = {(x, y): x for x in range(nodes) for y in range(nodes)}
    for r in radices:
        partners = {(m.source, m.target) for m in messages_of(level_movement(n, r, h, c))}
        carried: Counter[tuple[int, int]] = Counter()
        for (x, y), node in at.items():
            target = 0
            for weight in (n**axis for axis in range(c)):
                p, q = node // weight % n, y // weight % n
                target += (p + (q // h % r - p // h % r) * h) * weight
            if target != node:
                assert (node, target) in partners
                carried[node, target] += 1
            at[x, y] = target
        assert set(carried) == partners
        assert set(carried.values()) == {nodes // r**c}
        h *= r
    assert all(node == y for (_, y), node in at.items())


def quadrant_in_turn(n: int, h: int, c: int) -> Iterator[Sent]:
    """Partner after partner, h steps each."""
    for x, axes in product(range(n**c), range(1, 1 << c)):
        q = [x // n**axis % n for axis in range(c)]
        flipped = [p ^ h if axes >> axis & 1 else p for axis, p in enumerate(q)]
        y = sum(p * n**axis for axis, p in enumerate(flipped))
        yield Sent(x, y, (axes - 1) * h + sum(q) % h)


@pytest.mark.parametrize(("d", "c"), [(4, 1), (4, 2), (6, 2), (6, 3)])
def test_quadrant_exchange_partner_after_partner(d, c):
    n, steps = 1 << d // c, 0
    for h in (1 << k for k in range(d // c)):
        messages = list(quadrant_in_turn(n, h, c))
        assert movement_of(n, c, messages).replay("one").ok
        steps += len({message.step for message in messages})
    assert exchange_time("quadrant", machine_of(d, c, 3, 1), 2) == steps * (3 + (2 << d - c))


def factorings(n: int) -> Iterator[tuple[int, ...]]:
    k = n.bit_length() - 1
    for cuts in range(k):
        for marks in combinations(range(1, k), cuts):
            yield tuple(1 << b - a for a, b in pairwise([0, *marks, k]))


@pytest.mark.parametrize(("d", "c"), MESHES)
@pytest.mark.parametrize("B", [1, 40])
def test_levels_is_the_best_of_all_factorings(d, c, B):
    """The shortest path against every factoring and every choice of kinds of level."""
    for alpha in (0, 10, 400):
        times = []
        for radices in factorings(1 << d // c):
            for joint in product((True, False), repeat=len(radices)):
                time, h = Fraction(0), 1
                for r, together in zip(radices, joint, strict=True):
                    axes, repeats = (c, 1) if together else (1, c)
                    load = max(h * r ** (axes + 1) // 4, h << axes - 1 if r == 2 else 0)
                    steps = max(load, r**axes - 1)
                    time += repeats * steps * (alpha + (1 << d) // r**axes * B)
                    h *= r
                times.append(time)
        assert exchange_time("levels", machine_of(d, c, alpha, 1), B) == min(times)


@pytest.mark.parametrize(("d", "c"), [(4, 1), (4, 2), (3, 3), (6, 3)])
@pytest.mark.parametrize("alpha", [0, 3, 40])
def test_calmant_is_the_best_degree_over_bounds_counted_on_the_mesh(d, c, alpha):
    N = 2 << d - 1
    times = []
    for Q in range(1, N + 1):
        steps = sum(task_of(i, M, c, d).lower_bound for i, M in PacketPlan(d, Q).tasks)
        times.append(steps * (alpha + Fraction(N, Q)))
    assert exchange_time("calmant-lower-bound", machine_of(d, c, alpha, 1), 2) == min(times)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda m: exchange_time("nothing", m, 1), "method"),
        (lambda m: exchange_time("direct", m, 0), "B"),
        (lambda m: exchange_times(m, [1, -1], ["direct"]), "B"),
        (lambda m: exchange_time("direct", machine_of(4, 2, 1, 1, 1), 1), "machine.barrier"),
        (lambda m: exchange_time("direct", machine_of(4, 2, 1, 1, 0, "torus"), 1), "machine"),
    ],
)
def test_bad_input_is_refused(call, argument):
    with pytest.raises(InputError) as caught:
        call(machine_of(4, 2, 1, 1))
    assert caught.value.argument == argument


def test_methods_left_out_say_why():
    for name, why in LEFT_OUT.items():
        with pytest.raises(InputError) as caught:
            exchange_time(name, machine_of(4, 2, 1, 1), 1)
        assert why in caught.value.rule
