"""Message times as people have them: one run of a benchmark, or a table size,time.

    OSU, IMB, NetPIPE, perftest, ucx_perftest, nccl-tests    as `reading.times` reads them
    CSV or TSV    size,time     the heading may name the unit: time_us, time [ms], seconds

Sizes are bytes, times microseconds, for one message one way. The kind is told by what stands in
the file. A size may occur more than once: these are repetitions.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lccmodel.errors import FileError, InputError, Reason, checked_array
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import read_only
from lccmodel.ground.views import Viewed
from lccmodel.reading.recognise import read
from lccmodel.reading.times import Row, Run, named_runs


@typed_arguments
@dataclass(frozen=True, eq=False)
class Measurements(Viewed, view="measurements"):
    """Times of messages.

    Args:
        sizes: bytes, int64 of shape (m,), at least 0.
        times: microseconds, float64 of shape (m,), above 0; of one message, one way.
        kind: what measured them.
        start_up: whether a short message takes its start-up time; False for the rates of a window
            of messages, whose times are the gaps between them.
        left_out: what else stands in the file and does not count, in words.

    Raises:
        InputError: the shapes differ, there are no measurements, or a number is out of range.

    >>> Measurements([8, 1024], [1.5, 2.0], "ping-pong")
    <Measurements ping-pong: 2 times of 2 sizes, 8..1024 bytes>
    """

    sizes: npt.NDArray[np.int64]
    times: npt.NDArray[np.float64]
    kind: str = "ping-pong"
    start_up: bool = True
    left_out: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        sizes = checked_array("sizes", self.sizes).copy()
        try:
            times = np.array(self.times, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise InputError("times", "must be numbers", self.times) from None
        if sizes.ndim != 1 or sizes.shape != times.shape or not sizes.size:
            rule = "must be two lists of equal length, with a number at least"
            raise InputError("sizes, times", rule, (sizes.shape, times.shape))
        if sizes.min() < 0:
            raise InputError("sizes", "must not be negative", int(sizes.min()))
        if not (np.isfinite(times).all() and times.min() > 0):
            bad = times[~(np.isfinite(times) & (times > 0))][0]
            raise InputError("times", "must be finite and above 0", float(bad))
        order = np.argsort(sizes, kind="stable")
        for name, values in (("sizes", sizes[order]), ("times", times[order])):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @property
    def distinct(self) -> npt.NDArray[np.int64]:
        """The sizes, each once, ascending."""
        return read_only(np.unique(self.sizes))

    @property
    def medians(self) -> npt.NDArray[np.float64]:
        """The median time of every distinct size."""
        starts = np.searchsorted(self.sizes, self.distinct)
        return read_only(np.array([np.median(part) for part in np.split(self.times, starts[1:])]))

    def __repr__(self) -> str:
        sizes = self.distinct
        return (
            f"<Measurements {self.kind}: {self.times.size} times of {sizes.size} sizes, "
            f"{sizes[0]}..{sizes[-1]} bytes>"
        )


@typed_arguments
def read_measurements(
    path: str | os.PathLike[str],
    benchmark: str | None = None,
    run: int | str | None = None,
) -> Measurements:
    """Read message times from a file of any kind that this module's head lists.

    Args:
        path: the file.
        benchmark: which one of several to read: PingPong, Sendrecv, osu_latency, ..., or with a
            number of processes, as Exchange:8. Left out, it is the ping-pong (IMB PingPong,
            osu_latency) if there is one, else the only one that measures single messages. The
            others are named in `left_out`.
        run: which one, if the file has several runs of the benchmark: its number from 1, or the
            line that stands before it in the log, or a part of that line. Two runs are never put
            together, since they may be of different machines, placements or moments.

    Raises:
        FileError: the file cannot be read, is of no known kind, or a line is wrong; it names the
            line, the rule and the value. Or `benchmark` has to be stated, is not in the file, or
            does not measure single messages between two processes. Or there are several runs of
            it and `run` is not stated, or names none of them.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "times.csv")
    >>> _ = path.write_text("size,time\\n0,5.0\\n1000,6.0\\n2000,7.0\\n")
    >>> read_measurements(path).sizes.tolist()
    [0, 1000, 2000]
    >>> folder.cleanup()
    """
    part = read(Path(path), "times")
    runs: tuple[Run, ...] = part.value
    if benchmark is None and len(runs) == 1 and runs[0].name in _NAMELESS:
        if run is not None:
            raise InputError("run", f"must be omitted: {path} is one table of times", run)
        return _measurements(path, runs[0].name, runs[0].rows)
    if runs[0].name in _NAMELESS:
        rule = f"holds no output of a benchmark by name, so not {benchmark}"
        raise FileError(path, 0, rule, Path(path).name)
    return _chosen(path, runs, part.notes, benchmark, run)


_NAMELESS = ("table", "NetPIPE np.out")
_FIRST = ("IMB PingPong", "OSU latency", "NetPIPE")


def _chosen(
    path: str | os.PathLike[str],
    runs: Sequence[Run],
    notes: Sequence[str],
    benchmark: str | None,
    number: int | str | None,
) -> Measurements:
    """The measurements of one run of one benchmark."""
    groups: dict[tuple[str, int | None], list[Run]] = {}
    for entry in runs:
        groups.setdefault((entry.name, entry.processes), []).append(entry)
    usable = [key for key, same in groups.items() if same[0].one_way and any(r.rows for r in same)]
    there = ", ".join(_named(key) for key in groups)
    wanted = [key for key in groups if benchmark is None or _is_asked(benchmark, key)]
    if not wanted:
        raise FileError(path, 0, f"holds {there}; no benchmark is called", benchmark)
    fit = [key for key in wanted if key in usable]
    if not fit and any(groups[key][0].one_way for key in wanted):
        raise FileError(path, 0, "holds no measurements", ", ".join(map(_named, wanted)))
    if not fit:
        rule = (
            "must contain times of single messages between two processes (OSU latency, IMB "
            "PingPong, PingPing, Sendrecv or Exchange, NetPIPE, perftest's write or send latency, "
            "UCX's latency, nccl-tests' sendrecv)"
        )
        what = [f"{_named(key)}, {groups[key][0].what}" for key in wanted]
        raise FileError(path, 0, rule, ", ".join(what))
    if benchmark is None:
        first = [key for key in fit if key[0] in _FIRST]
        fit = first if first else [key for key in fit if groups[key][0].start_up] or fit
    if len(fit) > 1:
        names = ", ".join(map(_named, fit))
        raise FileError(path, 0, f"contains {there}; select one with --benchmark", names)
    key = fit[0]
    same = [entry for entry in groups[key] if entry.rows]
    chosen = _run(path, key[0], same, notes, number)
    left_out = [_named(other) for other in groups if other != key]
    left_out += [f"{count} × {what}" for what, count in chosen.left_out.items()]
    name = key[0] if key[1] in (None, 2) else f"{key[0]}, {key[1]} processes"
    if len(same) > 1:
        which = next(k for k, entry in enumerate(same) if entry is chosen)
        name += f", run {named_runs(same)[which]} of {len(same)}"
        left_out += list(notes)
    return _measurements(path, name, chosen.rows, chosen.start_up, tuple(left_out))


def _run(
    path: str | os.PathLike[str],
    name: str,
    runs: Sequence[Run],
    notes: Sequence[str],
    number: int | str | None,
) -> Run:
    """The run that is asked for, by number or by the line before it.

    Raises:
        FileError: none is asked for and there are several, or there is no such run.
    """
    if number is None:
        if len(runs) == 1:
            return runs[0]
        listed = ", ".join(named_runs(runs))
        differ = next((note for note in notes if listed in note), listed)
        raise FileError(
            path, 0, f"contains {len(runs)} runs of {name}; select one with --run", Reason(differ)
        )
    word = str(number).strip()
    if word.isdecimal() and 1 <= int(word) <= len(runs):
        return runs[int(word) - 1]
    for match in (str.__eq__, str.__contains__):
        hits = [r for r in runs if word and match(r.label.lower(), word.lower())]
        if len(hits) == 1:
            return hits[0]
    rule = f"holds the runs {', '.join(named_runs(runs))} of {name}; no run is called"
    raise FileError(path, 0, rule, number)


def _named(key: tuple[str, int | None]) -> str:
    return key[0] if key[1] is None else f"{key[0]}:{key[1]}"


def _is_asked(benchmark: str, key: tuple[str, int | None]) -> bool:
    """Whether a benchmark is meant by what a user calls it: osu_bw, pingpong, Exchange:8."""
    name, _, count = benchmark.partition(":")
    known = {"bw": "bandwidth", "bibw": "bidirectionalbandwidth", "bcast": "broadcastlatency"}

    def bare(words: str) -> str:
        letters = re.sub(r"[^a-z0-9]", "", words.lower())
        return re.sub(r"^(osu|imb)", "", letters)

    asked = bare(name)
    same = bare(key[0]) in (asked, known.get(asked, asked))
    return same and count.strip() in ("", str(key[1]))


def _measurements(
    path: str | os.PathLike[str],
    name: str,
    rows: Iterable[Row],
    start_up: bool = True,
    left_out: tuple[str, ...] = (),
) -> Measurements:
    sizes, times = [], []
    for line, size, time, factor in rows:
        sizes.append(_number(path, line, "a size", size, whole=True))
        read = factor * _number(path, line, "a time", time)
        times.append(_number(path, line, "a time", read))
    if not sizes:
        raise FileError(path, 0, "holds no measurements", Path(path).name)
    pairs = np.array(sizes, dtype=np.int64), np.array(times)
    return Measurements(*pairs, name, start_up, left_out)


def _number(
    path: str | os.PathLike[str], line: int, what: str, value: str | float, whole: bool = False
) -> float:
    try:
        number = float(value)
    except ValueError:
        raise FileError(path, line, f"{what} must be a number", value) from None
    if not math.isfinite(number) or number < 0 or (number == 0 and what != "a size"):
        rule = f"{what} must be finite and {'not negative' if what == 'a size' else 'above 0'}"
        raise FileError(path, line, rule, value)
    if whole and (number != int(number) or number > 1 << 62):
        raise FileError(path, line, f"{what} must be a whole number of bytes", value)
    return number
