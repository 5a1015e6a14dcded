"""Plans of collectives as MPI programs: real data, and how long they take beside MPI's own.

Every process takes its rows of a plan: in a step it sends the blocks that it has to send, as they
were before the step, receives what comes, and adds it or puts it in place. What it holds in the
end is compared with what numpy says.

    mpirun -n 8 python -m lccmodel.mpi collective allreduce --measure

Times are medians of rounds; a round has the slowest process's time. Beside them stand those of
MPI's own algorithms: its choice, and with Open MPI each that it lets one force by name, in a start
of its own. All of them have a predicted T, by a cost α + L τ that is measured in the same
processes (an exchange with neighbours) or stated.

As a program, `python -m lccmodel.mpi.planned ORDER` (JSON), it prints its rows as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lccmodel.collectives.algorithms import Algorithm
from lccmodel.collectives.collective import algorithms_of, collective_of
from lccmodel.collectives.libraries import NUMBERS, theirs
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import CollectiveName
from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array, Ints
from lccmodel.mpi.virtual import Communicator
from lccmodel.pipelining.message_cost import Cost, Linear

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lccmodel.show.records import Table

_TAG, _ROUNDS = 7, 5
_LARGEST = 1 << 26
WITHIN = 2
"""A time agrees with its prediction if neither is more than so many times the other."""
OWN = "its own choice"

# -- the part of a process ------------------------------------------------------------------


class Part(NamedTuple):
    """A message as one of its two processes sees it."""

    peer: int
    blocks: Ints
    add: bool


RankStep = tuple[list[Part], list[Part]]
"""What a process sends in a step, and what it receives."""


def steps_of(plan: Plan, rank: int) -> list[RankStep]:
    """What a process does in every step of a plan.

    >>> from lccmodel import collectives
    >>> [(sent, received)] = steps_of(collectives.plan("allreduce", "recursive-doubling", 2), 0)
    >>> sent[0].peer, received[0].add
    (1, True)
    """
    steps: list[RankStep] = []
    for _, now, stage in plan.timed():
        step: RankStep = ([], [])
        for send in stage.sends:
            for mine, other, part in (
                (send.source, send.destination, step[0]),
                (send.destination, send.source, step[1]),
            ):
                rows = np.flatnonzero(mine == rank)
                blocks = send.blocks(now, rows)
                peers = other[rows].tolist()
                part += [Part(p, b, send.add) for p, b in zip(peers, blocks, strict=True)]
        steps.append(step)
    return steps


def perform(comm: Communicator, steps: Sequence[RankStep], held: Array) -> None:
    """Do what a process has to do; `held` (blocks, items) is changed."""
    for sent, received in steps:
        loads = [np.ascontiguousarray(held[part.blocks]) for part in sent]
        ends = zip(loads, sent, strict=True)
        waiting = [comm.Isend(load, part.peer, _TAG) for load, part in ends]
        for part in received:
            came = np.empty((len(part.blocks), held.shape[1]), held.dtype)
            comm.Recv(came, part.peer, _TAG, None)
            if part.add:
                held[part.blocks] += came
            else:
                held[part.blocks] = came
        for request in waiting:
            request.Wait()


# -- data -----------------------------------------------------------------------------------


def _whole(plan: Plan, rank: int, items: int) -> Array:
    """What a process contributes to every block: small whole numbers, so that sums are exact."""
    places = np.arange(plan.blocks * items).reshape(plan.blocks, items)
    return ((places * 7 + rank * 131) % 1009).astype(float)


def _owner(plan: Plan) -> Ints:
    return np.arange(plan.blocks) * plan.ranks // plan.blocks


def at_start(plan: Plan, rank: int, items: int) -> Array:
    """What a process has before the plan."""
    whole = _whole(plan, rank, items)
    if plan.collective in ("allreduce", "reduce", "reduce-scatter", "barrier"):
        return whole
    mine = _owner(plan) == rank
    from_root = plan.collective in ("broadcast", "scatter")
    keeps = rank == plan.root if from_root else mine[:, None]
    return np.where(keeps, whole, 0.0)


def is_right(plan: Plan, rank: int, held: Array) -> bool:
    """Whether a process has after the plan what numpy says."""
    items, owner, ranks = held.shape[1], _owner(plan), range(plan.ranks)
    at_root = plan.collective in ("reduce", "gather")
    if plan.collective == "barrier" or (at_root and rank != plan.root):
        return True
    if plan.collective in ("allreduce", "reduce", "reduce-scatter"):
        sums = np.sum([_whole(plan, r, items) for r in ranks], axis=0)
        here = owner == rank if plan.collective == "reduce-scatter" else slice(None)
        return np.array_equal(held[here], sums[here])
    if plan.collective in ("broadcast", "scatter"):
        here = owner == rank if plan.collective == "scatter" else slice(None)
        return np.array_equal(held[here], _whole(plan, plan.root, items)[here])
    wanted = np.empty_like(held)
    for r in ranks:
        wanted[owner == r] = _whole(plan, r, items)[owner == r]
    if plan.collective in ("allgather", "gather"):
        return np.array_equal(held, wanted)
    mine = np.arange(plan.blocks) % plan.ranks == rank
    return np.array_equal(held[mine], wanted[mine])


# -- times ----------------------------------------------------------------------------------


class TimedPlan(NamedTuple):
    """One row: who ran what, how long it took, and what was predicted, in microseconds.

    >>> TimedPlan("plan", "ring", 64, 30.0, 20.0, True).agrees
    True
    """

    by: str
    algorithm: str
    size: int
    measured: float | None
    predicted: float | None
    right: bool

    @property
    def agrees(self) -> bool | None:
        """Whether measured and predicted are within a factor of two; None without a prediction."""
        if not self.predicted or self.measured is None:
            return None
        return 1 / WITHIN <= self.measured / self.predicted <= WITHIN


@dataclass(frozen=True)
class Order:
    """What the processes shall run: plans by name, MPI's own under some name, and a cost."""

    collective: CollectiveName
    ranks: int
    sizes: tuple[int, ...]
    algorithms: tuple[str, ...]
    own: str = ""
    seconds: float = 5.0
    cost: bool = False
    measure: bool = True


TimedRow = dict[str, Any]
"""A row as processes print it: by, algorithm, size, measured, right."""


def node(order: Order, comm: Any) -> Iterator[TimedRow]:
    """Run an order as one of the processes; yields its rows on every process."""
    if order.cost:
        from lccmodel.mpi.pingpong import node as exchange

        most = min(_LARGEST, max(4096, *order.sizes))
        for size, microseconds in exchange("exchange", most, order.seconds / 2, comm):
            yield {"by": "cost", "size": size, "measured": microseconds}
    runs = max(1, (len(order.algorithms) + bool(order.own)) * len(order.sizes))
    share = order.seconds / runs / _ROUNDS
    for name in order.algorithms:
        for row in _planned(order, name, comm):
            once = row.pop("once")
            yield row | {"measured": _timed(comm, once, share) if order.measure else None}
    taken = set()
    for size in order.sizes if order.own else ():
        once, sent = _mpi(order.collective, size, comm)
        if sent in taken:
            continue
        taken.add(sent)
        yield {
            **{"by": "MPI", "algorithm": order.own, "size": sent},
            **{"measured": _timed(comm, once, share), "right": True},
        }


def _planned(order: Order, name: str, comm: Any) -> Iterator[TimedRow]:
    plan = _on_switch(order.collective, name, order.ranks).plan
    rank = comm.Get_rank()
    steps = steps_of(plan, rank)
    barrier = plan.collective == "barrier"
    lengths = (0 if barrier else max(1, round(size * plan.unit / 8)) for size in order.sizes)
    for items in dict.fromkeys(lengths):  # sizes that are cut into equal blocks run once
        held = at_start(plan, rank, items)
        perform(comm, steps, held)
        right = all(_told(comm, is_right(plan, rank, held)))
        yield {
            "by": "plan",
            "algorithm": name,
            "size": 0 if not items else int(items * 8 / plan.unit),
            "right": right,
            "once": lambda held=held: perform(comm, steps, held),
        }


def _told(comm: Any, value: Any) -> list[Any]:
    """What every process says, to all of them."""
    gathered = comm.gather(value, 0)
    everyone: list[Any] = comm.scatter(
        [gathered] * comm.Get_size() if comm.Get_rank() == 0 else None, 0
    )
    return everyone


def _timed(comm: Any, once: Callable[[], None], share: float) -> float:
    """Microseconds: the median of rounds, each with the slowest process's time."""

    def elapsed(times: int) -> float:
        comm.Barrier()
        started = time.perf_counter()
        for _ in range(times):
            once()
        return float(max(_told(comm, time.perf_counter() - started)))

    times = int(max(2, min(2000, 3 * share / max(elapsed(3), 1e-7))))
    return float(np.median([elapsed(times) / times for _ in range(_ROUNDS)])) * 1e6


def _mpi(name: CollectiveName, size: int, comm: Any) -> tuple[Callable[[], None], int]:
    """MPI's own collective, and the bytes of the vector that it is given."""
    p = comm.Get_size()
    part = max(1, round(size / 8 / p))
    whole, more, few = np.ones(part * p), np.empty(part * p), np.empty(part)
    calls: dict[str, Callable[[], None]] = {
        "allreduce": lambda: comm.Allreduce(whole, more),
        "broadcast": lambda: comm.Bcast(whole, root=0),
        "reduce": lambda: comm.Reduce(whole, more, root=0),
        "allgather": lambda: comm.Allgather(few, more),
        "reduce-scatter": lambda: comm.Reduce_scatter(whole, few, [part] * p),
        "alltoall": lambda: comm.Alltoall(whole, more),
        "barrier": comm.Barrier,
        "scatter": lambda: comm.Scatter(whole, few, root=0),
        "gather": lambda: comm.Gather(few, whole, root=0),
    }
    return calls[name], 0 if name == "barrier" else part * p * 8


# -- what was measured ----------------------------------------------------------------------


def _on_switch(name: CollectiveName, algorithm: Any, ranks: int) -> Any:
    """Ranks on one switch, of which each has one port: processes of one machine share no links."""
    return collective_of(name, algorithm, f"fattree:{max(2, ranks)}^1", node_of=range(ranks))


@dataclass(frozen=True)
class MeasuredCollective:
    """Times of plans and of MPI's own algorithms, beside what was predicted.

    Attributes:
        collective, ranks: of what.
        cost: of a message in microseconds, by which T is predicted; None if nothing is.
        times: every algorithm at every size.
    """

    collective: CollectiveName
    ranks: int
    cost: Cost | None
    times: tuple[TimedPlan, ...]

    @property
    def right(self) -> bool:
        """Whether every plan left on every process what numpy says."""
        return all(run_time.right for run_time in self.times)

    def table(self) -> Table:
        """Measured beside predicted times, with a plain NO where they disagree."""
        from lccmodel.show.quantities import Column, Fact, Quantity
        from lccmodel.show.records import Table

        columns: list[Column] = [
            Quantity("by", "run by"),
            "algorithm",
            Quantity("size", "bytes"),
            Quantity("measured", "measured (µs)", form=".1f"),
            Quantity("predicted", "predicted (µs)", form=".1f"),
            Quantity("agrees", f"within a\nfactor {WITHIN}"),
        ]
        words = {True: "yes", False: "NO", None: "-"}
        rows = [(*run_time[:5], words[run_time.agrees]) for run_time in self.times]
        title = f"{self.collective} on {self.ranks} processes"
        facts: list[Fact] = []
        if isinstance(self.cost, Linear):
            facts = [("unit", "µs"), ("alpha", self.cost.alpha), ("tau", self.cost.tau)]
        legend = ["bytes: what ran, whole numbers of 8 bytes in equal blocks of the plan."]
        return Table(title, columns, rows, facts, legend)

    def draw(self) -> Figure:
        """Measured (points) and predicted (lines) times over the size, log-log."""
        from lccmodel.show.style import new_figure, plain_logarithms

        figure = new_figure(7.2, 4.6)
        axes = figure.add_subplot()
        for k, key in enumerate(dict.fromkeys(run_time[:2] for run_time in self.times)):
            some = [run_time for run_time in self.times if run_time[:2] == key]
            sizes = [max(1, run_time.size) for run_time in some]
            mark, colour = "o" if key[0] == "plan" else "s", f"C{k % 10}"
            label = f"{key[1]}, {key[0]}"
            axes.plot(
                sizes,
                [run_time.measured or 0 for run_time in some],
                mark,
                color=colour,
                label=label,
            )
            if some[0].predicted:
                axes.plot(sizes, [run_time.predicted or 0 for run_time in some], color=colour)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        plain_logarithms(axes.yaxis)
        axes.set_xlabel("size (bytes)")
        axes.set_ylabel("time (µs): points measured, lines predicted")
        axes.set_title(f"{self.collective} on {self.ranks} processes", fontsize=10)
        axes.legend(frameon=False, fontsize=7)
        return figure


def outcome(order: Order, rows: Sequence[TimedRow], cost: Cost | None) -> MeasuredCollective:
    """Rows with their predictions; the cost is fitted to those that measure it, if not stated."""
    if cost is None and order.cost:
        from lccmodel.calibration.fitting import fit
        from lccmodel.calibration.measurements import Measurements

        probes = [row for row in rows if row["by"] == "cost"]
        sizes, times = (np.array([row[key] for row in probes]) for key in ("size", "measured"))
        fitted = fit(Measurements(sizes, times), segments=1)
        cost = Linear(f"{max(fitted.alpha, 0):.4g}", f"{max(fitted.tau, 1e-9):.4g}")
    timed = []
    for row in rows:
        if row["by"] == "cost":
            continue
        predicted = None
        if cost is not None and row["algorithm"] != OWN:
            theirs_ = row["by"] == "MPI" and order.collective in NUMBERS
            word = row["algorithm"]
            rule = theirs("ompi", order.collective, word) if theirs_ else word
            made = _on_switch(order.collective, rule, order.ranks)
            predicted = float(made.time(cost, row["size"]))
        timed.append(
            TimedPlan(
                *(row["by"], row["algorithm"], row["size"], row["measured"]),
                *(predicted, row["right"]),
            )
        )
    return MeasuredCollective(order.collective, order.ranks, cost, tuple(timed))


def _covering(collective: CollectiveName, ranks: int, rules: Iterable[Algorithm]) -> list[str]:
    """The names of those rules that cover so many ranks."""
    names = []
    for rule in rules:
        with suppress(InputError):
            _on_switch(collective, rule, ranks)
            names.append(rule.name)
    return names


@typed_arguments
def ordered(
    collective: CollectiveName,
    ranks: int,
    sizes: Sequence[int] = (64, 1024, 16384),
    algorithms: Sequence[str] = (),
    seconds: float = 5.0,
    *,
    cost: bool = True,
    measure: bool = True,
) -> Order:
    """What processes shall run; every algorithm whose rule covers the ranks if none is named.

    Raises:
        InputError: a name that there is not, sizes or ranks out of range.

    >>> ordered("barrier", 4, cost=False).algorithms
    ('dissemination',)
    """
    if not 2 <= checked_integer("ranks", ranks) <= 1024:
        raise InputError("ranks", "must be in 2..1024", ranks)
    if not sizes or not all(1 <= checked_integer("sizes", m) <= _LARGEST for m in sizes):
        raise InputError("sizes", f"must be in 1..{_LARGEST} bytes", tuple(sizes))
    if not 0.1 <= seconds <= 600:
        raise InputError("seconds", "must be in 0.1..600", seconds)
    for name in algorithms:
        _on_switch(collective, name, ranks)
    names = algorithms or _covering(collective, ranks, algorithms_of(collective))
    taken = tuple(sizes) if collective != "barrier" else (8,)
    own = OWN if measure else ""
    return Order(collective, ranks, taken, tuple(names), own, seconds, cost, measure)


def forced(order: Order, name: str) -> tuple[Order, dict[str, str]]:
    """The order that runs an algorithm of Open MPI alone, and what makes Open MPI take it."""
    word = {"broadcast": "bcast"}.get(order.collective, order.collective.replace("-", "_"))
    settings = {
        "coll": "^han,hcoll,ucc,xhc,sm,adapt",
        "coll_tuned_priority": "100",
        "coll_tuned_use_dynamic_rules": "1",
        f"coll_tuned_{word}_algorithm": NUMBERS[order.collective][name],
    }
    alone = Order(order.collective, order.ranks, order.sizes, (), name, order.seconds / 4)
    return alone, {f"OMPI_MCA_{key}": value for key, value in settings.items()}


def forced_names(order: Order) -> list[str]:
    """Algorithms that Open MPI has and whose rule covers the ranks."""
    names = NUMBERS.get(order.collective, {})
    rules = (theirs("ompi", order.collective, name) for name in names)
    return _covering(order.collective, order.ranks, rules)


def started(
    order: Order,
    *,
    timeout: float = 120.0,
    launcher: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> list[TimedRow]:
    """The rows of an order that is run by mpirun on this machine.

    Raises:
        MPIError: there is no MPI, or the run failed or took too long.
    """
    from lccmodel.mpi.launch import start

    arguments = ["-m", "lccmodel.mpi.planned", json.dumps(asdict(order))]
    text = start(
        order.ranks, arguments, timeout=timeout, launcher=launcher, settings=settings or {}
    )
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def started_forced(order: Order, **how: Any) -> list[TimedRow]:
    """The rows of all algorithms that Open MPI lets one force, each in a start of its own."""
    rows: list[TimedRow] = []
    for name in forced_names(order):
        alone, settings = forced(order, name)
        rows += started(alone, settings=settings, **how)
    return rows


def rows_of(order: Order, way: str, timeout: float) -> list[TimedRow] | None:
    """The rows of an order; None on processes that do not report.

    Args:
        order: what to run.
        way: "mpirun" starts it, "threads" needs no MPI, "here" takes part in what a launcher has
            started; then Open MPI's forced algorithms are run after MPI has ended, by rank 0, if
            all processes are on this machine.
        timeout: seconds.
    """
    if way == "threads":
        return _on_threads(order, timeout)
    if way == "mpirun":
        rows = started(order, timeout=timeout)
    else:
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        rows = list(node(order, comm))
        alone = comm.Split_type(MPI.COMM_TYPE_SHARED).Get_size() == comm.Get_size()
        reports = comm.Get_rank() == 0
        MPI.Finalize()
        if not reports:
            return None
        if not alone:
            return rows
    return rows + (started_forced(order, timeout=timeout) if order.measure else [])


def _on_threads(order: Order, timeout: float) -> list[TimedRow]:
    """Without MPI; nothing is measured."""
    from lccmodel.mpi.local import on_threads

    rows: list[TimedRow] = on_threads(order.ranks, timeout, lambda comm: list(node(order, comm)))
    return rows


def _main(text: str) -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    stated: dict[str, Any] = json.loads(text)
    lists = {key: tuple(stated[key]) for key in ("sizes", "algorithms")}
    order = Order(**(stated | lists))
    for row in node(order, comm):
        if comm.Get_rank() == 0:
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    _main(sys.argv[1])
