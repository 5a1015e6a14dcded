"""Bridges: what the library transcribes of [calmant], against the checker's own transcription."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from lccmodel import pipelining
from lccmodel.network import Mesh
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.calmant_closed import printed_deep, printed_shallow, total_steps
from proofs_check.claims.calmant_loads import parts
from proofs_check.claims.calmant_mesh import bound, replayed, task_domain
from proofs_check.claims.calmant_rules import line_pair, line_single, paper_task
from proofs_check.domain import Enumerated


@claim(
    "library.paper_rules",
    place="lccmodel.pipelining.paper_parts, paper_steps, splitting",
    says="paper_parts cuts a task as the print does, and paper_steps are the steps that it prints; "
    "the composition that splitting names has the length of the schedule",
    over=task_domain({1: 7, 2: 8, 3: 6}),
    evidence="the rules transcribed a second time; the schedule walked on the mesh",
    control=Control("the composition a step shorter", fewer=1),
    sizes=Sizes(most=8, limit=8),
)
def library_paper_rules(d: int, c: int, i: int, M: int, *, fewer: int = 0) -> Finding:
    """[calmant, sections 3.2 and 4.2]"""
    task = pipelining.Task(i, M, Mesh((1 << d // c,) * c))
    cut, given = parts(i, M, c)[::-1], pipelining.paper_parts(i, M, c)
    if given != cut:
        return Finding(False, answer=given, stated=cut)
    steps = paper_task(i, M, c, d) if c > 1 else on_a_line(cut, i, M, d)
    if pipelining.paper_steps(task).tolist() != steps.tolist():
        return Finding(False, answer=pipelining.paper_steps(task), stated=steps)
    walked = replayed(pipelining.schedule(task).steps, i, d, c)
    length = pipelining.splitting(task).length
    ok = length == walked.steps - fewer == bound(i, M, d, c) - fewer
    return Finding(ok, answer=length, walked=walked.steps)


def on_a_line(cut: list[tuple[int, int]], i: int, M: int, d: int, bits: int = 1) -> Ints:
    """Section 3.2: ⟨i, M mod 2⟩_1 by m mod 2^(i + bits), and then the pairs."""
    steps, start = np.empty((M, 1 << d), np.int64), 0
    for at, x in cut:
        part = line_pair(at, d) if x == 2 else line_single(at, d, bits)
        steps[at - i : at - i + x] = start + part
        start += int(part.max()) + 1
    return steps


@claim(
    "library.printed_total",
    place="lccmodel.pipelining.printed_total, step_table",
    says="printed_total is appendix A.3 as it is printed, and step_table has the steps of every "
    "degree below d, and A + B Q from d on",
    over=Enumerated(
        lambda n: ((n, c, Q) for c in (1, 2, 3) if n % c == 0 for Q in range(1, 2 * n + 1)),
        size=lambda n: 2 * n * sum(n % c == 0 for c in (1, 2, 3)),
        names="d, c, Q",
        text="all d = n on one, two and three axes, Q <= 2d",
    ),
    evidence="the printed formulas, cases told apart anew; the steps of every iteration added",
    control=Control("the formulas of d even and odd exchanged", swap=True),
    sizes=Sizes(most=8, limit=10),
)
def library_printed_total(d: int, c: int, Q: int, *, swap: bool = False) -> Finding:
    """[calmant, sections 3.3 and 4.3, appendix A.3]"""
    for regime, ours in (("shallow", printed_shallow), ("deep", printed_deep)):
        if Q < d if regime == "deep" else Q > d:
            continue
        stated = Fraction(ours(d, Q, c, swap), 18)
        given = pipelining.printed_total(d, Q, c, "deep" if regime == "deep" else "shallow")
        if given != stated:
            return Finding(False, regime=regime, answer=given, stated=stated)
    table = pipelining.step_table(Mesh((1 << d // c,) * c), "lower-bound")
    found = table.A + table.B * Q if d <= Q else table.shallow[Q]
    counted = total_steps(d, Q, c, "bound", d <= Q)
    return Finding(found == counted == table.total(Q), answer=found, counted=counted)
