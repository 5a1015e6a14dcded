"""What a self-routing uses: the network of switches [boppana, section 3.3.1], and its circuits.

In every step of HL in M-SIMD mode each part of a partitioned permutation corrects one bit: a stage
of switches that pair its lines along that dimension. The n steps are the first n stages of a
Beneš-like network. A part is named by bits that may not have been used yet, so that two lines which
agree in the bits used so far can be paired along different dimensions: the network is *mixed*.

    n = 4, parts by bit 3      stage 1  dimension 0 everywhere
    a mixed network            stage 2  dimension 1 where x_3 = 0, dimension 2 where x_3 = 1
                               stage 3  the other of the two
                               stage 4  dimension 3 everywhere; then the mirror

All partitioned permutations of 8 lines make two networks; those of 16 lines eight, two of them
mixed (`boppana.benes.different` counts them). The network of a permutation with two parts
is that of the parts put together, so from n = 4 on the networks are at least squared with every
bit: 2^(3N/16) for N = 2^n lines. The mixed ones of 16 lines are rearrangeable too: behind dimension
0 lie two networks of 8 lines, each of which realises all 8! permutations (`boppana.benes.made`).
Of 32 lines some are not (`boppana.benes.parts`).

**Circuit switching**: tags go ahead and set up paths; no two may share a link. [boppana, section
3.2] holds a link for the whole transmission, in each direction for one path at most. A link is
therefore a directed channel here, and what counts is not the load of one step but that of all steps
together. On a hypercube each bit is corrected once, so two paths that meet on a channel met in one
step, and HL keeps that load at 1 [boppana, Lemma 5]. On a mesh the paths of different bits run over
the same channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Viewed
from lccmodel.movement import Conflict, Movement
from lccmodel.network import Mesh
from lccmodel.network.loads import Channel
from lccmodel.permutations.partitioned import BenesNetwork, partition_tree
from lccmodel.permutations.self_routing.route import SelfRouting


@typed_arguments
def network_of(made_by: SelfRouting | LCC | Sequence[int] | Ints) -> BenesNetwork:
    """Return the network whose first n stages are the steps of a self-routing.

    Args:
        made_by: a partitioned linear-complement permutation of 2^n lines, n >= 1, which HL routes
            by its parts; or a delivered self-routing, in lockstep or by the parts of a tree.

    Raises:
        InputError: no such permutation or routing; processors that choose for themselves make no
            network.
        NetworkError: the two lines of a switch chose different dimensions.

    >>> network_of([0, 2, 1, 3])
    BenesNetwork(2 bits, 3 stages, order [0, 1])
    """
    routed = made_by if isinstance(made_by, SelfRouting) else _routed(made_by)
    if not isinstance(routed, SelfRouting) or not routed.delivered or routed.mode == "mimd":
        rule = "must be a delivered self-routing in mode simd, or m-simd with its tree"
        raise InputError("made_by", rule, routed)
    from lccmodel.permutations.self_routing.kernels import scope_of

    n, starts = routed.n, routed.rules.starts(routed.n)
    rows = np.array(routed.choices[:n], dtype=np.int64)
    for step, row in enumerate(rows):
        parts = np.array([u & ~scope_of(starts, u, step, n) for u in range(row.size)])
        chosen = np.full(row.size, -1, dtype=np.int64)  # the bit of a part, at its least processor
        chosen[parts[row >= 0]] = row[row >= 0]  # processors without tags choose nothing
        row[:] = chosen[parts]
    return BenesNetwork(rows)


def _routed(permutation: LCC | Sequence[int] | Ints) -> SelfRouting:
    """HL on a partitioned permutation, each part in its turn."""
    from lccmodel.permutations.self_routing.route import self_route

    tree = partition_tree(permutation)
    if tree is None:
        rule = "must be a partitioned linear-complement permutation, or a self-routing"
        raise InputError("made_by", rule, permutation)
    return self_route(tree.destinations.tolist(), "m-simd", partition=tree)


@dataclass(frozen=True, eq=False)
class Circuits(Viewed, view="circuits"):
    """The paths that the tags of a self-routing set up; made by `circuits`.

    Attributes:
        movement: the paths, channel by channel: a step for every hop (or wait).
        conflict: the first two paths that share a channel, or None: then all can be held at the
            same time, and `movement` is the certificate.

    >>> from lccmodel import catalog
    >>> from lccmodel.permutations import circuits, self_route
    >>> paths = circuits(self_route(catalog.bit_reverse(2)))
    >>> paths.movement, paths.conflict is None
    (<Movement of 4 messages on cube:2: 2 steps, 4 hops>, True)
    """

    movement: Movement
    conflict: Conflict | None

    @property
    def disjoint(self) -> bool:
        """Whether no two paths share a channel."""
        return self.conflict is None

    def path(self, source: int) -> list[int]:
        """Return the nodes of one path, both ends included.

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
        verdict = "no two share a channel" if self.conflict is None else str(self.conflict)
        return f"<Circuits of {self.movement.messages} messages: {verdict}>"


@typed_arguments
def circuits(routed: SelfRouting) -> Circuits:
    """Set up the paths of a self-routing, and find out whether two share a channel.

    Args:
        routed: a delivered one; on a mesh or torus its paths are those hop by hop.

    Raises:
        InputError: not a self-routing, or one that is not delivered.

    >>> from lccmodel.permutations.self_routing.route import self_route
    >>> paths = circuits(self_route([0, 2, 1, 3]))
    >>> paths, paths.path(1)
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
    replayed = movement.replay(circuits=True)
    return Circuits(movement, replayed if isinstance(replayed, Conflict) else None)
