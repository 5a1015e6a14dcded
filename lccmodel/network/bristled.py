"""The bristled hypercube of the Origin 2000: two nodes to a router [hou, section 7].

Node x sits at router x >> 1. Bit 0 picks the node at the router; bits 1..n-1 are the address of
the router, and the routers are joined as a hypercube of n - 1 dimensions, numbered 1..n-1. In
the graph, router r is the integer 2^n + r. For n = 3, from node 000 to node 111:

    0 --port--> router 00 --dimension 1--> router 01 --dimension 2--> router 11 --port--> 7
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.network.hypercube import BitAddressed, checked_dimension, cube_of
from lccmodel.network.shared_routers import SharedRouters


@typed_arguments
class BristledHypercube(BitAddressed, SharedRouters):
    """The bristled hypercube of 2^n nodes and 2^(n-1) routers.

    Args:
        n: number of address bits, 1 <= n <= 64. Explicit graphs go up to n = 18, exact loads
            up to n = 25.

    Raises:
        NetworkError: n is not an integer, or below 1.
        SizeLimitError: n > 64.

    >>> origin = BristledHypercube(3)
    >>> origin.path(0, 7), origin.channels(0, 7), origin.distance(0, 7)
    ([0, 8, 9, 11, 7], [(8, 9), (9, 11)], 2)
    >>> origin.graph().edges[9, 11]
    {'dimension': 2, 'role': 'channel'}
    """

    __slots__ = ()

    kind = "origin"
    _internal = 1

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "network", cube_of(1 << checked_dimension(n) - 1))
        object.__setattr__(self, "_per_node", 2)

    @property
    def form(self) -> npt.NDArray[np.int64]:
        """See `network.routes`: dimension i of the routers has the counters of row i + 1."""
        form = super().form
        form[4] = self._internal
        return form
