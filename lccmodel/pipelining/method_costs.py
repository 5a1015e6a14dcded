"""What each method of complete exchange costs on a machine [calmant, section 5].

B is the items of a block; `methods.METHODS` has the formulas, and where each comes from.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from lccmodel.pipelining.direct_exchange import axis_steps, direct_steps, level_steps
from lccmodel.pipelining.machine import Machine


def _message(machine: Machine, items: Fraction | int) -> Fraction:
    return machine.cost.time(items)


def baseline(machine: Machine, B: int) -> Fraction:
    """One dimension after the other, in messages of half the blocks."""
    return sum(n - 1 for n in machine.shape) * _message(machine, machine.nodes // 2 * B)


def quadrant(machine: Machine, B: int) -> Fraction:
    """Partners in the other 2^c - 1 quadrants, one after the other, from coarse to fine."""
    n, partners = machine.shape[0], (1 << machine.c) - 1
    return partners * (n - 1) * _message(machine, (machine.nodes >> machine.c) * B)


def direct(machine: Machine, B: int) -> Fraction:
    """Each block goes straight to its destination."""
    return direct_steps(machine.mesh) * _message(machine, B)


def _level(machine: Machine, r: int, h: int, B: int) -> Fraction:
    """One digit of radix r, at distance h, on all axes together."""
    steps = level_steps(r, h, machine.c)
    blocks = machine.nodes >> (r.bit_length() - 1) * machine.c
    return steps * _message(machine, blocks * B)


def overlapped(machine: Machine, B: int) -> Fraction:
    """Partners across complementary sets of axes are served at once."""
    distances = (1 << k for k in range(machine.d // machine.c))
    return sum((_level(machine, 2, h, B) for h in distances), Fraction(0))


def hybrid(machine: Machine, B: int) -> Fraction:
    """Overlapped quadrants inside blocks of the best side, then direct between the blocks."""
    combined, times = Fraction(0), []
    for k in range(machine.d // machine.c):
        side = 1 << k
        times.append(combined + _level(machine, machine.shape[0] // side, side, B))
        combined += _level(machine, 2, side, B)
    return min(times)


def levels(machine: Machine, B: int) -> Fraction:
    """Shortest path over h = 1, ..., n: from h to r h by the cheaper of two kinds of level."""
    n = machine.shape[0]
    best = {1: Fraction(0)}
    for target in (2 << k for k in range(n.bit_length() - 1)):
        best[target] = min(
            best[h] + min(_level(machine, target // h, h, B), _by_axis(machine, target // h, h, B))
            for h in best
        )
    return best[n]


def _by_axis(machine: Machine, r: int, h: int, B: int) -> Fraction:
    """One digit of radix r, at distance h, on one axis after the other."""
    return machine.c * axis_steps(r, h) * _message(machine, machine.nodes // r * B)


def relayed(machine: Machine, B: int) -> Fraction:
    """At least what a node has to pass on when blocks go between neighbours only."""
    n, c = machine.shape[0], machine.c
    volume = c * (n * n // 2 - 1) * (machine.nodes // n) * B
    lines = machine.cost.supports  # a bound: no message is below any of them
    times = (c * (n - 1) * line.alpha + volume * line.tau for line in lines)
    return max(times, default=Fraction(0))


def calmant(model: Any, machine: Machine, B: int) -> Fraction:
    """Pipelined, with the best degree under a model of the steps."""
    from lccmodel.pipelining.degree import optimal_degree

    return Fraction(optimal_degree(machine, machine.nodes // 2 * B, model=model).time)
