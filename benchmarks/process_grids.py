"""Process grids on tori: placements against JAX's, Open MPI's and Scotch's.

    python -m benchmarks.process_grids [--seconds S] [--records FILE] [--markdown FILE] NETWORK ...

All power-of-two grids of two and three axes, in every order of sides; rings with equal volumes,
rings with the first axis eight times as heavy and with the last, all-to-all along every axis. The
busiest channel with all axes at once ("joint") is compared under dimension-ordered routing: loads
of channels, not step times. JAX is `create_device_mesh` on mock TPU devices with coordinates,
physical axes split where they must be; Open MPI starts rank r on node r, as its default mapping
by slots does. The run fails if an answer is worse than a peer's. With --records a run that was
stopped goes on where it was: rows that are there are not measured again, but bounded again.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from lccmodel.communication.grids import ProcessGrid
from lccmodel.communication.program import Program
from lccmodel.ground.files import write_atomically
from lccmodel.network import Torus, parse_network
from lccmodel.placement.search import place_grid
from lccmodel.placement.search.bounds import lower_bound
from lccmodel.placement.search.problem import Demand, demand_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.scotch import scotch_placement

NETWORKS = ("torus:8x8", "torus:16x16", "torus:4x4x4", "torus:8x8x8")
PATTERNS = ("rings", "rings, first axis 8", "rings, last axis 8", "all-to-all")


@dataclass(frozen=True)
class Device:
    """What `create_device_mesh` looks at in a TPU."""

    id: int
    coords: tuple[int, ...]
    platform: str = "tpu"
    device_kind: str = "TPU v4"
    process_index: int = 0
    slice_index: int = 0
    core_on_chip: int = 0


@dataclass(frozen=True)
class Row:
    """One pattern of one grid on one torus: busiest channels."""

    network: str
    sides: tuple[int, ...]
    pattern: str
    jax: Fraction | None
    ordered: Fraction
    scotch: Fraction
    ours: Fraction
    bound: Fraction
    optimal: bool

    @property
    def split(self) -> bool:
        """Whether a logical axis cannot be made of whole physical axes."""
        lengths = [int(side) for side in self.network.partition(":")[2].split("x")]
        return not _fits(list(self.sides), lengths)


def _fits(sides: list[int], lengths: list[int]) -> bool:
    if not sides:
        return not lengths
    chosen = (
        [k for k in range(len(lengths)) if mask >> k & 1] for mask in range(1 << len(lengths))
    )
    return any(
        _fits(sides[1:], [n for k, n in enumerate(lengths) if k not in subset])
        for subset in chosen
        if math.prod(lengths[k] for k in subset) == sides[0]
    )


def grids(size: int) -> Iterator[tuple[int, ...]]:
    """All power-of-two grids of two and three axes, each side at least 2."""
    bits = size.bit_length() - 1
    for axes in (2, 3):
        for widths in product(range(1, bits), repeat=axes):
            if sum(widths) == bits:
                yield tuple(1 << w for w in widths)


def jax_placement(sides: tuple[int, ...], torus: Torus) -> Any:
    """The node of every rank by `create_device_mesh`, or None where it gives none."""
    from jax.experimental.mesh_utils import create_device_mesh

    devices = []
    for node in range(torus.size):
        coordinates = torus.coordinates(node)
        devices.append(Device(node, (*coordinates, *[0] * (3 - len(coordinates)))))
    try:
        mesh = create_device_mesh(sides, devices, allow_split_physical_axes=True)
    except NotImplementedError:
        return None
    return np.array([device.id for device in mesh.ravel()], np.int64)


def programs(sides: tuple[int, ...]) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """(name, pattern, volumes)."""
    ones = (1,) * len(sides)
    yield PATTERNS[0], "rings", ones
    yield PATTERNS[1], "rings", (8, *ones[1:])
    yield PATTERNS[2], "rings", (*ones[1:], 8)
    yield PATTERNS[3], "all-to-all", ones


def value(demand: Demand, routes: Routes, node_of: Any) -> Fraction:
    """The busiest channel."""
    return Fraction(demand.value(demand.loads(node_of, routes), routes)) * demand.unit


def measured(sides: tuple[int, ...], word: str, seconds: float) -> Iterator[Row]:
    """The rows of one grid."""
    network = parse_network(word)
    assert isinstance(network, Torus)
    routes = Routes.of(network)
    by_jax = jax_placement(sides, network)
    for name, pattern, volumes in programs(sides):
        program: Program = ProcessGrid(sides).program(pattern, volumes)
        demand = demand_of(program, "joint", None, routes)
        scotch = scotch_placement(demand, routes)
        m = place_grid(sides, network, pattern, volumes, seconds=seconds)
        yield Row(
            network=word,
            sides=sides,
            pattern=name,
            jax=None if by_jax is None else value(demand, routes, by_jax),
            ordered=Fraction(m.before.value),
            scotch=value(demand, routes, scotch),
            ours=Fraction(m.after.value),
            bound=Fraction(m.lower_bound),
            optimal=m.optimal,
        )


def bounded(row: Row) -> Row:
    """The row with the better of its lower bound and the one that takes no eigenvalues, today."""
    network = parse_network(row.network)
    pattern, volumes = next(rest for name, *rest in programs(row.sides) if name == row.pattern)
    program: Program = ProcessGrid(row.sides).program(pattern, volumes)
    routes = Routes.of(network)
    demand = demand_of(program, "joint", None, routes)
    bound = max(row.bound, lower_bound(demand, routes, arguments="counting").value * demand.unit)
    return replace(row, bound=bound, optimal=row.ours == bound)


def written(row: Row) -> str:
    """A line of the records."""
    return json.dumps(asdict(row), default=str)


def read(line: str) -> Row:
    """The row of a line of the records."""
    told = json.loads(line)
    for key in ("jax", "ordered", "scotch", "ours", "bound"):
        told[key] = None if told[key] is None else Fraction(told[key])
    return Row(**told | {"sides": tuple(told["sides"])})


def worse(row: Row) -> bool:
    """Whether a peer does better."""
    peers = [row.ordered, row.scotch] + ([] if row.jax is None else [row.jax])
    return row.ours > min(peers)


def table(rows: list[Row]) -> str:
    """Markdown: for each torus and pattern, how often and by how much the peers are above ours."""
    headings = (
        "torus", "pattern", "grids", "split", "JAX above ours", "JAX / ours, split",
        "in order / ours", "Scotch / ours", "bound met or proved", "worst gap to the bound",
    )  # fmt: skip
    lines = [f"| {' | '.join(headings)} |", "| --- " * len(headings) + "|"]
    for word in dict.fromkeys(row.network for row in rows):
        for pattern in PATTERNS:
            part = [row for row in rows if (row.network, row.pattern) == (word, pattern)]
            split = [row for row in part if row.split]
            known = [row for row in part if row.jax is not None]
            above = sum(row.jax is not None and row.jax > row.ours for row in known)
            gap = max((row.ours / row.bound for row in part if row.bound), default=Fraction(1))
            lines.append(
                f"| {word} | {pattern} | {len(part)} | {len(split)} | {above} of {len(known)} "
                f"| {_ratio([(r.jax, r.ours) for r in split if r.jax is not None])} "
                f"| {_ratio([(r.ordered, r.ours) for r in part])} "
                f"| {_ratio([(r.scotch, r.ours) for r in part])} "
                f"| {sum(r.optimal for r in part)} | {float(gap):.2f} × |"
            )
    return "\n".join(lines) + "\n"


def _ratio(pairs: list[tuple[Fraction, Fraction]]) -> str:
    """Geometric mean and largest."""
    if not pairs:
        return "-"
    ratios = [float(peer / ours) for peer, ours in pairs]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{mean:.2f} (up to {max(ratios):.2f})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=list(NETWORKS))
    parser.add_argument("--seconds", type=float, default=1.0, help="nominal, a case")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop after so many")
    parser.add_argument("--markdown", type=Path, help="write the table")
    parser.add_argument("--records", type=Path, help="keep rows here, a line each, and go on")
    options = parser.parse_args()
    known: Path | None = options.records
    lines = known.read_text().splitlines() if known is not None and known.exists() else []
    read_rows = [read(line) for line in lines]
    done = {(row.network, row.sides) for row in read_rows if row.pattern == PATTERNS[-1]}
    kept = {(row.network, row.sides, row.pattern): row for row in read_rows}
    rows = [bounded(row) for key, row in kept.items() if key[:2] in done]
    start = time.monotonic()
    for word in options.networks:
        for sides in grids(parse_network(word).size):
            if (word, sides) in done:
                continue
            if time.monotonic() - start > 60 * options.minutes:
                print(f"stopped before {word} {sides}")
                break
            for row in measured(sides, word, options.seconds):
                rows.append(row)
                if known is not None:
                    with known.open("a") as file:
                        file.write(written(row) + "\n")
                print(
                    f"{word} {sides} {row.pattern}: JAX {row.jax}, in order {row.ordered}, "
                    f"Scotch {row.scotch}, ours {row.ours}, bound {row.bound}",
                    flush=True,
                )
    text = table(rows)
    print(text)
    if options.markdown is not None:
        write_atomically(options.markdown, text)
    return int(any(map(worse, rows)))


if __name__ == "__main__":
    sys.exit(main())
