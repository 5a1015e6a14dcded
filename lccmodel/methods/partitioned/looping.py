"""The looping algorithm on any recursively halved network, compiled.

Depth t of the recursion: every subcube has a permutation of its lines and one dimension d, in
which its lines are paired at both ends. Two lines of a pair have to pass through different halves.
From input u with destination v: u passes through the half of its own bit d; v is reached from
there, so the partner v' of v is reached from the other half; the input of v' passes through that,
and its partner is the next u, until the loop closes.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel._arrays import Ints
from lccmodel._jit import kernel


@kernel
def loop(dimensions: Ints, destinations: Ints, crossed: npt.NDArray[np.bool_]) -> None:
    """Set the switches of a network for a permutation.

    Args:
        dimensions: int64 of shape (n, 2^n), the dimension of the switch of every line in the first
            n stages; in a stage it is the same within a subcube.
        destinations: int64 of shape (2^n,), a permutation; overwritten.
        crossed: receives whether the switch of every line is crossed, shape (2n - 1, 2^n).
    """
    n, size = dimensions.shape
    sources, halves = np.empty((2, size), np.int64)
    for t in range(n):
        for u in range(size):
            sources[destinations[u]] = u
            halves[u] = -1
        if t == n - 1:
            for u in range(size):
                crossed[t, u] = destinations[u] != u
            return
        for first in range(size):
            u = first
            while halves[u] < 0:
                d = dimensions[t, u]
                half = u >> d & 1 if u == first else 1 - halves[u ^ 1 << d]
                halves[u] = half
                other = sources[destinations[u] ^ 1 << d]
                halves[other] = 1 - half
                u = other ^ 1 << d
        _enter(t, n, dimensions[t], halves, destinations, sources, crossed)


@kernel
def _enter(
    t: int,
    n: int,
    dimensions: Ints,
    halves: Ints,
    destinations: Ints,
    inside: Ints,
    crossed: npt.NDArray[np.bool_],
) -> None:
    """Set stage t and its mirror; `destinations` become those between them."""
    for u in range(len(halves)):
        d, v = dimensions[u], destinations[u]
        enters = halves[u] != u >> d & 1
        leaves = halves[u] != v >> d & 1
        crossed[t, u] = enters
        crossed[2 * n - 2 - t, v] = leaves
        inside[u ^ (enters << d)] = v ^ (leaves << d)
    for u in range(len(halves)):
        destinations[u] = inside[u]
