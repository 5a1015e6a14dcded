"""Algorithm HL by what a processor sees, for the claims of [boppana, sections 2 to 4].

In state A a processor corrects the least bit that was not used; in state B one with two tags
corrects the least bit in which they differ, the others nothing. Every processor sends all of its
tags that disagree in the bit that it corrects; that this is one at most is part of Lemma 4. With
LITERAL it follows the words "route one of them" instead: a processor with two tags sends the one
that disagrees and does not look at the other (Corollary 1).

hosts[t, y] is the processor that holds tag y after t steps; the map y -> hosts[t, y] is what the
paper's proof calls the distribution of tags.
"""

from __future__ import annotations

import numpy as np

from lccmodel._jit import kernel, lowest_bit
from proofs_check.arrays import Ints

AS_PRINTED, IGNORES_TAGS, MSB, LITERAL = 0, 1, 2, 4
"""Flags of `run`; they add up."""


def arrays_of_a_run(n: int) -> tuple[Ints, Ints, Ints]:
    """`hosts`, `bits` and `sent` of `run`, to be filled."""
    size = 1 << n
    return np.empty((n + 1, size), np.int64), *np.empty((2, n, size), np.int64)


@kernel
def run(n: int, tags: Ints, flags: int, idle: int, hosts: Ints, bits: Ints, sent: Ints) -> None:
    """Run n steps of HL on any permutation.

    Args:
        n: number of address bits.
        tags: the tag of every processor before step 1.
        flags: AS_PRINTED, or a sum of IGNORES_TAGS (state B is treated as state A), MSB (the most
            significant bits are taken), LITERAL (a processor with two tags looks for one to send).
        idle: a processor that never sends; -1 for none.
        hosts: receives the processor of every tag, shape (n + 1, 2^n).
        bits: receives the bit that each processor corrects in each step, -1 for none; (n, 2^n).
        sent: receives the number of tags that each processor sends in each step; (n, 2^n).
    """
    size = 1 << n
    held, differing = np.empty((2, size), np.int64)
    for x in range(size):
        hosts[0, tags[x]] = x
    used = 0
    for t in range(n):
        crowd = _look(hosts[t], held, differing)
        state_a = crowd == 1 or flags & IGNORES_TAGS != 0
        taken = 0
        for u in range(size):
            bits[t, u] = -1
            sent[t, u] = 0
            if held[u] == 0:
                continue
            options = ~used & (size - 1) if state_a else differing[u]
            if options:
                bits[t, u] = _extreme(n, options, flags & MSB != 0)
                taken |= 1 << bits[t, u]
        used |= taken
        for y in range(size):
            u = hosts[t, y]
            hosts[t + 1, y] = u
            j = bits[t, u]
            if j < 0 or u == idle or not (u ^ y) >> j & 1:
                continue
            if flags & LITERAL != 0 and sent[t, u] == 1:
                continue  # one tag was found already
            hosts[t + 1, y] = u ^ (1 << j)
            sent[t, u] += 1


@kernel
def run_in_order(n: int, tags: Ints, ignores_tags: bool, order: Ints) -> int:
    """Run HL; `order` receives the bit of every step.

    Args:
        n: number of address bits.
        tags: the destination of the message of every node, int64 of shape (2^n,).
        ignores_tags: a wrong algorithm, which treats state B as state A.

    Returns: the most tags that a processor sends in a step; -1 if a state is neither A nor B, or
    the processors that hold tags do not all correct one bit that is unused.
    """
    size = 1 << n
    hosts = np.empty((n + 1, size), np.int64)
    bits, sent = np.empty((2, n, size), np.int64)
    run(n, tags, IGNORES_TAGS if ignores_tags else AS_PRINTED, -1, hosts, bits, sent)
    used = 0
    for t in range(n):
        bit = bits[t, hosts[t, 0]]
        for y in range(size):  # in a state that is neither, some hold one tag and correct nothing
            if bits[t, hosts[t, y]] != bit:
                return -1
        if bit < 0 or used >> bit & 1:
            return -1
        used |= 1 << bit
        order[t] = bit
    return int(sent.max()) if n else 0


@kernel
def _look(hosts: Ints, held: Ints, differing: Ints) -> int:
    """Count the tags of every processor, and or their differences; returns the largest count."""
    first = np.empty(len(held), np.int64)
    for u in range(len(held)):
        held[u] = differing[u] = 0
    for y in range(len(hosts)):
        u = hosts[y]
        if held[u] == 0:
            first[u] = y
        differing[u] |= first[u] ^ y
        held[u] += 1
    return int(held.max())


@kernel
def _extreme(n: int, options: int, most: bool) -> int:
    if not most:
        least: int = lowest_bit(np.uint64(options))
        return least
    j = n - 1
    while not options >> j & 1:
        j -= 1
    return j


def tags_by_step(tags: list[int], flags: int = 0, idle: int = -1) -> list[dict[int, list[int]]]:
    """The tags of every processor before step 1 and after every step.

    >>> tags_by_step([0, 2, 1, 3])
    [{0: [0], 1: [2], 2: [1], 3: [3]}, {0: [0, 2], 3: [1, 3]}, {0: [0], 1: [1], 2: [2], 3: [3]}]
    """
    size = len(tags)
    n = size.bit_length() - 1
    hosts, bits, sent = arrays_of_a_run(n)
    run(n, np.array(tags), flags, idle, hosts, bits, sent)
    states: list[dict[int, list[int]]] = []
    for row in hosts.tolist():
        state: dict[int, list[int]] = {}
        for y in sorted(range(size), key=lambda y: (row[y], y)):
            state.setdefault(row[y], []).append(y)
        states.append(state)
    return states
