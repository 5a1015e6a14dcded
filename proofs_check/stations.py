"""Where messages stand and which channels they use after any set S of bits has been corrected.

Nothing here takes a rank. After the bits in S are corrected a message stands at the node with its
destination's bits in S and its source's bits elsewhere; correcting bit j next sends those whose
bit j is wrong over the channel of dimension j at that node. For every S the messages are sorted by
the node where they stand, and for every j those of a node are counted that move, and that stay:

    occupied[S] = (least, most)         messages in a node that holds any
    crossing[0, S, j] = (least, most)   of them that move in j, over the nodes where any does
    crossing[1, S, j] = (least, most)   of them that stay, over the nodes where any does

Translation. With another b every message stands at the old node xor b_S, and b_j = 1 exchanges
those that move in j and those that stay (`lattice.translation`). So a walk with b = 0 tells the
numbers for every b: occupied[S] is the same, and those that move are crossing[b_j, S, j]. Up to
n = 4 every b is walked all the same; from n = 5 on only b = 0 is.

Both directions: `gather` sends x to Ax + b, `scatter` sends Ay + b to y. Bits in `inside` lie in
a router (bit 0 in the Origin 2000): they are no channels and do not tell nodes apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import bit_count, borrowed, inlined_kernel, kernel
from proofs_check.arrays import Ints, Words
from proofs_check.packed import apply
from proofs_check.walk import (
    Channel,
    everyone,
    route,
    set_destination_planes,
    split_by_node,
)

LAST_WALKED = 4
"""Largest n for which every b is walked; beyond, b = 0 is walked and the rest is translation."""


@kernel
def set_images(n: int, rows: Ints, b: int, images: Ints) -> None:
    """images[x] = Ax + b for every x."""
    for x in range(1 << n):
        images[x] = apply(n, rows, x) ^ b


@inlined_kernel
def _messages_by_node(n: int, planes: Words, inside: int, sets: Words) -> int:
    """The messages of every node (router) that holds any; the number of such nodes."""
    kept = 0
    for t in range(split_by_node(n, planes, everyone(n), inside, sets)):
        word = sets[t]
        sets[kept] = word
        if word:
            kept += 1
    return kept


@kernel
def walk_subsets(
    n: int,
    rows: Ints,
    b: int,
    scatter: bool,
    inside: int,
    scratch: Words,
    occupied: Ints,
    crossing: Ints,
) -> None:
    """Fill `occupied` and `crossing` for all S and j outside `inside`; n <= 6.

    `occupied` has shape (2^n, 2) and `crossing` (2, 2^n, n, 2); `scratch` has 3n + 2^n words, the
    first n those of `set_source_planes`.
    """
    scratch = borrowed(scratch)
    nodes, images = scratch[:n], scratch[n : 2 * n]
    planes, sets = scratch[2 * n : 3 * n], scratch[3 * n :]
    set_destination_planes(n, rows, b, nodes, images)
    for S in range(1 << n):
        if S & inside:
            continue
        for k in range(n):
            corrected = bool(S >> k & 1)
            planes[k] = images[k] if corrected != scatter else nodes[k]
        count = _messages_by_node(n, planes, inside, sets)
        least, most = 1 << n, 0
        for t in range(count):
            held = bit_count(sets[t])
            least, most = min(least, held), max(most, held)
        occupied[S, 0], occupied[S, 1] = least, most
        for j in range(n):
            if (S | inside) >> j & 1:
                continue
            wrong = nodes[j] ^ images[j]
            least, most, least_still, most_still = 1 << n, 0, 1 << n, 0
            for t in range(count):
                moving = bit_count(sets[t] & wrong)
                still = bit_count(sets[t] & ~wrong)
                most, most_still = max(most, moving), max(most_still, still)
                least = min(least, moving if moving else 1 << n)
                least_still = min(least_still, still if still else 1 << n)
            crossing[0, S, j, 0], crossing[0, S, j, 1] = min(least, most), most
            crossing[1, S, j, 0], crossing[1, S, j, 1] = min(least_still, most_still), most_still


@kernel
def by_translation(n: int) -> bool:
    """Whether only b = 0 is walked at this n."""
    return n > LAST_WALKED


@kernel
def along_order(order: Ints, flips: int, occupied: Ints, crossing: Ints) -> tuple[int, int, int]:
    """What is met when bits are corrected in this order, as the largest number over all steps.

    Returns:
        messages in a node after some bits, all bits included; messages on a channel; messages in
        a node that agree in the bit of their destinations that is corrected next, where it moves.
        `flips` is b where `crossing` was walked for b = 0, else 0.
    """
    S = held = load = agreeing = 0
    for j in order:
        side = flips >> j & 1
        moving, staying = crossing[side, S, j, 1], crossing[1 - side, S, j, 1]
        load = max(load, moving)
        if moving:
            agreeing = max(agreeing, moving, staying)
        S |= 1 << j
        held = max(held, occupied[S, 1])
    return held, load, agreeing


# -- one message after another ----------------------------------------------------------------


def messages(A: GF2Matrix, b: int, scatter: bool = False) -> list[tuple[int, int]]:
    """(source, destination) of every message of (A, b), in the order of x (of y for a scatter).

    >>> messages(GF2Matrix([[0, 1], [0, 0]]), 0, scatter=True)
    [(0, 0), (0, 1), (1, 2), (1, 3)]
    """
    images = [(v, A.apply(v) ^ b) for v in range(1 << A.n_columns)]
    return [(image, v) for v, image in images] if scatter else images


def in_place(x: int, order: Sequence[int]) -> int:
    """The address with old bit order[k] at place k; other bits are dropped.

    >>> in_place(0b01, (1, 0)), in_place(0b01, (1,))
    (2, 0)
    """
    return sum((x >> bit & 1) << k for k, bit in enumerate(order))


def in_places(pairs: Iterable[tuple[int, int]], order: Sequence[int]) -> list[tuple[int, int]]:
    """The messages between addresses that are put in places: see `in_place`."""
    return [(in_place(x, order), in_place(y, order)) for x, y in pairs]


def held_by_nodes(
    pairs: Iterable[tuple[int, int]], S: Iterable[int], inside: int = 0
) -> Counter[int]:
    """How many messages every node (router) holds after the bits in S are corrected.

    >>> held_by_nodes(messages(GF2Matrix([[0, 1], [1, 0]]), 0), [0])
    Counter({0: 2, 3: 2})
    """
    corrected = list(S)
    return Counter(route(x, y, corrected)[-1] & ~inside for x, y in pairs)


def crossed_channels(
    pairs: Iterable[tuple[int, int]], S: Iterable[int], j: int, inside: int = 0
) -> Counter[Channel]:
    """How many messages cross every channel of dimension j when it is corrected after S.

    >>> crossed_channels(messages(GF2Matrix.zeros(2), 0), [0], 1)
    Counter({(2, 0): 2})
    """
    corrected = list(S)
    loads: Counter[Channel] = Counter()
    for x, y in pairs:
        u = route(x, y, corrected)[-1]
        if (u ^ y) >> j & 1:
            loads[u & ~inside, (u ^ 1 << j) & ~inside] += 1
    return loads


def walked_along(pairs: list[tuple[int, int]], order: Sequence[int]) -> dict[str, Any]:
    """Messages in the fullest node after every step, on the busiest channel of it, their paths.

    >>> shown = walked_along(messages(GF2Matrix.zeros(2), 0), (1, 0))
    >>> shown["occupancy"], shown["load"]
    ([1, 2, 4], [1, 2])
    """
    done = [order[:k] for k in range(len(order) + 1)]
    crossed = [crossed_channels(pairs, S, j) for S, j in zip(done, order, strict=False)]
    return {
        "order": order,
        "occupancy": [max(held_by_nodes(pairs, S).values()) for S in done],
        "load": [max(channels.values(), default=0) for channels in crossed],
        "paths": [route(x, y, order) for x, y in pairs],
    }
