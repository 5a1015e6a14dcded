"""Bridges: costs of a message, the stationary degree, benchmarks and fits, files for launchers.

What an answer in microseconds rests on, and what a user runs: each is worked out again from its
definition, by loops over items, nodes and lines.
"""

from __future__ import annotations

import math
import random
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import lccmodel as lcc
from lccmodel import pipelining
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.lattice import fat_tree
from lccmodel.network import hosts as rank_files
from lccmodel.placement.mapping import spmd
from lccmodel.reading.hostlist import Host
from proofs_check.cases import on_meshes, seeds
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.calmant_pipeline import total_steps
from proofs_check.claims.lattice_fattree import busiest
from proofs_check.claims.library_loads import both_ways
from proofs_check.domain import PAIRS

_SEEDS = 20


# -- the cost of one message ---------------------------------------------------------------------


def _logged(L: int, o: int, g: int, G: int, items: int) -> int:
    """LogGP, item by item: when the message has arrived, and not before the next may be sent."""
    clock = o
    for _ in range(items - 1):
        clock += G
    return max(clock + L + o, g)


def _between(sizes: Sequence[int], times: Sequence[int], items: int) -> Fraction:
    """On the straight line through the two measured sizes next to a size."""
    k = sum(size < items for size in sizes[1:-1])
    share = Fraction(items - sizes[k], sizes[k + 1] - sizes[k])
    return times[k] + share * (times[k + 1] - times[k])


@claim(
    "library.message_cost",
    place="lccmodel.pipelining.Piecewise, Linear",
    says="Piecewise.loggp is LogGP counted item by item, Piecewise.table lies on the straight "
    "lines between its sizes, of which the last goes on, segments hold up to and with their last "
    "size, Linear is α + Lτ",
    over=seeds(_SEEDS, f"{_SEEDS} random costs of n pieces each", (2, 3, 4)),
    evidence="items counted one by one; lines through neighbouring sizes",
    control=Control("a segment ends before its last size", before=1),
)
def library_message_cost(n: int, seed: int, *, before: int = 0) -> Finding:
    """[calmant (1)]; LogGP of Alexandrov and others."""
    draw = random.Random(f"{n} {seed}")
    L, o, G = draw.randint(0, 9), draw.randint(0, 4), draw.randint(0, 3)
    g = draw.randint(0, 30)
    sizes = sorted(draw.sample(range(1, 40), n))
    times = sorted(draw.sample(range(1, 80), n))
    lines = [(draw.randint(1, 30), draw.randint(1, 9)) for _ in range(n)]
    ends = [*sizes[:-1], None]
    logged = pipelining.Piecewise.loggp(L, o, g, G)
    table = pipelining.Piecewise.table(sizes, times)
    cut = pipelining.Piecewise([(e, a, t) for e, (a, t) in zip(ends, lines, strict=True)])
    for items in range(1, 50):
        k = sum(end is not None and end - before < items for end in ends)
        counted = [
            _logged(L, o, g, G, items),
            _between(sizes, times, items),
            lines[k][0] + items * lines[k][1],
            lines[0][0] + items * lines[0][1],
        ]
        given = [logged.time(items), table.time(items), cut.time(items)]
        given.append(pipelining.Linear(*lines[0]).time(items))
        if given[0] != counted[0] or given[2:] != counted[2:]:
            return Finding(False, items=items, answer=given, counted=counted)
        if items >= sizes[0] and given[1] != counted[1]:
            return Finding(False, items=items, answer=given[1], counted=counted[1])
    return Finding(True)


# -- the degree where T is stationary ------------------------------------------------------------


@claim(
    "library.stationary",
    place="lccmodel.pipelining.stationary_point",
    says="stationary_point is the Q where (A + BQ)(α + Nτ/Q) + b(Q + d - 1) has no slope, with "
    "A + BQ the steps of the deep regime",
    over=on_meshes("all d = n on one, two and three axes, four machines each", seed=range(4)),
    evidence="A and B from the steps counted at two degrees, the square of Q* as a fraction",
    control=Control("without the barrier", barrier=0),
    sizes=Sizes(most=6, limit=8),
)
def library_stationary(d: int, c: int, seed: int, *, barrier: int = 1) -> Finding:
    """[calmant, section 3.3]: dT/dQ = Bα + b - A N τ / Q²."""
    draw = random.Random(f"{d} {c} {seed}")
    N, alpha, tau, b = (draw.randint(1, 90) for _ in range(4))
    at = [total_steps(d, Q, c, "load", True) for Q in (d, d + 1)]
    B = at[1] - at[0]
    A = at[0] - B * d
    counted = Fraction(A * N * tau, B * alpha + barrier * b)
    values = {"d": d, "N": N, "alpha": alpha, "tau": tau, "b": b}
    given = pipelining.stationary_point(c, "load").subs(values) ** 2
    return Finding(Fraction(str(given)) == counted, answer=str(given), counted=counted)


# -- fat trees by their formula ------------------------------------------------------------------


@claim(
    "library.fat_tree_formula",
    place="lccmodel.lattice.fat_tree.fat_tree_loads",
    says="the busiest upward and the busiest downward channel of every level of the binary tree, "
    "by ranks, for gathers and scatters, routed by destination and by source",
    over=PAIRS,
    evidence="every message led up and down switch by switch",
    control=Control("downwards as upwards", upwards=True),
    sizes=Sizes(most=3, limit=3),
)
def library_fat_tree_formula(A: GF2Matrix, b: GF2Vector, *, upwards: bool = False) -> Finding:
    """The binary tree of 2^n hosts: levels 1 .. n - 1 name one low bit each."""
    n = A.n_rows
    for c, pairs in both_ways(A, b):
        for routing in ("d-mod-k", "s-mod-k"):
            links = iter(busiest(pairs, n, by_source=routing == "s-mod-k"))
            counted = list(zip(links, links, strict=True))
            given = [tuple(x) for x in fat_tree.fat_tree_loads(c, range(1, n), routing)]
            if upwards:
                given = [(up, up) for up, _ in given]
            if given != counted:
                return Finding(False, kind=c.kind, routing=routing, answer=given, counted=counted)
    return Finding(True)


# -- what benchmarks print -----------------------------------------------------------------------


@claim(
    "library.measurements",
    place="lccmodel.calibration.read_measurements",
    says="sizes and microseconds of the latencies that the OSU benchmarks print, and of their "
    "bandwidths: bytes by 10^6 bytes a second, which are no start-up",
    over=seeds(_SEEDS, f"{_SEEDS} random outputs of n lines each", (4, 7)),
    evidence="the numbers that the lines are written from",
    control=Control("a bandwidth in 2^20 bytes a second", mega=1 << 20),
)
def library_measurements(n: int, seed: int, *, mega: int = 10**6) -> Finding:
    """The headers of version 5 and 6 of the benchmarks."""
    draw = random.Random(f"{n} {seed}")
    sizes = sorted(draw.sample(range(1, 5000), n))
    numbers = [draw.randint(100, 90000) / 100 for _ in sizes]
    lines = "".join(f"{s:<10d}{x:>15.2f}\n" for s, x in zip(sizes, numbers, strict=True))
    for head, is_rate in (("Latency (us)", False), ("Bandwidth (MB/s)", True)):
        what = head.split(" ")[0]
        text = f"# OSU MPI {what} Test v5.6\n# Size          {head}\n{lines}"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "osu")
            path.write_text(text, encoding="utf-8")
            found = lcc.calibration.read_measurements(path)
        times = [
            s / (x * mega) * 1e6 if is_rate else x for s, x in zip(sizes, numbers, strict=True)
        ]
        same = all(
            math.isclose(a, b, rel_tol=1e-9) for a, b in zip(found.times, times, strict=True)
        )
        if list(found.sizes) != sizes or not same or found.start_up == is_rate:
            return Finding(False, head=head, answer=list(found.times), counted=times)
    return Finding(True)


# -- lines through measured times ------------------------------------------------------------------


def _least_line(sizes: Sequence[int], times: Sequence[float]) -> tuple[float, float]:
    """α and τ of the least sum of relative errors, by trying all lines that may have it."""
    points = list(zip(sizes, times, strict=True))
    lines = [(t, 0.0) for _, t in points] + [(0.0, t / s) for s, t in points]
    for (s, t), (longer, more) in combinations(points, 2):
        tau = (more - t) / (longer - s)
        lines.append((t - tau * s, tau))
    right = [(a, tau) for a, tau in lines if a >= 0 and tau >= 0]
    return min(right, key=lambda line: sum(abs(t - line[0] - line[1] * s) / t for s, t in points))


def _median_odds(values: Sequence[float]) -> dict[float, Fraction]:
    """How likely each of five different values is the median of five draws from them."""
    odds: Counter[float] = Counter(sorted(drawn)[2] for drawn in product(values, repeat=5))
    return {value: Fraction(count, 5**5) for value, count in odds.items()}


def _share_below(found: list[tuple[float, Fraction]], end: float) -> tuple[Fraction, Fraction]:
    """How likely a fit lies below an end, and not above it."""
    near = 1e-9 * abs(end)
    below = sum((p for value, p in found if value < end - near), Fraction(0))
    return below, sum((p for value, p in found if value <= end + near), Fraction(0))


@claim(
    "library.fit_intervals",
    place="lccmodel.calibration.fit",
    says="of the lines through repetitions drawn again, three tenths lie below and three tenths "
    "above each interval of confidence 2/5, as far as 200 draws can tell",
    over=seeds(_SEEDS, f"{_SEEDS} random measurements of n sizes, five times each", (4,)),
    evidence="all lines through two points; all draws of repetitions with their probabilities",
    control=Control("an end beyond which three fifths lie", beyond=Fraction(3, 5)),
)
def library_fit_intervals(n: int, seed: int, *, beyond: Fraction = Fraction(3, 10)) -> Finding:
    """The share of 200 draws is within 0.13 of the true one, four standard deviations."""
    draw = random.Random(f"{n} {seed}")
    sizes = sorted(draw.sample(range(1, 5000), n))
    groups = [[(3 + s / 100) * draw.uniform(0.7, 1.3) for _ in range(5)] for s in sizes]
    found = lcc.calibration.fit(
        lcc.calibration.Measurements(np.repeat(sizes, 5), np.ravel(groups)),
        confidence=0.4,
        segments=1,
    )
    fits = []
    for medians in product(*(_median_odds(group).items() for group in groups)):
        line = _least_line(sizes, [time for time, _ in medians])
        fits.append((*line, math.prod((p for _, p in medians), start=Fraction(1))))
    kinds = {
        "alpha": [(a, p) for a, _, p in fits],
        "tau": [(t, p) for _, t, p in fits],
        "ratio": [(a / t if t else math.inf, p) for a, t, p in fits],
    }
    for name, values in kinds.items():
        low, high = getattr(found, f"{name}_interval")
        least, most = _share_below(values, low)
        if not least - Fraction(13, 100) <= beyond <= most + Fraction(13, 100):
            return Finding(False, of=name, low=low, below=float(least))
        least, most = _share_below(values, high)
        if not least - Fraction(13, 100) <= 1 - beyond <= most + Fraction(13, 100):
            return Finding(False, of=name, high=high, below=float(least))
    return Finding(True)


# -- what a launcher and MPI are given -----------------------------------------------------------


class _Post:
    """The messages of all ranks, for programs that are run one after the other."""

    def __init__(self) -> None:
        self.sent: dict[tuple[int, int], list[Any]] = {}

    def rank(self, p: int) -> Any:
        def send(item: Any, dest: int, tag: int) -> Any:
            self.sent.setdefault((p, dest), []).append(item)
            return SimpleNamespace(wait=lambda: None)

        def receive(source: int, tag: int) -> Any:
            return self.sent[source, p].pop(0)

        return SimpleNamespace(Get_rank=lambda: p, isend=send, recv=receive)


def _stated(text: str, n: int) -> set[tuple[int, int]]:
    """The messages that the equations in the head of a program mean, as (source, destination)."""
    lines = re.findall(r"^    ([xy])(\d+) = (.*)$", text.split('"""')[1], re.MULTILINE)
    found = set()
    for node in range(1 << n):
        other = 0
        for _, i, right in lines:
            terms = right.split(" + ")
            ones = sum(term == "1" for term in terms)
            ones += sum(node >> int(term[1:]) & 1 for term in terms if term[0] in "xy")
            other |= ones % 2 << int(i)
        found.add((node, other) if lines[0][0] == "y" else (other, node))
    return found


@claim(
    "library.launched",
    place="lccmodel.placement.mapping.spmd, lccmodel.network.hosts",
    says="the program that spmd writes says y = Ax + b and its number of processes, and moves "
    "every item to where it belongs on any processors; a rank file puts virtual processor v on "
    "slot to_physical[v], hosts that are named again going on",
    over=PAIRS,
    evidence="the program run, its equations and lines read, messages followed one by one",
    control=Control("the inverse of the mapping", inverse=True),
    sizes=Sizes(most=2, limit=3),
)
def library_launched(A: GF2Matrix, b: GF2Vector, *, inverse: bool = False) -> Finding:
    """[hou, Fig. 1(d)]"""
    n, size = A.n_rows, 1 << A.n_rows
    turned = [(v + 1) % size for v in range(size)]
    back = [turned.index(p) for p in range(size)]
    place = back if inverse else turned
    for c, pairs in both_ways(A, b):
        text = spmd.spmd_program(c, to_physical=turned)
        if _stated(text, n) != set(pairs) or f"mpiexec -n {size} " not in text:
            return Finding(False, stated=sorted(_stated(text, n)), messages=pairs)
        module: dict[str, Any] = {"__name__": "launched"}
        exec(compile(text, "launched", "exec"), module)
        arrived, expected = _arrived(module, size), {(place[x], place[y]) for x, y in pairs}
        if arrived != expected:
            return Finding(False, arrived=sorted(arrived), expected=sorted(expected))
    hosts = [Host("a", 1), Host("b", 1)] * (size // 2)
    lines = rank_files.open_mpi_rankfile(turned, hosts).splitlines()
    slots = [f"{'ab'[p % 2]} slot={p // 2}" for p in range(size)]
    expected_lines = [f"rank {v}={slots[turned[v]]}" for v in range(size)]
    return Finding(lines == expected_lines, answer=lines, expected=expected_lines)


def _arrived(module: dict[str, Any], size: int) -> set[tuple[int, int]]:
    """From which processor an item came to which: all send, then all receive."""
    post = _Post()
    ranks = [post.rank(p) for p in range(size)]
    here = [module["v_rank"](rank) for rank in ranks]
    for rank, i in zip(ranks, here, strict=True):
        for v in module["partners"](i)[0]:
            module["v_send"](rank, v, ("item", i, v))
    found = set()
    for (p, q), items in post.sent.items():
        for _, i, v in items:
            if here[p] == i and here[q] == v:
                found.add((p, q))
    return found
