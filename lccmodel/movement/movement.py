"""Messages on a network over steps: the value that every routing method and schedule leaves.

A message starts at a node. In a step it stays, or it jumps: along the dimension-ordered route to
another node, over one channel or several. Everything that is said of a movement - messages in a
node, messages on a channel - is counted from the jumps alone, never from a formula, so that it can
be held against the ranks of `lattice` or the closed forms of `pipelining`.

    source x     node after step 0, 1 of correcting bits 0, 1 of y = (x_1, x_0)
    0            0  0        messages in a node: 1, then 2, then 1
    1            0  2        messages on the busiest channel: 1, then 1
    2            3  1
    3            3  3

`movement.replay` has what a model of ports allows; docs/movement.md works both out by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.destinations import checked_order, destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, SizeLimitError, checked_array
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Viewed
from lccmodel.movement.jumps import Jumps, check_range
from lccmodel.movement.replay import Certificate, Conflict, Ports, replay
from lccmodel.movement.unit_steps import MeshRun, move_on_mesh
from lccmodel.network import Network, as_network
from lccmodel.network.hypercube import cube_of
from lccmodel.network.ring_direction import TieName

MAX_STEPS = 1 << 27
"""Steps that a schedule may have: every step has an entry, 1 GiB together."""


@typed_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Movement(Jumps, Viewed, view="movement"):
    """Where messages stand on a network, step by step.

    Args:
        network: whose dimension-ordered routes the messages take.
        starts: the node of every message before step 0; int64 of shape (m,).
        first: jumps first[t] .. first[t + 1] - 1 are those of step t; int64 of shape (steps + 1,).
        message, target: of every jump the message that makes it and the node it goes to; int64 of
            shape (jumps,). A message jumps at most once in a step, and never to where it stands.
        ties: the rule for half a ring of a torus, "plus", "split" or "line"
            (`network.ring_direction`); one for all messages, or the numbers of one rule for each,
            int64 of shape (m,).
        label: what a message is called beside its source and destination, by its number.

    Raises:
        InputError: arrays of other shapes, nodes or messages that there are not, a message that
            jumps twice in a step, or to where it stands.

    >>> movement = Movement.along(LCC([[0, 1], [1, 0]]), [0, 1])
    >>> movement.positions.tolist()
    [[0, 1, 2, 3], [0, 0, 3, 3], [0, 2, 1, 3]]
    >>> movement.occupancies, movement.loads, movement.moves
    ((1, 2, 1), (1, 1), (2, 2))
    >>> movement
    <Movement of 4 messages on cube:2: 2 steps, 4 hops>
    """

    # -- made from ------------------------------------------------------------------------

    @classmethod
    def of_positions(
        cls, network: Network | str, positions: npt.ArrayLike, ties: TieName | Ints = "plus"
    ) -> Movement:
        """Return the movement whose messages stand at these nodes.

        Args:
            network, ties: as for `Movement`.
            positions: integers of shape (steps + 1, m); row k holds the node of every message
                after k steps.

        Raises:
            InputError: another shape, or nodes that there are not.

        >>> from lccmodel.network import Mesh
        >>> Movement.of_positions(Mesh((4,)), [[0, 3], [2, 1]]).channel_use
        ChannelLoads(Mesh((4,)), [[1, 1, 0, 0], [0, 0, 1, 1]])
        """
        network = as_network(network)
        from lccmodel.movement.kernels import count_jumps, fill_jumps

        rows = np.ascontiguousarray(checked_array("positions", positions))
        if rows.ndim != 2 or not len(rows):
            raise InputError("positions", "must have shape (steps + 1, messages)", rows.shape)
        first = np.zeros(len(rows), dtype=np.int64)
        bad = count_jumps(rows, network.size, first)
        if bad >= 0:
            rule = f"must be nodes of {network.spec}, 0..{network.size - 1}"
            raise InputError(f"positions[{bad}]", rule, rows[bad].tolist())
        jumps = _empty_jumps(int(first[-1]))
        fill_jumps(rows, **jumps)
        ends = {"starts": rows[0].copy(), "ends": rows[-1].copy()}
        made = cls._of_checked(network, ties, None, first=first, **ends, **jumps)
        made._keep("positions", rows)
        return made

    @classmethod
    def along(
        cls,
        communication: LCC | Sequence[int],
        order: Sequence[int],
        network: Network | str | None = None,
    ) -> Movement:
        """Return the movement that corrects the bits in this order, in every message.

        Args:
            communication: a permutation: an LCC, or 2^n destinations.
            order: the bits to correct, each at most once.
            network: of 2^n nodes; a hypercube if left out.

        Raises:
            CommunicationError: not a permutation.
            InputError: `order` names a bit twice, or one that is not in 0..n-1.
        """
        if network is not None:
            network = as_network(network)
        destinations = destinations_of(communication)
        n = destinations.size.bit_length() - 1
        bits = checked_order(order, n, complete=False)
        rows = np.empty((len(bits) + 1, destinations.size), dtype=np.int64)
        rows[0] = np.arange(destinations.size)
        for step, bit in enumerate(bits):
            rows[step + 1] = rows[step] ^ ((rows[step] ^ destinations) & (1 << bit))
        rows.flags.writeable = False
        return cls.of_positions(cube_of(destinations.size) if network is None else network, rows)

    @classmethod
    def of_schedule(
        cls,
        network: Network | str,
        pairs: npt.ArrayLike,
        steps: npt.ArrayLike,
        ties: TieName | Ints = "plus",
        label: Callable[[int], str] | None = None,
    ) -> Movement:
        """Return the movement in which every message jumps from source to destination in its step.

        Args:
            network, ties, label: as for `Movement`.
            pairs: source and destination of every message; integers of shape (m, 2). A message
                to its own node never moves.
            steps: the step of every message, counted from 0; integers of shape (m,).

        Raises:
            InputError: other shapes, negative steps, or nodes that there are not.

        >>> from lccmodel.network import Mesh
        >>> swap = Movement.of_schedule(Mesh((4,)), [[0, 2], [2, 0], [1, 3]], [0, 0, 1])
        >>> swap.steps, swap.hops, swap.held(1).tolist()
        (2, 6, [1, 1, 1, 0])
        """
        from lccmodel.movement.kernels import count_scheduled, fill_scheduled

        network = as_network(network)
        sent = checked_array("pairs", pairs)
        if sent.size and (sent.ndim != 2 or sent.shape[1] != 2):
            raise InputError("pairs", "must be integers of shape (m, 2)", sent.shape)
        sent = sent.reshape(-1, 2).T
        if sent.flags.writeable or not sent.flags.c_contiguous:
            sent = sent.copy()
        when = checked_array("steps", steps).ravel()
        if sent.shape[1] != len(when) or when.min(initial=0) < 0:
            rule = f"must be {sent.shape[1]}, one for each message, and not negative"
            raise InputError("steps", rule, np.shape(steps))
        number = int(when.max(initial=-1)) + 1
        if number > MAX_STEPS:
            raise SizeLimitError("steps", f"at most {MAX_STEPS} are listed", number)
        first = np.zeros(number + 1, dtype=np.int64)
        if not count_scheduled(sent, when, network.size, first):
            check_range("pairs", sent.T, network.size)
        jumps = _empty_jumps(int(first[-1]))
        fill_scheduled(sent, when, first, **jumps)
        ends = {"starts": sent[0], "ends": sent[1]}
        return cls._of_checked(network, ties, label, first=first, **ends, **jumps)

    def on(self, network: Network | str, nodes: Ints | None = None) -> Movement:
        """Return the same messages in the same steps on another network of as many nodes.

        Args:
            network: whose routes they take instead.
            nodes: the new number of every node; the same numbers if left out.

        Raises:
            InputError: another number of nodes, or not a renumbering of them.

        >>> from lccmodel.network import Mesh
        >>> cube = Movement.along([0, 2, 1, 3], [0, 1])
        >>> cube.hops, cube.on(Mesh((4,))).hops
        (4, 6)
        """
        network = as_network(network)
        if network.size != self.network.size:
            rule = f"must have {self.network.size} nodes, as {self.network.spec} has"
            raise InputError("network", rule, network.spec)
        starts, target = self.starts, self.target
        if nodes is not None:
            nodes = checked_array("nodes", nodes)
            if sorted(nodes.ravel().tolist()) != list(range(network.size)) or nodes.ndim != 1:
                raise InputError("nodes", f"must be the numbers 0..{network.size - 1}", nodes)
            starts, target = nodes[starts], nodes[target]
        return Movement(network, starts, self.first, self.message, target, self.ties, self.label)

    # -- may they? ------------------------------------------------------------------------

    def replay(
        self, ports: str | Ports = "all", *, circuits: bool = False
    ) -> Certificate | Conflict:
        """Move the messages step by step, and see whether two of them meet.

        Args:
            ports: what a step allows: "all", "one", "half-duplex", "one-direction", or `Ports`.
            circuits: whether a message holds its channels to the end, as a circuit that is set up
                does, instead of for the step in which it crosses them.

        Returns: a `Certificate` (`ok` is True), or the first `Conflict` (`ok` is False).

        Raises:
            InputError: a model of ports that there is not.

        >>> from lccmodel.network import Mesh
        >>> swap = Movement.of_schedule(Mesh((4,)), [[0, 2], [2, 0], [1, 3]], [0, 0, 1])
        >>> swap.replay("one").ok
        True
        >>> print(swap.replay("half-duplex"))
        step 0: 0 -> 2 (message 0) and 2 -> 0 (message 1): both use the link between 1 and 2
        >>> print(Movement.of_schedule(Mesh((4,)), [[0, 2], [1, 3]], [0, 0]).replay())
        step 0: 0 -> 2 (message 0) and 1 -> 3 (message 1): both use link 1 -> 2
        """
        return replay(self, ports, circuits=circuits)

    def in_unit_steps(self, ports: str | Ports = "all", *, record: bool = False) -> MeshRun:
        """Return the steps on a mesh or torus, one channel at a time; see `move_on_mesh`.

        Raises:
            NetworkError: the network is not a mesh or torus.
            InputError: an unknown model of ports.
        """
        key = (ports, record)
        runs: dict[Any, MeshRun] = self.__dict__.setdefault("_runs", {})
        if key not in runs:
            runs[key] = move_on_mesh(self, self.network, ports, record=record)
        return runs[key]

    def __repr__(self) -> str:
        where = f"{self.messages} messages on {self.network.spec}"
        return f"<Movement of {where}: {self.steps} steps, {self.hops} hops>"


def _empty_jumps(number: int) -> dict[str, Ints]:
    """Arrays for the message, the origin and the target of so many jumps."""
    return {name: np.empty(number, dtype=np.int64) for name in ("message", "origin", "target")}
