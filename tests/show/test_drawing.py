"""What stands in the figures: arrows, labels, colours, and their places."""

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch

from lccmodel import LCC, Traffic, catalog
from lccmodel.errors import InputError
from lccmodel.network import Allocation, ChannelLoads, Mesh, Network, parse_network
from lccmodel.show.drawing import (
    counted_in,
    draw_before_after,
    draw_channels,
    draw_loads,
    draw_network,
    draw_path,
)
from lccmodel.show.network_artists import LoadScale, colours
from lccmodel.show.node_positions import node_positions
from lccmodel.show.style import sized
from tests.choosing import sampled

DRAWABLE = [
    *(f"cube:{n}" for n in (1, 3, 4, 6)),
    *(f"origin:{n}" for n in (1, 2, 4, 6)),
    *("mesh:8", "mesh:4x4", "mesh:2x1x8", "mesh:8x8", "torus:2x2", "torus:8", "torus:4x8"),
]
drawable = pytest.mark.parametrize("spec", DRAWABLE)


def reversal(spec: str) -> ChannelLoads:
    """The loads of bit reversal, y_i = x_(n-1-i)."""
    network = parse_network(spec)
    return network.channel_loads(LCC(np.eye(network.n, dtype=int)[::-1]))


def arrow_patches(axes: Any) -> list[tuple[tuple[int, int], FancyArrowPatch]]:
    """The channels drawn as arrows, read from the group ids."""
    patches = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    ends = [str(patch.get_gid()).split("-")[1:] for patch in patches]
    return [((int(u), int(v)), patch) for (u, v), patch in zip(ends, patches, strict=True)]


def arrows(axes: Any) -> Counter[tuple[int, int]]:
    return Counter(channel for channel, _ in arrow_patches(axes))


def written_loads(axes: Any) -> dict[tuple[int, int], str]:
    named = ((text.get_gid() or "", text.get_text()) for text in axes.texts)
    parts = ((gid.split("-"), text) for gid, text in named if gid.startswith("load-"))
    return {(int(u), int(v)): text for (_, u, v), text in parts}


def words(texts: Any) -> list[str]:
    return [text.get_text() for text in texts]


def legend_words(axes: Any) -> list[str]:
    return words(axes.get_legend().get_texts()) if axes.get_legend() else []


def wraps(network: Network, u: int, v: int) -> bool:
    """Whether a channel of a torus goes round, from the coordinates of its ends."""
    if not isinstance(network, Mesh):
        return False
    ends = zip(network.coordinates(u), network.coordinates(v), strict=True)
    return any(abs(a - b) > 1 for a, b in ends)


@drawable
def test_nodes_and_links_are_drawn_once_and_used_channels_are_arrows(spec):
    """n_channels directed channels are half as many links; one that wraps around has two stubs."""
    network, loads = parse_network(spec), reversal(spec)
    (axes,) = draw_network(network).axes
    is_mesh = isinstance(network, Mesh)
    names = [str(x) if is_mesh else f"{x:0{network.n}b}" for x in range(network.size)]
    assert words(t for t in axes.texts if str(t.get_gid()).startswith("label-")) == names
    assert [patch.get_gid() for patch in axes.patches] == [f"node-{x}" for x in range(network.size)]
    lines = [c for c in axes.collections if isinstance(c, LineCollection)]
    links = {frozenset(e[:2]) for e in network.graph().edges(data="role") if e[2] != "port"}
    stubs = sum(wraps(network, *link) for link in links)
    assert sum(len(c.get_segments()) for c in lines) == len(links) + stubs
    assert network.n_channels == 2 * len(links)
    used = sorted({network.row_dimension(network.counter(*link)[0]) for link in links})
    assert legend_words(axes) == [f"{'axis' if is_mesh else 'dimension'} {k}" for k in used]
    assert len({tuple(c.get_color()[0]) for c in lines}) == len(lines) == len(used)
    assert len({str(c.get_linestyle()) for c in lines}) == len(used)
    (axes,) = draw_network(network, loads).axes
    assert arrows(axes) == {(u, v): 1 + wraps(network, u, v) for (u, v), _ in loads.items()}


@pytest.mark.parametrize(
    ("spec", "label_from", "least"),
    [
        *((spec, None, 1) for spec in ("cube:4", "origin:4", "mesh:4x4", "torus:4x4")),
        *(("cube:4", 2, 2), ("cube:6", None, 2), ("mesh:16x16", None, 15)),
    ],
)
def test_loads_are_written_beside_their_channels(spec, label_from, least):
    loads = reversal(spec)
    (axes,) = draw_network(loads.network, loads, label_from=label_from).axes
    assert written_loads(axes) == {c: str(load) for c, load in loads.items() if load >= least}


def test_colour_and_width_follow_the_load():
    """Equal loads look equal, larger ones darker and wider; `scale` sets both ends."""
    loads, scale = reversal("cube:6"), LoadScale(1, 8)
    seen: dict[int, set[Any]] = {}
    (axes,) = draw_network(loads.network, loads, scale=scale).axes
    for channel, patch in arrow_patches(axes):
        look = (tuple(patch.get_edgecolor()), patch.get_linewidth())
        seen.setdefault(loads.of(*channel), set()).add(look)
    assert sorted(seen) == [1, 2, 4]
    looks = [seen[load].pop() for load in (1, 2, 4)]
    assert not any(seen.values())
    for load, (colour, _) in zip((1, 2, 4), looks, strict=True):
        assert colour == pytest.approx(to_rgba(colours()(scale.norm()(load))))
    widths = [width for _, width in looks]
    assert widths == sorted(set(widths))
    assert legend_words(draw_network(loads.network, loads).axes[0]) == ["idle", "1", "2", "4"]
    assert legend_words(draw_network(loads.network, loads, legend=False).axes[0]) == []


@pytest.mark.parametrize("volume", sampled([1, 10**6, 10**12 + 1, 0.001], 2))
def test_a_map_of_volumes_has_the_colours_of_the_map_of_messages(volume):
    """log(load / least) is the same for every volume; from 1, all channels of 10^6 were navy."""
    messages = Traffic.of_lcc(catalog.matrix_transpose(8))
    for spec in ("cube:8", "mesh:16x16"):
        looks = []
        for sent in (messages, messages.scaled(volume)):
            axes = draw_loads(parse_network(spec).channel_loads(sent)).axes[0]
            artist = [*axes.images, *axes.collections][0]
            looks.append(artist.to_rgba(artist.get_array()))
        assert np.allclose(*looks, atol=0.02)
        assert len(np.unique(looks[1].reshape(-1, 4), axis=0)) > 3


def test_a_scale_has_ticks_at_both_ends_and_gets_darker_all_the_way():
    """Powers of two, none that would touch an end; luminance falls also in grey print."""
    for least, most, ticks in (
        (1, 8, [1, 2, 4, 8]),
        (1, 11, [1, 2, 4, 8, 11]),
        (5, 5, [5, 8, 10]),
        (10**6, 3 * 10**6, [10**6, 2**21, 3 * 10**6]),
    ):
        assert LoadScale(least, most).ticks() == ticks
    luminance = colours()(np.linspace(0, 1, 33))[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert np.all(np.diff(luminance) < 0)
    assert luminance[0] < 0.75
    assert luminance[0] - luminance[-1] > 0.5


def test_a_legend_of_many_loads_names_the_least_and_the_largest():
    loads = Mesh((32,)).channel_loads([[0, k] for k in range(1, 32)])
    names = legend_words(draw_network(Mesh((32,)), loads).axes[0])
    assert (len(names), names[1], names[-1]) == (7, "1", "31")


def test_two_arrows_between_neighbours_keep_apart():
    """0 -> 1 runs below the line from left to right, 1 -> 0 above it."""
    network = parse_network("cube:1")
    (axes,) = draw_network(network, network.channel_loads([[0, 1], [1, 0]])).axes
    heights = {channel: a.get_path().vertices[0][1] for channel, a in arrow_patches(axes)}
    assert heights[0, 1] < 0 < heights[1, 0]


@drawable
def test_no_channel_passes_through_a_node_that_is_not_its_own(spec):
    """Projection: nodes do not touch, and links keep clear of other nodes."""
    network = parse_network(spec)
    placement = node_positions(network)

    def clearance(offsets: Any) -> Any:
        """How many times its own half size away, for circles and for boxes."""
        if placement.box is None:
            return np.hypot(offsets[..., 0], offsets[..., 1]) / placement.radius
        return np.max(np.abs(offsets) / np.array(placement.box), axis=-1)

    routers = {node for link in (*placement.links, *placement.wraps) for node in link} or {0}
    points = {node: np.array(placement.positions[node]) for node in routers}
    for u, v in combinations(routers, 2):
        assert clearance(points[u] - points[v]) > 2
    along = np.linspace(0, 1, 33)[:, None]
    for u, v in placement.links:
        line = points[u] + along * (points[v] - points[u])
        others = np.array([points[node] for node in sorted(routers - {u, v})]).reshape(-1, 1, 2)
        assert np.all(clearance(line - others) > 1)


@pytest.mark.parametrize("spec", ["cube:3", "origin:1", "torus:4x4"])
def test_nothing_is_sent(spec):
    loads = parse_network(spec).channel_loads([])
    (axes,) = draw_network(loads.network, loads).axes
    assert not arrows(axes)
    assert legend_words(axes) == ["idle"]
    assert draw_loads(loads).axes[0].get_title() == f"{spec}, maximum load 0"


@pytest.mark.parametrize(
    ("spec", "x", "y", "labels"),
    [
        ("cube:4", 0b0000, 0b1101, ["dim 0", "dim 2", "dim 3"]),
        ("origin:4", 0b0000, 0b1111, ["dim 1", "dim 2", "dim 3"]),
        ("origin:4", 0b0000, 0b0001, []),
        ("mesh:4x4", 0, 6, ["axis 0", "axis 0", "axis 1"]),
        ("torus:4x4", 0, 15, ["axis 0", "axis 1"]),
        ("cube:3", 5, 5, []),
    ],
)
def test_a_path_has_an_arrow_for_each_channel(spec, x, y, labels):
    network = parse_network(spec)
    (axes,) = draw_path(network, network.path(x, y)).axes
    assert list(arrows(axes)) == network.channels(x, y)
    assert list(written_loads(axes).values()) == labels
    marked = [str(p.get_gid()) for p in axes.patches if p.get_linewidth() == 1.8]
    assert {int(gid.split("-")[1]) for gid in marked if gid.startswith("node")} == {x, y}


def test_heat_map_shows_every_counter():
    """Dimension by node, idle channels masked, limits 1 and the largest load."""
    loads = reversal("cube:8")
    axes, bar = draw_loads(loads).axes
    (image,) = axes.get_images()
    shown: Any = image.get_array()
    assert np.array_equal(shown.filled(0), loads.counts)
    assert image.get_clim() == (1, 8)
    assert words(bar.get_yticklabels()) == ["1", "2", "4", "8"]
    (right,) = axes.child_axes
    assert words(right.get_yticklabels()) == [str(load) for load in loads.per_dimension]


def test_large_maps_show_the_largest_of_several_nodes():
    loads = reversal("cube:12")
    axes = draw_loads(loads).axes[0]
    shown: Any = axes.get_images()[0].get_array()
    assert np.array_equal(shown.filled(0), loads.counts.reshape(12, 1024, 4).max(axis=2))
    assert "4 to a column, the largest shown" in axes.get_xlabel()
    mesh = Mesh((1024, 64))
    loads = mesh.channel_loads(np.random.default_rng(1).integers(0, mesh.size, (500, 2)))
    axes = draw_loads(loads).axes[0]
    shown = axes.get_images()[0].get_array()
    expected = loads.counts.max(axis=0).reshape(64, 512, 2).max(axis=2)  # node x + 1024 y
    assert np.array_equal(shown.filled(0), expected)
    assert "2 × 1 nodes to a pixel" in axes.get_xlabel()


@pytest.mark.parametrize(
    ("spec", "pairs", "rows", "label"),
    [
        ("origin:8", None, [str(i) for i in range(1, 8)], "router"),
        ("torus:4x4x4", None, [f"axis {a} {sign}" for a in range(3) for sign in "+−"], "node"),
        (
            *("fattree:2^3", [[0, 7], [1, 6]]),
            ["level 0 up", "level 0 down", "level 1 up", "level 1 down"],
            "link of the level",
        ),
        ("dragonfly:1,2,1", [(0, 5), (1, 4)], ["0", "1"], "link"),
    ],
)
def test_rows_of_a_heat_map_have_names(spec, pairs, rows, label):
    """Rows 2l and 2l + 1 of a fat tree are the links above level l."""
    loads = parse_network(spec).channel_loads(Traffic(pairs)) if pairs else reversal(spec)
    axes = draw_loads(loads).axes[0]
    assert words(axes.get_yticklabels()) == rows
    assert label in axes.get_xlabel()


@pytest.mark.parametrize("spec", ["mesh:32x16", "torus:16x32", "mesh:8x1x8"])
def test_map_of_a_plane_has_a_line_for_every_used_channel(spec):
    loads = reversal(spec)
    axes = draw_loads(loads).axes[0]
    (lines,) = (c for c in axes.collections if isinstance(c, LineCollection))
    values: Any = lines.get_array()
    expected = Counter[int]()
    for (u, v), load in loads.items():
        expected[load] += 1 + wraps(loads.network, u, v)
    assert Counter(values.astype(int).tolist()) == expected
    assert len(lines.get_segments()) == len(values)
    assert lines.get_clim() == (1, loads.degree)


@pytest.mark.parametrize("spec", ["cube:3", "cube:4", "origin:4", "mesh:4x4"])
def test_before_and_after_share_one_scale(spec):
    """The same load has the same colour on both sides, and one legend explains all."""
    after = reversal(spec)
    before = after.network.channel_loads([[x, 0] for x in range(after.network.size)])
    figure = draw_before_after(after.network, before, after, titles=("gather", "reversal"))
    seen: dict[int, set[Any]] = {}
    for axes, loads, name in zip(figure.axes, (before, after), ("gather", "reversal"), strict=True):
        assert axes.get_title() == f"{name}: maximum load {loads.degree}"
        assert set(arrows(axes)) == {channel for channel, _ in loads.items()}
        for channel, patch in arrow_patches(axes):
            seen.setdefault(loads.of(*channel), set()).add(tuple(patch.get_edgecolor()))
    assert all(len(shades) == 1 for shades in seen.values())
    assert len({shade for shades in seen.values() for shade in shades}) == len(seen)
    named = words(figure.legends[0].get_texts())
    assert set(named) <= {"idle", *map(str, seen)}
    assert (named[0], named[1], named[-1]) == ("idle", str(min(seen)), str(max(seen)))


@pytest.mark.parametrize(
    "spec", ["cube:5", "origin:6", "cube:8", "origin:9", "mesh:32x32", "torus:8x8x8"]
)
def test_large_networks_are_heat_maps_that_share_one_scale(spec):
    """From 32 routers on, loads are shown by dimension and node; one bar explains both."""
    after = reversal(spec)
    before = after.network.channel_loads([[x, 0] for x in range(after.network.size)])
    *sides, bar = draw_before_after(after.network, before, after).axes
    limits = [[*axes.get_images(), *axes.collections][0].get_clim() for axes in sides]
    assert limits == [(1, before.degree)] * 2
    assert bar.get_ylim() == pytest.approx((1, before.degree))
    if not isinstance(after.network, Mesh):
        assert {axes.get_ylabel() for axes in sides} == {"dimension"}
        assert draw_channels(after).axes[0].get_ylabel() == "dimension"
    assert arrows(draw_channels(reversal("cube:4")).axes[0])  # small ones are drawn node by node


@pytest.mark.parametrize("word", ["mesh:5x4,bandwidth=2:1", "torus:23x19,bandwidth=1/2:1"])
def test_loads_that_are_fractions_are_drawn(word):
    """Volumes and bandwidths make loads of 1/2; sides need not be powers of two."""
    loads = parse_network(word).channel_loads(Traffic([(0, 7), (3, 1)], [0.5, 2.25]))
    assert f"maximum load {float(loads.degree):g}" in draw_channels(loads).axes[0].get_title()


def test_volumes_are_called_so_and_written_in_one_form():
    """The legend says what loads count; large ones are grouped, on the busiest only."""
    pairs = np.array([[0, 5], [1, 2], [2, 3]])
    traffic = Traffic(pairs, [30_000, 240_000, 240_000])
    assert (counted_in([traffic]), counted_in([Traffic(pairs)])) == ("volume", "messages")
    loads = parse_network("torus:4x4").channel_loads(traffic)
    axes = draw_channels(loads, counted=counted_in([traffic])).axes[0]
    legend: Any = axes.get_legend()
    assert legend.get_title().get_text() == "volume on a channel"
    assert legend_words(axes) == ["idle", "30,000", "240,000"]
    assert axes.get_title() == "torus:4x4, maximum load 240,000"
    assert list(written_loads(axes).values()) == ["240,000", "240,000"]


def test_loads_of_a_job_are_drawn_on_the_whole_network():
    """The channels are those of the machine: the picture is its own, the title says the job."""
    mesh = Mesh((3, 3))
    job, pairs = Allocation(mesh, [0, 4, 8]), [(0, 1), (1, 2), (2, 0)]
    of_job, of_mesh = (
        draw_channels(loads).axes[0]
        for loads in (job.channel_loads(pairs), mesh.channel_loads(pairs, node_of=[0, 4, 8]))
    )
    assert of_job.get_title() == "mesh:3x3,nodes=0:4:8, maximum load 1"
    assert sorted(words(of_job.texts)) == sorted(words(of_mesh.texts))
    both = draw_before_after(job, *[job.channel_loads(pairs)] * 2, name="a ring")
    assert both.get_suptitle() == "a ring on mesh:3x3,nodes=0:4:8"


@pytest.mark.parametrize(("spec", "shown"), [("mesh:4x4", True), ("mesh:16x16", False)])
def test_numbers_of_many_nodes_are_left_out_of_a_column(spec, shown):
    """A circle in which no number can be read has none; all of a picture or nothing."""
    figure = sized(draw_network(parse_network(spec)), "column")
    labels = [t for t in figure.axes[0].texts if str(t.get_gid()).startswith("label-")]
    assert {label.get_visible() for label in labels} == {shown}


LARGE = ("cube:7", "origin:7", "mesh:32x16", "torus:512", "mesh:3x2x2")
CUBE, MESH = parse_network("cube:3"), Mesh((4, 4))


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        *(
            (lambda spec=spec: draw_network(parse_network(spec)), "use draw_loads")
            for spec in LARGE
        ),
        (
            lambda: draw_network(MESH, reversal("cube:4")),
            r"loads: must be loads of Mesh\(\(4, 4\)\)",
        ),
        (lambda: draw_before_after(CUBE, *[reversal("cube:4")] * 2), "loads: must be"),
        (lambda: draw_path(CUBE, []), "path: must have at least one node"),
        (lambda: draw_path(CUBE, [0, 3]), r"channel: must be a channel \(u, v\) of cube:3"),
        (lambda: draw_path(CUBE, [8]), r"node: must be a node of cube:3, 0\.\.7"),
        (lambda: draw_path(parse_network("origin:3"), [0, 9]), "channel: must be a channel"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, words):
    with pytest.raises(InputError, match=words):
        draw()
