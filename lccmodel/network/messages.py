"""Messages as arrays of (source, destination), checked against a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from lccmodel.errors import CommunicationError, NetworkError, NodeError

if TYPE_CHECKING:
    from lccmodel.network.base import Network

__all__ = ["read_messages", "read_weights"]

_COLUMNS = ("source", "destination")


def read_messages(messages: Any, network: Network) -> npt.NDArray[np.uint64]:
    """The messages as a uint64 array of shape (m, 2), sources in column 0.

    Args:
        messages: integer array-like of shape (m, 2), or an object with `pairs()`.
        network: the network whose nodes they name.

    Raises:
        CommunicationError: another shape, or entries that are not integers.
        NetworkError: a communication whose n is not the network's.
        NodeError: a node outside the network; names the first bad value and its row.
    """
    if hasattr(messages, "pairs"):
        n = getattr(messages, "n", network.n)
        if n != network.n:
            rule = f"the communication has n = {n}, so the network needs 2^{n} nodes"
            raise NetworkError("network", rule, network)
        messages = messages.pairs()
    pairs = _integers(messages, "messages", "must be an integer array of shape (m, 2)")
    if pairs.size == 0:
        return np.empty((0, 2), dtype=np.uint64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise CommunicationError("messages", "must have shape (m, 2)", pairs.shape)
    nodes = pairs
    if pairs.dtype.kind == "i":  # as uint64, a negative number is out of range at the upper end
        nodes = pairs.astype(np.int64, copy=False).view(np.uint64)
    least = int(nodes.min()) if nodes.dtype.kind == "O" else 0
    if least < 0 or int(nodes.max()) >= network.size:
        _refuse_first_bad(pairs, network)
    return cast("npt.NDArray[np.uint64]", nodes.astype(np.uint64, copy=False))


def read_weights(weights: Any, m: int, diameter: int) -> npt.NDArray[np.int64]:
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


def _refuse_first_bad(pairs: npt.NDArray[Any], network: Network) -> None:
    row, column = np.argwhere((pairs < 0) | (pairs >= network.size))[0].tolist()
    rule = f"must be a node of {network.spec}, 0..{network.size - 1}"
    where = f"{_COLUMNS[column]} of message {row}"
    raise NodeError(where, rule, int(pairs[row, column]))
