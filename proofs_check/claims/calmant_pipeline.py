"""Communication pipelining: [calmant], section 2.4, and the sums of sections 3.3 and 4.3."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from lccmodel.pipelining.transformation import PacketPlan
from proofs_check.cases import numbers
from proofs_check.claim import Control, Finding, Sizes, claim

Task = tuple[int, int]

MAX_Q = 39
DEGREES = numbers(lambda n: MAX_Q, "all d = n and Q < 40", "d, Q", first=1)


def pipelined(d: int, Q: int) -> list[list[Task]]:
    """What happens: (dimension, packet) of every iteration.

    A packet of x_j is sent as soon as the same packet of x_(j-1) was sent before.

    >>> pipelined(2, 2)
    [[(0, 0)], [(0, 1), (1, 0)], [(1, 1)]]
    """
    sent, done = [0] * d, []
    while sent[-1] < Q:
        now = [j for j in range(d) if sent[j] < Q and (j == 0 or sent[j] < sent[j - 1])]
        done.append([(j, sent[j]) for j in now])
        for j in now:
            sent[j] += 1
    return done


def printed_dimensions(d: int, Q: int, kernel_shift: int = 0) -> list[range]:
    """The dimensions of every iteration as section 2.4 prints them; k counts from 1.

    >>> printed_dimensions(3, 2)
    [range(0, 1), range(0, 2), range(1, 3), range(2, 3)]
    """
    ramp = range(1, min(d, Q))
    kernel = range(1 + kernel_shift, abs(d - Q) + 2 + kernel_shift)
    prologue = [range(k) for k in ramp]
    if Q < d:
        middle = [range(k - 1, Q + k - 1) for k in kernel]
        return prologue + middle + [range(d - Q + k, d) for k in ramp]
    return prologue + [range(d) for _ in kernel] + [range(k, d) for k in ramp]


@claim(
    "calmant.pipeline",
    place="Section 2.4",
    says="prologue, kernel and epilogue have Q-1, d-Q+1, Q-1 iterations if Q < d, else d-1, Q-d+1, "
    "d-1, and use the dimensions printed; every packet is sent once through every dimension, in "
    "order",
    latex=r"\text{packet } p \text{ of } x_j \text{ in iteration } j + p",
    over=DEGREES,
    evidence="every packet sent as soon as it may be, one of a dimension in an iteration; the "
    "library's plan too",
    control=Control("the kernel one dimension higher", kernel_shift=1),
    sizes=Sizes(most=12, limit=40),
)
def phases(d: int, Q: int, *, kernel_shift: int = 0) -> Finding:
    found = pipelined(d, Q)
    printed = [list(each) for each in printed_dimensions(d, Q, kernel_shift)]
    same = [[j for j, _ in each] for each in found] == printed
    sent = Counter(pair for each in found for pair in each)
    once = sent == Counter((j, p) for j in range(d) for p in range(Q))
    plan = [list(each.packets) for each in PacketPlan(d, Q).iterations]
    return Finding(same and once and plan == found, found=[len(each) for each in found])


def summed_tasks(d: int, Q: int, deep: bool) -> list[Task]:
    """The tasks ⟨i,M⟩ whose times section 3.3 (and 4.3) adds, with k as printed.

    >>> summed_tasks(3, 2, False), summed_tasks(2, 3, True)
    ([(0, 1), (0, 2), (1, 2), (2, 1)], [(0, 1), (0, 2), (0, 2), (1, 1)])
    """
    if deep:
        begin = [(0, k + 1) for k in range(d - 1)]
        return begin + [(0, d)] * (Q - d + 1) + [(k + 1, d - k - 1) for k in range(d - 1)]
    begin, middle = [(0, k + 1) for k in range(Q - 1)], [(k, Q) for k in range(d - Q + 1)]
    return begin + middle + [(k + d - Q + 1, Q - k - 1) for k in range(Q - 1)]


@claim(
    "calmant.pipeline.sums",
    place="Sections 3.3 and 4.3",
    says="the sums for T_shallow (Q < d) and T_deep (Q >= d) add one task for every iteration, "
    "d + Q - 1 in all; at Q = d both sums are the same",
    latex=r"T(d,Q) = \sum_{k} T\langle i_k, M_k\rangle_c + (d + Q - 1)\,b",
    over=DEGREES,
    evidence="every packet sent as soon as it may be",
    control=Control("d + Q iterations", more=1),
    sizes=Sizes(most=12, limit=40),
)
def sums(d: int, Q: int, *, more: int = 0) -> Finding:
    tasks = [(each[0][0], len(each)) for each in pipelined(d, Q)]
    regimes = [deep for deep, valid in ((False, Q <= d), (True, Q >= d)) if valid]
    same = all(summed_tasks(d, Q, deep) == tasks for deep in regimes)
    return Finding(same and len(tasks) == d + Q - 1 + more, iterations=len(tasks))


# -- the condition -----------------------------------------------------------------------------


def item_packets(N: int, Q: int) -> npt.NDArray[np.int64]:
    """The packet of every item, packets as even as may be.

    >>> item_packets(5, 2).tolist()
    [0, 0, 0, 1, 1]
    """
    size, more = divmod(N, Q)
    return np.repeat(np.arange(Q), [size + (p < more) for p in range(Q)])


@claim(
    "calmant.condition",
    place="Section 2.4",
    says="if x_i[j] is a function of x_(i-1)[1:j], x_(i-2)[1:j+1], ..., every packet can be "
    "computed in its iteration from what has arrived, for every Q <= N, also where Q ∤ N",
    latex=r"x_i[j] = f(x_{i-1}[1{:}j],\ x_{i-2}[1{:}j{+}1],\ \dots)",
    over=numbers(lambda n: n, "all Q <= N = n, each with 8 vectors", "N, Q", first=1),
    evidence="arrivals looked up for every item",
    control=Control("one item more of every vector", more=1),
    sizes=Sizes(most=24, limit=100),
)
def condition(N: int, Q: int, *, more: int = 0) -> Finding:
    """Down to x_0, one term further than printed: the iteration provides that too."""
    packet, arrived = item_packets(N, Q), {}
    for t, sent in enumerate(pipelined(8, Q)):
        for j, p in sent:
            arrived[j, p] = t
    for i in range(1, 8):
        for k in range(i):
            for item in range(N):
                last = min(N - 1, item + i - 1 - k + more)
                if arrived[k, packet[last]] >= arrived[i, packet[item]]:
                    return Finding(False, i=i, j=item + 1, k=k, needs=last + 1)
    return Finding(True)
