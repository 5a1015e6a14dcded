"""Pairs, destinations, functions or matrices of volumes as the arrays that `Traffic` is made of.

    LCC                        the 2^n messages of y = Ax + b
    [(0, 1), (1, 0)]           pairs; (source, destination, volume) with volumes
    np.array([2, 0, 1])        one destination a rank
    np.array of shape (r, r)   entry [s, d] is the volume from s to d; scipy.sparse as well
    DataFrame, DiGraph         columns or edges, with or without volumes
    {(0, 1): 3}, {0: [1, 2]}   a volume for every pair; the destinations of every rank
    lambda rank: ...           a destination, several, or None

Nothing here imports pandas, xarray, networkx or scipy: their values are known by what they offer.

A `Traffic` says what is sent: volumes, and ranks of any number. Recognition asks another question,
whether a matrix over GF(2) is behind the pairs, and for that all 2^n addresses count, up to n = 64,
used or not, and volumes do not: `AddressPairs` holds the vectors alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import MAX_LISTED_DIMENSION
from lccmodel.errors import CommunicationError, NodeError, SizeLimitError
from lccmodel.gf2.matrix import MAX_DIMENSION

COLUMNS = MappingProxyType(
    {
        "source": ("source", "src", "from", "sender", "source_rank", "src_rank"),
        "destination": (
            "destination",
            "dest",
            "dst",
            "to",
            "target",
            "receiver",
            "destination_rank",
            "dest_rank",
            "dst_rank",
        ),
        "volume": ("volume", "bytes", "size"),
        "communication": ("communication", "phase", "name"),
    }
)
"""For every column, the headings that mean it; upper and lower case are the same."""

_MEANING = {alias: column for column, aliases in COLUMNS.items() for alias in aliases}


def meaning_of(heading: object) -> str | None:
    """The column of `COLUMNS` that a heading names, or None.

    >>> meaning_of("Dst"), meaning_of("latency")
    ('destination', None)
    """
    return _MEANING.get(str(heading).strip().lower().replace(" ", "_"))


MAX_CALLED_RANKS = 1 << 24
"""Most ranks for which a Python function is called (some ten seconds)."""

_FORMS = (
    "must be a Traffic, an LCC, pairs, destinations, a square matrix, a data frame, a graph, a "
    "dictionary or a function of the rank"
)


class Described(NamedTuple):
    """What `Traffic` is made of: pairs or destinations, volumes or None, ranks or None."""

    messages: Any
    volumes: Any
    ranks: int | None

    def among(self, ranks: int | None) -> Described:
        """The same among so many ranks, if a number is given."""
        return self if ranks is None else self._replace(ranks=ranks)


def one_of(anything: Any) -> Any:
    """What is sent by a program of one phase, a phase, or a communication of a file."""
    if hasattr(anything, "columns"):  # of a data frame, which may be called anything
        return anything
    phases = getattr(anything, "phases", anything)
    if isinstance(phases, (list, tuple)) and len(phases) == 1 and not _is_row(phases[0]):
        anything = phases[0]
    return getattr(anything, "traffic", getattr(anything, "communication", anything))


def _is_row(value: Any) -> bool:
    return isinstance(value, (list, tuple, int, np.ndarray, np.generic))


def described(anything: Any, ranks: int | None = None) -> Described:
    """What is sent, as said by something that is not a value of this package; see `Traffic.of`."""
    if hasattr(anything, "tocoo"):
        return described_by_matrix(anything).among(ranks)
    if hasattr(anything, "columns") and hasattr(anything, "to_numpy"):
        return _of_frame(anything, ranks)
    if hasattr(anything, "edges") and hasattr(anything, "nodes"):
        return _of_graph(anything, ranks)
    if isinstance(anything, Mapping):
        return _of_mapping(anything, ranks)
    if hasattr(anything, "index") and hasattr(anything, "to_dict"):  # a series of pandas
        return _of_mapping(anything.to_dict(), ranks)
    if hasattr(anything, "dims") and hasattr(anything, "to_numpy"):  # an array of xarray
        return _of_array(anything.to_numpy(), ranks)
    if callable(anything):
        return _of_function(anything, ranks)
    return _of_array(anything, ranks)


def _of_array(given: Any, ranks: int | None) -> Described:
    if isinstance(given, (str, bytes)):
        raise CommunicationError("messages", _FORMS, given)
    try:
        array = np.asarray(given if isinstance(given, np.ndarray) else list(given))
    except (TypeError, ValueError, OverflowError):
        raise CommunicationError("messages", _FORMS, given) from None
    if not array.size:
        return Described(np.empty((0, 2), np.int64), None, ranks)
    if array.ndim == 1:
        return Described(_pairs_with_numbers(array), None, max(ranks or 0, len(array)))
    if array.ndim != 2 or array.shape[1] < 2:
        raise CommunicationError("messages", _FORMS, array.shape)
    if array.shape[1] == 2:
        return Described(array, None, ranks)
    if array.shape == (3, 3) and not isinstance(given, np.ndarray):
        rule = (
            "three rows of three may be messages or a matrix; say Traffic(messages, volumes) or "
            "Traffic.of_matrix(matrix)"
        )
        raise CommunicationError("messages", rule, given)
    if array.shape[0] == array.shape[1]:
        return described_by_matrix(array).among(ranks)
    if array.shape[1] == 3:
        return Described(_whole(array[:, :2]), array[:, 2], ranks)
    raise CommunicationError("messages", _FORMS, array.shape)


def _pairs_with_numbers(destinations: Any) -> Any:
    if destinations.dtype.kind not in "iu":
        raise CommunicationError("messages", "destinations must be integers", destinations)
    return np.stack([np.arange(len(destinations)), destinations.astype(np.int64)], axis=1)


def _whole(values: Any) -> Any:
    """Integers that another column has made floats of, as integers again."""
    array = np.asarray(values)
    if array.dtype.kind == "O":
        array = np.asarray(array.tolist())
    if array.dtype.kind == "f" and (array == np.floor(array)).all() and (abs(array) < 2**53).all():
        return array.astype(np.int64)
    return array


def described_by_matrix(matrix: Any) -> Described:
    """See `Traffic.of_matrix`."""
    if not hasattr(matrix, "tocoo"):
        try:
            matrix = np.asarray(matrix)
        except ValueError:  # rows of different lengths
            raise CommunicationError("matrix", "must be square", matrix) from None
    shape = tuple(int(side) for side in matrix.shape)
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise CommunicationError("matrix", "must be square: one row and one column a rank", shape)
    if np.dtype(matrix.dtype).kind not in "buif":
        raise CommunicationError("matrix", "entries must be numbers", matrix)
    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo()
        rows, columns, values = (np.asarray(a) for a in (entries.row, entries.col, entries.data))
        if rows.size and (
            min(rows.min(), columns.min()) < 0 or max(rows.max(), columns.max()) >= shape[0]
        ):
            rule = f"the indices of its entries must be in 0..{shape[0] - 1}"
            raise CommunicationError("matrix", rule, (int(rows.max()), int(columns.max())))
        sent = values != 0
        rows, columns, values = rows[sent], columns[sent], values[sent]
    else:
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
    if values.dtype.kind == "b":
        values = values.astype(np.int64)
    return Described(np.stack([rows, columns], axis=1).astype(np.int64), values, shape[0])


def _of_frame(frame: Any, ranks: int | None) -> Described:
    """The rows of a data frame; the square table of a matrix if no column is called source."""
    found = {meaning_of(column): column for column in reversed(list(frame.columns))}
    if not {"source", "destination"} <= set(found):
        if len(frame.columns) == len(frame) and "source" not in found:
            return described_by_matrix(frame.to_numpy()).among(ranks)
        rule = "must have the columns source and destination"
        raise CommunicationError("data frame", rule, [str(column) for column in frame.columns])
    ends = [_whole(frame[found[end]].to_numpy()) for end in ("source", "destination")]
    volumes = frame[found["volume"]].to_numpy() if "volume" in found else None
    return Described(np.stack(ends, axis=1), volumes, ranks)


def _of_graph(graph: Any, ranks: int | None) -> Described:
    """The edges of a networkx graph; an undirected edge is sent both ways."""
    if not all(isinstance(node, (int, np.integer)) for node in graph.nodes):
        raise CommunicationError("graph", "nodes must be integers, the ranks", list(graph.nodes))
    pairs: list[tuple[int, int]] = []
    volumes: list[Any] = []
    for u, v, data in graph.edges(data=True):
        volume = data.get("volume", data.get("weight", 1))
        both = not graph.is_directed() and u != v
        for pair in ((u, v), (v, u)) if both else ((u, v),):
            pairs.append(pair)
            volumes.append(volume)
    least = 1 + max((int(node) for node in graph.nodes), default=0)
    return Described(pairs, volumes, max(least, ranks or 0))


def _of_mapping(given: Mapping[Any, Any], ranks: int | None) -> Described:
    """Volumes of pairs, or the destinations of ranks: one, several, or a volume for each."""
    pairs: list[tuple[Any, Any]] = []
    volumes: list[Any] = []
    for key, value in given.items():
        if isinstance(key, tuple):
            if len(key) != 2:
                rule = "keys of a dictionary must be ranks or pairs (source, destination)"
                raise CommunicationError("messages", rule, key)
            sent = {key: value}
        elif isinstance(value, Mapping):
            sent = {(key, destination): volume for destination, volume in value.items()}
        else:
            several = value if isinstance(value, Iterable) else (value,)
            pairs.extend((key, destination) for destination in several)
            volumes.extend(1 for _ in range(len(pairs) - len(volumes)))
            continue
        pairs.extend(sent)
        volumes.extend(sent.values())
    return Described(pairs, volumes, ranks)


def _of_function(function: Callable[[int], Any], ranks: int | None) -> Described:
    if ranks is None:
        rule = "must be stated for a function of the rank"
        raise CommunicationError("ranks", rule, None)
    if ranks > MAX_CALLED_RANKS:
        rule = "must be at most 2^24 for a function, which is called for every rank"
        raise SizeLimitError("ranks", rule, ranks)
    pairs: list[tuple[int, int]] = []
    for rank in range(ranks):
        reached = function(rank)
        if reached is None:
            continue
        several = reached if isinstance(reached, Iterable) else (reached,)
        pairs.extend((rank, destination) for destination in several)
    return Described(pairs, None, ranks)


# -- pairs of n-bit addresses, to which A and b are fitted ---------------------------------------

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
