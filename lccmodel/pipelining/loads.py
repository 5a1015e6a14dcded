"""What a task sets on each axis, how many messages share a link, how many steps it needs at least.

A task exchanges one message per process through each of some consecutive dimensions of the
hypercube of processes. Its dimensions are laid on the axes of a mesh so that an axis carries a
*run* of consecutive levels; the messages of level l travel over 2^l links. Nothing else about the
task matters for its loads, so all of this is in terms of runs, one for each axis:

    ⟨0,7⟩ on 16 × 16      axis 0: levels 0, 1, 2, 3      LevelRun(0, 4)
                          axis 1: levels 0, 1, 2         LevelRun(0, 3)

A run from level f on of K levels loads a line as ⟨f,K⟩_1 does [calmant, Theorem 1]:

    λ⟨f,K⟩_1 = (2^(f+K+1) - 2^(f+1)) / 3  (K even),  (2^(f+K+1) - 2^f) / 3  (K odd)

On a ring of s nodes the messages of the longest level, over s/2 links, may go either way round.
`ties` says which way they go, and with it how much they add to the load of the others:

    "split"  even coordinates go in the + direction, odd ones in the - direction:  s/4 everywhere
    "plus"   all in the + direction, as `lccmodel.network.Torus` routes:           s/2 everywhere
    "line"   none crosses the wrap-around link:                                    as on the mesh

No choice of directions has a smaller maximum than "split". The loads r of the shorter levels have
period s/2, and every message of the longest one uses exactly one of the links m, m + s/2 in its
direction. If P of them go forward, one of those two links carries at least r(m) + P/2, and
backward one carries at least r(m) + (s - P)/2, so the maximum is at least max r + s/4.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal, NamedTuple

from lccmodel.errors import SizeLimitError, checked_integer
from lccmodel.ground.words import checked_word
from lccmodel.network.ring_direction import TieName

PortName = Literal["one", "all"]

_CHOICES: dict[str, tuple[str, ...]] = {
    "ports": ("one", "all"),
    "ties": ("split", "plus", "line"),
}

_LARGEST = 1 << 20
"""Loads are numbers of about i + M bits, written out up to this many."""


class LevelRun(NamedTuple):
    """Levels first, ..., first + length - 1 of one axis; `wraps`: the last goes half a ring.

    An axis without a level has LevelRun(0, 0).
    """

    first: int
    length: int
    wraps: bool = False

    @property
    def end(self) -> int:
        """One past the last level."""
        return self.first + self.length


LevelRuns = tuple[LevelRun, ...]
"""A run for each axis."""


# -- runs ---------------------------------------------------------------------------------


def equal_runs(i: int, M: int, c: int) -> LevelRuns:
    """The runs of ⟨i,M⟩_c on c axes of equal length, however long [calmant, Lemma 5].

    Dimension k is level ⌊k/c⌋ of axis k mod c.

    Raises:
        InputError: i or M is negative, c < 1, or not integers.
        SizeLimitError: a number above 2^20.

    >>> equal_runs(3, 4, 2)
    (LevelRun(first=2, length=2, wraps=False), LevelRun(first=1, length=2, wraps=False))
    """
    return _equal_runs(_number("i", i, 0), _number("M", M, 0), _number("c", c, 1))


@lru_cache(maxsize=4096)  # the sums over all iterations ask for the same ones again and again
def _equal_runs(i: int, M: int, c: int) -> LevelRuns:
    return tuple(_equal_run(i, M, c, (axis - i) % c) for axis in range(c))


def _equal_run(i: int, M: int, c: int, offset: int) -> LevelRun:
    """Dimensions i + offset, i + offset + c, ... below i + M, as levels of their axis."""
    count = -(-(M - offset) // c)
    return LevelRun((i + offset) // c, count) if count > 0 else LevelRun(0, 0)


def n_dimensions(runs: LevelRuns) -> int:
    """M: how many dimensions the runs have together."""
    return sum(run.length for run in runs)


def levels_in_order(runs: LevelRuns) -> list[tuple[int, int]]:
    """(level, axis) of every dimension, in the order of the dimensions: by level, then by axis.

    >>> levels_in_order((LevelRun(0, 1), LevelRun(0, 2)))
    [(0, 0), (0, 1), (1, 1)]
    """
    return sorted((level, a) for a, run in enumerate(runs) for level in range(run.first, run.end))


def cut(runs: LevelRuns, low: int) -> tuple[LevelRuns, LevelRuns]:
    """The runs of the `low` lowest dimensions, and those of the others.

    >>> cut((LevelRun(0, 2, True), LevelRun(0, 1)), 2)[1]
    (LevelRun(first=1, length=1, wraps=True), LevelRun(first=0, length=0, wraps=False))
    """
    lowest = _axes_in_order(runs)[:low]
    pairs = [cut_run(run, lowest.count(axis)) for axis, run in enumerate(runs)]
    return tuple(below for below, _ in pairs), tuple(above for _, above in pairs)


@lru_cache(maxsize=64)  # the same runs are cut everywhere, one place after the other
def _axes_in_order(runs: LevelRuns) -> tuple[int, ...]:
    return tuple(axis for _, axis in levels_in_order(runs))


def cut_run(run: LevelRun, low: int) -> tuple[LevelRun, LevelRun]:
    """The lowest levels of a run, so many, and the others."""
    if low == 0:
        return LevelRun(0, 0), run
    if low == run.length:
        return run, LevelRun(0, 0)
    return LevelRun(run.first, low), LevelRun(run.first + low, run.length - low, run.wraps)


# -- loads --------------------------------------------------------------------------------


def line_load(i: int, M: int) -> int:
    """The maximum load of a line for ⟨i,M⟩_1; 0 for M = 0 [calmant, Theorem 1].

    Raises:
        InputError: i or M is negative or not an integer.
        SizeLimitError: a number above 2^20.

    >>> [line_load(0, M) for M in range(6)], line_load(3, 1)
    ([0, 1, 2, 5, 10, 21], 8)
    """
    return _line_load(_number("i", i, 0), _number("M", M, 0))


def _line_load(i: int, M: int) -> int:
    return ((2 << i + M) - (2 - M % 2 << i)) // 3


def largest_load(runs: LevelRuns, ties: TieName = "split") -> int:
    """λ: messages on the busiest directed link, over all axes.

    Args:
        runs: what each axis carries.
        ties: which way messages go half a ring: "split", "plus" or "line" (see the module).

    >>> largest_load(equal_runs(0, 7, 2)), largest_load((LevelRun(0, 2, True),))
    (10, 2)
    >>> largest_load((LevelRun(0, 2, True),), "plus")
    3
    """
    return max((_axis_load(run, ties) for run in runs), default=0)


def _axis_load(run: LevelRun, ties: TieName) -> int:
    if not run.wraps or ties == "line":
        return _line_load(run.first, run.length)
    longest = 1 << run.end - 1
    return _line_load(run.first, run.length - 1) + (longest // 2 if ties == "split" else longest)


def least_steps(runs: LevelRuns, ports: PortName = "one") -> int:
    """LB: no schedule takes fewer steps [calmant, Theorem 4].

    With one port it is max(λ, M): a node sends its M messages one after another. With all ports
    a node sends through every link at once, and λ alone is the bound: the messages that it sends
    one way along an axis all use the first link there, so the load counts them already. (That a
    node may send one message per axis and step, whatever the direction, gives nothing larger: on
    a line or ring that carries K levels, λ >= K.) On a ring λ is that of the best choice of
    directions, `ties="split"`.

    >>> least_steps(equal_runs(0, 3, 2)), least_steps(equal_runs(0, 3, 2), "all")
    (3, 2)
    """
    load = largest_load(runs)
    return load if ports == "all" else max(load, n_dimensions(runs))


# -- checks -------------------------------------------------------------------------------


def _number(argument: str, value: Any, least: int) -> int:
    number = checked_integer(argument, value, least=least)
    if number > _LARGEST:
        raise SizeLimitError(argument, f"must be at most {_LARGEST}: loads have i + M bits", value)
    return number


def check_choice(argument: Literal["ports", "ties"], value: Any) -> None:
    """Refuse another word for the ports or the ties.

    Raises:
        InputError: it is not one of the choices.
    """
    checked_word(argument, value, _CHOICES[argument])
