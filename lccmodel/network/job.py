"""The nodes that a job gets, as launchers and users write them.

3-17,44                      numbers
node[01-04,07],login         names, where the network has them (`scontrol show hostnames`)
FILE                         one of these to a line, as often as a rank runs there; or a table
                             of names with the coordinates (or the number) of their nodes:

                                 node01  0 0 0
                                 node02  1 0 0
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lccmodel.errors import FileError, InputError, NodeError, printable
from lccmodel.files import read_at_most
from lccmodel.network.allocation import Allocation
from lccmodel.network.base import Network
from lccmodel.network.hosts import listed_hosts

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
    """
    if isinstance(nodes, os.PathLike) or (isinstance(nodes, str) and _is_file(nodes)):
        return _from_file(network, os.fspath(nodes))
    if isinstance(nodes, str):
        return Allocation(network, list(dict.fromkeys(_listed(network, nodes))))
    if isinstance(nodes, np.ndarray) or not isinstance(nodes, Iterable):
        return Allocation(network, nodes)
    found: list[Any] = []
    for one in nodes:
        found += _listed(network, one) if isinstance(one, str) else [one]
    return Allocation(network, found)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _listed(network: Network, text: str) -> Iterator[int]:
    """The numbers of nodes that a list of numbers, ranges and names stands for."""
    try:
        words = listed_hosts(text, _RULE)
    except InputError as error:
        raise NodeError("nodes", error.rule, error.value) from None
    known = {name: k for k, name in enumerate(network.names)}
    many = 0
    for word in words:
        low, dash, high = word.partition("-")
        if word in known:
            yield known[word]
        elif _is_number(low) and (not dash or _is_number(high)):
            first, last = int(low), int(high or low)
            many += last - first + 1
            if last < first or many > _MOST:
                rule = f"ranges must go upwards, over at most {_MOST} nodes"
                raise NodeError("nodes", rule, printable(word))
            if last >= network.size:
                rule = f"must be nodes of {network.spec}, 0..{network.size - 1}"
                raise NodeError("nodes", rule, last)
            yield from range(first, last + 1)
        elif known:
            rule = f"must be a node of {network.spec}, such as {network.names[0]}"
            raise NodeError("nodes", rule, printable(word))
        else:
            rule = f"must be numbers on {network.spec}, which has no names; or a table of names"
            raise NodeError("nodes", rule, printable(word))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19


def _from_file(network: Network, path: str) -> Allocation:
    try:
        text = read_at_most(path, _LARGEST).decode("utf-8-sig")
    except OSError as error:
        raise FileError(path, 0, "must be a file that can be read", error.strerror) from None
    except UnicodeDecodeError as error:
        raise FileError(path, 0, "must be a text in UTF-8", str(error)) from None
    found: dict[int, str] = {}
    named = False
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            if len(words) == 1:
                found.update((node, network.name(node)) for node in _listed(network, words[0]))
                continue
            named = True
            node = _at(network, words[1:])
            if found.setdefault(node, words[0]) != words[0]:
                raise NodeError("nodes", f"node {node} must have one name", words[0])
        except InputError as error:
            raise FileError(path, number, error.rule, error.value) from None
    if not found:
        raise FileError(path, 0, "must name a node, at least", "nothing")
    try:
        return Allocation(network, list(found), list(found.values()) if named else None)
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
