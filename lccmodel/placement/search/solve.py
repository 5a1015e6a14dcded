"""`place`: where to run the ranks of a program on a network, the one door to all solvers.

    over           what is looked at               how
    "orders"       orders of the address bits      formulas and subset programmes [hou, Theorem 6]
    "linear"       nonsingular linear maps         [hou, Section 7] for one communication, else by
                                                   a search over exchanges and additions of bits
    "placements"   every placement                 an embedding if there is one; a search from
                                                   what `placement.starts` offers, the quickest
                                                   first; small networks exactly

Every answer has a lower bound that holds for every placement (`placement.bounds`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import inf
from threading import Thread
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from lccmodel.communication.grids import ProcessGrid
from lccmodel.communication.program import Program
from lccmodel.errors import InputError, NetworkError, SizeLimitError, checked_array, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.numbers import Number, as_fraction, as_number, number_text
from lccmodel.ground.words import checked_word
from lccmodel.kernels.jit import Clock, OutOfTimeError
from lccmodel.network import Network
from lccmodel.placement.mapping import optimal_linear_mapping, optimal_orders, optimal_reordering
from lccmodel.placement.objectives import PlacementObjective, loads_and_share
from lccmodel.placement.placement_result import (
    Over,
    Placement,
    is_linear_complement,
    usual_over,
)
from lccmodel.placement.ports import is_port_fixed, port_volume
from lccmodel.placement.present import present_nodes
from lccmodel.placement.search.assignment_bounds import MOST_SETTLED, least_total, matrices
from lccmodel.placement.search.bounds import Bound, lower_bound, quick_bound
from lccmodel.placement.search.exact import settle
from lccmodel.placement.search.initial_placements import Starts
from lccmodel.placement.search.orders import (
    Renaming,
    best_linear_map,
    best_order_of_bits,
    rank_bound,
)
from lccmodel.placement.search.problem import (
    Candidate,
    Demand,
    demand_of,
    judged,
    notes_of,
    use_of,
    weights_of,
)
from lccmodel.placement.search.routes import ROUNDED_COST, Routes
from lccmodel.placement.search.search_budget import (
    GRACE,
    Effort,
    Offer,
    Search,
    moves_a_second,
)
from lccmodel.problem import Problem
from lccmodel.reading.recognise import hosts_of

MAX_NODES = 1 << 18
"""Most nodes: the loads of some millions of channels are kept."""

_PRESENT = "the present placement"
"""What finds the placement that was stated as `now`."""
PORT_REASON = "the port of the host that sends or receives most"

_TINY_PLACES = 8
"""Networks of so few places are settled before a search is started: it takes milliseconds."""

_SETTLED_PLACES = 16
"""Largest network that is searched exhaustively."""

_QUICK_STAGES = 4
"""Stages that find a good start for volume times distance: its proof then takes seconds at most."""


@typed_arguments
def place(
    program: Any,
    network: Network | str | None = None,
    objective: PlacementObjective = "max-max",
    over: Over | None = None,
    *,
    weights: Sequence[Number] | None = None,
    seed: int = 0,
    seconds: float = 10.0,
    moves: int | None = None,
    executor: Executor | None = None,
    starts: Sequence[Any] | Mapping[str, Any] = (),
    coordinates: Any = None,
    nodes: Any = None,
    now: Any = None,
    hosts: Any = None,
    progress: Callable[[str], None] | None = None,
    count: bool = False,
    ports: Number | None = None,
) -> Placement:
    """Return the best place for every rank of a program: by matrix ranks, by counts or by a search.

    Matrix ranks answer on a hypercube or Origin of any size, if every phase is y = Ax + b: all
    orders of address bits, and linear maps for one phase and "max-max". The other cases are
    counted and searched; `seed`, `seconds` and their like are for those.

    Args:
        program: anything `Program.of` takes: traffic, an `LCC`, pairs, a file that was read, a
            function of the rank (of every node), ...; words, file names; a `Problem`.
        network: a network, or its word; at least as many nodes as ranks. Left out, that of the
            problem or the file, else the hypercube of the size.
        objective: "max-max", the worst phase; "max-sum", the worst dimension with all phases
            added up; "sum-sum", all dimensions and phases added up; "joint", the busiest channel
            when all phases run at once, counted exactly ("max-sum" only bounds it); "distance",
            volume times channels (hop-bytes); `Mixture(S)` with 0 < S < 1, S times joint times
            the number of channels plus 1 - S times distance. The last two are for placements.
        over: among what the answer is the best: "orders", "linear" or "placements"; left out,
            orders of the address bits on a cube or Origin where the messages of every phase
            extend to y = Ax + b, else placements.
        weights: a positive number a phase, instead of the phases' own.
        seed: of the search; the same seed gives the same answer.
        seconds: how long to search, in seconds of one core of 2026. It is turned into a number
            of moves beforehand, so that the answer does not depend on the machine, unless the
            clock cuts the search ten seconds later: with one worker, seconds of its processor time.
            Reading, the bound, and the loads of the answer take more: in proportion to messages.
            More time never gives a worse answer.
        moves: how many moves to search, in place of `seconds`: then no clock cuts it, and the
            answer follows from the seed and the moves alone.
        executor: where restarts run, such as `concurrent.futures.ProcessPoolExecutor(8)` or
            `distributed.Client(address).get_executor()`; here, one by one, if left out.
        starts: further placements to start from, arrays of shape (ranks,); or these by names,
            which `found` then says.
        coordinates: where every rank works in the program's own space, numbers of shape (ranks,
            axes), such as the indices of its block; what is near there is placed near. Where the
            messages are those of a grid, it is recognised without.
        nodes: of the network, those that the job gets, if not all: numbers, a text such as
            "3-17,44" or "node[01-04]", or a file of them (`lccmodel.network.as_network`).
        now: the present placement: the node of every rank, or a file that reports their hosts
            (`placement.present.present_nodes`). The search starts from it, and the answer is it
            where nothing better is found; then no rank moves. Among placements only.
        hosts: with `now`, the hosts of a network without names, in the order of its nodes: a file
            or a list such as "a:4,b:4".
        progress: called with a line about every restart.
        count: whether the optimal orders are counted (`Placement.optimal_orders`), if matrix ranks
            answer over orders.
        ports: bandwidth of a host's port, a positive number, instead of the network's own
            (`Network.host_bandwidth`). If there is one, the objective is the larger of the busiest
            channel and the load of the busiest port (`lccmodel.placement.ports`). A placement that
            reaches the port's part is optimal; the search goes on to lower the busiest channel.

    Returns: a `Placement`. Ctrl-C during the search leaves the best found so far.

    Raises:
        NetworkError: `network` is not a network, or has fewer nodes than the program has ranks.
        SizeLimitError: more than 2^18 nodes, unless matrix ranks answer.
        CommunicationError: `program` is not a program.
        InputError: an unknown objective or `over`, bad weights, seed, seconds, moves, starts or
            coordinates, or orders to count that matrix ranks do not answer for.

    >>> ring = [(x, (x + 6) % 16) for x in range(16)]
    >>> m = place(ring, "torus:4x4", over="placements")
    >>> m.before.value, m.after.value, m.optimal
    (2, 1, True)
    >>> m.proof
    'meets the lower bound 1 of all placements (the largest message crosses a channel whole)'
    """
    problem = Problem.read(program, network, nodes)
    whole, target = problem.program, problem.network
    kind, share = loads_and_share(objective)
    name = str(objective)
    if over is None:
        over = usual_over(problem) if share == 1 and now is None else "placements"
    if now is not None and over != "placements":
        raise InputError("over", "must be placements with a present placement", over)
    if now is None and hosts is not None:
        raise InputError("hosts", "is required with a present placement (now)", hosts)
    if share != 1 and over != "placements":
        raise InputError("over", "must be placements for distance and mixtures", over)
    bandwidth = _checked_bandwidth(ports, share, target)
    ranked = is_linear_complement(problem)
    if ranked and over == "orders" and kind != "joint":
        answer = _with_ports(optimal_reordering(problem, None, kind, weights), bandwidth)
        if not count:
            return answer
        orders = optimal_orders(problem, None, kind, weights)
        return replace(answer, optimal_orders=orders.count())
    if count:
        rule = (
            "counts orders of address bits for max-max, max-sum and sum-sum, on a cube or Origin "
            "where every phase is y = Ax + b"
        )
        raise InputError("count", rule, f"{objective} over {over} on {target.spec}")
    if ranked and over == "linear" and objective == "max-max" and len(whole) == 1 and not weights:
        return _with_ports(optimal_linear_mapping(problem), bandwidth)
    _check(whole, target, over, seconds)
    routes = Routes.of(target)
    demand = demand_of(whole, name, weights, routes)
    if demand.rounded is not None and routes.cost.max(initial=1) > ROUNDED_COST:
        routes = Routes.of(target, ROUNDED_COST)  # leaves more room for the volumes
        demand = demand_of(whole, name, weights, routes)
    natural = judged(demand, routes, np.arange(whole.ranks), "natural numbering")
    clock = Clock(seconds + GRACE, alone=executor is None)
    if moves is not None:
        asked = checked_integer("moves", moves)
        seconds, clock = asked / moves_a_second(demand, routes), Clock(inf)
    effort = Effort(
        seconds, checked_integer("seed", seed), executor, progress or (lambda line: None), clock
    )
    own_starts = _stated_starts(starts, whole.ranks, routes.places)
    present: Candidate | None = None
    now_notes: tuple[str, ...] = ()
    if now is not None:
        listed = None if hosts is None else hosts_of(hosts).value
        now_nodes, now_notes = present_nodes(now, target, whole.ranks, listed)
        present = judged(demand, routes, now_nodes, _PRESENT)
        own_starts = [(_PRESENT, now_nodes), *own_starts]
    where = _checked_coordinates(_told(problem, coordinates), whole.ranks)
    solver = _Solver(whole, target, demand, routes, effort, natural, weights, own_starts, where)
    best, proof, order = {
        "orders": solver.orders,
        "linear": solver.linear,
        "placements": solver.placements,
    }[over]()
    with suppress(KeyboardInterrupt):  # the answer is there, only its bound would be better
        if best.value > solver.bound.value and not solver.stopped:
            solver.bound = solver.full_bound
    if present is not None and present.value <= best.value:
        best, order = present, None
    bound = solver.bound
    if best.value == bound.value:
        met = number_text(demand.number(bound.value))
        proof = f"meets the lower bound {met} of all placements ({bound.reason})"
    known, reason = demand.number(bound.value), bound.reason
    least = rank_bound(problem, name, solver.weights) if over == "orders" else 0
    if least > known:
        known, reason = least, ""  # of orders alone
    rounding = notes_of(demand, routes)
    answer = Placement(
        problem=problem,
        objective=name,
        over=over,
        weights=tuple(map(as_number, solver.weights)),
        before=use_of(problem, demand, routes, natural.node_of, weights),
        after=use_of(problem, demand, routes, best.node_of, weights),
        lower_bound=known,
        bound=reason,
        proof=_rounded(proof, rounding),
        order=order,
        nodes=best.node_of,
        found=best.found,
        stopped=solver.stopped,
        rounding=rounding,
        now=None if present is None else use_of(problem, demand, routes, present.node_of, weights),
        now_nodes=None if present is None else present.node_of,
        now_notes=now_notes,
    )
    return _with_ports(answer, bandwidth)


def _rounded(proof: str, rounding: Sequence[str]) -> str:
    """A proof, which states that it is of rounded numbers if some were rounded."""
    return f"{proof}, for the rounded numbers" if proof and rounding else proof


def _checked_bandwidth(ports: Number | None, share: Fraction, network: Network) -> Fraction | None:
    """The bandwidth of a port that the objective counts: as stated here, or by the network.

    Raises:
        InputError: not a positive number, or an objective that has no busiest channel alone.
    """
    if ports is None:
        return network.host_bandwidth if share == 1 else None
    if share != 1:
        rule = "must be omitted for distance and mixtures, which have no busiest port"
        raise InputError("ports", rule, ports)
    try:
        bandwidth = as_fraction(ports)
    except (TypeError, ValueError):
        bandwidth = Fraction(0)
    if isinstance(ports, bool) or bandwidth <= 0:
        raise InputError("ports", "must be a positive number, the bandwidth of a port", ports)
    return bandwidth


def _with_ports(placement: Placement, bandwidth: Fraction | None) -> Placement:
    """Count the busiest port in the objective, in its bound and in its proof."""
    if bandwidth is None or placement.ports is None:
        return placement
    before, after = (as_fraction(volume) / bandwidth for volume in placement.ports)
    old = max(as_fraction(placement.before.value), before)
    new = max(as_fraction(placement.after.value), after)
    least, reason, proof = as_fraction(placement.lower_bound), placement.bound, placement.proof
    if is_port_fixed(placement.network) and after > least:
        least, reason, proof = after, PORT_REASON, ""
    if new == least:
        proof = f"meets the lower bound {number_text(least)} of all placements ({reason})"
        proof = _rounded(proof, placement.rounding)
    elif new > as_fraction(placement.after.value):
        proof = ""  # of the channels alone
    now = placement.now
    if now is not None:
        at_port = port_volume(
            placement.program, placement.network, placement.now_nodes,
            loads_and_share(placement.objective)[0], placement.weights,
        )  # fmt: skip
        through = as_fraction(at_port) / bandwidth
        now = replace(now, value=as_number(max(as_fraction(now.value), through)))
    return replace(
        placement,
        now=now,
        before=replace(placement.before, value=as_number(old)),
        after=replace(placement.after, value=as_number(new)),
        lower_bound=as_number(least),
        bound=reason,
        proof=proof,
        port_bandwidth=as_number(bandwidth),
        of_channels=placement,
    )


def _told(problem: Problem, coordinates: Any) -> Any:
    """The coordinates that are stated, or those of the process grid that was asked for alone."""
    words = {entry.origin for entry in problem.origin}
    if coordinates is not None or len(words) != 1 or not problem.origin[0].grid:
        return coordinates
    return ProcessGrid(problem.origin[0].grid).coordinates()


class _Solver:
    """One call of `place`, once its arguments are checked."""

    def __init__(
        self,
        program: Program,
        network: Network,
        demand: Demand,
        routes: Routes,
        effort: Effort,
        natural: Candidate,
        weights: Sequence[Number] | None,
        starts: Sequence[tuple[str, Ints]],
        coordinates: npt.NDArray[np.float64] | None,
    ) -> None:
        self.program, self.network = program, network
        self.demand, self.routes = demand, routes
        self.effort, self.natural = effort, natural
        self.weights = weights_of(program, weights)
        self.starts, self.coordinates = starts, coordinates
        self.bound = quick_bound(demand, routes)
        self.stopped = ""

    @cached_property
    def full_bound(self) -> Bound:
        """The best lower bound, by eigenvalues and linear programs that end within the grace.

        In a thread of its own: Ctrl-C is not seen in the middle of an eigenvalue. A daemon, or the
        process that has its answer would still wait for the thread when it ends.
        """
        bounds: list[Bound] = []

        def look() -> None:
            bounds.append(lower_bound(self.demand, self.routes, arguments="eigenvalues"))
            bounds.append(lower_bound(self.demand, self.routes))

        self.bound = lower_bound(self.demand, self.routes, arguments="counting")
        thread, left = Thread(target=look, daemon=True), self.effort.clock.left
        thread.start()
        thread.join(None if left == inf else max(0.0, left) / 2)
        return bounds[-1] if bounds else self.bound

    def orders(self) -> tuple[Candidate, str, tuple[int, ...] | None]:
        """The best order of address bits."""
        self.bound = lower_bound(self.demand, self.routes, arguments="counting")
        renaming = best_order_of_bits(
            self.program, self.network, self.demand, self.routes, self.weights
        )
        if renaming is None:
            rule = "orders of bits need a network with 2^n nodes; use over='placements'"
            raise NetworkError("network", rule, self.network.spec)
        return self._or_natural(renaming)

    def linear(self) -> tuple[Candidate, str, tuple[int, ...] | None]:
        """The best linear map."""
        self.bound = lower_bound(self.demand, self.routes, arguments="counting")
        order = best_order_of_bits(
            self.program, self.network, self.demand, self.routes, self.weights
        )
        if order is None:
            rule = "linear maps need a network with 2^n nodes; use over='placements'"
            raise NetworkError("network", rule, self.network.spec)
        renaming = best_linear_map(
            self.program, self.network, self.demand, self.routes, order, self.bound.value
        )
        return self._or_natural(renaming)

    def _or_natural(self, renaming: Renaming) -> tuple[Candidate, str, tuple[int, ...] | None]:
        """Natural numbering where nothing is gained: the identity is an order and a linear map."""
        best = judged(self.demand, self.routes, renaming.node_of, renaming.how)
        if (self.natural.value, self.natural.distance) <= (best.value, best.distance):
            return self.natural, renaming.proof, tuple(range(self.network.n))
        return best, renaming.proof, renaming.order

    def placements(self) -> tuple[Candidate, str, tuple[int, ...] | None]:
        """The best placement that is found, and whether all others are excluded."""
        if self.natural.value <= self.bound.value:
            return self.natural, "", None
        more = Starts(
            self.program, self.network, self.demand, self.routes, self.weights, self.coordinates,
            self.effort.seed,
        )  # fmt: skip
        stated = Offer(0.0, lambda: self.starts, always=True)
        search = Search(
            self.demand, self.routes, self.natural, self.effort, (stated, *more.offers())
        )
        proof, stopped = "", ""
        try:
            proof = self._searched(search)
        except KeyboardInterrupt:
            stopped = "interrupted"
        except OutOfTimeError:
            stopped = "cut by the clock"
        self.stopped = stopped
        return search.best, proof, None

    def _searched(self, search: Search) -> str:
        """Starts, a search from them, and for small networks all that is left: the proof."""
        if _is_alike(self.demand, self.routes):
            return "every two ranks exchange the same, so that all placements are alike"
        search.take_offers(self.bound.value)
        if search.best.value > self.bound.value:
            self.bound = self.full_bound
        known = self._flow_and_apart
        if known is not None:
            search.improve(self.bound.value, _QUICK_STAGES)
        if known is not None or self.routes.places <= _TINY_PLACES:
            proof = self._settled(search)
            if proof:
                return proof
        if known is not None:  # the other half of the time went to branch and bound
            search.effort = replace(self.effort, seconds=self.effort.seconds / 2)
        search.improve(self.bound.value)
        return self._settled(search) if known is None else ""

    @cached_property
    def _flow_and_apart(self) -> tuple[Ints, Ints] | None:
        """Matrices of a quadratic assignment that is small enough to be solved, or None."""
        aim = self.demand.aim
        if aim.peak or not aim.hops or self.routes.places > MOST_SETTLED:
            return None
        return matrices(self.demand.merged, self.routes)

    def _settled(self, search: Search) -> str:
        """An exhaustive search where that is possible, or where all placements are alike."""
        if self.routes.places > _SETTLED_PLACES or search.best.value <= self.bound.value:
            return ""
        if self._flow_and_apart is not None:
            return self._least_distance(search, *self._flow_and_apart)
        limit = int(self.effort.seconds * 200_000) + 100_000

        def between(best: Ints) -> None:
            search.look_at(best, "branch and bound")
            self.effort.clock.check()

        start = search.best.node_of
        outcome = settle(self.demand, self.routes, start, self.bound.value, limit, between)
        return self._exhaustive(outcome.visited) if outcome.complete else ""

    def _least_distance(self, search: Search, flow: Ints, apart: Ints) -> str:
        """An exhaustive search for the least volume times distance."""
        ranks, start = self.demand.ranks, search.best.node_of

        def between(best: Ints) -> None:
            search.look_at(best[:ranks], "branch and bound")
            self.effort.clock.check()

        start = np.concatenate([start, np.setdiff1d(np.arange(self.routes.places), start)])
        least = least_total(flow, apart, start, int(self.effort.seconds * 80_000) + 20_000, between)
        return self._exhaustive(least.visited) if least.complete else ""

    def _exhaustive(self, visited: int) -> str:
        least = self.demand.number(self.bound.value)
        return (
            f"branch and bound over all placements is exhaustive ({visited:,} partial "
            f"placements); above the lower bound {number_text(least)} of all placements"
        )


def _is_alike(demand: Demand, routes: Routes) -> bool:
    """Whether every two ranks exchange the same in every phase and no place stays free."""
    n = demand.ranks
    if n != routes.places or len(demand.source) != demand.rows * n * (n - 1):
        return False
    return all(len(np.unique(demand.volume[demand.row == p])) == 1 for p in range(demand.rows))


# -- checks -----------------------------------------------------------------------------------


def _check(program: Program, network: Network, over: Over, seconds: float) -> None:
    if program.ranks > network.size:
        rule = f"must have at least {program.ranks} nodes, one for every rank"
        raise NetworkError("network", rule, network.spec)
    if network.size > MAX_NODES:
        rule = f"must have at most {MAX_NODES} nodes; optimal_reordering takes larger cubes"
        raise SizeLimitError("network", rule, network.spec)
    checked_word("over", over, get_args(Over))
    if not isinstance(seconds, (int, float)) or not 0 <= seconds <= 1e6:
        raise InputError("seconds", "must be a number from 0 to 1,000,000", seconds)


def _stated_starts(
    starts: Sequence[Any] | Mapping[str, Any], ranks: int, places: int
) -> list[tuple[str, Ints]]:
    """Starts that were stated, with names.

    Raises:
        InputError: as `_checked_start`.
    """
    if not isinstance(starts, Mapping):
        starts = {f"a given start{f' ({k})' if k else ''}": s for k, s in enumerate(starts)}
    return [(name, _checked_start(start, ranks, places)) for name, start in starts.items()]


def _checked_start(start: Any, ranks: int, places: int) -> Ints:
    """The node of every rank, int64.

    Raises:
        InputError: not a different node for every rank.
    """
    array = checked_array("starts", start)
    if (
        array.shape != (ranks,)
        or len(np.unique(array)) != ranks
        or array.min() < 0
        or array.max() >= places
    ):
        rule = f"must be {ranks} different nodes in 0..{places - 1}, one a rank"
        raise InputError("starts", rule, start)
    return array


def _checked_coordinates(coordinates: Any, ranks: int) -> npt.NDArray[np.float64] | None:
    """Coordinates of every rank, float64 of shape (ranks, axes); None stays None.

    Raises:
        InputError: not finite numbers, or not a row for every rank.
    """
    if coordinates is None:
        return None
    rule = f"must be finite numbers of shape ({ranks}, axes), a row for every rank"
    try:
        array = np.asarray(coordinates, np.float64)
    except (TypeError, ValueError):
        raise InputError("coordinates", rule, coordinates) from None
    array = array.reshape(-1, 1) if array.ndim == 1 else array
    if array.ndim != 2 or len(array) != ranks or not array.shape[1]:
        raise InputError("coordinates", rule, array.shape)
    if not np.isfinite(array).all():
        raise InputError("coordinates", rule, array[~np.isfinite(array).all(axis=1)][0].tolist())
    return array


def best_placement(
    problem: Problem,
    objective: PlacementObjective = "max-max",
    over: Over | None = None,
    weights: Sequence[Number] | None = None,
    *,
    count: bool = False,
    **search: Any,
) -> Placement:
    """`place`, as it was called for a `Problem` until 0.4."""
    return place(problem, None, objective, over, weights=weights, count=count, **search)
