"""What a program costs and how to map it, as tables: on a terminal and in a notebook alike.

Each function takes values of the library and returns a `Table`; nothing is read or written here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from lccmodel._numbers import as_number
from lccmodel.methods.contention import (
    BusiestChannels,
    Contention,
    ContentionSet,
)
from lccmodel.network import Allocation, Concentrated, FatTree, Mesh, Network, RouteTable
from lccmodel.problem import Problem
from lccmodel.show.cells import (
    arrow_latex,
    arrow_text,
    arrows_latex,
    arrows_text,
)
from lccmodel.show.quantities import Column, named
from lccmodel.show.records import Table
from lccmodel.show.traffic_notes import (
    about_phase,
    extension_notes,
    idle_nodes,
    idle_note,
    name_of,
    volume_notes,
)

# -- contention -----------------------------------------------------------------------------


def contention_table(found: Contention | ContentionSet) -> Table:
    """The largest load of every dimension, for every phase; in messages where all are alike."""
    problem, members = found.problem, members_of(found)
    network, alike = problem.network, all(phase.traffic.uniform for phase in problem.program)
    records = []
    carried = [(alike and phase.traffic.uniform_volume) or 1 for phase in problem.program]
    for k, (phase, one, each) in enumerate(zip(problem.program, members, carried, strict=True)):
        loads = [as_number(Fraction(load) / each) for load in one.per_dimension]
        records.append(
            about_phase(phase, k)
            | {"loads": loads, "degree": max(loads, default=0), "sum": sum(loads)}
            | {"distance": as_number(Fraction(one.distance) / each)}
        )
    notes = volume_notes(problem.program, carried) + extension_notes(problem)
    facts: dict[str, Any] = {
        "network": network.spec,
        "method": " ".join(sorted({one.method for one in members})),
        "routing": _routing(network, members[0].routing),
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


def _routing(network: Network, order: str) -> str:
    """The order of dimensions, or that there is a table of routes."""
    whole = network.network if isinstance(network, Allocation) else network
    return "table" if isinstance(whole, RouteTable) else order


def _part(network: Network) -> str:
    whole = network.network if isinstance(network, Allocation) else network
    base = whole.network if isinstance(whole, Concentrated) else whole
    if isinstance(base, FatTree):
        return "level"
    return "axis" if isinstance(base, Mesh) else "dimension"


def channels_table(problem: Problem, found: Sequence[BusiestChannels], routing: str) -> Table:
    """The busiest channels of every dimension, and the messages on the first of them.

    Args:
        problem: what was asked.
        found: as `busiest_channels` counts them.
        routing: the order in which dimensions were corrected.
    """
    program, part = problem.program, _part(problem.network)
    alike = all(phase.traffic.uniform for phase in program)
    volumes = [(alike and phase.traffic.uniform_volume) or 1 for phase in program]
    records = [
        {
            "communication": name_of(program[one.phase], one.phase),
            part: one.dimension,
            "load": as_number(Fraction(one.load) / volumes[one.phase]),
            "channels": one.channels,
            "channel": one.channel,
            "messages": one.messages,
        }
        for one in found
    ]
    columns: list[Column] = [
        "communication",
        part,
        "load",
        named("channels", "channels with it", form=""),
        named("channel", "the first", form=arrow_text, math=arrow_latex),
        named("messages", "messages on it", form=arrows_text, math=arrows_latex),
    ]
    facts = {"network": problem.network.spec, "routing": _routing(problem.network, routing)}
    notes = volume_notes(program, volumes)
    notes += [*extension_notes(problem), *program.notes]
    return Table("Busiest channels", columns, records, facts, notes)


def members_of(state: Contention | ContentionSet) -> tuple[Contention, ...]:
    """The contention of every phase."""
    return (state,) if isinstance(state, Contention) else state.members
