"""A plan in the XML that MSCCL runs on GPUs.

Every rank is a `gpu` with thread blocks, each of which sends to one peer or receives from one, step
by step. By hand, of an allreduce on two ranks in one block, rank 0:

    <tb id="0" send="1" recv="-1" chan="0">  s     chunk 0, as it is
    <tb id="1" send="-1" recv="1" chan="0">  rrc   adds what comes; waits for step 0 of tb 0

A step waits for one other of its rank (`depid`, `deps`), a `nop` for a further one: a send waits
until its blocks were written, a receive until they were read and written by all that comes before
it in the plan. So each step waits for earlier ones alone, and no run stops, however few chunks are
under way between two ranks. All collectives here are in place: a chunk is a block of the plan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import MOST_LISTED, Send
from lccmodel.errors import InputError, SizeLimitError

_BUFFERS = {
    "allreduce": ("allreduce", "i"),
    "reduce-scatter": ("reduce_scatter", "i"),
    "allgather": ("allgather", "o"),
    "broadcast": ("broadcast", "o"),
}
"""What MSCCL calls a collective, and the buffer that it works in."""

_Place = tuple[int, int]
"""A thread block of a rank, and a step of it."""


@dataclass
class _Block:
    """A thread block: its peer, and lines of steps (type, chunk, how many, what it waits for)."""

    sends: bool
    peer: int
    steps: list[tuple[str, int, int, _Place | None]] = field(default_factory=list)


class _Gpu:
    """The thread blocks of a rank, and which step last wrote each chunk and which read it since."""

    def __init__(self) -> None:
        self.number: dict[tuple[bool, int], int] = {}
        self.blocks: list[_Block] = []
        self.written: dict[int, _Place] = {}
        self.read: defaultdict[int, list[_Place]] = defaultdict(list)
        self.awaited = set[_Place]()

    def add(self, kind: str, peer: int, chunk: int, many: int) -> None:
        """One more step, and what it waits for."""
        sends = kind == "s"
        if (sends, peer) not in self.number:
            self.number[sends, peer] = len(self.blocks)
            self.blocks.append(_Block(sends, peer))
        own = self.number[sends, peer]
        chunks = range(chunk, chunk + many)
        before = {self.written[c] for c in chunks if c in self.written}
        if not sends:
            before |= {place for c in chunks for place in self.read[c]}
        waits = dict[int, int]()
        for block, step in before:
            if block != own:  # the last step of a thread block stands for those before it
                waits[block] = max(step, waits.get(block, 0))
        self.awaited |= set(waits.items())
        places = sorted(waits.items())
        steps = self.blocks[own].steps
        steps += [("nop", -1, 0, place) for place in places[:-1]]
        steps.append((kind, chunk, many, places[-1] if places else None))
        here = (own, len(steps) - 1)
        for c in chunks:
            if sends:
                self.read[c].append(here)
            else:
                self.written[c] = here
                self.read[c].clear()


def _runs(send: Send, time: int) -> Iterator[tuple[int, int, int, int]]:
    """Source, destination, first block and how many, of blocks that follow one another."""
    blocks = np.sort(send.blocks(time, np.arange(len(send.source))), axis=1)
    for u, v, row in zip(send.source.tolist(), send.destination.tolist(), blocks, strict=True):
        for run in np.split(row, np.flatnonzero(np.diff(row) != 1) + 1):
            yield u, v, int(run[0]), len(run)


@typed_arguments
def msccl_text(plan: Plan) -> str:
    """The XML of a plan.

    Raises:
        InputError: another collective than allreduce, reduce-scatter, allgather and broadcast.
        SizeLimitError: more than 2^24 chunks in all messages.

    >>> from lccmodel import collectives
    >>> text = msccl_text(collectives.plan("allreduce", "recursive-doubling", 2))
    >>> text.count("<tb "), text.count('type="rrc"')
    (4, 2)
    """
    if plan.collective not in _BUFFERS:
        rule = f"must be one of {', '.join(_BUFFERS)} for a plan in XML"
        raise InputError("collective", rule, plan.collective)
    carried = sum(t.times * len(s.source) * s.size for t in plan.stages for s in t.sends)
    if carried > MOST_LISTED:
        raise SizeLimitError("plan", f"at most {MOST_LISTED} chunks are listed", carried)
    gpus = [_Gpu() for _ in range(plan.ranks)]
    for _, time, stage in plan.timed():
        moved = [(send.add, run) for send in stage.sends for run in _runs(send, time)]
        for _, (u, v, chunk, many) in moved:  # all is read before anything arrives
            gpus[u].add("s", v, chunk, many)
        for add, (u, v, chunk, many) in moved:
            gpus[v].add("rrc" if add else "r", u, chunk, many)
    return "\n".join(_lines(plan, gpus)) + "\n"


def _lines(plan: Plan, gpus: list[_Gpu]) -> Iterator[str]:
    word, buffer = _BUFFERS[plan.collective]
    share = plan.blocks // plan.ranks
    inputs = share if plan.collective == "allgather" else plan.blocks
    outputs = share if plan.collective == "reduce-scatter" else plan.blocks
    name = quoteattr(f"{plan.name or 'plan'}-{plan.collective}-{plan.ranks}")
    yield (
        f'<algo name={name} proto="Simple" nchannels="1" nchunksperloop="{plan.blocks}" '
        f'ngpus="{plan.ranks}" coll="{word}" inplace="1" outofplace="0">'
    )
    for rank, gpu in enumerate(gpus):
        yield f'  <gpu id="{rank}" i_chunks="{inputs}" o_chunks="{outputs}" s_chunks="0">'
        for number, block in enumerate(gpu.blocks):
            peers = (block.peer, -1) if block.sends else (-1, block.peer)
            yield f'    <tb id="{number}" send="{peers[0]}" recv="{peers[1]}" chan="0">'
            for step, (kind, chunk, many, waits) in enumerate(block.steps):
                depid, deps = waits or (-1, -1)
                yield (
                    f'      <step s="{step}" type="{kind}" srcbuf="{buffer}" srcoff="{chunk}" '
                    f'dstbuf="{buffer}" dstoff="{chunk}" cnt="{many}" depid="{depid}" '
                    f'deps="{deps}" hasdep="{int((number, step) in gpu.awaited)}"/>'
                )
            yield "    </tb>"
        yield "  </gpu>"
    yield "</algo>"
