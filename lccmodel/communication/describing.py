"""Pairs, destinations, functions or matrices of volumes as the arrays that `Traffic` is made of.

    LCC                        the 2^n messages of y = Ax + b
    [(0, 1), (1, 0)]           pairs; (source, destination, volume) with volumes
    np.array([2, 0, 1])        one destination a rank
    np.array of shape (r, r)   entry [s, d] is the volume from s to d; scipy.sparse as well
    DataFrame, DiGraph         columns or edges, with or without volumes
    {(0, 1): 3}, {0: [1, 2]}   a volume for every pair; the destinations of every rank
    lambda rank: ...           a destination, several, or None

Nothing here imports pandas, xarray, networkx or scipy: their values are known by what they offer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from lccmodel.errors import CommunicationError, SizeLimitError

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
