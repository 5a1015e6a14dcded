"""The communications of one program, the network where it runs, and its best mappings.

    M-S    for each communication alone, the best reordering for it
    M-G    for all communications together, one reordering, for each objective
    linear on an Origin, for each communication alone, the best of all nonsingular Q

The names M-S and M-G are those of [hou, section 6].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from lccmodel.communication.files import NamedCommunication, read_communications
from lccmodel.communication.messages import Idle
from lccmodel.errors import FileError, NetworkError, SizeLimitError
from lccmodel.methods.mapping import (
    Mapping,
    optimal_linear_mapping,
    optimal_orders,
    optimal_reordering,
)
from lccmodel.methods.mapping.subset import Objective, Weight
from lccmodel.network import BristledHypercube, Mesh, Network, parse_network

__all__ = [
    "Answer",
    "Program",
    "Solution",
    "exact_weight",
    "network_for",
    "read_file",
    "require_cube",
    "solve",
]

MAX_COUNTED_BITS = 16
"""Largest n for which a report counts the optimal orders, which takes as long as the search."""


@dataclass(frozen=True)
class Program:
    """The communications of one file, and the network where they run.

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
    def weights(self) -> tuple[Weight, ...]:
        """The exact weight of every communication."""
        return tuple(exact_weight(one.weight) for one in self.communications)


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

    program: Program
    alone: tuple[Answer, ...]
    linear: tuple[Answer, ...]
    together: tuple[Answer, ...]
    skipped: str = ""


def exact_weight(weight: Weight) -> Weight:
    """A weight as the exact number that it prints as.

    >>> exact_weight(2.0), exact_weight(0.3)
    (2, Fraction(3, 10))
    """
    exact = Fraction(repr(weight)) if isinstance(weight, float) else Fraction(weight)
    return int(exact) if exact.denominator == 1 else exact


def network_for(communications: Sequence[NamedCommunication], word: str | None = None) -> Network:
    """The network where communications run.

    Args:
        communications: at least one, all of the same n.
        word: such as "cube:8"; "cube" or "origin" alone takes its size from the communications.
            Left out, it is the network that their files name, else the hypercube.

    Raises:
        NetworkError: another word, another size, or files that name different networks.
        FileError: what a file names is no network, or has another size.
    """
    n = communications[0].n
    if word is not None:
        network = _sized(word, n)
        if network.size != 1 << n:
            rule = f"must have 2^{n} nodes, as {communications[0].name!r} has"
            raise NetworkError("network", rule, word)
        return network
    named = [one for one in communications if one.network]
    if not named:
        return parse_network(f"cube:{n}")
    networks = [_named_network(one) for one in named]
    for one, network in zip(named, networks, strict=True):
        if network != networks[0]:
            rule = f"must be stated: {named[0].path} names {named[0].network}, {one.path} another"
            raise NetworkError("network", rule, one.network)
    return networks[0]


def _sized(word: str, n: int) -> Network:
    kind = word.strip().lower()
    return parse_network(f"{kind}:{n}" if kind in ("cube", "origin") else word)


def _named_network(one: NamedCommunication) -> Network:
    try:
        network = _sized(one.network, one.n)
    except NetworkError as error:
        raise FileError(one.path, one.network_line, error.rule, one.network) from None
    if network.size != 1 << one.n:
        rule = f"the network must have 2^{one.n} nodes, as the communications have"
        raise FileError(one.path, one.network_line, rule, one.network)
    return network


def require_cube(network: Network) -> None:
    """Refuse a network on which no mapping is optimised.

    Raises:
        NetworkError: a mesh or torus.
    """
    if isinstance(network, Mesh):
        rule = "must be cube:N or origin:N, for which mappings are optimised"
        raise NetworkError("network", rule, network.spec)


def read_file(path: Path, word: str | None = None, idle: Idle = "unknown") -> Program:
    """The program that a file describes.

    Raises:
        FileError, NetworkError: see `read_communications`, `network_for` and `require_cube`.
    """
    communications = read_communications(path, idle=idle)
    network = network_for(communications, word)
    require_cube(network)
    return Program(path.stem, str(path), communications, network)


def solve(
    program: Program,
    objectives: Sequence[Objective],
    step: Callable[[str], None] = lambda text: None,
) -> Solution:
    """The best mappings of a program.

    Args:
        program: the program.
        objectives: what to minimise for all communications together, one answer for each.
        step: called with what is done next.

    Raises:
        NetworkError: the network is no hypercube.
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
