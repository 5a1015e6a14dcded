"""Pictures as a lecture shows them: numbers where they can be read, and nothing by colour alone."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import lccmodel as lcc
from lccmodel import LCC, GF2Matrix, catalog
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.lattice import CorrectionLattice
from lccmodel.network import Hypercube
from lccmodel.pipelining import Machine
from lccmodel.show.heatmap import write_cells
from lccmodel.show.lattice_drawing import draw_lattice
from lccmodel.show.network_artists import _runs
from lccmodel.show.node_positions import node_positions
from lccmodel.show.regime_map import draw_regime_map, regime_map
from lccmodel.show.style import plain_logarithms


def tags(axes: Axes) -> list[str]:
    return [t.get_text() for t in axes.texts if str(t.get_gid()).startswith("tag-")]


def distance(point: tuple[float, float], start: np.ndarray, end: np.ndarray) -> float:
    along = end - start
    part = np.clip(np.dot(point - start, along) / np.dot(along, along), 0, 1)
    return float(np.hypot(*(point - start - part * along)))


def test_numbers_of_channels_stand_on_no_crossing():
    """On the cube of 16 nodes; at the fixed place of 0.4 some of them are on another line."""
    cube = Hypercube(4)
    loads = cube.channel_loads(catalog.bit_reverse(4))
    axes, places = loads.plot(), node_positions(cube)
    lines = [(link, np.array(_runs(places, link, 0.0)[0])) for link in places.links]

    def crossed(spots: dict[str, tuple[float, float]]) -> int:
        """Numbers that are on the line of another link."""
        return sum(
            any(distance(spot, *line) < 0.06 / places.unit for link, line in lines
                if set(link) != set(map(int, name.split("-")[1:])))
            for name, spot in spots.items()
        )  # fmt: skip

    texts = [t for t in axes.texts if str(t.get_gid()).startswith("load-")]
    spots = {str(t.get_gid()): t.get_position() for t in texts}
    assert len(spots) == len(list(loads.items()))
    assert crossed(spots) == 0
    side = 0.38 * places.radius
    fixed = {}
    for (u, v), _ in loads.items():
        (x0, y0), (x1, y1) = _runs(places, (u, v), side)[0]
        fixed[f"load-{u}-{v}"] = (x0 + 0.36 * (x1 - x0), y0 + 0.36 * (y1 - y0))
    assert crossed(fixed) > 0


def test_numbers_of_a_lattice_stand_on_no_crossing():
    lattice = CorrectionLattice(catalog.bit_reverse(4))
    axes = lattice.plot()
    lines = [np.array(line.get_xydata()) for line in axes.lines]
    numbers = [t.get_position() for t in axes.texts if t.get_text().isdigit()]
    assert len(numbers) == len(lines) == 32
    for spot in numbers:
        near = sum(distance(spot, *line) < 0.1 for line in lines)
        assert near == 1, spot


def test_cells_carry_their_numbers_while_they_can_be_read():
    traffic = lcc.Traffic([(0, 5), (1, 5), (5, 0)], volumes=[64, 64, 8], ranks=6)
    assert sorted(tags(traffic.plot())) == ["64", "64", "8"]
    many = lcc.Traffic([(k, 255 - k) for k in range(256)])
    assert tags(many.plot()) == []
    loads = lcc.FatTree((4, 4)).channel_loads(catalog.bit_reverse(4))
    assert sorted(tags(loads.plot())) == sorted(str(load) for _, load in loads.items())
    assert tags(catalog.matrix_transpose(4).plot()) == ["1"] * 4


def test_no_number_is_written_into_a_cell_too_small_or_empty():
    figure = Figure(figsize=(2, 2))
    axes = figure.add_subplot()
    image = axes.imshow(np.array([[0, 1000000], [1000000, 0]]))
    write_cells(axes, image, np.array([[0, 1000000], [1000000, 0]]))
    assert tags(axes) == ["1,000,000"] * 2
    small = figure.add_axes((0, 0, 0.1, 0.1))
    write_cells(small, image, np.array([[0, 1000000], [1000000, 0]]))
    assert tags(small) == []


def test_logarithmic_axes_write_plain_numbers():
    """64 was 6 x 10^1 on the colour bar of a traffic."""
    for low, high, wanted in (
        (50, 70, {"60"}),
        (1, 1e4, {"1", "100", "10,000"}),
        (1, 1e9, {"$\\mathdefault{10^{8}}$"}),
    ):
        axes = Figure().add_subplot()
        axes.set(yscale="log", ylim=(low, high))
        plain_logarithms(axes.yaxis)
        labels = [*axes.get_yticklabels(), *axes.get_yticklabels(minor=True)]
        assert wanted <= {label.get_text() for label in labels}


def test_a_map_of_degrees_names_its_regions():
    figure = draw_regime_map(regime_map(Machine("4x4", 1, 1), (1, 4096), (1, 1000), "load"))
    assert {"1", "2", "3-4"} <= {text.get_text() for text in figure.axes[0].texts}


@pytest.mark.slow
def test_a_front_encloses_what_is_beaten():
    """Every open dot lies on the line or above it to the right."""
    pairs = [(x, (5 * x + k * k) % 32) for x in range(32) for k in range(2)]
    axes = lcc.placement.pareto_front(pairs, "torus:8x4", moves=300).plot()
    words = [line.get_label() for line in axes.lines]
    assert words == [
        "dominated by a filled one",
        "on the Pareto front: not dominated",
        "Pareto front",
    ]
    xs, ys = axes.lines[2].get_data()
    for x, y in zip(*axes.lines[0].get_data(), strict=True):
        below = [b for a, b in zip(xs, ys, strict=True) if a <= x]
        assert min(below) <= y


def test_every_set_and_every_step_is_drawn_with_its_number():
    lattice = CorrectionLattice(catalog.bit_reverse(3))
    figure = draw_lattice(lattice, [0, 2, 1])
    texts = [text.get_text() for text in figure.axes[0].texts]
    boxes = {text for text in texts if text.startswith("{")}
    assert len(boxes) == 8
    assert {"{}\n×1", "{0}\n×2", "{0,2}\n×1", "{0,1,2}\n×1"} <= boxes
    loads = Counter(text for text in texts if not text.startswith("{"))
    assert sum(loads.values()) == len(figure.axes[0].lines) == 12
    subsets = [S for k in range(3) for S in combinations(range(3), k)]
    steps = [(S, j) for S in subsets for j in range(3) if j not in S]
    assert loads == Counter(str(lattice.load(S, j)) for S, j in steps)
    assert "maximum load 1" in figure.axes[0].get_title()
    assert sum(line.get_linewidth() > 2 for line in figure.axes[0].lines) == 3  # the path


def test_one_bit_and_no_bit():
    assert len(draw_lattice(CorrectionLattice(LCC([[1]], [1]))).axes[0].lines) == 1
    alone = draw_lattice(CorrectionLattice(LCC([[1]], [1]), (0,)), [])
    assert len(alone.axes[0].lines) == 0


def test_large_lattices_and_wrong_orders_are_refused():
    with pytest.raises(SizeLimitError, match="5 bits"):
        draw_lattice(CorrectionLattice(LCC(GF2Matrix.identity(6))))
    with pytest.raises(InputError, match="once"):
        draw_lattice(CorrectionLattice(LCC(GF2Matrix.identity(3))), [0, 1])
