"""Deadlock as it happens: messages that wait for each other in a ring.

At the end of a run some headers wait. A message can go on if it does not wait, or if one of the
channels it may take is free or is held by a message that can go on. What is left waits for ever;
following what each of them waits for leads into a ring of channels.
"""

from __future__ import annotations

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel.routing.table import RoutingTable
from lccmodel.wormhole.plan import Messages, Outcome


def deadlocked(table: RoutingTable, messages: Messages, outcome: Outcome) -> dict[int, list[int]]:
    """For every message that waits for ever: the channels it waits for."""
    asked = _asked(table, messages, outcome)
    freed = True
    while freed:
        freed = False
        for m, channels in list(asked.items()):
            if any(int(outcome.owner[c]) not in asked for c in channels):
                del asked[m]
                freed = True
    return asked


def _asked(table: RoutingTable, messages: Messages, outcome: Outcome) -> dict[int, list[int]]:
    """For every message whose header waits: the channels that it may take."""
    exits = len(outcome.use) - table.fabric.network.size
    asked = {}
    for m in np.flatnonzero(outcome.waiting >= 0).tolist():
        options = [channel for channel, _ in table.options(int(outcome.waiting[m]))]
        asked[m] = options or [exits + int(messages.destination[m])]
    return asked


@typed_arguments
def waiting_ring(
    table: RoutingTable, messages: Messages, outcome: Outcome
) -> tuple[tuple[int, int], ...]:
    """A ring of (message, channel that it waits for); each channel is held by the next message.

    Empty when every message can go on. `simulate` names the channels:

    >>> from lccmodel import Hypercube
    >>> from lccmodel.routing import UserRouting
    >>> from lccmodel.wormhole import simulate
    >>> turn = {0: 1, 1: 3, 3: 2, 2: 0}
    >>> def clockwise(fabric, at, to, arrived):
    ...     return [fabric.channel(at, turn[at])]
    >>> pairs, routing = [(0, 3), (1, 2), (3, 0), (2, 1)], UserRouting("clockwise", clockwise)
    >>> simulate(pairs, Hypercube(2), routing=routing, load=0.9, cycles=2000, flits=2).deadlock
    ('3->2', '2->0', '0->1', '1->3')
    """
    stuck = deadlocked(table, messages, outcome)
    if not stuck:
        return ()
    walk: list[tuple[int, int]] = []
    seen: dict[int, int] = {}
    m = min(stuck)
    while m not in seen:
        seen[m] = len(walk)
        channel = stuck[m][0]
        walk.append((m, channel))
        m = int(outcome.owner[channel])
    return tuple(walk[seen[m] :])
