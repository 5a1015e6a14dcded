"""One permutation routed by one method, counted from the positions of its messages alone.

    occupancy      the most messages in a node, before step 1 and after every step: its buffers
    load           messages on the busiest channel in every step
    rounds         Σ load: a channel carries one message at a time, and a step ends with its last
    on a mesh      every message moves one node at a time (`self_routing.mesh`), and the messages
                   on every channel of the mesh are counted

By hand, messages 1 -> 2 and 2 -> 1 on a mesh of four nodes in a row, bit 0 first: 1 > 0, 0 > 1 > 2
and 2 > 3, 3 > 2 > 1. That is 6 hops where the shortest ways take 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from lccmodel.errors import SizeLimitError
from lccmodel.methods.exchanges import ExchangeFactors
from lccmodel.methods.self_routing import PORTS, MeshRun, Trace, simulate_walk
from lccmodel.methods.simd_mesh import MeshPlan
from lccmodel.movement.walk import Walk
from lccmodel.network import Mesh, Torus
from lccmodel.views import Viewed

__all__ = ["MAX_ON_MESH", "MeshCount", "Routing", "count_on_mesh"]

MAX_ON_MESH = 16
"""Most address bits for which every message is moved node by node."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MeshCount:
    """What a walk takes on a mesh or torus, every message moved one node at a time.

    Attributes:
        network: the mesh or torus.
        runs: a `MeshRun` for each model of `self_routing.PORTS`, by its name.
        channel_use: messages on every channel, int64 of shape (2 axes, 2^n), laid out as
            `Mesh.counter_shape`: row 2a (2a + 1) is axis a in the + (-) direction.
    """

    network: Mesh
    runs: Mapping[str, MeshRun]
    channel_use: Ints

    @property
    def busiest(self) -> int:
        """Messages on the busiest channel of the mesh, from start to end."""
        return int(self.channel_use.max(initial=0))

    @property
    def hops(self) -> int:
        """Channels that all messages cross together."""
        return int(self.channel_use.sum())

    def __repr__(self) -> str:
        totals = ", ".join(f"{ports} {run.total}" for ports, run in self.runs.items())
        return f"<MeshCount {self.network.spec}: unit steps {totals}; busiest {self.busiest}>"


@dataclass(frozen=True, eq=False, repr=False)
class Routing(Viewed, view="routing"):
    """One permutation routed by one method, or why it cannot be.

    Attributes:
        method: a word, such as a key of `comparison.METHODS`.
        title: its name for people.
        requires: what the method has to know or to be able to do.
        destinations: of every message, in the numbers in which `walk` is; int64, shape (2^n,).
        walk: where the messages stand; None if the method cannot route the permutation.
        order: the order in which the bits are corrected, None if nodes differ in it.
        made: the `Trace`, `ExchangeFactors` or `MeshPlan` that the walk is of, if any.
        reason: why there is no walk, or why messages are not delivered.
        brief: why there is no walk, in a few words.
        mesh: the mesh or torus where it is counted too, or None.
        nodes: the node of the mesh for every number, int64; None if they are the same.
    """

    method: str
    title: str
    requires: str
    destinations: Ints
    walk: Walk | None
    order: tuple[int, ...] | None = None
    made: Trace | ExchangeFactors | MeshPlan | None = None
    reason: str = ""
    brief: str = ""
    mesh: Mesh | None = None
    nodes: Ints | None = None

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.destinations.size.bit_length() - 1

    @property
    def delivered(self) -> bool:
        """Whether every message stands in its destination at the end."""
        return self.walk is not None and np.array_equal(self.walk.positions[-1], self.destinations)

    @property
    def contention_free(self) -> bool:
        """Whether no channel of the hypercube carries two messages in a step."""
        return self.walk is not None and max(self.walk.loads, default=0) <= 1

    @property
    def follows_lattice(self) -> bool:
        """Whether the walk is the one that corrects the bits in this order, and no other."""
        if self.walk is None or self.order is None:
            return False
        return self.walk == Walk.along(self.destinations.tolist(), self.order)

    @property
    def steps(self) -> int:
        """Routing steps, those in which no message moves included."""
        return 0 if self.walk is None else self.walk.steps

    @property
    def rounds(self) -> int:
        """Σ load: time on a hypercube whose channels carry one message at a time."""
        return 0 if self.walk is None else sum(self.walk.loads)

    @property
    def busiest(self) -> int:
        """Messages on the busiest channel of the hypercube, from start to end."""
        return 0 if self.walk is None else int(self.walk.channel_use.max(initial=0))

    @property
    def hops(self) -> int:
        """Channels of the hypercube that all messages cross together."""
        return 0 if self.walk is None else sum(self.walk.moves)

    @property
    def buffers(self) -> int:
        """The most messages that a node ever holds between steps."""
        return 0 if self.walk is None else max(self.walk.occupancies)

    @property
    def price(self) -> int | None:
        """Unit shifts of the SIMD mesh as its registers made them; None for other methods."""
        return self.made.steps if isinstance(self.made, MeshPlan) else None

    @cached_property
    def on_mesh(self) -> MeshCount | None:
        """Counts on the mesh or torus; None without one, or without a walk."""
        if self.walk is None or self.mesh is None:
            return None
        return count_on_mesh(_renumbered(self.walk, self.nodes), self.mesh)

    def __repr__(self) -> str:
        if self.walk is None:
            return f"<Routing {self.title}: none; {self.reason}>"
        end = "delivered" if self.delivered else f"not delivered: {self.reason}"
        return (
            f"<Routing {self.title}: order {self.order}, occupancy {self.walk.occupancies}, "
            f"load {self.walk.loads}; {end}>"
        )


def _renumbered(walk: Walk, nodes: Ints | None) -> Walk:
    """The walk in the node numbers of the mesh."""
    if nodes is None:
        return walk
    positions = np.empty_like(walk.positions)
    positions[:, nodes] = nodes[walk.positions]
    return Walk(positions)


def count_on_mesh(walk: Walk, mesh: Mesh) -> MeshCount:
    """Unit steps in every model, and the messages on every channel.

    Raises:
        NetworkError: no mesh or torus, or another size.
        SizeLimitError: n > 16.

    >>> count_on_mesh(Walk.along([0, 2, 1, 3], [0, 1]), Mesh((4,))).hops
    6
    """
    if walk.n > MAX_ON_MESH:
        rule = f"every message is moved node by node, so n <= {MAX_ON_MESH} on a mesh"
        raise SizeLimitError("network", rule, mesh.spec)
    runs = {ports: simulate_walk(walk, mesh, ports) for ports in PORTS}
    return MeshCount(mesh, MappingProxyType(runs), _mesh_channel_use(walk, mesh))


def _mesh_channel_use(walk: Walk, mesh: Mesh) -> Ints:
    """Messages on every channel of the mesh: each move of a bit goes along one axis."""
    use = np.zeros((2 * mesh.dimensions, mesh.size), dtype=np.int64)
    first = np.cumsum([0, *(length.bit_length() - 1 for length in mesh.shape)])
    axes = np.repeat(np.arange(mesh.dimensions), np.diff(first))
    for before, after in pairwise(walk.positions):
        moved = before ^ after
        for bit in range(walk.n):
            nodes = before[moved == 1 << bit]
            axis = int(axes[bit])
            low, last = int(first[axis]), mesh.shape[axis] - 1
            hops = 1 << bit - low
            round_ = isinstance(mesh, Torus) and last > 1 and 2 * hops == last + 1
            forward = np.full(nodes.size, True) if round_ else nodes >> bit & 1 == 0
            for row, here in ((2 * axis, nodes[forward]), (2 * axis + 1, nodes[~forward])):
                sign = -1 if row % 2 else 1
                for _ in range(hops):
                    np.add.at(use[row], here, 1)
                    here = here & ~(last << low) | ((here >> low & last) + sign & last) << low
    use.flags.writeable = False
    return use
