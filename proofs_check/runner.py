"""Running claims: shards go out in order, results come back in any, the sums are the same.

Every variant of a claim is a track (`proofs_check.shards`). The runner keeps as many shards in
flight as the executor wants, taken from the first tracks that have any, enters what comes back in
the ledger, and settles a claim when its tracks are done. A claim that fails brings its amended
claim into the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Protocol

from lccmodel.errors import InputError, SizeLimitError
from proofs_check.claim import CONTROL, Claim
from proofs_check.display import cases_text, seconds_text
from proofs_check.estimate import seconds_per_index
from proofs_check.executor import Executor, Serial
from proofs_check.ledger import Ledger
from proofs_check.registry import get_claim
from proofs_check.result import Result, settle, with_amended
from proofs_check.shards import Done, Task, Track, stages

__all__ = ["DEFAULT_SEED", "Options", "Progress", "check", "plan", "run"]

DEFAULT_SEED = 1
PATIENCE = 900.0
"""Seconds that a run beyond the default n may take by estimate before `--force` is asked for."""

_FIRST_SIZE = 256
_GROWTH = 8
SHARD_SECONDS = 1.0


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

    def update(self, jobs: Sequence[Job]) -> None:
        """All claims of the run, with their tracks."""


class Job:
    """One claim under way: a track for every variant, and the pace at which it goes."""

    def __init__(self, claim: Claim, options: Options, ledger: Ledger) -> None:
        self.claim = claim
        self.tracks = {
            v: Track(claim, v, stages(claim, _reach(claim, v, options)), options.seed)
            for v in claim.variants
        }
        self.result: Result | None = None
        self.options = options
        self._is_sent = False
        self._pace: dict[int, tuple[float, int]] = {}
        self._best: dict[int, float] = {}
        if options.resume:
            for track in self.tracks.values():
                ledger.resume(track)

    def next_task(self) -> Task | None:
        """The next shard of any variant; the control goes first, as it should end at once.

        The first shard goes alone: it compiles the claim's kernels, which two workers would do
        both; later shards find them on disk.
        """
        if self._is_sent and not self._pace:
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

    def finish(self, task: Task, done: Done) -> None:
        """Enter the result of a shard."""
        self.tracks[task.variant].finish(task, done)
        size = task.stop - task.start
        pace = done.seconds / max(size, 1)  # an n may have no cases
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


def _reach(claim: Claim, variant: str, options: Options) -> int | None:
    """The max_n of a variant; a control may need a larger n than a small one that was asked for.

    It ends at its first failing case, so going on to the n that the claim declares costs little.
    """
    if options.max_n is None:
        return None
    top = options.max_n
    if options.clamp and claim.limit_n is not None:
        top = min(top, claim.limit_n)
    return top if variant != CONTROL else max(top, *(claim.domain.dimensions or (claim.max_n,)))


def plan(claims: Iterable[Claim], options: Options, ledger: Ledger) -> Iterator[tuple[Job, float]]:
    """Every claim with the estimated seconds of computing left to do beyond its default n.

    Claims within the n that they declare count as 0: they are meant to be run as they are.
    """
    claims = list(claims)
    options = replace(options, clamp=options.clamp or len(claims) > 1)
    for claim in claims:
        job = Job(claim, options, ledger)
        top = max(stage.n for stage in job.tracks["printed"].plan)
        seconds = 0.0
        if options.max_n is not None and top > claim.max_n and claim.domain.dimensions is None:
            finished, total = job.tracks["printed"].indices
            if finished < total:
                seconds = seconds_per_index(claim, top, ledger) * (total - finished)
        yield job, seconds


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
        SizeLimitError: the estimate is beyond `PATIENCE`, or a claim cannot reach max_n.

    >>> from proofs_check import Options, select
    >>> [found.verdict for found in run(select(["hou.thm1"]), Options(max_n=2))]
    ['holds']
    """
    options = options or Options()
    with closing(executor or Serial()) as workers:
        kept = ledger or Ledger(None)
        jobs = []
        for job, seconds in plan(claims, options, kept):
            _check_patience(job, seconds, options)
            jobs.append(job)
        _work(jobs, options, kept, workers, progress)
    return [job.result for job in jobs if job.result is not None]


def check(
    id: str,  # noqa: A002 - it is called id everywhere
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

    >>> result = check("hou.thm3", max_n=1)
    >>> result.verdict, result.amended.verdict
    ('fails', 'holds')
    >>> result.counterexample.case
    {'A': [[1]], 'b': [0]}
    """
    options = Options(max_n=max_n, seed=seed, force=force)
    return run([get_claim(id)], options)[0]


def _check_patience(job: Job, seconds: float, options: Options) -> None:
    wall = seconds / options.workers
    if options.force or wall <= PATIENCE:
        return
    cases = sum(stage.cases for stage in job.tracks["printed"].plan)
    rule = (
        f"{job.claim.id} has {cases_text(cases)} cases up to there, about {seconds_text(wall)} "
        f"on {options.workers} core{'s' if options.workers > 1 else ''}; --force runs it"
    )
    raise SizeLimitError("max-n", rule, options.max_n)


def _work(
    jobs: list[Job],
    options: Options,
    ledger: Ledger,
    executor: Executor,
    progress: Progress | None,
) -> None:
    """Settle every job; appends those of amended claims to `jobs`."""
    in_flight: dict[Task, Job] = {}
    _settle_done(jobs, options, ledger)
    while True:
        for job in jobs:
            while job.result is None and len(in_flight) < executor.capacity:
                task = job.next_task()
                if task is None:
                    break
                in_flight[task] = job
                executor.submit(task)
        if not in_flight or all(job.result is not None for job in jobs):
            return
        finished = executor.collect(sum(job.remaining for job in jobs))
        ledger.keep(finished)
        for task, done in finished:
            in_flight.pop(task).finish(task, done)
        _settle_done(jobs, options, ledger)
        if progress is not None:
            progress.update(jobs)


def _settle_done(jobs: list[Job], options: Options, ledger: Ledger) -> None:
    """Settle the jobs whose tracks are done; one that fails waits for its amended claim."""
    ids = {job.claim.id: job for job in jobs}
    for job in list(jobs):
        if job.result is not None or not job.is_done:
            continue
        result = settle(job.claim, job.tracks, options.seed)
        if result.verdict == "fails" and job.claim.amended is not None:
            amended = ids.get(job.claim.amended)
            if amended is None:
                amended = Job(get_claim(job.claim.amended), replace(options, clamp=True), ledger)
                jobs.insert(jobs.index(job) + 1, amended)
                ids[amended.claim.id] = amended
            if amended.result is None and not amended.is_done:
                continue
            if amended.result is None:
                amended.result = _enter(
                    settle(amended.claim, amended.tracks, options.seed), options, ledger
                )
            result = with_amended(result, amended.result)
        job.result = _enter(result, options, ledger)


def _enter(result: Result, options: Options, ledger: Ledger) -> Result:
    exhaustive = max(stage.n for stage in result.stages if not stage.is_sample)
    ledger.settle(result.record(), exhaustive)
    ledger.forget_other_versions(result.claim.id, result.claim.version)
    return result
