"""Shards: ranges of cases, and the bookkeeping that makes their sum independent of the cutting.

A track follows one variant of one claim through its n in ascending order. Shards may be cut at any
place and finish in any order; the outcome is that of a single pass that stops at the first failing
case:

    counterexample   the least n, then the least index, that fails
    cases            all cases before it and itself; all cases of the domain if none fails

The control is a near miss, which the last case that it spoils must refute: its stages begin with
the largest n, and their indices run backwards.

Work beyond a failing case is not started, and not counted where it was done already.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from proofs_check.claim import Claim, Examined


class Stage(NamedTuple):
    """All cases of one n, or the sample drawn at that n; indices run from 0 to length - 1.

    `mode` is "all", "backwards" (index 0 is the last of the domain), or "sample ...".
    """

    n: int
    length: int
    cases: int
    mode: str

    @property
    def is_sample(self) -> bool:
        """Whether these are random cases."""
        return self.mode not in ("all", "backwards")


class ShardTask(NamedTuple):
    """One shard, as it is sent to a worker: plain values only."""

    claim: str
    module: str
    version: str
    variant: str
    n: int
    mode: str
    seed: int
    start: int
    stop: int

    @property
    def key(self) -> str:
        """The sha256 under which the ledger keeps the shard."""
        return hashlib.sha256(repr((self.claim, *self[2:])).encode()).hexdigest()


def stages(claim: Claim, max_n: int | None) -> tuple[Stage, ...]:
    """The n of a run in ascending order, exhaustive ones first."""
    exhaustive = tuple(_stage(claim, n, "all") for n in claim.dimensions(max_n))
    drawn = []
    for n in claim.sampled_dimensions(max_n):
        sample = claim.samples[n]
        count = sample.blocks * sample.length
        drawn.append(Stage(n, count, count, f"sample {sample.blocks}x{sample.length}"))
    return exhaustive + tuple(drawn)


def control_stages(claim: Claim, max_n: int | None) -> tuple[Stage, ...]:
    """The n where the control is looked for: from the largest of a run down, then larger ones.

    A statement that a small n cannot tell from the spoiled one needs one that the claim declares.
    """
    reached = claim.dimensions(max_n)
    beyond = tuple(n for n in claim.dimensions() if n > reached[-1])
    return tuple(_stage(claim, n, "backwards") for n in (*reversed(reached), *beyond))


def _stage(claim: Claim, n: int, mode: str) -> Stage:
    return Stage(n, claim.domain.span(n), claim.domain.size(n), mode)


def perform(task: ShardTask) -> Examined:
    """Run one shard; this is what a worker does. Exceptions of the claim's code are reported."""
    from proofs_check import registry

    began = time.thread_time()
    try:
        registry.load([task.module])
        claim = registry.get_claim(task.claim)
        if claim.version != task.version:
            text = f"the worker has version {claim.version} of {task.claim}, not {task.version}"
            return Examined(0, problem=text)
        began = time.thread_time()
        examined = _examine(claim, task)
    except Exception as error:  # a claim's code may raise anything; the run goes on without it
        examined = Examined(0, problem=in_one_line(error))
    return examined._replace(seconds=time.thread_time() - began)


def _examine(claim: Claim, task: ShardTask) -> Examined:
    if task.mode == "backwards":
        end = claim.domain.span(task.n)
        examined = claim.examine_control(task.n, end - task.stop, end - task.start)
        return (
            examined
            if examined.failing is None
            else examined._replace(failing=end - 1 - examined.failing)
        )
    count = 0
    for first, start, stop in base_ranges(claim, task.n, task.mode, task.seed, *task[-2:]):
        examined = claim.examine(task.variant, task.n, start, stop)
        count += examined.cases
        if examined.failing is not None:
            return Examined(count, first + examined.failing - start)
    return Examined(count)


def base_ranges(
    claim: Claim, n: int, mode: str, seed: int, start: int, stop: int
) -> Iterator[tuple[int, int, int]]:
    """Cut a range of a stage into ranges of the domain: (stage index, start, stop) of each."""
    if mode == "all":
        yield start, start, stop
        return
    if mode == "backwards":
        end = claim.domain.span(n)
        yield start, end - stop, end - start
        return
    length = claim.samples[n].length
    starts = claim.sample_starts(n, seed)
    while start < stop:
        block, offset = divmod(start, length)
        taken = min(length - offset, stop - start)
        yield start, starts[block] + offset, starts[block] + offset + taken
        start += taken


def in_one_line(error: Exception) -> str:
    """An exception with the function and line that raised it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = "" if trace is None else f" ({trace.tb_frame.f_code.co_name}, line {trace.tb_lineno})"
    return " ".join(f"{type(error).__name__}: {error}{where}".split())


class Track:
    """The shards of one variant of one claim: what is finished, under way, and still to do."""

    def __init__(self, claim: Claim, variant: str, plan: Iterable[Stage], seed: int) -> None:
        self.claim, self.variant, self.seed = claim, variant, seed
        self.plan = tuple(plan)
        self.problem: str | None = None
        self.failing: tuple[int, int] | None = None  # position of the stage, index there
        self._position = {(stage.n, stage.mode): i for i, stage in enumerate(self.plan)}
        self._finished = [0] * len(self.plan)
        self._examined: list[list[tuple[int, Examined]]] = [[] for _ in self.plan]
        self._gaps: list[list[tuple[int, int]]] = [[(0, stage.length)] for stage in self.plan]
        self._open: dict[tuple[int, int], ShardTask] = {}

    # -- taking up what a ledger holds ------------------------------------------------------

    def reuse(self, position: int, kept: Iterable[tuple[int, int, Examined]]) -> None:
        """Take over finished ranges of a stage; where they overlap the first and longest count."""
        covered = 0
        gaps = []
        for start, stop, examined in sorted(kept, key=lambda piece: (piece[0], -piece[1])):
            if start < covered or stop > self.plan[position].length:
                continue
            if start > covered:
                gaps.append((covered, start))
            covered = stop
            self._add(position, start, stop, examined)
        if covered < self.plan[position].length:
            gaps.append((covered, self.plan[position].length))
        self._gaps[position] = gaps

    # -- handing out and taking back ----------------------------------------------------------

    def next_task(self, size: int) -> ShardTask | None:
        """The next range still to do, at most `size` long; None when all are handed out."""
        if self.problem is not None:
            return None
        for position, gaps in enumerate(self._gaps):
            if not gaps or not self._matters(position, gaps[0][0]):
                continue
            low, high = gaps[0]
            cut = min(high, low + max(size, 1))
            gaps[:1] = [(cut, high)] if cut < high else []
            stage = self.plan[position]
            task = ShardTask(
                self.claim.id,
                self.claim.module,
                self.claim.version,
                self.variant,
                stage.n,
                stage.mode,
                self.seed,
                low,
                cut,
            )
            self._open[position, low] = task
            return task
        return None

    @property
    def next_n(self) -> int:
        """The n of the next task."""
        for position, gaps in enumerate(self._gaps):
            if gaps and self._matters(position, gaps[0][0]):
                return self.plan[position].n
        return self.plan[-1].n

    def finish(self, task: ShardTask, examined: Examined) -> None:
        """Enter the result of a task that `next_task` gave out."""
        position = self._position[task.n, task.mode]
        del self._open[position, task.start]
        if examined.problem is not None:
            self.problem = self.problem or f"n = {task.n}: {examined.problem}"
            return
        self._add(position, task.start, task.stop, examined)

    def _add(self, position: int, start: int, stop: int, examined: Examined) -> None:
        self._examined[position].append((start, examined))
        self._finished[position] += stop - start
        if examined.failing is not None:
            at = (position, examined.failing)
            self.failing = at if self.failing is None else min(self.failing, at)

    def _matters(self, position: int, start: int) -> bool:
        return self.failing is None or (position, start) <= self.failing

    # -- the sum ----------------------------------------------------------------------------

    @property
    def is_done(self) -> bool:
        """Whether the outcome is settled; shards beyond a failing case may still be under way."""
        if self.problem is not None:
            return True
        todo = [(i, gap[0]) for i, gaps in enumerate(self._gaps) for gap in gaps]
        return not any(self._matters(*key) for key in (*todo, *self._open))

    @property
    def indices(self) -> tuple[int, int]:
        """(finished, all) indices of the n up to the failing one, for a progress bar."""
        last = len(self.plan) if self.failing is None else self.failing[0] + 1
        total = sum(stage.length for stage in self.plan[:last])
        return (total, total) if self.is_done else (sum(self._finished[:last]), total)

    def outcome(self) -> Examined:
        """The counterexample, an index of the stage of `self.failing`, and the cases up to it."""
        counted = [
            [
                examined
                for start, examined in self._examined[position]
                if self._matters(position, start)
            ]
            for position in range(len(self.plan))
        ]
        cases = [sum(examined.cases for examined in stage) for stage in counted]
        return Examined(
            sum(cases),
            None if self.failing is None else self.failing[1],
            sum(examined.seconds for stage in counted for examined in stage),
            self.problem or self._count_problem(cases),
        )

    def _count_problem(self, examined: list[int]) -> str | None:
        last = len(self.plan) if self.failing is None else self.failing[0]
        for stage, cases in list(zip(self.plan, examined, strict=True))[:last]:
            if cases != stage.cases:
                return f"n = {stage.n}: {cases} cases examined, the domain has {stage.cases}"
        return None
