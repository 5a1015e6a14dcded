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

V virtual channels of a link share its wire, which carries a flit every p cycles: 1 where all links
have one bandwidth, else in inverse proportion to it (`Fabric.period`). They take turns: in cycle t
the virtual channel of number (t div p) mod V comes first, then the next numbers, from V - 1 on to
0. The first of them whose flit could move has the wire. If that flit then finds no place, since the
flit before it lost another wire, the wire is idle in this cycle.

Buffers may be deeper, wires, routers and credits slower than that (`Timing`); the rules stay: a
channel is granted when nobody owns it and its buffer is empty, flits on the wire to it included.
With a credit latency of C cycles, a place that a flit left in cycle t may be entered from cycle
t + C on, and a channel that a tail left in cycle t is granted from t + C + 1 on. A source grants
its own channels: it sends from t + max(C, 1) on.

Where tail credits are not waited for, a channel is granted again two cycles after the tail has been
sent into it, and its buffer holds the flits of several messages in a row: it serves a message in
F + 1 cycles whatever a hop takes. A router looks at a header when it is the foremost flit. Of the
channels of one link that a header may take it then takes the next by number after the one granted
last, at first the lowest, and not the first of the list, since a free channel may hold a message
that waits.

An injection and an ejection port may have several channels. They share the wire of the port like
the virtual channels of a link; a source sends one message after another.

Instead of the order of arrival, service may be in turns, as in iSLIP [McKeown]. The headers of a
router are told apart by the channels in whose buffers they are, its inputs, by ascending number:
links first, injection last. After the last one comes the first again. In each cycle a router holds
one or more rounds:

1. Every channel that is free, and that headers may take which have none yet, offers itself to one
   of them: that of the next input after the one to which it was last granted.
2. Every header takes one of its offers: on the first link of its routing function's list that
   offers any, the next channel after the one that a header of this input took last.

Only the first round of a cycle counts for what was last. There are no ties. A wire is given to the
next of its channels, among those whose flit could move, after the one that it was given to last.
A source takes the next free one of its channels, too.

This is the convention under which [hou, Table 1] comes out to the last digit; its columns are
whole numbers of cycles (docs/wormhole.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import TIE_RULES as TIE_RULES
from lccmodel.ground.words import TieRule as TieRule
from lccmodel.ground.words import checked_word
from lccmodel.kernels.jit import kernel
from lccmodel.wormhole.plan import Pace

_MOST = 4096
_AT_LEAST_ONE = ("depth", "ends")


@typed_arguments
@dataclass(frozen=True)
class Timing:
    """How headers that arrive in one cycle are told apart; how deep buffers are, how slow parts.

    Args:
        tie: "lowest-input": the lowest input channel first (a lower dimension comes first, the
            injection channels last); "highest-input": the reverse; "oldest": the message
            generated first, then the one from the lower node (before a mapping places it);
            "random": at random, by the seed.
        depth: flits that the buffer of every channel holds, at most 4096.
        router: cycles of latency of a router: a header asks so much later.
        link: cycles of latency of a link, for every flit; flits follow each other on the wire as
            long as the buffer behind it has room for all of them: `depth` flits in link + 1 +
            credit cycles.
        credit: cycles from a flit leaving a buffer until its place can be entered again.
        waits_for_tail: whether a channel is granted again when the credit of the tail has come, or
            when the tail has been sent.
        ends: channels of every injection and every ejection port.
        injection, ejection: cycles of latency of the wires of these ports.
        rounds: rounds of offers in a cycle where service is in turns; 0: by arrival.

    Raises:
        InputError: an unknown rule, or one for ties where there are none; no depth, a latency
            below 0.

    >>> Timing().unblocked(flits=17, links=8), Timing(depth=4, router=1, link=2).unblocked(17, 8)
    (26, 51)
    """

    tie: TieRule = "lowest-input"
    depth: int = 1
    router: int = 0
    link: int = 0
    credit: int = 0
    waits_for_tail: bool = True
    ends: int = 1
    injection: int = 0
    ejection: int = 0
    rounds: int = 0

    def __post_init__(self) -> None:
        checked_word("tie", self.tie, TIE_RULES)
        for name in (*_AT_LEAST_ONE, "router", "link", "credit", "injection", "ejection", "rounds"):
            value, least = checked_integer(name, getattr(self, name)), int(name in _AT_LEAST_ONE)
            if not least <= value <= _MOST:
                raise InputError(name, f"must be in {least}..{_MOST}", value)
            object.__setattr__(self, name, value)
        if not isinstance(self.waits_for_tail, bool):
            raise InputError("waits_for_tail", "must be True or False", self.waits_for_tail)
        if self.rounds and self.tie != TIE_RULES[0]:
            rule = f"must be {TIE_RULES[0]} with service turns, where nothing is tied"
            raise InputError("tie", rule, self.tie)

    @property
    def code(self) -> int:
        """The tie rule as the engines know it."""
        return TIE_RULES.index(self.tie)

    @property
    def pace(self) -> Pace:
        """Depth, latencies, channels of ports and rounds as the engines know them."""
        waits, ports = int(self.waits_for_tail), (self.ends, self.injection, self.ejection)
        return Pace(self.depth, self.router, self.link, self.credit, waits, *ports, self.rounds)

    def unblocked(self, flits: int, links: int) -> int:
        """Return the cycles from generation to delivery of a message that nobody blocks.

        Exactly, but where buffers are too shallow for the latency of links: then a message of more
        flits than they hold may be delivered a little earlier.
        """
        header = links + 2 + self.router * (links + 1) + self.link * links
        header += self.injection + self.ejection
        slowest = max(self.link * (links > 0), self.injection, self.ejection) + 1 + self.credit
        return header + -(-(flits - 1) * max(self.depth, slowest) // self.depth)

    def service(self, flits: float) -> tuple[float, float, float]:
        """Return the cycles that a message keeps a channel of injection, a link, and ejection.

        At least, if nobody blocks it, from its grant to the next one. `depth` flits follow each
        other in latency + 1 + credit cycles.

        >>> Timing().service(20), Timing("oldest", 8, 1, 2, 2).service(4)
        ((21.0, 21.0, 21.0), (7.0, 10.0, 7.0))
        """
        latencies = (self.injection, self.link, self.ejection)
        slow = [flits * (latency + 1 + self.credit) / self.depth for latency in latencies]
        if not self.waits_for_tail:
            behind = flits + self.router  # a header that follows in the same buffer
            at_least = (behind, max(flits + 1, behind), flits + 1)
            return max(at_least[0], slow[0]), max(at_least[1], slow[1]), max(at_least[2], slow[2])
        router = (self.router, self.router, 0)
        alone = [flits + 1 + self.credit + r + k for r, k in zip(router, latencies, strict=True)]
        alone[0] -= min(self.credit, 1)
        cycles = [max(a, s + 1 + r) for a, s, r in zip(alone, slow, router, strict=True)]
        return float(cycles[0]), float(cycles[1]), float(cycles[2])


def seed_word(seed: int) -> int:
    """The 64 bits of a seed as a signed word, the one type that engines are compiled for.

    Raises:
        InputError: no integer, or one of more bits.

    >>> seed_word(7), seed_word(2**64 - 1)
    (7, -1)
    """
    number = checked_integer("seed", seed)
    if not -(1 << 63) <= number < 1 << 64:
        raise InputError("seed", "must fit 64 bits", seed)
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


@kernel
def tie_key(rule: int, seed: int, message: int, cycle: int, arrived: int) -> int:
    """What tells headers apart that arrive together; the smaller key goes first.

    Args:
        rule: number of the tie rule.
        message: its number: messages are numbered as they are generated, those of one cycle by
            their senders.
        seed, cycle: what a random key is drawn from, with the number.
        arrived: the channel whose buffer holds the header; those of injection are the highest.
    """
    if rule == 0:
        return arrived
    if rule == 1:
        return -arrived
    if rule == 2:
        return message
    # a Python integer below 0 is refused by np.uint64; a signed word is not
    word = np.uint64(np.int64(seed)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(message)
    word = (word ^ word >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(cycle)
    word = (word ^ word >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return int(np.int64((word ^ word >> np.uint64(31)) >> np.uint64(1)))  # signed as the others
