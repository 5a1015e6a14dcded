"""Whether messages may move as they do: a certificate, or the first conflict.

Time is a succession of steps. A message that jumps in a step holds every channel of its route for
that step; what it passes on the way does not use a port. What a step allows, by model:

    all             a directed channel carries one message; nodes use all their ports
    one             also, a node sends at most one message and receives at most one
    half-duplex     a link carries one message, in one of its two directions
    one-direction   all messages that move go the same way: one axis, one sign (SIMD)

A first conflict is the first by step, and in it by message: the message that finds its port or
channel taken, and the one that took it. The replay knows nothing of methods, loads or rules; it
takes the jumps, and looks who was there before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Literal

import numpy as np

from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Viewed
from lccmodel.ground.words import checked_word
from lccmodel.movement.jumps import Jumps
from lccmodel.network import ChannelLoads
from lccmodel.network.loads import Channel

ConflictKind = Literal["send", "receive", "channel", "link", "direction", "circuit"]


@typed_arguments
@dataclass(frozen=True)
class Ports:
    """What a step allows beside one message for a directed channel.

    Attributes:
        name: of the model.
        one: a node sends at most one message and receives at most one.
        half_duplex: a link is used in one direction only.
        one_direction: all messages go along one axis in one direction.

    >>> Ports("one", one=True)
    Ports(name='one', one=True, half_duplex=False, one_direction=False)
    """

    name: str
    one: bool = False
    half_duplex: bool = False
    one_direction: bool = False

    def __post_init__(self) -> None:
        for flag in (self.one, self.half_duplex, self.one_direction):
            bool(flag)  # what has no truth is refused here, by name


PORTS: Mapping[str, Ports] = MappingProxyType(
    {
        ports.name: ports
        for ports in (
            Ports("all"),
            Ports("one", one=True),
            Ports("half-duplex", half_duplex=True),
            Ports("one-direction", one_direction=True),
        )
    }
)
"""The models of ports by name."""


@dataclass(frozen=True)
class Message:
    """A message as it jumps: its number, the nodes from and to which, and what it is called.

    >>> str(Message(3, 0, 2)), str(Message(3, 0, 2, "dimension 1"))
    ('0 -> 2', '0 -> 2 (dimension 1)')
    """

    number: int
    source: int
    destination: int
    label: str = ""

    def __str__(self) -> str:
        name = f" ({self.label})" if self.label else ""
        return f"{self.source} -> {self.destination}{name}"


@dataclass(frozen=True)
class Conflict(Viewed, view="conflict"):
    """Why messages cannot move as they do: the first conflict, by step and then by message.

    Attributes:
        kind: "send" or "receive" (the port of a node), "channel" (a directed one), "link" (both
            directions of it), "direction" (two ways in one step), or "circuit" (a channel that is
            held to the end).
        step: in which the second message finds it taken, counted from 0.
        first, second: the message that took it, and the one that wants it.
        place: the node for a port, the channel (u, v) otherwise.
        since: the step in which the first took it; `step`, but for circuits.

    >>> from lccmodel.movement import Movement
    >>> from lccmodel.network import Hypercube
    >>> print(Movement.of_positions(Hypercube(1), [[0, 0], [1, 1]]).replay("all"))
    step 0: 0 -> 1 (message 0) and 0 -> 1 (message 1): both use link 0 -> 1
    """

    kind: ConflictKind
    step: int
    first: Message
    second: Message
    place: int | Channel
    since: int

    ok = False

    def __str__(self) -> str:
        both = f"step {self.step}: {self.first} and {self.second}"
        if not isinstance(self.place, tuple):
            verb = "sends" if self.kind == "send" else "receives"
            return f"{both}: node {self.place} {verb} both"
        u, v = self.place
        if self.kind == "circuit":
            paths = f"{self.first.number} and {self.second.number}"
            return f"the paths of {paths} both take the channel from {u} to {v}"
        if self.kind == "link":
            return f"{both}: both use the link between {min(u, v)} and {max(u, v)}"
        if self.kind == "direction":
            return f"{both}: {u} -> {v} is not the direction of the step"
        return f"{both}: both use link {u} -> {v}"


class WithoutConflict:
    """What a replay that meets no conflict counts: that of a movement, or of a schedule.

    Attributes:
        loads: messages on every channel over all steps.
        hops_per_step: channels in use in every step; int64 of shape (steps,).
    """

    loads: ChannelLoads
    hops_per_step: Ints

    ok = True

    @property
    def hops(self) -> int:
        """Channels used, over all messages."""
        return int(self.hops_per_step.sum())

    @property
    def max_load(self) -> int:
        """Messages on the busiest channel over all steps."""
        return int(self.loads.counts.max(initial=0))

    @cached_property
    def busiest(self) -> Channel | None:
        """Such a channel, the first; None when nothing moved."""
        return next(iter(self.loads.busiest()), None)

    @property
    def utilisation(self) -> tuple[Fraction, ...]:
        """The part of all directed channels that is in use, step by step."""
        channels = self.loads.network.n_channels
        return tuple(Fraction(int(used), channels) for used in self.hops_per_step)


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(WithoutConflict, Viewed, view="certificate"):
    """That all messages move as they do under a model of ports, in numbers counted meanwhile.

    Attributes:
        movement: what was replayed.
        ports: the model.
        loads: messages on every channel over all steps.
        hops_per_step: channels in use in every step; int64 of shape (steps,).

    >>> from lccmodel.movement import Movement
    >>> from lccmodel.network import Hypercube
    >>> replay = Movement.of_positions(Hypercube(1), [[0, 1], [1, 0]]).replay("all")
    >>> replay.hops_per_step.tolist(), bool(replay.ok)
    ([2], True)
    """

    movement: Jumps
    ports: Ports
    loads: ChannelLoads
    hops_per_step: Ints

    @property
    def steps(self) -> int:
        """Number of steps."""
        return self.movement.steps

    @property
    def messages_per_step(self) -> Ints:
        """Messages that move in every step; int64 of shape (steps,)."""
        return np.diff(self.movement.first)

    def __repr__(self) -> str:
        return (
            f"<Certificate of {self.movement.messages} messages on "
            f"{self.movement.network.spec}, ports {self.ports.name!r}: {self.steps} steps, "
            f"{self.hops} hops, at most {self.max_load} on a channel>"
        )


_KINDS: tuple[ConflictKind, ...] = ("send", "receive", "channel", "link", "direction")


def replay(
    movement: Jumps, ports: str | Ports = "all", *, circuits: bool = False
) -> Certificate | Conflict:
    """See `Movement.replay`."""
    from lccmodel.movement.kernels import Leaps, PortRules, walk

    model = checked_ports(ports)
    network = movement.network
    network._check_counters()
    rows, columns = network.counter_shape
    use = np.zeros(rows * columns, dtype=np.int64)
    hops = np.zeros(movement.steps, dtype=np.int64)
    leaps = Leaps(
        movement.first, movement.message, movement.origin, movement.target, movement.tie_numbers
    )
    flags = (model.one, model.half_duplex, model.one_direction, circuits)
    rules = PortRules(*map(bool, flags))
    kind, *met = walk(network._kernel_form, network.diameter, network.size, leaps, rules, use, hops)
    if kind >= 0:
        return _conflict(movement, circuits, kind, *met[:3])
    hops.flags.writeable = False
    return Certificate(movement, model, ChannelLoads(network, use.reshape(rows, columns)), hops)


def checked_ports(ports: str | Ports) -> Ports:
    """The model of that name.

    Raises:
        InputError: there is none.
    """
    if isinstance(ports, Ports):
        return ports
    return PORTS[checked_word("ports", ports, PORTS)]


def _conflict(
    movement: Jumps, circuits: bool, kind: int, first: int, second: int, place: int
) -> Conflict:
    where: int | Channel = place
    if _KINDS[kind] not in ("send", "receive"):
        where = movement.network.channel(*divmod(place, movement.network.counter_shape[1]))
    since, step = (int(np.searchsorted(movement.first, j, "right")) - 1 for j in (first, second))
    name: ConflictKind = "circuit" if circuits and _KINDS[kind] == "channel" else _KINDS[kind]
    return Conflict(name, step, _message(movement, first), _message(movement, second), where, since)


def _message(movement: Jumps, jump: int) -> Message:
    number = int(movement.message[jump])
    label = f"message {number}" if movement.label is None else movement.label(number)
    return Message(number, int(movement.origin[jump]), int(movement.target[jump]), label)
