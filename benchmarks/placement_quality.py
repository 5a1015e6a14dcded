"""Quality of placements: 33 programs on 6 networks, against Scotch and natural numbering.

    python -m benchmarks.placement_quality [--seconds S] [--records FILE] [--markdown FILE]

Every program has 64 ranks and a fixed seed. The busiest channel with all phases at once
("joint") is compared; Scotch is its default mapping onto the same network. The suite fails if an
answer is worse than Scotch's or than natural numbering, and stops where the clock cut a search.
With --records a run that was stopped goes on where it was; a row that another version of the
package, or another time of search, has left is measured again.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from lccmodel.communication import catalog
from lccmodel.communication.grids import ProcessGrid
from lccmodel.communication.lcc import LCC
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.ground.files import write_atomically
from lccmodel.network import parse_network
from lccmodel.papers.reproduction import digest
from lccmodel.placement.search import place
from lccmodel.placement.search.problem import demand_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.scotch import scotch_placement

RANKS = 64
SEED = 2026
NETWORKS = ("cube:6", "mesh:8x8", "torus:8x8", "torus:4x4x4", "mesh:16x4", "origin:6")


@dataclass(frozen=True)
class Row:
    """One program on one network: busiest channels, and whether ours is proved least."""

    program: str
    network: str
    natural: Fraction
    scotch: Fraction
    ours: Fraction
    bound: Fraction
    optimal: bool


def programs() -> dict[str, Program]:
    """The 33 programs, by name."""
    rng = np.random.default_rng(SEED)
    found: dict[str, Any] = {}
    for name in ("matrix-transpose", "bit-reverse", "reverse-flip", "fft", "gray-code", "shift:5"):
        found[name] = [catalog.build(name, 6)]
    found["transpose and reversal"] = [
        catalog.build("matrix-transpose", 6), catalog.build("bit-reverse", 6)
    ]  # fmt: skip
    for sides in ((8, 8), (16, 4), (4, 4, 4), (32, 2)):
        word = "x".join(map(str, sides))
        found[f"rings {word}"] = ProcessGrid(sides).program("rings")
        found[f"all-to-all {word}"] = ProcessGrid(sides).program("all-to-all")
    found["rings 16x4, 8:1"] = ProcessGrid((16, 4)).program("rings", (8, 1))
    found["rings 2x4x8, 4:2:1"] = ProcessGrid((2, 4, 8)).program("rings", (4, 2, 1))
    found["halo 8x8"] = ProcessGrid((8, 8)).program("stencil")
    found["halo 16x4"] = ProcessGrid((16, 4)).program("stencil")
    stencil = Traffic(_along(ProcessGrid((8, 8)).program("rings")), ranks=RANKS)
    found["halo and transpose"] = [stencil, catalog.build("matrix-transpose", 6)]
    scramble = rng.permutation(RANKS)
    found["scrambled stencil"] = [stencil.placed(scramble, RANKS)]
    found["columns 8x8"] = [ProcessGrid((8, 8)).program("all-to-all").phases[0]]
    for each in (1, 2, 4, 8):
        found[f"{each} random a rank"] = [_random(rng, each)]
    found["random, volumes 1..100"] = [_random(rng, 3, 100)]
    found["random permutations"] = [
        np.stack([np.arange(RANKS), rng.permutation(RANKS)], 1) for _ in range(3)
    ]
    found["random pairs"] = [_pairs(rng)]
    found["random graph, degree 3"] = [_regular(rng, 3)]
    found["tree"] = [[(x, (x - 1) // 2) for x in range(1, RANKS)]]
    found["hub and ring"] = [
        [(x, (x + 1) % RANKS) for x in range(RANKS)] + [(x, 0) for x in range(8)]
    ]
    found["clusters of 8"] = [_clusters(rng)]
    return {name: _program(phases) for name, phases in found.items()}


def _program(phases: Any) -> Program:
    if isinstance(phases, Program):
        return phases
    known = (LCC, Traffic, Phase)
    return Program(
        [Phase(p if isinstance(p, known) else Traffic(p)) for p in map(_traffic, phases)]
    )


def _traffic(phase: Any) -> Any:
    return phase.traffic if isinstance(phase, Phase) else phase


def _along(program: Program) -> Any:
    return np.concatenate([phase.traffic.messages for phase in program.phases])


def _random(rng: np.random.Generator, each: int, volume: int = 1) -> Phase:
    sources = np.repeat(np.arange(RANKS), each)
    goals = rng.integers(0, RANKS, len(sources))
    volumes = rng.integers(1, volume + 1, len(sources))
    return Phase(Traffic(np.stack([sources, goals], 1), volumes, RANKS))


def _pairs(rng: np.random.Generator) -> Any:
    order = rng.permutation(RANKS).reshape(-1, 2)
    return np.concatenate([order, order[:, ::-1]])


def _regular(rng: np.random.Generator, degree: int) -> Any:
    return np.concatenate([_pairs(rng) for _ in range(degree)])


def _clusters(rng: np.random.Generator) -> Phase:
    """Much within groups of eight scattered ranks, little between them."""
    group = rng.permutation(RANKS) // 8
    every = np.argwhere(group[:, None] == group[None, :])
    inside = every[every[:, 0] != every[:, 1]]
    across = np.stack([rng.integers(0, RANKS, 64), rng.integers(0, RANKS, 64)], 1)
    volumes = np.concatenate([np.full(len(inside), 8), np.ones(64, int)])
    return Phase(Traffic(np.concatenate([inside, across]), volumes, RANKS))


def measured(name: str, program: Program, word: str, seconds: float) -> Row:
    """One row of the table."""
    network = parse_network(word)
    routes = Routes.of(network)
    demand = demand_of(program, "joint", None, routes)
    scotch = scotch_placement(demand.merged, routes)
    if scotch is None:
        raise SystemExit("the quality suite needs pyscotch")
    value = Fraction(demand.value(demand.loads(scotch, routes), routes)) * demand.unit
    m = place(program, network, "joint", "placements", seconds=seconds).channels
    if m.stopped:
        raise SystemExit(f"{name} on {word}: {m.stopped}; the machine is too busy")
    loads = [network.channel_loads(p.traffic, node_of=m.node_of).counts for p in program.phases]
    if all(p.weight == 1 for p in program.phases) and not _fractions(program):
        counted = int(sum(part.astype(int) for part in loads).max())
        assert counted == m.after.value, "the network counts another busiest channel"
    return Row(
        name, word, Fraction(m.before.value), value, Fraction(m.after.value),
        Fraction(m.lower_bound), m.optimal,
    )  # fmt: skip


def _fractions(program: Program) -> bool:
    return any(p.traffic.exact[1] != 1 for p in program.phases)


def table(rows: list[Row]) -> str:
    """Markdown: natural / Scotch / ours, with * where ours is proved least."""
    lines = [f"| program | {' | '.join(NETWORKS)} |", "| --- " * (len(NETWORKS) + 1) + "|"]
    for name in dict.fromkeys(row.program for row in rows):
        cells = [
            f"{row.natural} / {row.scotch} / **{row.ours}**{'*' if row.optimal else ''}"
            for row in rows
            if row.program == name
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def summary(rows: list[Row]) -> str:
    """What the goals ask for."""
    better = sum(row.ours < row.scotch for row in rows)
    proved = sum(row.optimal for row in rows)
    either = sum(row.ours < row.scotch or row.optimal for row in rows)
    worse = sum(row.ours > min(row.scotch, row.natural) for row in rows)
    return (
        f"{len(rows)} cases: {better} strictly better than Scotch, {proved} proved least, "
        f"{either} one or the other; {worse} worse than Scotch or natural numbering\n"
    )


def known_rows(file: Path | None, version: str) -> dict[tuple[str, str], Row]:
    """The rows in a file of records that this version has measured."""
    lines = file.read_text().splitlines() if file is not None and file.exists() else []
    found = {}
    for told in map(json.loads, lines):
        if told.pop("version") == version:
            for key in ("natural", "scotch", "ours", "bound"):
                told[key] = Fraction(told[key])
            found[told["program"], told["network"]] = Row(**told)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="nominal, a case")
    parser.add_argument("--records", type=Path, help="keep rows here, a line each, and go on")
    parser.add_argument("--markdown", type=Path, help="write the table")
    options = parser.parse_args()
    version = digest(str(options.seconds))
    known, rows = known_rows(options.records, version), []
    for name, program in programs().items():
        for word in NETWORKS:
            row = known.get((name, word)) or measured(name, program, word, options.seconds)
            rows.append(row)
            if options.records is not None and (name, word) not in known:
                with options.records.open("a") as file:
                    told = asdict(row) | {"version": version}
                    file.write(json.dumps(told, default=str) + "\n")
        print(table(rows[-len(NETWORKS) :]).splitlines()[-1], flush=True)
    print(summary(rows))
    if options.markdown is not None:
        write_atomically(options.markdown, table(rows) + "\n" + summary(rows))
    return int(any(row.ours > min(row.scotch, row.natural) for row in rows))


if __name__ == "__main__":
    sys.exit(main())
