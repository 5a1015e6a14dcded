"""Fig. 2 of [boppana] and its kin show every tag of the trace, and every move as an arrow."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from matplotlib.patches import FancyArrowPatch

from lccmodel import LCC, Mesh, Torus, catalog
from lccmodel.errors import InputError, NetworkError, SizeLimitError
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


def test_figure_2_as_printed() -> None:
    """The senders of the first step, the pairs after it, and the exchanges of the last."""
    axes = draw_self_routing(self_route(FIG2), columns=2).axes
    assert drawn_arrows(axes[1]) == {(0, 1), (3, 2), (4, 5), (7, 6)}
    assert drawn_tags(axes[1])[1, 0b101] == drawn_tags(axes[1])[1, 0b011] == 1
    assert drawn_arrows(axes[3]) == {(1, 5), (5, 1), (2, 6), (6, 2)}
    assert [ax.get_title() for ax in axes] == [
        "before routing: state A",
        "step 1, bit 0: state B",
        "step 2, bit 1: state A",
        "step 3, bit 2: state A",
    ]


def test_meshes_and_what_was_not_delivered(tmp_path: Any) -> None:
    grid = draw_self_routing(self_route(catalog.matrix_transpose(4), network=Mesh((4, 4))))
    texts = {text.get_text() for text in grid.axes[-1].texts if text.get_gid() == "tag-13"}
    assert texts == {"13"}
    assert "mesh:4x4" in grid.get_suptitle()
    stuck = draw_self_routing(self_route([0, 1, 2, 4, 3, 7, 5, 6]))
    assert "not delivered: in step 2" in stuck.get_suptitle()
    assert len(stuck.axes) == 2
    long_way = draw_self_routing(
        self_route(catalog.bit_reverse(6), network=Torus((64,))), columns=1
    )
    assert len(long_way.axes) == 7
    stuck.savefig(tmp_path / "stuck.svg")
    assert "arrow-4-5" in (tmp_path / "stuck.svg").read_text()


def test_boxes_do_not_touch() -> None:
    """However close the nodes and long the texts are."""
    for gap in (0.01, 1.0, 5.0):
        panel = Panel("long", {0: ["a tag of many characters"], 1: ["b"] * 5, 2: []})
        figure = draw_panels({0: (0, 0), 1: (gap, 0), 2: (0, gap)}, [panel], links=[(0, 1)])
        boxes = [p.get_bbox() for p in figure.axes[0].patches]
        assert len(boxes) == 3
        for k, box in enumerate(boxes):
            assert not any(box.overlaps(other) for other in boxes[:k])


def test_any_movement_of_data() -> None:
    """A pass on a row of three nodes: names, lines, links and arrows are the caller's."""
    panel = Panel("pass", {0: ["x"], 2: ["y", "z"]}, [(0, 2), (1, 1)])
    figure = draw_panels({0: (0, 0), 1: (1, 0), 2: (2, 0)}, [panel], names={0: "a", 1: "b", 2: "c"})
    (axes,) = figure.axes
    assert drawn_arrows(axes) == {(0, 2)}
    written = [text.get_text() for text in axes.texts]
    assert sorted(written) == ["a", "b", "c", "x", "y", "z"]
    assert len(draw_panels({7: (0, 0)}, [Panel("alone", {7: ["t"]})]).axes) == 1


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(SizeLimitError, match="n = 4"):
        draw_self_routing(self_route(catalog.identity(5)))
    with pytest.raises(SizeLimitError, match="64 nodes"):
        draw_self_routing(self_route(catalog.identity(7), network=Mesh((16, 8))))
    with pytest.raises(NetworkError, match="one or two axes"):
        draw_self_routing(self_route(catalog.identity(4), network=Mesh((4, 2, 2))))
    for panels, links in (
        ([], []),
        ([Panel("t", {1: []})], []),
        ([Panel("t", {}, [(0, 5)])], []),
        ([Panel("t", {})], [(0, 3)]),
    ):
        with pytest.raises(InputError):
            draw_panels({0: (0, 0)}, panels, links=links)
    with pytest.raises(InputError, match="columns"):
        draw_panels({0: (0, 0)}, [Panel("t", {})], columns=0)
