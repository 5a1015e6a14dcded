"""The communication task ⟨i,M⟩_c and the loads it puts on links [calmant, section 2.5].

Every process exchanges M messages of equal size, one with its neighbour along each of the
dimensions i, ..., i+M-1. The loads here are counted, message by message on a line or ring; the
closed forms of `pipelining.loads` are the other route to them. ⟨1,2⟩_1 on a line of 8 nodes:

    link                      0-1 1-2 2-3 3-4 4-5 5-6 6-7
    dimension 1, each way      1   2   1   0   1   2   1
    dimension 2, each way      1   2   3   4   3   2   1
    together                   2   4   4   4   4   4   2     maximum 4 = λ⟨1,2⟩_1
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, checked_integer
from lccmodel.network import Mesh
from lccmodel.pipelining import loads
from lccmodel.pipelining.loads import Ports, Ties, Topology
from lccmodel.pipelining.standard_embedding import check_listed, embedding, mesh_of

__all__ = ["Task"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Task:
    """⟨i,M⟩_c on 2^d nodes with c axes of 2^(d/c).

    Args:
        i: the first dimension.
        M: how many dimensions; 0 is the empty task.
        c: number of axes.
        d: number of dimensions of the CC-cube, a multiple of c.
        topology: "mesh" or "torus".
        ports: "one": a node sends at most one message in a step and receives at most one;
            "all": it may use all its links.

    Raises:
        InputError: not integers, i < 0, M < 0, c < 1, d not a multiple of c, i + M > d, another
            topology, or ports that are neither "one" nor "all".

    >>> task = Task(3, 4, c=2, d=8)
    >>> task, task.max_load, task.lower_bound
    (Task(i=3, M=4, c=2, d=8, topology='mesh', ports='one'), 8, 8)
    >>> Task(1, 4, c=2, d=4)
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: i, M: must satisfy i + M <= d = 4; got (1, 4)
    """

    i: int
    M: int
    c: int
    d: int
    topology: Topology = "mesh"
    ports: Ports = "one"

    def __post_init__(self) -> None:
        if self.d is None:
            raise InputError("d", "must be an integer", None)
        loads.lower_bound(self.i, self.M, self.c, self.d, self.topology, self.ports)  # checks
        for name in ("i", "M", "c", "d"):
            object.__setattr__(self, name, checked_integer(name, getattr(self, name)))

    @property
    def dimensions(self) -> range:
        """i, ..., i+M-1."""
        return range(self.i, self.i + self.M)

    @property
    def mesh(self) -> Mesh:
        """The network: a `Mesh`, or a `Torus`."""
        return mesh_of(self.d, self.c, self.topology)

    @property
    def max_load(self) -> int:
        """Messages on the busiest directed link; on a torus, with the best split of ties."""
        return loads.max_load(self.i, self.M, self.c, self.d, self.topology)

    @property
    def lower_bound(self) -> int:
        """No schedule takes fewer steps [calmant, Theorem 4]."""
        return loads.lower_bound(self.i, self.M, self.c, self.d, self.topology, self.ports)

    @property
    def n_messages(self) -> int:
        """M 2^d."""
        return self.M << self.d

    def axis(self, dimension: int) -> int:
        """The axis along which the messages of a dimension travel.

        Raises:
            InputError: a dimension outside the task.
        """
        if checked_integer("dimension", dimension) not in self.dimensions:
            rule = f"must be in {self.i}..{self.i + self.M - 1}"
            raise InputError("dimension", rule, dimension)
        return dimension % self.c

    def messages(self) -> Ints:
        """(source, destination) mesh nodes, int64 of shape (M 2^d, 2).

        Message q 2^d + n is the one that process n sends through dimension i + q.

        Raises:
            SizeLimitError: d > 24.

        >>> Task(1, 1, c=2, d=2).messages().tolist()
        [[0, 2], [1, 3], [2, 0], [3, 1]]
        """
        check_listed(self.d)
        nodes = embedding(self.d, self.c)
        processes = np.arange(1 << self.d)
        pairs = [(nodes, nodes[processes ^ 1 << k]) for k in self.dimensions]
        both = np.array(pairs, dtype=np.int64).reshape(self.M, 2, 1 << self.d)
        return both.transpose(0, 2, 1).reshape(-1, 2)

    def link_loads(self, ties: Ties = "split") -> Ints:
        """How many messages use each link, counted: int64 of shape (c, 2, 2^(d/c)).

        Entry [a, 0, x] is the link from coordinate x to x + 1 on axis a, entry [a, 1, x] the one
        from x to x - 1; the same on every line of the axis. On a mesh the links that would leave
        it hold 0; a torus wraps around.

        Args:
            ties: which way messages go half a ring, see `pipelining.loads`.

        Raises:
            InputError: other ties.
            SizeLimitError: d/c > 24.

        >>> Task(1, 2, c=1, d=3).link_loads()[0].tolist()
        [[2, 4, 4, 4, 4, 4, 2, 0], [0, 2, 4, 4, 4, 4, 4, 2]]
        """
        loads.max_load(self.i, self.M, self.c, self.d, self.topology, ties)  # checks ties
        side_bits = self.d // self.c
        check_listed(side_bits)
        counted = np.zeros((self.c, 2, 1 << side_bits), dtype=np.int64)
        for k in self.dimensions:
            forward, run = self.directions(k, ties)
            counted[k % self.c] += _uses(forward, run, 1 << side_bits)
        return counted

    def directions(self, dimension: int, ties: Ties = "split") -> tuple[npt.NDArray[np.bool_], int]:
        """Which coordinates send in the + direction along a dimension, and over how many links.

        Returns:
            A bool array of shape (2^(d/c),) and the dilation.

        Raises:
            InputError: a dimension outside the task.

        >>> Task(1, 1, c=1, d=2, topology="torus").directions(1)[0].tolist()
        [True, False, True, False]
        """
        self.axis(dimension)
        side = 1 << self.d // self.c
        run = loads.dilation(dimension, self.c)
        x = np.arange(side)
        if self.topology == "torus" and side > 2 and 2 * run == side and ties != "line":
            return (x % 2 == 0 if ties == "split" else np.ones(side, dtype=bool)), run
        return x & run == 0, run


def _uses(forward: npt.NDArray[np.bool_], run: int, side: int) -> Any:
    """Messages per link [direction, tail] when every coordinate sends over `run` links.

    Differences over two turns of the ring; on a mesh no message crosses the seam.
    """
    x = np.arange(side)
    change = np.zeros((2, 2 * side + 1), dtype=np.int64)
    np.add.at(change[0], x[forward], 1)
    np.add.at(change[0], x[forward] + run, -1)
    tails = x[~forward] + side  # tails x, x - 1, ..., x - run + 1, one turn up
    np.add.at(change[1], tails - run + 1, 1)
    np.add.at(change[1], tails + 1, -1)
    counts = np.cumsum(change, axis=1)[:, : 2 * side]
    return counts[:, :side] + counts[:, side:]
