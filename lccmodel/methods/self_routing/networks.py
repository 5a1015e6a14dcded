"""The network of switches that a self-routing uses [boppana, section 3.3.1].

In every step of HL in M-SIMD mode each part of a partitioned permutation corrects one bit: a stage
of switches that pair its lines along that dimension. The n steps are the first n stages of a
Beneš-like network. A part is named by bits that may not have been used yet, so that two lines which
agree in the bits used so far can be paired along different dimensions: the network is *mixed*.

    n = 4, parts by bit 3      stage 1  dimension 0 everywhere
    a mixed network            stage 2  dimension 1 where x_3 = 0, dimension 2 where x_3 = 1
                               stage 3  the other of the two
                               stage 4  dimension 3 everywhere; then the mirror

All partitioned permutations of 8 lines make two networks; those of 16 lines eight that we have
met, two of them mixed. The mixed ones are rearrangeable too: behind dimension 0 lie two networks of
8 lines, each of which realises all 8! permutations (every setting tried), and two that do are
joined by the stages of dimension 0 as in any Beneš network.
"""

from __future__ import annotations

import numpy as np

from lccmodel.errors import InputError
from lccmodel.methods.partitioned import BenesNetwork
from lccmodel.methods.self_routing.trace import Trace

__all__ = ["network_of"]


def network_of(trace: Trace) -> BenesNetwork:
    """The network whose first n stages are the steps of a self-routing.

    Args:
        trace: a delivered one of n >= 1 steps, in lockstep or by the parts of a tree.

    Raises:
        InputError: not such a trace; processors that choose for themselves make no network.
        NetworkError: the two lines of a switch chose different dimensions.

    >>> from lccmodel.methods.partitioned import partition_tree
    >>> from lccmodel.methods.self_routing.route import self_route
    >>> p = [0, 2, 1, 3]
    >>> network_of(self_route(p, "m-simd", partition=partition_tree(p)))
    BenesNetwork(2 bits, 3 stages, order [0, 1])
    """
    if not isinstance(trace, Trace) or not trace.delivered or trace.mode == "mimd":
        rule = "must be a delivered trace in mode simd, or m-simd with its tree"
        raise InputError("trace", rule, trace)
    from lccmodel.methods.self_routing.kernels import scope_of

    n, starts = trace.n, trace.rules.starts(trace.n)
    rows = np.array(trace.choices[:n], dtype=np.int64)
    for step, row in enumerate(rows):
        parts = np.array([u & ~scope_of(starts, u, step, n) for u in range(row.size)])
        chosen = np.full(row.size, -1, dtype=np.int64)  # the bit of a part, at its least processor
        chosen[parts[row >= 0]] = row[row >= 0]  # processors without tags choose nothing
        row[:] = chosen[parts]
    return BenesNetwork(rows)
