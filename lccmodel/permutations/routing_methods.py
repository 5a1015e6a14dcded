"""One communication by one method, as a `RoutedPermutation`; `comparison` has all methods.

Methods know more or less of the communication, and ask more or less of the nodes: `requires`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from lccmodel.communication.destinations import (
    Permutation,
    checked_order,
    destinations_of,
    linear_complement_of,
)
from lccmodel.errors import (
    InputError,
    NetworkError,
    NotFactorable,
    NotLinearComplement,
    SizeLimitError,
)
from lccmodel.ground.arrays import Ints
from lccmodel.movement import Movement
from lccmodel.network import Hypercube, Mesh
from lccmodel.permutations.exchanges import exchange_factors, exchange_orders, exchanges_and_pairs
from lccmodel.permutations.partitioned import PartitionTree
from lccmodel.permutations.routing_result import RoutedPermutation
from lccmodel.permutations.self_routing import self_route
from lccmodel.permutations.simd_mesh import simd_mesh_route

_ADVICE = (
    "e-cube takes any permutation, and so does HL: in mode m-simd with reading pairs a node "
    "receives one message in a step, in mode mimd several"
)
"""What works for a permutation that is not y = Ax + b."""


METHODS: Mapping[str, str] = MappingProxyType(
    {
        "e-cube": "e-cube",
        "hl": "HL",
        "hl-m-simd": "HL, M-SIMD",
        "hl-pairs": "HL, M-SIMD pairs",
        "hl-tree": "HL, by its tree",
        "hl-mimd": "HL, MIMD",
        "exchange": "exchanges",
        "bit-exchange": "bit exchanges",
        "simd-mesh": "SIMD mesh",
        "simd-mesh-shuffled": "SIMD mesh, shuffled",
    }
)
"""The methods of `compare` with their names for people."""


_REQUIRES: Mapping[str, str] = MappingProxyType(
    {
        "e-cube": "any permutation; a node queues messages for a busy channel",
        "hl": "a node sees its own tags only; delivers every y = Ax + b",
        "hl-m-simd": "own tags only; each subcube corrects a bit of its own",
        "hl-pairs": "own tags only; where a subcube holds pairs, these alone choose its bit",
        "hl-tree": "own tags, and whom it works with; delivers partitioned permutations",
        "hl-mimd": "own tags only; each node corrects a bit of its own, may hold three tags",
        "exchange": "A and b known; leading principal submatrices nonsingular in this order",
        "bit-exchange": "A and b known; exchanges, then pairs of bits change places",
        "simd-mesh": "A and b known; all nodes shift one way at a time",
        "simd-mesh-shuffled": "the same, nodes numbered in shuffled row-major order",
    }
)


_BRIEF: tuple[tuple[type[InputError], str], ...] = (
    (NotFactorable, "no order works"),
    (NotLinearComplement, "not y = Ax + b"),
    (NetworkError, "wrap-around is not used"),
    (SizeLimitError, "too many orders to search"),
)


def by_dimension_order(
    c: Permutation, mesh: Mesh | None = None, order: Sequence[int] | None = None
) -> RoutedPermutation:
    """Every message corrects its bits in one order; ascending, which is e-cube, if left out.

    Raises:
        CommunicationError: not a permutation, or a single node.
        InputError: `order` is not a permutation of the bits.

    >>> by_dimension_order([0, 2, 1, 3], order=[1, 0]).movement.occupancies
    (1, 2, 1)
    """
    destinations = destinations_of(c, least=1)
    n = destinations.size.bit_length() - 1
    bits = checked_order(range(n) if order is None else order, n)
    movement = Movement.along(destinations.tolist(), bits)
    return _routed("e-cube", destinations, movement=movement, order=bits, mesh=mesh)


def by_self_routing(
    c: Permutation,
    network: Hypercube | Mesh | None = None,
    mode: str = "simd",
    variant: str = "lsb",
    reading: str | None = None,
    partition: Sequence[int] | PartitionTree = (),
) -> RoutedPermutation:
    """Algorithm HL; see `self_route`.

    Raises: as `self_route`.

    >>> by_self_routing([0, 1, 2, 4, 3, 7, 5, 6]).reason
    'in step 2 processor 0 chooses bit 1, but 5 chooses 2'
    """
    destinations = destinations_of(c, least=1)
    routed = self_route(c, mode, variant, network, reading=reading, partition=partition)
    by_tree = isinstance(partition, PartitionTree)
    pairs = mode == "m-simd" and reading == "pairs"
    word = "tree" if by_tree else "pairs" if pairs else mode
    return _routed(
        "hl" if word == "simd" else f"hl-{word}",
        destinations,
        movement=routed.movement,
        order=routed.order,
        made=routed,
        reason="" if routed.failure is None else str(routed.failure),
        mesh=network if isinstance(network, Mesh) else None,
    )


def by_conditional_exchanges(
    c: Permutation, mesh: Mesh | None = None, order: Sequence[int] | None = None
) -> RoutedPermutation:
    """Conditional exchanges; in the first order that works if none is given.

    Raises:
        CommunicationError: not a permutation.
        NotLinearComplement: not of the form y = Ax + b.
        NotFactorable: no product of conditional exchanges.
        SizeLimitError: too many orders to search.

    >>> from lccmodel import LCC
    >>> by_conditional_exchanges(LCC([[0, 1], [1, 1]])).order
    (1, 0)
    """
    communication = linear_complement_of(c, _ADVICE)
    if order is None:
        order = next(iter(exchange_orders(communication)), None)
    factors = exchange_factors(communication, order)
    return _routed(
        "exchange",
        destinations_of(communication),
        movement=factors.movement,
        order=factors.order,
        made=factors,
        mesh=mesh,
    )


def by_bit_exchanges(c: Permutation, mesh: Mesh | None = None) -> RoutedPermutation:
    """Conditional exchanges in the order 0..n-1, then pairs of bits that change places.

    Every y = Ax + b with nonsingular A is such a product [edelman, Corollary 3.6]; a permutation of
    bits is of bit exchanges alone [edelman, section 5], of as few as it takes. The exchange of bits
    i and j is two steps: where they differ, a message crosses dimension i, then dimension j.

    Raises:
        CommunicationError: not a permutation.
        NotLinearComplement: not of the form y = Ax + b.

    >>> from lccmodel import LCC
    >>> routed = by_bit_exchanges(LCC([[0, 0, 1], [1, 0, 0], [0, 1, 0]]))
    >>> routed.words, routed.movement.loads, routed.movement.occupancies, routed.rounds
    ('0 1, 0 2', (1, 1, 1, 1), (1, 2, 1, 2, 1), 4)
    """
    communication = linear_complement_of(c, _ADVICE)
    exchanges, pairs = exchanges_and_pairs(communication)
    rows, bits = _exchanged(exchanges.movement, exchanges.order, pairs)
    destinations = destinations_of(communication)
    single = [str(bit) for bit in bits[: len(bits) - 2 * len(pairs)]]
    movement, order = Movement.of_positions(Hypercube(communication.n), rows), None
    if len(set(bits)) == len(bits):  # every bit once: a path of the lattice, idle bits at its end
        order = (*bits, *(bit for bit in range(communication.n) if bit not in bits))
        movement = Movement.along(destinations.tolist(), order)
    return _routed(
        "bit-exchange",
        destinations,
        movement=movement,
        order=order,
        words=", ".join([*single, *(f"{i} {j}" for i, j in pairs)]),
        mesh=mesh,
    )


def _exchanged(
    before: Movement, order: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> tuple[Ints, list[int]]:
    """Positions after every step of the exchanges and then of the pairs, and the bits of the steps.

    Steps in which no message moves are left out.
    """
    used = [k for k, moves in enumerate(before.moves) if moves]
    rows = [before.positions[0], *(before.positions[k + 1] for k in used)]
    bits = [order[k] for k in used]
    for pair in pairs:
        differ = (rows[-1] >> pair[0] ^ rows[-1] >> pair[1]) & 1
        for bit in pair:
            rows.append(rows[-1] ^ differ << bit)
            bits.append(bit)
    return np.array(rows), bits


def by_simd_mesh(
    c: Permutation,
    mesh: Mesh | None = None,
    numbering: str = "row-major",
    skip: bool = False,
) -> RoutedPermutation:
    """The passes of a SIMD mesh, run on its registers; see `simd_mesh_route`.

    Row-major numbers are the node numbers of `Mesh`. The movement and its order are in the
    numbers that are routed: those of the numbering, or shuffled row-major ones for "snake-like".

    Raises: as `simd_mesh_route`.

    >>> from lccmodel import LCC
    >>> by_simd_mesh(LCC([[0, 0, 1], [1, 0, 0], [0, 1, 0]]), Mesh((4, 2))).price
    8
    """
    communication = linear_complement_of(c, _ADVICE)
    plan = simd_mesh_route(communication, numbering, skip, mesh)
    method = "simd-mesh-shuffled" if numbering == "shuffled-row-major" else "simd-mesh"
    nodes = np.empty(plan.mesh.size, dtype=np.int64)
    nodes[plan.numbering.routed_grid.ravel()] = np.arange(plan.mesh.size)
    return _routed(
        method,
        destinations_of(plan.routed),
        movement=plan.movement,
        order=plan.order,
        made=plan,
        mesh=mesh,
        nodes=nodes,
    )


def _routed(method: str, destinations: Ints, **facts: Any) -> RoutedPermutation:
    return RoutedPermutation(method, METHODS[method], _REQUIRES[method], destinations, **facts)


def attempt(method: str, route: Any, c: Permutation, *arguments: Any) -> RoutedPermutation:
    """The routing, or why there is none; `c` is a permutation, so that nothing else is wrong."""
    try:
        made: RoutedPermutation = route(c, *arguments)
        return made
    except InputError as error:
        brief = next((words for kind, words in _BRIEF if isinstance(error, kind)), "none")
        return _routed(method, destinations_of(c), movement=None, reason=error.rule, brief=brief)
