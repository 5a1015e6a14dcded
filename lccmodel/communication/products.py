"""Grids in what is sent: a graph of ranks as a product of lines, rings and other graphs.

The messages of a stencil on a grid are the Cartesian product of lines: two ranks exchange if they
differ in one coordinate, by one. However ranks are numbered, the product can be seen from near by.
Of two messages at a rank, those along different axes span exactly one square, without a diagonal;
those along one axis span none, or several:

    u -- v        u-v and w-x are along one axis, u-w and v-x along another
    |    |
    w -- x        no square over u-v and u-w: they are along one axis

The classes that follow, each with all that is joined to it in either way, are the axes [Imrich and
Klavžar, Product Graphs, 2000]; ranks that are joined without the messages of one axis have the
same coordinate there. What was found is checked: coordinates are all different, and as many as
the product of the sides.

Messages that a grid does not have hide it: small ones beside large (`heavy_parts` leaves them
out), a tree of one volume among uneven ones (`even_parts`), and diagonals, as of halos with
corners. Of two ranks that are diagonal some third is closer to both, closeness being the part of
all their partners that they share (the relative neighbourhood graph [Toussaint 1980]); of two
neighbours on a grid none is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from math import prod

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import inlined_kernel, light_kernel

_MOST_WORK = 400_000_000
"""Comparisons of partners: some tenths of a second."""

_GAP = 2
"""Volumes fall into heavy and light where the next smaller is less than so much of it."""

_LEVELS = 4
"""Most levels of heavy volumes that are looked at."""


@dataclass(frozen=True)
class Grid:
    """Where every rank stands on a logical grid.

    Attributes:
        sides: ranks along every axis.
        cell: (ranks,), the number of its cell, the last axis fastest; all different.
        closed: whether what is sent may close some axis to a ring.
    """

    sides: tuple[int, ...]
    cell: Ints
    closed: bool

    @property
    def coordinates(self) -> Ints:
        """(ranks, axes)."""
        return np.stack(np.unravel_index(self.cell, self.sides), axis=1).astype(np.int64)

    def is_same_as(self, other: Grid) -> bool:
        """Return whether both have the same axes, in any order and either direction.

        >>> line = Grid((3,), np.array([0, 1, 2]), closed=False)
        >>> line.is_same_as(Grid((3,), np.array([2, 1, 0]), closed=False))
        True
        """
        return self._axes() == other._axes()

    def _axes(self) -> list[tuple[int, tuple[int, ...]]]:
        """Side and coordinates of every axis, in the first of its directions, in order."""
        columns = zip(self.sides, self.coordinates.T, strict=True)
        return sorted(
            (n, min(tuple(x.tolist()) for x in (c, n - 1 - c, -c % n))) for n, c in columns if n > 1
        )


def grid_of(coordinates: npt.NDArray[np.number]) -> Grid | None:
    """The grid whose every cell has one rank, if coordinates are those of one.

    >>> grid_of(np.array([[0.5, 0], [0.5, 1], [0, 0], [0, 1]]))
    Grid(sides=(2, 2), cell=array([2, 3, 0, 1]), closed=True)
    """
    numbered = [np.unique(column, return_inverse=True) for column in coordinates.T]
    sides = tuple(len(values) for values, _ in numbered)
    if prod(sides) != len(coordinates):
        return None
    cell = np.ravel_multi_index(tuple(place.ravel() for _, place in numbered), sides)
    if len(np.unique(cell)) < len(cell):
        return None
    return Grid(sides, cell.astype(np.int64), closed=True)


def heavy_parts(pairs: Ints, volumes: Ints) -> Iterator[Ints]:
    """All pairs; then without the light ones, wherever volumes fall by half and more.

    Args:
        pairs: (m, 2), each once.
        volumes: (m,), of both directions.

    >>> pairs = np.array([[0, 1], [1, 2], [0, 2]])
    >>> [part.tolist() for part in heavy_parts(pairs, np.array([900, 800, 8]))]
    [[[0, 1], [1, 2], [0, 2]], [[0, 1], [1, 2]]]
    """
    yield pairs
    levels = np.unique(volumes)[::-1]
    falls = levels[:-1] / np.maximum(levels[1:], 1)
    largest = np.argsort(-falls, kind="stable")[:_LEVELS]
    for place in sorted(largest[falls[largest] >= _GAP].tolist(), reverse=True):
        yield pairs[volumes >= levels[place]]


def even_parts(pairs: Ints, volumes: Ints) -> Iterator[Ints]:
    """Without, and then only, the pairs of the most frequent volume: a tree or ring among others.

    Args:
        pairs: (m, 2), each once.
        volumes: (m,), of both directions.

    >>> pairs = np.array([[0, 1], [1, 2], [0, 2]])
    >>> [part.tolist() for part in even_parts(pairs, np.array([7, 5, 7]))]
    [[[1, 2]], [[0, 1], [0, 2]]]
    """
    values, counts = np.unique(volumes, return_counts=True)
    if 1 < counts.max() < len(volumes):
        frequent = volumes == values[counts.argmax()]
        yield pairs[~frequent]
        yield pairs[frequent]


def recognised_grid(pairs: Ints, volumes: Ints, ranks: int) -> Grid | None:
    """The grid of ranks that messages are sent along, if they are those of one.

    Args:
        pairs: (m, 2), ranks that exchange messages, each pair once, in either order.
        volumes: (m,), what they exchange.
        ranks: how many there are; all exchange something, or it is no grid.

    >>> ring = np.array([[3, 0], [0, 2], [2, 4], [4, 1], [1, 3]])
    >>> recognised_grid(ring, np.ones(5, int), 5)
    Grid(sides=(5,), cell=array([0, 3, 1, 4, 2]), closed=True)
    """
    active = np.unique(pairs)
    if len(active) < 3 or len(active) != ranks:
        return None
    for part in chain(heavy_parts(pairs, volumes), even_parts(pairs, volumes)):
        grid = _product(part, ranks) or _product(_without_diagonals(part, ranks), ranks)
        if grid is not None:
            return grid
    return None


def _lists(pairs: Ints, ranks: int) -> tuple[Ints, Ints, Ints]:
    """Partners of every rank in ascending order, with the number of the pair: starts and lists."""
    ends = np.concatenate([pairs[:, 0], pairs[:, 1]])
    others = np.concatenate([pairs[:, 1], pairs[:, 0]])
    order = np.lexsort((others, ends))
    first = np.searchsorted(ends[order], np.arange(ranks + 1)).astype(np.int64)
    numbers = np.tile(np.arange(len(pairs), dtype=np.int64), 2)
    return first, others[order].astype(np.int64), numbers[order]


def _without_diagonals(pairs: Ints, ranks: int) -> Ints:
    """Pairs between which no third rank is that is closer to both than they are to each other."""
    first, partners, numbers = _lists(pairs, ranks)
    degree = np.diff(first)
    if int((degree[pairs[:, 0]] + degree[pairs[:, 1]]).sum()) > _MOST_WORK:
        return pairs[:0]
    shared = np.empty(len(pairs), np.int64)
    kept = np.ones(len(pairs), np.bool_)
    ends = pairs.astype(np.int64)
    _count_shared(ends, first, partners, shared)
    either = degree[pairs[:, 0]] + degree[pairs[:, 1]] - shared  # they are their own partners, too
    _leave_out(ends, first, partners, numbers, shared + 2, either, kept)
    return pairs[kept]


def _product(pairs: Ints, ranks: int) -> Grid | None:
    if len(pairs) < ranks - 1:
        return None
    first, partners, numbers = _lists(pairs, ranks)
    degree = np.diff(first)
    if degree.min() < 1 or int((degree**3).sum()) > _MOST_WORK:
        return None
    axis = np.arange(len(pairs), dtype=np.int64)
    _find_axes(first, partners, numbers, axis)
    names, axis = np.unique(axis, return_inverse=True)
    if len(names) > 32:
        return None
    columns, sides, closed = [], [], False
    for name in range(len(names)):
        label = np.arange(ranks, dtype=np.int64)
        _join(pairs[axis != name].astype(np.int64), label)
        label = np.unique(label, return_inverse=True)[1].astype(np.int64)
        column, ring, plain = _along(label, pairs[axis == name])
        if len(names) == 1 and not plain:
            return None  # one thing that is no product
        columns.append(column)
        sides.append(int(label.max()) + 1)
        closed |= ring
    if prod(sides) != ranks:
        return None
    cell = np.ravel_multi_index(tuple(columns), tuple(sides)).astype(np.int64)
    if len(np.unique(cell)) < ranks:
        return None
    return Grid(tuple(sides), cell, closed)


def _along(label: Ints, pairs: Ints) -> tuple[Ints, bool, bool]:
    """Coordinates along an axis, as its line or ring goes; whether it is a ring; if one of both."""
    length = int(label.max()) + 1
    ends = np.unique(np.sort(label[pairs], axis=1), axis=0)
    degree = np.bincount(ends.ravel(), minlength=length)
    ring = length > 2 and len(ends) == length and bool((degree == 2).all())
    if degree.max() > 2 or (len(ends) != length - 1 and not ring):
        return label, False, False  # all exchange with all, or something else: any order
    partners: list[list[int]] = [[] for _ in range(length)]
    for u, v in ends.tolist():
        partners[u].append(v)
        partners[v].append(u)
    here, before = 0 if ring else int(degree.argmin()), -1
    position = np.zeros(length, np.int64)
    for k in range(length):
        position[here] = k
        following = [partner for partner in partners[here] if partner != before]
        here, before = (following[0] if following else here), here
    return position[label], ring, True


@inlined_kernel
def _root(parent: Ints, x: int) -> int:
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


@light_kernel
def _join(pairs: Ints, label: Ints) -> None:
    """Labels of ranks that pairs join become one; *requires* every rank its own label."""
    for i in range(pairs.shape[0]):
        a, b = _root(label, pairs[i, 0]), _root(label, pairs[i, 1])
        label[max(a, b)] = min(a, b)
    for x in range(label.size):
        label[x] = _root(label, x)


@inlined_kernel
def _number(first: Ints, partners: Ints, numbers: Ints, u: int, v: int) -> int:
    """The number of the pair u, v; -1 if they exchange nothing."""
    low, high = first[u], first[u + 1]
    while low < high:
        middle = (low + high) // 2
        if partners[middle] < v:
            low = middle + 1
        else:
            high = middle
    return numbers[low] if low < first[u + 1] and partners[low] == v else -1


@light_kernel
def _count_shared(pairs: Ints, first: Ints, partners: Ints, shared: Ints) -> None:
    """How many partners two ranks have in common."""
    for k in range(pairs.shape[0]):
        i, j = first[pairs[k, 0]], first[pairs[k, 1]]
        shared[k] = 0
        while i < first[pairs[k, 0] + 1] and j < first[pairs[k, 1] + 1]:
            same = partners[i] == partners[j]
            shared[k] += same
            ahead = partners[i] < partners[j]
            i += same or ahead
            j += same or not ahead


@light_kernel
def _leave_out(
    pairs: Ints, first: Ints, partners: Ints, numbers: Ints, shared: Ints, either: Ints,
    kept: npt.NDArray[np.bool_],
) -> None:  # fmt: skip
    """Pairs with a partner of both that is closer to each, by closeness shared / either."""
    for k in range(pairs.shape[0]):
        i, j = first[pairs[k, 0]], first[pairs[k, 1]]
        while i < first[pairs[k, 0] + 1] and j < first[pairs[k, 1] + 1]:
            same = partners[i] == partners[j]
            if same:
                a, b = numbers[i], numbers[j]
                closer = shared[a] * either[k] > shared[k] * either[a]
                if closer and shared[b] * either[k] > shared[k] * either[b]:
                    kept[k] = False
            ahead = partners[i] < partners[j]
            i += same or ahead
            j += same or not ahead


@light_kernel
def _find_axes(first: Ints, partners: Ints, numbers: Ints, axis: Ints) -> None:
    """Join pairs along one axis, by all squares; *requires* every pair its own axis.

    Of a square's two diagonals only that between v and w is asked for: the other makes triangles
    at u, which join the same pairs.
    """
    for u in range(first.size - 1):
        for a in range(first[u], first[u + 1]):
            v, uv = partners[a], numbers[a]
            for b in range(a + 1, first[u + 1]):
                w, uw = partners[b], numbers[b]
                if _root(axis, uv) == _root(axis, uw):
                    continue
                corner, squares = -1, 0
                i, j = first[v], first[w]
                while i < first[v + 1] and j < first[w + 1]:
                    if partners[i] == partners[j]:
                        if partners[i] != u:
                            corner, squares = partners[i], squares + 1
                        i += 1
                        j += 1
                    elif partners[i] < partners[j]:
                        i += 1
                    else:
                        j += 1
                diagonal = _number(first, partners, numbers, v, w) >= 0
                if squares != 1 or diagonal:
                    near, other = _root(axis, uv), _root(axis, uw)
                    axis[max(near, other)] = min(near, other)
                    continue
                near = _root(axis, uv)
                other = _root(axis, _number(first, partners, numbers, w, corner))
                axis[max(near, other)] = min(near, other)
                near = _root(axis, uw)
                other = _root(axis, _number(first, partners, numbers, v, corner))
                axis[max(near, other)] = min(near, other)
    for k in range(axis.size):
        axis[k] = _root(axis, k)
