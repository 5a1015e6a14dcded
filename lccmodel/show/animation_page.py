"""Moving pictures as one HTML file: a slider, and a button that plays; nothing is fetched.

Every picture is a PNG inside the file, so that it can be mailed, or shown in a frame of a page.
Without scripts the first picture is there.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.show.animation import MAX_FRAMES, SECONDS
from lccmodel.show.style import png_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI = 90


def animation_page(frames: Iterable[Figure], title: str = "", seconds: float = SECONDS) -> str:
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
    if not 0.02 <= seconds <= 600:
        raise InputError("seconds", "must be in 0.02..600", seconds)
    pictures: list[str] = []
    for figure in frames:
        if len(pictures) == MAX_FRAMES:
            rule = f"at most {MAX_FRAMES} pictures are animated"
            raise SizeLimitError("frames", rule, f"more than {MAX_FRAMES}")
        pictures.append(_picture(figure))
    if not pictures:
        raise InputError("frames", "must be at least one picture", 0)
    listed = ",\n".join(f'"{picture}"' for picture in pictures)
    return _PAGE.format(
        title=html.escape(title or "lccmodel"),
        first=pictures[0],
        last=len(pictures) - 1,
        count=len(pictures),
        pictures=listed,
        milliseconds=round(1000 * seconds),
    )


def _picture(figure: Figure) -> str:
    """A PNG as a data address; without a date, so that the same figure gives the same bytes."""
    content = png_bytes(figure, _DPI, {"Software": None})
    return "data:image/png;base64," + base64.b64encode(content).decode()


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
