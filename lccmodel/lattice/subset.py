"""The subset programme: an optimal order for a *set* of communications [hou, Theorem 6].

An order of the address bits is a path through the correction lattice, so the best order for any
set of bits ends in some bit j and is best before it: 2^n subsets instead of n! orders. The three
objectives of the paper, for members r with weights w_r and dimensions i:

    max-max   max over r, i of w_r T_i(A_r)          the subroutines are called one at a time
    max-sum   max over i of the sum over r           they run at the same time
    sum-sum   sum over i and r                       their loads are paid one after another

A member that is y = Ax + b, alike in volume, is priced by ranks of submatrices; any other traffic
by counting what is on each channel behind every set (`lattice.counts`), since where a message
stands depends on the set alone.

On a bristled hypercube one bit lies inside the router; each of the n choices is a programme over
the other n-1 bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, InputError, SizeLimitError
from lccmodel.ground.arrays import Ints, Words
from lccmodel.ground.numbers import Number, as_number
from lccmodel.kernels.threads import cores, in_threads
from lccmodel.lattice.counts import Counts
from lccmodel.lattice.weights import SetObjective, exact_weights, positive_fraction

MAX_SUBSET_DIMENSION = 26
"""Largest number of ordered bits: 2^26 costs of 8 bytes fill half a gibibyte."""

MAX_COUNTED_DIMENSION = 20
"""Largest number of ordered bits whose orders are counted: 20! is the last below 2^64."""

_CHUNK = 1 << 10
"""Sets that are priced at a time: their costs stay in cache."""

_NEIGHBOURS = 1 << 3
"""Sets that are priced for the sake of one: messages are counted behind so many in one go."""

_SETS_TRIED = 1 << 8
"""Sets that a walk prices before all are priced, besides one in 128: it takes n states for each."""

_WORTH_THREADS = 1 << 24
"""Messages, or 64 of them for a matrix, times sets, from which threads pay for their start."""

_NEVER = 1 << 61  # beyond every sum of loads; the `UNREACHABLE` of `lattice.kernels`, without numba


@dataclass(frozen=True)
class SubsetProgramme:
    """The subset programme for one choice of internal bits.

    Args:
        communications: the members: `LCC`s of the same n, or traffic of at most 2^n ranks.
        weights: one positive weight a member.
        objective: "max-max", "max-sum" or "sum-sum".
        internal: the bits inside the router: () on a hypercube, (z,) on a bristled one.
        caps: the largest degree of contention allowed to each member, or None for no limit.
        n: number of address bits; that of the largest member if left out.

    Raises:
        SizeLimitError: more than 26 bits to order, or more than 20 where messages are counted.
        InputError: the weights are so large that a sum of loads could pass 2^61.
        CommunicationError: volumes without a small common unit.

    >>> from lccmodel.communication.catalog import bit_reverse, matrix_transpose
    >>> programme = SubsetProgramme((matrix_transpose(8), bit_reverse(8)), (1, 1), "max-max")
    >>> programme.optimum, programme.count()
    (2, 2304)
    >>> next(iter(programme.orders()))      # the first in lexicographic order
    (0, 3, 4, 1, 7, 2, 5, 6)
    >>> from lccmodel import Traffic
    >>> three = Traffic([(0, 3), (1, 3), (2, 1)], [5, 1, 4])
    >>> SubsetProgramme((three,), (1,), "max-max").optimum
    5
    """

    communications: tuple[LCC | Traffic, ...]
    weights: tuple[Number, ...]
    objective: SetObjective
    internal: tuple[int, ...] = ()
    caps: tuple[int | None, ...] = ()
    n: int = 0
    _members: tuple[LCC | Counts, ...] = field(init=False, repr=False, compare=False)
    _units: tuple[Fraction, ...] = field(init=False, repr=False, compare=False)
    _scale: int = field(init=False, repr=False, compare=False)
    _integers: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        bits = len(self._external)
        if bits > MAX_SUBSET_DIMENSION:
            rule = f"the subset programme orders up to {MAX_SUBSET_DIMENSION} bits (2^n states)"
            raise SizeLimitError("n", rule, self._n)
        members, units = zip(*(_member(c, self._n) for c in self.communications), strict=True)
        if bits > MAX_COUNTED_DIMENSION and any(isinstance(m, Counts) for m in members):
            rule = f"messages are counted behind every set up to {MAX_COUNTED_DIMENSION} bits"
            raise SizeLimitError("n", rule, self._n)
        scale, integers = _integers(self.weights, units)
        largest = max(_volume(member) for member in members)
        if sum(integers) * self._n * largest >= _NEVER:
            rule = "over their common denominator, their sum times n 2^n must stay below 2^61"
            raise InputError("weights", rule, self.weights)
        values = (("_members", members), ("_units", units), ("_scale", scale))
        for key, value in (*values, ("_integers", integers)):
            object.__setattr__(self, key, value)

    @cached_property
    def _n(self) -> int:
        return self.n or max(member.n for member in self.communications)

    @cached_property
    def _external(self) -> tuple[int, ...]:
        return tuple(k for k in range(self._n) if k not in self.internal)

    @cached_property
    def optimum(self) -> Number | None:
        """The least value of the objective over all orders; None if no order respects the caps."""
        cost = int(self._cost_to_go[0])
        return None if cost >= _NEVER else as_number(Fraction(cost, self._scale))

    def count(self) -> int:
        """How many orders reach the optimum.

        Raises:
            SizeLimitError: more than 20 bits to order.
        """
        bits = len(self._external)
        if bits > MAX_COUNTED_DIMENSION:
            rule = f"orders are counted up to {MAX_COUNTED_DIMENSION} bits (21! passes 2^64)"
            raise SizeLimitError("n", rule, self._n)
        if self.optimum is None:
            return 0
        from lccmodel.lattice import kernels

        ways, summed = np.zeros(1 << bits, dtype=np.uint64), self.objective == "sum-sum"
        h = self._cost_to_go
        self._over_sets(lambda first, costs: kernels.count(first, costs, summed, h, ways))
        return int(ways[0])

    def orders(self) -> Iterator[tuple[int, ...]]:
        """All optimal orders of the external bits, lazily, in lexicographic order."""
        if self.optimum is not None:
            summed = self.objective == "sum-sum"
            yield from self._extended((), 0, None if summed else int(self._cost_to_go[0]))

    def _extended(
        self, prefix: tuple[int, ...], subset: int, most: int | None
    ) -> Iterator[tuple[int, ...]]:
        """The orders that begin with `prefix`, whose positions form `subset`.

        Those in which no step and no rest costs more than `most`; or, if None, of least sums.
        """
        if len(prefix) == len(self._external):
            yield prefix
            return
        h = self._cost_to_go
        for position, cost in enumerate(self._prices(subset)):
            after = subset | 1 << position
            if after == subset:
                continue
            if most is None:
                keeps = cost + h[after] == h[subset]
            else:
                keeps = max(cost, h[after]) <= most
            if keeps:
                yield from self._extended((*prefix, self._external[position]), after, most)

    def least(self) -> tuple[Number, tuple[int, ...]] | None:
        """The optimum and the first optimal order; None if no order respects the caps.

        Where the dearest step decides, only the sets are priced that cheaper steps can reach,
        unless they are many.
        """
        walked = None if self.objective == "sum-sum" else self._walked(0)
        if walked is None:
            return None if self.optimum is None else (self.optimum, next(self.orders()))
        cost, order = walked
        return None if cost >= _NEVER else (as_number(Fraction(cost, self._scale)), order)

    def first_within_caps(self) -> tuple[int, ...] | None:
        """The first order that keeps every member within its cap, or None if there is none."""
        walked = self._walked(_NEVER - 1)
        if walked is None:
            return next(self._extended((), 0, _NEVER - 1), None)
        cost, order = walked
        return None if cost >= _NEVER else order

    def _walked(self, top: int) -> tuple[int, tuple[int, ...]] | None:
        """The least cost from `top` on and the first order of it, `_NEVER` where there is none.

        None if messages are counted, or too many sets are met; then all sets are to be priced.
        """
        from lccmodel.lattice import kernels

        if self._counted:
            return None
        bits = len(self._external)
        order = np.zeros(bits, dtype=np.int64)
        visits = _SETS_TRIED + (1 << bits >> 7)
        summed = self.objective != "max-max"
        cost = kernels.least_path(*self._arrays, summed, top, visits, order)
        if cost == kernels.GAVE_UP:
            return None
        return cost, tuple(self._external[position] for position in order.tolist())

    def _prices(self, subset: int) -> list[int]:
        """The costs of all steps after one set."""
        size = min(_NEIGHBOURS, 1 << len(self._external))
        costs = np.empty((size, len(self._external)), dtype=np.int64)
        self._fill(subset // size * size, costs)
        prices: list[int] = costs[subset % size].tolist()
        return prices

    @cached_property
    def _cost_to_go(self) -> npt.NDArray[np.int64]:
        from lccmodel.lattice import kernels

        h, summed = np.empty(1 << len(self._external), dtype=np.int64), self.objective == "sum-sum"
        self._over_sets(lambda first, costs: kernels.relax(first, costs, summed, h))
        return h

    def _over_sets(self, use: Callable[[int, Ints], None]) -> None:
        """Price all sets, a chunk at a time, and use the prices: after those of all supersets.

        The sets of a chunk agree in their high bits. Two chunks with as many high bits hold no set
        and its superset, so they are independent of each other, and threads share them.
        """
        bits = len(self._external)
        size = min(_CHUNK, 1 << bits)
        numbers = np.arange((1 << bits) // size)
        ones = np.array([number.bit_count() for number in range(numbers.size)])
        threads = cores() if self._work >= _WORTH_THREADS else 1

        def job(chunks: Ints) -> None:
            costs = np.empty((size, bits), dtype=np.int64)
            for number in chunks[::-1].tolist():
                self._fill(number * size, costs)
                use(number * size, costs)

        self._counted, self._arrays  # noqa: B018 - threads find them made
        for layer in range(int(ones[-1]), -1, -1):
            chunks = numbers[ones == layer]
            many = min(threads, chunks.size)
            parts = np.array_split(chunks, many) if many > 1 else [chunks]
            in_threads([partial(job, part) for part in parts], threads)

    @property
    def _work(self) -> int:
        """Messages and matrices times sets: how long the pricing takes."""
        messages = sum(sources.size for (sources, _, _), _, _ in self._counted)
        return messages + 64 * len(self._arrays[0]) << len(self._external)

    def _fill(self, first: int, costs: Ints) -> None:
        """The prices of the sets first, first + 1, ...: by ranks, then by counts."""
        from lccmodel.lattice import kernels
        from lccmodel.lattice.set_counts import loads_of_sets

        kernels.fill_ranks(first, costs, *self._arrays, self.objective != "max-max")
        for messages, weight, cap in self._counted:
            loads = np.empty_like(costs)
            loads_of_sets(first, *messages, loads)
            loads *= weight
            loads[loads > cap] = _NEVER
            if self.objective == "max-max":
                np.maximum(costs, loads, out=costs)
            else:
                np.minimum(costs + loads, _NEVER, out=costs)

    @cached_property
    def _counted(self) -> tuple[tuple[tuple[Words, Words, Ints], int, int], ...]:
        """Members whose messages are counted; their weights and caps, in units of the costs."""
        from lccmodel.lattice.set_counts import outside

        parts = zip(self._members, self._integers, self._caps, strict=True)
        return tuple(
            (outside(member.inside(self.internal)), weight, min(weight * cap, _NEVER))
            for member, weight, cap in parts
            if isinstance(member, Counts)
        )

    @cached_property
    def _arrays(
        self,
    ) -> tuple[
        npt.NDArray[np.uint32],
        npt.NDArray[np.bool_],
        npt.NDArray[np.uint32],
        npt.NDArray[np.int64],
        npt.NDArray[np.int64],
    ]:
        """What the kernel reads: the ordered bits first, the internal bits last."""
        order = (*self._external, *self.internal)
        merged: dict[tuple[tuple[int, ...], bool, int], tuple[int, int]] = {}
        for member, weight, cap in zip(self._members, self._integers, self._caps, strict=True):
            if isinstance(member, Counts):
                continue
            c = member.reordered(order)
            moves = sum(1 << i for i in range(self._n) if c.moves(i))
            alike = (c.A.columns, c.kind == "scatter", moves)  # equal loads for every order
            others, least = merged.get(alike, (0, cap))
            joint = max(others, weight) if self.objective == "max-max" else others + weight
            merged[alike] = (joint, min(least, cap))
        return (
            np.array([columns for columns, _, _ in merged], np.uint32).reshape(-1, self._n),
            np.array([is_scatter for _, is_scatter, _ in merged], np.bool_),
            np.array([moves for _, _, moves in merged], dtype=np.uint32),
            np.array([weight for weight, _ in merged.values()], dtype=np.int64),
            np.array([min(w * cap, _NEVER) for w, cap in merged.values()], dtype=np.int64),
        )

    @property
    def _caps(self) -> tuple[int, ...]:
        """The largest load allowed to each member, before weights and in its unit."""
        caps = self.caps or (None,) * len(self.communications)
        return tuple(
            _NEVER if cap is None else int(cap / unit)
            for cap, unit in zip(caps, self._units, strict=True)
        )

    def release(self) -> None:
        """Forget the 2^m costs, 8 bytes each; they are computed anew when they are needed."""
        self.__dict__.pop("_cost_to_go", None)

    @property
    def searches(self) -> int:
        """Number of pairs (S, j) that the answer covers: m 2^(m-1) for m bits [hou, Theorem 6]."""
        bits = len(self._external)
        return bits << bits >> 1


def first_of_least(programmes: Sequence[SubsetProgramme]) -> tuple[Number, tuple[int, ...]]:
    """The least optimum, and the first optimal order of the first programme that reaches it."""
    best: tuple[Number, tuple[int, ...]] | None = None
    for programme in programmes:
        least = programme.least()
        programme.release()
        assert least is not None, "without caps every order is allowed"
        if best is None or least[0] < best[0]:
            best = least[0], (*programme.internal, *least[1])
    assert best is not None, "there is a programme for every choice of internal bits"
    return best


def _member(member: LCC | Traffic, n: int) -> tuple[LCC | Counts, Fraction]:
    """What prices a member, and the unit of its loads: ranks if it is y = Ax + b, else counts."""
    if isinstance(member, LCC):
        if member.n != n:
            raise CommunicationError(
                "communications", f"must all have n = {n} address bits", member
            )
        return member, Fraction(1)
    c = member.lcc
    if c is not None and c.n == n:
        return c, Fraction(member.uniform_volume)
    volumes, unit = member.exact
    return Counts(n, member.sources, member.destinations, volumes), unit


def _volume(member: LCC | Counts) -> int:
    """What all messages carry together, in units: no load is larger."""
    return 1 << member.n if isinstance(member, LCC) else int(member.volumes.sum())


def _integers(weights: Sequence[Number], units: Sequence[Fraction]) -> tuple[int, tuple[int, ...]]:
    """As `exact_weights`, for loads that are counted in units."""
    exact = exact_weights(weights, len(units))
    if all(unit == 1 for unit in units):
        return exact
    return exact_weights(
        [positive_fraction(w) * u for w, u in zip(weights, units, strict=True)], len(units)
    )
