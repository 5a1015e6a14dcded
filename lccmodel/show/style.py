"""One style for every figure: ink and colours, and the files that figures become.

Colours are Okabe and Ito's, which colour-blind readers tell apart. A figure has the same bytes
whenever it is drawn from the same numbers: files hold no date.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "BLACK",
    "BLUE",
    "FIGURE_FORMATS",
    "FIGURE_SUFFIXES",
    "GREEN",
    "INK",
    "ORANGE",
    "PURPLE",
    "REST",
    "SKY",
    "VERMILION",
    "check_figure",
    "figure_bytes",
    "figure_file",
]

INK, REST = "#222222", "#8c8c8c"
"""Of what is drawn, and of what stands back."""

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"

FIGURE_FORMATS = ("png", "pdf")
"""In which a report writes every figure."""

FIGURE_SUFFIXES = (".png", ".pdf", ".svg")
"""Names of files that a figure can be written to."""

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
        InputError: it is not one of `FIGURE_SUFFIXES`.
    """
    suffix = Path(path).suffix.lower()
    known = (*FIGURE_SUFFIXES, *more)
    if suffix not in known:
        raise InputError(name, f"must end in {', '.join(known[:-1])} or {known[-1]}", str(path))
    return suffix


def figure_file(figure: Figure, path: str | Path) -> bytes:
    """The content of a file of this name, without a date.

    Raises:
        InputError: the suffix is not one of `FIGURE_SUFFIXES`.

    >>> from matplotlib.figure import Figure
    >>> figure_file(Figure(), "walks.svg")[:5]
    b'<?xml'
    """
    import matplotlib

    suffix = check_figure(path)
    if suffix != ".svg":
        return figure_bytes(figure)[suffix[1:]]
    target = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "lccmodel"}):
        figure.savefig(target, format="svg", metadata={"Date": None})
    return target.getvalue()


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
