"""Loads and lower bounds of [calmant], sections 3.1, 3.2, 4.1, 4.2 and appendices A.1, A.2."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proofs_check.arrays import Ints
from proofs_check.cases import numbers
from proofs_check.claim import Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.claims.calmant_mesh import (
    axes_counts,
    bound,
    coordinates,
    dimension_loads,
    largest_load,
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
    says="λ_k(m) + λ_(k+1)(m) = 2^(k+1) for 2^k <= m mod 2^(k+1) < 2^(k+1) + 2^k, and at most "
    "2^(k+1) elsewhere; max Σ_(l=a..k+1) λ_l = λ⟨k,2⟩_1 + max Σ_(l=a..k-1) λ_l for all a < k",
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
