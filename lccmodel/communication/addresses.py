"""The pairs of n-bit addresses to which A and b are fitted, from whatever describes messages.

A `Traffic` says what is sent: volumes, and ranks of any number. Recognition asks another question,
whether a matrix over GF(2) is behind the pairs, and for that all 2^n addresses count, up to n = 64,
used or not, and volumes do not: `AddressPairs` holds the vectors alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lccmodel.communication.describing import described, one_of
from lccmodel.communication.lcc import MAX_LISTED_DIMENSION
from lccmodel.errors import CommunicationError, NodeError, SizeLimitError
from lccmodel.gf2.matrix import MAX_DIMENSION

Nodes = npt.NDArray[np.uint64]
Of = Literal["destination", "source"]
Idle = Literal["unknown", "stay"]

_MAX_CALLED_DIMENSION = 24
"""Largest n for which a Python function is called on all 2^n nodes (some ten seconds)."""


@dataclass(frozen=True, slots=True, eq=False)
class AddressPairs:
    """Pairs of n-bit addresses; the k-th message goes from sources[k] to destinations[k].

    Attributes: `n`; `sources`, `destinations` (uint64, shape (m,), read-only).

    >>> AddressPairs.of([[0, 2], [1, 3]]).n
    2
    """

    n: int
    sources: Nodes
    destinations: Nodes

    def __post_init__(self) -> None:
        for array in (self.sources, self.destinations):
            array.setflags(write=False)

    @classmethod
    def of(cls, pairs: Any, n: int | None = None) -> AddressPairs:
        """From pairs (source, destination), n the smallest that fits unless stated.

        Args:
            pairs: integer array of shape (m, 2), or a sequence of pairs.
            n: number of address bits, 1..64; needed if there are no pairs.

        Raises:
            CommunicationError: not pairs, or n is needed.
            NodeError: a node is not in 0..2^n - 1.
        """
        nodes = _nodes("messages", pairs)
        if nodes.size == 0:
            nodes = nodes.reshape(0, 2)
        if nodes.ndim != 2 or nodes.shape[1] != 2:
            rule = "must be an integer array of shape (m, 2) that holds source and destination"
            raise CommunicationError("messages", rule, nodes.shape)
        return cls(_fitting_n(nodes, n), nodes[:, 0].copy(), nodes[:, 1].copy())

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def missing_sources(self) -> int:
        """Number of addresses from which nothing is sent."""
        return (1 << self.n) - _distinct(self.sources, self.n)

    def with_idle_staying(self) -> AddressPairs:
        """Add x -> x for every address x that neither sends nor receives.

        A trace often leaves out what a process keeps for itself.

        Raises:
            SizeLimitError: n > 28.

        >>> AddressPairs.of([(1, 2), (2, 1)]).with_idle_staying().sources.tolist()
        [1, 2, 0, 3]
        """
        if self.n > MAX_LISTED_DIMENSION:
            rule = f"all nodes are listed up to n = {MAX_LISTED_DIMENSION} (4 GiB)"
            raise SizeLimitError("n", rule, self.n)
        busy = np.zeros(1 << self.n, dtype=bool)
        busy[self.sources] = True
        busy[self.destinations] = True
        idle = np.flatnonzero(~busy).astype(np.uint64)
        sources = np.concatenate([self.sources, idle])
        return AddressPairs(self.n, sources, np.concatenate([self.destinations, idle]))


def collect(
    messages: AddressPairs | Callable[[int], int] | Any,
    n: int | None = None,
    of: Of = "destination",
    idle: Idle = "unknown",
) -> AddressPairs:
    """The pairs of addresses in whatever describes messages.

    Args:
        messages: pairs (source, destination) as an (m, 2) integer array or a sequence; a
            one-dimensional array of 2^n nodes, entry i belonging to node i; a function of the
            node, which is called for every node; or anything else `Traffic.of` takes.
        n: number of address bits; needed for a function, else the smallest that fits.
        of: for an array of 2^n nodes or a function f, whether node i sends to f(i) or, as in the
            loop b[i] = r[f(i)] of [hou, Fig. 1], receives from f(i).
        idle: whether what a node does that neither sends nor receives is "unknown", or it counts
            as a message that the node sends to itself ("stay").

    Raises:
        CommunicationError: the description does not have one of these forms.
        NodeError: a node is not in 0..2^n - 1.
        SizeLimitError: n > 64; a function with n > 24.

    >>> collect(lambda i: i // 2, n=2, of="source").sources.tolist()
    [0, 0, 1, 1]
    """
    if of not in ("destination", "source"):
        raise CommunicationError("of", 'must be "destination" or "source"', of)
    if idle not in ("unknown", "stay"):
        raise CommunicationError("idle", 'must be "unknown" or "stay"', idle)
    collected = _collect(messages, n, of)
    return collected.with_idle_staying() if idle == "stay" else collected


def _collect(messages: Any, n: int | None, of: Of) -> AddressPairs:
    messages = one_of(messages)
    if isinstance(messages, AddressPairs):
        _only_for_functions(of)
        if n not in (None, messages.n):
            raise CommunicationError(
                "n", f"must be {messages.n}, for messages among 2^{messages.n} nodes", n
            )
        return messages
    if hasattr(messages, "uniform"):  # a traffic
        _only_for_functions(of)
        return AddressPairs.of(messages.messages, n or messages.n)
    if hasattr(messages, "pairs"):  # a communication
        _only_for_functions(of)
        return AddressPairs.of(messages.pairs(), n or messages.n)
    if callable(messages):
        return _every_node(_called(messages, n), n, of)
    messages = _listed(messages)
    if not _is_table(messages):
        _only_for_functions(of)
        sent = described(messages)
        bits = None if sent.ranks is None else max(1, (sent.ranks - 1).bit_length())
        return AddressPairs.of(sent.messages, n or bits)
    if len(messages) and not np.iterable(messages[0]):
        return _every_node(_nodes("messages", messages), n, of)
    _only_for_functions(of)
    return AddressPairs.of(messages, n)


def _listed(messages: Any) -> Any:
    """Sets, generators and the like as lists; arrays, matrices, frames and graphs as they are."""
    if isinstance(messages, np.ndarray) and messages.ndim:
        return messages
    if any(hasattr(messages, name) for name in ("tocoo", "columns", "edges")):
        return messages
    try:
        return list(messages)
    except TypeError:
        rule = "must be pairs, one node for every node, or a function of the index"
        raise CommunicationError("messages", rule, messages) from None


def _is_table(messages: Any) -> bool:
    """Whether these are pairs, or one node for every node: what may use all 64 bits."""
    if not isinstance(messages, (list, np.ndarray)):
        return False
    try:
        shape = np.shape(messages)
    except ValueError:  # ragged: refused where the nodes are read
        return True
    return len(shape) == 1 or shape[1:] == (2,) or 0 in shape


def _only_for_functions(of: Of) -> None:
    if of != "destination":
        rule = "is for a function or a list of 2^n nodes; pairs name source and destination"
        raise CommunicationError("of", rule, of)


def _called(function: Callable[[int], int], n: int | None) -> Nodes:
    if n is None:
        raise CommunicationError("n", "must be stated for a function of the index", n)
    bits = checked_n(n)
    if bits > _MAX_CALLED_DIMENSION:
        rule = f"at most {_MAX_CALLED_DIMENSION} for a function, which is called on all 2^n nodes"
        raise SizeLimitError("n", rule, bits)
    return _nodes("function value", [function(i) for i in range(1 << bits)])


def _every_node(images: Nodes, n: int | None, of: Of) -> AddressPairs:
    """Messages from one node for every node."""
    size = len(images)
    bits = size.bit_length() - 1
    if images.ndim != 1 or size < 2 or size != 1 << bits or n not in (None, bits):
        expected = "a power of two, at least 2" if n is None else f"2^n = {1 << checked_n(n)}"
        rule = f"a list of nodes, one for each of the 2^n nodes, must have the length {expected}"
        raise CommunicationError("messages", rule, size)
    nodes = np.arange(size, dtype=np.uint64)
    ends = (nodes, images) if of == "destination" else (images, nodes)
    return AddressPairs.of(np.stack(ends, axis=1), bits)


def checked_n(n: int) -> int:
    """Check a number of address bits."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise CommunicationError("n", "must be an integer of at least 1", n)
    if n > MAX_DIMENSION:
        rule = f"at most {MAX_DIMENSION}: a node must fit one machine word"
        raise SizeLimitError("n", rule, int(n))
    return int(n)


def _nodes(argument: str, values: Any) -> Nodes:
    """Non-negative integers below 2^64 as uint64."""
    try:
        array = np.asarray(values)
    except ValueError:
        rule = "must be pairs (source, destination), or one node for every node"
        raise CommunicationError(argument, rule, values) from None
    if array.dtype.kind in "fO" and not isinstance(values, np.ndarray):
        array = np.array(values, dtype=object)  # ints beyond 2^63 in a list
    if array.dtype == object:
        if not all(isinstance(node, (int, np.integer)) for node in array.flat):
            raise CommunicationError(argument, "nodes must be integers", values)
    elif array.dtype.kind not in "iu" and array.size:
        raise CommunicationError(argument, "nodes must be integers", values)
    if array.size and (int(array.min()) < 0 or int(array.max()) >> 64):
        outside = array.min() if array.min() < 0 else array.max()
        raise NodeError("node", "must be in 0..2^64 - 1", int(outside))
    return array.astype(np.uint64)


def _fitting_n(nodes: Nodes, n: int | None) -> int:
    if n is None and not nodes.size:
        raise CommunicationError("n", "must be stated when there are no messages", n)
    largest = int(nodes.max()) if nodes.size else 0
    if n is None:
        return max(1, largest.bit_length())
    bits = checked_n(n)
    if largest >> bits:
        raise NodeError("node", f"must be in 0..{(1 << bits) - 1} for n = {bits}", largest)
    return bits


def _distinct(nodes: Nodes, n: int) -> int:
    if n <= MAX_LISTED_DIMENSION:
        seen = np.zeros(1 << n, dtype=bool)
        seen[nodes] = True
        return int(np.count_nonzero(seen))
    return len(np.unique(nodes))
