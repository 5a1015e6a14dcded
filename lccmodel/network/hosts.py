"""Names of hosts, and lists of them: the processors that a launcher starts ranks on, slot by slot.

Physical processor p is the p-th slot of the list, the slots of a host one after another. Lists
come as launchers write them:

    a,b:4                     names, and slots after a colon
    node[01-04,07]:2,login    ranges as Slurm writes them, zeros kept; slots for each host
    a file                    one such entry to a line, or `name slots=K`, as for Open MPI
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from math import prod

from lccmodel.errors import FileError, InputError, checked_integer
from lccmodel.files import read_at_most

_MAX_SLOTS = 1 << 20
"""Most slots of a host: beyond, a number is a slip of the keys."""

_LARGEST = 64 << 20

_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?")
_ENTRY = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")


@dataclass(frozen=True)
class Host:
    """A host that runs up to `slots` ranks.

    Raises:
        InputError: the name is not a host name, or slots are not 1 to 2^20.
    """

    name: str
    slots: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise InputError(
                "host", "must be a host name: letters, digits, '.', '-', '_'", self.name
            )
        if checked_integer("slots", self.slots, least=1) > _MAX_SLOTS:
            raise InputError("slots", f"must be at most {_MAX_SLOTS:,} for a host", self.slots)


@dataclass(frozen=True)
class Slot:
    """A physical processor: slot `index` (from 0) of a host."""

    host: str
    index: int


def parse_hosts(text: str) -> tuple[Host, ...]:
    """Hosts from one line: names, ranges in brackets, slots after a colon.

    Raises:
        InputError: not a list of hosts.

    >>> [host.name for host in parse_hosts("node[01-03,07],login")]
    ['node01', 'node02', 'node03', 'node07', 'login']
    >>> parse_hosts("a:2")
    (Host(name='a', slots=2),)
    """
    rule = "must be a list such as a:4,b:4 or node[01-04,07]:2 of names and slots"
    hosts: list[Host] = []
    for entry in _entries(text, rule):
        name, colon, slots = entry.partition(":")
        if colon and not (slots.isdecimal() and slots.isascii()):
            raise InputError("hosts", rule, text)
        count = int(slots) if colon else 1
        hosts.extend(Host(one, count) for one in expanded(name.strip(), rule))
    return tuple(hosts)


def _entries(text: object, rule: str) -> Iterator[str]:
    """The entries of a list, between which single commas stand and nothing else."""
    if not isinstance(text, str) or set(_ENTRY.sub("x", text).split(",")) != {"x"}:
        raise InputError("hosts", rule, text)
    return map(str.strip, _ENTRY.findall(text))


def read_hosts(path: str | os.PathLike[str]) -> tuple[Host, ...]:
    """Read a host list: one entry to a line, as in an Open MPI hostfile.

    A line is `name`, `name:K` or `name slots=K` (K ranks, 1 if not given), where the name may have
    ranges; `max_slots=M` is understood and not used; `#` starts a comment.

    Raises:
        FileError: the file cannot be read, has no host, or a line is wrong (with its number).
    """
    try:
        text = read_at_most(path, _LARGEST).decode("utf-8")
    except FileError:
        raise
    except TypeError:
        raise InputError("path", "must be the path of a file", path) from None
    except (OSError, ValueError) as error:  # not UTF-8, or a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(path, 0, "must be a text file that can be read", reason) from error
    hosts: list[Host] = []
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.split("#", 1)[0].strip()
        if content:
            hosts.extend(_read_line(path, number, content))
    if not hosts:
        raise FileError(path, 0, "must name at least one host", "no host")
    return tuple(hosts)


def _read_line(path: str | os.PathLike[str], number: int, content: str) -> list[Host]:
    name, *options = re.sub(r"\s*=\s*", "=", content).split()
    slots: str | None = None
    if ":" in name:
        name, slots = name.split(":", 1)
    for option in options:
        key, _, value = option.partition("=")
        if key == "slots" and slots is None:
            slots = value
        elif key in ("max_slots", "max-slots"):
            _positive(path, number, value)
        else:
            rule = "must be a host with at most one of ':K' and 'slots=K', and 'max_slots=M'"
            raise FileError(path, number, rule, content)
    count = 1 if slots is None else _positive(path, number, slots)
    try:
        return [Host(one, count) for one in expanded(name, "must be a host name or a range")]
    except InputError as error:
        raise FileError(path, number, error.rule, error.value) from None


def _positive(path: str | os.PathLike[str], number: int, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", value) or not int(value):
        raise FileError(path, number, "a number of slots must be a positive integer", value)
    return int(value)


def first_slots(hosts: Sequence[str | Host], slots_per_host: int, needed: int) -> list[Slot]:
    """The first `needed` slots of a host list; a host that is named again goes on.

    Raises:
        InputError: not a sequence of hosts, a bad host, or fewer slots.
    """
    if isinstance(hosts, str) or not isinstance(hosts, Iterable):
        raise InputError("hosts", "must be a sequence of hosts", hosts)
    given = [one if isinstance(one, Host) else Host(one, slots_per_host) for one in hosts]
    total = sum(host.slots for host in given)
    if total < needed:
        rule = f"must have at least {needed} slots together, one for every rank"
        raise InputError("hosts", rule, f"{len(given)} hosts with {total} slots")
    return list(islice(_all_slots(given), needed))


def _all_slots(hosts: Sequence[Host]) -> Iterator[Slot]:
    used: dict[str, int] = {}
    for host in hosts:
        first = used.get(host.name, 0)
        used[host.name] = first + host.slots
        yield from (Slot(host.name, index) for index in range(first, first + host.slots))


_MAX_HOSTS = 1 << 20
"""Most hosts of one range."""

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def listed_hosts(text: str, rule: str) -> list[str]:
    """The hosts of a list such as node[01-04,07],login.

    Raises:
        InputError: with this rule: not such a list.

    >>> listed_hosts("node[01-02],login", "must be hosts")
    ['node01', 'node02', 'login']
    """
    return [one for entry in _entries(text, rule) for one in expanded(entry, rule)]


def expanded(name: str, rule: str) -> Iterator[str]:
    """The hosts of a name with ranges, the last range fastest."""
    parts = re.split(r"\[([^\[\]]*)\]", name)
    ranges = [_numbers(part, rule) for part in parts[1::2]]
    if prod(map(len, ranges)) > _MAX_HOSTS:
        raise InputError("hosts", f"a range must have at most {_MAX_HOSTS:,} hosts", name)
    for chosen in product(*ranges):
        yield "".join(a + b for a, b in zip(parts[::2], (*chosen, ""), strict=True))


def _numbers(text: str, rule: str) -> Sequence[str]:
    """The numbers of a range such as 01-04,07, as wide as the first one is written."""
    found: list[str] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise InputError("hosts", rule, text)
        first, last = match[1], match[2] or match[1]
        count = int(last) - int(first) + 1
        if not 1 <= count <= _MAX_HOSTS:
            limit = f"a range must go up, over at most {_MAX_HOSTS:,} hosts"
            raise InputError("hosts", limit, part)
        width = len(first)
        found.extend(f"{k:0{width}d}" for k in range(int(first), int(last) + 1))
    return found
