"""`explore(thing)`: what can be changed about a thing, and the picture of every choice.

An `Exploration` names its controls - a choice, a text, a step, a number - and draws a figure for
their values. In JupyterLab they are widgets in rows, with the words and a PNG below, which is drawn
again when one has changed; a value that cannot be is said in words, without a picture. Where no
kernel answers, as on a rendered page, the figure of the first values stands in their place.
A picture is drawn at the size at which it is shown, with two pixels for each of the screen, and is
low enough that it shares a screen with its controls.
"""

from __future__ import annotations

import base64
import html
import importlib
import importlib.util
import math
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import checked_word, word_rule
from lccmodel.show.style import fitted, png_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_SHOWN = 88
"""Pixels of the screen to an inch of a figure."""

_DENSITY = 2
"""Pixels of the picture to one of the screen: a projector and a fine display show both sharply."""

SCREEN = (12.0, 6.2)
"""Inches of the largest picture."""

_FRAME = 270
"""Pixels of a window that JupyterLab's bars, the controls and the words take: a picture that is
higher than the rest is shown smaller, so that it is in sight together with its controls."""


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
                raise InputError(self.name, word_rule(value, tuple(map(str, self.options))), value)
            return
        kinds = (int, float) if self.kind == "scale" else (int,)
        if isinstance(value, bool) or not isinstance(value, kinds):
            whole = "" if self.kind == "scale" else "whole "
            raise InputError(self.name, f"must be a {whole}number", value)
        if not self.low <= value <= self.high:
            raise InputError(self.name, f"must be in {self.low:g}..{self.high:g}", value)


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
        return (
            f"Exploration({self.title!r}: {', '.join(control.name for control in self.controls)})"
        )

    def picture(self, **values: Any) -> Picture:
        """Return the figure for values of the controls, not drawn yet, and its words.

        Controls without a value stay where they start.

        Raises:
            InputError: no such control, or a value that it cannot have.
        """
        known = {control.name: control for control in self.controls}
        for name, value in values.items():
            checked_word("control", name, known)
            known[name].check(value)
        return self.draw(**{name: control.value for name, control in known.items()} | values)

    def figure(self, **values: Any) -> Figure:
        """Return the figure of `picture`."""
        return self.picture(**values).draw()

    def words(self, **values: Any) -> str:
        """Return the words of `picture`, without drawing it."""
        return self.picture(**values).words

    def png(self, **values: Any) -> tuple[bytes, str]:
        """Return the picture as a PNG, and its words."""
        draw, words = self.picture(**values)
        return png_bytes(fitted(draw(), *SCREEN), _DENSITY * _SHOWN), words

    def widget(self) -> Any:
        """Return the controls with the picture below, as a widget of ipywidgets.

        Raises:
            InputError: ipywidgets is not installed.
        """
        try:
            import ipywidgets
        except ImportError:
            rule = "needs ipywidgets: pip install 'lccmodel[notebook]'"
            raise InputError("explore", rule, "not installed") from None
        made = {control.name: _widgets_of(ipywidgets, control) for control in self.controls}
        image = ipywidgets.Image(format="png")
        image.layout.max_width = "100%"
        image.layout.object_fit = "contain"
        image.layout.align_self = "flex-start"  # a box would stretch it to its own width
        image.layout.max_height = f"max(300px, 100vh - {_FRAME}px)"
        image.layout.object_position = "left top"
        words = ipywidgets.HTML()

        def redraw(_: Any = None) -> None:
            values = {name: _value(control, made[name][0]) for name, control in named.items()}
            try:
                image.value, caption = self.png(**values)
            except InputError as error:
                words.value = f'<span style="color: #a40000">{html.escape(str(error))}</span>'
                image.layout.display = "none"
            else:
                words.value = html.escape(caption)
                image.layout.width = f"{_shown_width(image.value)}px"
                image.layout.display = None

        named = {control.name: control for control in self.controls}
        for first, *_ in made.values():
            first.observe(redraw, names="value")
        redraw()
        row = ipywidgets.HBox([part for parts in made.values() for part in reversed(parts)])
        row.layout.flex_flow = "row wrap"
        heading = ipywidgets.HTML(f"<b>{html.escape(self.title)}</b>")
        return ipywidgets.VBox([heading, row, words, image])

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Widgets where a kernel answers, and for every other reader the first picture."""
        image, words = self.png()
        encoded = base64.b64encode(image).decode()
        about = f"{self.title}. {words}"
        bundle: dict[str, Any] = {
            "text/plain": repr(self),
            "text/html": (
                f'<figure><img src="data:image/png;base64,{encoded}" alt="{html.escape(about)}" '
                f'style="width: {_shown_width(image)}px; max-width: 100%">'
                f"<figcaption>{html.escape(words)}</figcaption></figure>"
            ),
            "image/png": encoded,
        }
        if _kernel_answers():
            bundle |= self.widget()._repr_mimebundle_()
            bundle["text/plain"] = repr(self)
        return bundle


def _shown_width(png: bytes) -> int:
    """The pixels of the screen that a picture is wide: its header states those that it has."""
    return int.from_bytes(png[16:20]) // _DENSITY


def _readout(control: Control) -> str:
    """How the number of a logarithmic scale is written: 4,100 and no 4.1e+3."""
    if control.low >= 1:
        return ",.0f"
    return ",.2f" if control.high >= 1000 else ".3g"


def _widgets_of(ipywidgets: Any, control: Control) -> list[Any]:
    """The widget of a control; of a step, a second one that plays it."""
    looks: dict[str, Any] = {
        "description": control.label,
        "style": {"description_width": "initial"},
    }
    if control.kind == "choice":
        options = [(str(option), option) for option in control.options]
        return [ipywidgets.Dropdown(options=options, value=control.value, **looks)]
    looks["continuous_update"] = False
    if control.kind == "text":
        texts = [str(option) for option in control.options]
        return [ipywidgets.Combobox(options=texts, value=str(control.value), **looks)]
    if control.kind == "scale":
        looks |= {"min": math.log10(control.low), "max": math.log10(control.high), "step": 0.05}
        value = float(control.value)
        return [
            ipywidgets.FloatLogSlider(
                value=value, base=10, readout_format=_readout(control), **looks
            )
        ]
    span = {"min": int(control.low), "max": int(control.high), "value": int(control.value)}
    slider = ipywidgets.IntSlider(**span, **looks)
    if control.kind == "whole":
        return [slider]
    play = ipywidgets.Play(**span, interval=1000)
    ipywidgets.jslink((play, "value"), (slider, "value"))
    return [slider, play]


def _value(control: Control, widget: Any) -> Any:
    """The value of a widget; on a logarithmic scale, three digits of it."""
    if control.kind != "scale":
        return widget.value
    rounded = float(f"{widget.value:.3g}")
    return min(max(rounded, control.low), control.high)


def _kernel_answers() -> bool:
    """Whether this runs in a kernel that widgets can talk to, and ipywidgets is installed."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return hasattr(running, "kernel") and importlib.util.find_spec("ipywidgets") is not None


EXPLORERS: Mapping[str, str] = MappingProxyType(
    {
        "communication": "loads:explore_communication",
        "lattice": "loads:explore_lattice",
        "program": "loads:explore_program",
        "traffic": "loads:explore_program",
        "placement": "loads:explore_placement",
        "movement": "steps:explore_movement",
        "routed": "steps:explore_routed",
        "self-routing": "steps:explore_self_routing",
        "certificate": "steps:explore_certificate",
        "comparison": "steps:explore_comparison",
        "schedule": "steps:explore_schedule",
        "worms": "steps:explore_worms",
        "machine": "degrees:explore_machine",
        "degree": "degrees:explore_degree",
        "envelope": "degrees:explore_envelope",
    }
)
"""For every view (`lccmodel.show.view_registry.VIEWS`): the module here and its function."""


@typed_arguments
def explore(thing: Any, **given: Any) -> Exploration:
    """Return controls for a thing, with its picture for each choice; widgets in JupyterLab.

    Args:
        thing: a communication (its order and network), a program, traffic, mapping, placement or
            correction lattice; a movement, a routed permutation or a comparison (step by
            step, message by message); a schedule; worms (`wormhole.trace`); a machine or a
            best degree (T against Q); the best collective from size to size (T against m).
        given: `network`, an object or a word, for a communication, program or traffic; for a
            machine `N`, the items of a dimension, and `of`, see `degrees.explore_machine`.

    Raises:
        InputError: another kind of thing, or another argument.

    >>> from lccmodel import catalog, compare
    >>> explore(compare(catalog.bit_reverse(3))["hl"]).words(step=1, message=1)
    'step 1 of 3: 4 messages move, load 1, occupancy 2; message 1 to 4 stands at 0'
    >>> explore("cube:4")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: thing: must be a communication, or a result of lccmodel that \
can be explored, such as a schedule; got 'cube:4'
    """
    view = getattr(type(thing), "_view", "")
    if view not in EXPLORERS:
        rule = (
            "must be a communication, or a result of lccmodel that can be explored, "
            "such as a schedule"
        )
        raise InputError("thing", rule, thing)
    module, _, name = EXPLORERS[view].partition(":")
    explorer = getattr(importlib.import_module(f"lccmodel.exploration.{module}"), name)
    names = explorer.__code__.co_varnames[1 : explorer.__code__.co_argcount]
    for other in set(given) - set(names):
        rule = f"is not an argument here; {', '.join(names) or 'nothing'} can be given"
        raise InputError(other, rule, given[other])
    shown: Exploration = explorer(thing, **given)
    return shown
