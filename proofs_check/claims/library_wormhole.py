"""Bridges: both wormhole engines, deadlock, what a network sustains, and the parallel FFT.

Under e-cube a worm has one path, so the rules of the timing convention need no flits: the header
enters channel after channel, and the tail follows F channels behind it. `worms` moves headers only.

    F = 3: (1 -> 3) and (0 -> 3) on a square, both generated in cycle 0

    header enters   injection   0 -> 1   1 -> 3   ejection      tail ejected
    from 1               1         -        2         3               5
    from 0               1         2        6         7               9
    the link 1 -> 3 is empty again after cycle 5, the ejection channel after cycle 6
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np

import lccmodel as lcc
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.cases import seeds
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.hou_tables import butterflies
from proofs_check.claims.hou_worms import PENDING, Sent, grows, run, waiting_at
from proofs_check.domain import Enumerated
from proofs_check.stations import in_places
from proofs_check.walk import channel_loads, route

Channel = tuple[str, int, int]
Message = tuple[int, int, int]
_RUNS = 20


def _channels(source: int, destination: int, n: int) -> list[Channel]:
    """Injection, the links by their node and dimension, ejection."""
    nodes = route(source, destination, range(n))
    links = [("link", u, (u ^ v).bit_length() - 1) for u, v in pairwise(nodes)]
    return [("in", source, 0), *links, ("out", destination, 0)]


def worms(
    messages: Sequence[Message], n: int, flits: int, last: int, lowest: int = 1
) -> list[list[int]]:
    """The cycles in which every header enters its channels, e-cube on a hypercube of n dimensions.

    Args:
        messages: (source, destination, cycle in which it is generated), in the order in which a
            source sends them.
        n, flits: dimensions, and length of every message.
        last: the last cycle that is simulated.
        lowest: 1 if of headers that arrive together the one from the lowest input goes first, -1
            if the one from the highest.

    >>> worms([(1, 3, 0), (0, 3, 0)], 2, 3, 99)
    [[1, 2, 3], [1, 2, 6, 7]]
    """
    paths = [_channels(source, destination, n) for source, destination, _ in messages]
    entered: list[list[int]] = [[] for _ in messages]
    free: dict[Channel, int] = {}  # the first cycle in which a header may enter; absent: now
    owner: dict[Channel, int] = {}
    under_way = set(range(len(messages)))
    for cycle in range(1, last + 1):
        asking: dict[Channel, tuple[tuple[int, ...], int]] = {}
        for m in sorted(under_way):
            done = entered[m]
            if not done and messages[m][2] >= cycle:
                continue
            wanted, here = paths[m][len(done)], paths[m][len(done) - 1]
            rank = (
                (messages[m][2], m)
                if not done
                else (done[-1], lowest * (here[0] == "in"), lowest * here[2])
            )
            if wanted not in owner and free.get(wanted, 0) <= cycle:
                asking[wanted] = min(asking.get(wanted, (rank, m)), (rank, m))
        for channel, (_, m) in asking.items():
            entered[m].append(cycle)
            owner[channel] = m
            _release(paths[m], entered[m], flits, owner, free)
            if len(entered[m]) == len(paths[m]):
                under_way.discard(m)
        if not under_way:
            break
    return entered


def _release(
    path: list[Channel],
    entered: list[int],
    flits: int,
    owner: dict[Channel, int],
    free: dict[Channel, int],
) -> None:
    """Say from when on the channels are free that the tail is now known to leave."""
    at = len(entered) - 1
    if at >= flits:  # the tail has just left the channel F places back
        left = path[at - flits]
        del owner[left]
        free[left] = entered[at] + 1
    if at == len(path) - 1:  # nothing stops it any more
        for place in range(max(0, len(path) - flits), len(path)):
            del owner[path[place]]
            free[path[place]] = entered[at] + place + flits - at + 1


@claim(
    "library.wormhole",
    place="lccmodel.wormhole.simulate, lccmodel.wormhole.trace",
    says="both engines deliver every message of a simulation in the cycle that the timing "
    "convention says, its latency, where finite, is their mean from generation to delivery, and a "
    "trace shows when its header enters every channel",
    over=seeds(_RUNS, f"{_RUNS} random communications, lengths and loads under e-cube on a cube"),
    evidence="headers moved channel by channel, cycle by cycle",
    control=Control("of headers that arrive together the highest input goes first", lowest=-1),
    sizes=Sizes(most=3, limit=5),
)
def library_wormhole(n: int, seed: int, *, lowest: int = 1) -> Finding:
    """The convention of docs/wormhole.md, simulated a third time."""
    draw = random.Random(100 * n + seed)
    A = GF2Matrix.from_rows([draw.randrange(1 << n) for _ in range(n)], n)
    c, cube = lcc.LCC(A, draw.randrange(1 << n)), lcc.Hypercube(n)
    if not any(x != y for x, y in c.pairs().tolist()):
        return Finding(True)
    flits, load = draw.randrange(1, 6), draw.choice((0.2, 0.5, 1.0))
    for engine in ("message", "flit"):
        found = lcc.wormhole.simulate(
            c, cube, load=load, flits=flits, cycles=120, seed=seed, engine=engine
        )
        columns = (found.source.tolist(), found.destination.tolist(), found.ready.tolist())
        sent = list(zip(*columns, strict=True))
        last = 240 + n + flits
        ours = worms(sent, n, flits, last, lowest)
        ends = [_delivered(entered, sent[m], n, flits, last) for m, entered in enumerate(ours)]
        theirs = np.where(found.delivered <= last, found.delivered, -1).tolist()
        if ends != theirs:
            return Finding(False, engine=engine, flits=flits, load=load, ours=ends, answer=theirs)
        took = [end - sent[m][2] for m, end in enumerate(ends) if sent[m][2] > found.warm_up]
        if math.isfinite(found.latency) and not math.isclose(found.latency * len(took), sum(took)):
            return Finding(False, engine=engine, latency=found.latency, took=took)
    pairs = [(x, y) for x, y in c.pairs().tolist() if x != y]
    traced = lcc.wormhole.trace(pairs, cube, flits=flits)
    stated = worms([(x, y, 0) for x, y in pairs], n, flits, 4000, lowest)
    shown = [list(worm.entered) for worm in traced.worms]
    return Finding(shown == stated, flits=flits, trace=shown, stated=stated)


def _delivered(entered: list[int], message: Message, n: int, flits: int, last: int) -> int:
    """The cycle in which the tail is ejected, or -1 where that is later than `last`."""
    links = (message[0] ^ message[1]).bit_count()
    end = entered[-1] + flits - 1 if len(entered) == links + 2 else last + 1
    return end if end <= last else -1


# -- deadlock -----------------------------------------------------------------------------------

_ROUTINGS = {
    1: (("cube:1", "e-cube"), ("mesh:2", "dimension-order")),
    2: (("cube:2", "e-cube"), ("cube:2", "e-cube-descending"), ("cube:2", "fully-adaptive")),
    3: (("cube:3", "e-cube"), ("cube:3", "e-cube-descending"), ("cube:3", "fully-adaptive")),
}


def _depends(n: int, routing: str) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """(channel, the channel that a message on it may ask for next), for all pairs of nodes."""
    found = set()
    for x in range(1 << n):
        for y in range(1 << n):
            for u in range(1 << n):
                if (u ^ x) & ~(x ^ y):
                    continue  # not on a shortest path
                for i, j in _turns(n, u, y, routing):
                    if routing == "fully-adaptive" or _on_path(n, x, y, u, routing):
                        v = u ^ 1 << i
                        found.add(((u, v), (v, v ^ 1 << j)))
    return found


def _turns(n: int, u: int, y: int, routing: str) -> Iterator[tuple[int, int]]:
    """The two bits that may be corrected next, one after the other."""
    wrong = [k for k in range(n) if (u ^ y) >> k & 1]
    if routing == "fully-adaptive":
        yield from ((i, j) for i in wrong for j in wrong if i != j)
    elif len(wrong) > 1:
        ordered = wrong if routing != "e-cube-descending" else wrong[::-1]
        yield ordered[0], ordered[1]


def _on_path(n: int, x: int, y: int, u: int, routing: str) -> bool:
    order = range(n) if routing != "e-cube-descending" else range(n)[::-1]
    return u in route(x, y, order)


def _has_cycle(arrows: set[tuple[tuple[int, int], tuple[int, int]]]) -> bool:
    """Whether something is left when channels that wait for none are taken away again and again."""
    left = set(arrows)
    while left:
        waiting = {a for a, _ in left}
        fewer = {(a, b) for a, b in left if b in waiting}
        if fewer == left:
            return True
        left = fewer
    return False


@claim(
    "library.deadlock",
    place="lccmodel.routing.deadlock_free",
    says="deadlock_free is true exactly if no ring of channels waits for itself, for e-cube in "
    "both directions and for adaptive routing",
    over=Enumerated(
        lambda n: _ROUTINGS[n],
        size=lambda n: len(_ROUTINGS[n]),
        names="network, routing",
        text="routing functions on small cubes",
        dimensions=_ROUTINGS,
    ),
    evidence="every pair of nodes, every turn that its messages may make",
    control=Control("adaptive routing is free of deadlock", trusted="fully-adaptive"),
)
def library_deadlock(network: str, routing: str, *, trusted: str = "") -> Finding:
    """Dally and Seitz: a cycle of dependencies."""
    where = lcc.network.parse_network(network)
    verdict = lcc.routing.deadlock_free(routing, where)
    arrows = _depends(where.n, routing)
    stated = routing == trusted or not _has_cycle(arrows)
    return Finding(bool(verdict) == stated, answer=str(verdict), dependencies=len(arrows))


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
