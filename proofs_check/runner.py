"""Running claims: shards go out in order, results come back in any, the sums are the same.

Every variant of a claim is a track (`proofs_check.shards`). The runner keeps as many shards in
flight as the executor wants, taken from the first tracks that have any, enters what comes back in
the ledger, and settles a claim when its tracks are done. A claim that fails brings its amended
claim into the run.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

from lccmodel.errors import InputError, SizeLimitError
from proofs_check.claim import CONTROL, PRINTED, READING, Claim
from proofs_check.display import cases_text, seconds_text
from proofs_check.executor import Executor, Serial
from proofs_check.finding import Examined
from proofs_check.ledger import Ledger
from proofs_check.registry import get_claim
from proofs_check.result import Result, settle, with_amended
from proofs_check.shards import ShardTask, Track, control_stages, stages

DEFAULT_SEED = 1
PATIENCE = 900.0
"""Seconds that a run beyond the default n may take by estimate before `--force` is asked for."""

_FIRST_SIZE = 256
_GROWTH = 8
SHARD_SECONDS = 1.0
_PILOT_SECONDS = 0.2
_SLICES = 8
_FEWEST_INDICES = 64


def seconds_per_index(claim: Claim, n: int, ledger: Ledger | None = None) -> float:
    """Seconds of computing for one index, all variants that run to the end counted.

    Taken from the ledger's shards, or measured on slices at random places (fixed seed): in the
    middle of a domain such as the nonsingular matrices hundreds of indices may hold no case. A
    claim of a few large cases counts as 0, since to measure one would be to run it.
    """
    known = None if ledger is None else ledger.cost(claim.id, claim.version, n)
    if known is not None:
        return known
    span = claim.domain.span(n)
    if span < _FEWEST_INDICES:
        return 0.0
    variant = READING if READING in claim.variants else PRINTED
    places = random.Random(claim.id)
    claim.examine(variant, n, 0, 1)  # compiles
    size = 1
    while True:
        seconds, indices = 0.0, 0
        for _ in range(_SLICES):
            start = places.randrange(span)
            began = time.thread_time()
            examined = claim.examine(variant, n, start, min(start + size, span))
            seconds += time.thread_time() - began
            reached = min(start + size, span) if examined.failing is None else examined.failing + 1
            indices += reached - start
        if seconds > _PILOT_SECONDS or size >= span:
            return seconds / indices
        size *= 4


@dataclass(frozen=True)
class Options:
    """How claims are run.

    Attributes: `max_n`, exhaustive up to there and no samples (None: what each claim declares);
    `seed` of the samples; `resume` from the ledger; `shard_size` in indices (None: about a
    second's work); `workers`, for estimates; `force`, skip the estimate; `clamp`, let a claim that
    cannot reach `max_n` go as far as it can (a run of several claims does so).
    """

    max_n: int | None = None
    seed: int = DEFAULT_SEED
    resume: bool = False
    shard_size: int | None = None
    workers: int = 1
    force: bool = False
    clamp: bool = False

    def __post_init__(self) -> None:
        for name, value in (("max-n", self.max_n), ("shard-size", self.shard_size)):
            if value is not None and value < 1:
                raise InputError(name, "must be at least 1", value)
        if self.workers < 1:
            raise InputError("workers", "must be at least 1", self.workers)


class Progress(Protocol):
    """Is told how far a run is."""

    def update(self, jobs: Sequence[ClaimRun]) -> None:
        """All claims of the run, with their tracks."""


class ClaimRun:
    """One claim under way: a track for every variant, and the pace at which it goes."""

    def __init__(self, claim: Claim, options: Options, ledger: Ledger) -> None:
        self.claim = claim
        self.result: Result | None = None
        self.options = options
        self.shortened: str | None = None
        self._is_begun = self._is_sent = self._is_back = False
        self._ledger = ledger
        self._pace: dict[int, tuple[float, int]] = {}
        self._best: dict[int, float] = {}
        self._plan(_reach(claim, options))

    def _plan(self, reach: int | None) -> None:
        self.tracks = {
            variant: Track(self.claim, variant, of(self.claim, reach), self.options.seed)
            for variant in self.claim.variants
            for of in (control_stages if variant == CONTROL else stages,)
        }
        if self.options.resume:
            for track in self.tracks.values():
                self._ledger.resume(track)

    def too_long(self) -> str | None:
        """Why it should not be run without `--force`: its estimate is beyond `PATIENCE`.

        Within the n that a claim declares nothing is: that is meant to be run as it is.
        """
        claim, printed = self.claim, self.tracks[PRINTED]
        top = max(stage.n for stage in printed.plan)
        is_fixed = claim.domain.dimensions is not None
        if self.options.force or self.options.max_n is None or top <= claim.max_n or is_fixed:
            return None
        finished, total = printed.indices
        if finished == total:
            return None
        seconds = seconds_per_index(claim, top, self._ledger) * (total - finished)
        workers = self.options.workers
        if seconds / workers <= PATIENCE:
            return None
        cases = cases_text(sum(stage.cases for stage in printed.plan))
        return (
            f"{cases} cases up to n = {top} take about {seconds_text(seconds / workers)} "
            f"on {workers} core{'s' if workers > 1 else ''}; --force runs it"
        )

    def begin(self) -> None:
        """Called before its first shard: one of several claims that is too long goes less far."""
        if self._is_begun:
            return
        self._is_begun = True
        if self.options.clamp and (why := self.too_long()) is not None:
            self.shortened = f"{why}; settled as far as it declares"
            self._plan(None)

    def next_task(self) -> ShardTask | None:
        """The next shard of any variant; the control goes first, as it should end at once.

        The first shard goes alone: it compiles the claim's kernels, which two workers would do
        both; later shards find them on disk.
        """
        if self._is_sent and not self._is_back:
            return None
        for track in reversed(self.tracks.values()):
            task = track.next_task(self._size(track))
            if task is not None:
                self._is_sent = True
                return task
        return None

    def _size(self, track: Track) -> int:
        if self.options.shard_size is not None:
            return self.options.shard_size
        n = track.next_n
        if n not in self._pace:
            return _FIRST_SIZE
        per_index, last = self._pace[n]
        wanted = _GROWTH * last if per_index <= 0 else int(SHARD_SECONDS / per_index)
        return max(1, min(wanted, _GROWTH * last))

    def finish(self, task: ShardTask, examined: Examined) -> None:
        """Enter the result of a shard."""
        self.tracks[task.variant].finish(task, examined)
        self._is_back = True
        if examined.failing is not None:  # it did not go through its range
            return
        size = task.stop - task.start
        pace = examined.seconds / max(size, 1)  # an n may have no cases
        if task.n in self._pace:
            self._best[task.n] = min(pace, self._best.get(task.n, pace))
        self._pace[task.n] = (pace, size)

    @property
    def is_done(self) -> bool:
        """Whether every variant is settled."""
        return all(track.is_done for track in self.tracks.values())

    @property
    def remaining(self) -> float:
        """Estimated seconds of work left, from the best pace at the largest n that has one.

        A first shard compiles and fills tables, so one shard alone says nothing yet.
        """
        if self.is_done or not self._best:
            return 0.0
        left = (total - finished for finished, total in (t.indices for t in self.tracks.values()))
        return self._best[max(self._best)] * sum(left)


def _reach(claim: Claim, options: Options) -> int | None:
    """The max_n of a claim: what was asked for, as far as the claim can go."""
    if options.max_n is not None and options.clamp and claim.limit_n is not None:
        return min(options.max_n, claim.limit_n)
    return options.max_n


def plan(claims: Iterable[Claim], options: Options, ledger: Ledger) -> list[ClaimRun]:
    """A job for every claim; of several each goes as far as it can."""
    claims = list(claims)
    options = replace(options, clamp=options.clamp or len(claims) > 1)
    return [ClaimRun(claim, options, ledger) for claim in claims]


def run(
    claims: Iterable[Claim],
    options: Options | None = None,
    *,
    ledger: Ledger | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Settle claims; the results come in the order of `claims`, amended ones after theirs.

    Args:
        claims: what to check.
        options: n, seed, shard size and whether to resume.
        ledger: where shards and records are kept; in memory if left out.
        executor: where shards are run; in this process if left out. It is closed at the end.
        progress: is told after every batch of shards.

    Raises:
        SizeLimitError: one claim alone is asked for, and the estimate is beyond `PATIENCE`, or it
            cannot reach max_n. Of several each goes as far as it can; `Result.shortened` says so.

    >>> from proofs_check import Options, select
    >>> [result.verdict for result in run(select(["hou.thm1"]), Options(max_n=2))]
    ['holds']
    """
    options = options or Options()
    with closing(executor or Serial()) as workers:
        kept = ledger or Ledger(None)
        jobs = plan(claims, options, kept)
        if len(jobs) == 1 and (why := jobs[0].too_long()) is not None:
            raise SizeLimitError("max-n", why, options.max_n)
        _work(jobs, options, kept, workers, progress)
    return [job.result for job in jobs if job.result is not None]


def check(
    id: str,
    max_n: int | None = None,
    *,
    seed: int = DEFAULT_SEED,
    force: bool = False,
) -> Result:
    """Check one claim in this process and return its result, which a notebook shows in full.

    Args:
        id: of the claim, e.g. "hou.thm3".
        max_n: exhaustive up to there; what the claim declares if left out.
        seed: of random samples.
        force: do not refuse what takes long.

    Raises:
        InputError: no such claim, or max_n < 1.
        SizeLimitError: max_n is too large.

    >>> result = check("edelman.subcube", max_n=2)
    >>> result.verdict, result.amended.verdict
    ('fails', 'holds')
    >>> result.counterexample.case
    {'A': [[1, 0], [1, 0]], 'b': [0, 0]}
    """
    options = Options(max_n=max_n, seed=seed, force=force)
    return run([get_claim(id)], options)[0]


def _work(
    jobs: list[ClaimRun],
    options: Options,
    ledger: Ledger,
    executor: Executor,
    progress: Progress | None,
) -> None:
    """Settle every job; appends those of amended claims to `jobs`."""
    in_flight: dict[ShardTask, ClaimRun] = {}
    _settle_done(jobs, options, ledger)
    while True:
        for job in jobs:
            while job.result is None and len(in_flight) < executor.capacity:
                job.begin()
                task = job.next_task()
                if task is None:
                    break
                in_flight[task] = job
                executor.submit(task)
        if not in_flight or all(job.result is not None for job in jobs):
            return
        finished = executor.collect(sum(job.remaining for job in jobs))
        ledger.keep(finished)
        for task, examined in finished:
            in_flight.pop(task).finish(task, examined)
        _settle_done(jobs, options, ledger)
        if progress is not None:
            progress.update(jobs)


def _settle_done(jobs: list[ClaimRun], options: Options, ledger: Ledger) -> None:
    """Settle the jobs whose tracks are done; one that fails waits for its amended claim."""
    ids = {job.claim.id: job for job in jobs}
    for job in list(jobs):
        if job.result is not None or not job.is_done:
            continue
        result = _settled(job)
        if result.verdict == "fails" and job.claim.amended is not None:
            amended = ids.get(job.claim.amended)
            if amended is None:
                amended = ClaimRun(
                    get_claim(job.claim.amended), replace(options, clamp=True), ledger
                )
                jobs.insert(jobs.index(job) + 1, amended)
                ids[amended.claim.id] = amended
            if amended.result is None and not amended.is_done:
                continue
            if amended.result is None:
                amended.result = _enter(_settled(amended), ledger)
            result = with_amended(result, amended.result)
        job.result = _enter(result, ledger)


def _settled(job: ClaimRun) -> Result:
    result = settle(job.claim, job.tracks, job.options.seed)
    return replace(result, shortened=job.shortened)


def _enter(result: Result, ledger: Ledger) -> Result:
    exhaustive = max(stage.n for stage in result.stages if not stage.is_sample)
    ledger.settle(result.record(), exhaustive)
    ledger.forget_other_versions(result.claim.id, result.claim.version)
    return result
