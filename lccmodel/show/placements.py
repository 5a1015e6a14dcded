"""The table of a placement: what it does to every phase, what bounds it, what proves it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lccmodel.communication.volumes import Number
from lccmodel.methods.placement.result import Placement
from lccmodel.show.numbers import grouped
from lccmodel.show.quantities import Column, Quantity, data, named
from lccmodel.show.records import Table
from lccmodel.show.traffic_notes import extension_notes, idle_nodes, idle_note

__all__ = ["placement_table"]

_LOADS_NOTE = (
    "T: volume on the busiest channel of axis (dimension, level) 0, 1, 2, ...; joint: the busiest "
    "channel with all phases at once; phases: busiest channels of the phases added up, each times "
    "its weight. These are loads of channels, not times."
)


def placement_table(placement: Placement, more_notes: Sequence[str] = ()) -> Table:
    """One record a phase; facts carry the answer.

    Args:
        placement: the answer of `place`.
        more_notes: further lines below the table.
    """
    p = placement
    weighted = any(phase.weight != 1 for phase in p.program.phases)
    columns: list[Column] = ["communication", *(["weight"] if weighted else [])]
    columns += ["loads_before", "degree_before", "loads_after", "degree_after"]
    loads = zip(p.program.phases, p.before.per_dimension, p.after.per_dimension, strict=True)
    records = [
        {
            "communication": phase.name or f"phase {k}",
            "kind": phase.lcc.kind if phase.lcc is not None else "traffic",
            "weight": phase.weight,
            "loads_before": old,
            "degree_before": max(old, default=0),
            "loads_after": new,
            "degree_after": max(new, default=0),
        }
        for k, (phase, old, new) in enumerate(loads)
    ]
    title = f"Placement of {len(p.node_of)} ranks on {p.network.spec}"
    notes = [_LOADS_NOTE, *extension_notes(p.problem)]
    notes += idle_note(p.node_of, p.network)
    return Table(title, columns, records, _facts(p), [*notes, *p.notes, *more_notes])


def _facts(p: Placement) -> list[Any]:
    return [
        ("network", p.network.spec),
        ("objective", p.objective),
        ("over", p.over),
        ("order", p.order),
        *_changes(p.objective, "value", p.before.value, p.after.value),
        *_changes("joint", "joint", p.before.joint, p.after.joint, said=p.objective == "joint"),
        *_changes("phases", "phases", p.before.phases, p.after.phases),
        *_changes("volume times distance", "distance", p.before.distance, p.after.distance),
        (named("lower_bound", "lower bound of all placements"), p.lower_bound),
        ("bound", p.bound),
        ("optimal", p.optimal),
        (data("proof"), p.proof),
        ("verdict", p.verdict),
        ("found_by", p.found),
        (data("gap"), p.gap),
        ("node_of", p.node_of.tolist()),
        ("idle_nodes", idle_nodes(p.node_of, p.network)),
        (data("Q"), None),
        (data("optimal_orders"), None),
    ]


def _changes(
    heading: str, key: str, before: Number, after: Number, *, said: bool = False
) -> list[Any]:
    """For people one line, unless it is said already; for data the two numbers."""
    line = Quantity(f"{key}_change", heading, audience="people")
    return [
        *([] if said else [(line, f"{grouped(before)} → {grouped(after)}")]),
        (data(f"{key}_before"), before),
        (data(f"{key}_after"), after),
    ]
