"""The first and last channel of every message, where it waits for others with all ports."""

from __future__ import annotations

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import kernel
from lccmodel.network.routes import write_route

__all__ = ["ends_of_routes"]


@kernel
def ends_of_routes(
    form: Ints, longest: int, source: Ints, target: Ints, tie: int, first: Ints, last: Ints
) -> int:
    """Put the first and last channel of every route, -1 if it has none; the longest route.

    Args:
        form: `Network.form`.
        longest: channels of the longest route there may be.
        tie: number of the tie rule.
    """
    out, back = np.empty(longest + 1, np.int64), np.empty(0, np.int64)
    most = 0
    for m in range(len(source)):
        hops = write_route(form, source[m], target[m], tie, out, back)
        first[m] = out[0] if hops else -1
        last[m] = out[hops - 1] if hops else -1
        most = max(most, hops)
    return most
