"""Complete exchange and the FFT as pipelined CC-cube algorithms: [calmant], sections 2.4, 5.1, 5.2.

Both are run here on labelled data: in iteration t a process takes packet t - j of every vector x_j
from what it holds at that moment, and then all packets are exchanged. What has not arrived is not
there, so a schedule that reads too early gives a wrong result.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from proofs_check.arrays import Ints
from proofs_check.cases import every, numbers
from proofs_check.claim import Control, Finding, Reading, Sizes, Stated, Tried, Undecided, claim
from proofs_check.claims.calmant_pipeline import item_packets, pipelined
from proofs_check.domain import Enumerated, Listed

# -- packets that do not come out even, and what copying costs ---------------------------------


_RATIO = 100
"""The least α/τ of section 5.2."""

_SUPREMUM = Fraction(1, _RATIO + 1)
"""⌈N/Q⌉ - N/Q is below 1, and 0 unless N/Q > 1: the error is below τ/(α + τ)."""


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
    control=Control("less than 1/103", bound=Fraction(1, 103)),
    reading=Reading(
        "for α/τ >= 100, as in section 5.2. The share is below τ/(α + τ) = 1/101, approached "
        "with N = Q + 1. With α = 0 it approaches 1",
        alpha=_RATIO,
    ),
    sizes=Sizes(most=120),
)
def footnote(N: int, Q: int, *, alpha: int = 0, bound: Fraction = _SUPREMUM) -> Finding:
    """[calmant, footnote 1] the packets differ by less than one datum."""
    error = (alpha + -(-N // Q)) / (alpha + Fraction(N, Q)) - 1
    return Finding(error < bound, percent=round(float(100 * error), 3))


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
        "the cost of copying, of which the text has no model, and the meaning of L, which is "
        "N/Q in section 3.3",
        (
            Tried("no block is cut: every packet has whole blocks"),
            Tried("the blocks of a packet are adjacent in M, in their order", beside=True),
        ),
    ),
    sizes=Sizes(most=8),
)
def copying(d: int, i: int, lg_Q: int, *, beside: bool = False, halves: bool = False) -> Finding:
    sent = [j for j in reversed(range(1 << d)) if j >> i & 1]
    length, rest = divmod(len(sent), 1 << lg_Q)
    if not beside:
        return Finding(rest == 0 and length >= 1 and not (halves and length == 1), blocks=length)
    packet = sent[:length]
    steps = {a - b for a, b in pairwise(packet)}
    return Finding(steps <= {1}, positions_of_the_first_packet=packet)


# -- complete exchange -------------------------------------------------------------------------


STATED = Stated(place="Section 5.1")


def initial(d: int, B: int, permute: bool = True) -> Ints:
    """M[n, j, b] of section 5.1 before the first exchange: an item is named by its block and b.

    Block (n, y) is at M[n xor y]; its item b has the number ((n 2^d) + y) B + b.

    >>> initial(1, 1)[:, :, 0].tolist()
    [[0, 1], [3, 2]]
    """
    n, j = np.arange(1 << d)[:, None], np.arange(1 << d)[None]
    block = (n << d) + (n ^ j if permute else j)
    return block[:, :, None] * B + np.arange(B)


def vector(d: int, i: int, B: int, natural: bool) -> Ints:
    """Where the items of x_i are in M (flat): positions with bit i set, in reverse order.

    >>> vector(3, 0, 1, natural=False).tolist()
    [7, 5, 3, 1]
    """
    chosen = [j for j in range(1 << d) if j >> i & 1]
    blocks = np.array(chosen if natural else chosen[::-1])
    return (blocks[:, None] * B + np.arange(B)).ravel()


def exchanged(d: int, B: int, Q: int, natural: bool = False, permute: bool = True) -> Ints:
    """M after all iterations, each node's items in the order of their sources."""
    held = initial(d, B, permute).reshape(1 << d, -1)
    places = [vector(d, i, B, natural) for i in range(d)]
    packet, n = item_packets(B << d - 1, Q), np.arange(1 << d)
    for iteration in pipelined(d, Q):
        chosen = [(i, places[i][packet == p]) for i, p in iteration]
        sent = [held[:, where] for _, where in chosen]
        for (i, where), data in zip(chosen, sent, strict=True):
            held[:, where] = data[n ^ 1 << i]
    if not permute:
        return held
    blocks = held.reshape(1 << d, 1 << d, B)
    final: Ints = blocks[n[:, None], n[:, None] ^ n[None]].reshape(1 << d, -1)
    return final


def delivers(d: int, B: int, Q: int, natural: bool = False, permute: bool = True) -> bool:
    """Whether node y ends with block (n, y) at place n, for all n, every item of it."""
    n, y = np.arange(1 << d)[None], np.arange(1 << d)[:, None]
    wanted = (((n << d) + y)[:, :, None] * B + np.arange(B)).reshape(1 << d, -1)
    return bool((exchanged(d, B, Q, natural, permute) == wanted).all())


@claim(
    "calmant.exchange.transpose",
    says="with the permutation before and after, the CC-cube algorithm brings block (n, j) from "
    "node n to M[n] of node j, for all n and j",
    latex=r"M_j[n] = (n, j)",
    over=every(
        "2^d nodes, blocks of a message in reverse and in natural order",
        n="d",
        natural=(False, True),
    ),
    evidence="labelled blocks moved",
    control=Control("without the permutations", permute=False),
    sizes=Sizes(most=6, limit=9),
)
def transpose(d: int, natural: bool, *, permute: bool = True) -> Finding:
    return Finding(delivers(d, 1, 1, natural, permute))


@claim(
    "calmant.exchange.example",
    says="for d = 3 M[3] of node 1 holds block (1,2), and x_0 of node 0 holds the blocks 07, 05, "
    "03, 01 in this order",
    over=Listed(3, [(3, 1)], names="d, B", text="the example of Fig. 8", size=1),
    evidence="labelled blocks",
    control=Control("in natural order", natural=True),
)
def example(d: int, B: int, *, natural: bool = False) -> Finding:
    first = initial(d, B)[:, :, 0]
    sent = [divmod(int(block), 8) for block in first[0, vector(d, 0, B, natural)]]
    there = divmod(int(first[1, 3]), 8)
    return Finding(there == (1, 2) and sent == [(0, 7), (0, 5), (0, 3), (0, 1)], sent=sent)


# -- the condition of section 2.4 --------------------------------------------------------------


def _readers(d: int, B: int, natural: bool) -> Iterator[tuple[int, int, int, int]]:
    """(i, j, k, place): item j of x_i arrived as item `place` of x_k; both from 1."""
    came: dict[int, tuple[int, int]] = {}
    for i in range(d):
        where = vector(d, i, B, natural).tolist()
        for j, at in enumerate(where, 1):
            if at in came:
                yield (i, j, *came[at])
        came.update({at: (i, j) for j, at in enumerate(where, 1)})


_SIZES = every("2^d nodes, blocks of B = 1, 2, 3 items", n="d", B=(1, 2, 3))


@claim(
    "calmant.exchange.condition",
    place="Section 5.1, with the condition of section 2.4",
    says="with blocks in reverse order complete exchange meets the condition: x_i[j] is a function "
    "of x_(i-1)[1:j], x_(i-2)[1:j+1], ..., x_1[1:j+i-2] and local data",
    latex=r"x_i[j] = f(x_{i-1}[1{:}j],\ x_{i-2}[1{:}j{+}1],\ \dots,\ x_1[1{:}j{+}i{-}2])",
    over=_SIZES,
    evidence="every item of every message traced to the message that brought it",
    control=Control("blocks in natural order", natural=True),
    reading=Reading("the list goes on to x_0[1:j+i-1], which the pipeline provides", last=0),
    sizes=Sizes(most=6, limit=10),
)
def meets_condition(d: int, B: int, *, last: int = 1, natural: bool = False) -> Finding:
    for i, j, k, place in _readers(d, B, natural):
        if (k < last and k != i - 1) or place > j + i - 1 - k:
            return Finding(False, i=i, j=j, k=k, item=place, allowed=j + i - 1 - k)
    return Finding(True)


def _block_sizes(n: int) -> tuple[int, ...]:
    return (1, 2, 3) if n <= 4 else (1,)


_EVERY_Q = Enumerated(
    lambda n: ((n, B, Q) for B in _block_sizes(n) for Q in range(1, (B << n - 1) + 1)),
    size=lambda n: sum(_block_sizes(n)) << n - 1,
    names="d, B, Q",
    text="2^d nodes, blocks of B = 1, 2, 3 items (d > 4: 1), every Q <= N = 2^(d-1) B",
)


@claim(
    "calmant.exchange.every-Q",
    says="with blocks in reverse order the requirements are satisfied for all cases: complete "
    "exchange pipelined with any Q delivers every block",
    latex=r"\forall Q \le N:\ M_j[n] = (n, j)",
    over=_EVERY_Q,
    evidence="labelled items moved packet by packet",
    control=Control("blocks in natural order", natural=True),
    sizes=Sizes(most=6, limit=8),
)
def every_Q(d: int, B: int, Q: int, *, natural: bool = False) -> Finding:
    return Finding(delivers(d, B, Q, natural))


@claim(
    "calmant.exchange.natural",
    says="the order of the blocks is changed in order to meet the requirements of pipelining",
    latex=r"d \ge 4 \vee (d = 3 \wedge B > 1);\ Q \ge 5",
    over=_SIZES.described(f"{_SIZES.text}, d >= 3 as in the example"),
    evidence="labelled items moved packet by packet, all Q",
    control=Control("Q = 5 does not need it either", most=5),
    reading=(
        "needed where the natural order fails for some Q <= N = 2^(d-1) B. This is so from d "
        "= 4 on, and for d = 3 if packets may cut blocks (B > 1). Q <= 4 never needs it"
    ),
    sizes=Sizes(least=3, most=5, limit=6),
)
def natural_order(d: int, B: int, *, most: int = 4) -> Finding:
    wrong = [Q for Q in range(1, (B << d - 1) + 1) if not delivers(d, B, Q, natural=True)]
    needed = d >= 4 or B > 1
    return Finding(bool(wrong) == needed and all(Q > most for Q in wrong), wrong=wrong)


# -- FFT ---------------------------------------------------------------------------------------


def fourier(data: npt.NDArray[Any], Q: int, gap: int = 1) -> npt.NDArray[np.complex128]:
    """N transforms of length 2^d at once, item r of process n being a[rev(n), r]; pipelined.

    Packet p of x_j is computed in iteration p + gap j from x_(j-1) of process n and of
    n xor 2^(j-1); what has not arrived is nan.
    """
    size, N = data.shape
    d, n, packet = size.bit_length() - 1, np.arange(size), item_packets(N, Q)
    mirrored = sum((n >> i & 1) << d - 1 - i for i in range(d))
    own: npt.NDArray[np.complex128]
    own, received = np.full((2, d + 1, size, N), np.nan, np.complex128)
    own[0] = data[mirrored]
    for t in range(d * gap + Q):
        here = [(j, packet == t - gap * j) for j in range(d + 1) if 0 <= t - gap * j < Q]
        for j, items in here:
            if j:
                own[j][:, items] = _butterfly(own[j - 1], received[j - 1], j - 1)[:, items]
        for j, items in here:
            if j < d:
                received[j][:, items] = own[j][n ^ 1 << j][:, items]
    result: npt.NDArray[np.complex128] = own[d]
    return result


def _butterfly(own: npt.NDArray[Any], other: npt.NDArray[Any], i: int) -> npt.NDArray[Any]:
    """x_(i+1) from x_i: u + w v where bit i is 0, u - w v where it is 1."""
    n = np.arange(len(own))
    w = np.exp(-2j * np.pi * (n % (1 << i)) / (2 << i))[:, None]
    upper = (n >> i & 1).astype(bool)[:, None]
    result: npt.NDArray[Any] = np.where(upper, other - w * own, own + w * other)
    return result


@claim(
    "calmant.fft",
    place="Sections 2.2 and 2.4",
    says="the fast Fourier transform is a CC-cube algorithm that meets the condition of "
    "pipelining, for every Q <= N",
    latex=r"x_i[j] = f(x_{i-1}[j], \text{local data})",
    over=Enumerated(
        lambda n: ((n, N, Q) for N in range(1, 7) for Q in range(1, N + 1)),
        size=lambda n: 21,
        names="d, N, Q",
        text="2^d processes, all Q <= N <= 6",
    ),
    evidence="packets moved, what has not arrived is nan; the result against numpy.fft",
    control=Control("a packet of x_i in the iteration of the same packet of x_(i-1)", gap=0),
    sizes=Sizes(most=5, limit=8),
)
def fft(d: int, N: int, Q: int, *, gap: int = 1) -> Finding:
    r = np.arange(N << d).reshape(1 << d, N)
    data = np.cos(r * r) + 1j * np.sin(3 * r)
    result = fourier(data, Q, gap)
    same = np.allclose(result, np.fft.fft(data, axis=0), rtol=0, atol=1e-9)
    return Finding(same, read_too_early=int(np.isnan(result).sum()))
