"""Pairs, destinations, functions or matrices of volumes as the arrays that `Traffic` is made of.

    LCC                        the 2^n messages of y = Ax + b
    [(0, 1), (1, 0)]           pairs; (source, destination, volume) with volumes
    np.array([2, 0, 1])        one destination a rank
    rows of numbers            a matrix or messages, by the table of `rows`; scipy.sparse as well
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
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lccmodel.communication.columns import meaning_of, ranks_of_names, table_columns
from lccmodel.communication.lcc import MAX_LISTED_DIMENSION
from lccmodel.communication.rows import (
    Described,
    Shape,
    counted_from,
    described_by_matrix,
    described_by_rows,
    whole_numbers,
)
from lccmodel.errors import CommunicationError, NodeError, SizeLimitError
from lccmodel.gf2.matrix import MAX_DIMENSION
from lccmodel.ground.words import checked_word

MAX_CALLED_RANKS = 1 << 24
"""Most ranks for which a Python function is called (some ten seconds)."""

_FORMS = (
    "must be a Traffic, an LCC, pairs, destinations, a square matrix, a data frame, a graph, a "
    "dictionary or a function of the rank"
)


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
    """Return what is sent, from something that is not a value of this package; see `Traffic.of`."""
    if hasattr(anything, "tocoo"):
        return described_by_matrix(anything).among(ranks)
    if hasattr(anything, "columns") and hasattr(anything, "to_numpy"):
        return _of_frame(anything, ranks)
    if hasattr(anything, "edges") and hasattr(anything, "nodes"):
        return described_by_graph(anything).among(ranks)
    if isinstance(anything, Mapping):
        return _of_mapping(anything, ranks)
    if hasattr(anything, "index") and hasattr(anything, "to_dict"):  # a series of pandas
        return _of_mapping(anything.to_dict(), ranks)
    if hasattr(anything, "dims") and hasattr(anything, "to_numpy"):  # an array of xarray
        anything = anything.to_numpy()
    if callable(anything):
        return _of_function(anything, ranks)
    # in Python ranks count from 0; of rows that may be a matrix that is in doubt, as in files
    doubtful = ranks is None and _is_small_square(anything)
    return described_by_array(anything, ranks, first_rank=None if doubtful else 0)


def _is_small_square(rows: Any) -> bool:
    """Whether two or three rows, which are no tuples, have as many numbers."""
    if isinstance(rows, np.ndarray):
        return rows.shape in ((2, 2), (3, 3))
    if not isinstance(rows, (list, tuple)) or len(rows) not in (2, 3):
        return False
    return all(isinstance(row, (list, np.ndarray)) and len(row) == len(rows) for row in rows)


def described_by_array(
    messages: Any,
    ranks: int | None = None,
    stated: Shape | None = None,
    first_rank: int | None = 0,
) -> Described:
    """Return the messages of an array or of nested sequences.

    Args:
        given: one destination a rank, shape (r,); rows of numbers, see `described_by_rows`. Rows
            that are tuples of two or three are messages.
        ranks: the number of ranks, if it is stated.
        stated: "matrix" or "messages", for rows of numbers.
        first_rank: what the first rank is called; None if that is not stated, as in files.

    Raises:
        CommunicationError: another shape, or see `described_by_rows`.
    """
    if isinstance(messages, (str, bytes)):
        raise CommunicationError("messages", _FORMS, messages)
    try:
        array = np.asarray(messages if isinstance(messages, np.ndarray) else list(messages))
    except (TypeError, ValueError, OverflowError):
        raise CommunicationError("messages", _FORMS, messages) from None
    if not array.size:
        return Described(np.empty((0, 2), np.int64), None, ranks)
    if array.ndim == 1:
        if array.dtype.kind not in "iu":
            raise CommunicationError("messages", "destinations must be integers", array)
        pairs = np.stack([np.arange(len(array)), array.astype(np.int64)], axis=1)
        return Described(pairs, None, max(ranks or 0, len(array)))
    if array.ndim != 2 or array.dtype.kind not in "biufO":
        raise CommunicationError("messages", _FORMS, array.shape)
    if array.dtype.kind in "bO":
        array = _numbers(array)
    if stated is None and isinstance(messages, (list, tuple)) and isinstance(messages[0], tuple):
        stated = "messages" if array.shape[1] in (2, 3) else None
    return described_by_rows(array, stated, first_rank=first_rank).among(ranks)


def _numbers(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return truth values and objects (Fractions, long integers) as numbers."""
    if array.dtype.kind == "b":
        return array.astype(np.int64)
    plain = np.asarray(array.tolist())
    if plain.dtype.kind in "iuf" or all(isinstance(v, (int, Fraction, float)) for v in array.flat):
        return plain
    raise CommunicationError("messages", _FORMS, array.tolist())


def _of_frame(frame: Any, ranks: int | None) -> Described:
    """The rows of a data frame; the square table of a matrix if no column is called source."""
    headings = list(frame.columns)
    if not any(meaning_of(heading) in ("source", "destination") for heading in headings):
        numbers = frame.to_numpy()
        if headings == list(range(len(headings))):
            return described_by_array(numbers, ranks)
        if len(frame) == len(headings):
            return _of_square_frame(frame, numbers).among(ranks)
        rule = "must have the columns source and destination"
        raise CommunicationError("data frame", rule, [str(column) for column in headings])
    columns = table_columns(headings, lambda k: frame.iloc[:, k].dtype.kind in "iuf")
    ends = [
        whole_numbers(frame.iloc[:, place].to_numpy())
        for place in (columns.source, columns.destination)
    ]
    volumes = None if columns.volume is None else frame.iloc[:, columns.volume].to_numpy()
    if columns.count is not None and volumes is not None:
        volumes = volumes * frame.iloc[:, columns.count].to_numpy()
    pairs = np.stack(ends, axis=1)
    if columns.direction is not None:
        kinds = frame.iloc[:, columns.direction].astype(str).str.lower().to_numpy()
        pairs, volumes, both = with_return(pairs, volumes, kinds == "undirected")
        return Described(pairs, volumes, ranks, (*columns.notes, *both))
    return Described(pairs, volumes, ranks, columns.notes)


def _of_square_frame(frame: Any, numbers: npt.NDArray[Any]) -> Described:
    """The matrix of a frame with names: columns are put in the order of the rows of their names."""
    names, heads = ([str(name) for name in axis] for axis in (frame.index, frame.columns))
    if set(names) != set(heads) or len(set(names)) != len(names):
        return described_by_matrix(numbers)
    ranks, note = ranks_of_names(names)
    rank_of = dict(zip(names, ranks, strict=True))
    matrix = np.zeros_like(numbers)
    matrix[np.ix_(ranks, [rank_of[head] for head in heads])] = numbers
    return described_by_matrix(matrix)._replace(notes=(note,) if note else ())


EACH_WAY = "the volume of an undirected edge is sent each way: its direction is not recorded"


def with_return(pairs: Any, volumes: Any, undirected: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """Return messages with those back along undirected edges, and a note if there are any."""
    back = np.asarray(undirected, bool) & (pairs[:, 0] != pairs[:, 1])
    if not back.any():
        return pairs, volumes, ()
    both = np.concatenate([pairs, pairs[back][:, ::-1]])
    carried = None if volumes is None else np.concatenate([volumes, volumes[back]])
    return both, carried, (EACH_WAY,)


def described_by_graph(
    graph: Any, first_rank: int | None = 0, volume: str | None = None
) -> Described:
    """Return the edges of a networkx graph; an undirected edge is sent both ways.

    Args:
        graph: of any kind.
        first_rank: what the first rank is called; None if that is not stated, as in files.
        volume: the attribute with the volumes, if it is stated.

    Nodes that are integers are ranks; names have ranks by `ranks_of_names`. The volume is the
    attribute of the edges that `table_columns` would choose from a table.

    Raises:
        CommunicationError: several attributes may be the volume, or an edge lacks it; ranks that
            begin at 1.
    """
    nodes = list(graph.nodes)
    notes: list[str] = []
    numbered = all(isinstance(node, (int, np.integer)) or str(node).isdecimal() for node in nodes)
    if numbered:
        rank_of = {node: int(node) for node in nodes}
        least = 1 + max(rank_of.values(), default=0) - (first_rank or 0)
    else:
        ranks, note = ranks_of_names([str(node) for node in nodes])
        rank_of, least = dict(zip(nodes, ranks, strict=True)), len(nodes)
        notes += [note] * bool(note)
    edges = list(graph.edges(data=True))
    names = list(dict.fromkeys(name for *_, data in edges for name in data))

    def is_numeric(k: int) -> bool:
        values = (data[names[k - 2]] for *_, data in edges if names[k - 2] in data)
        return all(isinstance(v, (int, float, np.number, Fraction)) for v in values)

    columns = table_columns(["source", "destination", *names], is_numeric, volume)
    notes += columns.notes
    pairs = np.array([(rank_of[u], rank_of[v]) for u, v, _ in edges], np.int64).reshape(-1, 2)
    if numbered:
        pairs = counted_from(pairs, first_rank, 1 if 0 in rank_of.values() else None)
    volumes = None
    if columns.volume is not None:
        key = names[columns.volume - 2]
        lacking = next(((u, v) for u, v, data in edges if key not in data), None)
        if lacking is not None:
            raise CommunicationError("graph", f"every edge must have {key}", lacking)
        volumes = np.array([data[key] for *_, data in edges])
        if columns.count is not None:
            many = names[columns.count - 2]
            volumes = volumes * np.array([data.get(many, 1) for *_, data in edges])
    undirected = np.full(len(edges), not graph.is_directed())
    pairs, volumes, both = with_return(pairs, volumes, undirected)
    return Described(pairs, volumes, least, (*notes, *both))


def _of_mapping(mapping: Mapping[Any, Any], ranks: int | None) -> Described:
    """Volumes of pairs, or the destinations of ranks: one, several, or a volume for each."""
    pairs: list[tuple[Any, Any]] = []
    volumes: list[Any] = []
    for key, value in mapping.items():
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
        rule = "is required for a function of the rank"
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
    checked_word("of", of, ("destination", "source"), kind=CommunicationError)
    checked_word("idle", idle, ("unknown", "stay"), kind=CommunicationError)
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
        raise CommunicationError("n", "is required for a function of the index", n)
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
        raise CommunicationError("n", "is required when there are no messages", n)
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
