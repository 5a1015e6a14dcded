"""The loads that a picture of several phases shows, so that they agree with the table beside it.

An objective decides what one channel carries in a picture of all phases:

    max-max                     the largest load of any phase, each times its weight
    max-sum, sum-sum, joint,    the sum over the phases, each times its weight
    mixture:S, distance

The title states the objective and its value, as the table does. With the largest loads that value
is the largest load drawn; with sums it is that for `joint` alone, so the title names the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from math import lcm
from typing import Literal

import numpy as np
import numpy.typing as npt

from lccmodel.ground.numbers import Number, as_fraction, as_number
from lccmodel.network import ChannelLoads, Network
from lccmodel.placement.placement_result import Placement
from lccmodel.show.numbers import grouped

Together = Literal["largest", "sum"]

WORDS: dict[Together, str] = {
    "largest": "the largest load of any phase",
    "sum": "all phases at once",
}
"""How a title says what a channel shows."""


def loads_together(
    loads: Sequence[ChannelLoads], weights: Sequence[Number], together: Together
) -> ChannelLoads:
    """The largest load of any phase on every channel, or the sum, each times its weight.

    Args:
        loads: of every phase, on one network.
        weights: one number a phase.
        together: "largest" or "sum".

    >>> from lccmodel import Mesh
    >>> loads = [Mesh((3,)).channel_loads([pair]) for pair in ((0, 2), (0, 1))]
    >>> loads_together(loads, [1, 1], "sum").of(0, 1), loads_together(loads, [1, 3], "largest")
    (2, ChannelLoads(Mesh((3,)), [[3, 1, 0], [0, 0, 0]]))
    """
    units = [phase.unit * as_fraction(w) for phase, w in zip(loads, weights, strict=True)]
    below = lcm(*(unit.denominator for unit in units))
    factors = [int(unit * below) for unit in units]
    parts: list[npt.NDArray[np.int64]] = [
        phase.counts.astype(np.int64) * factor for phase, factor in zip(loads, factors, strict=True)
    ]
    join: Callable[..., npt.NDArray[np.int64]] = np.maximum if together == "largest" else np.add
    return ChannelLoads(loads[0].network, reduce(join, parts), Fraction(1, below))


def together_for(objective: str) -> Together:
    """What a picture of several phases shows for an objective.

    >>> together_for("max-max"), together_for("distance")
    ('largest', 'sum')
    """
    return "largest" if objective == "max-max" else "sum"


def placed_loads(p: Placement) -> tuple[ChannelLoads, ChannelLoads]:
    """The loads of the phases together as the objective asks, before and as placed.

    Before: the present placement if one was stated, else rank r on node r.

    Raises:
        SizeLimitError: too many channels to count every one.
    """
    together = together_for(p.objective)

    def counted(network: Network, *, is_placed: bool) -> ChannelLoads:
        phases = [
            network.channel_loads(phase.traffic, node_of=p.node_of if is_placed else p.now_nodes)
            for phase in p.program
        ]
        return loads_together(phases, p.weights, together)

    return counted(p.network, is_placed=False), counted(p.network, is_placed=True)


def objective_texts(p: Placement) -> tuple[str, str]:
    """The objective and its value before and after, as the table states them.

    >>> from lccmodel.placement import optimal_reordering
    >>> objective_texts(optimal_reordering("matrix-transpose", "cube:4"))
    ('degree 2', 'degree 1')
    """
    name = "degree" if is_plain(p) else p.objective
    old = p.before if p.now is None else p.now
    return f"{name} {grouped(old.value)}", f"{name} {grouped(p.after.value)}"


def by_dimension(p: Placement) -> dict[str, list[Number]]:
    """The bars of a placement, before and after: what the objective compares in each dimension.

    The tallest bar is the value of max-max, max-sum and joint, all bars add up to that of sum-sum.

    >>> from lccmodel.placement import optimal_reordering
    >>> by_dimension(optimal_reordering("matrix-transpose", "cube:4"))
    {'before': [1, 2, 2, 1], 'after': [1, 1, 1, 1]}
    """
    if p.objective not in ("max-max", "max-sum", "sum-sum"):
        pairs = zip(("before", "after"), placed_loads(p), strict=True)
        return {when: list(loads.per_dimension) for when, loads in pairs}
    join: Callable[..., Fraction] = max if p.objective == "max-max" else sum
    weights = list(map(as_fraction, p.weights))
    old = ("before", p.before) if p.now is None else ("now", p.now)
    return {
        when: [
            as_number(join([w * as_fraction(load) for w, load in zip(weights, loads, strict=True)]))
            for loads in zip(*(phase.per_dimension for phase in use), strict=True)
        ]
        for when, use in (old, ("after", p.after))
    }


def is_plain(p: Placement) -> bool:
    """Whether ranks give the degree of one communication, which nothing weighs."""
    return (
        p.Q is not None and len(p.program) == 1 and p.objective == "max-max" and p.weights == (1,)
    )


def shown_together(p: Placement) -> str:
    """What the channels of the picture show; "" of a single phase."""
    return WORDS[together_for(p.objective)] if len(p.program) > 1 else ""
