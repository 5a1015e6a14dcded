"""Which algorithm, in how many segments, for which sizes; crossovers are exact numbers.

With a cost α + L τ the time of an algorithm in Q segments is a line in m, so the least of all is
concave, and what is best between two sizes is found from the lines that are best at its ends:

    two algorithms    where the lines cross, is nothing below them? Then that is the crossover;
                      else what is below takes part, left and right of it.
    one algorithm     no other can be below between the ends if the chord of its times there is
                      above the lower of the two lines; else the point where they cross takes part.

A cost of several pieces bends and jumps. There sizes are whole items, and a range of them is halved
until its best is known to stay so (`RankingCache.stays`), one item is left, or a 256th of a size
with the same best at both ends: a 12th, where a longer message may cost less.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any

from lccmodel.collectives.algorithms import Algorithm, AllOrOne
from lccmodel.collectives.ranking import PricedProblem, Ranking, RankingCache, sizes_of
from lccmodel.collectives.steps import CollectiveName
from lccmodel.collectives.times import Prices
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer
from lccmodel.network import Network
from lccmodel.pipelining.message_cost import Linear, exact


@typed_arguments
@dataclass(frozen=True, eq=False)
class Envelope(Answer, view="envelope"):
    """The best algorithm over a range of sizes, in stretches between crossovers.

    Attributes:
        problem: the collective, where, and at what prices.
        ends: the sizes at which stretches begin, and the last size; exact.
        low, high: for every stretch the choice at its two ends, the stretch's algorithm first.
        cache: ranks the algorithms at any other size.

    >>> best_plans = envelope("broadcast", Linear(5, "1/1000"), 1, 10**6, "mesh:4")
    >>> best_plans.algorithms, [str(size) for size in best_plans.crossovers]
    (('binomial', 'scatter-ring', 'chain'), ['30000', '90000'])
    """

    problem: PricedProblem
    ends: tuple[Fraction, ...]
    low: tuple[Ranking, ...]
    high: tuple[Ranking, ...]
    cache: RankingCache

    def at(self, m: Any) -> Ranking:
        """Return all algorithms at another size."""
        return self.cache.at(exact("m", m))

    def __repr__(self) -> str:
        where = f"{self.collective} on {self.problem.network.spec}, {float(self.ends[0]):g}"
        return f"<Envelope of {where} to {float(self.ends[-1]):g}: {', '.join(self.algorithms)}>"

    @property
    def question(self) -> PricedProblem:
        """Return `problem`, as it was called until 0.4."""
        message = "Envelope.question: use problem (gone in 0.6)"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self.problem

    @property
    def asked(self) -> RankingCache:
        """Return `cache`, as it was called until 0.4."""
        message = "Envelope.asked: use cache (gone in 0.6)"
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return self.cache

    @property
    def collective(self) -> CollectiveName:
        """Of which collective."""
        return self.problem.collective

    @property
    def network(self) -> Network:
        """Where."""
        return self.problem.network

    @property
    def ports(self) -> AllOrOne:
        """Of a rank at a time."""
        return self.problem.ports

    @property
    def prices(self) -> Prices:
        """Of messages."""
        return self.problem.prices

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The best algorithm of every stretch."""
        return tuple(choice.algorithm for choice in self.low)

    @property
    def crossovers(self) -> tuple[Fraction, ...]:
        """The sizes at which the best algorithm changes."""
        return self.ends[1:-1]


@typed_arguments
def choose(
    collective: CollectiveName,
    machine: Any,
    m: Any,
    network: Network | str | None = None,
    *,
    ports: AllOrOne | None = None,
    only: Sequence[str] = (),
    also: Iterable[Algorithm] = (),
    hop: Any = 0,
    add: Any = 0,
    inside: Linear | None = None,
    **options: Any,
) -> Ranking:
    """Return the fastest algorithm for vectors of m items, and all others behind it.

    Args:
        collective: one of `COLLECTIVES`.
        machine: a `Machine`, which names its network and ports, a machine file, or a cost.
        m: items in the vector of a rank, at least 0; bytes with a machine file.
        network, ports: where, if the machine does not say, or elsewhere.
        only: names of algorithms; all whose rule covers the ranks if left out.
        also: algorithms of one's own.
        hop, add: λ for every channel of the longest route, γ for an item that is added.
        inside: the cost of a message between ranks of one node; that of a machine file, if it
            has one, or the same as between nodes, if left out.
        options: `node_of` and `root`, as for `collective_of`; `progress`, which is called with a
            text when another algorithm is counted.

    Raises:
        InputError: a name that there is not, a machine without a network, no algorithm.

    >>> from lccmodel.pipelining import Machine
    >>> choose("broadcast", Machine("8x8", alpha=5, tau="1/1000"), 10**6).algorithm
    'scatter-ring'
    """
    prices = {"hop": hop, "add": add, "inside": inside}
    problem = PricedProblem.of(
        collective, machine, network, ports, **prices, only=only, also=also, **options
    )
    return RankingCache(problem).at(exact("m", m))


@typed_arguments
def envelope(
    collective: CollectiveName,
    machine: Any,
    low: Any,
    high: Any,
    network: Network | str | None = None,
    *,
    ports: AllOrOne | None = None,
    only: Sequence[str] = (),
    also: Iterable[Algorithm] = (),
    hop: Any = 0,
    add: Any = 0,
    inside: Linear | None = None,
    **options: Any,
) -> Envelope:
    """Return the best algorithm for every size from `low` to `high`, between crossovers.

    Args:
        low, high: sizes in items, low <= high.
        collective, machine, network, ports, only, also, hop, add, inside, options: as for
            `choose`.

    Raises:
        InputError: as for `choose`, or a range whose end is below its start.

    >>> from lccmodel.pipelining import Linear
    >>> best_plans = envelope("allreduce", Linear(5, "1/1000"), 1, 10**7, "torus:8x8")
    >>> best_plans.algorithms
    ('swing-latency', 'swing', 'bucket')
    >>> [str(size) for size in best_plans.crossovers]
    ['96000/19', '2560000/3']
    """
    ends = sizes_of(low, high)
    prices = {"hop": hop, "add": add, "inside": inside}
    problem = PricedProblem.of(
        collective, machine, network, ports, **prices, only=only, also=also, **options
    )
    return envelope_of(RankingCache(problem), *ends)


def envelope_of(cache: RankingCache, start: Fraction, end: Fraction) -> Envelope:
    """The best of all algorithms, from one size to another."""
    if isinstance(cache.prices.cost, Linear):
        changes = list(_by_lines(cache, start, end))
    else:
        changes = list(_by_halves(cache, start, end))
    names = [name for _, name in changes]
    ends = [start, *(m for m, _ in changes[1:]), end]
    return Envelope(
        cache.problem,
        tuple(ends),
        tuple(_led(cache.at(m), name) for m, name in zip(ends[:-1], names, strict=True)),
        tuple(_led(cache.at(m), name) for m, name in zip(ends[1:], names, strict=True)),
        cache,
    )


def _led(choice: Ranking, name: str) -> Ranking:
    """The same choice with an algorithm first, which is as fast as any there."""
    first = [option for option in choice.options if option.name == name]
    rest = [option for option in choice.options if option.name != name]
    return Ranking(choice.prices, choice.m, (*first, *rest), choice.lower_bound)


def _by_lines(cache: RankingCache, low: Fraction, high: Fraction) -> Iterator[tuple[Fraction, str]]:
    """(size, algorithm from there on), by the lines that are best at both ends."""
    here, there = cache.at(low).options[0], cache.at(high).options[0]
    yield low, here.name
    stack = [(low, here, high, there)]
    while stack:
        left, a, right, b = stack.pop()
        first, second = cache.line(a), cache.line(b)
        if first.slope == second.slope or left == right:
            if a.name != b.name:
                yield left, b.name  # one line: each is best at an end
            continue
        m = (second.start - first.start) / (first.slope - second.slope)
        if not left <= m <= right:
            continue
        middle = cache.at(m).options[0]
        if a.name != b.name and middle.time == first.at(m):
            yield m, b.name
        elif a.name != b.name or not _alone(cache, left, right, m, a.name, first.at(m)):
            stack += [(m, middle, right, b), (left, a, m, middle)]


def _alone(
    cache: RankingCache, left: Fraction, right: Fraction, m: Fraction, name: str, most: Fraction
) -> bool:
    """Whether the chord of every other algorithm is not below the two lines where they cross.

    An algorithm that takes the same time in any number of segments is passed over: between two of
    them every number of segments up to the best one would be looked at.
    """
    plans = {plan.algorithm.name: plan.loads() for plan in cache.all_of}
    ends = [{option.name: option.time for option in cache.at(end).options} for end in (left, right)]
    part = (m - left) / (right - left)
    return all(
        ends[0][other] * (1 - part) + ends[1][other] * part >= most
        for other in ends[0]
        if other != name and not cache.are_twins(plans[name], plans[other])
    )


def _by_halves(
    cache: RankingCache, low: Fraction, high: Fraction
) -> Iterator[tuple[Fraction, str]]:
    """(whole size, algorithm from there on), by halving while the best may change."""
    yield low, cache.at(low).algorithm
    ranges = [(low, high)]
    while ranges:
        a, b = ranges.pop()
        after = cache.at(b).algorithm
        same = cache.at(a).algorithm == after
        if same and cache.stays(a, b):
            continue
        first, last = floor(a) + 1, ceil(b) - 1
        if first <= last:
            middle = isqrt(floor(a * b)) if b > 4 * a + 4 else (first + last) // 2
            at = Fraction(min(max(middle, first), last))
            ranges += [(at, b), (a, at)]
        elif not same:
            yield b, after
