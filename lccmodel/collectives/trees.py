"""Broadcasts down trees, and what follows from them: a tree is the parent of every rank.

A rank sends to its children in turn, the one with the highest subtree first, or with all ports to
all of them at once; so the parents alone make a plan. Backwards it is a reduction.

    parent of r > 0                                     source
    r without its lowest bit       binomial             [thakur]
    r - 1                          chain
    (r - 1) div 2                  binary
    in-order trees                 double binary        [sanders], as NCCL lays them out
    the butterfly of Bine          Bine                 [bine]
    n trees of a cube              edge-disjoint        [ho]
    a path through all             chain on a cycle

A scatter sends every rank its block down a tree; backwards it is a gather.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from lccmodel.collectives.exchanges import swing_partners
from lccmodel.collectives.plans import Plan, beside
from lccmodel.collectives.steps import Send, Stage, fixed
from lccmodel.ground.arrays import Ints


def binomial_parents(ranks: int) -> Ints:
    """r without its lowest set bit; 0 is the root.

    >>> binomial_parents(8).tolist()
    [0, 0, 0, 2, 0, 4, 4, 6]
    """
    r = np.arange(ranks)
    return r & (r - 1)


def bine_parents(ranks: int) -> Ints:
    """From whom a rank hears first when all that know tell their Bine partner, far ones first.

    >>> bine_parents(8).tolist()
    [0, 0, 3, 0, 3, 4, 7, 0]
    """
    parents = np.zeros(ranks, np.int64)
    known = np.zeros(1, np.int64)
    for step in reversed(range((ranks - 1).bit_length())):
        reached = swing_partners(ranks, step)[known]
        parents[reached] = known
        known = np.concatenate([known, reached])
    return parents


def disjoint_parents(n: int, tree: int) -> Ints:
    """Tree number j of n on a cube of 2^n ranks, that share no channel [ho].

    A rank with bit j hangs on the one without its next set bit below j, round from the lowest to
    the highest; a rank without bit j on the one with it, and 2^j on the root.

    >>> [disjoint_parents(2, tree).tolist() for tree in (0, 1)]
    [[0, 0, 3, 1], [0, 3, 0, 2]]
    """
    r = np.arange(1 << n)
    parents, looking = r ^ (1 << tree), (r >> tree & 1).astype(bool)
    for turn in range(1, n):
        bit = 1 << (tree - turn) % n
        now = looking & (r & bit > 0)
        parents[now] = r[now] ^ bit
        looking &= ~now
    parents[0] = 0
    return parents


def path_parents(path: Ints) -> Ints:
    """The chain along a path through all ranks: each hangs on the one before.

    >>> path_parents(np.array([0, 2, 1])).tolist()
    [0, 2, 0]
    """
    parents = np.empty(len(path), np.int64)
    parents[path[1:]], parents[path[0]] = path[:-1], path[0]
    return parents


def in_order_parents(ranks: int) -> Ints:
    """The in-order binary tree: a rank is below the one at twice its lowest bit [sanders].

    >>> in_order_parents(8).tolist()
    [0, 2, 4, 2, 0, 6, 4, 6]
    """
    r = np.arange(ranks)
    bit = r & -r
    parent = r ^ bit | bit << 1
    return np.where(parent < ranks, parent, r ^ bit)


def _rounds(parents: Ints, *, at_once: bool) -> list[Ints]:
    """The ranks that hear in every step."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for child, parent in enumerate(parents.tolist()):
        if child != parent:
            children[parent].append(child)
    root = int(np.flatnonzero(parents == np.arange(len(parents)))[0])
    order = [root]
    for rank in order:
        order += children[rank]
    height = np.zeros(len(parents), np.int64)
    for rank in reversed(order[1:]):
        above = int(parents[rank])
        height[above] = max(height[above], height[rank] + 1)
    heard = np.zeros(len(parents), np.int64)
    for rank in order:
        below = sorted(children[rank], key=lambda child: -height[child])
        for turn, child in enumerate(below):
            heard[child] = heard[rank] + (1 if at_once else turn + 1)
    return [np.flatnonzero(heard == step) for step in range(1, int(heard.max()) + 1)]


def down(parents: Ints, *, at_once: bool = False) -> Plan:
    """The broadcast of the whole vector down a tree.

    >>> down(binomial_parents(5))
    <Plan of broadcast: 5 ranks, 3 steps, 4 messages>
    """
    stages = []
    for reached in _rounds(parents, at_once=at_once):
        whole = fixed(np.zeros((len(reached), 1), np.int64))
        stages.append(Stage((Send(parents[reached], reached, 1, whole),)))
    return Plan("broadcast", len(parents), 1, stages, _root(parents))


def up(parents: Ints, *, at_once: bool = False) -> Plan:
    """The reduction up a tree."""
    return down(parents, at_once=at_once).backwards("reduce", add=True)


def _root(parents: Ints) -> int:
    return int(np.flatnonzero(parents == np.arange(len(parents)))[0])


def scatter(parents: Ints, *, at_once: bool = False) -> Plan:
    """Down a tree every rank sends the blocks of those below; the first half of a broadcast.

    >>> scatter(binomial_parents(6)).replay().ok
    True
    """
    p = len(parents)
    below: list[list[int]] = [[rank] for rank in range(p)]
    rounds = _rounds(parents, at_once=at_once)
    for reached in reversed(rounds):
        for rank in reached.tolist():
            below[parents[rank]] += below[rank]
    stages = []
    for reached in rounds:
        sizes = np.array([len(below[rank]) for rank in reached.tolist()])
        sends = []
        for size in np.unique(sizes).tolist():
            some = reached[sizes == size]
            blocks = np.array([below[rank] for rank in some.tolist()], np.int64)
            sends.append(Send(parents[some], some, size, fixed(blocks)))
        stages.append(Stage(tuple(sends)))
    return Plan("scatter", p, p, stages, _root(parents))


def two_trees(ranks: int) -> Plan:
    """The allreduce up and down two binary trees, half of the vector each [sanders].

    The second tree is the mirror of the first, or the first moved by one where p is odd: who is a
    leaf in one is inside the other.
    """
    first = in_order_parents(ranks)
    r = np.arange(ranks)
    name = ranks - 1 - r if ranks % 2 == 0 else (r + 1) % ranks
    second = np.empty(ranks, np.int64)
    second[name] = name[first]
    halves = [up(tree).then(down(tree), "allreduce") for tree in (first, second)]
    return beside(halves)


def _one_side(ranks: int, half: int, offset: int) -> Plan:
    """The vector goes from rank 0 down a heap of so many ranks after `offset`."""
    heap = np.arange(1, half + 1) // 2
    tree = np.zeros(half + 1, np.int64)
    tree[1:] = heap
    named = np.r_[0, np.arange(1, half + 1) + offset]
    rest = np.setdiff1d(np.arange(ranks), named)
    return replace(down(tree), ranks=ranks).renamed(np.r_[named, rest])


def split_binary(ranks: int) -> Plan:
    """The broadcast of one half of the vector down each side of a binary tree [pjesivac].

    Then every rank of one side exchanges halves with its twin; with an even p the last rank has
    both halves from the root.
    """
    half = (ranks - 1) // 2
    first, second = (_one_side(ranks, half, offset) for offset in (0, half))
    late = replace(second, stages=[Stage(()), *second.stages])  # the root has one port
    both = beside([first, late])
    left = np.arange(1, half + 1)
    ends = np.concatenate([left, left + half]), np.concatenate([left + half, left])
    which = (ends[0] > half).astype(np.int64)[:, None]
    sends = [Send(*ends, 1, fixed(which))] if half else []
    if ranks % 2 == 0:
        last = np.array([ranks - 1])
        sends.append(Send(np.zeros(1, np.int64), last, 2, fixed(np.array([[0, 1]]))))
    return replace(both, stages=[*both.stages, Stage(tuple(sends))])
