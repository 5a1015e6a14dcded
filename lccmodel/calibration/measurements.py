"""Message times as people have them: OSU, Intel MPI Benchmarks, NetPIPE, or a table size,time.

    OSU osu_latency     # OSU MPI Latency Test ...      then lines   size  latency in µs
    OSU osu_bw          # OSU MPI Bandwidth Test ...    then lines   size  10^6 bytes/s
    IMB PingPong        #bytes #repetitions t[usec] Mbytes/sec, then lines of these four
    NetPIPE             0:  1 bytes  2000 times -->  0.50 Mbps in  15.26 usec
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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.errors import FileError, InputError, checked_array
from lccmodel.files import read_at_most
from lccmodel.views import Viewed

__all__ = ["Measurements", "read_measurements"]

_UNITS = {"s": 1e6, "sec": 1e6, "seconds": 1e6, "ms": 1e3, "us": 1.0, "µs": 1.0, "usec": 1.0}
_UNITS |= {"μs": 1.0, "microseconds": 1.0, "milliseconds": 1e3, "ns": 1e-3, "nanoseconds": 1e-3}
_NETPIPE = re.compile(
    r"\s*\d+:\s+(\S+)\s+bytes\s+\S+\s+times\s+-->\s+\S+\s+Mbps\s+in\s+(\S+)\s+usec"
)
_LARGEST = 64 << 20


@typed_arguments
@dataclass(frozen=True, eq=False)
class Measurements(Viewed, view="measurements"):
    """Times of messages.

    Args:
        sizes: bytes, int64 of shape (m,), at least 0.
        times: microseconds, float64 of shape (m,), above 0; of one message, one way.
        kind: what measured them.

    Raises:
        InputError: the shapes differ, there are no measurements, or a number is out of range.

    >>> Measurements([8, 1024], [1.5, 2.0], "ping-pong")
    <Measurements ping-pong: 2 times of 2 sizes, 8..1024 bytes>
    """

    sizes: npt.NDArray[np.int64]
    times: npt.NDArray[np.float64]
    kind: str = "ping-pong"

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
def read_measurements(path: str | os.PathLike[str]) -> Measurements:
    """Read message times from a file of any kind that this module's head lists.

    Raises:
        FileError: the file cannot be read, is of no known kind, or a line is wrong; it names the
            line, the rule and the value.

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
        text = read_at_most(file, _LARGEST).decode("utf-8")
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(path, 0, f"cannot be read: {_reason(error)}", file.name) from None
    kind, rows = _rows(path, text.splitlines())
    sizes, times = [], []
    for line, size, time in rows:
        sizes.append(_number(path, line, "a size", size, whole=True))
        times.append(_number(path, line, "a time", time))
    if not sizes:
        raise FileError(path, 0, "holds no measurements", file.name)
    return Measurements(np.array(sizes, dtype=np.int64), np.array(times), kind)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or "not a text file"


_Row = tuple[int, str, "str | float"]


def _rows(path: str | os.PathLike[str], lines: list[str]) -> tuple[str, Iterator[_Row]]:
    """What measured the times, and (line, size, time) of each."""
    text = "\n".join(lines)
    if any(map(_NETPIPE.match, lines)):  # a search would begin anew at each of 100,000 digits
        return "NetPIPE", _netpipe(lines)
    if "#bytes" in text and "t[usec]" in text:
        return "IMB PingPong", _imb(lines)
    if re.search(r"^#.*Bandwidth \(MB/s\)", text, re.MULTILINE):
        return "OSU bandwidth", _osu_bandwidth(path, lines)
    if re.search(r"^#.*Latency\s*\(us\)", text, re.MULTILINE):
        return "OSU latency", _columns(lines)
    return "table", _table(path, lines)


def _columns(lines: Iterable[str]) -> Iterator[_Row]:
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if words and not line.lstrip().startswith("#"):
            yield number, words[0], words[1] if len(words) > 1 else ""


def _osu_bandwidth(path: str | os.PathLike[str], lines: Iterable[str]) -> Iterator[_Row]:
    for number, size, rate in _columns(lines):
        size_, rate_ = _number(path, number, "a size", size), _number(path, number, "a rate", rate)
        yield number, size, size_ / rate_


def _imb(lines: Iterable[str]) -> Iterator[_Row]:
    inside = False
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if "#bytes" in line and "t[usec]" in line:
            inside = True
        elif not words or line.lstrip().startswith("#"):
            inside = inside and not words
        elif inside and words[0] != "0":  # an empty message has no size to fit
            yield number, words[0], words[2] if len(words) > 2 else ""


def _netpipe(lines: Iterable[str]) -> Iterator[_Row]:
    for number, line in enumerate(lines, start=1):
        found = _NETPIPE.match(line)
        if found:
            yield number, found[1], found[2]


def _table(path: str | os.PathLike[str], lines: list[str]) -> Iterator[_Row]:
    numbered = [(k, line) for k, line in enumerate(lines, 1) if line.strip()]
    kept = [(k, line) for k, line in numbered if not line.lstrip().startswith("#")]
    if not kept:
        return
    split = "\t" if "\t" in kept[0][1] else ","
    rows = [(k, next(csv.reader([line], delimiter=split))) for k, line in kept]
    heads = [head.strip().lower() for head in rows[0][1]]
    size = next((k for k, h in enumerate(heads) if re.match(r"(size|bytes)\b|size_", h)), None)
    time = next((k for k, h in enumerate(heads) if re.match(r"time|latency|seconds|t\[", h)), None)
    if size is None or time is None:
        rule = (
            "must be the output of OSU, IMB PingPong or NetPIPE, or a table with the columns "
            "size and time"
        )
        raise FileError(path, rows[0][0], rule, kept[0][1][:60])
    factor = _unit(path, rows[0][0], heads[time])
    for number, cells in rows[1:]:
        if len(cells) <= max(size, time):
            raise FileError(path, number, "must have a size and a time", ",".join(cells))
        yield number, cells[size], factor * _number(path, number, "a time", cells[time])


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
