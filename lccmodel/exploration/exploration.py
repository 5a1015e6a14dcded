"""What can be changed about a thing, and the picture of every choice.

An `Exploration` knows neither widgets nor notebooks: it names its controls and draws a figure for
their values. JupyterLab gets sliders from `lccmodel.exploration.widgets`; where no kernel answers,
as on a rendered page, the figure of the first values stands in their place.
"""

from __future__ import annotations

import base64
import html
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lccmodel.errors import InputError
from lccmodel.exploration.controls import Control
from lccmodel.show.style import png_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 80


class Picture(NamedTuple):
    """How to draw a figure, and what it shows in words."""

    draw: Callable[[], Figure]
    words: str


@dataclass(frozen=True, repr=False, eq=False)
class Exploration:
    """Controls, and the picture of every choice; shown as widgets at the end of a cell.

    Attributes:
        title: what is explored.
        controls: what can be changed.
        draw: from the values of all controls, as keyword arguments, to a picture; an `InputError`
            says which value is wrong.

    >>> from lccmodel import catalog, explore
    >>> shown = explore(catalog.matrix_transpose(4))
    >>> shown
    Exploration('matrix-transpose': network, order)
    >>> shown.words(order="natural")
    'order 0,1,2,3 on cube:4: busiest channel 2, as it is 2; best 1'
    """

    title: str
    controls: tuple[Control, ...]
    draw: Callable[..., Picture]

    def __repr__(self) -> str:
        return f"Exploration({self.title!r}: {', '.join(one.name for one in self.controls)})"

    def picture(self, **values: Any) -> Picture:
        """The figure for values of the controls, not drawn yet, and its words.

        Controls without a value stay where they start.

        Raises:
            InputError: no such control, or a value that it cannot have.
        """
        known = {control.name: control for control in self.controls}
        for name, value in values.items():
            if name not in known:
                raise InputError(name, f"must be one of {', '.join(known)}", value)
            known[name].check(value)
        return self.draw(**{name: one.value for name, one in known.items()} | values)

    def figure(self, **values: Any) -> Figure:
        """The figure of `picture`."""
        return self.picture(**values).draw()

    def words(self, **values: Any) -> str:
        """The words of `picture`, without drawing it."""
        return self.picture(**values).words

    def png(self, **values: Any) -> tuple[bytes, str]:
        """The picture as a PNG, and its words."""
        draw, words = self.picture(**values)
        return png_bytes(draw(), _DPI), words

    def widget(self) -> Any:
        """The controls with the picture below, as a widget of ipywidgets.

        Raises:
            InputError: ipywidgets is not installed.
        """
        from lccmodel.exploration.widgets import widget_of

        return widget_of(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Widgets where a kernel answers, and for every other reader the first picture."""
        image, words = self.png()
        encoded = base64.b64encode(image).decode()
        about = f"{self.title}. {words}"
        bundle: dict[str, Any] = {
            "text/plain": repr(self),
            "text/html": (
                f'<figure><img src="data:image/png;base64,{encoded}" alt="{html.escape(about)}" '
                f'style="max-width: 100%"><figcaption>{html.escape(words)}</figcaption></figure>'
            ),
            "image/png": encoded,
        }
        if _kernel_answers():
            bundle |= self.widget()._repr_mimebundle_()
            bundle["text/plain"] = repr(self)
        return bundle


def _kernel_answers() -> bool:
    """Whether this runs in a kernel that widgets can talk to, and ipywidgets is installed."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return hasattr(running, "kernel") and importlib.util.find_spec("ipywidgets") is not None
