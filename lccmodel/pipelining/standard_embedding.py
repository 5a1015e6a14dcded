"""The standard embedding of a hypercube of processes on a mesh or torus [calmant, section 2.3].

The mesh has c axes of s = 2^(d/c) nodes, numbered node = m_0 + s m_1 + s^2 m_2 + ..., and
process n goes to the node whose coordinates have the bits

    "cyclic"    m_{j,l} = n_{j + l c}          the paper's; dimension k on axis k mod c
    "blocked"   m_{j,l} = n_{(d/c) j + l}      Matic's; dimension k on axis ⌊k / (d/c)⌋

so that dimension k of the processes runs along one axis, over 2^l links for all of them: 2^⌊k/c⌋
or 2^(k mod d/c). With d = 4 and c = 2, process 0b0110 goes to m_0 = 0b10, m_1 = 0b01, node 6;
process 0b0011 to m_0 = 0b01, m_1 = 0b01, node 5.

No other placement has a smaller average dilation on a mesh: see `minimum_average_dilation`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.network import Hypercube, Mesh, Network, Torus
from lccmodel.pipelining.loads import Topology, checked_mesh

if TYPE_CHECKING:
    import networkx as nx

__all__ = [
    "MAX_LISTED_DIMENSION",
    "Order",
    "average_dilation",
    "axis_coordinates",
    "dilations",
    "embed",
    "embedding",
    "embedding_graph",
    "mesh_of",
    "minimum_average_dilation",
    "process_of",
]

Order = Literal["cyclic", "blocked"]
Ints = npt.NDArray[np.int64]

MAX_LISTED_DIMENSION = 24
"""Largest d for which all 2^d processes are listed."""

_MAX_BITS = 62


@overload
def embed(n: int, d: int, c: int, order: Order = "cyclic") -> int: ...


@overload
def embed(n: npt.NDArray[Any], d: int, c: int, order: Order = "cyclic") -> Ints: ...


def embed(n: Any, d: int, c: int, order: Order = "cyclic") -> Any:
    """The mesh node of process n.

    Args:
        n: a process, or an integer array of processes.
        d: number of dimensions of the CC-cube, 1..62, a multiple of c.
        c: number of axes of the mesh.
        order: "cyclic" (the paper's) or "blocked" (Matic's).

    Returns:
        An int, or an int64 array of the shape of n.

    Raises:
        InputError: n is not a process, d is not a multiple of c, or another order.
        SizeLimitError: d > 62.

    >>> [embed(n, 4, 2) for n in (1, 2, 4, 8)], embed(0b0110, 4, 2, "blocked")
    ([1, 4, 2, 8], 6)
    """
    return _moved(n, _checked_size(d, c), node_bits(d, c, order), "n")


def process_of(node: Any, d: int, c: int, order: Order = "cyclic") -> Any:
    """The process at a mesh node: the inverse of `embed`.

    Raises:
        InputError: as for `embed`.
        SizeLimitError: d > 62.

    >>> process_of(embed(11, 6, 3), 6, 3)
    11
    """
    bits = node_bits(d, c, order)
    inverse = [bits.index(position) for position in range(len(bits))]
    return _moved(node, _checked_size(d, c), inverse, "node")


def embedding(d: int, c: int, order: Order = "cyclic") -> Ints:
    """The node of every process, as an int64 array of shape (2^d,).

    Raises:
        InputError: d is not a multiple of c, or another order.
        SizeLimitError: d > 24.

    >>> embedding(4, 2).tolist()
    [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
    """
    d, c = checked_mesh(d, c)
    check_listed(d)
    return embed(np.arange(1 << d), d, c, order)


def axis_coordinates(d: int, c: int, order: Order = "cyclic") -> Ints:
    """The mesh coordinates of every process, as an int64 array of shape (c, 2^d).

    Raises:
        InputError: d is not a multiple of c, or another order.
        SizeLimitError: d > 24.

    >>> axis_coordinates(4, 2)[:, 0b0111].tolist()
    [3, 1]
    """
    nodes = embedding(d, c, order)
    side_bits = d // c
    shifts = np.arange(c)[:, None] * side_bits
    return nodes[None, :] >> shifts & (1 << side_bits) - 1


def mesh_of(d: int, c: int, topology: Topology = "mesh") -> Mesh:
    """The mesh or torus of 2^d nodes with c axes of 2^(d/c) nodes.

    Raises:
        InputError: d is not a multiple of c, or another topology.

    >>> mesh_of(6, 3), mesh_of(6, 2, "torus")
    (Mesh((4, 4, 4)), Torus((8, 8)))
    """
    d, c = checked_mesh(d, c)
    if topology not in ("mesh", "torus"):
        raise InputError("topology", 'must be "mesh" or "torus"', topology)
    return (Torus if topology == "torus" else Mesh)((1 << d // c,) * c)


def dilations(d: int, c: int, order: Order = "cyclic") -> tuple[int, ...]:
    """The dilation of every dimension, the same for all processes [calmant (2)].

    Mesh and torus agree: half a ring is the longest distance.

    Raises:
        InputError: d is not a multiple of c, or another order.

    >>> dilations(6, 2), dilations(6, 2, "blocked")
    ((1, 1, 2, 2, 4, 4), (1, 2, 4, 1, 2, 4))
    """
    return tuple(1 << bit % (d // c) for bit in node_bits(d, c, order))


def embedding_graph(
    d: int, c: int, order: Order = "cyclic", topology: Topology = "mesh"
) -> nx.DiGraph[int]:
    """The hypercube of processes, with the place of every process and the path of every edge.

    Nodes carry `node` (of the mesh) and `coordinates`; edges carry `dimension`, `axis`,
    `dilation` and `path`, the mesh nodes from one end to the other. The mesh itself is
    `mesh_of(d, c, topology).graph()`.

    Raises:
        InputError: d is not a multiple of c, another order or topology.
        SizeLimitError: a graph of more than 2^22 edges.

    >>> graph = embedding_graph(4, 2)
    >>> graph.nodes[6]
    {'node': 6, 'coordinates': (2, 1)}
    >>> graph.edges[6, 14]
    {'dimension': 3, 'axis': 1, 'dilation': 2, 'path': [6, 10, 14]}
    """
    mesh = mesh_of(d, c, topology)
    bits = node_bits(d, c, order)
    graph = Hypercube(len(bits)).graph()
    nodes = embedding(d, c, order).tolist()
    for n in graph:
        graph.nodes[n].clear()
        graph.nodes[n].update(node=nodes[n], coordinates=mesh.coordinates(nodes[n]))
    for n, other, data in graph.edges(data=True):
        path = mesh.path(nodes[n], nodes[other])
        data.update(axis=bits[data["dimension"]] // (d // c), dilation=len(path) - 1, path=path)
    return graph


# -- average dilation ---------------------------------------------------------------------


def average_dilation(placement: Sequence[int] | Ints, network: Network) -> Fraction:
    """The mean distance between neighbours in the hypercube, for any placement of the processes.

    Args:
        placement: the node of every process: a permutation of 0..2^d - 1.
        network: any network of 2^d nodes.

    Raises:
        InputError: no network, or the placement is not a permutation of its nodes.

    >>> average_dilation(embedding(4, 2), mesh_of(4, 2)), minimum_average_dilation(4, 2)
    (Fraction(3, 2), Fraction(3, 2))
    """
    if not isinstance(network, Network):
        raise InputError("network", "must be a network, such as mesh_of(d, c)", network)
    nodes = np.asarray(placement)
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


def minimum_average_dilation(d: int, c: int) -> Fraction:
    """No placement of the processes on the mesh has a smaller average dilation.

    A distance is the number of cuts between neighbouring layers of the mesh that separate the
    two nodes. The cut after layer x of an axis splits off x s^(c-1) processes, and a set of k
    processes has at least as many hypercube edges to the rest as {0, ..., k-1} has (Harper's
    edge-isoperimetric inequality). The sum over all cuts bounds the sum of distances. The
    standard embedding splits off just such initial sets, up to the order of bits, and meets it.

    Raises:
        InputError: d is not a multiple of c.

    >>> minimum_average_dilation(3, 1), minimum_average_dilation(3, 3)
    (Fraction(7, 3), Fraction(1, 1))
    """
    d, c = checked_mesh(d, c)
    side = 1 << d // c
    layer = 1 << d - d // c
    total = c * sum(_least_boundary(d, x * layer) for x in range(1, side))
    return Fraction(2 * total, d << d)


def _least_boundary(d: int, k: int) -> int:
    """Hypercube edges between {0, ..., k-1} and the rest: d k - 2 (edges inside)."""
    inside, higher = 0, 0
    for bit in reversed(range(d)):
        if k >> bit & 1:  # a subcube of 2^bit, each joined to `higher` subcubes before it
            inside += (bit << bit) // 2 + (higher << bit)
            higher += 1
    return d * k - 2 * inside


# -- bits ---------------------------------------------------------------------------------


def node_bits(d: int, c: int, order: Order = "cyclic") -> list[int]:
    """For every bit of a process, the bit of its node.

    Raises:
        InputError: d is not a multiple of c, or another order.
    """
    d, c = checked_mesh(d, c)
    if order == "cyclic":
        return [k % c * (d // c) + k // c for k in range(d)]
    if order == "blocked":
        return list(range(d))
    raise InputError("order", 'must be "cyclic" or "blocked"', order)


def check_listed(d: int) -> None:
    """Refuse to list the processes of a CC-cube that is too large.

    Raises:
        SizeLimitError: d > 24.
    """
    if d > MAX_LISTED_DIMENSION:
        rule = f"must be at most {MAX_LISTED_DIMENSION}: all 2^d processes are listed"
        raise SizeLimitError("d", rule, d)


def _checked_size(d: int, c: int) -> int:
    d, c = checked_mesh(d, c)
    if d > _MAX_BITS:
        raise SizeLimitError("d", f"must be at most {_MAX_BITS}: a node number fits int64", d)
    return d


def _moved(value: Any, d: int, bits: list[int], argument: str) -> Any:
    """Bit k of the value becomes bit bits[k]."""
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
    return cast("Ints", moved)
