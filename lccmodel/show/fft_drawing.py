"""The parts of the parallel FFT as stacked bars, without a mapping and with the best [hou, 6.2]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lccmodel.show.style import BLUE, GREEN, VERMILION, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lccmodel.wormhole.fft_times import FFTTimes

_PARTS = (("computation", BLUE), ("neighbour", GREEN), ("bit_reverse", VERMILION))


def draw_fft(several: Sequence[FFTTimes]) -> Figure:
    """Draw what every part takes, in the share of the longest run of the same size.

    Args:
        several: runs on one network, each size without a mapping and with one.

    >>> from lccmodel.wormhole import parallel_fft
    >>> figure = draw_fft([parallel_fft(64, "cube:4"), parallel_fft(64, "cube:4", mapping=None)])
    >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
    ['64', '64']
    """

    figure = new_figure(max(4.5, 0.8 * len(several) + 2.5), 4.0)
    axes = figure.add_subplot()
    longest = {
        one.points: max(float(each.execution) for each in several if each.points == one.points)
        for one in several
    }
    for x, one in enumerate(several):
        below = 0.0
        for name, colour in _PARTS:
            share = 100 * float(getattr(one, name)) / longest[one.points]
            axes.bar([x], [share], bottom=[below], color=colour, width=0.7)
            below += share
    for name, colour in _PARTS:
        axes.bar([0], [0], color=colour, label=name.replace("_", " "))
    labels = [f"{one.points}" + (", mapped" if one.mapped else "") for one in several]
    axes.set_xticks(range(len(several)), labels, rotation=45 if len(several) > 4 else 0)
    axes.set(xlabel="points", ylabel="% of the time without a mapping", ylim=(0, 118))
    axes.set_title(f"Parallel FFT on {several[0].network.spec}", fontsize=11)
    axes.legend(frameon=False, fontsize=9, ncols=3, loc="upper center")
    axes.spines[["top", "right"]].set_visible(False)
    return figure
