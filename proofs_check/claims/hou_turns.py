"""[hou], Table 1: which rules that forbid turns give the columns of adaptive routing functions.

[hou] cites the routing of Chiu, MIXab3, MIXbb3 and Min and does not define it. All that is searched
here are rules that forbid two turns of every two dimensions, one of each way round a square, and
other ones between dimensions below `split`, across, and above: 16^3 rules a split. Kept are those
whose turns cannot close a ring of channels and that lead from every node to every other; their bit
reversals are simulated by `hou_worms`. A column that comes out shows that a rule exists, not that
it is the one that was meant: several fit, and `hou.tab1.turns` counts them.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel
from proofs_check.claim import Control, Finding, Tried, Undecided, claim
from proofs_check.claims.hou_printed import BIT_REVERSE
from proofs_check.claims.hou_tables import LOGS, PRINTED, column, flits, hidden, reversal_cycles
from proofs_check.claims.hou_worms import (
    MIN,
    TIES,
    all_at_once,
    allowed_turns,
    permitted_turns,
    run,
)
from proofs_check.domain import Listed

OLDEST = TIES[3]
FIXED = (TIES[0], TIES[1], OLDEST)
RINGS = (("+u+", "+d-", "-u-", "-d+"), ("+d+", "+u-", "-d-", "-u+"))
"""The turns of the two ways round a square."""

RULES = {
    "chiu": "-u- -u+ / -u- -u+ / +u- +d-",
    "mixab3": "+u- +u+ / -u- +u- / +u- +d-",
    "mixbb3": "-u+ +u+ / -u- +u- / +u- +d-",
    "min": "+d- +d+ / -u- +u- / +u- +d-",
}
"""For each column one of the rules that give it under ties to the oldest."""


# -- free of deadlock, and connected --------------------------------------------------------------


@kernel
def _ascends(n: int, permitted: npt.NDArray[np.bool_]) -> bool:
    """Whether the channels can be numbered so that every permitted turn ascends.

    Channels that no unnumbered channel turns into are taken, round after round.
    """
    size = n << n
    waits = np.ones(size, dtype=np.bool_)
    left, before = size, size + 1
    while 0 < left < before:
        before = left
        for channel in range(size):  # d·2^n + u leaves node u along dimension d
            if not waits[channel]:
                continue
            d, u = channel >> n, channel & (1 << n) - 1
            free = True
            for k in range(n):  # a hop along k came into u
                rises = u >> k & 1
                if k != d and permitted[k, rises, d, 1 - (u >> d & 1)]:
                    free = free and not waits[(k << n) + (u ^ 1 << k)]
            if free:
                waits[channel] = False
                left -= 1
    return left == 0


def is_safe(rule: str, n: int = 8) -> bool:
    """Whether no messages can wait for each other in a ring, and every message has a way.

    >>> is_safe("+d- -d- / +d- -d- / +d- -d-", 4), is_safe("+u+ -d- / +u+ -u+ / +u- +d-", 4)
    (True, False)
    """
    if not _ascends(n, permitted_turns(n, rule)):
        return False
    injected = allowed_turns(n, rule)[:, :, n]
    return bool((injected != 0).sum() == (1 << n) * ((1 << n) - 1))


@lru_cache(maxsize=4)
def safe_rules(split: int = 3) -> tuple[str, ...]:
    """Those of the 16^3 rules with this split that are safe on the 8-cube."""
    words = [" ".join(pair) for pair in product(*RINGS)]
    rules = (f"{' / '.join(parts)} / {split}" for parts in product(words, repeat=3))
    return tuple(rule for rule in rules if is_safe(rule))


# -- columns ----------------------------------------------------------------------------------


def behind(name: str) -> tuple[int, ...]:
    """The cycles behind a column of Table 1."""
    return tuple(hidden(PRINTED[lg, name])[0] for lg in LOGS)


@lru_cache(maxsize=8)
def counted(split: int, tie: str) -> Counter[tuple[int, ...]]:
    """How many of the safe rules take these cycles at the four sizes.

    The two longer messages are simulated for those that give a printed column at 2^10 points.
    """
    wanted = {behind(name)[1] for name in (*RULES, "pcube")}
    found: Counter[tuple[int, ...]] = Counter()
    sent = all_at_once(BIT_REVERSE)
    for rule in safe_rules(split):
        cycles = [int(run(sent, flits(lg), rule, tie)[1].max()) for lg in LOGS[:2]]
        if cycles[1] in wanted:
            cycles += [int(run(sent, flits(lg), rule, tie)[1].max()) for lg in LOGS[2:]]
        found[tuple(cycles)] += 1
    return found


def _cited(
    name: str, whose: str, slope: int, offset: int, share: str, others: tuple[Tried, ...]
) -> None:
    """A column whose routing is only cited: rules that give it, and rules that do not."""

    def check(lg: int, printed: Decimal, *, rule: str, tie: str = OLDEST, more: int = 0) -> Finding:
        stated, cycles = slope * flits(lg) + offset, reversal_cycles(lg, rule, tie)
        ok = hidden(printed) == [stated] == [cycles + more]
        return Finding(ok, behind_the_print=hidden(printed), stated=stated, simulated=cycles)

    claim(
        f"hou.tab1.{name}",
        place="Section 6.2, Table 1",
        says=f"the bit reversal takes the time of column {name}, 164 µs and {slope}F + {offset} "
        f"cycles for F flits, with the routing of {whose}",
        latex=rf"164 + 0.57 ({slope}F + {offset})",
        over=column(name),
        evidence="240 worms simulated flit by flit; the one whole number of cycles that rounds to "
        "the printed time",
        control=Control("a cycle more", more=1),
        undecided=Undecided(
            f"what the routing of {whose} allows, which is cited and not defined, and who goes "
            "first among headers that reach a router in the same cycle. That some rule gives the "
            "column does not say that it is the one that was meant",
            (
                Tried(
                    f"a rule found by search: forbidden are the turns {RULES[name]} (within "
                    "dimensions 0-2 / across / above; a hop that sets + or clears - its bit, up "
                    "or down to the next), ties to the oldest. Of 4096 rules 244 are free of "
                    f"deadlock and connected; under three rules for ties {share} of them give "
                    "this column",
                    rule=RULES[name],
                ),
                Tried("the same rule, ties to the lowest input", rule=RULES[name], tie=TIES[0]),
                *others,
            ),
        ),
    )(check)


_cited(
    "chiu",
    "Chiu et al. [7]",
    11,
    11,
    "6, 2, 1",
    (Tried("another safe rule of the search", rule="+u- +u+ / -d- -d+ / -u+ -d+"),),
)
_cited(
    "mixab3",
    "Chen and Yihng [5]",
    9,
    12,
    "6, 22, 10",
    (Tried("a rule that gives column mixbb3", rule=RULES["mixbb3"]),),
)
_cited(
    "mixbb3",
    "Chen and Yihng [5]",
    9,
    13,
    "0, 0, 3",
    (Tried("a rule that gives column mixab3", rule=RULES["mixab3"]),),
)
_cited(
    "min",
    "Li [14]",
    8,
    12,
    "12, 8, 11",
    tuple(
        Tried(
            "the rule that Li's paper is known for: no turn into a lower dimension whose bit is "
            f"cleared; ties: {tie}",
            rule=MIN,
            tie=tie,
        )
        for tie in (TIES[0], OLDEST)
    ),
)


# -- how many rules fit, and how likely chance is ---------------------------------------------

FOUND = {
    "chiu": (6, 2, 1),
    "mixab3": (6, 22, 10),
    "mixbb3": (0, 0, 3),
    "min": (12, 8, 11),
    "lines": (14, 12, 18),
    "pcube": (0, 0, 0),
}
"""For each of `FIXED` how many rules of split 3 give a column; of `LINES`, how many are given."""

LINES = tuple((k, c) for k in range(8, 12) for c in range(6))
"""k(F + 1) + c cycles: the lines among which the four columns chiu, mixab3, mixbb3 and min lie."""


def _given(tie: str, name: str, sizes: slice) -> int:
    """How many rules give a column at these sizes, or how many of the lines some rule gives."""
    found = counted(3, tie)
    if name == "lines":
        short = {cycles[:2] for cycles in found}
        ends = [[k * (flits(lg) + 1) + c for lg in LOGS[:2]] for k, c in LINES]
        return sum(tuple(each) in short for each in ends)
    return sum(many for cycles, many in found.items() if cycles[sizes] == behind(name)[sizes])


@claim(
    "hou.tab1.turns",
    place="beside section 6.2, Table 1",
    says="of the 4096 rules that forbid two turns of every two dimensions, different ones within "
    "dimensions 0-2, across, and above, 244 are free of deadlock and connected. Under ties to the "
    "lowest input, the highest, the oldest, column chiu is given by 6, 2, 1 of them, mixab3 by 6, "
    "22, 10, mixbb3 by 0, 0, 3, min by 12, 8, 11, at all four sizes, and pcube by none. Of the 24 "
    "lines k(F + 1) + c with k = 8..11, c = 0..5, on which those four columns lie, 14, 12, 18 "
    "are given by some rule: three lines drawn at random would all be given with chance 0.18, "
    "0.11, 0.40",
    over=Listed(
        8,
        [(tie, name) for name in FOUND for tie in FIXED],
        names="ties, column",
        text="three rules for ties, five columns of Table 1 and the lines",
        size=18,
    ),
    evidence="every rule tried: its channels numbered, its ways followed, 240 worms simulated flit "
    "by flit at 2^8 and 2^10 points, and at the other sizes where those agree; the stated counts "
    "come from a second program that moves headers only",
    control=Control("the entry for 2^8 points left out", sizes=slice(1, 4)),
)
def tab1_turns(ties: str, column: str, *, sizes: slice = slice(None)) -> Finding:
    """Existence, and how little it says: the project's own question."""
    given = _given(ties, column, sizes)
    ok = given == FOUND[column][FIXED.index(ties)] and len(safe_rules()) == 244
    return Finding(ok, given=given, safe=len(safe_rules()))
