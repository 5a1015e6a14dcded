"""Paths through the correction lattice: the one search that every routing method is a rule for.

Routing corrects address bits one after another. After the set S, every message stands at p_S(x):
the destination's bits in S, the source's elsewhere. Where it stands does not depend on the order
in which S was corrected, so whatever a step costs - a rank for y = Ax + b (`lattice.ranks`), a
count for any other traffic (`lattice.counts`) - is a function of the *set* and the step, and an
order is a path from the empty set to all bits.

By hand, for the exchange of two bits, y = (x_1, x_0), with loads on the arrows and the number of
messages in a node below each set:

         {}  --0: 1-->  {0}  --1: 1-->  {0,1}         paths with loads at most 1:          2
         1              2               1             paths with at most 1 in a node:      0
         {}  --1: 1-->  {1}  --0: 1-->  {0,1}         cheapest path: largest load 1, sum 2

A *rule* says which steps may follow a state, what each costs and where it leads. States are
hashable and equal states have equal futures, so what has been learnt about one is used again:

    first, every, nth    paths in the rule's own order of preference, dead ends entered once
    number               how many there are, without listing them
    cheapest             the least price, "max" or "sum" along the path, best states first

A state may fall apart into independent parts, such as the strongly connected components of a
matrix (Edelman's orders). A path of the whole is an interleaving of paths of the parts; without
this the identity on 16 bits would visit 2^16 states.

A search that runs out of its budget has not found that there is no path: it raises `BudgetError`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

S = TypeVar("S")
T = TypeVar("T")
J = TypeVar("J")


class BudgetError(Exception):
    """The search was stopped by its budget; whether there is a path is not known."""


class Step(NamedTuple, Generic[J, S]):
    """One step that may come next: what is corrected, its price, the state it leads to."""

    corrects: J
    price: int
    state: S


class Rule(Protocol[S]):
    """Which steps may follow a state.

    The methods must be functions of the state: equal states have equal futures.
    """

    def length(self, state: S) -> int:
        """How many steps are left; 0 at the end of a path."""
        ...

    def steps(self, state: S) -> Iterable[Step[int, S]]:
        """The steps that may come next, the preferred one first."""
        ...

    def parts(self, state: S) -> Sequence[S]:
        """Independent parts whose paths interleave freely; (state,) if it does not fall apart."""
        ...

    def key(self, state: S) -> Hashable:
        """What is remembered of a state in its stead: the set of corrected bits, for instance."""
        ...


class Paths(Generic[S]):
    """The paths that a rule allows.

    Args:
        rule: the rule.
        budget: how many states may be remembered before the search gives up; None for no limit.

    >>> class Descending:                       # take the bits of a number from the top
    ...     def length(self, state): return state.bit_count()
    ...     def steps(self, state):
    ...         j = state.bit_length() - 1
    ...         return [Step(j, 1, state ^ 1 << j)]
    ...     def parts(self, state): return (state,)
    ...     def key(self, state): return state
    >>> paths = Paths(Descending())
    >>> paths.first(0b111), paths.first(0b101), paths.number(0b111)
    ((2, 1, 0), (2, 0), 1)
    """

    def __init__(self, rule: Rule[S], budget: int | None = None) -> None:
        self.rule, self.budget = rule, budget
        self._numbers: dict[Hashable, int] = {}
        self._open: dict[Hashable, bool] = {}

    @property
    def remembered(self) -> int:
        """States of which is known whether a path leads on."""
        return len(self._open)

    def exists(self, state: S) -> bool:
        """Whether a path leads from the state to the end."""
        return all(map(self._exists, self.rule.parts(state)))

    def _exists(self, part: S) -> bool:
        left = self.rule.length(part)
        if left <= 1:  # nothing to remember
            return not left or any(True for _ in self.rule.steps(part))
        key = self.rule.key(part)
        if key not in self._open:
            exists = any(self.exists(step.state) for step in self.rule.steps(part))
            self._remember(self._open, key, exists)
        return self._open[key]

    def every(self, state: S) -> Iterator[tuple[int, ...]]:
        """All paths, one by one, in the rule's order of preference."""
        return self._every(state, ())

    def _every(self, state: S, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not self.rule.length(state):
            yield path
            return
        for step in self.rule.steps(state):
            if self.exists(step.state):
                yield from self._every(step.state, (*path, step.corrects))

    def first(self, state: S) -> tuple[int, ...] | None:
        """The path that prefers the first step wherever it can, or None."""
        return next(self.every(state), None)

    def number(self, state: S) -> int:
        """How many paths there are: interleavings of the paths of the parts."""
        total, placed = 1, 0
        for part in self.rule.parts(state):
            length = self.rule.length(part)
            placed += length
            total *= self._number(part) * math.comb(placed, length)
            if not total:
                return 0
        return total

    def _number(self, part: S) -> int:
        left = self.rule.length(part)
        if left <= 1:
            return sum(1 for _ in self.rule.steps(part)) if left else 1
        key = self.rule.key(part)
        if key not in self._numbers:
            counted = sum(self.number(step.state) for step in self.rule.steps(part))
            self._remember(self._numbers, key, counted)
        return self._numbers[key]

    def nth(self, state: S, place: int) -> tuple[int, ...]:
        """The path at a place of `every`, 0 <= place < number, found by counting."""
        path: list[int] = []
        while self.rule.length(state):
            for step in self.rule.steps(state):
                fewer = self.number(step.state)
                if place < fewer:
                    path.append(step.corrects)
                    state = step.state
                    break
                place -= fewer
        return tuple(path)

    def _remember(self, memory: dict[Hashable, T], key: Hashable, value: T) -> None:
        if self.budget is not None and len(memory) >= self.budget:
            raise BudgetError(self.budget)
        memory[key] = value


class Cheapest(NamedTuple, Generic[J]):
    """A cheapest path: its price, its steps, and how many states were priced to prove it."""

    price: int
    path: tuple[J, ...]
    priced: int


def cheapest(
    starts: Iterable[S],
    steps: Callable[[S], Iterable[Step[J, S]]],
    left: Callable[[S], int],
    along: Literal["max", "sum"],
    *,
    at_least: Callable[[S], int] | None = None,
    below: int | None = None,
) -> Cheapest[J] | None:
    """A path of least price, pricing only states that a best path can reach.

    States wait with a bound on the price of any path through them; the least is priced next, and
    of equals the one nearest to the end. So every state with a bound below the optimum is priced,
    and of those at the optimum only what the first path to the end needs.

    Args:
        starts: where a path may begin.
        steps: the steps that may follow a state, with prices >= 0; called once for a state.
        left: how many steps are left; 0 at the end of a path.
        along: whether the price of a path is the largest or the sum of its steps'.
        at_least: a bound on what is left to pay that no path from the state goes below, and that
            falls by no more than the price of a step.
        below: only paths of a lower price are looked for.

    Returns: the path, or None if there is none below `below`.

    >>> prices = {"a": [Step("x", 3, "b"), Step("y", 1, "c")], "b": [], "c": [Step("z", 1, "b")]}
    >>> remaining = {"a": 2, "b": 0, "c": 1}
    >>> cheapest(["a"], prices.get, remaining.get, "sum")
    Cheapest(price=2, path=('y', 'z'), priced=2)
    >>> cheapest(["a"], prices.get, remaining.get, "max", below=1) is None
    True
    """
    paid: dict[S, int] = {}
    came: dict[S, tuple[S, J]] = {}
    waiting: list[tuple[int, int, int, S]] = []
    entered = 0

    def enter(state: S, price: int) -> bool:
        nonlocal entered
        ahead = 0 if at_least is None else at_least(state)
        bound = price + ahead if along == "sum" else max(price, ahead)
        if (below is not None and bound >= below) or price >= paid.get(state, price + 1):
            return False
        paid[state] = price
        entered += 1  # the later of equals comes first: straight on to an end
        heappush(waiting, (bound, left(state), -entered, state))
        return True

    for start in starts:
        enter(start, 0)
    priced: set[S] = set()
    while waiting:
        state = heappop(waiting)[3]
        if not left(state):
            return Cheapest(paid[state], _path(came, state), len(priced))
        if state in priced:
            continue
        priced.add(state)
        for corrects, price, after in steps(state):
            total = paid[state] + price if along == "sum" else max(paid[state], price)
            if after not in priced and enter(after, total):
                came[after] = (state, corrects)
    return None


def _path(came: dict[S, tuple[S, J]], state: S) -> tuple[J, ...]:
    path: list[J] = []
    while state in came:
        state, corrects = came[state]
        path.append(corrects)
    return tuple(path[::-1])


def arranged(
    bits: Sequence[int],
    start: S,
    allows: Callable[[S, int], bool],
    grow: Callable[[S, int], S],
    *,
    swap: bool,
) -> Iterator[tuple[int, int, tuple[int, ...], S]]:
    """The greedy walk: from an arrangement of the bits, always the first that is allowed.

    The chosen bit is brought to its place by exchanging it with the one that stands there (`swap`)
    or by moving those in between up by one. That is all that tells LCP_Optimizer from HL.

    Yields: the place that was filled, where its bit stood, the arrangement, the state after it.

    Raises:
        ValueError: no bit is allowed.
    """
    order, state = list(bits), start
    for place in range(len(order)):
        allowed = next((p for p in range(place, len(order)) if allows(state, order[p])), None)
        if allowed is None:
            raise ValueError(f"no step is allowed after {order[:place]}")
        if swap:
            order[place], order[allowed] = order[allowed], order[place]
        else:
            order.insert(place, order.pop(allowed))
        state = grow(state, order[place])
        yield place, allowed, tuple(order), state
