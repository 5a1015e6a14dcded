"""What a routing method is: a name, what it needs, and a function that moves the messages.

A method that is not built in is one value, and `compare(c, also=[method])` counts it beside the
others, from where its messages stand:

    reverse = Method("reverse", "bit 0 last", "any permutation", move)

`docs/add_a_routing_method.md` works an example out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel.errors import InputError, checked_array
from lccmodel.methods.routed import RoutedPermutation
from lccmodel.movement import Movement
from lccmodel.network import Mesh
from lccmodel.network.hypercube import cube_of


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
        """One permutation by this method, or why it cannot be.

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
