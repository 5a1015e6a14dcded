"""How the dimensions of a task look in drawings, and the words and legends that go with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lccmodel.pipelining.task import Task
from lccmodel.show import marks
from lccmodel.show.style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

# Okabe and Ito's palette; line styles and hatches take over when it is used up.
_COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE, BLACK)
_STYLES = ("-", (0, (4, 1.2)), (0, (1.2, 1)))
_HATCHES = ("", "///", "...")


def look(dimension: int) -> tuple[str, Any]:
    """Colour and line style.

    >>> look(0), look(7)
    (('#0072B2', '-'), ('#0072B2', (0, (4, 1.2))))
    """
    turn, colour = divmod(dimension, len(_COLOURS))
    return _COLOURS[colour], _STYLES[turn % len(_STYLES)]


def hatch(dimension: int) -> str:
    """The hatch of a bar, which tells apart what has one colour."""
    return _HATCHES[dimension // len(_COLOURS) % len(_HATCHES)]


def arrow_handles(dimensions: Iterable[int]) -> list[Artist]:
    """What a legend shows of messages."""
    from matplotlib.lines import Line2D

    looks = ((k, *look(k)) for k in dimensions)
    return [
        Line2D([], [], color=colour, linestyle=style, lw=1.8, label=_word(k))
        for k, colour, style in looks
    ]


def bar_handles(dimensions: Iterable[int]) -> list[Artist]:
    """What a legend shows of loads."""
    from matplotlib.patches import Patch

    return [
        Patch(facecolor=look(k)[0], hatch=hatch(k), edgecolor="white", label=_word(k))
        for k in dimensions
    ]


def legend_below(figure: Figure, handles: Sequence[Artist]) -> None:
    """One legend for all panels, as wide as the figure."""
    columns = max(1, min(len(handles), int(figure.get_figwidth() / 1.4)))
    style = marks.legend_style(None)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, **style)


def task_words(task: Task) -> str:
    """The task and its network, for titles.

    >>> task_words(Task(3, 4, "mesh:16x16")), task_words(Task(0, 1, "torus:8"))
    ('⟨3,4⟩ with c = 2 on a 16×16 mesh', '⟨0,1⟩ with c = 1 on a torus of 8 nodes')
    """
    shape = "×".join(map(str, task.mesh.shape))
    kind = task.mesh.kind
    where = f"{shape} {kind}" if task.c > 1 else f"{kind} of {shape} nodes"
    return f"⟨{task.i},{task.M}⟩ with c = {task.c} on a {where}"


def _word(dimension: int) -> str:
    return f"dimension {dimension}"
