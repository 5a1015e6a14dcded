"""Best degrees and times over grids of N, α, τ and b, for plots and studies.

The degrees are exact. Floating point decides a point only if the best time is below every other by
more than a margin that is far above its rounding; the few points left are decided in fractions.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.pipelining.cost.optimum import exact_degree
from lccmodel.pipelining.cost.steps import Model
from lccmodel.pipelining.cost.sums import StepTable, step_table
from lccmodel.pipelining.machine import Machine, exact

__all__ = ["optimal_degrees", "times"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def optimal_degrees(
    machine: Machine,
    N: Any,
    *,
    alpha: Any = None,
    tau: Any = None,
    barrier: Any = None,
    model: Model = "schedule",
) -> Integers:
    """The best degree at every point; the smallest of equals, as `optimal_degree` gives it.

    Packets have N/Q items. Arguments are broadcast against each other; a float is read as it is
    written, so 0.1 is one tenth.

    Args:
        machine: the network, and the times that are not given here.
        N: items, integers of at least 1.
        alpha, tau, barrier: times, arrays or numbers; those of the machine if left out.
        model: whose steps are counted.

    Returns: int64, of the shape of the arguments together.

    Raises:
        InputError: N is no array of integers of at least 1; a time is negative or no finite
            number; alpha and tau are both 0 at a point; shapes that do not fit together; a model
            that the machine does not have.

    >>> machine = Machine("16x16", alpha=500, tau=1)
    >>> optimal_degrees(machine, [[1024], [65536]], alpha=[100, 1000, 10000], model="load")
    array([[ 4,  2,  1],
           [34, 11,  4]])
    """
    points = _points(machine, N, alpha, tau, barrier)
    table = step_table(machine.mesh, model, machine.ports)
    out = np.empty(points.flat_shape, dtype=np.int64)
    if out.size:
        _fill(table, points, out)
    return out.reshape(points.shape)


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
    """T(Q) at every point as floating point numbers, with packets of N/Q items; for plots.

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
    n, a, t, b = (array.reshape(points.shape) for array in (points.N, *points.floats))
    result: Floats = steps * (a + n / degrees * t) + (machine.d + degrees - 1) * b
    return result


def _fill(table: StepTable, points: _Points, out: Integers) -> None:
    from lccmodel.pipelining.cost.kernel import OPEN, best_degrees

    degrees = table.undominated
    shallow = np.array([[float(table.shallow[Q]), table.shallow[Q] / Q] for Q in degrees])
    ready = np.array(degrees, dtype=np.int64), np.ascontiguousarray(shallow.reshape(-1, 2).T)
    alpha, tau, b = points.floats
    best_degrees(*ready, float(table.A), float(table.B), table.d, points.N, alpha, tau, b, out)
    for i, j in np.argwhere(out == OPEN).tolist():
        exact_times = points.exact_times(i, j)
        unit = lcm(*(time.denominator for time in exact_times))
        x, y, z = (int(time * unit) for time in exact_times)
        out[i, j] = exact_degree(table, int(points.N[i, j]), x, y, z)


class _Points(NamedTuple):
    """The arguments, broadcast to one shape and seen as two axes."""

    shape: tuple[int, ...]
    N: Integers
    floats: tuple[Floats, Floats, Floats]
    given: tuple[npt.NDArray[Any], ...]
    """The times as they were given, to be read exactly."""

    @property
    def flat_shape(self) -> tuple[int, int]:
        return (self.N.shape[0], self.N.shape[1])

    def exact_times(self, i: int, j: int) -> tuple[Fraction, Fraction, Fraction]:
        alpha, tau, b = (exact("time", array[i, j]) for array in self.given)
        return alpha, tau, b


def _points(machine: Machine, N: Any, alpha: Any, tau: Any, barrier: Any) -> _Points:
    if not isinstance(machine, Machine):
        raise InputError("machine", "must be a Machine", machine)
    items = _integers("N", N)
    own = {"alpha": machine.alpha, "tau": machine.tau, "barrier": machine.barrier}
    asked = {"alpha": alpha, "tau": tau, "barrier": barrier}
    given = [_times(name, own[name] if value is None else value) for name, value in asked.items()]
    shape = _check_shapes((items, *(array for array, _ in given)))
    if not (given[0][1].all() or given[1][1].all()):
        free = (given[0][1] == 0) & (given[1][1] == 0)
        if free.any():
            raise InputError("alpha, tau", "cannot both be 0: no message would cost", (alpha, tau))
    two = shape if len(shape) == 2 else (1, *shape) if len(shape) < 2 else (shape[0], -1)
    spread = [
        np.broadcast_to(array, shape).reshape(two if shape else (1, 1))
        for array in (items, *(f for _, f in given), *(g for g, _ in given))
    ]
    return _Points(shape, spread[0], (spread[1], spread[2], spread[3]), tuple(spread[4:]))


def _check_shapes(arrays: tuple[npt.NDArray[Any], ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = tuple(array.shape for array in arrays)
        raise InputError("arrays", "must have shapes that fit together", shapes) from None


def _integers(argument: str, value: Any) -> Integers:
    array = np.asarray(value)
    rule = "must be integers of at least 1, below 2^63"
    if array.dtype.kind not in "iu" or (array.size and not 1 <= array.min() <= array.max() < 2**63):
        if array.size == 0 and array.dtype.kind == "f":
            return array.astype(np.int64)
        raise InputError(argument, rule, value)
    return array.astype(np.int64)


def _times(argument: str, value: Any) -> tuple[npt.NDArray[Any], Floats]:
    """The times as given, and as floats."""
    given = np.asarray(value)
    if given.dtype.kind not in "iuf":
        given = np.vectorize(lambda one: exact(argument, one), otypes=[object])(given)
    floats = given.astype(np.float64)
    if not np.isfinite(floats).all():
        raise InputError(argument, "must be finite numbers", value)
    if (floats < 0).any():
        raise InputError(argument, "must not be negative", value)
    return given, floats
