"""Lists of hosts as resource managers and launchers write them.

    n1 / n1 / n2                       PBS_NODEFILE, OAR_NODEFILE, SLURM_HOSTFILE: a line for a slot
    n1 slots=2 max_slots=4             hostfiles of Open MPI; a host that is named again adds slots
    n1:2, n2:1, n1:1                   machine files of Hydra (MPICH, Intel MPI): runs of ranks
    n[1-4]:2,login                     a list with ranges
    n1 2 n2 1                          LSB_MCPU_HOSTS, with or without the name of the variable
    n1 n1 n2                           LSB_HOSTS
    n1 2 all.q@n1 UNDEFINED            PE_HOSTFILE of Grid Engine
    {"execution": {"R_lite": ...       R of Flux
    SLURM_JOB_NODELIST=n[1-2]          environment of a Slurm job, as `env | grep ^SLURM_` prints it
    SLURM_TASKS_PER_NODE=2(x2)

The value is ((name, slots), ...). Where the order of ranks follows, the placement is a further
part. Repetitions and order are kept: tools that sort such lists lose the order of ranks.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, cycle, repeat
from typing import Any

from lccmodel.errors import FileError, InputError
from lccmodel.reading.found import LOOSE, SIGNATURE, STRICT, Format, Found
from lccmodel.reading.hostlist import (
    MAX_SLOTS,
    Host,
    expanded,
    list_entries,
    listed_hosts,
    split_outside_brackets,
)
from lccmodel.reading.text import Text

Hosts = tuple[tuple[str, int], ...]
"""Names with slots, in order; a name may be repeated."""

MAX_RANKS = 1 << 24
"""Most slots of a list: beyond, a number is a slip of the keys."""

_LONGEST = 1 << 20
"""The longest line of a list of hosts: parts of a longer one would take 40 times its size."""

_RULE = "must be a host name, a range such as node[01-04], or a list of them"
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|\d+(?:-\d+)+")
"""What is no host: a number, or a range of ranks."""
_PLAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.\[\],-]*[A-Za-z0-9_\]])?")
_COMMENT = re.compile(r"#[^\n]*|//[^\n]*|/\*.*?\*/", re.S)
_SLOTS = ("slots", "count", "cpu", "cpus")
_MOST = re.compile(r"(?:max[_-]?(?:slots|count|cpus?)|(?:slots|count|cpus?)[_-]max)")
_IGNORED = (
    "sockets",
    "boards",
    "cores_per_socket",
    "binding",
    "user",
    "username",
    "user_name",
    "ifname",
    "map",
    "port",
    "rank",
)
_OPTIONS = "must be a host with at most one of ':K' and 'slots=K', and 'max_slots=M'"
_VARIABLE = r"(?:^|\n)\s*(?:export\s+|declare -x\s+|setenv\s+)?"


def checked_hosts(text: Text, pairs: Iterable[tuple[int, str, int]]) -> Hosts:
    """Return the hosts of (line, name, slots).

    Raises:
        FileError: a name is no host name, slots are not from 1 to 2^20, there is no host, or there
            are too many slots.
    """
    hosts: list[tuple[str, int]] = []
    total = 0
    for line, name, slots in pairs:
        try:
            host = Host(name, slots)
        except InputError as error:
            raise FileError(
                text.path, line, f"{error.argument} {error.rule}", error.value
            ) from None
        hosts.append((host.name, host.slots))
        total += slots
        if total > MAX_RANKS:
            rule = f"must have at most {MAX_RANKS:,} slots together"
            raise FileError(text.path, line, rule, total)
    if not hosts:
        raise FileError(text.path, 0, "must name at least one host", "no host")
    return tuple(hosts)


def added_up(hosts: Hosts) -> Hosts:
    """Return every host once, with all its slots, in the order of first appearance.

    >>> added_up((("a", 1), ("b", 1), ("a", 2)))
    (('a', 3), ('b', 1))
    """
    slots: dict[str, int] = {}
    for name, count in hosts:
        slots[name] = slots.get(name, 0) + count
    return tuple(slots.items())


def slot_by_slot(hosts: Hosts) -> tuple[str, ...]:
    """Return the host of every slot, entry after entry."""
    return tuple(chain.from_iterable(repeat(name, slots) for name, slots in hosts))


def _found(
    name: str, text: Text, hosts: Hosts, notes: Sequence[str], ranks: tuple[str, ...] | None
) -> Found:
    where = str(text.path)
    placed = () if ranks is None else (Found("placement", name, ranks, tuple(notes), where),)
    return Found("hosts", name, hosts, tuple(notes), where, placed)


def _expanded(text: Text, line: int, names: str) -> Iterator[str]:
    try:
        yield from listed_hosts(names, _RULE)
    except InputError as error:
        raise FileError(text.path, line, error.rule, error.value) from None


def _is_name(word: str) -> bool:
    """Whether a word may be a host, or a list of hosts, and no number."""
    names = split_outside_brackets(word.rpartition("@")[2])
    return all(_PLAIN.fullmatch(name) and not _NUMBER.fullmatch(name) for name in names)


# -- lines of hosts: node files, hostfiles, machine files -----------------------------------------


def _filled(text: Text) -> Iterator[tuple[int, str]]:
    """Yield the lines that have more than a comment."""
    content = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text.content)
    for number, line in enumerate(content.split("\n"), start=1):
        if stripped := line.strip():
            yield number, re.sub(r"\s*=\s*", "=", stripped) if "=" in stripped else stripped


def _is_lines(text: Text) -> bool:
    """Whether every line is a host or a list of hosts, perhaps with slots and options."""
    if text.is_binary or text.labels or not text.head.strip():
        return False
    line = ""
    for _, line in _filled(text):  # a table of a million messages is none after its first line
        if len(line) > _LONGEST:
            return False
        name, *options = line.split()
        name = re.sub(r":\d+(?=,|$)", "", name)
        if line.startswith("rank ") or not (_is_name(name) or _is_typed(line)):
            return False
        if not _is_typed(line) and not all("=" in option for option in options):
            return False
    return bool(line)


def _is_typed(line: str) -> bool:
    """Whether a line is a list such as a:2, b[1-3], or with blanks a:2 b:3."""
    words = line.split()
    if len(words) > 1 and all(re.search(r"\w:\d+$", word) for word in words):
        line = ",".join(words)
    return "," in line and all(
        _is_name(re.sub(r":\d+$", "", entry.strip())) for entry in split_outside_brackets(line)
    )


def _has_slots(text: Text) -> bool:
    return "=" in text.content and any("=" in s for _, s in _filled(text)) and _is_lines(text)


def _is_counted(line: str) -> bool:
    """Whether slots follow a name after a colon."""
    return any(re.search(r":\d+$", entry) for entry in line.split()[0].split(","))


def _is_openmpi(text: Text) -> bool:
    if not _has_slots(text):
        return False
    words = [word.partition("=")[0] for _, line in _filled(text) for word in line.split()[1:]]
    return not any(_is_counted(line) for _, line in _filled(text)) or any(
        word in _SLOTS or _MOST.fullmatch(word) for word in words
    )


def _is_hydra(text: Text) -> bool:
    return (
        not _is_openmpi(text)
        and _is_lines(text)
        and any(_is_counted(line) for _, line in _filled(text))
    )


def _is_nodefile(text: Text) -> bool:
    if "=" in text.head and _has_slots(text):
        return False
    return _is_lines(text) and not any(_is_counted(line) for _, line in _filled(text))


def _read_lines(name: str, text: Text) -> tuple[Hosts, list[str]]:
    """Return the hosts of every line, and the options that are not used."""
    entries: list[tuple[int, str, int]] = []
    ignored: dict[str, str] = {}
    bare = ""
    for number, line in _filled(text):
        names, slots = line if "," in line else ",".join(line.split()), None
        if not _is_typed(line):
            names, *options = line.split()
            slots = _stated_slots(text, number, options, ignored)
        for host, count in _with_slots(text, number, names):
            if count is not None and slots is not None:
                raise FileError(text.path, number, _OPTIONS, line)
            entries.append((number, host, count or slots or 1))
            bare = bare or (host if count is None and slots is None else "")
    notes = [f"{key} is not used ({example})" for key, example in ignored.items()]
    if bare and name == "openmpi-hostfile":
        notes.append(f"{bare} has no slots=K: 1 slot is taken; Open MPI 5 takes its cores")
    return checked_hosts(text, entries), notes


def _with_slots(text: Text, number: int, names: str) -> Iterator[tuple[str, int | None]]:
    """Yield the hosts of a list such as a:4,n[1-2], with slots where they are stated."""
    try:
        for entry in list_entries(names, _RULE):
            name, colon, slots = entry.rpartition("@")[2].partition(":")
            count = _positive(text, number, slots) if colon else None
            yield from ((host, count) for host in expanded(name.strip(), _RULE))
    except FileError:
        raise
    except InputError as error:
        raise FileError(text.path, number, error.rule, error.value) from None


def _stated_slots(
    text: Text, number: int, options: Sequence[str], ignored: dict[str, str]
) -> int | None:
    slots: int | None = None
    for option in options:
        key, _, value = option.partition("=")
        word = key.lower()
        if word in _SLOTS and slots is None:
            slots = _positive(text, number, value)
        elif _MOST.fullmatch(word):
            _positive(text, number, value)
        elif word in _IGNORED:
            ignored.setdefault(word, option)
        else:
            raise FileError(text.path, number, _OPTIONS, " ".join(options))
    return slots


def _positive(text: Text, number: int, value: str) -> int:
    if not re.fullmatch(r"[0-9]+", value) or not value.strip("0"):
        rule = "a number of slots must be a positive integer"
        raise FileError(text.path, number, rule, value)
    if len(value) > len(str(MAX_SLOTS)) or int(value) > MAX_SLOTS:
        rule = f"slots must be at most {MAX_SLOTS:,} for a host"
        raise FileError(text.path, number, rule, value[:20])
    return int(value)


def _read_openmpi(text: Text) -> Found:
    hosts, notes = _read_lines("openmpi-hostfile", text)
    merged = added_up(hosts)
    if len(merged) < len(hosts):
        notes.append("a host that is named more than once has the sum of its slots")
    return _found("openmpi-hostfile", text, merged, notes, None)


def read_hydra(text: Text) -> Found:
    """Return the hosts of a machine file of Hydra, a host with perhaps its ranks per line."""
    hosts, notes = _read_lines("hydra-hostfile", text)
    return _found("hydra-hostfile", text, hosts, notes, slot_by_slot(hosts))


def _read_nodefile(text: Text) -> Found:
    hosts, notes = _read_lines("nodefile-pbs-oar", text)
    merged = added_up(hosts)
    if len(merged) < len(hosts):
        notes += ["a host has as many slots as it has lines", *_launch_host(merged)]
    return _found("nodefile-pbs-oar", text, merged, notes, slot_by_slot(hosts))


# -- LSF and Grid Engine ---------------------------------------------------------------------------

_LSB = re.compile(_VARIABLE + r"(LSB_MCPU_HOSTS|LSB_HOSTS)[= ]\s*(['\"]?)([^\n'\"]*)\2")


def _is_lsf_variable(text: Text) -> bool:
    return "LSB_" in text.head and _LSB.search(text.content) is not None


def _is_pairs(words: Sequence[str]) -> bool:
    return (
        len(words) >= 2
        and len(words) % 2 == 0
        and all(map(_is_name, words[::2]))
        and all(re.fullmatch(r"[0-9]{1,9}", count) for count in words[1::2])
    )


def _is_lsf(text: Text) -> bool:
    """Whether there is one line of hosts, or a host and its slots on every line."""
    if text.is_binary or text.labels:
        return False
    lines = [line.partition("#")[0].split() for line in text.sample.lines]
    filled = [words for words in lines if words]
    if len(filled) > 1:
        return all(len(words) == 2 and _is_pairs(words) for words in filled)
    return bool(filled) and (
        _is_pairs(filled[0]) or (len(filled[0]) > 1 and all(map(_is_name, filled[0])))
    )


def _read_lsf(text: Text) -> Found:
    variables = {match[1]: match[3] for match in _LSB.finditer(text.content)}
    content = re.sub(r"#.*", "", text.content)
    line = variables.get("LSB_MCPU_HOSTS", variables.get("LSB_HOSTS", content))
    words = line.split()
    if _is_pairs(words):
        pairs = zip(words[::2], words[1::2], strict=True)
        hosts = checked_hosts(text, ((1, name, int(count)) for name, count in pairs))
    elif words and all(map(_is_name, words)):
        hosts = checked_hosts(
            text, ((1, name, 1) for word in words for name in _expanded(text, 1, word))
        )
    else:
        rule = "must be hosts with their slots (n1 2 n2 2), or a host for every slot (n1 n1 n2)"
        raise FileError(text.path, 1, rule, line.strip()[:80])
    merged = added_up(hosts)
    return _found("lsf-sge", text, merged, _launch_host(merged), slot_by_slot(hosts))


def _launch_host(hosts: Hosts) -> list[str]:
    """Return a note if the first host may be the one that only launches the job."""
    if len(hosts) > 1 and hosts[0][1] == 1 < min(slots for _, slots in hosts[1:]):
        return [f"{hosts[0][0]} has one slot: leave it out if it only launches the job"]
    return []


def _is_sge(text: Text) -> bool:
    if text.is_binary or text.labels:
        return False
    rows = [line.split() for line in text.head.split("\n") if line.strip()]
    return bool(rows) and all(
        len(row) in (3, 4)
        and _is_name(row[0])
        and re.fullmatch(r"[0-9]{1,9}", row[1])
        and (("@" in row[2]) or row[-1] in ("UNDEFINED", "<NULL>", "NULL"))
        for row in rows
    )


def _read_sge(text: Text) -> Found:
    entries: list[tuple[int, str, int]] = []
    for number, line in text.filled():
        row = line.split()
        if len(row) not in (3, 4):
            rule = "must have the columns host, slots, queue and perhaps processors"
            raise FileError(text.path, number, rule, line[:80])
        entries.append((number, row[0], _positive(text, number, row[1])))
    hosts = checked_hosts(text, entries)
    merged = added_up(hosts)
    notes = ["a host in several queues has the sum of its slots"] * (len(merged) < len(hosts))
    return _found("lsf-sge", text, merged, notes, slot_by_slot(merged))


# -- Flux ----------------------------------------------------------------------------------------


def _is_flux(text: Text) -> bool:
    return text.head.lstrip().startswith("{") and '"R_lite"' in text.content


def _read_flux(text: Text) -> Found:
    try:
        execution: Any = json.loads(text.content)["execution"]
        entries, names = execution["R_lite"], execution["nodelist"]
        stated = execution.get("nslots")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        rule = "must be R of Flux, with execution.R_lite and execution.nodelist"
        raise FileError(text.path, 0, rule, str(error)[:80]) from None
    nodes = [host for name in _listed(text, "nodelist", names) for host in _expanded(text, 0, name)]
    cores: dict[int, int] = {}
    for entry in _listed(text, "R_lite", entries, of=dict):
        children = entry.get("children")
        owned = children.get("core", children.get("gpu")) if isinstance(children, dict) else None
        count = len(_idset(text, owned))
        for rank in _idset(text, entry.get("rank")):
            if rank in cores:
                raise FileError(text.path, 0, "R_lite must name every rank once", rank)
            cores[rank] = count
    if len(nodes) != len(cores):
        rule = f"nodelist must name {len(cores)} hosts, one for every rank of R_lite"
        raise FileError(text.path, 0, rule, len(nodes))
    hosts = checked_hosts(
        text, ((0, name, cores[rank]) for name, rank in zip(nodes, sorted(cores), strict=True))
    )
    notes = ["slots are the cores that the job has on a host"]
    total = sum(slots for _, slots in hosts)
    if isinstance(stated, int) and 0 < stated < total and stated % len(hosts) == 0:
        share, notes = stated // len(hosts), [f"nslots = {stated}, evenly over the hosts"]
        hosts = tuple((name, share) for name, _ in hosts)
    elif isinstance(stated, int) and stated != total:
        notes.append(f"nslots = {stated} is not used: it is no equal share of every host")
    return _found("flux-r", text, hosts, notes, None)


def _listed(text: Text, name: str, value: Any, of: type = str) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(entry, of) for entry in value):
        kind = "texts" if of is str else "objects"
        raise FileError(text.path, 0, f"{name} must be a list of {kind}", str(value)[:80])
    return value


def _idset(text: Text, value: Any) -> list[int]:
    """Return the numbers of an idset of Flux such as "0-3,7"."""
    rule = "must be a set of numbers such as 0-3,7"
    numbers: list[int] = []
    for part in str(value).strip("[]").split(","):
        match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part)
        if match is None:
            raise FileError(text.path, 0, rule, str(value)[:80])
        first, last = int(match[1]), int(match[2] or match[1])
        if not 0 <= last - first < MAX_RANKS:
            raise FileError(text.path, 0, rule, part)
        numbers.extend(range(first, last + 1))
    return numbers


# -- Slurm ---------------------------------------------------------------------------------------

_SLURM = re.compile(_VARIABLE + r"(SLURM_\w+)[= ](['\"]?)([^\n]*?)\2[ \t;]*(?=\n|$)")
_TASKS = ("SLURM_TASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE")


def _is_slurm(text: Text) -> bool:
    return (
        "SLURM_" in text.head
        and re.search(r"SLURM_(JOB_|STEP_)?NODELIST[= ]", text.head) is not None
    )


def _read_slurm(text: Text) -> Found:
    # the finditer of overlapping line ends: a variable ends where the next one begins
    variables = {match[1]: match[3].strip() for match in _SLURM.finditer(text.content)}
    step = all(f"SLURM_STEP_{name}" in variables for name in ("NODELIST", "TASKS_PER_NODE"))
    names = ("SLURM_STEP_NODELIST",) if step else ("SLURM_JOB_NODELIST", "SLURM_NODELIST")
    source = next((name for name in names if variables.get(name)), "SLURM_JOB_NODELIST")
    nodes = list(_expanded(text, 0, variables.get(source, "")))
    notes: list[str] = []
    if step and variables.get("SLURM_JOB_NODELIST", variables[source]) != variables[source]:
        notes.append("the hosts are those of the step, not of the job")
    tasks, notes_of_tasks = _tasks(text, variables, step, len(nodes))
    notes += notes_of_tasks
    hosts = checked_hosts(
        text, ((0, name, count) for name, count in zip(nodes, tasks, strict=True))
    )
    ranks, how = _distributed(text, variables, hosts, notes)
    return _found("slurm-env", text, hosts, [*notes, *how], ranks)


def _tasks(
    text: Text, variables: dict[str, str], step: bool, nodes: int
) -> tuple[list[int], list[str]]:
    """Return the tasks of every node, and the notes on where they are from."""
    counts = variables.get(_TASKS[step]) or variables.get(_TASKS[0])
    if counts:
        return _repeated(text, _TASKS[step], counts, nodes), []
    if per_node := variables.get("SLURM_NTASKS_PER_NODE"):
        return _repeated(text, "SLURM_NTASKS_PER_NODE", f"{per_node}(x{nodes})", nodes), []
    if counts := variables.get("SLURM_JOB_CPUS_PER_NODE"):
        note = "SLURM_TASKS_PER_NODE is missing: slots are SLURM_JOB_CPUS_PER_NODE"
        return _repeated(text, "SLURM_JOB_CPUS_PER_NODE", counts, nodes), [note]
    return [1] * nodes, ["SLURM_TASKS_PER_NODE is missing: every host has 1 slot"]


def _repeated(text: Text, name: str, counts: str, nodes: int) -> list[int]:
    """Return the counts of a list such as 2(x3),1."""
    tasks: list[int] = []
    for part in counts.split(","):
        match = re.fullmatch(r"\s*([0-9]{1,7})(?:\(x([0-9]{1,7})\))?\s*", part)
        if match is None:
            raise FileError(text.path, 0, f"{name} must be counts such as 2(x3),1", counts)
        tasks += [int(match[1])] * int(match[2] or 1)
        if len(tasks) > nodes:
            break
    if len(tasks) != nodes:
        raise FileError(text.path, 0, f"{name} must have a count for each of {nodes} hosts", counts)
    return tasks


def _distributed(
    text: Text, variables: dict[str, str], hosts: Hosts, notes: Sequence[str]
) -> tuple[tuple[str, ...] | None, list[str]]:
    """Return the host of every rank by SLURM_DISTRIBUTION, and notes."""
    total = sum(slots for _, slots in hosts)
    asked = variables.get("SLURM_STEP_NUM_TASKS") or variables.get("SLURM_NTASKS")
    if asked and asked.isdecimal() and int(asked) != total:
        return None, [f"SLURM_NTASKS is {asked}, but the hosts have {total} slots: no placement"]
    if any("is missing" in note for note in notes):
        return None, []
    stated = variables.get("SLURM_DISTRIBUTION", "").lower()
    kind, _, size = re.split(r"[:,]", stated)[0].partition("=")
    if kind in ("", "block", "unknown", "*"):
        note = "SLURM_DISTRIBUTION is missing: block is assumed" if not kind else ""
        return slot_by_slot(hosts), [note] * bool(note)
    if kind in ("cyclic", "plane"):
        plane = variables.get("SLURM_DIST_PLANESIZE", size) if kind == "plane" else "1"
        if not re.fullmatch(r"[1-9][0-9]{0,6}", plane or ""):
            rule = "SLURM_DISTRIBUTION=plane needs SLURM_DIST_PLANESIZE, a positive integer"
            raise FileError(text.path, 0, rule, plane)
        return _dealt(hosts, int(plane)), []
    listed = variables.get("SLURM_ARBITRARY_NODELIST") if kind == "arbitrary" else None
    if listed:
        ranks = tuple(_expanded(text, 0, listed))
        if Counter(ranks) != Counter(dict(added_up(hosts))):
            rule = "SLURM_ARBITRARY_NODELIST must name every host as often as it has tasks"
            raise FileError(text.path, 0, rule, listed[:80])
        return ranks, []
    return None, [f"SLURM_DISTRIBUTION={stated} does not tell the host of a rank: no placement"]


def _dealt(hosts: Hosts, plane: int) -> tuple[str, ...]:
    """Return the host of every rank if hosts take `plane` ranks in turn until they are full.

    >>> _dealt((("a", 3), ("b", 1)), 1)
    ('a', 'b', 'a', 'a')
    """
    free = [slots for _, slots in hosts]
    ranks: list[str] = []
    left = sum(free)
    for k in cycle(range(len(hosts))):
        if not left:
            break
        taken = min(plane, free[k])
        ranks += [hosts[k][0]] * taken
        free[k] -= taken
        left -= taken
    return tuple(ranks)


FORMATS = (
    Format(
        "slurm-env", "hosts", SIGNATURE, _is_slurm, _read_slurm,
        "Slurm: env | grep ^SLURM_", "--hosts {path}",
        "the order of ranks of a step with another distribution than the job's", ("placement",),
    ),
    Format(
        "flux-r", "hosts", SIGNATURE, _is_flux, _read_flux,
        "Flux: R, version 1 (flux job info ID R)", "--hosts {path}", "the host of a rank",
    ),
    Format(
        "lsf-sge", "hosts", SIGNATURE, _is_lsf_variable, _read_lsf,
        "LSF: LSB_MCPU_HOSTS or LSB_HOSTS", "--hosts {path}",
        "whether the first host only launches the job", ("placement",),
    ),
    Format(
        "lsf-sge", "hosts", STRICT, _is_sge, _read_sge,
        "Grid Engine 6 to 8: PE_HOSTFILE", "--hosts {path}",
        "the order of ranks in a round-robin job",
        ("placement",),
    ),
    Format(
        "openmpi-hostfile", "hosts", STRICT, _is_openmpi, _read_openmpi,
        "Open MPI 1.3 to 5: hostfile", "--hosts {path}", "the host of a rank, which mpirun decides",
    ),
    Format(
        "hydra-hostfile", "hosts", STRICT, _is_hydra, read_hydra,
        "MPICH 3, 4, Intel MPI: machine file of Hydra", "--hosts {path}",
        "cores, except in binding=, which is not used", ("placement",),
    ),
    Format(
        "nodefile-pbs-oar", "hosts", LOOSE, _is_nodefile, _read_nodefile,
        "PBS_NODEFILE, OAR_NODEFILE, LSB_DJOB_HOSTFILE, SLURM_HOSTFILE: a host a line",
        "--hosts {path}", "cores", ("placement",),
    ),
    Format(
        "lsf-sge", "hosts", LOOSE, _is_lsf, _read_lsf,
        "LSF: the value of LSB_MCPU_HOSTS or LSB_HOSTS", "--hosts {path}",
        "whether the first host only launches the job", ("placement",),
    ),
)  # fmt: skip
