"""Circuit switching: tags go ahead and set up paths; no two may share a link.

[boppana, section 3.2] holds a link for the whole transmission, in each direction for one path at
most. A link is therefore a directed channel here, and what counts is not the load of one step but
that of all steps together. On a hypercube each bit is corrected once, so two paths that meet on a
channel met in one step, and HL keeps that load at 1 [boppana, Lemma 5]. On a mesh the paths of
different bits run over the same channels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError
from lccmodel.methods.self_routing.route import SelfRouting
from lccmodel.movement import Conflict, Movement
from lccmodel.network import Mesh
from lccmodel.network.loads import Channel
from lccmodel.views import Viewed


@dataclass(frozen=True, eq=False)
class Circuits(Viewed, view="circuits"):
    """The paths that the tags of a self-routing set up; made by `circuits`.

    Attributes:
        movement: the paths, channel by channel: a step for every hop (or wait).
        conflict: the first two paths that share a channel, or None: then all can be held at the
            same time, and `movement` is the certificate.

    >>> from lccmodel import catalog
    >>> from lccmodel.methods import circuits, self_route
    >>> found = circuits(self_route(catalog.bit_reverse(2)))
    >>> found.movement, found.conflict is None
    (<Movement of 4 messages on cube:2: 2 steps, 4 hops>, True)
    """

    movement: Movement
    conflict: Conflict | None

    @property
    def disjoint(self) -> bool:
        """Whether no two paths share a channel."""
        return self.conflict is None

    def path(self, source: int) -> list[int]:
        """The nodes of one path, both ends included.

        Raises:
            InputError: no such source.
        """
        if not 0 <= source < self.movement.messages:
            raise InputError("source", f"must be in 0..{self.movement.messages - 1}", source)
        return self.movement.path(source)

    @cached_property
    def channels(self) -> tuple[tuple[Channel, ...], ...]:
        """The channels of every path, in the order in which it takes them."""
        return tuple(tuple(pairwise(self.path(x))) for x in range(self.movement.messages))

    def __repr__(self) -> str:
        found = "no two share a channel" if self.conflict is None else str(self.conflict)
        return f"<Circuits of {self.movement.messages} messages: {found}>"


@typed_arguments
def circuits(routed: SelfRouting) -> Circuits:
    """Set up the paths of a self-routing, and find out whether two share a channel.

    Args:
        routed: a delivered one; on a mesh or torus its paths are those hop by hop.

    Raises:
        InputError: not a self-routing, or one that is not delivered.

    >>> from lccmodel.methods.self_routing.route import self_route
    >>> found = circuits(self_route([0, 2, 1, 3]))
    >>> found, found.path(1)
    (<Circuits of 4 messages: no two share a channel>, [1, 0, 2])
    >>> circuits(self_route([3, 2, 1, 0], network=Mesh((4,))))
    <Circuits of 4 messages: the paths of 0 and 1 both take the channel from 0 to 1>
    """
    if not isinstance(routed, SelfRouting):
        raise InputError("routed", "must be a SelfRouting, which self_route makes", routed)
    if not routed.delivered:
        rule = "only a delivered routing leaves paths; try another mode or reading"
        raise InputError("routed", rule, str(routed.failure))
    movement = routed.movement
    if isinstance(routed.network, Mesh):
        hops = movement.on(routed.network).in_unit_steps(record=True).hops
        assert hops is not None
        movement = hops
    found = movement.replay(circuits=True)
    return Circuits(movement, found if isinstance(found, Conflict) else None)
