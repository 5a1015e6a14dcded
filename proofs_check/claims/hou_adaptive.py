"""[hou], Table 1: the columns of adaptive routing functions, and what is said of them.

P-cube and Li's rule are simulated by `hou_worms` under several rules for ties, of which [hou] says
nothing. What Chiu, MIXab3, MIXbb3 and Min do it does not say either: their columns are the subject
of `hou_turns`. So none of these columns is decided.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from proofs_check.claim import Amended, Control, Finding, Tried, Undecided, claim
from proofs_check.claims.hou_tables import (
    COLUMNS_1,
    LOGS,
    PRINTED,
    column,
    flits,
    hidden,
    reversal_cycles,
)
from proofs_check.claims.hou_worms import MIN, PCUBE, TIES
from proofs_check.domain import Listed

SEEDS = range(1, 101)


@lru_cache(maxsize=16)
def outcomes(lg: int, rule: str) -> dict[str, list[int]]:
    """Cycles of the bit reversal under every rule for ties; for random ties those of all seeds.

    Ties fall the same for every length of the messages, as 17 flits are more than a path has
    channels: so seeds with equal cycles for 17 flits are tried once.
    """
    found = {tie: [reversal_cycles(lg, rule, tie)] for tie in TIES[:-1]}
    alike: dict[int, int] = {}
    for seed in SEEDS:
        alike.setdefault(reversal_cycles(8, rule, TIES[-1], seed), seed)
    drawn = {reversal_cycles(lg, rule, TIES[-1], seed) for seed in alike.values()}
    return found | {f"{TIES[-1]}, {len(SEEDS)} seeds": sorted(drawn)}


@claim(
    "hou.tab1.li",
    place="beside section 6.2, Table 1",
    says="with the rule that Li's paper [14] is known for, no turn into a lower dimension whose "
    "bit is cleared, the bit reversal takes 8F + 13 cycles, as with e-cube and one more than is "
    "behind column min, under every fixed rule for ties, and never less under random ones: 8 "
    "messages must use 00010000 -> 00000000, and first come first served lets that of node "
    "11110000 be the last",
    latex=r"164 + 0.57 (8F + 13)",
    over=column("min"),
    evidence="240 worms simulated flit by flit under five rules for ties, random ones 100 times",
    control=Control("a cycle more for 2^14 points", late=1),
)
def tab1_li(lg: int, printed: Decimal, *, late: int = 0) -> Finding:
    """The project's own question: [hou] cites [14] and does not say what it does."""
    found = list(outcomes(lg, MIN).values())
    stated = 8 * flits(lg) + 13 + (late if lg == LOGS[-1] else 0)
    fixed = all(each == [stated] for each in found[:-1]) and hidden(printed) == [stated - 1]
    return Finding(fixed and min(found[-1]) == stated, stated=stated, simulated=found)


@claim(
    "hou.tab1.pcube",
    place="Section 6.2, Table 1",
    says="the bit reversal takes the printed time with P-cube routing [11]",
    over=column("pcube"),
    evidence="240 worms simulated flit by flit",
    control=Control("the entries of e-cube", entries="ecube"),
    undecided=Undecided(
        "who goes first among headers that reach a router in the same cycle: “in favor of the "
        "header flit that arrived at the router first” says nothing of ties, and the times of "
        "P-cube depend on them. P-cube itself, cited and not defined, is taken to clear bits "
        "before it sets any",
        (
            Tried("ties at random, some of 100 seeds; they give the other rows", ties=TIES[-1]),
            *(Tried(f"ties: {tie}", ties=tie) for tie in TIES[:-1]),
        ),
    ),
)
def tab1_pcube(lg: int, printed: Decimal, *, ties: str, entries: str = "pcube") -> Finding:
    cycles = hidden(PRINTED[lg, entries])[0]
    (found,) = (each for name, each in outcomes(lg, PCUBE).items() if name.startswith(ties))
    return Finding(cycles in found, behind_the_print=cycles, simulated=found)


@claim(
    "hou.tab1.pcube.random",
    place="beside section 6.2, Table 1",
    says="with P-cube some of 100 seeds of random ties give the printed times for 2^10, 2^12 and "
    "2^14 points, 14F + 19 cycles; for 2^8 points, where the print is not on that line (238 "
    "cycles, not 257), none of the rules and seeds that are tried does",
    over=column("pcube"),
    evidence="240 worms simulated flit by flit under five rules for ties, random ones 100 times",
    control=Control("for 2^14 points nothing does either", but=(8, 14)),
)
def tab1_pcube_random(lg: int, printed: Decimal, *, but: tuple[int, ...] = (8,)) -> Finding:
    """The project's own question: which entries of column pcube ties can explain."""
    cycles, found = hidden(printed)[0], outcomes(lg, PCUBE)
    given = any(cycles in each for each in found.values())
    return Finding(given != (lg in but), behind_the_print=cycles, simulated=found)


@claim(
    "hou.sec6.adaptive",
    place="Section 6.2, on Table 1",
    says="in Table 1 the partially adaptive routing functions are worse than e-cube",
    printed="the performances of those partially adaptive routing strategies are not so good as "
    "expected, and even worse than e-cube routing",
    over=Listed(
        8,
        [(lg, name) for lg in LOGS for name in COLUMNS_1[3:8]],
        names="lg m, column",
        text="every entry of an adaptive routing in Table 1",
        size=20,
    ),
    evidence="the printed times",
    control=Control("better than e-cube", sign=-1),
    amended=Amended(
        "they are, but for Min, which is better by one cycle in every row",
        control=Control("all but Min and MIXbb3", but=("min", "mixbb3")),
        but=("min",),
    ),
)
def sec6_adaptive(lg: int, column: str, *, but: tuple[str, ...] = (), sign: int = 1) -> Finding:
    """[hou, section 6.2] one entry beside that of e-cube."""
    cycles = [hidden(PRINTED[lg, name])[0] for name in (column, "ecube")]
    more = sign * (cycles[0] - cycles[1])
    return Finding(more == -1 if column in but else more > 0, cycles=cycles[0], ecube=cycles[1])
