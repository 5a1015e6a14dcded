"""Algorithm HL [boppana, section 2.3]: self-routing by what each processor sees in its own tags.

By hand, for the exchange of two bits (tags in binary, processors 00, 01, 10, 11):

    before     00     10     01     11       state A: each corrects bit 0
    step 1     00,10  -      -      01,11    state B: the two tags differ in bit 1
    step 2     00     01     10     11       state A: delivered

States are observed from the positions, not assumed [boppana, section 2.2]:

    A        every processor has one tag
    B        half the processors have two tags, the others none
    other    anything else; linear-complement permutations never get there
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lccmodel.communication.destinations import Permutation, destinations_of
from lccmodel.errors import SizeLimitError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.movement import MeshRun, Movement
from lccmodel.network import Hypercube, Mesh
from lccmodel.network.hypercube import cube_of
from lccmodel.network.spec import cube_or_mesh
from lccmodel.permutations.partitioned.tree import PartitionTree
from lccmodel.permutations.self_routing import readings
from lccmodel.permutations.self_routing.readings import Rules


@dataclass(frozen=True, slots=True)
class Failure:
    """Why tags were not delivered.

    `reason` is "disagreement" (processors in lockstep came to different bits), "state" (neither
    A nor B, in the reading that needs one), "third tag", "two arrive", or "undelivered" (all
    steps were made). `step` is the step that could not be made, counted from 1, or the last one;
    `processors` are those concerned, `bits` what they chose, -1 for nothing.

    >>> from lccmodel.permutations import self_route
    >>> failure = self_route([3, 6, 1, 5, 7, 0, 4, 2]).failure
    >>> print(failure)
    in step 2 processor 0 chooses bit 1, but 3 chooses 2
    >>> failure.reason, failure.step
    ('disagreement', 2)
    """

    reason: str
    step: int
    processors: tuple[int, ...]
    bits: tuple[int, ...]
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class RoutingRow:
    """One line of `SelfRouting.table`: step 0 is the state before routing.

    `moved` counts the tags that cross a channel, `occupancy` the most tags in a processor after
    the step, `load` the tags on the busiest channel during it. `bits` are the bits that were
    chosen, several when processors differ.

    >>> from lccmodel import catalog
    >>> from lccmodel.permutations import self_route
    >>> self_route(catalog.bit_reverse(2)).table()[1]
    RoutingRow(step=1, bits=(0,), state='B', moved=2, occupancy=2, load=1)
    """

    step: int
    bits: tuple[int, ...]
    state: str
    moved: int
    occupancy: int
    load: int


@dataclass(frozen=True, eq=False, repr=False)
class SelfRouting(Answer, view="self-routing"):
    """What happened when a permutation was self-routed; made by `self_route`.

    Attributes:
        destinations: the tag of every source, int64 of shape (2^n,).
        movement: all steps that were made, on the hypercube.
        choices: the bit that every processor chose in every step, -1 if it did nothing: int8 of
            shape (steps, 2^n).
        rules: mode, variant and reading.
        network: where it was routed.
        failure: why tags were not delivered, or None.

    >>> from lccmodel import catalog
    >>> from lccmodel.permutations import self_route
    >>> routed = self_route(catalog.bit_reverse(2))
    >>> routed.choices.tolist(), routed.failure
    ([[0, 0, 0, 0], [1, -1, -1, 1]], None)
    """

    destinations: Ints
    movement: Movement
    choices: npt.NDArray[np.int8]
    rules: Rules
    network: Hypercube | Mesh | None
    failure: Failure | None

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.movement.n

    @property
    def mode(self) -> str:
        """One of "simd", "m-simd" and "mimd"."""
        return self.rules.mode

    @property
    def steps(self) -> int:
        """Routing steps that were made."""
        return self.movement.steps

    @property
    def delivered(self) -> bool:
        """Whether every tag stands in its destination at the end."""
        return self.failure is None

    @cached_property
    def bits(self) -> tuple[tuple[int, ...], ...]:
        """The bits that processors chose in every step, ascending."""
        return tuple(tuple(int(b) for b in np.unique(row) if b >= 0) for row in self.choices)

    @property
    def order(self) -> tuple[int, ...] | None:
        """The order in which the bits were corrected; None if processors chose different ones."""
        if any(len(step) > 1 for step in self.bits):
            return None
        return tuple(bit for step in self.bits for bit in step)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The state before step 1 and after every step: "A", "B" or "other"."""
        return tuple(_state(self.movement.held(step)) for step in range(self.steps + 1))

    @cached_property
    def tags(self) -> Ints:
        """The tags in every processor before step 1 and after every step, ascending by source.

        int64 of shape (steps + 1, 2^n, w) with -1 for none; w is the most tags that a processor
        ever holds, and at least 2.
        """
        size, width = len(self.destinations), max(2, *self.movement.occupancies)
        tags = np.full((self.steps + 1, size, width), -1, dtype=np.int64)
        for step, hosts in enumerate(self.movement.positions):
            by_host = np.argsort(hosts, kind="stable")
            held = self.movement.held(step)
            slot = np.arange(size) - np.repeat(np.cumsum(held) - held, held)
            tags[step, hosts[by_host], slot] = self.destinations[by_host]
        tags.flags.writeable = False
        return tags

    @cached_property
    def moved(self) -> Ints:
        """The tag that every processor sends in every step, -1 for none: (steps, 2^n), int64."""
        moved = np.full((self.steps, len(self.destinations)), -1, dtype=np.int64)
        for step, (before, after) in enumerate(pairwise(self.movement.positions)):
            sent = before != after
            moved[step, before[sent]] = self.destinations[sent]
        moved.flags.writeable = False
        return moved

    def table(self) -> tuple[RoutingRow, ...]:
        """Return one row for the start and one for every step."""
        walk = self.movement
        start = RoutingRow(0, (), self.states[0], 0, walk.occupancies[0], 0)
        rest = (
            RoutingRow(
                k + 1,
                self.bits[k],
                self.states[k + 1],
                walk.moves[k],
                walk.occupancies[k + 1],
                walk.loads[k],
            )
            for k in range(self.steps)
        )
        return (start, *rest)

    @cached_property
    def _on_network(self) -> Movement:
        """The movement on `network`; on the hypercube where none was named."""
        return self.movement if self.network is None else self.movement.on(self.network)

    def on_mesh(self, ports: str = "all") -> MeshRun:
        """Return this routing channel by channel on a mesh or torus; see `move_on_mesh`.

        Raises:
            NetworkError: the permutation was routed on a hypercube.
            InputError: an unknown model of ports.
        """
        return self._on_network.in_unit_steps(ports)

    def __repr__(self) -> str:
        where = "" if self.network is None else f" on {self.network.spec}"
        steps = "; ".join(
            f"{'/'.join(map(str, bits)) or '-'}: {state}"
            for bits, state in zip(self.bits, self.states[1:], strict=True)
        )
        end = "delivered" if self.failure is None else f"not delivered: {self.failure}"
        return f"<SelfRouting {self.rules}{where}; {self.states[0]}; {steps}; {end}>"


def _state(held: Ints) -> str:
    if (held == 1).all():
        return "A"
    if ((held == 0) | (held == 2)).all():  # there are as many tags as processors
        return "B"
    return "other"


def _explained(
    end: int, made: int, u: int, v: int, movement: Movement, destinations: Ints, choice: Ints
) -> Failure | None:
    """What the return value of `kernels.route` says, in words."""
    if end == readings.DELIVERED:
        return None
    step, who = made + 1, [u]
    if end == readings.DISAGREEMENT:
        who = [u, v]
        text = f"in step {step} processor {u} chooses bit {choice[u]}, but {v} chooses {choice[v]}"
    elif end == readings.NEITHER_STATE:
        held = movement.held(made)
        who = [u, most := int(held.argmax())]
        text = f"before step {step} the state is neither A nor B: processor {u} has {held[u]}"
        text += f" of the tags, {most} has {held[most]}"
    elif end == readings.THIRD_TAG:
        text = f"in step {step} processor {u} would hold a third tag"
    elif end == readings.TWO_ARRIVE:
        text = f"in step {step} two tags would arrive in processor {u}"
    else:
        host = int(movement.ends[u])
        text = f"after {made} steps tag {destinations[u]} stands in processor {host}"
        return Failure("undelivered", made, (host,), (-1,), text)
    return Failure(readings.ENDINGS[end], step, tuple(who), tuple(choice[who].tolist()), text)


MAX_TRACED = 20
"""Address bits up to which every step is recorded: 2^20 processors, about 200 MB."""


@typed_arguments
def self_route(
    communication: Permutation,
    mode: str = "simd",
    variant: str = "lsb",
    network: Hypercube | Mesh | str | None = None,
    *,
    reading: str | None = None,
    third: str = "kept",
    receive: str = "any",
    steps: int | None = None,
    partition: Sequence[int] | PartitionTree = (),
) -> SelfRouting:
    """Route a permutation by algorithm HL and record every step [boppana, section 2.3].

    A linear-complement permutation is delivered in n steps in every variant and in each of the
    modes "simd" and "m-simd" [boppana, Theorem 1]; a partitioned one by "m-simd" with its tree,
    `partition=partition_tree(p)` [boppana, Lemma 7]. For other permutations the result tells
    whether it is delivered, and if not, why; that is not an error.

    Args:
        communication: an LCC that is a permutation, or any sequence of 2^n destinations.
        mode: "simd", "m-simd" or "mimd" [boppana, section 3.3].
        variant: "lsb" or "msb".
        network: a hypercube, mesh or torus of 2^n nodes; on the last two the result's `on_mesh`
            counts unit steps. The hypercube of n dimensions if left out.
        reading, third, receive, steps, partition: what the paper leaves open; see `Rules`.

    Raises:
        CommunicationError: not a permutation.
        NetworkError: a network of another kind or size.
        InputError: an unknown mode, variant or reading.
        SizeLimitError: n > 20.

    >>> from lccmodel import LCC
    >>> routed = self_route(LCC([[0, 1], [1, 0]]))
    >>> routed.order, routed.states, routed.delivered
    ((0, 1), ('A', 'B', 'A'), True)
    >>> routed.tags[1].tolist(), routed.moved.tolist()
    ([[0, 2], [-1, -1], [-1, -1], [1, 3]], [[-1, 2, 1, -1], [2, -1, -1, 1]])
    >>> print(self_route([0, 1, 2, 4, 3, 7, 5, 6]).failure)
    in step 2 processor 0 chooses bit 1, but 5 chooses 2
    >>> self_route([0, 1, 2, 4, 3, 7, 5, 6], mode="mimd").delivered
    True
    """
    from lccmodel.permutations.self_routing import kernels

    rules = Rules(mode, variant, reading, third, receive, steps, partition)
    destinations = destinations_of(communication)
    n = destinations.size.bit_length() - 1
    on = None if network is None else cube_or_mesh(network, n)
    if n > MAX_TRACED:
        rule = f"every step is recorded up to n = {MAX_TRACED}; route_all only counts"
        raise SizeLimitError("communication", rule, n)
    most = rules.steps_for(n)
    positions = np.empty((most + 1, destinations.size), dtype=np.int64)
    choices = np.full((most, destinations.size), -1, dtype=np.int8)
    state = np.zeros((kernels.ROWS, destinations.size), dtype=np.int64)
    end, made, u, v = kernels.route(
        destinations, rules.codes(n), rules.starts(n), most, positions, choices, state
    )
    positions.flags.writeable = False
    movement = Movement.of_positions(cube_of(destinations.size), positions[: made + 1])
    destinations.flags.writeable = choices.flags.writeable = False
    failure = _explained(end, made, u, v, movement, destinations, state[kernels.CHOICE])
    return SelfRouting(destinations, movement, choices[:made], rules, on, failure)
