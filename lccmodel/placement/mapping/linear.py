"""Linear mappings, and bounds that no mapping of a kind can beat [hou, Theorem 3, Lemmas 3-7].

**The least contention over all nonsingular Q.** On a hypercube a reordering is already as good as
any linear mapping: Theorem 3 bounds both. On a bristled hypercube, where bit 0 lies inside the
router, it is not. Let D = {Ax + x + b} be the set of displacements; renaming the nodes by Q turns
it into QD.

    D within {0, v}     row 1.. of Q orthogonal to v: no message leaves its router   degree 0
    rank A >= n - 1     Lemmas 5 and 7: rank [QAQ⁻¹]_({1..i},{0..i-1}) = i           degree 1
    rank A <= n - 2     Theorem 8 by a reordering                            2^(n-1-rank A)

The first line is Lemma 6 (A = I) together with what the paper leaves at degree 1: projections and
transvections A = I + v wᵗ with b in {0, v}.

**Bounds.** Bits that no message changes carry nothing and change no other load, so they may be left
out. Of the bits that remain on channels, the last one corrected (for a scatter, the first) carries
2^(n-1-rank A) at least, and each of them 1 at least. So, with u of them,

    degree      >= max(1, 2^(n-1-rank A))               and 0 for u = 0
    sum of T_i  >= u - 1 + max(1, 2^(n-1-rank A))       and 0 for u = 0

The print states the first line without the case u = 0, where it fails. A bristled hypercube hides
one bit of a reordering; a linear mapping hides everything if all displacements are multiples of
one vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lccmodel.communication.lcc import LCC
from lccmodel.gf2 import elimination
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.numbers import Number, as_number
from lccmodel.lattice.weights import SetObjective, exact_weights
from lccmodel.placement.mapping.walks import bristled_order, router_bits


def displacements(communication: LCC) -> tuple[int, ...]:
    """A basis of the span of all Ax + x + b: the directions in which messages travel.

    >>> displacements(LCC([[1, 0], [0, 1]], [1, 1]))
    (3,)
    """
    A, n = communication.A, communication.n
    directions = [*(A + GF2Matrix.identity(n)).columns, int(communication.b)]
    return tuple(elimination.reduced_rows(directions, n)[0])


def bristled_linear_mapping(communication: LCC) -> GF2Matrix:
    """A nonsingular Q of least contention on the bristled hypercube, of all nonsingular Q.

    >>> Q = bristled_linear_mapping(LCC([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1]))
    >>> bin(Q.apply(0b111))             # the only displacement stays inside the router
    '0b1'
    """
    n, rank = communication.n, communication.rank
    directions = displacements(communication)
    if len(directions) <= 1:
        return _turn_inside(directions, n)
    if rank <= n - 2:
        best = router_bits(communication)[0]
        return GF2Matrix.from_order(bristled_order(communication, best))
    return _directed(communication, _contention_free(communication.A))


def _turn_inside(directions: Sequence[int], n: int) -> GF2Matrix:
    """Q with Qv = e_0 for the one direction v [hou, Lemma 6]."""
    if not directions:
        return GF2Matrix.identity(n)
    columns = _completed(directions, n)
    return GF2Matrix.from_rows(columns, n).T.inverse()


def _contention_free(A: GF2Matrix) -> GF2Matrix:
    """Q with all leading minors of [QAQ⁻¹] without row 0 nonzero, for rank A >= n - 1.

    First a row 0 that later steps leave alone: 0 for a singular A (Lemma 4), e_(n-1) otherwise
    (Lemma 7). Then, from the last dimension down, wherever a minor vanishes, a dependent column j
    takes in column k-1, which is independent of the others (Lemma 5, with the indices mended).
    """
    n = A.n_columns
    Q = _first_rows(A)
    B = A.conjugate(Q)
    for k in range(n, 1, -1):
        # Columns 0..k-1 of rows 1..k-1 have rank k-1; they shall keep it without column k-1.
        rows, columns = range(1, k), range(k)
        dependent = elimination.dependent_columns(B.submatrix(rows, columns).rows, k)
        if not dependent >> (k - 1) & 1:
            j = (dependent & -dependent).bit_length() - 1
            step = GF2Matrix.from_rows(
                (1 << i | (1 << j if i == k - 1 else 0) for i in range(n)), n
            )
            Q, B = step @ Q, B.conjugate(step)
    return Q


def _first_rows(A: GF2Matrix) -> GF2Matrix:
    """Q such that row 0 of QAQ⁻¹ is 0, or e_(n-1) if A is nonsingular (and not I)."""
    n, transposed = A.n_columns, A.T
    annihilators = transposed.kernel()
    if annihilators:
        return GF2Matrix.from_rows(_completed(annihilators[:1], n), n)
    first = next(1 << i for i in range(n) if A.rows[i] != 1 << i)
    last = transposed.apply(first)  # the row vector e_i A, which is row i
    others = _completed((first, last), n)[2:]
    return GF2Matrix.from_rows((first, *others, last), n)


def _directed(communication: LCC, Q: GF2Matrix) -> GF2Matrix:
    """For a scatter, the same path from its other end: dimensions 1..n-1 in reverse."""
    if communication.kind != "scatter":
        return Q
    n = communication.n
    return GF2Matrix.from_order((0, *range(n - 1, 0, -1))) @ Q


def _completed(vectors: Sequence[int], n: int) -> tuple[int, ...]:
    """A basis of GF(2)^n that begins with these independent vectors."""
    basis = list(vectors)
    for i in range(n):
        if elimination.rank([*basis, 1 << i]) > len(basis):
            basis.append(1 << i)
    return tuple(basis)


def reordering_bound(
    communications: Sequence[LCC],
    weights: Sequence[Number],
    objective: SetObjective,
    internal: int,
) -> Number:
    """A bound on the objective for every reordering.

    Args:
        communications: the members.
        weights: one positive weight a member.
        objective: "max-max", "max-sum" or "sum-sum".
        internal: how many bits lie inside a router (0 or 1).

    >>> reordering_bound([LCC([[0, 0], [0, 0]])], [1], "max-max", 0)
    2
    """
    scale, integers = exact_weights(weights, len(communications))
    used = [max(sum(c.moves(i) for i in range(c.n)) - internal, 0) for c in communications]
    last = [_last(c) if u else 0 for c, u in zip(communications, used, strict=True)]
    busiest = max(w * load for w, load in zip(integers, last, strict=True))
    total = sum(w * (u - 1 + load) for w, u, load in zip(integers, used, last, strict=True) if u)
    if objective == "max-max":
        bound = Fraction(busiest)
    elif objective == "sum-sum":
        bound = Fraction(total)
    else:  # the busiest dimension carries at least the mean of all
        bound = max(Fraction(busiest), Fraction(total, max(communications[0].n - internal, 1)))
    return as_number(bound / scale)


def linear_bound(communication: LCC, internal: int) -> int:
    """A bound on the degree for every nonsingular Q.

    >>> linear_bound(LCC([[1, 0], [0, 1]], [1, 1]), 1)
    0
    """
    return _last(communication) if len(displacements(communication)) > internal else 0


def _last(communication: LCC) -> int:
    return 1 << max(communication.n - 1 - communication.rank, 0)
