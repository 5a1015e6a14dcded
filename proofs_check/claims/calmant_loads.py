"""Loads, lower bounds and how near schedules come: [calmant], sections 3.1 to 4.2, A.1, A.2."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lccmodel.network import Mesh
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from proofs_check.arrays import Ints
from proofs_check.cases import numbers
from proofs_check.claim import Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.claims.calmant_mesh import (
    MODEL,
    axes_counts,
    bound,
    coordinates,
    dimension_loads,
    largest_load,
    line_bound,
    replayed,
    task_domain,
)
from proofs_check.domain import Enumerated

_MOST = {1: 12, 2: 10, 3: 9}
_TASKS = task_domain(_MOST)
_COUNTED = "all messages walked on the explicit mesh and counted on every directed link"

STATED = Stated(over=task_domain({1: 12}), evidence=_COUNTED, sizes=Sizes(most=12, limit=13))


_LINE = numbers(lambda n: n, "all dimensions k on lines of 2^d nodes", "d, k")


def _runs(n: int) -> Iterator[tuple[int, int, int, int]]:
    for c in axes_counts(n, _MOST):
        for i in range(n):
            for M in range(1, (n - 1 - i) // c + 2):
                yield n, c, i, M


_RUNS = Enumerated(
    _runs,
    size=lambda n: sum(c * (n // c) * (n // c + 1) // 2 for c in axes_counts(n, _MOST)),
    names="d, c, i, M",
    text="all i, i + c, ..., i + (M-1)c below d (d <= 12, 10, 9 for c = 1, 2, 3)",
)


# -- the printed formulas ----------------------------------------------------------------------


def printed_line_load(i: int, M: int) -> int:
    """λ⟨i,M⟩_1 of Theorem 1.

    >>> printed_line_load(0, 4), printed_line_load(1, 3)
    (10, 10)
    """
    return ((1 << i + M + 1) - (1 << i + 1 if M % 2 == 0 else 1 << i)) // 3


def printed_load(i: int, M: int, c: int) -> int:
    """λ⟨i,M⟩_c of Theorem 3: λ⟨⌊(i + ((M-1) mod c)) / c⌋, ⌈M/c⌉⟩_1."""
    return printed_line_load((i + (M - 1) % c) // c, -(-M // c))


def printed_bound(i: int, M: int, c: int) -> int:
    """LB⟨i,M⟩_c of Theorem 4."""
    return max(printed_load(i, M, c), M)


def parts(i: int, M: int, c: int) -> list[tuple[int, int]]:
    """The subtasks of section 4.2: ⟨i + M - 2kc, 2c⟩ for k = 1, ..., and ⟨i, M mod 2c⟩.

    >>> parts(0, 10, 2), parts(1, 3, 1)
    ([(6, 4), (2, 4), (0, 2)], [(2, 2), (1, 1)])
    """
    cut = [(i + M - 2 * k * c, 2 * c) for k in range(1, M // (2 * c) + 1)]
    return cut + [(i, M % (2 * c))] * (M % (2 * c) > 0)


# -- lines -------------------------------------------------------------------------------------


@claim(
    "calmant.lem3",
    place="Appendix A.1, Lemma 3",
    says="on a line the partner of p along dimension k is at its right at distance 2^k if "
    "p mod 2^(k+1) < 2^k, and at its left if 2^k <= p mod 2^(k+1) < 2^(k+1)",
    latex=r"p \bmod 2^{k+1} < 2^k \Rightarrow p' = p + 2^k,\text{ else } p' = p - 2^k",
    over=_LINE,
    evidence="partners looked up in the placement of section 2.3, for all nodes p",
    control=Control("to the right also if p mod 2^(k+1) = 2^k", more=1),
    sizes=Sizes(most=12, limit=16),
)
def lem3(d: int, k: int, *, more: int = 0) -> Finding:
    p = coordinates(d, 1)[:, 0]
    partner = p[np.arange(1 << d) ^ 1 << k]
    right = p % (1 << k + 1) < (1 << k) + more
    return _all_agree(partner, np.where(right, p + (1 << k), p - (1 << k)), "p", "partner")


@claim(
    "calmant.lem4",
    place="Appendix A.1, Lemma 4",
    says="the load of the link between m and m + 1 due to ⟨k,1⟩_1 is (m mod 2^k) + 1 if "
    "m mod 2^(k+1) < 2^k, else 2^k - (m mod 2^k) - 1; it is the same in both directions",
    latex=r"\lambda_k(m) = (m \bmod 2^k) + 1 \text{ or } 2^k - (m \bmod 2^k) - 1",
    over=_LINE,
    control=Control("one less in the first half", one=0),
)
def lem4(d: int, k: int, *, one: int = 1) -> Finding:
    m = np.arange((1 << d) - 1)
    low = m % (1 << k)
    stated = np.where(m % (1 << k + 1) < 1 << k, low + one, (1 << k) - low - 1)
    up, down = dimension_loads(d, 1)[k, 0]
    found = _all_agree(up[:-1], stated, "m", "counted")
    return found if not found else _all_agree(down[1:], stated, "m", "counted")


def _all_agree(counted: Ints, stated: Ints, where: str, what: str) -> Finding:
    wrong = np.flatnonzero(counted != stated)
    if not wrong.size:
        return Finding(True)
    at = wrong[0]
    return Finding(False, **{where: int(at), what: int(counted[at]), "stated": int(stated[at])})


@claim(
    "calmant.thm1",
    place="Section 3.1, Theorem 1",
    says="λ⟨i,M⟩_1 = (2^(i+M+1) - 2^(i+1)) / 3 for even M, (2^(i+M+1) - 2^i) / 3 for odd M",
    latex=r"\lambda\langle i,M\rangle_1 = \tfrac13(2^{i+M+1} - 2^{i+1}) \text{ or } "
    r"\tfrac13(2^{i+M+1} - 2^i)",
    control=Control("the case of M - 1 for M", shift=1),
)
def thm1(d: int, c: int, i: int, M: int, *, shift: int = 0) -> Finding:
    subtracted = 1 << i + 1 if (M - shift) % 2 == 0 else 1 << i
    counted = largest_load(range(i, i + M), d, c)
    return Finding(3 * counted == (1 << i + M + 1) - subtracted, counted=counted)


@claim(
    "calmant.thm1.proof",
    place="Appendix A.1, the proof of Theorem 1",
    says=(
        "λ_k(m) + λ_(k+1)(m) = 2^(k+1) for 2^k <= m mod 2^(k+1) < 2^(k+1) + 2^k, and at most "
        "2^(k+1) elsewhere. For all a < k, max Σ_(l=a..k+1) λ_l = λ⟨k,2⟩_1 + max "
        "Σ_(l=a..k-1) λ_l"
    ),
    latex=r"\lambda_k(m) + \lambda_{k+1}(m) = 2^{k+1},\ 2^k \le m \bmod 2^{k+1} < 3 \cdot 2^k",
    over=_LINE.described("all k < d - 1 on lines of 2^d nodes, each with all a < k"),
    control=Control("the interval ends one link later", later=1),
    reading=Reading("m mod 2^(k+2) is meant, the period that the proof states next", period=2),
)
def thm1_proof(d: int, k: int, *, period: int = 1, later: int = 0) -> Finding:
    if k == d - 1:
        return Finding(True)  # there is no dimension k + 1
    up = dimension_loads(d, 1)[:, 0, 0, :-1]
    both, m = up[k] + up[k + 1], np.arange((1 << d) - 1)
    place = m % (1 << k + period)
    flat = (1 << k <= place) & (place < (3 << k) + later)
    wrong = np.flatnonzero(np.where(flat, both != 2 << k, both > 2 << k))
    if wrong.size:
        return Finding(False, m=wrong[0], sum=both[wrong[0]], stated=2 << k)
    sums = all(
        up[a : k + 2].sum(axis=0).max() == both.max() + up[a:k].sum(axis=0).max() for a in range(k)
    )
    return Finding(sums)


@claim(
    "calmant.thm2",
    place="Section 3.1, Theorem 2",
    says="on a line the load is the lower bound: λ⟨i,M⟩_1 >= λ⟨0,M⟩_1 >= M",
    latex=r"LB\langle i,M\rangle_1 = \max(\lambda\langle i,M\rangle_1, M) "
    r"= \lambda\langle i,M\rangle_1",
    control=Control("λ⟨0,M⟩_1 > M", margin=1),
)
def thm2(d: int, c: int, i: int, M: int, *, margin: int = 0) -> Finding:
    here, first = (largest_load(range(at, at + M), d, c) for at in (i, 0))
    return Finding(here >= first >= M + margin, counted=here, first=first)


@claim(
    "calmant.lem1",
    place="Section 3.2, Lemma 1",
    says="LB⟨i,M⟩_1 is the sum of LB⟨i+2k,2⟩_1 for even M, of LB⟨i,1⟩_1 and LB⟨i+2k-1,2⟩_1 for "
    "odd M",
    latex=r"LB\langle i,M\rangle_1 = [LB\langle i,1\rangle_1 +] \sum_k LB\langle \cdot,2\rangle_1",
    control=Control("for odd M the single dimension is the last one", last=True),
)
def lem1(d: int, c: int, i: int, M: int, *, last: bool = False) -> Finding:
    odd = M % 2
    pairs = range(i + (odd and not last), i + M - 1, 2)
    cut = [(at, 2) for at in pairs] + [(i + M - 1 if last else i, 1)] * odd
    total = sum(bound(at, x, d, c) for at, x in cut)
    whole = bound(i, M, d, c)
    return Finding(total == whole, LB=whole, sum=total)


# -- meshes ------------------------------------------------------------------------------------


@claim(
    "calmant.lem5",
    place="Appendix A.2, Lemma 5",
    says="the largest load due to the dimensions i, i + c, ..., i + (M-1)c is that of ⟨⌊i/c⌋,M⟩_1 "
    "on a line, and only links of axis i mod c are used",
    latex=r"\lambda\{i, i+c, \dots\} = \lambda\langle\lfloor i/c\rfloor, M\rangle_1",
    over=_RUNS,
    evidence=_COUNTED + ", of the mesh and of a line",
    control=Control("the line begins at ⌊i/c⌋ + 1", up=1),
    sizes=Sizes(most=12, limit=12),
)
def lem5(d: int, c: int, i: int, M: int, *, up: int = 0) -> Finding:
    loads = dimension_loads(d, c)[i : i + M * c : c].sum(axis=0)
    first = i // c + up
    line = largest_load(range(first, first + M), d // c + up, 1)
    used = [a for a in range(c) if loads[a].any()]
    return Finding(loads.max() == line and used == [i % c], mesh=loads.max(), line=line, axes=used)


@claim(
    "calmant.thm3",
    place="Section 4.1, Theorem 3",
    says="λ⟨i,M⟩_c = λ⟨⌊(i + ((M-1) mod c)) / c⌋, ⌈M/c⌉⟩_1",
    latex=r"\lambda\langle i,M\rangle_c = \lambda\langle\lfloor (i + (M-1) \bmod c)/c\rfloor, "
    r"\lceil M/c\rceil\rangle_1",
    over=_TASKS,
    evidence=_COUNTED + ", of the mesh and of a line",
    control=Control("mod taken of the sum: (i + M - 1) mod c", of_sum=True),
    sizes=Sizes(most=12, limit=12),
)
def thm3(d: int, c: int, i: int, M: int, *, of_sum: bool = False) -> Finding:
    first = (i + M - 1) % c // c if of_sum else (i + (M - 1) % c) // c
    levels = range(first, first - (-M // c))
    mesh, line = largest_load(range(i, i + M), d, c), largest_load(levels, d // c, 1)
    return Finding(mesh == line, mesh=mesh, line=line)


@claim(
    "calmant.thm3.proof",
    place="Appendix A.2, the proof of Theorem 3",
    says="of the subsets S(j) = {i+j, i+j+c, ...} of ⌈(M-j)/c⌉ dimensions, j = 0..c-1, the one "
    "with j = (M-1) mod c has the largest load",
    latex=r"\max_j \lambda S(j) = \lambda S((M-1) \bmod c)",
    over=_TASKS,
    control=Control("the one with j = 0", first=True),
    sizes=Sizes(most=12, limit=12),
)
def thm3_proof(d: int, c: int, i: int, M: int, *, first: bool = False) -> Finding:
    sets = [range(i + j, i + j - (-(M - j) // c) * c, c) for j in range(min(c, M))]
    loads = [largest_load(each, d, c) for each in sets]
    named = 0 if first else (M - 1) % c
    whole = sorted(k for each in sets for k in each) == list(range(i, i + M))
    return Finding(whole and loads[named] == max(loads), loads=loads, j=named)


@claim(
    "calmant.thm4",
    place="Section 4.1, Theorem 4",
    says="no schedule of ⟨i,M⟩_c takes fewer steps than LB⟨i,M⟩_c = max(λ⟨i,M⟩_c, M), with λ as "
    "in Theorem 3",
    latex=r"P\langle i,M\rangle_c \ge \max(\lambda\langle i,M\rangle_c, M)",
    over=_TASKS,
    evidence=_COUNTED + "; M messages leave every node",
    control=Control("the load alone", port=False),
    sizes=Sizes(most=12, limit=12),
)
def thm4(d: int, c: int, i: int, M: int, *, port: bool = True) -> Finding:
    """[calmant, Theorem 4] a link carries one message in a step, a node sends one."""
    stated = printed_bound(i, M, c) if port else printed_load(i, M, c)
    needed = bound(i, M, d, c)
    return Finding(stated == needed, LB=stated, needed=needed)


# -- how near schedules come to the lower bound ------------------------------------------------


_BY_AXES = "links of the axes counted, each axis a line of its own (calmant.lem5)"


def above(i: int, M: int, c: int) -> int:
    """The sum of the lower bounds of the paper's subtasks, less that of ⟨i,M⟩_c; by counting.

    >>> above(0, 8, 2), above(5, 11, 5)
    (2, 1)
    """
    return sum(line_bound(at, x, c)[1] for at, x in parts(i, M, c)) - line_bound(i, M, c)[1]


STATED = Stated(evidence=_BY_AXES)


@claim(
    "calmant.lem2",
    place="Section 4.2, Lemma 2",
    says=(
        "the lower bounds of the subtasks add up to LB⟨i,M⟩_c, with two exceptions. They add "
        "up to at most 2 more for c = 2, M >= 7, i <= 1, and to at most 4 more for c = 3, M "
        ">= 9, i <= 4"
    ),
    latex=r"0 \le \sum LB - LB\langle i,M\rangle_c \le 2,\ 4,\ 0",
    over=Enumerated(
        lambda n: ((c, i, n - i) for c in (2, 3, 4) for i in range(n)),
        size=lambda n: 3 * n,
        names="c, i, M",
        text="all tasks ⟨i,M⟩_c with i + M = n, c = 2, 3, 4",
    ),
    control=Control("i <= 0 and i <= 3", fewer=1),
    printed="≤ 2, if c = 2 and M ≥ 7 and i ≤ 1; 4, if c = 3 and M ≥ 9 and i ≤ 4; 0, otherwise",
    reading=Reading(
        "c is 2 or 3, as in section 2.1; for c = 4 the difference is up to 7",
        axes=(2, 3),
    ),
    sizes=Sizes(most=24, limit=26),
)
def lem2(c: int, i: int, M: int, *, axes: tuple[int, ...] = (2, 3, 4), fewer: int = 0) -> Finding:
    if c not in axes:
        return Finding(True)
    most, least_M, last_i = {2: (2, 7, 1), 3: (4, 9, 4), 4: (0, 0, 0)}[c]
    stated = most if M >= least_M and i <= last_i - fewer else 0
    return Finding(0 <= above(i, M, c) <= stated, above=above(i, M, c), stated=stated)


_OTHERS = {4: (7, 8), 5: (10, 12), 6: (14, 16)}
"""For c axes: the largest difference, and the i from which on there is none."""


@claim(
    "calmant.lem2.any",
    place="beside section 4.2, Lemma 2; more axes than the paper's two and three",
    says="for c > 3 the lower bounds of the subtasks add up to LB⟨i,M⟩_c and Σ max(0, x - λ) over "
    "the subtasks less max(0, M - λ); that is at most 7, 10, 14 for c = 4, 5, 6, and 0 for "
    "i >= 8, 12, 16",
    latex=r"\sum LB - LB\langle i,M\rangle_c = \sum_k (x_k - \lambda_k)^+ - (M - \lambda)^+",
    over=Enumerated(
        lambda n: ((c, i, n) for c in _OTHERS for i in range(18)),
        size=lambda n: 54,
        names="c, i, M",
        text="all tasks ⟨i,M⟩_c with M = n, i < 18, c = 4, 5, 6",
    ),
    control=Control("at most 6, 9, 13", most_less=1),
    sizes=Sizes(most=36, limit=36),
)
def lem2_any(c: int, i: int, M: int, *, most_less: int = 0) -> Finding:
    found = above(i, M, c)
    short = [max(0, x - line_bound(at, x, c)[0]) for at, x in [*parts(i, M, c), (i, M)]]
    most, none_from = _OTHERS[c]
    ok = found == sum(short[:-1]) - short[-1] <= most - most_less
    return Finding(ok and (found == 0 or i < none_from), above=found)


# -- this project's schedules ------------------------------------------------------------------

STATED = Stated(
    evidence=f"the library's schedules replayed message by message on the explicit mesh: {MODEL}; "
    "LB from counted links",
    control=Control("messages of the first dimension sent one step later, in a cycle", late=True),
)


def _own_at_the_bound(d: int, c: int, i: int, M: int, *, late: bool = False) -> Finding:
    """The library's schedule; `late` sends the first dimension a step later, in a cycle."""
    least = bound(i, M, d, c)
    steps = schedule(Task(i, M, Mesh((1 << d // c,) * c))).steps
    if late:
        steps = steps.copy()
        steps[0] = (steps[0] + 1) % least
    found = replayed(steps, i, d, c)
    return found.shown(found.conflict is None and found.steps == least)


claim(
    "calmant.subtask",
    place="beside section 4.2; docs/embedding.md",
    says="for 1 <= x <= 2c the rule of this project is free of conflicts and takes exactly "
    "LB⟨i,x⟩_c steps",
    latex=r"P\langle i,x\rangle_c = LB\langle i,x\rangle_c,\ 1 \le x \le 2c",
    over=task_domain(
        {1: 10, 2: 10, 3: 9, 4: 12, 5: 10, 6: 12},
        lambda c: (1, 2 * c),
        "all ⟨i,x⟩_c with 1 <= x <= 2c",
    ),
    sizes=Sizes(most=12, limit=12),
)(_own_at_the_bound)


claim(
    "calmant.whole",
    place="beside section 4.2; docs/schedules.md",
    says="on meshes of one to five axes every task ⟨i,M⟩_c has a schedule free of conflicts "
    "that takes exactly LB⟨i,M⟩_c steps",
    latex=r"P\langle i,M\rangle_c = LB\langle i,M\rangle_c,\ c \le 5",
    over=task_domain({1: 10, 2: 14, 3: 15, 4: 12, 5: 10}),
    sizes=Sizes(most=15, limit=15),
)(_own_at_the_bound)
