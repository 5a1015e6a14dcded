"""The timing convention: what happens in one cycle, stated once for both engines.

Every channel - injection of a node into its router, virtual channel of a link, ejection to a node -
has a buffer for one flit at its far end [hou, section 6]. In cycle t:

1. A message generated at cycle g waits at its source; from cycle g + 1 on its header asks for the
   injection channel, first come first served.
2. Every router looks at the headers that were in its input buffers when the cycle began, in the
   order of their arrival, ties by the tie rule. Each takes the first channel of its routing
   function's list that is free and not taken yet in this cycle. A channel is free when no message
   owns it and its buffer was empty when the cycle began.
3. Headers move into the channels they took. A body flit follows into the buffer that the flit
   before it leaves. A flit at the end of the ejection channel is consumed in the next cycle.

So an unblocked message of F flits over H links, generated at cycle 0, is delivered - its tail
crosses the ejection channel - in cycle H + 2 + F - 1, and a channel serves one message in F + 1
cycles: the header of the next one finds the buffer empty one cycle after the tail has left.

    cycle           1    2    3    4    5        F = 3 flits, H = 1 link
    injection       h    b    t
    link                 h    b    t
    ejection                  h    b    t        delivered in cycle 5

This is the convention under which [hou, Table 1] comes out to the last digit; its columns are
whole numbers of cycles (docs/wormhole.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError

__all__ = ["TIE_RULES", "TieRule", "Timing"]

TieRule = Literal["lowest-input", "highest-input", "oldest", "random"]
TIE_RULES: tuple[TieRule, ...] = get_args(TieRule)


@typed_arguments
@dataclass(frozen=True)
class Timing:
    """How headers that arrive at a router in the same cycle are told apart.

    Args:
        tie: "lowest-input": the lowest input channel first (a lower dimension comes first, the
            injection channels last); "highest-input": the reverse; "oldest": the message
            generated first, then the one from the lower node (before a mapping places it);
            "random": at random, by the seed.

    Raises:
        InputError: an unknown rule.

    >>> Timing().unblocked(flits=17, links=8)
    26
    """

    tie: TieRule = "lowest-input"

    def __post_init__(self) -> None:
        if self.tie not in TIE_RULES:
            raise InputError("tie", f"must be one of {', '.join(TIE_RULES)}", self.tie)

    @property
    def code(self) -> int:
        """The tie rule as the engines know it."""
        return TIE_RULES.index(self.tie)

    def unblocked(self, flits: int, links: int) -> int:
        """Cycles from generation to delivery of a message that nobody blocks."""
        return links + 2 + flits - 1
