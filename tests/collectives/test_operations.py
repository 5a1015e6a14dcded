"""Operations on plans, by what each makes of every block of every message."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import exchanges, plans, steps
from lccmodel.collectives.algorithms import Site, own
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.plans import Plan, beside
from lccmodel.collectives.steps import Send, Stage, Steps, Transfer, fixed
from lccmodel.errors import InputError, SizeLimitError

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

Row = tuple[int, int, int, int, str]


def rows(plan: Steps) -> list[Row]:
    """(step, source, destination, block, operation) of every block, as the stages say."""
    found, step = [], 0
    for stage in plan.stages:
        for time in range(stage.times):
            for send in stage.sends:
                ends = zip(send.source.tolist(), send.destination.tolist(), strict=True)
                blocks = send.blocks(time, np.arange(len(send.source))).tolist()
                for (u, v), some in zip(ends, blocks, strict=True):
                    assert len(some) == send.size
                    word = "add" if send.add else "copy"
                    found += [(step, u, v, block, word) for block in some]
            step += 1
    return sorted(found)


def made(which: str) -> Plan:
    kind, name, p = PLANS[which]
    return collectives.plan(kind, name, p)


@pytest.mark.parametrize("which", PLANS)
def test_what_a_plan_is_made_of_is_counted(which: str) -> None:
    """Steps, messages and listed blocks; a vector that is not cut evenly is listed in p parts."""
    plan = made(which)
    listed, parts = rows(plan), 1 if plan.blocks % plan.ranks == 0 else plan.ranks
    told = [
        Transfer(step, u, v, block * parts + part, word)  # type: ignore[arg-type]  # "add" or "copy"
        for step, u, v, block, word in listed
        for part in range(parts)
    ]
    assert list(plan.transfers()) == sorted(told)
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
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_a_refined_plan_sends_every_part_of_a_block(which: str, parts: int) -> None:
    plan = made(which)
    fine = plan.refined(parts)
    assert fine.blocks == plan.blocks * parts
    expected = [
        (step, u, v, block * parts + k, word)
        for step, u, v, block, word in rows(plan)
        for k in range(parts)
    ]
    assert rows(fine) == sorted(expected)


@pytest.mark.parametrize("which", PLANS)
@pytest.mark.parametrize("segments", [1, 2, 5])
def test_segments_go_one_step_behind_the_other(which: str, segments: int) -> None:
    """Segment q of block b is block b Q + q, q steps later."""
    plan = made(which)
    cut = plan.segmented(segments)
    assert (cut.blocks, cut.root) == (plan.blocks * segments, plan.root)
    expected = [
        (step + q, u, v, block * segments + q, word)
        for step, u, v, block, word in rows(plan)
        for q in range(segments)
    ]
    assert rows(cut) == sorted(expected)
    assert cut.steps == (plan.steps + segments - 1 if segments > 1 else plan.steps)


@pytest.mark.parametrize("which", PLANS)
@pytest.mark.parametrize("add", [True, False])
def test_backwards_the_last_step_is_the_first(which: str, add: bool) -> None:
    plan = made(which)
    back = plan.backwards("reduce", add=add)
    word = "add" if add else "copy"
    expected = [(plan.steps - 1 - s, v, u, block, word) for s, u, v, block, _ in rows(plan)]
    assert rows(back) == sorted(expected)
    assert (back.collective, back.blocks) == ("reduce", plan.blocks)


@pytest.mark.parametrize("which", PLANS)
def test_blocks_are_renamed_with_the_ranks_that_own_them(which: str) -> None:
    plan = made(which)
    names = np.random.default_rng(plan.ranks).permutation(plan.ranks)
    for parts in (1, 2):
        given = plan.refined(parts)
        each, rest = divmod(given.blocks, given.ranks)

        def called(block: int, each: int = each, rest: int = rest) -> int:
            return block if rest else int(names[block // each]) * each + block % each

        found = given.renamed(names)
        expected = [
            (s, int(names[u]), int(names[v]), called(block), word)
            for s, u, v, block, word in rows(given)
        ]
        assert rows(found) == sorted(expected)
        assert found.root == names[given.root]
    for wrong in (names[1:], [*names, plan.ranks], names[None], names + 1, names - 1):
        with pytest.raises(InputError, match="permutation"):
            plan.renamed(np.array(wrong))


@pytest.mark.parametrize("later", ["broadcast chain 4", "allreduce ring 4", "alltoall bruck-3 4"])
@pytest.mark.parametrize("first", ["broadcast chain 4", "allreduce ring 4", "alltoall bruck-3 4"])
def test_one_plan_after_another_cuts_blocks_alike(first: str, later: str) -> None:
    one, other = made(first), made(later)
    both = one.then(other, "reduce")
    cut = lcm(one.blocks, other.blocks)
    assert (both.blocks, both.collective, both.steps) == (cut, "reduce", one.steps + other.steps)
    after = [(s + one.steps, *rest) for s, *rest in rows(other.refined(cut // other.blocks))]
    assert rows(both) == sorted([*rows(one.refined(cut // one.blocks)), *after])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_plans_side_by_side_share_the_data(count: int) -> None:
    """Block b of plan i is block b * len(plans) + i; the shorter one is done before."""
    site = Site(6, (3, 2))
    several = [
        ALGORITHMS["allgather", name].on(site)
        for name in ("bucket", "neighbour-exchange", "ring", "bruck")
    ]
    for k in range(len(several)):
        chosen = (several[k:] + several[:k])[:count]
        both = beside(chosen)
        expected = [
            (s, u, v, block * count + i, word)
            for i, plan in enumerate(chosen)
            for s, u, v, block, word in rows(plan)
        ]
        assert rows(both) == sorted(expected)
        assert (both.blocks, both.steps) == (6 * count, max(plan.steps for plan in chosen))
    assert [plan.steps for plan in several] == [3, 3, 5, 3]


def test_messages_are_asked_for_so_many_entries_at_a_time() -> None:
    """Whole messages, at least one at a time, in order; a message without blocks counts as one."""
    for size in (0, 1, 2, 5):
        held = np.arange(7 * size).reshape(7, size)
        send = Send(np.arange(7), (np.arange(7) + 1) % 8, size, fixed(held))
        for most in (1, 2, 4, 5, 9, 10, 11, 100):
            each = max(1, most // max(1, size))
            found = list(send.chunks(0, most))
            assert [len(rows) for rows, _ in found[:-1]] == [each] * (len(found) - 1)
            assert 1 <= len(found[-1][0]) <= each
            assert np.concatenate([rows for rows, _ in found]).tolist() == list(range(7))
            assert (np.concatenate([blocks for _, blocks in found]) == held).all()
        for time, most in ((-1, 1), (0, 0)):
            with pytest.raises(InputError):
                list(send.chunks(time, most))


def test_two_messages_to_one_rank_are_not_apart() -> None:
    for target in ([1, 2], [1, 1], [1], []):
        ends = np.zeros(len(target), np.int64), np.array(target, np.int64)
        block = fixed(np.zeros((len(target), 1), np.int64))
        assert Send(*ends, 1, block).apart == (target != [1, 1])


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"collective": "sum"}, "collective"), ({"ranks": 0}, "ranks"), ({"blocks": 0}, "blocks"),
        ({"root": -1}, "root"), ({"root": 3}, "root"),
    ],
)  # fmt: skip
def test_plans_of_nothing_are_refused(given: dict[str, Any], argument: str) -> None:
    """One rank, one block and the last root are the least and the most there are."""
    assert Plan("reduce", 3, 1, (), root=2).root == 2
    assert Plan("reduce", 1, 1, ()).replay().ok
    whole = {"collective": "reduce", "ranks": 3, "blocks": 3, "stages": (), "root": 0}
    with pytest.raises(InputError) as refused:
        Plan(**(whole | given))
    assert refused.value.argument == argument


@pytest.mark.parametrize("wrong", [[0], np.zeros(1, np.int32), np.zeros((1, 1), np.int64)])
@pytest.mark.parametrize("end", [0, 1])
def test_the_ends_of_messages_are_int64(wrong: Any, end: int) -> None:
    ends = [np.zeros(1, np.int64), np.ones(1, np.int64)]
    send = Send(*ends, 1, fixed(np.zeros((1, 1), np.int64)))
    assert not send.source.flags.writeable
    assert not send.destination.flags.writeable
    ends[end] = wrong
    with pytest.raises(InputError) as refused:
        Send(*ends, 1, fixed(np.zeros((1, 1), np.int64)))
    assert refused.value.argument == ("source", "destination")[end]


def test_what_is_listed_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many rows, parts, steps of segments and messages as the limit; one more is refused."""
    plan = collectives.plan("allgather", "ring", 4)
    fine = collectives.plan("broadcast", "chain", 4)
    assert (plan.messages, plan.steps, len(rows(plan)), len(rows(fine))) == (12, 3, 12, 3)
    for most, passes in ((12, True), (11, False)):
        monkeypatch.setattr(steps, "MOST_LISTED", most)
        monkeypatch.setattr(plans, "MOST_LISTED", most)
        for each, asked in (
            ("rows", lambda: list(plan.transfers())),
            ("rows", lambda: list(fine.transfers())),
            ("messages", lambda: plan.movement("torus:4")),
            ("at most", lambda: plan.segmented(4)),
            ("at most", lambda: fine.refined(12)),
        ):
            if passes:
                assert asked() is not None
            else:
                with pytest.raises(SizeLimitError, match=each):
                    asked()
    monkeypatch.setattr(plans, "MOST_LISTED", 0)
    Plan("allgather", 1, 1, ()).segmented(5)


def test_the_movement_of_a_plan_has_its_messages() -> None:
    """Step by step, between the nodes of the ranks; half-way round a ring by the parity."""
    plan = collectives.plan("allgather", "neighbour-exchange", 4)
    ends = sorted({(s, u, v) for s, u, v, *_ in rows(plan)})
    for node_of in (None, np.array([5, 0, 3, 1])):
        moved = plan.movement("torus:6", node_of)
        at = np.arange(4) if node_of is None else node_of
        assert moved.steps == plan.steps
        found = sorted(
            (s, int(moved.starts[m]), int(moved.target[j]))
            for s in range(moved.steps)
            for j in range(*moved.first[s : s + 2].tolist())
            for m in [moved.message[j]]
        )
        assert found == sorted((s, int(at[u]), int(at[v])) for s, u, v in ends)
    for wrong in (np.arange(3), np.arange(5), np.arange(4)[None]):
        with pytest.raises(InputError) as refused:
            plan.movement("torus:6", wrong)
        assert refused.value.argument == "node_of"


def test_listed_messages_are_checked_one_by_one() -> None:
    """The first and the last rank and block there are, and what is just beyond."""
    for message in ((0, 2, [0]), (2, 0, [5]), (1, 2, [0, 5], "copy"), (1, 2, [], "add")):
        plan = Plan.of_steps("allreduce", 3, [[message]], 6)
        assert rows(plan) == [
            (0, *message[:2], b, (*message, "copy")[3]) for b in sorted(message[2])
        ]
    for message, argument in (
        ((0, 3, [0]), "source, destination"),
        ((-1, 0, [0]), "source, destination"),
        ((3, 0, [0]), "source, destination"),
        ((0, -1, [0]), "source, destination"),
        ((1, 1, [0]), "source, destination"),
        ((0, 1, [6]), "block"),
        ((0, 1, [0, -1]), "block"),
        ((0, 1, [0], "sum"), "operation"),
    ):
        with pytest.raises(InputError) as refused:
            Plan.of_steps("allreduce", 3, [[(0, 1, [0]), message]], 6)
        assert refused.value.argument == argument, message


def test_an_algorithm_of_ones_own_sends_what_its_function_lists() -> None:
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
            own("o", "reduce", lambda r, s, p, w=wrong: w if r == 2 else [], lambda p: 1).on(
                Site(4, (4,))
            )
    assert Stage(()).times == 1


@pytest.mark.parametrize("count", [0, 1, 4])
def test_stages_that_are_made_when_asked_for_are_a_list(count: int) -> None:
    """Every index, from either end, and every slice; beyond the ends nothing."""
    lazily, listed = exchanges._Lazily(count, lambda k: f"stage {k}"), [
        f"stage {k}" for k in range(count)
    ]  # fmt: skip
    assert (len(lazily), list(lazily)) == (count, listed)
    for index in range(-count, count):
        assert lazily[index] == listed[index]
    for index in (-count - 1, count):
        with pytest.raises(IndexError):
            lazily[index]
    for part in (slice(None), slice(1, None), slice(None, None, -1), slice(-2, 9, 2)):
        assert lazily[part] == listed[part]
