"""Conditional exchanges and elimination: [edelman], Lemma 3.1, Theorem 3.1, Corollary 3.1.

`edelman_kernels` multiplies all exchanges out, eliminates, and moves messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.arrays import Flags, Ints
from proofs_check.census import Census, census_claim
from proofs_check.claim import Control, Finding, Sample, Sizes, Stated, claim
from proofs_check.claims.edelman_kernels import (
    channels_free,
    eliminates,
    exchange_walk,
    leading_minors,
    triangular_products,
    ways,
)
from proofs_check.domain import AllMatrices, Enumerated
from proofs_check.driver import Case, compiled_claim

STATED = Stated(over=AllMatrices("A"), sizes=Sizes(most=8))


MAX_MULTIPLIED = 4


# -- Lemma 3.1 --------------------------------------------------------------------------------


def _exchanges(n: int) -> Iterator[tuple[GF2Matrix, int]]:
    for k in range(n):
        for row in range(1 << n):
            if row >> k & 1:
                rows = [row if i == k else 1 << i for i in range(n)]
                yield GF2Matrix.from_rows(rows, n), k


EXCHANGES = Enumerated(
    _exchanges,
    size=lambda n: n << n - 1,
    names="E, k",
    text="all conditional exchanges E across all dimensions k",
)


def _images(E: GF2Matrix, k: int, diagonal: int) -> list[int]:
    """E u for every node u, with another diagonal entry in row k."""
    row = E.rows[k] & ~(1 << k) | diagonal << k
    return [u & ~(1 << k) | ((u & row).bit_count() & 1) << k for u in range(1 << E.n_columns)]


@claim(
    "edelman.lem3.1",
    place="Section 3, Lemma 3.1",
    says="a conditional exchange E⁽ᵏ⁾ is nonsingular, with determinant 1 and E⁻¹ = E",
    latex=r"\det E^{(k)} = 1,\quad (E^{(k)})^{-1} = E^{(k)}",
    over=EXCHANGES,
    evidence="every node's message moved, twice",
    control=Control("the diagonal entry 0", diagonal=0),
)
def lem31(E: GF2Matrix, k: int, *, diagonal: int = 1) -> Finding:
    """Nodes exchange in pairs."""
    images = _images(E, k, diagonal)
    return Finding(all(images[v] == u for u, v in enumerate(images)), images=images)


@claim(
    "edelman.lem3.1.projection",
    place="Section 3, remark after Lemma 3.1",
    says="with a_kk = 0 the matrix is singular, of rank exactly n - 1",
    latex=r"a_{kk} = 0 \implies \operatorname{rank} E^{(k)} = n - 1",
    over=EXCHANGES,
    evidence="every node's message moved: half of the nodes receive two each",
    control=Control("the diagonal entry 1", diagonal=1),
)
def projection(E: GF2Matrix, k: int, *, diagonal: int = 0) -> Finding:
    """Column k is zero, so the nodes u and u + e_k send to one node."""
    images = _images(E, k, diagonal)
    return Finding(set(Counter(images).values()) == {2}, images=images)


# -- Theorem 3.1 ------------------------------------------------------------------------------


@compiled_claim(
    "edelman.thm3.1",
    place="Section 3, Theorem 3.1",
    says="equivalent are: (1) A = E⁽ⁿ⁾ ... E⁽¹⁾; (2) A is done by pipelined cube swaps that make "
    "conditional exchanges across 1, ..., n; (3) columnwise Gauss-Jordan elimination modulo 2 "
    "completes without pivoting; (4) the n leading principal submatrices are nonsingular",
    latex=r"A = E^{(n)} \cdots E^{(1)} \iff \det A_{L_k,L_k} = 1 \text{ for } k = 1, \dots, n",
    evidence="(1) all products multiplied out (n <= 4); (2) all messages of two data sets walked, "
    "one message in a node, the decision to send a sum of address bits, one message on a channel "
    "in a swap; (3) run; (4) determinants by their definition",
    control=Control("(4) with the trailing principal submatrices", trailing=True),
    reading="'all n principal submatrices' are the leading ones",
    sizes=Sizes(limit=6),
    samples={5: Sample(32, 64), 6: Sample(16, 32)},
    tables=lambda n, **_: (
        ways(n, tuple(range(n))) if n <= MAX_MULTIPLIED else np.zeros(0, np.int64),
    ),
)
def thm31(case: Case, found: Ints, trailing: bool = False) -> bool:
    """All four are the same; `found` are the numbers of products, or nothing."""
    n, rows, order = case.n, case.rows, case.order
    third = eliminates(n, rows, order, case.work[0])
    second = exchange_walk(n, rows, order, case.images[0], case.images[1])
    if second and not channels_free(n, rows, order, 2, np.empty((1 << n, n), np.int64)):
        return False
    minors = order[::-1].copy() if trailing else order
    if second != third or leading_minors(n, rows, minors, case.images[2]) != third:
        return False
    return bool(found.size == 0 or (found[case.code] > 0) == third)


@thm31.explain
def _four_answers(A: GF2Matrix, *, trailing: bool = False) -> Mapping[str, Any]:
    n = A.n_columns
    rows, order = np.array(A.rows), np.arange(n)
    at, sends, parity = np.empty((3, 1 << n), np.int64)
    minors = order[::-1].copy() if trailing else order
    return {
        "cube swaps": exchange_walk(n, rows, order, at, sends),
        "elimination": eliminates(n, rows, order, np.empty(n, np.int64)),
        "minors": leading_minors(n, rows, minors, parity),
    }


@census_claim(
    "edelman.thm3.1.unique",
    place="Section 3, proof of Theorem 3.1",
    says="the exchanges are unique: A is a product E⁽ⁿ⁾ ... E⁽¹⁾ in at most one way",
    latex=r"\#\{(E^{(1)}, \dots, E^{(n)}) : E^{(n)} \cdots E^{(1)} = A\} \le 1",
    evidence="all 2^(n(n-1)) products multiplied out",
    control=Control("dimension 1 traversed once more at the end", again=True),
    sizes=Sizes(limit=4),
)
def unique(census: Census, *, again: bool = False) -> Flags:
    """Bit k has its last value after its only exchange."""
    order = (*range(census.n), 0) if again else tuple(range(census.n))
    return np.asarray(ways(census.n, order)[census.code] <= 1)


# -- Corollary 3.1 ----------------------------------------------------------------------------


@census_claim(
    "edelman.cor3.1",
    place="Section 3, Corollary 3.1",
    says="A is a product E⁽ⁿ⁾ ... E⁽¹⁾ if, and only if, A = LU with nonsingular triangular L and U",
    latex=r"A = LU \iff A = E^{(n)} \cdots E^{(1)}",
    evidence="all products of triangular matrices and all of exchanges multiplied out",
    control=Control("A = UL", lower_first=False),
    reading="the words left say 'if'; elimination as a test needs 'only if' as well",
    sizes=Sizes(limit=4),
)
def cor31(census: Census, *, lower_first: bool = True) -> Flags:
    """Two sets of 2^(n(n-1)) products are one."""
    exchanged = ways(census.n, tuple(range(census.n)))[census.code] > 0
    return np.asarray(exchanged == triangular_products(census.n, lower_first)[census.code])
