"""The host of every rank, as launchers and libraries report it.

    0: n1                                        srun -l hostname, mpiexec -l hostname, ...
    0 n1                                         a table: the rank, and the host
    [1,0][n1:77]<stdout>: ...                    any output with labels that name hosts
    rank 0=n1 slot=0-1                           rankfile of Open MPI; +n0 is the first host
    rank: 0: { host: 1; cpu: {0} }               resource file of LSF's jsrun
    [n1:77] MCW rank 0 bound to socket 0[...     mpirun --report-bindings, Open MPI 1.6 to 4
    [n1:77] Rank 0 bound to package[0][core:0]   the same, Open MPI 5
    Data for node: n1 ... Process rank: 0        mpirun --display-map (4), --display map (5)
    [PE_0]: rank 0 is on nid01                   MPICH_RANK_REORDER_DISPLAY=1
    0,2 / 1,3                                    MPICH_RANK_ORDER: the ranks of slot after slot
    n1:77:78 [0] NCCL INFO comm 0x1 rank 0 ...   NCCL_DEBUG=INFO, with the rings that NCCL chose

The value is the host of rank 0, 1, ... Files that do not name hosts have "+n2" for the third host
of a list and "+s5" for its sixth slot; `with_hosts` replaces them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from lccmodel.errors import FileError, InputError
from lccmodel.reading.found import LOOSE, SIGNATURE, Format, Found
from lccmodel.reading.hostfiles import Hosts, added_up, slot_by_slot
from lccmodel.reading.hostlist import Host
from lccmodel.reading.text import Text

MAX_RANKS = 1 << 24
"""Most ranks of a file: beyond, a number is a slip of the keys."""

_NAME = r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?"
_NO_HOST = re.compile(r"(?!\d+\.\d+\.\d+\.\d+$)[\d.]+")
"""A number, unless it is an address such as 10.0.0.1."""
_RELATIVE = re.compile(r"\+([ns])(\d{1,9})")


def _placed(
    name: str,
    text: Text,
    places: Iterable[tuple[int, int, str]],
    notes: Sequence[str] = (),
    cores: dict[int, int] | None = None,
    others: tuple[Found, ...] = (),
) -> Found:
    """Return the placement of (line, rank, host).

    Raises:
        FileError: a rank on two hosts, a rank that is missing, or no host name.
    """
    host_of: dict[int, str] = {}
    for line, rank, host in places:
        if rank >= MAX_RANKS:
            raise FileError(text.path, line, f"a rank must be below {MAX_RANKS:,}", rank)
        if host_of.setdefault(rank, host) != host:
            rule = f"must place rank {rank} on one host, which was {host_of[rank]}"
            raise FileError(text.path, line, rule, host)
    if not host_of:
        raise FileError(text.path, 0, "must name the host of a rank", text.head[:60])
    if len(host_of) != max(host_of) + 1:
        missing = next(rank for rank in range(max(host_of)) if rank not in host_of)
        rule = f"must name the host of every rank from 0 to {max(host_of)}; missing is rank"
        raise FileError(text.path, 0, rule, missing)
    ranks = tuple(host_of[rank] for rank in range(len(host_of)))
    where = str(text.path)
    if not any(map(_RELATIVE.fullmatch, host_of.values())):
        for host in dict.fromkeys(ranks):
            try:
                Host(host)
            except InputError as error:
                raise FileError(text.path, 0, f"host {error.rule}", host) from None
        note = "hosts are those where ranks run, with as many slots as ranks"
        others = (
            *others,
            Found("hosts", name, added_up(tuple((h, 1) for h in ranks)), (note,), where),
        )
    if cores and len(cores) == len(ranks):
        listed = tuple(cores[rank] for rank in range(len(ranks)))
        others = (*others, Found("cores", name, listed, (), where))
    return Found("placement", name, ranks, tuple(notes), where, others)


def with_hosts(placement: Found, hosts: Hosts) -> Found:
    """Return a placement in which positions in a list of hosts are the names of that list.

    Raises:
        FileError: fewer hosts or slots than are used.

    >>> order = Found("placement", "cray-rank-order", ("+s0", "+s2", "+s1", "+s3"))
    >>> with_hosts(order, (("h0", 2), ("h1", 2))).value
    ('h0', 'h1', 'h0', 'h1')
    """
    names = tuple(name for name, _ in added_up(hosts))
    slots = slot_by_slot(hosts)
    ranks: list[str] = []
    for rank, host in enumerate(placement.value):
        match = _RELATIVE.fullmatch(host)
        listed = names if match and match[1] == "n" else slots
        if match is not None and int(match[2]) >= len(listed):
            what = "hosts" if match[1] == "n" else "slots"
            rule = f"--hosts must have at least {int(match[2]) + 1} {what}, for rank {rank}"
            raise FileError(placement.where, 0, rule, len(listed))
        ranks.append(host if match is None else listed[int(match[2])])
    return replace(placement, value=tuple(ranks))


def needs_hosts(placement: Found) -> bool:
    """Return whether a placement has positions in a list of hosts in place of names."""
    return any(map(_RELATIVE.fullmatch, placement.value))


# -- labels ----------------------------------------------------------------------------------------


def _is_labelled_hostname(text: Text) -> bool:
    """Whether every labelled line with text is one word that may be a host."""
    if not text.labels:
        return False
    own = [line.strip() for label, line in zip(text.labels, text.lines, strict=False) if label]
    filled = [line for line in own if line]
    return (
        bool(filled)
        and all(re.fullmatch(_NAME, line) for line in filled)
        and not all(_NO_HOST.fullmatch(line) for line in filled)
    )


def _read_labelled_hostname(text: Text) -> Found:
    lines = zip(text.labels, text.lines, strict=False)
    places = [
        (number, label.rank, line.strip())
        for number, (label, line) in enumerate(lines, start=1)
        if label is not None and label.rank is not None and line.strip()
    ]
    ignored = sum(
        label is None and bool(line.strip())
        for label, line in zip(text.labels, text.lines, strict=False)
    )
    notes = [f"{ignored} lines without a label are ignored"] * bool(ignored)
    return _placed("labelled-hostname", text, places, notes)


_TABLE_HEAD = re.compile(r"rank[\s,;]+(?:host|hostname|node|nodename)\b.*", re.IGNORECASE)
_TABLE_ROW = re.compile(rf"(?:rank\s*)?(\d{{1,8}})\s*[\s,;:=]\s*({_NAME})(?:[\s,;].*)?", re.I)


def _rank_rows(text: Text) -> list[tuple[int, str]]:
    """Return the lines of a table of ranks and hosts, without its heading."""
    rows = [(n, line) for n, line in text.filled() if not line.startswith("#")]
    return rows[1:] if rows and _TABLE_HEAD.fullmatch(rows[0][1]) else rows


def _is_rank_table(text: Text) -> bool:
    """Whether every line is a rank and a host, which is no number."""
    if text.is_binary or text.labels:
        return False
    rows = _rank_rows(text.sample)
    matches = [_TABLE_ROW.fullmatch(line) for _, line in rows]
    is_headed = len(rows) < sum(not line.startswith("#") for _, line in text.sample.filled())
    return bool(rows) and all(
        match and not _NO_HOST.fullmatch(match[2]) and (is_headed or match.end(2) == match.end())
        for match in matches
    )


def _read_rank_table(text: Text) -> Found:
    places: list[tuple[int, int, str]] = []
    for number, line in _rank_rows(text):
        match = _TABLE_ROW.fullmatch(line)
        if match is None:
            raise FileError(text.path, number, "must be a rank and its host", line[:80])
        places.append((number, int(match[1]), match[2]))
    return _placed("rank-table", text, places)


def _has_hosts(text: Text) -> bool:
    return any(label is not None and label.host and label.rank is not None for label in text.labels)


def read_labels(text: Text) -> Found:
    """Return the host of every rank that labels name."""
    places = [
        (number, label.rank, label.host)
        for number, label in enumerate(text.labels, start=1)
        if label is not None and label.rank is not None and label.host
    ]
    return _placed("labels", text, places, ["hosts are those of the labels of the lines"])


# -- files that make a launcher place ranks --------------------------------------------------------

_RANKFILE = re.compile(
    r"\s*rank\s+(\d{1,9})\s*=\s*(?:[\w.-]+@)?(\S+?)\s+(?:slots?|cpus?)\s*=\s*(\S.*?)\s*", re.I
)
_RANK_LINE = re.compile(r"\s*rank\s+\d{1,9}\s*=", re.I)
_ERF = re.compile(r"\s*rank:\s*(\d{1,9})\s*:\s*\{\s*host:\s*(\d{1,7})\s*;(?:.*?\{(\d{1,6})\b)?.*")


def _has_line(pattern: re.Pattern[str]) -> Callable[[Text], bool]:
    def recognises(text: Text) -> bool:
        return not text.is_binary and any(pattern.match(line) for line in text.head.split("\n"))

    return recognises


def _read_rankfile(text: Text) -> Found:
    places: list[tuple[int, int, str]] = []
    cores: dict[int, int] = {}
    for number, line in enumerate(text.lines, start=1):
        content = line.split("#", 1)[0]
        if not content.strip():
            continue
        match = _RANKFILE.fullmatch(content)
        if match is None:
            rule = "must be `rank N=HOST slot=LIST`"
            raise FileError(text.path, number, rule, content.strip()[:80])
        rank, host = int(match[1]), match[2]
        relative = re.fullmatch(r"\+[nN](\d{1,6})", host)
        if rank in cores:
            raise FileError(text.path, number, "must place every rank once", rank)
        cores[rank] = int(first[0]) if (first := re.match(r"\d{1,6}(?!\d*:)", match[3])) else -1
        places.append((number, rank, f"+n{relative[1]}" if relative else host))
    all_cores = cores if all(core >= 0 for core in cores.values()) else None
    return _placed("openmpi-rankfile", text, places, (), all_cores)


def _read_erf(text: Text) -> Found:
    places: list[tuple[int, int, str]] = []
    cores: dict[int, int] = {}
    for number, line in enumerate(text.lines, start=1):
        content = line.split("#", 1)[0].strip()
        if not content or re.match(
            r"cpu_index_using|overlapping|skip_missing|launch_distribution", content
        ):
            continue
        match = _ERF.fullmatch(content)
        if match is None or not int(match[2]):
            rule = "must be `rank: N: { host: H; cpu: {C} }`, with hosts from 1"
            raise FileError(text.path, number, rule, content[:80])
        places.append((number, int(match[1]), f"+n{int(match[2]) - 1}"))
        if match[3]:
            cores[int(match[1])] = int(match[3])
    return _placed(
        "lsf-erf", text, places, ["hosts are numbered from 1, as the job has them"], cores
    )


_ORDER = re.compile(r"\s*\d{1,8}(?:-\d{1,8})?(?:\s*,\s*\d{1,8}(?:-\d{1,8})?)*\s*,?\s*")


def _order_lines(text: Text) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.lines, start=1):
        if content := line.split("#", 1)[0].strip():
            yield number, content


def _is_order(text: Text) -> bool:
    """Whether every line is ranks with commas, or one rank."""
    if text.is_binary or text.labels:
        return False
    lines = [content for _, content in _order_lines(text.sample)]
    return bool(lines) and all(map(_ORDER.fullmatch, lines))


def _read_order(text: Text) -> Found:
    ranks: list[int] = []
    lines: list[int] = []
    for number, content in _order_lines(text):
        for part in filter(None, re.split(r"\s*,\s*", content)):
            first, _, last = part.partition("-")
            if not re.fullmatch(r"\d{1,8}", first) or not re.fullmatch(r"\d{0,8}", last):
                rule = "must be ranks such as 0,4-7 (MPICH_RANK_ORDER)"
                raise FileError(text.path, number, rule, part)
            low, high = int(first), int(last or first)
            if not 0 <= high - low < MAX_RANKS - len(ranks):
                raise FileError(text.path, number, "a range of ranks must go up", part)
            ranks.extend(range(low, high + 1))
            lines.extend([number] * (high - low + 1))
    seen: set[int] = set()
    for line, rank in zip(lines, ranks, strict=True):
        if rank in seen or rank >= len(ranks):
            rule = f"must be an order of the ranks 0 to {len(ranks) - 1}, each once"
            raise FileError(text.path, line, rule, rank)
        seen.add(rank)
    places = ((0, rank, f"+s{slot}") for slot, rank in enumerate(ranks))
    note = "the order of ranks is by slots: hosts are filled in the order of --hosts"
    return _placed("cray-rank-order", text, places, [note])


_DISPLAYED = re.compile(rf"(?:\[PE_\d+\]:\s*)?rank (\d{{1,9}}) is on ({_NAME})\s*")


def _read_displayed(text: Text) -> Found:
    places = [
        (number, int(match[1]), match[2])
        for number, line in enumerate(text.lines, start=1)
        if (match := _DISPLAYED.search(line)) is not None
    ]
    return _placed("cray-rank-display", text, places)


# -- reports of mpirun -----------------------------------------------------------------------------

_BOUND = re.compile(
    rf"\[({_NAME})(?::\d+)?\]\s+(?:\[\S+\]\s+)?(?:MCW )?[Rr]ank (\d{{1,9}}) "
    r"(?:is )?(not bound|bound to\b)(.*)"
)
_CORE = re.compile(r"core[ :]L?(\d{1,6})")
_NODE = re.compile(r"\s*Data for node:\s*(?:Name:\s*)?([^\s,]+)(?:.*Num slots:\s*(\d{1,7}))?")
_PROCESSES = re.compile(r"Num procs:\s*(\d{1,7})")
_PROCESS = re.compile(r"\s*(?:.*\bProcess rank:\s*(\d{1,9})|Data for proc:\s*\[.*,(\d{1,9})\])(.*)")


def _is_bindings(text: Text) -> bool:
    return not text.is_binary and "ank " in text.content and _BOUND.search(text.content) is not None


def _read_bindings(text: Text) -> Found:
    places: list[tuple[int, int, str]] = []
    cores: dict[int, int] = {}
    for number, line in enumerate(text.lines, start=1):
        for match in _BOUND.finditer(line):
            places.append((number, int(match[2]), match[1]))
            if (core := _CORE.search(match[4])) is not None:
                cores.setdefault(int(match[2]), int(core[1]))
    return _placed("openmpi-report-bindings", text, places, (), cores)


def _is_map(text: Text) -> bool:
    if text.is_binary or "Data for node:" not in text.content:
        return False
    return _PROCESS.search(text.content) is not None or "JOB MAP" in text.content


def _read_map(text: Text) -> Found:
    places: list[tuple[int, int, str]] = []
    cores: dict[int, int] = {}
    host, rank = "", -1
    many: dict[tuple[int, str], tuple[int, int]] = {}
    for number, line in enumerate(text.lines, start=1):
        if (node := _NODE.match(line)) is not None:
            host = node[1]
            many[number, host] = (len(places), 1)
        if host and (procs := _PROCESSES.search(line)) is not None:
            key = next(reversed(many))
            many[key] = (many[key][0], int(procs[1]))
        if node is not None:
            continue
        if (process := _PROCESS.match(line)) is not None:
            if not host:
                raise FileError(text.path, number, "must name the node of a process", line.strip())
            rank = int(process[1] or process[2])
            places.append((number, rank, host))
        is_binding = rank >= 0 and ("Bound:" in line or "Binding:" in line)
        if is_binding and (core := _CORE.search(line)) is not None:
            cores.setdefault(rank, int(core[1]))
    ends = [first for first, _ in [*many.values()][1:]] + [len(places)]
    for ((number, name), (begin, least)), end in zip(many.items(), ends, strict=True):
        if "JOB MAP" in text.content and end - begin < least:
            rule = f"is cut: node {name} must have {least} or more processes"
            raise FileError(text.path, number, rule, end - begin)
    return _placed("openmpi-display-map", text, places, (), cores)


# -- NCCL ------------------------------------------------------------------------------------------

_NCCL = re.compile(rf"({_NAME}):(\d+):\d+ \[(\d+)\] NCCL INFO (.*)")
_COMM = re.compile(r".*?\bcomm (0x[0-9a-fA-F]+) rank (\d{1,9}) n[Rr]anks (\d{1,9})\b(.*)")
_RING = re.compile(r"Channel (\d+)/\d+ :((?:\s+\d+)+)(\s+\.\.\.)?\s*")


def _is_nccl(text: Text) -> bool:
    return not text.is_binary and " NCCL INFO " in text.content and bool(_NCCL.search(text.content))


def _read_nccl(text: Text) -> Found:
    members: dict[int, list[tuple[int, int, str, int, str, str]]] = {}
    rings: dict[tuple[str, str], list[tuple[int, ...]]] = {}
    is_cut = False
    for number, line in enumerate(text.lines, start=1):
        match = _NCCL.search(line)
        if match is None:
            continue
        host, pid, device, message = match.groups()
        if (comm := _COMM.match(message)) is not None:
            known = re.search(r"commId (0x[0-9a-fA-F]+)", comm[4])
            entry = (number, int(comm[2]), host, int(device), pid, known[1] if known else "")
            members.setdefault(int(comm[3]), []).append(entry)
        elif (ring := _RING.fullmatch(message)) is not None:
            is_cut |= ring[3] is not None
            rings.setdefault((host, pid), []).append(tuple(map(int, ring[2].split())))
    if not members:
        rule = "must have lines `comm ... rank R nRanks N` (NCCL_DEBUG=INFO)"
        raise FileError(text.path, 0, rule, "none")
    most = max(members)
    group = members[most]
    ids = Counter(entry[5] for entry in group if entry[5])
    if len(ids) > 1:
        group = [entry for entry in group if entry[5] == next(iter(ids))]
    notes = []
    if len(members) > 1 or len(ids) > 1:
        notes.append(f"of several communicators, the first one of {most} ranks is taken")
    stated = {rank for _, rank, *_ in group}
    if len(stated) < most:
        rule = f"must name {most} ranks of a communicator; NCCL_DEBUG_FILE writes a file a process"
        raise FileError(text.path, 0, rule, f"{len(stated)} ranks")
    if is_cut:
        notes.append("a ring that NCCL cut with ... is left out")
    first = next((entry[2], entry[4]) for entry in group if entry[1] == 0)
    whole = tuple(ring for ring in rings.get(first, []) if sorted(ring) == list(range(most)))
    where = str(text.path)
    orders = (
        (Found("order", "nccl-debug", whole, ("rings that NCCL chose",), where),) if whole else ()
    )
    places = [(number, rank, host) for number, rank, host, *_ in group]
    devices = {rank: device for _, rank, _, device, *_ in group}
    return _placed("nccl-debug", text, places, notes, devices, orders)


FORMATS = (
    Format(
        "openmpi-rankfile", "placement", SIGNATURE, _has_line(_RANK_LINE), _read_rankfile,
        "Open MPI 1.3 to 5: rankfile", "--now {path}", "slots that are free", ("hosts", "cores"),
    ),
    Format(
        "lsf-erf", "placement", SIGNATURE, _has_line(_ERF), _read_erf,
        "LSF: resource file of jsrun", "--now {path}", "names of hosts", ("cores",),
    ),
    Format(
        "cray-rank-display", "placement", SIGNATURE,
        lambda text: _DISPLAYED.search(text.content) is not None, _read_displayed,
        "Cray MPICH 7, 8: MPICH_RANK_REORDER_DISPLAY=1", "--now {path}", "cores", ("hosts",),
    ),
    Format(
        "openmpi-report-bindings", "placement", SIGNATURE, _is_bindings, _read_bindings,
        "Open MPI 1.6 to 5: mpirun --report-bindings", "--now {path}",
        "slots that are free", ("hosts", "cores"),
    ),
    Format(
        "openmpi-display-map", "placement", SIGNATURE, _is_map, _read_map,
        "Open MPI 4, 5: mpirun --display-map", "--now {path}", "nodes without a rank",
        ("hosts", "cores"),
    ),
    Format(
        "nccl-debug", "placement", SIGNATURE, _is_nccl, _read_nccl,
        "NCCL 2.4 and later: NCCL_DEBUG=INFO", "--now {path}", "volumes of messages",
        ("hosts", "cores", "order"),
    ),
    Format(
        "labelled-hostname", "placement", LOOSE, _is_labelled_hostname, _read_labelled_hostname,
        "srun -l hostname, mpirun --tag-output hostname, mpiexec -l hostname", "--now {path}",
        "cores", ("hosts",),
    ),
    Format(
        "labels", "placement", LOOSE,
        lambda text: _has_hosts(text) and not _is_labelled_hostname(text), read_labels,
        "output with labels that name hosts: mpirun --output tag-detailed", "--now {path}",
        "cores", ("hosts",),
    ),
    Format(
        "rank-table", "placement", LOOSE, _is_rank_table, _read_rank_table,
        "a table of ranks and hosts: srun sh -c 'echo $SLURM_PROCID $(hostname)'", "--now {path}",
        "cores", ("hosts",),
    ),
    Format(
        "cray-rank-order", "placement", LOOSE, _is_order, _read_order,
        "Cray MPICH: MPICH_RANK_ORDER", "--now {path}", "hosts",
    ),
)  # fmt: skip
