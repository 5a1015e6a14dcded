"""What a self-routing did: where every tag stands, who chose which bit, who moved what.

States are observed from the positions, not assumed [boppana, section 2.2]:

    A        every processor has one tag
    B        half the processors have two tags, the others none
    other    anything else; linear-complement permutations never get there
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from lccmodel._arrays import Ints
from lccmodel.methods.self_routing import readings
from lccmodel.methods.self_routing.readings import Rules
from lccmodel.movement import MeshRun, Movement
from lccmodel.network import Hypercube, Mesh
from lccmodel.views import Viewed


@dataclass(frozen=True, slots=True)
class Failure:
    """Why tags were not delivered.

    `reason` is "disagreement" (processors in lockstep came to different bits), "state" (neither
    A nor B, in the reading that needs one), "third tag", "two arrive", or "undelivered" (all
    steps were made). `step` is the step that could not be made, counted from 1, or the last one;
    `processors` are those concerned, `bits` what they chose, -1 for nothing.

    >>> from lccmodel.methods import self_route
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
    >>> from lccmodel.methods import self_route
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
class SelfRouting(Viewed, view="self-routing"):
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
    >>> from lccmodel.methods import self_route
    >>> found = self_route(catalog.bit_reverse(2))
    >>> found.choices.tolist(), found.failure
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
        """One row for the start and one for every step."""
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
        """The same routing channel by channel on `network`, a mesh or torus; see `move_on_mesh`.

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


def explain(
    end: int, step: int, u: int, v: int, movement: Movement, destinations: Ints, choice: Ints
) -> Failure | None:
    """What the return value of `kernels.route` says, in words."""
    if end == readings.DELIVERED:
        return None
    next_step = step + 1
    if end == readings.DISAGREEMENT:
        bits = (int(choice[u]), int(choice[v]))
        text = f"in step {next_step} processor {u} chooses bit {bits[0]}, but {v} chooses {bits[1]}"
        return Failure("disagreement", next_step, (u, v), bits, text)
    if end == readings.NEITHER_STATE:
        held = movement.held(step)
        text = f"before step {next_step} the state is neither A nor B: processor {u} has {held[u]}"
        most = int(held.argmax())
        text += f" of the tags, {most} has {held[most]}"
        return Failure("state", next_step, (u, most), _chosen(choice, u, most), text)
    if end == readings.THIRD_TAG:
        text = f"in step {next_step} processor {u} would hold a third tag"
        return Failure("third tag", next_step, (u,), _chosen(choice, u), text)
    if end == readings.TWO_ARRIVE:
        text = f"in step {next_step} two tags would arrive in processor {u}"
        return Failure("two arrive", next_step, (u,), _chosen(choice, u), text)
    tag, host = int(destinations[u]), int(movement.ends[u])
    text = f"after {step} steps tag {tag} stands in processor {host}"
    return Failure("undelivered", step, (host,), (-1,), text)


def _chosen(choice: Ints, *processors: int) -> tuple[int, ...]:
    return tuple(int(choice[u]) for u in processors)
