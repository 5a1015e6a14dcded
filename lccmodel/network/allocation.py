"""The nodes that a job gets of a network: "torus:8x8x8,nodes=3-17:44".

A job has nodes 0..k-1, which are nodes of the whole network in some order. Routes are those of the
whole network, through other jobs' nodes too, and its channels keep their names:

    mesh:4x4,nodes=0:3:12        0 . . 1      node 1 of the job is node 3 of the mesh; a message
                                 . . . .      from 0 to 1 crosses the channels 0->1, 1->2, 2->3
                                 . . . .
                                 2 . . .

Launchers and users write them as

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
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Array, Flags, Ints, LongWords, Weights
from lccmodel.errors import (
    FileError,
    InputError,
    NetworkError,
    NodeError,
    checked_integers,
    printable,
)
from lccmodel.files import file_text
from lccmodel.network.base import Network
from lccmodel.network.geometry import Geometry
from lccmodel.network.loads import Channel
from lccmodel.network.table import checked_names
from lccmodel.reading.hostlist import listed_hosts

_LARGEST = 1 << 26
_MOST = 1 << 20

_RULE = "must be nodes such as 3-17,44, names such as node[01-04], or a file of them"

MAX_PAIRED = 4096
"""Most nodes of which every two routes are measured; else the diameter is that of the network."""


@typed_arguments
class Allocation(Network):
    """Some nodes of a network.

    Args:
        network: the whole network.
        nodes: different nodes of it; node i of this network is `nodes[i]` of that.
        names: what they are called, such as names of hosts; as in the network if left out.

    Raises:
        NetworkError: not a network, or an allocation itself.
        NodeError: a node that the network does not have, or one twice.

    >>> from lccmodel.network import Mesh
    >>> job = Allocation(Mesh((4, 4)), [0, 3, 12])
    >>> job.size, job.path(0, 1), job.spec
    (3, [0, 1, 2, 3], 'mesh:4x4,nodes=0:3:12')
    >>> job.channel_loads([(0, 1), (2, 1)]).total
    9
    """

    __slots__ = ("_form", "_longest", "names", "network", "nodes")

    kind = "allocation"
    network: Network
    """The whole network."""
    nodes: Ints
    """(k,), its nodes."""
    names: tuple[str, ...]
    """Names of the nodes, or nothing where they are numbers alone."""
    _form: Ints | None
    _longest: int | None

    def __init__(
        self, network: Network, nodes: Sequence[int] | Ints, names: Sequence[str] | None = None
    ) -> None:
        if not isinstance(network, Network) or isinstance(network, Allocation):
            raise NetworkError("network", "must be a whole network", network)
        found = np.array(checked_integers("nodes", nodes, NodeError), dtype=object)
        if not len(found):
            raise NodeError("nodes", "must be at least one node", nodes)
        outside = [one for one in found.tolist() if not 0 <= one < network.size]
        if outside:
            rule = f"must be nodes of {network.spec}, 0..{network.size - 1}"
            raise NodeError("nodes", rule, outside[0])
        values, first = np.unique(found.astype(np.uint64), return_index=True)
        if len(values) < len(found):
            twice = next(k for k in range(len(found)) if k not in set(first.tolist()))
            raise NodeError("nodes", "must be different nodes", found[twice])
        if network.size > 1 << 62:
            raise NetworkError("network", "must have at most 2^62 nodes here", network.spec)
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "nodes", found.astype(np.int64))
        self.nodes.flags.writeable = False
        object.__setattr__(self, "_longest", None)
        object.__setattr__(self, "_form", None)
        called = tuple(network.names)
        if names is not None:
            called = checked_names(names, len(found), in_runs=False)
        elif called:
            called = tuple(called[node] for node in self.nodes.tolist())
        object.__setattr__(self, "names", called)

    @property
    def size(self) -> int:
        """Number of nodes of the job."""
        return len(self.nodes)

    @property
    def argument(self) -> tuple[Network, tuple[int, ...]]:
        """The whole network, and the nodes."""
        return self.network, tuple(self.nodes.tolist())

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return *self.argument, self.names or None

    def __repr__(self) -> str:
        return f"Allocation({self.network!r}, {ranges_of(self.nodes.tolist(), ',')!r})"

    @property
    def spec(self) -> str:
        """Such as "torus:8x8x8,nodes=3-17:44"."""
        return f"{self.network.spec},nodes={ranges_of(self.nodes.tolist())}"

    @property
    def geometry(self) -> Geometry:
        """That of the whole network, if the job has all of its nodes, in order; else nothing."""
        whole = self.size == self.network.size and bool((np.diff(self.nodes) == 1).all())
        return self.network.geometry if whole else Geometry()

    @property
    def whole_network(self) -> Network:
        """The network that the nodes are part of."""
        return self.network

    def in_whole(self, nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The numbers in the whole network of an array of nodes."""
        return np.asarray(self.nodes[nodes])

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the whole network."""
        return tuple(self.network.notes)

    @property
    def routers(self) -> int:
        """Routers of the whole network."""
        return self.network.routers

    @property
    def first_router(self) -> int:
        """As in the graph of the whole network."""
        return self.network.first_router

    @property
    def bandwidths(self) -> tuple[Fraction, ...]:
        """Those of the whole network."""
        return self.network.bandwidths

    @property
    def dimensions(self) -> int:
        """Those of the whole network."""
        return self.network.dimensions

    @property
    def n_channels(self) -> int:
        """Channels of the whole network."""
        return self.network.n_channels

    @property
    def diameter(self) -> int:
        """Largest distance between two nodes of the job; of 4096 or more, of the network."""
        if self._longest is None:
            from lccmodel.network.routes import longest_route

            longest = self.network.diameter
            if self.size <= MAX_PAIRED:
                longest = longest_route(self.form, longest, self.size)
            object.__setattr__(self, "_longest", longest)
            return longest
        return self._longest

    # -- nodes ----------------------------------------------------------------------------

    def name(self, node: int) -> str:
        """Its name, or its number in the whole network.

        Raises:
            NodeError: not a node.
        """
        return self.names[self._node(node)] if self.names else str(self.whole(node))

    def whole(self, node: int, argument: str = "node") -> int:
        """The number of a node in the whole network.

        Raises:
            NodeError: not a node.
        """
        return int(self.nodes[self._node(node, argument)])

    def _at_router(self, nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self.network._at_router(self.nodes[nodes])

    def coordinates(self, node: int) -> tuple[int, ...]:
        """The coordinates that it has in the whole network.

        Raises:
            NodeError: not a node.
        """
        return self.network.coordinates(self.whole(node))

    def node(self, coordinates: Any) -> int:
        """The node with these coordinates.

        Raises:
            NodeError: the job has none.
        """
        found = np.flatnonzero(self.nodes == self.network.node(coordinates))
        if not len(found):
            raise NodeError("coordinates", "must be those of a node of the job", coordinates)
        return int(found[0])

    def neighbours(self, node: int) -> list[int]:
        """What the whole network's graph links with a node of the job, in its numbers.

        Raises:
            NodeError: not a node.
        """
        return self.network.neighbours(self.whole(node))

    # -- paths ----------------------------------------------------------------------------

    def path(self, x: int, y: int, *, descending: bool = False) -> list[int]:
        """The nodes of `graph()` from node x of the job to y, in numbers of the whole network.

        Raises:
            NodeError, SizeLimitError: as for any network.
        """
        ends = self.whole(x, "x"), self.whole(y, "y")
        return self.network.path(*ends, descending=descending)

    def channels(self, x: int, y: int, *, descending: bool = False) -> list[Channel]:
        """The directed channels from node x of the job to y.

        Raises:
            NodeError, SizeLimitError: as for any network.
        """
        ends = self.whole(x, "x"), self.whole(y, "y")
        return self.network.channels(*ends, descending=descending)

    def distance(self, x: int, y: int) -> int:
        """The number of channels on the path from x to y.

        Raises:
            NodeError: x or y is not a node.
        """
        return self.network.distance(self.whole(x, "x"), self.whole(y, "y"))

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        return self.network._hops(self.whole(x), self.whole(y), descending)

    def _graph_nodes(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return self.network._graph_nodes()

    def _graph_edges(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        return self.network._graph_edges()

    # -- loads ----------------------------------------------------------------------------

    @property
    def form(self) -> Ints:
        """See `network.routes`."""
        if self._form is None:
            form = self.network.form_for(self.nodes)
            found = some_nodes(form, self.nodes)
            object.__setattr__(self, "_form", found)
            return found
        return self._form

    @property
    def counter_shape(self) -> tuple[int, int]:
        """That of the whole network."""
        return self.network.counter_shape

    def row_dimension(self, row: int) -> int:
        """That of the whole network."""
        return self.network.row_dimension(row)

    def counter(self, u: int, v: int, *cable: int) -> tuple[int, int]:
        """The counter of a channel of the whole network.

        Raises:
            NetworkError: no channel leads from u to v.
        """
        return self.network.counter(u, v, *cable)

    def channel(self, row: int, column: int) -> Channel:
        """The channel of the whole network that a counter belongs to.

        Raises:
            NetworkError: none does.
        """
        return self.network.channel(row, column)

    def _ends(self, channel: Any) -> Channel:
        return self.network._ends(channel)

    def _count_all(
        self, pairs: LongWords, weights: Weights, descending: bool, counts: Array
    ) -> None:
        whole = self.nodes.astype(np.uint64)[pairs.astype(np.int64)]
        self.network._count_all(whole, weights, descending, counts)

    def _uses(self, row: int, column: int, x: LongWords, y: LongWords, descending: bool) -> Flags:
        whole = self.nodes.astype(np.uint64)
        ends = whole[x.astype(np.int64)], whole[y.astype(np.int64)]
        return self.network._uses(row, column, *ends, descending)


def some_nodes(form: Ints, nodes: Ints) -> Ints:
    """A form for some nodes: what they are in the numbers that its routes go by."""
    shared = max(1, int(form[2]))
    found = np.concatenate([form, nodes // shared]).astype(np.int64)
    found[2] = -len(form)
    return found


def ranges_of(numbers: Sequence[int], separator: str = ":") -> str:
    """Numbers in their order, runs of three or more as ranges.

    >>> ranges_of([3, 4, 5, 6, 44, 2, 1])
    '3-6:44:2:1'
    """
    parts: list[str] = []
    k = 0
    while k < len(numbers):
        end = k
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        if end - k >= 2:
            parts.append(f"{numbers[k]}-{numbers[end]}")
        else:
            parts += [str(one) for one in numbers[k : end + 1]]
        k = end + 1
    return separator.join(parts)


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
    'mesh:4x4*2,nodes=14-15:4'
    """
    if isinstance(nodes, os.PathLike) or (isinstance(nodes, str) and _is_file(nodes)):
        return _from_file(network, os.fspath(nodes))
    if isinstance(nodes, str):
        return _with_repeats(network, list(_listed(network, nodes)))
    if isinstance(nodes, np.ndarray) or not isinstance(nodes, Iterable):
        return Allocation(network, nodes)
    members = list(nodes)
    if not any(isinstance(member, str) for member in members):
        return Allocation(network, members)
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
        return Allocation(network, nodes, called or None)
    if all(len(place) == 1 for place in many):
        from lccmodel.network.slots import with_slots

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
    return Allocation(network, chosen, called or None)


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
