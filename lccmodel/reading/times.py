"""Measured times of messages: the output of benchmarks, and tables of sizes and times.

    OSU         # OSU MPI Latency Test v7.3       then lines   size  µs [Pass or Fail]
    IMB         # Benchmarking PingPong           then the headings, then lines
    NetPIPE 3   0:  1 bytes  2000 times -->  0.50 Mbps in  15.26 usec        (or in 0.00001526 sec)
    NetPIPE 5   1:  1  B  65021 times -->  24.934 Mbps  in  0.321 usecs
    np.out      bytes, Mbps, seconds; or bytes, three rates, time (NetPIPE 4: s, NetPIPE 5: µs)
    perftest    RDMA_Write Latency Test           then #bytes #iterations t_min[usec] ...
                "test": "RDMA_Write_Latency_Test"     with --out_json
    UCX         | Test: tag match latency |, | Message size: 8 |, then Final: ...
                iterations,50.0_percentile_lat,avg_lat,overall_lat,...     with -v; names of a batch
    nccl-tests  # nThread 1 ...                   then size count type redop root time algbw ...
    a table     size,time                         the heading may name the unit: time_us, time [ms]

A file often holds several runs, with lines of scripts and launchers between them. Two runs of one
benchmark are never put together: they may be of different machines or placements. The header says
what was measured: only times of one message between two processes count as such. Rates of a window
of messages in flight (osu_bw, ib_write_bw, streams) give the gap between messages, which is no
start-up time. Operations that a collective takes, or a read that waits for its answer, are neither.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import groupby

from lccmodel.errors import FileError
from lccmodel.reading.cells import quoted_cells
from lccmodel.reading.found import LOOSE, SIGNATURE, Format, Found
from lccmodel.reading.text import Text

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
    r"\s*(\d+):\s+(\S+)\s+(bytes|B|KB|MB|GB)\s+\S+\s+times\s+-->\s+\S+\s+[KMGT]?bps"
    r"\s+in\s+(\S+)\s+(nsec|usec|msec|sec)s?\b(.*)"
)
_BYTES = {"bytes": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_TIMES = {"nsec": 1e-3, "usec": 1.0, "msec": 1e3, "sec": 1e6}
_BOTH_WAYS = ("both directions simultaneously", "Bidirectional mode", "Bi-directional mode")
_STREAM = ("Streaming data in one direction", "Streaming in one direction")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SHOWN = 40
_PERFTEST = re.compile(r"\s*((?:RDMA_|Send|Raw|Atomic|Write|Read)[\w ]*?(?:Latency|BW)) Test\s*")
_PERFTEST_RATES = {
    "MiB/sec": 1e6 / 2**20,
    "MB/sec": 1e6 / 2**20,
    "Gb/sec": 8e-3,
    "GiB/sec": 1e6 / 2**30,
}
"""Microseconds for a byte at a rate of 1; MB in the older heads of perftest are MiB."""
_UCX_FIELD = re.compile(r"\|\s*(API|Test|Message size):\s*(.*?)\s*\|?\s*$")
_UCX_CSV = re.compile(r"(?:[^,\s]+,)*iterations,[\d.]+_percentile_lat,avg_lat,overall_lat,\S*")
_UCX_BATCH = re.compile(r"\+(?!-)([^\s+|]*?)-*\+")
"""The names of a test that is one of a batch: +tag_lat/8-----+---"""
_UCX_ONE_WAY = re.compile(
    r"(?:tag(?: sync)? match|am|active message|put|stream) latency"
    r"|.*(?:tag|tag_sync|am|put|stream)_lat"
)
_UCX_RATES = re.compile(
    r"(?:tag(?: sync)? match|am|active message|put|stream) (?:bandwidth|bw|message rate)\b.*"
    r"|.*(?:tag|tag_sync|am|put|stream)_(?:bw|mr)"
)
_UCX_NUMBERS = 8
"""Of a row: iterations; percentile, average, overall latency; two bandwidths; two rates."""
_JSON_TEST = re.compile(r'\s*"test"\s*:\s*"(\w+?)_Test"\s*,?\s*')
_JSON_VALUE = re.compile(
    r'\s*"(MsgSize|t_typical|t_avg|BW_average|MsgRate)"\s*:\s*([\d.eE+-]+)\s*,?\s*'
)
_NCCL_STARTING = re.compile(r"#\s*Collective test starting:\s*(\w+?)(?:_perf)?\s*$")
_NCCL_RANK = re.compile(r"#\s+Rank\s+(\d+)\s(?:.*\s)?on\s+(\S+)\s+device\s+(\d+)\s*(?:\[|\s|$)")
_ONE_MESSAGE, _GAP, _OTHER = "one message, one way", "gap between messages", "not one message"


@dataclass
class Run:
    """One run of a benchmark.

    Attributes:
        name: such as "IMB PingPong", "OSU latency", "NetPIPE".
        processes: how many took part, None if the header does not say.
        one_way: whether its times are those of one message from one process to another.
        start_up: whether a short message takes its start-up time; not so for windowed rates.
        rows: its measurements.
        left_out: rows and lines that do not count, in words.
        label: the line of a script before it, such as "inter" of "== inter"; "" without one.
    """

    name: str
    processes: int | None = None
    one_way: bool = True
    start_up: bool = True
    rows: list[Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    columns: list[str] = field(default_factory=list)
    label: str = ""
    hosts: dict[int, tuple[str, int]] = field(default_factory=dict)

    @property
    def what(self) -> str:
        """The measured operation, in words."""
        if self.name.startswith("nccl-tests") and not self.one_way:
            return f"a collective on {self.processes or 'an unknown number of'} ranks"
        if not self.one_way:
            return _OTHER
        return _ONE_MESSAGE if self.start_up else _GAP

    @property
    def times(self) -> list[tuple[int, float]]:
        """(bytes, microseconds) of the rows that are two positive numbers."""
        pairs = [(size, _float(time) * factor) for _, size, time, factor in self.rows]
        return [(int(size), time) for size, time in pairs if _is_whole(size) and time > 0]

    def again(self) -> Run:
        """Return an empty run of the same benchmark."""
        return Run(self.name, self.processes, self.one_way, self.start_up, columns=self.columns)


def runs_of(lines: Iterable[str]) -> list[Run]:
    """Return the runs whose output a file holds, in order; none if it is a plain table."""
    log = _Log()
    for number, line in enumerate(lines, start=1):
        log.read(number, _COLOUR.sub("", line) if "\x1b" in line else line)
    return log.runs


class _Log:
    """The runs so far; the last one takes the rows that follow its header."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.mode = ""
        self.label, self.is_heading = "", False
        self.ucx: dict[str, str] = {}
        self.ucx_names: list[str] = []
        self.ucx_csv: list[str] = []
        self.is_ucx_final = False
        self.json: dict[str, str] = {}
        self.netpipe = -1
        self.program = ""

    def read(self, number: int, line: str) -> None:
        if self._netpipe(number, line) or self._ucx(number, line) or self._json(number, line):
            return
        if self._header(line):
            return
        run = self.runs[-1] if self.runs else None
        if not line.strip():
            return
        if run is None or run.name.startswith(("NetPIPE", "UCX")):
            self._note(line)
        elif line.lstrip().startswith("#"):
            if device := _NCCL_RANK.match(line):
                run.hosts[int(device[1])] = (device[2], int(device[3]))
                run.processes = len(run.hosts)
        elif run.columns and not set(line.strip()) <= set("-=+ "):
            self._row(number, line, run)

    def _begin(self, run: Run) -> Run:
        """A new run, with the line of a script that stands before it."""
        run.label, self.label, self.is_heading = self.label, "", False
        self.runs.append(run)
        return run

    def _note(self, line: str) -> None:
        """Keep a line as the label of the run that follows."""
        if words := line.strip(" \t=-#*+|:>"):
            self.label = "".join(filter(str.isprintable, words))[:_SHOWN]
            self.is_heading = line.strip()[0] in "=-#*+>"

    def _header(self, line: str) -> bool:
        """Whether the line begins a run, or says more of the one that has begun."""
        words = line.split()
        if (title := _OSU_TITLE.match(line)) is not None:
            self._begin(_osu(title[1]))
        elif line.startswith("# Benchmarking ") and len(words) > 2:
            self._begin(_imb(words[2]))
        elif words[:3] == ["#", "#processes", "="] and self.runs and words[3:]:
            self.runs[-1].processes = int(words[3]) if _is_whole(words[3]) else None
        elif "#bytes" in words and "#repetitions" in words:
            self._imb_columns(words)
        elif "#bytes" in words and "#iterations" in words:
            self._perftest_columns(words)
        elif (title := _PERFTEST.fullmatch(line)) is not None:
            self._begin(_perftest(title[1]))
        elif _OSU_LATENCY.match(line) or _OSU_RATE.match(line):
            self._osu_columns("rate" if _OSU_RATE.match(line) else "µs", words)
        elif (where := _OSU_BUFFERS.match(line)) is not None and self.runs:
            self.runs[-1].name += f", {where[1]} to {where[2]}".lower()
        elif (title := _NCCL_STARTING.match(line)) is not None:
            self.program = title[1]
        elif line.startswith("# nThread ") or words[:4] == ["#", "size", "count", "type"]:
            self._nccl(words)
        elif any(way in line for way in _BOTH_WAYS):
            self.mode = " in both directions"
        elif any(way in line for way in _STREAM):
            self.mode = ", streaming"
        else:
            return False
        return True

    def _last(self, library: str) -> Run | None:
        """The run whose columns follow: the last one, if it is of this library."""
        return self.runs[-1] if self.runs and self.runs[-1].name.startswith(library) else None

    def _imb_columns(self, words: list[str]) -> None:
        run = self._last("IMB") or self._begin(_imb("PingPong"))
        run = self._begin(run.again()) if run.rows else run
        run.columns = words
        run.one_way &= any(time in words for time in _IMB_TIMES)

    def _osu_columns(self, unit: str, words: list[str]) -> None:
        run = self._last("OSU")
        if run is None:
            run = self._begin(_osu("MPI Latency" if unit == "µs" else "MPI Bandwidth"))
            run.left_out["no title says which OSU benchmark this is"] += 1
        run = self._begin(run.again()) if run.rows else run
        run.columns = ["size", unit, *words[-1:]]

    def _perftest_columns(self, words: list[str]) -> None:
        columns = re.sub(r"(BW|99%|99.9%) (peak|average|percentile)", r"\1_\2", " ".join(words))
        run = self._last("perftest")
        if run is None:
            latency = "t_" in columns
            run = self._begin(_perftest("Write Latency" if latency else "Write BW"))
            run.left_out["no title says which test of perftest this is"] += 1
        run = self._begin(run.again()) if run.rows else run
        run.columns = columns.split()

    def _nccl(self, words: list[str]) -> None:
        run = self._last("nccl-tests")
        if run is None or words[1] == "nThread" or run.rows:
            program = self.program or "a collective"
            run = self._begin(Run(f"nccl-tests {program}", None, program == "sendrecv"))
            self.program = ""
        if words[1] == "size":
            run.columns = words[1:]

    def _row(self, number: int, line: str, run: Run) -> None:
        words = line.split()
        if not (_is_whole(words[0]) and len(words) > 1):
            run.left_out[f"a line that is no row, such as {line.strip()[:_SHOWN]!r}"] += 1
            self._note(line)
        elif run.name.startswith("IMB"):
            _imb_row(number, words, line, run)
        elif run.name.startswith("perftest"):
            _perftest_row(number, words, line, run)
        elif run.name.startswith("nccl-tests"):
            _nccl_row(number, words, line, run)
        else:
            _osu_row(number, words, line, run)

    def _netpipe(self, number: int, line: str) -> bool:
        row = _NETPIPE.match(line)
        if row is None:
            return False
        name = "NetPIPE" + self.mode
        index, size, unit, time, clock, rest = row.groups()
        if self._last(name) is None or int(index) <= self.netpipe:
            both, stream = "both" in self.mode, "stream" in self.mode
            self._begin(Run(name, None, not both, not stream))
        self.netpipe = int(index)
        if "failure" in rest:
            self.runs[-1].left_out["a row with failures"] += 1
        else:
            self.runs[-1].rows.append((number, _bytes(size, unit), time, _TIMES[clock]))
        return True

    def _ucx(self, number: int, line: str) -> bool:
        if (stated := _UCX_FIELD.match(line)) is not None:
            self.ucx_names, self.ucx_csv = ([], []) if stated[1] == "API" else (self.ucx_names, [])
            self.ucx[stated[1]] = stated[2]
            return True
        if _UCX_CSV.fullmatch(line.strip()):
            self.ucx_csv = line.strip().split(",")
            return True
        if (batch := _UCX_BATCH.match(line)) is not None:
            self.ucx_names = batch[1].split("/")
            return True
        if line.startswith("|") and "# iterations" in line:
            self.is_ucx_final = "Test" in line
            return True
        row = self._ucx_row(line)
        if row is None:
            return line.startswith(("+--", "|", "[thread "))
        names, time = row
        size = next((name for name in names if _is_whole(name)), "")
        test = next((name for name in names if not _is_whole(name)), self.ucx.get("Test", ""))
        size = size or self.ucx.get("Message size", "").removesuffix(" bytes")
        name, gap = f"UCX {test or 'test without a name'}", bool(_UCX_RATES.fullmatch(test))
        run = self._last(name)
        if run is None or size in {known for _, known, *_ in run.rows} or self.is_heading:
            run = self._begin(Run(name, 2, gap or bool(_UCX_ONE_WAY.fullmatch(test)), not gap))
        if size:
            run.rows.append((number, size, time, 1.0))
        else:
            run.left_out["a row without a message size, which stands above the table"] += 1
        return True

    def _ucx_row(self, line: str) -> tuple[list[str], str] | None:
        """Return the names of a batch before a row, and its overall latency."""
        if self.ucx_csv:
            cells = [cell.strip() for cell in line.split(",")]
            first = self.ucx_csv.index("iterations")
            is_row = len(cells) == len(self.ucx_csv) and all(map(_is_number, cells[first:]))
            return (cells[:first], cells[first + 3]) if is_row else None
        words = line.replace(",", "").split()  # thousands, with the option for them
        names = self.ucx_names
        if words[:1] == ["Final:"]:
            words = words[1:]
        elif not self.is_ucx_final:
            return None
        elif words and not _is_number(words[0]) and len(words) > _UCX_NUMBERS:
            names, words = words[0].split("/"), words[1:]
        is_row = len(words) >= _UCX_NUMBERS and all(map(_is_number, words[:_UCX_NUMBERS]))
        return (names, words[3]) if is_row else None

    def _json(self, number: int, line: str) -> bool:
        """Whether a line is one of perftest's --out_json, which has a value a line."""
        if (test := _JSON_TEST.fullmatch(line)) is not None:
            self.json = {"test": test[1].replace("RDMA_", "").replace("_", " ")}
            return True
        if not self.json and line.strip().startswith(("{", '"test_info"')):
            return True
        value = _JSON_VALUE.fullmatch(line) if self.json else None
        if value is not None:
            self.json[value[1]] = value[2]
            return True
        if not self.json or line.strip() not in ("}", "},"):
            return bool(self.json) and line.strip()[:1] in ('"', "{", "}")
        if "MsgSize" in self.json:
            self._json_row(number)
            self.json = {"test": self.json["test"]}
        return True

    def _json_row(self, number: int) -> None:
        """Add the row of a perftest; the rate of messages says the unit of a bandwidth."""
        run, size = _perftest(self.json["test"]), self.json["MsgSize"]
        last = self._last(run.name)
        if last is None or size in {known for _, known, *_ in last.rows}:
            last = self._begin(run)
        time = self.json.get("t_typical", self.json.get("t_avg"))
        rate, messages = (_float(self.json.get(key, "")) for key in ("BW_average", "MsgRate"))
        if time is not None:
            last.rows.append((number, size, time, 1.0))
        elif rate > 0 and messages > 0 and _is_whole(size):
            units = (_PERFTEST_RATES["MiB/sec"], _PERFTEST_RATES["Gb/sec"])
            factor = min(units, key=lambda unit: abs(unit / rate * messages * int(size) - 1))
            last.rows.append((number, size, size, factor / rate))
        else:
            last.left_out["a result without a time and a rate of messages"] += 1


def _perftest(title: str) -> Run:
    """Return an empty run by its title; a read or an atomic operation waits for its answer."""
    words = title.lower().replace("rdma_", "")
    one_way = words.startswith(("write", "send", "raw")) and "bidirectional" not in words
    return Run(f"perftest {words}", 2, one_way, words.endswith("latency"))


def _perftest_row(number: int, words: list[str], line: str, run: Run) -> None:
    columns = run.columns
    latency = next((k for k, head in enumerate(columns) if head.startswith("t_typical[")), None)
    if latency is None:
        latency = next((k for k, head in enumerate(columns) if head.startswith("t_avg[")), None)
    rate = next((k for k, head in enumerate(columns) if head.startswith("BW_average[")), None)
    wanted = rate if latency is None else latency
    if wanted is None or len(words) <= wanted or not _is_number(words[wanted]):
        run.left_out[f"a line that is no row, such as {line.strip()[:_SHOWN]!r}"] += 1
        return
    unit = columns[wanted].partition("[")[2].rstrip("]")
    if latency is not None and unit == "usec":
        run.rows.append((number, words[0], words[wanted], 1.0))
    elif latency is None and unit in _PERFTEST_RATES and float(words[wanted]) > 0:
        factor = _PERFTEST_RATES[unit] / float(words[wanted])
        run.rows.append((number, words[0], words[0], factor))
    else:
        run.left_out[f"a row in {unit}, which is no time in microseconds and no rate"] += 1


def _nccl_row(number: int, words: list[str], line: str, run: Run) -> None:
    time = run.columns.index("time") if "time" in run.columns else len(words)
    if len(words) <= time or not _is_number(words[time]):
        run.left_out[f"a line that is no row, such as {line.strip()[:_SHOWN]!r}"] += 1
    elif words[0] != "0":
        run.rows.append((number, words[0], words[time], 1.0))


def _osu(title: str) -> Run:
    """Return an empty run of an OSU benchmark by its title.

    `MPI Latency` and `MPI Bandwidth` are usable, `MPI_Put Latency` and what else moves data without
    a receiver are not. `MPI-CUDA Latency` is of buffers on devices.
    """
    library, _, title = " ".join(title.lower().split()).partition(" ")
    made = Run(f"OSU {title}" if library == "mpi" else f"OSU {library} {title}")
    kind = title.removeprefix("persistent ").removesuffix(" persistent")
    made.one_way = kind in ("latency", "multi latency", "multi-threaded latency", "bandwidth")
    made.one_way &= library == "mpi" or library.startswith("mpi-")
    made.start_up = kind != "bandwidth"
    return made


def _imb(name: str) -> Run:
    return Run(f"IMB {name}", None, _IMB_SAME.fullmatch(name) is not None)


def _osu_row(number: int, words: list[str], line: str, run: Run) -> None:
    if not _is_number(words[1]):
        run.left_out[f"a line that is no row, such as {line.strip()[:_SHOWN]!r}"] += 1
    elif "Fail" in words[2:]:
        run.left_out["a row marked Fail"] += 1
    elif run.columns[1] == "rate":
        rate = float(words[1])
        if rate > 0 and run.one_way:
            run.rows.append((number, words[0], words[0], 1 / rate))
        else:
            run.rows.append((number, words[0], "0", 1.0))  # is refused with its line
    else:
        run.rows.append((number, words[0], words[1], 1.0))


def _imb_row(number: int, words: list[str], line: str, run: Run) -> None:
    columns = run.columns
    time = next((columns.index(head) for head in _IMB_TIMES if head in columns), None)
    size = columns.index("#bytes")
    if time is None:
        return
    if len(words) < len(columns) or not _is_number(words[time]):
        marked = next((word for word in words if word.endswith(".;")), "").rstrip(".;")
        failed = f"a row marked {marked}" if marked else None
        run.left_out[failed or f"a line that is no row, such as {line.strip()[:_SHOWN]!r}"] += 1
    elif "defects" in columns and words[columns.index("defects")] not in ("0", "0.0", "0.00"):
        run.left_out["a row with defects"] += 1
    elif words[size] != "0":  # an empty message has no size to fit
        kind = run.name.removeprefix("IMB ").removeprefix("Multi-")
        share = 1 / _IMB_MESSAGES.get(kind, 1)
        run.rows.append((number, words[size], words[time], share))


def np_out_rows(lines: Iterable[str]) -> Iterator[Row]:
    """Yield the rows of NetPIPE's np.out; none if the columns are not rates and their time.

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
            # MB and MiB differ by 4.9 %: 3 % beyond the rounded digits tells them apart
            if abs(rate * a_second * time * unit / 1e6 / bits - 1) < 0.03 + rounded:
                return unit
    return 0.0


def _half_a_digit(word: str) -> float:
    digits = word.partition(".")[2]
    return 0.5 * 10.0 ** -len(digits) if digits.isdigit() else 0.0


def _bytes(size: str, unit: str) -> str:
    """A size as NetPIPE prints it, in bytes: 1.024 KB is 1024."""
    try:
        total = Decimal(size) * _BYTES[unit]
        return str(total if unit in ("bytes", "B") else int(total))
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


def _float(word: str) -> float:
    return float(word) if _is_number(word) else 0.0


# -- tables, and the formats -----------------------------------------------------------------------

_UNITS = {"s": 1e6, "sec": 1e6, "seconds": 1e6, "ms": 1e3, "us": 1.0, "µs": 1.0, "usec": 1.0}
_UNITS |= {"μs": 1.0, "microseconds": 1.0, "milliseconds": 1e3, "ns": 1e-3, "nanoseconds": 1e-3}
_SIZE_HEAD, _TIME_HEAD = (
    re.compile(r"(size|bytes)\b|size_"),
    re.compile(r"time|latency|seconds|t\["),
)


def _heads(text: Text) -> list[str]:
    """Return the headings of a table, in lower case; none without a line."""
    for line in text.head.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            split = next((mark for mark in "\t;" if mark in line), ",")
            return [head.lower() for head in quoted_cells(line, split)]
    return []


def _table(text: Text) -> Iterator[Row]:
    numbered = [(k, line) for k, line in enumerate(text.lines, 1) if line.strip()]
    lines = [(k, line) for k, line in numbered if not line.lstrip().startswith("#")]
    if not lines:
        return
    split = next((mark for mark in "\t;" if mark in lines[0][1]), ",")
    rows = [(k, quoted_cells(line, split)) for k, line in lines]
    heads = [head.lower() for head in rows[0][1]]
    size = next((k for k, h in enumerate(heads) if re.match(r"(size|bytes)\b|size_", h)), None)
    time = next((k for k, h in enumerate(heads) if re.match(r"time|latency|seconds|t\[", h)), None)
    if size is None or time is None:
        rule = "must be the output of a benchmark, or a table with the columns size and time"
        raise FileError(text.path, rows[0][0], rule, lines[0][1][:60])
    if unit := set(re.findall(r"[a-z]+", heads[size])) - {"size", "in", "bytes", "byte", "b"}:
        raise FileError(
            text.path, rows[0][0], f"sizes must be in bytes, not {unit.pop()}", heads[size]
        )
    factor = _unit(text, rows[0][0], heads[time])
    for number, cells in rows[1:]:
        if len(cells) <= max(size, time):
            raise FileError(text.path, number, "must have a size and a time", ",".join(cells))
        yield number, cells[size], cells[time], factor


def _unit(text: Text, line: int, head: str) -> float:
    """Microseconds in the unit that a heading names; microseconds if it names none."""
    words = [w for w in re.split(r"[^a-zµμ]+", head) if w not in ("", "time", "latency", "t")]
    for word in words:
        if word not in _UNITS:
            raise FileError(
                text.path, line, f"must name a unit of {', '.join(sorted(_UNITS))}", head
            )
        return _UNITS[word]
    return 1.0


_SIGNS = (
    re.compile(r"^#?[ \t]*OSU\s+\S+\s+\S.{0,80}?\s+Test\b", re.M),
    re.compile(r"^#.{0,200}(?:Latency\s?\(us\)|Bandwidth \(MB/s\))", re.M),
    re.compile(r"^# Benchmarking \S", re.M),
    re.compile(r"#bytes\s+#(?:repetitions|iterations)"),
    re.compile(r"\s(?:bytes|[KMG]?B)\s+\S+\s+times\s+-->"),
    re.compile(r"^\|\s*Test:\s.*\|\s*$|^Final:\s+\d|^\S*iterations,[\d.]+_percentile_lat,", re.M),
    re.compile(r'^[ \t]*"test"\s*:\s*"\w+_Test"', re.M),
    re.compile(r"^# nThread \d|^#\s+size\s+count\s+type\s+redop\b", re.M),
)
"""Lines that only benchmarks print."""


def is_log(text: Text) -> bool:
    """Whether a text is the output of a benchmark."""
    if text.is_binary:
        return False
    content = _COLOUR.sub("", text.content) if "\x1b" in text.content else text.content
    return any(sign.search(content) for sign in _SIGNS)


def read_log(text: Text) -> Found:
    """Return the runs that a log holds; notes say which of them differ."""
    runs = tuple(runs_of(text.lines))
    if not runs:
        raise FileError(text.path, 0, "holds no measurements", text.head.strip()[:60])
    notes = [note for _, same in _by_benchmark(runs) if (note := _difference(same))]
    others: tuple[Found, ...] = ()
    hosts = next((run.hosts for run in runs if run.hosts), {})
    if hosts and sorted(hosts) == list(range(len(hosts))):
        ranks = tuple(hosts[rank][0] for rank in range(len(hosts)))
        devices = tuple(hosts[rank][1] for rank in range(len(hosts)))
        others = (
            Found("placement", "nccl-tests", ranks, (), str(text.path)),
            Found("cores", "nccl-tests", devices, (), str(text.path)),
        )
    return Found("times", _format(runs), runs, tuple(notes), str(text.path), others)


def _format(runs: Sequence[Run]) -> str:
    """Return the name of the benchmark suite."""
    return runs[0].name.split()[0].lower()


def _by_benchmark(runs: Sequence[Run]) -> Iterator[tuple[tuple[str, int], list[Run]]]:
    """Group the runs with measurements by benchmark and number of processes."""
    filled = sorted(
        ((run.name, run.processes or 0), k, run) for k, run in enumerate(runs) if run.rows
    )
    for key, group in groupby(filled, key=lambda entry: entry[0]):
        yield key, [run for _, _, run in group]


_AGREE = 1.1
"""Times of one size within a factor of 1.1 agree."""


def _difference(runs: Sequence[Run]) -> str:
    """Say that runs of one benchmark differ, or agree; "" of a single one."""
    if len(runs) < 2:
        return ""
    tables = [dict(run.times) for run in runs]
    common = set(tables[0]).intersection(*tables[1:])
    factors = [
        (max(table[size] for table in tables) / min(table[size] for table in tables), size)
        for size in sorted(common)
    ]
    factor, size = max(factors, default=(0.0, 0))
    names = ", ".join(named_runs(runs))
    if factor > _AGREE:
        return f"{len(runs)} runs differ, at {size} bytes by a factor of {factor:.3g}: {names}"
    what = "have no size in common" if not common else "agree within 10 %"
    return f"{len(runs)} runs {what}: {names}"


def named_runs(runs: Sequence[Run]) -> list[str]:
    """Return the number of every run, with its label if it has one.

    >>> named_runs([Run("OSU latency", label="inter"), Run("OSU latency")])
    ['1 (inter)', '2']
    """
    return [f"{k} ({run.label})" if run.label else str(k) for k, run in enumerate(runs, start=1)]


def _is_np_out(text: Text) -> bool:
    if text.is_binary or len(text.head.split("\n", 1)[0].split()) not in (3, 5):
        return False
    return next(np_out_rows(text.lines), None) is not None


def _read_np_out(text: Text) -> Found:
    run = Run("NetPIPE np.out", rows=list(np_out_rows(text.lines)))
    return Found("times", "np.out", (run,), (), str(text.path))


def _is_table(text: Text) -> bool:
    heads = [] if text.is_binary else _heads(text)
    return any(map(_SIZE_HEAD.match, heads)) and any(map(_TIME_HEAD.match, heads))


def _read_table(text: Text) -> Found:
    return Found("times", "table", (Run("table", rows=list(_table(text))),), (), str(text.path))


FORMATS = (
    Format(
        "benchmark", "times", SIGNATURE, is_log, read_log,
        "OSU 3 to 7, IMB 3 and later, NetPIPE 3 to 5, perftest 4 to 6 (also --out_json), "
        "ucx_perftest 1 (also CSV), nccl-tests 2", "calibrate {path}",
        "where the processes ran (but nccl-tests)", ("placement", "cores"),
    ),
    Format(
        "np.out", "times", LOOSE, _is_np_out, _read_np_out, "NetPIPE: np.out", "calibrate {path}",
        "which processes measured",
    ),
    Format(
        "times-table", "times", LOOSE, _is_table, _read_table,
        "a table with the columns size and time", "calibrate {path}", "which processes measured",
    ),
)  # fmt: skip
