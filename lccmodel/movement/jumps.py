"""The arrays of a movement: who jumps where in which step, and what nodes and channels then hold.

Everything is counted from the jumps alone, never from a formula. `Movement` is made from
positions, orders and schedules, and says whether a model of ports allows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from lccmodel.errors import InputError, SizeLimitError, checked_array, checked_index
from lccmodel.ground.arrays import Ints
from lccmodel.ground.words import checked_word
from lccmodel.network import ChannelLoads, Network
from lccmodel.network.ring_direction import TIES, TieName

_MAX_POSITIONS = 1 << 28
"""Most entries of `positions`, 2 GiB; counts and replays do without them."""


@dataclass(frozen=True, eq=False, repr=False)
class Jumps:
    """The arrays of a movement, checked, and what is counted from them; see `Movement`."""

    network: Network
    starts: Ints
    first: Ints
    message: Ints
    target: Ints
    ties: TieName | Ints = "plus"
    label: Callable[[int], str] | None = None
    origin: Ints = field(init=False)
    """The node that every jump leaves; int64 of shape (jumps,)."""
    ends: Ints = field(init=False)
    """The node of every message after the last step; int64 of shape (m,)."""

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
        check_range("starts", self.starts, size)
        check_range("target", self.target, size)
        check_range("message", self.message, len(self.starts))
        self._check_ties()
        origin, at = np.empty(jumps, dtype=np.int64), self.starts.copy()
        bad = trace_origins(self.first, self.message, self.target, at, origin)
        if bad >= 0:
            step = int(np.searchsorted(self.first, bad, "right")) - 1
            rule = "a message jumps at most once in a step, and to another node"
            raise InputError("message", f"{rule}; in step {step}", int(self.message[bad]))
        origin.flags.writeable = at.flags.writeable = False
        self._keep("origin", origin)
        self._keep("ends", at)

    @classmethod
    def _of_checked(
        cls,
        network: Network,
        ties: TieName | Ints,
        label: Callable[[int], str] | None,
        **kept: Ints,
    ) -> Self:
        """A movement of arrays that are right by the way they were made: nothing is traced."""
        made = object.__new__(cls)
        for name, value in (("network", network), ("ties", ties), ("label", label)):
            object.__setattr__(made, name, value)
        for name, array in kept.items():
            array.flags.writeable = False
            object.__setattr__(made, name, array)
        made._check_ties()
        return made

    def _keep(self, name: str, array: Ints) -> None:
        """Set a field to the array, or to a copy that nobody can write to."""
        if array.flags.writeable:
            array = array.copy()
            array.flags.writeable = False
        object.__setattr__(self, name, array)

    def _check_ties(self) -> None:
        if isinstance(self.ties, str):
            checked_word("ties", self.ties, TIES)
            return
        ties = np.ascontiguousarray(checked_array("ties", self.ties))
        if ties.shape != self.starts.shape:
            rule = f"must be one rule, or {len(self.starts)}, one for each message"
            raise InputError("ties", rule, ties.shape)
        check_range("ties", ties, len(TIES))
        self._keep("ties", ties)

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

    @cached_property
    def positions(self) -> Ints:
        """The node of every message before step 0 and after every step: (steps + 1, m), int64.

        Raises:
            SizeLimitError: more than 2^28 entries.
        """
        from lccmodel.movement.kernels import fill_positions

        shape = (self.steps + 1, self.messages)
        if shape[0] * shape[1] > _MAX_POSITIONS:
            rule = f"at most {_MAX_POSITIONS} positions are listed, to fit memory"
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

        >>> from lccmodel.movement import Movement
        >>> from lccmodel.network import Mesh
        >>> Movement.of_positions(Mesh((4,)), [[0, 3], [2, 1]]).path(0)
        [0, 1, 2]
        """
        message = checked_index("message", message, self.messages)
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
        hops = write_route(network._kernel_form, here, there, tie, channels, back)
        columns = network.counter_shape[1]
        taken = [network.channel(*divmod(channel, columns)) for channel in channels[:hops].tolist()]
        heads = [v for _, v in taken]
        if not network.first_router:
            return heads
        return [taken[0][0], *heads, there] if taken else network.path(here, there)[1:]

    def held(self, step: int) -> Ints:
        """Messages in every node after `step` steps, int64 of shape (2^n,).

        Raises:
            InputError: no such step.
        """
        step = checked_index("step", step, self.steps + 1)
        if "positions" in self.__dict__:  # they are at hand
            return np.bincount(self.positions[step], minlength=self.network.size)
        made, size = self.first[step], self.network.size
        left, reached = self.origin[:made], np.concatenate([self.starts, self.target[:made]])
        return np.bincount(reached, minlength=size) - np.bincount(left, minlength=size)

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
        form, longest = network._kernel_form, network.diameter
        carried(form, longest, *jumps, self.tie_numbers, use, busiest, hops)
        return use.reshape(rows, columns), busiest, hops

    @property
    def tie_numbers(self) -> Ints:
        """The tie rule of every message as a number, or one for all; int64."""
        if isinstance(self.ties, str):
            single = np.array([TIES.index(self.ties)], dtype=np.int64)
            single.flags.writeable = False  # as an array of many is: one type for kernels
            return single
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

    # -- being a value --------------------------------------------------------------------

    def _facts(self) -> tuple[Ints, ...]:
        return self.starts, self.first, self.message, self.target, self.tie_numbers

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Jumps):
            return NotImplemented
        pairs = zip(self._facts(), other._facts(), strict=True)
        return self.network == other.network and all(np.array_equal(a, b) for a, b in pairs)

    def __hash__(self) -> int:
        return hash((self.network, *(array.tobytes() for array in self._facts())))


def check_range(name: str, array: Ints, end: int) -> None:
    """Refuse an array with an entry outside of 0..end-1."""
    if len(array) and not (0 <= (least := int(array.min())) and int(array.max()) < end):
        rule = f"must be in 0..{end - 1}"
        raise InputError(name, rule, least if least < 0 else int(array.max()))
