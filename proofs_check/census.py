"""The census: what is walked and counted of every pair (A, b) in a range, as arrays.

A claim about all pairs is then a predicate on arrays, a few lines with its control beside it; one
driver cuts the range, counts the cases and finds the first that fails. For n = 2 and the pairs
with A = [[0, 1], [1, 0]] (rows 2 and 1, code 9):

    index   b    loads (T_0, T_1)   still (y_i = x_i)
    36      00   1  1               no  no
    37      01   1  1               no  no
    ...

The numbers are the checker's own: messages are walked (`proofs_check.walk`), ranks are taken by
elimination on packed rows. Nothing of the library is asked.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._jit import borrowed, kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.claim import Claim, Examined, batch_claim
from proofs_check.elimination import rank_within
from proofs_check.walk import set_destination_planes, set_source_planes, unpack_rows, walk

__all__ = ["Census", "census_claim", "degrees_of_all"]


_CHUNK = 1 << 14
"""Cases whose arrays are held at a time: a few MiB."""


@kernel
def _fill_loads(n: int, start: int, scatter: bool, blind: int, loads: Ints) -> None:
    """loads[k, i] = T_i of the pair with index start + k, every message walked by e-cube.

    `scatter` sends from Ay + b to y; bits in `blind` lie inside the routers.
    """
    rows = np.empty(n, np.int64)
    nodes, images, present = np.empty((3, n), np.uint64)
    sets = np.empty(1 << n, np.uint64)
    order = np.arange(n)
    set_source_planes(n, nodes)
    for k in range(len(loads)):
        index = start + k
        unpack_rows(index >> n, n, rows)
        set_destination_planes(n, rows, index & ((1 << n) - 1), nodes, images)
        if scatter:
            walk(n, order, blind, images, nodes, present, sets, loads[k])
        else:
            walk(n, order, blind, nodes, images, present, sets, loads[k])


@kernel
def _fill_ranks(
    n: int, first: int, row_masks: Ints, column_masks: Ints, scratch: Ints, ranks: Ints
) -> None:
    """ranks[c, k] = rank of A_(R_k, C_k) for the matrix with code first + c."""
    rows, basis = borrowed(scratch)
    for c in range(len(ranks)):
        unpack_rows(first + c, n, rows)
        for k in range(len(row_masks)):
            ranks[c, k] = rank_within(rows, row_masks[k], column_masks[k], basis)


class Census:
    """What is counted of the pairs start <= index < stop of `PAIRS`; arrays with a row for each.

    >>> census = Census(2, 36, 38)
    >>> census.loads().tolist(), census.still.tolist(), census.rank([0b11], [0b11]).tolist()
    ([[1, 1], [1, 1]], [[False, False], [False, False]], [[2], [2]])
    """

    def __init__(self, n: int, start: int, stop: int) -> None:
        self.n, self.start, self.stop = n, start, stop

    def loads(self, *, scatter: bool = False, blind: int = 0) -> Ints:
        """T_i walked: messages on the busiest channel of every dimension, shape (cases, n)."""
        found = np.empty((self.stop - self.start, self.n), np.int64)
        _fill_loads(self.n, self.start, scatter, blind, found)
        return found

    @cached_property
    def index(self) -> Ints:
        """The indices of the pairs."""
        return np.arange(self.start, self.stop)

    @cached_property
    def b(self) -> Ints:
        """The packed vectors."""
        return self.index & ((1 << self.n) - 1)

    @cached_property
    def rows(self) -> Ints:
        """The packed rows of the matrices, shape (cases, n)."""
        shifts = self.n * (self.n - 1 - np.arange(self.n))
        return np.asarray((self.index >> self.n)[:, None] >> shifts & ((1 << self.n) - 1))

    @cached_property
    def still(self) -> Flags:
        """Whether y_i = x_i for all x, shape (cases, n)."""
        bits = np.arange(self.n)
        return np.asarray((self.rows == 1 << bits) & (self.b[:, None] >> bits & 1 == 0))

    def rank(self, rows: Sequence[int], columns: Sequence[int]) -> Ints:
        """The rank of A_(R, C) for each of the pairs of sets, as masks; shape (cases, sets)."""
        first, last = self.start >> self.n, (self.stop - 1) >> self.n
        found = np.empty((last - first + 1, len(rows)), np.int64)
        scratch = np.empty((2, self.n), np.int64)
        _fill_ranks(self.n, first, np.array(rows), np.array(columns), scratch, found)
        return np.asarray(found[(self.index >> self.n) - first])


def degrees_of_all(n: int, *, scatter: bool = False, blind: int = 0) -> npt.NDArray[np.int8]:
    """T(A, b) = max T_i of every pair of n bits, walked; int8 of shape (2^(n²+n),), read-only.

    >>> degrees_of_all(1).tolist()      # (0, 0), (0, 1), (1, 0), (1, 1)
    [1, 1, 0, 1]
    """
    span = 1 << n * n + n
    degrees = np.zeros(span, dtype=np.int8)
    for low in range(0, span if n else 0, _CHUNK):
        census = Census(n, low, min(low + _CHUNK, span))
        degrees[low : census.stop] = census.loads(scatter=scatter, blind=blind).max(axis=1)
    degrees.flags.writeable = False
    return degrees


def census_claim(id: str, **declared: Any) -> Callable[[Callable[..., Flags]], Claim]:
    """Declare a claim whose function says of every pair of a `Census` whether it holds there.

    The function takes a `Census` and the parameters as keywords, and returns a bool array with an
    entry for every pair. The domain is `PAIRS`; other arguments are those of `claim`.
    """

    def decorate(predicate: Callable[..., Flags]) -> Claim:
        @functools.wraps(predicate)
        def check(n: int, start: int, stop: int, **parameters: Any) -> Examined:
            for low in range(start, stop, _CHUNK):
                census = Census(n, low, min(low + _CHUNK, stop))
                found = Examined.of(low, predicate(census, **parameters))
                if found.failing is not None:
                    return Examined.until(start, stop, found.failing)
            return Examined(stop - start)

        return batch_claim(id, **declared)(check)

    return decorate
