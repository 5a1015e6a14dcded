"""Groups of hosts: a table of the host and its group, for dragonflies of any sizes.

    host              group
    nid[0001-0016]    0              a host or a range of hosts, as Slurm writes it
    nid[0017-0024]    1
    login             0
    login             1              a host with an adapter in each of two groups

With a further column, such as one of adapters, a host may be twice in a group: it has two ports.

Sites differ in how hosts are numbered and how many cables join two groups, so that both are stated:
the table states the groups, and `bandwidth=` the links. The model has one switch per group and one
link between every two groups, whose bandwidth is that of all cables between them. Channels inside a
group are not modelled.
"""

from __future__ import annotations

import re
from itertools import combinations

from lccmodel.errors import FileError, InputError
from lccmodel.reading.description import (
    Cable,
    HostPorts,
    NetworkDescription,
    check_description,
    port_notes,
)
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.hostlist import listed_hosts, split_outside_brackets
from lccmodel.reading.text import Text

_HOST = re.compile(r"(host|hostname|node|nid)s?")
_GROUP = re.compile(r"(group|group_id|dragonfly_group)s?")


def _words(line: str) -> list[str]:
    """Return the columns of a line; commas inside brackets separate none."""
    bare = line.partition("#")[0].strip()
    return [word for word in split_outside_brackets(bare, r"[\s,;]+") if word]


def is_groups(text: Text) -> bool:
    """Return whether the first line with text is headings with host and group."""
    for line in text.head.splitlines():
        bare = line.partition("#")[0].strip()
        if bare:
            return None not in _columns(_words(bare))
    return False


def _columns(headings: list[str]) -> tuple[int | None, int | None]:
    """Return the columns of hosts and groups, or None."""
    heads = [heading.lower() for heading in headings]
    host, group = (
        next((k for k, head in enumerate(heads) if form.fullmatch(head)), None)
        for form in (_HOST, _GROUP)
    )
    return host, group


def read_groups(text: Text) -> Found:
    """Return the network of a table of hosts and groups.

    Raises:
        FileError: a line that is not a host and a group; a host twice in a group without a
            column that tells its adapters.
    """
    groups: dict[str, int] = {}
    ports: dict[str, list[int]] = {}
    lines = ((n, words) for n, line in enumerate(text.lines, 1) if (words := _words(line)))
    headings = next(lines)[1]
    at_host, at_group = _columns(headings)
    assert at_host is not None
    assert at_group is not None
    for number, words in lines:
        if len(words) != len(headings):
            rule = "must be a host and its group" + ", as headed" * (len(headings) > 2)
            raise FileError(text.path, number, rule, text.lines[number - 1].strip())
        group = groups.setdefault(words[at_group], len(groups))
        try:
            hosts = listed_hosts(words[at_host], "must be a host, or hosts such as nid[0001-0016]")
        except InputError as error:
            raise FileError(text.path, number, error.rule, error.value) from None
        for host in hosts:
            if group in ports.setdefault(host, []) and len(headings) == 2:
                rule = "must list a host once in a group; a column with its adapters tells two"
                raise FileError(text.path, number, rule, host)
            ports[host].append(group)
    model = f"One switch for each of {len(groups)} groups, and one link between every two"
    notes = [f"{model}; channels inside a group are not modelled"]
    if others := [head for k, head in enumerate(headings) if k not in (at_host, at_group)]:
        notes.append(f"Columns that are not read: {', '.join(others)}")
    notes += port_notes({host: len(own) for host, own in ports.items()})
    members: dict[str, list[str]] = {group: [] for group in groups}
    for host, own in ports.items():
        members[list(groups)[own[0]]].append(host)
    network = NetworkDescription(
        tuple(HostPorts(host, tuple(own)) for host, own in ports.items()),
        tuple(f"group {group}" for group in groups),
        tuple(Cable(u, v) for u, v in combinations(range(len(groups)), 2)),
        groups=tuple(map(tuple, members.values())),
    )
    checked = check_description(text.path, network)
    return Found("network", "host-groups", checked, tuple(notes), str(text.path))


FORMATS = (
    Format(
        name="host-groups",
        kind="network",
        tier=SIGNATURE,
        recognises=is_groups,
        read=read_groups,
        tool="a table with the heading: host, group",
        command="--network graph:{path}",
        lacks="cables between groups: add bandwidth=",
    ),
)
