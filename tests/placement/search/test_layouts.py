"""Grids, curves and folds: each place once, in steps to a neighbour, digit by digit."""

from collections import Counter
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest

from lccmodel.communication.grids import ProcessGrid, parse_grid
from lccmodel.communication.products import Grid, grid_of
from lccmodel.errors import CommunicationError, SizeLimitError
from lccmodel.network import parse_network
from lccmodel.placement.search import layouts, place, place_grid
from lccmodel.placement.search.layouts import _axes_of, along_curves, coded, codes, laid_in_folds
from lccmodel.placement.search.routes import Routes
from tests.choosing import sampled
from tests.placement.search.brute_force import demand_on


def box(*sides: int) -> np.ndarray:
    """All cells, the last coordinate fastest."""
    return np.stack(np.unravel_index(np.arange(prod(sides)), sides), axis=1)


# -- curves -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("axes", "bits"), [(1, 3), (2, 1), (2, 3), (3, 1), (3, 2), (4, 2)])
def test_a_hilbert_curve_fills_every_block_before_it_leaves_it(axes, bits):
    """From the origin to a corner beside it, by neighbours; blocks of 2^k cells a side in turn."""
    cells = box(*[1 << bits] * axes)
    along_curve = layouts._hilbert(cells)
    assert sorted(along_curve.tolist()) == list(range(len(cells)))
    along = cells[np.argsort(along_curve)]
    assert set(np.abs(np.diff(along, axis=0)).sum(axis=1).tolist()) == {1}
    assert along[0].tolist() == [0] * axes
    assert sorted(along[-1].tolist()) == [0] * (axes - 1) + [(1 << bits) - 1]
    for k in range(1, bits):
        blocks = [tuple(one) for one in (along >> k).tolist()]
        assert sum(a != b for a, b in pairwise(blocks)) == len(set(blocks)) - 1


def test_curves_of_many_bits_keep_their_order():
    """Five axes of 2^10: numbers of 50 bits are renumbered, and nothing else changes."""
    cells = np.random.default_rng(3).integers(0, 1 << 10, (40, 5))
    cells[0], cells[1] = 0, (1 << 10) - 1
    for curve in (layouts._hilbert, layouts._snake, layouts._lines):
        along_curve = curve(cells)
        assert np.unique(along_curve).size == len(np.unique(cells, axis=0))
        assert along_curve[0] == 0
    assert np.argsort(layouts._lines(cells)).tolist() == np.lexsort(cells.T[::-1]).tolist()
    turned = cells.copy()  # a snake: a coordinate is mirrored where the place before it is odd
    before = np.zeros(len(cells), object)
    for k in range(5):
        turned[:, k] = np.where(before % 2 == 1, 1023 - cells[:, k], cells[:, k])
        before = before * 1024 + turned[:, k]
    assert np.argsort(layouts._snake(cells)).tolist() == np.argsort(before).tolist()


def test_coordinates_become_whole_numbers_of_one_scale():
    """Whole ones from 0 stay as far apart as they are; others fill ten bits on the widest axis."""
    points = np.array([[-2, 5], [0, 5], [1, 1028]])
    assert layouts._whole(points).tolist() == (points - [-2, 5]).tolist()
    wide = np.array([[0, 7], [1024, 7], [512, 519]])
    assert layouts._whole(wide).tolist() == [[0, 0], [1023, 0], [511, 511]]
    some = np.array([[0.5, 1.0], [2.5, 1.0], [1.5, 1.5]])
    assert layouts._whole(some).tolist() == [[0, 0], [1023, 0], [511, 255]]


@pytest.mark.parametrize(
    "word", ["mesh:4x4", "mesh:5x3", "mesh:4x2x2*2", "torus:9", "mesh:4x4,nodes=0-9"]
)
def test_curves_through_a_network_and_ranks_along_them(word):
    """The k-th rank on a curve of the coordinates is at the k-th place of one of the network."""
    routes = Routes.of(parse_network(word))
    found = layouts._curves_of(routes)
    assert found[""].tolist() == list(range(routes.places))
    many = "x" in word
    assert (len(found) == 3) == many
    for curve in found.values():
        assert sorted(curve.tolist()) == list(range(routes.places))
    if many and "nodes" not in word:
        snake = found[" along a snake"] // routes.ports
        steps = [int(routes.distance[u, v]) for u, v in pairwise(snake.tolist()) if u != v]
        assert steps == [1] * (routes.routers - 1)
        assert sorted(zip(snake.tolist(), found[" along a snake"].tolist(), strict=True)) == [
            (at // routes.ports, at) for at in range(routes.places)
        ]
    points = np.random.default_rng(2).permutation(box(3, 3))
    lines = {"last axis first": points, "first axis first": points[:, ::-1]}
    named = dict(along_curves(points, routes))
    assert len(named) == 4 * len(found)
    for (name, keys), (through, curve) in product(lines.items(), found.items()):
        order = np.lexsort(keys.T[::-1])
        placed = named[f"the {name} of the coordinates{through}"]
        assert placed[order].tolist() == curve[:9].tolist()
    snake = named["the snake of the coordinates"]
    along = points[np.argsort(snake)]
    assert set(np.abs(np.diff(along, axis=0)).sum(axis=1).tolist()) == {1}


# -- folds ------------------------------------------------------------------------------------


@pytest.mark.parametrize("choice", [layouts._Choice(*c) for c in product((True, False), repeat=4)])
def test_a_layout_digit_by_digit(choice):
    """Rank by rank: reflected digits, the lowest along the first axis; woven lines; strides.

    A side of 6 as 2 inside a router times 3, one of 4 as 2 times 2, on a line of six and a ring.
    """
    cells = box(6, 4)
    axes = [(2, 1, False), (6, 2, False), (2, 12, True)]
    radices = [(2, 3, 1), (1, 2, 2)]
    found = layouts._laid_out(list(cells.T), radices, axes, True, choice)

    def digits_of(x: int, radix: tuple[int, ...]) -> list[int]:
        digits = [0, 0, 0]
        for axis in (0, 1, 2) if choice.upwards else (0, 2, 1):
            x, digit = divmod(x, radix[axis])
            digits[axis] = radix[axis] - 1 - digit if x % 2 else digit
        return digits

    for cell, node in zip(cells.tolist(), found.tolist(), strict=True):
        digits = [digits_of(x, radix) for x, radix in zip(cell, radices, strict=True)]
        (low, n), (high, m) = [(digits[k][1], radices[k][1])
                               for k in ((0, 1) if choice.first else (1, 0))]  # fmt: skip
        at = high * n + (n - 1 - low if choice.mirrored and high % 2 else low)
        if choice.woven:
            at = 2 * at if at < n * m / 2 else 2 * (n * m - 1 - at) + 1
        assert node == digits[0][0] + 2 * at + 12 * digits[1][2]
    assert sorted(found.tolist()) == list(range(24))


# -- process grids ----------------------------------------------------------------------------


@pytest.mark.parametrize(("pattern", "steps"), [
    ("rings", {1: 16, 3: 16}), ("shifts", {1: 16}), ("stencil", {1: 12, -1: 12}),
    ("all-to-all", {1: 16, 2: 16, 3: 16}),
])  # fmt: skip
def test_patterns_along_axes(pattern, steps):
    """How many messages go how far along either axis of four; a volume for each axis."""
    grid = ProcessGrid((4, 1, 4))
    for axis, phase in zip((0, 2), grid.program(pattern, (7, 8, 9)), strict=True):
        source, goal = phase.traffic.messages.T
        step = grid.coordinates()[goal] - grid.coordinates()[source]
        along = step[:, axis] if pattern == "stencil" else step[:, axis] % 4
        assert Counter(along.tolist()) == steps
        assert not np.delete(step, axis, 1).any()
        assert len({*zip(source.tolist(), goal.tolist(), strict=True)}) == len(source)
        assert set(phase.traffic.volumes.tolist()) == {7 + axis}


def test_words():
    grid, program = parse_grid("grid:16x4:rings:8,0")
    assert (grid.sides, len(program), program.ranks) == ((16, 4), 1, 64)
    assert parse_grid("grid:16x4")[1] == grid.program("rings")
    wrong = "grid: grid:4x grid:4x0 grid:4:ring grid:4:rings:1,1 grid:4:rings:x grid:4:rings:-1"
    for word in [*wrong.split(), "grids:4", "grid:4:rings:1:1", "grid:99999999999"]:
        with pytest.raises(CommunicationError):
            parse_grid(word)


def test_bad_grids_are_refused():
    with pytest.raises(CommunicationError, match="number of ranks along every axis; got 4"):
        ProcessGrid(4)
    with pytest.raises(SizeLimitError, match=r"sides: at most 67108864 messages are listed"):
        ProcessGrid((1 << 14, 1 << 14)).program("shifts")  # 2^28 for either axis


@pytest.mark.parametrize("word", sampled(["torus:4x4", "cube:4", "mesh:4x4"], 4))
@pytest.mark.parametrize("sides", [(16,), (2, 8), (8, 2), (2, 2, 4)])
def test_gray_codes_are_among_the_starts(word, sides):
    """A ring in reflected Gray code is on neighbours: orders of bits alone are worse."""
    grid, network = ProcessGrid(sides), parse_network(word)
    program, product_grid = grid.program("rings"), grid_of(grid.coordinates())
    demand, _ = demand_on(network, program)
    starts = [
        s for code in codes(product_grid) for _, s in coded(product_grid, demand, network, code)
    ]
    assert starts
    assert all(sorted(start.tolist()) == list(range(16)) for start in starts)
    orders = place(program, network, "joint", "orders").after.value
    m = place_grid(grid, network, "rings", seconds=0.02)
    assert m.after.value <= orders
    if sides == (16,):
        assert m.after.value == 1
        assert orders > 1 or word != "cube:4"


@pytest.mark.parametrize("sides", [(4, 1, 2), (1, 4, 2), (4, 2, 1)])
def test_an_axis_of_one_rank_changes_no_layout(sides):
    """It has no digits: the layouts are those of the grid without it."""
    routes = Routes.of(parse_network("mesh:2x2x2"))
    with_axis, without = (
        [at.tolist() for _, at in laid_in_folds(Grid(lengths, np.arange(8), False), routes)]
        for lengths in (sides, (4, 2))
    )
    assert with_axis == without
    assert len(without) > 1


@pytest.mark.parametrize(("spec", "axes"), [
    ("fattree:4x2x2", [(4, 1, False), (2, 4, False), (2, 8, False)]),
    ("fattree:4x4", [(4, 1, False), (4, 4, False)]),
    ("torus:4x2*2", [(2, 1, False), (4, 2, True), (2, 8, False)]),
])  # fmt: skip
def test_axes_of_a_network(spec, axes):
    """(length, stride, ring) of the inside of a router, of axes, of the levels of a tree."""
    assert _axes_of(Routes.of(parse_network(spec))) == axes
