"""The table of a placement: what it does to every phase, what bounds it, what proves it.

Records have the same keys whatever answered; people see of an answer by ranks what ranks say.
"""

from __future__ import annotations

from typing import Any

from lccmodel._numbers import as_fraction, as_number
from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.communication.volumes import Number
from lccmodel.methods.placed import Placement
from lccmodel.network import Allocation
from lccmodel.show.cells import equations_latex, objective_text, spec_text
from lccmodel.show.numbers import grouped
from lccmodel.show.quantities import Column, Quantity, data, named
from lccmodel.show.records import Table
from lccmodel.show.traffic_notes import (
    extension_notes,
    idle_nodes,
    idle_note,
    kind_of,
    name_of,
)

DEGREE_NOTE = (
    "T: messages on the busiest channel of dimension 0, 1, 2, ...; degree: the largest of them."
)
_ORDER_NOTE = "order: its k-th entry, k = 0, 1, ..., is the old address bit that becomes bit k."
_LOADS_NOTE = (
    "T: volume on the busiest channel of axis (dimension, level) 0, 1, 2, ...; joint: the busiest "
    "channel with all phases at once; phases: busiest channels of the phases added up, each times "
    "its weight. These are loads of channels, not times."
)
_MOST_LISTED = 1 << 12
"""Most nodes that a renaming lists."""


def placement_table(p: Placement) -> Table:
    """One record a phase; facts carry the answer."""
    weighted = any(weight != 1 for weight in p.weights)
    columns: list[Column] = ["communication", *(["kind"] if p.Q is not None else [])]
    columns += [*(["weight"] if weighted else []), "loads_before", "degree_before"]
    columns += ["loads_after", "degree_after"]
    parts = zip(p.program, p.weights, p.before, p.after, strict=True)
    records = [
        {
            "communication": name_of(phase, k),
            "kind": kind_of(phase),
            "weight": as_number(as_fraction(weight)),
            "loads_before": old.per_dimension,
            "degree_before": old.degree,
            "loads_after": new.per_dimension,
            "degree_after": new.degree,
        }
        for k, (phase, weight, old, new) in enumerate(parts)
    ]
    more = [*p.notes, *p.program.notes]
    if p.Q is None:
        title = f"Placement of {len(p.node_of)} ranks on {spec_text(p.network.spec)}"
        notes = [_LOADS_NOTE, *extension_notes(p.problem), *idle_note(p.node_of, p.network)]
        return Table(title, columns, records, _searched_facts(p), [*notes, *more])
    title = "Optimal reordering" if p.order is not None else "Optimal linear mapping"
    notes = [DEGREE_NOTE, *([_ORDER_NOTE] if p.order is not None else [])]
    return Table(title, columns, records, _ranked_facts(p, weighted), [*notes, *more])


def _searched_facts(p: Placement) -> list[Any]:
    return [
        ("network", p.network.spec),
        ("objective", p.objective),
        ("over", p.over),
        ("order", p.order),
        *_changes(p.objective, "value", p.before.value, p.after.value),
        *_changes("joint", "joint", p.before.joint, p.after.joint, said=p.objective == "joint"),
        *_changes("phases", "phases", p.before.phases, p.after.phases),
        *_changes(
            "volume times distance",
            "distance",
            p.before.distance,
            p.after.distance,
            said=p.objective == "distance",
        ),
        (named("lower_bound", "lower bound of all placements"), p.lower_bound),
        ("bound", p.bound),
        ("optimal", p.optimal),
        (data("proof"), p.proof),
        ("verdict", p.verdict),
        ("found_by", p.found),
        (data("gap"), p.gap),
        ("node_of", p.node_of.tolist()),
        *_hosts(p),
        ("idle_nodes", idle_nodes(p.node_of, p.network)),
        (data("Q"), None),
        (data("optimal_orders"), None),
    ]


def _hosts(p: Placement) -> list[Any]:
    """What the nodes of the ranks are called, where that is not their number."""
    if not (p.network.names or isinstance(p.network, Allocation)):
        return []
    return [("host_of", [p.network.name(node) for node in p.node_of.tolist()])]


def _ranked_facts(p: Placement, weighted: bool) -> list[Any]:
    plain = len(p.program) == 1 and p.objective == "max-max" and not weighted
    objective = data("objective") if plain else named("objective", "objective", form=objective_text)
    equations = None if p.order is not None or p.Q is None else format_equations(LCC(p.Q))
    formula = Quantity("equations", "y = Qx", math=equations_latex, audience="people")
    few = p.network.size <= _MOST_LISTED
    return [
        ("network", p.network.spec),
        (objective, p.objective),
        (data("over"), p.over),
        ("order", p.order),
        (formula, equations),
        *_changes("degree" if plain else p.objective, "value", p.before.value, p.after.value),
        *_changes("joint", "joint", p.before.joint, p.after.joint, said=True),
        *_changes("phases", "phases", p.before.phases, p.after.phases, said=True),
        *_changes("distance", "distance", p.before.distance, p.after.distance, said=True),
        ("lower_bound", p.lower_bound),
        (data("bound"), p.bound),
        ("optimal", p.optimal),
        ("proof", p.proof),
        (data("verdict"), p.verdict),
        (data("found_by"), p.found),
        (data("gap"), p.gap),
        (data("node_of"), p.node_of.tolist() if few else None),
        (data("idle_nodes"), []),
        (data("Q"), None if p.Q is None else p.Q.tolist()),
        ("optimal_orders", p.optimal_orders),
    ]


def _changes(
    heading: str, key: str, before: Number | None, after: Number | None, *, said: bool = False
) -> list[Any]:
    """For people one line, unless it is said already; for data the two numbers."""
    line = Quantity(f"{key}_change", heading, audience="people")
    return [
        *([] if said else [(line, f"{grouped(before)} → {grouped(after)}")]),
        (data(f"{key}_before"), before),
        (data(f"{key}_after"), after),
    ]
