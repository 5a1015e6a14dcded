"""The network of switches that a self-routing uses [boppana, section 3.3.1].

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
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError
from lccmodel.methods.partitioned import BenesNetwork, partition_tree
from lccmodel.methods.self_routing.route import SelfRouting


@typed_arguments
def network_of(made_by: SelfRouting | LCC | Sequence[int] | Ints) -> BenesNetwork:
    """The network whose first n stages are the steps of a self-routing.

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
    from lccmodel.methods.self_routing.kernels import scope_of

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
    from lccmodel.methods.self_routing.route import self_route

    tree = partition_tree(permutation)
    if tree is None:
        rule = "must be a partitioned linear-complement permutation, or a self-routing"
        raise InputError("made_by", rule, permutation)
    return self_route(tree.destinations.tolist(), "m-simd", partition=tree)
