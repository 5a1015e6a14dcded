"""Routing an affine permutation on a SIMD mesh in 4√N - 4 steps [sibeyn, Theorem 1].

`simd_mesh_route` decomposes the permutation and gives a `MeshPlan`; the plan runs the passes on an
explicit mesh when they are first looked at. One pass corrects one bit; a bit of weight d in the
coordinate of an axis costs 2d unit shifts, so a mesh of C columns and R rows costs
2(C - 1) + 2(R - 1), which is 4√N - 4 on the square one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.communication.destinations import linear_complement_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import SizeLimitError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Viewed
from lccmodel.movement import Movement
from lccmodel.network import Mesh, parse_network
from lccmodel.network.hypercube import cube_of
from lccmodel.permutations.simd_mesh.decomposition import Decomposition, Operation, decompose
from lccmodel.permutations.simd_mesh.numbering import Numbering, mesh_of
from lccmodel.permutations.simd_mesh.passes import MeshPass, positions_of, run_passes

_MAX_N = 20
"""Address bits up to which the passes are run: the registers of 2^20 processors, every pass."""


class PlanRow(NamedTuple):
    """One line of the table of the data movement, as in [sibeyn, Example 3].

    Attributes: `i`, the pass (-1 before the first); `bit`, the bit of the number that it corrects
    (-1 before the first); `register`, one of "olddata", "newdata", "y", "selected"; `values`, one
    for every processor; `note`, what has just happened.

    >>> from lccmodel import catalog
    >>> from lccmodel.permutations import simd_mesh_route
    >>> simd_mesh_route(catalog.perfect_shuffle(2)).table()[0]
    PlanRow(i=-1, bit=-1, register='olddata', values=('d00', 'd01', 'd10', 'd11'), note='initial \
situation')
    """

    i: int
    bit: int
    register: str
    values: tuple[str, ...]
    note: str


@dataclass(frozen=True, eq=False, repr=False)
class MeshPlan(Viewed, view="mesh-plan"):
    """How an affine permutation is routed on a SIMD mesh. Made by `simd_mesh_route`.

    Attributes:
        communication: the permutation, in processor numbers.
        numbering: which processor has which number; `numbering.mesh` is the mesh.
        skip: whether passes that select nobody are left out.
        routed: the permutation in the numbers that are routed: `communication` itself if every
            bit of a number is one bit of a coordinate (shuffled row-major, row-major), else that
            in shuffled row-major numbers. `order`, `walk`, `passes` and `table` are in these.
        decomposition: B, EΓ, VL, cycles, W and c.
    """

    communication: LCC
    numbering: Numbering
    skip: bool
    routed: LCC
    decomposition: Decomposition

    # -- the decomposition ----------------------------------------------------------------

    @property
    def mesh(self) -> Mesh:
        """The mesh."""
        return self.numbering.mesh

    @property
    def B(self) -> GF2Matrix:
        """The change of basis: index = B number."""
        return self.decomposition.B

    @property
    def exchanges(self) -> tuple[GF2Matrix, ...]:
        """EΓ⁽⁰⁾, ..., EΓ⁽ⁿ⁻¹⁾ of equation (1)."""
        return self.decomposition.exchanges

    @property
    def VL(self) -> tuple[GF2Matrix, ...]:
        """VL⁽⁰⁾, ..., VL⁽ⁿ⁻¹⁾ of equation (1)."""
        return self.decomposition.VL

    @property
    def cycles(self) -> tuple[tuple[int, int], ...]:
        """The (k, l) of the elementary cycles EC⁽ᵏˡ⁾ of equation (3)."""
        return self.decomposition.cycles

    @property
    def EC(self) -> tuple[GF2Matrix, ...]:
        """The elementary cycles EC⁽ᵏˡ⁾ as matrices, in the order of `cycles`."""
        return self.decomposition.EC

    @property
    def W(self) -> tuple[GF2Matrix, ...]:
        """W⁽⁰⁾, ..., W⁽ⁿ⁻¹⁾ of equation (4)."""
        return self.decomposition.W

    @property
    def c(self) -> GF2Vector:
        """The bits c_i of equation (5)."""
        return self.decomposition.c

    # -- counts ---------------------------------------------------------------------------

    @property
    def order(self) -> tuple[int, ...]:
        """The bits in the order in which they are corrected; skipped ones keep their place."""
        return self.decomposition.order

    @property
    def skipped(self) -> tuple[int, ...]:
        """The bits whose passes are left out, in that order."""
        idle = (operation for operation in self.decomposition.operations if operation.is_idle)
        return tuple(operation.bit for operation in idle) if self.skip else ()

    @property
    def steps(self) -> int:
        """Unit shifts altogether."""
        return sum(self._price(bit) for bit in self.order) - self.saved

    @property
    def saved(self) -> int:
        """Unit shifts saved by skipping."""
        return sum(self._price(bit) for bit in self.skipped)

    def _price(self, bit: int) -> int:
        return 2 << self.numbering.places[bit][1]

    # -- the run --------------------------------------------------------------------------

    @cached_property
    def passes(self) -> tuple[MeshPass, ...]:
        """Every pass, run on the mesh by unit shifts.

        Raises:
            SizeLimitError: n > 20.
        """
        if self.routed.n > _MAX_N:
            rule = f"every processor is simulated, so n <= {_MAX_N}; `decomposition` takes any n"
            raise SizeLimitError("communication", rule, self.routed.n)
        passes = run_passes(self.decomposition, self.numbering, self.skip)
        if sum(done.steps for done in passes) != self.steps:
            raise AssertionError("the mesh took another number of steps than stated")
        return passes

    @cached_property
    def movement(self) -> Movement:
        """Where the data stand after every pass, read off the registers."""
        size = self.routed.size
        return Movement.of_positions(cube_of(size), positions_of(self.passes, size))

    @cached_property
    def delivered(self) -> bool:
        """Whether every datum stands in olddata of its destination at the end."""
        final = self.passes[-1].settled
        numbers = np.arange(self.routed.size)
        arrived = np.array_equal(final[0][self.routed.destination(numbers)], numbers)
        return arrived and bool((final[1] < 0).all())

    # -- showing --------------------------------------------------------------------------

    def table(self) -> list[PlanRow]:
        """Return the data movement line by line, as in [sibeyn, Example 3].

        Data are d and the number they come from, in binary; ∅ is an empty register.

        Raises:
            SizeLimitError: n > 20.

        >>> plan = simd_mesh_route(LCC([[0, 1], [1, 0]]))
        >>> for row in plan.table()[:5]:
        ...     print(" ".join([f"{row.register:9}", *row.values, row.note]).strip())
        olddata   d00 d01 d10 d11 initial situation
        newdata   ∅ ∅ ∅ ∅
        y         00 01 10 11 i = 0
        selected  F T T F
        olddata   d00 ∅ ∅ d11 exchange
        """
        return list(self._rows())

    def _rows(self) -> Iterator[PlanRow]:
        start = np.stack([np.arange(self.routed.size), np.full(self.routed.size, -1)])
        yield from self._registers(-1, -1, start, "initial situation")
        for done in self.passes:
            i, bit = done.operation.i, done.bit
            if self.skip and done.operation.is_idle:
                yield PlanRow(i, bit, "selected", self._truth(done.selected), f"i = {i}: skipped")
                continue
            yield PlanRow(i, bit, "y", tuple(map(self._binary, done.ybar)), f"i = {i}")
            yield PlanRow(i, bit, "selected", self._truth(done.selected), "")
            yield from self._registers(i, bit, done.exchanged, "exchange")
            sent = f"routing of bc_{bit}"
            yield PlanRow(i, bit, "newdata", self._data(done.shifted[1]), sent)
            if done.operation.cycle is None:
                yield from self._registers(i, bit, done.settled, "exchange back")
            elif done.ends_cycle:
                yield from self._registers(i, bit, done.settled, "if test")

    def _registers(self, i: int, bit: int, data: npt.NDArray[Any], note: str) -> Iterator[PlanRow]:
        yield PlanRow(i, bit, "olddata", self._data(data[0]), note)
        yield PlanRow(i, bit, "newdata", self._data(data[1]), "")

    def _data(self, register: npt.NDArray[Any]) -> tuple[str, ...]:
        return tuple(f"d{self._binary(x)}" if x >= 0 else "∅" for x in register)

    def _binary(self, x: int) -> str:
        return f"{int(x):0{self.routed.n}b}"

    @staticmethod
    def _truth(selected: npt.NDArray[np.bool_]) -> tuple[str, ...]:
        return tuple("T" if chosen else "F" for chosen in selected)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The n selective complements, in order."""
        return self.decomposition.operations

    def __repr__(self) -> str:
        return f"MeshPlan({self.mesh.spec}, order={self.order}, {self.steps} steps)"


@typed_arguments
def simd_mesh_route(
    communication: LCC | Sequence[int],
    numbering: str | Numbering | tuple[Any, Any] = "shuffled-row-major",
    skip: bool = False,
    network: Mesh | Sequence[int] | str | None = None,
) -> MeshPlan:
    """Route a linear-complement permutation on a SIMD mesh without wrap-around.

    Args:
        communication: the permutation: an LCC, or 2^n destinations.
        numbering: "shuffled-row-major", "row-major", "snake-like", or a pair (C, d): the
            processor with the shuffled row-major number s has the number Cs + d.
        skip: leave out the passes that select nobody. Then a bit costs steps only if some
            message changes it, and no scheme of one-bit operations takes fewer.
        network: the mesh, or its shape (columns, rows, ...); None for a square mesh, or one
            with twice as many columns as rows.

    Raises:
        CommunicationError: not a permutation.
        NotLinearComplement: a permutation that is not of the form y = Ax + b.
        NetworkError: not a mesh of 2^n processors with sides that are powers of two.
        InputError, MatrixError: not a numbering.

    >>> plan = simd_mesh_route(LCC([[0, 0, 1], [1, 0, 0], [0, 1, 0]]))      # Example 3
    >>> plan.cycles, plan.order, plan.steps, plan.delivered
    (((0, 2),), (1, 2, 0), 8, True)
    >>> plan.movement.occupancies, plan.movement.loads
    ((1, 2, 2, 1), (1, 1, 1))
    >>> simd_mesh_route(LCC([[1, 0], [0, 1]], [0, 1]), skip=True).steps
    2
    """
    advice = 'the mesh is routed by bits; self_route(..., mode="mimd") takes any permutation'
    permutation = linear_complement_of(communication, advice)
    parsed: Any = parse_network(network) if isinstance(network, str) else network
    mesh = mesh_of(parsed, permutation.n)
    chosen = Numbering.of(numbering, mesh)
    routed = chosen.routed(permutation)
    return MeshPlan(permutation, chosen, bool(skip), routed, decompose(routed))
