"""[hou], section 6.1: what is said of latencies, and of throughput and degree.

Simulated as in `hou_figures`. Of the "traditional approaches" e-cube alone is defined in [hou]; the
adaptive ones are cited.
"""

from __future__ import annotations

from functools import lru_cache

from proofs_check.claim import Control, Finding, Tried, Undecided, claim
from proofs_check.claims.hou_examples import THREE
from proofs_check.claims.hou_figures import CAPACITY, MG, MS, PAIRED, SHORT, simulated, sustained
from proofs_check.claims.hou_images import BIT_REVERSE, REVERSE_FLIP, TRANSPOSE
from proofs_check.claims.hou_turns import RULES
from proofs_check.claims.hou_worms import ECUBE, MIN, PENDING
from proofs_check.domain import Listed

_LOADS = (0.02, 0.05, 0.08)
"""Loads that e-cube sustains for all three communications."""


@lru_cache(maxsize=128)
def latency(name: str, curve: str, load: float) -> float:
    """The mean latency, with the wait at the source, of the messages of the second half."""
    sent, _, delivered = simulated(name, curve, load, SHORT)
    counted = (sent.ready > SHORT // 2) & (delivered < PENDING)
    return round(float((delivered - sent.ready)[counted].mean()), 1)


@claim(
    "hou.sec6.latency",
    place="Section 6.1, on Figs. 5 to 7",
    says="at loads that e-cube sustains the latencies with M-S and M-G are far lower than with the "
    "traditional approaches",
    printed="for any given sustainable network throughput, the message latencies of M-G and M-S "
    "are far lower than that of traditional approaches",
    over=Listed(
        8,
        [(name, curve, load) for name in THREE for curve in (MS, MG) for load in _LOADS],
        names="communication, curve, load",
        text=f"three communications, M-S and M-G, loads {', '.join(map(str, _LOADS))}",
        size=18,
    ),
    evidence="worms simulated flit by flit; M-G is the first of the best orders, all of which have "
    "the same degrees",
    control=Control("less than half", part=0.5),
    undecided=Undecided(
        "how much lower “far lower” is, and the latencies of the approaches other than "
        "e-cube, which are cited without a definition",
        (
            Tried("lower than with e-cube, by any amount"),
            Tried("lower than with e-cube by a quarter, at every load", part=0.75),
        ),
    ),
)
def sec6_latency(communication: str, curve: str, load: float, *, part: float = 1.0) -> Finding:
    ours, plain = (latency(communication, each, load) for each in (curve, ECUBE))
    return Finding(ours < part * plain, mapped=ours, ecube=plain)


@claim(
    "hou.sec6.latency.adaptive",
    place="Section 6.1, on Figs. 5 to 7",
    says="at loads that e-cube sustains the latencies with MIXab3, MIXbb3, Chiu's routing and Min "
    "are lower than with e-cube",
    printed="Their message latencies are also lower for any given sustainable throughput.",
    over=Listed(
        8,
        [(name, load) for name in THREE for load in _LOADS],
        names="communication, load",
        text=f"three communications, loads {', '.join(map(str, _LOADS))}",
        size=9,
    ),
    evidence="worms simulated flit by flit",
    control=Control("by half", part=0.5),
    undecided=Undecided(
        "the rules of these routing functions, which are cited without a definition",
        (
            *(
                Tried(f"a rule that gives column {name} of Table 1", rule=RULES[name])
                for name in RULES
            ),
            Tried("Min with the rule that [14] is known for", rule=MIN),
        ),
    ),
)
def sec6_latency_adaptive(
    communication: str, load: float, *, rule: str, part: float = 1.0
) -> Finding:
    theirs, plain = (latency(communication, each, load) for each in (rule, ECUBE))
    return Finding(theirs < part * plain, adaptive=theirs, ecube=plain)


_NATURAL = tuple(range(8))
_DEGREES = (
    (TRANSPOSE, _NATURAL, 8),
    (BIT_REVERSE, _NATURAL, 8),
    (REVERSE_FLIP, _NATURAL, 8),
    *((TRANSPOSE, order, 2) for order, _ in PAIRED),
    (TRANSPOSE, (0, 4, 2, 6, 1, 5, 3, 7), 1),
)


@claim(
    "hou.sec6.inverse",
    place="Section 6.1, on Figs. 5 to 7",
    says="the throughput that is sustained is approximately inversely proportional to the degree "
    "of contention",
    printed="the maximum throughput that can be achieved is approximately inversely proportional "
    "to the degree of channel contention",
    latex=r"\lambda \approx c / T",
    over=Listed(
        8,
        _DEGREES,
        names="communication, order, degree",
        text="e-cube on the three communications, four best orders for them together, that of "
        "Example 4",
        size=len(_DEGREES),
    ),
    evidence="worms simulated flit by flit for 200,000 cycles, the load bisected to 0.008",
    control=Control("between 7/10 and the whole of 20/21 of it", least=0.7),
    undecided=Undecided(
        "how near “approximately” is. Orders of equal degree sustain 0.30 to 0.47, so the shares "
        "differ by half",
        (
            Tried("between half and the whole of 20/21 over the degree, which a channel carries"),
            Tried("between 4/5 and the whole of 20/21 over the degree", least=0.8),
        ),
    ),
)
def sec6_inverse(
    communication: str,
    order: tuple[int, ...],
    degree: int,
    *,
    least: float = 0.5,
    most: float = 1.02,
) -> Finding:
    bound = CAPACITY / degree
    found = sustained(communication, MG, 0.4 * bound, 1.02 * bound, order, 0.008 / degree)
    return Finding(least <= found / bound <= most, sustained=found, share=round(found / bound, 3))
