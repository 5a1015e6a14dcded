"""The question that a user asks, in the words of certificates: what `check` compares one with.

This reads programs and networks; it finds no answers, and the checker does not know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lccmodel.certificates.grids import StatedAxes, network_stated
from lccmodel.certificates.parser import Refused
from lccmodel.certificates.questions import (
    MOST_BITS,
    Message,
    Question,
    collective_question,
    linear_lines,
    network_name,
    program_lines,
    routing_name,
    task_question,
)
from lccmodel.errors import InputError
from lccmodel.ground.numbers import as_fraction

if TYPE_CHECKING:
    from lccmodel.communication.lcc import LCC
    from lccmodel.communication.program import Phase
    from lccmodel.gf2.matrix import GF2Matrix
    from lccmodel.network import Network
    from lccmodel.problem import Problem


def exact_text(number: Any) -> int | str:
    """A number as certificates write it: an integer, or "3/2".

    A float means its shortest decimal, as everywhere: 0.1 is 1/10, not 3602879701896397/2^55.

    >>> exact_text(0.1)
    '1/10'
    """
    value = as_fraction(number)
    return int(value) if value.denominator == 1 else str(value)


def stated_network(network: Network) -> dict[str, Any] | None:
    """A network as certificates write it; None if they do not know it."""
    geometry = network.geometry
    if tree := geometry.tree:
        return {"down": list(tree.down), "up": list(tree.up), "routing": tree.routing}
    if not geometry.is_grid:
        return None
    ties = {} if geometry.canonical().ties == "plus" else {"ties": geometry.ties}
    return {
        **ties,
        "sides": list(geometry.sides),
        "rings": list(geometry.rings),
        "seats": geometry.per_router,
        "bandwidths": [exact_text(width) for width in geometry.bandwidths],
    }


def sent_text(c: LCC) -> dict[str, Any]:
    """A communication as certificates write it."""
    return {
        "sends": "scatter" if c.kind == "scatter" else "gather",
        "A": lines_of(c.A),
        "b": digits_of(int(c.b), c.n),
    }


def digits_of(x: int, n: int) -> str:
    """The bits of x, bit 0 first."""
    return "".join(str(x >> j & 1) for j in range(n))


def lines_of(matrix: GF2Matrix) -> list[str]:
    """The rows of a matrix."""
    return [digits_of(row, matrix.n_columns) for row in matrix.rows]


def asked_question(
    problem: Problem, objective: str = "max-max", weights: Sequence[Fraction] | None = None
) -> Question:
    """Return the question that a program on a network asks with an objective.

    Args:
        problem: the program on its network.
        objective: what is minimised.
        weights: one positive number per phase, instead of the phases' own.

    >>> from lccmodel.problem import Problem
    >>> question = asked_question(Problem.read([(0, 1), (1, 0)], "mesh:2x1"), "joint")
    >>> question.network, question.objective, question.messages, question.program
    ('cube:1', 'joint', 2, 'ae21d2f69b44')
    """
    network, program = problem.network, problem.program
    weights = weights or [as_fraction(phase.weight) for phase in program]
    name, routing = _named(network)
    lccs = [phase.lcc for phase in program] if program.ranks > 1 << MOST_BITS else []
    known = [c for c in lccs if c is not None]
    if known and len(known) == len(program):
        carried = [
            (sent_text(c), weight * phase.traffic.uniform_volume)
            for c, phase, weight in zip(known, program, weights, strict=True)
        ]
        lines, messages, volume = linear_lines(known[0].n, carried)
    else:
        phases = map(_messages, program, weights)
        lines, messages, volume = program_lines(program.ranks, phases)
    return Question(name, objective, program.ranks, routing, lines, messages, volume)


def _named(network: Network) -> tuple[str, str]:
    """The names of a network and its routing; one that no certificate knows has its own."""
    stated = stated_network(network)
    if stated is None:
        return network.spec, "of the network"
    try:
        known = network_stated(stated)
    except Refused:  # too large to be stated: a cube of many bits
        return network.spec, "dimension order, axis 0 first"
    return network_name(known), routing_name(known)


def _messages(phase: Phase, weight: Fraction) -> Iterator[Message]:
    """The messages of a phase with weight times volume."""
    traffic = phase.traffic
    pairs = zip(traffic.messages.tolist(), traffic.volumes.tolist(), strict=True)
    for (source, destination), volume in pairs:
        yield source, destination, weight * as_fraction(volume)


_TASK = re.compile("([0-9]{1,4}),([0-9]{1,4})")


def asked_of_word(kind: str, word: str, network: Network, ports: str) -> Question:
    """Return the question of a task "i,M", or of a collective of all nodes by its name.

    Raises:
        InputError: another word, or a network that no such certificate knows.
    """
    stated = stated_network(network)
    axes = None if stated is None else network_stated(stated)
    if axes is None:
        raise InputError("--network", "must be a network that certificates know", network.spec)
    if kind == "collective":
        return collective_question(axes, word, 0, ports, range(network.size))
    task = _TASK.fullmatch(word)
    if task is None or not isinstance(axes, StatedAxes):
        raise InputError("PROGRAM", "must be the task I,M of a mesh or torus", word)
    return task_question(axes, int(task[1]), int(task[2]), ports)
