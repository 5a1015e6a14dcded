"""Gray coding of axes, and changes from one code to another [edelman, Section 4].

An axis is a list of address bits, least significant first; the number on it is Gray coded by
y_k = x_k + x_(next bit of the axis). With no axes given all n bits form one. Bits on no axis stay.

    axes [[0, 1], [2]]:  y = (x_0 + x_1, x_1, x_2)

If every axis has its bits in ascending order, the matrix is upper triangular, and exchanges exist
in every order of the dimensions [edelman, Corollary 3.3]; so they do for a change of codes
(Corollary 4.1). With a permutation of the dimensions between decoding and coding, the exchanges
are followed by that permutation (Corollary 4.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lccmodel.communication.lcc import LCC, reordering_matrix
from lccmodel.communication.permutations import address_bits
from lccmodel.errors import InputError, checked_integers
from lccmodel.gf2.matrix import GF2Matrix, MatrixLike
from lccmodel.ground.arguments import typed_arguments

Axes = Sequence[Sequence[int]]
"""Disjoint lists of address bits, each least significant first."""


@typed_arguments
def gray_code(n: int, axes: Axes | None = None) -> LCC:
    """Node x goes to the node that has the Gray code of x on every axis.

    The bits of a node are read as numbers, one for every axis; with one axis of all bits the
    number k goes to k xor (k >> 1).

    Args:
        n: number of address bits.
        axes: disjoint lists of bits, each least significant first; one axis of all if left out.

    Returns: an LCC with b = 0. Its matrix is `.A`.

    Raises:
        CommunicationError, SizeLimitError: n is not in 1..64.
        InputError: a bit is on two axes, or is not in 0..n-1.

    Source: [edelman, Section 4].

    >>> gray_code(3).destination([0, 1, 2, 3, 4]).tolist()
    [0, 1, 3, 2, 6]
    >>> gray_code(3, [[0, 1], [2]]).destination([3, 4, 7]).tolist()
    [2, 4, 6]
    """
    rows = _coding_rows(n, axes)
    return LCC(GF2Matrix.from_rows(rows, len(rows)), name=_label("gray-code", axes))


@typed_arguments
def inverse_gray_code(n: int, axes: Axes | None = None) -> LCC:
    """Gray code back to number on every axis: y_k = the sum of x_k and the bits above it.

    Arguments and errors as for `gray_code`.

    >>> inverse_gray_code(3).destination([0, 1, 3, 2, 6]).tolist()
    [0, 1, 2, 3, 4]
    """
    return LCC(gray_code(n, axes).A.inverse(), name=_label("inverse-gray-code", axes))


@typed_arguments
def code_change(
    n: int,
    axes_from: Axes | None,
    axes_to: Axes | None,
    permutation: Sequence[int] | MatrixLike | None = None,
) -> LCC:
    """Return the recoding of data from some axes to others: y = G_to P G_from⁻¹ x.

    Args:
        n: number of address bits.
        axes_from, axes_to: the axes before and after; None is one axis of all bits, [] no coding.
        permutation: the dimensions permuted in between, as an order (order[k] is the old bit that
            becomes bit k) or as a permutation matrix.

    Raises:
        as `gray_code`; InputError if `permutation` is not one.

    Source: [edelman, Section 4, Corollaries 4.1 and 4.2].

    >>> code_change(3, None, [[0, 1]]).A        # one axis of 8 made into rows of 4
    GF2Matrix([[1, 0, 0], [0, 1, 1], [0, 0, 1]])
    """
    decoding, coding = gray_code(n, axes_from).A.inverse(), gray_code(n, axes_to).A
    if permutation is not None:
        P = reordering_matrix(permutation, n)
        if P.as_order() is None:
            raise InputError("permutation", "must be a permutation of the bits", P.tolist())
        decoding = P @ decoding
    return LCC(coding @ decoding, name="code-change")


def _coding_rows(n: int, axes: Axes | None) -> list[int]:
    n = address_bits(n)
    rows = [1 << i for i in range(n)]
    seen: set[int] = set()
    for axis in [range(n)] if axes is None else axes:
        bits = checked_integers("axes", axis)
        if len(set(bits)) < len(bits) or seen.intersection(bits):
            raise InputError("axes", "must not share a bit", axes)
        if not all(0 <= bit < n for bit in bits):
            raise InputError("axes", f"must name bits of 0..{n - 1}", list(bits))
        seen.update(bits)
        for bit, above in pairwise(bits):
            rows[bit] |= 1 << above
    return rows


def _label(name: str, axes: Axes | None) -> str:
    if axes is None:
        return name
    return f"{name} on {' '.join('-'.join(map(str, axis)) for axis in axes)}"
