"""HL simulated on meshes, tags moved hop by hop: [boppana, section 3.1, Theorem 2].

A mesh of shape (2^(n_0), 2^(n_1), ...) has axis 0 in the low bits of a processor's index. Bit x of
an axis is corrected by moving a tag m = 2^x hops along that axis; the paper counts m steps, one hop
for every moving tag in each. Section 2.1 lets a processor send one message and receive one at a
time; on the line 0 1 2 3 the exchange 0 <-> 2, 1 <-> 3 then cannot take 2 steps:

    step 1    0 -> 1 and 2 -> 1      processor 1 receives two messages
    step 2    1 -> 2 and 1 -> 0      and sends two

When every link carries a message each way at the same time, m steps suffice. One at a time an
exchange takes 2m - 1 steps: processor m - 1 of such a window passes m tags up and m - 1 tags of
those that come down, so no fewer; `exchange_positions` is as fast: neighbours exchange tags first
across the middle link of a window, then across every other link in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel, lowest_bit
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, Reading, Sizes, claim
from proofs_check.claims.boppana_hl import arrays_of_a_run, run
from proofs_check.domain import PERMUTATIONS, Enumerated
from proofs_check.driver import Case, compiled_claim, tags_of
from proofs_check.packed import rank_within, unpack_rows
from proofs_check.stations import messages, set_images


def mesh_shapes(n: int) -> Iterator[tuple[int, ...]]:
    """The bits of every axis, for all meshes of 2^n processors: the 2^(n-1) compositions of n.

    >>> list(mesh_shapes(3))
    [(1, 1, 1), (1, 2), (2, 1), (3,)]
    """
    if n == 0:
        yield ()
    for first in range(1, n + 1):
        for rest in mesh_shapes(n - first):
            yield (first, *rest)


@lru_cache(maxsize=8)
def mesh_axes(n: int) -> tuple[Ints, Ints]:
    """(stride, hops) for every shape and bit: the index step of a hop, and how many hops."""
    stride, hops = np.empty((2, 1 << (n - 1), n), np.int64)
    for s, shape in enumerate(mesh_shapes(n)):
        low = 0
        for bits in shape:
            for x in range(bits):
                stride[s, low + x], hops[s, low + x] = 1 << low, 1 << x
            low += bits
    return stride, hops


def exchange_positions(m: int, at_once: bool) -> Ints:
    """Where the tag of each of 2m processors on a line is, after every step of an exchange.

    The tags of 0..m-1 go up m places, those of m..2m-1 go down. With `at_once` each moves in every
    step; otherwise neighbours exchange a tag that goes up and one that goes down, across the
    middle link first and then across every other link in turn.

    Returns: int64 of shape (steps + 1, 2m).

    >>> exchange_positions(2, at_once=False).tolist()
    [[0, 1, 2, 3], [0, 2, 1, 3], [1, 3, 0, 2], [2, 3, 0, 1]]
    """
    rows = [np.arange(2 * m)]
    if at_once:
        up = np.where(np.arange(2 * m) < m, 1, -1)
        rows += [rows[0] + t * up for t in range(1, m + 1)]
        return np.array(rows)
    line = list(range(2 * m))  # which tag is where
    for t in range(2 * m - 1):
        for p in range((m - 1 + t) % 2, 2 * m - 1, 2):
            if line[p] < m <= line[p + 1]:
                line[p], line[p + 1] = line[p + 1], line[p]
        rows.append(np.argsort(line))
    return np.array(rows)


@lru_cache(maxsize=8)
def schedule(n: int, at_once: bool) -> tuple[Ints, Ints]:
    """(positions, steps): exchange_positions for m = 2^x as positions[x, t, j], and how many."""
    tables = [exchange_positions(1 << x, at_once) for x in range(n)]
    positions = np.zeros((n, len(tables[-1]), 1 << n), np.int64)
    for x, table in enumerate(tables):
        positions[x, : len(table), : table.shape[1]] = table
    return positions, np.array([len(table) - 1 for table in tables])


@kernel
def simulate(
    n: int,
    hosts: Ints,
    stride: Ints,
    hops: Ints,
    positions: Ints,
    steps: Ints,
    one_port: int,
    last: Ints,
) -> int:
    """Move the tags hop by hop; the steps taken, or -1 if more meet than the model allows.

    A link carries one message in each direction in a step; with `one_port` 1 a processor sends one
    and receives one, with 2 it sends one and receives on all links. `last` is scratch of shape
    (2^n, 4): the step in which a processor last sent up, sent down, sent, and received.
    """
    last[:] = -1
    now = 0
    for step in range(n):
        moving = 0
        for y in range(1 << n):
            moving |= hosts[step, y] ^ hosts[step + 1, y]
        if moving == 0:
            continue
        j = lowest_bit(np.uint64(moving))
        x = lowest_bit(np.uint64(hops[j]))
        for t in range(steps[x]):
            for y in range(1 << n):
                u = hosts[step, y]
                if u == hosts[step + 1, y]:
                    continue
                place = u // stride[j] % (2 * hops[j])
                before = u + (positions[x, t, place] - place) * stride[j]
                after = u + (positions[x, t + 1, place] - place) * stride[j]
                if before == after:
                    continue
                link = int(after < before)
                if last[before, link] == now:
                    return -1
                last[before, link] = now
                if one_port and last[before, 2] == now:
                    return -1
                if one_port == 1 and last[after, 3] == now:
                    return -1
                last[before, 2] = last[after, 3] = now
            now += 1
    return now


SHAPES = Enumerated(
    lambda n: ((shape,) for shape in mesh_shapes(n)),
    size=lambda n: 1 << (n - 1),
    names="shape",
    text="every mesh of 2^n processors, by the bits of its axes",
)


def _is_routed(
    case: Case,
    arrays: tuple[Ints, Ints, Ints],
    last: Ints,
    mesh: tuple[Ints, Ints, Ints, Ints],
    one_port: int = 1,
    less: int = 0,
) -> bool:
    """Whether every mesh routes the permutation in the stated steps."""
    n, (hosts, bits, sent), (strides, hops, positions, steps) = case.n, arrays, mesh
    run(n, tags_of(case), 0, -1, hosts, bits, sent)
    for shape in range(len(strides)):
        stated = -less
        for j in range(n):
            stated += steps[lowest_bit(np.uint64(hops[shape, j]))]
        taken = simulate(n, hosts, strides[shape], hops[shape], positions, steps, one_port, last)
        if not 0 <= taken <= stated:
            return False
        for y in range(1 << n):
            if hosts[n, y] != y:
                return False
    return True


def _on_meshes(n: int, at_once: bool) -> tuple[Any, ...]:
    """What `_is_routed` takes besides the case."""
    last = np.empty((1 << n, 4), np.int64)
    return arrays_of_a_run(n), last, (*mesh_axes(n), *schedule(n, at_once))


_OVER = PERMUTATIONS.described("all linear-complement permutations, each on every mesh")
_MODEL = "a processor sends at most one message and receives at most one in a step (section 2.1)"
_ALL_LINKS = "a processor uses all its links at once, each for one message in each direction"


steps = compiled_claim(
    "boppana.thm2.steps",
    place="Section 3.1",
    says="HL routes every linear-complement permutation on a mesh of 2^(n_0) × 2^(n_1) × ... "
    f"processors in Σ (2^(n_a) - 1) steps. Here {_MODEL}",
    latex=r"\sum_{a=0}^{q-1} (2^{n_a} - 1) \text{ steps}",
    over=_OVER,
    evidence="every tag moved hop by hop; sends, receipts and links counted in every step",
    control=Control(
        "a processor sends one message in a step, and receives on all links", one_port=2
    ),
    reading=Reading(
        f"section 2.1 is read link by link: {_ALL_LINKS}. With one message in all, there are "
        "Σ (2 (2^(n_a) - 1) - n_a) steps",
        one_port=0,
    ),
    sizes=Sizes(limit=5),
    samples={5: 2000},
    tables=lambda n, **_: _on_meshes(n, True),
)(_is_routed)

one_port = compiled_claim(
    "boppana.thm2.one-port",
    place="beside section 3.1, under the model of section 2.1",
    says=f"where {_MODEL}, HL routes every linear-complement permutation on a mesh in "
    "Σ (2 (2^(n_a) - 1) - n_a) steps",
    latex=r"\sum_{a=0}^{q-1} \bigl(2(2^{n_a} - 1) - n_a\bigr) \text{ steps}",
    over=_OVER,
    evidence="neighbours exchange tags, first across the middle link of a window; every tag moved "
    "hop by hop; sends, receipts and links counted",
    control=Control("in one step less", less=1),
    sizes=Sizes(limit=5),
    samples={5: 2000},
    tables=lambda n, **_: _on_meshes(n, False),
)(_is_routed)


@steps.explain
def _show_steps(
    A: GF2Matrix, b: GF2Vector, *, one_port: int = 1, less: int = 0
) -> Mapping[str, Any]:
    return _shown(A, b, True, one_port)


@one_port.explain
def _show_one_port(A: GF2Matrix, b: GF2Vector, *, less: int = 0) -> Mapping[str, Any]:
    return _shown(A, b, False, 1)


def _hosts(A: GF2Matrix, b: GF2Vector) -> Ints:
    n = len(b)
    tags = np.array([y for _, y in messages(A, int(b))])
    hosts, bits, sent = arrays_of_a_run(n)
    run(n, tags, 0, -1, hosts, bits, sent)
    return hosts


def _shown(A: GF2Matrix, b: GF2Vector, at_once: bool, one_port: int) -> Mapping[str, Any]:
    """The steps that the permutation takes on every mesh; None where too many messages meet."""
    n = len(b)
    hosts, (strides, hops) = _hosts(A, b), mesh_axes(n)
    taken = {}
    for s, shape in enumerate(mesh_shapes(n)):
        last = np.empty((1 << n, 4), np.int64)
        found = simulate(n, hosts, strides[s], hops[s], *schedule(n, at_once), one_port, last)
        taken[" × ".join(str(1 << k) for k in shape)] = None if found < 0 else found
    return {"steps": taken, "nodes of tags": hosts.tolist()}


# -- optimal -----------------------------------------------------------------------------------


@kernel
def _farthest(n: int, stride: Ints, hops: Ints, hosts: Ints) -> int:
    """The largest distance on the mesh between a tag's first processor and its destination."""
    most = 0
    for y in range(1 << n):
        distance = across = 0
        for j in range(n):
            if j > 0 and stride[j] != stride[j - 1]:
                distance += abs(across)
                across = 0
            across += ((y >> j & 1) - (hosts[0, y] >> j & 1)) * hops[j]
        most = max(most, distance + abs(across))
    return most


@kernel
def _over_all(
    n: int, stride: Ints, hops: Ints, positions: Ints, steps: Ints, one_port: int
) -> tuple[int, int, int]:
    """Largest steps (-1 if any permutation fails), largest distance, largest difference.

    A loop of its own: it seeks a maximum over all permutations, which is no claim about each.
    """
    size = 1 << n
    rows, tags = np.empty(n, np.int64), np.empty(size, np.int64)
    hosts = np.empty((n + 1, size), np.int64)
    bits, sent = np.empty((n, size), np.int64), np.empty((n, size), np.int64)
    last = np.empty((size, 4), np.int64)
    most = farthest = excess = 0
    for index in range(1 << n * n + n):
        unpack_rows(index >> n, n, rows)
        if rank_within(rows, size - 1, size - 1, tags) < n:
            continue
        set_images(n, rows, index & (size - 1), tags)
        run(n, tags, 0, -1, hosts, bits, sent)
        distance = _farthest(n, stride, hops, hosts)
        farthest = max(farthest, distance)
        if most < 0:
            continue
        taken = simulate(n, hosts, stride, hops, positions, steps, one_port, last)
        most = -1 if taken < 0 else max(most, taken)
        excess = max(excess, taken - distance)
    return most, farthest, excess


@lru_cache(maxsize=64)
def largest_steps(shape: tuple[int, ...], one_port: int) -> tuple[int, int, int]:
    """Over all linear-complement permutations: HL's steps, the distance, the steps in excess.

    The steps are -1 if more messages meet than the model allows.

    >>> largest_steps((1, 1), 0)
    (2, 2, 1)
    """
    n = sum(shape)
    s = list(mesh_shapes(n)).index(shape)
    strides, hops = mesh_axes(n)
    steps, distance, excess = _over_all(n, strides[s], hops[s], *schedule(n, True), one_port)
    return int(steps), int(distance), int(excess)


@claim(
    "boppana.thm2.optimal",
    place="Section 3.1, Theorem 2",
    says=(
        "Σ (2^(n_a) - 1) steps, which HL takes, are the minimum in which all "
        "linear-complement permutations can be routed on the mesh"
    ),
    latex=r"\max_P \operatorname{steps}(P) = \sum_{a=0}^{q-1} (2^{n_a} - 1)",
    over=SHAPES,
    evidence="HL moved hop by hop for every permutation; no routing is faster than the farthest "
    "message is away",
    control=Control(
        "a processor sends one message in a step, and receives on all links", one_port=2
    ),
    reading=Reading(_ALL_LINKS, one_port=0),
    sizes=Sizes(limit=4),
)
def optimal(shape: tuple[int, ...], *, one_port: int = 1) -> Finding:
    """[boppana, Theorem 2] the complement of all bits sends from corner to corner."""
    stated = sum((1 << bits) - 1 for bits in shape)
    most, farthest, _ = largest_steps(shape, one_port)
    ok = most == stated == farthest
    taken = None if most < 0 else most
    return Finding(ok, mesh=[1 << k for k in shape], stated=stated, HL=taken, distance=farthest)


# -- one dimension -----------------------------------------------------------------------------

_DIMENSIONS = Enumerated(
    lambda n: ((n, i) for i in range(n)),
    size=lambda n: n,
    names="n, i",
    text="every dimension i of the square meshes of 2^n processors",
    dimensions=(2, 4, 6, 8),
)


@claim(
    "boppana.thm2.dimension",
    place="Section 3.1",
    says=(
        "dimension i of the n-cube, along which all processors exchange, is simulated on a "
        "square mesh in 2^x steps and in no fewer. Here x = i for i < n/2 and i - n/2 "
        "otherwise, and a processor sends and receives at most one message in a step"
    ),
    printed="Dimension i, 0 ≤ i < n, connection of n-cube can be simulated on the 2-mesh, in 2^x "
    "routing steps, where x = i or i - n/2 depending on i < n/2 or ≥ n/2.",
    latex=r"2^{i \bmod n/2} \text{ steps}",
    over=_DIMENSIONS,
    evidence="every message moved hop by hop; sends, receipts and links counted in every step; no "
    "message can arrive in fewer steps than it has hops",
    control=Control("2^i steps on either axis", one_axis=True),
    reading=Reading(_ALL_LINKS, one_port=False),
)
def one_dimension(n: int, i: int, *, one_port: bool = True, one_axis: bool = False) -> Finding:
    """Every message has 2^x hops, so that it moves in every one of 2^x steps: no other schedule."""
    half = n // 2
    low = half if i >= half else 0
    steps = 1 << (i if one_axis else i - low)
    position = list(range(1 << n))
    hops = [(1 if not u >> i & 1 else -1) << low for u in range(1 << n)]
    meets = False
    for _ in range(1 << i - low):
        moved = [u + hop for u, hop in zip(position, hops, strict=True)]
        links = len(set(zip(position, moved, strict=True)))
        sends, receipts = len(set(position)), len(set(moved))
        meets |= (min(sends, receipts) if one_port else links) < 1 << n
        position = moved
    arrived = position == [u ^ 1 << i for u in range(1 << n)]
    return Finding(arrived and not meets and steps == 1 << i - low, arrived=arrived, meets=meets)
