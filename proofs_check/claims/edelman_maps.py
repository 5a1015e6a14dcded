"""What index transformations do to the cube: [edelman], section 3, before Lemma 3.1."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import bit_count, kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Amended, Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.domain import PAIRS, AllOrders, Enumerated
from proofs_check.driver import Case, compiled_claim
from proofs_check.packed import apply, rank_of, rank_within

STATED = Stated(
    place="Section 3, after Definition 3.2",
    evidence="the span of v, Pv, P²v, ... for every v, by elimination",
)


# -- images -----------------------------------------------------------------------------------


@kernel
def _is_subcube(n: int, received: Ints) -> bool:
    """Whether the nodes that receive are all that agree with one of them in some bits."""
    everyone, common, count = 0, (1 << n) - 1, 0
    for y in range(1 << n):
        if received[y]:
            everyone |= y
            common &= y
            count += 1
    free = bit_count(np.uint64(everyone & ~common))
    return bool(count == 1 << free)


@kernel
def _is_translate(n: int, received: Ints) -> bool:
    """Whether u + v + w receives whenever u, v and w do."""
    for u in range(1 << n):
        if received[u]:
            for v in range(u):
                if received[v]:
                    for w in range(v):
                        if received[w] and not received[u ^ v ^ w]:
                            return False
    return True


@compiled_claim(
    "edelman.subcube",
    says="a matrix of rank r maps the hypercube onto an r-dimensional subcube, and sends the data "
    "of 2^(n-r) nodes to one",
    latex=r"x \mapsto Ax + b \text{ maps onto an } r\text{-dimensional subcube}, "
    r"2^{n-r} \text{ nodes to one}",
    over=PAIRS,
    evidence="every message sent, the messages in every node counted",
    control=Control("2^(n-r-1) nodes to one", halvings=1),
    amended=Amended(
        "a matrix of rank r maps the hypercube onto a translate of an r-dimensional subspace, and "
        "sends the data of 2^(n-r) nodes to each of its nodes. The image is a subcube exactly if r "
        "of the rows of A are not zero",
        latex=r"\{Ax + b\} = b + \operatorname{im} A,\ \dim \operatorname{im} A = r",
        control=Control("exactly if r or r + 1 of the rows are not zero", slack=1),
        translate=True,
    ),
    sizes=Sizes(limit=5),
)
def subcube(case: Case, halvings: int = 0, translate: bool = False, slack: int = 0) -> bool:
    n, received, everything = case.n, case.images[0, : 1 << case.n], (1 << case.n) - 1
    received[:] = 0
    for x in range(1 << n):
        received[apply(n, case.rows, x) ^ case.b] += 1
    if case.is_new:
        case.work[1, 0] = rank_within(case.rows, everything, everything, case.work[0])
    rank = case.work[1, 0]
    nodes = nonzero = 0
    for count in received:
        if count:
            nodes += 1
            if count << halvings != 1 << (n - rank):
                return False
    for row in case.rows:
        nonzero += row != 0
    is_subcube = _is_subcube(n, received)
    if nodes != 1 << rank or not translate:
        return bool(nodes == 1 << rank and is_subcube)
    few = rank <= nonzero <= rank + slack
    return bool(is_subcube == few and _is_translate(n, received))


@subcube.explain
def _image_of(
    A: GF2Matrix, b: GF2Vector, *, halvings: int = 0, translate: bool = False, slack: int = 0
) -> Mapping[str, Any]:
    reached = sorted({A.apply(x) ^ int(b) for x in range(1 << len(b))})
    return {"rank": A.rank, "image": reached}


# -- invariant subspaces ----------------------------------------------------------------------


def cyclic_dimension(targets: tuple[int, ...], vector: int) -> int:
    """The dimension of the span of v, Pv, P²v, ..., the least invariant subspace with v.

    >>> cyclic_dimension((1, 0), 0b11), cyclic_dimension((1, 0), 0b01)
    (1, 2)
    """
    words = [vector]
    for _ in targets:
        word = words[-1]
        words.append(sum(1 << target for bit, target in enumerate(targets) if word >> bit & 1))
    return rank_of(words)


def _trapped(targets: tuple[int, ...], coordinates: bool) -> int | None:
    """A vector whose least invariant subspace is not everything (for `coordinates`, spanned by
    unit vectors), or None."""
    n = len(targets)
    for vector in range(1, 1 << n):
        if coordinates:
            reached, fresh = 0, vector
            while fresh & ~reached:
                reached |= fresh
                fresh = sum(1 << target for k, target in enumerate(targets) if reached >> k & 1)
            if reached != (1 << n) - 1:
                return vector
        elif cyclic_dimension(targets, vector) < n:
            return vector
    return None


CIRCULANTS = Enumerated(
    lambda n: ((tuple((i + k) % n for i in range(n)), k) for k in range(n)),
    size=lambda n: n,
    names="targets, k",
    text="all circulant permutation matrices, bit i to bit i + k modulo n",
)


@claim(
    "edelman.circulant",
    says="circulant permutation matrices are irreducible: no subspace but 0 and the whole is "
    "invariant",
    latex=r"P V \subseteq V \implies V \in \{0, F_2^n\} \text{ for circulant } P",
    over=CIRCULANTS,
    control=Control("for the square of the matrix", squared=True),
    amended=Amended(
        "for n >= 2 no permutation matrix is irreducible, as (1, ..., 1) is fixed. No subspace "
        "spanned by unit vectors is invariant exactly if gcd(k, n) = 1, that is, if the circulant "
        "matrix is one cycle",
        control=Control("exactly if gcd(k, n) is odd and k no multiple of n", odd=True),
        coordinates=True,
    ),
    sizes=Sizes(most=6, limit=10),
)
def circulant(
    targets: tuple[int, ...],
    k: int,
    *,
    coordinates: bool = False,
    squared: bool = False,
    odd: bool = False,
) -> Finding:
    n = len(targets)
    moved = tuple(targets[t] for t in targets) if squared else targets
    vector = _trapped(moved, coordinates)
    if not coordinates:
        return Finding(vector is None, invariant_subspace_of=vector)
    fixed_line = n == 1 or cyclic_dimension(moved, (1 << n) - 1) == 1
    irreducible = math.gcd(k, n) == 1 or (odd and math.gcd(k, n) % 2 == 1 and k % n != 0)
    return Finding((vector is None) == irreducible and fixed_line, gcd=math.gcd(k, n))


@claim(
    "edelman.circulant.cycle",
    says="irreducible permutation matrices are those of one cycle",
    latex=r"P \text{ irreducible} \iff P \text{ is one cycle}",
    over=AllOrders("targets").described("all permutation matrices, e_k to e_targets[k]"),
    control=Control("or two cycles of three", also=(3, 3)),
    reading=Reading(
        "invariant subspaces that unit vectors span are meant, that is, sets of dimensions. "
        "With all subspaces none is irreducible for n >= 2, as (1, ..., 1) is fixed",
        coordinates=True,
    ),
    sizes=Sizes(most=6, limit=7),
)
def one_cycle(
    targets: tuple[int, ...], *, coordinates: bool = False, also: tuple[int, ...] = ()
) -> Finding:
    seen: set[int] = set()
    lengths: list[int] = []
    for bit in range(len(targets)):
        before = len(seen)
        while bit not in seen:
            seen.add(bit)
            bit = targets[bit]
        lengths += [len(seen) - before] * (len(seen) > before)
    vector = _trapped(targets, coordinates)
    stated = len(lengths) == 1 or tuple(lengths) == also
    return Finding((vector is None) == stated, cycles=len(lengths), trapped=vector)
