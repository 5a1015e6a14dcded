"""BCsRoute and ECBCsRoute, run pass by pass on the registers of a mesh [sibeyn, section 3].

Pass i selects the processors that send what they hold in olddata:

    outside of cycles   x_i     != c_i + W⁽ⁱ⁾_i x       newdata is empty before and after
    in a cycle (k, l)   x_(i+1) != c_i + W⁽ⁱ⁾_i ȳ       ȳ from x (`Operation.believed`); the last
                                                        pass compares x_k

Selected processors exchange olddata and newdata, and newdata is sent across the bit. So in a cycle
a processor that keeps its olddata sends its newdata: of two data exactly one leaves. Outside of
cycles the exchange is undone after the step; after a cycle data that stand in newdata are taken
into olddata.

A routing step moves what a third register, transit, holds to the next processor in one direction
that is common to all; there is no wrap-around [sibeyn, section 1.3]. Nothing is ever moved any
other way, and a datum that would fall off the mesh is an error. The bit complement of a bit of
weight d on an axis is 2d steps:

    newdata of processors with bit 0 -> transit; d steps forward
    processors with bit 1 exchange newdata and transit; d steps back
    processors with bit 0: transit -> newdata

The paper names two registers. The third is needed: while one half passes, the other half still
waits in newdata, and olddata is full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.ground.arrays import Ints
from lccmodel.permutations.simd_mesh.decomposition import Decomposition, Operation
from lccmodel.permutations.simd_mesh.numbering import Numbering

EMPTY = -1
"""The dummy value ∅."""

Data = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


def _direction_name(axis: int, sign: int) -> str:
    """What a unit shift along an axis is called.

    >>> _direction_name(0, 1), _direction_name(1, -1), _direction_name(2, 1)
    ('right', 'up', '+2')
    """
    names = {(0, 1): "right", (0, -1): "left", (1, 1): "down", (1, -1): "up"}
    return names.get((axis, sign), f"{'+' if sign > 0 else '-'}{axis}")


class Registers:
    """olddata, newdata and transit of every processor, as arrays of shape (..., rows, columns).

    Args:
        data: what olddata holds at first; int32, `EMPTY` for nothing.

    Attributes:
        olddata, newdata: int32 arrays of data's shape.
        steps: unit shifts done so far.

    >>> mesh = Registers(np.array([[0, 1, 2, 3]], dtype=np.int32))
    >>> mesh.exchange(np.array([[True, True, False, False]]))
    >>> mesh.complement(0, 2), mesh.newdata.tolist(), mesh.steps
    ((('right', 2), ('left', 2)), [[-1, -1, 0, 1]], 4)
    """

    def __init__(self, data: Data) -> None:
        self.olddata = np.array(data, dtype=np.int32)
        self.newdata = np.full_like(self.olddata, EMPTY)
        self._transit = np.full_like(self.olddata, EMPTY)
        self.steps = 0

    def exchange(self, selected: Mask) -> None:
        """Exchange olddata and newdata in the selected processors."""
        _exchange(self.olddata, self.newdata, selected)

    def complement(self, axis: int, weight: int) -> tuple[tuple[str, int], ...]:
        """Route newdata to the processors that differ in a bit of the coordinate of an axis.

        Args:
            axis: 0 for columns, 1 for rows, ...
            weight: 2^position of the bit.

        Returns: the shifts done, as (direction, how many).
        """
        along = [1] * self.newdata.ndim
        along[-1 - axis] = self.newdata.shape[-1 - axis]
        has_bit = np.arange(along[-1 - axis]).reshape(along) & weight != 0
        upper = np.broadcast_to(has_bit, self.newdata.shape)
        _exchange(self.newdata, self._transit, ~upper)
        self._shift(axis, 1, weight)
        _exchange(self.newdata, self._transit, upper)
        self._shift(axis, -1, weight)
        _exchange(self.newdata, self._transit, ~upper)
        if (self._transit != EMPTY).any():
            raise AssertionError("data left in transit")
        return tuple((_direction_name(axis, sign), weight) for sign in (1, -1))

    def _shift(self, axis: int, sign: int, count: int) -> None:
        """Move transit by `count` unit steps in one direction."""
        lines = np.moveaxis(self._transit, -1 - axis, 0)
        if sign < 0:
            lines = lines[::-1]
        for _ in range(count):
            if (lines[-1] != EMPTY).any():
                raise AssertionError("a datum falls off the mesh")
            lines[1:] = lines[:-1].copy()
            lines[0] = EMPTY
            self.steps += 1


def _exchange(first: Data, second: Data, where: Mask) -> None:
    held = first[where]
    first[where] = second[where]
    second[where] = held


@dataclass(frozen=True, eq=False)
class MeshPass:
    """What one pass does; arrays are indexed by the number of the processor.

    Data are named by the processor that they come from; -1 is an empty register.

    Attributes:
        operation: the selective complement: pass, bit corrected, row of W, c, cycle.
        ybar: the vector ȳ of every processor, int64 of shape (2^n,), on bits of the index.
        selected: which processors send their olddata, bool of shape (2^n,).
        exchanged: int32 of shape (2, 2^n): olddata and newdata after selected processors have
            exchanged them.
        shifted: the same after newdata has been sent across the bit.
        settled: the same at the end of the pass.
        shifts: the unit shifts done, as (direction, how many); none for a pass that is skipped.

    >>> from lccmodel import catalog
    >>> from lccmodel.permutations import simd_mesh_route
    >>> simd_mesh_route(catalog.perfect_shuffle(2)).passes[0].shifts
    (('down', 1), ('up', 1))
    """

    operation: Operation
    ybar: Ints
    selected: npt.NDArray[np.bool_]
    exchanged: Data
    shifted: Data
    settled: Data
    shifts: tuple[tuple[str, int], ...]

    @property
    def bit(self) -> int:
        """The bit of the number that is corrected."""
        return self.operation.bit

    @property
    def steps(self) -> int:
        """Unit shifts."""
        return sum(count for _, count in self.shifts)

    @property
    def ends_cycle(self) -> bool:
        """Whether this is the last pass of a cycle, after which newdata is taken into olddata."""
        return self.operation.cycle is not None and self.operation.i == self.operation.cycle[1]

    def __repr__(self) -> str:
        return f"MeshPass(i={self.operation.i}, bit={self.bit}, steps={self.steps})"


def run_passes(
    decomposition: Decomposition, numbering: Numbering, skip: bool
) -> tuple[MeshPass, ...]:
    """Run all passes; every processor starts with its own number in olddata.

    Args:
        decomposition: of the permutation in the numbers that are routed.
        numbering: which processor has which number, and where the bits lie.
        skip: leave out the shifts of passes that select nobody.
    """
    grid = numbering.routed_grid
    registers = Registers(grid.astype(np.int32))
    index = LCC(decomposition.B).images()
    passes = []
    for operation in decomposition.operations:
        ybar = np.asarray(operation.believed(index))
        parity = np.bitwise_count(ybar & operation.row).astype(np.int64) ^ operation.c
        selected = ((index >> operation.index_bit ^ parity) & 1).astype(bool)
        shifts: tuple[tuple[str, int], ...] = ()
        if skip and operation.is_idle:
            exchanged = shifted = settled = _by_number(registers, grid)
        else:
            registers.exchange(selected[grid])
            exchanged = _by_number(registers, grid)
            axis, position = numbering.places[operation.bit]
            shifts = registers.complement(axis, 1 << position)
            shifted = _by_number(registers, grid)
            settled = _settle(operation, registers, selected[grid], grid, shifted)
        for array in (ybar, selected):
            array.flags.writeable = False
        passes.append(MeshPass(operation, ybar, selected, exchanged, shifted, settled, shifts))
    return tuple(passes)


def _settle(
    operation: Operation,
    registers: Registers,
    selected: npt.NDArray[np.bool_],
    grid: Ints,
    shifted: Data,
) -> Data:
    """BCsRoute's step 4, or ECBCsRoute's last line; nothing inside a cycle."""
    if operation.cycle is None:
        registers.exchange(selected)
    elif operation.i == operation.cycle[1]:
        registers.exchange(registers.olddata == EMPTY)
    else:
        return shifted
    return _by_number(registers, grid)


def _by_number(registers: Registers, grid: Ints) -> Data:
    """Both registers, indexed by the number of the processor."""
    data = np.empty((2, grid.size), dtype=np.int32)
    data[0, grid.ravel()] = registers.olddata.ravel()
    data[1, grid.ravel()] = registers.newdata.ravel()
    data.flags.writeable = False
    return data


def positions_of(passes: Sequence[MeshPass], size: int) -> Ints:
    """The processor in which every datum stands before pass 0 and after every pass."""
    positions = np.full((len(passes) + 1, size), EMPTY, dtype=np.int64)
    positions[0] = np.arange(size)
    for step, done in enumerate(passes, start=1):
        for register in done.settled:
            full = np.flatnonzero(register != EMPTY)
            positions[step, register[full]] = full
    return positions
