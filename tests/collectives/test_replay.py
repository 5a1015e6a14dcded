"""Replays against a definition: every contribution is counted, message by message, step by step."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives import replay
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.replay import Fault, Kept, run_plan
from lccmodel.collectives.steps import ROOTED, Transfer
from lccmodel.errors import InputError
from tests.choosing import sampled
from tests.collectives.reading import Messages, messages_of

SUMS = ("allreduce", "reduce", "reduce-scatter", "barrier")


def drawn(draw: np.random.Generator, p: int, blocks: int) -> list[Messages]:
    """Messages by chance; what is copied to a place is all that arrives there in the step."""
    steps = []
    for _ in range(int(draw.integers(0, 5))):
        step: Messages = []
        copied, added = set(), set()
        for _ in range(int(draw.integers(1, 2 * p))):
            u, v = draw.permutation(p)[:2].tolist() if p > 1 else (0, 0)
            some = draw.permutation(blocks)[: int(draw.integers(1, min(blocks, 3) + 1))].tolist()
            places = {(v, block) for block in some}
            add = bool(draw.integers(0, 3))
            if u != v and not places & copied and (add or not places & added):
                step.append((u, v, some, "add" if add else "copy"))
                (added if add else copied).update(places)
        steps.append(step)
    return steps


def wanted(
    collective: str, p: int, blocks: int, root: int, rank: int, block: int
) -> tuple[Counter, Counter | None]:
    """What a rank has of a block at first, and at last; None if that does not matter."""
    owner = block * p // blocks
    first = root if collective in ("broadcast", "scatter") else owner
    goal = block * p * p // blocks % p  # of block (s, d): d
    every = Counter(range(p))
    return Counter([rank] if collective in SUMS or rank == first else []), {
        "allreduce": every,
        "barrier": every,
        "reduce": every if rank == root else None,
        "reduce-scatter": every if rank == owner else None,
        "allgather": Counter([owner]),
        "broadcast": Counter([root]),
        "scatter": Counter([root]) if rank == owner else None,
        "gather": Counter([owner]) if rank == root else None,
        "alltoall": Counter([owner]) if rank == goal else None,
    }[collective]


Shape = tuple[Any, int, int, int]
"""Collective, ranks, blocks and root."""


def followed(shape: Shape, steps: list[Messages]) -> dict[tuple[int, int], Counter[int]]:
    """How often every rank has every contribution to every block in the end."""
    collective, p, blocks, _ = shape
    held = {(r, b): wanted(*shape, r, b)[0] for r in range(p) for b in range(blocks)}
    for step in steps:
        before = {place: Counter(has) for place, has in held.items()}
        for u, v, some, operation in step:
            for b in some:
                keeps = operation == "add" or collective == "barrier"
                held[v, b] = (held[v, b] if keeps else Counter()) + before[u, b]
    return held


def check_replay(shape: Shape, steps: list[Messages]) -> Kept | Fault:
    """A replay ends at the first rank and block that are wrong, or has counted all messages."""
    collective, p, blocks, root = shape
    replayed, expected = Plan.of_steps(collective, p, steps, blocks, root).replay(), None
    for (rank, block), has in followed(shape, steps).items():
        goal = wanted(*shape, rank, block)[1]
        now = Counter(set(has)) if collective == "barrier" else has
        if expected is None and goal is not None and now != goal:
            missing, extra = sorted(set(goal) - set(now)), sorted((now - goal).keys())
            expected = rank, block, tuple(missing), tuple(extra)
    if isinstance(replayed, Kept):
        assert expected is None
        assert replayed.messages == sum(len({message[:2] for message in step}) for step in steps)
        assert replayed.blocks == sum(len(some) for step in steps for _, _, some, _ in step)
        assert (replayed.steps, replayed.exact) == (len(steps), True)
        return replayed
    assert (replayed.rank, replayed.block, replayed.missing, replayed.extra) == expected
    assert set(replayed.history) == {
        Transfer(k, u, v, replayed.block, operation)  # one of two words
        for k, step in enumerate(steps)
        for u, v, some, operation in step
        if replayed.block in some
    }
    assert [t.step for t in replayed.history] == sorted(t.step for t in replayed.history)
    return replayed


@pytest.mark.parametrize("collective", sampled(collectives.COLLECTIVES, 3))
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_the_first_that_is_wrong_is_the_one_that_is_counted(collective, chunk, monkeypatch):
    """Messages by chance, sums of contributions as multisets; by bits and by random numbers."""
    monkeypatch.setattr(replay, "_CHUNK", chunk)
    draw, seen = np.random.default_rng(collectives.COLLECTIVES.index(collective)), set()
    for turn in range(60):
        p = int(draw.integers(1, 6))
        blocks = (p * p if collective == "alltoall" else p) * (1 + turn % 2)
        root = int(draw.integers(p)) if collective in ROOTED else 0
        steps = drawn(draw, p, blocks) if p > 1 else []
        seen.add(check_replay((collective, p, blocks, root), steps).ok)
    assert False in seen


def altered(draw: np.random.Generator, steps: list[Messages], p: int, blocks: int) -> None:
    """One message left out, sent again, to another rank, with another block or as a copy."""
    k = int(draw.integers(len(steps)))
    at = int(draw.integers(len(steps[k])))
    u, v, some, operation = steps[k].pop(at)
    turn = int(draw.integers(5))
    if turn == 1:
        steps.insert(k, [(u, v, some, operation)])
    v = int(draw.choice([r for r in range(p) if r not in (u, v)] or [v])) if turn == 2 else v
    some = [*some[1:], int(draw.integers(blocks))] if turn == 3 else some
    operation = "copy" if turn == 4 else operation
    now = {(v, block) for block in some}
    there = [(word, {(t, b) for b in more}) for _, t, more, word in steps[k]]
    apart = all(operation == word == "add" or not now & places for word, places in there)
    if turn and apart and len(set(some)) == len(some):
        steps[k].insert(at, (u, v, some, operation))


@pytest.mark.parametrize("collective", sampled(collectives.COLLECTIVES, 3))
def test_one_message_that_is_wrong_is_found_where_it_does_harm(collective):
    """Published plans with one message changed: the lowest rank, its lowest block, and why."""
    draw, wrong = np.random.default_rng(5), set()
    for rule in collectives.algorithms_of(collective):
        for turn in range(24):
            p = int(draw.integers(2, 7))
            root = int(draw.integers(p)) if collective in ROOTED else 0
            if not rule.covers(Site(p, (p,))):
                continue
            plan = rule.on(Site(p, (p,), root=root)).refined(1 + turn % 2)
            steps = messages_of(plan)
            altered(draw, steps, p, plan.blocks)
            replayed = check_replay((collective, p, plan.blocks, root), steps)
            wrong |= {replayed.rank} if isinstance(replayed, Fault) else set()
    assert len(wrong) > 1 or collective == "reduce"


@pytest.mark.parametrize("p", sampled([63, 64, 65, 128, 129], 2))
def test_the_lowest_rank_that_is_wrong_is_named_by_bits_and_by_random_numbers(p, monkeypatch):
    """Rank 0 lacks the last contribution, rank 1 the first: 64 ranks are followed at a time."""
    every = [(u, v, [0], "add") for v in range(p) for u in range(p) if u != v]
    lost = [(p - 1, 0), (0, 1)]
    for gone, exact in product(([], lost[:1], lost[1:], lost), (1 << 27, 0)):
        monkeypatch.setattr(replay, "_EXACT", exact)
        step = [message for message in every if message[:2] not in gone]
        replayed = Plan.of_steps("allreduce", p, [step], 1).replay()
        assert replayed.ok == (not gone)
        if isinstance(replayed, Fault):
            rank, missing = (0, p - 1) if lost[0] in gone else (1, 0)
            assert (replayed.rank, replayed.missing, replayed.extra) == (rank, (missing,), ())
        twice = Plan.of_steps("reduce", p, [every[: p - 1], every[:1]], 1).replay()
        assert isinstance(twice, Fault)
        assert (twice.rank, twice.missing, twice.extra) == (0, (), (1,))


def test_contributions_are_bits_up_to_a_limit_of_words(monkeypatch):
    """Blocks on all ranks once for each 64 ranks; of up to 64 ranks always."""
    for p, passes in ((64, 1), (65, 2), (128, 2), (129, 3)):
        plan = collectives.plan("allreduce", "recursive-doubling", p)
        words = passes * p * plan.blocks
        for limit, exact in ((words, True), (words - 1, p <= 64)):
            monkeypatch.setattr(replay, "_EXACT", limit)
            found = plan.replay()
            assert isinstance(found, Kept)
            assert found.exact == exact, (p, limit)


def test_real_vectors_end_as_they_are_counted():
    draw = np.random.default_rng(8)
    for turn in range(40):
        p, blocks, width = int(draw.integers(2, 5)), int(draw.integers(1, 5)), 1 + turn % 3
        steps = drawn(draw, p, blocks)
        data = draw.integers(-50, 50, (p, blocks, width))
        expected = np.zeros_like(data)
        for (rank, block), has in followed(("allreduce", p, blocks, 0), steps).items():
            expected[rank, block] = sum(many * data[u, block] for u, many in has.items())
        plan, vectors = Plan.of_steps("allreduce", p, steps, blocks), data.reshape(p, -1)
        assert (run_plan(plan, vectors) == expected.reshape(p, -1)).all()
    for wrong in (vectors[:-1], vectors[0], np.ones((p, blocks * width + 1)), vectors[None]):
        if blocks > 1 or wrong.shape != (p, width + 1):
            with pytest.raises(InputError, match="vectors"):
                run_plan(plan, wrong)


def test_a_fault_says_which_messages_a_rank_sent_or_got():
    """Ranks that lack or have too much, up to six by name; of the messages those of the rank."""
    star = [(u, 0, [0], "add") for u in range(1, 7)]
    told = str(Plan.of_steps("reduce", 7, [[*star, (1, 2, [0], "add")], star[:1]], 1).replay())
    way = "; ".join(f"step 0: {u} -> 0 add" for u in range(1, 7))
    assert told == f"rank 0, block 0: has too much of 1 ({way}; step 1: 1 -> 0 add)"
    for ranks, listed in ((7, "1, 2, 3, 4, 5, 6"), (8, "1, 2, 3, 4, 5, 6, ...")):
        lacks = str(Plan("reduce", ranks, 1, ()).replay())
        assert lacks == (
            f"rank 0, block 0: lacks the contribution of {listed} (no message carried it there)"
        )
