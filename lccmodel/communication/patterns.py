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
        SizeLimitError: more than 2^13 nodes, where all pairs are listed, or than 2^24.

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
    if nodes > MAX_NODES:
        raise SizeLimitError("nodes", f"all pairs are listed of at most {MAX_NODES}", nodes)
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
    pairs = _all_pairs(nodes)
    hot, cold = part.numerator * (nodes - 1), part.denominator - part.numerator
    volumes = np.where(pairs[:, 1] == int(node), hot + cold, cold)
    sent = volumes > 0
    return Traffic(pairs[sent], volumes[sent], nodes)
