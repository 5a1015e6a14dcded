"""Tags moved hop by hop on meshes, for the claims of [boppana, section 3.1].

A mesh of shape (2^(n_0), 2^(n_1), ...) has axis 0 in the low bits of a processor's index. Bit x of
an axis is corrected by moving a tag m = 2^x hops along that axis: all at once in m steps, or one
message at a time in 2m - 1, where neighbours exchange tags first across the middle link of a
window, then across every other link in turn (`exchange_positions`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from lccmodel._jit import kernel, lowest_bit
from proofs_check.arrays import Ints


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
