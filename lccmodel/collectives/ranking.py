"""All algorithms of a collective at one size, fastest first; asked again and again by `choice`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from lccmodel.collectives.algorithms import Algorithm, AllOrOne
from lccmodel.collectives.collective import (
    Collective,
    algorithm,
    algorithms_of,
    bound_time,
    collective_of,
)
from lccmodel.collectives.steps import CollectiveName
from lccmodel.collectives.times import (
    BestSegments,
    Line,
    Prices,
    best_segments,
    line_of,
    prices_of,
    time_of,
)
from lccmodel.errors import InputError
from lccmodel.network import Network, as_network
from lccmodel.pipelining.machine import Machine
from lccmodel.views import Viewed


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


@dataclass(frozen=True, eq=False)
class Ranking(Viewed, view="ranking"):
    """All algorithms of a collective at one size, fastest first.

    Attributes:
        prices: of messages.
        m: items in a vector.
        options: every algorithm whose rule covers the ranks.
        lower_bound: no algorithm takes less.

    >>> from lccmodel import collectives
    >>> from lccmodel.pipelining import Linear
    >>> found = collectives.choose("allreduce", Linear(5, "1/1000"), 1024, "torus:8x8")
    >>> found.algorithm, found.segments, found.time
    ('swing-latency', 1, Fraction(4774, 125))
    """

    prices: Prices
    m: Fraction
    options: tuple[Option, ...]
    lower_bound: Fraction

    def __repr__(self) -> str:
        first = f"{self.algorithm} first of {len(self.options)}, Q = {self.segments}"
        return f"<Ranking for {float(self.m):g} items: {first}, time {float(self.time):g}>"

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


class Asked:
    """All algorithms on one network with one cost, and what is known of sizes asked before."""

    def __init__(
        self, all_of: Sequence[Collective], prices: Prices, whole: Collection[str] = ()
    ) -> None:
        """Names in `whole` are never cut into segments."""
        self.all_of, self.prices, self._whole = all_of, prices, whole
        self._at: dict[Fraction, Ranking] = {}

    def at(self, m: Fraction) -> Ranking:
        """All algorithms at a size."""
        if m not in self._at:
            options = [Option(each, self._best(each, m)) for each in self.all_of]
            options.sort(key=lambda option: option.time)
            least = bound_time(self.all_of[0].bound, self.prices, m)
            self._at[m] = Ranking(self.prices, m, tuple(options), least)
        return self._at[m]

    def _best(self, each: Collective, m: Fraction) -> BestSegments:
        if each.algorithm.name in self._whole:
            return BestSegments(1, time_of(each.loads(), self.prices, m), 1, "sent whole")
        return best_segments(each.loads(), self.prices, m)

    def line(self, option: Option) -> Line:
        """T(m) of an algorithm in as many segments as there."""
        return line_of(option.collective.loads(), self.prices, option.segments)


def _collectives(
    collective: CollectiveName,
    network: Network,
    ports: AllOrOne,
    only: Sequence[str],
    also: Iterable[Algorithm],
    options: dict[str, Any],
) -> list[Collective]:
    """The algorithms that cover the ranks; those that are asked for by name must."""
    if only:
        wanted = [algorithm(collective, name) for name in only]
        return [collective_of(collective, a, network, ports=ports, **options) for a in wanted]
    found = []
    for each in algorithms_of(collective, also):
        try:
            found.append(collective_of(collective, each, network, ports=ports, **options))
        except InputError as error:
            if not error.argument.startswith("algorithm "):
                raise
    if not found:
        raise InputError("network", f"no algorithm of {collective} covers it", network.spec)
    return found


@lru_cache(maxsize=32)
def _known(
    collective: CollectiveName, network: Network, ports: AllOrOne, root: int
) -> tuple[Collective, ...]:
    return tuple(_collectives(collective, network, ports, (), (), {"root": root}))


def asked_of(
    collective: CollectiveName,
    machine: Any,
    network: Network | str | None,
    ports: AllOrOne | None,
    only: Sequence[str],
    also: Iterable[Algorithm],
    hop: Any,
    add: Any,
    options: dict[str, Any],
) -> Asked:
    """All algorithms that are asked for, where the machine or the caller says; see `choose`."""
    algorithms_of(collective)  # a name that there is not is said first
    if isinstance(machine, Machine):
        where: Network = machine.mesh if network is None else as_network(network)
        chosen = machine.ports if ports is None else ports
    elif network is None:
        raise InputError("network", "must be stated, unless the machine has one", network)
    else:
        where, chosen = as_network(network), ports or "one"
    prices = prices_of(machine, hop, add)
    also = tuple(also)
    if not only and not also and set(options) <= {"root"}:
        return Asked(_known(collective, where, chosen, options.get("root", 0)), prices)
    return Asked(_collectives(collective, where, chosen, only, also, options), prices)
