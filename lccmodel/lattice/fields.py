"""How routing on a network reads an address: bits inside a router, then one field after another.

    cube:3        1 1 1       a step corrects one bit, in any order
    origin:3      (1) 1 1     one bit, whichever, is inside the router: the one of two nodes
    mesh:4x8      2 3         a step corrects an axis: a field of bits, whose order counts
    fattree:4^2   2 2         a step takes a digit: a field of bits, whose order does not count

`programme` searches for the bits that go into each field.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from lccmodel.errors import NetworkError, SizeLimitError
from lccmodel.lattice.counts import MAX_BLOCK, as_set
from lccmodel.network import BristledHypercube, Concentrated, FatTree, Hypercube, Mesh, Network

State = tuple[int, int]
"""The internal bits and the corrected ones, as sets."""

_MAX_ORDERED = 20
"""Address bits up to which an order is searched for: up to 2^20 sets, each with all messages."""


@dataclass(frozen=True)
class AddressFields:
    """The fields of an address on one network.

    Attributes:
        n: address bits.
        internal: how many of them are inside a router; routing corrects the others.
        widths: bits of every field, in the order in which they are corrected.
        rings: whether the field is an axis that is a ring.
        bandwidths: of the links of every field.
        tree: how a fat tree routes, "" elsewhere.

    >>> AddressFields.of(Mesh((4, 8)), ranks=32).widths
    (2, 3)
    """

    n: int
    internal: int
    widths: tuple[int, ...]
    rings: tuple[bool, ...]
    bandwidths: tuple[Fraction, ...]
    tree: str = ""

    @property
    def on_cube(self) -> bool:
        """Whether every step corrects one bit, over links that are alike."""
        alike = set(self.bandwidths) <= {1}
        return alike and not self.tree and not any(self.rings) and set(self.widths) <= {1}

    @classmethod
    def of(cls, network: Network, ranks: int) -> AddressFields:
        """The fields of a network for so many ranks.

        Raises:
            NetworkError: fewer nodes than ranks, or a network whose routing reads no bits.
            SizeLimitError: more than 20 bits, or an axis of more than 2^7 nodes.
        """
        if ranks > network.size:
            rule = f"must have a node for each of the {ranks} ranks"
            raise NetworkError("network", rule, network)
        n, inside = network.n, network.internal_bits
        if n > _MAX_ORDERED:
            rule = f"an order is searched for up to {_MAX_ORDERED} address bits (2^n sets)"
            raise SizeLimitError("n", rule, n)
        carrier = network.network if isinstance(network, Concentrated) else network
        if isinstance(carrier, FatTree):
            return cls._of_tree(carrier)
        if isinstance(carrier, (Hypercube, BristledHypercube)):
            ones = (1,) * (n - inside)
            return cls(n, inside, ones, (False,) * len(ones), (Fraction(1),) * len(ones))
        if not isinstance(carrier, Mesh) or 1 << inside != network.per_node:
            rule = "must be a network whose routing reads address bits: cube, mesh, torus, fat tree"
            raise NetworkError("network", rule, network)
        lengths = tuple(length.bit_length() - 1 for length in carrier.shape)
        if max(lengths) > MAX_BLOCK:
            rule = (
                f"an axis has at most 2^{MAX_BLOCK} nodes: which of them are neighbours depends on "
                "the order of its k bits, so all k! orders of every set of k bits are priced "
                '(8! = 40,320); place(..., over="placements") searches longer axes'
            )
            raise SizeLimitError("network", rule, network.spec)
        rings = tuple(carrier.is_ring(axis) for axis in range(len(lengths)))
        return cls(n, inside, lengths, rings, carrier.bandwidths)

    @classmethod
    def _of_tree(cls, tree: FatTree) -> AddressFields:
        if any(m & m - 1 for m in tree.down) or tree.up != tree.down[:-1]:
            rule = (
                "must have 2^k children and as many parents at every level, so that each level "
                "reads k address bits of the source and of the destination; "
                'place(..., over="placements") searches others'
            )
            raise NetworkError("network", rule, tree)
        widths = tuple(m.bit_length() - 1 for m in tree.down)
        ones = (Fraction(1),) * len(widths)
        return cls(tree.n, 0, widths, (False,) * len(widths), ones, tree.routing)

    def starts(self) -> list[State]:
        """Every choice of internal bits."""
        return [(as_set(bits), 0) for bits in combinations(range(self.n), self.internal)]

    def axis(self, state: State) -> int:
        """The field that is corrected next."""
        done, axis = state[1].bit_count(), 0
        while done >= self.widths[axis] and (done or not self.widths[axis]):
            done -= self.widths[axis]
            axis += 1
        return axis
