"""[hou], Figs. 5 to 7: throughput on an 8-cube.

The figures are not printed as numbers; what the text says of them is checked on worms of 20 flits,
simulated by `hou_worms`, which come at exponential intervals. A load is sustained if the messages
that wait at their sources do not become more by more than chance in the second half of a run
(`hou_worms.grows`). The highest such load is bisected. Nothing is shared with the library,
whose numbers, those of docs/hou_section6.md, come from another engine and five times as many
arrivals.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, Reading, Tried, Undecided, claim
from proofs_check.claims.hou_examples import THREE, degrees, values
from proofs_check.claims.hou_images import BIT_REVERSE, REVERSE_FLIP, TRANSPOSE, destinations
from proofs_check.claims.hou_turns import RULES
from proofs_check.claims.hou_worms import (
    ECUBE,
    MIN,
    PCUBE,
    PENDING,
    Sent,
    exponential,
    grows,
    run,
    waiting_at,
)
from proofs_check.domain import Listed
from proofs_check.orders import all_orders

FLITS, SEED = 20, 1
SHORT, LONG = 24_000, 200_000
"""Cycles to tell loads that lie far apart, and to find the highest that is sustained: the queues
near it take long to settle, so the first half of a run is not measured."""
CAPACITY = FLITS / (FLITS + 1)
"""Of a channel that always has a message: it is granted again one cycle after the tail left."""

MS, MG = "M-S", "M-G"
FIGURES = {TRANSPOSE: 5, BIT_REVERSE: 6, REVERSE_FLIP: 7}


class Measured(NamedTuple):
    """What came of a load: flits delivered per cycle and sender, and how many more wait."""

    throughput: float
    growth: int
    sustained: bool


@lru_cache(maxsize=8)
def orders(name: str, curve: str) -> Ints:
    """The orders of a curve: all contention-free ones, or all best for the three together."""
    if curve == MS:
        best = degrees((name,))[:, 0] == 1
    else:
        value = values(THREE, "sum-sum")
        best = value == value.min()
    return np.asarray(all_orders(8)[best])


def images(order: Ints) -> Ints:
    """Where an order places every node.

    >>> images(np.array([1, 0]))[:4].tolist()
    [0, 2, 1, 3]
    """
    x = np.arange(1 << len(order))
    return np.asarray(sum((x >> bit & 1) << k for k, bit in enumerate(order.tolist())))


def simulated(
    name: str, curve: str, load: float, cycles: int, order: tuple[int, ...] = ()
) -> tuple[Sent, Ints, Ints]:
    """What is sent, when it is injected and delivered; M-S and M-G by their first order if none."""
    mapped = curve in (MS, MG)
    chosen = np.array(order) if order else orders(name, curve)[0] if mapped else np.arange(8)
    goes = np.array(destinations(name))
    sent = exponential(goes, load, FLITS, cycles, SEED, place=images(chosen))
    return sent, *run(sent, FLITS, ECUBE if mapped else curve, last_cycle=cycles)


@lru_cache(maxsize=256)
def measured(
    name: str, curve: str, load: float, order: tuple[int, ...] = (), cycles: int = SHORT
) -> Measured:
    """Simulate a curve at a load."""
    sent, injected, delivered = simulated(name, curve, load, cycles, order)
    senders = sum(x != y for x, y in enumerate(destinations(name)))
    half = cycles // 2
    out = delivered[delivered < PENDING]
    throughput = (out > half).sum() * FLITS / (cycles - half) / senders
    waiting = waiting_at(half, cycles, sent.ready, injected)
    growth = int(waiting[-1] - waiting[0])
    return Measured(round(float(throughput), 4), growth, not grows(waiting))


@lru_cache(maxsize=32)
def sustained(
    name: str,
    curve: str,
    low: float,
    high: float,
    order: tuple[int, ...] = (),
    tolerance: float = 0.002,
) -> float:
    """The throughput at the highest load that is sustained, between two loads far apart."""

    while high - low > tolerance:
        load = (low + high) / 2
        low, high = (
            (load, high) if measured(name, curve, load, order, LONG).sustained else (low, load)
        )
    return measured(name, curve, low, order, LONG).throughput


# -- Figs. 5 to 7 -----------------------------------------------------------------------------

OVERLOADS = (0.125, 0.25, 1.0)


_SUSTAINED = Reading(
    "the sustained throughput is meant. Beyond it, the nodes whose messages meet few others "
    "deliver more, up to a quarter of the capacity",
    sustained=True,
)


def _figure(name: str) -> None:
    """Declare what the text says of e-cube, M-S and (but for matrix-transpose) M-G."""
    mapped = (MS,) if name == TRANSPOSE else (MS, MG)

    def check(curve: str, *, least: float = 0.9, sustained: bool = False) -> Finding:
        if curve != ECUBE:
            most = measured(name, curve, 1.0).throughput
            return Finding(
                least <= most < 1, throughput_at_load_1=most, capacity=round(CAPACITY, 4)
            )
        if sustained:
            at_bound = measured(name, ECUBE, 1 / 8)
            return Finding(not at_bound.sustained, more_wait=at_bound.growth)
        found = {load: measured(name, ECUBE, load).throughput for load in OVERLOADS}
        return Finding(max(found.values()) < 1 / 8, throughput_at_loads=found)

    claim(
        f"hou.fig{FIGURES[name]}",
        place=f"Section 6.1, Fig. {FIGURES[name]}",
        says=f"{name} with e-cube routing is always below 0.125 flits per cycle and processor; "
        f"after the mapping {' and '.join(mapped)} the throughput approaches 1",
        latex=r"\lambda < 1/8,\qquad \lambda' \to 1",
        printed="for any of these three communications, the network throughput of the e-cube "
        "routing is always less than 0.125",
        over=Listed(
            8,
            [ECUBE, *mapped],
            names="curve",
            text=f"curves of Fig. {FIGURES[name]}",
            size=1 + len(mapped),
        ),
        evidence="worms simulated flit by flit; with e-cube up to load 1",
        control=Control("after the mapping all of 20/21, what a channel can carry", least=CAPACITY),
        reading=None if FIGURES[name] == 5 else _SUSTAINED,  # Fig. 5 holds as it is printed
    )(check)


for _name in FIGURES:
    _figure(_name)

EXAMPLE_6 = (3, 4, 0, 7, 2, 5, 1, 6)
"""The order that [hou, Example 6] prints as the choice of its dynamic program."""

PAIRED = (
    (EXAMPLE_6, 0.466),
    ((0, 7, 3, 4, 1, 6, 5, 2), 0.40),
    ((0, 7, 4, 3, 1, 6, 2, 5), 0.33),
    ((0, 7, 4, 3, 1, 6, 5, 2), 0.297),
)
"""An order for each way in which the 128 best orders pair the bits, and what it sustains: the pairs
nest in both halves of the address, cross in the upper one, in the lower one, in both."""


def exchanged(order: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """The bits that matrix-transpose exchanges after a reordering: x_k with x_(k+4) before it.

    >>> exchanged(EXAMPLE_6)
    ((0, 3), (1, 2), (4, 7), (5, 6))
    """
    return tuple(
        sorted(
            (min(a, b), max(a, b))
            for a, b in ((order.index(k), order.index(k + 4)) for k in range(4))
        )
    )


@cache
def shares() -> Counter[tuple[tuple[int, int], ...]]:
    """How many of the 128 orders exchange which bits."""
    best = orders(TRANSPOSE, MG)
    return Counter(exchanged(tuple(order)) for order in best.tolist())


def _pair(place: str) -> Tried:
    order, sustains = PAIRED[_PLACES.index(place)]
    return Tried(f"{place}: {order} sustains {sustains:.2f}", order=order)


_PLACES = (
    "they nest in both halves, as in Example 6",
    "they cross in the upper half",
    "they cross in the lower half",
    "the exchanged bits cross in both halves of the address",
)


@claim(
    "hou.fig5.mg",
    place="Section 6.1, on Fig. 5",
    says="M-G sustains a throughput of about 0.3 for matrix-transpose: a load of 0.25 and none of "
    "0.35",
    printed="As shown in Fig. 5, its value is about 0.3 instead of 0.5 for M-G.",
    latex=r"\lambda \approx 0.3",
    over=Listed(
        8,
        [("at least", 0.25), ("at most", 0.35)],
        names="is, throughput",
        text="about 0.3, from both sides",
        size=2,
    ),
    evidence="worms simulated flit by flit for 200,000 cycles, the load bisected to 0.008",
    control=Control("about 0.2", higher=-0.1),
    undecided=Undecided(
        "the order M-G. For the sums 128 orders are optimal, 32 for each way in which the "
        "transpose's exchanged bits nest or cross. Their degrees are equal and their "
        "throughputs are not",
        tuple(map(_pair, reversed(_PLACES))),
    ),
)
def fig5_mg(is_: str, throughput: float, *, order: tuple[int, ...], higher: float = 0.0) -> Finding:
    found = sustained(TRANSPOSE, MG, 0.25, 0.5, order, 0.008)
    limit = throughput + higher
    ok = found >= limit if is_ == "at least" else found <= limit
    return Finding(ok, sustained=found)


@claim(
    "hou.fig5.orders",
    place="beside section 6.1, on Fig. 5",
    says="equal degrees do not make equal throughputs: with the order printed in Example 6, where "
    "the exchanged pairs of bits nest, matrix-transpose sustains 0.46 to 0.47; 0.40 where they "
    "cross in the upper half of the address, 0.33 in the lower one, and 0.30 where they cross in "
    "both",
    over=Listed(
        8,
        PAIRED,
        names="order, sustains",
        text="the order printed in Example 6, and one for each way in which the 128 best orders "
        "exchange bits",
        size=4,
    ),
    evidence="worms simulated flit by flit for 200,000 cycles, the load bisected to 0.008; all 128 "
    "orders make the transpose one of these four communications, 32 each",
    control=Control("0.33 where they cross in both halves", swapped=0.33),
)
def fig5_orders(order: tuple[int, ...], sustains: float, *, swapped: float = 0.0) -> Finding:
    found = sustained(TRANSPOSE, MG, 0.25, 0.5, order, 0.008)
    expected = swapped if swapped and order == PAIRED[-1][0] else sustains
    ok = abs(found - expected) <= 0.02 and shares()[exchanged(order)] == 32
    return Finding(ok, sustained=found, exchanged=exchanged(order))


SUSTAINED = {TRANSPOSE: (0.093, 0.099), BIT_REVERSE: (0.118, 0.120), REVERSE_FLIP: (0.119, 0.120)}
"""What e-cube and Min sustain, as in docs/hou_section6.md."""

_GAIN = (
    "The maximum sustainable network throughput of these routing strategies is about 30% to 100% "
    "higher than that of the e-cube routing."
)
_SIMULATED = "worms simulated flit by flit for 200,000 cycles, the load bisected to 0.002"


@claim(
    "hou.sec6.gain",
    place="Section 6.1, on Fig. 6",
    says="for bit-reverse the routing of Chiu et al. [7] and that of Li [14] sustain 30 % to 100 % "
    "more than e-cube",
    printed=_GAIN,
    latex=r"1.3 \le \lambda / \lambda_{e} \le 2",
    over=Listed(
        8, ["Chiu [7]", "Min [14]"], names="routing", text="the two of section 2.3", size=2
    ),
    evidence=f"e-cube: {_SIMULATED}. The other throughput is less than 1/8: “when the adaptive "
    "routing strategies in [7] or [14] is used, the throughput of performing bit-reverse on an "
    "8-dimensional hypercube is always less than 1/8” (section 2.3), whatever their rules are; "
    "checked is whether 1/8 leaves room for 30 %",
    control=Control("twice to three times as high", least=2.0),
    undecided=Undecided(
        "the throughput that e-cube sustains for bit-reverse in Fig. 6, which is lost. 30 % "
        "more is below 1/8 if it is at most 0.096",
        (
            Tried(
                "the simulated throughput of e-cube for matrix-transpose, 0.093", plain=TRANSPOSE
            ),
            Tried("the simulated throughput of e-cube for bit-reverse, 0.118: at most 6 % more"),
        ),
    ),
)
def sec6_gain(routing: str, *, plain: str = BIT_REVERSE, least: float = 1.3) -> Finding:
    ecube = sustained(plain, ECUBE, 0.0625, 0.14)
    ratio = 0.125 / ecube
    return Finding(least <= ratio, ecube=ecube, at_most=round(ratio, 3))


@claim(
    "hou.sec6.gain.others",
    place="Section 6.1, on Figs. 5 and 7",
    says=(
        "for matrix-transpose and reverse-flip the routing of Chiu, of Li (Min), and MIXab3 "
        "and MIXbb3 sustain 25 % to 105 % more than e-cube"
    ),
    printed=_GAIN,
    latex=r"1.3 \le \lambda / \lambda_{e} \le 2",
    over=Listed(
        8,
        [TRANSPOSE, REVERSE_FLIP],
        names="communication",
        text="matrix-transpose and reverse-flip",
        size=2,
    ),
    evidence=_SIMULATED,
    control=Control("twice to three times as high", least=1.95, most=3.05),
    undecided=Undecided(
        "the rules of these four routing functions, which are cited without a definition",
        (
            Tried("a rule that gives column min of Table 1", rule=RULES["min"]),
            Tried("a rule that gives column mixab3", rule=RULES["mixab3"]),
            Tried("a rule that gives column mixbb3", rule=RULES["mixbb3"]),
            Tried("a rule that gives column chiu", rule=RULES["chiu"]),
            Tried(
                "Min with the rule that [14] is known for, no turn into a lower dimension whose "
                "bit is cleared",
                rule=MIN,
            ),
        ),
    ),
)
def sec6_gain_others(
    communication: str, *, rule: str, least: float = 1.25, most: float = 2.05
) -> Finding:
    plain = sustained(communication, ECUBE, 0.0625, 0.14)
    adaptive = sustained(communication, rule, 0.0625, 0.3)
    return Finding(least <= adaptive / plain <= most, ecube=plain, adaptive=adaptive)


@claim(
    "hou.sec6.gain.li",
    place="beside section 6.1, on Figs. 5 to 7",
    says="with Li's rule, no turn into a lower dimension whose bit is cleared, as Min, e-cube "
    "sustains 0.093 for matrix-transpose, 0.118 for bit-reverse and 0.119 for reverse-flip, Min "
    "0.099, 0.120 and 0.120, all within 0.004: 1 to 7 % more. With Min as with e-cube 8 messages "
    "must use one channel, which lets no sender of these have more than 20/21 of 1/8",
    over=Listed(8, list(THREE), names="communication", text="the three communications", size=3),
    evidence=_SIMULATED,
    control=Control("Min sustains 0.125 for reverse-flip", wrong=0.125),
)
def sec6_gain_li(communication: str, *, wrong: float = 0.0) -> Finding:
    found = [sustained(communication, curve, 0.0625, 0.14) for curve in (ECUBE, MIN)]
    expected = list(SUSTAINED[communication])
    if wrong and communication == REVERSE_FLIP:
        expected[1] = wrong
    ok = all(abs(a - b) <= 0.004 for a, b in zip(found, expected, strict=True))
    return Finding(ok, ecube=found[0], min=found[1])


_RIVALS = tuple(RULES[name] for name in ("chiu", "mixab3", "mixbb3", "min"))
_LOADS = (0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16)


@claim(
    "hou.sec6.pcube",
    place="Section 6.1, on Figs. 5 to 7",
    says=(
        "P-cube sustains more than e-cube for reverse-flip. For bit-reverse every other "
        "routing sustains each load that P-cube sustains, and more"
    ),
    printed="It performs well for reverse-flip but worst for bit-reverse.",
    over=Listed(
        8,
        [*((REVERSE_FLIP, load) for load in _LOADS), *((BIT_REVERSE, load) for load in _LOADS)],
        names="communication, load",
        text=f"loads from {_LOADS[0]} to {_LOADS[-1]} of reverse-flip and bit-reverse",
        size=2 * len(_LOADS),
    ),
    evidence="worms simulated flit by flit at loads that some sustain and others do not",
    control=Control("better than the others for bit-reverse", worst=False),
    undecided=Undecided(
        "the rules of the other four adaptive routing functions, which are cited without a "
        "definition, as P-cube is",
        (
            Tried("against e-cube and the rule that Li's paper is known for", rivals=(MIN,)),
            Tried("against e-cube and rules that give the columns of Table 1", rivals=_RIVALS),
        ),
    ),
)
def sec6_pcube(
    communication: str, load: float, *, rivals: tuple[str, ...], worst: bool = True
) -> Finding:
    others = (ECUBE, *rivals) if communication == BIT_REVERSE else (ECUBE,)
    own = measured(communication, PCUBE, load).sustained
    theirs = [measured(communication, rule, load).sustained for rule in others]
    better = communication == REVERSE_FLIP or not worst
    ok = own or not any(theirs) if better else all(theirs) or not own
    return Finding(ok, pcube=own, others=dict(zip(others, theirs, strict=True)))
