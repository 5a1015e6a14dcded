"""The figures of the main job: channel loads before and after a mapping."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, count
from math import lcm
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.methods.mapping import Mapping
from lccmodel.network import ChannelLoads, Network
from lccmodel.show.drawing import CountedIn, counted_in, draw_before_after
from lccmodel.show.latex import label
from lccmodel.show.program import Placed, Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Drawing", "added_loads", "draw_placed", "drawings"]

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


def drawings(solution: Solution | Placed) -> Iterator[Drawing]:
    """What is worth a figure: each communication that a mapping improves, and all added up.

    A single communication is drawn in any case. All added up are what the channels carry when the
    communications run at the same time, so the mapping for that ("max-sum") is shown if there is
    one.
    """
    if isinstance(solution, Placed):
        yield from _placed(solution)
        return
    program = solution.program
    if program.network.n > _MAX_DRAWN:
        return
    together = solution.together
    if together:
        at_once = [answer for answer in together if answer.mapping.objective == "max-sum"]
        m = (at_once or together)[0].mapping
        caption = f"All communications added up, before and after M-G ({m.objective})"
        before, after = _added(m, mapped=False), _added(m, mapped=True)
        yield Drawing("together", caption, ("before", f"M-G, {m.objective}"), before, after)
    taken = {"together"}
    for k, one in enumerate(program.communications):
        best, kind = solution.alone[k].mapping, "M-S"
        for answer in solution.linear[k : k + 1]:
            if answer.mapping.value_after < best.value_after:
                best, kind = answer.mapping, "linear"
        if together and best.value_after == best.value_before:
            continue
        name = _free_name(label(one.name), taken)
        taken.add(name)
        caption = f"{one.name}, before and after {kind}"
        before, after = _added(best, mapped=False), _added(best, mapped=True)
        yield Drawing(name, caption, ("before", kind), before, after)


def _placed(solution: Placed) -> Iterator[Drawing]:
    """All phases added up, before and after the placement for that if there is one."""
    if solution.program.network.size > 1 << _MAX_DRAWN:
        return
    best = {p.objective: p for p in solution.placements}
    placement = best.get("max-sum", solution.placements[0])
    caption = f"All messages, before and after the placement ({placement.objective})"
    loads = _placed_loads(placement.program, placement.network, placement.node_of)
    counted = counted_in(p.traffic for p in placement.program)
    yield Drawing("together", caption, ("before", "placed"), *loads, counted)


def _free_name(name: str, taken: Container[str]) -> str:
    """The name, numbered if it is taken: names may differ in characters that files do not keep."""
    numbered = (f"{name}-{k}" for k in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


def _added(mapping: Mapping, *, mapped: bool) -> ChannelLoads:
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


def draw_placed(program: Program, network: Network, node_of: Any) -> Figure:
    """All phases of a program added up on every channel, with rank r on node r and as placed."""
    loads = _placed_loads(program, network, node_of)
    return draw_before_after(network, *loads, counted=counted_in(p.traffic for p in program))


def _placed_loads(
    program: Program, network: Network, node_of: Any
) -> tuple[ChannelLoads, ChannelLoads]:
    """All phases added up on every channel, with rank r on node r and as placed."""
    sent = [phase.traffic for phase in program.phases]
    together = Traffic(
        np.concatenate([traffic.messages for traffic in sent]),
        np.concatenate([traffic.volumes for traffic in sent]),
        program.ranks,
    )
    return network.channel_loads(together), network.channel_loads(together, node_of=node_of)
