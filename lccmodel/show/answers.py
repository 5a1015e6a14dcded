"""The tables that answer a user's questions, on a terminal and in a notebook alike.

Each function takes values of the library and returns a `Table`; nothing is read or written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from lccmodel.communication import catalog
from lccmodel.communication.addresses import Idle
from lccmodel.communication.entries import Entry
from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.communication.naming import CatalogEntry
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.recognition import Recognition, analyse
from lccmodel.communication.traffic import Traffic
from lccmodel.methods.contention import (
    Contention,
    ContentionSet,
    CorrectionOrder,
    CountingMethod,
    contention,
)
from lccmodel.methods.mapping.result import Mapping
from lccmodel.network import Concentrated, FatTree, Mesh, Network
from lccmodel.show.cells import (
    arrow_latex,
    arrow_text,
    arrows_latex,
    arrows_text,
    equations_latex,
    objective_text,
    verdict_text,
)
from lccmodel.show.program import exact_weight
from lccmodel.show.quantities import Column, Fact, Quantity, data, named
from lccmodel.show.records import Table
from lccmodel.show.traffic_notes import (
    about_phase,
    idle_nodes,
    idle_note,
    name_of,
    offer,
    volume_note,
)

__all__ = [
    "DEGREE_NOTE",
    "catalog_table",
    "channels_table",
    "contention_record",
    "contention_table",
    "entry_table",
    "mapping_table",
    "members_of",
    "recognised",
    "recognition_table",
]

DEGREE_NOTE = (
    "T: messages on the busiest channel of dimension 0, 1, 2, ...; degree: the largest of them."
)
_ORDER_NOTE = "order: its k-th entry, k = 0, 1, ..., is the old address bit that becomes bit k."


def catalog_table(entries: Iterable[CatalogEntry] | None = None) -> Table:
    """What the catalogue holds: how a name is typed, what it does, where it comes from."""
    chosen = catalog.entries() if entries is None else tuple(entries)
    records = [
        {
            "name": e.name,
            "usage": e.usage,
            "typed": _typed(e),
            "description": e.description,
            "source": f"{e.reference[0]}, {e.reference[1]}",
        }
        for e in chosen
    ]
    notes = ["lccmodel catalog NAME shows all parameters of an entry, its A and its b."]
    columns = ("typed", "description", "source")
    return Table("Catalogue of communications", columns, records, notes=notes)


def _typed(entry: CatalogEntry) -> str:
    """The name with the parameters that must be stated."""
    required = ",".join(p.name for p in entry.parameters if p.required)
    return f"{entry.name}:{required}" if required else entry.name


def entry_table(entry: CatalogEntry, communication: LCC | None) -> Table:
    """One entry of the catalogue: its parameters and, for one n, its equations.

    Args:
        entry: the entry.
        communication: the entry built; None shows the parameters only.
    """
    facts: list[Fact] = [
        (data("name"), entry.name),
        ("usage", entry.usage),
        ("description", entry.description),
        ("source", f"{entry.paper.short}, {entry.reference[1]}"),
    ]
    if communication is None:
        parameters = [
            {"parameter": p.name, "required": p.required, "meaning": p.meaning}
            for p in entry.parameters
        ]
        return Table(entry.title, ["parameter", "required", "meaning"], parameters, facts)
    c = communication
    facts += [(Quantity(p.name, audience="people"), p.meaning) for p in entry.parameters]
    facts += [("communication", c.name), ("n", c.n), ("kind", c.kind), ("rank", c.rank)]
    lines = zip(format_equations(c).split("\n"), c.A, c.b, strict=True)
    records = [{"equation": text, "row": row, "constant": bit} for text, row, bit in lines]
    columns: list[Column] = ["equation", named("row", f"row of A (x0 .. x{c.n - 1})"), "constant"]
    return Table(entry.title, columns, records, facts)


# -- contention -----------------------------------------------------------------------------


def contention_table(
    program: Any,
    network: Network,
    method: CountingMethod = "auto",
    routing: CorrectionOrder = "ascending",
) -> Table:
    """The largest load of every dimension, for every phase.

    Args:
        program: anything `Program.of` takes.
        network, method, routing: see `contention`.
    """
    given = Program.of(program)
    records, used, notes = [], set(), []
    alike = all(phase.traffic.uniform for phase in given)
    for k, phase in enumerate(given):
        counted, unit = _in_messages(phase, alike)
        found = contention(counted, network, method, routing=routing)
        used.add(found.method)
        record = contention_record(found) | {"distance": found.distance}
        records.append(about_phase(phase, k) | record)
        notes += volume_note(phase, k) if unit else []
        notes += offer(phase)
    facts: dict[str, Any] = {
        "network": network.spec,
        "method": " ".join(sorted(used)),
        "routing": routing,
    }
    of = "messages" if alike else "volume"
    note = f"T: {of} on the busiest channel of {_part(network)} 0, 1, ...; degree: their maximum."
    if given.ranks < network.size:
        silent = idle_note(np.arange(given.ranks), network)
        if silent:
            facts["idle_nodes"] = idle_nodes(np.arange(given.ranks), network)
        notes += silent
    notes += given.notes
    columns = ("communication", "kind", "rank", "loads", "degree", "sum", "distance")
    return Table("Channel contention", columns, records, facts, [note, *notes])


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


def contention_record(found: Contention) -> dict[str, Any]:
    """What is said of the contention of one communication."""
    return {"loads": found.per_dimension, "degree": found.degree, "sum": found.total}


def channels_table(program: Any, network: Network, routing: CorrectionOrder = "ascending") -> Table:
    """The busiest channels of every dimension, and the messages on the first of them.

    Raises:
        SizeLimitError: too many channels to count every one.
    """
    given = Program.of(program)
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
        notes += offer(phase)
    columns: list[Column] = [
        "communication",
        part,
        "load",
        named("channels", "channels with it", form=""),
        named("channel", "the first", form=arrow_text, math=arrow_latex),
        named("messages", "messages on it", form=arrows_text, math=arrows_latex),
    ]
    facts = {"network": network.spec, "routing": routing}
    return Table("Busiest channels", columns, records, facts, [*notes, *given.notes])


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
    members = zip(m.communications, map(exact_weight, m.weights), states, strict=True)
    records = [
        {
            "communication": c.name or f"communication {k}",
            "kind": c.kind,
            "weight": weight,
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


# -- recognition ----------------------------------------------------------------------------


def recognised(entry: Entry, idle: Idle = "unknown") -> Recognition:
    """What the messages of a file say; a name or equations say it themselves.

    Args:
        entry: as read, before recognition.
        idle: see `recognition.analyse`.
    """
    content = entry.content
    if not isinstance(content, LCC):
        return analyse(entry.addresses, idle=idle)
    return Recognition("linear-complement", content.n, content, content.kind, 0, 0, 0)


def recognition_table(
    entries: Sequence[Entry], idle: Idle = "unknown", found: Sequence[Recognition] = ()
) -> Table:
    """What files say: A, b and kind of every communication, or what contradicts them.

    Args:
        entries: as read, before recognition.
        idle: see `recognition.analyse`.
        found: what is recognised in each entry, if that is known already.
    """
    found = found or [recognised(entry, idle) for entry in entries]
    records = [_recognition_record(*each) for each in zip(entries, found, strict=True)]
    columns: list[Column] = [
        "communication",
        named("verdict", "y = Ax + b", form=verdict_text),
        "n",
        "kind",
        "rank",
        "found",
        "messages",
        "missing_sources",
    ]
    notes = ["x = Ay + b: a scatter sends from x to y."]
    scatters = any(record["kind"] == "scatter" for record in records)
    return Table("Recognition", columns, records, notes=notes if scatters else [])


def _recognition_record(entry: Entry, found: Recognition) -> dict[str, Any]:
    c = found.communication
    counted = not isinstance(entry.content, LCC)
    return {
        "communication": entry.name,
        "verdict": found.verdict,
        "n": found.n,
        "kind": found.kind,
        "rank": None if c is None else c.rank,
        "found": found.explanation if c is None else format_equations(c),
        "A": None if c is None else c.A.tolist(),
        "b": None if c is None else list(c.b),
        "messages": found.messages if counted else None,
        "missing_sources": found.missing_sources if counted else None,
        "free_bits": found.freedom,
        "explanation": found.explanation,
    }
