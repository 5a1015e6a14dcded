"""How near schedules come to the lower bound: [calmant, Lemma 2], and this project's schedules."""

from __future__ import annotations

from collections.abc import Iterator

from lccmodel.network import Mesh
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, Reading, Sizes, claim
from proofs_check.claims.calmant_loads import parts
from proofs_check.claims.calmant_mesh import MODEL, bound, line_bound, replayed, task_domain
from proofs_check.domain import Enumerated

_COUNTED = "links of the axes counted, each axis a line of its own (calmant.lem5)"


def above(i: int, M: int, c: int) -> int:
    """The sum of the lower bounds of the paper's subtasks, less that of ⟨i,M⟩_c; by counting.

    >>> above(0, 8, 2), above(5, 11, 5)
    (2, 1)
    """
    return sum(line_bound(at, x, c)[1] for at, x in parts(i, M, c)) - line_bound(i, M, c)[1]


def _tasks(n: int) -> Iterator[tuple[int, int, int]]:
    return ((c, i, n - i) for c in (2, 3, 4) for i in range(n))


@claim(
    "calmant.lem2",
    place="Section 4.2, Lemma 2",
    says="the lower bounds of the subtasks add up to at most 2 more than LB⟨i,M⟩_c for c = 2, "
    "M >= 7, i <= 1, at most 4 more for c = 3, M >= 9, i <= 4, and to LB⟨i,M⟩_c otherwise",
    latex=r"0 \le \sum LB - LB\langle i,M\rangle_c \le 2,\ 4,\ 0",
    over=Enumerated(
        _tasks,
        size=lambda n: 3 * n,
        names="c, i, M",
        text="all tasks ⟨i,M⟩_c with i + M = n, c = 2, 3, 4",
    ),
    evidence=_COUNTED,
    control=Control("i <= 0 and i <= 3", fewer=1),
    printed="≤ 2, if c = 2 and M ≥ 7 and i ≤ 1; 4, if c = 3 and M ≥ 9 and i ≤ 4; 0, otherwise",
    reading=Reading(
        "c is 2 or 3, as section 2.1 has it for the whole paper; “0, otherwise” itself names no "
        "bound on c, and for c = 4 the difference is up to 7",
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


def _more_axes(n: int) -> Iterator[tuple[int, int, int]]:
    return ((c, i, n) for c in _OTHERS for i in range(18))


@claim(
    "calmant.lem2.any",
    place="beside section 4.2, Lemma 2; more axes than the paper's two and three",
    says="for c > 3 the lower bounds of the subtasks add up to LB⟨i,M⟩_c and Σ max(0, x - λ) over "
    "the subtasks less max(0, M - λ); that is at most 7, 10, 14 for c = 4, 5, 6, and 0 for "
    "i >= 8, 12, 16",
    latex=r"\sum LB - LB\langle i,M\rangle_c = \sum_k (x_k - \lambda_k)^+ - (M - \lambda)^+",
    over=Enumerated(
        _more_axes,
        size=lambda n: 54,
        names="c, i, M",
        text="all tasks ⟨i,M⟩_c with M = n, i < 18, c = 4, 5, 6",
    ),
    evidence=_COUNTED,
    control=Control("at most 6, 9, 13", most_less=1),
    sizes=Sizes(most=36, limit=36),
)
def lem2_any(c: int, i: int, M: int, *, most_less: int = 0) -> Finding:
    """What [calmant, Lemma 2] leaves out: section 2.1 sets c = 2, 3."""
    found = above(i, M, c)
    short = [max(0, x - line_bound(at, x, c)[0]) for at, x in [*parts(i, M, c), (i, M)]]
    most, none_from = _OTHERS[c]
    ok = found == sum(short[:-1]) - short[-1] <= most - most_less
    return Finding(ok and (found == 0 or i < none_from), above=found)


# -- this project's schedules ------------------------------------------------------------------

_REPLAYED = f"the library's schedules replayed message by message on the explicit mesh: {MODEL}"


def _own(i: int, M: int, c: int, d: int) -> Ints:
    """The library's schedule of ⟨i,M⟩_c on 2^d nodes, as the steps of every process."""
    return schedule(Task(i, M, Mesh((1 << d // c,) * c))).steps


def _at_the_bound(steps: Ints, d: int, c: int, i: int, M: int, late: bool) -> Finding:
    """`late` sends the messages of the first dimension a step later, in a cycle."""
    least = bound(i, M, d, c)
    if late:
        steps = steps.copy()
        steps[0] = (steps[0] + 1) % least
    found = replayed(steps, i, d, c)
    more = {} if found.conflict is None else {"conflict": found.conflict}
    return Finding(found.conflict is None and found.steps == least, steps=found.steps, **more)


@claim(
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
    evidence=_REPLAYED + "; LB from counted links",
    control=Control("messages of the first dimension sent one step later, in a cycle", late=True),
    sizes=Sizes(most=12, limit=12),
)
def subtask(d: int, c: int, i: int, M: int, *, late: bool = False) -> Finding:
    """Two axes of the print's rule need not have neighbouring steps here."""
    return _at_the_bound(_own(i, M, c, d), d, c, i, M, late)


@claim(
    "calmant.whole",
    place="beside section 4.2; docs/schedules.md",
    says="on meshes of one to five axes every task ⟨i,M⟩_c has a schedule free of conflicts "
    "that takes exactly LB⟨i,M⟩_c steps",
    latex=r"P\langle i,M\rangle_c = LB\langle i,M\rangle_c,\ c \le 5",
    over=task_domain({1: 10, 2: 14, 3: 15, 4: 12, 5: 10}),
    evidence=_REPLAYED + "; LB from counted links",
    control=Control("messages of the first dimension sent one step later, in a cycle", late=True),
    sizes=Sizes(most=15, limit=15),
)
def whole(d: int, c: int, i: int, M: int, *, late: bool = False) -> Finding:
    """The paper reaches the bound for M <= 2c, where its rules do not conflict."""
    return _at_the_bound(_own(i, M, c, d), d, c, i, M, late)
