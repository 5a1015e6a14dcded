"""Fourteen programs of today on twelve networks: `place` against tools and simple strategies.

    python -m benchmarks.placement_programs [--seconds S] [--records FILE] [--markdown FILE]
        [--networks "WORD WORD ..."]

Every program has 64 ranks and a fixed seed; networks are those of `placement_quality`, four fat
trees with taper, a dragonfly of 72 nodes, and a torus of 96 nodes of which 32 are taken, at random.
The peers: natural order, the best of three random placements, Scotch with three seeds, Hilbert
curves and snakes through the program's own coordinates and the network's, folds and blocks of the
program's grid, and greedy growth [Hoefler and Snir 2011]. `place` knows the coordinates, too.
Compared are the busiest channel with all phases at once (`joint`), and volume times distance
(`distance`), each with the bound that holds for all placements. On fat trees a bound counts ports
as fast as links, too: no placement ends sooner.
The suite fails if an answer is worse than a peer's.
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
from lccmodel.communication.products import grid_of
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.ground.files import write_atomically
from lccmodel.ground.numbers import number_text
from lccmodel.network import parse_network
from lccmodel.papers.reproduction import digest
from lccmodel.placement.ports import port_volume
from lccmodel.placement.search import place
from lccmodel.placement.search.assignment import grown
from lccmodel.placement.search.bounds import lower_bound
from lccmodel.placement.search.layouts import along_curves, laid_in_folds
from lccmodel.placement.search.problem import demand_of, judged
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.scotch import scotch_placement
from lccmodel.placement.search.search_budget import moves_a_second

Points = npt.NDArray[Any]
Pairs = dict[tuple[int, int], int]


def _taken() -> str:
    """A torus of 96 nodes; a random third of them is taken."""
    free = np.sort(np.random.default_rng(SEED).permutation(96)[:RANKS])
    return f"torus:6x4x4,nodes={':'.join(map(str, free))}"


TAKEN = _taken()
MORE = (
    "fattree:8x8/4", "fattree:4x4x4/2x2", "fattree:16x16/4", "fattree:16x18/6", "dragonfly:2,4,2",
    TAKEN,
)  # fmt: skip
ALL = (*NETWORKS, *MORE)


@dataclass(frozen=True)
class Row:
    """One program on one network, for one objective: the best peer and the answer.

    Attributes:
        peer: the name of the peer that is best; `other`, its value.
        ours, optimal: the answer.
        aside: the other of busiest channel and volume times distance, of the answer.
        bound: of all placements; `earlier`, by the nearest places, groups, boxes and parts alone.
        ports: the largest volume at a host's port on a fat tree, else 0.
    """

    program: str
    network: str
    objective: str
    peer: str
    other: Fraction
    ours: Fraction
    aside: Fraction
    bound: Fraction
    earlier: Fraction
    ports: Fraction
    optimal: bool


# -- programs -------------------------------------------------------------------------------------


def programs() -> dict[str, tuple[Program, Points]]:
    """The fourteen, by name, with the coordinates of their ranks."""
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
    found["experts, uneven loads"] = _uneven_experts(rng), _grid((8, 8))
    found["halo 4x4x4 and a tree"] = _halo_and_tree(rng), _grid((4, 4, 4))
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


def _uneven_experts(rng: np.random.Generator) -> list[Pairs]:
    """Tokens go from 64 ranks to eight experts each, some experts much more popular, and back."""
    popular = 1 / (1 + np.arange(RANKS))
    sent: Pairs = {}
    for rank in range(RANKS):
        experts = rng.choice(RANKS, 8, replace=False, p=popular / popular.sum())
        for expert, tokens in zip(experts.tolist(), rng.integers(10, 100, 8).tolist(), strict=True):
            if expert != rank:
                sent[rank, expert] = tokens
    return [sent, {(expert, rank): tokens for (rank, expert), tokens in sent.items()}]


def _halo_and_tree(rng: np.random.Generator) -> list[Pairs]:
    """Faces of uneven volumes between neighbours, and a sum over a binary tree."""
    faces: Pairs = {}
    for rank, here in enumerate(_grid((4, 4, 4)).tolist()):
        for axis in range(3):
            if here[axis] < 3:
                there = list(here)
                there[axis] += 1
                near = _at((4, 4, 4), tuple(there))
                faces[rank, near] = faces[near, rank] = int(rng.integers(800, 1200))
    return [faces, {(rank, (rank - 1) // 2): 10 for rank in range(1, RANKS)}]


# -- measuring ------------------------------------------------------------------------------------


Mappings = list[npt.NDArray[np.int64]]


def curves(points: Points, routes: Routes, word: str) -> Mappings:
    """Placements along curves of the program's points, and of the network's, if it has any."""
    if "nodes=" in word:  # through the whole torus; nodes that are taken are passed over
        whole = parse_network(word.partition(",nodes=")[0])
        every = Routes.of(whole)
        line = np.arange(every.places)[:, None]
        curve = dict(along_curves(line, every))
        at = curve["the last axis first of the coordinates along that of the network"]
        nodes = parse_network(word).nodes
        job = np.argsort(np.argsort(at)[nodes])
        order = np.argsort(job)
        through = dict(along_curves(points, routes))["the Hilbert curve of the coordinates"]
        return [through, order[through]]
    return [node_of for _, node_of in along_curves(points, routes)]


def peers(program: Program, points: Points, word: str) -> dict[str, Mappings]:
    """Placements by tools and simple strategies."""
    routes = Routes.of(parse_network(word))
    merged = demand_of(program, "joint", None, routes).merged
    rng, grid = np.random.default_rng(SEED), grid_of(points)
    scotch = [scotch_placement(merged, routes, 2 * seed + 1) for seed in range(3)]
    made = {
        "natural": [np.arange(RANKS)],
        "random": [rng.permutation(routes.places)[:RANKS] for _ in range(3)],
        "Scotch": [placement for placement in scotch if placement is not None],
        "curve": curves(points, routes, word),
        "greedy": [grown(merged, routes)],
    }
    if not made["Scotch"]:
        raise SystemExit(f"the suite needs pyscotch, and Scotch a word for {word}")
    folds = [] if grid is None else [node_of for _, node_of in laid_in_folds(grid, routes)][:50]
    return made | ({"blocks": folds} if folds else {})


def measured(name: str, program: Program, points: Points, word: str, seconds: float) -> list[Row]:
    """The rows of both objectives."""
    network = parse_network(word)
    routes = Routes.of(network)
    others = peers(program, points, word)
    together = program[0].traffic
    for phase in program.phases[1:]:
        together = together + phase.traffic
    at_port = port_volume(program, network) if network.geometry.tree is not None else 0
    rows = []
    for objective in ("joint", "distance"):
        demand = demand_of(program, objective, None, routes)
        values = {
            peer: min(judged(demand, routes, node_of, peer).value for node_of in mappings)
            for peer, mappings in others.items()
        }
        peer = min(values, key=lambda one: values[one])
        moves = int(seconds * moves_a_second(demand, routes))  # no clock cuts them
        m = place(program, network, objective, "placements", moves=moves, coordinates=points)
        alone = m.channels  # a fat tree's own objective is the larger of channels and ports
        counted = network.channel_loads(together, node_of=m.node_of).degree
        assert counted == m.after.joint, "the network counts another busiest channel"
        hops = sum(
            volume * network.distance(m.node_of[s], m.node_of[d])
            for (s, d), volume in zip(
                together.messages.tolist(), together.volumes.tolist(), strict=True
            )
        )
        assert hops == m.after.distance, "the network counts another volume times distance"
        earlier = lower_bound(demand, routes, arguments="counting")
        aside = m.after.distance if objective == "joint" else m.after.joint
        assert aside is not None
        rows.append(Row(
            name, word, objective, peer, Fraction(demand.number(values[peer])),
            Fraction(alone.after.value), Fraction(aside), Fraction(alone.lower_bound),
            Fraction(demand.number(earlier.value)),
            Fraction(at_port if objective == "joint" else 0), alone.optimal,
        ))  # fmt: skip
    return rows


def table(rows: list[Row], networks: tuple[str, ...]) -> str:
    """Markdown: the best peer and its value / **ours**, of one objective."""
    shown = [row for row in rows if row.network in networks]
    networks = tuple(word for word in networks if any(row.network == word for row in shown))
    heads = [word.split(",nodes=")[0] + ("⅔" if "nodes=" in word else "") for word in networks]
    lines = [f"| program | {' | '.join(heads)} |", "| --- " * (len(networks) + 1) + "|"]
    for name in dict.fromkeys(row.program for row in rows):
        cells = [
            f"{row.peer} {number_text(row.other)} / **{number_text(row.ours)}**"
            f"{'*' if row.optimal else ''}"
            for row in shown
            if row.program == name
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def bounds_table(rows: list[Row]) -> str:
    """Markdown: value over bound in the geometric mean: earlier, now, and with ports of hosts."""
    lines = [
        "| network | objective | value over earlier bound | over bound | with ports |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for word in dict.fromkeys(row.network for row in rows):
        for objective in ("joint", "distance"):
            cells = [r for r in rows if (r.network, r.objective) == (word, objective) and r.bound]
            if not cells:
                continue
            ratios = [
                [row.ours / row.earlier if row.earlier else None for row in cells],
                [row.ours / row.bound for row in cells],
                [max(row.ours, row.ports) / max(row.bound, row.ports) for row in cells],
            ]
            means = [f"{_mean([r for r in part if r]):.2f}" for part in ratios]
            none = sum(row.earlier == 0 for row in cells)
            means[0] += f" ({none} without)" if none else ""
            means[2] = means[2] if any(row.ports for row in cells) else ""
            lines.append(f"| {word.split(',')[0]} | {objective} | {' | '.join(means)} |")
    return "\n".join(lines) + "\n"


def _mean(ratios: list[Fraction]) -> float:
    return float(np.exp(np.log([float(ratio) for ratio in ratios]).mean())) if ratios else 0.0


def summary(rows: list[Row]) -> str:
    """What the goals ask for."""
    lines = []
    for objective in dict.fromkeys(row.objective for row in rows):
        of = [row for row in rows if row.objective == objective]
        better = sum(row.ours < row.other for row in of)
        worse = [row for row in of if row.ours > row.other]
        names = "".join(
            f"; {r.program} on {r.network[:24]}: {r.ours} > {r.peer} {r.other}" for r in worse
        )
        lines.append(
            f"{objective}: {len(of)} cases, {better} strictly better than all peers, "
            f"{len(of) - better - len(worse)} equal to the best, {len(worse)} worse{names}; "
            f"{sum(r.optimal for r in of)} proved minimal\n"
        )
    return "".join(lines)


def known_rows(file: Path | None, version: str) -> dict[tuple[str, str], list[Row]]:
    """The rows in a file of records that this version has measured."""
    lines = file.read_text().splitlines() if file is not None and file.exists() else []
    rows: dict[tuple[str, str], list[Row]] = {}
    for record in map(json.loads, lines):
        if record.pop("version") == version:
            numbers = {k: Fraction(v) for k, v in record.items() if k in _NUMBERS}
            row = Row(**record | numbers)
            rows.setdefault((row.program, row.network), []).append(row)
    return rows


_NUMBERS = ("other", "ours", "aside", "bound", "earlier", "ports")


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
            cells = known.get((name, word))
            if cells is None:
                cells = measured(name, program, points, word, options.seconds)
                if options.records is not None:
                    with options.records.open("a") as file:
                        for row in cells:
                            record = asdict(row) | {"version": version}
                            file.write(json.dumps(record, default=str) + "\n")
            rows += cells
            for row in cells:
                print(name, word[:20], row.objective, row.peer, row.other, row.ours, flush=True)
    print(summary(rows))
    if options.markdown is not None:
        parts = [part for part in (NETWORKS, MORE) if set(part) & set(words)]
        tables = [
            f"{objective}\n\n" + table([r for r in rows if r.objective == objective], part)
            for objective in ("joint", "distance")
            for part in parts
        ]
        write_atomically(options.markdown, "\n".join([*tables, bounds_table(rows), summary(rows)]))
    return int(any(row.ours > row.other for row in rows))


if __name__ == "__main__":
    sys.exit(main())
