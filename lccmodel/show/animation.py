"""Moving pictures: messages, a schedule, worms, step by step; a GIF, or a page with a slider.

A frame of a movement shows what every channel carries in one step, all frames on one scale; the
last one shows all steps together. The same movement gives the same bytes. A page fetches nothing:
every picture is a PNG inside of it, and without scripts the first one is there.
"""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.movement import Movement
from lccmodel.movement.jumps import Jumps
from lccmodel.network import ChannelLoads
from lccmodel.pipelining.schedules import Schedule
from lccmodel.show.network_artists import LoadScale
from lccmodel.show.style import png_bytes
from lccmodel.wormhole.tracing import Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_FRAMES = 256
"""Most pictures of one animation."""

_DPI = 90
_SECONDS, _LAST_SECONDS = 1.0, 3.0
"""How long a picture is shown, and the last one."""

_T = TypeVar("_T")


def animation_bytes(frames: Iterable[Figure], seconds: float = _SECONDS) -> bytes:
    """Pictures one after the other as a GIF that starts again at its end.

    Args:
        frames: at least one, all of one size.
        seconds: how long a picture is shown, at least 0.02; the last one is shown longer.

    Raises:
        InputError: not a picture, or too short a time.
        SizeLimitError: more than 256 pictures.

    >>> from matplotlib.figure import Figure
    >>> animation_bytes([Figure((1, 1)), Figure((1, 1))])[:6]
    b'GIF89a'
    """
    from PIL import Image

    def picture(figure: Figure) -> Image.Image:
        shown = Image.fromarray(_pixels(figure))
        return shown.convert("P", palette=Image.Palette.ADAPTIVE, colors=128)

    pictures = _pictures(frames, seconds, picture)
    shown = [round(1000 * seconds)] * len(pictures)
    shown[-1] = max(shown[-1], round(1000 * _LAST_SECONDS))
    target = io.BytesIO()
    first, *rest = pictures
    first.save(target, "GIF", save_all=True, append_images=rest, duration=shown, loop=0)
    return target.getvalue()


def animation_page(frames: Iterable[Figure], title: str = "", seconds: float = _SECONDS) -> str:
    """Pictures as a page with a slider and a button.

    Args:
        frames: at least one.
        title: of the page.
        seconds: how long a picture is shown when it plays, at least 0.02.

    Raises:
        InputError: not a picture, or too short a time.
        SizeLimitError: more than 256 pictures.

    >>> from matplotlib.figure import Figure
    >>> page = animation_page([Figure((1, 1)), Figure((1, 1))], "two")
    >>> page.count("data:image/png;base64,"), 'max="1"' in page, "http" in page
    (3, True, False)
    """

    def picture(figure: Figure) -> str:
        content = png_bytes(figure, _DPI, {"Software": None})  # the same figure, the same bytes
        return "data:image/png;base64," + base64.b64encode(content).decode()

    pictures = _pictures(frames, seconds, picture)
    return _PAGE.format(
        title=html.escape(title or "lccmodel"),
        first=pictures[0],
        last=len(pictures) - 1,
        count=len(pictures),
        pictures=",\n".join(f'"{picture}"' for picture in pictures),
        milliseconds=round(1000 * seconds),
    )


def _pictures(
    frames: Iterable[Figure], seconds: float, picture: Callable[[Figure], _T]
) -> list[_T]:
    if not 0.02 <= seconds <= 600:
        raise InputError("seconds", "must be in 0.02..600", seconds)
    pictures: list[_T] = []
    for figure in frames:
        if len(pictures) == MAX_FRAMES:
            rule = f"at most {MAX_FRAMES} pictures are animated"
            raise SizeLimitError("frames", rule, f"more than {MAX_FRAMES}")
        pictures.append(picture(figure))
    if not pictures:
        raise InputError("frames", "must be at least one picture", 0)
    return pictures


def _pixels(figure: Figure) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(_DPI)
    canvas: Any = FigureCanvasAgg(figure)  # its methods carry no types
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()


def movement_frames(movement: Movement, title: str = "") -> Iterator[Figure]:
    """What every channel carries in every step, and at last in all of them together.

    Args:
        movement: of any method, on any network that can be drawn.
        title: what is moved.

    Raises:
        SizeLimitError: more steps than pictures.

    >>> from lccmodel import LCC
    >>> moved = Movement.along(LCC([[0, 1], [1, 0]]), [0, 1])
    >>> [figure.axes[0].get_title() for figure in movement_frames(moved)][1]
    'step 2 of 2: 2 messages move, load 1, occupancy 1'
    """
    if movement.steps >= MAX_FRAMES:
        rule = f"movements of less than {MAX_FRAMES} steps are animated"
        raise SizeLimitError("steps", rule, movement.steps)
    whole = movement.channel_use
    scale = LoadScale(1, whole.degree)
    before = f"{title}, " if title else ""
    for step in range(movement.steps):
        text = (
            f"{before}step {step + 1} of {movement.steps}: {movement.moves[step]} messages move, "
            f"load {movement.loads[step]}, occupancy {movement.occupancies[step + 1]}"
        )
        yield _frame(step_loads(movement, step), scale, text)
    yield _frame(whole, scale, f"{before}all steps: busiest channel {whole.degree}")


def step_loads(movement: Jumps, step: int) -> ChannelLoads:
    """What every channel carries in one step."""
    jumps = slice(int(movement.first[step]), int(movement.first[step + 1]))
    messages = movement.message[jumps]
    ties = movement.ties
    alone = Movement(
        movement.network,
        movement.origin[jumps],
        np.array([0, len(messages)]),
        np.arange(len(messages)),
        movement.target[jumps],
        ties if isinstance(ties, str) or len(ties) == 1 else ties[messages],
    )
    return alone.channel_use


def _frame(loads: ChannelLoads, scale: LoadScale, title: str) -> Figure:
    from lccmodel.show.drawing import draw_loads, draw_network
    from lccmodel.show.node_positions import is_readable

    if is_readable(loads.network):
        return draw_network(loads.network, loads, title=title, scale=scale, legend=False)
    return draw_loads(loads, title=title, scale=scale)


def schedule_frames(schedule: Schedule, plane: Mapping[int, int] | None = None) -> Iterator[Figure]:
    """The messages of every step of a schedule, drawn as by `draw_step`.

    Args:
        schedule: of at least one step.
        plane: as for `draw_step`.

    Raises:
        InputError: no steps.
        SizeLimitError: more steps than pictures, or more than 256 nodes in a plane.
    """
    from lccmodel.show.schedule_drawing import draw_step

    if not schedule.length:
        raise InputError("schedule", "must have a step to show", schedule)
    if schedule.length > MAX_FRAMES:
        rule = f"schedules of at most {MAX_FRAMES} steps are animated"
        raise SizeLimitError("steps", rule, schedule.length)
    for step in range(schedule.length):
        count = len(schedule.messages(step))
        title = f"step {step}, {step + 1} of {schedule.length}: {count} messages"
        yield draw_step(schedule, step, plane=plane, title=title, legend=False)


def worm_frames(trace: Trace) -> Iterator[Figure]:
    """Every cycle of worms, drawn as by `draw_worms_at`.

    Raises:
        SizeLimitError: more cycles than pictures.
    """
    from lccmodel.show.worm_drawing import draw_worms_at

    if trace.cycles > MAX_FRAMES:
        rule = f"at most {MAX_FRAMES} cycles are animated"
        raise SizeLimitError("cycles", rule, trace.cycles)
    for cycle in range(1, trace.cycles + 1):
        yield draw_worms_at(trace, cycle)


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px system-ui, sans-serif; margin: 1rem auto; max-width: 60rem; padding: 0 1rem }}
img {{ max-width: 100%; height: auto; display: block }}
div {{ display: flex; gap: 1rem; align-items: center; margin: 0.5rem 0 }}
input {{ flex: 1 }}
</style>
</head>
<body>
<div>
<button id="play" type="button">Play</button>
<input id="step" type="range" min="0" max="{last}" value="0" aria-label="picture">
<output id="shown" for="step">1 of {count}</output>
</div>
<img id="picture" src="{first}" alt="{title}">
<script>
const pictures = [
{pictures}
];
const [play, step, shown, picture] = ["play", "step", "shown", "picture"].map(
  (name) => document.getElementById(name));
let timer = null;
function show() {{
  picture.src = pictures[step.value];
  shown.value = `${{Number(step.value) + 1}} of ${{pictures.length}}`;
}}
function stop() {{ clearInterval(timer); timer = null; play.textContent = "Play"; }}
step.addEventListener("input", () => {{ stop(); show(); }});
play.addEventListener("click", () => {{
  if (timer !== null) {{ stop(); return; }}
  play.textContent = "Stop";
  timer = setInterval(() => {{
    step.value = (Number(step.value) + 1) % pictures.length;
    show();
  }}, {milliseconds});
}});
</script>
</body>
</html>
"""
