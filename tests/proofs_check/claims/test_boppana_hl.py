"""[boppana, Algorithm HL, Fig. 2, Theorem 2]: kernels against slow plain versions."""

import itertools
import random

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
