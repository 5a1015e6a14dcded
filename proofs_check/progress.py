"""A progress bar for claims and cases on a terminal; silence in a pipe."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from proofs_check.display import cases_text

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from proofs_check.runner import Job

__all__ = ["Bar", "watching"]

_REFRESH_SECONDS = 0.2


class Bar:
    """Shows how many claims are settled and how far the first one that is not has come."""

    def __init__(self, rich_progress: RichProgress, claims: int) -> None:
        self._progress = rich_progress
        self._claims = rich_progress.add_task("claims", total=claims, detail="")
        self._cases = rich_progress.add_task("cases", total=None, detail="")
        self._shown = 0.0

    def update(self, jobs: Sequence[Job]) -> None:
        """Called by the runner after every batch of shards."""
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
def watching(claims: int) -> Iterator[Bar | None]:
    """A bar on standard error if that is a terminal, else None."""
    if not sys.stderr.isatty():
        yield None
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
    with Progress(*columns, console=Console(stderr=True), transient=True) as rich_progress:
        yield Bar(rich_progress, claims)
