"""Every step of one routing as tables, and what every node holds.

steps_table(routing)       what every step moves
tags_table(routing)        the tags in every node after every step, as [boppana, Fig. 2]
registers_tables(plan)     the registers of every processor, as [sibeyn, Example 3]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lccmodel.errors import SizeLimitError
from lccmodel.methods.exchanges import ExchangeFactors
from lccmodel.methods.routed import Routing
from lccmodel.methods.self_routing import PORTS, Trace
from lccmodel.methods.simd_mesh import MeshPlan
from lccmodel.show import columns as col
from lccmodel.show.routing_tables import DELIVERED, UNIT_STEPS, UNIT_STEPS_NOTE
from lccmodel.show.tables import Cell, Column, Table, cell_text, grouped

__all__ = ["MAX_SHOWN_BITS", "registers_tables", "steps_table", "tags_of", "tags_table"]

MAX_SHOWN_BITS = 6
"""Most address bits for which the tags of every node are listed."""

_PROCESSORS = 8
"""Processors side by side in a table of registers."""


def steps_table(routing: Routing, name: str = "", *, tags: bool = False) -> Table:
    """What every step of a routing does; step 0 is the start.

    Args:
        routing: with a walk.
        name: of the communication.
        tags: whether records carry the destinations of the messages in every node.

    Raises:
        SizeLimitError: `tags` with n > 6.
    """
    walk = routing.walk
    assert walk is not None
    made = routing.made
    bits = made.bits if isinstance(made, Trace) else [(k,) for k in routing.order or ()]
    columns = [Column("step", "step", right=True), Column("bits", "bit", text=_bits_text)]
    cells: list[list[Any]] = [[0, ()], *([k + 1, bits[k]] for k in range(walk.steps))]
    for column, added in _details(routing):
        columns.append(column)
        cells = [[*row, cell] for row, cell in zip(cells, added, strict=True)]
    columns += [
        Column("moved", "moved", right=True, text=grouped),
        Column("occupancy", "occupancy", right=True),
        Column("nodes", "nodes in use", right=True, text=grouped),
        Column("load", "load", right=True),
    ]
    for k, row in enumerate(cells):
        used = int(np.count_nonzero(walk.held(k)))
        before = (walk.moves[k - 1], walk.loads[k - 1]) if k else (0, 0)
        row += [before[0], walk.occupancies[k], used, before[1]]
    for column, added in _unit_steps(routing):
        columns.append(column)
        cells = [[*row, cell] for row, cell in zip(cells, added, strict=True)]
    if tags:
        columns.append(Column("tags", "tags", audience="data"))
        cells = [[*row, here] for row, here in zip(cells, tags_of(routing), strict=True)]
    title = f"{name or 'permutation'} by {routing.title}"
    return Table(title, columns, cells, _step_facts(routing), _step_notes(routing))


def _details(routing: Routing) -> Iterable[tuple[Column, Sequence[Any]]]:
    """Columns that only one method has; a cell for the start and for every step."""
    made = routing.made
    if isinstance(made, Trace):
        yield Column("state", "state"), made.states
    if isinstance(made, ExchangeFactors):
        conditions = [str(step) for step in made.step_table()]
        yield Column("condition", "sends if 1"), [None, *conditions]
    if isinstance(made, MeshPlan):
        passes = made.passes
        shifts = [", ".join(f"{way} {k}" for way, k in done.shifts) or "none" for done in passes]
        cycles = [done.operation.cycle for done in passes]
        yield Column("cycle", "cycle"), [None, *cycles]
        yield Column("shifts", "shifts"), [None, *shifts]
        yield Column("registers", "unit shifts", right=True), [None, *(p.steps for p in passes)]


def _unit_steps(routing: Routing) -> Iterable[tuple[Column, Sequence[Any]]]:
    count = routing.on_mesh
    if count is not None and routing.price is None:
        for column, ports in zip(UNIT_STEPS, PORTS, strict=True):
            yield column, [0, *count.runs[ports].unit_steps]


def _step_facts(routing: Routing) -> list[tuple[Column, Any]]:
    made = routing.made
    network = routing.mesh.spec if routing.mesh else f"cube:{routing.n}"
    facts: list[tuple[Column, Any]] = [
        (Column("network", "network"), network),
        (Column("method", "method", audience="data"), routing.method),
    ]
    if isinstance(made, Trace):
        facts.append((Column("rules", "rules"), str(made.rules)))
    if isinstance(made, MeshPlan):
        facts.append((Column("numbering", "numbering"), made.numbering.name))
    facts += [
        (col.ORDER, routing.order),
        (Column("requires", "requires"), routing.requires),
        (DELIVERED, routing.delivered),
        (Column("reason", "why not"), routing.reason or None),
        (Column("rounds", "rounds"), routing.rounds),
    ]
    if routing.on_mesh is not None:
        facts.append((Column("mesh_busiest", "busiest channel"), routing.on_mesh.busiest))
    return facts


def _step_notes(routing: Routing) -> list[str]:
    notes = ["occupancy: the most messages in a node after the step."]
    notes.append("load: messages on the busiest channel of the hypercube in the step.")
    if isinstance(routing.made, ExchangeFactors):
        notes.append("sends if 1: what a node at address u sums up, modulo 2, to decide.")
    return notes + [UNIT_STEPS_NOTE for _ in _unit_steps(routing)][:1]


def _bits_text(cell: Cell) -> str:
    return ", ".join(map(str, cell)) if isinstance(cell, tuple) else cell_text(cell)


# -- tags and registers -------------------------------------------------------------------------


def tags_of(routing: Routing) -> list[tuple[tuple[int, ...], ...]]:
    """The destinations of the messages in every node, at the start and after every step.

    Raises:
        SizeLimitError: n > 6.
    """
    walk = routing.walk
    assert walk is not None
    if routing.n > MAX_SHOWN_BITS:
        rule = f"the tags of every node are listed up to n = {MAX_SHOWN_BITS}"
        raise SizeLimitError("tags", rule, routing.n)
    found = []
    for row in walk.positions.tolist():
        held: list[list[int]] = [[] for _ in row]
        for source, node in enumerate(row):
            held[node].append(int(routing.destinations[source]))
        found.append(tuple(map(tuple, held)))
    return found


def tags_table(routing: Routing, name: str = "") -> Table:
    """The tags in every node, a column for the start and for every step, in binary.

    Raises:
        SizeLimitError: n > 6.
    """
    n = routing.n
    steps = tags_of(routing)
    columns = [Column("node", "node"), Column("step_0", "start", text=_tags_text)]
    columns += [Column(f"step_{k}", f"step {k}", text=_tags_text) for k in range(1, len(steps))]
    rows = [
        (f"{u:0{n}b}", *(tuple(f"{tag:0{n}b}" for tag in step[u]) for step in steps))
        for u in range(1 << n)
    ]
    title = f"{name or 'permutation'} by {routing.title}: tags in every node"
    return Table(title, columns, rows, notes=["A tag is a destination; – is a node without one."])


def _tags_text(cell: Cell) -> str:
    return ",".join(map(str, cell)) or "–" if isinstance(cell, tuple) else cell_text(cell)


def registers_tables(plan: MeshPlan, name: str = "") -> tuple[Table, ...]:
    """The registers of every processor line by line, eight processors to a table.

    Raises:
        SizeLimitError: n > 6.
    """
    n = plan.routed.n
    if n > MAX_SHOWN_BITS:
        rule = f"the registers of every processor are listed up to n = {MAX_SHOWN_BITS}"
        raise SizeLimitError("tags", rule, n)
    lines = plan.table()
    bounds = [*range(0, 1 << n, _PROCESSORS), 1 << n]
    tables = []
    for first, end in pairwise(bounds):
        columns = [Column("register", "register")]
        columns += [Column(f"p{u}", f"{u:0{n}b}", latex=_register_latex) for u in range(first, end)]
        columns.append(Column("note", ""))
        rows = [(line.register, *line.values[first:end], line.note) for line in lines]
        title = f"{name or 'permutation'} by SIMD mesh: registers"
        more = f", processors {first}..{end - 1}" if len(bounds) > 2 else ""
        tables.append(Table(title + more, columns, rows))
    return tuple(tables)


def _register_latex(cell: Cell) -> str:
    return r"$\emptyset$" if cell == "∅" else cell_text(cell)
