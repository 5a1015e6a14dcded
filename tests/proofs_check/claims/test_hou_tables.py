"""[hou], Tables 1 and 2: what is behind the columns, and the worms against the library's."""

from functools import lru_cache

import numpy as np
import pytest

from lccmodel.network import Hypercube
from lccmodel.wormhole.simulation import Simulation
from lccmodel.wormhole.traffic import messages_of
from proofs_check.claims import hou_tables, hou_turns, hou_worms
from proofs_check.claims.hou_images import destinations, reverse


def test_the_sums_of_table_2_are_of_unrounded_times():
    """163.5 + 1617.5 + 467.8 = 2248.8, printed is 2248.9; unrounded it is 2248.85."""
    assert sum(hou_tables._exact(10)[name] for name in ("comp", "nb", "ecube")) == (
        hou_tables.Decimal("2248.85")
    )


def test_the_lines_behind_the_columns():
    """Cycles as functions of the number of flits; P-cube is off its line for 2^8 points."""
    F = np.array([hou_tables.flits(lg) for lg in hou_tables.LOGS])
    lines = {"ecube": 8 * F + 13, "min": 8 * F + 12, "map": F + 9, "pcube": 14 * F + 19}
    for name, line in lines.items():
        cycles = [hou_tables.hidden(hou_tables.PRINTED[lg, name]) for lg in hou_tables.LOGS]
        wrong = [k for k, each in enumerate(cycles) if each != [line[k]]]
        assert wrong == ([0] if name == "pcube" else [])


RULES = {
    hou_worms.ECUBE: "e-cube",
    hou_worms.MIN: "minimum-restriction",
    hou_worms.PCUBE: "p-cube",
    hou_worms.DESCENDING: "e-cube-descending",
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("tie", "named"), [(0, "lowest-input"), (1, "highest-input")])
@pytest.mark.parametrize("seed", range(4))
def test_worms_move_as_in_the_library(rule, tie, named, seed):
    """Independent in routing, arbitration and movement: every time of every message agrees."""
    draw = np.random.default_rng(seed)
    goes = draw.permutation(32)
    flits = int(draw.integers(1, 25))
    sent = hou_worms.exponential(goes, 0.3, flits, 600, seed)
    injected, delivered = hou_worms.run(sent, flits, rule, hou_worms.TIES[tie])
    pairs = [(x, int(y)) for x, y in enumerate(goes) if x != y]
    prepared = Simulation.of(pairs, Hypercube(5), RULES[rule], tie=named)
    source = np.repeat(np.arange(32), np.diff(sent.first))
    order = np.lexsort((source, sent.ready))
    where = {x: k for k, (x, _) in enumerate(prepared.sent.pairs.tolist())}
    indices = np.array([where[x] for x in source[order].tolist()], dtype=np.int64)
    messages = messages_of(prepared.table, prepared.sent, sent.ready[order], indices, flits)
    outcome = prepared.execute(messages)
    assert len(order) > 20
    assert outcome.injected.tolist() == injected[order].tolist()
    assert outcome.delivered.tolist() == delivered[order].tolist()


def test_turns_by_hand():
    """P-cube clears before it sets; Li's rule lets no later hop clear a lower bit."""
    pcube, least = (hou_worms.allowed_turns(3, rule) for rule in (hou_worms.PCUBE, hou_worms.MIN))
    assert [pcube[0b011, 0b110, 3], pcube[0b010, 0b110, 0]] == [0b001, 0b100]
    assert [least[0b001, 0b110, 3], least[0b010, 0b101, 3]] == [0b001, 0b111]
    assert not pcube[5, 5].any()


def test_a_worm_alone_and_cut_off():
    """H + 2 + F - 1 cycles; nothing is delivered before the run is cut off."""
    first = np.array([0, 1, *[1] * 7])
    sent = hou_worms.Sent(first, np.array([4]), np.array([7]))
    assert [each.tolist() for each in hou_worms.run(sent, 10)] == [[5], [4 + 3 + 2 + 9]]
    injected, delivered = hou_worms.run(sent, 10, last_cycle=17)
    assert (injected[0], delivered[0]) == (5, hou_worms.PENDING)


def test_butterflies_by_the_formula():
    """2d stages at home, n stages of halves."""
    for n in range(1, 5):
        for d in range(3):
            held = 4**d
            assert hou_tables.butterflies(n, n + 2 * d) == (2 * d * held // 2, n * held)


def test_all_at_once_leaves_palindromes_out():
    sent = hou_worms.all_at_once(destinations("bit-reverse"))
    assert len(sent.ready) == 240
    assert [reverse(x, 8) for x in range(256) if sent.first[x] == sent.first[x + 1]] == [
        x for x in range(256) if reverse(x, 8) == x
    ]


def test_rules_are_counted_by_the_columns_that_they_give(monkeypatch):
    """Of two safe rules one gives chiu, 11F + 11 cycles, and one mixab3, 9F + 12, at every size."""

    def turns(rule):
        return [sorted(part.split()) for part in rule.split(" / ")]

    rules = [turns(f"{hou_turns.RULES[name]} / 3") for name in ("chiu", "mixab3")]
    monkeypatch.setattr(hou_turns, "is_safe", lambda rule: turns(rule) in rules)
    monkeypatch.setattr(hou_turns, "safe_rules", hou_turns.safe_rules.__wrapped__)
    monkeypatch.setattr(hou_turns, "counted", lru_cache(hou_turns.counted.__wrapped__))
    assert sorted(map(turns, hou_turns.safe_rules())) == sorted(rules)
    words = [hou_turns.flits(lg) for lg in hou_turns.LOGS]
    expected = {tuple(11 * F + 11 for F in words): 1, tuple(9 * F + 12 for F in words): 1}
    assert hou_turns.counted(3, hou_turns.OLDEST) == expected
    monkeypatch.setattr(hou_turns, "safe_rules", lambda: ("one",) * 244)
    for column, given in (("chiu", 1), ("mixab3", 1), ("min", 0), ("lines", 2)):
        found = hou_turns.tab1_turns.check(hou_turns.OLDEST, column)
        assert found.details == {"given": given, "safe": 244}
        assert found.ok == (given == hou_turns.FOUND[column][2])
