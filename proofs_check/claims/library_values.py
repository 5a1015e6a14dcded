"""Bridges: matrices over GF(2) and the catalogue, against vectors and addresses one by one."""

from __future__ import annotations

import math
from collections.abc import Callable

import lccmodel as lcc
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claim import Control, Finding, claim
from proofs_check.domain import AllMatrices, Enumerated

__all__: list[str] = []


def _bits(number: int, n: int) -> list[int]:
    return [number >> i & 1 for i in range(n)]


def _image(entries: list[list[int]], v: int) -> int:
    """Every entry of the product: the sum of a_ij v_j, modulo 2.

    >>> _image([[1, 1], [0, 1]], 0b10)
    3
    """
    vector = _bits(v, len(entries))
    sums = [sum(a * x for a, x in zip(row, vector, strict=True)) for row in entries]
    return sum(total % 2 << i for i, total in enumerate(sums))


@claim(
    "library.matrix",
    place="lccmodel.GF2Matrix",
    says="apply, @, rank, inverse, transpose and submatrix are those of the 0-1 matrix: 2^rank "
    "vectors are images, the inverse takes each back",
    over=AllMatrices("A"),
    evidence="every vector multiplied entry by entry, images counted",
    control=Control("the transpose for the matrix", transposed=True),
    max_n=3,
    limit_n=4,
    samples={4: 500},
)
def library_matrix(A: GF2Matrix, *, transposed: bool = False) -> Finding:
    """Entries added modulo 2, nothing packed."""
    entries = A.tolist()
    n, vectors = len(entries), range(1 << len(entries))
    asked = lcc.GF2Matrix(entries)
    asked = asked.T if transposed else asked
    images = [
        sum(
            sum(a * x for a, x in zip(row, _bits(v, n), strict=True)) % 2 << i
            for i, row in enumerate(entries)
        )
        for v in vectors
    ]
    given = [asked.apply(v) for v in vectors]
    rank = int(math.log2(len(set(images))))
    if given != images or asked.rank != rank or asked.is_nonsingular != (rank == n):
        return Finding(False, answer=given, images=images, rank=asked.rank)
    if [(asked @ asked).apply(v) for v in vectors] != [images[y] for y in images]:
        return Finding(False, square=asked @ asked)
    if rank == n and [asked.inverse().apply(y) for y in images] != list(vectors):
        return Finding(False, inverse=asked.inverse())
    flipped = [[row[j] for row in entries] for j in range(n)]
    rows, columns = range(n - 1), range(1, n)
    part = [[entries[i][j] for j in columns] for i in rows]
    inner = asked.submatrix(rows, columns).tolist() if n > 1 else part
    return Finding(asked.T.tolist() == flipped and inner == part)


_WORDS: dict[str, Callable[[str], str]] = {
    "identity": lambda x: x,
    "bit-reverse": lambda x: x[::-1],
    "perfect-shuffle": lambda x: x[1:] + x[0],
    "unshuffle": lambda x: x[-1] + x[:-1],
    "vector-reversal": lambda x: "".join("10"[int(bit)] for bit in x),
    "matrix-transpose": lambda x: x[len(x) // 2 :] + x[: len(x) // 2],
    "reverse-flip": lambda x: "".join("10"[int(bit)] for bit in x[::-1]),
    "butterfly:1": lambda x: x[: len(x) - 2] + x[-1] + x[-2],
    "exchange:1": lambda x: x[:-2] + "10"[int(x[-2])] + x[-1],
    "shift:3": lambda x: x[3 % len(x) :] + x[: 3 % len(x)],
    "gray-code": lambda x: "".join(str(int(a) ^ int(b)) for a, b in zip("0" + x, x, strict=False)),
}
"""Destination words of source words, both most significant bit first."""


@claim(
    "library.catalog",
    place="lccmodel.catalog",
    says="a communication of the catalogue sends every node where its name says",
    over=Enumerated(
        lambda n: ((n, name) for name in _WORDS),
        size=lambda n: len(_WORDS),
        names=("n", "name"),
        text="eleven communications on 2^n nodes, n even",
        dimensions=(2, 4, 6, 8),
    ),
    evidence="addresses written as words of 0 and 1, letters moved",
    control=Control("for every word that is not its own reverse, reversed", backwards=8),
)
def library_catalog(n: int, name: str, *, backwards: int = 0) -> Finding:
    """[hou, section 2] and the usual names."""
    c = lcc.catalog.build(name, n)
    for x in range(1 << n):
        word = _WORDS[name](f"{x:0{n}b}")
        if n == backwards and x == (1 << n) - 2:
            word = word[::-1]
        if int(c.destination(x)) != int(word, 2):
            return Finding(False, x=x, answer=int(c.destination(x)), stated=word)
    return Finding(True)
