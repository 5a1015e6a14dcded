"""What benchmarks of MPI print, cut into sections: which benchmark, how many processes, its rows.

    OSU         # OSU MPI Latency Test v7.3       then lines   size  µs [Pass or Fail]
    IMB         # Benchmarking PingPong           then the heads of the columns, then lines
    NetPIPE 3   0:  1 bytes  2000 times -->  0.50 Mbps in  15.26 usec        (or in 0.00001526 sec)
    NetPIPE 5   1:  1  B  65021 times -->  24.934 Mbps  in  0.321 usecs
    np.out      bytes, Mbps, seconds; or bytes, three rates, time (NetPIPE 4: s, NetPIPE 5: µs)

A file often holds several benchmarks, and the lines of mpirun between them. The header says what
was measured: only times of one message between two processes count as such. Rates of a window of
messages in flight (osu_bw, streams) give the gap between messages, which is no start-up time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation

Row = tuple[int, str, str, float]
"""(line, size in bytes, time or rate, what makes it microseconds)."""

_IMB_TIMES = ("t[usec]", "t_avg[usec]")
# of one message: each process sends one, but two in an Exchange; PingPong's time is halved by IMB
_IMB_MESSAGES = {"PingPong": 1, "PingPing": 1, "Sendrecv": 1, "Exchange": 2}
_IMB_SAME = re.compile(r"(Multi-)?(PingPong|PingPing)(SpecificSource|AnySource)?|Sendrecv|Exchange")
_OSU_TITLE = re.compile(r"#?\s*OSU\s+(\S+\s+\S.{0,80}?)\s+Test\b")
_OSU_BUFFERS = re.compile(r"#\s*Send Buffer on (\w+).{0,20}Receive Buffer on (\w+)")
_OSU_LATENCY = re.compile(r"#.{0,200}Latency\s?\(us\)")
_OSU_RATE = re.compile(r"#.{0,200}Bandwidth \(MB/s\)")
_NETPIPE = re.compile(
    r"\s*\d+:\s+(\S+)\s+(bytes|B|KB|MB|GB)\s+\S+\s+times\s+-->\s+\S+\s+[KMGT]?bps"
    r"\s+in\s+(\S+)\s+(nsec|usec|msec|sec)s?\b(.*)"
)
_BYTES = {"bytes": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_TIMES = {"nsec": 1e-3, "usec": 1.0, "msec": 1e3, "sec": 1e6}
_BOTH_WAYS = ("both directions simultaneously", "Bidirectional mode", "Bi-directional mode")
_STREAM = ("Streaming data in one direction", "Streaming in one direction")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_TAG = re.compile(r"(?:[A-Z]\w\w [A-Z]\w\w [ \d]\d [\d:]{8} \d{4})?\[\d+,\d+\]<std[a-z]{2,4}>:")
_SHOWN = 40


@dataclass
class Section:
    """One benchmark of a file.

    Attributes:
        name: such as "IMB PingPong", "OSU latency", "NetPIPE".
        processes: how many took part, None if the header does not say.
        one_way: whether its times are those of one message from one process to another.
        start_up: whether a short message takes its start-up time; not so for windowed rates.
        rows: its measurements.
        left_out: rows and lines that do not count, in words.
    """

    name: str
    processes: int | None = None
    one_way: bool = True
    start_up: bool = True
    rows: list[Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    columns: list[str] = field(default_factory=list)


def sections_of(lines: Iterable[str]) -> list[Section]:
    """The benchmarks whose output stands in a file, in order; none if it is a plain table."""
    found = _Sections()
    for number, line in enumerate(lines, start=1):
        found.read(number, _plain(line))
    return found.sections


def _plain(line: str) -> str:
    """A line without colours and without mpirun's tags of ranks and times."""
    if "\x1b" in line:
        line = _COLOUR.sub("", line)
    return _TAG.sub("", line) if "<std" in line else line


class _Sections:
    """The sections so far; the last one takes the rows that follow its header."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self.mode = ""

    def read(self, number: int, line: str) -> None:
        if self._netpipe(number, line) or self._header(line):
            return
        here = self.sections[-1] if self.sections else None
        if here is None or here.name.startswith("NetPIPE") or not line.strip():
            return
        if line.lstrip().startswith("#"):
            return
        if here.columns:
            self._row(number, line, here)

    def _header(self, line: str) -> bool:
        """Whether the line begins a benchmark, or says more of the one that has begun."""
        words = line.split()
        if (title := _OSU_TITLE.match(line)) is not None:
            self.sections.append(_osu(title[1]))
        elif line.startswith("# Benchmarking ") and len(words) > 2:
            self.sections.append(_imb(words[2]))
        elif words[:3] == ["#", "#processes", "="] and self.sections and words[3:]:
            self.sections[-1].processes = int(words[3]) if _is_whole(words[3]) else None
        elif "#bytes" in words and "#repetitions" in words:
            self._imb_columns(words)
        elif _OSU_LATENCY.match(line) or _OSU_RATE.match(line):
            self._osu_columns("rate" if _OSU_RATE.match(line) else "µs", words)
        elif (where := _OSU_BUFFERS.match(line)) is not None and self.sections:
            self.sections[-1].name += f", {where[1]} to {where[2]}".lower()
        elif any(said in line for said in _BOTH_WAYS):
            self.mode = " in both directions"
        elif any(said in line for said in _STREAM):
            self.mode = ", streaming"
        else:
            return False
        return True

    def _imb_columns(self, words: list[str]) -> None:
        if not (self.sections and self.sections[-1].name.startswith("IMB")):
            self.sections.append(_imb("PingPong"))
        here = self.sections[-1]
        here.columns = words
        here.one_way &= any(time in words for time in _IMB_TIMES)

    def _osu_columns(self, unit: str, words: list[str]) -> None:
        if not (self.sections and self.sections[-1].name.startswith("OSU")):
            self.sections.append(_osu("MPI Latency" if unit == "µs" else "MPI Bandwidth"))
            self.sections[-1].left_out["no title says which OSU benchmark this is"] += 1
        here = self.sections[-1]
        here.columns = ["size", unit, *words[-1:]]

    def _row(self, number: int, line: str, here: Section) -> None:
        words = line.split()
        if not (_is_whole(words[0]) and len(words) > 1):
            here.left_out[f"a line that is no row, such as {line.strip()[:_SHOWN]!r}"] += 1
        elif here.name.startswith("IMB"):
            _imb_row(number, words, line, here)
        else:
            _osu_row(number, words, line, here)

    def _netpipe(self, number: int, line: str) -> bool:
        found = _NETPIPE.match(line)
        if found is None:
            return False
        name = "NetPIPE" + self.mode
        if not (self.sections and self.sections[-1].name == name):
            both, stream = "both" in self.mode, "stream" in self.mode
            self.sections.append(Section(name, None, not both, not stream))
        size, unit, time, clock, rest = found.groups()
        if "failure" in rest:
            self.sections[-1].left_out["a row with failures"] += 1
        else:
            self.sections[-1].rows.append((number, _bytes(size, unit), time, _TIMES[clock]))
        return True


def _osu(title: str) -> Section:
    """The section of an OSU benchmark by its title; `MPI Latency`, `MPI Bandwidth` are usable.

    Not so `MPI_Put Latency` and what else moves data without a receiver. `MPI-CUDA Latency` is of
    buffers on devices.
    """
    library, _, title = " ".join(title.lower().split()).partition(" ")
    made = Section(f"OSU {title}" if library == "mpi" else f"OSU {library} {title}")
    kind = title.removeprefix("persistent ").removesuffix(" persistent")
    made.one_way = kind in ("latency", "multi latency", "multi-threaded latency", "bandwidth")
    made.one_way &= library == "mpi" or library.startswith("mpi-")
    made.start_up = kind != "bandwidth"
    return made


def _imb(name: str) -> Section:
    return Section(f"IMB {name}", None, _IMB_SAME.fullmatch(name) is not None)


def _osu_row(number: int, words: list[str], line: str, here: Section) -> None:
    if not _is_number(words[1]):
        here.left_out[f"a line that is no row, such as {line.strip()[:_SHOWN]!r}"] += 1
    elif "Fail" in words[2:]:
        here.left_out["a row marked Fail"] += 1
    elif here.columns[1] == "rate":
        rate = float(words[1])
        if rate > 0 and here.one_way:
            here.rows.append((number, words[0], words[0], 1 / rate))
        else:
            here.rows.append((number, words[0], "0", 1.0))  # is refused with its line
    else:
        here.rows.append((number, words[0], words[1], 1.0))


def _imb_row(number: int, words: list[str], line: str, here: Section) -> None:
    columns = here.columns
    time = next((columns.index(head) for head in _IMB_TIMES if head in columns), None)
    size = columns.index("#bytes")
    if time is None:
        return
    if len(words) < len(columns) or not _is_number(words[time]):
        marked = next((word for word in words if word.endswith(".;")), "").rstrip(".;")
        failed = f"a row marked {marked}" if marked else None
        here.left_out[failed or f"a line that is no row, such as {line.strip()[:_SHOWN]!r}"] += 1
    elif "defects" in columns and words[columns.index("defects")] not in ("0", "0.0", "0.00"):
        here.left_out["a row with defects"] += 1
    elif words[size] != "0":  # an empty message has no size to fit
        kind = here.name.removeprefix("IMB ").removeprefix("Multi-")
        share = 1 / _IMB_MESSAGES.get(kind, 1)
        here.rows.append((number, words[size], words[time], share))


def np_out_rows(lines: Iterable[str]) -> Iterator[Row]:
    """The rows of NetPIPE's np.out; none if the columns are not rates and the time they come from.

    The rate says the unit of the time: 8 bytes / time, in Mbit/s of 10^6 or 2^20 (versions 3, 4),
    or in Gbit/s (5).
    """
    rows = [(k, line.split()) for k, line in enumerate(lines, 1) if line.strip()]
    counts = {len(words) for _, words in rows}
    if not rows or len(counts) != 1 or not counts <= {3, 5}:
        return
    if not all(_is_whole(words[0]) and all(map(_is_number, words[1:])) for _, words in rows):
        return
    unit = _np_out_unit(rows[-1][1])
    for number, words in rows if unit else ():
        yield number, words[0], words[-1], unit


def _np_out_unit(words: list[str]) -> float:
    """Microseconds in the unit of the last column; 0 if no unit fits the rates as printed."""
    bits, time = 8 * float(words[0]), float(words[-1])
    rates = [float(word) for word in words[1:-1]]
    if not (bits and time > 0 and min(rates) > 0):
        return 0.0
    for a_second, unit in ((1e6, 1e6), (2.0**20, 1e6), (1e9, 1.0)):
        for rate, word in zip(rates, words[1:-1], strict=True):
            rounded = _half_a_digit(word) / rate + _half_a_digit(words[-1]) / time
            if abs(rate * a_second * time * unit / 1e6 / bits - 1) < 0.03 + rounded:
                return unit
    return 0.0


def _half_a_digit(word: str) -> float:
    digits = word.partition(".")[2]
    return 0.5 * 10.0 ** -len(digits) if digits.isdigit() else 0.0


def _bytes(size: str, unit: str) -> str:
    """A size as NetPIPE prints it, in bytes: 1.024 KB is 1024."""
    try:
        found = Decimal(size) * _BYTES[unit]
        return str(found if unit in ("bytes", "B") else int(found))
    except (InvalidOperation, ValueError, OverflowError):
        return size


def _is_whole(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < _SHOWN


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
