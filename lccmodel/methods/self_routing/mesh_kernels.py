"""One unit step on a mesh or torus: which messages move, and what that takes of a processor."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel

__all__ = ["HELD", "most_of", "unit_step"]

Ints = npt.NDArray[np.int64]

_ONE, _ONE_DIRECTION = 1, 2
_SENT_IN, _SENT, _GOT_IN, _GOT, HELD = range(5)


@kernel
def unit_step(
    order: Ints,
    leaves: Ints,
    at: Ints,
    hops: Ints,
    axis: Ints,
    backward: npt.NDArray[np.bool_],
    offset: Ints,
    lengths: Ints,
    ports: int,
    step: int,
    scratch: Ints,
    channels: Ints,
) -> int:
    """Move every message that may, in the given order; how many moved.

    `channels` and the rows _SENT_IN and _GOT_IN of `scratch` hold the last unit step in which
    each channel, sending port and receiving port was used; _SENT and _GOT how often.
    """
    way, count = -1, 0
    for x in order:
        if hops[x] == 0 or leaves[x] > step:
            continue
        a, u = axis[x], at[x]
        row = 2 * a + (1 if backward[x] else 0)
        last, low = lengths[a] - 1, offset[a]
        moved = (u >> low & last) + (-1 if backward[x] else 1) & last
        v = u & ~(last << low) | moved << low
        if channels[row, u] == step or (ports == _ONE_DIRECTION and way >= 0 and row != way):
            continue
        if ports == _ONE and (scratch[_SENT_IN, u] == step or scratch[_GOT_IN, v] == step):
            continue
        way = row
        channels[row, u] = step
        scratch[_SENT, u] = scratch[_SENT, u] + 1 if scratch[_SENT_IN, u] == step else 1
        scratch[_GOT, v] = scratch[_GOT, v] + 1 if scratch[_GOT_IN, v] == step else 1
        scratch[_SENT_IN, u] = scratch[_GOT_IN, v] = step
        scratch[HELD, u] -= 1
        scratch[HELD, v] += 1
        at[x] = v
        hops[x] -= 1
        count += 1
    return count


@kernel
def most_of(step: int, scratch: Ints) -> Ints:
    """The most messages sent, received and held by a processor in this unit step."""
    most = np.zeros(3, np.int64)
    for u in range(scratch.shape[1]):
        if scratch[_SENT_IN, u] == step:
            most[0] = max(most[0], scratch[_SENT, u])
        if scratch[_GOT_IN, u] == step:
            most[1] = max(most[1], scratch[_GOT, u])
        most[2] = max(most[2], scratch[HELD, u])
    return most
