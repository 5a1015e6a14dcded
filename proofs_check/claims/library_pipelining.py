"""Bridges: the embedding, loads, schedules, sums, degrees and prints of `lccmodel.pipelining`."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from lccmodel import pipelining
from lccmodel.network import Mesh
from proofs_check.arrays import Ints
from proofs_check.cases import numbers, on_meshes
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.calmant_loads import parts
from proofs_check.claims.calmant_mesh import bound, coordinates, largest_load, replayed, task_domain
from proofs_check.claims.calmant_performance import rivals, steps_of
from proofs_check.claims.calmant_pipeline import printed_deep, printed_shallow, total_steps
from proofs_check.claims.calmant_schedules import line_pair, line_single, paper_task
from proofs_check.domain import Enumerated

_TASKS = task_domain({1: 7, 2: 8, 3: 6})


def _mesh(d: int, c: int) -> Mesh:
    return Mesh((1 << d // c,) * c)


def _task(d: int, c: int, i: int, M: int) -> Any:
    return pipelining.Task(i, M, _mesh(d, c))


@claim(
    "library.tasks",
    place="lccmodel.pipelining.Task, schedule, replay",
    says="a task's load and lower bound are those of its messages; its schedule is free of "
    "conflicts and as long as the bound; replay finds a conflict in a schedule exactly if there "
    "is one",
    over=_TASKS,
    evidence="every message walked on the explicit mesh, link by link and port by port",
    control=Control(
        "conflicts of a schedule with two steps exchanged are not looked for", look=False
    ),
    sizes=Sizes(most=8, limit=9),
)
def library_tasks(d: int, c: int, i: int, M: int, *, look: bool = True) -> Finding:
    """[calmant, Theorems 3 and 4]; schedules are this project's."""
    task = _task(d, c, i, M)
    load, least = largest_load(range(i, i + M), d, c), bound(i, M, d, c)
    if (task.max_load, task.lower_bound) != (load, least):
        return Finding(False, answer=[task.max_load, task.lower_bound], counted=[load, least])
    steps = pipelining.schedule(task).steps
    found = replayed(steps, i, d, c)
    if found.conflict is not None or found.steps != least or not pipelining.replay(task, steps).ok:
        return Finding(False, conflict=found.conflict, steps=found.steps, bound=least)
    draw = random.Random(f"{d} {c} {i} {M}")
    for _ in range(4):
        spoiled = np.array(steps)
        q, n, m = draw.randrange(M), draw.randrange(1 << d), draw.randrange(1 << d)
        spoiled[q, n], spoiled[q, m] = spoiled[q, m], spoiled[q, n]
        free = replayed(spoiled, i, d, c).conflict is None
        if (bool(pipelining.replay(task, spoiled).ok) if look else True) != free:
            return Finding(False, steps=spoiled)
    return Finding(True)


@claim(
    "library.embedding",
    place="lccmodel.pipelining.Embedding",
    says="node_of puts process n on the node whose coordinates hold every c-th bit of n, "
    "process_of takes it back, and dilations are how far neighbours along each dimension are apart",
    over=Enumerated(
        lambda n: ((n, c) for c in range(1, n + 1) if n % c == 0),
        size=lambda n: sum(n % c == 0 for c in range(1, n + 1)),
        names="d, c",
        text="all meshes of c axes of 2^(d/c) nodes",
    ),
    evidence="coordinates read off the bits of every process, distances counted",
    control=Control("the paper's order taken for Matic's", order="blocked"),
    sizes=Sizes(most=10, limit=14),
)
def library_embedding(d: int, c: int, *, order: Literal["cyclic", "blocked"] = "cyclic") -> Finding:
    """[calmant, section 2.3]"""
    label, side = coordinates(d, c), 1 << d // c
    own, asked = pipelining.Embedding(_mesh(d, c)), pipelining.Embedding(_mesh(d, c), order)
    for n in range(1 << d):
        node = sum(int(m) * side**a for a, m in enumerate(label[n]))
        if asked.node_of(n) != node or own.process_of(node) != n:
            return Finding(False, n=n, answer=asked.node_of(n), node=node)
    apart = [int(np.abs(label[1 << i] - label[0]).sum()) for i in range(d)]
    given = list(own.dilations)
    return Finding(given == apart, answer=given, counted=apart)


_MODELS: tuple[tuple[Literal["load", "lower-bound"], str], ...] = (
    ("load", "load"),
    ("lower-bound", "bound"),
)
"""A model of the library and what the checker calls it."""


@claim(
    "library.cost",
    place="lccmodel.pipelining.total_steps, communication_time",
    says="total_steps(mesh, Q) is the sum over the iterations of the pipeline, by link loads and "
    "by lower bounds, and communication_time is that sum as a formula",
    over=on_meshes("all d = n on one, two and three axes, Q <= 12", Q=range(1, 13)),
    evidence="the loads of every iteration counted and added",
    control=Control(
        "one packet more where the pipeline is deep and the mesh has three axes", more=1
    ),
    sizes=Sizes(most=7, limit=12),
)
def library_cost(d: int, c: int, Q: int, *, more: int = 0) -> Finding:
    """[calmant, sections 3.3 and 4.3]"""
    for theirs, ours in _MODELS:
        counted = total_steps(d, Q, c, ours, Q >= d)
        asked = Q + (more if d < Q and c == 3 else 0)
        given = pipelining.total_steps(_mesh(d, c), asked, theirs)
        values = {"d": d, "Q": asked, "N": 60, "alpha": 7, "tau": 3, "b": 2}
        time = pipelining.communication_time(c, theirs).subs(values)
        stated = counted * (7 + Fraction(60 * 3, Q)) + 2 * (d + Q - 1)
        if given != counted or Fraction(int(time.p), int(time.q)) != stated:
            return Finding(
                False, model=theirs, answer=[given, str(time)], counted=[counted, stated]
            )
    return Finding(True)


@claim(
    "library.degree",
    place="lccmodel.pipelining.optimal_degree, exchange_time",
    says="optimal_degree names the Q of least time and that time, and exchange_time is what "
    "binary, quadrant and direct exchange take",
    over=on_meshes(
        "all d = n on one, two and three axes, three block sizes and six costs",
        B=(1, 2, 5),
        alpha=(0, 3, 40),
        barrier=(0, 4),
    ),
    evidence="every Q tried in exact arithmetic, steps counted; rivals by their partners",
    control=Control("no barriers", barriers=False),
    sizes=Sizes(most=8, limit=9),
)
def library_degree(
    d: int, c: int, B: int, alpha: int, barrier: int, *, barriers: bool = True
) -> Finding:
    """[calmant, section 5]"""
    machine = pipelining.Machine(_mesh(d, c), alpha, 1, barrier if barriers else 0)
    found = pipelining.optimal_degree(machine, N=B << d - 1, model="lower-bound")
    N = B << d - 1
    times = {
        Q: steps_of(d, Q, c, "bound") * (alpha + Fraction(N, Q)) + (d + Q - 1) * barrier
        for Q in range(1, N + 1)
    }
    least = min(times.values())
    first = min(Q for Q, time in times.items() if time == least)
    if (found.Q, found.time) != (first, least):
        return Finding(False, answer=[found.Q, found.time], least=[first, least])
    if barrier:
        return Finding(True)
    quiet = pipelining.Machine(_mesh(d, c), alpha, 1)
    names = {"binary": "baseline", "quadrant": "quadrant", "direct": "direct"}
    for name, time in rivals(d, c, B, alpha).items():
        given = pipelining.exchange_time(names[name], quiet, B)
        if name == "direct":  # a node has 2^d - 1 partners, and receives one message in a step
            time = max(time, Fraction((2**d - 1) * (alpha + B)))
        if given != time:
            return Finding(False, method=name, answer=given, stated=time)
    return Finding(True)


@claim(
    "library.complete_exchange",
    place="lccmodel.pipelining.complete_exchange",
    says="complete_exchange moves block j of process n to place n of process j for every Q",
    over=numbers(lambda n: 1 << n - 1, "all Q <= 2^(d-1)", "d, Q", first=1),
    evidence="the transposed matrix",
    control=Control("the natural order of blocks", order="natural"),
    sizes=Sizes(most=5, limit=6),
)
def library_complete_exchange(
    d: int, Q: int, *, order: Literal["reverse", "natural"] = "reverse"
) -> Finding:
    """[calmant, section 5.1]"""
    blocks = np.arange(4**d).reshape(2**d, 2**d)
    run = pipelining.complete_exchange(d).traced(blocks, Q, order)
    ok = bool((run.result == blocks.T).all()) and not run.violations
    return Finding(ok, violations=len(run.violations))


# -- what the library transcribes of [calmant], against the checker's own transcription --------


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
