"""Beneš-like networks [boppana, section 3.3.1]: each subcube chooses its dimension, then a mirror.

Stage 1 pairs all 2^n lines along one dimension. That leaves two subcubes of n - 1 dimensions, in
which the bit just used is 0 or 1; stage 2 pairs the lines of each along a dimension of its own
choice, and so on to stage n. Stages n+1, ..., 2n-1 mirror stages n-1, ..., 1. Choosing 0, 1, ...,
n-1 everywhere gives the Beneš network. There are n · C_(n-1)² such networks, C_1 = 1: 1, 2, 12,
576, 1 658 880 for n = 1 to 5.

    stage            1     2     3     4     5
    lines x_0 = 0   0-1   0-2   0-4   0-2   0-1      n = 3, the subcube x_0 = 0 choosing 1 and
    lines x_0 = 1   2-3   1-5   1-3   1-5   2-3      the subcube x_0 = 1 choosing 2: the pairs of
                    ...   ...   ...   ...   ...      lines 0, 1, 2 and so on in every stage
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.destinations import checked_order
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, NetworkError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Viewed
from lccmodel.movement import Movement
from lccmodel.network.hypercube import cube_of
from lccmodel.permutations.partitioned.tree import checked_nodes

if TYPE_CHECKING:
    import networkx as nx

Choice = tuple[Any, ...]

MAX_BUILT = 16
"""Address bits up to which a network is built: 2^16 lines."""


@typed_arguments
@dataclass(frozen=True, eq=False, repr=False)
class BenesNetwork(Viewed, view="benes"):
    """A network of 2n - 1 stages of switches on 2^n lines, each line using every dimension.

    Where every subcube of lines that agree in the bits used so far chooses one dimension
    (`is_nested`) the network is rearrangeable [boppana, section 3.3.1]. In others, which HL makes
    of some partitioned permutations (`self_routing.network_of`), lines of a subcube differ.

    Args:
        dimensions: int64 of shape (n, 2^n); entry (t, u) is the dimension in which line u is
            paired in stage t + 1.

    Raises:
        NetworkError: another shape; a dimension used before on that line or outside 0..n-1; the
            two lines of a switch with different dimensions.
        SizeLimitError: n > 16.

    >>> network = BenesNetwork.constant(3)
    >>> network.n, network.stages, network.is_constant
    (3, 5, True)
    >>> mixed = BenesNetwork([[0] * 8, [1, 2] * 4, [2, 1] * 4])
    >>> mixed.is_constant, mixed.pairs(2)
    (False, ((0, 2), (1, 5), (3, 7), (4, 6)))
    """

    dimensions: Ints

    def __post_init__(self) -> None:
        try:
            choices: npt.NDArray[Any] = np.array(self.dimensions)
        except ValueError:
            choices = np.empty(0)
        rule = "must be integers of shape (n, 2^n), n >= 1"
        if choices.ndim != 2 or choices.dtype.kind not in "iu" or not len(choices):
            raise NetworkError("dimensions", rule, self.dimensions)
        _check_size(len(choices))
        if choices.shape[1] != 1 << len(choices):
            raise NetworkError("dimensions", rule, choices.shape)
        dimensions = choices.astype(np.int64)
        _check_choices(dimensions)
        dimensions.flags.writeable = False
        object.__setattr__(self, "dimensions", dimensions)

    @classmethod
    def constant(cls, n: int, order: Sequence[int] | None = None) -> BenesNetwork:
        """Return the network whose subcubes all choose alike; the Beneš network for 0, 1, ..., n-1.

        Args:
            n: number of address bits, 1..16.
            order: the dimensions of stages 1, ..., n.

        Raises:
            InputError: n < 1, or no order of the n dimensions.
            SizeLimitError: n > 16.

        >>> BenesNetwork.constant(2, order=(1, 0)).pairs(1)
        ((0, 2), (1, 3))
        """
        n = _checked_n(n)
        bits = checked_order(range(n) if order is None else order, n)
        return cls(np.repeat(np.array(bits, dtype=np.int64)[:, None], 1 << n, axis=1))

    @classmethod
    def chosen(cls, n: int, choice: Choice) -> BenesNetwork:
        """The network of a tree of choices: (dimension, choice where that bit is 0, where it is 1).

        A leaf has no choices below: (dimension,).

        Raises:
            InputError: n < 1; a choice of another form.
            NetworkError: a dimension chosen twice on a branch.
            SizeLimitError: n > 16.

        >>> network = BenesNetwork.chosen(3, (0, (1, (2,), (2,)), (2, (1,), (1,))))
        >>> network.dimensions[1].tolist()
        [1, 2, 1, 2, 1, 2, 1, 2]
        """
        n = _checked_n(n)
        dimensions = np.full((n, 1 << n), -1, dtype=np.int64)
        _fill(dimensions, 0, np.arange(1 << n), choice)
        return cls(dimensions)

    @classmethod
    def random(cls, n: int, seed: int) -> BenesNetwork:
        """Return a network whose subcubes choose at random, all networks equally likely.

        Raises:
            InputError: n < 1, or a seed that is not an integer.
            SizeLimitError: n > 16.
        """
        rng = random.Random(checked_integer("seed", seed))
        n = _checked_n(n)
        dimensions = np.empty((n, 1 << n), dtype=np.int64)
        lines: list[tuple[Ints, tuple[int, ...]]] = [(np.arange(1 << n), tuple(range(n)))]
        for t in range(n):
            halves = []
            for subcube, left in lines:
                d = rng.choice(left)
                dimensions[t, subcube] = d
                others = tuple(k for k in left if k != d)
                bit = subcube >> d & 1
                halves += [(subcube[bit == 0], others), (subcube[bit == 1], others)]
            lines = halves
        return cls(dimensions)

    @property
    def n(self) -> int:
        """Number of address bits; there are 2^n lines."""
        return len(self.dimensions)

    @property
    def stages(self) -> int:
        """Number of stages, 2n - 1, each of 2^(n-1) switches."""
        return 2 * self.n - 1

    @property
    def is_constant(self) -> bool:
        """Whether all subcubes of a stage choose the same dimension."""
        return bool((self.dimensions == self.dimensions[:, :1]).all())

    @property
    def is_nested(self) -> bool:
        """Whether the lines of every subcube choose one dimension.

        A subcube is named by the bits used so far and their values.

        >>> [BenesNetwork(rows).is_nested for rows in ([[0] * 4, [1] * 4], [[1] * 4, [0] * 4])]
        [True, True]
        """
        n, size = self.dimensions.shape
        lines, used = np.arange(size), np.zeros(size, dtype=np.int64)
        for row in self.dimensions:
            subcube = used << n | lines & used
            first = np.unique(subcube, return_index=True, return_inverse=True)
            if (row != row[first[1]][first[2]]).any():
                return False
            used |= 1 << row
        return True

    def paired(self, stage: int) -> Ints:
        """Return the dimension of every line's switch in a stage 1..2n-1: int64 of shape (2^n,).

        Raises:
            InputError: no such stage.
        """
        stage = checked_integer("stage", stage)
        if not 1 <= stage <= self.stages:
            raise InputError("stage", f"must be in 1..{self.stages}", stage)
        row: Ints = self.dimensions[min(stage, 2 * self.n - stage) - 1]
        return row

    def pairs(self, stage: int) -> tuple[tuple[int, int], ...]:
        """Return the switches of a stage 1..2n-1, each as the two lines that it joins.

        Raises:
            InputError: no such stage.
        """
        partner = np.arange(1 << self.n) ^ 1 << self.paired(stage)
        return tuple((u, int(v)) for u, v in enumerate(partner) if u < v)

    def graph(self) -> nx.DiGraph[int]:
        """Return the lines between the stages as nodes, what a switch can do as edges.

        Node s · 2^n + u is line u after s stages, with attributes `stage` = s and `line` = u. A
        switch is four edges: straight and crossed for both of its lines, with attributes `stage`
        (1..2n-1), `dimension` and `crossed`.

        >>> graph = BenesNetwork.constant(2).graph()
        >>> sorted(graph.successors(0)), graph.edges[0, 5]
        ([4, 5], {'stage': 1, 'dimension': 0, 'crossed': True})
        """
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph(n=self.n)
        size = 1 << self.n
        for s in range(self.stages + 1):
            graph.add_nodes_from((s * size + u, {"stage": s, "line": u}) for u in range(size))
        for s in range(1, self.stages + 1):
            for u, d in enumerate(self.paired(s).tolist()):
                for crossed in (False, True):
                    v = s * size + (u ^ crossed << d)
                    start = (s - 1) * size + u
                    graph.add_edge(start, v, stage=s, dimension=d, crossed=crossed)
        return graph

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, BenesNetwork) and np.array_equal(self.dimensions, other.dimensions)

    def __hash__(self) -> int:
        return hash(self.dimensions.tobytes())

    def __repr__(self) -> str:
        kind = f"order {self.dimensions[:, 0].tolist()}" if self.is_constant else "mixed"
        return f"BenesNetwork({self.n} bits, {self.stages} stages, {kind})"


def _fill(dimensions: Ints, t: int, lines: Ints, choice: Any) -> None:
    """Write a choice into the rows from t on, for the lines of a subcube."""
    n = len(dimensions)
    entries = 3 if t < n - 1 else 1
    if not isinstance(choice, tuple) or len(choice) != entries:
        form = "(dimension, choice, choice)" if entries == 3 else "(dimension,)"
        raise InputError("choice", f"must be {form} in stage {t + 1}", choice)
    d = checked_integer("choice", choice[0])
    if not 0 <= d < n:
        raise InputError("choice", f"must be dimensions of 0..{n - 1}", d)
    dimensions[t, lines] = d
    if entries == 3:
        bit = lines >> d & 1
        _fill(dimensions, t + 1, lines[bit == 0], choice[1])
        _fill(dimensions, t + 1, lines[bit == 1], choice[2])


def _check_choices(dimensions: Ints) -> None:
    """A switch joins two lines of one dimension, and a line uses every dimension once."""
    n, size = dimensions.shape
    if dimensions.min() < 0 or dimensions.max() >= n:
        raise NetworkError("dimensions", f"must be in 0..{n - 1}", dimensions.tolist())
    lines = np.arange(size)
    used = np.zeros(size, dtype=np.int64)
    for t, row in enumerate(dimensions):
        if (row != row[lines ^ 1 << row]).any():
            rule = "both lines of a switch choose one dimension"
            raise NetworkError("dimensions", f"{rule}, stage {t + 1}", row.tolist())
        if (used >> row & 1).any():
            rule = "a dimension is chosen once on every line"
            raise NetworkError("dimensions", f"{rule}, stage {t + 1}", row.tolist())
        used |= 1 << row


def _checked_n(n: int) -> int:
    n = checked_integer("n", n, least=1)
    _check_size(n)
    return n


def _check_size(n: int) -> None:
    if n > MAX_BUILT:
        raise SizeLimitError("n", f"every line is built, so n <= {MAX_BUILT}", n)


@dataclass(frozen=True, eq=False)
class SwitchSettings(Viewed, view="switches"):
    """A setting of every switch of a network, and what it does.

    Args:
        network: the network.
        crossed: bool of shape (2n - 1, 2^n): whether the switch of line u in a stage is crossed;
            the two lines of a switch agree.

    Raises:
        InputError: another shape, or the lines of a switch disagree.

    >>> from lccmodel.permutations import switch_settings
    >>> settings = switch_settings([1, 0, 3, 2])
    >>> settings.crossed.shape
    (3, 4)
    """

    network: BenesNetwork
    crossed: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        crossed = np.array(self.crossed, dtype=bool)
        shape = (self.network.stages, 1 << self.network.n)
        if crossed.shape != shape:
            raise InputError("crossed", f"must have shape {shape}", crossed.shape)
        for stage in range(1, self.network.stages + 1):
            partner = np.arange(shape[1]) ^ 1 << self.network.paired(stage)
            row = crossed[stage - 1]
            if (row != row[partner]).any():
                u = int((row != row[partner]).argmax())
                raise InputError("crossed", "both lines of a switch cross or none", (stage, u))
        crossed.flags.writeable = False
        object.__setattr__(self, "crossed", crossed)

    @property
    def movement(self) -> Movement:
        """Where the message of every input is after each stage, as a walk on the hypercube."""
        rows = [np.arange(1 << self.network.n)]
        for stage in range(1, self.network.stages + 1):
            u = rows[-1]
            crossing = self.crossed[stage - 1][u].astype(np.int64)
            rows.append(u ^ crossing << self.network.paired(stage)[u])
        return Movement.of_positions(cube_of(len(rows[0])), np.array(rows))

    @property
    def destinations(self) -> Ints:
        """The output line of every input line, traced through the switches."""
        outputs: Ints = self.movement.positions[-1]
        return outputs


@typed_arguments
def switch_settings(
    permutation: LCC | Sequence[int] | npt.NDArray[Any], network: BenesNetwork | None = None
) -> SwitchSettings:
    """Return settings that realise a permutation; in a nested network each has some.

    They are found by the looping algorithm. In a mixed network it goes as far as all lines of a
    subcube choose alike; mixed subcubes of up to 16 lines are searched (`looping`). Of 32 lines not
    every mixed network that HL makes realises every permutation (`boppana.benes.parts`).

    Args:
        permutation: an LCC, or 2^n destinations.
        network: the network; the Beneš network if left out.

    Raises:
        CommunicationError: not a permutation of 2^n lines, or a single line.
        NetworkError: the network has another number of lines; no setting of a mixed subcube
            realises what has to pass through it, or it has too many lines to try all.
        SizeLimitError: n > 16.

    >>> settings = switch_settings([3, 1, 0, 2])
    >>> settings.destinations.tolist(), settings.movement.occupancies
    ([3, 1, 0, 2], (1, 1, 1, 1))
    """
    destinations = checked_nodes(permutation)
    n = destinations.size.bit_length() - 1
    if network is None:
        network = BenesNetwork.constant(n)
    if network.n != n:
        rule = f"must have the {destinations.size} lines of the permutation"
        raise NetworkError("network", rule, network)
    from lccmodel.permutations.partitioned.looping import settings_of

    return SwitchSettings(network, settings_of(network.dimensions, destinations))
