"""The figures of the main job: channel loads before and after a mapping, as PNG and PDF.

The same loads give the same bytes, so that a second run changes no file.
"""

from __future__ import annotations

import io
from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from lccmodel.methods.mapping import Mapping
from lccmodel.network import ChannelLoads, Network
from lccmodel.show.latex import label
from lccmodel.show.program import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURE_FORMATS", "MAX_DRAWN", "Drawing", "drawings", "figure_bytes"]

FIGURE_FORMATS = ("png", "pdf")

MAX_DRAWN = 16
"""Largest n whose channel loads a report draws: 2^20 counters in a figure."""

_DPI = 120
_MOST_PIXELS = 1400
"""Width of a PNG, which a page shows smaller anyway; the PDF has every detail."""


@dataclass(frozen=True)
class Drawing:
    """Loads before and after, not drawn yet: `name` for its files, `caption`, `titles`."""

    name: str
    caption: str
    titles: tuple[str, str]
    before: ChannelLoads
    after: ChannelLoads

    def draw(self) -> Figure:
        """The figure."""
        from lccmodel.show.drawing import draw_before_after

        return draw_before_after(self.before.network, self.before, self.after, titles=self.titles)


def drawings(solution: Solution) -> Iterator[Drawing]:
    """What is worth a figure: each communication that a mapping improves, and all added up.

    A single communication is drawn in any case. All added up are what the channels carry when the
    communications run at the same time, so the mapping for that ("max-sum") is shown if there is
    one.
    """
    program = solution.program
    if program.network.n > MAX_DRAWN:
        return
    together = solution.together
    if together:
        at_once = [answer for answer in together if answer.mapping.objective == "max-sum"]
        m = (at_once or together)[0].mapping
        caption = f"All communications added up, before and after M-G ({m.objective})"
        before, after = _added(m, mapped=False), _added(m, mapped=True)
        yield Drawing("together", caption, ("before", f"M-G, {m.objective}"), before, after)
    taken = {"together"}
    for k, one in enumerate(program.communications):
        best, kind = solution.alone[k].mapping, "M-S"
        for answer in solution.linear[k : k + 1]:
            if answer.mapping.value_after < best.value_after:
                best, kind = answer.mapping, "linear"
        if together and best.value_after == best.value_before:
            continue
        name = _free_name(label(one.name), taken)
        taken.add(name)
        caption = f"{one.name}, before and after {kind}"
        before, after = _added(best, mapped=False), _added(best, mapped=True)
        yield Drawing(name, caption, ("before", kind), before, after)


def _free_name(name: str, taken: Container[str]) -> str:
    """The name, numbered if it is taken: names may differ in characters that files do not keep."""
    numbered = (f"{name}-{k}" for k in count(2))
    return next(each for each in chain([name], numbered) if each not in taken)


def _added(mapping: Mapping, *, mapped: bool) -> ChannelLoads:
    """The messages of all members on every channel; weights do not count."""
    network: Network = mapping.network
    members = mapping.mapped if mapped else mapping.communications
    loads = [network.channel_loads(c) for c in members]
    if len(loads) == 1:
        return loads[0]
    return ChannelLoads(network, sum(each.counts.astype("int64") for each in loads))


def figure_bytes(figure: Figure) -> dict[str, bytes]:
    """A figure in all `FIGURE_FORMATS`, without the date."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    # The canvases draw once each, and lay out once in all; savefig would draw five times.
    figure.set_dpi(min(_DPI, _MOST_PIXELS / figure.get_figwidth()))
    png, pdf = io.BytesIO(), io.BytesIO()
    canvases: Any = (FigureCanvasAgg, FigureCanvasPdf)  # their methods carry no types
    canvases[0](figure).print_png(png)
    figure.set_layout_engine("none")
    canvases[1](figure).print_pdf(pdf, metadata={"CreationDate": None})
    return {"png": png.getvalue(), "pdf": pdf.getvalue()}
