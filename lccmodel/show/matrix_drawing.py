"""What was recognised, as pictures: A and b where they are determined, else the messages.

y = Ax + b: row i of a picture of A says which bits of x make y_i; b stands behind the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lccmodel.communication.lcc import LCC
from lccmodel.communication.recognition import Verdict
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.show.mapping_views import lcc_plot
from lccmodel.show.style import VERMILION, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
MAX_PANELS = 64
"""Pictures that one figure holds."""

_COLUMNS = 4
_SAID = {"underdetermined": "leaves A and b open", "not-linear-complement": "not y = Ax + b"}


def draw_recognised(found: Sequence[tuple[str, Verdict, LCC | Traffic]]) -> Figure:
    """A picture for each communication: its A and b, or its messages if those are not determined.

    Args:
        found: (name, verdict, the communication or the messages); at most `MAX_PANELS`.

    Raises:
        InputError: not a communication, or too many for one figure.

    >>> from lccmodel import catalog
    >>> swap = Traffic([(0, 1), (1, 0)])
    >>> turn = ("turn", "linear-complement", catalog.bit_reverse(3))
    >>> figure = draw_recognised([turn, ("swap", "underdetermined", swap)])
    >>> [axes.get_title() for axes in figure.axes]
    ['turn', 'swap: leaves A and b open']
    """

    if not 0 < len(found) <= MAX_PANELS:
        rule = f"must be 1 to {MAX_PANELS} communications to be drawn in one figure"
        raise InputError("communications", rule, len(found))
    columns = min(_COLUMNS, len(found))
    rows = -(-len(found) // columns)
    figure = new_figure(3.3 * columns, 3.5 * rows)
    for place, (name, verdict, content) in enumerate(found, start=1):
        axes = figure.add_subplot(rows, columns, place)
        if isinstance(content, LCC):
            lcc_plot(content, axes)
            axes.set_title(name, fontsize=9, wrap=True)
        else:
            _draw_messages(content, axes)
            axes.set_title(f"{name}: {_SAID[verdict]}", fontsize=9, wrap=True)
    return figure


def _draw_messages(sent: Traffic, axes: Axes) -> None:
    """A dot for each message, the destination above the source."""
    axes.plot(sent.sources, sent.destinations, "o", color=VERMILION, markersize=3)
    last = sent.ranks - 1
    axes.set(xlabel="from node", ylabel="to node", xlim=(-0.5, last + 0.5), ylim=(-0.5, last + 0.5))
    axes.set_aspect("equal")
