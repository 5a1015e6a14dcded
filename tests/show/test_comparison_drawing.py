"""Figures of routing methods show the loads, occupancies, tags and registers they are made of."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.patches import FancyArrowPatch, StepPatch

from lccmodel import LCC, Mesh, catalog
from lccmodel.errors import InputError
from lccmodel.permutations.comparison import compare, with_reordering
from lccmodel.permutations.routing_methods import (
    by_conditional_exchanges,
    by_dimension_order,
    by_self_routing,
    by_simd_mesh,
)
from lccmodel.permutations.simd_mesh import MeshPlan
from lccmodel.show.routing_drawing import (
    draw_comparison,
    draw_routed,
)
from lccmodel.show.style import check_figure

ASTRAY = [0, 1, 2, 4, 3, 7, 5, 6]
EXAMPLE_3 = LCC([[0, 0, 1], [1, 0, 0], [0, 1, 0]])


def ticks(axes: Any) -> list[str]:
    return [label.get_text() for label in axes.get_xticklabels()]


@pytest.mark.parametrize("c", [catalog.matrix_transpose(6), catalog.identity(2), ASTRAY], ids=str)
def test_a_panel_a_method_with_its_walk(c: LCC | list[int]) -> None:
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


def test_bits_that_differ_by_node_stand_one_above_the_other() -> None:
    routing = by_self_routing(catalog.bit_reverse(7), None, "mimd")
    (axes,) = draw_routed(routing).axes
    assert "0\n1\n2" in ticks(axes)[0]


@pytest.mark.parametrize(
    "made",
    [
        lambda: by_conditional_exchanges(catalog.build("gray-code", 3)),
        lambda: by_dimension_order(catalog.bit_reverse(4), Mesh((4, 4))),
    ],
    ids=["cube", "mesh"],
)
def test_small_networks_are_drawn_with_their_tags(made: Any) -> None:
    routing = made()
    figure = draw_routed(routing, "p")
    assert len(figure.axes) == routing.steps + 1
    base = 10 if routing.mesh else 2
    for step, axes in enumerate(figure.axes):
        shown = {
            (int(gid.split("-")[1]), int(text.get_text(), base))
            for text in axes.texts
            if (gid := text.get_gid() or "").startswith("tag-")
        }
        positions = routing.movement.positions[step].tolist()
        assert shown == set(zip(positions, routing.destinations.tolist(), strict=True))
        arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
        before, after = routing.movement.positions[[max(step - 1, 0), step]].tolist()
        moves = {(u, v) for u, v in zip(before, after, strict=True) if u != v}
        assert len(arrows) == len(moves)
    assert figure.get_suptitle() == f"p by {routing.title}"


def test_registers_of_example_3_after_every_pass() -> None:
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
        names = ((str(text.get_gid()), text.get_text()) for text in axes.texts)
        expected = {
            (f"tag-{u}", f"{letter}{x:03b}")
            for letter, data in zip("de", done.settled.tolist(), strict=True)
            for u, x in enumerate(data)
            if x >= 0
        }
        assert {(gid, text) for gid, text in names if gid.startswith("tag-")} == expected
    labels = [t for t in figure.axes[0].texts if str(t.get_gid()).startswith("label-")]
    places = {label.get_text(): label.get_position() for label in labels}
    assert places["000"][1] > places["010"][1]  # row 0 above row 1
    assert places["000"][0] < places["001"][0] < places["100"][0]


def test_large_or_deep_networks_show_the_walk() -> None:
    for routing in (
        by_simd_mesh(catalog.bit_reverse(8), Mesh((16, 16))),
        by_dimension_order(catalog.bit_reverse(6), Mesh((4, 4, 4))),
        by_dimension_order(catalog.bit_reverse(5)),
    ):
        (axes,) = draw_routed(routing).axes
        assert axes.get_title() == f"{routing.title}: {routing.rounds} rounds"


def test_nothing_to_draw_and_other_suffixes_are_refused() -> None:
    with pytest.raises(InputError, match="must have a walk"):
        draw_routed(compare(catalog.bit_reverse(2))["exchange"])
    with pytest.raises(InputError, match=r"\.png, \.pdf or \.svg"):
        check_figure("walks.jpg")
    assert check_figure("A.SVG") == ".svg"
