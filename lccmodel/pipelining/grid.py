"""Best degrees and times over grids of N, α, τ and b, for plots and studies.

The degrees are exact. Floating point decides a point only if the best time is below every other by
more than a margin that is far above its rounding; the few points left are decided in fractions.
"""

from __future__ import annotations

from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from lccmodel.errors import InputError, checked_shape
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Floats, Ints
from lccmodel.pipelining.cost.optimum import exact_degree
from lccmodel.pipelining.cost.pieces import PiecewiseOptimum
from lccmodel.pipelining.cost.steps import Model, StepTable, step_table
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear, Piece, exact


@typed_arguments
def optimal_degrees(
    machine: Machine,
    N: Any,
    *,
    alpha: Any = None,
    tau: Any = None,
    barrier: Any = None,
    model: Model = "schedule",
) -> Ints:
    """Return the best degree at every point; the smallest of equals, as `optimal_degree` gives it.

    Packets have N/Q items. Arguments are broadcast against each other; a float is read as it is
    written, so 0.1 is one tenth.

    Args:
        machine: the network, and the times that are not given here.
        N: items, integers of at least 1.
        alpha, tau, barrier: times, arrays or numbers; those of the machine if left out. A cost of
            several pieces has no one alpha and tau, so that only the barrier can be given.
        model: whose steps are counted.

    Returns: int64, of the shape of the arguments together.

    Raises:
        InputError: N is not an array of integers of at least 1; a time is negative or no finite
            number; alpha and tau are both 0 at a point; shapes that do not fit together; a model
            that the machine does not have.

    >>> machine = Machine("16x16", alpha=500, tau=1)
    >>> optimal_degrees(machine, [[1024], [65536]], alpha=[100, 1000, 10000], model="load")
    array([[ 4,  2,  1],
           [34, 11,  4]])
    """
    points = _points(machine, N, alpha, tau, barrier)
    table = step_table(machine.mesh, model, machine.ports)
    out = np.empty(points.N.size, dtype=np.int64)
    if out.size:
        _fill(table, points, out)
    return out.reshape(points.shape)


@typed_arguments
def times(
    machine: Machine,
    N: Any,
    Q: Any,
    *,
    alpha: Any = None,
    tau: Any = None,
    barrier: Any = None,
    model: Model = "schedule",
) -> Floats:
    """Return T(Q) at every point as floating point numbers, packets of N/Q items; for plots.

    Args:
        machine, N, alpha, tau, barrier, model: as for `optimal_degrees`.
        Q: degrees, integers in 1..N.

    Raises:
        InputError: as for `optimal_degrees`, or Q is not in 1..N.

    >>> times(Machine("4x4", alpha=10, tau=0.5), 8, [1, 2, 4], model="lower-bound")
    array([ 84., 108., 187.])
    """
    points = _points(machine, N, alpha, tau, barrier)
    table = step_table(machine.mesh, model, machine.ports)
    degrees = _integers("Q", Q)
    _check_shapes((points.N, degrees))
    if (degrees > points.N.reshape(points.shape)).any():
        raise InputError("Q", "must be in 1..N", Q)
    shallow = np.array(table.shallow, dtype=np.float64)
    below = shallow[np.minimum(degrees, machine.d - 1)]
    steps = np.where(degrees < machine.d, below, float(table.A) + float(table.B) * degrees)
    n, b, alpha, tau = (
        array.reshape(points.shape)
        for array in (points.N, points.barrier, *(line[:, :, 0] for line in points.lines))
    )
    for k, (up_to, _, _) in enumerate(points.pieces[:-1], start=1):
        assert up_to is not None
        longer = n * float(up_to.denominator) > degrees * float(up_to.numerator)
        alpha, tau = (
            np.where(longer, line[:, :, k].reshape(points.shape), shorter)
            for line, shorter in zip(points.lines, (alpha, tau), strict=True)
        )
    result: Floats = steps * (alpha + n / degrees * tau) + (machine.d + degrees - 1) * b
    return result


def _fill(table: StepTable, points: _Points, out: Ints) -> None:
    from lccmodel.pipelining.cost.kernel import OPEN, Points, StepLine, best_degrees

    many, columns = len(points.pieces) > 1, points.N.shape[1]
    degrees = tuple(range(1, table.d)) if many else table.undominated
    shallow = np.array([[float(table.shallow[Q]), table.shallow[Q] / Q] for Q in degrees])
    ready = np.array(degrees, dtype=np.int64), np.ascontiguousarray(shallow.reshape(-1, 2).T)
    ends = [(0, 1)]
    ends += [p.up_to.as_integer_ratio() for p in points.pieces if p.up_to is not None]
    largest = int(points.N.max()) * max(max(end) for end in ends)
    if largest < 2**62:  # products of the kernel stay whole numbers of 64 bits
        sizes = np.array(ends, dtype=np.int64)
        steps = StepLine(*ready, float(table.A), float(table.B), table.d)
        arrays = (points.N, *points.lines, points.barrier)
        strides = np.array([_strides(array) for array in arrays], dtype=np.int64)
        N, alpha, tau, barrier = map(_flat, arrays)
        best_degrees(steps, sizes, Points(N, alpha, tau, barrier, strides, columns), out)
    else:
        out[:] = OPEN
    for k in np.flatnonzero(out == OPEN).tolist():
        out[k] = _exactly(table, points, *divmod(k, columns))


def _strides(array: npt.NDArray[Any]) -> list[int]:
    """How many entries it is from one to the next along three axes; 0 where it is broadcast."""
    steps = [step // array.itemsize for step in array.strides]
    known = [step if length > 1 else 0 for step, length in zip(steps, array.shape, strict=True)]
    return [*known, 0][:3]


def _flat(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The entries that an array, broadcast or not, reads, as they lie in memory."""
    last = sum(step * (length - 1) for step, length in zip(array.strides, array.shape, strict=True))
    shape = (last // array.itemsize + 1,)
    return as_strided(array, shape, (array.itemsize,), writeable=False)


def _exactly(table: StepTable, points: _Points, i: int, j: int) -> int:
    """The best degree of one point, in whole numbers."""
    N, b = int(points.N[i, j]), exact("barrier", points.given[-1][i, j])
    if len(points.pieces) > 1:
        return PiecewiseOptimum(table, points.pieces, b).degree(N)
    alpha, tau = (exact("time", array[i, j]) for array in points.given[:2])
    unit = lcm(*(time.denominator for time in (alpha, tau, b)))
    return exact_degree(table, N, int(alpha * unit), int(tau * unit), int(b * unit))


class _Points(NamedTuple):
    """The arguments, broadcast to one shape and seen as two axes."""

    shape: tuple[int, ...]
    N: Ints
    barrier: Floats
    lines: tuple[Floats, Floats]
    """α and τ, with a third axis for the pieces of the cost."""
    pieces: tuple[Piece, ...]
    given: tuple[npt.NDArray[Any], ...]
    """The times as they were given, to be read exactly: α and τ of one piece, and the barrier."""


def _points(machine: Machine, N: Any, alpha: Any, tau: Any, barrier: Any) -> _Points:
    if not isinstance(machine, Machine):
        raise InputError("machine", "must be a Machine", machine)
    asked = {"alpha": alpha, "tau": tau, "barrier": barrier}
    own = {"barrier": machine.barrier}
    if isinstance(machine.cost, Linear):
        own |= {"alpha": machine.alpha, "tau": machine.tau}
    elif alpha is not None or tau is not None:
        raise InputError("alpha, tau", "must be omitted: the cost has several pieces", (alpha, tau))
    items = _integers("N", N)
    read = {
        name: _times(name, own[name] if value is None else value)
        for name, value in asked.items()
        if name in own
    }
    shape = _check_shapes((items, *(array for array, _ in read.values())))
    if "alpha" in read and not (read["alpha"][1].all() or read["tau"][1].all()):
        free = (read["alpha"][1] == 0) & (read["tau"][1] == 0)
        if free.any():
            raise InputError("alpha, tau", "cannot both be 0: no message would cost", (alpha, tau))
    two = shape if len(shape) == 2 else (1, *shape) if len(shape) < 2 else (shape[0], -1)

    def spread(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.broadcast_to(array, shape).reshape(two if shape else (1, 1))

    N2, pieces = spread(items), machine.cost.pieces
    if len(pieces) == 1:
        lines = [spread(read[name][1])[:, :, np.newaxis] for name in ("alpha", "tau")]
    else:
        values = _floats("cost", np.array([[p.alpha, p.tau] for p in pieces]))
        lines = [np.broadcast_to(values[:, k], (*N2.shape, len(pieces))) for k in (0, 1)]
    stated = tuple(spread(array) for array, _ in read.values())
    return _Points(shape, N2, spread(read["barrier"][1]), (lines[0], lines[1]), pieces, stated)


def _check_shapes(arrays: tuple[npt.NDArray[Any], ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = tuple(array.shape for array in arrays)
        raise InputError("arrays", "must have shapes that fit together", shapes) from None


def _integers(argument: str, value: Any) -> Ints:
    array = checked_shape(argument, value)
    rule = "must be integers of at least 1, below 2^63"
    if array.dtype.kind not in "iu" or (array.size and not 1 <= array.min() <= array.max() < 2**63):
        if array.size == 0 and array.dtype.kind == "f":
            return array.astype(np.int64)
        raise InputError(argument, rule, value)
    return array.astype(np.int64)


def _times(argument: str, value: Any) -> tuple[npt.NDArray[Any], Floats]:
    """The times as given, and as floats."""
    numbers = checked_shape(argument, value)
    if numbers.dtype.kind not in "iuf":
        numbers = np.vectorize(lambda number: exact(argument, number), otypes=[object])(numbers)
    floats = _floats(argument, numbers)
    if not np.isfinite(floats).all():
        raise InputError(argument, "must be finite numbers", value)
    if (floats < 0).any():
        raise InputError(argument, "must not be negative", value)
    return numbers, floats


def _floats(argument: str, numbers: npt.NDArray[Any]) -> Floats:
    try:
        return numbers.astype(np.float64)
    except OverflowError:
        raise InputError(argument, "too large for a grid (beyond 1e308)", numbers.max()) from None
