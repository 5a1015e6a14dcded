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
from pathlib import Path
from typing import TYPE_CHECKING

from lccmodel.communication.entries import Entry
from lccmodel.communication.program import Program as Sent
from lccmodel.communication.volumes import Number, as_fraction, as_number
from lccmodel.errors import SizeLimitError
from lccmodel.methods.mapping import (
    Mapping,
    optimal_linear_mapping,
    optimal_orders,
    optimal_reordering,
)
from lccmodel.methods.mapping.weights import SetObjective
from lccmodel.network import BristledHypercube, Network
from lccmodel.problem import Problem

if TYPE_CHECKING:
    from lccmodel.methods.placement import Placement

__all__ = [
    "Answer",
    "LccProgram",
    "Placed",
    "Solution",
    "TrafficProgram",
    "best_mappings",
    "find_placements",
    "read_file",
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
    communications: tuple[Entry, ...]
    network: Network

    @property
    def title(self) -> str:
        """Name and network."""
        return f"{self.name} on {self.network.spec}"

    @property
    def weights(self) -> tuple[Number, ...]:
        """The exact weight of every communication."""
        return tuple(as_number(as_fraction(one.weight)) for one in self.communications)


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


def read_file(path: Path, word: str | None = None) -> LccProgram | TrafficProgram:
    """The program that a file describes, on the network that `Problem.read` chooses.

    Raises:
        FileError, NetworkError: see there.
    """
    from lccmodel.methods.placement.orders import is_linear_complement

    problem = Problem.read(path, word)
    network, name = problem.network, path.name.split(".")[0]
    if is_linear_complement(problem.program, network):
        recognised = tuple(entry.recognised() for entry in problem.origin)
        return LccProgram(name, str(path), recognised, network)
    return TrafficProgram(name, str(path), problem.program, network)


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
