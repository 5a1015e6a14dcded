"""Messages on a network, step by step: where they stand, what channels carry, what conflicts.

Movement(network, ...)           the one value; docs/movement.md works it out by hand
movement.in_unit_steps("one")    the same on a mesh or torus, one channel at a time
movement.replay("one")           a `Certificate`, or the first `Conflict` under a model of ports
"""

from lccmodel.movement.movement import Movement
from lccmodel.movement.replay import (
    PORTS,
    Certificate,
    Conflict,
    Message,
    Ports,
)
from lccmodel.movement.unit_steps import (
    UNIT_PORTS,
    MeshRun,
    move_on_mesh,
)

__all__ = [
    "PORTS",
    "UNIT_PORTS",
    "Certificate",
    "Conflict",
    "MeshRun",
    "Message",
    "Movement",
    "Ports",
    "move_on_mesh",
]
