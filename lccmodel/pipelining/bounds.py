"""Lower bounds for a complete exchange on a mesh: start-ups, ports, bisection, and all of them.

2^d nodes on axes of n_0, n_1, ... nodes, one port, blocks of B items, L items at α + L τ,
one message to a directed link at a time. Messages may combine, split and relay blocks as they
like, on any route.

**Start-ups.** A message takes at least α, and a node takes part in one send and one receive at a
time. In every period of α the nodes that hold data of a given node can at most double, and all
2^d must come to hold some: T >= d α.

**Ports.** A node sends its 2^d - 1 blocks at least once, one item after another, in at least one
message: T >= α + (2^d - 1) B τ.

**Bisection.** Cut an axis of n nodes in the middle. Each half holds 2^(d-1) nodes with 2^(d-1) B
items for the other half, and 2^d / n links lead across (twice as many on a ring, n > 2). So some
link carries L = 2^d n B / 4 items (half of that), in at least one message: T >= α + L τ. The
longest axis has the largest L; on c equal axes 2^d n is n^(c+1).

**Lockstep.** In r rounds a node gets data to other nodes along chains of messages; a chain of j
messages is given by its j rounds, as a node sends to one other in a round. So at most C(r, j)
nodes are reached by j messages and no fewer, and the blocks of a node travel at least

    V(r) = sum over j of j · min(C(r, j), nodes still left),   C(r, 0) = 1 being the node itself

messages in all. On average over the nodes and summed over the rounds, a node therefore sends
V(r) B items, and a link on the cut carries L. When rounds follow each other in step,

    T >= min over r >= d of  r α + max(V(r) B, L) τ.

V(d) = d 2^(d-1) and V(2^d - 1) = 2^d - 1: few start-ups cost volume, and little volume start-ups.
Every method that is compared here works in lockstep. A cost of several pieces is nowhere below any
of its supports α + L τ, so the bounds hold for each of those, and the largest is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear

_MOST_TRIED = 20
"""Up to 2^20 nodes every number of rounds can be tried, one after another, in some seconds."""


@dataclass(frozen=True, slots=True)
class ExchangeBounds(Answer, view="bounds"):
    """Lower bounds on the time of a complete exchange, in the unit of the machine's times.

    Attributes:
        startups, ports, bisection: for every method (see the module).
        lockstep: for every method that works in rounds; `rounds` is the r that attains it.
    """

    startups: Fraction
    ports: Fraction
    bisection: Fraction
    lockstep: Fraction
    rounds: int

    @property
    def universal(self) -> Fraction:
        """The largest of the bounds that hold for every method."""
        return max(self.startups, self.ports, self.bisection)


@typed_arguments
def exchange_bounds(machine: Machine, B: int) -> ExchangeBounds:
    """Return lower bounds on the time in which blocks of B items can be exchanged.

    Args:
        machine: one port; its barrier does not count.
        B: items in a block, at least 1.

    Raises:
        InputError: B < 1 or not an integer, or a machine with all ports.
        SizeLimitError: more than 2^20 nodes, on axes so short that all rounds would be tried.

    >>> bounds = exchange_bounds(Machine("16x16", alpha=100, tau=1), B=1)
    >>> bounds.startups, bounds.ports, bounds.bisection, bounds.lockstep, bounds.rounds
    (Fraction(800, 1), Fraction(355, 1), Fraction(1124, 1), Fraction(1824, 1), 8)
    """
    B = checked_block(B)
    if machine.ports != "one":
        raise InputError("machine.ports", 'must be "one": the bounds are for one port', "all")
    across = bisection_volume(machine, B)
    nothing = Fraction(0), Fraction(0), Fraction(0), (Fraction(0), machine.d)
    of_lines = [nothing, *(_bounds(machine, B, across, line) for line in machine.cost.supports)]
    startups, ports, bisection = (max(column) for column in list(zip(*of_lines, strict=True))[:3])
    lockstep, rounds = max(line[3] for line in of_lines)
    return ExchangeBounds(startups, ports, bisection, lockstep, rounds)


def _bounds(
    machine: Machine, B: int, across: Fraction, line: Linear
) -> tuple[Fraction, Fraction, Fraction, tuple[Fraction, int]]:
    """The four bounds when no message of L items takes less than α + L τ."""
    alpha, tau = line.alpha, line.tau
    ports = alpha + (machine.nodes - 1) * B * tau
    lockstep = _lockstep(machine, B, across, line)
    return machine.d * alpha, ports, alpha + across * tau, lockstep


def _lockstep(machine: Machine, B: int, across: Fraction, line: Linear) -> tuple[Fraction, int]:
    """The least r α + max(V(r) B, across) τ, and its r; more rounds than 2^d - 1 save nothing.

    Nor do more than the first in which the middle is the busiest: V never rises with r.
    """
    tried = []
    every = machine.d <= _MOST_TRIED
    for r in range(machine.d, 1 << machine.d if every else machine.d + 1000):
        sent = Fraction(_volume(machine.d, r) * B)
        tried.append((r * line.alpha + max(sent, across) * line.tau, r))
        if sent <= across:
            return min(tried)
    if not every:
        rule = f"with axes this short every r is tried, on at most 2^{_MOST_TRIED} nodes"
        raise SizeLimitError("machine.mesh", rule, machine.mesh.spec)
    return min(tried)


def bisection_volume(machine: Machine, B: int) -> Fraction:
    """Items that some link across the middle of an axis has to carry: 2^d n B / 4 on a mesh.

    On a ring of n > 2 nodes it is half of that. The largest over all axes; two nodes give B.

    Raises:
        InputError: B < 1 or not an integer.

    >>> machines = (Machine(word, 1, 1) for word in ("16x16", "torus:16x16", "8x16"))
    >>> [int(bisection_volume(machine, 1)) for machine in machines]
    [1024, 512, 512]
    """
    mesh, items = machine.mesh, machine.nodes * checked_block(B)
    across = ((side, 2 if mesh.is_ring(axis) else 1) for axis, side in enumerate(mesh.shape))
    return max(Fraction(items * side, 4 * links) for side, links in across)


def round_volume(d: int, r: int) -> int:
    """V(r): blocks that a node sends on average, at least, in a complete exchange of r rounds.

    Raises:
        InputError: d < 1, r < d (fewer rounds cannot reach 2^d nodes), or not integers.

    >>> [round_volume(3, r) for r in range(3, 9)]
    [12, 10, 9, 8, 7, 7]
    """
    d, r = checked_integer("d", d, least=1), checked_integer("r", r)
    if r < d:
        raise InputError("r", f"must be at least d = {d}: data at most doubles in a round", r)
    left, volume, chains = (1 << d) - 1, 0, 1
    for j in range(1, r + 1):
        chains = chains * (r - j + 1) // j
        reached = min(chains, left)
        volume, left = volume + j * reached, left - reached
        if not left:
            break
    return volume


@cache
def _volume(d: int, r: int) -> int:
    return round_volume(d, r)


def checked_block(B: Any) -> int:
    """B as an int of at least 1.

    Raises:
        InputError: it is not.
    """
    items = checked_integer("B", B)
    if items < 1:
        raise InputError("B", "must be at least 1 item", B)
    return items
