"""A plan on a network: what users hold. `allreduce("swing", "torus:8x8")` makes one.

found = collectives.allreduce("swing", "torus:8x8", ports="all")
found.replay()                                   # every rank holds the sum, each part once
found.loads().busiest                            # 69/128 of the vector on the busiest channel
found.time(machine, 2**20)                       # exactly
found.best_segments(machine, 2**20).segments     # into how many segments
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

import numpy.typing as npt

from lccmodel.collectives.algorithms import (
    Algorithm,
    AllOrOne,
    Site,
    slots_of,
    uses_all_ports,
)
from lccmodel.collectives.bounds import (
    CollectiveBound,
    between_nodes,
    collective_bound,
    ports_between,
)
from lccmodel.collectives.catalogue import ALGORITHMS, NESTED, two_level, with_radix
from lccmodel.collectives.loads import PlanLoads
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.collectives.replay import Fault, Kept
from lccmodel.collectives.steps import COLLECTIVES, MOST_LISTED, ROOTED, CollectiveName
from lccmodel.collectives.times import BestSegments, Prices, best_segments, prices_of, time_of
from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.ground.words import checked_word, word_rule
from lccmodel.network import Network, as_network
from lccmodel.pipelining.message_cost import Linear, exact
from lccmodel.placement.placement_result import Placement


@typed_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Collective(Answer, view="collective"):
    """A plan on a network, under a placement and a model of ports.

    Attributes:
        algorithm: the rule.
        plan: who sends which blocks when.
        network: where.
        node_of: the node of every rank; int64 of shape (p,), read-only.
        ports: "one": a rank sends one message at a time and receives one; "all": one on each link.

    >>> plan = allreduce("swing", "torus:8x8", ports="all")
    >>> plan, plan.replay().ok, plan.busiest
    (<Collective allreduce by swing on torus:8x8, ports 'all': 12 steps>, True, Fraction(69, 128))
    """

    algorithm: Algorithm
    plan: Plan
    network: Network
    node_of: Ints
    ports: AllOrOne = "one"

    @cached_property
    def problem(self) -> CollectiveProblem:
        """What the plan is for: plans of equal problems have equal bounds."""
        return CollectiveProblem(
            self.plan.collective, self.network, self.node_of, self.ports, self.plan.root
        )

    @property
    def steps(self) -> int:
        """Steps of the plan."""
        return self.plan.steps

    @property
    def start_ups(self) -> int:
        """Start-ups one after another."""
        return self.loads().start_ups

    @property
    def busiest(self) -> Fraction:
        """Data on the busiest channel or port, summed over steps; a fraction of the vector."""
        return self.loads().busiest

    def replay(self) -> Kept | Fault:
        """Move all blocks: a certificate, or the first rank and block that are wrong."""
        return self.plan.replay()

    def loads(self) -> PlanLoads:
        """Return what channels and ports carry in every step."""
        return self._loads

    @cached_property
    def _loads(self) -> PlanLoads:
        return PlanLoads(self.plan, self.network, self.node_of, self.ports)

    def priced(self, prices: Prices) -> tuple[PlanLoads, Prices]:
        """Return loads and prices for `time_of`, with its own cost if a node holds several ranks.

        >>> from lccmodel.collectives.times import prices_of
        >>> from lccmodel.pipelining import Linear
        >>> prices = prices_of(Linear(10, 1), inside=Linear(1, 1))
        >>> loads, _ = allreduce("hierarchical", "torus:4*2").priced(prices)
        >>> loads.start_ups * loads.part, allreduce("hierarchical", "torus:4*2").start_ups
        (Fraction(31, 5), 8)
        """
        weights = prices.weights if slots_of(self.network) > 1 else (Fraction(1), Fraction(1))
        if set(weights) == {1} or not isinstance(prices.cost, Linear):
            return self.loads(), prices
        kept: dict[Any, PlanLoads] = self.__dict__.setdefault("_priced", {})
        if weights not in kept:
            kept[weights] = replace(self.loads(), inside=weights)
        part = Linear(prices.cost.alpha * kept[weights].part, prices.cost.tau)
        return kept[weights], Prices(part, prices.hop, prices.add)

    def time(
        self,
        machine: Any,
        m: Any,
        segments: int = 1,
        *,
        hop: Any = 0,
        add: Any = 0,
        inside: Linear | None = None,
    ) -> Fraction:
        """Return the time for vectors of m items, exactly.

        Args:
            machine: a `Machine`, a machine file (items are bytes), or a cost.
            m: items in the vector of a rank.
            segments: into how many the data is cut.
            hop: λ, the latency of a channel.
            add: γ, the time to add an item.
            inside: the cost of a message between ranks of one node, if it is another.

        Raises:
            InputError: a value out of range.

        >>> from lccmodel.pipelining import Linear
        >>> allreduce("ring", "torus:8").time(Linear(alpha=10, tau=1), 800)
        Fraction(1540, 1)
        """
        priced = self.priced(prices_of(machine, hop, add, inside))
        return time_of(*priced, exact("m", m), segments)

    def best_segments(
        self, machine: Any, m: Any, *, hop: Any = 0, add: Any = 0, inside: Linear | None = None
    ) -> BestSegments:
        """Return the number of segments of the least time, exactly, and why no other is better.

        Args:
            machine, m, hop, add, inside: as for `time`.

        >>> from lccmodel.pipelining import Linear
        >>> broadcast("chain", "mesh:16").best_segments(Linear(100, 1), 10_000).segments
        37
        """
        return best_segments(*self.priced(prices_of(machine, hop, add, inside)), exact("m", m))

    @cached_property
    def bound(self) -> CollectiveBound:
        """What no algorithm of this collective is below here."""
        return collective_bound(self.problem)

    def lower_bound(
        self, machine: Any, m: Any, *, hop: Any = 0, add: Any = 0, inside: Linear | None = None
    ) -> Fraction:
        """Return a time that no algorithm is below; arguments as for `time`.

        >>> from lccmodel.pipelining import Linear
        >>> plan = allreduce("hierarchical", "torus:4*2")
        >>> plan.lower_bound(Linear(10, 1), 100)
        Fraction(205, 1)
        >>> plan.lower_bound(Linear(10, 1), 100, inside=Linear(1, "1/10"))
        Fraction(105, 1)
        """
        prices, size = prices_of(machine, hop, add, inside), exact("m", m)
        starts, bound = self.weighted_bound(prices)
        data = bound.data
        times = [starts * line.alpha + data * size * line.tau for line in prices.cost.supports]
        return max(times, default=Fraction(0)) + self.bound.hops * prices.hop

    def weighted_bound(self, prices: Prices) -> tuple[Fraction, CollectiveBound]:
        """Return start-ups that no algorithm is below, and the bound on data, and why.

        Where nodes hold several ranks, with the prices inside and between them.

        >>> from lccmodel.collectives.times import prices_of
        >>> from lccmodel.pipelining import Linear
        >>> prices = prices_of(Linear(5, "1/50000"), inside=Linear("1/2", "1/400000"))
        >>> plan = allreduce("hierarchical", "rails:4,8", ports="all")
        >>> plan.weighted_bound(prices)[1].data, plan.bound.data
        (Fraction(31, 144), Fraction(31, 32))
        """
        bound = self.bound
        if slots_of(self.network) == 1 or set(prices.weights) == {1}:
            return Fraction(bound.start_ups), bound
        start, item = (min(Fraction(1), weight) for weight in prices.weights)
        kept: dict[Fraction, CollectiveBound] = self.__dict__.setdefault("_bounds", {})
        if item not in kept:
            kept[item] = collective_bound(self.problem, item)
            others = [(self._between[1], "links between nodes")]
            if not uses_all_ports(self.network, self.ports):
                others.append((ports_between(self.problem, item), "ports of a node"))
            data, by = max(others)
            if data > kept[item].data:
                kept[item] = replace(kept[item], data=data, by=by, cut="")
        starts = max(bound.start_ups * start, Fraction(self._between[0]))
        return starts, kept[item]

    @cached_property
    def _between(self) -> tuple[int, Fraction]:
        """Start-ups and data that must go between nodes; see `bounds.between_nodes`."""
        return between_nodes(self.problem)

    def __repr__(self) -> str:
        what = f"{self.plan.collective} by {self.algorithm.name} on {self.network.spec}"
        return f"<Collective {what}, ports {self.ports!r}: {self.steps} steps>"


# -- made from names ------------------------------------------------------------------------


@typed_arguments
def algorithms_of(collective: str, also: Iterable[Algorithm] = ()) -> tuple[Algorithm, ...]:
    """Return the algorithms of a collective, and those of one's own.

    Raises:
        InputError: no such collective.

    >>> [each.name for each in algorithms_of("barrier")]
    ['dissemination']
    """
    checked_word("collective", collective, COLLECTIVES)
    known = [rule for (kind, _), rule in ALGORITHMS.items() if kind == collective]
    known += [rule for rule in NESTED if rule.collective == collective]
    own = list(also)
    for rule in own:
        if not isinstance(rule, Algorithm):
            raise InputError("also", "must be algorithms, see `own`", rule)
    return (*known, *(rule for rule in own if rule.collective == collective))


def algorithm(collective: str, name: str | Algorithm) -> Algorithm:
    """The algorithm of this name.

    "calmant" is recursive doubling, whose segments are its packets; "bruck-R" has any radix R;
    "hierarchical-A" and "hierarchical-A-B" are A between nodes, and B or a ring inside them.

    Raises:
        InputError: no such collective or algorithm.

    >>> algorithm("alltoall", "bruck-3").on(Site(9, (9,))).steps
    4
    """
    if isinstance(name, Algorithm):
        return name
    known = algorithms_of(collective)
    wanted = "recursive-doubling" if name == "calmant" and collective == "allreduce" else name
    for known_rule in known:
        if known_rule.name == wanted:
            return known_rule
    if nested_rule := two_level(collective, str(name)):  # type: ignore[arg-type]  # checked above
        return nested_rule
    if collective == "alltoall" and (radix := re.fullmatch(r"bruck-(\d{1,6})", str(name))):
        return with_radix(int(radix[1]))
    names = [rule.name for rule in known]
    raise InputError("algorithm", word_rule(name, names), name)


@typed_arguments
def plan(collective: str, name: str | Algorithm, ranks: int, root: int = 0) -> Plan:
    """Return the plan of an algorithm for ranks that lie in a row or ring.

    Raises:
        InputError: no such algorithm, or a p that its rule does not cover.

    >>> plan("allgather", "bruck", 6)
    <Plan of bruck allgather: 6 ranks, 3 steps, 18 messages>
    """
    p = checked_integer("ranks", ranks, least=1)
    if p > MOST_LISTED:
        raise SizeLimitError("ranks", f"must be at most {MOST_LISTED}", p)
    return algorithm(collective, name).on(Site(p, (p,), root=checked_integer("root", root)))


@typed_arguments
def collective_of(
    collective: CollectiveName,
    name: str | Algorithm,
    network: Network | str,
    *,
    node_of: npt.ArrayLike | Placement | None = None,
    ports: AllOrOne = "one",
    root: int = 0,
) -> Collective:
    """Return a collective by an algorithm on a network.

    Args:
        collective: one of `COLLECTIVES`.
        name: of the algorithm, or one of one's own.
        network: a network or its word.
        node_of: the node of every rank, all different, or a `Placement`; rank r on node r, on
            all nodes, if left out.
        ports: "one" or "all".
        root: of a broadcast or reduction.

    Raises:
        InputError: a name that there is not, ranks that the rule does not cover.
        NetworkError: fewer nodes than ranks.

    >>> collective_of("allgather", "ring", "mesh:4x4").steps
    15
    """
    problem = CollectiveProblem(collective, as_network(network), node_of, ports, root)
    return by_rule(problem, algorithm(collective, name))


def by_rule(problem: CollectiveProblem, rule: Algorithm) -> Collective:
    """Return the plan of a rule for a problem; errors as of `collective_of`."""
    checked_word("ports", problem.ports, ("one", "all"))
    nodes, root = problem.nodes, problem.root
    if checked_integer("root", root) and problem.collective not in ROOTED:
        message = f"must be 0: of {problem.collective} every rank has the result"
        raise InputError("root", message, root)
    return Collective(rule, rule.on(problem.site), problem.network, nodes, problem.ports)


class _Maker(Protocol):
    def __call__(
        self,
        name: str | Algorithm,
        network: Network | str,
        *,
        node_of: npt.ArrayLike | Placement | None = None,
        ports: AllOrOne = "one",
        root: int = 0,
    ) -> Collective: ...


def _maker(collective: CollectiveName) -> _Maker:
    def make(name: str | Algorithm, network: Network | str, **options: Any) -> Collective:
        return collective_of(collective, name, network, **options)

    make.__name__ = make.__qualname__ = collective.replace("-", "_")
    make.__doc__ = f"""Return the {collective} by an algorithm on a network; see `collective_of`.

    >>> {make.__name__}({_EXAMPLES[collective]!r}, "cube:3").replay().ok
    True
    """
    return make


_EXAMPLES: dict[CollectiveName, str] = {
    "allreduce": "rabenseifner",
    "reduce-scatter": "recursive-halving",
    "allgather": "recursive-doubling",
    "broadcast": "binomial",
    "reduce": "binomial",
    "alltoall": "exchange",
    "barrier": "dissemination",
    "scatter": "binomial",
    "gather": "binomial",
}

allreduce, reduce_scatter, allgather = map(_maker, COLLECTIVES[:3])
broadcast, reduce, alltoall, barrier, scatter, gather = map(_maker, COLLECTIVES[3:])
