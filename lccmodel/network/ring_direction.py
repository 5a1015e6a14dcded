"""Which way round a ring: the shorter, and when both are equally long, by the tie rule.

On a ring of s nodes a message from coordinate c to d takes (d - c) mod s channels in the
+ direction. For half a ring, s/2, three rules are in use:

    plus    + always: the routes of `Torus`, unless it states `ties="split"`
    split   + from even coordinates, - from odd ones: half of the messages each way
    line    as on a mesh: + when d > c, so that nothing crosses the seam

    ring of 4        0 -> 2   1 -> 3   2 -> 0   3 -> 1
    plus             +        +        +        +
    split            +        -        +        -
    line             +        +        -        -

The rule stands here and nowhere else. It is written so that it serves Python integers, numpy
arrays and compiled kernels alike (`kernels.plus_kernel` is this function, compiled).

A network states plus or split. Schedules and collectives may state a rule for their own messages;
if they state plus, which is the default, the rule of the network holds: `max` of both numbers.
"""

from __future__ import annotations

from typing import Any, Literal

TieName = Literal["plus", "split", "line"]
NetworkTies = Literal["plus", "split"]
"""The rules that a network may state."""

PLUS, SPLIT, LINE = range(3)

TIES: tuple[TieName, ...] = ("plus", "split", "line")
"""The names of the rules, at their numbers."""


def goes_plus(ahead: Any, length: Any, c: Any, d: Any, tie: Any = PLUS) -> Any:
    """Whether a message from c to d goes in the + direction round a ring.

    Args:
        ahead: (d - c) mod length, the channels that this takes; an integer or an array.
        length: nodes of the ring.
        c, d: coordinates 0..length - 1, as `ahead`.
        tie: number of the tie rule.

    Returns: bool, or an array of them.

    >>> [goes_plus(d, 8, 0, d) for d in (3, 4, 5)], goes_plus(4, 8, 1, 5, SPLIT)
    ([True, True, False], False)
    """
    half = (ahead == length // 2) & (length & 1 == 0)
    split = (tie == SPLIT) & (c & 1 == 0)
    line = (tie == LINE) & (d > c)
    return (ahead <= (length - 1) // 2) | half & ((tie == PLUS) | split | line)


def longest_way(length: Any) -> Any:
    """Channels of the longest way in the + direction by the rule plus: half the ring.

    `goes_plus(ahead, length, c, d, PLUS)` is `ahead <= longest_way(length)`, which a loop over
    millions of messages can afford. By the rule split, on a ring of even length, it is
    `ahead + (c & 1) <= longest_way(length)`.
    """
    return length // 2
