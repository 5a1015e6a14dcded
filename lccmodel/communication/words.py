"""A word in place of a communication, as the command line takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lccmodel.communication.program import Program

__all__ = ["as_communication", "program_on"]


def as_communication(given: Any, nodes: int | None = None) -> Any:
    """What a word stands for on a network of so many nodes; anything else as it is.

    Args:
        given: a catalogue name ("bit-reverse") or equations, which stand for an `LCC`; a process
            grid ("grid:16x4:rings") or a file name, which stand for a `Program`; or no string.
        nodes: of the network; 2^n of them say what n a catalogue name has.

    Raises:
        CommunicationError: a string that is none of these, or a catalogue name without n.
        FileError: the file cannot be read or breaks a rule.

    >>> as_communication("butterfly:2", 16).destination(1), as_communication("y0 = x1; y1 = x0")
    (4, LCC([[0, 1], [1, 0]]))
    >>> as_communication("grid:4x4:rings").ranks, as_communication([(0, 1)])
    (16, [(0, 1)])
    """
    if not isinstance(given, str):
        return given
    from lccmodel.communication.files import program_of_entries, read_typed
    from lccmodel.communication.grids import is_grid_word, parse_grid

    if is_grid_word(given):
        return parse_grid(given)[1]
    n = nodes.bit_length() - 1 if nodes and nodes > 1 and not nodes & (nodes - 1) else None
    entries = read_typed([given], n)
    return program_of_entries(entries) if entries[0].path else entries[0].content


def program_on(given: Any, nodes: int) -> Program:
    """The program that something describes on a network of so many nodes.

    Args:
        given: a word (see `as_communication`), or anything `Program.of` takes; a function of the
            rank is called for every node.
        nodes: of the network.

    Raises:
        CommunicationError, FileError, NodeError: see `as_communication` and `Program.of`.

    >>> program_on("bit-reverse", 16).ranks, program_on(lambda node: node ^ 1, 4)[0].traffic
    (16, <Traffic of 4 messages among 4 ranks>)
    """
    from lccmodel.communication.program import Program

    given = as_communication(given, nodes)
    return Program.of(given, nodes if callable(given) else None)
