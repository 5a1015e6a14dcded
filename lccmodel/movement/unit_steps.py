"""A movement channel by channel: what its steps take when a message crosses one channel at a time.

A step of the hypercube that corrects bit k moves messages h = 2^(k - s) nodes along one axis of a
mesh, where s is the least address bit of that axis [boppana, section 3.1]. Here every message
moves one node at a time, and a model of ports says what may happen in a unit step:

    all             a channel carries one message each way; any number of them per processor
    one             a processor sends at most one message and receives at most one, as
                    section 2.1 has it; messages wait in their processors
    half-duplex     as all, but a link carries one message in one of its directions
    one-direction   all messages that move go the same way (SIMD, as in [sibeyn])

By hand, 4 nodes in a row exchange bit 1 (h = 2): 0 and 1 send to 2 and 3, 2 and 3 to 0 and 1.

    all    1: 0>1 1>2 2>1 3>2      2: 1>2 2>3 1>0 2>1            nodes 1 and 2 receive two each
    one    1: 1>2 2>1      2: 0>1 2>3 1>0 3>2      3: 1>2 2>1    2h - 1 = 3 unit steps

No schedule with one port is faster: node h of 2h receives h messages from its left that are for
it and its right, and h - 1 from its right. And this many are enough: let the messages leave in
the order in which they stand from the middle, one in each unit step, and never stop. Two of the
opposite directions then never come to a node together, because their nodes differ in parity.

What is left here is a movement again, of single hops; its replay under the same model is a
certificate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lccmodel.errors import NetworkError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.ground.words import checked_word
from lccmodel.movement.jumps import Jumps
from lccmodel.movement.replay import Ports, checked_ports
from lccmodel.network import Mesh, parse_network
from lccmodel.network.ring_direction import LINE

UNIT_PORTS = ("all", "one", "one-direction")
"""The models in which tables count unit steps."""


@dataclass(frozen=True, eq=False)
class MeshRun(Answer, view="mesh-run"):
    """A movement on a mesh or torus, counted in unit steps.

    Attributes:
        network: the mesh or torus.
        ports: the model: "all", "one", "half-duplex" or "one-direction".
        unit_steps: unit steps in every step of the movement.
        most_sent, most_received: the most messages that a processor sends, and receives, in a
            unit step.
        most_held: the most messages in a processor after a unit step.
        hops: the messages moved one hop in every unit step, if recorded.

    >>> from lccmodel import catalog
    >>> from lccmodel.permutations import self_route
    >>> from lccmodel.movement import move_on_mesh
    >>> from lccmodel.network import Mesh
    >>> shifts = move_on_mesh(self_route(catalog.bit_reverse(4)).movement, Mesh((4, 4)))
    >>> shifts.unit_steps, shifts.most_held
    ((1, 2, 2, 1), 2)
    """

    network: Mesh
    ports: str
    unit_steps: tuple[int, ...]
    most_sent: int
    most_received: int
    most_held: int
    hops: Any = None

    @property
    def total(self) -> int:
        """All unit steps."""
        return sum(self.unit_steps)

    def __repr__(self) -> str:
        return (
            f"<MeshRun {self.network.spec}, ports {self.ports!r}: {self.total} unit steps "
            f"{self.unit_steps}; at most {self.most_sent} sent, {self.most_received} received, "
            f"{self.most_held} held>"
        )


@typed_arguments
def move_on_mesh(
    movement: Jumps, mesh: Any, ports: str | Ports = "all", *, record: bool = False
) -> MeshRun:
    """Move the messages over the channels of a mesh or torus, one node at a time.

    Where messages of different bits move in one step (M-SIMD, MIMD), they may want the same
    channel or port; then the one that leaves earlier goes first, then the one of the lower source.

    Args:
        movement: of any routing method, in the node numbers of the mesh.
        mesh: a `Mesh` or `Torus` of as many nodes, or its word.
        ports: "all", "one", "half-duplex" or "one-direction".
        record: whether to keep every hop.

    Raises:
        NetworkError: not a mesh or torus, or another size.
        InputError: an unknown model.

    >>> from lccmodel.movement import Movement
    >>> run = move_on_mesh(Movement.along([0, 2, 1, 3], [0, 1]), Mesh((4,)), "one", record=True)
    >>> run
    <MeshRun mesh:4, ports 'one': 3 unit steps (1, 2); at most 1 sent, 1 received, 2 held>
    >>> run.hops.replay("one")
    <Certificate of 4 messages on mesh:4, ports 'one': 3 steps, 6 hops, at most 1 on a channel>
    """
    if isinstance(mesh, str):
        mesh = parse_network(mesh)
    if not isinstance(mesh, Mesh):
        rule = "hops are counted on a mesh or torus; route with network=Mesh(...) or Torus(...)"
        raise NetworkError("network", rule, mesh)
    if mesh.size != movement.network.size:
        raise NetworkError("network", f"must have 2^{movement.n} nodes, as the walk has", mesh)
    if not isinstance(ports, Ports) and ports != "half-duplex":
        checked_word("ports", ports, UNIT_PORTS)
    return _Run(movement, mesh, checked_ports(ports), record).result()


class _Run:
    """The state of `move_on_mesh`: where messages are, and who used what last."""

    def __init__(self, movement: Jumps, mesh: Mesh, ports: Ports, record: bool) -> None:
        from lccmodel.movement.kernels import HELD, ROWS

        self.movement, self.mesh, self.ports = movement, mesh, ports
        self.form = mesh._kernel_form
        self.scratch = np.zeros((ROWS, mesh.size), dtype=np.int64)
        self.scratch[HELD] = movement.held(0)
        self.channels = np.zeros(2 * mesh.dimensions * mesh.size, dtype=np.int64)
        self.most = np.array([0, 0, movement.occupancies[0]], dtype=np.int64)
        self.rules = np.array([getattr(ports, name) for name in _RULES], dtype=np.int64)
        self.clock = 0  # unit steps so far
        self.moved: list[Ints] | None = [] if record else None  # messages, by unit step
        self.nodes: list[Ints] = []  # and where they went

    def result(self) -> MeshRun:
        """All steps, one after another."""
        taken = tuple(self._step(step) for step in range(self.movement.steps))
        sent, received, held = (int(count) for count in self.most)
        hops = None if self.moved is None else self._recorded(self.moved)
        return MeshRun(self.mesh, self.ports.name, taken, sent, received, held, hops)

    def _step(self, step: int) -> int:
        """The unit steps that one step takes."""
        from lccmodel.movement.kernels import RUN, most_of, unit_step

        movement = self.movement
        jumps = slice(movement.first[step], movement.first[step + 1])
        message, at = movement.message[jumps], movement.origin[jumps].copy()
        goal, ties = movement.target[jumps], movement.tie_numbers
        tie = ties[message] if len(ties) > 1 else np.full(len(message), ties[0])
        leaves = self.clock + self._leaves(at, goal, tie)
        order = np.lexsort((movement.starts[message], leaves))
        runs = np.zeros((len(at), RUN), dtype=np.int64)
        went = np.empty(len(at), dtype=np.int64)
        left, began = len(at), self.clock
        while left:
            self.clock += 1
            moves = (order, leaves, at, goal, tie, runs, self.rules, self.clock)
            moved, arrived = unit_step(self.form, *moves, self.scratch, self.channels, went)
            left -= arrived
            self.most[:] = np.maximum(self.most, most_of(self.clock, self.scratch))
            if self.moved is not None:
                jumped = np.sort(went[:moved])
                self.moved.append(message[jumped])
                self.nodes.append(at[jumped])
        return self.clock - began

    def _leaves(self, at: Ints, goal: Ints, tie: Ints) -> Ints:
        """The first unit step of every message: with one port, by its place from the middle."""
        moves = at ^ goal
        leaves = np.ones(len(at), dtype=np.int64)
        size = self.mesh.size
        if not self.ports.one or not len(at) or size & size - 1 or (moves & moves - 1).any():
            return leaves
        widths = [length.bit_length() - 1 for length in self.mesh.shape]
        axis = np.repeat(np.arange(len(widths)), widths)[np.bitwise_count(moves - 1)]
        low, length = np.cumsum([0, *widths])[axis], np.array(self.mesh.shape)[axis]
        rings = np.array([self.mesh.is_ring(a) for a in range(len(widths))])
        hops, c, d = moves >> low, at >> low & length - 1, goal >> low & length - 1
        goes_round = rings[axis] & (2 * hops == length) & (tie != LINE)
        place = c & hops - 1
        leaves = np.where(goes_round, 1, np.where(d < c, place + 1, hops - place))
        return np.asarray(leaves - (leaves.min() - 1))  # nobody waits for nobody

    def _recorded(self, moved: list[Ints]) -> Jumps:
        first = np.cumsum([0, *(len(jumped) for jumped in moved)])
        none = np.empty(0, dtype=np.int64)
        message, target = np.concatenate([none, *moved]), np.concatenate([none, *self.nodes])
        return type(self.movement)(self.mesh, self.movement.starts, first, message, target)


_RULES = ("one", "half_duplex", "one_direction")
