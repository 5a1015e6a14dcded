"""Switch settings of mixed networks: the looping algorithm, and a search where it cannot go on.

Where all lines of a subcube choose one dimension, looping sends the two lines of a pair through
different halves, as in every Beneš-like network; that leaves two subcubes of one dimension less.
Where the lines of a subcube choose differently there are no such halves. On 8 lines, the least
that can be mixed, all settings are tried at once: with L the 2^8 permutations of its first two
stages, a permutation p is realised when M = L₂ p L₁⁻¹ is one of the middle stage, which leaves a
line or takes it across its switch; the last two stages are then the inverse of L₂.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError

__all__ = ["settings_of_mixed"]

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
MOST_LINES = 8
"""Lines of a mixed subcube up to which its settings are searched."""


def settings_of_mixed(dimensions: Ints, destinations: Ints) -> Bools:
    """Set the switches of any network for a permutation.

    Args:
        dimensions: int64 of shape (n, 2^n), the dimension of every line's switch in stages 1..n.
        destinations: int64 of shape (2^n,), a permutation.

    Returns: whether the switch of every line is crossed, bool of shape (2n - 1, 2^n).

    Raises:
        NetworkError: more than 8 lines of a subcube choose differently, or no setting of 8 such
            lines realises what has to pass through them.
    """
    n, size = dimensions.shape
    crossed = np.zeros((2 * n - 1, size), dtype=bool)
    blocks = [(np.arange(size), np.array(destinations))]
    for t in range(n):
        row, halves = dimensions[t], []
        for lines, goes in blocks:  # `goes` is read at the lines of the block only
            if (row[lines] != row[lines[0]]).any():
                _search(dimensions, t, lines, goes, crossed)
            elif t == n - 1:
                crossed[t, lines] = goes[lines] != lines
            else:
                halves += _looped(int(row[lines[0]]), t, lines, goes, crossed)
        blocks = halves
    return crossed


def _looped(d: int, t: int, lines: Ints, goes: Ints, crossed: Bools) -> list[tuple[Ints, Ints]]:
    """Set a subcube's switches along dimension d, first and last; its halves and what they do."""
    source = {int(goes[u]): u for u in lines.tolist()}
    half: dict[int, int] = {}
    for first in lines.tolist():
        u, side = first, first >> d & 1
        while u not in half:
            half[u] = side
            other = source[int(goes[u]) ^ 1 << d]
            half[other] = 1 - side
            u, side = other ^ 1 << d, side
    inside = np.zeros_like(goes)
    mirror = len(crossed) - 1 - t
    for u in lines.tolist():
        side, v = half[u], int(goes[u])
        crossed[t, u] = u >> d & 1 != side
        crossed[mirror, v] = v >> d & 1 != side
        inside[u & ~(1 << d) | side << d] = v & ~(1 << d) | side << d
    return [(lines[lines >> d & 1 == side], inside) for side in (0, 1)]


def _search(dimensions: Ints, t: int, lines: Ints, goes: Ints, crossed: Bools) -> None:
    """Try all settings of a mixed subcube of 8 lines."""
    if len(lines) > MOST_LINES:
        rule = f"at most {MOST_LINES} lines of a subcube may choose different dimensions"
        raise NetworkError("network", rule, f"{len(lines)} lines in stage {t + 1}")
    index = np.zeros(int(lines.max()) + 1, dtype=np.int64)
    index[lines] = np.arange(len(lines))
    partner = [index[lines ^ 1 << dimensions[s, lines]] for s in (t, t + 1, t + 2)]
    here = np.arange(len(lines))
    firsts, set_first = _layers(partner[0], here)
    seconds, set_second = _layers(partner[1], here)
    left = seconds[:, firsts].reshape(-1, len(lines))  # of line u: where two stages lead it
    inverse = np.argsort(left, axis=1)
    wanted = left[:, index[goes[lines]][inverse]]  # L₂ p L₁⁻¹, shape (L₂, L₁, lines)
    fits = ((wanted == here) | (wanted == partner[2])).all(axis=2)
    if not fits.any():
        rule = "must realise the permutation; no setting of its mixed part does"
        raise NetworkError("network", rule, goes[lines].tolist())
    last, first = np.unravel_index(int(fits.argmax()), fits.shape)
    end = len(crossed) - 1
    for stage, mirrored, chosen in ((t, False, first), (end - t, True, last)):
        second, one = divmod(int(chosen), len(firsts))
        crossed[stage, lines] = set_first[one]
        crossed[stage + (-1 if mirrored else 1), lines] = set_second[second]
    crossed[t + 2, lines] = wanted[last, first] != here


def _layers(partner: Ints, here: Ints) -> tuple[Ints, Bools]:
    """What every setting of a stage does to the lines, and which lines it crosses."""
    switches = [int(u) for u in here if u < partner[u]]
    rows = []
    for setting in product((False, True), repeat=len(switches)):
        row = np.zeros(len(here), dtype=bool)
        for u, cross in zip(switches, setting, strict=True):
            row[u] = row[partner[u]] = cross
        rows.append(row)
    crossing = np.array(rows)
    return np.where(crossing, partner, here), crossing
