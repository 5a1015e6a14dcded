"""The printed schedules of [calmant], sections 3.2 and 4.2, replayed on the explicit mesh.

A rule gives the step in which every process sends through every dimension of a subtask: an array
[q, n] for dimension i + q. Bits i and i + 1 of m equal: the longer dimension first (section
3.2.1; Fig. 3 is lost, the words around it say this). Where the first bit would be bit -1, in
section 4.2.3, it is taken as 0.
"""

from __future__ import annotations

import numpy as np

from proofs_check.arrays import Ints
from proofs_check.cases import numbers
from proofs_check.claim import Amended, Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.claims.calmant_loads import parts, printed_bound
from proofs_check.claims.calmant_mesh import (
    MODEL,
    Replayed,
    bound,
    coordinates,
    line_bound,
    replayed,
    task_domain,
)
from proofs_check.domain import Listed

# -- the printed rules, transcribed; nothing is put right here ---------------------------------


def pair_order(m: Ints, bit: int) -> Ints:
    """1 where bits `bit` and `bit` + 1 of m are equal: such nodes use the longer dimension first.

    >>> pair_order(np.arange(4), 0).tolist(), pair_order(np.arange(4), -1).tolist()
    ([1, 0, 0, 1], [1, 0, 1, 0])
    """
    low = m >> bit & 1 if bit >= 0 else 0
    return 1 - (low ^ m >> bit + 1 & 1)


def line_pair(i: int, d: int, swap: bool = True) -> Ints:
    """Section 3.2.1, ⟨i,2⟩_1: g = m mod 2^i, steps 2g and 2g + 1; without `swap` no roles."""
    m = coordinates(d, 1)[:, 0]
    longer = pair_order(m, i) if swap else np.ones_like(m)
    start = 2 * (m % (1 << i))
    return np.array([start + longer, start + 1 - longer])


def line_single(i: int, d: int, bits: int) -> Ints:
    """Section 3.2.2, ⟨i,1⟩_1: step m mod 2^(i + bits); `bits` is 1 in print."""
    return coordinates(d, 1).T % (1 << i + bits)


def twice_c(i: int, c: int, d: int, k_counts: bool = True) -> Ints:
    """Section 4.2.1, ⟨i,2c⟩_c: s = 2 ((Σ_j g_j + k) mod LB/2), and s + 1."""
    label, ks = coordinates(d, c), range(i, i + c)
    groups = sum(label[:, k % c] % (1 << k // c) for k in ks)
    half = printed_bound(i, 2 * c, c) // 2
    steps = np.empty((2 * c, 1 << d), np.int64)
    for k in ks:
        start = 2 * ((groups + k * k_counts) % half)
        longer = pair_order(label[:, k % c], k // c)
        steps[k - i], steps[k - i + c] = start + longer, start + 1 - longer
    return steps


def at_most_c(i: int, x: int, c: int, d: int, k_counts: bool = True) -> Ints:
    """Section 4.2.2, ⟨i,x⟩_c with x <= c: s = (Σ_j g_j + k) mod LB."""
    label, ks = coordinates(d, c), range(i, i + x)
    groups = sum(label[:, k % c] % (1 << k // c) for k in ks)
    return np.array([(groups + k * k_counts) % printed_bound(i, x, c) for k in ks])


def between_c_and_2c(i: int, x: int, c: int, d: int, k_counts: bool = True) -> Ints:
    """Section 4.2.3, ⟨i,x⟩_c with c < x < 2c: s = 2 ((Σ_j g_j + k) mod ⌈LB/2⌉), and s + 1."""
    label, ks = coordinates(d, c), range(i + x - 2 * c, i + x - c)
    groups = sum(label[:, k % c] % (1 << k // c) for k in ks if k // c >= 0)
    half = -(-printed_bound(i, x, c) // 2)
    steps = np.empty((x, 1 << d), np.int64)
    for k in ks:
        start = 2 * ((groups + k * k_counts) % half)
        longer = pair_order(label[:, k % c], k // c)
        steps[k + c - i] = start + 1 - longer
        if k >= i:
            steps[k - i] = start + longer
    return steps


def part_steps(i: int, x: int, c: int, d: int) -> Ints:
    """The rule that the paper has for a subtask of x <= 2c dimensions on c >= 2 axes."""
    if x <= c:
        return at_most_c(i, x, c, d)
    return twice_c(i, c, d) if x == 2 * c else between_c_and_2c(i, x, c, d)


def paper_task(i: int, M: int, c: int, d: int) -> Ints:
    """Section 4.2: the subtasks of ⟨i,M⟩_c one after another, from the lowest dimensions up."""
    steps, start = np.empty((M, 1 << d), np.int64), 0
    for at, x in reversed(parts(i, M, c)):
        part = part_steps(at, x, c, d)
        steps[at - i : at - i + x] = start + part
        start += int(part.max()) + 1
    return steps


_MOST = {2: 10, 3: 9, 4: 8, 5: 10}
_PAPER = {2: 10, 3: 9}
_REPLAYED = f"every message replayed on the explicit mesh: {MODEL}"

STATED = Stated(evidence=_REPLAYED + "; LB from counted links", sizes=Sizes(most=10, limit=10))


def _shown(found: Replayed, stated: int) -> Finding:
    return found.shown(found.conflict is None and found.steps == stated, stated=stated)


# -- lines -------------------------------------------------------------------------------------

_LINES = numbers(lambda n: n, "all i on lines of 2^d nodes", "d, i")
_LINE_PAIRS = numbers(lambda n: n - 1, "all i < d - 1 on lines of 2^d nodes, d >= 2", "d, i")


@claim(
    "calmant.sched.i2",
    place="Section 3.2.1",
    says="the schedule of ⟨i,2⟩_1 is free of conflicts and takes 2^(i+1) steps",
    latex=r"P\langle i,2\rangle_1 = 2^{i+1}",
    over=_LINE_PAIRS,
    evidence=_REPLAYED,
    control=Control("all nodes use the longer dimension first", swap=False),
    sizes=Sizes(least=2, most=10, limit=13),
)
def pair_on_a_line(d: int, i: int, *, swap: bool = True) -> Finding:
    return _shown(replayed(line_pair(i, d, swap), i, d, 1), 1 << i + 1)


@claim(
    "calmant.sched.i1",
    place="Section 3.2.2",
    says="the schedule of ⟨i,1⟩_1, groups m mod 2^(i+1), is free of conflicts and takes 2^i steps",
    latex=r"P\langle i,1\rangle_1 = 2^i",
    over=_LINES,
    evidence=_REPLAYED,
    control=Control("half as many groups", fewer=1),
    printed="The group to which node m belongs ... g'(m) = m mod 2^(i+1)",
    reading=Reading(
        "groups m mod 2^i, four of them for i = 2 as the text describes in Fig. 5", bits=0
    ),
    sizes=Sizes(least=2, most=10, limit=13),
)
def single_on_a_line(d: int, i: int, *, bits: int = 1, fewer: int = 0) -> Finding:
    if i < fewer:
        return Finding(True)
    return _shown(replayed(line_single(i, d, bits - fewer), i, d, 1), 1 << i)


# -- meshes ------------------------------------------------------------------------------------

_NO_K = Control("k left out of the sum", k_counts=False)


@claim(
    "calmant.prop1",
    place="Section 4.2.1, Property 1",
    says="the schedule of ⟨i,2c⟩_c is free of conflicts and takes LB⟨i,2c⟩_c steps",
    latex=r"P\langle i,2c\rangle_c = LB\langle i,2c\rangle_c",
    over=task_domain(_MOST, lambda c: (2 * c, 2 * c), "all ⟨i,2c⟩_c"),
    control=_NO_K,
)
def prop1(d: int, c: int, i: int, M: int, *, k_counts: bool = True) -> Finding:
    return _shown(replayed(twice_c(i, c, d, k_counts), i, d, c), bound(i, M, d, c))


@claim(
    "calmant.prop2",
    place="Section 4.2.2, Property 2",
    says="the schedule of ⟨i,x⟩_c, 1 <= x <= c, is free of conflicts and takes LB⟨i,x⟩_c steps",
    latex=r"P\langle i,x\rangle_c = LB\langle i,x\rangle_c,\ 1 \le x \le c",
    over=task_domain(_MOST, lambda c: (1, c), "all ⟨i,x⟩_c with 1 <= x <= c"),
    control=_NO_K,
)
def prop2(d: int, c: int, i: int, M: int, *, k_counts: bool = True) -> Finding:
    return _shown(replayed(at_most_c(i, M, c, d, k_counts), i, d, c), bound(i, M, d, c))


_BETWEEN = task_domain(_MOST, lambda c: (c + 1, 2 * c - 1), "all ⟨i,x⟩_c with c < x < 2c")


@claim(
    "calmant.prop3",
    place="Section 4.2.3, Property 3",
    printed="The proposed scheduling algorithm is conflict free and the difference between its "
    "number of communication steps and LB⟨i,x⟩_c is: 1, if LB⟨i,x⟩_c is odd; 0, if LB⟨i,x⟩_c is "
    "even",
    says="the schedule of ⟨i,x⟩_c, c < x < 2c, is free of conflicts and takes LB⟨i,x⟩_c steps, one "
    "more where LB is odd",
    latex=r"P\langle i,x\rangle_c = LB\langle i,x\rangle_c + (LB \bmod 2),\ c < x < 2c",
    over=_BETWEEN,
    control=Control("no step more where LB is odd", extra=0),
    amended=Amended(
        "the schedule of ⟨i,x⟩_c, c < x < 2c, takes LB⟨i,x⟩_c steps, one more where LB is odd. It "
        "is free of conflicts if and only if ⌈LB/2⌉ >= c, so that each axis has a pair of steps",
        latex=r"\text{free of conflicts} \Leftrightarrow \lceil LB/2 \rceil \ge c",
        control=Control("if and only if ⌈LB/2⌉ >= c - 1", short=1),
        room=True,
    ),
)
def prop3(
    d: int, c: int, i: int, M: int, *, extra: int = 1, room: bool = False, short: int = 0
) -> Finding:
    found, least = replayed(between_c_and_2c(i, M, c, d), i, d, c), bound(i, M, d, c)
    shown = _shown(found, least + extra * (least % 2))
    if room:
        shown.ok = found.steps == least + extra * (least % 2)
        shown.ok &= (found.conflict is None) == (-(-least // 2) >= c - short)
    return shown


@claim(
    "calmant.prop3.odd",
    place="Section 4.2.3, after Property 3",
    says="for c < x < 2c the load is even, and LB⟨i,x⟩_c is odd only if x > λ and x is odd",
    latex=r"LB \text{ odd} \Rightarrow x > \lambda \wedge x \text{ odd}",
    over=_BETWEEN,
    evidence="links counted",
    control=Control("odd only if x is even", parity=0),
)
def odd_bound(d: int, c: int, i: int, M: int, *, parity: int = 1) -> Finding:
    load, least = line_bound(i, M, c)
    return Finding(load % 2 == 0 and (least % 2 == 0 or (load < M and M % 2 == parity)), LB=least)


@claim(
    "calmant.fig7",
    place="Section 4.2.1, Figs. 6 and 7",
    says="⟨3,4⟩_2 on 16 × 16: node ⟨2,3⟩ is in groups g_1 = 0 and g_0 = 3; a node in groups "
    "g_0 = 2 and g_1 = 0 uses axis 1 in steps 2 and 3, axis 0 in steps 4 and 5",
    over=Listed(8, [(8, 2, 3, 4)], names="d, c, i, M", text="the example", size=1),
    evidence="the printed rule",
    control=Control("one step later", late=1),
    sizes=Sizes(),
)
def fig7(d: int, c: int, i: int, M: int, *, late: int = 0) -> Finding:
    label, steps = coordinates(d, c), twice_c(i, c, d)
    (at,) = np.flatnonzero((label == (3, 2)).all(axis=1))
    groups = [int(label[at, k % c] % (1 << k // c)) for k in (3, 4)]
    chosen = (label[:, 0] % 4 == 2) & (label[:, 1] % 2 == 0)
    axis1, axis0 = ({*steps[rows][:, chosen].ravel().tolist()} for rows in ([0, 2], [1, 3]))
    stated = {2 + late, 3 + late}, {4 + late, 5 + late}
    return Finding(groups == [0, 3] and (axis1, axis0) == stated, axis1=axis1, axis0=axis0)


# -- whole tasks -------------------------------------------------------------------------------


@claim(
    "calmant.r",
    place="Section 4.3",
    says=(
        "⟨i,M⟩_c takes the sum of the lower bounds of its subtasks and r steps. r = 1 if M "
        "mod 2c > λ⟨i, M mod 2c⟩_c and M is even, else 0"
    ),
    printed="r = 1, if M mod 2c > λ⟨i, M mod 2c⟩_c and M is even; 0, other case",
    latex=r"P\langle i,M\rangle_c = \sum LB + r,\ r = [\,M \bmod 2c > \lambda \wedge 2 \mid M\,]",
    over=task_domain(_PAPER, text="all tasks ⟨i,M⟩_c with d/c >= 2", least=2),
    evidence="steps that the printed rules use, by replay; LB from counted links",
    control=Control("r = 1 for all M of that parity", any_load=True),
    amended=Amended(
        "⟨i,M⟩_c takes the sum of the lower bounds of its subtasks and r steps. r = 1 if M "
        "mod 2c > max(c, λ⟨i, M mod 2c⟩_c) and M is odd, else 0",
        latex=r"r = [\,M \bmod 2c > \max(c, \lambda) \wedge 2 \nmid M\,]",
        control=Control("M mod 2c <= c not left out", beyond_c=False),
        parity=1,
        beyond_c=True,
    ),
)
def extra_step(
    d: int,
    c: int,
    i: int,
    M: int,
    *,
    parity: int = 0,
    beyond_c: bool = False,
    any_load: bool = False,
) -> Finding:
    rest = M % (2 * c)
    exceeds = any_load or rest > line_bound(i, rest, c)[0]
    r = int(exceeds and M % 2 == parity and (rest > c or not beyond_c))
    total = sum(bound(at, x, d, c) for at, x in parts(i, M, c))
    steps = replayed(paper_task(i, M, c, d), i, d, c).steps
    return Finding(steps == total + r, steps=steps, sum=total, r=r)


def _parts_are_free(i: int, M: int, c: int) -> bool:
    rest = M % (2 * c)
    return rest <= c or -(-line_bound(i, rest, c)[1] // 2) >= c


@claim(
    "calmant.schedule",
    place="Section 4.2",
    says=(
        "performing the subtasks one after another is a schedule of ⟨i,M⟩_c within 2 (c = 2) "
        "or 4 (c = 3) steps of the lower bound. It is free of conflicts where its parts are"
    ),
    latex=r"P\langle i,M\rangle_c \le LB\langle i,M\rangle_c + 2\ (c = 2),\ + 4\ (c = 3)",
    over=task_domain(_PAPER),
    control=Control("free of conflicts for c < M mod 2c < 2c too", room=False),
    reading=(
        "“according that solution”: where its parts are free of conflicts. The schedule of "
        "section 4.2.3, for c < M mod 2c < 2c, is so if and only if ⌈LB⟨i, M mod 2c⟩/2⌉ >= c"
    ),
)
def whole_paper(d: int, c: int, i: int, M: int, *, room: bool = True) -> Finding:
    found, least = replayed(paper_task(i, M, c, d), i, d, c), bound(i, M, d, c)
    within = found.steps - least <= {2: 2, 3: 4}[c]
    free = _parts_are_free(i, M, c) if room else True
    return found.shown(within and (found.conflict is None) == free, LB=least)
