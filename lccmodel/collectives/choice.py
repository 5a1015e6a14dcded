"""Which algorithm, in how many segments, for which sizes; crossovers are exact numbers.

With a cost α + L τ the time of an algorithm in Q segments is a line in m, so the least of all is
concave, and what is best between two sizes is found from the lines that are best at its ends:

    two algorithms    where the lines cross, is nothing below them? Then that is the crossover;
                      else what is below takes part, left and right of it.
    one algorithm     no other can be below between the ends if the chord of its times there is
                      above the lower of the two lines; else the point where they cross takes part.

A cost of several pieces bends and jumps. There sizes are whole items, and a range of them is halved
until its best is known to stay so (`Asked.stays`), one item is left, or a 256th of a size with the
same best at both ends: a 12th, where a longer message may cost less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any

from lccmodel.collectives.algorithms import Algorithm, AllOrOne
from lccmodel.collectives.ranking import Asked, Question, Ranking
from lccmodel.collectives.steps import CollectiveName
from lccmodel.collectives.times import Prices
from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer
from lccmodel.network import Network
from lccmodel.pipelining.message_cost import Linear, exact


@typed_arguments
@dataclass(frozen=True, eq=False)
class Envelope(Answer, view="envelope"):
    """The best algorithm over a range of sizes, in stretches between crossovers.

    Attributes:
        question: what was asked.
        ends: the sizes at which stretches begin, and the last size; exact.
        low, high: for every stretch the choice at its two ends, the stretch's algorithm first.
        asked: answers for any other size.

    >>> best_plans = envelope("broadcast", Linear(5, "1/1000"), 1, 10**6, "mesh:4")
    >>> best_plans.algorithms, [str(size) for size in best_plans.crossovers]
    (('binomial', 'scatter-ring', 'chain'), ['30000', '90000'])
    """

    question: Question
    ends: tuple[Fraction, ...]
    low: tuple[Ranking, ...]
    high: tuple[Ranking, ...]
    asked: Asked

    def at(self, m: Any) -> Ranking:
        """Return all algorithms at another size."""
        return self.asked.at(exact("m", m))

    def __repr__(self) -> str:
        where = f"{self.collective} on {self.question.network.spec}, {float(self.ends[0]):g}"
        return f"<Envelope of {where} to {float(self.ends[-1]):g}: {', '.join(self.algorithms)}>"

    @property
    def collective(self) -> CollectiveName:
        """Of which collective."""
        return self.question.collective

    @property
    def network(self) -> Network:
        """Where."""
        return self.question.network

    @property
    def ports(self) -> AllOrOne:
        """Of a rank at a time."""
        return self.question.ports

    @property
    def prices(self) -> Prices:
        """Of messages."""
        return self.question.prices

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
    asked = (collective, machine, network, ports, only, also, hop, add, inside)
    return Asked(Question.of(*asked, **options)).at(exact("m", m))


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
    """The best algorithm for every size from `low` to `high`, in stretches between crossovers.

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
    start, end = exact("low", low), exact("high", high)
    if start > end:
        raise InputError(
            "low, high", "the first must not exceed the second", (str(start), str(end))
        )
    asked = (collective, machine, network, ports, only, also, hop, add, inside)
    return envelope_of(Asked(Question.of(*asked, **options)), start, end)


def envelope_of(asked: Asked, start: Fraction, end: Fraction) -> Envelope:
    """The best of what is asked, from one size to another."""
    if isinstance(asked.prices.cost, Linear):
        found = list(_by_lines(asked, start, end))
    else:
        found = list(_by_halves(asked, start, end))
    names = [name for _, name in found]
    ends = [start, *(m for m, _ in found[1:]), end]
    return Envelope(
        asked.question,
        tuple(ends),
        tuple(_led(asked.at(m), name) for m, name in zip(ends[:-1], names, strict=True)),
        tuple(_led(asked.at(m), name) for m, name in zip(ends[1:], names, strict=True)),
        asked,
    )


def _led(choice: Ranking, name: str) -> Ranking:
    """The same choice with an algorithm first, which is as fast as any there."""
    first = [option for option in choice.options if option.name == name]
    rest = [option for option in choice.options if option.name != name]
    return Ranking(choice.prices, choice.m, (*first, *rest), choice.lower_bound)


def _by_lines(asked: Asked, low: Fraction, high: Fraction) -> Iterator[tuple[Fraction, str]]:
    """(size, algorithm from there on), by the lines that are best at both ends."""
    here, there = asked.at(low).options[0], asked.at(high).options[0]
    yield low, here.name
    stack = [(low, here, high, there)]
    while stack:
        left, a, right, b = stack.pop()
        first, second = asked.line(a), asked.line(b)
        if first.slope == second.slope or left == right:
            if a.name != b.name:
                yield left, b.name  # one line: each is best at an end
            continue
        m = (second.start - first.start) / (first.slope - second.slope)
        if not left <= m <= right:
            continue
        middle = asked.at(m).options[0]
        if a.name != b.name and middle.time == first.at(m):
            yield m, b.name
        elif a.name != b.name or not _alone(asked, left, right, m, a.name, first.at(m)):
            stack += [(m, middle, right, b), (left, a, m, middle)]


def _alone(
    asked: Asked, left: Fraction, right: Fraction, m: Fraction, name: str, most: Fraction
) -> bool:
    """Whether the chord of every other algorithm is not below the two lines where they cross.

    An algorithm that takes the same time in any number of segments is passed over: between two of
    them every number of segments up to the best one would be looked at.
    """
    plans = {each.algorithm.name: each.loads() for each in asked.all_of}
    ends = [{option.name: option.time for option in asked.at(end).options} for end in (left, right)]
    part = (m - left) / (right - left)
    return all(
        ends[0][other] * (1 - part) + ends[1][other] * part >= most
        for other in ends[0]
        if other != name and not asked.are_twins(plans[name], plans[other])
    )


def _by_halves(asked: Asked, low: Fraction, high: Fraction) -> Iterator[tuple[Fraction, str]]:
    """(whole size, algorithm from there on), by halving while the best may change."""
    yield low, asked.at(low).algorithm
    ranges = [(low, high)]
    while ranges:
        a, b = ranges.pop()
        after = asked.at(b).algorithm
        same = asked.at(a).algorithm == after
        if same and asked.stays(a, b):
            continue
        first, last = floor(a) + 1, ceil(b) - 1
        if first <= last:
            middle = isqrt(floor(a * b)) if b > 4 * a + 4 else (first + last) // 2
            at = Fraction(min(max(middle, first), last))
            ranges += [(at, b), (a, at)]
        elif not same:
            yield b, after
