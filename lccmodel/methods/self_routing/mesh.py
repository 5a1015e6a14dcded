"""HL on a mesh or torus, hop by hop: what the steps of the hypercube really take.

Correcting bit k moves messages h = 2^(k - s) nodes along one axis, where s is the least address
bit of that axis [boppana, section 3.1]. Here every message moves one node at a time, and three
models say what may happen in a unit step:

    all             a channel carries one message each way; any number of them per processor
    one             a processor sends at most one message and receives at most one, as
                    section 2.1 has it; messages wait in their processors
    one-direction   all messages that move go the same way (SIMD, as in [sibeyn])

By hand, 4 nodes in a row exchange bit 1 (h = 2): 0 and 1 send to 2 and 3, 2 and 3 to 0 and 1.

    all    1: 0>1 1>2 2>1 3>2      2: 1>2 2>3 1>0 2>1            nodes 1 and 2 receive two each
    one    1: 1>2 2>1      2: 0>1 2>3 1>0 3>2      3: 1>2 2>1    2h - 1 = 3 unit steps

No schedule with one port is faster: node h of 2h receives h messages from its left that are for
it and its right, and h - 1 from its right. And this many are enough: let the messages leave in
the order in which they stand from the middle, one in each unit step, and never stop. Two of the
opposite directions then never come to a node together, because their nodes differ in parity.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, NetworkError
from lccmodel.network import Mesh, Torus

if TYPE_CHECKING:
    from lccmodel.methods.self_routing.trace import Trace
    from lccmodel.movement.walk import Walk

__all__ = [
    "PORTS",
    "MeshRun",
    "all_port_steps",
    "one_port_steps",
    "simulate_hops",
    "simulate_walk",
]

Ints = npt.NDArray[np.int64]

PORTS = ("all", "one", "one-direction")
_ONE = PORTS.index("one")


@dataclass(frozen=True, eq=False)
class MeshRun:
    """A routing on a mesh or torus, counted in unit steps.

    Attributes:
        network: the mesh or torus.
        ports: the model: "all", "one" or "one-direction".
        unit_steps: unit steps in every routing step.
        most_sent, most_received: the most messages that a processor sends, and receives, in a
            unit step.
        most_held: the most messages in a processor after a unit step.
        positions: if recorded, the node of every message before the first unit step and after
            each, int64 of shape (total + 1, 2^n).
    """

    network: Mesh
    ports: str
    unit_steps: tuple[int, ...]
    most_sent: int
    most_received: int
    most_held: int
    positions: Ints | None = None

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


def simulate_hops(trace: Trace, ports: str = "all", *, record: bool = False) -> MeshRun:
    """Move the messages of a trace over the channels of its mesh or torus; see `simulate_walk`.

    Args:
        trace: from `self_route(..., network=mesh)`.
        ports: "all", "one" or "one-direction".
        record: whether to keep all positions.

    Raises:
        NetworkError: the trace is not of a mesh or torus.
        InputError: an unknown model.

    >>> from lccmodel.methods.self_routing.route import self_route
    >>> trace = self_route([3, 2, 1, 0], network=Mesh((4,)))
    >>> [simulate_hops(trace, ports).unit_steps for ports in PORTS]
    [(1, 2), (1, 3), (2, 4)]
    """
    return simulate_walk(trace.walk, trace.network, ports, record=record)


def simulate_walk(walk: Walk, mesh: Any, ports: str = "all", *, record: bool = False) -> MeshRun:
    """Move the messages of a walk over the channels of a mesh or torus, one node at a time.

    Where messages of different bits move in one step (M-SIMD, MIMD), they may want the same
    channel or port; then the one that leaves earlier goes first, then the one of the lower source.

    Args:
        walk: of any routing method, in the node numbers of the mesh.
        mesh: a `Mesh` or `Torus` of as many nodes.
        ports: "all", "one" or "one-direction".
        record: whether to keep all positions.

    Raises:
        NetworkError: no mesh or torus, or another size.
        InputError: an unknown model.

    >>> from lccmodel.movement.walk import Walk
    >>> simulate_walk(Walk.along([0, 2, 1, 3], [0, 1]), Mesh((4,)), "one")
    <MeshRun mesh:4, ports 'one': 3 unit steps (1, 2); at most 1 sent, 1 received, 2 held>
    """
    if not isinstance(mesh, Mesh):
        rule = "hops are counted on a mesh or torus; route with network=Mesh(...) or Torus(...)"
        raise NetworkError("network", rule, mesh)
    if mesh.n != walk.n:
        raise NetworkError("network", f"must have 2^{walk.n} nodes, as the walk has", mesh)
    if ports not in PORTS:
        raise InputError("ports", "must be 'all', 'one' or 'one-direction'", ports)
    kept = [walk.positions[:1]]
    unit_steps, most = [], np.array([0, 0, 1], dtype=np.int64)
    for before, after in pairwise(walk.positions):
        taken, rows = _hop_by_hop(mesh, before, after, PORTS.index(ports), most, record)
        unit_steps.append(taken)
        kept.extend(rows)
    positions = np.concatenate(kept) if record else None
    sent, received, held = (int(count) for count in most)
    return MeshRun(mesh, ports, tuple(unit_steps), sent, received, held, positions)


def all_port_steps(network: Mesh) -> int:
    """Σ (2^(n_a) - 1) over the axes: every bit takes its distance [boppana, Theorem 2].

    >>> all_port_steps(Mesh((8, 8)))
    14
    """
    return sum(length - 1 for length in network.shape)


def one_port_steps(network: Mesh) -> int:
    """Σ (2 (2^(n_a) - 1) - n_a): 2h - 1 for every bit, on a mesh where every node moves every bit.

    >>> one_port_steps(Mesh((8, 8)))
    22
    """
    return sum(2 * (length - 1) - (length.bit_length() - 1) for length in network.shape)


def _hop_by_hop(
    network: Mesh, before: Ints, after: Ints, ports: int, most: Ints, record: bool
) -> tuple[int, list[Ints]]:
    """The unit steps of one routing step, and the positions after each if they are wanted."""
    from lccmodel.methods.self_routing.mesh_kernels import HELD, most_of, unit_step

    axis_of_bit, offset = _bits_of(network)
    moves = before != after
    bit = np.where(moves, np.bitwise_count((before ^ after) - 1), 0).astype(np.int64)
    axis = axis_of_bit[bit]
    width = bit - offset[axis]
    hops = np.where(moves, 1 << width, 0)
    rings = np.array([isinstance(network, Torus) and length > 2 for length in network.shape])
    lengths = np.array(network.shape, dtype=np.int64)
    goes_round = rings[axis] & (2 * hops == lengths[axis])  # both ways are equally long: +
    backward = (before >> bit & 1 == 1) & ~goes_round
    leaves = np.ones(len(before), dtype=np.int64)
    if ports == _ONE:
        place = before >> offset[axis] & (1 << width) - 1
        leaves = np.where(goes_round, 1, np.where(backward, place + 1, (1 << width) - place))
        leaves -= leaves[moves].min(initial=int(leaves.max())) - 1  # nobody waits for nobody
    order = np.argsort(leaves, kind="stable")
    at, rows, step = before.copy(), [], 0
    scratch = np.zeros((5, network.size), dtype=np.int64)
    scratch[HELD] = np.bincount(at, minlength=network.size)
    channels = np.zeros((2 * network.dimensions, network.size), dtype=np.int64)
    left = int(hops.sum())
    while left:
        step += 1
        left -= unit_step(
            order, leaves, at, hops, axis, backward, offset, lengths, ports, step, scratch, channels
        )
        most[:] = np.maximum(most, most_of(step, scratch))
        if record:
            rows.append(at[np.newaxis].copy())
    return step, rows


def _bits_of(network: Mesh) -> tuple[Ints, Ints]:
    """The axis of every address bit, and the least bit of every axis."""
    widths = [length.bit_length() - 1 for length in network.shape]
    axis_of_bit = np.repeat(np.arange(len(widths)), widths)
    offset = np.cumsum([0, *widths[:-1]])
    return axis_of_bit.astype(np.int64), offset.astype(np.int64)
