"""Tables about complete exchange: methods by their time, and a run with real blocks.

    exchange_table(machine, B)          every method and every bound, the fastest first
    run_table(run_exchange(mesh, B, Q)) real blocks moved by the pipelined CC-cube

The run joins both halves of the claim: the blocks move through the pipeline in the order of its
packets, and the schedule of each of its iterations is replayed on the mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np

from lccmodel.errors import SizeLimitError
from lccmodel.ground.views import Answer
from lccmodel.movement import Conflict
from lccmodel.network import Mesh
from lccmodel.pipelining.bounds import checked_block, exchange_bounds
from lccmodel.pipelining.cost.steps import MODELS
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.exchange import CompleteExchange, ExchangeOrder
from lccmodel.pipelining.execution import PacketPlan, PipelinedRun
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.methods import METHODS, exchange_time, methods_for
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from lccmodel.show.pipelining_tables import machine_facts, time_heading
from lccmodel.show.quantities import named
from lccmodel.show.records import Table, keyed_table

_MAX_MOVED = 1 << 24
"""Most items, 4^d B, that a run moves."""

_BOUNDS = {
    "bound: start-ups": "startups",
    "bound: ports": "ports",
    "bound: bisection": "bisection",
    "bound: rounds": "lockstep",
}


_GROUNDS = ("printed", "derived", "reconstructed")


def exchange_table(
    machine: Machine, B: int, methods: Sequence[str] | None = None, unit: str = ""
) -> Table:
    """The time of every method for blocks of B items, the fastest first, and of every bound.

    Args:
        machine: a mesh with one port and no barrier.
        B: items in a block.
        methods: keys of `METHODS`; all that the mesh has if left out.
        unit: of the times, for people.

    Raises:
        InputError: an unknown method, another machine, or B < 1.

    >>> table = exchange_table(Machine("16x16", 500, 1), 64, ["direct", "calmant-schedule"])
    >>> [(row["method"], row["Q"]) for row in table.records() if row["kind"] == "schedule"]
    [('calmant-schedule', 4), ('direct', None)]
    """
    B = checked_block(B)
    names = methods_for(machine) if methods is None else tuple(dict.fromkeys(methods))
    base = exchange_time("baseline", machine, B)
    records = [_method_record(machine, B, name, base) for name in names]
    bounds = exchange_bounds(machine, B)
    for name, attribute in _BOUNDS.items():
        least: Fraction = getattr(bounds, attribute)
        records.append(_record(name, "bound", "derived", None, least, base))
    records.sort(key=_fastest_first)
    feasible = [record for record in records if record["kind"] == "schedule"]
    machine_lines = machine_facts(machine, unit)
    facts = [
        machine_lines[0],
        *machine_lines[2:-1],
    ]  # without ports and barrier, of which there are none
    facts += [
        ("B", B),
        (named("blocks", "blocks of all nodes"), machine.nodes**2),
        ("best", feasible[0]["method"] if feasible else None),
        ("bound_share", _reached(feasible, bounds.lockstep)),
    ]
    legend = [
        (
            "speed-up: over the baseline, the CC-cube as it is. The bounds from start-ups, ports "
            "and bisection hold for every method, that from rounds for those that work in rounds, "
            "and one named after a method for all schedules of that method."
        ),
        (
            "printed: the formula stands in [calmant]; derived: schedules of this project; "
            "reconstructed: the paper only names the method. lccmodel exchange --formula says why."
        ),
    ]
    notes = []
    if machine.c > 2 and "calmant-paper" in names:
        notes.append("calmant-paper counts schedules of which some conflict on three axes or more.")
    heads = {"kind": "this is a", "time": time_heading("time", unit)}
    return keyed_table("Complete exchange by method", records, facts, heads, legend, notes=notes)


def _method_record(machine: Machine, B: int, name: str, base: Fraction) -> dict[str, Any]:
    taken = exchange_time(name, machine, B)
    method = METHODS[name]
    Q: int | None = None
    for model in MODELS:
        if name == f"calmant-{model}":
            Q = optimal_degree(machine, machine.nodes // 2 * B, model).Q
    kind = "bound" if method.is_bound else "schedule"
    return _record(name, kind, method.provenance, Q, taken, base)


def _record(
    name: str, kind: str, provenance: str, Q: int | None, taken: Fraction, base: Fraction
) -> dict[str, Any]:
    head = {"method": name, "kind": kind, "provenance": provenance, "Q": Q}
    return head | {"time": taken, "speedup": base / taken if taken else None}


def _fastest_first(record: dict[str, Any]) -> tuple[Any, ...]:
    """By time; of equal times the cost on the firmest ground: printed, derived, reconstructed.

    The paper's own schedules, which may conflict, come after those that are replayed.
    """
    name, firm = record["method"], _GROUNDS.index(record["provenance"])
    return record["time"], record["kind"], firm, name == "calmant-paper", name


def _reached(feasible: list[dict[str, Any]], bound: Fraction) -> Fraction | None:
    return bound / feasible[0]["time"] if feasible and feasible[0]["time"] else None


# -- a run --------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExchangeRun(Answer, view="exchange-run"):
    """A complete exchange that was run: blocks moved, every read checked.

    Attributes: `mesh`, `B`, `Q`, `order`; `run`, with the reads that came too early; `delivered`,
    how many of the 4^d blocks are, item by item, where they belong.
    """

    mesh: Mesh
    B: int
    Q: int
    order: ExchangeOrder
    run: PipelinedRun
    delivered: int

    @property
    def ok(self) -> bool:
        """Whether every block arrived, and no packet was read before it had come."""
        return self.delivered == self.mesh.size**2 and not self.run.violations


def run_exchange(mesh: Mesh | str, B: int, Q: int, order: ExchangeOrder = "reverse") -> ExchangeRun:
    """Move 4^d blocks of B items, all different, through the pipelined CC-cube.

    Args:
        mesh: of 2^d nodes; its sides matter for the schedules only.
        B: items in a block.
        Q: pipelining degree, 1..2^(d-1) B.
        order: positions of a message descending ("reverse") or ascending ("natural").

    Raises:
        InputError: a value out of range.
        SizeLimitError: more than 2^24 items.

    >>> run_exchange("4x4", 1, 6).delivered, run_exchange("4x4", 1, 6, "natural").delivered
    (256, 240)
    """
    B = checked_block(B)
    whole = Task.whole(mesh)
    d, exchange = whole.d, CompleteExchange(whole.d)
    if 4**d * B > _MAX_MOVED:
        raise SizeLimitError("blocks", f"at most {_MAX_MOVED:,} items are moved", 4**d * B)
    nodes = 1 << d
    blocks = np.arange(nodes * nodes * B, dtype=np.int64).reshape(nodes, nodes, B)
    run = exchange.traced(blocks, Q, order)
    arrived = (np.asarray(run.result) == blocks.swapaxes(0, 1)).all(axis=2)
    return ExchangeRun(whole.mesh, B, Q, order, run, int(arrived.sum()))


def run_table(moved: ExchangeRun) -> Table:
    """Phase by phase: the tasks of the iterations, their steps on the mesh, and the replays.

    >>> table = run_table(run_exchange("4x4", 1, 6))
    >>> table.records()[0]["delivered"], sum(row["total"] for row in table.records())
    (256, 25)
    """
    iterations = PacketPlan(moved.mesh.n, moved.Q).iterations
    runs = groupby(iterations, lambda iteration: (iteration.phase, iteration.task))
    records = [_phase(moved, list(alike)) for _, alike in runs]
    facts = {
        "network": moved.mesh.spec,
        "B": moved.B,
        "Q": moved.Q,
        "order": moved.order,
        "blocks": moved.mesh.size**2,
        "delivered": moved.delivered,
        "violations": len(moved.run.violations),
        "ok": moved.ok,
        "verdict": _verdict(moved),
    }
    heads = {
        "task": "exchanges",
        "Q": "Q, packets",
        "order": "order of blocks",
        "blocks": "blocks moved",
        "delivered": named("delivered", "delivered", form=","),
    }
    notes = [
        "⟨i,M⟩: every process exchanges M packets, through dimensions i..i+M-1; steps: of the mesh."
    ]
    title = "Complete exchange, run with real blocks"
    return keyed_table(title, records, facts, heads, notes)


def _verdict(moved: ExchangeRun) -> str:
    if moved.ok:
        return "every block is where it belongs"
    astray = f"NOT DELIVERED: {moved.mesh.size**2 - moved.delivered:,} blocks astray"
    for v in moved.run.violations[:1]:
        read = f"packet {v.packet} of x_{v.i} is computed from item {v.item} of x_{v.k}"
        astray += f"; first, {read}, when {v.available} of its items have come (all from 0)"
    return astray


def _phase(moved: ExchangeRun, alike: list[Any]) -> dict[str, Any]:
    first, last = alike[0], alike[-1]
    i, M = first.task
    made = schedule(Task(i, M, moved.mesh))
    replayed = made.replay()
    failed = f"CONFLICT in {replayed}"
    return {
        "iterations": str(first.t) if first is last else f"{first.t}-{last.t}",
        "phase": first.phase,
        "task": f"⟨{i},{M}⟩",
        "count": len(alike),
        "steps": made.length,
        "total": len(alike) * made.length,
        "replay": failed if isinstance(replayed, Conflict) else f"{replayed.delivered:,} messages",
    }
