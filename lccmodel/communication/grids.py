"""Process grids: what programs send along the axes of a logical grid of ranks.

Ranks are numbered as MPI and numpy number them, the last axis fastest: on a grid of 4 by 3,
rank 5 = 3 * 1 + 2 has the coordinates (1, 2). Every axis is a phase of its own, since programs
often communicate along one axis after another; a volume belongs to each message of its axis.

    rings         to both neighbours along the axis, which closes (ring collectives)
    shifts        to the next along the axis, which closes
    stencil       to both neighbours along the axis, which ends (halo exchange)
    all-to-all    to every other rank of the line along the axis

As one word: grid:16x4 (rings), grid:16x4:all-to-all, grid:16x4:rings:8,1 (volumes by axis).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Literal, cast, get_args

import numpy as np
import numpy.typing as npt

from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, SizeLimitError, checked_integer
from lccmodel.ground.words import checked_word

GridPattern = Literal["rings", "shifts", "stencil", "all-to-all"]
PATTERNS: tuple[GridPattern, ...] = get_args(GridPattern)

MAX_MESSAGES = 1 << 26
"""Most messages of a pattern: a gigabyte of pairs."""


@dataclass(frozen=True)
class ProcessGrid:
    """A logical grid of ranks.

    Args:
        sides: ranks along every axis, each at least 1, the last axis numbered fastest.

    Raises:
        CommunicationError: the sides are not such integers.

    >>> grid = ProcessGrid((4, 3))
    >>> grid.ranks, grid.coordinates()[5].tolist()
    (12, [1, 2])
    >>> grid.program("shifts", (8, 1)).phases[0].traffic.messages[:2].tolist()
    [[0, 3], [1, 4]]
    """

    sides: tuple[int, ...]

    def __post_init__(self) -> None:
        try:
            sides = tuple(self.sides)
        except TypeError:
            rule = "must be the number of ranks along every axis"
            raise CommunicationError("sides", rule, self.sides) from None
        sides = tuple(checked_integer("sides", side, CommunicationError) for side in sides)
        if not sides or min(sides) < 1:
            raise CommunicationError("sides", "must be at least 1 each", sides)
        object.__setattr__(self, "sides", sides)

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return prod(self.sides)

    def coordinates(self) -> npt.NDArray[np.int64]:
        """The coordinates of every rank, shape (ranks, axes)."""
        return np.stack(np.unravel_index(np.arange(self.ranks), self.sides), axis=1).astype(
            np.int64
        )

    def program(
        self,
        pattern: GridPattern = "rings",
        volumes: Sequence[int | float | Fraction] | None = None,
    ) -> Program:
        """A phase for every axis along which something is sent.

        Args:
            pattern: see the head of this module.
            volumes: what a message along each axis carries; 1 if left out, 0 for nothing.

        Raises:
            CommunicationError: an unknown pattern, or not one volume an axis.
            SizeLimitError: more than 2^26 messages.
        """
        checked_word("pattern", pattern, PATTERNS, kind=CommunicationError)
        carried = [1] * len(self.sides) if volumes is None else list(volumes)
        if len(carried) != len(self.sides):
            rule = f"must be {len(self.sides)}, one for every axis of the grid"
            raise CommunicationError("volumes", rule, carried)
        sent = sum(self.ranks * len(_steps(pattern, side)) for side in self.sides)
        if sent > MAX_MESSAGES:
            raise SizeLimitError("sides", f"at most {MAX_MESSAGES} messages are listed", self.sides)
        phases = []
        for axis, volume in enumerate(carried):
            messages = self._along(axis, pattern)
            amounts = np.full(
                len(messages), float(volume) if volume != int(volume) else int(volume)
            )
            traffic = Traffic(messages, amounts, self.ranks)
            if len(messages) and volume:
                phases.append(Phase(traffic, 1, f"{pattern} along axis {axis}"))
        return Program(phases or [Phase(Traffic([], ranks=self.ranks), 1, pattern)])

    def _along(self, axis: int, pattern: GridPattern) -> npt.NDArray[np.int64]:
        """The messages along one axis."""
        side, where = self.sides[axis], self.coordinates()
        parts = []
        for step in _steps(pattern, side):
            moved = where.copy()
            moved[:, axis] += step
            kept = np.ones(self.ranks, np.bool_)
            if pattern == "stencil":
                kept = (moved[:, axis] >= 0) & (moved[:, axis] < side)
            moved[:, axis] %= side
            goal = np.ravel_multi_index(tuple(moved.T), self.sides)
            parts.append(np.stack([np.arange(self.ranks), goal], axis=1)[kept])
        return np.concatenate(parts) if parts else np.empty((0, 2), np.int64)


def _steps(pattern: GridPattern, side: int) -> tuple[int, ...]:
    """How far messages go along an axis; on a closed axis of two both ways lead to the same."""
    if side < 2:
        return ()
    steps: dict[GridPattern, Callable[[], tuple[int, ...]]] = {
        "rings": lambda: (1, -1) if side > 2 else (1,),
        "shifts": lambda: (1,),
        "stencil": lambda: (1, -1),
        "all-to-all": lambda: tuple(range(1, side)),
    }
    return steps[pattern]()


def is_grid_word(text: str) -> bool:
    """Whether a word names a process grid rather than a file or a communication."""
    return text.strip().lower().startswith("grid:")


def parse_grid(text: str) -> tuple[ProcessGrid, Program]:
    """The grid and the program of a word such as "grid:16x4:rings:8,1".

    Raises:
        CommunicationError: another word.

    >>> grid, program = parse_grid("grid:4x3:all-to-all:2,1")
    >>> grid.sides, [(p.name, len(p.traffic)) for p in program]
    ((4, 3), [('all-to-all along axis 0', 36), ('all-to-all along axis 1', 24)])
    """
    rule = "must be a name such as grid:16x4, grid:16x4:all-to-all or grid:16x4:rings:8,1"
    word, *parts = text.strip().lower().split(":")
    if word != "grid" or not 1 <= len(parts) <= 3:
        raise CommunicationError("grid", rule, text)
    try:
        grid = ProcessGrid(tuple(_positive(side) for side in parts[0].split("x")))
        pattern = parts[1] if len(parts) > 1 and parts[1] else "rings"
        volumes = [Fraction(v) for v in parts[2].split(",")] if len(parts) > 2 else None
    except (ValueError, ZeroDivisionError):
        raise CommunicationError("grid", rule, text) from None
    checked_word("pattern", pattern, PATTERNS, kind=CommunicationError)
    return grid, grid.program(cast(GridPattern, pattern), volumes)


def _positive(digits: str) -> int:
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 10 and int(digits)):
        raise ValueError(digits)
    return int(digits)
