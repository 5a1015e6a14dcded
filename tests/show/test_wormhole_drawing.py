"""Figures of simulations and of worms show the numbers that they are made of."""

from dataclasses import replace

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from lccmodel.communication.catalog import build
from lccmodel.errors import InputError
from lccmodel.network import BristledHypercube, Hypercube, Mesh, Torus
from lccmodel.show.worm_drawing import draw_worms, occupancy_table, worms_table
from lccmodel.show.wormhole_drawing import STATED, draw_channel_use, draw_curves
from lccmodel.wormhole.curves import curve
from lccmodel.wormhole.simulation import simulate
from lccmodel.wormhole.tracing import trace
from tests.show.pictures import faults

C, CUBE = build("bit-reverse", 4), Hypercube(4)
MAPPED = (0, 3, 1, 2)


def artists(figure, kind):
    """{group id without the kind: artist}."""
    drawn = [artist for axes in figure.axes for artist in axes.get_children()]
    named = {artist.get_gid() or "": artist for artist in drawn}
    return {
        gid.removeprefix(f"{kind}-"): artist
        for gid, artist in named.items()
        if gid.startswith(f"{kind}-")
    }


@pytest.fixture(scope="module")
def curves():
    loads = (0.1, 0.3, 0.5, 0.7)
    return [
        curve(C, CUBE, loads=loads, cycles=3_000, mapping=order, label=label)
        for label, order in (("plain", None), ("M-S", MAPPED))
    ]


def test_a_curve_is_its_sustained_points_and_an_arrow(curves):
    figure = draw_curves(curves, 5)
    lines = artists(figure, "curve")
    for one in curves:
        x, y = lines[one.label].get_data()
        assert list(x) == [point.throughput for point in one.sustained]
        assert list(y) == [point.latency for point in one.sustained]
    assert set(artists(figure, "overload")) == {c.label for c in curves if c.overload}
    assert "plain" in artists(figure, "overload")
    stated = artists(figure, "stated")
    assert sorted(map(float, stated)) == [s.throughput for s in STATED[5]] == [0.125, 0.3, 0.5, 1.0]


def test_a_curve_without_sustained_points_is_an_arrow_and_one_without_points_nothing(curves):
    axes = Figure().subplots()
    draw_curves(curves[:1], ax=axes, title="mine")
    assert axes.get_title() == "mine"
    assert not artists(axes.figure, "stated")
    only_saturated = curve(C, CUBE, loads=(0.9,), cycles=2_000)
    arrow = artists(draw_curves([only_saturated]), "overload")["e-cube"]
    assert arrow.xy[0] == only_saturated.points[0].throughput > 0
    assert not artists(draw_curves([curve(C, CUBE, loads=(0.001,), cycles=10)]), "overload")


def test_channel_use_before_and_after():
    before, after = (
        simulate(C, CUBE, load=0.3, cycles=2_000, mapping=order) for order in (None, MAPPED)
    )
    figure = draw_channel_use(before, after, titles=("e-cube", "M-S"))
    images = [axes.get_images()[0] for axes in figure.axes if axes.get_images()]
    assert len(images) == 2
    for image, result in zip(images, (before, after), strict=True):
        shown = image.get_array().filled(0.0)
        assert shown.shape == (4, 16)
        for link, used in enumerate(result.channel_use.tolist()):
            u, v, _ = result.fabric.ends(link)
            assert shown[(u ^ v).bit_length() - 1, u] == used
    assert images[0].get_clim() == images[1].get_clim() == (0, before.channel_use.max())


@pytest.mark.parametrize("network", [Mesh((4, 4)), Torus((4, 4)), BristledHypercube(4)])
def test_channel_use_of_other_networks(network):
    result = simulate(C, network, "dimension-order", load=0.1, cycles=1_000)
    assert draw_channel_use(result, result).axes


def test_every_cell_of_a_worm_chart_is_a_flit_in_a_buffer():
    found = trace([(1, 7), (0, 7), (2, 3, 3)], Hypercube(3), flits=4)
    figure = draw_worms(found)
    cells = artists(figure, "worm")
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    drawn = set()
    for gid, cell in cells.items():
        m, flit, cycle = map(int, gid.split("-"))
        name = rows[round(cell.get_y() + 0.42)]
        column = found.names.index(name)
        assert found.holder[cycle - 1, column] == m
        assert found.flit[cycle - 1, column] == flit
        assert bool(cell.get_hatch()) == (cycle in found.worms[m].blocked)
        drawn.add((cycle, name))
    assert len(drawn) == (found.holder >= 0).sum()
    assert any(cell.get_hatch() for cell in cells.values())


@pytest.mark.parametrize("count", [2, 12, 24])
def test_a_message_has_the_colour_that_the_legend_gives_it(count):
    pairs = [(x, x ^ 31) for x in range(count)]
    found = trace(pairs, Hypercube(5), flits=2)
    axes = draw_worms(found).axes[0]
    colours = {}
    for patch in axes.patches:
        if (name := patch.get_gid()) is not None:
            colours.setdefault(int(name.split("-")[1]), set()).add(patch.get_facecolor())
    assert sorted(colours) == list(range(count))
    assert len(set.union(*colours.values())) == count
    legend = axes.get_legend()
    faces = [patch.get_facecolor() for patch in legend.get_patches()]
    named = dict(zip(map(Text.get_text, legend.get_texts()), faces, strict=True))
    for m, worm in enumerate(found.worms):
        assert colours[m] == {named[f"{worm.source} to {worm.destination}"]}


def test_colours_that_are_shared_name_no_message():
    found = trace([(x, x ^ 31) for x in range(32)], Hypercube(5), flits=2)
    texts = [text.get_text() for text in draw_worms(found).axes[0].get_legend().get_texts()]
    assert texts == ["32 messages in 24 colours", "header", "waits"]


def test_tables_of_a_trace_by_hand():
    found = trace([(1, 3), (0, 3)], Hypercube(2), flits=3)
    first, second = worms_table(found).records()
    assert (first["delivered"], first["blocked"], second["delivered"]) == (5, 0, 9)
    assert second["blocked"] == 3
    assert second["path"] == "in 0 1, 0->1 2, 1->3 6, out 3 7"
    stays = {
        (r["channel"], r["message"]): (r["first"], r["last"])
        for r in occupancy_table(found).records()
    }
    assert stays[("1->3", 0)] == (2, 4)
    assert stays[("1->3", 1)] == (6, 8)
    assert stays[("0->1", 1)] == (2, 7)
    assert len(stays) == 7


def test_stuck_worms_are_hatched_to_the_end():
    ring = [(0, 2), (1, 3), (2, 0), (3, 1)]
    found = trace(ring, Torus((4,)), "dimension-order-one-channel")
    cells = artists(draw_worms(found), "worm")
    last = [cell for gid, cell in cells.items() if gid.endswith(f"-{found.cycles}")]
    assert len(last) == 8
    assert all(cell.get_hatch() for cell in last)
    assert "4 of 4 messages never arrive" in worms_table(found).render()


ACROSS = [(x, x ^ 127) for x in range(64)]


def small_and_large():
    small = simulate(build("bit-reverse", 3), Hypercube(3), cycles=500)
    return draw_channel_use(small, simulate(C, CUBE, cycles=500))


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda curves: draw_curves([]), "curves"),
        (lambda curves: draw_curves(curves, 8), "printed"),
        (lambda curves: small_and_large(), "after"),
        (lambda curves: draw_worms(trace(ACROSS, Hypercube(7), flits=40)), "trace"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, words, curves):
    with pytest.raises(InputError, match=words):
        draw(curves)


def test_no_text_of_a_figure_is_cut_off_or_over_another(curves):
    """Nine curves with long names and the four lines of [hou, Fig. 5], as the report draws them."""
    long = [replace(curves[0], label=f"routing {k} (reconstructed)") for k in range(9)]
    figure = draw_curves(long, 5, title="Fig. 5")
    assert len(figure.legends[0].get_texts()) == 9
    assert list(faults(figure)) == []
