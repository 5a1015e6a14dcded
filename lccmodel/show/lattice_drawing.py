"""The correction lattice of one communication as a Hasse diagram.

A box is a set S of corrected bits, with the number of messages in each occupied node; a line from
S up to S + j carries the load of the busiest channel when bit j is corrected after S. An order
of the bits is a path from the bottom to the top, and its contention is the largest number on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lccmodel.errors import SizeLimitError
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.show.network_artists import figure_of
from lccmodel.show.node_positions import PlanePoint, free_spot
from lccmodel.show.style import GUIDE, INK, VERMILION, axes_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_DRAWN_BITS = 5
"""Most bits of a readable diagram: 32 sets and 80 steps."""

_ROOM = 0.13, 0.3
"""Least distances of a number from another line and from another number."""
_ALONG = (0.5, 0.43, 0.57, 0.36, 0.64, 0.32, 0.68)

_IDLE, _PATH = GUIDE, VERMILION

Subset = tuple[int, ...]


def draw_lattice(
    lattice: CorrectionLattice, order: Sequence[int] | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw every subset with its occupancy and every step with its load.

    Args:
        lattice: of a communication with at most 5 bits on channels.
        order: a path to be marked, as for `CorrectionLattice.walk`.
        ax: where to draw; a new figure if left out.

    Raises:
        SizeLimitError: more than 5 bits to correct.
        InputError: `order` does not name every external bit once.

    >>> from lccmodel import LCC
    >>> figure = draw_lattice(CorrectionLattice(LCC([[0, 1], [1, 0]])), [0, 1])
    >>> [text.get_text() for text in figure.axes[0].texts][:4]
    ['1', '1', '1', '1']
    """
    bits = lattice.external
    if len(bits) > MAX_DRAWN_BITS:
        rule = f"a diagram is readable up to {MAX_DRAWN_BITS} bits"
        raise SizeLimitError("lattice", rule, len(bits))
    marked = _steps_of(lattice, order)
    levels = [list(combinations(bits, size)) for size in range(len(bits) + 1)]
    places = {
        S: (k - (len(level) - 1) / 2, 1.3 * len(S)) for level in levels for k, S in enumerate(level)
    }
    widest = max(len(level) for level in levels)
    axes = axes_on(ax, (1.6 + 1.15 * widest, 1.4 + 1.15 * len(bits)))
    steps = [(S, tuple(sorted((*S, j))), j) for S in places for j in bits if j not in S]
    lines = np.array([(places[S], places[above]) for S, above, _ in steps]).reshape(-1, 2, 2)
    for k, (S, above, j) in enumerate(steps):
        others = np.delete(lines, k, axis=0)
        on_path = (S, above) in marked
        _draw_step(axes, (places[S], places[above]), others, lattice.load(S, j), on_path=on_path)
    for S, (x, y) in places.items():
        on_path = any(S in step for step in marked) or (not bits and order is not None)
        axes.text(
            x,
            y,
            f"{{{','.join(map(str, S))}}}\n×{lattice.occupancy(S)}",
            ha="center",
            va="center",
            color=INK,
            fontsize=9,
            zorder=4,
            bbox={
                "boxstyle": "round,pad=0.35",
                "facecolor": "white",
                "edgecolor": _PATH if on_path else INK,
                "linewidth": 2.0 if on_path else 0.8,
            },
        )
    for text in axes.texts:  # they lie within: the layout makes no room for them
        text.set_in_layout(False)
    axes.set_axis_off()
    axes.margins(0.12, 0.08)
    axes.set_title(_title(lattice, order), fontsize=10, y=1.0)
    return figure_of(axes)


def _steps_of(
    lattice: CorrectionLattice, order: Sequence[int] | None
) -> set[tuple[Subset, Subset]]:
    if order is None:
        return set()
    walk = lattice.walk(order)
    reached = [tuple(sorted(step.corrected)) for step in walk] + [lattice.external]
    return set(pairwise(reached))


def _draw_step(
    axes: Axes,
    line: tuple[PlanePoint, PlanePoint],
    others: npt.NDArray[np.float64],
    load: int,
    *,
    on_path: bool,
) -> None:
    axes.plot(
        *zip(*line, strict=True),
        color=_PATH if on_path else _IDLE,
        linewidth=2.6 if on_path else 1.0,
        zorder=2 if on_path else 1,
    )
    axes.text(
        *free_spot(line, others, [text.get_position() for text in axes.texts], _ROOM, _ALONG),
        str(load),
        ha="center",
        va="center",
        fontsize=8,
        fontweight="bold" if on_path else "normal",
        color=INK,
        zorder=3,
        bbox={"boxstyle": "round,pad=0.12", "facecolor": "white", "edgecolor": "none"},
    )


def _title(lattice: CorrectionLattice, order: Sequence[int] | None) -> str:
    name = lattice.communication.name or "communication"
    if order is None:
        return f"{name}: ×messages in a node, and loads of the steps"
    degree = max(lattice.loads(order), default=0)
    return f"{name}, order {tuple(int(bit) for bit in order)}: maximum load {degree}"
