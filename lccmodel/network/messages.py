"""Messages as arrays of (source, destination), checked against the size of a network."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from lccmodel.errors import CommunicationError, NetworkError, NodeError

_COLUMNS = ("source", "destination")


class Sent(NamedTuple):
    """Messages between places of a network: uint64 of shape (m, 2); weights; their unit."""

    pairs: npt.NDArray[np.uint64]
    weights: npt.NDArray[np.int64] | None
    unit: Fraction


def read_sent(
    messages: Any, weights: Any, node_of: Any, size: int, spec: str, diameter: int
) -> Sent:
    """What is sent between the places of a network.

    Args:
        messages: a traffic, a communication, integers of shape (m, 2), or without `weights`
            anything else that describes one phase (`Program.of`); a function of the rank is
            called for every place.
        weights: one integer a message, or None; not with a traffic, which has volumes.
        node_of: the place of every rank, or None if rank x is at place x.
        size, spec, diameter: of the network.

    Raises:
        CommunicationError: not messages, several phases, weights beside volumes, or weights that
            cannot be counted.
        NetworkError: fewer nodes than ranks.
        NodeError: a node that there is not.
    """
    unit = Fraction(1)
    ranks: int | None = None
    if weights is None and not _known(messages):
        messages = _one_phase(messages, size)
    if hasattr(type(messages), "counted"):
        if weights is not None:
            raise CommunicationError("weights", "must be omitted: a traffic has volumes", weights)
        ranks = messages.ranks
        if not messages.uniform or (len(messages) and messages.volumes[0] != 1):
            weights, unit = messages.counted
        messages = messages.messages
    elif hasattr(messages, "pairs"):
        ranks = int(messages.size)
    if node_of is None and ranks is not None and ranks > size:
        rule = f"{spec} has {size} nodes, fewer than the {ranks} ranks that communicate"
        raise NetworkError("network", rule, spec)
    if hasattr(messages, "pairs"):
        messages = messages.pairs()
    if node_of is not None:
        messages = _moved(messages, node_of, ranks, size, spec)
    pairs = _read_messages(messages, size, spec)
    volumes = None if weights is None else _read_weights(weights, len(pairs), diameter)
    return Sent(pairs, volumes, unit)


def _known(messages: Any) -> bool:
    """Whether this is a traffic, a communication or a table of pairs: by far the most frequent."""
    if hasattr(type(messages), "counted") or hasattr(messages, "pairs"):  # a property counts
        return True
    if not isinstance(messages, (np.ndarray, list, tuple)):
        return False
    try:
        shape = np.shape(messages)
    except ValueError:  # ragged: refused with the words for pairs
        return True
    return 0 in shape or (len(shape) == 2 and shape[1] == 2)


def _one_phase(messages: Any, size: int) -> Any:
    """The traffic that something describes, if it is one phase."""
    from lccmodel.reading.programs import program_on

    program = program_on(messages, size)
    if len(program) > 1:
        rule = "must be one phase, such as program[0]; contention() answers for all of a program"
        raise CommunicationError("messages", rule, program)
    return program[0].traffic


def _moved(messages: Any, node_of: Any, ranks: int | None, size: int, spec: str) -> Any:
    """Messages between the places of ranks."""
    where = _integers(node_of, "node_of", "must be integers, a place for every rank")
    pairs = _read_messages(messages, where.size, f"the {where.size} placed ranks")
    if where.ndim != 1 or (ranks is not None and len(where) < ranks):
        rule = "must be one place for each rank" + (
            f", of which there are {ranks}" if ranks else ""
        )
        raise CommunicationError("node_of", rule, where.shape)
    if len(where) and not (int(where.min()) >= 0 and int(where.max()) < size):
        outside = where[(where < 0) | (where >= size)][0]
        raise NodeError("node_of", f"must be nodes of {spec}, 0..{size - 1}", int(outside))
    return where.astype(np.uint64)[pairs.astype(np.int64)]


def _read_messages(messages: Any, size: int, spec: str) -> npt.NDArray[np.uint64]:
    """The messages as a uint64 array of shape (m, 2), sources in column 0.

    Args:
        messages: integer array-like of shape (m, 2).
        size, spec: of the network whose nodes they name.

    Raises:
        CommunicationError: another shape, or entries that are not integers.
        NodeError: a node outside the network; names the first bad value and its row.
    """
    pairs = _integers(messages, "messages", "must be an integer array of shape (m, 2)")
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.uint64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise CommunicationError("messages", "must have shape (m, 2)", pairs.shape)
    nodes = pairs
    if pairs.dtype.kind == "i":  # as uint64, a negative number is out of range at the upper end
        nodes = pairs.astype(np.int64, copy=False).view(np.uint64)
    least = int(nodes.min()) if nodes.dtype.kind == "O" else 0
    if least < 0 or int(nodes.max()) >= size:
        _refuse_first_bad(pairs, size, spec)
    return cast("npt.NDArray[np.uint64]", nodes.astype(np.uint64, copy=False))


def _read_weights(weights: Any, m: int, diameter: int) -> npt.NDArray[np.int64]:
    """The weights of m messages as an int64 array of shape (m,).

    Raises:
        CommunicationError: another length, a negative or non-integer weight, or weights so
            large that the sum of all loads could leave int64.
    """
    volumes = _integers(weights, "weights", "must be integers")
    if volumes.shape != (m,):
        rule = f"must have shape ({m},), one per message"
        raise CommunicationError("weights", rule, volumes.shape)
    if m == 0:
        return np.empty(0, dtype=np.int64)
    if (least := int(volumes.min())) < 0:
        raise CommunicationError("weights", "must not be negative", least)
    longest = max(1, diameter)
    if int(volumes.max()) * m * longest >= 1 << 63:  # only then is the exact sum worth its time
        total = sum(int(volume) for volume in volumes)
        if total * longest >= 1 << 63:
            rule = f"must add up to less than 2^63 / {longest}, so that loads fit 64 bits"
            raise CommunicationError("weights", rule, total)
    return volumes.astype(np.int64)


def _integers(values: Any, argument: str, rule: str) -> npt.NDArray[Any]:
    """An array of a machine integer type, or of Python ints when one of them is too large."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "fO" and not isinstance(values, np.ndarray):
            array = np.asarray(values, dtype=object)  # numpy makes floats of ints above 2^63
    except (ValueError, OverflowError):  # ragged nested sequences
        raise CommunicationError(argument, rule, values) from None
    if array.dtype.kind == "O" and all(type(entry) is int for entry in array.flat):
        return array
    if array.dtype.kind not in "iu" and array.size:
        raise CommunicationError(argument, rule, values)
    return array


def _refuse_first_bad(pairs: npt.NDArray[Any], size: int, spec: str) -> None:
    row, column = np.argwhere((pairs < 0) | (pairs >= size))[0].tolist()
    rule = f"must be a node of {spec}, 0..{size - 1}"
    if int(pairs.min()) == 1 and int(pairs.max()) == size:
        rule += f"; the nodes 1..{size} look numbered from one: subtract 1 from each"
    where = f"{_COLUMNS[column]} of message {row}"
    raise NodeError(where, rule, int(pairs[row, column]))
