"""[boppana]: HL, PLC_n, M-SIMD and MIMD, omega and Beneš networks against slow plain versions."""

import itertools

import numpy as np
import pytest

from lccmodel.permutations.partitioned import (
    count_partitioned,
    count_undivided,
    list_partitioned,
    random_partitioned,
    unpacked,
)
from proofs_check.claims import (
    boppana_classes,
    boppana_hl,
    boppana_mesh,
    boppana_modes,
    boppana_networks,
    boppana_partitioned,
)
from proofs_check.stations import messages
from tests.choosing import fast_only
from tests.permutations.self_routing.oracle import simulate
from tests.proofs_check.scratch import random_permutations

uncompiled = pytest.mark.usefixtures("uncompiled")


@uncompiled
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


@uncompiled
@pytest.mark.parametrize(("n", "count"), [(1, 2), (2, 12), (3, 40), (4, 40), (6, 5)])
def test_hl_in_a_kernel_holds_the_tags_that_lists_hold(n, count):
    for A, b in random_permutations(n, count):
        tags = [y for _, y in messages(A, b)]
        assert boppana_hl.tags_by_step(tags) == _plain_states(tags)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_checker_and_the_library_put_together_the_same_class(n):
    for definition, last in ((3, "LC"), (4, "diagonal"), (4, "triangular")):
        found = boppana_partitioned.partitioned(n, definition, last)
        assert np.array_equal(found, list_partitioned(n))
    assert boppana_partitioned.formula(n, "triangular") == count_partitioned(n)
    assert boppana_partitioned.formula(n, "diagonal") == count_partitioned(n, "diagonal")
    assert boppana_partitioned._size(n) == len(list_partitioned(n))
    assert boppana_partitioned._undivided_matrices(n) << n == count_undivided(n)


# -- modes ------------------------------------------------------------------------------------


@uncompiled
@pytest.mark.parametrize(
    "permutation", [range(8), [x ^ 5 for x in range(8)], (0, 4, 2, 6, 1, 5, 3, 7)]
)
def test_permutations_of_y_Ax_b_are_routed_by_both_modes(permutation):
    """Those of y = Ax + b take one order for all; x + 101 needs all three steps."""
    goes = tuple(permutation)
    assert boppana_modes.q3_mimd.check(goes, one_tag="unused by tag")
    fewer = boppana_modes.q3_mimd.check(goes, one_tag="unused by tag", less=1)
    assert bool(fewer) == (goes[0] != 5)
    assert boppana_modes.q3_chosen.check(goes)


@pytest.mark.parametrize("mode", boppana_modes._MODES)
def test_m_simd_does_not_route_every_permutation_and_its_control_routes_more(mode):
    """boppana.q3.msimd at the permutation that it shows."""
    lost, groups = (
        boppana_modes.q3_msimd.check(mode).details["not_routed"],
        boppana_modes._MODES[mode],
    )
    assert sorted(lost) == list(range(8))
    assert boppana_modes.together(lost, groups) is None
    if mode == "halves":
        assert boppana_modes.is_routed(boppana_modes.together(lost, groups, True))


def _alone(one_tag, many=False):
    return lambda permutation: boppana_modes.alone(permutation, one_tag, many)


def _together(groups):
    return lambda permutation: boppana_modes.together(permutation, groups)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("states", "routed"),
    [
        (_alone("unused by processor"), 22752),
        (_alone("unused by tag"), 34560),
        (_alone("wrong"), 36672),
        (_alone("wrong", many=True), 40320),
        (_together(boppana_modes.whole), 7040),
        (_together(boppana_modes.halves), 12672),
        (_together(boppana_modes.by_tree((1, (2, 2)))), 15104),
        (_together(boppana_modes.by_tree((2, (1, 1, 1, 1)))), 12672),
        (_together(boppana_modes.by_tree(3)), 7040),
    ],
)
def test_the_readings_of_both_modes_route_as_many_as_the_table_says(states, routed):
    assert routed == sum(
        boppana_modes.is_routed(states(p)) for p in itertools.permutations(range(8))
    )


def test_the_first_permutation_that_the_printed_rule_does_not_route_in_mimd():
    """Processor 1 would hold the tags 1, 3, 5 after two steps."""
    lost = (0, 1, 2, 5, 3, 7, 4, 6)
    assert boppana_modes.alone(lost, "unused by tag", False) is None
    assert boppana_modes.alone(lost, "wrong", True)[-1] == [[u] for u in range(8)]


@pytest.mark.parametrize("n", [3, 4, 5])
def test_random_partitioned_permutations_of_the_library_are_routed_by_their_trees(n):
    def shape(tree):
        return (tree.k, tuple(map(shape, tree.inner))) if tree.inner else tree.k

    for seed in range(20):
        tree = random_partitioned(n, seed)
        groups = boppana_modes.by_tree(shape(tree))
        assert boppana_modes.is_routed(boppana_modes.together(tree.destinations.tolist(), groups))


def test_trees_of_permutations_are_in_the_class():
    members = {tuple(row) for row in unpacked(list_partitioned(3), 3).tolist()}
    drawn = {p for _, (_, p) in boppana_partitioned.PARTITIONED.cases(3, 0, 2880)}
    assert drawn == members


# -- networks -----------------------------------------------------------------------------------


def _destination_tag(n, x, y):
    """The lines of a message in the omega network: after a shuffle the switch takes a bit of y."""
    lines = []
    for stage in range(n):
        x = (x << 1 & (1 << n) - 1) | y >> n - 1 - stage & 1
        lines.append(x)
    return lines


def test_omega_permutations_are_those_whose_destination_tags_never_meet():
    """2^12 of the 8! permutations: no two messages on a line of any stage."""
    free = set()
    for p in itertools.permutations(range(8)):
        stages = zip(*(_destination_tag(3, x, y) for x, y in enumerate(p)), strict=True)
        if all(len(set(lines)) == 8 for lines in stages):
            free.add(p)
    assert free == {tuple(boppana_classes.omega(3, s)) for s in range(1 << 12)}
    assert len(free) == 4096


@pytest.mark.parametrize("n", fast_only([1, 2, 3, 4], 1, 2, 3))
def test_networks_put_together_are_those_of_the_permutations(n):
    """HL run part by part on all of PLC_n, on 300 drawn ones for n = 4, which meet all eight."""
    domain = boppana_partitioned.PARTITIONED
    met = set()
    for _, (tree, permutation) in domain.cases(n, 0, domain.span(n)):
        found = boppana_modes.led(permutation, boppana_modes.by_tree(tree))
        met.add(tuple(map(tuple, found.rows)))
    assert met == set(boppana_networks.networks_made(n))
