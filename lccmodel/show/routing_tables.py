"""Tables of routing methods side by side, and of every step of one.

comparison_tables(comparison)     walks, counts on the cube, unit steps on the mesh
comparison_table(comparisons)     several permutations in one table; as data, all of it
steps_table(routed)               what every step of a method moves
tags_table(routed)                the tags in every node after every step, as [boppana, Fig. 2]
registers_tables(plan)            the registers of every processor, as [sibeyn, Example 3]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lccmodel.errors import SizeLimitError
from lccmodel.movement import UNIT_PORTS, Conflict
from lccmodel.permutations.comparison import Comparison
from lccmodel.permutations.exchanges import ExchangeFactors
from lccmodel.permutations.routing_result import RoutedPermutation
from lccmodel.permutations.self_routing import SelfRouting
from lccmodel.permutations.simd_mesh import MeshPlan
from lccmodel.show.numbers import Cell, cell_text, joined
from lccmodel.show.quantities import Column, Fact, Quantity, data, named
from lccmodel.show.records import Table

_UNIT_STEPS = tuple(f"unit_steps_{ports.replace('-', '_')}" for ports in UNIT_PORTS)
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
_UNIT_STEPS_NOTE = (
    "all ports, one port, one direction: unit steps, every message moved one node at a time."
)
_MESH_NOTES = (
    _UNIT_STEPS_NOTE,
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
    notes = [note for note in why if note]
    tables = [
        _excerpt(f"{name}: walks on {cube}", _WALKS, records, _WALK_NOTES, notes),
        _excerpt(f"{name}: counts on {cube}", ("title", *_CUBE), records, _CUBE_NOTES),
    ]
    if comparison.mesh is not None:
        title = f"{name}: counts on {comparison.mesh.spec}"
        busiest, hops = _straight(comparison)
        xy = f"XY routing goes straight: {hops:,} hops, {busiest:,} on the busiest channel."
        tables.append(_excerpt(title, ("title", *_MESH), records, _MESH_NOTES, [xy]))
    return tuple(tables)


def _against_one_port(r: RoutedPermutation) -> str:
    """Where a self-routing leaves the model in which a node sends and receives one message."""
    conflict = r.one_port
    if not isinstance(conflict, Conflict):
        return ""
    return f"{r.title}: beyond the model of section 2.1 (send one, receive one): {conflict}."


_WALKS = ("title", "order", "occupancy", "load", "requires")
_CUBE = ("delivered", "buffers", "rounds", "busiest", "hops")
_MESH = (*_UNIT_STEPS, "registers", "mesh_busiest", "mesh_hops", "mesh_buffers")


def _excerpt(
    title: str,
    keys: Sequence[str],
    records: Sequence[dict[str, Any]],
    legend: Sequence[str],
    notes: Sequence[str] = (),
) -> Table:
    """Some of the keys of records; in place of an order that there is not, a word says why."""
    rows = [
        {key: record["_order" if key == "order" else key] for key in keys} for record in records
    ]
    return Table(title, keys, rows, legend=legend, notes=notes)


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
    columns += ["rounds", *_UNIT_STEPS, "registers"]
    rows: list[dict[str, Any]] = []
    for comparison in comparisons:
        for k, r in enumerate(comparison.values()):
            record = _record(comparison, r)
            largest = None if record["load"] is None else max(record["load"], default=0)
            rows.append(record | {"of": "" if k else record["communication"], "largest": largest})
    legend = [
        "occupancy, load: the largest along the walk on the hypercube.",
        _CUBE_NOTES[0],
        *_MESH_NOTES,
        "no order works: conditional exchanges meet a singular submatrix in every order.",
    ]
    meshes = {comparison.mesh.spec for comparison in comparisons if comparison.mesh is not None}
    where = f" (unit steps on {', '.join(sorted(meshes))})" if meshes else ""
    title = title or f"Routing methods on cube:{comparisons[0].n}"
    return Table(f"{title}{where}", columns, rows, legend=legend)


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


# -- every step of one method -------------------------------------------------------------------


_MAX_SHOWN_BITS = 6
"""Most address bits for which the tags of every node are listed."""

_PROCESSORS = 8
"""Processors side by side in a table of registers."""


def steps_table(routed: RoutedPermutation, name: str = "", *, tags: bool = False) -> Table:
    """What every step of the method does; step 0 is the start.

    Args:
        routed: a method that was asked; why there is no walk, if there is none.
        name: of the communication.
        tags: whether records carry the destinations of the messages in every node.

    Raises:
        SizeLimitError: `tags` with n > 6.
    """
    walk = routed.movement
    if walk is None:
        return Table(routed.title, ["method", "reason"], [[routed.method, routed.reason]])
    made = routed.made
    bits = made.bits if isinstance(made, SelfRouting) else [(k,) for k in routed.order or ()]
    known: dict[str, Sequence[Any]] = {
        "step": range(walk.steps + 1),
        "bits": [(), *bits],
        **_details(routed),
        "moved": [0, *walk.moves],
        "occupancy": walk.occupancies,
        "nodes": [int(np.count_nonzero(walk.held(k))) for k in range(walk.steps + 1)],
        "load": [0, *walk.loads],
        **_unit_steps(routed),
    }
    shown: list[Column] = [
        named(key, "unit shifts") if key == "registers" else key for key in known
    ]
    if tags:
        known["tags"] = tags_of(routed)
    records = [dict(zip(known, row, strict=True)) for row in zip(*known.values(), strict=True)]
    title = f"{name or 'permutation'} by {routed.title}"
    return Table(title, shown, records, _step_facts(routed), _step_notes(routed))


def _details(routed: RoutedPermutation) -> dict[str, Sequence[Any]]:
    """What only one method has; a value for the start and for every step."""
    made = routed.made
    if isinstance(made, SelfRouting):
        return {"state": made.states}
    if isinstance(made, ExchangeFactors):
        return {"condition": [None, *map(str, made.step_table())]}
    if isinstance(made, MeshPlan):
        passes = made.passes
        shifts = [", ".join(f"{way} {k}" for way, k in done.shifts) or "none" for done in passes]
        return {
            "cycle": [None, *(done.operation.cycle for done in passes)],
            "shifts": [None, *shifts],
            "registers": [None, *(done.steps for done in passes)],
        }
    return {}


def _unit_steps(routed: RoutedPermutation) -> dict[str, Sequence[Any]]:
    count = routed.on_mesh
    if count is None or routed.price is not None:
        return {}
    runs = [count.in_unit_steps(ports) for ports in UNIT_PORTS]
    return {key: [0, *run.unit_steps] for key, run in zip(_UNIT_STEPS, runs, strict=True)}


def _step_facts(routed: RoutedPermutation) -> list[Fact]:
    made = routed.made
    facts: list[Fact] = [
        ("network", routed.mesh.spec if routed.mesh else f"cube:{routed.n}"),
        (data("method"), routed.method),
    ]
    if isinstance(made, SelfRouting):
        facts.append(("rules", str(made.rules)))
    if isinstance(made, MeshPlan):
        facts.append(("numbering", made.numbering.name))
    facts += [
        ("order", routed.order),
        ("requires", routed.requires),
        ("delivered", routed.delivered),
        ("reason", routed.reason or None),
        ("rounds", routed.rounds),
    ]
    if routed.on_mesh is not None:
        facts.append((named("mesh_busiest", "busiest channel"), routed.on_mesh.channel_use.degree))
    return facts


def _step_notes(routed: RoutedPermutation) -> list[str]:
    notes = ["occupancy: the most messages in a node after the step."]
    notes.append("load: messages on the busiest channel of the hypercube in the step.")
    if isinstance(routed.made, ExchangeFactors):
        notes.append("sends if 1: what a node at address u sums up, modulo 2, to decide.")
    return notes + ([_UNIT_STEPS_NOTE] if _unit_steps(routed) else [])


# -- tags and registers -------------------------------------------------------------------------


def tags_of(routed: RoutedPermutation) -> list[tuple[tuple[int, ...], ...]]:
    """The destinations of the messages in every node, at the start and after every step.

    Raises:
        SizeLimitError: n > 6.
    """
    walk = routed.movement
    assert walk is not None
    if routed.n > _MAX_SHOWN_BITS:
        rule = f"the tags of every node are listed up to n = {_MAX_SHOWN_BITS}"
        raise SizeLimitError("tags", rule, routed.n)
    tags = []
    for row in walk.positions.tolist():
        held: list[list[int]] = [[] for _ in row]
        for source, node in enumerate(row):
            held[node].append(int(routed.destinations[source]))
        tags.append(tuple(map(tuple, held)))
    return tags


def tags_table(routed: RoutedPermutation, name: str = "") -> Table:
    """The tags in every node, a column for the start and for every step, in binary.

    Raises:
        SizeLimitError: n > 6.
    """
    n = routed.n
    steps = tags_of(routed)
    heads = ["start", *(f"step {k}" for k in range(1, len(steps)))]
    columns: list[Column] = [
        "node",
        *(Quantity(f"step_{k}", h, joined(",", "–")) for k, h in enumerate(heads)),
    ]
    rows = [
        (f"{u:0{n}b}", *(tuple(f"{tag:0{n}b}" for tag in step[u]) for step in steps))
        for u in range(1 << n)
    ]
    title = f"{name or 'permutation'} by {routed.title}: tags in every node"
    return Table(title, columns, rows, legend=["A tag is a destination; – is a node without one."])


def registers_tables(plan: MeshPlan, name: str = "") -> tuple[Table, ...]:
    """The registers of every processor line by line, eight processors to a table.

    Raises:
        SizeLimitError: n > 6.
    """
    n = plan.routed.n
    if n > _MAX_SHOWN_BITS:
        rule = f"the registers of every processor are listed up to n = {_MAX_SHOWN_BITS}"
        raise SizeLimitError("tags", rule, n)
    lines = plan.table()
    bounds = [*range(0, 1 << n, _PROCESSORS), 1 << n]
    tables = []
    for first, end in pairwise(bounds):
        cells = [Quantity(f"p{u}", f"{u:0{n}b}", math=_register_latex) for u in range(first, end)]
        columns: list[Column] = ["register", *cells, Quantity("note", " ")]
        rows = [(line.register, *line.values[first:end], line.note) for line in lines]
        title = f"{name or 'permutation'} by SIMD mesh: registers"
        more = f", processors {first}..{end - 1}" if len(bounds) > 2 else ""
        tables.append(Table(title + more, columns, rows))
    return tuple(tables)


def _register_latex(cell: Cell) -> str:
    return r"$\emptyset$" if cell == "∅" else cell_text(cell)
