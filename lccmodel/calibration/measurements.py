"""Message times as people have them: the output of OSU, IMB or NetPIPE, or a table size,time.

    OSU, IMB, NetPIPE   as `benchmark_output` reads them, one benchmark of a file
    CSV or TSV          size,time     the heading may name the unit: time_us, time [ms], seconds

Sizes are bytes, times microseconds, for one message one way. The kind is told by what stands in
the file. A size may occur more than once: these are repetitions.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.calibration.benchmark_output import Row, Section, np_out_rows, sections_of
from lccmodel.errors import FileError, InputError, checked_array
from lccmodel.files import read_at_most
from lccmodel.views import Viewed

_UNITS = {"s": 1e6, "sec": 1e6, "seconds": 1e6, "ms": 1e3, "us": 1.0, "µs": 1.0, "usec": 1.0}
_UNITS |= {"μs": 1.0, "microseconds": 1.0, "milliseconds": 1e3, "ns": 1e-3, "nanoseconds": 1e-3}
_LARGEST = 64 << 20


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
        return np.unique(self.sizes)

    @property
    def medians(self) -> npt.NDArray[np.float64]:
        """The median time of every distinct size."""
        starts = np.searchsorted(self.sizes, self.distinct)
        return np.array([np.median(part) for part in np.split(self.times, starts[1:])])

    def __repr__(self) -> str:
        sizes = self.distinct
        return (
            f"<Measurements {self.kind}: {self.times.size} times of {sizes.size} sizes, "
            f"{sizes[0]}..{sizes[-1]} bytes>"
        )


@typed_arguments
def read_measurements(path: str | os.PathLike[str], benchmark: str | None = None) -> Measurements:
    """Read message times from a file of any kind that this module's head lists.

    Args:
        path: the file.
        benchmark: which one of several to read: PingPong, Sendrecv, osu_latency, ..., or with a
            number of processes, as Exchange:8. Left out, it is the ping-pong (IMB PingPong,
            osu_latency) if there is one, else the only one that measures single messages. The
            others are named in `left_out`.

    Raises:
        FileError: the file cannot be read, is of no known kind, or a line is wrong; it names the
            line, the rule and the value. Or `benchmark` has to be stated, is not in the file, or
            does not measure single messages between two processes.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "times.csv")
    >>> _ = path.write_text("size,time\\n0,5.0\\n1000,6.0\\n2000,7.0\\n")
    >>> read_measurements(path).sizes.tolist()
    [0, 1000, 2000]
    >>> folder.cleanup()
    """
    file = Path(path)
    try:
        text = read_at_most(file, _LARGEST).decode("utf-8-sig")
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        reason = getattr(error, "strerror", None) or "not a text file"
        raise FileError(path, 0, f"cannot be read: {reason}", file.name) from None
    lines = text.splitlines()
    sections = sections_of(lines)
    if sections:
        return _chosen(path, sections, benchmark)
    rows = list(np_out_rows(lines))
    if benchmark is not None:
        rule = f"holds no output of a benchmark by name, so not {benchmark}"
        raise FileError(path, 0, rule, file.name)
    if rows:
        return _measurements(path, "NetPIPE np.out", rows)
    return _measurements(path, "table", _table(path, lines))


_FIRST = ("IMB PingPong", "OSU latency", "NetPIPE")


def _chosen(
    path: str | os.PathLike[str], sections: list[Section], benchmark: str | None
) -> Measurements:
    """The measurements of one benchmark; its repetitions in the file belong together."""
    groups: dict[tuple[str, int | None], list[Section]] = {}
    for section in sections:
        groups.setdefault((section.name, section.processes), []).append(section)
    usable = [key for key, found in groups.items() if found[0].one_way and found[0].rows]
    there = ", ".join(_named(key) for key in groups)
    wanted = [key for key in groups if benchmark is None or _is_asked(benchmark, key)]
    if not wanted:
        raise FileError(path, 0, f"holds {there}; no benchmark is called", benchmark)
    fit = [key for key in wanted if key in usable]
    if not fit and any(groups[key][0].one_way for key in wanted):
        raise FileError(path, 0, "holds no measurements", ", ".join(map(_named, wanted)))
    if not fit:
        rule = (
            "must hold times of single messages between two processes (OSU latency, IMB PingPong, "
            "PingPing, Sendrecv or Exchange, NetPIPE)"
        )
        raise FileError(path, 0, rule, ", ".join(map(_named, wanted)))
    if benchmark is None:
        first = [key for key in fit if key[0] in _FIRST]
        fit = first if first else [key for key in fit if groups[key][0].start_up] or fit
    if len(fit) > 1:
        names = ", ".join(map(_named, fit))
        raise FileError(path, 0, f"holds {there}; state one (--benchmark)", names)
    key = fit[0]
    left_out = [_named(other) for other in groups if other != key]
    for section in groups[key]:
        left_out += [f"{count} × {what}" for what, count in section.left_out.items()]
    rows = [row for section in groups[key] for row in section.rows]
    name = key[0] if key[1] in (None, 2) else f"{key[0]}, {key[1]} processes"
    return _measurements(path, name, rows, groups[key][0].start_up, tuple(left_out))


def _named(key: tuple[str, int | None]) -> str:
    return key[0] if key[1] is None else f"{key[0]}:{key[1]}"


def _is_asked(benchmark: str, key: tuple[str, int | None]) -> bool:
    """Whether a benchmark is meant by what a user calls it: osu_bw, pingpong, Exchange:8."""
    name, _, count = benchmark.partition(":")
    known = {"bw": "bandwidth", "bibw": "bidirectionalbandwidth", "bcast": "broadcastlatency"}

    def bare(words: str) -> str:
        letters = re.sub(r"[^a-z0-9]", "", words.lower())
        return re.sub(r"^(osu|imb)", "", letters)

    said = bare(name)
    same = bare(key[0]) in (said, known.get(said, said))
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
    found = np.array(sizes, dtype=np.int64), np.array(times)
    return Measurements(*found, name, start_up, left_out)


def _table(path: str | os.PathLike[str], lines: list[str]) -> Iterator[Row]:
    numbered = [(k, line) for k, line in enumerate(lines, 1) if line.strip()]
    kept = [(k, line) for k, line in numbered if not line.lstrip().startswith("#")]
    if not kept:
        return
    split = next((mark for mark in "\t;" if mark in kept[0][1]), ",")
    rows = [(k, next(csv.reader([line], delimiter=split))) for k, line in kept]
    heads = [head.strip().lower() for head in rows[0][1]]
    size = next((k for k, h in enumerate(heads) if re.match(r"(size|bytes)\b|size_", h)), None)
    time = next((k for k, h in enumerate(heads) if re.match(r"time|latency|seconds|t\[", h)), None)
    if size is None or time is None:
        rule = (
            "must be the output of OSU, IMB or NetPIPE, or a table with the columns size and time"
        )
        raise FileError(path, rows[0][0], rule, kept[0][1][:60])
    if unit := set(re.findall(r"[a-z]+", heads[size])) - {"size", "in", "bytes", "byte", "b"}:
        raise FileError(path, rows[0][0], f"sizes must be in bytes, not {unit.pop()}", heads[size])
    factor = _unit(path, rows[0][0], heads[time])
    for number, cells in rows[1:]:
        if len(cells) <= max(size, time):
            raise FileError(path, number, "must have a size and a time", ",".join(cells))
        yield number, cells[size], cells[time], factor


def _unit(path: str | os.PathLike[str], line: int, head: str) -> float:
    """Microseconds in the unit that a heading names; microseconds if it names none."""
    words = [w for w in re.split(r"[^a-zµμ]+", head) if w not in ("", "time", "latency", "t")]
    for word in words:
        if word not in _UNITS:
            raise FileError(path, line, f"must name a unit of {', '.join(sorted(_UNITS))}", head)
        return _UNITS[word]
    return 1.0


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
