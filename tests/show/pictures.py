"""Every view at every size, and what is wrong with a picture: texts that meet or are cut off."""

from collections.abc import Callable, Iterator
from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

import lccmodel as lcc
from lccmodel.communication import catalog
from lccmodel.ground.views import Viewed
from lccmodel.network import Hypercube, Mesh
from lccmodel.show.exchange_methods import draw_exchange
from lccmodel.show.mapping_views import draw_recognised
from lccmodel.show.routing_drawing import draw_comparison, draw_routed
from lccmodel.show.schedule_drawing import draw_steps
from lccmodel.show.style import png_bytes, sized
from lccmodel.show.wormhole_drawing import draw_fft
from tests.show.test_views import RESULTS

_TOUCH = 1.0
"""Pixels that two boxes of text may share: a box is a little larger than its letters."""


def _many(n: int) -> Callable[[], Viewed]:
    return lambda: lcc.contention(
        [catalog.bit_reverse(n), catalog.matrix_transpose(n)], f"cube:{n}"
    )


GRID: dict[str, Callable[[], Viewed | Figure]] = {
    **RESULTS,
    "loads of n = 1": lambda: Hypercube(1).channel_loads([(0, 1)]),
    "loads of n = 3": lambda: Hypercube(3).channel_loads(catalog.bit_reverse(3)),
    "loads of n = 8": lambda: Hypercube(8).channel_loads(catalog.bit_reverse(8)),
    "loads of one message": lambda: Mesh((8, 8)).channel_loads([(0, 63)]),
    "loads of volumes": lambda: Mesh((16, 16)).channel_loads(
        10**6 * lcc.Traffic.of(catalog.bit_reverse(8))
    ),
    "traffic of volumes": lambda: lcc.Traffic.of([(k, k * k % 256, 10**6 * k) for k in range(256)]),
    "traffic of one message": lambda: lcc.Traffic([(0, 1)]),
    "communication of n = 1": lambda: lcc.LCC([[1]]),
    "communication of n = 8": lambda: catalog.bit_reverse(8),
    "contentions of n = 8": _many(8),
    "mapping of n = 8": lambda: lcc.placement.optimal_reordering(
        [catalog.bit_reverse(8), catalog.matrix_transpose(8)], "cube:8"
    ),
    "comparison of n = 1": lambda: lcc.compare(lcc.LCC([[1]], [1])),
    "comparison of n = 8": lambda: lcc.compare(catalog.bit_reverse(8)),
    "worms of n = 4": lambda: lcc.wormhole.trace(catalog.bit_reverse(4), Hypercube(4)),
    "deadlock": lambda: lcc.routing.deadlock_free("fully-adaptive", Hypercube(3)),
    "tree loads": lambda: lcc.contention(catalog.bit_reverse(6), "fattree:4^3"),
    "drawn: steps of HL": lambda: draw_routed(lcc.compare(catalog.bit_reverse(4))["hl"]),
    "drawn: methods": lambda: draw_comparison(lcc.compare(catalog.bit_reverse(4))),
    "drawn: steps of a schedule": lambda: draw_steps(
        lcc.pipelining.schedule(lcc.pipelining.Task(0, 5, "mesh:8x8"))
    ),
    "drawn: exchange": lambda: draw_exchange(lcc.pipelining.Machine("16x16", 500, 1)),
    "drawn: recognised": lambda: draw_recognised(
        [
            (f"column-exchange-{k}", lcc.communication.recognition.analyse(c).verdict, c)
            for k, c in enumerate(7 * [catalog.bit_reverse(6)])
        ]
    ),
    "drawn: fft": lambda: draw_fft(
        [
            lcc.wormhole.parallel_fft(p, "cube:6", mapping=m)
            for p in (256, 4096)
            for m in (None, "optimal")
        ]
    ),
}
"""What is drawn: every view, and the small, the large and the heavy ones of those in use; and
pictures of several panels that commands write."""


def drawn(name: str, size: str | None = None) -> Figure:
    made = GRID[name]()
    figure = made if isinstance(made, Figure) else made.plot().get_figure(root=True)
    assert figure is not None
    return sized(figure, size)


def faults(figure: Figure) -> Iterator[str]:
    """Texts that meet, and texts that leave the figure."""
    png_bytes(figure, 100)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    width, height = canvas.get_width_height()
    shown = [text for text in _texts(figure) if text.get_visible() and text.get_text().strip()]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in shown]
    for text, box in boxes:
        outside = max(-box.x0, -box.y0, box.x1 - width, box.y1 - height)
        if outside > 2:
            yield f"{text!r} is cut off by {outside:.0f} pixels"
    for (text, a), (other, b) in combinations(boxes, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        up = min(a.y1, b.y1) - max(a.y0, b.y0)
        if min(across, up) > _TOUCH:
            yield f"{text!r} and {other!r} meet"


def _texts(figure: Figure) -> Iterator[Text]:
    """The texts that are drawn; of the ticks those within the limits."""
    yield from figure.texts
    for legend in figure.legends:
        yield from legend.get_texts()
    for axes in figure.axes:
        yield from (axes.title, *axes.texts)
        for one in (axes, *axes.child_axes):
            for axis in (one.xaxis, one.yaxis):
                if not (one.axison and axis.get_visible()):
                    continue
                yield axis.label
                for tick in axis._update_ticks():
                    yield from (tick.label1, tick.label2)
        if (legend := axes.get_legend()) is not None:
            yield from legend.get_texts()
