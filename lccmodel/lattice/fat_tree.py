"""Fat trees in the lattice: the load of every upward and downward channel by ranks.

Hosts have n address bits; a switch of level l is named by the high bits H of its hosts and by the
low bits S that messages have chosen on the way up, |S| = s = |L_l|. Routed by destination
(D-mod-k), a message from x to y = Ax + b that climbs above level l takes the channel

    up    (y_S, x_H), which is p_S(x)        down    (y_S, y_H) = y

unless it has turned: x_H = y_H. So an upward load is an occupancy, less the messages that have
turned. With N = [A_HS | (I + A)_HH | b_H], whose rank counts the ways in which x_H + y_H varies:

    kind      up                                        one less turned set everywhere if
    y=Ax+b    2^(s - rank A_SS) - t 2^(s - rank A_.S)   rank N = rank A_.S - rank A_SS
    x=Ay+b    2^(|H| - rank A_HH) - t                   A_HH N = 0

              down
    y=Ax+b    2^(n - rank A) - t 2^(s - rank A_.S)      rank N = n - rank A - s + rank A_.S
    x=Ay+b    1 - t                                     N = 0

where t = 1 if the condition on the right holds and else 0: then every channel that would carry a
message has some that turned, and the busiest carries that many less. (A_.S are the columns of S;
for nonsingular A its rank is s, and at most one message of a channel has turned.) Routed by source
(S-mod-k), messages take the paths of their answers: up and down change places, and so do y = Ax + b
and x = Ay + b.

By hand, y = (x_1, x_0) on the 2-ary 2-tree: s = 1, A_SS = 0, A_.S has rank 1, N = [1 | 1 | 0] has
rank 1 = 1 - 0, so t = 1 and the upward load is 2 - 1 = 1: of the two messages that meet at a
switch, one turns there.

Proofs: docs/fat_trees.md; claims `lattice.fattree.*`.
"""

from __future__ import annotations

from collections.abc import Sequence

from lccmodel.communication.lcc import LCC, require_lcc
from lccmodel.errors import InputError, checked_integers
from lccmodel.gf2.elimination import rank
from lccmodel.ground.words import checked_word

TreeLoads = tuple[tuple[int, int], ...]
"""(up, down) for every level of links between switches, the lowest first."""


def fat_tree_loads(
    communication: LCC, levels: Sequence[int], routing: str = "d-mod-k"
) -> TreeLoads:
    """Messages on the busiest upward and downward channel of every level.

    Args:
        communication: an LCC of any kind.
        levels: for every level of links, how many low bits name the hosts below one switch,
            ascending: d, 2d, ..., (h - 1) d on the 2^d-ary h-tree.
        routing: "d-mod-k" or "s-mod-k".

    Raises:
        CommunicationError: `communication` is not an LCC.
        InputError: a level is not in 0..n; the routing is neither.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> fat_tree_loads(bit_reverse(4), (1, 2, 3)), fat_tree_loads(bit_reverse(4), (2,))
    (((2, 1), (3, 1), (1, 1)), ((3, 1),))
    """
    require_lcc(communication)
    c = communication
    checked_word("routing", routing, ("d-mod-k", "s-mod-k"))
    lows = checked_integers("levels", levels)
    for low in lows:
        if not 0 <= low <= c.n:
            raise InputError("levels", f"must be numbers of bits, 0..{c.n}", low)
    if routing == "s-mod-k":
        turned = [_loads(c.reversed(), low) for low in lows]
        return tuple((down, up) for up, down in turned)
    return tuple(_loads(c, low) for low in lows)


def _loads(c: LCC, low: int) -> tuple[int, int]:
    """(up, down) of the links above switches with 2^low hosts, routed by destination."""
    A, n = c.A, c.n
    S, H, everything = range(low), range(low, n), range(n)
    columns = _columns_of_turning(c, low)
    turning = rank(columns)
    if c.kind == "scatter":
        high = A.submatrix(H, H)
        applied = [high.apply(column) for column in columns]
        up = (1 << n - low - high.rank) - (not any(applied))
        return up, int(any(columns))
    full, inside = A.submatrix(everything, S).rank, A.submatrix(S, S).rank
    turned = 1 << low - full
    up = (1 << low - inside) - (turned if turning == full - inside else 0)
    free = n - c.rank
    down = (1 << free) - (turned if turning == free - low + full else 0)
    return up, down


def _columns_of_turning(c: LCC, low: int) -> list[int]:
    """The columns of N = [A_HS | (I + A)_HH | b_H], packed, row 0 of H first."""
    changed = [row ^ 1 << i if i >= low else row for i, row in enumerate(c.A.rows)][low:]
    columns = [sum((row >> j & 1) << i for i, row in enumerate(changed)) for j in range(c.n)]
    return [*columns, int(c.b) >> low]
