"""Placements from coordinates: grids in blocks and folds, and curves that fill space.

A grid of ranks is laid out on a network by digits: every axis of the grid becomes a number of
several digits, each along one axis of the network, or inside a router.

    10 x 10 x 10 on torus:5x5x5*8      10 = 5 * 2: a digit of 5 along an axis, one of 2 at a node;
                                       so every node holds a block of 2 x 2 x 2
    16 x 32 on torus:8x8x8             16 = 8 * 2, 32 = 8 * 4: axes are folded, the rests of 2 and
                                       of 4 share the third

Digits count in reflected order (0 1 2 3, 3 2 1 0, ...), so that neighbours on the grid differ in
one digit, by one. On a fat tree the axes are its levels: hosts at a switch, switches below one of
the next level, and so on.

Coordinates that are no grid are put in order along a line, snake or Hilbert curve, and follow such
a curve through the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise, product
from math import prod

import numpy as np
import numpy.typing as npt

from lccmodel.communication.products import Grid
from lccmodel.communication.program import Program
from lccmodel.errors import InputError
from lccmodel.ground.arrays import Ints
from lccmodel.lattice.programme import best_order
from lccmodel.network import Network
from lccmodel.placement.search.orders import program_of
from lccmodel.placement.search.problem import Demand
from lccmodel.placement.search.routes import Routes

_SPLITS = 48
"""Most ways to cut an axis that are combined with those of other axes; of four axes, fewer."""

_BITS = 10
"""Bits of a coordinate on a Hilbert curve; finer differences do not count."""

_MOST_PLACE = 1 << 40


def laid_in_folds(grid: Grid, routes: Routes) -> Iterator[tuple[str, Ints]]:
    """Layouts of a grid, those with the fewest digits first.

    Args:
        grid: where ranks stand.
        routes: the network.

    >>> from lccmodel.network import Mesh
    >>> four = Grid((4,), np.arange(4), closed=False)
    >>> how, node_of = next(laid_in_folds(four, Routes.of(Mesh((2, 2)))))
    >>> how, node_of.tolist()
    ('the grid of 4 by digits 2*2', [0, 1, 3, 2])
    """
    axes = _axes_of(routes)
    sides = [side for side in grid.sides if side > 1]
    if not 0 < len(sides) <= 4 or not axes:
        return
    coordinates = [
        column for side, column in zip(grid.sides, grid.coordinates.T, strict=True) if side > 1
    ]
    axes_alike = _kinds(routes, axes)
    lines = any(length > 2 and not ring for length, _, ring in axes[routes.ports > 1 :])
    seen: set[object] = set()
    for radices in _splits_of_all(sides, [length for length, _, _ in axes]):
        alike = tuple(sorted(zip(*radices, axes_alike, strict=True)))
        if alike in seen:
            continue
        seen.add(alike)
        for mirrored, upwards, first, woven in product(*[(True, False)] * 3, (False, True)):
            if woven and not (grid.closed and lines):
                continue
            choice = _Choice(upwards, first, mirrored, woven)
            layout = _laid_out(coordinates, radices, axes, routes.ports > 1, choice)
            key = layout.tobytes()
            if key in seen:
                continue
            seen.add(key)
            digits = ", ".join("*".join(str(r) for r in radix if r > 1) for radix in radices)
            yield f"the grid of {'x'.join(map(str, sides))} by digits {digits}", layout


def _axes_of(routes: Routes) -> list[tuple[int, int, bool]]:
    """(length, stride in places, whether a ring): inside a router, axes, or levels of a tree."""
    if len(routes.tree):
        levels = int(routes.tree[3])
        hosts = [1, *(int(routes.tree[3 + 2 * k]) for k in range(1, levels)), routes.routers]
        return [(above // below, below, False) for below, above in pairwise(hosts)]
    if routes.listed:
        sizes = [1, *routes.levels]
        return [(above // below, below, False) for below, above in pairwise(sizes)]
    inside = [(routes.ports, 1, False)] if routes.ports > 1 else []
    axes = [(n, stride * routes.ports, bool(ring)) for stride, n, ring in routes.axes.tolist()]
    return inside + axes


def _kinds(routes: Routes, axes: Sequence[tuple[int, int, bool]]) -> list[tuple[int, ...]]:
    """What tells axes apart: two of the same length, kind and cost are as good as each other."""
    if not len(routes.axes):
        return [(k,) for k in range(len(axes))]
    costs = routes.cost[:: 2 * routes.routers].tolist()
    kinds = [(n, int(ring), k) for (_, n, ring), k in zip(routes.axes.tolist(), costs, strict=True)]
    return [(0,), *kinds] if routes.ports > 1 else [*kinds]


@dataclass(frozen=True)
class _Choice:
    """How digits are put together.

    Attributes:
        upwards: whether the lower digits of a side are those along the lower axes of the network
            (always after one inside a router).
        first: whether the digits of the grid's first axis are the lowest where several share one.
        mirrored: whether what is below a digit is mirrored where that is odd.
        woven: whether a ring on a line goes there by every second place, and back.
    """

    upwards: bool
    first: bool
    mirrored: bool
    woven: bool


def _splits_of_all(sides: Sequence[int], lengths: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Digits of every side along the axes, such that all fit; the fewest digits first."""
    most = _SPLITS if len(sides) < 4 else _SPLITS // 3
    cuts = []
    for side in sides:
        splits = sorted(
            _splits(side, lengths), key=lambda split: (sum(r > 1 for r in split), prod(split))
        )
        cuts.append(np.array(splits[:most], np.int64).reshape(-1, len(lengths)))
    together = cuts[0]
    chosen = np.arange(len(cuts[0]))[:, None]
    for cut in cuts[1:]:  # products stay below the lengths, or the combination is left out
        rows, columns = np.divmod(np.arange(len(together) * len(cut)), max(1, len(cut)))
        tried = together[rows] * cut[columns]
        fits = (tried <= np.array(lengths)).all(axis=1)
        together = tried[fits]
        chosen = np.concatenate([chosen[rows[fits]], columns[fits, None]], axis=1)
    digits = sum(
        ((cut[chosen[:, k]] > 1).sum(axis=1) for k, cut in enumerate(cuts)),
        np.zeros(len(chosen), np.int64),
    )
    for row in chosen[np.argsort(digits, kind="stable")]:
        yield [tuple(cuts[k][i].tolist()) for k, i in enumerate(row.tolist())]


def _splits(side: int, lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Digits whose product is a side, or just above where no divisor fits."""
    if not lengths:
        if side == 1:
            yield ()
        return
    most = min(side, lengths[0])
    radices = {r for r in range(1, most + 1) if side % r == 0} | {most}
    for radix in sorted(radices, reverse=True):
        for rest in _splits(-(-side // radix), lengths[1:]):
            yield (radix, *rest)


def _laid_out(
    coordinates: Sequence[Ints],
    radices: Sequence[tuple[int, ...]],
    axes: Sequence[tuple[int, int, bool]],
    inside: bool,
    choice: _Choice,
) -> Ints:
    """The place of every rank.

    Args:
        coordinates: of every axis of the grid, (ranks,).
        radices: of every axis of the grid, along every axis of the network.
        axes: see `_axes_of`; inside: whether the first of these is inside a router.
        choice: how digits are put together.
    """
    order = list(range(len(axes)))
    order[inside:] = order[inside:] if choice.upwards else order[inside:][::-1]
    digits = [_reflected(x, radix, order) for x, radix in zip(coordinates, radices, strict=True)]
    place = np.zeros(len(coordinates[0]), np.int64)
    turns = range(len(coordinates)) if choice.first else range(len(coordinates))[::-1]
    for axis, (length, stride, ring) in enumerate(axes):
        position, step = np.zeros(len(place), np.int64), 1
        for k in turns:
            digit = digits[k][axis]
            if choice.mirrored:
                position = np.where(digit % 2 == 1, step - 1 - position, position)
            position = position + step * digit
            step *= radices[k][axis]
        if choice.woven and not ring and length > 2 and not (inside and axis == 0):
            back = position >= (step + 1) // 2
            position = np.where(back, 2 * (step - 1 - position) + 1, 2 * position)
        place += stride * position
    return place


def _reflected(x: Ints, radix: tuple[int, ...], order: Sequence[int]) -> dict[int, Ints]:
    """The digits of x by axis, the lowest along the first axis of the order, reflected."""
    reflected = {}
    for axis in order:
        x, digit = np.divmod(x, radix[axis])
        reflected[axis] = np.where(x % 2 == 1, radix[axis] - 1 - digit, digit)
    return reflected


# -- blocks of bits ---------------------------------------------------------------------------


def coded(
    grid: Grid, demand: Demand, network: Network, axes: Sequence[bool]
) -> Iterator[tuple[str, Ints]]:
    """The best placement by blocks of address bits, some axes of the grid in reflected Gray code.

    Where an axis of the grid has to be split over several of the network, or several share one,
    orders of address bits are not enough for rings: neighbours along a ring differ in many bits.
    In reflected Gray code they differ in one. The network's axes may count in it, too.

    Args:
        grid: sides that are powers of two, else nothing is found.
        demand, network: the problem, on 2^n nodes.
        axes: which axes of the grid are in Gray code.
    """
    where = grid.coordinates.T.copy()
    for axis, gray in enumerate(axes):
        if gray:
            where[axis] ^= where[axis] >> 1
    name_of = np.ravel_multi_index(tuple(where), grid.sides).astype(np.int64)
    renamed = [phase.traffic.placed(name_of, len(name_of)) for phase in program_of(demand)]
    with suppress(InputError):  # it reads no bits, or is too large
        best = best_order(Program(renamed), network, demand.objective, gray=True)
        code = " ".join(str(axis) for axis, gray in enumerate(axes) if gray)
        how = f"Gray code on {code}" if code else "no Gray code"
        yield f"the best blocks of bits, {how}", best.node_of[name_of]


def codes(grid: Grid) -> list[tuple[bool, ...]]:
    """All choices of axes for `coded`, the richest first; none where a side is no power of two."""
    if any(side & side - 1 for side in grid.sides):
        return []
    return list(product(*[(True, False) if side > 2 else (False,) for side in grid.sides]))


# -- curves ---------------------------------------------------------------------------------


def along_curves(points: npt.NDArray[np.number], routes: Routes) -> Iterator[tuple[str, Ints]]:
    """Ranks in the order of curves through their coordinates, along curves through the network.

    Args:
        points: (ranks, axes).
        routes: the network.

    >>> from lccmodel.network import Mesh
    >>> points = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    >>> placements = dict(along_curves(points, Routes.of(Mesh((4,)))))
    >>> placements["the Hilbert curve of the coordinates"].tolist()
    [0, 2, 1, 3]
    """
    whole = _whole(points)
    curves = {
        "Hilbert curve": _hilbert(whole),
        "last axis first": _lines(whole),
        "first axis first": _lines(whole[:, ::-1]),
        "snake": _snake(whole),
    }
    for (ranks, at), (places, node) in product(curves.items(), _curves_of(routes).items()):
        placed = np.empty(len(points), np.int64)
        placed[np.argsort(at, kind="stable")] = node[: len(points)]
        yield f"the {ranks} of the coordinates{places}", placed


def _curves_of(routes: Routes) -> dict[str, Ints]:
    """Places in the order of curves through the network."""
    natural = np.arange(routes.places)
    curves = {"": natural}
    where = routes.where
    if len(routes.axes):
        where = np.stack(
            [natural // routes.ports // stride % n for stride, n, _ in routes.axes.tolist()], axis=1
        )
    if where.shape[1] > 1:
        curves[" along that of the network"] = np.argsort(_hilbert(where), kind="stable")
        curves[" along a snake"] = np.argsort(_snake(where[:, ::-1]), kind="stable")
    return curves


def _whole(points: npt.NDArray[np.number]) -> Ints:
    """Coordinates as integers from 0, of one scale, of at most so many bits."""
    points = points - points.min(axis=0)
    widest = points.max()
    if (points == np.floor(points)).all() and widest < 1 << _BITS:
        return points.astype(np.int64)
    return np.asarray(points / widest * ((1 << _BITS) - 1), np.int64)


def _lines(whole: Ints) -> Ints:
    """A number that grows along the last axis first."""
    place = np.zeros(len(whole), np.int64)
    for column in whole.T:
        place = np.unique(place * (int(column.max()) + 1) + column, return_inverse=True)[1]
    return place


def _snake(whole: Ints) -> Ints:
    """As `_lines`, turning round at every end."""
    place = np.zeros(len(whole), np.int64)
    for column in whole.T:
        last = int(column.max())
        place = place * (last + 1) + np.where(place % 2 == 1, last - column, column)
        if place.max() >= _MOST_PLACE:  # many axes: what counts is the order
            place = np.unique(place, return_inverse=True)[1]
    return place


def _hilbert(whole: Ints) -> Ints:
    """The place on a Hilbert curve through the cube about the points [Skilling 2004]."""
    axes = whole.shape[1]
    bits = max(1, int(whole.max(initial=1)).bit_length())
    x = [column.copy() for column in whole.T]
    for k in range(bits - 1, 0, -1):
        low = (1 << k) - 1
        for i in range(axes):
            high = x[i] >> k & 1 == 1
            swapped = (x[0] ^ x[i]) & low
            x[i] = np.where(high, x[i], x[i] ^ swapped)
            x[0] = np.where(high, x[0] ^ low, x[0] ^ swapped)
    for i in range(1, axes):
        x[i] ^= x[i - 1]
    turn = np.zeros(len(whole), np.int64)
    for k in range(bits - 1, 0, -1):
        turn ^= np.where(x[-1] >> k & 1 == 1, (1 << k) - 1, 0)
    place = np.zeros(len(whole), np.int64)
    for k in range(bits - 1, -1, -1):
        for i in range(axes):
            place = place << 1 | ((x[i] ^ turn) >> k & 1)
        if place.max() >= _MOST_PLACE:
            place = np.unique(place, return_inverse=True)[1]
    return place
