"""The figures of the main job: channel loads before and after a mapping."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, count
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.communication.traffic import Traffic
from lccmodel.methods.placed import Placement
from lccmodel.methods.placement.questions import Solution
from lccmodel.network import ChannelLoads, Network
from lccmodel.show.drawing import CountedIn, counted_in, draw_before_after
from lccmodel.show.latex import label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_DRAWN = 16
"""Largest n whose channel loads a report draws: 2^20 counters in a figure."""


@dataclass(frozen=True)
class Drawing:
    """Loads before and after, not drawn yet: `name` for its files, `caption`, `titles`."""

    name: str
    caption: str
    titles: tuple[str, str]
    before: ChannelLoads
    after: ChannelLoads
    counted: CountedIn = "messages"

    def draw(self) -> Figure:
        """The figure."""
        return draw_before_after(
            self.before.network,
            self.before,
            self.after,
            titles=self.titles,
            name=self.caption.partition(",")[0],
            counted=self.counted,
        )


def drawings(solution: Solution) -> Iterator[Drawing]:
    """What is worth a figure: each communication that a mapping improves, and all added up.

    A single communication is drawn in any case. All added up are what the channels carry when the
    communications run at the same time, so the mapping for that ("max-sum") is shown if there is
    one.
    """
    if not solution.ranked:
        yield from _placed(solution)
        return
    problem = solution.problem
    if problem.network.n > _MAX_DRAWN:
        return
    together = solution.together
    if together:
        at_once = [answer for answer in together if answer.objective == "max-sum"]
        m = (at_once or together)[0]
        caption = f"All communications added up, before and after M-G ({m.objective})"
        before, after = _added(m, mapped=False), _added(m, mapped=True)
        yield Drawing("together", caption, ("before", f"M-G, {m.objective}"), before, after)
    taken = {"together"}
    for k, phase in enumerate(problem.program):
        best, kind = solution.alone[k], "M-S"
        for answer in solution.linear[k : k + 1]:
            if answer.value_after < best.value_after:
                best, kind = answer, "linear"
        if together and best.value_after == best.value_before:
            continue
        name = _free_name(label(phase.name), taken)
        taken.add(name)
        caption = f"{phase.name}, before and after {kind}"
        before, after = _added(best, mapped=False), _added(best, mapped=True)
        yield Drawing(name, caption, ("before", kind), before, after)


def _placed(solution: Solution) -> Iterator[Drawing]:
    """All phases added up, before and after the placement for that if there is one."""
    if solution.problem.network.size > 1 << _MAX_DRAWN:
        return
    best = {p.objective: p for p in solution.together}
    placement = best.get("max-sum", solution.together[0])
    caption = f"All messages, before and after the placement ({placement.objective})"
    counted = counted_in(p.traffic for p in placement.program)
    yield Drawing("together", caption, ("before", "placed"), *_placed_loads(placement), counted)


def _free_name(name: str, taken: Container[str]) -> str:
    """The name, numbered if it is taken: names may differ in characters that files do not keep."""
    numbered = (f"{name}-{k}" for k in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


def _added(mapping: Placement, *, mapped: bool) -> ChannelLoads:
    members = mapping.mapped if mapped else mapping.communications
    return added_loads(members, mapping.network)


def added_loads(
    communications: Sequence[Any],
    network: Network,
    *,
    node_of: Any = None,
    descending: bool = False,
) -> ChannelLoads:
    """The messages of all communications on every channel, at the same time; weights do not count.

    Args:
        communications: at least one; whatever `Network.channel_loads` takes.
        network: where they run.
        node_of: the node of every rank; rank x is at node x if left out.
        descending: whether routes correct the highest dimension first.

    Raises:
        SizeLimitError: too many channels to count every one.
    """
    loads = [
        network.channel_loads(c, node_of=node_of, descending=descending) for c in communications
    ]
    if len(loads) == 1:
        return loads[0]
    below = lcm(*(each.unit.denominator for each in loads))
    parts = [each.counts.astype("int64") * int(each.unit * below) for each in loads]
    return ChannelLoads(network, sum(parts), Fraction(1, below))


def draw_placed(found: Placement) -> Figure:
    """All phases of a program added up on every channel, with rank r on node r and as placed."""
    counted = counted_in(phase.traffic for phase in found.program)
    return draw_before_after(found.network, *_placed_loads(found), counted=counted)


def _placed_loads(found: Placement) -> tuple[ChannelLoads, ChannelLoads]:
    """All phases added up on every channel, with rank r on node r and as placed."""
    sent = [phase.traffic for phase in found.program]
    together = Traffic(
        np.concatenate([traffic.messages for traffic in sent]),
        np.concatenate([traffic.volumes for traffic in sent]),
        found.program.ranks,
    )
    count = found.network.channel_loads
    return count(together), count(together, node_of=found.node_of)
