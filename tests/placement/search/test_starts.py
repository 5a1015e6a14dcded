"""What a search starts from: grids that are recognised, blocks, folds, curves, cuts."""

from collections import Counter
from itertools import product
from math import prod
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.placement_programs import programs
from lccmodel.communication.grids import PATTERNS, ProcessGrid
from lccmodel.communication.products import grid_of, recognised_grid
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError
from lccmodel.network import parse_network
from lccmodel.placement.search import place, place_grid, solve
from lccmodel.placement.search.bisection import by_cuts
from lccmodel.placement.search.initial_placements import Starts
from lccmodel.placement.search.problem import judged, weights_of
from lccmodel.placement.search.routes import Routes
from lccmodel.reading.coordinates import read_coordinates
from tests.choosing import slow
from tests.placement.search.brute_force import demand_on


@pytest.fixture(autouse=True)
def _no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "GRACE", 600.0)  # plans to their end, however busy the machine


def scrambled(program: Program, seed: int = 1) -> Program:
    """The same with ranks renamed at random."""
    name = np.random.default_rng(seed).permutation(program.ranks)
    phases = [Phase(p.traffic.placed(name, program.ranks), p.weight) for p in program]
    return Program(phases, program.ranks)


def halo(sides: tuple[int, ...], volumes: tuple[int, ...]) -> Program:
    """To all neighbours, corners too; volumes by how many coordinates differ."""
    cells = np.stack(np.unravel_index(np.arange(prod(sides)), sides), axis=1)
    parts, amounts = [], []
    for step in product((-1, 0, 1), repeat=len(sides)):
        if any(step):
            moved = cells + step
            inside = ((moved >= 0) & (moved < sides)).all(axis=1)
            goals = np.ravel_multi_index(tuple(moved[inside].T), sides)
            parts.append(np.stack([np.flatnonzero(inside), goals], axis=1))
            amounts.append(np.full(len(goals), volumes[sum(map(abs, step)) - 1]))
    return Program([Traffic(np.concatenate(parts), np.concatenate(amounts), len(cells))])


def pairs_of(program: Program) -> tuple[np.ndarray, np.ndarray, int]:
    """Ranks that exchange anything, each pair once, with what they exchange."""
    total: Counter[tuple[int, int]] = Counter()
    for phase in program:
        sent = zip(phase.traffic.messages.tolist(), phase.traffic.volumes.tolist(), strict=True)
        for (x, y), volume in sent:
            if x != y:
                total[min(x, y), max(x, y)] += volume
    return np.array(list(total)), np.array(list(total.values())), program.ranks


# -- grids that are recognised ----------------------------------------------------------------


@given(
    sides=st.lists(st.integers(2, 7), min_size=1, max_size=3),
    pattern=st.sampled_from(PATTERNS),
    seed=st.integers(0, 100),
)
def test_grids_are_recognised_however_ranks_are_numbered(sides, pattern, seed):
    """All patterns: the sides are those of the grid; rings of four are grids of 2 x 2."""
    program = scrambled(ProcessGrid(tuple(sides)).program(pattern), seed)
    grid = recognised_grid(*pairs_of(program))
    lone = len(sides) == 1 and pattern == "all-to-all" and sides[0] > 3
    if prod(sides) < 3 or lone:  # any order is as good
        assert grid is None
        return
    assert grid is not None
    fours = pattern in ("rings", "shifts")
    expected = sorted(side for s in sides for side in ((2, 2) if fours and s == 4 else (s,)))
    assert sorted(grid.sides) == expected
    assert sorted(grid.cell.tolist()) == list(range(program.ranks))
    pairs, cells = pairs_of(program)[0], grid.coordinates  # every message goes along one axis
    apart = np.abs(cells[pairs[:, 0]] - cells[pairs[:, 1]])
    assert (np.count_nonzero(apart, axis=1) == 1).all()
    near = np.minimum(apart, np.array(grid.sides) - apart).max(axis=1) == 1
    assert pattern == "all-to-all" or near.all()


@pytest.mark.parametrize("volumes", [(64, 8, 1), (1, 1, 1), (9, 8, 7)])
@pytest.mark.parametrize("sides", [(16, 8, 4), (5, 7), (3, 4, 5)])
def test_halos_with_corners_are_grids(sides, volumes):
    """Of two ranks that are diagonal a third is closer to both."""
    program = scrambled(halo(sides, volumes), 3)
    grid, pairs = recognised_grid(*pairs_of(program)), pairs_of(program)[0]
    assert sorted(grid.sides) == sorted(sides)
    assert np.abs(grid.coordinates[pairs[:, 0]] - grid.coordinates[pairs[:, 1]]).max() == 1


@pytest.mark.slow
def test_heavy_messages_are_embedded_where_light_ones_would_be_in_the_way():
    """A stencil with an allreduce of 8 bytes, scrambled: the value of what is not scrambled.

    On 10 x 10 x 10 that is 65,736; it was 524,408, and 393,280 by Scotch on its threads.
    """
    stencil, ranks = ProcessGrid((6, 6, 6)).program("stencil", (65536,) * 3), np.arange(216)
    rounds = [np.stack([ranks, ranks ^ 1 << k], axis=1) for k in range(8)]
    small = np.concatenate([part[part[:, 1] < 216] for part in rounds])
    program = scrambled(Program([*stencil, Traffic(small, np.full(len(small), 8), 216)]))
    m = place(program, "torus:6x6x6", "joint", "placements", seconds=0)
    assert m.after.value < 66_000
    assert "heavy" in m.found or "grid" in m.found


@pytest.mark.parametrize("pairs", [
    np.random.default_rng(3).integers(0, 64, (300, 2)).tolist(),
    [(x, (x - 1) // 2) for x in range(1, 64)],  # a tree
    [(0, x) for x in range(1, 9)], [(0, 1), (2, 3)],  # in two pieces
    [(x, (x + k) % 13) for x in range(13) for k in (1, 5)],  # a circulant, prime
], ids=["random", "tree", "star", "pieces", "circulant"])  # fmt: skip
def test_what_is_no_grid_is_none(pairs):
    assert recognised_grid(*pairs_of(Program.of(pairs))) is None


def test_a_grid_without_one_of_its_messages_is_none():
    pairs, volumes, ranks = pairs_of(ProcessGrid((6, 5)).program("stencil"))
    assert recognised_grid(pairs, volumes, ranks) is not None
    assert recognised_grid(pairs[1:], volumes[1:], ranks) is None
    assert grid_of(np.array([[0, 0], [0, 1], [1, 0], [1, 0]])) is None
    assert grid_of(np.array([[0, 0], [0, 1], [1, 0]])) is None


# -- layouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("side", "distance"), [(4, 96), slow((6, 432))])
def test_blocks_of_a_grid_fill_the_nodes(side, distance):
    """Blocks of 2 x 2 x 2 on 8 nodes a router: six faces of four messages.

    Between layers 2k and 2k + 1 of each axis nothing leaves a node.
    """
    word = "torus:" + "x".join([str(side // 2)] * 3) + "*8"
    for objective in ("max-max", "joint"):
        m = place_grid((side,) * 3, word, "stencil", objective=objective, seconds=0.02)
        assert m.after.value == 4
        assert m.after.distance == distance == 2 * 3 * side * side * (side // 2 - 1)


@pytest.mark.parametrize(("program", "sides", "word", "most"), [
    (ProcessGrid((8, 8)).program("all-to-all"), (8, 8), "torus:8x8", 10),
    slow((ProcessGrid((12, 9)).program("rings"), (12, 9), "torus:6x6x3", 3)),
    slow((halo((16, 8, 4), (64, 8, 1)), (16, 8, 4), "torus:8x8x8", 200)),
])  # fmt: skip
def test_a_grid_and_a_trace_of_its_messages_come_to_the_same(program, sides, word, most):
    """Stated with coordinates or seen in scrambled messages: one solver."""
    coordinates = ProcessGrid(sides).coordinates()
    known = place(program, word, over="placements", seconds=0.05, coordinates=coordinates)
    trace = place(scrambled(program), word, over="placements", seconds=0.05)
    assert max(known.after.value, trace.after.value) <= most


# -- coordinates, interrupts --------------------------------------------------------------------


@pytest.mark.parametrize(("text", "rule"), [
    ("", "a row of coordinates"), ("0,1\n2\n", "2 finite numbers"), ("0,nan\n", "2 finite numbers"),
    ("0,1\n1,inf\n", "2 finite"), ("rank,x\n0,1\n0,2\n", "each once"),
    ("rank,x\n1,1\n2,2\n", "each once"), ("rank\n0\n", "a row of coordinates"),
    ("0 0\n0 none\n", r"where.csv:2: must be 2 finite numbers; got '?0 none"),
])  # fmt: skip
def test_files_that_are_no_coordinates(text, rule, tmp_path):
    """Rows may name their ranks."""
    (tmp_path / "where.csv").write_text("# of a code\nx y rank\n0.5 1 1\n0 2 0\n")
    assert read_coordinates(tmp_path / "where.csv").tolist() == [[0.0, 2.0], [0.5, 1.0]]
    (tmp_path / "where.csv").write_text(text)
    with pytest.raises(FileError, match=rule):
        read_coordinates(tmp_path / "where.csv")


@pytest.mark.slow
def test_an_interrupt_before_the_first_move_has_a_better_placement_than_natural_numbering(
    monkeypatch,
):
    """Starts come first, the quickest before all; bounds, orders and linear maps later.

    16,384 ranks of a mesh that is no grid. Orders were tried first, and an interrupt while the
    bound was computed left nothing."""
    rng = np.random.default_rng(3)
    points = rng.random((16384, 2))
    order = np.lexsort((points[:, 1], np.floor(points[:, 0] * 128)))
    pairs = np.concatenate([np.stack([order[:-k], order[k:]], axis=1) for k in (1, 2, 127, 128)])
    program = Program([Traffic(pairs, rng.integers(5, 40, len(pairs)), 16384)])
    monkeypatch.setattr(solve, "lower_bound", Mock(side_effect=KeyboardInterrupt))
    m = place(program, "torus:16x32x32", over="placements")
    assert m.stopped == "interrupted"
    assert 2 * m.after.value < m.before.value
    assert m.lower_bound <= m.after.value


def test_rings_are_cut_open_for_a_mesh():
    """An unstructured mesh in 64 parts, scrambled: cuts on the torus itself fold it (44 and more).

    A Hilbert curve of the coordinates of its parts, which nobody is told, gives 29.
    """
    program, _ = programs()["the same, 2-D, scrambled"]
    demand, routes = demand_on("torus:8x8", program)
    cut = by_cuts(demand.merged, Routes.opened(parse_network("torus:8x8")))
    assert demand.value(demand.loads(cut, routes), routes) <= 29
    assert place(program, "torus:8x8", "joint", "placements", moves=5_000).after.joint <= 29


@pytest.mark.parametrize("tree", [10, slow(1000), 5000])
def test_a_grid_is_seen_beside_a_tree_of_one_volume(tree):
    """Faces of 1000 to 3000 on 4 x 4 x 4. 0.4 saw no grid where the tree carries 1000 or more."""
    rng, sides = np.random.default_rng(0), (4, 4, 4)
    faces = pairs_of(ProcessGrid(sides).program("stencil"))[0]
    exchanged = {(a, b): int(rng.integers(1000, 3000)) for a, b in faces.tolist()}
    for rank in range(1, 64):
        pair = ((rank - 1) // 2, rank)
        exchanged[pair] = exchanged.get(pair, 0) + tree
    scramble = rng.permutation(64)
    grid = recognised_grid(scramble[np.array(list(exchanged))], np.array([*exchanged.values()]), 64)
    assert grid.sides == sides
    at = grid.coordinates[scramble]
    assert (np.abs(at[faces[:, 0]] - at[faces[:, 1]]).sum(axis=1) == 1).all()


def starts_on(word: str, program: Program, objective: str) -> Starts:
    demand, routes = demand_on(word, program, objective)
    weights = weights_of(program, None)
    return Starts(program, parse_network(word), demand, routes, weights, None, 0)


def test_trees_are_searched_on_the_hosts_that_are_worth_it():
    """Two ladders of eight ranks on switches of eight hosts: no message leaves a switch.

    An unstructured mesh of 64 ranks on fattree:16x18/6 had 1,428 after 8 s; it has 1,180 in 0.2 s.
    """
    ladder = np.array([(x, x + 2) for x in range(6)] + [(x, x + 1) for x in range(0, 8, 2)])
    program = scrambled(Program.of(Traffic(np.concatenate([ladder, ladder + 8]), ranks=16)))
    few = starts_on("fattree:8x40/2", program, "distance")
    ((which, hosts),) = few._hosts()
    ((name, node_of),) = few._packed(which, hosts)
    assert name == "tabu search on as few switches as hold all ranks"
    assert len(set(node_of.tolist())) == 16
    assert judged(*demand_on("fattree:8x40/2", program, "distance"), node_of, "").value == 0
    for objective, word in (("distance", "fattree:8x2/2"), ("distance", "torus:5x5"),
                            ("joint", "torus:5x5"), ("joint", "fattree:8x40/2")):  # fmt: skip
        assert not list(starts_on(word, program, objective)._hosts())
    spread = starts_on("fattree:8x8/2", program, "joint")
    ((which, hosts),) = spread._hosts()
    assert hosts.tolist() == [8 * switch + host for switch in range(8) for host in range(2)]
    ((_, node_of),) = spread._packed(which, hosts)
    assert sorted(node_of.tolist()) == hosts.tolist()


def test_a_grid_is_seen_that_sweeps_along_its_diagonals_hide():
    """NAS BT: sweeps in x, y and along the diagonal carry the same; in one phase it is unseen."""
    cells, sweeps = np.stack(np.divmod(np.arange(64), 8), axis=1), []
    for step in ((0, 1), (1, 0), (-1, -1)):
        there = (cells + step) % 8
        sweeps.append(np.stack([np.arange(64), there[:, 0] * 8 + there[:, 1]], axis=1))
    program = scrambled(Program([Traffic(pairs) for pairs in sweeps]), 3)
    (grid,) = starts_on("origin:6", program, "joint")._grids
    assert grid.sides == (8, 8)
    assert not starts_on("origin:6", Program.of(np.concatenate(sweeps)), "joint")._grids


def test_a_grid_that_is_stated_and_seen_is_one_grid():
    """Axes in another order or direction are the same grid; other neighbours are not."""
    cells = np.stack(np.unravel_index(np.arange(24), (4, 3, 2)), axis=1)
    other = np.stack(np.unravel_index(np.arange(24), (2, 3, 4)), axis=1)
    swapped = cells.copy()
    swapped[[0, 6]] = swapped[[6, 0]]
    for points, same in (
        (cells[:, ::-1] * [1, -1, 1], True), (cells[:, [1, 2, 0]], True), (other, False),
        (swapped, False),
    ):  # fmt: skip
        assert grid_of(points).is_same_as(grid_of(cells)) == same
