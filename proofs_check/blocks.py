"""Blocks of collectives, moved step by step, and the routes of their messages on rings.

A step is messages (from, to, block, "add" or "copy"), each with what its source held before the
step. Contributions are numbers of 16 bits side by side in one, so a sum shows each exactly once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Row = tuple[int, int, int, str]
Steps = list[list[Row]]

_BITS = 16


def ends_right(collective: str, p: int, blocks: int, steps: Sequence[Sequence[Row]]) -> bool:
    """Whether every rank ends with what the collective asks, each contribution once.

    Block b is that of rank b p // blocks; the root of a broadcast or a reduction is rank 0, and a
    barrier joins contributions, however often they come.

    >>> ends_right("allreduce", 2, 1, [[(0, 1, 0, "add"), (1, 0, 0, "add")]])
    True
    """
    own = max(blocks // p, 1)
    gathers, alltoall = collective in ("allgather", "alltoall"), collective == "alltoall"
    held = [
        [
            1 << _BITS * r
            if (block // own == r if gathers else collective != "broadcast" or r == 0)
            else 0
            for block in range(blocks)
        ]
        for r in range(p)
    ]
    for step in steps:
        came = [(to, block, held[source][block], op) for source, to, block, op in step]
        for to, block, part, op in came:
            if collective == "barrier":
                held[to][block] |= part
            else:
                held[to][block] = held[to][block] + part if op == "add" else part
    every = sum(1 << _BITS * r for r in range(p))
    for r in range(p) if collective != "reduce" else (0,):
        for block, parts in enumerate(held[r]):
            owner = block // own
            if (collective == "reduce-scatter" and r != owner) or (alltoall and r != block % p):
                continue
            if collective == "broadcast":
                owner = 0
            one = gathers or collective == "broadcast"
            if parts != (1 << _BITS * owner if one else every):
                return False
    return True


def ring_route(source: int, to: int, p: int) -> Iterator[tuple[int, int]]:
    """The channels (node, +1 or -1) of the shorter way, half-way round by the parity of source.

    >>> list(ring_route(3, 1, 4))
    [(3, -1), (2, -1)]
    """
    ahead = (to - source) % p
    way = 1 if 2 * ahead < p or (2 * ahead == p and source % 2 == 0) else -1
    for hop in range(ahead if way == 1 else p - ahead):
        yield (source + way * hop) % p, way
