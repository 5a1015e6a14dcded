"""An exploration as widgets of ipywidgets: its controls in rows, the picture and words below.

The picture is a PNG that is drawn again when a control has changed. A value that cannot be is
said in words, and the picture stays.
"""

from __future__ import annotations

import html
import math
from typing import Any

from lccmodel.errors import InputError
from lccmodel.exploration.controls import Control

_STYLE = {"description_width": "initial"}


def widget_of(shown: Any) -> Any:
    """The controls with the picture below.

    Raises:
        InputError: ipywidgets is not installed.
    """
    try:
        import ipywidgets
    except ImportError:
        rule = "needs ipywidgets: pip install 'lccmodel[notebook]'"
        raise InputError("explore", rule, "not installed") from None
    made = {control.name: _MAKERS[control.kind](ipywidgets, control) for control in shown.controls}
    image = ipywidgets.Image(format="png")
    image.layout.max_width = "100%"
    image.layout.object_fit = "contain"
    words = ipywidgets.HTML()

    def redraw(_: Any = None) -> None:
        values = {name: _value(control, made[name][0]) for name, control in named.items()}
        try:
            image.value, said = shown.png(**values)
        except InputError as error:
            words.value = f'<span style="color: #a40000">{html.escape(str(error))}</span>'
        else:
            words.value = html.escape(said)

    named = {control.name: control for control in shown.controls}
    for first, *_ in made.values():
        first.observe(redraw, names="value")
    redraw()
    row = ipywidgets.HBox([part for parts in made.values() for part in reversed(parts)])
    row.layout.flex_flow = "row wrap"
    heading = ipywidgets.HTML(f"<b>{html.escape(shown.title)}</b>")
    return ipywidgets.VBox([heading, row, words, image])


def _choice(ipywidgets: Any, control: Control) -> list[Any]:
    options = [(str(option), option) for option in control.options]
    described = {"description": control.label, "style": _STYLE}
    return [ipywidgets.Dropdown(options=options, value=control.value, **described)]


def _text(ipywidgets: Any, control: Control) -> list[Any]:
    described = {"description": control.label, "style": _STYLE, "continuous_update": False}
    options = [str(option) for option in control.options]
    box = ipywidgets.Combobox(options=options, value=str(control.value), **described)
    return [box]


def _whole(ipywidgets: Any, control: Control) -> list[Any]:
    span = {"min": int(control.low), "max": int(control.high), "value": int(control.value)}
    described = {"description": control.label, "style": _STYLE, "continuous_update": False}
    return [ipywidgets.IntSlider(**span, **described)]


def _step(ipywidgets: Any, control: Control) -> list[Any]:
    """A slider, and buttons that play it."""
    (slider,) = _whole(ipywidgets, control)
    span = {"min": slider.min, "max": slider.max, "value": slider.value}
    play = ipywidgets.Play(**span, interval=1000)
    ipywidgets.jslink((play, "value"), (slider, "value"))
    return [slider, play]


def _scale(ipywidgets: Any, control: Control) -> list[Any]:
    span = {"min": math.log10(control.low), "max": math.log10(control.high), "step": 0.05}
    described = {"description": control.label, "style": _STYLE, "continuous_update": False}
    slider = ipywidgets.FloatLogSlider(
        value=float(control.value), base=10, readout_format=".3g", **span, **described
    )
    return [slider]


def _value(control: Control, widget: Any) -> Any:
    """The value of a widget; on a logarithmic scale, three digits of it."""
    if control.kind != "scale":
        return widget.value
    rounded = float(f"{widget.value:.3g}")
    return min(max(rounded, control.low), control.high)


_MAKERS = {"choice": _choice, "text": _text, "step": _step, "whole": _whole, "scale": _scale}
