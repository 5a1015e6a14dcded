"""Partitioned linear-complement permutations: the membership test [boppana, section 3.3].

A permutation of the 2^n nodes is divided by its top k bits when the top k bits of y depend only on
those of x: it permutes the 2^k subcubes by an outer permutation of k bits, and the nodes of every
subcube by an inner permutation of n - k bits, which may be another one in every subcube:

    y = (outer(x_high), inner_(x_high)(x_low)),   x_high = (x_(n-1), ..., x_(n-k))

PLC_n are the permutations that are built so from linear-complement ones. Three routes decide it:

    Definition 3    linear-complement, or divided by some k with outer in PLC_k, inner in PLC_(n-k)
    Definition 4    divided by some k with outer in LC'_k and inner in PLC_(n-k)
    partition_tree  divided by its least k, outer linear-complement, and so on in the subcubes

In Definition 3 as printed k may be n, which would say "in PLC_n if in PLC_n"; linear-complement is
what can be meant. The least k suffices: if a larger k divides the permutation with an outer in
PLC_k, then the least k divides that outer too, and what is left moves into the subcubes. So a tree
with the least k everywhere exists for all of PLC_n, and only one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.destinations import destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, InputError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Viewed


@dataclass(frozen=True)
class PartitionTree(Viewed, view="partition-tree"):
    """How a partitioned permutation is built: an outer permutation and the trees of the subcubes.

    Args:
        outer: the linear-complement permutation of the subcubes, on the top k bits.
        inner: one tree for each of the 2^k subcubes, all of n - k bits; empty when k = n.

    Raises:
        CommunicationError: `outer` is not a permutation.
        InputError: another number of trees, or trees of different n.

    >>> swap, stay = PartitionTree(LCC([[1]], [1])), PartitionTree(LCC([[1]]))
    >>> tree = PartitionTree(LCC([[1]]), (stay, swap))
    >>> tree.n, tree.k, tree.destinations.tolist()
    (2, 1, [0, 1, 3, 2])
    """

    outer: LCC
    inner: tuple[PartitionTree, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.outer, LCC) or self.outer.kind != "permutation":
            rule = "must be a linear-complement permutation of the subcubes"
            raise CommunicationError("outer", rule, self.outer)
        object.__setattr__(self, "inner", tuple(self.inner))
        if self.inner and len(self.inner) != self.outer.size:
            rule = f"needs one tree for each of the {self.outer.size} subcubes, or none"
            raise InputError("inner", rule, len(self.inner))
        if len({tree.n for tree in self.inner}) > 1:
            rule = "the subcubes have the same number of bits"
            raise InputError("inner", rule, [tree.n for tree in self.inner])

    @property
    def k(self) -> int:
        """How many top bits number the subcubes."""
        return self.outer.n

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.k + (self.inner[0].n if self.inner else 0)

    @property
    def depth(self) -> int:
        """Levels of subcubes: 1 for a permutation that is not divided."""
        return 1 + max((tree.depth for tree in self.inner), default=0)

    @property
    def destinations(self) -> Ints:
        """The destination of the message of every node, int64 of shape (2^n,)."""
        images = self.outer.images().astype(np.int64)
        if not self.inner:
            return images
        low = self.inner[0].n
        blocks = [(int(images[h]) << low) | t.destinations for h, t in enumerate(self.inner)]
        return np.concatenate(blocks)

    @property
    def starts(self) -> Ints:
        """For every node the bits at which a part of its tree begins, as a set: int64, (2^n,).

        Routed from the low bits up, a node is in the part whose bits are those from one start to
        the next; all nodes that agree with it in every other bit work with it [boppana, Lemma 7].
        """
        if not self.inner:
            return np.ones(self.outer.size, dtype=np.int64)
        return np.concatenate([t.starts | 1 << t.n for t in self.inner])

    @property
    def is_least(self) -> bool:
        """Whether every k is the least that divides; `partition_tree` makes such trees."""
        return not any(is_divided(self.outer.A, j) for j in range(1, self.k)) and all(
            tree.is_least for tree in self.inner
        )

    def parts(self, prefix: str = "") -> Iterator[tuple[str, LCC]]:
        """Return every outer permutation with the subcube it acts in: its top bits, MSB first."""
        yield prefix, self.outer
        for h, tree in enumerate(self.inner):
            yield from tree.parts(f"{prefix}{h:0{self.k}b}")

    def __str__(self) -> str:
        """One line for every outer permutation.

        >>> print(partition_tree([0, 1, 2, 3, 4, 5, 7, 6]))
        *** bit 2: y = x
          0** bit 1: y = x
            00* bit 0: y = x
            01* bit 0: y = x
          1** bit 1: y = x
            10* bit 0: y = x
            11* bit 0: y = x + [1]
        """
        depth = {"": 0}
        lines = []
        for prefix, outer in self.parts():
            level = depth.setdefault(prefix, 0)
            left = self.n - len(prefix)
            depth |= {f"{prefix}{h:0{outer.n}b}": level + 1 for h in range(outer.size)}
            bits = f"bit {left - 1}" if outer.n == 1 else f"bits {left - outer.n}..{left - 1}"
            lines.append(f"{'  ' * level}{prefix}{'*' * left} {bits}: {_equation(outer)}")
        return "\n".join(lines)


def _equation(c: LCC) -> str:
    matrix = "x" if GF2Matrix.identity(c.n) == c.A else f"{c.A.tolist()} x"
    return f"y = {matrix}" + (f" + {list(c.b)}" if int(c.b) else "")


@typed_arguments
def partition_tree(permutation: LCC | Sequence[int] | npt.NDArray[Any]) -> PartitionTree | None:
    """Return the tree of least divisions of a permutation, or None if it is not partitioned.

    Args:
        permutation: an LCC, or 2^n destinations, n >= 1.

    Raises:
        CommunicationError: not a permutation of 2^n nodes, or a single node.

    >>> tree = partition_tree([2, 3, 1, 0])
    >>> tree.k, [int(t.outer.b) for t in tree.inner]
    (1, [0, 1])
    >>> partition_tree([0, 1, 2, 4, 3, 5, 6, 7]) is None
    True
    """
    return _tree(checked_nodes(permutation))


def checked_nodes(permutation: LCC | Sequence[int] | npt.NDArray[Any]) -> Ints:
    """The destinations of a permutation of at least two nodes, int64 of shape (2^n,).

    Raises:
        CommunicationError: not a permutation of 2^n nodes, or a single node.
    """
    destinations = destinations_of(permutation)
    if destinations.size == 1:
        raise CommunicationError("permutation", "must have at least two nodes", [0])
    return destinations


def _tree(destinations: Ints) -> PartitionTree | None:
    n = destinations.size.bit_length() - 1
    k = next(divisions(destinations), n)
    outer_map, inner_maps = _divided(destinations, k)
    outer = _linear_complement(outer_map)
    if outer is None:
        return None
    inner = []
    for block in inner_maps if k < n else ():
        tree = _tree(block)
        if tree is None:
            return None
        inner.append(tree)
    return PartitionTree(outer, tuple(inner))


def divisions(destinations: Ints) -> Iterator[int]:
    """The k in 1..n-1, ascending, by which a permutation is divided.

    >>> list(divisions(np.array([2, 3, 1, 0, 4, 5, 6, 7])))
    [1, 2]
    """
    n = destinations.size.bit_length() - 1
    for k in range(1, n):
        top = (destinations >> (n - k)).reshape(1 << k, -1)
        if (top == top[:, :1]).all():
            yield k


def _divided(destinations: Ints, k: int) -> tuple[Ints, Ints]:
    """The outer permutation of k bits, and the inner ones as rows; k must divide."""
    n = destinations.size.bit_length() - 1
    blocks = destinations.reshape(1 << k, -1)
    return blocks[:, 0] >> (n - k), blocks & ((1 << (n - k)) - 1)


def _linear_complement(destinations: Ints) -> LCC | None:
    """The LCC with these destinations: b is that of node 0, column j that of node 2^j, less b."""
    n = destinations.size.bit_length() - 1
    b = int(destinations[0])
    columns = [int(destinations[1 << j]) ^ b for j in range(n)]
    expected = np.array([b])
    for column in columns:
        expected = np.concatenate([expected, expected ^ column])
    if not np.array_equal(expected, destinations):
        return None
    return LCC(GF2Matrix.from_rows(columns, n).T, b)


def is_divided(A: GF2Matrix, k: int) -> bool:
    """Whether the top k bits of Ax depend only on those of x: zeros below them in the top rows.

    >>> is_divided(GF2Matrix([[1, 1], [0, 1]]), 1), is_divided(GF2Matrix([[1, 0], [1, 1]]), 1)
    (True, False)
    """
    low = (1 << (A.n_columns - k)) - 1
    return not any(row & low for row in A.rows[A.n_columns - k :])


def is_block_diagonal(A: GF2Matrix, k: int) -> bool:
    """Whether A is Q_1 of the top k bits beside Q_2 of the others: decomposable as printed."""
    low = A.n_columns - k
    return is_divided(A, k) and not any(row >> low for row in A.rows[:low])
