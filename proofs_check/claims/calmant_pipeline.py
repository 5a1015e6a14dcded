"""Communication pipelining, its sums and their closed formulas: [calmant], 2.4, 3.3, 4.3, A.3.

Everything in T but the steps P(d,Q) is the same on both sides, α + (N/Q)τ a step and d + Q - 1
barriers, so the steps are compared, in integers. What a task takes, P⟨i,M⟩_c, is counted:

    load       the busiest link
    bound      the larger of that and M, which is the least by Theorem 4
    stated     section 4.3: the bounds of the paper's subtasks and r as printed
    rules      the same with the r that the paper's schedules have (calmant.r.amended)

On a line all four are one number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lccmodel.ground.published import calmant_deep, calmant_shallow
from lccmodel.pipelining.execution import PacketPlan
from proofs_check.cases import numbers, on_meshes
from proofs_check.claim import Amended, Control, Finding, Sizes, Stated, claim
from proofs_check.claims.calmant_loads import parts
from proofs_check.claims.calmant_mesh import line_bound
from proofs_check.domain import Enumerated

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


# -- the closed formulas of appendix A.3 against the sums --------------------------------------


Steps = Callable[[int, int, int], int]


def _stated(i: int, M: int, c: int) -> int:
    rest = M % (2 * c)
    r = rest > line_bound(i, rest, c)[0] and M % 2 == 0
    return _bounds(i, M, c) + r


def _rules(i: int, M: int, c: int) -> int:
    rest = M % (2 * c)
    r = rest > max(c, line_bound(i, rest, c)[0]) and M % 2 == 1
    return _bounds(i, M, c) + r


def _bounds(i: int, M: int, c: int) -> int:
    return sum(line_bound(at, x, c)[1] for at, x in parts(i, M, c))


MODELS: Mapping[str, Steps] = {
    "load": lambda i, M, c: line_bound(i, M, c)[0],
    "bound": lambda i, M, c: line_bound(i, M, c)[1],
    "stated": _stated,
    "rules": _rules,
}


@lru_cache(maxsize=1 << 15)
def total_steps(d: int, Q: int, c: int, model: str, deep: bool) -> int:
    """P(d,Q): the sum of section 3.3 or 4.3.

    >>> [total_steps(4, 2, 2, model, False) for model in MODELS]
    [8, 9, 10, 9]
    """
    steps = MODELS[model]
    return sum(steps(i, M, c) for i, M in summed_tasks(d, Q, deep))


# -- appendix A.3 ------------------------------------------------------------------------------


def printed_shallow(d: int, Q: int, c: int, swap: bool = False) -> int:
    """18 P(d,Q) of T_shallow as printed; `swap` exchanges the even and the odd case."""
    return calmant_shallow(d, Q, c, (-(-Q // c) % 2 == 0) != swap)


def printed_deep(d: int, Q: int, c: int, swap: bool = False) -> int:
    """18 P(d,Q) of T_deep as printed."""
    return calmant_deep(d, Q, c, (d // c % 2 == 0) != swap)


def _compared(d: int, c: int, Q: int, deep: bool, model: str, swap: bool) -> Finding:
    printed = (printed_deep if deep else printed_shallow)(d, Q, c, swap)
    sums = {name: total_steps(d, Q, c, name, deep) for name in MODELS}
    shown = {"printed": printed / 18 if printed % 18 else printed // 18}
    return Finding(
        printed == 18 * sums[model], **shown, **(sums if c > 1 else {"sum": sums[model]})
    )


def _domain(deep: bool, axes: tuple[int, ...], last: int) -> Enumerated:
    def counts(n: int) -> list[int]:
        return [c for c in axes if n % c == 0 and (c == 1 or n >= 2 * c)]

    def degrees(n: int) -> range:
        return range(n, MAX_Q + 1) if deep else range(1, n + 1)

    def cases(n: int) -> Iterator[tuple[int, int, int]]:
        return ((n, c, Q) for c in counts(n) for Q in degrees(n))

    def size(n: int) -> int:
        return len(counts(n)) * (MAX_Q + 1 - n if deep else n)

    rule = "Q = d..39" if deep else "Q = 1..d"
    kind = "lines" if axes == (1,) else "meshes of 2 and 3 axes, d/c >= 2"
    return Enumerated(
        cases,
        size=size,
        names="d, c, Q",
        text=f"{kind}, {rule}",
        dimensions=[n for n in range(1, last + 1) if counts(n)],
    )


_SWAP = Control("the even and the odd case exchanged", swap=True)
_ONE_PORT = Control("the sum of the lower bounds, which count the one port", model="bound")

STATED = Stated(
    place="Appendix A.3",
    over=_domain(False, (2, 3), 12),
    evidence="the sum of section 3.3 with counted loads",
)

_MESH_SUM = "the sum of section 4.3 with counted loads and bounds"


@claim(
    "calmant.closed.line.shallow",
    says="T_shallow on a line is the sum of section 3.3",
    latex=r"P = \tfrac1{18}\bigl((3Q+1)2^{d+2} + f_1(d,Q)\bigr)",
    over=_domain(False, (1,), 14),
    control=_SWAP,
)
def line_shallow(d: int, c: int, Q: int, *, swap: bool = False) -> Finding:
    return _compared(d, c, Q, False, "load", swap)


@claim(
    "calmant.closed.line.deep",
    says="T_deep on a line is the sum of section 3.3",
    latex=r"P = \tfrac1{18}\bigl((3Q+1)2^{d+2} + f_2(d,Q)\bigr)",
    over=_domain(True, (1,), 14),
    control=_SWAP,
)
def line_deep(d: int, c: int, Q: int, *, swap: bool = False) -> Finding:
    return _compared(d, c, Q, True, "load", swap)


_LOAD_ONLY = (
    "on a c-dimensional mesh is the sum of the link loads λ⟨i,M⟩_c alone, without the one port "
    "and without r"
)


@claim(
    "calmant.closed.mesh.shallow",
    printed="closed formulas for T_shallow and T_deep expressions. The final formulas are the "
    "result of a mathematical process that is not included in this work.",
    says="T_shallow on a c-dimensional mesh is the sum of section 4.3",
    latex=r"P = \tfrac1{18}\bigl((c + 3c\lceil Q/c\rceil + 3r)2^{d/c+2} + f_3(d,Q)\bigr)",
    evidence=_MESH_SUM,
    control=_SWAP,
    amended=Amended("T_shallow " + _LOAD_ONLY, control=_ONE_PORT, model="load"),
)
def mesh_shallow(d: int, c: int, Q: int, *, model: str = "stated", swap: bool = False) -> Finding:
    return _compared(d, c, Q, False, model, swap)


@claim(
    "calmant.closed.mesh.deep",
    printed="closed formulas for T_shallow and T_deep expressions. The final formulas are the "
    "result of a mathematical process that is not included in this work.",
    says="T_deep on a c-dimensional mesh is the sum of section 4.3",
    latex=r"P = \tfrac1{18}\bigl((3Q + 4c - 3)2^{d/c+2} + f_4(d,Q)\bigr)",
    over=_domain(True, (2, 3), 12),
    evidence=_MESH_SUM,
    control=_SWAP,
    amended=Amended("T_deep " + _LOAD_ONLY, control=_ONE_PORT, model="load"),
)
def mesh_deep(d: int, c: int, Q: int, *, model: str = "stated", swap: bool = False) -> Finding:
    return _compared(d, c, Q, True, model, swap)


@claim(
    "calmant.closed.mesh.schedules",
    place="beside appendix A.3 and section 4.2",
    says="the printed T_shallow on a c-dimensional mesh is less than any one-port schedule takes "
    "for Q > 1, and what the schedules take for Q = 1",
    latex=r"P_{printed}(d,Q) < LB(d,Q)\quad (1 < Q \le d)",
    evidence=_MESH_SUM + " and the steps that the schedules take",
    control=Control("less than the link load alone for Q = d", load_at_d=True),
)
def below_schedules(d: int, c: int, Q: int, *, load_at_d: bool = False) -> Finding:
    printed, sums = printed_shallow(d, Q, c), {m: total_steps(d, Q, c, m, False) for m in MODELS}
    gap = 18 * sums["load" if load_at_d and Q == d else "bound"] - printed
    return Finding(gap > 0 if Q > 1 else gap == 0, printed=printed // 18, **sums)


@claim(
    "calmant.closed.meet",
    says="T_shallow and T_deep are equal for Q = d",
    latex=r"T_{shallow}(d,d) = T_{deep}(d,d)",
    over=on_meshes("lines and meshes of 2 and 3 axes"),
    evidence="both printed formulas, and both sums with counted loads and bounds",
    control=Control("for Q = d - 2", earlier=2),
    sizes=Sizes(most=14, limit=14),
)
def meet(d: int, c: int, *, earlier: int = 0) -> Finding:
    """[calmant, A.3] They are for Q = d - 1 as well, where the tasks are the same."""
    Q = d - earlier
    if Q < 1:
        return Finding(True)
    one, two = printed_shallow(d, Q, c), printed_deep(d, Q, c)
    sums = all(
        total_steps(d, d, c, model, False) == total_steps(d, d, c, model, True) for model in MODELS
    )
    return Finding(one == two and sums, shallow=one, deep=two)
