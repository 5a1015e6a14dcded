"""The nodes of a job, as launchers and users write them.

    3-17,44                      numbers
    node[01-04,07],login         names, where the network has them (`scontrol show hostnames`)
    FILE                         one of these to a line; or a table of names with the coordinates
                                 (or the number) of their nodes:

                                     node01  0 0 0
                                     node02  1 0 0

A host with slots is listed once for all of its slots, or as often as ranks run there; a node that
is repeated where nodes have no slots gets as many. The order of a list is that of the job's nodes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lccmodel.errors import FileError, InputError, NodeError, printable
from lccmodel.ground.files import file_text
from lccmodel.network.allocation import Allocation
from lccmodel.network.base import Network
from lccmodel.network.slots import with_slots
from lccmodel.reading.hostlist import ShortNames, listed_hosts

_LARGEST = 1 << 26
_MOST = 1 << 20

_RULE = "must be nodes such as 3-17,44, names such as node[01-04], or a file of them"


def job_on(network: Network, nodes: Any) -> Allocation:
    """The part of a network that a job gets.

    Args:
        network: the whole network.
        nodes: a text or the path of a file, see the module; or numbers or names in a sequence.

    Raises:
        NodeError: a node that the network lacks, a name that it does not know.
        FileError: the same, in a file.

    >>> from lccmodel.network import Mesh
    >>> job_on(Mesh((4, 4)), "0-2,7").spec
    'mesh:4x4,nodes=0-2:7'
    >>> job_on(Mesh((4, 4)), "7,7,2").spec
    'mesh:4x4*2,nodes=14:15:4'
    """
    if isinstance(nodes, os.PathLike) or (isinstance(nodes, str) and _is_file(nodes)):
        return _from_file(network, os.fspath(nodes))
    if isinstance(nodes, str):  # lines, as from "$(scontrol show hostnames)", are a list, too
        listing = re.sub(r"\s*\n\s*", ",", nodes.strip())
        return _with_repeats(network, list(_listed(network, listing)))
    if isinstance(nodes, np.ndarray) or not isinstance(nodes, Iterable):
        return _job(network, nodes)
    members = list(nodes)
    if not any(isinstance(member, str) for member in members):
        return _job(network, members)
    places: list[tuple[int, ...]] = []
    for member in members:
        places += _listed(network, member) if isinstance(member, str) else [(member,)]
    return _with_repeats(network, places)


def _with_repeats(
    network: Network, places: Sequence[tuple[int, ...]], names: Sequence[str] | None = None
) -> Allocation:
    """The job on some hosts, one slot for each time that a host is listed.

    Args:
        network: the whole network; it gets slots if it has none and a host is repeated.
        places: the nodes of the hosts, in the order of the list: all slots of each.
        names: of the hosts.

    Raises:
        NodeError: a host is listed more often than it has slots.
    """
    many: dict[tuple[int, ...], int] = {}
    for place in places:
        many[place] = many.get(place, 0) + 1
    called = list(names or [])
    most = max(many.values(), default=1)
    if most == 1:
        nodes = [node for place in places for node in place]
        return _job(network, nodes, called or None)
    if all(len(place) == 1 for place in many):
        network = with_slots(network, most)
        many = {tuple(range(x * most, (x + 1) * most)): n for (x,), n in many.items()}
        places = [tuple(range(x * most, (x + 1) * most)) for (x,) in places]
    for place, times in many.items():
        if times > len(place):
            rule = f"must list {network.name(place[0])} at most {len(place)} times: it has no more"
            raise NodeError("nodes", f"{rule} slots", times)
    taken: dict[tuple[int, ...], int] = {}
    chosen: list[int] = []
    for place in places:
        chosen.append(place[taken.setdefault(place, 0)])
        taken[place] += 1
    return _job(network, chosen, called or None)


def _job(network: Network, nodes: Any, names: Sequence[str] | None = None) -> Allocation:
    """The job on nodes of a network, which may be the hosts that a file names on a regular one."""
    if (whole := network.whole_network) is network or not network.names:
        return Allocation(network, nodes, names)
    own = [network.whole(node, "nodes") for node in nodes]
    called = [network.name(node) for node in nodes] if names is None else names
    return Allocation(whole, own, called)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _listed(network: Network, text: str) -> Iterator[tuple[int, ...]]:
    """The nodes of every host that a list of numbers, ranges and names stands for."""
    try:
        words = listed_hosts(text, _RULE)
    except InputError as error:
        raise NodeError("nodes", error.rule, error.value) from None
    known: dict[str, list[int]] = {}
    for node, name in enumerate(network.names):
        known.setdefault(name, []).append(node)
    many = 0
    for word in words:
        low, dash, high = word.partition("-")
        if word in known:
            yield tuple(known[word])
        elif known and (called := ShortNames.of(known).get(word)) is not None:
            yield tuple(known[called])
        elif _is_number(low) and (not dash or _is_number(high)):
            first, last = int(low), int(high or low)
            many += last - first + 1
            if last < first or many > _MOST:
                rule = f"ranges must go upwards, over at most {_MOST} nodes"
                raise NodeError("nodes", rule, printable(word))
            if last >= network.size:
                rule = f"must be nodes of {network.spec}, 0..{network.size - 1}"
                raise NodeError("nodes", rule, last)
            yield from ((node,) for node in range(first, last + 1))
        elif known:
            rule = f"must be a node of {network.spec}, such as {network.names[0]}"
            raise NodeError("nodes", rule, printable(word))
        else:
            rule = f"must be numbers on {network.spec}, which has no names; or a table of names"
            raise NodeError("nodes", rule, printable(word))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


def _from_file(network: Network, path: str) -> Allocation:
    places: list[tuple[int, ...]] = []
    names: list[str] = []
    name_of: dict[int, str] = {}
    node_of: dict[str, int] = {}
    for number, line in enumerate(file_text(path, _LARGEST).splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            if len(words) == 1:
                listed = list(_listed(network, words[0]))
                places += listed
                names += [network.name(node) for place in listed for node in place]
                continue
            node = _at(network, words[1:])
            if name_of.setdefault(node, words[0]) != words[0]:
                raise NodeError("nodes", f"node {node} must have one name", words[0])
            if node_of.setdefault(words[0], node) != node:
                raise NodeError("nodes", "must be nodes of different names", words[0])
            places.append((node,))
            names.append(words[0])
        except InputError as error:
            raise FileError(path, number, error.rule, error.value) from None
    if not places:
        raise FileError(path, 0, "must name a node, at least", "nothing")
    try:
        return _with_repeats(network, places, names if name_of else None)
    except InputError as error:
        raise FileError(path, 0, error.rule, error.value) from None


def _at(network: Network, words: list[str]) -> int:
    """The node with coordinates, or a number."""
    rule = f"must be the coordinates of a node of {network.spec}, or its number"
    if not all(map(_is_number, words)):
        raise NodeError("nodes", rule, printable(" ".join(words)))
    numbers = [int(word) for word in words]
    if len(numbers) > 1:
        return network.node(numbers)
    if not numbers[0] < network.size:
        raise NodeError("nodes", rule, numbers[0])
    return numbers[0]
