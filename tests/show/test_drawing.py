"""What stands in the figures: arrows, labels, colours, and their places."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import FancyArrowPatch

from lccmodel import LCC, Traffic, catalog
from lccmodel.errors import NetworkError, NodeError, SizeLimitError
from lccmodel.network import (
    Allocation,
    BristledHypercube,
    ChannelLoads,
    Hypercube,
    Mesh,
    Network,
    Torus,
    parse_network,
)
from lccmodel.show.drawing import (
    counted_in,
    draw_before_after,
    draw_channels,
    draw_loads,
    draw_network,
    draw_path,
)
from lccmodel.show.network_artists import LoadScale, colours
from lccmodel.show.node_positions import is_drawable, is_readable, node_positions
from lccmodel.show.style import sized
from tests.choosing import sampled

DRAWABLE = [
    *(f"cube:{n}" for n in (1, 3, 4, 6)),
    *(f"origin:{n}" for n in (1, 2, 4, 6)),
    *("mesh:8", "mesh:4x4", "mesh:2x1x8", "mesh:8x8", "torus:2x2", "torus:8", "torus:4x8"),
]
drawable = pytest.mark.parametrize("spec", DRAWABLE)


def reversal(network: Network) -> ChannelLoads:
    """The loads of bit reversal, y_i = x_(n-1-i)."""
    return network.channel_loads(LCC(np.eye(network.n, dtype=int)[::-1]))


def arrows(axes: Any) -> Counter[tuple[int, int]]:
    """The channels drawn as arrows, read from the group ids."""
    found = (patch.get_gid() for patch in axes.patches if isinstance(patch, FancyArrowPatch))
    return Counter((int(u), int(v)) for _, u, v in (gid.split("-") for gid in found))


def written_loads(axes: Any) -> dict[tuple[int, int], str]:
    found = ((text.get_gid() or "", text.get_text()) for text in axes.texts)
    parts = ((gid.split("-"), text) for gid, text in found if gid.startswith("load-"))
    return {(int(u), int(v)): text for (_, u, v), text in parts}


def node_labels(axes: Any) -> list[str]:
    labels = [text for text in axes.texts if str(text.get_gid()).startswith("label-")]
    return [label.get_text() for label in labels]


def wraps(network: Network, u: int, v: int) -> bool:
    """Whether a channel of a torus goes round, from the coordinates of its ends."""
    if not isinstance(network, Mesh):
        return False
    ends = zip(network.coordinates(u), network.coordinates(v), strict=True)
    return any(abs(a - b) > 1 for a, b in ends)


# -- networks and loads -------------------------------------------------------------------


@drawable
def test_every_used_channel_is_one_arrow(spec: str) -> None:
    """Idle channels have none; a channel that wraps around has a stub at either end."""
    network = parse_network(spec)
    loads = reversal(network)
    (axes,) = draw_network(network, loads).axes
    expected = {(u, v): 1 + wraps(network, u, v) for (u, v), _ in loads.items()}
    assert arrows(axes) == Counter(expected)


@drawable
def test_every_node_is_drawn_and_labelled_once(spec: str) -> None:
    network = parse_network(spec)
    (axes,) = draw_network(network).axes
    cube = not isinstance(network, Mesh)
    names = [f"{x:0{network.n}b}" if cube else str(x) for x in range(network.size)]
    assert node_labels(axes) == names
    gids = [patch.get_gid() for patch in axes.patches]
    assert gids == [f"node-{x}" for x in range(network.size)]


@drawable
def test_every_link_is_drawn_once_without_loads(spec: str) -> None:
    """n_channels directed channels are half as many links, in one style for each dimension."""
    network = parse_network(spec)
    (axes,) = draw_network(network).axes
    lines = [c for c in axes.collections if isinstance(c, LineCollection)]
    links = {frozenset(e[:2]) for e in network.graph().edges(data="role") if e[2] != "port"}
    stubs = sum(wraps(network, *link) for link in links)
    assert sum(len(c.get_segments()) for c in lines) == len(links) + stubs
    assert network.n_channels == 2 * len(links)
    legend = axes.get_legend()
    named = [text.get_text() for text in legend.get_texts()] if legend else []
    word = "axis" if isinstance(network, Mesh) else "dimension"
    used = sorted({network.row_dimension(network.counter(*link)[0]) for link in links})
    assert named == [f"{word} {dimension}" for dimension in used]
    assert len({tuple(c.get_color()[0]) for c in lines}) == len(lines) == len(used)
    assert len({str(c.get_linestyle()) for c in lines}) == len(used)


@pytest.mark.parametrize("spec", ["cube:4", "origin:4", "mesh:4x4", "torus:4x4"])
def test_loads_are_written_beside_their_channels(spec: str) -> None:
    network = parse_network(spec)
    loads = reversal(network)
    (axes,) = draw_network(network, loads).axes
    assert written_loads(axes) == {channel: str(load) for channel, load in loads.items()}
    (axes,) = draw_network(network, loads, label_from=2).axes
    assert written_loads(axes) == {
        channel: str(load) for channel, load in loads.items() if load > 1
    }


def test_crowded_drawings_write_the_larger_loads_only() -> None:
    loads = reversal(Hypercube(6))
    (axes,) = draw_network(Hypercube(6), loads).axes
    assert set(written_loads(axes).values()) == {"2", "4"}
    loads = reversal(Mesh((16, 16)))
    (axes,) = draw_network(Mesh((16, 16)), loads).axes
    assert set(written_loads(axes)) == set(loads.busiest())


def test_colour_and_width_follow_the_load() -> None:
    """Equal loads look equal, larger ones darker and wider; `scale` sets both ends."""
    network = Hypercube(6)
    loads = reversal(network)
    seen: dict[int, set[Any]] = {}
    (axes,) = draw_network(network, loads, scale=LoadScale(1, 8)).axes
    for patch in axes.patches:
        if isinstance(patch, FancyArrowPatch):
            u, v = map(int, str(patch.get_gid()).split("-")[1:])
            look = (tuple(patch.get_edgecolor()), patch.get_linewidth())
            seen.setdefault(loads.of(u, v), set()).add(look)
    assert sorted(seen) == [1, 2, 4]
    looks = [seen[load].pop() for load in (1, 2, 4)]
    assert not any(seen.values())
    assert [look[0] for look in looks] == [
        pytest.approx(to_rgba(colours()(LoadScale(1, 8).norm()(load)))) for load in (1, 2, 4)
    ]
    widths = [look[1] for look in looks]
    assert widths == sorted(set(widths))


@pytest.mark.parametrize("volume", sampled([1, 10**6, 10**12 + 1, 0.001], 2))
def test_a_map_of_volumes_has_the_colours_of_the_map_of_messages(volume: float) -> None:
    """log(load / least) is the same for every volume; from 1, all channels of 10^6 were navy."""
    messages = Traffic.of_lcc(catalog.matrix_transpose(8))
    looks = []
    for sent in (messages, messages.scaled(volume)):
        for network in (Hypercube(8), Mesh((16, 16))):
            axes = draw_loads(network.channel_loads(sent)).axes[0]
            artist = [*axes.images, *axes.collections][0]
            looks.append(artist.to_rgba(artist.get_array()))
    assert np.allclose(looks[0], looks[2], atol=0.02)
    assert np.allclose(looks[1], looks[3], atol=0.02)
    assert len({tuple(colour) for colour in looks[3].tolist()}) > 3


def test_a_scale_has_ticks_at_both_ends() -> None:
    """Powers of two between the least and the largest load, none that would touch an end."""
    assert LoadScale(1, 8).ticks() == [1, 2, 4, 8]
    assert LoadScale(1, 11).ticks() == [1, 2, 4, 8, 11]
    assert LoadScale(5, 5).ticks() == [5, 8, 10]
    assert LoadScale(10**6, 3 * 10**6).ticks() == [10**6, 2**21, 3 * 10**6]
    for least, most in ((1, 1), (3, 100), (1e-3, 7), (7**5, 7**40), (1, 2**60)):
        ticks = LoadScale(least, most).ticks()
        assert ticks == sorted(ticks)
        assert 2 <= len(ticks) <= 10
        assert ticks[0] == least
        assert ticks[-1] >= most


def test_scale_gets_darker_all_the_way() -> None:
    """Relative luminance falls strictly, so the order survives grey print; white stays apart."""
    rgb = colours()(np.linspace(0, 1, 33))[:, :3]
    luminance = rgb @ [0.2126, 0.7152, 0.0722]
    assert np.all(np.diff(luminance) < 0)
    assert luminance[0] < 0.75
    assert luminance[0] - luminance[-1] > 0.5


def test_legend_explains_each_load() -> None:
    (axes,) = draw_network(Hypercube(6), reversal(Hypercube(6))).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["idle", "1", "2", "4"]
    (axes,) = draw_network(Hypercube(6), reversal(Hypercube(6)), legend=False).axes
    assert axes.get_legend() is None


def test_a_legend_of_many_loads_names_the_least_and_the_largest() -> None:
    loads = Mesh((32,)).channel_loads([[0, k] for k in range(1, 32)])
    (axes,) = draw_network(Mesh((32,)), loads).axes
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert (len(names), names[1], names[-1]) == (7, "1", "31")


def test_two_arrows_between_neighbours_keep_apart() -> None:
    """0 -> 1 runs below the line from left to right, 1 -> 0 above it."""
    loads = Hypercube(1).channel_loads([[0, 1], [1, 0]])
    (axes,) = draw_network(Hypercube(1), loads).axes
    found = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    assert len(found) == 2
    heights = {str(arrow.get_gid()): arrow.get_path().vertices[0][1] for arrow in found}
    assert heights["channel-0-1"] < 0 < heights["channel-1-0"]


@drawable
def test_no_channel_passes_through_a_node_that_is_not_its_own(spec: str) -> None:
    """Projection: nodes do not touch, and links keep clear of other nodes."""
    network = parse_network(spec)
    placement = node_positions(network)
    box = placement.box

    def clearance(offsets: Any) -> Any:
        """How many times its own half size away, for circles and for boxes."""
        if box is None:
            return np.hypot(offsets[..., 0], offsets[..., 1]) / placement.radius
        return np.max(np.abs(offsets) / np.array(box), axis=-1)

    routers = {node for link in (*placement.links, *placement.wraps) for node in link} or {0}
    points = {node: np.array(placement.positions[node]) for node in routers}
    for u, v in combinations(routers, 2):
        assert clearance(points[u] - points[v]) > 2
    along = np.linspace(0, 1, 33)[:, None]
    for u, v in placement.links:
        line = points[u] + along * (points[v] - points[u])
        others = np.array([points[node] for node in sorted(routers - {u, v})]).reshape(-1, 1, 2)
        assert np.all(clearance(line - others) > 1)


def test_given_axes_are_used() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert draw_network(Hypercube(2), ax=left, title="plain") is figure
    assert draw_loads(reversal(Hypercube(4)), ax=right, colorbar=False) is figure
    assert [axes.get_title() for axes in figure.axes] == ["plain", "cube:4, maximum load 2"]


def test_nothing_is_sent() -> None:
    """All channels idle: no arrow, a legend with one entry, an empty heat map."""
    for network in (Hypercube(3), BristledHypercube(1), Torus((4, 4))):
        loads = network.channel_loads([])
        (axes,) = draw_network(network, loads).axes
        assert not arrows(axes)
        assert [text.get_text() for text in axes.get_legend().get_texts()] == ["idle"]
        assert draw_loads(loads).axes[0].get_title() == f"{network.spec}, maximum load 0"


# -- paths --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("network", "x", "y", "words"),
    [
        (Hypercube(4), 0b0000, 0b1101, ["dim 0", "dim 2", "dim 3"]),
        (BristledHypercube(4), 0b0000, 0b1111, ["dim 1", "dim 2", "dim 3"]),
        (BristledHypercube(4), 0b0000, 0b0001, []),
        (Mesh((4, 4)), 0, 6, ["axis 0", "axis 0", "axis 1"]),
        (Torus((4, 4)), 0, 15, ["axis 0", "axis 1"]),
        (Hypercube(3), 5, 5, []),
    ],
)
def test_a_path_has_an_arrow_for_each_channel(
    network: Network, x: int, y: int, words: list[str]
) -> None:
    (axes,) = draw_path(network, network.path(x, y)).axes
    assert list(arrows(axes)) == network.channels(x, y)
    assert list(written_loads(axes).values()) == words
    marked = [str(p.get_gid()) for p in axes.patches if p.get_linewidth() == 1.8]
    assert {int(gid.split("-")[1]) for gid in marked if gid.startswith("node")} == {x, y}


def test_paths_that_are_none_are_refused() -> None:
    with pytest.raises(NetworkError, match="path: must have at least one node"):
        draw_path(Hypercube(3), [])
    with pytest.raises(NetworkError, match=r"channel: must be a channel \(u, v\) of cube:3"):
        draw_path(Hypercube(3), [0, 3])
    with pytest.raises(NodeError):
        draw_path(Hypercube(3), [8])
    with pytest.raises(NetworkError):
        draw_path(BristledHypercube(3), [0, 9])


# -- heat maps ----------------------------------------------------------------------------


def test_heat_map_shows_every_counter() -> None:
    """Dimension by node, idle channels masked, limits 1 and the largest load."""
    loads = reversal(Hypercube(8))
    axes, bar = draw_loads(loads).axes
    (image,) = axes.get_images()
    shown: Any = image.get_array()
    assert np.array_equal(shown.filled(0), loads.counts)
    assert image.get_clim() == (1, 8)
    assert [text.get_text() for text in bar.get_yticklabels()] == ["1", "2", "4", "8"]
    (right,) = axes.child_axes
    largest = [text.get_text() for text in right.get_yticklabels()]
    assert largest == [str(load) for load in loads.per_dimension]


def test_wide_heat_map_shows_the_largest_of_several_nodes() -> None:
    loads = reversal(Hypercube(12))
    axes = draw_loads(loads).axes[0]
    shown: Any = axes.get_images()[0].get_array()
    assert shown.shape == (12, 1024)
    for row, dimension in enumerate(loads.per_dimension):
        assert shown[row].max() == dimension
        assert all(
            (cell or 0) == loads.counts[row, 4 * k : 4 * k + 4].max()
            for k, cell in enumerate(shown[row].filled(0))
        )
    assert "4 to a column, the largest shown" in axes.get_xlabel()


def test_heat_map_of_a_bristled_cube_leaves_dimension_0_out() -> None:
    axes = draw_loads(reversal(BristledHypercube(8))).axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == [str(i) for i in range(1, 8)]


def test_heat_map_of_three_axes_names_axis_and_direction() -> None:
    axes = draw_loads(reversal(Torus((4, 4, 4)))).axes[0]
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == [f"axis {axis} {sign}" for axis in range(3) for sign in "+−"]


@pytest.mark.parametrize("network", [Mesh((32, 16)), Torus((16, 32)), Mesh((8, 1, 8))])
def test_map_of_a_plane_has_a_line_for_every_used_channel(network: Network) -> None:
    loads = reversal(network)
    axes = draw_loads(loads).axes[0]
    (lines,) = (c for c in axes.collections if isinstance(c, LineCollection))
    values: Any = lines.get_array()
    expected = Counter[int]()
    for (u, v), load in loads.items():
        expected[load] += 1 + wraps(network, u, v)
    assert Counter(values.astype(int).tolist()) == expected
    assert len(lines.get_segments()) == len(values)
    assert lines.get_clim() == (1, loads.degree)


def test_large_plane_has_a_pixel_for_every_node() -> None:
    mesh = Mesh((1024, 64))
    loads = mesh.channel_loads(np.random.default_rng(1).integers(0, mesh.size, (500, 2)))
    axes = draw_loads(loads).axes[0]
    image: Any = axes.get_images()[0]
    assert isinstance(image, AxesImage)
    shown = image.get_array().filled(0)
    assert shown.shape == (64, 512)
    for x, y in ((0, 0), (200, 13), (511, 63)):
        nodes = [mesh.node((2 * x + dx, y)) for dx in (0, 1)]
        assert shown[y, x] == loads.counts[:, nodes].max()
    assert "2 × 1 nodes to a pixel" in axes.get_xlabel()


# -- before and after ---------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["cube:3", "cube:4", "origin:4", "mesh:4x4"])
def test_before_and_after_share_one_scale(spec: str) -> None:
    """The same load has the same colour on both sides, and one legend explains all."""
    network = parse_network(spec)
    before = network.channel_loads([[x, 0] for x in range(network.size)])
    after = reversal(network)
    figure = draw_before_after(network, before, after, titles=("gather", "reversal"))
    left, right = figure.axes
    assert left.get_title() == f"gather: maximum load {before.degree}"
    assert right.get_title() == f"reversal: maximum load {after.degree}"
    seen: dict[int, set[Any]] = {}
    for axes, loads in ((left, before), (right, after)):
        assert set(arrows(axes)) == {channel for channel, _ in loads.items()}
        for patch in axes.patches:
            if isinstance(patch, FancyArrowPatch):
                u, v = map(int, str(patch.get_gid()).split("-")[1:])
                seen.setdefault(loads.of(u, v), set()).add(tuple(patch.get_edgecolor()))
    assert all(len(shades) == 1 for shades in seen.values())
    assert len({shade for shades in seen.values() for shade in shades}) == len(seen)
    (legend,) = figure.legends
    named = [text.get_text() for text in legend.get_texts()]
    assert named[0] == "idle"
    assert set(named[1:]) <= {str(load) for load in seen}
    assert (named[1], named[-1]) == (str(min(seen)), str(max(seen)))


@pytest.mark.parametrize("spec", ["cube:8", "origin:9", "mesh:32x32", "torus:8x8x8"])
def test_before_and_after_of_large_networks_share_one_scale(spec: str) -> None:
    network = parse_network(spec)
    before = network.channel_loads([[x, 0] for x in range(network.size)])
    after = reversal(network)
    figure = draw_before_after(network, before, after)
    left, right, bar = figure.axes
    limits = []
    for axes in (left, right):
        artists = [*axes.get_images(), *axes.collections]
        limits.append(artists[0].get_clim())
    assert limits == [(1, before.degree)] * 2
    assert bar.get_ylim() == pytest.approx((1, before.degree))


# -- limits and files ---------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["cube:7", "origin:7", "mesh:32x16", "torus:512"])
def test_large_networks_are_not_drawn_node_by_node(spec: str) -> None:
    network = parse_network(spec)
    assert not is_drawable(network)
    with pytest.raises(SizeLimitError, match="use draw_loads"):
        draw_network(network)


def test_meshes_of_three_axes_are_not_drawn_node_by_node() -> None:
    assert not is_drawable(Mesh((3, 2, 2)))
    with pytest.raises(NetworkError, match="use draw_loads"):
        draw_network(Mesh((3, 2, 2)))
    assert is_drawable(Mesh((2, 2, 2)))  # a cube


def test_loads_of_another_network_are_refused() -> None:
    loads = reversal(Hypercube(4))
    with pytest.raises(NetworkError, match=r"loads: must be loads of Mesh\(\(4, 4\)\)"):
        draw_network(Mesh((4, 4)), loads)
    with pytest.raises(NetworkError, match="loads: must be"):
        draw_before_after(Hypercube(3), loads, loads)


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_figures_are_written_for_papers(suffix: str, tmp_path: Path) -> None:
    """SVG keeps the group ids; every format has content."""
    path = tmp_path / f"cube.{suffix}"
    draw_network(Hypercube(3), reversal(Hypercube(3))).savefig(path)
    content = path.read_bytes()
    assert len(content) > 5000
    if suffix == "svg":
        assert b'id="channel-1-0"' in content or b'id="channel-0-1"' in content
        assert b'id="node-7"' in content


@pytest.mark.parametrize("spec", ["cube:5", "cube:6", "origin:6"])
def test_what_would_be_a_tangle_is_a_heat_map(spec: str) -> None:
    """From 32 routers on, loads are shown by dimension and node; one bar explains both."""
    network = parse_network(spec)
    loads = reversal(network)
    assert not is_readable(network)
    figure = draw_before_after(network, loads, loads)
    assert [axes.get_ylabel() for axes in figure.axes[:2]] == ["dimension", "dimension"]
    assert len(figure.axes) == 3
    assert draw_channels(loads).axes[0].get_ylabel() == "dimension"
    assert is_readable(Hypercube(4))
    assert draw_channels(reversal(Hypercube(4))).axes[0].get_ylabel() == ""


@pytest.mark.parametrize("word", ["mesh:5x4,bandwidth=2:1", "torus:23x19,bandwidth=1/2:1"])
def test_loads_that_are_fractions_are_drawn(word: str) -> None:
    """Volumes and bandwidths make loads of 1/2; sides need not be powers of two."""
    from lccmodel import Traffic
    from lccmodel.network import parse_network
    from lccmodel.show.drawing import draw_channels

    loads = parse_network(word).channel_loads(Traffic([(0, 7), (3, 1)], [0.5, 2.25]))
    assert draw_channels(loads).axes
    assert loads.values.max() == float(loads.degree)


def test_volumes_are_called_so_and_written_in_one_form() -> None:
    """The legend says what loads count; large ones are grouped, on the busiest only."""
    torus, pairs = Torus((4, 4)), np.array([[0, 5], [1, 2], [2, 3]])
    traffic = Traffic(pairs, [30_000, 240_000, 240_000])
    assert (counted_in([traffic]), counted_in([Traffic(pairs)])) == ("volume", "messages")
    loads = torus.channel_loads(traffic)
    figure = draw_channels(loads, counted=counted_in([traffic]))
    legend = figure.axes[0].get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == "volume on a channel"
    named = [text.get_text() for text in legend.get_texts()]
    assert named == ["idle", "30,000", "240,000"]
    assert figure.axes[0].get_title() == "torus:4x4, maximum load 240,000"
    beside = [t.get_text() for t in figure.axes[0].texts if (t.get_gid() or "").startswith("load")]
    assert beside == ["240,000", "240,000"]


def test_rows_of_a_fat_tree_are_levels() -> None:
    """Rows 2l and 2l + 1 are the links above level l, up and down."""
    figure = draw_loads(parse_network("fattree:2^3").channel_loads(Traffic([[0, 7], [1, 6]])))
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == ["level 0 up", "level 0 down", "level 1 up", "level 1 down"]
    assert figure.axes[0].get_xlabel() == "link of the level"


def test_loads_of_a_job_are_drawn_on_the_whole_network() -> None:
    """The channels are those of the machine: the picture is its own, the title says the job."""
    mesh = Mesh((3, 3))
    job, pairs = Allocation(mesh, [0, 4, 8]), [(0, 1), (1, 2), (2, 0)]
    loads = mesh.channel_loads(pairs, node_of=[0, 4, 8])
    figures = [draw_channels(one) for one in (job.channel_loads(pairs), loads)]
    titles = [figure.axes[0].get_title() for figure in figures]
    assert titles == ["mesh:3x3,nodes=0:4:8, maximum load 1", "mesh:3x3, maximum load 1"]
    texts = [sorted(text.get_text() for text in figure.axes[0].texts) for figure in figures]
    assert texts[0] == texts[1]
    both = draw_before_after(job, *[job.channel_loads(pairs)] * 2, name="a ring")
    assert both.get_suptitle() == "a ring on mesh:3x3,nodes=0:4:8"


def test_loads_of_a_table_are_a_row_for_every_kind_of_links() -> None:
    network = parse_network("dragonfly:1,2,1")
    figure = draw_channels(network.channel_loads([(0, 5), (1, 4)]))
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["0", "1"]
    assert "link" in figure.axes[0].get_xlabel()


@pytest.mark.parametrize(("spec", "shown"), [("mesh:4x4", True), ("mesh:16x16", False)])
def test_numbers_of_many_nodes_are_left_out_of_a_column(spec: str, shown: bool) -> None:
    """A circle in which no number can be read has none; all of a picture or nothing."""
    figure = sized(draw_network(parse_network(spec)), "column")
    labels = [t for t in figure.axes[0].texts if str(t.get_gid()).startswith("label-")]
    assert {label.get_visible() for label in labels} == {shown}
