"""A registry of benchmarks and the way they are measured.

Ours and the peer get inputs made by the same function with the same seed, in the same process,
in turn, so that a busy machine slows both. Warm-up (compilation, caches) is not counted; the
median of the repeats is. A short call is made again and again for 20 ms, and its mean time is one
repeat: after a peer's long run the first call finds cold caches, and took up to four times as long.
A slow peer may get fewer items: times are compared per item, and the results on the peer's input
are compared for equality.

A module of this package that has a list `BENCHMARKS` is found by itself; add one file per subject.
"""

from __future__ import annotations

import gc
import importlib
import math
import os
import pkgutil
import platform
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np

import benchmarks


def as_it_is(ready: Any) -> Any:
    """A peer that takes our input."""
    return ready


def same_values(ours: Any, peer: Any) -> bool:
    """Whether two results hold equal values."""
    return bool(np.array_equal(np.asarray(ours), np.asarray(peer)))


_LEAST_SECONDS = 0.02
_MOST_CALLS = 10_000


@dataclass(frozen=True)
class Benchmark:
    """Work that is done by us and, if named, by a peer.

    `prepare(items)` makes the input, untimed, from a fixed seed; `ours` and `peer` take it.
    `peer_prepare` turns that input into what the peer wants to find ready, untimed too.
    `goal` is the least ratio of peer time to ours; `goal_seconds` the most time for all of `items`.
    """

    name: str
    work: str
    items: int
    prepare: Callable[[int], Any]
    ours: Callable[[Any], Any]
    peer_name: str = ""
    peer: Callable[[Any], Any] | None = None
    peer_prepare: Callable[[Any], Any] = as_it_is
    peer_items: int = 0
    goal: float | None = None
    goal_seconds: float | None = None
    same: Callable[[Any, Any], bool] = same_values
    repeats: int = 7

    def __post_init__(self) -> None:
        if (self.peer is None) != (not self.peer_name) or (self.goal and not self.peer):
            raise ValueError(f"{self.name}: a peer has a name, and a ratio needs a peer")
        if self.items < 1 or self.repeats < 1:
            raise ValueError(f"{self.name}: items and repeats must be positive")


@dataclass(frozen=True)
class Measurement:
    """What one benchmark took; `ratio` is the peer's time per item divided by ours.

    `equal` is None without a peer; `reached` is None without a goal; a `note` says why there is
    no peer time.
    """

    name: str
    work: str
    items: int
    seconds: float
    peer: str
    peer_items: int
    peer_seconds: float | None
    ratio: float | None
    goal: float | None
    goal_seconds: float | None
    reached: bool | None
    equal: bool | None
    repeats: int
    note: str = ""

    def record(self) -> dict[str, Any]:
        """The fields, ready for JSON."""
        return asdict(self)


def measure(
    benchmark: Benchmark, repeats: int | None = None, clock: Callable[[], float] = perf_counter
) -> Measurement:
    """Run a benchmark: warm up, compare the results, then time ours and the peer in turn."""
    times = repeats or benchmark.repeats
    ready = benchmark.prepare(benchmark.items)
    benchmark.ours(ready)
    note, equal, peer_seconds = "", None, None
    peer_items = benchmark.peer_items or benchmark.items
    peer_ready: Any = None
    running = benchmark.peer is not None
    if benchmark.peer is not None:
        sample = ready if peer_items == benchmark.items else benchmark.prepare(peer_items)
        try:
            peer_ready = benchmark.peer_prepare(sample)
            equal = benchmark.same(benchmark.ours(sample), benchmark.peer(peer_ready))
        except ImportError as error:
            running, note = False, f"{error.name} is not installed"
    own_times, peer_times = [], []
    for _ in range(times):
        own_times.append(_seconds(benchmark.ours, ready, clock))
        if running and benchmark.peer is not None:
            peer_times.append(_seconds(benchmark.peer, peer_ready, clock))
    seconds = statistics.median(own_times)
    ratio = None
    if peer_times:
        peer_seconds = statistics.median(peer_times)
        ratio = (peer_seconds / peer_items) / (seconds / benchmark.items)
    return Measurement(
        name=benchmark.name,
        work=benchmark.work,
        items=benchmark.items,
        seconds=seconds,
        peer=benchmark.peer_name,
        peer_items=peer_items if benchmark.peer else 0,
        peer_seconds=peer_seconds,
        ratio=ratio,
        goal=benchmark.goal,
        goal_seconds=benchmark.goal_seconds,
        reached=_reached(benchmark, seconds, ratio),
        equal=equal,
        repeats=times,
        note=note,
    )


def _reached(benchmark: Benchmark, seconds: float, ratio: float | None) -> bool | None:
    judged = []
    if benchmark.goal is not None and ratio is not None:
        judged.append(ratio >= benchmark.goal)
    if benchmark.goal_seconds is not None:
        judged.append(seconds <= benchmark.goal_seconds)
    return all(judged) if judged else None


def _seconds(function: Callable[[Any], Any], ready: Any, clock: Callable[[], float]) -> float:
    """Seconds of a call: the mean of as many as take 20 ms together."""
    collecting = gc.isenabled()
    gc.disable()  # a collection in one of the two would be charged to it
    calls, elapsed = 0, 0.0
    try:
        start = clock()
        while elapsed < _LEAST_SECONDS and calls < _MOST_CALLS:
            result = function(ready)
            calls += 1
            elapsed = clock() - start
    finally:
        if collecting:
            gc.enable()
    del result
    return elapsed / calls


def discover() -> tuple[Benchmark, ...]:
    """The benchmarks of every module of this package, in the order of the modules' names."""
    benchmarks = tuple(_modules_benchmarks())
    names = [benchmark.name for benchmark in benchmarks]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise ValueError(f"benchmarks with the same name: {', '.join(doubled)}")
    return benchmarks


def _modules_benchmarks() -> Iterator[Benchmark]:
    for module in sorted(pkgutil.iter_modules(benchmarks.__path__), key=lambda entry: entry.name):
        if module.name not in ("__main__", "harness"):
            loaded = importlib.import_module(f"benchmarks.{module.name}")
            registered: Sequence[Benchmark] = getattr(loaded, "BENCHMARKS", ())
            yield from registered


def machine() -> dict[str, Any]:
    """What the numbers depend on."""
    import numba

    import lccmodel

    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else math.nan
    return {
        "lccmodel": lccmodel.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "system": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(load, 2),
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123 - a device
            models = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    except OSError:
        models = []
    return models[0] if models else platform.processor()
