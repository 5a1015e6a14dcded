"""The grid that a table of routes may be: its axes are guessed, then everything is compared.

The links of router 0 suggest axis 0: 0 - 1 - 2 ... as far as they go; then those of its strides
suggest the next. The table is that grid if it has the links, bandwidths and routes of it, all of
them. That is looked at once, when somebody asks for `RouteTable.geometry`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.network.geometry import Axis, Geometry
from lccmodel.network.wiring import cables_of_axes

_BLOCK = 1 << 22
"""Entries of a table of routes that are compared with those of a grid at a time."""


def grid_of(table: Any) -> Geometry | None:
    """The geometry of a table whose links and routes are those of a grid, axis 0 first.

    Nodes are numbered as on the grid, as many at every router. Half-way round a ring routes go by
    one of the two rules of `Torus`.

    >>> from lccmodel.network import Mesh, RouteTable
    >>> mesh = Mesh((3, 2))
    >>> table = RouteTable.from_graph(mesh.graph(), lambda graph, x, y: mesh.path(x, y))
    >>> grid_of(table).sides, grid_of(RouteTable.from_graph(mesh.graph(), "shortest"))
    ((3, 2), None)
    """
    per = table.size // table.routers
    if table.ports or table._apart or per * table.routers != table.size or table._cable.any():
        return None
    if bool((table.hosts != np.arange(table.size) // per).any()):
        return None
    axes = _axes_of(table)
    if axes is None:
        return None
    geometry, links = Geometry(axes, per_router=per, word="dimension"), table.links
    tail, head, counter, _ = cables_of_axes(geometry, table.routers, 0, 1)
    mine, grid = np.lexsort((links[:, 1], links[:, 0])), np.lexsort((head, tail))
    if len(mine) != len(grid) or not np.array_equal(links[mine].T, (tail[grid], head[grid])):
        return None
    widths = np.array(table.bandwidths, object)[table._row[mine]]
    stated = np.array(geometry.bandwidths, object)[counter[grid] // table.routers]
    if not bool((widths == stated).all()):
        return None
    plus, split = geometry, replace(geometry, ties="split")
    return next((kind for kind in (plus, split) if _same_routes(table, kind)), None)


def _axes_of(table: Any) -> tuple[Axis, ...] | None:
    """The axes that the links of router 0, and on, suggest; None if there are none."""
    axes, stride = [], 1
    while stride < table.routers:
        length = 1
        while ((length - 1) * stride, length * stride, 0) in table._index:
            length += 1
        if length == 1:
            return None
        link = table._index[0, stride, 0]
        ring = length > 2 and (0, (length - 1) * stride, 0) in table._index
        axes.append(Axis(length, ring, table.bandwidths[table._row[link]]))
        stride *= length
    return tuple(axes) if axes and stride == table.routers else None


def _same_routes(table: Any, geometry: Geometry) -> bool:
    """Whether every route of a table goes as on a grid; *requires* the links of the grid."""
    nodes, per, heads = table.size, geometry.per_router, table.links[:, 1]
    start = int(table._form[9])

    def links(start: int, index: Ints) -> Ints:
        packed = table._form[start + (index >> 1)]
        return np.asarray(packed >> (32 * (index & 1)) & 0xFFFFFFFF, np.int64)

    if table.is_listed:
        begin = table._form[start : start + nodes**2 + 1]
        x, y = np.divmod(np.arange(nodes**2), nodes)
        here, goal, at, end = x // per, y // per, begin[:-1], begin[1:]
        while len(here):
            there = here != goal
            if not np.array_equal(there, at < end):
                return False
            here, goal, at, end = (part[there] for part in (here, goal, at, end))
            after = heads[links(start + nodes**2 + 1, at)]
            if not np.array_equal(after, geometry.next_router(here, goal)):
                return False
            here, at = after, at + 1
        return True
    for first in range(0, table.routers, rows := max(1, _BLOCK // nodes)):
        here = np.arange(first, min(first + rows, table.routers))[:, None]
        goal = np.arange(nodes)[None, :] // per
        link = links(start, here * nodes + np.arange(nodes))
        known = np.where(link < len(heads), link, 0)
        after = np.where(link < len(heads), heads[known], -1)
        same = (after == geometry.next_router(here, goal)) | (here == goal)
        if not same.all():
            return False
    return True
