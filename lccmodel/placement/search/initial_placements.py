"""What a search starts from beside what was stated: placements that are worth their time.

Every offer says what it costs, and the search takes the quickest first (`placement.effort`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.products import Grid, grid_of, heavy_parts, recognised_grid
from lccmodel.communication.program import Program
from lccmodel.ground.arrays import Ints
from lccmodel.network import Network
from lccmodel.network.allocation import Allocation
from lccmodel.placement.search.annealing import Run
from lccmodel.placement.search.assignment import MOST_DENSE, Tabu, grown
from lccmodel.placement.search.bisection import by_cuts
from lccmodel.placement.search.embedding import embedding
from lccmodel.placement.search.layouts import along_curves, coded, codes, laid_in_folds
from lccmodel.placement.search.orders import best_linear_map, best_order_of_bits
from lccmodel.placement.search.problem import Demand
from lccmodel.placement.search.routes import MOST_MEASURED, Routes
from lccmodel.placement.search.scotch import scotch_placements
from lccmodel.placement.search.search_budget import (
    MOST_TRIES,
    Offer,
    bisection_seconds,
    embedding_seconds,
    growth_seconds,
    look_seconds,
    packing_seconds,
    programme_seconds,
    renaming_seconds,
    scotch_seconds,
    tries_within,
)

_SEEDS = 8
"""Seeds that Scotch is tried with, while there is time."""

_MAPPINGS = 0.1
"""Nominal seconds of mappings that one process of Scotch makes ahead: less than its start."""

_LAYOUTS = 100
"""Layouts of grids and curves that are looked at."""

_LEAST_LAYOUTS = 12
_LOOKS = 0.2
"""Fewer where looking at them takes more nominal seconds, but at least so many."""

_RECOGNITION = 2e-6
"""Nominal seconds to look for a grid, a message."""

_PHASES = 8
"""Most phases of which each is left out in turn to see a grid in the others."""

_CODES = 8
"""Choices of axes in Gray code."""

_MOST_SECONDS = 30.0
"""Nominal seconds that one of them may take."""


def _first(offer: Offer) -> tuple[bool, float]:
    return not offer.always, offer.seconds


class Starts:
    """All that a search may start from, for one problem.

    Args:
        program, network, demand, routes, weights: the problem.
        coordinates: where the ranks work, (ranks, axes); None if that is not known.
        seed: of Scotch.
    """

    def __init__(
        self,
        program: Program,
        network: Network,
        demand: Demand,
        routes: Routes,
        weights: Sequence[Fraction],
        coordinates: npt.NDArray[np.float64] | None,
        seed: int,
    ) -> None:
        self.program, self.network, self.weights = program, network, weights
        self.demand, self.routes, self.seed = demand, routes, seed
        self.coordinates = coordinates
        self._mappings: dict[int, list[Ints]] = {}

    def offers(self) -> list[Offer]:
        """All of them with what they cost, the quickest first."""
        demand, routes = self.demand, self.routes
        mapping, messages = scotch_seconds(demand), len(demand.source)
        look = look_seconds(demand, routes)
        layouts = max(_LEAST_LAYOUTS, min(_LAYOUTS, int(_LOOKS / look)))
        listed = [
            Offer(_RECOGNITION * messages + layouts * look, lambda: self._layouts(layouts), True),
            Offer(bisection_seconds(demand, routes), self._cut, True),
            Offer(mapping, lambda: self._scotch(0), True),
            Offer(embedding_seconds(demand, routes), lambda: self._embedded(0)),
            Offer(embedding_seconds(demand, routes), lambda: self._embedded(1)),
        ]
        if routes.routers <= MOST_MEASURED:
            listed.append(Offer(growth_seconds(demand, routes), self._grown))
        listed += [
            Offer(packing_seconds(len(hosts)), partial(self._packed, which, hosts))
            for which, hosts in self._hosts()
        ]
        if self._opened is not None:
            listed.append(Offer(bisection_seconds(demand, routes), self._cut_opened))
            listed.append(Offer(mapping, self._scotch_opened))
        listed += [Offer(mapping, partial(self._scotch, k)) for k in range(1, _SEEDS)]
        if routes.places & routes.places - 1 or routes.places < 2:
            return sorted(listed, key=_first)
        programme = programme_seconds(messages, self.network, routes)
        for seconds in (0.15, 0.6):  # for a linear map, and for an order if not all are tried
            tries = tries_within(seconds, demand, routes)
            descent = renaming_seconds(tries, demand, routes)
            order = programme if programme <= seconds else descent
            listed.append(Offer(descent + order, partial(self._renamed, seconds, tries)))
            if programme <= seconds and tries == MOST_TRIES:
                break  # more time would give the same
        if programme > 0.6:
            listed.append(Offer(programme, partial(self._renamed, programme, 0)))
        blocks = programme_seconds(messages, self.network, routes, gray=True)
        listed += [
            Offer(blocks, partial(self._coded, k))
            for k in range(_CODES if blocks <= _MOST_SECONDS else 0)
        ]
        return sorted(listed, key=_first)

    @cached_property
    def _grids(self) -> list[Grid]:
        """The grid of the coordinates, if they are those of one, and that of the messages."""
        stated = None if self.coordinates is None else grid_of(self.coordinates)
        seen = recognised_grid(*self._pairs, self.demand.ranks)
        if seen is None and stated is None:
            seen = self._grid_without_a_phase()
        if seen is not None and stated is not None and seen.is_same_as(stated):
            seen = None
        return [grid for grid in (stated, seen) if grid is not None]

    def _grid_without_a_phase(self) -> Grid | None:
        """Return a grid that one of at most eight phases hides, as a sweep along diagonals does."""
        phases = [phase.traffic for phase in self.program]
        for hidden in range(len(phases) if 1 < len(phases) <= _PHASES else 0):
            rest = phases[:hidden] + phases[hidden + 1 :]
            messages = np.concatenate([traffic.messages for traffic in rest])
            pairs = np.unique(np.sort(messages[messages[:, 0] != messages[:, 1]], axis=1), axis=0)
            grid = recognised_grid(pairs, np.ones(len(pairs), np.int64), self.demand.ranks)
            if grid is not None:
                return grid
        return None

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints]:
        """Ranks that exchange messages, each pair once, and what they exchange."""
        n = self.demand.ranks
        low = np.minimum(self.demand.source, self.demand.destination)
        high = np.maximum(self.demand.source, self.demand.destination)
        keys, place = np.unique(low * n + high, return_inverse=True)
        volume = np.zeros(len(keys), np.int64)
        np.add.at(volume, place, self.demand.volume)
        return np.stack([keys // n, keys % n], axis=1), volume

    def _cut(self) -> Iterator[tuple[str, Ints]]:
        yield "cuts in halves", by_cuts(self.demand.merged, self.routes)

    def _grown(self) -> Iterator[tuple[str, Ints]]:
        yield "growth around the busiest rank", grown(self.demand.merged, self.routes)

    def _hosts(self) -> Iterator[tuple[str, Ints]]:
        """Hosts of a fat tree that are worth a search by themselves: free hosts hide them.

        Hop-bytes are least on few switches, and all switches of a level are alike. The busiest
        channel is often least where all channels up are used: on equally many hosts of every
        switch, if the ranks divide so. (With one rank fewer on some switches, as on
        fattree:16x18/6, such starts led to loads that were larger by a tenth.)
        """
        tree, aim, places = self.network.geometry.tree, self.demand.aim, self.routes.places
        if tree is None or len(tree.down) < 2:
            return
        at_switch = tree.down[0]
        if not aim.peak:
            hosts = -(-self.demand.ranks // at_switch) * at_switch
            if hosts < min(places, MOST_DENSE):
                yield "as few switches as hold all ranks", np.arange(hosts)
            return
        hosts, rest = divmod(self.demand.ranks * at_switch, places)
        if not rest and hosts < at_switch and self.demand.ranks <= MOST_DENSE:
            chosen = np.flatnonzero(np.arange(places) % at_switch < hosts)
            yield f"{hosts} hosts of every switch", chosen

    def _packed(self, which: str, hosts: Ints) -> Iterator[tuple[str, Ints]]:
        part, demand = Routes.of(Allocation(self.network, hosts)), self.demand.merged
        start = by_cuts(demand, part)
        steps = 100 * len(hosts)
        search = Tabu(demand, Run(start, steps, 0.0, self.seed, 0, steps))
        search.advance(demand, part, steps)
        yield f"tabu search on {which}", hosts[search.best]

    @cached_property
    def _opened(self) -> Routes | None:
        return Routes.opened(self.network)

    def _cut_opened(self) -> Iterator[tuple[str, Ints]]:
        if self._opened is not None:
            yield "cuts in halves, rings cut open", by_cuts(self.demand.merged, self._opened)

    def _scotch_opened(self) -> Iterator[tuple[str, Ints]]:
        if self._opened is not None:
            seeds = [2 * self.seed * _SEEDS + 1]
            for placement in scotch_placements(self.demand.merged, self._opened, seeds):
                yield "Scotch, rings cut open", placement

    def _layouts(self, most: int) -> Iterator[tuple[str, Ints]]:
        points: list[npt.NDArray[Any]] = []
        if self.coordinates is not None:
            points.append(self.coordinates)
        for grid in self._grids:
            yield from islice(laid_in_folds(grid, self.routes), most // (2 * len(self._grids)))
            points.append(grid.coordinates)
        for coordinates in points:
            yield from islice(along_curves(coordinates, self.routes), most // (2 * len(points)))

    def _embedded(self, level: int) -> Iterator[tuple[str, Ints]]:
        """All messages next to each other; or, if that cannot be, the heavy ones."""
        whole = "an embedding: every message over at most one channel"
        heavy = "an embedding of the heavy messages"
        for k, part in enumerate(heavy_parts(*self._pairs)):
            if (k > 0) == (level > 0):
                node_of = embedding(self.demand.between(part), self.routes).node_of
                if node_of is not None:
                    yield heavy if level else whole, node_of
                    return

    def _scotch(self, k: int) -> Iterator[tuple[str, Ints]]:
        if k not in self._mappings:
            most = max(1, int(_MAPPINGS / scotch_seconds(self.demand)))
            ahead = range(k, min(_SEEDS, k + most))
            seeds = [2 * (self.seed * _SEEDS + number) + 1 for number in ahead]
            placements = scotch_placements(self.demand.merged, self.routes, seeds)
            for place, number in enumerate(ahead):
                self._mappings[number] = placements[place : place + 1]
        for placement in self._mappings[k]:
            yield "Scotch", placement

    def _renamed(self, seconds: float, tries: int) -> Iterator[tuple[str, Ints]]:
        """An order of address bits, the best if so many nominal seconds suffice; a linear map."""
        demand, routes = self.demand, self.routes
        order = best_order_of_bits(
            self.program, self.network, demand, routes, self.weights, tries,
            lambda cost: cost <= seconds,
        )  # fmt: skip
        if order is None:
            return
        yield order.how, order.node_of
        linear = best_linear_map(self.program, self.network, demand, routes, order, 0, tries)
        if linear.order != order.order:
            yield linear.how, linear.node_of

    def _coded(self, k: int) -> Iterator[tuple[str, Ints]]:
        """The k-th choice of axes in Gray code, on the grid that was stated or else recognised."""
        for grid in self._grids[:1]:
            choices = codes(grid)
            if k < len(choices):
                yield from coded(grid, self.demand, self.network, choices[k])
