"""From what is typed to a program and the network where it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from lccmodel.errors import CommunicationError, NetworkError

if TYPE_CHECKING:
    from lccmodel.communication.program import Program
    from lccmodel.network import Network

__all__ = ["read_problem"]


class _Grid(NamedTuple):
    """A process grid as `network_for` looks at it."""

    name: str
    n: int
    ranks: int
    network: str = ""
    network_line: int = 0
    path: str = ""
    starts_at_one: bool = False


def read_problem(arguments: Sequence[str], network: str | None) -> tuple[Program, Network]:
    """What arguments say is sent, and the network where it is sent.

    Args:
        arguments: catalogue names, equations, files, and process grids such as
            grid:16x4:rings:8,1; "-" is standard input.
        network: a word such as "torus:8x6"; "cube" or "origin" takes n from what is sent, None
            the network that a file names, else the hypercube of its size.

    Raises:
        InputError: anything that cannot be read, fewer nodes than ranks, or an n that nothing
            states.

    >>> read_problem(["bit-reverse"], "cube:4")[1]
    Hypercube(4)
    """
    from lccmodel.communication.files import program_of_entries, read_typed
    from lccmodel.communication.grids import is_grid_word, parse_grid
    from lccmodel.communication.program import Program
    from lccmodel.network import parse_network
    from lccmodel.show.network_choice import network_for

    n = None
    if network is not None and ":" in network:
        size = parse_network(network).size
        n = size.bit_length() - 1 if size & size - 1 == 0 and size > 1 else None
    words = [text for text in arguments if is_grid_word(text)]
    others = [text for text in arguments if not is_grid_word(text)]
    phases = [phase for text in words for phase in parse_grid(text)[1]]
    grids = [_Grid(p.name, p.traffic.n, p.traffic.ranks) for p in phases]
    try:
        entries = read_typed(others, n) if others or not words else ()
    except CommunicationError as error:
        if error.argument == "n" and error.value is None:
            rule = f"must be stated, e.g. cube:8, since {', '.join(others)} exists for any n"
            raise NetworkError("--network", rule, network) from None
        raise
    target = network_for([*grids, *entries], network, exact=False)
    if not grids:
        return program_of_entries(entries), target
    if not entries:
        return Program(phases), target
    read = program_of_entries(entries)
    return Program([*phases, *read.phases], network=read.network, notes=read.notes), target
