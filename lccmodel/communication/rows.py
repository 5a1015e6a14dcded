"""Rows of numbers without a header: a matrix of volumes, or messages. One table decides.

    rows × columns      reading
    k × k, k ≥ 5        matrix: entry [s, d] is sent from s to d
    4 × 4               matrix, unless the first two columns can be ranks and the diagonal is not
                        zero: refused
    3 × 3, 2 × 2        zero diagonal: matrix; the first two columns can be ranks: messages;
                        both, with different messages, or neither: refused
    m × 2, m × 3        messages: source, destination and perhaps volume
    others              refused

Columns can be ranks if they are 0..r - 1 or 1..r without a gap, no message is to its own rank, no
pair is repeated and every volume is above 0. Three rows of three are never both: on a zero
diagonal the third message would carry 0. Two tables of two rows are: `0 1 / 2 0`, `0 2 / 1 0`.

Messages whose ranks begin at 1 are refused unless the first rank is stated: 1, or 0 if rank 0 is
idle.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.errors import CommunicationError

Shape = Literal["matrix", "messages"]

_MATRIX_FROM = 5
"""Rows from which a square is a matrix whatever it holds."""

_MOST_NAMED = 6
"""Most ranks that a note lists."""


class Described(NamedTuple):
    """What a `Traffic` is made of: pairs, volumes or None, ranks or None, and notes."""

    messages: Any
    volumes: Any
    ranks: int | None
    notes: tuple[str, ...] = ()

    def among(self, ranks: int | None) -> Described:
        """Return the same among so many ranks, if a number is given."""
        return self if ranks is None else self._replace(ranks=ranks)


def shape_of(numbers: npt.NDArray[Any], stated: Shape | None = None) -> Shape:
    """Return whether rows of numbers are a matrix or messages.

    Args:
        numbers: shape (rows, columns).
        stated: what the caller says that they are.

    Raises:
        CommunicationError: neither, or both.

    >>> shape_of(np.array([[0, 512], [512, 0]])), shape_of(np.array([[0, 1, 9], [1, 0, 9]]))
    ('matrix', 'messages')
    """
    rows, columns = numbers.shape
    square, narrow = rows == columns, columns in (2, 3)
    if stated == "matrix" and not square:
        rule = f"a matrix must be square; its rows have {columns} numbers"
        raise CommunicationError("messages", rule, f"{rows} rows")
    if stated == "messages" and not narrow:
        rule = "a message must be source, destination and perhaps volume"
        raise CommunicationError("messages", rule, f"{columns} columns")
    if stated is not None:
        return stated
    if square and rows >= _MATRIX_FROM:
        return "matrix"
    if not square or rows == 1:
        if narrow:
            return "messages"
        rule = "a matrix must be square, and a message source, destination and perhaps volume"
        raise CommunicationError("messages", rule, f"{rows} rows of {columns} numbers")
    empty, ranks = not np.diag(numbers).any(), _can_be_ranks(numbers)
    if columns == _MATRIX_FROM - 1:
        if ranks and not empty:
            raise _unclear(numbers, "four numbers a row may be a message with its time or tag")
        return "matrix"
    if empty and ranks:
        if _is_swap(numbers):
            return "messages"
        raise _unclear(numbers, "may be a matrix, and may be messages")
    if not empty and not ranks:
        raise _unclear(
            numbers, "neither a matrix with a zero diagonal nor messages among all ranks"
        )
    return "matrix" if empty else "messages"


def _is_swap(numbers: npt.NDArray[Any]) -> bool:
    """Whether two rows are `0 1 / 1 0`, the same traffic as a matrix and as messages."""
    return bool(np.array_equal(numbers, [[0, 1], [1, 0]]))


def _unclear(numbers: npt.NDArray[Any], why: str) -> CommunicationError:
    rule = (
        f"{why}: state which (--as matrix, --as messages; Traffic.of_matrix(matrix), "
        "Traffic(messages, volumes))"
    )
    return CommunicationError("messages", rule, numbers.tolist())


def _can_be_ranks(numbers: npt.NDArray[Any]) -> bool:
    """Whether the first two columns can be ranks, each row another message."""
    pairs = numbers[:, :2]
    if numbers.dtype.kind not in "iuf" or not (pairs == np.floor(pairs)).all():
        return False
    names = np.unique(pairs)
    first = int(names[0])
    return bool(
        first in (0, 1)
        and np.array_equal(names, np.arange(first, first + len(names)))
        and (pairs[:, 0] != pairs[:, 1]).all()
        and distinct_pairs(pairs) == len(pairs)
        and (numbers.shape[1] == 2 or (numbers[:, 2] > 0).all())
    )


def described_by_rows(
    numbers: npt.NDArray[Any],
    stated: Shape | None = None,
    *,
    first_rank: int | None = None,
) -> Described:
    """Return the messages that rows of numbers say.

    Args:
        numbers: shape (rows, columns), of a numeric type.
        stated: "matrix" or "messages", what the caller says that they are.
        first_rank: what the first rank is called, 0 or 1, if it is stated.

    Raises:
        CommunicationError: see `shape_of`; ranks that begin at 1.

    >>> described_by_rows(np.array([[0, 4, 0], [0, 0, 0], [5, 0, 0]])).notes
    ('read as a 3×3 matrix: a row is a sender',)
    """
    rows, columns = numbers.shape
    if shape_of(numbers, stated) == "matrix":
        note = f"read as a {rows}×{rows} matrix: a row is a sender"
        return described_by_matrix(numbers)._replace(notes=(note,))
    pairs = counted_from(whole_numbers(numbers[:, :2]), first_rank)
    many = f"{rows} message{'' if rows == 1 else 's'}"
    notes = [f"read as {many}: source, destination{', volume' if columns == 3 else ''}"]
    if columns == 2 and (rows != 2 or _is_swap(numbers)):
        notes = []
    notes += notes_on_ranks(pairs)
    return Described(pairs, numbers[:, 2] if columns == 3 else None, None, tuple(notes))


def counted_from(pairs: Any, first_rank: int | None, ranks: int | None = None) -> Any:
    """Return messages among ranks 0, 1, ..., from ranks that begin at `first_rank`.

    Args:
        pairs: integers of shape (m, 2).
        first_rank: 0 or 1; None if it is not stated.
        ranks: the number of ranks, if it is stated; then nothing is in doubt.

    Raises:
        CommunicationError: the first rank is not stated and the smallest is 1.

    >>> counted_from(np.array([[1, 2], [2, 1]]), 1).tolist()
    [[0, 1], [1, 0]]
    """
    array = np.asarray(pairs)
    if not array.size or array.dtype.kind not in "iu":
        return pairs
    if first_rank:
        return array.astype(np.int64) - first_rank
    if first_rank is None and ranks is None and int(array.min()) == 1:
        largest = int(array.max())
        rule = (
            f"ranks count from 0; the ranks 1..{largest} look numbered from one: state "
            "--first-rank 1, or --first-rank 0 if rank 0 is idle; Traffic.of(messages, ranks)"
        )
        raise CommunicationError("messages", rule, largest)
    return pairs


def notes_on_ranks(pairs: npt.NDArray[Any]) -> list[str]:
    """Return notes on ranks without messages, and on pairs that are repeated."""
    notes: list[str] = []
    if not len(pairs) or pairs.dtype.kind not in "iu" or pairs.min() < 0:
        return notes
    named = _named(pairs)
    missing = int(named[-1]) + 1 - len(named)
    if missing:
        ahead = np.setdiff1d(np.arange(min(int(named[-1]), len(named) + _MOST_NAMED)), named)
        listed = ", ".join(map(str, ahead[:_MOST_NAMED].tolist()))
        if missing > _MOST_NAMED:
            listed += f" and {missing - _MOST_NAMED} more"
        many = "ranks" if missing > 1 else "rank"
        notes.append(f"no message names {many} {listed}: idle, sends no messages")
    repeated = len(pairs) - distinct_pairs(pairs)
    if repeated:
        many = f"{repeated} message{'' if repeated == 1 else 's'}"
        notes.append(f"{many} repeat{'s' * (repeated == 1)} a pair: their volumes are added up")
    return notes


def _named(pairs: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the ranks that messages name, sorted; a large table names each many times."""
    if pairs.max() > 4 * len(pairs):
        return np.unique(pairs)
    is_named = np.zeros(int(pairs.max()) + 1, np.bool_)
    is_named[pairs] = True
    return np.flatnonzero(is_named)


def distinct_pairs(pairs: npt.NDArray[Any]) -> int:
    """Return the number of different rows of two columns."""
    if pairs.dtype.kind in "iu" and pairs.size and 0 <= pairs.min() and pairs.max() < 1 << 31:
        keys = np.sort(pairs[:, 0].astype(np.int64) << 31 | pairs[:, 1].astype(np.int64))
        return 1 + int(np.count_nonzero(keys[1:] != keys[:-1]))  # np.unique hashes: slower
    return len(np.unique(pairs, axis=0))


def whole_numbers(values: Any) -> Any:
    """Return integers that another column has made floats or objects of, as integers again."""
    array = np.asarray(values)
    if array.dtype.kind == "O":
        array = np.asarray(array.tolist())
    if array.dtype.kind == "f" and (array == np.floor(array)).all() and (abs(array) < 2**53).all():
        return array.astype(np.int64)
    return array


def described_by_matrix(matrix: Any) -> Described:
    """Return the messages of a square matrix, dense or `scipy.sparse`; see `Traffic.of_matrix`.

    Raises:
        CommunicationError: not square, or entries that are no numbers.
    """
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
