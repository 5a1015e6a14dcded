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
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.communication.destinations import checked_order, destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, SizeLimitError, checked_array
from lccmodel.network import ChannelLoads, Network, as_network
from lccmodel.network.hypercube import cube_of
from lccmodel.network.ties import TIES, TieName
from lccmodel.views import Viewed

if TYPE_CHECKING:
    from lccmodel.movement.replay import Certificate, Conflict, Ports
    from lccmodel.movement.unit_steps import MeshRun

__all__ = ["MAX_POSITIONS", "Movement"]

Ints = npt.NDArray[np.int64]

MAX_STEPS = 1 << 27
"""Steps that a schedule may have: every step has an entry, 1 GiB together."""

MAX_POSITIONS = 1 << 28
"""Most entries of `positions`, 2 GiB; counts and replays do without them."""


@typed_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Movement(Viewed, view="movement"):
    """Where messages stand on a network, step by step.

    Args:
        network: whose dimension-ordered routes the messages take.
        starts: the node of every message before step 0; int64 of shape (m,).
        first: jumps first[t] .. first[t + 1] - 1 are those of step t; int64 of shape (steps + 1,).
        message, target: of every jump the message that makes it and the node it goes to; int64 of
            shape (jumps,). A message jumps at most once in a step, and never to where it stands.
        ties: the rule for half a ring of a torus, "plus", "split" or "line" (`network.ties`); one
            for all messages, or the numbers of one rule for each, int64 of shape (m,).
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

    network: Network
    starts: Ints
    first: Ints
    message: Ints
    target: Ints
    ties: TieName | Ints = "plus"
    label: Callable[[int], str] | None = None
    origin: Ints = field(init=False)
    """The node that every jump leaves; int64 of shape (jumps,)."""

    def __post_init__(self) -> None:
        from lccmodel.movement.kernels import trace_origins

        for name in ("starts", "first", "message", "target"):
            array = checked_array(name, getattr(self, name))
            if array.ndim != 1:
                raise InputError(name, "must be an array of one dimension", array.shape)
            self._keep(name, np.ascontiguousarray(array))
        steps, jumps, size = len(self.first) - 1, len(self.target), self.network.size
        if steps < 0 or self.first[0] or self.first[-1] != jumps or (np.diff(self.first) < 0).any():
            raise InputError(
                "first", f"must rise from 0 to {jumps}, the jumps", self.first.tolist()
            )
        if len(self.message) != jumps:
            raise InputError("message", f"must have {jumps} entries, as target", len(self.message))
        _check_range("starts", self.starts, size)
        _check_range("target", self.target, size)
        _check_range("message", self.message, len(self.starts))
        self._check_ties()
        origin, at = np.empty(jumps, dtype=np.int64), self.starts.copy()
        bad = trace_origins(self.first, self.message, self.target, at, origin)
        if bad >= 0:
            step = int(np.searchsorted(self.first, bad, "right")) - 1
            rule = "a message jumps at most once in a step, and to another node"
            raise InputError("message", f"{rule}; in step {step}", int(self.message[bad]))
        origin.flags.writeable = at.flags.writeable = False
        self._keep("origin", origin)
        self._keep("_ends", at)

    def _keep(self, name: str, array: Ints) -> None:
        """Set a field to the array, or to a copy that nobody can write to."""
        if array.flags.writeable:
            array = array.copy()
            array.flags.writeable = False
        object.__setattr__(self, name, array)

    def _check_ties(self) -> None:
        if isinstance(self.ties, str):
            if self.ties not in TIES:
                raise InputError("ties", 'must be "plus", "split" or "line"', self.ties)
            return
        ties = np.ascontiguousarray(checked_array("ties", self.ties))
        if ties.shape != self.starts.shape:
            rule = f"must be one rule, or {len(self.starts)}, one for each message"
            raise InputError("ties", rule, ties.shape)
        _check_range("ties", ties, len(TIES))
        self._keep("ties", ties)

    # -- made from ------------------------------------------------------------------------

    @classmethod
    def of_positions(
        cls, network: Network | str, positions: npt.ArrayLike, ties: TieName | Ints = "plus"
    ) -> Movement:
        """The movement whose messages stand at these nodes.

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
        message, target = np.empty((2, int(first[-1])), dtype=np.int64)
        fill_jumps(rows, message, target)
        message.flags.writeable = target.flags.writeable = False
        made = cls(network, rows[0], first, message, target, ties)
        made._keep("positions", rows)
        return made

    @classmethod
    def along(
        cls,
        communication: LCC | Sequence[int],
        order: Sequence[int],
        network: Network | str | None = None,
    ) -> Movement:
        """The movement that corrects the bits in this order, in every message.

        Args:
            communication: a permutation: an LCC, or 2^n destinations.
            order: the bits to correct, each at most once.
            network: of 2^n nodes; a hypercube if left out.

        Raises:
            CommunicationError: no permutation.
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
        """The movement in which every message jumps from source to destination in its step.

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
        network = as_network(network)
        ends = checked_array("pairs", pairs)
        if ends.size and (ends.ndim != 2 or ends.shape[1] != 2):
            raise InputError("pairs", "must be integers of shape (m, 2)", ends.shape)
        ends = ends.reshape(-1, 2)
        when = checked_array("steps", steps).ravel()
        if len(ends) != len(when) or when.min(initial=0) < 0:
            rule = f"must be {len(ends)}, one for each message, and not negative"
            raise InputError("steps", rule, np.shape(steps))
        number = int(when.max(initial=-1)) + 1
        if number > MAX_STEPS:
            raise SizeLimitError("steps", f"at most {MAX_STEPS} are listed", number)
        moves = ends[:, 0] != ends[:, 1]
        short = when.astype(np.uint16) if number < 1 << 16 else when  # sorted by counting
        order = np.argsort(short, kind="stable")
        if not moves.all():
            order = order[moves[order]]
        first = np.zeros(number + 1, dtype=np.int64)
        np.cumsum(np.bincount(when[moves], minlength=number), out=first[1:])
        starts, target = ends[:, 0].copy(), ends[order, 1]
        for array in (starts, first, order, target):
            array.flags.writeable = False
        return cls(network, starts, first, order, target, ties, label)

    def on(self, network: Network | str, nodes: Ints | None = None) -> Movement:
        """The same messages in the same steps on another network of as many nodes.

        Args:
            network: whose routes they take instead.
            nodes: the new number of every node; the same numbers if left out.

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
            starts, target = nodes[starts], nodes[target]
        return Movement(network, starts, self.first, self.message, target, self.ties, self.label)

    # -- where messages stand -------------------------------------------------------------

    @property
    def messages(self) -> int:
        """Number of messages."""
        return len(self.starts)

    @property
    def steps(self) -> int:
        """Number of steps, those in which no message moves included."""
        return len(self.first) - 1

    @property
    def n(self) -> int:
        """Number of address bits of the network, if it has 2^n nodes."""
        return self.network.n

    @property
    def ends(self) -> Ints:
        """The node of every message after the last step; int64 of shape (m,)."""
        ends: Ints = self._ends  # type: ignore[attr-defined]
        return ends

    @cached_property
    def positions(self) -> Ints:
        """The node of every message before step 0 and after every step: (steps + 1, m), int64.

        Raises:
            SizeLimitError: more than 2^28 entries.
        """
        from lccmodel.movement.kernels import fill_positions

        shape = (self.steps + 1, self.messages)
        if shape[0] * shape[1] > MAX_POSITIONS:
            rule = f"positions are listed up to {MAX_POSITIONS} entries, for memory"
            raise SizeLimitError("steps, messages", rule, shape)
        positions = np.empty(shape, dtype=np.int64)
        positions[0] = self.starts
        fill_positions(self.first, self.message, self.target, positions)
        positions.flags.writeable = False
        return positions

    def path(self, message: int) -> list[int]:
        """The nodes that a message visits, both ends included; waiting is left out.

        Raises:
            InputError: no such message.

        >>> from lccmodel.network import Mesh
        >>> Movement.of_positions(Mesh((4,)), [[0, 3], [2, 1]]).path(0)
        [0, 1, 2]
        """
        if not 0 <= message < self.messages:
            raise InputError("message", f"must be in 0..{self.messages - 1}", message)
        path, ties = [int(self.starts[message])], self.tie_numbers
        tie = int(ties[message if len(ties) > 1 else 0])
        for node in self.target[self.message == message].tolist():
            path += self._way(path[-1], node, tie)
        return path

    def _way(self, here: int, there: int, tie: int) -> list[int]:
        """The nodes of a jump after the first; with the routers, as the graph numbers them."""
        from lccmodel.network.routes import write_route

        network = self.network
        channels, back = np.empty((2, network.diameter), dtype=np.int64)
        hops = write_route(network.form, here, there, tie, channels, back)
        columns = network.counter_shape[1]
        taken = [network.channel(*divmod(channel, columns)) for channel in channels[:hops].tolist()]
        heads = [v for _, v in taken]
        if not network.first_router:
            return heads
        return [taken[0][0], *heads, there] if taken else network.path(here, there)[1:]

    def held(self, step: int) -> Ints:
        """Messages in every node after `step` steps, int64 of shape (2^n,)."""
        from lccmodel.movement.kernels import held_after

        if "positions" in self.__dict__:  # they are at hand
            return np.bincount(self.positions[step], minlength=self.network.size)
        held = np.bincount(self.starts, minlength=self.network.size).astype(np.int64)
        held_after(self.origin, self.target, int(self.first[step]), held)
        return held

    @cached_property
    def occupancies(self) -> tuple[int, ...]:
        """The most messages that a node holds before step 0 and after every step."""
        from lccmodel.movement.kernels import most_held

        if "positions" in self.__dict__:
            return tuple(int(self.held(step).max()) for step in range(self.steps + 1))
        held = np.bincount(self.starts, minlength=self.network.size).astype(np.int64)
        most = np.empty(self.steps + 1, dtype=np.int64)
        most_held(self.first, self.origin, self.target, held, most)
        return tuple(most.tolist())

    @cached_property
    def moves(self) -> tuple[int, ...]:
        """The messages that move in every step."""
        return tuple(np.diff(self.first).tolist())

    # -- what the channels carry ----------------------------------------------------------

    @cached_property
    def _carried(self) -> tuple[Ints, Ints, Ints]:
        """Messages on every channel; on the busiest one in every step; hops in every step."""
        from lccmodel.movement.kernels import carried

        self.network._check_counters()
        rows, columns = self.network.counter_shape
        use = np.zeros(rows * columns, dtype=np.int64)
        busiest, hops = np.zeros((2, self.steps), dtype=np.int64)
        jumps = (self.first, self.message, self.origin, self.target)
        network = self.network
        carried(network.form, network.diameter, *jumps, self.tie_numbers, use, busiest, hops)
        return use.reshape(rows, columns), busiest, hops

    @property
    def tie_numbers(self) -> Ints:
        """The tie rule of every message as a number, or one for all; int64."""
        if isinstance(self.ties, str):
            return np.array([TIES.index(self.ties)], dtype=np.int64)
        return self.ties

    @cached_property
    def loads(self) -> tuple[int, ...]:
        """The messages on the busiest channel in every step; 0 when no message moves."""
        return tuple(self._carried[1].tolist())

    @cached_property
    def hops_per_step(self) -> tuple[int, ...]:
        """The channels that all messages cross together in every step."""
        return tuple(self._carried[2].tolist())

    @property
    def hops(self) -> int:
        """The channels that all messages cross together."""
        return int(self._carried[2].sum())

    @cached_property
    def channel_use(self) -> ChannelLoads:
        """The messages that cross every channel, from the first step to the last."""
        return ChannelLoads(self.network, self._carried[0])

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
        from lccmodel.movement.replay import replay

        return replay(self, ports, circuits=circuits)

    def in_unit_steps(self, ports: str | Ports = "all", *, record: bool = False) -> MeshRun:
        """What the steps take on a mesh or torus, one channel at a time; see `move_on_mesh`.

        Raises:
            NetworkError: the network is not a mesh or torus.
            InputError: an unknown model of ports.
        """
        from lccmodel.movement.unit_steps import move_on_mesh

        key = (ports, record)
        runs: dict[Any, MeshRun] = self.__dict__.setdefault("_runs", {})
        if key not in runs:
            runs[key] = move_on_mesh(self, self.network, ports, record=record)
        return runs[key]

    # -- being a value --------------------------------------------------------------------

    def _facts(self) -> tuple[Ints, ...]:
        return self.starts, self.first, self.message, self.target, self.tie_numbers

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Movement):
            return NotImplemented
        pairs = zip(self._facts(), other._facts(), strict=True)
        return self.network == other.network and all(np.array_equal(a, b) for a, b in pairs)

    def __hash__(self) -> int:
        return hash((self.network, *(array.tobytes() for array in self._facts())))

    def __repr__(self) -> str:
        where = f"{self.messages} messages on {self.network.spec}"
        return f"<Movement of {where}: {self.steps} steps, {self.hops} hops>"


def _check_range(name: str, array: Ints, end: int) -> None:
    if len(array) and not (0 <= (least := int(array.min())) and int(array.max()) < end):
        rule = f"must be in 0..{end - 1}"
        raise InputError(name, rule, least if least < 0 else int(array.max()))
