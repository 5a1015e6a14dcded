"""Lower bounds that no mapping of a kind can beat [hou, Theorem 3 and Lemma 3, amended].

Bits that no message changes carry nothing and change no other load, so they may be left out. Of
the bits that remain on channels, the last one corrected (for a scatter, the first) carries
2^(n-1-rank A) at least, and each of them 1 at least. So, with u of them,

    degree      >= max(1, 2^(n-1-rank A))               and 0 for u = 0
    sum of T_i  >= u - 1 + max(1, 2^(n-1-rank A))       and 0 for u = 0

The print states the first line without the case u = 0, where it fails. A bristled hypercube hides
one bit of a reordering; a linear mapping hides everything if all displacements are multiples of
one vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from lccmodel._numbers import as_number
from lccmodel.communication.lcc import LCC
from lccmodel.communication.volumes import Number
from lccmodel.lattice.weights import SetObjective, exact_weights
from lccmodel.methods.mapping.linear import displacements


def reordering_bound(
    communications: Sequence[LCC],
    weights: Sequence[Number],
    objective: SetObjective,
    internal: int,
) -> Number:
    """A bound on the objective for every reordering.

    Args:
        communications: the members.
        weights: one positive weight a member.
        objective: "max-max", "max-sum" or "sum-sum".
        internal: how many bits lie inside a router (0 or 1).

    >>> reordering_bound([LCC([[0, 0], [0, 0]])], [1], "max-max", 0)
    2
    """
    scale, integers = exact_weights(weights, len(communications))
    used = [max(sum(c.moves(i) for i in range(c.n)) - internal, 0) for c in communications]
    last = [_last(c) if u else 0 for c, u in zip(communications, used, strict=True)]
    busiest = max(w * load for w, load in zip(integers, last, strict=True))
    total = sum(w * (u - 1 + load) for w, u, load in zip(integers, used, last, strict=True) if u)
    if objective == "max-max":
        bound = Fraction(busiest)
    elif objective == "sum-sum":
        bound = Fraction(total)
    else:  # the busiest dimension carries at least the mean of all
        bound = max(Fraction(busiest), Fraction(total, max(communications[0].n - internal, 1)))
    return as_number(bound / scale)


def linear_bound(communication: LCC, internal: int) -> int:
    """A bound on the degree for every nonsingular Q.

    >>> linear_bound(LCC([[1, 0], [0, 1]], [1, 1]), 1)
    0
    """
    return _last(communication) if len(displacements(communication)) > internal else 0


def _last(communication: LCC) -> int:
    return 1 << max(communication.n - 1 - communication.rank, 0)
