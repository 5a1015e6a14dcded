"""Switch settings of recursively halved networks: looping, and a search where it cannot go on.

Depth t of the recursion: every subcube has a permutation of its lines and one dimension d, in
which its lines are paired at both ends. Two lines of a pair have to pass through different halves.
From input u with destination v: u passes through the half of its own bit d; v is reached from
there, so the partner v' of v is reached from the other half; the input of v' passes through that,
and its partner is the next u, until the loop closes.

Where the lines of a subcube choose differently there are no such halves. The stages before its
middle one then join its lines to parts, whose settings are listed. A message has to reach one
switch of the middle stage from both its ends, wherever that switch then sends it: so for the parts
of the inputs settings are tried, and the switches that the outputs of a part are to be reached
from are looked up among what the settings of that part, mirrored, can do. Nothing is left out.

The mixed subcubes of 16 lines that HL makes of PLC_5 consist of two parts of 8 lines, 4096
settings each, which the middle stage joins. A setting of one part mostly has some of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from lccmodel.errors import NetworkError
from lccmodel.ground.arrays import Flags, Ints
from lccmodel.kernels.jit import kernel


@kernel
def _loop(t: int, row: Ints, lines: Ints, goes: Ints, crossed: Flags) -> None:
    """Set stage t and its mirror for the lines of some subcubes, each of one dimension.

    Args:
        t: the stage, from 0.
        row: the dimension of the switch of every line.
        lines: those of the subcubes, ascending.
        goes: where every line goes between stage t - 1 and its mirror; then between t and its own.
        crossed: receives whether the switch of every line is crossed, shape (2n - 1, 2^n).
    """
    sources, halves, inside = np.empty((3, len(goes)), np.int64)
    for u in lines:
        sources[goes[u]] = u
        halves[u] = -1
    for first in lines:
        u = first
        while halves[u] < 0:
            d = row[u]
            half = u >> d & 1 if u == first else 1 - halves[u ^ 1 << d]
            halves[u] = half
            other = sources[goes[u] ^ 1 << d]
            halves[other] = 1 - half
            u = other ^ 1 << d
    mirror = len(crossed) - 1 - t
    for u in lines:
        d, v = row[u], goes[u]
        enters = halves[u] != u >> d & 1
        leaves = halves[u] != v >> d & 1
        crossed[t, u] = enters
        crossed[mirror, v] = leaves
        inside[u ^ (enters << d)] = v ^ (leaves << d)
    for u in lines:
        goes[u] = inside[u]


MOST_SWITCHES = 12
"""Switches before the middle stage in one part of a mixed subcube: 4096 settings."""


def settings_of(dimensions: Ints, destinations: Ints) -> Flags:
    """Set the switches of a network for a permutation.

    Args:
        dimensions: int64 of shape (n, 2^n), the dimension of every line's switch in stages 1..n.
        destinations: int64 of shape (2^n,), a permutation.

    Returns: whether the switch of every line is crossed, bool of shape (2n - 1, 2^n).

    Raises:
        NetworkError: a part of a subcube whose lines choose differently has more than 12 switches
            before the middle stage, or no setting realises what has to pass through the subcube.
    """
    n, size = dimensions.shape
    crossed = np.zeros((2 * n - 1, size), dtype=bool)
    goes, lines, used = destinations.copy(), np.arange(size), np.zeros(size, np.int64)
    for t, row in enumerate(dimensions[:-1]):
        named, chosen = used << n | lines & used, row[lines]
        _, first, subcube = np.unique(named, return_index=True, return_inverse=True)
        unlike = chosen != chosen[first][subcube]
        if unlike.any():
            for mixed in np.unique(subcube[unlike]):
                _search(dimensions, t, lines[subcube == mixed], goes, crossed)
            kept = ~np.isin(subcube, subcube[unlike])
            lines, used, chosen = lines[kept], used[kept], chosen[kept]
        _loop(t, row, lines, goes, crossed)
        used |= 1 << chosen
    crossed[n - 1, lines] = goes[lines] != lines
    return crossed


class _Part(NamedTuple):
    """Lines that the stages before the middle one join, and what every setting does to them."""

    lines: Ints
    """The lines, numbered within the subcube."""
    ends: Ints
    """For every setting and line, the line on which it enters the middle stage."""
    crossed: Flags
    """For every setting, stage and line, whether the line's switch is crossed."""


def _search(dimensions: Ints, t: int, lines: Ints, goes: Ints, crossed: Flags) -> None:
    """Try all settings of a mixed subcube until one realises `goes`."""
    index = np.zeros(int(lines.max()) + 1, dtype=np.int64)
    index[lines] = np.arange(len(lines))
    partners = [index[lines ^ 1 << row[lines]] for row in dimensions[t:]]
    parts = _parts(partners[:-1], t)
    switch = np.minimum(np.arange(len(lines)), partners[-1])
    source = np.argsort(index[goes[lines]])
    known = [_codes(switch[part.ends]) for part in parts]
    *before, last = parts
    for chosen in product(*(range(len(part.ends)) for part in before)):
        reached = np.empty((len(last.ends), len(lines)), dtype=np.int64)
        for part, setting in zip(before, chosen, strict=True):
            reached[:, part.lines] = switch[part.ends[setting]]
        reached[:, last.lines] = switch[last.ends]
        wanted = reached[:, source]  # the switch of the middle stage that every output is fed by
        fitting = np.arange(len(wanted))
        for part, codes in zip(parts, known, strict=True):
            fitting = fitting[np.isin(_codes(wanted[fitting][:, part.lines]), codes)]
        if fitting.size:
            first = [*chosen, int(fitting[0])]
            feeds = wanted[fitting[0]]
            mirrored = [
                int((codes == _codes(feeds[None, part.lines])).argmax())
                for part, codes in zip(parts, known, strict=True)
            ]
            _set(parts, first, mirrored, source, t, lines, crossed)
            return
    rule = "must realise the permutation; no setting of its mixed part does"
    raise NetworkError("network", rule, goes[lines].tolist())


def _set(
    parts: Sequence[_Part],
    first: Sequence[int],
    mirrored: Sequence[int],
    source: Ints,
    t: int,
    lines: Ints,
    crossed: Flags,
) -> None:
    """Enter the settings found on both sides, and what the middle stage has to do then."""
    middle = len(crossed) // 2
    enters, leaves = np.empty((2, len(lines)), dtype=np.int64)
    for part, entering, leaving in zip(parts, first, mirrored, strict=True):
        enters[part.lines], leaves[part.lines] = part.ends[entering], part.ends[leaving]
        for s in range(middle - t):
            crossed[t + s, lines[part.lines]] = part.crossed[entering, s]
            crossed[len(crossed) - 1 - t - s, lines[part.lines]] = part.crossed[leaving, s]
    crossed[middle, lines[leaves]] = enters[source] != leaves


def _parts(partners: Sequence[Ints], t: int) -> list[_Part]:
    """The parts of a subcube; `partners` are the lines that each stage pairs."""
    left = set(range(len(partners[0])))
    parts = []
    while left:
        joined, new = set(), {min(left)}
        while new:
            joined |= new
            new = {int(row[u]) for row in partners for u in new} - joined
        left -= joined
        parts.append(_part(np.array(sorted(joined)), partners, t))
    return parts


def _part(lines: Ints, partners: Sequence[Ints], t: int) -> _Part:
    switches = [(s, int(u)) for s, row in enumerate(partners) for u in lines if u < row[u]]
    if len(switches) > MOST_SWITCHES:
        rule = (
            f"at most {MOST_SWITCHES} switches before the middle stage may join lines of a subcube "
            "that choose different dimensions"
        )
        raise NetworkError("network", rule, f"{len(switches)} from stage {t + 1} on")
    settings = np.arange(1 << len(switches))
    crossed = np.zeros((len(settings), len(partners), len(partners[0])), dtype=bool)
    for k, (s, u) in enumerate(switches):
        crossed[:, s, u] = crossed[:, s, partners[s][u]] = settings >> k & 1
    ends = np.tile(lines, (len(settings), 1))
    for s, row in enumerate(partners):
        ends = np.where(crossed[settings[:, None], s, ends], row[ends], ends)
    return _Part(lines, ends, crossed[:, :, lines])


def _codes(rows: Ints) -> Ints:
    """A number for every row of small numbers, different for different rows."""
    code = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        code = code << 4 | column
    return code
