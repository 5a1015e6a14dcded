"""The pipelining degree: into how many packets Q to cut a message of N items.

    T(Q) = P(d,Q) (α + N/Q τ) + (d + Q - 1) b        [calmant, sections 3.3 and 4.3]

More packets let more dimensions work at once and cost more start-ups. `optimal_degree` is the
exact integer optimum over all 1 <= Q <= N, for α + L τ and for every cost of straight pieces;
`cost.optimum` and `cost.pieces` say how it is found and why it is the best, although T is not
unimodal.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias

from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer
from lccmodel.ground.words import checked_word
from lccmodel.pipelining.cost.optimum import Optimum, Stretch
from lccmodel.pipelining.cost.pieces import PiecewiseOptimum, WholePieces, is_empty_below
from lccmodel.pipelining.cost.steps import Model, Regime, StepTable, step_table
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear

Packets = Literal["even", "ceil"]

Solver: TypeAlias = Optimum | PiecewiseOptimum

_PIECES: dict[Any, type[PiecewiseOptimum]] = {"even": PiecewiseOptimum, "ceil": WholePieces}


@typed_arguments
def time(
    machine: Machine,
    N: int,
    Q: int,
    model: Model = "schedule",
    packets: Packets = "even",
) -> Fraction:
    """Return the communication time of all d + Q - 1 iterations, exactly.

    Args:
        machine: where the CC-cube runs.
        N: items that a process exchanges in each dimension, at least 1.
        Q: number of packets, 1..N.
        model: whose steps are counted; see `lccmodel.pipelining.cost.steps`.
        packets: "even": a packet has N/Q items, as in the paper, though that be a fraction;
            "ceil": a step lasts as long as its largest packet, which has ⌈N/Q⌉ items. They agree
            when Q divides N.

    Raises:
        InputError: a value out of range, or a model that the machine does not have.

    >>> machine = Machine("4x4", alpha=10, tau="1/2", barrier=1)
    >>> time(machine, 8, 3, "lower-bound"), time(machine, 8, 3, "lower-bound", "ceil")
    (Fraction(460, 3), Fraction(311, 2))
    """
    solver = optimum_of(machine, model, packets)
    N = _items(N)
    Q = checked_integer("Q", Q)
    if not 1 <= Q <= N:
        rule = f"must be in 1..{N}: a packet holds at least one of the N items"
        raise InputError("Q", rule, Q)
    return solver.time(N, Q)


@typed_arguments
def optimal_degree(
    machine: Machine,
    N: int,
    model: Model = "schedule",
    packets: Packets = "even",
) -> OptimalDegree:
    """Return the number of packets 1 <= Q <= N of the least time, exactly; the smallest of equals.

    Takes about a microsecond for a machine that has been asked before: what does not depend on N
    is kept with the machine.

    Args:
        machine, N, model, packets: as for `time`.

    Raises:
        InputError: a value out of range, or a model that the machine does not have.

    >>> best = optimal_degree(Machine("16x16", alpha=500, tau=1), N=4096, model="lower-bound")
    >>> best.Q, best.time, best.regime, round(float(best.gain), 3)
    (4, Fraction(88392, 1), 'shallow', 1.56)
    >>> from lccmodel.pipelining.message_cost import Piecewise
    >>> eager = Piecewise([(512, 100, 1), (None, 900, 1)])   # short messages start quickly
    >>> optimal_degree(Machine("16x16", cost=eager), 4096).Q
    10
    """
    try:
        solver: Solver = machine.solvers[model, packets]
    except (AttributeError, KeyError, TypeError):
        solver = optimum_of(machine, model, packets)
    if type(N) is not int or N < 1:
        N = _items(N)
    return _new(OptimalDegree, (machine, N, model, packets, solver.degree(N)))


_new = tuple.__new__  # fields by name would take 0.1 of the 0.5 µs of a call


class _Fields(NamedTuple):
    machine: Machine
    N: int
    model: Model
    packets: Packets
    Q: int


class OptimalDegree(_Fields, Answer, view="degree"):
    """The best degree Q of a machine for N items; the rest is worked out when asked for."""

    __slots__ = ()

    @property
    def time(self) -> Fraction:
        """T(Q)."""
        return time(self.machine, self.N, self.Q, self.model, self.packets)

    @property
    def regime(self) -> Regime:
        """ "shallow" (Q < d: never all dimensions at once) or "deep"."""
        return self.machine.regime(self.Q)

    @property
    def gain(self) -> Fraction:
        """T(1) / T(Q): how much faster than without pipelining; 1 if no time passes at all."""
        whole = time(self.machine, self.N, 1, self.model, self.packets)
        return whole / self.time if self.time else Fraction(1)

    @property
    def packet(self) -> int:
        """Items of the largest packet, ⌈N/Q⌉."""
        return -(-self.N // self.Q)

    @property
    def iterations(self) -> int:
        """d + Q - 1, each followed by a barrier."""
        return self.machine.d + self.Q - 1

    @property
    def steps(self) -> int:
        """P(d,Q)."""
        return self._solver.table.total(self.Q)

    @property
    def stationary(self) -> Any:
        """Q*, where T of the deep regime is stationary, as a sympy expression in N, alpha, tau, b.

        alpha and tau are those of the piece that packets lie in.

        >>> machine = Machine("16x16", alpha=500, tau=1)
        >>> optimal_degree(machine, 4096, "load").stationary
        3*sqrt(2)*sqrt(N*tau/(10*alpha + b))
        """
        from lccmodel.pipelining.cost.formulas import deep_stationary

        table = self._solver.table
        return deep_stationary(table.A, table.B)

    @property
    def stationary_value(self) -> float:
        """Q* for this machine and N, as a number; inf if only the number of packets counts.

        nan for a cost of several pieces: each has a Q* of its own.

        >>> machine = Machine("16x16", alpha=500, tau=1)
        >>> round(optimal_degree(machine, 4096, "load").stationary_value, 3)
        3.84
        """
        solver = optimum_of(self.machine, self.model)
        if not isinstance(solver, Optimum):
            return math.nan
        if not solver.B_cost:
            return math.inf if solver.gain else 0.0
        return math.sqrt(Fraction(solver.gain * self.N, solver.B_cost))

    @property
    def evidence(self) -> Evidence:
        """Why no other Q in 1..N is better."""
        solver = self._solver
        return Evidence(self, {Q: solver.time(self.N, Q) for Q in solver.candidates(self.N)})

    @property
    def _solver(self) -> Solver:
        return optimum_of(self.machine, self.model, self.packets)

    def __repr__(self) -> str:
        return (
            f"OptimalDegree(Q={self.Q}, N={self.N}, model={self.model!r}, "
            f"regime={self.regime!r}, gain={float(self.gain):.4g})"
        )


class Evidence(NamedTuple):
    """The candidates that were compared, and the argument that leaves out all others.

    Every shallow degree is a candidate. Of the deep ones, Q >= d, those whose packets of N/Q items
    lie in one piece of the cost are a stretch on which T is convex; only the smallest with
    Q (Q+1) >= K = A N τ / (B α + b), moved into the stretch, is a candidate. With whole items the
    candidates are corners of the hull of (Q, ⌈N/Q⌉), as far as the convex time is not above the
    best (`cost.pieces`).
    """

    result: OptimalDegree
    times: dict[int, Fraction]
    """T(Q) of every candidate."""

    @property
    def table(self) -> StepTable:
        """The step counts P(d,Q): the deep ones are A + B Q."""
        return self.result._solver.table

    @property
    def K(self) -> Fraction | None:
        """A N τ / (B α + b); None if Bα + b = 0, when more deep packets never cost more.

        None for a cost of several pieces too: each has a K of its own.
        """
        solver = optimum_of(self.result.machine, self.result.model)
        if not isinstance(solver, Optimum) or not solver.B_cost:
            return None
        return Fraction(solver.gain * self.result.N, solver.B_cost)

    def holds(self) -> bool:
        """Whether the argument stands, worked out again from the step counts.

        >>> machine = Machine("16x16", alpha=500, tau=1)
        >>> optimal_degree(machine, 10**9, "lower-bound").evidence.holds()
        True
        """
        N, Q, d = self.result.N, self.result.Q, self.result.machine.d
        complete = all(shallow in self.times for shallow in range(1, min(d, N + 1)))
        least = min(self.times, key=lambda q: (self.times[q], q)) == Q
        stretches = self.result._solver.stretches(N)
        ends = [d - 1, *(stretch.last for stretch in stretches)]
        covered = all(s.first == end + 1 for s, end in zip(stretches, ends[:-1], strict=True))
        whole = covered and (ends[-1] == N or N < d)
        return complete and least and whole and self.table.A >= 0 and all(map(self._ok, stretches))

    def _ok(self, stretch: Stretch) -> bool:
        """By convexity a deep Q that is no worse than Q - 1 and Q + 1 is no worse than any."""
        deep = [Q for Q in self.times if stretch.first <= Q <= stretch.last]
        if self.result.packets == "ceil":
            return self._all_corners(stretch, deep)
        if len(deep) != 1:
            return False
        (Q,) = deep
        here = self._convex(stretch, Q)
        below = Q == stretch.first or self._convex(stretch, Q - 1) > here
        return below and (Q == stretch.last or self._convex(stretch, Q + 1) >= here)

    def _all_corners(self, stretch: Stretch, deep: list[int]) -> bool:
        """Nothing lies below the lines between them; outside, the convex time is above the best."""
        N, best = self.result.N, min(self.times.values())
        if not deep or self.table.B < 0:
            return False

        def rises(inside: int, outside: int) -> bool:
            beyond = self._convex(stretch, outside)
            return beyond > best and beyond >= self._convex(stretch, inside)

        degrees = sorted(deep)
        first, last = degrees[0], degrees[-1]
        complete = all(is_empty_below(N, Q, other) for Q, other in pairwise(degrees))
        length = -(-N // last)
        as_long = length == 1 or -(-N // (length - 1)) > stretch.last
        low = first == stretch.first or rises(first, first - 1)
        return complete and low and (as_long or rises(last, last + 1))

    def _convex(self, stretch: Stretch, Q: int) -> Fraction:
        """The time with N/Q items by the piece of the stretch."""
        solver = self.result._solver
        return Fraction(solver.on_line(self.result.N, Q, stretch.piece), Q * solver.unit)

    def __str__(self) -> str:
        r, d = self.result, self.result.machine.d
        lines = [f"T({r.Q}) = {r.time} is the least of {len(self.times)} candidates"]
        lines += [f"all of the shallow degrees 1..{min(d - 1, r.N)}"] if d > 1 else []
        deep, stretches = [Q for Q in self.times if Q >= d], r._solver.stretches(r.N)
        if deep and r.packets == "ceil":
            lines += [f"of {d}..{r.N} those {len(deep)} whose time with N/Q items can be the least"]
        elif len(stretches) == 1 and isinstance(r._solver, Optimum):
            A, B = self.table.A, self.table.B
            lines += [f"of {d}..{r.N} only {deep[0]}: P = {A} + {B} Q makes T convex, K = {self.K}"]
        elif deep:
            listed = ", ".join(
                f"{Q} of {s.first}..{s.last}" for Q, s in zip(deep, stretches, strict=True)
            )
            lines += [f"one where the packets lie in one piece, as T is convex there: {listed}"]
        return "; ".join(lines)


def optimum_of(machine: Machine, model: Model, packets: Packets = "even") -> Solver:
    """The solver of a machine and a model, made once and kept with the machine.

    Raises:
        InputError: not a machine, a model or a kind of packets.
    """
    if not isinstance(machine, Machine):
        raise InputError("machine", "must be a Machine", machine)
    checked_word("packets", packets, _PIECES)
    table = step_table(machine.mesh, model, machine.ports)
    kept: dict[Any, Solver] = machine._solvers
    if (model, packets) not in kept:
        if packets == "even" and isinstance(machine.cost, Linear):
            kept[model, packets] = Optimum(table, *machine.in_ticks)
        else:
            pieces = machine.cost.pieces
            kept[model, packets] = _PIECES[packets](table, pieces, machine.barrier)
    return kept[model, packets]


def _items(N: Any) -> int:
    number = checked_integer("N", N)
    if number < 1:
        raise InputError("N", "must be at least 1: a message of no items is not sent", N)
    return number
