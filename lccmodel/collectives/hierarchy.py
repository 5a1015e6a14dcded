"""Plans of some ranks inside plans of all: folds for any p, and nodes with several ranks.

Where a rule is for p = 2^n, the first ranks are folded: of each pair below 2 (p - 2^n) the even one
gives its vector to the odd one before, and gets the result after [thakur]. Where k ranks
share a node, an allreduce is a reduce-scatter inside, an allreduce between nodes for the share of
each, and an allgather inside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.rings import around
from lccmodel.collectives.steps import Send, Stage, fixed


def lifted(plan: Plan, ranks: int, rank_of: Ints, start: Ints, blocks: int) -> Plan:
    """Copies of a plan side by side in a larger one.

    Args:
        plan: of q ranks.
        ranks, blocks: of the larger plan.
        rank_of: the rank there of every rank of every copy, int64 (copies, q).
        start: what is added to the blocks of every copy, int64 (copies,).
    """

    def every(send: Send) -> Send:
        own, many = send.blocks, len(send.source)

        def moved(time: int, rows: Ints) -> Ints:
            return own(time, rows % many) + start[rows // many, None]

        source, target = rank_of[:, send.source].ravel(), rank_of[:, send.destination].ravel()
        return replace(send, source=source, destination=target, blocks=moved)

    stages = [Stage(tuple(map(every, stage.sends)), stage.times) for stage in plan.stages]
    return replace(plan, ranks=ranks, blocks=blocks, stages=stages)


def folded(ranks: int, build: Callable[[int], Plan]) -> Plan:
    """An allreduce of any p ranks from one of 2^n.

    >>> from lccmodel import collectives
    >>> [collectives.plan("allreduce", "recursive-doubling", p).steps for p in (7, 8, 9)]
    [4, 3, 5]
    """
    power = 1 << (ranks.bit_length() - 1)
    inner, rest = build(power), ranks - power
    if not rest:
        return inner
    even = 2 * np.arange(rest)
    kept = np.concatenate([even + 1, np.arange(2 * rest, ranks)])
    middle = lifted(inner, ranks, kept[None], np.zeros(1, np.int64), inner.blocks)
    whole = fixed(np.broadcast_to(np.arange(inner.blocks), (rest, inner.blocks)))
    before = Send(even, even + 1, inner.blocks, whole, True)
    after = Send(even + 1, even, inner.blocks, whole)
    return replace(middle, stages=[Stage((before,)), *middle.stages, Stage((after,))])


def in_nodes(per_node: int, between: Plan) -> Plan:
    """An allreduce of nodes with k ranks each: inside, between nodes, inside.

    Args:
        per_node: k; ranks k n, ..., k n + k - 1 are those of node n.
        between: an allreduce of one rank a node; all k shares of the data take it at once.
    """
    nodes, blocks = between.ranks, per_node * between.blocks
    rank_of = np.arange(nodes * per_node).reshape(nodes, per_node)
    start = np.zeros(nodes, np.int64)
    there, back = (
        lifted(
            around(per_node, back=way).refined(between.blocks), rank_of.size, rank_of, start, blocks
        )
        for way in (False, True)
    )
    scatter = back.backwards("reduce-scatter", add=True)
    shares = np.arange(per_node) * between.blocks
    middle = lifted(between, rank_of.size, rank_of.T, shares, blocks)
    return scatter.then(middle, "allreduce").then(there, "allreduce")
