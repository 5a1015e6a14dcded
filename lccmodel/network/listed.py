"""The routes of any network as a list, and the integers that kernels read of them.

A class of network without arithmetic for compiled kernels is walked once: every route is listed as
the links that it takes, by their places in `Network.wiring`. By hand, for a line of three routers
with links 0: 0->1, 1: 1->2, 2: 1->0, 3: 2->1, the routes from node 0 are (), (0) and (0, 1).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from lccmodel.errors import NetworkError, SizeLimitError
from lccmodel.ground.arrays import Ints

_MOST_WALKED = 1 << 20
"""Most pairs of nodes whose routes are listed."""

TABLE, HEAD = 3, 10
"""`kernels.TABLE`, and the integers of a form before its arrays."""


@lru_cache(8)
def listed_routes(network: Any) -> tuple[Ints, Ints]:
    """Where the routes from x to y begin, at x * nodes + y; and the links of all routes.

    Raises:
        SizeLimitError: more than 2^20 pairs of nodes.
        NetworkError: a route takes a channel that the network does not have.
    """
    if network.size**2 > _MOST_WALKED:
        rule = f"routes are listed for at most {_MOST_WALKED} pairs of nodes"
        raise SizeLimitError(network.spec, rule, network.size**2)
    wiring, base = network.wiring, network.first_router
    tails, heads = (wiring.tail + base).tolist(), (wiring.head + base).tolist()
    number = {ends: link for link, ends in enumerate(zip(tails, heads, strict=True))}
    nodes = range(network.size)
    routes = [network.channels(x, y) for x in nodes for y in nodes]
    try:
        links = [number[channel] for route in routes for channel in route]
    except KeyError as error:
        raise NetworkError(
            "network", "must have the channels of its paths", error.args[0]
        ) from None
    return np.cumsum([0, *map(len, routes)]), np.array(links, np.int64)


@lru_cache(8)
def listed_form(network: Any) -> Ints:
    """The form of a network whose routes are listed, with the counters of the network itself.

    Raises:
        SizeLimitError, NetworkError: as for `listed_routes`; links that go one way only.
    """
    first, links = listed_routes(network)
    wiring, routers = network.wiring, network.routers
    there, back = wiring.tail * routers + wiring.head, wiring.head * routers + wiring.tail
    order = np.argsort(there)
    if not np.array_equal(there[order], np.sort(back)):
        raise NetworkError("network", "must have links that go both ways", network.spec)
    other = order[np.searchsorted(there[order], back)]
    hosts = network.at_router(np.arange(network.size))
    packed = np.zeros(len(links) + len(links) % 2, np.int64)
    packed[: len(links)] = links
    parts = (
        hosts, wiring.counter, wiring.head, wiring.counter[other], first,
        packed[::2] | packed[1::2] << 32,
    )  # fmt: skip
    starts = np.cumsum([HEAD, *map(len, parts[:4])]).tolist()
    head = [TABLE, network.counter_shape[1], 1, 1, network.size, *starts]
    return np.concatenate([head, *parts]).astype(np.int64)
