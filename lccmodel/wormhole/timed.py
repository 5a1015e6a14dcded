"""Messages with times and lengths of their own: a recorded trace, or a program whose phases depend.

A trace says when each message is generated. In a program nobody does: a rank begins a phase when
all messages of the phases before that it sent or received have been delivered, and it has computed
for the cycles that each of them takes, also where it only receives. So phases of different ranks
overlap, and a late message delays those alone who wait for it. With a barrier all ranks begin a
phase together.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.columns import meaning_of
from lccmodel.communication.program import Program
from lccmodel.errors import (
    CommunicationError,
    FileError,
    InputError,
    checked_integer,
    checked_integers,
)
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.files import read_at_most
from lccmodel.ground.numbers import as_fraction
from lccmodel.ground.views import Answer
from lccmodel.network import Network, as_network
from lccmodel.problem import Problem
from lccmodel.reading.cells import split_lines
from lccmodel.reading.options import stated
from lccmodel.routing import RoutingFunction
from lccmodel.wormhole.plan import NEVER, Messages, waiting_ring
from lccmodel.wormhole.simulation import MAX_FLITS, Simulation
from lccmodel.wormhole.timing import TieRule
from lccmodel.wormhole.traffic import messages_of, waiting_for

if TYPE_CHECKING:
    from lccmodel.placement.placement_result import Placement

_LARGEST = 1 << 26
_MOST_CYCLES = 1 << 30
_WHOLE = re.compile(r"\d{1,18}", re.ASCII)
_DECIMAL = re.compile(r"\d{1,18}(\.\d{1,18})?", re.ASCII)


@dataclass(frozen=True, eq=False, repr=False)
class TimedMessages(Answer, view="timed"):
    """When each message was generated, entered the network and arrived, in cycles.

    Attributes:
        network, routing: where.
        source, destination: int64, the nodes of every message, as it travelled.
        flits: int64, its length.
        phase: int64, of the program; 0 for all messages of a trace.
        ready, injected, delivered: int64; `NEVER` if not.
        deadlock: a ring of channels by name, as in `SimulationResult`; empty if there is none.
        names: of the phases.
        problem: the program that was read, with its notes; None of rows.
        remarks: what a program states and a single run of it leaves out.

    >>> from lccmodel.wormhole import run_trace
    >>> result = run_trace([(1, 3, 0, 3), (0, 3, 0, 3)], "cube:2")
    >>> result.delivered.tolist(), result.cycles
    ([5, 9], 9)
    """

    network: Network
    routing: str
    source: Ints
    destination: Ints
    flits: Ints
    phase: Ints
    ready: Ints
    injected: Ints
    delivered: Ints
    deadlock: tuple[str, ...]
    names: tuple[str, ...]
    problem: Problem | None = None
    remarks: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences on which the times rest."""
        return (*super().notes, *self.remarks)

    @property
    def cycles(self) -> int:
        """The cycle in which the last message that arrives has been delivered."""
        return int(self.delivered[self._arrived].max(initial=0))

    @cached_property
    def _arrived(self) -> npt.NDArray[np.bool_]:
        return self.delivered < NEVER

    @property
    def latencies(self) -> Ints:
        """Cycles from generation to delivery of every message that arrives."""
        return (self.delivered - self.ready)[self._arrived]

    @property
    def throughput(self) -> float:
        """Flits delivered in a cycle, by all nodes together."""
        return float(self.flits[self._arrived].sum()) / max(self.cycles, 1)

    def percentile(self, percent: float) -> int:
        """Return the latency that this percentage of messages does not exceed.

        Raises:
            InputError: not above 0 and below 100, or no message arrives.
        """
        if not (isinstance(percent, (int, float)) and 0 < percent < 100):
            raise InputError("percent", "must be above 0 and below 100", percent)
        ordered = np.sort(self.latencies)
        if not len(ordered):
            raise InputError("percent", "needs a message that arrives", percent)
        return int(ordered[int(np.ceil(percent / 100 * len(ordered))) - 1])

    def __repr__(self) -> str:
        end = f"deadlocked after {self.cycles}" if self.deadlock else f"{self.cycles}"
        where = f"{self.routing} on {self.network.spec}"
        return f"TimedMessages({len(self.source)} messages, {where}: {end} cycles)"


@typed_arguments
def run_trace(
    messages: Any,
    network: Network | str,
    routing: str | RoutingFunction = "e-cube",
    mapping: Placement | Sequence[int] | None = None,
    *,
    flits: int = 20,
    tie: TieRule = "lowest-input",
    seed: int = 1,
    **hardware: Any,
) -> TimedMessages:
    """Send messages at the cycles in which they were recorded.

    Args:
        messages: rows (source, destination, cycle) or (source, destination, cycle, flits), in any
            order. Messages to their own node are left out.
        network, routing, mapping, tie, seed: as for `simulate`.
        flits: the length of messages whose rows do not say it.
        hardware: depth, router_latency, ... as for `simulate`.

    Raises:
        CommunicationError: rows of another length or of no integers; no message that travels.
        InputError: a cycle below 0, or a length out of range.
        NodeError: a node outside the network.

    >>> run_trace([(0, 7, 0), (1, 7, 5, 40)], "cube:3")
    TimedMessages(2 messages, e-cube on cube:3: 65 cycles)
    """
    rows = _rows(messages, flits)
    rows = rows[rows[:, 0] != rows[:, 1]]
    if not len(rows):
        raise CommunicationError("messages", "must contain one that leaves its node", messages)
    lengths = rows[:, 3]
    if (early := int(rows[:, 2].min())) < 0:
        raise InputError("cycle", "must not be negative", early)
    _check_lengths(lengths)
    how = (as_network(network), routing, mapping, tie)
    simulation = Simulation.of(rows[:, :2].tolist(), *how, **hardware)
    order = np.lexsort((simulation.sent.streams, rows[:, 2]))  # as the rule "oldest" goes
    recorded = (rows[order, 2], order, lengths[order], seed)
    sent = messages_of(simulation.table, simulation.sent, *recorded)
    return _run(simulation, sent, np.argsort(order), np.zeros(len(rows), np.int64), ("",), seed)


def read_recorded(
    path: str | os.PathLike[str], cycle_time: Any = None, flit_bytes: Any = None
) -> list[tuple[int, ...]]:
    """Rows of (source, destination, cycle) or with flits, from a table with these columns.

    The options `first_rank` and `decimal` of `reading_with` hold for ranks and times.

    Args:
        path: the table; source and destination may be called as in other tables (`src`, `dst`).
        cycle_time: the time of a cycle in the unit of a column `time`, which then stands for
            `cycle`: a message is generated in the cycle of its time, the first one in cycle 0.
        flit_bytes: bytes of a flit; then a column `bytes` stands for `flits`, a header before them.

    Raises:
        FileError: the file cannot be read, lacks a column, or a line is wrong.
        InputError: a time of a cycle that is not above 0, or no bytes of a flit.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "sent.csv")
    >>> _ = path.write_text("source,destination,cycle\\n0,3,0\\n1,3,7\\n")
    >>> read_recorded(path)
    [(0, 3, 0), (1, 3, 7)]
    >>> folder.cleanup()
    """
    name = Path(path).name
    try:
        lines = list(split_lines(read_at_most(path, _LARGEST).decode("utf-8")))
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        reason = getattr(error, "strerror", None) or "not a text file"
        raise FileError(path, 0, f"cannot be read: {reason}", name) from None
    heads = [_column(head) for head in lines[0][2]] if lines else []
    when, long = ("cycle" if cycle_time is None else "time"), "flits"
    if flit_bytes is not None:
        flit_bytes, long = checked_integer("flit_bytes", flit_bytes, least=1), "bytes"
    columns = ["source", "destination", when]
    columns += [long] * (long in heads or flit_bytes is not None)
    if not set(columns) <= set(heads):
        last = "and perhaps flits" if flit_bytes is None else "bytes"
        rule = f"must have the columns source, destination, {when}, {last}"
        raise FileError(path, lines[0][0] if lines else 0, rule, ",".join(heads)[:60])
    step = _checked_step(cycle_time)
    places = [heads.index(column) for column in columns]
    first_rank = stated().first_rank or 0
    has_commas = stated().decimal == ","
    rows = []
    for number, line, row in lines[1:]:
        words = [row[place] if place < len(row) else "" for place in places]
        if has_commas and "time" in columns:
            k = columns.index("time")
            words[k] = words[k].replace(".", "x").replace(",", ".")
        forms = [_DECIMAL if column == "time" else _WHOLE for column in columns]
        if not all(map(re.Pattern.fullmatch, forms, words)):
            rule = f"must have whole numbers for {', '.join(c for c in columns if c != 'time')}"
            rule += ", and a decimal number for time" * ("time" in columns)
            raise FileError(path, number, rule, line[:60])
        if min(map(int, words[:2])) < first_rank:
            raise FileError(path, number, f"ranks count from {first_rank} here", line[:60])
        rows.append([Fraction(word) for word in words])
    first = min((row[2] for row in rows), default=0) if step else 0
    return [
        (
            int(x) - first_rank,
            int(y) - first_rank,
            int((time - first) // (step or 1)),
            *(1 - int(-cell // flit_bytes) if flit_bytes else int(cell) for cell in length),
        )
        for x, y, time, *length in rows
    ]


def _column(heading: str) -> str:
    """The column that a heading means here: bytes are `bytes`, whatever they are for a volume."""
    word = heading.strip().lower()
    meant = meaning_of(word)
    return meant if meant in ("source", "destination") else word


def _checked_step(cycle_time: Any) -> Fraction | None:
    if cycle_time is None:
        return None
    try:
        step = as_fraction(cycle_time)
    except (TypeError, ValueError, ArithmeticError):
        step = Fraction(0)
    if step <= 0:
        raise InputError("cycle_time", "must be a number above 0", cycle_time)
    return step


def _rows(messages: Any, flits: int) -> Ints:
    """Rows of (source, destination, cycle, flits)."""
    rule = "must be rows of (source, destination, cycle) or (source, destination, cycle, flits)"
    plain = isinstance(messages, (list, tuple))
    if not (plain or (isinstance(messages, np.ndarray) and messages.ndim == 2)) or not len(
        messages
    ):
        raise CommunicationError("messages", rule, messages)
    rows = [checked_integers("messages", row, CommunicationError) for row in messages]
    if any(len(row) not in (3, 4) for row in rows):
        raise CommunicationError("messages", rule, messages)
    return np.array([(*row, flits)[:4] for row in rows], dtype=np.int64)


@typed_arguments
def run_program(
    program: Any,
    network: Network | str,
    routing: str | RoutingFunction = "e-cube",
    mapping: Placement | Sequence[int] | None = None,
    *,
    flits: int = 20,
    volume: float | None = None,
    compute: int = 0,
    barrier: bool = False,
    tie: TieRule = "lowest-input",
    seed: int = 1,
    **hardware: Any,
) -> TimedMessages:
    """Run the phases of a program once, each rank going on when its messages have arrived.

    Args:
        program: a list of phases, each as `Program` takes it, or anything that `Problem.read`
            takes.
        network, routing, mapping, tie, seed: as for `simulate`; the "oldest" message is that of
            the earlier phase, then that of the lower rank.
        flits: the length of every message, if `volume` is not stated.
        volume: what one flit carries: a message of volume v has ⌈v / volume⌉ flits and a header.
        compute: cycles that every rank computes in each phase before it sends.
        barrier: whether all ranks begin a phase together, when the one before is over.
        hardware: depth, router_latency, ... as for `simulate`.

    Raises:
        CommunicationError: no message travels.
        NetworkError: more ranks than nodes.
        InputError: lengths or cycles out of range.

    >>> from lccmodel import catalog
    >>> swap = [(0, 1), (1, 0)]
    >>> result = run_program([swap, [(0, 2), (1, 3)], swap], "cube:2", flits=3, compute=10)
    >>> result.ready.tolist(), result.delivered.tolist()
    ([10, 10, 25, 25, 40, 40], [15, 15, 30, 30, 45, 45])
    """
    network = as_network(network)
    listed = isinstance(program, (list, tuple))
    if listed and not (program and isinstance(program[0], (str, os.PathLike))):
        problem = Problem(Program(program), network)
    else:
        problem = Problem.read(program, network)
    phases = problem.program
    if not 0 <= (compute := checked_integer("compute", compute)) <= _MOST_CYCLES:
        raise InputError("compute", f"must be in 0..{_MOST_CYCLES}", compute)
    pairs, lengths, of = _messages(phases, network, flits, volume)
    order = np.lexsort((pairs[:, 0], of)) if tie == "oldest" else np.arange(len(of))
    pairs, lengths = pairs[order], lengths[order]
    simulation = Simulation.of(pairs, network, routing, mapping, tie, **hardware)
    names = tuple(phase.name for phase in phases)
    place = np.argsort(order)
    if barrier:
        timed = _staged(simulation, lengths, of, place, compute, names, seed)
    else:
        sent = _dependent(simulation, pairs, lengths, of, compute, seed)
        timed = _run(simulation, sent, place, of, names, seed)
    return replace(timed, problem=problem, remarks=_left_out(phases, volume))


def _left_out(program: Program, volume: float | None) -> tuple[str, ...]:
    """What a program states and a single run of it leaves out."""
    remarks = []
    alike = all(p.traffic.uniform and p.traffic.uniform_volume == 1 for p in program)
    if not alike and volume is None:
        remarks.append("volumes do not count: all messages have one length; see --flit-bytes")
    if any(phase.weight != 1 for phase in program):
        remarks.append("weights do not count: every phase runs once")
    return tuple(remarks)


def _staged(
    simulation: Simulation,
    lengths: Ints,
    of: Ints,
    place: Ints,
    compute: int,
    names: tuple[str, ...],
    seed: int,
) -> TimedMessages:
    """Phase after phase: nothing of one is left in the network when the next begins."""
    parts, now = [], 0
    for phase in range(len(names)):
        now += compute
        own = np.flatnonzero(of == phase)
        if not len(own):
            continue
        zeros = np.zeros(len(own), np.int64)
        sent = messages_of(
            simulation.table, simulation.sent, zeros, own, lengths[own], seed + phase
        )
        part = _run(simulation, sent, place[own] - own[0], of[own], names, seed)
        times = (part.ready, part.injected, part.delivered)
        moved = (np.where(each < NEVER, each + now, NEVER) for each in times)
        ready, injected, delivered = moved
        parts.append(replace(part, ready=ready, injected=injected, delivered=delivered))
        if part.deadlock:
            break
        now += part.cycles
    arrays = ("source", "destination", "flits", "phase", "ready", "injected", "delivered")
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays
    }
    return replace(parts[-1], **joined)


def _dependent(
    simulation: Simulation, pairs: Ints, lengths: Ints, of: Ints, compute: int, seed: int
) -> Messages:
    """The messages, each waiting for those of its sender since the phase in which it sent last."""
    awaited: list[int] = []
    waiting: list[int] = []
    before: dict[int, list[int]] = {}  # of every rank: these messages
    ends = pairs.tolist()
    for phase in range(int(of[-1]) + 1):
        own = np.flatnonzero(of == phase).tolist()
        for m in own:
            needed = before.get(ends[m][0], [])
            awaited += needed
            waiting += [m] * len(needed)
        before |= {ends[m][0]: [] for m in own}
        for m in own:
            for rank in ends[m]:
                before.setdefault(rank, []).append(m)
    table, every = simulation.table, np.arange(len(of))
    sent = messages_of(table, simulation.sent, (of + 1) * compute, every, lengths, seed)
    ends = np.array(awaited, np.int64), np.array(waiting, np.int64)
    return waiting_for(sent, *ends, of * compute)


def _messages(
    phases: Program, network: Network, flits: int, volume: float | None
) -> tuple[Ints, Ints, Ints]:
    """(pairs, lengths, phase) of all messages that travel, phase by phase."""
    if volume is not None and not volume > 0:
        raise InputError("volume", "must be above 0", volume)
    pairs, lengths, of = [], [], []
    for number, phase in enumerate(phases):
        sent = network.sent(phase.traffic)
        rows = sent.pairs.astype(np.int64)
        carried = phase.traffic.volumes
        moves = rows[:, 0] != rows[:, 1]
        if volume is None:
            made = np.full(len(rows), flits)
        else:
            each = np.ones(len(rows)) if carried is None else np.array(carried, np.float64)
            moves &= each > 0
            made = np.ceil(each / volume) + 1
        if made.max(initial=0) > MAX_FLITS:
            raise InputError("flits", f"must be at most {MAX_FLITS}", float(made.max()))
        pairs.append(rows[moves])
        lengths.append(made[moves].astype(np.int64))
        of.append(np.full(int(moves.sum()), number))
    joined = np.concatenate(pairs)
    if not len(joined):
        raise CommunicationError("program", "must send some message to another node", phases)
    all_lengths = np.concatenate(lengths)
    _check_lengths(all_lengths)
    return joined, all_lengths, np.concatenate(of)


def _check_lengths(lengths: Iterable[int]) -> None:
    checked = np.asarray(lengths)
    if checked.min() < 1 or checked.max() > MAX_FLITS:
        bad = checked[(checked < 1) | (checked > MAX_FLITS)][0]
        raise InputError("flits", f"must be in 1..{MAX_FLITS}", int(bad))


def _run(
    simulation: Simulation,
    sent: Messages,
    place: Ints,
    phase: Ints,
    names: tuple[str, ...],
    seed: int,
) -> TimedMessages:
    """Run to the end; the given message k is number place[k]."""
    outcome = simulation.execute(sent, seed=seed)
    fabric = simulation.table.fabric
    ring = waiting_ring(simulation.table, sent, outcome)
    return TimedMessages(
        fabric.network,
        simulation.table.routing.name,
        sent.source[place],
        sent.destination[place],
        sent.flits[place],
        phase,
        outcome.ready[place],
        outcome.injected[place],
        outcome.delivered[place],
        tuple(fabric.name(channel) for _, channel in ring),
        names,
    )
