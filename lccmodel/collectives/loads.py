"""What a plan makes channels and ports carry, step by step, as exact fractions of the vector.

A step lasts as long as its busiest resource. Loads are those of `network.loads`, counted once for
a `Stage`, however many steps it has. What a rank sends and receives counts too:

    one port     a rank sends one message at a time and receives one: more of them in a step start
                 one after another, and all that it sends goes through its port
    all ports    one on each link: messages that leave or reach a rank by the same link wait. Where
                 ranks hang on routers (several to a node, fat trees) that link is the one port;
                 a host with adapters at several switches has one port on each

A port of a rank carries what the network states of it (`Network.node_ports`), else 1.

Blocks that go from one rank to another in a step are one message, whichever part of the plan sends
them; of different segments they are different messages.

A message half-way round a ring goes + from even coordinates and - from odd ones (the rule `split`
of `network.ring_direction`), so that neither direction has more to carry. The network's own count
sends all of them +; so those that go - are counted as two messages, to the neighbour on the - side
and on.

Inside a node of several ranks a start-up and an item may count less than 1 (`inside`): then a step
has whole numbers of a part of a start-up, `PlanLoads.part`.

Segments run one step behind the other, or `Plan.lag` steps. Which of their steps collide is not
assumed: the loads of all steps under way are added, channel by channel and port by port. With a
lag, steps that are equal modulo the lag are under way at one time: they are counted by themselves.
Resources that all stages use alike are counted once. A `Paced` plan is counted in few segments,
and a turn of its rounds as often as it is repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm, prod
from typing import NamedTuple

import numpy as np

from lccmodel.collectives.algorithms import AllOrOne, hosts_of, uses_all_ports
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import Stage
from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Flags, Ints
from lccmodel.ground.views import Answer
from lccmodel.network import ChannelLoads, Network
from lccmodel.network.plain import plain_network
from lccmodel.network.ring_direction import TIES, goes_plus
from lccmodel.network.wiring import NodePorts

_MOST_KEPT = 1 << 25
"""Most loads of all stages together that are kept to be added up; beyond, one segment alone."""
_NONE = np.empty(0, np.int64)
_FEW = 8
"""Messages up to which their paths are listed, in place of counters for every channel."""


class StepCost(NamedTuple):
    """What a step takes, in whole numbers: data in units of `PlanLoads.grain` over the segments.

    Attributes:
        start_ups: messages that start one after another at the busiest rank.
        carried: data on the busiest channel or port, over its bandwidth.
        hops: channels of the longest route.
        reduced: data that the busiest rank adds up.
    """

    start_ups: int
    carried: int
    hops: int
    reduced: int


class _Use(NamedTuple):
    """What a stage uses, of all resources those that it uses, and its longest route."""

    places: Ints
    amounts: Ints
    hops: int


@typed_arguments
@dataclass(frozen=True, eq=False, repr=False)
class PlanLoads(Answer, view="plan-loads"):
    """The loads of a plan on a network under a placement.

    Attributes:
        plan: the plan.
        network: where; its routes are taken.
        node_of: the node of every rank; int64 of shape (p,).
        ports: "one" or "all".
        inside: what a start-up and an item of a message inside a node count; 1 between nodes.

    >>> from lccmodel import collectives
    >>> loads = collectives.allreduce("swing", "torus:8").loads()
    >>> loads.per_step
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4), Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
    >>> loads.busiest, loads.start_ups
    (Fraction(2, 1), 6)
    """

    plan: Plan
    network: Network
    node_of: Ints
    ports: AllOrOne = "one"
    inside: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1))

    def __post_init__(self) -> None:
        if not isinstance(self.plan, Plan):
            raise InputError("plan", "must be a plan of a collective", self.plan)
        if self.node_of.shape != (self.plan.ranks,):
            rule = f"must be the nodes of {self.plan.ranks} ranks"
            raise InputError("node_of", rule, self.node_of)

    @property
    def grain(self) -> Fraction:
        """What 1 in `StepCost.carried` stands for, as a fraction of the vector."""
        return self.plan.unit / (self._scale * self.inside[1].denominator)

    @property
    def part(self) -> Fraction:
        """What 1 in `StepCost.start_ups` stands for, as a fraction of a start-up."""
        return Fraction(1, self.inside[0].denominator)

    @property
    def start_ups(self) -> int:
        """Start-ups of all steps, one after another."""
        return sum(cost.start_ups * times for cost, times in self.costs(1).items())

    @property
    def busiest(self) -> Fraction:
        """Data on the busiest channel or port, summed over the steps; a fraction of the vector."""
        return self.grain * sum(cost.carried * times for cost, times in self.costs(1).items())

    @property
    def per_step_costs(self) -> tuple[StepCost, ...]:
        """What every step takes."""
        stage_costs = zip(self._stage_costs, self.plan.stages, strict=True)
        return tuple(cost for cost, stage in stage_costs for _ in range(stage.times))

    @property
    def per_step(self) -> tuple[Fraction, ...]:
        """Data on the busiest channel or port in every step; fractions of the vector."""
        return tuple(self.grain * cost.carried for cost in self.per_step_costs)

    def of(self, step: int) -> ChannelLoads:
        """Return the load of every channel in a step; a load of 1 is the whole vector of a rank.

        Raises:
            InputError: no such step.

        >>> from lccmodel import collectives
        >>> collectives.allreduce("swing", "torus:8").loads().of(2).degree
        Fraction(1, 4)
        """
        checked_integer("step", step)
        for number, _, stage in self.plan.timed():
            if number == step:
                pairs, sizes = self._pairs(stage)
                legs = _half_ways(self._whole, self.network.in_whole(pairs), sizes)
                counts = self._whole.channel_loads(*legs).counts
                return ChannelLoads(self.network, counts, self.plan.unit or Fraction(1))
        raise InputError("step", f"must be in 0..{self.plan.steps - 1}", step)

    def costs(self, segments: int) -> Counter[StepCost]:
        """Return how many steps of the plan in so many segments take what.

        That is `Plan.segmented`, counted from the loads of its stages. With at least as many
        segments as steps, all further ones add steps in which everything is under way.
        """
        checked_integer("segments", segments, least=1)
        kept: dict[int, Counter[StepCost]] = self.__dict__.setdefault("_costs", {})
        if segments in kept:
            return kept[segments]
        counts: Counter[StepCost] = Counter()
        steps, paced = self.depth, self.plan.paced
        if paced is not None and segments > 1:
            base, turns = paced.base(segments)
            if turns:
                counts = self.costs(base).copy()
                for cost in self.fulls:
                    counts[cost] += turns
            else:
                counts = replace(self, plan=paced.plan_of(segments)).costs(1)
        elif segments == 1:
            for cost, stage in zip(self._stage_costs, self.plan.stages, strict=True):
                counts[cost] += stage.times
        elif self.plan.lag > 1:
            for part in self.by_turn:
                counts += part.costs(segments)
        elif segments <= steps:
            for cost, times in self._windows(segments):
                counts[cost] += times
        elif steps:
            counts = self.costs(steps).copy()
            counts[self.full] += segments - steps
        kept[segments] = counts
        return counts

    @property
    def depth(self) -> int:
        """How many segments are under way at a time, at most."""
        paced = self.plan.paced
        return -(-self.plan.steps // self.plan.lag) if paced is None else paced.turn + 1

    @property
    def is_paced(self) -> bool:
        """Whether there is a plan of its own for every number of segments."""
        return self.plan.paced is not None

    def split(self, segments: int) -> tuple[int, int]:
        """Return fewer segments, and how often `fulls` are added to their steps."""
        if self.plan.paced is not None:
            return self.plan.paced.base(segments)
        more = max(0, segments - max(1, self.depth))
        return segments - more, more

    @cached_property
    def by_turn(self) -> tuple[PlanLoads, ...]:
        """The loads of the steps that are under way together, for each step of a lag."""
        lag = self.plan.lag
        if lag == 1:
            return (self,)
        turns = range(min(lag, self.plan.steps))
        return tuple(replace(self, plan=self.plan.every(lag, turn)) for turn in turns)

    @cached_property
    def fulls(self) -> tuple[StepCost, ...]:
        """The costs of the steps that a further segment adds, once all are under way.

        Of a paced plan those of a further turn of segments.
        """
        if self.plan.paced is not None:
            full = replace(self, plan=self.plan.paced.full)
            return full.per_step_costs
        return tuple(part.full for part in self.by_turn)

    @property
    def segmentable(self) -> bool:
        """Whether segments are counted: not for an alltoall, a barrier, or loads beyond memory."""
        return self.plan.collective not in ("alltoall", "barrier") and (
            self.plan.paced is not None or self._uses is not None
        )

    # -- counting -------------------------------------------------------------------------

    @cached_property
    def _scale(self) -> int:
        """Data over bandwidths are whole numbers of 1 / scale blocks."""
        widths, ports = {*self.network.bandwidths}, self._node_ports
        if ports.is_stated and self._n_ports:
            widths |= {*ports.bandwidth}
        return lcm(*(width.numerator for width in widths))

    @property
    def _node_ports(self) -> NodePorts:
        return self.network.node_ports

    @cached_property
    def _port_factors(self) -> Ints:
        """The scale over the bandwidth of every port of a node."""
        ports = self._node_ports
        if not ports.is_stated:
            return np.full(len(ports.router), self._scale)
        return np.array([int(self._scale / width) for width in ports.bandwidth], np.int64)

    @cached_property
    def _n_ports(self) -> int:
        """Ports that are counted by themselves; none if they are channels, see the module."""
        if not uses_all_ports(self.network, self.ports):
            return self.network.size
        return len(self._node_ports.router) if self._whole.has_several_ports else 0

    @cached_property
    def _starts(self) -> Ints:
        """Where the resources of each kind begin: channels, waiting messages, ports, sums."""
        channels, ports = self._numbers, self._n_ports
        return np.cumsum([0, channels, 2 * (ports or channels), 2 * ports or 1])

    @property
    def _whole(self) -> Network:
        """The network whose channels are counted, also those that a job's messages cross."""
        return self.network.whole_network

    @cached_property
    def _ways(self) -> Network:
        """A table of the routes of a grid as that grid, whose messages go either way round."""
        return plain_network(self._whole) if self._whole.geometry.is_grid else self._whole

    @cached_property
    def _numbers(self) -> int:
        """No channel has this number, neither by its counter nor in `_ways`."""
        return max(prod(loads.counter_shape) for loads in (self._whole, self._ways))

    @property
    def _resources(self) -> int:
        """How many resources there are; the last are the sums of every rank."""
        return int(self._starts[-1]) + self.plan.ranks

    @cached_property
    def _counted(self) -> tuple[list[StepCost], list[_Use] | None]:
        """The cost of every stage, and what it uses while that fits memory."""
        costs: list[StepCost] = []
        uses: list[_Use] = []
        kept = 0
        for stage in self.plan.stages:
            use = self._use(stage)
            costs.append(
                self._cost(use.amounts, np.searchsorted(use.places, self._starts), use.hops)
            )
            kept += len(use.places)
            if kept <= _MOST_KEPT:
                uses.append(use)
        return costs, uses if kept <= _MOST_KEPT else None

    @property
    def _stage_costs(self) -> list[StepCost]:
        return self._counted[0]

    @property
    def _uses(self) -> list[_Use] | None:
        return self._counted[1]

    def _pairs(self, stage: Stage) -> tuple[Ints, Ints]:
        """The nodes of every message, int64 (m, 2), and its blocks."""
        sizes = [_NONE, *(np.full(len(s.source), s.size) for s in stage.sends)]
        return self.node_of[np.stack(stage.ends()[:2], axis=1)], np.concatenate(sizes)

    def _use(self, stage: Stage) -> _Use:
        """What a stage uses: channels, then waiting messages, ports and sums."""
        pairs, sizes = self._pairs(stage)
        scale = self._scale
        starting, weight = self._weights(pairs)
        starting = starting * _first_of(stage.message_of())
        added = [_NONE, *(np.full(len(s.source), s.size * s.add) for s in stage.sends)]
        reduced = np.concatenate(added) * (scale * self.inside[1].denominator)
        sizes = sizes * weight
        _, starts, ports, sums = self._starts.tolist()
        target = stage.ends()[1]
        hops, links, message = self._routes(pairs)
        places, amounts = self._on_channels(pairs, sizes)
        every, many = [places, sums + target], [amounts, reduced]
        if self._n_ports:
            ends, factors = self._ends(pairs)
            every += [starts + ends, ports + ends]
            many += [np.tile(starting, 2), np.tile(sizes, 2) * factors]
        else:
            every.append(starts + links)
            many.append(starting[message])
        used, counted = _added(np.concatenate(every), np.concatenate(many), self._resources)
        return _Use(used, counted, hops)

    def _ends(self, pairs: Ints) -> tuple[Ints, Ints]:
        """The ports by which every message leaves and comes, and the scale over their bandwidths.

        Both int64 (2 m,). With one port, all adapters of a rank are this port.
        """
        ports, whole, many = self._node_ports, self._whole, self._n_ports
        nodes = self.network.in_whole(pairs).T
        used = ports.first[nodes]
        if whole.has_several_ports:
            used = self._adapters(nodes.T)
        factors = self._port_factors[used.ravel()]
        one_port = not uses_all_ports(self.network, self.ports)
        places = (pairs.T if one_port else used) + np.array([[0], [many]])
        return places.ravel(), factors

    def _adapters(self, pairs: Ints) -> Ints:
        """The ports of nodes that messages take, int64 (2, m): those of their routes.

        A message between two nodes at one switch takes the widest port that both have there.
        """
        whole, ports = self._whole, self._node_ports
        nodes, message = np.unique(pairs, axis=0, return_inverse=True)
        adapters = np.empty((2, len(nodes)), np.int64)
        for k, (x, y) in enumerate(nodes.tolist()):
            here, there = (
                {ports.router[port]: port for port in range(*ports.first[node : node + 2])}
                for node in (x, y)
            )
            links = [link[:2] for link in whole.channels(x, y)]
            if links:
                tail, head = links[0][0] - whole.first_router, links[-1][1] - whole.first_router
            else:
                tail = head = max(
                    (router for router in here if router in there),
                    key=lambda router: min(
                        ports.bandwidth[here[router]], ports.bandwidth[there[router]]
                    ),
                )
            adapters[:, k] = here[tail], there[head]
        return adapters[:, message.reshape(-1)]

    def _weights(self, pairs: Ints) -> tuple[Ints, Ints]:
        """Parts of a start-up and of an item of every message, inside its node or between."""
        source, target = hosts_of(self.network, pairs).T
        here = source == target
        start, item = (
            np.where(here, weight.numerator, weight.denominator).astype(np.int64)
            for weight in self.inside
        )
        return start, item

    def _on_channels(self, pairs: Ints, sizes: Ints) -> tuple[Ints, Ints]:
        """Channels that carry something, by counter, and what over their bandwidth."""
        network = self._whole
        rows, columns = network.counter_shape
        factors = np.array(
            [int(self._scale / network.bandwidths[network.row_dimension(r)]) for r in range(rows)]
        )
        legs, weights = _half_ways(network, self.network.in_whole(pairs), sizes)
        if len(legs) > _FEW:
            counts = network.channel_loads(legs, weights).counts.ravel()
            places = np.flatnonzero(counts)
            return places, counts[places] * factors[places // columns]
        taken = [
            (row * columns + column, size * factors[row])
            for (x, y), size in zip(legs.tolist(), weights.tolist(), strict=True)
            for row, column in (network.counter(*link) for link in network.channels(x, y))
        ]
        both = np.array(taken, np.int64).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def _routes(self, pairs: Ints) -> tuple[int, Ints, Ints]:
        """The longest route, the channels on which messages begin and end, and which they are."""
        from lccmodel.collectives.kernels import ends_of_routes

        source, target = np.ascontiguousarray(self.network.in_whole(pairs).T)
        first, last = np.empty((2, len(pairs)), np.int64)
        grid = self._ways
        form, split = grid._kernel_form, TIES.index("split")
        hops = ends_of_routes(form, grid.diameter, source, target, split, first, last)
        used = np.flatnonzero(first >= 0)
        ends = np.concatenate([first[used], last[used] + self._numbers])
        return hops, ends, np.concatenate([used, used])

    @staticmethod
    def _cost(amounts: Ints, cuts: Ints, hops: int) -> StepCost:
        """The most of each kind of resource; the kinds begin at `cuts`."""
        ends = [*cuts.tolist(), len(amounts)]
        channels, starts, ports, sums = (
            int(amounts[low:high].max(initial=0)) for low, high in pairwise(ends)
        )
        return StepCost(starts, max(channels, ports), hops, sums)

    # -- segments -------------------------------------------------------------------------

    @cached_property
    def full(self) -> StepCost:
        """What a further segment adds, once every step of the plan is under way in some segment."""
        if not self.plan.steps:
            return StepCost(0, 0, 0, 0)
        if self.plan.lag > 1 or self.plan.paced is not None:
            return StepCost(*map(sum, zip(*self.fulls, strict=True)))
        cuts, first, places, amounts, hops = self._in_use
        times = np.array([stage.times for stage in self.plan.stages])
        together = np.zeros(cuts[-1], np.int64)
        np.add.at(together, places, amounts * np.repeat(times, np.diff(first)))
        return self._cost(together, cuts[:-1], int(hops.max()))

    def _windows(self, segments: int) -> list[tuple[StepCost, int]]:
        """Costs in turn, and of how many steps: the last `segments` of the plan are under way."""
        from lccmodel.collectives.kernels import under_way

        cuts, first, places, amounts, hops = self._in_use
        of_step = np.repeat(np.arange(len(hops)), [stage.times for stage in self.plan.stages])
        out = np.empty((len(of_step) + segments - 1, 5), np.int64)
        under_way(first, places, amounts, hops, of_step, cuts, segments, out)
        out[:, 0] = out[:, [0, 2]].max(axis=1)  # channels and ports
        new = np.flatnonzero(np.r_[True, (out[1:] != out[:-1]).any(axis=1)])
        times = np.diff(np.append(new, len(out))).tolist()
        kept = zip(out[new].tolist(), times, strict=True)
        return [(StepCost(starts, data, far, sums), n) for (data, starts, _, sums, far), n in kept]

    @cached_property
    def _in_use(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """Kinds, stages, places, amounts and hops as `under_way` takes them."""
        uses = self._uses or []
        kinds = np.searchsorted(self._starts, np.arange(self._resources), "right") - 1
        chosen = _unlike(kinds, uses)
        kept = np.flatnonzero(chosen)
        number = np.cumsum(chosen) - 1
        cuts = np.append(np.searchsorted(kept, self._starts), len(kept))
        parts = [
            (use.places[here], use.amounts[here]) for use in uses for here in [chosen[use.places]]
        ]
        first = np.cumsum([0, *(len(places) for places, _ in parts)])
        places = number[np.concatenate([places for places, _ in parts])]
        amounts = np.concatenate([amounts for _, amounts in parts])
        return cuts, first, places, amounts, np.array([use.hops for use in uses])

    def __repr__(self) -> str:
        where = f"{self.plan!r} on {self.network.spec}"
        return f"<PlanLoads of {where}: busiest {self.busiest}, {self.start_ups} start-ups>"


def _first_of(message_of: Ints) -> Ints:
    """Return 1 for the first row of every message and 0 for its others; int64 (rows,).

    Messages are numbered by their first rows.

    >>> _first_of(np.array([0, 1, 0, 2, 1])).tolist()
    [1, 1, 0, 1, 0]
    """
    before = np.maximum.accumulate(np.concatenate([[-1], message_of[:-1]]))
    first: Ints = (message_of > before).astype(np.int64)
    return first


def _unlike(kinds: Ints, uses: Sequence[_Use]) -> Flags:
    """Return one resource of every set that all stages use alike; bool (resources,).

    Resources of one kind that carry the same amounts stage by stage carry the same whatever stages
    are under way: on a torus nearly all of them do. Sets are divided stage by stage.

    >>> uses = [_Use(np.array([0, 1, 2]), np.array([5, 5, 7]), 1)]
    >>> _unlike(np.array([0, 0, 0, 0]), uses).tolist()
    [True, False, True, False]
    """
    alike, sets = kinds.copy(), int(kinds.max(initial=0)) + 1
    used = np.zeros(len(kinds), np.bool_)
    for use in uses:
        pairs = np.stack([alike[use.places], use.amounts])
        widest = int(use.amounts.max(initial=0)) + 1
        if sets * widest < 1 << 62:  # a pair is one number, which sorts ten times as fast
            new, inverse = np.unique(pairs[0] * widest + pairs[1], return_inverse=True)
        else:
            new, inverse = np.unique(pairs.T, axis=0, return_inverse=True)
        alike[use.places] = sets + inverse.reshape(-1)
        sets += len(new)
        used[use.places] = True
    places = np.flatnonzero(used)
    chosen = np.zeros(len(kinds), np.bool_)
    chosen[places[np.unique(alike[places], return_index=True)[1]]] = True
    return chosen


_DENSE = 16
"""Of so few resources per entry every one gets a counter; else entries are sorted."""


def _added(places: Ints, amounts: Ints, most: int) -> tuple[Ints, Ints]:
    """The places of 0..most - 1 that occur, ascending, and the sum of what is at each.

    >>> [part.tolist() for part in _added(np.array([7, 2, 7]), np.array([1, 2, 3]), 9)]
    [[2, 7], [2, 4]]
    """
    distinct, inverse = _numbered(places, most)
    counted = np.zeros(len(distinct), np.int64)
    np.add.at(counted, inverse, amounts)
    return distinct, counted


def _numbered(places: Ints, most: int) -> tuple[Ints, Ints]:
    """The places of 0..most - 1 that occur, ascending, and the number of each among them."""
    if most > _DENSE * len(places):
        distinct, inverse = np.unique(places, return_inverse=True)
        return distinct, inverse.reshape(-1)
    number = np.zeros(most, np.int64)
    number[places] = 1
    distinct = np.flatnonzero(number)
    number[distinct] = np.arange(len(distinct))
    return distinct, number[places]


def _half_ways(network: Network, pairs: Ints, sizes: Ints) -> tuple[Ints, Ints]:
    """The same messages, those that go half-way round in the - direction as two; see the module.

    >>> from lccmodel.network import Torus
    >>> _half_ways(Torus((4,)), np.array([[0, 2], [1, 3]]), np.array([5, 6]))[0].tolist()
    [[0, 2], [1, 0], [0, 3]]
    """
    grid = network.geometry  # without axes where it is no grid
    per = grid.per_router
    for length, stride, ring in zip(grid.sides, grid.strides, grid.rings, strict=True):
        if length % 2 or not ring:
            continue
        at, to = pairs.T // per
        c, d = at // stride % length, to // stride % length
        ahead = (d - c) % length
        back = (ahead == length // 2) & ~goes_plus(ahead, length, c, d, TIES.index("split"))
        if not back.any():
            continue
        low = to[back] % stride + at[back] // stride * stride  # lower axes are done by then
        via = (low + ((c[back] - 1) % length - c[back]) * stride) * per
        first = np.stack([pairs[back, 0], via], axis=1)
        rest = np.stack([via, pairs[back, 1]], axis=1)
        pairs = np.concatenate([pairs[~back], first, rest])
        sizes = np.concatenate([sizes[~back], sizes[back], sizes[back]])
    return pairs, sizes
