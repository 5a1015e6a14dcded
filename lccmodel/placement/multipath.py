"""Loads where messages are split over all minimal paths: adaptive routing and ECMP.

A message from s to t may take any path of fewest channels. Two ways of splitting it evenly:

    paths    every minimal path carries the same share
    hops     every router sends the same share over each channel that leads nearer (ECMP)

By hand, a message of 1 from corner to corner of mesh:3x2 (three paths): over its first channels go

    paths    2/3 along axis 0, 1/3 along axis 1          hops    1/2, 1/2

The least that the busiest channel can carry over all ways of splitting is a linear programme. Its
dual are prices l_c >= 0 of channels; for any prices, the volumes times the cheapest path of each
message, divided by the sum of bandwidth times price, is a lower bound. HiGHS finds good prices, and
the bound is worked out from them in integers, so that no rounding enters it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, get_args

import numpy as np

from lccmodel.errors import InputError, NetworkError, SizeLimitError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.numbers import Number, as_fraction, as_number
from lccmodel.ground.views import Answer
from lccmodel.ground.words import Split as Split
from lccmodel.ground.words import checked_word
from lccmodel.network import Network
from lccmodel.problem import Problem

_MOST_EXACT = 1 << 18
"""Channels that are looked at, source by source, up to which shares are fractions."""

_MOST_COUNTED = 1 << 25
_MOST_VARIABLES = 1 << 17
"""Most flows of the linear programme: some seconds; beyond, all channels have the same price."""

_PRICE_PARTS = 1 << 30
"""Prices are rounded to this part of the largest. Any prices that are not negative prove a bound
(`_bound` is exact), so rounding loses a billionth of it, and never makes it wrong."""


@dataclass(frozen=True, repr=False, eq=False)
class SplitLoads(Answer, view="split-loads"):
    """What every channel carries when messages are split over all minimal paths.

    Attributes:
        problem: the program and the network.
        split: "paths" or "hops".
        channels: of the network's graph, as pairs of routers.
        loads: volume over bandwidth on each, all phases at once; fractions where `exact`.
        exact: whether shares were counted as fractions; else as floats.
        one_route: the busiest channel when every message takes the network's own route.
        least: no way of splitting over minimal paths has a busiest channel below this.
        bound: how `least` was found.
    """

    problem: Problem
    split: Split
    channels: tuple[tuple[int, int], ...]
    loads: tuple[Number, ...]
    exact: bool
    one_route: Number
    least: Number
    bound: str

    @property
    def degree(self) -> Number:
        """The busiest channel."""
        return max(self.loads, default=0)


@typed_arguments
def split_loads(
    program: Any, network: Network | str | None = None, split: Split = "paths", node_of: Any = None
) -> SplitLoads:
    """Return loads if messages are split evenly over all minimal paths, and the least possible.

    Args:
        program: anything that `contention` takes; phases run at once, each as often as it weighs.
        network: a network, or its word.
        split: "paths", every minimal path the same; "hops", every next channel the same (ECMP).
        node_of: the node of every rank; rank r on node r if left out.

    Raises:
        InputError: another `split`; scipy is not installed.
        SizeLimitError: too many messages on too large a network.

    >>> result = split_loads([(0, 5)], "mesh:3x2")
    >>> dict(zip(result.channels, result.loads))[0, 1], result.degree, result.least
    (Fraction(2, 3), Fraction(2, 3), Fraction(1, 2))
    >>> result = split_loads([(0, 5)], "mesh:3x2", "hops")
    >>> dict(zip(result.channels, result.loads))[0, 1], result.degree
    (Fraction(1, 2), Fraction(3, 4))
    """
    checked_word("split", split, get_args(Split))
    problem = Problem.read(program, network)
    if problem.network.has_several_ports:
        rule = "must have hosts with one port each for split messages: leave the others out"
        raise NetworkError("network", rule, problem.network.spec)
    wires = _Wires(problem.network)
    sent = _sent(problem, wires, node_of)
    work = len(sent) * len(wires.ends)
    if work > _MOST_COUNTED:
        rule = "must be smaller: channels times routers that send or receive exceed 2^25"
        raise SizeLimitError("network", rule, problem.network.spec)
    exact = work <= _MOST_EXACT
    loads: list[Any] = [Fraction(0) if exact else 0.0] * len(wires.ends)
    for router, messages in _ends(sent, split):
        tree = wires.nearer(router)
        for channel, volume in _split(tree, messages, split == "hops", exact):
            loads[channel] += volume
    busy = [load / (width if exact else float(width)) for load, width in
            zip(loads, wires.width, strict=True)]  # fmt: skip
    least, how = _least(wires, sent)
    return SplitLoads(
        problem=problem,
        split=split,
        channels=tuple(wires.ends),
        loads=tuple(as_number(load) if exact else load for load in busy),
        exact=exact,
        one_route=_one_route(problem, node_of),
        least=as_number(least),
        bound=how,
    )


Exchanged = dict[int, dict[int, Fraction]]
"""What every router sends to every other one."""


class _Wires:
    """The routers of a network, and its channels with what they carry at a time."""

    def __init__(self, network: Network) -> None:
        self.network = network
        widths: dict[tuple[int, int], Fraction] = {}
        rows, columns = network.counter_shape
        if rows * columns > _MOST_COUNTED:
            rule = "must have fewer channels to split messages over"
            raise SizeLimitError("network", rule, network.spec)
        for row, column in product(range(rows), range(columns)):
            with suppress(NetworkError):  # not a channel: beyond the border of a mesh
                u, v = network.channel(row, column)[:2]
                width = network.bandwidths[network.row_dimension(row)]
                widths[u, v] = widths.get((u, v), Fraction(0)) + width  # cables are one
        self.ends, self.width = list(widths), list(widths.values())
        self.out: dict[int, list[int]] = {}
        self.into: dict[int, list[int]] = {}
        for k, (u, v) in enumerate(self.ends):
            self.out.setdefault(u, []).append(k)
            self.into.setdefault(v, []).append(k)

    def router(self, node: int) -> int:
        """The router of a node."""
        if self.network.first_router:
            return self.network.neighbours(node)[0]
        return self.network.whole(node)

    def nearer(self, router: int) -> _Tree:
        """All minimal paths from a router."""
        away, order = {router: 0}, [router]
        for here in order:  # it grows meanwhile
            for k in self.out.get(here, ()):
                there = self.ends[k][1]
                if there not in away:
                    away[there] = away[here] + 1
                    order.append(there)
        into = {
            v: [k for k in self.into.get(v, ()) if away.get(self.ends[k][0], -1) == away[v] - 1]
            for v in order
        }
        return _Tree(self.ends, order, into)


@dataclass(frozen=True)
class _Tree:
    """All minimal paths from a router: the others by distance, and the channels that lead there."""

    ends: Sequence[tuple[int, int]]
    order: list[int]
    into: dict[int, list[int]]


def _sent(problem: Problem, wires: _Wires, node_of: Any) -> Exchanged:
    """What routers exchange, all phases at once."""
    sent: Exchanged = {}
    for phase in problem.program:
        traffic = phase.traffic
        if node_of is not None:
            traffic = traffic.placed(node_of, problem.network.size)
        weight = as_fraction(phase.weight)
        for (s, d), volume in zip(traffic.messages.tolist(), traffic.volumes.tolist(), strict=True):
            x, y = wires.router(s), wires.router(d)
            if x != y and volume:
                row = sent.setdefault(x, {})
                row[y] = row.get(y, Fraction(0)) + weight * as_fraction(volume)
    return sent


def _ends(sent: Exchanged, split: Split) -> Iterator[tuple[int, dict[int, Fraction]]]:
    """Routers with what they send; for ECMP with what they receive: shares are made on the way."""
    if split == "paths":
        yield from sent.items()
        return
    received: Exchanged = {}
    for x, row in sent.items():
        for y, volume in row.items():
            received.setdefault(y, {})[x] = volume
    yield from received.items()


def _split(
    tree: _Tree, messages: dict[int, Fraction], even: bool, exact: bool
) -> Iterator[tuple[int, Any]]:
    """Channels and what they carry of the messages between a router and others.

    From the farthest on, what is at a router goes to those before it: in even shares, or as many
    minimal paths as lead through them [Brandes]. Channels both ways are alike, so messages to the
    router take the channels backwards.
    """
    paths = {tree.order[0]: 1}
    for v in tree.order[1:]:
        paths[v] = sum(paths[tree.ends[k][0]] for k in tree.into[v])
    held: dict[int, Any] = dict(messages) if exact else {v: float(x) for v, x in messages.items()}
    back = {(v, u): k for k, (u, v) in enumerate(tree.ends)} if even else {}
    for v in reversed(tree.order[1:]):
        volume = held.get(v)
        if not volume:
            continue
        for k in tree.into[v]:
            u = tree.ends[k][0]
            share = Fraction(1, len(tree.into[v])) if even else Fraction(paths[u], paths[v])
            part = volume * (share if exact else float(share))
            held[u] = held.get(u, 0) + part
            yield (back[tree.ends[k]] if even else k), part


def _one_route(problem: Problem, node_of: Any) -> Number:
    """The busiest channel on the network's own routes, all phases at once."""
    busy: dict[tuple[int, ...], Fraction] = {}
    for phase in problem.program:
        counted = problem.network.channel_loads(phase.traffic, node_of=node_of)
        for channel, load in counted.items():
            more = as_fraction(phase.weight) * as_fraction(load)
            busy[channel] = busy.get(channel, Fraction(0)) + more
    return as_number(max(busy.values(), default=Fraction(0)))


# -- the least over all splits ------------------------------------------------------------------


def _least(wires: _Wires, sent: Exchanged) -> tuple[Fraction, str]:
    """A lower bound for all ways of splitting, and how its prices were found."""
    if not sent:
        return Fraction(0), "nothing is sent"
    trees = {router: wires.nearer(router) for router in sent}
    flows = sum(len(ks) for tree in trees.values() for ks in tree.into.values())
    if flows > _MOST_VARIABLES:
        return _bound(wires, sent, trees, [1] * len(wires.ends)), "the same price for all channels"
    prices = _prices(wires, sent, trees)
    return _bound(wires, sent, trees, prices), "prices of channels by a linear programme"


def _bound(
    wires: _Wires, sent: Exchanged, trees: dict[int, _Tree], prices: Sequence[int]
) -> Fraction:
    """Volumes times the cheapest minimal path, over the sum of bandwidth times price."""
    room = sum((w * p for w, p in zip(wires.width, prices, strict=True)), Fraction(0))
    if not room:
        return Fraction(0)
    total = Fraction(0)
    for router, row in sent.items():
        tree = trees[router]
        cost = {router: 0}
        for v in tree.order[1:]:
            cost[v] = min(cost[tree.ends[k][0]] + prices[k] for k in tree.into[v])
        total += sum((volume * cost[v] for v, volume in row.items()), Fraction(0))
    return total / room


def _prices(wires: _Wires, sent: Exchanged, trees: dict[int, _Tree]) -> list[int]:
    """Prices of channels, by the dual of the least busiest channel; integers that are not negative.

    Raises:
        InputError: scipy is not installed.
    """
    try:
        from scipy.optimize import linprog
        from scipy.sparse import coo_matrix
    except ImportError:
        rule = "the least over all splits needs scipy: pip install 'lccmodel[sparse]'"
        raise InputError("split", rule, "scipy") from None
    scale = float(max(volume for row in sent.values() for volume in row.values()))
    column, balance, total = 1, 0, []
    where: list[list[tuple[int, int, float]]] = [[], []]  # of capacities, of balances
    where[0] = [(k, 0, -float(width)) for k, width in enumerate(wires.width)]
    for router, row in sent.items():
        tree = trees[router]
        at = {v: balance + i for i, v in enumerate(tree.order[1:])}
        total += [float(row.get(v, Fraction(0))) / scale for v in tree.order[1:]]
        for v in tree.order[1:]:
            for k in tree.into[v]:
                where[0].append((k, column, 1.0))
                where[1].append((at[v], column, 1.0))
                if tree.ends[k][0] != router:
                    where[1].append((at[tree.ends[k][0]], column, -1.0))
                column += 1
        balance += len(at)

    def matrix(entries: list[tuple[int, int, float]], rows: int) -> Any:
        i, j, values = np.array(entries).T
        return coo_matrix((values, (i.astype(int), j.astype(int))), shape=(rows, column))

    solution = linprog(
        np.eye(1, column).ravel(),
        A_ub=matrix(where[0], len(wires.ends)).tocsr(), b_ub=np.zeros(len(wires.ends)),
        A_eq=matrix(where[1], balance).tocsr(), b_eq=np.array(total), method="highs",
    )  # fmt: skip
    if not solution.success:
        return [1] * len(wires.ends)
    marginals = np.maximum(0.0, -np.asarray(solution.ineqlin.marginals, float))
    top = float(marginals.max(initial=0.0)) or 1.0
    prices = [round(float(price) / top * _PRICE_PARTS) for price in marginals]
    return prices if any(prices) else [1] * len(wires.ends)
