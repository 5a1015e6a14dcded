"""Packets that do not come out even, and what copying costs: [calmant], footnote 1, section 5.2."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from proofs_check.cases import numbers
from proofs_check.claim import Control, Finding, Reading, Sizes, Tried, Undecided, claim
from proofs_check.domain import Enumerated

_RATIO = 100
"""The least α/τ of section 5.2."""


@claim(
    "calmant.footnote1",
    place="Section 2.4, footnote 1",
    says="where N is not a multiple of Q, the time of a message in the models, α + τN/Q, is wrong "
    "by a negligible share",
    printed="the analytical models developed in this paper introduce a negligible error when they "
    "are used for arbitrary values of N and Q",
    latex=r"\frac{\alpha + \tau \lceil N/Q \rceil}{\alpha + \tau N/Q} - 1",
    over=numbers(lambda n: n, "all Q <= N; N = n", "N, Q", first=1),
    evidence="exact arithmetic: the longest packet has ⌈N/Q⌉ data",
    control=Control("less than 0.9 percent", percent="0.9"),
    reading=Reading(
        "negligible is less than 1 percent, for α/τ >= 100 as in section 5.2; with α = 0 it may be "
        "nearly the whole again",
        alpha=_RATIO,
    ),
    sizes=Sizes(most=120),
)
def footnote(N: int, Q: int, *, alpha: int = 0, percent: str = "1") -> Finding:
    """[calmant, footnote 1] the packets differ by less than one datum."""
    error = (alpha + -(-N // Q)) / (alpha + Fraction(N, Q)) - 1
    return Finding(100 * error < Fraction(percent), percent=round(float(100 * error), 3))


@claim(
    "calmant.copying",
    place="Section 5.2",
    says="in complete exchange copying into buffers costs nothing, if a packet is not smaller than "
    "a block",
    printed="the cost of copying blocks of data into buffers is null if L/Q ≥ B",
    over=Enumerated(
        lambda n: ((n, i, k) for i in range(n) for k in range(n)),
        size=lambda n: n * n,
        names="d, i, lg Q",
        text="all iterations i, Q = 1, 2, 4, ..., 2^(d-1) packets of whole blocks",
    ),
    evidence="the positions in M of the blocks of every packet: those with bit i, descending",
    control=Control("a packet has half a block", halves=True),
    undecided=Undecided(
        "what copying costs, of which the text has no model, and what L is there, where section "
        "3.3 has L = N/Q for the length of a packet",
        (
            Tried("no block is cut: every packet has whole blocks"),
            Tried("the blocks of a packet lie side by side in M, in their order", beside=True),
        ),
    ),
    sizes=Sizes(most=8),
)
def copying(d: int, i: int, lg_Q: int, *, beside: bool = False, halves: bool = False) -> Finding:
    """[calmant, section 5.2] the packets of one message."""
    sent = [j for j in reversed(range(1 << d)) if j >> i & 1]
    length, rest = divmod(len(sent), 1 << lg_Q)
    if not beside:
        return Finding(rest == 0 and length >= 1 and not (halves and length == 1), blocks=length)
    packet = sent[:length]
    steps = {a - b for a, b in pairwise(packet)}
    return Finding(steps <= {1}, positions_of_the_first_packet=packet)
