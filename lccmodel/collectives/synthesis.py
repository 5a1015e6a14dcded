"""Plans of least steps and least data on small networks, found by a solver and proved least [sccl].

A k-synchronous plan has S steps; step s has r_s rounds, and in it a channel of bandwidth b carries
at most b r_s chunks. Data start as C chunks on every rank (allgather), on the root (broadcast), on
the root for every other (scatter), or on every rank for every other (alltoall). So R = r_0 + ... +
r_(S-1) rounds with C chunks carry R / C of such a part. The solver says for (S, R, C)
whether there is a plan:

    has(c, v, s)    rank v has chunk c before step s        sends(c, u, v, s)
    sends <= has(c, u, s)        has(c, v, s + 1) <= has(c, v, s) + sum of sends to v
    sum over c of sends(c, u, v, s) <= b_uv r_s             sum of r_s = R, all r_s >= 1

With one port, sends(., u, v, s) is of one v for every u, and of one u for every v, at most r_s.

The Pareto front goes from the least S on: for each S the least R / C with C up to a limit, until it
is the bound of `bounds.flow_bound`, below which no plan is; for an alltoall that of all cuts, or
how far all chunks travel over the bandwidth of all channels. Backwards an allgather is a
reduce-scatter, a broadcast a reduction and a scatter a gather, so these have the same front. An
allreduce is a reduce-scatter and then an allgather, as SCCL makes it: what the solver refutes is
refuted for such plans, but the bound on data is for every plan. OR-Tools' CP-SAT is the solver.

The solver's messages cross one channel. Published plans whose messages cross several may need fewer
steps: those of the catalogue are counted, too, and stand in the front where no plan beats them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any, Literal, NamedTuple, get_args

from lccmodel.collectives.algorithms import AllOrOne, direct_wires, network_notes
from lccmodel.collectives.bounds import collective_bound, flow_bound, links_of
from lccmodel.collectives.collective import algorithms_of, collective_of
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.collectives.steps import ROOTED
from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer
from lccmodel.ground.words import checked_word
from lccmodel.network import Network, as_network

Synthesized = Literal[
    "allgather",
    "reduce-scatter",
    "broadcast",
    "reduce",
    "scatter",
    "gather",
    "alltoall",
    "allreduce",
]
_LARGEST = 4096
"""Most steps, rounds and chunks."""
_NODES, _UNDECIDED = 64, 8
_SHARE = 4
"""A question has this part of the seconds that are left, so that one hard question leaves time for
those of more rounds, which are easier."""
_LEAST_SECONDS = 0.01
_MOST = 200_000
"""Most sends that a solver is asked about."""


class Corner(NamedTuple):
    """A plan that nothing beats in both steps and data.

    Attributes:
        steps, rounds, chunks: S, R and C; R / C is the data, in the part that starts in C chunks;
            of an allreduce in p-ths of the vector.
        plan: one that takes so many.
        by: "solver", or the name of the published algorithm; then S counts its start-ups.

    >>> Corner(2, 3, 2, None).data
    Fraction(3, 2)
    """

    steps: int
    rounds: int
    chunks: int
    plan: Plan | None
    by: str = "solver"

    @property
    def data(self) -> Fraction:
        """R / C."""
        return Fraction(self.rounds, self.chunks)


@dataclass(frozen=True)
class PlanFront(Answer, view="plan-front"):
    """Plans of a collective on a network between the fewest steps and the least data.

    Attributes:
        collective, network: of what.
        corners: from few steps to little data; each has the least data of all plans of its steps
            with chunks up to the limit.
        data_bound: R / C that no plan is below.
        refuted: (S, R, C) that the solver has shown to be impossible.
        undecided: (S, R, C) for which the time was too short.
        most_chunks: the largest C that was tried.
        ports: "one" or "all".
        seconds: the limit of the search; None if it ended by itself.

    >>> plan_front = front("allgather", "torus:4", most_chunks=2)
    >>> [(corner.steps, corner.data) for corner in plan_front.corners], plan_front.complete
    ([(2, Fraction(3, 2))], True)
    """

    collective: str
    network: Network
    corners: tuple[Corner, ...]
    data_bound: Fraction
    refuted: tuple[tuple[int, int, int], ...]
    undecided: tuple[tuple[int, int, int], ...]
    most_chunks: int
    ports: AllOrOne = "all"
    seconds: float | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What was searched."""
        halves = self.collective == "allreduce"
        composed = ", a reduce-scatter and then an allgather" if halves else ""
        searched = (
            f"searched: plans whose messages cross one channel{composed}, in up to "
            f"{self.most_chunks} chunks; and the published algorithms, counted on their routes"
        )
        ended = []
        if self.undecided:
            few = "; ".join("{} steps, {} rounds, {} chunks".format(*u) for u in self.undecided[:3])
            more = len(self.undecided) - 3
            ended.append(f"undecided in time: {few}" + (f"; and {more} more" if more > 0 else ""))
        if self.seconds is not None:
            steps = max((s for s, *_ in (*self.undecided, *self.refuted)), default=0)
            ended.append(
                f"the search ended after its limit of {self.seconds:g} seconds; plans of more than"
                f" {steps} steps were not searched"
            )
        return (searched, *ended, *network_notes(self.network, self.ports))

    @property
    def complete(self) -> bool:
        """Whether the last corner has the least data there is, and nothing was left undecided."""
        return (
            bool(self.corners) and not self.undecided and self.corners[-1].data == self.data_bound
        )


@typed_arguments
def synthesize(
    collective: Synthesized,
    network: Network | str,
    steps: int,
    rounds: int,
    chunks: int = 1,
    *,
    root: int = 0,
    ports: AllOrOne = "all",
    seconds: float = 60.0,
) -> Plan | None:
    """Return a plan in so many steps and rounds, or None if there is none.

    Args:
        collective: one of `Synthesized`.
        network: all of its nodes take part; no routers. Of some nodes of a network, messages cross
            the channels between two of them.
        steps, rounds, chunks: S, R >= S and C; of an allreduce both halves together, so S and R
            are even.
        root: of a broadcast, reduction, scatter or gather.
        ports: "all": a rank uses all its links at a time; "one": it sends one message, and
            receives one.
        seconds: for the solver.

    Raises:
        InputError: an argument out of range, a network with routers.
        SizeLimitError: too many sends to ask about.
        TimeoutError: the solver did not decide in time.

    >>> synthesize("broadcast", "torus:4", 2, 2).replay().ok
    True
    >>> synthesize("broadcast", "torus:4", 1, 1) is None
    True
    """
    where = _checked(collective, network, root)
    for name, value in (("steps", steps), ("chunks", chunks), ("rounds", rounds)):
        _within(name, value, _LARGEST)
    _within("seconds", seconds, 3600)
    if rounds < steps:
        raise InputError("rounds", f"must be at least {steps}, one for every step", rounds)
    if collective == "allreduce":
        for name, value in (("steps", steps), ("rounds", rounds)):
            if value % 2:
                raise InputError(name, "must be even: half of them gather what was summed", value)
        steps, rounds = steps // 2, rounds // 2
    forward = _FORWARD.get(collective, collective)
    starts = _starts(forward, where.size, chunks, root)
    sent = _solved(where, starts, (steps, rounds), ports, seconds)
    if sent is None:
        return None
    listed = [[(u, v, [starts[c].block]) for c, u, v in step] for step in sent]
    many = {"broadcast": 0, "scatter": 1, "allgather": 1, "alltoall": 2}
    blocks = chunks * where.size ** many[forward]
    plan = Plan.of_steps(forward, where.size, listed, blocks, root, "synthesized")  # type: ignore[arg-type]  # checked there
    if collective == "allreduce":
        return _summed_and_gathered(plan)
    return plan if forward == collective else plan.backwards(collective, add=collective != "gather")


@typed_arguments
def front(
    collective: Synthesized,
    network: Network | str,
    *,
    most_chunks: int = 6,
    root: int = 0,
    ports: AllOrOne = "all",
    seconds: float = 60.0,
) -> PlanFront:
    """Return the Pareto front of steps and data, as SCCL walks it.

    Args:
        collective, network, root, ports: as for `synthesize`.
        most_chunks: the largest C.
        seconds: for all questions to the solver together; after eight without an answer it ends.

    Raises:
        InputError, SizeLimitError: as for `synthesize`.

    >>> [(c.steps, c.rounds, c.chunks) for c in front("broadcast", "mesh:3", root=1).corners]
    [(1, 1, 1)]
    """
    where = _checked(collective, network, root)
    _within("most_chunks", most_chunks, 16)
    _within("seconds", seconds, 3600)
    checked_word("ports", ports, ("one", "all"))
    forward: Synthesized = "allgather" if collective == "allreduce" else collective
    searched = _walked(CollectiveProblem(forward, where, None, ports, root), most_chunks, seconds)
    if collective == "allreduce":
        searched = _composed(searched)
    return replace(searched, corners=_with_published(searched, root))


def _walked(problem: CollectiveProblem, most_chunks: int, seconds: float) -> PlanFront:
    """What the solver finds, from the fewest steps on."""
    bound = _data_bound(problem)
    collective: Any = problem.collective
    where, ports, root = problem.network, problem.ports, problem.root
    far = _direct(where).far
    steps = max(max(far[x]) for x in ([root] if collective in ROOTED else range(where.size)))
    corners: list[Corner] = []
    refuted: list[tuple[int, int, int]] = []
    undecided: list[tuple[int, int, int]] = []
    idle, end = 0, time.monotonic() + seconds

    def goes_on() -> bool:
        return len(undecided) < _UNDECIDED and time.monotonic() < end

    while (not corners or corners[-1].data > bound) and idle < 2 and goes_on():
        best: Corner | None = None
        for rounds, chunks in _ratios(steps, most_chunks, bound):
            if corners and Fraction(rounds, chunks) >= corners[-1].data:
                break
            if not goes_on():
                break
            asked = (steps, rounds, chunks)
            left = max(_LEAST_SECONDS, (end - time.monotonic()) / _SHARE)
            try:
                plan = synthesize(collective, where, *asked, root=root, ports=ports, seconds=left)
            except TimeoutError:
                undecided.append(asked)
                continue
            if plan is not None:
                best = Corner(*asked, plan)
                break
            refuted.append(asked)
        corners += [] if best is None else [best]
        idle = idle + 1 if best is None and (corners or ports == "all") else 0
        steps += 1
    return PlanFront(
        collective,
        where,
        tuple(corners),
        bound,
        tuple(refuted),
        tuple(undecided),
        most_chunks,
        ports,
        None if time.monotonic() < end else seconds,
    )


def _with_published(searched: PlanFront, root: int) -> tuple[Corner, ...]:
    """The corners, and the published plans that none of them beats in both steps and data."""
    collective: Any = searched.collective
    share = searched.network.size if collective not in ("broadcast", "reduce") else 1
    every = list(searched.corners)
    for rule in algorithms_of(collective):
        try:
            made = collective_of(
                collective, rule, searched.network, ports=searched.ports, root=root
            )
        except InputError:  # a rule that does not cover these ranks
            continue
        data = made.busiest * share
        every.append(Corner(made.start_ups, *data.as_integer_ratio(), made.plan, rule.name))
    every.sort(key=lambda corner: (corner.steps, corner.data, corner.by != "solver"))
    kept: list[Corner] = []
    for corner in every:
        if not kept or corner.data < kept[-1].data:
            kept.append(corner)
    return tuple(kept)


def _summed_and_gathered(gather: Plan) -> Plan:
    """The allreduce that is an allgather backwards and then forwards."""
    return gather.backwards("reduce-scatter", add=True).then(gather, "allreduce")


def _composed(gathers: PlanFront) -> PlanFront:
    """The allreduces that are an allgather backwards and then forwards."""
    where = gathers.network
    corners = []
    for steps, rounds, chunks, plan, _ in gathers.corners:
        assert plan is not None  # a corner has one
        corners.append(Corner(2 * steps, 2 * rounds, chunks, _summed_and_gathered(plan)))
    problem = CollectiveProblem("allreduce", where, ports=gathers.ports)
    bound = collective_bound(problem).data * where.size
    asked = (
        [(2 * s, 2 * r, c) for s, r, c in each] for each in (gathers.refuted, gathers.undecided)
    )
    refuted, undecided = map(tuple, asked)
    return replace(
        gathers,
        collective="allreduce",
        corners=tuple(corners),
        data_bound=bound,
        refuted=refuted,
        undecided=undecided,
    )


class _Direct(NamedTuple):
    """The channels between two ranks, and the fewest of them between every two."""

    wide: dict[tuple[int, int], Fraction]
    far: list[list[int]]


def _direct(network: Network) -> _Direct:
    """The channels whose two ends are ranks, with their bandwidth.

    Raises:
        InputError: ranks that these channels do not join.
    """
    import networkx as nx

    wide = {(u, v): width for u, v, width in direct_wires(network)}
    joined: nx.DiGraph[Any] = nx.DiGraph(list(wide))
    joined.add_nodes_from(range(network.size))
    away = dict(nx.all_pairs_shortest_path_length(joined))
    if any(len(away[x]) < network.size for x in away):
        rule = "must have ranks that are joined by channels between two of them"
        raise InputError("network", rule, network.spec)
    return _Direct(wide, [[away[x][y] for y in range(network.size)] for x in range(network.size)])


def _data_bound(problem: CollectiveProblem) -> Fraction:
    """R / C that no plan is below."""
    network, collective, ports = problem.network, problem.collective, problem.ports
    if network.size == 1:
        return Fraction(0)
    share = 1 if collective in ("broadcast", "reduce") else network.size
    if ports == "one" or network.whole_network is not network:
        return collective_bound(problem).data * share
    if collective != "alltoall":
        return flow_bound(problem)[0] * share
    cut = collective_bound(problem).data * share
    wide = sum((width for *_, width in links_of(network)), Fraction(0))
    return max(cut, sum(map(sum, _direct(network).far)) / wide)


def _ratios(steps: int, most_chunks: int, bound: Fraction) -> Iterator[tuple[int, int]]:
    """R and C by rising R / C from the bound on, each ratio with its smallest C that R >= S allows.

    >>> list(_ratios(2, 2, Fraction(1)))[:3]
    [(2, 2), (3, 2), (2, 1)]
    """
    smallest: dict[Fraction, tuple[int, int]] = {}
    most = max(4 * steps, 2 * ceil(bound))
    for chunks in range(1, most_chunks + 1):
        for rounds in range(steps, most * chunks + 1):
            ratio = Fraction(rounds, chunks)
            if ratio >= bound:
                smallest.setdefault(ratio, (rounds, chunks))
    return iter([smallest[ratio] for ratio in sorted(smallest)])


def _within(name: str, value: float, most: int) -> None:
    if name != "seconds":
        checked_integer(name, value, least=1)
    if not 0 < value <= most:
        raise InputError(name, f"must be at most {most}", value)


def _checked(collective: str, network: Network | str, root: int) -> Network:
    where = as_network(network)
    checked_word("collective", collective, get_args(Synthesized))
    if where.size > _NODES:
        raise SizeLimitError("network", f"must have at most {_NODES} nodes", where.spec)
    if where.first_router:
        raise InputError("network", "must have no routers between nodes", where.spec)
    if not 0 <= checked_integer("root", root) < where.size:
        raise InputError("root", f"must be in 0..{where.size - 1}", root)
    return where


class _Chunk(NamedTuple):
    """What is sent: where it starts, who shall have it, and the block of the plan that it is."""

    owner: int
    goals: frozenset[int]
    block: int


_FORWARD = {
    "reduce-scatter": "allgather",
    "allreduce": "allgather",
    "reduce": "broadcast",
    "gather": "scatter",
}


def _starts(collective: str, p: int, chunks: int, root: int) -> list[_Chunk]:
    """All chunks of an allgather, a broadcast, a scatter or an alltoall."""
    every = frozenset(range(p))
    if collective == "broadcast":
        return [_Chunk(root, every, k) for k in range(chunks)]
    if collective == "scatter":
        blocks = [(root, k // chunks, k) for k in range(p * chunks)]
        return [_Chunk(u, frozenset({v}), k) for u, v, k in blocks if u != v]
    if collective == "allgather":
        return [_Chunk(k // chunks, every, k) for k in range(p * chunks)]
    blocks = [(k // chunks // p, k // chunks % p, k) for k in range(p * p * chunks)]
    return [_Chunk(u, frozenset({v}), k) for u, v, k in blocks if u != v]


def _solved(
    network: Network,
    starts: list[_Chunk],
    asked: tuple[int, int],
    ports: AllOrOne,
    seconds: float,
) -> list[list[tuple[int, int, int]]] | None:
    """For every step the (chunk, from, to) that are sent, or None if it cannot be done."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        rule = 'needs OR-Tools: pip install "lccmodel[search]"'
        raise InputError("synthesis", rule, "not installed") from None
    steps, rounds = asked
    p = network.size
    wide, far = _direct(network)
    sends = len(starts) * len(wide) * steps
    if sends > _MOST:
        raise SizeLimitError("network", f"at most {_MOST} sends are supported", sends)
    model = cp_model.CpModel()
    lasts = [model.new_int_var(1, rounds - steps + 1, f"r{s}") for s in range(steps)]
    model.add(sum(lasts) == rounds)
    into: dict[int, list[tuple[int, int]]] = {v: [] for v in range(p)}
    for link in wide:
        into[link[1]].append(link)
    sent: dict[tuple[int, tuple[int, int], int], Any] = {}
    has: dict[tuple[int, int, int], Any] = {}
    for c, (owner, goals, _) in enumerate(starts):
        for v in range(p):
            has[c, v, 0] = int(v == owner)
        for s in range(steps):
            for link in wide:
                left = min(far[link[1]][goal] for goal in goals)
                late = far[owner][link[0]] > s or link[1] == owner or left > steps - s - 1
                sent[c, link, s] = 0 if late else model.new_bool_var("")
                if not late:
                    model.add(sent[c, link, s] <= has[c, link[0], s])
            for v in range(p):
                came = [sent[c, link, s] for link in into[v]]
                known = v == owner
                has[c, v, s + 1] = 1 if known else model.new_bool_var("")
                if not known:
                    model.add(has[c, v, s + 1] == has[c, v, s] + sum(came))
        for v in range(p):
            if v != owner and v in goals:
                model.add(has[c, v, steps] == 1)
    for s in range(steps):
        for link, width in wide.items():
            scale = width.denominator
            carried = sum(sent[c, link, s] for c in range(len(starts)))
            model.add(carried * scale <= lasts[s] * width.numerator)
    if ports == "one":
        _one_port(model, sent, lasts, list(wide), len(starts))
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    solver.parameters.num_workers = 2
    solver.parameters.random_seed = 1
    status = solver.solve(model)
    if status == cp_model.INFEASIBLE:
        return None
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        raise TimeoutError(f"no result in {seconds:g} seconds")
    messages: list[list[tuple[int, int, int]]] = [[] for _ in range(steps)]
    for (c, (u, v), s), variable in sent.items():
        if not isinstance(variable, int) and solver.boolean_value(variable):
            messages[s].append((c, u, v))
    return messages


def _one_port(
    model: Any,
    sent: dict[tuple[int, tuple[int, int], int], Any],
    lasts: list[Any],
    links: list[tuple[int, int]],
    chunks: int,
) -> None:
    """A rank sends to one rank in a step, and receives from one, through a port of bandwidth 1."""
    for s, last in enumerate(lasts):
        taken = {link: model.new_bool_var("") for link in links}
        for link in links:
            for c in range(chunks):
                model.add(sent[c, link, s] <= taken[link])
        for end in (0, 1):
            for rank in {link[end] for link in links}:
                mine = [link for link in links if link[end] == rank]
                model.add(sum(taken[link] for link in mine) <= 1)
                model.add(sum(sent[c, link, s] for link in mine for c in range(chunks)) <= last)
