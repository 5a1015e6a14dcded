"""Degree of channel contention [hou, Theorems 1 and 7], by formula and by walking.

T_i(A, b) is the largest number of messages over one channel of dimension i when dimensions are
corrected in ascending order (e-cube):

    hypercube   T_i = 2^(i - rank A_(L_(i+1), L_i))           with L_i = {0, ..., i-1}
    bristled    T_i = 2^(i - rank B_(L_i, L_i)), B = A without row 0;   T_0 = 0

and T_i = 0 if y_i = x_i for all x. Both are walks through the correction lattice in the natural
order; several nodes at a router are internal bits, and on fat trees see `lattice.fat_tree`.

For any other traffic, on any network, what is sent is counted, message by message and with its
volume; a formula answers only where a phase is full, uniform and linear-complement, and the
answer says so (`method`).

A scatter is routed as it is sent, from source to destination, in ascending order too. Sending it
back along the paths of its gather is another routing, `routing="descending"`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, overload

from lccmodel.communication.lcc import LCC, require_lcc
from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, NetworkError
from lccmodel.gf2.elimination import rank
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.numbers import Number
from lccmodel.ground.views import Answer
from lccmodel.ground.words import CorrectionOrder as CorrectionOrder
from lccmodel.ground.words import CountingMethod as CountingMethod
from lccmodel.ground.words import checked_word
from lccmodel.lattice.fat_tree import fat_tree_loads
from lccmodel.lattice.ranks import Ranks
from lccmodel.network import Hypercube, Network, parse_network
from lccmodel.network.geometry import Tree
from lccmodel.placement.notes import extension_notes, idle_notes, tie_notes
from lccmodel.problem import Problem


@dataclass(frozen=True, slots=True)
class Contention(Answer, view="contention"):
    """The busiest channels of one communication on one network.

    Attributes:
        per_dimension: volume on the busiest channel of each dimension (of each axis on a mesh or
            torus, of each level of links on a fat tree), over the bandwidth of the channel; a
            message without a stated volume has the volume 1.
        method: "formula" (ranks) or "walk" (messages counted on every channel).
        problem: what was asked: one phase on a network.
        routing: "ascending" or "descending" order of dimensions.
        distance: volume times distance, the sum over all channels.
        node_of: the node of every rank; None if rank x is on node x.

    Equal are those with the same loads and routing.

    >>> result = contention("matrix-transpose", "mesh:4x4")
    >>> result.per_dimension, result.degree, result.problem.network
    ((3, 3), 3, Mesh((4, 4)))
    >>> result = contention({(0, 1): 1000, (0, 2): 1001}, "mesh:3")
    >>> result.per_dimension, result.messages
    ((2001,), (2,))
    """

    per_dimension: tuple[Number, ...]
    method: str = field(compare=False)
    problem: Problem = field(compare=False, repr=False)
    routing: CorrectionOrder = "ascending"
    distance: Any = field(default=None, compare=False)
    node_of: Any = field(default=None, compare=False, repr=False)

    @property
    def messages(self) -> tuple[int, ...]:
        """The largest number of messages on one channel of each dimension, whatever they carry."""
        traffic, network = self.problem.program.phases[0].traffic, self.problem.network
        volume = traffic.uniform_volume if traffic.uniform else 0
        if volume:
            widths = zip(self.per_dimension, network.bandwidths, strict=True)
            return tuple(int(Fraction(load) * width / volume) for load, width in widths)
        sent = Traffic(traffic.messages, ranks=traffic.ranks)
        descending = self.routing == "descending"
        counted = network.channel_loads(sent, node_of=self.node_of, descending=descending)
        busiest = [0] * network.dimensions
        for row, count in enumerate(counted.counts.max(axis=1, initial=0).tolist()):
            dimension = network.row_dimension(row)
            busiest[dimension] = max(busiest[dimension], count)
        return tuple(busiest)

    @property
    def degree(self) -> Number:
        """Degree of contention [hou, Definition 6]: messages on the busiest channel of all."""
        return max(self.per_dimension, default=0)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reading of the input says, messages that are not sent, nodes without a rank."""
        return _notes(self.problem, self.node_of, self.routing)

    @property
    def total(self) -> Number:
        """Sum over the dimensions."""
        return sum(self.per_dimension)


@dataclass(frozen=True, slots=True)
class ContentionSet(Sequence[Contention], Answer, view="contention"):
    """The contention of the phases of a problem, in their order.

    >>> both = contention(["matrix-transpose", "bit-reverse"], "cube:8")
    >>> both.degree, both.per_dimension, [member.degree for member in both]
    (8, (1, 2, 4, 8, 8, 4, 2, 1), [8, 8])
    """

    members: tuple[Contention, ...]
    problem: Problem = field(compare=False, repr=False)

    @property
    def per_dimension(self) -> tuple[Number, ...]:
        """The largest load of any member, for every dimension."""
        return tuple(max(loads) for loads in zip(*(c.per_dimension for c in self), strict=True))

    @property
    def degree(self) -> Number:
        """The largest degree of any member."""
        return max((member.degree for member in self.members), default=0)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reading of the input says, messages that are not sent, nodes without a rank."""
        first = self.members[0] if self.members else None
        routing = first.routing if first else "ascending"
        return _notes(self.problem, first.node_of if first else None, routing)

    @overload
    def __getitem__(self, index: int) -> Contention: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Contention, ...]: ...
    def __getitem__(self, index: int | slice) -> Contention | tuple[Contention, ...]:
        return self.members[index]

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Contention]:
        return iter(self.members)


@overload
def contention(
    communication: LCC | Traffic,
    network: Network | str | None = None,
    method: CountingMethod = "auto",
    *,
    routing: CorrectionOrder = "ascending",
    node_of: Any = None,
) -> Contention: ...
@overload
def contention(
    communication: Program,
    network: Network | str | None = None,
    method: CountingMethod = "auto",
    *,
    routing: CorrectionOrder = "ascending",
    node_of: Any = None,
) -> ContentionSet: ...
@overload
def contention(
    communication: Any,
    network: Network | str | None = None,
    method: CountingMethod = "auto",
    *,
    routing: CorrectionOrder = "ascending",
    node_of: Any = None,
) -> Contention | ContentionSet: ...
@typed_arguments
def contention(
    communication: Any,
    network: Network | str | None = None,
    method: CountingMethod = "auto",
    *,
    routing: CorrectionOrder = "ascending",
    node_of: Any = None,
) -> Contention | ContentionSet:
    """Return the largest load of one channel, for every dimension, axis or level.

    Args:
        communication: an LCC or its word ("bit-reverse"), a `Traffic`, anything `Traffic.of` takes
            (a function is called for every node); or a `Program`, a file name, a sequence of
            phases or words, and then the answer has a member for each, not weighted. Or a
            `Problem`.
        network: a network with at least as many nodes as ranks, or its word; left out, that of the
            problem or the file, else the hypercube of the size.
        method: "formula" (ranks of submatrices; see `has_formula`), "walk" (every message is
            routed and counted), or "auto": the formula where there is one.
        routing: the order in which dimensions (axes) are corrected.
        node_of: the node of every rank; rank x is at node x if left out. Messages are counted.

    Raises:
        CommunicationError: not a description of messages.
        NetworkError: fewer nodes than ranks, or no formula where one is asked for.
        SizeLimitError: too many messages to walk.

    >>> from lccmodel.communication.catalog import matrix_transpose
    >>> from lccmodel.network import Hypercube
    >>> contention(matrix_transpose(8), Hypercube(8)).per_dimension    # [hou, Example 3]
    (1, 2, 4, 8, 8, 4, 2, 1)
    >>> contention("matrix-transpose", "mesh:4x4").per_dimension
    (3, 3)
    >>> contention([(0, 1), (0, 2), (1, 2)], "mesh:8x6").per_dimension
    (2, 0)
    """
    if isinstance(communication, Network):
        raise CommunicationError("communication", "must be messages, not a network", communication)
    problem = Problem.read(communication, network)
    checked_word("method", method, ("auto", "formula", "walk"))
    checked_word("routing", routing, ("ascending", "descending"))
    if problem.single:
        return _of_one(problem, method, routing, node_of)
    alone = (problem.phase(k) for k in range(len(problem.program)))
    return ContentionSet(tuple(_of_one(part, method, routing, node_of) for part in alone), problem)


def _notes(problem: Problem, node_of: Any, routing: CorrectionOrder) -> tuple[str, ...]:
    idle = idle_notes(problem.program.ranks, problem.network, node_of)
    ties = tie_notes(problem, node_of, routing == "descending")
    return (*problem.notes, *extension_notes(problem), *idle, *ties)


def _of_one(
    problem: Problem, method: CountingMethod, routing: CorrectionOrder, node_of: Any
) -> Contention:
    traffic, network = problem.program.phases[0].traffic, problem.network
    if traffic.ranks > network.size:
        rule = f"{network.spec} has {network.size} nodes, fewer than the {traffic.ranks} ranks"
        raise NetworkError("network", rule, network.spec)
    if method != "walk" and node_of is None and has_formula(network):
        c = traffic.lcc
        if c is not None and c.n == network.n:
            loads, distance = _by_ranks(c, traffic, network, routing)
            return Contention(loads, "formula", problem, routing, distance)
    if method == "formula":
        rule = (
            'the rank formula is for hypercubes and fat trees of 2^d children; use method="walk"'
            if not has_formula(network)
            else "the rank formula is for all 2^n messages of one y = Ax + b, alike in volume; "
            'use method="walk"'
        )
        raise NetworkError("network", rule, network)
    counts = network.channel_loads(traffic, node_of=node_of, descending=routing == "descending")
    return Contention(counts.per_dimension, "walk", problem, routing, counts.total, node_of)


class BusiestChannels(NamedTuple):
    """The channels of one dimension that carry its largest load, for one phase of a problem.

    `phase`, `dimension`; `load`; `channels`, how many carry it; `channel`, the first of them;
    `messages`, pairs of ranks in ascending order: those on the first.
    """

    phase: int
    dimension: int
    load: Any
    channels: int
    channel: tuple[int, int]
    messages: list[list[int]]


@dataclass(frozen=True, slots=True)
class BusiestChannelsSet(Sequence[BusiestChannels], Answer, view="busiest"):
    """The busiest channels of the phases of a problem: a sequence of `BusiestChannels`.

    Attributes: `members`; `problem`; `routing`, the order in which dimensions were corrected.

    >>> busiest = busiest_channels(Problem.read([(0, 1), (0, 3), (2, 3)], "mesh:4"))
    >>> [(b.dimension, b.load) for b in busiest], busiest.records()[0]["channel"]
    ([(0, 2)], (0, 1))
    """

    members: tuple[BusiestChannels, ...]
    problem: Problem = field(compare=False, repr=False)
    routing: CorrectionOrder = "ascending"

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reading of the input says, messages that are not sent, nodes without a rank."""
        return _notes(self.problem, None, self.routing)

    @overload
    def __getitem__(self, index: int) -> BusiestChannels: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[BusiestChannels, ...]: ...
    def __getitem__(self, index: int | slice) -> BusiestChannels | tuple[BusiestChannels, ...]:
        return self.members[index]

    def __len__(self) -> int:
        return len(self.members)


def busiest_channels(
    problem: Problem, routing: CorrectionOrder = "ascending"
) -> BusiestChannelsSet:
    """The busiest channels of every dimension that is used, phase by phase, by counting.

    Raises:
        SizeLimitError: too many channels to count every one.

    >>> channels = busiest_channels(Problem.read([(0, 1), (0, 3), (2, 3)], "mesh:4"))
    >>> channels[0].load, channels[0].channels, channels[0].channel, channels[0].messages
    (2, 2, (0, 1), [[0, 1], [0, 3]])
    """
    network, descending = problem.network, routing == "descending"
    busiest = []
    for k, phase in enumerate(problem.program):
        loads = network.channel_loads(phase.traffic, descending=descending)
        for dimension, load in enumerate(loads.per_dimension):
            rows = [r for r in range(len(loads.counts)) if network.row_dimension(r) == dimension]
            if not load:
                continue
            largest = loads.counts[rows].max()
            places = [(r, int(c)) for r in rows for c in (loads.counts[r] == largest).nonzero()[0]]
            channel = network.channel(*places[0])
            used = network.messages_on(channel, phase.traffic, descending=descending)
            sent = sorted(phase.traffic.messages[used].tolist())
            busiest.append(BusiestChannels(k, dimension, load, len(places), channel, sent))
    return BusiestChannelsSet(tuple(busiest), problem, routing)


def has_dimension_order(network: Network) -> bool:
    """Whether routes correct dimensions in an order that can be turned round.

    >>> from lccmodel.network import parse_network
    >>> [has_dimension_order(parse_network(w)) for w in ("mesh:4x4", "fattree:4x4", "cube:1")]
    [True, False, False]
    """
    return len(network.whole_network.geometry.axes) > 1


def has_formula(network: Network) -> bool:
    """Whether ranks of submatrices give the loads of linear-complement communications.

    They do on hypercubes, with 2^k nodes to a router, and on k-ary n-trees with k = 2^d.

    >>> from lccmodel.network import FatTree, Hypercube
    >>> has_formula(Hypercube(4)), has_formula(FatTree((4, 4))), has_formula(FatTree((3, 3)))
    (True, True, False)
    """
    if network.whole_network.is_table:  # dimensions are those that links state
        return False
    geometry = network.geometry
    if tree := geometry.tree:
        return tree.is_full and all(m & m - 1 == 0 for m in tree.down)
    return geometry.is_cube and geometry.per_router.bit_count() == 1


@typed_arguments
def matrix_ranks(
    communication: LCC, network: Network | str | None = None
) -> tuple[tuple[int, int], ...]:
    """Return the matrix ranks behind the loads of e-cube routing.

    A pair (i, rank) for every address bit i that channels correct: T_i = 2^(i - rank) if any
    message changes bit i. The rank is that of A_(L_(i+1), L_i) on a hypercube, and of B_(L_i, L_i),
    B = A without row 0, on the Origin.

    Args:
        communication: y = Ax + b, not a scatter.
        network: a hypercube or Origin of n dimensions, or its word; cube:n if left out.

    Raises:
        CommunicationError: a scatter.
        NetworkError: another network or size.

    Source: [hou, Theorems 1 and 7].

    >>> from lccmodel.communication.catalog import matrix_transpose
    >>> [2 ** (i - rank) for i, rank in matrix_ranks(matrix_transpose(8))]    # [hou, Example 3]
    [1, 2, 4, 8, 8, 4, 2, 1]
    """
    n = communication.n
    target = parse_network(network) if isinstance(network, str) else network or Hypercube(n)
    if not has_formula(target) or target.geometry.tree or target.n != n:
        rule = f"must be cube:{n} or origin:{n}, where matrix ranks give the loads"
        raise NetworkError("network", rule, target.spec)
    if communication.kind == "scatter":
        rule = "must not be a scatter; the ranks are those of its gather, in descending order"
        raise CommunicationError("communication", rule, communication)
    rows, first = communication.A.rows, len(internal_bits(target))
    return tuple(
        (i, rank(row & (1 << i) - 1 for row in rows[first : i + 1])) for i in range(first, n)
    )


def _by_ranks(
    c: LCC, traffic: Traffic, network: Network, routing: CorrectionOrder
) -> tuple[tuple[Any, ...], Any]:
    """The loads and their sum by the formula, times the volume that all messages carry."""
    if network.geometry.tree:
        loads, distance = _on_tree(c, network, network.geometry.tree, routing)
    else:
        loads, distance = _on_cube(c, network, routing)
    volume = traffic.uniform_volume
    return tuple(load * volume for load in loads), distance * volume


def _on_cube(c: LCC, network: Network, routing: CorrectionOrder) -> tuple[tuple[int, ...], int]:
    ranks, geometry = Ranks(c, internal_bits(network)), network.geometry
    changed = [(c.A.rows[i] ^ 1 << i, c.b[i]) for i in ranks.bits]  # half of the messages, or all
    distance = sum(1 << c.n - 1 if row else bit << c.n for row, bit in changed)
    bits = ranks.bits[::-1] if routing == "descending" else ranks.bits
    load_of = dict(zip(bits, ranks.loads(bits), strict=True))
    loads, left = [0] * geometry.first, list(ranks.bits)  # nothing inside a router, or on axes of 1
    for side in geometry.sides:
        loads.append(load_of[left.pop(0)] if side > 1 else 0)
    return tuple(loads[: network.dimensions]), distance  # a router alone is an axis of length 1


def _on_tree(
    c: LCC, network: Network, tree: Tree, routing: CorrectionOrder
) -> tuple[tuple[int, ...], int]:
    if routing == "descending":
        rule = f"there is no order of dimensions on {network.spec}"
        raise NetworkError("routing", rule, routing)
    widths = [m.bit_length() - 1 for m in tree.down]
    lows = [sum(widths[:level]) for level in range(1, len(tree.down))]
    distance = sum(2 * _moving(c, range(low, c.n)) for low in lows)
    return tuple(max(both) for both in fat_tree_loads(c, lows, tree.routing)), distance


def _moving(c: LCC, bits: range) -> int:
    """How many messages change some of the bits: all but the solutions of (I + A) x = b there."""
    rows = [c.A.rows[i] ^ 1 << i for i in bits]
    free = rank(rows)
    with_b = rank(row | c.b[i] << c.n for i, row in zip(bits, rows, strict=True))
    return (1 << c.n) - ((1 << c.n - free) if free == with_b else 0)


def internal_bits(network: Network) -> tuple[int, ...]:
    """The address bits inside a router: (0,) on a bristled hypercube, () on a hypercube.

    Raises:
        NetworkError: the network is not a hypercube.
    """
    geometry = network.geometry
    if geometry.is_cube and geometry.per_router.bit_count() == 1:
        return tuple(range(geometry.per_router.bit_length() - 1))
    raise NetworkError("network", "must be a Hypercube or a BristledHypercube", network)


def require_fit(communication: LCC, network: Network) -> None:
    """Refuse a network with another number of address bits.

    Raises:
        CommunicationError: `communication` is not an LCC.
        NetworkError: the sizes differ, or `network` is not a network.
    """
    require_lcc(communication)
    if not isinstance(network, Network):
        raise NetworkError("network", "must be a network such as Hypercube(8)", network)
    if network.size != communication.size:
        rule = f"must have 2^{communication.n} nodes, as the communication has"
        raise NetworkError("network", rule, network)
