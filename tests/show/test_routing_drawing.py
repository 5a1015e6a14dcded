"""Figures of routings show the loads, occupancies, tags and registers they are made of.

Fig. 2 of [boppana] and its kin show every tag of the trace, and every move as an arrow.
"""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from matplotlib.patches import FancyArrowPatch, StepPatch

from lccmodel import LCC, Mesh, Torus, catalog
from lccmodel.errors import InputError
from lccmodel.permutations.comparison import compare, with_reordering
from lccmodel.permutations.routing_methods import (
    by_conditional_exchanges,
    by_dimension_order,
    by_self_routing,
    by_simd_mesh,
)
from lccmodel.permutations.self_routing import SelfRouting, self_route
from lccmodel.permutations.simd_mesh import MeshPlan
from lccmodel.show.panels import Panel, draw_panels
from lccmodel.show.routing_drawing import draw_comparison, draw_routed, draw_self_routing
from lccmodel.show.style import check_figure

ASTRAY = [0, 1, 2, 4, 3, 7, 5, 6]
FIG2 = LCC([[0, 1, 0], [1, 0, 1], [1, 1, 0]], [1, 1, 0])
EXAMPLE_3 = LCC([[0, 0, 1], [1, 0, 0], [0, 1, 0]])


def drawn_tags(axes: Any) -> Counter[tuple[int, str]]:
    named = ((str(text.get_gid()), text.get_text()) for text in axes.texts)
    return Counter((int(gid[4:].split("-")[0]), t) for gid, t in named if gid.startswith("tag-"))


def drawn_arrows(axes: Any) -> Counter[tuple[int, ...]]:
    gids = [patch.get_gid() for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    return Counter(tuple(map(int, str(gid).split("-")[1:])) for gid in gids)


def ticks(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_xticklabels()]


@pytest.mark.parametrize("c", [catalog.matrix_transpose(6), catalog.identity(2), ASTRAY], ids=str)
def test_a_panel_a_method_with_its_walk(c):
    comparison = with_reordering(compare(c))
    figure = draw_comparison(comparison)
    most = max(max(r.movement.occupancies) for r in comparison.values() if r.movement is not None)
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    for axes, routing in zip(figure.axes, comparison.values(), strict=True):
        heights = [label.get_text() for label in axes.get_yticklabels()]
        assert (*heights[:2], heights[-1]) == ("0", "1", str(most))
        assert sorted(set(heights), key=int) == heights
        assert axes.get_title().startswith(f"{routing.title}: ")
        if routing.movement is None:
            assert axes.texts[0].get_text() == routing.brief
            continue
        (held,) = [patch for patch in axes.patches if isinstance(patch, StepPatch)]
        assert tuple(held.get_data()[0]) == routing.movement.occupancies
        (marks,) = axes.lines
        assert list(marks.get_ydata()) == [max(load, 0.5) for load in routing.movement.loads]
        if routing.order is not None:
            assert ticks(axes) == [str(bit) for bit in routing.order]
        assert ("not delivered" in axes.get_title()) != routing.delivered
    assert figure.get_suptitle().endswith(f"on cube:{comparison.n}")


def test_bits_that_differ_by_node_stand_one_above_the_other():
    routing = by_self_routing(catalog.bit_reverse(7), None, "mimd")
    (axes,) = draw_routed(routing).axes
    assert "0\n1\n2" in ticks(axes)[0]


@pytest.mark.parametrize(
    "made",
    [
        lambda: by_self_routing(FIG2),
        lambda: by_self_routing(catalog.bit_reverse(4)),
        lambda: by_self_routing(ASTRAY, None, "mimd"),
        lambda: by_self_routing([1, 0]),
        lambda: by_conditional_exchanges(catalog.build("gray-code", 3)),
        lambda: by_dimension_order(catalog.bit_reverse(4), Mesh((4, 4))),
    ],
)
def test_small_networks_are_drawn_with_their_tags_and_moves(made):
    routing = made()
    figure = draw_routed(routing, "p")
    assert len(figure.axes) == routing.steps + 1
    form = "d" if routing.mesh else f"0{routing.n}b"
    tags = [f"{y:{form}}" for y in routing.destinations.tolist()]
    before = routing.movement.positions[0].tolist()
    for step, axes in enumerate(figure.axes):
        positions = routing.movement.positions[step].tolist()
        assert drawn_tags(axes) == Counter(zip(positions, tags, strict=True))
        moved = {(u, v) for u, v in zip(before, positions, strict=True) if u != v}
        assert drawn_arrows(axes) == Counter(moved)
        before = positions
        if isinstance(routing.made, SelfRouting):
            assert axes.get_title().startswith(f"step {step}, bit" if step else "before routing")
            assert f"state {routing.made.states[step]}" in axes.get_title()
    assert isinstance(routing.made, SelfRouting) or figure.get_suptitle() == f"p by {routing.title}"


def test_registers_of_example_3_after_every_pass():
    """[sibeyn, Example 3] on the mesh, row 0 on top."""
    routing = by_simd_mesh(EXAMPLE_3, Mesh((4, 2)), "shuffled-row-major")
    figure = draw_routed(routing)
    plan = routing.made
    assert isinstance(plan, MeshPlan)
    assert [axes.get_title() for axes in figure.axes] == [
        "initial situation",
        "pass 0, bit 1: down 1, up 1",
        "pass 1, bit 2: right 2, left 2",
        "pass 2, bit 0: right 1, left 1",
    ]
    for axes, done in zip(figure.axes[1:], plan.passes, strict=True):
        old, new = done.settled.tolist()
        registers = [(u, f"d{x:03b}") for u, x in enumerate(old) if x >= 0]
        registers += [(u, f"e{x:03b}") for u, x in enumerate(new) if x >= 0]
        assert drawn_tags(axes) == Counter(registers)
    labels = [t for t in figure.axes[0].texts if str(t.get_gid()).startswith("label-")]
    places = {label.get_text(): label.get_position() for label in labels}
    assert places["000"][1] > places["010"][1]  # row 0 above row 1
    assert places["000"][0] < places["001"][0] < places["100"][0]


def test_large_or_deep_networks_show_the_walk():
    for routing in (
        by_simd_mesh(catalog.bit_reverse(8), Mesh((16, 16))),
        by_dimension_order(catalog.bit_reverse(6), Mesh((4, 4, 4))),
        by_dimension_order(catalog.bit_reverse(5)),
    ):
        (axes,) = draw_routed(routing).axes
        assert axes.get_title() == f"{routing.title}: {routing.rounds} rounds"


def test_meshes_and_what_was_not_delivered(tmp_path):
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
def test_boxes_do_not_touch(gap):
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
        (lambda: draw_routed(compare(catalog.bit_reverse(2))["exchange"]), "must have a walk"),
        (lambda: check_figure("walks.jpg"), r"\.png, \.pdf or \.svg"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, words):
    with pytest.raises(InputError, match=words):
        draw()
