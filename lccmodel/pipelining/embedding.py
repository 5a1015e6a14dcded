"""The standard embedding of a hypercube of processes on a mesh or torus [calmant, section 2.3].

A mesh of c axes with 2^n_0, ..., 2^n_(c-1) nodes holds the 2^d processes of a hypercube,
d = n_0 + ... + n_(c-1). Every dimension k of the processes gets a *level* l of one axis: bit k of
a process is bit l of its coordinate there, so its messages run along that axis over 2^l links.

    "cyclic"    level 0 of every axis in turn, then level 1 of those that have one, and so on:
                the paper's order for equal sides, dimension k on axis k mod c over 2^⌊k/c⌋ links
    "blocked"   all levels of axis 0, then those of axis 1: Matic's order

    mesh:4x8    dimension      0  1  2  3  4         mesh:4x4    dimension      0  1  2  3
                axis           0  1  0  1  1                     axis           0  1  0  1
                links          1  1  2  2  4                     links          1  1  2  2

No other placement has a smaller average dilation on a mesh: see `minimum_average_dilation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from lccmodel.errors import InputError, NetworkError, SizeLimitError, checked_array, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints, read_only
from lccmodel.ground.words import checked_word
from lccmodel.network import Hypercube, Mesh, Network, as_network, parse_network
from lccmodel.pipelining.loads import LevelRun, LevelRuns

if TYPE_CHECKING:
    import networkx as nx


LevelOrder = Literal["cyclic", "blocked"]

_MAX_LISTED_DIMENSION = 24
"""Largest d for which all 2^d processes are listed."""

_MAX_BITS = 62


class OnMesh:
    """What concerns the 2^d processes of a hypercube on a mesh or torus."""

    mesh: Mesh

    @property
    def d(self) -> int:
        """Dimensions of the hypercube of processes."""
        return self.mesh.n

    @property
    def c(self) -> int:
        """Axes of the mesh."""
        return len(self.mesh.shape)

    @property
    def on_torus(self) -> bool:
        """Whether an axis is a ring."""
        return any(self.mesh.is_ring(axis) for axis in range(self.c))


@typed_arguments
@dataclass(frozen=True)
class Embedding(OnMesh):
    """Where the processes of a hypercube stand on a mesh or torus, and how far they talk.

    Args:
        mesh: a `Mesh` or `Torus`, or a word such as "mesh:8x16".
        order: "cyclic" or "blocked" (see the module).

    Raises:
        InputError: neither, sides that are not powers of two, or another order.

    >>> Embedding("mesh:8x16").dilations, Embedding("mesh:8x8", "blocked").dilations
    ((1, 1, 2, 2, 4, 4, 8), (1, 2, 4, 1, 2, 4))
    """

    mesh: Mesh
    order: LevelOrder = "cyclic"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mesh", as_mesh(self.mesh))
        checked_word("order", self.order, ("cyclic", "blocked"))

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """(axis, level) of every dimension.

        >>> Embedding("mesh:2x8").places
        ((0, 0), (1, 0), (1, 1), (1, 2))
        """
        sides = [side.bit_length() - 1 for side in self.mesh.shape]
        places = [(axis, level) for axis, n in enumerate(sides) for level in range(n)]
        if self.order == "cyclic":
            places.sort(key=lambda place: (place[1], place[0]))
        return tuple(places)

    @property
    def dilations(self) -> tuple[int, ...]:
        """The dilation of every dimension, the same for all processes [calmant (2)].

        Mesh and torus agree: half a ring is the longest distance.
        """
        return tuple(1 << level for _, level in self.places)

    def runs(self, i: int, M: int) -> LevelRuns:
        """Return the levels of dimensions i, ..., i+M-1 on each axis ("cyclic": consecutive ones).

        >>> Embedding("torus:4x8").runs(2, 3)
        (LevelRun(first=1, length=1, wraps=True), LevelRun(first=1, length=2, wraps=True))
        """
        levels: list[list[int]] = [[] for _ in self.mesh.shape]
        for axis, level in self.places[i : i + M]:
            levels[axis].append(level)
        return tuple(
            LevelRun(
                own[0], len(own), self.mesh.is_ring(axis) and 2 << own[-1] == self.mesh.shape[axis]
            )
            if own
            else LevelRun(0, 0)
            for axis, own in enumerate(levels)
        )

    # -- nodes ----------------------------------------------------------------------------

    @cached_property
    def node_bits(self) -> tuple[int, ...]:
        """For every bit of a process, the bit of its node."""
        sides = [side.bit_length() - 1 for side in self.mesh.shape]
        return tuple(sum(sides[:axis]) + level for axis, level in self.places)

    def node_of(self, process: Any) -> Any:
        """Return the mesh node of a process, or of every process in an integer array.

        Raises:
            InputError: not a process.
            SizeLimitError: d > 62.

        >>> [Embedding("mesh:4x4").node_of(n) for n in (1, 2, 4, 8)]
        [1, 4, 2, 8]
        """
        return self._moved("process", process, self.node_bits)

    def process_of(self, node: Any) -> Any:
        """Return the process at a mesh node: the inverse of `node_of`.

        Raises:
            InputError: not a node.
            SizeLimitError: d > 62.

        >>> embedding = Embedding("mesh:4x4x4")
        >>> embedding.process_of(embedding.node_of(11))
        11
        """
        bits = self.node_bits
        return self._moved("node", node, tuple(bits.index(bit) for bit in range(self.d)))

    @property
    def nodes(self) -> Ints:
        """The node of every process, int64 of shape (2^d,).

        Raises:
            SizeLimitError: d > 24.

        >>> Embedding("mesh:4x2").nodes.tolist()
        [0, 1, 4, 5, 2, 3, 6, 7]
        """
        check_listed(self.d)
        return read_only(cast("Ints", self.node_of(np.arange(1 << self.d))))

    @property
    def coordinates(self) -> Ints:
        """The mesh coordinates of every process, int64 of shape (c, 2^d).

        Raises:
            SizeLimitError: d > 24.

        >>> Embedding("mesh:4x4").coordinates[:, 0b0111].tolist()
        [3, 1]
        """
        check_listed(self.d)
        processes = np.arange(1 << self.d)
        placed = np.zeros((len(self.mesh.shape), processes.size), dtype=np.int64)
        for k, (axis, level) in enumerate(self.places):
            placed[axis] |= (processes >> k & 1) << level
        return read_only(placed)

    def graph(self) -> nx.DiGraph[int]:
        """Return the hypercube of processes, with each process's place and each edge's path.

        Nodes carry `node` (of the mesh) and `coordinates`; edges carry `dimension`, `axis`,
        `dilation` and `path`, the mesh nodes from one end to the other. The mesh itself is
        `mesh.graph()`.

        Raises:
            SizeLimitError: a graph of more than 2^22 edges.

        >>> graph = Embedding("mesh:4x4").graph()
        >>> graph.nodes[6]
        {'node': 6, 'coordinates': (2, 1)}
        >>> graph.edges[6, 14]
        {'dimension': 3, 'axis': 1, 'dilation': 2, 'path': [6, 10, 14]}
        """
        graph = Hypercube(self.d).graph()
        nodes = self.nodes.tolist()
        for n in graph:
            graph.nodes[n].clear()
            graph.nodes[n].update(node=nodes[n], coordinates=self.mesh.coordinates(nodes[n]))
        for n, other, data in graph.edges(data=True):
            path = self.mesh.path(nodes[n], nodes[other])
            axis = self.places[data["dimension"]][0]
            data.update(axis=axis, dilation=len(path) - 1, path=path)
        return graph

    def _moved(self, argument: str, value: Any, bits: Sequence[int]) -> Any:
        """Bit k of the value becomes bit bits[k]."""
        d = self.d
        if d > _MAX_BITS:
            rule = f"must have at most 2^{_MAX_BITS} nodes: a node number fits int64"
            raise SizeLimitError("mesh", rule, self.mesh.spec)
        rule = f"must be an integer in 0..{(1 << d) - 1}"
        if not isinstance(value, np.ndarray):
            number = checked_integer(argument, value)
            if not 0 <= number < 1 << d:
                raise InputError(argument, rule, value)
            return sum((number >> k & 1) << bit for k, bit in enumerate(bits))
        if value.dtype.kind not in "iu":
            raise InputError(argument, rule, value.dtype)
        if value.size and not (value.min() >= 0 and value.max() < 1 << d):
            raise InputError(argument, rule, value.tolist())
        numbers = value.astype(np.int64)
        moved = np.zeros_like(numbers)
        for k, bit in enumerate(bits):
            moved |= (numbers >> k & 1) << bit
        return moved


# -- checks -------------------------------------------------------------------------------


def as_mesh(value: Any) -> Mesh:
    """A mesh or torus: itself, or a word such as "mesh:8x16", "torus:4x4" or "8x16".

    Raises:
        InputError: another network, another word, or sides that are not powers of two.

    >>> as_mesh("mesh:8x16"), as_mesh("8x8"), as_mesh(parse_network("torus:4x4"))
    (Mesh((8, 16)), Mesh((8, 8)), Torus((4, 4)))
    >>> as_mesh("mesh:12x16")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: mesh: must have sides that are powers of two, since the 2^d \
processes of a hypercube fill it; its largest such part is mesh:8x16; got 'mesh:12x16'
    """
    mesh = value
    if isinstance(value, str):
        word = value.strip().lower().replace("×", "x")
        try:
            mesh = parse_network(word if ":" in word else f"mesh:{word}")
        except SizeLimitError:
            raise
        except NetworkError as error:
            rule = f"must be a name such as mesh:8x16, torus:4x4 or 8x16: {error.rule}"
            raise InputError("mesh", rule, value) from None
    if not isinstance(mesh, Mesh):
        rule = "must be a Mesh or Torus, or a word such as mesh:8x16, torus:4x4 or 8x16"
        raise InputError("mesh", rule, value)
    if any(side & side - 1 for side in mesh.shape):
        largest = "x".join(str(1 << side.bit_length() - 1) for side in mesh.shape)
        rule = "must have sides that are powers of two, since the 2^d processes of a hypercube "
        rule += f"fill it; its largest such part is {mesh.kind}:{largest}"
        raise InputError("mesh", rule, value)
    if mesh.host_bandwidth is not None:
        rule = "must not state hosts: the option ports (one or all) is what a node sends at a time"
        raise InputError("mesh", rule, value)
    if mesh.ties != "plus":
        rule = "must not state ties, as a schedule states their direction for each dimension; use "
        rule += mesh.spec.replace(f",ties={mesh.ties}", "")
        raise InputError("mesh", rule, value)
    if len(set(mesh.bandwidth)) > 1:
        rule = "must have links of one width: schedules count messages, not their volume"
        raise InputError("mesh", rule, value)
    return mesh


def check_listed(d: int) -> None:
    """Refuse to list the processes of a hypercube that is too large.

    Raises:
        SizeLimitError: d > 24.
    """
    if d > _MAX_LISTED_DIMENSION:
        rule = f"must be at most {_MAX_LISTED_DIMENSION}: all 2^d processes are listed"
        raise SizeLimitError("d", rule, d)


@typed_arguments
def average_dilation(placement: Sequence[int] | Ints, network: Network | str) -> Fraction:
    """Return the mean distance between neighbours in the hypercube, for any placement.

    Args:
        placement: the node of every process: a permutation of 0..2^d - 1.
        network: any network of 2^d nodes.

    Raises:
        InputError: not a network, or the placement is not a permutation of its nodes.

    >>> from lccmodel.pipelining.embedding import Embedding
    >>> average_dilation(Embedding("mesh:4x4").nodes, Mesh((4, 4)))
    Fraction(3, 2)
    """
    network = as_network(network)
    nodes = checked_array("placement", placement)
    if nodes.shape != (network.size,) or set(nodes.tolist()) != set(range(network.size)):
        rule = f"must be a permutation of the {network.size} nodes of {network.spec}"
        raise InputError("placement", rule, nodes.tolist())
    if network.n == 0:
        return Fraction(0)
    where = [int(node) for node in nodes]
    total = sum(
        network.distance(where[n], where[n | 1 << k])
        for n in range(network.size)
        for k in range(network.n)
        if not n >> k & 1
    )
    return Fraction(2 * total, network.n * network.size)


@typed_arguments
def minimum_average_dilation(mesh: Mesh | str) -> Fraction:
    """Return the average dilation that no placement of the processes on the mesh is below.

    A distance is the number of cuts between neighbouring layers of the mesh that separate the
    two nodes. The cut after layer x of an axis of s nodes splits off x 2^d / s processes, and a
    set of k processes has at least as many hypercube edges to the rest as {0, ..., k-1} has
    (Harper's edge-isoperimetric inequality). The sum over all cuts bounds the sum of distances.
    The standard embedding splits off just such initial sets, up to the order of bits, and meets
    it, whatever the sides. There the neighbours along bit j of an axis are 2^j apart, which adds
    up to s - 1 over the bits of an axis of s nodes.

    Raises:
        InputError: not a mesh; a torus, which has other placements.

    >>> minimum_average_dilation("mesh:8"), minimum_average_dilation("mesh:2x4")
    (Fraction(7, 3), Fraction(4, 3))
    """
    mesh = as_mesh(mesh)
    if Embedding(mesh).on_torus:
        raise InputError("mesh", "must be a mesh: cuts of a ring come in pairs", mesh.spec)
    return Fraction(sum(side - 1 for side in mesh.shape), mesh.n)
