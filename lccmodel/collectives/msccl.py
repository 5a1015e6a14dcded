"""A plan in the XML that MSCCL runs on GPUs.

Every rank is a `gpu` with thread blocks, each of which sends to one peer or receives from one, step
by step. Chunks are in three buffers: `i` has what a rank gives, `o` what it shall have, and `s`
(scratch) what it passes on. By hand, of an allreduce on two ranks in one block, rank 0:

    <tb id="0" send="1" recv="-1" chan="0">  s    i 0         the chunk as it is
    <tb id="1" send="-1" recv="1" chan="0">  rrc  i 0 -> o 0  adds what comes to i 0, and puts the
                                                              sum in o 0; waits for step 0 of tb 0

A step waits for one other of its rank (`depid`, `deps`), a `nop` for a further one: a send waits
until its blocks were written, a receive until they were read and written by all that comes before
it in the plan. So each step waits for earlier ones alone, and no run stops, however few chunks are
under way between two ranks.

    where block b is    at first                   in the end
    allreduce           i b                        o b
    reduce-scatter      i b                        o, its part at its owner
    allgather           i, its part at its owner   o b
    broadcast           i b at the root            o b
    reduce              i b                        o b at the root
    scatter             i b at the root            o, its part at its owner
    gather              i, its part at its owner   o b at the root
    alltoall            i, by the rank that it     o, by the rank that it
                        is for                     is from

Elsewhere a block is in scratch, and what is not moved is copied (`cpy`). `i` is never written, so a
program is right in place, too, where both places of a block are one; an alltoall is not.

Loaders differ. MSCCL itself has no scatter and no gather, which RCCL has. MSCCL writes
`reduce_scatter`, RCCL and MSCCL's executor for NCCL `reducescatter`. A chunk is all data over
`nchunksperloop`; of a scatter or gather, the part of one rank over it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np

from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import MOST_LISTED
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.words import checked_word

_STEPS, _BLOCKS, _CHUNKS, _COUNT, _PEERS = 256, 128, 1 << 15, 71, 32
"""Loaders take so many steps of a thread block, thread blocks of a rank (a step waits for a block
by a number of one signed byte), chunks of a buffer, chunks of a step, and peers on one channel."""

_LARGEST, _LARGEST_SCRATCH = 1 << 40, 1 << 31
"""Bytes up to which a program is used. From the start MSCCL keeps scratch for so many, so fewer."""

_BUFFERS, _BUFFER = "ios", 1 << 20
"""A place is a chunk of a buffer, in one number: those of i, of o and of s do not touch."""

_Step = tuple[int, int]
"""A thread block of a rank, and a step of it."""


class _Shape(NamedTuple):
    """What the format calls a collective, and chunks: of i, of o, and of a loop."""

    word: str
    inputs: int
    outputs: int
    per_loop: int


def _shape(plan: Plan) -> _Shape:
    blocks, share = plan.blocks, plan.blocks // plan.ranks
    shapes = {
        "allreduce": _Shape("allreduce", blocks, blocks, blocks),
        "reduce-scatter": _Shape("reduce_scatter", blocks, share, blocks),
        "allgather": _Shape("allgather", share, blocks, blocks),
        "broadcast": _Shape("broadcast", blocks, blocks, blocks),
        "reduce": _Shape("reduce", blocks, blocks, blocks),
        "scatter": _Shape("scatter", blocks, share, share),
        "gather": _Shape("gather", share, blocks, share),
        "alltoall": _Shape("alltoall", share, share, share),
    }
    checked_word("collective", plan.collective, shapes, " for a plan in XML")
    return shapes[plan.collective]


def _first_and_last(plan: Plan, rank: int, blocks: Ints) -> tuple[Ints, Ints]:
    """Return where blocks of a rank are at first and in the end; -1 if they are not there.

    >>> from lccmodel import collectives
    >>> turn = collectives.plan("alltoall", "pairwise", 3)
    >>> [places.tolist() for places in _first_and_last(turn, 1, np.array([1, 3, 4]))]
    [[-1, 0, 1], [1048576, -1, 1048577]]
    """
    share = max(1, plan.blocks // plan.ranks)
    owner, part = np.divmod(blocks, share)
    nowhere = np.full_like(blocks, -1)
    if plan.collective == "alltoall":
        width = share // plan.ranks
        target, piece = np.divmod(part, width)
        first = np.where(owner == rank, part, -1)
        last = np.where(target == rank, owner * width + piece, -1)
    else:
        own = np.where(owner == rank, part, -1)
        at_root = blocks if rank == plan.root else nowhere
        first, last = {
            "allreduce": (blocks, blocks),
            "reduce-scatter": (blocks, own),
            "allgather": (own, blocks),
            "broadcast": (at_root, blocks),
            "reduce": (blocks, at_root),
            "scatter": (at_root, own),
            "gather": (own, at_root),
        }[plan.collective]
    return first.copy(), np.where(last < 0, -1, last + _BUFFER)


class _Line(NamedTuple):
    """A step of a thread block: from where to where, how many chunks, what it waits for."""

    kind: str
    source: int
    target: int
    chunks: int
    waits: _Step | None


@dataclass
class _Block:
    """A thread block: the rank it sends to and the one it receives from, -1 for none; its steps."""

    send: int
    receive: int
    lines: list[_Line] = field(default_factory=list)


class _Gpu:
    """A rank: where its blocks are, and which step last wrote each and which read it since.

    Attributes:
        now, last: where every block is, and where it is in the end; see `_first_and_last`.
        scratch: chunks of scratch that are taken.
    """

    def __init__(self, plan: Plan, rank: int) -> None:
        self.rank = rank
        self.now, self.last = _first_and_last(plan, rank, np.arange(plan.blocks))
        self.passing = np.full_like(self.now, -1)
        self.scratch = 0
        self.number: dict[tuple[int, int], int] = {}
        self.blocks: list[_Block] = []
        self.written: dict[int, _Step] = {}
        self.read: defaultdict[int, list[_Step]] = defaultdict(list)
        self.awaited = set[_Step]()

    def put(self, blocks: Ints) -> Ints:
        """Where blocks that arrive are from now on: in the end, or in scratch."""
        new = blocks[(self.last[blocks] < 0) & (self.passing[blocks] < 0)]
        self.passing[new] = 2 * _BUFFER + self.scratch + np.arange(len(new))
        self.scratch += len(new)
        self.now[blocks] = np.where(self.last[blocks] < 0, self.passing[blocks], self.last[blocks])
        return self.now[blocks]

    def add(
        self, kind: str, peers: tuple[int, int], blocks: Ints, source: int, target: int
    ) -> None:
        """One more step, and what it waits for."""
        if peers not in self.number:
            self.number[peers] = len(self.blocks)
            self.blocks.append(_Block(*peers))
        own = self.number[peers]
        named = blocks.tolist()
        before = {self.written[block] for block in named if block in self.written}
        if kind != "s":
            before |= {step for block in named for step in self.read[block]}
        waits = dict[int, int]()
        for number, step in before:
            if number != own:  # the last step of a thread block stands for those before it
                waits[number] = max(step, waits.get(number, 0))
        self.awaited |= set(waits.items())
        steps = sorted(waits.items())
        lines = self.blocks[own].lines
        lines += [_Line("nop", -1, -1, 0, step) for step in steps[:-1]]
        lines.append(
            _Line(kind, int(source), int(target), len(named), steps[-1] if steps else None)
        )
        here = (own, len(lines) - 1)
        for block in named:
            if kind == "s":
                self.read[block].append(here)
            else:
                self.written[block] = here
                self.read[block].clear()


def _runs(*places: Ints) -> Iterator[Ints]:
    """Positions that follow one another in all of these places, as many as a step takes.

    >>> [run.tolist() for run in _runs(np.array([4, 5, 6, 8]), np.array([0, 1, 7, 8]))]
    [[0, 1], [2], [3]]
    """
    jumps = sum(np.diff(place) != 1 for place in places)
    for run in np.split(np.arange(len(places[0])), np.flatnonzero(jumps) + 1):
        yield from (run[start : start + _COUNT] for start in range(0, len(run), _COUNT))


@typed_arguments
def msccl_text(plan: Plan) -> str:
    """The XML of a plan.

    Loaders do not compare roots: a program of a broadcast, reduction, scatter or gather is for the
    root of its plan alone.

    Raises:
        InputError: a barrier, which has no data, or a plan that sends what a rank does not have.
        SizeLimitError: more than 2^24 chunks in all messages, or more than the loaders take: 256
            steps of a thread block, 128 thread blocks, 2^15 chunks of a buffer.

    >>> from lccmodel import collectives
    >>> text = msccl_text(collectives.plan("allreduce", "recursive-doubling", 2))
    >>> text.count("<tb "), text.count('type="rrc"')
    (4, 2)
    """
    shape = _shape(plan)
    carried = sum(t.times * len(s.source) * s.size for t in plan.stages for s in t.sends)
    if carried > MOST_LISTED:
        raise SizeLimitError("plan", f"at most {MOST_LISTED} chunks are listed", carried)
    if plan.ranks * plan.blocks > MOST_LISTED:
        rule = f"must have at most {MOST_LISTED} chunks on all ranks"
        raise SizeLimitError("plan", rule, plan.ranks * plan.blocks)
    gpus = [_Gpu(plan, rank) for rank in range(plan.ranks)]
    for _, time, stage in plan.timed():
        moved = [
            (send.add, u, v, row)
            for send in stage.sends
            for u, v, row in zip(
                send.source.tolist(),
                send.destination.tolist(),
                np.sort(send.blocks(time, np.arange(len(send.source))), axis=1),
                strict=True,
            )
        ]
        left = [gpus[u].now[row] for _, u, _, row in moved]  # before anything arrives
        arriving = []
        for (add, u, v, row), source in zip(moved, left, strict=True):
            old = gpus[v].now[row] if add else source
            if min(source.min(), old.min()) < 0:
                rule = "must send and add to blocks that are there; see Plan.replay"
                raise InputError("plan", rule, plan)
            target = gpus[v].put(row)
            for run in _runs(source, old, target):
                first = run[0]
                gpus[u].add("s", (v, -1), row[run], source[first], target[first])
                arriving.append(("rrc" if add else "r", u, v, row[run], old[first], target[first]))
        for kind, u, v, blocks, old_place, place in arriving:
            gpus[v].add(kind, (-1, u), blocks, old_place, place)
    for gpu in gpus:
        _finish(gpu)
    return "\n".join(_lines(plan, shape, gpus)) + "\n"


def _finish(gpu: _Gpu) -> None:
    """Copy what is not yet where it shall be in the end."""
    blocks = np.flatnonzero((gpu.last >= 0) & (gpu.now >= 0) & (gpu.now != gpu.last))
    now, last = gpu.now[blocks], gpu.last[blocks]
    for run in _runs(now, last) if len(blocks) else ():
        gpu.add("cpy", (-1, -1), blocks[run], now[run[0]], last[run[0]])


def _lines(plan: Plan, shape: _Shape, gpus: list[_Gpu]) -> Iterator[str]:
    p = plan.ranks
    peers = max(sum(b.send >= 0 for b in gpu.blocks) for gpu in gpus)
    peers = max(peers, *(sum(b.receive >= 0 for b in gpu.blocks) for gpu in gpus))
    scratch = max(gpu.scratch for gpu in gpus)
    steps = max((len(block.lines) for gpu in gpus for block in gpu.blocks), default=0)
    for most, thing, many in (
        (_STEPS, "steps of a thread block", steps),
        (_BLOCKS, "thread blocks of a rank", max(len(gpu.blocks) for gpu in gpus)),
        (_CHUNKS, "chunks of a buffer", max(shape.inputs, shape.outputs, scratch)),
    ):
        if many > most:
            raise SizeLimitError("plan", f"must have at most {most} {thing} for MSCCL", many)

    def channel(rank: int, block: _Block) -> int:
        """The same at both ends, and at most 32 peers of a rank on each."""
        away = block.send - rank if block.send >= 0 else rank - block.receive
        return away % p // _PEERS if peers > _PEERS and max(block.send, block.receive) >= 0 else 0

    name = quoteattr(f"{plan.name or 'plan'}-{plan.collective}-{p}")
    channels = 1 + max((channel(gpu.rank, b) for gpu in gpus for b in gpu.blocks), default=0)
    largest = _LARGEST_SCRATCH if scratch else _LARGEST
    yield (
        f'<algo name={name} proto="Simple" nchannels="{channels}" '
        f'nchunksperloop="{shape.per_loop}" ngpus="{p}" coll="{shape.word}" '
        f'inplace="{int(plan.collective != "alltoall")}" outofplace="1" '
        f'minBytes="0" maxBytes="{largest}">'
    )
    for gpu in gpus:
        yield (
            f'  <gpu id="{gpu.rank}" i_chunks="{shape.inputs}" o_chunks="{shape.outputs}" '
            f's_chunks="{gpu.scratch}">'
        )
        for number, block in enumerate(gpu.blocks):
            yield (
                f'    <tb id="{number}" send="{block.send}" recv="{block.receive}" '
                f'chan="{channel(gpu.rank, block)}">'
            )
            for step, line in enumerate(block.lines):
                depid, deps = line.waits or (-1, -1)
                source, target = (
                    (_BUFFERS[place // _BUFFER], place % _BUFFER) if place >= 0 else ("i", -1)
                    for place in (line.source, line.target)
                )
                yield (
                    f'      <step s="{step}" type="{line.kind}" '
                    f'srcbuf="{source[0]}" srcoff="{source[1]}" '
                    f'dstbuf="{target[0]}" dstoff="{target[1]}" cnt="{line.chunks}" '
                    f'depid="{depid}" deps="{deps}" '
                    f'hasdep="{int((number, step) in gpu.awaited)}"/>'
                )
            yield "    </tb>"
        yield "  </gpu>"
    yield "</algo>"
