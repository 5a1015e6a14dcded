"""The best order and placement of halving and doubling, among all linear ones.

Halving and doubling exchanges 1/2, 1/4, ... of the vector with r xor 2^j, in any order of bits j.
Placed at node Q r, for a nonsingular Q over GF(2), step j exchanges between nodes x and x xor q_j,
q_j the column of Q: so order and placement together are a basis q_0, q_1, ... of all n-bit words.

What the busiest channel carries for a word q does not depend on the other steps, and the data grow
smaller from step to step. So the least sum is that of the greedy basis: words by rising load, each
that is independent of those before. No linear placement and order is better, as the words are a
matroid: the k-th word of the greedy basis has the least load that the k-th of any basis can have.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from lccmodel.collectives.algorithms import AllOrOne
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.collective import Collective
from lccmodel.collectives.exchanges import exchange_all, gathered
from lccmodel.collectives.loads import PlanLoads
from lccmodel.errors import NetworkError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.network import Network, as_network

_MOST = 1024


@typed_arguments
def placed_halving(network: Network | str, *, ports: AllOrOne = "one") -> Collective:
    """Return Rabenseifner's allreduce in the best linear order and placement on a network.

    Args:
        network: of 2^n nodes, at most 1024.
        ports: "one" or "all".

    Returns: the plan, with `node_of` the placement.

    Raises:
        NetworkError: another number of nodes.

    >>> halving = placed_halving("torus:4*2")
    >>> halving.replay().ok, halving.node_of.tolist(), halving.busiest
    (True, [0, 1, 2, 3, 4, 5, 6, 7], Fraction(5, 2))
    """
    where = as_network(network)
    p = where.size
    if p & (p - 1) or p > _MOST:
        raise NetworkError("network", f"must have 2^n nodes, at most {_MOST}", where.spec)
    nodes = np.arange(p)
    node_of, basis = np.zeros(p, np.int64), _least_basis(where, ports)
    for j, word in enumerate(basis):
        node_of ^= np.where(nodes >> j & 1, word, 0)
    steps = [(nodes ^ 1 << j,) for j in reversed(range(len(basis)))]
    gather = gathered(p, steps)
    scatter = gather.backwards("reduce-scatter", add=True)
    known = ALGORITHMS["allreduce", "rabenseifner"]
    made = replace(known, build=lambda _: scatter.then(gather, "allreduce"))
    plan = replace(scatter.then(gather, "allreduce"), name=known.name)
    node_of.flags.writeable = False
    return Collective(made, plan, where, node_of, ports)


def _least_basis(network: Network, ports: AllOrOne) -> list[int]:
    """Independent words by rising load of their exchange."""
    p = network.size
    nodes = np.arange(p)

    def load(word: int) -> tuple[Fraction, int]:
        return PlanLoads(exchange_all(p, [(nodes ^ word,)]), network, nodes, ports).busiest, word

    chosen: list[int] = []
    spanned = {0}
    for _, word in sorted(map(load, range(1, p))):
        if word not in spanned:
            chosen.append(word)
            spanned |= {word ^ other for other in spanned}
    return chosen
