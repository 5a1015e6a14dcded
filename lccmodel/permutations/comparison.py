"""One communication, every routing method: e-cube, HL, conditional exchanges, the SIMD mesh.

All of them correct one address bit after another, so each is a walk in the lattice of
`lattice.lattice` and is counted alike, from the positions of its messages alone (`routed`).

By hand, the exchange of two bits on a cube of 4 nodes; nodes as in docs/movement.md:

    method        order   occupancy   load   rounds
    e-cube        0 1     1 2 1       1 1    2
    HL            0 1     1 2 1       1 1    2       by tags alone
    exchanges     none                               the submatrix of dimension 0 is singular
    SIMD mesh     1 0     1 2 1       1 1    2       4 unit shifts on a mesh of 2 by 2

What a method has to know, and what its processors have to be able to do, differs: `requires`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lccmodel.communication.destinations import Permutation, destinations_of, linear_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import (
    InputError,
    SizeLimitError,
)
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.movement import Movement
from lccmodel.network import Hypercube, Mesh, Network, parse_network
from lccmodel.network.spec import cube_or_mesh
from lccmodel.permutations.partitioned import partition_tree
from lccmodel.permutations.routing_methods import (
    attempt,
    by_bit_exchanges,
    by_conditional_exchanges,
    by_dimension_order,
    by_self_routing,
    by_simd_mesh,
)
from lccmodel.permutations.routing_result import Method, RoutedPermutation
from lccmodel.permutations.simd_mesh.numbering import mesh_of

_MAX_COMPARED = 16
"""Most address bits that are compared: 65,536 messages, moved node by node on a mesh."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Mapping[str, RoutedPermutation], Answer, view="comparison"):
    """One permutation routed by every method; made by `compare`.

    Attributes:
        name: of the communication, or "".
        communication: as y = Ax + b, or None if it is not of that form.
        destinations: of every node, int64 of shape (2^n,).
        mesh: where unit steps are counted, or None.
        results: one for every method.
    """

    name: str
    communication: LCC | None
    destinations: Ints
    mesh: Mesh | None
    results: tuple[RoutedPermutation, ...]

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.destinations.size.bit_length() - 1

    def __getitem__(self, method: str) -> RoutedPermutation:
        for routed in self.results:
            if routed.method == method:
                return routed
        raise KeyError(method)

    def __iter__(self) -> Iterator[str]:
        return (routed.method for routed in self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        where = f"cube:{self.n}" + (f", {self.mesh.spec}" if self.mesh else "")
        lines = "\n".join(f"  {routed!r}" for routed in self.results)
        return f"<Comparison of {self.name or 'a permutation'} on {where}\n{lines}>"


@typed_arguments
def compare(
    communication: Permutation, network: Network | str | None = None, also: Sequence[Method] = ()
) -> Comparison:
    """Route one permutation by every method.

    The conditional exchanges take the first order that works; where none does, bits change places
    in pairs after them. A permutation that is not of the form y = Ax + b is routed by HL in its
    three modes instead, in M-SIMD in two readings, and by the subcubes of its partition tree if it
    has one. `RoutedPermutation.one_port` says of each whether it keeps the model of
    [boppana, section 2.1].

    Args:
        communication: a permutation: an LCC or its word, or 2^n destinations with 1 <= n <= 16.
        network: a mesh or torus, on which unit steps are counted too; a hypercube, on which
            nothing else is counted. Left out, it is the squarest mesh.
        also: methods of one's own, to be counted beside these.

    Raises:
        CommunicationError: not a permutation, or a single node.
        NetworkError: another network, or another size.
        SizeLimitError: n > 16.
        InputError: two methods of one name.

    >>> comparison = compare(LCC([[0, 1], [1, 0]]))
    >>> for routed in comparison.values():
    ...     print(routed.method, routed.order, routed.rounds, routed.price)
    e-cube (0, 1) 2 None
    hl (0, 1) 2 None
    exchange None 0 None
    bit-exchange (0, 1) 2 None
    simd-mesh (1, 0) 2 4
    simd-mesh-shuffled (1, 0) 2 4
    >>> comparison["hl"].on_mesh.in_unit_steps("one-direction").total
    4
    """
    if isinstance(network, str):
        network = parse_network(network)
    if isinstance(communication, str):
        from lccmodel.reading.programs import bits_of, read_typed

        n = None if network is None else bits_of(network.size)
        communication = read_typed([communication], n)[0].permutation()
    destinations = destinations_of(communication, least=1)
    n = destinations.size.bit_length() - 1
    if n > _MAX_COMPARED:
        rule = f"every message is moved node by node by every method, so n <= {_MAX_COMPARED}"
        raise SizeLimitError("communication", rule, n)
    on = mesh_of(None, n) if network is None else cube_or_mesh(network, n)
    mesh = on if isinstance(on, Mesh) else None
    linear = linear_of(communication)
    whole = linear if linear is not None else destinations
    results = [by_dimension_order(whole, mesh), by_self_routing(whole, mesh)]
    if linear is None:
        results.append(by_self_routing(whole, mesh, "m-simd"))
        results.append(by_self_routing(whole, mesh, "m-simd", reading="pairs"))
        tree = partition_tree(destinations)
        if tree is not None:
            results.append(by_self_routing(whole, mesh, "m-simd", partition=tree))
        results.append(by_self_routing(whole, mesh, "mimd"))
    if mesh is None:
        meshes: tuple[str, ...] = ("simd-mesh",)  # numbering is a matter of the mesh alone
    else:
        meshes = ("simd-mesh", "simd-mesh-shuffled")
    exchanges = attempt("exchange", by_conditional_exchanges, whole, mesh)
    results.append(exchanges)
    if linear is not None and exchanges.movement is None:
        results.append(attempt("bit-exchange", by_bit_exchanges, linear, mesh))
    for method in meshes:
        numbering = "row-major" if method == "simd-mesh" else "shuffled-row-major"
        results.append(attempt(method, by_simd_mesh, whole, mesh, numbering))
    for own in also:
        if own.name in {result.method for result in results}:
            raise InputError("also", "must have names that no other method has", own.name)
        results.append(own.routed(destinations, mesh))
    name = communication.name if isinstance(communication, LCC) else ""
    return Comparison(name, linear, destinations, mesh, tuple(results))


def with_reordering(comparison: Comparison) -> Comparison:
    """The comparison with a row for e-cube after an optimal reordering [hou]; if affine.

    The processes are renamed by that order of the bits, and the walk is the one along it.

    >>> from lccmodel import catalog
    >>> with_reordering(compare(catalog.matrix_transpose(4)))["reordering"].order
    (0, 2, 1, 3)
    """
    from lccmodel.placement.mapping import optimal_reordering

    c = comparison.communication
    if c is None:
        return comparison
    mapping = optimal_reordering(c, Hypercube(c.n))
    assert mapping.order is not None
    added = RoutedPermutation(
        "reordering",
        "reordered e-cube",
        "A and b known; processes renamed by this order, then e-cube routers",
        comparison.destinations,
        Movement.along(comparison.destinations.tolist(), mapping.order),
        mapping.order,
        mesh=comparison.mesh,
        nodes=mapping.node_of,
    )
    first, *rest = comparison.results
    return replace(comparison, results=(first, added, *rest))
