"""How routing on a network reads an address: bits inside a router, then one field after another.

    cube:3        1 1 1       a step corrects one bit, in any order
    origin:3      (1) 1 1     one bit, whichever, is inside the router: the one of two nodes
    mesh:4x8      2 3         a step corrects an axis: a field of bits, whose order counts
    fattree:4^2   2 2         a step takes a digit: a field of bits, whose order does not count

`programme` searches for the bits that go into each field.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.program import Program
from lccmodel.errors import InputError, NetworkError, SizeLimitError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.numbers import Number, as_fraction, as_number
from lccmodel.ground.words import OBJECTIVES as OBJECTIVES
from lccmodel.ground.words import Objective as Objective
from lccmodel.ground.words import checked_word
from lccmodel.lattice.counts import MAX_BLOCK, Counts, as_set, block_orders
from lccmodel.lattice.path import Step, cheapest
from lccmodel.lattice.subset import SubsetProgramme, first_of_least
from lccmodel.lattice.weights import SetObjective
from lccmodel.network import Network, as_network
from lccmodel.network.geometry import Tree
from lccmodel.reading.programs import program_on

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
        rings: 0 where the field is no ring, else 1 + the tie rule (`Geometry.ring_rules`).
        bandwidths: of the links of every field.
        tree: how a fat tree routes, "" elsewhere.

    >>> AddressFields.of(as_network("mesh:4x8"), ranks=32).widths
    (2, 3)
    """

    n: int
    internal: int
    widths: tuple[int, ...]
    rings: tuple[int, ...]
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
        n, geometry = network.n, network.geometry
        inside = (geometry.per_router - 1).bit_length()
        if n > _MAX_ORDERED:
            rule = f"an order is searched for up to {_MAX_ORDERED} address bits (2^n sets)"
            raise SizeLimitError("n", rule, n)
        if geometry.tree:
            return cls._of_tree(network, geometry.tree)
        if geometry.is_cube and 1 << inside == geometry.per_router:
            ones = (1,) * (n - inside)
            return cls(n, inside, ones, (0,) * len(ones), (Fraction(1),) * len(ones))
        if not geometry.is_grid or 1 << inside != geometry.per_router:
            rule = "must be a network whose routing reads address bits: cube, mesh, torus, fat tree"
            raise NetworkError("network", rule, network)
        lengths = tuple(length.bit_length() - 1 for length in geometry.sides)
        if max(lengths) > MAX_BLOCK:
            rule = (
                f"an axis has at most 2^{MAX_BLOCK} nodes: which of them are neighbours depends on "
                "the order of its k bits, so all k! orders of every set of k bits are priced "
                '(8! = 40,320); place(..., over="placements") searches longer axes'
            )
            raise SizeLimitError("network", rule, network.spec)
        return cls(n, inside, lengths, geometry.ring_rules, geometry.bandwidths)

    @classmethod
    def _of_tree(cls, network: Network, tree: Tree) -> AddressFields:
        if any(m & m - 1 for m in tree.down) or not tree.is_full:
            rule = (
                "must have 2^k children and as many parents at every level, so that each level "
                "reads k address bits of the source and of the destination; "
                'place(..., over="placements") searches others'
            )
            raise NetworkError("network", rule, network)
        widths = tuple(m.bit_length() - 1 for m in tree.down)
        ones = (Fraction(1),) * len(widths)
        return cls(network.n, 0, widths, (0,) * len(widths), ones, tree.routing)

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


_LARGEST = 1 << 61
_PROOF = "the subset programme is exhaustive [hou, Theorem 6]"

Reads = tuple[tuple[int, ...], bool]
"""What a step corrects: bits, lowest first, and whether they count in reflected Gray code."""


@dataclass(frozen=True)
class BestOrder:
    """An order of the address bits with the least value of an objective, of all orders.

    Attributes:
        order: order[k] is the old bit that becomes bit k; internal bits come first.
        value: the objective, in the units of the program.
        gray: the axes whose coordinates are read in reflected Gray code.
        widths: bits of every field of a node's address: inside a node, then each axis.
        proof: what shows that no order is better.
        priced: how many sets were priced; the searches (S, j) of Theorem 6 where ranks did.
    """

    order: tuple[int, ...]
    value: Number
    gray: tuple[int, ...]
    widths: tuple[int, ...]
    proof: str
    priced: int

    @property
    def node_of(self) -> npt.NDArray[np.int64]:
        """The node of every rank 0..2^n - 1, int64."""
        ranks = np.arange(1 << len(self.order), dtype=np.int64)
        nodes, place = np.zeros_like(ranks), 0
        for field, width in enumerate(self.widths):
            value = np.zeros_like(ranks)
            for k, bit in enumerate(self.order[place : place + width]):
                value |= (ranks >> bit & 1) << k
            if field - 1 in self.gray:  # the coordinate whose Gray code this is
                shift = 1
                while shift < width:
                    value ^= value >> shift
                    shift *= 2
            nodes |= value << place
            place += width
        return nodes


@typed_arguments
def best_order(
    program: Any,
    network: Network | str,
    objective: Objective = "max-max",
    *,
    gray: bool = False,
) -> BestOrder:
    """The order of address bits with the least contention, for any program, exactly.

    Args:
        program: what is sent, by at most 2^n ranks, as anything `Program.of` takes or a word; the
            other nodes are idle.
        network: a network of 2^n nodes, or its word: cube, Origin, mesh, torus, fat tree
            with as many links up as down, perhaps with several nodes to a router. Links of axes
            with a bandwidth are busy for load / bandwidth.
        objective: see the head of this module.
        gray: let every axis of a mesh or torus also count in reflected Gray code.

    Raises:
        NetworkError: the network has not 2^n nodes, fewer nodes than ranks, or reads no bits.
        SizeLimitError: more than 20 address bits, or an axis of more than 2^7 nodes.
        InputError: an unknown objective, or weights and volumes without a small common unit.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> from lccmodel.network import Mesh
    >>> best = best_order(bit_reverse(8), Mesh((16, 16)))
    >>> best.order, best.value, best.proof
    ((6, 7, 3, 4, 0, 1, 2, 5), 4, 'the subset programme is exhaustive [hou, Theorem 6]')
    """
    checked_word("objective", objective, OBJECTIVES)
    network = as_network(network)
    checked = program_on(program, network.size)
    program = checked.in_common_unit()
    fields = AddressFields.of(network, program.ranks)
    lccs = [phase.lcc for phase in program if phase.lcc is not None and phase.lcc.n == fields.n]
    if fields.on_cube and objective != "joint" and len(lccs) == len(program):
        return _by_ranks(program, fields, objective)
    members, weights, unit = _members(program, fields.n, objective)
    factors, scale = _integers([1 / b for b in fields.bandwidths])
    costs = _Costs(members, weights, factors, objective, fields, gray)
    cheapest_path = cheapest(
        fields.starts(),
        costs.steps,
        lambda state: fields.n - (state[0] | state[1]).bit_count(),
        "sum" if objective == "sum-sum" else "max",
        at_least=costs.at_least,
    )
    assert cheapest_path is not None, "every order is a path"
    bits = [bit for read, _ in cheapest_path.path for bit in read]
    internal = tuple(j for j in range(fields.n) if j not in bits)
    value = cheapest_path.price * unit / scale
    return BestOrder(
        (*internal, *bits),
        as_number(value),
        tuple(axis for axis, (_, code) in enumerate(cheapest_path.path) if code),
        (fields.internal, *fields.widths),
        "; ".join((_PROOF, *program.notes[len(checked.notes) :])),
        cheapest_path.priced,
    )


def _by_ranks(program: Program, fields: AddressFields, objective: SetObjective) -> BestOrder:
    """Where every phase is y = Ax + b and a step corrects one bit, ranks price all sets."""
    members = tuple(phase.traffic for phase in program)
    weights = tuple(phase.weight for phase in program)
    programmes = [
        SubsetProgramme(members, weights, objective, bits, n=fields.n)
        for bits in combinations(range(fields.n), fields.internal)
    ]
    value, order = first_of_least(programmes)
    widths, priced = (
        (fields.internal, *fields.widths),
        sum(programme.searches for programme in programmes),
    )
    return BestOrder(order, value, (), widths, _PROOF, priced)


class _Costs:
    """What the steps of all phases cost together, in integers of one unit."""

    def __init__(
        self,
        members: Sequence[Counts],
        weights: Sequence[int],
        factors: Sequence[int],
        objective: Objective,
        fields: AddressFields,
        gray: bool,
    ) -> None:
        self.members, self.weights, self.factors = members, weights, factors
        self.summed = objective in ("max-sum", "sum-sum")
        self.path_summed = objective == "sum-sum"
        self.fields, self.gray = fields, gray
        self._internal: tuple[int, tuple[Counts, ...]] = (-1, ())
        total = sum(w * int(m.volumes.sum()) for m, w in zip(members, weights, strict=True))
        if total * max(factors, default=1) * max(fields.n, 1) >= _LARGEST:
            rule = "in their common unit, volumes times weights must add up to less than 2^61"
            raise InputError("weights, volumes", rule, list(weights))

    def steps(self, state: State) -> Iterator[Step[Reads, State]]:
        """Every step after a state."""
        if self.fields.tree:
            return self._digits(state)
        if self.fields.widths[self.fields.axis(state)] == 1:
            return self._bits(state)
        return self._blocks(state)

    def at_least(self, state: State) -> int:
        """What no completion costs less than: on a cube, the least load of every bit left."""
        done = state[0] | state[1]
        least = [load for j, load in enumerate(self._least) if not done >> j & 1]
        return sum(least) if self.path_summed else max(least, default=0)

    @cached_property
    def _least(self) -> list[int]:
        """For every bit what no step that corrects it costs less than; 0 where nothing is known."""
        if set(self.fields.widths) != {1} or self.fields.tree:
            return [0] * self.fields.n
        factor = min(self.factors)
        return [
            factor * self._join([m.least[j] for m in self.members]) for j in range(self.fields.n)
        ]

    def _join(self, loads: Sequence[int]) -> int:
        weighted = [w * int(load) for w, load in zip(self.weights, loads, strict=True)]
        return sum(weighted) if self.summed else max(weighted, default=0)

    def _counts(self, internal: int) -> tuple[Counts, ...]:
        if self._internal[0] != internal:
            bits = [j for j in range(self.fields.n) if internal >> j & 1]
            self._internal = internal, tuple(m.inside(bits) for m in self.members)
        return self._internal[1]

    def _together(self, loads: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
        total = self.weights[0] * loads[0]
        for weight, more in zip(self.weights[1:], loads[1:], strict=True):
            total = total + weight * more if self.summed else np.maximum(total, weight * more)
        return total

    def _left(self, state: State) -> list[int]:
        return [j for j in range(self.fields.n) if not (state[0] | state[1]) >> j & 1]

    def _bits(self, state: State) -> Iterator[Step[Reads, State]]:
        internal, corrected = state
        factor = self.factors[self.fields.axis(state)]
        loads = self._together([m.loads(corrected) for m in self._counts(internal)]).tolist()
        for j in self._left(state):
            yield Step(((j,), False), factor * loads[j], (internal, corrected | 1 << j))

    def _blocks(self, state: State) -> Iterator[Step[Reads, State]]:
        internal, corrected = state
        axis = self.fields.axis(state)
        ring = self.fields.rings[axis]
        for bits in combinations(self._left(state), self.fields.widths[axis]):
            block = as_set(bits)
            loads = self._together(
                [m.block_loads(corrected, block, ring, self.gray) for m in self._counts(internal)]
            )
            best = int(loads.argmin())
            price = self.factors[axis] * int(loads[best])
            yield Step(block_orders(block, self.gray)[best], price, (internal, corrected | block))

    def _digits(self, state: State) -> Iterator[Step[Reads, State]]:
        axis = self.fields.axis(state)
        for bits in combinations(self._left(state), self.fields.widths[axis]):
            after = state[1] | as_set(bits)
            loads = [m.tree_load(after, self.fields.tree == "d-mod-k") for m in self.members]
            yield Step((bits, False), self._join(loads), (0, after))


def _members(
    program: Program, n: int, objective: Objective
) -> tuple[tuple[Counts, ...], tuple[int, ...], Fraction]:
    """The phases as counts with integer weights, and the unit of weight times volume."""
    exact = [phase.traffic.exact for phase in program.phases]
    weights, scale = _integers(
        [as_fraction(p.weight) * unit for p, (_, unit) in zip(program.phases, exact, strict=True)]
    )
    parts = [
        (phase.traffic.sources, phase.traffic.destinations, volumes)
        for phase, (volumes, _) in zip(program.phases, exact, strict=True)
    ]
    if objective != "joint":
        return tuple(Counts(n, x, y, v) for x, y, v in parts), weights, Fraction(1, scale)
    if sum(w * int(v.sum()) for w, (_, _, v) in zip(weights, parts, strict=True)) >= _LARGEST:
        rule = "in their common unit, volumes times weights must add up to less than 2^61"
        raise InputError("weights, volumes", rule, list(weights))
    scaled = [w * v for w, (_, _, v) in zip(weights, parts, strict=True)]
    x, y = (np.concatenate([part[end] for part in parts]) for end in (0, 1))
    return (Counts(n, x, y, np.concatenate(scaled)),), (1,), Fraction(1, scale)


def _integers(values: Sequence[Fraction]) -> tuple[tuple[int, ...], int]:
    """Integers k and a scale s with values = k / s."""
    scale = lcm(*(value.denominator for value in values))
    return tuple(int(value * scale) for value in values), scale
