"""Tables of routing methods side by side.

    comparison_tables(comparison)     walks, counts on the cube, unit steps on the mesh
    counts_table(comparisons)         several permutations in one table
    records_table(comparisons)        all of it as data, a record for every method

`with_reordering` adds what [hou] does for the same permutation: e-cube after the processes have
been renamed by an optimal order of the bits, which is the walk along that order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lccmodel.methods.comparison import Comparison
from lccmodel.methods.routed import Routing
from lccmodel.methods.self_routing import PORTS
from lccmodel.movement.walk import Walk
from lccmodel.show import columns as col
from lccmodel.show.tables import Cell, Column, Table, grouped

__all__ = [
    "DELIVERED",
    "UNIT_STEPS",
    "UNIT_STEPS_NOTE",
    "comparison_tables",
    "counts_table",
    "records_table",
    "with_reordering",
]

_METHOD = Column("title", "method")
_CODE = Column("method", "method", audience="data")
DELIVERED = Column("delivered", "delivered")
_OCCUPANCY = Column("occupancy", "occupancy")
_LOAD = Column("load", "load")
_ROUNDS = Column("rounds", "rounds", right=True)
_BUFFERS = Column("buffers", "buffers", right=True)
_BUSIEST = Column("busiest", "busiest\nchannel", right=True, text=grouped)
_HOPS = Column("hops", "hops", right=True, text=grouped)
UNIT_STEPS: tuple[Column, ...] = tuple(
    Column(f"unit_steps_{ports.replace('-', '_')}", heading, right=True, text=grouped)
    for ports, heading in zip(PORTS, ("all\nports", "one\nport", "one\ndirection"), strict=True)
)
_PRICE = Column("registers", "registers", right=True, text=grouped)
_MESH_BUSIEST = Column("mesh_busiest", "busiest\nchannel", right=True, text=grouped)
_MESH_HOPS = Column("mesh_hops", "hops", right=True, text=grouped)
_MESH_HELD = Column("mesh_buffers", "buffers,\none port", right=True)

_WALK_NOTES = (
    "order: the bits in the order in which they are corrected.",
    "occupancy: the most messages in a node, before step 1 and after every step.",
    "load: messages on the busiest channel of the hypercube in every step.",
)
_CUBE_NOTES = (
    "rounds: the loads added up, which is the time if a channel carries one message at a time.",
    "busiest channel, hops: messages on a channel from start to end, and on all together.",
    "buffers: the most messages that a node holds between steps.",
)
UNIT_STEPS_NOTE = (
    "all ports, one port, one direction: unit steps, every message moved one node at a time."
)
_MESH_NOTES = (
    UNIT_STEPS_NOTE,
    "registers: unit shifts that the registers of the SIMD mesh make, idle passes included.",
)


def with_reordering(comparison: Comparison) -> Comparison:
    """The comparison with a row for e-cube after an optimal reordering [hou]; if affine.

    >>> from lccmodel import catalog
    >>> from lccmodel.methods.comparison import compare
    >>> with_reordering(compare(catalog.matrix_transpose(4)))["reordering"].order
    (0, 2, 1, 3)
    """
    from lccmodel.methods.mapping import optimal_reordering
    from lccmodel.network import Hypercube

    c = comparison.communication
    if c is None:
        return comparison
    mapping = optimal_reordering(c, Hypercube(c.n))
    assert mapping.order is not None
    numbers = np.arange(1 << c.n, dtype=np.int64)
    renamed = sum((numbers >> bit & 1) << k for k, bit in enumerate(mapping.order))
    added = Routing(
        "reordering",
        "reordered e-cube",
        "A and b known; processes renamed by this order, then e-cube routers",
        comparison.destinations,
        Walk.along(comparison.destinations.tolist(), mapping.order),
        mapping.order,
        mesh=comparison.mesh,
        nodes=np.asarray(renamed),
    )
    first, *rest = comparison.routings
    return replace(comparison, routings=(first, added, *rest))


# -- methods side by side -----------------------------------------------------------------------


def comparison_tables(comparison: Comparison) -> tuple[Table, ...]:
    """The walks of all methods, what they cost on the hypercube, and on the mesh if there is one.

    Args:
        comparison: from `compare`, perhaps through `with_reordering`.
    """
    name = comparison.name or "permutation"
    walks = [
        (r.title, _order(r), _of(r, "occupancies"), _of(r, "loads"), r.requires)
        for r in comparison.values()
    ]
    why = [f"{r.title}: {r.reason}." for r in comparison.values() if r.reason]
    columns = [_METHOD, Column("order", "order"), _OCCUPANCY, _LOAD]
    columns.append(Column("requires", "requires"))
    cube = f"cube:{comparison.n}"
    tables = [
        Table(f"{name}: walks on {cube}", columns, walks, notes=[*_WALK_NOTES, *dict.fromkeys(why)])
    ]
    rows = [(r.title, *_cube_counts(r)) for r in comparison.values()]
    columns = [_METHOD, DELIVERED, *_CUBE_COLUMNS]
    tables.append(Table(f"{name}: counts on {cube}", columns, rows, notes=_CUBE_NOTES))
    if comparison.mesh is not None:
        rows = [(r.title, *_mesh_counts(r)) for r in comparison.values()]
        title = f"{name}: counts on {comparison.mesh.spec}"
        busiest, hops = _straight(comparison)
        xy = f"XY routing goes straight: {hops:,} hops, {busiest:,} on the busiest channel."
        notes = [*_MESH_NOTES, xy]
        tables.append(Table(title, [_METHOD, *_MESH_COLUMNS], rows, notes=notes))
    return tuple(tables)


def counts_table(comparisons: Sequence[Comparison], title: str) -> Table:
    """Several permutations in one table: order, largest occupancy and load, rounds, unit steps.

    Args:
        comparisons: one for each permutation.
        title: of the table.
    """
    columns = [
        col.COMMUNICATION,
        _METHOD,
        Column("order", "order"),
        Column("buffers", "occupancy", right=True),
        Column("degree", "load", right=True),
        _ROUNDS,
        *_MESH_COLUMNS[:4],
    ]
    rows: list[Sequence[Any]] = []
    for comparison in comparisons:
        for k, r in enumerate(comparison.values()):
            loads = _of(r, "loads")
            counts = _cube_counts(r)
            row = (_order(r), counts[1], None if loads is None else max(loads, default=0))
            name = "" if k else comparison.name or "permutation"
            rows.append((name, r.title, *row, counts[2], *_mesh_counts(r)[:4]))
    notes = [
        "occupancy, load: the largest along the walk on the hypercube.",
        _CUBE_NOTES[0],
        *_MESH_NOTES,
        "no order works: conditional exchanges meet a singular submatrix in every order.",
    ]
    meshes = {comparison.mesh.spec for comparison in comparisons if comparison.mesh is not None}
    where = f" (unit steps on {', '.join(sorted(meshes))})" if meshes else ""
    return Table(f"{title}{where}", columns, rows, notes=notes)


def records_table(comparisons: Iterable[Comparison]) -> Table:
    """Everything that is compared, as data: a record for every permutation and method."""
    columns = [
        col.COMMUNICATION,
        col.N,
        Column("mesh", "mesh"),
        _CODE,
        _METHOD,
        Column("order", "order"),
        _OCCUPANCY,
        _LOAD,
        Column("steps", "steps", right=True),
        Column("contention_free", "free of contention"),
        Column("follows_lattice", "corrects the bits in this order"),
        DELIVERED,
        *_CUBE_COLUMNS,
        *_MESH_COLUMNS,
        Column("xy_busiest", "busiest channel of XY routing", right=True),
        Column("xy_hops", "hops of XY routing", right=True),
        Column("requires", "requires"),
        Column("reason", "why not"),
    ]
    rows: list[Sequence[Any]] = []
    for comparison in comparisons:
        mesh = None if comparison.mesh is None else comparison.mesh.spec
        head = (comparison.name or "permutation", comparison.n, mesh)
        straight = _straight(comparison)
        for r in comparison.values():
            walk = (r.order, _of(r, "occupancies"), _of(r, "loads"))
            facts: tuple[Any, ...] = (None, None, None)
            if r.walk is not None:
                facts = (r.steps, r.contention_free, r.follows_lattice)
            counts = (*_cube_counts(r), *_mesh_counts(r))
            ends = (*straight, r.requires, r.reason or None)
            rows.append((*head, r.method, r.title, *walk, *facts, *counts, *ends))
    return Table("Routing methods", columns, rows)


_CUBE_COLUMNS = (_BUFFERS, _ROUNDS, _BUSIEST, _HOPS)
_MESH_COLUMNS = (*UNIT_STEPS, _PRICE, _MESH_BUSIEST, _MESH_HOPS, _MESH_HELD)


def _cube_counts(r: Routing) -> tuple[Cell, ...]:
    """Delivered, and the cells of `_CUBE_COLUMNS`; nothing is counted of a walk that is none."""
    if r.walk is None:
        return (None,) * (1 + len(_CUBE_COLUMNS))
    return (r.delivered, r.buffers, r.rounds, r.busiest, r.hops)


def _mesh_counts(r: Routing) -> tuple[Cell, ...]:
    count = r.on_mesh
    if count is None:
        return (None,) * len(_MESH_COLUMNS)
    steps = [count.runs[ports].total for ports in PORTS]
    held = count.runs["one"].most_held
    return (*steps, r.price, count.busiest, count.hops, held)


def _straight(comparison: Comparison) -> tuple[int | None, int | None]:
    """Messages on the busiest channel and on all, if every message goes straight (XY routing)."""
    if comparison.mesh is None:
        return None, None
    sources = np.arange(comparison.destinations.size)
    pairs = np.stack([sources, comparison.destinations], axis=1)
    loads = comparison.mesh.channel_loads(pairs)
    return loads.degree, int(loads.counts.sum())


def _of(r: Routing, what: str) -> Any:
    return None if r.walk is None else getattr(r.walk, what)


def _order(r: Routing) -> Cell:
    """The order, or a word in its place."""
    if r.walk is None:
        return r.brief
    return "differs by node" if r.order is None else r.order
