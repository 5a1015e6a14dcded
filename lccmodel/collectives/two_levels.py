"""Plans in two levels, where k ranks share a node: one plan inside nodes, one between them.

Rank n k + i is rank i of node n. Between nodes all ranks with one i take part in a plan of N ranks,
k of them side by side, each with its share of the data:

    allgather        between, for the blocks of each i; then inside, N blocks of each rank
    reduce-scatter   the same backwards
    allreduce        reduce-scatter inside; allreduce of a share between; allgather inside
    broadcast        scatter inside the root's node; broadcast of a share between; allgather inside
    reduce           reduce-scatter inside; reduce of a share between; gather inside the root's node
    alltoall         inside, to rank j what is for any rank j; then between
    scatter          between the first ranks of nodes, k blocks each; then inside
    gather           the same backwards
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import lcm

import numpy as np

from lccmodel.collectives import trees
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import CollectiveName, Send, Stage
from lccmodel.ground.arrays import Ints

BlockMap = Callable[[Ints, Ints], Ints]
"""From copies (rows,) and blocks (rows, size) of a plan to those of the larger, (rows, any)."""


def lifted(plan: Plan, ranks: int, rank_of: Ints, block_of: BlockMap, blocks: int) -> Plan:
    """Copies of a plan side by side in a larger one.

    Args:
        plan: of q ranks.
        ranks, blocks: of the larger plan.
        rank_of: the rank there of every rank of every copy, int64 (copies, q).
        block_of: the blocks there that a block of a copy stands for, equally many for each.
    """
    none = np.zeros(1, np.int64)
    width = block_of(none, none[None]).shape[1]

    def every(send: Send) -> Send:
        own, many = send.blocks, len(send.source)

        def moved(time: int, rows: Ints) -> Ints:
            return block_of(rows // many, own(time, rows % many))

        source, target = rank_of[:, send.source].ravel(), rank_of[:, send.destination].ravel()
        size = send.size * width
        return replace(send, source=source, destination=target, size=size, blocks=moved)

    stages = [Stage(tuple(map(every, stage.sends)), stage.times) for stage in plan.stages]
    return replace(plan, ranks=ranks, blocks=blocks, stages=stages, root=0, paced=None)


def further_on(start: Ints) -> BlockMap:
    """Blocks of copy c are start[c] further on."""
    return lambda copies, blocks: blocks + start[copies, None]


def _spread(part: int, base: Callable[[Ints, Ints], Ints], step: int, many: int) -> BlockMap:
    """Block i of `part` parts stands for `many` blocks, `step` apart from `base` of copy and i."""

    def found(copies: Ints, blocks: Ints) -> Ints:
        first = base(copies[:, None], blocks // part) * part + blocks % part
        every = first[..., None] + step * part * np.arange(many)
        return every.reshape(len(blocks), -1)

    return found


def nested(collective: CollectiveName, inside: Plan, between: Plan) -> Plan:
    """The plan of a collective from one inside nodes and one between them; see the module.

    Args:
        collective: of `between`; alltoalls are of alltoalls, all others have an allgather inside.
        inside: of k ranks; for a scatter or gather a scatter.
        between: of N ranks, root 0; for a reduce-scatter an allgather, for a gather a scatter.
    """
    k, nodes = inside.ranks, between.ranks
    ranks = np.arange(nodes * k).reshape(nodes, k)
    zero = np.zeros(nodes, np.int64)
    p = k * nodes
    if collective == "alltoall":
        part = lcm(inside.blocks // k**2, between.blocks // nodes**2)
        finer = inside.refined(part * k**2 // inside.blocks)
        wider = between.refined(part * nodes**2 // between.blocks)
        to_j = _spread(part, lambda n, b: (n * k + b // k) * p + b % k, k, nodes)
        to_m = _spread(part, lambda j, b: b // nodes * k * p + b % nodes * k + j, p, k)
        first = lifted(finer, p, ranks, to_j, p * p * part)
        return first.then(lifted(wider, p, ranks.T, to_m, p * p * part), collective)
    if collective in ("allgather", "reduce-scatter"):
        part = lcm(inside.blocks // k, between.blocks // nodes)
        finer = inside.refined(part * k // inside.blocks)
        wider = between.refined(part * nodes // between.blocks)
        of_i = _spread(part, lambda i, n: n * k + i, 1, 1)
        of_all = _spread(part, lambda _, i: i, k, nodes)
        first = lifted(wider, p, ranks.T, of_i, p * part)
        gathered = first.then(lifted(finer, p, ranks, of_all, p * part), "allgather")
        if collective == "allgather":
            return gathered
        return gathered.backwards("reduce-scatter", add=True)
    if collective in ("scatter", "gather"):
        of_node = _spread(1, lambda _, n: n * k, 1, k)
        first = lifted(between, p, ranks.T[:1], of_node, p)
        last = lifted(inside, p, ranks, further_on(np.arange(nodes) * k), p)
        down = first.then(last, "scatter")
        return down if collective == "scatter" else down.backwards("gather", add=False)
    part = lcm(inside.blocks // k, between.blocks)
    finer = inside.refined(part * k // inside.blocks)
    wider = between.refined(part // between.blocks)
    gather = lifted(finer, p, ranks, further_on(zero), k * part)
    sums = gather.backwards("reduce-scatter", add=True)
    middle = lifted(wider, p, ranks.T, further_on(np.arange(k) * part), k * part)
    spread = trees.scatter(trees.binomial_parents(k)).refined(part)
    at_root = lifted(spread, p, ranks[:1], further_on(zero), k * part)
    if collective == "allreduce":
        return sums.then(middle, collective).then(gather, collective)
    if collective == "broadcast":
        return at_root.then(middle, collective).then(gather, collective)
    home = at_root.backwards("gather", add=False)
    return sums.then(middle, collective).then(home, collective)
