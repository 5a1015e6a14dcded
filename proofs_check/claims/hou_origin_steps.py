"""What the claims on the Origin 2000 rest on: ranks, meeting messages, displacements, steps.

[hou, section 7]: bit 0 picks one of the two nodes of a router, channels exist for bits 1..n-1
only, and the messages of both nodes share them. With e-cube routing, when bit i is corrected next,
messages x and x + v of y = Ax + b stand in one router and both or neither cross, just when

    v lies in the bits 0..i-1  and  Av has none of the bits 1..i.

The number of such v is 2^(i - rank B_(L_i,L_i)) with B = A without row 0, which is how the ranks
of the lemmas are counted here. Contention is never taken from it: messages are walked.

A state of a proof is an array of n+1 words: the rows of A, then b. Every step turns it into that of
(QAQ⁻¹, Qb) for an elementary Q, so what a construction leaves behind is the mapped communication
itself. Where a proof says "there is a column j such that ..." it is run with every such j: see
`proofs_check.constructions`. `log` keeps the steps: log[0] is their number, each is
kind << 16 | j << 8 | k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from lccmodel.errors import SizeLimitError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import borrowed, kernel, lowest_bit
from proofs_check.arrays import Degrees, Ints
from proofs_check.census import Census, number_of_all
from proofs_check.constructions import chosen
from proofs_check.domain import AllMatrices
from proofs_check.driver import Case
from proofs_check.orbits import least_over_orbit, matrix_orbits
from proofs_check.packed import exchange_both, rank_within, unpack_rows

_MAX_MATRIX = 5


class OfRank(AllMatrices):
    """Every n by n matrix whose rank is in `ranks_of(n)`, the identity left out on demand.

    >>> OfRank("A", lambda n: range(n - 1), "rank A ≤ n-2").size(3)      # zero, 49 of rank 1
    50
    """

    def __init__(
        self,
        name: str,
        ranks_of: Callable[[int], Sequence[int]],
        text: str,
        *,
        without_identity: bool = False,
    ) -> None:
        super().__init__(name)
        self.ranks_of, self.without_identity = ranks_of, without_identity
        self.text = f"all {name} with {text}"

    def fingerprint(self) -> str:
        return f"{super().fingerprint()} {self.without_identity}"

    def code(self) -> tuple[object, ...]:
        return (type(self), self.ranks_of)

    def size(self, n: int) -> int:
        """Sum over r of the number of matrices of rank r, prod (2^n - 2^i)² / (2^r - 2^i)."""
        count = 0
        for r in self.ranks_of(n):
            frames = math.prod((1 << n) - (1 << i) for i in range(r))
            count += frames * frames // math.prod((1 << r) - (1 << i) for i in range(r))
        return count - self.without_identity

    def ranks_kept(self, n: int) -> tuple[int, int]:
        kept = self.ranks_of(n)
        return min(kept, default=n + 1), max(kept, default=-1)

    def code_left_out(self, n: int) -> int:
        return sum(1 << i + n * (n - 1 - i) for i in range(n)) if self.without_identity else -1

    def _keeps(self, rows: Sequence[int], n: int) -> bool:
        identity = self.without_identity and all(row == 1 << i for i, row in enumerate(rows))
        return not identity and super()._keeps(rows, n)


# -- messages that share a router, counted ------------------------------------------------


@kernel
def count_together(n: int, rows: Ints, images: Ints, counts: Ints) -> int:
    """counts[i] = how many v in bits 0..i-1 have no bit 1..i in Av; returns the largest.

    That is 2^(i - rank B_(L_i,L_i)). `images` is scratch of length 2^(n-1), `counts` has n
    entries; counts[0] = 1 stands for the dimension that is no channel.
    """
    counts[:] = 1
    images[0] = 0
    top = 0  # the highest bit of v
    for v in range(1, 1 << (n - 1)):
        if v >> (top + 1):
            top += 1
        j = lowest_bit(np.uint64(v))
        column = 0
        for i in range(n):
            column |= (rows[i] >> j & 1) << i
        image = images[v & (v - 1)] ^ column
        images[v] = image
        for i in range(top + 1, n):
            if image & ((2 << i) - 2):
                break
            counts[i] += 1
    return int(counts.max())


@kernel
def _fill_together(n: int, largest: Degrees) -> None:
    rows, counts = np.empty(n, np.int64), np.empty(n, np.int64)
    images = np.empty(1 << (n - 1), np.int64)
    for code in range(largest.size):
        unpack_rows(code, n, rows)
        largest[code] = count_together(n, rows, images, counts)


@kernel
def vanishing_sums(n: int, rows: Ints, sums: Ints) -> int:
    """sums[c] = the sum of the rows in the mask c; returns how many are zero, 2^(n - rank)."""
    sums[0] = 0
    zeros = 1
    for i in range(n):
        for c in range(1 << i):
            sums[c | 1 << i] = sums[c] ^ rows[i]
            zeros += sums[c | 1 << i] == 0
    return zeros


@lru_cache(maxsize=8)
def together(n: int) -> Degrees:
    """Largest 2^(i - rank B_(L_i,L_i)), i = 1..n-1, of every matrix; int8 of shape (2^(n²),).

    Raises:
        SizeLimitError: n > 5.
    """
    if n > _MAX_MATRIX:
        raise SizeLimitError("n", f"all matrices are tabulated up to n = {_MAX_MATRIX}", n)
    largest = np.zeros(1 << n * n, dtype=np.int8)
    _fill_together(n, largest)
    largest.flags.writeable = False
    return largest


@lru_cache(maxsize=8)
def least_together(n: int) -> Degrees:
    """The least over all nonsingular Q of the largest 2^(i - rank B_(L_i,L_i)); n <= 5."""
    return least_over_orbit(matrix_orbits(n), together(n))


# -- displacements ------------------------------------------------------------------------


@lru_cache(maxsize=8)
def sole_displacement(n: int) -> Degrees:
    """For every pair the v with all x + y in {0, v}; 0 if nothing moves, -1 if there is no v.

    >>> sole_displacement(1).tolist()
    [1, 1, 0, 1]
    """

    def sole(census: Census) -> Ints:
        moves = census.images ^ np.arange(1 << n)
        line = moves.max(axis=1, keepdims=True)
        return np.where(((moves == 0) | (moves == line)).all(axis=1), line[:, 0], -1)

    return number_of_all(n, sole)


# -- the steps of the proofs, on packed rows ---------------------------------------------------


EXCHANGED, ADDED = 0, 1


@kernel
def start(case: Case, state: Ints) -> None:
    """The state of a case before the first step."""
    state[:] = 0
    for k in range(case.n):
        state[k] = case.rows[k]
    state[case.n] = case.b


@kernel
def exchange(n: int, state: Ints, j: int, k: int, log: Ints) -> None:
    """Exchange rows j and k, columns j and k."""
    if j == k:
        return
    exchange_both(n + 1, state, j, k)
    log[0] += 1
    log[log[0]] = EXCHANGED << 16 | j << 8 | k


@kernel
def add(n: int, state: Ints, target: int, source: int, log: Ints) -> None:
    """Add row `source` to row `target`, and column `target` to column `source`."""
    state[target] ^= state[source]
    for r in range(n):
        state[r] ^= (state[r] >> target & 1) << source
    state[n] ^= (state[n] >> source & 1) << target
    log[0] += 1
    log[log[0]] = ADDED << 16 | source << 8 | target


@kernel
def rank_below(rows: Ints, height: int, columns: int, work: Ints) -> int:
    """Rank of rows 1..height with the columns in the mask."""
    return rank_within(rows, (2 << height) - 2, columns, work)


@kernel
def dependent_columns(rows: Ints, height: int, width: int, work: Ints) -> int:
    """The columns of rows 1..height, columns 0..width-1 that the others combine to, as a mask."""
    rows, work = borrowed(rows), borrowed(work)
    block = (1 << width) - 1
    rank = rank_below(rows, height, block, work)
    found = 0
    for j in range(width):
        if rank_below(rows, height, block & ~(1 << j), work) == rank:
            found |= 1 << j
    return found


@kernel
def dependent_rows(n: int, rows: Ints, sums: Ints) -> int:
    """The rows that are linear combinations of the others: those in a sum that vanishes."""
    vanishing_sums(n, rows, sums)
    found = 0
    for c in range(1 << n):
        if sums[c] == 0:
            found |= c
    return found


# -- the constructions; each returns the number of choices made, or -1 where it gets stuck ----


@kernel
def reordered_proof(
    n: int, state: Ints, partner: int, taken: Ints, offered: Ints, log: Ints, work: Ints
) -> int:
    """The proof of Theorem 8: rows and columns j and k + partner (print: k-1) are exchanged."""
    log[0] = 0
    j = chosen(dependent_rows(n, state, work), 0, taken, offered)
    if j < 0:
        return -1
    exchange(n, state, 0, j, log)
    rank = rank_below(state, n - 1, (1 << n) - 1, work)
    step = 1
    for k in range(n, 1, -1):  # k = n: part (1)b, whatever the partner; then (3) for i = k-1
        without = rank_below(state, k - 1, (1 << (k - 1)) - 1, work)
        if k - 1 - without <= n - 1 - rank:
            continue
        other = k - 1 if k == n else k + partner
        j = chosen(dependent_columns(state, k - 1, k, work) & ~1, step, taken, offered)
        if j < 0:
            return -1
        exchange(n, state, j, other, log)
        step += 1
    return step


@kernel
def row_zero(
    n: int, state: Ints, combine: bool, taken: Ints, offered: Ints, log: Ints, work: Ints
) -> int:
    """The proof of Lemma 4: a dependent row goes to 0, and what it is the sum of is subtracted."""
    log[0] = 0
    j = chosen(dependent_rows(n, state, work), 0, taken, offered)
    if j < 0:
        return -1
    exchange(n, state, 0, j, log)
    vanishing_sums(n, state, work)
    candidates = 0
    for c in range(0, 1 << n, 2):
        if work[c] == state[0]:
            candidates |= 1 << (c >> 1)
    c = chosen(candidates, 1, taken, offered) << 1
    for i in range(1, n):
        if combine and c >> i & 1:
            add(n, state, 0, i, log)
    return 2


@kernel
def leading_minors(
    n: int, state: Ints, partner: int, step: int, taken: Ints, offered: Ints, log: Ints, work: Ints
) -> int:
    """Part (2) of the proof of Lemma 5: row j is added to row k + partner (print: k)."""
    for k in range(n, 1, -1):  # k = n: part a, i = n-1; then part c for i = k-1
        if rank_below(state, k - 1, (1 << (k - 1)) - 1, work) == k - 1:
            continue
        target = k - 1 if k == n else k + partner
        candidates = dependent_columns(state, k - 1, k, work) & ~(1 << target)
        j = chosen(candidates, step, taken, offered)
        if j < 0:
            return -1
        add(n, state, target, j, log)
        step += 1
    return step


@kernel
def straight_out(n: int, state: Ints, log: Ints) -> None:
    """Step (2) of the proof of Lemma 7: with entry (0, n-1) = 1, row 0 becomes (0, ..., 0, 1)."""
    for j in range(n - 1):
        if state[0] >> j & 1:
            add(n, state, n - 1, j, log)


@kernel
def turn_inside(n: int, state: Ints, line: int, log: Ints) -> None:
    """The proof of Lemma 6 with `line` for b: Q with Q·line = e_0."""
    j = 0
    while not line >> j & 1:
        j += 1
    exchange(n, state, 0, j, log)
    if not line & 1:
        line ^= 1 | 1 << j
    for i in range(1, n):
        if line >> i & 1:
            add(n, state, i, 0, log)


@kernel
def linear_image(
    n: int, state: Ints, rank: int, line: int, taken: Ints, offered: Ints, log: Ints, work: Ints
) -> bool:
    """Apply the mapping of Theorem 8 or Lemmas 5-7, indices as repaired; False if stuck.

    Choices are those in `taken`. Where `line` is not 0, the mapping of Lemma 6 with it for b.
    """
    log[0] = 0
    identity = True
    for i in range(n):
        identity = identity and state[i] == 1 << i
    step = 0
    if line or identity:
        inside = line if line else state[n]
        if inside:
            turn_inside(n, state, inside, log)
    elif rank <= n - 2:
        step = reordered_proof(n, state, -1, taken, offered, log, work)
    elif rank == n - 1:
        step = row_zero(n, state, True, taken, offered, log, work)
        step = leading_minors(n, state, -1, step, taken, offered, log, work)
    else:
        for i in range(n):
            others = state[i] & ~(1 << i)
            if others:  # entry (i, j) = 1 goes to (0, n-1)
                j = 0
                while not others >> j & 1:
                    j += 1
                exchange(n, state, 0, i, log)
                exchange(n, state, n - 1, i if j == 0 else j, log)
                break
        straight_out(n, state, log)
        step = leading_minors(n, state, -1, 0, taken, offered, log, work)
    return step >= 0


def read_log(n: int, log: Sequence[int]) -> tuple[GF2Matrix, list[str]]:
    """Q of the logged steps, and the steps in words; plain matrices, no kernel.

    >>> Q, words = read_log(2, [2, EXCHANGED << 16 | 1, ADDED << 16 | 1])
    >>> words, Q
    (['exchange 0 and 1', 'add row 0 to row 1'], GF2Matrix([[0, 1], [1, 1]]))
    """
    Q, words = GF2Matrix.identity(n), []
    for entry in log[1 : int(log[0]) + 1]:
        kind, j, k = int(entry) >> 16, int(entry) >> 8 & 255, int(entry) & 255
        units = [1 << i for i in range(n)]
        if kind == ADDED:
            units[k] |= 1 << j
            words.append(f"add row {j} to row {k}")
        else:
            units[j], units[k] = units[k], units[j]
            words.append(f"exchange {min(j, k)} and {max(j, k)}")
        Q = GF2Matrix.from_rows(units, n) @ Q
    return Q, words
