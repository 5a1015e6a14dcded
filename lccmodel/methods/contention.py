"""Degree of channel contention [hou, Theorems 1 and 7], by formula and by walking.

T_i(A, b) is the largest number of messages over one channel of dimension i when dimensions are
corrected in ascending order (e-cube):

    hypercube   T_i = 2^(i - rank A_(L_(i+1), L_i))           with L_i = {0, ..., i-1}
    bristled    T_i = 2^(i - rank B_(L_i, L_i)), B = A without row 0;   T_0 = 0

and T_i = 0 if y_i = x_i for all x. Both are walks through the correction lattice in the natural
order. On meshes and tori a channel belongs to an axis, and the messages are counted.

A scatter is routed as it is sent, from source to destination, in ascending order too. Sending it
back along the paths of its gather is another routing, `routing="descending"`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, overload

from lccmodel.communication.lcc import LCC, require_lcc
from lccmodel.errors import InputError, NetworkError
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.network import BristledHypercube, Hypercube, Mesh, Network, Torus

__all__ = [
    "Contention",
    "ContentionSet",
    "Method",
    "Routing",
    "contention",
    "internal_bits",
    "require_fit",
]

Method = Literal["auto", "formula", "walk"]
Routing = Literal["ascending", "descending"]


@dataclass(frozen=True, slots=True)
class Contention:
    """The busiest channels of one communication on one network.

    Attributes:
        per_dimension: messages on the busiest channel of each dimension (of each axis on a mesh
            or torus).
        method: "formula" (ranks) or "walk" (messages counted on every channel); it does not take
            part in comparisons.
        routing: "ascending" or "descending" order of dimensions.

    >>> Contention((1, 2, 1), "formula").degree
    2
    """

    per_dimension: tuple[int, ...]
    method: str = field(compare=False)
    routing: Routing = "ascending"

    @property
    def degree(self) -> int:
        """Degree of contention [hou, Definition 6]: messages on the busiest channel of all."""
        return max(self.per_dimension, default=0)

    @property
    def total(self) -> int:
        """Sum over the dimensions."""
        return sum(self.per_dimension)

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>T<sub>{i}</sub></th>" for i in range(len(self.per_dimension)))
        cells = "".join(f"<td>{load}</td>" for load in self.per_dimension)
        return (
            f"<table><tr>{heads}<th>degree</th></tr>"
            f"<tr>{cells}<td><b>{self.degree}</b></td></tr></table>"
        )


@dataclass(frozen=True, slots=True)
class ContentionSet(Sequence[Contention]):
    """The contention of several communications, in their order.

    >>> both = ContentionSet((Contention((1, 4), "formula"), Contention((2, 1), "formula")))
    >>> both.degree, both.per_dimension, [member.degree for member in both]
    (4, (2, 4), [4, 2])
    """

    members: tuple[Contention, ...]

    @property
    def per_dimension(self) -> tuple[int, ...]:
        """The largest load of any member, for every dimension."""
        return tuple(max(loads) for loads in zip(*(c.per_dimension for c in self), strict=True))

    @property
    def degree(self) -> int:
        """The largest degree of any member."""
        return max((member.degree for member in self.members), default=0)

    @overload
    def __getitem__(self, index: int) -> Contention: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Contention, ...]: ...
    def __getitem__(self, index: int | slice) -> Contention | tuple[Contention, ...]:
        return self.members[index]

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Contention]:
        return iter(self.members)


def contention(
    communication: LCC,
    network: Network,
    method: Method = "auto",
    *,
    routing: Routing = "ascending",
) -> Contention:
    """The largest number of messages over one channel, for every dimension.

    Args:
        communication: an LCC of any kind.
        network: a network with as many address bits.
        method: "formula" (hypercube and bristled hypercube; any n), "walk" (every message is
            routed and counted), or "auto": the formula where there is one.
        routing: the order in which dimensions (axes) are corrected.

    Raises:
        CommunicationError: `communication` is no LCC.
        NetworkError: sizes differ, or the formula is asked for on a mesh or torus.
        SizeLimitError: too many messages to walk.

    >>> from lccmodel.communication.catalog import matrix_transpose
    >>> contention(matrix_transpose(8), Hypercube(8)).per_dimension    # [hou, Example 3]
    (1, 2, 4, 8, 8, 4, 2, 1)
    """
    require_fit(communication, network)
    if method not in ("auto", "formula", "walk"):
        raise InputError("method", 'must be "auto", "formula" or "walk"', method)
    if routing not in ("ascending", "descending"):
        raise InputError("routing", 'must be "ascending" or "descending"', routing)
    on_mesh = isinstance(network, (Mesh, Torus))
    if method == "walk" or (method == "auto" and on_mesh):
        loads = network.channel_loads(communication, descending=routing == "descending")
        return Contention(loads.per_dimension, "walk", routing)
    if on_mesh:
        rule = 'the rank formula holds on hypercubes; use method="walk" on a mesh or torus'
        raise NetworkError("network", rule, network)
    return Contention(_by_ranks(communication, network, routing), "formula", routing)


def _by_ranks(communication: LCC, network: Network, routing: Routing) -> tuple[int, ...]:
    lattice = CorrectionLattice(communication, internal_bits(network))
    inside = (0,) * len(lattice.internal)
    if routing == "descending":
        return (*inside, *lattice.loads(lattice.external[::-1])[::-1])
    return (*inside, *lattice.loads(lattice.external))


def internal_bits(network: Network) -> tuple[int, ...]:
    """The address bits inside a router: (0,) on a bristled hypercube, () on a hypercube.

    Raises:
        NetworkError: the network is no hypercube.
    """
    if isinstance(network, BristledHypercube):
        return (0,)
    if isinstance(network, Hypercube):
        return ()
    raise NetworkError("network", "must be a Hypercube or a BristledHypercube", network)


def require_fit(communication: LCC, network: Network) -> None:
    """Refuse a network with another number of address bits.

    Raises:
        CommunicationError: `communication` is no LCC.
        NetworkError: the sizes differ, or `network` is no network.
    """
    require_lcc(communication)
    if not isinstance(network, Network):
        raise NetworkError("network", "must be a network such as Hypercube(8)", network)
    if network.n != communication.n:
        rule = f"must have 2^{communication.n} nodes, as the communication has"
        raise NetworkError("network", rule, network)
