"""The average dilation of placements of a hypercube on a mesh, and the least that there is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel.errors import InputError, checked_array
from lccmodel.network import Mesh, Network, as_network
from lccmodel.pipelining.embedding import Embedding, as_mesh


@typed_arguments
def average_dilation(placement: Sequence[int] | Ints, network: Network | str) -> Fraction:
    """The mean distance between neighbours in the hypercube, for any placement of the processes.

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
    """No placement of the processes on the mesh has a smaller average dilation.

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
