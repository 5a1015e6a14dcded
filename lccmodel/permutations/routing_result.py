"""One permutation routed by one method, counted from the positions of its messages alone.

    occupancy      the most messages in a node, before step 1 and after every step: its buffers
    load           messages on the busiest channel in every step
    rounds         Σ load: a channel carries one message at a time, and a step ends with its last
    on a mesh      every message moves one node at a time (`movement.unit_steps`), and the
                   messages on every channel of the mesh are counted

By hand, messages 1 -> 2 and 2 -> 1 on a mesh of four nodes in a row, bit 0 first: 1 > 0, 0 > 1 > 2
and 2 > 3, 3 > 2 > 1. That is 6 hops where the shortest ways take 2.

A method that is not built in is one value: a name, what it needs, and a function that moves the
messages. `compare(c, also=[method])` counts it beside the others; `docs/add_a_routing_method.md`
works an example out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lccmodel.errors import InputError, SizeLimitError, checked_array
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.movement import Certificate, Conflict, Movement
from lccmodel.network import Mesh
from lccmodel.network.hypercube import cube_of
from lccmodel.permutations.exchanges import ExchangeFactors
from lccmodel.permutations.self_routing import SelfRouting
from lccmodel.permutations.simd_mesh import MeshPlan

_MAX_ON_MESH = 16
"""Most address bits for which every message is moved node by node."""


@dataclass(frozen=True, eq=False, repr=False)
class RoutedPermutation(Answer, view="routed"):
    """One permutation routed by one method, or why it cannot be.

    Attributes:
        method: a word, such as a key of `comparison.METHODS`.
        title: its name for people.
        requires: what the method has to know or to be able to do.
        destinations: of every message, in the numbers of `movement`; int64, shape (2^n,).
        movement: where the messages stand; None if the method cannot route the permutation.
        order: the order in which the bits are corrected, None if nodes differ in it.
        made: the `SelfRouting`, `ExchangeFactors` or `MeshPlan` that the movement is of, if any.
        words: what stands in place of the order where there is none.
        reason: why there is no movement, or why messages are not delivered.
        brief: why there is no movement, in a few words.
        mesh: the mesh or torus where it is counted too, or None.
        nodes: the node of the mesh for every number, int64; None if they are the same.
    """

    method: str
    title: str
    requires: str
    destinations: Ints
    movement: Movement | None
    order: tuple[int, ...] | None = None
    made: SelfRouting | ExchangeFactors | MeshPlan | None = None
    reason: str = ""
    brief: str = ""
    mesh: Mesh | None = None
    nodes: Ints | None = None
    words: str = "differs by node"

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.destinations.size.bit_length() - 1

    @property
    def delivered(self) -> bool:
        """Whether every message stands in its destination at the end."""
        return self.movement is not None and np.array_equal(self.movement.ends, self.destinations)

    @property
    def contention_free(self) -> bool:
        """Whether no channel of the hypercube carries two messages in a step."""
        return self.movement is not None and max(self.movement.loads, default=0) <= 1

    @property
    def follows_lattice(self) -> bool:
        """Whether the movement is the one that corrects the bits in this order, and no other."""
        if self.movement is None or self.order is None:
            return False
        return self.movement == Movement.along(self.destinations.tolist(), self.order)

    @property
    def steps(self) -> int:
        """Routing steps, those in which no message moves included."""
        return 0 if self.movement is None else self.movement.steps

    @property
    def rounds(self) -> int:
        """Σ load: time on a hypercube whose channels carry one message at a time."""
        return 0 if self.movement is None else sum(self.movement.loads)

    @property
    def busiest(self) -> int:
        """Messages on the busiest channel of the hypercube, from start to end."""
        return 0 if self.movement is None else self.movement.channel_use.degree

    @property
    def hops(self) -> int:
        """Channels of the hypercube that all messages cross together."""
        return 0 if self.movement is None else self.movement.hops

    @property
    def buffers(self) -> int:
        """The most messages that a node ever holds between steps."""
        return 0 if self.movement is None else max(self.movement.occupancies)

    @cached_property
    def one_port(self) -> Certificate | Conflict | None:
        """Whether a node sends at most one message and receives at most one in every step.

        That is the model of [boppana, section 2.1]. None if there is no movement.
        """
        return None if self.movement is None else self.movement.replay("one")

    @property
    def price(self) -> int | None:
        """Unit shifts of the SIMD mesh as its registers made them; None for other methods."""
        return self.made.steps if isinstance(self.made, MeshPlan) else None

    @cached_property
    def on_mesh(self) -> Movement | None:
        """The movement on the mesh or torus; None without one, or if there is no movement.

        Raises:
            SizeLimitError: n > 16.
        """
        if self.movement is None or self.mesh is None:
            return None
        if self.n > _MAX_ON_MESH:
            rule = f"every message is moved node by node, so n <= {_MAX_ON_MESH} on a mesh"
            raise SizeLimitError("network", rule, self.mesh.spec)
        return self.movement.on(self.mesh, self.nodes)

    def __repr__(self) -> str:
        if self.movement is None:
            return f"<RoutedPermutation {self.title}: none; {self.reason}>"
        end = "delivered" if self.delivered else f"not delivered: {self.reason}"
        return (
            f"<RoutedPermutation {self.title}: order {self.order}, "
            f"occupancy {self.movement.occupancies}, load {self.movement.loads}; {end}>"
        )


@typed_arguments
@dataclass(frozen=True)
class Method:
    """A routing method for permutations of 2^n nodes.

    Args:
        name: a word, for data.
        title: its name for people.
        requires: what it has to know or to be able to do, for the table.
        move: from the destination of every node's message (int64, shape (2^n,)) to the movement
            on a network of 2^n nodes in which message x starts at node x. It raises an
            `InputError` for a permutation that it cannot route. On another network than the
            hypercube the jumps are counted on the hypercube, too, as those of all methods are.

    >>> def move(destinations):
    ...     n = destinations.size.bit_length() - 1
    ...     return Movement.along(destinations.tolist(), range(n)[::-1])
    >>> reverse = Method("reverse", "bit 0 last", "any permutation", move)
    >>> swapped = reverse.routed(np.array([0, 2, 1, 3]))
    >>> swapped.movement.loads, swapped.order
    ((1, 1), (1, 0))
    """

    name: str
    title: str
    requires: str
    move: Callable[[Ints], Movement]

    def routed(self, destinations: Ints, mesh: Mesh | None = None) -> RoutedPermutation:
        """Return one permutation by this method, or why it cannot be.

        Args:
            destinations: of every node's message, int64 of shape (2^n,), n >= 1.
            mesh: where the movement is counted too.

        Raises:
            InputError: what `move` returns is not a movement of these messages.
        """
        if not callable(self.move):
            raise InputError(self.name, "must have a function that moves messages", self.move)
        destinations = checked_array("destinations", destinations)
        facts = (self.name, self.title, self.requires, destinations)
        try:
            movement = self.move(destinations)
        except InputError as error:
            return RoutedPermutation(*facts, None, reason=error.rule, brief="none", mesh=mesh)
        if not isinstance(movement, Movement):
            raise InputError(self.name, "must return a Movement", movement)
        if not np.array_equal(movement.starts, np.arange(destinations.size)):
            rule = "must start message x at node x, for every node"
            raise InputError(self.name, rule, movement.starts.tolist())
        astray = np.flatnonzero(movement.ends != destinations)
        reason = ""
        if len(astray):
            x = int(astray[0])
            reason = f"message {x} ends at node {movement.ends[x]}, not at {destinations[x]}"
        cube = cube_of(destinations.size)
        if movement.network != cube:
            movement = movement.on(cube)
        return RoutedPermutation(
            *facts,
            movement,
            _order_of(movement, destinations),
            reason=reason,
            words="as it chooses",
            mesh=mesh,
        )


def _order_of(movement: Movement, destinations: Ints) -> tuple[int, ...] | None:
    """The order in which every step corrects one bit of all messages, if that is what it does."""
    rows = movement.positions
    moved = np.bitwise_or.reduce(rows[1:] ^ rows[:-1], axis=1).tolist()
    n = destinations.size.bit_length() - 1
    idle = (bit for bit in range(n) if 1 << bit not in moved)  # a bit that is right everywhere
    order = [bits.bit_length() - 1 if bits else next(idle, -1) for bits in moved]
    if sorted(order) != list(range(n)):
        return None
    return tuple(order) if movement == Movement.along(destinations.tolist(), order) else None
