"""Constructions of proofs, run with every choice that the proof leaves open.

A proof says "there exists a column j that is a linear combination of the others" and goes on with
any such j, so a construction is right when it succeeds whatever is chosen. `Choices` in kernels
is an odometer: `taken[t]` is the candidate chosen at step t, `offered[t]` how many there were.

    while True:
        run the construction, which reads taken[t] and writes offered[t] for t = 0, 1, ...
        if not next_choice(steps, taken, offered): break
"""

from __future__ import annotations

from lccmodel.kernels.jit import borrowed, kernel
from proofs_check.arrays import Ints
from proofs_check.packed import joined


@kernel
def rank_of_part(rows: Ints, order: Ints, height: int, columns: int, work: Ints) -> int:
    """Rank of rows 0..height-1 of QAQ⁻¹ with the columns in the mask `columns`.

    `order` is that of Q; `work` is scratch of length n. The mask counts positions in QAQ⁻¹.
    """
    kept = 0
    for position in range(len(order)):
        if columns >> position & 1:
            kept |= 1 << order[position]
    work, rank = borrowed(work), 0
    for r in range(height):
        rank = joined(rows[order[r]] & kept, work, rank)
    return rank


@kernel
def depends(rows: Ints, order: Ints, height: int, columns: int, j: int, work: Ints) -> bool:
    """Whether column j is a linear combination of the other columns of that part."""
    whole = rank_of_part(rows, order, height, columns, work)
    return whole == rank_of_part(rows, order, height, columns & ~(1 << j), work)


@kernel
def swap(order: Ints, j: int, k: int) -> None:
    """Exchange rows j and k and columns j and k of QAQ⁻¹."""
    order[j], order[k] = order[k], order[j]


@kernel
def chosen(candidates: int, step: int, taken: Ints, offered: Ints) -> int:
    """The candidate (a bit of the mask) that the odometer takes at a step; -1 if none exists."""
    count = 0
    found = -1
    j = 0
    while candidates >> j:
        if candidates >> j & 1:
            if count == taken[step]:
                found = j
            count += 1
        j += 1
    offered[step] = count
    return found


@kernel
def next_choice(steps: int, taken: Ints, offered: Ints) -> bool:
    """Advance the odometer of the last run, which made `steps` choices; False after the last."""
    for step in range(steps - 1, -1, -1):
        if taken[step] + 1 < offered[step]:
            taken[step] += 1
            taken[step + 1 :] = 0
            return True
    return False
