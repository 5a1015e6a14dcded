"""[hou], section 2.3: channels that messages cannot avoid, whatever adaptive routing chooses.

A channel is forced on a message if every path that the turns of a routing function permit uses it.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache

from proofs_check.claim import Control, Finding, Tried, Undecided, claim
from proofs_check.claims.hou_printed import BIT_REVERSE, REVERSE_FLIP, TRANSPOSE, destination
from proofs_check.claims.hou_set_examples import THREE
from proofs_check.claims.hou_turns import RULES
from proofs_check.claims.hou_worms import MIN, PCUBE, allowed_turns
from proofs_check.domain import Listed


def unavoidable(rule: str, x: int, y: int) -> frozenset[tuple[int, int]]:
    """The channels on every permitted path from x to y.

    >>> sorted(unavoidable("pcube", 0b01, 0b10)), unavoidable("min", 0b00, 0b11)
    ([(0, 2), (1, 0)], frozenset())
    """
    table = allowed_turns(8, rule)

    @cache
    def after(node: int, last: int) -> frozenset[tuple[int, int]]:
        offered = [k for k in range(8) if table[node, y, last] >> k & 1]
        ways = [{(node, node ^ 1 << k)} | after(node ^ 1 << k, k) for k in offered]
        return frozenset(set.intersection(*map(set, ways))) if ways else frozenset()

    return after(x, 8)


@lru_cache(maxsize=16)
def forced(rule: str, name: str) -> Counter[tuple[int, int]]:
    """How many messages must use each channel."""
    return Counter(
        channel for x in range(256) for channel in unavoidable(rule, x, destination(name, x))
    )


@claim(
    "hou.sec2.adaptive",
    place="Section 2.3",
    says="with the adaptive routing of [7] or [14] 8 messages of bit-reverse cannot but use the "
    "channel ([0 0 0 1 0 0 0 0], [0 0 0 0 0 0 0 0]), and there is such a channel for "
    "matrix-transpose and for reverse-flip; so their senders have less than 1/8 of the capacity",
    printed="there exists a set of 8 source-destination pairs contending for the channel",
    latex=r"\lambda < 1/8",
    over=Listed(8, list(THREE), names="communication", text="the three communications", size=3),
    evidence="the channels that all permitted paths of a message share, counted over all messages",
    control=Control("9 messages", messages=9),
    undecided=Undecided(
        "what the routing of [7] and that of [14] allow, which are cited and not defined",
        (
            Tried(
                "the rule that [14] is known for: no turn into a lower dimension whose bit is "
                "cleared",
                rule=MIN,
            ),
            Tried("a rule that gives column min of Table 1", rule=RULES["min"]),
            Tried("a rule that gives column chiu of Table 1", rule=RULES["chiu"]),
        ),
    ),
)
def sec2_adaptive(communication: str, *, rule: str, messages: int = 8) -> Finding:
    counted = forced(rule, communication)
    most = max(counted.values(), default=0)
    ok = most >= messages
    if communication == BIT_REVERSE:
        ok &= counted[0b00001000, 0] >= messages
    return Finding(ok, most=most, channels=[c for c in counted if counted[c] == most])


@claim(
    "hou.sec2.pcube",
    place="Section 2.3",
    says="P-cube suffers from similar problems for matrix-transpose and bit-reverse: messages that "
    "cannot avoid each other take as much of a channel as 8 of them would",
    printed="The adaptive routing strategy in [11] also suffers from similar problems when "
    "performing matrix-transpose or bit-reverse.",
    over=Listed(8, [TRANSPOSE, BIT_REVERSE], names="communication", text="the two named", size=2),
    evidence="every message passes the node where it has cleared what it clears and set nothing; "
    "the messages through each such node counted",
    control=Control("for reverse-flip too", other=REVERSE_FLIP),
    undecided=Undecided(
        "what the routing of [11] allows, which is cited and not defined, and what a similar "
        "problem is",
        (
            Tried(
                "P-cube clears bits before it sets any; 8 messages to a channel on the average: "
                "80 messages pass node 0, which 8 channels enter, so one of these has to take 10"
            ),
            Tried(
                "P-cube the same; 8 messages that all have to use one channel, as is said of [7] "
                "and [14]",
                one_channel=True,
            ),
        ),
    ),
)
def sec2_pcube(communication: str, *, other: str = "", one_channel: bool = False) -> Finding:
    name = other or communication
    if one_channel:
        most = max(forced(PCUBE, name).values(), default=0)
        return Finding(most >= 8, messages_that_must_use_one_channel=most)
    pairs = [(x, destination(name, x)) for x in range(256)]
    through = Counter(x & y for x, y in pairs if x & y not in (x, y))
    node, most = through.most_common(1)[0]
    entering = 8 - node.bit_count()
    return Finding(most >= 8 * entering, node=node, messages=most, channels_into_it=entering)
