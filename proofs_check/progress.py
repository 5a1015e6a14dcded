"""What a run shows while it goes on: verdicts as they are settled, and a bar on a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from lccmodel.kernels import notice
from proofs_check.display import cases_text, seconds_text

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from proofs_check.runner import ClaimRun

_REFRESH_SECONDS = 0.2


class Verdicts:
    """Says every verdict in one line as soon as it is settled."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said: set[str] = set()

    def update(self, jobs: Sequence[ClaimRun]) -> None:
        """Called by the runner after every batch of shards."""
        for job in jobs:
            if job.result is None or job.claim.id in self._said:
                continue
            self._said.add(job.claim.id)
            part = "" if job.result.covers is None else f" for {job.result.covers}"
            time_taken = seconds_text(job.result.seconds)
            self._say(f"{job.claim.id}: {job.result.verdict}{part} ({time_taken})")


class Bar:
    """Shows how many claims are settled and how far the first one that is not has come."""

    def __init__(self, rich_progress: RichProgress, claims: int, tell: bool) -> None:
        self._progress = rich_progress
        self._verdicts = Verdicts(rich_progress.console.print) if tell else None
        self._claims = rich_progress.add_task("claims", total=claims, detail="")
        self._cases = rich_progress.add_task("cases", total=None, detail="")
        self._shown = 0.0

    def compiling(self, text: str) -> None:
        """Say in place of the cases what is compiled."""
        self._progress.update(self._cases, detail=text)

    def update(self, jobs: Sequence[ClaimRun]) -> None:
        """Called by the runner after every batch of shards."""
        if self._verdicts is not None:
            self._verdicts.update(jobs)
        now = time.monotonic()
        open_jobs = [job for job in jobs if job.result is None]
        if open_jobs and now - self._shown < _REFRESH_SECONDS:
            return
        self._shown = now
        self._progress.update(
            self._claims,
            total=len(jobs),
            completed=len(jobs) - len(open_jobs),
            detail=open_jobs[0].claim.id if open_jobs else "",
        )
        shown = open_jobs[0] if open_jobs else jobs[-1]
        counts = [track.indices for track in shown.tracks.values()]
        finished, total = (sum(column) for column in zip(*counts, strict=True))
        detail = f"{cases_text(finished)} of {cases_text(total)}"
        self._progress.update(self._cases, total=total, completed=finished, detail=detail)


@contextlib.contextmanager
def watching(claims: int, tell: bool) -> Iterator[Bar | Verdicts | None]:
    """A bar on standard error if that is a terminal; with `tell` the verdicts of several claims."""
    tell = tell and claims > 1
    if not sys.stderr.isatty():
        yield Verdicts(_to_stderr) if tell else None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:>6}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[detail]}"),
    )
    console = Console(stderr=True, highlight=False)
    with Progress(*columns, console=console, transient=True) as rich_progress:
        bar = Bar(rich_progress, claims, tell)
        before = notice.tell(bar.compiling)
        try:
            yield bar
        finally:
            notice.tell(before)


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
