"""Traffic patterns that simulators of networks use, for the nodes of any network.

    uniform               to every other node alike
    tornado               on every axis of k nodes ⌈k/2⌉ - 1 nodes on, round the end
    neighbor              on every axis to the next node, round the end
    hotspot:NODE,SHARE    this share of all messages to one node, the rest to all other nodes alike
    randperm:SEED         a random permutation of the nodes

The axes are those of the network, axis 0 first; a network without axes is one ring of its nodes.
Tornado and neighbor move along all axes at once, as in BookSim 2. Nobody sends to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np
import numpy.typing as npt

from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, SizeLimitError
from lccmodel.ground.words import PATTERNS as PATTERNS
from lccmodel.ground.words import checked_word

MAX_NODES = 1 << 13
"""Most nodes among which all pairs are listed: half a gigabyte."""


class Spread(Traffic):
    """Messages of every rank to all others alike, and a share of them to one: never listed.

    Simulations draw the destinations of such messages. Whatever counts messages one by one is
    refused by `messages`.

    Attributes:
        node: the rank that receives more; -1 if all are alike.
        extra: what it receives more from each rank, where any other receives `base`.
        base: 0 if all messages are for `node`.

    >>> spread = pattern_traffic("uniform", (128, 128))
    >>> spread, len(spread)
    (<Traffic of uniform among 16384 ranks>, 268419072)
    """

    __slots__ = ("base", "extra", "node", "word")

    word: str
    node: int
    extra: int
    base: int

    def __init__(
        self, word: str, ranks: int, node: int = -1, extra: int = 0, base: int = 1
    ) -> None:
        self._set(None, None, ranks, None)
        for key, value in (("word", word), ("node", node), ("extra", extra), ("base", base)):
            object.__setattr__(self, key, value)

    @property
    def messages(self) -> npt.NDArray[np.int64]:
        """Refused.

        Raises:
            SizeLimitError: always; only simulations take such traffic.
        """
        rule = f"all pairs are listed of at most {MAX_NODES}; simulate draws destinations of more"
        raise SizeLimitError("nodes", rule, self.ranks)

    def __len__(self) -> int:
        """Pairs of ranks between which messages are sent."""
        return self.ranks * (self.ranks - 1) if self.base else self.ranks - 1

    def totals(self) -> npt.NDArray[np.float64]:
        """What every rank sends altogether, float64 of shape (ranks,)."""
        total = np.full(self.ranks, float(self.base * (self.ranks - 1) + self.extra))
        if self.node >= 0:
            total[self.node] -= self.extra
        return total

    def drawn(
        self, senders: npt.NDArray[np.int64], generator: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """A destination for every message, int64.

        Others are numbered in ascending order; a message takes one as often as its volume says.
        """
        place = generator.random(len(senders)) * self.totals()[senders]
        hot = self.node - (self.node > senders)  # its number among the others of each sender
        extra = np.where((self.node >= 0) & (self.node != senders), self.extra, 0)
        below = place < hot * self.base
        within = ~below & (extra > 0) & (place < hot * self.base + extra + self.base)
        base = max(1, self.base)
        choice = np.where(below, place // base, (place - extra) // base).astype(np.int64)
        choice = np.where(within, hot, np.clip(choice, 0, self.ranks - 2))
        return np.asarray(choice + (choice >= senders), np.int64)

    def _facts(self) -> tuple[str, int, int, int, int]:
        return self.word, self.ranks, self.node, self.extra, self.base

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spread) and self._facts() == other._facts()

    def __hash__(self) -> int:
        return hash(self._facts())

    def __reduce__(self) -> tuple[object, ...]:
        return Spread, self._facts()

    def __repr__(self) -> str:
        return f"<Traffic of {self.word} among {self.ranks} ranks>"


MAX_RING = 1 << 24
"""Most nodes of a pattern that sends one message from each."""

_USAGE = "must be typed hotspot:NODE,SHARE with a node and a share above 0 and up to 1"


def is_pattern_word(text: str) -> bool:
    """Whether a word names a pattern rather than a file or a communication."""
    return text.strip().lower().partition(":")[0] in PATTERNS


def pattern_traffic(text: str, sides: Sequence[int]) -> Traffic:
    """The messages of a pattern.

    Args:
        text: a word as in the head of this module.
        sides: nodes along every axis.

    Raises:
        CommunicationError: another word, or a parameter that is missing or out of range.
        SizeLimitError: more than 2^24 nodes.

    Returns: the messages; of uniform and hotspot on more than 2^13 nodes a `Spread`.

    >>> pattern_traffic("tornado", (5,)).messages.tolist()
    [[0, 2], [1, 3], [2, 4], [3, 0], [4, 1]]
    >>> pattern_traffic("hotspot:2,0.5", (3,)).volumes.tolist()
    [1, 3, 1, 3, 1, 1]
    """
    word, _, parameters = text.strip().lower().partition(":")
    nodes = prod(sides)
    if nodes > MAX_RING:
        raise SizeLimitError("nodes", f"patterns have at most {MAX_RING}", nodes)
    if word in ("uniform", "tornado", "neighbor") and parameters:
        raise CommunicationError("communication", f"{word} has no parameters", text)
    if word == "uniform":
        if nodes > MAX_NODES:
            return Spread(word, nodes)
        return Traffic(_all_pairs(nodes), ranks=nodes)
    if word == "hotspot":
        return _hotspot(text, parameters, nodes)
    if word == "randperm":
        if not (parameters.isascii() and parameters.isdigit() and len(parameters) < 20):
            rule = "must be typed randperm:SEED with a seed of at least 0"
            raise CommunicationError("communication", rule, text)
        goal = np.random.default_rng(int(parameters)).permutation(nodes)
    elif word in ("tornado", "neighbor"):
        goal = _moved(sides, [1 if word == "neighbor" else -(-side // 2) - 1 for side in sides])
    else:
        checked_word("communication", word, PATTERNS, kind=CommunicationError)
    pairs = np.stack([np.arange(nodes), goal], axis=1)
    return Traffic(pairs[pairs[:, 0] != pairs[:, 1]], ranks=nodes)


def _moved(sides: Sequence[int], steps: Sequence[int]) -> npt.NDArray[np.int64]:
    """Where every node is after steps along all axes, axis 0 numbered fastest."""
    goal, stride = np.zeros(prod(sides), np.int64), 1
    for side, step in zip(sides, steps, strict=True):
        goal += (np.arange(len(goal)) // stride + step) % side * stride
        stride *= side
    return goal


def _all_pairs(nodes: int) -> npt.NDArray[np.int64]:
    x, y = np.divmod(np.arange(nodes * nodes), nodes)
    pairs: npt.NDArray[np.int64] = np.stack([x, y], axis=1)[x != y]
    return pairs


def _hotspot(text: str, parameters: str, nodes: int) -> Traffic:
    """All volumes are whole: every other node sends nodes - 1 messages, if the share is 1/1."""
    node, comma, share = parameters.partition(",")
    if not (node.isascii() and node.isdigit() and len(node) < 20):
        raise CommunicationError("communication", _USAGE, text)
    try:
        part = Fraction(share) if comma else Fraction(1)
    except (ValueError, ZeroDivisionError):
        raise CommunicationError("communication", _USAGE, text) from None
    if not (0 < part <= 1 and int(node) < nodes):
        rule = f"{_USAGE}; the nodes are 0..{nodes - 1}"
        raise CommunicationError("communication", rule, text)
    hot, cold = part.numerator * (nodes - 1), part.denominator - part.numerator
    if nodes > MAX_NODES:
        return Spread(text, nodes, int(node), hot, cold)
    pairs = _all_pairs(nodes)
    volumes = np.where(pairs[:, 1] == int(node), hot + cold, cold)
    sent = volumes > 0
    return Traffic(pairs[sent], volumes[sent], nodes)
