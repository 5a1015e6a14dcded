"""The neutral description of a network: hosts, switches and cables, as a file states them.

    HostPorts   a name, the switch of every port, and slots for ranks
    Cable       two switches, a bandwidth; perhaps which end is higher, and the ports that it joins

A host is no switch: messages begin and end there and never pass through. A vertex of a plain list
of links is both, so it appears as a switch and as a host with a port there. `network.described`
makes a network of a description; the readers of this package know nothing of routes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from lccmodel.errors import FileError

_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class HostPorts:
    """A host.

    Attributes:
        name: different for every host of a network.
        ports: the switch of every port, by its place in `NetworkDescription.switches`. On a
            regular network (`word`) it is the place of the node.
        slots: for ranks; 0 is a host that runs none.
        addresses: for every port its local identifier in an InfiniBand fabric, or ().
        widths: the bandwidth of every port, in the unit of `Cable.bandwidth`; () if not stated.
    """

    name: str
    ports: tuple[int, ...]
    slots: int = 1
    addresses: tuple[int, ...] = ()
    widths: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class Cable:
    """A link between two switches, u and v, which carries as much either way.

    Attributes:
        bandwidth: in any unit; ratios count.
        rises: whether v is above u in a tree of switches, so that routes go up and then down.
        ports: of u and v, where a fabric numbers them.
        kind: of which the loads are told apart, such as local and global; None if not stated.
    """

    u: int
    v: int
    bandwidth: Fraction = _ONE
    rises: bool = False
    ports: tuple[int, int] | None = None
    kind: int | None = None


@dataclass(frozen=True, slots=True)
class NetworkDescription:
    """What a file states about a network.

    Attributes:
        hosts: in the order of the file.
        switches: names.
        cables: in the order of the file; two between the same switches are two links.
        word: a regular network, such as "torus:2x2x2", whose nodes are the hosts; then there are
            no switches and no cables.
        ends: switches that stand for hosts, by their places: no message passes through them.
        beside: for every switch its neighbours in the order of the file, by which rules break
            ties; () if that is the order of the cables.
        guids: of the switches of an InfiniBand fabric, or ().
        groups: sets of hosts that the file names, such as blocks.
        near: for every host inside a node (a GPU) the adapter that is nearest.
        levels: for two hosts or adapters the class of their connection, such as "PIX".
        rates: bandwidths in GB/s by name, of parts inside a node.
    """

    hosts: tuple[HostPorts, ...]
    switches: tuple[str, ...] = ()
    cables: tuple[Cable, ...] = ()
    word: str = ""
    ends: tuple[int, ...] = ()
    beside: tuple[tuple[int, ...], ...] = ()
    guids: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    near: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    levels: Mapping[tuple[str, str], str] = field(default_factory=lambda: MappingProxyType({}))
    rates: Mapping[str, Fraction] = field(default_factory=lambda: MappingProxyType({}))


def check_description(path: Any, network: NetworkDescription) -> NetworkDescription:
    """Return a description whose hosts differ, or refuse it.

    Raises:
        FileError: no host, or two hosts of one name.
    """
    if not network.hosts:
        raise FileError(path, 0, "must have nodes, at least one", "none")
    seen: set[str] = set()
    for host in network.hosts:
        if host.name in seen:
            raise FileError(path, 0, "must have nodes of different names", host.name)
        seen.add(host.name)
    return network


def on_smallest(widths: Iterable[Fraction | None]) -> tuple[list[Fraction], Fraction, int]:
    """Return bandwidths as multiples of the smallest, the smallest, and how many are missing.

    A missing one is taken as the smallest.

    >>> on_smallest([Fraction(10), None, Fraction(5)])
    ([Fraction(2, 1), Fraction(1, 1), Fraction(1, 1)], Fraction(5, 1), 1)
    """
    stated = list(widths)
    unit = min((width for width in stated if width is not None), default=_ONE)
    multiples = [_ONE if width is None else width / unit for width in stated]
    return multiples, unit, sum(width is None for width in stated)


def port_notes(ports: Mapping[str, int]) -> list[str]:
    """Return which hosts have several ports; three of them by name.

    >>> port_notes({"a": 2, "b": 1})
    ['a has 2 ports']
    """
    notes = [f"{name} has {count} ports" for name, count in ports.items() if count > 1]
    if len(notes) > 4:
        notes[3:] = [f"{len(notes) - 3} further hosts have several ports"]
    return notes
