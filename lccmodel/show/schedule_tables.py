"""Tables about one task ⟨i,M⟩_c: its schedule by dimension, one step of it, its link loads.

    schedule_table(schedule)          which steps every dimension uses, and what the replay says
    one_step_table(schedule, step)    the messages of one step, with the links that they hold
    link_loads_table(task)            messages on every link along every axis

The verdict is that of a replay on the mesh: the certificate in numbers, or the first conflict.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from lccmodel.errors import InputError, checked_integer
from lccmodel.movement import Conflict
from lccmodel.pipelining.replays import Replay, TaskMessage
from lccmodel.pipelining.schedules import Schedule
from lccmodel.pipelining.task import Task
from lccmodel.show.numbers import with_unit
from lccmodel.show.quantities import Column, Fact, Quantity, named
from lccmodel.show.records import Table

MAX_LISTED = 16
"""Largest d whose steps are listed process by process in CSV and JSON."""


class Packet(NamedTuple):
    """What a step moves: the items of a message, and how long that takes."""

    items: int
    time: Fraction
    unit: str = ""


def schedule_table(
    schedule: Schedule, replayed: Replay | Conflict | None = None, packet: Packet | None = None
) -> Table:
    """The steps of every dimension of a task, and the verdict of the replay.

    In JSON and CSV `steps` is the step in which every process sends, for up to 2^16 processes.

    Args:
        schedule: of any task.
        found: what `schedule.replay()` says, if that is known.
        packet: for the time of all steps together.

    >>> from lccmodel.pipelining.schedules import schedule
    >>> table = schedule_table(schedule(Task(1, 2, "mesh:8")))
    >>> table.records()[0]["steps"]
    (1, 3, 0, 2, 0, 2, 1, 3)
    """
    task = schedule.task
    columns: list[Column] = ["dimension", "axis", "links", "messages", "used_steps", "per_step"]
    records = []
    for k, row in zip(task.dimensions, schedule.steps, strict=True):
        every = np.bincount(row)
        used = np.flatnonzero(every)
        low, high = int(every[used].min()), int(every.max())
        records.append(
            {
                "dimension": k,
                "axis": task.axis(k),
                "links": task.dilation(k),
                "messages": row.size,
                "used_steps": tuple(used.tolist()),
                "per_step": str(low) if low == high else f"{low} to {high}",
                "steps": tuple(row.tolist()) if task.d <= MAX_LISTED else None,
            }
        )
    notes = [
        (
            "links: how far a message travels along its axis; in the steps: those in which some "
            "process sends through the dimension; a step has: how many of them do."
        ),
        "The step of every process is in JSON and CSV; --step K shows the messages of one step.",
    ]
    facts = _facts(schedule, replayed or schedule.replay())
    if packet is not None:
        head = with_unit("time of all steps", packet.unit)
        count = Quantity("items", "items of a message", form=",")
        facts += [(count, packet.items), (named("time", head), schedule.length * packet.time)]
    return Table("Schedule of a task", columns, records, facts, notes)


def _facts(schedule: Schedule, replayed: Replay | Conflict) -> list[Fact]:
    task = schedule.task
    return [
        *_task_facts(task),
        ("ports", task.ports),
        ("rule", schedule.rule),
        ("length", schedule.length),
        ("lower_bound", task.lower_bound),
        ("max_load", task.max_load),
        ("composed", _composition(schedule)),
        ("conflict_free", replayed.ok),
        ("optimal", replayed.ok and schedule.is_optimal),
        (named("verdict", "replay"), _verdict(schedule, replayed)),
    ]


def _task_facts(task: Task) -> list[Fact]:
    exchanged = f"every process exchanges through dimensions {task.i}..{task.i + task.M - 1}"
    name = (
        f"⟨{task.i},{task.M}⟩ with c = {task.c}: {exchanged if task.M else 'nothing is exchanged'}"
    )
    return [("network", task.mesh.spec), ("i", task.i), ("M", task.M), ("task", name)]


def _composition(schedule: Schedule) -> str | None:
    """How the schedule is put together, where that is known."""
    from lccmodel.pipelining.compositions import splitting

    task = schedule.task
    if schedule.rule != "optimal" or task.on_torus or task.ports != "one":
        return None
    return splitting(task).words(task.i)


def _verdict(schedule: Schedule, replayed: Replay | Conflict) -> str:
    if isinstance(replayed, Conflict):
        return f"CONFLICT in {replayed}"
    sent = (
        f"{replayed.delivered:,} messages delivered over {replayed.hops:,} links without conflict"
    )
    more = schedule.length - schedule.task.lower_bound
    if not more:
        return f"{sent}; no schedule has fewer steps"
    return f"{sent}; {more} step{'s' * (more > 1)} above the lower bound"


def one_step_table(
    schedule: Schedule, step: int, replayed: Replay | Conflict | None = None
) -> Table:
    """The messages of one step: process, dimension, and the nodes from end to end.

    Args:
        schedule: of any task.
        step: 0..length - 1.
        found: what `schedule.replay()` says, if that is known.

    Raises:
        InputError: no such step.

    >>> from lccmodel.pipelining.schedules import schedule
    >>> one_step_table(schedule(Task(1, 1, "mesh:4")), 1).records()[0]["path"]
    (1, 2, 3)
    """
    task = schedule.task
    if not 0 <= checked_integer("step", step) < schedule.length:
        rule = f"must be in 0..{schedule.length - 1}" if schedule.length else "has none to show"
        raise InputError("step", rule, step)
    columns: list[Column] = [
        "process",
        "partner",
        "dimension",
        "axis",
        named("path", "through nodes"),
    ]
    records = [
        {
            "step": step,
            "process": message.process,
            "partner": message.process ^ 1 << message.dimension,
            "dimension": message.dimension,
            "axis": task.axis(message.dimension),
            "path": _path(schedule, message),
        }
        for message in schedule.messages(step)
    ]
    strides = [math.prod(task.mesh.shape[:axis]) for axis in range(task.c)]
    terms = [f"{s} · coordinate {a}" if a else "coordinate 0" for a, s in enumerate(strides)]
    notes = [f"Steps are numbered from 0. A node's number is {' + '.join(terms)}."]
    title = f"Step {step} of {schedule.length}: {len(records)} messages"
    return Table(title, columns, records, _facts(schedule, replayed or schedule.replay()), notes)


def _path(schedule: Schedule, sent: TaskMessage) -> tuple[int, ...]:
    """The nodes from source to destination, along one axis."""
    task = schedule.task
    forward, run = task.directions(sent.dimension, schedule.ties[sent.dimension - task.i])
    axis = task.axis(sent.dimension)
    side, stride = task.mesh.shape[axis], math.prod(task.mesh.shape[:axis])
    start = task.mesh.coordinates(sent.source)[axis]
    sign = 1 if forward[start] else -1
    places = [(start + sign * k) % side for k in range(run + 1)]
    return tuple(sent.source + (place - start) * stride for place in places)


def link_loads_table(task: Task) -> Table:
    """How many messages of a task use each link: a row for each axis and direction.

    >>> [row["loads"] for row in link_loads_table(Task(1, 2, "mesh:8")).records()][0]
    (2, 4, 4, 4, 4, 4, 2, 0)
    """
    heading = "messages on the link from coordinate 0, 1, 2, ..."
    records = [
        {"axis": axis, "direction": sign, "max": int(row.max()), "loads": tuple(row.tolist())}
        for axis, both in enumerate(task.link_loads())
        for sign, row in zip("+-", both, strict=True)
    ]
    facts = [*_task_facts(task), ("max_load", task.max_load), ("lower_bound", task.lower_bound)]
    notes = [
        "Counted message by message; the same on every line of an axis.",
        "lower bound: no schedule has fewer steps.",
    ]
    columns = ("axis", "direction", "max", named("loads", heading))
    return Table("Link loads of a task", columns, records, facts, notes)
