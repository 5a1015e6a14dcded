"""[hou], Table 1 and section 2.3: rules that forbid turns, for routing functions that are cited.

[hou] cites the routing of Chiu, MIXab3, MIXbb3 and Min and does not define it. All that is searched
here are rules that forbid two turns of every two dimensions, one of each way round a square, and
other ones between dimensions below `split`, across, and above: 16^3 rules a split. Kept are those
whose turns cannot close a ring of channels and that lead from every node to every other; their bit
reversals are simulated by `hou_worms`. A column that comes out shows that a rule exists, not that
it is the one that was meant: several fit, and `hou.tab1.turns` counts them.

A channel is forced on a message if every path that the turns of a routing function permit uses it.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from functools import cache, lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from lccmodel.kernels.jit import kernel
from proofs_check.claim import Control, Finding, Tried, Undecided, claim
from proofs_check.claims.hou_examples import THREE
from proofs_check.claims.hou_images import (
    BIT_REVERSE,
    REVERSE_FLIP,
    TRANSPOSE,
    destination,
    destinations,
)
from proofs_check.claims.hou_tables import LOGS, PRINTED, column, flits, hidden, reversal_cycles
from proofs_check.claims.hou_worms import (
    MIN,
    PCUBE,
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
    sent = all_at_once(destinations(BIT_REVERSE))
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

    notation = _NOTATION if name == "chiu" else ""  # of the first column, stated once
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
            f"the routing rule of {whose}, which is cited without a definition, and which header "
            "goes first at ties",
            (
                Tried(
                    f"found by search: no turns {RULES[name]}{notation}, ties to the oldest. Of "
                    f"244 safe rules {share} give this column under three tie rules",
                    rule=RULES[name],
                ),
                Tried("the same rule, ties to the lowest input", rule=RULES[name], tie=TIES[0]),
                *others,
            ),
        ),
    )(check)


_NOTATION = (
    " (dimensions 0-2 / across / above; a hop sets + or clears - its bit and goes up u or down d)"
)

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
            f"Li's known rule, no turn into a lower dimension whose bit is cleared; ties: {tie}",
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
    given = _given(ties, column, sizes)
    ok = given == FOUND[column][FIXED.index(ties)] and len(safe_rules()) == 244
    return Finding(ok, given=given, safe=len(safe_rules()))


# -- channels that messages cannot avoid -------------------------------------------------------


def unavoidable(rule: str, x: int, y: int) -> frozenset[tuple[int, int]]:
    """The channels on every permitted path from x to y.

    >>> sorted(unavoidable("pcube", 0b01, 0b10)), unavoidable("min", 0b00, 0b11)
    ([(0, 2), (1, 0)], frozenset())
    """
    table = allowed_turns(8, rule)

    @cache
    def after(node: int, last: int) -> frozenset[tuple[int, int]]:
        offered = [k for k in range(8) if table[node, y, last] >> k & 1]
        ways = [{(node, node ^ 1 << k)} | after(node ^ 1 << k, k) for k in offered]
        return frozenset(set.intersection(*map(set, ways))) if ways else frozenset()

    return after(x, 8)


@lru_cache(maxsize=16)
def forced(rule: str, name: str) -> Counter[tuple[int, int]]:
    """How many messages must use each channel."""
    return Counter(
        channel for x in range(256) for channel in unavoidable(rule, x, destination(name, x))
    )


@claim(
    "hou.sec2.adaptive",
    place="Section 2.3",
    says=(
        "with the adaptive routing of [7] or [14] 8 messages of bit-reverse must all use the "
        "channel ([0 0 0 1 0 0 0 0], [0 0 0 0 0 0 0 0]). Matrix-transpose and reverse-flip "
        "have such a channel, too. The senders therefore have less than 1/8 of the capacity"
    ),
    printed="there exists a set of 8 source-destination pairs contending for the channel",
    latex=r"\lambda < 1/8",
    over=Listed(8, list(THREE), names="communication", text="the three communications", size=3),
    evidence="the channels that all permitted paths of a message share, counted over all messages",
    control=Control("9 messages", messages=9),
    undecided=Undecided(
        "the rules of [7] and [14], which are cited without a definition",
        (
            Tried(
                "the rule that [14] is known for: no turn into a lower dimension whose bit is "
                "cleared",
                rule=MIN,
            ),
            Tried("a rule that gives column min of Table 1", rule=RULES["min"]),
            Tried("a rule that gives column chiu of Table 1", rule=RULES["chiu"]),
        ),
    ),
)
def sec2_adaptive(communication: str, *, rule: str, messages: int = 8) -> Finding:
    counted = forced(rule, communication)
    most = max(counted.values(), default=0)
    ok = most >= messages
    if communication == BIT_REVERSE:
        ok &= counted[0b00001000, 0] >= messages
    return Finding(ok, most=most, channels=[c for c in counted if counted[c] == most])


@claim(
    "hou.sec2.pcube",
    place="Section 2.3",
    says="P-cube suffers from similar problems for matrix-transpose and bit-reverse: messages that "
    "cannot avoid each other take as much of a channel as 8 of them would",
    printed="The adaptive routing strategy in [11] also suffers from similar problems when "
    "performing matrix-transpose or bit-reverse.",
    over=Listed(8, [TRANSPOSE, BIT_REVERSE], names="communication", text="the two named", size=2),
    evidence="every message passes the node where it has cleared what it clears and set nothing; "
    "the messages through each such node counted",
    control=Control("for reverse-flip too", other=REVERSE_FLIP),
    undecided=Undecided(
        "the rule of [11], which is cited without a definition, and the meaning of a similar "
        "problem",
        (
            Tried(
                "P-cube clears bits before it sets any. On average 8 messages per channel are "
                "meant: 80 messages pass node 0 over 8 channels, so one carries 10"
            ),
            Tried(
                "the same P-cube, with 8 messages that all have to use one channel",
                one_channel=True,
            ),
        ),
    ),
)
def sec2_pcube(communication: str, *, other: str = "", one_channel: bool = False) -> Finding:
    name = other or communication
    if one_channel:
        most = max(forced(PCUBE, name).values(), default=0)
        return Finding(most >= 8, messages_that_must_use_one_channel=most)
    pairs = list(enumerate(destinations(name)))
    through = Counter(x & y for x, y in pairs if x & y not in (x, y))
    node, most = through.most_common(1)[0]
    entering = 8 - node.bit_count()
    return Finding(most >= 8 * entering, node=node, messages=most, channels_into_it=entering)
