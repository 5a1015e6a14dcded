"""boppana: PLC_n, M-SIMD and MIMD, omega and Beneš networks against slow plain versions.

[boppana, Definitions 3 and 4, formula (3), Lemmas 6 and 7, sections 3.3.1 and 4].
"""

import itertools
import math

import numpy as np
import pytest

import proofs_check
from lccmodel.permutations.partitioned import (
    count_partitioned,
    count_undivided,
    list_partitioned,
    random_partitioned,
    unpacked,
)
from lccmodel.permutations.partitioned.network import BenesNetwork
from proofs_check.claims import (
    boppana_classes,
    boppana_modes,
    boppana_networks,
    boppana_partitioned,
)
from tests.choosing import fast_only


@pytest.mark.slow
@pytest.mark.parametrize("name", ["boppana.def34", "boppana.eq3.amended"])
def test_the_class_of_four_dimensions_is_listed_and_counted(name):
    """17 678 336 permutations of 16 nodes."""
    assert proofs_check.check(name, max_n=4).verdict in {"holds", "holds-as-read"}
    assert len(boppana_partitioned.partitioned(4, 4, "diagonal")) == 17678336


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_checker_and_the_library_put_together_the_same_class(n):
    for definition, last in ((3, "LC"), (4, "diagonal"), (4, "triangular")):
        found = boppana_partitioned.partitioned(n, definition, last)
        assert np.array_equal(found, list_partitioned(n))
    assert boppana_partitioned.formula(n, "triangular") == count_partitioned(n)
    assert boppana_partitioned.formula(n, "diagonal") == count_partitioned(n, "diagonal")
    assert boppana_partitioned._size(n) == len(list_partitioned(n))
    assert boppana_partitioned._undivided_matrices(n) << n == count_undivided(n)


@pytest.mark.usefixtures("uncompiled")
def test_outputs_are_fetched_from_where_the_settings_lead():
    """The codes name every setting once, in base 8; three stages have 2^12 of them, no more."""
    order = (1, 2, 0)
    settings = boppana_networks.settings_of(order)
    can = boppana_networks._fetched.__wrapped__(order, 3)
    codes = settings @ 8 ** np.arange(7, -1, -1)
    assert np.array_equal(np.flatnonzero(can), np.unique(codes))
    assert len(np.unique(codes)) == 4096


def test_parts_are_renamed_line_by_line(monkeypatch):
    """Bits called otherwise: the same permutation; which pairs are stuck is asked of the search."""
    goes = np.array(boppana_networks.STUCK)
    order = (2, 0, 1)
    renamed = boppana_networks._renamed(goes, order)
    name = [sum((x >> k & 1) << (*order, 3)[k] for k in range(4)) for x in range(16)]
    assert [renamed[name[x]] for x in range(16)] == [name[goes[x]] for x in range(16)]
    assert boppana_networks._renamed(goes, (0, 1, 2)).tolist() == goes.tolist()

    def tries(first, second, can_first, can_second, goes):
        return -1 if tuple(goes) == boppana_networks.STUCK else 1

    monkeypatch.setattr(boppana_networks, "tries", tries)
    monkeypatch.setattr(boppana_networks, "_fetched", lambda order, stages: np.zeros(1, np.bool_))
    check = boppana_networks.construction.check
    parts = boppana_networks.parts_apart.check
    monkeypatch.setattr(boppana_networks, "_stuck", boppana_networks._stuck.__wrapped__)
    found = parts((1, 2, 3), (2, 1, 3))  # the same bit last
    assert found
    assert found.details == {"not_realised_behind_stage_1": list(boppana_networks.STUCK)}
    assert not check((1, 2, 3), (2, 1, 3))
    assert not parts((1, 2, 3), (2, 1, 3), decides=0)


@pytest.mark.usefixtures("uncompiled")
def test_permutations_of_eight_processors_in_both_modes():
    """Those of y = Ax + b take one order for all; each grouping leaves some permutation over."""
    exchange = tuple(x ^ 5 for x in range(8))
    for permutation in (tuple(range(8)), exchange, (0, 4, 2, 6, 1, 5, 3, 7)):
        assert boppana_modes.q3_mimd.check(permutation, one_tag="unused by tag")
        assert boppana_modes.q3_chosen.check(permutation)
    assert not boppana_modes.q3_mimd.check(exchange, one_tag="unused by tag", less=1)
    for mode, groups in boppana_modes._MODES.items():
        found = boppana_modes.q3_msimd.check(mode)
        left = found.details["not_routed"]
        assert sorted(left) == list(range(8))
        assert not boppana_modes.is_routed(boppana_modes.together(left, groups))


# -- modes ------------------------------------------------------------------------------------


def _count(run):
    return sum(boppana_modes.is_routed(run(p)) for p in itertools.permutations(range(8)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one_tag", "many", "routed"),
    [
        ("unused by processor", False, 22752),
        ("unused by tag", False, 34560),
        ("wrong", False, 36672),
        ("wrong", True, 40320),
    ],
)
def test_the_readings_of_mimd_route_as_many_as_the_table_says(one_tag, many, routed):
    assert _count(lambda p: boppana_modes.alone(p, one_tag, many)) == routed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("groups", "routed"),
    [
        (boppana_modes.whole, 7040),
        (boppana_modes.halves, 12672),
        (boppana_modes.by_tree((1, (2, 2))), 15104),
        (boppana_modes.by_tree((2, (1, 1, 1, 1))), 12672),
        (boppana_modes.by_tree(3), 7040),
    ],
)
def test_the_groupings_of_m_simd_route_as_many_as_the_table_says(groups, routed):
    assert _count(lambda p: boppana_modes.together(p, groups)) == routed


@pytest.mark.parametrize("mode", boppana_modes._MODES)
def test_m_simd_does_not_route_every_permutation_and_its_control_routes_more(mode):
    """boppana.q3.msimd at the permutation that it shows."""
    found = boppana_modes.q3_msimd.check(mode)
    lost, groups = found.details["not_routed"], boppana_modes._MODES[mode]
    assert found
    assert boppana_modes.together(lost, groups) is None
    if mode == "halves":
        assert boppana_modes.is_routed(boppana_modes.together(lost, groups, True))


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


@pytest.mark.parametrize("n", [1, 2])
def test_counting_settings_in_a_kernel_is_counting_them_one_by_one(n):
    for choice in boppana_networks.choices(range(n)):
        network = BenesNetwork(boppana_networks.dimensions_of(choice, n))
        switches = [network.pairs(s) for s in range(1, 2 * n)]
        seen = set()
        for setting in itertools.product((0, 1), repeat=(2 * n - 1) << (n - 1)):
            line, crossing = list(range(1 << n)), iter(setting)
            for u, v in itertools.chain.from_iterable(switches):
                if next(crossing):
                    line[u], line[v] = line[v], line[u]
            seen.add(tuple(line))
        assert boppana_networks.realised(choice, n) == len(seen) == math.factorial(1 << n)
