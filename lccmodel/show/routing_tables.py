"""Tables of routing methods side by side.

comparison_tables(comparison)     walks, counts on the cube, unit steps on the mesh
comparison_table(comparisons)     several permutations in one table; as data, all of it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lccmodel.methods.comparison import Comparison
from lccmodel.methods.routed import RoutedPermutation
from lccmodel.movement import UNIT_PORTS, Conflict
from lccmodel.show.numbers import Cell
from lccmodel.show.quantities import Column, Quantity, named
from lccmodel.show.records import Table

UNIT_STEPS = tuple(f"unit_steps_{ports.replace('-', '_')}" for ports in UNIT_PORTS)
"""Keys of the unit steps under every port model."""

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


# -- methods side by side -----------------------------------------------------------------------


def comparison_tables(comparison: Comparison) -> tuple[Table, ...]:
    """The walks of all methods, what they cost on the hypercube, and on the mesh if there is one.

    Args:
        comparison: from `compare`, perhaps with `with_reordering`.
    """
    name = comparison.name or "permutation"
    cube = f"cube:{comparison.n}"
    records = [_record(comparison, routed) for routed in comparison.values()]
    why = [f"{r.title}: {r.reason}." for r in comparison.values() if r.reason]
    if comparison.communication is None:
        why += [_against_one_port(r) for r in comparison.values() if r.method.startswith("hl")]
    notes = [*_WALK_NOTES, *(note for note in dict.fromkeys(why) if note)]
    tables = [
        _excerpt(f"{name}: walks on {cube}", _WALKS, records, notes),
        _excerpt(f"{name}: counts on {cube}", ("title", *_CUBE), records, _CUBE_NOTES),
    ]
    if comparison.mesh is not None:
        title = f"{name}: counts on {comparison.mesh.spec}"
        busiest, hops = _straight(comparison)
        xy = f"XY routing goes straight: {hops:,} hops, {busiest:,} on the busiest channel."
        tables.append(_excerpt(title, ("title", *_MESH), records, [*_MESH_NOTES, xy]))
    return tuple(tables)


def _against_one_port(r: RoutedPermutation) -> str:
    """Where a self-routing leaves the model in which a node sends and receives one message."""
    found = r.one_port
    if not isinstance(found, Conflict):
        return ""
    return f"{r.title}: beyond the model of section 2.1 (send one, receive one): {found}."


_WALKS = ("title", "order", "occupancy", "load", "requires")
_CUBE = ("delivered", "buffers", "rounds", "busiest", "hops")
_MESH = (*UNIT_STEPS, "registers", "mesh_busiest", "mesh_hops", "mesh_buffers")


def _excerpt(
    title: str, keys: Sequence[str], records: Sequence[dict[str, Any]], notes: Sequence[str]
) -> Table:
    """Some of the keys of records; in place of an order that there is not, a word says why."""
    rows = [
        {key: record["_order" if key == "order" else key] for key in keys} for record in records
    ]
    return Table(title, keys, rows, notes=notes)


def comparison_table(compared: Comparison | Sequence[Comparison], title: str = "") -> Table:
    """Several permutations in one table: order, largest occupancy and load, rounds, unit steps.

    Records hold everything that is compared, one for every permutation and method.

    Args:
        compared: one for each permutation.
        title: of the table.
    """
    comparisons = [compared] if isinstance(compared, Comparison) else list(compared)
    columns: list[Column] = [
        Quantity("of", "communication", audience="people"),
        "title",
        Quantity("_order", "order", audience="people"),
        named("buffers", "occupancy"),
        Quantity("largest", "load", audience="people"),
    ]
    columns += ["rounds", *UNIT_STEPS, "registers"]
    rows: list[dict[str, Any]] = []
    for comparison in comparisons:
        for k, r in enumerate(comparison.values()):
            record = _record(comparison, r)
            largest = None if record["load"] is None else max(record["load"], default=0)
            rows.append(record | {"of": "" if k else record["communication"], "largest": largest})
    notes = [
        "occupancy, load: the largest along the walk on the hypercube.",
        _CUBE_NOTES[0],
        *_MESH_NOTES,
        "no order works: conditional exchanges meet a singular submatrix in every order.",
    ]
    meshes = {comparison.mesh.spec for comparison in comparisons if comparison.mesh is not None}
    where = f" (unit steps on {', '.join(sorted(meshes))})" if meshes else ""
    title = title or f"Routing methods on cube:{comparisons[0].n}"
    return Table(f"{title}{where}", columns, rows, notes=notes)


def _record(comparison: Comparison, r: RoutedPermutation) -> dict[str, Any]:
    """Everything about one method; `order` for people is a word where there is none.

    Nothing is counted of a walk that does not exist.
    """
    walk, count = r.movement, r.on_mesh
    busiest, hops = _straight(comparison)
    on_cube: tuple[Any, ...] = (None,) * len(_CUBE)
    if walk is not None:
        on_cube = (r.delivered, r.buffers, r.rounds, r.busiest, r.hops)
    on_mesh: tuple[Any, ...] = (None,) * len(_MESH)
    if count is not None:
        steps = [count.in_unit_steps(ports).total for ports in UNIT_PORTS]
        on_mesh = (
            *steps,
            r.price,
            count.channel_use.degree,
            count.hops,
            count.in_unit_steps("one").most_held,
        )
    return {
        "communication": comparison.name or "permutation",
        "n": comparison.n,
        "mesh": None if comparison.mesh is None else comparison.mesh.spec,
        "method": r.method,
        "title": r.title,
        "order": r.order,
        "_order": _order(r),
        "occupancy": None if walk is None else walk.occupancies,
        "load": None if walk is None else walk.loads,
        "steps": None if walk is None else r.steps,
        "contention_free": None if walk is None else r.contention_free,
        "follows_lattice": None if walk is None else r.follows_lattice,
        **dict(zip(_CUBE, on_cube, strict=True)),
        **dict(zip(_MESH, on_mesh, strict=True)),
        "xy_busiest": busiest,
        "xy_hops": hops,
        "requires": r.requires,
        "reason": r.reason or None,
    }


def _straight(comparison: Comparison) -> tuple[int | None, int | None]:
    """Messages on the busiest channel and on all, if every message goes straight (XY routing)."""
    if comparison.mesh is None:
        return None, None
    sources = np.arange(comparison.destinations.size)
    pairs = np.stack([sources, comparison.destinations], axis=1)
    loads = comparison.mesh.channel_loads(pairs)
    return loads.degree, int(loads.counts.sum())


def _order(r: RoutedPermutation) -> Cell:
    """The order, or a word in its place."""
    if r.movement is None:
        return r.brief
    return r.words if r.order is None else r.order
