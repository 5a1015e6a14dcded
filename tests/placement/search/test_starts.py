"""What a search starts from: grids that are recognised, blocks, folds, curves, cuts."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise, product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.placement_programs import programs
from lccmodel.communication.grids import PATTERNS, ProcessGrid
from lccmodel.communication.products import grid_of, heavy_parts, recognised_grid
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError
from lccmodel.network import parse_network
from lccmodel.placement.search import place, place_grid, solve
from lccmodel.placement.search.bisection import by_cuts
from lccmodel.placement.search.initial_placements import Starts
from lccmodel.placement.search.problem import demand_of, judged
from lccmodel.placement.search.routes import Routes
from lccmodel.reading.coordinates import read_coordinates
from tests.choosing import slow
from tests.cli import calling


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
    total: dict[tuple[int, int], int] = {}
    for phase in program:
        sent = zip(phase.traffic.messages.tolist(), phase.traffic.volumes.tolist(), strict=True)
        for (x, y), volume in sent:
            if x != y:
                total[min(x, y), max(x, y)] = total.get((min(x, y), max(x, y)), 0) + volume
    return np.array(list(total)), np.array(list(total.values())), program.ranks


# -- grids that are recognised ----------------------------------------------------------------


def lines_of(grid: object, program: Program, far: bool) -> None:
    """Every message goes along one axis, to the next cell unless the pattern goes far."""
    cells = grid.coordinates
    pairs = pairs_of(program)[0]
    apart = np.abs(cells[pairs[:, 0]] - cells[pairs[:, 1]])
    assert (np.count_nonzero(apart, axis=1) == 1).all()
    sides = np.array(grid.sides)
    assert far or (np.minimum(apart, sides - apart).max(axis=1) == 1).all()


@given(
    sides=st.lists(st.integers(2, 7), min_size=1, max_size=3),
    pattern=st.sampled_from(PATTERNS),
    seed=st.integers(0, 100),
)
def test_grids_are_recognised_however_ranks_are_numbered(
    sides: list[int], pattern: str, seed: int
) -> None:
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
    lines_of(grid, program, pattern == "all-to-all")


@pytest.mark.parametrize("volumes", [(64, 8, 1), (1, 1, 1), (9, 8, 7)])
@pytest.mark.parametrize("sides", [(16, 8, 4), (5, 7), (3, 4, 5)])
def test_halos_with_corners_are_grids(sides: tuple[int, ...], volumes: tuple[int, ...]) -> None:
    """Of two ranks that are diagonal a third is closer to both."""
    program = scrambled(halo(sides, volumes), 3)
    grid = recognised_grid(*pairs_of(program))
    assert grid is not None
    assert sorted(grid.sides) == sorted(sides)
    cells, pairs = grid.coordinates, pairs_of(program)[0]
    assert np.abs(cells[pairs[:, 0]] - cells[pairs[:, 1]]).max() == 1


def test_light_messages_do_not_hide_a_grid() -> None:
    """A stencil of 1000 ranks with an allreduce of 8 bytes; and times with some noise."""
    stencil = ProcessGrid((10, 10, 10)).program("stencil", (65536,) * 3)
    ranks = np.arange(1000)
    rounds = [np.stack([ranks, ranks ^ 1 << k], axis=1) for k in range(10)]
    small = np.concatenate([part[part[:, 1] < 1000] for part in rounds])
    program = scrambled(Program([*stencil, Traffic(small, np.full(len(small), 8), 1000)]))
    grid = recognised_grid(*pairs_of(program))
    assert grid is not None
    assert grid.sides == (10, 10, 10)
    for part, fewer in pairwise(heavy_parts(*pairs_of(program)[:2])):
        assert len(fewer) < len(part)


def test_what_is_no_grid_is_none() -> None:
    rng = np.random.default_rng(3)
    for pairs in (
        rng.integers(0, 64, (300, 2)),
        np.array([(x, (x - 1) // 2) for x in range(1, 64)]),  # a tree
        np.array([(0, x) for x in range(1, 9)]),
        np.array([(0, 1), (2, 3)]),  # in two pieces
        np.array([(x, (x + k) % 13) for x in range(13) for k in (1, 5)]),  # a circulant, prime
    ):
        found = recognised_grid(*pairs_of(Program([Traffic(pairs)])))
        assert found is None
    near = ProcessGrid((6, 5)).program("stencil")  # near miss: one message of a grid is missing
    pairs, volumes, ranks = pairs_of(near)
    whole = recognised_grid(pairs, volumes, ranks)
    assert whole is not None
    assert recognised_grid(pairs[1:], volumes[1:], ranks) is None
    assert grid_of(np.array([[0, 0], [0, 1], [1, 0], [1, 0]])) is None
    assert grid_of(np.array([[0, 0], [0, 1], [1, 0]])) is None


# -- layouts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("side", "distance"), [
    (4, 96), slow((6, 432)), slow((10, 2400)),
])  # fmt: skip
def test_blocks_of_a_grid_fill_the_nodes(side: int, distance: int) -> None:
    """10 x 10 x 10 on torus:5x5x5*8: blocks of 2 x 2 x 2, six faces of four messages a node.

    It was 6 (max-max) and 16 (joint), with 7,842 for volume times distance. Between layers 2k and
    2k + 1 of each axis nothing leaves a node.
    """
    word = "torus:" + "x".join([str(side // 2)] * 3) + "*8"
    for objective in ("max-max", "joint"):
        m = place_grid((side,) * 3, word, "stencil", objective=objective, seconds=0.02)
        assert m.after.value == 4
        assert m.after.distance == distance == 2 * 3 * side * side * (side // 2 - 1)


@pytest.mark.parametrize(("program", "word", "most"), [
    slow((ProcessGrid((16, 32)).program("stencil"), "torus:8x8x8", 2)),
    slow((ProcessGrid((6, 6, 6)).program("stencil"), "torus:3x3x3*8", 4)),
    slow((ProcessGrid((12, 9)).program("rings"), "torus:6x6x3", 3)),
    (ProcessGrid((8, 8)).program("all-to-all"), "torus:8x8", 10),
    slow((halo((16, 8, 4), (64, 8, 1)), "torus:8x8x8", 200)),
])  # fmt: skip
def test_a_grid_and_a_trace_of_its_messages_come_to_the_same(
    program: Program, word: str, most: int
) -> None:
    """Stated with coordinates or seen in scrambled messages: one solver. (The first was 3.)"""
    sides = {512: (16, 32), 216: (6, 6, 6), 108: (12, 9), 64: (8, 8)}[program.ranks]
    sides = (16, 8, 4) if len(program) == 1 else sides
    known = place(program, word, over="placements", seconds=0.05,
                  coordinates=ProcessGrid(sides).coordinates())  # fmt: skip
    trace = place(scrambled(program), word, over="placements", seconds=0.05)
    assert max(known.after.value, trace.after.value) <= most


@pytest.mark.slow
def test_heavy_messages_are_embedded_where_light_ones_would_be_in_the_way() -> None:
    """A halo with an 8-byte allreduce on top, scrambled: the value of what is not scrambled.

    On 10 x 10 x 10 that is 65,736; it was 524,408, and 393,280 by Scotch on its threads.
    """
    stencil = ProcessGrid((6, 6, 6)).program("stencil", (65536,) * 3)
    ranks = np.arange(216)
    rounds = [np.stack([ranks, ranks ^ 1 << k], axis=1) for k in range(8)]
    small = np.concatenate([part[part[:, 1] < 216] for part in rounds])
    program = Program([*stencil, Traffic(small, np.full(len(small), 8), 216)])
    plain = place(program, "torus:6x6x6", "joint", "placements", seconds=0)
    m = place(scrambled(program), "torus:6x6x6", "joint", "placements", seconds=0)
    assert m.after.value <= plain.before.value < 66_000
    assert "heavy" in m.found or "grid" in m.found


# -- cuts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["fattree:4^3", "torus:8x8", "mesh:4x4*4", "cube:6",
                                  "fattree:4x4x4/2x1", "mesh:70"])  # fmt: skip
def test_cuts_put_clusters_together(word: str) -> None:
    """Sixteen clusters of four, scattered, and a thin ring through all: half the distance."""
    rng = np.random.default_rng(4)
    members = rng.permutation(64).reshape(16, 4)
    inside = [(x, y, 50) for four in members for x in four for y in four if x != y]
    ring = [(x, (x + 1) % 64, 1) for x in range(64)]
    program = Program([Traffic.of([(int(x), int(y), v) for x, y, v in [*inside, *ring]])])
    routes = Routes.of(parse_network(word))
    demand = demand_of(program, "joint", None, routes)
    found = by_cuts(demand, routes)
    assert len(set(found.tolist())) == 64
    assert 0 <= found.min() <= found.max() < routes.places
    natural = judged(demand, routes, np.arange(64), "")
    assert 2 * judged(demand, routes, found, "").distance < natural.distance


@pytest.mark.parametrize("pairs", [[(0, 1)], [(0, 1), (2, 3)], [(4, 4)], []])
def test_cuts_of_next_to_nothing(pairs: list[tuple[int, int]]) -> None:
    for word in ("mesh:1x5", "torus:3x2", "fattree:2^3", "mesh:2*3", "fattree:5"):
        routes = Routes.of(parse_network(word))
        demand = demand_of(Program([Traffic(pairs, ranks=5)]), "joint", None, routes)
        assert len(set(by_cuts(demand, routes).tolist())) == 5


@pytest.mark.slow
def test_an_unstructured_mesh_on_a_tree_is_better_than_scotch_makes_it() -> None:
    """Random points joined to the nearest, scrambled, on a tree with taper; Scotch started, too."""
    rng = np.random.default_rng(3)
    points = rng.random((256, 2))
    away = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = np.argsort(away, axis=1)[:, 1:6]
    pairs = np.stack([np.repeat(np.arange(256), 5), near.ravel()], axis=1)
    program = Program([Traffic(pairs, rng.integers(5, 40, len(pairs)), 256)])
    routes = Routes.of(parse_network("fattree:8x8x4/4x2"))
    demand = demand_of(program, "max-max", None, routes)
    cuts = judged(demand, routes, by_cuts(demand, routes), "").value * demand.unit
    m = place(program, "fattree:8x8x4/4x2", over="placements", seconds=0.25)
    assert m.after.value < cuts < m.before.value
    assert 1 < m.lower_bound <= m.after.value


# -- coordinates, interrupts --------------------------------------------------------------------


def test_coordinates_from_a_file(tmp_path: Path) -> None:
    """A halo with random holes in it is no grid; its coordinates say what is near."""
    file = tmp_path / "where.csv"
    file.write_text("# of a code\nx y rank\n0.5 1 1\n0 2 0\n")
    assert read_coordinates(file).tolist() == [[0.0, 2.0], [0.5, 1.0]]
    for text, rule in (
        ("", "a row of coordinates"), ("0,1\n2\n", "2 finite numbers"),
        ("0,nan\n", "2 finite numbers"), ("0,1\n1,inf\n", "2 finite"),
        ("rank,x\n0,1\n0,2\n", "each once"), ("rank,x\n1,1\n2,2\n", "each once"),
        ("rank\n0\n", "a row of coordinates"),
    ):  # fmt: skip
        file.write_text(text)
        with pytest.raises(FileError, match=rule):
            read_coordinates(file)
    with pytest.raises(InputError, match="coordinates: must be finite numbers of shape"):
        place([(0, 1)], "cube:2", over="placements", coordinates=[[0, 0]])
    with pytest.raises(InputError, match="coordinates"):
        place([(0, 1)], "cube:2", over="placements", coordinates=[[0], [float("nan")]])
    with pytest.raises(InputError, match="coordinates"):
        place([(0, 1)], "cube:2", over="placements", coordinates="near")


@pytest.mark.slow
def test_an_interrupt_before_the_first_move_has_a_better_placement_than_natural_numbering(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Starts come first, the quickest before all; bounds, orders and linear maps later.

    16,384 ranks of a mesh that is no grid. Orders were tried first, and an interrupt while the
    bound was computed left nothing."""
    rng = np.random.default_rng(3)
    points = rng.random((16384, 2))
    order = np.lexsort((points[:, 1], np.floor(points[:, 0] * 128)))
    pairs = np.concatenate([np.stack([order[:-k], order[k:]], axis=1) for k in (1, 2, 127, 128)])
    program = Program([Traffic(pairs, rng.integers(5, 40, len(pairs)), 16384)])

    def interrupted(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(solve, "lower_bound", interrupted)
    m = place(program, "torus:16x32x32", over="placements")
    assert m.stopped == "interrupted"
    assert 2 * m.after.value < m.before.value
    assert m.lower_bound <= m.after.value


@pytest.mark.slow
def test_the_command_takes_coordinates_and_moves(tmp_path: Path) -> None:
    """The table says what was rounded; a file that is no table of coordinates is one line."""
    program = scrambled(halo((4, 4, 4), (64, 8, 1)), 5)
    name = np.random.default_rng(5).permutation(64)
    cells = np.empty((64, 3), np.int64)
    cells[name] = ProcessGrid((4, 4, 4)).coordinates()
    trace, where = tmp_path / "trace.csv", tmp_path / "where.csv"
    sent = program[0].traffic
    volumes = sent.volumes + np.random.default_rng(1).random(len(sent))
    rows = zip(sent.messages.tolist(), volumes.tolist(), strict=True)
    trace.write_text("\n".join(f"{x},{y},{v!r}" for (x, y), v in rows))
    where.write_text("\n".join(" ".join(map(str, row)) for row in cells.tolist()))
    command = ["map", str(trace), "-N", "torus:4x4x4", "--moves", "300"]
    told = calling.run(*command, "--coordinates", str(where), "--format", "json")
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)[0]
    assert found["value_after"] < found["value_before"]
    table = calling.run(*command, "--coordinates", str(where))
    assert "volumes times weights are rounded to multiples of" in " ".join(table.stdout.split())
    where.write_text("0 0\n0 none\n")
    bad = calling.run(*command, "--coordinates", str(where))
    assert bad.exit_code == 2
    assert "where.csv:2: must be 2 finite numbers; got 0 none" in bad.stderr.replace("'", "")


def test_rings_are_cut_open_for_a_mesh() -> None:
    """An unstructured mesh in 64 parts, scrambled: cuts on the torus itself fold it (44 and more).

    A Hilbert curve of the coordinates of its parts, which nobody is told, gives 29.
    """
    program, _ = programs()["the same, 2-D, scrambled"]
    routes, opened = (
        Routes.of(parse_network("torus:8x8")),
        Routes.opened(parse_network("torus:8x8")),
    )
    assert opened is not None
    demand = demand_of(program, "joint", None, routes)
    cut = by_cuts(demand.merged, opened)
    assert demand.value(demand.loads(cut, routes), routes) <= 29
    assert place(program, "torus:8x8", "joint", "placements", moves=5_000).after.joint <= 29
    assert Routes.opened(parse_network("mesh:8x8")) is None
    assert Routes.opened(parse_network("fattree:2x2/1")) is None


@pytest.mark.parametrize("tree", [10, 1000, 5000])
def test_a_grid_is_seen_beside_a_tree_of_one_volume(tree: int) -> None:
    """Faces of 1000 to 3000 on 4 x 4 x 4. 0.4 saw no grid where the tree carries 1000 or more."""
    rng, sides = np.random.default_rng(0), (4, 4, 4)
    cells = np.arange(64).reshape(sides)
    faces = [
        np.stack([cells.take(range(3), axis).ravel(), cells.take(range(1, 4), axis).ravel()], 1)
        for axis in range(3)
    ]
    exchanged = {(a, b): int(rng.integers(1000, 3000)) for a, b in np.concatenate(faces).tolist()}
    for rank in range(1, 64):
        pair = ((rank - 1) // 2, rank)
        exchanged[pair] = exchanged.get(pair, 0) + tree
    scramble = rng.permutation(64)
    grid = recognised_grid(scramble[np.array(list(exchanged))], np.array([*exchanged.values()]), 64)
    assert grid is not None
    assert grid.sides == sides
    at = np.stack(np.unravel_index(grid.cell[scramble], sides), axis=1)
    for pairs in faces:
        assert (np.abs(at[pairs[:, 0]] - at[pairs[:, 1]]).sum(axis=1) == 1).all()


def test_trees_are_searched_on_the_hosts_that_are_worth_it() -> None:
    """Two ladders of eight ranks on switches of eight hosts: no message leaves a switch.

    An unstructured mesh of 64 ranks on fattree:16x18/6 had 1,428 after 8 s; it has 1,180 in 0.2 s.
    """
    ladder = [(x, x + 2) for x in range(6)] + [(x, x + 1) for x in range(0, 8, 2)]
    pairs = np.concatenate([np.array(ladder), np.array(ladder) + 8])
    scramble = np.random.default_rng(1).permutation(16)
    program, network = (
        Program.of(Traffic(scramble[pairs], ranks=16)),
        parse_network("fattree:8x40/2"),
    )
    routes = Routes.of(network)

    def starts(objective: str, word: str) -> Starts:
        target = parse_network(word)
        demand = demand_of(program, objective, None, Routes.of(target))
        weights = [Fraction(1)]
        return Starts(program, target, demand, Routes.of(target), weights, None, 0)

    few = starts("distance", "fattree:8x40/2")
    ((which, hosts),) = few._hosts()
    ((name, node_of),) = few._packed(which, hosts)
    assert name == "tabu search on as few switches as hold all ranks"
    assert len(set(node_of.tolist())) == 16
    assert judged(demand_of(program, "distance", None, routes), routes, node_of, "").value == 0
    for objective, word in (("distance", "fattree:8x2/2"), ("distance", "torus:5x5"),
                            ("joint", "torus:5x5"), ("joint", "fattree:8x40/2")):  # fmt: skip
        assert not list(starts(objective, word)._hosts())
    spread = starts("joint", "fattree:8x8/2")
    ((which, hosts),) = spread._hosts()
    assert hosts.tolist() == [8 * switch + host for switch in range(8) for host in range(2)]
    ((_, node_of),) = spread._packed(which, hosts)
    assert sorted(node_of.tolist()) == hosts.tolist()


def test_a_grid_is_seen_that_sweeps_along_its_diagonals_hide() -> None:
    """NAS BT: sweeps in x, y and along the diagonal carry the same."""
    side, scramble = 8, np.random.default_rng(3).permutation(64)
    cells = np.stack(np.divmod(np.arange(64), side), axis=1)
    sweeps: list[list[tuple[int, int]]] = []
    for step in ((0, 1), (1, 0), (-1, -1)):
        there = (cells + step) % side
        goal = there[:, 0] * side + there[:, 1]
        sweeps.append(list(zip(scramble.tolist(), scramble[goal].tolist(), strict=True)))
    program = Program([Phase(Traffic(pairs)) for pairs in sweeps])
    network = parse_network("origin:6")
    routes = Routes.of(network)
    demand = demand_of(program, "joint", None, routes)
    weights = [Fraction(1)] * 3
    (grid,) = Starts(program, network, demand, routes, weights, None, 0)._grids
    assert grid.sides == (8, 8)
    merged = Program.of([pair for sweep in sweeps for pair in sweep])
    assert not Starts(merged, network, demand, routes, weights[:1], None, 0)._grids


def test_a_grid_that_is_stated_and_seen_is_one_grid() -> None:
    """Axes in another order or direction are the same grid; other neighbours are not."""
    cells = np.stack(np.unravel_index(np.arange(24), (4, 3, 2)), axis=1)
    stated = grid_of(cells)
    assert stated is not None
    other = np.stack(np.unravel_index(np.arange(24), (2, 3, 4)), axis=1)
    swapped = cells.copy()
    swapped[[0, 6]] = swapped[[6, 0]]
    cases = [
        (cells[:, ::-1] * [1, -1, 1], True), (cells[:, [1, 2, 0]], True), (other, False),
        (swapped, False),
    ]  # fmt: skip
    for points, same in cases:
        grid = grid_of(points)
        assert grid is not None
        assert grid.is_same_as(stated) == same
