"""From what is typed to communications, a network and weights."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from lccmodel.errors import CommunicationError, InputError, NetworkError

if TYPE_CHECKING:
    from lccmodel.communication.files import NamedCommunication
    from lccmodel.communication.messages import Idle
    from lccmodel.methods.mapping.subset import Weight
    from lccmodel.network import Network

__all__ = ["parse_weights", "read_problem"]


def read_problem(
    arguments: Sequence[str], network: str | None, idle: Idle = "unknown"
) -> tuple[tuple[NamedCommunication, ...], Network]:
    """The communications that arguments name, and the network where they run.

    Args:
        arguments: catalogue names, equations and files.
        network: a word such as "cube:8"; "cube" or "origin" takes n from the communications,
            None the network that a file names, else the hypercube of their size.
        idle: for messages from files, see `recognition.analyse`.

    Raises:
        InputError: anything that cannot be read, sizes that differ, or an n that nothing states.

    >>> read_problem(["bit-reverse"], "cube:4")[1]
    Hypercube(4)
    """
    from lccmodel.communication.files import read_program
    from lccmodel.network import parse_network
    from lccmodel.show.program import network_for

    if network is not None and ":" in network:
        target = parse_network(network)
        return read_program(arguments, target.n, idle), target
    try:
        program = read_program(arguments, None, idle)
    except CommunicationError as error:
        if error.argument == "n" and error.value is None:
            rule = f"must be stated, e.g. cube:8, since {', '.join(arguments)} exists for any n"
            raise NetworkError("--network", rule, network) from None
        raise
    return program, network_for(program, network)


def parse_weights(text: str | None, program: Sequence[NamedCommunication]) -> tuple[Weight, ...]:
    """One exact weight a communication: as typed, else those of the files.

    A single communication has the weight 1 unless another one is typed, so that its objective is
    the degree of contention.

    Raises:
        InputError: not as many positive numbers as there are communications.

    >>> from lccmodel.communication.files import read_program
    >>> parse_weights("2, 1/3", read_program(["bit-reverse", "butterfly"], 4))
    (2, Fraction(1, 3))
    """
    from lccmodel.show.program import exact_weight

    if text is None:
        return tuple(exact_weight(one.weight) for one in program) if len(program) > 1 else (1,)
    parts = text.replace(",", " ").split()
    rule = f"must be {len(program)} positive numbers such as 2,1,1/3: one a communication"
    try:
        weights = tuple(exact_weight(Fraction(part)) for part in parts)
    except (ValueError, ZeroDivisionError):
        raise InputError("--weights", rule, text) from None
    if len(weights) != len(program) or min(weights, default=0) <= 0:
        raise InputError("--weights", rule, text)
    return weights
