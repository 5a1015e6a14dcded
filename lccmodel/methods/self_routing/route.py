"""Algorithm HL [boppana, section 2.3]: self-routing by what each processor sees in its own tags.

By hand, for the exchange of two bits (tags in binary, processors 00, 01, 10, 11):

    before     00     10     01     11       state A: each corrects bit 0
    step 1     00,10  -      -      01,11    state B: the two tags differ in bit 1
    step 2     00     01     10     11       state A: delivered
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel.communication.destinations import Permutation, destinations_of
from lccmodel.errors import SizeLimitError
from lccmodel.methods.partitioned.tree import PartitionTree
from lccmodel.methods.self_routing.readings import Rules
from lccmodel.methods.self_routing.result import SelfRouting, explain
from lccmodel.movement import Movement
from lccmodel.network import Hypercube, Mesh
from lccmodel.network.hypercube import cube_of
from lccmodel.network.spec import cube_or_mesh

MAX_TRACED = 20
"""Address bits up to which every step is recorded: 2^20 processors, about 200 MB."""


@typed_arguments
def self_route(
    communication: Permutation,
    mode: str = "simd",
    variant: str = "lsb",
    network: Hypercube | Mesh | str | None = None,
    *,
    reading: str | None = None,
    third: str = "kept",
    receive: str = "any",
    steps: int | None = None,
    partition: Sequence[int] | PartitionTree = (),
) -> SelfRouting:
    """Route a permutation by algorithm HL and record every step [boppana, section 2.3].

    A linear-complement permutation is delivered in n steps in every variant and in each of the
    modes "simd" and "m-simd" [boppana, Theorem 1]; a partitioned one by "m-simd" with its tree,
    `partition=partition_tree(p)` [boppana, Lemma 7]. For other permutations the result tells
    whether it is delivered, and if not, why; that is not an error.

    Args:
        communication: an LCC that is a permutation, or any sequence of 2^n destinations.
        mode: "simd", "m-simd" or "mimd" [boppana, section 3.3].
        variant: "lsb" or "msb".
        network: a hypercube, mesh or torus of 2^n nodes; on the last two the result's `on_mesh`
            counts unit steps. The hypercube of n dimensions if left out.
        reading, third, receive, steps, partition: what the paper leaves open; see `Rules`.

    Raises:
        CommunicationError: not a permutation.
        NetworkError: a network of another kind or size.
        InputError: an unknown mode, variant or reading.
        SizeLimitError: n > 20.

    >>> from lccmodel import LCC
    >>> routed = self_route(LCC([[0, 1], [1, 0]]))
    >>> routed.order, routed.states, routed.delivered
    ((0, 1), ('A', 'B', 'A'), True)
    >>> routed.tags[1].tolist(), routed.moved.tolist()
    ([[0, 2], [-1, -1], [-1, -1], [1, 3]], [[-1, 2, 1, -1], [2, -1, -1, 1]])
    >>> print(self_route([0, 1, 2, 4, 3, 7, 5, 6]).failure)
    in step 2 processor 0 chooses bit 1, but 5 chooses 2
    >>> self_route([0, 1, 2, 4, 3, 7, 5, 6], mode="mimd").delivered
    True
    """
    from lccmodel.methods.self_routing import kernels

    rules = Rules(mode, variant, reading, third, receive, steps, partition)
    destinations = destinations_of(communication)
    n = destinations.size.bit_length() - 1
    on = None if network is None else cube_or_mesh(network, n)
    if n > MAX_TRACED:
        rule = f"every step is recorded up to n = {MAX_TRACED}; route_all only counts"
        raise SizeLimitError("communication", rule, n)
    most = rules.steps_for(n)
    positions = np.empty((most + 1, destinations.size), dtype=np.int64)
    choices = np.full((most, destinations.size), -1, dtype=np.int8)
    state = np.zeros((kernels.ROWS, destinations.size), dtype=np.int64)
    end, made, u, v = kernels.route(
        destinations, rules.codes(n), rules.starts(n), most, positions, choices, state
    )
    positions.flags.writeable = False
    movement = Movement.of_positions(cube_of(destinations.size), positions[: made + 1])
    destinations.flags.writeable = choices.flags.writeable = False
    failure = explain(end, made, u, v, movement, destinations, state[kernels.CHOICE])
    return SelfRouting(destinations, movement, choices[:made], rules, on, failure)
