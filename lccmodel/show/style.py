"""One style for every figure: ink and colours, and the files that figures become.

Colours are Okabe and Ito's, which colour-blind readers tell apart. A figure has the same bytes
whenever it is drawn from the same numbers: files hold no date.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from lccmodel.errors import InputError
from lccmodel.ground.words import checked_word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

FigureLayout = Literal["constrained", "compressed"]

INK, REST = "#222222", "#8c8c8c"
"""Of what is drawn, and of what stands back."""

GREY, GUIDE, FAINT, GRID = "#777777", "#bdbdbd", "#d9d9d9", "#e6e6e6"
"""Of what is named in passing, of lines that guide the eye, of what is idle, of a grid."""

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"

CYCLE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
"""One after the other, for curves and bars that stand for different things."""

FIGURE_FORMATS = ("png", "pdf")
"""In which a report writes every figure."""

_FIGURE_SUFFIXES = (".png", ".pdf", ".svg")
"""Names of files that a figure can be written to."""

SIZES = {"column": 3.4, "page": 7.0, "slide": 10.0}
"""Inches of width: one column of a journal, both of them, a slide."""

_TALLEST = {"column": 9.0, "page": 9.0, "slide": 5.6}
"""Inches of height that a page of a journal, and a slide, have."""

_LEAST_POINTS, LEAST_INSIDE = 6.0, 4.0
"""Below it print cannot be read; of numbers inside of what they name."""

_DPI = 120
_MOST_PIXELS = 1400
"""Width of a PNG, which a page shows smaller anyway; the PDF has every detail."""


def check_figure(path: str | Path, name: str = "figure file", more: Iterable[str] = ()) -> str:
    """The suffix of a figure file.

    Args:
        path: the file.
        name: of the option or argument that names it.
        more: suffixes that are fine as well.

    Raises:
        InputError: it is not .png, .pdf or .svg.
    """
    suffix = Path(path).suffix.lower()
    known = (*_FIGURE_SUFFIXES, *more)
    if suffix not in known:
        raise InputError(name, f"must end in {', '.join(known[:-1])} or {known[-1]}", str(path))
    return suffix


def new_figure(width: float, height: float, layout: FigureLayout = "constrained") -> Figure:
    """A figure of that many inches, made without pyplot: nothing has to be closed."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout=layout)


def axes_on(
    ax: Axes | None, size: tuple[float, float], layout: FigureLayout = "constrained"
) -> Axes:
    """The axes that were given, or those of a new figure of that many inches."""
    return new_figure(*size, layout).add_subplot() if ax is None else ax


def digit_colour(rgba: Sequence[float]) -> str:
    """Ink, or white where ink cannot be read: of a number on a coloured cell.

    >>> digit_colour((1, 1, 1)), digit_colour((0, 0, 0.4))
    ('#222222', 'white')
    """
    luminance = sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), rgba, strict=False))
    return INK if luminance > 0.45 else "white"


def plain_logarithms(*axes: Axis) -> None:
    """Write the numbers of logarithmic axes as 60 and 4,000, from 0.001 up to a million.

    matplotlib writes 6 × 10¹ where an axis spans less than a power of ten. Axes that go on beyond
    a million keep powers of ten.

    >>> from matplotlib.figure import Figure
    >>> panel = Figure().add_subplot()
    >>> _ = panel.set(yscale="log", ylim=(50, 70))
    >>> plain_logarithms(panel.yaxis)
    >>> panel.yaxis.get_minor_formatter()(60)
    '60'
    """
    from matplotlib.ticker import LogFormatterSciNotation

    class Plain(LogFormatterSciNotation):
        def __call__(self, x: float, pos: int | None = None) -> str:
            text: str = super().__call__(x, pos)
            if not text or self.axis is None:
                return text
            low, high = self.axis.get_view_interval()
            is_plain = low >= 1e-3 and high <= 1e6
            return f"{x:,.6g}" if is_plain else text

    for axis in axes:
        axis.set_major_formatter(Plain())
        axis.set_minor_formatter(Plain())


def node_ticks(count: int) -> list[int]:
    """Where an axis of nodes or ranks has its numbers: eight at most, a power of two apart.

    >>> node_ticks(6), node_ticks(256)
    ([0, 1, 2, 3, 4, 5], [0, 32, 64, 96, 128, 160, 192, 224])
    """
    step = 1 << max(0, (count - 1).bit_length() - 3)
    return list(range(0, count, step))


def sized(figure: Figure, size: str | None) -> Figure:
    """The figure as wide as a column, a page or a slide, its texts and lines to match.

    A wide figure loses height more slowly than width, none is taller than the page or the slide,
    and no text gets smaller than 6 points; numbers of nodes and flits that are too many for
    that are left out.

    Args:
        figure: changed in place.
        size: a key of `SIZES`; None leaves the figure as it is.

    Raises:
        InputError: no such size.

    >>> from matplotlib.figure import Figure
    >>> sized(Figure(figsize=(8, 4)), "column").get_size_inches().round(2).tolist()
    [3.4, 2.46]
    """
    if size is None:
        return figure
    checked_word("size", size, SIZES)
    width, height = figure.get_size_inches()
    factor = SIZES[size] / width
    tall = min(height * (factor if factor > 1 else factor**0.57), _TALLEST[size])
    return _resized(figure, SIZES[size], tall)


def fitted(figure: Figure, width: float, height: float) -> Figure:
    """The figure, made smaller where it is wider or higher than so many inches.

    Args:
        figure: changed in place.
        width, height: what it may have at most.

    >>> from matplotlib.figure import Figure
    >>> fitted(Figure(figsize=(8, 11)), 12, 6).get_size_inches().tolist()
    [8.0, 6.0]
    """
    wide, high = figure.get_size_inches()
    if wide <= width and high <= height:
        return figure
    return _resized(figure, min(wide, width), min(high, height))


def _resized(figure: Figure, width: float, height: float) -> Figure:
    """The figure of so many inches, its texts and lines to match."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import FancyArrowPatch, Patch
    from matplotlib.text import Text

    wide, high = figure.get_size_inches()
    factor = min(width / wide, height / high)
    figure.set_size_inches(width, height)
    texts = figure.findobj(Text)
    shrink: dict[str, list[Text]] = {"label": [], "tag": []}  # with the nodes and flits they are in
    for text in texts:
        points = float(text.get_fontsize())
        within = shrink.get(str(text.get_gid()).partition("-")[0])
        if within is None:
            text.set_fontsize(max(_LEAST_POINTS, points * factor**0.4))
        else:
            text.set_fontsize(points * factor)
            within.append(text)
    for several in shrink.values():
        if min((float(text.get_fontsize()) for text in several), default=inf) < LEAST_INSIDE:
            for text in several:
                text.set_visible(False)
    for axes in figure.axes if factor < 1 else ():
        axes.title.set_wrap(True)
    for line in figure.findobj(Line2D):
        line.set_linewidth(line.get_linewidth() * factor**0.5)
        line.set_markersize(line.get_markersize() * factor**0.5)
    if factor < 1:
        for patch in figure.findobj(Patch):
            patch.set_linewidth(patch.get_linewidth() * factor**0.5)
            if isinstance(patch, FancyArrowPatch):
                patch.set_mutation_scale(patch.get_mutation_scale() * factor)
        _narrow(figure)
    return figure


def _narrow(figure: Figure) -> None:
    """Legends below the axes in fewer columns, names of panels as wide as these, fewer ticks."""
    from matplotlib.ticker import FixedLocator

    figure.draw_without_rendering()
    for legend in list(figure.legends):
        rows, wide = legend.get_window_extent().width, figure.bbox.width
        if rows > wide:
            texts, title = legend.get_texts(), legend.get_title()
            style: dict[str, Any] = {"fontsize": texts[0].get_fontsize(), "frameon": False}
            if title.get_text():
                style |= {"title": title.get_text(), "title_fontsize": title.get_fontsize()}
            legend.remove()
            figure.legend(
                [handle for handle in legend.legend_handles if handle is not None],
                [text.get_text() for text in texts],
                loc="outside lower center",
                ncols=max(1, int(vars(legend)["_ncols"] * wide / rows)),
                **style,
            )
    for axes in figure.axes:
        spec, box = axes.get_subplotspec(), axes.title.get_window_extent()
        middle = (box.x0 + box.x1) / 2
        room = 2 * min(middle, figure.bbox.width - middle)
        if spec is not None:
            room = min(room, figure.bbox.width / spec.get_gridspec().ncols)
        if " " not in axes.title.get_text() and box.width > room:
            axes.title.set_fontsize(float(axes.title.get_fontsize()) * room / box.width)
    for axis in [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]:
        if isinstance(axis.get_major_locator(), FixedLocator):
            _thin(axis)


def _thin(axis: Axis) -> None:
    """Every second, third, ... of the ticks that were asked for by name, until none meet."""
    places, labels = list(axis.get_ticklocs()), axis.get_ticklabels()
    if not places or any(label.get_rotation() % 90 for label in labels):
        return
    boxes = [label.get_window_extent() for label in labels]
    step = 1
    while any(box.padded(1).overlaps(other) for box, other in pairwise(boxes[::step])):
        step += 1
    if step > 1:
        texts = [label.get_text() for label in labels]
        axis.set_ticks(places[::step], texts[::step])


def figure_file(figure: Figure, path: str | Path, size: str | None = None) -> bytes:
    """The content of a file of this name, without a date; see `sized`.

    Raises:
        InputError: the suffix is not .png, .pdf or .svg.

    >>> from matplotlib.figure import Figure
    >>> figure_file(Figure(), "walks.svg")[:5]
    b'<?xml'
    """
    import matplotlib

    suffix = check_figure(path)
    sized(figure, size)
    if suffix != ".svg":
        kind = suffix[1:]
        return figure_bytes(figure, (kind,))[kind]
    target = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "lccmodel"}):
        figure.savefig(target, format="svg", metadata={"Date": None})
    return target.getvalue()


def figure_bytes(figure: Figure, kinds: Iterable[str] = FIGURE_FORMATS) -> dict[str, bytes]:
    """A figure in some of `FIGURE_FORMATS`, without the date: laid out once, and drawn once each.

    >>> from matplotlib.figure import Figure
    >>> list(figure_bytes(Figure())), list(figure_bytes(Figure(), ["pdf"]))
    (['png', 'pdf'], ['pdf'])
    """
    dpi = min(_DPI, _MOST_PIXELS / figure.get_figwidth())
    return {kind: _WRITERS[kind](figure, dpi) for kind in kinds}


def png_bytes(
    figure: Figure, dpi: float, metadata: Mapping[str, str | None] | None = None
) -> bytes:
    """A figure as a PNG of so many points an inch, with the metadata that `savefig` takes."""
    canvas: Any = _laid_out(figure, dpi)
    target = io.BytesIO()
    canvas.print_png(target, metadata=metadata)
    return target.getvalue()


def _pdf_bytes(figure: Figure, dpi: float) -> bytes:
    import matplotlib
    from matplotlib.backends.backend_pdf import FigureCanvasPdf

    _laid_out(figure, dpi)
    target = io.BytesIO()
    canvas: Any = FigureCanvasPdf  # its methods carry no types
    with matplotlib.rc_context({"pdf.fonttype": 42}):  # TrueType: journals refuse Type 3
        canvas(figure).print_pdf(target, metadata={"CreationDate": None})
    return target.getvalue()


_WRITERS = {"png": png_bytes, "pdf": _pdf_bytes}


def _laid_out(figure: Figure, dpi: float) -> FigureCanvasAgg:
    """A canvas for pixels, with everything in its place; `savefig` would draw once more for it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(dpi)
    canvas = FigureCanvasAgg(figure)
    engine = figure.get_layout_engine()
    if figure.axes and engine is not None:
        for axes in figure.axes:
            axes.get_xlim(), axes.get_ylim()  # texts have no place before the limits are settled
        engine.execute(figure)
        figure.set_layout_engine("none")
    return canvas
