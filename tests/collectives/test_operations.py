"""Operations on plans, by what each makes of every block of every message."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import exchanges
from lccmodel.collectives.algorithms import Site, own
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.plans import Plan, beside
from lccmodel.collectives.steps import Send, Stage, Steps, Transfer, fixed
from lccmodel.errors import InputError
from tests.collectives.reading import messages_of

PLANS = {
    f"{kind} {name} {p}": (kind, name, p)
    for kind, name, p in (
        ("allgather", "ring", 5), ("allreduce", "ring", 4), ("allreduce", "rabenseifner", 6),
        ("broadcast", "chain", 4), ("allreduce", "double-tree", 5), ("alltoall", "bruck-3", 4),
        ("reduce-scatter", "bucket", 3), ("alltoall", "pairwise", 3),
        ("broadcast", "scatter-ring", 3), ("broadcast", "split-binary", 6),
        ("barrier", "dissemination", 3), ("allgather", "ring", 1),
    )
}  # fmt: skip


def rows(plan: Steps) -> list[tuple[int, int, int, int, str]]:
    """(step, source, destination, block, operation) of every block."""
    return sorted(
        (step, u, v, block, word)
        for step, messages in enumerate(messages_of(plan))
        for u, v, some, word in messages
        for block in some
    )


def made(which: str) -> Plan:
    kind, name, p = PLANS[which]
    return collectives.plan(kind, name, p)


@pytest.mark.parametrize("which", PLANS)
def test_what_a_plan_is_made_of_is_counted(which):
    """Steps, messages and listed blocks; a vector that is not cut evenly is listed in p parts."""
    plan = made(which)
    listed, parts = rows(plan), 1 if plan.blocks % plan.ranks == 0 else plan.ranks
    assert list(plan.transfers()) == sorted(
        Transfer(step, u, v, block * parts + part, word)  # "add" or "copy"
        for step, u, v, block, word in listed
        for part in range(parts)
    )
    assert plan.steps == sum(stage.times for stage in plan.stages)
    ends = [
        (step, u, v)
        for step, _, stage in plan.timed()
        for send in stage.sends
        for u, v in zip(send.source.tolist(), send.destination.tolist(), strict=True)
    ]
    assert plan.messages == len(ends)
    assert {row[:3] for row in listed} == set(ends)
    whole = {"alltoall": plan.ranks, "barrier": 0}.get(plan.collective, 1)
    assert plan.unit == Fraction(whole, plan.blocks)


@pytest.mark.parametrize("which", PLANS)
def test_what_operations_make_of_every_block(which):
    """Part k of block b is block b P + k; segment q is q steps later; the last step is the first.

    Blocks are renamed with the ranks that own them.
    """
    plan = made(which)
    listed = rows(plan)
    for parts in (1, 2, 3):
        fine = plan.refined(parts)
        assert fine.blocks == plan.blocks * parts
        assert rows(fine) == sorted(
            (s, u, v, b * parts + k, w) for s, u, v, b, w in listed for k in range(parts)
        )
    for many in (1, 2, 5):
        cut = plan.segmented(many)
        assert (cut.blocks, cut.root) == (plan.blocks * many, plan.root)
        assert rows(cut) == sorted(
            (s + q, u, v, b * many + q, w) for s, u, v, b, w in listed for q in range(many)
        )
        assert cut.steps == (plan.steps + many - 1 if many > 1 else plan.steps)
    for add in (True, False):
        back = plan.backwards("reduce", add=add)
        word, last = "add" if add else "copy", plan.steps - 1
        assert rows(back) == sorted((last - s, v, u, b, word) for s, u, v, b, _ in listed)
        assert (back.collective, back.blocks) == ("reduce", plan.blocks)
    names = np.random.default_rng(plan.ranks).permutation(plan.ranks)
    for whole in (plan, plan.refined(2)):
        share, rest = divmod(whole.blocks, whole.ranks)
        owned = np.arange(whole.blocks)
        if not rest:
            owned = names[owned // share] * share + owned % share
        renamed = whole.renamed(names)
        assert rows(renamed) == sorted(
            (s, names[u], names[v], owned[b], w) for s, u, v, b, w in rows(whole)
        )
        assert renamed.root == names[whole.root]
    for wrong in (names[1:], [*names, plan.ranks], names[None], names + 1, names - 1):
        with pytest.raises(InputError, match="permutation"):
            plan.renamed(np.array(wrong))


def test_one_plan_after_another_cuts_blocks_alike():
    several = [
        made(f"{word} 4") for word in ("broadcast chain", "allreduce ring", "alltoall bruck-3")
    ]
    for first, later in product(several, repeat=2):
        both = first.then(later, "reduce")
        cut = lcm(first.blocks, later.blocks)
        assert (both.blocks, both.collective) == (cut, "reduce")
        assert both.steps == first.steps + later.steps
        after = [(s + first.steps, *rest) for s, *rest in rows(later.refined(cut // later.blocks))]
        assert rows(both) == sorted([*rows(first.refined(cut // first.blocks)), *after])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_plans_side_by_side_share_the_data(count):
    """Block b of plan i is block b * len(plans) + i; the shorter one is done before."""
    names = ("bucket", "neighbour-exchange", "ring", "bruck")
    several = [ALGORITHMS["allgather", name].on(Site(6, (3, 2))) for name in names]
    assert [plan.steps for plan in several] == [3, 3, 5, 3]
    for k in range(len(several)):
        chosen = (several[k:] + several[:k])[:count]
        both = beside(chosen)
        assert rows(both) == sorted(
            (s, u, v, block * count + i, word)
            for i, plan in enumerate(chosen)
            for s, u, v, block, word in rows(plan)
        )
        assert (both.blocks, both.steps) == (6 * count, max(plan.steps for plan in chosen))


def test_messages_are_asked_for_so_many_entries_at_a_time():
    """Whole messages in order, at least one at a time; one without blocks counts as one."""
    for size, most in product((0, 1, 2, 5), (1, 2, 4, 5, 9, 10, 11, 100)):
        held = np.arange(7 * size).reshape(7, size)
        chunks = [*Send(np.arange(7), (np.arange(7) + 1) % 8, size, fixed(held)).chunks(0, most)]
        share = max(1, most // max(1, size))
        assert all(len(some) == share for some, _ in chunks[:-1])
        assert [row for some, _ in chunks for row in some.tolist()] == list(range(7))
        assert (np.concatenate([blocks for _, blocks in chunks]) == held).all()


MADE = {"collective": "reduce", "ranks": 3, "blocks": 3, "stages": (), "root": 0}
OWN = {"messages": lambda rank, step, p: [], "steps": lambda p: 1, "blocks": lambda p: 1}
NONE, ONE = np.zeros(1, np.int64), np.ones(1, np.int64)
BLOCK = fixed(np.zeros((1, 1), np.int64))


def step_of(*message: Any) -> Plan:
    return Plan.of_steps("allreduce", 3, [[(0, 1, [0]), message]], 6)


def of_ones_own(**changed: Any) -> Plan:
    return own("mine", "reduce", **{**OWN, **changed}).on(Site(4, (4,)))


REFUSED: list[tuple[Callable[[], Any], str]] = [
    *((lambda given=given: Plan(**(MADE | given)), argument) for given, argument in (
        ({"collective": "sum"}, "collective"), ({"ranks": 0}, "ranks"), ({"blocks": 0}, "blocks"),
        ({"root": -1}, "root"), ({"root": 3}, "root"),
    )),
    *((lambda ends=ends: step_of(*ends, [0]), "source, destination") for ends in (
        (0, 3), (-1, 0), (3, 0), (0, -1), (1, 1),
    )),
    (lambda: step_of(0, 1, [6]), "block"),
    (lambda: step_of(0, 1, [0, -1]), "block"),
    (lambda: step_of(0, 1, [0], "sum"), "operation"),
    *((lambda wrong=wrong: Send(wrong, ONE, 1, BLOCK), "source")
      for wrong in ([0], np.zeros(1, np.int32), np.zeros((1, 1), np.int64))),
    *((lambda wrong=wrong: Send(NONE, wrong, 1, BLOCK), "destination")
      for wrong in ([0], np.zeros(1, np.int32), np.zeros((1, 1), np.int64))),
    (lambda: of_ones_own(messages=lambda rank, step, p: None), "messages of mine"),
    (lambda: of_ones_own(steps=3), "steps"),
    (lambda: of_ones_own(blocks=1), "blocks"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "argument"), REFUSED)
def test_what_is_no_plan_is_refused(make, argument):
    with pytest.raises(InputError) as refused:
        make()
    assert refused.value.argument == argument


def test_the_least_and_the_most_there_is_are_taken():
    assert Plan("reduce", 3, 1, (), root=2).root == 2
    assert Plan("reduce", 1, 1, ()).replay().ok
    for message in ((0, 2, [0]), (2, 0, [5]), (1, 2, [0, 5], "copy"), (1, 2, [], "add")):
        expected = [(0, *message[:2], b, (*message, "copy")[3]) for b in sorted(message[2])]
        assert rows(Plan.of_steps("allreduce", 3, [[message]], 6)) == expected
    send = Send(NONE, ONE, 1, BLOCK)
    assert not send.source.flags.writeable
    assert not send.destination.flags.writeable


def test_the_movement_of_a_plan_has_its_messages():
    """Step by step, between the nodes of the ranks; half-way round a ring by the parity."""
    plan = collectives.plan("allgather", "neighbour-exchange", 4)
    ends = sorted({(s, u, v) for s, u, v, *_ in rows(plan)})
    for node_of in (None, np.array([5, 0, 3, 1])):
        moved = plan.movement("torus:6", node_of)
        at = np.arange(4) if node_of is None else node_of
        assert moved.steps == plan.steps
        assert sorted(
            (s, int(moved.starts[moved.message[j]]), int(moved.target[j]))
            for s in range(moved.steps)
            for j in range(*moved.first[s : s + 2].tolist())
        ) == sorted((s, at[u], at[v]) for s, u, v in ends)
    for wrong in (np.arange(3), np.arange(5), np.arange(4)[None]):
        with pytest.raises(InputError) as refused:
            plan.movement("torus:6", wrong)
        assert refused.value.argument == "node_of"


def test_an_algorithm_of_ones_own_sends_what_its_function_lists():
    """Rank by rank and step by step; one that lists no messages for a rank is named."""
    asked: list[tuple[int, int, int]] = []

    def messages(rank: int, step: int, p: int) -> list[tuple[int, list[int], str]]:
        asked.append((rank, step, p))
        return [((rank + 1 + step) % p, [rank], "copy")]

    rule = own("straight", "allgather", messages, lambda p: p - 1)
    plan = rule.on(Site(4, (4,)))
    assert plan.replay().ok
    assert asked == [(rank, step, 4) for step in range(3) for rank in range(4)]
    assert rows(plan) == sorted((s, r, (r + 1 + s) % 4, r, "copy") for r, s, _ in asked)
    assert (plan.name, rule.source, rule.needs) == ("straight", "one's own", "any p")
    for wrong in ([3], [(1, [0]), 4], {1: 2}):
        with pytest.raises(InputError, match="for rank 2 in step 0"):
            of_ones_own(messages=lambda r, s, p, w=wrong: w if r == 2 else [])
    assert Stage(()).times == 1


@pytest.mark.parametrize("count", [0, 1, 4])
def test_stages_that_are_made_when_asked_for_are_a_list(count):
    listed, lazily = [*range(count)], exchanges._Lazily(count, lambda k: k)
    assert list(lazily) == listed
    assert [lazily[index] for index in range(-count, count)] == listed * 2
    for part in (slice(None), slice(1, None), slice(None, None, -1), slice(-2, 9, 2)):
        assert lazily[part] == listed[part]
    for index in (-count - 1, count):
        with pytest.raises(IndexError):
            lazily[index]
