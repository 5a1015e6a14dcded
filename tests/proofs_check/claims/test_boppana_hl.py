"""[boppana, Algorithm HL, Fig. 2, Theorem 2]: kernels against slow plain versions."""

import itertools
import random

import numpy as np
import pytest

from proofs_check.claims import boppana_affine, boppana_hl, boppana_mesh
from proofs_check.stations import messages
from tests.permutations.self_routing.oracle import simulate
from tests.proofs_check.scratch import random_permutations

pytestmark = pytest.mark.usefixtures("uncompiled")


@pytest.mark.parametrize("m", [1, 2, 4, 8, 16])
def test_neighbours_exchange_halves_in_one_step_less_than_there_are_processors(m):
    positions = boppana_mesh.exchange_positions(m, at_once=False)
    assert len(positions) - 1 == 2 * m - 1
    assert positions[-1].tolist() == [(j + m) % (2 * m) for j in range(2 * m)]
    for before, after in itertools.pairwise(positions):
        assert sorted(after) == list(range(2 * m))
        assert abs(after - before).max() <= 1
    at_once = boppana_mesh.exchange_positions(m, at_once=True)
    assert len(at_once) - 1 == m
    assert at_once[-1].tolist() == positions[-1].tolist()


# -- kernels against plain versions -------------------------------------------------------------


def _plain_states(tags):
    """HL on tags that are objects: what every processor holds before step 1 and after each."""
    states = []
    for hosts in simulate(tags)[1]:
        states.append({host: [] for host in sorted(hosts)})
        for host, tag in sorted(zip(hosts, tags, strict=True)):
            states[-1][host].append(tag)
    return states


@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 12), (3, 40), (4, 40), (6, 5)])
def test_hl_in_a_kernel_holds_the_tags_that_lists_hold(n, count):
    for A, b in random_permutations(n, count):
        tags = [y for _, y in messages(A, b)]
        assert boppana_hl.tags_by_step(tags) == _plain_states(tags)


def test_affine_maps_are_told_from_others_by_all_quadruples():
    """f is affine just when f(a) + f(b) + f(c) + f(a + b + c) = 0 for all a, b, c."""
    rng = random.Random(4)
    seen = set()
    for _ in range(200):
        values = [rng.randrange(4) for _ in range(4)]
        by_quadruples = all(
            values[a] ^ values[b] ^ values[c] == values[a ^ b ^ c]
            for a, b, c in itertools.product(range(4), repeat=3)
        )
        assert boppana_affine.is_affine(values) == by_quadruples
        seen.add(by_quadruples)
    assert seen == {True, False}


def _plain_mesh_steps(hosts, shape, one_port):
    """Move tags over the edges of an explicit mesh; None where too many messages meet."""
    n = sum(shape)
    starts = np.cumsum([0, *shape])
    total = 0
    for before, after in itertools.pairwise(hosts):
        moving = [(u, v) for u, v in zip(before, after, strict=True) if u != v]
        if not moving:
            continue
        bit = (moving[0][0] ^ moving[0][1]).bit_length() - 1
        axis = next(a for a in range(len(shape)) if bit < starts[a + 1])
        hops = 1 << bit - int(starts[axis])
        for t in range(hops):
            edges = []
            for u, v in moving:
                step = (v - u) // hops
                edges.append((u + t * step, u + (t + 1) * step))
            senders, receivers = zip(*edges, strict=True)
            meets = len(set(edges)) < len(edges)
            if one_port:
                meets |= len(set(senders)) < len(edges) or len(set(receivers)) < len(edges)
            if meets or not all(0 <= v < 1 << n for v in receivers):
                return None
        total += hops
    return total


@pytest.mark.parametrize("one_port", [False, True])
@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 12), (3, 30), (4, 20)])
def test_tags_moved_over_an_explicit_mesh_take_the_steps_of_the_kernel(n, count, one_port):
    strides, hops = boppana_mesh.mesh_axes(n)
    schedule = boppana_mesh.schedule(n, True)
    for A, b in random_permutations(n, count):
        tags = [y for _, y in messages(A, b)]
        hosts = np.empty((n + 1, 1 << n), np.int64)
        bits, sent = np.empty((2, n, 1 << n), np.int64)
        boppana_hl.run(n, np.array(tags), 0, -1, hosts, bits, sent)
        for s, shape in enumerate(boppana_mesh.mesh_shapes(n)):
            last = np.empty((1 << n, 4), np.int64)
            found = boppana_mesh.simulate(n, hosts, strides[s], hops[s], *schedule, one_port, last)
            plain = _plain_mesh_steps(hosts.tolist(), shape, one_port)
            assert (None if found < 0 else found) == plain
