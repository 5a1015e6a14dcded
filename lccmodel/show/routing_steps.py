"""Every step of one method as tables, and what every node holds.

steps_table(routed)        what every step moves
tags_table(routed)         the tags in every node after every step, as [boppana, Fig. 2]
registers_tables(plan)     the registers of every processor, as [sibeyn, Example 3]
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lccmodel.errors import SizeLimitError
from lccmodel.methods.exchanges import ExchangeFactors
from lccmodel.methods.routed import RoutedPermutation
from lccmodel.methods.self_routing import SelfRouting
from lccmodel.methods.simd_mesh import MeshPlan
from lccmodel.movement import UNIT_PORTS
from lccmodel.show.numbers import Cell, cell_text, tags_text
from lccmodel.show.quantities import Column, Fact, Quantity, data, named
from lccmodel.show.records import Table
from lccmodel.show.routing_tables import UNIT_STEPS, UNIT_STEPS_NOTE

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
    return {key: [0, *run.unit_steps] for key, run in zip(UNIT_STEPS, runs, strict=True)}


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
    return notes + ([UNIT_STEPS_NOTE] if _unit_steps(routed) else [])


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
    found = []
    for row in walk.positions.tolist():
        held: list[list[int]] = [[] for _ in row]
        for source, node in enumerate(row):
            held[node].append(int(routed.destinations[source]))
        found.append(tuple(map(tuple, held)))
    return found


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
        *(Quantity(f"step_{k}", h, tags_text) for k, h in enumerate(heads)),
    ]
    rows = [
        (f"{u:0{n}b}", *(tuple(f"{tag:0{n}b}" for tag in step[u]) for step in steps))
        for u in range(1 << n)
    ]
    title = f"{name or 'permutation'} by {routed.title}: tags in every node"
    return Table(title, columns, rows, notes=["A tag is a destination; – is a node without one."])


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
