"""The steps of a plan: messages that carry blocks, which are copied or added on arrival.

    step        0       1       2     | 3        4        5         allreduce round a ring of four
    0 -> 1      b3 +    b2 +    b1 +  | b0 =     b3 =     b2 =
    1 -> 2      b0 +    b3 +    b2 +  | b1 =     b0 =     b3 =

Steps in which the same messages carry other blocks are one `Stage`: this has two, of p - 1 steps
each. Blocks are functions, worked out when somebody asks for them: loads never do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.words import COLLECTIVES as COLLECTIVES
from lccmodel.ground.words import ROOTED as ROOTED
from lccmodel.ground.words import CollectiveName as CollectiveName
from lccmodel.ground.words import checked_word

Blocks = Callable[[int, Ints], Ints]
"""From the step of a stage and rows of its messages to their blocks, int64 (rows, size)."""

MOST_LISTED = 1 << 24
"""Most rows (a message and a block) that are listed one by one."""


class Transfer(NamedTuple):
    """One block in one message: step, source, destination, block, and "add" or "copy".

    >>> Transfer(0, 1, 2, 5, "add").operation
    'add'
    """

    step: int
    source: int
    destination: int
    block: int
    operation: Literal["add", "copy"]


@typed_arguments
@dataclass(frozen=True, eq=False)
class Send:
    """Messages of one step that carry equally many blocks.

    Attributes:
        source, destination: of every message its two ranks; int64 of shape (m,).
        size: blocks in a message.
        blocks: which; see `Blocks`.
        add: whether they are added to what is there, or take its place.
        segment: of the data; in a step, blocks from one rank to another are one message if they
            are of one segment.

    >>> Send(np.array([0]), np.array([1]), 2, fixed(np.array([[4, 5]]))).size
    2
    """

    source: Ints
    destination: Ints
    size: int
    blocks: Blocks
    add: bool = False
    segment: int = 0

    def __post_init__(self) -> None:
        for name in ("source", "destination"):
            array = getattr(self, name)
            if not (isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype == np.int64):
                raise InputError(name, "must be an int64 array of shape (m,)", array)
            array.flags.writeable = False

    @cached_property
    def apart(self) -> bool:
        """Whether no two of the messages go to one rank."""
        return int(np.bincount(self.destination).max(initial=0)) <= 1

    def chunks(self, time: int, most: int) -> Iterator[tuple[Ints, Ints]]:
        """Yield (rows, their blocks), so many entries at a time."""
        checked_integer("time", time, least=0)
        rows = max(1, checked_integer("most", most, least=1) // max(1, self.size))
        for start in range(0, len(self.source), rows):
            part = np.arange(start, min(start + rows, len(self.source)))
            yield part, self.blocks(time, part)


@typed_arguments
@dataclass(frozen=True, eq=False)
class Stage:
    """The same messages for `times` steps, with other blocks in each.

    >>> from lccmodel import collectives
    >>> [stage.times for stage in collectives.plan("allreduce", "ring", 8).stages]
    [7, 7]
    """

    sends: tuple[Send, ...]
    times: int = 1

    def ends(self) -> tuple[Ints, Ints, Ints]:
        """Return the source, the destination and the segment of every row of all sends."""
        columns = [(s.source, s.destination, np.full(len(s.source), s.segment)) for s in self.sends]
        empty = np.empty(0, np.int64)
        source, destination, segment = zip(*columns, strict=True) if columns else ((), (), ())
        return (
            np.concatenate([empty, *source]),
            np.concatenate([empty, *destination]),
            np.concatenate([empty, *segment]),
        )

    def message_of(self) -> Ints:
        """Return the message of every row: rows with the same ends and segment are one message.

        >>> row = np.array([0]), np.array([1])
        >>> copied, added = Send(*row, 1, fixed(row[0][None])), Send(*row, 1, fixed(row[1][None]))
        >>> Stage((copied, added)).message_of().tolist()
        [0, 0]
        """
        if len(self.sends) == 1 and self.sends[0].apart:
            return np.arange(len(self.sends[0].source))
        source, destination, segment = self.ends()
        if not len(source):
            return source
        # one number for all three sorts faster; it fits 64 bits up to 2^20 ranks and segments
        keys = source * (int(destination.max()) + 1) + destination
        if segment.any():
            keys = keys * (int(segment.max()) + 1) + segment
        _, first, message = np.unique(keys, return_index=True, return_inverse=True)
        number: Ints = np.empty_like(first)
        number[np.argsort(first)] = np.arange(len(first))
        return np.asarray(number[message.reshape(-1)])


def fixed(blocks: Ints) -> Blocks:
    """The same blocks in every step; int64 of shape (m, size)."""
    return lambda _, rows: blocks[rows]


@typed_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Steps:
    """Who sends which blocks to whom, and what it shall achieve; see `Plan`."""

    collective: CollectiveName
    ranks: int
    blocks: int
    stages: Sequence[Stage]
    root: int = 0
    name: str = ""
    lag: int = 1
    paced: Paced | None = None

    def __post_init__(self) -> None:
        checked_word("collective", self.collective, COLLECTIVES)
        object.__setattr__(self, "stages", tuple(self.stages))
        checked_integer("ranks", self.ranks, least=1)
        checked_integer("blocks", self.blocks, least=1)
        checked_integer("lag", self.lag, least=1)
        if not 0 <= checked_integer("root", self.root) < self.ranks:
            raise InputError("root", f"must be in 0..{self.ranks - 1}", self.root)

    # -- what it is made of ---------------------------------------------------------------

    @cached_property
    def steps(self) -> int:
        """Number of steps."""
        return sum(stage.times for stage in self.stages)

    @cached_property
    def messages(self) -> int:
        """Number of messages of all steps; see `Stage.message_of`."""
        return sum(t.times * (int(t.message_of().max(initial=-1)) + 1) for t in self.stages)

    @property
    def unit(self) -> Fraction:
        """A block as a fraction of the vector of a rank; 0 for a barrier, which sends no data."""
        if self.collective == "barrier":
            return Fraction(0)
        return Fraction(self.ranks if self.collective == "alltoall" else 1, self.blocks)

    def timed(self) -> Iterator[tuple[int, int, Stage]]:
        """(step, step within its stage, stage) for every step."""
        step = 0
        for stage in self.stages:
            for time in range(stage.times):
                yield step, time, stage
                step += 1

    def transfers(self) -> Iterator[Transfer]:
        """Every block of every message, by step; rows of the CSV of a plan.

        A plan that never cuts the vector of a rank has one block; it is listed as p of them.

        Raises:
            SizeLimitError: more than 2^24 rows.

        >>> from lccmodel import collectives
        >>> next(collectives.plan("allreduce", "ring", 4).transfers())
        Transfer(step=0, source=0, destination=1, block=3, operation='add')
        """
        listed = self if self.blocks % self.ranks == 0 else self.refined(self.ranks)
        rows = sum(t.times * len(s.source) * s.size for t in listed.stages for s in t.sends)
        if rows > MOST_LISTED:
            raise SizeLimitError("plan", f"at most {MOST_LISTED} rows are listed", rows)
        for step, time, stage in listed.timed():
            transfers = [transfer for send in stage.sends for transfer in _listed(step, time, send)]
            yield from sorted(transfers)

    def refined(self, parts: int) -> Self:
        """The same plan with every block cut into so many, 2^24 at most."""
        if checked_integer("parts", parts, least=1) == 1:
            return self
        if parts > MOST_LISTED:
            raise SizeLimitError("parts", f"must be at most {MOST_LISTED}", parts)

        def finer(send: Send) -> Send:
            blocks, fine = send.blocks, np.arange(parts)

            def cut(time: int, rows: Ints) -> Ints:
                coarse = blocks(time, rows)
                return (coarse[..., None] * parts + fine).reshape(len(coarse), -1)

            return replace(send, size=send.size * parts, blocks=cut)

        return self._with(finer, self.blocks * parts)

    def _with(self, change: Callable[[Send], Send], blocks: int) -> Self:
        stages = [Stage(tuple(map(change, stage.sends)), stage.times) for stage in self.stages]
        return replace(self, stages=stages, blocks=blocks, paced=None)

    def __repr__(self) -> str:
        what = f"{self.ranks} ranks, {self.steps} steps, {self.messages} messages"
        name = f"{self.name} " if self.name else ""
        return f"<Plan of {name}{self.collective}: {what}>"


@dataclass(frozen=True, eq=False)
class Paced:
    """A plan of its own for every number n of segments, with rounds that repeat.

    Attributes:
        plan_of: the plan of n blocks.
        full: a turn of rounds in which every rank takes part. From n = 2 on, the plan of
            n + len(turn) blocks has the rounds of n blocks and one such turn more.
        residues: the n modulo len(turn) of which the best is searched.
    """

    plan_of: Callable[[int], Any]
    full: Any
    residues: tuple[int, ...]

    @property
    def turn(self) -> int:
        """Rounds of a turn."""
        return int(self.full.steps)

    def base(self, segments: int) -> tuple[int, int]:
        """The fewest segments with the first and last rounds of so many, and turns between."""
        if segments <= self.turn + 1:
            return segments, 0
        turns = (segments - 2) // self.turn
        return segments - turns * self.turn, turns

    def mapped(self, change: Callable[[Any], Any]) -> Paced:
        """All plans of it, changed."""
        return Paced(lambda n: change(self.plan_of(n)), change(self.full), self.residues)


def _listed(step: int, time: int, send: Send) -> Iterator[Transfer]:
    word: Literal["add", "copy"] = "add" if send.add else "copy"
    blocks = send.blocks(time, np.arange(len(send.source)))
    ends = zip(send.source.tolist(), send.destination.tolist(), strict=True)
    for (u, v), carried in zip(ends, blocks.tolist(), strict=True):
        for block in carried:
            yield Transfer(step, u, v, block, word)
