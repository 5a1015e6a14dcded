"""Does a plan do what its collective asks? All blocks are moved, step by step.

Every rank starts with a contribution to every block (allreduce, reduce, reduce-scatter, barrier),
or with the blocks that are its own. A block on a rank is then the *sum of contributions* that has
arrived there, and a collective is a statement about them:

    allreduce, barrier   every rank has in every block the contribution of each rank once
    reduce               the root has
    reduce-scatter       a rank has in its own blocks
    allgather            every rank has of every block its owner's contribution, alone
    broadcast            every rank has the root's
    scatter              a rank has the root's in its own blocks
    gather               the root has of every block its owner's
    alltoall             rank d has of block (s, d), number s p + d, the contribution of s

What a message carries is read before anything of the step arrives. Contributions are bits of a
word, 64 ranks at a time, and an addition that meets a bit which is there is a fault: so "each
exactly once" is proved. Above 2^27 words that would take too long, and a contribution is a random
number of 64 bits, sums are modulo 2^64: a wrong plan passes with a probability of about 2^-64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.collectives.steps import Send, Steps, Transfer
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Viewed

Words64 = npt.NDArray[np.uint64]

_MOST = 1 << 28
"""Most blocks on all ranks together: 2 GiB of words."""
_EXACT = 1 << 27
"""Words of all passes of 64 ranks up to which contributions are followed bit by bit."""
_CHUNK = 1 << 20
"""Entries of messages that are worked out at a time."""


@dataclass(frozen=True)
class Kept(Viewed, view="kept"):
    """That a plan achieves its collective.

    Attributes:
        plan: the plan.
        exact: whether every contribution was followed as a bit; else as a random number.
        steps, messages: as counted on the way.
        blocks: blocks in all messages together.

    >>> from lccmodel import collectives
    >>> print(collectives.plan("allreduce", "ring", 4).replay())
    allreduce on 4 ranks: 6 steps, 24 messages, 24 blocks; each contribution once
    """

    plan: Steps
    exact: bool
    steps: int
    messages: int
    blocks: int

    ok = True

    def __str__(self) -> str:
        how = "each contribution once" if self.exact else "by random numbers of 64 bits"
        counted = f"{self.steps} steps, {self.messages} messages, {self.blocks} blocks"
        return f"{self.plan.collective} on {self.plan.ranks} ranks: {counted}; {how}"


@dataclass(frozen=True)
class Fault(Viewed, view="fault"):
    """The first rank and block that are wrong after a plan, and why.

    Attributes:
        plan: the plan.
        rank, block: the lowest rank that has a wrong block, and the lowest such block.
        missing: contributions that should be there and are not.
        extra: those that should not be there, or are there twice.
        history: every message that carried the block, in order.

    >>> from lccmodel.collectives import Plan
    >>> replay = Plan.of_steps("reduce", 3, [[(1, 0, [0], "add")]]).replay()
    >>> replay.missing, replay.history
    ((2,), (Transfer(step=0, source=1, destination=0, block=0, operation='add'),))
    """

    plan: Steps
    rank: int
    block: int
    missing: tuple[int, ...]
    extra: tuple[int, ...]
    history: tuple[Transfer, ...]

    ok = False

    def __str__(self) -> str:
        faults = [f"lacks the contribution of {_listed(self.missing)}"] * bool(self.missing)
        faults += [f"has too much of {_listed(self.extra)}"] * bool(self.extra)
        way = "; ".join(
            f"step {t.step}: {t.source} -> {t.destination} {t.operation}"
            for t in self.history
            if self.rank in (t.source, t.destination)
        )
        route = f" ({way})" if way else " (no message carried it there)"
        return f"rank {self.rank}, block {self.block}: {' and '.join(faults)}{route}"


def _listed(ranks: tuple[int, ...]) -> str:
    return ", ".join(map(str, ranks[:6])) + (", ..." if len(ranks) > 6 else "")


def replay_plan(plan: Steps) -> Kept | Fault:
    """Move all blocks of a plan: a certificate, or the first rank and block that are wrong.

    Raises:
        SizeLimitError: more than 2^28 blocks on all ranks together.

    >>> from lccmodel.collectives.plans import Plan
    >>> print(Plan.of_steps("allreduce", 2, [[(0, 1, [0, 1], "add")]]).replay())
    rank 0, block 0: lacks the contribution of 1 (step 0: 0 -> 1 add)
    """
    entries = plan.ranks * plan.blocks
    if entries > _MOST:
        raise SizeLimitError("plan", f"at most {_MOST} blocks on all ranks are moved", entries)
    passes = -(-plan.ranks // 64)
    exact = passes == 1 or passes * entries <= _EXACT
    if exact:
        places = []
        for low in range(0, plan.ranks, 64):
            group = np.zeros(plan.ranks, np.uint64)
            many = min(64, plan.ranks - low)
            group[low : low + many] = np.uint64(1) << np.arange(many, dtype=np.uint64)
            places.append(_first_wrong(plan, group, bits=True))
    else:
        random = np.random.default_rng(20250617)
        words = random.integers(1, 1 << 64, plan.ranks, dtype=np.uint64)
        places = [_first_wrong(plan, words, bits=False)]
    if wrong := [place for place in places if place is not None]:
        return _fault(plan, *min(wrong))
    carried = sum(t.times * len(s.source) * s.size for t in plan.stages for s in t.sends)
    return Kept(plan, exact, plan.steps, plan.messages, carried)


@typed_arguments
def run_plan(plan: Steps, vectors: npt.ArrayLike) -> npt.NDArray[np.generic]:
    """Return what every rank holds after the plan, with real data.

    Args:
        plan: of any collective but "alltoall" and "barrier".
        vectors: the vector of every rank, numbers of shape (p, n); n a multiple of the blocks.

    Returns: an array of the same shape and type.

    Raises:
        InputError: another shape.

    >>> from lccmodel import collectives
    >>> run_plan(collectives.plan("allreduce", "ring", 2), [[1, 2], [10, 20]]).tolist()
    [[11, 22], [11, 22]]
    """
    data = np.array(vectors, order="C")
    if data.ndim != 2 or len(data) != plan.ranks or data.shape[1] % plan.blocks:
        rule = f"must have shape ({plan.ranks}, n) with n a multiple of {plan.blocks}"
        raise InputError("vectors", rule, data.shape)
    held = data.reshape(plan.ranks, plan.blocks, -1)
    for _, time, stage in plan.timed():
        for send, rows, load in _payloads(stage.sends, time, held):
            _arrive(held, send, rows, send.blocks(time, rows), load)
    return held.reshape(data.shape)


def _payloads(
    sends: tuple[Send, ...], time: int, held: npt.NDArray[np.generic]
) -> list[tuple[Send, Ints, npt.NDArray[Any]]]:
    """What the messages of a step carry, all read before any of it arrives."""
    payloads = []
    for send in sends:
        for rows, blocks in send.chunks(time, _CHUNK):
            place = send.source[rows, None] * held.shape[1] + blocks
            payloads.append((send, rows, _flat(held).take(place, axis=0)))
    return payloads


def _flat(held: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Blocks of all ranks in one row; one index is read and written faster than two."""
    return held.reshape(-1, *held.shape[2:])


def _arrive(
    held: npt.NDArray[Any], send: Send, rows: Ints, blocks: Ints, load: npt.NDArray[Any]
) -> None:
    """Add or copy; several messages to one rank in a step are added one by one."""
    flat, place = _flat(held), send.destination[rows, None] * held.shape[1] + blocks
    if not send.add:
        flat[place] = load
    elif send.apart:
        flat[place] += load
    else:
        np.add.at(flat, place, load)


# -- contributions --------------------------------------------------------------------------


def _first_wrong(plan: Steps, words: Words64, *, bits: bool) -> tuple[int, int] | None:
    """The first rank and block whose sum of contributions is not what is asked, if any."""
    held = _at_start(plan, words)
    joined = plan.collective == "barrier"
    twice: npt.NDArray[np.bool_] | None = None  # what has a contribution twice; rarely anything
    for _, time, stage in plan.timed():
        tainted = None if twice is None else _payloads(stage.sends, time, twice)
        for k, (send, rows, load) in enumerate(_payloads(stage.sends, time, held)):
            blocks = send.blocks(time, rows)
            place = (send.destination[rows, None], blocks)
            if tainted is not None and twice is not None:
                if send.add:  # several messages may add to one place
                    np.logical_or.at(twice, place, tainted[k][2])
                else:
                    twice[place] = tainted[k][2]
            if joined:
                np.bitwise_or.at(held, place, load)
            elif not (bits and send.add):
                _arrive(held, send, rows, blocks, load)
            else:
                twice = _add_bits(held, twice, send, rows, blocks, load)
    return _differs(plan, words, held, twice)


def _add_bits(
    held: Words64,
    twice: npt.NDArray[np.bool_] | None,
    send: Send,
    rows: Ints,
    blocks: Ints,
    load: Words64,
) -> npt.NDArray[np.bool_] | None:
    """Add sets of contributions that shall be disjoint, and note where they are not."""
    targets = send.destination[rows]
    turn = np.zeros(len(rows), np.int64)  # a message is the k-th to its rank
    if not send.apart:
        order = np.argsort(targets, kind="stable")
        ranked = targets[order]
        turn[order] = np.arange(len(rows)) - np.searchsorted(ranked, ranked)
    for k in range(int(turn.max(initial=-1)) + 1):
        some = slice(None) if send.apart else np.flatnonzero(turn == k)
        place = (targets[some, None], blocks[some])
        here = held[place]
        meet = (here & load[some]) != 0
        if meet.any():
            twice = np.zeros(held.shape, np.bool_) if twice is None else twice
            twice[place] |= meet
        held[place] = here | load[some]
    return twice


def _at_start(plan: Steps, words: Words64) -> Words64:
    held = np.zeros((plan.ranks, plan.blocks), np.uint64)
    if plan.collective in ("allreduce", "reduce", "reduce-scatter", "barrier"):
        held[:] = words[:, None]
    elif plan.collective in ("broadcast", "scatter"):
        held[plan.root] = words[plan.root]
    else:
        owner = _owners(plan)
        held[owner, np.arange(plan.blocks)] = words[owner]
    return held


def _owners(plan: Steps) -> Ints:
    """Whose contribution a block is: its source in an alltoall, else its owner."""
    if plan.blocks % plan.ranks:
        rule = f"must be a multiple of {plan.ranks}, so that every block has an owner"
        raise InputError("blocks", rule, plan.blocks)
    return np.arange(plan.blocks) // (plan.blocks // plan.ranks)


def _differs(
    plan: Steps, words: Words64, held: Words64, twice: npt.NDArray[np.bool_] | None
) -> tuple[int, int] | None:
    """(rank, block) of the first that is wrong, if any."""
    joined = plan.collective == "barrier"
    total = np.bitwise_or.reduce(words) if joined else np.add.reduce(words)
    for rank in range(plan.ranks):
        wanted, here = _wanted(plan, words, total, rank)
        if wanted is None:
            continue
        wrong = held[rank, here] != wanted
        if twice is not None:
            wrong |= twice[rank, here]
        if wrong.any():
            return rank, int(here[int(np.argmax(wrong))])
    return None


def _wanted(
    plan: Steps, words: Words64, total: np.uint64, rank: int
) -> tuple[npt.NDArray[np.uint64] | np.uint64 | None, Ints]:
    """What a rank shall hold, and in which blocks."""
    every = np.arange(plan.blocks)
    if plan.collective in ("allreduce", "barrier"):
        return total, every
    if plan.collective in ("reduce", "gather") and rank != plan.root:
        return None, every
    if plan.collective == "reduce":
        return total, every
    if plan.collective == "broadcast":
        return words[plan.root], every
    owner = _owners(plan)
    if plan.collective == "reduce-scatter":
        return total, every[owner == rank]
    if plan.collective == "scatter":
        return words[plan.root], every[owner == rank]
    if plan.collective in ("allgather", "gather"):
        return words[owner], every
    parts = plan.blocks // plan.ranks**2  # block (s, d) is s p + d, in so many parts
    mine = every[every // parts % plan.ranks == rank]
    return words[owner[mine]], mine


# -- what went wrong ------------------------------------------------------------------------


def _fault(plan: Steps, rank: int, block: int) -> Fault:
    """The contributions of one block, counted, and the messages that carried it."""
    history, joined = tuple(_history(plan, block)), plan.collective == "barrier"
    counts = np.zeros((plan.ranks, plan.ranks), np.int64)  # of rank r on rank u
    start = _at_start(plan, np.ones(plan.ranks, np.uint64))[:, block].astype(np.int64)
    counts[np.arange(plan.ranks), np.arange(plan.ranks)] = start
    for step in sorted({transfer.step for transfer in history}):
        before = counts.copy()
        for transfer in history:
            if transfer.step == step:
                came = before[transfer.source]
                stays = joined or transfer.operation == "add"
                kept = counts[transfer.destination] if stays else 0
                counts[transfer.destination] = kept + came
    if joined:
        counts = np.minimum(counts, 1)
    wanted = np.zeros(plan.ranks, np.int64)
    wanted[_contributors(plan, block)] = 1
    missing = np.flatnonzero(counts[rank] < wanted).tolist()
    extra = np.flatnonzero(counts[rank] > wanted).tolist()
    return Fault(plan, rank, block, tuple(missing), tuple(extra), history)


def _contributors(plan: Steps, block: int) -> Ints:
    if plan.collective in ("allgather", "alltoall", "gather"):
        return _owners(plan)[block : block + 1]
    from_root = plan.collective in ("broadcast", "scatter")
    return np.array([plan.root]) if from_root else np.arange(plan.ranks)


def _history(plan: Steps, block: int) -> Iterator[Transfer]:
    for step, time, stage in plan.timed():
        for send in stage.sends:
            for rows, blocks in send.chunks(time, _CHUNK):
                for k in np.flatnonzero((blocks == block).any(axis=1)).tolist():
                    ends = int(send.source[rows[k]]), int(send.destination[rows[k]])
                    yield Transfer(step, *ends, block, "add" if send.add else "copy")
