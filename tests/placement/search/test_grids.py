"""Process grids: what is sent along their axes, and placements of them."""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel.communication.grids import ProcessGrid, parse_grid
from lccmodel.communication.products import Grid, grid_of
from lccmodel.errors import CommunicationError, SizeLimitError
from lccmodel.network import parse_network
from lccmodel.placement.search import place, place_grid
from lccmodel.placement.search.layouts import _axes_of, coded, codes, laid_in_folds
from lccmodel.placement.search.routes import Routes
from tests.choosing import sampled
from tests.placement.search.brute_force import demand_on


def test_words() -> None:
    grid, program = parse_grid("grid:16x4:rings:8,0")
    assert (grid.sides, len(program), program.ranks) == ((16, 4), 1, 64)
    assert parse_grid("grid:16x4")[1] == grid.program("rings")
    wrong = "grid: grid:4x grid:4x0 grid:4:ring grid:4:rings:1,1 grid:4:rings:x grid:4:rings:-1"
    for word in [*wrong.split(), "grids:4", "grid:4:rings:1:1", "grid:99999999999"]:
        with pytest.raises(CommunicationError):
            parse_grid(word)


def test_bad_grids_are_refused() -> None:
    with pytest.raises(CommunicationError, match="number of ranks along every axis; got 4"):
        ProcessGrid(4)
    with pytest.raises(SizeLimitError, match=r"sides: at most 67108864 messages are listed"):
        ProcessGrid((1 << 14, 1 << 14)).program("shifts")  # 2^28 for either axis


@pytest.mark.parametrize("word", sampled(["torus:4x4", "cube:4", "mesh:4x4"], 4))
@pytest.mark.parametrize("sides", [(16,), (2, 8), (8, 2), (2, 2, 4)])
def test_gray_codes_are_among_the_starts(word: str, sides: tuple[int, ...]) -> None:
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
def test_an_axis_of_one_rank_changes_no_layout(sides: tuple[int, ...]) -> None:
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
def test_axes_of_a_network(spec: str, axes: list[tuple[int, int, bool]]) -> None:
    """(length, stride, ring) of the inside of a router, of axes, of the levels of a tree."""
    assert _axes_of(Routes.of(parse_network(spec))) == axes
