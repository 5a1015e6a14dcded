"""Names of hosts: lists and ranges as Slurm, Flux and people write them, with slots.

    a,b:4                     names, and slots after a colon
    node[01-04,07]:2,login    ranges as Slurm writes them, zeros kept; slots for each host

Repetitions and the order of a list are kept: a host that is named twice has two slots, and the
order of a list is the order of ranks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from types import MappingProxyType

from lccmodel.errors import InputError, checked_integer

MAX_SLOTS = 1 << 20
"""Most slots of a host: beyond, a number is a slip of the keys."""

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
        if checked_integer("slots", self.slots, least=1) > MAX_SLOTS:
            raise InputError("slots", f"must be at most {MAX_SLOTS:,} for a host", self.slots)


@dataclass(frozen=True)
class ShortNames:
    """Names of hosts that are found by their short or their full form, if no other name fits.

    >>> names = ShortNames.of(["n1.cluster.org", "n2", "a.x", "a.y"])
    >>> [names.get(name) for name in ("n1", "n2.cluster", "a", "n3")]
    ['n1.cluster.org', 'n2', None, None]
    """

    alike: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, names: Iterable[str]) -> ShortNames:
        """Return the names by their first part."""
        alike: dict[str, tuple[str, ...]] = {}
        for name in dict.fromkeys(names):
            short = name.partition(".")[0]
            alike[short] = (*alike.get(short, ()), name)
        return cls(MappingProxyType(alike))

    def get(self, name: str) -> str | None:
        """Return the only host that a name may mean, or None."""
        alike = self.alike.get(name.partition(".")[0], ())
        fits = [other for other in alike if "." not in name or "." not in other]
        return fits[0] if len(fits) == 1 else None


def list_entries(text: object, rule: str) -> Iterator[str]:
    """The entries of a list, between which single commas stand and nothing else."""
    if not isinstance(text, str) or set(_ENTRY.sub("x", text).split(",")) != {"x"}:
        raise InputError("hosts", rule, text)
    return map(str.strip, _ENTRY.findall(text))


_MAX_HOSTS = 1 << 20
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
"""Most hosts of one range."""

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def listed_hosts(text: str, rule: str) -> list[str]:
    """The hosts of a list such as node[01-04,07],login.

    Raises:
        InputError: with this rule: not such a list.

    >>> listed_hosts("node[01-02],login", "must be hosts")
    ['node01', 'node02', 'login']
    """
    return [host for entry in list_entries(text, rule) for host in expanded(entry, rule)]


def split_outside_brackets(text: str, separator: str = ",") -> list[str]:
    """Return the parts between separators (a regular expression), in time linear in the text.

    >>> split_outside_brackets("node[01-04,07],login")
    ['node[01-04,07]', 'login']
    """
    parts, begin = [""], 0
    for brackets in _BRACKETS.finditer(text):
        first, *others = re.split(separator, text[begin : brackets.start()])
        parts[-1] += first
        parts += others
        parts[-1] += brackets[0]
        begin = brackets.end()
    first, *others = re.split(separator, text[begin:])
    return [*parts[:-1], parts[-1] + first, *others]


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
    numbers: list[str] = []
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
        numbers.extend(f"{k:0{width}d}" for k in range(int(first), int(last) + 1))
    return numbers
