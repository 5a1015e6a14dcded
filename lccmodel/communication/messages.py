"""Messages as a program sends them: who sends to whom, and how much.

Whatever a user has - pairs, an array of destinations, a function of the index, a communication
matrix - becomes one `Messages` value here; `recognition` decides what it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.communication.lcc import MAX_LISTED_DIMENSION
from lccmodel.errors import CommunicationError, NodeError, SizeLimitError
from lccmodel.gf2.matrix import MAX_DIMENSION

__all__ = [
    "MAX_CALLED_DIMENSION",
    "Idle",
    "Messages",
    "Nodes",
    "Of",
    "collect",
    "from_matrix",
]

Nodes = npt.NDArray[np.uint64]
Of = Literal["destination", "source"]
Idle = Literal["unknown", "stay"]

MAX_CALLED_DIMENSION = 24
"""Largest n for which a Python function is called on all 2^n nodes (some ten seconds)."""


@dataclass(frozen=True, slots=True, eq=False)
class Messages:
    """Messages among 2^n nodes; message k goes from sources[k] to destinations[k].

    Attributes: `n`; `sources`, `destinations` (uint64, shape (m,)); `volumes` (float64, shape
    (m,)), what each message carries, 1 unless stated; `ranks`, how many nodes there are if that
    is less than 2^n, else 0. The arrays are read-only.

    >>> Messages.of_pairs(np.array([[0, 2], [1, 3]])).n
    2
    """

    n: int
    sources: Nodes
    destinations: Nodes
    volumes: npt.NDArray[np.float64]
    ranks: int = 0

    def __post_init__(self) -> None:
        for array in (self.sources, self.destinations, self.volumes):
            array.setflags(write=False)

    @classmethod
    def of_pairs(
        cls, pairs: Any, n: int | None = None, volumes: npt.ArrayLike | None = None
    ) -> Messages:
        """Messages from pairs (source, destination), n the smallest that fits unless stated.

        Args:
            pairs: integer array of shape (m, 2), or a sequence of pairs.
            n: number of address bits, 1..64; needed if there are no pairs.
            volumes: m non-negative numbers.

        Raises:
            CommunicationError: not pairs, or n is needed.
            NodeError: a node is not in 0..2^n - 1.
        """
        nodes = _nodes("messages", pairs)
        if nodes.size == 0:
            nodes = nodes.reshape(0, 2)
        if nodes.ndim != 2 or nodes.shape[1] != 2:
            rule = (
                "must be an integer array of shape (m, 2) that holds source and destination; "
                "for a communication matrix use from_matrix()"
            )
            raise CommunicationError("messages", rule, nodes.shape)
        bits = _fitting_n(nodes, n)
        carried = _volumes(volumes, len(nodes))
        return cls(bits, nodes[:, 0].copy(), nodes[:, 1].copy(), carried)

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def among(self) -> int:
        """Number of nodes: as stated, else 2^n."""
        return self.ranks or 1 << self.n

    def of_ranks(self, ranks: int) -> Messages:
        """The same messages among the first `ranks` of the 2^n nodes."""
        least = 1 + int(max(self.sources.max(initial=0), self.destinations.max(initial=0)))
        count = min(max(ranks, least), 1 << self.n)
        return Messages(self.n, self.sources, self.destinations, self.volumes, count)

    def pairs(self) -> npt.NDArray[Any]:
        """(source, destination) as an array of shape (m, 2): int64, or uint64 for n = 64."""
        stacked = np.stack([self.sources, self.destinations], axis=1)
        return stacked if self.n == 64 else stacked.astype(np.int64)

    @property
    def missing_sources(self) -> int:
        """Number of nodes that send nothing."""
        return (1 << self.n) - _distinct(self.sources, self.n)

    @property
    def largest_volume(self) -> float:
        """The most that any two different nodes exchange in one direction, repetitions added up.

        1 if no message leaves its node. It bounds what one path carries, and is what every path
        carries when all volumes are equal.

        >>> Messages.of_pairs([(0, 1), (0, 1), (1, 0)]).largest_volume
        2.0
        """
        moving = self.sources != self.destinations
        if not moving.any():
            return 1.0
        ends = np.stack([self.sources[moving], self.destinations[moving]], axis=1)
        inverse = np.unique(ends, axis=0, return_inverse=True)[1].ravel()
        return float(np.bincount(inverse, weights=self.volumes[moving]).max())

    def with_idle_staying(self) -> Messages:
        """Add x -> x for every node x that neither sends nor receives.

        A trace often leaves out what a process keeps for itself.

        Raises:
            SizeLimitError: n > 28.

        >>> Messages.of_pairs([(1, 2), (2, 1)]).with_idle_staying().pairs().tolist()
        [[1, 2], [2, 1], [0, 0], [3, 3]]
        """
        if self.n > MAX_LISTED_DIMENSION:
            rule = f"all nodes are listed up to n = {MAX_LISTED_DIMENSION} (4 GiB)"
            raise SizeLimitError("n", rule, self.n)
        busy = np.zeros(1 << self.n, dtype=bool)
        busy[self.sources] = True
        busy[self.destinations] = True
        idle = np.flatnonzero(~busy).astype(np.uint64)
        carried = np.concatenate([self.volumes, np.ones(len(idle))])
        sources = np.concatenate([self.sources, idle])
        destinations = np.concatenate([self.destinations, idle])
        return Messages(self.n, sources, destinations, carried)


def collect(
    messages: Messages | Callable[[int], int] | Any,
    n: int | None = None,
    of: Of = "destination",
    idle: Idle = "unknown",
) -> Messages:
    """One `Messages` value from whatever describes messages.

    Args:
        messages: `Messages`; a `scipy.sparse` communication matrix; pairs (source, destination)
            as an (m, 2) integer array or a sequence; a one-dimensional array of 2^n nodes, entry
            i belonging to node i; or a function of the node, which is called for every node.
        n: number of address bits; needed for a function, else the smallest that fits.
        of: for an array of 2^n nodes or a function f, whether node i sends to f(i) or, as in the
            loop b[i] = r[f(i)] of [hou, Fig. 1], receives from f(i).
        idle: whether what a node does that neither sends nor receives is "unknown", or it counts
            as a message that the node sends to itself ("stay").

    Raises:
        CommunicationError: the description does not have one of these forms.
        NodeError: a node is not in 0..2^n - 1.
        SizeLimitError: n > 64; a function with n > 24.

    >>> collect(lambda i: i // 2, n=2, of="source").pairs().tolist()
    [[0, 0], [0, 1], [1, 2], [1, 3]]
    """
    if of not in ("destination", "source"):
        raise CommunicationError("of", 'must be "destination" or "source"', of)
    if idle not in ("unknown", "stay"):
        raise CommunicationError("idle", 'must be "unknown" or "stay"', idle)
    collected = _collect(messages, n, of)
    return collected.with_idle_staying() if idle == "stay" else collected


def _collect(messages: Any, n: int | None, of: Of) -> Messages:
    if hasattr(messages, "tocoo"):
        messages = from_matrix(messages)
    if hasattr(messages, "uniform"):  # a traffic
        messages = Messages.of_pairs(messages.messages, n or messages.n, messages.volumes)
    if isinstance(messages, Messages):
        _only_for_functions(of)
        if n not in (None, messages.n):
            raise CommunicationError("n", f"the messages are among 2^{messages.n} nodes", n)
        return messages
    if callable(messages):
        return _every_node(_called(messages, n), n, of)
    if not isinstance(messages, np.ndarray) or not messages.ndim:
        try:
            messages = list(messages)
        except TypeError:
            rule = "must be pairs, one node for every node, or a function of the index"
            raise CommunicationError("messages", rule, messages) from None
    if len(messages) and np.ndim(messages[0]) == 0:
        return _every_node(_nodes("messages", messages), n, of)
    _only_for_functions(of)
    return Messages.of_pairs(messages, n)


def _only_for_functions(of: Of) -> None:
    if of != "destination":
        rule = "applies to a function or an array of 2^n nodes; pairs say it themselves"
        raise CommunicationError("of", rule, of)


def _called(function: Callable[[int], int], n: int | None) -> Nodes:
    if n is None:
        raise CommunicationError("n", "must be stated for a function of the index", n)
    bits = checked_n(n)
    if bits > MAX_CALLED_DIMENSION:
        rule = f"at most {MAX_CALLED_DIMENSION} for a function, which is called on all 2^n nodes"
        raise SizeLimitError("n", rule, bits)
    return _nodes("function value", [function(i) for i in range(1 << bits)])


def _every_node(images: Nodes, n: int | None, of: Of) -> Messages:
    """Messages from one node for every node."""
    size = len(images)
    bits = size.bit_length() - 1
    if images.ndim != 1 or size < 2 or size != 1 << bits or n not in (None, bits):
        expected = "a power of two, at least 2" if n is None else f"2^n = {1 << checked_n(n)}"
        rule = f"a list of nodes, one for each of the 2^n nodes, must have the length {expected}"
        raise CommunicationError("messages", rule, size)
    nodes = np.arange(size, dtype=np.uint64)
    ends = (nodes, images) if of == "destination" else (images, nodes)
    return Messages.of_pairs(np.stack(ends, axis=1), bits)


@typed_arguments
def from_matrix(matrix: Any) -> Messages:
    """Messages from a communication matrix: entry [s, d] != 0 is what s sends to d.

    Args:
        matrix: numpy array of shape (2^n, 2^n), n >= 1, or a `scipy.sparse` matrix or array;
            the entries are volumes, non-negative numbers.

    Raises:
        CommunicationError: another shape, or an entry that is no volume.

    >>> from_matrix(np.array([[0, 5.0], [2.5, 0]])).volumes.tolist()
    [5.0, 2.5]
    """
    if not hasattr(matrix, "tocoo"):
        try:
            matrix = np.asarray(matrix)
        except ValueError:  # rows of different lengths
            raise CommunicationError("matrix", "must have the shape (2^n, 2^n)", matrix) from None
    shape = tuple(int(size) for size in matrix.shape)
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 2 or shape[0] & shape[0] - 1:
        raise CommunicationError("matrix", "must have the shape (2^n, 2^n), n >= 1", shape)
    if np.dtype(matrix.dtype).kind not in "buif":
        raise CommunicationError("matrix", "entries must be numbers", matrix)
    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo().copy()
        entries.sum_duplicates()
        sent = entries.data != 0
        rows, columns, values = entries.row[sent], entries.col[sent], entries.data[sent]
    else:
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
    pairs = np.stack([rows, columns], axis=1).astype(np.uint64)
    return Messages.of_pairs(pairs, shape[0].bit_length() - 1, values)


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


def _volumes(volumes: npt.ArrayLike | None, count: int) -> npt.NDArray[np.float64]:
    if volumes is None:
        return np.ones(count)
    try:
        if np.iscomplexobj(volumes):
            raise TypeError
        carried = np.array(volumes, dtype=np.float64)
    except (TypeError, ValueError):
        raise CommunicationError("volumes", "must be numbers", volumes) from None
    if carried.shape != (count,):
        raise CommunicationError("volumes", f"must be {count} numbers", carried.shape)
    if not (np.isfinite(carried) & (carried >= 0)).all():
        wrong = carried[~(np.isfinite(carried) & (carried >= 0))][0]
        raise CommunicationError("volumes", "must be finite and not negative", float(wrong))
    return carried


def _distinct(nodes: Nodes, n: int) -> int:
    if n <= MAX_LISTED_DIMENSION:
        seen = np.zeros(1 << n, dtype=bool)
        seen[nodes] = True
        return int(np.count_nonzero(seen))
    return len(np.unique(nodes))
