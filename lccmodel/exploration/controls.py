"""What can be changed in an exploration - a choice, a text, a step, a number - and how as widgets.

The controls stand in rows, the picture and words below.

The picture is a PNG that is drawn again when a control has changed. A value that cannot be is
said in words, and the picture stays.
"""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import Any, Literal

from lccmodel.errors import InputError

_STYLE = {"description_width": "initial"}


@dataclass(frozen=True)
class Control:
    """One thing that can be changed.

    Attributes:
        name: of the argument of `Exploration.figure`.
        label: what stands beside it.
        value: where it starts.
        kind: "choice" of `options`; "text", for which `options` are suggestions; "step", a whole
            number that a button plays through; "whole" number; "scale", a number on a
            logarithmic scale.
        options: what can be chosen, or is suggested.
        low, high: the ends of a number's range.
    """

    name: str
    label: str
    value: Any
    kind: Literal["choice", "text", "step", "whole", "scale"]
    options: tuple[Any, ...] = ()
    low: float = 0
    high: float = 0

    def check(self, value: Any) -> None:
        """Refuse a value that the control cannot have.

        Raises:
            InputError: not one of the options, or outside the range.
        """
        if self.kind == "text":
            return
        if self.kind == "choice":
            if value not in self.options:
                rule = f"must be one of {', '.join(map(str, self.options))}"
                raise InputError(self.name, rule, value)
            return
        kinds = (int, float) if self.kind == "scale" else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds):
            whole = "" if self.kind == "scale" else "whole "
            raise InputError(self.name, f"must be a {whole}number", value)
        if not self.low <= value <= self.high:
            raise InputError(self.name, f"must be in {self.low:g}..{self.high:g}", value)


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
    made = {control.name: _made(ipywidgets, control) for control in shown.controls}
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


def _made(ipywidgets: Any, control: Control) -> list[Any]:
    """The widget of a control, and a second one that plays it."""
    looks: dict[str, Any] = {"description": control.label, "style": _STYLE}
    if control.kind != "choice":
        looks["continuous_update"] = False
    made: list[Any] = _MAKERS[control.kind](ipywidgets, control, **looks)
    return made


def _choice(ipywidgets: Any, control: Control, **looks: Any) -> list[Any]:
    options = [(str(option), option) for option in control.options]
    return [ipywidgets.Dropdown(options=options, value=control.value, **looks)]


def _text(ipywidgets: Any, control: Control, **looks: Any) -> list[Any]:
    options = [str(option) for option in control.options]
    return [ipywidgets.Combobox(options=options, value=str(control.value), **looks)]


def _whole(ipywidgets: Any, control: Control, **looks: Any) -> list[Any]:
    span = {"min": int(control.low), "max": int(control.high), "value": int(control.value)}
    return [ipywidgets.IntSlider(**span, **looks)]


def _step(ipywidgets: Any, control: Control, **looks: Any) -> list[Any]:
    """A slider, and buttons that play it."""
    (slider,) = _whole(ipywidgets, control, **looks)
    span = {"min": slider.min, "max": slider.max, "value": slider.value}
    play = ipywidgets.Play(**span, interval=1000)
    ipywidgets.jslink((play, "value"), (slider, "value"))
    return [slider, play]


def _scale(ipywidgets: Any, control: Control, **looks: Any) -> list[Any]:
    span = {"min": math.log10(control.low), "max": math.log10(control.high), "step": 0.05}
    value = float(control.value)
    return [ipywidgets.FloatLogSlider(value=value, base=10, readout_format=".3g", **span, **looks)]


def _value(control: Control, widget: Any) -> Any:
    """The value of a widget; on a logarithmic scale, three digits of it."""
    if control.kind != "scale":
        return widget.value
    rounded = float(f"{widget.value:.3g}")
    return min(max(rounded, control.low), control.high)


_MAKERS = {"choice": _choice, "text": _text, "step": _step, "whole": _whole, "scale": _scale}
