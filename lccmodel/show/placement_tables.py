"""What a program costs and where its ranks should run, as tables: on a terminal and in a notebook.

Each function takes values of the library and returns a `Table`; nothing is read or written here.
Records of placements have the same keys whatever answered; people see of an answer by ranks what
ranks say.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lccmodel.communication.equations import format_equations
from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Phase, Program
from lccmodel.errors import InputError
from lccmodel.ground.numbers import Number, as_fraction, as_number, number_text
from lccmodel.network import Network
from lccmodel.placement.contention import (
    BusiestChannelsSet,
    Contention,
    ContentionSet,
    matrix_ranks,
)
from lccmodel.placement.notes import MOST_LISTED, idle_nodes
from lccmodel.placement.placement_result import Placement
from lccmodel.placement.ports import MOST_RANKS, is_port_fixed, port_volume
from lccmodel.problem import Problem
from lccmodel.show.numbers import (
    Cell,
    arrow_latex,
    arrow_text,
    arrows_latex,
    arrows_text,
    equations_latex,
    grouped,
    objective_text,
    spec_text,
)
from lccmodel.show.phase_loads import is_plain
from lccmodel.show.quantities import Column, Quantity, data, named, quantity
from lccmodel.show.records import Table

# -- contention ------------------------------------------------------------------------


def contention_table(answer: Contention | ContentionSet) -> Table:
    """The largest load of every dimension, for every phase: its volume, and how many messages."""
    problem, members = answer.problem, members_of(answer)
    network, program = problem.network, problem.program
    records = [
        about_phase(phase, k)
        | {"loads": c.per_dimension, "degree": c.degree, "busiest_messages": c.messages}
        | {"sum": c.total, "distance": c.distance}
        | _at_port(problem.phase(k), c)
        for k, (phase, c) in enumerate(zip(program, members, strict=True))
    ]
    facts: dict[str, Any] = {
        "network": network.spec,
        "method": " ".join(sorted({c.method for c in members})),
        "routing": _routing(network, members[0].routing),
    }
    if program.ranks < network.size <= MOST_LISTED:
        facts["idle_nodes"] = idle_nodes(program.ranks, network, members[0].node_of)
    counted = _all_count(program)
    load = load_of(program, network)
    lines: list[Any] = [*facts.items()]
    at_ports = f"over its bandwidth, {number_text(network.host_bandwidth or 1)}"
    for key, heading in (("port_volume", _PORT_VOLUME), ("port_load", at_ports)):
        most = max((record[key] for record in records if record[key] is not None), default=None)
        if most is not None and (key == "port_volume" or network.host_bandwidth != 1):
            lines.append((Quantity(f"{key}_most", heading, ",", audience="people"), most))
    columns = ["communication", "kind", "rank", "loads", "degree", "sum", "distance"]
    columns[5:5] = [] if counted else ["busiest_messages"]
    legend = [f"T: {load} on the busiest channel of {_part(network)} 0, 1, ...; "]
    legend[0] += "degree: their maximum."
    if not counted:
        legend.append("messages: the most on one channel of each, whatever they carry.")
    return Table("Channel contention", columns, records, lines, legend)


def matrix_ranks_table(
    counted: Contention | ContentionSet, order: Sequence[int] | None = None
) -> Table:
    """The load of every dimension beside the matrix rank that gives it, as [hou, Example 3].

    Args:
        found: the loads with e-cube routing; counted for ranks placed by `order` if there is one.
        order: of the address bits.

    Raises:
        InputError: messages that are not those of y = Ax + b, or descending routing.
        CommunicationError: a scatter.
        NetworkError: a network without the formula.

    >>> from lccmodel.placement.contention import contention
    >>> matrix_ranks_table(contention("matrix-transpose", "cube:4")).rows[2][1:]
    (2, 1, '2^(2 − 1) = 2', 2)
    """
    problem, network = counted.problem, counted.problem.network
    rows: list[list[Any]] = []
    for phase, member in zip(problem.program, members_of(counted), strict=True):
        c = phase.traffic.lcc
        if c is None or c.n != network.n or phase.traffic.uniform_volume != 1:
            rule = "needs all messages of y = Ax + b, each of volume 1"
            raise InputError("matrix ranks", rule, phase.name)
        if member.routing != "ascending":
            raise InputError("matrix ranks", "need ascending routing", member.routing)
        placed = c if order is None else c.reordered(order)
        ranks = matrix_ranks(placed, network)
        first = len(member.per_dimension) - len(ranks)
        for (i, rank), load in zip(ranks, member.per_dimension[first:], strict=True):
            formula = f"2^({i} − {rank}) = {1 << i - rank}"
            rows.append([phase.name, i, rank, formula, load])
    columns: list[Column] = [
        "communication",
        "dimension",
        Quantity("matrix_rank", "rank"),
        Quantity("formula", "2^(i − rank)"),
        Quantity("load", "T_i"),
    ]
    facts: dict[str, Any] = {
        "network": network.spec,
        "method": " ".join(sorted({member.method for member in members_of(counted)})),
    }
    if order is not None:
        facts["order"] = tuple(order)
    matrix = (
        "A_(L_(i+1), L_i)"
        if network.geometry.per_router == 1
        else "B_(L_i, L_i), B = A without row 0"
    )
    notes = [f"rank: of {matrix}. T_i is 0 if no message changes bit i [hou, Theorems 1 and 7]."]
    return Table("Matrix ranks and channel contention", columns, rows, facts, notes)


def _all_count(program: Program) -> bool:
    """Whether every message has the volume 1, so that a volume is a number of messages."""
    return all(phase.traffic.uniform and phase.traffic.uniform_volume == 1 for phase in program)


def load_of(program: Program, network: Network) -> str:
    """What a load is: a number of messages, a volume, or that over a bandwidth."""
    load = "messages" if _all_count(program) else "volume"
    wide = any(bandwidth != 1 for bandwidth in network.bandwidths)
    return f"{load} over bandwidth" if wide else load


def _routing(network: Network, order: str) -> str:
    """The order of dimensions, or that there is a table of routes."""
    return "table" if network.whole_network.is_table else order


def _part(network: Network) -> str:
    return network.whole_network.geometry.word


_PORT_VOLUME = "largest volume at a host's port"


def _at_port(problem: Problem, member: Contention) -> dict[str, Number | None]:
    """The port volume of one phase, and its load; None beyond the ranks that are counted.

    `ports` is the volume under its name of version 0.4.
    """
    volume: Number | None = None
    if problem.program.ranks <= MOST_RANKS:
        volume = port_volume(problem.program, problem.network, member.node_of, weights=(1,))
    width, load = problem.network.host_bandwidth, None
    if width is not None and volume is not None:
        load = as_number(as_fraction(volume) / width)
    return {"port_volume": volume, "port_load": load, "ports": volume}


def channels_table(busiest: BusiestChannelsSet) -> Table:
    """The busiest channels of every dimension, and the messages on the first of them."""
    problem, routing = busiest.problem, busiest.routing
    program, part = problem.program, _part(problem.network)
    records = [
        {
            "communication": name_of(program[row.phase], row.phase),
            part: row.dimension,
            "load": row.load,
            "channels": row.channels,
            "channel": row.channel,
            "messages": row.messages,
        }
        for row in busiest
    ]

    def _ends(cell: Cell) -> str:
        u, v, *cable = cell if isinstance(cell, tuple) else ()
        return arrow_text((problem.network.vertex_name(u), problem.network.vertex_name(v), *cable))

    columns: list[Column] = [
        "communication",
        part,
        "load",
        named("channels", "channels with it", form=""),
        named("channel", "the first", form=_ends, math=arrow_latex),
        named("messages", "messages on it", form=arrows_text, math=arrows_latex),
    ]
    facts = {"network": problem.network.spec, "routing": _routing(problem.network, routing)}
    load = load_of(program, problem.network)
    legend = [f"load: {load}; the messages are on the first channel."]
    legend = [] if load == "messages" else legend
    return Table("Busiest channels", columns, records, facts, legend)


def members_of(state: Contention | ContentionSet) -> tuple[Contention, ...]:
    """The contention of every phase."""
    return (state,) if isinstance(state, Contention) else state.members


# -- what tables say of a phase: its kind, the matrix it extends to, idle nodes ----------------


def name_of(phase: Phase, k: int) -> str:
    """What a table calls the k-th phase."""
    return phase.called or f"phase {k}"


def kind_of(phase: Phase) -> str:
    """The kind of communication that a phase is, or "traffic"."""
    return "traffic" if phase.lcc is None else phase.lcc.kind


def about_phase(phase: Phase, k: int) -> dict[str, Any]:
    """Name, kind, and the rank of A where there is a matrix."""
    c = phase.lcc
    rank = None if c is None else c.rank
    return {"communication": name_of(phase, k), "kind": kind_of(phase), "rank": rank}


# -- placements --------------------------------------------------------------------------------


_ORDER_NOTE = "order: its k-th entry, k = 0, 1, ..., is the old address bit that becomes bit k."
_LOADS_NOTE = (
    "T: {} on the busiest channel of axis (dimension, level) 0, 1, 2, ...; joint: the busiest "
    "channel with all phases at once; phases: busiest channels of the phases added up, each times "
    "its weight. These are loads of channels, not times."
)
_MOST_RENAMED = 1 << 12
"""Most nodes that a renaming lists."""


def degree_legend(program: Program, network: Network) -> str:
    """What T and degree are of mappings by ranks."""
    head = f"T: {load_of(program, network)} on the busiest channel of dimension 0, 1, 2, ...;"
    return f"{head} degree: the largest of them."


def placement_table(p: Placement) -> Table:
    """One record a phase; facts carry the answer."""
    weighted = any(weight != 1 for weight in p.weights)
    columns: list[Column] = ["communication", *(["kind"] if p.Q is not None else [])]
    columns += [*(["weight"] if weighted else []), "loads_before", "degree_before"]
    columns += ["loads_now", "degree_now"] if p.now is not None else []
    columns += ["loads_after", "degree_after"]
    present = p.before if p.now is None else p.now
    parts = zip(p.program, p.weights, p.before, present, p.after, strict=True)
    records = [
        {
            "communication": name_of(phase, k),
            "kind": kind_of(phase),
            "weight": as_number(as_fraction(weight)),
            "loads_before": old.per_dimension,
            "degree_before": old.degree,
            "loads_now": now.per_dimension,
            "degree_now": now.degree,
            "loads_after": new.per_dimension,
            "degree_after": new.degree,
        }
        for k, (phase, weight, old, now, new) in enumerate(parts)
    ]
    facts = _facts(p)
    if p.Q is None:
        title = f"Placement of {len(p.node_of)} ranks on {spec_text(p.network.spec)}"
        load = load_of(p.program, p.network).replace("messages", "volume")
        return Table(title, columns, records, facts, [_LOADS_NOTE.format(load)])
    title = "Optimal reordering" if p.order is not None else "Optimal linear mapping"
    legend = [degree_legend(p.program, p.network), *([_ORDER_NOTE] if p.order is not None else [])]
    return Table(title, columns, records, facts, legend)


def _facts(p: Placement) -> list[Any]:
    """The answer; people see of one by ranks what ranks say."""
    by_ranks = p.Q is not None
    searched, ranked = (data, quantity) if by_ranks else (quantity, data)
    plain = by_ranks and is_plain(p)
    objective, bound = quantity("objective"), quantity("lower_bound")
    if by_ranks:
        objective = data("objective") if plain else replace(objective, form=objective_text)
    else:
        bound = named("lower_bound", "lower bound of all placements")
    listed = not by_ranks or p.network.size <= _MOST_RENAMED
    old, new, shown = p.before, p.after, by_ranks or p.objective
    return [
        ("network", p.network.spec),
        (objective, p.objective),
        (searched("over"), p.over),
        ("order", p.order),
        *([(_FORMULA, _equations(p))] if by_ranks else []),
        *_changes("degree" if plain else p.objective, "value", old.value, new.value),
        *_changes("joint", "joint", old.joint, new.joint, shown),
        *_changes("phases", "phases", old.phases, new.phases, by_ranks),
        *_changes("volume times distance", "distance", old.distance, new.distance, shown),
        *_present(p),
        *_port_facts(p),
        (bound, p.lower_bound),
        (searched("bound"), p.bound),
        ("optimal", p.optimal),
        (ranked("proof"), p.proof),
        (searched("verdict"), p.verdict),
        (searched("found_by"), p.found),
        (data("gap"), p.gap),
        ("node_of", p.node_of.tolist() if listed else None),
        *([] if by_ranks else _hosts(p)),
        ("idle_nodes", [] if by_ranks else idle_nodes(len(p.node_of), p.network, p.node_of)),
        (data("Q"), None if p.Q is None else p.Q.tolist()),
        (ranked("optimal_orders"), p.optimal_orders),
    ]


def _present(p: Placement) -> list[Any]:
    """The present placement: its use, the answer's, the bound, and how many ranks move."""
    if p.now is None or p.now_nodes is None:
        return []
    line = (
        f"now {grouped(p.now.value)}, best {grouped(p.after.value)}, "
        f"bound {grouped(p.lower_bound)}, moves {p.moved_ranks:,} of {len(p.node_of):,} ranks"
    )
    return [
        (Quantity("now_line", "present placement", audience="people"), line),
        (data("value_now"), p.now.value),
        (data("joint_now"), p.now.joint),
        (data("phases_now"), p.now.phases),
        (data("distance_now"), p.now.distance),
        (data("moved_ranks"), p.moved_ranks),
        (data("node_of_now"), p.now_nodes.tolist()),
    ]


def _port_facts(p: Placement) -> list[Any]:
    """What a host's port carries: no schedule takes less, whatever the channels."""
    if p.ports is None:
        return []
    before, after = p.ports
    fixed = before == after and is_port_fixed(p.network)
    text = (
        f"{grouped(before)} in every placement"
        if fixed
        else (f"{grouped(before)} → {grouped(after)}")
    )
    line = Quantity("ports_change", _PORT_VOLUME, audience="people")
    facts: list[Any] = [(line, text), (data("ports_before"), before), (data("ports_after"), after)]
    if p.port_loads is None:
        return facts
    old, new = p.port_loads
    facts += [(data("port_load_before"), old), (data("port_load_after"), new)]
    if p.port_bandwidth is None:
        return facts
    if p.port_bandwidth != 1:
        heading = f"over its bandwidth, {number_text(p.port_bandwidth)}"
        loads = grouped(old) if fixed else f"{grouped(old)} → {grouped(new)}"
        facts.append((Quantity("port_load_change", heading, audience="people"), loads))
    alone = p.channels
    facts += _changes("of channels alone", "channels", alone.before.value, alone.after.value)
    if p.after.value == p.before.value and alone.after.value < alone.before.value:
        only = Quantity("channels_only", "improvement", audience="people")
        facts.append((only, "of channels only: the port limits both"))
    return facts


_FORMULA = Quantity("equations", "y = Qx", math=equations_latex, audience="people")


def _equations(p: Placement) -> str | None:
    return None if p.order is not None or p.Q is None else format_equations(LCC(p.Q))


def _hosts(p: Placement) -> list[Any]:
    """What the nodes of the ranks are called, where that is not their number."""
    if not (p.network.names or p.network.whole_network is not p.network):
        return []
    return [("host_of", [p.network.name(node) for node in p.node_of.tolist()])]


def _changes(
    heading: str, key: str, before: Number | None, after: Number | None, shown: str | bool = False
) -> list[Any]:
    """For people one line, unless it is said already, as by the objective; for data the two."""
    line = Quantity(f"{key}_change", heading, audience="people")
    return [
        *([] if shown in (True, key) else [(line, f"{grouped(before)} → {grouped(after)}")]),
        (data(f"{key}_before"), before),
        (data(f"{key}_after"), after),
    ]
