"""Every order of correcting bits at once: which messages meet, and degrees under all reorderings.

Nothing here takes a rank. Messages x and x + v of y = Ax + b stand in one node after the bits S
are corrected, and both or neither change bit j next, just when

    v lies in S,  Av has no bit in S  and none in j.

So the number of such v (v = 0 included) is the load of the channels of dimension j, if any message
changes bit j. `count_meetings` tabulates it for all S and j; an order is a path through the
subsets of bits. For n <= 4 the degree T(A, b) of every pair is walked once
(`census.walked_degrees`); that of a reordering is the entry of the pair (QAQ⁻¹, Qb).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import kernel, lowest_bit
from proofs_check.arrays import Degrees, Ints
from proofs_check.walk import route, walked_contention


@lru_cache(maxsize=8)
def all_orders(n: int) -> Ints:
    """All orders of n bits, lexicographically; shape (n!, n).

    >>> all_orders(2).tolist()
    [[0, 1], [1, 0]]
    """
    orders = np.array(list(itertools.permutations(range(n))), dtype=np.int64)
    orders.flags.writeable = False
    return orders


@kernel
def count_meetings(n: int, rows: Ints, rows_less: int, images: Ints, counts: Ints) -> int:
    """counts[S, j]: how many v lie in S with Av outside S and outside j; returns #{v : Av = 0}.

    With `rows_less` = 1 bit j of Av is not asked about: the messages in one node after S, not
    those on one channel. `images` is scratch of length 2^n; `counts` has shape (2^n, n).
    """
    everything = (1 << n) - 1
    counts[:] = 1
    images[0] = 0
    nullspace = 1
    for v in range(1, 1 << n):
        j = lowest_bit(np.uint64(v))
        column = 0
        for i in range(n):
            column |= (rows[i] >> j & 1) << i
        image = images[v & (v - 1)] ^ column
        images[v] = image
        if image == 0:
            nullspace += 1
        if v & image:
            continue
        free = everything & ~(v | image)
        more = free
        while True:  # every S with v <= S <= complement of Av
            S = v | more
            allowed = everything & ~S if rows_less else free & ~more
            for k in range(n):
                if allowed >> k & 1:
                    counts[S, k] += 1
            if more == 0:
                break
            more = (more - 1) & free
    return nullspace


@kernel
def order_exists(n: int, counts: Ints, bound: int) -> bool:
    """Whether some order has counts[S, j] <= bound all along; n <= 5."""
    reached = 1  # bit S: some order of the bits S keeps the bound
    full = (1 << n) - 1
    for S in range(full):
        if not reached >> S & 1:
            continue
        for j in range(n):
            if not S >> j & 1 and counts[S, j] <= bound:
                reached |= 1 << (S | 1 << j)
    return bool(reached >> full & 1)


@kernel
def most_meeting(order: Ints, counts: Ints) -> int:
    """The largest counts[S, j] along an order."""
    S = most = 0
    for j in order:
        most = max(most, counts[S, j])
        S |= 1 << j
    return most


@kernel
def reordered(n: int, index: int, order: Ints) -> int:
    """The index in `PAIRS` of (QAQ⁻¹, Qb), where order[k] is the old bit that becomes bit k."""
    code, b = index >> n, index & ((1 << n) - 1)
    image = 0
    for r in range(n):
        row = code >> (n * (n - 1 - order[r])) & ((1 << n) - 1)
        moved = 0
        for c in range(n):
            moved |= (row >> order[c] & 1) << c
        image = image << n | moved
    for k in range(n):
        image = image << 1 | (b >> order[n - 1 - k] & 1)
    return image


@kernel
def best_reordered(n: int, index: int, orders: Ints, degrees: Degrees, enough: int) -> int:
    """The least degree over the reorderings of a pair, or the first that is `enough`."""
    best = 127
    for o in range(len(orders)):
        best = min(best, int(degrees[reordered(n, index, orders[o])]))
        if best <= enough:
            break
    return best


def degrees_of_orders(A: GF2Matrix, b: int) -> dict[tuple[int, ...], int]:
    """T of (A, b), all messages walked, for every order of correcting the bits.

    >>> degrees_of_orders(GF2Matrix([[0, 0], [1, 0]]), 0)
    {(0, 1): 1, (1, 0): 2}
    """
    orders = itertools.permutations(range(A.n_columns))
    return {order: max(walked_contention(A, b, order), default=0) for order in orders}


def exponents(A: GF2Matrix, order: Sequence[int]) -> list[int]:
    """i - rank [QAQ⁻¹]_(L_(i+1),L_i) for every i, with the Q of an order.

    >>> exponents(GF2Matrix([[0, 0], [1, 0]]), (1, 0))
    [0, 1]
    """
    D = A.submatrix(order, order)
    return [i - D.submatrix(range(i + 1), range(i)).rank for i in range(A.n_columns)]


def ecube_paths(A: GF2Matrix, b: int, order: Iterable[int] | None = None) -> list[list[int]]:
    """The path of every node's message to Ax + b, dimensions in `order` (default 0..n-1).

    >>> ecube_paths(GF2Matrix([[0, 1], [1, 0]]), 0)
    [[0], [1, 0, 2], [2, 3, 1], [3]]
    """
    steps = list(range(A.n_columns) if order is None else order)
    return [route(x, A.apply(x) ^ b, steps) for x in range(1 << A.n_columns)]
