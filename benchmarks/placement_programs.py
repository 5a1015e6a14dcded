"""Twelve programs of today on ten networks: `place` against Scotch, Hilbert curves, natural order.

    python -m benchmarks.placement_programs [--seconds S] [--records FILE] [--markdown FILE]

Every program has 64 ranks and a fixed seed; networks are those of `placement_quality`, two fat
trees with taper, a dragonfly of 72 nodes, and a torus of 96 nodes of which 32 are taken, at random.
Scotch maps onto its own mesh, torus, hypercube or tree, and onto a decomposition (`decomp`) of the
dragonfly and the taken torus, with three seeds. Hilbert curves go through the program's own
coordinates and those of the network, where it has such; natural order is rank r on node r. Compared
is the busiest channel with all phases at once; the suite fails if an answer is worse than a peer's.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.placement_quality import NETWORKS, RANKS, SEED
from lccmodel._numbers import number_text
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.files import write_atomically
from lccmodel.methods.placement import place
from lccmodel.methods.placement.effort import moves_a_second
from lccmodel.methods.placement.layouts import along_curves
from lccmodel.methods.placement.problem import demand_of
from lccmodel.methods.placement.routes import Routes
from lccmodel.methods.placement.scotch import scotch_placement
from lccmodel.network import parse_network
from lccmodel.papers.reproduction import digest

Points = npt.NDArray[Any]
Pairs = dict[tuple[int, int], int]


def _taken() -> str:
    """A torus of 96 nodes; a random third of them is taken."""
    free = np.sort(np.random.default_rng(SEED).permutation(96)[:RANKS])
    return f"torus:6x4x4,nodes={':'.join(map(str, free))}"


TAKEN = _taken()
MORE = ("fattree:8x8/4", "fattree:4x4x4/2x2", "dragonfly:2,4,2", TAKEN)
ALL = (*NETWORKS, *MORE)


@dataclass(frozen=True)
class Row:
    """One program on one network: busiest channels and volume times distance of the best other."""

    program: str
    network: str
    natural: Fraction
    scotch: Fraction
    hilbert: Fraction
    best: str
    best_distance: Fraction
    ours: Fraction
    distance: Fraction
    bound: Fraction
    optimal: bool

    @property
    def other(self) -> Fraction:
        """The best of the others."""
        return min(self.natural, self.scotch, self.hilbert)


# -- programs -------------------------------------------------------------------------------------


def programs() -> dict[str, tuple[Program, Points]]:
    """The twelve, by name, with the coordinates of their ranks."""
    rng = np.random.default_rng(SEED)
    found: dict[str, tuple[list[Pairs], Points]] = {}
    for sides in ((8, 4, 2), (16, 2, 2)):
        found[f"27-point halo {'x'.join(map(str, sides))}"] = [_halo(sides)], _grid(sides)
    for axes in (2, 3):
        pairs, points = _unstructured(rng, axes)
        scramble = rng.permutation(RANKS)
        moved = {(int(scramble[s]), int(scramble[d])): v for (s, d), v in pairs.items()}
        found[f"unstructured {axes}-D mesh"] = [pairs], points
        found[f"the same, {axes}-D, scrambled"] = [moved], points[np.argsort(scramble)]
    found["NAS CG"] = _cg(), _grid((8, 8))
    found["NAS MG"] = _mg(), _grid((4, 4, 4))
    found["NAS BT"] = _bt(), _grid((8, 8))
    found["NAS LU"] = [_lu()], _grid((8, 8))
    found["experts and pipeline, 8x8"] = _experts(), _grid((8, 8))
    found["allreduce by rings, 4x16"] = _rings(), _grid((4, 16))
    return {name: (_program(phases), points) for name, (phases, points) in found.items()}


def _program(phases: list[Pairs]) -> Program:
    return Program([
        Phase(Traffic(list(pairs), list(pairs.values()), RANKS)) for pairs in phases if pairs
    ])  # fmt: skip


def _grid(sides: tuple[int, ...]) -> Points:
    """Coordinates of ranks, the last axis fastest."""
    return np.stack(np.unravel_index(np.arange(RANKS), sides), axis=1)


def _at(sides: tuple[int, ...], place: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(place, sides, mode="wrap"))


def _halo(sides: tuple[int, ...]) -> Pairs:
    """Faces carry 64, edges 8, corners 1; no neighbours beyond the border."""
    found: Pairs = {}
    for rank, here in enumerate(_grid(sides).tolist()):
        for step in product((-1, 0, 1), repeat=3):
            there = tuple(a + b for a, b in zip(here, step, strict=True))
            if any(step) and all(0 <= c < n for c, n in zip(there, sides, strict=True)):
                found[rank, _at(sides, there)] = 64 >> 3 * (np.count_nonzero(step) - 1)
    return found


def _unstructured(rng: np.random.Generator, axes: int) -> tuple[Pairs, Points]:
    """A Delaunay mesh of 64 x 64 points in parts of 64, cut along the axes in turn; edges cut."""
    from scipy.spatial import Delaunay

    points = rng.random((RANKS * 64, axes))
    part = np.zeros(len(points), int)
    for level in range(6):
        for one in range(1 << level):
            inside = np.flatnonzero(part == one)
            order = inside[np.argsort(points[inside, level % axes], kind="stable")]
            part[order[len(order) // 2 :]] += 1 << level
    found: Pairs = {}
    edges = Delaunay(points).simplices
    for a, b in {tuple(sorted(p)) for s in edges.tolist() for p in product(s, s) if p[0] < p[1]}:
        if part[a] != part[b]:
            for pair in ((part[a], part[b]), (part[b], part[a])):
                key = int(pair[0]), int(pair[1])
                found[key] = found.get(key, 0) + 1
    centres = np.stack([points[part == r].mean(axis=0) for r in range(RANKS)])
    return found, centres


def _cg() -> list[Pairs]:
    """8 x 8: sums over rows in three exchanges, and an exchange with the transposed rank."""
    sums = {(r, r ^ step): 16 for r in range(RANKS) for step in (1, 2, 4)}
    across = {(r, r % 8 * 8 + r // 8): 128 for r in range(RANKS) if r != r % 8 * 8 + r // 8}
    return [sums, across]


def _mg() -> list[Pairs]:
    """4 x 4 x 4, all axes round: faces of coarser and coarser grids, the last two ranks apart."""
    found = []
    for level, step in ((64, 1), (16, 1), (4, 2)):
        phase: Pairs = {}
        for rank, here in enumerate(_grid((4, 4, 4)).tolist()):
            for axis, sign in product(range(3), (-1, 1)):
                there = list(here)
                there[axis] += sign * step
                key = rank, _at((4, 4, 4), tuple(there))
                phase[key] = phase.get(key, 0) + level
        found.append(phase)
    return found


def _bt() -> list[Pairs]:
    """Multi-partition on 8 x 8: sweeps to the next in x, in y, and along the diagonal in z."""
    steps = ((0, 1), (1, 0), (-1, -1))
    return [
        {
            (rank, _at((8, 8), (i + sign * a, j + sign * b))): 40
            for rank, (i, j) in enumerate(_grid((8, 8)).tolist())
            for sign in (1, -1)
        }
        for a, b in steps
    ]


def _lu() -> Pairs:
    """Wave fronts over 8 x 8, there and back, and halos of twice the volume."""
    found: Pairs = {}
    for rank, (i, j) in enumerate(_grid((8, 8)).tolist()):
        for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            if 0 <= i + a < 8 and 0 <= j + b < 8:
                found[rank, _at((8, 8), (i + a, j + b))] = 30
    return found


def _experts() -> list[Pairs]:
    """Eight stages of eight experts: all-to-all in a stage, and a shift to the next stage."""
    inside = {
        (8 * s + a, 8 * s + b): 4 for s, a, b in product(range(8), repeat=3) if a != b
    }  # fmt: skip
    shift = {(8 * s + a, 8 * (s + 1) + a): 16 for s in range(7) for a in range(8)}
    return [inside, shift]


def _rings() -> list[Pairs]:
    """4 replicas of 16: rings over the replicas for gradients, rings of 16 inside each."""
    across = {(r, (r + 16) % RANKS): 32 for r in range(RANKS)}
    inside = {(r, r // 16 * 16 + (r + 1) % 16): 8 for r in range(RANKS)}
    return [across, inside]


# -- measuring ------------------------------------------------------------------------------------


def hilbert(points: Points, routes: Routes, word: str) -> list[npt.NDArray[np.int64]]:
    """Placements along Hilbert curves: of the program's points, and of the network's, if any."""
    if "nodes=" in word:  # through the whole torus; nodes that are taken are passed over
        whole = parse_network(word.partition(",nodes=")[0])
        every = Routes.of(whole)
        line = np.arange(every.places)[:, None]
        curve = dict(along_curves(line, every))
        at = curve["the last axis first of the coordinates along that of the network"]
        nodes = parse_network(word).nodes
        job = np.argsort(np.argsort(at)[nodes])
        order = np.argsort(job)
        found = dict(along_curves(points, routes))["the Hilbert curve of the coordinates"]
        return [found, order[found]]
    curves = dict(along_curves(points, routes)).items()
    return [node_of for name, node_of in curves if "Hilbert" in name and "snake" not in name]


def measured(name: str, program: Program, points: Points, word: str, seconds: float) -> Row:
    """One row of the table."""
    network = parse_network(word)
    routes = Routes.of(network)
    demand = demand_of(program, "joint", None, routes)

    def judged(node_of: npt.NDArray[np.int64]) -> tuple[Fraction, Fraction]:
        loads = demand.loads(node_of, routes)
        value = Fraction(demand.value(loads, routes)) * demand.unit
        return value, int((loads // routes.cost).sum()) * demand.unit * routes.scale

    tried = [scotch_placement(demand.merged, routes, 2 * seed + 1) for seed in range(3)]
    mappings = [one for one in tried if one is not None]
    if not mappings:
        raise SystemExit(f"the suite needs pyscotch, and Scotch a word for {word}")
    others = {
        "natural": [np.arange(RANKS)],
        "Scotch": mappings,
        "Hilbert": hilbert(points, routes, word),
    }
    prices = {one: min(map(judged, found)) for one, found in others.items()}
    best = min(prices, key=lambda one: prices[one])
    moves = int(seconds * moves_a_second(demand, routes))  # no clock cuts them
    m = place(program, network, "joint", "placements", moves=moves)
    together = program[0].traffic
    for phase in program.phases[1:]:
        together = together + phase.traffic
    counted = network.channel_loads(together, node_of=m.node_of).degree
    assert counted == m.after.value, "the network counts another busiest channel"
    return Row(
        name, word, prices["natural"][0], prices["Scotch"][0], prices["Hilbert"][0], best,
        prices[best][1], Fraction(m.after.value), Fraction(m.after.distance),
        Fraction(m.lower_bound), m.optimal,
    )  # fmt: skip


def table(rows: list[Row], networks: tuple[str, ...]) -> str:
    """Markdown: the best of the others by name, with its hop-bytes / ours, with its hop-bytes."""
    heads = [word.split(",nodes=")[0] + ("⅔" if "nodes=" in word else "") for word in networks]
    lines = [f"| program | {' | '.join(heads)} |", "| --- " * (len(networks) + 1) + "|"]
    for name in dict.fromkeys(row.program for row in rows):
        cells = [
            f"{row.best} {row.other} ({number_text(row.best_distance)}) / **{row.ours}**"
            f"{'*' if row.optimal else ''} ({number_text(row.distance)})"
            for row in rows
            if row.program == name and row.network in networks
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def summary(rows: list[Row]) -> str:
    """What the goals ask for."""
    better = sum(row.ours < row.other for row in rows)
    worse = [row for row in rows if row.ours > row.other]
    names = "".join(f"; {r.program} on {r.network[:24]}: {r.ours} > {r.other}" for r in worse)
    equal = len(rows) - better - len(worse)
    return (
        f"{len(rows)} cases: {better} strictly better than all others, {equal} equal to the best "
        f"of them, {len(worse)} worse{names}; {sum(r.optimal for r in rows)} proved least\n"
    )


def known_rows(file: Path | None, version: str) -> dict[tuple[str, str], Row]:
    """The rows in a file of records that this version has measured."""
    lines = file.read_text().splitlines() if file is not None and file.exists() else []
    found = {}
    for told in map(json.loads, lines):
        if told.pop("version") == version:
            numbers = {k: Fraction(v) for k, v in told.items() if k in _NUMBERS}
            found[told["program"], told["network"]] = Row(**told | numbers)
    return found


_NUMBERS = ("natural", "scotch", "hilbert", "best_distance", "ours", "distance", "bound")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="nominal, a case")
    parser.add_argument("--records", type=Path, help="keep rows here, a line each, and go on")
    parser.add_argument("--markdown", type=Path, help="write the tables")
    parser.add_argument("--networks", help="only these, separated by spaces")
    options = parser.parse_args()
    words = tuple(options.networks.split()) if options.networks else ALL
    version = digest(str(options.seconds))
    known, rows = known_rows(options.records, version), []
    for name, (program, points) in programs().items():
        for word in words:
            row = known.get((name, word)) or measured(name, program, points, word, options.seconds)
            rows.append(row)
            print(name, word[:20], row.best, row.other, row.ours, flush=True)
            if options.records is not None and (name, word) not in known:
                with options.records.open("a") as file:
                    told = asdict(row) | {"version": version}
                    file.write(json.dumps(told, default=str) + "\n")
    print(summary(rows))
    if options.markdown is not None:
        tables = "\n".join(table(rows, part) for part in (NETWORKS, MORE))
        write_atomically(options.markdown, tables + "\n" + summary(rows))
    return int(any(row.ours > row.other for row in rows))


if __name__ == "__main__":
    sys.exit(main())
