"""The census: what is walked and counted of every pair (A, b) in a range, as arrays.

A claim about all pairs, or about all matrices, is then a predicate on arrays, a few lines with its
control beside it; one driver cuts the range, counts the cases and finds the first that fails. For
n = 2 and the pairs with A = [[0, 1], [1, 0]] (rows 2 and 1, code 9):

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
from functools import cached_property, lru_cache
from typing import Any, Unpack

import numpy as np

from lccmodel.errors import SizeLimitError
from lccmodel.kernels.jit import borrowed, kernel
from proofs_check.arrays import Degrees, Flags, Ints
from proofs_check.claim import Claim, Examined, Stated, batch_claim, with_stated
from proofs_check.domain import PAIRS, AllMatrices, Domain, Product
from proofs_check.packed import rank_within, unpack_rows
from proofs_check.walk import set_destination_planes, set_source_planes, walk

MAX_WALKED = 4
"""Largest n for which all 2^(n²+n) pairs are walked and a number of each is kept."""

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
    """What is counted of the cases start <= index < stop; arrays with a row for each.

    The cases are those of `PAIRS`, or of another domain of matrices, with all vectors or without.

    >>> census = Census(2, 36, 38)
    >>> census.loads().tolist(), census.still.tolist(), census.rank([0b11], [0b11]).tolist()
    ([[1, 1], [1, 1]], [[False, False], [False, False]], [[2], [2]])
    """

    def __init__(self, n: int, start: int, stop: int, over: Domain = PAIRS) -> None:
        self.n, self.start, self.stop = n, start, stop
        self._matrices, vectors = (
            (over.left, over.right) if isinstance(over, Product) else (over, None)
        )
        self._vector_bits = 0 if vectors is None else n

    def loads(self, *, scatter: bool = False, blind: int = 0) -> Ints:
        """T_i walked: messages on the busiest channel of every dimension, shape (cases, n)."""
        loads = np.empty((self.stop - self.start, self.n), np.int64)
        _fill_loads(self.n, self.start, scatter, blind, loads)
        return loads

    @cached_property
    def index(self) -> Ints:
        """The indices of the cases."""
        return np.arange(self.start, self.stop)

    @cached_property
    def code(self) -> Ints:
        """The indices of the matrices."""
        return self.index >> self._vector_bits

    @cached_property
    def b(self) -> Ints:
        """The packed vectors."""
        return self.index & ((1 << self._vector_bits) - 1)

    @cached_property
    def rows(self) -> Ints:
        """The packed rows of the matrices, shape (cases, n)."""
        shifts = self.n * (self.n - 1 - np.arange(self.n))
        return np.asarray(self.code[:, None] >> shifts & ((1 << self.n) - 1))

    @cached_property
    def images(self) -> Ints:
        """Ax + b for every x, shape (cases, 2^n)."""
        rows, images = self.rows, np.empty((len(self.index), 1 << self.n), np.int64)
        images[:, 0] = self.b
        for j in range(self.n):  # x with the highest bit j
            column = ((rows >> j & 1) << np.arange(self.n)).sum(axis=1)
            images[:, 1 << j : 2 << j] = images[:, : 1 << j] ^ column[:, None]
        return images

    @cached_property
    def is_identity(self) -> Flags:
        """Whether A = I."""
        return np.asarray((self.rows == 1 << np.arange(self.n)).all(axis=1))

    @cached_property
    def still(self) -> Flags:
        """Whether y_i = x_i for all x, shape (cases, n)."""
        bits = np.arange(self.n)
        return np.asarray((self.rows == 1 << bits) & (self.b[:, None] >> bits & 1 == 0))

    def rank(self, rows: Sequence[int], columns: Sequence[int]) -> Ints:
        """The rank of A_(R, C) for each of the pairs of sets, as masks; shape (cases, sets)."""
        first, last = int(self.code[0]), int(self.code[-1])
        ranks = np.empty((last - first + 1, len(rows)), np.int64)
        scratch = np.empty((2, self.n), np.int64)
        _fill_ranks(self.n, first, np.array(rows), np.array(columns), scratch, ranks)
        return np.asarray(ranks[self.code - first])

    @cached_property
    def ranks(self) -> Ints:
        """The ranks of the matrices."""
        everything = [(1 << self.n) - 1]
        return self.rank(everything, everything)[:, 0]

    @cached_property
    def is_case(self) -> Flags:
        """Whether the domain holds the matrix."""
        held = np.ones(len(self.index), np.bool_)
        if isinstance(self._matrices, AllMatrices):
            least, most = self._matrices.ranks_kept(self.n)
            if least > 0 or most < self.n:
                held = (least <= self.ranks) & (self.ranks <= most)
            held &= self.code != self._matrices.code_left_out(self.n)
        return held


def number_of_all(n: int, number: Callable[[Census], Ints]) -> Degrees:
    """A number, from -128 to 127, of every pair of n bits; int8 of shape (2^(n²+n),), read-only.

    Raises:
        SizeLimitError: n > 4.

    >>> number_of_all(1, lambda census: census.ranks).tolist()
    [0, 0, 1, 1]
    """
    if n > MAX_WALKED:
        raise SizeLimitError("n", f"numbers of all pairs are kept up to n = {MAX_WALKED}", n)
    numbers = np.zeros(1 << n * n + n, dtype=np.int8)
    for low in range(0, len(numbers), _CHUNK):
        census = Census(n, low, min(low + _CHUNK, len(numbers)))
        numbers[low : census.stop] = number(census)
    numbers.flags.writeable = False
    return numbers


@lru_cache(maxsize=16)
def walked_degrees(n: int, *, scatter: bool = False, blind: int = 0) -> Degrees:
    """T(A, b) of every pair: the load of the busiest channel when x sends to Ax + b by e-cube.

    `scatter` sends from Ay + b to y, `blind` = 1 is the Origin 2000. int8 of shape (2^(n²+n),),
    read-only; n = 0 is one node and nothing to send.

    Raises:
        SizeLimitError: n > 4.

    >>> walked_degrees(1).tolist()      # (0, 0), (0, 1), (1, 0), (1, 1)
    [1, 1, 0, 1]
    >>> int(walked_degrees(2, scatter=True)[0])     # node 0 sends to all four nodes
    2
    """
    return number_of_all(
        n, lambda census: census.loads(scatter=scatter, blind=blind).max(axis=1, initial=0)
    )


def census_claim(id: str, **declared: Unpack[Stated]) -> Callable[[Callable[..., Flags]], Claim]:
    """Declare a claim whose function says of every case of a `Census` whether it holds there.

    The function takes a `Census` and the parameters as keywords, and returns a bool array with an
    entry for every index. The domain consists of matrices, or of matrices with all vectors; other
    arguments are those of `claim`.
    """

    def decorate(predicate: Callable[..., Flags]) -> Claim:
        stated = with_stated(predicate, declared)
        over = stated["over"]

        @functools.wraps(predicate)
        def check(n: int, start: int, stop: int, **parameters: Any) -> Examined:
            cases = 0
            for low in range(start, stop, _CHUNK):
                census = Census(n, low, min(low + _CHUNK, stop), over)
                examined = Examined.of(low, predicate(census, **parameters), census.is_case)
                cases += examined.cases
                if examined.failing is not None:
                    return Examined(cases, examined.failing)
            return Examined(cases)

        return batch_claim(id, **stated)(check)

    return decorate
