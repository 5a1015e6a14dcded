"""Linear-complement communications [hou, Definitions 1-4].

A permutation or gather sends a message from every node x to y = Ax + b; a scatter sends one to
every node y from x = Ay + b. One value carries both readings, and `kind` says which:

    kind          rank A    messages (source, destination)
    permutation   n         (x, Ax + b)
    gather        < n       (x, Ax + b)
    scatter       < n       (Ay + b, y)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from lccmodel.errors import (
    CommunicationError,
    InputError,
    MatrixError,
    NodeError,
    SingularMatrixError,
    SizeLimitError,
    checked_integer,
    checked_name,
)
from lccmodel.gf2.matrix import GF2Matrix, MatrixLike
from lccmodel.gf2.vector import GF2Vector, VectorLike
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.frozen import Frozen
from lccmodel.ground.views import Viewed

Kind = Literal["permutation", "gather", "scatter"]
NodeArray = npt.NDArray[np.int64]

MAX_LISTED_DIMENSION = 28
"""Largest n for which all 2^n messages are listed: 2^28 pairs fill 4 GiB."""


@typed_arguments
class LCC(Frozen, Viewed, view="communication", evaluable=True):
    """A linear-complement communication y = Ax + b over GF(2).

    Args:
        A: n by n matrix of 0 and 1, 1 <= n <= 64; A[i][j] multiplies x_j in y_i.
        b: vector of n bits, bit 0 first, or a packed int; zero if left out.
        name: a label for tables and figures; it does not take part in comparisons.

    Attributes: `A` (`GF2Matrix`), `b` (`GF2Vector`), `kind`, `name`.

    Raises:
        MatrixError: A is not a square matrix of 0 and 1, b has another length, or n = 0.
        SizeLimitError: n > 64.

    >>> c = LCC([[0, 1], [1, 0]], [1, 0])
    >>> c.kind, c.rank, c.destination(0b10)
    ('permutation', 2, 0)
    >>> LCC([[0, 1], [1, 0]], [1, 0]).reordered([1, 0])
    LCC([[0, 1], [1, 0]], [0, 1])
    """

    __slots__ = ("A", "b", "kind", "name")

    A: GF2Matrix
    b: GF2Vector
    kind: Kind
    name: str

    def __init__(self, A: MatrixLike, b: VectorLike | int | None = None, *, name: str = "") -> None:
        matrix = _square(A)
        kind: Kind = "permutation" if matrix.is_nonsingular else "gather"
        self._set(matrix, _vector(b, matrix.n_columns), kind, name)

    @classmethod
    def scatter(cls, A: MatrixLike, b: VectorLike | int | None = None, *, name: str = "") -> LCC:
        """Return the communication that sends from x = Ay + b to y [hou, Definition 4].

        A nonsingular A gives the same messages as the permutation y = A⁻¹x + A⁻¹b, and that
        permutation is returned: a communication has one form only.

        >>> LCC.scatter([[0, 1], [0, 0]], [0, 1]).pairs().tolist()
        [[2, 0], [2, 1], [3, 2], [3, 3]]
        """
        matrix = _square(A)
        vector = _vector(b, matrix.n_columns)
        if matrix.is_nonsingular:
            inverse = matrix.inverse()
            return cls(inverse, inverse.apply(int(vector)), name=name)
        self = object.__new__(cls)
        self._set(matrix, vector, "scatter", name)
        return self

    def _set(self, A: GF2Matrix, b: GF2Vector, kind: Kind, name: str) -> None:
        label = checked_name("name", name)
        for key, value in (("A", A), ("b", b), ("kind", kind), ("name", label)):
            object.__setattr__(self, key, value)

    def _like(self, A: GF2Matrix, b: GF2Vector) -> LCC:
        """The communication of the same kind with another matrix of the same rank."""
        return self._replaced(A=A, b=b)

    # -- facts ----------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of address bits; there are 2^n nodes."""
        return self.A.n_columns

    @property
    def rank(self) -> int:
        """Rank of A."""
        return self.A.rank

    @property
    def size(self) -> int:
        """Number of nodes, and of messages (those that stay in their node included): 2^n."""
        return 1 << self.n

    def moves(self, i: int) -> bool:
        """Return whether some message changes bit i, i.e. not y_i = x_i for all x.

        Raises:
            InputError: i is not in 0..n-1.

        >>> [LCC([[1, 0], [0, 1]], [0, 1]).moves(i) for i in (0, 1)]
        [False, True]
        """
        bit = checked_integer("i", i)
        if not 0 <= bit < self.n:
            raise InputError("i", f"must be in 0..{self.n - 1}", bit)
        return self.A.rows[bit] != 1 << bit or self.b[bit] == 1

    # -- messages -------------------------------------------------------------------------

    @overload
    def destination(self, x: int) -> int: ...
    @overload
    def destination(self, x: npt.NDArray[Any] | Sequence[int]) -> npt.NDArray[Any]: ...
    def destination(self, x: Any) -> Any:
        """Return the node that receives the message of node x: Ax + b.

        Args:
            x: a node, or an integer array of nodes of any shape.

        Returns: an int, or an array of x's shape (dtype int64; uint64 for n = 64).

        Raises:
            CommunicationError: a scatter, where a source has several destinations.
            NodeError: x is not in 0..2^n - 1.

        >>> LCC([[0, 1], [1, 0]]).destination(np.arange(4)).tolist()
        [0, 2, 1, 3]
        """
        if self.kind == "scatter":
            rule = "a scatter has several destinations for one source; use pairs() or source(y)"
            raise CommunicationError("communication", rule, self)
        return self._map(x)

    @overload
    def source(self, y: int) -> int: ...
    @overload
    def source(self, y: npt.NDArray[Any] | Sequence[int]) -> npt.NDArray[Any]: ...
    def source(self, y: Any) -> Any:
        """Return the node whose message node y receives.

        Raises:
            CommunicationError: a gather, where a node receives several messages or none.

        >>> LCC.scatter([[0, 1], [0, 0]]).source(3)
        1
        """
        if self.kind == "gather":
            rule = "a gather brings several messages, or none, to one node; use pairs()"
            raise CommunicationError("communication", rule, self)
        return (self if self.kind == "scatter" else self.reversed())._map(y)

    def _map(self, x: Any) -> Any:
        if isinstance(x, (int, np.integer)):
            if not 0 <= x < self.size:
                raise NodeError("node", f"must be in 0..{self.size - 1}", int(x))
            return self.A.apply(int(x)) ^ int(self.b)
        try:
            nodes = np.asarray(x)
        except ValueError:
            raise NodeError("node", "must be an integer or an integer array", x) from None
        if nodes.dtype.kind == "f" and not isinstance(x, np.ndarray):
            nodes = np.asarray(x, dtype=object)  # numpy makes floats of lists with ints above 2^63
        integers = nodes.dtype.kind in "iu" or all(isinstance(node, int) for node in nodes.flat)
        if not integers and nodes.size:
            raise NodeError("node", "must be an integer or an integer array", x)
        if nodes.size and not (int(nodes.min()) >= 0 and int(nodes.max()) < self.size):
            raise NodeError("node", f"must be in 0..{self.size - 1}", x)
        return self._map_array(nodes.astype(np.uint64))

    def _map_array(self, nodes: npt.NDArray[np.uint64]) -> npt.NDArray[Any]:
        result = np.full(nodes.shape, int(self.b), dtype=np.uint64)
        for j, column in enumerate(self.A.columns):
            if column:
                bit = nodes >> np.uint64(j) & np.uint64(1)
                result ^= bit * np.uint64(column)
        return result if self.n == 64 else result.astype(np.int64)

    def images(self) -> NodeArray:
        """Return Ax + b for x = 0..2^n - 1, int64 of shape (2^n,), in time O(2^n).

        For a scatter these are the sources of the nodes y = 0..2^n - 1.

        Raises:
            SizeLimitError: n > 28.
        """
        if self.n > MAX_LISTED_DIMENSION:
            rule = f"all messages are listed up to n = {MAX_LISTED_DIMENSION} (4 GiB)"
            raise SizeLimitError("n", rule, self.n)
        images = np.empty(self.size, dtype=np.int64)
        images[0] = int(self.b)
        for j, column in enumerate(self.A.columns):  # doubling: x and x + 2^j differ by column j
            np.bitwise_xor(images[: 1 << j], column, out=images[1 << j : 2 << j])
        return images

    def pairs(self) -> NodeArray:
        """Return all messages, int64 of shape (2^n, 2): sources and destinations.

        Raises:
            SizeLimitError: n > 28.

        >>> LCC([[0, 1], [1, 0]]).pairs().tolist()
        [[0, 0], [1, 2], [2, 1], [3, 3]]
        """
        images = self.images()
        nodes = np.arange(self.size, dtype=np.int64)
        columns = (images, nodes) if self.kind == "scatter" else (nodes, images)
        return np.stack(columns, axis=1)

    # -- other communications -------------------------------------------------------------

    def reordered(self, Q: Sequence[int] | MatrixLike) -> LCC:
        """Return (QAQ⁻¹, Qb), after the nodes are renamed x' = Qx [hou, Theorem 2].

        Args:
            Q: an order (order[k] is the old bit that becomes bit k) or a nonsingular matrix.

        Raises:
            MatrixError: Q is not a permutation of 0..n-1, or has another size.
            SingularMatrixError: Q has no inverse.
        """
        matrix = reordering_matrix(Q, self.n)
        order = matrix.as_order()
        if order is not None:  # a conjugation by a permutation only moves entries
            A = self.A.submatrix(order, order)
        else:
            A = self.A.conjugate(matrix)
        return self._like(A, GF2Vector.from_int(matrix.apply(int(self.b)), self.n))

    def reversed(self) -> LCC:
        """Return the messages sent back: a gather becomes a scatter, a permutation its inverse.

        >>> LCC([[0, 1], [0, 0]], name="fold").reversed()
        LCC.scatter([[0, 1], [0, 0]], name='fold, reversed')
        """
        send = LCC if self.kind == "scatter" else LCC.scatter
        back = send(self.A, self.b, name=self.name)
        if not self.name or back == self:
            return back
        there = self.name.removesuffix(", reversed")
        return send(self.A, self.b, name=there if there != self.name else f"{there}, reversed")

    # -- composition ------------------------------------------------------------------------

    @overload
    def __call__(self, x: int) -> int: ...
    @overload
    def __call__(self, x: npt.NDArray[Any] | Sequence[int]) -> npt.NDArray[Any]: ...
    def __call__(self, x: Any) -> Any:
        """`destination`: y = Ax + b."""
        return self.destination(x)

    def __matmul__(self, other: LCC) -> LCC:
        """What arrives when `other` is sent first and this after it: A(A'x + b') + b.

        Two scatters follow one another as their messages run; a scatter and a gather do not give
        a linear-complement communication.

        Raises:
            CommunicationError: another n, or a scatter with a gather.

        >>> swap, shift = LCC([[0, 1], [1, 0]]), LCC([[1, 0], [0, 1]], [1, 0])
        >>> (swap @ shift)(0), swap(shift(0)), swap @ swap == swap**0
        (2, 2, True)
        """
        if not isinstance(other, LCC):
            return NotImplemented
        if other.n != self.n:
            raise CommunicationError("communication", f"must have n = {self.n}", other.n)
        kinds = {self.kind, other.kind}
        if kinds == {"gather", "scatter"}:
            rule = "a scatter and a gather have no product of the form Ax + b"
            raise CommunicationError("communication", rule, other)
        if "scatter" in kinds:
            return (other.reversed() @ self.reversed()).reversed()
        return LCC(self.A @ other.A, self.A.apply(int(other.b)) ^ int(self.b))

    def __pow__(self, k: int) -> LCC:
        """Sent k times after one another; k < 0 inverts, k = 0 leaves every message where it is.

        Raises:
            SingularMatrixError: k < 0 and not a permutation.

        >>> LCC([[0, 1], [1, 0]], [1, 0]) ** -1 == LCC([[0, 1], [1, 0]], [0, 1])
        True
        """
        if not isinstance(k, (int, np.integer)):
            return NotImplemented
        base = self.inverse() if k < 0 else self
        power, left = LCC(GF2Matrix.identity(self.n)), abs(int(k))
        while left:
            if left & 1:
                power = base @ power
            base, left = base @ base, left >> 1
        return power

    def inverse(self) -> LCC:
        """Return the permutation that brings every message back: x = A⁻¹y + A⁻¹b.

        Raises:
            SingularMatrixError: a gather or a scatter; `reversed` sends their messages back.

        >>> LCC([[1, 1], [0, 1]]).inverse()(3)
        2
        """
        if self.kind != "permutation":
            rule = f"a {self.kind} has no inverse; reversed() sends its messages back"
            raise SingularMatrixError("communication", rule, self)
        return self.reversed()

    # -- being a value --------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LCC):
            return NotImplemented
        return (self.A, self.b, self.kind) == (other.A, other.b, other.kind)

    def __hash__(self) -> int:
        return hash((self.A, self.b, self.kind))

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (self.A, self.b, self.kind, self.name)

    def __repr__(self) -> str:
        maker = "LCC.scatter" if self.kind == "scatter" else "LCC"
        vector = f", {list(self.b)}" if any(self.b) else ""
        name = f", name={self.name!r}" if self.name else ""
        return f"{maker}({self.A.tolist()}{vector}{name})"

    def latex(self) -> str:
        """Return the matrix equation, y = Ax + b or, for a scatter, x = Ay + b."""
        left, right = ("x", "y") if self.kind == "scatter" else ("y", "x")
        vector = r"\begin{{bmatrix}} {} \end{{bmatrix}}"

        def unknowns(letter: str) -> str:
            return vector.format(r" \\ ".join(f"{letter}_{{{i}}}" for i in range(self.n)))

        shift = vector.format(r" \\ ".join(map(str, self.b)))
        return f"{unknowns(left)} = {self.A.latex()} {unknowns(right)} + {shift}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


def reordering_matrix(Q: Sequence[int] | MatrixLike, n: int) -> GF2Matrix:
    """The n by n matrix of a reordering given as an order or as a nonsingular matrix.

    Raises:
        MatrixError: not a permutation of 0..n-1, or a matrix of another size.
        SingularMatrixError: a matrix without inverse.

    >>> reordering_matrix([1, 0], 2)
    GF2Matrix([[0, 1], [1, 0]])
    """
    if isinstance(Q, GF2Matrix):
        matrix = Q
    elif _is_flat(Q):
        matrix = GF2Matrix.from_order(list(Q))
    else:
        matrix = GF2Matrix(Q)
    if matrix.shape != (n, n):
        raise MatrixError("Q", f"must be an order of 0..{n - 1} or a {n} by {n} matrix", Q)
    if not matrix.is_nonsingular:
        raise SingularMatrixError("Q", "must be nonsingular", matrix.tolist())
    return matrix


def require_lcc(communication: object) -> None:
    """Refuse what is not an LCC, such as a network where a communication belongs.

    Raises:
        CommunicationError: not an LCC.
    """
    if not isinstance(communication, LCC):
        rule = "must be an LCC, such as catalog.bit_reverse(8)"
        raise CommunicationError("communication", rule, communication)


def _is_flat(Q: Any) -> bool:
    try:
        return np.ndim(Q) == 1
    except ValueError:  # rows of different lengths
        return False


def _square(A: MatrixLike) -> GF2Matrix:
    if isinstance(A, str):
        raise MatrixError("A", "must be a matrix; communication.parse_equations reads equations", A)
    matrix = GF2Matrix(A)
    if not matrix.n_rows:
        raise MatrixError("A", "must have at least one row (n >= 1)", A)
    if not matrix.is_square:
        raise MatrixError("A", "must be square", matrix.shape)
    return matrix


def _vector(b: VectorLike | int | None, n: int) -> GF2Vector:
    if b is None:
        return GF2Vector.from_int(0, n)
    if isinstance(b, (int, np.integer)) and not isinstance(b, bool):
        return GF2Vector.from_int(b, n)
    vector = GF2Vector(b)
    if len(vector) != n:
        raise MatrixError("b", f"must have n = {n} entries", list(vector))
    return vector


def _restore(A: GF2Matrix, b: GF2Vector, kind: Kind, name: str) -> LCC:
    maker = LCC.scatter if kind == "scatter" else LCC
    return maker(A, b, name=name)
