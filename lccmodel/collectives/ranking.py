"""A problem with prices, and all algorithms at one size, fastest first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from lccmodel.collectives.algorithms import Algorithm, AllOrOne
from lccmodel.collectives.collective import Collective, algorithm, algorithms_of, by_rule
from lccmodel.collectives.loads import PlanLoads
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.collectives.steps import CollectiveName
from lccmodel.collectives.times import (
    BestSegments,
    Line,
    Prices,
    best_segments,
    least_of_more,
    least_slope,
    line_of,
    prices_of,
    time_of,
    turns_of,
)
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.ground.views import Answer
from lccmodel.network import Network, as_network
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Cost, Linear, exact


@dataclass(frozen=True, eq=False, kw_only=True)
class PricedProblem(CollectiveProblem):
    """A problem at the prices of a machine, and the algorithms that are compared.

    `choose`, `envelope`, `rules_file` and `default_costs` make one of their arguments.

    Attributes:
        prices: of messages.
        only: names of algorithms; all whose rule covers the ranks if there are none.
        also: algorithms of one's own.
        progress: is called with a text when another algorithm is counted.
    """

    prices: Prices
    only: tuple[str, ...] = ()
    also: tuple[Algorithm, ...] = ()
    progress: Callable[[str], None] | None = None

    @classmethod
    def of(
        cls,
        collective: CollectiveName,
        machine: Any,
        network: Network | str | None = None,
        ports: AllOrOne | None = None,
        *,
        hop: Any = 0,
        add: Any = 0,
        inside: Linear | None = None,
        only: Sequence[str] = (),
        also: Iterable[Algorithm] = (),
        **options: Any,
    ) -> PricedProblem:
        """That of the arguments of `choose`: a machine may name its network and ports.

        >>> PricedProblem.of("allreduce", Machine("8x8", alpha=5, tau=1)).network.spec
        'mesh:8x8'
        """
        algorithms_of(collective)  # a name that there is not is said first
        if isinstance(machine, Machine):
            where: Network = machine.mesh if network is None else as_network(network)
            chosen = machine.ports if ports is None else ports
        elif network is None:
            raise InputError("network", "is required, unless the machine has one", network)
        else:
            where, chosen = as_network(network), ports or "one"
        prices = prices_of(machine, hop, add, inside)
        names, own = tuple(only), tuple(also)
        return cls(collective, where, ports=chosen, prices=prices, only=names, also=own, **options)

    def plans_of(self, rules: Iterable[Algorithm]) -> list[Collective]:
        """The plans here of rules that cover the ranks; those that are asked for by name must."""
        plans = []
        for rule in rules:
            try:
                plans.append(by_rule(self, rule))
            except InputError as error:
                if self.only or not error.argument.startswith("algorithm "):
                    raise
        return plans

    def collectives(self) -> Sequence[Collective]:
        """The plans of all algorithms that are asked for.

        Raises:
            SizeLimitError: more than 2^17 ranks, without an algorithm that is asked for by name.
        """
        if self.only:
            return self.plans_of(algorithm(self.collective, name) for name in self.only)
        if self.ranks > _MOST_RANKS:
            rule = f"must have at most {_MOST_RANKS} ranks for all algorithms; name one algorithm"
            raise SizeLimitError("network", rule, self.network.spec)
        if self.also or self.node_of is not None:
            return self.plans_of(algorithms_of(self.collective, self.also))
        return _known(self.collective, self.network, self.ports, self.root)


_MOST_RANKS = 1 << 17
"""The most ranks for which the plans of all algorithms are made: half a minute."""


@lru_cache(maxsize=32)
def _known(
    collective: CollectiveName, network: Network, ports: AllOrOne, root: int
) -> Sequence[Collective]:
    """Plans have no prices, so other prices find them here."""
    free = prices_of(Linear(1, 1))
    problem = PricedProblem(collective, network, ports=ports, root=root, prices=free)
    return problem.plans_of(algorithms_of(collective))


_NEAR = 256
"""Ranges of this part of a size, with the same best at both ends, are not looked into."""

_NEAR_IF_FALLING = 12
"""The same if a longer message may cost less: no bound covers a range then, so every range down to
this part is halved, and each halving ranks all algorithms once more."""

_FEW = 4
"""Segments up to which times are compared one by one."""


class Option(NamedTuple):
    """An algorithm at one size: its best segments and time."""

    collective: Collective
    best: BestSegments

    @property
    def name(self) -> str:
        """The algorithm."""
        return self.collective.algorithm.name

    @property
    def time(self) -> Fraction:
        """The time."""
        return self.best.time

    @property
    def segments(self) -> int:
        """The best number of segments."""
        return self.best.segments


def sizes_of(low: Any, high: Any) -> tuple[Fraction, Fraction]:
    """The ends of a range of sizes.

    Raises:
        InputError: no sizes, or a range upside down.
    """
    start, end = exact("low", low), exact("high", high)
    if start > end:
        raise InputError(
            "low, high", "the first must not exceed the second", (str(start), str(end))
        )
    return start, end


@dataclass(frozen=True, eq=False)
class Ranking(Answer, view="ranking"):
    """All algorithms of a collective at one size, fastest first.

    Attributes:
        prices: of messages.
        m: items in a vector.
        options: every algorithm whose rule covers the ranks.
        lower_bound: no algorithm takes less.

    >>> from lccmodel import collectives
    >>> from lccmodel.pipelining import Linear
    >>> choice = collectives.choose("allreduce", Linear(5, "1/1000"), 1024, "torus:8x8")
    >>> choice.algorithm, choice.segments, choice.time
    ('swing-latency', 1, Fraction(4774, 125))
    """

    prices: Prices
    m: Fraction
    options: tuple[Option, ...]
    lower_bound: Fraction

    def __repr__(self) -> str:
        first = f"{self.algorithm} first of {len(self.options)}, Q = {self.segments}"
        return f"<Ranking for {float(self.m):,.10g} items: {first}, time {float(self.time):,.6g}>"

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of its plans."""
        return self.collective.notes

    @property
    def algorithm(self) -> str:
        """The fastest; of equals the one that the catalogue names first."""
        return self.options[0].name

    @property
    def segments(self) -> int:
        """Its segments."""
        return self.options[0].segments

    @property
    def time(self) -> Fraction:
        """Its time."""
        return self.options[0].time

    @property
    def collective(self) -> Collective:
        """Its plan on the network."""
        return self.options[0].collective


class RankingCache:
    """All algorithms of a problem, ranked at each size once."""

    def __init__(
        self,
        problem: PricedProblem,
        all_of: Sequence[Collective] = (),
        whole: Collection[str] = (),
    ) -> None:
        """Of the plans in `all_of`, if there are any; names in `whole` are never cut."""
        self.problem, self.prices, self._whole = problem, problem.prices, whole
        self.all_of = all_of or problem.collectives()
        self._at: dict[Fraction, Ranking] = {}
        self._alike: dict[tuple[PlanLoads, PlanLoads], bool] = {}

    def at(self, m: Fraction) -> Ranking:
        """All algorithms at a size."""
        if m not in self._at:
            options = []
            for k, collective in enumerate(self.all_of):
                if self.problem.progress is not None:
                    done = f"{k + 1} of {len(self.all_of)}, {float(m):,.0f} items"
                    self.problem.progress(f"counting {collective.algorithm.name}: {done}")
                options.append(Option(collective, self._best(collective, m)))
            options.sort(key=lambda option: option.time)
            least = self.all_of[0].lower_bound(self.prices, m)
            self._at[m] = Ranking(self.prices, m, tuple(options), least)
        return self._at[m]

    def _best(self, collective: Collective, m: Fraction) -> BestSegments:
        if collective.algorithm.name in self._whole:
            return BestSegments(1, time_of(*collective.priced(self.prices), m), 1, "sent whole")
        return best_segments(*collective.priced(self.prices), m)

    def line(self, option: Option) -> Line:
        """T(m) of an algorithm in as many segments as there."""
        return line_of(*option.collective.priced(self.prices), option.segments)

    def stays(self, low: Fraction, high: Fraction) -> bool:
        """Whether the fastest at `low`, in as many segments, is known to be so for whole m to high.

        In few segments T is straight between sizes at which a step goes to another piece of the
        cost, so it is compared there. In more it grows at least as the busiest channel's data with
        the least tau, if no longer message costs less.
        """
        falls = _falls(self.prices.cost)
        if falls or (high - low) * _NEAR <= low:
            return (high - low) * _NEAR_IF_FALLING <= low
        first, *others = self.at(low).options
        own, numbers = first.collective.loads(), {c: k for k, c in enumerate(self.all_of)}
        turns = {low, high, *turns_of(own, self.prices, first.segments, low, high)}
        known: dict[Fraction, Fraction] = {}

        def best(m: Fraction) -> Fraction:
            if m not in known:
                known[m] = time_of(own, self.prices, m, first.segments)
            return known[m]

        for other in others:
            loads = other.collective.loads()
            if other.time == first.time and self.are_twins(own, loads):
                continue
            before = numbers[other.collective] < numbers[first.collective]
            few = 1
            if self._cuts(other.collective):
                few = _FEW
                start, slope = other.time, least_slope(loads, self.prices, high)
                if other.segments <= few:
                    start = max(start, least_of_more(loads, self.prices, low, few))
                gaps = [start + slope * (m - low) - best(m) for m in turns]
                if min(gaps) < 0 or (before and 0 in gaps):
                    return False
            for Q in range(1, few + 1):
                for m in turns.union(turns_of(loads, self.prices, Q, low, high)):
                    gap = time_of(loads, self.prices, m, Q) - best(m)
                    if gap < 0 or (before and gap == 0):
                        return False
        return True

    def are_twins(self, first: PlanLoads, other: PlanLoads) -> bool:
        """Whether two plans take the same time, whatever the size and the segments."""
        key = (first, other)
        if key not in self._alike:
            upto = range(1, max(1, first.depth) + 1) if first.segmentable else (1,)
            same = first.grain == other.grain and first.depth == other.depth
            same = same and first.is_paced == other.is_paced
            self._alike[key] = same and all(first.costs(Q) == other.costs(Q) for Q in upto)
        return self._alike[key]

    def _cuts(self, collective: Collective) -> bool:
        """Whether segments are tried for it."""
        return collective.algorithm.name not in self._whole and collective.loads().segmentable


def _falls(cost: Cost) -> bool:
    """Whether a longer message may cost less."""
    return any(
        after.alpha + (here.up_to or 0) * after.tau < here.alpha + (here.up_to or 0) * here.tau
        for here, after in pairwise(cost.pieces)
    )
