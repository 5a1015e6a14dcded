"""The communications of one program, the network where it runs, and its best mappings.

Where every communication is linear-complement on a cube or Origin:

    M-S    for each communication alone, the best reordering for it
    M-G    for all communications together, one reordering, for each objective
    linear on an Origin, for each communication alone, the best of all nonsingular Q

The names M-S and M-G are those of [hou, section 6]. For any other traffic or network, a placement
of the ranks is searched for all phases together, for each objective.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from lccmodel.communication.files import Entry, NamedCommunication, program_of_entries, read_entries
from lccmodel.communication.program import Program as Sent
from lccmodel.communication.volumes import Number
from lccmodel.errors import FileError, NetworkError, SizeLimitError
from lccmodel.methods.mapping import (
    Mapping,
    optimal_linear_mapping,
    optimal_orders,
    optimal_reordering,
)
from lccmodel.methods.mapping.weights import SetObjective
from lccmodel.network import BristledHypercube, Hypercube, Network, parse_network

if TYPE_CHECKING:
    from lccmodel.methods.placement import Placement

__all__ = [
    "Answer",
    "LccProgram",
    "Placed",
    "Solution",
    "TrafficProgram",
    "best_mappings",
    "exact_weight",
    "find_placements",
    "network_for",
    "read_file",
    "require_cube",
]

MAX_COUNTED_BITS = 16
"""Largest n for which a report counts the optimal orders, which takes as long as the search."""


@dataclass(frozen=True)
class LccProgram:
    """The linear-complement communications of one file, and the cube or Origin where they run.

    Attributes: `name`, a title; `path`, of the file; `communications`; `network`.
    """

    name: str
    path: str
    communications: tuple[NamedCommunication, ...]
    network: Network

    @property
    def title(self) -> str:
        """Name and network."""
        return f"{self.name} on {self.network.spec}"

    @property
    def weights(self) -> tuple[Number, ...]:
        """The exact weight of every communication."""
        return tuple(exact_weight(one.weight) for one in self.communications)


@dataclass(frozen=True)
class TrafficProgram:
    """What one file says is sent, whatever it is, and any network where it runs.

    Attributes: `name`, a title; `path`, of the file; `sent`, the phases; `network`.
    """

    name: str
    path: str
    sent: Sent
    network: Network

    @property
    def title(self) -> str:
        """Name and network."""
        return f"{self.name} on {self.network.spec}"

    @property
    def communications(self) -> Sent:
        """The phases."""
        return self.sent


@dataclass(frozen=True)
class Answer:
    """A mapping, and how many orders are as good; None if they were not counted."""

    mapping: Mapping
    orders: int | None = None


@dataclass(frozen=True)
class Solution:
    """The best mappings of a program.

    Attributes: `alone` and `linear`, one answer a communication (`linear` is empty on a plain
    hypercube); `together`, one answer an objective, empty for a single communication and where
    there are too many bits, which `skipped` then explains.
    """

    program: LccProgram
    alone: tuple[Answer, ...]
    linear: tuple[Answer, ...]
    together: tuple[Answer, ...]
    skipped: str = ""


@dataclass(frozen=True)
class Placed:
    """The best placements found for a program, one an objective."""

    program: TrafficProgram
    placements: tuple[Placement, ...]


def exact_weight(weight: Number) -> Number:
    """A weight as the exact number that it prints as.

    >>> exact_weight(2.0), exact_weight(0.3)
    (2, Fraction(3, 10))
    """
    exact = Fraction(repr(weight)) if isinstance(weight, float) else Fraction(weight)
    return int(exact) if exact.denominator == 1 else exact


class Sized(Protocol):
    """What is sent, as far as the choice of a network looks at it: an `Entry` is one."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def n(self) -> int:
        """Address bits."""

    @property
    def ranks(self) -> int:
        """Number of ranks."""

    @property
    def network(self) -> str:
        """The network that its file names, or ""."""

    @property
    def network_line(self) -> int:
        """Where it does."""

    @property
    def path(self) -> str:
        """Its file."""

    @property
    def starts_at_one(self) -> bool:
        """Whether rank 0 does nothing."""


def network_for(
    communications: Sequence[Sized],
    word: str | None = None,
    *,
    exact: bool = True,
) -> Network:
    """The network where communications run.

    Args:
        communications: at least one.
        word: such as "cube:8"; "cube" or "origin" alone takes its size from the communications.
            Left out, it is the network that their files name, else the hypercube.
        exact: whether it must have 2^n nodes, as the communications have; else at least as many
            as there are ranks.

    Raises:
        NetworkError: another word, another size, or files that name different networks.
        FileError: what a file names is not a network, or has another size; or the file, with its
            line, names a rank that the network of the word does not have.
    """
    n = max(one.n for one in communications)
    if word is not None:
        network = _sized(word, n)
        fault = _misfit(network, communications, exact)
        if fault:
            raise _refused(network, communications, exact, word)
        return network
    named = [one for one in communications if one.network]
    if not named:
        return parse_network(f"cube:{n}")
    networks = [_named_network(one, communications, exact) for one in named]
    for one, network in zip(named, networks, strict=True):
        if network != networks[0]:
            rule = f"must be stated: {named[0].path} names {named[0].network}, {one.path} another"
            raise NetworkError("network", rule, one.network)
    return networks[0]


def _misfit(network: Network, communications: Sequence[Sized], exact: bool) -> str:
    """What is wrong with the size of a network, or ""."""
    largest = max(communications, key=lambda one: one.ranks)
    if network.size == largest.ranks or (not exact and network.size > largest.ranks):
        return ""
    if exact:
        return f"must have 2^{largest.n} nodes, as {largest.name!r} has"
    rule = f"must have at least {largest.ranks} nodes, for the ranks of {largest.name!r}"
    if largest.ranks == network.size + 1 and largest.starts_at_one:
        rule += f"; ranks 1..{network.size} look numbered from one: subtract 1 from each"
    return rule


def _refused(
    network: Network, communications: Sequence[Sized], exact: bool, word: str
) -> NetworkError | FileError:
    """The error of a network that is too small, with the file and line that ask for more."""
    size = network.size
    for one in communications:
        found = one.first_beyond(size) if isinstance(one, Entry) and one.path else None
        if found is not None:
            rank, line = found
            fault = _misfit(network, [one], exact)
            rule = f"a rank must be in 0..{size - 1} on {network.spec}; the network {fault}"
            return FileError(one.path, line, rule, rank)
    fault = _misfit(network, communications, exact)
    largest = max(communications, key=lambda one: one.ranks)
    if largest.ranks > size and isinstance(largest, Entry) and largest.path:
        return FileError(largest.path, largest.line, f"the network {fault}", word)
    return NetworkError("network", fault, word)


def _sized(word: str, n: int) -> Network:
    kind = word.strip().lower()
    return parse_network(f"{kind}:{n}" if kind in ("cube", "origin") else word)


def _named_network(
    one: Sized,
    communications: Sequence[Sized],
    exact: bool,
) -> Network:
    try:
        network = _sized(one.network, one.n)
    except NetworkError as error:
        raise FileError(one.path, one.network_line, error.rule, one.network) from None
    fault = _misfit(network, communications, exact)
    if fault:
        raise FileError(one.path, one.network_line, f"the network {fault}", one.network)
    return network


def require_cube(network: Network) -> None:
    """Refuse a network on which no mapping is optimised.

    Raises:
        NetworkError: another network.
    """
    if not isinstance(network, (Hypercube, BristledHypercube)):
        rule = "must be cube:N or origin:N, for which mappings are optimised"
        raise NetworkError("network", rule, network.spec)


def read_file(path: Path, word: str | None = None) -> LccProgram | TrafficProgram:
    """The program that a file describes, on the network that `network_for` chooses.

    Raises:
        FileError, NetworkError: see `read_entries` and `network_for`.
    """
    from lccmodel.methods.placement.orders import is_linear_complement

    entries = read_entries(path)
    network = network_for(entries, word, exact=False)
    sent = program_of_entries(entries)
    if is_linear_complement(sent, network):
        recognised = tuple(entry.recognised() for entry in entries)
        return LccProgram(path.stem, str(path), recognised, network)
    return TrafficProgram(path.name.split(".")[0], str(path), sent, network)


def find_placements(
    program: TrafficProgram,
    objectives: Sequence[SetObjective],
    seconds: float,
    step: Callable[[str], None] = lambda text: None,
) -> Placed:
    """The best placements of a program; one phase has one objective, its busiest channel.

    Args:
        program: the program.
        objectives: what to minimise, one answer for each.
        seconds: of search for each, see `place`.
        step: called with what is done next.

    Raises:
        InputError: what `place` cannot do.
    """
    from lccmodel.methods.placement import place

    found = []
    for objective in objectives if len(program.sent) > 1 else objectives[:1]:
        step(f"{program.title}: {objective}")
        found.append(place(program.sent, program.network, objective, "placements", seconds=seconds))
    return Placed(program, tuple(found))


def best_mappings(
    program: LccProgram,
    objectives: Sequence[SetObjective],
    step: Callable[[str], None] = lambda text: None,
) -> Solution:
    """The best mappings of a program.

    Args:
        program: the program.
        objectives: what to minimise for all communications together, one answer for each.
        step: called with what is done next.

    Raises:
        NetworkError: the network is not a hypercube.
    """
    network = program.network
    members = [one.communication for one in program.communications]
    alone = []
    for one in program.communications:
        step(f"{program.title}: {one.name}")
        mapping = optimal_reordering(one.communication, network)
        orders = None
        if one.n <= MAX_COUNTED_BITS:
            orders = optimal_orders(one.communication, network).count()
        alone.append(Answer(mapping, orders))
    linear: list[Answer] = []
    if isinstance(network, BristledHypercube):
        linear = [Answer(optimal_linear_mapping(c, network)) for c in members]
    together: list[Answer] = []
    skipped = ""
    for objective in objectives if len(members) > 1 else ():
        step(f"{program.title}: together, {objective}")
        try:
            found = optimal_reordering(members, network, objective, program.weights)
            orders = None
            if network.n <= MAX_COUNTED_BITS:
                orders = optimal_orders(members, network, objective, program.weights).count()
        except SizeLimitError as error:
            skipped = f"No mapping for all together: {error}."
            break
        together.append(Answer(found, orders))
    return Solution(program, tuple(alone), tuple(linear), tuple(together), skipped)
