"""Bridges: what a network sustains, and the parallel FFT, from worms that are simulated again."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np

import lccmodel as lcc
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.cases import seeds
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.hou_tables import butterflies
from proofs_check.claims.hou_worms import PENDING, Sent, grows, run, waiting_at
from proofs_check.claims.library_wormhole import worms
from proofs_check.stations import in_places
from proofs_check.walk import channel_loads, route

# -- sustained loads ----------------------------------------------------------------------------

_SEEDS, _CYCLES, _TOLERANCE = 6, 2000, 0.06
_LOADS = (0.1, 0.35, 0.7)


def _drawn(n: int, seed: int) -> lcc.LCC:
    """A communication in which some node sends to another one."""
    draw = random.Random(10 * n + seed)
    while True:
        A = GF2Matrix.from_rows([draw.randrange(1 << n) for _ in range(n)], n)
        c = lcc.LCC(A, draw.randrange(1 << n))
        if any(x != y for x, y in c.pairs().tolist()):
            return c


@cache
def _most(n: int, seed: int) -> int:
    """Messages on the busiest channel under e-cube, or that one node sends or receives."""
    pairs = [pair for pair in _drawn(n, seed).pairs().tolist() if pair[0] != pair[1]]
    ends = [Counter(pair[k] for pair in pairs) for k in (0, 1)]
    channels = channel_loads(route(x, y, range(n)) for x, y in pairs)
    return max(max(count.values()) for count in (*ends, channels))


@cache
def _measured(
    n: int, seed: int, load: float, flits: int, warm: int, longer: int
) -> tuple[float, float, bool]:
    """Throughput, latency, and whether the load is sustained [hou, section 6.1].

    The arrivals are the library's; when they enter and leave the network is simulated here. No
    load is sustained for which the busiest channel needs more than all cycles: F + 1 a message.
    """
    asked = lcc.wormhole.simulate(
        _drawn(n, seed), lcc.Hypercube(n), load=load, flits=flits, cycles=_CYCLES, seed=seed
    )
    order = np.lexsort((asked.ready, asked.source))
    counts = np.bincount(asked.source, minlength=1 << n)
    first = np.concatenate([[0], np.cumsum(counts)])
    ready = asked.ready[order]
    last = 2 * _CYCLES + n + flits + 1
    sent = Sent(first, ready, asked.destination[order])
    injected, delivered = run(sent, flits + longer, last_cycle=last)
    late = ready > warm
    out = int(((delivered > warm) & (delivered <= _CYCLES)).sum())
    senders = len({x for x, y in _drawn(n, seed).pairs().tolist() if x != y})
    throughput = out * flits / (_CYCLES - warm) / senders
    waiting = waiting_at(warm, _CYCLES, ready, injected)
    arrived = bool((delivered[late] < PENDING).all())
    latency = float((delivered - ready)[late].mean()) if late.any() and arrived else float("inf")
    overloaded = load * _most(n, seed) * (flits + longer + 1) > flits
    return throughput, latency, arrived and not grows(waiting) and not overloaded


@claim(
    "library.sustained",
    place="lccmodel.wormhole.curve, sustained_throughput",
    says="curve gives throughput and latency at every load up to the first that is not sustained; "
    "sustained_throughput halves the loads between one that is and one that is not, and names the "
    "throughput of the highest that is",
    over=seeds(_SEEDS, f"{_SEEDS} drawn communications under e-cube on a cube, {_CYCLES} cycles"),
    evidence="every flit moved by the checker's own engine; the waiting messages counted, their "
    "growth tested",
    control=Control("messages a flit longer", longer=1),
    sizes=Sizes(most=3, limit=4),
)
def library_sustained(n: int, seed: int, *, longer: int = 0) -> Finding:
    """[hou, section 6.1]: no more and more messages wait at their sources."""
    c, cube, flits = _drawn(n, seed), lcc.Hypercube(n), 3 + seed
    points = lcc.wormhole.curve(
        c, cube, loads=_LOADS, flits=flits, cycles=_CYCLES, seed=seed, workers=1
    ).points
    for load, point in zip(_LOADS, points, strict=False):
        rate, latency, holds = _measured(n, seed, load, flits, _CYCLES // 10, longer)
        stated = [rate, latency if holds else float("inf")]
        if not np.allclose([point.throughput, point.latency], stated, rtol=1e-9):
            return Finding(False, load=load, answer=[point.throughput, point.latency], ours=stated)
        if point.saturated == holds or (not holds and point is not points[-1]):
            return Finding(False, load=load, saturated=point.saturated)
    low, high, best, runs = 0.0, 1.0, 0.0, 0
    while high - low > _TOLERANCE:
        middle, runs = (low + high) / 2, runs + 1
        rate, _, holds = _measured(n, seed, middle, flits, _CYCLES // 2, longer)
        low, high, best = (middle, high, rate) if holds else (low, middle, best)
    found = lcc.wormhole.sustained_throughput(
        c, cube, flits=flits, cycles=_CYCLES, seeds=[seed], tolerance=_TOLERANCE, workers=1
    )
    same = found.brackets == ((low, high),) and found.runs == runs
    ok = same and abs(found.throughput - best) < 1e-9
    return Finding(ok, answer=[found.throughput, found.brackets], ours=[best, low, high])


# -- the parallel FFT ---------------------------------------------------------------------------

_PROGRAMS = 8
Stages = list[list[tuple[int, int]]]


def _stages(n: int, order: list[int]) -> Stages:
    """(source, destination) of every processor, placed: the bit reversal, then n exchanges."""
    reverse = [int(f"{x:0{n}b}"[::-1], 2) for x in range(1 << n)]
    partners = [reverse, *([x ^ 1 << k for x in range(1 << n)] for k in range(n))]
    return [in_places(enumerate(goes), order) for goes in partners]


def _arrivals(stages: Stages, ready: list[list[int]], n: int, flits: int) -> list[list[int]]:
    """When the points of every processor's partner come, by source; as generated if at home."""
    keys = [
        (s, x)
        for s, stage in enumerate(stages)
        for x, (here, there) in enumerate(stage)
        if here != there
    ]
    messages = [(*stages[s][x], ready[s][x]) for s, x in keys]
    found = [list(times) for times in ready]
    if messages:
        last = max(at for *_, at in messages) + len(messages) * (flits + n + 3)
        for (s, x), entered in zip(keys, worms(messages, n, flits, last), strict=True):
            found[s][x] = entered[-1] + flits - 1
    return found


def _alone(stage: list[tuple[int, int]], n: int, flits: int) -> int:
    """Cycles of a stage in an empty network."""
    return max(_arrivals([stage], [[0] * len(stage)], n, flits)[0])


def _unsynchronised(
    n: int, stages: Stages, flits: int, waits: list[int]
) -> tuple[list[list[int]], list[list[int]]]:
    """When every message is generated and delivered if nobody waits for a barrier.

    A processor's next message waits for what it receives, so times settle stage by stage: those of
    a stage depend on earlier events alone, and simulating again with the times found so far ends.
    """
    nodes = {here: x for x, (here, _) in enumerate(stages[0])}
    ready = [[0] * len(stage) for stage in stages]
    while True:
        arrived = _arrivals(stages, ready, n, flits)
        after = [[0] * len(stages[0])]
        for s, wait in enumerate(waits):
            sender = {nodes[there]: x for x, (_, there) in enumerate(stages[s])}
            after.append([arrived[s][sender[x]] + wait for x in range(len(stages[0]))])
        if after == ready:
            return ready, arrived
        ready = after


@claim(
    "library.parallel_fft",
    place="lccmodel.wormhole.parallel_fft",
    says="the cycles of the bit reversal and of every exchange with neighbours, the computation, "
    "and the time of the whole program, with barriers and without, on processors in any order",
    over=seeds(_PROGRAMS, f"{_PROGRAMS} drawn machines and orders of bits under e-cube on a cube"),
    evidence="butterflies counted input by input; headers moved channel by channel, each message "
    "generated when what its sender waits for has come",
    control=Control("without barriers every processor waits a cycle more", more=1),
    sizes=Sizes(most=3, limit=4),
)
def library_parallel_fft(n: int, seed: int, *, more: int = 0) -> Finding:
    """[hou, section 6.2]"""
    draw = random.Random(100 * n + seed)
    d, order = seed % 2, draw.sample(range(n), n)
    latency, whole, half = (Fraction(draw.randrange(1, 13), 2) for _ in range(3))
    hardware = lcc.wormhole.Hardware(
        "drawn", latency, Fraction(1), whole, half, draw.choice((1, 2))
    )
    flits, stages = (hardware.point_bytes << 2 * d) + 1, _stages(n, order)
    wholes, halves = butterflies(n, n + 2 * d)
    computed = wholes * whole + halves * half
    cycles = [_alone(stage, n, flits) for stage in stages]
    found = lcc.wormhole.parallel_fft(
        1 << n + 2 * d, lcc.Hypercube(n), mapping=order, hardware=hardware
    )
    given = [found.bit_reverse_cycles, *found.neighbour_cycles]
    together = sum(cycles) + (n + 1) * latency + computed
    if [given, found.computation, found.execution] != [cycles, computed, together]:
        return Finding(False, answer=[given, found.execution], counted=[cycles, together])
    home, shared = wholes * whole / 2, halves * half / n
    waits = [-int(-(each + latency) // 1) + more for each in (home, *[shared] * (n - 1))]
    ready, arrived = _unsynchronised(n, stages, flits, waits)
    end = latency + max(arrived[-1]) + shared + home
    free = lcc.wormhole.parallel_fft(
        1 << n + 2 * d, lcc.Hypercube(n), mapping=order, hardware=hardware, barrier=False
    )
    stated = [[min(r) for r in ready[1:]], [max(a) for a in arrived[1:]], end]
    answer = [free.first[1:].tolist(), free.last[1:].tolist(), free.execution]
    return Finding(answer == stated, answer=answer, counted=stated)
