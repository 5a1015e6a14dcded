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

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.methods.self_routing.mesh import simulate_hops
from lccmodel.methods.self_routing.trace import Trace
from lccmodel.network import Mesh
from lccmodel.network.base import Channel

__all__ = ["Circuits", "Conflict", "circuits"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two paths that share a channel: their sources, and the hop of each that takes it (from 1)."""

    channel: Channel
    sources: tuple[int, int]
    hops: tuple[int, int]

    def __str__(self) -> str:
        (u, v), (x, y) = self.channel, self.sources
        return f"the paths of {x} and {y} both take the channel from {u} to {v}"


@dataclass(frozen=True, eq=False)
class Circuits:
    """The paths that the tags of a trace set up; made by `circuits`.

    Attributes:
        nodes: the node of every path after each hop (or wait), int64 of shape (hops + 1, 2^n),
            a column for every source.
        conflict: the first two paths that share a channel, or None: then all can be held at the
            same time, and `nodes` is the certificate.
    """

    nodes: npt.NDArray[np.int64]
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
        if not 0 <= source < self.nodes.shape[1]:
            raise InputError("source", f"must be in 0..{self.nodes.shape[1] - 1}", source)
        column = self.nodes[:, source].tolist()
        return [column[0], *(v for u, v in pairwise(column) if u != v)]

    @cached_property
    def channels(self) -> tuple[tuple[Channel, ...], ...]:
        """The channels of every path, in the order in which it takes them."""
        return tuple(tuple(pairwise(self.path(x))) for x in range(self.nodes.shape[1]))

    def __repr__(self) -> str:
        found = "no two share a channel" if self.conflict is None else str(self.conflict)
        return f"<Circuits of {self.nodes.shape[1]} messages: {found}>"


def circuits(trace: Trace) -> Circuits:
    """Set up the paths of a trace, and find out whether two share a channel.

    Args:
        trace: a delivered one; on a mesh or torus its paths are those hop by hop.

    Raises:
        InputError: no trace, or one that is not delivered.

    >>> from lccmodel.methods.self_routing.route import self_route
    >>> found = circuits(self_route([0, 2, 1, 3]))
    >>> found, found.path(1)
    (<Circuits of 4 messages: no two share a channel>, [1, 0, 2])
    >>> circuits(self_route([3, 2, 1, 0], network=Mesh((4,))))
    <Circuits of 4 messages: the paths of 0 and 1 both take the channel from 0 to 1>
    """
    if not isinstance(trace, Trace):
        raise InputError("trace", "must be a Trace, which self_route makes", trace)
    if not trace.delivered:
        rule = "only a delivered trace leaves paths; try another mode or reading"
        raise InputError("trace", rule, str(trace.failure))
    nodes = trace.walk.positions
    if isinstance(trace.network, Mesh):
        run = simulate_hops(trace, record=True)
        assert run.positions is not None
        nodes = run.positions
    return Circuits(nodes, _first_conflict(nodes))


def _first_conflict(nodes: npt.NDArray[np.int64]) -> Conflict | None:
    """The conflict whose second path comes to the channel first."""
    hop, source = np.nonzero(nodes[1:] != nodes[:-1])
    channel = nodes[hop, source] * nodes.shape[1] + nodes[hop + 1, source]
    _, first, which = np.unique(channel, return_index=True, return_inverse=True)
    again = first[which] != np.arange(len(channel))
    if not again.any():
        return None
    second = int(again.argmax())
    earlier = int(first[which[second]])
    u, v = divmod(int(channel[second]), nodes.shape[1])
    return Conflict(
        (u, v),
        (int(source[earlier]), int(source[second])),
        (int(hop[earlier]) + 1, int(hop[second]) + 1),
    )
