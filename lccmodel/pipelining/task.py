"""The communication task ⟨i,M⟩_c on a mesh, and the loads it puts on links [calmant, section 2.5].

Every process exchanges M messages of equal size, one with its neighbour along each of the
dimensions i, ..., i+M-1 of the hypercube. A task is a checked value: everything else of
`lccmodel.pipelining` takes one. The loads of `link_loads` are counted, message by message on a
line or ring; the closed forms of `loads` are the other route to them. ⟨1,2⟩ on a line of 8 nodes:

    link                      0-1 1-2 2-3 3-4 4-5 5-6 6-7
    dimension 1, each way      1   2   1   0   1   2   1
    dimension 2, each way      1   2   3   4   3   2   1
    together                   2   4   4   4   4   4   2     maximum 4 = λ⟨1,2⟩_1
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.network import Mesh
from lccmodel.network.ring_direction import TIES, TieName, goes_plus
from lccmodel.pipelining import loads
from lccmodel.pipelining.embedding import Embedding, OnMesh, as_mesh, check_listed
from lccmodel.pipelining.loads import LevelRuns, PortName, check_choice


@typed_arguments
@dataclass(frozen=True)
class Task(OnMesh):
    """⟨i,M⟩ on a mesh or torus that holds the 2^d processes by the standard embedding.

    Args:
        i: the first dimension.
        M: how many dimensions; 0 is the empty task.
        mesh: a `Mesh` or `Torus`, or a word such as "mesh:8x16".
        ports: "one": a node sends at most one message in a step and receives at most one;
            "all": it may use all its links.

    Raises:
        InputError: i or M is not an integer or negative, i + M > d, not a mesh, sides that are
            not powers of two, or ports that are neither "one" nor "all".

    >>> task = Task(3, 4, Mesh((16, 16)))
    >>> task, task.max_load, task.lower_bound
    (Task(3, 4, 'mesh:16x16'), 8, 8)
    >>> Task(1, 4, "mesh:4x4")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: i, M: must satisfy i + M <= d = 4; got (1, 4)
    """

    i: int
    M: int
    mesh: Mesh
    ports: PortName = "one"

    def __init__(self, i: int, M: int, mesh: Mesh | str, ports: PortName = "one") -> None:
        checked = as_mesh(mesh)
        for name, value in (("i", i), ("M", M)):
            object.__setattr__(self, name, checked_integer(name, value, least=0))
        if self.i + self.M > checked.n:
            raise InputError("i, M", f"must satisfy i + M <= d = {checked.n}", (i, M))
        check_choice("ports", ports)
        object.__setattr__(self, "mesh", checked)
        object.__setattr__(self, "ports", ports)

    @staticmethod
    def whole(mesh: Mesh | str, ports: PortName = "one") -> Task:
        """Return all dimensions of a mesh.

        Raises:
            InputError: as for `Task`.

        >>> Task.whole("mesh:8x16")
        Task(0, 7, 'mesh:8x16')
        """
        checked = as_mesh(mesh)
        return Task(0, checked.n, checked, ports)

    def __repr__(self) -> str:
        ports = "" if self.ports == "one" else f", ports={self.ports!r}"
        return f"Task({self.i}, {self.M}, {self.mesh.spec!r}{ports})"

    def __str__(self) -> str:
        """⟨i,M⟩ on its network.

        >>> print(Task(0, 3, "mesh:8"), "or", Task(0, 3, "mesh:8", "all"))
        ⟨0,3⟩ on mesh:8 or ⟨0,3⟩ on mesh:8, all ports
        """
        ports = "" if self.ports == "one" else ", all ports"
        return f"⟨{self.i},{self.M}⟩ on {self.mesh.spec}{ports}"

    def part(self, i: int, M: int) -> Task:
        """Return the task of another window of dimensions on the same mesh."""
        return replace(self, i=i, M=M)

    # -- size and place -------------------------------------------------------------------

    @property
    def dimensions(self) -> range:
        """i, ..., i+M-1."""
        return range(self.i, self.i + self.M)

    @cached_property
    def embedding(self) -> Embedding:
        """Where the processes stand."""
        return Embedding(self.mesh)

    @cached_property
    def runs(self) -> LevelRuns:
        """The levels that every axis carries: all that loads and schedules depend on."""
        return self.embedding.runs(self.i, self.M)

    def axis(self, dimension: int) -> int:
        """Return the axis along which the messages of a dimension travel.

        Raises:
            InputError: a dimension outside the task.
        """
        return self._place(dimension)[0]

    def dilation(self, dimension: int) -> int:
        """Return over how many links the messages of a dimension travel [calmant (2)].

        Raises:
            InputError: a dimension outside the task.
        """
        return 1 << self._place(dimension)[1]

    def _place(self, dimension: int) -> tuple[int, int]:
        if checked_integer("dimension", dimension) not in self.dimensions:
            rule = f"must be in {self.i}..{self.i + self.M - 1}"
            raise InputError("dimension", rule, dimension)
        return self.embedding.places[dimension]

    # -- bounds ---------------------------------------------------------------------------

    @property
    def max_load(self) -> int:
        """Messages on the busiest directed link; on a torus, with the best split of ties."""
        return loads.largest_load(self.runs)

    @property
    def lower_bound(self) -> int:
        """No schedule takes fewer steps [calmant, Theorem 4]."""
        return loads.least_steps(self.runs, self.ports)

    # -- messages -------------------------------------------------------------------------

    def messages(self) -> Ints:
        """Return (source, destination) as mesh nodes, int64 of shape (M 2^d, 2).

        Message q 2^d + n is the one that process n sends through dimension i + q.

        Raises:
            SizeLimitError: d > 24.

        >>> Task(1, 1, "mesh:2x2").messages().tolist()
        [[0, 2], [1, 3], [2, 0], [3, 1]]
        """
        nodes = self.embedding.nodes
        ends = np.empty((2, self.M, nodes.size), dtype=np.int64)
        ends[0] = nodes
        for q, k in enumerate(self.dimensions):
            halves = (-1, 2, 1 << k)  # bit k flipped: the halves of every block change places
            ends[1, q].reshape(halves)[...] = nodes.reshape(halves)[:, ::-1]
        return ends.reshape(2, -1).T

    def link_loads(self, ties: TieName = "split") -> tuple[Ints, ...]:
        """Count the messages that use each link: for every axis, int64 of shape (2, nodes).

        Entry [0, x] is the link from coordinate x to x + 1 on the axis, entry [1, x] the one from
        x to x - 1; the same on every line of the axis. On a mesh the links that would leave it
        hold 0; a torus wraps around.

        Args:
            ties: which way messages go half a ring, see `pipelining.loads`.

        Raises:
            InputError: other ties.
            SizeLimitError: an axis of more than 2^24 nodes.

        >>> Task(1, 2, "mesh:8").link_loads()[0].tolist()
        [[2, 4, 4, 4, 4, 4, 2, 0], [0, 2, 4, 4, 4, 4, 4, 2]]
        """
        check_choice("ties", ties)
        check_listed(max(self.mesh.shape).bit_length() - 1)
        counted = [np.zeros((2, side), dtype=np.int64) for side in self.mesh.shape]
        for k in self.dimensions:
            forward, run = self.directions(k, ties)
            axis = self.axis(k)
            counted[axis] += _uses(forward, run, self.mesh.shape[axis])
        return tuple(counted)

    def directions(
        self, dimension: int, ties: TieName = "split"
    ) -> tuple[npt.NDArray[np.bool_], int]:
        """Return which coordinates send in + direction along a dimension, over how many links.

        Returns:
            A bool array with an entry for every node of the axis, and the dilation.

        Raises:
            InputError: a dimension outside the task.

        >>> Task(1, 1, "torus:4").directions(1)[0].tolist()
        [True, False, True, False]
        """
        axis, level = self._place(dimension)
        side, run = self.mesh.shape[axis], 1 << level
        x = np.arange(side)
        y = x ^ run
        if not self.mesh.is_ring(axis):
            return y > x, run
        forward: npt.NDArray[np.bool_] = goes_plus((y - x) % side, side, x, y, TIES.index(ties))
        return forward, run


def _uses(forward: npt.NDArray[np.bool_], run: int, side: int) -> Ints:
    """Messages per link [direction, tail] when every coordinate sends over `run` links.

    Counted on the ring cut open and laid out twice, a line of 2 side nodes.
    """
    x = np.arange(side)
    start = np.where(forward, x, x + side)
    sent = np.column_stack([start, np.where(forward, start + run, start - run)])
    counts = Mesh((2 * side,)).channel_loads(sent).counts.astype(np.int64)
    return counts[:, :side] + counts[:, side:]
