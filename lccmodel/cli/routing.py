"""From what is typed for `lccmodel route` to routings, their tables and their figure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lccmodel.cli.modes import refuse_unless, refuse_unread
from lccmodel.communication.conversion import Idle
from lccmodel.communication.destinations import Permutation, destinations_of
from lccmodel.communication.program import chosen_phase
from lccmodel.errors import CommunicationError, InputError, NetworkError, NotFactorable
from lccmodel.network import Hypercube, Mesh
from lccmodel.permutations.comparison import Comparison, compare
from lccmodel.permutations.partitioned import PartitionTree, partition_tree
from lccmodel.permutations.routing_methods import (
    by_bit_exchanges,
    by_conditional_exchanges,
    by_dimension_order,
    by_self_routing,
    by_simd_mesh,
)
from lccmodel.permutations.routing_result import RoutedPermutation
from lccmodel.permutations.simd_mesh import MeshPlan
from lccmodel.permutations.simd_mesh.numbering import mesh_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lccmodel.show.records import Format, Table


@dataclass(frozen=True)
class Choices:
    """The options of `lccmodel route` that choose a method; None and False are not typed."""

    algorithm: str = "all"
    mode: str | None = None
    variant: str | None = None
    reading: str | None = None
    partition: str | None = None
    order: str | None = None
    numbering: str | None = None
    skip: bool = False
    tags: bool = False

    @property
    def bits(self) -> tuple[int, ...] | None:
        """The order as bits, if one is typed."""
        return None if self.order is None else _bits("--order", self.order)

    def partition_of(self, c: Permutation) -> tuple[int, ...] | PartitionTree:
        """What cuts out the subcubes of M-SIMD mode: bits, or the tree of the permutation.

        Raises:
            InputError: no bits, or a permutation that is not partitioned.
        """
        if self.partition is None:
            return ()
        if self.partition != "tree":
            return _bits("--partition", self.partition)
        tree = partition_tree(c)
        if tree is None:
            rule = "must be bits, since the permutation is not partitioned; --mode mimd takes any"
            raise InputError("--partition", rule, self.partition)
        return tree


def _bits(option: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.replace(",", " ").split())
    except ValueError:
        raise InputError(option, "must be bits such as 0,2,1", text) from None


@dataclass(frozen=True)
class Subject:
    """What is routed: its name, the permutation, and the network, None if none is named.

    `read_as` and `notes` say how the input was read, and what that rests on.
    """

    name: str
    permutation: Permutation
    network: Hypercube | Mesh | None
    read_as: str = ""
    notes: tuple[str, ...] = ()


def read_permutation(
    text: str, network: str | None, idle: Idle = "unknown", name: str | None = None
) -> Subject:
    """A permutation from a catalogue name, equations or a file; it need not be y = Ax + b.

    Args:
        text: what is typed.
        network: a word such as "mesh:4x4"; "cube" takes its size from the communication. None is
            the network that a file names.
        idle: for messages from files, see `recognition.analyse`.
        name: which communication of a file that holds several.

    Raises:
        InputError: anything that cannot be read, sizes that differ, or not a permutation.

    >>> read_permutation("butterfly", "mesh:2x2").network
    Mesh((2, 2))
    """
    from lccmodel.network import parse_network
    from lccmodel.problem import network_for
    from lccmodel.reading.programs import read_typed

    target = None if network is None or ":" not in network else parse_network(network)
    try:
        n, sides = (None, None) if target is None else (target.n, target.geometry.sides)
        entries = read_typed([text], n, in_files=True, sides=sides)
    except CommunicationError as error:
        if error.argument == "n" and error.value is None:
            rule = f"is required, e.g. cube:4 or mesh:4x4, since {text} exists for any n"
            raise NetworkError("network", rule, None) from None
        raise
    entry = entries[chosen_phase([entry.name for entry in entries], name, "--name", text)]
    refuse_unread()
    is_messages = entry.addresses is not None
    refuse_unless(is_messages, "idle", "changes nothing: equations say what every node does")
    if target is None and (network is not None or entry.network):
        target = network_for([entry], network, exact=True)
    if target is not None and not isinstance(target, (Hypercube, Mesh)):
        rule = "must be cube:N, mesh:AxB or torus:AxB, on which messages are routed"
        raise NetworkError("network", rule, target.spec)
    return Subject(entry.name, entry.permutation(idle), target, entry.read_as, entry.notes)


def route_by(subject: Subject, choices: Choices) -> Comparison | RoutedPermutation:
    """The routing that is asked for, or all of them.

    Raises:
        InputError: the method cannot route the permutation, and why.
    """
    c, network = subject.permutation, subject.network
    mesh = network if isinstance(network, Mesh) else None
    if choices.algorithm == "all":
        from dataclasses import replace

        from lccmodel.permutations.comparison import with_reordering

        return replace(with_reordering(compare(c, network)), name=subject.name)
    _check_size(c, network)
    if choices.algorithm == "hl":
        mode, variant = choices.mode or "simd", choices.variant or "lsb"
        partition = choices.partition_of(c)
        return by_self_routing(c, network, mode, variant, choices.reading, partition)
    if choices.algorithm == "e-cube":
        return by_dimension_order(c, mesh, choices.bits)
    if choices.algorithm == "exchange":
        try:
            return by_conditional_exchanges(c, mesh, choices.bits)
        except NotFactorable:  # no order works: bits change places in pairs [edelman, section 5]
            if choices.bits is not None:
                raise
            return by_bit_exchanges(c, mesh)
    if network is not None and mesh is None:
        shape = "x".join(map(str, mesh_of(None, network.n).shape))
        rule = f"must be a mesh for --algorithm simd-mesh, such as mesh:{shape}"
        raise NetworkError("network", rule, network.spec)
    numbering = choices.numbering or "row-major"
    n = destinations_of(c).size.bit_length() - 1
    return by_simd_mesh(c, mesh_of(network, n), numbering, choices.skip)


def tables_of(
    routed: Comparison | RoutedPermutation, name: str, choices: Choices, form: Format
) -> list[Table]:
    """What is shown: tables for people, or one table of records as CSV or JSON."""
    from lccmodel.show.routing_tables import (
        comparison_table,
        comparison_tables,
        registers_tables,
        steps_table,
        tags_table,
    )

    as_data = form in ("csv", "json")
    if isinstance(routed, Comparison):
        return [comparison_table([routed])] if as_data else list(comparison_tables(routed))
    steps = steps_table(routed, name, tags=choices.tags)
    if as_data or not choices.tags:
        return [steps]
    if isinstance(routed.made, MeshPlan):
        return [steps, *registers_tables(routed.made, name)]
    return [steps, tags_table(routed, name)]


def drawing(routed: Comparison | RoutedPermutation, name: str) -> Figure:
    """The figure of a routing, or of all of them."""
    from lccmodel.show.routing_drawing import draw_comparison, draw_routed

    if isinstance(routed, Comparison):
        return draw_comparison(routed)
    return draw_routed(routed, name)


def frames(routed: Comparison | RoutedPermutation, name: str) -> Iterator[Figure]:
    """What the channels carry step by step, of one method.

    Raises:
        InputError: there is no movement to show.
    """
    from lccmodel.show.animation import movement_frames

    movement = routed.movement if isinstance(routed, RoutedPermutation) else None
    if movement is None:
        reason = routed.reason if isinstance(routed, RoutedPermutation) else "several methods"
        raise InputError("--plot", "a .gif or .html needs a movement to show", reason)
    return movement_frames(movement, name)


# -- reading ------------------------------------------------------------------------------------


def _check_size(c: Permutation, network: Hypercube | Mesh | None) -> None:
    n = destinations_of(c).size.bit_length() - 1
    if network is not None and network.size != 1 << n:
        raise NetworkError("network", f"must have 2^{n} nodes", network.spec)
