"""Routing functions from forbidden turns: known rules, the checker's own routing, the print."""

from itertools import product

import pytest

from lccmodel.errors import InputError
from lccmodel.network import BristledHypercube, Hypercube
from lccmodel.routing import Fabric, TurnRouting, deadlock_free, find_routing, routing_table
from lccmodel.routing.cubes import RECONSTRUCTED, ECube, MinimumRestriction, PCube
from lccmodel.wormhole.fft_program import parallel_fft
from lccmodel.wormhole.published import TABLE_1, hidden_cycles
from proofs_check.claims import hou_turns
from tests.bridges import check_bridge

KNOWN = {
    ("+u-", "+d-"): PCube(),
    ("+d-", "-d-"): MinimumRestriction(),
    ("+d-", "-d-", "-d+", "+d+"): ECube(),
}


@pytest.mark.parametrize("turns", KNOWN, ids=" ".join)
def test_known_rules_are_prohibitions_of_turns(turns):
    """At every node, for every destination, however the header arrived."""
    rule, known, n = TurnRouting(turns, turns, turns), KNOWN[turns], 4
    for at, to, last in product(range(1 << n), range(1 << n), range(-1, n)):
        offered = rule.dimensions(at, to, last)
        if offered:  # arrived as the rule permits
            assert offered == known.dimensions(at, to, last)
        assert offered or last >= 0 or at == to


@pytest.mark.parametrize("rule", RECONSTRUCTED, ids=lambda rule: rule.name)
@pytest.mark.parametrize("network", [Hypercube(5), BristledHypercube(5)], ids=lambda n: n.spec)
def test_reconstructed_rules_are_free_of_deadlock_and_connected(rule, network):
    assert rule.provenance == "reconstructed"
    assert deadlock_free(rule, network)
    assert find_routing(rule.name, network) is rule


@pytest.mark.parametrize("n", [2, 3, 4])
def test_drawn_rules_are_safe_and_as_fast_as_the_checker_counts(n):
    check_bridge("turns", n)


@pytest.mark.parametrize("rule", RECONSTRUCTED, ids=lambda rule: rule.name)
@pytest.mark.parametrize("sizes", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_reconstructed_columns_are_those_of_the_print(rule, sizes):
    """[hou, Table 1] at its sizes under ties to the oldest, and the rule of the checker."""
    name = "min" if rule.name == "min-turns" else rule.name
    for row in TABLE_1[:sizes]:
        found = parallel_fft(row.points, routing=rule, tie="oldest").bit_reverse_cycles
        assert found == hidden_cycles(row.bit_reverse[name])
    stated = (rule.within, rule.across, rule.above)
    assert hou_turns.RULES[name] == " / ".join(map(" ".join, stated))


@pytest.mark.parametrize("split", [0, 8, 100])
def test_a_split_at_the_end_leaves_one_rule(split):
    """Degenerate: all dimensions above, or all within."""
    turns = ("+u-", "+d-")
    empty: tuple[str, ...] = ()
    rule = TurnRouting(empty, empty, turns, 0) if not split else TurnRouting(turns, empty, empty, 8)
    table = routing_table(rule, Fabric(Hypercube(3)), [(0, 7), (7, 0), (5, 2), (1, 0)])
    known = routing_table(PCube(), Fabric(Hypercube(3)), [(0, 7), (7, 0), (5, 2), (1, 0)])
    assert table.channel.tolist() == known.channel.tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((("+x-",), (), ()), "within"),
        (((), ("up",), ()), "across"),
        (((), (), "+u-"), "above"),
        (((), (), (), -1), "split"),
        (((), (), (), 1.5), "split"),
    ],
)
def test_bad_prohibitions(arguments, words):
    with pytest.raises(InputError, match=words):
        TurnRouting(*arguments)


@pytest.mark.slow
def test_every_rule_of_the_search_gives_the_library_the_same_cycles():
    """The 244 safe rules: flit by flit in the checker, message by message in the library."""
    for text in hou_turns.safe_rules(3):
        *parts, split = text.split(" / ")
        rule = TurnRouting(*(tuple(part.split()) for part in parts), int(split))
        for tie, named in zip(
            hou_turns.FIXED, ("lowest-input", "highest-input", "oldest"), strict=True
        ):
            found = parallel_fft(256, routing=rule, tie=named).bit_reverse_cycles
            assert found == hou_turns.reversal_cycles(8, text, tie)
