"""Fig. 2 of [boppana] and its kin show every tag of the trace, and every move as an arrow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from matplotlib.patches import FancyArrowPatch

from lccmodel import LCC, Mesh, Torus, catalog
from lccmodel.errors import InputError
from lccmodel.permutations.self_routing import self_route
from lccmodel.show.panels import Panel, draw_panels
from lccmodel.show.routing_drawing import draw_self_routing

FIG2 = LCC([[0, 1, 0], [1, 0, 1], [1, 1, 0]], [1, 1, 0])


def drawn_tags(axes: Any) -> Counter[tuple[int, int]]:
    """(node, tag in binary) of every tag that is written."""
    named = ((str(text.get_gid()), text.get_text()) for text in axes.texts)
    found = ((gid, text) for gid, text in named if gid.startswith("tag-"))
    return Counter((int(gid.split("-")[1]), int(text, 2)) for gid, text in found)


def drawn_arrows(axes: Any) -> set[tuple[int, int]]:
    gids = [patch.get_gid() for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    assert len(set(gids)) == len(gids)
    return {(int(u), int(v)) for _, u, v in (gid.split("-") for gid in gids)}


@pytest.mark.parametrize(
    "sent",
    [
        (FIG2,),
        (catalog.bit_reverse(4),),
        ([0, 1, 2, 4, 3, 7, 5, 6], "mimd"),
        ([1, 0],),
    ],
    ids=["fig2", "bit-reverse-4", "mimd", "two"],
)
def test_panels_show_the_trace(sent: Any) -> None:
    trace = self_route(*sent)
    figure = draw_self_routing(trace)
    assert len(figure.axes) == trace.steps + 1
    for step, axes in enumerate(figure.axes):
        shown = Counter(
            (u, tag) for u, tags in enumerate(trace.tags[step].tolist()) for tag in tags if tag >= 0
        )
        assert drawn_tags(axes) == shown
        moved = set()
        if step:
            before, after = trace.movement.positions[step - 1 : step + 1].tolist()
            moved = {(u, v) for u, v in zip(before, after, strict=True) if u != v}
        assert drawn_arrows(axes) == moved
        assert f"state {trace.states[step]}" in axes.get_title()


def test_meshes_and_what_was_not_delivered(tmp_path: Any) -> None:
    grid = draw_self_routing(self_route(catalog.matrix_transpose(4), network=Mesh((4, 4))))
    texts = {text.get_text() for text in grid.axes[-1].texts if text.get_gid() == "tag-13"}
    assert texts == {"13"}
    assert "mesh:4x4" in grid.get_suptitle()
    stuck = draw_self_routing(self_route([0, 1, 2, 4, 3, 7, 5, 6]))
    assert "not delivered: in step 2" in stuck.get_suptitle()
    assert len(stuck.axes) == 2
    ring = draw_self_routing(self_route(catalog.bit_reverse(6), network=Torus((64,))), columns=1)
    assert len(ring.axes) == 7
    stuck.savefig(tmp_path / "stuck.svg")
    assert "arrow-4-5" in (tmp_path / "stuck.svg").read_text()


@pytest.mark.parametrize("gap", [0.01, 1.0, 5.0])
def test_boxes_do_not_touch(gap: float) -> None:
    """However close the nodes and long the texts are."""
    panel = Panel("long", {0: ["a tag of many characters"], 1: ["b"] * 5, 2: []})
    figure = draw_panels({0: (0, 0), 1: (gap, 0), 2: (0, gap)}, [panel], links=[(0, 1)])
    boxes = [p.get_bbox() for p in figure.axes[0].patches]
    assert len(boxes) == 3
    assert not any(box.overlaps(other) for box, other in combinations(boxes, 2))


def panels(*given: Panel, **options: Any) -> Any:
    return draw_panels({0: (0, 0)}, list(given), **options)


def routed(n: int, network: Mesh | None = None) -> Any:
    return draw_self_routing(self_route(catalog.identity(n), network=network))


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: routed(5), "n = 4"),
        (lambda: routed(7, Mesh((16, 8))), "64 nodes"),
        (lambda: routed(4, Mesh((4, 2, 2))), "one or two axes"),
        (panels, "panels"),
        (lambda: panels(Panel("t", {1: []})), "1"),
        (lambda: panels(Panel("t", {}, [(0, 5)])), "5"),
        (lambda: panels(Panel("t", {}), links=[(0, 3)]), "3"),
        (lambda: panels(Panel("t", {}), columns=0), "columns"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: Callable[[], Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        draw()
