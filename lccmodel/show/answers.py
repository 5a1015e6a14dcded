"""The tables that answer a user's questions, on a terminal and in a notebook alike.

Each function takes values of the library and returns a `Table`; nothing is read or written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lccmodel.communication import catalog
from lccmodel.communication.entries import Entry, NamedCommunication
from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.communication.messages import Idle, Messages
from lccmodel.communication.naming import CatalogEntry
from lccmodel.communication.recognition import Recognition, analyse
from lccmodel.methods.contention import Contention, ContentionSet, Method, Routing, contention
from lccmodel.methods.mapping.result import Mapping
from lccmodel.network import Mesh, Network
from lccmodel.show import columns as col
from lccmodel.show.program import exact_weight
from lccmodel.show.tables import Cell, Column, Table, cell_text, grouped

__all__ = [
    "catalog_table",
    "channels_table",
    "contention_table",
    "entry_table",
    "mapping_table",
    "members_of",
    "recognition_table",
]

_SHOWN_MESSAGES = 6


def catalog_table(entries: Iterable[CatalogEntry] | None = None) -> Table:
    """What the catalogue holds: how a name is typed, what it does, where it comes from."""
    chosen = catalog.entries() if entries is None else tuple(entries)
    columns = [
        Column("name", "name", audience="data"),
        Column("usage", "usage", audience="data"),
        Column("typed", "name", audience="people"),
        Column("description", "what it does"),
        Column("source", "source"),
    ]
    rows = [(e.name, e.usage, _typed(e), e.description, _source(e)) for e in chosen]
    notes = ["lccmodel catalog NAME shows all parameters of an entry, its A and its b."]
    return Table("Catalogue of communications", columns, rows, notes=notes)


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
    facts: list[tuple[Column, Any]] = [
        (Column("name", "name", audience="data"), entry.name),
        (Column("usage", "typed"), entry.usage),
        (Column("description", "what it does"), entry.description),
        (Column("source", "source"), f"{entry.paper.short}, {entry.reference[1]}"),
    ]
    if communication is None:
        columns = [
            Column("parameter", "parameter"),
            Column("required", "must be stated"),
            Column("meaning", "meaning"),
        ]
        rows: list[Sequence[Any]] = [(p.name, p.required, p.meaning) for p in entry.parameters]
        return Table(entry.title, columns, rows, facts)
    stated = [(Column(p.name, p.name, audience="people"), p.meaning) for p in entry.parameters]
    c = communication
    facts += [*stated, (col.COMMUNICATION, c.name), (col.N, c.n)]
    facts += [(col.KIND, c.kind), (col.RANK, c.rank)]
    columns = [
        Column("equation", "equation", latex=col.EQUATIONS.latex),
        Column("row", f"row of A (x0 .. x{c.n - 1})"),
        Column("constant", "b", right=True),
    ]
    equations = format_equations(c).split("\n")
    rows = [(equation, *part) for equation, *part in zip(equations, c.A, c.b, strict=True)]
    return Table(entry.title, columns, rows, facts)


def _source(entry: CatalogEntry) -> str:
    return f"{entry.reference[0]}, {entry.reference[1]}"


# -- contention -----------------------------------------------------------------------------


def contention_table(
    program: Sequence[NamedCommunication],
    network: Network,
    method: Method = "auto",
    routing: Routing = "ascending",
) -> Table:
    """The largest load of every dimension, for every communication."""
    columns = [col.COMMUNICATION, col.KIND, col.RANK, col.LOADS, col.DEGREE, col.TOTAL]
    rows = []
    used = set()
    for one in program:
        found = contention(one.communication, network, method, routing=routing)
        used.add(found.method)
        c = one.communication
        rows.append((one.name, c.kind, c.rank, found.per_dimension, found.degree, found.total))
    facts = [
        (col.NETWORK, network.spec),
        (Column("method", "method"), " ".join(sorted(used))),
        (Column("routing", "routing"), routing),
    ]
    part = "axis" if isinstance(network, Mesh) else "dimension"
    note = f"T: messages on the busiest channel of {part} 0, 1, ...; degree: their maximum."
    return Table("Channel contention", columns, rows, facts, [note])


def channels_table(
    program: Sequence[NamedCommunication], network: Network, routing: Routing = "ascending"
) -> Table:
    """The busiest channels of every dimension, and the messages on the first of them.

    Raises:
        SizeLimitError: too many channels to count every one.
    """
    part = "axis" if isinstance(network, Mesh) else "dimension"
    columns = [
        col.COMMUNICATION,
        Column(part, part, right=True),
        Column("load", "load", right=True),
        Column("channels", "channels with it", right=True),
        Column("channel", "the first", text=_arrow, latex=_arrow_latex),
        Column("messages", "messages on it", text=_arrows, latex=_arrows_latex),
    ]
    descending = routing == "descending"
    rows: list[Sequence[Any]] = []
    for one in program:
        pairs = one.communication.pairs()
        loads = network.channel_loads(pairs, descending=descending)
        for dimension, load in enumerate(loads.per_dimension):
            if not load:
                continue
            places = [
                (row, int(column))
                for row in range(network.counter_shape[0])
                if network.row_dimension(row) == dimension
                for column in (loads.counts[row] == load).nonzero()[0]
            ]
            channel = network.channel(*places[0])
            used = network.messages_on(channel, pairs, descending=descending)
            messages = pairs[used].tolist()
            rows.append((one.name, dimension, load, len(places), channel, messages))
    facts = [(col.NETWORK, network.spec), (Column("routing", "routing"), routing)]
    return Table("Busiest channels", columns, rows, facts)


def _arrow(cell: Cell) -> str:
    return "→".join(map(str, cell)) if isinstance(cell, tuple) else cell_text(cell)


def _arrows(cell: Cell) -> str:
    if not isinstance(cell, tuple):
        return cell_text(cell)
    more = f" … {len(cell)} in all" if len(cell) > _SHOWN_MESSAGES else ""
    return " ".join(map(_arrow, cell[:_SHOWN_MESSAGES])) + more


def _arrow_latex(cell: Cell) -> str:
    return f"${_arrow(cell)}$".replace("→", r" \to ")


def _arrows_latex(cell: Cell) -> str:
    if not isinstance(cell, tuple):
        return cell_text(cell)
    more = rf", \ldots{{}} {len(cell)} in all" if len(cell) > _SHOWN_MESSAGES else ""
    return ", ".join(map(_arrow_latex, cell[:_SHOWN_MESSAGES])) + more


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
    weight = col.WEIGHT if weighted else Column("weight", "weight", audience="data")
    columns = [col.COMMUNICATION, col.KIND, weight]
    columns += [col.BEFORE, col.DEGREE_BEFORE, col.AFTER, col.DEGREE_AFTER]
    states = zip(members_of(m.before), members_of(m.after), strict=True)
    members = zip(m.communications, map(exact_weight, m.weights), states, strict=True)
    rows = []
    for k, (c, w, (old, new)) in enumerate(members):
        name = c.name or f"communication {k}"
        loads = (old.per_dimension, old.degree, new.per_dimension, new.degree)
        rows.append((name, c.kind, w, *loads))
    plain = len(m.communications) == 1 and m.objective == "max-max" and not weighted
    objective = Column("objective", "objective", audience="data") if plain else col.OBJECTIVE
    value = Column("value", "degree" if plain else m.objective, text=_change, audience="people")
    formula = Column("formula", "y = Qx", latex=col.EQUATIONS.latex, audience="people")
    facts: list[tuple[Column, Any]] = [
        (col.NETWORK, m.network.spec),
        (objective, m.objective),
        (col.ORDER, m.order),
        (col.Q_MATRIX, m.Q.tolist()),
        (formula, None if m.order is not None else format_equations(LCC(m.Q))),
        (value, (m.value_before, m.value_after)),
        (Column("value_before", "", audience="data"), m.value_before),
        (Column("value_after", "", audience="data"), m.value_after),
        (col.BOUND, m.lower_bound),
        (col.OPTIMAL, m.optimal),
        (col.PROOF, m.proof),
        (col.ORDERS, optimal_orders),
    ]
    title = "Optimal reordering" if m.order is not None else "Optimal linear mapping"
    notes = [col.DEGREE_NOTE] + ([col.ORDER_NOTE] if m.order is not None else [])
    return Table(title, columns, rows, facts, [*notes, *more_notes])


def _change(cell: Cell) -> str:
    return " → ".join(map(grouped, cell)) if isinstance(cell, tuple) else cell_text(cell)


# -- recognition ----------------------------------------------------------------------------


def recognition_table(entries: Sequence[Entry], idle: Idle = "unknown") -> Table:
    """What files say: A, b and kind of every communication, or what contradicts them.

    Args:
        entries: as read, before recognition.
        idle: see `recognition.analyse`.
    """
    columns = [
        col.COMMUNICATION,
        Column("verdict", "y = Ax + b", text=_verdict_text),
        col.N,
        col.KIND,
        col.RANK,
        Column("equations", "equations, or why not", latex=_found_latex, audience="people"),
        col.MATRIX,
        col.VECTOR,
        Column("messages", "messages", right=True),
        Column("missing_sources", "silent nodes", right=True),
        Column("free_bits", "free bits", audience="data"),
        Column("explanation", "explanation", audience="data"),
    ]
    rows = [_recognised(entry, idle) for entry in entries]
    notes = ["x = Ay + b: a scatter sends from x to y."]
    scatters = any(row[3] == "scatter" for row in rows)
    return Table("Recognition", columns, rows, notes=notes if scatters else [])


def _recognised(entry: Entry, idle: Idle) -> Sequence[Any]:
    content = entry.content
    if isinstance(content, Messages):
        found = analyse(content, idle=idle)
    else:
        found = Recognition("linear-complement", content.n, content, content.kind, 0, 0, 0)
    c = found.communication
    counted = isinstance(content, Messages)
    return (
        entry.name,
        found.verdict,
        found.n,
        found.kind,
        None if c is None else c.rank,
        found.explanation if c is None else format_equations(c),
        None if c is None else c.A.tolist(),
        None if c is None else list(c.b),
        found.messages if counted else None,
        found.missing_sources if counted else None,
        found.freedom,
        found.explanation,
    )


def _verdict_text(cell: Cell) -> str:
    words = {"linear-complement": "yes", "not-linear-complement": "no", "underdetermined": "open"}
    return words.get(str(cell), cell_text(cell))


def _found_latex(cell: Cell) -> str:
    from lccmodel.show.formats import escape_latex

    text = cell_text(cell)
    equations = text.startswith(("x0 =", "y0 =")) and col.EQUATIONS.latex is not None
    return col.EQUATIONS.latex(cell) if equations and col.EQUATIONS.latex else escape_latex(text)
