"""What a program costs and how to map it, as tables: on a terminal and in a notebook alike.

Each function takes values of the library and returns a `Table`; nothing is read or written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Phase
from lccmodel.communication.traffic import Traffic
from lccmodel.communication.volumes import as_fraction, as_number
from lccmodel.methods.contention import (
    Contention,
    ContentionSet,
    CorrectionOrder,
)
from lccmodel.methods.mapping.result import Mapping
from lccmodel.network import Concentrated, FatTree, Mesh, Network
from lccmodel.problem import Problem
from lccmodel.show.cells import (
    arrow_latex,
    arrow_text,
    arrows_latex,
    arrows_text,
    equations_latex,
    objective_text,
)
from lccmodel.show.quantities import Column, Quantity, data, named
from lccmodel.show.records import Table
from lccmodel.show.traffic_notes import (
    about_phase,
    extension_notes,
    idle_nodes,
    idle_note,
    name_of,
    volume_note,
)

__all__ = [
    "DEGREE_NOTE",
    "channels_table",
    "contention_table",
    "mapping_table",
    "members_of",
]

DEGREE_NOTE = (
    "T: messages on the busiest channel of dimension 0, 1, 2, ...; degree: the largest of them."
)
_ORDER_NOTE = "order: its k-th entry, k = 0, 1, ..., is the old address bit that becomes bit k."


# -- contention -----------------------------------------------------------------------------


def contention_table(found: Contention | ContentionSet) -> Table:
    """The largest load of every dimension, for every phase; in messages where all are alike."""
    problem, members = found.problem, members_of(found)
    network, alike = problem.network, all(phase.traffic.uniform for phase in problem.program)
    records, notes = [], []
    for k, (phase, one) in enumerate(zip(problem.program, members, strict=True)):
        each = (alike and phase.traffic.uniform_volume) or 1
        loads = [as_number(Fraction(load) / each) for load in one.per_dimension]
        notes += volume_note(phase, k) if each != 1 else []
        records.append(
            about_phase(phase, k)
            | {"loads": loads, "degree": max(loads, default=0), "sum": sum(loads)}
            | {"distance": as_number(Fraction(one.distance) / each)}
        )
    notes += extension_notes(problem)
    facts: dict[str, Any] = {
        "network": network.spec,
        "method": " ".join(sorted({one.method for one in members})),
        "routing": members[0].routing,
    }
    of = "messages" if alike else "volume"
    note = f"T: {of} on the busiest channel of {_part(network)} 0, 1, ...; degree: their maximum."
    ranks = problem.program.ranks
    silent = idle_note(np.arange(ranks), network) if ranks < network.size else []
    if silent:
        facts["idle_nodes"] = idle_nodes(np.arange(ranks), network)
    columns = ("communication", "kind", "rank", "loads", "degree", "sum", "distance")
    said = [note, *notes, *silent, *problem.program.notes]
    return Table("Channel contention", columns, records, facts, said)


def _in_messages(phase: Phase, alike: bool) -> tuple[Traffic, bool]:
    """The traffic, of volume 1 if all are alike, so that loads count messages; whether it was."""
    traffic = phase.traffic
    if not alike:
        return traffic, False
    if phase.lcc is not None and traffic.ranks == phase.lcc.size:
        return Traffic.of_lcc(phase.lcc), traffic.uniform_volume != 1
    if traffic.uniform and traffic.uniform_volume not in (0, 1):
        return Traffic(traffic.messages, None, traffic.ranks), True
    return traffic, False


def _part(network: Network) -> str:
    base = network.network if isinstance(network, Concentrated) else network
    if isinstance(base, FatTree):
        return "level"
    return "axis" if isinstance(base, Mesh) else "dimension"


def channels_table(problem: Problem, routing: CorrectionOrder = "ascending") -> Table:
    """The busiest channels of every dimension, and the messages on the first of them.

    Raises:
        SizeLimitError: too many channels to count every one.
    """
    given, network = problem.program, problem.network
    part = _part(network)
    descending = routing == "descending"
    records: list[dict[str, Any]] = []
    notes: list[str] = []
    alike = all(phase.traffic.uniform for phase in given)
    for k, phase in enumerate(given):
        traffic, unit = _in_messages(phase, alike)
        loads = network.channel_loads(traffic, descending=descending)
        for dimension, load in enumerate(loads.per_dimension):
            if not load:
                continue
            rows = [r for r in range(len(loads.counts)) if network.row_dimension(r) == dimension]
            largest = loads.counts[rows].max()
            places = [
                (row, int(column))
                for row in rows
                for column in (loads.counts[row] == largest).nonzero()[0]
            ]
            channel = network.channel(*places[0])
            used = network.messages_on(channel, traffic, descending=descending)
            records.append(
                {
                    "communication": name_of(phase, k),
                    part: dimension,
                    "load": load,
                    "channels": len(places),
                    "channel": channel,
                    "messages": traffic.messages[used].tolist(),
                }
            )
        notes += volume_note(phase, k) if unit else []
    columns: list[Column] = [
        "communication",
        part,
        "load",
        named("channels", "channels with it", form=""),
        named("channel", "the first", form=arrow_text, math=arrow_latex),
        named("messages", "messages on it", form=arrows_text, math=arrows_latex),
    ]
    facts = {"network": network.spec, "routing": routing}
    notes += [*extension_notes(problem), *given.notes]
    return Table("Busiest channels", columns, records, facts, notes)


# -- mapping --------------------------------------------------------------------------------


def members_of(state: Contention | ContentionSet) -> tuple[Contention, ...]:
    """The contention of every member of a mapping."""
    return (state,) if isinstance(state, Contention) else state.members


def mapping_table(
    mapping: Mapping, optimal_orders: int | None = None, more_notes: Sequence[str] = ()
) -> Table:
    """What a mapping does to every communication, and how good it is.

    Args:
        mapping: the mapping.
        optimal_orders: how many orders are optimal, if they were counted.
        more_notes: further lines below the table.
    """
    m = mapping
    weighted = any(weight != 1 for weight in m.weights)
    columns: list[Column] = ["communication", "kind", *(["weight"] if weighted else [])]
    columns += ["loads_before", "degree_before", "loads_after", "degree_after"]
    states = zip(members_of(m.before), members_of(m.after), strict=True)
    members = zip(m.communications, m.weights, states, strict=True)
    records = [
        {
            "communication": c.name or f"communication {k}",
            "kind": c.kind,
            "weight": as_number(as_fraction(weight)),
            "loads_before": old.per_dimension,
            "degree_before": old.degree,
            "loads_after": new.per_dimension,
            "degree_after": new.degree,
        }
        for k, (c, weight, (old, new)) in enumerate(members)
    ]
    title = "Optimal reordering" if m.order is not None else "Optimal linear mapping"
    notes = [DEGREE_NOTE] + ([_ORDER_NOTE] if m.order is not None else [])
    facts = _mapping_facts(m, optimal_orders, weighted)
    return Table(title, columns, records, facts, [*notes, *more_notes])


_OBJECTIVE = named("objective", "objective", form=objective_text)


def _mapping_facts(m: Mapping, orders: int | None, weighted: bool) -> list[Any]:
    plain = len(m.communications) == 1 and m.objective == "max-max" and not weighted
    equations = None if m.order is not None else format_equations(LCC(m.Q))
    formula = Quantity("equations", "y = Qx", math=equations_latex, audience="people")
    return [
        ("network", m.network.spec),
        (data("objective") if plain else _OBJECTIVE, m.objective),
        ("order", m.order),
        (data("Q"), m.Q.tolist()),
        (formula, equations),
        (named("change", "degree" if plain else m.objective), (m.value_before, m.value_after)),
        (data("value_before"), m.value_before),
        (data("value_after"), m.value_after),
        ("lower_bound", m.lower_bound),
        ("optimal", m.optimal),
        ("proof", m.proof),
        ("optimal_orders", orders),
        (data("over"), "orders" if m.order is not None else "linear"),
        (data("node_of"), m.to_physical.tolist() if m.communications[0].n <= 12 else None),
    ]
