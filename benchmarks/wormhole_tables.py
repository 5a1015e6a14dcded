"""Measure the simulated tables of docs/hou_section6.md and docs/wormhole_quality.md.

    python -m benchmarks.wormhole_tables [NAME ...]

Rows are printed as on the pages; without names all tables, in about ten minutes of a core. A given
seed produces identical rows on every machine; `speed` is CPU time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from benchmarks.wormhole import delivered_by, permutation, traffic
from lccmodel.communication import catalog
from lccmodel.communication.lcc import LCC
from lccmodel.gf2 import GF2Matrix
from lccmodel.network import Hypercube, Mesh
from lccmodel.placement.contention import contention
from lccmodel.wormhole.booksim import BookSim, read_booksim
from lccmodel.wormhole.curves import FIGURES, candidates, highest_load, sustained_throughput
from lccmodel.wormhole.fft_program import FFTProgram
from lccmodel.wormhole.message_engine import run_messages
from lccmodel.wormhole.plan import wiring
from lccmodel.wormhole.published import half_up
from lccmodel.wormhole.simulation import Simulation

CUBE, F = Hypercube(8), 20
POINTS = (1 << 8, 1 << 10, 1 << 12, 1 << 14)
Rows = Iterator[tuple[Any, ...]]

COVERAGE = [
    *(("one sender", *case) for case in [(0.1, 100_000), (0.3, 5000), (0.3, 20_000), (0.5, 20_000),
      (0.5, 100_000), (0.7, 50_000), (0.8, 100_000), (0.8, 400_000), (0.85, 200_000),
      (0.9, 100_000), (0.9, 400_000), (0.9, 1_000_000)]),
    *(("transpose", *case) for case in [(0.06, 20_000), (0.08, 100_000), (0.09, 100_000)]),
]  # fmt: skip
"""What sends, the load, the cycles."""


@cache
def prepared(kind: str) -> Simulation:
    if kind == "one sender":
        return Simulation.of([(0, 1)], Hypercube(1))
    return Simulation.of(catalog.matrix_transpose(8), CUBE)


def one_sender(load: float) -> float:
    """The mean latency of M/D/1 with a service of F + 1 cycles: 1 + 2 + F - 1 and the wait.

    Rounding arrivals up to whole cycles rounds the start of every service up by as much.
    """
    use = load * (F + 1) / F
    return F + 2 + use * (F + 1) / (2 * (1 - use))


def covered(kind: str, load: float, cycles: int, runs: int, truth: float) -> tuple[int, float]:
    """(runs that settled, the share of them whose interval holds the truth)."""
    results = [prepared(kind).run(load, F, cycles, seed=seed) for seed in range(1, runs + 1)]
    held = [r.interval.low <= truth <= r.interval.high for r in results if r.settled]
    return len(held), float(np.mean(held)) if held else float("nan")


def coverage() -> Rows:
    yield "", "load", "cycles", "settled of 200", "of these cover", "truth"
    long = cache(lambda load: [prepared("transpose").run(load, F, 2_000_000, seed=s).latency
                               for s in range(1001, 1013)])  # fmt: skip
    for kind, load, cycles in COVERAGE:
        truth = one_sender(load) if kind == "one sender" else float(np.mean(long(load)))
        settled, share = covered(kind, load, cycles, 200, truth)
        yield kind, load, f"{cycles:,}", settled, f"{share:.1%}" if settled else "flagged", truth


def ties() -> Rows:
    """Cycles of the bit reversal, by routing and tie rule."""
    yield "routing", "tie rule", *POINTS
    for routing, tie in product(("e-cube", "minimum-restriction", "p-cube"), FIXED):
        program = FFTProgram.on(CUBE, routing, None, tie)
        yield routing, tie, *(program.reversal(m) for m in POINTS)
    for routing in ("minimum-restriction", "p-cube"):
        program = FFTProgram.on(CUBE, routing, None, "random")
        drawn = [[program.reversal(m, seed=s) for s in range(1, 101)] for m in POINTS]
        yield routing, "random, 100 seeds", *(f"{min(row)}-{max(row)}" for row in drawn)


def rare() -> Rows:
    """How many seeds of p-cube's random ties give 238 and 239 cycles for 2^8 points."""
    program = FFTProgram.on(CUBE, "p-cube", None, "random")
    few = Counter(program.reversal(POINTS[0], seed=s) for s in range(100_000))
    yield "of 100,000 seeds", few[238], few[239]


FIXED: Any = ("lowest-input", "highest-input", "oldest")


def barriers() -> Rows:
    """Execution in µs, with barriers and without, ties to the lowest input."""
    yield (
        "points",
        "e-cube",
        "none",
        "min",
        "none",
        "p-cube",
        "none",
        "map",
        "none",
        "e-cube, cycles",
    )
    asked = [("e-cube", None), ("minimum-restriction", None), ("p-cube", None)]
    programs = [FFTProgram.on(CUBE, *each) for each in (*asked, ("e-cube", "optimal"))]
    for m in POINTS:
        found = [program.run(m, barrier=wait) for program in programs for wait in (True, False)]
        near = (sum(each.neighbour_cycles) for each in found[:2])
        yield m, *(half_up(each.execution) for each in found), "{} and {}".format(*near)


def sustained() -> Rows:
    """Figures 5 to 7 on cube:8, 200,000 cycles, five seeds (two for reconstructed rules)."""
    yield "curve", *FIGURES.values()
    found: dict[str, list[Any]] = {}
    for figure in FIGURES:
        c, chosen = candidates(figure)
        for one in chosen:
            seeds = (1, 2) if one.tie else (1, 2, 3, 4, 5)
            own: Any = {"mapping": one.mapping, "tie": one.tie or "lowest-input"}
            if one.label != "M-G (2)" or figure == min(FIGURES):
                at = sustained_throughput(c, CUBE, one.routing, seeds=seeds, **own)
                shown = f"{at.throughput:.3f}" if one.tie else f"{at.throughput:.3f} {_ends(at)}"
                found.setdefault(one.label, []).append(shown)
    yield from ((label, *row) for label, row in found.items())
    c, chosen = candidates(min(FIGURES))
    long = sustained_throughput(c, CUBE, cycles=1_000_000, seeds=(1,), mapping=chosen[3].mapping)
    yield "M-S, a million cycles", f"{long.throughput:.3f}"


def _ends(at: Any) -> str:
    return f"[{at.interval.low:.3f}, {at.interval.high:.3f}]"


def overload() -> Rows:
    """What is delivered at load 0.3."""
    yield "routing", *FIGURES.values()
    for routing in ("e-cube", "p-cube", "minimum-restriction"):
        runs = [
            Simulation.of(catalog.build(name, 8), CUBE, routing).run(0.3, F, 100_000, seed=1)
            for name in FIGURES.values()
        ]
        yield routing, *(f"{run.throughput:.3f}" for run in runs)


ORDERS = [(3, 4, 0, 7, 2, 5, 1, 6), (0, 7, 3, 4, 1, 6, 5, 2), (0, 7, 4, 3, 1, 6, 2, 5),
          (0, 7, 4, 3, 1, 6, 5, 2)]  # fmt: skip


def orders() -> Rows:
    """Four orders of equal degrees for the transpose, five seeds."""
    yield "order", "sustained"
    for order in ORDERS:
        at = sustained_throughput(catalog.matrix_transpose(8), CUBE, mapping=order)
        yield order, f"{at.throughput:.3f} {_ends(at)}"


def exchanges(free: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """All ways to put the bits in pairs."""
    if not free:
        yield ()
        return
    for partner in free[1:]:
        rest = [bit for bit in free[1:] if bit != partner]
        for others in exchanges(rest):
            yield ((free[0], partner), *others)


def crossings(pairs: Sequence[tuple[int, int]]) -> int:
    return sum(a < c < b < d for a, b in pairs for c, d in pairs)


def exchanging(pairs: Sequence[tuple[int, int]]) -> LCC:
    """The permutation that exchanges the two bits of every pair."""
    order = list(range(2 * len(pairs)))
    for a, b in pairs:
        order[a], order[b] = b, a
    return LCC(GF2Matrix.from_order(order))


def pairings() -> Rows:
    """What is sustained, as a share of the bound: 60,000 cycles, one seed."""
    yield "degree", "pairings", "not crossing", "crossing"
    shares: dict[int, tuple[list[float], list[float]]] = {}
    for pairs in exchanges(range(8)):
        c = exchanging(pairs)
        degree = contention(c, CUBE).degree
        at = sustained_throughput(c, CUBE, cycles=60_000, seeds=(1,), tolerance=0.02 / degree)
        share = at.throughput / float(highest_load(degree, F))
        shares.setdefault(degree, ([], []))[crossings(pairs) > 0].append(share)
    for degree, both in sorted(shares.items()):
        ranges = [f"{min(own):.2f}-{max(own):.2f} ({len(own)})" if own else "" for own in both]
        yield degree, sum(map(len, both)), *ranges


def mesh() -> Rows:
    """Dimension order on mesh:8x8, uniform traffic of 5 flits, buffers of 8."""
    yield "virtual channels", "router_latency=2", "router_latency=4", "latencies alone at load 0.02"
    pairs = [(x, y) for x in range(64) for y in range(64) if x != y]
    for channels in (1, 2, 4, 8):
        pace: Any = {"depth": 8, "virtual_channels": channels, "link_latency": 1}
        made = [Simulation.of(pairs, Mesh((8, 8)), router_latency=r, **pace) for r in (2, 4)]
        over = [f"{each.run(0.6, 5, 20_000).throughput:.3f}" for each in made]
        yield channels, *over, "/".join(f"{each.run(0.02, 5, 20_000).latency:.1f}" for each in made)


def booksim() -> Rows:
    """Mean latencies by BookSim 2 and here, at ascending rates (docs/booksim.md)."""
    stored = json.loads((_STORED / "booksim.json").read_text())
    for case in stored["cases"]:
        stated = stored["common"] | case["configuration"] | {"sample_period": 3000}
        kind = stated["topology"]
        stated |= {"max_samples": 13, "routing_function": "dor" if kind == "mesh" else "dim_order"}
        with TemporaryDirectory() as temporary:
            file = Path(temporary, "case.cfg")
            file.write_text("".join(f"{name} = {value};\n" for name, value in stated.items()))
            read = read_booksim(file, closest=True, own_messages=stored["own_messages"])
        found = [f"{there:.1f} / {read.run(rate).packet_latency:.1f}"
                 for rate, there in case["points"]]  # fmt: skip
        yield read.network.spec, stated["traffic"], stated["packet_size"], *found


SAME_HARDWARE = [
    ("mesh", 2, 8, "transpose", 20, (0.03, 0.06)),
    ("mesh", 16, 2, "uniform", 4, (0.02, 0.04)),
    ("torus", 8, 3, "uniform", 4, (0.05, 0.1)),
]
"""Topology, k and n of BookSim 2, the traffic, the flits of a message, the injection rates."""


def beside() -> Rows:
    """Simulated cycles for a second of processor time from one file of BookSim, the best of three.

    BookSim 2 runs in turn if the variable BOOKSIM states the path of its program.
    """
    program = os.environ.get("BOOKSIM", "")
    there = "BookSim 2" if program else "BOOKSIM=PATH is required"
    yield "", "injection rate", "by arrival", "in turns", there, "", ""
    stored = Path(__file__).parent.parent / "tests" / "wormhole" / "booksim.json"
    common = json.loads(stored.read_text())["common"]
    for topology, k, n, sent, flits, rates in SAME_HARDWARE:
        ring = topology == "torus"
        stated = common | {"topology": topology, "k": k, "n": n, "traffic": sent}
        stated |= {"routing_function": "dim_order" if ring else "dor", "num_vcs": 1 + ring}
        stated |= {"packet_size": flits, "sim_type": "throughput", "sample_period": 10_000}
        stated |= {"warmup_periods": 1, "max_samples": 4}
        for rate in rates:
            with TemporaryDirectory() as temporary:
                file = Path(temporary, "case.cfg")
                lines = (stated | {"injection_rate": rate}).items()
                file.write_text("".join(f"{name} = {value};\n" for name, value in lines))
                turns = read_booksim(file, closest=True)
                simulation = turns.simulation
                timing = replace(simulation.timing, rounds=0)
                arrival = replace(turns, simulation=replace(simulation, timing=timing))
                here: dict[BookSim, list[float]] = {arrival: [], turns: []}
                there = []
                for read in here:
                    read.run()  # compiles
                for _ in range(3):
                    for read, paces in here.items():
                        begun = process_time()
                        read.run()
                        paces.append(read.cycles / (process_time() - begun))
                    there += [_booksim_pace(program, file)] if program else []
            best = [max(paces) for paces in here.values()]
            ratios = [f"{pace / max(there):.0f}" for pace in best] if there else []
            shown = [f"{pace:,.0f}" for pace in (*best, *([max(there)] if there else []))]
            yield turns.network.spec, rate, *shown, *ratios


def _booksim_pace(program: str, file: Path) -> float:
    """Cycles for a second of processor time, the making of the network included."""
    begun = os.times().children_user
    told = subprocess.run([program, file], capture_output=True, text=True).stdout
    return int(told.split("Time taken is ")[1].split()[0]) / (os.times().children_user - begun)


def booksim_runs() -> Rows:
    """BookSim 2's means over its seeds and ours over as many; both saturations.

    At 80 % of the saturation runs are ten times as long, and both means have a standard error.
    """
    yield (
        "network", "traffic", "F", "20 %", "40 %", "60 %", "80 %", "", "standard error",
        "saturation", "here",
    )  # fmt: skip
    for case, stated, read in _stored_runs():
        shown = []
        for rate, runs in case["points"][:3]:
            there = float(np.mean([latency for latency, *_ in runs]))
            shown.append(f"{there:.1f} / {np.mean(_latencies(read, rate, len(runs))):.1f}")
        long = replace(read, cycles=10 * read.cycles, warm_up=10 * read.warm_up)
        long = replace(long, period=10 * read.period)
        there, here = case["long"], _latencies(long, case["points"][3][0], len(case["long"]))
        mean = float(np.mean(there))
        error = np.hypot(np.std(there, ddof=1), np.std(here, ddof=1)) / np.sqrt(len(there))
        shown.append(f"{mean:.1f} / {np.mean(here):.1f}")
        shown += [f"{np.mean(here) / mean - 1:+.1%}", f"{error / mean:.1%}"]
        low, _ = case["saturation"]
        limit, _ = read.saturation(0.01 * low)
        network = (read.network.spec, stated["traffic"], stated["packet_size"])
        yield *network, *shown, f"{low:.4f}", f"{limit / low - 1:+.1%}"


def _stored_runs() -> Iterator[tuple[dict[str, Any], dict[str, Any], BookSim]]:
    """The configurations that BookSim ran, what their files state, and these files as read."""
    stored = json.loads((_STORED / "booksim_runs.json").read_text())
    for case in stored["cases"]:
        stated = stored["common"] | case["configuration"]
        with TemporaryDirectory() as temporary:
            for name, text in stored["files"].items():
                Path(temporary, name).write_text(text)
            file = Path(temporary, "case.cfg")
            file.write_text("".join(f"{name} = {value};\n" for name, value in stated.items()))
            yield case, stated, read_booksim(file, closest=True)


def _latencies(read: BookSim, rate: float, seeds: int) -> list[float]:
    return [replace(read, seed=k).run(rate).packet_latency for k in range(1, seeds + 1)]


_STORED = Path(__file__).parent.parent / "tests" / "wormhole"


def speed() -> Rows:
    """Cycles for a second of CPU time, the best of three."""
    yield "", "load", "shared wires", "wires of their own"
    for side, load, cycles in ((16, 0.05, 8000), (32, 0.005, 8000), (32, 0.02, 4000),
                               (32, 0.05, 2000)):  # fmt: skip
        made = permutation(side)
        shared = _pace(delivered_by(run_messages), made, load, cycles)
        own = _pace(delivered_by(run_messages), made, load, cycles, own_wires=True)
        yield f"torus:{side}^3", load, shared, own


def _pace(
    run: Callable[..., Any], made: Simulation, load: float, cycles: int, own_wires: bool = False
) -> str:
    wired, messages, _ = traffic(lambda: made, load, cycles)
    ready = (wiring(made.table, True) if own_wires else wired, messages, cycles)
    spent = []
    for _ in range(3):
        begun = process_time()
        run(ready)
        spent.append(process_time() - begun)
    return f"{cycles / min(spent):,.0f}"


TABLES: dict[str, Callable[[], Rows]] = {
    each.__name__: each
    for each in (
        coverage,
        ties,
        rare,
        barriers,
        sustained,
        overload,
        orders,
        pairings,
        mesh,
        booksim,
        beside,
        booksim_runs,
        speed,
    )
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wormhole_tables")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TABLES))
    asked = parser.parse_args(arguments).names or list(TABLES)
    if unknown := [name for name in asked if name not in TABLES]:
        parser.error(f"no table has such a name: {', '.join(unknown)}")
    for name in asked:
        print(f"\n{name}", flush=True)
        for row in TABLES[name]():
            print("|", *(f"{entry} |" for entry in row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
