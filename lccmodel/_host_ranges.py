"""Names of hosts with ranges in brackets, as Slurm writes them: node[01-04,07]."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from lccmodel.errors import InputError

_MAX_HOSTS = 1 << 20
"""Most hosts of one range."""

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_ENTRY = re.compile(r"(?:[^,\[\]]|\[[^\[\]]*\])+")


def listed_hosts(text: str, rule: str) -> list[str]:
    """The hosts of a list such as node[01-04,07],login.

    Raises:
        InputError: with this rule: not such a list.

    >>> listed_hosts("node[01-02],login", "must be hosts")
    ['node01', 'node02', 'login']
    """
    if set(_ENTRY.sub("x", text).replace(" ", "").split(",")) != {"x"}:
        raise InputError("hosts", rule, text)
    return [one for entry in _ENTRY.findall(text) for one in expanded(entry.strip(), rule)]


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
